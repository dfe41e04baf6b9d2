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

static uint32_t region_like(const struct rank_seen *s, const struct region *like)
{
	for (uint32_t i = 0; i < s->nregion; i++) {
		const struct region *r = &s->region[i];

		if (like->name ? r->name && !strcmp(r->name, like->name) :
				 !r->name && r->line == like->line && r->nth == like->nth &&
					 r->file == like->file)
			return i;
	}
	return UINT32_MAX;
}

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

/*
 * Whether the boxes of ranks, in a grid, cover `whole` once: along each dimension the extents are
 * those of the coordinate alone, and add up.
 */
static bool tile(const struct box *b, uint32_t ranks, const struct box *whole, unsigned ndim,
		 const unsigned *grid, const unsigned *order)
{
	for (unsigned d = 0; d < ndim; d++) {
		int64_t sum = 0, of[64];
		bool known[64] = { false };

		if (grid[d] > 64)
			return false;
		for (uint32_t r = 0; r < ranks; r++) {
			uint32_t rest = r, at = 0;

			for (unsigned k = ndim; k-- > 0;) {
				if (order[k] == d)
					at = rest % grid[d];
				rest /= grid[order[k]];
			}
			if (known[at] && of[at] != b[r].n[d])
				return false;
			if (!known[at])
				sum += b[r].n[d];
			known[at] = true;
			of[at] = b[r].n[d];
		}
		if (sum != whole->n[d])
			return false;
	}
	return true;
}

struct grid {
	unsigned n[LAYOUT_DIMS], order[LAYOUT_DIMS];
};
static const struct grid one_rank = { { 1, 1, 1, 1 }, { 0, 1, 2, 3 } };

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

const struct training *training_alone(const struct guesses *g, const struct training *t,
				      uint32_t *which)
{
	for (uint32_t i = 0; i < g->ntraining; i++) {
		if (g->training[i].ranks == 1 && g->training[i].size == t->size) {
			if (which)
				*which = i;
			return &g->training[i];
		}
	}
	return NULL;
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
		  const struct grid *grid, const struct box *whole)
{
	struct array_run *x = &a->run[run];
	uint32_t ranks = g->training[run].ranks;

	memcpy(x->grid, grid->n, sizeof(x->grid));
	memcpy(x->order, grid->order, sizeof(x->order));
	for (unsigned d = 0; d < a->ndim; d++) {
		int64_t of[64] = { 0 };
		uint32_t where[64];

		x->shape[d] = whole->n[d];
		for (int pass = 0; pass < 2; pass++) {
			for (uint32_t r = 0; r < ranks; r++) {
				uint32_t rest = r, at = 0;
				struct part *p = &x->part[r];

				for (unsigned k = a->ndim; k-- > 0;) {
					if (grid->order[k] == d)
						at = rest % grid->n[d];
					rest /= grid->n[grid->order[k]];
				}
				where[at] = r;
				of[at] = b[r].n[d];
				p->own_lo[d] = b[r].lo[d];
				p->own_n[d] = b[r].n[d];
				p->first[d] = 0;
				for (uint32_t i = 0; pass && i < at; i++)
					p->first[d] += of[i];
			}
		}
		(void)where;
	}
}

#define ROUNDED 1e-6 /* what reductions may differ by, relatively */

static bool is_near(const char *a, const char *b)
{
	double x, y, most;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	most = (x < 0 ? -x : x) + (y < 0 ? -y : y);
	return (x < y ? y - x : x - y) <= ROUNDED * most && x == x && y == y;
}

/* An element of a part and one of the run on one rank had the same value first; -1: it is not known. */
static int same_value(const struct region *m, uint64_t at, const struct region *whole, uint64_t to,
		      unsigned unit)
{
	at *= unit;
	to *= unit;
	if (unit < 4 || at + unit > m->bytes || !(m->valued[at / 256] >> at / 4 % 64 & 1))
		return -1;
	return to + unit <= whole->bytes &&
	       (!memcmp((const char *)m->value + at, (const char *)whole->value + to, unit) ||
		(unit == 8 && is_near((const char *)m->value + at, (const char *)whole->value + to)));
}

