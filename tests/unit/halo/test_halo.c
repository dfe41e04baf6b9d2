/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Halos against their owners: what answers of ranks give, as a report, as text, and over time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "common/array/value.h"
#include "frontend/cmd/cmd.h"
#include "frontend/halo/halo.h"
#include "frontend/session/session.h"
#include "tests/unit/fake_job.h"

static char *text;
static struct session *s;

static int set_up(void **state)
{
	s = fake_begin(&text, false);
	return 0;
}

static int tear_down(void **state)
{
	halo_watch_destroy(s->halo);
	s->halo = NULL;
	fake_end(s);
	return 0;
}

static const char *say(const char *line)
{
	cmd_line(s, line);
	return fake_printed();
}

/* A line of elements, four on each of four ranks, with a halo of `width` on both sides. */
static struct array_desc line(const char *name, unsigned type, int rank, int width)
{
	struct array_desc d = {
		.name = (char *)name,
		.file = (char *)"src/a.c",
		.line = 7,
		.kind = ARRAY_DISTRIBUTED,
		.type = (uint8_t)type,
		.order = 'C',
		.elem_size = (uint32_t)value_size(type),
		.ndim = 1,
		.extent = { 16 },
		.own_lo = { 4 * rank },
		.own_hi = { 4 * rank + 3 },
		.halo_lo = { width },
		.halo_hi = { width },
	};

	return d;
}

static void put_box(struct buf *b, int64_t lo, int64_t hi, const void *data, size_t size)
{
	buf_put_i64(b, lo);
	buf_put_i64(b, hi);
	buf_put_raw(b, (const char *)data + (size_t)lo * size, (size_t)(hi - lo + 1) * size);
}

/*
 * What a rank says of a line of halo width 1: own[] is what the owners have of the whole, halo[]
 * what everybody has in halos.
 */
static void put_line(struct buf *b, const struct array_desc *d, const void *own, const void *halo)
{
	int64_t lo = d->own_lo[0], hi = d->own_hi[0];

	array_desc_put_global(d, b);
	buf_put_u8(b, 1);
	array_desc_put_local(d, b);
	buf_put_u32(b, (lo > 0) + (hi < 15));
	if (lo > 0)
		put_box(b, lo - 1, lo - 1, halo, d->elem_size);
	if (hi < 15)
		put_box(b, hi + 1, hi + 1, halo, d->elem_size);
	buf_put_u32(b, (lo > 0) + (hi < 15));
	if (lo > 0)
		put_box(b, lo, lo, own, d->elem_size);
	if (hi < 15)
		put_box(b, hi, hi, own, d->elem_size);
}

/* The answers of all four ranks about one line. */
static void answer_line(struct array_desc (*make)(int rank), const void *own, const void *halo)
{
	for (int rank = 0; rank < 4; rank++) {
		struct array_desc d = make(rank);
		struct buf b = BUF_INIT;
		char who[2] = { (char)('0' + rank) };

		buf_put_u8(&b, 1);
		buf_put_u32(&b, 1);
		put_line(&b, &d, own, halo);
		fake_answer(QUERY_HALO, NULL, who, &b);
	}
}

static struct halo_report checked(const char *name, const char *ranks)
{
	struct halo_report r;
	struct rankset who = { 0 };
	struct err err = { "" };

	rankset_parse(&who, ranks, NULL);
	assert_int_equal(halo_check(s, name, &who, &r, &err), 0);
	rankset_clear(&who);
	return r;
}

static struct array_desc ints(int rank)
{
	return line("u", VALUE_INT, rank, 1);
}

static void equal_halos_are_counted(void **state)
{
	int u[16] = { 3, 1, 4 };
	struct halo_report r;

	answer_line(ints, u, u);
	r = checked("", "0:3");
	assert_int_equal(r.n, 0);
	assert_int_equal(r.arrays, 1);
	assert_int_equal(r.elements, 6);
	assert_int_equal(r.unowned, 0);
	halo_report_clear(&r);
	r = checked("u", "0");
	assert_int_equal(r.elements, 1);
	halo_report_clear(&r);
	assert_string_equal(
		say("halo"),
		"no halo element differs from its owner: 6 elements of 1 array compared\n");
}

