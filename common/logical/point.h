/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbered points, as in SEMANTICS 1: "6.B", "6.E", and inside task 3 of region 256 "256.3.4.B".
 */
#ifndef DVMDBG_COMMON_POINT_H
#define DVMDBG_COMMON_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/codec.h"

struct err;

enum point_side { POINT_BEGIN = 0, POINT_END = 1 };

/* main 0: no point (before the first). task and sub are 0 outside tasks. */
struct point {
	uint32_t main, task, sub;
	uint32_t side; /* enum point_side */
};

enum point_order {
	POINT_BEFORE = -1,
	POINT_EQUAL = 0,
	POINT_AFTER = 1,
	POINT_INCOMPARABLE = 2, /* in different tasks of one region */
};

#define POINT_TEXT 48 /* room for any point in text */

/* The point of these numbers; no point when they cannot be of one. */
struct point point_clean(uint32_t main, uint32_t task, uint32_t sub, unsigned side);
/*
 * Reads a point; the whole text must be one. Errors name the text and the form "N.B", "N.E" or
 * "N.TASK.M.B".
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
 * The latest point that the next one after p can be, when only p is known: N.B -> N.E, N.E -> N+1.B,
 * N.T.M.B -> N.T.M.E; N.T.M.E -> N.T.M+1.B. Used by halt: see doc/ARCHITECTURE.md.
 */
struct point point_next(const struct point *p);
int point_code(struct codec *c, struct point *p);
CODEC_PAIR(point, (void)0)

#endif
