/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the access hooks call. A read's value is there already; a write is only noted, and its value
 * read at the thread's next event. Nothing here allocates; an access costs no system call and no
 * atomic instruction.
 */
#include "runtime/record/record.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array/value.h"
#include "runtime/base/peek.h"
#include "runtime/base/mpi_table.h"
#include "runtime/base/omp_table.h"
#include "runtime/pending/pending.h"
#include "runtime/writes/writes.h"

#define RANGE_OTHERS 65536u /* bytes of a range of nobody's memory that are recorded */
#define TRIES 100000
#define SURVEY_TRIES 64
#define SURVEYED 16384	       /* places and objects, a power of two */
#define SURVEY_SAME 512	       /* so much an access to the same address as before counts there */
#define SURVEY_OTHERS 2097152u /* accesses of a place to what is no object */
#define SPOT(t, pc) (&(t)->spot[((pc) ^ (pc) >> 10) & (TRACER_SITES - 1)])

static struct dvmdbg_hooks *joined; /* under joining */
static atomic_flag joining = ATOMIC_FLAG_INIT;
static _Atomic uint32_t gate_open, heap_wanted;
static bool settled_is_seen = true; /* all that have joined report it */
static bool started;		    /* there is a page to report modules in */

/* Another thread does it for one that is outside: it does not wait for a block, but of each some is
 * kept for this. */
static bool put(struct tracer *t, uint64_t pc, unsigned flags, uint32_t object, uint64_t at,
		const uint64_t v[2])
{
	while (!trace_enc_access(&t->enc, pc, flags, object, at, v)) {
		if (t == tracer_self && tracer_turn(t, true))
			continue;
		if (t != tracer_self && trace_enc_access_last(&t->enc, pc, flags, object, at, v))
			break;
		t->missed += t != tracer_self;
		return false;
	}
	return true;
}

/* The bytes of an access to that object that are as the program would do it; 0: it is none. */
static unsigned element(uint32_t object)
{
	const struct page_entity *e = objects_entity(object);
	unsigned size = e ? (unsigned)value_size(e->type) : 0;

	if (!e)
		return 0;
	if (e->type == VALUE_FCOMPLEX || e->type == VALUE_DCOMPLEX)
		size /= 2;
	return size && size <= 16 && !(size & (size - 1)) ? size : 8;
}

static inline bool is_there(const struct access_spot *s, uint64_t addr, uint64_t pc)
{
	return __builtin_expect(
		s->pc == pc && addr - s->lo < s->span &&
			atomic_load_explicit(s->valid, memory_order_relaxed) == s->stamp,
		1);
}

/* Where the address is, as its site has found it the last time. */
static inline const struct access_spot *spot_of(struct tracer *t, uint64_t addr, uint64_t pc)
{
	struct access_spot *s = SPOT(t, pc);

	if (is_there(s, addr, pc))
		return s;
	objects_find(addr, t->others, s);
	s->unit = element(s->object);
	s->plain = s->object == ACCESS_SKIP ? 0 : s->unit ? s->unit : 16;
	s->pc = pc;
	return s;
}

/* The largest power of two up to 16 that an access of n bytes at the address may have. */
static unsigned piece(uint64_t addr, uint64_t n, unsigned most)
{
	unsigned size = most;

	while (size > n || addr % size)
		size /= 2;
	return size;
}

/* Accesses element by element; flags: TRACE_WRITES when it has been written. */
static void put_range(struct tracer *t, uint64_t addr, uint64_t n, unsigned flags, uint64_t pc)
{
	uint64_t others = RANGE_OTHERS, lost = 0, v[2];

	while (n) {
		const struct access_spot *s = spot_of(t, addr, pc);
		uint64_t left = s->lo + s->span - addr;
		unsigned most = s->unit ? s->unit : 8, size;

		left = left < n ? left : n;
		if (s->object == ACCESS_SKIP || (s->unread && !(flags & TRACE_WRITES)) ||
		    (s->object == TRACE_NOWHERE && !others)) {
			lost += s->object == TRACE_NOWHERE ? (left + 7) / 8 : 0;
			addr += left;
			n -= left;
			continue;
		}
		for (; left; left -= size, addr += size, n -= size) {
			size = piece(addr, left, most);
			if (s->object == TRACE_NOWHERE) {
				if (others < size) {
					others = 0;
					break;
				}
				others -= size;
			}
			if (!peek(addr, size, v))
				return;
			if (!put(t, pc, flags | size, s->object, addr - s->base, v)) {
				t->missed += t != tracer_self ? (uint32_t)(n / size - 1) : 0;
				return;
			}
		}
	}
	if (lost && t == tracer_self)
		TRACE_PUT(t, trace_enc_lost(&t->enc, 0, lost));
}

