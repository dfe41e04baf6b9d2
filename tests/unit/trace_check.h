/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares what trace_synth.h makes with a reference, as the supervisors of all ranks would.
 */
#ifndef DVMDBG_TESTS_UNIT_TRACE_CHECK_H
#define DVMDBG_TESTS_UNIT_TRACE_CHECK_H

#include "common/tracediff/tracediff.h"
#include "tests/unit/trace_synth.h"

/* What came of it; trace_findings_clear it. */
struct check {
	struct trace_findings findings;
	struct tracediff_state state; /* summed */
	size_t held;		      /* most bytes that were held by one rank */
};

/* The directory for references; made on first use, emptied by each call. */
const char *check_dir(void);
void check_remove(void);
/* Compares the program with the reference in check_dir. memory: for decoded blocks, and for joins;
 * 0: as usual. */
struct check check_run(const struct synth_plan *p, synth_program *program, long n, long steps,
		       const struct synth_fault *fault, size_t memory);
/* Fails, with all findings in words, unless there is none. */
void check_none(struct check *c, const char *what);
/* The first one; fails when there is none. Borrowed. */
void check_first(const struct check *c, struct trace_finding *f);

#endif
