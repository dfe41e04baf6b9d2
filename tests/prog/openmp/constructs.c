/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Target regions, teams, SIMD loops, waits for dependences, locks around regions, atomic operations
 * that order. As cases.c has it, each is chosen by its name, and what is to be found stands before
 * it.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "run.h"

#define N 64

static int x, y;
static double a[2 * N], b[N], total;

/* @pair teams w w ww x
 * @pair teams w w wr x */
static void teams(void)
{
#pragma omp target teams num_teams(2) map(tofrom : x)
	x++; /* @teams.w */
}

/* @right teams-right */
static void teams_right(void)
{
#pragma omp target teams num_teams(2) map(tofrom : x)
#pragma omp parallel num_threads(1)
#pragma omp atomic
	x++;
}

/* @right one-team */
static void one_team(void)
{
#pragma omp target teams num_teams(1) map(tofrom : x)
	x++;
}

/* @pair spread w w wr a */
static void spread(void)
{
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++)
		a[i + 1] = a[i]; /* @spread.w */
}

/* @right spread-right */
static void spread_right(void)
{
#pragma omp target teams distribute parallel for
	for (int i = 0; i < N; i++)
		a[i] = b[i];
}

/* @pair handed w w wr a */
static void handed(void)
{
#pragma omp target teams num_teams(2)
#pragma omp distribute
	for (int i = 0; i < N; i++)
		a[i + 1] = a[i]; /* @handed.w */
}

/* A critical region excludes within its team only.
 * @pair league w w ww x
 * @pair league w w wr x */
static void league(void)
{
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : x)
	for (int i = 0; i < 8 * N; i++)
#pragma omp critical
		x++; /* @league.w */
}

/* @pair device w w wr a */
static void device(void)
{
#pragma omp target parallel for
	for (int i = 0; i < N; i++)
		a[i] = a[i + 1]; /* @device.w */
}

struct own {
	int value, more[10];
};

/* @right own-right */
static void own_right(void)
{
	struct own o = { 1, { 0 } };
	int result = 0;

#pragma omp target firstprivate(o) map(tofrom : result)
	{
		o.value++;
		o.more[3] = o.value;
		result = o.more[3] + o.value;
	}
	if (o.value != 1 || result != 4)
		abort();
}

/* @pair later w r wr x */
static void later(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target nowait depend(out : x) map(tofrom : x)
		x = 1; /* @later.w */
		y = x; /* @later.r */
	}
}

/* @right later-right */
static void later_right(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target nowait depend(out : x) map(tofrom : x)
		x = 1;
#pragma omp target update to(y) depend(in : x)
		y = x;
	}
}

/* @pair waits w r wr y */
static void waits(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task
		y = 1; /* @waits.w */
#pragma omp task depend(in : x) if (0)
		;
		x = y + x; /* @waits.r */
	}
}

/* @right waits-right */
static void waits_right(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(in : x)
		y = x;
#pragma omp task depend(inout : x) if (0)
		;
		x = y + x;
	}
}

static void inner(int *what)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	*what += 1; /* @under.w */
}

/* @right under-right */
static void under_right(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
#pragma omp critical(one)
		inner(&x);
#pragma omp section
#pragma omp critical(one)
		inner(&x);
	}
}

/* @pair under w w ww x
 * @pair under w w wr x */
static void under(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
#pragma omp critical(one)
		inner(&x);
#pragma omp section
#pragma omp critical(other)
		inner(&x);
	}
}

/* Regions of one thread in each other, of which LLVM's runtime names the outer one.
 * @right nested-right */
static void nested_right(void)
{
#pragma omp parallel num_threads(2)
	{
		int mine[4] = { 0 };

#pragma omp parallel num_threads(1)
		{
			mine[0]++;
#pragma omp parallel num_threads(1)
			mine[1]++;
			mine[2]++;
		}
		mine[3] = mine[0] + mine[1] + mine[2];
		if (mine[3] != 3)
			abort();
	}
}

/* @pair block w w ww p
 * @pair block w w wr p */
static void block(void)
{
	int *p = malloc(sizeof(*p));

	if (!p)
		return;
	*p = 0;
#pragma omp parallel num_threads(2)
	*p += 1; /* @block.w */
	free(p);
}

