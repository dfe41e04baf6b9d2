/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports where the members of a logical process are: answers of the types stop, exit, waiting,
 * over.
 */
#include "frontend/session/session.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "frontend/model/actionpoints.h"
#include "frontend/action/action.h"
#include "frontend/model/merge_equal.h"
#include "frontend/model/ask.h"
#include "frontend/native/native.h"
#include "frontend/output/outcome.h"
#include "frontend/verify/verify.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define STATUS_MS 1500

/* What is reported of one stop: equal answers once, and not more lines than a screen has. */
struct show {
	struct merge_equal equal;
	size_t room; /* lines that are left */
};

/* Lines of an answer's text. */
static size_t lines_of(const json_t *answer)
{
	size_t frames = json_array_size(json_object_get(answer, "stack"));
	const json_t *at = json_object_get(answer, "at");

	return (frames > 1 ? frames : 1) + (at != NULL) + (json_object_get(at, "message") != NULL);
}

/* Prints and empties the list, as far as there is room; at least one. */
static void show_all(struct session *s, struct show *sh)
{
	struct merge_equal *l = &sh->equal;
	size_t shown = 0;

	merge_equal_sort(l);
	for (; shown < l->n; shown++) {
		struct merge_equal_group *g = &l->group[shown];
		size_t lines = lines_of(g->answer);

		if (shown && lines > sh->room && !out_is_json(s->out))
			break;
		sh->room -= lines < sh->room ? lines : sh->room;
		json_object_set_new(g->answer, "ranks", ask_ranks(&g->ranks));
		if (g->least >= 0)
			json_object_set_new(g->answer, "seconds", json_integer(g->least));
		out_answer(s->out, g->answer);
		g->answer = NULL;
	}
	if (shown < l->n)
		out_answer(s->out,
			   json_pack("{s:s s:o}", "type", "note", "text",
				     json_sprintf("... %zu more groups of ranks: status -all",
						  l->n - shown)));
	merge_equal_clear(l);
}

static void put_text(json_t *o, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(o, key, out_json_text(text));
}

/* "none": the program has no points that it could come to. */
static void put_point(const struct session *s, json_t *o, const struct point *p)
{
	char text[POINT_TEXT];

	if (p->main)
		put_text(o, "point", point_format(p, text));
	else if (!job_annotated(s->job) && !s->spec.points)
		put_text(o, "point", "none");
}

static void put_signal(json_t *o, int sig)
{
	char text[32];
	const char *name = sigabbrev_np(sig);

	if (name)
		snprintf(text, sizeof(text), "SIG%s", name);
	else
		snprintf(text, sizeof(text), "signal %d", sig);
	put_text(o, "signal", text);
}

/* construct, name, file, path, line, iteration, ending; nothing when there is no frame. */
static void put_frame(struct session *s, json_t *o, const struct report_frame *f)
{
	struct place p = f->place;
	const char *slash;

	if (f->kind >= CONSTRUCT_KINDS)
		return;
	symbols_resolve(s->symbols, &p);
	put_text(o, "construct", construct_words(f->kind));
	put_text(o, "name", p.func);
	slash = p.file ? strrchr(p.file, '/') : NULL;
	put_text(o, "file", slash ? slash + 1 : p.file);
	put_text(o, "path", p.file);
	if (p.line)
		json_object_set_new(o, "line", json_integer(p.line));
	ask_put_iteration(o, f);
	if (f->ending)
		json_object_set_new(o, "ending", json_true());
}

static const char *reason_words(unsigned reason)
{
	static const char *const words[] = {
#define X(name, text) text,
		STOP_REASON_LIST(X)
#undef X
	};

	return reason < STOP_REASONS ? words[reason] : "?";
}

static json_t *stop_answer(struct session *s, const struct report_stop *r,
			   const struct rankset *ranks)
{
	json_t *o = json_object();

	put_text(o, "type", "stop");
	put_text(o, "reason", reason_words(r->reason));
	put_point(s, o, &r->point);
	put_frame(s, o, &r->frame);
	if (r->nact) {
		json_t *acts = json_array();

		for (unsigned i = 0; i < r->nact; i++)
			if (r->act[i] != CHECKER_RULE_ID &&
			    action_shows(s->action, r->act[i], ranks))
				json_array_append_new(acts, json_integer(r->act[i]));
		json_object_set_new(o, "actionpoints", acts);
	}
	if (r->reason == STOP_SIGNAL)
		put_signal(o, r->code);
	if (stop_is_end(r->reason))
		json_object_set_new(o, "code", json_integer(r->code));
	action_write_put(s, r, o);
	if (r->reason == STOP_MISMATCH)
		put_text(o, "text",
			 s->stop_words ? s->stop_words : checker_mismatch_words(s->checker));
	return o;
}

