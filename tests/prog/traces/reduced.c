/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of all kinds, right and with one fault: reduced CASE. "list" prints the cases.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvmdbg.h"

#define N 48

struct found {
	double value;
	int at;
};

static double *u;
static long lo, hi;
static int rank, size;
/* Those that are combined, and results. */
static double local, total, sums[4], all[4];
static float few, some;
static long count, whole;
static int bits, both, truth, every;
static struct found mine, peak;

static double x_of(long i)
{
	return 1.5 + sin(0.7 * (double)i);
}

static void fill(void)
{
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		u[i - lo] = x_of(i);
	}
}

#define LOOP()                                                       \
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .reads = { u }) \
	for (long i = lo; i <= hi; i++)
#define EACH() DVMDBG_PL_ITERATION(i); const double x = u[i - lo]

static void combine(void *from, void *to, int n, MPI_Datatype type, MPI_Op op)
{
	MPI_Allreduce(from, to, n, type, op, MPI_COMM_WORLD);
}

static void add(double first)
{
	local = first;
	LOOP()
	{
		EACH();
		local += x;
	}
}

static void multiply(void)
{
	local = 1;
	LOOP()
	{
		EACH();
		local *= x;
	}
}

static void greatest(double first)
{
	local = first;
	LOOP()
	{
		EACH();
		if (x > local)
			local = x;
	}
}

static void least(void)
{
	local = 1e300;
	LOOP()
	{
		EACH();
		if (x < local)
			local = x;
	}
}

static void sum(void)
{
	for (int step = 0; step < 3; step++) {
		add(0);
		combine(&local, &total, 1, MPI_DOUBLE, MPI_SUM);
		DVMDBG_REDUCTION(total, DVMDBG_SUM);
	}
}

/* The result is put elsewhere, and copied into what was combined; or that is forgotten. */
static void copy_back(int copied)
{
	add(0);
	combine(&local, &total, 1, MPI_DOUBLE, MPI_SUM);
	if (copied)
		local = total;
	DVMDBG_REDUCTION(local, DVMDBG_SUM);
}

static void copied(void)
{
	copy_back(1);
}

static void not_copied(void)
{
	copy_back(0);
}

static void product(void)
{
	multiply();
	combine(&local, &total, 1, MPI_DOUBLE, MPI_PROD);
	DVMDBG_REDUCTION(total, DVMDBG_PROD);
}

static void maximum(void)
{
	greatest(0);
	combine(&local, &total, 1, MPI_DOUBLE, MPI_MAX);
	DVMDBG_REDUCTION(total, DVMDBG_MAX);
}

static void minimum(void)
{
	least();
	combine(&local, &total, 1, MPI_DOUBLE, MPI_MIN);
	DVMDBG_REDUCTION(total, DVMDBG_MIN);
}

/* Scaled behind the loop, and square roots of squares. */
static void scaled(void)
{
	greatest(0);
	local *= 0.25;
	combine(&local, &total, 1, MPI_DOUBLE, MPI_MAX);
	DVMDBG_REDUCTION(total, DVMDBG_MAX);
}

/* One rank begins with something, the others with nothing. */
static void offset(void)
{
	add(rank ? 0 : 5);
	combine(&local, &total, 1, MPI_DOUBLE, MPI_SUM);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
}

static void in_place(void)
{
	for (int step = 0; step < 3; step++) {
		add(0);
		combine(MPI_IN_PLACE, &local, 1, MPI_DOUBLE, MPI_SUM);
		DVMDBG_REDUCTION(local, DVMDBG_SUM);
	}
}

/* What is computed meanwhile goes into the same variable. */
static void asynchronous(void)
{
	MPI_Request request;
	double given;

	for (int step = 0; step < 3; step++) {
		add(0);
		given = local;
		local = given;
		MPI_Iallreduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
		fill();
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		local = 0;
		DVMDBG_REDUCTION(total, DVMDBG_SUM);
	}
}

