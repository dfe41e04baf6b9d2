/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of owners where something differs, in words. */
#include <inttypes.h>

#include "frontend/diff/internal.h"

#include "frontend/util/xrankset.h"

/* Does the owner's part in the other dimensions touch the box of what differs? */
static bool beside(const struct words *w, size_t k, unsigned d)
{
	const struct array_desc *a = words_owner(w, k);

	for (unsigned i = 0; i < w->ndim; i++)
		if (i != d && !a->list[i] &&
		    (a->own_lo[i] > w->m->hi[i] || a->own_hi[i] < w->m->lo[i]))
			return false;
	return true;
}

/* Ranks near the box whose part ends (or begins) at index g of dimension d. */
static void touching(const struct words *w, unsigned d, int64_t g, bool ends, struct rankset *out)
{
	for (size_t k = 0; k < words_owners(w); k++) {
		const struct array_desc *a = words_owner(w, k);
		int64_t end = ends ? a->own_hi[d] : a->own_lo[d];
		uint32_t rank = w->m->in->owner[k].rank;

		if (a->own_lo[d] <= a->own_hi[d] && !a->list[d] && end == g && beside(w, k, d))
			xrankset_add(out, rank, rank);
	}
}

/* How far the indices reach, with those that are missing between. */
static uint64_t span(const struct set *s)
{
	return (uint64_t)(s->g[s->n - 1] - s->g[0]) + 1;
}

/* "the last 3 rows of rank 0" */
static void put_end(const struct words *w, unsigned d, bool last)
{
	const struct set *s = &w->set[d];

	fprintf(w->f, "the %s ", last ? "last" : "first");
	if (s->n > 1)
		fprintf(w->f, "%" PRIu64 " ", span(s));
	fprintf(w->f, "%s of ", words_noun(w, d, s->n > 1));
	put_ranks(w, &w->mine, true);
}

/* More than a strip at an end of what the owner has. */
static bool most_of(const struct array_desc *a, unsigned d, uint64_t n)
{
	return n > 1 && 2 * n > (uint64_t)(a->own_hi[d] - a->own_lo[d] + 1);
}

/* All that differs is at one end of what its owners have in dimension d. */
static bool put_at_end(const struct words *w, unsigned d, bool last, bool need_neighbour)
{
	const struct set *s = &w->set[d];
	int64_t g = last ? s->g[s->n - 1] : s->g[0];
	struct rankset other = { 0 };

	for (size_t k = 0; k < words_owners(w); k++) {
		const struct array_desc *a = words_owner(w, k);

		if (words_mine(w, k) &&
		    (words_whole(w, k, d) || most_of(a, d, span(s)) ||
		     (last ? a->own_hi[d] != g || a->own_lo[d] > s->g[0]
			   : a->own_lo[d] != g || a->own_hi[d] < s->g[s->n - 1])))
			return false;
	}
	touching(w, d, last ? g + 1 : g - 1, !last, &other);
	if (!other.n && need_neighbour) {
		rankset_clear(&other);
		return false;
	}
	if (other.n) {
		fputs(", the boundary between ", w->f);
		put_pair(w, last ? &w->mine : &other, last ? &other : &w->mine);
		fputs(": ", w->f);
	} else {
		fputs(", ", w->f);
	}
	put_end(w, d, last);
	rankset_clear(&other);
	return true;
}

/* Is the strip around the place behind `cut` narrower than what each rank beside it has? */
static bool narrow(const struct words *w, unsigned d, int64_t cut)
{
	uint64_t most = span(&w->set[d]);

	for (size_t k = 0; k < words_owners(w) && most > 2; k++) {
		const struct array_desc *a = words_owner(w, k);

		if (!a->list[d] && beside(w, k, d) &&
		    (a->own_hi[d] == cut || a->own_lo[d] == cut + 1) &&
		    most > (uint64_t)(a->own_hi[d] - a->own_lo[d] + 1))
			return false;
	}
	return true;
}

/* The one place inside the range where parts of ranks meet; false when there is none or several. */
static bool put_around(const struct words *w, unsigned d)
{
	const struct set *s = &w->set[d];
	struct rankset before = { 0 }, behind = { 0 };
	int64_t cut = 0;
	unsigned cuts = 0;
	bool rc = false;

	for (size_t k = 0; k < words_owners(w); k++) {
		int64_t end = words_owner(w, k)->own_hi[d];

		if (words_owner(w, k)->list[d] || !beside(w, k, d) || end < s->g[0] ||
		    end >= s->g[s->n - 1] || (cuts && end == cut))
			continue;
		cut = end;
		cuts++;
	}
	if (cuts == 1 && narrow(w, d, cut)) {
		touching(w, d, cut, true, &before);
		touching(w, d, cut + 1, false, &behind);
		if (before.n && behind.n) {
			fputs(span(s) == 2 ? ", both sides of the boundary between "
					   : ", around the boundary between ",
			      w->f);
			put_pair(w, &before, &behind);
			rc = true;
		}
	}
	rankset_clear(&before);
	rankset_clear(&behind);
	return rc;
}

/* Which ends of what it owns does this owner have wrong in dimension d, and nothing between? */
static unsigned ends_of(const struct words *w, size_t k, unsigned d)
{
	const struct array_desc *a = words_owner(w, k);
	const struct set *s = &w->set[d];
	unsigned ends = 0;

	if (words_whole(w, k, d))
		return 4;
	for (uint64_t i = 0; i < s->n; i++) {
		if (s->g[i] < a->own_lo[d] || s->g[i] > a->own_hi[d])
			continue;
		ends |= s->g[i] == a->own_hi[d] ? 1u : s->g[i] == a->own_lo[d] ? 2u : 4u;
	}
	return ends;
}

/* Of several indices each is an end of what somebody owns. */
static bool put_each(const struct words *w, unsigned d)
{
	static const char *const words[] = { "", "the last", "the first" };
	unsigned ends = 0;

	for (size_t k = 0; k < words_owners(w); k++)
		ends |= words_mine(w, k) ? ends_of(w, k, d) : 0;
	if (!ends || ends > 3)
		return false;
	if (ends == 3)
		fputs(", at both sides of boundaries of ", w->f);
	else
		fprintf(w->f, ", %s %s of each of ", words[ends], words_noun(w, d, false));
	put_ranks(w, &w->mine, true);
	return true;
}

bool put_boundary(const struct words *w, unsigned d)
{
	if (!words_owners(w) || !w->mine.n || w->set[d].kind == SET_FULL)
		return false;
	if (w->set[d].kind != SET_ONE && w->set[d].kind != SET_RANGE)
		return put_each(w, d);
	return put_at_end(w, d, true, true) || put_at_end(w, d, false, true) ||
	       put_at_end(w, d, true, false) || put_at_end(w, d, false, false) || put_around(w, d);
}
