/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Halo copies against their owners.
 */
#ifndef DVMDBG_FRONTEND_HALO_H
#define DVMDBG_FRONTEND_HALO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/point.h"
#include "common/rankset.h"
#include "common/section.h"
#include "common/value.h"

struct err;
struct session;

/* Elements of rank's halo on one side that differ from what one owner has. */
struct halo_entry {
	char array[128];
	uint8_t order;
	unsigned ndim;
	int8_t side[ARRAY_DIMS]; /* -1 below the own part, 1 above it, 0 beside; several: an edge or corner */
	uint32_t rank, owner;
	uint64_t total, differ;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS]; /* box around those that differ, global */
	int64_t first[ARRAY_DIMS];
	struct value halo, own; /* of the first */
	double largest;
};

struct halo_report {
	struct halo_entry *entry; /* owned; only those with differ > 0; by array, rank, side, owner */
	size_t n;
	uint64_t arrays, elements; /* that were compared */
	struct rankset silent;
};

/* name "": all distributed arrays with a halo. Halo outside the global array has no owner and is left out. */
int halo_check(struct session *s, const char *name, const struct rankset *who,
	       struct halo_report *out, struct err *err);
void halo_report_clear(struct halo_report *r);
/* "below in dimension 1", "above in dimension 2", "corner"; returns out. */
const char *halo_side(const struct halo_entry *e, char *out, size_t size);

#endif
