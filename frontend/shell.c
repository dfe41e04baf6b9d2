/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/shell.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "common/buf.h"
#include "common/construct.h"
#include "common/err.h"
#include "frontend/actionpoints.h"
#include "frontend/alias.h"
#include "frontend/ask.h"
#include "frontend/checker.h"
#include "frontend/focus.h"
#include "frontend/history.h"
#include "frontend/out.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/source.h"
#include "frontend/symbol.h"

#define POINTS_ASKED 4096
#define PLACES_TOLD 20

struct shell *shell_create(struct session *s, struct err *err)
{
	struct shell *sh = calloc(1, sizeof(*sh));

	if (!sh)
		goto fail;
	sh->focus = focus_create();
	sh->alias = alias_create();
	sh->history = history_create();
	sh->source = source_create();
	s->shell = sh;
	if (sh->focus && sh->alias && sh->history && sh->source)
		return sh;
	shell_destroy(s);
fail:
	err_set(err, "out of memory");
	return NULL;
}

void shell_destroy(struct session *s)
{
	struct shell *sh = s->shell;

	if (!sh)
		return;
	s->shell = NULL;
	out_set_log(s->out, NULL);
	out_set_program(s->out, NULL);
	if (sh->log)
		fclose(sh->log);
	if (sh->output)
		fclose(sh->output);
	focus_destroy(sh->focus);
	alias_destroy(sh->alias);
	history_destroy(sh->history);
	source_destroy(sh->source);
	rankset_clear(&sh->gone);
	free(sh->file);
	free(sh->pending);
	free(sh->draft);
	free(sh->show);
	free(sh);
}

int shell_set_argv(struct session *s, char *const *argv, int argc)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	int n = 0;

	if (!copy)
		return -1;
	for (n = 0; n < argc; n++) {
		copy[n] = strdup(argv[n]);
		if (!copy[n])
			break;
	}
	if (n == argc) {
		char **old = s->spec.argv;

		s->spec.argv = copy;
		copy = old;
	}
	for (char **p = copy; p && *p; p++)
		free(*p);
	free(copy);
	return n == argc ? 0 : -1;
}

/* Settings that somebody keeps a copy of. */
static void apply(struct session *s)
{
	static const char *const words[] = { "ERR", "WARN", "ALL" };
	const char *verbose = settings_text(s->set, "VERBOSE");

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], verbose))
			out_set_verbose(s->out, (enum out_verbose)i);
	s->spec.on_exit_run = !strcmp(settings_text(s->set, "ON_EXIT"), "run");
}

int shell_set(struct session *s, const char *name, const char *value, struct err *err)
{
	if (checker_allows(s->checker, name, value, err) ||
	    settings_set(s->set, name, value, err))
		return -1;
	apply(s);
	return checker_changed(s->checker, err);
}

int shell_unset(struct session *s, const char *name, struct err *err)
{
	if (checker_allows(s->checker, name, NULL, err) || settings_unset(s->set, name, err))
		return -1;
	apply(s);
	return checker_changed(s->checker, err);
}

/* Ranks that are inside MPI_Init or MPI_Finalize, as far as is seen. */
static int waiting(void *arg, struct rankset *out, struct err *err)
{
	return ask_waiting(arg, out, err);
}

struct focus_env shell_sets(struct session *s)
{
	return (struct focus_env){ .job = s->job,
				   .program = s->spec.argv ? s->spec.argv[0] : NULL,
				   .waiting = waiting,
				   .arg = s };
}

int shell_eval(struct session *s, const char *text, struct rankset *out, struct err *err)
{
	struct focus_env env = shell_sets(s);
	const char *checks = settings_text(s->set, "ERROR_CHECKS");
	bool repeated = false;

	if (focus_eval(s->shell->focus, text, &env, out, &repeated, err))
		return -1;
	if (!repeated || !strcmp(checks, "MIN"))
		return 0;
	if (!strcmp(checks, "MAX"))
		return err_set(err, "[%s] has a member more than once", text);
	out_warning(s->out, "[%s] has a member more than once", text);
	return 0;
}

bool shell_place(struct session *s, char *file, size_t size, uint32_t *line)
{
	const struct differ *stops = s->job ? job_stops(s->job) : NULL;

	for (size_t i = 0; stops && i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (report_stop_get(&r, &b) || r.frame.kind >= CONSTRUCT_KINDS)
			continue;
		symbols_resolve(s->symbols, &r.frame.place);
		if (!*r.frame.place.file || !r.frame.place.line)
			continue;
		snprintf(file, size, "%s", r.frame.place.file);
		*line = r.frame.place.line;
		return true;
	}
	return false;
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
	sh->file = strdup(file);
	sh->line = line;
}

void shell_keep_result(struct session *s)
{
	const struct differ *exits = s->job ? job_exits(s->job) : NULL;

	for (size_t i = 0; exits && i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (report_exit_get(&r, &b) || r.released)
			continue;
		if (r.how != EXIT_CODE || r.code)
			s->shell->failed_program = true;
	}
	if (s->job && job_set(s->job, JOB_LOST)->n)
		s->shell->failed_program = true;
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

/* The constructs that have been passed in the file ("": anywhere), newest first. */
static json_t *known_places(struct session *s, const char *file)
{
	struct msg_query q = { .kind = QUERY_POINTS, .n = POINTS_ASKED, .rank = UINT32_MAX };
	struct differ answers = { 0 };
	json_t *known = json_array();

	if (!ask(s, &q, job_set(s->job, JOB_ALL), &answers, NULL, NULL)) {
		for (size_t i = 0; i < answers.n; i++) {
			struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
			uint32_t n = buf_get_u32(&b);
			struct report_point r;

			for (uint32_t k = 0; k < n && !b.bad; k++) {
				report_point_get(&r, &b);
				if (!b.bad)
					add_place(known, s, &r, file);
			}
		}
	}
	differ_clear(&answers);
	return known;
}

/* Why an actionpoint may not have been reached. */
static json_t *unreached(struct session *s, const struct actionpoint *ap)
{
	json_t *known = NULL;
	char text[400] = "";

	if (ap->rule.kind == RULE_LINE) {
		known = known_places(s, ap->rule.file);
		if (json_array_size(known)) {
			snprintf(text, sizeof(text),
				 "numbered constructs met in %s:", ap->rule.file);
		} else {
			json_decref(known);
			known = known_places(s, "");
			snprintf(text, sizeof(text),
				 json_array_size(known)
					 ? "no numbered construct was met in %s, elsewhere:"
					 : "no numbered construct was met in %s",
				 ap->rule.file);
		}
	} else if (ap->rule.kind == RULE_NAME) {
		snprintf(text, sizeof(text),
			 "no function or construct that announces itself is called %s",
			 ap->rule.file);
	} else if (ap->rule.count > 1) {
		snprintf(text, sizeof(text), "it stops at every %u hits", ap->rule.count);
	}
	return json_pack("{s:s s:I s:o s:o s:o}", "type", "unreached", "id",
			 (json_int_t)ap->rule.id, "location", out_json_text(ap->text), "text",
			 out_json_text(text), "known", known ? known : json_array());
}

void shell_tell_unreached(struct session *s)
{
	if (!s->job || !job_over(s->job))
		return;
	for (size_t i = 0; i < actionpoints_count(s->acts); i++) {
		const struct actionpoint *ap = actionpoints_at(s->acts, i);

		if (ap->enabled && !ap->run_hits)
			out_answer(s->out, unreached(s, ap));
	}
}
