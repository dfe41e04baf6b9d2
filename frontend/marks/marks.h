/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks beside the source: what DVMDBG_ARRAY, DVMDBG_PL and the others would say, each with the
 * place where it would stand. A file of them has a line a mark and can be edited; numbers in it are
 * expressions of the source's own language, of what is in scope at the mark; indices count as in
 * the source (Fortran: dimensions in Fortran's order).
 *
 *   function    heat.c:20
 *   replicated  heat.c:29  eps
 *   array       heat.c:31  u  shape [n, n]  own [r0:r1, c0:c1]  halo [1, 1]
 *   sequential  heat.c:52-70  range [1:steps]  iteration [t] at 53
 *   parallel    heat.c:61-67  on v  range [1:n - 2, 1:n - 2]  writes [v]  reads [u]  iteration [i,
 * j] at 63 reduction   heat.c:68  change max forget      heat.c:75  u array       lu.c:31  a  shape
 * [n, n]  own [rank:n - 1:size, 0:n - 1]
 *
 * own [a:b:s]: of a to b every s-th index, cyclically; [a:b:s:k]: every s the next k of them.
 * periodic [p, …]: 1 where halo beyond the array has copies of the elements at its other end.
 * copies [q]  copy [k]: all ranks together have the array q times, this part is of copy k, from 0.
 * v: of a std::vector, std::array or std::unique_ptr its elements.
 * a[].x: the member x of the structures that a has, one of each; it is registered as that.
 * a[][].x: likewise, where a is declared with two dimensions, which say how far they are apart.
 * u[]: an array whose rows are allocated one by one, at u[0], u[1], …; it is registered as u.
 * FILE:LINE: in front of that line. FILE:FIRST-LAST: a loop. halo [a:b, …]: a below, b above. An
 * array may have lower [a, …]: its first indices, where they are not 0 in C, 1 in Fortran.
 */
#ifndef DVMDBG_FRONTEND_MARKS_H
#define DVMDBG_FRONTEND_MARKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;
struct symbol_marks;
struct symbols;

#define MARK_DIMS 4

enum mark_kind {
	MARK_FUNCTION,
	MARK_REPLICATED,
	MARK_ARRAY,
	MARK_SEQUENTIAL,
	MARK_PARALLEL,
	MARK_REDUCTION,
	MARK_FORGET,
	MARK_SKIP,
	MARK_KINDS
};

struct mark_names {
	char **name; /* owned */
	uint32_t n;
};

/* Everything is owned. What a mark has not is NULL or 0. */
struct mark {
	enum mark_kind kind;
	char *file;	     /* a path, or the end of one */
	uint32_t line, last; /* last: of a loop */
	char *name;	     /* of a variable; of the array that a parallel loop is mapped on */
	char *operation;     /* of a reduction: sum, max, min, … */
	struct mark_names shape, from, to; /* by dimension: own parts, or a loop's range */
	struct mark_names step, block; /* of own parts; "0" where all of from to to is owned */
	struct mark_names halo_lo, halo_hi;
	struct mark_names copies, copy; /* one each, of what is partly replicated; or none */
	struct mark_names lower; /* first index of the whole array; none: 0 in C, 1 in Fortran */
	unsigned declared; /* dimensions of an array of C whose rows have room, so that sources say how
			      far they are apart; 0: they need not */
	struct mark_names periodic;
	struct mark_names writes, reads;
	/* of Fortran, whose sources name arrays as they are registered, where writes and reads are
	 * dummy arguments: these names, none if calls pass several arrays */
	bool dummies;
	struct mark_names passed_writes, passed_reads;
	struct mark_names iteration; /* index by dimension */
	uint32_t iteration_line;     /* in front of which it stands */
	bool beside; /* it names private members: debug information leads there, no source may */
};

struct marks {
	struct mark *mark; /* owned */
	uint32_t n;
	/* of each other: private members as the debug information has them, and what sources call
	 * them by: c.data_._M_impl._M_start, and "c(0, 0)", its first element, or "c.data()" */
	struct mark_names closed, open;
	/* lines that let marks into classes, of the patch alone */
	struct mark_friend {
		char *file, *text; /* owned; "friend class x;" */
		uint32_t line;	   /* in front of which it stands */
	} *friend;		   /* owned */
	uint32_t nfriend;
};

/* The same one is added once. */
void mark_friend_add(struct marks *m, const char *file, uint32_t line, const char *text);
/* Those from the n-th on go. */
void mark_friends_cut(struct marks *m, uint32_t n);
/* A new mark behind the others. */
struct mark *marks_add(struct marks *m, enum mark_kind kind, const char *file, uint32_t line);
void mark_name_add(struct mark_names *n, const char *name);
/* That one, of n. */
void mark_name_remove(struct mark_names *n, uint32_t which);
void mark_names_clear(struct mark_names *n);
void mark_clear(struct mark *m);
void marks_clear(struct marks *m);
/* Of a[].x, or a[][].x, the place of "[]" in it; NULL: it is no member of structures. */
const char *mark_member(const char *name);
/* Of u[], whose rows are allocated one by one, the length of u; 0: it is another name. */
size_t mark_rows(const char *name);
/* As objects are registered: plain, and u for u[]. Owned. */
char *mark_registered(const char *name);
/* Its first structure, a[0] or a[0][0], owned, and how many pairs of brackets there are; NULL: it
 * is no member of structures. */
char *mark_element(const char *name, unsigned *dims);
/* A text with names as sources have them, owned: c.data_ for c.data_._M_impl._M_start, which leads
 * from a std::vector to its elements. Marks in files, and objects of ours, are named so. */
char *mark_plain(const char *text);
/* The source is Fortran, by the end of its name. */
bool marks_fortran(const char *file);

/*
 * file.c: the form above, a line. Paths below the directory base are relative to it. Reading:
 * errors name the line and what is allowed there.
 */
void mark_write(const struct mark *m, FILE *f, const char *base);
int marks_read(struct marks *m, const char *path, struct err *err);
/* Takes an array out of the file, and the loops that are mapped on it; false: it has none of that
 * name, or no other, or cannot be written. */
bool marks_drop_array(const char *path, const char *name);

/*
 * sources.c: lines that say what the sources are now, for the end of the file; and which of them
 * are others by now, "a.c, b.c", owned, NULL: none.
 */
void marks_write_sources(const struct marks *m, FILE *f, const char *base);
char *marks_changed(const char *path);

/*
 * patch.c: the marks as a unified diff of the sources. Paths below the directory base are relative
 * to it. The sources are read; -1 and err: one cannot be.
 */
int marks_patch(const struct marks *m, FILE *f, const char *base, struct err *err);

/*
 * compile.c: what the program executes (common/markcode/markcode.h), allocated. -1 and err: a place
 * has no code, or a name means nothing there; it names file and line. *left, owned: what is left
 * out, as the compiler has not kept what it needs, or as it is code of one of the libraries, which
 * are paths, and may be NULL; *left NULL: nothing.
 */
int marks_compile(const struct marks *m, struct symbols *s, const char *module,
		  const struct mark_names *libraries, void **out, size_t *n, char **left,
		  struct err *err);
/* The same of a file; *id: a text that is another one for other marks, owned. */
int marks_load(const char *path, const char *module, const struct mark_names *libraries, void **out,
	       size_t *n, char **id, char **left, struct err *err);
/* How many indices the mark of a loop's iterations has; 0: there is no such mark; -1: no loop
 * begins there. */
int marks_iteration(const char *path, const char *file, uint32_t line);
/* Adds the lines on which marks of a file begin constructs. */
void marks_near(const char *path, const char *file, uint32_t line, struct symbol_marks *out);

#endif
