/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/array/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void bins_cell_init(struct bins_cell *c)
{
	*c = (struct bins_cell){ .least = INFINITY, .most = -INFINITY, .owner = UINT32_MAX };
}

int bins_make(struct bins *z, unsigned ndim, bool fortran, uint32_t rows, uint32_t cols)
{
	size_t n = (size_t)rows * cols;

	*z = (struct bins){ .rows = rows, .cols = cols, .ndim = ndim, .fortran = fortran };
	z->cell = malloc(n * sizeof(*z->cell));
	if (!z->cell)
		return -1;
	for (size_t i = 0; i < n; i++)
		bins_cell_init(&z->cell[i]);
	bins_cell_init(&z->all);
	return 0;
}

void bins_clear(struct bins *z)
{
	free(z->cell);
	*z = (struct bins){ 0 };
}

void bins_cell_add(struct bins_cell *c, const struct bins_cell *from)
{
	c->count += from->count;
	c->nan += from->nan;
	c->inf += from->inf;
	c->sum += from->sum;
	if (from->least < c->least)
		c->least = from->least;
	if (from->most > c->most)
		c->most = from->most;
	if (c->owner == UINT32_MAX)
		c->owner = from->owner;
	else if (from->owner != UINT32_MAX && from->owner != c->owner)
		c->owner = BINS_MIXED;
}

bool bins_before(const struct bins *z, const int64_t *a, const int64_t *b)
{
	for (unsigned i = 0; i < z->ndim; i++) {
		unsigned d = z->fortran ? z->ndim - 1 - i : i;

		if (a[d] != b[d])
			return a[d] < b[d];
	}
	return false;
}

/* Takes the place of an extreme over when it is further out, or as far and earlier. */
static void take_place(const struct bins *z, int64_t *at, bool out, bool equal, const int64_t *from)
{
	if (out || (equal && bins_before(z, from, at)))
		memcpy(at, from, z->ndim * sizeof(*at));
}

int bins_merge(struct bins *z, const struct bins *from)
{
	const struct bins_cell *a = &z->all, *b = &from->all;

	if (z->rows != from->rows || z->cols != from->cols || z->ndim != from->ndim ||
	    z->fortran != from->fortran)
		return -1;
	if (b->least <= b->most) {
		take_place(z, z->at_least, b->least < a->least, b->least == a->least,
			   from->at_least);
		take_place(z, z->at_most, b->most > a->most, b->most == a->most, from->at_most);
	}
	if (from->found_nan)
		take_place(z, z->at_nan, !z->found_nan, true, from->at_nan);
	z->found_nan |= from->found_nan;
	bins_cell_add(&z->all, &from->all);
	for (size_t i = 0; i < (size_t)z->rows * z->cols; i++)
		bins_cell_add(&z->cell[i], &from->cell[i]);
	for (unsigned i = 0; i < BINS_HISTOGRAM; i++)
		z->bin[i] += from->bin[i];
	z->below += from->below;
	z->above += from->above;
	return 0;
}