static void what_differs_is_reported(void **state)
{
	int own[16] = { 0 }, halo[16] = { 0 };
	struct halo_report r;
	const struct halo_entry *e;
	char side[80];

	halo[4] = 7;
	halo[11] = -2;
	own[11] = 3;
	answer_line(ints, own, halo);
	r = checked("", "0:3");
	assert_int_equal(r.n, 2);
	e = &r.entry[0];
	assert_string_equal(e->array, "u");
	assert_int_equal(e->rank, 0);
	assert_int_equal(e->owner, 1);
	assert_int_equal(e->side[0], 1);
	assert_int_equal(e->total, 1);
	assert_int_equal(e->differ, 1);
	assert_int_equal(e->lo[0], 4);
	assert_int_equal(e->hi[0], 4);
	assert_int_equal(e->first[0], 4);
	assert_int_equal(e->halo.i, 7);
	assert_int_equal(e->own.i, 0);
	assert_true(e->largest == 7);
	assert_string_equal(halo_side(e, side, sizeof(side)), "above in dimension 1");
	e = &r.entry[1];
	assert_int_equal(e->rank, 3);
	assert_int_equal(e->owner, 2);
	assert_int_equal(e->side[0], -1);
	assert_int_equal(e->halo.i, -2);
	assert_int_equal(e->own.i, 3);
	assert_string_equal(halo_side(e, side, sizeof(side)), "below in dimension 1");
	halo_report_clear(&r);
	assert_string_equal(say("halo"),
			    "  array  halo                  rank  owner   stale  box   first "
			    "element  there  at its owner\n"
			    "  u      above in dimension 1     0      1  1 of 1  [4]   u[4]        "
			    "   7      0\n"
			    "  u      below in dimension 1     3      2  1 of 1  [11]  u[11]       "
			    "   -2     3\n"
			    "2 of 6 halo elements of 1 array differ from their owners\n");
	/* Those of some ranks only; the owners are asked all the same. */
	assert_non_null(strstr(say("[3] halo"), "1 of 1 halo element of 1 array differ"));
}

static struct array_desc reals(int rank)
{
	return line("x", VALUE_DOUBLE, rank, 1);
}

static void bits_decide_but_one_nan_is_as_good_as_another(void **state)
{
	double own[16] = { 0 }, halo[16] = { 0 };
	struct halo_report r;

	own[4] = NAN;
	halo[4] = -nan("77");
	own[8] = 0.0;
	halo[8] = -0.0;
	own[12] = 1;
	halo[12] = NAN;
	answer_line(reals, own, halo);
	r = checked("", "0:3");
	assert_int_equal(r.n, 2);
	assert_int_equal(r.entry[0].first[0], 8);
	assert_true(r.entry[0].largest == 0);
	assert_int_equal(r.entry[1].first[0], 12);
	assert_true(isinf(r.entry[1].largest));
	halo_report_clear(&r);
}

static struct array_desc pairs(int rank)
{
	return line("z", VALUE_DCOMPLEX, rank, 1);
}

/* Whose parts may be NaN; CMPLX is not there for every compiler. */
static double complex number(double re, double im)
{
	double part[2] = { re, im };
	double complex z;

	memcpy(&z, part, sizeof(z));
	return z;
}

static void complex_numbers(void **state)
{
	double complex own[16] = { 0 }, halo[16] = { 0 };
	struct halo_report r;

	own[4] = number(NAN, 1);
	halo[4] = number(-NAN, 1);
	own[7] = number(1, 5);
	halo[7] = number(4, 1);
	answer_line(pairs, own, halo);
	r = checked("", "0:3");
	assert_int_equal(r.n, 1);
	assert_int_equal(r.entry[0].rank, 2);
	assert_true(r.entry[0].largest == 5);
	assert_true(r.entry[0].halo.re == 4 && r.entry[0].own.im == 5);
	halo_report_clear(&r);
}

