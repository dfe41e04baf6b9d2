/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that calls MPI writes the table; any thread reads it, without a lock: an entry is
 * there or not. A filter by pages of memory lets almost all accesses pass.
 */
#include "runtime/pending/pending.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/mpistate/mpistate.h"
#include "runtime/base/base.h"
#include "runtime/base/mpi_table.h"

#define PAGES 4096u /* of the filter, a power of two */
#define PAGE_BITS 12
#define SITES 1024u	  /* places of accesses that are remembered; a power of two */
#define LOOKS (1 << 20)	  /* accesses that are looked at after a call … */
#define LOOKS_LEAST 4096  /* … or, when that was used up often, … */
#define LOOKS_OFTEN 16	  /* … each so many times half as many */

struct entry {
	_Atomic uint32_t there;
	uint32_t call, arg, writes;
	uint64_t pc;
	struct mpistate_piece piece;
};

/* A place in the code whose accesses to a window are one entry in the page. */
struct site {
	uint64_t pc, base;
	uint32_t event, number; /* number: of the access, from 1 */
	bool writes;
};

_Atomic uint32_t pending_open;
static struct entry entry[MPI_PENDING];
static unsigned top;	  /* entries behind this are free */
static unsigned nentry;
static _Atomic uint16_t filter[PAGES];
static int32_t left;	  /* of the looks; threads may make it a little wrong */
static unsigned used_up;
static struct site site[SITES];
static uint32_t nwindow; /* windows that are in the filter: a bit each below */
static uint64_t in_filter;
static bool hooked;
static uint32_t owner; /* the thread that calls MPI */
static __thread uint32_t self __attribute__((tls_model("initial-exec")));
static void (*gate_changed)(bool open);

void pending_use(void (*changed)(bool open))
{
	gate_changed = changed;
	hooked = true;
}

static void filter_add(uint64_t lo, uint64_t hi, int n)
{
	uint64_t first = lo >> PAGE_BITS, last = (hi - 1) >> PAGE_BITS;

	if (last - first >= PAGES)
		last = first + PAGES - 1;
	for (uint64_t i = first; i <= last; i++)
		atomic_fetch_add_explicit(&filter[i & (PAGES - 1)], (uint16_t)n,
					  memory_order_relaxed);
}

static struct mpistate_race *race(void)
{
	return rt_is_on() && rt.page ? &rt.page->mpi_calls.race : NULL;
}

static bool windows_are_kept(const struct mpistate_race *r)
{
	return r && atomic_load_explicit(&r->on, memory_order_relaxed) &&
	       !atomic_load_explicit(&r->over, memory_order_relaxed) &&
	       atomic_load_explicit(&r->naccess, memory_order_relaxed) < MPISTATE_LOCAL_ACCESSES;
}

/* Windows that have been made, or freed, or are not kept any longer. */
static void windows_look(const struct mpistate_race *r)
{
	bool kept = windows_are_kept(r);
	uint32_t n = r ? atomic_load_explicit(&r->nwindow, memory_order_relaxed) : 0;

	for (uint32_t i = 0; i < n && i < MPISTATE_WINDOWS; i++) {
		const struct mpistate_window *w = &r->window[i];
		bool in = in_filter >> i & 1, wanted = kept && !w->gone && w->size;

		if (in == wanted)
			continue;
		filter_add(w->base, w->base + w->size, wanted ? 1 : -1);
		in_filter ^= UINT64_C(1) << i;
	}
	nwindow = n;
}

static void open_gate(bool open)
{
	if (open == atomic_load_explicit(&pending_open, memory_order_relaxed))
		return;
	atomic_store(&pending_open, open);
	gate_changed(open);
}

static uint32_t thread_id(void)
{
	if (!self)
		self = (uint32_t)syscall(SYS_gettid);
	return self;
}

/* A call has passed: accesses are looked at again. */
static void refill(void)
{
	unsigned less = used_up / LOOKS_OFTEN;
	int32_t looks = less < 20 ? LOOKS >> less : 0;

	left = looks > LOOKS_LEAST ? looks : LOOKS_LEAST;
	open_gate(nentry || in_filter);
}

void dvmdbg_mpi_pending_changed(void)
{
	if (!hooked || !rt_is_on())
		return;
	if (!owner)
		owner = thread_id();
	windows_look(race());
	refill();
}

int dvmdbg_mpi_pending_add(const struct mpistate_piece *piece, int writes, unsigned call,
			   unsigned arg, const void *pc)
{
	unsigned i = 0;

	if (!hooked || !rt_is_on())
		return -1;
	while (i < MPI_PENDING && atomic_load_explicit(&entry[i].there, memory_order_relaxed))
		i++;
	if (i == MPI_PENDING)
		return -1;
	entry[i].call = call + 1;
	entry[i].arg = arg;
	entry[i].writes = writes != 0;
	entry[i].pc = (uintptr_t)pc;
	entry[i].piece = *piece;
	atomic_store_explicit(&entry[i].there, 1, memory_order_release);
	if (i >= top)
		top = i + 1;
	nentry++;
	filter_add((uint64_t)piece->lo, (uint64_t)mpistate_piece_end(piece), 1);
	refill();
	return (int)i;
}

