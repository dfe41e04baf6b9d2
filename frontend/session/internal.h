/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What locals.c and call.c share: the frame that up and down have chosen, as questions to ranks
 * name it.
 */
#ifndef DVMDBG_FRONTEND_SESSION_INTERNAL_H
#define DVMDBG_FRONTEND_SESSION_INTERNAL_H

#include "frontend/session/session.h"

/* Ranks whose call is the same one, as QUERY_LOCALS has it. */
struct chosen {
	struct rankset ranks;
	char *func; /* owned; "" the innermost */
	unsigned flags, call;
};

struct choice {
	struct chosen *item;
	size_t n;
	struct rankset lacking; /* have no such frame */
};

/* all: all calls, whatever frame was chosen. Clear it in either case. */
int choice_find(struct session *s, const struct rankset *who, bool all, struct choice *out,
		struct err *err);
void choice_add(struct choice *c, const struct rankset *ranks, const char *func, unsigned flags,
		unsigned call);
/* The same of the thread that the shell has chosen, which does not run main. */
int choice_find_threads(struct session *s, const struct rankset *who, size_t level,
			struct choice *out, struct err *err);
void choice_clear(struct choice *c);

#endif
