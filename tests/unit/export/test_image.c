/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures in files, read back with libpng. */
#include "frontend/export/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/export/about.h"
#include "frontend/export/cells_file.h"
#include "frontend/diff/diff.h"
#include "frontend/session/session.h"

static char top[] = "/tmp/test-image-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static int setup(void **state)
{
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	return rmdir(top);
}

/* How many files there are. */
static int files(void)
{
	DIR *d = opendir(top);
	int n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += *e->d_name != '.';
	closedir(d);
	return n;
}

/* The pixels of a file, to be freed. */
static uint8_t *read_back(const char *path, uint32_t *width, uint32_t *height)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	uint8_t *rgb;

	if (!png_image_begin_read_from_file(&image, path))
		fail_msg("%s: %s", path, image.message);
	assert_int_equal(image.format, PNG_FORMAT_RGB);
	rgb = malloc(PNG_IMAGE_SIZE(image));
	assert_non_null(rgb);
	*width = image.width;
	*height = image.height;
	if (!png_image_finish_read(&image, NULL, rgb, 0, NULL))
		fail_msg("%s: %s", path, image.message);
	return rgb;
}

/* Writes a picture of any colours, reads it back, removes it. */
static void there_and_back(uint32_t width, uint32_t height)
{
	const char *path = path_of("a.png");
	size_t bytes = (size_t)width * height * 3;
	uint8_t *rgb = malloc(bytes), *back;
	uint32_t w, h;
	struct err err = { "" };

	assert_non_null(rgb);
	for (size_t i = 0; i < bytes; i++)
		rgb[i] = (uint8_t)(i * 2654435761u >> 13);
	if (image_write(path, width, height, rgb, &err))
		fail_msg("%s", err.text);
	back = read_back(path, &w, &h);
	assert_int_equal(w, width);
	assert_int_equal(h, height);
	assert_memory_equal(rgb, back, bytes);
	assert_int_equal(files(), 1);
	unlink(path);
	free(rgb);
	free(back);
}

static void pixels_are_kept(void **state)
{
	there_and_back(1, 1);
	there_and_back(7, 4);
	there_and_back(1, 500);
	there_and_back(500, 1);
	there_and_back(333, 200);
}

static void the_longest_row_is_written_and_read(void **state)
{
	there_and_back(1000000, 2);
	there_and_back(2, 1000000);
}

static uint32_t colour_of(void *arg, size_t cell)
{
	return ((const uint32_t *)arg)[cell];
}

static double number_of(void *arg, size_t cell)
{
	return (double)((const uint32_t *)arg)[cell];
}

/* Five cells in rows of three: as on a screen, what is left of the last row is empty. */
static void cells_are_drawn_in_their_colours(void **state)
{
	static uint32_t colour[5] = { 0x010203, 0xff0000, 0x00ff00, 0x0000ff, 0xfde725 };
	const uint8_t wanted[] = { 1, 2, 3,   255, 0,	0,    0,    255,  0,
				   0, 0, 255, 253, 231, 0x25, 0x30, 0x30, 0x30 };
	const struct cells_file c = { .verb = "heatmap",
				      .rows = 1,
				      .cols = 5,
				      .columns = 3,
				      .arg = colour,
				      .colour = colour_of,
				      .number = number_of };
	char *path = strdup(path_of("a.png"));
	uint32_t width, height;
	uint8_t *back;

	assert_int_equal(cells_file_write(&c, NULL, path, NULL), 0);
	back = read_back(path, &width, &height);
	assert_int_equal(width, 3);
	assert_int_equal(height, 2);
	assert_memory_equal(back, wanted, sizeof(wanted));
	unlink(path);
	free(back);
	free(path);
}

static void a_line_of(const char *path, int n, const char *wanted)
{
	char line[200] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	for (int i = 0; i < n; i++)
		assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_string_equal(line, wanted);
}

