/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The points that ranks have passed, put together from what each of them says.
 */
#ifndef DVMDBG_FRONTEND_TRAIL_H
#define DVMDBG_FRONTEND_TRAIL_H

#include <stddef.h>
#include <stdint.h>

#include "common/logical/groups.h"
#include "common/logical/rankset.h"
#include "common/protocol/report.h"

struct err;
struct session;

/* The most points that can be asked for. */
#define TRAIL_MOST 100000

/* A passed point and the ranks that have passed it; places stay in the answers. */
struct passed {
	struct report_point r;
	struct rankset ranks;
};

/* Zeroed: empty. */
struct trail {
	struct passed *item;
	size_t n, cap;
};

/*
 * The points that the ranks of who have passed, at most n each, oldest first. Answers are the
 * caller's to clear, after the trail. silent may be NULL. -1 and err when nobody can be asked.
 */
int trail_ask(struct session *s, const struct rankset *who, uint32_t n, struct groups *answers,
	      struct rankset *silent, struct trail *out, struct err *err);
void trail_clear(struct trail *t);

#endif