/* Several elements at once, as of a structure whose members are registered one by one. */
static bool is_wide(const struct access_spot *s, unsigned flags)
{
	unsigned size = flags & HOOK_SIZE;

	return size >= 8 && s->unit && s->unit < size && !(flags & HOOK_ATOMIC);
}

static __attribute__((noinline)) void put_read(struct tracer *t, uint64_t addr, unsigned flags,
					       uint64_t pc)
{
	const struct access_spot *s = spot_of(t, addr, pc);
	uint64_t v[2];

	if (s->object == ACCESS_SKIP || s->unread)
		return;
	if (is_wide(s, flags)) {
		put_range(t, addr, flags & HOOK_SIZE, 0, pc);
		return;
	}
	/* where nothing can be read, the program is about to find that out by itself */
	if (peek(addr, flags & HOOK_SIZE, v))
		put(t, pc, flags & (TRACE_SIZE | TRACE_ATOMIC), s->object, addr - s->base, v);
}

/* One complex number, whose halves are recorded. */
static bool is_complex(uint32_t object, unsigned size)
{
	const struct page_entity *e = objects_entity(object);

	return e && (e->type == VALUE_FCOMPLEX || e->type == VALUE_DCOMPLEX) &&
	       value_size(e->type) == size;
}

static __attribute__((noinline)) void note_write(struct tracer *t, uint64_t addr, unsigned flags,
						 uint64_t pc)
{
	const struct access_spot *s = spot_of(t, addr, pc);

	if (s->object == ACCESS_SKIP)
		return;
	if (is_wide(s, flags)) {
		const unsigned n = flags & HOOK_SIZE;

		t->pending = (struct trace_pending){ addr, n, TRACE_WRITES, .pc = pc };
		t->pending.unit = is_complex(s->object, n) ? n : 0;
		return;
	}
	t->pending = (struct trace_pending){ .addr = addr, .pc = pc, .object = s->object };
	t->pending.unit = s->unit;
	t->pending.at = addr - s->base;
	t->pending.flags = (flags & (TRACE_SIZE | TRACE_ATOMIC)) | TRACE_WRITES;
}

void access_complete(struct tracer *t)
{
	struct trace_pending p;
	uint64_t v[2];

	if (t == tracer_self && !tracer_ready(t))
		return;
	p = t->pending;
	/* another thread may have done it, if we had to wait to be ready */
	t->pending.flags = 0;
	if (!p.flags)
		return;
	if (p.n)
		put_range(t, p.addr, p.n, TRACE_WRITES, p.pc);
	else if (peek(p.addr, p.flags & TRACE_SIZE, v))
		put(t, p.pc, p.flags, p.object, p.at, v);
}

/*
 * Whether a read of n bytes belongs to the write that is pending, which has not been made then: gcc
 * reports *to = *from, the copy of a structure, first that it writes, then that it reads.
 */
static bool is_copied(const struct tracer *t, uint64_t addr, uint64_t n)
{
	const struct trace_pending *p = &t->pending;

	if (n != (p->n ? p->n : p->flags & TRACE_SIZE) || addr - p->addr < n || p->addr - addr < n)
		return false;
	/* one element is no structure */
	return p->unit ? p->unit != n : p->n || n > 8;
}

/*
 * The quick ways: what nearly all accesses are, an element of an object where its place in the code
 * has been before. False: nothing was done, and the functions above do it.
 */
static inline __attribute__((always_inline)) bool quick_put(struct tracer *t, uint64_t addr, unsigned flags, uint64_t pc,
			     uint32_t object, uint64_t at)
{
	const unsigned how = flags & ~TRACE_SIZE;
	uint64_t v;

	if (__builtin_expect((flags & TRACE_SIZE) == 8, 1))
		return peek_8(addr, &v) &&
		       trace_enc_access_here(&t->enc, pc, how | 8, object, at, &v);
	return (flags & TRACE_SIZE) == 4 && peek_4(addr, &v) &&
	       trace_enc_access_here(&t->enc, pc, how | 4, object, at, &v);
}

