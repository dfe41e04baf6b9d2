/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracereport/tracereport.h"

#include "common/trace/decode.h"
#include "common/traceindex/traceindex.h"
#include "common/array/value.h"

/* The bytes from the array's first element to its end, halo included; 0: it is none, or too wild.
 */
static uint64_t length_of(const struct trace_object *o)
{
	struct trace_shape s;
	uint64_t n = o->desc.elem_size, more;

	if (o->kind != TRACE_ARRAY || !o->desc.name || !o->desc.ndim || !n)
		return 0;
	trace_shape_make(&s, &o->desc);
	for (unsigned d = 0; d < s.ndim; d++)
		if (!s.n[d] || __builtin_mul_overflow(s.n[d] - 1, s.stride[d], &more) ||
		    __builtin_add_overflow(n, more, &n))
			return 0;
	return o->desc.addr + n > o->desc.addr ? n : 0;
}

/* Elements, if there were any there, would begin and end as the access does. */
static bool like_element(const struct array_desc *a, uint64_t addr, unsigned size)
{
	uint32_t within = (uint32_t)((addr - a->addr) % a->elem_size);

	return a->type >= VALUE_TYPES || object_id_desc_type(a, within, size) < VALUE_TYPES;
}

bool out_of_bounds(const struct trace_block *b, uint64_t addr, unsigned size, out_of_bounds_is is,
		   void *arg, uint32_t *object, int64_t *bytes)
{
	uint64_t best = TRACE_BESIDE;

	for (uint32_t i = 0; i < b->nobject; i++) {
		uint64_t first = b->object[i].desc.addr, n = length_of(&b->object[i]), away;
		bool before = addr < first;

		if (!n || (!before && addr - first < n))
			continue;
		away = before ? first - addr : addr - (first + n);
		if (away >= best || away >= n || !like_element(&b->object[i].desc, addr, size) ||
		    (is && !is(arg, i)))
			continue;
		best = away;
		*object = i;
		*bytes = before ? -(int64_t)away : (int64_t)away;
	}
	return best < TRACE_BESIDE;
}

/* Leaves of lo … hi, in which addr is, what is on its side of first … end - 1. False: addr is
 * there. */
static bool shrink(uint64_t addr, uint64_t first, uint64_t end, uint64_t *lo, uint64_t *hi)
{
	if (addr >= first && addr < end)
		return false;
	if (addr < first)
		*hi = first < *hi ? first : *hi;
	else
		*lo = end > *lo ? end : *lo;
	return true;
}

bool out_of_bounds_far(const struct trace_block *b, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	*lo = 0;
	*hi = UINT64_MAX;
	for (uint32_t i = 0; i < b->nobject; i++) {
		uint64_t first = b->object[i].desc.addr, n = length_of(&b->object[i]);
		uint64_t near = n < TRACE_BESIDE ? n : TRACE_BESIDE;

		if (n &&
		    (!shrink(addr, first > near ? first - near : 0, first, lo, hi) ||
		     !shrink(addr, first + n,
			     first + n + near < first ? UINT64_MAX : first + n + near, lo, hi)))
			return false;
	}
	return true;
}
