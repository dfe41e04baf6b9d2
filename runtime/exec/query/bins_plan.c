/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/query/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/vec.h"

/* Only the asked part stays, of the dimension that has the most indices here. */
static void take_part(struct layout *l, const struct bins_spec *spec)
{
	unsigned most = 0;
	int64_t from, to;

	for (unsigned d = 1; d < l->ndim; d++)
		if (l->count[d] > l->count[most])
			most = d;
	from = (int64_t)((__int128)l->count[most] * spec->part / spec->parts);
	to = (int64_t)((__int128)l->count[most] * (spec->part + 1) / spec->parts);
	layout_numbers(l, most, from, to - from);
}

static int make_part(struct bins_plan *p, const struct target *t, const struct bins_spec *spec,
		     struct err *err)
{
	const struct section *s = p->section;

	layout_own(&p->part, &t->desc, t->unit);
	for (unsigned d = 0; d < s->ndim; d++) {
		if (s->dim[d].vector || (!s->dim[d].scalar && s->dim[d].step != 1))
			return err_set(err, "%s: dimension %u does not have the step 1", t->name,
				       d + 1);
		if (layout_cut_dim(&p->part, d, s, err))
			return -1;
	}
	if (s->ndim)
		take_part(&p->part, spec);
	if (layout_total(&p->part) == UINT64_MAX)
		return err_set(err, "%s is too large here", t->name);
	layout_walk(&p->lines, &p->part, LAYOUT_MEMORY);
	p->inner = s->ndim ? p->lines.order[s->ndim - 1] : 0;
	return 0;
}

static struct bins_bite *new_bite(struct bins_plan *p)
{
	struct bins_bite *b = vec_add(p->bite, p->nbite);

	if (b)
		*b = (struct bins_bite){ .seg = p->nseg, .span = p->nspan };
	else
		p->bad = true;
	return b;
}

static void new_span(struct bins_plan *p, struct bins_bite *b, uint64_t addr, size_t len)
{
	struct memory_span *s = vec_add(p->span, p->nspan);

	if (!s) {
		p->bad = true;
		return;
	}
	*s = (struct memory_span){ addr, len };
	b->nspan++;
	b->bytes += (uint32_t)len;
}

static void new_seg(struct bins_plan *p, struct bins_bite *b, const struct bins_seg *from)
{
	struct bins_seg *s = vec_add(p->seg, p->nseg);

	if (!s) {
		p->bad = true;
		return;
	}
	*s = *from;
	b->nseg++;
}

/* Elements that are read with what is between them; as many as still fit into the bite. */
static uint64_t add_dense(struct bins_plan *p, struct bins_bite *b, const struct target *t,
			  uint64_t step, uint64_t addr, struct bins_seg s, uint64_t n)
{
	struct memory_span *last = b->nspan ? &p->span[p->nspan - 1] : NULL;
	uint64_t gap = last ? addr - (last->addr + last->len) : UINT64_MAX;
	uint64_t fits;

	if (gap > BINS_GAP)
		gap = UINT64_MAX;
	s.off = b->bytes + (gap == UINT64_MAX ? 0 : (uint32_t)gap);
	if (s.off + t->size > BINS_CHUNK || (gap == UINT64_MAX && b->nspan == MEMORY_BATCH))
		return 0;
	fits = (BINS_CHUNK - s.off - t->size) / step + 1;
	s.n = (uint32_t)(fits < n ? fits : n);
	if (gap == UINT64_MAX) {
		new_span(p, b, addr, (s.n - 1) * step + t->size);
	} else {
		last->len += gap + (s.n - 1) * step + t->size;
		b->bytes = (uint32_t)(s.off + (s.n - 1) * step + t->size);
	}
	new_seg(p, b, &s);
	return s.n;
}

