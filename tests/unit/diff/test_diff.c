/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/diff/diff.h"
#include "frontend/settings/settings.h"
#include "frontend/sumdiff/sumdiff.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A section of an array with lower bounds 0; the blocks are set by the test. */
static struct section section;
static int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];

static struct diff_input input(unsigned type, uint8_t order, unsigned ndim, const int64_t *n)
{
	section_clear(&section);
	memset(lower, 0, sizeof(lower));
	for (unsigned d = 0; d < ndim; d++)
		extent[d] = n[d];
	assert_int_equal(section_bind(&section, "u", ndim, lower, extent, NULL), 0);
	return (struct diff_input){ .name = "u",
				    .type = type,
				    .order = order,
				    .section = &section,
				    .lower = lower,
				    .extent = extent,
				    .tol = { SUM_RELATIVE, 1e-9, 1e-3 } };
}

static struct diff_input vector(unsigned type, int64_t n)
{
	return input(type, 'C', 1, &n);
}

static int tear_down(void **state)
{
	section_clear(&section);
	return 0;
}

static void make(struct diff *d, const struct diff_input *in)
{
	struct err err = { "" };

	if (diff_make(d, in, &err))
		fail_msg("%s", err.text);
}

/* How many of one pair of numbers differ beyond tolerance (2), by rounding (1), or not (0). */
static int verdict(struct diff_input in, const void *ref, const void *now)
{
	struct diff d;
	int v;

	in.ref = ref;
	in.now = now;
	make(&d, &in);
	v = d.differ ? 2 : d.rounding ? 1 : 0;
	diff_clear(&d);
	return v;
}

static int reals(double a, double b, enum sum_mode mode, double exp, double rel_min)
{
	struct diff_input in = vector(VALUE_DOUBLE, 1);

	in.tol = (struct sum_tolerance){ mode, exp, rel_min };
	return verdict(in, &a, &b);
}

static void tolerance_is_absolute_relative_or_exact(void **state)
{
	assert_int_equal(reals(1, 1.1, SUM_ABSOLUTE, 0.2, 0), 1);
	assert_int_equal(reals(1, 1.25, SUM_ABSOLUTE, 0.25, 0), 1);
	assert_int_equal(reals(1, 1.5, SUM_ABSOLUTE, 0.25, 0), 2);
	assert_int_equal(reals(1000, 1001, SUM_RELATIVE, 0.01, 1), 1);
	assert_int_equal(reals(1000, 1020, SUM_RELATIVE, 0.01, 1), 2);
	/* small numbers are measured by rel_min */
	assert_int_equal(reals(1e-6, 2e-6, SUM_RELATIVE, 0.01, 1), 1);
	assert_int_equal(reals(1e-6, 2e-6, SUM_RELATIVE, 0.01, 1e-6), 2);
	assert_int_equal(reals(1, 1 + 1e-15, SUM_EXACT, 1, 1), 2);
	assert_int_equal(reals(1, 1, SUM_EXACT, 0, 0), 0);
}

static void nan_equals_nan_and_infinity_only_itself(void **state)
{
	double other_nan;
	uint64_t bits = UINT64_C(0x7ff8000000000123);

	memcpy(&other_nan, &bits, sizeof(bits));
	for (int mode = SUM_ABSOLUTE; mode <= SUM_EXACT; mode++) {
		enum sum_mode m = (enum sum_mode)mode;

		assert_int_equal(reals(NAN, other_nan, m, 1e300, 1), 0);
		assert_int_equal(reals(INFINITY, INFINITY, m, 1e300, 1), 0);
		assert_int_equal(reals(INFINITY, -INFINITY, m, 1e300, 1), 2);
		assert_int_equal(reals(NAN, 1, m, 1e300, 1), 2);
		assert_int_equal(reals(1, INFINITY, m, 1e300, 1), 2);
		assert_int_equal(reals(NAN, INFINITY, m, 1e300, 1), 2);
	}
	assert_int_equal(reals(0.0, -0.0, SUM_RELATIVE, 1e-9, 1), 1);
	assert_int_equal(reals(0.0, -0.0, SUM_EXACT, 1e-9, 1), 2);
}

