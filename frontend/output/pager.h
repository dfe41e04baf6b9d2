/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text on a terminal, a screen at a time. It waits for a key without turning the event loop: what
 * happens meanwhile is reported after.
 */
#ifndef DVMDBG_FRONTEND_PAGER_H
#define DVMDBG_FRONTEND_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pager {
	FILE *f; /* borrowed; NULL: off */
	int in;	 /* where keys come from */
	size_t rows, columns;
	size_t used; /* rows since the last key */
	bool enough; /* the rest is not wanted */
	bool all;    /* the rest is wanted without a stop */
};

/* From now on: f is the terminal, keys are read from `in`. Stays off when it has no size. */
void pager_begin(struct pager *p, FILE *f, int in);
void pager_end(struct pager *p);
bool pager_is_on(const struct pager *p);
/* Writes whole lines, as far as they are wanted. */
void pager_write(struct pager *p, const char *text, size_t len);

#endif
