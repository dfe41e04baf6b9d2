/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The checksums of the current point as an answer.
 */
#ifndef DVMDBG_FRONTEND_SUMS_ANSWER_H
#define DVMDBG_FRONTEND_SUMS_ANSWER_H

#include <jansson.h>

struct err;
struct rankset;
struct session;

/*
 * {"type": "sums", "point", "where", "list": […]}, of all arrays or of the one with that name;
 * in a task where who stand of that point. Waits for those that are on their way. NULL and err:
 * none have been taken, or none of that name.
 */
json_t *sums_answer(struct session *s, const struct rankset *who, const char *name,
		    struct err *err);

#endif