static inline bool quick_read(struct tracer *t, uint64_t addr, unsigned flags, uint64_t pc)
{
	const struct access_spot *s = SPOT(t, pc);

	return is_there(s, addr, pc) && flags <= s->plain && !s->unread &&
	       quick_put(t, addr, flags, pc, s->object, addr - s->base);
}

static inline bool quick_note(struct tracer *t, uint64_t addr, unsigned flags, uint64_t pc)
{
	const struct access_spot *s = SPOT(t, pc);

	if (!is_there(s, addr, pc) || (flags & HOOK_SIZE) > s->plain || flags & HOOK_ATOMIC)
		return false;
	t->pending.addr = addr;
	t->pending.n = 0;
	t->pending.object = s->object;
	t->pending.unit = s->unit;
	t->pending.at = addr - s->base;
	t->pending.pc = pc;
	t->pending.flags = (flags & TRACE_SIZE) | TRACE_WRITES;
	return true;
}

static inline void quick_complete(struct tracer *t)
{
	const struct trace_pending *p = &t->pending;

	if (!p->n && quick_put(t, p->addr, p->flags, p->pc, p->object, p->at))
		t->pending.flags = 0;
	else
		access_complete(t);
}

static bool is_traced(void)
{
	return atomic_load_explicit(&gate_open, memory_order_relaxed);
}

static void on_access(const void *at, unsigned flags, const void *site)
{
	uint64_t addr = (uintptr_t)at, pc = (uintptr_t)site;
	struct tracer *t = is_traced() ? tracer_enter() : NULL;

	if (!t)
		return;
	if (!tracer_ready(t)) {
		tracer_leave(t);
		return;
	}
	if (t->pending.flags && (flags & ~HOOK_SIZE || !is_copied(t, addr, flags)))
		quick_complete(t);
	if (!(flags & HOOK_WRITE) && t->want & TRACER_READS && !quick_read(t, addr, flags, pc))
		put_read(t, addr, flags, pc);
	if (flags & (HOOK_WRITE | HOOK_RMW) && t->want & TRACER_WRITES &&
	    !quick_note(t, addr, flags, pc))
		note_write(t, addr, flags, pc);
	tracer_leave(t);
}

/*
 * Surveys: what a place in the code does with an object is recorded for so many passes over the
 * object only, which shows its steps. The threads share the counts; that they miss each other's
 * does no harm.
 */
static struct {
	uint64_t pc;
	uint32_t object;
	uint32_t left; /* accesses */
	uint64_t last; /* address */
} surveyed[SURVEYED];
static uint32_t survey_passes; /* 0: everything is recorded */
static _Atomic bool uses_open; /* hooks report to uses.c as well */

static bool is_surveyed(struct tracer *t, uint64_t addr, unsigned size, uint64_t pc)
{
	const struct access_spot *s = spot_of(t, addr, pc);
	uint32_t k = (uint32_t)((pc ^ pc >> 12) * 31 + s->object) % SURVEYED;
	uint64_t most = SURVEY_OTHERS;

	for (unsigned i = 0; surveyed[k].pc; i++, k = (k + 1) % SURVEYED) {
		if (surveyed[k].pc == pc && surveyed[k].object == s->object)
			break;
		if (i == SURVEY_TRIES)
			return true; /* there are too many: these are not counted */
	}
	if (!surveyed[k].pc) {
		if (s->object != TRACE_NOWHERE)
			most = survey_passes * (s->span / size + 64);
		surveyed[k].pc = pc;
		surveyed[k].object = s->object;
		surveyed[k].left = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
	}
	if (!surveyed[k].left)
		return false;
	/* what stays at one address shows nothing more */
	if (s->object != TRACE_NOWHERE || surveyed[k].last != addr)
		surveyed[k].left--;
	else
		surveyed[k].left -= surveyed[k].left < SURVEY_SAME ? surveyed[k].left : SURVEY_SAME;
	surveyed[k].last = addr;
	return true;
}

static void on_survey(const void *at, unsigned flags, const void *site)
{
	unsigned size = flags & HOOK_SIZE;
	struct tracer *t = is_traced() ? tracer_enter() : NULL;
	bool take = true;

	site = (const void *)(uintptr_t)callers_site((uintptr_t)site, __builtin_frame_address(0));
	if (t) {
		if (tracer_ready(t))
			take = is_surveyed(t, (uintptr_t)at, size ? size : 8, (uintptr_t)site);
		if (!take)
			access_flush(t);
		tracer_leave(t);
	}
	if (take)
		on_access(at, flags, site);
}

