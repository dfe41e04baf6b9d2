/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <string.h>

#include "common/core/err.h"
#include "common/logical/point.h"
#include "frontend/tui/screen/glyph.h"
#include "frontend/tui/screen/screen.h"
#include "frontend/tui/screen/span.h"

/* What stands beside p when the interval is that; "" for an end that is not set. */
static const char *mark(const char *start, const char *finish, const char *p)
{
	struct point at[3] = { 0 };
	const char *const text[] = { start, finish, p };

	for (int i = 0; i < 3; i++)
		if (*text[i])
			assert_int_equal(point_parse(&at[i], text[i], NULL), 0);
	return span_mark(&at[0], &at[1], &at[2]);
}

static void test_the_interval_beside_points(void **state)
{
	assert_string_equal(mark("", "", "3.B"), "  ");
	assert_string_equal(mark("2.E", "4.B", "2.B"), "  ");
	assert_string_equal(mark("2.E", "4.B", "2.E"), "S ");
	assert_string_equal(mark("2.E", "4.B", "3.B"), "│ ");
	assert_string_equal(mark("2.E", "4.B", "3.1.2.E"), "│ ");
	assert_string_equal(mark("2.E", "4.B", "4.B"), "F ");
	assert_string_equal(mark("2.E", "4.B", "4.E"), "  ");
	assert_string_equal(mark("2.E", "", "900.E"), "│ ");
	assert_string_equal(mark("", "2.E", "1.B"), "│ ");
	assert_string_equal(mark("3.E", "3.E", "3.E"), "SF");
	/* another task than the end's is outside */
	assert_string_equal(mark("3.1.2.B", "", "3.1.3.B"), "│ ");
	assert_string_equal(mark("3.1.2.B", "", "3.2.9.B"), "  ");
	assert_string_equal(mark("3.1.2.B", "", "3.E"), "│ ");
}

static void test_width(void **state)
{
	assert_int_equal(glyph_width(""), 0);
	assert_int_equal(glyph_width(SAY_BAD "ab" SAY_NORMAL "c"), 3);
	assert_int_equal(glyph_width("●─é"), 3);
}

static void assert_fit(const char *text, int columns, const char *fitting)
{
	char out[100];

	strcpy(out, text);
	glyph_fit(out, columns);
	assert_string_equal(out, fitting);
	assert_true(glyph_width(out) <= columns);
}

static void test_what_does_not_fit_goes_as_a_whole(void **state)
{
	assert_fit("min 1  max 22", 13, "min 1  max 22");
	assert_fit("min 1  max 22", 12, "min 1");
	assert_fit("row 4: all, the last  of 3", 19, "row 4: all");
	assert_fit("row 4: all, the last  of 3", 9, "row 4");
	assert_fit(SAY_DIM "seen" SAY_RANKS "  of rank 0", 8, SAY_DIM "seen" SAY_RANKS);
	assert_fit("something", 5, "some…");
	assert_fit("●●●  x", 3, "●●●");
	assert_fit("●●●●", 3, "●●…");
	assert_fit("abc", 2, "a.");
	assert_fit("abc", 0, "");
}

static void test_parts_of_a_folded_text(void **state)
{
	const char *text = SAY_BAD "one two  three";

	assert_int_equal(glyph_part(text, 0, 14), 14);
	assert_int_equal(glyph_part(text, 0, 20), 14);
	assert_int_equal(glyph_part(text, 0, 7), 9); /* blanks that are not seen */
	assert_int_equal(glyph_part(text, 0, 8), 9);
	assert_int_equal(glyph_part(text, 0, 13), 9);
	assert_int_equal(glyph_part(text, 9, 13), 5);
	assert_int_equal(glyph_part(text, 0, 6), 4);
	assert_int_equal(glyph_part(text, 4, 2), 2); /* a word that is too long is cut */
	assert_int_equal(glyph_part(text, 6, 2), 3);
	assert_int_equal(glyph_part(text, 14, 5), 0);
	assert_int_equal(glyph_part("    deep", 0, 6), 6);
	assert_int_equal(glyph_part("", 0, 6), 0);
}

static void test_clean(void **state)
{
	char text[] = "a\033[1;31mb\033[0m\tc\001\r", osc[] = "x\033]0;title\007y";

	glyph_clean(text);
	assert_null(strpbrk(text, "\033\001\r"));
	assert_int_equal(strncmp(text, "ab", 2), 0);
	glyph_clean(osc);
	assert_string_equal(osc, "xy");
}

static void test_glyphs(void **state)
{
	const char *text = SAY_HERE "a●\xff";
	struct glyph g = glyph_next(&text, true, 0);

	assert_int_equal(g.style, STYLE_HERE);
	g = glyph_next(&text, true, 0);
	assert_int_equal(g.style, -1);
	assert_int_equal(g.text[0], 'a');
	g = glyph_next(&text, true, 1);
	assert_int_equal(g.text[0], 0x25cf);
	g = glyph_next(&text, true, 2);
	assert_int_equal(g.text[0], 0xfffd); /* a byte that is no UTF-8 */
	assert_string_equal(text, "");
	/* a terminal that has only ASCII */
	text = "●│→ü";
	for (const char *want = "*|>?"; *want; want++) {
		g = glyph_next(&text, false, 0);
		assert_int_equal(g.text[0], *want);
	}
	text = "\t";
	assert_int_equal(glyph_next(&text, true, 5).repeat, 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_interval_beside_points),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_what_does_not_fit_goes_as_a_whole),
		cmocka_unit_test(test_parts_of_a_folded_text),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_glyphs),
	};

	setlocale(LC_CTYPE, "C.UTF-8"); /* widths of characters are the locale's */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
