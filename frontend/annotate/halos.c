/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is stored beside own parts: halos, borders that no neighbour has, room that nobody uses. */
#include "frontend/annotate/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "frontend/util/xvec.h"

#define RANGE_MOST 65536 /* bytes of a call as memset that are recorded of what has no object */

/* A statement that sets all of it, memset or "a = 0", shows nothing of what is in it. */
static bool sets_all(const struct region *m, const struct sweep *w)
{
	uint64_t bytes = w->elements * w->size;

	return w->write && (bytes > m->bytes - w->size ||
			    (m->name && bytes == RANGE_MOST && m->bytes > bytes));
}

static bool all_set_all(const struct rank_seen *s, uint32_t region)
{
	for (uint32_t i = 0; i < s->nsweep; i++)
		if (s->sweep[i].region == region && s->sweep[i].elements > 1 &&
		    !sets_all(&s->region[region], &s->sweep[i]))
			return false;
	return true;
}

/* all: also by what sets all of it. */
static void touched(const struct rank_seen *s, const struct part *p, const struct array_guess *a,
		    unsigned d, bool all, int64_t *from, int64_t *end)
{
	bool none = all || all_set_all(s, p->region);

	*from = p->own_lo[d];
	*end = p->own_lo[d] + p->own_n[d];
	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];
		int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS];
		double fill;

		if (w->region != p->region || w->size > a->unit ||
		    (!none && sets_all(&s->region[p->region], w)) ||
		    !sweep_box(w, p, a->ndim, a->unit, lo, n, &fill))
			continue;
		*from = lo[d] < *from ? lo[d] : *from;
		*end = lo[d] + n[d] > *end ? lo[d] + n[d] : *end;
	}
}

void part_touched(const struct rank_seen *s, const struct part *p, const struct array_guess *a,
		  unsigned d, int64_t *from, int64_t *end)
{
	touched(s, p, a, d, false, from, end);
}

/* What is stored in front of the own part, or behind it. */
static int64_t beyond(const struct part *p, unsigned d, bool hi)
{
	return hi ? p->stored[d] - p->own_lo[d] - p->own_n[d] : p->own_lo[d];
}

/* What is allocated behind own parts, and how much of it is touched, of those with a neighbour
 * there or without. */
struct behind {
	int64_t room, used; /* room: -1 none so far */
	bool same;
};

static void look_behind(const struct guesses *g, const struct array_guess *a, bool border,
			struct behind *b)
{
	*b = (struct behind){ .room = -1, .same = true };
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			int64_t now = beyond(p, 0, true), from, end;

			if (part_at_border(&a->run[k], p, 0, true) != border)
				continue;
			part_touched(&g->training[k].rank[r], p, a, 0, &from, &end);
			end -= p->own_lo[0] + p->own_n[0];
			b->same = b->same && (b->room < 0 || b->room == now);
			b->room = now;
			b->used = end > b->used ? end : b->used;
		}
	}
}

/*
 * An allocation may be larger than what is used of it: then only what is touched is stored. What is
 * as wide as the halo in front, or as what is used, is a halo.
 */
static void cut_capacity(struct guesses *g, struct array_guess *a)
{
	struct behind inside, border;
	int64_t used;

	look_behind(g, a, false, &inside);
	look_behind(g, a, true, &border);
	if (inside.room < 0)
		inside = border;
	if (inside.same && border.same &&
	    (inside.room == inside.used || inside.room == a->halo_lo[0]))
		return;
	used = inside.used > border.used ? inside.used : border.used;
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

/* How far behind own parts ranks go, at most, of those with a neighbour there or without. */
static int64_t used_behind(const struct guesses *g, const struct array_guess *a, unsigned d,
			   bool border)
{
	int64_t most = 0;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			int64_t from, end;

			if (part_at_border(&a->run[k], p, d, true) != border)
				continue;
			part_touched(&g->training[k].rank[r], p, a, d, &from, &end);
			end -= p->own_lo[d] + p->own_n[d];
			most = end > most ? end : most;
		}
	}
	return most;
}

/*
 * Of an array that is declared larger than what is used of it only that counts as stored. Who
 * registers it has to know its pitches, then: from its declaration. False: why_not is set.
 */
