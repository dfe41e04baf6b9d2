/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that marks put into a source. */
#ifndef DVMDBG_FRONTEND_MARKS_INTERNAL_H
#define DVMDBG_FRONTEND_MARKS_INTERNAL_H

#include "frontend/marks/marks.h"

struct fortran;

/* A source, as lines; owned. */
struct source {
	char *path, *text;
	char **line; /* into text, which is cut at the line ends */
	uint32_t n;
	struct fortran *fortran; /* NULL: it is C */
};

/* Lines in front of others, in the order in which they were put there. */
struct insertion {
	uint32_t before; /* line, from 1; n + 1: behind the last */
	bool inside;	 /* of the block that begins above: has the indentation of what follows */
	bool whole;	 /* text has its indentation, and may have several lines */
	uint32_t begun;	 /* it ends what begins at that line; 0: it ends nothing */
	char *text;	 /* owned */
};
struct insertions {
	struct insertion *line;
	uint32_t n;
};

/* The same line at the same place is put once. text becomes the list's. */
void insert(struct insertions *x, uint32_t before, bool inside, char *text);
/* As it is. Ends come in front of what begins at the same place, of ends the inner ones first. */
void insert_whole(struct insertions *x, uint32_t before, uint32_t begun, char *text);

/* c.c: what the mark, of all, is in C and C++. */
void mark_in_c(const struct marks *all, const struct mark *m, const struct source *s,
	       struct insertions *x);
/* fortran.c: likewise. */
void mark_in_fortran(const struct mark *m, const struct source *s, struct insertions *x);

/* sources.c: the text with numbers in the place of names that "#define NAME number" in the source
 * at that path gives one; owned by the caller. */
char *text_with_numbers(const char *path, const char *text);
/* file.c: the path, relative to base where it is below it. */
const char *path_below(const char *path, const char *base);

#endif
