/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/query/bins_plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/vec.h"
#include "runtime/exec/query/target.h"

/* Of an index list: by way of the part of a section of that one dimension. */
static int axis_of_list(struct zoom_axis *a, const struct array_desc *d, unsigned k,
			const struct section_dim *dim, struct err *err)
{
	struct array_desc one = { .ndim = 1 };
	struct section s = { .ndim = 1 };
	struct array_part p;

	one.list[0] = d->list[k];
	one.list_n[0] = d->list_n[k];
	one.halo_lo[0] = d->halo_lo[k];
	s.dim[0] = *dim;
	if (array_part_make(&p, &one, &s, err))
		return -1;
	a->n = p.n[0];
	a->at = p.at[0];
	a->local = p.local[0];
	p.at[0] = NULL;
	p.local[0] = NULL;
	array_part_clear(&p);
	return 0;
}

static void axis_of_box(struct zoom_axis *a, const struct array_desc *d, unsigned k)
{
	int64_t last = (int64_t)((uint64_t)a->first + a->count - 1);
	int64_t lo = d->own_lo[k] > a->first ? d->own_lo[k] : a->first;
	int64_t hi = d->own_hi[k] < last ? d->own_hi[k] : last;

	if (!a->count || hi < lo)
		return;
	a->n = (uint64_t)hi - (uint64_t)lo + 1;
	a->at0 = (uint64_t)lo - (uint64_t)a->first;
	a->local0 = array_local(d, k, lo);
}

/* Only the asked part stays, of the dimension that has the most indices here. */
static void take_part(struct zoom_plan *p, const struct zoom_spec *spec)
{
	struct zoom_axis *a = &p->axis[0];
	uint64_t from, to;

	for (unsigned d = 1; d < p->ndim; d++)
		if (p->axis[d].n > a->n)
			a = &p->axis[d];
	from = (uint64_t)((unsigned __int128)a->n * spec->part / spec->parts);
	to = (uint64_t)((unsigned __int128)a->n * (spec->part + 1) / spec->parts);
	a->from = from;
	a->n = to - from;
}

static int make_axes(struct zoom_plan *p, const struct target *t, const struct section *s,
		     const struct zoom_spec *spec, struct err *err)
{
	p->ndim = s->ndim;
	for (unsigned d = 0; d < s->ndim; d++) {
		struct zoom_axis *a = &p->axis[d];

		if (s->dim[d].vector || (!s->dim[d].scalar && s->dim[d].step != 1))
			return err_set(err, "%s: dimension %u does not have the step 1", t->name,
				       d + 1);
		a->first = s->dim[d].first;
		a->count = section_count(s, d);
		if (!t->desc.list[d])
			axis_of_box(a, &t->desc, d);
		else if (axis_of_list(a, &t->desc, d, &s->dim[d], err))
			return -1;
	}
	if (p->ndim)
		take_part(p, spec);
	return 0;
}

static uint64_t size_of_step(const struct target *t, unsigned d)
{
	return (uint64_t)llabs((long long)t->desc.stride[d]) * t->unit;
}

/* The dimension to go along, and the order of the others. */
static int choose_order(struct zoom_plan *p, const struct target *t, struct err *err)
{
	unsigned n = 0;

	p->inner = p->ndim ? p->ndim - 1 : 0;
	for (unsigned d = p->ndim; d-- > 0;)
		if (p->axis[d].n > 1 &&
		    (p->axis[p->inner].n <= 1 || size_of_step(t, d) < size_of_step(t, p->inner)))
			p->inner = d;
	p->lines = 1;
	for (unsigned d = 0; d < p->ndim; d++) {
		unsigned k;

		if (d == p->inner)
			continue;
		if (__builtin_mul_overflow(p->lines, p->axis[d].n, &p->lines))
			return err_set(err, "%s is too large here", t->name);
		for (k = n++; k && size_of_step(t, p->outer[k - 1]) < size_of_step(t, d); k--)
			p->outer[k] = p->outer[k - 1];
		p->outer[k] = d;
	}
	return 0;
}

static struct zoom_bite *new_bite(struct zoom_plan *p)
{
	struct zoom_bite *b = vec_add(p->bite, p->nbite);

	if (b)
		*b = (struct zoom_bite){ .seg = p->nseg, .span = p->nspan };
	else
		p->bad = true;
	return b;
}

static void new_span(struct zoom_plan *p, struct zoom_bite *b, uint64_t addr, size_t len)
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

static void new_seg(struct zoom_plan *p, struct zoom_bite *b, const struct zoom_seg *from)
{
	struct zoom_seg *s = vec_add(p->seg, p->nseg);

	if (!s) {
		p->bad = true;
		return;
	}
	*s = *from;
	b->nseg++;
}

