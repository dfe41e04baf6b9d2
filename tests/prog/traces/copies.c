/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replicated objects of many kinds and sizes, and reductions of arrays, computed alike on all
 * ranks; without MPI. In each of six steps they change and a loop follows. copies FAULT: on the
 * last of several ranks something is wrong from step 3 on.
 */
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

enum { BIG = 20000, HUGE = 200000, TABLE = 100, SHORT = 300, SUMS = 40, STEPS = 6 };

static double big[BIG], sums[SUMS], few[3], sum;
static long huge[HUGE], table[TABLE];
static float shorts[SHORT];
static struct {
	int id;
	double x, y;
} cell;
static double u[100];
static long steps = STEPS;

static long rank_of(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

static void change(int step)
{
	/* of all of big only a few elements, so that most steps leave parts as they are */
	for (int i = step; i < BIG; i += 1000)
		big[i] = 1.0 / (i + step);
	/* these stay as they are from step 2 on */
	for (int i = 0; i < TABLE && step < 2; i++)
		table[i] = 7L * i + step;
	for (int i = 0; i < HUGE && step < 2; i++)
		huge[i] = i;
	for (int i = 0; i < SHORT; i++)
		shorts[i] = (float)(i + 1) / (float)step;
	cell.id = step;
	cell.x = cell.y = 1.0 / step;
	for (int i = 0; i < 3; i++)
		few[i] = i + 0.25 * step;
	for (int i = 0; i < SUMS; i++)
		sums[i] = 1.0 / (i + step);
	sum = 1.0 / step;
}

static void spoil(const char *fault, int step)
{
	/* right again in step 4, when it stays wrong for others */
	if (strcmp(fault, "again") == 0 && step != 4)
		big[12345] = -2;
	else if (strcmp(fault, "again") == 0)
		big[12345] = 0;
	else if (strcmp(fault, "double") == 0)
		big[12345] = -2;
	else if (strcmp(fault, "long") == 0)
		table[77]++;
	else if (strcmp(fault, "struct") == 0)
		cell.y += 0.5;
	else if (strcmp(fault, "float") == 0)
		shorts[299] = 1.5f;
	else if (strcmp(fault, "few") == 0)
		few[2] = 8;
	else if (strcmp(fault, "huge") == 0)
		huge[5] = 0;
	else if (strcmp(fault, "sums") == 0)
		sums[33] = 1;
	for (int i = 0; i < BIG && strcmp(fault, "rounding") == 0; i++)
		big[i] *= 1 + 4e-16;
	for (int i = 0; i < SUMS && strcmp(fault, "rounding") == 0; i++)
		sums[i] *= 1 + 4e-16;
	/* what is not registered is not compared */
	cell.x = 9;
}

int main(int argc, char **argv)
{
	const char *fault = argc > 1 ? argv[1] : "none";
	long rank = rank_of("OMPI_COMM_WORLD_RANK", rank_of("PMI_RANK", 0));
	long size = rank_of("OMPI_COMM_WORLD_SIZE", rank_of("PMI_SIZE", 1));
	long lo = 100 * rank / size, hi = 100 * (rank + 1) / size - 1;
	double *own = u + lo;

	DVMDBG_REPLICATED_ARRAY(big, BIG);
	DVMDBG_REPLICATED_ARRAY(table, TABLE);
	DVMDBG_REPLICATED_ARRAY(huge, HUGE);
	DVMDBG_REPLICATED_ARRAY(shorts, SHORT);
	DVMDBG_REPLICATED_ARRAY(few, 3);
	DVMDBG_REPLICATED(steps);
	DVMDBG_STRUCT(cell, DVMDBG_FIELD(cell, id), DVMDBG_FIELD(cell, y));
	DVMDBG_ARRAY(own, .shape = { 100 }, .own = { { lo, hi } });
	DVMDBG_SL(.range = { { 1, steps } })
	for (int step = 1; step <= steps; step++) {
		DVMDBG_ITERATION(step);
		change(step);
		if (size > 1 && rank == size - 1 && step >= 3)
			spoil(fault, step);
		DVMDBG_REDUCTION_ARRAY(sums, SUMS, DVMDBG_SUM);
		DVMDBG_REDUCTION(sum, DVMDBG_SUM);
		DVMDBG_PL(.on = own, .range = { { 0, 99 } }, .writes = { own })
		for (long i = lo; i <= hi; i++) {
			DVMDBG_PL_ITERATION(i);
			own[i - lo] = (double)(i * step);
		}
	}
	return 0;
}
