/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Breakpoints in the code of the program. Who comes to one parks there, once, with all its registers;
 * then the instruction is put back and executed. Where they are comes with the program's start.
 */
#include <link.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/stop/stop.h"

#define BREAKS 256

static struct {
	uint64_t addr;
	_Atomic uint32_t set; /* it is in the code */
} at[BREAKS];
static uint32_t n;

static bool trapped(uint64_t pc, void *context)
{
	struct park p = { .reason = STOP_HALT, .gen = rt.plan.gen, .context = context };

	for (uint32_t i = 0; i < n; i++) {
		uint32_t set = 1;

		if (at[i].addr != pc)
			continue;
		code_pc(context, pc);
		/* of several threads one stops; all execute what was there */
		if (!atomic_compare_exchange_strong(&at[i].set, &set, 0))
			return true;
		code_trap(pc, false);
		if (rt_is_on() && rt_owner)
			while (!park(&p, false))
				p.gen = atomic_load(&rt.page->go_gen);
		return true;
	}
	return false;
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
		atomic_store(&at[n].set, 1);
		n++;
		if (code_trap(addr, true) < 0)
			n--;
		s = *end ? end + 1 : end;
	}
}
