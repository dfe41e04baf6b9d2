/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks in every situation the runtime must take, one a name: marks SITUATION. For test_runtime.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/dvmdbg.h"

static double a[4], b[4];
static volatile int zero;

/* Points 1, 2 and 3 with tasks, three times; then 10. */
static void plain(void)
{
	DVMDBG_FUNCTION();
	double eps = 0.5;
	double *u = a, *v = b;

	DVMDBG_ARRAY(u, .shape = { 8 }, .own = { { 0, 3 } });
	DVMDBG_ARRAY(v, .shape = { 8 }, .own = { { 0, 0 } }, .halo = { 1 });
	DVMDBG_REPLICATED(eps);
	DVMDBG_SL(.range = { { 1, 3 } })
	for (int t = 1; t <= 3; t++) {
		double *w = u;

		DVMDBG_ITERATION(t);
		DVMDBG_PL(.on = u, .range = { { 1, 6 } })
		for (int i = 0; i < 4; i++)
			u[i] = t + eps;
		DVMDBG_TR(.name = "region")
		{
			for (int k = 1; k <= 2; k++)
				DVMDBG_TASK(k)
			{
				for (int i = 0; i < k; i++)
					DVMDBG_PL()
				{
					v[0]++;
				}
			}
		}
		DVMDBG_PL()
		{
			u = v;
			v = w;
		}
	}
	DVMDBG_PL_BEGIN();
	errno = 77;
	DVMDBG_PL_END();
	if (errno != 77)
		abort();
}

static void nesting(void)
{
	DVMDBG_PL()
	{
		DVMDBG_PL()
		{
			DVMDBG_TR()
			{
			}
		}
	}
	DVMDBG_TASK(1)
	{
	}
	DVMDBG_TR()
	{
		DVMDBG_PL()
		{
		}
		DVMDBG_TASK(-1)
		{
		}
		DVMDBG_TASK(1)
		{
			DVMDBG_PL()
			{
			}
		}
	}
	DVMDBG_ITERATION(1);
	DVMDBG_PL()
	{
	}
}

static int left_inner(int how)
{
	DVMDBG_FUNCTION();
	DVMDBG_SL()
	for (int i = 0; i < 2; i++) {
		DVMDBG_ITERATION(i);
		if (how == 1)
			break;
	}
	DVMDBG_SL()
	{
		DVMDBG_PL()
		{
			if (how == 2)
				return 1;
			if (how == 3)
				goto out;
			if (how == 4)
				break;
		}
		DVMDBG_TR_BEGIN();
		DVMDBG_TASK_BEGIN(1);
	}
out:
	return 0;
}

static void left(void)
{
	for (int how = 1; how <= 4; how++)
		left_inner(how);
	DVMDBG_PL_END();
	DVMDBG_PL()
	{
	}
}

/* The first loop has no end; the second one is inside of it then. */
static void forgotten(void)
{
	DVMDBG_FUNCTION();
	DVMDBG_SL()
	for (int i = 1; i <= 3; i++) {
		DVMDBG_ITERATION(i);
		DVMDBG_PL_BEGIN();
		DVMDBG_PL()
		{
		}
		DVMDBG_PL()
		{
		}
	}
}

static void loop_without_end(int i)
{
	DVMDBG_FUNCTION();
	DVMDBG_PL_BEGIN();
	DVMDBG_REPLICATED(i);
	DVMDBG_FORGET(i);
}

/* Neither is in a loop; the last is left open. */
static void forgotten_last(void)
{
	for (int i = 0; i < 2; i++)
		DVMDBG_PL_BEGIN();
	DVMDBG_PL()
	{
	}
	loop_without_end(1);
}

static void *other(void *arg)
{
	DVMDBG_PL()
	{
		DVMDBG_ITERATION(1);
	}
	DVMDBG_REPLICATED(zero);
	return arg;
}

static void thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, other, NULL))
		abort();
	pthread_join(t, NULL);
	DVMDBG_PL()
	{
	}
}

static void wrong(void)
{
	long two[2] = { 1, 9 };
	struct pair {
		int x, y;
	} pair = { 1, 2 };
	struct pair *pairs = &pair;
	struct {
		double _Complex z;
		float e;
	} waves[2] = { 0 };
	double *u = a, grid[4][5] = { 0 };

	DVMDBG_ARRAY(u, .shape = { 4 }, .own = { { 0, 4 } });
	DVMDBG_ARRAY(u);
	DVMDBG_ARRAY(u, .shape = { 4 }, .halo = { -1 });
	DVMDBG_ARRAY(u, .shape = { 4 }, .lower = { 1L << 62 });
	DVMDBG_ARRAY(u, .shape = { 8 }, .index = { two }, .count = { 2 });
	DVMDBG_ARRAY(pairs, .shape = { 4 });
	DVMDBG_ARRAY(u, .shape = { 4 }, .type = 257 + DVMDBG_DOUBLE);
	DVMDBG_ARRAY(grid, .shape = { 9, 9 });
	DVMDBG_REPLICATED(pair);
	DVMDBG_STRUCT(pair, { "z", DVMDBG_INT, 6, 4 });
	DVMDBG_ARRAY(pairs, .shape = { 1 }, .fields = DVMDBG_FIELDS(pairs, x, x));
	DVMDBG_ARRAY(pairs, .shape = { 1 }, .fields = { { "a", DVMDBG_INT, 0, 8 }, { "b", DVMDBG_INT, 4, 4 } });
	DVMDBG_ARRAY(pairs, .shape = { 1 }, .fields = { { "2x", DVMDBG_INT, 0, 4 } });
	DVMDBG_ARRAY(pairs, .shape = { 1 }, .fields = { { "s", DVMDBG_STRUCTURE, 0, 8 } });
	DVMDBG_ARRAY(pairs, .shape = { 1 }, .fields = { { "c", DVMDBG_INT, 0, 6 } });
	DVMDBG_PL()
	{
	}
	DVMDBG_ARRAY(pairs, .shape = { 1 }, .type = DVMDBG_STRUCTURE + 1);
	DVMDBG_ARRAY(waves, .shape = { 2 }, .fields = DVMDBG_FIELDS(waves, z, e));
	DVMDBG_PL()
	{
	}
}