/* Counts each actionpoint once that some of the shown groups have stopped at. */
static void count_hits(struct session *s, const struct show *sh)
{
	json_t *seen = json_object();

	for (size_t i = 0; i < sh->equal.n; i++) {
		const json_t *acts = json_object_get(sh->equal.group[i].answer, "actionpoints");

		for (size_t k = 0; k < json_array_size(acts); k++) {
			json_int_t id = json_integer_value(json_array_get(acts, k));
			char key[24];

			snprintf(key, sizeof(key), "%lld", (long long)id);
			if (json_object_get(seen, key))
				continue;
			json_object_set_new(seen, key, json_true());
			actionpoints_hit(s->acts, (uint32_t)id);
		}
	}
	json_decref(seen);
}

/* Those that a barrier holds apart from the others. */
static void add_stop(struct session *s, struct show *sh, const struct report_stop *r,
		     struct rankset *part)
{
	struct rankset held = { 0 };

	xrankset_copy(&held, part);
	xrankset_intersect(&held, action_held(s->action));
	if (held.n) {
		json_t *o = stop_answer(s, r, &held);

		json_object_set_new(o, "held", json_true());
		merge_equal_add(&sh->equal, o, &held, -1);
		xrankset_remove_set(part, &held);
	}
	if (part->n)
		merge_equal_add(&sh->equal, stop_answer(s, r, part), part, -1);
	rankset_clear(&held);
}

static bool is_crash(const struct report_stop *r)
{
	return stop_is_end(r->reason);
}

/* Those of who that stand so. */
static void find_stops(struct session *s, const struct rankset *who,
		       bool (*is)(const struct report_stop *r), struct rankset *out)
{
	const struct groups *stops = job_stops(s->job);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!report_stop_get(&r, &b) && is(&r))
			xrankset_add_set(out, &stops->group[i].ranks);
	}
	xrankset_intersect(out, who);
}

/* Where in the source it stands: the user's line, what that has called, and what is near the
 * address. r: NULL, it has called exit there. */
static void put_at(json_t *o, const struct report_stop *r, const struct native_stack *st)
{
	const struct native_frame *library, *f = native_user_frame(st, &library);
	json_t *at = json_object();
	char text[32];

	if (f) {
		put_text(at, "function", f->func);
		put_text(at, "file", f->file);
		if (f->line)
			json_object_set_new(at, "line", json_integer(f->line));
	}
	if (library)
		put_text(at, "calls", library->func);
	if (r && st->placed) {
		snprintf(text, sizeof(text), "0x%" PRIx64, r->fault);
		put_text(at, "address", text);
	}
	put_text(at, "near", st->near);
	put_text(at, "cause", st->cause);
	put_text(at, "message", st->message);
	json_object_set_new(o, "at", at);
}

/* In which part of an MPI program's life it ended; "" where that says nothing. */
static const char *mpi_words(const struct session *s, const struct report_exit *r)
{
	if (r->aborted)
		return "";
	switch (r->mpi) {
	case MPI_STATE_NONE:
		return job_needs_mpi(s->job) ? "before MPI_Init" : "";
	case MPI_STATE_IN_INIT:
		return "inside MPI_Init";
	case MPI_STATE_UP:
		return r->how == EXIT_CODE ? "without MPI_Finalize" : "";
	case MPI_STATE_IN_FINALIZE:
		return "inside MPI_Finalize";
	}
	return "";
}

static json_t *exit_answer(struct session *s, const struct report_exit *r)
{
	static const char *const how[] = { "exited", "killed", "not started", "ended" };
	json_t *o = json_object(), *stack = json_array();

	put_text(o, "type", "exit");
	put_text(o, "how", r->how <= EXIT_UNKNOWN ? how[r->how] : "?");
	if (r->how != EXIT_UNKNOWN)
		json_object_set_new(o, "code", json_integer(r->code));
	if (r->how == EXIT_SIGNAL) {
		put_signal(o, r->code);
		json_object_set_new(o, "core", json_boolean(r->core));
	}
	if (r->how == EXIT_NOEXEC)
		put_text(o, "text", strerror(r->code));
	else if (!r->released && r->how != EXIT_UNKNOWN)
		put_text(o, "mpi", mpi_words(s, r));
	if (r->released)
		json_object_set_new(o, "released", json_true());
	if (r->no_memory)
		json_object_set_new(o, "no_memory", json_true());
	put_point(s, o, &r->point);
	for (uint32_t i = 0; i < r->stack.n; i++) {
		json_t *frame = json_object();

		ask_put_frame(s, frame, &r->stack.frame[i]);
		json_array_append_new(stack, frame);
	}
	json_object_set_new(o, "stack", stack);
	if (r->aborted)
		json_object_set_new(o, "abort", json_integer(r->abort_code));
	return o;
}

