/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/session/session.h"

#include <poll.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "frontend/model/actionpoints.h"
#include "frontend/action/action.h"
#include "frontend/model/alias.h"
#include "frontend/model/ask.h"
#include "frontend/verify/verify.h"
#include "frontend/model/focus.h"
#include "frontend/model/history.h"
#include "frontend/output/outcome.h"
#include "frontend/output/logs.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/names.h"

#define POINTS_ASKED 4096
#define PLACES_TOLD 20

struct shell *shell_create(struct session *s)
{
	struct shell *sh = xcalloc(1, sizeof(*sh));

	sh->focus = focus_create();
	sh->alias = alias_create();
	sh->history = history_create();
	sh->source = source_create(s->symbols);
	sh->logs = logs_create();
	s->shell = sh;
	out_set_logs(s->out, sh->logs);
	return sh;
}

void shell_destroy(struct session *s)
{
	struct shell *sh = s->shell;

	if (!sh)
		return;
	s->shell = NULL;
	out_set_logs(s->out, NULL);
	out_set_program(s->out, NULL, NULL);
	logs_destroy(sh->logs);
	redirect_clear(&sh->redirect);
	focus_destroy(sh->focus);
	alias_destroy(sh->alias);
	history_destroy(sh->history);
	source_destroy(sh->source);
	rankset_clear(&sh->gone);
	rankset_clear(&sh->level_who);
	free(sh->file);
	free(sh->pending);
	free(sh->draft);
	free(sh->hidden);
	free(sh->show);
	free(sh);
}

void shell_set_argv(struct session *s, char *const *argv, int argc)
{
	char **copy = xcalloc((size_t)argc + 1, sizeof(*copy));

	for (int n = 0; n < argc; n++)
		copy[n] = xstrdup(argv[n]);
	for (char **p = s->spec.argv; p && *p; p++)
		free(*p);
	free(s->spec.argv);
	s->spec.argv = copy;
}

/* Settings that somebody keeps a copy of. */
static void apply(struct session *s)
{
	static const char *const words[] = { "ERR", "WARN", "ALL" };
	const char *verbose = settings_text(s->set, "VERBOSE");

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], verbose))
			out_set_verbose(s->out, (enum out_verbose)i);
	out_text_limit((size_t)settings_number(s->set, "MAX_GROUPS"),
		       (size_t)settings_number(s->set, "MAX_LIST"));
	s->spec.on_exit_run = settings_is(s->set, "ON_EXIT", "run");
	s->spec.fpe = (uint8_t)settings_choices_set(s->set, "FPE");
	if (s->job)
		job_fpe(s->job, s->spec.fpe);
}

enum point_kind shell_points(const struct session *s)
{
	const char *comma = strchr(settings_text(s->set, "POINTS"), ',');

	for (unsigned k = POINT_KIND_MARKS + 1; comma && k < POINT_KINDS; k++)
		if (!strcmp(comma + 1, point_kind_word(k)))
			return (enum point_kind)k;
	return POINT_KIND_MARKS;
}

/* What is numbered cannot change in a program that runs. */
static void apply_points(struct session *s, const char *name)
{
	if (strcasecmp(name, "POINTS"))
		return;
	s->spec.points = shell_points(s);
	if (s->job && !job_points(s->job, s->spec.points))
		out_note(s->out, "POINTS holds from the next run on: a program that has begun "
				 "keeps its numbers");
}

