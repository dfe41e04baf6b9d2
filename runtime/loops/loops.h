/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks in the text of a program, for loops of OpenMP: a call where an iteration begins, and one
 * behind a loop with a region around it. Of a loop whose header is not understood there are none,
 * nor of a SIMD loop with an ordered part.
 */
#ifndef DVMDBG_RUNTIME_LOOPS_LOOPS_H
#define DVMDBG_RUNTIME_LOOPS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file and what is put into it. */
struct text {
	char *data; /* owned; with a NUL behind */
	size_t len;
	struct insert {
		size_t at;
		char *text; /* owned */
	} * insert;	    /* owned */
	size_t n;
	bool plain; /* it gets no marks of variables, which may not have an address */
	bool bad;   /* no memory */
};

void text_insert(struct text *t, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What the preprocessor has made of C or C++, or what it is going to get. */
void c_marks(struct text *t, bool cxx, bool before_cpp);
/* A source in Fortran; name is what lines are counted in. */
void fortran_marks(struct text *t, bool fixed, const char *name);

/* False: it cannot be read, or has a NUL. */
bool text_read(struct text *t, const char *path);
void text_clear(struct text *t);
bool name_ends_in(const char *name, const char *end);

/* A new file, whose name ends so; the name is the caller's. NULL: there is none. */
char *file_new(const char *suffix, FILE **f);
/* The text with its marks, in a file whose name ends as the source's; the same. */
char *file_marked(const struct text *t, const char *source);
/* Removes it. */
void file_discard(char *name);
/* Whether the compiler has run without errors; only then what it says is shown. */
bool run_quietly(char **argv);
/* clang, with marks in all sources that it names; plain: those of loops only. */
bool run_overlaid(int argc, char **argv, bool plain);

#define FRESH_NAMES 32u /* of a directive; of more some have no mark */

/* What is behind "omp". */
struct directive {
	bool divides; /* iterations of the loop behind it are for any of the teams, threads, tasks
		       */
	bool simd;    /* or are for SIMD instructions only */
	bool whole; /* it makes its threads or tasks itself: nothing belongs to them behind the loop
		     */
	bool reduces;
	bool elements;	     /* workshare, in the threads that are there */
	unsigned nest;	     /* loops */
	const char *safelen; /* the expression; not ended */
	size_t nsafelen;
	bool parts; /* sections, workshare: a call at the beginning would be a part, too */
	/* Variables that have no value at the beginning: of private and lastprivate; from the text.
	 */
	struct word {
		const char *p;
		size_t n;
	} fresh[FRESH_NAMES];
	unsigned nfresh;
	struct word given[FRESH_NAMES]; /* of firstprivate */
	unsigned ngiven;
};
/* It has a value, by firstprivate. */
bool directive_gives(const struct directive *d, const struct word *w);
/* False: there is no loop that is marked; then the variables are known if there are any. */
bool directive_read(struct directive *d, const char *text, size_t len, bool fortran);

#endif
