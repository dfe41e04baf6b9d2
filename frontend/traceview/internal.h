/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why no record of traces is as somebody wants it.
 */
#ifndef DVMDBG_FRONTEND_TRACEVIEW_INTERNAL_H
#define DVMDBG_FRONTEND_TRACEVIEW_INTERNAL_H

#include <stddef.h>

#include "frontend/traceview/traceview.h"

struct symbols;
struct trace_files;
struct trace_want;

/* "there is no object or variable nix in these traces"; returns out. */
const char *trace_miss(struct symbols *s, const struct trace_files *f, const struct trace_want *w,
		       char *out, size_t size);

struct dvmtext_counter;
struct dvmtext_head;
struct err;
struct symbols;
struct trace_reader;

/*
 * What the trace costs as a text: all of it, and each of its constructs in *out, which is to be
 * cleared. -1: err.
 */
int text_costs(struct symbols *symbols, const struct trace_reader *m, struct dvmtext_head *out,
	       struct dvmtext_counter *all, struct err *err);

#endif