static bool cut_room(struct guesses *g, struct array_guess *a)
{
	const struct region *m = &g->training[0].rank[0].region[a->run[0].part[0].region];

	for (unsigned d = 0; d < a->ndim; d++) {
		int64_t inside = used_behind(g, a, d, false), border = used_behind(g, a, d, true);

		/* the halo is there, too, where nothing comes */
		border = border > inside ? border : inside;
		if (d && !m->name && !m->nextent) {
			snprintf(a->why_not, sizeof(a->why_not),
				 "its rows have room for more elements than there are: mark it by "
				 "hand, "
				 "with .stride");
			return false;
		}
		for (uint32_t k = 0; k < g->ntraining; k++)
			for (uint32_t r = 0; r < g->training[k].ranks; r++) {
				struct part *p = &a->run[k].part[r];

				p->stored[d] =
					p->own_lo[d] + p->own_n[d] +
					(part_at_border(&a->run[k], p, d, true) ? border : inside);
			}
	}
	return true;
}

/* At the border there is more: it belongs to the own part, as what no neighbour has. */
static void widen(struct guesses *g, struct array_guess *a, unsigned d, bool hi, int64_t by)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		struct array_run *x = &a->run[k];

		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			struct part *p = &x->part[r];
			bool border = part_at_border(x, p, d, hi);

			if (border)
				p->own_n[d] += by;
			if (border && !hi)
				p->own_lo[d] -= by;
			else if (!hi)
				p->first[d] += by;
		}
		x->shape[d] += by;
	}
}

static void halo_differs(struct array_guess *a, unsigned d, int64_t one, int64_t other)
{
	snprintf(
		a->why_not, sizeof(a->why_not),
		"halos of dimension %u are not equally wide: %lld here, %lld there; a mark with an "
		"expression of your own can say so",
		d + 1, (long long)one, (long long)other);
}

/* All ranks have all of it along the dimension, in all runs. */
static bool is_whole(const struct guesses *g, const struct array_guess *a, unsigned d)
{
	for (uint32_t k = 0; k < g->ntraining; k++)
		if (a->run[k].grid[d] > 1)
			return false;
	return true;
}

/* The width on one side, the same everywhere where there are neighbours. False: why_not is set. */
static bool halo_of(struct guesses *g, struct array_guess *a, unsigned d, bool hi, int64_t *width)
{
	int64_t inside = -1, border = -1;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			int64_t *to = part_at_border(&a->run[k], p, d, hi) ? &border : &inside;
			int64_t now = beyond(p, d, hi);

			if (*to >= 0 && *to != now && d && is_whole(g, a, d)) {
				a->padded = true;
				*width = 0;
				return true;
			}
			if (*to >= 0 && *to != now) {
				halo_differs(a, d, *to, now);
				return false;
			}
			*to = now;
		}
	}
	*width = inside < 0 ? border : inside;
	if (inside >= 0 && border > inside)
		widen(g, a, d, hi, border - inside);
	if (inside >= 0 && border < inside) {
		halo_differs(a, d, inside, border);
		return false;
	}
	return true;
}

/* Halo widths; own parts may become wider at the borders. */
static void halos(struct guesses *g, struct array_guess *a)
{
	if (a->full) { /* they are as wide as the rest of the array */
		part_borders(g, a);
		return;
	}
	if (a->room && !cut_room(g, a))
		return;
	for (unsigned d = a->cyclic; d < a->ndim; d++) {
		if (!halo_of(g, a, d, false, &a->halo_lo[d]))
			return;
		if (!d)
			cut_capacity(g, a);
		if (!halo_of(g, a, d, true, &a->halo_hi[d]))
			return;
	}
}

/* They are stored alike, and divided alike. */
static bool is_alike(const struct guesses *g, const struct array_guess *a,
		     const struct array_guess *b)
{
	size_t size = a->ndim * sizeof(int64_t);

	if (!a->tiles || !b->tiles || *a->why_not || *b->why_not || a->ndim != b->ndim ||
	    a->unit != b->unit)
		return false;
	for (uint32_t k = 0; k < g->ntraining; k++) {
		if (memcmp(a->run[k].grid, b->run[k].grid, a->ndim * sizeof(*a->run[k].grid)) != 0)
			return false;
		for (uint32_t r = 0; r < g->training[k].ranks; r++)
			if (memcmp(a->run[k].part[r].pitch, b->run[k].part[r].pitch, size) != 0 ||
			    memcmp(a->run[k].part[r].stored, b->run[k].part[r].stored, size) != 0)
				return false;
	}
	return true;
}

