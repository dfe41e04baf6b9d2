/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The document's pixel map of a difference. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "frontend/diff/internal.h"
#include "frontend/export/image.h"
#include "frontend/util/xalloc.h"

#define MOST_PIXELS ((uint64_t)1 << 26)
#define MOST_SIDE 1000000 /* of pictures that libpng reads */
#define DARK 24 /* the darkest and the brightest grey of what is within tolerance */
#define GREY 112
#define RED 144 /* the darkest red of what is not */

/* The picture's two dimensions among those of the section. */
struct plane {
	uint64_t height, width;
	uint64_t down, right; /* elements from one pixel to the next */
};

/* "dimensions 1, 2 and 3" that have more than one index; returns how many. */
static unsigned free_dims(const struct section *s, char *text, size_t size)
{
	unsigned n = 0, reported = 0;
	size_t used = 0;

	for (unsigned d = 0; d < s->ndim; d++)
		n += section_count(s, d) > 1;
	*text = 0;
	for (unsigned d = 0; d < s->ndim && used < size; d++) {
		if (section_count(s, d) <= 1)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%u",
					 !reported	     ? ""
					 : reported + 1 == n ? " and "
							     : ", ",
					 d + 1);
		reported++;
	}
	return n;
}

/* "u[4][*][*]": the slice with the largest difference; two of the free dimensions stay. */
static void example(const struct diff_input *in, char *out, size_t size)
{
	const struct section *s = in->section;
	bool fortran = in->order == 'F';
	size_t used = (size_t)snprintf(out, size, "%s", in->name);
	bool keep[ARRAY_DIMS] = { false };
	unsigned left = 2;
	struct diff d;

	for (unsigned k = 0; k < s->ndim && left; k++) {
		unsigned i = fortran ? k : s->ndim - 1 - k;

		if (section_count(s, i) > 1) {
			keep[i] = true;
			left--;
		}
	}
	if (diff_make(&d, in, NULL))
		memset(&d, 0, sizeof(d));
	for (unsigned i = 0; i < s->ndim && used < size; i++) {
		int64_t g = d.differ ? d.worst[i] : section_index(s, i, 0);

		used += (size_t)snprintf(out + used, size - used, "%s",
					 fortran ? (i ? "," : "(") : "[");
		if (used < size && keep[i])
			used += (size_t)snprintf(out + used, size - used, "*");
		else if (used < size)
			used += (size_t)snprintf(out + used, size - used, "%" PRId64, g);
		if (used < size && (!fortran || i + 1 == s->ndim))
			used += (size_t)snprintf(out + used, size - used, fortran ? ")" : "]");
	}
	array_name_place(out, strlen(in->name));
	diff_clear(&d);
}

static int plane_find(struct plane *p, const struct diff_input *in, struct err *err)
{
	const struct section *s = in->section;
	char dims[80], text[400];
	uint64_t stride = 1;

	if (free_dims(s, dims, sizeof(dims)) > 2) {
		example(in, text, sizeof(text));
		return err_set(err,
			       "a picture shows two dimensions, but the dimensions %s of %s have "
			       "more than one index: fix all but two, as in %s",
			       dims, in->name, text);
	}
	*p = (struct plane){ .height = 1, .width = 1 };
	for (unsigned d = s->ndim; d--;) {
		uint64_t n = section_count(s, d);

		if (n > 1 && p->width == 1) {
			p->width = n;
			p->right = stride;
		} else if (n > 1) {
			p->height = n;
			p->down = stride;
		}
		stride *= n;
	}
	/* A single column stays one. */
	if (p->height == 1 && s->ndim > 1 && section_count(s, s->ndim - 1) == 1) {
		p->height = p->width;
		p->down = p->right;
		p->width = 1;
		p->right = 0;
	}
	if (p->width > MOST_SIDE || p->height > MOST_SIDE || p->width * p->height > MOST_PIXELS)
		return err_set(err,
			       "a picture of %" PRIu64 " x %" PRIu64
			       " pixels is too large, at most "
			       "%" PRIu64 " are drawn, and %d in a row or column: choose a "
			       "section, or every nth index",
			       p->width, p->height, MOST_PIXELS, MOST_SIDE);
	return 0;
}

/* A number for the brightness of an element; NaN when it has none. */
static double level(unsigned type, const void *p)
{
	struct value v = value_load(type, p);

	switch (v.class) {
	case VALUE_IS_REAL:
		return v.re;
	case VALUE_IS_COMPLEX:
		return hypot(v.re, v.im);
	case VALUE_IS_UINT:
		return (double)(uint64_t)v.i;
	default:
		return (double)v.i;
	}
}

/* Least and greatest of what the colours represent. */
struct ranges {
	double low, high;   /* of finite values of the reference */
	double least, most; /* decimal logarithms of finite differences beyond tolerance */
};

static void range_take(double *low, double *high, double x)
{
	*low = fmin(*low, x);
	*high = fmax(*high, x);
}

static double share(double x, double low, double high)
{
	return high > low ? (x - low) / (high - low) : 1;
}

static void pixel(const struct diff_input *in, uint64_t i, const struct ranges *r, uint8_t *rgb)
{
	const char *ref = (const char *)in->ref + i * value_size(in->type);
	double by, value = level(in->type, ref);

	memset(rgb, 0, 3);
	if (diff_element_compare(in, i, &by) == DIFF_BEYOND)
		rgb[0] =
			!isfinite(by) ? 255
			: by > 0
				? (uint8_t)(RED + (255 - RED) * share(log10(by), r->least, r->most))
				: RED;
	else
		memset(rgb,
		       isfinite(value) ? (int)(DARK + (GREY - DARK) * share(value, r->low, r->high))
				       : DARK,
		       3);
}

static void look(const struct diff_input *in, uint64_t i, struct ranges *r)
{
	const char *ref = (const char *)in->ref + i * value_size(in->type);
	double by, value = level(in->type, ref);

	if (isfinite(value))
		range_take(&r->low, &r->high, value);
	if (diff_element_compare(in, i, &by) == DIFF_BEYOND && isfinite(by) && by > 0)
		range_take(&r->least, &r->most, log10(by));
}

uint8_t *diff_pixels(const struct diff_input *in, uint32_t *width, uint32_t *height,
		     struct err *err)
{
	struct ranges r = { INFINITY, -INFINITY, INFINITY, -INFINITY };
	struct plane p;
	uint8_t *rgb;

	if (!value_size(in->type)) {
		err_set(err, "%s: values of this type cannot be compared", in->name);
		return NULL;
	}
	if (plane_find(&p, in, err))
		return NULL;
	rgb = malloc(p.width * p.height * 3);
	if (!rgb) {
		xalloc_refused(p.width * p.height * 3, "choose a smaller section", err);
		return NULL;
	}
	for (uint64_t i = 0; i < p.width * p.height; i++)
		look(in, i, &r);
	for (uint64_t y = 0; y < p.height; y++)
		for (uint64_t x = 0; x < p.width; x++)
			pixel(in, y * p.down + x * p.right, &r, rgb + 3 * (y * p.width + x));
	*width = (uint32_t)p.width;
	*height = (uint32_t)p.height;
	return rgb;
}

int diff_image(const struct diff_input *in, const char *path, struct err *err)
{
	uint32_t width, height;
	uint8_t *rgb = diff_pixels(in, &width, &height, err);
	int rc = rgb ? image_write(path, width, height, rgb, err) : -1;

	free(rgb);
	return rc;
}
