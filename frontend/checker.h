/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checksums in a session: takes the points of the running job, keeps the last one, writes them to a
 * new reference or compares them with one, tells findings, and gives the verdict that ranks wait
 * for (STOP_ON mismatch).
 */
#ifndef DVMDBG_FRONTEND_CHECKER_H
#define DVMDBG_FRONTEND_CHECKER_H

#include <stdbool.h>

#include "common/gauge.h"

struct checker;
struct compare;
struct err;
struct reference;
struct session;
struct sums_point;
struct tally;

struct checker *checker_create(struct session *s);
void checker_destroy(struct checker *c); /* NULL is fine */

/* For the next run. NULL dir: no longer. They exclude each other. */
int checker_record(struct checker *c, const char *dir, struct err *err);
int checker_compare(struct checker *c, const char *dir, struct err *err);
/* Points go to fn instead of a reference: for pairs of jobs. NULL ends it. fn owns p. */
void checker_tap(struct checker *c, void (*fn)(void *arg, struct sums_point *p), void *arg);
/* What is asked of the ranks: level CHECKSUM when something is recorded, compared or tapped, or set. */
struct gauge checker_gauge(const struct checker *c);

/* session_load calls them before and after; over: the job has ended, finish what is open. */
int checker_begin(struct checker *c, struct err *err);
void checker_take(struct checker *c, struct tally *t, const struct rankset *missing);
void checker_over(struct checker *c);

/* The comparison of this run, NULL when nothing is compared. */
const struct compare *checker_comparison(const struct checker *c);
struct reference *checker_reference(const struct checker *c);
/* The newest complete point, NULL before the first; and, when compared, the reference's. */
const struct sums_point *checker_last(const struct checker *c);

#endif