/*
 * The share of values that were written first and agree with those of the run on one rank. block: rows
 * are distributed in blocks of so many in turn; 0: each rank has one block. 0.5: nothing is known.
 */
static double agreeing(const struct guesses *g, const struct array_guess *a, uint32_t run, uint32_t one,
		       int64_t block)
{
	const struct training *t = &g->training[run];
	const struct part *q = &a->run[one].part[0];
	const struct region *whole = &g->training[one].rank[0].region[q->region];
	uint64_t same = 0, all = 0;

	for (uint32_t r = 0; r < t->ranks && whole->value; r++) {
		const struct part *p = &a->run[run].part[r];
		const struct region *m = &t->rank[r].region[p->region];
		int64_t i[LAYOUT_DIMS] = { 0 };
		unsigned d;

		if (!m->value)
			continue;
		do {
			int64_t at = 0, to = 0;
			int is;

			for (d = 0; d < a->ndim; d++) {
				int64_t row = p->first[d] + i[d];

				if (block && !d)
					row = (i[d] / block * t->ranks + r) * block + i[d] % block;
				at += (p->own_lo[d] + i[d]) * p->pitch[d];
				to += (q->own_lo[d] + row) * q->pitch[d];
			}
			is = same_value(m, (uint64_t)at, whole, (uint64_t)to, a->unit);
			all += is >= 0;
			same += is > 0;
			for (d = a->ndim; d-- > 0;) {
				if (++i[d] < p->own_n[d])
					break;
				i[d] = 0;
			}
		} while (d != UINT32_MAX);
	}
	return all ? (double)same / (double)all : 0.5;
}

#define AGREE 0.3      /* of what was written first; a fault on one of two ranks spares as much */
#define LARGEST_BLOCK 64

/* Where tiles lie follows from their sizes only when there is one on each rank: values decide. */
static bool in_order(const struct guesses *g, struct array_guess *a, uint32_t run, uint32_t one)
{
	if (agreeing(g, a, run, one, 0) >= AGREE)
		return true;
	for (int64_t block = 1; block <= LARGEST_BLOCK; block++) {
		if (agreeing(g, a, run, one, block) < 1 - 1e-9)
			continue;
		snprintf(a->why_not, sizeof(a->why_not),
			 "its rows are distributed in turn, in blocks of %d: mark it by hand, with .index "
			 "for its rows",
			 (int)block);
		return false;
	}
	snprintf(a->why_not, sizeof(a->why_not),
		 "what %u ranks write into it first is at other places in the run on one rank, or "
		 "nowhere",
		 g->training[run].ranks);
	return false;
}

/*
 * Own parts when ranks are in that grid: all that lines write whose boxes make up the box of the run on one
 * rank. False: no line's do, or not all together.
 */
static bool own_in_grid(const struct guesses *g, const struct array_guess *a, uint32_t run, uint32_t one,
			const struct grid *grid, struct box *own, struct box *whole)
{
	const struct training *t = &g->training[run];
	const struct rank_seen *first = &t->rank[0];
	struct box *b = xcalloc(t->ranks, sizeof(*b)), w;
	bool any = false;

	*whole = (struct box){ .n = { 0 } };
	for (uint32_t i = 0; i < first->nsweep; i++) {
		const struct sweep *s = &first->sweep[i];

		if (s->region != a->run[run].part[0].region || !s->write || s->size != a->unit ||
		    !boxes_of(g, a, run, s, b) || !boxes_of(g, a, one, s, &w) ||
		    !tile(b, t->ranks, &w, a->ndim, grid->n, grid->order))
			continue;
		join(whole, &w, a->ndim, !any);
		for (uint32_t r = 0; r < t->ranks; r++)
			join(&own[r], &b[r], a->ndim, !any);
		any = true;
	}
	free(b);
	return any && tile(own, t->ranks, whole, a->ndim, grid->n, grid->order);
}

