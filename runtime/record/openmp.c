/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes about OpenMP: what programs call by themselves, and what the tool writes (runtime/ompt). */
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/omp_table.h"
#include "runtime/hooks/hooks.h"
#include "runtime/record/record.h"

#define TEXT 200
#define TLS_REACH ((uint64_t)1 << 20) /* variables of a thread are so near to its pointer */

static OPENMP_THREAD bool reported;

struct range {
	uint64_t lo, hi, near;
};

static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	uint64_t at = (uintptr_t)info->dlpi_tls_data;
	struct range *r = arg;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum && at; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_TLS || at - r->near + TLS_REACH > 2 * TLS_REACH)
			continue;
		r->lo = !r->hi || at < r->lo ? at : r->lo;
		r->hi = at + p->p_memsz > r->hi ? at + p->p_memsz : r->hi;
	}
	return 0;
}

/* Where the stack of the thread is, and its own variables. */
static bool report_thread(void)
{
	struct range own = { .near = (uintptr_t)pthread_self() };
	pthread_attr_t attr;
	char text[TEXT];
	void *at = NULL;
	size_t n = 0;

	if (!pthread_getattr_np(pthread_self(), &attr)) {
		pthread_attr_getstack(&attr, &at, &n);
		pthread_attr_destroy(&attr);
	}
	dl_iterate_phdr(add_module, &own);
	snprintf(text, sizeof(text), "T %" PRIxPTR " %" PRIxPTR " %" PRIx64 " %" PRIx64,
		 (uintptr_t)at, (uintptr_t)at + n, own.lo, own.hi);
	return declare_openmp(text);
}

/* What the thread has read last by an atomic operation, since it did anything else. */
static OPENMP_THREAD struct {
	uintptr_t addr;
	uint64_t value;
	bool known, acquired;
} loaded;

void openmp_note(const char *fmt, ...)
{
	char text[TEXT];
	int e = errno;
	va_list ap;

	if (!openmp_is_recorded())
		return;
	if (!reported)
		reported = report_thread();
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	declare_openmp(text);
	loaded.known &= *fmt == 'O';
	errno = e;
}

static void on_part(int what)
{
	static const char *const note[] = {
		[HOOK_NO_PART] = "N 0",	  [HOOK_PART] = "N 1",	     [HOOK_ITERATION] = "N 2",
		[HOOK_LOOP_ENDS] = "N 3", [HOOK_HAS_A_NUMBER] = "U", [HOOK_ELEMENTS] = "N 4"
	};

	if (openmp_is_recorded() && (unsigned)what < sizeof(note) / sizeof(*note))
		openmp_note("%s", note[what]);
}

static OPENMP_THREAD bool combines; /* the loop that comes next is none of the program's */

static void on_reduces(void *p, size_t n)
{
	static OPENMP_THREAD unsigned groups;

	if (p && openmp_is_recorded())
		openmp_note("Q %" PRIxPTR " %zx", (uintptr_t)p, n);
	if (p)
		return;
	combines = n == HOOK_REDUCTION_COMBINES || (n == HOOK_REDUCTION_ENDS && groups);
	if (n == HOOK_REDUCTION_BEGINS)
		groups++;
	else if (n == HOOK_REDUCTION_ENDS && groups)
		groups--;
}

static void on_loop(const void *pc)
{
	if (combines) {
		combines = false;
		return;
	}
	openmp_loop();
	openmp_note("G %" PRIxPTR, (uintptr_t)pc);
}

OPENMP_THREAD struct task_memory task_memory;

struct task_memory openmp_memory(const void *at, size_t n)
{
	static _Atomic uint64_t last;

	return (struct task_memory){ atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1,
				     (uintptr_t)at, n };
}

