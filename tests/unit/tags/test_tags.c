/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "frontend/tags/internal.h"

/* ---- values ---- */

static void bits_are_those_of_one_element(void **state)
{
	static const struct tag tags[] = { { 0, 0, 0 }, { 0, 0, 1 }, { 3, 7, 12345 },
					   { TAGS_RANKS - 1, TAGS_ARRAYS - 1, TAGS_ELEMENTS - 2 } };
	struct tag t;

	(void)state;
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		assert_true(tag_of_bits(tag_bits(&tags[i]), &t));
		assert_int_equal(t.rank, tags[i].rank);
		assert_int_equal(t.array, tags[i].array);
		assert_int_equal(t.at, tags[i].at);
	}
}

static void elements_hold_them(void **state)
{
	static const unsigned whole[] = { VALUE_DOUBLE, VALUE_DCOMPLEX, VALUE_FCOMPLEX, VALUE_LONG,
					  VALUE_ULONG };
	static const unsigned halves[] = { VALUE_FLOAT, VALUE_INT, VALUE_UINT };
	uint64_t bits = tag_bits(&(struct tag){ 2, 5, 777 }), got;
	unsigned char e[16];
	uint32_t part[2];
	unsigned half;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(tag_way(whole[i]), TAG_WHOLE);
		tag_store(whole[i], e, bits, 1);
		assert_true(tag_load(whole[i], e, &got));
		assert_int_equal(got, bits);
		memset(e, 0, sizeof(e));
		assert_false(tag_load(whole[i], e, &got));
	}
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(tag_way(halves[i]), TAG_HALVES);
		for (unsigned h = 0; h < 2; h++) {
			tag_store(halves[i], e, bits, h);
			assert_true(tag_load_half(halves[i], e, &part[h], &half));
			assert_int_equal(half, h);
		}
		assert_int_equal(tag_join(part[0], part[1]), bits);
		memset(e, 0, sizeof(e));
		assert_false(tag_load_half(halves[i], e, &part[0], &half));
	}
	assert_int_equal(tag_way(VALUE_SHORT), TAG_NONE);
	assert_int_equal(tag_way(VALUE_STRUCT), TAG_NONE);
}

/* What a stencil makes of tags is an element of a small program in none of many cases. */
static void means_are_no_tags(void **state)
{
	(void)state;
	for (uint64_t at = 1; at < 20000; at++) {
		double a, b, mean;
		uint64_t bits;
		struct tag t;

		tag_store(VALUE_DOUBLE, &a, tag_bits(&(struct tag){ 0, 0, at - 1 }), 0);
		tag_store(VALUE_DOUBLE, &b, tag_bits(&(struct tag){ 0, 0, at + 1 }), 0);
		mean = (a + b) / 2;
		if (tag_load(VALUE_DOUBLE, &mean, &bits) && tag_of_bits(bits, &t))
			assert_false(t.rank < 16 && t.array < 16 && t.at < 1000000);
	}
}

/* ---- judging: a row of 8 elements on two ranks, halo 1 ---- */

#define LENGTH 8

static void put(struct buf *b, uint32_t kind, struct buf *one)
{
	buf_put_u32(b, kind);
	buf_put_blob(b, one->data, one->len);
	buf_clear(one);
}

/* A rank that owns lo to hi, and has at `at` what the other has at `from`. */
static void rank_make(struct noted_rank *r, int64_t lo, int64_t hi, uint32_t from_rank, uint64_t at,
		      uint64_t from)
{
	struct tags_array a = { .name = "x", .file = "x.c", .module = "", .line = 7, .order = 'C',
				.ndim = 1, .extent = { LENGTH }, .own_lo = { lo }, .own_hi = { hi },
				.halo_lo = { 1 }, .halo_hi = { 1 }, .list_n = { UINT32_MAX } };
	struct tags_interval in = { 1, 1, 2 };
	struct tags_moved m = { .from_rank = from_rank, .n = 1, .at = at, .from = from };
	struct buf b = BUF_INIT, one = BUF_INIT, view;

	buf_put_u64(&b, TAGS_MAGIC);
	tags_array_code(CODEC_PUT(&one), &a);
	put(&b, TAGS_ARRAY, &one);
	tags_interval_code(CODEC_PUT(&one), &in);
	put(&b, TAGS_INTERVAL, &one);
	tags_moved_code(CODEC_PUT(&one), &m);
	put(&b, TAGS_MOVED, &one);
	view = buf_view(b.data, b.len);
	noted_take(r, &view);
	buf_clear(&b);
}

