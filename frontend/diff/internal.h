/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of this room share.
 */
#ifndef DVMDBG_FRONTEND_DIFF_INTERNAL_H
#define DVMDBG_FRONTEND_DIFF_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/logical/rankset.h"
#include "frontend/diff/diff.h"
#include "frontend/sumdiff/sumdiff.h"

struct err;
struct pieces;

/* SMALL: within tolerance, but not that of its own value. */
enum diff_verdict { DIFF_SAME, DIFF_ROUNDING, DIFF_SMALL, DIFF_BEYOND };

/* Element i of the blocks; *by is |ref - now|. */
enum diff_verdict diff_element_compare(const struct diff_input *in, uint64_t i, double *by);
/* scale.c: how much element i may differ in the scaled form. */
double diff_limit_at(const struct diff_input *in, uint64_t i);
/* Global indices of element i of the blocks. */
void diff_index(const struct section *s, uint64_t i, int64_t *index);

/* What an owner has of the section. */
struct diff_share {
	uint64_t owns, differ;
	uint64_t inner; /* of what it owns, not on the rim of the array */
};

/* Where the elements that differ are, for words. */
struct diff_map {
	const struct diff_input *in;
	uint64_t total, differ;
	uint64_t *hist[ARRAY_DIMS]; /* owned; how many at each position of the section */
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS]; /* box of global indices */
	struct diff_share *share;		/* owned; one for each owner */
	uint64_t corners,
		edges; /* how many are in corners, at inner edges of what their owner has */
};

/* Fills hist, lo, hi from d->bits, then share, corners and edges from the owners. -1: memory. */
int diff_map_make(struct diff_map *m, const struct diff_input *in, const struct diff *d);
void diff_map_clear(struct diff_map *m);
/* The shape in words, to be freed, and where that is; NULL: out of memory. */
char *diff_shape(const struct diff_map *m, enum diff_where *where);

/*
 * A section of an array out of a .npy file.
 */

/*
 * The elements of the section p, the last dimension fastest, to be freed. The file has the whole
 * array, or just the section; its type must be the array's. NULL and err.
 */
void *diff_npy_read(const char *path, const struct pieces *p, struct err *err);

/*
 * The words that shapes of differences are made of.
 */

enum set_kind { SET_FULL, SET_ONE, SET_RANGE, SET_STRIDE, SET_FEW, SET_MANY };

/* The global indices of one dimension at which something differs. */
struct set {
	enum set_kind kind; /* FULL: all that the array has */
	int64_t *g;	    /* owned; ascending */
	uint64_t n;
	bool nearly;	   /* RANGE: a few of the range are missing */
	int64_t low, high; /* of the array */
};

struct words {
	const struct diff_map *m;
	unsigned ndim;
	struct set set[ARRAY_DIMS];
	struct rankset mine; /* owners of what differs */
	enum diff_where *where; /* borrowed */
	FILE *f;
};

/* All but f. -1: memory; words_end all the same. */
int words_begin(struct words *w, const struct diff_map *m);
void words_end(struct words *w);

/* Owners that are known. */
size_t words_owners(const struct words *w);
const struct array_desc *words_owner(const struct words *w, size_t k);
/* Something of this owner's differs. */
bool words_mine(const struct words *w, size_t k);
/* It has all of dimension d, or a list of it, so that there are no boundaries. */
bool words_whole(const struct words *w, size_t k, unsigned d);

/* "rank 3"; of several "ranks [2:3]", without `word` "[2:3]". */
void put_ranks(const struct words *w, const struct rankset *set, bool word);
/* "ranks 1 and 2", "[0:1] and [2:3]" */
void put_pair(const struct words *w, const struct rankset *a, const struct rankset *b);
/* "what rank 3 owns", "what [2:3] own": those of what differs. */
void put_what_is_owned(const struct words *w);
/* "row", "columns", "element", "planes", "index" */
const char *words_noun(const struct words *w, unsigned d, bool many);
/* "row 5", "rows 3 to 7", "every 4th row from 3", "rows 3, 9 and 11", "37 of the rows 3 to 90" */
void put_set(const struct words *w, unsigned d);
/* "[3:90][1:5]", "(3:90,1:5)" */
void put_box(const struct words *w);

/*
 * border.c: ", the boundary between ranks 1 and 2: the last row of rank 1" and the like: what
 * is known of owners where dimension d has these indices. False when it is nothing.
 */
bool put_boundary(const struct words *w, unsigned d);

#endif
