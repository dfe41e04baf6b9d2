/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays whose rows are allocated one by one. Their memory has the same step from each row to the
 * next one where the allocator had room behind the row before; those alone are known, as arrays
 * with that stride.
 */
#include "runtime/base/base.h"
#include "runtime/base/peek.h"

/* Rows that are stored here. */
static int64_t stored(const struct var *v)
{
	int64_t own = var_is_list(&v->index[0]) ? v->e.list_n[0] :
						  v->e.own_hi[0] - v->e.own_lo[0] + 1;

	return own ? own + v->e.halo_lo[0] + v->e.halo_hi[0] : 0;
}

bool var_rows_ok(struct var *v)
{
	struct page_entity *e = &v->e;
	uint64_t row, last = 0;
	int64_t step = 0, n;

	if (!v->rows)
		return true;
	if (e->ndim < 2 || e->order == 'F')
		return var_fault(v, "rows are of an array of several dimensions", -1,
				 ": give .shape");
	n = stored(v);
	for (int64_t i = 0; i < n; i++, last = row) {
		if (!peek_8(e->addr + (uint64_t)i * v->rows, &row) || !row)
			return var_fault(v, "own and halo need more rows than there are", -1,
					 ": the first argument has a pointer to each");
		if (i == 1)
			step = (int64_t)(row - last);
		if (i && (int64_t)(row - last) != step)
			return var_fault(v, "its rows do not lie at equal distances", -1,
					 ": allocate all of them in one block");
	}
	if (step % e->elem_size)
		return var_fault(v, "the distance between its rows is no whole number of elements",
				 -1, ": allocate all of them in one block");
	e->stride[0] = step / e->elem_size;
	return true;
}
