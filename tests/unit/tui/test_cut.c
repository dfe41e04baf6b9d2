/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/tui/array/internal.h"
#include "frontend/tui/screen/number.h"

static struct cut make(unsigned ndim, bool fortran, const int64_t *lower, const uint64_t *extent)
{
	struct cut c = { 0 };

	cut_make(&c, ndim, fortran, lower, extent);
	return c;
}

static void assert_text(const struct cut *c, const struct cut_window *w, const char *text)
{
	char out[100];

	assert_string_equal(cut_text(c, w, "u", out, sizeof(out)), text);
}

static const int64_t none[3] = { 0, 0, 0 }, ones[3] = { 1, 1, 1 };

static void test_which_dimensions_are_seen(void **state)
{
	struct cut c = make(3, false, none, (uint64_t[]){ 4, 5, 6 });

	assert_text(&c, NULL, "u[0][*][*]");
	assert_int_equal(c.slider, 0);
	c = make(3, true, ones, (uint64_t[]){ 4, 5, 6 });
	assert_text(&c, NULL, "u(*,*,1)");
	c = make(3, false, none, (uint64_t[]){ 4, 1, 6 });
	assert_text(&c, NULL, "u[*][0][*]");
	c = make(2, false, none, (uint64_t[]){ 1, 1 });
	assert_text(&c, NULL, "u[*][*]");
	c = make(1, false, none, (uint64_t[]){ 40 });
	assert_true(cut_folded(&c));
}

static void test_dimensions_take_turns(void **state)
{
	struct cut c = make(3, false, none, (uint64_t[]){ 4, 5, 6 });
	char out[100];

	cut_turn(&c, true); /* columns: the first, as the second goes down */
	assert_text(&c, NULL, "u[*][*][0]");
	assert_string_equal(cut_title(&c, "u", out, sizeof(out)), "u[→][↓][0]");
	assert_int_equal(c.row, 1);
	assert_int_equal(c.col, 0);
	assert_int_equal(c.slider, 2);
	cut_swap(&c);
	assert_int_equal(c.row, 0);
	assert_int_equal(c.col, 1);
	c = make(2, false, none, (uint64_t[]){ 4, 5 });
	cut_turn(&c, false);
	assert_int_equal(c.row, 1);
	assert_int_equal(c.col, 0);
}

static void test_sliders_stay_inside(void **state)
{
	struct cut c = make(3, true, ones, (uint64_t[]){ 4, 5, 6 });

	cut_slide(&c, 10);
	assert_int_equal(c.at[2], 6);
	cut_slide(&c, -2);
	assert_text(&c, NULL, "u(*,*,4)");
	cut_slide(&c, -10);
	assert_int_equal(c.at[2], 1);
	c = make(2, false, none, (uint64_t[]){ 4, 5 });
	assert_int_equal(c.slider, 2);
	cut_slide(&c, 1);
	assert_text(&c, NULL, "u[*][*]");
}

static void test_the_window_follows_the_cursor(void **state)
{
	struct cut c = make(2, true, ones, (uint64_t[]){ 1000, 5 });
	struct cut_window w = cut_settle(&c, 10, 20);

	assert_int_equal(w.rows, 10);
	assert_int_equal(w.cols, 5);
	assert_text(&c, &w, "u(1:10,1:5)");
	for (int i = 0; i < 10; i++)
		cut_move(&c, 1, 0);
	w = cut_settle(&c, 10, 20);
	assert_text(&c, &w, "u(2:11,1:5)");
	cut_jump(&c, (int64_t[]){ 500, 3 });
	w = cut_settle(&c, 10, 20);
	assert_text(&c, &w, "u(495:504,1:5)");
	cut_go(&c, INT64_MAX, INT64_MAX);
	w = cut_settle(&c, 10, 2);
	assert_text(&c, &w, "u(991:1000,4:5)");
	cut_jump(&c, (int64_t[]){ -7, 99 });
	assert_int_equal(c.at[0], 1);
	assert_int_equal(c.at[1], 5);
}

static void test_one_dimension_is_folded(void **state)
{
	struct cut c = make(1, false, none, (uint64_t[]){ 47 });
	struct cut_window w = cut_settle(&c, 3, 10);
	int64_t index[1];

	assert_int_equal(cut_rows(&c), 5);
	assert_int_equal(w.rows, 3);
	assert_text(&c, &w, "u[0:29]");
	cut_move(&c, 0, 11); /* over the end of a row */
	assert_int_equal(c.at[0], 11);
	cut_move(&c, 4, 0);
	assert_int_equal(c.at[0], 41);
	cut_move(&c, 0, 100);
	assert_int_equal(c.at[0], 46);
	w = cut_settle(&c, 3, 10);
	assert_text(&c, &w, "u[20:46]");
	assert_true(cut_index(&c, 4, 6, index));
	assert_int_equal(index[0], 46);
	assert_false(cut_index(&c, 4, 7, index));
}

