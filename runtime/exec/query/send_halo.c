/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/query/send_halo.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "runtime/exec/query/fetch.h"
#include "runtime/exec/page/object.h"

#define RIM_LISTS "its parts are index lists, not boxes"

/* Global indices, both ends inclusive. */
struct box {
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
};

struct rim {
	struct memory *m;
	uint32_t width;
	struct buf *out;
	uint32_t n;    /* arrays in out */
	size_t budget; /* bytes of elements that may still be put in */
};

/* What is being done with the boxes of an array; the bytes come from memory when there is a buf. */
struct boxes {
	const struct object *o;
	struct memory *m;
	struct buf *out; /* NULL: they are only counted */
	uint32_t n;
	uint64_t bytes;
	struct err *err;
};

static int64_t upper(const struct array_desc *a, unsigned d)
{
	return a->lower[d] + a->extent[d] - 1;
}

/* The indices below and above the own ones that the halo has inside the array. */
static int64_t halo_first(const struct array_desc *a, unsigned d)
{
	int64_t room = a->own_lo[d] - a->lower[d];

	return a->own_lo[d] - (room < a->halo_lo[d] ? room : a->halo_lo[d]);
}

static int64_t halo_last(const struct array_desc *a, unsigned d)
{
	int64_t room = upper(a, d) - a->own_hi[d];

	return a->own_hi[d] + (room < a->halo_hi[d] ? room : a->halo_hi[d]);
}

static bool owns_nothing(const struct array_desc *a)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (a->own_hi[d] < a->own_lo[d])
			return true;
	return false;
}

static uint64_t box_bytes(const struct array_desc *a, const struct box *b)
{
	uint64_t bytes = a->elem_size;
	bool over = false;

	for (unsigned d = 0; d < a->ndim; d++)
		over |= __builtin_mul_overflow(bytes, (uint64_t)(b->hi[d] - b->lo[d]) + 1, &bytes);
	return over ? UINT64_MAX : bytes;
}

/* The elements of a box as positions in local memory. */
static int part_of_box(const struct array_desc *a, const struct box *b, struct array_part *p)
{
	*p = (struct array_part){ .ndim = a->ndim };
	for (unsigned d = 0; d < a->ndim; d++) {
		uint64_t first = (uint64_t)b->lo[d] - (uint64_t)a->own_lo[d];

		p->n[d] = (uint32_t)(b->hi[d] - b->lo[d] + 1);
		p->local[d] = calloc(p->n[d], sizeof(*p->local[d]));
		if (!p->local[d])
			return -1;
		for (uint32_t i = 0; i < p->n[d]; i++)
			p->local[d][i] = (int64_t)(first + (uint64_t)a->halo_lo[d] + i);
	}
	return 0;
}

static int box_put(struct boxes *x, const struct box *b)
{
	const struct array_desc *a = &x->o->desc;
	uint64_t bytes = box_bytes(a, b);
	struct array_part p;
	unsigned char *data;
	int rc = -1;

	x->n++;
	if (!x->out) {
		if (__builtin_add_overflow(x->bytes, bytes, &x->bytes))
			x->bytes = UINT64_MAX;
		return 0;
	}
	for (unsigned d = 0; d < a->ndim; d++) {
		buf_put_i64(x->out, b->lo[d]);
		buf_put_i64(x->out, b->hi[d]);
	}
	data = malloc(bytes);
	if (!data || part_of_box(a, b, &p))
		err_set(x->err, "out of memory");
	else if (fetch_part(x->o, &p, x->m, data, x->err) == 0)
		rc = 0;
	if (!rc)
		buf_put_raw(x->out, data, bytes);
	if (data)
		array_part_clear(&p);
	free(data);
	return rc;
}

/* The box on that side of the own part; false when there is none. */
static bool side_box(const struct array_desc *a, const int8_t *side, struct box *b)
{
	for (unsigned d = 0; d < a->ndim; d++) {
		b->lo[d] = side[d] < 0	 ? halo_first(a, d)
			   : side[d] > 0 ? a->own_hi[d] + 1
					 : a->own_lo[d];
		b->hi[d] = side[d] < 0	 ? a->own_lo[d] - 1
			   : side[d] > 0 ? halo_last(a, d)
					 : a->own_hi[d];
		if (b->hi[d] < b->lo[d])
			return false;
	}
	return true;
}

/* The next combination of sides that can hold something; false behind the last. */
static bool side_next(const struct array_desc *a, int8_t *side)
{
	for (unsigned d = a->ndim; d-- > 0;) {
		while (++side[d] < 2)
			if (side[d] == 0 || halo_last(a, d) > a->own_hi[d])
				return true;
		side[d] = halo_first(a, d) < a->own_lo[d] ? -1 : 0;
	}
	return false;
}

