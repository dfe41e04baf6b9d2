/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/query/query.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/array/value.h"
#include "common/array/bins.h"
#include "runtime/exec/page/page.h"
#include "runtime/exec/query/internal.h"

#define NUMBERS 1024 /* that are turned into doubles at once */
#define LINES 1024   /* that are read at once */

/* A line of which a bite has been read. */
struct line {
	uint64_t number;
	uint32_t row, col; /* its cell, as far as it does not depend on the inner dimension */
	uint32_t shift;	   /* where its bite begins in the chunk */
};

struct walk {
	const struct bins_spec *spec;
	const struct target *t;
	struct memory *m;
	struct bins_plan plan;
	struct bins *z;
	uint32_t rank;
	double unit, scale; /* 1, or less for bounds too far apart; bins per such unit */
	uint64_t bad;

	unsigned char *chunk;
	struct memory_span span[MEMORY_BATCH];
	size_t nspan, bytes;
	struct line line[LINES];
	size_t nline;
};

static int64_t global(const struct bins_plan *p, unsigned d, uint64_t i)
{
	return section_index(p->section, d, layout_at(&p->part, d, (int64_t)i));
}

/* The global indices of number i of a line. */
static void index_of(const struct walk *w, uint64_t line, uint64_t i, int64_t *index)
{
	const struct bins_plan *p = &w->plan;

	for (unsigned k = p->lines.outer; k-- > 0;) {
		unsigned d = p->lines.order[k];
		uint64_t n = (uint64_t)p->part.count[d];

		index[d] = global(p, d, line % n);
		line /= n;
	}
	index[p->inner] = global(p, p->inner, i);
}

/* Keeps where the value is, the first of equals. */
static void keep_place(struct walk *w, double value, int64_t *at, bool out, const double *x,
		       size_t n, uint64_t line, uint64_t i)
{
	int64_t index[ARRAY_DIMS];
	bool down = w->plan.down;

	/* the neighbours go up or down: of equal ones the first in the array is meant */
	for (size_t k = 0; k < n; k++) {
		size_t j = down ? n - 1 - k : k;
		double v;

		memcpy(&v, (const char *)x + j * sizeof(v), sizeof(v));
		if (v != value)
			continue;
		index_of(w, line, down ? i - j : i + j, index);
		if (out || bins_before(w->z, index, at))
			memcpy(at, index, w->z->ndim * sizeof(*at));
		return;
	}
}

static void inspect_for_nan(struct walk *w, const double *x, size_t n, uint64_t line, uint64_t i)
{
	struct bins *z = w->z;
	int64_t index[ARRAY_DIMS];

	for (size_t k = 0; k < n; k++) {
		double v;

		memcpy(&v, (const char *)x + k * sizeof(v), sizeof(v));
		if (!isnan(v))
			continue;
		index_of(w, line, w->plan.down ? i - k : i + k, index);
		if (w->spec->after && !bins_before(z, w->spec->index, index))
			continue;
		if (z->found_nan && !bins_before(z, index, z->at_nan))
			continue;
		memcpy(z->at_nan, index, z->ndim * sizeof(*index));
		z->found_nan = true;
	}
}

static void count_bins(struct walk *w, const double *x, size_t n)
{
	struct bins *z = w->z;

	for (size_t k = 0; k < n; k++) {
		double v, bin;

		memcpy(&v, (const char *)x + k * sizeof(v), sizeof(v));
		bin = (v * w->unit - w->spec->from * w->unit) * w->scale;
		if (bin >= 0 && bin < BINS_HISTOGRAM)
			z->bin[(unsigned)bin]++;
		else if (v >= w->spec->from && v <= w->spec->to)
			z->bin[BINS_HISTOGRAM - 1]++; /* the bound itself, or rounded so */
		else if (isfinite(v) && v < w->spec->from)
			z->below++;
		else if (isfinite(v))
			z->above++;
	}
}

