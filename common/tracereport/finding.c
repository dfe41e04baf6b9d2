/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracereport/finding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/checksum/sum.h"
#include "common/tracereport/internal.h"
#include "common/array/value.h"

/* ---- the wire ---- */

static void spot_put(const struct trace_spot *s, struct buf *b)
{
	place_put(&s->place, b);
	buf_put_blob(b, s->build_id, s->nbuild_id);
}

static void spot_get(struct trace_spot *s, struct buf *b)
{
	size_t n;

	place_get(&s->place, b);
	s->build_id = buf_get_blob(b, &n);
	s->nbuild_id = (uint32_t)n;
}

static uint8_t get_below(struct buf *b, unsigned limit)
{
	uint8_t v = buf_get_u8(b);

	if (v >= limit)
		b->bad = true;
	return b->bad ? 0 : v;
}

static void pair_put(const struct trace_pair *v, struct buf *b)
{
	buf_put_u8(b, v->type);
	buf_put_u8(b, v->size);
	buf_put_u8(b, (uint8_t)(v->has_now | v->has_ref << 1));
	if (v->has_now)
		buf_put_u64(b, v->now);
	if (v->has_ref)
		buf_put_u64(b, v->ref);
}

static void pair_get(struct trace_pair *v, struct buf *b)
{
	uint8_t has;

	v->type = get_below(b, VALUE_TYPES + 1);
	v->size = get_below(b, 9);
	has = get_below(b, 4);
	v->has_now = has & 1;
	v->has_ref = has >> 1;
	v->now = v->has_now ? buf_get_u64(b) : 0;
	v->ref = v->has_ref ? buf_get_u64(b) : 0;
}

/* What tells things from one another in keys. */
static void thing_put_name(const struct trace_thing *t, struct buf *b)
{
	buf_put_u8(b, t->what);
	buf_put_str(b, t->name);
	buf_put_str(b, t->file);
	buf_put_u32(b, t->counter);
}

static void thing_put_rest(const struct trace_thing *t, struct buf *b)
{
	buf_put_u32(b, t->line);
	buf_put_u8(b, t->array_kind);
	buf_put_u8(b, t->order);
	buf_put_u8(b, t->ndim);
	for (unsigned d = 0; d < t->ndim; d++)
		buf_put_i64(b, t->index[d]);
	buf_put_u64(b, t->within);
	buf_put_str(b, t->field);
	spot_put(&t->spot, b);
}

static void thing_get_name(struct trace_thing *t, struct buf *b)
{
	t->what = get_below(b, TRACE_WHAT_ADDRESS + 1);
	t->name = buf_get_str(b);
	t->file = buf_get_str(b);
	t->counter = buf_get_u32(b);
}

static void thing_get_rest(struct trace_thing *t, struct buf *b)
{
	t->line = buf_get_u32(b);
	t->array_kind = get_below(b, ARRAY_REPLICATED + 1);
	t->order = buf_get_u8(b);
	t->ndim = get_below(b, ARRAY_DIMS + 1);
	for (unsigned d = 0; d < t->ndim; d++)
		t->index[d] = buf_get_i64(b);
	t->within = buf_get_u64(b);
	t->field = buf_get_str(b);
	spot_get(&t->spot, b);
}

static void double_put(double d, struct buf *b)
{
	uint64_t bits;

	memcpy(&bits, &d, 8);
	buf_put_u64(b, bits);
}

static double double_get(struct buf *b)
{
	uint64_t bits = buf_get_u64(b);
	double d;

	memcpy(&d, &bits, 8);
	return d;
}

void finding_put_key(const struct trace_finding *f, struct buf *b)
{
	buf_put_u8(b, f->kind);
	buf_put_u8(b, f->write);
	thing_put_name(&f->thing, b);
	spot_put(&f->spot, b);
}

