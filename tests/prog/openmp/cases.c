/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs with OpenMP, one a case, named by the argument; each fault has a near miss. What is to
 * be found stands before the case: "@pair NAME A B KIND VARIABLE" is a pair of the lines that have
 * the marks NAME.A and NAME.B, KIND ww or wr (written in the first line, read in the other); no
 * pair:
 * "@right NAME".
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define N 64

static int x, y, z;
static double a[N + 1], b[N + 1];
static int own;
#pragma omp threadprivate(own)

/* @pair counter w w ww x
 * @pair counter w w wr x */
static void counter(void)
{
#pragma omp parallel
	x++; /* @counter.w */
}

/* @right critical */
static void critical(void)
{
#pragma omp parallel
	{
#pragma omp critical
		x++;
	}
}

/* @pair names 1 2 ww x
 * @pair names 1 2 wr x
 * @pair names 2 1 wr x */
static void names(void)
{
#pragma omp parallel
	{
#pragma omp critical(one)
		x++; /* @names.1 */
#pragma omp critical(two)
		x++; /* @names.2 */
	}
}

/* @pair half-atomic p a wr x
 * @pair half-atomic p a ww x
 * @pair half-atomic a p wr x
 * @pair half-atomic p p wr x
 * @pair half-atomic p p ww x */
static void half_atomic(void)
{
#pragma omp parallel
	{
		/* compilers name either line of two */
		_Pragma("omp atomic") x++; /* @half-atomic.a */
		x++;			   /* @half-atomic.p */
	}
}

/* @right atomic */
static void atomic(void)
{
	int seen = 0;

#pragma omp parallel private(seen)
	{
#pragma omp atomic
		x++;
#pragma omp atomic read
		seen = x;
		if (seen < 0)
			puts("negative");
	}
}

/* @pair neighbour w w wr a */
static void neighbour(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 1; i <= N; i++)
		a[i] = a[i - 1] + 1; /* @neighbour.w */
}

/* @right independent */
static void independent(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 1; i <= N; i++)
		a[i] = b[i - 1] + a[i];
}

/* @pair nowait w r wr a */
static void nowait(void)
{
#pragma omp parallel
	{
#pragma omp for nowait schedule(static)
		for (int i = 0; i < N; i++)
			a[i] = i; /* @nowait.w */
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			b[i] = a[N - 1 - i]; /* @nowait.r */
	}
}

/* @right barrier */
static void barrier(void)
{
#pragma omp parallel
	{
#pragma omp for nowait schedule(static)
		for (int i = 0; i < N; i++)
			a[i] = i;
#pragma omp barrier
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			b[i] = a[N - 1 - i];
	}
}

/* @pair master w r wr x */
static void master(void)
{
#pragma omp parallel
	{
#pragma omp master
		x = 1;	   /* @master.w */
		if (x > 1) /* @master.r */
			puts("more");
	}
}

/* @right master-twice */
static void master_twice(void)
{
#pragma omp parallel
	{
#pragma omp master
		x = 1;
#pragma omp master
		x++;
#pragma omp barrier
		if (x > 2)
			puts("more");
	}
}

/* @pair singles 1 2 ww x */
static void singles(void)
{
#pragma omp parallel
	{
#pragma omp single nowait
		x = 1; /* @singles.1 */
#pragma omp single nowait
		x = 2; /* @singles.2 */
	}
}

/* @right single */
static void single(void)
{
#pragma omp parallel
	{
		int mine = omp_get_thread_num();

#pragma omp single
		x = 1 + 0 * mine;
#pragma omp single
		x = 2;
		if (x > 2)
			puts("more");
	}
}

/* @right copied */
static void copied(void)
{
	int given;

#pragma omp parallel private(given)
	{
#pragma omp single copyprivate(given)
		given = 5;
		if (given != 5)
			puts("other");
	}
}

/* @pair siblings 1 2 ww x
 * @pair siblings 1 2 wr x
 * @pair siblings 2 1 wr x */
static void siblings(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x++; /* @siblings.1 */
#pragma omp task
		x--; /* @siblings.2 */
	}
}

/* @right depending */
static void depending(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x++;
#pragma omp task depend(inout : x)
		x--;
#pragma omp task depend(in : x)
		y = x;
#pragma omp task depend(in : x)
		z = x;
	}
}

