/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What expressions can name of a rank itself: $rank, $nranks, $iteration, $point.
 */
#ifndef DVMDBG_COMMON_OWN_VALUE_H
#define DVMDBG_COMMON_OWN_VALUE_H

#include "common/protocol/report.h"

struct err;
struct rankset;
struct values;

enum own_value {
	OWN_RANK,
	OWN_NRANKS,
	OWN_ITERATION, /* the indices of the innermost iteration */
	OWN_POINT,     /* the number of the construct of the last point */
	OWN_VALUES
};
/* Which one "$rank" is; OWN_VALUES and err, which has those that there are: none. */
enum own_value own_value_find(const char *name, struct err *err);
/*
 * Adds it for these ranks, with stack and point as they have them. -1 and err: they are in no
 * iteration, or at no point.
 */
int own_value_add(enum own_value which, const struct rankset *ranks, int64_t number,
		  const struct report_stack *stack, struct values *out, struct err *err);

#endif
