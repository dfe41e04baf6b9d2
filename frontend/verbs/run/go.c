/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs that let ranks go on and stop: cont go wait halt step. */
#include "frontend/verbs/run/run.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/parse.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "frontend/action/action.h"
#include "frontend/verify/verify.h"
#include "frontend/cmd/cmd.h"
#include "frontend/gdb/gdb.h"
#include "frontend/halo/halo.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/util/xrankset.h"

/* "[3]: running already", the first of the sets that who meets. */
static int why_not(struct session *s, const char *verb, const struct rankset *who, struct err *err)
{
	static const struct {
		enum job_set set;
		const char *words;
	} why[] = {
		{ JOB_RUNNING, "running already; type wait, or halt to stop them" },
		{ JOB_EXITED, "ended; rerun starts the program again" },
		{ JOB_LOST, "lost, the supervisor is gone" },
		{ JOB_ABSENT, "never connected" },
	};
	char text[256];

	if (action_held_words(s->action, who, text, sizeof(text)))
		return err_set(err, "%s: %s", verb, text);
	if (gdb_why(s, who))
		return err_set(err, "%s: %s: %s", verb, rankset_format(who, text, sizeof(text)),
			       gdb_why(s, who));
	for (size_t i = 0; i < sizeof(why) / sizeof(why[0]); i++) {
		struct rankset part = { 0 };

		xrankset_copy(&part, who);
		xrankset_intersect(&part, job_set(s->job, why[i].set));
		rankset_format(&part, text, sizeof(text));
		rankset_clear(&part);
		if (strcmp(text, "[]"))
			return err_set(err, "%s: %s: %s", verb, text,
				       why[i].set == JOB_RUNNING && !strcmp(verb, "cont") ?
					       "running already, and waited for; Ctrl-C stops them" :
					       why[i].words);
	}
	return err_set(err, "%s: no rank can go on", verb);
}

/* Leaves those that run or are held. */
static void keep_present(const struct session *s, struct rankset *ranks)
{
	struct rankset present = { 0 };

	xrankset_copy(&present, job_set(s->job, JOB_RUNNING));
	xrankset_add_set(&present, action_held(s->action));
	xrankset_intersect(ranks, &present);
	rankset_clear(&present);
}

/*
 * Puts those members of who that can go on into movable, and shows why others cannot. May be none
 * of them: then that is a warning, else -1.
 */
static int find_movable(struct session *s, const char *verb, const struct rankset *who,
			bool reported, bool may_be_none, struct rankset *movable, struct err *err)
{
	struct rankset left = { 0 };
	struct err why = { "" };

	if (rankset_meets(who, job_set(s->job, JOB_LOADED)) && checker_can_start(s->checker, err))
		return -1;
	xrankset_copy(movable, job_set(s->job, JOB_STOPPED));
	xrankset_add_set(movable, job_set(s->job, JOB_LOADED));
	xrankset_intersect(movable, who);
	xrankset_remove_set(movable, action_held(s->action));
	xrankset_copy(&left, who);
	xrankset_remove_set(&left, movable);
	if (!movable->n && !may_be_none) {
		rankset_clear(&left);
		return why_not(s, verb, who, err);
	}
	/* Ends are reported when they happen; only what was asked for by name is reported again. */
	if (!reported && movable->n)
		keep_present(s, &left);
	if (left.n && why_not(s, verb, &left, &why))
		out_warning(s->out, "%s", why.text);
	rankset_clear(&left);
	xrankset_remove_set(&s->shell->gone, movable);
	return 0;
}

/* What remains to be reported when who has stopped. */
static void shown(struct session *s)
{
	shell_stopped(s);
	if (pair_both(s))
		pair_show(s);
	if (job_over(s->job)) {
		shell_report_unreached(s);
		checker_over(s->checker);
	}
}

/*
 * Where the runs differ, and the contents of an array are adjacent to where it is registered: once
 * that halos show it, as all that was found may only follow from that.
 */