/* One box per side, edge and corner. */
static int each_halo(const struct array_desc *a, struct boxes *x)
{
	static const int8_t none[ARRAY_DIMS];
	int8_t side[ARRAY_DIMS];
	struct box b;

	if (owns_nothing(a))
		return 0;
	for (unsigned d = 0; d < a->ndim; d++)
		side[d] = halo_first(a, d) < a->own_lo[d] ? -1 : 0;
	do {
		if (memcmp(side, none, a->ndim) && side_box(a, side, &b) && box_put(x, &b))
			return -1;
	} while (side_next(a, side));
	return 0;
}

/* Takes the first n indices of dimension d, or from the end, out of rest; false: rest is empty. */
static bool cut(struct box *rest, unsigned d, int64_t n, bool end, struct box *slab)
{
	bool all = n > rest->hi[d] - rest->lo[d];

	*slab = *rest;
	if (all)
		return false;
	if (end)
		slab->lo[d] = (rest->hi[d] -= n) + 1;
	else
		slab->hi[d] = (rest->lo[d] += n) - 1;
	return true;
}

/*
 * Own elements that are near a face behind which other ranks are: slabs that do not overlap. A halo
 * above there needs what is at our lower face.
 */
static int each_rim(const struct array_desc *a, uint32_t width, struct boxes *x)
{
	struct box rest, slab;

	if (owns_nothing(a))
		return 0;
	memcpy(rest.lo, a->own_lo, sizeof(rest.lo));
	memcpy(rest.hi, a->own_hi, sizeof(rest.hi));
	for (unsigned i = 0; i < 2 * a->ndim; i++) {
		unsigned d = i / 2;
		bool end = i % 2;
		int64_t n = end ? a->halo_lo[d] : a->halo_hi[d];
		bool more;

		if (n < width)
			n = width;
		if (!n || (end ? a->own_hi[d] == upper(a, d) : a->own_lo[d] == a->lower[d]))
			continue;
		more = cut(&rest, d, n, end, &slab);
		if (box_put(x, &slab))
			return -1;
		if (!more)
			break;
	}
	return 0;
}

/* Local description, then halo and rim; -1: err says why it cannot be had. */
static int array_put(const struct rim *r, const struct object *o, struct buf *out, struct err *err)
{
	const struct array_desc *a = &o->desc;
	struct boxes halo = { .o = o }, rim = { .o = o };
	struct boxes put = { .o = o, .m = r->m, .out = out, .err = err };

	each_halo(a, &halo);
	each_rim(a, r->width, &rim);
	if (halo.bytes > r->budget || rim.bytes > r->budget - halo.bytes)
		return err_set(err, "its halo and send halo are more than %u MiB", FETCH_MAX >> 20);
	buf_put_u8(out, 1);
	array_desc_put_local(a, out);
	buf_put_u32(out, halo.n);
	if (each_halo(a, &put))
		return -1;
	buf_put_u32(out, rim.n);
	return each_rim(a, r->width, &put);
}

static bool has_lists(const struct array_desc *a)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (a->list[d])
			return true;
	return false;
}

static bool has_halo(const struct array_desc *a)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (a->halo_lo[d] || a->halo_hi[d])
			return true;
	return false;
}

static void refuse(const struct object *o, const char *why, struct buf *out)
{
	array_desc_put_global(&o->desc, out);
	buf_put_u8(out, 0);
	buf_put_str(out, why);
}

static int on_object(void *arg, const struct object *o)
{
	struct rim *r = arg;
	struct buf b = BUF_INIT;
	struct err err = { "" };

	if (o->desc.kind != ARRAY_DISTRIBUTED || !o->desc.ndim)
		return 0;
	if (has_lists(&o->desc)) {
		if (!has_halo(&o->desc))
			return 0;
		refuse(o, RIM_LISTS, r->out);
	} else if (array_put(r, o, &b, &err) || b.bad) {
		refuse(o, b.bad ? "out of memory" : err.text, r->out);
	} else {
		array_desc_put_global(&o->desc, r->out);
		buf_put_raw(r->out, b.data, b.len);
		r->budget -= b.len < r->budget ? b.len : r->budget;
	}
	r->n++;
	buf_clear(&b);
	return 0;
}

void rim_answer(struct page_read *r, struct memory *m, const char *name, uint32_t width,
		struct buf *out)
{
	struct buf arrays = BUF_INIT;
	struct rim rim = { .m = m, .width = width, .out = &arrays, .budget = FETCH_MAX };

	if (object_each(r, name, on_object, &rim) || arrays.bad) {
		fetch_refuse(out, "out of memory");
	} else {
		buf_put_u8(out, 1);
		buf_put_u32(out, rim.n);
		buf_put_raw(out, arrays.data, arrays.len);
	}
	buf_clear(&arrays);
}
