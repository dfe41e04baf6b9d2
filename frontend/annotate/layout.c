/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layouts: pitches (pitches.c), own parts from what sweeps write. Whether the boxes
 * that a line writes on N ranks cover what it writes on one rank exactly once is the judge.
 */
#include "frontend/annotate/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

#define HALF 0.45 /* of a box that a loop goes over; over every second element: 0.5 */

/* The sweep of the same line over the part of another rank or run. */
static const struct sweep *sweep_like(const struct rank_seen *s, const struct sweep *like,
				      uint32_t region)
{
	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];

		if (w->region == region && w->line == like->line && w->file == like->file &&
		    w->write == like->write && w->size == like->size)
			return w;
	}
	return NULL;
}

struct box {
	int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS];
};

uint32_t grid_coordinate(uint32_t rank, unsigned ndim, const unsigned *grid,
			 const unsigned *order, unsigned d)
{
	uint32_t at = 0;

	for (unsigned k = ndim; k-- > 0;) {
		if (order[k] == d)
			at = rank % grid[d];
		rank /= grid[order[k]];
	}
	return at;
}

/*
 * Whether the boxes of ranks, in a grid, make up one box, whose extents are put to sum: along each
 * dimension the extents are those of the coordinate alone.
 */
static bool tile(const struct box *b, uint32_t ranks, unsigned ndim, const unsigned *grid,
		 const unsigned *order, int64_t *sum)
{
	for (unsigned d = 0; d < ndim; d++) {
		int64_t of[64];
		bool known[64] = { false };

		sum[d] = 0;
		if (grid[d] > 64)
			return false;
		for (uint32_t r = 0; r < ranks; r++) {
			uint32_t at = grid_coordinate(r, ndim, grid, order, d);

			if (known[at] && of[at] != b[r].n[d])
				return false;
			if (!known[at])
				sum[d] += b[r].n[d];
			known[at] = true;
			of[at] = b[r].n[d];
		}
	}
	return true;
}

struct grid {
	unsigned n[LAYOUT_DIMS], order[LAYOUT_DIMS];
};

/* All grids of `ranks` ranks in ndim dimensions, in both orders. Returns how many. */
static unsigned grids(uint32_t ranks, unsigned ndim, struct grid *out, unsigned max)
{
	unsigned n = 0, f[LAYOUT_DIMS] = { 1, 1, 1, 1 };

	for (f[0] = 1; f[0] <= ranks; f[0]++) {
		for (f[1] = 1; f[1] <= (ndim > 1 ? ranks : 1); f[1]++) {
			for (f[2] = 1; f[2] <= (ndim > 2 ? ranks : 1); f[2]++) {
				unsigned big = 0;

				if (f[0] * f[1] * f[2] != ranks)
					continue;
				for (unsigned d = 0; d < ndim; d++)
					big += f[d] > 1;
				for (unsigned back = 0; back <= (big > 1) && n < max; back++, n++) {
					memcpy(out[n].n, f, sizeof(f));
					for (unsigned d = 0; d < ndim; d++)
						out[n].order[d] = back ? ndim - 1 - d : d;
				}
			}
		}
	}
	return n;
}

const struct training *training_reference(const struct guesses *g, const struct training *t,
					  uint32_t *which)
{
	const struct training *least = NULL;

	for (uint32_t i = 0; i < g->ntraining; i++) {
		const struct training *x = &g->training[i];

		if (x->size != t->size || (least && x->ranks >= least->ranks))
			continue;
		least = x;
		if (which)
			*which = i;
	}
	return least;
}

/* The box of a line's sweep on each rank of a run; false: one has none. */
static bool boxes_of(const struct guesses *g, const struct array_guess *a, uint32_t run,
		     const struct sweep *like, struct box *out)
{
	const struct training *t = &g->training[run];

	for (uint32_t r = 0; r < t->ranks; r++) {
		const struct part *p = &a->run[run].part[r];
		const struct sweep *w = sweep_like(&t->rank[r], like, p->region);
		double fill;

		if (!w || !sweep_box(w, p, a->ndim, a->unit, out[r].lo, out[r].n, &fill) ||
		    fill < HALF)
			return false;
	}
	return true;
}