/* @pair undepending 1 2 wr x */
static void undepending(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1; /* @undepending.1 */
#pragma omp task depend(in : y)
		z = x; /* @undepending.2 */
	}
}

/* @pair unwaited w r wr x */
static void unwaited(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1; /* @unwaited.w */
		y = x; /* @unwaited.r */
	}
}

/* @right waited */
static void waited(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1;
#pragma omp taskwait
		y = x;
	}
}

/* @pair grandchild w r wr x */
static void grandchild(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp task
			x = 1; /* @grandchild.w */
			y = 1;
		}
#pragma omp taskwait
		y = x; /* @grandchild.r */
	}
}

/* @right grouped */
static void grouped(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
				x = 1;
				y = 1;
			}
		}
		y = x;
	}
}

/* @right undeferred */
static void undeferred(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task if (0)
		x = 1;
		y = x;
	}
}

static void walk(int depth)
{
	int local[8];

	for (int i = 0; i < 8; i++)
		local[i] = depth + i;
	if (!depth)
		return;
#pragma omp task firstprivate(depth) shared(local)
	{
		int more[4];

		for (int i = 0; i < 4; i++)
			more[i] = local[i] + i;
		if (more[0] >= 0)
			walk(depth - 1);
	}
#pragma omp task firstprivate(depth)
	walk(depth - 1);
#pragma omp taskwait
	if (local[0] < 0)
		puts("negative");
}

/* @right recursive */
static void recursive(void)
{
#pragma omp parallel
#pragma omp single
	walk(4);
}

/* @pair locks 1 2 ww x
 * @pair locks 1 2 wr x
 * @pair locks 2 1 wr x */
static void locks(void)
{
	omp_lock_t one, two;

	omp_init_lock(&one);
	omp_init_lock(&two);
#pragma omp parallel
	{
		omp_set_lock(&one);
		x++; /* @locks.1 */
		omp_unset_lock(&one);
		omp_set_lock(&two);
		x++; /* @locks.2 */
		omp_unset_lock(&two);
	}
	omp_destroy_lock(&one);
	omp_destroy_lock(&two);
}

/* @right lock */
static void lock(void)
{
	omp_nest_lock_t nest;
	omp_lock_t one;

	omp_init_lock(&one);
	omp_init_nest_lock(&nest);
#pragma omp parallel
	{
		omp_set_lock(&one);
		x++;
		omp_unset_lock(&one);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		y++;
		omp_unset_nest_lock(&nest);
		y++;
		omp_unset_nest_lock(&nest);
	}
	omp_destroy_lock(&one);
	omp_destroy_nest_lock(&nest);
}

/* @right reduction */
static void reduction(void)
{
	double sum = 0;

#pragma omp parallel
	{
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += a[i];
		if (sum < 0)
			puts("negative");
	}
}

/* @pair sum w w ww y
 * @pair sum w w wr y */
static void sum(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		y += i; /* @sum.w */
}

/* @pair nested w w ww x
 * @pair nested w w wr x */
static void nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp master
		{
#pragma omp parallel num_threads(2)
			x++; /* @nested.w */
		}
	}
}

/* @right nested-right */
static void nested_right(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int mine[2] = { 0 }, at = omp_get_thread_num();

#pragma omp parallel num_threads(2)
		mine[omp_get_thread_num()]++;
		a[at] = mine[0];
#pragma omp parallel num_threads(2)
		{
			b[2 * at + omp_get_thread_num()] = 1;
#pragma omp barrier
			if (!omp_get_thread_num())
				a[at] += b[2 * at] + b[2 * at + 1];
		}
	}
}

/* @pair sections 1 2 ww x */
static void sections(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		x = 1; /* @sections.1 */
#pragma omp section
		x = 2; /* @sections.2 */
	}
}

/* @right sections-right */
static void sections_right(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		x = 1;
#pragma omp section
		y = 2;
	}
}

/* @right ordered */
static void ordered(void)
{
#pragma omp parallel for ordered schedule(dynamic, 1)
	for (int i = 0; i < 8; i++) {
#pragma omp ordered
		x = x * 2 + i;
	}
}

/* @right threadprivate */
static void threadprivate(void)
{
#pragma omp parallel
	{
		own = omp_get_thread_num();
		own++;
	}
}

/* @pair temporary w w ww y
 * @pair temporary w r wr y */
static void temporary(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		y = i;	  /* @temporary.w */
		a[i] = y; /* @temporary.r */
	}
}

