/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that has debug information, but no access hooks, built once more with them: each of its
 * sources with the compiler and the options that the debug information has, and dvmdbg-cc; not
 * optimised. Macros that the command line defined are not there; so the result is only taken when it
 * has the functions that the program has, at the same lines.
 */
#ifndef DVMDBG_FRONTEND_REBUILD_H
#define DVMDBG_FRONTEND_REBUILD_H

#include <stdbool.h>

struct err;
struct symbols;

struct rebuilt {
	char *program; /* owned; of the same base name, in a directory of its own */
	unsigned sources;
	bool optimized; /* the program is */
	char *dir; /* owned */
	int held;
};

/* -1 and err: a source is not there, a compiler refuses it, or what comes out differs. */
int rebuild_with_hooks(struct rebuilt *r, struct symbols *symbols, const char *program,
		       struct err *err);
/* Removes it; zeros are fine. */
void rebuilt_clear(struct rebuilt *r);

#endif
