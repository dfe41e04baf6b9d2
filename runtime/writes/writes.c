/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The owner thread makes the table; any thread reads it, without a lock: of two tables the one is
 * read while the other is made. Who reads one that is being made again finds too much or too
 * little once; what has changed is decided by the values.
 */
#include "runtime/writes/writes.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/base/peek.h"

#define PAGES 4096u /* of the filter, a power of two */
#define PAGE_BITS 12
#define NOTED 16     /* bytes of a write whose former value is kept */
#define STATEMENT 64 /* bytes of code: the read that belongs to a write is not farther behind it \
		      */

struct table {
	struct writes_run run[WRITES_RUNS];
	uint64_t reach[WRITES_RUNS]; /* the highest hi so far */
	uint32_t n;
	uint64_t filter[PAGES / 64];
};

/* Of a thread: a write that is about to be done. */
struct noted {
	uint64_t addr, pc;
	size_t n; /* 0: none */
	uint64_t old[NOTED / 8];
	bool copied; /* what is copied there has been read, but the write is not done */
};

_Atomic uint32_t writes_open;
static struct table table[2];
static _Atomic uint32_t now; /* which of them */
static __thread struct noted noted __attribute__((tls_model("initial-exec")));
static struct noted reported; /* the owner's, of which is being reported; n 0: it is not known */
static _Atomic uint64_t by_other;   /* where another thread has changed something; 0: nowhere */
static _Atomic int32_t others_note; /* writes of other threads that are noted */
static bool mpi_called;		    /* since the owner's last access */
static uint32_t changes;	    /* of objects, that are known */
static void (*open_changed)(bool open);
static void (*memory_changed)(uint64_t pc, bool other);

static void at_mark(void);

void writes_use(void (*changed)(bool open))
{
	open_changed = changed;
}

void writes_report_to(void (*changed)(uint64_t pc, bool other))
{
	memory_changed = changed;
}

/* By another thread, or by MPI. */
static void others_changed(uint64_t pc, bool other)
{
	reported.n = 0;
	memory_changed(pc, other);
}

static int by_address(const void *a, const void *b)
{
	const struct writes_run *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void filter_add(struct table *t, uint64_t lo, uint64_t hi)
{
	uint64_t first = lo >> PAGE_BITS, last = (hi - 1) >> PAGE_BITS;

	if (last - first >= PAGES)
		last = first + PAGES - 1;
	for (uint64_t i = first; i <= last; i++)
		t->filter[i % PAGES / 64] |= UINT64_C(1) << (i % 64);
}

void writes_watch(struct writes_run *run, uint32_t n)
{
	uint32_t next = atomic_load(&now) ^ 1;
	struct table *t = &table[next];
	bool open = n > 0;

	if (!open_changed)
		return;
	changes = var_changes();
	if (n)
		qsort(run, n, sizeof(*run), by_address);
	t->n = 0;
	memset(t->filter, 0, sizeof(t->filter));
	for (uint32_t i = 0; i < n; i++) {
		t->run[i] = run[i];
		t->reach[i] = i && t->reach[i - 1] > run[i].hi ? t->reach[i - 1] : run[i].hi;
		filter_add(t, run[i].lo, run[i].hi);
	}
	t->n = n;
	atomic_store(&now, next);
	if (open == atomic_load(&writes_open))
		return;
	rt.at_mark = open ? at_mark : NULL;
	if (open)
		atomic_store(&rt.on[1], 1);
	atomic_store(&writes_open, open);
	open_changed(open);
}

/* Whether some of the n bytes are an element's. */
static bool run_has(const struct writes_run *r, uint64_t addr, uint64_t n)
{
	uint64_t off;

	if (addr + n <= r->lo || addr >= r->hi)
		return false;
	if (addr <= r->lo || r->stride <= r->bytes)
		return true;
	off = (addr - r->lo) % r->stride;
	return off < r->bytes || (off + n > r->stride && addr - off + r->stride < r->hi);
}

static bool is_watched(uint64_t addr, uint64_t n)
{
	const struct table *t = &table[atomic_load_explicit(&now, memory_order_acquire) & 1];
	uint64_t first = addr >> PAGE_BITS, last = (addr + n - 1) >> PAGE_BITS;
	uint32_t lo = 0, hi = t->n;
	bool page = last - first >= PAGES;

	for (uint64_t i = first; i <= last && !page; i++)
		page = t->filter[i % PAGES / 64] >> (i % 64) & 1;
	if (!page)
		return false;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->run[mid].lo < addr + n)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo-- && t->reach[lo] > addr)
		if (run_has(&t->run[lo], addr, n))
			return true;
	return false;
}

