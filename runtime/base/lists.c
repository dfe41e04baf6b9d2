/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank owns: lists of indices, as the program has them or in blocks; one of several copies. */
#include "runtime/base/base.h"

int64_t var_list_at(const struct var_list *l, uint32_t i)
{
	const char *p;

	if (l->block)
		return l->from + i / l->block * l->every + i % l->block;
	p = (const char *)l->first + (ptrdiff_t)i * l->step;
	switch (l->bytes) {
	case 1:
		return *(const int8_t *)p;
	case 2:
		return *(const int16_t *)p;
	case 4:
		return *(const int32_t *)p;
	}
	return *(const int64_t *)p;
}

void var_every(struct var *v, uint32_t d, int64_t step, int64_t block)
{
	struct page_entity *e = &v->e;
	int64_t span = e->own_hi[d] - e->own_lo[d] + 1, n, rest;

	if (!step && !block)
		return;
	v->index[d] = (struct var_list){ .from = e->own_lo[d],
					 .every = step,
					 .block = block ? block : 1 };
	block = v->index[d].block;
	if (step < block || block < 1 || span <= 0) { /* list_ok refuses the first two */
		e->list_n[d] = 0;
		return;
	}
	rest = span % step < block ? span % step : block;
	if (__builtin_mul_overflow(span / step, block, &n) || n > INT32_MAX - rest)
		n = INT32_MAX;
	e->list_n[d] = (uint32_t)(n + rest);
}

void var_copies(struct var *v, int copies, int copy)
{
	/* one copy is no replication */
	v->e.copies = copies == 1 ? 0 : (uint32_t)copies;
	v->e.copy = (uint32_t)copy;
}

void var_mapped(struct var *v, bool owns)
{
	struct page_entity *e = &v->e;

	if (!e->ndim) {
		e->ndim = 1;
		e->extent[0] = 1;
		e->lower[0] = e->order == 'F';
		e->own_lo[0] = e->own_hi[0] = e->lower[0];
	}
	for (uint32_t d = 0; !owns && d < e->ndim; d++)
		e->own_hi[d] = e->own_lo[d] - 1;
}