static void cells_are_numbers_in_a_text(void **state)
{
	static uint32_t number[6] = { 1, 2, 3, 4, 5, 6 };
	struct session s = { 0 };
	struct pieces p = { .s = &s, .name = "u", .desc = { .order = 'C' } };
	const struct about about = {
		.p = &p, .type = VALUE_DOUBLE, .plane = true, .row = 1, .col = 0, .more = "a line"
	};
	const struct cells_file c = { .verb = "heatmap",
				      .rows = 2,
				      .cols = 3,
				      .columns = 3,
				      .about = &about,
				      .arg = number,
				      .colour = colour_of,
				      .number = number_of };
	char *path = strdup(path_of("a.txt"));

	p.section.ndim = 2;
	p.section.dim[0] = (struct section_dim){ .first = 4, .last = 6, .step = 1 };
	p.section.dim[1] = (struct section_dim){ .first = -1, .last = 0, .step = 1 };
	assert_int_equal(cells_file_write(&c, NULL, path, NULL), 0);
	a_line_of(path, 1, "# u[4:6][-1:0] double\n");
	a_line_of(path, 2, "# a line\n");
	a_line_of(path, 3, "# rows: dimension 2, -1:0; columns: dimension 1, 4:6\n");
	a_line_of(path, 4, "1 2 3\n");
	a_line_of(path, 5, "4 5 6\n");
	unlink(path);
	free(path);
}

static void a_name_says_what_is_written(void **state)
{
	struct err err = { "" };

	assert_int_equal(cells_file_check("heatmap", "u.png", "u.npy", &err), 0);
	assert_int_equal(cells_file_check("heatmap", "u", NULL, &err), 0);
	assert_int_equal(cells_file_check("heatmap", "u.txt", NULL, &err), -1);
	assert_non_null(strstr(err.text, "-save writes numbers"));
	assert_int_equal(cells_file_check("heatmap", NULL, "u.dat", &err), -1);
	assert_non_null(strstr(err.text, ".npy or .txt"));
}

static void a_picture_takes_the_place_of_an_older_one(void **state)
{
	const char *path = path_of("a.png");
	const uint8_t red[3] = { 255, 0, 0 }, grey[6] = { 9, 9, 9, 7, 7, 7 };
	uint32_t width, height;
	uint8_t *back;

	assert_int_equal(image_write(path, 1, 1, red, NULL), 0);
	assert_int_equal(image_write(path, 2, 1, grey, NULL), 0);
	back = read_back(path, &width, &height);
	assert_int_equal(width, 2);
	assert_memory_equal(back, grey, 6);
	assert_int_equal(files(), 1);
	unlink(path);
	free(back);
}

static void errors_name_file_and_cause(void **state)
{
	const uint8_t dot[3] = { 0 };
	struct err err = { "" };
	char wanted[400];

	assert_int_equal(image_write("/nothing/x.png", 1, 1, dot, &err), -1);
	assert_string_equal(err.text, "/nothing/x.png: No such file or directory");
	assert_int_equal(image_write("x.png", 0, 3, dot, &err), -1);
	assert_string_equal(err.text,
			    "x.png: a picture needs at least one pixel each way, not 0 x 3");
	assert_int_equal(image_write("x.png", 3, 0, dot, &err), -1);
	assert_string_equal(err.text,
			    "x.png: a picture needs at least one pixel each way, not 3 x 0");
	/* what stands in the way is left there */
	assert_int_equal(mkdir(path_of("dir"), 0777), 0);
	assert_int_equal(image_write(path_of("dir"), 1, 1, dot, &err), -1);
	snprintf(wanted, sizeof(wanted), "%s/dir: Is a directory", top);
	assert_string_equal(err.text, wanted);
	assert_int_equal(files(), 1);
	assert_int_equal(rmdir(path_of("dir")), 0);
	/* libpng writes no longer rows; it says so in the error, and prints nothing */
	assert_int_equal(image_write(path_of("a.png"), 1000001, 1, dot, &err), -1);
	snprintf(wanted, sizeof(wanted), "%s/a.png: Invalid IHDR data", top);
	assert_string_equal(err.text, wanted);
	assert_int_equal(files(), 0);
}

