/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the traces of two runs that are over: each rank of one with all of the other.
 */
#ifndef DVMDBG_COMMON_TRACE_DIFF_H
#define DVMDBG_COMMON_TRACE_DIFF_H

#include "common/tracediff/tracediff.h"

struct tracediff_files_options {
	struct trace_tolerance tolerance;
	uint32_t most; /* findings that are kept; 0: no bound */
	bool moved;    /* the runs are of different versions of the program */
	/* called for each block; other than 0: give up. May be NULL. */
	int (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/*
 * Compares `now`, whose findings are reported, with `ref`. Adds to *out and *state (the sums of all
 * ranks). 1: given up on request; -1: err, what was found by then is there.
 */
int tracediff_files(struct trace_index *now, struct trace_index *ref, const struct tracediff_files_options *o,
	       struct trace_findings *out, struct tracediff_state *state, struct err *err);

#endif
