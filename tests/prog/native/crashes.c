/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that end badly: crashes CASE. Rank 1 does it in its own function, the others wait for it in MPI_Recv.
 * The lines that a test asks for have a word behind them.
 */
#include <assert.h>
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define BIG 1000000

static double zero, sink;
static int none;

static void do_bus(double *a, int n)
{
	FILE *f = tmpfile();
	volatile char *bytes = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fileno(f), 0);

	sink += bytes[n]; /* @bus */
}

static void do_constant(double *a, int n)
{
	char *volatile text = (char *)"constant";

	text[0] = (char)n; /* @constant */
}

static void do_divide(double *a, int n)
{
	sink = n / none; /* @divide */
}

static void do_divzero(double *a, int n)
{
	sink = a[0] / zero; /* @divzero */
}

static void do_invalid(double *a, int n)
{
	sink = zero / zero; /* @invalid */
}

static void do_overflow(double *a, int n)
{
	volatile double large = 1e308;

	sink = large * 10; /* @overflow */
}

static void do_illegal(double *a, int n)
{
	__builtin_trap(); /* @illegal */
}

static void do_assert(double *a, int n)
{
	assert(a[0] > 1e6); /* @assert */
}

static void do_abort(double *a, int n)
{
	abort(); /* @abort */
}

static void do_heap(double *a, int n)
{
	char *block = malloc(24);

	memset(block - 16, 1, 40);
	free(block); /* @heap */
}

static int do_deeper(volatile char *above, int n)
{
	volatile char room[10000];

	room[n % 100] = above[0];
	return n < 0 ? 0 : do_deeper(room, n + 1) + room[0]; /* @stack */
}

static void do_stack(double *a, int n)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };

	setrlimit(RLIMIT_STACK, &limit);
	sink = do_deeper((volatile char *)a, 0);
}

static int do_other(volatile char *above, int n);

static int do_one(volatile char *above, int n)
{
	volatile char room[400];

	room[n % 100] = above[0];
	return n < 0 ? 0 : do_other(room, n + 1) + room[0]; /* @one */
}

static int do_other(volatile char *above, int n)
{
	volatile char room[300];

	room[n % 100] = above[0];
	return n < 0 ? 0 : do_one(room, n + 1) + room[0]; /* @other */
}

static void do_turns(double *a, int n)
{
	sink = do_one((volatile char *)a, 0);
}

/* The next block lies below the former one, as a rule; nothing is behind it when that is gone. */
static void do_behind(double *a, int n)
{
	double *former = a;

	for (int i = 0; i < 100; i++) {
		a = malloc(BIG * sizeof(double));
		if (a < former && former - a < BIG + 1024)
			break;
		former = a;
	}
	free(former);
	for (int i = 0;; i++)
		a[BIG + i] = i; /* @behind */
}

static void do_memory(double *a, int n)
{
	struct rlimit limit = { 256 << 20, 256 << 20 };
	double *more;

	setrlimit(RLIMIT_AS, &limit);
	more = malloc((size_t)1 << 32);
	more[n] = 1; /* @memory */
}

static void do_mpi_abort(double *a, int n)
{
	MPI_Abort(MPI_COMM_WORLD, 5); /* @mpi_abort */
}

static void do_exit(double *a, int n)
{
	exit(3); /* @exit */
}

static void do_leave(double *a, int n)
{
	exit(0); /* @leave */
}

static void do_kill(double *a, int n)
{
	raise(SIGKILL); /* @kill */
}

static void do_sent(double *a, int n)
{
	raise(SIGBUS); /* @sent */
}

static void do_nowhere(double *a, int n)
{
	void (*volatile function)(double *) = NULL;

	function(a); /* @nowhere */
	a[0] += n;
}

/* Nothing happens: NaN, infinity and all that are no crash unless they are to be. */
static void do_nothing(double *a, int n)
{
	sink = zero / zero + a[0] / zero + exp(1000 + n);
}

static const struct {
	const char *name;
	void (*run)(double *a, int n);
} cases[] = {
#define X(name) { #name, do_##name },
	X(bus) X(constant) X(divide) X(divzero) X(invalid) X(overflow) X(illegal) X(assert) X(abort)
	X(heap) X(turns) X(stack) X(behind) X(memory) X(mpi_abort) X(exit) X(leave) X(kill) X(sent) X(nowhere) X(nothing)
};

__attribute__((noinline)) static void work(const char *name, int n)
{
	double *a = malloc(BIG * sizeof(double));

	a[0] = n;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(name, cases[i].name))
			cases[i].run(a, n); /* @work */
}

int main(int argc, char **argv)
{
	int rank, size;
	double got = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 1) {
		work(argv[1], 7); /* @main */
		for (int i = 0; i < size; i++)
			if (i != 1)
				MPI_Send(&got, 1, MPI_DOUBLE, i, 7, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&got, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* @recv */
	}
	MPI_Finalize();
	return sink > 1e300;
}
