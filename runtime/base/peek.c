/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/peek.h"

#include <string.h>
#include <ucontext.h>

#ifndef PEEK_PLAIN

/* As the assembler has made it: distances from the members themselves. */
struct fixup {
	int32_t load, behind;
};
extern const struct fixup __start_dvmdbg_peek[] __attribute__((visibility("hidden")));
extern const struct fixup __stop_dvmdbg_peek[] __attribute__((visibility("hidden")));

static uintptr_t target(const int32_t *distance)
{
	return (uintptr_t)distance + (uintptr_t)(intptr_t)*distance;
}

bool peek_fixup(void *context)
{
	ucontext_t *c = context;
#ifdef __x86_64__
	uintptr_t pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#else
	uintptr_t pc = (uintptr_t)c->uc_mcontext.pc;
#endif

	for (const struct fixup *f = __start_dvmdbg_peek; f < __stop_dvmdbg_peek; f++) {
		if (target(&f->load) != pc)
			continue;
#ifdef __x86_64__
		c->uc_mcontext.gregs[REG_RIP] = (greg_t)target(&f->behind);
#else
		c->uc_mcontext.pc = target(&f->behind);
#endif
		return true;
	}
	return false;
}

#else

bool peek_fixup(void *context)
{
	(void)context;
	return false;
}

#endif

bool peek_bytes(void *to, uint64_t addr, uint64_t n)
{
	unsigned char *p = to;
	uint64_t v;

	for (; n >= 8; n -= 8, addr += 8, p += 8) {
		if (!peek_8(addr, &v))
			return false;
		memcpy(p, &v, 8);
	}
	for (; n; n--, addr++, p++) {
		if (!peek_1(addr, &v))
			return false;
		*p = (unsigned char)v;
	}
	return true;
}
