/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdvmdbg: registered objects of C and Fortran, wrong ones, and other threads.
 */
#include "tests/unit/super.h"

#include <stdio.h>
#include <string.h>

#include "common/array/array.h"
#include "common/protocol/finding_kind.h"
#include "common/protocol/report.h"
#include "common/array/value.h"

static void test_objects(void **state)
{
	const struct page_entity *u, *v, *eps;
	uint64_t at_u, at_v;
	double value[2];

	rule_at(0, "4.B");
	start("plain", PLAN_CONT, 0, NULL);
	expect_stop("4.B", STOP_POINT);
	u = object("u");
	v = object("v");
	eps = object("eps");
	assert_non_null(u);
	assert_non_null(v);
	assert_non_null(eps);
	assert_int_equal(u->by_pointer, 1);
	assert_int_equal(u->type, VALUE_DOUBLE);
	assert_int_equal(u->extent[0], 8);
	assert_int_equal(u->own_hi[0], 3);
	assert_int_equal(u->stride[0], 1);
	assert_int_equal(v->own_hi[0], 0); /* one element, not the default */
	assert_int_equal(v->halo_lo[0], 1);
	assert_int_equal(eps->ndim, 0);
	assert_int_equal(eps->kind, ARRAY_REPLICATED);
	peek(eps->addr, value, sizeof(*value));
	assert_true(value[0] == 0.5);
	/* swapped in the program, so v has what the first loop wrote */
	peek(u->addr, &at_u, sizeof(at_u));
	peek(v->addr, &at_v, sizeof(at_v));
	peek(at_v, value, sizeof(value));
	assert_true(value[1] == 1.5);
	assert_int_not_equal(at_u, at_v);
}

