/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DVMDBG_FRONTEND_TAGS_INTERNAL_H
#define DVMDBG_FRONTEND_TAGS_INTERNAL_H

#include <stdbool.h>

#include "common/core/hash.h"
#include "common/tags/tags.h"
#include "frontend/tags/tags.h"

/* An array as a rank has registered it; strings and lists are owned. */
struct noted_array {
	struct tags_array a;
	int64_t *list[ARRAY_DIMS];
	uint64_t total;	   /* stored elements */
	uint64_t *right;   /* owned; a bit for each that came as it should, */
	uint64_t *wrong;   /* and for each that did not */
};

struct moved {
	struct tags_moved m;
	uint32_t main; /* of the interval */
};

struct between {
	struct tags_between b;
	uint32_t main; /* of the interval */
};

/* Halves of one element in one pair of constructs. */
struct halves {
	struct tags_interval in;
	uint32_t array, part[2];
	uint64_t at;
	unsigned have;
};

struct noted_rank {
	struct noted_array *array;
	struct moved *moved;
	struct between *between;
	struct halves *halves;
	uint32_t narrays, nmoved, nbetween, nhalves;
	struct hash by_element; /* halves */
	bool complete;	/* the rank came to the end of what was asked */
	bool any;	/* it has a file */
	uint32_t intervals;
};

struct noted {
	struct noted_rank *rank;
	uint32_t ranks;
};

/* read.c: the files of all ranks; damaged ones count as far as they are whole. */
void noted_read(struct noted *n, const char *dir, uint32_t ranks);
void noted_take(struct noted_rank *r, struct buf *b);
/* Places whose halves are both there become moves. */
void noted_join(struct noted_rank *r);
void noted_clear(struct noted *n);
/* The array as it was when construct `main` had ended; NULL: it was not there. */
struct noted_array *noted_array_of(const struct noted_rank *r, uint32_t number, uint32_t main);

/* judge.c: members "arrays", "findings", "notes" of the answer. symbols may be NULL. */
void tags_judge(struct noted *n, struct symbols *symbols, json_t *answer);

/* run.c: the run, and its answers as JSON, a line each; true in *died: it did not come to its
 * end. */
struct tagged_run {
	char *answers; /* owned */
	bool died, late;
};
int tags_run(const struct tags_request *r, const char *dir, bool reals, struct tagged_run *to,
	     struct err *err);

#endif