void dvmdbg_mpi_pending_remove(int place)
{
	struct entry *e = &entry[place];

	if (!atomic_load_explicit(&e->there, memory_order_relaxed))
		return;
	atomic_store_explicit(&e->there, 0, memory_order_release);
	filter_add((uint64_t)e->piece.lo, (uint64_t)mpistate_piece_end(&e->piece), -1);
	nentry--;
	if (!nentry)
		top = 0;
	open_gate(nentry || in_filter);
}

static void clash(struct mpistate_race *r, const struct entry *e, bool writes, uint64_t pc)
{
	uint32_t n = atomic_load(&r->nclash);

	for (uint32_t i = 0; i < n && i < MPISTATE_CLASHES; i++)
		if (r->clash[i].pc == e->pc && r->clash[i].by_pc == pc &&
		    r->clash[i].arg == e->arg)
			return;
	n = atomic_fetch_add(&r->nclash, 1);
	if (n >= MPISTATE_CLASHES) {
		atomic_store(&r->nclash, MPISTATE_CLASHES);
		return;
	}
	r->clash[n].call = e->call;
	r->clash[n].arg = e->arg;
	r->clash[n].writes = e->writes;
	r->clash[n].pc = e->pc;
	r->clash[n].by = r->clash[n].by_arg = 0;
	r->clash[n].by_writes = writes;
	r->clash[n].by_pc = pc;
	atomic_store(&r->clash[n].there, 1);
}

/* Whether the access lengthens what the site has done; it may do the same again. */
static bool lengthens(struct mpistate_piece *p, int64_t lo, uint64_t n)
{
	int64_t off = lo - p->lo;

	if (p->n == 1) {
		if (off >= 0 && (uint64_t)off + n <= p->block)
			return true;
		if (off == (int64_t)p->block) {
			p->block += n;
			p->stride = p->block;
			return true;
		}
		if (off + (int64_t)n == 0) {
			p->block += n;
			p->stride = p->block;
			p->lo = lo;
			return true;
		}
		if (off <= (int64_t)p->block || n != p->block)
			return false;
		p->stride = (uint64_t)off;
		p->n = 2;
		return true;
	}
	if (n != p->block || off < 0 || (uint64_t)off % p->stride)
		return false;
	if ((uint64_t)off / p->stride > p->n)
		return false;
	if ((uint64_t)off / p->stride == p->n)
		p->n++;
	return true;
}

/* An access to a window, by the thread that calls MPI. */
static void keep(struct mpistate_race *r, const struct mpistate_window *w, uint64_t addr,
		 uint64_t n, bool writes, uint64_t pc)
{
	struct site *s = &site[(pc ^ pc >> 10) & (SITES - 1)];
	uint32_t event = atomic_load_explicit(&r->nevent, memory_order_relaxed), at;
	int64_t lo = (int64_t)(addr - w->base);
	struct mpistate_access *a;

	if (s->pc == pc && s->event == event && s->base == w->base && s->writes == writes &&
	    s->number && lengthens(&r->access[s->number - 1].piece, lo, n))
		return;
	at = atomic_load_explicit(&r->naccess, memory_order_relaxed);
	if (at >= MPISTATE_LOCAL_ACCESSES)
		return;
	a = &r->access[at];
	memset(a, 0, sizeof(*a));
	a->id = w->id;
	a->pc = pc;
	a->piece = (struct mpistate_piece){ lo, n, n, 1 };
	a->begin = a->end = event;
	a->target = MPISTATE_OWN;
	a->kind = writes ? MPISTATE_WRITE : MPISTATE_READ;
	atomic_store_explicit(&r->naccess, at + 1, memory_order_release);
	*s = (struct site){ pc, w->base, event, at + 1, writes };
}

static void look(uint64_t addr, size_t n, bool writes, uint64_t pc)
{
	struct mpistate_race *r = race();

	if (!r)
		return;
	for (unsigned i = 0; i < top; i++) {
		const struct entry *e = &entry[i];

		if (atomic_load_explicit(&e->there, memory_order_acquire) &&
		    (writes || e->writes) &&
		    mpistate_piece_has(&e->piece, (int64_t)addr, (int64_t)(addr + n)))
			clash(r, e, writes, pc);
	}
	if (!in_filter || thread_id() != owner)
		return;
	for (uint32_t i = 0; i < nwindow && i < MPISTATE_WINDOWS; i++) {
		const struct mpistate_window *w = &r->window[i];

		if (in_filter >> i & 1 && addr >= w->base && addr + n <= w->base + w->size &&
		    windows_are_kept(r) &&
		    !(i + 1 == nwindow &&
		      atomic_load_explicit(&r->fresh, memory_order_relaxed)))
			keep(r, w, addr, n, writes, pc);
	}
}

void pending_access(uint64_t addr, size_t n, bool writes, uint64_t pc)
{
	uint64_t first = addr >> PAGE_BITS, last = (addr + n - 1) >> PAGE_BITS;

	if (--left < 0) {
		used_up++;
		open_gate(false);
		return;
	}
	if (last - first >= PAGES)
		last = first + PAGES - 1;
	for (uint64_t i = first; i <= last; i++)
		if (atomic_load_explicit(&filter[i & (PAGES - 1)], memory_order_relaxed)) {
			look(addr, n, writes, pc);
			return;
		}
}