static json_t *judged(int64_t hi0, int64_t lo1, uint64_t at0, uint64_t from0, uint64_t at1,
		      uint64_t from1)
{
	json_t *answer = json_pack("{s:[] s:[] s:[]}", "arrays", "findings", "notes");
	struct noted n = { .ranks = 2 };

	n.rank = calloc(2, sizeof(*n.rank));
	rank_make(&n.rank[0], 0, hi0, 1, at0, from0);
	rank_make(&n.rank[1], lo1, LENGTH - 1, 0, at1, from1);
	tags_judge(&n, NULL, answer);
	noted_clear(&n);
	return answer;
}

static const char *finding(const json_t *answer, size_t i)
{
	const json_t *o = json_array_get(json_object_get(answer, "findings"), i);

	return o ? json_string_value(json_object_get(o, "text")) : "";
}

static json_int_t number(const json_t *answer, const char *key)
{
	return json_integer_value(
		json_object_get(json_array_get(json_object_get(answer, "arrays"), 0), key));
}

static void halos_from_their_owners(void **state)
{
	json_t *o = judged(3, 4, 5, 1, 0, 4);

	(void)state;
	assert_int_equal(number(o, "right"), 2);
	assert_int_equal(number(o, "exchanges"), 1);
	assert_int_equal(number(o, "periodic"), 0);
	assert_string_equal(finding(o, 0), "");
	assert_int_equal(tags_proved(o), 1);
	json_decref(o);
}

static void round_the_end(void **state)
{
	json_t *o = judged(3, 4, 0, 4, 5, 1);

	(void)state;
	assert_int_equal(number(o, "right"), 2);
	assert_int_equal(number(o, "periodic"), 2);
	assert_string_equal(finding(o, 0), "");
	json_decref(o);
}

static void another_index(void **state)
{
	json_t *o = judged(3, 4, 5, 2, 0, 4);

	(void)state;
	assert_string_equal(finding(o, 0),
			    "x[4] in the halo of rank 0 gets x[5] of rank 1: own bounds or "
			    "halo are off by +1 in dimension 1 (1 element)");
	assert_int_equal(tags_proved(o), 0);
	json_decref(o);
}

static void an_own_element(void **state)
{
	json_t *o = judged(3, 4, 4, 1, 0, 4);

	(void)state;
	assert_string_equal(finding(o, 0),
			    "x[3], which rank 0 owns by its mark, is received: it gets x[4] "
			    "of rank 1 (1 element)");
	json_decref(o);
}

static void from_who_does_not_own_it(void **state)
{
	json_t *o = judged(3, 5, 5, 0, 0, 4);

	(void)state;
	assert_string_equal(finding(o, 0),
			    "own parts have 7 of 8 elements: the others are nobody's");
	assert_string_equal(finding(o, 1),
			    "x[4] in the halo of rank 0 comes from rank 1, which by its mark "
			    "does not own it (1 element)");
	json_decref(o);
}

static void own_parts_that_overlap(void **state)
{
	json_t *o = judged(4, 4, 6, 2, 0, 4);

	(void)state;
	assert_string_equal(finding(o, 0), "x[4] is owned by rank 0 and by rank 1");
	json_decref(o);
}

