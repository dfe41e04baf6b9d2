/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures on the wire, and how the answers of a subtree become one. */
#include <math.h>
#include <stdlib.h>

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

int bins_spec_code(struct codec *c, struct bins_spec *s)
{
	codec_below(c, &s->row, ARRAY_DIMS);
	codec_below(c, &s->col, ARRAY_DIMS);
	codec_u32(c, &s->rows);
	codec_u32(c, &s->cols);
	codec_check(c, s->rows && s->cols && s->rows <= BINS_CELLS / s->cols);
	codec_check(c, s->row != s->col || s->rows == 1);
	codec_u32(c, &s->part);
	codec_u32(c, &s->parts);
	codec_check(c, s->part < s->parts && s->parts <= BINS_PARTS);
	codec_flag(c, &s->bins);
	codec_f64(c, &s->from);
	codec_f64(c, &s->to);
	codec_check(c, isfinite(s->from) && isfinite(s->to) && (!s->bins || s->from < s->to));
	codec_flag(c, &s->after);
	codec_i64s(c, s->index, ARRAY_DIMS);
	return codec_end(c);
}

static double sum_of_equals(const struct bins_cell *c)
{
	return c->least * (double)(c->count - c->nan - c->inf);
}

static unsigned flags_of(const struct bins_cell *c, const struct bins_cell *before)
{
	if (!c->count)
		return 0;
	return CELL_SOME | (c->count == before->count ? CELL_SAME_COUNT : 0) |
	       (c->owner == before->owner ? CELL_SAME_OWNER : 0) |
	       (c->least <= c->most ? CELL_FINITE : 0) |
	       (c->least == c->most && c->sum == sum_of_equals(c) ? CELL_ONE : 0) |
	       (c->nan || c->inf ? CELL_ODD : 0);
}

static bool cell_is_sound(const struct bins_cell *c, unsigned flags)
{
	bool finite = flags & CELL_FINITE;

	if (!c->count || (c->owner >= RANKSET_MAX && c->owner != BINS_MIXED) || c->nan > c->count ||
	    c->inf > c->count - c->nan || (!!(flags & CELL_ODD) != (c->nan || c->inf)))
		return false;
	if (finite != (c->nan + c->inf < c->count) || (!finite && (flags & CELL_ONE)))
		return false;
	return !finite ||
	       (isfinite(c->least) && isfinite(c->most) && c->least <= c->most && !isnan(c->sum));
}

/* before: the last one that is not empty. */
static void cell_code(struct codec *c, struct bins_cell *cell, struct bins_cell *before)
{
	unsigned flags = c->get ? 0 : flags_of(cell, before);
	uint64_t owner = cell->owner == BINS_MIXED ? RANKSET_MAX : cell->owner;

	codec_below(c, &flags, CELL_ALL + 1);
	if (c->get)
		bins_cell_init(cell);
	if (!flags)
		return;
	if (!(flags & CELL_SAME_COUNT))
		codec_varint(c, &cell->count);
	else if (c->get)
		cell->count = before->count;
	if (!(flags & CELL_SAME_OWNER))
		codec_varint(c, &owner);
	else
		owner = before->owner == BINS_MIXED ? RANKSET_MAX : before->owner;
	if (c->get)
		cell->owner = owner < RANKSET_MAX    ? (uint32_t)owner
			      : owner == RANKSET_MAX ? BINS_MIXED
						     : UINT32_MAX;
	if (flags & CELL_ODD) {
		codec_varint(c, &cell->nan);
		codec_varint(c, &cell->inf);
	}
	if (flags & CELL_FINITE)
		codec_f64(c, &cell->least);
	if ((flags & CELL_FINITE) && !(flags & CELL_ONE)) {
		codec_f64(c, &cell->most);
		codec_f64(c, &cell->sum);
	} else if ((flags & CELL_FINITE) && c->get) {
		cell->most = cell->least;
		cell->sum = sum_of_equals(cell);
	}
	codec_check(c, (flags & CELL_SOME) && cell_is_sound(cell, flags));
	*before = *cell;
}

