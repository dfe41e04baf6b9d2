/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is in trace files, as answers: their records, and how many there are.
 */
#ifndef DVMDBG_FRONTEND_TRACE_SHOW_H
#define DVMDBG_FRONTEND_TRACE_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/array/array.h"
#include "common/logical/point.h"
#include "common/logical/rankset.h"

struct err;
struct session;
struct trace_files;

/* Which records are shown. Zeroed: all. */
struct trace_want {
	struct rankset ranks;  /* n 0: of all */
	struct point from, to; /* main 0: from the start, to the end */
	const char *array;     /* only accesses to it */
	const char *element;   /* only to this, as "u[3][4]" without blanks */
	unsigned nidx;	       /* only in this iteration of a parallel loop */
	int64_t index[ARRAY_DIMS];
	uint64_t most; /* 0: all */
};

/* Records, answer by answer of a bounded size. */
int trace_show(struct session *s, const struct trace_files *f, const struct trace_want *w,
	       struct err *err);
/* {"type": "trace-stat", …}; blocks are not decoded. */
json_t *trace_stat(const struct trace_files *f);

#endif
