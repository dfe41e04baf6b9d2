/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures on the wire, and how the answers of a subtree become one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/array/bins.h"

/* What of a cell is written. */
enum {
	CELL_SOME = 1,	     /* it is not empty; else nothing follows */
	CELL_SAME_COUNT = 2, /* as the one before */
	CELL_SAME_OWNER = 4,
	CELL_FINITE = 8, /* sum, least, most follow … */
	CELL_ONE = 16,	 /* … of equal numbers: only one */
	CELL_ODD = 32,	 /* NaN and infinite ones */
	CELL_ALL = 63,
};

enum { PICTURE_NAN = 1, PICTURE_BINS = 2, PICTURE_FORTRAN = 4, PICTURE_ALL = 7 };

static void put_double(struct buf *b, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	buf_put_u64(b, bits);
}

static double get_double(struct buf *b)
{
	uint64_t bits = buf_get_u64(b);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Seven bits a byte, the lowest first; all but the last byte have the eighth. */
static void put_count(struct buf *b, uint64_t v)
{
	for (; v > 127; v >>= 7)
		buf_put_u8(b, (uint8_t)(v | 128));
	buf_put_u8(b, (uint8_t)v);
}

static uint64_t get_count(struct buf *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = buf_get_u8(b);

		if (b->bad || (shift == 63 && byte > 1)) {
			b->bad = true;
			return 0;
		}
		v |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return v;
	}
}

void zoom_spec_put(const struct zoom_spec *s, struct buf *b)
{
	buf_put_u8(b, s->row);
	buf_put_u8(b, s->col);
	buf_put_u32(b, s->rows);
	buf_put_u32(b, s->cols);
	buf_put_u32(b, s->part);
	buf_put_u32(b, s->parts);
	buf_put_u8(b, s->bins);
	put_double(b, s->from);
	put_double(b, s->to);
	buf_put_u8(b, s->after);
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		buf_put_i64(b, s->index[d]);
}

void zoom_spec_get(struct zoom_spec *s, struct buf *b)
{
	uint8_t bins, after;

	s->row = buf_get_u8(b);
	s->col = buf_get_u8(b);
	s->rows = buf_get_u32(b);
	s->cols = buf_get_u32(b);
	s->part = buf_get_u32(b);
	s->parts = buf_get_u32(b);
	bins = buf_get_u8(b);
	s->from = get_double(b);
	s->to = get_double(b);
	after = buf_get_u8(b);
	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		s->index[d] = buf_get_i64(b);
	s->bins = bins;
	s->after = after;
	if (s->row >= ARRAY_DIMS || s->col >= ARRAY_DIMS || !s->rows || !s->cols ||
	    s->rows > ZOOM_CELLS / s->cols || (s->row == s->col && s->rows != 1) ||
	    s->parts > ZOOM_PARTS || s->part >= s->parts || bins > 1 || after > 1 ||
	    !isfinite(s->from) || !isfinite(s->to) || (bins && !(s->from < s->to)))
		b->bad = true;
}

static void put_cell(const struct zoom_cell *c, struct zoom_cell *before, struct buf *b)
{
	unsigned flags = CELL_SOME;

	if (!c->count) {
		buf_put_u8(b, 0);
		return;
	}
	if (c->count == before->count)
		flags |= CELL_SAME_COUNT;
	if (c->owner == before->owner)
		flags |= CELL_SAME_OWNER;
	if (c->least <= c->most)
		flags |= CELL_FINITE;
	if (c->least == c->most && c->sum == c->least * (double)(c->count - c->nan - c->inf))
		flags |= CELL_ONE;
	if (c->nan || c->inf)
		flags |= CELL_ODD;
	buf_put_u8(b, (uint8_t)flags);
	if (!(flags & CELL_SAME_COUNT))
		put_count(b, c->count);
	if (!(flags & CELL_SAME_OWNER))
		put_count(b, c->owner);
	if (flags & CELL_ODD) {
		put_count(b, c->nan);
		put_count(b, c->inf);
	}
	if (flags & CELL_FINITE)
		put_double(b, c->least);
	if ((flags & CELL_FINITE) && !(flags & CELL_ONE)) {
		put_double(b, c->most);
		put_double(b, c->sum);
	}
	*before = *c;
}

