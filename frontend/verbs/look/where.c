/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs that show where ranks are: where up down status. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/core/buf.h"
#include "common/core/parse.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/stack_merge.h"
#include "frontend/action/action.h"
#include "frontend/gdb/gdb.h"
#include "frontend/model/merge_equal.h"
#include "frontend/hang/hang.h"
#include "frontend/model/ask.h"
#include "frontend/cmd/cmd.h"
#include "frontend/native/native.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* A number as the only word; fallback when there is none; -1 and err. */
static long number_arg(const struct cmd_call *call, const char *verb, long fallback,
		       struct err *err)
{
	long n;

	if (!call->argc)
		return fallback;
	if (call->argc > 1 || parse_int(call->argv[0], 1, 1000000, &n))
		return err_set_code(err, ERR_NUMBER,
				    "%s '%s': one number from 1 to 1000000 is allowed", verb,
				    call->rest);
	return n;
}

enum { WHERE_ALL, WHERE_ARGS, WHERE_NATIVE, WHERE_LOGICAL, WHERE_THREADS };

/* The set of an answer, "[0:3]"; false: it is none. */
static bool ranks_of(const json_t *o, struct rankset *out)
{
	const char *text = out_str(o, "ranks");
	char *bare = strlen(text) > 2 ? xstrndup(text + 1, strlen(text) - 2) : NULL;
	bool ok = bare && !rankset_parse(out, bare, NULL);

	free(bare);
	return ok;
}

/* Both stacks of who as one; those that live and whose calls are not known go to *lacking (owned,
 * may be NULL). */
static struct stack_merge *ask_joined(struct session *s, const struct rankset *who,
				      struct groups *answers, struct rankset *silent,
				      json_t **lacking, struct err *err)
{
	struct rankset alive = { 0 }, of = { 0 };
	struct stack_merge *stack = stack_answer_joined(s, who, answers, silent, lacking, err);

	xrankset_copy(&alive, job_set(s->job, JOB_RUNNING));
	xrankset_add_set(&alive, job_set(s->job, JOB_STOPPED));
	for (size_t i = json_array_size(*lacking); i-- > 0;) {
		const json_t *l = json_array_get(*lacking, i);

		/* of those that have ended it is no news */
		if (!ranks_of(l, &of) || !rankset_meets(&alive, &of))
			json_array_remove(*lacking, i);
	}
	rankset_clear(&alive);
	rankset_clear(&of);
	return stack;
}

/* Members that run: what is shown of them was so a moment ago. */
static void put_running(struct session *s, json_t *o, const struct rankset *who)
{
	struct rankset running = { 0 };

	xrankset_copy(&running, who);
	xrankset_intersect(&running, job_set(s->job, JOB_RUNNING));
	if (running.n)
		json_object_set_new(o, "running", ask_ranks(&running));
	rankset_clear(&running);
}

/* Of those frames that are calls of functions with debug information. */
static void put_arguments(struct session *s, json_t *o, const struct rankset *who)
{
	struct session_arguments *x = session_arguments_ask(s, who);
	const json_t *frames = out_get(o, "frames");

	/* outermost first, as recursion is told by order */
	for (size_t i = json_array_size(frames); i-- > 0;) {
		const json_t *variants = out_get(json_array_get(frames, i), "variants");

		for (size_t k = 0; k < json_array_size(variants); k++) {
			json_t *v = json_array_get(variants, k);
			struct rankset ranks = { 0 };

			if (!strcmp(out_str(v, "construct"), "function") && *out_str(v, "file") &&
			    ranks_of(v, &ranks))
				json_object_set_new(
					v, "arguments",
					session_arguments_next(x, &ranks, out_str(v, "name")));
			rankset_clear(&ranks);
		}
	}
	session_arguments_destroy(x);
}

/* Calls alone, as a tree. */
static int show_calls(struct session *s, const struct cmd_call *call, struct err *err)
{
	struct native_stacks x;
	bool threads =
		call->option[WHERE_THREADS] || (s->shell->threads && !call->option[WHERE_NATIVE]);
	int rc = threads ? native_ask_threads(s, &call->who, NULL, &x, err)
			 : native_ask(s, &call->who, 0, &x, err);

	/* others tell what the calls of these are in */
	if (!rc && threads && s->shell->threads)
		rc = native_show_only(&x, s->shell->threads, err);
	if (!rc)
		out_answer(s->out, native_answer(&x));
	native_clear(&x);
	return rc;
}

