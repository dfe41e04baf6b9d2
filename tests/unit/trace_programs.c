/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs for trace_synth.h.
 */
#include <math.h>

#include "tests/unit/trace_synth.h"

static void fill(struct synth *s, struct synth_object *u, long n, unsigned line)
{
	synth_loop(s, u, line);
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++) {
			synth_iteration(s, 2, (int64_t[]){ i, j });
			synth_write(s, u, line + 1, i, j, 0,
				    sin((double)(i * 3 + j)) + synth_bad(s));
		}
	synth_loop_end(s);
}

/* The mean of the four around an element, which are read for it. */
static double around(struct synth *s, const struct synth_object *u, int64_t i, int64_t j)
{
	double sum = synth_read(s, u, 22, i - 1, j, 0);

	sum += synth_read(s, u, 23, i + 1, j, 0);
	sum += synth_read(s, u, 24, i, j - 1, 0);
	sum += synth_read(s, u, 25, i, j + 1, 0);
	return sum / 4;
}

void synth_jacobi(struct synth *s, long n, long steps)
{
	struct synth_object *u = synth_array(s, "u", n, n, 0), *v = synth_array(s, "v", n, n, 0);
	struct synth_object *change = synth_replicated(s, "change", 1);
	double most;

	fill(s, u, n, 10);
	fill(s, v, n, 12);
	synth_sequential(s, 14);
	for (long t = 1; t <= steps; t++) {
		synth_step(s, t);
		synth_loop(s, v, 20);
		for (int64_t i = 1; i < n - 1; i++)
			for (int64_t j = 1; j < n - 1; j++) {
				double mean;

				synth_iteration(s, 2, (int64_t[]){ i, j });
				mean = around(s, u, i, j);
				synth_write(s, v, 22, i, j, 0, mean + synth_bad(s));
			}
		synth_loop_end(s);
		most = 0;
		synth_loop(s, v, 30);
		for (int64_t i = 1; i < n - 1; i++)
			for (int64_t j = 1; j < n - 1; j++) {
				double d;

				synth_iteration(s, 2, (int64_t[]){ i, j });
				d = fabs(synth_read(s, v, 31, i, j, 0) -
					 synth_read(s, u, 31, i, j, 0));
				synth_local(s, 32, false, most);
				most = fmax(most, d);
				synth_local(s, 32, true, most);
			}
		synth_loop_end(s);
		synth_reduce(s, change, most, 35);
		synth_swap(u, v);
	}
	synth_sequential_end(s, false);
	fill(s, v, n, 40);
}

void synth_seidel(struct synth *s, long n, long steps)
{
	struct synth_object *u = synth_array(s, "u", n, n, 0);

	fill(s, u, n, 10);
	synth_sequential(s, 14);
	for (long t = 1; t <= steps; t++) {
		synth_step(s, t);
		synth_loop(s, u, 20);
		for (int64_t i = 1; i < n - 1; i++)
			for (int64_t j = 1; j < n - 1; j++) {
				double mean;

				synth_iteration(s, 2, (int64_t[]){ i, j });
				mean = around(s, u, i, j);
				synth_write(s, u, 26, i, j, 0, mean + synth_bad(s));
			}
		synth_loop_end(s);
	}
	synth_sequential_end(s, false);
}

void synth_transpose(struct synth *s, long n, long steps)
{
	struct synth_object *a = synth_array(s, "a", n, n, 0), *b = synth_array(s, "b", n, n, 0);

	fill(s, a, n, 10);
	for (long t = 0; t < steps; t++) {
		/* what comes from other ranks is read from a buffer, which nobody registered */
		synth_loop(s, b, 20);
		for (int64_t i = 0; i < n; i++)
			for (int64_t j = 0; j < n; j++) {
				synth_iteration(s, 2, (int64_t[]){ i, j });
				synth_write(s, b, 22, i, j, 0,
					    2 * synth_read(s, a, 22, j, i, 0) + synth_bad(s));
			}
		synth_loop_end(s);
		synth_loop(s, a, 30);
		for (int64_t i = 0; i < n; i++)
			for (int64_t j = 0; j < n; j++) {
				synth_iteration(s, 2, (int64_t[]){ i, j });
				synth_write(s, a, 32, i, j, 0, synth_read(s, b, 32, i, j, 0) / 3);
			}
		synth_loop_end(s);
	}
}