/* Settings that the standard has and that have one value here, with the reason. */
static int fixed(const char *name, const char *value, struct err *err)
{
	static const char *const names[][3] = {
		{ "START_MODEL", "ALL", "all threads of a process go on together" },
		{ "STOP_MODEL", "ALL", "all threads of a process stop together" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(name, names[i][0]) && strcasecmp(value, names[i][1]))
			return err_set(err, "%s stays %s, it cannot be '%s': %s", names[i][0],
				       names[i][1], value, names[i][2]);
	return 0;
}

/* In the documents' words, and what is allowed. */
static int refuse(const char *name, const char *value, struct err *err)
{
	char words[160];
	struct err why;

	if (!err || !historical_words(name, value, words, sizeof(words)))
		return -1;
	why = *err;
	return err_set(err, "%s %s", words, why.text);
}

/* One end of the interval has been moved behind the other, which may follow it. */
static void warn_crossed(struct session *s, const char *name)
{
	struct err why = { "" };

	if (checker_crossed(s->checker, name, &why))
		out_warning(s->out, "%s Move one of them before the next run is started.",
			    why.text);
}

int shell_set(struct session *s, const char *name, const char *value, struct err *err)
{
	const char *note;

	name = historical_name(name);
	note = historical_note(name);
	if (note) {
		/* the documents' own is a sentence */
		if (!strncmp(note, "Parameter ", 10))
			out_note(s->out, "%s", note);
		else
			out_note(s->out, "%s has no effect: %s", name, note);
		return 0;
	}
	historical_setting(&name, &value);
	note = historical_refused(name, value);
	if (note) {
		out_warning(s->out, "%s It stays %s.", note, settings_text(s->set, name));
		return 0;
	}
	if (fixed(name, value, err))
		return -1;
	if (checker_allows(name, value, err))
		return -1;
	if (settings_set(s->set, name, value, err))
		return refuse(name, value, err);
	apply(s);
	apply_points(s, name);
	warn_crossed(s, name);
	return checker_changed(s->checker, err);
}

int shell_unset(struct session *s, const char *name, struct err *err)
{
	if (settings_unset(s->set, name, err))
		return -1;
	apply(s);
	apply_points(s, name);
	return checker_changed(s->checker, err);
}

int shell_eval(struct session *s, const char *text, struct rankset *out, struct err *err)
{
	return shell_eval_threads(s, text, out, NULL, err);
}

int shell_eval_threads(struct session *s, const char *text, struct rankset *out,
		       struct thread_set *threads, struct err *err)
{
	struct focus_env env = action_focus_env(s);
	struct focus_odd odd;

	if (focus_eval_threads(s->shell->focus, text, &env, out,
			       shell_multilevel(s) ? threads : NULL, &odd, err))
		return -1;
	shell_warn_odd(s, text, &odd);
	return 0;
}

bool shell_multilevel(const struct session *s)
{
	return settings_is(s->set, "MODE", "MULTILEVEL");
}

void shell_warn_odd(struct session *s, const char *text, const struct focus_odd *odd)
{
	int n = s->job ? job_size(s->job) : 0;

	if (shell_checks(s) == CHECKS_MIN)
		return;
	if (odd->repeated)
		out_warning(s->out, "[%s] has a member more than once", text);
	if (*odd->absent && n == 1)
		out_warning(s->out, "[%s]: there is no rank %s: the only rank is 0", text,
			    odd->absent);
	else if (*odd->absent)
		out_warning(s->out, "[%s]: there is no rank %s: ranks are 0 to %d", text,
			    odd->absent, n - 1);
}

enum shell_checks shell_checks(const struct session *s)
{
	const char *checks = settings_text(s->set, "ERROR_CHECKS");

	if (!strcmp(checks, "MIN"))
		return CHECKS_MIN;
	return strcmp(checks, "MAX") ? CHECKS_NORMAL : CHECKS_MAX;
}

/* A line that is typed while the loop turns; false when none comes: Ctrl-C, Ctrl-D, a request to
 * end. */
static bool read_answer(struct session *s, char *line, size_t size)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	size_t n = 0;

	loop_clear_interrupt(s->loop);
	while (!s->quitting && !loop_interrupted(s->loop)) {
		char c;

		if (poll(&p, 1, 0) <= 0) {
			loop_turn(s->loop, 20);
			continue;
		}
		if (read(STDIN_FILENO, &c, 1) != 1)
			return false;
		if (c == '\n')
			break;
		if (n + 1 < size)
			line[n++] = c;
	}
	line[n] = 0;
	return !loop_interrupted(s->loop);
}

void shell_end_line(const struct session *s)
{
	if (!s->interactive || s->fill_screen || !isatty(STDOUT_FILENO))
		return;
	putchar('\n');
	fflush(stdout);
}

bool shell_can_ask(const struct session *s)
{
	return s->interactive && !out_is_json(s->out) && (!s->fill_screen || s->shell->ask) &&
	       shell_checks(s) > CHECKS_MIN;
}

static bool ask_below(struct session *s, const char *question)
{
	char line[80] = "";

	for (;;) {
		bool yes;

		printf("%s (y or n) ", question);
		fflush(stdout);
		if (!read_answer(s, line, sizeof(line))) {
			putchar('\n');
			return false;
		}
		yes = !strcasecmp(line, "y") || !strcasecmp(line, "yes");
		if (yes || !strcasecmp(line, "n") || !strcasecmp(line, "no"))
			return yes;
	}
}

bool shell_confirm(struct session *s, enum shell_checks least, const char *fmt, ...)
{
	char question[500], *clean;
	const char *text;
	va_list ap;
	size_t size;
	bool yes;

	if (!shell_can_ask(s) || shell_checks(s) < least)
		return true;
	va_start(ap, fmt);
	vsnprintf(question, sizeof(question), fmt, ap);
	va_end(ap);
	clean = out_text_clean(question, strlen(question), false, &size);
	text = clean ? clean : question;
	yes = s->shell->ask ? s->shell->ask(s->shell->ask_arg, text) : ask_below(s, text);
	free(clean);
	loop_clear_interrupt(s->loop);
	return yes;
}

