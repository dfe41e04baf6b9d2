/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the tests of checksums share. Failures end the test.
 */
#ifndef DVMDBG_TESTS_SUM_HELP_H
#define DVMDBG_TESTS_SUM_HELP_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/checksum/checksum.h"

uint64_t draw(void); /* random, the same in every run */
/* A random number, often special, of magnitude around 2^±spread. */
double draw_double(int spread);
bool same_bits(double a, double b);
struct sum *create(unsigned ndim, const int64_t *extent, unsigned type);
struct sum *sum_doubles(const double *v, int64_t n);
void add(struct sum *s, const struct layout *part);
struct sum_result *finish(const struct sum *s);
/* Equal encodings are equal sums: digits are unique there. */
void assert_same(const struct sum *a, const struct sum *b);
/* n elements of the type, of any value. */
void fill_any(unsigned type, char *data, size_t n);

#endif
