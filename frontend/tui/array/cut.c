/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/array/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FOLD 10 /* columns at first */

/* The dimensions that are shown at first. */
static void choose(struct cut *c)
{
	unsigned found[ARRAY_DIMS], n = 0;

	for (unsigned d = 0; d < c->ndim; d++)
		if (c->extent[d] > 1)
			found[n++] = d;
	for (unsigned d = 0; n < 2 && d < c->ndim; d++)
		if (c->extent[d] <= 1)
			found[n++] = d;
	if (n < 2) {
		c->row = c->col = 0;
	} else if (c->fortran) {
		c->row = found[0] < found[1] ? found[0] : found[1];
		c->col = found[0] + found[1] - c->row;
	} else {
		unsigned a = found[n - 2], b = found[n - 1];

		c->row = a < b ? a : b;
		c->col = a < b ? b : a;
	}
}

static void first_slider(struct cut *c)
{
	c->slider = 0;
	while (c->slider < c->ndim && (c->slider == c->row || c->slider == c->col))
		c->slider++;
}

void cut_make(struct cut *c, unsigned ndim, bool fortran, const int64_t *lower,
	      const uint64_t *extent)
{
	if (c->ndim == ndim && c->fortran == fortran &&
	    !memcmp(c->lower, lower, ndim * sizeof(*lower)) &&
	    !memcmp(c->extent, extent, ndim * sizeof(*extent)))
		return;
	*c = (struct cut){ .ndim = ndim, .fortran = fortran, .fold = FOLD };
	memcpy(c->lower, lower, ndim * sizeof(*lower));
	memcpy(c->extent, extent, ndim * sizeof(*extent));
	memcpy(c->at, lower, ndim * sizeof(*lower));
	choose(c);
	first_slider(c);
}

bool cut_folded(const struct cut *c)
{
	return c->row == c->col;
}

uint64_t cut_rows(const struct cut *c)
{
	uint64_t n = c->extent[c->row];

	return cut_folded(c) ? n / c->fold + (n % c->fold != 0) : n;
}

uint64_t cut_cols(const struct cut *c)
{
	uint64_t n = c->extent[c->col];

	return !cut_folded(c) ? n : n < c->fold ? n : c->fold;
}

void cut_cursor(const struct cut *c, uint64_t *row, uint64_t *col)
{
	uint64_t at = (uint64_t)(c->at[c->col] - c->lower[c->col]);

	*row = cut_folded(c) ? at / c->fold : (uint64_t)(c->at[c->row] - c->lower[c->row]);
	*col = cut_folded(c) ? at % c->fold : at;
}

static uint64_t within(int64_t at, uint64_t n)
{
	return at < 0 ? 0 : (uint64_t)at < n ? (uint64_t)at : n - 1;
}

void cut_go(struct cut *c, int64_t row, int64_t col)
{
	uint64_t r = within(row, cut_rows(c)), k = within(col, cut_cols(c));

	if (cut_folded(c)) {
		k = within((int64_t)(r * c->fold + k), c->extent[c->col]);
	} else {
		c->at[c->row] = c->lower[c->row] + (int64_t)r;
	}
	c->at[c->col] = c->lower[c->col] + (int64_t)k;
}

void cut_move(struct cut *c, int64_t rows, int64_t cols)
{
	uint64_t row, col;

	cut_cursor(c, &row, &col);
	/* In what is folded the next element follows in the next row. */
	if (cut_folded(c) && !rows)
		c->at[c->col] =
			c->lower[c->col] +
			(int64_t)within(c->at[c->col] - c->lower[c->col] + cols, c->extent[c->col]);
	else
		cut_go(c, (int64_t)row + rows, (int64_t)col + cols);
}

bool cut_index(const struct cut *c, uint64_t row, uint64_t col, int64_t *index)
{
	uint64_t at = cut_folded(c) ? row * c->fold + col : col;

	if (at >= c->extent[c->col])
		return false;
	memcpy(index, c->at, c->ndim * sizeof(*index));
	index[c->row] = c->lower[c->row] + (int64_t)row;
	index[c->col] = c->lower[c->col] + (int64_t)at;
	return true;
}

void cut_jump(struct cut *c, const int64_t *index)
{
	for (unsigned d = 0; d < c->ndim; d++)
		c->at[d] = c->lower[d] + (int64_t)within(index[d] - c->lower[d], c->extent[d]);
}

/* The first of `seen` positions of n, so that `at` is among them. */
static uint64_t first_seen(uint64_t first, uint64_t at, uint64_t seen, uint64_t n)
{
	bool far = at + 1 < first || at > first + seen;

	if (far)
		first = at > seen / 2 ? at - seen / 2 : 0;
	else if (at < first)
		first = at;
	else if (at >= first + seen)
		first = at + 1 - seen;
	return first + seen > n ? n - seen : first;
}

static uint64_t round_columns(uint64_t cols)
{
	if (cols >= 10 || (cols >= 5 && cols < 8))
		return cols - cols % 5;
	return cols == 9 ? 8 : cols;
}

