/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of records: who fills which, in the area behind the page, and when they are closed. A
 * thread opens and closes its own; another one may close it, under the tracer's lock, when the
 * thread is seen outside of it after a membarrier. So an access costs no atomic instruction.
 */
#include "runtime/record/record.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_USEC 1000000u /* for a thread that is inside its tracer */
#define SPINS 200	       /* looks before others get the processor */
#define FORMER_USEC 5000000u
#define PAUSE_NSEC 1000000L /* when there is nothing to wait for but other threads */

bool tracer_fences;
__thread struct tracer *tracer_self __attribute__((tls_model("initial-exec")));

static struct {
	unsigned char *at; /* NULL: none */
	uint32_t block_bytes, nblock;
} area;

static struct tracer *_Atomic tracer[TRACERS];
static _Atomic uint32_t ntracer; /* slots of tracer that were ever used */
static _Atomic bool full_reported;
static _Atomic bool no_memory; /* for one more tracer */
static bool has_key;
static pthread_key_t key;

static void gone(void *arg);

static void ring(struct page_trace *p)
{
	atomic_fetch_add(&p->bell, 1);
	syscall(SYS_futex, &p->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void access_reader_over(struct page *page)
{
	const struct timespec pause = { 0, PAUSE_NSEC };
	struct page_trace *p = &page->trace;
	uint64_t until = rt_usec() + FORMER_USEC;
	bool full = p->offset != 0;

	for (uint32_t i = 0; full && i < PAGE_BLOCKS; i++) {
		if (atomic_load(&p->block[i].state) != PAGE_BLOCK_FILLING)
			continue;
		atomic_store(&p->block[i].closed, atomic_fetch_add(&p->closed, 1) + 1);
		atomic_store(&p->block[i].state, PAGE_BLOCK_FULL);
	}
	while (full && !atomic_load(&p->stopped) && rt_usec() < until) {
		full = false;
		for (uint32_t i = 0; i < PAGE_BLOCKS; i++)
			full |= atomic_load(&p->block[i].state) == PAGE_BLOCK_FULL;
		if (!full)
			break;
		ring(p);
		nanosleep(&pause, NULL);
	}
	for (uint32_t i = 0; i < PAGE_HEAP && p->offset; i++)
		atomic_store(&p->heap[i].number, 0);
	atomic_store(&p->waiting, 0);
	atomic_store(&p->nmodule, 0);
}

int trace_init(void)
{
	const struct page_trace *p = &rt.page->trace;
	const char *path = getenv("DVMDBG_PAGE");
	void *at;
	int fd;

	if (!p->offset || !p->nblock || p->nblock > PAGE_BLOCKS ||
	    p->block_bytes < TRACE_BLOCK_LEAST || p->block_bytes > TRACE_BLOCK_MOST || !path)
		return -1;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	at = mmap(NULL, (size_t)p->block_bytes * p->nblock, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		  (off_t)p->offset);
	close(fd);
	if (at == MAP_FAILED)
		return -1;
	madvise(at, (size_t)p->block_bytes * p->nblock, MADV_DONTFORK);
	if (heap_init() || objects_init() || gate_init())
		return -1;
	area.at = at;
	area.block_bytes = p->block_bytes;
	area.nblock = p->nblock;
	tracer_fences =
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
	/* the first keys need no memory; it is early enough to get one of these */
	has_key = pthread_key_create(&key, gone) == 0;
	return tracer_join() ? 0 : -1;
}

bool trace_is_there(void)
{
	return area.at && rt_is_on() &&
	       !atomic_load_explicit(&rt.page->trace.stopped, memory_order_relaxed);
}

/* False: whoever has it was interrupted for good, by a handler that jumped out of us. */
static bool lock(struct tracer *t)
{
	uint64_t until = 0;
	uint32_t none = 0;

	for (unsigned i = 1; !atomic_compare_exchange_weak(&t->lock, &none, 1); i++, none = 0) {
		if (i % SPINS)
			continue;
		if (!until)
			until = rt_usec() + 2 * PATIENCE_USEC;
		if (rt_usec() > until)
			return false;
		sched_yield();
	}
	return true;
}

static void unlock(struct tracer *t)
{
	atomic_store(&t->lock, 0);
}

static void count_slot(uint32_t i)
{
	uint32_t n = atomic_load(&ntracer);

	while (n <= i && !atomic_compare_exchange_weak(&ntracer, &n, i + 1))
		;
}

/* A tracer that nobody has, NULL: there are too many threads, or there is no memory. */
static struct tracer *find_free(void)
{
	for (uint32_t i = 0; i < TRACERS; i++) {
		struct tracer *t = atomic_load(&tracer[i]), *none = NULL;
		uint32_t free_one = 0;

		if (!t) {
			t = rt_pages(sizeof(*t));
			if (!t) {
				atomic_store(&no_memory, true);
				return NULL;
			}
			madvise(t, sizeof(*t), MADV_WIPEONFORK);
			t->number = i;
			t->taken = 1;
			atomic_store(&t->block, -1);
			if (atomic_compare_exchange_strong(&tracer[i], &none, t)) {
				count_slot(i);
				return t;
			}
			munmap(t, sizeof(*t));
			continue;
		}
		/* the first is the owner's */
		if ((i || rt_owner) && atomic_compare_exchange_strong(&t->taken, &free_one, 1))
			return t;
	}
	return NULL;
}

struct tracer *tracer_join(void)
{
	int e = errno;
	struct tracer *t;

	if (!trace_is_there())
		return NULL;
	/* the owner's comes first, before there can be others */
	if (!rt_owner && !atomic_load(&ntracer))
		return NULL;
	t = find_free();
	if (!t && !atomic_exchange(&full_reported, true))
		find_thread(atomic_load(&no_memory)
				    ? "there is no memory to record the accesses of more threads"
				    : "accesses of threads beyond the first 256 are not recorded",
			    NULL, 0);
	if (t) {
		tracer_self = t;
		atomic_store(&rt.on[1], 1);
		if (has_key && !rt_owner)
			pthread_setspecific(key, t);
	}
	errno = e;
	return t;
}

static unsigned char *block_at(uint32_t i)
{
	return area.at + (size_t)i * area.block_bytes;
}

/* Under the lock, or before anybody can want it. */
static void close_block(struct tracer *t)
{
	struct page_trace *p = &rt.page->trace;
	int32_t i = atomic_load_explicit(&t->block, memory_order_relaxed);
	uint64_t records = trace_enc_records(&t->enc), seq;

	atomic_store_explicit(&t->ready, 0, memory_order_relaxed);
	if (i < 0)
		return;
	if (records) {
		seq = atomic_fetch_add(&p->closed, 1) + 1;
		((struct trace_raw *)block_at((uint32_t)i))->seq = seq;
		atomic_store(&p->block[i].closed, seq);
	}
	trace_enc_close(&t->enc);
	atomic_store(&t->block, -1);
	atomic_store(&p->block[i].state, records ? PAGE_BLOCK_FULL : PAGE_BLOCK_FREE);
	if (records)
		ring(p);
}

static void open_block(struct tracer *t, uint32_t i)
{
	struct trace_start start = { .rank = rt.page->rank,
				     .thread = t->number,
				     .frame = t->frame };
	struct page_trace *p = &rt.page->trace;

	start.nframe = gate_inspect(t, t->frame, &start.point);
	p->block[i].thread = t->number;
	atomic_store(&p->block[i].closed, 0);
	atomic_store(&p->block[i].opened, atomic_fetch_add(&p->opened, 1) + 1);
	trace_enc_open(&t->enc, block_at(i), area.block_bytes, &start);
	t->stale = false;
	atomic_store(&t->begun, t->version);
	atomic_store(&t->block, (int32_t)i);
	if (t->missed) {
		trace_enc_lost(&t->enc, 0, t->missed);
		t->missed = 0;
	}
}

/* What we have stored is seen by a thread that comes in from now on, and we see who is inside. */
static void make_seen(void)
{
	if (tracer_fences || syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		atomic_thread_fence(memory_order_seq_cst);
}

/* Waits until the thread is outside; false: it did not come out. */
static bool see_outside(struct tracer *t)
{
	uint64_t until = rt_usec() + PATIENCE_USEC;

	for (unsigned i = 1; atomic_load_explicit(&t->busy, memory_order_acquire); i++) {
		if (i % SPINS)
			continue;
		if (rt_usec() > until)
			return false;
		sched_yield();
	}
	return true;
}

static int32_t take_block(void);

static void give_back(int32_t i)
{
	if (i >= 0)
		atomic_store(&rt.page->trace.block[i].state, PAGE_BLOCK_FREE);
}

/*
 * Closes another thread's block; not when that thread is about to close or open one. done: it has
 * made its last write, which is recorded. Else it may be about to, and records it itself later.
 */
static void close_other(struct tracer *t, bool done)
{
	bool open = atomic_load(&t->block) >= 0, late = done && !open && t->pending.flags;
	int32_t spare = late && !atomic_load(&t->stuck) ? take_block() : -1;
	uint32_t none = 0;

	if ((!open && spare < 0) || atomic_load(&t->stuck) ||
	    !atomic_compare_exchange_strong(&t->lock, &none, 1)) {
		give_back(spare);
		return;
	}
	atomic_store(&t->ready, 0);
	make_seen();
	if (!see_outside(t)) {
		atomic_store(&t->stuck, 1);
	} else {
		if (spare >= 0 && atomic_load(&t->block) < 0) {
			open_block(t, (uint32_t)spare);
			spare = -1;
		}
		if (done)
			access_flush(t);
		close_block(t);
	}
	unlock(t);
	give_back(spare);
}

void tracers_close_others(bool done)
{
	uint32_t n = atomic_load(&ntracer);

	for (uint32_t i = 0; i < n; i++) {
		struct tracer *t = atomic_load(&tracer[i]);

		if (t && t != tracer_self)
			close_other(t, done);
	}
}

bool tracers_any_other(void)
{
	return atomic_load_explicit(&ntracer, memory_order_relaxed) > 1;
}

void tracers_alert(void)
{
	uint32_t n = atomic_load(&ntracer);

	for (uint32_t i = 1; i < n; i++) {
		struct tracer *t = atomic_load(&tracer[i]);

		if (t)
			atomic_store(&t->ready, 0);
	}
}

uint64_t tracers_iterations(void)
{
	uint32_t n = atomic_load(&ntracer);
	uint64_t sum = 0;

	for (uint32_t i = 1; i < n; i++) {
		struct tracer *t = atomic_load(&tracer[i]);

		if (t)
			sum += atomic_exchange(&t->iterations, 0);
	}
	return sum;
}

/* The owner's block that has the construct's beginning comes before those of other threads in it.
 */
static void deliver_begin(void)
{
	struct tracer *owner = atomic_load(&tracer[0]);

	if (atomic_load(&owner->block) >= 0 &&
	    atomic_load(&owner->begun) < atomic_load(&gate.begun))
		close_other(owner, false);
}

static bool block_is_there(uint64_t unused)
{
	bool full = false;

	(void)unused;
	for (uint32_t i = 0; i < area.nblock; i++) {
		uint32_t state = atomic_load(&rt.page->trace.block[i].state);

		if (state == PAGE_BLOCK_FREE)
			return true;
		full |= state == PAGE_BLOCK_FULL;
	}
	return !full || !trace_is_there();
}

/* All blocks are being filled: somebody has to give one up. */
static void take_from_others(void)
{
	const struct timespec t = { 0, PAUSE_NSEC };

	tracers_close_others(false);
	if (!block_is_there(0))
		return;
	nanosleep(&t, NULL);
}

/* -1: nothing is recorded any more. */
static int32_t take_block(void)
{
	struct page_trace *p = &rt.page->trace;

	while (trace_is_there()) {
		bool full = false;

		for (uint32_t i = 0; i < area.nblock; i++) {
			uint32_t state = PAGE_BLOCK_FREE;

			if (atomic_compare_exchange_strong(&p->block[i].state, &state,
							   PAGE_BLOCK_FILLING))
				return (int32_t)i;
			full |= state == PAGE_BLOCK_FULL;
		}
		if (!full) {
			take_from_others();
			continue;
		}
		atomic_fetch_add(&p->waiting, 1);
		wait_for(block_is_there, 0);
		atomic_fetch_sub(&p->waiting, 1);
	}
	return -1;
}

/* Goes outside, waits for the lock, and comes in with it; false: without, and for ever. */
static bool come_in(struct tracer *t)
{
	bool locked;

	atomic_store_explicit(&t->busy, 0, memory_order_release);
	locked = lock(t);
	atomic_store_explicit(&t->busy, 1, memory_order_relaxed);
	t->lost |= !locked;
	return locked;
}

/* Under the lock. spare: a block that may be opened, -1: none. Returns what is left of it. */
static int32_t prepare(struct tracer *t, bool full, int32_t spare)
{
	bool other = t != atomic_load_explicit(&tracer[0], memory_order_relaxed);

	if (full || (other && t->version != atomic_load(&gate.version)))
		close_block(t);
	if (atomic_load(&t->block) < 0 && spare >= 0) {
		open_block(t, (uint32_t)spare);
		spare = -1;
	}
	if (atomic_load(&t->block) >= 0)
		atomic_store(&t->ready, 1);
	/* who changes the gate does so before it takes ready away */
	if (other && t->version != atomic_load(&gate.version))
		atomic_store(&t->ready, 0);
	return spare;
}

bool tracer_turn(struct tracer *t, bool full)
{
	int e = errno;
	int32_t spare = -1;
	bool there;

	atomic_store_explicit(&t->stuck, 0, memory_order_relaxed);
	while ((there = trace_is_there() && !t->lost)) {
		there = come_in(t);
		if (!there)
			break;
		spare = prepare(t, full, spare);
		full = false;
		unlock(t);
		if (atomic_load(&t->ready))
			break;
		atomic_store_explicit(&t->busy, 0, memory_order_release);
		if (t->number)
			deliver_begin();
		if (spare < 0)
			spare = take_block();
		atomic_store_explicit(&t->busy, 1, memory_order_relaxed);
	}
	give_back(spare);
	if (!there)
		t->pending.flags = 0;
	if (!trace_is_there())
		access_gate(false, false);
	errno = e;
	return there;
}

void tracer_shut(struct tracer *t)
{
	if (!come_in(t))
		return;
	close_block(t);
	unlock(t);
}

void tracer_forget(struct tracer *t)
{
	t->objects = atomic_load(&objects_stamp);
	for (uint32_t i = 0; i < TRACER_SITES; i++)
		t->spot[i].span = 0;
}

void tracers_close(bool done)
{
	struct tracer *t = tracer_self;

	if (t && atomic_load(&t->block) >= 0)
		tracer_shut(t);
	tracers_close_others(done);
}

/* A thread ends. */
static void gone(void *arg)
{
	struct tracer *t = arg;

	tracer_self = NULL;
	if (!trace_is_there() || atomic_load(&t->busy))
		return;
	atomic_store(&t->busy, 1);
	tracer_self = t;
	access_flush(t);
	tracer_shut(t);
	tracer_self = NULL;
	t->nidx = 0;
	atomic_store(&t->busy, 0);
	atomic_store(&t->taken, 0);
}

/* All that was recorded is the supervisor's; done: of other threads' writes the last, too. False:
 * this thread is inside already. */
static bool hand_over(struct tracer *t, bool done)
{
	if (t) {
		if (atomic_load(&t->busy))
			return false;
		atomic_store(&t->busy, 1);
		access_flush(t);
	}
	tracers_close(done);
	return true;
}

void trace_leave(void)
{
	struct tracer *t = tracer_self;

	if (trace_is_there() && hand_over(t, true) && t)
		tracer_leave(t);
}

void trace_cut(void)
{
	struct tracer *t = tracer_self;

	if (trace_is_there() && hand_over(t, false) && t)
		tracer_leave(t);
}

bool trace_park_begin(void)
{
	return trace_is_there() && hand_over(tracer_self, false);
}

void trace_park_end(void)
{
	if (tracer_self)
		tracer_leave(tracer_self);
}

void trace_fault(uint64_t fault)
{
	struct tracer *t = tracer_self;
	size_t n;

	if (!t || !t->pending.flags)
		return;
	n = t->pending.n ? t->pending.n : t->pending.flags & TRACE_SIZE;
	if (fault - t->pending.addr < n)
		t->pending.flags = 0;
}
