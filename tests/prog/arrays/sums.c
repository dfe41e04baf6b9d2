/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arrays and constructs for the checksums of libdvmdbg, one situation a name: sums SITUATION
 * [FILE]. For test_runtime_sums, test_runtime_queue and sums.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/dvmdbg.h"

enum { ROWS = 12, COLUMNS = 10, CELLS = 9, BIG = 1 << 20 };

struct par {
	double dt;
	int steps[2];
	char title[8];
	void *next;
};

static int sign(long a)
{
	return a % 2 ? -1 : 1;
}

/* Not registered. */
static double nobody;

/* Rank k of n has rows of u and every n-th cell of v; with n > ROWS the last have no rows. */
static void parts(int k, int n)
{
	long r0 = (long)ROWS * k / n, r1 = (long)ROWS * (k + 1) / n - 1, cell[CELLS], cells = 0;
	double *u = calloc((size_t)(r1 - r0 + 3) * (COLUMNS + 4), sizeof(*u));
	float v[CELLS + 1] = { 0 };
	double eps = 0.5, once[3] = { 1, 2, 3 };
	int *w = calloc(4, sizeof(*w));
	char text[4] = "abc";
	struct par par = { .dt = 0.1, .steps = { 1, 2 } };

	for (long c = k; c < CELLS; c += n)
		cell[cells++] = c + 1;
	DVMDBG_ARRAY(u, .shape = { ROWS, COLUMNS }, .own = { { r0, r1 }, { 0, COLUMNS - 1 } },
		     .halo = { 1, 2 });
	DVMDBG_ARRAY(v, .shape = { CELLS }, .lower = { 1 }, .index = { cell }, .count = { cells });
	DVMDBG_REPLICATED(eps);
	DVMDBG_REPLICATED(once);
	DVMDBG_REPLICATED(text);
	DVMDBG_REPLICATED_ARRAY(w, 4);
	DVMDBG_STRUCT(par, DVMDBG_FIELD(par, dt), DVMDBG_FIELD(par, steps),
		      DVMDBG_FIELD(par, title), DVMDBG_FIELD(par, next));

	DVMDBG_PL(.on = u, .writes = { u })
	for (long i = r0; i <= r1; i++)
		for (long j = 0; j < COLUMNS; j++)
			u[(i - r0 + 1) * (COLUMNS + 4) + j + 2] =
				sign(i + j) * (1e3 / (double)(i * 7 + j + 1));

	eps = 0.25;
	DVMDBG_PL(.writes = { NULL, v }, .reads = { u })
	for (long c = 0; c < cells; c++)
		v[c] = 1.0f / (float)cell[c];

	u[0] = 17; /* a halo element belongs to nobody */
	par.next = &par;
	DVMDBG_PL()
	{
		w[3] = 5;
	}
	DVMDBG_TR(.writes = { v })
	{
		DVMDBG_TASK(1)
		{
			DVMDBG_PL(.writes = { v })
			for (long c = 0; c < cells; c++)
				v[c] = -v[c];
			par.steps[1] = 3;
		}
	}
	DVMDBG_PL(.writes = { &nobody })
	{
	}
	DVMDBG_FORGET(v);
	DVMDBG_PL()
	{
	}
	free(w);
	free(u);
}

/* Arrays that are no more, not yet, or only in part. */
static void gone(void)
{
	size_t bytes = BIG * sizeof(double);
	double *late = NULL, *kept = calloc(4, sizeof(*kept));
	double *big = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double *hole =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double *wall =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	DVMDBG_ARRAY(big, .shape = { BIG });
	DVMDBG_ARRAY(late, .shape = { 4 });
	DVMDBG_ARRAY(hole, .shape = { BIG });
	DVMDBG_ARRAY(wall, .shape = { BIG });
	DVMDBG_ARRAY(kept, .shape = { 4 });
	DVMDBG_PL()
	{
	}
	syscall(SYS_munmap, big, bytes); /* as free does with so much, unseen */
	syscall(SYS_munmap, hole + BIG / 2, 4096);
	mprotect(wall + BIG / 2, 4096, PROT_NONE);
	wall += 2 * 4096 / sizeof(*wall); /* so that it is looked at anew, and ends too late */
	late = kept;
	DVMDBG_PL()
	{
	}
	DVMDBG_PL()
	{
	}
	free(kept);
}

/* The same name at the same place, twice the same object, then another one. */
static void step(double *u, long n, double value)
{
	DVMDBG_ARRAY(u, .shape = { n });
	DVMDBG_PL()
	{
		u[0] = value;
	}
}

static void again(void)
{
	static double a[8];

	step(a, 4, 0);
	step(a, 4, 1);
	step(a, 4, 1);
	step(a, 8, 1);
	step(a, 8, 2);
}

/* A program of the time when descriptions ended with the name: behind it lies nothing. */
static void old(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct dvmdbg_construct *c;
	double *u = calloc(4, sizeof(*u));

	mprotect(pages + 4096, 4096, PROT_NONE);
	c = (struct dvmdbg_construct *)(pages + 4096 - offsetof(struct dvmdbg_construct, writes));
	c->abi = 1;
	DVMDBG_ARRAY(u, .shape = { 4 });
	if (dvmdbg_active)
		dvmdbg_close_at(dvmdbg_open_at('P', 0, c, __FILE__, __LINE__, __func__), 0);
	free(u);
}

/* An object of a function that has returned, and a loop after it. */
static __attribute__((noinline)) void inner(void)
{
	double mine = 1;

	DVMDBG_FUNCTION();
	DVMDBG_REPLICATED(mine);
	DVMDBG_PL()
	{
	}
	mine = 2;
	DVMDBG_PL()
	{
	}
}

static void scope(void)
{
	inner();
	DVMDBG_PL()
	{
	}
}

static const char *signal_file; /* flood: loop 2 and all others wait until this file is there */

/* More checksums than the queue takes. */
static void flood(void)
{
	static double u[1 << 18];

	DVMDBG_ARRAY(u, .shape = { 1 << 18 });
	for (int i = 0; i < 1500; i++) {
		while (i == 1 && signal_file && access(signal_file, F_OK))
			usleep(1000);
		DVMDBG_PL(.writes = { u })
		for (int k = 0; k < 64; k++)
			u[k << 12] = 1.0 / (i + k + 1);
	}
}

/* Points 1 to 4, the second with a task; all of them have something to tell. */
static void verdicts(void)
{
	double u[4] = { 0 };

	DVMDBG_ARRAY(u, .shape = { 4 });
	for (int i = 0; i < 4; i++) {
		if (i == 1)
			DVMDBG_TR()
		DVMDBG_TASK(1)
		DVMDBG_PL()
		{
			u[i] = i;
		}
		else DVMDBG_PL()
		{
			u[i] = i;
		}
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} situations[] = { { "gone", gone },
			   { "again", again },
			   { "old", old },
			   { "scope", scope },
			   { "flood", flood },
			   { "verdicts", verdicts } };
	int k, n;

	if (argc > 1 && sscanf(argv[1], "part %d of %d", &k, &n) == 2) {
		parts(k, n);
		return 0;
	}
	signal_file = argc > 2 ? argv[2] : NULL;
	for (size_t i = 0; argc > 1 && i < sizeof(situations) / sizeof(*situations); i++)
		if (!strcmp(argv[1], situations[i].name)) {
			situations[i].run();
			return 0;
		}
	return 2;
}
