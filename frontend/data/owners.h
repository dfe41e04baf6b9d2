/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which rank owns what of a distributed array.
 */
#ifndef DVMDBG_FRONTEND_OWNERS_H
#define DVMDBG_FRONTEND_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "common/array/array.h"

struct err;
struct rankset;
struct session;

struct owner {
	uint32_t rank;
	struct array_desc desc; /* its local part; owned by whoever made it */
};

/*
 * What each rank owns of the array, by rank; the caller frees it with owners_free. Ranks that
 * do not answer or do not have it are left out; -1 and err when that are all.
 */
int owners_all(struct session *s, const char *name, struct owner **out, size_t *n, struct err *err);
/* The same for the ranks of who. */
int owners_of(struct session *s, const char *name, const struct rankset *who, struct owner **out,
	      size_t *n, struct err *err);
void owners_free(struct owner *owner, size_t n);

#endif