static void test_registered_again(void **state)
{
	const struct page_entity *e;
	const struct page_field *f;
	uint64_t at;

	start("again", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	assert_int_equal(object("u")->extent[0], 4);
	report(PLAN_STEP, 2, NULL, true);
	expect_stop("2.B", STOP_STEP);
	e = object("u");
	assert_int_equal(e->extent[0], 3);
	peek(e->addr, &at, sizeof(at));
	report(PLAN_STEP, 2, NULL, true);
	expect_stop("3.B", STOP_STEP);
	e = object("pair");
	assert_int_equal(e->type, VALUE_STRUCT);
	assert_int_equal(e->elem_size, 24);
	assert_int_equal(e->nfield, 2);
	f = (const struct page_field *)(s.p->arena + e->field);
	assert_string_equal(text(f[1].name), "y");
	assert_int_equal(f[1].type, VALUE_DOUBLE);
	assert_int_equal(f[1].offset, 8);
	assert_int_equal(f[1].count, 2);
	e = object("grid");
	assert_int_equal(e->stride[0], 5);
	assert_int_equal(e->by_pointer, 0);
	e = object("u");
	assert_int_equal(e->list_n[0], 3);
	assert_int_equal(((const int64_t *)(s.p->arena + e->list[0]))[2], 4);
	assert_int_equal(faults(), 0);
	report(PLAN_STEP, 2, NULL, true);
	expect_stop("4.B", STOP_STEP);
	assert_int_equal(object("u")->extent[0], 4); /* the older place, but the newer object */
	report(PLAN_STEP, 2, NULL, true);
	expect_stop("5.B", STOP_STEP);
	assert_null(object("u")); /* forgotten, and the one of the function that has returned */
}

/* "0:2 1:3": counter and extent of each live object of that name, in the order of the page. */
static const char *all_of(const char *name)
{
	static char out[80];
	const struct page_entity *e;
	int n = 0;

	out[0] = '\0';
	for (uint32_t off = s.p->first_entity; off; off = e->next) {
		e = (const struct page_entity *)(s.p->arena + off);
		if (e->live && !strcmp(text(e->name), name))
			n += snprintf(out + n, sizeof(out) - (size_t)n, "%s%u:%d", n ? " " : "",
				      e->counter, (int)e->extent[0]);
	}
	return out;
}

/* One line registers several arrays: those that are there at the same time are kept apart. */
static void test_several_by_one_line(void **state)
{
	start("fields", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	assert_string_equal(all_of("f->at"), "0:2 1:3");
	report(PLAN_STEP, 2, NULL, true);
	expect_stop("2.B", STOP_STEP);
	assert_string_equal(all_of("f->at"), "0:4");
	report(PLAN_STEP, 2, NULL, true);
	expect_stop("3.B", STOP_STEP);
	assert_string_equal(all_of("f->at"), "0:4 1:3");
	report(PLAN_STEP, 2, NULL, true);
	expect_stop("4.B", STOP_STEP);
	assert_string_equal(all_of("f->at"), "0:4 1:3");
	assert_int_equal(faults(), 0);
}

static void test_wrong_objects(void **state)
{
	start("wrong", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	assert_int_equal(findings(FINDING_REGISTER, "u: own 0:4 in dimension 1 is outside 0:3"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "u: the number of dimensions"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "u: the halo in dimension 1 is negative"), 1);
	assert_int_equal(
		findings(FINDING_REGISTER, "u: the lower bound in dimension 1 is not a valid"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "u: index 9 in dimension 1 is outside 0:7"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pairs: the type of the elements"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "grid: own and halo need more"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pair: the type of the elements"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pair: the field z has the bytes 6 to 9, outside"),
			 1);
	assert_int_equal(findings(FINDING_REGISTER, "pairs: the field x is named twice"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pairs: the field b has the bytes 4 to 7, some"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pairs: the field 2x is not named as"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pairs: the field s has a type that is not"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "pairs: the field c has bytes that are not"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "u: its elements are double"), 1);
	assert_int_equal(s.p->first_entity, 0);
	report(PLAN_STEP, 2, NULL, true);
	expect_stop("2.B", STOP_STEP);
	assert_int_equal(findings(FINDING_PARTIAL, "pairs: checksums of whole structures"), 1);
	assert_int_equal(object("pairs")->type, VALUE_STRUCT);
	assert_int_equal(findings(FINDING_REGISTER, "waves: the field z has elements of 16 bytes"),
			 1);
	assert_int_equal(object("waves[].e")->type, VALUE_FLOAT);
	assert_null(object("waves[].z"));
}

static void expect_dim(const char *name, unsigned d, int64_t lower, int64_t extent, int64_t own_hi,
		       int64_t halo, int64_t stride)
{
	const struct page_entity *e = object(name);

	assert_non_null(e);
	assert_in_range(d, 0, e->ndim - 1);
	assert_int_equal(e->order, 'F');
	assert_int_equal(e->lower[d], lower);
	assert_int_equal(e->extent[d], extent);
	assert_int_equal(e->own_lo[d], lower);
	assert_int_equal(e->own_hi[d], own_hi);
	assert_int_equal(e->halo_lo[d], halo);
	assert_int_equal(e->halo_hi[d], halo);
	assert_int_equal(e->stride[d], stride);
}

static void expect_list(const char *name, unsigned d, uint32_t n, const int64_t *index)
{
	const struct page_entity *e = object(name);
	int64_t list[4];

	assert_non_null(e);
	assert_int_equal(e->list_n[d], n);
	assert_int_not_equal(e->list[d], 0);
	memcpy(list, s.p->arena + e->list[d], n * sizeof(*list));
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(list[i], index[i]);
}

/* Index lists of all kinds, and what they cannot be. */
static void expect_lists(void)
{
	const struct page_entity *dealt = object("dealt"), *hand;

	expect_list("dealt", 1, 3, (const int64_t[]){ 8, 1, 5 });
	assert_int_equal(dealt->list[0], 0);
	assert_int_equal(dealt->own_lo[0], 2);
	assert_int_equal(dealt->own_hi[0], 7);
	assert_int_equal(dealt->own_lo[1], 1);
	assert_int_equal(dealt->own_hi[1], 8);
	assert_int_equal(dealt->extent[1], 9);
	assert_int_equal(dealt->halo_hi[1], 1);
	assert_int_equal(dealt->stride[1], 6);
	expect_list("cards", 0, 3, (const int64_t[]){ 3, 2, 1 });
	expect_list("cards", 1, 2, (const int64_t[]){ 6, 2 });
	hand = object("hand");
	assert_non_null(hand);
	assert_int_equal(hand->list_n[1], 0);
	assert_int_equal(hand->own_hi[1], hand->own_lo[1] - 1);
	assert_int_equal(findings(FINDING_REGISTER, "far: index 10 in dimension 2 is outside 1:9"),
			 1);
	assert_int_equal(findings(FINDING_REGISTER, "much: own and halo need more elements"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "real: an index list is not a list of int"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "both: an index list is not a list of int"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "bare: an index list needs shape"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "third: an index list is of a dimension"), 1);
}

static void test_fortran(void **state)
{
	double value[2];

	use("points/fmarks");
	start("", PLAN_STEP, 1, NULL);
	expect_stop("1.B", STOP_STEP);
	expect_dim("u", 0, 1, 12, 6, 1, 1);
	expect_dim("u", 1, 1, 6, 6, 0, 8);
	expect_dim("odd", 1, 1, 3, 3, 0, 12);
	expect_dim("v", 0, 0, 6, 5, 0, 1);
	expect_dim("none", 0, 1, 9, 0, 0, 1);
	expect_dim("w", 0, 1, 3, 3, 0, 1);
	expect_dim("tag", 0, 1, 8, 8, 0, 1);
	assert_int_equal(object("tag")->type, VALUE_CHAR);
	assert_int_equal(object("ok")->type, VALUE_LOGICAL);
	assert_int_equal(object("w")->type, VALUE_INT);
	assert_int_equal(object("z")->type, VALUE_DCOMPLEX);
	peek(object("z")->addr, value, sizeof(value));
	assert_true(value[0] == 1 && value[1] == 2);
	assert_int_equal(findings(FINDING_REGISTER, "wide: own needs all of the array"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "long: shape is not one integer"), 1);
	assert_int_equal(findings(FINDING_REGISTER, "real: shape is not one integer"), 1);
	assert_int_equal(s.p->finding_n, 3);
	assert_int_equal(s.p->depth, 3);
	assert_string_equal(text(place(&s.p->frame[0])->func), "solve");
	assert_int_equal(s.p->range[2].ndim, 2);
	assert_int_equal(s.p->range[2].last[1], 6);
	assert_non_null(strstr(text(place(top())->module), "fmarks"));
	report(PLAN_TO, 0, "2.2.1.B", true);
	expect_stop("2.2.1.B", STOP_HALT);
	/* the call's address is what a rule can name */
	rule_add(3, RULE_ADDR)->vaddr = place(&s.p->frame[2])->vaddr;
	report(PLAN_CONT, 0, NULL, true);
	expect_stop("4.B", STOP_POINT);
	s.n = 0;
	report(PLAN_TO, 0, "5.B", true);
	expect_stop("5.B", STOP_HALT);
	expect_dim("v", 1, 1, 12, 12, 0, 6);
	peek(object("v")->addr, value, sizeof(value));
	assert_true(value[0] == 3);
	assert_null(object("u"));
	expect_lists();
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_int_equal(findings(FINDING_LEFT, "parallel loop"), 1);
	assert_int_equal(findings(FINDING_UNBALANCED, "parallel loop"), 1);
}

static void test_openmp(void **state)
{
	use("points/omp");
	start("", PLAN_STEP, 4, NULL);
	expect_stop("2.E", STOP_STEP);
	assert_int_equal(s.p->frame[0].idx[0], 2);
	report(PLAN_CONT, 0, NULL, true);
	expect_exit(0);
	assert_int_equal(faults(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_objects),
		TEST(test_registered_again),
		TEST(test_several_by_one_line),
		TEST(test_wrong_objects),
		TEST(test_fortran),
		TEST(test_openmp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
