/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why a wrong value is wrong, by what it was computed from: halos that were stale, elements that
 * were wrong already, others than in the reference, other statements; or none of that.
 */
#include <stdio.h>
#include <string.h>

#include "common/core/err.h"
#include "common/logical/construct.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xrankset.h"

/* ---- where an operand comes from ---- */

/* One write, of this run or of the reference. */
static json_t *write_json(const struct locate *l, const struct trace_finding *f)
{
	char text[600], value[VALUE_TEXT], at[POINT_TEXT];
	json_t *o = json_pack("{s:o s:i s:b}", "value",
			      out_json_text(locate_value_text(&f->value, value)), "rank",
			      (int)f->rank, "outside", locate_outside(f));

	if (*trace_spot_text(l->s->symbols, &f->spot, text, sizeof(text)))
		json_object_set_new(o, "place", out_json_text(text));
	if (f->point.main)
		json_object_set_new(o, "point", json_string(point_format(&f->point, at)));
	if (f->nidx)
		json_object_set_new(o, "iteration", trace_index_json(f->index, f->nidx));
	return o;
}

static json_t *origin_json(const struct locate_traced *t, const struct trace_operand *o,
			   const struct locate_writes *w)
{
	struct trace_pair seen = o->value;
	json_t *out, *here;
	char text[600];

	if (!w->here && !w->there)
		return NULL;
	out = json_pack("{s:o}", "element",
			out_json_text(trace_thing_text(&o->thing, text, sizeof(text))));
	if (w->there)
		json_object_set_new(out, "reference", write_json(t->l, &w->ref));
	if (!w->here)
		return out;
	here = write_json(t->l, &w->now);
	seen.ref = w->now.value.now;
	json_object_set_new(here, "overwritten", json_boolean(locate_differ(t, &o->thing, &seen)));
	json_object_set_new(out, "here", here);
	return out;
}

/* The owner has set it to something else than the reference has. */
static bool owner_is_wrong(const struct locate_traced *t, const struct locate_writes *w,
			   const struct trace_operand *o)
{
	struct trace_pair v = o->value;

	if (!w->here)
		return false;
	v.now = w->now.value.now;
	return locate_differ(t, &o->thing, &v);
}

/*
 * Of two arrays that a loop writes, one computed from the other, that one may be wrong as well:
 * then the loop's last write of the operand, where that is what was read, counts, and none before
 * it.
 */
static void of_loop(struct locate_traced *t, const struct trace_finding *f,
		    const struct trace_operand *o, struct locate_writes *w)
{
	struct trace_pair seen = o->value;
	struct point all = { 0 };
	struct locate_writes in;

	seen.ref = w->now.value.now;
	if (w->here && !locate_differ(t, &o->thing, &seen))
		return;
	locate_last_writes(t, &o->thing, f->rank, &all, &in);
	seen.ref = in.now.value.now;
	if (in.here && !point_sort(&in.now.point, &f->point) &&
	    !locate_differ(t, &o->thing, &seen)) {
		struct locate_writes before = *w;

		*w = in;
		in = before;
	}
	locate_writes_clear(&in);
}

static void look_at(struct locate_traced *t, const struct trace_finding *f,
		    const struct trace_operand *o, long owner, bool unowned,
		    struct locate_operand *out)
{
	struct trace_thing home = o->thing;
	struct locate_writes w;
	uint32_t rank;

	*out = (struct locate_operand){ .o = o, .owner = owner, .unowned = unowned };
	if (!o->value.has_now) {
		out->fault = FAULT_UNREAD;
		return;
	}
	if (o->thing.what != TRACE_WHAT_ARRAY) {
		out->fault = FAULT_STRANGE;
		return;
	}
	if (owner < 0 || !locate_other_end(second_session(t->now), &o->thing, &home, &rank))
		home = o->thing;
	locate_last_writes(t, &home, owner < 0 ? f->rank : (uint32_t)owner, &f->point, &w);
	if (unowned && !w.here && !w.there) {
		locate_writes_clear(&w);
		locate_halo_writes(t, &o->thing, f->rank, &f->point, &w);
	}
	if (owner < 0 && o->value.has_ref)
		of_loop(t, f, o, &w);
	if (o->value.has_ref)
		out->fault = owner >= 0 && !owner_is_wrong(t, &w, o) ? FAULT_STALE : FAULT_WRONG;
	else
		out->fault = FAULT_STRANGE;
	if (out->fault == FAULT_STALE) {
		out->known = w.here;
		locate_writes_clear(&w);
		locate_halo_writes(t, &o->thing, f->rank, &f->point, &w);
		w.there &= w.here;
	}
	if (out->fault != FAULT_STRANGE)
		out->origin = origin_json(t, o, &w);
	if (out->origin && out->fault == FAULT_STALE)
		json_object_set_new(out->origin, "halo", json_true());
	locate_writes_clear(&w);
}

