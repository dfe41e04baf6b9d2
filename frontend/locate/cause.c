/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why the first wrong element is wrong, as traces show it, and what to try then: all but what
 * values are computed from.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "common/logical/rankset.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/traceview/traceview.h"

void locate_say(char **to, const char *fmt, ...)
{
	va_list ap;

	free(*to);
	va_start(ap, fmt);
	if (vasprintf(to, fmt, ap) < 0)
		*to = NULL;
	va_end(ap);
}

void locate_because(struct locate *l, unsigned about, const char *fmt, ...)
{
	va_list ap;

	free(l->because);
	va_start(ap, fmt);
	if (vasprintf(&l->because, fmt, ap) < 0)
		l->because = NULL;
	va_end(ap);
	l->about = about;
}

const char *locate_place(const struct locate_traced *t, const struct trace_spot *spot,
			 char out[LOCATE_TEXT])
{
	if (!*trace_spot_text(t->l->s->symbols, spot, out, LOCATE_TEXT))
		snprintf(out, LOCATE_TEXT, "an unknown line");
	return out;
}

void locate_root(struct locate *l, const char *place)
{
	json_t *o;

	if (!strchr(place, ':'))
		return;
	o = json_object();
	json_object_set_new(o, "place", out_json_text(place));
	json_object_set_new(l->trace, "root", o);
}

void locate_refute(struct locate *l)
{
	l->halo.refuted = true;
	l->halo.cause = l->halo.origin = NULL;
	l->halo.n = 0;
}

/* "(3,4)", of one index "3" */
static const char *iteration(const struct trace_finding *f, char out[LOCATE_TEXT])
{
	bool alone = f->nidx == 1;
	int n = snprintf(out, LOCATE_TEXT, "%s", alone ? "" : "(");

	for (unsigned d = 0; d < f->nidx && n < LOCATE_TEXT - 30; d++)
		n += snprintf(out + n, (size_t)(LOCATE_TEXT - n), "%s%lld", d ? "," : "",
			      (long long)f->index[d]);
	snprintf(out + n, (size_t)(LOCATE_TEXT - n), "%s", alone ? "" : ")");
	return out;
}

/* ---- iterations ---- */

/*
 * Whether the reference's write of the wrong element is of the loop, and this run has none; or this
 * run's is in that very iteration. A replicated object is set behind the loop.
 */
static bool explains(struct locate_traced *t, const struct trace_finding *f)
{
	struct point all = { 0 };
	struct locate_writes w;
	struct trace_thing e;
	bool does;

	if (t->l->m->id.kind == ARRAY_REPLICATED)
		return true;
	locate_element(t->l, &e);
	locate_last_writes(t, &e, TRACE_NO_RANK, &all, &w);
	if (f->kind == FINDING_MISSING)
		does = w.there && w.ref.point.main == f->point.main &&
		       !(w.here && w.now.point.main == f->point.main);
	else
		does = w.here && w.now.nidx == f->nidx && !locate_outside(&w.now) &&
		       !memcmp(w.now.index, f->index, f->nidx * sizeof(*f->index));
	locate_writes_clear(&w);
	return does;
}

static bool is_iteration(const struct trace_finding *f)
{
	return f->kind == FINDING_MISSING || f->kind == FINDING_ITERATION ||
	       f->kind == FINDING_TWICE;
}

void locate_better_iteration(struct locate_traced *t, struct trace_finding *f)
{
	struct trace_finding other;

	if (!is_iteration(f) || explains(t, f))
		return;
	for (size_t i = 0; i < t->found.n; i++) {
		if (trace_findings_get(&t->found, i, &other) || !is_iteration(&other) ||
		    other.kind == f->kind || other.point.main != f->point.main ||
		    !explains(t, &other))
			continue;
		*f = other;
		return;
	}
}

/* ---- marks that may be wrong ---- */

#define MOST_EDGES ((uint64_t)1 << 22) /* elements that are gone through */