struct cell {
	double t;
	int k[2];
};

static struct array_field fields[] = {
	{ (char *)"t", VALUE_DOUBLE, 0, 1 },
	{ (char *)"k", VALUE_INT, 8, 2 },
};

static struct array_desc cells(int rank)
{
	struct array_desc d = line("s", VALUE_STRUCT, rank, 1);

	d.elem_size = sizeof(struct cell);
	d.field = fields;
	d.nfield = 2;
	return d;
}

static void of_structures_the_field_is_reported(void **state)
{
	struct cell own[16] = { 0 }, halo[16] = { 0 };

	own[4] = (struct cell){ 1.5, { 2, 3 } };
	halo[4] = (struct cell){ 1.5, { 2, 9 } };
	answer_line(cells, own, halo);
	assert_non_null(strstr(say("halo s"), "  [4]  s[4].k         9      3\n"));
}

static void owners_that_run_cannot_be_asked(void **state)
{
	int u[16] = { 0 };
	struct buf b = BUF_INIT;
	struct halo_report r;

	answer_line(ints, u, u);
	fake_state("3", JOB_RUNNING);
	r = checked("", "0:2");
	assert_int_equal(r.elements, 4);
	assert_int_equal(r.unowned, 1);
	halo_report_clear(&r);
	assert_non_null(strstr(say("[0:2] halo"),
			       "   1 more were not compared: no rank that is stopped owns them\n"));
	fake_state("3", JOB_STOPPED);
	fake_forget();
	buf_put_u8(&b, 0);
	buf_put_str(&b, "not stopped");
	fake_answer(QUERY_HALO, NULL, "0:3", &b);
	assert_string_equal(say("halo"), "no rank of the set has a halo to compare\n"
					 "   [0:3]: not stopped\n");
	fake_forget();
	r = checked("u", "0:3");
	assert_int_equal(rankset_count(&r.silent), 4);
	halo_report_clear(&r);
}

/* Rank 1 has a halo of 2 below, of which its neighbour has told one element only. */
static void send_halos_that_are_too_narrow(void **state)
{
	int u[16] = { 0 };
	struct halo_report r;

	for (int rank = 0; rank < 2; rank++) {
		struct array_desc d = line("u", VALUE_INT, rank, rank ? 2 : 1);
		struct buf b = BUF_INIT;

		buf_put_u8(&b, 1);
		buf_put_u32(&b, 1);
		array_desc_put_global(&d, &b);
		buf_put_u8(&b, 1);
		array_desc_put_local(&d, &b);
		buf_put_u32(&b, rank ? 1 : 0);
		if (rank)
			put_box(&b, 2, 3, u, 4);
		buf_put_u32(&b, rank ? 0 : 1);
		if (!rank)
			put_box(&b, 3, 3, u, 4);
		fake_answer(QUERY_HALO, NULL, rank ? "1" : "0", &b);
	}
	r = checked("", "0:1");
	assert_int_equal(r.elements, 1);
	assert_int_equal(r.unowned, 1);
	halo_report_clear(&r);
}

static struct array_desc elsewhere(int rank)
{
	struct array_desc d = ints(rank);

	d.line = rank < 2 ? 7 : 9;
	return d;
}