const char *shell_prompt(const struct session *s, char *out, size_t size)
{
	return focus_prompt(settings_text(s->set, "PROMPT"), s->focus,
			    (size_t)settings_number(s->set, "MAX_PROMPT"), out, size);
}

/* Where the ranks of one group have stopped, when there is a source of that. */
static bool place_of(struct session *s, const struct rank_group *g, char *file, size_t size,
		     uint32_t *line)
{
	struct buf b = buf_view(g->blob, g->len);
	struct report_stop r;

	if (report_stop_get(&r, &b))
		return false;
	if (session_at_no_mark(&r) && session_native_place(s, &g->ranks, file, size, line))
		return true;
	if (r.frame.kind >= CONSTRUCT_KINDS)
		return false;
	symbols_resolve(s->symbols, &r.frame.place);
	if (!*r.frame.place.file || !r.frame.place.line)
		return false;
	snprintf(file, size, "%s", r.frame.place.file);
	*line = r.frame.place.line;
	return true;
}

bool shell_place(struct session *s, char *file, size_t size, uint32_t *line)
{
	const struct groups *stops = s->job ? job_stops(s->job) : NULL;
	struct focus_env env = action_focus_env(s);
	struct rankset focus = { 0 };
	bool found = false;

	if (!stops || focus_eval(s->shell->focus, s->focus, &env, &focus, NULL, NULL))
		return false;
	for (unsigned others = 0; others < 2; others++)
		for (size_t i = 0; !found && i < stops->n; i++)
			if (rankset_meets(&stops->group[i].ranks, &focus) != others)
				found = place_of(s, &stops->group[i], file, size, line);
	rankset_clear(&focus);
	return found;
}

void shell_stopped(struct session *s)
{
	struct shell *sh = s->shell;
	char file[1024];
	uint32_t line;

	sh->level = 0;
	sh->listed = 0;
	if (!shell_place(s, file, sizeof(file), &line))
		return;
	free(sh->file);
	sh->file = xstrdup(file);
	sh->line = line;
}

bool session_left_others(const struct job *j, struct rankset *out)
{
	const struct groups *exits = job_exits(j);
	struct rankset others = { 0 };
	bool any;

	xrankset_copy(&others, job_set(j, JOB_ALL));
	for (size_t i = 0; i < exits->n && job_needs_mpi(j); i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (report_exit_get(&r, &b) || r.released || r.aborted || r.how != EXIT_CODE ||
		    r.code || r.mpi == MPI_STATE_DOWN)
			continue;
		xrankset_add_set(out, &exits->group[i].ranks);
		xrankset_remove_set(&others, &exits->group[i].ranks);
	}
	any = out->n && others.n;
	rankset_clear(&others);
	if (!any)
		rankset_clear(out);
	return any;
}

void shell_keep_result(struct session *s)
{
	const struct groups *exits = s->job ? job_exits(s->job) : NULL;
	struct rankset left = { 0 };
	bool open = false;

	for (size_t i = 0; exits && i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (report_exit_get(&r, &b) || r.released || r.how == EXIT_UNKNOWN)
			continue;
		if (r.how != EXIT_CODE || r.code)
			outcome_add(s->outcome, OUTCOME_FAILED);
		else
			open |= r.mpi == MPI_STATE_UP && !r.aborted;
	}
	if (s->job && (job_set(s->job, JOB_LOST)->n || session_left_others(s->job, &left)))
		outcome_add(s->outcome, OUTCOME_FAILED);
	else if (open)
		outcome_add(s->outcome, OUTCOME_FINDINGS); /* nobody waits for it */
	rankset_clear(&left);
}

/* Adds "PL heat.c:61" to known when place is in the file and not there yet. */
static void add_place(json_t *known, struct session *s, const struct report_point *r,
		      const char *file)
{
	struct place place = r->place;
	char text[512], line[600];

	symbols_resolve(s->symbols, &place);
	if (*file && !rule_file_matches(file, place.file))
		return;
	snprintf(line, sizeof(line), "%s %s", construct_brief(r->kind),
		 symbols_text(s->symbols, &place, text, sizeof(text)));
	for (size_t i = 0; i < json_array_size(known); i++)
		if (!strcmp(json_string_value(json_array_get(known, i)), line))
			return;
	if (json_array_size(known) < PLACES_TOLD)
		json_array_append_new(known, out_json_text(line));
}