static int run_where(struct session *s, struct cmd_call *call, struct err *err)
{
	long n = number_arg(call, "where", settings_number(s->set, "MAX_LEVELS"), err);
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	struct stack_merge *stack;
	json_t *lacking = NULL;
	size_t count;

	if (n < 0)
		return -1;
	count = call->option[WHERE_ALL] ? SIZE_MAX : (size_t)n;
	if (call->option[WHERE_NATIVE] && call->option[WHERE_LOGICAL])
		return err_set(err, "where: -native and -logical exclude each other");
	if (call->option[WHERE_THREADS] && call->option[WHERE_LOGICAL])
		return err_set(err, "where: -threads and -logical exclude each other");
	if (call->option[WHERE_NATIVE] || call->option[WHERE_THREADS] ||
	    (s->shell->threads && !call->option[WHERE_LOGICAL]))
		return show_calls(s, call, err);
	stack = call->option[WHERE_LOGICAL]
			? stack_answer_ask(s, &call->who, &answers, &silent, err)
			: ask_joined(s, &call->who, &answers, &silent, &lacking, err);
	if (stack) {
		json_t *o = stack_answer(s, stack, session_level(s, &call->who), 0, count,
					 &answers, &silent);

		put_running(s, o, &call->who);
		if (json_array_size(lacking))
			json_object_set(o, "lacking", lacking);

		if (call->option[WHERE_ALL])
			json_object_set_new(o, "all", json_true());
		if (call->option[WHERE_ARGS])
			put_arguments(s, o, &call->who);
		out_answer(s->out, o);
	} else if (silent.n) {
		err_prefix(err, "where");
	}
	json_decref(lacking);
	stack_merge_destroy(stack);
	groups_clear(&answers);
	rankset_clear(&silent);
	return stack ? 0 : -1;
}

const struct cmd cmd_where = {
	.name = "where",
	.args = "[n] [-all] [-args] [-native | -threads | -logical]",
	.brief = "the stack: constructs, iterations, functions, the call that ranks are in",
	.help = "The innermost frame comes first: constructs, each in the function that has it, "
		"and "
		"the calls of functions with their lines. Functions of MPI and other libraries are "
		"shown by name alone. Ranks may be anywhere: stopped, in MPI, in an endless loop, "
		"crashed; those that run are paused for a moment, and shown as they "
		"were then. A frame is scalar (one rank is in it), "
		"synchronized (all at the same place), unsynchronized (same construct, other place "
		"or iteration), or multi (no relation); the last two have a line per group of "
		"ranks, the smallest first. Stacks are aligned by the names of functions, from the "
		"outermost "
		"one: calls that one rank alone has between two common ones are scalar. When the "
		"other "
		"ranks wait for the orders of one rank in a dispatch loop, that loop is one line; "
		"focus "
		"on the others shows their side. DVMDBG_DISPATCH() announces such a loop. "
		"Iterations of parallel loops are known in programs "
		"compiled with dvmdbg-cc, while traces are recorded or compared or an actionpoint "
		"or step uses iterations. -threads shows the calls of all threads of each rank, "
		"which are "
		"[rank.thread]: thread 0 runs main, the others are numbered by age; libraries have "
		"some, "
		"too. They are asked one after the other: those of a rank that runs may be shown "
		"as they were at "
		"different moments, after halt at one. Threads of OpenMP are shown in the calls that "
		"have begun their parallel regions, as far as these are known. With MODE MULTILEVEL a set that names "
		"threads, as in [0.1:3] where, has the calls of these.",
	.both = CMD_SHOW,
	.example = "where 3",
	.needs_job = true,
	.option = { [WHERE_ALL] = { "all", CMD_FLAG, "all frames and groups, however many" },
		    [WHERE_ARGS] = { "args", CMD_FLAG,
				     "the arguments of functions, equal ones once" },
		    [WHERE_NATIVE] = { "native", CMD_FLAG, "only calls of functions, as a tree" },
		    [WHERE_THREADS] = { "threads", CMD_FLAG,
					"the calls of all threads, as a tree" },
		    [WHERE_LOGICAL] = { "logical", CMD_FLAG,
					"only what the program has announced" } },
	.run = run_where,
};

