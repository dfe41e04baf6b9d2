/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checksums that a rank takes at points, and how they get into the queue of the page.
 */
#ifndef DVMDBG_RUNTIME_STOP_INTERNAL_H
#define DVMDBG_RUNTIME_STOP_INTERNAL_H

#include "runtime/stop/stop.h"

/* queue.c */
/*
 * Appends a record of n bytes to the page's queue and informs the supervisor. hold: the point where
 * the thread is going to wait for the verdict, by point_order_number, else 0. When there is no room it
 * waits, or gives up when the trace config says so and it is not to hold; a freeze, a crash, and
 * rules that want no sums here end the wait too. False: given up.
 */
bool queue_put(const void *record, uint32_t n, uint64_t hold);
/* Waits for the verdict about that point; true: sums differ there. */
bool queue_hold(uint64_t hold);

#endif
