/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that the program begins and joins. The thread that has begun the first one is their
 * owner, until all of them are joined; each runs our function, which says that it is there. Threads
 * of libraries are left alone.
 */
#include "runtime/threads/internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "runtime/base/omp_table.h"

#define OURS __thread __attribute__((tls_model("initial-exec")))
#define FIRST ((uint64_t)1 << 62) /* numbers that no task of OpenMP has */
#define THREADS 4096u		  /* that can be joined at a time */
#define NOTE 160
#define FRAME __builtin_frame_address(0)

/*
 * Threads of one owner. An interval ends where all of them that run and do not wait for the end of
 * another one come to one barrier. Under the lock, but for live and interval.
 */
struct team {
	uint64_t id;
	_Atomic uint32_t live; /* begun and not joined */
	_Atomic uint32_t interval;
	unsigned running, waiting;
	unsigned left; /* have ended, or begun to wait, in the interval */
};

static OURS struct {
	uint64_t id;
	struct team *team;
	uint32_t interval;
	bool owner, away; /* away: it waits for the end of another one */
} self;

struct start {
	void *(*fn)(void *arg);
	int (*c11)(void *arg);
	void *arg;
	uint64_t id;
	struct team *team;
	uint32_t interval;
};

static struct known {
	pthread_t thread;
	uint64_t id;
	struct team *team; /* NULL: the place is free */
	bool ended, awaited;
} known[THREADS];
static atomic_flag locked = ATOMIC_FLAG_INIT;
static _Atomic uint64_t last_id;

void *thread_real(const char *name)
{
	void *f = NULL;

	/* waiting for conditions has an older form, which is another */
	if (!strncmp(name, "pthread_cond_", 13))
		f = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
	f = f ? f : dlsym(RTLD_NEXT, name);
	if (!f)
		abort();
	return f;
}

static void note(char what, uint64_t number, uint64_t key)
{
	char text[NOTE];
	int e = errno;

	snprintf(text, sizeof(text), "H %c %" PRIu64 " %" PRIu64 " %" PRIx64 " %" PRIu64, what,
		 number, dvmdbg_thread_clock(), key, self.team ? self.team->id : 0);
	dvmdbg_thread_note(text);
	errno = e;
}

bool thread_is_one(void)
{
	return self.team;
}

void thread_note(char what, uint64_t number, uint64_t key)
{
	if (self.team)
		note(what, number, key);
}

/* The first is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t *range = arg;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			range[0] = info->dlpi_addr + p->p_vaddr;
			range[1] = range[0] + p->p_memsz;
		}
	}
	return 1;
}

static bool is_program(const void *pc)
{
	static uintptr_t range[2];

	if (!range[1])
		dl_iterate_phdr(find_program, range);
	return (uintptr_t)pc - range[0] < range[1] - range[0];
}

void thread_locks(char what, int kind, uint64_t key, const void *pc)
{
	if (self.team || (dvmdbg_thread_recorded && dvmdbg_thread_recorded() && is_program(pc)))
		note(what, (uint64_t)kind, key);
}

/* ---- which thread is which ---- */

static void lock(void)
{
	while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
		sched_yield();
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&locked, memory_order_release);
}

/* Locked; NULL: it is not known. */
static struct known *find(pthread_t thread)
{
	for (unsigned i = 0; i < THREADS; i++)
		if (known[i].team && pthread_equal(known[i].thread, thread))
			return &known[i];
	return NULL;
}

/* newest: it is that one, whatever is known of the handle. */
static void remember(pthread_t thread, uint64_t id, struct team *team, bool newest)
{
	struct known *to;

	lock();
	to = find(thread);
	if (!to || (newest && to->id != id)) {
		for (unsigned i = 0; i < THREADS && !to; i++)
			if (!known[i].team)
				to = &known[i];
		if (to)
			*to = (struct known){ .thread = thread, .id = id, .team = team };
	}
	unlock();
}

/* ---- intervals ---- */

void thread_comes(unsigned *arrived, unsigned n)
{
	struct team *t = self.team;
	unsigned total = 0, interval;

	if (!t || !n)
		return;
	lock();
	interval = t->interval;
	if (++*arrived >= n) {
		*arrived = 0;
		if (t->running - t->waiting == n) {
			total = t->left + n;
			t->left = 0;
			t->interval++;
		}
	}
	unlock();
	if (total)
		thread_note('k', total, interval);
}

void thread_goes_on(void)
{
	if (!self.team || (!self.away && self.interval == self.team->interval))
		return;
	self.interval = self.team->interval;
	self.away = false;
	thread_note('i', self.interval, 0);
}

/* Of a thread that is going to be joined; 0: it is not known. */
static uint64_t awaits(pthread_t thread, struct team **team)
{
	struct known *k;
	uint64_t id = 0;

	lock();
	k = find(thread);
	if (k) {
		id = k->id;
		*team = k->team;
		if (*team == self.team && !k->ended) {
			k->awaited = self.away = true;
			self.team->waiting++;
			self.team->left++;
		}
	}
	unlock();
	if (self.away)
		thread_note('x', 0, 0);
	return id;
}

static void awaited(pthread_t thread, uint64_t id, bool joined)
{
	struct known *k;

	lock();
	k = find(thread);
	if (k && k->id == id) {
		if (k->awaited)
			k->team->waiting--;
		k->awaited = false;
		if (joined)
			k->team = NULL;
	}
	unlock();
	thread_goes_on();
}

/* ---- begin and end ---- */