/* @right private */
static void private_right(void)
{
	int tmp;

#pragma omp parallel for private(tmp)
	for (int i = 0; i < N; i++) {
		tmp = i;
		a[i] = tmp;
	}
}

/* @pair taskloop w w ww x
 * @pair taskloop w w wr x */
static void taskloop(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(8)
	for (int i = 0; i < N; i++)
		x += i; /* @taskloop.w */
}

/* @right taskloop-right */
static void taskloop_right(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop grainsize(8)
		for (int i = 0; i < N; i++)
			a[i] = i;
		y = (int)a[3];
	}
}

/* @right exclusive */
static void exclusive(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 0;
#pragma omp task depend(mutexinoutset : x)
		x++;
#pragma omp task depend(mutexinoutset : x)
		x--;
#pragma omp task depend(in : x)
		y = x;
	}
}

/* @right reused */
static void reused(void)
{
#pragma omp parallel
	for (int i = 0; i < 50; i++) {
		int *p = malloc(40);

		if (p)
			p[i % 10] = i;
		free(p);
	}
}

/* @pair block w w ww p */
static void block(void)
{
	int *p = malloc(N * sizeof(*p));

	if (!p)
		return;
#pragma omp parallel
	p[3] = 1; /* @block.w */
	free(p);
}

/* @pair local w w ww sum
 * @pair local w w wr sum
 * @pair local t t ww table */
static void local(void)
{
	struct {
		int head, item[4];
	} table = { 0 };
	int sum = 0, *at = &sum; /* else gcc's threads share a copy without a name */

#pragma omp parallel
	{
		sum++;		   /* @local.w */
		table.item[2] = 1; /* @local.t */
	}
	x = *at + table.item[2];
}

/* @pair local-task 1 2 ww n */
static void local_task(void)
{
#pragma omp parallel
#pragma omp single
	{
		int n = 0;

#pragma omp task shared(n)
		n = 1; /* @local-task.1 */
#pragma omp task shared(n)
		n = 2; /* @local-task.2 */
#pragma omp taskwait
		x = n;
	}
}

/* @pair dynamic w w wr a */
static void dynamic(void)
{
#pragma omp parallel for schedule(dynamic, 1)
	for (int i = 1; i <= N; i++)
		a[i] = a[i - 1] + 1; /* @dynamic.w */
}

/* @right dynamic-right */
static void dynamic_right(void)
{
#pragma omp parallel for schedule(guided)
	for (int i = 1; i <= N; i++) {
		double mine = b[i - 1];

		a[i] = mine + a[i];
	}
}

/* @right regions */
static void regions(void)
{
	for (int i = 0; i < 20; i++) {
#pragma omp parallel
		{
#pragma omp master
			x++;
		}
		x++;
	}
}

int main(int argc, char **argv)
{
	static const struct named_case cases[] = { { "counter", counter },
						   { "critical", critical },
						   { "names", names },
						   { "half-atomic", half_atomic },
						   { "atomic", atomic },
						   { "neighbour", neighbour },
						   { "independent", independent },
						   { "nowait", nowait },
						   { "barrier", barrier },
						   { "master", master },
						   { "master-twice", master_twice },
						   { "singles", singles },
						   { "single", single },
						   { "copied", copied },
						   { "siblings", siblings },
						   { "depending", depending },
						   { "undepending", undepending },
						   { "unwaited", unwaited },
						   { "waited", waited },
						   { "grandchild", grandchild },
						   { "grouped", grouped },
						   { "undeferred", undeferred },
						   { "recursive", recursive },
						   { "locks", locks },
						   { "lock", lock },
						   { "reduction", reduction },
						   { "sum", sum },
						   { "nested", nested },
						   { "nested-right", nested_right },
						   { "sections", sections },
						   { "sections-right", sections_right },
						   { "ordered", ordered },
						   { "threadprivate", threadprivate },
						   { "temporary", temporary },
						   { "private", private_right },
						   { "taskloop", taskloop },
						   { "taskloop-right", taskloop_right },
						   { "exclusive", exclusive },
						   { "reused", reused },
						   { "block", block },
						   { "local", local },
						   { "local-task", local_task },
						   { "dynamic", dynamic },
						   { "dynamic-right", dynamic_right },
						   { "regions", regions } };

	return run_named(argc, argv, cases, sizeof(cases) / sizeof(*cases));
}
