/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/session/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/hang/hang.h"
#include "frontend/match/match.h"
#include "frontend/launch/launch.h"
#include "frontend/marks/marks.h"
#include "frontend/model/actionpoints.h"
#include "frontend/action/action.h"
#include "frontend/verify/verify.h"
#include "frontend/model/error_file.h"
#include "frontend/model/findings.h"
#include "frontend/output/merged.h"
#include "frontend/output/outcome.h"
#include "frontend/util/loop.h"
#include "frontend/util/private_dir.h"
#include "frontend/output/output.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/words.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define FINDING_MS 60 /* of a finding for the same of other ranks */

static void on_output(void *arg, int stream, const char *text, size_t len)
{
	struct session *s = arg;

	s->output_at = loop_now();
	if (stream == 1)
		checker_take_output(s->checker, text, len);
	out_program(s->out, stream, text, len);
}

static void on_line(void *arg, int stream, const char *text, size_t len)
{
	struct session *s = arg;

	if (stream == 1)
		checker_take_output(s->checker, text, len);
	out_program_logged(s->out, text, len);
}

static void on_lines(void *arg, const struct rankset *ranks, int stream, const char *text,
		     size_t len)
{
	struct session *s = arg;
	char label[60];

	out_program_of(s->out, rankset_format(ranks, label, sizeof(label)), stream, text, len);
}

/* Shows findings that wait for other ranks. */
static void show_awaiting(struct session *s)
{
	size_t n = s->nawaiting;

	if (s->flushing)
		return;
	s->flushing = true;
	for (size_t i = 0; i < n; i++)
		error_file_report(s, findings_get(s->findings, s->awaiting[i]));
	s->nawaiting = 0;
	s->flushing = false;
}

static void on_time(void *arg)
{
	show_awaiting(arg);
}

/* Before anything else is printed. */
static void flush_output(void *arg)
{
	struct session *s = arg;

	if (s->merged)
		merged_flush(s->merged);
	show_awaiting(s);
}

/* Of ranks: merged into lines, unless files or the user want it as it comes. */
static void on_printed(void *arg, const struct rankset *ranks, int stream, const char *text,
		       size_t len)
{
	struct session *s = arg;
	const struct merged_watch watch = { s, on_line, on_lines };

	s->output_at = loop_now();
	if (!s->job || out_redirects(s->out, stream) || !settings_is(s->set, "OUTPUT", "merged")) {
		for (uint64_t n = rankset_count(ranks); n; n--)
			on_output(s, stream, text, len);
		return;
	}
	if (!s->merged) {
		s->merged = merged_create(s->loop, &watch);
		out_set_ahead(s->out, flush_output, s);
	}
	merged_take(s->merged, ranks, (size_t)job_size(s->job), stream, text, len);
}

static bool is_misuse(unsigned kind)
{
	return kind == FINDING_COLLECTIVE || kind == FINDING_MESSAGE || kind == FINDING_MISUSE ||
	       kind == FINDING_REQUEST || kind == FINDING_ONESIDED || kind == FINDING_LEAK ||
	       kind == FINDING_BUFFER || kind == FINDING_UNRECEIVED || kind == FINDING_CONFLICT;
}

/* What dvmdbg itself has missed is no finding; what it was not told right it cannot compare. */
static void keep_outcome(struct session *s, const struct report_finding *f)
{
	const char *detail = f->detail ? f->detail : "";

	if (f->kind == FINDING_ORDER || f->kind == FINDING_UNFINALIZED)
		return; /* of the second, shell_keep_result knows what it is */
	if (f->kind == FINDING_MPI) {
		outcome_add(s->outcome, OUTCOME_FAILED);
		return;
	}
	if (is_misuse(f->kind))
		outcome_add(s->outcome, OUTCOME_MISUSE);
	else if (f->kind == FINDING_ACCESS && s->marks_file && strstr(detail, "construct names"))
		; /* a mark beside the source is not the program's */
	else if (f->kind != FINDING_PARTIAL)
		outcome_add(s->outcome, OUTCOME_FINDINGS);
	if (f->kind == FINDING_PARTIAL || f->kind == FINDING_REGISTER ||
	    f->kind == FINDING_ACCESS || f->kind == FINDING_MEMORY)
		outcome_incomplete(s->outcome, "%s%s%s", finding_kind_text(f->kind),
				   *detail ? ": " : "", detail);
}

