/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that is watched, and the program's writes to it. A hook is called before its write, so the
 * write is noted, and looked at when the thread does anything else that is seen: its next access,
 * the entry or end of a function, a mark, a call of MPI. It costs something only while memory is
 * watched.
 */
#ifndef DVMDBG_RUNTIME_WRITES_H
#define DVMDBG_RUNTIME_WRITES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WRITES_RUNS 4096

/* Elements of `bytes` bytes, the first at lo, one every `stride` bytes, the last ends at hi. */
struct writes_run {
	uint64_t lo, hi, stride, bytes;
};

/* Whether writes are to be looked at. */
extern _Atomic uint32_t writes_open;

/* What to call when that has changed; without it nothing is ever looked at. */
void writes_use(void (*changed)(bool open));
/*
 * What to call, in the owner thread and between rt_enter and rt_leave, when a write may have changed
 * watched memory: pc is where it returns to, 0: it was a call of MPI, or objects have been
 * registered or are gone; other: another thread has done it.
 */
void writes_report_to(void (*changed)(uint64_t pc, bool other));
/* These n, at most WRITES_RUNS, are watched from now on; in the owner thread. Sorts them. */
void writes_watch(struct writes_run *run, uint32_t n);

/* Whether the write that is being reported was to some of that memory. */
bool writes_reported(uint64_t lo, uint64_t hi);

/* n bytes are accessed, by the code that returns to pc. */
void writes_access(uint64_t addr, size_t n, bool writes, uint64_t pc);
/* What this thread has noted has been written. */
void writes_flush(void);
/* Other threads are about to write watched memory, or have, and it has not been reported. */
bool writes_of_others(void);
/* The owner thread is about to call MPI. */
void writes_mpi(void);

static inline bool writes_are_watched(void)
{
	return __builtin_expect(atomic_load_explicit(&writes_open, memory_order_relaxed) != 0, 0);
}

#endif