static void to_root(void)
{
	add(0);
	MPI_Reduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
}

static void of_halves(void)
{
	MPI_Comm half;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
	add(0);
	MPI_Allreduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, half);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
	MPI_Comm_free(&half);
}

static void array(MPI_Op op)
{
	memset(sums, 0, sizeof(sums));
	LOOP()
	{
		EACH();
		sums[i % 4] += x;
	}
	combine(sums, all, 4, MPI_DOUBLE, op);
	DVMDBG_REDUCTION_ARRAY(all, 4, DVMDBG_SUM);
}

static void arrays(void)
{
	array(MPI_SUM);
}

static void single(void)
{
	few = 0;
	LOOP()
	{
		EACH();
		few += (float)x;
	}
	combine(&few, &some, 1, MPI_FLOAT, MPI_SUM);
	DVMDBG_REDUCTION(some, DVMDBG_SUM);
}

static void integers(void)
{
	count = 0;
	bits = 0;
	truth = 1;
	LOOP()
	{
		EACH();
		count++;
		bits |= 1 << i % 7;
		truth = truth && x > 0;
	}
	combine(&count, &whole, 1, MPI_LONG, MPI_SUM);
	DVMDBG_REDUCTION(whole, DVMDBG_SUM);
	combine(&bits, &both, 1, MPI_INT, MPI_BOR);
	DVMDBG_REDUCTION(both, DVMDBG_BOR);
	/* the same for truth values */
	combine(&truth, &every, 1, MPI_INT, MPI_MIN);
	DVMDBG_REDUCTION(every, DVMDBG_AND);
}

static void tasks(void)
{
	local = 0;
	DVMDBG_TR(.reads = { u })
	for (int k = 1; k <= 4; k++) {
		if (k % size != rank)
			continue;
		DVMDBG_TASK(k)
		for (long i = lo; i <= hi; i++)
			if (u[i - lo] * k > local)
				local = u[i - lo] * k;
	}
	combine(&local, &total, 1, MPI_DOUBLE, MPI_MAX);
	DVMDBG_REDUCTION(total, DVMDBG_MAX);
}

static void locate(int wrong)
{
	mine = (struct found){ -1, -1 };
	LOOP()
	{
		EACH();
		if (x > mine.value) {
			mine.value = x;
			mine.at = (int)i;
		}
	}
	combine(&mine, &peak, 1, MPI_DOUBLE_INT, wrong == 1 ? MPI_MINLOC : MPI_MAXLOC);
	if (wrong == 2)
		peak.at = -7;
	DVMDBG_REDUCTION(peak, DVMDBG_MAXLOC);
}

static void location(void)
{
	DVMDBG_STRUCT(peak, DVMDBG_FIELD(peak, value), DVMDBG_FIELD(peak, at));
	locate(0);
}

/* One variable for several reductions, which is not read before it is set again. */
static void reused(void)
{
	minimum();
	sum();
	maximum();
	sum();
	least();
	product();
}

/* Of a procedure, and printed before it is used again. */
static void stacked(void)
{
	double part, result = 0;

	for (int step = 0; step < 2; step++) {
		part = 0;
		LOOP()
		{
			EACH();
			part += x;
		}
		if (part > 1e6)
			puts("large");
		combine(&part, &result, 1, MPI_DOUBLE, MPI_SUM);
		DVMDBG_REDUCTION(result, DVMDBG_SUM);
		part = 1e300;
		LOOP()
		{
			EACH();
			if (x < part)
				part = x;
		}
		combine(&part, &result, 1, MPI_DOUBLE, MPI_MIN);
		DVMDBG_REDUCTION(result, DVMDBG_MIN);
	}
}

/* ---- with a fault ---- */

static void min_for_max(void)
{
	least();
	combine(&local, &total, 1, MPI_DOUBLE, MPI_MIN);
	DVMDBG_REDUCTION(total, DVMDBG_MAX);
}

