/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbered points, as in SEMANTICS 1: "6.B", "6.E", and inside task 3 of region 256 "256.3.4.B".
 * Each kind of points has its own numbers: a collective call of MPI on MPI_COMM_WORLD is "mpi:6.B",
 * a parallel region of OpenMP "omp:6.B".
 */
#ifndef DVMDBG_COMMON_POINT_H
#define DVMDBG_COMMON_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/codec.h"

struct err;

enum point_side { POINT_BEGIN = 0, POINT_END = 1 };

/* Kinds of points; the word is that of the setting POINTS and of the prefix. */
#define POINT_KIND_LIST(X) \
	X(MARKS, "marks")  \
	X(MPI, "mpi")      \
	X(OMP, "omp")

enum point_kind {
#define X(name, word) POINT_KIND_##name,
	POINT_KIND_LIST(X)
#undef X
		POINT_KINDS
};

/*
 * main 0: no point (before the first). task and sub are 0 outside tasks.
 * Of kind MPI or OMP, one of which a run may have, main is the number with POINT_MPI or POINT_OMP, and
 * task says its place among the marks: 1 + main << 1 | side of the last mark's point outside tasks. As
 * typed it is 0, not known: a mark's point then counts as before it. It is no part of the name: points
 * that differ in it alone are equal.
 */
#define POINT_MPI 0x80000000u
#define POINT_OMP 0xc0000000u
#define POINT_UNMARKED_MOST 0x3ffffffeu /* the greatest number of these kinds */
struct point {
	uint32_t main, task, sub;
	uint32_t side; /* enum point_side */
};

/* After every other point. */
#define POINT_LAST ((struct point){ .main = UINT32_MAX, .side = POINT_END })

static inline enum point_kind point_kind(const struct point *p)
{
	if (!(p->main & POINT_MPI) || p->main == UINT32_MAX)
		return POINT_KIND_MARKS;
	return (p->main & POINT_OMP) == POINT_OMP ? POINT_KIND_OMP : POINT_KIND_MPI;
}

/* Its number with all that makes it one of that kind; number up to POINT_UNMARKED_MOST. */
static inline uint32_t point_main(enum point_kind kind, uint32_t number)
{
	return number | (kind == POINT_KIND_OMP	  ? POINT_OMP
			 : kind == POINT_KIND_MPI ? POINT_MPI
						  : 0);
}

/* Its number among those of its kind. */
static inline uint32_t point_number(const struct point *p)
{
	return point_kind(p) == POINT_KIND_MARKS ? p->main : p->main & ~POINT_OMP;
}

enum point_order {
	POINT_BEFORE = -1,
	POINT_EQUAL = 0,
	POINT_AFTER = 1,
	POINT_INCOMPARABLE = 2, /* in different tasks of one region */
};

#define POINT_TEXT 48 /* room for any point in text */

/* "mpi"; "?" for a number that is none. */
const char *point_kind_word(unsigned kind);
/*
 * A number that ascends as points outside tasks do, 0 for none; and the point of such a number,
 * false when it is of none.
 */
uint64_t point_order_number(const struct point *p);
bool point_of_order_number(struct point *p, uint64_t number);

/* The point of these numbers; no point when they cannot be of one. */
struct point point_clean(uint32_t main, uint32_t task, uint32_t sub, unsigned side);
/*
 * Reads a point; the whole text must be one. Errors name the text and the forms "N.B", "N.E",
 * "N.TASK.M.B", "mpi:N.B" and "omp:N.B".
 */
int point_parse(struct point *p, const char *text, struct err *err);
/* Writes "13.B", or "start" for no point. Returns out, which has room for POINT_TEXT. */
const char *point_format(const struct point *p, char out[POINT_TEXT]);
/* 13.B < everything inside task region 13 < 13.E; no point is before every point. */
enum point_order point_compare(const struct point *a, const struct point *b);
/*
 * For lists: <0, 0, >0. As point_compare, and tasks of one region by their numbers.
 */
int point_sort(const struct point *a, const struct point *b);
/*
 * The earliest point that neither a nor b has passed: the later of the two; for incomparable ones
 * the end of their region. Associative and commutative.
 */
struct point point_furthest(const struct point *a, const struct point *b);
/*
 * The latest point that the next one after p can be, when only p is known: N.B -> N.E, N.E ->
 * N+1.B, N.T.M.B -> N.T.M.E; N.T.M.E -> N.T.M+1.B. Used by halt: see doc/ARCHITECTURE.md.
 */
struct point point_next(const struct point *p);
/*
 * No point itself, but a place behind p: the next point outside tasks, of whatever kind, is the
 * first one that is not before it. With second it is the one after that; the comparison is then
 * with the point before (see point_second). For plans and rules only: such a place has no text of
 * its own.
 */
struct point point_after(const struct point *p);
struct point point_second(const struct point *after);
static inline bool point_is_after(const struct point *p)
{
	return p->side > POINT_END && p->side != UINT32_MAX;
}
static inline bool point_is_second(const struct point *p)
{
	return point_is_after(p) && p->side & 4;
}
/* A point, or a place behind one. */
int point_target_code(struct codec *c, struct point *p);
void point_target_put(const struct point *p, struct buf *b);
int point_target_get(struct point *p, struct buf *b);
int point_code(struct codec *c, struct point *p);
CODEC_PAIR(point, (void)0)

#endif
