/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DVMDBG_RUNTIME_THREADS_INTERNAL_H
#define DVMDBG_RUNTIME_THREADS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#define STANDS_IN __attribute__((visibility("default")))

/* Kinds of what excludes others, as in common/openmp. */
enum { KIND_MUTEX = 20, KIND_READ = 21 };

/* The function itself, behind us. */
void *thread_real(const char *name);

#define REAL(type, name, ...)             \
	static type (*real)(__VA_ARGS__); \
                                          \
	if (!real)                        \
	*(void **)&real = thread_real(#name)

/* It is among threads of the program. */
bool thread_is_one(void);
/* A letter, a number, and when; key: hexadecimal. Of threads that OpenMP has begun, nothing. */
void thread_note(char what, uint64_t number, uint64_t key);
#define CALLER __builtin_return_address(0)
/* As that, also of those, when it is the program that has called: before pc. */
void thread_locks(char what, int kind, uint64_t key, const void *pc);
/* It has what excludes others from here on, is going to give it back. */
void thread_has(int kind, const volatile void *key, const void *pc);
void thread_gives(const volatile void *key, const void *pc);
/* Before the first thread is begun: what the thread has is not said yet. */
void thread_say_held(void);
/* The thread comes to a barrier of n, at which so many are already; or behind it. */
void thread_comes(unsigned *arrived, unsigned n);
void thread_goes_on(void);

#endif