/* Without the count, which changes. */
void finding_put_rest(const struct trace_finding *f, struct buf *b)
{
	point_put(&f->point, b);
	for (unsigned i = 0; i < TRACE_ORDER; i++)
		buf_put_i64(b, f->order[i]);
	buf_put_u32(b, f->rank);
	buf_put_u32(b, f->ref_rank);
	buf_put_u8(b, f->nidx);
	for (unsigned d = 0; d < f->nidx; d++)
		buf_put_i64(b, f->index[d]);
	spot_put(&f->ref_spot, b);
	thing_put_rest(&f->thing, b);
	pair_put(&f->value, b);
	buf_put_u8(b, f->mode);
	double_put(f->off, b);
	double_put(f->limit, b);
	buf_put_u64(b, f->missing);
	buf_put_u8(b, f->fewer);
	buf_put_u8(b, f->lost);
	buf_put_u8(b, f->nframe);
	for (unsigned i = 0; i < f->nframe; i++)
		report_frame_put(&f->frame[i], b);
	buf_put_u8(b, f->cut);
	buf_put_u8(b, f->ref_whole);
	buf_put_u8(b, f->noperand);
	for (unsigned i = 0; i < f->noperand; i++) {
		const struct trace_operand *o = &f->operand[i];

		buf_put_u8(b, o->write);
		buf_put_u8(b, o->other);
		thing_put_name(&o->thing, b);
		thing_put_rest(&o->thing, b);
		pair_put(&o->value, b);
		spot_put(&o->spot, b);
		spot_put(&o->ref_spot, b);
	}
}

static void operand_get(struct trace_operand *o, struct buf *b)
{
	o->write = get_below(b, 2);
	o->other = get_below(b, 2);
	thing_get_name(&o->thing, b);
	thing_get_rest(&o->thing, b);
	pair_get(&o->value, b);
	spot_get(&o->spot, b);
	spot_get(&o->ref_spot, b);
}

int finding_get_parts(struct trace_finding *f, struct buf *key, struct buf *b)
{
	*f = (struct trace_finding){ .kind = get_below(key, FINDING_KINDS) };
	f->write = get_below(key, 2);
	thing_get_name(&f->thing, key);
	spot_get(&f->spot, key);
	if (key->bad)
		return -1;
	point_get(&f->point, b);
	for (unsigned i = 0; i < TRACE_ORDER; i++)
		f->order[i] = buf_get_i64(b);
	f->rank = buf_get_u32(b);
	f->ref_rank = buf_get_u32(b);
	f->nidx = get_below(b, ARRAY_DIMS + 1);
	for (unsigned d = 0; d < f->nidx; d++)
		f->index[d] = buf_get_i64(b);
	spot_get(&f->ref_spot, b);
	thing_get_rest(&f->thing, b);
	pair_get(&f->value, b);
	f->mode = get_below(b, SUM_EXACT + 1);
	f->off = double_get(b);
	f->limit = double_get(b);
	f->missing = buf_get_u64(b);
	f->fewer = get_below(b, 2);
	f->lost = buf_get_u8(b);
	f->nframe = get_below(b, TRACE_FINDING_DEPTH + 1);
	for (unsigned i = 0; i < f->nframe; i++)
		report_frame_get(&f->frame[i], b);
	f->cut = get_below(b, 2);
	f->ref_whole = get_below(b, 2);
	f->noperand = get_below(b, TRACE_OPERANDS + 1);
	for (unsigned i = 0; i < f->noperand; i++)
		operand_get(&f->operand[i], b);
	return b->bad ? -1 : 0;
}

void trace_finding_put(const struct trace_finding *f, struct buf *b)
{
	buf_put_u64(b, f->count);
	finding_put_key(f, b);
	finding_put_rest(f, b);
}

int trace_finding_get(struct trace_finding *f, struct buf *b)
{
	uint64_t count = buf_get_u64(b);

	if (finding_get_parts(f, b, b))
		return -1;
	f->count = count;
	return 0;
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
	else if (t->what == TRACE_WHAT_ADDRESS)
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
		    f->mode == SUM_RELATIVE ? " relative" : "", f->limit);
}

/* What it is in the end tells more than the write that is missing. */
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

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

const char *trace_finding_text(const struct trace_finding *f, char *out, size_t room)
{
	trace_thing_text(&f->thing, out, room);
	/* which of several of the name that one line registers, as print takes it */
	if (f->thing.what == TRACE_WHAT_ARRAY && f->thing.counter)
		say(out, room, " of %s@%s:%u#%u", f->thing.name, base_name(f->thing.file),
		    f->thing.line, f->thing.counter);
	if (*out)
		say(out, room, ": ");
	if (f->fewer) {
		say_fewer(f, out, room);
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
	say(out, room, "%s", finding_text(f->kind));
	return out;
}