/* Out of the bounds of an array. */
static bool is_adjacent(const struct trace_thing *t)
{
	return t->what == TRACE_WHAT_ADDRESS && t->name && *t->name;
}

bool locate_is_address(const struct trace_operand *o)
{
	const uint64_t low = UINT64_C(1) << 32, high = UINT64_C(1) << 47;
	const struct trace_pair *v = &o->value;

	/* what is beside an array has the array's type by name only */
	if (v->type < VALUE_TYPES && !is_adjacent(&o->thing))
		return v->type == VALUE_POINTER;
	return v->size == 8 && (v->has_now || v->has_ref) &&
	       (!v->has_now || (v->now >= low && v->now < high)) &&
	       (!v->has_ref || (v->ref >= low && v->ref < high));
}

void locate_operand(struct locate_traced *t, const struct trace_finding *f, const json_t *write,
		    struct locate_operand *out)
{
	const json_t *list = json_object_get(write, "operands");

	*out = (struct locate_operand){ .fault = FAULT_NONE };
	for (unsigned i = 0; i < f->noperand; i++) {
		const struct trace_operand *o = &f->operand[i];
		const json_t *owner = json_object_get(json_array_get(list, i), "halo_of");
		struct locate_operand x;

		if ((o->thing.what != TRACE_WHAT_ARRAY &&
		     (!is_adjacent(&o->thing) || locate_is_address(o))) ||
		    !(o->other || (!o->value.has_ref && f->ref_whole)) ||
		    /* what another rank owns may be read in a copy */
		    (!o->value.has_now && owner))
			continue;
		look_at(t, f, o, owner ? (long)json_integer_value(owner) : -1,
			json_object_get(json_array_get(list, i), "unowned"), &x);
		if (!out->fault || x.fault < out->fault) {
			json_decref(out->origin);
			*out = x;
		} else {
			json_decref(x.origin);
		}
	}
}

/* ---- halos ---- */

static bool is_of(const struct halo_entry *e, const struct trace_thing *t)
{
	const char *slash = t->file ? strrchr(t->file, '/') : NULL;

	return !strcmp(e->name, t->name) && e->counter == t->counter &&
	       (!t->file || !*t->file || !strcmp(e->file, slash ? slash + 1 : t->file));
}

/* What was seen of the rank's stale halo from that owner; NULL: nothing. */
static const struct halo_entry *entry_of(const struct locate *l, const struct trace_finding *f,
					 const struct locate_operand *x)
{
	const struct halo_report *r[] = { &l->halo.begin, &l->halo.end };

	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < r[k]->n; i++)
			if (r[k]->entry[i].rank == f->rank &&
			    r[k]->entry[i].owner == (uint32_t)x->owner &&
			    is_of(&r[k]->entry[i], &x->o->thing))
				return &r[k]->entry[i];
	return NULL;
}

/* Only what is reported of that array stays; false: nothing is. */
static bool keep_reported(struct locate_halo *h, const struct trace_thing *t)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		if (is_of(h->reported[i].e, t))
			h->reported[n++] = h->reported[i];
	h->n = n;
	return n;
}

/* Before the first point, where memory gets its first values. */
static bool is_at_start(const json_t *write)
{
	return json_is_true(json_object_get(write, "outside")) &&
	       !json_object_get(write, "point") && !json_object_get(write, "iteration");
}