/* The only side of a boundary between ranks that element i is on: 1 above, 2 below; 0: none, or
 * several, as in corners. */
static unsigned side_of(const struct locate_values *v, uint64_t i)
{
	unsigned side = 0, n = 0;

	for (size_t k = 0; k < v->nowner; k++) {
		const struct array_desc *a = &v->owner[k].desc;
		unsigned here = 0, edges = 0;
		bool own = true;

		for (unsigned d = 0; d < a->ndim && d < v->now.q.ndim; d++) {
			int64_t at = values_index(&v->now.q, d, values_place(&v->now.q, d, i));
			bool low = at == a->own_lo[d] && at > a->lower[d];
			bool high = at == a->own_hi[d] && at + 1 < a->lower[d] + a->extent[d];

			own &= at >= a->own_lo[d] && at <= a->own_hi[d];
			edges += low + high;
			here |= low ? 1 : high ? 2 : 0;
		}
		if (own) {
			side = here;
			n += edges;
		}
	}
	return n == 1 ? side : 0;
}

/* All that is wrong are edges of what ranks own, on both sides of their boundaries. */
static bool at_both_edges(const struct locate_values *v)
{
	uint64_t n = v->there ? values_total(&v->now.q) : 0;
	unsigned sides = 0;

	if (v->diff.where != DIFF_AT_EDGES || !v->diff.bits || v->diff.total != n || n > MOST_EDGES)
		return false;
	for (uint64_t i = 0; i < n && sides != 3; i++)
		if (v->diff.bits[i / 64] >> (i % 64) & 1)
			sides |= side_of(v, i);
	return sides == 3;
}

/*
 * Marks that were learned, or stand beside the source, may say that a loop sets all, where the
 * edges are set behind it, when the halo is there.
 */
static bool of_mark(struct locate_traced *t)
{
	struct locate *l = t->l;

	if (!l->s->marks_file || !l->values.unwritten || !at_both_edges(&l->values))
		return false;
	l->grade = SLICE_POSSIBLE;
	locate_because(l, 0,
		       "the mark of the loop at %s may be wrong: it does not set the edges of what "
		       "ranks own, which may be set behind it",
		       l->m->where);
	locate_say(&l->advice,
		   "does the program set these elements behind the loop at %s, when halos have "
		   "come? Then the marks are wrong, and not the program: mark all of that as one "
		   "parallel loop. If not so: look at the bounds of the loop at %s",
		   l->m->where, l->m->where);
	return true;
}

static void of_iterations(struct locate_traced *t, const struct trace_finding *f)
{
	struct locate *l = t->l;
	char which[LOCATE_TEXT], at[LOCATE_TEXT];

	if (!explains(t, f))
		return;
	if (f->kind == FINDING_MISSING && of_mark(t))
		return;
	iteration(f, which);
	locate_place(t, &f->spot, at);
	if (f->kind == FINDING_MISSING && f->missing > 1)
		locate_because(
			l, 0, "%llu iterations of the loop at %s are not executed, %s is the first",
			(unsigned long long)f->missing, at, which);
	else if (f->kind == FINDING_MISSING)
		locate_because(l, 0, "iteration %s of the loop at %s is not executed", which, at);
	else if (f->kind == FINDING_TWICE)
		locate_because(l, 0, "iteration %s of the loop at %s is executed twice", which, at);
	else
		locate_because(
			l, 0,
			"iteration %s of the loop at %s is executed, which the reference does "
			"not have",
			which, at);
	locate_say(&l->advice,
		   "look at the bounds of the loop at %s, and at conditions around it: which rank "
		   "should execute iteration %s?",
		   at, which);
}

/* ---- the last write ---- */

/*
 * A rank that has it right, and its last write of it; false: none has. Where no rank has all of an
 * array right, as each sets a part of it or all are wrong, the one that has set the element as the
 * reference does.
 */
