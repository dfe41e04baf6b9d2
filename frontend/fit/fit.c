/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/fit/fit.h"

#include <stdio.h>
#include <string.h>

#include "common/array/array.h"

#define COMPONENTS 16 /* a dimension of at most this extent has components */
#define SOME 10	      /* of more pairs than this nine of ten are enough */

/* What is tried: pairs, and what the ranks have. */
struct attempt {
	const struct array_desc *own, *halo;
	const struct fit_pair *pair;
	size_t n;
};

/* Whether a pair follows the rule f. */
typedef bool fit_follows(const struct attempt *a, const struct fit *f, const struct fit_pair *p);

static bool enough(size_t hits, size_t n)
{
	return n && (hits == n || (n > SOME && 10 * hits >= 9 * n));
}

static bool all_follow(const struct attempt *a, const struct fit *f, fit_follows *follows)
{
	size_t hits = 0;

	for (size_t i = 0; i < a->n; i++)
		hits += follows(a, f, &a->pair[i]);
	return enough(hits, a->n);
}

/* Index for index the same, but in dimension d (and e). */
static bool same_but(const struct attempt *a, const struct fit_pair *p, unsigned d, unsigned e)
{
	for (unsigned k = 0; k < a->own->ndim; k++)
		if (k != d && k != e && p->want[k] != p->got[k])
			return false;
	return true;
}

/* How many values the wanted index has in dimension d; counts up to 4. */
static unsigned variety(const struct attempt *a, unsigned d)
{
	int64_t seen[4];
	unsigned n = 0;

	for (size_t i = 0; i < a->n && n < 4; i++) {
		bool known = false;

		for (unsigned k = 0; k < n; k++)
			known |= seen[k] == a->pair[i].want[d];
		if (!known)
			seen[n++] = a->pair[i].want[d];
	}
	return n;
}

/* The dimension in which the pair differs; -1: none, or several. */
static int only_dim(const struct attempt *a, const struct fit_pair *p)
{
	int dim = -1;

	for (unsigned d = 0; d < a->own->ndim; d++) {
		if (p->want[d] == p->got[d])
			continue;
		if (dim >= 0)
			return -1;
		dim = (int)d;
	}
	return dim;
}

/* ---- components ---- */

static bool is_component(const struct array_desc *a, unsigned d)
{
	return a->ndim > 1 && a->extent[d] <= COMPONENTS && !a->halo_lo[d] && !a->halo_hi[d] &&
	       !a->list[d] && a->own_hi[d] - a->own_lo[d] + 1 == a->extent[d];
}

static bool of_component(const struct attempt *a, const struct fit *f, const struct fit_pair *p)
{
	return p->want[f->dim] == f->want && p->got[f->dim] == f->got &&
	       same_but(a, p, f->dim, f->dim);
}

static bool try_component(const struct attempt *a, struct fit *f)
{
	int d = only_dim(a, a->pair);

	if (d < 0 || !is_component(a->own, (unsigned)d))
		return false;
	*f = (struct fit){ .kind = FIT_COMPONENT,
			   .dim = (unsigned)d,
			   .want = a->pair->want[d],
			   .got = a->pair->got[d] };
	return all_follow(a, f, of_component);
}

/* ---- halos ---- */

/* How far in the halo of dimension d; < 0: below the own part; 0: not in it. */
static int64_t depth(const struct array_desc *a, unsigned d, int64_t g)
{
	if (g < a->own_lo[d])
		return g - a->own_lo[d];
	return g > a->own_hi[d] ? g - a->own_hi[d] : 0;
}

static bool of_side(const struct attempt *a, const struct fit *f, const struct fit_pair *p)
{
	int64_t want = depth(a->halo, f->dim, p->want[f->dim]);
	int64_t got = depth(a->halo, f->dim, p->got[f->dim]);

	return (want < 0) == (f->want < 0) && want && got && (got < 0) != (want < 0) &&
	       -got <= a->halo->halo_lo[f->dim] && got <= a->halo->halo_hi[f->dim] &&
	       same_but(a, p, f->dim, f->dim);
}

static bool of_layer(const struct attempt *a, const struct fit *f, const struct fit_pair *p)
{
	return depth(a->halo, f->dim, p->want[f->dim]) == f->want &&
	       depth(a->halo, f->dim, p->got[f->dim]) == f->got && same_but(a, p, f->dim, f->dim);
}

/* With one pair what is meant is not sure, but halos are narrow: there it is said with two. */
static bool try_halo(const struct attempt *a, struct fit *f)
{
	int d = only_dim(a, a->pair);
	int64_t want, got;

	if (d < 0 || a->n < 2 || a->halo->list[d])
		return false;
	want = depth(a->halo, (unsigned)d, a->pair->want[d]);
	got = depth(a->halo, (unsigned)d, a->pair->got[d]);
	*f = (struct fit){ .kind = FIT_SIDES, .dim = (unsigned)d, .want = want, .got = got };
	if (!want || !got)
		return false;
	if ((want < 0) != (got < 0))
		return all_follow(a, f, of_side);
	f->kind = FIT_LAYER;
	return all_follow(a, f, of_layer);
}