/* The constructs of the passed points in the file ("": anywhere), newest first. */
static json_t *known_places(struct session *s, const struct groups *passed, const char *file)
{
	json_t *known = json_array();

	for (size_t i = 0; i < passed->n; i++) {
		struct buf b = buf_view(passed->group[i].blob, passed->group[i].len);
		struct answer_points list;
		struct report_point r;

		answer_points_get(&list, &b);
		for (uint32_t k = 0; k < list.n && !report_point_get(&r, &b); k++)
			add_place(known, s, &r, file);
	}
	return known;
}

/* Why there may be no such iteration. */
static const char *no_iteration(struct session *s, const struct actionpoint *ap)
{
	struct location loc = { .kind = (enum rule_kind)ap->rule.kind, .line = ap->rule.line };

	memcpy(loc.file, ap->rule.file, sizeof(loc.file));
	if (ap->rule.kind == RULE_NAME)
		return ", which functions do not have";
	switch (action_place_loop(s, &loc)) {
	case ACTS_LOOP_BARE:
		return names_fortran(loc.file)
			       ? ", when the main thread executes it, and the source shows no call "
				 "of dvmdbg_pl_iteration in that loop"
			       : ", when the main thread executes it, and the source shows no "
				 "DVMDBG_PL_ITERATION in that loop, unless a macro has it";
	case ACTS_LOOP_HOOKED:
	case ACTS_LOOP_MARKED:
		return ", when the main thread executes it and no other one";
	default:
		return "";
	}
}

/* "it stops in iteration 3 only; " or what else it waits for; "" when it waits for nothing. */
static void put_limits(struct session *s, const struct actionpoint *ap, char *out, size_t size)
{
	char iteration[100];

	if (ap->rule.niter)
		snprintf(out, size, "it stops in iteration %s only%s; ",
			 actionpoints_iteration_format(&ap->rule, iteration, sizeof(iteration)),
			 no_iteration(s, ap));
	else if (ap->rule.count > 1)
		snprintf(out, size, "it stops at every %u hits; ", ap->rule.count);
	else
		*out = 0;
}

/* Why an actionpoint may not have been reached. */
static json_t *unreached(struct session *s, const struct groups *passed,
			 const struct actionpoint *ap)
{
	json_t *known = NULL;
	char limits[200], text[600];

	put_limits(s, ap, limits, sizeof(limits));
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(limits, ";"), limits);
	if (ap->rule.kind == RULE_LINE) {
		known = known_places(s, passed, ap->rule.file);
		if (json_array_size(known)) {
			snprintf(text, sizeof(text), "%snumbered constructs met in %s:", limits,
				 ap->rule.file);
		} else {
			json_decref(known);
			known = known_places(s, passed, "");
			snprintf(text, sizeof(text),
				 json_array_size(known)
					 ? "no numbered construct was met in %s, elsewhere:"
					 : "no numbered construct was met in %s",
				 ap->rule.file);
		}
	} else if (ap->rule.kind == RULE_NAME && !*limits) {
		snprintf(text, sizeof(text), "no function or construct announces the name %s",
			 ap->rule.file);
	}
	return json_pack("{s:s s:I s:o s:o s:o}", "type", "unreached", "id",
			 (json_int_t)ap->rule.id, "location", out_json_text(ap->text), "text",
			 out_json_text(text), "known", known ? known : json_array());
}

static bool was_missed(const struct actionpoint *ap)
{
	return ap->enabled && !ap->run_hits && ap->kind == ACT_BREAK && !ap->cond;
}

void shell_report_unreached(struct session *s)
{
	struct msg_query q = { .kind = QUERY_POINTS, .n = POINTS_ASKED, .rank = UINT32_MAX };
	struct groups passed = { 0 };
	size_t most, n = 0;

	if (!s->job || !job_over(s->job))
		return;
	most = out_is_json(s->out) ? SIZE_MAX : (size_t)settings_number(s->set, "MAX_LIST");
	for (size_t i = 0; i < actionpoints_count(s->acts); i++) {
		const struct actionpoint *ap = actionpoints_at(s->acts, i);

		if (action_never_placed(s->action, ap))
			out_note(s->out,
				 "watch %" PRIu32 ", %s, was never checked: it is no registered "
				 "object, and is found in each run where ranks stop, or come to "
				 "1.B",
				 ap->rule.id, ap->text);
		if (!was_missed(ap) || n++ >= most)
			continue;
		if (n == 1)
			ask(s, &q, job_set(s->job, JOB_ALL), &passed, NULL, NULL);
		out_answer(s->out, unreached(s, &passed, ap));
	}
	if (n > most)
		out_note(s->out,
			 "... %zu more actionpoints were never reached: actions -all has those "
			 "without hits",
			 n - most);
	groups_clear(&passed);
}