/* Handlers of signals that have interrupted us leave it for later. */
static void report(uint64_t pc, bool other)
{
	if (!rt_enter()) {
		if (rt_is_on() && rt.busy)
			atomic_store(&by_other, pc);
		return;
	}
	if (pc && !other)
		memory_changed(pc, other);
	else
		others_changed(pc, other);
	rt_leave();
}

/* What is due at the owner's own accesses and marks. */
static void owner_looks(void)
{
	uint64_t pc;

	if (rt.busy)
		return;
	if (mpi_called || var_changes() != changes) {
		mpi_called = false;
		changes = var_changes();
		report(0, false);
	}
	if (atomic_load_explicit(&by_other, memory_order_relaxed)) {
		pc = atomic_exchange(&by_other, 0);
		report(pc, true);
	}
}

/* Whether the noted write has changed anything; larger ones may have. */
static bool has_changed(const struct noted *w)
{
	uint64_t v[NOTED / 8];

	return w->n > NOTED || !peek_bytes(v, w->addr, w->n) || memcmp(v, w->old, w->n) != 0;
}

/* True, and where: the owner has noted a write, and it has changed something. Other threads leave
 * it to the owner. */
static bool complete(uint64_t *pc)
{
	struct noted w = noted;

	if (!w.n)
		return false;
	noted.n = 0;
	*pc = w.pc;
	if (!has_changed(&w))
		w.n = 0;
	else if (!rt_owner)
		atomic_store(&by_other, w.pc);
	if (!rt_owner)
		atomic_fetch_sub(&others_note, 1);
	else
		reported = w;
	return w.n && rt_owner;
}

bool writes_reported(uint64_t lo, uint64_t hi)
{
	return reported.n && reported.addr < hi && lo < reported.addr + reported.n;
}

void writes_flush(void)
{
	uint64_t pc;

	if (complete(&pc))
		report(pc, false);
}

static void at_mark(void)
{
	uint64_t pc;

	if (complete(&pc))
		memory_changed(pc, false);
	else if (atomic_load_explicit(&by_other, memory_order_relaxed))
		others_changed(atomic_exchange(&by_other, 0), true);
	else if (mpi_called)
		others_changed(0, false); /* the call may not have ended: it counts on */
}

void writes_mpi(void)
{
	writes_flush();
	mpi_called |= rt_owner;
}

/*
 * gcc reports *to = *from, the copy of a structure, first that it writes, then that it reads; it is
 * not done before the access after these.
 */
static bool is_copied(uint64_t addr, size_t n, uint64_t pc)
{
	return !noted.copied && n == noted.n && pc - noted.pc < STATEMENT &&
	       addr - noted.addr >= n && noted.addr - addr >= n &&
	       (n > NOTED || !has_changed(&noted));
}

void writes_access(uint64_t addr, size_t n, bool writes, uint64_t pc)
{
	if (noted.n && !writes && is_copied(addr, n, pc))
		noted.copied = true;
	else if (noted.n)
		writes_flush();
	if (rt_owner)
		owner_looks();
	if (!writes || !is_watched(addr, n))
		return;
	noted = (struct noted){ .addr = addr, .pc = pc };
	if (n <= NOTED && !peek_bytes(noted.old, addr, n))
		return;
	noted.n = n;
	if (!rt_owner)
		atomic_fetch_add(&others_note, 1);
}

bool writes_of_others(void)
{
	return atomic_load(&others_note) || atomic_load(&by_other);
}
