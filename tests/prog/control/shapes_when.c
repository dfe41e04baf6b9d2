/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Before a reduction is complete, halos and what is sent to them, buffers of other ranks, tasks. */
#include "tests/prog/control/shapes.h"

/* ---- before a reduction is complete ---- */

static double total, parts[3] = { 0, 0, 7 };

static void in_flight(int way)
{
	MPI_Request request;
	double mine = 0;

	DVMDBG_REDUCES(mine);
	LINE(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		mine += U(i);
	}
	DVMDBG_REDUCTION_START(total);
	MPI_Iallreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	if (!way)
		V(lo) = total; /* in-flight */
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	DVMDBG_REDUCTION(total, DVMDBG_SUM);
	V(lo) = total;
}

/* Two of three are sums; one is read in the next loop. */
static void third_part(int way)
{
	DVMDBG_REDUCES_ARRAY(parts, 2);
	ROWS(a, .reads = { a })
	EACH_ROW(i, j) {
		DVMDBG_PL_ITERATION(i, j);
		parts[j % 2] += A(i, j);
	}
	DVMDBG_REDUCTION_START_ARRAY(parts, 2);
	LINE(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = parts[1 + way]; /* third-part */
	}
	MPI_Allreduce(MPI_IN_PLACE, parts, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	DVMDBG_REDUCTION_ARRAY(parts, 2, DVMDBG_SUM);
}

/* Set for the next step. */
static void reset(int way)
{
	for (int step = 0; step < 2; step++) {
		DVMDBG_REDUCES(total);
		LINE(u, .reads = { u })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			if (U(i) > total)
				total = U(i);
		}
		DVMDBG_REDUCTION_START(total);
		if (!way)
			total = 0; /* reset */
		MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		DVMDBG_REDUCTION(total, DVMDBG_MAX);
		if (way)
			total = 0;
	}
}