void synth_tasks(struct synth *s, long n, long steps)
{
	struct synth_object *c = synth_array(s, "c", n, n, 0);
	struct synth_object *sum = synth_replicated(s, "sum", 0);

	fill(s, c, n, 10);
	synth_sequential(s, 14);
	for (long t = 0; t < steps; t++) {
		synth_step(s, t);
		synth_region(s, 20);
		for (int64_t k = 1; k <= n && k <= 6; k++) {
			synth_task(s, 21, k, c);
			for (long m = 0; m < 2; m++) {
				synth_loop(s, c, 22 + (unsigned)m);
				for (int64_t j = 0; j < n; j++) {
					synth_iteration(s, 1, (int64_t[]){ j });
					synth_write(s, c, 24, k - 1, j, 0,
						    synth_read(s, c, 24, k - 1, j, 0) + 1 +
							    synth_bad(s));
				}
				synth_loop_end(s);
			}
			synth_task_end(s);
		}
		synth_region_end(s);
		synth_reduce(s, sum, (double)t, 30);
	}
	synth_sequential_end(s, false);
	fill(s, c, n, 40);
}

void synth_nest(struct synth *s, long n, long steps)
{
	struct synth_object *a = synth_array(s, "a", n, n, 3);

	synth_loop(s, a, 10);
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++)
			for (int64_t k = 0; k < 3; k++) {
				synth_iteration(s, 3, (int64_t[]){ i, j, k });
				synth_write(s, a, 11, i, j, k, (double)(i + 10 * j + 100 * k));
			}
	synth_loop_end(s);
	for (long t = 0; t < steps; t++) {
		/* a row is an iteration, with loops in it; elements are written again and again */
		synth_loop(s, a, 20);
		for (int64_t i = 0; i < n; i++) {
			synth_iteration(s, 1, (int64_t[]){ i });
			synth_inner(s, 21);
			for (int64_t j = 0; j < n; j++) {
				synth_inner_iteration(s, j);
				for (long k = 0; k < 3; k++) {
					double v = synth_read(s, a, 22, i, j, k);

					synth_write(s, a, 23, i, j, 0,
						    synth_read(s, a, 23, i, j, 0) + v / 8 +
							    synth_bad(s));
				}
			}
			synth_inner_end(s);
		}
		synth_loop_end(s);
	}
}

void synth_heavy(struct synth *s, long n, long steps)
{
	struct synth_object *a = synth_array(s, "a", 6, n, 0);

	for (long t = 0; t < steps; t++) {
		/* the order inside of an iteration is one that differs between runs, too */
		synth_loop(s, a, 20);
		for (int64_t i = 0; i < 6; i++) {
			synth_iteration(s, 1, (int64_t[]){ i });
			for (long m = 0; m < 2; m++)
				for (int64_t k = 0; k < n; k++) {
					int64_t j = synth_backwards(s) ? n - 1 - k : k;

					synth_write(s, a, 22, i, j, 0,
						    synth_read(s, a, 22, i, j, 0) +
							    (double)(i + j) +
							    (j == n / 2 ? synth_bad(s) : 0));
				}
		}
		synth_loop_end(s);
		synth_region(s, 30);
		for (int64_t k = 1; k <= 6; k++) {
			synth_task(s, 31, k, a);
			synth_task_write(s, a, 32, k - 1, n, (double)(k + t));
			synth_loop(s, a, 33);
			for (int64_t j = 0; j < 3; j++) {
				synth_iteration(s, 1, (int64_t[]){ j });
				synth_write(s, a, 34, k - 1, j, 0, (double)j);
			}
			synth_loop_end(s);
			synth_task_write(s, a, 35, k - 1, n / 2, (double)(k - t));
			synth_task_end(s);
		}
		synth_region_end(s);
	}
}
