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
	int8_t side[ARRAY_DIMS]; /* -1 below the own part, 1 above it, 0 beside; several: an edge or
				    corner */
	uint32_t rank, owner;
	uint64_t total, differ;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS]; /* box around those that differ, global */
	int64_t first[ARRAY_DIMS];
	uint8_t type;		/* enum value_type of these: */
	struct value halo, own; /* of the first; of a structure its first field that differs */
	char field[64];		/* that field's name, "": no structure */
	double largest;		/* difference; infinite where one is no number */
};

struct halo_report {
	struct halo_entry
		*entry; /* owned; only those with differ > 0; by array, rank, side, owner */
	size_t n;
	uint64_t arrays, elements; /* that were compared */
	uint64_t unowned;	   /* others, whose owner could not be asked, or that nobody owns */
	char **note;		   /* owned; what was left out and why */
	size_t nnote;
	struct rankset silent;
};

/*
 * Compares the halos of who, bit by bit, with what their owners, any stopped ranks, have; one NaN
 * equals another. name "": all distributed arrays with a halo. Halo outside the global array has no
 * owner and is left out; of several owners of an element the lowest rank is meant. An array of
 * which there is no halo is no error, one that does not exist is. -1 and err, out is empty then.
 */
int halo_check(struct session *s, const char *name, const struct rankset *who,
	       struct halo_report *out, struct err *err);
void halo_report_clear(struct halo_report *r);
/* "below in dimension 1", "corner: below in 1, above in 2", "edge: …"; returns out. */
const char *halo_side(const struct halo_entry *e, char *out, size_t size);
/* By array, rank, side, owner: the order of a report. */
int halo_order(const struct halo_entry *a, const struct halo_entry *b);

#endif
