/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>

const char *trace_op_name(unsigned op)
{
	static const char *const names[TRACE_OPS] = {
		[TRACE_BEGIN] = "BEGIN", [TRACE_END] = "END",
		[TRACE_ITER] = "ITER",	 [TRACE_READ] = "READ",
		[TRACE_WRITE] = "WRITE", [TRACE_VALUE] = "VALUE",
		[TRACE_SKIP] = "SKIP",	 [TRACE_REDUCTION] = "REDUCTION",
		[TRACE_LOST] = "LOST",	 [TRACE_NOTE] = "NOTE",
		[TRACE_SUM] = "SUM",	 [TRACE_BEFORE] = "BEFORE",
		[TRACE_CALL] = "CALL",
	};

	return op < TRACE_OPS ? names[op] : "?";
}

uint64_t trace_desc_length(const struct array_desc *a, unsigned d)
{
	int64_t halo, n;

	if (a->list[d])
		n = a->list_n[d];
	else if (a->own_hi[d] < a->own_lo[d])
		n = 0;
	else if (__builtin_sub_overflow(a->own_hi[d], a->own_lo[d], &n) ||
		 __builtin_add_overflow(n, 1, &n))
		return INT64_MAX;
	if (__builtin_add_overflow(a->halo_lo[d], a->halo_hi[d], &halo) || halo < 0 ||
	    __builtin_add_overflow(n, halo, &n))
		return INT64_MAX;
	return (uint64_t)n;
}

/*
 * The stride in bytes in dimension d, without its sign. UINT64_MAX: none, or too far to be true; no
 * element is beyond the first.
 */
static uint64_t stride_of(const struct array_desc *a, unsigned d)
{
	uint64_t n = a->stride[d] < 0 ? -(uint64_t)a->stride[d] : (uint64_t)a->stride[d];

	return n && !__builtin_mul_overflow(n, a->elem_size, &n) ? n : UINT64_MAX;
}

void trace_shape_make(struct trace_shape *s, const struct array_desc *a)
{
	*s = (struct trace_shape){ .desc = a, .ndim = a->ndim };
	for (unsigned d = 0; d < a->ndim; d++) {
		uint64_t n = trace_desc_length(a, d), bytes = stride_of(a, d);
		unsigned k = d;

		/* a dimension with one element may have any stride: it is asked last */
		for (; k > 0 &&
		       (s->stride[k - 1] < bytes || (s->stride[k - 1] == bytes && s->n[k - 1] < n));
		     k--) {
			s->stride[k] = s->stride[k - 1];
			s->by[k] = s->by[k - 1];
			s->n[k] = s->n[k - 1];
			s->turned[k] = s->turned[k - 1];
		}
		s->stride[k] = bytes;
		s->by[k] = d;
		s->n[k] = n;
		s->turned[k] = a->stride[d] < 0;
	}
}

/* The global index of local position k in dimension d. False: it has none. */
static bool global_of(const struct array_desc *a, unsigned d, int64_t k, int64_t *index, bool *own)
{
	k -= a->halo_lo[d];
	if (a->list[d]) {
		*own = k >= 0 && k < a->list_n[d];
		if (*own)
			*index = a->list[d][k];
		return *own;
	}
	if (__builtin_add_overflow(a->own_lo[d], k, index))
		return false;
	*own = *index >= a->own_lo[d] && *index <= a->own_hi[d];
	return *index >= a->lower[d] &&
	       (uint64_t)*index - (uint64_t)a->lower[d] < (uint64_t)a->extent[d];
}

enum trace_where trace_shape_find(const struct trace_shape *s, uint64_t at, int64_t *index,
				  uint32_t *offset)
{
	bool own = true, edge = false;

	for (unsigned k = 0; k < s->ndim; k++) {
		uint64_t position = at / s->stride[k];
		bool mine = false;

		if (position >= s->n[k])
			return TRACE_OUTSIDE;
		at -= position * s->stride[k];
		if (s->turned[k])
			position = s->n[k] - 1 - position;
		if (!global_of(s->desc, s->by[k], (int64_t)position, &index[s->by[k]], &mine))
			edge = true;
		own = own && mine;
	}
	if (at >= s->desc->elem_size)
		return TRACE_OUTSIDE;
	if (offset)
		*offset = (uint32_t)at;
	return edge ? TRACE_EDGE : own ? TRACE_OWN : TRACE_HALO;
}

bool trace_shape_listed(const struct trace_shape *s)
{
	for (unsigned d = 0; d < s->ndim; d++)
		if (s->desc->list[d])
			return true;
	return false;
}

bool trace_moved_read(struct trace_moved *m, const char *text)
{
	return sscanf(text, "%c %" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNx64 " %40s",
		      &m->kind, &m->addr, &m->block, &m->stride, &m->n, &m->pc, m->call) == 7 &&
	       (m->kind == 'G' || m->kind == 'U');
}
