/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads exclude each other by, and what they wait for. What gives back says so before, what
 * takes behind the call, so that the numbers of notes are in the order of the run.
 */
#include "runtime/threads/internal.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#define OURS __thread __attribute__((tls_model("initial-exec")))
#define HELD 64u
#define AND ,

/* Also of a thread that is none of them yet: it may begin some while it has a lock. */
static OURS struct {
	const volatile void *key;
	int kind;
	unsigned times;
} held[HELD];
static OURS unsigned nheld;

static uint64_t number_of(const volatile void *key)
{
	return (uintptr_t)key;
}

void thread_has(int kind, const volatile void *key, const void *pc)
{
	for (unsigned i = 0; i < nheld; i++)
		if (held[i].key == key) {
			held[i].times++;
			return;
		}
	if (nheld < HELD) {
		held[nheld].key = key;
		held[nheld].kind = kind;
		held[nheld++].times = 1;
	}
	thread_locks('l', kind, number_of(key), pc);
}

void thread_gives(const volatile void *key, const void *pc)
{
	int kind = KIND_MUTEX;

	for (unsigned i = nheld; i-- > 0;)
		if (held[i].key == key) {
			if (--held[i].times)
				return;
			kind = held[i].kind;
			held[i] = held[--nheld];
			break;
		}
	thread_locks('u', kind, number_of(key), pc);
}

void thread_say_held(void)
{
	for (unsigned i = 0; i < nheld; i++)
		thread_locks('l', held[i].kind, number_of(held[i].key), NULL);
}

#define HAS(e) ((e) == 0 || (e) == EOWNERDEAD)

#define TAKES(kind, name, parameters, types, ...)    \
	STANDS_IN int name parameters                \
	{                                            \
		REAL(int, name, types);              \
		int e = real(__VA_ARGS__);           \
                                                     \
		if (HAS(e))                          \
			thread_has(kind, l, CALLER); \
		return e;                            \
	}
#define GIVES(name, type)                \
	STANDS_IN int name(type *l)      \
	{                                \
		REAL(int, name, type *); \
                                         \
		thread_gives(l, CALLER); \
		return real(l);          \
	}
#define TAKES_ONE(kind, name, type) TAKES(kind, name, (type * l), type *, l)
#define TAKES_UNTIL(kind, name, type)                                                \
	TAKES(kind, name, (type *restrict l, const struct timespec *restrict until), \
	      type *AND const struct timespec *, l, until)
#define TAKES_BY(kind, name, type)                                                          \
	int name(type *restrict l, clockid_t clock, const struct timespec *restrict until); \
	TAKES(kind, name,                                                                   \
	      (type *restrict l, clockid_t clock, const struct timespec *restrict until),   \
	      type *AND clockid_t AND const struct timespec *, l, clock, until)

TAKES_ONE(KIND_MUTEX, pthread_mutex_lock, pthread_mutex_t)
TAKES_ONE(KIND_MUTEX, pthread_mutex_trylock, pthread_mutex_t)
TAKES_UNTIL(KIND_MUTEX, pthread_mutex_timedlock, pthread_mutex_t)
TAKES_BY(KIND_MUTEX, pthread_mutex_clocklock, pthread_mutex_t)
GIVES(pthread_mutex_unlock, pthread_mutex_t)
TAKES_ONE(KIND_READ, pthread_rwlock_rdlock, pthread_rwlock_t)
TAKES_ONE(KIND_READ, pthread_rwlock_tryrdlock, pthread_rwlock_t)
TAKES_UNTIL(KIND_READ, pthread_rwlock_timedrdlock, pthread_rwlock_t)
TAKES_BY(KIND_READ, pthread_rwlock_clockrdlock, pthread_rwlock_t)
TAKES_ONE(KIND_MUTEX, pthread_rwlock_wrlock, pthread_rwlock_t)
TAKES_ONE(KIND_MUTEX, pthread_rwlock_trywrlock, pthread_rwlock_t)
TAKES_UNTIL(KIND_MUTEX, pthread_rwlock_timedwrlock, pthread_rwlock_t)
TAKES_BY(KIND_MUTEX, pthread_rwlock_clockwrlock, pthread_rwlock_t)
GIVES(pthread_rwlock_unlock, pthread_rwlock_t)
TAKES_ONE(KIND_MUTEX, pthread_spin_lock, pthread_spinlock_t)
TAKES_ONE(KIND_MUTEX, pthread_spin_trylock, pthread_spinlock_t)
GIVES(pthread_spin_unlock, pthread_spinlock_t)

#define TAKES_MTX(name, parameters, types, ...)            \
	STANDS_IN int name parameters                      \
	{                                                  \
		REAL(int, name, types);                    \
		int e = real(__VA_ARGS__);                 \
                                                           \
		if (e == thrd_success)                     \
			thread_has(KIND_MUTEX, l, CALLER); \
		return e;                                  \
	}
TAKES_MTX(mtx_lock, (mtx_t * l), mtx_t *, l)
TAKES_MTX(mtx_trylock, (mtx_t * l), mtx_t *, l)
TAKES_MTX(mtx_timedlock, (mtx_t *restrict l, const struct timespec *restrict until),
	  mtx_t *AND const struct timespec *, l, until)
GIVES(mtx_unlock, mtx_t)

/* While it waits it has not the mutex, and accesses nothing. */
#define WAITS(name, parameters, types, ...)        \
	STANDS_IN int name parameters              \
	{                                          \
		REAL(int, name, types);            \
		int e;                             \
                                                   \
		thread_note('r', 0, number_of(m)); \
		e = real(__VA_ARGS__);             \
		thread_note('a', 0, number_of(m)); \
		return e;                          \
	}
