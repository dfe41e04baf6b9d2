/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values that the forms of test_forms.c are made of; each is the same at every call.
 */
#ifndef DVMDBG_TESTS_FORM_VALUES_H
#define DVMDBG_TESTS_FORM_VALUES_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/finding_kind.h"
#include "common/core/fingerprint.h"
#include "common/protocol/msg.h"
#include "common/protocol/report.h"
#include "common/checksum/checksum.h"
#include "common/protocol/point_sums.h"
#include "common/coverage/coverage.h"
#include "common/trace/block.h"
#include "common/tracereport/tracereport.h"
#include "common/tracefile/internal.h"
#include "common/array/value.h"
#include "common/array/bins.h"
#include "frontend/sumdiff/sumdiff.h"

static const struct point main_point = { 4711, 0, 0, POINT_END };
static const struct point task_point = { 12, 3, 77, POINT_BEGIN };
static const struct place line_place = { "src/heat.c", "step", 61, "", 0 };
static const struct place call_place = { "", "main", 0, "/usr/bin/heat", UINT64_C(0x401236) };

static struct rankset ranks(const char *text)
{
	struct rankset s = { 0 };

	assert_int_equal(rankset_parse(&s, text, NULL), 0);
	return s;
}

static struct groups groups(void)
{
	struct groups d = { 0 };
	struct rankset a = ranks("0:6,8"), b = ranks("7");

	assert_int_equal(groups_add(&d, &a, "all of us", 9), 0);
	assert_int_equal(groups_add(&d, &b, "", 0), 0);
	rankset_clear(&a);
	rankset_clear(&b);
	return d;
}

static struct section vector_section(void)
{
	static const int64_t index[] = { 7, -3, INT64_MAX };
	struct section s = { .ndim = 3,
			     .dim = { { .all = true, .last = 99, .step = 1 },
				      { .scalar = true, .first = -5, .last = -5, .step = 1 },
				      { .step = 1, .n = 3 } } };

	s.dim[2].vector = malloc(sizeof(index));
	assert_non_null(s.dim[2].vector);
	memcpy(s.dim[2].vector, index, sizeof(index));
	return s;
}

static struct report_frame frame(void)
{
	return (struct report_frame){ .kind = CONSTRUCT_PL,
				      .nidx = 2,
				      .ending = 1,
				      .idx = { -1, INT64_MAX },
				      .point = main_point,
				      .place = line_place };
}

static struct bins_spec spec(void)
{
	return (struct bins_spec){ .row = 1,
				   .col = 2,
				   .rows = 20,
				   .cols = 70,
				   .part = 3,
				   .parts = 5,
				   .bins = true,
				   .from = -0.5,
				   .to = 1e300,
				   .after = true,
				   .index = { 1, -2, 3, -4, 5, -6, 7, -8 } };
}

static struct trace_config trace_config(void)
{
	return (struct trace_config){ .level = TRACE_CONFIG_CHECKSUM,
				      .trace = TRACE_CONFIG_FULL,
				      .exact = 1,
				      .reads = 1,
				      .hold = 1,
				      .others = 1,
				      .calls = 1,
				      .nname = 2,
				      .start = main_point,
				      .finish = task_point,
				      .limits = { 1, 2, 3, 4, UINT32_MAX },
				      .name = { "u", "par.dt" } };
}

static struct rule rule(void)
{
	return (struct rule){ .id = 9,
			      .kind = RULE_LINE,
			      .set = 2,
			      .stop = 1,
			      .niter = 2,
			      .any = 2,
			      .iter = { -9, 5 },
			      .count = 3,
			      .point = main_point,
			      .from = task_point,
			      .line = 61,
			      .vaddr = UINT64_C(0x123456789a),
			      .file = "src/heat.c" };
}

static struct watch watch(void)
{
	return (struct watch){ .id = 4,
			       .set = 1,
			       .stop = 2,
			       .ndim = 2,
			       .first = { -1, 0 },
			       .last = { 7, INT64_MAX },
			       .step = { 1, 3 },
			       .name = "p.x" };
}

static struct trace_config_place trace_config_place(void)
{
	return (struct trace_config_place){ .kind = TRACE_CONFIG_ARRAY,
					    .level = TRACE_CONFIG_MODIFY,
					    .nrange = 1,
					    .line = 12,
					    .vaddr = 8,
					    .file = "heat.c",
					    .first = { -3 },
					    .last = { 9 },
					    .step = { 2 } };
}

static struct array_desc array(void)
{
	static const int64_t list[] = { 3, 1, 4 };
	struct array_desc a = { .name = strdup("u"),
				.file = strdup("heat.c"),
				.line = 41,
				.counter = 2,
				.kind = ARRAY_DISTRIBUTED,
				.type = VALUE_STRUCT,
				.order = 'F',
				.elem_size = 24,
				.ndim = 2,
				.lower = { -1, 0 },
				.extent = { 100, 5 },
				.own_lo = { 10 },
				.own_hi = { 19 },
				.halo_lo = { 1 },
				.halo_hi = { 2 },
				.list_n = { 0, 3 },
				.nfield = 2 };