static void of_stale(struct locate_traced *t, const struct trace_finding *f,
		     const struct locate_operand *x)
{
	struct locate_halo *h = &t->l->halo;
	const struct halo_entry *e = entry_of(t->l, f, x);
	const json_t *here = json_object_get(x->origin, "here");
	const char *name = e ? e->array : x->o->thing.name;
	const char *at = json_is_true(json_object_get(here, "overwritten"))
				 ? NULL
				 : json_string_value(json_object_get(here, "place"));
	bool reported = keep_reported(h, &x->o->thing), start = is_at_start(here);

	/* that the owner's is right is not seen */
	if (!x->known)
		t->l->grade = SLICE_LIKELY;
	h->sure = true;
	h->cause = e;
	h->refuted = !reported;
	locate_because(t->l, LOCATE_HALO | LOCATE_STALE,
		       "the halo of %s from rank %ld was stale%s%s%s", name, x->owner,
		       !at     ? ""
		       : start ? ", not renewed since "
			       : ", as ",
		       at ? at : "",
		       !at     ? ""
		       : start ? " has set it at the start"
			       : " has set it");
	if (at && !start)
		locate_say(&t->l->advice,
			   "%s has set that part of the halo of %s on rank %u: is it what rank %ld "
			   "has now, of the right elements, and not set too early?",
			   at, name, f->rank, x->owner);
	else if (at || !e || !reported)
		locate_say(
			&t->l->advice,
			"look for the exchange of %s before the loop at %s: is it there, for this "
			"side, of the right elements, and waited for?",
			name, t->l->m->where);
}

/* ---- elements ---- */

/* What sets the operand, of which no write is seen. */
static void advise_unseen(struct locate_traced *t, const struct trace_operand *o, const char *name,
			  bool there)
{
	char from[POINT_TEXT] = "", names[LOCATE_UNHOOKED], value[VALUE_TEXT];

	if (t->x.from.main)
		point_format(&t->x.from, from);
	locate_unhooked(t->l, names);
	if (there)
		locate_say(
			&t->l->advice,
			"look for what sets %s: the reference does%s%s, and no write of it is seen "
			"in this run, so MPI does, or code that writes it by another name (a "
			"pointer that was swapped with it), or that is not compiled with dvmdbg-cc "
			"or dvmdbg-fc%s, or nothing does",
			name, *from ? " after " : "", from, names);
	else if (*from)
		locate_say(
			&t->l->advice,
			"look for what sets %s: no write of it is seen after %s in either run. In "
			"a run that is recorded at level FULL, last-write %s shows who wrote it "
			"before; if that is not %s, MPI has changed it since, or code that is not "
			"compiled with dvmdbg-cc or dvmdbg-fc%s",
			name, from, name, locate_value_text(&o->value, value), names);
	else
		locate_say(
			&t->l->advice,
			"look for what sets %s: no write of it is seen in either run, so MPI does, "
			"or code that writes it by another name (a pointer that was swapped with "
			"it), or that is not compiled with dvmdbg-cc or dvmdbg-fc%s",
			name, names);
}

/* With the place of its registration. */
static void full_name(const struct trace_thing *e, char out[LOCATE_TEXT])
{
	const char *slash = e->file ? strrchr(e->file, '/') : NULL;

	snprintf(out, LOCATE_TEXT, "%s@%s:%u#%u", e->name, slash ? slash + 1 : e->file, e->line,
		 e->counter);
}

/* What this run has of that element where it stands; false: that cannot be known. */
static bool value_of(const struct locate_traced *t, const struct trace_thing *e, uint32_t rank,
		     struct trace_pair *v)
{
	struct section at = { .ndim = e->ndim };
	struct rankset who = { 0 };
	struct err err = { "" };
	struct fetched got;
	char name[LOCATE_TEXT];
	bool is;