static void integers_have_no_tolerance(void **state)
{
	int a = 1000000, b = 1000001;
	uint64_t x = UINT64_MAX, y = UINT64_MAX - 3;
	int yes = 1, other_yes = -1;
	struct diff_input in = vector(VALUE_ULONG, 1);
	struct diff d;

	assert_int_equal(verdict(vector(VALUE_INT, 1), &a, &b), 2);
	assert_int_equal(verdict(vector(VALUE_INT, 1), &a, &a), 0);
	assert_int_equal(verdict(vector(VALUE_LOGICAL, 1), &yes, &other_yes), 0);
	in.ref = &x;
	in.now = &y;
	make(&d, &in);
	assert_int_equal(d.differ, 1);
	assert_true(d.largest == 3);
	diff_clear(&d);
}

static void floats_and_complex_numbers(void **state)
{
	float a = 1, b = nextafterf(1, 2);
	double complex p = 3 + 4 * I, q = 3 + 4 * I + 1e-12, r = 3 + 5 * I;
	struct diff_input in = vector(VALUE_FLOAT, 1);
	struct diff d;

	in.tol.exp = 1e-6;
	assert_int_equal(verdict(in, &a, &b), 1);
	in.tol.exp = 1e-8;
	assert_int_equal(verdict(in, &a, &b), 2);
	in = vector(VALUE_DCOMPLEX, 1);
	assert_int_equal(verdict(in, &p, &p), 0);
	assert_int_equal(verdict(in, &p, &q), 1);
	in.ref = &p;
	in.now = &r;
	make(&d, &in);
	assert_int_equal(d.differ, 1);
	assert_true(d.largest == 1);
	assert_true(d.first_ref.im == 4 && d.first_now.im == 5);
	diff_clear(&d);
}

static void counts_and_the_largest(void **state)
{
	int64_t n[] = { 40, 50 };
	struct diff_input in = input(VALUE_DOUBLE, 'C', 2, n);
	double *ref = calloc(2000, sizeof(double)), *now = calloc(2000, sizeof(double));
	struct diff d;

	for (int i = 0; i < 2000; i++)
		ref[i] = now[i] = i;
	now[3] += 1e-9;	      /* [0][3] by rounding */
	now[7 * 50 + 9] += 2; /* [7][9] */
	now[39 * 50] -= 8;    /* [39][0] */
	now[20 * 50 + 1] = NAN;
	in.ref = ref;
	in.now = now;
	make(&d, &in);
	assert_int_equal(d.total, 2000);
	assert_int_equal(d.differ, 3);
	assert_int_equal(d.rounding, 1);
	assert_int_equal(d.first[0], 7);
	assert_int_equal(d.first[1], 9);
	assert_true(d.first_ref.re == 359 && d.first_now.re == 361);
	assert_true(isinf(d.largest));
	assert_int_equal(d.worst[0], 20);
	assert_int_equal(d.worst[1], 1);
	assert_true(isnan(d.worst_now.re));
	assert_int_equal(d.lo[0], 7);
	assert_int_equal(d.hi[0], 39);
	assert_int_equal(d.lo[1], 0);
	assert_int_equal(d.hi[1], 9);
	assert_int_equal(d.first_owner, UINT32_MAX);
	diff_clear(&d);

	now[20 * 50 + 1] = ref[20 * 50 + 1];
	make(&d, &in);
	assert_true(d.largest == 8);
	assert_int_equal(d.worst[0], 39);
	diff_clear(&d);
	free(ref);
	free(now);
}

/* Rounding that came first in the blocks is not what is told when something differs beyond it. */
static void only_rounding(void **state)
{
	int64_t n[] = { 3, 4 };
	struct diff_input in = input(VALUE_DOUBLE, 'F', 2, n);
	double ref[12], now[12];
	struct diff d;

	for (int i = 0; i < 12; i++)
		ref[i] = now[i] = 1;
	now[3] += 1e-12; /* (0,3) */
	now[5] += 3e-12; /* (1,1) */
	in.ref = ref;
	in.now = now;
	make(&d, &in);
	assert_int_equal(d.differ, 0);
	assert_int_equal(d.rounding, 2);
	assert_int_equal(d.first[0], 1);
	assert_int_equal(d.first[1], 1);
	assert_int_equal(d.worst[0], 1);
	assert_string_equal(d.shape, "nowhere");
	assert_null(d.bits);
	diff_clear(&d);
	now[11] = 7;
	make(&d, &in);
	assert_int_equal(d.differ, 1);
	assert_int_equal(d.rounding, 2);
	assert_int_equal(d.first[0], 2);
	assert_int_equal(d.first[1], 3);
	assert_string_equal(d.shape, "one element");
	diff_clear(&d);
}