	a.list[1] = malloc(sizeof(list));
	a.field = calloc(2, sizeof(*a.field));
	assert_non_null(a.list[1]);
	assert_non_null(a.field);
	memcpy(a.list[1], list, sizeof(list));
	a.field[0] = (struct array_field){ strdup("x"), VALUE_DOUBLE, 0, 2 };
	a.field[1] = (struct array_field){ strdup("id"), VALUE_INT, 16, 1 };
	return a;
}

/* Numbers, a NaN and an infinity in several blocks; complex ones have two parts. */
static struct sum *some_sum(unsigned type)
{
	static const double x[12] = { 1, -2.5, 1e-300, 3e300, -0.0, 7, 1e17, 0.1, -1e17, 5, 6, -1 };
	const int64_t extent[] = { 16, 40 };
	struct sum_plan plan;
	struct sum *s;
	double odd[2] = { __builtin_nan(""), -__builtin_inf() };

	assert_int_equal(sum_plan_make(&plan, 2, extent, type, 16, NULL), 0);
	s = sum_create(&plan, NULL);
	assert_non_null(s);
	for (int64_t i = 0; i < 5; i++)
		assert_int_equal(sum_add_run(s, (int64_t[]){ 3 * i, 2 }, 1, 16, 6, x, NULL), 0);
	assert_int_equal(sum_add_run(s, (int64_t[]){ 1, 30 }, 1, 16, 1, odd, NULL), 0);
	return s;
}

static struct bins picture(void)
{
	struct bins z;

	assert_int_equal(bins_make(&z, 2, true, 3, 4), 0);
	z.cell[5] = (struct bins_cell){ 10, 55, 1, 9.5, 0, 0, 3 };
	z.cell[6] = (struct bins_cell){ 10, 20, 2, 2, 0, 0, 3 };
	z.cell[10] = (struct bins_cell){ 300, 1e10, -1, 1e9, 2, 1, 200 };
	for (unsigned i = 0; i < 12; i++)
		bins_cell_add(&z.all, &z.cell[i]);
	z.at_least[0] = -1;
	z.at_most[1] = 7;
	z.found_nan = true;
	z.at_nan[0] = 12;
	z.bin[0] = 1;
	z.bin[63] = UINT64_MAX;
	z.below = 128;
	return z;
}

static struct trace_spot spot(void)
{
	return (struct trace_spot){ call_place, (const unsigned char *)"\1\2\3", 3 };
}

static struct trace_thing thing(void)
{
	return (struct trace_thing){ .what = TRACE_WHAT_ARRAY,
				     .array_kind = ARRAY_REPLICATED,
				     .order = 'C',
				     .ndim = 2,
				     .name = "u",
				     .file = "heat.c",
				     .line = 41,
				     .counter = 1,
				     .index = { 499, -1 },
				     .within = 8,
				     .field = "x",
				     .spot = spot() };
}

static struct trace_finding finding(uint32_t rank)
{
	struct trace_pair value = { VALUE_DOUBLE, 8, true, true, 1, UINT64_MAX };
	struct trace_pair only_now = { VALUE_TYPES, 3, true, false, 5, 0 };
	struct trace_operand o = { .write = true,
				   .thing = thing(),
				   .value = only_now,
				   .spot = spot(),
				   .ref_spot = { .place = line_place },
				   .other = true };

	return (struct trace_finding){ .kind = FINDING_VALUE,
				       .count = 12,
				       .point = main_point,
				       .order = { 1, -2, 3, -4, 5, -6, 7, -8, 9, -10 },
				       .rank = rank,
				       .ref_rank = TRACE_NO_RANK,
				       .nidx = 1,
				       .index = { -17 },
				       .spot = { .place = line_place },
				       .ref_spot = spot(),
				       .thing = thing(),
				       .write = true,
				       .value = value,
				       .mode = SUM_RELATIVE,
				       .off = 0.25,
				       .limit = 1e-9,
				       .missing = 3,
				       .nframe = 2,
				       .lost = 1,
				       .frame = { frame(), frame() },
				       .noperand = 1,
				       .cut = true,
				       .operand = { o } };
}

static struct index_set *some_set(void)
{
	struct index_set *s = index_set_create(2);

	assert_non_null(s);
	for (int64_t i = -5; i < 40; i++)
		index_set_add_run(s, (int64_t[]){ i, 3 }, i == 7 ? 900 : 500);
	index_set_add(s, (int64_t[]){ 90, -1 });
	index_set_add(s, (int64_t[]){ 90, -200 });
	index_set_add(s, (int64_t[]){ 90, -202 });
	return s;
}

#endif
