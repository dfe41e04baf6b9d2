/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs of OpenMP call by themselves: notes beside those of the tool (runtime/ompt). */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "runtime/hooks/hooks.h"
#include "runtime/record/record.h"

static void on_part(int what)
{
	static const char *const note[] = { [HOOK_NO_PART] = "N 0",
					    [HOOK_PART] = "N 1",
					    [HOOK_ITERATION] = "N 2",
					    [HOOK_LOOP_ENDS] = "N 3",
					    [HOOK_HAS_A_NUMBER] = "U" };

	if (openmp_is_recorded() && (unsigned)what < sizeof(note) / sizeof(*note))
		declare_openmp(note[what]);
}

static void on_loop(const void *pc)
{
	char text[40];

	if (!openmp_is_recorded())
		return;
	snprintf(text, sizeof(text), "G %" PRIxPTR, (uintptr_t)pc);
	declare_openmp(text);
}

OPENMP_THREAD struct task_memory task_memory;

static void on_task(void *p, size_t n)
{
	static _Atomic uint64_t last;
	char text[80];

	if (!openmp_is_recorded())
		return;
	task_memory =
		(struct task_memory){ atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1,
				      (uintptr_t)p, n };
	snprintf(text, sizeof(text), "A %" PRIu64 " %" PRIx64 " %" PRIx64, task_memory.id,
		 task_memory.at, task_memory.n);
	declare_openmp(text);
}

OPENMP_THREAD struct begun_by begun_by;

/* Behind a frame's pointer are that of its caller, and where it returns to. */
static void on_begins(const void *pc, const void *frame, const void *code, const void *data)
{
	begun_by = (struct begun_by){ .pc = (uintptr_t)pc,
				      .code = (uintptr_t)code,
				      .data = (uintptr_t)data };
#if defined(__x86_64__) || defined(__aarch64__)
	if (frame) {
		begun_by.sp = (uintptr_t)((void *const *)frame + 2);
		begun_by.bp = *(const uintptr_t *)frame;
	}
#else
	(void)frame;
#endif
}

/*
 * Numbered so that what has read what another wrote has the higher number. A loop that waits reads
 * the same again and again: once is enough. A fence makes the loads before it acquire, the stores
 * behind it release.
 */
static void on_orders(const volatile void *addr, int what, uint64_t value)
{
	static OPENMP_THREAD struct {
		uintptr_t addr;
		uint64_t value;
		bool known, acquired;
	} last;
	static OPENMP_THREAD bool fenced;
	static _Atomic uint64_t clock;
	uintptr_t at = (uintptr_t)addr;
	char text[80];

	if (!openmp_is_recorded())
		return;
	if (what == HOOK_ACQUIRES || what == HOOK_LOADS) {
		if (last.known && last.addr == at && last.value == value)
			return;
		last.addr = at;
		last.value = value;
		last.known = true;
		last.acquired = what == HOOK_ACQUIRES;
		if (!last.acquired)
			return;
	} else if (what == HOOK_FENCE) {
		fenced = true;
		if (!last.known || last.acquired)
			return;
		last.acquired = true;
		at = last.addr;
		what = HOOK_ACQUIRES;
	} else if (what == HOOK_STORES && !fenced) {
		return;
	}
	snprintf(text, sizeof(text), "O %c %" PRIxPTR " %" PRIu64,
		 what == HOOK_ACQUIRES ? 'q' : 'r', at, atomic_fetch_add(&clock, 1) + 1);
	declare_openmp(text);
}

void openmp_join(struct dvmdbg_hooks *h)
{
	if (h->size >= offsetof(struct dvmdbg_hooks, task)) {
		h->part = on_part;
		h->loop = on_loop;
	}
	if (h->size >= offsetof(struct dvmdbg_hooks, begins))
		h->task = on_task;
	if (h->size >= sizeof(*h)) {
		h->begins = on_begins;
		h->orders = on_orders;
	}
}
