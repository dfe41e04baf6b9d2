/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What locals.c, parts.c and call.c share: the frame that up and down have chosen, as questions to
 * ranks name it, and texts that ranks evaluate.
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

/* level: the frame, 0 the innermost; CHOICE_SHELL: that of up and down. Clear it in either case. */
#define CHOICE_SHELL (-1)
int choice_find(struct session *s, const struct rankset *who, int64_t level, struct choice *out,
		struct err *err);
void choice_add(struct choice *c, const struct rankset *ranks, const char *func, unsigned flags,
		unsigned call);
/* The same of the thread that the shell has chosen, which does not run main. */
int choice_find_threads(struct session *s, const struct rankset *who, size_t level,
			struct choice *out, struct err *err);
void choice_clear(struct choice *c);

/* Ranks that get the same text. */
struct part {
	struct rankset ranks;
	char *text; /* owned */
};
struct parts {
	struct part *item;
	size_t n;
};
struct expr;
struct values;
/* One of all these ranks, without text. */
void parts_begin(struct parts *p, const struct rankset *who);
void parts_append(struct parts *p, const char *text, size_t n);
/* Each goes on with the number that its ranks have. */
void parts_split(struct parts *p, const struct values *q);
/* The text of e; what only the session knows in it as numbers. place: a name alone stays one. */
int parts_expression(struct parts *p, struct session *s, const struct rankset *who,
		     const struct expr *e, bool place, struct err *err);
void parts_clear(struct parts *p);

/* Numbers that a function of the program returns, for expressions; 1: there is none of that name.
 */
int call_values(struct session *s, const struct rankset *who, const char *text, const char *wanted,
		struct values *out, struct err *err);
/* The same of an expression that has a call within (expr_call_within). */
int call_part_values(struct session *s, const struct rankset *who, const struct expr *e,
		     struct values *out, struct err *err);

#endif