/* n numbers, which need not be aligned, from number i of the line on, go into a cell. */
static void take(struct walk *w, struct bins_cell *c, const double *x, size_t n, uint64_t line,
		 uint64_t i)
{
	struct bins_cell *all = &w->z->all, s;

	bins_cell_init(&s);
	bins_reduce(&s, x, n);
	s.count = n;
	s.owner = w->rank;
	bins_cell_add(c, &s);
	if (s.least <= s.most && s.least <= all->least) {
		keep_place(w, s.least, w->z->at_least, s.least < all->least, x, n, line, i);
		all->least = s.least;
	}
	if (s.least <= s.most && s.most >= all->most) {
		keep_place(w, s.most, w->z->at_most, s.most > all->most, x, n, line, i);
		all->most = s.most;
	}
	if (s.nan)
		inspect_for_nan(w, x, n, line, i);
	if (w->spec->bins)
		count_bins(w, x, n);
}

static void take_seg(struct walk *w, const struct line *l, const struct bins_seg *s)
{
	const struct bins_plan *p = &w->plan;
	const unsigned char *from = w->chunk + l->shift + s->off;
	uint32_t row = p->inner == w->spec->row && w->spec->row != w->spec->col ? s->cell : l->row;
	uint32_t col = p->inner == w->spec->col ? s->cell : l->col;
	struct bins_cell *c = &w->z->cell[(size_t)row * w->z->cols + col];
	double x[NUMBERS];

	if (w->t->type == VALUE_DOUBLE && p->step == sizeof(double)) {
		take(w, c, (const double *)(const void *)from, s->n, l->number, s->i);
		return;
	}
	for (uint32_t k = 0; k < s->n; k += NUMBERS) {
		uint32_t n = s->n - k < NUMBERS ? s->n - k : NUMBERS;

		bins_numbers(w->t->type, from + (size_t)k * p->step, p->step, x, n);
		take(w, c, x, n, l->number, p->down ? s->i - k : s->i + k);
	}
}

static int flush(struct walk *w, const struct bins_bite *b)
{
	if (!w->nline)
		return 0;
	if (memory_read(w->m, w->span, w->nspan, w->chunk, &w->bad))
		return -1;
	for (size_t i = 0; i < w->nline; i++)
		for (size_t k = 0; k < b->nseg; k++)
			take_seg(w, &w->line[i], &w->plan.seg[b->seg + k]);
	w->nline = w->nspan = w->bytes = 0;
	return 0;
}

/* The bite of this line is to be read, too; addr is the line's. */
static int add_line(struct walk *w, const struct bins_bite *b, const struct line *l, uint64_t addr)
{
	const struct memory_span *s = &w->plan.span[b->span];
	struct memory_span *last;
	uint64_t gap;
	size_t k = 0;

	if (w->nline == LINES || w->nspan + b->nspan > MEMORY_BATCH ||
	    w->bytes + BINS_GAP + b->bytes > BINS_CHUNK + BINS_GAP)
		if (flush(w, b))
			return -1;
	last = w->nspan ? &w->span[w->nspan - 1] : NULL;
	gap = last ? addr + s->addr - (last->addr + last->len) : UINT64_MAX;
	w->line[w->nline] = *l;
	if (gap <= BINS_GAP) {
		last->len += gap + s->len;
		w->bytes += gap;
		k = 1;
	}
	w->line[w->nline++].shift = (uint32_t)w->bytes;
	w->bytes += b->bytes;
	for (; k < b->nspan; k++)
		w->span[w->nspan++] = (struct memory_span){ addr + s[k].addr, s[k].len };
	return 0;
}

/* The cell of a line, as far as it does not depend on the inner dimension. */
static struct line line_at(const struct walk *w, uint64_t number, const struct layout_cursor *c)
{
	const struct bins_plan *p = &w->plan;
	const struct bins_spec *spec = w->spec;
	struct line l = { .number = number };

	if (spec->col != p->inner)
		l.col = bins_cell_of(layout_at(&p->part, spec->col, c->i[spec->col]),
				     section_count(p->section, spec->col), spec->cols);
	if (spec->row != p->inner && spec->row != spec->col)
		l.row = bins_cell_of(layout_at(&p->part, spec->row, c->i[spec->row]),
				     section_count(p->section, spec->row), spec->rows);
	return l;
}

