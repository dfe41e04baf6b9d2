/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checksum throughput of one core against memcpy of the same bytes.
 *	bench_sum [ROUNDS]
 * Medians of interleaved rounds, for each instruction set this processor has.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/core/err.h"
#include "common/checksum/checksum.h"
#include "common/array/value.h"

#define ROUNDS_MOST 101

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof *v, by_size);
	return v[n / 2];
}

/* The last dimension is contiguous. */
struct shape {
	const char *name;
	unsigned ndim, type;
	int64_t extent[4];
	bool fortran; /* the first dimension is contiguous */
	int data;     /* 0: smooth, 1: 300 orders of magnitude, 2: zeros */
};

static const struct shape shapes[] = {
	{ "double 1e7", 1, VALUE_DOUBLE, { 10000000 }, false, 0 },
	{ "double 3.2e7", 1, VALUE_DOUBLE, { 32000000 }, false, 0 },
	{ "double 4000 x 4000", 2, VALUE_DOUBLE, { 4000, 4000 }, false, 0 },
	{ "double 4000 x 4000 Fortran", 2, VALUE_DOUBLE, { 4000, 4000 }, true, 0 },
	{ "double 250 x 250 x 250", 3, VALUE_DOUBLE, { 250, 250, 250 }, false, 0 },
	{ "double 5 x 64 x 64 x 64 Fortran", 4, VALUE_DOUBLE, { 5, 64, 64, 64 }, true, 0 },
	{ "double 1e5", 1, VALUE_DOUBLE, { 100000 }, false, 0 },
	{ "double 1e7, wild exponents", 1, VALUE_DOUBLE, { 10000000 }, false, 1 },
	{ "double 1e7, zeros", 1, VALUE_DOUBLE, { 10000000 }, false, 2 },
	{ "float 2e7", 1, VALUE_FLOAT, { 20000000 }, false, 0 },
	{ "double complex 5e6", 1, VALUE_DCOMPLEX, { 5000000 }, false, 0 },
	{ "int 2e7", 1, VALUE_INT, { 20000000 }, false, 0 },
	{ "long 1e7", 1, VALUE_LONG, { 10000000 }, false, 0 },
};

static double number(size_t i, int data)
{
	double smooth = 300 + 100 * sin((double)i * 1e-3) + 1e-3 * cos((double)i);

	if (data == 2)
		return 0;
	return data == 1 ? ldexp(smooth, (int)(i * 2654435761u % 1000) - 500) : smooth;
}

static void fill(const struct shape *h, char *data, size_t bytes)
{
	if (h->type == VALUE_FLOAT)
		for (size_t i = 0; i < bytes / 4; i++)
			((float *)data)[i] = (float)number(i, h->data);
	else if (h->type == VALUE_INT)
		for (size_t i = 0; i < bytes / 4; i++)
			((int *)data)[i] = (int)number(i, h->data);
	else if (h->type == VALUE_LONG)
		for (size_t i = 0; i < bytes / 8; i++)
			((int64_t *)data)[i] = (int64_t)(number(i, h->data) * 1e9);
	else
		for (size_t i = 0; i < bytes / 8; i++)
			((double *)data)[i] = number(i, h->data);
}

static void part_of(const struct shape *h, const char *data, struct layout *part)
{
	int64_t stride = (int64_t)value_size(h->type);

	*part = (struct layout){ .data = data };
	for (unsigned i = 0; i < h->ndim; i++) {
		unsigned d = h->fortran ? i : h->ndim - 1 - i;

		part->count[d] = h->extent[d];
		part->stride[d] = stride;
		stride *= h->extent[d];
	}
}

static void run(const struct shape *h, unsigned rounds, bool quick)
{
	double copy[ROUNDS_MOST], mine[8][ROUNDS_MOST];
	struct sum_plan plan;
	struct layout part;
	struct sum *s;
	size_t bytes;
	char *from, *to;
	double memcpy_time;
	unsigned repeat;

	if (sum_plan_make(&plan, h->ndim, h->extent, h->type, 0, NULL))
		exit(2);
	plan.quick = quick;
	s = sum_create(&plan, NULL);
	bytes = plan.total * value_size(h->type);
	from = malloc(bytes);
	to = malloc(bytes);
	if (!s || !from || !to)
		exit(2);
	fill(h, from, bytes);
	memset(to, 1, bytes);
	part_of(h, from, &part);
	repeat = bytes < 20000000 ? (unsigned)(20000000 / bytes) : 1;
	for (unsigned r = 0; r < rounds; r++) {
		double t = now();

		for (unsigned k = 0; k < repeat; k++) {
			memcpy(to, from, bytes);
			__asm__ volatile("" ::"r"(to) : "memory"); /* the copy is wanted */
		}
		copy[r] = now() - t;
		for (unsigned o = 0; o < sum_ops_count; o++) {
			if (!sum_ops_list[o].usable())
				continue;
			s->ops = &sum_ops_list[o];
			t = now();
			for (unsigned k = 0; k < repeat; k++) {
				sum_reset(s);
				sum_add(s, &part, NULL);
			}
			mine[o][r] = now() - t;
		}
	}
	bytes *= repeat;
	memcpy_time = median(copy, rounds);
	printf("%-32s %-5s memcpy %5.2f GB/s", h->name, quick ? "quick" : "exact", 1e-9 * (double)bytes / memcpy_time);
	for (unsigned o = 0; o < sum_ops_count; o++)
		if (sum_ops_list[o].usable()) {
			double t = median(mine[o], rounds);

			printf("  %s %5.2f (%.2f)", sum_ops_list[o].name, 1e-9 * (double)bytes / t,
			       memcpy_time / t);
		}
	printf("\n");
	fflush(stdout);
	free(from);
	free(to);
	sum_destroy(s);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 7;

	if (rounds < 1 || rounds > ROUNDS_MOST)
		rounds = 7;
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		for (unsigned quick = 0; quick < 2; quick++)
			run(&shapes[i], rounds, quick);
	return 0;
}