/* Makes the frame `level` the current one and shows it. */
static int go_level(struct session *s, const struct rankset *who, long level, struct err *err)
{
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	json_t *lacking = NULL;
	struct stack_merge *stack = ask_joined(s, who, &answers, &silent, &lacking, err);
	json_t *o;
	int rc = stack ? 0 : -1;

	if (stack && !stack->n)
		rc = err_set(err, "no construct or function is open");
	if (!rc && level >= (long)stack->n) {
		level = (long)stack->n - 1;
		out_warning(s->out, "the outermost frame is %ld", level);
	} else if (!rc && level < 0) {
		level = 0;
		out_warning(s->out, "the innermost frame is 0");
	}
	if (!rc) {
		struct place place = stack->frame[level].variant[0].frame.place;

		session_choose_level(s, who, (unsigned)level);
		s->shell->listed = 0;
		symbols_resolve(s->symbols, &place);
		if (place.file && *place.file && place.line) {
			free(s->shell->file);
			s->shell->file = xstrdup(place.file);
			s->shell->line = place.line;
		}
		o = stack_answer(s, stack, (unsigned)level, (size_t)level, 1, &answers, &silent);
		json_object_set_new(o, "one", json_true());
		if (out_verbose(s->out) > OUT_ERR)
			out_answer(s->out, o);
		else
			json_decref(o);
	}
	json_decref(lacking);
	stack_merge_destroy(stack);
	groups_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

/* The same of the threads that the set names. */
static int go_thread_level(struct session *s, const struct rankset *who, long level,
			   struct err *err)
{
	long wanted = level;
	json_t *o = session_thread_frames(s, who, &level, err);

	if (!o)
		return -1;
	if (level != wanted)
		out_warning(s->out, "the %s frame is %ld",
			    level < wanted ? "outermost" : "innermost", level);
	session_choose_level(s, who, (unsigned)level);
	if (out_verbose(s->out) > OUT_ERR)
		out_answer(s->out, o);
	else
		json_decref(o);
	return 0;
}

static int go(struct session *s, const struct rankset *who, long level, struct err *err)
{
	return s->shell->threads ? go_thread_level(s, who, level, err)
				 : go_level(s, who, level, err);
}

static unsigned level_of(struct session *s, const struct rankset *who)
{
	return s->shell->threads ? s->shell->level : session_level(s, who);
}

static int run_up(struct session *s, struct cmd_call *call, struct err *err)
{
	long n = number_arg(call, "up", 1, err);

	return n < 0 ? -1 : go(s, &call->who, (long)level_of(s, &call->who) + n, err);
}

const struct cmd cmd_up = {
	.name = "up",
	.args = "[n]",
	.brief = "choose the frame that is n further out",
	.help = "list shows the source of the chosen frame.",
	.both = CMD_SHOW,
	.example = "up 2",
	.needs_job = true,
	.run = run_up,
};

static int run_down(struct session *s, struct cmd_call *call, struct err *err)
{
	long n = number_arg(call, "down", 1, err);

	return n < 0 ? -1 : go(s, &call->who, (long)level_of(s, &call->who) - n, err);
}

const struct cmd cmd_down = {
	.name = "down",
	.args = "[n]",
	.brief = "choose the frame that is n further in",
	.help = "list shows the source of the chosen frame.",
	.both = CMD_SHOW,
	.example = "down",
	.needs_job = true,
	.run = run_down,
};

static const char *reason_words(unsigned reason)
{
	static const char *const words[] = {
#define X(name, text) text,
		STOP_REASON_LIST(X)
#undef X
	};

	return reason < STOP_REASONS ? words[reason] : "?";
}

static const char *mpi_words(unsigned state)
{
	static const char *const words[] = { "before MPI_Init", "inside MPI_Init", "in MPI",
					     "inside MPI_Finalize", "after MPI_Finalize" };

	return state < sizeof(words) / sizeof(words[0]) ? words[state] : "?";
}

enum { STATUS_MPI, STATUS_PID, STATUS_ALL };

#define ENDS_MS 500 /* at most, for how a rank has ended that is known to have */

static json_t *status_group(struct session *s, const struct report_status *r, bool mpi)
{
	json_t *o = json_pack("{s:s}", "state", rank_state_words(r->state));
	char point[POINT_TEXT];

	if (r->state == RANK_STOPPED && r->reason == STOP_MISMATCH && s->stop_words)
		json_object_set_new(o, "reason", json_string(s->stop_words));
	else if (r->state == RANK_STOPPED)
		json_object_set_new(o, "reason", json_string(reason_words(r->reason)));
	if (r->frame.kind < CONSTRUCT_KINDS) {
		ask_put_frame(s, o, &r->frame);
		json_object_del(o, "point");
	}
	if (r->point.main)
		json_object_set_new(o, "point", json_string(point_format(&r->point, point)));
	/* in which call it is follows */
	if ((mpi && r->mpi != MPI_STATE_UP) || r->mpi == MPI_STATE_IN_INIT || r->mpi == MPI_STATE_IN_FINALIZE)
		json_object_set_new(o, "mpi", json_string(mpi_words(r->mpi)));
	return o;
}

/*
 * Each member is in one line, whatever comes while others are asked: part is those of ranks that
 * are in none so far, and they leave `left`. False: there are none.
 */
static bool take_left(struct rankset *left, const struct rankset *ranks, struct rankset *part)
{
	xrankset_copy(part, ranks);
	xrankset_intersect(part, left);
	xrankset_remove_set(left, part);
	return part->n > 0;
}

/* Adds those left that are in a set about which nobody need be asked. */
static void add_known(struct session *s, struct merge_equal *l, struct rankset *left,
		      enum job_set set, const char *words)
{
	struct rankset part = { 0 };

	if (take_left(left, job_set(s->job, set), &part))
		merge_equal_add(l, json_pack("{s:s}", "state", words), &part, -1);
	rankset_clear(&part);
}

/* Since when the first of them stands like that: "2026-04-01T12:00:00". */
static void put_since(struct session *s, json_t *o, const struct rankset *ranks)
{
	int64_t first = 0;
	struct tm tm;
	time_t when;
	char text[32];

	for (int64_t r = rankset_next(ranks, 0); r >= 0; r = rankset_next(ranks, (uint32_t)r + 1)) {
		int64_t since = job_since(s->job, (uint32_t)r);

		if (since && (!first || since < first))
			first = since;
	}
	when = (time_t)first;
	if (first && localtime_r(&when, &tm) && strftime(text, sizeof(text), "%FT%T", &tm))
		json_object_set_new(o, "since", json_string(text));
}

/* Whether it is known since when ranks are in that state. */
static bool dated(const char *state)
{
	return !strcmp(state, "stopped") || !strcmp(state, "exited") || !strcmp(state, "lost") ||
	       !strcmp(state, "running");
}

/* The lines, the smallest group first; ages differ by little between equal ranks: the largest is
 * shown. */
static json_t *take_lines(struct session *s, struct merge_equal *l)
{
	json_t *groups = json_array();

	merge_equal_sort(l);
	for (size_t i = 0; i < l->n; i++) {
		struct merge_equal_group *g = &l->group[i];

		json_object_set_new(g->answer, "ranks", ask_ranks(&g->ranks));
		if (g->most >= 0)
			json_object_set_new(g->answer, "seconds", json_integer(g->most));
		else if (dated(out_str(g->answer, "state")))
			put_since(s, g->answer, &g->ranks);
		json_array_append(groups, g->answer);
	}
	merge_equal_clear(l);
	return groups;
}

/* Ended members: how, beside where they were seen last. */
static void add_ended(struct session *s, struct merge_equal *l, struct rankset *left)
{
	const struct groups *exits = job_exits(s->job);

	for (size_t i = 0; i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct rankset part = { 0 };
		struct report_exit *r = xcalloc(1, sizeof(*r));
		char point[POINT_TEXT], name[32];
		json_t *o;

		if (!report_exit_get(r, &b)) {
			if (take_left(left, &exits->group[i].ranks, &part)) {
				o = json_pack("{s:s}", "state", "exited");
				if (r->how != EXIT_UNKNOWN)
					json_object_set_new(o, "code", json_integer(r->code));
				if (r->how == EXIT_SIGNAL) {
					const char *sig = sigabbrev_np(r->code);

					snprintf(name, sizeof(name), sig ? "SIG%s" : "signal",
						 sig ? sig : "");
					json_object_set_new(o, "signal", json_string(name));
				}
				if (r->stack.n)
					ask_put_frame(s, o, &r->stack.frame[r->stack.n - 1]);
				json_object_del(o, "point");
				if (r->point.main)
					json_object_set_new(
						o, "point",
						json_string(point_format(&r->point, point)));
				merge_equal_add(l, o, &part, -1);
			}
		}
		rankset_clear(&part);
		free(r);
	}
}

/* Takes those that a barrier holds out of ranks: they have a line of their own. */
static void add_held(struct session *s, struct merge_equal *l, const struct report_status *r,
		     bool mpi, struct rankset *ranks)
{
	struct rankset held = { 0 };
	char words[240];

	xrankset_copy(&held, ranks);
	xrankset_intersect(&held, action_held(s->action));
	if (held.n) {
		json_t *o = status_group(s, r, mpi);

		json_object_set_new(o, "state", json_string("held"));
		if (action_held_words(s->action, &held, words, sizeof(words)))
			json_object_set_new(o, "text", out_json_text(words));
		merge_equal_add(l, o, &held, -1);
		xrankset_remove_set(ranks, &held);
	}
	rankset_clear(&held);
}

static int by_rank(const void *pa, const void *pb)
{
	json_int_t a = out_int(*(const json_t *const *)pa, "rank");
	json_int_t b = out_int(*(const json_t *const *)pb, "rank");

	return (a > b) - (a < b);
}

/* Takes over n objects. */
static json_t *sorted(json_t **list, size_t n)
{
	json_t *out = json_array();

	qsort(list, n, sizeof(*list), by_rank);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(out, list[i]);
	return out;
}

/* The processes of those that live, by rank. */
static json_t *processes(struct session *s, const struct rankset *who)
{
	struct msg_query q = { .kind = QUERY_PROCESS };
	struct groups answers = { 0 };
	size_t n = 0, room = (size_t)job_size(s->job);
	json_t **list = xcalloc(room, sizeof(*list)), *out;

	if (ask(s, &q, who, &answers, NULL, NULL)) {
		free(list);
		return json_array();
	}
	for (size_t i = 0; i < answers.n; i++) {
		const struct rankset *ranks = &answers.group[i].ranks;
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
		struct answer_process a;

		if (answer_process_get(&a, &b) || !a.pid)
			continue;
		for (int64_t r = rankset_next(ranks, 0); r >= 0 && n < room;
		     r = rankset_next(ranks, (uint32_t)r + 1))
			list[n++] = json_pack("{s:I s:I s:o}", "rank", (json_int_t)r, "pid",
					      (json_int_t)a.pid, "host", out_json_text(a.host));
	}
	out = sorted(list, n);
	free(list);
	groups_clear(&answers);
	return out;
}

/* What the ranks that run do in MPI, those that do the same in one group. */
static json_t *calls(struct session *s, const struct rankset *who)
{
	struct msg_query q = { .kind = QUERY_MPI };
	struct groups answers = { 0 };
	struct merge_equal lines = { 0 };
	json_t *out = json_array();

	if (ask(s, &q, who, &answers, NULL, NULL))
		return out;
	for (size_t i = 0; i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
		struct mpistate_report r;
		json_t *o = json_object();

		if (mpistate_report_get(&r, &b) || r.doing == MPISTATE_DOES_ENDED) {
			json_decref(o);
			continue;
		}
		hang_put_call(s, o, &r);
		merge_equal_add(&lines, o, &answers.group[i].ranks, r.tenths);
		mpistate_report_clear(&r);
	}
	merge_equal_sort(&lines);
	for (size_t i = 0; i < lines.n; i++) {
		struct merge_equal_group *g = &lines.group[i];

		json_object_set_new(g->answer, "ranks", ask_ranks(&g->ranks));
		json_object_set_new(g->answer, "seconds", json_real((double)g->most / 10));
		json_array_append(out, g->answer);
	}
	merge_equal_clear(&lines);
	groups_clear(&answers);
	return out;
}

/* They are not merged, so they are reported when they are asked for. */
static bool wants_processes(const struct session *s, const struct cmd_call *call)
{
	return call->option[STATUS_PID] || (out_verbose(s->out) == OUT_ALL && !s->fill_screen);
}

/* What is known here, of those left. */
static void add_all_known(struct session *s, struct merge_equal *l, struct rankset *left)
{
	add_ended(s, l, left);
	add_known(s, l, left, JOB_LOST, "lost");
	add_known(s, l, left, JOB_ABSENT, "unknown");
}

/* Ranks that have answered that they have ended: how comes at once. */
static void await_ends(struct session *s, const struct groups *answers)
{
	struct rankset ended = { 0 };
	struct report_status r;
	int64_t until = loop_now() + ENDS_MS;

	for (size_t i = 0; i < answers->n; i++) {
		struct buf b = buf_view(answers->group[i].blob, answers->group[i].len);

		if (!report_status_get(&r, &b) && r.state == RANK_EXITED)
			xrankset_add_set(&ended, &answers->group[i].ranks);
	}
	while (!rankset_covers(job_set(s->job, JOB_EXITED), &ended) && loop_now() < until &&
	       !loop_interrupted(s->loop))
		loop_turn(s->loop, 50);
	rankset_clear(&ended);
}

/*
 * Asks those of left, and adds what they answer. Those that have answered that they run, and have
 * stopped since, go to *again, unless it is NULL.
 */
static void add_asked(struct session *s, struct merge_equal *l, struct rankset *left, bool mpi,
		      struct rankset *again)
{
	struct msg_query q = { .kind = QUERY_STATUS };
	struct groups answers = { 0 };
	struct rankset silent = { 0 }, asked = { 0 }, part = { 0 };
	struct report_status r;

	xrankset_copy(&asked, left);
	ask(s, &q, &asked, &answers, &silent, NULL);
	await_ends(s, &answers);
	add_all_known(s, l, left);
	for (size_t i = 0; i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);

		if (report_status_get(&r, &b) || !take_left(left, &answers.group[i].ranks, &part))
			continue;
		if (again && r.state == RANK_RUNNING) {
			xrankset_copy(&asked, &part);
			xrankset_intersect(&asked, job_set(s->job, JOB_STOPPED));
			xrankset_add_set(again, &asked);
			xrankset_remove_set(&part, &asked);
		}
		add_held(s, l, &r, mpi, &part);
		if (part.n)
			merge_equal_add(l, status_group(s, &r, mpi), &part,
					r.state == RANK_RUNNING && r.point.main ? (int64_t)r.seconds
										: -1);
	}
	if (take_left(left, &silent, &part))
		merge_equal_add(l, json_pack("{s:s}", "state", "no answer"), &part, -1);
	groups_clear(&answers);
	rankset_clear(&silent);
	rankset_clear(&asked);
	rankset_clear(&part);
}