static void show_shift(struct session *s)
{
	const struct compare *c = checker_comparison(s->checker);
	struct halo_shifted list[HALO_SHIFTED];
	size_t n;

	if (s->shift_shown || !c || !compare_first(c) || !checker_comparing(s->checker) ||
	    !job_set(s->job, JOB_STOPPED)->n)
		return;
	n = halo_shifted(s, list);
	for (size_t i = 0; i < n; i++)
		out_note(s->out, "%s", list[i].text);
	s->shift_shown = n > 0;
}

void go_show(struct session *s, const struct rankset *who, enum stop_verdict verdict)
{
	bool both = pair_both(s);
	struct rankset all = { 0 };

	if (both)
		out_side(s->out, 'B');
	/* those that a barrier has let go meanwhile, too */
	xrankset_copy(&all, who);
	action_shown(s->action, &all);
	if (out_verbose(s->out) == OUT_ALL)
		action_add_stop_sets(s->action, &all);
	/* who stops with them may come a little later */
	if (verdict == VERDICT_STOPPED && !both && s->job &&
	    rankset_meets(&all, job_set(s->job, JOB_RUNNING)) &&
	    !rankset_meets(who, job_set(s->job, JOB_RUNNING)))
		verdict = session_wait(s, &all);
	session_show_stop(s, &all, verdict);
	rankset_clear(&all);
	if (!both && s->job)
		show_shift(s);
	if (both)
		out_side(s->out, 0);
	shown(s);
}

/* Shows those of who that have stopped; the others run on and are reported later. */
static void show_stopped(struct session *s, const struct rankset *who, enum stop_verdict verdict)
{
	struct rankset stopped = { 0 }, left = { 0 };

	xrankset_copy(&stopped, who);
	xrankset_copy(&left, who);
	xrankset_intersect(&left, job_set(s->job, JOB_RUNNING));
	xrankset_remove_set(&stopped, &left);
	xrankset_remove_set(&s->shell->gone, &stopped);
	xrankset_add_set(&s->shell->gone, &left);
	go_show(s, stopped.n ? &stopped : who, verdict);
	rankset_clear(&stopped);
	rankset_clear(&left);
}

/* Whom cont waits for: those that have gone on, and those of who that ran already, without gdb. */
static void add_running(struct session *s, const struct rankset *who, struct rankset *movable)
{
	struct rankset running = { 0 };

	xrankset_copy(&running, who);
	xrankset_intersect(&running, job_set(s->job, JOB_RUNNING));
	if (gdb_ranks(s))
		xrankset_remove_set(&running, gdb_ranks(s));
	xrankset_add_set(movable, &running);
	rankset_clear(&running);
}

/* Lets who go on and waits for the first of them. */
static int go_and_wait_any(struct session *s, const char *verb, const struct cmd_call *call,
			   enum plan_mode mode, uint32_t n, struct err *err)
{
	struct rankset movable = { 0 };
	int rc;

	if (pair_moves(s, &call->who))
		return err_set(err,
			       "%s -waitany: choose one side of the pair, as in B: %s -waitany",
			       verb, verb);
	rc = find_movable(s, verb, &call->who, call->prefixed, mode == PLAN_CONT, &movable, err);
	if (!rc && movable.n)
		rc = job_go(s->job, &movable, mode, n, NULL, err);
	if (!rc && mode == PLAN_CONT)
		add_running(s, &call->who, &movable);
	if (!rc && movable.n)
		show_stopped(s, &movable, session_wait_any(s, &movable));
	rankset_clear(&movable);
	return rc;
}

void go_wait(struct session *s, const struct rankset *who)
{
	bool both = pair_moves(s, who);

	xrankset_remove_set(&s->shell->gone, who);
	go_show(s, who, both ? pair_wait(s) : session_wait(s, who));
}