/* No room for the file: the older one stays. */
static void a_full_disk(void **state)
{
	const char *path = path_of("a.png");
	struct rlimit was, small;
	uint8_t *rgb = malloc(3 * 300 * 300), *back;
	uint32_t width, height;
	struct err err = { "" };
	char wanted[400];
	int rc;

	assert_non_null(rgb);
	for (size_t i = 0; i < 3 * 300 * 300; i++)
		rgb[i] = (uint8_t)(i * i * 2654435761u >> 11);
	assert_int_equal(image_write(path, 1, 1, rgb, &err), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = was;
	small.rlim_cur = 5000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = image_write(path, 300, 300, rgb, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(rc, -1);
	snprintf(wanted, sizeof(wanted), "%s: File too large", path);
	assert_string_equal(err.text, wanted);
	assert_int_equal(files(), 1);
	back = read_back(path, &width, &height);
	assert_int_equal(width, 1);
	assert_memory_equal(back, rgb, 3);
	unlink(path);
	free(back);
	free(rgb);
}

/* An array of ints whose bounds begin at 0, with the section bound to it. */
struct sample {
	struct section section;
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	struct diff_input in;
};

static void sample_make(struct sample *x, unsigned ndim, const int64_t *extent,
			const struct section *section)
{
	*x = (struct sample){ .section = *section };
	memcpy(x->extent, extent, ndim * sizeof(*extent));
	assert_int_equal(section_bind(&x->section, "u", ndim, x->lower, x->extent, NULL), 0);
	x->in = (struct diff_input){ .name = "u",
				     .type = VALUE_INT,
				     .order = 'C',
				     .section = &x->section,
				     .lower = x->lower,
				     .extent = x->extent };
}

static bool is_red(const uint8_t *rgb)
{
	return rgb[0] > 128 && !rgb[1] && !rgb[2];
}

/* u[*][2][1:5:2] of a 3 x 4 x 6 array; the last of its 3 x 3 elements differs. */
static void a_slice_with_steps_in_a_file(void **state)
{
	const struct section cut = { .ndim = 3,
				     .dim = { { .all = true },
					      { .scalar = true, .first = 2 },
					      { .first = 1, .last = 5, .step = 2 } } };
	const char *path = path_of("slice.png");
	int ref[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 }, now[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 9 };
	uint32_t width, height;
	uint8_t *rgb;
	struct sample x;

	sample_make(&x, 3, (int64_t[]){ 3, 4, 6 }, &cut);
	x.in.ref = ref;
	x.in.now = now;
	assert_int_equal(diff_image(&x.in, path, NULL), 0);
	rgb = read_back(path, &width, &height);
	assert_int_equal(width, 3);
	assert_int_equal(height, 3);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(is_red(rgb + 3 * i), i == 8);
	assert_true(rgb[0] == rgb[1] && rgb[1] == rgb[2] && rgb[0] < rgb[3 * 7]);
	unlink(path);
	free(rgb);
	section_clear(&x.section);
}

/* Shapes that no picture can have are refused before anything is looked at. */
static void huge_shapes_are_refused(void **state)
{
	const struct section all = { 0 };
	uint32_t width, height;
	struct err err = { "" };
	struct sample x;

	sample_make(&x, 2, (int64_t[]){ 10000, 10000 }, &all);
	assert_null(diff_pixels(&x.in, &width, &height, &err));
	assert_string_equal(err.text, "a picture of 10000 x 10000 pixels is too large, at most "
				      "67108864 are drawn, and 1000000 in a row or column: choose "
				      "a section, or every nth index");
	section_clear(&x.section);
	sample_make(&x, 1, (int64_t[]){ 1000001 }, &all);
	assert_null(diff_pixels(&x.in, &width, &height, &err));
	assert_non_null(strstr(err.text, "a picture of 1000001 x 1 pixels is too large"));
	section_clear(&x.section);
	sample_make(&x, 2, (int64_t[]){ INT64_C(1) << 40, INT64_C(1) << 40 }, &all);
	assert_int_equal(diff_image(&x.in, path_of("huge.png"), &err), -1);
	assert_non_null(strstr(err.text, "a picture of 1099511627776 x 1099511627776 pixels"));
	assert_int_equal(files(), 0);
	section_clear(&x.section);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pixels_are_kept),
		cmocka_unit_test(the_longest_row_is_written_and_read),
		cmocka_unit_test(cells_are_drawn_in_their_colours),
		cmocka_unit_test(cells_are_numbers_in_a_text),
		cmocka_unit_test(a_name_says_what_is_written),
		cmocka_unit_test(a_picture_takes_the_place_of_an_older_one),
		cmocka_unit_test(errors_name_file_and_cause),
		cmocka_unit_test(a_full_disk),
		cmocka_unit_test(a_slice_with_steps_in_a_file),
		cmocka_unit_test(huge_shapes_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