/* The same where writes are watched, or requests of MPI are pending. */
static void on_watched(const void *at, unsigned flags, const void *site)
{
	uint64_t addr = (uintptr_t)at, pc = (uintptr_t)site;

	if (pending_is_open() && !(flags & HOOK_ATOMIC))
		pending_access(addr, flags & HOOK_SIZE, flags & (HOOK_WRITE | HOOK_RMW), pc);
	if (writes_are_watched())
		writes_access(addr, flags & HOOK_SIZE, flags & (HOOK_WRITE | HOOK_RMW), pc);
	if (survey_passes)
		on_survey(at, flags, site);
	else
		on_access(at, flags, site);
}

static void range_at(const void *at, size_t n, unsigned flags, uint64_t pc)
{
	uint64_t addr = (uintptr_t)at;
	struct tracer *t;

	if (!(flags & HOOK_WRITE))
		openmp_copied(addr, n);
	if (n && pending_is_open())
		pending_access(addr, n, flags & (HOOK_WRITE | HOOK_RMW), pc);
	if (n && writes_are_watched())
		writes_access(addr, n, flags & (HOOK_WRITE | HOOK_RMW), pc);
	t = is_traced() ? tracer_enter() : NULL;
	if (!t)
		return;
	if (!n || !tracer_ready(t)) {
		tracer_leave(t);
		return;
	}
	if (flags || !is_copied(t, addr, n))
		access_flush(t);
	if (!(flags & HOOK_WRITE) && t->want & TRACER_READS)
		put_range(t, addr, n, 0, pc);
	if (flags & (HOOK_WRITE | HOOK_RMW) && t->want & TRACER_WRITES)
		t->pending = (struct trace_pending){
			.addr = addr, .n = n, .flags = TRACE_WRITES, .pc = pc
		};
	tracer_leave(t);
}

static void on_range(const void *at, size_t n, unsigned flags, const void *site)
{
	uint64_t pc = (uintptr_t)site;

	if (survey_passes)
		pc = callers_site(pc, __builtin_frame_address(0));
	range_at(at, n, flags, pc);
}

static void on_flush(void)
{
	struct tracer *t = tracer_self;

	if (writes_are_watched())
		writes_flush();
	if (!t || !t->pending.flags)
		return;
	t = tracer_enter();
	if (!t)
		return;
	access_flush(t);
	tracer_leave(t);
}

static void on_copy(void *to, const void *from, size_t n, const void *site)
{
	uint64_t pc = (uintptr_t)site;

	if (survey_passes)
		pc = callers_site(pc, __builtin_frame_address(0));
	on_flush();
	if (from)
		range_at(from, n, 0, pc);
	range_at(to, n, HOOK_WRITE, pc);
}

RT_PUBLIC void dvmdbg_mpi_call(void)
{
	on_flush();
	if (writes_are_watched())
		writes_mpi();
}

static void on_allocated(void *p, size_t n, const void *pc)
{
	if (!atomic_load_explicit(&heap_wanted, memory_order_relaxed) || !rt_is_on())
		return;
	if (survey_passes)
		pc = (const void *)(uintptr_t)callers_site((uintptr_t)pc, __builtin_frame_address(0));
	heap_add((uintptr_t)p, n, (uintptr_t)pc);
	/* where nobody would say that it is set, it counts as such */
	if (settled_is_seen)
		declare_range('M', (uintptr_t)p, n, (uintptr_t)pc);
}

RT_PUBLIC void dvmdbg_thread_allocated(void *p, size_t n, const void *pc)
{
	if (atomic_load_explicit(&heap_wanted, memory_order_relaxed) && rt_is_on())
		heap_add((uintptr_t)p, n, (uintptr_t)pc);
}

static void on_settled(void *p, size_t n)
{
	if (atomic_load_explicit(&heap_wanted, memory_order_relaxed) && rt_is_on() &&
	    settled_is_seen)
		declare_range('Z', (uintptr_t)p, n, 0);
}

static void on_freed(void *p)
{
	if (!rt_is_on())
		return;
	if (var_freed((uintptr_t)p))
		gate_objects();
	if (atomic_load_explicit(&heap_wanted, memory_order_relaxed))
		heap_remove((uintptr_t)p);
}

RT_PUBLIC void dvmdbg_thread_freed(void *p)
{
	on_flush();
	on_freed(p);
}