static void places_and_names(void **state)
{
	int own[16] = { 0 }, halo[16] = { 0 };

	/* Registered at different lines by different ranks it is one array. */
	halo[8] = 5;
	answer_line(elsewhere, own, halo);
	assert_non_null(strstr(say("halo"), "1 of 6 halo elements of 1 array differ"));
	fake_forget();
	/* Two of one name on every rank are two. */
	for (int rank = 0; rank < 4; rank++) {
		struct array_desc d = ints(rank);
		struct buf b = BUF_INIT;
		char who[2] = { (char)('0' + rank) };

		buf_put_u8(&b, 1);
		buf_put_u32(&b, 2);
		put_line(&b, &d, own, own);
		d.line = 8;
		put_line(&b, &d, own, halo);
		fake_answer(QUERY_HALO, NULL, who, &b);
	}
	say("halo");
	assert_non_null(
		strstr(text, "  u@a.c:8  above in dimension 1     1      2  1 of 1  [8]  u[8]"));
	assert_non_null(strstr(text, "1 of 12 halo elements of 2 arrays differ"));
}

static void arrays_that_are_left_out(void **state)
{
	struct array_desc d = ints(0);
	struct buf b = BUF_INIT;

	buf_put_u8(&b, 1);
	buf_put_u32(&b, 1);
	array_desc_put_global(&d, &b);
	buf_put_u8(&b, 0);
	buf_put_str(&b, "too far away");
	fake_answer(QUERY_HALO, NULL, "0:3", &b);
	assert_string_equal(say("halo u"), "no rank of the set has a halo of u to compare\n"
					   "   [0:3]: u is left out: too far away\n");
	fake_forget();
	buf_put_u8(&b, 1);
	buf_put_u32(&b, 0);
	fake_answer(QUERY_HALO, NULL, "0:3", &b);
	array_desc_put_global(&d, &b);
	fake_answer(QUERY_NAMES, "", "0:3", &b);
	fake_answer(QUERY_NAMES, "w", "0:3", &b);
	assert_string_equal(say("halo w"),
			    "error: there is no object 'w'; near: u. 'what' shows all\n");
	assert_non_null(strstr(say("halo u v"), "error: halo takes the name of one array"));
}

/* Whatever the bytes are, they do no harm; what is cut short or says too much is no answer. */
static void hostile_answers(void **state)
{
	int u[16] = { 0 };
	struct array_desc d = ints(1);
	struct buf good = BUF_INIT, b = BUF_INIT;

	buf_put_u8(&good, 1);
	buf_put_u32(&good, 1);
	put_line(&good, &d, u, u);
	for (size_t len = 0; len <= good.len + 1; len++) {
		buf_put_raw(&b, good.data, len < good.len ? len : good.len);
		if (len > good.len)
			buf_put_u8(&b, 0);
		fake_answer(QUERY_HALO, NULL, "0:3", &b);
		say("halo");
		assert_int_equal(strstr(text, "the answer of the ranks is invalid") == NULL,
				 len == good.len);
		fake_forget();
	}
	for (size_t at = 0; at < good.len; at++) {
		buf_put_raw(&b, good.data, good.len);
		b.data[at] ^= 0xff;
		fake_answer(QUERY_HALO, NULL, "0:3", &b);
		say("halo");
		fake_forget();
	}
	buf_clear(&good);
}

static struct halo_entry entry(uint32_t rank, uint32_t owner, int side)
{
	return (struct halo_entry){ .array = "u",
				    .ndim = 1,
				    .side = { (int8_t)side },
				    .rank = rank,
				    .owner = owner,
				    .total = 4,
				    .differ = 2 };
}

static void stale_since(const struct halo_watch *w, struct halo_entry e, const char *want)
{
	struct point since, equal;
	char a[POINT_TEXT], b[POINT_TEXT], both[2 * POINT_TEXT + 2];

	if (!halo_watch_since(w, &e, &since, &equal)) {
		assert_string_equal("", want);
		return;
	}
	snprintf(both, sizeof(both), "%s %s", point_format(&since, a), point_format(&equal, b));
	assert_string_equal(both, want);
}