static void once(double *u, int n)
{
	DVMDBG_ARRAY(u, .shape = { n });
	DVMDBG_PL()
	{
	}
}

static void again(void)
{
	long list[3] = { 0, 2, 4 };
	struct pair {
		int x;
		double y[2];
	} pair = { 1, { 2, 3 } };
	double grid[4][5] = { { 1 } };
	double *u = a;

	once(a, 4);
	once(b, 3);
	DVMDBG_STRUCT(pair, DVMDBG_FIELD(pair, x), DVMDBG_FIELD(pair, y));
	DVMDBG_ARRAY(grid, .shape = { 4, 4 });
	DVMDBG_ARRAY(u, .shape = { 6 }, .index = { list }, .count = { 3 });
	DVMDBG_PL()
	{
	}
	once(a, 4);
	DVMDBG_FORGET(u);
	DVMDBG_PL()
	{
	}
}

struct field {
	double *at;
	int n;
};

static void make(struct field *f, double *at, int n)
{
	f->at = at;
	f->n = n;
	DVMDBG_ARRAY(f->at, .shape = { f->n });
}

static void step(void)
{
	DVMDBG_PL()
	{
	}
}

/* One line registers several arrays. */
static void fields(void)
{
	static struct field rho, vel, gone;

	make(&rho, a, 2);
	make(&vel, b, 3);
	step();
	make(&rho, a, 4);
	DVMDBG_FORGET(vel.at);
	step();
	make(&gone, b, 3); /* where one has been forgotten */
	step();
	gone.at = NULL; /* as in memory that has been freed */
	make(&vel, b, 3);
	step();
}

static void segv(void)
{
	DVMDBG_PL()
	{
		*(volatile int *)(size_t)(zero + 16) = 1;
	}
}

static int deeper(int n)
{
	volatile char big[4096];

	big[0] = (char)n;
	return n < 0 ? 0 : deeper(n + 1 - zero) + big[0];
}

static void overflow(void)
{
	DVMDBG_PL()
	{
		zero = deeper(0);
	}
}

static void *crash(void *arg)
{
	*(volatile int *)(size_t)(zero + 16) = 1;
	return arg;
}

static void other_segv(void)
{
	pthread_t t;

	DVMDBG_PL()
	{
	}
	if (pthread_create(&t, NULL, crash, NULL))
		abort();
	for (;;)
		DVMDBG_PL()
	{
	}
}

static void aborts(void)
{
	DVMDBG_PL()
	{
		abort();
	}
}

static void killed(void)
{
	DVMDBG_PL()
	{
		raise(SIGFPE);
	}
}

static void own(int sig)
{
	_exit(sig + 40);
}

static void handler(void)
{
	signal(SIGSEGV, own);
	segv();
}

/* The status of a child that marks, and then execs when it is to. */
static int forked(int exec)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		plain();
		DVMDBG_REPLICATED(zero);
		if (exec)
			execl("/proc/self/exe", "marks", "segv", (char *)NULL);
		_exit(3);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static void forks(void)
{
	int status = 0;

	DVMDBG_PL()
	{
		status = forked(0);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
		_exit(4);
	DVMDBG_PL()
	{
		status = forked(1);
	}
	if (!WIFSIGNALED(status))
		_exit(5);
}

static void closes(void)
{
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	plain();
}

static void execs(void)
{
	DVMDBG_PL()
	{
	}
	execl("/proc/self/exe", "marks", "plain", (char *)NULL);
	_exit(5);
}

static void recurse(int n)
{
	DVMDBG_FUNCTION();
	if (n)
		recurse(n - 1);
	else
		DVMDBG_PL()
	{
	}
}

static void deep(void)
{
	recurse(70);
	recurse(3000);
	DVMDBG_PL()
	{
	}
}

static void many(void)
{
	for (int i = 0; i < 100000; i++)
		DVMDBG_PL()
	{
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} situations[] = {
	{ "plain", plain },	      { "nesting", nesting }, { "left", left },
	{ "forgotten", forgotten }, { "forgotten_last", forgotten_last },
	{ "thread", thread },	      { "wrong", wrong },     { "again", again },
	{ "fields", fields },	      { "segv", segv },	      { "overflow", overflow },
	{ "other_segv", other_segv }, { "aborts", aborts },   { "killed", killed },
	{ "handler", handler },	      { "forks", forks },     { "closes", closes },
	{ "execs", execs },	      { "deep", deep },	      { "many", many },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(situations) / sizeof(*situations); i++)
		if (!strcmp(argv[1], situations[i].name)) {
			situations[i].run();
			return 0;
		}
	return 2;
}
