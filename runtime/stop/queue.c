/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queue of checksums in the page: the program appends, the supervisor takes. And the wait for
 * the verdict about what was appended.
 */
#include "runtime/stop/internal.h"

#include <string.h>

static bool room(uint64_t n)
{
	uint64_t used = atomic_load(&rt.page->sums_head) - atomic_load(&rt.page->sums_tail);

	return used <= PAGE_SUMS && n <= PAGE_SUMS - used;
}

/* The thread is wanted elsewhere: it shall park, or there are new rules. */
static bool wanted(void)
{
	return atomic_load(&rt.page->freeze) || atomic_load(&rt.crashed) || rules_changed();
}

static bool room_or_wanted(uint64_t n)
{
	return room(n) || wanted();
}

static bool verdict_or_wanted(uint64_t hold)
{
	return atomic_load(&rt.page->verdict) >= hold || wanted();
}

/* New rules are taken over; false: the thread shall park, or takes no sums any more. */
static bool wait_on(void)
{
	if (!rt_is_on() || atomic_load(&rt.page->freeze) || atomic_load(&rt.crashed))
		return false;
	stop_reload();
	return sums_due();
}

static bool wait_for_room(uint32_t n, bool hold)
{
	struct page *p = rt.page;
	bool on = true;

	/* who holds has to report: nobody could say when it may go on */
	while (on && !room(n) && (hold || !rt.trace_config.drop)) {
		atomic_store(&p->sums_waiting, 1);
		/* one that finds the queue broken makes room too */
		wait_notify();
		wait_polling(room_or_wanted, n, true);
		atomic_store(&p->sums_waiting, 0);
		if (!room(n))
			on = wait_on();
	}
	return rt_is_on() && room(n);
}

bool queue_put(const void *record, uint32_t n, uint64_t hold)
{
	struct page *p = rt.page;
	uint64_t head = atomic_load(&p->sums_head);
	size_t at = head % PAGE_SUMS, first = n < PAGE_SUMS - at ? n : PAGE_SUMS - at;

	if (!wait_for_room(n, hold))
		return false;
	memcpy(p->sums + at, record, first);
	memcpy(p->sums, (const char *)record + first, n - first);
	atomic_store(&p->sums_hold, hold);
	atomic_store(&p->sums_head, head + n);
	wait_notify();
	return true;
}

/* A halt has come and gone while the thread slept: it does as all others do that were halted. */
static bool sent_elsewhere(uint32_t gen)
{
	return rt.plan.gen != gen && rt.plan.mode == PLAN_TO;
}

bool queue_hold(uint64_t hold)
{
	struct page *p = rt.page;
	uint32_t gen = rt.plan.gen;
	uint64_t verdict;
	bool differ = false;

	do {
		wait_polling(verdict_or_wanted, hold, true);
		verdict = atomic_load(&p->verdict);
		if (verdict == hold)
			differ = atomic_load(&p->verdict_stop);
	} while (verdict < hold && wait_on() && rt.trace_config.hold && !sent_elsewhere(gen));
	atomic_store(&p->sums_hold, 0);
	return differ && rt_is_on();
}
