/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What files of this room share: the queue of checksums in the page, and calls of functions while
 * parked.
 */
#ifndef DVMDBG_RUNTIME_STOP_INTERNAL_H
#define DVMDBG_RUNTIME_STOP_INTERNAL_H

#include "runtime/stop/stop.h"

/* queue.c */
/*
 * Appends a record of n bytes to the page's queue and informs the supervisor. hold: the point where
 * the thread is going to wait for the verdict, by point_order_number, else 0. When there is no room
 * it waits, or gives up when the trace config says so and it is not to hold; a freeze, a crash, and
 * rules that want no sums here end the wait too. False: given up.
 */
bool queue_put(const void *record, uint32_t n, uint64_t hold);
/* Waits for the verdict about that point; true: sums differ there. */
bool queue_hold(uint64_t hold);

/* printed.c: what a copy prints that the program has not printed before; the first before it is
 * made, the others in it. */
void printed_find(void);
void printed_drop(void);
void printed_flush(void);

/* thrown.c: the exception of C++ that this thread has not caught, "uncaught exception _ZTI…: what
 * it says"; out stays as it is where there is none. thrown_find before a signal asks. */
void thrown_find(void);
void thrown_words(char *out, size_t size);

/* call.c */
/*
 * Calls the function that the supervisor asks for, if it does, and waits for its end. crashed: in
 * the handler of a signal. poll: MPI may be called meanwhile. go: true when the thread is to go on.
 */
void call_serve(bool crashed, bool poll, bool (*go)(uint64_t arg), uint64_t arg);

#endif