static bool right_write(struct locate_traced *t, uint32_t wrong, struct locate_writes *w)
{
	const struct mismatch *m = t->l->m;
	struct point all = { 0 };
	struct trace_thing e;
	struct trace_pair v;

	*w = (struct locate_writes){ 0 };
	if (m->id.kind != ARRAY_REPLICATED)
		return false;
	locate_element(t->l, &e);
	locate_last_writes(t, &e, m->same.n ? (uint32_t)rankset_next(&m->same, 0) : TRACE_NO_RANK,
			   &all, w);
	if (m->same.n || !w->here)
		return w->here;
	v = w->now.value;
	v.has_ref = w->there;
	v.ref = w->ref.value.now;
	return w->there && w->now.rank != wrong && !locate_differ(t, &e, &v);
}

/* Nothing has set it here. */
static void of_unset(struct locate_traced *t, const struct trace_finding *f)
{
	struct locate *l = t->l;
	struct locate_writes w;
	char at[LOCATE_TEXT];

	if (!right_write(t, f->rank, &w)) {
		locate_place(t, &f->ref_spot, at);
		locate_because(l, 0, "it is not set here, but in the reference at %s", at);
		locate_say(&l->advice, "is %s reached on rank %u, and with the same conditions?",
			   at, f->rank);
	} else if (l->m->kind == MISMATCH_COPIES) {
		locate_place(t, &w.now.spot, at);
		locate_because(l, 0, "%s has set it on rank %u, and no traced statement on rank %u",
			       at, w.now.rank, f->rank);
		locate_say(&l->advice,
			   "does what rank %u has set at %s get to rank %u? A broadcast may be "
			   "missing, too early, too short, or within another communicator",
			   w.now.rank, at, f->rank);
	} else {
		/* all copies are equal, that of this rank, too */
		locate_place(t, &w.now.spot, at);
		locate_because(
			l, 0,
			"%s has set it on rank %u as in the reference, and what is not traced "
			"has changed it since",
			at, w.now.rank);
		locate_say(&l->advice,
			   "what changes it on rank %u after %s? A broadcast may come from another "
			   "rank, or a message be received into it",
			   w.now.rank, at);
	}
	locate_writes_clear(&w);
}

/* The last write of a rank that has it right, as the reference has it, at another place than f. */
static bool set_elsewhere(struct locate_traced *t, const struct trace_finding *f,
			  struct locate_writes *w, struct trace_finding *right)
{
	const struct mismatch *m = t->l->m;
	char at[LOCATE_TEXT], there[LOCATE_TEXT];
	struct point all = { 0 };
	struct trace_thing e;
	struct trace_pair v;

	*w = (struct locate_writes){ 0 };
	if (m->kind != MISMATCH_COPIES || !f->value.has_ref)
		return false;
	locate_place(t, &f->spot, at);
	locate_element(t->l, &e);
	locate_last_writes(t, &e, TRACE_NO_RANK, &all, w);
	for (size_t i = 0; i < w->now_list.n; i++) {
		if (trace_findings_get(&w->now_list, i, right) || !right->value.has_now ||
		    !rankset_has(&m->same, right->rank))
			continue;
		v = right->value;
		v.has_ref = true;
		v.ref = f->value.ref;
		if (!locate_differ(t, &e, &v) &&
		    strcmp(at, locate_place(t, &right->spot, there)) != 0)
			return true;
	}
	return false;
}

/* The right ones have it from another place: it may have to get from there to the others. */
static bool of_elsewhere(struct locate_traced *t, const struct trace_finding *f)
{
	struct locate *l = t->l;
	char at[LOCATE_TEXT], there[LOCATE_TEXT], value[VALUE_TEXT], other[VALUE_TEXT];
	struct trace_finding right;
	struct locate_writes w;
	bool is = set_elsewhere(t, f, &w, &right);

	if (is) {
		locate_place(t, &f->spot, at);
		locate_place(t, &right.spot, there);
		locate_because(l, 0, "%s sets it to %s, and on rank %u %s to %s", at,
			       locate_value_text(&f->value, value), right.rank, there,
			       locate_value_text(&right.value, other));
		locate_say(&l->advice,
			   "%s is meant to be equal on all ranks: look at %s and %s, which ranks "
			   "execute them, and whether what rank %u has set gets to rank %u",
			   l->m->id.name, at, there, right.rank, f->rank);
	}
	locate_writes_clear(&w);
	return is;
}