static void join(struct box *b, const struct box *o, unsigned ndim, bool first)
{
	for (unsigned d = 0; d < ndim; d++) {
		int64_t hi = b->lo[d] + b->n[d], ohi = o->lo[d] + o->n[d];

		if (first) {
			*b = *o;
			return;
		}
		if (o->lo[d] < b->lo[d])
			b->lo[d] = o->lo[d];
		b->n[d] = (hi > ohi ? hi : ohi) - b->lo[d];
	}
}

static void place(struct array_guess *a, const struct guesses *g, uint32_t run, const struct box *b,
		  const struct grid *grid, const int64_t *whole)
{
	struct array_run *x = &a->run[run];
	uint32_t ranks = g->training[run].ranks;

	memcpy(x->grid, grid->n, sizeof(x->grid));
	memcpy(x->order, grid->order, sizeof(x->order));
	for (unsigned d = 0; d < a->ndim; d++) {
		int64_t of[64] = { 0 };

		x->shape[d] = whole[d];
		for (uint32_t r = 0; r < ranks; r++)
			of[grid_coordinate(r, a->ndim, grid->n, grid->order, d)] = b[r].n[d];
		for (uint32_t r = 0; r < ranks; r++) {
			uint32_t at = grid_coordinate(r, a->ndim, grid->n, grid->order, d);
			struct part *p = &x->part[r];

			p->own_lo[d] = b[r].lo[d];
			p->own_n[d] = b[r].n[d];
			p->first[d] = 0;
			for (uint32_t i = 0; i < at; i++)
				p->first[d] += of[i];
		}
	}
}

#define THIN 3 /* planes of a halo, at most */
#define ROUNDED 1e-6 /* what reductions may differ by, relatively */

static bool is_near(const char *a, const char *b)
{
	double x, y, most;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	most = (x < 0 ? -x : x) + (y < 0 ? -y : y);
	return (x < y ? y - x : x - y) <= ROUNDED * most && x == x && y == y;
}

/* An element of a part and one of the run on one rank had the same value first; -1: unknown. */
static int same_value(const struct region *m, uint64_t at, const struct region *whole, uint64_t to,
		      unsigned unit)
{
	at *= unit;
	to *= unit;
	if (at + unit > m->bytes || !(m->valued[at / 64] >> at % 64 & 1))
		return -1;
	return to + unit <= whole->bytes &&
	       (!memcmp((const char *)m->value + at, (const char *)whole->value + to, unit) ||
		(unit == 8 &&
		 is_near((const char *)m->value + at, (const char *)whole->value + to)));
}

/* The rank of a run whose own part has the element, and where in its memory; NULL: no rank's. */
static const struct region *element_in(const struct guesses *g, const struct array_guess *a,
				       uint32_t run, const int64_t *index, uint64_t *at)
{
	for (uint32_t r = 0; r < g->training[run].ranks; r++) {
		const struct part *p = &a->run[run].part[r];
		bool inside = true;

		*at = 0;
		for (unsigned d = 0; d < a->ndim; d++) {
			int64_t i = index[d] - p->first[d];

			inside = inside && i >= 0 && i < p->own_n[d];
			*at += (uint64_t)((p->own_lo[d] + i) * p->pitch[d]);
		}
		if (inside)
			return &g->training[run].rank[r].region[p->region];
	}
	return NULL;
}

static int64_t row_of(const struct guesses *g, uint32_t run, uint32_t rank, int64_t block,
		      int64_t own)
{
	return (own / block * g->training[run].ranks + rank) * block + own % block;
}

int64_t guesses_index(const struct guesses *g, const struct array_guess *a, uint32_t run,
		      uint32_t rank, unsigned d, int64_t own)
{
	return a->cyclic && !d ? row_of(g, run, rank, a->run[run].block, own) :
				 a->run[run].part[rank].first[d] + own;
}

/* Adds the elements of a rank that are known, and those that are the same in the reference run. */
static void agreeing_on(const struct guesses *g, const struct array_guess *a, uint32_t run,
			uint32_t rank, uint32_t ref, int64_t block, uint64_t *same, uint64_t *all)
{
	const struct part *p = &a->run[run].part[rank];
	const struct region *m = &g->training[run].rank[rank].region[p->region], *o;
	int64_t i[LAYOUT_DIMS] = { 0 }, index[LAYOUT_DIMS];
	uint64_t to;
	unsigned d;

	do {
		int64_t at = 0;
		int is;

		for (d = 0; d < a->ndim; d++) {
			index[d] = block && !d ? row_of(g, run, rank, block, i[d]) :
						 p->first[d] + i[d];
			at += (p->own_lo[d] + i[d]) * p->pitch[d];
		}
		o = element_in(g, a, ref, index, &to);
		is = o && !o->value ? -1 : o ? same_value(m, (uint64_t)at, o, to, a->unit) : 0;
		*all += is >= 0;
		*same += is > 0;
		for (d = a->ndim; d-- > 0;) {
			if (++i[d] < p->own_n[d])
				break;
			i[d] = 0;
		}
	} while (d != UINT32_MAX);
}

