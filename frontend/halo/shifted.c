/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arrays whose contents are adjacent to where their registration says: a pointer to the first own
 * element was given where one to the first stored element is meant, or the reverse. Then halo and
 * owner have the same values when both are read as if it had been registered the other way, and
 * they do not as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/halo/halo.h"
#include "frontend/halo/internal.h"

#define LEAST 2 /* elements that have to agree, and do not as it is */
#define SOME 8	/* one in so many may disagree: ends of edges that no exchange sends */

/* What the sides of an array say, in one direction or in all. */
struct evidence {
	uint64_t known;	 /* elements that could be compared */
	uint64_t differ; /* … and differ from their owners' */
	uint64_t moved;	 /* equal ones that are others than those of the present registration */
	bool varied;	 /* these have several values */
};

static unsigned sides_of(const int8_t *side)
{
	unsigned n = 0;

	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		n += side[d] != 0;
	return n;
}

/* The stale elements of faces of the array. */
static uint64_t stale_faces(const struct halo_report *r, const char *array)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (sides_of(r->entry[i].side) == 1 && !strcmp(r->entry[i].array, array))
			n += r->entry[i].differ;
	return n;
}

/* The side k of the shifted view beside that of the present one. */
static void take_side(const struct halo_kept *k, const struct halo_kept *was, unsigned ndim,
		      struct evidence *e)
{
	uint64_t total = 1, size;
	const unsigned char *one = NULL;

	for (unsigned d = 0; d < ndim; d++)
		total *= (uint64_t)(k->hi[d] - k->lo[d] + 1);
	size = total ? k->n / total : 0;
	for (uint64_t i = 0; i < total && size; i++) {
		const unsigned char *halo = k->halo + i * size, *own = halo + k->n;

		if (!k->halo[2 * k->n + i])
			continue;
		e->known++;
		if (memcmp(halo, own, size)) {
			e->differ++;
			continue;
		}
		if (!memcmp(halo, was->halo + i * size, size))
			continue;
		e->moved++;
		e->varied |= one && memcmp(one, halo, size);
		one = halo;
	}
}

/* Whether what the sides in one direction say speaks for the shift, as far as they say anything. */
static bool direction_fits(const struct halo_report *view, const struct halo_report *now,
			   const struct halo_entry *e, unsigned d, int side, struct evidence *all)
{
	struct evidence x = { 0 };

	for (size_t i = 0; i < view->nkept; i++) {
		const struct halo_kept *k = &view->kept[i], *was;
		struct halo_entry key = { .rank = k->rank };

		if (strcmp(k->array, e->array) || k->side[d] != side || sides_of(k->side) != 1)
			continue;
		snprintf(key.array, sizeof(key.array), "%s", k->array);
		memcpy(key.side, k->side, sizeof(key.side));
		was = halo_kept_find(now, &key, k->n);
		if (was)
			take_side(k, was, e->ndim, &x);
	}
	all->known += x.known;
	all->differ += x.differ;
	all->moved += x.moved;
	all->varied |= x.varied || (x.moved && all->moved > x.moved);
	return !x.known || (x.moved && x.differ * SOME <= x.moved);
}

/* Dimension d is shifted. */
static bool is_moved(const struct halo_entry *e, unsigned shift, unsigned d)
{
	return e->halo_lo[d] && (shift <= HALO_AS_OWN || shift == HALO_AS_OWN + 1 + d);
}

static bool fits(const struct halo_report *view, const struct halo_report *now,
		 const struct halo_entry *e, unsigned shift)
{
	struct evidence all = { 0 };
	uint64_t stale = stale_faces(now, e->array);

	for (unsigned d = 0; d < e->ndim; d++)
		for (int side = -1; side < 2; side += 2)
			if (!direction_fits(view, now, e, d, side, &all) && is_moved(e, shift, d))
				return false;
	return all.moved >= LEAST && all.varied && all.differ * SOME <= all.moved &&
	       stale > 2 * all.differ;
}

/* "one row and one column" */
static void words_of(const struct halo_entry *e, unsigned shift, char *out, size_t size)
{
	static const char *const unit[] = { "row", "column" };
	size_t used = 0;

	*out = 0;
	for (unsigned d = 0; d < e->ndim && used < size; d++) {
		long long by = (long long)e->halo_lo[d];
		const char *word = e->ndim == 2 ? unit[d] : "element", *s = by > 1 ? "s" : "";
		char number[24] = "one";

		if (!is_moved(e, shift, d))
			continue;
		if (by > 1)
			snprintf(number, sizeof(number), "%lld", by);
		used += (size_t)snprintf(out + used, size - used, "%s%s %s%s", used ? " and " : "",
					 number, word, s);
		if (e->ndim > 2 && used < size)
			used += (size_t)snprintf(out + used, size - used, " in dimension %u",
						 d + 1);
	}
}

static void describe(struct halo_shifted *out, const struct halo_entry *e, unsigned shift)
{
	bool fortran = e->order == 'F';
	const char *own = fortran ? "is what is given the own part alone? then say first=dvmdbg_own"
				  : "is the pointer that of the first own element? then say .first "
				    "= DVMDBG_OWN";
	const char *stored = fortran ? "does what is given begin with the halo? then leave out "
				       "first=dvmdbg_own"
				     : "is the pointer that of the first stored element, halo "
				       "included? then leave out .first = DVMDBG_OWN";
	char by[200];

	words_of(e, shift, by, sizeof(by));
	snprintf(out->array, sizeof(out->array), "%s", e->array);
	snprintf(out->text, sizeof(out->text),
		 "the contents of %s look shifted by %s against the neighbours' edges (registered "
		 "at %s:%u): %s",
		 e->array, by, e->file, e->line,
		 shift == HALO_AS_STORED ? stored
		 : shift == HALO_AS_OWN
			 ? own
			 : "does it begin at its first own element in that dimension? then give "
			   "what begins with the halo in all");
}

static bool is_known(const struct halo_shifted *out, size_t n, const char *array)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(out[i].array, array))
			return true;
	return false;
}

/* The most dimensions that any stale array has. */
static unsigned dims_of(const struct halo_report *r)
{
	unsigned most = 0;

	for (size_t i = 0; i < r->n; i++)
		most = r->entry[i].ndim > most ? r->entry[i].ndim : most;
	return most;
}

size_t halo_shifted(struct session *s, struct halo_shifted out[HALO_SHIFTED])
{
	struct halo_report now, view;
	unsigned last;
	size_t n = 0;

	if (halo_check_shift(s, HALO_AS_IS, &now, NULL))
		return 0;
	last = dims_of(&now) > 1 ? HALO_AS_OWN + dims_of(&now) : HALO_AS_OWN;
	for (unsigned shift = HALO_AS_STORED; now.n && shift <= last; shift++) {
		if (halo_check_shift(s, shift, &view, NULL))
			continue;
		for (size_t i = 0; i < now.n && n < HALO_SHIFTED; i++) {
			const struct halo_entry *e = &now.entry[i];

			if (!is_known(out, n, e->array) && fits(&view, &now, e, shift))
				describe(&out[n++], e, shift);
		}
		halo_report_clear(&view);
	}
	halo_report_clear(&now);
	return n;
}