	if (e->field && *e->field)
		return false;
	for (unsigned d = 0; d < e->ndim; d++)
		at.dim[d] = (struct section_dim){ .first = e->index[d],
						  .last = e->index[d],
						  .step = 1 };
	full_name(e, name);
	xrankset_add(&who, rank, rank);
	is = !fetch_large(second_session(t->now), name, &at, &who, 1, &got, &err);
	rankset_clear(&who);
	if (!is)
		return false;
	is = !got.nmissing && got.q.n == 1 && got.q.type == v->type && got.q.elem_size == v->size &&
	     v->size <= sizeof(v->now);
	if (is) {
		v->now = 0;
		memcpy(&v->now, got.q.group[0].bytes, v->size);
	}
	fetched_clear(&got);
	return is;
}

#define SEARCHED 1000000 /* elements of an array in which a value is looked for */

/* The only other element of the array that has this run's value of o; false: none, or several. */
static bool only_other(const struct locate_traced *t, const struct trace_operand *o,
		       struct trace_thing *out)
{
	const struct trace_thing *e = &o->thing;
	struct session *s = second_session(t->now);
	char name[LOCATE_TEXT];
	struct err err = { "" };
	struct fetched all;
	uint64_t found = 0, self = 0;

	if (!o->value.now || o->value.size > sizeof(o->value.now) || (e->field && *e->field))
		return false;
	full_name(e, name);
	if (fetch_large(s, name, NULL, job_set(s->job, JOB_ALL), SEARCHED, &all, &err))
		return false;
	*out = *e;
	for (uint64_t i = 0; all.q.n == 1 && all.q.ndim == e->ndim &&
			     all.q.elem_size == o->value.size && i < values_total(&all.q);
	     i++) {
		bool same = true;

		if (memcmp(all.q.group[0].bytes + i * o->value.size, &o->value.now, o->value.size))
			continue;
		for (unsigned d = 0; d < e->ndim; d++)
			same &= values_index(&all.q, d, values_place(&all.q, d, i)) == e->index[d];
		self += same;
		found += !same;
		for (unsigned d = 0; !same && d < e->ndim; d++)
			out->index[d] = values_index(&all.q, d, values_place(&all.q, d, i));
	}
	fetched_clear(&all);
	return found == 1 && self;
}

/* MPI has changed it since, to what another element has: so a message or a put has gone astray. */
static bool of_overwritten(struct locate_traced *t, const struct trace_finding *f,
			   const struct locate_operand *x, const char *name, const char *at)
{
	char other[LOCATE_TEXT], puts[LOCATE_TEXT];
	struct trace_thing e;

	if (!only_other(t, x->o, &e))
		return false;
	locate_thing(t->l, &e, other);
	locate_because(
		t->l, LOCATE_COPIED,
		"%s, which it is computed from, was overwritten with %s: not by a statement, so "
		"by MPI",
		name, other);
	locate_puts(t->l, f, puts);
	locate_say(
		&t->l->advice,
		"after %s has set %s, %s has come there: look at what is received or put there on "
		"rank %u%s, at its place or displacement, and its count",
		at, name, other, f->rank, puts);
	return true;
}

/* The other end is wrong as well, and this is a copy of it. */
static void of_copied(struct locate_traced *t, const struct trace_finding *f, const char *name,
		      const struct trace_thing *e, uint32_t rank)
{
	char other[LOCATE_TEXT], at[LOCATE_TEXT], value[VALUE_TEXT];
	struct locate_writes w;

	locate_thing(t->l, e, other);
	locate_last_writes(t, e, rank, &f->point, &w);
	locate_because(t->l, LOCATE_COPIED,
		       "%s, of which %s is a copy at the other end, was wrong already", other,
		       name);
	if (w.here)
		locate_say(&t->l->advice, "look at %s, which has set %s to %s on rank %u",
			   locate_place(t, &w.now.spot, at), other,
			   locate_value_text(&w.now.value, value), rank);
	else
		locate_say(&t->l->advice, "look for what sets %s on rank %u", other, rank);
	locate_writes_clear(&w);
}

/*
 * It is beyond the edge of an array, and in the reference what the other end has here: so the array
 * is periodic. Or both are wrong, and equal.
 */