/* As a word in one of the lines. */
static bool mentions(const json_t *source, const char *name)
{
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t n = strlen(name);

	for (size_t i = 0; n && i < json_array_size(source); i++) {
		const char *text =
			json_string_value(json_object_get(json_array_get(source, i), "text"));

		for (const char *p = text ? strstr(text, name) : NULL; p; p = strstr(p + 1, name))
			if ((p == text || !strchr(word, p[-1])) && (!p[n] || !strchr(word, p[n])))
				return true;
	}
	return false;
}

/*
 * Another replicated object that is wrong at the same point, and that the statement names: it was
 * set before, to another value than in the reference.
 */
static bool of_other_object(struct locate_traced *t, const struct trace_finding *f, json_t *write)
{
	struct locate *l = t->l;
	const struct compare *c = checker_comparison(l->s->checker);
	char at[LOCATE_TEXT], there[LOCATE_TEXT], value[VALUE_TEXT];
	bool is = false;

	for (size_t i = 0; c && i < compare_count(c) && !is; i++) {
		const struct mismatch *m = compare_mismatch(c, i);
		struct trace_thing e = { .what = TRACE_WHAT_ARRAY,
					 .array_kind = m->id.kind,
					 .name = m->id.name,
					 .file = m->id.file,
					 .line = m->id.line,
					 .counter = m->id.counter };
		struct point all = { 0 };
		struct locate_writes w;
		struct trace_pair v;

		if (m == l->m || m->kind != MISMATCH_VALUE || m->id.kind != ARRAY_REPLICATED ||
		    point_sort(&m->point, &l->m->point) != 0 ||
		    !mentions(json_object_get(write, "source"), m->id.name))
			continue;
		locate_last_writes(t, &e, f->rank, &all, &w);
		v = w.now.value;
		v.has_ref = w.there;
		v.ref = w.ref.value.now;
		is = w.here && w.there && locate_differ(t, &e, &v) &&
		     trace_finding_order(&w.now, f) < 0;
		if (is) {
			l->grade = SLICE_LIKELY;
			locate_because(l, LOCATE_COPIED, "%s, which %s reads, was wrong already",
				       m->id.name, locate_place(t, &f->spot, at));
			locate_say(
				&l->advice,
				"look at %s, which has set %s to %s on rank %u, and at what it is "
				"computed from",
				locate_place(t, &w.now.spot, there), m->id.name,
				locate_value_text(&w.now.value, value), f->rank);
		}
		locate_writes_clear(&w);
	}
	return is;
}

static void of_setter(struct locate_traced *t, const struct trace_finding *f, json_t *write)
{
	struct locate *l = t->l;
	char at[LOCATE_TEXT], value[VALUE_TEXT];

	if (f->kind == FINDING_UNWRITTEN) {
		of_unset(t, f);
		return;
	}
	if ((f->value.has_ref && (locate_blame_operand(t, f, write) || locate_blame_reads(t, f))) ||
	    of_elsewhere(t, f))
		return;
	if (of_other_object(t, f, write))
		return;
	locate_place(t, &f->spot, at);
	l->grade = SLICE_LIKELY;
	/* what nobody registered may differ */
	l->vague = l->m->kind == MISMATCH_VALUE && f->value.has_ref;
	t->unexplained |= l->vague;
	locate_because(l, 0, "%s sets it to %s", at, locate_value_text(&f->value, value));
	if (l->m->kind == MISMATCH_COPIES)
		locate_say(&l->advice,
			   "%s is meant to be equal on all ranks: look at %s, what it depends on, "
			   "and which ranks execute it",
			   l->m->id.name, at);
	else
		locate_say(&l->advice, "look at %s, what it depends on, and when it is executed",
			   at);
}