static void put_parts(const struct guesses *g, struct array_guess *a, uint32_t run, uint32_t one,
		      const struct grid *grid, const struct box *own, const struct box *whole)
{
	place(a, g, run, own, grid, whole);
	place(a, g, one, whole, &one_rank, whole);
}

/*
 * Own parts in a run of several ranks, from the run of one: of the grids in which they make up the whole, the one
 * that values agree with best. False: nothing that is written does.
 */
static bool own_parts(struct guesses *g, struct array_guess *a, uint32_t run, uint32_t one)
{
	uint32_t ranks = g->training[run].ranks;
	struct grid grid[64];
	struct box *own = xcalloc(ranks, sizeof(*own)), whole;
	unsigned n = grids(ranks, a->ndim, grid, 64), best = n;
	double right = -1;

	for (unsigned k = 0; k < n && right < 1; k++) {
		double now;

		if (!own_in_grid(g, a, run, one, &grid[k], own, &whole))
			continue;
		put_parts(g, a, run, one, &grid[k], own, &whole);
		now = agreeing(g, a, run, one, 0);
		if (now > right) {
			right = now;
			best = k;
		}
	}
	if (best < n && own_in_grid(g, a, run, one, &grid[best], own, &whole))
		put_parts(g, a, run, one, &grid[best], own, &whole);
	free(own);
	return best < n;
}

/* From where to where, not included, a rank touches its part along a dimension. */
static void touched(const struct rank_seen *s, const struct part *p, const struct array_guess *a,
		    unsigned d, int64_t *from, int64_t *end)
{
	*from = p->own_lo[d];
	*end = p->own_lo[d] + p->own_n[d];
	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];
		int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS];
		double fill;

		if (w->region != p->region || w->size > a->unit ||
		    !sweep_box(w, p, a->ndim, a->unit, lo, n, &fill))
			continue;
		*from = lo[d] < *from ? lo[d] : *from;
		*end = lo[d] + n[d] > *end ? lo[d] + n[d] : *end;
	}
}

/* What is stored in front of the own part, or behind it. */
static int64_t beyond(const struct part *p, unsigned d, bool hi)
{
	return hi ? p->stored[d] - p->own_lo[d] - p->own_n[d] : p->own_lo[d];
}

/* The part has no neighbour on that side. */
static bool at_rim(const struct array_run *x, const struct part *p, unsigned d, bool hi)
{
	return hi ? p->first[d] + p->own_n[d] == x->shape[d] : !p->first[d];
}

/* What is allocated behind own parts, and how much of it is touched, of those with a neighbour there or without. */
struct behind {
	int64_t room, used; /* room: -1 none so far */
	bool same;
};

static void look_behind(const struct guesses *g, const struct array_guess *a, bool rim, struct behind *b)
{
	*b = (struct behind){ .room = -1, .same = true };
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			int64_t now = beyond(p, 0, true), from, end;

			if (at_rim(&a->run[k], p, 0, true) != rim)
				continue;
			touched(&g->training[k].rank[r], p, a, 0, &from, &end);
			end -= p->own_lo[0] + p->own_n[0];
			b->same = b->same && (b->room < 0 || b->room == now);
			b->room = now;
			b->used = end > b->used ? end : b->used;
		}
	}
}

/*
 * An allocation may be larger than what is used of it: then only what is touched is stored. What is as wide as
 * the halo in front, or as what is used, is a halo.
 */
static void cut_capacity(struct guesses *g, struct array_guess *a)
{
	struct behind inside, rim;
	int64_t used;

	look_behind(g, a, false, &inside);
	look_behind(g, a, true, &rim);
	if (inside.room < 0)
		inside = rim;
	if (inside.same && rim.same &&
	    (inside.room == inside.used || inside.room == a->halo_lo[0]))
		return;
	used = inside.used > rim.used ? inside.used : rim.used;
	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks; r++)
			if (beyond(&a->run[k].part[r], 0, true) < used)
				return;
	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			struct part *p = &a->run[k].part[r];

			p->stored[0] = p->own_lo[0] + p->own_n[0] + used;
		}
}

