/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/array/reduce.h"

#include <math.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/values.h"

static const char *const names[] = { "sum", "min", "max" };

int reduce_type(enum reduce what, unsigned type, unsigned *result, struct err *err)
{
	enum value_class class = value_class(type);

	if (!value_size(type))
		return err_set(err, "%s needs numbers, not a structure: choose a field",
			       names[what]);
	*result = type;
	if (what != REDUCE_SUM)
		return class == VALUE_IS_COMPLEX
			       ? err_set(err, "complex numbers have no order: %s needs real ones",
					 names[what])
			       : 0;
	if (class == VALUE_IS_COMPLEX)
		*result = VALUE_DCOMPLEX;
	else if (class == VALUE_IS_REAL)
		*result = VALUE_DOUBLE;
	else
		*result = class == VALUE_IS_UINT ? VALUE_ULONG : VALUE_LONG;
	return 0;
}

void reduce_begin(struct reduction *r, enum reduce what, unsigned type)
{
	*r = (struct reduction){ .what = what, .type = type };
}

static bool is_nan(const struct value *v)
{
	return v->class == VALUE_IS_REAL && isnan(v->re);
}

static bool less(const struct value *a, const struct value *b)
{
	if (a->class == VALUE_IS_REAL)
		return a->re < b->re;
	return a->class == VALUE_IS_UINT ? (uint64_t)a->i < (uint64_t)b->i : a->i < b->i;
}

static void add_sum(struct reduction *r, const struct value *v)
{
	__int128 whole;

	if (v->class == VALUE_IS_REAL || v->class == VALUE_IS_COMPLEX) {
		r->re += (long double)v->re;
		r->im += (long double)v->im;
	} else if (value_as_int(v, &whole)) {
		r->whole += whole;
	}
}

static void add_extreme(struct reduction *r, const struct value *v)
{
	bool better = r->what == REDUCE_LEAST ? less(v, &r->best) : less(&r->best, v);

	if (!r->any || (better && !is_nan(v)))
		r->best = *v;
	r->any = r->any || !is_nan(v);
}

void reduce_add(struct reduction *r, const void *elements, uint64_t n)
{
	const unsigned char *p = elements;
	size_t size = value_size(r->type);

	for (uint64_t i = 0; i < n; i++, p += size) {
		struct value v = value_load(r->type, p);

		if (r->what == REDUCE_SUM)
			add_sum(r, &v);
		else
			add_extreme(r, &v);
	}
	r->n += n;
}

static int end_whole(const struct reduction *r, struct value *out, struct err *err)
{
	bool uns = value_class(r->type) == VALUE_IS_UINT;

	if (uns ? r->whole > (__int128)UINT64_MAX : r->whole < INT64_MIN || r->whole > INT64_MAX)
		return err_set(err, "the sum does not fit into 64 bits: it is about %.6Lg",
			       (long double)r->whole);
	*out = (struct value){ .class = uns ? VALUE_IS_UINT : VALUE_IS_INT,
			       .i = (int64_t)r->whole };
	return 0;
}

int reduce_end(const struct reduction *r, struct value *out, struct err *err)
{
	enum value_class class = value_class(r->type);

	if (r->what != REDUCE_SUM && !r->n)
		return err_set(err, "%s needs elements, and there are none", names[r->what]);
	if (r->what != REDUCE_SUM)
		*out = r->best;
	else if (class == VALUE_IS_REAL || class == VALUE_IS_COMPLEX)
		*out = (struct value){ .class = (uint8_t) class,
				       .re = (double)r->re,
				       .im = (double)r->im };
	else
		return end_whole(r, out, err);
	return 0;
}

int reduce_quantity(enum reduce what, const struct values *q, struct values *out, struct err *err)
{
	uint64_t total = values_total(q);
	unsigned char bytes[16];
	struct reduction r;
	struct value v;

	memset(out, 0, sizeof(*out));
	if (reduce_type(what, q->type, &out->type, err))
		return -1;
	out->elem_size = (uint32_t)value_size(out->type);
	for (size_t g = 0; g < q->n; g++) {
		reduce_begin(&r, what, q->type);
		reduce_add(&r, q->group[g].bytes, total);
		if (reduce_end(&r, &v, err) || value_store(out->type, bytes, &v, err)) {
			values_clear(out);
			return -1;
		}
		if (values_add(out, &q->group[g].ranks, bytes)) {
			values_clear(out);
			return err_set(err, "out of memory");
		}
	}
	return 0;
}
