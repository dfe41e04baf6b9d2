/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which launcher starts the ranks, and what is to be known of it.
 */
#ifndef DVMDBG_FRONTEND_LAUNCHER_H
#define DVMDBG_FRONTEND_LAUNCHER_H

#include <stdbool.h>

#include "frontend/launch/program.h"

struct err;

struct launcher {
	char **word;  /* owned, NULL-terminated, word[0] a path; NULL: no launcher, one rank is
			 started directly */
	bool given;   /* the user named it */
	bool openmpi; /* Open MPI's: passes environment to other hosts only when told to (-x) */
	bool remote;  /* may start ranks on other hosts */
	bool scratch; /* is to have a directory for its files of its own, here */
};

/*
 * text: what the user gave ("srun --mpi=pmix", quotes as in a shell), or NULL: chosen by what the
 * program needs. n: ranks, 0 when not given. -1 when there is none to be found, or n is more than
 * it should start.
 */
int launcher_choose(struct launcher *l, const char *text, const struct program *p, int n,
		    struct err *err);
void launcher_clear(struct launcher *l);
/*
 * Splits into words by blanks; '…' and "…" keep blanks, \ keeps the next character. The array and
 * its strings are the caller's. NULL and err for a quote that is not closed.
 */
char **launcher_words(const char *text, struct err *err);
void launcher_words_free(char **word);

#endif
