/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a difference is made of beside the values of the job: who owns them, and the values that
 * they are compared with.
 */
#ifndef DVMDBG_FRONTEND_DIFF_SOURCE_H
#define DVMDBG_FRONTEND_DIFF_SOURCE_H

#include <stddef.h>

#include "frontend/diff/diff.h"

struct err;
struct pieces;
struct rankset;
struct session;

/*
 * What each rank owns of the array, by rank; the caller frees it with diff_owners_free. Ranks that
 * do not answer or do not have it are left out; -1 and err when that are all.
 */
int diff_owners(struct session *s, const char *name, struct diff_owner **out, size_t *n,
		struct err *err);
/* The same for the ranks of who. */
int diff_owners_of(struct session *s, const char *name, const struct rankset *who,
		   struct diff_owner **out, size_t *n, struct err *err);
void diff_owners_free(struct diff_owner *owner, size_t n);

#define DIFF_FROM 600

/*
 * The values of the section p to compare with, the last dimension fastest, to be freed: from the
 * .npy file with, when it is not NULL; else in a pair from the other run; else the array that the
 * session's reference has of the point where the ranks stand. from: in words where they come from. NULL and err, which says how to
 * get values when there are none.
 */
void *diff_reference(struct session *s, const struct pieces *p, const char *with,
		     char from[DIFF_FROM], struct err *err);

#endif