static void first_is_first_in_memory_of_the_language(void **state)
{
	int64_t n[] = { 3, 4, 2 };
	int ref[24] = { 0 }, now[24] = { 0 };
	struct diff_input in = input(VALUE_INT, 'C', 3, n);
	struct diff_item list[4];
	struct diff d;

	now[0 * 8 + 3 * 2 + 1] = 1; /* 0 3 1 */
	now[1 * 8 + 2 * 2 + 0] = 2; /* 1 2 0 */
	now[2 * 8 + 0 * 2 + 1] = 3; /* 2 0 1 */
	in.ref = ref;
	in.now = now;
	make(&d, &in);
	assert_int_equal(d.first_now.i, 1);
	assert_int_equal(diff_list(&d, &in, 4, list), 3);
	assert_int_equal(list[1].now.i, 2);
	assert_int_equal(list[2].now.i, 3);
	assert_int_equal(diff_list(&d, &in, 2, list), 2);
	diff_clear(&d);
	in.order = 'F';
	make(&d, &in);
	assert_int_equal(d.first_now.i, 2);
	assert_int_equal(diff_list(&d, &in, 4, list), 3);
	assert_int_equal(list[1].now.i, 3);
	assert_int_equal(list[2].now.i, 1);
	assert_int_equal(list[2].index[0], 0);
	assert_int_equal(list[2].index[1], 3);
	assert_int_equal(list[2].index[2], 1);
	assert_true(list[2].difference == 1);
	diff_clear(&d);
}

/* A section that goes backwards: the first is still the one with the lowest index. */
static void sections_have_indices_of_the_array(void **state)
{
	int64_t n[] = { 100, 10 };
	struct diff_input in = input(VALUE_INT, 'C', 2, n);
	int64_t some[] = { 9, 2 };
	int ref[10] = { 0 }, now[10] = { 0 };
	struct diff d;

	section.dim[0] = (struct section_dim){ .first = 90, .last = 50, .step = -10 };
	section.dim[1] = (struct section_dim){ .vector = some, .n = 2 };
	now[2 * 2 + 0] = 4; /* [70][9] */
	now[2 * 2 + 1] = 5; /* [70][2] */
	now[0] = 6;	    /* [90][9] */
	in.ref = ref;
	in.now = now;
	make(&d, &in);
	assert_int_equal(d.total, 10);
	assert_int_equal(d.first[0], 70);
	assert_int_equal(d.first[1], 2);
	assert_int_equal(d.worst[0], 90);
	assert_int_equal(d.worst[1], 9);
	assert_int_equal(d.lo[0], 70);
	assert_int_equal(d.hi[0], 90);
	diff_clear(&d);
	memset(&section, 0, sizeof(section));
}

static void owners_of_what_differs(void **state)
{
	int64_t n[] = { 12 }, list[] = { 1, 4, 7, 10 };
	struct owner own[] = { { .rank = 0, .desc = { .ndim = 1, .own_hi = { 5 } } },
			       { .rank = 3,
				 .desc = { .ndim = 1, .own_lo = { 6 }, .own_hi = { 11 } } } };
	int ref[12] = { 0 }, now[12] = { 0 };
	struct diff_input in = input(VALUE_INT, 'C', 1, n);
	char text[32];
	struct diff d;

	in.ref = ref;
	in.now = now;
	in.owner = own;
	in.nowner = 2;
	now[7] = now[10] = 1;
	make(&d, &in);
	assert_int_equal(d.first_owner, 3);
	assert_string_equal(rankset_format(&d.owners, text, sizeof(text)), "[3]");
	diff_clear(&d);
	now[1] = 1;
	make(&d, &in);
	assert_int_equal(d.first_owner, 0);
	assert_string_equal(rankset_format(&d.owners, text, sizeof(text)), "[0,3]");
	diff_clear(&d);
	/* dealt out cyclically */
	own[1].desc.list[0] = list;
	own[1].desc.list_n[0] = 4;
	own[0].desc.own_hi[0] = 0;
	make(&d, &in);
	assert_int_equal(d.first_owner, 3);
	assert_string_equal(rankset_format(&d.owners, text, sizeof(text)), "[3]");
	diff_clear(&d);
}