static bool cell_is_sound(const struct zoom_cell *c, unsigned flags)
{
	bool finite = flags & CELL_FINITE;

	if (!c->count || c->owner >= RANKSET_MAX || c->nan > c->count ||
	    c->inf > c->count - c->nan || (!!(flags & CELL_ODD) != (c->nan || c->inf)))
		return false;
	if (finite != (c->nan + c->inf < c->count) || (!finite && (flags & CELL_ONE)))
		return false;
	return !finite ||
	       (isfinite(c->least) && isfinite(c->most) && c->least <= c->most && !isnan(c->sum));
}

static void get_cell(struct zoom_cell *c, struct zoom_cell *before, struct buf *b)
{
	unsigned flags = buf_get_u8(b);
	uint64_t owner;

	zoom_cell_init(c);
	if (!flags)
		return;
	c->count = flags & CELL_SAME_COUNT ? before->count : get_count(b);
	owner = flags & CELL_SAME_OWNER ? before->owner : get_count(b);
	c->owner = owner < RANKSET_MAX ? (uint32_t)owner : UINT32_MAX;
	if (flags & CELL_ODD) {
		c->nan = get_count(b);
		c->inf = get_count(b);
	}
	if (flags & CELL_FINITE) {
		c->least = get_double(b);
		c->most = flags & CELL_ONE ? c->least : get_double(b);
		c->sum = flags & CELL_ONE ? c->least * (double)(c->count - c->nan - c->inf)
					  : get_double(b);
	}
	if (flags > CELL_ALL || !(flags & CELL_SOME) || !cell_is_sound(c, flags))
		b->bad = true;
	*before = *c;
}

static void put_index(const struct zoom *z, const int64_t *index, struct buf *b)
{
	for (unsigned d = 0; d < z->ndim; d++)
		buf_put_i64(b, index[d]);
}

static void get_index(const struct zoom *z, int64_t *index, struct buf *b)
{
	for (unsigned d = 0; d < z->ndim; d++)
		index[d] = buf_get_i64(b);
}

/* The cells that are not empty lie in rows r0 … r1 - 1 and columns c0 … c1 - 1. */
struct window {
	uint32_t r0, r1, c0, c1;
};

static struct window window_of(const struct zoom *z)
{
	struct window w = { z->rows, 0, z->cols, 0 };

	for (uint32_t r = 0; r < z->rows; r++) {
		for (uint32_t c = 0; c < z->cols; c++) {
			if (!z->cell[(size_t)r * z->cols + c].count)
				continue;
			w.r0 = r < w.r0 ? r : w.r0;
			w.r1 = r + 1;
			w.c0 = c < w.c0 ? c : w.c0;
			w.c1 = c + 1 > w.c1 ? c + 1 : w.c1;
		}
	}
	return w.r1 ? w : (struct window){ 0 };
}

static bool has_bins(const struct zoom *z)
{
	uint64_t n = z->below + z->above;

	for (unsigned i = 0; i < ZOOM_BINS; i++)
		n += z->bin[i];
	return n;
}

void zoom_put(const struct zoom *z, struct buf *b)
{
	struct window w = window_of(z);
	struct zoom_cell before = { 0 };
	bool bins = has_bins(z);

	buf_put_u8(b, 1);
	buf_put_u8(b, (uint8_t)z->ndim);
	buf_put_u32(b, z->rows);
	buf_put_u32(b, z->cols);
	buf_put_u32(b, w.r0);
	buf_put_u32(b, w.r1);
	buf_put_u32(b, w.c0);
	buf_put_u32(b, w.c1);
	buf_put_u8(b, (uint8_t)((z->found_nan ? PICTURE_NAN : 0) | (bins ? PICTURE_BINS : 0) |
				(z->fortran ? PICTURE_FORTRAN : 0)));
	for (uint32_t r = w.r0; r < w.r1; r++)
		for (uint32_t c = w.c0; c < w.c1; c++)
			put_cell(&z->cell[(size_t)r * z->cols + c], &before, b);
	if (z->all.least <= z->all.most) {
		put_index(z, z->at_least, b);
		put_index(z, z->at_most, b);
	}
	if (z->found_nan)
		put_index(z, z->at_nan, b);
	if (!bins)
		return;
	for (unsigned i = 0; i < ZOOM_BINS; i++)
		put_count(b, z->bin[i]);
	put_count(b, z->below);
	put_count(b, z->above);
}

