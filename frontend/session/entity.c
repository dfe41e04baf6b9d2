/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ranks as one logical process: when has it stopped, and where (SEMANTICS 8).
 */
#include "frontend/session/session.h"

#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "frontend/action/action.h"
#include "frontend/hang/hang.h"
#include "frontend/verify/verify.h"
#include "frontend/output/output.h"
#include "frontend/util/loop.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xrankset.h"

#define HANG_MS 500    /* between looks whether anything moves */
#define HALT_MS 1000   /* at most, for ranks that are halted by Ctrl-C and may never arrive */
#define GOOD_MS 100    /* at least: reports of equal stops do not come all at once */
#define CHECK_MS 2500  /* for the search for a number that ranks disagree about */
#define QUIET_MS 100   /* without output when all have ended: no more is on its way … */
#define PAUSE_MS 10000 /* for those that come to no mark to be stopped where they are */
#define OUTPUT_MS 3000 /* … and how long that is waited for */

struct wait {
	struct session *s;
	const struct rankset *who;
	enum stop_verdict verdict; /* VERDICT_STOPPED until something else happens */
	int64_t until;		   /* 0: no end in sight */
	int64_t look;		   /* when they are asked again whether all wait in MPI */
	bool over;
	bool any;   /* until one member has stopped */
	bool leave; /* Ctrl-C ends the waiting, and the members run on */
	bool rest;  /* at `until` those that run are halted, by GOOD_STOP */
};

/* Members that may still come to a stop; whether they have to go on is not always known at once. */
static bool running(const struct wait *w)
{
	return rankset_meets(w->who, job_set(w->s->job, JOB_RUNNING)) ||
	       rankset_meets(w->who, action_pending(w->s->action));
}

/* Some member has stopped or ended, for good. */
static bool some_stopped(const struct wait *w)
{
	struct rankset left = { 0 };
	bool some;

	xrankset_copy(&left, w->who);
	xrankset_remove_set(&left, job_set(w->s->job, JOB_RUNNING));
	xrankset_remove_set(&left, action_pending(w->s->action));
	some = left.n > 0;
	rankset_clear(&left);
	return some;
}

static bool new_bad(const struct wait *w)
{
	return !rankset_covers(&w->s->bad, job_set(w->s->job, JOB_BAD));
}

/* One has left before MPI_Init, where the others may wait for it for ever. */
static bool left_alone(const struct wait *w)
{
	const struct groups *exits = job_exits(w->s->job);

	for (size_t i = 0; i < exits->n && job_needs_mpi(w->s->job); i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (report_exit_get(&r, &b) == 0 && r.mpi == MPI_STATE_NONE)
			return true;
	}
	return false;
}

/* What members wait for may be with ranks that are parked, or that gdb has. */
static bool others_parked(const struct wait *w)
{
	const struct job *j = w->s->job;

	return w->s->gdb || !rankset_covers(w->who, job_set(j, JOB_STOPPED)) ||
	       !rankset_covers(w->who, job_set(j, JOB_LOADED));
}

static int64_t stop_timer(const struct wait *w)
{
	return (int64_t)settings_number(w->s->set, "STOP_TIMER") * 1000;
}

/* Halts the members and gives them little time. */
static void halt(struct wait *w, enum stop_verdict verdict)
{
	int64_t timer = stop_timer(w);

	if (verdict == VERDICT_BAD)
		timer = (int64_t)settings_number(w->s->set, "BAD_TIMER") * 1000;
	else if (timer > HALT_MS)
		timer = HALT_MS;
	w->verdict = verdict;
	w->rest = false;
	w->until = loop_now() + timer;
	job_halt(w->s->job, w->who);
}

/* Whether a member has come to a good stop, for good, and the others are to be halted. */
static bool halts_rest(const struct wait *w)
{
	const struct session *s = w->s;
	struct rankset stopped = { 0 };
	bool some;

	if (w->any || !settings_is(s->set, "GOOD_STOP", "halt"))
		return false;
	xrankset_copy(&stopped, w->who);
	xrankset_intersect(&stopped, job_set(s->job, JOB_STOPPED));
	xrankset_remove_set(&stopped, action_pending(s->action));
	xrankset_remove_set(&stopped, action_held(s->action));
	some = stopped.n > 0;
	rankset_clear(&stopped);
	return some;
}

/* Reports of the same stop have had their time: those that still run have not come to it. */
static void halt_rest(struct wait *w)
{
	w->rest = false;
	w->until = loop_now() + stop_timer(w);
	job_halt(w->s->job, w->who);
}

