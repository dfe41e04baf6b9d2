/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/array/reduce.h"

#include <math.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/values.h"

enum { LANES = 8 };

static const char *const names[REDUCE_KINDS] = {
	[REDUCE_SUM] = "sum",	     [REDUCE_LEAST] = "min", [REDUCE_MOST] = "max",
	[REDUCE_MEAN] = "mean",	     [REDUCE_NORM] = "norm", [REDUCE_COUNT] = "count",
	[REDUCE_ANY] = "any",	     [REDUCE_ALL] = "all",   [REDUCE_LEAST_AT] = "minloc",
	[REDUCE_MOST_AT] = "maxloc",
};

const char *reduce_name(enum reduce what)
{
	return names[what];
}

static bool is_place(unsigned what)
{
	return what == REDUCE_LEAST_AT || what == REDUCE_MOST_AT;
}

static bool is_extreme(unsigned what)
{
	return what == REDUCE_LEAST || what == REDUCE_MOST || is_place(what);
}

static unsigned sum_type(enum value_class class)
{
	switch (class) {
	case VALUE_IS_COMPLEX:
		return VALUE_DCOMPLEX;
	case VALUE_IS_REAL:
		return VALUE_DOUBLE;
	default:
		return class == VALUE_IS_UINT ? VALUE_ULONG : VALUE_LONG;
	}
}

int reduce_type(enum reduce what, unsigned type, unsigned *result, struct err *err)
{
	enum value_class class = value_class(type);

	if (!value_size(type))
		return err_set(err, "%s needs numbers, not a structure: choose a field",
			       names[what]);
	if (is_extreme(what) && class == VALUE_IS_COMPLEX)
		return err_set(err, "complex numbers have no order: %s needs real ones",
			       names[what]);
	switch (what) {
	case REDUCE_SUM:
		*result = sum_type(class);
		break;
	case REDUCE_MEAN:
		*result = class == VALUE_IS_COMPLEX ? VALUE_DCOMPLEX : VALUE_DOUBLE;
		break;
	case REDUCE_NORM:
		*result = VALUE_DOUBLE;
		break;
	case REDUCE_ANY:
	case REDUCE_ALL:
		*result = VALUE_BOOL;
		break;
	case REDUCE_LEAST:
	case REDUCE_MOST:
		*result = type;
		break;
	default:
		*result = VALUE_LONG;
	}
	return 0;
}

