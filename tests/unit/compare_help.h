/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the tests of compare share: points of two runs, made by hand. Failures end the test.
 */
#ifndef DVMDBG_TESTS_COMPARE_HELP_H
#define DVMDBG_TESTS_COMPARE_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "common/array/array.h"
#include "frontend/sumdiff/sumdiff.h"

/* The comparison under test: made before each with tolerances by type, relative. */
extern struct compare *c;

int compare_setup(void **state);
int compare_teardown(void **state);
/* Another comparison, that has seen nothing. */
void use(enum sum_mode mode, double exp, double rel_min, bool moved);
/* A point of the parallel loop heat.c:61, without arrays. */
struct sums_point *point(const char *text);
/* p, of another construct: "heat.c:70". */
struct sums_point *of_line(struct sums_point *p, const char *where);
/* A new array without a sum; written, declared at heat.c:31. */
struct sums_array *add_array(struct sums_point *p, const char *name, enum array_kind kind);
/* Of a vector; n 0: of a scalar. */
struct sum_result *result(unsigned type, int64_t n, const void *v);
/* Adds a distributed vector u. */
struct sums_point *with(struct sums_point *p, unsigned type, int64_t n, const void *v);
/* Adds a distributed vector of four numbers around x. */
struct sums_point *with_u(struct sums_point *p, double x);
/* Adds a replicated number. */
struct sums_point *with_dt(struct sums_point *p, double x);
/* Adds a replicated number with n copies, of `each` ranks; the first counts as its value. */
struct sums_point *with_copies(struct sums_point *p, size_t n, const double *v, uint32_t each);
/* Compares and destroys both; how many mismatches that brought. */
int compare(struct sums_point *ref, struct sums_point *now);
/* The same for compare_missing. */
int missing(struct sums_point *ref, bool passed);
/* The first mismatch there is, of that kind and with that text. */
const struct mismatch *expect(enum mismatch_kind kind, const char *text);

#define COMPARE_TEST(f) cmocka_unit_test_setup_teardown(f, compare_setup, compare_teardown)

#endif