/* Looks at what has changed and decides how long there is to wait. */
static void decide(struct wait *w, bool interrupted)
{
	const struct session *s = w->s;

	if (interrupted && w->verdict != VERDICT_INTERRUPT) {
		halt(w, VERDICT_INTERRUPT);
		return;
	}
	if (w->verdict == VERDICT_BAD || w->verdict == VERDICT_INTERRUPT)
		return;
	if (new_bad(w) && settings_is(s->set, "BAD_STOP", "halt")) {
		halt(w, VERDICT_BAD);
		return;
	}
	/* Others may wait for a dead one, however long ago it died. */
	if (w->until == 0 &&
	    (rankset_meets(w->who, job_set(s->job, JOB_STOPPED)) || job_set(s->job, JOB_BAD)->n ||
	     left_alone(w) || others_parked(w) || job_halting(s->job, w->who))) {
		int64_t timer = stop_timer(w);

		w->rest = halts_rest(w);
		w->until = loop_now() + (timer > GOOD_MS && !w->rest ? timer : GOOD_MS);
	}
}

/* The time until something has to be decided, at most a while. */
static int next_turn(const struct wait *w)
{
	int64_t left = w->until ? w->until - loop_now() : 1000;

	return left < 0 ? 0 : left > 1000 ? 1000 : (int)left;
}

/* Lets the launcher pass on what the program has written last. */
static void await_output(struct session *s)
{
	int64_t end = loop_now(), now = end;

	while (now < end + OUTPUT_MS && !loop_interrupted(s->loop)) {
		int64_t since = s->output_at > end ? s->output_at : end;

		if (now >= since + QUIET_MS)
			return;
		loop_turn(s->loop, (int)(since + QUIET_MS - now));
		now = loop_now();
	}
}

/* A disagreement that this stop has shown belongs before it. */
static void await_findings(struct session *s)
{
	int64_t until = loop_now() + CHECK_MS;

	while (job_checking(s->job) && loop_now() < until && !loop_interrupted(s->loop))
		loop_turn(s->loop, 50);
}

/* Members that have come to no mark though they were halted: they are stopped where they are. */
static void pause_rest(struct wait *w)
{
	struct msg_query q = { .kind = QUERY_PAUSE };
	struct session *s = w->s;
	struct rankset rest = { 0 }, silent = { 0 };
	struct groups answers = { 0 };
	int64_t until = loop_now() + PAUSE_MS;
	char text[80];

	/* the plan of the halt lets go whom it finds standing */
	job_settle(s->job);
	xrankset_copy(&rest, w->who);
	xrankset_intersect(&rest, job_set(s->job, JOB_RUNNING));
	if (!job_query(s->job, &q, &rest, PAUSE_MS, &answers, &silent, NULL))
		for (size_t i = 0; i < answers.n; i++) {
			struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
			struct answer_head a;

			if (answer_head_get(&a, &b) || a.kind != ANSWER_ERROR)
				continue;
			xrankset_remove_set(&rest, &answers.group[i].ranks);
			out_warning(s->out, "halt: %s: %s",
				    rankset_format(&answers.group[i].ranks, text, sizeof(text)),
				    a.why);
		}
	while (rankset_meets(&rest, job_set(s->job, JOB_RUNNING)) && loop_now() < until &&
	       !loop_interrupted(s->loop))
		loop_turn(s->loop, (int)(until - loop_now()));
	groups_clear(&answers);
	rankset_clear(&rest);
	rankset_clear(&silent);
}

static enum stop_verdict conclude(struct wait *w)
{
	struct session *s = w->s;

	if (running(w) && !w->any && job_halting(s->job, w->who)) {
		/* they may wait for one that is gone */
		if (w->verdict == VERDICT_BAD)
			hang_watch_last(s);
		pause_rest(w);
	}
	await_findings(s);
	/* all may have stopped badly before that was looked at */
	if (job_over(s->job) || w->verdict == VERDICT_BAD || new_bad(w))
		session_match(s);
	if (job_over(s->job)) {
		if (!s->unheard)
			await_output(s);
		return VERDICT_OVER;
	}
	if (running(w) && !w->any && w->verdict != VERDICT_INTERRUPT)
		hang_watch_last(s);
	if (w->verdict != VERDICT_STOPPED)
		return w->verdict;
	if (running(w) && !w->any)
		return VERDICT_PARTIAL;
	return new_bad(w) ? VERDICT_BAD : VERDICT_STOPPED;
}

static void begin(struct wait *w, struct session *s, const struct rankset *who)
{
	*w = (struct wait){ .s = s, .who = who, .verdict = VERDICT_STOPPED };
	s->hang.left = false;
}

/* Members that are halted do not come to a point: there are none, or they are in calls that wait for
 * those who stand. */
static bool waits_in_vain(struct wait *w)
{
	const struct session *s = w->s;
	struct rankset rest = { 0 };
	bool vain = false;

	if (w->any || !w->until || !job_halting(s->job, w->who))
		return false;
	if (w->verdict != VERDICT_BAD && !job_annotated(s->job) && !s->spec.points)
		return true;
	if (loop_now() < w->look)
		return false;
	w->look = loop_now() + HANG_MS;
	xrankset_copy(&rest, w->who);
	xrankset_intersect(&rest, job_set(w->s->job, JOB_RUNNING));
	vain = rest.n && hang_blocked(w->s, &rest, HANG_MS / 100);
	rankset_clear(&rest);
	return vain;
}