static void on_finding(void *arg, const struct rankset *ranks, const struct report_finding *f)
{
	struct session *s = arg;
	struct report_finding r = *f;
	char where[512], detail[1024];
	bool leaks = settings_is(s->set, "LEAKS", "ON");

	if (f->kind >= FINDING_KINDS) {
		if (!session_stored_wrong(s->symbols, f, where, sizeof(where), detail,
					  sizeof(detail)))
			return;
		r.kind = FINDING_REGISTER;
		r.detail = detail;
	} else {
		symbols_resolve(s->symbols, &r.place);
		symbols_text(s->symbols, &r.place, where, sizeof(where));
	}
	findings_show_leaks(s->findings, leaks);
	if (!findings_add(s->findings, ranks, &r, where) || (r.kind == FINDING_LEAK && !leaks))
		return;
	keep_outcome(s, &r);
	*xvec_add(s->awaiting, s->nawaiting) = findings_count(s->findings);
	out_set_ahead(s->out, flush_output, s);
	if (s->nawaiting == 1)
		loop_at(s->loop, loop_now() + FINDING_MS, on_time, s);
}

void session_match(struct session *s)
{
	match_check(s, on_finding, s);
}

static void on_notice(void *arg, const char *text)
{
	struct session *s = arg;

	out_warning(s->out, "%s", text);
}

static void on_sums(void *arg, struct point_sums *t, const struct rankset *missing)
{
	struct session *s = arg;

	checker_take(s->checker, t, missing);
}

static void on_trace(void *arg, const struct rankset *ranks, const struct report_trace *r)
{
	struct session *s = arg;

	checker_take_trace(s->checker, ranks, r);
}

static void on_found(void *arg, struct trace_findings *l)
{
	struct session *s = arg;

	checker_take_found(s->checker, l);
}

static void on_cover(void *arg, struct cover *cover)
{
	struct session *s = arg;

	checker_take_cover(s->checker, cover);
}

static void on_reduced(void *arg, struct reduction *r)
{
	struct session *s = arg;

	checker_take_reduced(s->checker, r);
}

static void on_stopped(void *arg)
{
	struct session *s = arg;

	action_settle(s->action);
}

static void on_going(void *arg, const struct rankset *who)
{
	struct session *s = arg;

	action_going(s->action, who);
	if (s->job && s->rules_dirty)
		action_send_now(s);
}

static const char *on_place(void *arg, const struct place *p, char *out, size_t size)
{
	struct session *s = arg;

	return symbols_text(s->symbols, p, out, (unsigned)size);
}

struct session *session_create(struct loop *loop, struct out *out)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->loop = loop;
	s->out = out;
	s->focus = xstrdup("all");
	s->set = settings_create();
	s->acts = actionpoints_create();
	s->findings = findings_create();
	s->outcome = outcome_create();
	s->symbols = symbols_create();
	s->checker = checker_create(s);
	s->levels = levels_create();
	return s;
}

/* Ends the job; lets its program run on if the user wants that and it still runs. */
static void end_job(struct session *s, bool may_run_on)
{
	struct job *j = s->job;

	show_awaiting(s);
	loop_cancel(s->loop, on_time, s);
	out_set_ahead(s->out, NULL, NULL);
	merged_destroy(s->merged);
	s->merged = NULL;
	if (j)
		checker_over(s->checker);
	s->job = NULL;
	if (j && may_run_on && !job_attached(j) && !job_over(j) &&
	    settings_is(s->set, "ON_EXIT", "run"))
		job_detach(j, NULL);
	job_destroy(j);
	action_destroy(s->action);
	s->action = NULL;
	hang_watch_reset(s);
	s->rules_dirty = false;
	s->shift_shown = false;
	for (size_t i = 0; i < SESSION_HOOKS && s->hooks[i]; i++)
		if (s->hooks[i]->over)
			s->hooks[i]->over(s);
	rankset_clear(&s->crashed);
	rankset_clear(&s->reported);
	rankset_clear(&s->bad);
}

void session_unload(struct session *s)
{
	end_job(s, false);
}

void session_keep_nothing(struct session *s)
{
	struct session_kept *k = &s->kept;

	if (k->dir) {
		private_dir_scratch_remove(k->dir);
		close(k->lock);
	}
	free(k->dir);
	free(k->name);
	free(k->file);
	*k = (struct session_kept){ .number = k->number };
}

void session_destroy(struct session *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < SESSION_HOOKS && s->hooks[i]; i++)
		if (s->hooks[i]->closing)
			s->hooks[i]->closing(s);
	if (s->set)
		end_job(s, true);
	for (size_t i = 0; i < SESSION_HOOKS && s->hooks[i]; i++)
		if (s->hooks[i]->closed)
			s->hooks[i]->closed(s);
	words_list_free(s->spec.argv);
	free((char *)s->spec.launcher);
	free((char *)s->spec.transport);
	free((char *)s->spec.input);
	free((char *)s->spec.order_keep);
	free((char *)s->spec.order_follow);
	free((void *)s->spec.marks);
	free(s->marks_file);
	free(s->marks_id);
	session_keep_nothing(s);
	checker_destroy(s->checker);
	settings_destroy(s->set);
	actionpoints_destroy(s->acts);
	findings_destroy(s->findings);
	outcome_destroy(s->outcome);
	levels_destroy(s->levels);
	symbols_destroy(s->symbols);
	free(s->focus);
	free(s->awaiting);
	free(s);
}