double guesses_agree(const struct guesses *g, const struct array_guess *a, uint32_t run,
		     uint32_t ref, int64_t block)
{
	uint64_t same = 0, all = 0;

	for (uint32_t r = 0; r < g->training[run].ranks; r++)
		if (g->training[run].rank[r].region[a->run[run].part[r].region].value)
			agreeing_on(g, a, run, r, ref, block, &same, &all);
	return all ? (double)same / (double)all : 0.5;
}

#define ONE_RANK 0.65 /* of a rank's values; of two blocks in turn one is where it would be */
#define LEAST_SAME 16 /* of them */

/* As GUESSES_AGREE; or one rank has nearly the values of its part, and a fault others on the rest,
 * as what begins with the number of the rank. Rows that go round the ranks are never so on one. */
bool guesses_fit(const struct guesses *g, const struct array_guess *a, uint32_t run, uint32_t ref)
{
	if (guesses_agree(g, a, run, ref, 0) >= GUESSES_AGREE)
		return true;
	for (uint32_t r = 0; r < g->training[run].ranks; r++) {
		uint64_t same = 0, all = 0;

		if (g->training[run].rank[r].region[a->run[run].part[r].region].value)
			agreeing_on(g, a, run, r, ref, 0, &same, &all);
		if (same >= LEAST_SAME && (double)same >= ONE_RANK * (double)all)
			return true;
	}
	return false;
}

#define LARGEST_BLOCK 64
#define LARGEST_DENSE 20000 /* elements of an array of which all rows are tried */

/* Rows of a block, of an array that is distributed cyclically; dense rows may be seen as one
 * dimension. 0: it is not. */
static int64_t block_of(const struct guesses *g, const struct array_guess *a, uint32_t run,
			uint32_t ref)
{
	int64_t all = a->run[ref].shape[0];

	for (int64_t block = 1; block <= LARGEST_BLOCK; block++)
		if (guesses_agree(g, a, run, ref, block) >= 1 - 1e-9)
			return block;
	for (int64_t row = 2; a->ndim == 1 && all <= LARGEST_DENSE && row <= all / 2; row++)
		for (int64_t n = 1; all % row == 0 && n <= LARGEST_BLOCK && n * row <= all / 2; n++)
			if (n * row > LARGEST_BLOCK &&
			    guesses_agree(g, a, run, ref, n * row) >= 1 - 1e-9)
				return n * row;
	return 0;
}

/* Where tiles are follows from their sizes only when there is one on each rank: values decide. */
static bool in_order(const struct guesses *g, struct array_guess *a, uint32_t run, uint32_t ref)
{
	uint32_t alone = g->training[ref].ranks;
	double right = guesses_agree(g, a, run, ref, 0);

	/* of a few values, as bytes have, many agree by chance */
	if (right < 1 - 1e-9 && alone == 1 && a->run[run].grid[0] == g->training[run].ranks)
		a->run[run].block = a->run[ref].block = block_of(g, a, run, ref);
	if (a->run[run].block) {
		a->cyclic = true;
		return true;
	}
	if (guesses_fit(g, a, run, ref))
		return true;
	snprintf(
		a->why_not, sizeof(a->why_not),
		"what %u ranks write into it first is at other places in the run on %s, or nowhere",
		g->training[run].ranks, alone == 1 ? "one rank" : "fewer");
	a->misplaced = true;
	return false;
}

/* The own parts of the ranks of a run in a grid. */
struct parts {
	uint32_t run;
	struct grid grid;
	struct box *own, *now; /* owned; by rank */
};

static struct parts parts_of(const struct guesses *g, uint32_t run, const struct grid *grid)
{
	uint32_t n = g->training[run].ranks;

	return (struct parts){ .run = run,
			       .grid = *grid,
			       .own = xcalloc(n, sizeof(struct box)),
			       .now = xcalloc(n, sizeof(struct box)) };
}

