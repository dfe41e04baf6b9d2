/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point operations that raise SIGFPE, as the setting FPE says: bits in the control
 * registers of the program's thread, which threads that it starts inherit. Checksums compute with
 * what the program has, NaN too: meanwhile nothing is raised.
 */
#include "common/protocol/msg.h"
#include "runtime/stop/stop.h"

static uint32_t set;  /* what is raised by our doing */
static uint32_t want; /* what is to be, when traps are not held */
static bool held;

#if defined(__x86_64__)
/* enum fpe_trap as bits of the x87's control word; those of MXCSR are the same, seven further
 * up. */
static unsigned bits_of(uint32_t traps)
{
	return (traps & FPE_TRAP_INVALID ? 1u : 0) | (traps & FPE_TRAP_DIVZERO ? 4u : 0) |
	       (traps & FPE_TRAP_OVERFLOW ? 8u : 0);
}

/* In both a 1 means that nothing is raised. */
static void change(uint32_t on, uint32_t off)
{
	uint16_t word;
	uint32_t csr;

	__asm__ volatile("fnstcw %0" : "=m"(word));
	__asm__ volatile("stmxcsr %0" : "=m"(csr));
	word = (uint16_t)((word | bits_of(off)) & ~bits_of(on));
	csr = (csr | bits_of(off) << 7) & ~(bits_of(on) << 7);
	/* an exception of before would be raised by the next operation */
	__asm__ volatile("fnclex\n\tfldcw %0" : : "m"(word));
	__asm__ volatile("ldmxcsr %0" : : "m"(csr));
}
#elif defined(__aarch64__)
static uint64_t bits_of(uint32_t traps)
{
	return (traps & FPE_TRAP_INVALID ? 1u << 8 : 0) | (traps & FPE_TRAP_DIVZERO ? 1u << 9 : 0) |
	       (traps & FPE_TRAP_OVERFLOW ? 1u << 10 : 0);
}

/* Many of these processors cannot raise any: the bits stay 0 there. */
static void change(uint32_t on, uint32_t off)
{
	uint64_t word;

	__asm__ volatile("mrs %0, fpcr" : "=r"(word));
	word = (word & ~bits_of(off)) | bits_of(on);
	__asm__ volatile("msr fpcr, %0" : : "r"(word));
}
#else
static void change(uint32_t on, uint32_t off)
{
}
#endif

static void take(uint32_t traps)
{
	if (traps == set)
		return;
	change(traps & ~set, set & ~traps);
	set = traps;
}

void traps_load(void)
{
	if (!rt_owner)
		return;
	want = atomic_load_explicit(&rt.page->fpe, memory_order_relaxed) & (FPE_TRAPS - 1);
	if (!held)
		take(want);
}

void traps_hold(void)
{
	held = true;
	take(0);
}

void traps_release(void)
{
	held = false;
	take(want);
}