static int walk(struct walk *w)
{
	const struct bins_plan *p = &w->plan;
	struct layout_cursor c;

	if (!p->nbite)
		return 0;
	layout_begin(&p->lines, &c);
	for (uint64_t i = 0; !c.end; i++, layout_step(&p->lines, &c)) {
		uint64_t addr = w->t->base + (uint64_t)c.offset;
		struct line l = line_at(w, i, &c);

		for (size_t k = 0; k < p->nbite; k++)
			if (add_line(w, &p->bite[k], &l, addr) ||
			    (p->nbite > 1 && flush(w, &p->bite[k])))
				return -1;
	}
	return p->nbite == 1 ? flush(w, &p->bite[0]) : 0;
}

/* What cannot be reduced, in words. */
static int check(const struct target *t, const struct section *s, const struct bins_spec *spec,
		 struct err *err)
{
	if (!value_size(t->type) || t->count > 1)
		return err_set(err, "%s is not an array of numbers", t->name);
	if (spec->row >= s->ndim || spec->col >= s->ndim)
		return err_set(err, "%s has %u dimensions", t->name, s->ndim);
	if (spec->cols > section_count(s, spec->col) || spec->rows > section_count(s, spec->row))
		return err_set(err, "%s: there are more cells than indices", t->name);
	return 0;
}

static int reduce(struct walk *w, const struct section *s, struct err *err)
{
	int rc = -1;

	if (bins_plan_make(&w->plan, w->t, s, w->spec, err))
		return -1;
	w->chunk = malloc(BINS_CHUNK + BINS_GAP);
	if (!w->chunk)
		err_set(err, "out of memory");
	else if (walk(w))
		err_set(err, "%s cannot be read at address 0x%" PRIx64 ": %s", w->t->name, w->bad,
			strerror(errno));
	else
		rc = 0;
	free(w->chunk);
	bins_plan_clear(&w->plan);
	return rc;
}

/* The object becomes a picture in out. */
static int answer(struct target *t, struct memory *m, uint32_t rank, const struct section *asked,
		  const struct bins_spec *spec, struct buf *out, struct err *err)
{
	struct walk *w = calloc(1, sizeof(*w));
	struct section s = { 0 };
	struct bins z = { 0 };
	int rc = -1;

	if (!w || bins_make(&z, t->desc.ndim, t->desc.order == 'F', spec->rows, spec->cols))
		err_set(err, "out of memory");
	else if (!target_section(t, asked, &s, err) && !check(t, &s, spec, err)) {
		*w = (struct walk){ .spec = spec, .t = t, .m = m, .z = &z, .rank = rank };
		w->unit = isfinite(spec->to - spec->from) ? 1 : 0.5;
		w->scale = BINS_HISTOGRAM / (spec->to * w->unit - spec->from * w->unit);
		rc = target_base(t, m, err) ? -1 : reduce(w, &s, err);
	}
	if (!rc)
		bins_put(&z, out);
	section_clear(&s);
	bins_clear(&z);
	free(w);
	return rc;
}

/* Nothing is owned here, so nothing need be allocated. */
static bool owns_nothing(const struct array_desc *a)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (a->list[d] ? !a->list_n[d] : a->own_hi[d] < a->own_lo[d])
			return true;
	return false;
}

/* A picture in which there is nothing. */
static int empty(const struct target *t, const struct bins_spec *spec, struct buf *out)
{
	struct bins z;

	if (bins_make(&z, t->desc.ndim, t->desc.order == 'F', spec->rows, spec->cols))
		return -1;
	bins_put(&z, out);
	bins_clear(&z);
	return 0;
}

void bins_answer(struct page_read *r, struct memory *m, uint32_t rank, const char *name,
		 const struct section *section, const struct bins_spec *spec, struct buf *out)
{
	struct target t;
	struct object o;
	struct err err = { "" };
	int rc = target_find(&t, &o, r, name, &err);

	if (!rc && owns_nothing(&t.desc))
		rc = empty(&t, spec, out);
	else if (!rc)
		rc = answer(&t, m, rank, section, spec, out, &err);
	if (rc)
		fetch_refuse(out, *err.text ? err.text : "out of memory");
	target_clear(&t, &o);
}