/* @pair scalar w w ww sum
 * @pair scalar w w wr sum */
static void scalar(void)
{
	double sum = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++)
		sum += b[i]; /* @scalar.w */
	total = sum;
}

/* @pair in-step w w wr a */
static void in_step(void)
{
#pragma omp simd
	for (int i = 0; i < N; i++)
		a[i + 1] = a[i] + b[i]; /* @in-step.w */
}

/* What is read before it is written is so in step, too.
 * @right in-step-right */
static void in_step_right(void)
{
#pragma omp simd
	for (int i = 0; i < N; i++)
		a[i] = a[i + 1] + b[i];
}

/* @right apart-right */
static void apart_right(void)
{
#pragma omp simd safelen(8)
	for (int i = 0; i < N; i++)
		a[i + 8] = a[i] + b[i];
}

/* @pair apart w w wr a */
static void apart(void)
{
#pragma omp simd safelen(9)
	for (int i = 0; i < N; i++)
		a[i + 8] = a[i] + b[i]; /* @apart.w */
}

/* @right lanes-right */
static void lanes_right(void)
{
	double t, part[4];
	int k = 0;

#pragma omp simd private(t, part) reduction(+ : total) linear(k)
	for (int i = 0; i < N; i++) {
		t = b[i];
		part[i % 4] = t;
		total += part[i % 4];
		k++;
	}
	x = k;
}

/* @pair lanes w w wr total */
static void lanes(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp simd
		for (int i = 0; i < N; i++)
			total += b[i]; /* @lanes.w */
	}
}

/* @right flag-right */
static void flag_right(void)
{
	x = y = 0;
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			a[0] = 1;
#pragma omp atomic write seq_cst
			x = 1;
		}
#pragma omp section
		{
			int ready = 0;

			while (!ready) {
#pragma omp atomic read seq_cst
				ready = x;
			}
			a[0] = 2;
		}
	}
}

/* @pair flag w v ww a */
static void flag(void)
{
	x = 0;
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			a[0] = 1; /* @flag.w */
#pragma omp atomic write
			x = 1;
		}
#pragma omp section
		{
			int ready = 0;

			while (!ready) {
#pragma omp atomic read
				ready = x;
			}
			a[0] = 2; /* @flag.v */
		}
	}
}

static omp_lock_t baton, other;

/* A lock that a thread has over a barrier is handed over. */
static void hand_over(int early)
{
	omp_init_lock(&baton);
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();

		if (!me)
			omp_set_lock(&baton);
#pragma omp barrier
		if (!me) {
			x = 1; /* @relay.w */
			omp_unset_lock(&baton);
		} else {
			if (early)
				x = 2; /* @relay.v */
			omp_set_lock(&baton);
			omp_unset_lock(&baton);
			if (!early)
				x = 2;
		}
	}
}

/* @pair relay w v ww x */
static void relay(void)
{
	hand_over(1);
}

/* @right relay-right */
static void relay_right(void)
{
	hand_over(0);
}

static void back_and_forth(int early)
{
	omp_init_lock(&baton);
	omp_init_lock(&other);
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();

		omp_set_lock(me ? &other : &baton);
#pragma omp barrier
		if (!me) {
			omp_unset_lock(&baton);
			omp_set_lock(&other);
			omp_unset_lock(&other);
			omp_set_lock(&baton);
			omp_unset_lock(&baton);
			x = 3; /* @back.w */
		} else {
			if (early)
				omp_unset_lock(&other);
			omp_set_lock(&baton);
			if (!early)
				omp_unset_lock(&other);
			x = 2; /* @back.v */
			omp_unset_lock(&baton);
		}
	}
}

/* @pair back w v ww x */
static void back(void)
{
	back_and_forth(1);
}

/* @right back-right */
static void back_right(void)
{
	back_and_forth(0);
}

/* @pair posted w w wr a */
static void posted(void)
{
#pragma omp parallel for ordered(1)
	for (int i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
		a[i] = a[i - 1] + 1; /* @posted.w */
#pragma omp ordered depend(source)
	}
}

#define LONG 6000

static double row[LONG];

/* Each iteration waits for the one before the last: what is before what takes long to find.
 * @pair chain w w wr row */