/*
 * Along a dimension that is not divided, what a loop spares of one array at the border another one
 * of the same kind has: pointers to them are exchanged, or the border is set once. It has to be
 * touched, though.
 */
static void join_alike(struct guesses *g, struct array_guess *a, const struct array_guess *b,
		       unsigned d)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r], *q = &b->run[k].part[r];
			int64_t from, end;

			touched(&g->training[k].rank[r], p, a, d, true, &from, &end);
			if (q->own_lo[d] < from || q->own_lo[d] + q->own_n[d] > end ||
			    q->own_lo[d] > p->own_lo[d] ||
			    q->own_lo[d] + q->own_n[d] < p->own_lo[d] + p->own_n[d])
				return;
		}
	}
	for (uint32_t k = 0; k < g->ntraining; k++) {
		a->run[k].shape[d] = b->run[k].shape[d];
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			a->run[k].part[r].own_lo[d] = b->run[k].part[r].own_lo[d];
			a->run[k].part[r].own_n[d] = b->run[k].part[r].own_n[d];
		}
	}
}

void guesses_halos(struct guesses *g)
{
	for (uint32_t i = 0; i < g->narray; i++)
		for (uint32_t k = 0; k < g->narray; k++)
			for (unsigned d = 0; i != k && is_alike(g, &g->array[i], &g->array[k]) &&
					     d < g->array[i].ndim;
			     d++)
				if (is_whole(g, &g->array[i], d))
					join_alike(g, &g->array[i], &g->array[k], d);
	for (uint32_t i = 0; i < g->narray; i++)
		if (g->array[i].tiles && !*g->array[i].why_not)
			halos(g, &g->array[i]);
}

/* ---- the order of ranks ---- */

#define ORDER_MOST 64 /* ranks along a dimension */

/* Own parts of a run with ranks in that order; false: they do not make up the whole then. */
static bool set_order(const struct guesses *g, struct array_guess *a, uint32_t run, bool back)
{
	struct array_run *x = &a->run[run];
	uint32_t ranks = g->training[run].ranks;

	for (unsigned d = 0; d < a->ndim; d++)
		x->order[d] = back ? a->ndim - 1 - d : d;
	for (unsigned d = 0; d < a->ndim; d++) {
		int64_t of[ORDER_MOST] = { 0 };
		bool fits = x->grid[d] <= ORDER_MOST;

		for (uint32_t r = 0; r < ranks && fits; r++) {
			uint32_t at = grid_coordinate(r, a->ndim, x->grid, x->order, d);

			fits = !of[at] || of[at] == x->part[r].own_n[d];
			of[at] = x->part[r].own_n[d];
		}
		if (!fits)
			return false;
		for (uint32_t r = 0; r < ranks; r++) {
			uint32_t at = grid_coordinate(r, a->ndim, x->grid, x->order, d);

			x->part[r].first[d] = 0;
			for (uint32_t i = 0; i < at; i++)
				x->part[r].first[d] += of[i];
		}
	}
	return true;
}

/* Whether ranks go back through the dimensions: 0 or 1; -1: nothing shows it. */
static int order_of(const struct guesses *g, struct array_guess *a, uint32_t run)
{
	struct array_run *x = &a->run[run];
	uint32_t ref = run;
	unsigned split = 0;
	bool back = x->order[0] != 0;
	double now, other = -1;

	training_reference(g, &g->training[run], &ref);
	for (unsigned d = 0; d < a->ndim; d++)
		split += x->grid[d] > 1;
	if (split < 2 || ref == run)
		return -1;
	now = guesses_agree(g, a, run, ref, 0);
	if (set_order(g, a, run, !back))
		other = guesses_agree(g, a, run, ref, 0);
	set_order(g, a, run, back);
	return now == other ? -1 : now > other ? back : !back;
}

