/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A section of an object, fetched piece by piece along its slowest dimension, so that its size does
 * not matter.
 */
#ifndef DVMDBG_FRONTEND_PIECES_H
#define DVMDBG_FRONTEND_PIECES_H

#include <stdbool.h>

#include "frontend/data/fetch.h"

struct err;
struct owner;
struct rankset;
struct section;
struct session;

/* The object and its section; a zeroed one is empty. */
struct pieces {
	struct session *s;
	const char *name;	   /* borrowed */
	const struct rankset *who; /* borrowed; ranks that are asked */
	uint32_t rank;		   /* the first of them that has it */
	struct array_desc desc; /* of the first owner, borrowed */
	struct owner *owner; /* owned; what each rank has, by rank */
	size_t nowner;
	struct section section; /* bound */
	unsigned type;		/* enum value_type */
	json_t *notes; /* owned; array of texts about what was fetched: owners that disagree */
};

/*
 * Finds the object and its type. sec is not bound; NULL: all. Of structures their fields have to be
 * chosen. The error shows names and ranges.
 */
int pieces_find(struct pieces *p, struct session *s, const char *name, const struct section *sec,
		const struct rankset *who, struct err *err);
void pieces_clear(struct pieces *p);

/*
 * What to do with a piece: its elements, the last dimension fastest, with so many indices in
 * each dimension. 0, or -1 and err, which ends it.
 */
typedef int (*pieces_fn)(void *arg, const void *elements, const uint64_t *count, struct err *err);
/*
 * Fetches all pieces in order, the slowest dimension last (fortran) or first. Fails when elements
 * are missing, and when ranks differ about a replicated object; the error names them.
 */
int pieces_fetch(const struct pieces *p, bool fortran, pieces_fn fn, void *arg, struct err *err);

/* All of it in memory, the last dimension fastest, to be freed; NULL and err. At most 4 GiB. */
void *pieces_all(const struct pieces *p, struct err *err);

#endif
