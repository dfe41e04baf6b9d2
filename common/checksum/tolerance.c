/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/checksum/checksum.h"

#include <math.h>
#include <string.h>

#include "common/array/array.h"
#include "common/array/value.h"

static bool is_real(unsigned type)
{
	return type == VALUE_DOUBLE || type == VALUE_FLOAT;
}

static double real_of(unsigned type, uint64_t bits)
{
	double d;
	float f;
	uint32_t half = (uint32_t)bits;

	if (type == VALUE_FLOAT) {
		memcpy(&f, &half, 4);
		return f;
	}
	memcpy(&d, &bits, 8);
	return d;
}

static double limit_of(const struct trace_tolerance *t, unsigned type)
{
	if (t->exp >= 0)
		return t->exp;
	return type == VALUE_FLOAT ? TOLERANCE_FLOAT : TOLERANCE_DOUBLE;
}

/* |x - y|, in relative mode in units of the larger one, in scaled mode of the block's largest as
 * well; NaN when one of them is. */
static double measure(const struct trace_tolerance *t, double x, double y)
{
	double off = fabs(x - y), unit;

	if ((t->mode != SUM_RELATIVE && t->mode != SUM_SCALED) || !(off > 0))
		return off;
	unit = fmax(t->mode == SUM_SCALED && t->unit > 0 ? t->unit : t->rel_min,
		    fmax(fabs(x), fabs(y)));
	/* an infinity in one of them: they are apart however large the unit is */
	return isinf(off) || !(unit > 0) ? INFINITY : off / unit;
}

struct trace_tolerance tolerance_scaled(const struct trace_tolerance *t, unsigned type,
					const struct sum_scale *id, const int64_t *index)
{
	struct trace_tolerance out = *t;

	out.unit = 0;
	if (t->mode == SUM_SCALED && t->scales && id->name && is_real(type))
		out.unit = sum_scales_unit(t->scales, id, index, limit_of(t, type));
	return out;
}

enum tolerance_verdict tolerance_check(const struct trace_tolerance *t, unsigned type,
				       unsigned size, uint64_t a, uint64_t b)
{
	double x, y;

	if (a == b)
		return TRACE_SAME;
	if (type >= VALUE_TYPES || type == VALUE_POINTER || size != value_size(type))
		return TRACE_UNKNOWN;
	if (value_class(type) == VALUE_IS_BOOL)
		return !a == !b ? TRACE_SAME : TRACE_OTHER;
	if (!is_real(type))
		return TRACE_OTHER;
	x = real_of(type, a);
	y = real_of(type, b);
	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y) ? TRACE_SAME : TRACE_OTHER;
	if (t->mode == SUM_EXACT)
		return TRACE_OTHER;
	return measure(t, x, y) <= limit_of(t, type) ? TRACE_CLOSE : TRACE_OTHER;
}

double tolerance_off(const struct trace_tolerance *t, unsigned type, uint64_t a, uint64_t b,
		     double *limit)
{
	*limit = 0;
	if (!is_real(type))
		return 0;
	if (t->mode != SUM_EXACT)
		*limit = limit_of(t, type);
	return measure(t, real_of(type, a), real_of(type, b));
}

uint64_t tolerance_load(const unsigned char *p, unsigned size)
{
	uint64_t v = 0;

	memcpy(&v, p, size < 8 ? size : 8);
	return v;
}

/* What two objects are compared with, and the worst so far. */
struct pair {
	const struct trace_tolerance *t;
	struct trace_tolerance scaled; /* of the element that is compared */
	const unsigned char *a, *b;
	size_t n;
	enum tolerance_verdict worst;
	struct tolerance_at at;
};

/* OTHER outweighs CLOSE, that SAME; what cannot be said weighs nothing beside what can. */
static void compare_one(struct pair *p, unsigned type, size_t packed, size_t byte)
{
	static const int weight[] = {
		[TRACE_SAME] = 0, [TRACE_UNKNOWN] = 0, [TRACE_CLOSE] = 1, [TRACE_OTHER] = 2
	};
	unsigned size = (unsigned)value_size(type);
	enum tolerance_verdict how;

	if (packed + size > p->n)
		return;
	how = tolerance_check(&p->scaled, type, size, tolerance_load(p->a + packed, size),
			      tolerance_load(p->b + packed, size));
	if (weight[how] <= weight[p->worst])
		return;
	p->worst = how;
	p->at = (struct tolerance_at){ packed, byte, (uint8_t)type, (uint8_t)size };
}