/* Without a launcher of the user's the number of ranks is 1 unless given. */
static bool is_one_rank(const struct job_spec *spec)
{
	return spec->n == 1 || (!spec->n && !spec->launcher);
}

static void add_library(void *to, const char *path)
{
	mark_name_add(to, path);
}

/* Compiles the marks beside the source for the program as it is now. */
static int load_marks(struct session *s, struct err *err)
{
	struct program p = { 0 };
	struct mark_names libraries = { 0 };
	void *code = NULL;
	char *left = NULL;
	size_t n = 0;
	int rc;

	free((void *)s->spec.marks);
	free(s->marks_id);
	s->marks_id = NULL;
	s->spec.marks = NULL;
	s->spec.nmarks = 0;
	if (!s->marks_file || s->spec.attach || !s->spec.argv || !s->spec.argv[0])
		return 0;
	rc = program_open(&p, s->spec.argv[0], err);
	if (!rc) {
		program_libraries(p.path, add_library, &libraries);
		rc = marks_load(s->marks_file, p.path, &libraries, &code, &n, &s->marks_id, &left,
				err);
		mark_names_clear(&libraries);
	}
	if (left) {
		out_warning(s->out, "%s: %s", s->marks_file, left);
		outcome_incomplete(s->outcome, "%s: %s", s->marks_file, left);
	}
	free(left);
	program_clear(&p);
	s->spec.marks = code;
	s->spec.nmarks = n;
	return rc;
}

static void warn_unannotated(struct session *s)
{
	if (job_attached(s->job) || job_annotated(s->job) || job_script(s->job))
		return;
	if (s->spec.points)
		out_warning(s->out,
			    "%s is not annotated (it does not use dvmdbg.h): its points are the "
			    "%s, and there are no arrays",
			    s->spec.argv[0],
			    s->spec.points == POINT_KIND_MPI ?
				    "collective calls on MPI_COMM_WORLD" :
				    "parallel regions of OpenMP");
	else
		out_warning(s->out,
			    "%s is not annotated (it does not use dvmdbg.h): there are no points "
			    "and arrays; where shows the calls that ranks are in, halt stops "
			    "them; set POINTS marks,mpi makes points of collective calls, "
			    "marks,omp of parallel regions of OpenMP",
			    s->spec.argv[0]);
}

int session_load(struct session *s, struct err *err)
{
	const struct job_watch watch = {
		.arg = s,
		.output = on_output,
		.printed = on_printed,
		.finding = on_finding,
		.notice = on_notice,
		.sums = on_sums,
		.trace = on_trace,
		.found = on_found,
		.cover = on_cover,
		.reduced = on_reduced,
		.stopped = on_stopped,
		.going = on_going,
		.place = on_place,
	};
	int rc;

	end_job(s, false);
	findings_new_run(s->findings);
	error_file_new_run(s);
	actionpoints_new_run(s->acts);
	s->spec.points = shell_points(s);
	s->spec.on_exit_run = settings_is(s->set, "ON_EXIT", "run");
	s->spec.fpe = (uint8_t)settings_choices_set(s->set, "FPE");
	s->spec.synchronous = settings_is(s->set, "SENDS", "synchronous");
	/* a file gets it from the launcher, as without us */
	s->spec.labelled = s->interactive && out_merges(s->out) && !out_redirects(s->out, 1) &&
			   settings_is(s->set, "OUTPUT", "merged") &&
			   !is_one_rank(&s->spec);
	checker_order_spec(s->checker, &s->spec);
	if (load_marks(s, err))
		return -1;
	s->job = job_start(&s->spec, s->loop, &watch,
			   (int)settings_number(s->set, "START_TIMER") * 1000, err);
	if (!s->job)
		return -1;
	s->action = action_create(s);
	s->expressions = session_scope;
	s->watched = session_watched;
	warn_unannotated(s);
	for (size_t i = 0; i < SESSION_HOOKS && s->hooks[i]; i++)
		if (s->hooks[i]->loading)
			s->hooks[i]->loading(s);
	rc = checker_begin(s->checker, err);
	for (size_t i = 0; !rc && i < SESSION_HOOKS && s->hooks[i]; i++)
		if (s->hooks[i]->loaded)
			rc = s->hooks[i]->loaded(s, err);
	if (rc) {
		end_job(s, false);
		return -1;
	}
	action_send(s);
	return 0;
}

int session_attach(struct session *s, const struct processes *p, struct err *err)
{
	int rc;

	shell_set_argv(s, p->argv, p->argc);
	s->spec.n = (int)p->size;
	s->spec.attach = p;
	rc = session_load(s, err);
	s->spec.attach = NULL;
	s->shell->level = 0;
	return rc;
}

int session_reload(struct session *s, struct err *err)
{
	return session_load(s, err);
}
