/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/core/codec.h"

struct part {
	unsigned kind; /* below 4 */
	char *name;    /* owned */
};

struct thing {
	uint8_t small;
	uint16_t middle;
	int32_t code;
	uint64_t large;
	int64_t index[3];
	unsigned nindex;
	bool flag;
	double x;
	const char *text;
	char place[8];
	const unsigned char *id;
	uint32_t nid;
	unsigned char raw[3];
	uint64_t count; /* of seven bits a byte */
	struct part *part;
	size_t npart;
};

static int part_code(struct codec *c, struct part *p)
{
	codec_below(c, &p->kind, 4);
	codec_text_copy(c, &p->name);
	codec_check(c, *p->name);
	return codec_end(c);
}

static int thing_code(struct codec *c, struct thing *t)
{
	codec_u8(c, &t->small);
	codec_u16(c, &t->middle);
	codec_u32(c, &t->code);
	codec_u64(c, &t->large);
	codec_below(c, &t->nindex, 4);
	codec_i64s(c, t->index, t->nindex);
	codec_flag(c, &t->flag);
	codec_f64(c, &t->x);
	codec_text(c, &t->text);
	codec_text_in(c, t->place, sizeof(t->place));
	codec_blob(c, &t->id, &t->nid);
	codec_bytes(c, t->raw, sizeof(t->raw));
	codec_varint(c, &t->count);
	codec_each(c, &t->part, &t->npart, 3, 3, part_code);
	return codec_whole(c);
}

static void thing_clear(struct thing *t)
{
	for (size_t i = 0; i < t->npart; i++)
		free(t->part[i].name);
	free(t->part);
	*t = (struct thing){ 0 };
}

CODEC_PAIR(thing, thing_clear(x))

static const struct part two_parts[] = { { 3, (char[]){ "a" } }, { 0, (char[]){ "bc" } } };
static const struct thing example = { .small = 200,
				      .middle = 0xfedc,
				      .code = -2,
				      .large = UINT64_MAX - 1,
				      .index = { -1, INT64_MAX },
				      .nindex = 2,
				      .flag = true,
				      .x = -0.5,
				      .text = "text",
				      .place = "seven..",
				      .id = (const unsigned char *)"\1\2",
				      .nid = 2,
				      .raw = { 9, 8, 7 },
				      .count = 300,
				      .part = (struct part *)two_parts,
				      .npart = 2 };

/* Also of what cannot be written to. */
static void test_form(void **state)
{
	static const unsigned char bytes[] = "\xc8"				/* small */
					     "\xdc\xfe"				/* middle */
					     "\xfe\xff\xff\xff"			/* code */
					     "\xfe\xff\xff\xff\xff\xff\xff\xff" /* large */
					     "\x02"				/* nindex */
					     "\xff\xff\xff\xff\xff\xff\xff\xff" /* index */
					     "\xff\xff\xff\xff\xff\xff\xff\x7f" /* … */
					     "\x01"				/* flag */
					     "\x00\x00\x00\x00\x00\x00\xe0\xbf" /* x */
					     "text\0"				/* text */
					     "seven..\0"			/* place */
					     "\x02\x00\x00\x00\x01\x02"		/* id */
					     "\x09\x08\x07"			/* raw */
					     "\xac\x02"				/* count */
					     "\x02\x00\x00\x00\x03"
					     "a\0"
					     "\x00"
					     "bc"; /* parts */
	struct buf b = BUF_INIT;

	thing_put(&example, &b);
	assert_false(b.bad);
	assert_int_equal(b.len, sizeof(bytes));
	assert_memory_equal(b.data, bytes, b.len);
	buf_clear(&b);
}

static void test_read(void **state)
{
	struct buf b = BUF_INIT;
	struct thing t;

	thing_put(&example, &b);
	memset(&t, 1, sizeof(t));
	assert_int_equal(thing_get(&t, &b), 0);
	assert_int_equal(t.small, 200);
	assert_int_equal(t.middle, 0xfedc);
	assert_int_equal(t.code, -2);
	assert_true(t.large == UINT64_MAX - 1);
	assert_int_equal(t.nindex, 2);
	assert_true(t.index[0] == -1 && t.index[1] == INT64_MAX && t.index[2] == 0);
	assert_true(t.flag);
	assert_true(t.x == -0.5);
	assert_string_equal(t.text, "text");
	assert_string_equal(t.place, "seven..");
	assert_int_equal(t.nid, 2);
	assert_memory_equal(t.id, "\1\2", 2);
	assert_int_equal(t.raw[2], 7);
	assert_int_equal(t.count, 300);
	assert_int_equal(t.npart, 2);
	assert_int_equal(t.part[0].kind, 3);
	assert_string_equal(t.part[1].name, "bc");
	thing_clear(&t);
	buf_clear(&b);
}