void go_report_gone(struct session *s)
{
	struct rankset gone = { 0 };

	if (!s->job || !s->shell->gone.n ||
	    rankset_meets(&s->shell->gone, job_set(s->job, JOB_RUNNING)))
		return;
	xrankset_copy(&gone, &s->shell->gone);
	go_wait(s, &gone);
	rankset_clear(&gone);
}

int go_resume(struct session *s, const char *verb, const struct rankset *who, bool reported,
	      enum plan_mode mode, uint32_t n, struct rankset *movable, struct err *err)
{
	bool both = pair_moves(s, who), b;

	if (find_movable(s, verb, who, reported, true, movable, err))
		return -1;
	if (!movable->n)
		return 0;
	return both ? pair_go(s, mode, n, &b, err) : job_go(s->job, movable, mode, n, NULL, err);
}

/* One side of a pair may have ended, and the other goes on. */
static int both_and_wait(struct session *s, const char *verb, const struct rankset *who,
			 bool reported, enum plan_mode mode, uint32_t n, struct err *err)
{
	struct rankset movable = { 0 };
	enum stop_verdict verdict;
	bool b, none = false;
	int rc = pair_go(s, mode, n, &b, err);

	if (rc > 0) {
		rc = find_movable(s, verb, who, reported, mode == PLAN_CONT, &movable, err);
		none = !movable.n;
		rankset_clear(&movable);
	}
	if (rc || none)
		return rc ? -1 : 0;
	verdict = pair_wait(s);
	if (b)
		go_show(s, who, verdict);
	else
		shown(s);
	return 0;
}

int go_and_wait(struct session *s, const char *verb, const struct rankset *who, bool reported,
		enum plan_mode mode, uint32_t n, const struct rankset *shown_ranks, struct err *err)
{
	struct rankset movable = { 0 };
	enum stop_verdict verdict = VERDICT_STOPPED;
	int rc;

	if (pair_moves(s, who))
		return both_and_wait(s, verb, who, reported, mode, n, err);
	rc = find_movable(s, verb, who, reported, mode == PLAN_CONT, &movable, err);
	if (!rc && movable.n && halo_watch_on(s)) {
		rc = halo_watch_go(s, &movable, mode, n, &verdict, err);
	} else if (!rc) {
		if (movable.n)
			rc = job_go(s->job, &movable, mode, n, NULL, err);
		if (!rc && mode == PLAN_CONT)
			add_running(s, who, &movable);
		if (!rc && movable.n)
			verdict = session_wait(s, &movable);
	}
	if (!rc && movable.n)
		go_show(s, shown_ranks ? shown_ranks : &movable, verdict);
	rankset_clear(&movable);
	return rc;
}

/* Whether some have stopped before target, and not badly. */
static bool stopped_before(const struct session *s, const struct point *target)
{
	const struct groups *stops = job_stops(s->job);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (report_stop_get(&r, &b) || stop_is_end(r.reason))
			return false;
		if (point_compare(&r.point, target) == POINT_BEFORE)
			return true;
	}
	return false;
}

int go_to(struct session *s, const char *verb, const struct point *target,
	  enum stop_verdict *verdict, struct err *err)
{
	struct rankset all = { 0 }, movable = { 0 };
	int rc;

	xrankset_copy(&all, job_set(s->job, JOB_ALL));
	rc = 0;

	do {
		rc = rc ? rc : find_movable(s, verb, &all, false, false, &movable, err);
		rc = rc ? rc : job_go(s->job, &movable, PLAN_TO, 0, target, err);
		if (!rc)
			*verdict = session_wait(s, &movable);
	} while (!rc && *verdict == VERDICT_STOPPED && stopped_before(s, target));
	rankset_clear(&movable);
	rankset_clear(&all);
	return rc;
}

#define WAITANY                                                                   \
	{                                                                         \
		"waitany", CMD_FLAG, "wait until any member has stopped, not all" \
	}

enum { CONT_WAITANY };

