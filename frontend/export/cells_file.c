/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/cells_file.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/export/about.h"
#include "frontend/export/export.h"
#include "frontend/export/image.h"
#include "frontend/export/shade.h"
#include "frontend/util/xalloc.h"

int cells_file_check(const char *verb, const char *image, const char *save, struct err *err)
{
	enum export_kind kind = image ? export_kind(image) : EXPORT_PICTURE;

	if (kind == EXPORT_NPY || kind == EXPORT_TEXT)
		return err_set(
			err,
			"%s -image %.200s: give a .png file; -save writes numbers, as .npy or .txt",
			verb, image);
	if (save && export_kind(save) == EXPORT_OTHER)
		return err_set(err,
			       "%s -save %.200s: the name must end in .png for the picture, in "
			       ".npy or .txt for its numbers",
			       verb, save);
	return 0;
}

static int draw(const struct cells_file *c, const char *path, struct err *err)
{
	size_t n = (size_t)c->rows * c->cols;
	uint32_t rows = (uint32_t)((n + c->columns - 1) / c->columns);
	uint8_t *rgb = malloc((size_t)rows * c->columns * 3);
	int rc;

	if (!rgb)
		return xalloc_refused((uint64_t)rows * c->columns * 3, "choose fewer cells", err);
	for (size_t i = 0; i < (size_t)rows * c->columns; i++) {
		uint32_t colour = i < n ? c->colour(c->arg, i) : SHADE_EMPTY;

		rgb[3 * i] = (uint8_t)(colour >> 16);
		rgb[3 * i + 1] = (uint8_t)(colour >> 8);
		rgb[3 * i + 2] = (uint8_t)colour;
	}
	rc = image_write(path, c->columns, rows, rgb, err);
	free(rgb);
	return rc;
}

static int write_numbers(const struct cells_file *c, const char *path, struct err *err)
{
	size_t n = (size_t)c->rows * c->cols;
	struct export_shape shape = { .type = VALUE_DOUBLE,
				      .ndim = 2,
				      .extent = { c->rows, c->cols } };
	double *x = malloc(n * sizeof(*x));
	char *about = about_text(c->about);
	int rc = -1;

	if (c->rows == 1 && c->about->row == c->about->col)
		shape = (struct export_shape){ .type = VALUE_DOUBLE,
					       .ndim = 1,
					       .extent = { c->cols } };
	for (size_t i = 0; x && i < n; i++)
		x[i] = c->number(c->arg, i);
	if (x)
		rc = export_all(path, &shape, about, x, err);
	else
		xalloc_refused(n * sizeof(*x), "choose fewer cells", err);
	free(about);
	free(x);
	return rc;
}

int cells_file_write(const struct cells_file *c, const char *image, const char *save,
		     struct err *err)
{
	bool picture = save && export_kind(save) == EXPORT_PICTURE;

	if (image && draw(c, image, err))
		return err_prefix(err, "%s -image %.200s", c->verb, image);
	if (save && (picture ? draw(c, save, err) : write_numbers(c, save, err)))
		return err_prefix(err, "%s -save %.200s", c->verb, save);
	return 0;
}
