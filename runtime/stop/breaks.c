/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Breakpoints in the code of the program. Who comes to one parks there, once, with all its
 * registers; then the instruction is put back and executed. Where they are comes with the program's
 * start.
 */
#include <link.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/stop/stop.h"

#define BREAKS 256

enum { GONE, LEAVING, SET }; /* LEAVING: who came to it first is about to remove it */

static struct {
	uint64_t addr;
	_Atomic uint32_t state;
} at[BREAKS];
static uint32_t n;

static bool trapped(uint64_t pc, void *context)
{
	struct park p = { .reason = STOP_HALT, .gen = rt.plan.gen, .context = context };
	bool known = false, leaving = false;
	uint32_t i, set = SET;

	for (i = 0; i < n; i++, set = SET) {
		if (at[i].addr != pc)
			continue;
		known = true;
		if (atomic_compare_exchange_strong(&at[i].state, &set, LEAVING))
			break;
		leaving |= set == LEAVING;
	}
	/* of several threads one stops; a trap that stays is another's, as that of a mark beside
	 * the source */
	if (!known || (i == n && !leaving && code_traps(pc)))
		return false;
	code_pc(context, pc);
	if (i == n)
		return true;
	code_trap(pc, false);
	atomic_store(&at[i].state, GONE);
	if (rt_is_on() && rt_owner)
		while (!park(&p, false))
			p.gen = atomic_load(&rt.page->go_gen);
	return true;
}

void breaks_init(void)
{
	const char *s = getenv("DVMDBG_BREAKS");

	if (!s || code_watch(trapped))
		return;
	while (*s && n < BREAKS) {
		char *end;
		uint64_t addr = strtoull(s, &end, 16) + _r_debug.r_map->l_addr;

		if (end == s)
			return;
		at[n].addr = addr;
		atomic_store(&at[n].state, SET);
		n++;
		if (code_trap(addr, true))
			n--;
		s = *end ? end + 1 : end;
	}
}