static int run_cont(struct session *s, struct cmd_call *call, struct err *err)
{
	if (call->option[CONT_WAITANY])
		return go_and_wait_any(s, "cont", call, PLAN_CONT, 0, err);
	return go_and_wait(s, "cont", &call->who, call->prefixed, PLAN_CONT, 0, NULL, err);
}

const struct cmd cmd_cont = {
	.name = "cont",
	.args = "[-waitany]",
	.brief = "go on to the next actionpoint and wait for it",
	.help = "Lets the members of the set go on (starts them, when they have not been started) "
		"and waits until all have stopped or ended. Ctrl-C halts them. Ranks that do not "
		"arrive within STOP_TIMER seconds after the first, or while ranks outside the set "
		"stay stopped or one has died, are shown with the place of their last point. step "
		"n makes n steps.",
	.both = CMD_ONE,
	.example = "cont",
	.needs_job = true,
	.option = { [CONT_WAITANY] = WAITANY },
	.run = run_cont,
};

static int run_go(struct session *s, struct cmd_call *call, struct err *err)
{
	struct rankset movable = { 0 };
	int rc = go_resume(s, "go", &call->who, call->prefixed, PLAN_CONT, 0, &movable, err);

	if (!rc)
		xrankset_add_set(&s->shell->gone, &movable);
	rankset_clear(&movable);
	return rc;
}

const struct cmd cmd_go = {
	.name = "go",
	.args = "",
	.brief = "go on and return to the prompt at once",
	.help = "Like cont, but does not wait. dvmdbg reports when all members have stopped or "
		"ended; wait waits for that.",
	.both = CMD_ONE,
	.example = "go",
	.needs_job = true,
	.run = run_go,
};

static int run_wait(struct session *s, struct cmd_call *call, struct err *err)
{
	bool any = call->option[CONT_WAITANY] != NULL, both = pair_moves(s, &call->who);
	enum stop_verdict verdict = VERDICT_STOPPED;
	struct rankset left = { 0 };

	if (rankset_meets(&call->who, job_set(s->job, JOB_LOADED)) &&
	    !rankset_meets(&call->who, job_set(s->job, JOB_RUNNING)))
		return err_set(err, "wait: nothing runs; cont starts the program");
	s->shell->awaited = true;
	if (both)
		go_wait(s, &call->who);
	else
		verdict = session_watch(s, &call->who, any);
	s->shell->awaited = false;
	if (both)
		return 0;
	if (any) {
		show_stopped(s, &call->who, verdict);
		return 0;
	}
	xrankset_copy(&left, &call->who);
	xrankset_intersect(&left, job_set(s->job, JOB_RUNNING));
	xrankset_remove_set(&s->shell->gone, &call->who);
	xrankset_add_set(&s->shell->gone, &left);
	rankset_clear(&left);
	go_show(s, &call->who, verdict);
	return 0;
}

const struct cmd cmd_wait = {
	.name = "wait",
	.args = "[-waitany]",
	.brief = "wait until the members have stopped",
	.help = "Waits until all members of the set have stopped or ended and shows where they "
		"are. What is typed meanwhile goes to the program, as with proginput. Ctrl-C ends "
		"the waiting, and they run on; in a pair it halts them.",
	.both = CMD_ONE,
	.example = "[0:1] wait",
	.needs_job = true,
	.option = { [CONT_WAITANY] = WAITANY },
	.run = run_wait,
};

/* Those of who that run, and a warning of the others. */
static void find_running(struct session *s, const struct cmd_call *call, struct rankset *running)
{
	struct rankset left = { 0 };
	char text[80];

	xrankset_copy(running, &call->who);
	xrankset_intersect(running, job_set(s->job, JOB_RUNNING));
	xrankset_copy(&left, &call->who);
	xrankset_remove_set(&left, running);

	/* Ends were reported when they happened. */
	if (running->n && !call->prefixed) {
		xrankset_remove_set(&left, job_set(s->job, JOB_EXITED));
		xrankset_remove_set(&left, job_set(s->job, JOB_LOST));
	}
	if (left.n)
		out_warning(s->out, "halt: %s: not running",
			    rankset_format(&left, text, sizeof(text)));
	rankset_clear(&left);
}

