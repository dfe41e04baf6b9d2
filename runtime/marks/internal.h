/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a trap becomes a mark. The handler of SIGTRAP puts the registers below the thread's red zone
 * and has it go on in marks_enter, outside of any handler: so a mark parks as others do, and stacks
 * and signals are as usual. marks_enter calls marks_run, and goes on in the copy of the instruction
 * that was there, which puts the registers back first. Other threads, and marks that are met inside
 * of the runtime, go to the copied instruction directly. The traps stay where they are.
 */
#ifndef DVMDBG_RUNTIME_MARKS_INTERNAL_H
#define DVMDBG_RUNTIME_MARKS_INTERNAL_H

#include "common/markcode/markcode.h"
#include "runtime/marks/marks.h"

#define RED_ZONE 128 /* bytes below the stack pointer that a function may use */

/* What lies on the stack while a mark is executed; in the order in which it is popped. */
struct saved {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t flags, pc;
};

/* copy.c: the instruction at an address, to be executed elsewhere. */
struct copy {
	uint64_t restore; /* takes the registers from the stack first; rsp leads to them */
	uint64_t plain;
};
/* Room for n of them, near the code at an address. -1: there is none. */
int copy_open(uint64_t near, uint32_t n);
/* code: what is there without traps. -1: it is not known how to execute it elsewhere. */
int copy_make(uint64_t addr, const unsigned char *code, size_t n, struct copy *out);
/* From now on they can be executed, and not be changed any more. */
int copy_close(void);

/* enter.c. Goes to marks_run, with rsp and rbx leading to a struct saved. */
void marks_enter(void);
int enter_init(void);
/* Executes the marks at saved.pc; where to go on. vectors: what xsave or fxsave has put there. */
uint64_t marks_run(struct saved *saved, unsigned char *vectors);

/* sites.c */
extern struct markcode marks_code;
/* Number of the site at an address; UINT32_MAX: there is none. */
uint32_t marks_site(uint64_t pc);

/* run.c */
int run_init(void);
/* Marks of the site; the frame's registers. */
void run_site(const struct markcode_site *s, const struct markcode_frame *f, uint64_t pc);

#endif
