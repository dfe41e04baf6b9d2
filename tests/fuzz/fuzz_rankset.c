/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank sets: two texts, parted by a newline, and the algebra of what they are; then the bytes as a
 * set. */
#include "tests/fuzz/fuzz.h"

#include "common/core/err.h"
#include "common/logical/rankset.h"

static void well_formed(const struct rankset *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->n; i++) {
		FUZZ_CHECK(s->run[i].lo <= s->run[i].hi && s->run[i].hi < RANKSET_MAX);
		FUZZ_CHECK(!i || s->run[i].lo > s->run[i - 1].hi + 1);
		count += s->run[i].hi - s->run[i].lo + 1;
	}
	FUZZ_CHECK(rankset_count(s) == count);
	FUZZ_CHECK(rankset_next(s, 0) == (s->n ? (int64_t)s->run[0].lo : -1));
}

/* Text and bytes of a set give the set back. */
static void round_trip(const struct rankset *s)
{
	static char text[1 << 17];
	struct rankset back = { 0 };
	struct buf b = BUF_INIT;
	size_t len;

	rankset_format(s, text, sizeof text);
	len = strlen(text);
	FUZZ_CHECK(len >= 2 && text[0] == '[' && text[len - 1] == ']');
	text[len - 1] = '\0';
	if (s->n) {
		FUZZ_CHECK(!rankset_parse(&back, text + 1, NULL));
		FUZZ_CHECK(rankset_equal(s, &back));
		rankset_clear(&back);
	}
	rankset_put(s, &b);
	FUZZ_CHECK(!rankset_get(&back, &b) && !buf_left(&b));
	FUZZ_CHECK(rankset_equal(s, &back));
	rankset_clear(&back);
	buf_clear(&b);
}

static void algebra(const struct rankset *a, const struct rankset *b)
{
	struct rankset both = { 0 }, common = { 0 }, rest = { 0 };

	FUZZ_CHECK(!rankset_copy(&both, a) && !rankset_add_set(&both, b));
	FUZZ_CHECK(!rankset_copy(&common, a) && !rankset_intersect(&common, b));
	FUZZ_CHECK(!rankset_copy(&rest, a) && !rankset_remove_set(&rest, b));
	well_formed(&both);
	well_formed(&common);
	well_formed(&rest);
	FUZZ_CHECK(rankset_count(a) + rankset_count(b) ==
		   rankset_count(&both) + rankset_count(&common));
	FUZZ_CHECK(rankset_count(&rest) + rankset_count(&common) == rankset_count(a));
	FUZZ_CHECK(rankset_covers(&both, a) && rankset_covers(&both, b));
	FUZZ_CHECK(rankset_covers(a, &common) && rankset_covers(b, &common));
	FUZZ_CHECK(!rankset_meets(&rest, b) && rankset_meets(a, b) == (common.n > 0));
	FUZZ_CHECK(rankset_equal(a, b) == (rankset_covers(a, b) && rankset_covers(b, a)));
	rankset_clear(&both);
	rankset_clear(&common);
	rankset_clear(&rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *second = strchr(text, '\n');
	struct rankset a = { 0 }, b = { 0 };
	struct buf in = buf_view(data, size);
	struct err err = { "" };

	if (second)
		*second++ = '\0';
	if (!rankset_parse(&a, text, &err)) {
		well_formed(&a);
		round_trip(&a);
		if (second && !rankset_parse(&b, second, &err)) {
			well_formed(&b);
			algebra(&a, &b);
		}
	} else {
		FUZZ_CHECK(*err.text);
	}
	rankset_clear(&a);
	rankset_clear(&b);
	if (!rankset_get(&a, &in)) {
		well_formed(&a);
		round_trip(&a);
	}
	rankset_clear(&a);
	free(text);
	return 0;
}

#ifdef FUZZ_MAIN
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const char *const text[] = {
		"0:3,8\n2:9",	      "0-3,8,5\n8",	"0..3,100:1048575\n3",
		"7,6,5,4\n0:100,200", "1,3,5,7\n2,4,6",
	};
	struct rankset s = { 0 };

	if (i > sizeof text / sizeof *text)
		return false;
	if (i < sizeof text / sizeof *text) {
		buf_put_raw(out, text[i], strlen(text[i]));
		return true;
	}
	rankset_add(&s, 0, 3);
	rankset_add(&s, 8, 99);
	rankset_put(&s, out);
	rankset_clear(&s);
	return true;
}
#endif
