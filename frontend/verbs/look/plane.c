/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/verbs/look/look.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/bins.h"
#include "common/core/parse.h"

#define ROWS 20 /* of cells, without -cells */
#define COLUMNS 64

static int parse_cells(const struct plane_words *w, uint32_t *rows, uint32_t *cols, struct err *err)
{
	const char *p = w->cells;
	uint64_t r, c;

	*rows = ROWS;
	*cols = COLUMNS;
	if (!w->cells)
		return 0;
	if (parse_uint_at(&p, &r) || *p++ != 'x' || parse_uint(p, 1, BINS_CELLS, &c) || !r ||
	    r > BINS_CELLS / c)
		return err_set(err,
			       "%s -cells %s: give rows and columns, as in 20x64, at most %u cells",
			       w->verb, w->cells, BINS_CELLS);
	*rows = (uint32_t)r;
	*cols = (uint32_t)c;
	return 0;
}

/* A dimension by its number from 1. */
static int parse_dim(const struct plane_words *w, const char *option, const char *text,
		     unsigned ndim, unsigned *dim, struct err *err)
{
	uint64_t d;

	if (!text)
		return 0;
	if (parse_uint(text, 1, ndim, &d))
		return err_set(err, "%s -%s %s: a dimension from 1 to %u is allowed", w->verb,
			       option, text, ndim);
	*dim = (unsigned)d - 1;
	return 0;
}

static void choose(struct plane *p, const struct section *s, bool fortran)
{
	unsigned found[ARRAY_DIMS], n = 0;

	for (unsigned d = 0; d < s->ndim; d++)
		if (section_count(s, d) > 1)
			found[n++] = d;
	p->row = p->col = n ? found[0] : 0;
	if (n > 1) {
		p->row = fortran ? found[0] : found[n - 2];
		p->col = fortran ? found[1] : found[n - 1];
	}
}

int plane_parse(struct plane *p, const struct plane_words *words, const struct section *s,
		bool fortran, struct err *err)
{
	uint64_t nrow, ncol;
	uint32_t rows, cols;

	choose(p, s, fortran);
	if (parse_cells(words, &rows, &cols, err) ||
	    parse_dim(words, "rows", words->rows, s->ndim, &p->row, err) ||
	    parse_dim(words, "columns", words->columns, s->ndim, &p->col, err))
		return -1;
	nrow = section_count(s, p->row);
	ncol = section_count(s, p->col);
	if (p->row == p->col) { /* folded into rows */
		p->rows = 1;
		p->cols = rows * cols < ncol ? rows * cols : (uint32_t)ncol;
		p->columns = cols < p->cols ? cols : p->cols;
		return 0;
	}
	p->rows = rows < nrow ? rows : (uint32_t)nrow;
	p->cols = p->columns = cols < ncol ? cols : (uint32_t)ncol;
	return 0;
}

int plane_index(const char *what, const char *text, unsigned ndim, int64_t *index, struct err *err)
{
	const char *p = text;
	unsigned d;

	for (d = 0; d < ndim; d++, p += *p == ',') {
		p += strspn(p, " ");
		if (parse_int_at(&p, &index[d]) || (*p && *p != ','))
			break;
	}
	if (d < ndim || *p)
		return err_set(err, "%s %s: %u ind%s needed, with commas between", what, text, ndim,
			       ndim == 1 ? "ex is" : "ices are");
	return 0;
}
