/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/sum_help.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/array/value.h"

static uint64_t random_state = 1;

uint64_t draw(void)
{
	random_state += UINT64_C(0x9e3779b97f4a7c15);
	return sum_mix(random_state);
}

double draw_double(int spread)
{
	static const double special[] = { 0,	      -0.0,    DBL_MAX,	 -DBL_MAX, 0x1p-1074,
					  -0x1p-1074, DBL_MIN, 0x1p1000, 1e16,	   -1e16 };
	double v = (double)(int64_t)draw() * 0x1p-63;

	if (draw() % 16 == 0)
		return special[draw() % (sizeof special / sizeof special[0])];
	return ldexp(v, (int)(draw() % (2 * (unsigned)spread + 1)) - spread);
}

struct sum *create(unsigned ndim, const int64_t *extent, unsigned type)
{
	struct sum_plan p;
	struct err err = { "" };
	struct sum *s = NULL;

	if (sum_plan_make(&p, ndim, extent, type, 0, &err) || !(s = sum_create(&p, &err)))
		fail_msg("%s", err.text);
	return s;
}

struct sum_result *finish(const struct sum *s)
{
	struct err err = { "" };
	struct sum_result *r = sum_finish(s, &err);

	if (!r)
		fail_msg("%s", err.text);
	return r;
}

void add(struct sum *s, const struct layout *part)
{
	struct err err = { "" };

	if (sum_add(s, part, &err))
		fail_msg("%s", err.text);
}

struct sum *sum_doubles(const double *v, int64_t n)
{
	struct sum *s = create(1, &n, VALUE_DOUBLE);

	add(s, &(struct layout){ .data = v, .count = { n }, .stride = { 8 } });
	return s;
}

bool same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

void assert_same(const struct sum *a, const struct sum *b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	sum_put(a, &x);
	sum_put(b, &y);
	assert_false(x.bad);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.data, y.data, x.len);
	buf_clear(&x);
	buf_clear(&y);
}

void fill_any(unsigned type, char *data, size_t n)
{
	size_t bytes = value_size(type);
	enum value_class class = value_class(type);
	size_t half = class == VALUE_IS_COMPLEX ? bytes / 2 : bytes;

	for (size_t i = 0; i < n * bytes; i += half) {
		uint64_t bits = draw();
		double d = draw_double(200);
		float f = (float)d;

		if (draw() % 100 == 0)
			f = (float)(d = draw() % 2 ? NAN : -INFINITY);
		if (class == VALUE_IS_REAL || class == VALUE_IS_COMPLEX)
			memcpy(data + i, half == 4 ? (void *)&f : (void *)&d, half);
		else
			memcpy(data + i, &bits, half);
	}
}
