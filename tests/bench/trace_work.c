/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/trace_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/trace/trace.h"

static void add(struct work *w, uint64_t pc, unsigned flags, uint32_t object, uint64_t at,
		const void *value)
{
	struct work_rec *r;

	if (w->n == w->cap)
		return;
	r = &w->rec[w->n++];
	*r = (struct work_rec){ .pc = pc, .at = at, .object = object, .flags = (uint8_t)flags };
	memcpy(r->value, value, flags & TRACE_SIZE);
}

static void iteration(struct work *w, unsigned n, int i, int j, int k)
{
	struct work_rec *r;

	if (w->n == w->cap)
		return;
	r = &w->rec[w->n++];
	*r = (struct work_rec){ .nidx = (uint8_t)n, .index = { i, j, k } };
}

/* A site of its own for each use, as a compiler would make one. */
#define PC (0x401000u + 7u * __COUNTER__)
/* Reads and writes of element i of a, which is object o. */
#define RD(o, a, i) (add(w, PC, sizeof(*(a)), o, (uint64_t)(i) * sizeof(*(a)), &(a)[i]), (a)[i])
#define WR(o, a, i, v) \
	((a)[i] = (v), \
	 add(w, PC, sizeof(*(a)) | TRACE_WRITES, o, (uint64_t)(i) * sizeof(*(a)), &(a)[i]))

enum { ROWS = 502, COLS = 1002 };

#define HEAT(name, type)                                                              \
	void name(struct work *w)                                                     \
	{                                                                             \
		type *u = calloc((size_t)ROWS * COLS, sizeof(*u));                    \
		type *v = calloc((size_t)ROWS * COLS, sizeof(*v)), *swap;             \
		uint32_t ou = 1, ov = 2, os;                                          \
                                                                                      \
		for (int i = 0; u && i < ROWS; i++)                                   \
			for (int j = 0; j < COLS; j++)                                \
				u[i * COLS + j] = (type)(sin(3.14159265 * i / 1001) * \
							 sin(3.14159265 * j / 1001)); \
		while (u && v && w->n < w->cap) {                                     \
			for (int i = 1; i < ROWS - 1; i++)                            \
				for (int j = 1; j < COLS - 1; j++) {                  \
					int at = i * COLS + j;                        \
                                                                                      \
					iteration(w, 2, i, j, 0);                     \
					WR(ov, v, at,                                 \
					   (type)((1 - 0.3) * RD(ou, u, at) +         \
						  0.3 * 0.25 *                        \
							  (RD(ou, u, at - COLS) +     \
							   RD(ou, u, at + COLS) +     \
							   RD(ou, u, at - 1) +        \
							   RD(ou, u, at + 1))));      \
				}                                                     \
			swap = u, u = v, v = swap;                                    \
			os = ou, ou = ov, ov = os;                                    \
		}                                                                     \
		free(u);                                                              \
		free(v);                                                              \
	}

HEAT(work_heat, double)
HEAT(work_heat_float, float)

/*
 * A solver with five components a cell, in the manner of the LU of the NAS benchmarks: fluxes and
 * their differences, a block of 5 x 5 a cell, a sweep with it, an update.
 */
enum { N = 33, U = 1, RSD = 2, FRCT = 3, FLUX = 4, D = 5, QS = 6 };
#define CELL(k, j, i) ((((k)*N + (j)) * N + (i)) * 5)

struct lu {
	double u[N * N * N * 5], rsd[N * N * N * 5], frct[N * N * N * 5], qs[N * N * N];
	double flux[N * 5], d[N * 25];
};

static void lu_fluxes(struct work *w, struct lu *s, int k, int j)
{
	for (int i = 0; i < N; i++) {
		int c = CELL(k, j, i);
		double u21 = RD(U, s->u, c + 1) / RD(U, s->u, c);
		double q = 0.5 *
			   (RD(U, s->u, c + 1) * RD(U, s->u, c + 1) +
			    RD(U, s->u, c + 2) * RD(U, s->u, c + 2) +
			    RD(U, s->u, c + 3) * RD(U, s->u, c + 3)) /
			   RD(U, s->u, c);

		iteration(w, 3, k, j, i);
		WR(QS, s->qs, c / 5, q);
		WR(FLUX, s->flux, i * 5, RD(U, s->u, c + 1));
		WR(FLUX, s->flux, i * 5 + 1,
		   RD(U, s->u, c + 1) * u21 + 0.4 * (RD(U, s->u, c + 4) - q));
		WR(FLUX, s->flux, i * 5 + 2, RD(U, s->u, c + 2) * u21);
		WR(FLUX, s->flux, i * 5 + 3, RD(U, s->u, c + 3) * u21);
		WR(FLUX, s->flux, i * 5 + 4, (1.4 * RD(U, s->u, c + 4) - 0.4 * q) * u21);
	}
}