struct cut_window cut_settle(struct cut *c, uint64_t rows, uint64_t cols)
{
	struct cut_window w;
	uint64_t row, col;

	rows = rows ? rows : 1;
	cols = cols ? cols : 1;
	/* round numbers of columns, so that rows begin with round indices */
	if (cut_folded(c))
		c->fold = round_columns(cols);
	cut_cursor(c, &row, &col);
	w.rows = rows < cut_rows(c) ? rows : cut_rows(c);
	w.cols = cols < cut_cols(c) ? cols : cut_cols(c);
	w.top = c->top = first_seen(c->top, row, w.rows, cut_rows(c));
	w.left = c->left = first_seen(c->left, col, w.cols, cut_cols(c));
	return w;
}

void cut_corner(struct cut *c, const int64_t *index)
{
	uint64_t at = (uint64_t)(index[c->col] - c->lower[c->col]);

	c->top = cut_folded(c) ? at / c->fold : (uint64_t)(index[c->row] - c->lower[c->row]);
	c->left = cut_folded(c) ? 0 : at;
}

void cut_swap(struct cut *c)
{
	unsigned row = c->row;
	uint64_t top = c->top;

	c->row = c->col;
	c->col = row;
	c->top = c->left;
	c->left = top;
}

void cut_turn(struct cut *c, bool columns)
{
	unsigned *turned = columns ? &c->col : &c->row;
	unsigned other = columns ? c->row : c->col, next = (*turned + 1) % c->ndim;

	if (cut_folded(c))
		return;
	if (next == other) {
		if (c->ndim == 2) {
			cut_swap(c);
			return;
		}
		next = (next + 1) % c->ndim;
	}
	*turned = next;
	first_slider(c);
}

bool cut_show(struct cut *c, unsigned row, unsigned col)
{
	if (row >= c->ndim || col >= c->ndim || (row == col && c->ndim > 1))
		return false;
	c->row = row;
	c->col = col;
	first_slider(c);
	return true;
}

void cut_next_slider(struct cut *c)
{
	for (unsigned i = 0; i < c->ndim; i++) {
		c->slider = (c->slider + 1) % c->ndim;
		if (c->slider != c->row && c->slider != c->col)
			return;
	}
	c->slider = c->ndim;
}

void cut_slide(struct cut *c, int64_t by)
{
	unsigned d = c->slider;

	if (d < c->ndim)
		c->at[d] = c->lower[d] + (int64_t)within(c->at[d] - c->lower[d] + by, c->extent[d]);
}

void cut_section(const struct cut *c, const struct cut_window *w, struct section *out)
{
	memset(out, 0, sizeof(*out));
	out->ndim = c->ndim;
	for (unsigned d = 0; d < c->ndim; d++) {
		struct section_dim *x = &out->dim[d];
		int64_t first = c->lower[d];
		uint64_t from = d == c->col ? w->left : w->top, n = d == c->col ? w->cols : w->rows;

		if (cut_folded(c)) {
			from = w->top * c->fold;
			n = w->rows * c->fold;
			n = from + n > c->extent[d] ? c->extent[d] - from : n;
		} else if (d != c->col && d != c->row) {
			*x = (struct section_dim){ .scalar = true, .step = 1 };
			x->first = x->last = c->at[d];
			continue;
		}
		*x = (struct section_dim){ .step = 1 };
		x->first = first + (int64_t)from;
		x->last = x->first + (int64_t)n - 1;
	}
}

/* Subscripts: those of the two dimensions as `row` and `col` say, or as ranges of s. */
static void put_subscripts(const struct cut *c, const struct section *s, const char *row,
			   const char *col, char *out, size_t size)
{
	size_t used = 0;

	for (unsigned d = 0; d < c->ndim && used < size; d++) {
		const char *open = c->fortran ? (d ? "," : "(") : "[";
		const char *close = !c->fortran ? "]" : d + 1 == c->ndim ? ")" : "";
		char text[60];

		if (d != c->row && d != c->col)
			snprintf(text, sizeof(text), "%" PRId64, c->at[d]);
		else if (s)
			snprintf(text, sizeof(text), "%" PRId64 ":%" PRId64, s->dim[d].first,
				 s->dim[d].last);
		else
			snprintf(text, sizeof(text), "%s", d == c->col ? col : row);
		used += (size_t)snprintf(out + used, size - used, "%s%s%s", open, text, close);
	}
}

const char *cut_text(const struct cut *c, const struct cut_window *w, const char *name, char *out,
		     size_t size)
{
	int used = snprintf(out, size, "%s", name);
	struct section s;

	if (w)
		cut_section(c, w, &s);
	if (used < (int)size)
		put_subscripts(c, w ? &s : NULL, "*", "*", out + used, size - (size_t)used);
	return out;
}

const char *cut_title(const struct cut *c, const char *name, char *out, size_t size)
{
	int used = snprintf(out, size, "%s", name);

	if (used < (int)size)
		put_subscripts(c, NULL, "↓", "→", out + used, size - (size_t)used);
	return out;
}
