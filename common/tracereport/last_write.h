/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who wrote an element last: looked for from the end of all ranks' traces.
 */
#ifndef DVMDBG_COMMON_TRACE_LAST_H
#define DVMDBG_COMMON_TRACE_LAST_H

#include "common/tracereport/finding.h"
#include "common/traceindex/index.h"

struct trace_last {
	const char *name;	   /* of the array */
	const char *file;	   /* where it was registered; NULL: anywhere */
	uint32_t line, counter;	   /* 0, UINT32_MAX: any */
	unsigned ndim;		   /* a scalar: 0 */
	int64_t index[ARRAY_DIMS]; /* global */
	const char *field;	   /* of the elements, which are structures; NULL: any */
	uint32_t offset;	   /* bytes in the element */
	uint64_t size;		   /* of that; 0: any of the element */
	/* NULL, or a variable that nobody registered: size bytes at its address in this module */
	const char *module;
	uint64_t vaddr;
	struct point before; /* only what was done before this point; main 0: all */
	uint32_t rank;	     /* only by this one; TRACE_NO_RANK: by any */
	bool halo;		   /* also of what a rank has in its halo only */
	/* called for each block that is read; other than 0: give up. May be NULL. */
	int (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/*
 * Adds to *out (findings of kind VALUE, only with what is here): the last write of each rank that
 * owns the element and wrote it in the same construct as the last one of all did. What replaced the
 * array meanwhile (another registration with the name) counts as it, and so does what was written
 * to its memory before it was registered, where that was recorded. Returns how many were added: 0
 * nobody wrote it, as far as was recorded; -1 err; -2 given up. *known (may be NULL): the array is
 * in the traces at all.
 */
int trace_last_write(struct trace_index *r, const struct trace_last *w, struct trace_findings *out,
		     bool *known, struct err *err);

#endif