/* Whether there is more to wait for; interrupted: Ctrl-C has just come. */
static bool goes_on(struct wait *w, bool interrupted)
{
	bool again = interrupted && w->verdict == VERDICT_INTERRUPT;

	/* those who go on as if they had not stopped have their time once more */
	if (action_settle(w->s->action) && w->verdict == VERDICT_STOPPED)
		w->until = 0;
	if (!running(w) || (w->any && some_stopped(w)))
		return false;
	if (interrupted && w->leave) {
		w->verdict = VERDICT_PARTIAL;
		return false;
	}
	/* A second Ctrl-C: nothing is waited for any more. */
	if (again) {
		loop_interrupt(w->s->loop);
		return false;
	}
	if (w->s->hang.left) {
		w->verdict = VERDICT_PARTIAL;
		return false;
	}
	decide(w, interrupted);
	if (w->rest && loop_now() >= w->until)
		halt_rest(w);
	return (!w->until || loop_now() < w->until) && !waits_in_vain(w);
}

static enum stop_verdict end(struct wait *w)
{
	enum stop_verdict verdict = conclude(w);

	/* It came when all had just stopped: whoever lets them go on in steps has to know. */
	if (verdict == VERDICT_STOPPED && loop_interrupted(w->s->loop))
		verdict = VERDICT_INTERRUPT;
	/* One that dies from now on, before the next wait, is news to that. */
	xrankset_copy(&w->s->bad, job_set(w->s->job, JOB_BAD));
	return verdict;
}

/* Ctrl-C, if it has come while somebody is waited for: it is dealt with then. */
static bool take_interrupt(const struct wait *w, int n)
{
	for (int i = 0; i < n; i++) {
		if (w[i].over || !running(&w[i]) || !loop_interrupted(w[i].s->loop))
			continue;
		loop_clear_interrupt(w[i].s->loop);
		shell_end_line(w[i].s);
		return true;
	}
	return false;
}

/* second: the session itself, which is B of a pair. */
static bool watch_hang(struct wait *w, bool second)
{
	const char *before = w->s->hang.reported;
	bool ended;

	if (second)
		out_side(w->s->out, 'B');
	ended = hang_watch(w->s);
	/* what does not fit in calls so far may be why nothing moves */
	if (!ended && !before && w->s->hang.reported)
		session_match(w->s);
	if (second)
		out_side(w->s->out, 0);
	return ended;
}

/* Waits for all n; done, when it is not NULL, hears of each that is over. */
static void wait_all(struct wait *w, int n, enum stop_verdict *verdict,
		     void (*done)(void *arg, int i), void *arg)
{
	for (;;) {
		bool interrupted = take_interrupt(w, n);
		int left = 0, turn = 1000;

		for (int i = 0; i < n; i++) {
			if (w[i].over)
				continue;
			if (goes_on(&w[i], interrupted)) {
				left++;
				turn = next_turn(&w[i]) < turn ? next_turn(&w[i]) : turn;
				continue;
			}
			verdict[i] = end(&w[i]);
			/* stops of the checker's own are none */
			if (verdict[i] == VERDICT_STOPPED && w[i].s->checker &&
			    checker_saved(w[i].s->checker, w[i].who)) {
				begin(&w[i], w[i].s, w[i].who);
				turn = 0;
				left++;
				continue;
			}
			w[i].over = true;
			if (done)
				done(arg, i);
		}
		if (!left)
			break;
		for (int i = 0; i < n; i++) {
			if (!w[i].over && w[i].s->checker)
				checker_look(w[i].s->checker);
			if (!w[i].over && watch_hang(&w[i], n > 1 && i))
				turn = 0;
		}
		loop_turn(w->s->loop, turn < HANG_MS ? turn : HANG_MS);
	}
	loop_clear_interrupt(w->s->loop);
}

static enum stop_verdict wait_one(struct session *s, const struct rankset *who, bool any,
				  bool leave)
{
	struct wait w = { 0 };
	enum stop_verdict verdict;

	begin(&w, s, who);
	w.any = any;
	w.leave = leave;
	wait_all(&w, 1, &verdict, NULL, NULL);
	return verdict;
}

enum stop_verdict session_wait(struct session *s, const struct rankset *who)
{
	return wait_one(s, who, false, false);
}

enum stop_verdict session_wait_any(struct session *s, const struct rankset *who)
{
	return wait_one(s, who, true, false);
}

enum stop_verdict session_watch(struct session *s, const struct rankset *who, bool any)
{
	return wait_one(s, who, any, true);
}

void session_wait_both(struct session *const s[2], const struct rankset *const who[2],
		       enum stop_verdict verdict[2], void (*done)(void *arg, int i), void *arg)
{
	struct wait w[2] = { 0 };

	begin(&w[0], s[0], who[0]);
	begin(&w[1], s[1], who[1]);
	wait_all(w, 2, verdict, done, arg);
}