/* Threads of the program and of C++'s library count; others are of OpenMP, MPI … */
static bool is_of_program(const void *pc)
{
	static const char *const others[] = { "libomp",	   "libgomp",  "libiomp",  "libmpi",
					      "libopen-",  "libpmi",   "libuc",	   "libevent",
					      "libfabric", "libhwloc", "libdvmdbg" };
	const char *name;
	Dl_info info;

	if (!dvmdbg_thread_recorded || !dvmdbg_thread_recorded() || !dladdr(pc, &info) ||
	    !info.dli_fname)
		return false;
	name = strrchr(info.dli_fname, '/');
	name = name ? name + 1 : info.dli_fname;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return true;
}

/* NULL: there is no memory, and nothing is said of the thread. */
static struct start *start_make(const void *pc, void *const *frame)
{
	struct start *s = malloc(sizeof(*s));
	char text[NOTE];

	if (!s)
		return NULL;
	if (!self.team) {
		self.team = calloc(1, sizeof(*self.team));
		if (!self.team) {
			free(s);
			return NULL;
		}
		self.team->running = 1;
		self.interval = 0;
		self.owner = true;
		self.id = self.team->id = FIRST + ++last_id;
		dvmdbg_thread_first();
		thread_note('n', self.id, (uintptr_t)pc);
		thread_say_held();
	}
	*s = (struct start){ .id = FIRST + ++last_id,
			     .team = self.team,
			     .interval = self.interval };
	self.team->live++;
	lock();
	self.team->running++;
	unlock();
	/* behind a frame's pointer are that of its caller, and where it returns to */
	snprintf(text, sizeof(text),
		 "H c %" PRIu64 " %" PRIu64 " %" PRIxPTR " %" PRIu64 " %" PRIxPTR " %" PRIxPTR,
		 s->id, dvmdbg_thread_clock(), (uintptr_t)pc, self.team->id, (uintptr_t)(frame + 2),
		 (uintptr_t)*frame);
	dvmdbg_thread_note(text);
	return s;
}

static void owner_ends(void)
{
	if (!self.owner || self.team->live)
		return;
	thread_note('f', self.team->left + 1, 0);
	free(self.team);
	self.team = NULL;
	self.owner = false;
}

/* It has not begun. */
static void start_fails(struct start *s)
{
	s->team->live--;
	lock();
	s->team->running--;
	unlock();
	free(s);
	owner_ends();
}

static void joined(struct team *team, uint64_t id)
{
	if (!team)
		return;
	if (self.team)
		thread_note('j', id, 0);
	team->live--;
	owner_ends();
}

static void ends(void *arg)
{
	struct known *k;

	(void)arg;
	thread_note('e', self.id, 0);
	lock();
	self.team->running--;
	self.team->left++;
	k = find(pthread_self());
	if (k && k->id == self.id) {
		k->ended = true;
		if (k->awaited)
			self.team->waiting--;
		k->awaited = false;
	}
	unlock();
	self.team = NULL;
}

static void *run(void *arg)
{
	struct start s = *(struct start *)arg;
	void *result;

	free(arg);
	self.id = s.id;
	self.team = s.team;
	self.interval = s.interval;
	remember(pthread_self(), s.id, s.team, true);
	thread_note('s', s.id, s.interval);
	pthread_cleanup_push(ends, NULL);
	result = s.fn ? s.fn(s.arg) : (void *)(intptr_t)s.c11(s.arg);
	pthread_cleanup_pop(1);
	return result;
}

static int run_c11(void *arg)
{
	return (int)(intptr_t)run(arg);
}

STANDS_IN int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
			     void *(*fn)(void *), void *restrict arg)
{
	const void *pc = __builtin_return_address(0);
	struct start *s = is_of_program(pc) ? start_make(pc, FRAME) : NULL;
	REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	uint64_t id;
	int e;

	if (!s)
		return real(thread, attr, fn, arg);
	s->fn = fn;
	s->arg = arg;
	id = s->id;
	e = real(thread, attr, run, s);
	if (e)
		start_fails(s);
	else
		remember(*thread, id, self.team, false);
	return e;
}

STANDS_IN int thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
	const void *pc = __builtin_return_address(0);
	struct start *s = is_of_program(pc) ? start_make(pc, FRAME) : NULL;
	REAL(int, thrd_create, thrd_t *, thrd_start_t, void *);
	uint64_t id;
	int e;

	if (!s)
		return real(thread, fn, arg);
	s->c11 = fn;
	s->arg = arg;
	id = s->id;
	e = real(thread, run_c11, s);
	if (e != thrd_success)
		start_fails(s);
	else
		remember(*thread, id, self.team, false);
	return e;
}

/* Its number is looked up before: behind it another thread may be what this was. */
#define JOINS(name, parameters, types, ...)          \
	STANDS_IN int name parameters                \
	{                                            \
		REAL(int, name, types);              \
		struct team *team = NULL;            \
		uint64_t id = awaits(thread, &team); \
		int e = real(__VA_ARGS__);           \
                                                     \
		awaited(thread, id, !e);             \
		if (!e)                              \
			joined(team, id);            \
		return e;                            \
	}
#define AND ,
JOINS(pthread_join, (pthread_t thread, void **result), pthread_t AND void **, thread, result)
JOINS(pthread_tryjoin_np, (pthread_t thread, void **result), pthread_t AND void **, thread, result)
JOINS(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *until),
      pthread_t AND void **AND const struct timespec *, thread, result, until)
JOINS(thrd_join, (thrd_t thread, int *result), thrd_t AND int *, thread, result)