/* Elements that are read one by one. */
static uint64_t add_sparse(struct bins_plan *p, struct bins_bite *b, const struct target *t,
			   uint64_t step, uint64_t addr, struct bins_seg s, uint64_t n)
{
	uint64_t fits = (BINS_CHUNK - b->bytes) / t->size;

	if (fits > MEMORY_BATCH - b->nspan)
		fits = MEMORY_BATCH - b->nspan;
	if (!fits)
		return 0;
	s.n = (uint32_t)(fits < n ? fits : n);
	s.off = b->bytes;
	for (uint32_t i = 0; i < s.n && !p->bad; i++)
		new_span(p, b, addr + i * step, t->size);
	new_seg(p, b, &s);
	return s.n;
}

/* n neighbours from number i on, which are in one cell. */
static void add_run(struct bins_plan *p, const struct target *t, uint64_t i, uint64_t n,
		    uint32_t cell)
{
	const struct layout *l = &p->part;
	uint64_t step = (uint64_t)llabs((long long)l->stride[p->inner]), done;
	struct bins_bite *b = p->nbite ? &p->bite[p->nbite - 1] : new_bite(p);

	p->step = step <= BINS_GAP ? (uint32_t)step : t->size;
	while (n && !p->bad) {
		struct bins_seg s = { .i = i, .cell = cell };
		uint64_t addr = (uint64_t)layout_offset(l, p->inner, (int64_t)i) -
				(uint64_t)layout_offset(l, p->inner, 0);

		done = step <= BINS_GAP ? add_dense(p, b, t, step ? step : 1, addr, s, n)
					: add_sparse(p, b, t, step, addr, s, n);
		if (!done)
			b = new_bite(p);
		i = p->down ? i - done : i + done;
		n -= done;
	}
}

/*
 * The segments of the numbers i … i + n - 1, cell by cell; they follow one another in memory.
 * key is the position of the first in the section, each further one is `step` on.
 */
static void cut_run(struct bins_plan *p, const struct target *t, const struct bins_spec *spec,
		    uint64_t i, uint64_t n, uint64_t key, uint64_t step)
{
	uint64_t count = section_count(p->section, p->inner), done, some;
	uint32_t cells = p->inner == spec->col	 ? spec->cols
			 : p->inner == spec->row ? spec->rows
						 : 1;

	for (done = 0; done < n && !p->bad; done += some) {
		uint64_t k = p->down ? n - 1 - done : done, at = key + k * step;
		uint32_t cell = bins_cell_of(at, count, cells);

		some = p->down ? (at - bins_first(cell, count, cells)) / step + 1
			       : (bins_first(cell + 1, count, cells) - at - 1) / step + 1;
		some = some < n - done ? some : n - done;
		add_run(p, t, i + k, some, cell);
	}
}

/* The segments of a line. */
static void cut_line(struct bins_plan *p, const struct target *t, const struct bins_spec *spec)
{
	struct layout_walk w = p->lines;
	struct layout_run r;

	for (unsigned d = 0; d < w.ndim; d++)
		w.to[d] = d == p->inner ? w.to[d] : 1;
	w.weight[p->inner] = 1;
	p->down = p->part.stride[p->inner] < 0;
	while (layout_next(&w, &r)) {
		uint64_t i = (uint64_t)w.at.i[p->inner];

		if (r.n == 1 || r.stride == p->part.stride[p->inner]) {
			cut_run(p, t, spec, i, r.n, r.key, r.n == 1 ? 1 : r.step);
			continue;
		}
		for (uint64_t k = 0; k < r.n; k++)
			cut_run(p, t, spec, i + k, 1, r.key + k * r.step, 1);
	}
}

int bins_plan_make(struct bins_plan *p, const struct target *t, const struct section *s,
		   const struct bins_spec *spec, struct err *err)
{
	*p = (struct bins_plan){ .section = s };
	if (make_part(p, t, spec, err)) {
		bins_plan_clear(p);
		return -1;
	}
	if (s->ndim)
		cut_line(p, t, spec);
	if (!p->bad)
		return 0;
	bins_plan_clear(p);
	return err_set(err, "out of memory");
}

void bins_plan_clear(struct bins_plan *p)
{
	layout_clear(&p->part);
	free(p->seg);
	free(p->span);
	free(p->bite);
	*p = (struct bins_plan){ 0 };
}