WAITS(pthread_cond_wait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m),
      pthread_cond_t *AND pthread_mutex_t *, c, m)
WAITS(pthread_cond_timedwait,
      (pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
       const struct timespec *restrict until),
      pthread_cond_t *AND pthread_mutex_t *AND const struct timespec *, c, m, until)
int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t clock,
			   const struct timespec *restrict until);
WAITS(pthread_cond_clockwait,
      (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t clock,
       const struct timespec *restrict until),
      pthread_cond_t *AND pthread_mutex_t *AND clockid_t AND const struct timespec *, c, m, clock,
      until)
WAITS(cnd_wait, (cnd_t * c, mtx_t *m), cnd_t *AND mtx_t *, c, m)
WAITS(cnd_timedwait, (cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until),
      cnd_t *AND mtx_t *AND const struct timespec *, c, m, until)

/* ---- counted ---- */

#define COUNTED 1024u

/* With how many it was made. A place is never another's again. */
static struct {
	_Atomic(const volatile void *) key;
	_Atomic unsigned n;
	unsigned arrived;
} counted[COUNTED];

static void count_is(const volatile void *key, unsigned n)
{
	for (unsigned i = 0; i < COUNTED; i++) {
		const volatile void *none = NULL;

		if (counted[i].key == key ||
		    __atomic_compare_exchange_n((const volatile void **)&counted[i].key, &none, key,
						0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
		    none == key) {
			counted[i].n = n + 1;
			counted[i].arrived = 0;
			return;
		}
	}
}

/* + 1; 0: not known. */
static unsigned count_of(const volatile void *key, unsigned **arrived)
{
	for (unsigned i = 0; i < COUNTED && counted[i].key; i++)
		if (counted[i].key == key) {
			if (arrived)
				*arrived = &counted[i].arrived;
			return counted[i].n;
		}
	return 0;
}

STANDS_IN int pthread_barrier_init(pthread_barrier_t *restrict b,
				   const pthread_barrierattr_t *restrict attr, unsigned n)
{
	REAL(int, pthread_barrier_init, pthread_barrier_t *, const pthread_barrierattr_t *,
	     unsigned);
	int e = real(b, attr, n);

	if (!e)
		count_is(b, n);
	return e;
}

STANDS_IN int pthread_barrier_wait(pthread_barrier_t *b)
{
	REAL(int, pthread_barrier_wait, pthread_barrier_t *);
	unsigned *arrived = NULL, n = count_of(b, &arrived);
	int e;

	n -= n > 0;
	thread_note('b', n, number_of(b));
	thread_comes(arrived, n);
	e = real(b);
	thread_note('d', 0, number_of(b));
	thread_goes_on();
	return e;
}

STANDS_IN int sem_init(sem_t *s, int shared, unsigned n)
{
	REAL(int, sem_init, sem_t *, int, unsigned);
	int e = real(s, shared, n);

	if (!e)
		count_is(s, n);
	return e;
}

/* With one it is a lock. */
static void sem_taken(sem_t *s)
{
	unsigned n = count_of(s, NULL);

	thread_note('w', n, number_of(s));
	if (n == 2)
		thread_has(KIND_MUTEX, s, NULL);
}

#define TAKES_SEM(name, parameters, types, ...) \
	STANDS_IN int name parameters           \
	{                                       \
		REAL(int, name, types);         \
		int e = real(__VA_ARGS__);      \
                                                \
		if (!e)                         \
			sem_taken(s);           \
		return e;                       \
	}
TAKES_SEM(sem_wait, (sem_t * s), sem_t *, s)
TAKES_SEM(sem_trywait, (sem_t * s), sem_t *, s)
TAKES_SEM(sem_timedwait, (sem_t *restrict s, const struct timespec *restrict until),
	  sem_t *AND const struct timespec *, s, until)
int sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict until);
TAKES_SEM(sem_clockwait,
	  (sem_t *restrict s, clockid_t clock, const struct timespec *restrict until),
	  sem_t *AND clockid_t AND const struct timespec *, s, clock, until)

STANDS_IN int sem_post(sem_t *s)
{
	REAL(int, sem_post, sem_t *);
	unsigned n = count_of(s, NULL);

	if (n == 2)
		thread_gives(s, NULL);
	thread_note('p', n, number_of(s));
	return real(s);
}

/* ---- once ---- */

static OURS struct {
	void (*fn)(void);
	const volatile void *flag;
} once;

static void run_once(void)
{
	const volatile void *flag = once.flag;

	once.fn();
	thread_note('o', 0, number_of(flag));
}

/* The calls may be in each other. */
#define RUNS_ONCE(name, type, result, keep, give)           \
	STANDS_IN result name(type *flag, void (*fn)(void)) \
	{                                                   \
		REAL(result, name, type *, void (*)(void)); \
		__typeof__(once) outer = once;              \
                                                            \
		once.fn = fn;                               \
		once.flag = flag;                           \
		keep real(flag, run_once);                  \
		once = outer;                               \
		thread_note('q', 0, number_of(flag));       \
		give;                                       \
	}
RUNS_ONCE(pthread_once, pthread_once_t, int, int e =, return e)
RUNS_ONCE(call_once, once_flag, void, , return )

int __cxa_guard_acquire(uint64_t *guard);
STANDS_IN int __cxa_guard_acquire(uint64_t *guard)
{
	REAL(int, __cxa_guard_acquire, uint64_t *);
	int runs = real(guard);

	if (!runs)
		thread_note('q', 0, number_of(guard));
	return runs;
}

void __cxa_guard_release(uint64_t *guard);
STANDS_IN void __cxa_guard_release(uint64_t *guard)
{
	REAL(void, __cxa_guard_release, uint64_t *);

	thread_note('o', 0, number_of(guard));
	real(guard);
}