static bool of_other_end(struct locate_traced *t, const struct trace_finding *f,
			 const struct locate_operand *x, const char *name)
{
	struct session *s = second_session(t->now);
	struct trace_pair v = x->o->value;
	struct trace_thing e;
	char other[LOCATE_TEXT];
	uint32_t rank;

	if (!x->unowned || !v.has_ref || !locate_other_end(s, &x->o->thing, &e, &rank) ||
	    !value_of(t, &e, rank, &v))
		return false;
	if (locate_differ(t, &e, &v)) {
		v.ref = x->o->value.now;
		if (locate_differ(t, &e, &v))
			return false;
		of_copied(t, f, name, &e, rank);
		return true;
	}
	locate_because(
		t->l, LOCATE_HALO | LOCATE_STALE,
		"the halo of %s beyond the array's edge was stale: in the reference %s is what "
		"%s of rank %u is here",
		x->o->thing.name, name, locate_thing(t->l, &e, other), rank);
	locate_say(
		&t->l->advice,
		"if %s is periodic, look for its exchange between rank %u and rank %u, which has "
		"the other end, before the loop at %s: is it there, of the right elements, and "
		"waited for?",
		x->o->thing.name, f->rank, rank, t->l->m->where);
	return true;
}

static void of_wrong(struct locate_traced *t, const struct trace_finding *f,
		     const struct locate_operand *x)
{
	const json_t *here = json_object_get(x->origin, "here");
	const char *at = json_string_value(json_object_get(here, "place"));
	const char *value = json_string_value(json_object_get(here, "value"));
	const char *there = json_string_value(
		json_object_get(json_object_get(x->origin, "reference"), "place"));
	bool again = at && there && strcmp(at, there) != 0;
	char name[LOCATE_TEXT], names[LOCATE_UNHOOKED];

	locate_thing(t->l, &x->o->thing, name);
	locate_because(t->l, LOCATE_COPIED, "%s, which it is computed from, was wrong already",
		       name);
	t->l->grade = SLICE_LIKELY;
	if (of_other_end(t, f, x, name))
		return;
	if (at && json_is_true(json_object_get(here, "overwritten")) &&
	    of_overwritten(t, f, x, name, at))
		return;
	if (at && json_is_true(json_object_get(here, "overwritten")))
		locate_say(
			&t->l->advice,
			"%s has set %s to %s, and a later change was not traced: MPI made it, or "
			"code that is not compiled with dvmdbg-cc or dvmdbg-fc%s",
			at, name, value, locate_unhooked(t->l, names));
	else if (at)
		locate_say(&t->l->advice, "look at %s, which has set %s to %s on rank %lld%s%s%s",
			   at, name, value,
			   (long long)json_integer_value(json_object_get(here, "rank")),
			   again ? ", and at " : "", again ? there : "",
			   again ? ", which sets it last in the reference" : "");
	else if (x->unowned && there)
		locate_say(
			&t->l->advice,
			"no rank owns %s, which is beyond the array's edge: the reference sets it "
			"at %s. Is that executed on rank %u, and with the same conditions?",
			name, there, f->rank);
	else if (x->unowned)
		locate_say(
			&t->l->advice,
			"no rank owns %s, which is beyond the array's edge: look for what sets "
			"that part of the halo before the loop at %s, an exchange with the other "
			"end or a boundary condition, on rank %u",
			name, t->l->m->where, f->rank);
	else if (t->l->set_by && locate_is_named(&x->o->thing, t->l->m->id.name))
		locate_say(&t->l->advice, LOCATE_RESULT_ADVICE, t->l->set_by, name);
	else if (there)
		locate_say(&t->l->advice,
			   "the reference sets %s at %s, and no statement does so in this run: is "
			   "that executed on rank %u, with the same index and conditions? Or MPI "
			   "sets it, or code that is not compiled with dvmdbg-cc or dvmdbg-fc%s",
			   name, there, f->rank, locate_unhooked(t->l, names));
	else
		advise_unseen(t, x->o, name, json_object_get(x->origin, "reference"));
	if (at || there)
		locate_container_lines(t->l, x->o->thing.name, at ? at : there, f->rank);
	t->unseen |= !at && t->x.from.main;
}