/* ---- shifts ---- */

static bool of_shift(const struct attempt *a, const struct fit *f, const struct fit_pair *p)
{
	return p->got[f->dim] - p->want[f->dim] == f->got && same_but(a, p, f->dim, f->dim);
}

static bool try_shift(const struct attempt *a, struct fit *f)
{
	int d = only_dim(a, a->pair);

	if (d < 0 || a->n < 2)
		return false;
	*f = (struct fit){ .kind = FIT_SHIFT,
			   .dim = (unsigned)d,
			   .got = a->pair->got[d] - a->pair->want[d] };
	if (f->got < -1 && f->got == a->own->lower[d] - a->own->own_lo[d])
		f->kind = FIT_LOCAL;
	return all_follow(a, f, of_shift);
}

/* ---- exchanged and reversed ---- */

static bool of_exchanged(const struct attempt *a, const struct fit *f, const struct fit_pair *p)
{
	const int64_t *low = a->own->lower;
	unsigned d = f->dim, e = f->other;

	return p->got[d] - low[d] == p->want[e] - low[e] &&
	       p->got[e] - low[e] == p->want[d] - low[d] && same_but(a, p, d, e);
}

/* One pair may be there by chance, and so may two that are beside each other. */
static bool try_exchanged(const struct attempt *a, struct fit *f)
{
	for (unsigned d = 0; d < a->own->ndim; d++)
		for (unsigned e = d + 1; e < a->own->ndim; e++) {
			*f = (struct fit){ .kind = FIT_EXCHANGED, .dim = d, .other = e };
			if ((variety(a, d) > 1 || variety(a, e) > 1) && a->n > 2 &&
			    all_follow(a, f, of_exchanged))
				return true;
		}
	return false;
}

static bool of_reversed(const struct attempt *a, const struct fit *f, const struct fit_pair *p)
{
	return p->got[f->dim] + p->want[f->dim] == f->got && same_but(a, p, f->dim, f->dim);
}

static bool try_reversed(const struct attempt *a, struct fit *f)
{
	int d = only_dim(a, a->pair);

	/* the one in the middle may be the first of those that follow */
	if (d < 0 || variety(a, (unsigned)d) < 3)
		return false;
	*f = (struct fit){ .kind = FIT_REVERSED,
			   .dim = (unsigned)d,
			   .got = a->pair->got[d] + a->pair->want[d] };
	return all_follow(a, f, of_reversed);
}

/* ---- lengths of rows ---- */

/* Elements that the rank has in dimension d, with the halo: how far apart rows are. */
static int64_t held(const struct array_desc *a, unsigned d)
{
	return a->own_hi[d] - a->own_lo[d] + 1 + a->halo_lo[d] + a->halo_hi[d];
}

/* The i-th dimension from the one that is densely in memory. */
static unsigned by_speed(const struct array_desc *a, unsigned i)
{
	return a->order == 'F' ? i : a->ndim - 1 - i;
}

/* Dimension k, by speed, with another length; alone: only the next slower one is elsewhere for
 * it, those that are slower still are where they should be. */
struct model {
	unsigned k;
	bool alone;
};

/*
 * Where an index is in memory, from the rank's first element, when the model's dimension counts
 * as `length` long: *low + length * *high, which is returned.
 */
static int64_t place(const struct array_desc *a, const int64_t *g, struct model m, int64_t length,
		     int64_t *low, int64_t *high)
{
	int64_t step = 1;

	*low = *high = 0;
	for (unsigned i = 0; i < a->ndim; i++) {
		unsigned d = by_speed(a, i);
		int64_t at = g[d] - a->own_lo[d] + a->halo_lo[d];

		if (i <= m.k)
			*low += at * step;
		else if (!m.alone || i == m.k + 1)
			*high += at * step;
		else
			*low += at * step * held(a, by_speed(a, m.k));
		if (i != m.k)
			step *= held(a, d);
	}
	return *low + length * *high;
}

/* A length that somebody may take for the row's. */
static bool is_natural(const struct array_desc *a, unsigned d, int64_t n)
{
	int64_t own = a->own_hi[d] - a->own_lo[d] + 1;

	for (unsigned i = 0; i < a->ndim; i++)
		if (n == held(a, i))
			return true;
	return n == own || n == own + a->halo_lo[d] || n == own + a->halo_hi[d] ||
	       n == a->extent[d] || n == a->extent[d] + a->halo_lo[d] + a->halo_hi[d];
}

