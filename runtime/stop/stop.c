/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the program stops: each mark asks the rules, the plan and the supervisor. Needs no message,
 * since every rank numbers alike.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/stop/internal.h"
#include "runtime/record/record.h"

/* Begins to obey a new plan, here. */
static void plan_take(const struct plan *p)
{
	uint32_t i = rt.depth;

	/* the same once more: what it has done so far counts */
	if (p->since && p->since == rt.plan.since) {
		rt.plan = *p;
		return;
	}
	rt.plan = *p;
	rt.plan_left = p->n ? p->n : 1;
	rt.plan_depth = i ? rt.frame[i - 1].loop_depth : 0;
	while (i && rt.frame[i - 1].ending)
		i--;
	rt.plan_finish = i ? rt.frame[i - 1].id : 0;
}

void stop_reload(void)
{
	struct plan p;

	if (!rules_changed())
		return;
	rules_load(&p);
	gate_reload();
	rt_deathsig();
	traps_load();
	if (p.gen != rt.plan.gen)
		plan_take(&p);
	stop_want_iterations();
}

void stop_want_iterations(void)
{
	bool want = gate_active || rt.plan.mode == PLAN_ITER || rules_iterations() ||
		    (watched_any() && access_hooked()) || watched_iterations();

	if (!want && rt_iterations())
		stack_no_iteration();
	atomic_store(&dvmdbg_iterations, want);
	if (rt.at_iterations)
		rt.at_iterations(want);
}

/* Whether the last point has reached the target of the plan. */
static bool plan_reached(void)
{
	enum point_order o;

	if (rt.plan.mode != PLAN_TO || !rt.last.main)
		return false;
	o = point_compare(&rt.last, &rt.plan.target);
	return o == POINT_EQUAL || o == POINT_AFTER;
}

/* Whether the plan's steps are done with this mark. */
static bool plan_done(enum stop_at at, const struct rt_frame *f)
{
	bool iteration =
		at == STOP_AT_ITERATION || (at == STOP_AT_BEGIN && f->kind == CONSTRUCT_TASK);

	switch (rt.plan.mode) {
	case PLAN_STEP:
		return f->numbered && f->kind != CONSTRUCT_FINISH && at != STOP_AT_ITERATION &&
		       !--rt.plan_left;
	case PLAN_ITER:
		return iteration && (!rt.plan_depth || f->loop_depth <= rt.plan_depth) &&
		       !--rt.plan_left;
	case PLAN_FINISH:
		return at == STOP_AT_END && f->id == rt.plan_finish;
	}
	return false;
}

bool stop_iterations(void)
{
	stop_reload();
	return rt.plan.mode == PLAN_ITER || rules_iterations();
}

/*
 * Parks as often as there is a reason to: those that p has, or done: the plan ends here. point:
 * halts stop here, and where the plan is to end may be here. poll: MPI may be called.
 */
static void stay(struct park *p, bool done, bool point, bool poll)
{
	enum stop_reason reason = p->reason;
	bool waited;

	p->gen = rt.plan.gen;
	while (reason != STOP_HALT || done || (point && atomic_load(&rt.page->freeze)) ||
	       atomic_load_explicit(&rt.crashed, memory_order_relaxed)) {
		if (reason == STOP_HALT && done && rt.plan.mode != PLAN_TO)
			p->reason = STOP_STEP;
		else
			p->reason = reason;
		p->done = done;
		waited = park(p, poll);
		if (!rt_is_on())
			return;
		stop_reload();
		if (watched_any())
			watched_rebase();
		p->gen = rt.plan.gen;
		/* a plan that came while we were about to park has not seen this stop: report it
		 * again */
		if (!waited) {
			p->gen = atomic_load(&rt.page->go_gen);
		} else {
			reason = STOP_HALT;
			p->nact = 0;
		}
		done = plan_reached();
	}
}

void stop_check(enum stop_at at, const struct rt_frame *f)
{
	struct park p = { .nact = 0 };
	bool point = f->numbered && at != STOP_AT_ITERATION;
	bool done, mismatch = false;

	stop_reload();
	if (construct_unmarked(f->kind)) {
		stack_resolve(&rt.plan.target);
		stack_resolve(&rt.trace_config.start);
		stack_resolve(&rt.trace_config.finish);
	}
	if (point && sums_due()) {
		mismatch = sums_take(f);
		if (!rt_is_on())
			return;
		stop_reload(); /* it may have waited */
	}
	if (rt.exiting)
		return;
	if (rules_any())
		p.nact = rules_match(f, at, p.act);
	if (point ? watched_any() :
		    at == STOP_AT_ITERATION && !f->numbered && watched_iterations())
		p.nact = watched_inspect(f, p.act, p.nact, &p.changed);
	done = rt.plan.mode != PLAN_CONT && plan_done(at, f);
	if (point) {
		/* the point is stored, then freeze is read; the supervisor does it the other way
		 * round */
		atomic_thread_fence(memory_order_seq_cst);
		done |= plan_reached();
	}
	p.reason = mismatch ? STOP_MISMATCH : p.nact ? STOP_POINT : STOP_HALT;
	stay(&p, done, point, true);
}

/* The thread is in a function that MPI has called. */
static bool in_mpi(void)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);

	for (unsigned i = 0; i < MPISTATE_THREADS; i++) {
		const struct mpistate_slot *s = &rt.page->mpi_calls.slot[i];

		if (atomic_load(&s->tid) == tid)
			return atomic_load(&s->in);
	}
	return false;
}

void stop_written(uint64_t pc, bool other)
{
	struct park p = { .reason = STOP_WRITE, .code = other, .fault = pc };

	stop_reload();
	if (rt.exiting || !watched_any())
		return;
	p.nact = watched_written(p.act, &p.changed);
	if (p.nact)
		stay(&p, false, false, !in_mpi());
}