static void of_strange(struct locate_traced *t, const struct locate_operand *x)
{
	char name[LOCATE_TEXT], at[LOCATE_TEXT], whose[40] = "";

	locate_thing(t->l, &x->o->thing, name);
	if (x->owner >= 0)
		snprintf(whose, sizeof(whose), ", which rank %ld owns", x->owner);
	locate_because(t->l, 0, "%s is read for it, but not in the reference", name);
	locate_say(&t->l->advice,
		   "look at the index and at conditions at %s: how does it come to %s%s?",
		   locate_place(t, &x->o->spot, at), name, whose);
}

static void of_unread(struct locate_traced *t, const struct trace_finding *f,
		      const struct locate_operand *x)
{
	char name[LOCATE_TEXT], at[LOCATE_TEXT];

	/* something else may be, which nobody has registered */
	t->unexplained = true;
	locate_thing(t->l, &x->o->thing, name);
	t->l->grade = SLICE_LIKELY;
	locate_because(t->l, 0, "%s is not read for it, but is in the reference", name);
	locate_say(&t->l->advice, "look at the index and at conditions at %s on rank %u",
		   locate_place(t, &x->o->spot, at), f->rank);
}

static void report_operand(struct locate_traced *t, const struct trace_finding *f,
			   const struct locate_operand *x, json_t *write)
{
	if (x->fault != FAULT_STALE)
		locate_refute(t->l);
	switch (x->fault) {
	case FAULT_STALE:
		of_stale(t, f, x);
		break;
	case FAULT_WRONG:
		of_wrong(t, f, x);
		break;
	case FAULT_STRANGE:
		of_strange(t, x);
		break;
	case FAULT_UNREAD:
		of_unread(t, f, x);
		break;
	case FAULT_NONE:
		break;
	}
	if (x->origin)
		json_object_set(write, "origin", x->origin);
}

/* ---- reads that are reported with the write ---- */

static bool same_iteration(const struct trace_finding *a, const struct trace_finding *b)
{
	return a->rank == b->rank && !point_sort(&a->point, &b->point) && a->nidx &&
	       a->nidx == b->nidx && !memcmp(a->index, b->index, a->nidx * sizeof(*a->index));
}

/* The first read of an array that was found wrong, before f in its iteration, or at all before f.
 */
static bool wrong_read(const struct locate_traced *t, const struct trace_finding *f, bool within,
		       struct trace_finding *first)
{
	bool any = false;
	struct trace_finding g;

	for (size_t i = 0; i < t->found.n; i++) {
		if (trace_findings_get(&t->found, i, &g) || g.write || g.kind != FINDING_VALUE ||
		    g.thing.what != TRACE_WHAT_ARRAY || !g.nframe ||
		    (within ? !same_iteration(f, &g) || trace_finding_order(&g, f) > 0
			    : point_sort(&g.point, &f->point) > 0) ||
		    (any && trace_finding_order(&g, first) >= 0))
			continue;
		*first = g;
		any = true;
	}
	return any;
}

/* As if f had been computed from that read; *write is to be released. */
static void as_operand(struct locate_traced *t, const struct trace_finding *f,
		       const struct trace_finding *read, struct trace_finding *as, json_t **write)
{
	*as = *f;
	as->kind = FINDING_VALUE;
	as->rank = read->rank;
	as->point = read->point;
	as->noperand = 1;
	as->operand[0] = (struct trace_operand){
		.thing = read->thing, .value = read->value, .spot = read->spot, .other = true
	};
	*write = locate_write_json(t->l, second_session(t->now), as);
}

bool locate_blame_operand(struct locate_traced *t, const struct trace_finding *f, json_t *write)
{
	struct locate_operand x;
	struct trace_finding more, read;
	json_t *other = NULL;

	locate_operand(t, f, write, &x);
	if (!x.fault && wrong_read(t, f, true, &read)) {
		as_operand(t, f, &read, &more, &other);
		locate_operand(t, &more, other, &x);
	}
	if (x.fault)
		report_operand(t, f, &x, write);
	json_decref(x.origin);
	json_decref(other);
	return x.fault;
}

