/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Findings of the runtime, and the little text they need, made without stdio.
 */
#include "runtime/base/base.h"

#include <string.h>

#define KNOWN 256 /* findings of other threads; a power of two */

static atomic_flag writing = ATOMIC_FLAG_INIT;
static atomic_flag thread_reported = ATOMIC_FLAG_INIT;

void text_str(struct text *t, const char *s)
{
	while (*s && t->n + 1 < t->cap)
		t->at[t->n++] = *s++;
	t->at[t->n] = 0;
}

void text_num(struct text *t, int64_t v)
{
	char digits[24];
	char *p = digits + sizeof(digits) - 1;
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	*p = 0;
	do
		*--p = (char)('0' + u % 10);
	while (u /= 10);
	if (v < 0)
		*--p = '-';
	text_str(t, p);
}

/*
 * Owner and other threads can meet here, and a signal handler can interrupt either: who comes
 * second does not wait, and its finding is lost.
 */
static void find_write(enum finding_kind kind, uint32_t loc, uint64_t pc,
		       const struct point *point, const char *detail)
{
	struct page_finding *f;
	uint32_t n;

	if (atomic_flag_test_and_set(&writing))
		return;
	n = atomic_load_explicit(&rt.page->finding_n, memory_order_relaxed);
	if (n < PAGE_FINDINGS) {
		struct text t = { .at = rt.page->finding[n].detail };

		t.cap = sizeof(f->detail);
		f = &rt.page->finding[n];
		f->kind = kind;
		f->loc = loc;
		f->pc = pc;
		f->point = *point;
		text_str(&t, detail);
	}
	atomic_store(&rt.page->finding_n, n + 1);
	atomic_flag_clear(&writing);
	wait_notify();
}

void find_add(enum finding_kind kind, uint32_t loc, const char *detail)
{
	uint64_t bit = UINT64_C(1) << kind;

	if (rt_loc && loc) {
		if (rt_loc[loc].found & bit)
			return;
		rt_loc[loc].found |= bit;
	}
	find_write(kind, loc ? rt_loc[loc].off : 0, 0, &rt.last, detail);
}

void find_at(enum finding_kind kind, uint64_t pc, const char *detail)
{
	static _Atomic uint64_t known[KNOWN];
	struct point none = { 0 };
	uint64_t key = pc << 6 | kind;
	_Atomic uint64_t *at = &known[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (KNOWN - 1)];

	if (rt_is_on() && atomic_exchange(at, key) != key)
		find_write(kind, 0, pc, &none, detail);
}

void find_stored(uint32_t loc, uint64_t addr, const char *detail)
{
	uint32_t at;

	if (rt_loc[loc].found & UINT64_C(1) << FINDING_STORED)
		return;
	rt_loc[loc].found |= UINT64_C(1) << FINDING_STORED;
	/* a place is that of the call before an address */
	at = arena_loc_of_pc(CONSTRUCT_KINDS, addr + 1, NULL, 0);
	if (at)
		find_write(FINDING_STORED, rt_loc[at].off, 0, &rt.last, detail);
}

void find_thread(const char *what, const char *file, int line)
{
	char detail[192];
	struct text t = { detail, 0, sizeof(detail) };
	struct point none = { 0 };

	if (!rt_is_on() || atomic_flag_test_and_set(&thread_reported))
		return;
	text_str(&t, what);
	if (file) {
		const char *base = strrchr(file, '/');

		text_str(&t, " at ");
		text_str(&t, base ? base + 1 : file);
		text_str(&t, ":");
		text_num(&t, line);
	}
	find_write(FINDING_THREAD, 0, 0, &none, detail);
}
