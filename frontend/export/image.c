/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/image.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"

#define WHY 100

/* What libpng says is kept for the error, not printed. */
static void keep_error(png_structp png, png_const_charp text)
{
	snprintf(png_get_error_ptr(png), WHY, "%s", text);
	png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp text)
{
}

/* -1: why has libpng's reason. */
static int write_rows(FILE *f, uint32_t width, uint32_t height, const uint8_t *rgb, char why[WHY])
{
	png_structp png =
		png_create_write_struct(PNG_LIBPNG_VER_STRING, why, keep_error, ignore_warning);
	png_infop info = png ? png_create_info_struct(png) : NULL;

	if (!info || setjmp(png_jmpbuf(png))) {
		png_destroy_write_struct(&png, &info);
		return -1;
	}
	png_init_io(png, f);
	png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
		     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	for (uint32_t y = 0; y < height; y++)
		png_write_row(png, rgb + (size_t)y * width * 3);
	png_write_end(png, NULL);
	png_destroy_write_struct(&png, &info);
	return 0;
}

int image_write(const char *path, uint32_t width, uint32_t height, const uint8_t *rgb,
		struct err *err)
{
	char why[WHY] = "cannot be written", *part;
	FILE *f;
	int rc = -1;

	if (!width || !height)
		return err_set(err, "%s: a picture needs at least one pixel each way, not %u x %u",
			       path, width, height);
	part = xasprintf("%s.part-%d", path, getpid());
	errno = 0;
	f = fopen(part, "wbe");
	if (f) {
		rc = write_rows(f, width, height, rgb, why);
		if (fclose(f))
			rc = -1;
	}
	if (!rc && rename(part, path))
		rc = -1;
	if (rc) {
		err_set(err, "%s: %s", path, errno ? strerror(errno) : why);
		unlink(part);
	}
	free(part);
	return rc;
}
