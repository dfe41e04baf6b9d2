/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The front end's only event loop: descriptors, timers, and signals as events. Everything that
 * waits turns it with loop_turn until what it waits for holds, so the screen never blocks on a
 * rank.
 */
#ifndef DVMDBG_FRONTEND_LOOP_H
#define DVMDBG_FRONTEND_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct err;

typedef void (*loop_fd_fn)(void *arg, short revents);
typedef void (*loop_signal_fn)(void *arg, int sig);
typedef void (*loop_timer_fn)(void *arg);
/* Asked before every poll: which events the descriptor wants now; 0 for none. */
typedef short (*loop_want_fn)(void *arg);

/*
 * Blocks SIGINT SIGTERM SIGHUP SIGCHLD SIGWINCH SIGCONT and reads them through a signalfd; ignores
 * SIGPIPE.
 */
struct loop *loop_create(struct err *err);
void loop_destroy(struct loop *l);
/* For a forked child: the signal mask and SIGPIPE as they were before loop_create. */
void loop_reset_signals(const struct loop *l);
/* want may be NULL: POLLIN always. */
void loop_add(struct loop *l, int fd, loop_want_fn want, loop_fd_fn fn, void *arg);
/* Safe inside callbacks. */
void loop_remove(struct loop *l, int fd);
/* Calls fn(arg) once at `when` (loop_now's clock); a timer with the same fn and arg is moved. */
int loop_at(struct loop *l, int64_t when, loop_timer_fn fn, void *arg);
void loop_cancel(struct loop *l, loop_timer_fn fn, void *arg);
/*
 * One handler per signal; NULL takes it away. A signal that loop_create does not block is blocked
 * as long as it has a handler. SIGINT, SIGTERM and SIGHUP also raise loop_interrupted.
 */
void loop_signal(struct loop *l, int sig, loop_signal_fn fn, void *arg);
/* Waits at most timeout_ms (-1: until something happens) and runs the callbacks that are due. */
int loop_turn(struct loop *l, int timeout_ms);
/* A Ctrl-C, or a request to end, has come since the last loop_clear_interrupt. */
bool loop_interrupted(const struct loop *l);
void loop_clear_interrupt(struct loop *l);
/* From now on, until it is false as often, the first one is not seen: what is asked meanwhile is
 * answered to its end. */
void loop_defer_interrupt(struct loop *l, bool defer);
/* How many have come in all: whoever does things in turn sees that one came meanwhile. */
unsigned loop_interrupts(const struct loop *l);
/* As if Ctrl-C had come: whatever waits ends. */
void loop_interrupt(struct loop *l);
/* CLOCK_MONOTONIC in milliseconds. */
int64_t loop_now(void);

#endif
