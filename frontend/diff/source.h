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
