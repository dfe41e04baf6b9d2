/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DVMDBG_EXEC_FUTEX_H
#define DVMDBG_EXEC_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Shared between processes, so never the private kind. Returns early for any reason. */
static inline void futex_wait(_Atomic uint32_t *f, uint32_t seen, int timeout_ms)
{
	struct timespec t = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };

	syscall(SYS_futex, f, FUTEX_WAIT, seen, &t, NULL, 0);
}

static inline void futex_wake(_Atomic uint32_t *f)
{
	syscall(SYS_futex, f, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