/* A rank has failed, or has left others that wait for it. */
static bool is_failure(const struct report_exit *r)
{
	return !r->released && (r->how == EXIT_SIGNAL || (r->how == EXIT_CODE &&
							   (r->code || r->mpi == MPI_STATE_UP)));
}

/* Takes those that have called exit somewhere out of part, and adds them with where that was. */
static void add_left(struct session *s, struct show *sh, const struct report_exit *r,
		     struct rankset *part)
{
	struct native_stacks x = { 0 };

	if (r->how == EXIT_CODE && r->mpi == MPI_STATE_UP)
		native_ask(s, part, 0, &x, NULL);
	for (size_t i = 0; i < x.n; i++) {
		struct rankset of = { 0 };

		xrankset_copy(&of, &x.stack[i].ranks);
		xrankset_intersect(&of, part);
		if (of.n && !x.stack[i].why && x.stack[i].state == NATIVE_LEFT &&
		    native_user_frame(&x.stack[i], NULL)) {
			json_t *o = exit_answer(s, r);

			put_at(o, NULL, &x.stack[i]);
			merge_equal_add(&sh->equal, o, &of, -1);
			xrankset_remove_set(part, &of);
		}
		rankset_clear(&of);
	}
	native_clear(&x);
}

/* Takes those that have a native stack out of part, and adds them with where they stand. */
static void add_anywhere(struct session *s, struct show *sh, const struct report_stop *r,
			const struct native_stacks *x, struct rankset *part)
{
	for (size_t i = 0; i < x->n; i++) {
		struct rankset of = { 0 };

		xrankset_copy(&of, &x->stack[i].ranks);
		xrankset_intersect(&of, part);
		if (of.n && !x->stack[i].why) {
			json_t *o = stop_answer(s, r, &of);

			put_at(o, r, &x->stack[i]);
			merge_equal_add(&sh->equal, o, &of, -1);
			xrankset_remove_set(part, &of);
		}
		rankset_clear(&of);
	}
}

/* The calls that all are in that are there, once when ranks have crashed or left. */
static void show_calls(struct session *s, const struct rankset *crashed)
{
	struct rankset all = { 0 };
	struct native_stacks x;

	if (!crashed->n || rankset_covers(&s->crashed, crashed))
		return;
	xrankset_add_set(&s->crashed, crashed);
	xrankset_copy(&all, job_set(s->job, JOB_STOPPED));
	xrankset_add_set(&all, job_set(s->job, JOB_RUNNING));
	if (!native_ask(s, &all, 0, &x, NULL))
		out_answer(s->out, native_answer(&x));
	native_clear(&x);
	rankset_clear(&all);
}

/* Adds those that have failed and ended, when others are there. */
static void find_failed(struct session *s, const struct rankset *who, struct rankset *out)
{
	const struct groups *exits = job_exits(s->job);
	struct rankset failed = { 0 };
	struct report_exit *r = xcalloc(1, sizeof(*r));

	for (size_t i = 0; i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);

		if (!report_exit_get(r, &b) && is_failure(r))
			xrankset_add_set(&failed, &exits->group[i].ranks);
	}
	xrankset_intersect(&failed, who);
	if (job_set(s->job, JOB_RUNNING)->n || job_set(s->job, JOB_STOPPED)->n)
		xrankset_add_set(out, &failed);
	rankset_clear(&failed);
	free(r);
}

static void show_stops(struct session *s, const struct rankset *who, struct show *sh)
{
	const struct groups *stops = job_stops(s->job);
	struct native_stacks x = { 0 };
	struct rankset crashed = { 0 }, anywhere = { 0 };

	find_stops(s, who, is_crash, &crashed);
	find_stops(s, who, session_at_no_mark, &anywhere);
	if (anywhere.n)
		native_ask(s, &anywhere, 0, &x, NULL);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct rankset part = { 0 };
		struct report_stop r;

		xrankset_copy(&part, &stops->group[i].ranks);
		xrankset_intersect(&part, who);
		if (part.n && report_stop_get(&r, &b) == 0) {
			if (session_at_no_mark(&r))
				add_anywhere(s, sh, &r, &x, &part);
			add_stop(s, sh, &r, &part);
			/* The program has failed, even if it never comes to its end. */
			if (is_crash(&r))
				outcome_add(s->outcome, OUTCOME_FAILED);
		}
		rankset_clear(&part);
	}
	count_hits(s, sh);
	show_all(s, sh);
	find_failed(s, who, &crashed);
	show_calls(s, &crashed);
	native_clear(&x);
	rankset_clear(&crashed);
	rankset_clear(&anywhere);
}

