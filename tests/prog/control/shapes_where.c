/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outside of an array, of another processor, in a halo that is written. */
#include "tests/prog/control/shapes.h"

/* ---- outside of the array ---- */

static void row_end(int way)
{
	DVMDBG_PL(.on = b, .range = { { 0, N - 1 } }, .writes = { b })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		for (long j = 0; j < M; j++)
			B(i, j) = A(i + (i == N - 1 ? 2 - way : 0), j); /* row-end */
	}
}

static void in_front(int way)
{
	DVMDBG_PL(.on = v, .range = { { 0, N - 1 } }, .writes = { v })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = U(i == 1 ? way - 2 : i); /* in-front */
	}
}

static struct {
	double row[N + 2][K], behind[K];
} global;

/* Of a global; something else is behind it. */
static void global_end(int way)
{
	double (*g)[K] = global.row + lo;

	for (int k = 0; k < K; k++)
		global.behind[k] = k;
	DVMDBG_ARRAY(g, .shape = { N, K }, .own = { { lo, hi }, { 0, K - 1 } }, .halo = { 1, 0 });
	DVMDBG_PL(.on = g, .range = { { 0, N - 1 } }, .writes = { g })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		for (int k = 0; k < K; k++)
			g[i - lo + (i == N - 1 && !way ? 3 : 1)][k] = 1; /* global-end */
	}
	DVMDBG_FORGET(g);
}

/* Rows have room behind them, which is no element. */
static void gap(int way)
{
	const int wide = M + 2;
	double *p = calloc((size_t)((hi - lo + 1) * wide), sizeof(*p));

	DVMDBG_ARRAY(p, .shape = { N, M }, .own = { { lo, hi }, { 0, M - 1 } }, .stride = { M + 2, 1 });
	DVMDBG_PL(.on = p, .range = { { 0, N - 1 }, { 0, M - 1 } }, .writes = { p })
	for (long i = lo; i <= hi; i++)
		for (long j = 0; j < M; j++) {
			DVMDBG_PL_ITERATION(i, j);
			p[(i - lo) * wide + j + (way ? 0 : 1)] = 1; /* gap */
		}
	DVMDBG_FORGET(p);
	free(p);
}

static void last_plane(int way)
{
	DVMDBG_PL(.on = d, .range = { { 0, N - 1 } }, .writes = { d })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		for (int j = 0; j < K; j++)
			memcpy(&D(i, j, 0), &C(i < N - 1 || way ? i : i + 3, j, 0), K * sizeof(double)); /* last-plane */
	}
}

/* ---- of another processor ---- */

static void two_rows(int way)
{
	ROWS(b, .writes = { b })
	EACH_ROW(i, j) {
		DVMDBG_PL_ITERATION(i, j);
		B(i, j) = A(i + (i < N - 2 && !way ? 2 : 1), j); /* two-rows */
	}
}

/* Iteration i writes element i + 1. */
static void shifted(int way)
{
	DVMDBG_PL(.on = b, .range = { { 1, N - 3 } }, .shift = { 1 }, .writes = { b })
	for (long i = from - (lo > 0); i <= (hi < N - 2 ? hi - 1 : N - 3); i++) {
		DVMDBG_PL_ITERATION(i);
		for (long j = 0; j < M; j++)
			B(i + 1, j) = A(i + (way ? 2 : 3), j); /* shifted */
	}
}

/* The loop's first index is the array's second. */
static void turned(int way)
{
	if (way)
		DVMDBG_PL_BEGIN(.on = b, .range = { { 1, M - 2 }, { 1, N - 2 } }, .by = { 2, 1 }, .writes = { b });
	else
		DVMDBG_PL_BEGIN(.on = b, .range = { { 1, M - 2 }, { 1, N - 2 } }, .writes = { b });
	for (long j = 1; j < M - 1; j++)
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(j, i);
			B(i, j) = A(i, j); /* turned */
		}
	DVMDBG_PL_END();
}

/* A coarse line over a fine one. */
static void restricted(int way)
{
	const long first = lo / 2, last = (hi + 1) / 2 - 1;
	double *w = calloc((size_t)(last - first + 3), sizeof(*w));

	DVMDBG_ARRAY(w, .shape = { N / 2 }, .own = { { first, last } }, .halo = { 1 });
	DVMDBG_PL(.on = w, .range = { { 1, N / 2 - 2 } }, .writes = { w }, .reads = { u })
	for (long i = first > 1 ? first : 1; i <= (last < N / 2 - 2 ? last : N / 2 - 2); i++) {
		DVMDBG_PL_ITERATION(i);
		w[i - first + 1] = U(2 * i) + U(2 * i - 1) + U(2 * i + (way ? 1 : 3)); /* restricted */
	}
	DVMDBG_FORGET(w);
	free(w);
}

/* By a list of neighbours. */
static void listed(int way)
{
	int *of = calloc(N, sizeof(*of));

	for (int i = 0; i < N; i++)
		of[i] = i % 4 == 3 ? i + (way ? 1 : 2) : i;
	LINE(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = U(of[i]); /* listed */
	}
	free(of);
}

/* ---- a halo that is written ---- */

/* Both ends of each second edge. */
static void edges(int way)
{
	DVMDBG_PL(.on = v, .range = { { 0, N - 2 } }, .writes = { v })
	for (long i = lo + !way; i <= to; i += 2) {
		DVMDBG_PL_ITERATION(i);
		V(i) -= 1;
		V(i + 1) += 1; /* edges */
	}
}

static void cleared(int way)
{
	DVMDBG_PL(.on = b, .range = { { 1, N - 2 } }, .writes = { b })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		if (i == 7)
			memset(&B(i + !way, 0), 0, M * sizeof(double)); /* cleared */
	}
}

static void second_plane(int way)
{
	if (way)
		DVMDBG_COMPUTES_HALO(d);
	DVMDBG_PL(.on = d, .range = { { 0, N - 1 } }, .writes = { d })
	for (long i = lo - (rank && way ? 2 : 0); i <= hi + (rank < size - 1 && way ? 2 : 0); i++) {
		DVMDBG_PL_ITERATION(i);
		for (int j = 0; j < K; j++)
			for (int k = 0; k < K; k++) {
				if (way || i != 6)
					D(i, j, k) = C(i, j, k);
				if (!way && i == 8)
					D(i - 2, j, k) = C(i - 2, j, k); /* second-plane */
			}
	}
}

/* Points to what is near the end. */
static void through_pointer(int way)
{
	LINE(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		double *at = &U(i);

		DVMDBG_PL_ITERATION(i);
		if (i == 8)
			at[way ? 0 : -1] = 5; /* through-pointer */
	}
}

/* Filled by hand between loops. */
static void by_hand(int way)
{
	DVMDBG_PL(.on = a, .range = { { 0, N - 1 } }, .writes = { a })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		for (int j = 0; j < M; j++)
			A(i, j) = 1;
		if (!way && i == 8)
			A(7, 2) = 1; /* by-hand */
	}
	if (rank)
		for (int j = 0; j < M; j++)
			A(lo - 1, j) = 1;
}

const struct shape_case shapes_where[] = {
	{ "row-end", row_end },
	{ "in-front", in_front },
	{ "global-end", global_end },
	{ "gap", gap },
	{ "last-plane", last_plane },
	{ "two-rows", two_rows },
	{ "shifted", shifted },
	{ "turned", turned },
	{ "restricted", restricted },
	{ "listed", listed },
	{ "edges", edges },
	{ "cleared", cleared },
	{ "second-plane", second_plane },
	{ "through-pointer", through_pointer },
	{ "by-hand", by_hand },
	{ NULL, NULL },
};