RT_PUBLIC void dvmdbg_mpi_memory(const void *at, unsigned long bytes, const void *pc)
{
	if (!at || !atomic_load_explicit(&heap_wanted, memory_order_relaxed) || !rt_is_on())
		return;
	if (!bytes) {
		heap_remove((uintptr_t)at);
		return;
	}
	heap_add((uintptr_t)at, bytes, (uintptr_t)pc);
	/* it may be that of a window */
	declare_range('W', (uintptr_t)at, bytes, 0);
}

static void uses_one(const void *at, unsigned flags, const void *site)
{
	uses_access((uintptr_t)at, flags & HOOK_SIZE, !(flags & HOOK_WRITE),
		    flags & (HOOK_WRITE | HOOK_RMW));
	on_watched(at, flags, site);
}

static void uses_range(const void *at, size_t n, unsigned flags, const void *site)
{
	uses_access((uintptr_t)at, n, !(flags & HOOK_WRITE), flags & (HOOK_WRITE | HOOK_RMW));
	on_range(at, n, flags, site);
}

static void uses_copy(void *to, const void *from, size_t n, const void *site)
{
	if (from)
		uses_access((uintptr_t)from, n, true, false);
	uses_access((uintptr_t)to, n, false, true);
	on_copy(to, from, n, site);
}

/* Not for ever: a forked child, or a handler, may have interrupted whoever has it. */
static void lock(void)
{
	for (unsigned i = 0; i < TRIES; i++) {
		if (!atomic_flag_test_and_set_explicit(&joining, memory_order_acquire))
			return;
		sched_yield();
	}
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&joining, memory_order_release);
}

/* Hooks report when there is anything to do with what they do. */
static bool is_open(void)
{
	return atomic_load(&gate_open) || atomic_load(&uses_open) || pending_is_open() ||
	       writes_are_watched();
}

/* Under the lock; threads may be in the functions that are replaced, which does no harm. */
static void choose(struct dvmdbg_hooks *h)
{
	void (*one)(const void *, unsigned, const void *) = survey_passes ? on_survey : on_access;
	bool uses = uses_open;

	if (pending_is_open() || writes_are_watched())
		one = on_watched;
	__atomic_store_n(&h->access, uses ? uses_one : one, __ATOMIC_RELAXED);
	__atomic_store_n(&h->range, uses ? uses_range : on_range, __ATOMIC_RELAXED);
	__atomic_store_n(&h->copy, uses ? uses_copy : on_copy, __ATOMIC_RELAXED);
}

static void on_other(bool open)
{
	(void)open;
	lock();
	for (struct dvmdbg_hooks *h = joined; h; h = h->next) {
		choose(h);
		atomic_store_explicit(&h->gate, is_open(), memory_order_relaxed);
	}
	unlock();
}

void access_uses(bool open)
{
	if (open == uses_open)
		return;
	lock();
	uses_open = open;
	for (struct dvmdbg_hooks *h = joined; h; h = h->next) {
		choose(h);
		atomic_store_explicit(&h->gate, is_open(), memory_order_relaxed);
	}
	unlock();
}

/* In a forked child too, which has hooks of its own. */
void access_gate(bool open, bool wanted)
{
	if (atomic_load_explicit(&gate_open, memory_order_relaxed) == open &&
	    atomic_load_explicit(&heap_wanted, memory_order_relaxed) == wanted)
		return;
	lock();
	atomic_store(&gate_open, open);
	atomic_store(&heap_wanted, wanted);
	for (struct dvmdbg_hooks *h = joined; h; h = h->next) {
		atomic_store_explicit(&h->gate, is_open(), memory_order_relaxed);
	}
	unlock();
}

static void read_build_id(struct page_module *m, const char *note, size_t n)
{
	while (n >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *h = (const void *)note;
		size_t name = (h->n_namesz + 3) & ~(size_t)3, desc = (h->n_descsz + 3) & ~(size_t)3;

		if (sizeof(*h) + name + desc > n)
			return;
		note += sizeof(*h);
		if (h->n_type == NT_GNU_BUILD_ID && h->n_namesz == 4 && !memcmp(note, "GNU", 4) &&
		    h->n_descsz <= sizeof(m->id)) {
			m->nid = h->n_descsz;
			memcpy(m->id, note + name, m->nid);
		}
		note += name + desc;
		n -= sizeof(*h) + name + desc;
	}
}

struct search {
	uintptr_t at;
	struct page_module *m;
};