static void lu_differences(struct work *w, struct lu *s, int k, int j)
{
	for (int i = 2; i < N - 2; i++) {
		int c = CELL(k, j, i);

		iteration(w, 3, k, j, i);
		for (int m = 0; m < 5; m++)
			WR(RSD, s->rsd, c + m,
			   RD(RSD, s->rsd, c + m) - 0.5 * (RD(FLUX, s->flux, (i + 1) * 5 + m) -
							   RD(FLUX, s->flux, (i - 1) * 5 + m)));
		for (int m = 0; m < 5; m++)
			WR(RSD, s->rsd, c + m,
			   RD(RSD, s->rsd, c + m) -
				   0.02 * (RD(U, s->u, c - 10 + m) - 4 * RD(U, s->u, c - 5 + m) +
					   6 * RD(U, s->u, c + m) - 4 * RD(U, s->u, c + 5 + m) +
					   RD(U, s->u, c + 10 + m)));
	}
}

/* The diagonal blocks of a row; nearly half of their entries are always the same. */
static void lu_blocks(struct work *w, struct lu *s, int k, int j)
{
	for (int i = 1; i < N - 1; i++) {
		int c = CELL(k, j, i), d = i * 25;
		double t1 = 1 / RD(U, s->u, c), t2 = t1 * t1;

		iteration(w, 3, k, j, i);
		WR(D, s->d, d, 1.01);
		WR(D, s->d, d + 1, 0);
		WR(D, s->d, d + 2, 0);
		WR(D, s->d, d + 3, 0);
		WR(D, s->d, d + 4, 0);
		WR(D, s->d, d + 5, -0.003 * t2 * RD(U, s->u, c + 1));
		WR(D, s->d, d + 6, 1.02 + 0.003 * t1);
		WR(D, s->d, d + 7, 0);
		WR(D, s->d, d + 8, 0);
		WR(D, s->d, d + 9, 0);
		WR(D, s->d, d + 10, -0.003 * t2 * RD(U, s->u, c + 2));
		WR(D, s->d, d + 11, 0);
		WR(D, s->d, d + 12, 1.02 + 0.003 * t1);
		WR(D, s->d, d + 13, 0);
		WR(D, s->d, d + 14, 0);
		WR(D, s->d, d + 15, -0.003 * t2 * RD(U, s->u, c + 3));
		WR(D, s->d, d + 16, 0);
		WR(D, s->d, d + 17, 0);
		WR(D, s->d, d + 18, 1.02 + 0.003 * t1);
		WR(D, s->d, d + 19, 0);
		WR(D, s->d, d + 20, -0.01 * t2 * RD(QS, s->qs, c / 5) * RD(U, s->u, c + 4));
		WR(D, s->d, d + 21, 0.002 * t1 * RD(U, s->u, c + 1));
		WR(D, s->d, d + 22, 0.002 * t1 * RD(U, s->u, c + 2));
		WR(D, s->d, d + 23, 0.002 * t1 * RD(U, s->u, c + 3));
		WR(D, s->d, d + 24, 1.03 + 0.004 * t1);
	}
}

static void lu_sweep(struct work *w, struct lu *s, int k, int j)
{
	for (int i = 1; i < N - 1; i++) {
		int c = CELL(k, j, i), d = i * 25;

		iteration(w, 3, k, j, i);
		for (int m = 0; m < 5; m++)
			WR(RSD, s->rsd, c + m,
			   RD(RSD, s->rsd, c + m) -
				   0.3 * (RD(D, s->d, d + 5 * m) * RD(RSD, s->rsd, c - 5) +
					  RD(D, s->d, d + 5 * m + 1) * RD(RSD, s->rsd, c - 4) +
					  RD(D, s->d, d + 5 * m + 2) * RD(RSD, s->rsd, c - 3) +
					  RD(D, s->d, d + 5 * m + 3) * RD(RSD, s->rsd, c - 2) +
					  RD(D, s->d, d + 5 * m + 4) * RD(RSD, s->rsd, c - 1)));
	}
}