static void test_the_same_shape_keeps_the_place(void **state)
{
	struct cut c = make(2, false, none, (uint64_t[]){ 9, 9 });

	cut_jump(&c, (int64_t[]){ 4, 5 });
	cut_swap(&c);
	cut_make(&c, 2, false, none, (uint64_t[]){ 9, 9 });
	assert_int_equal(c.at[0], 4);
	assert_int_equal(c.row, 1);
	cut_make(&c, 2, false, none, (uint64_t[]){ 9, 8 });
	assert_int_equal(c.at[0], 0);
	assert_int_equal(c.row, 0);
}

static void test_a_section_is_what_the_window_has(void **state)
{
	struct cut c = make(3, false, none, (uint64_t[]){ 4, 50, 60 });
	struct cut_window w = { .top = 7, .left = 11, .rows = 2, .cols = 3 };
	struct section s;

	c.at[0] = 3;
	cut_section(&c, &w, &s);
	assert_true(s.dim[0].scalar);
	assert_int_equal(s.dim[0].first, 3);
	assert_int_equal(s.dim[1].first, 7);
	assert_int_equal(s.dim[1].last, 8);
	assert_int_equal(s.dim[2].first, 11);
	assert_int_equal(s.dim[2].last, 13);
	assert_int_equal(section_total(&s), 6);
}

static void assert_number(double x, enum number_form form, int digits, const char *text)
{
	char out[NUMBER_TEXT];

	assert_string_equal(number_text(VALUE_DOUBLE, &x, form, digits, out), text);
}

static void test_forms_of_numbers(void **state)
{
	const double pair[2] = { 0.5, -2 };
	const int minus = -1;
	char out[NUMBER_TEXT];

	assert_number(0.1, NUMBER_GENERAL, 5, "0.1");
	assert_number(1.0 / 3, NUMBER_GENERAL, 5, "0.33333");
	assert_number(1.0 / 3, NUMBER_FIXED, 2, "0.33");
	assert_number(1234.5, NUMBER_EXPONENT, 2, "1.23e+03");
	assert_number(0.1, NUMBER_FULL, 1, "0.1");
	assert_number(1, NUMBER_BITS, 5, "3ff0000000000000");
	assert_number(NAN, NUMBER_FIXED, 5, "nan");
	assert_number(-INFINITY, NUMBER_GENERAL, 5, "-inf");
	assert_string_equal(number_text(VALUE_DCOMPLEX, pair, NUMBER_FIXED, 1, out), "(0.5,-2.0)");
	assert_string_equal(number_text(VALUE_INT, &minus, NUMBER_FIXED, 1, out), "-1");
	assert_string_equal(number_text(VALUE_INT, &minus, NUMBER_BITS, 1, out), "ffffffff");
}

static void test_points_of_numbers(void **state)
{
	assert_int_equal(number_point(VALUE_DOUBLE, NUMBER_GENERAL, "-12.5"), 3);
	assert_int_equal(number_point(VALUE_DOUBLE, NUMBER_GENERAL, "1e-05"), 1);
	assert_int_equal(number_point(VALUE_FLOAT, NUMBER_GENERAL, "300"), 3);
	assert_int_equal(number_point(VALUE_DCOMPLEX, NUMBER_FULL, "(0.5, -2)"), 4);
	assert_int_equal(number_point(VALUE_BOOL, NUMBER_GENERAL, "false"), 5);
	assert_int_equal(number_point(VALUE_DOUBLE, NUMBER_BITS, "3ff0e"), 5);
}

static void test_folds_are_round(void **state)
{
	static const uint64_t fits[][2] = { { 4, 4 }, { 6, 5 }, { 9, 8 }, { 13, 10 }, { 19, 15 } };
	struct cut c = make(1, false, none, (uint64_t[]){ 1000 });

	for (int i = 0; i < 5; i++) {
		cut_settle(&c, 3, fits[i][0]);
		assert_int_equal(c.fold, fits[i][1]);
	}
}

static void test_a_corner(void **state)
{
	struct cut c = make(2, true, ones, (uint64_t[]){ 100, 50 });
	struct cut_window w;

	cut_jump(&c, (int64_t[]){ 32, 21 });
	cut_corner(&c, (int64_t[]){ 30, 20 });
	w = cut_settle(&c, 10, 5);
	assert_text(&c, &w, "u(30:39,20:24)");
	/* the cursor is seen all the same */
	cut_corner(&c, (int64_t[]){ 1, 20 });
	w = cut_settle(&c, 10, 5);
	assert_text(&c, &w, "u(27:36,20:24)");
}

static void test_bars(void **state)
{
	const unsigned long long count[4] = { 0, 1, 50, 100 };
	char out[13];

	assert_string_equal(number_bars(count, 4, out), " ▁▄█");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_dimensions_are_seen),
		cmocka_unit_test(test_dimensions_take_turns),
		cmocka_unit_test(test_sliders_stay_inside),
		cmocka_unit_test(test_the_window_follows_the_cursor),
		cmocka_unit_test(test_one_dimension_is_folded),
		cmocka_unit_test(test_the_same_shape_keeps_the_place),
		cmocka_unit_test(test_a_section_is_what_the_window_has),
		cmocka_unit_test(test_forms_of_numbers),
		cmocka_unit_test(test_points_of_numbers),
		cmocka_unit_test(test_folds_are_round),
		cmocka_unit_test(test_a_corner),
		cmocka_unit_test(test_bars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
