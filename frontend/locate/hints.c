/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to try, by what locate has seen.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "common/protocol/point_sums.h"
#include "frontend/hang/hang.h"
#include "frontend/locate/internal.h"
#include "frontend/reference/reference.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

__attribute__((format(printf, 2, 3))) static void hint(json_t *hints, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	json_array_append_new(hints, out_json_text(text));
	free(text);
}

/* ---- of a distributed array: one piece of advice, by the strongest evidence there is ---- */

static enum diff_where where_of(const struct locate *l)
{
	return l->values.there ? l->values.diff.where : DIFF_ANYWHERE;
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

	if (m->finish || m->gone)
		hint(hints,
		     "look at what sets %s after %s, outside of constructs: statements between the "
		     "last loop and %s, messages that are received into it, writes beyond the "
		     "bounds "
		     "of something else",
		     m->id.name,
		     m->previous.main ? point_format(&m->previous, previous) : "the start",
		     m->gone ? "where it is forgotten or freed" : "MPI_Finalize or exit");
	else if (l->values.spoilt && m->previous.main)
		hint(hints,
		     "%s was right at %s and is wrong at %s: look at what sets it between "
		     "these, outside of constructs or in one that does not name it: messages "
		     "that are received into it, pointers that are exchanged, writes beyond "
		     "the bounds of something else",
		     m->id.name, point_format(&m->previous, previous), begin_of(m, begin));
	else if (l->values.spoilt)
		hint(hints, "%s is wrong at %s already: look at how it is set before that",
		     m->id.name, begin_of(m, begin));
	else if (l->values.unwritten)
		hint(hints,
		     "after the loop at %s these elements have the values of %s, which the "
		     "reference changes: does it come to them on these ranks, by its bounds and "
		     "conditions? If it does, it sets them to the same again: look at what it "
		     "reads for them",
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
	hint(hints,
	     "%slook for the exchange of %s between %s and the loop at %s: is it there, for "
	     "this side, of the right elements, and waited for?",
	     h->sure ? "" : "if the loop reads that halo: ", h->cause->array,
	     h->reported[0].since.main ? point_format(&h->reported[0].since, point)
				       : "where it is set",
	     l->m->where);
	if (h->origin)
		hint(hints,
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
		hint(hints,
		     "on rank %u the values are those of the elements with rows and columns "
		     "exchanged: look at the order of indices in the loop at %s",
		     v->shift_rank, l->m->where);
	else if (v->shift_local)
		hint(hints,
		     "on rank %u the values are those of the elements %lld lower in "
		     "dimension %d, as if its part began at the first index: is a local "
		     "index used where a global one is meant, in the loop at %s?",
		     v->shift_rank, far, v->shift_dim + 1, l->m->where);
	else
		hint(hints,
		     "on rank %u the values are those of the elements %lld %s in dimension "
		     "%d: look at the offset from local to global indices in the loop at %s",
		     v->shift_rank, far, v->shift < 0 ? "lower" : "higher", v->shift_dim + 1,
		     l->m->where);
	return true;
}

/* How near the first or last index of dimension d elements read halo that no rank owns; 0: none. */
static int64_t edge_reach(const struct locate_values *v, unsigned d)
{
	int64_t most = 0;

	for (size_t i = 0; i < v->nowner; i++) {
		const struct array_desc *a = &v->owner[i].desc;

		if (d >= a->ndim || a->periodic >> d & 1)
			continue;
		if (a->own_lo[d] == a->lower[d] && a->halo_lo[d] > most)
			most = a->halo_lo[d];
		if (a->own_hi[d] == a->lower[d] + a->extent[d] - 1 &&
		    a->halo_hi[d] > most)
			most = a->halo_hi[d];
	}
	return most;
}

bool locate_beyond(const struct locate_values *v)
{
	bool any = false;

	for (unsigned d = 0; v->there && d < v->now.desc.ndim; d++)
		any |= edge_reach(v, d) > 0;
	return any;
}

/* The wrong elements are where they may be computed from halo beyond the array, in one dimension;
 * -1: not all of them do. */
static int array_edge(const struct locate_values *v)
{
	const struct section *s = &v->now.section;
	int edge = -1;

	for (unsigned d = 0; d < s->ndim && edge < 0; d++) {
		int64_t reach = edge_reach(v, d), low = v->now.desc.lower[d];
		int64_t high = low + v->now.desc.extent[d] - 1;
		uint64_t inside = 0, behind = 1;

		for (unsigned k = d + 1; k < s->ndim; k++)
			behind *= section_count(s, k);
		for (uint64_t i = 0; i < v->diff.total && reach && !inside; i++) {
			int64_t g = section_index(s, d, i / behind % section_count(s, d));

			inside += v->diff.bits[i / 64] >> (i % 64) & 1 && g - low >= reach &&
				  high - g >= reach;
		}
		if (reach && !inside)
			edge = (int)d;
	}
	return edge;
}

/* What is computed from halo that no rank owns, and which is never compared. */
static bool of_array_edge(const struct locate *l, json_t *hints)
{
	const struct locate_values *v = &l->values;
	int d = v->there && v->now.section.ndim == v->now.desc.ndim ? array_edge(v) : -1;

	if (d < 0)
		return false;
	hint(hints,
	     "these elements are at the array's own edge in dimension %d: if the loop at %s reads "
	     "the halo beyond it, which no rank owns, look at what sets that: a boundary "
	     "condition, or in a periodic array the exchange with the other end",
	     d + 1, l->m->where);
	return true;
}

/* By where in the array the wrong elements are. */
static void by_place(const struct locate *l, json_t *hints)
{
	enum diff_where wrong = where_of(l);
	const char *where = l->m->where;
	char text[300];

	if (wrong == DIFF_NEARLY_OWNED)
		hint(hints,
		     "nearly all that these ranks own is wrong: look at constants and "
		     "variables that have another value there (differ shows the registered "
		     "ones), and at the offset from local to global indices, in the loop at "
		     "%s",
		     where);
	else if (wrong == DIFF_OWNED)
		hint(hints, "all that these ranks own is wrong: look for a variable or constant "
			    "that has another value there (differ shows the registered ones), and "
			    "for local indices in place of global ones");
	else if (wrong == DIFF_EVERYWHERE)
		hint(hints,
		     "it is wrong everywhere: look at what the whole loop at %s uses: "
		     "constants, results of reductions, arrays that are gathered or "
		     "broadcast",
		     where);
	else if (l->values.there && l->values.diff.differ == 1)
		hint(hints,
		     "print %s, and what it is computed from, where the loop at %s begins, "
		     "here and on %d rank%s: what differs is the cause",
		     element(l, text, sizeof(text)), where, l->ref_ranks,
		     l->ref_ranks == 1 ? "" : "s");
	else if (wrong == DIFF_AT_EDGES)
		hint(hints,
		     "these are elements at the edge of what ranks own: look at what the "
		     "loop at %s does there, at its local bounds, and at what it reads from "
		     "beyond the edge",
		     where);
	else if (l->values.there)
		hint(hints,
		     "print what %s is computed from, where the loop at %s begins, here and "
		     "on %d rank%s; %s is the first that is wrong",
		     l->m->id.name, where, l->ref_ranks, l->ref_ranks == 1 ? "" : "s",
		     element(l, text, sizeof(text)));
	else
		hint(hints, "look at what the loop at %s reads, and at its bounds", where);
}

static void array_hints(const struct locate *l, json_t *hints)
{
	if (l->values.there && !l->values.diff.differ) {
		hint(hints,
		     "no element of %s differs by more than the tolerance, but all together do: "
		     "this may be rounding, of sums in another order for instance",
		     l->m->id.name);
		return;
	}
	if (of_begin(l, hints))
		return;
	if (of_halo(l, hints))
		return;
	if (l->values.there && is_odd(&l->values.diff.first_now) &&
	    !is_odd(&l->values.diff.first_ref))
		hint(hints,
		     "it is not a number: look for a division by zero, a root of something "
		     "negative, and memory that was never set, in what the loop at %s reads "
		     "for this element",
		     l->m->where);
	else if (!of_shift(l, hints) && !of_array_edge(l, hints))
		by_place(l, hints);
}

/* Values that are in another place than they should: what that looks like. */
static void of_astray(const struct locate *l, json_t *hints)
{
	const json_t *write = json_object_get(l->trace, "write");
	const char *rule =
		json_string_value(json_object_get(json_object_get(write, "astray"), "rule"));
	const char *place = json_string_value(json_object_get(write, "place"));
	const struct locate_astray *a = NULL;
	char text[LOCATE_RULE];

	if (rule)
		hint(hints, "the loop writes %s: does the index%s%s say what is meant?", rule,
		     place ? " at " : "", place ? place : "");
	for (size_t i = 0; i < l->halo.n && !a; i++)
		a = locate_astray_of(l, l->halo.reported[i].e);
	if (a && a->fit.kind)
		hint(hints,
		     "the halo of %s on rank %u has values of other elements, %s: look at which "
		     "elements the exchange sends from rank %u, and at where it puts them",
		     a->e->array, a->e->rank, locate_astray_text(a, text), a->e->owner);
}

/* ---- of other objects, and what follows ---- */

/* A collective has set it: what goes in decides. */
static void of_collective(const struct locate *l, json_t *hints)
{
	hint(hints, LOCATE_RESULT_ADVICE, l->set_by, l->m->id.name);
}

static void of_object(const struct locate *l, const struct mismatch *m, json_t *hints)
{
	char point[POINT_TEXT];

	if (l->set_by)
		of_collective(l, hints);
	else if (m->between)
		hint(hints,
		     "%s got this value between the %s at %s and %s: look where it is set "
		     "there, "
		     "and at "
		     "what it is computed from; if by a reduction, at its operation and "
		     "operands",
		     m->id.name, construct_words(m->construct), m->where,
		     point_format(&m->point, point));
	else
		hint(hints,
		     "all ranks have this value of %s: look at the reduction that makes it, its "
		     "operation, operands and communicator",
		     m->id.name);
}

static void of_copies(const struct locate *l, const struct mismatch *m, json_t *hints)
{
	char point[POINT_TEXT], ranks[256];

	if (l->set_by)
		of_collective(l, hints);
	hint(hints, "%s is meant to be equal %s: look where it is set %s%s", m->id.name,
	     m->id.kind == ARRAY_DISTRIBUTED ? "in all its copies" : "on all ranks",
	     m->previous.main ? "after " : "before the first point",
	     m->previous.main ? point_format(&m->previous, point) : "");
	if (m->wrong.n && m->same.n)
		hint(hints,
		     "ranks other than %s have the value of the reference: does it get to "
		     "these? MPI_Reduce in place of MPI_Allreduce leaves it on one rank; a "
		     "reduction or broadcast may be missing, too early, too short, or within "
		     "another communicator",
		     rankset_format(&m->wrong, ranks, sizeof(ranks)));
}

/* What makes runs differ from one to the next: no cause is sought in them. */
static void of_varying(const struct locate *l, json_t *hints)
{
	const char *whose = l->ref_again == AGAIN_OTHER ? "the reference" : "the program";

	if (l->raced) {
		hint(hints,
		     "look at receives and probes with MPI_ANY_SOURCE or MPI_ANY_TAG, "
		     "MPI_Waitany, MPI_Test and their relatives: the result must not depend on "
		     "what comes first");
		if (!l->spec->with)
			hint(hints,
			     "to compare runs in one order: dvmdbg record -order -o DIR -n %d "
			     "PROGRAM ARGS, then locate -r DIR on as many ranks",
			     l->s->spec.n ? l->s->spec.n : 1);
		return;
	}
	hint(hints,
	     "no cause is %s, as %s is not the same in each run: look for random numbers, "
	     "time, "
	     "memory that was never set, and a wait or a synchronisation that is missing",
	     l->because && l->about & LOCATE_STALE ? "sure" : "stated", whose);
	if (l->because && l->about & LOCATE_STALE)
		hint(hints,
		     "in the traced run %s: is the call that brings it complete by then? Look for "
		     "its wait",
		     l->because);
	if (l->ref_again == AGAIN_OTHER && l->spec->with && !reference_info(l->ref)->order)
		hint(hints, "if it is the order of messages: record -order keeps that in the "
			    "reference, and locate -r follows it");
}

static void of_traces(struct locate *l, json_t *hints)
{
	if (l->advice)
		hint(hints, "%s", l->advice);
	if (l->also_advice)
		hint(hints, "%s", l->also_advice);
}

/* Replicated objects that are equal on all ranks, and not what they are in the reference: conditions
 * may depend on them. */
static void of_objects(struct locate *l, json_t *hints)
{
	const struct compare *c = checker_comparison(l->s->checker);
	struct sums_point *p = checker_objects(l->s->checker, NULL);

	for (size_t i = 0; c && p && i < p->n; i++) {
		const struct sums_array *a = &p->array[i];
		const struct sum_result *ref;
		struct sum_difference d = { .verdict = SUM_FAULT };
		struct sum_tolerance tol;
		char *by;

		ref = a->kind == ARRAY_REPLICATED && a->sum && !a->copies.n ? compare_known(c, a)
									     : NULL;
		if (!ref || ref->plan.total != 1 || a->sum->plan.total != 1)
			continue;
		tol = compare_limit(c, a, &ref->plan);
		if (sum_compare(ref, a->sum, &tol, &d, NULL) || d.verdict != SUM_FAULT)
			continue;
		by = hang_result_of(l->s, a->name, 0);
		hint(hints,
		     "%s is %.10g there, and %.10g in the reference: look at %s, at what each rank "
		     "gives to a reduction, at its operation, and at conditions that depend on %s",
		     a->name, sum_mean(a->sum, 0), sum_mean(ref, 0), by ? by : "what sets it",
		     a->name);
		free(by);
	}
	sums_point_destroy(p);
}

static void of_mismatch(struct locate *l, json_t *hints)
{
	const struct mismatch *m = l->m;
	char point[POINT_TEXT];

	if (locate_varies(l) && !l->early)
		of_varying(l, hints);
	else if (l->advice || l->also_advice)
		of_traces(l, hints);
	else if (m->unwritten && !m->previous.main &&
		 (m->kind == MISMATCH_VALUE || m->kind == MISMATCH_COPIES))
		hint(hints,
		     "%s was wrong at its first check, and had not changed since it was "
		     "registered or since the first point: look at how it is set before the "
		     "%s at %s",
		     m->id.name, construct_words(m->construct), m->where);
	else if (m->kind == MISMATCH_COPIES)
		of_copies(l, m, hints);
	else if (m->kind == MISMATCH_PARTS)
		hint(hints,
		     "each element of %s must be owned by one rank: look at the bounds that "
		     "it is registered with, and at which rank gets the rest when its "
		     "extent is not a multiple of the number of ranks",
		     m->id.name);
	else if (m->idle)
		hint(hints,
		     "the reference has changed %s by then, this run has not: is the statement "
		     "that sets it executed?",
		     m->id.name);
	else if (m->kind == MISMATCH_VALUE && m->id.kind == ARRAY_REPLICATED)
		of_object(l, m, hints);
	else if (m->kind == MISMATCH_VALUE)
		array_hints(l, hints);
	else if (m->kind == MISMATCH_CONSTRUCT) {
		of_objects(l, hints);
		hint(hints,
		     "the runs execute different constructs after %s: look at the "
		     "conditions and the ends of loops there; do they depend on the number "
		     "of ranks, on what one rank owns, or on a value that is not the same "
		     "on all of them?",
		     m->previous.main ? point_format(&m->previous, point) : "their start");
	} else if (m->kind == MISMATCH_SHAPE)
		hint(hints,
		     "%s must have the same global shape for any number of ranks: look at the "
		     "%s and type that it is registered with, and at what these come from",
		     m->id.name, m->id.order == 'F' ? "shape, lower" : ".shape, .lower");
	else if (m->kind == MISMATCH_ABSENT)
		hint(hints, "an object that only one run registers, or under another name "
			    "or line, cannot "
			    "be compared");
}

/* Why there was nothing to compare. */
static void of_nothing(struct locate *l, json_t *hints)
{
	const struct settings *set = l->s->set;
	bool fortran = l->s->job && job_fortran(l->s->job);

	if (!l->annotated)
		hint(hints,
		     "%s has no annotations: include dvmdbg.h, mark the parallel loops with "
		     "DVMDBG_PL and register the arrays with DVMDBG_ARRAY; in Fortran: use dvmdbg, "
		     "call dvmdbg_pl_begin, dvmdbg_pl_end, and dvmdbg_array",
		     l->s->spec.argv[0]);
	else if (!l->points)
		hint(hints, "no parallel loop or task region was passed: mark them with %s",
		     fortran ? "call dvmdbg_pl_begin or dvmdbg_tr_begin, and their ends"
			     : "DVMDBG_PL and DVMDBG_TR");
	else
		hint(hints,
		     "parallel loops were passed, but there are no checksums: register the arrays "
		     "that they write with %s, and scalars that all ranks have with %s",
		     fortran ? "call dvmdbg_array" : "DVMDBG_ARRAY",
		     fortran ? "call dvmdbg_replicated" : "DVMDBG_REPLICATED");
	if (*settings_text(set, "StartPoint") || *settings_text(set, "FinishPoint"))
		hint(hints, "StartPoint and FinishPoint leave points out");
}

/* What is printed is of nothing that is compared. */
static void of_printed(const struct locate *l, json_t *hints)
{
	if (l->because) {
		hint(hints, "likely, %s: %s", l->because, l->advice);
		return;
	}
	hint(hints,
	     "no registered object has that number: register the variable that is printed, and "
	     "what "
	     "it is computed from, with %s, to see where it is wrong first; if a reduction makes "
	     "it: "
	     "look at what each rank gives to that, at its operation and communicator",
	     l->s->job && job_fortran(l->s->job) ? "call dvmdbg_replicated" : "DVMDBG_REPLICATED");
}

/* The reference has failed, which has other ranks than the program. */
static void of_failure(struct locate *l, int n, json_t *hints)
{
	if (l->ref_ranks == n)
		return;
	hint(hints,
	     "if the program needs more than %d rank%s: --ref-ranks N (locate -ranks N) makes the "
	     "reference on N ranks",
	     l->ref_ranks, l->ref_ranks == 1 ? "" : "s");
	hint(hints, "if it needs other arguments there: dvmdbg record -o DIR -n N -- PROGRAM ARGS "
		    "records the reference with them, and locate -with DIR compares with that");
	hint(hints, "if it runs on one number of ranks alone: pair runs another version of it, "
		    "which is right, beside it; type help pair");
}

json_t *locate_hints(struct locate *l)
{
	json_t *hints = json_array();
	int n = l->s->spec.n ? l->s->spec.n : 1;

	if (l->nshifted) {
		hint(hints, "mend the registration, then try again: what else is reported may only "
			    "follow from it");
		return hints;
	}
	if (l->parted) {
		hint(hints,
		     "look at what decides there which way a rank takes: a condition or the end "
		     "of a loop that depends on the rank, on what it owns, or on a value that is "
		     "not the same on all ranks");
		return hints;
	}
	if (l->m) {
		of_mismatch(l, hints);
		if (!locate_varies(l))
			of_astray(l, hints);
		if (l->spec->suspect)
			hint(hints, "%s", l->spec->suspect);
		if (l->spec->unlike && !l->because && l->m->kind != MISMATCH_CONSTRUCT)
			hint(hints, "%s", l->spec->unlike);
		return hints;
	}
	if (l->verdict == LOCATE_PRINTED && l->spec->unlike && !l->because)
		hint(hints, "%s", l->spec->unlike);
	if (l->traced)
		hint(hints, "%s is a trace alone: locate without it makes a reference, and looks "
			    "for the cause",
		     l->dir);
	else if (l->ref_bad)
		of_failure(l, n, hints);
	else if (l->nraces && !l->m)
		hint(hints, "%s", l->advice);
	else if (l->verdict == LOCATE_PRINTED)
		of_printed(l, hints);
	else if (l->verdict == LOCATE_BLIND)
		of_nothing(l, hints);
	else if ((l->verdict == LOCATE_EQUAL || l->verdict == LOCATE_ROUNDING) && n == 1 &&
		 l->ref_ranks == 1 && !l->spec->threads)
		hint(hints, "one rank shows no faults of the distribution, only what differs from "
			    "run to run, or from the reference's program: compare 4 ranks with -n "
			    "4");
	else if (l->verdict == LOCATE_EQUAL && l->ref_ranks > 1 && !l->spec->threads)
		hint(hints,
		     "a fault that %d ranks have as well does not show: use a reference on "
		     "one rank",
		     l->ref_ranks);
	return hints;
}
