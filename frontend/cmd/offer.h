/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kinds of words that can be completed: names that the tables and the session know.
 */
#ifndef DVMDBG_FRONTEND_COMPLETE_OFFER_H
#define DVMDBG_FRONTEND_COMPLETE_OFFER_H

#include <stddef.h>

struct complete;
struct session;

/* A word that is being typed, and where candidates for it go. */
struct offer {
	struct complete *c;
	const char *typed; /* borrowed; len bytes of it */
	size_t len;
	const char *line;   /* borrowed; of which both are parts */
	const char *before; /* borrowed; the word before it, "" when there is none */
	size_t before_len;
};

/* Offers before and word together, when that begins with what is typed. */
void offer(struct offer *o, const char *before, const char *word);
/*
 * Offers all of the kinds in `what`, of n bytes: "object|=$EXEC" as in struct cmd's completes. A
 * kind that is not known offers nothing.
 */
void offer_kinds(struct offer *o, struct session *s, const char *what, size_t n);
/* Whether there is a kind with this name, for tests of the table. */
int offer_known(const char *kind, size_t n);

#endif