static int run_status(struct session *s, struct cmd_call *call, struct err *err)
{
	struct rankset left = { 0 }, again = { 0 };
	struct merge_equal lines = { 0 };
	json_t *o;

	if (!s->job) {
		out_answer(s->out, json_pack("{s:s s:s}", "type", "status", "text",
					     s->spec.argv ? "nothing runs" : "nothing is loaded"));
		return 0;
	}
	xrankset_copy(&left, &call->who);
	add_all_known(s, &lines, &left);
	if (left.n)
		add_asked(s, &lines, &left, call->option[STATUS_MPI], &again);
	if (again.n)
		add_asked(s, &lines, &again, call->option[STATUS_MPI], NULL);
	o = json_pack("{s:s s:o s:i s:o}", "type", "status", "program",
		      out_json_text(s->spec.argv[0]), "n", job_size(s->job), "groups",
		      take_lines(s, &lines));
	xrankset_copy(&left, &call->who);
	xrankset_remove_set(&left, job_set(s->job, JOB_EXITED));
	if (call->option[STATUS_MPI])
		json_object_set_new(o, "calls", calls(s, &left));
	if (shell_multilevel(s) && left.n)
		json_object_set_new(o, "threads", session_thread_places(s, &left));
	if (wants_processes(s, call))
		json_object_set_new(o, "processes", processes(s, &left));
	if (gdb_ranks(s))
		json_object_set_new(o, "gdb", ask_ranks(gdb_ranks(s)));
	if (call->option[STATUS_ALL])
		json_object_set_new(o, "all", json_true());
	out_answer(s->out, o);
	rankset_clear(&left);
	rankset_clear(&again);
	return 0;
}

const struct cmd cmd_status = {
	.name = "status",
	.args = "[-mpi] [-pid] [-all]",
	.brief = "what the ranks are doing: state, point, age",
	.help = "Ranks in the same state share one line, the smallest group first. For running "
		"ranks it shows the last point passed, and how long ago that was. Each rank is in "
		"one "
		"line, also a rank that ends or stops meanwhile. With -mpi also "
		"the call of MPI that each rank is in, with its arguments and line, and since when "
		"it has not moved. With MODE MULTILEVEL also in which function each thread is. "
		"With "
		"-pid, or "
		"VERBOSE ALL, also the process of each rank and its host.",
	.both = CMD_SHOW,
	.example = "status",
	.option = { [STATUS_MPI] = { "mpi", CMD_FLAG,
				     "the state of MPI and the call on each rank" },
		    [STATUS_PID] = { "pid", CMD_FLAG, "process number and host of each rank" },
		    [STATUS_ALL] = { "all", CMD_FLAG, "all groups of ranks, however many" } },
	.run = run_status,
};
