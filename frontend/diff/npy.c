/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/diff/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What of the file's elements is wanted: per dimension of the file, fastest first. */
struct want {
	unsigned ndim;
	uint64_t n[ARRAY_DIMS], from[ARRAY_DIMS], to[ARRAY_DIMS]; /* strides in file and block */
	const struct section *s;
	unsigned dim[ARRAY_DIMS]; /* of the section */
	int64_t lower[ARRAY_DIMS];
	bool plain; /* the file has just the section: position, not index, is meant */
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
static unsigned section_shape(const struct section *s, int64_t *extent, unsigned *dim)
{
	unsigned n = 0;

	for (unsigned d = 0; d < s->ndim; d++) {
		if (s->dim[d].scalar)
			continue;
		dim[n] = d;
		extent[n++] = (int64_t)section_count(s, d);
	}
	return n;
}

static bool same_shape(const struct npy *f, unsigned ndim, const int64_t *extent)
{
	return npy_ndim(f) == ndim && !memcmp(npy_extent(f), extent, ndim * sizeof(*extent));
}

/* Does the file have the array, or else the section? Fills want->dim. */
static int match(struct want *w, const struct npy *f, const struct pieces *p, const char *path,
		 struct err *err)
{
	int64_t extent[ARRAY_DIMS];
	char a[200], b[200];
	unsigned dim[ARRAY_DIMS], n;

	w->s = &p->section;
	if (!same_type(npy_type(f), p->type))
		return err_set(err, "%s: its elements are %s, those of %s are %s", path,
			       value_type_name(npy_type(f)), p->name, value_type_name(p->type));
	if (same_shape(f, p->desc.ndim, p->desc.extent)) {
		w->ndim = p->desc.ndim;
		for (unsigned d = 0; d < w->ndim; d++) {
			w->dim[d] = d;
			w->lower[d] = p->desc.lower[d];
		}
		return 0;
	}
	n = section_shape(&p->section, extent, dim);
	if (!same_shape(f, n, extent))
		return err_set(err, "%s: it has %s, but %s has %s", path,
			       shape_text(npy_ndim(f), npy_extent(f), a, sizeof(a)), p->name,
			       shape_text(p->desc.ndim, p->desc.extent, b, sizeof(b)));
	w->ndim = n;
	w->plain = true;
	memcpy(w->dim, dim, sizeof(dim));
	return 0;
}

/* Turns dimensions of the file into an order with the fastest first, with strides. */
static void order(struct want *w, const struct npy *f)
{
	uint64_t stride = 1, block[ARRAY_DIMS], in_block = 1;
	unsigned dim[ARRAY_DIMS];
	int64_t lower[ARRAY_DIMS];

	for (unsigned d = w->s->ndim; d--;) {
		block[d] = in_block;
		in_block *= section_count(w->s, d);
	}
	memcpy(dim, w->dim, sizeof(dim));
	memcpy(lower, w->lower, sizeof(lower));
	for (unsigned k = 0; k < w->ndim; k++) {
		unsigned i = npy_fortran(f) ? k : w->ndim - 1 - k;

		w->dim[k] = dim[i];
		w->lower[k] = lower[i];
		w->n[k] = section_count(w->s, dim[i]);
		w->to[k] = block[dim[i]];
		w->from[k] = stride;
		stride *= (uint64_t)npy_extent(f)[i];
	}
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

/* Where position i of dimension k is in the file, in elements. */
static uint64_t place(const struct want *w, unsigned k, uint64_t i)
{
	int64_t g = w->plain ? (int64_t)i : section_index(w->s, w->dim[k], i) - w->lower[k];

	return (uint64_t)g * w->from[k];
}

static int copy_row(const struct want *w, struct window *win, uint64_t from, uint64_t to,
		    unsigned char *out, struct err *err)
{
	uint64_t n = w->ndim ? w->n[0] : 1;

	for (uint64_t i = 0; i < n; i++) {
		const unsigned char *e =
			window_get(win, from + (w->ndim ? place(w, 0, i) : 0), err);

		if (!e)
			return -1;
		memcpy(out + (to + (w->ndim ? i * w->to[0] : 0)) * win->size, e, win->size);
	}
	return 0;
}

static int copy(const struct want *w, struct window *win, unsigned char *out, struct err *err)
{
	uint64_t i[ARRAY_DIMS] = { 0 };
	unsigned k;

	do {
		uint64_t from = 0, to = 0;

		for (k = 1; k < w->ndim; k++) {
			from += place(w, k, i[k]);
			to += i[k] * w->to[k];
		}
		if (copy_row(w, win, from, to, out, err))
			return -1;
		for (k = 1; k < w->ndim && ++i[k] == w->n[k]; k++)
			i[k] = 0;
	} while (k < w->ndim);
	return 0;
}

void *diff_npy_read(const char *path, const struct pieces *p, struct err *err)
{
	struct npy *f = npy_open(path, err);
	struct window *win = xcalloc(1, sizeof(*win));
	uint64_t total = section_total(&p->section);
	unsigned char *out = NULL;
	struct want w = { 0 };

	if (f && !match(&w, f, p, path, err)) {
		order(&w, f);
		win->file = f;
		win->size = value_size(p->type);
		win->total = 1;
		for (unsigned d = 0; d < npy_ndim(f); d++)
			win->total *= (uint64_t)npy_extent(f)[d];
		out = malloc(total * win->size);
		if (!out)
			xalloc_refused(total * win->size, "choose a smaller section", err);
	}
	if (out && copy(&w, win, out, err)) {
		free(out);
		out = NULL;
	}
	npy_abandon(f);
	free(win);
	return out;
}