static void a_scalar_has_no_index(void **state)
{
	double a = 1, b = 2;
	struct diff_input in = input(VALUE_DOUBLE, 'C', 0, NULL);
	struct diff d;

	in.ref = &a;
	in.now = &b;
	make(&d, &in);
	assert_int_equal(d.total, 1);
	assert_int_equal(d.differ, 1);
	assert_true(d.first_now.re == 2);
	assert_string_equal(d.shape, "one element");
	diff_clear(&d);
}

static void elements_are_spelled_as_in_the_language(void **state)
{
	int64_t index[] = { 17, -4, 3 };
	char out[40];

	assert_string_equal(diff_element("u", 'C', 2, index, out, sizeof(out)), "u[17][-4]");
	assert_string_equal(diff_element("u", 'F', 3, index, out, sizeof(out)), "u(17,-4,3)");
	assert_string_equal(diff_element("x", 'F', 1, index, out, sizeof(out)), "x(17)");
	assert_string_equal(diff_element("eps", 'F', 0, index, out, sizeof(out)), "eps");
	assert_string_equal(diff_element("abcdef", 'C', 3, index, out, 8), "abcdef[");
}

static void structures_cannot_be_compared(void **state)
{
	struct diff_input in = vector(VALUE_STRUCT, 1);
	struct err err = { "" };
	struct diff d;

	assert_int_equal(diff_make(&d, &in, &err), -1);
	assert_string_equal(err.text, "u: values of this type cannot be compared");
}

/* The picture of in as letters: '.' dark, 'r' red; a line a row. */
static const char *picture(const struct diff_input *in)
{
	static char text[200];
	struct err err = { "" };
	uint32_t width, height;
	uint8_t *rgb = diff_pixels(in, &width, &height, &err);
	size_t used = 0;

	if (!rgb)
		fail_msg("%s", err.text);
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			const uint8_t *p = rgb + 3 * (y * width + x);
			bool red = p[0] > 128 && !p[1] && !p[2];

			assert_true(red || (p[0] < 128 && p[0] == p[1] && p[1] == p[2]));
			text[used++] = red ? 'r' : '.';
		}
		text[used++] = '\n';
	}
	text[used] = 0;
	free(rgb);
	return text;
}

static void a_pixel_an_element(void **state)
{
	int64_t n[] = { 3, 5 };
	double ref[15] = { 0 }, now[15] = { 0 };
	struct diff_input in = input(VALUE_DOUBLE, 'C', 2, n);

	now[2] = 1e-14; /* rounding */
	now[5 + 4] = 1;
	now[10 + 1] = NAN;
	in.ref = ref;
	in.now = now;
	assert_string_equal(picture(&in), ".....\n"
					  "....r\n"
					  ".r...\n");
	in.order = 'F';
	assert_string_equal(picture(&in), ".....\n"
					  "....r\n"
					  ".r...\n");
}

/* The file, read back with libpng. */
static void a_picture_in_a_file(void **state)
{
	int64_t n[] = { 4, 7 };
	float ref[28] = { 0 }, now[28] = { 0 };
	struct diff_input in = input(VALUE_FLOAT, 'C', 2, n);
	char path[] = "/tmp/test-diff-XXXXXX";
	png_image image = { .version = PNG_IMAGE_VERSION };
	uint8_t rgb[3 * 28];
	struct err err = { "" };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	now[2 * 7 + 5] = 1;
	in.ref = ref;
	in.now = now;
	if (diff_image(&in, path, &err))
		fail_msg("%s", err.text);
	assert_true(png_image_begin_read_from_file(&image, path));
	assert_int_equal(image.width, 7);
	assert_int_equal(image.height, 4);
	image.format = PNG_FORMAT_RGB;
	assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
	for (int i = 0; i < 28; i++) {
		bool red = rgb[3 * i] > 128 && !rgb[3 * i + 1] && !rgb[3 * i + 2];

		assert_int_equal(red, i == 2 * 7 + 5);
	}
	unlink(path);
	/* a file that cannot be written is named */
	assert_int_equal(diff_image(&in, "/nix/x.png", &err), -1);
	assert_non_null(strstr(err.text, "/nix/x.png"));
}