/* The tolerance of element k. */
static void scale_pair(struct pair *p, const struct array_desc *d, uint64_t k)
{
	const struct sum_scale id = {
		.name = d->name, .file = d->file, .line = d->line, .counter = d->counter
	};
	unsigned type = d->type == VALUE_FCOMPLEX   ? VALUE_FLOAT
			: d->type == VALUE_DCOMPLEX ? VALUE_DOUBLE
						    : d->type;
	int64_t index[ARRAY_DIMS];

	for (unsigned i = 0; i < d->ndim; i++) {
		unsigned dim = d->order == 'F' ? i : d->ndim - 1 - i;
		uint64_t n = d->extent[dim] > 0 ? (uint64_t)d->extent[dim] : 1;

		index[dim] = d->lower[dim] + (int64_t)(k % n);
		k /= n;
	}
	p->scaled = tolerance_scaled(p->t, type, &id, index);
}

/* Both parts of a complex number. */
static void compare_number(struct pair *p, unsigned type, size_t packed, size_t byte)
{
	size_t half = value_size(type) / 2;

	if (value_class(type) != VALUE_IS_COMPLEX) {
		compare_one(p, type, packed, byte);
		return;
	}
	type = type == VALUE_FCOMPLEX ? VALUE_FLOAT : VALUE_DOUBLE;
	compare_one(p, type, packed, byte);
	compare_one(p, type, packed + half, byte + half);
}

/* The fields of the element at `byte`; returns how many bytes they have. */
static size_t check_fields(struct pair *p, const struct array_desc *d, size_t packed, size_t byte)
{
	size_t from = packed;

	for (uint32_t i = 0; i < d->nfield; i++) {
		const struct array_field *f = &d->field[i];

		for (uint32_t k = 0; k < f->count; k++) {
			compare_number(p, f->type, packed,
				     byte + f->offset + k * value_size(f->type));
			packed += value_size(f->type);
		}
	}
	return packed - from;
}

static bool is_class(unsigned type, bool exact)
{
	return type == VALUE_POINTER || (!exact && (value_class(type) == VALUE_IS_REAL ||
						    value_class(type) == VALUE_IS_COMPLEX));
}

/* Whether equal objects can have other bytes: numbers that are only close, addresses. */
static bool may_vary(const struct trace_tolerance *t, const struct array_desc *d)
{
	bool exact = t->mode == SUM_EXACT;

	if (d->type != VALUE_STRUCT)
		return is_class(d->type, exact);
	for (uint32_t i = 0; i < d->nfield; i++)
		if (is_class(d->field[i].type, exact))
			return true;
	return !d->nfield;
}

enum tolerance_verdict tolerance_object(const struct trace_tolerance *t, const struct array_desc *d,
				   const unsigned char *a, const unsigned char *b, size_t n,
				   bool hashed, struct tolerance_at *at)
{
	struct pair p = { .t = t, .scaled = *t, .a = a, .b = b, .n = n, .worst = TRACE_SAME };
	size_t packed = 0, byte = 0;

	*at = (struct tolerance_at){ 0 };
	if (!n || !memcmp(a, b, n))
		return TRACE_SAME;
	if (hashed)
		return may_vary(t, d) ? TRACE_UNKNOWN : TRACE_OTHER;
	if (d->type == VALUE_STRUCT && !d->nfield)
		return TRACE_UNKNOWN;
	for (; packed < n && p.worst != TRACE_OTHER; byte += d->elem_size) {
		if (d->type == VALUE_STRUCT) {
			packed += check_fields(&p, d, packed, byte);
		} else {
			if (t->scales &&
			    memcmp(a + packed, b + packed,
				   d->elem_size < n - packed ? d->elem_size : n - packed))
				scale_pair(&p, d, packed / d->elem_size);
			compare_number(&p, d->type, packed, byte);
			packed += d->elem_size;
		}
	}
	*at = p.at;
	return p.worst;
}
