/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracereport/tracereport.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/checksum/checksum.h"
#include "common/array/value.h"

/* ---- the wire ---- */

static void spot_code(struct codec *c, struct trace_spot *s)
{
	place_code(c, &s->place);
	codec_blob(c, &s->build_id, &s->nbuild_id);
}

static void pair_code(struct codec *c, struct trace_pair *v)
{
	unsigned has = v->has_now | v->has_ref << 1;

	codec_below(c, &v->type, VALUE_TYPES + 1);
	codec_below(c, &v->size, 9);
	codec_below(c, &has, 4);
	if (c->get) {
		v->has_now = has & 1;
		v->has_ref = has >> 1;
	}
	if (v->has_now)
		codec_u64(c, &v->now);
	if (v->has_ref)
		codec_u64(c, &v->ref);
}

/* What distinguishes things from one another in keys. */
static void thing_name_code(struct codec *c, struct trace_thing *t)
{
	codec_below(c, &t->what, TRACE_WHAT_STACK + 1);
	codec_text(c, &t->name);
	codec_text(c, &t->file);
	codec_u32(c, &t->counter);
}

static void thing_rest_code(struct codec *c, struct trace_thing *t)
{
	codec_u32(c, &t->line);
	codec_below(c, &t->array_kind, ARRAY_REPLICATED + 1);
	codec_u8(c, &t->order);
	codec_below(c, &t->ndim, ARRAY_DIMS + 1);
	codec_i64s(c, t->index, t->ndim);
	codec_u64(c, &t->within);
	codec_text(c, &t->field);
	spot_code(c, &t->spot);
}

static void operand_code(struct codec *c, struct trace_operand *o)
{
	codec_flag(c, &o->write);
	codec_flag(c, &o->other);
	thing_name_code(c, &o->thing);
	thing_rest_code(c, &o->thing);
	pair_code(c, &o->value);
	spot_code(c, &o->spot);
	spot_code(c, &o->ref_spot);
}

int finding_key_code(struct codec *c, struct trace_finding *f)
{
	codec_below(c, &f->kind, FINDING_KINDS);
	codec_flag(c, &f->write);
	thing_name_code(c, &f->thing);
	spot_code(c, &f->spot);
	/* two places, neither of which is right and the other wrong */
	if (f->kind == FINDING_RACE)
		spot_code(c, &f->ref_spot);
	return codec_end(c);
}

int finding_rest_code(struct codec *c, struct trace_finding *f)
{
	point_code(c, &f->point);
	codec_i64s(c, f->order, TRACE_ORDER);
	codec_u32(c, &f->rank);
	codec_u32(c, &f->ref_rank);
	codec_below(c, &f->nidx, ARRAY_DIMS + 1);
	codec_i64s(c, f->index, f->nidx);
	spot_code(c, &f->ref_spot);
	thing_rest_code(c, &f->thing);
	pair_code(c, &f->value);
	codec_below(c, &f->mode, SUM_SCALED + 1);
	codec_f64(c, &f->off);
	codec_f64(c, &f->limit);
	codec_u64(c, &f->missing);
	codec_flag(c, &f->fewer);
	codec_u8(c, &f->lost);
	codec_below(c, &f->nframe, TRACE_FINDING_DEPTH + 1);
	for (unsigned i = 0; i < f->nframe; i++)
		report_frame_code(c, &f->frame[i]);
	codec_flag(c, &f->cut);
	codec_flag(c, &f->ref_whole);
	codec_below(c, &f->noperand, TRACE_OPERANDS + 1);
	for (unsigned i = 0; i < f->noperand; i++)
		operand_code(c, &f->operand[i]);
	if (f->kind == FINDING_CALCULATED || finding_is_control(f->kind)) {
		codec_text(c, &f->operation);
		codec_text(c, &f->note);
	}
	return codec_end(c);
}

int trace_finding_code(struct codec *c, struct trace_finding *f)
{
	codec_u64(c, &f->count);
	finding_key_code(c, f);
	return finding_rest_code(c, f);
}

int finding_order(const struct point *pa, const int64_t *a, uint32_t ra, const struct point *pb,
		  const int64_t *b, uint32_t rb)
{
	int order = point_sort(pa, pb);

	for (unsigned i = 0; i < TRACE_ORDER && !order; i++)
		order = (a[i] > b[i]) - (a[i] < b[i]);
	return order ? order : (ra > rb) - (ra < rb);
}

int trace_finding_order(const struct trace_finding *a, const struct trace_finding *b)
{
	return finding_order(&a->point, a->order, a->rank, &b->point, b->order, b->rank);
}

/* ---- for people ---- */