/* Reports ends that were not reported before. True when all of the job's were with code 0. */
static bool show_exits(struct session *s, const struct rankset *who, bool over, struct show *sh)
{
	const struct groups *exits = job_exits(s->job);
	bool clean = job_set(s->job, JOB_BAD)->n == 0;

	for (size_t i = 0; i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct rankset part = { 0 };
		struct report_exit r;

		if (report_exit_get(&r, &b) < 0)
			continue;
		clean = clean && r.how == EXIT_CODE && r.code == 0;
		xrankset_copy(&part, &exits->group[i].ranks);
		xrankset_intersect(&part, who);
		xrankset_remove_set(&part, &s->reported);
		xrankset_add_set(&s->reported, &part);
		if (part.n)
			add_left(s, sh, &r, &part);
		if (part.n)
			merge_equal_add(&sh->equal, exit_answer(s, &r), &part, -1);
		rankset_clear(&part);
	}
	if (over && clean) {
		merge_equal_clear(&sh->equal);
		return true;
	}
	show_all(s, sh);
	return clean;
}

static json_t *status_answer(struct session *s, const struct report_status *r)
{
	json_t *o = json_object();

	put_text(o, "type", "waiting");
	put_text(o, "state", rank_state_words(r->state));
	put_point(s, o, &r->point);
	put_frame(s, o, &r->frame);
	if (r->mpi == MPI_STATE_IN_INIT)
		put_text(o, "mpi", "inside MPI_Init");
	else if (r->mpi == MPI_STATE_IN_FINALIZE)
		put_text(o, "mpi", "inside MPI_Finalize");
	else if (r->mpi == MPI_STATE_NONE && job_needs_mpi(s->job))
		put_text(o, "mpi", "before MPI_Init");
	return o;
}

static void show_words(struct session *s, const struct rankset *ranks, const char *state)
{
	json_t *o = json_object();

	put_text(o, "type", "waiting");
	put_text(o, "state", state);
	json_object_set_new(o, "ranks", ask_ranks(ranks));
	out_answer(s->out, o);
}

/* Asks those that have not arrived where they are. */
static void show_running(struct session *s, const struct rankset *who, struct show *sh)
{
	struct msg_query q = { .kind = QUERY_STATUS };
	struct rankset ranks = { 0 }, silent = { 0 };
	struct groups answers = { 0 };

	xrankset_copy(&ranks, who);
	xrankset_intersect(&ranks, job_set(s->job, JOB_RUNNING));
	if (ranks.n && job_query(s->job, &q, &ranks, STATUS_MS, &answers, &silent, NULL) == 0) {
		for (size_t i = 0; i < answers.n; i++) {
			struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
			struct report_status r;

			if (report_status_get(&r, &b) == 0)
				merge_equal_add(&sh->equal, status_answer(s, &r),
						&answers.group[i].ranks, r.seconds);
		}
	}
	/* Some may have stopped since they were asked for; these are reported as what they are
	 * now. */
	xrankset_intersect(&silent, job_set(s->job, JOB_RUNNING));
	show_all(s, sh);
	if (silent.n)
		show_words(s, &silent, "running, does not answer");
	rankset_clear(&ranks);
	rankset_clear(&silent);
	groups_clear(&answers);
}

void session_show_stop(struct session *s, const struct rankset *who, enum stop_verdict verdict)
{
	struct rankset absent = { 0 };
	/* beside the groups there are lines for what is over, silent, absent */
	struct show sh = { .room = out_room() > 6 ? out_room() - 4 : 2 };
	bool clean;

	checker_report_traces(s->checker);
	clean = show_exits(s, who, verdict == VERDICT_OVER, &sh);
	if (verdict == VERDICT_OVER) {
		json_t *o = json_object();

		put_text(o, "type", "over");
		put_text(o, "text",
			 clean ? "All ranks have exited with code 0." : "All ranks have ended.");
		out_answer(s->out, o);
		return;
	}
	show_stops(s, who, &sh);
	show_running(s, who, &sh);
	if (verdict == VERDICT_PARTIAL && !rankset_meets(who, job_set(s->job, JOB_STOPPED)) &&
	    job_set(s->job, JOB_EXITED)->n)
		outcome_add(s->outcome, OUTCOME_FAILED); /* they wait for those that are gone */
	xrankset_copy(&absent, who);
	xrankset_intersect(&absent, job_set(s->job, JOB_ABSENT));
	if (absent.n)
		show_words(s, &absent, "unknown");
	rankset_clear(&absent);
	log_debug("stop", "gen %u shown, %llu bytes", job_gen(s->job),
		  (unsigned long long)job_bytes_in(s->job));
}