static bool parts_tile(const struct guesses *g, const struct array_guess *a, const struct parts *p,
		       const struct box *b, int64_t *whole)
{
	return tile(b, g->training[p->run].ranks, a->ndim, p->grid.n, p->grid.order, whole);
}

static void parts_join(const struct guesses *g, const struct array_guess *a, struct parts *p,
		       bool first)
{
	for (uint32_t r = 0; r < g->training[p->run].ranks; r++)
		join(&p->own[r], &p->now[r], a->ndim, first);
}

/* A few planes of what a rank stores. */
static bool is_thin(const struct array_guess *a, const struct part *p, const struct box *b)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (b->n[d] <= THIN && p->stored[d] > 2 * THIN)
			return true;
	return false;
}

/* All ranks come to the line in all runs of the size: walls are no own parts, of which a rank may
 * have none when there are more. */
static bool all_write(const struct guesses *g, const struct array_guess *a, uint32_t run,
		      const struct sweep *s, uint32_t most)
{
	struct box *b = xcalloc(most, sizeof(*b));
	bool all = true;

	for (uint32_t k = 0; k < g->ntraining && all; k++)
		all = g->training[k].size != g->training[run].size || boxes_of(g, a, k, s, b);
	free(b);
	return all;
}

static uint32_t most_ranks(const struct guesses *g)
{
	uint32_t most = 1;

	for (uint32_t k = 0; k < g->ntraining; k++)
		most = g->training[k].ranks > most ? g->training[k].ranks : most;
	return most;
}

/*
 * Own parts in two runs, in a grid each: all that lines write whose boxes make up the same box in
 * both. False: no line's do, or not all together.
 */
static bool parts_find(const struct guesses *g, const struct array_guess *a, struct parts *p,
		       struct parts *q, int64_t *whole)
{
	const struct rank_seen *first = &g->training[p->run].rank[0];
	size_t size = a->ndim * sizeof(*whole);
	int64_t other[LAYOUT_DIMS];
	uint32_t most = most_ranks(g);
	bool any = false;

	for (uint32_t i = 0; i < first->nsweep; i++) {
		const struct sweep *s = &first->sweep[i];

		if (s->region != a->run[p->run].part[0].region || !s->write || s->size != a->unit ||
		    !boxes_of(g, a, p->run, s, p->now) || !boxes_of(g, a, q->run, s, q->now) ||
		    !parts_tile(g, a, p, p->now, whole) || !parts_tile(g, a, q, q->now, other) ||
		    memcmp(whole, other, size) != 0 || !all_write(g, a, p->run, s, most))
			continue;
		/* halos that statements fill from messages, also those of one rank to itself */
		if (sweep_unpacks(first, s) && is_thin(a, &a->run[p->run].part[0], &p->now[0]))
			continue;
		parts_join(g, a, p, !any);
		parts_join(g, a, q, !any);
		any = true;
	}
	return any && parts_tile(g, a, p, p->own, whole) && parts_tile(g, a, q, q->own, other) &&
	       !memcmp(whole, other, size);
}

/* They are put into the array when they are known: how well values agree, -1: unknown. */
static double parts_try(const struct guesses *g, struct array_guess *a, uint32_t run,
			const struct grid *grid, uint32_t ref, const struct grid *of_ref)
{
	struct parts p = parts_of(g, run, grid), q = parts_of(g, ref, of_ref);
	int64_t whole[LAYOUT_DIMS];
	double right = -1;

	if (parts_find(g, a, &p, &q, whole)) {
		place(a, g, run, p.own, grid, whole);
		place(a, g, ref, q.own, of_ref, whole);
		right = guesses_agree(g, a, run, ref, 0);
	}
	free(p.own);
	free(p.now);
	free(q.own);
	free(q.now);
	return right;
}

#define GRIDS 64

/*
 * Own parts of a run, with the reference run in a grid: of the grids of the run in which they make
 * up the whole, the one that values agree with best. Returns how well; -1: nothing that is written
 * does. *unsure: another does as well.
 */