/* ---- all of them ---- */

/* "it", or the element's name when it is another one than the report's: what is wrong there may
 * show in others only. */
static const char *whose(const struct locate *l, const struct trace_finding *f,
			 char out[LOCATE_TEXT])
{
	struct trace_thing e;

	locate_element(l, &e);
	if (e.ndim != f->thing.ndim || !memcmp(e.index, f->thing.index, e.ndim * sizeof(*e.index)))
		return "it";
	return locate_thing(l, &f->thing, out);
}

/* What is missing is one more write of it, behind the last one of the construct and iteration. */
static bool of_fewer(struct locate_traced *t, const struct trace_finding *f)
{
	struct point all = { 0 };
	struct locate_writes w;
	char at[LOCATE_TEXT], name[LOCATE_TEXT];
	bool fewer;

	if (!f->fewer)
		return false;
	locate_last_writes(t, &f->thing, f->rank, &all, &w);
	fewer = w.here && w.now.point.main == f->point.main && w.now.point.task == f->point.task &&
		w.now.point.sub == f->point.sub &&
		(!f->nidx || (w.now.nidx == f->nidx &&
			      !memcmp(w.now.index, f->index, f->nidx * sizeof(*f->index))));
	if (fewer) {
		locate_place(t, &w.now.spot, at);
		locate_because(t->l, 0, "%s writes %s last, and the reference writes it more often",
			       at, whose(t->l, f, name));
		locate_say(&t->l->advice,
			   "look at the bounds of the loops around %s, and at conditions: how "
			   "often should it be executed?",
			   at);
	}
	locate_writes_clear(&w);
	return fewer;
}

/* Iterations of the construct are missing, or it has none that are marked. */
static bool misses_iterations(const struct locate_traced *t, const struct trace_finding *f)
{
	struct trace_finding g;

	for (size_t i = 0; i < t->found.n; i++)
		if (!trace_findings_get(&t->found, i, &g) && g.kind == FINDING_MISSING &&
		    g.point.main == f->point.main)
			return true;
	return !f->nidx;
}

static void of_unwritten(struct locate_traced *t, const struct trace_finding *f)
{
	char at[LOCATE_TEXT], name[LOCATE_TEXT];

	if (of_mark(t))
		return;
	if (of_fewer(t, f))
		return;
	locate_place(t, &f->ref_spot, at);
	locate_because(t->l, 0, "%s is %s, but in the reference at %s", whose(t->l, f, name),
		       f->fewer ? "not written as often" : "not written here", at);
	locate_say(
		&t->l->advice,
		"look at %sconditions and indices in the loop at %s: what should write it at %s?",
		misses_iterations(t, f) ? "the bounds of loops, " : "", t->l->m->where, at);
}

static void of_use(struct locate_traced *t, const struct trace_finding *f)
{
	char at[LOCATE_TEXT], name[LOCATE_TEXT];

	locate_place(t, &f->spot, at);
	locate_because(t->l, 0, "%s writes %s, and there is no such write in the reference", at,
		       whose(t->l, f, name));
	locate_say(&t->l->advice, "look at the index and at conditions at %s on rank %u", at,
		   f->rank);
}

/* The result is what was found to be wrong. */
static bool is_result(const struct locate_values *v, const struct trace_finding *f)
{
	char a[VALUE_TEXT], b[VALUE_TEXT];

	return v->there && f->value.type == v->now.q.type &&
	       !strcmp(locate_value_text(&f->value, a),
		       value_format(f->value.type, &v->diff.first_now, 0, b));
}

