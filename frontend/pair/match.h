/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which points of two runs belong together. Knows no jobs: says through a callback which side may
 * go on.
 */
#ifndef DVMDBG_FRONTEND_PAIR_MATCH_H
#define DVMDBG_FRONTEND_PAIR_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/sumdiff/compare.h"
#include "frontend/pair/tie.h"

struct err;
struct pair_match;

/*
 * What holds at `at` goes on, or stops there. at NULL (stop is true then): it has been let go on
 * before what it was to be compared with had come, and is to stop now, wherever it is.
 */
typedef void (*pair_verdict_fn)(void *arg, int side, const struct point *at, bool stop);

struct pair_match *pair_match_create(pair_verdict_fn verdict, void *arg);
void pair_match_destroy(struct pair_match *m); /* NULL is fine */
/* Both runs begin; c is borrowed. Ties stay. */
void pair_match_begin(struct pair_match *m, struct compare *c);
/* A point of a side; takes p over. */
void pair_match_take(struct pair_match *m, int side, struct sums_point *p);
/* A point of this side holds until its counterpart has come. */
bool pair_match_waits(const struct pair_match *m, int side);
/* What holds goes on before its counterpart has come, with which it is compared all the same. */
void pair_match_release(struct pair_match *m, int side);
/* The same, but it stops there. */
void pair_match_stop(struct pair_match *m, int side);
/*
 * A side has no more points: the other one need not wait for it. well: it has ended by itself. Then
 * a construct that only the other has is a mismatch, unless the runs differ by rounding, which may
 * decide how often a loop is gone through, or something is tied. Else the other stops once.
 */
void pair_match_over(struct pair_match *m, int side, bool well);
/* Constructs of this side that have ended when the other one was over. */
uint64_t pair_match_beyond(const struct pair_match *m, int side);

/*
 * See pair_tie. What waits is let go on uncompared, here and in _untie, as points correspond in
 * another way from then on.
 */
int pair_match_tie(struct pair_match *m, const char *a, const char *b, struct err *err);
void pair_match_untie(struct pair_match *m);
/* Borrowed. */
const struct ties *pair_match_ties(const struct pair_match *m);

#endif