void guesses_orders(struct guesses *g)
{
	bool seen[2] = { false, false };

	for (int pass = 0; pass < 2 && (!pass || seen[0] != seen[1]); pass++)
		for (uint32_t i = 0; i < g->narray; i++)
			for (uint32_t k = 0; g->array[i].tiles && !g->array[i].cyclic &&
					     k < g->array[i].nrun;
			     k++) {
				int is = order_of(g, &g->array[i], k);

				if (!pass && is >= 0)
					seen[is] = true;
				else if (pass && is < 0)
					set_order(g, &g->array[i], k, seen[1]);
			}
}

/* ---- own parts by those of others ---- */

#define BESIDE 3 /* elements that lines go beyond the own part of another array, at most */

bool guesses_as_large(const struct guesses *g, const struct array_guess *a,
		      const struct array_guess *b)
{
	if (!a->everywhere || !b->everywhere)
		return false;
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct region *m = g->training[k].rank[r].region;
			const struct region *x = &m[a->run[k].part[r].region],
					    *y = &m[b->run[k].part[r].region];

			if (x->bytes * y->unit != y->bytes * x->unit || x->nextent != y->nextent)
				return false;
		}
	}
	return true;
}

/* How many elements are near; rows that are not known yet count as their elements do, of which a
 * halo has one row at least. */
static int64_t near_of(const struct part *p, unsigned d)
{
	return BESIDE * (p->own_lo[d] > 1 ? p->own_lo[d] : 1);
}

/* What lines write of it, or read, is some of the own part of each rank, and no more than is near.
 */
static bool writes_own(const struct guesses *g, const struct array_guess *a, bool reads)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct part *p = &a->run[k].part[r];
			const struct rank_seen *s = &g->training[k].rank[r];
			bool any = false;

			for (uint32_t i = 0; i < s->nsweep; i++)
				any = any || (s->sweep[i].region == p->region &&
					      (reads || s->sweep[i].write));
			for (unsigned d = 0; any && d < a->ndim; d++) {
				int64_t from, end;

				part_touched(s, p, a, d, &from, &end);
				any = p->own_lo[d] - from <= near_of(p, d) &&
				      end - p->own_lo[d] - p->own_n[d] <= near_of(p, d);
			}
			if (!any)
				return false;
		}
	}
	return true;
}

static bool values_agree(const struct guesses *g, const struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t ref = k;

		training_reference(g, &g->training[k], &ref);
		if (ref != k && !guesses_fit(g, a, k, ref))
			return false;
	}
	return true;
}

/* The parts of an array by those of another one, in a copy; false: it does not fit. */
typedef bool (*parts_from)(const struct guesses *g, struct array_guess *a,
			   const struct array_guess *b);

static bool same_parts(const struct guesses *g, struct array_guess *a, const struct array_guess *b)
{
	a->ndim = b->ndim;
	a->unit = g->training[0].rank[0].region[a->run[0].part[0].region].unit;
	a->room = b->room;
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			uint32_t region = a->run[k].part[r].region;

			a->run[k].part[r] = b->run[k].part[r];
			a->run[k].part[r].region = region;
		}
	}
	return guesses_as_large(g, a, b);
}

/* The box of all that lines write of the part; false: they write nothing. */
static bool written_box(const struct rank_seen *s, const struct array_guess *a,
			const struct part *p, int64_t *lo, int64_t *n)
{
	bool any = false;

	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];
		int64_t from[LAYOUT_DIMS], len[LAYOUT_DIMS];
		double fill;

		if (w->region != p->region || !w->write || w->size != a->unit ||
		    !sweep_box(w, p, a->ndim, a->unit, from, len, &fill))
			continue;
		for (unsigned d = 0; d < a->ndim; d++) {
			int64_t end = any && lo[d] + n[d] > from[d] + len[d] ? lo[d] + n[d]
									     : from[d] + len[d];

			lo[d] = any && lo[d] < from[d] ? lo[d] : from[d];
			n[d] = end - lo[d];
		}
		any = true;
	}
	return any;
}

/* Faces of cells: along divided dimensions each rank stores so many more, or less, than the other
 * array's own part has. Along others what is written is owned. */
