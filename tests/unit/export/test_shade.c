/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "frontend/export/shade.h"

static struct shade make(enum shade_scale scale, double least, double most)
{
	return (struct shade){ .scale = scale, .least = least, .most = most };
}

static void assert_place(const struct shade *s, double v, double place)
{
	assert_true(fabs(shade_place(s, v) - place) < 1e-6);
}

static void test_linear(void **state)
{
	struct shade s = make(SHADE_LINEAR, -1, 3), huge = make(SHADE_LINEAR, -1e308, 1e308);
	struct shade one = make(SHADE_LINEAR, 5, 5);

	assert_place(&s, -1, 0);
	assert_place(&s, 0, 0.25);
	assert_place(&s, 3, 1);
	assert_place(&s, 99, 1);
	assert_place(&huge, 0, 0.5);
	assert_place(&one, 5, 0.5);
	assert_true(shade_linear(&s) == 0);
}

static void test_diverging(void **state)
{
	struct shade s = make(SHADE_DIVERGING, -1, 4);

	assert_place(&s, 0, 0.5);
	assert_place(&s, 4, 1);
	assert_place(&s, -1, 0.375);
}

static void test_logarithm_of_one_sign(void **state)
{
	struct shade s = make(SHADE_LOG, 1e-12, 1e4), far = make(SHADE_LOG, 1e-300, 1);
	struct shade below = make(SHADE_LOG, -100, -1);

	assert_true(shade_linear(&s) == 0);
	assert_place(&s, 1e-12, 0);
	assert_place(&s, 1e-4, 0.5);
	assert_place(&s, 1e4, 1);
	assert_place(&s, 0, 0);
	/* sixteen decades at most */
	assert_place(&far, 1e-16, 0);
	assert_place(&far, 1e-8, 0.5);
	assert_place(&below, -100, 0);
	assert_place(&below, -10, 0.5);
	assert_place(&below, -1, 1);
}

/* With 0 or both signs between the bounds decades are six on each side, whatever the smallest is.
 */
static void test_logarithm_of_both_signs(void **state)
{
	struct shade s = make(SHADE_LOG, -1000, 1000), up = make(SHADE_LOG, 0, 10);
	struct shade nothing = make(SHADE_LOG, 0, 0);
	double step = shade_place(&s, 1000) - shade_place(&s, 100);

	assert_true(fabs(shade_linear(&s) - 1e-3) < 1e-12);
	assert_place(&s, -1000, 0);
	assert_place(&s, 0, 0.5);
	assert_place(&s, 1000, 1);
	assert_true(fabs(step - 0.5 / 6) < 1e-3);
	assert_true(fabs(shade_place(&s, -100) - shade_place(&s, -1000) - step) < 1e-9);
	/* what is tiny is as good as 0 */
	assert_place(&s, 1e-30, 0.5);
	assert_place(&s, -1e-30, 0.5);
	assert_place(&up, 0, 0);
	assert_place(&up, 10, 1);
	assert_true(fabs(shade_place(&up, 1) - (1 - 1.0 / 6)) < 1e-3);
	assert_place(&nothing, 0, 0.5);
}

static void test_places_rise_with_values(void **state)
{
	static const double bounds[][2] = { { -3, 5 }, { 0, 2 }, { 1e-9, 1 }, { -7, -1e-3 } };

	for (int scale = 0; scale < SHADE_SCALES; scale++)
		for (int i = 0; i < 4; i++) {
			struct shade s = make(scale, bounds[i][0], bounds[i][1]);
			double last = 0;

			for (int k = 0; k <= 1000; k++) {
				double v = s.least + (s.most - s.least) * k / 1000;
				double at = shade_place(&s, v);

				assert_true(at >= last && at <= 1);
				last = at;
			}
		}
}

static void test_names(void **state)
{
	for (int i = 0; i < SHADE_SCALES; i++)
		assert_int_equal(shade_find(shade_name(i)), i);
	assert_int_equal(shade_find("square"), SHADE_SCALES);
}

static void test_letters_and_colours(void **state)
{
	struct shade s = make(SHADE_LINEAR, 0, 1), d = make(SHADE_DIVERGING, -1, 1);

	assert_int_equal(shade_letter(&s, 0), ' ');
	assert_int_equal(shade_letter(&s, 1), '@');
	assert_int_equal(shade_colour(&s, 0), 0x0d0887);
	assert_int_equal(shade_colour(&s, 1), 0xfde725);
	assert_int_equal(shade_colour(&d, 0), 0xf0f0f0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linear),
		cmocka_unit_test(test_diverging),
		cmocka_unit_test(test_logarithm_of_one_sign),
		cmocka_unit_test(test_logarithm_of_both_signs),
		cmocka_unit_test(test_places_rise_with_values),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_letters_and_colours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
