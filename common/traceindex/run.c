/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/traceindex/internal.h"

/* Descriptions may be wild: nothing here may overflow. */
static uint64_t steps(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

/* Of a list any index can have been said. */
static bool in_range(const struct array_desc *a, const int64_t *index)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (index[d] < a->lower[d] ||
		    steps(a->lower[d], index[d]) >= (uint64_t)a->extent[d])
			return false;
	return true;
}

/*
 * How far a run goes before and behind index g in dimension d, in pieces of so many bytes: *lo …
 * *hi, g in between.
 */
static void run_ends(const struct array_desc *a, unsigned d, uint64_t piece, int64_t g, int64_t *lo,
		     int64_t *hi)
{
	int64_t first, last, most = a->lower[d] + (a->extent[d] - 1);

	*lo = *hi = g;
	if (a->list[d] || a->stride[d] <= 0 || (uint64_t)a->stride[d] != piece / a->elem_size ||
	    __builtin_sub_overflow(a->own_lo[d], a->halo_lo[d], &first) ||
	    __builtin_add_overflow(a->own_hi[d], a->halo_hi[d], &last))
		return;
	*lo = first > a->lower[d] ? first : a->lower[d];
	*hi = last < most ? last : most;
	if (*lo > g || *hi < g)
		*lo = *hi = g;
}

/* Which of the pieces lo … hi are owned. */
static void run_own(const struct array_desc *a, unsigned d, uint64_t piece, const int64_t *index,
		    int64_t lo, int64_t hi, struct trace_run *run)
{
	int64_t first = lo, last = hi;

	run->own = run->at;
	run->nown = 0;
	for (unsigned k = 0; k < a->ndim; k++)
		if ((k != d || lo == hi) && array_local(a, k, index[k]) < 0)
			return;
	if (lo != hi) {
		first = lo > a->own_lo[d] ? lo : a->own_lo[d];
		last = hi < a->own_hi[d] ? hi : a->own_hi[d];
	}
	if (first > last)
		return;
	run->own = run->at + steps(lo, first) * piece;
	run->nown = (steps(first, last) + 1) * piece;
}

void local_layout_make(struct local_layout *o, const struct object_id *ident,
		       const struct array_desc *a)
{
	trace_shape_make(&o->shape, a);
	o->ident = ident;
	o->whole = object_id_desc_whole(a, &o->piece);
}

bool trace_run_find(const struct local_layout *o, uint64_t at, struct trace_run *run)
{
	const struct array_desc *a = o->shape.desc;
	int64_t index[ARRAY_DIMS], lo, hi;
	enum trace_where where;
	uint32_t offset;
	uint64_t byte, within;
	unsigned d;

	where = trace_shape_find(&o->shape, at, index, &offset);
	if ((where != TRACE_OWN && where != TRACE_HALO) || !in_range(a, index))
		return false;
	if (o->folded) {
		*run = (struct trace_run){ at - offset, a->elem_size, at - offset,
					   where == TRACE_OWN ? a->elem_size : 0,
					   (uint64_t)o->id << TRACE_KEY_BITS };
		return true;
	}
	byte = object_id_byte(o->ident, index);
	if (!a->ndim) {
		*run = (struct trace_run){ 0, a->elem_size, 0, a->elem_size,
					   (uint64_t)o->id << TRACE_KEY_BITS };
		return true;
	}
	/* whole pieces come one behind the other here as they do there */
	d = object_id_desc_dim(a, o->whole);
	within = byte % o->piece;
	run_ends(a, d, o->piece, index[d], &lo, &hi);
	within += steps(lo, index[d]) * o->piece;
	run->at = at - offset - within;
	run->key = (byte - within) | (uint64_t)o->id << TRACE_KEY_BITS;
	run->n = (steps(lo, hi) + 1) * o->piece;
	run_own(a, d, o->piece, index, lo, hi, run);
	return true;
}
