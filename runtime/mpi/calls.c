/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls that return at once: those that can wait are in wrapped.c.
 * Before a call of MPI the write that its thread has made last is looked at: MPI may be about to
 * put something else there. That is all that these wrappers do; then they go on to the next
 * definition of their own name, with all registers and the stack as they were, so that nothing has
 * to be known of parameters. On processors for which the few instructions of that are not written
 * here, a write is looked at at the thread's next event instead.
 */
#include "runtime/mpi/list.h"
#include "runtime/mpi/internal.h"
#include "runtime/order/order.h"
#include "runtime/base/mpi_table.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Sends that are to wait for their receives: the name of what is called in the place of one. */
static const char *sent_as(const char *name, char *out, size_t size)
{
	static const char *const sends[] = { "send", "isend", "send_init", "send_c", "isend_c",
					     "send_init_c" };
	const char *mode = getenv("DVMDBG_SENDS"), *call = name + 4; /* behind MPI_ */

	for (size_t i = 0; mode && *mode && i < sizeof(sends) / sizeof(*sends); i++) {
		size_t n = strlen(sends[i]), at = 5 + (sends[i][0] == 'i');

		if (strncasecmp(call, sends[i], n) ||
		    (call[n] && strcmp(call + n, "_") && strcmp(call + n, "__") &&
		     strcmp(call + n, "_f08_")))
			continue;
		snprintf(out, size, "%.*s%c%s", (int)at, name, name[at] == 'E' ? 'S' : 's',
			 name + at);
		return out;
	}
	return name;
}

static void *next_to_call(const char *name)
{
	char other[64];
	void *to = next_of(sent_as(name, other, sizeof(other)));

	if (!to)
		to = next_of(name);
	return error_wrapper(name, order_wrapper(name, to));
}

/* Where there is no libdvmdbg, or it has not come up: not debugged, and each call is one to look
 * at. */
static const _Atomic uint32_t off[4] = { 0, 1, 0, 0 };
const _Atomic uint32_t *_Atomic slot_switch = off;

void slot_find_switch(void)
{
	const _Atomic uint32_t *at;

	if (atomic_load_explicit(&slot_switch, memory_order_relaxed) != off || !dvmdbg_mpi_switch)
		return;
	at = dvmdbg_mpi_switch();
	if (at)
		atomic_store_explicit(&slot_switch, at, memory_order_relaxed);
}

/* From the wrappers: returns where to go. */
void *slot_begin(struct mpi_slot *s) __attribute__((used));
void *slot_begin(struct mpi_slot *s)
{
	void *to = atomic_load_explicit(&s->to, memory_order_relaxed);

	if (dvmdbg_mpi_refuse)
		dvmdbg_mpi_refuse(s->name);
	if (!to) {
		to = next_to_call(s->name);
		atomic_store_explicit(&s->to, to, memory_order_relaxed);
	}
	if (check_is_outside)
		check_outside(s->name);
	slot_find_switch();
	if (dvmdbg_mpi_call)
		dvmdbg_mpi_call();
	return to;
}

/* slot_common has the slot in a register that no call has a parameter in. MPI has none that are
 * floating-point numbers. */
#if defined(__x86_64__)
__asm__(".text\n"
	".type slot_common, @function\n"
	"slot_common:\n"
	"	.cfi_startproc\n"
	"	push %rdi\n	push %rsi\n	push %rdx\n	push %rcx\n"
	"	push %r8\n	push %r9\n	push %rax\n"
	"	.cfi_def_cfa_offset 64\n"
	"	mov %r11, %rdi\n"
	"	call slot_begin\n"
	"	mov %rax, %r11\n"
	"	pop %rax\n	pop %r9\n	pop %r8\n"
	"	pop %rcx\n	pop %rdx\n	pop %rsi\n	pop %rdi\n"
	"	.cfi_def_cfa_offset 8\n"
	"	jmp *%r11\n"
	"	.cfi_endproc\n"
	".size slot_common, . - slot_common\n");
#define STUB(slot)                          \
	"	.cfi_startproc\n"                 \
	"	endbr64\n"                        \
	"	lea " slot "(%rip), %r11\n" \
	"	jmp slot_common\n"                \
	"	.cfi_endproc\n"
#elif defined(__aarch64__)
__asm__(".text\n"
	".type slot_common, %function\n"
	"slot_common:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, #-96]!\n"
	"	.cfi_def_cfa_offset 96\n"
	"	.cfi_offset 29, -96\n"
	"	.cfi_offset 30, -88\n"
	"	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n"
	"	stp x2, x3, [sp, #32]\n"
	"	stp x4, x5, [sp, #48]\n"
	"	stp x6, x7, [sp, #64]\n"
	"	str x8, [sp, #80]\n"
	"	mov x0, x16\n"
	"	bl slot_begin\n"
	"	mov x16, x0\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x2, x3, [sp, #32]\n"
	"	ldp x4, x5, [sp, #48]\n"
	"	ldp x6, x7, [sp, #64]\n"
	"	ldr x8, [sp, #80]\n"
	"	ldp x29, x30, [sp], #96\n"
	"	.cfi_def_cfa_offset 0\n"
	"	br x16\n"
	"	.cfi_endproc\n"
	".size slot_common, . - slot_common\n");
#define STUB(slot)                              \
	"	.cfi_startproc\n"                     \
	"	hint #34\n"                           \
	"	adrp x16, " slot "\n"           \
	"	add x16, x16, :lo12:" slot "\n" \
	"	b slot_common\n"                      \
	"	.cfi_endproc\n"
#endif

#ifdef STUB

#define NAME(symbol)          \
	".globl " symbol "\n" \
	".type " symbol ", %function\n" symbol ":\n"
#define WRAP(symbol, slot)                                                              \
	struct mpi_slot slot __attribute__((visibility("hidden"))) = { NULL, #symbol }; \
	__asm__(".text\n.balign 16\n" NAME(#symbol) STUB(#slot));

/* In C, in the four spellings of Fortran's compilers, and in that of Open MPI's mpi_f08. */
#define CALLS(mixed, lower, upper)            \
	CALL(mixed)                           \
	WRAP(mpi_##lower##_, slot_1_##lower)  \
	WRAP(mpi_##lower##__, slot_2_##lower) \
	WRAP(mpi_##lower, slot_3_##lower)     \
	WRAP(MPI_##upper, slot_4_##lower)     \
	WRAP(mpi_##lower##_f08_, slot_5_##lower)
#define CALL(mixed) WRAP(MPI_##mixed, slot_c_##mixed)

MPI_LIST(CALLS)
MPI_LIST_LATER(CALL)

#endif