static double own_parts(const struct guesses *g, struct array_guess *a, uint32_t run, uint32_t ref,
			const struct grid *of_ref, bool *unsure)
{
	struct grid grid[GRIDS];
	unsigned n = grids(g->training[run].ranks, a->ndim, grid, GRIDS), best = n;
	double right = -1;

	for (unsigned k = 0; k < n && right < 1; k++) {
		double now = parts_try(g, a, run, &grid[k], ref, of_ref);

		if (now >= 0 && now == right &&
		    memcmp(grid[k].n, grid[best].n, sizeof(grid[k].n)) != 0)
			*unsure = true;
		if (now <= right)
			continue;
		*unsure = false;
		right = now;
		best = k;
	}
	if (best < n)
		parts_try(g, a, run, &grid[best], ref, of_ref);
	return right;
}

/* The same for all runs of a size, with its reference in a grid: the sum of how well; -1: not in
 * all of them. */
static double parts_of_size(const struct guesses *g, struct array_guess *a, uint32_t ref,
			    const struct grid *of_ref, uint32_t *bad, bool *unsure)
{
	double all = 0;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		double now;

		if (k == ref || g->training[k].size != g->training[ref].size)
			continue;
		now = own_parts(g, a, k, ref, of_ref, unsure);
		if (now < 0) {
			*bad = k;
			return -1;
		}
		all += now;
	}
	return all;
}

static bool dimensions_of_run(const struct training *t, struct array_guess *a, struct part *parts,
			      unsigned max, unsigned *least)
{
	unsigned *n = xcalloc(2 * t->ranks, sizeof(*n)), *unit = n + t->ranks;
	bool same = true;

	sweep_pitches(t, parts, max, n, unit);
	for (uint32_t r = 0; r < t->ranks && same; r++) {
		*least = n[r] < *least ? n[r] : *least;
		a->ndim = *least;
		a->unit = a->unit ? a->unit : unit[r];
		same = unit[r] == a->unit;
		if (!same)
			snprintf(a->why_not, sizeof(a->why_not),
				 "its elements have %u bytes on rank %u of %u, elsewhere %u",
				 unit[r], r, t->ranks, a->unit);
	}
	free(n);
	return same;
}

/*
 * The dimensions that parts have on all ranks of all runs. Where a loop goes over whole rows these
 * are seen as one dimension: then they are everywhere, and loops that are nested may divide them
 * again.
 */
static bool dimensions(struct guesses *g, struct array_guess *a)
{
	unsigned max = LAYOUT_DIMS, least = LAYOUT_DIMS;

	for (int pass = 0; pass < 2; pass++, max = least) {
		for (uint32_t k = 0; k < g->ntraining; k++) {
			const struct training *t = &g->training[k];

			if (!dimensions_of_run(t, a, a->run[k].part, max, &least))
				return false;
		}
	}
	return true;
}

bool guesses_equally_large(const struct guesses *g, const struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t ref = 0;
		const struct training *s = training_reference(g, &g->training[k], &ref);

		for (uint32_t r = 0; r < g->training[k].ranks; r++)
			if (g->training[k].rank[r].region[a->run[k].part[r].region].bytes !=
			    s->rank[0].region[a->run[ref].part[0].region].bytes)
				return false;
	}
	return true;
}

/*
 * Own parts in the runs of a size. The run on fewest ranks is the reference: on one rank it has the
 * whole, else there are several grids that its ranks may be in.
 */
static bool own_parts_of_size(const struct guesses *g, struct array_guess *a, uint32_t ref)
{
	struct grid grid[GRIDS];
	unsigned n = grids(g->training[ref].ranks, a->ndim, grid, GRIDS), best = n;
	bool unsure = false, now_unsure;
	double right = -1;
	uint32_t bad = ref;

	for (unsigned k = 0; k < n; k++) {
		double now =
			parts_of_size(g, a, ref, &grid[k], &bad, (now_unsure = false, &now_unsure));

		if (now < 0 || now < right)
			continue;
		unsure = now_unsure || now == right;
		right = now;
		best = k;
	}
	if (best == n) {
		snprintf(a->why_not, sizeof(a->why_not),
			 "no line writes parts on %u ranks that make up what it writes on %s",
			 g->training[bad].ranks, g->training[ref].ranks == 1 ? "one" : "fewer");
		guesses_lacking(g, a, bad, ref);
		return false;
	}
	parts_of_size(g, a, ref, &grid[best], &bad, &now_unsure);
	if (g->training[ref].ranks > 1 && unsure) {
		snprintf(a->why_not, sizeof(a->why_not),
			 "no run on one rank shows the whole of it, and its parts fit together in "
			 "more than "
			 "one way: run with a size that does not divide, --other ARGS");
		return false;
	}
	return true;
}

