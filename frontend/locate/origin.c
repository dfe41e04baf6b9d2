/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is wrong with what a wrong value was computed from, and where that comes from: an operand
 * that differs was set wrong before, or is a copy of what its owner has right.
 */
#include <stdio.h>
#include <string.h>

#include "common/logical/construct.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/traceview/traceview.h"

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
	json_object_set_new(here, "overwritten", json_boolean(locate_differ(t, &seen)));
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
	return locate_differ(t, &v);
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
	if (w->here && !locate_differ(t, &seen))
		return;
	locate_last_writes(t, &o->thing, f->rank, &all, &in);
	seen.ref = in.now.value.now;
	if (in.here && !point_sort(&in.now.point, &f->point) && !locate_differ(t, &seen)) {
		struct locate_writes before = *w;

		*w = in;
		in = before;
	}
	locate_writes_clear(&in);
}

static void look_at(struct locate_traced *t, const struct trace_finding *f,
		    const struct trace_operand *o, long owner, struct locate_operand *out)
{
	struct locate_writes w;

	*out = (struct locate_operand){ .o = o, .owner = owner };
	if (!o->value.has_now) {
		out->fault = FAULT_UNREAD;
		return;
	}
	if (o->thing.what != TRACE_WHAT_ARRAY) {
		out->fault = FAULT_STRANGE;
		return;
	}
	locate_last_writes(t, &o->thing, owner < 0 ? f->rank : (uint32_t)owner, &f->point, &w);
	if (owner < 0 && o->value.has_ref)
		of_loop(t, f, o, &w);
	if (o->value.has_ref)
		out->fault = owner >= 0 && !owner_is_wrong(t, &w, o) ? FAULT_STALE : FAULT_WRONG;
	else
		out->fault = FAULT_STRANGE;
	if (out->fault == FAULT_STALE) {
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
static bool is_beside(const struct trace_thing *t)
{
	return t->what == TRACE_WHAT_ADDRESS && t->name && *t->name;
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

		if ((o->thing.what != TRACE_WHAT_ARRAY && !is_beside(&o->thing)) ||
		    !(o->other || (!o->value.has_ref && f->ref_whole)) ||
		    /* what another rank owns may be read in a copy */
		    (!o->value.has_now && owner))
			continue;
		look_at(t, f, o, owner ? (long)json_integer_value(owner) : -1, &x);
		x.unowned = json_object_get(json_array_get(list, i), "unowned");
		if (!out->fault || x.fault < out->fault) {
			json_decref(out->origin);
			*out = x;
		} else {
			json_decref(x.origin);
		}
	}
}