static bool face_parts(const struct guesses *g, struct array_guess *a, const struct array_guess *b)
{
	const struct part *one = &a->run[0].part[0], *of_one = &b->run[0].part[0];
	int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS], most[LAYOUT_DIMS];

	if (a->ndim != b->ndim || a->unit != b->unit || a->room || b->room || a->replicated)
		return false;
	for (unsigned d = 0; d < a->ndim; d++)
		most[d] = one->stored[d] - of_one->own_n[d];
	for (uint32_t k = 0; k < g->ntraining; k++) {
		struct array_run *x = &a->run[k];

		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			struct part *p = &x->part[r];
			const struct part *q = &b->run[k].part[r];

			if (!written_box(&g->training[k].rank[r], a, p, lo, n))
				return false;
			for (unsigned d = 0; d < a->ndim; d++) {
				bool whole = is_whole(g, b, d);
				int64_t more = p->stored[d] - q->own_n[d];

				if (!whole && (more < 0 || more > 2 * near_of(q, d) ||
					       (of_one->own_lo[d] ? more * of_one->own_lo[d] !=
									    most[d] * q->own_lo[d]
								  : more != most[d])))
					return false;
				p->own_lo[d] = whole		     ? lo[d]
					       : q->own_lo[d] < more ? q->own_lo[d]
								     : more;
				p->own_n[d] = whole ? n[d] : q->own_n[d];
				p->first[d] = whole ? 0 : q->first[d];
				x->shape[d] = whole && r ? x->shape[d]
					      : whole	 ? n[d]
							 : b->run[k].shape[d];
				if (whole && x->shape[d] != n[d])
					return false;
			}
		}
	}
	return true;
}

/* The dimensions of a are those of b from the from-th on; others are not divided, and some is. */
static bool goes_along(const struct guesses *g, const struct array_guess *a,
		       const struct array_guess *b, unsigned from)
{
	bool divided = false;

	for (unsigned d = 0; d < b->ndim; d++) {
		bool whole = is_whole(g, b, d), inside = d >= from && d < from + a->ndim;

		if (!whole && !inside)
			return false;
		divided = divided || !whole;
	}
	return divided;
}

/* The grid of a run without the dimensions in front of and behind those of a. */
static void cut_grid(struct array_run *x, const struct array_run *of, unsigned ndim, unsigned from,
		     unsigned all)
{
	unsigned n = 0;

	for (unsigned d = 0; d < ndim; d++) {
		x->grid[d] = of->grid[from + d];
		x->shape[d] = of->shape[from + d];
	}
	for (unsigned k = 0; k < all; k++)
		if (of->order[k] >= from && of->order[k] < from + ndim)
			x->order[n++] = of->order[k] - from;
}

/* Along a divided dimension a rank writes its own part as that of the other array, and a few more
 * on both sides. *more, -1: not known yet: as many everywhere. */
static bool part_within(struct part *p, unsigned d, const struct part *q, unsigned e, int64_t lo,
			int64_t n, int64_t *more)
{
	int64_t beside = n - q->own_n[e];

	if (*more < 0)
		*more = beside;
	if (beside != *more || beside < 0 || beside > 2 * BESIDE)
		return false;
	p->own_lo[d] = q->own_lo[e];
	/* what is stored otherwise has as many on both sides */
	if (lo > q->own_lo[e] || lo + n < q->own_lo[e] + q->own_n[e])
		p->own_lo[d] = lo + beside / 2;
	p->own_n[d] = q->own_n[e];
	p->first[d] = q->first[e];
	return p->own_lo[d] == q->own_lo[e] || beside % 2 == 0;
}

/* Of another shape, from the from-th dimension of b on. */
static bool parts_within(const struct guesses *g, struct array_guess *a,
			 const struct array_guess *b, unsigned from)
{
	int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS], more[LAYOUT_DIMS] = { -1, -1, -1, -1 };

	if (!goes_along(g, a, b, from))
		return false;
	for (uint32_t k = 0; k < g->ntraining; k++) {
		struct array_run *x = &a->run[k];

		cut_grid(x, &b->run[k], a->ndim, from, b->ndim);
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			struct part *p = &x->part[r];

			if (!written_box(&g->training[k].rank[r], a, p, lo, n))
				return false;
			for (unsigned d = 0; d < a->ndim; d++) {
				if (!is_whole(g, b, from + d)) {
					if (!part_within(p, d, &b->run[k].part[r], from + d, lo[d],
							 n[d], &more[d]))
						return false;
					continue;
				}
				p->own_lo[d] = lo[d];
				p->own_n[d] = n[d];
				p->first[d] = 0;
				x->shape[d] = r ? x->shape[d] : n[d];
				if (x->shape[d] != n[d])
					return false;
			}
		}
	}
	return true;
}