/* In all runs, in blocks that are of one size for one set of arguments, and without a halo. */
static bool is_cyclic(const struct guesses *g, struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t ref = k;

		training_reference(g, &g->training[k], &ref);
		if (!a->run[k].block || a->run[k].block != a->run[ref].block) {
			snprintf(a->why_not, sizeof(a->why_not),
				 "its rows are distributed in turn in some runs, and in others "
				 "otherwise");
			return false;
		}
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			if (!a->run[k].part[r].own_lo[0])
				continue;
			snprintf(a->why_not, sizeof(a->why_not),
				 "its rows are distributed in turn, in blocks of %d, and there are "
				 "others "
				 "beside them: mark it by hand, with .step and .block",
				 (int)a->run[k].block);
			return false;
		}
	}
	return true;
}

/* Own parts in all runs. */
static bool all_parts(const struct guesses *g, struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t ref = k;

		training_reference(g, &g->training[k], &ref);
		if (ref == k && !own_parts_of_size(g, a, ref))
			return false;
	}
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t ref = k;

		training_reference(g, &g->training[k], &ref);
		if (ref != k && !in_order(g, a, k, ref))
			return false;
	}
	return !a->cyclic || is_cyclic(g, a);
}

#define NEAR_OWN \
	8 /* elements beside an own part that a rank may touch of an array that it has whole */

/* Ranks that have room for all of it use their own part, and what is near. */
static bool uses_own(const struct guesses *g, const struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			int64_t lo[LAYOUT_DIMS], hi[LAYOUT_DIMS];

			part_used(&g->training[k].rank[r], p, a, lo, hi);
			for (unsigned d = 0; d < a->ndim; d++)
				if (p->own_lo[d] - lo[d] > NEAR_OWN ||
				    hi[d] - p->own_lo[d] - p->own_n[d] > NEAR_OWN)
					return false;
		}
	}
	return true;
}

/*
 * Arrays that are as large on each rank as the largest run needs: parts lie at the same place in
 * them on all ranks, but for what loops spare at the border, where in an array that each rank has
 * whole they lie where they are in the whole.
 */
static bool is_local(const struct guesses *g, const struct array_guess *a)
{
	bool local = false;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		const struct part *first = &a->run[k].part[0];

		for (uint32_t r = 1; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];

			for (unsigned d = 0; d < a->ndim; d++) {
				int64_t by = p->own_lo[d] - first->own_lo[d],
					of = p->first[d] - first->first[d];

				if (by > NEAR_OWN || by < -NEAR_OWN || (of && by == of))
					return false;
				local = local || of;
			}
		}
	}
	return local;
}

/* Own parts are compared with what fewer ranks have. */
static bool all_have_reference(const struct guesses *g)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t others = 0;

		for (uint32_t i = 0; i < g->ntraining; i++)
			others += g->training[i].size == g->training[k].size;
		if (others < 2)
			return false;
	}
	return true;
}

static void guess(struct guesses *g, struct array_guess *a, const struct region *like)
{
	a->run = xcalloc(g->ntraining, sizeof(*a->run));
	a->nrun = g->ntraining;
	for (uint32_t k = 0; k < g->ntraining; k++)
		a->run[k].part = xcalloc(g->training[k].ranks, sizeof(struct part));
	if (like->stack) {
		a->stack = true;
		snprintf(a->why_not, sizeof(a->why_not), "it is a stack");
		return;
	}
	if (!all_have_reference(g)) {
		snprintf(a->why_not, sizeof(a->why_not),
			 "the program runs on one number of ranks only: nothing shows how it is "
			 "divided");
		return;
	}
	for (uint32_t k = 0; k < g->ntraining; k++)
		if (!guesses_regions(&g->training[k], a, &a->run[k], like))
			return;
	a->everywhere = true;
	if (!dimensions(g, a))
		return;
	if (guesses_equally_large(g, a)) {
		a->full = all_parts(g, a) && uses_own(g, a);
		a->tiles = a->full;
		a->replicated = !a->full;
		a->room = a->full && is_local(g, a);
		a->full = a->full && !a->room;
		*a->why_not = 0;
		return;
	}
	a->tiles = all_parts(g, a);
}

#define MANY_ROWS 8 /* allocations of a line, from which on they may be rows */