bool locate_blame_reads(struct locate_traced *t, const struct trace_finding *f)
{
	struct trace_finding as, read;
	struct locate_operand x;
	char name[LOCATE_TEXT], at[LOCATE_TEXT];
	json_t *write;

	if (!wrong_read(t, f, false, &read))
		return false;
	as_operand(t, f, &read, &as, &write);
	locate_operand(t, &as, write, &x);
	report_operand(t, &as, &x, write);
	locate_thing(t->l, &read.thing, name);
	locate_place(t, &read.spot, at);
	if (x.fault == FAULT_WRONG)
		locate_because(t->l, LOCATE_COPIED,
			       "%s, which is read before at %s, was wrong already", name, at);
	else if (x.fault == FAULT_STALE)
		locate_because(t->l, LOCATE_HALO | LOCATE_STALE,
			       "the halo of %s from rank %ld was stale when %s read %s on rank %u",
			       read.thing.name, x.owner, at, name, read.rank);
	if (x.fault)
		locate_root(t->l, at);
	json_decref(x.origin);
	json_decref(write);
	return x.fault;
}

/* ---- the statement ---- */

static bool other_place(const struct locate_traced *t, const struct trace_spot *now,
			const struct trace_spot *ref, char here[LOCATE_TEXT],
			char there[LOCATE_TEXT])
{
	struct symbols *s = t->l->s->symbols;

	return !t->l->spec->with && *trace_spot_text(s, now, here, LOCATE_TEXT) &&
	       *trace_spot_text(s, ref, there, LOCATE_TEXT) && strcmp(here, there) != 0;
}

/* Another statement writes it than in the reference. */
static bool of_other_line(struct locate_traced *t, const struct trace_finding *f)
{
	char at[LOCATE_TEXT], there[LOCATE_TEXT];

	if (!other_place(t, &f->spot, &f->ref_spot, at, there))
		return false;
	locate_because(t->l, 0, "%s writes it, where %s does in the reference", at, there);
	locate_say(&t->l->advice, "look at the conditions of %s and %s on rank %u", at, there,
		   f->rank);
	return true;
}

/* Another statement reads something for it. */
static bool of_other_read(struct locate_traced *t, const struct trace_finding *f)
{
	char at[LOCATE_TEXT], there[LOCATE_TEXT], name[LOCATE_TEXT];

	for (unsigned i = 0; i < f->noperand; i++) {
		const struct trace_operand *o = &f->operand[i];

		if (o->thing.what != TRACE_WHAT_ARRAY || f->cut || !f->ref_whole ||
		    !o->value.has_ref || !other_place(t, &o->spot, &o->ref_spot, at, there))
			continue;
		locate_thing(t->l, &o->thing, name);
		t->l->grade = SLICE_LIKELY;
		locate_because(t->l, 0, "%s reads %s for it, where %s does in the reference", at,
			       name, there);
		locate_say(&t->l->advice, "look at the conditions of %s and %s on rank %u", at,
			   there, f->rank);
		return true;
	}
	return false;
}

/*
 * A reduction before it gives another result, which may get to the statement through variables that
 * are not in memory.
 */
static bool of_earlier_result(struct locate_traced *t, const struct trace_finding *f)
{
	struct trace_finding first = { 0 }, g;
	char at[LOCATE_TEXT], from[LOCATE_TEXT];

	for (size_t i = 0; i < t->found.n; i++)
		if (!trace_findings_get(&t->found, i, &g) && g.kind == FINDING_REDUCTION &&
		    trace_finding_order(&g, f) < 0 &&
		    (!first.kind || trace_finding_order(&g, &first) < 0))
			first = g;
	if (!first.kind)
		return false;
	locate_place(t, &f->spot, at);
	locate_place(t, &first.spot, from);
	locate_because(
		t->l, LOCATE_COPIED | LOCATE_REDUCED,
		"%s computes it differently, after the reduction%s%s at %s, which gives another "
		"result",
		at, first.thing.name ? " of " : "", first.thing.name ? first.thing.name : "", from);
	locate_say(&t->l->advice,
		   "look at what ranks contribute, and at the operation and the communicator, at "
		   "%s; if %s does not depend on that: at constants and conditions there",
		   from, at);
	return true;
}

