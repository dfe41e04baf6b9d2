/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to try when elements of a distributed array are wrong: one piece of advice, by the strongest
 * evidence there is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/locate/internal.h"

static bool says(const struct locate *l, const char *word)
{
	return l->values.there && l->values.diff.shape && strstr(l->values.diff.shape, word);
}

static bool is_odd(const struct value *v)
{
	return (v->class == VALUE_IS_REAL || v->class == VALUE_IS_COMPLEX) &&
	       (!isfinite(v->re) || (v->class == VALUE_IS_COMPLEX && !isfinite(v->im)));
}

static const char *begin_of(const struct mismatch *m, char out[POINT_TEXT])
{
	struct point begin = m->point;

	begin.side = POINT_BEGIN;
	return point_format(&begin, out);
}

static const char *element(const struct locate *l, char *out, size_t size)
{
	const struct mismatch *m = l->m;

	return diff_element(m->id.name, m->id.order, l->values.now.desc.ndim, l->values.diff.first,
			    out, size);
}

/* It was wrong before the construct, or the construct has not set it. */
static bool of_begin(const struct locate *l, json_t *hints)
{
	const struct mismatch *m = l->m;
	char begin[POINT_TEXT], previous[POINT_TEXT];

	if (l->values.spoilt && m->previous.main)
		locate_hint(
			hints,
			"%s was right at %s and is wrong at %s: look at what sets it between "
			"these, outside of constructs or in one that does not name it: messages "
			"that are received into it, pointers that are exchanged, writes beyond "
			"the bounds of something else",
			m->id.name, point_format(&m->previous, previous), begin_of(m, begin));
	else if (l->values.spoilt)
		locate_hint(hints, "%s is wrong at %s already: look at how it is set before that",
			    m->id.name, begin_of(m, begin));
	else if (l->values.unwritten)
		locate_hint(
			hints,
			"the loop at %s leaves these elements as they were at %s: do its bounds "
			"cover them on these ranks, from the first to the last index, and does "
			"a condition leave them out?",
			m->where, begin_of(m, begin));
	else
		return false;
	return true;
}

static bool of_halo(const struct locate *l, json_t *hints)
{
	const struct locate_halo *h = &l->halo;
	char point[POINT_TEXT];

	if (!h->cause || !h->n)
		return false;
	locate_hint(hints,
		    "%slook for the exchange of %s between %s and the loop at %s: is it there, for "
		    "this side, of the right elements, and waited for?",
		    h->sure ? "" : "if the loop reads that halo: ", h->cause->array,
		    h->told[0].since.main ? point_format(&h->told[0].since, point)
					  : "where it is set",
		    l->m->where);
	if (h->origin)
		locate_hint(hints,
			    "if the halo of %s is computed, not received: the halo of %s, which it "
			    "may come from, was stale on the same side",
			    h->cause->array, h->origin->array);
	return true;
}

static bool of_shift(const struct locate *l, json_t *hints)
{
	const struct locate_values *v = &l->values;
	long long far = (long long)(v->shift < 0 ? -v->shift : v->shift);

	if (!v->shift)
		return false;
	if (v->shift_dim < 0)
		locate_hint(hints,
			    "on rank %u the values are those of the elements with rows and columns "
			    "exchanged: look at the order of indices in the loop at %s",
			    v->shift_rank, l->m->where);
	else if (v->shift_local)
		locate_hint(hints,
			    "on rank %u the values are those of the elements %lld lower in "
			    "dimension %d, as if its part began at the first index: is a local "
			    "index used where a global one is meant, in the loop at %s?",
			    v->shift_rank, far, v->shift_dim + 1, l->m->where);
	else
		locate_hint(hints,
			    "on rank %u the values are those of the elements %lld %s in dimension "
			    "%d: look at the offset from local to global indices in the loop at %s",
			    v->shift_rank, far, v->shift < 0 ? "lower" : "higher", v->shift_dim + 1,
			    l->m->where);
	return true;
}

/* By where in the array the wrong elements are. */
static void by_place(const struct locate *l, json_t *hints)
{
	const char *where = l->m->where;
	char text[300];

	if (says(l, "nearly all that"))
		locate_hint(hints,
			    "nearly all that these ranks own is wrong: look at constants and "
			    "variables that have another value there (differ shows the registered "
			    "ones), and at the offset from local to global indices, in the loop at "
			    "%s",
			    where);
	else if (says(l, "all that"))
		locate_hint(hints,
			    "all that these ranks own is wrong: look for a variable or constant "
			    "that has another value there (differ shows the registered ones), and "
			    "for local indices in place of global ones");
	else if (says(l, "everywhere"))
		locate_hint(hints,
			    "it is wrong everywhere: look at what the whole loop at %s uses: "
			    "constants, results of reductions, arrays that are gathered or "
			    "broadcast",
			    where);
	else if (l->values.there && l->values.diff.differ == 1)
		locate_hint(hints,
			    "print %s, and what it is computed from, where the loop at %s begins, "
			    "here and on %d rank%s: what differs is the cause",
			    element(l, text, sizeof(text)), where, l->ref_ranks,
			    l->ref_ranks == 1 ? "" : "s");
	else if (says(l, "boundary") || says(l, "the last ") || says(l, "the first ") ||
		 says(l, "corner") || says(l, "edges"))
		locate_hint(hints,
			    "these are elements at the edge of what ranks own: look at what the "
			    "loop at %s does there, at its local bounds, and at what it reads from "
			    "beyond the edge",
			    where);
	else if (l->values.there)
		locate_hint(hints,
			    "print what %s is computed from, where the loop at %s begins, here and "
			    "on %d rank%s; %s is the first that is wrong",
			    l->m->id.name, where, l->ref_ranks, l->ref_ranks == 1 ? "" : "s",
			    element(l, text, sizeof(text)));
	else
		locate_hint(hints, "look at what the loop at %s reads, and at its bounds", where);
}

void locate_array_hints(const struct locate *l, json_t *hints)
{
	if (of_begin(l, hints))
		return;
	if (l->values.there && is_odd(&l->values.diff.first_now) &&
	    !is_odd(&l->values.diff.first_ref))
		locate_hint(hints,
			    "it is not a number: look for a division by zero, a root of something "
			    "negative, and memory that was never set, in what the loop at %s reads "
			    "for this element",
			    l->m->where);
	else if (!of_halo(l, hints) && !of_shift(l, hints))
		by_place(l, hints);
}
