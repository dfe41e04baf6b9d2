/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What verbs that show things share.
 */
#ifndef DVMDBG_FRONTEND_VERBS_LOOK_LOOK_H
#define DVMDBG_FRONTEND_VERBS_LOOK_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/expr/expr.h"

/*
 * The argument of verbs of arrays: a name, perhaps with a section.
 */

struct err;
struct rankset;
struct section;
struct session;

struct named {
	struct expr *e; /* an EXPR_NAME */
	struct section sec;
	bool by_rank; /* an index of a variable differs between ranks: each finds its own */
};

/* who are asked for what stands in subscripts; verb is for the error. Cleared by the caller. */
int named_parse(struct named *n, struct session *s, const struct rankset *who, const char *verb,
		const char *text, struct err *err);
/* Also what comes to a variable, "*(p + 1)", an EXPR_TYPED, and by_rank. */
int named_parse_place(struct named *n, struct session *s, const struct rankset *who,
		      const char *verb, const char *text, struct err *err);
void named_clear(struct named *n);
/* The name, or the whole expression; borrowed. */
const char *named_text(const struct named *n);
/* Not bound; NULL: no section was given. */
const struct section *named_section(const struct named *n);
/* Notes, of a name once in a session, that the chosen frame has a variable with the name of an
 * object in e, which was meant. */
void named_note_hidden(struct session *s, const struct rankset *who, const struct expr *e);

/*
 * The options of verbs that show a plane of an array as cells: -cells, -rows, -columns.
 */

struct plane_words {
	const char *verb;		    /* for errors */
	const char *cells, *rows, *columns; /* the options' values; NULL: not given */
};

struct plane {
	unsigned row, col;   /* dimensions of the section, from 0; equal: only one, and rows is 1 */
	uint32_t rows, cols; /* cells, no more than there are indices */
	uint32_t columns;    /* cells of a line; less than cols where one dimension is folded */
};

/*
 * s is bound. Without options the last two dimensions of more than one index, in Fortran the first
 * two. The error names verb, option and what is allowed.
 */
int plane_parse(struct plane *p, const struct plane_words *words, const struct section *s,
		bool fortran, struct err *err);
/* "3,4": an index in each of ndim dimensions; what: "stat -after", for the error. */
int plane_index(const char *what, const char *text, unsigned ndim, int64_t *index, struct err *err);

#endif
