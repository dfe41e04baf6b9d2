/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A finding in two pieces: what distinguishes it from others, and its first occurrence.
 */
#ifndef DVMDBG_COMMON_TRACE_FINDING_IMPL_H
#define DVMDBG_COMMON_TRACE_FINDING_IMPL_H

#include "common/tracereport/finding.h"

int finding_key_code(struct codec *c, struct trace_finding *f);
/* Without the count, which changes. */
int finding_rest_code(struct codec *c, struct trace_finding *f);

/* n more occurrences of what has the key, none of them the first. */
void trace_findings_count(struct trace_findings *l, const void *key, uint32_t nkey, uint64_t n);
/* By point, order in the reference, rank. */
int finding_order(const struct point *pa, const int64_t *a, uint32_t ra, const struct point *pb,
		  const int64_t *b, uint32_t rb);

#endif
