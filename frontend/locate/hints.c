/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to try, by what locate has seen.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

void locate_hint(json_t *hints, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	json_array_append_new(hints, out_json_text(text));
	free(text);
}

static void of_object(const struct mismatch *m, json_t *hints)
{
	char point[POINT_TEXT];

	if (m->between)
		locate_hint(hints,
			    "%s got this value between the %s at %s and %s: look where it is set "
			    "there, "
			    "and at "
			    "what it is computed from; if by a reduction, at its operation and "
			    "operands",
			    m->id.name, construct_words(m->construct), m->where,
			    point_format(&m->point, point));
	else
		locate_hint(
			hints,
			"all ranks have this value of %s: look at the reduction that makes it, its "
			"operation, operands and communicator",
			m->id.name);
}

static void of_copies(const struct mismatch *m, json_t *hints)
{
	char point[POINT_TEXT], ranks[256];

	locate_hint(hints, "%s is meant to be equal on all ranks: look where it is set %s%s",
		    m->id.name, m->previous.main ? "after " : "before the first point",
		    m->previous.main ? point_format(&m->previous, point) : "");
	if (m->wrong.n && m->same.n)
		locate_hint(hints,
			    "ranks other than %s have the value of the reference: does it get to "
			    "these? MPI_Reduce in place of MPI_Allreduce leaves it on one rank; a "
			    "reduction or broadcast may be missing, too early, or within another "
			    "communicator",
			    rankset_format(&m->wrong, ranks, sizeof(ranks)));
}

static void of_mismatch(struct locate *l, json_t *hints)
{
	const struct mismatch *m = l->m;
	char point[POINT_TEXT];

	if (l->advice)
		locate_hint(hints, "%s", l->advice);
	else if (m->unwritten && !m->previous.main &&
		 (m->kind == MISMATCH_VALUE || m->kind == MISMATCH_COPIES))
		locate_hint(hints,
			    "%s was wrong at its first check, and had not changed since it was "
			    "registered or since the first point: look at how it is set before the "
			    "%s at %s",
			    m->id.name, construct_words(m->construct), m->where);
	else if (m->kind == MISMATCH_COPIES)
		of_copies(m, hints);
	else if (m->kind == MISMATCH_PARTS)
		locate_hint(hints,
			    "each element of %s must be owned by one rank: look at the bounds that "
			    "it is registered with, and at which rank gets the rest when its "
			    "extent is not a multiple of the number of ranks",
			    m->id.name);
	else if (m->idle)
		locate_hint(
			hints,
			"the reference has changed %s by then, this run has not: is the statement "
			"that sets it executed?",
			m->id.name);
	else if (m->kind == MISMATCH_VALUE && m->id.kind == ARRAY_REPLICATED)
		of_object(m, hints);
	else if (m->kind == MISMATCH_VALUE)
		locate_array_hints(l, hints);
	else if (m->kind == MISMATCH_CONSTRUCT)
		locate_hint(hints,
			    "the runs execute different constructs after %s: look at the "
			    "conditions and the ends of loops there; do they depend on the number "
			    "of ranks, on what one rank owns, or on a value that is not the same "
			    "on all of them?",
			    m->previous.main ? point_format(&m->previous, point) : "their start");
	else if (m->kind == MISMATCH_SHAPE)
		locate_hint(
			hints,
			"%s must have the same global shape for any number of ranks: look at the "
			".shape, "
			".lower and type that it is registered with, and at what these come from",
			m->id.name);
	else if (m->kind == MISMATCH_ABSENT)
		locate_hint(hints, "an object that only one run registers, or under another name "
				   "or line, cannot "
				   "be compared");
}

/* Why there was nothing to compare. */
static void of_nothing(struct locate *l, json_t *hints)
{
	const struct settings *set = l->s->set;

	if (!l->annotated)
		locate_hint(
			hints,
			"%s has no annotations: include dvmdbg.h (Fortran: use dvmdbg), mark the "
			"parallel "
			"loops with DVMDBG_PL and register the arrays with DVMDBG_ARRAY",
			l->s->spec.argv[0]);
	else if (!l->points)
		locate_hint(
			hints,
			"no parallel loop or task region was passed: mark them with DVMDBG_PL and "
			"DVMDBG_TR");
	else
		locate_hint(hints,
			    "parallel loops were passed, but there are no checksums: register the "
			    "arrays that they "
			    "write with DVMDBG_ARRAY, and scalars that all ranks have with "
			    "DVMDBG_REPLICATED");
	if (*settings_text(set, "StartPoint") || *settings_text(set, "FinishPoint"))
		locate_hint(hints, "StartPoint and FinishPoint leave points out");
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
		locate_hint(hints,
			    "one rank shows no faults of the distribution, only what differs from "
			    "run to run, or from the reference's program: compare 4 ranks with -n "
			    "4");
	else if (l->verdict == LOCATE_EQUAL && l->ref_ranks > 1)
		locate_hint(hints,
			    "a fault that %d ranks have as well does not show: use a reference on "
			    "one rank",
			    l->ref_ranks);
	return hints;
}