/* Of what is cut off the whole records count. */
static void damaged_files(void **state)
{
	struct noted_rank r = { 0 };
	struct buf b = BUF_INIT, view;
	struct noted n = { .rank = calloc(1, sizeof(r)), .ranks = 1 };

	(void)state;
	buf_put_u64(&b, TAGS_MAGIC);
	buf_put_u32(&b, TAGS_ARRAY);
	buf_put_u32(&b, 1000);
	buf_put_u32(&b, 1);
	view = buf_view(b.data, b.len);
	noted_take(&n.rank[0], &view);
	assert_int_equal(n.rank[0].narrays, 0);
	buf_clear(&b);
	noted_clear(&n);
}

/* A room between rows has got what a halo that is marked too narrow leaves there. */
static void between_rows(void **state)
{
	json_t *answer = json_pack("{s:[] s:[] s:[]}", "arrays", "findings", "notes");
	struct noted n = { .ranks = 2 };
	struct tags_interval in = { 1, 1, 2 };
	struct tags_between t = { .from_rank = 1, .n = 3, .at = 4, .from = 1 };
	struct buf b = BUF_INIT, one = BUF_INIT, view;

	(void)state;
	n.rank = calloc(2, sizeof(*n.rank));
	rank_make(&n.rank[0], 0, 3, 1, 5, 1);
	rank_make(&n.rank[1], 4, LENGTH - 1, 0, 0, 4);
	buf_put_u64(&b, TAGS_MAGIC);
	tags_interval_code(CODEC_PUT(&one), &in);
	put(&b, TAGS_INTERVAL, &one);
	tags_between_code(CODEC_PUT(&one), &t);
	put(&b, TAGS_BETWEEN, &one);
	view = buf_view(b.data, b.len);
	noted_take(&n.rank[0], &view);
	buf_clear(&b);
	tags_judge(&n, NULL, answer);
	assert_string_equal(
		finding(answer, 0),
		"x[4] of rank 1 comes to rank 0 between its rows, behind x[3], where the mark has "
		"no halo: the halo is wider than it is marked (3 elements)");
	assert_int_equal(tags_proved(answer), 0);
	noted_clear(&n);
	json_decref(answer);
}

/* A run of a program of two lines of the shell. */
static struct tagged_run run_of(const char *lines, unsigned seconds)
{
	static char *const argv[] = { "none", NULL };
	char dir[] = "/tmp/test-tags.XXXXXX", path[64];
	struct tags_request q = { .argv = argv, .ranks = 2, .seconds = seconds };
	struct tagged_run run;
	struct err err = { "" };
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/program", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", lines);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0700), 0);
	q.dvmdbg = path;
	assert_int_equal(tags_run(&q, dir, false, &run, &err), 0);
	for (const char *name = "0\0001\0program\0"; *name; name += strlen(name) + 1) {
		char file[128];

		snprintf(file, sizeof(file), "%s/%s", dir, name);
		unlink(file);
	}
	assert_int_equal(rmdir(dir), 0);
	free(run.answers);
	return run;
}

/* It is ended when all ranks have noted enough, or time is over. */
static void runs_end(void **state)
{
	struct tagged_run run = run_of("exec sleep 1000", 1);

	(void)state;
	assert_true(run.late);
	assert_false(run.died);
	run = run_of(": >$DVMDBG_TAGS/0; : >$DVMDBG_TAGS/1; exec sleep 1000", 100);
	assert_false(run.late);
	assert_false(run.died);
	run = run_of(": >$DVMDBG_TAGS/0", 100);
	assert_false(run.late);
	assert_true(run.died);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_are_those_of_one_element),
		cmocka_unit_test(elements_hold_them),
		cmocka_unit_test(means_are_no_tags),
		cmocka_unit_test(halos_from_their_owners),
		cmocka_unit_test(round_the_end),
		cmocka_unit_test(another_index),
		cmocka_unit_test(an_own_element),
		cmocka_unit_test(from_who_does_not_own_it),
		cmocka_unit_test(own_parts_that_overlap),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(between_rows),
		cmocka_unit_test(runs_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
