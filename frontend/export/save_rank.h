/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A section of an array as one rank has it: its block, the copies in its halo, and NaN for what it
 * has not.
 */
#ifndef DVMDBG_FRONTEND_SAVE_RANK_H
#define DVMDBG_FRONTEND_SAVE_RANK_H

#include <stdint.h>

struct err;
struct pieces;

/* Zeroed: nothing. */
struct rank_values {
	unsigned type;	 /* enum value_type; double for whole numbers of which some are not there */
	void *elements;	 /* owned; of the section, the last dimension fastest */
	char about[300]; /* a line that shows whose they are */
};

/* The values that the rank has of the pieces' section; cleared by the caller in either case. */
int rank_values_take(struct rank_values *v, const struct pieces *p, uint32_t rank, struct err *err);
void rank_values_clear(struct rank_values *v);

#endif
