/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A parked thread. Also used in signal handlers: nothing here allocates or locks.
 */
#include "runtime/base/elsewhere.h"
#include "runtime/base/regs.h"
#include "runtime/stop/internal.h"
#include "runtime/record/record.h"

static bool may_go(uint32_t gen)
{
	return (int32_t)(atomic_load(&rt.page->go_gen) - gen) > 0;
}

static bool may_go_on(uint64_t gen)
{
	return may_go((uint32_t)gen);
}

/* How the thread is parked that is asked for calls. */
static bool in_handler, may_poll;

static bool serve(uint64_t gen)
{
	if (may_go_on(gen))
		return true;
	call_serve(in_handler, may_poll, may_go_on, gen);
	return may_go_on(gen);
}

_Noreturn void park_for_end(void)
{
	for (;;)
		wait_sleep();
}

bool park(const struct park *k, bool poll)
{
	struct page *p = rt.page;
	uint64_t caller = rt.caller;
	bool early, closed;

	if (atomic_load(&rt.crashed) && k->reason != STOP_SIGNAL)
		park_for_end();
	if (rt_owner)
		var_forget_stack();
	if (rt_owner && !k->context)
		elsewhere_fetch();
	closed = trace_park_begin();
	p->reason = k->reason;
	p->done = k->done;
	p->changed = k->changed;
	p->code = k->code;
	p->fault = k->fault;
	p->nact = k->nact;
	for (unsigned i = 0; i < k->nact; i++)
		p->act[i] = k->act[i];
	if (k->context)
		regs_of_context(&p->regs, k->context);
	else
		regs_here(&p->regs);
	/* a signal comes anywhere; else it is in a function of ours that the program has called */
	if (k->context)
		rt.caller = regs_stack(&p->regs);
	p->regs.stack = rt.caller;
	atomic_store(&p->stop_gen, k->gen);
	atomic_fetch_add(&p->stop_count, 1);
	/* before PARKED: a release after it is an answer to this stop */
	early = may_go(k->gen);
	atomic_store(&p->state, PAGE_PARKED);
	wait_notify();
	in_handler = k->context != NULL;
	may_poll = poll;
	wait_polling(serve, k->gen, poll);
	if (!k->context)
		traps_load();
	if (rt_owner && !k->context)
		elsewhere_store();
	rt.caller = caller;
	if (closed)
		trace_park_end();
	if (!rt_is_on())
		return true;
	atomic_store(&p->state, PAGE_RUNNING);
	wait_notify();
	return !early;
}