void reduce_begin(struct reduction *r, enum reduce what, unsigned type)
{
	*r = (struct reduction){ .what = (uint8_t)what, .type = (uint8_t)type };
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

static void add_square(struct reduction *r, const struct value *v)
{
	long double re = (long double)v->re, im = (long double)v->im;

	if (v->class != VALUE_IS_REAL && v->class != VALUE_IS_COMPLEX)
		re = v->class == VALUE_IS_UINT ? (long double)(uint64_t)v->i : (long double)v->i;
	r->re += re * re + (v->class == VALUE_IS_COMPLEX ? im * im : 0);
}

static void add_extreme(struct reduction *r, const struct value *v, uint64_t number, bool any)
{
	bool least = r->what == REDUCE_LEAST || r->what == REDUCE_LEAST_AT;
	bool better = least ? less(v, &r->best) : less(&r->best, v);
	bool equal = !less(v, &r->best) && !less(&r->best, v) && any == r->any;

	/* of NaN alone the first is shown, and any number takes its place */
	if (!r->n || (any && (!r->any || better)) || (equal && number < r->at)) {
		r->best = *v;
		r->at = number;
	}
	r->any = r->any || any;
	r->set += any;
}

static void add(struct reduction *r, const struct value *v, uint64_t number)
{
	switch (r->what) {
	case REDUCE_SUM:
	case REDUCE_MEAN:
		add_sum(r, v);
		break;
	case REDUCE_NORM:
		add_square(r, v);
		break;
	case REDUCE_COUNT:
	case REDUCE_ANY:
	case REDUCE_ALL:
		r->set += value_truth(v);
		break;
	default:
		add_extreme(r, v, number, !is_nan(v));
	}
	r->n++;
}

typedef double doubles __attribute__((vector_size(16)));
typedef int64_t words __attribute__((vector_size(16)));

/* Comparisons that NaN fails, in lanes that do not wait for one another; what they begin with when
 * there is nothing else. *numbers of them are no NaN. */
static double extreme(const double *x, uint64_t n, bool least, uint64_t *numbers)
{
	const int64_t sign = least ? INT64_MIN : 0;
	const words flip = { sign, sign };
	const double none = -(double)INFINITY;
	doubles lane[LANES / 2], v;
	words set[LANES / 2] = { { 0 } }, more;
	double best = none, rest;
	uint64_t i = 0;

	*numbers = 0;
	for (unsigned k = 0; k < LANES / 2; k++)
		lane[k] = (doubles){ none, none };
	for (; i + LANES <= n; i += LANES)
		for (unsigned k = 0; k < LANES / 2; k++) {
			memcpy(&v, x + i + 2 * k, sizeof(v));
			v = (doubles)((words)v ^ flip);
			more = (words)(v > lane[k]);
			lane[k] = (doubles)((more & (words)v) | (~more & (words)lane[k]));
			set[k] -= (words)(v == v); /* true is -1 */
		}
	for (; i < n; i++) {
		rest = least ? -x[i] : x[i];
		best = rest > best ? rest : best;
		*numbers += x[i] == x[i];
	}
	for (unsigned k = 0; k < LANES; k++) {
		best = lane[k / 2][k % 2] > best ? lane[k / 2][k % 2] : best;
		*numbers += (uint64_t)set[k / 2][k % 2];
	}
	return least ? -best : best;
}

/* The commonest ones without the detour over struct value; false: it is none of them. */
static bool add_doubles(struct reduction *r, const double *x, uint64_t n)
{
	long double sum = 0;
	uint64_t numbers;
	double best;

	switch (r->what) {
	case REDUCE_SUM:
	case REDUCE_MEAN:
		for (uint64_t i = 0; i < n; i++)
			sum += (long double)x[i];
		r->re += sum;
		break;
	case REDUCE_LEAST:
	case REDUCE_MOST:
		best = extreme(x, n, r->what == REDUCE_LEAST, &numbers);
		/* or NaN alone */
		if (isinf(best))
			return false;
		add_extreme(r, &(struct value){ .class = VALUE_IS_REAL, .re = best }, r->n, true);
		r->set += numbers - 1;
		break;
	default:
		return false;
	}
	r->n += n;
	return true;
}

void reduce_add(struct reduction *r, const void *elements, uint64_t n)
{
	const unsigned char *p = elements;
	size_t size = value_size(r->type);

	if (r->type == VALUE_DOUBLE && n && !((uintptr_t)p % sizeof(double)) &&
	    add_doubles(r, elements, n))
		return;
	for (uint64_t i = 0; i < n; i++, p += size) {
		struct value v = value_load(r->type, p);

		add(r, &v, r->n);
	}
}

void reduce_add_numbered(struct reduction *r, const void *elements, const uint64_t *number,
			 uint64_t n)
{
	const unsigned char *p = elements;
	size_t size = value_size(r->type);

	for (uint64_t i = 0; i < n; i++, p += size) {
		struct value v = value_load(r->type, p);

		add(r, &v, number[i]);
	}
}

int reduce_merge(struct reduction *r, const struct reduction *from)
{
	uint64_t set = r->set + from->set;

	if (r->what != from->what || r->type != from->type)
		return -1;
	if (from->n && is_extreme(r->what))
		add_extreme(r, &from->best, from->at, from->any);
	r->n += from->n;
	r->set = set;
	r->whole += from->whole;
	r->re += from->re;
	r->im += from->im;
	return 0;
}

uint64_t reduce_left_out(const struct reduction *r)
{
	return is_extreme(r->what) && r->any ? r->n - r->set : 0;
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

static void end_mean(const struct reduction *r, struct value *out)
{
	enum value_class class = value_class(r->type);
	long double n = (long double)r->n;

	*out = (struct value){ .class = class == VALUE_IS_COMPLEX ? VALUE_IS_COMPLEX
								  : VALUE_IS_REAL };
	if (class == VALUE_IS_REAL || class == VALUE_IS_COMPLEX) {
		out->re = (double)(r->re / n);
		out->im = (double)(r->im / n);
	} else {
		out->re = (double)((long double)r->whole / n);
	}
}

int reduce_end(const struct reduction *r, struct value *out, struct err *err)
{
	enum value_class class = value_class(r->type);

	if (!r->n && (is_extreme(r->what) || r->what == REDUCE_MEAN))
		return err_set(err, "%s needs elements, and there are none", names[r->what]);
	*out = (struct value){ .class = VALUE_IS_INT };
	switch (r->what) {
	case REDUCE_MEAN:
		end_mean(r, out);
		return 0;
	case REDUCE_NORM:
		*out = (struct value){ .class = VALUE_IS_REAL, .re = (double)sqrtl(r->re) };
		return 0;
	case REDUCE_COUNT:
		out->i = (int64_t)r->set;
		return 0;
	case REDUCE_ANY:
	case REDUCE_ALL:
		out->class = VALUE_IS_BOOL;
		out->i = r->what == REDUCE_ANY ? r->set > 0 : r->set == r->n;
		return 0;
	case REDUCE_LEAST:
	case REDUCE_MOST:
		*out = r->best;
		return 0;
	case REDUCE_LEAST_AT:
	case REDUCE_MOST_AT:
		out->i = (int64_t)r->at;
		return 0;
	}
	if (class != VALUE_IS_REAL && class != VALUE_IS_COMPLEX)
		return end_whole(r, out, err);
	*out = (struct value){ .class = (uint8_t) class, .re = (double)r->re, .im = (double)r->im };
	return 0;
}

/* ---- of whole quantities ---- */

uint64_t reduce_number(const struct values *q, uint64_t i)
{
	uint64_t number = 0;

	if (q->order != 'F')
		return i;
	for (unsigned d = q->ndim; d-- > 0;)
		number = number * q->count[d] + values_place(q, d, i);
	return number;
}

int reduce_shape(enum reduce what, const struct values *q, struct values *out, struct err *err)
{
	memset(out, 0, sizeof(*out));
	if (reduce_type(what, q->type, &out->type, err))
		return -1;
	out->elem_size = (uint32_t)value_size(out->type);
	if (!is_place(what))
		return 0;
	if (!q->ndim)
		return err_set(err, "%s needs an array, and this is one number", names[what]);
	if (q->ndim > 1) {
		out->ndim = 1;
		out->count[0] = q->ndim;
		out->order = q->order;
	}
	return 0;
}

int reduce_store(const struct reduction *r, const struct values *q, const struct values *out,
		 unsigned char *bytes, struct err *err)
{
	struct value v;
	uint64_t rest;

	if (reduce_end(r, &v, err))
		return -1;
	if (!is_place(r->what))
		return value_store(out->type, bytes, &v, err);
	rest = (uint64_t)v.i;
	for (unsigned k = 0; k < q->ndim; k++) {
		unsigned d = q->order == 'F' ? k : q->ndim - 1 - k;
		uint64_t n = q->count[d] ? q->count[d] : 1;

		v.i = values_index(q, d, rest % n);
		rest /= n;
		if (value_store(out->type, bytes + d * out->elem_size, &v, err))
			return -1;
	}
	return 0;
}

/* With numbers as of Fortran. */
static void add_by_column(struct reduction *r, const struct values *q, size_t group, uint64_t total)
{
	for (uint64_t i = 0; i < total; i++) {
		uint64_t number = reduce_number(q, i);

		reduce_add_numbered(r, q->group[group].bytes + i * q->elem_size, &number, 1);
	}
}

int reduce_quantity(enum reduce what, const struct values *q, struct values *out,
		    uint64_t *left_out, struct err *err)
{
	uint64_t total = values_total(q);
	unsigned char bytes[ARRAY_DIMS * 16];
	struct reduction r;

	*left_out = 0;
	if (reduce_shape(what, q, out, err))
		return -1;
	for (size_t g = 0; g < q->n; g++) {
		reduce_begin(&r, what, q->type);
		if (is_place(what) && q->order == 'F' && q->ndim > 1)
			add_by_column(&r, q, g, total);
		else
			reduce_add(&r, q->group[g].bytes, total);
		*left_out += reduce_left_out(&r);
		if (reduce_store(&r, q, out, bytes, err)) {
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