/* The head up to the flags, which it returns; z is made. -1: it is none. */
static int get_head(struct zoom *z, struct window *w, struct buf *b)
{
	uint8_t kind = buf_get_u8(b), ndim = buf_get_u8(b), flags;
	uint32_t rows = buf_get_u32(b), cols = buf_get_u32(b);

	w->r0 = buf_get_u32(b);
	w->r1 = buf_get_u32(b);
	w->c0 = buf_get_u32(b);
	w->c1 = buf_get_u32(b);
	flags = buf_get_u8(b);
	if (b->bad || kind != 1 || ndim > ARRAY_DIMS || !rows || !cols ||
	    rows > ZOOM_CELLS / cols || w->r0 > w->r1 || w->r1 > rows || w->c0 > w->c1 ||
	    w->c1 > cols || flags > PICTURE_ALL ||
	    (uint64_t)(w->r1 - w->r0) * (w->c1 - w->c0) > buf_left(b))
		return -1;
	return zoom_make(z, ndim, flags & PICTURE_FORTRAN, rows, cols) ? -1 : flags;
}

/* What stands behind the cells. */
static void get_rest(struct zoom *z, int flags, struct buf *b)
{
	if (z->all.least <= z->all.most) {
		get_index(z, z->at_least, b);
		get_index(z, z->at_most, b);
	}
	z->found_nan = flags & PICTURE_NAN;
	if (z->found_nan)
		get_index(z, z->at_nan, b);
	if (!(flags & PICTURE_BINS))
		return;
	for (unsigned i = 0; i < ZOOM_BINS; i++)
		z->bin[i] = get_count(b);
	z->below = get_count(b);
	z->above = get_count(b);
}

int zoom_get(struct zoom *z, struct buf *b)
{
	struct zoom_cell before = { 0 };
	struct window w;
	int flags;

	*z = (struct zoom){ 0 };
	flags = get_head(z, &w, b);
	if (flags < 0)
		return -1;
	for (uint32_t r = w.r0; r < w.r1 && !b->bad; r++) {
		for (uint32_t c = w.c0; c < w.c1 && !b->bad; c++) {
			struct zoom_cell *cell = &z->cell[(size_t)r * z->cols + c];

			get_cell(cell, &before, b);
			zoom_cell_add(&z->all, cell);
		}
	}
	get_rest(z, flags, b);
	if (!b->bad)
		return 0;
	zoom_clear(z);
	return -1;
}

/* Adds a group's picture to z, which is made by the first; false: it is none, or of another shape.
 */
static bool fold_one(struct zoom *z, const struct differ_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct zoom one;
	bool ok;

	if (zoom_get(&one, &b))
		return false;
	if (buf_left(&b)) {
		zoom_clear(&one);
		return false;
	}
	if (!z->cell) {
		*z = one;
		return true;
	}
	ok = zoom_merge(z, &one) == 0;
	zoom_clear(&one);
	return ok;
}

int zoom_fold(struct differ *d)
{
	struct differ out = { 0 };
	struct rankset ranks = { 0 };
	struct zoom z = { 0 };
	struct buf b = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < d->n && !rc; i++) {
		const struct differ_group *g = &d->group[i];

		rc = fold_one(&z, g) ? rankset_add_set(&ranks, &g->ranks)
				     : differ_add(&out, &g->ranks, g->blob, g->len);
	}
	if (!rc && z.cell) {
		zoom_put(&z, &b);
		rc = b.bad ? -1 : differ_add(&out, &ranks, b.data, b.len);
	}
	if (!rc) {
		differ_clear(d);
		*d = out;
	} else {
		differ_clear(&out);
	}
	buf_clear(&b);
	zoom_clear(&z);
	rankset_clear(&ranks);
	return rc;
}
