/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays whose rows are allocated one by one. Where the allocator had room behind each row for the
 * next one they are at equal distances, and are an array with that stride; else the rows are copied
 * to memory of ours before anybody looks at them, as those that are elsewhere.
 */
#include "runtime/base/base.h"
#include "runtime/base/elsewhere.h"
#include "runtime/base/peek.h"

#define LOWEST 65536 /* no rows are below this */

/* Elements that are stored here along a dimension. */
static int64_t stored(const struct var *v, uint32_t d)
{
	int64_t own = var_is_list(&v->index[d]) ? v->e.list_n[d] :
						  v->e.own_hi[d] - v->e.own_lo[d] + 1;

	return own ? own + v->e.halo_lo[d] + v->e.halo_hi[d] : 0;
}

/* Its elements are in memory of ours, without gaps. */
static bool bring(struct var *v, uint64_t first, int64_t n)
{
	struct page_entity *e = &v->e;
	struct elsewhere x = { .elem = e->elem_size,
			       .row = 1,
			       .loc = v->loc,
			       .table = e->addr,
			       .apart = v->rows };
	uint64_t here;

	for (uint32_t d = 1; d < e->ndim; d++)
		if (__builtin_mul_overflow(x.row, (size_t)stored(v, d), &x.row))
			return var_fault(v, "own and halo are too large", -1, "");
	x.count = x.row * (size_t)n;
	if (!x.count)
		return true;
	here = elsewhere_add(e->addr, first, &x, &e->away);
	if (!here)
		return var_fault(v, "its rows do not lie at equal distances, and are too many", -1,
				 ": allocate all of them in one block");
	e->table = e->addr;
	e->apart = v->rows;
	e->addr = here;
	e->by_pointer = 0;
	for (uint32_t d = 0; d < e->ndim; d++)
		e->stride[d] = 0;
	return true;
}

bool var_rows_ok(struct var *v)
{
	struct page_entity *e = &v->e;
	uint64_t row, last = 0, first = 0;
	int64_t step = 0, n;
	bool even = true;

	if (!v->rows)
		return true;
	if (e->ndim < 2 || e->order == 'F')
		return var_fault(v, "rows are of an array of several dimensions", -1,
				 ": give .shape");
	n = stored(v, 0);
	for (int64_t i = 0; i < n; i++, last = row) {
		if (!peek_8(e->addr + (uint64_t)i * v->rows, &row) || row < LOWEST || row >> 48)
			return var_fault(v, "own and halo need more rows than there are", -1,
					 ": the first argument has a pointer to each");
		first = i ? first : row;
		step = i == 1 ? (int64_t)(row - last) : step;
		even = even && (!i || (int64_t)(row - last) == step);
	}
	if (!even || step % e->elem_size)
		return bring(v, first, n);
	e->stride[0] = step / e->elem_size;
	e->apart = v->rows;
	return true;
}
