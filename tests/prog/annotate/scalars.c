/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scalars CELLS STEPS [FAULT]: a rod, scaled by numbers that ranks make up together; no marks. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static double *u, *w;
static int n, first, local, rank, ranks;

static int left, right, early;
static MPI_Request last;

static void swap_ends(void)
{
	left = rank ? rank - 1 : MPI_PROC_NULL;
	right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
	MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[local + 1], 1, MPI_DOUBLE, right, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (early)
		MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &last); /* early */
	else
		MPI_Sendrecv(&u[local], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end_swap(void)
{
	if (!early)
		return;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Send(&u[local], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
	MPI_Wait(&last, MPI_STATUS_IGNORE);
}

static void flow(double nu)
{
	for (int i = 1; i <= local; i++)
		w[i] = u[i] + nu * (u[i - 1] + u[i + 1] - 2 * u[i]); /* flow */
}

static double scale(const double *of, double most, double all)
{
	return of ? 1 / (1 + most + 0.001 * all) : 1;
}

int main(int argc, char **argv)
{
	int steps = atoi(argv[2]);
	const char *fault = argc > 3 ? argv[3] : "";
	double nu = 0.1, part = 0, most, factor, sum = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = atoi(argv[1]);
	early = !strcmp(fault, "early");
	first = n * rank / ranks;
	local = n * (rank + 1) / ranks - first;
	u = calloc((size_t)local + 2, sizeof(*u));
	w = calloc((size_t)local + 2, sizeof(*w));
	for (int i = 1; i <= local; i++)
		u[i] = 1 + sin(0.3 * (first + i)) + 0.02 * (first + i);
	if (!rank)
		nu = 0.2;
	if (strcmp(fault, "root") != 0)
		MPI_Bcast(&nu, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	for (int k = 0; k < steps; k++) {
		swap_ends();
		flow(nu);
		end_swap();
		part = 0;
		if (rank != 1 || strcmp(fault, "reset") != 0)
			sum = 0;
		for (int i = 1; i <= local; i++) {
			part = fmax(part, fabs(w[i] - u[i]));
			sum += w[i] * w[i];
		}
#ifdef LEAST
		MPI_Allreduce(&part, &most, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD); /* least */
#else
		MPI_Allreduce(&part, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#endif
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* all */
		if (!strcmp(fault, "own"))
			all = sum;
		factor = scale(w, most, all); /* factor */
#ifdef MEAN
		factor = sum / local; /* mean */
#endif
		for (int i = 1; i <= local; i++)
			u[i] = w[i] * factor; /* scaled */
	}
	free(u);
	free(w);
	MPI_Finalize();
	return 0;
}