static void brightness_tells_value_and_difference(void **state)
{
	double ref[] = { 0, 10, 5, 0, 0, 0 }, now[] = { 0, 10, 5, 1e-3, 1, 1e3 };
	struct diff_input in = vector(VALUE_DOUBLE, 6);
	uint32_t width, height;
	uint8_t *rgb;

	in.ref = ref;
	in.now = now;
	rgb = diff_pixels(&in, &width, &height, NULL);
	assert_non_null(rgb);
	assert_int_equal(width, 6);
	assert_int_equal(height, 1);
	assert_true(rgb[0] < rgb[6] && rgb[6] < rgb[3]);
	assert_true(rgb[9] < rgb[12] && rgb[12] < rgb[15]);
	assert_int_equal(rgb[15], 255);
	free(rgb);
}

static void a_picture_of_a_slice(void **state)
{
	int64_t n[] = { 2, 4, 3 };
	int ref[12] = { 0 }, now[12] = { 0 };
	struct diff_input in = input(VALUE_INT, 'C', 3, n);
	struct err err = { "" };
	int all[24] = { 0 }, other[24] = { 0 };
	uint32_t width, height;

	in.ref = all;
	in.now = other;
	other[1 * 12 + 2 * 3 + 1] = 7;
	assert_null(diff_pixels(&in, &width, &height, &err));
	assert_string_equal(err.text,
			    "a picture shows two dimensions, but the dimensions 1, 2 and 3 "
			    "of u have more than one index: fix all but two, as in "
			    "u[1][*][*]");
	in.order = 'F';
	assert_null(diff_pixels(&in, &width, &height, &err));
	assert_non_null(strstr(err.text, "as in u(*,*,1)"));
	section.dim[1] = (struct section_dim){ .scalar = true, .first = 2, .last = 2, .step = 1 };
	in.ref = ref;
	in.now = now;
	now[5] = 1;
	assert_string_equal(picture(&in), "...\n..r\n");
	section.dim[2] = section.dim[1];
	assert_string_equal(picture(&in), ".\n.\n");
}

/* Elements are judged by the largest of the reference in their block, and of their component. */
static void elements_are_judged_by_their_block(void **state)
{
	static const int64_t n[] = { 8192, 2 };
	static double ref[8192][2], now[8192][2];
	struct diff_input in = input(VALUE_DOUBLE, 'C', 2, n);
	struct diff d;
	double *scale;

	for (int i = 0; i < 8192; i++) {
		ref[i][0] = 1e5;
		ref[i][1] = i < 4096 ? 1e-5 : 1e-15;
	}
	ref[8][0] = 1e-6;
	memcpy(now, ref, sizeof(now));
	now[3][1] = 5e-6;	       /* half of it: wrong, however large the other component is */
	now[5000][1] = 2e-15;	       /* in a block of far smaller ones */
	now[6000][1] += 1e-20;	       /* noise beside the largest of the component */
	now[7][0] = 1e5 * (1 + 1e-11); /* rounding */
	now[8][0] = 2e-6;	       /* small beside its block */
	in.ref = ref;
	in.now = now;
	in.tol = (struct sum_tolerance){ .mode = SUM_SCALED, .exp = 1e-9 };
	scale = diff_scale(&in, NULL, NULL);
	assert_int_equal(in.plan.blocks, 4);
	make(&d, &in);
	assert_int_equal(d.differ, 2);
	assert_int_equal(d.rounding, 3);
	assert_int_equal(d.small, 2);
	assert_true(d.first[0] == 3 && d.first[1] == 1);
	diff_clear(&d);
	free(scale);
}