static void chain(void)
{
#pragma omp parallel for ordered(1) schedule(static, 64)
	for (int i = 2; i < LONG; i++) {
#pragma omp ordered depend(sink : i - 2)
		row[i] = row[i - 1] + 1; /* @chain.w */
#pragma omp ordered depend(source)
	}
}

static double square[9][9];

/* @right posted-right */
static void posted_right(void)
{
#pragma omp parallel
	{
#pragma omp for ordered(2) schedule(static, 1) nowait
		for (int i = 1; i < 9; i++)
			for (int k = 1; k < 9; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
				square[i][k] = square[i - 1][k] + square[i][k - 1] + 1;
#pragma omp ordered depend(source)
			}
#pragma omp for ordered(1)
		for (int i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
			a[i] = a[i - 2] + 1;
#pragma omp ordered depend(source)
		}
	}
}

/* @pair turns w r wr a */
static void turns(void)
{
#pragma omp parallel for ordered schedule(static, 2)
	for (int i = 1; i < N; i++) {
		a[i] = i;	 /* @turns.w */
		b[i] = a[i - 1]; /* @turns.r */
#pragma omp ordered
		total += a[i];
	}
}

/* @right turns-right */
static void turns_right(void)
{
#pragma omp parallel for ordered schedule(dynamic)
	for (int i = 1; i < N; i++) {
		a[i] = i;
#pragma omp ordered
		total += a[i];
		b[i] = a[i - 1];
	}
}

static int grown(int n)
{
	int left = 0, right = 0;

	if (n < 2)
		return n;
#ifdef __clang__
#pragma omp task shared(left) if (n > 3)
#else
#pragma omp task shared(left) untied if (n > 3)
#endif
	left = grown(n - 1);
#pragma omp task shared(right) final(n < 4)
	right = grown(n - 2);
#pragma omp taskyield
#pragma omp taskwait
	return left + right;
}

/* @right untied-right */
static void untied_right(void)
{
#pragma omp parallel
#pragma omp single
	x = grown(7);
}

/* Neighbours in eight bytes, each of one thread.
 * @right areas */
static void areas(void)
{
	int *own = calloc((size_t)omp_get_max_threads(), sizeof(*own));

#pragma omp parallel
	{
		int me = omp_get_thread_num();

#pragma omp for nowait
		for (int i = 0; i < N; i++)
			own[me] += i % 3;
#pragma omp for
		for (int i = 0; i < N; i++)
			own[me] += i % 5;
	}
	free(own);
}

static void deep(int n)
{
	if (!n) {
#pragma omp atomic
		x++;
		return;
	}
#pragma omp task
	deep(n - 1);
#pragma omp task
	deep(n - 1);
}

/* Tasks in tasks, of a group, which other threads execute; and threads that combine their results
 * in pairs.
 * @right gathered */
static void gathered(void)
{
	double sum = 0;

#pragma omp parallel num_threads(6)
#pragma omp master
	{
#pragma omp taskgroup
		deep(5);
		y = x;
	}
#pragma omp parallel for reduction(+ : sum) num_threads(6)
	for (int i = 0; i < N; i++)
		sum += b[i];
	total = sum;
}

static void halve(int from, int to)
{
	if (to - from <= 4) {
		for (int i = from; i < to; i++)
			a[i]++;
		return;
	}
#pragma omp task
	halve(from, (from + to) / 2);
#pragma omp task
	halve((from + to) / 2, to);
}

/* A single construct behind other constructs of an inner team, whose tasks are in each other; a
 * taskloop in a taskloop.
 * @right inside */
static void inside(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp master
#pragma omp parallel num_threads(3)
	{
#pragma omp for
		for (int i = 0; i < N; i++)
			a[i] *= 2;
#pragma omp single
		halve(0, N);
#pragma omp for
		for (int i = 0; i < N; i++)
			a[i] *= 2;
#pragma omp single
		halve(0, N);
	}
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(2)
	for (int i = 0; i < 8; i++) {
#pragma omp taskloop num_tasks(3)
		for (int k = 0; k < 8; k++)
			square[i][k] = i * k;
		square[i][0] += square[i][7];
	}
}

struct job {
	int at, list[5];
};