/* The length that two pairs show; 0: none. */
static int64_t length_of(const struct attempt *a, struct model m, const struct fit_pair *p,
			 const struct fit_pair *q)
{
	unsigned d = by_speed(a->own, m.k);
	int64_t low[2], high[2], to[2], rest, n;

	place(a->own, p->want, m, 0, &low[0], &high[0]);
	place(a->own, q->want, m, 0, &low[1], &high[1]);
	to[0] = place(a->own, p->got, m, held(a->own, d), &rest, &n);
	to[1] = place(a->own, q->got, m, held(a->own, d), &rest, &n);
	rest = to[1] - to[0] - (low[1] - low[0]);
	n = high[1] - high[0];
	return n && rest % n == 0 ? rest / n : 0;
}

static bool of_row(const struct attempt *a, const struct fit *f, const struct fit_pair *p)
{
	struct model m = { .alone = f->alone };
	int64_t low, high, want, got;

	while (by_speed(a->own, m.k) != f->dim)
		m.k++;
	want = place(a->own, p->want, m, f->got, &low, &high) -
	       place(a->own, a->pair->want, m, f->got, &low, &high);
	got = place(a->own, p->got, m, f->want, &low, &high) -
	      place(a->own, a->pair->got, m, f->want, &low, &high);
	return want == got;
}

static bool try_length(const struct attempt *a, struct model m, struct fit *f)
{
	unsigned d = by_speed(a->own, m.k);
	size_t other = 1;
	bool three;

	*f = (struct fit){ .kind = FIT_ROW,
			   .dim = d,
			   .want = held(a->own, d),
			   .fastest = !m.k,
			   .alone = m.alone };
	for (; other < a->n; other++) {
		f->got = length_of(a, m, a->pair, &a->pair[other]);
		if (f->got > 0 && f->got != f->want && all_follow(a, f, of_row))
			break;
	}
	if (other >= a->n)
		return false;
	/* two rows show a length, a third one that it is that */
	three = false;
	for (unsigned i = m.k + 1; i < a->own->ndim; i++)
		three |= variety(a, by_speed(a->own, i)) > 2;
	return three || is_natural(a->own, d, f->got);
}

static bool try_row(const struct attempt *a, struct fit *f)
{
	for (unsigned d = 0; d < a->own->ndim; d++)
		if (a->own->list[d])
			return false;
	for (unsigned k = 0; k + 1 < a->own->ndim; k++)
		for (unsigned alone = 0; alone < 2; alone++)
			if (try_length(a, (struct model){ k, alone }, f))
				return true;
	return false;
}

bool fit_pairs(const struct array_desc *own, const struct array_desc *halo,
	       const struct fit_pair *pair, size_t n, struct fit *out)
{
	static bool (*const rules[])(const struct attempt *,
				     struct fit *) = { try_component, try_halo,	     try_shift,
						       try_reversed,  try_exchanged, try_row };
	struct attempt a = { .own = own, .halo = halo ? halo : own, .pair = pair, .n = n };

	for (size_t i = 0; n && i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i](&a, out))
			return true;
	*out = (struct fit){ .kind = FIT_NONE };
	return false;
}

const char *fit_text(const struct fit *f, char *out, size_t size)
{
	long long got = (long long)f->got, want = (long long)f->want;
	unsigned dim = f->dim + 1;

	*out = '\0';
	switch (f->kind) {
	case FIT_COMPONENT:
		snprintf(out, size, "component %lld where %lld belongs", got, want);
		break;
	case FIT_SIDES:
		snprintf(out, size, "as if the two sides of dimension %u were exchanged", dim);
		break;
	case FIT_LAYER:
		snprintf(out, size, "layer %lld for layer %lld, %s in dimension %u",
			 got < 0 ? -got : got, want < 0 ? -want : want,
			 want < 0 ? "below" : "above", dim);
		break;
	case FIT_SHIFT:
		snprintf(out, size, "as if the index were %lld %s in dimension %u",
			 got < 0 ? -got : got, got < 0 ? "lower" : "higher", dim);
		break;
	case FIT_LOCAL:
		snprintf(out, size,
			 "as if the part began at the first index: %lld lower in dimension %u",
			 -got, dim);
		break;
	case FIT_EXCHANGED:
		snprintf(out, size, "as if indices %u and %u were exchanged", dim, f->other + 1);
		break;
	case FIT_REVERSED:
		snprintf(out, size, "reversed along dimension %u", dim);
		break;
	case FIT_ROW:
		if (f->fastest)
			snprintf(out, size, "as if the row were %lld long, not %lld", got, want);
		else
			snprintf(out, size, "as if dimension %u were %lld long, not %lld", dim, got,
				 want);
		break;
	case FIT_NONE:
		break;
	}
	return out;
}
