/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accesses of numerical programs, made by computing: what the benchmark and the tests of traces
 * record.
 */
#ifndef DVMDBG_TESTS_BENCH_TRACE_WORK_H
#define DVMDBG_TESTS_BENCH_TRACE_WORK_H

#include <stddef.h>
#include <stdint.h>

struct work_rec {
	uint64_t pc, at; /* pc 0: an iteration, whose indices are index */
	uint32_t object;
	uint8_t flags, nidx;
	union {
		unsigned char value[16];
		int32_t index[4];
	};
};

struct work {
	struct work_rec *rec;
	size_t n, cap; /* nothing is kept beyond cap */
};

/* Each fills w until cap records are there. w->rec has room for them. */
void work_heat(struct work *w);	      /* 5-point stencil on doubles, 500 x 1000 */
void work_heat_float(struct work *w); /* the same on floats */
void work_lu(struct work *w);	      /* five components a cell, 33 x 33 x 33 */
void work_sparse(struct work *w);     /* sparse matrix times vector, int columns */
void work_random(struct work *w);     /* nothing can be predicted */

#endif