static void tolerances_from_settings(void **state)
{
	struct settings *set = settings_create();
	struct sum_tolerance tol = tolerance_of(set, VALUE_DOUBLE);

	assert_int_equal(tol.mode, SUM_SCALED);
	assert_true(tol.exp == 1e-9);
	assert_true(tolerance_of(set, VALUE_FLOAT).exp == 1e-5);
	assert_true(tolerance_of(set, VALUE_FCOMPLEX).exp == 1e-5);
	assert_true(tolerance_of(set, VALUE_DCOMPLEX).exp == 1e-9);
	assert_true(tol.rel_min == 1);
	/* the documents' form holds when one of its parameters is set */
	assert_int_equal(settings_set(set, "RelCompareMin", "1", NULL), 0);
	assert_int_equal(tolerance_of(set, VALUE_DOUBLE).mode, SUM_RELATIVE);
	assert_true(tolerance_of(set, VALUE_DOUBLE).exp == 1e-9);
	assert_int_equal(settings_set(set, "RelCompareMin", "auto", NULL), 0);
	assert_int_equal(settings_set(set, "Exp", "1e-9", NULL), 0);
	assert_int_equal(tolerance_of(set, VALUE_DOUBLE).mode, SUM_RELATIVE);
	assert_int_equal(settings_set(set, "Exp", "auto", NULL), 0);
	assert_int_equal(settings_set(set, "StrictCompare", "ON", NULL), 0);
	assert_int_equal(tolerance_of(set, VALUE_DOUBLE).mode, SUM_EXACT);
	assert_int_equal(settings_set(set, "StrictCompare", "OFF", NULL), 0);
	assert_int_equal(tolerance_of(set, VALUE_DOUBLE).mode, SUM_SCALED);
	assert_int_equal(settings_set(set, "COMPARE", "absolute", NULL), 0);
	assert_int_equal(settings_set(set, "Exp", "0.25", NULL), 0);
	assert_int_equal(settings_set(set, "RelCompareMin", "1e-3", NULL), 0);
	tol = tolerance_of(set, VALUE_FLOAT);
	assert_int_equal(tol.mode, SUM_ABSOLUTE);
	assert_true(tol.exp == 0.25 && tol.rel_min == 1e-3);
	assert_int_equal(settings_set(set, "COMPARE", "exact", NULL), 0);
	assert_int_equal(tolerance_of(set, VALUE_DOUBLE).mode, SUM_EXACT);
	settings_destroy(set);
}

static void tolerances_from_words(void **state)
{
	struct sum_tolerance tol = { SUM_ABSOLUTE, 1, 0.5 };
	struct err err = { "" };
	char text[80];

	assert_int_equal(tolerance_parse("1e-6", &tol, &err), 0);
	assert_string_equal(tolerance_text(&tol, text, sizeof(text)), "1e-06 absolute");
	assert_int_equal(tolerance_parse("relative:0.25", &tol, &err), 0);
	assert_string_equal(tolerance_text(&tol, text, sizeof(text)),
			    "0.25 of the larger of both values and 0.5");
	assert_true(tol.rel_min == 0.5);
	assert_int_equal(tolerance_parse("Exact", &tol, &err), 0);
	assert_string_equal(tolerance_text(&tol, text, sizeof(text)), "exact");
	assert_int_equal(tolerance_parse("0", &tol, &err), 0);
	assert_int_equal(tol.mode, SUM_SCALED);
	assert_int_equal(tolerance_parse("relative:1", &tol, &err), 0);
	assert_int_equal(tolerance_parse("scaled:1e-3", &tol, &err), 0);
	assert_string_equal(tolerance_text(&tol, text, sizeof(text)),
			    "0.001 of its block's largest value");
	static const char *const bad[] = {
		"",	 "-1",	       "nan",	    "1x", "relative",
		"rel:1", "exact:1e-6", "absolute:", " 1", "relative:-1"
	};
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (!tolerance_parse(bad[i], &tol, &err))
			fail_msg("'%s' was taken", bad[i]);
		assert_non_null(strstr(err.text, "is not understood: exact, a number"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tolerance_is_absolute_relative_or_exact),
		cmocka_unit_test(nan_equals_nan_and_infinity_only_itself),
		cmocka_unit_test(integers_have_no_tolerance),
		cmocka_unit_test(floats_and_complex_numbers),
		cmocka_unit_test(counts_and_the_largest),
		cmocka_unit_test(only_rounding),
		cmocka_unit_test(first_is_first_in_memory_of_the_language),
		cmocka_unit_test(sections_have_indices_of_the_array),
		cmocka_unit_test(owners_of_what_differs),
		cmocka_unit_test(a_scalar_has_no_index),
		cmocka_unit_test(elements_are_spelled_as_in_the_language),
		cmocka_unit_test(structures_cannot_be_compared),
		cmocka_unit_test(a_pixel_an_element),
		cmocka_unit_test(a_picture_in_a_file),
		cmocka_unit_test(brightness_tells_value_and_difference),
		cmocka_unit_test(a_picture_of_a_slice),
		cmocka_unit_test(elements_are_judged_by_their_block),
		cmocka_unit_test(tolerances_from_settings),
		cmocka_unit_test(tolerances_from_words),
	};

	return cmocka_run_group_tests_name("diff", tests, NULL, tear_down);
}