static void lu_update(struct work *w, struct lu *s, int k, int j)
{
	for (int i = 1; i < N - 1; i++) {
		int c = CELL(k, j, i);

		iteration(w, 3, k, j, i);
		for (int m = 0; m < 5; m++)
			WR(U, s->u, c + m, RD(U, s->u, c + m) + 0.1 * RD(RSD, s->rsd, c + m));
	}
}

void work_lu(struct work *w)
{
	struct lu *s = calloc(1, sizeof(*s));

	for (int i = 0; s && i < N * N * N * 5; i++) {
		double x = i / 5 % N / 32.0, y = i / 5 / N % N / 32.0, z = i / 5 / N / N / 32.0;

		s->u[i] = 1 + i % 5 + 0.3 * x * (1 - x) + 0.2 * y * y + 0.1 * z +
			  0.01 * sin(9 * x * z);
		s->frct[i] = 0.01 * sin(5 * x + y) * (1 + i % 5);
	}
	while (s && w->n < w->cap) {
		for (int c = 0; c < N * N * N * 5; c++) {
			if (c % 5 == 0)
				iteration(w, 3, c / 5 / N / N, c / 5 / N % N, c / 5 % N);
			WR(RSD, s->rsd, c, -RD(FRCT, s->frct, c));
		}
		for (int k = 1; k < N - 1; k++)
			for (int j = 1; j < N - 1; j++) {
				lu_fluxes(w, s, k, j);
				lu_differences(w, s, k, j);
			}
		for (int k = 1; k < N - 1; k++)
			for (int j = 1; j < N - 1; j++) {
				lu_blocks(w, s, k, j);
				lu_sweep(w, s, k, j);
			}
		for (int k = 1; k < N - 1; k++)
			for (int j = 1; j < N - 1; j++)
				lu_update(w, s, k, j);
	}
	free(s);
}

static uint64_t mix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Ten entries a row near the diagonal; the vector changes from step to step. */
void work_sparse(struct work *w)
{
	enum { ROWS_ = 20000, EACH = 10 };
	int *col = calloc((size_t)ROWS_ * EACH, sizeof(*col));
	double *a = calloc((size_t)ROWS_ * EACH, sizeof(*a));
	double *x = calloc(ROWS_, sizeof(*x)), *y = calloc(ROWS_, sizeof(*y));
	uint64_t state = 7;

	for (int i = 0; col && a && x && i < ROWS_ * EACH; i++) {
		col[i] = (int)(((uint64_t)(i / EACH) + mix(&state) % 2000) % ROWS_);
		a[i] = 1 + (double)(mix(&state) % 1000) * 1e-3;
		x[i / EACH] = 1;
	}
	while (col && a && x && y && w->n < w->cap) {
		for (int i = 0; i < ROWS_; i++) {
			double sum = 0;

			iteration(w, 1, i, 0, 0);
			for (int k = i * EACH; k < i * EACH + EACH; k++)
				sum += RD(2, a, k) * RD(3, x, RD(1, col, k));
			WR(4, y, i, sum);
		}
		for (int i = 0; i < ROWS_; i++) {
			iteration(w, 1, i, 0, 0);
			WR(3, x, i, RD(4, y, i) * 0.066);
		}
	}
	free(col);
	free(a);
	free(x);
	free(y);
}

void work_random(struct work *w)
{
	uint64_t state = 1;

	while (w->n < w->cap) {
		uint64_t v[2] = { mix(&state), mix(&state) }, r = mix(&state);
		static const uint8_t sizes[] = { 1, 2, 4, 8, 16 };

		add(w, 0x400000 + r % 200 * 4, sizes[r % 5] | (r & 0x100 ? TRACE_WRITES : 0),
		    r % 7 ? (uint32_t)(r % 7) : TRACE_NOWHERE, mix(&state) >> 20, v);
	}
}
