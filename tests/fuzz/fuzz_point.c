/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points: two texts, parted by a newline, and their order; then the bytes as a point. */
#include "tests/fuzz/fuzz.h"

#include "common/core/err.h"
#include "common/logical/point.h"

static void round_trip(const struct point *p)
{
	char text[POINT_TEXT];
	struct point back;
	struct buf b = BUF_INIT;

	point_format(p, text);
	if (p->main) {
		FUZZ_CHECK(!point_parse(&back, text, NULL));
		FUZZ_CHECK(point_compare(p, &back) == POINT_EQUAL);
	}
	point_put(p, &b);
	FUZZ_CHECK(!point_get(&back, &b) && !buf_left(&b));
	FUZZ_CHECK(point_compare(p, &back) == POINT_EQUAL);
	buf_clear(&b);
}

static void order(const struct point *a, const struct point *b)
{
	enum point_order there = point_compare(a, b), back = point_compare(b, a);
	struct point far = point_furthest(a, b), raf = point_furthest(b, a);
	enum point_order to;

	FUZZ_CHECK(there == POINT_INCOMPARABLE ? back == there : (int)there == -(int)back);
	FUZZ_CHECK(point_compare(&far, &raf) == POINT_EQUAL);
	to = point_compare(a, &far);
	FUZZ_CHECK(to == POINT_BEFORE || to == POINT_EQUAL);
	to = point_compare(b, &far);
	FUZZ_CHECK(to == POINT_BEFORE || to == POINT_EQUAL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *second = strchr(text, '\n');
	struct buf in = buf_view(data, size);
	struct err err = { "" };
	struct point a, b;

	if (second)
		*second++ = '\0';
	if (!point_parse(&a, text, &err)) {
		FUZZ_CHECK(a.main > 0);
		round_trip(&a);
		order(&a, &a);
		if (second && !point_parse(&b, second, &err))
			order(&a, &b);
	} else {
		FUZZ_CHECK(*err.text);
	}
	if (!point_get(&a, &in))
		round_trip(&a);
	free(text);
	return 0;
}

#ifdef FUZZ_MAIN
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const char *const text[] = {
		"6.B\n6.E",	     "256.3.4.B\n256.2.1.E", "13.B\n13.1.1.B",
		"4294967295.E\n1.B", "13.1.2.E\n13.1.2.B",
	};

	if (i > sizeof text / sizeof *text)
		return false;
	if (i < sizeof text / sizeof *text)
		buf_put_raw(out, text[i], strlen(text[i]));
	else
		point_put(&(struct point){ 256, 3, 4, POINT_END }, out);
	return true;
}
#endif
