/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that nobody registered, right before or behind an array: an index is out of bounds there.
 */
#ifndef DVMDBG_COMMON_TRACEREPORT_INTERNAL_H
#define DVMDBG_COMMON_TRACEREPORT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/tracereport/tracereport.h"

struct trace_block;

#define TRACE_BESIDE 4096 /* bytes on each side of an array, and no more than it is long */

/*
 * The nearest array of the block of which an access of so many bytes could be out of bounds there,
 * with its place among the objects, and the bytes between: < 0 before its first element, >= 0 from
 * its end. False: none is near.
 */
bool out_of_bounds(const struct trace_block *b, uint64_t addr, unsigned size, uint32_t *object,
		   int64_t *bytes);

#endif