/* At the rim there is more: it belongs to the own part, as what no neighbour has. */
static void widen(struct guesses *g, struct array_guess *a, unsigned d, bool hi, int64_t by)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		struct array_run *x = &a->run[k];

		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			struct part *p = &x->part[r];
			bool rim = at_rim(x, p, d, hi);

			if (rim)
				p->own_n[d] += by;
			if (rim && !hi)
				p->own_lo[d] -= by;
			else if (!hi)
				p->first[d] += by;
		}
		x->shape[d] += by;
	}
}

static void halo_differs(struct array_guess *a, unsigned d, int64_t one, int64_t other)
{
	snprintf(a->why_not, sizeof(a->why_not),
		 "halos of dimension %u are not equally wide: %lld here, %lld there; a mark with an "
		 "expression of your own can say so",
		 d + 1, (long long)one, (long long)other);
}

/* The width on one side, the same everywhere where there are neighbours. False: why_not is set. */
static bool halo_of(struct guesses *g, struct array_guess *a, unsigned d, bool hi, int64_t *width)
{
	int64_t inside = -1, rim = -1;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			int64_t *to = at_rim(&a->run[k], p, d, hi) ? &rim : &inside;
			int64_t now = beyond(p, d, hi);

			if (*to >= 0 && *to != now) {
				halo_differs(a, d, *to, now);
				return false;
			}
			*to = now;
		}
	}
	*width = inside < 0 ? rim : inside;
	if (inside >= 0 && rim > inside)
		widen(g, a, d, hi, rim - inside);
	if (inside >= 0 && rim < inside) {
		halo_differs(a, d, inside, rim);
		return false;
	}
	return true;
}

/* Halo widths; own parts may become wider at the rims. */
static void halos(struct guesses *g, struct array_guess *a)
{
	if (a->full) /* they are as wide as the rest of the array */
		return;
	for (unsigned d = 0; d < a->ndim; d++) {
		if (!halo_of(g, a, d, false, &a->halo_lo[d]))
			return;
		if (!d)
			cut_capacity(g, a);
		if (!halo_of(g, a, d, true, &a->halo_hi[d]))
			return;
	}
}

/*
 * The dimensions that parts have on all ranks of all runs. Where a loop goes over whole rows these are seen as
 * one dimension: then they are everywhere, and loops that are nested may divide them again.
 */
static bool dimensions(struct guesses *g, struct array_guess *a, const struct region *like)
{
	unsigned max = LAYOUT_DIMS, least = LAYOUT_DIMS;

	for (int pass = 0; pass < 2; pass++, max = least) {
		for (uint32_t k = 0; k < g->ntraining; k++) {
			const struct training *t = &g->training[k];

			for (uint32_t r = 0; r < t->ranks; r++) {
				struct part *p = &a->run[k].part[r];
				unsigned unit, n;

				p->region = region_like(&t->rank[r], like);
				if (p->region == UINT32_MAX) {
					snprintf(a->why_not, sizeof(a->why_not),
						 "rank %u of %u does not have it", r, t->ranks);
					return false;
				}
				n = sweep_pitches(&t->rank[r], p->region, max, p, &unit);
				least = n < least ? n : least;
				a->ndim = least;
				a->unit = a->unit ? a->unit : unit;
				if (unit != a->unit) {
					snprintf(a->why_not, sizeof(a->why_not),
						 "its elements have %u bytes on rank %u of %u, elsewhere "
						 "%u",
						 unit, r, t->ranks, a->unit);
					return false;
				}
			}
		}
	}
	return true;
}

/* Each rank has as many bytes of it as the run on one rank. */
static bool as_large_alone(const struct guesses *g, const struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t one;
		const struct training *s = training_alone(g, &g->training[k], &one);

		for (uint32_t r = 0; s && r < g->training[k].ranks; r++)
			if (g->training[k].rank[r].region[a->run[k].part[r].region].bytes !=
			    s->rank[0].region[a->run[one].part[0].region].bytes)
				return false;
	}
	return true;
}