static void sum_for_prod(void)
{
	add(0);
	combine(&local, &total, 1, MPI_DOUBLE, MPI_SUM);
	DVMDBG_REDUCTION(total, DVMDBG_PROD);
}

static void prod_for_sum(void)
{
	multiply();
	combine(&local, &total, 1, MPI_DOUBLE, MPI_PROD);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
}

static void max_for_sum(void)
{
	greatest(0.25);
	combine(&local, &total, 1, MPI_DOUBLE, MPI_MAX);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
}

static void mpi_sum_for_max(void)
{
	greatest(0);
	combine(&local, &total, 1, MPI_DOUBLE, MPI_SUM);
	DVMDBG_REDUCTION(total, DVMDBG_MAX);
}

static void only_own(void)
{
	greatest(0);
	combine(&local, &total, 1, MPI_DOUBLE, MPI_MAX);
	total = local;
	DVMDBG_REDUCTION(total, DVMDBG_MAX);
}

static void initial(void)
{
	add(3);
	combine(&local, &total, 1, MPI_DOUBLE, MPI_SUM);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
}

/* What the others have is left out, but for one. */
static void leave_out(void *in, void *inout, int *n, MPI_Datatype *type)
{
}

static void lost_part(void)
{
	MPI_Op op;

	add(0);
	MPI_Op_create(leave_out, 0, &op);
	combine(&local, &total, 1, MPI_DOUBLE, op);
	MPI_Op_free(&op);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
}

static void set_each(void)
{
	local = 0;
	LOOP()
	{
		EACH();
		local = x;
	}
	combine(&local, &total, 1, MPI_DOUBLE, MPI_SUM);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
}

static void array_max(void)
{
	array(MPI_MAX);
}

static void minloc(void)
{
	DVMDBG_STRUCT(peak, DVMDBG_FIELD(peak, value), DVMDBG_FIELD(peak, at));
	locate(1);
}

static void place(void)
{
	DVMDBG_STRUCT(peak, DVMDBG_FIELD(peak, value), DVMDBG_FIELD(peak, at));
	locate(2);
}

#define RIGHT 18 /* of these, the first */
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "sum", sum },			{ "product", product },
	{ "maximum", maximum },		{ "minimum", minimum },
	{ "scaled", scaled },		{ "offset", offset },
	{ "in-place", in_place },	{ "asynchronous", asynchronous },
	{ "to-root", to_root },		{ "of-halves", of_halves },
	{ "arrays", arrays },		{ "single", single },
	{ "integers", integers },	{ "tasks", tasks },
	{ "location", location },	{ "reused", reused },
	{ "stacked", stacked },		{ "copied", copied },
	{ "not-copied", not_copied },	{ "min-for-max", min_for_max },
	{ "sum-for-prod", sum_for_prod }, { "prod-for-sum", prod_for_sum },
	{ "max-for-sum", max_for_sum }, { "mpi-sum-for-max", mpi_sum_for_max },
	{ "only-own", only_own },	{ "initial", initial },
	{ "lost-part", lost_part },	{ "set-each", set_each },
	{ "array-max", array_max },	{ "minloc", minloc },
	{ "place", place },
};

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "list";

	for (size_t i = 0; !strcmp(what, "list") && i < sizeof(cases) / sizeof(cases[0]); i++)
		puts(cases[i].name);
	if (!strcmp(what, "list"))
		return 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	lo = N * rank / size;
	hi = N * (rank + 1) / size - 1;
	u = malloc((size_t)(hi - lo + 1) * sizeof(*u));
	if (!u)
		return 2;
	DVMDBG_ARRAY(u, .shape = { N }, .own = { { lo, hi } });
	fill();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(what, "right") ? i < RIGHT : !strcmp(what, cases[i].name))
			cases[i].run();
	DVMDBG_FORGET(u);
	free(u);
	MPI_Finalize();
	return 0;
}
