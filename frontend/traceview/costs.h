/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A configuration file of traces (SEMANTICS 3): the constructs of a program and what the trace of
 * each has cost, counted in traces that were recorded.
 */
#ifndef DVMDBG_FRONTEND_TRACE_COSTS_H
#define DVMDBG_FRONTEND_TRACE_COSTS_H

struct err;
struct symbols;
struct trace_files;
struct dvmtext_head;

/* Of one rank, or of all together (-1); *h is cleared by the caller, also when this fails. */
int trace_costs(const struct trace_files *f, struct symbols *s, long rank,
		struct dvmtext_head *h, struct err *err);
/* The same, written to a file beside, which then takes its place. */
int trace_costs_write(const struct trace_files *f, struct symbols *s, long rank, const char *path,
		      struct err *err);

#endif
