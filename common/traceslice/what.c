/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an access is about: element, type, place in the program.
 */
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/traceslice/internal.h"

/* As trace_rec, as far as things are made of it. */
static void record_of(const struct slice_access *a, struct trace_rec *r)
{
	*r = (struct trace_rec){ .op = a->write ? TRACE_WRITE : TRACE_READ,
				 .size = a->size,
				 .site = a->site,
				 .object = a->object,
				 .place = TRACE_NONE,
				 .at = a->at,
				 .value = { a->value } };
}

void slice_thing(const struct slice_at *a, struct trace_thing *out)
{
	const struct slice_block *x = slice_block_of(a);
	struct trace_rec r;

	*out = (struct trace_thing){ .what = TRACE_WHAT_NONE };
	record_of(slice_access_of(a), &r);
	inspect_what(x->b, &r, out);
}

unsigned slice_type(const struct slice_at *a)
{
	const struct slice_block *x = slice_block_of(a);
	struct trace_rec r;

	record_of(slice_access_of(a), &r);
	return inspect_type(x->b, &r);
}

void slice_spot(const struct slice_at *a, struct trace_spot *out)
{
	*out = (struct trace_spot){ .place = { 0 } };
	inspect_spot(out, slice_block_of(a)->b, slice_access_of(a)->site, TRACE_NONE);
}

uint64_t slice_site(const struct slice_at *a)
{
	struct trace_spot s;

	slice_spot(a, &s);
	return segment_place_hash(&s.place);
}

bool slice_same_element(const struct trace_thing *a, const struct trace_thing *b)
{
	return a->what == TRACE_WHAT_ARRAY && b->what == TRACE_WHAT_ARRAY && a->ndim == b->ndim &&
	       a->counter == b->counter && a->within == b->within && !strcmp(a->name, b->name) &&
	       !strcmp(a->field ? a->field : "", b->field ? b->field : "") &&
	       !memcmp(a->index, b->index, a->ndim * sizeof(*a->index));
}

bool slice_is_halo(const struct slice_at *a)
{
	const struct slice_block *x = slice_block_of(a);
	const struct slice_access *s = slice_access_of(a);
	struct trace_thing t;

	if (s->object >= x->b->nobject || x->b->object[s->object].kind != TRACE_ARRAY ||
	    x->b->object[s->object].desc.kind != ARRAY_DISTRIBUTED)
		return false;
	slice_thing(a, &t);
	return t.what == TRACE_WHAT_ARRAY &&
	       !object_id_desc_has(&x->b->object[s->object].desc, t.index, false);
}

void slice_finding(const struct slice_at *a, struct trace_finding *out)
{
	const struct slice_access *x = slice_access_of(a);
	const struct slice_scope *s = slice_scope_of(a);

	*out = (struct trace_finding){ .kind = FINDING_VALUE,
				       .count = 1,
				       .point = s->point,
				       .rank = slice_rank_of(a),
				       .ref_rank = TRACE_NO_RANK,
				       .nidx = s->nidx,
				       .write = x->write };
	memcpy(out->index, s->index, s->nidx * sizeof(*s->index));
	slice_spot(a, &out->spot);
	slice_thing(a, &out->thing);
	out->value = (struct trace_pair){ .type = (uint8_t)slice_type(a),
					  .size = x->size > 8 ? 8 : x->size,
					  .has_now = true,
					  .now = x->value };
}

bool slice_is_half(const struct slice_at *a)
{
	struct trace_thing t;

	slice_thing(a, &t);
	return t.what == TRACE_WHAT_ARRAY && t.within;
}

bool slice_is_element(const struct slice_at *a)
{
	struct trace_thing t;

	slice_thing(a, &t);
	return t.what == TRACE_WHAT_ARRAY;
}

void slice_guess_type(struct trace_finding *f)
{
	if (f->value.type < VALUE_TYPES)
		return;
	f->value.has_ref = true;
	f->value.ref = f->value.now;
	inspect_guess_type(&f->value);
	f->value.has_ref = false;
}

bool slice_is_number(const struct slice_at *at)
{
	struct trace_finding f;

	slice_finding(at, &f);
	slice_guess_type(&f);
	return f.value.now && f.value.type < VALUE_TYPES;
}