/* Arrays of another shape, or kind of elements, which lines write beside own parts as well: each
 * rank writes as much of it as the other array's own part has, and a few elements around. */
static bool near_parts(const struct guesses *g, struct array_guess *a, const struct array_guess *b)
{
	a->room = guesses_equally_large(g, a);
	return a->ndim <= b->ndim && (parts_within(g, a, b, b->ndim - a->ndim) ||
				      (a->ndim < b->ndim && parts_within(g, a, b, 0)));
}

/* Without a halo, and dense: each rank has as many elements as the other array's own part. */
static bool dense_parts(const struct guesses *g, struct array_guess *a, const struct array_guess *b)
{
	bool divided = false;

	a->ndim = b->ndim;
	a->unit = g->training[0].rank[0].region[a->run[0].part[0].region].unit;
	a->room = false;
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			struct part *p = &a->run[k].part[r];
			const struct part *q = &b->run[k].part[r];
			const struct region *m = &g->training[k].rank[r].region[p->region];
			int64_t n = 1;

			for (unsigned d = a->ndim; d-- > 0;) {
				p->pitch[d] = n;
				n *= q->own_n[d];
				p->stored[d] = p->own_n[d] = q->own_n[d];
				p->own_lo[d] = 0;
				p->first[d] = q->first[d];
				divided = divided || b->run[k].grid[d] > 1;
			}
			if (m->unit != a->unit || m->bytes != (uint64_t)n * m->unit)
				return false;
		}
	}
	return divided && !b->room;
}

/* As large as one component of the other array, whose first dimension is not divided: each rank
 * stores as much around its own part, which it may only read, as a mask of cells. */
static bool component_parts(const struct guesses *g, struct array_guess *a,
			    const struct array_guess *b)
{
	a->ndim = b->ndim - 1;
	a->unit = g->training[0].rank[0].region[a->run[0].part[0].region].unit;
	a->room = false;
	if (!a->ndim || b->room || !goes_along(g, a, b, 1))
		return false;
	a->component_of = (uint32_t)(b - g->array) + 1;
	for (uint32_t k = 0; k < g->ntraining; k++) {
		struct array_run *x = &a->run[k];

		cut_grid(x, &b->run[k], a->ndim, 1, b->ndim);
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			struct part *p = &x->part[r], now = b->run[k].part[r];
			const struct region *m = &g->training[k].rank[r].region[p->region];

			if (m->unit != a->unit ||
			    m->bytes != (uint64_t)(now.pitch[0] * (int64_t)m->unit))
				return false;
			for (unsigned d = 0; d < a->ndim; d++) {
				p->pitch[d] = now.pitch[d + 1];
				p->stored[d] = now.stored[d + 1];
				p->own_lo[d] = now.own_lo[d + 1];
				p->own_n[d] = now.own_n[d + 1];
				p->first[d] = now.first[d + 1];
			}
		}
	}
	return true;
}

/* The array with own parts by those of the other one; false: it does not fit. */
static bool take_layout(const struct guesses *g, struct array_guess *a, const struct array_guess *b,
			parts_from parts)
{
	struct array_guess now = *a;
	bool fits;

	now.run = xcalloc(g->ntraining, sizeof(*now.run));
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t n = g->training[k].ranks;

		now.run[k] = b->run[k];
		now.run[k].part = xcalloc(n, sizeof(struct part));
		memcpy(now.run[k].part, a->run[k].part, n * sizeof(struct part));
	}
	fits = parts(g, &now, b);
	now.tiles = now.alike = true;
	now.replicated = now.listed = false;
	*now.why_not = 0;
	fits = fits && writes_own(g, &now, parts == component_parts) && values_agree(g, &now);
	for (uint32_t k = 0; k < g->ntraining; k++)
		free((fits ? a : &now)->run[k].part);
	free((fits ? a : &now)->run);
	if (fits)
		*a = now;
	return fits;
}

