/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/export/about.h"
#include "frontend/export/export.h"
#include "frontend/data/pieces.h"
#include "frontend/export/save_rank.h"
#include "frontend/util/xalloc.h"

struct saving {
	struct export *file;
	const struct pieces *p;
	bool turned; /* the first dimension is to be the fastest */
	size_t size;
};

/* The elements with the first dimension fastest; to be freed. */
static unsigned char *turn(const unsigned char *in, unsigned ndim, const uint64_t *count,
			   size_t size)
{
	int64_t lo[ARRAY_DIMS] = { 0 }, hi[ARRAY_DIMS];
	unsigned char *out, *to;
	struct layout_walk w;
	struct layout_run r;
	struct layout l;

	for (unsigned d = 0; d < ndim; d++)
		hi[d] = (int64_t)count[d] - 1;
	layout_box(&l, ndim, lo, hi, (uint32_t)size);
	out = to = malloc(layout_total(&l) * size);
	layout_walk(&w, &l, LAYOUT_F);
	while (out && layout_next(&w, &r))
		for (uint64_t k = 0; k < r.n; k++, to += size)
			memcpy(to, in + r.offset + (int64_t)k * r.stride, size);
	return out;
}

static int take(void *arg, const void *elements, const uint64_t *count, struct err *err)
{
	const struct saving *s = arg;
	unsigned ndim = s->p->section.ndim;
	unsigned char *other = NULL;
	uint64_t total = 1;
	int rc;

	for (unsigned d = 0; d < ndim; d++)
		total *= count[d];
	if (s->turned && ndim > 1) {
		other = turn(elements, ndim, count, s->size);
		if (!other)
			return xalloc_refused(total * s->size, "choose a smaller section", err);
	}
	rc = export_write(s->file, other ? other : elements, (size_t)total, err);
	free(other);
	return rc;
}

/* The file's shape; *turned: the order in which the array's elements are to come. */
static void find_shape(const struct pieces *p, const struct save_how *how, const char *path,
		       struct export_shape *x, bool *turned)
{
	bool fortran = p->desc.order == 'F' && export_kind(path) != EXPORT_TEXT;

	for (unsigned d = 0; d < p->section.ndim; d++)
		if (!p->section.dim[d].scalar)
			x->extent[x->ndim++] = (int64_t)section_count(&p->section, d);
	*turned = x->fortran = fortran;
	if (!how->plane || how->row <= how->col)
		return;
	/* Rows and columns change places: the array's fastest index is the file's slowest. */
	for (unsigned d = 0; 2 * d + 1 < x->ndim; d++) {
		int64_t extent = x->extent[d];

		x->extent[d] = x->extent[x->ndim - 1 - d];
		x->extent[x->ndim - 1 - d] = extent;
	}
	*turned = true;
	x->fortran = false;
}

static void describe(const struct pieces *p, const struct export_shape *x, struct saved *out)
{
	*out = (struct saved){ .type = x->type,
			       .order = x->fortran ? 'F' : 'C',
			       .ndim = x->ndim,
			       .elements = section_total(&p->section) };
	memcpy(out->extent, x->extent, sizeof(out->extent));
}

/* From the owners, piece by piece. */
static int save_owned(struct saving *s, const char *path, const struct export_shape *shape,
		      const char *about, struct err *err)
{
	s->file = export_create(path, shape, about, err);
	if (!s->file)
		return -1;
	if (pieces_fetch(s->p, s->turned, take, s, err)) {
		export_abandon(s->file);
		return -1;
	}
	return export_close(s->file, err);
}

/* Of a rank, at once. */
static int save_of_rank(struct saving *s, const char *path, const struct export_shape *shape,
			const char *about, const void *elements, struct err *err)
{
	uint64_t count[ARRAY_DIMS];

	for (unsigned d = 0; d < s->p->section.ndim; d++)
		count[d] = section_count(&s->p->section, d);
	s->file = export_create(path, shape, about, err);
	if (!s->file)
		return -1;
	if (take(s, elements, count, err)) {
		export_abandon(s->file);
		return -1;
	}
	return export_close(s->file, err);
}

int save_pieces(const struct pieces *p, const struct save_how *how, const char *path,
		struct saved *out, struct err *err)
{
	struct export_shape shape = { .type = p->type };
	struct about about = {
		.p = p, .type = p->type, .plane = how->plane, .row = how->row, .col = how->col
	};
	struct saving s = { .p = p };
	struct rank_values v = { 0 };
	char *text;
	int rc;

	find_shape(p, how, path, &shape, &s.turned);
	if (how->as_rank) {
		if (rank_values_take(&v, p, how->rank, err))
			return -1;
		shape.type = about.type = v.type;
		about.more = v.about;
	}
	s.size = value_size(shape.type);
	text = about_text(&about);
	if (how->as_rank)
		rc = save_of_rank(&s, path, &shape, text, v.elements, err);
	else
		rc = save_owned(&s, path, &shape, text, err);
	describe(p, &shape, out);
	rank_values_clear(&v);
	free(text);
	return rc;
}

int save_array(struct session *s, const char *name, const struct section *sec,
	       const struct rankset *who, const char *path, struct saved *out, struct err *err)
{
	struct pieces p;
	int rc;

	if (pieces_find(&p, s, name, sec, who, err))
		return -1;
	rc = save_pieces(&p, &(struct save_how){ 0 }, path, out, err);
	pieces_clear(&p);
	return rc;
}
