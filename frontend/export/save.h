/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole arrays, or sections of them, into .npy and .txt files.
 */
#ifndef DVMDBG_FRONTEND_SAVE_H
#define DVMDBG_FRONTEND_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array/section.h"

struct err;
struct pieces;
struct rankset;
struct session;

/* What was saved. */
struct saved {
	unsigned type; /* enum value_type */
	uint8_t order; /* 'C' or 'F' */
	unsigned ndim;
	int64_t extent[ARRAY_DIMS]; /* of the file: dimensions of a single index are left out */
	uint64_t elements;
};

/* Zeroed: the array as it is. */
struct save_how {
	bool plane; /* a table, in which … */
	unsigned row,
		col;  /* … these dimensions go down and to the right; the others have one index */
	bool as_rank; /* what the rank has: its block and its halo, NaN elsewhere */
	uint32_t rank;
};

/*
 * Saves name, or its section sec (not bound; NULL: all), as the ranks of who have it; they must be
 * stopped. Array order of Fortran is kept, so that its indices are those of the file. An existing
 * file is replaced when all has been written, and left as it is on an error.
 */
int save_array(struct session *s, const char *name, const struct section *sec,
	       const struct rankset *who, const char *path, struct saved *out, struct err *err);
/* The same of pieces that were found, as `how` says. */
int save_pieces(const struct pieces *p, const struct save_how *how, const char *path,
		struct saved *out, struct err *err);

#endif