/* All that is computed from is the same. */
static void of_statement(struct locate_traced *t, const struct trace_finding *f)
{
	char at[LOCATE_TEXT];

	t->l->grade = SLICE_LIKELY;
	if (of_earlier_result(t, f))
		return;
	t->unexplained = true;
	locate_place(t, &f->spot, at);
	locate_because(
		t->l, LOCATE_COPIED | LOCATE_ALIKE,
		"%s computes it differently, though it reads the same from registered arrays", at);
	if (!t->l->values.shift)
		locate_say(
			&t->l->advice,
			"what is read of registered arrays for it is the same in both runs: look "
			"at constants, at variables that are not registered, and at conditions, at "
			"%s on rank %u",
			at, f->rank);
}

/* Nothing that is registered is read for it. */
static void of_constant(struct locate_traced *t, const struct trace_finding *f)
{
	char at[LOCATE_TEXT], value[VALUE_TEXT];

	t->l->grade = SLICE_LIKELY;
	if (of_earlier_result(t, f))
		return;
	t->unexplained = true;
	locate_place(t, &f->spot, at);
	locate_because(t->l, 0, "%s sets it to %s", at, locate_value_text(&f->value, value));
	if (!t->l->values.shift)
		locate_say(&t->l->advice,
			   "nothing that is registered is read for it: look at constants, indices, "
			   "and variables that are not registered, at %s on rank %u",
			   at, f->rank);
}

#define COPIES_LISTED 4

/*
 * The reference reads elements for it that other ranks own here: what is read in their place are
 * copies that are no elements of any array, as ghosts of meshes are. Which of them is wrong, and
 * whether any is, is not known.
 */
static bool of_copy(struct locate_traced *t, const struct trace_finding *f, const json_t *write)
{
	const json_t *list = json_object_get(write, "operands");
	char names[LOCATE_TEXT] = "", owners[80], name[LOCATE_TEXT], at[LOCATE_TEXT];
	struct rankset ranks = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < f->noperand; i++) {
		const struct trace_operand *o = &f->operand[i];
		const json_t *owner = json_object_get(json_array_get(list, i), "halo_of");
		uint32_t rank = (uint32_t)json_integer_value(owner);
		size_t used = strlen(names);

		if (o->thing.what != TRACE_WHAT_ARRAY || o->value.has_now || !owner)
			continue;
		xrankset_add(&ranks, rank, rank);
		if (n++ < COPIES_LISTED)
			snprintf(names + used, sizeof(names) - used, "%s%s", n > 1 ? ", " : "",
				 locate_thing(t->l, &o->thing, name));
	}
	if (!n)
		return false;
	t->unexplained = true;
	t->l->grade = SLICE_POSSIBLE;
	locate_place(t, &f->spot, at);
	locate_because(
		t->l, LOCATE_COPIED,
		"%s computes it differently, with what rank %u has in place of %s%s, which %s "
		"own%s",
		at, f->rank, names, n > COPIES_LISTED ? " and others" : "",
		rankset_format(&ranks, owners, sizeof(owners)),
		rankset_count(&ranks) == 1 ? "s" : "");
	locate_say(
		&t->l->advice,
		"look for the transfer of %s%s to rank %u before the loop at %s: is it there, of "
		"these elements, and waited for? If it is: at what else %s computes with",
		names, n > COPIES_LISTED ? " and others" : "", f->rank, t->l->m->where, at);
	rankset_clear(&ranks);
	return true;
}

/* All operands are known, in both runs. */
static bool all_known(const struct trace_finding *f)
{
	for (unsigned i = 0; i < f->noperand; i++)
		if (!f->operand[i].value.has_ref || !f->operand[i].value.has_now)
			return false;
	return f->noperand && !f->cut;
}

void locate_blame_value(struct locate_traced *t, const struct trace_finding *f, json_t *write)
{
	bool elsewhere = of_other_line(t, f);

	if (elsewhere)
		locate_refute(t->l);
	if (elsewhere || locate_blame_operand(t, f, write))
		return;
	locate_refute(t->l);
	if (of_other_read(t, f) || of_copy(t, f, write))
		return;
	if (all_known(f))
		of_statement(t, f);
	else if (!f->noperand && !f->cut)
		of_constant(t, f);
}
