/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors of parallelisation in arrays and exchanges of many shapes, and near misses that have none:
 * shapes CASE; "faults" are all that are wrong, "right" all that are not. The line that is wrong has
 * the case's name in a comment. Each case has arrays of its own.
 */
#include "tests/prog/control/shapes.h"

int rank, size, before, behind;
long lo, hi, from, to;
double *u, *v;
double (*a)[M], (*b)[M];
double (*c)[K][K], (*d)[K][K];

/* ---- the arrays of a case ---- */

static void exchange(double *x, int row, int width)
{
	int n = row * width, own = (int)(hi - lo + 1) * row;

	DVMDBG_HALO_START(x);
	MPI_Sendrecv(x + n, n, MPI_DOUBLE, before, 1, x + n + own, n, MPI_DOUBLE, behind, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(x + own, n, MPI_DOUBLE, behind, 2, x, n, MPI_DOUBLE, before, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	DVMDBG_HALO(x);
}

void renew_line(double *x)
{
	exchange(x, 1, 1);
}

void renew_rows(double (*x)[M])
{
	exchange(x[0], M, 1);
}

void renew_planes(double (*x)[K][K])
{
	exchange(x[0][0], K * K, 2);
}

static void fill(void)
{
	DVMDBG_PL(.on = u, .range = { { 0, N - 1 } }, .writes = { u, v, a, b, c, d })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = (double)i;
		V(i) = 0;
		for (int j = 0; j < M; j++)
			A(i, j) = B(i, j) = (double)(i + j);
		for (int j = 0; j < K; j++)
			for (int k = 0; k < K; k++)
				C(i, j, k) = D(i, j, k) = (double)(i - j + k);
	}
	renew_line(u);
	renew_line(v);
	renew_rows(a);
	renew_rows(b);
	renew_planes(c);
	renew_planes(d);
}

static void set_up(void)
{
	const size_t own = (size_t)(hi - lo + 1);

	u = calloc(own + 2, sizeof(*u));
	v = calloc(own + 2, sizeof(*v));
	a = calloc(own + 2, sizeof(*a));
	b = calloc(own + 2, sizeof(*b));
	c = calloc(own + 4, sizeof(*c));
	d = calloc(own + 4, sizeof(*d));
	DVMDBG_ARRAY(u, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	DVMDBG_ARRAY(v, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	DVMDBG_ARRAY(a, .shape = { N, M }, .own = { { lo, hi }, { 0, M - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(b, .shape = { N, M }, .own = { { lo, hi }, { 0, M - 1 } }, .halo = { 1, 0 });
	DVMDBG_ARRAY(c, .shape = { N, K, K }, .own = { { lo, hi }, { 0, K - 1 }, { 0, K - 1 } },
		     .halo = { 2, 0, 0 });
	DVMDBG_ARRAY(d, .shape = { N, K, K }, .own = { { lo, hi }, { 0, K - 1 }, { 0, K - 1 } },
		     .halo = { 2, 0, 0 });
	fill();
}

static void clean_up(void)
{
	DVMDBG_FORGET(u);
	DVMDBG_FORGET(v);
	DVMDBG_FORGET(a);
	DVMDBG_FORGET(b);
	DVMDBG_FORGET(c);
	DVMDBG_FORGET(d);
	free(u);
	free(v);
	free(a);
	free(b);
	free(c);
	free(d);
}

/* ---- dependences ---- */

static void sweep(int way)
{
	if (way)
		DVMDBG_ACROSS(a, .below = { 1, 1 });
	ROWS(a, .writes = { a })
	EACH_ROW(i, j) {
		DVMDBG_PL_ITERATION(i, j);
		A(i, j) = A(i - 1, j) + A(i, j - 1); /* sweep */
	}
}

/* One colour reads its own (0), or the other one only. */
static void colours(int way)
{
	for (int colour = 0; colour < 2; colour++) {
		ROWS(a, .writes = { a })
		EACH_ROW(i, j) {
			if ((i + j) % 2 != colour)
				continue;
			DVMDBG_PL_ITERATION(i, j);
			A(i, j) = way ? A(i - 1, j) + A(i, j - 1) + A(i + 1, j) + A(i, j + 1)
				      : A(i, j) + A(i, j - (j > 2 ? 2 : 0)); /* colours */
		}
		renew_rows(a);
	}
}

static void across_wide(int way)
{
	if (way)
		DVMDBG_ACROSS(a, .below = { 0, 2 });
	else
		DVMDBG_ACROSS(a, .below = { 0, 1 });
	DVMDBG_PL(.on = a, .range = { { 1, N - 2 }, { 2, M - 1 } }, .writes = { a })
	for (long i = from; i <= to; i++)
		for (long j = 2; j < M; j++) {
			DVMDBG_PL_ITERATION(i, j);
			A(i, j) = A(i, j - 1) + A(i, j - 2); /* across-wide */
		}
}

static void backwards(int way)
{
	if (way)
		DVMDBG_ACROSS(a, .above = { 0, 1 });
	else
		DVMDBG_ACROSS(a, .below = { 0, 1 });
	ROWS(a, .writes = { a })
	for (long i = from; i <= to; i++)
		for (long j = M - 2; j > 0; j--) {
			DVMDBG_PL_ITERATION(i, j);
			A(i, j) = A(i, j + 1) + 1; /* backwards */
		}
}

/* Declared before anything has accessed the array. */
static void declared_first(int way)
{
	double *w = calloc((size_t)(hi - lo + 3), sizeof(*w));

	DVMDBG_ARRAY(w, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	if (way)
		DVMDBG_ACROSS(w, .below = { 1 });
	DVMDBG_PL(.on = w, .range = { { 1, N - 1 } }, .writes = { w })
	for (long i = from; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		w[i - lo + 1] = w[i - lo] + 1; /* declared-first */
	}
	DVMDBG_FORGET(w);
	free(w);
}

static struct body {
	double x, p;
} store[N + 2];

static void members(int way)
{
	struct body *body = store + lo;

	for (long i = lo - 1; i <= hi + 1; i++)
		store[i + 1].x = store[i + 1].p = (double)i;
	DVMDBG_MEMBER(body, x, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	LINE(&body->x, .writes = { &body->x })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		body[i - lo + 1].x = way ? body[i - lo].p : body[i - lo].x; /* members */
	}
	DVMDBG_FORGET(body->x);
}

/* Each second plane, as on a coarse grid. */
static void coarse(int way)
{
	DVMDBG_PL(.on = c, .range = { { 2, N - 2 }, { 0, K - 1 }, { 0, K - 1 } }, .writes = { c })
	for (long i = lo > 2 ? lo : 2; i <= to; i += 2)
		for (int j = 0; j < K; j++)
			for (int k = 0; k < K; k++) {
				DVMDBG_PL_ITERATION(i, j, k);
				C(i, j, k) += C(i - (way ? 1 : 2), j, k); /* coarse */
			}
}

/* ---- what was not written ---- */

static void short_copy(int way)
{
	double *w = malloc(4 * sizeof(*w)), all[4] = { 1, 2, 3, 4 };

	memcpy(w, all, (3 + (size_t)way) * sizeof(*w));
	LINE(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = w[i % 4]; /* short-copy */
	}
	free(w);
}

static void column(int way)
{
	double (*m)[M] = malloc(4 * sizeof(*m)), got[4];
	MPI_Datatype of;

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < M; j++)
			if (i != 2 || j != 3)
				m[i][j] = i * j;
	MPI_Type_vector(4, 1, M, MPI_DOUBLE, &of);
	MPI_Type_commit(&of);
	MPI_Sendrecv(&m[0][3 + way], 1, of, rank, 3, got, 4, MPI_DOUBLE, rank, 3, MPI_COMM_WORLD, /* column */
		     MPI_STATUS_IGNORE);
	MPI_Type_free(&of);
	U(lo) = got[3];
	free(m);
}

/* Fewer are received than there is room for. */
static void short_message(int way)
{
	double *w = malloc(8 * sizeof(*w)), out[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	MPI_Sendrecv(out, 6 + 2 * way, MPI_DOUBLE, rank, 3, w, 6 + 2 * way, MPI_DOUBLE, rank, 3, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	LINE(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = w[i % 8]; /* short-message */
	}
	free(w);
}

/* Only the root has what is gathered. */
static void gathered(int way)
{
	double *w = malloc((size_t)size * sizeof(*w)), mine = rank;

	if (way)
		MPI_Allgather(&mine, 1, MPI_DOUBLE, w, 1, MPI_DOUBLE, MPI_COMM_WORLD);
	else
		MPI_Gather(&mine, 1, MPI_DOUBLE, w, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	LINE(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = w[0]; /* gathered */
	}
	free(w);
}

static void each_new(int way)
{
	LINE(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		double *volatile w;

		DVMDBG_PL_ITERATION(i);
		w = way ? calloc(2, sizeof(*w)) : malloc(2 * sizeof(*w));
		w[0] = 1;
		if (i < 5)
			w[1] = 2;
		U(i) = w[0] + w[1]; /* each-new */
		free(w);
	}
}

static void grown(int way)
{
	double *w = malloc(3 * sizeof(*w));

	for (int k = 0; k < 3; k++)
		w[k] = k;
	w = realloc(w, 64 * sizeof(*w));
	if (way)
		memset(w + 3, 0, 61 * sizeof(*w));
	ROWS(a, .writes = { a })
	EACH_ROW(i, j) {
		DVMDBG_PL_ITERATION(i, j);
		A(i, j) = w[j]; /* grown */
	}
	free(w);
}

/* ---- what is not distributed ---- */

static struct {
	double sum, square;
} sums;

static void two_sums(int way)
{
	sums.sum = sums.square = 0;
	LINE(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		sums.sum += U(i);
		sums.square += U(i) * U(i); /* two-sums */
	}
	MPI_Allreduce(MPI_IN_PLACE, &sums, 1 + way, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static struct {
	double value;
	int at;
} least;

static void smallest(int way)
{
	least.value = 1e9;
	least.at = -1;
	ROWS(a, .reads = { a })
	EACH_ROW(i, j) {
		DVMDBG_PL_ITERATION(i, j);
		if (-A(i, j) > least.value)
			continue;
		if (-A(i, j) < least.value ||
		    i * M + j + 1000 < least.at) /* smallest */
			least.at = (int)(i * M + j + 1000); /* smallest-set */
		least.value = -A(i, j);
	}
	if (way)
		MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
	else
		MPI_Allreduce(MPI_IN_PLACE, &least.value, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
	V(lo) = least.at;
}

static __attribute__((noinline)) void count(double *h, double x)
{
	h[(int)x % 2] += 1; /* histogram */
}

static void histogram(int way)
{
	double h[2] = { 0 }, all[2];

	LINE(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		count(h, U(i));
	}
	if (way) {
		MPI_Reduce(h, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		if (!rank)
			U(lo) = all[1];
	} else {
		U(lo) = h[1];
	}
}

static void carried(int way)
{
	double *w = calloc(2, sizeof(*w));

	LINE(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		if (way)
			w[1] = U(i - 1);
		V(i) = U(i) - w[1]; /* carried */
		w[1] = U(i); /* carried-on */
	}
	free(w);
}

static double constants[4];

static void copied_over(int way)
{
	const double other[4] = { 1, 2, 3, 4 };
	double mine[4];

	DVMDBG_READONLY_ARRAY(constants, 4);
	LINE(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		memcpy(way ? mine : constants, other, sizeof(mine)); /* copied-over */
		U(i) = constants[1] + (way ? mine[i % 4] : 0);
	}
}

/* Where the next one goes. */
static long next_free;

static void slots(int way)
{
	double *w = calloc(2 * N, sizeof(*w));

	next_free = N + 3;
	LINE(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		if (way)
			w[i] = U(i);
		else
			w[next_free++ % N] = U(i); /* slots */
	}
	free(w);
}

/* Half of a word is no room between members, but an element. */
static void floats(int way)
{
	const int own = (int)(hi - lo + 1);
	float *w = malloc((size_t)own * sizeof(*w));

	for (int i = 0; i < own - 1 + way; i++)
		w[i] = (float)U(lo + i);
	MPI_Sendrecv_replace(w, own, MPI_FLOAT, rank, 3, rank, 3, MPI_COMM_WORLD, /* floats */
			     MPI_STATUS_IGNORE);
	free(w);
}

static void in_place(int way)
{
	double *w = malloc(4 * sizeof(*w));

	for (int i = 0; i < 3 + way; i++)
		w[i] = U(lo);
	MPI_Allreduce(MPI_IN_PLACE, w, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* in-place */
	free(w);
}

/* Of a function that passes its address on. */
static __attribute__((noinline)) void set(double *x, long n)
{
	for (long i = 0; i < n; i++)
		x[i] = (double)i;
}

static void own_room(int way)
{
	double room[3] = { 0 };

	DVMDBG_PRIVATE_ARRAY(room, 3);
	LINE(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		set(room, i % 8 == 3 ? 2 + way : 3);
		U(i) = room[2]; /* own-room */
	}
}

static const struct shape_case first[] = {
	{ "sweep", sweep },
	{ "colours", colours },
	{ "across-wide", across_wide },
	{ "backwards", backwards },
	{ "declared-first", declared_first },
	{ "members", members },
	{ "coarse", coarse },
	{ "short-copy", short_copy },
	{ "column", column },
	{ "short-message", short_message },
	{ "gathered", gathered },
	{ "each-new", each_new },
	{ "grown", grown },
	{ "two-sums", two_sums },
	{ "smallest", smallest },
	{ "carried", carried },
	{ "copied-over", copied_over },
	{ "slots", slots },
	{ "floats", floats },
	{ "in-place", in_place },
	{ "own-room", own_room },
	/* the last one: what is on the stack is judged at the end */
	{ "histogram", histogram },
	{ NULL, NULL },
};

static const struct shape_case *const table[] = { shapes_where, shapes_when, first };

/* A case without right- in front is wrong. */
static int run(const char *wanted)
{
	int found = 0;

	for (size_t t = 0; t < sizeof(table) / sizeof(table[0]); t++)
		for (const struct shape_case *k = table[t]; k->name; k++)
			for (int way = 0; way < 2; way++) {
				const char *name = wanted;

				if (way && strncmp(wanted, "right", 5))
					continue;
				if (!way && !strncmp(wanted, "right", 5))
					continue;
				name += way && wanted[5] ? 6 : 0;
				if (strcmp(name, k->name) && strcmp(name, way ? "right" : "faults"))
					continue;
				found = 1;
				set_up();
				k->run(way);
				clean_up();
			}
	return found;
}

int main(int argc, char **argv)
{
	int found = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	before = rank ? rank - 1 : MPI_PROC_NULL;
	behind = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	lo = N * rank / size;
	hi = N * (rank + 1) / size - 1;
	from = lo > 1 ? lo : 1;
	to = hi < N - 2 ? hi : N - 2;
	for (int i = 1; i < argc; i++)
		found += run(argv[i]);
	MPI_Finalize();
	if (!found)
		fprintf(stderr, "usage: shapes faults|right|CASE|right-CASE …\n");
	return !found;
}