/* The cells that are not empty are in rows r0 … r1 - 1 and columns c0 … c1 - 1. */
struct window {
	uint32_t r0, r1, c0, c1;
};

static struct window window_of(const struct bins *z)
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

static bool has_bins(const struct bins *z)
{
	uint64_t n = z->below + z->above;

	for (unsigned i = 0; i < BINS_HISTOGRAM; i++)
		n += z->bin[i];
	return n;
}

/* What stands before the cells; the cells are made when it is got. flags: enum PICTURE_... */
static void head_code(struct codec *c, struct bins *z, struct window *w, unsigned *flags)
{
	uint8_t kind = 1;
	unsigned ndim = z->ndim;
	uint32_t rows = z->rows, cols = z->cols;

	codec_u8(c, &kind);
	codec_check(c, kind == 1);
	codec_below(c, &ndim, ARRAY_DIMS + 1);
	codec_u32(c, &rows);
	codec_u32(c, &cols);
	codec_check(c, rows && cols && rows <= BINS_CELLS / cols);
	codec_u32(c, &w->r0);
	codec_u32(c, &w->r1);
	codec_u32(c, &w->c0);
	codec_u32(c, &w->c1);
	codec_check(c, w->r0 <= w->r1 && w->r1 <= rows && w->c0 <= w->c1 && w->c1 <= cols);
	codec_below(c, flags, PICTURE_ALL + 1);
	codec_check(c, (uint64_t)(w->r1 - w->r0) * (w->c1 - w->c0) <= buf_left(c->b));
	codec_check(c, !bins_make(z, ndim, *flags & PICTURE_FORTRAN, rows, cols));
}

/* What stands behind the cells. */
static void rest_code(struct codec *c, struct bins *z, unsigned flags)
{
	if (z->all.least <= z->all.most) {
		codec_i64s(c, z->at_least, z->ndim);
		codec_i64s(c, z->at_most, z->ndim);
	}
	if (c->get)
		z->found_nan = flags & PICTURE_NAN;
	if (flags & PICTURE_NAN)
		codec_i64s(c, z->at_nan, z->ndim);
	if (!(flags & PICTURE_BINS))
		return;
	for (unsigned i = 0; i < BINS_HISTOGRAM; i++)
		codec_varint(c, &z->bin[i]);
	codec_varint(c, &z->below);
	codec_varint(c, &z->above);
}

int bins_code(struct codec *c, struct bins *z)
{
	struct window w = c->get ? (struct window){ 0 } : window_of(z);
	struct bins_cell before = { 0 };
	unsigned flags = 0;

	if (!c->get)
		flags = (z->found_nan ? PICTURE_NAN : 0) | (has_bins(z) ? PICTURE_BINS : 0) |
			(z->fortran ? PICTURE_FORTRAN : 0);
	head_code(c, z, &w, &flags);
	for (uint32_t row = w.r0; row < w.r1 && codec_good(c); row++) {
		for (uint32_t col = w.c0; col < w.c1 && codec_good(c); col++) {
			struct bins_cell *cell = &z->cell[(size_t)row * z->cols + col];

			cell_code(c, cell, &before);
			if (c->get)
				bins_cell_add(&z->all, cell);
		}
	}
	rest_code(c, z, flags);
	return codec_end(c);
}

/* Adds a group's picture to z, which is made by the first; false: it is none, or of another shape.
 */
static bool fold_one(void *to, const struct rank_group *g)
{
	struct bins *z = to;
	struct buf b = buf_view(g->blob, g->len);
	struct bins one;
	bool ok;

	if (bins_get(&one, &b))
		return false;
	if (buf_left(&b)) {
		bins_clear(&one);
		return false;
	}
	if (!z->cell) {
		*z = one;
		return true;
	}
	ok = bins_merge(z, &one) == 0;
	bins_clear(&one);
	return ok;
}

static void put_bins(const void *z, struct buf *out)
{
	bins_put(z, out);
}

int bins_fold(struct groups *d)
{
	struct bins z = { 0 };
	int rc = groups_fold(d, fold_one, put_bins, &z);

	bins_clear(&z);
	return rc;
}
