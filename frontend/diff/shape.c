/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shape of a difference in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/diff/internal.h"

#include "frontend/util/xalloc.h"

static bool boundary(const struct words *w, unsigned d)
{
	bool is = put_boundary(w, d);

	if (is)
		*w->where = DIFF_AT_EDGES;
	return is;
}

/* ", within what rank 3 owns", when that is not all of the array. */
static void put_within(const struct words *w)
{
	if (!words_owners(w) || rankset_count(&w->mine) > words_owners(w) / 2)
		return;
	fputs(", within ", w->f);
	put_what_is_owned(w);
}

/*
 * All (or, inner, all but the rim of the array) that some ranks own, but not all ranks. An element
 * can be right by chance: nine of ten are nearly all.
 */
static bool put_owned(const struct words *w, bool inner)
{
	size_t all = 0, have = 0;
	bool nearly = false, send_halo = false;

	for (size_t k = 0; k < words_owners(w); k++) {
		const struct diff_share *x = &w->m->share[k];
		uint64_t most;

		have += x->owns != 0;
		if (!x->differ)
			continue;
		most = inner ? x->inner : x->owns;
		nearly = nearly || x->differ < most;
		send_halo = send_halo || x->inner < x->owns;
		if (x->differ > most || x->differ < most - most / 10)
			return false;
		all++;
	}
	for (unsigned d = 0; inner && d < w->ndim; d++)
		if (w->m->lo[d] == w->set[d].low || w->m->hi[d] == w->set[d].high)
			return false;
	if (!all || all == have || (inner && !send_halo))
		return false;
	*w->where = nearly ? DIFF_NEARLY_OWNED : DIFF_OWNED;
	fputs(nearly ? "nearly all that " : "all that ", w->f);
	put_ranks(w, &w->mine, false);
	fputs(rankset_count(&w->mine) == 1 ? " owns" : " own", w->f);
	fputs(inner ? ", but the boundary of the array" : "", w->f);
	return true;
}

static void put_one(const struct words *w)
{
	fputs("one element", w->f);
	if (w->m->corners) {
		*w->where = DIFF_AT_EDGES;
		fputs(", a corner of ", w->f);
		put_what_is_owned(w);
		return;
	}
	for (unsigned d = 0; d < w->ndim; d++)
		if (w->m->edges && boundary(w, d))
			return;
}

static bool put_corners(const struct words *w)
{
	if (w->m->corners != w->m->differ)
		return false;
	*w->where = DIFF_AT_EDGES;
	fprintf(w->f, "%" PRIu64 " elements, corners of ", w->m->differ);
	put_what_is_owned(w);
	return true;
}

/* One dimension is restricted, all of the others differ. */
static void put_slab(const struct words *w, unsigned d)
{
	const struct set *s = &w->set[d];

	if (w->ndim == 3 && s->kind != SET_STRIDE && s->kind != SET_MANY)
		fprintf(w->f, "%s ", words_noun(w, d, s->n > 1));
	put_set(w, d);
	if ((w->ndim == 2 && s->kind == SET_ONE) || w->ndim == 3)
		fprintf(w->f, " (dimension %u)", d + 1);
	boundary(w, d);
}

/* All but the rim of the array; nearly: a few are missing. */
static bool is_inner(const struct words *w, bool *nearly)
{
	*nearly = false;
	for (unsigned d = 0; d < w->ndim; d++) {
		const struct set *s = &w->set[d];

		if (s->n < 2 || s->kind != SET_RANGE || s->g[0] != s->low + 1 ||
		    s->g[s->n - 1] != s->high - 1)
			return false;
		*nearly = *nearly || s->nearly;
	}
	return true;
}

/* The dimensions that are restricted, but not `but`: "rows 3 to 7, columns 1 to 5". */
static void put_others(const struct words *w, int but)
{
	bool any = false;

	for (unsigned d = 0; d < w->ndim; d++) {
		if ((int)d == but || w->set[d].kind == SET_FULL)
			continue;
		fputs(any ? ", " : "", w->f);
		put_set(w, d);
		any = true;
	}
}