/* Appends, as far as there is room. */
static void say(char *out, size_t room, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void say(char *out, size_t room, const char *fmt, ...)
{
	size_t n = strlen(out);
	va_list ap;

	va_start(ap, fmt);
	if (n < room)
		vsnprintf(out + n, room - n, fmt, ap);
	va_end(ap);
}

const char *trace_thing_text(const struct trace_thing *t, char *out, size_t room)
{
	bool fortran = t->order == 'F';

	*out = '\0';
	if (t->what == TRACE_WHAT_ADDRESS && t->name && *t->name && !t->index[0])
		say(out, room, "memory right behind %s", t->name);
	else if (t->what == TRACE_WHAT_ADDRESS && t->name && *t->name)
		say(out, room, "memory %" PRId64 " bytes %s %s",
		    t->index[0] < 0 ? -t->index[0] : t->index[0],
		    t->index[0] < 0 ? "before" : "behind", t->name);
	else if (t->what == TRACE_WHAT_ADDRESS || t->what == TRACE_WHAT_STACK)
		say(out, room, "0x%" PRIx64, t->within);
	else if (t->what == TRACE_WHAT_HEAP && t->counter)
		say(out, room, "malloc#%u+%" PRIu64, t->counter, t->within);
	else if (t->what == TRACE_WHAT_HEAP)
		say(out, room, "heap+%" PRIu64, t->within);
	else if (t->what == TRACE_WHAT_ARRAY)
		say(out, room, "%s", t->name);
	if (t->what != TRACE_WHAT_ARRAY)
		return out;
	for (unsigned d = 0; d < t->ndim; d++)
		say(out, room, fortran ? "%s%" PRId64 : "%s%" PRId64 "]",
		    fortran ? d ? "," : "(" : "[", t->index[d]);
	if (fortran && t->ndim)
		say(out, room, ")");
	array_name_place(out, strlen(t->name));
	if (t->field && *t->field)
		say(out, room, fortran ? "%%%s" : ".%s", t->field);
	return out;
}

static const char *value_text(const struct trace_pair *v, uint64_t bits, char out[VALUE_TEXT])
{
	struct value value;

	if (v->type >= VALUE_TYPES || v->size != value_size(v->type)) {
		snprintf(out, VALUE_TEXT, "0x%0*" PRIx64, 2 * v->size, bits);
		return out;
	}
	value = value_load(v->type, &bits);
	return value_format(v->type, &value, 0, out);
}

static void say_iteration(const struct trace_finding *f, char *out, size_t room)
{
	bool alone = f->nidx == 1;

	say(out, room, alone ? "iteration " : "iteration (");
	for (unsigned d = 0; d < f->nidx; d++)
		say(out, room, "%s%" PRId64, d ? "," : "", f->index[d]);
	say(out, room, alone ? "" : ")");
}

static void say_values(const struct trace_finding *f, char *out, size_t room)
{
	char text[VALUE_TEXT];

	if (f->value.has_now)
		say(out, room, "%s here, ", value_text(&f->value, f->value.now, text));
	else
		say(out, room, "not here, ");
	if (f->value.has_ref)
		say(out, room, "%s in the reference", value_text(&f->value, f->value.ref, text));
	else
		say(out, room, "not in the reference");
	if (f->off > 0 && f->limit > 0)
		say(out, room, " (difference %g%s, %g allowed)", f->off,
		    f->mode == SUM_RELATIVE ? " relative"
		    : f->mode == SUM_SCALED ? " of its block's largest value"
					    : "",
		    f->limit);
}

/* What it is in the end shows more than the write that is missing. */
static void say_fewer(const struct trace_finding *f, char *out, size_t room)
{
	char now[VALUE_TEXT], ref[VALUE_TEXT];

	say(out, room, "fewer writes than in the reference");
	if (!f->value.has_ref)
		return;
	value_text(&f->value, f->value.ref, ref);
	if (!f->value.has_now)
		say(out, room, ", where it is %s in the end", ref);
	else if (f->value.now != f->value.ref)
		say(out, room, ", %s in the end, %s there",
		    value_text(&f->value, f->value.now, now), ref);
}

static void say_calculated(const struct trace_finding *f, char *out, size_t room)
{
	char now[VALUE_TEXT], ref[VALUE_TEXT];

	say(out, room, "%s in the program, %s calculated by %s",
	    value_text(&f->value, f->value.now, now), value_text(&f->value, f->value.ref, ref),
	    f->operation ? f->operation : "?");
	if (f->missing > 1)
		say(out, room, ", and %" PRIu64 " more elements", f->missing - 1);
	if (f->note && *f->note)
		say(out, room, "; %s", f->note);
}

const char *trace_finding_text(const struct trace_finding *f, char *out, size_t room)
{
	trace_thing_text(&f->thing, out, room);
	/* which of several of the name that one line registers, as print takes it */
	if (f->thing.what == TRACE_WHAT_ARRAY && f->thing.counter)
		say(out, room, " of %s@%s:%u#%u", f->thing.name, path_base(f->thing.file),
		    f->thing.line, f->thing.counter);
	if (*out)
		say(out, room, ": ");
	if (f->fewer) {
		say_fewer(f, out, room);
		return out;
	}
	if (f->kind == FINDING_CALCULATED) {
		say_calculated(f, out, room);
		return out;
	}
	if (finding_is_control(f->kind)) {
		say(out, room, "%s", f->note && *f->note ? f->note : finding_kind_text(f->kind));
		return out;
	}
	if (f->value.has_now || f->value.has_ref) {
		say_values(f, out, room);
		return out;
	}
	if (f->kind == FINDING_ITERATION || f->kind == FINDING_TWICE ||
	    f->kind == FINDING_MISSING) {
		say_iteration(f, out, room);
		if (f->missing > 1)
			say(out, room, " and %" PRIu64 " more", f->missing - 1);
		say(out, room, ": ");
	} else if (f->missing > 1) {
		say(out, room, "and %" PRIu64 " more elements: ", f->missing - 1);
	}
	say(out, room, "%s", finding_kind_text(f->kind));
	return out;
}
