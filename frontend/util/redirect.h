/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a program's standard streams go, as in a shell: <in >out >>out 2>err 2>>err 2>&1 &>both.
 */
#ifndef DVMDBG_FRONTEND_REDIRECT_H
#define DVMDBG_FRONTEND_REDIRECT_H

#include <stdbool.h>
#include <stdio.h>

struct words;
struct err;

/* Zeroed: nothing is redirected. */
struct redirect {
	char *in;      /* owned; NULL: not redirected */
	char *path[2]; /* owned; of standard output and standard error, NULL: not redirected */
	bool append[2];
	FILE *f[2]; /* owned; open files, the same for both when it is one file */
};

/*
 * Takes the redirections out of the words. What can be read is looked at, and what cannot be
 * written for sure, so that nothing has happened when it is an error.
 */
int redirect_take(struct redirect *r, struct words *w, struct err *err);
/* Opens what is written, from its beginning or for appending; files that were open are closed. */
int redirect_open(struct redirect *r, struct err *err);
void redirect_clear(struct redirect *r);

#endif
