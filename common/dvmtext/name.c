/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How accesses of native traces are written in text: the operand, its type, its value.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/dvmtext/dvmtext.h"
#include "common/dvmtext/internal.h"
#include "common/array/value.h"

/* Text that is cut when there is no room. */
struct words {
	char *out;
	size_t n, room;
};

__attribute__((format(printf, 2, 3))) static void say(struct words *w, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(w->out + w->n, w->room - w->n, fmt, args);
	va_end(args);
	if (n > 0)
		w->n += (size_t)n < w->room - w->n ? (size_t)n : w->room - w->n - 1;
}

/* "[2][1]", "(1,2)" */
static void say_index(struct words *w, const struct array_desc *a, const int64_t *index)
{
	bool fortran = a->order == 'F';

	for (unsigned d = 0; d < a->ndim; d++)
		say(w, fortran ? d ? ",%" PRId64 : "(%" PRId64 : "[%" PRId64 "]", index[d]);
	if (a->ndim && fortran)
		say(w, ")");
}

/* Of a structure, the field that the bytes are an element of; NULL: none, or only a part of one. */
static const struct array_field *field_of(const struct array_desc *a, uint32_t offset,
					  unsigned size)
{
	for (uint32_t i = 0; i < a->nfield; i++) {
		const struct array_field *f = &a->field[i];
		size_t each = value_size(f->type);

		if (each == size && offset >= f->offset && (offset - f->offset) % each == 0 &&
		    (offset - f->offset) / each < f->count)
			return f;
	}
	return NULL;
}

static void say_element(struct words *w, const struct trace_object *o, const struct trace_rec *r)
{
	const struct array_desc *a = &o->desc;
	const struct array_field *f;
	int64_t index[ARRAY_DIMS];
	struct trace_shape shape;
	enum trace_where where;
	uint32_t offset = 0;
	size_t from = w->n;

	say(w, "%s", a->name);
	trace_shape_make(&shape, a);
	where = trace_shape_find(&shape, r->at, index, &offset);
	if (where == TRACE_OUTSIDE || where == TRACE_EDGE) {
		say(w, "+%" PRIu64, r->at);
		return;
	}
	say_index(w, a, index);
	w->n = from + strlen(array_name_place(w->out + from, strlen(a->name)));
	f = field_of(a, offset, r->size);
	if (f && f->count > 1)
		say(w, ".%s[%zu]", f->name, (offset - f->offset) / value_size(f->type));
	else if (f)
		say(w, ".%s", f->name);
	else if (offset)
		say(w, "+%u", offset);
}

char *dvmtext_operand(const struct trace_block *b, const struct trace_rec *r, char *out,
		      size_t room)
{
	struct words w = { out, 0, room };
	const struct trace_object *o;

	*out = '\0';
	if (r->object >= b->nobject) {
		say(&w, "0x%" PRIx64, r->at);
		return out;
	}
	o = &b->object[r->object];
	if (o->kind == TRACE_HEAP)
		/* the top bit only distinguishes it from versions of objects */
		say(&w, "malloc#%u+%" PRIu64, o->version & ~(1u << 31), r->at);
	else
		say_element(&w, o, r);
	return out;
}

/* What bytes of unknown memory most likely are: small whole numbers are whole numbers. */
static unsigned guess(unsigned size, uint64_t v)
{
	switch (size) {
	case 1:
		return VALUE_CHAR;
	case 2:
		return VALUE_SHORT;
	case 4:
		return v < 1 << 24 || v > UINT32_MAX - (1 << 24) ? VALUE_INT : VALUE_FLOAT;
	case 8:
		return v < UINT64_C(1) << 48 || v > UINT64_MAX - (UINT64_C(1) << 48) ? VALUE_LONG
										     : VALUE_DOUBLE;
	default:
		return VALUE_DCOMPLEX;
	}
}

unsigned dvmtext_type(const struct trace_block *b, const struct trace_rec *r)
{
	const struct array_desc *a = r->object < b->nobject ? &b->object[r->object].desc : NULL;
	const struct array_field *f = NULL;
	int64_t index[ARRAY_DIMS];
	struct trace_shape shape;
	uint32_t offset = 0;

	if (a && a->type == VALUE_STRUCT) {
		trace_shape_make(&shape, a);
		if (trace_shape_find(&shape, r->at, index, &offset) != TRACE_OUTSIDE)
			f = field_of(a, offset, r->size);
		if (f)
			return f->type;
	} else if (a && b->object[r->object].kind != TRACE_HEAP && value_size(a->type) == r->size) {
		return a->type;
	} else if (a && value_class(a->type) == VALUE_IS_COMPLEX &&
		   2 * r->size == value_size(a->type)) {
		return dvmtext_part(a->type);
	}
	return guess(r->size, r->value[0]);
}

unsigned dvmtext_part(unsigned type)
{
	return type == VALUE_FCOMPLEX ? VALUE_FLOAT : VALUE_DOUBLE;
}

unsigned dvmtext_type_number(unsigned type)
{
	switch (type) {
	case VALUE_SCHAR:
	case VALUE_UCHAR:
	case VALUE_BOOL:
		return VALUE_CHAR;
	case VALUE_SHORT:
	case VALUE_USHORT:
	case VALUE_UINT:
		return VALUE_INT;
	case VALUE_ULONG:
	case VALUE_POINTER:
		return VALUE_LLONG;
	default:
		return type;
	}
}

char *dvmtext_value(unsigned type, const void *bytes, char out[TRACE_TEXT_VALUE])
{
	struct value v = value_load(type, bytes);
	int digits = type == VALUE_FLOAT || type == VALUE_FCOMPLEX ? 9 : 17;

	switch (v.class) {
	case VALUE_IS_REAL:
		if (v.re != v.re)
			snprintf(out, TRACE_TEXT_VALUE, "#NAN");
		else
			snprintf(out, TRACE_TEXT_VALUE, " = %.*G", digits, v.re);
		break;
	case VALUE_IS_COMPLEX:
		snprintf(out, TRACE_TEXT_VALUE, " = (%.*G,%.*G)", digits, v.re, digits, v.im);
		break;
	default:
		snprintf(out, TRACE_TEXT_VALUE, " = %" PRId64, v.i);
	}
	return out;
}
