/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/diff/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/export/npy.h"
#include "frontend/data/pieces.h"
#include "frontend/util/xalloc.h"

#define WINDOW 65536 /* bytes that are read at once */

/* The file, and a part of it in memory. */
struct window {
	struct npy *file;
	size_t size; /* of an element */
	uint64_t total, at, n;
	unsigned char bytes[WINDOW];
};

static bool same_type(unsigned a, unsigned b)
{
	enum value_class x = value_class(a), y = value_class(b);
	bool whole = x != VALUE_IS_REAL && x != VALUE_IS_COMPLEX && y != VALUE_IS_REAL &&
		     y != VALUE_IS_COMPLEX;

	/* The file does not distinguish long from long long, nor logical from int. */
	return value_size(a) == value_size(b) && (x == y || whole);
}

/* "100 x 200", "a single number" */
static const char *shape_text(unsigned ndim, const int64_t *extent, char *out, size_t size)
{
	size_t used = 0;

	snprintf(out, size, "a single number");
	for (unsigned d = 0; d < ndim && used < size; d++)
		used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, d ? " x " : "",
					 extent[d]);
	return out;
}

/* The section's own shape, without the dimensions of a single index; returns its dimensions. */
static unsigned section_shape(const struct section *s, int64_t *extent)
{
	unsigned n = 0;

	for (unsigned d = 0; d < s->ndim; d++)
		if (!s->dim[d].scalar)
			extent[n++] = (int64_t)section_count(s, d);
	return n;
}

static bool same_shape(const struct npy *f, unsigned ndim, const int64_t *extent)
{
	return npy_ndim(f) == ndim && !memcmp(npy_extent(f), extent, ndim * sizeof(*extent));
}

/* How many elements apart neighbours are in the file. */
static void strides(const struct npy *f, int64_t *stride)
{
	unsigned n = npy_ndim(f);
	int64_t all = 1;

	for (unsigned i = 0; i < n; i++) {
		unsigned d = npy_fortran(f) ? i : n - 1 - i;

		stride[d] = all;
		all *= npy_extent(f)[d];
	}
}

/* The section in a file that has the array. */
static int section_of_array(struct layout *l, const struct pieces *p, const int64_t *stride,
			    struct err *err)
{
	for (unsigned d = 0; d < p->desc.ndim; d++) {
		int64_t lower = p->desc.lower[d], extent = p->desc.extent[d];

		layout_add(l,
			   &(struct layout_dim){ .lower = lower,
						 .extent = extent,
						 .own_lo = lower,
						 .own_hi = lower + extent - 1,
						 .stride = stride[d] },
			   false);
	}
	return layout_cut(l, &p->section, err);
}

/* Does the file have the array, or else the section? The elements of that as they are in it. */
static int match(struct layout *l, const struct npy *f, const struct pieces *p, const char *path,
		 struct err *err)
{
	const struct section *s = &p->section;
	int64_t extent[ARRAY_DIMS], stride[ARRAY_DIMS];
	char a[200], b[200];
	unsigned n = 0;

	if (!same_type(npy_type(f), p->type))
		return err_set(err, "%s: its elements are %s, those of %s are %s", path,
			       value_type_name(npy_type(f)), p->name, value_type_name(p->type));
	*l = (struct layout){ .size = 1 };
	strides(f, stride);
	if (same_shape(f, p->desc.ndim, p->desc.extent))
		return section_of_array(l, p, stride, err);
	if (!same_shape(f, section_shape(s, extent), extent))
		return err_set(err, "%s: it has %s, but %s has %s", path,
			       shape_text(npy_ndim(f), npy_extent(f), a, sizeof(a)), p->name,
			       shape_text(p->desc.ndim, p->desc.extent, b, sizeof(b)));
	for (unsigned d = 0; d < s->ndim; d++) {
		l->count[d] = (int64_t)section_count(s, d);
		l->stride[d] = s->dim[d].scalar ? 0 : stride[n++];
	}
	l->ndim = s->ndim;
	return 0;
}

/* Element `at` of the file. */
static const unsigned char *window_get(struct window *w, uint64_t at, struct err *err)
{
	if (at < w->at || at >= w->at + w->n) {
		w->at = at;
		w->n = WINDOW / w->size;
		if (w->n > w->total - at)
			w->n = w->total - at;
		if (npy_read(w->file, at, w->bytes, (size_t)w->n, err)) {
			w->n = 0;
			return NULL;
		}
	}
	return w->bytes + (at - w->at) * w->size;
}

static int copy(const struct layout *l, const struct section *s, struct window *win,
		unsigned char *out, struct err *err)
{
	uint64_t extent[ARRAY_DIMS];
	struct layout_walk w;
	struct layout_run r;

	for (unsigned d = 0; d < s->ndim; d++)
		extent[d] = section_count(s, d);
	layout_walk(&w, l, LAYOUT_MEMORY);
	layout_walk_dense(&w, extent);
	while (layout_next(&w, &r))
		for (uint64_t i = 0; i < r.n; i++) {
			uint64_t k = r.stride < 0 ? r.n - 1 - i : i;
			const unsigned char *e =
				window_get(win, (uint64_t)r.offset + k * (uint64_t)r.stride, err);

			if (!e)
				return -1;
			memcpy(out + (r.key + k * r.step) * win->size, e, win->size);
		}
	return 0;
}

void *diff_npy_read(const char *path, const struct pieces *p, struct err *err)
{
	struct npy *f = npy_open(path, err);
	struct window *win = xcalloc(1, sizeof(*win));
	uint64_t total = section_total(&p->section);
	unsigned char *out = NULL;
	struct layout l = { 0 };

	if (f && !match(&l, f, p, path, err)) {
		win->file = f;
		win->size = value_size(p->type);
		win->total = 1;
		for (unsigned d = 0; d < npy_ndim(f); d++)
			win->total *= (uint64_t)npy_extent(f)[d];
		out = malloc(total * win->size);
		if (!out)
			xalloc_refused(total * win->size, "choose a smaller section", err);
	}
	if (out && copy(&l, &p->section, win, out, err)) {
		free(out);
		out = NULL;
	}
	npy_abandon(f);
	layout_clear(&l);
	free(win);
	return out;
}
