/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to try, by what locate has seen.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/construct.h"
#include "frontend/locate_priv.h"
#include "frontend/out.h"
#include "frontend/session.h"
#include "frontend/settings.h"

static void add(json_t *hints, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(json_t *hints, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		json_array_append_new(hints, out_json_text(text));
	free(text);
}

static bool says(const struct locate *l, const char *word)
{
	return l->values.there && l->values.diff.shape && strstr(l->values.diff.shape, word);
}

static bool is_odd(const struct value *v)
{
	return (v->class == VALUE_IS_REAL || v->class == VALUE_IS_COMPLEX) &&
	       (!isfinite(v->re) || (v->class == VALUE_IS_COMPLEX && !isfinite(v->im)));
}

/* By where in the array the wrong elements are. */
static void by_place(struct locate *l, json_t *hints)
{
	const char *name = l->m->id.name;

	if (l->values.there && is_odd(&l->values.diff.first_now) &&
	    !is_odd(&l->values.diff.first_ref))
		add(hints,
		    "it is no number: look for a division by zero, a root of something negative, "
		    "and "
		    "memory that was never set, in what the loop at %s reads for this element",
		    l->m->where);
	if (says(l, "boundary") || says(l, "the last ") || says(l, "the first "))
		add(hints,
		    "these are elements at the edge of what ranks own: look at the local bounds of "
		    "the "
		    "loop at %s, and at what it reads from beyond the edge",
		    l->m->where);
	else if (says(l, "all that"))
		add(hints,
		    "all that these ranks own is wrong: look for a variable or constant that has "
		    "another value there (differ shows the registered ones)");
	else if (says(l, "one element") || says(l, "corner"))
		add(hints,
		    "is %s set there at all, and from what? print it, and what it is computed "
		    "from, "
		    "at the point before",
		    name);
	else if (says(l, "everywhere"))
		add(hints,
		    "it is wrong everywhere: look at constants, and at results of reductions that "
		    "the "
		    "loop at %s uses",
		    l->m->where);
}

static void of_object(const struct mismatch *m, json_t *hints)
{
	char point[POINT_TEXT];

	if (m->between)
		add(hints,
		    "%s got this value between the %s at %s and %s: look where it is set there, "
		    "and at "
		    "what it is computed from; if by a reduction, at its operation and operands",
		    m->id.name, construct_words(m->construct), m->where,
		    point_format(&m->point, point));
	else
		add(hints,
		    "all ranks have this value of %s: look at the reduction that makes it, its "
		    "operation, operands and communicator",
		    m->id.name);
}

static void of_copies(const struct mismatch *m, json_t *hints)
{
	char point[POINT_TEXT], ranks[256];

	add(hints, "%s is meant to be equal on all ranks: look where it is set %s%s", m->id.name,
	    m->previous.main ? "after " : "before the first point",
	    m->previous.main ? point_format(&m->previous, point) : "");
	if (m->wrong.n && m->same.n)
		add(hints,
		    "other ranks than %s have what the reference has: does it get to these? "
		    "MPI_Reduce in place of MPI_Allreduce leaves it on one rank, as does a "
		    "broadcast that is missing, too early, or within another communicator",
		    rankset_format(&m->wrong, ranks, sizeof(ranks)));
}

static void of_mismatch(struct locate *l, json_t *hints)
{
	const struct mismatch *m = l->m;
	const struct locate_halo *h = &l->halo;
	char point[POINT_TEXT];

	if (h->n)
		add(hints,
		    "look for the exchange of %s between %s and the loop at %s: is it there, for "
		    "this "
		    "side, of the right elements, and waited for?",
		    h->cause[0]->array,
		    h->since[0].main ? point_format(&h->since[0], point) : "where it is set",
		    m->where);
	if (m->unwritten && !m->previous.main &&
	    (m->kind == MISMATCH_VALUE || m->kind == MISMATCH_COPIES))
		add(hints,
		    "%s was wrong when it was looked at first, and nothing had changed it since it "
		    "was registered or since the first point: look at how it is set before the %s "
		    "at "
		    "%s",
		    m->id.name, construct_words(m->construct), m->where);
	else if (m->kind == MISMATCH_COPIES)
		of_copies(m, hints);
	else if (m->kind == MISMATCH_PARTS)
		add(hints,
		    "each element of %s must be owned by one rank: look at the bounds that it is "
		    "registered with, and at who gets what is left over when its extent is not a "
		    "multiple of the number of ranks",
		    m->id.name);
	else if (m->idle)
		add(hints,
		    "the reference has changed %s by then, this run has not: is what sets it "
		    "reached?",
		    m->id.name);
	else if (m->kind == MISMATCH_VALUE && m->id.kind == ARRAY_REPLICATED)
		of_object(m, hints);
	else if (m->kind == MISMATCH_VALUE && !h->n)
		by_place(l, hints);
	else if (m->kind == MISMATCH_CONSTRUCT)
		add(hints,
		    "the runs take different ways after %s: look at the conditions and the ends of "
		    "loops there; do they depend on the number of ranks, on what one rank owns, or "
		    "on "
		    "a value that is not the same on all of them?",
		    m->previous.main ? point_format(&m->previous, point) : "their start");
	else if (m->kind == MISMATCH_SHAPE)
		add(hints,
		    "%s must have the same global shape for any number of ranks: look at the "
		    ".shape, "
		    ".lower and type that it is registered with, and at what these come from",
		    m->id.name);
	else if (m->kind == MISMATCH_ABSENT)
		add(hints,
		    "an object that only one run registers, or under another name or line, cannot "
		    "be compared");
}

/* Why there was nothing to compare. */
static void of_nothing(struct locate *l, json_t *hints)
{
	const struct settings *set = l->s->set;

	if (!l->annotated)
		add(hints,
		    "%s has no annotations: include dvmdbg.h (Fortran: use dvmdbg), mark the "
		    "parallel "
		    "loops with DVMDBG_PL and register the arrays with DVMDBG_ARRAY",
		    l->s->spec.argv[0]);
	else if (!l->points)
		add(hints,
		    "no parallel loop or task region was passed: mark them with DVMDBG_PL and "
		    "DVMDBG_TR");
	else
		add(hints, "parallel loops were passed, but there are no checksums: register the "
			   "arrays that they "
			   "write with DVMDBG_ARRAY, and scalars that all ranks have with "
			   "DVMDBG_REPLICATED");
	if (*settings_text(set, "StartPoint") || *settings_text(set, "FinishPoint"))
		add(hints, "StartPoint and FinishPoint leave points out");
}

json_t *locate_hints(struct locate *l)
{
	json_t *hints = json_array();
	int n = l->s->spec.n ? l->s->spec.n : 1;

	if (l->m)
		of_mismatch(l, hints);
	else if (l->verdict == LOCATE_BLIND)
		of_nothing(l, hints);
	else if ((l->verdict == LOCATE_EQUAL || l->verdict == LOCATE_ROUNDING) && n == 1 &&
		 l->ref_ranks == 1)
		add(hints,
		    "on one rank no fault of the distribution can show, only what differs from run "
		    "to run, or from the reference's program: -n 4 compares with 4 ranks");
	else if (l->verdict == LOCATE_EQUAL && l->ref_ranks > 1)
		add(hints,
		    "a fault that %d ranks have as well cannot show: a reference on one rank is "
		    "the one that is right",
		    l->ref_ranks);
	return hints;
}