static __attribute__((noinline)) void combine(double *x)
{
	MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Two are under way, and the other one is complete. */
static void other_one(int way)
{
	double *w = calloc(2, sizeof(*w));

	DVMDBG_REDUCES_ARRAY(w, 2);
	LINE(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		w[0] += U(i);
		w[1] += 1;
	}
	DVMDBG_REDUCTION_START(w[0]);
	DVMDBG_REDUCTION_START(w[1]);
	combine(&w[1]);
	DVMDBG_REDUCTION(w[1], DVMDBG_SUM);
	V(lo) = w[way]; /* other-one */
	combine(&w[0]);
	DVMDBG_REDUCTION(w[0], DVMDBG_SUM);
	V(lo) = w[0];
	free(w);
}

static double sum, all;

static void add_up(void)
{
	sum = 0;
	DVMDBG_REDUCES(sum);
	LINE(u, .reads = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		sum += U(i);
	}
	DVMDBG_REDUCTION_START(sum);
}

/* The result is elsewhere: it is stored before the mark of its end, or the mark is there. */
static void stored(int way)
{
	MPI_Request request;

	add_up();
	MPI_Iallreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	if (!way)
		sum = 0; /* stored */
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	sum = all;
	DVMDBG_REDUCTION(sum, DVMDBG_SUM);
	add_up();
	MPI_Iallreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (!way)
		sum = all + 1; /* stored-and-kept */
	else
		DVMDBG_REDUCTION(all, DVMDBG_SUM);
	LINE(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = all;
	}
	DVMDBG_REDUCTION(sum, DVMDBG_SUM);
}

/* ---- halos that are stale ---- */

/* Structures with room behind their last member, which are sent, and copied, with it. */
static struct part {
	double x, y[2];
	int kind;
} *part;

static void renew_parts(void)
{
	const long own = hi - lo + 1;

	MPI_Sendrecv(part + 1, sizeof(*part), MPI_BYTE, before, 1, part + 1 + own, sizeof(*part),
		     MPI_BYTE, behind, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(part + own, sizeof(*part), MPI_BYTE, behind, 2, part, sizeof(*part), MPI_BYTE,
		     before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	DVMDBG_HALO(part);
}

static void structures(int way)
{
	const long own = hi - lo + 1;
	struct part *one = malloc(sizeof(*one));

	part = malloc((size_t)(own + 2) * sizeof(*part));
	DVMDBG_ARRAY(part, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 },
		     .fields = DVMDBG_FIELDS(part, x, y, kind));
	for (int step = 0; step < 2; step++) {
		DVMDBG_PL(.on = part, .range = { { 0, N - 1 } }, .writes = { part })
		for (long i = lo; i <= hi; i++) {
			struct part *p = &part[i - lo + 1];

			DVMDBG_PL_ITERATION(i);
			p->x = p->y[0] = p->y[1] = (double)i;
			p->kind = step;
		}
		if (way || !step)
			renew_parts();
	}
	LINE(part, .writes = { &part->y })
	for (long i = from; i <= to; i++) {
		struct part *p = &part[i - lo + 1];

		DVMDBG_PL_ITERATION(i);
		p->y[1] = p->x + p[1].x; /* structures */
	}
	*one = part[1];
	MPI_Sendrecv_replace(one, sizeof(*one), MPI_BYTE, rank, 3, rank, 3, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	free(one);
	DVMDBG_FORGET(part);
	free(part);
}

/* Behind its end the array begins again. */
static void around(int way)
{
	const long own = hi - lo + 1;
	const int last = (rank + size - 1) % size, next = (rank + 1) % size;
	double *r = calloc((size_t)own + 2, sizeof(*r));

	DVMDBG_ARRAY(r, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 }, .periodic = { 1 });
	for (int step = 0; step < 2; step++) {
		DVMDBG_PL(.on = r, .range = { { 0, N - 1 } }, .writes = { r })
		for (long i = lo; i <= hi; i++) {
			DVMDBG_PL_ITERATION(i);
			r[i - lo + 1] = (double)(i + step);
		}
		if (step && !way)
			continue;
		MPI_Sendrecv(r + 1, 1, MPI_DOUBLE, last, 1, r + own + 1, 1, MPI_DOUBLE, next, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(r + own, 1, MPI_DOUBLE, next, 2, r, 1, MPI_DOUBLE, last, 2,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		DVMDBG_HALO(r);
	}
	DVMDBG_PL(.on = v, .range = { { 0, N - 1 } }, .writes = { v })
	for (long i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = r[i - lo] + r[i - lo + 2]; /* around */
	}
	DVMDBG_FORGET(r);
	free(r);
}

/* Of two that are written one is renewed. */
static void one_of_two(int way)
{
	LINE(u, .writes = { u, v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = 1;
		V(i) = 2;
	}
	renew_line(u);
	if (way)
		renew_line(v);
	ROWS(a, .writes = { a })
	EACH_ROW(i, j) {
		DVMDBG_PL_ITERATION(i, j);
		A(i, j) = U(i + 1) + V(i + 1); /* one-of-two */
	}
}

/* Of all that are renewed it is left out. */
static void never(int way)
{
	double *w = calloc((size_t)(hi - lo + 3), sizeof(*w));

	DVMDBG_ARRAY(w, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	LINE(w, .writes = { w })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		w[i - lo + 1] = U(i);
	}
	if (way)
		renew_line(w);
	LINE(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = w[i - lo + 2]; /* never */
	}
	DVMDBG_FORGET(w);
	free(w);
}

/* The new one is the other pointer now. */
static void swapped(int way)
{
	double (*t)[M] = a;

	for (int step = 0; step < 2; step++) {
		ROWS(b, .writes = { b })
		EACH_ROW(i, j) {
			DVMDBG_PL_ITERATION(i, j);
			B(i, j) = A(i + 1, j) + A(i - 1, j); /* swapped */
		}
		t = a;
		a = b;
		b = t;
		renew_rows(way ? a : b);
	}
}

/* Red ones are renewed before black ones read them. */
static void after_red(int way)
{
	for (int colour = 0; colour < 2; colour++) {
		ROWS(a, .writes = { a })
		EACH_ROW(i, j) {
			if ((i + j) % 2 != colour)
				continue;
			DVMDBG_PL_ITERATION(i, j);
			A(i, j) = A(i - 1, j) + A(i + 1, j); /* after-red */
		}
		if (way)
			renew_rows(a);
	}
}

/* As bytes, packed; without marks it is what is unpacked. */
static void packed(int way)
{
	char out[2][2 * M * sizeof(double)], in[2][sizeof(out[0])];
	MPI_Request request[4];
	MPI_Status status[4];
	int at[2] = { 0, 0 }, got[2] = { 0, 0 };

	ROWS(a, .writes = { a, b })
	EACH_ROW(i, j) {
		DVMDBG_PL_ITERATION(i, j);
		A(i, j) = 1;
		B(i, j) = 2;
	}
	for (int k = 0; k < 2; k++) {
		MPI_Pack(a[k ? hi - lo + 1 : 1], M, MPI_DOUBLE, out[k], sizeof(out[k]), &at[k], MPI_COMM_WORLD);
		MPI_Pack(b[k ? hi - lo + 1 : 1], M, MPI_DOUBLE, out[k], sizeof(out[k]), &at[k], MPI_COMM_WORLD);
		MPI_Irecv(in[k], sizeof(in[k]), MPI_PACKED, k ? behind : before, 5, MPI_COMM_WORLD, &request[k]);
		MPI_Isend(out[k], at[k], MPI_PACKED, k ? behind : before, 5, MPI_COMM_WORLD, &request[2 + k]);
	}
	MPI_Waitall(4, request, status);
	for (int k = 0; k < 2; k++) {
		if ((k ? behind : before) == MPI_PROC_NULL)
			continue;
		MPI_Unpack(in[k], sizeof(in[k]), &got[k], a[k ? hi - lo + 2 : 0], M, MPI_DOUBLE, MPI_COMM_WORLD);
		if (way || !k)
			MPI_Unpack(in[k], sizeof(in[k]), &got[k], b[k ? hi - lo + 2 : 0], M, MPI_DOUBLE,
				   MPI_COMM_WORLD);
	}
	DVMDBG_HALO(a);
	if (way)
		DVMDBG_HALO(b);
	ROWS(c, .writes = { c })
	EACH_ROW(i, j) {
		DVMDBG_PL_ITERATION(i, j);
		C(i, j - 1, 0) = A(i + 1, j) + A(i - 1, j) + B(i - 1, j); /* packed-left */
		if (j == 3)
			C(i, 1, 1) = B(i + 1, j); /* packed */
	}
}

/* With a type for both planes of the halo, and requests that persist. */
static void persistent(int way)
{
	MPI_Request request[4];
	MPI_Status status[4];
	MPI_Datatype two;

	MPI_Type_contiguous(2 * K * K, MPI_DOUBLE, &two);
	MPI_Type_commit(&two);
	MPI_Recv_init(c, 1, two, before, 6, MPI_COMM_WORLD, &request[0]);
	MPI_Recv_init(&C(hi + 1, 0, 0), 1, two, behind, 7, MPI_COMM_WORLD, &request[1]);
	MPI_Send_init(&C(lo, 0, 0), 1, two, before, 7, MPI_COMM_WORLD, &request[2]);
	MPI_Send_init(&C(hi - 1, 0, 0), 1, two, behind, 6, MPI_COMM_WORLD, &request[3]);
	for (int step = 0; step < 2; step++) {
		DVMDBG_PL(.on = d, .range = { { 1, N - 2 } }, .writes = { d })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			D(i, 1, 1) = C(i - 1, 1, 1) + C(i + (i < N - 2 ? 2 : 0), 1, 1); /* persistent */
		}
		DVMDBG_PL(.on = c, .range = { { 1, N - 2 } }, .writes = { c })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			C(i, 1, 1) = D(i, 1, 1);
		}
		if (!way && !step)
			continue;
		DVMDBG_HALO_START(c);
		MPI_Startall(4, request);
		MPI_Waitall(4, request, status);
		DVMDBG_HALO(c);
	}
	for (int k = 0; k < 4; k++)
		MPI_Request_free(&request[k]);
	MPI_Type_free(&two);
}

/* By MPI_Put into the neighbours. */
static void put(int way)
{
	MPI_Win window = MPI_WIN_NULL;
	const MPI_Aint below = (MPI_Aint)(lo - (rank ? N * (rank - 1) / size : 0) + 1);

	/* Open MPI makes none of one rank everywhere */
	if (size > 1)
		MPI_Win_create(v, (MPI_Aint)((hi - lo + 3) * (long)sizeof(*v)), sizeof(*v), MPI_INFO_NULL, MPI_COMM_WORLD,
		       &window);
	for (int step = 0; step < 2; step++) {
		LINE(v, .writes = { v })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			V(i) = (double)i;
		}
		if (way || !step) {
			DVMDBG_HALO_START(v);
			if (size > 1) {
				MPI_Win_fence(0, window);
				MPI_Put(&V(lo), 1, MPI_DOUBLE, before, below, 1, MPI_DOUBLE, window);
				MPI_Put(&V(hi), 1, MPI_DOUBLE, behind, 0, 1, MPI_DOUBLE, window);
				MPI_Win_fence(0, window);
			}
			DVMDBG_HALO(v);
		}
		LINE(u, .writes = { u })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			U(i) = V(i - 1) + V(i + 1); /* put */
		}
	}
	if (size > 1)
		MPI_Win_free(&window);
}

/* ---- while a halo is renewed ---- */

/* Packs, and then the inner part is computed, or all of it. */
static void overlapped(int way)
{
	double out[2], in[2];
	MPI_Request request[4];
	MPI_Status status[4];

	DVMDBG_HALO_START(u);
	for (int k = 0; k < 2; k++) {
		out[k] = k ? U(hi) : U(lo);
		MPI_Irecv(&in[k], 1, MPI_DOUBLE, k ? behind : before, 8, MPI_COMM_WORLD, &request[k]);
		MPI_Isend(&out[k], 1, MPI_DOUBLE, k ? behind : before, 8, MPI_COMM_WORLD, &request[2 + k]);
	}
	LINE(v, .writes = { v })
	for (long i = from + way; i <= to - way; i++) {
		DVMDBG_PL_ITERATION(i);
		if (!way || (i % 4 && i % 4 != 3))
			V(i) = U(i - 1) + U(i + 1); /* overlapped */
	}
	MPI_Waitall(4, request, status);
	if (rank)
		U(lo - 1) = in[0];
	if (behind != MPI_PROC_NULL)
		U(hi + 1) = in[1];
	DVMDBG_HALO(u);
	LINE(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = U(i - 1) + U(i + 1);
	}
}

/* What is sent is changed before it has arrived: of two planes the inner one, too. */
static void plane_changed(int way)
{
	double out[2][2][K][K];

	DVMDBG_HALO_START(c);
	memcpy(out[0], &C(lo, 0, 0), sizeof(out[0]));
	memcpy(out[1], &C(hi - 1, 0, 0), sizeof(out[1]));
	DVMDBG_PL(.on = c, .range = { { 1, N - 2 } }, .writes = { c })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		if (!way && i == 6)
			C(i, 2, 2) = 4; /* plane-changed */
	}
	MPI_Sendrecv(out[0], 2 * K * K, MPI_DOUBLE, before, 1, &C(hi + 1, 0, 0), 2 * K * K, MPI_DOUBLE, behind, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(out[1], 2 * K * K, MPI_DOUBLE, behind, 2, c, 2 * K * K, MPI_DOUBLE, before, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	DVMDBG_HALO(c);
}

/* Between loops, a row at once. */
static void row_cleared(int way)
{
	double out[2][M];

	DVMDBG_HALO_START(a);
	memcpy(out[0], &A(lo, 0), sizeof(out[0]));
	memcpy(out[1], &A(hi, 0), sizeof(out[1]));
	if (lo <= 7 && hi >= 7)
		memset(&A(7 - way, 0), 0, sizeof(out[0])); /* row-cleared */
	MPI_Sendrecv(out[0], M, MPI_DOUBLE, before, 1, &A(hi + 1, 0), M, MPI_DOUBLE, behind, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(out[1], M, MPI_DOUBLE, behind, 2, a, M, MPI_DOUBLE, before, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	DVMDBG_HALO(a);
}

/* Of two that are renewed together one is complete. */
static void too_early(int way)
{
	DVMDBG_HALO_START(u);
	DVMDBG_HALO_START(v);
	renew_line(way ? v : u);
	LINE(v, .writes = { v })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		V(i) = 3; /* too-early */
	}
	renew_line(way ? u : v);
}

/* ---- buffers with what is of other ranks ---- */

static void second_load(int way)
{
	double *w = calloc(N, sizeof(*w));

	for (int step = 0; step < 2; step++) {
		DVMDBG_REMOTE(w, N);
		for (int i = 0; i < N - (step && !way ? 4 : 0); i++)
			w[i] = i + step;
		LINE(u, .writes = { u })
		for (long i = from; i <= to; i++) {
			DVMDBG_PL_ITERATION(i);
			U(i) = w[N - 1 - i]; /* second-load */
		}
	}
	free(w);
}

static void broadcast(int way)
{
	static double w[4][K];

	DVMDBG_REMOTE(w, 4);
	for (int i = 0; !rank && i < 4 * K - 2 + 2 * way; i++)
		w[i / K][i % K] = i;
	MPI_Bcast(w, 4 * K - 2 + 2 * way, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	LINE(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		U(i) = w[i % 4][K - 1]; /* broadcast */
	}
}

static void overwritten(int way)
{
	double *w = calloc(N, sizeof(*w)), mine[N];

	DVMDBG_REMOTE(w, N);
	for (int i = 0; i < N; i++)
		w[i] = i;
	LINE(u, .writes = { u })
	for (long i = from; i <= to; i++) {
		DVMDBG_PL_ITERATION(i);
		memcpy(way ? mine : w + 4, w, 3 * sizeof(*w)); /* overwritten */
		U(i) = way ? mine[2] : w[2];
	}
	free(w);
}

/* By MPI_Get of the first one of each rank, or all but the last. */
static void fetched(int way)
{
	double *w = calloc((size_t)size + 1, sizeof(*w));
	MPI_Win window = MPI_WIN_NULL;

	DVMDBG_REMOTE(w, size);
	if (size > 1) {
		MPI_Win_create(&V(lo), sizeof(*v), sizeof(*v), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
		MPI_Win_fence(0, window);
		for (int r = 0; r < size - !way; r++)
			MPI_Get(&w[r], 1, MPI_DOUBLE, r, 0, 1, MPI_DOUBLE, window);
		MPI_Win_fence(0, window);
	} else if (way) {
		w[0] = V(lo);
	}
	ROWS(a, .writes = { a })
	EACH_ROW(i, j) {
		DVMDBG_PL_ITERATION(i, j);
		A(i, j) = w[j == 3 ? size - 1 : 0]; /* fetched */
	}
	if (size > 1)
		MPI_Win_free(&window);
	free(w);
}

/* ---- tasks ---- */

/* Of three the last one needs both. */
static void three_tasks(int way)
{
	DVMDBG_TR(.range = { { 1, 3 } }, .writes = { u })
	{
		DVMDBG_TASK(1)
		U(lo) = 1;
		DVMDBG_TASK(2)
		U(lo + 1) = 2;
		if (way)
			DVMDBG_AFTER(1);
		DVMDBG_AFTER(2);
		DVMDBG_TASK(3)
		U(lo + 2) = U(lo + 1) + U(lo); /* three-tasks */
	}
}

/* Each after the one before: the last one is after the first. */
static void chain(int way)
{
	DVMDBG_TR(.range = { { 1, 3 } }, .writes = { v })
	{
		DVMDBG_TASK(1)
		V(lo) = 1;
		if (way)
			DVMDBG_AFTER(1);
		DVMDBG_TASK(2)
		V(lo + 1) = 2;
		DVMDBG_AFTER(2);
		DVMDBG_TASK(3)
		V(lo + 2) = V(lo); /* chain */
	}
}

/* With a loop in each. */
static void loops_in_tasks(int way)
{
	DVMDBG_TR(.range = { { 1, 2 } }, .writes = { a })
	for (int k = 1; k <= 2; k++) {
		if (way && k > 1)
			DVMDBG_AFTER(1);
		DVMDBG_TASK(k)
		{
			DVMDBG_PL(.on = a, .range = { { 0, N - 1 } }, .writes = { a })
			for (long i = lo; i <= hi; i++) {
				DVMDBG_PL_ITERATION(i);
				A(i, k) = A(i, 1) + k; /* loops-in-tasks */
			}
		}
	}
}

static void same_part(int way)
{
	DVMDBG_TR(.range = { { 1, 4 } }, .writes = { u })
	for (int k = 0; k < 4; k++)
		DVMDBG_TASK(k + 1)
		for (int j = 0; j < K; j++)
			C(lo, way ? k : k / 2, j) = k; /* same-part */
}

static void scratch(int way)
{
	double *w = calloc(4, sizeof(*w));

	DVMDBG_TR(.range = { { 1, 2 } }, .writes = { u })
	for (int k = 0; k < 2; k++)
		DVMDBG_TASK(k + 1)
		{
			if (way)
				w[1] = 0;
			w[1] += U(lo + k); /* scratch */
		}
	free(w);
}

/* In a block that nobody registered. */
static void handed_on(int way)
{
	double *w = calloc(4, sizeof(*w));

	DVMDBG_TR(.range = { { 1, 2 } }, .writes = { u })
	for (int k = 0; k < 2; k++) {
		if (k && way)
			DVMDBG_AFTER(1);
		DVMDBG_TASK(k + 1)
		{
			if (!k)
				w[1] = U(lo);
			else
				U(lo + k) = w[1]; /* handed-on */
		}
	}
	free(w);
}

const struct shape_case shapes_when[] = {
	{ "in-flight", in_flight },
	{ "third-part", third_part },
	{ "reset", reset },
	{ "other-one", other_one },
	{ "stored", stored },
	{ "structures", structures },
	{ "around", around },
	{ "one-of-two", one_of_two },
	{ "never", never },
	{ "swapped", swapped },
	{ "after-red", after_red },
	{ "packed", packed },
	{ "persistent", persistent },
	{ "put", put },
	{ "overlapped", overlapped },
	{ "plane-changed", plane_changed },
	{ "row-cleared", row_cleared },
	{ "too-early", too_early },
	{ "second-load", second_load },
	{ "broadcast", broadcast },
	{ "overwritten", overwritten },
	{ "fetched", fetched },
	{ "three-tasks", three_tasks },
	{ "chain", chain },
	{ "loops-in-tasks", loops_in_tasks },
	{ "same-part", same_part },
	{ "scratch", scratch },
	{ "handed-on", handed_on },
	{ NULL, NULL },
};