/* The same statement has set it in both runs, outside of loops, and behind the reduction. */
static bool set_behind(const struct locate_traced *t, const struct trace_finding *f,
		       const struct locate_writes *w)
{
	const struct mismatch *m = t->l->m;
	char a[LOCATE_TEXT], b[LOCATE_TEXT];
	int64_t after = w->ref.order[0] - f->order[0];

	if (!w->here || !w->there || !locate_outside(&w->now) || !locate_outside(&w->ref) ||
	    (m->wrong.n && !rankset_has(&m->wrong, f->rank)) ||
	    strcmp(locate_place(t, &w->now.spot, a), locate_place(t, &w->ref.spot, b)) != 0)
		return false;
	if (point_sort(&f->point, &w->ref.point) != 0)
		return point_sort(&f->point, &w->ref.point) < 0;
	/* of the reference's other ranks the order is not known */
	return f->ref_rank == w->ref.rank && (f->order[0] || f->order[1]) &&
	       (after > 0 || (!after && w->ref.order[1] > f->order[1]));
}

/* It is set from another result, which may have gone through other variables. */
static bool of_result(struct locate_traced *t, const struct trace_finding *f,
		      const struct trace_finding *set)
{
	const char *name = f->thing.name ? f->thing.name : "";
	json_t *write = locate_write_json(t->l, second_session(t->now), set);
	bool reads = mentions(json_object_get(write, "source"), name), other = false;
	char at[LOCATE_TEXT], from[LOCATE_TEXT];

	for (unsigned i = 0; i < set->noperand; i++)
		other |= set->operand[i].other && strcmp(set->operand[i].thing.name, name) != 0;
	other = other && locate_blame_operand(t, set, write);
	json_decref(write);
	if (other)
		return false;
	locate_place(t, &f->spot, from);
	locate_place(t, &set->spot, at);
	t->l->grade = SLICE_LIKELY;
	if (reads)
		locate_because(
			t->l, LOCATE_REDUCED,
			"%s computes it from %s, and the reduction of that at %s gives another "
			"result",
			at, name, from);
	else
		locate_because(
			t->l, LOCATE_REDUCED,
			"%s sets it after the reduction%s%s at %s, which gives another result", at,
			*name ? " of " : "", name, from);
	return true;
}

static bool of_computed(struct locate_traced *t, const struct trace_finding *f)
{
	struct locate_writes w = { 0 };
	struct trace_finding set;
	char *why = NULL;
	bool reported = locate_setter(t, &set, &w, &why) && set_behind(t, f, &w) &&
			!locate_blame_reads(t, f) && of_result(t, f, &set);

	locate_writes_clear(&w);
	free(why);
	return reported;
}

static void of_reduction(struct locate_traced *t, const struct trace_finding *f)
{
	char at[LOCATE_TEXT];

	locate_place(t, &f->spot, at);
	if (!is_result(&t->l->values, f)) {
		if (!of_computed(t, f))
			return;
	} else if (locate_blame_reads(t, f)) {
		return;
	} else {
		locate_because(t->l, LOCATE_REDUCED, "the reduction at %s gives another result",
			       at);
	}
	locate_say(&t->l->advice,
		   "no earlier loop reads or writes a registered array differently: look at what "
		   "ranks contribute, and at the operation and the communicator, at %s",
		   at);
}

void locate_blame(struct locate_traced *t, const struct trace_finding *f, json_t *write, bool set)
{
	t->l->grade = SLICE_PROVED;
	if (!set && f->kind == FINDING_VALUE) {
		locate_blame_value(t, f, write);
		return;
	}
	locate_refute(t->l);
	if (set) {
		of_setter(t, f, write);
		return;
	}
	switch (f->kind) {
	case FINDING_USE:
		of_use(t, f);
		break;
	case FINDING_UNWRITTEN:
		of_unwritten(t, f);
		break;
	case FINDING_MISSING:
	case FINDING_ITERATION:
	case FINDING_TWICE:
		of_iterations(t, f);
		break;
	case FINDING_REDUCTION:
		of_reduction(t, f);
		break;
	default:
		break;
	}
}

void locate_blame_nothing(struct locate_traced *t)
{
	if (t->again)
		locate_refute(t->l);
	else
		t->l->halo.sure = false;
}
