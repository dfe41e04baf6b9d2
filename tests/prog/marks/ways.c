/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No marks are in it: the ways out of loops, expressions of many kinds, and what traps in its code could disturb.
 * "crash": at a line with a mark it reads what is not there.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct grid {
	int n, rows[2];
	double *u;
};

static volatile sig_atomic_t own_traps;
static long total;

static void own_trap(int sig)
{
	own_traps += sig == SIGTRAP;
}

/* One loop for each way to leave it. */
static int ways(int way)
{
	int found = 0;

	for (int i = 0; i < 4; i++) { /* @loop */
		found = i; /* @inside */
		if (way == 1 && i == 2)
			break;
		if (way == 2 && i == 1)
			goto out;
		if (way == 3 && i == 1)
			return 10;
	}
	found += 100; /* @behind */
out:
	while (found > 200) /* @while */
		found--;
	do { /* @do */
		found++;
	} while (found < 3); /* @done */
	return found;
}

static long depth(int n)
{
	long sum = n;

	for (int i = 0; i < 1; i++) /* @deep */
		sum += n ? depth(n - 1) : 0;
	return sum; /* @deepest */
}

static void *other(void *arg)
{
	struct grid *g = arg;

	for (int i = 0; i < 3; i++) /* @threads */
		g->rows[1] += i;
	return NULL;
}

static double fill(struct grid *g, int m, double (*v)[m])
{
	double sum = 0;
	int k = 0;

	for (k = 0; k < g->n; k++) { /* @fill */
		g->u[k] = k + 0.5; /* @filling */
		v[k % 2][k % m] = k;
	}
	for (k = 0; k < g->n; k++) /* @sum */
		sum += g->u[k];
	return sum;
}

int main(int argc, char **argv)
{
	struct grid g = { 8, { 2, 0 }, NULL };
	double v[2][3] = { { 0 } };
	pthread_t thread;
	int status = 0, *volatile nothing = NULL;
	sigset_t all;
	pid_t child;

	signal(SIGTRAP, own_trap); /* @begin */
	sigfillset(&all);
	raise(SIGTRAP);
	sigprocmask(SIG_BLOCK, &all, NULL);
	g.u = calloc(8, sizeof(*g.u));
	total = (long)fill(&g, 3, v); /* @registered */
	for (int way = 0; way < 4; way++)
		total = total * 7 + ways(way);
	total += depth(3);
	pthread_create(&thread, NULL, other, &g);
	pthread_join(thread, NULL);
	child = fork();
	if (!child)
		_exit(ways(1) == 103 ? 7 : 8);
	waitpid(child, &status, 0);
	if (argc > 1 && !strcmp(argv[1], "crash"))
		total += *nothing; /* @crash */
	free(g.u); /* @end */
	printf("ways: %ld, thread %d, child %d, traps %d, v %g\n", total, g.rows[1], WEXITSTATUS(status),
	       (int)own_traps, v[1][2]);
	return 0;
}