static void staleness_is_remembered_until_it_is_renewed(void **state)
{
	struct halo_watch *w = halo_watch_create();
	struct halo_entry list[] = { entry(0, 1, 1), entry(1, 0, -1), entry(2, 1, -1) };
	struct halo_report none = { 0 }, two = { .entry = list, .n = 2 },
			   three = { .entry = list, .n = 3 };
	struct point p[] = { { 1, 0, 0, 1 }, { 2, 0, 0, 1 }, { 3, 0, 0, 1 }, { 7, 0, 0, 1 } };

	stale_since(NULL, list[0], "");
	halo_watch_take(w, s, &p[0], "a.c:5", &two);
	stale_since(w, list[0], "1.E start");
	stale_since(w, list[2], "");
	halo_watch_take(w, s, &p[1], "a.c:6", &three);
	/* An end is no place to read a halo. */
	assert_string_equal(fake_printed(), "");
	stale_since(w, list[1], "1.E start");
	stale_since(w, list[2], "2.E 1.E");
	/* Where a construct begins, once for its place and that since which it is stale. */
	for (p[2].side = POINT_BEGIN; p[2].main < 5; p[2].main++)
		halo_watch_take(w, s, &p[2], "a.c:7", &three);
	assert_string_equal(fake_printed(),
			    "at 3.B, a.c:7, the halo of u (above in dimension 1; below in "
			    "dimension 1) is stale since 1.E, a.c:5: 4 elements on [0:1]\n"
			    "at 3.B, a.c:7, the halo of u (below in dimension 1) is stale since "
			    "2.E, a.c:6: 2 elements on [2]\n");
	/* What could not be asked stays; all else was renewed. */
	rankset_add(&none.silent, 2, 2);
	p[2] = (struct point){ 4, 0, 0, 1 };
	halo_watch_take(w, s, &p[2], "a.c:7", &none);
	stale_since(w, list[0], "");
	stale_since(w, list[2], "2.E 1.E");
	rankset_clear(&none.silent);
	memset(&none, 0, sizeof(none));
	halo_watch_take(w, s, &p[3], "a.c:5", &two);
	stale_since(w, list[0], "7.E 4.E");
	/* What lies between was not seen. */
	p[3].main = 9;
	halo_watch_take(w, s, &p[3], "a.c:5", &three);
	stale_since(w, list[0], "9.E start");
	stale_since(w, list[2], "9.E 7.E");
	assert_string_equal(fake_printed(), "");
	s->halo = w;
}

static void the_point_is_in_the_answer(void **state)
{
	int own[16] = { 0 }, halo[16] = { 0 };
	struct halo_report r;
	struct point p = { 5, 0, 0, 1 };

	halo[4] = 1;
	answer_line(ints, own, halo);
	r = checked("", "0:3");
	s->halo = halo_watch_create();
	halo_watch_take(s->halo, s, &p, "a.c:5", &r);
	halo_report_clear(&r);
	assert_non_null(strstr(say("halo"), "  1      0             5.E or before\n"));
}

static void sides_in_words(void **state)
{
	struct halo_entry e = { .ndim = 3, .side = { 0, -1, 1 } };
	char side[80];

	assert_string_equal(halo_side(&e, side, sizeof(side)), "edge: below in 2, above in 3");
	e.side[0] = 1;
	assert_string_equal(halo_side(&e, side, sizeof(side)),
			    "corner: above in 1, below in 2, above in 3");
	assert_string_equal(halo_side(&e, side, 12), "corner: abo");
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(equal_halos_are_counted),
		T(what_differs_is_reported),
		T(bits_decide_but_one_nan_is_as_good_as_another),
		T(complex_numbers),
		T(of_structures_the_field_is_reported),
		T(owners_that_run_cannot_be_asked),
		T(send_halos_that_are_too_narrow),
		T(places_and_names),
		T(arrays_that_are_left_out),
		T(hostile_answers),
		T(staleness_is_remembered_until_it_is_renewed),
		T(the_point_is_in_the_answer),
		T(sides_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