static void take_from_any(struct guesses *g, struct array_guess *a, parts_from parts)
{
	for (uint32_t k = 0; k < g->narray && !a->tiles && a->everywhere && !a->stack; k++) {
		const struct array_guess *b = &g->array[k];

		if (b->tiles && !b->cyclic && !b->full && !b->alike)
			take_layout(g, a, b, parts);
	}
}

void guesses_alike(struct guesses *g)
{
	for (uint32_t i = 0; i < g->narray; i++)
		take_from_any(g, &g->array[i], same_parts);
	for (uint32_t i = 0; i < g->narray; i++)
		take_from_any(g, &g->array[i], face_parts);
	for (uint32_t i = 0; i < g->narray; i++)
		take_from_any(g, &g->array[i], dense_parts);
	for (uint32_t i = 0; i < g->narray; i++)
		take_from_any(g, &g->array[i], component_parts);
	for (uint32_t i = 0; i < g->narray; i++)
		take_from_any(g, &g->array[i], near_parts);
}

/* ---- elements of several numbers ---- */

/* Complex numbers are accessed by halves. False: the array does not consist of pairs. */
bool guesses_pair(struct guesses *g, uint32_t array)
{
	struct array_guess *a = &g->array[array];
	unsigned d = a->ndim - 1;
	bool last = d > 0, even = true;

	if (a->unit == 16) /* no line accesses halves */
		return true;

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

bool guesses_structures(struct guesses *g, uint32_t array)
{
	struct array_guess *a = &g->array[array];
	const unsigned d = a->ndim - 1;
	int64_t n = a->run[0].part[0].stored[d];

	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks; r++)
			if (!d || a->run[k].grid[d] > 1 || a->run[k].part[r].stored[d] != n)
				return false;
	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks; r++)
			for (unsigned e = 0; e < d; e++)
				a->run[k].part[r].pitch[e] /= n;
	a->unit *= (unsigned)n;
	a->ndim--;
	a->structures = true;
	return true;
}

/* ---- what nobody owns ---- */

/* The elements along a dimension that the line writes on all ranks of a run together; those of
 * others are as in the reference's box. 0: some rank writes nothing, or other elements. */
static int64_t written_together(const struct guesses *g, const struct array_guess *a, uint32_t run,
				const struct sweep *like, unsigned along, const int64_t *whole)
{
	int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS], all = 0;
	double fill;

	for (uint32_t r = 0; r < g->training[run].ranks; r++) {
		const struct rank_seen *s = &g->training[run].rank[r];
		const struct part *p = &a->run[run].part[r];
		uint32_t i = 0;

		while (i < s->nsweep &&
		       (s->sweep[i].region != p->region || s->sweep[i].line != like->line ||
			s->sweep[i].file != like->file || !s->sweep[i].write))
			i++;
		if (i == s->nsweep ||
		    !sweep_box(&s->sweep[i], p, a->ndim, a->unit, lo, n, &fill) || fill < 0.9)
			return 0;
		for (unsigned d = 0; d < a->ndim; d++)
			if (d != along && n[d] != whole[d])
				return 0;
		all += n[along];
	}
	return all;
}

void guesses_lacking(const struct guesses *g, struct array_guess *a, uint32_t run, uint32_t ref)
{
	const struct rank_seen *s = &g->training[ref].rank[0];
	const struct part *p = &a->run[ref].part[0];
	int64_t lo[LAYOUT_DIMS], whole[LAYOUT_DIMS], all;
	size_t used = strlen(a->why_not);
	double fill;

	for (uint32_t i = 0; g->training[ref].ranks == 1 && i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];

		if (w->region != p->region || !w->write || w->size != a->unit ||
		    !sweep_box(w, p, a->ndim, a->unit, lo, whole, &fill) || fill < 0.9)
			continue;
		for (unsigned d = 0; d < a->ndim; d++) {
			all = written_together(g, a, run, w, d, whole);
			if (!all || all >= whole[d] || 4 * (whole[d] - all) > whole[d])
				continue;
			snprintf(a->why_not + used, sizeof(a->why_not) - used,
				 "; %s:%u writes %lld of %lld elements of dimension %u on %u "
				 "ranks: the "
				 "others have no owner, and its bounds may be wrong",
				 path_base(w->file), w->line, (long long)all, (long long)whole[d],
				 d + 1, g->training[run].ranks);
			return;
		}
	}
}