/* Tasks have their copies in memory of the runtime, one after the other.
 * @right jobs */
static void jobs(void)
{
	struct job j;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < N; i++) {
		j.at = i;
		for (int k = 0; k < 5; k++)
			j.list[k] = i + k;
#pragma omp task firstprivate(j)
		{
			for (int k = 0; k < 5; k++) {
				j.list[k] *= 2;
				a[j.at] += j.list[k];
			}
		}
	}
}

/* @right reduced-loop */
static void reduced_loop(void)
{
	int s = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : s)
	for (int i = 0; i < N; i++)
		s += i;
	x = s;
}

/* @right reduced-tasks */
static void reduced_tasks(void)
{
	int s = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : s)
	for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : s) firstprivate(i)
		s += i;
	}
	x = s;
}

/* @pair reduced-beside w w ww y
 * @pair reduced-beside w w wr y */
static void reduced_beside(void)
{
	int s = 0;

#pragma omp parallel reduction(task, + : s)
	{
#pragma omp single
		for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : s) firstprivate(i)
			{
				s += i;
				y++; /* @reduced-beside.w */
			}
		}
	}
	x = s;
}

/* @pair reduced-soon s r wr a */
static void reduced_soon(void)
{
	double *p = a;

#pragma omp parallel
	{
#pragma omp for reduction(+ : p[:4]) nowait /* @reduced-soon.s */
		for (int i = 0; i < N; i++)
			p[i % 4] += i;
#pragma omp master
		b[0] = a[1]; /* @reduced-soon.r */
	}
}

/* @right many-turns */
static void many_turns(void)
{
#pragma omp parallel for ordered schedule(dynamic, 1)
	for (int i = 0; i < 20 * N; i++) {
#pragma omp ordered
		x += i;
	}
}

/* @pair many-turns-beside o f wr x */
static void many_turns_beside(void)
{
#pragma omp parallel for ordered schedule(dynamic, 1)
	for (int i = 0; i < 20 * N; i++) {
#pragma omp ordered
		x += i; /* @many-turns-beside.o */
		if (i == 10 * N)
			y = x; /* @many-turns-beside.f */
	}
}

/* @partial polled */
static void polled(void)
{
	int ready = 0;

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			x = 1;
#pragma omp critical
			ready = 1;
		}
#pragma omp section
		{
			int done = 0;

			while (!done) {
#pragma omp critical
				if (ready)
					done = 1;
			}
			x = 2;
		}
	}
}

int main(int argc, char **argv)
{
	static const struct named_case cases[] = {
		{ "polled", polled },
		{ "many-turns", many_turns },
		{ "many-turns-beside", many_turns_beside },
		{ "reduced-loop", reduced_loop },
		{ "reduced-tasks", reduced_tasks },
		{ "reduced-beside", reduced_beside },
		{ "reduced-soon", reduced_soon },
		{ "relay", relay },
		{ "relay-right", relay_right },
		{ "back", back },
		{ "back-right", back_right },
		{ "teams", teams },
		{ "teams-right", teams_right },
		{ "one-team", one_team },
		{ "spread", spread },
		{ "spread-right", spread_right },
		{ "handed", handed },
		{ "league", league },
		{ "device", device },
		{ "own-right", own_right },
		{ "later", later },
		{ "later-right", later_right },
		{ "waits", waits },
		{ "waits-right", waits_right },
		{ "under", under },
		{ "under-right", under_right },
		{ "nested-right", nested_right },
		{ "block", block },
		{ "scalar", scalar },
		{ "in-step", in_step },
		{ "in-step-right", in_step_right },
		{ "apart", apart },
		{ "apart-right", apart_right },
		{ "lanes", lanes },
		{ "lanes-right", lanes_right },
		{ "flag", flag },
		{ "flag-right", flag_right },
		{ "posted", posted },
		{ "chain", chain },
		{ "posted-right", posted_right },
		{ "turns", turns },
		{ "turns-right", turns_right },
		{ "untied-right", untied_right },
		{ "areas", areas },
		{ "gathered", gathered },
		{ "inside", inside },
		{ "jobs", jobs },
	};

	return run_named(argc, argv, cases, sizeof(cases) / sizeof(*cases));
}
