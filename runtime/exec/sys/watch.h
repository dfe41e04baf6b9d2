/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that sleeps on a futex in the shared page and makes its changes visible to poll.
 */
#ifndef DVMDBG_EXEC_WATCH_H
#define DVMDBG_EXEC_WATCH_H

#include <stdatomic.h>
#include <stdint.h>

struct watch;
struct err;

/* futex must stay mapped until watch_destroy. NULL and err when there is no thread to be had. */
struct watch *watch_create(_Atomic uint32_t *futex, struct err *err);
/* Ends the thread; NULL is fine. */
void watch_destroy(struct watch *w);
/* Readable after a change. */
int watch_fd(const struct watch *w);
/* Call before looking at what has changed. */
void watch_clear(struct watch *w);

#endif