static int read_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	struct page_module *m = s->m;
	bool here = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		here |= p->p_type == PT_LOAD && s->at - info->dlpi_addr - p->p_vaddr < p->p_memsz;
	}
	if (!here)
		return 0;
	m->load = info->dlpi_addr;
	m->hooks = s->at;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t lo = info->dlpi_addr + p->p_vaddr, hi = lo + p->p_memsz;

		if (p->p_type == PT_NOTE)
			read_build_id(m, (const char *)(uintptr_t)lo, p->p_memsz);
		if (p->p_type != PT_LOAD)
			continue;
		if (!m->image_hi || p->p_vaddr < m->image_lo)
			m->image_lo = p->p_vaddr;
		if (p->p_vaddr + p->p_memsz > m->image_hi)
			m->image_hi = p->p_vaddr + p->p_memsz;
		if (!(p->p_flags & PF_X))
			continue;
		m->lo = !m->hi || lo < m->lo ? lo : m->lo;
		m->hi = hi > m->hi ? hi : m->hi;
	}
	strncpy(m->path, info->dlpi_name ? info->dlpi_name : "", sizeof(m->path) - 1);
	return 1;
}

/* What the supervisor has to know of the object that h is in. */
static void report_module(const struct dvmdbg_hooks *h)
{
	struct page_trace *p = &rt.page->trace;
	uint32_t i = atomic_fetch_add(&p->nmodule, 1);
	struct search s = { (uintptr_t)h, NULL };

	if (i >= PAGE_MODULES)
		return;
	s.m = &p->module[i];
	memset(s.m, 0, sizeof(*s.m));
	s.m->since = atomic_load(&p->opened);
	if (!dl_iterate_phdr(read_module, &s))
		return;
	/* the program has no name there */
	if (!*s.m->path && readlink("/proc/self/exe", s.m->path, sizeof(s.m->path) - 1) < 0)
		s.m->path[0] = 0;
	atomic_store(&s.m->there, 1);
}

void access_start(void)
{
	lock();
	for (struct dvmdbg_hooks *h = joined; h; h = h->next)
		report_module(h);
	started = true;
	unlock();
}

bool access_hooked(void)
{
	return joined != NULL;
}

RT_PUBLIC int dvmdbg_hooks_join(struct dvmdbg_hooks *h)
{
	int e = errno;

	if (h->abi != HOOKS_ABI || h->size < offsetof(struct dvmdbg_hooks, settled) ||
	    !getenv("DVMDBG_PAGE"))
		return -1;
	if (getenv("DVMDBG_SURVEY"))
		survey_passes = (uint32_t)atoi(getenv("DVMDBG_SURVEY"));
	if (survey_passes && !joined)
		callers_init();
	h->flush = on_flush;
	h->allocated = on_allocated;
	h->freed = on_freed;
	if (h->size >= offsetof(struct dvmdbg_hooks, part))
		h->settled = on_settled;
	else
		settled_is_seen = false;
	openmp_join(h);
	/* what was recorded before may have been at its addresses */
	if (started && rt_is_on())
		trace_cut();
	lock();
	pending_use(on_other);
	writes_use(on_other);
	choose(h);
	h->next = joined;
	joined = h;
	if (started && rt_is_on())
		report_module(h);
	atomic_store(&h->gate, is_open());
	/* registered objects may go at any time */
	atomic_store(&h->heap, 1);
	unlock();
	errno = e;
	return 0;
}

/* Blocks that are opened from now on have nothing of it. */
static void forget_module(const struct dvmdbg_hooks *h)
{
	struct page_trace *p = &rt.page->trace;
	uint32_t n = atomic_load(&p->nmodule);
	uintptr_t code = (uintptr_t)h;

	for (uint32_t i = 0; i < n && i < PAGE_MODULES; i++) {
		struct page_module *m = &p->module[i];

		if (m->hooks == code && !atomic_load(&m->until))
			atomic_store(&m->until, atomic_load(&p->opened));
	}
}

RT_PUBLIC void dvmdbg_hooks_part(struct dvmdbg_hooks *h)
{
	int e = errno;

	atomic_store(&h->gate, 0);
	atomic_store(&h->heap, 0);
	lock();
	for (struct dvmdbg_hooks **at = &joined; *at; at = &(*at)->next) {
		if (*at != h)
			continue;
		*at = h->next;
		break;
	}
	unlock();
	if (started && rt_is_on()) {
		trace_cut();
		forget_module(h);
	}
	errno = e;
}
