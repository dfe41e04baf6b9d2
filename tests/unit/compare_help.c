/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/compare_help.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"

struct compare *c;

int compare_setup(void **state)
{
	c = compare_create(&(struct compare_tolerance){ SUM_RELATIVE, -1, 1, false });
	return c ? 0 : -1;
}

int compare_teardown(void **state)
{
	compare_destroy(c);
	return 0;
}

void use(enum sum_mode mode, double exp, double rel_min, bool moved)
{
	compare_destroy(c);
	c = compare_create(&(struct compare_tolerance){ mode, exp, rel_min, moved });
	assert_non_null(c);
}

struct sums_point *point(const char *text)
{
	struct sums_point *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	assert_int_equal(point_parse(&p->point, text, NULL), 0);
	p->kind = CONSTRUCT_PL;
	p->where = strdup("heat.c:61");
	p->func = strdup("main");
	return p;
}

struct sums_point *of_line(struct sums_point *p, const char *where)
{
	free(p->where);
	p->where = strdup(where);
	return p;
}

struct sums_array *add_array(struct sums_point *p, const char *name, enum array_kind kind)
{
	struct sums_array *a;

	p->array = realloc(p->array, (p->n + 1) * sizeof(*p->array));
	assert_non_null(p->array);
	a = &p->array[p->n++];
	*a = (struct sums_array){ .name = strdup(name),
				  .file = strdup("/src/heat.c"),
				  .line = 31,
				  .kind = kind,
				  .flags = POINT_SUMS_WRITTEN,
				  .order = 'C' };
	assert_int_equal(rankset_add(&a->ranks, 0, 3), 0);
	return a;
}

static struct sum *sum_of(unsigned type, int64_t n, const void *v)
{
	struct sum_plan plan;
	struct sum *s;

	assert_int_equal(sum_plan_make(&plan, n > 0, &n, type, 0, NULL), 0);
	s = sum_create(&plan, NULL);
	assert_non_null(s);
	assert_int_equal(sum_add(s,
				 &(struct layout){ .data = v,
						   .count = { n ? n : 1 },
						   .stride = { (int64_t)value_size(type) } },
				 NULL),
			 0);
	return s;
}

struct sum_result *result(unsigned type, int64_t n, const void *v)
{
	struct sum *s = sum_of(type, n, v);
	struct sum_result *r = sum_finish(s, NULL);

	assert_non_null(r);
	sum_destroy(s);
	return r;
}

struct sums_point *with(struct sums_point *p, unsigned type, int64_t n, const void *v)
{
	add_array(p, "u", ARRAY_DISTRIBUTED)->sum = result(type, n, v);
	return p;
}

struct sums_point *with_u(struct sums_point *p, double x)
{
	return with(p, VALUE_DOUBLE, 4, (double[]){ x - 1, x, x, x + 1 });
}

struct sums_point *with_dt(struct sums_point *p, double x)
{
	add_array(p, "dt", ARRAY_REPLICATED)->sum = result(VALUE_DOUBLE, 0, &x);
	return p;
}

struct sums_point *with_copies(struct sums_point *p, size_t n, const double *v, uint32_t each)
{
	struct sums_array *a = add_array(p, "dt", ARRAY_REPLICATED);

	a->sum = result(VALUE_DOUBLE, 0, v);
	for (uint32_t i = 0; i < n; i++) {
		struct sum *s = sum_of(VALUE_DOUBLE, 0, &v[i]);
		struct rankset ranks = { 0 };
		struct buf b = BUF_INIT;

		sum_put(s, &b);
		assert_int_equal(rankset_add(&ranks, i * each, i * each + each - 1), 0);
		assert_int_equal(groups_add(&a->copies, &ranks, b.data, b.len), 0);
		rankset_clear(&ranks);
		buf_clear(&b);
		sum_destroy(s);
	}
	return p;
}

int compare(struct sums_point *ref, struct sums_point *now)
{
	int n = compare_point(c, ref, now);

	sums_point_destroy(ref);
	sums_point_destroy(now);
	return n;
}

int missing(struct sums_point *ref, bool passed)
{
	int n = compare_missing(c, ref, passed);

	sums_point_destroy(ref);
	return n;
}

const struct mismatch *expect(enum mismatch_kind kind, const char *text)
{
	const struct mismatch *m = compare_first(c);

	assert_non_null(m);
	assert_string_equal(m->text, text);
	assert_int_equal(m->kind, kind);
	return m;
}