static void on_task(void *p, size_t n)
{
	if (!openmp_is_recorded())
		return;
	task_memory = openmp_memory(p, n);
	openmp_note("A %" PRIu64 " %" PRIx64 " %" PRIx64, task_memory.id, task_memory.at,
		    task_memory.n);
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

RT_PUBLIC int dvmdbg_thread_recorded(void)
{
	return openmp_is_recorded();
}

RT_PUBLIC void dvmdbg_thread_note(const char *text)
{
	openmp_note("%s", text);
}

RT_PUBLIC uint64_t dvmdbg_thread_clock(void)
{
	static _Atomic uint64_t clock;

	return atomic_fetch_add(&clock, 1) + 1;
}

RT_PUBLIC void dvmdbg_thread_first(void)
{
	heap_keep_all();
}

/*
 * Numbered so that what has read what another wrote has the higher number. A loop that waits reads
 * the same again and again: once is enough. A fence makes the loads before it acquire, the stores
 * behind it release.
 */
static void on_orders(const volatile void *addr, int what, uint64_t value)
{
	static OPENMP_THREAD bool fenced;
	uintptr_t at = (uintptr_t)addr;

	if (!openmp_is_recorded())
		return;
	if (what == HOOK_ACQUIRES || what == HOOK_LOADS) {
		if (loaded.known && loaded.addr == at && loaded.value == value)
			return;
		loaded.addr = at;
		loaded.value = value;
		loaded.known = true;
		loaded.acquired = what == HOOK_ACQUIRES;
		if (!loaded.acquired)
			return;
	} else if (what == HOOK_FENCE) {
		fenced = true;
		if (!loaded.known || loaded.acquired)
			return;
		loaded.acquired = true;
		at = loaded.addr;
		what = HOOK_ACQUIRES;
	} else if (what == HOOK_STORES && !fenced) {
		return;
	}
	/* behind its own the same value may be another one's */
	loaded.known &= what == HOOK_ACQUIRES;
	openmp_note("O %c %" PRIxPTR " %" PRIu64, what == HOOK_ACQUIRES ? 'q' : 'r', at,
		    dvmdbg_thread_clock());
}

/* The call shows where the function's variables are; once for the loop. */
static void on_simd(int length, const void *pc, const void *frame)
{
	static OPENMP_THREAD const void *last;

	if (length < 0) {
		if (last)
			openmp_note("v");
		last = NULL;
		return;
	}
	if (last == frame && frame) {
		openmp_note("V");
		return;
	}
	last = frame;
	on_begins(pc, frame, NULL, NULL);
	openmp_note("V %d %" PRIxPTR " %" PRIxPTR " %" PRIxPTR, length, begun_by.pc, begun_by.sp,
		    begun_by.bp);
	begun_by.pc = 0;
}

/* The same again is not said. */
static void on_enters(const void *variable)
{
	static OPENMP_THREAD const void *last;

	if (last == variable)
		return;
	last = variable;
	openmp_note("K %" PRIxPTR, (uintptr_t)variable);
}

#define FRESH 16u	   /* marks of a loop that are known to have been executed */
#define FRESH_BYTES 65536u /* of a variable that are filled */

static OPENMP_THREAD struct {
	unsigned loop; /* of the thread's, that the marks are of */
	unsigned n;
	const void *pc[FRESH];
	uintptr_t lo, hi; /* around all that is fresh */
} fresh;

static OPENMP_THREAD unsigned loops;

void openmp_loop(void)
{
	loops++;
}

/* In a loop the variable is the same one in all iterations of a thread: the first has no value. */
static bool is_first(const void *pc)
{
	if (fresh.loop != loops)
		fresh.n = 0;
	fresh.loop = loops;
	for (unsigned i = 0; i < fresh.n; i++)
		if (fresh.pc[i] == pc)
			return false;
	if (fresh.n == FRESH)
		return false;
	fresh.pc[fresh.n++] = pc;
	return true;
}

static void on_fresh(void *p, size_t n, const char *name, const void *pc)
{
	uintptr_t lo = (uintptr_t)p, hi;

	if (!openmp_is_recorded() || !is_first(pc))
		return;
	n = n < FRESH_BYTES ? n : FRESH_BYTES;
	hi = lo + n;
	memset(p, TRACE_FRESH, n);
	fresh.lo = !fresh.hi || lo < fresh.lo ? lo : fresh.lo;
	fresh.hi = hi > fresh.hi ? hi : fresh.hi;
	openmp_note("Y %" PRIxPTR " %zx %.80s", lo, n, name);
}

/* What is copied as a whole need not have a value everywhere. */
void openmp_copied(uintptr_t from, size_t n)
{
	if (from < fresh.hi && fresh.lo < from + n && openmp_is_recorded())
		openmp_note("Y %" PRIxPTR " %zx", from, n);
}

void openmp_join(struct dvmdbg_hooks *h)
{
	if (h->size >= offsetof(struct dvmdbg_hooks, task)) {
		h->part = on_part;
		h->loop = on_loop;
	}
	if (h->size >= offsetof(struct dvmdbg_hooks, begins))
		h->task = on_task;
	if (h->size >= sizeof(*h))
		h->reduces = on_reduces;
	if (h->size >= offsetof(struct dvmdbg_hooks, reduces))
		h->fresh = on_fresh;
	if (h->size >= offsetof(struct dvmdbg_hooks, fresh)) {
		h->begins = on_begins;
		h->orders = on_orders;
		h->simd = on_simd;
		h->enters = on_enters;
	}
}
