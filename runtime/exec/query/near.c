/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is registered at an address, or close to it, in words: for crashes.
 */
#include "runtime/exec/query/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/array/layout.h"
#include "runtime/exec/page/page.h"

#define NULL_PAGE 65536u /* what is below is a null pointer and an offset */
#define CLOSE 65536u	 /* bytes from an object that is smaller */

struct nearest {
	struct memory *memory;
	uint64_t addr;
	uint64_t far; /* of what is nearest so far; UINT64_MAX: nothing is near */
	char *out;
	size_t size;
};

/* "u[0][5]", "a(1,6)": of the numbers in each dimension. */
static void put_element(const struct array_desc *a, const struct layout *l, const int64_t *number,
			char *out, size_t size)
{
	bool fortran = a->order == 'F';
	size_t n = (size_t)snprintf(out, size, "%s", a->name);

	for (unsigned d = 0; d < l->ndim && n < size; d++) {
		int64_t index = l->list[d] ? l->list[d][number[d]] : l->first[d] + number[d];
		const char *before = fortran && d ? "," : fortran ? "(" : "[";
		const char *behind = !fortran ? "]" : d + 1 == l->ndim ? ")" : "";

		n += (size_t)snprintf(out + n, size - n, "%s%" PRId64 "%s", before, index, behind);
	}
	array_name_place(out, strlen(a->name));
}

/* The first or the last element in memory. */
static void at_end(const struct layout *l, bool last, int64_t *number)
{
	for (unsigned d = 0; d < l->ndim; d++)
		number[d] = (l->stride[d] < 0) != last ? l->count[d] - 1 : 0;
}

/* The element that holds the offset, in arrays whose strides are as in memory; false: it is not
 * known. */
static bool at_offset(const struct layout *l, int64_t offset, int64_t *number)
{
	int64_t left = offset - l->origin, step = INT64_MAX;

	for (unsigned k = 0; k < l->ndim; k++) {
		unsigned best = l->ndim;

		/* the dimension with the next smaller stride */
		for (unsigned d = 0; d < l->ndim; d++)
			if (l->stride[d] < step && l->stride[d] > 0 &&
			    (best == l->ndim || l->stride[d] > l->stride[best]))
				best = d;
		if (best == l->ndim || l->place[best])
			return false;
		step = l->stride[best];
		number[best] = left / step;
		left %= step;
		if (number[best] < 0 || number[best] >= l->count[best])
			return false;
	}
	return left >= 0 && left < l->size;
}

static void put_near(struct nearest *n, const struct array_desc *a, const struct layout *l,
		     int64_t lo, int64_t hi, int64_t offset)
{
	int64_t number[ARRAY_DIMS] = { 0 };
	char element[200];
	uint64_t elements = (n->far + l->size - 1) / l->size;

	if (!n->far) {
		if (!at_offset(l, offset, number)) {
			snprintf(n->out, n->size, "in %s", a->name);
			return;
		}
		put_element(a, l, number, element, sizeof(element));
		snprintf(n->out, n->size, "in %s", element);
		return;
	}
	at_end(l, offset >= hi, number);
	put_element(a, l, number, element, sizeof(element));
	if (offset >= hi)
		elements = (uint64_t)(offset - hi) / l->size + 1;
	snprintf(n->out, n->size, "%" PRIu64 " element%s %s %s", elements, elements == 1 ? "" : "s",
		 offset < lo ? "before" : "behind", element);
}

/* All that is stored, the halo that is outside of the array as well: its indices go on there. */
static bool layout_stored(struct layout *l, const struct object *o)
{
	struct array_desc all = o->desc; /* borrows what that has */

	for (unsigned d = 0; d < all.ndim; d++) {
		uint64_t lo = (uint64_t)all.own_lo[d] - (uint64_t)all.halo_lo[d];
		uint64_t hi = (uint64_t)all.own_hi[d] + (uint64_t)all.halo_hi[d];

		if (all.list[d] || all.own_hi[d] < all.own_lo[d] || (int64_t)(hi - lo) < 0)
			continue;
		all.lower[d] = (int64_t)lo;
		all.extent[d] = (int64_t)(hi - lo + 1);
	}
	return layout_held(l, &all, all.elem_size);
}

static int look_at(void *arg, const struct object *o)
{
	struct nearest *n = arg;
	struct memory_span span = { o->desc.addr, sizeof(uint64_t) };
	uint64_t base = o->desc.addr, bad, far, reach;
	struct layout l = { 0 };
	int64_t lo, hi, offset;

	if (o->by_pointer && memory_read(n->memory, &span, 1, &base, &bad))
		return 0;
	if (!base)
		return 0;
	offset = (int64_t)(n->addr - (base - (uint64_t)o->before));
	if (layout_stored(&l, o) && layout_reach(&l, &lo, &hi)) {
		reach = (uint64_t)(hi - lo) > CLOSE ? (uint64_t)(hi - lo) : CLOSE;
		far = offset < lo    ? (uint64_t)(lo - offset)
		      : offset >= hi ? (uint64_t)(offset - hi) + 1
				     : 0;
		if (far <= reach && far < n->far) {
			n->far = far;
			put_near(n, &o->desc, &l, lo, hi, offset);
		}
	}
	layout_clear(&l);
	return 0;
}

void near_words(struct page_read *r, struct memory *m, uint64_t addr, char *out, size_t size)
{
	struct nearest n = { m, addr, UINT64_MAX, out, size };

	*out = 0;
	if (addr >= NULL_PAGE)
		object_each(r, "", look_at, &n);
}

/* Bytes from the first stored element to the least and behind the greatest of all that is stored. */
static void stored_reach(const struct array_desc *a, int64_t *lo, int64_t *hi)
{
	*lo = 0;
	*hi = a->elem_size;
	for (unsigned d = 0; d < a->ndim; d++) {
		int64_t own = a->list[d] ? a->list_n[d] : a->own_hi[d] - a->own_lo[d] + 1;
		int64_t n = own + a->halo_lo[d] + a->halo_hi[d];
		int64_t way = n > 0 ? (n - 1) * a->stride[d] * (int64_t)a->elem_size : 0;

		*(way < 0 ? lo : hi) += way;
	}
}

struct holding {
	struct memory *memory;
	uint64_t addr;
	bool any;
};

static int holds(void *arg, const struct object *o)
{
	struct holding *h = arg;
	struct memory_span span = { o->desc.addr, sizeof(uint64_t) };
	uint64_t base = o->desc.addr, bad;
	int64_t lo, hi, offset;

	h->any = true;
	/* the variable is what the functions of the array bring elements of */
	if (o->away.is || (o->by_pointer && o->desc.addr == h->addr))
		return 1;
	if (o->by_pointer && memory_read(h->memory, &span, 1, &base, &bad))
		return 0;
	stored_reach(&o->desc, &lo, &hi);
	offset = (int64_t)(h->addr - (base - (uint64_t)o->before));
	return offset >= lo && offset < hi;
}

int query_holds(struct page_read *r, struct memory *m, const char *name, uint64_t addr)
{
	struct holding h = { m, addr, false };
	bool held = object_each(r, name, holds, &h) == 1;

	return held ? 1 : h.any ? 0 : -1;
}
