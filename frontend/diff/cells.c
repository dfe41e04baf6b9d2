/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cell of a picture of differences: how large the largest one in it is, and its colour. */
#include "frontend/diff/diff.h"

#include <math.h>
#include <string.h>

#include "common/array/bins.h"
#include "frontend/diff/internal.h"
#include "frontend/export/shade.h"

#define DECADES 6 /* of differences that look different */

/* Calls fn for every element beyond tolerance, in the order of the blocks. */
static void each(const struct diff *d, void (*fn)(void *arg, uint64_t at), void *arg)
{
	for (uint64_t w = 0; d->differ && w < d->total / 64 + 1; w++)
		for (uint64_t bits = d->bits[w]; bits; bits &= bits - 1)
			fn(arg, w * 64 + (unsigned)__builtin_ctzll(bits));
}

static double distance(const struct diff_input *in, uint64_t at)
{
	double by;

	diff_element_compare(in, at, &by);
	return by;
}

struct cells {
	const struct diff_input *in;
	const struct diff_plane *p;
	uint64_t nrow, ncol;	 /* indices of the two dimensions */
	uint64_t by_row, by_col; /* elements from one index to the next */
	struct diff_cell *out;
};

static void take(void *arg, uint64_t at)
{
	struct cells *x = arg;
	const struct diff_plane *p = x->p;
	uint32_t row = bins_cell_of(at / x->by_row % x->nrow, x->nrow, p->rows);
	uint32_t col = bins_cell_of(at / x->by_col % x->ncol, x->ncol, p->cols);
	struct diff_cell *c = &x->out[(size_t)(p->row == p->col ? 0 : row) * p->cols + col];
	double by = distance(x->in, at);

	c->differ++;
	c->largest = by > c->largest ? by : c->largest;
}

/* How many indices of n a cell has. */
static uint64_t width(uint32_t cell, uint64_t n, uint32_t cells)
{
	return bins_first(cell + 1, n, cells) - bins_first(cell, n, cells);
}

void diff_cells(const struct diff *d, const struct diff_input *in, const struct diff_plane *p,
		struct diff_cell *out)
{
	struct cells x = { .in = in, .p = p, .out = out };
	const struct section *s = in->section;
	uint64_t deep = 1, step = 1;

	for (unsigned k = s->ndim; k--;) {
		uint64_t n = section_count(s, k);

		if (k == p->row) {
			x.nrow = n;
			x.by_row = step;
		}
		if (k == p->col) {
			x.ncol = n;
			x.by_col = step;
		}
		if (k != p->row && k != p->col)
			deep *= n;
		step *= n;
	}
	for (uint32_t r = 0; r < p->rows; r++)
		for (uint32_t c = 0; c < p->cols; c++) {
			uint64_t high = p->row == p->col ? 1 : width(r, x.nrow, p->rows);

			*out++ = (struct diff_cell){ .count = high * width(c, x.ncol, p->cols) *
							      deep };
		}
	each(d, take, &x);
}

double diff_cell_size(double difference, double largest)
{
	double size;

	if (!isfinite(difference) || !isfinite(largest) || !(largest > 0))
		return isfinite(difference) ? 0 : 1;
	size = 1 + log10(difference / largest) / DECADES;
	return size < 0 ? 0 : size > 1 ? 1 : size;
}

uint32_t diff_cell_colour(const struct diff_cell *c, double largest)
{
	double size = diff_cell_size(c->largest, largest);

	if (!c->differ)
		return SHADE_EMPTY;
	return (uint32_t)(0x70 + size * 0x8f) << 16 | (uint32_t)(size * 0x50) << 8;
}

/* The nearest so far to where the search began. */
struct search {
	const struct diff_input *in;
	const int64_t *from;
	int step;
	bool found;
	uint64_t at;
	int64_t index[ARRAY_DIMS];
};

/*
 * Whether position a of dimension d comes before b: sections may go down, and "next" is in the
 * order of the array.
 */
static int order(const struct diff_input *in, const int64_t *a, const int64_t *b)
{
	unsigned n = in->section->ndim;

	for (unsigned k = 0; k < n; k++) {
		unsigned d = in->order == 'F' ? n - 1 - k : k;

		if (a[d] != b[d])
			return a[d] < b[d] ? -1 : 1;
	}
	return 0;
}

static void consider(void *arg, uint64_t at)
{
	struct search *s = arg;
	int64_t index[ARRAY_DIMS];

	diff_index(s->in->section, at, index);
	if (order(s->in, index, s->from) * s->step <= 0)
		return;
	if (s->found && order(s->in, index, s->index) * s->step >= 0)
		return;
	s->found = true;
	s->at = at;
	memcpy(s->index, index, s->in->section->ndim * sizeof(*index));
}

static uint32_t owner_of(const struct diff_input *in, const int64_t *index)
{
	for (size_t k = 0; k < in->nowner; k++) {
		const struct array_desc *a = &in->owner[k].desc;
		unsigned d = 0;

		while (d < in->section->ndim && array_local(a, d, index[d]) >= 0)
			d++;
		if (d == in->section->ndim && !a->copy)
			return in->owner[k].rank;
	}
	return UINT32_MAX;
}

bool diff_next(const struct diff *d, const struct diff_input *in, const int64_t *index, int step,
	       struct diff_item *out)
{
	struct search s = { .in = in, .from = index, .step = step };
	size_t size = value_size(in->type);

	each(d, consider, &s);
	if (!s.found)
		return false;
	*out = (struct diff_item){ .at = s.at, .owner = owner_of(in, s.index) };
	memcpy(out->index, s.index, sizeof(out->index));
	out->ref = value_load(in->type, (const char *)in->ref + s.at * size);
	out->now = value_load(in->type, (const char *)in->now + s.at * size);
	out->difference = distance(in, s.at);
	return true;
}
