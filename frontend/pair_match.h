/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which points of two runs belong together. Knows no jobs: says through a callback which side may go
 * on.
 */
#ifndef DVMDBG_FRONTEND_PAIR_MATCH_H
#define DVMDBG_FRONTEND_PAIR_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/compare.h"

struct err;
struct pair_match;

enum { PAIR_A, PAIR_B };

typedef void (*pair_verdict_fn)(void *arg, int side, const struct point *at, bool stop);

struct pair_match *pair_match_create(pair_verdict_fn verdict, void *arg);
void pair_match_destroy(struct pair_match *m); /* NULL is fine */
/* Both runs begin; c is borrowed. Ties stay. */
void pair_match_begin(struct pair_match *m, struct compare *c);
/* A point of a side; takes p over. */
void pair_match_take(struct pair_match *m, int side, struct sums_point *p);
/* A point of this side waits for its counterpart. */
bool pair_match_waits(const struct pair_match *m, int side);
/* A side has no more points: the other one need not wait for it. */
void pair_match_over(struct pair_match *m, int side);

/* See pair_tie. */
int pair_match_tie(struct pair_match *m, const char *a, const char *b, struct err *err);
void pair_match_untie(struct pair_match *m);
const char *pair_match_tie_text(const struct pair_match *m, size_t i, char *out, size_t size);

#endif
