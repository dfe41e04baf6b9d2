/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts the answers to QUERY_FETCH together: replicated values become groups, pieces of a
 * distributed object one block.
 */
#ifndef DVMDBG_FRONTEND_ASSEMBLE_H
#define DVMDBG_FRONTEND_ASSEMBLE_H

#include <stdbool.h>

#include <jansson.h>

struct groups;
struct err;
struct fetched;
struct rankset;

/*
 * Fills f->q (type and shape are set), missing and notes. -1 and err when no rank gave a value: the
 * error is what they said instead. stored: what ranks have outside of the array, when that is asked
 * for; NULL: it is not.
 */
int assemble(struct fetched *f, const struct groups *answers, const struct groups *stored,
	     const struct rankset *who, struct err *err);
/* Whether some rank has sent an element. */
bool assemble_any(const struct groups *answers);
/* Appends a text: the ranks, then what is reported of them. */
void fetch_note(json_t *notes, const struct rankset *ranks, const char *what);

#endif