/* Own parts in all runs. */
static bool all_parts(struct guesses *g, struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t one;
		const struct training *s = training_alone(g, &g->training[k], &one);

		if (!s || s == &g->training[k])
			continue;
		if (!own_parts(g, a, k, one)) {
			snprintf(a->why_not, sizeof(a->why_not),
				 "no line writes parts on %u ranks that make up what it writes on one",
				 g->training[k].ranks);
			return false;
		}
		if (!in_order(g, a, k, one))
			return false;
	}
	return true;
}

#define NEAR_OWN 8 /* elements beside an own part that a rank may touch of an array that it has whole */

/* Ranks that have room for all of it use their own part, and what is near. */
static bool uses_own(const struct guesses *g, const struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			int64_t lo, hi;

			for (unsigned d = 0; d < a->ndim; d++) {
				touched(&g->training[k].rank[r], p, a, d, &lo, &hi);
				if (p->own_lo[d] - lo > NEAR_OWN ||
				    hi - p->own_lo[d] - p->own_n[d] > NEAR_OWN)
					return false;
			}
		}
	}
	return true;
}

/* Own parts are held against what one rank alone has. */
static bool all_alone(const struct guesses *g)
{
	uint32_t one;

	for (uint32_t k = 0; k < g->ntraining; k++)
		if (!training_alone(g, &g->training[k], &one))
			return false;
	return true;
}

static void guess(struct guesses *g, struct array_guess *a, const struct region *like)
{
	a->run = xcalloc(g->ntraining, sizeof(*a->run));
	a->nrun = g->ntraining;
	for (uint32_t k = 0; k < g->ntraining; k++)
		a->run[k].part = xcalloc(g->training[k].ranks, sizeof(struct part));
	if (!all_alone(g)) {
		snprintf(a->why_not, sizeof(a->why_not),
			 "no run on one rank shows the whole of it: mark it by hand, or let the program run "
			 "on one rank, too");
		return;
	}
	if (!dimensions(g, a, like))
		return;
	if (as_large_alone(g, a)) {
		a->full = all_parts(g, a) && uses_own(g, a);
		a->tiles = a->full;
		a->replicated = !a->full;
		*a->why_not = 0;
		return;
	}
	a->tiles = all_parts(g, a);
}

/* Complex numbers are accessed by halves. False: the array does not consist of pairs. */
bool guesses_pair(struct guesses *g, uint32_t array)
{
	struct array_guess *a = &g->array[array];
	unsigned d = a->ndim - 1;
	bool last = d > 0, even = true;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];

			last = last && p->own_n[d] == 2 && p->stored[d] == 2;
			even = even && !(p->own_lo[d] % 2 || p->own_n[d] % 2 || p->first[d] % 2);
		}
	}
	if (!last && !even)
		return false;
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			struct part *p = &a->run[k].part[r];

			for (unsigned e = 0; e < d; e++)
				p->pitch[e] /= 2;
			p->own_lo[d] /= 2;
			p->own_n[d] /= 2;
			p->first[d] /= 2;
			p->stored[d] /= 2;
		}
		a->run[k].shape[d] /= 2;
	}
	a->unit *= 2;
	a->ndim -= last;
	return true;
}

void guesses_fold(struct guesses *g, uint32_t array, const int64_t *row)
{
	struct array_guess *a = &g->array[array];

	if (a->ndim == LAYOUT_DIMS || a->replicated || !a->tiles)
		return;
	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			unsigned d = a->ndim - 1;

			if (row[k] < 2 || p->own_lo[d] % row[k] || p->own_n[d] % row[k] ||
			    p->first[d] % row[k] || (d && p->pitch[d - 1] % row[k]))
				return;
		}
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
		x->shape[d] /= row[k];
		x->shape[d + 1] = row[k];
		x->grid[d + 1] = 1;
		x->order[d + 1] = d + 1;
	}
	a->ndim++;
}

void guesses_halos(struct guesses *g)
{
	for (uint32_t i = 0; i < g->narray; i++)
		if (g->array[i].tiles && !*g->array[i].why_not)
			halos(g, &g->array[i]);
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
	}
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