/* Elements that are read with what lies between them; as many as still fit into the bite. */
static uint64_t add_dense(struct zoom_plan *p, struct zoom_bite *b, const struct target *t,
			  uint64_t step, uint64_t addr, struct zoom_seg s, uint64_t n)
{
	struct memory_span *last = b->nspan ? &p->span[p->nspan - 1] : NULL;
	uint64_t gap = last ? addr - (last->addr + last->len) : UINT64_MAX;
	uint64_t fits;

	if (gap > ZOOM_GAP)
		gap = UINT64_MAX;
	s.off = b->bytes + (gap == UINT64_MAX ? 0 : (uint32_t)gap);
	if (s.off + t->size > ZOOM_CHUNK || (gap == UINT64_MAX && b->nspan == MEMORY_BATCH))
		return 0;
	fits = (ZOOM_CHUNK - s.off - t->size) / step + 1;
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
static uint64_t add_sparse(struct zoom_plan *p, struct zoom_bite *b, const struct target *t,
			   uint64_t step, uint64_t addr, struct zoom_seg s, uint64_t n)
{
	uint64_t fits = (ZOOM_CHUNK - b->bytes) / t->size;

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

/* n neighbours from number i on, which lie in one cell. */
static void add_run(struct zoom_plan *p, const struct target *t, uint64_t i, uint64_t n,
		    uint32_t cell)
{
	const struct zoom_axis *a = &p->axis[p->inner];
	uint64_t step = size_of_step(t, p->inner), done;
	int64_t stride = t->desc.stride[p->inner];
	struct zoom_bite *b = p->nbite ? &p->bite[p->nbite - 1] : new_bite(p);

	p->step = step <= ZOOM_GAP ? (uint32_t)step : t->size;
	while (n && !p->bad) {
		struct zoom_seg s = { .i = i, .cell = cell };
		uint64_t addr = (uint64_t)zoom_axis_local(a, i) * (uint64_t)stride * t->unit;

		done = step <= ZOOM_GAP ? add_dense(p, b, t, step ? step : 1, addr, s, n)
					: add_sparse(p, b, t, step, addr, s, n);
		if (!done)
			b = new_bite(p);
		i = p->down ? i - done : i + done;
		n -= done;
	}
}

/* How many from number i on lie side by side in memory and in the section, in the way we go. */
static uint64_t neighbours(const struct zoom_plan *p, uint64_t i)
{
	const struct zoom_axis *a = &p->axis[p->inner];
	uint64_t n = 1;

	if (!a->at)
		return p->down ? i + 1 : a->n - i;
	while (!p->down && i + n < a->n && zoom_axis_at(a, i + n) == zoom_axis_at(a, i) + n &&
	       zoom_axis_local(a, i + n) == zoom_axis_local(a, i) + (int64_t)n)
		n++;
	return n;
}

/* The segments of a line, cell by cell. */
static void cut_line(struct zoom_plan *p, const struct target *t, const struct zoom_spec *spec)
{
	const struct zoom_axis *a = &p->axis[p->inner];
	uint32_t cells = p->inner == spec->col	 ? spec->cols
			 : p->inner == spec->row ? spec->rows
						 : 1;
	uint64_t done = 0;

	p->down = t->desc.stride[p->inner] < 0;
	while (done < a->n && !p->bad) {
		uint64_t i = p->down ? a->n - 1 - done : done, at = zoom_axis_at(a, i);
		uint64_t n = neighbours(p, i);
		uint32_t cell = zoom_cell_of(at, a->count, cells);
		uint64_t left = p->down ? at - zoom_first(cell, a->count, cells) + 1
					: zoom_first(cell + 1, a->count, cells) - at;

		n = left < n ? left : n;
		add_run(p, t, i, n, cell);
		done += n;
	}
}

int zoom_plan_make(struct zoom_plan *p, const struct target *t, const struct section *s,
		   const struct zoom_spec *spec, struct err *err)
{
	*p = (struct zoom_plan){ 0 };
	if (make_axes(p, t, s, spec, err) || choose_order(p, t, err)) {
		zoom_plan_clear(p);
		return -1;
	}
	if (p->ndim && p->lines)
		cut_line(p, t, spec);
	if (!p->bad)
		return 0;
	zoom_plan_clear(p);
	return err_set(err, "out of memory");
}

void zoom_plan_clear(struct zoom_plan *p)
{
	for (unsigned d = 0; d < ARRAY_DIMS; d++) {
		free(p->axis[d].at);
		free(p->axis[d].local);
	}
	free(p->seg);
	free(p->span);
	free(p->bite);
	*p = (struct zoom_plan){ 0 };
}