/* The dimension with a single index that a boundary is known of, else the first; -1: none. */
static int single(const struct words *w)
{
	int found = -1;

	for (unsigned d = 0; d < w->ndim; d++) {
		if (w->set[d].kind != SET_ONE)
			continue;
		found = found < 0 ? (int)d : found;
		for (size_t k = 0; k < words_owners(w); k++)
			if (words_mine(w, k) && !words_whole(w, k, d) &&
			    (words_owner(w, k)->own_lo[d] == w->set[d].g[0] ||
			     words_owner(w, k)->own_hi[d] == w->set[d].g[0]))
				return (int)d;
	}
	return found;
}

/* "part of row 499: ", "part of plane k = 3: " */
static void put_part(const struct words *w, unsigned d)
{
	fprintf(w->f, "part of %s", w->ndim == 3 ? "plane " : "");
	put_set(w, d);
	fputs(": ", w->f);
}

/* Boundary of any dimension; else whose it is. */
static void put_somewhere(const struct words *w)
{
	for (unsigned d = 0; d < w->ndim; d++)
		if (w->set[d].kind != SET_FULL && boundary(w, d))
			return;
	put_within(w);
}

/* What differs is the product of the sets. */
static void put_product(const struct words *w)
{
	unsigned restricted = 0, ones = 0, last = 0;
	int one = single(w);
	bool nearly;

	for (unsigned d = 0; d < w->ndim; d++) {
		ones += w->set[d].kind == SET_ONE;
		if (w->set[d].kind == SET_FULL)
			continue;
		restricted++;
		last = d;
	}
	if (restricted == 1) {
		put_slab(w, last);
	} else if (is_inner(w, &nearly)) {
		*w->where = DIFF_EVERYWHERE;
		fputs(nearly ? "nearly everywhere but on the "
			       "boundary"
			     : "everywhere but on the "
			       "boundary",
		      w->f);
	} else if (one >= 0 && w->ndim == 3 && ones == 2 && restricted == 2) {
		fputs("line ", w->f);
		put_others(w, -1);
		boundary(w, (unsigned)one);
	} else if (one >= 0) {
		put_part(w, (unsigned)one);
		put_others(w, one);
		if (!boundary(w, (unsigned)one))
			put_within(w);
	} else {
		put_others(w, -1);
		put_somewhere(w);
	}
}

/* Elements without a pattern, in one row or in a box. */
static void put_scattered(const struct words *w)
{
	uint64_t box = 1;
	int one = single(w);

	if (one >= 0) {
		put_part(w, (unsigned)one);
		fprintf(w->f, "%" PRIu64 " elements in ", w->m->differ);
		put_box(w);
		if (!boundary(w, (unsigned)one))
			put_within(w);
		return;
	}
	if (w->m->edges == w->m->differ) {
		*w->where = DIFF_AT_EDGES;
		fprintf(w->f, "%" PRIu64 " elements at the edges of ", w->m->differ);
		put_what_is_owned(w);
		fputs(", in ", w->f);
		put_box(w);
		return;
	}
	for (unsigned d = 0; d < w->ndim; d++)
		box *= (uint64_t)(w->m->hi[d] - w->m->lo[d]) + 1;
	if (w->m->differ > box / 2) {
		fputs("most of ", w->f);
		put_box(w);
		fprintf(w->f, ": %" PRIu64 " of %" PRIu64 " elements", w->m->differ, box);
	} else {
		fprintf(w->f, "scattered: %" PRIu64 " elements in ", w->m->differ);
		put_box(w);
	}
	put_within(w);
}

static void put_shape(const struct words *w)
{
	uint64_t product = 1;

	for (unsigned d = 0; d < w->ndim; d++)
		product *= w->set[d].n;
	if (w->m->differ == w->m->total && w->m->total > 1) {
		*w->where = DIFF_EVERYWHERE;
		fputs("everywhere", w->f);
	} else if (w->m->differ == 1) {
		put_one(w);
	} else if (put_owned(w, true) || put_owned(w, false) || put_corners(w)) {
		return;
	} else if (product == w->m->differ) {
		put_product(w);
	} else {
		put_scattered(w);
	}
}

char *diff_shape(const struct diff_map *m, enum diff_where *where)
{
	struct words w;
	char *text = NULL;
	size_t len = 0;
	int rc = words_begin(&w, m);

	*where = DIFF_ANYWHERE;
	w.where = where;
	w.f = rc ? NULL : xmemstream(&text, &len);
	if (w.f) {
		put_shape(&w);
		if (fclose(w.f)) {
			free(text);
			text = NULL;
		}
	}
	words_end(&w);
	return text;
}