/* How many variables or allocations of that name or place a rank has. */
static uint32_t how_many(const struct rank_seen *s, const struct region *like)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nregion; i++) {
		const struct region *r = &s->region[i];

		n += !r->name && !like->name && r->line == like->line && r->file == like->file;
	}
	return n;
}

/* Bytes that ranks use of what all of them have as much of: the least and the most in a run. */
static bool is_used_alike(const struct guesses *g, const struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		const struct training *t = &g->training[k];
		uint64_t first = region_used(&t->rank[0], a->run[k].part[0].region);

		for (uint32_t r = 1; r < t->ranks; r++)
			if (region_used(&t->rank[r], a->run[k].part[r].region) != first)
				return false;
	}
	return true;
}

/* What is known of an array that is left out, where it says more than why it has no layout. */
static void not_understood(const struct guesses *g, struct array_guess *a,
			   const struct region *like)
{
	uint32_t here = how_many(&g->training[0].rank[0], like);

	a->listed = true;
	for (uint32_t k = 0; k < g->ntraining && !like->name; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			uint32_t now = how_many(&g->training[k].rank[r], like);

			if (now == here)
				continue;
			snprintf(a->why_not, sizeof(a->why_not),
				 "its line allocates %u on rank 0 of %u, and %u on rank %u of %u: "
				 "lists of patches, %s",
				 here, g->training[0].ranks, now, r, g->training[k].ranks,
				 here < MANY_ROWS ?
					 "rows or blocks are not understood" :
					 "and rows of which no table has the addresses, are not "
					 "understood: allocate all rows of an array at once");
			return;
		}
	}
	if (a->everywhere && (a->replicated || guesses_equally_large(g, a)) && !is_used_alike(g, a))
		snprintf(a->why_not, sizeof(a->why_not),
			 "each rank has as much room for it, and uses another number of elements: "
			 "lists of "
			 "particles and the like are not understood");
	else
		a->listed = false;
}

void guesses_fold(struct guesses *g, uint32_t array, const int64_t *row)
{
	struct array_guess *a = &g->array[array];
	bool several = false;

	if (a->ndim == LAYOUT_DIMS || a->replicated || !a->tiles)
		return;
	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			unsigned d = a->ndim - 1;

			if ((a->cyclic && !d && a->run[k].block % row[k]) || row[k] < 2 ||
			    p->own_lo[d] % row[k] || p->own_n[d] % row[k] || p->first[d] % row[k] ||
			    (d && p->pitch[d - 1] % row[k]))
				return;
			several = several || p->stored[d] > row[k];
		}
	if (!several)
		return;
	for (uint32_t k = 0; k < g->ntraining; k++) {
		struct array_run *x = &a->run[k];
		unsigned d = a->ndim - 1;

		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			struct part *p = &x->part[r];

			p->pitch[d] = row[k];
			p->pitch[d + 1] = 1;
			p->stored[d] /= row[k];
			p->stored[d + 1] = row[k];
			p->own_lo[d] /= row[k];
			p->own_n[d] /= row[k];
			p->first[d] /= row[k];
			p->own_lo[d + 1] = p->first[d + 1] = 0;
			p->own_n[d + 1] = row[k];
		}
		if (a->cyclic && !d)
			x->block /= row[k];
		x->shape[d] /= row[k];
		x->shape[d + 1] = row[k];
		x->grid[d + 1] = 1;
		x->order[d + 1] = d + 1;
	}
	a->ndim++;
}

void guesses_make(struct guesses *g, const struct training *t, uint32_t n)
{
	const struct rank_seen *s = &t[0].rank[0];

	*g = (struct guesses){ .training = t, .ntraining = n };
	for (uint32_t i = 0; i < s->nregion; i++) {
		const struct region *r = &s->region[i];
		struct array_guess *a = xvec_add(g->array, g->narray);

		a->name = r->name;
		a->file = r->file;
		a->func = r->func;
		a->line = r->line;
		a->nth = r->nth;
		guess(g, a, r);
		if ((*a->why_not || a->replicated) && !a->stack)
			not_understood(g, a, r);
	}
	guesses_misplaced(g);
}

void guesses_clear(struct guesses *g)
{
	for (uint32_t i = 0; i < g->narray; i++) {
		for (uint32_t k = 0; g->array[i].run && k < g->ntraining; k++)
			free(g->array[i].run[k].part);
		free(g->array[i].run);
	}
	free(g->array);
}
