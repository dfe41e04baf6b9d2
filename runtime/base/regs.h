/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers of a thread that waits, for whoever unwinds its stack from outside. Also used in signal
 * handlers.
 */
#ifndef DVMDBG_RUNTIME_BASE_REGS_H
#define DVMDBG_RUNTIME_BASE_REGS_H

#include "runtime/page/page.h"

/* Where the calling thread's control block is, by which its thread-local variables are found. */
static inline uint64_t regs_thread(void)
{
	uint64_t at = 0;

#if defined(__x86_64__)
	__asm__("movq %%fs:0, %0" : "=r"(at));
#elif defined(__aarch64__)
	__asm__("mrs %0, tpidr_el0" : "=r"(at));
#endif
	return at;
}

/* The stack pointer among registers that have it; 0: not known. */
static inline uint64_t regs_stack(const struct page_regs *r)
{
#if defined(__x86_64__)
	return r->have ? r->reg[7] : 0;
#elif defined(__aarch64__)
	return r->have ? r->reg[31] : 0;
#else
	(void)r;
	return 0;
#endif
}

/* Those of the function that this is inlined into, which must not return while they are used. */
static inline __attribute__((always_inline)) void regs_here(struct page_regs *r)
{
	r->thread = regs_thread();
#if defined(__x86_64__)
	__asm__ volatile("movq %%rbx, 24(%0)\n\t"
			 "movq %%rbp, 48(%0)\n\t"
			 "movq %%rsp, 56(%0)\n\t"
			 "movq %%r12, 96(%0)\n\t"
			 "movq %%r13, 104(%0)\n\t"
			 "movq %%r14, 112(%0)\n\t"
			 "movq %%r15, 120(%0)\n\t"
			 "leaq 1f(%%rip), %%rax\n"
			 "1:\tmovq %%rax, 128(%0)"
			 :
			 : "r"(r->reg)
			 : "rax", "memory");
	r->have = 0x1f0c8; /* rbx rbp rsp r12 … r15 rip */
#elif defined(__aarch64__)
	__asm__ volatile("stp x19, x20, [%0, #152]\n\t"
			 "stp x21, x22, [%0, #168]\n\t"
			 "stp x23, x24, [%0, #184]\n\t"
			 "stp x25, x26, [%0, #200]\n\t"
			 "stp x27, x28, [%0, #216]\n\t"
			 "stp x29, x30, [%0, #232]\n\t"
			 "mov x9, sp\n\t"
			 "adr x10, 1f\n"
			 "1:\tstp x9, x10, [%0, #248]"
			 :
			 : "r"(r->reg)
			 : "x9", "x10", "memory");
	r->have = UINT64_C(0x1fff80000);
#else
	r->have = 0;
#endif
}

/* Those that a signal handler has found, of its third argument. */
void regs_of_context(struct page_regs *r, const void *context);

#endif