static int run_halt(struct session *s, struct cmd_call *call, struct err *err)
{
	struct rankset running = { 0 };
	bool both = pair_moves(s, &call->who);
	int rc = both ? pair_halt(s) : 1;

	if (!rc) {
		go_wait(s, &call->who);
		return 0;
	}
	if (rc < 0)
		return rc;
	if (rankset_covers(job_set(s->job, JOB_LOADED), &call->who))
		return err_set(err, "halt: nothing runs; cont starts the program");
	find_running(s, call, &running);
	rc = 0;
	if (running.n) {
		job_halt(s->job, &running);
		go_wait(s, &running);
	}
	rankset_clear(&running);
	return 0;
}

const struct cmd cmd_halt = {
	.name = "halt",
	.args = "",
	.brief = "stop running members at the furthest common point",
	.help = "The members stop at the first point that all of them still have before them. "
		"Members that do not reach "
		"it within STOP_TIMER (in an endless loop, in MPI), and those of a program without "
		"marks, are "
		"stopped where they are, and shown with their line and last point; a warning names "
		"those that do not run.",
	.both = CMD_ONE,
	.example = "halt",
	.needs_job = true,
	.run = run_halt,
};

enum { STEP_OVER, STEP_FINISH, STEP_ITER, STEP_WAITANY };

/* All stopped members stand at the beginning of a task region. */
static bool at_region(struct session *s, const struct rankset *who)
{
	const struct groups *stops = job_stops(s->job);
	bool found = false;

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!rankset_meets(&stops->group[i].ranks, who))
			continue;
		if (report_stop_get(&r, &b) || r.frame.kind != CONSTRUCT_TR ||
		    r.frame.point.side != POINT_BEGIN)
			return false;
		found = true;
	}
	return found;
}

static int run_step(struct session *s, struct cmd_call *call, struct err *err)
{
	enum plan_mode mode = PLAN_STEP;
	uint64_t n = 1;

	if (call->argc > 1)
		return err_set(err, "step takes one number, not '%s'", call->rest);
	if (call->argc && parse_uint(call->argv[0], 1, 1000000000, &n))
		return err_set(err, "step '%s': give a number from 1 to 1000000000", call->argv[0]);
	if (!!call->option[STEP_OVER] + !!call->option[STEP_FINISH] + !!call->option[STEP_ITER] > 1)
		return err_set(err, "step: only one of -over, -finish and -iter can be given");
	if (call->option[STEP_ITER])
		mode = PLAN_ITER;
	if (call->option[STEP_FINISH] || (call->option[STEP_OVER] && at_region(s, &call->who)))
		mode = PLAN_FINISH;
	if (call->option[STEP_WAITANY])
		return go_and_wait_any(s, "step", call, mode, (uint32_t)n, err);
	return go_and_wait(s, "step", &call->who, call->prefixed, mode, (uint32_t)n, NULL, err);
}

const struct cmd cmd_step = {
	.name = "step",
	.args = "[n] [-over] [-finish] [-iter] [-waitany]",
	.brief = "go to the next numbered point, or n of them further",
	.help = "Goes to the next numbered point, or n points further: the numbers are the same on "
		"all "
		"ranks. Actionpoints on the way stop the ranks as well.",
	.both = CMD_ONE,
	.example = "step 4",
	.needs_job = true,
	.option = { [STEP_OVER] = { "over", CMD_FLAG,
				    "from the beginning of a task region to its end" },
		    [STEP_FINISH] = { "finish", CMD_FLAG, "to the end of the innermost construct" },
		    [STEP_ITER] = { "iter", CMD_FLAG,
				    "to the next iteration of a sequential loop, or the next "
				    "task" },
		    [STEP_WAITANY] = WAITANY },
	.run = run_step,
};
