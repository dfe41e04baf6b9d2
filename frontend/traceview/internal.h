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

#endif