/* What does not fit leaves an empty thing, and nothing to free. */
static void assert_refused(const struct thing *put)
{
	static const struct thing empty;
	struct buf b = BUF_INIT;
	struct thing t;

	thing_put(put, &b);
	assert_int_equal(thing_get(&t, &b), -1);
	assert_true(b.bad);
	assert_memory_equal(&t, &empty, sizeof(t));
	buf_clear(&b);
}

static void test_refused(void **state)
{
	struct part parts[4] = { { 1, (char[]){ "a" } },
				 { 4, (char[]){ "b" } },
				 { 1, (char[]){ "c" } },
				 { 1, (char[]){ "d" } } };
	struct thing t = example;

	t.nindex = 4;
	assert_refused(&t);
	t = example;
	t.part = parts;
	assert_refused(&t); /* a kind */
	parts[1] = (struct part){ 1, (char[]){ "" } };
	assert_refused(&t); /* a name */
	parts[1].name = (char[]){ "b" };
	t.npart = 4;
	assert_refused(&t); /* too many */
}

/* Each beginning is cut off, and a byte more is one too many. */
static void test_length(void **state)
{
	struct buf b = BUF_INIT;
	struct thing t;

	thing_put(&example, &b);
	for (size_t len = 0; len < b.len; len++) {
		void *copy = malloc(len + 1);
		struct buf cut = buf_view(copy, len);

		assert_non_null(copy);
		memcpy(copy, b.data, len);
		assert_int_equal(thing_get(&t, &cut), -1);
		free(copy);
	}
	buf_put_u8(&b, 0);
	assert_int_equal(thing_get(&t, &b), -1);
	buf_clear(&b);
}

static int parts_code(struct codec *c, struct part **part, uint32_t *n)
{
	codec_list(c, part, n, UINT32_MAX, 3);
	return codec_end(c);
}

/* A count beyond the bytes that are left asks for no memory. */
static void test_count(void **state)
{
	unsigned char bytes[4 + 6] = { 3 };
	struct buf b = buf_view(bytes, sizeof(bytes));
	struct part *part = NULL;
	uint32_t n = 1;

	assert_int_equal(parts_code(CODEC_GET(&b), &part, &n), -1);
	assert_null(part);
	assert_int_equal(n, 0);
	bytes[0] = 2;
	b = buf_view(bytes, sizeof(bytes));
	assert_int_equal(parts_code(CODEC_GET(&b), &part, &n), 0);
	assert_int_equal(n, 2);
	assert_null(part[1].name);
	free(part);
}

static void assert_varint(uint64_t v, size_t len)
{
	struct buf b = BUF_INIT;
	uint64_t got = 1;

	codec_varint(CODEC_PUT(&b), &v);
	assert_int_equal(b.len, len);
	codec_varint(CODEC_GET(&b), &got);
	assert_true(got == v);
	assert_false(b.bad);
	buf_clear(&b);
}

static void test_varint(void **state)
{
	static const char over[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02";
	struct buf b = buf_view(over, 10);
	uint64_t v = 1;

	assert_varint(0, 1);
	assert_varint(127, 1);
	assert_varint(128, 2);
	assert_varint(UINT64_MAX, 10);
	codec_varint(CODEC_GET(&b), &v);
	assert_true(b.bad);
	assert_true(v == 0);
}

/* What has failed yields nothing more. */
static void test_failed(void **state)
{
	struct buf b = buf_view("\1\2\3", 3);
	struct codec *c = CODEC_GET(&b);
	uint8_t v = 9;
	const char *text = NULL;

	codec_u8(c, &v);
	assert_int_equal(v, 1);
	codec_check(c, v == 2);
	assert_int_equal(codec_end(c), -1);
	codec_u8(c, &v);
	assert_int_equal(v, 0);
	codec_text(c, &text);
	assert_string_equal(text, "");
	codec_check(c, (abort(), true)); /* not looked at any more */
	c = CODEC_PUT(&b);
	codec_check(c, (abort(), true)); /* nor when it is put */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form),	cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_length),
		cmocka_unit_test(test_count),	cmocka_unit_test(test_varint),
		cmocka_unit_test(test_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
