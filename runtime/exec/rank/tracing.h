/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of one rank: what the front end has ordered, when they begin and end, and that no stop
 * or end is reported before what was recorded up to it is where it belongs.
 */
#ifndef DVMDBG_EXEC_TRACING_H
#define DVMDBG_EXEC_TRACING_H

#include <stdbool.h>
#include <stdint.h>

struct control;
struct msg_trace;

void control_trace(struct control *c, const struct msg_trace *m);
/* Readable when control_trace_inspect is due; -1: never. */
int control_trace_fd(const struct control *c);
/* When it is due in any case, in milliseconds of CLOCK_MONOTONIC, or -1. */
int64_t control_trace_due(const struct control *c);
void control_trace_inspect(struct control *c);
/* Reports what was found, when the way up is free. */
void control_trace_news(struct control *c);

/* For control.c. The program is about to be started: makes the area when it shall be traced. */
void tracing_start(struct control *c);
/* Whether what was recorded before this stop, or up to the end, has been dealt with; asks once more
 * when it has not. */
bool tracing_stopped(struct control *c);
bool tracing_ended(struct control *c);
/* For sums.c: whether something was found that was not asked about so far. */
bool tracing_differs(struct control *c);
/* The next call of that is to be true: this one could not be reported. */
void tracing_differ_again(struct control *c);
/* Reports once more what could not be reported. */
void tracing_resync(struct control *c);
/* Whether the closed blocks up to that number have been dealt with. */
bool tracing_reached(const struct control *c, uint64_t blocks);
/* Nobody asks for it any more: the file is closed, the program runs on untraced. */
void tracing_release(struct control *c);

#endif
