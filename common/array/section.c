/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/array/section.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"

enum { FLAG_ALL = 1, FLAG_SCALAR = 2, FLAG_VECTOR = 4 };

void section_clear(struct section *s)
{
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		free(s->dim[d].vector);
	*s = (struct section){ 0 };
}

int section_copy(struct section *dst, const struct section *src)
{
	*dst = *src;
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		dst->dim[d].vector = NULL;
	for (unsigned d = 0; d < src->ndim; d++) {
		const struct section_dim *from = &src->dim[d];

		if (!from->vector)
			continue;
		dst->dim[d].vector = calloc(from->n ? from->n : 1, sizeof *from->vector);
		if (!dst->dim[d].vector) {
			section_clear(dst);
			return -1;
		}
		memcpy(dst->dim[d].vector, from->vector, from->n * sizeof *from->vector);
	}
	return 0;
}

/* The number of indices from first to last; 0 when step leads away from last. */
static uint64_t range_count(const struct section_dim *dim)
{
	uint64_t way, step;

	if (!dim->step || (dim->step > 0 ? dim->first > dim->last : dim->first < dim->last))
		return 0;
	if (dim->step > 0) {
		way = (uint64_t)dim->last - (uint64_t)dim->first;
		step = (uint64_t)dim->step;
	} else {
		way = (uint64_t)dim->first - (uint64_t)dim->last;
		step = -(uint64_t)dim->step;
	}
	way /= step;
	return way == UINT64_MAX ? way : way + 1;
}

static int64_t range_index(const struct section_dim *dim, uint64_t i)
{
	return (int64_t)((uint64_t)dim->first + i * (uint64_t)dim->step);
}

uint64_t section_count(const struct section *s, unsigned d)
{
	const struct section_dim *dim = &s->dim[d];

	if (dim->vector)
		return dim->n;
	return dim->scalar ? 1 : range_count(dim);
}

uint64_t section_total(const struct section *s)
{
	uint64_t total = 1, count;
	bool over = false;

	for (unsigned d = 0; d < s->ndim; d++) {
		count = section_count(s, d);
		if (!count)
			return 0;
		over |= __builtin_mul_overflow(total, count, &total);
	}
	return over ? UINT64_MAX : total;
}

int64_t section_index(const struct section *s, unsigned d, uint64_t i)
{
	const struct section_dim *dim = &s->dim[d];

	if (dim->vector)
		return dim->vector[i];
	return dim->scalar ? dim->first : range_index(dim, i);
}

struct bounds {
	const char *array;
	unsigned d;
	int64_t low, high;
};

static int check_index(const struct bounds *in, int64_t index, struct err *err)
{
	if (index >= in->low && index <= in->high)
		return 0;
	return err_set(err, "%s: index %" PRId64 " of dimension %u is outside %" PRId64 ":%" PRId64,
		       in->array, index, in->d + 1, in->low, in->high);
}

static int bind_range(struct section_dim *dim, const struct bounds *in, struct err *err)
{
	if (!dim->step)
		dim->step = 1;
	if (dim->all || dim->open_first)
		dim->first = dim->step > 0 ? in->low : in->high;
	if (dim->all || dim->open_last)
		dim->last = dim->step > 0 ? in->high : in->low;
	dim->open_first = dim->open_last = false;
	if (dim->all)
		return 0;
	if (check_index(in, dim->first, err))
		return -1;
	if (!range_count(dim))
		return err_set(err,
			       "%s: %" PRId64 ":%" PRId64
			       " of dimension %u is empty with step %" PRId64,
			       in->array, dim->first, dim->last, in->d + 1, dim->step);
	dim->last = range_index(dim, range_count(dim) - 1);
	return check_index(in, dim->last, err);
}

static int bind_dim(struct section_dim *dim, const struct bounds *in, struct err *err)
{
	if (in->high < in->low && !dim->all)
		return err_set(err, "%s: dimension %u has no elements", in->array, in->d + 1);
	if (dim->vector) {
		for (uint32_t i = 0; i < dim->n; i++)
			if (check_index(in, dim->vector[i], err))
				return -1;
		return dim->n ? 0
			      : err_set(err, "%s: the index vector of dimension %u is empty",
					in->array, in->d + 1);
	}
	if (!dim->scalar)
		return bind_range(dim, in, err);
	dim->last = dim->first;
	dim->step = 1;
	return check_index(in, dim->first, err);
}

int section_bind_dim(struct section_dim *dim, const char *array, unsigned d, int64_t lower,
		     int64_t extent, struct err *err)
{
	struct bounds in = { array, d, lower, 0 };

	/* an empty dimension has high == low - 1; extents that overflow are cut */
	if (extent <= 0)
		in.low = lower == INT64_MIN ? lower + 1 : lower;
	if (extent <= 0)
		in.high = in.low - 1;
	else if (__builtin_add_overflow(lower, extent - 1, &in.high))
		in.high = INT64_MAX;
	return bind_dim(dim, &in, err);
}

int section_bind(struct section *s, const char *array, unsigned ndim, const int64_t *lower,
		 const int64_t *extent, struct err *err)
{
	if (ndim > ARRAY_DIMS)
		return err_set(err, "%s has %u dimensions, %d are the most", array, ndim,
			       ARRAY_DIMS);
	if (!s->ndim) {
		for (unsigned d = 0; d < ndim; d++)
			s->dim[d] = (struct section_dim){ .all = true };
		s->ndim = ndim;
	}
	if (s->ndim != ndim && !ndim)
		return err_set(err, "%s is not an array, it has no elements to choose", array);
	if (s->ndim != ndim)
		return err_set(err, "%s has %u dimension%s, but %u %s given", array, ndim,
			       ndim == 1 ? "" : "s", s->ndim, s->ndim == 1 ? "is" : "are");
	for (unsigned d = 0; d < ndim; d++)
		if (section_bind_dim(&s->dim[d], array, d, lower[d], extent[d], err))
			return -1;
	return 0;
}

static int dim_code(struct codec *c, struct section_dim *dim)
{
	unsigned flags = (dim->all ? FLAG_ALL : 0) | (dim->scalar ? FLAG_SCALAR : 0) |
			 (dim->vector ? FLAG_VECTOR : 0);
	uint32_t n = dim->vector ? dim->n : 0;

	codec_below(c, &flags, FLAG_VECTOR + 1);
	codec_i64(c, &dim->first);
	codec_i64(c, &dim->last);
	codec_i64(c, &dim->step);
	codec_check(c, !(flags & (flags - 1)));
	codec_check(c, dim->step || flags & (FLAG_SCALAR | FLAG_VECTOR));
	if (!c->get) {
		codec_u32(c, &n);
	} else {
		dim->all = flags & FLAG_ALL;
		dim->scalar = flags & FLAG_SCALAR;
		dim->n = codec_take_count(c, flags & FLAG_VECTOR ? UINT32_MAX : 0, 8);
		codec_check(c, dim->n || !(flags & FLAG_VECTOR));
		n = codec_good(c) ? dim->n : 0;
		if (n)
			dim->vector = codec_room(c, n, sizeof(*dim->vector));
	}
	codec_i64s(c, dim->vector, dim->vector ? n : 0);
	return codec_end(c);
}

int section_code(struct codec *c, struct section *s)
{
	codec_below(c, &s->ndim, ARRAY_DIMS + 1);
	for (unsigned d = 0; d < s->ndim; d++)
		dim_code(c, &s->dim[d]);
	return codec_end(c);
}
