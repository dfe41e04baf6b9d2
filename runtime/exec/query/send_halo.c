/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/query/query.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "runtime/exec/page/page.h"

#define RIM_LISTS "its parts are index lists, not boxes"

struct send_halo {
	struct memory *m;
	uint32_t width, shift;
	struct buf *out;
	uint32_t n;    /* arrays in out */
	size_t budget; /* bytes of elements that may still be put in */
};

/* What is being done with the boxes of an array; the bytes come from memory when there is a buf. */
struct boxes {
	const struct object *o;
	struct layout own, held; /* without and with the halo that is inside the array */
	struct memory *m;
	struct buf *out; /* NULL: they are only counted */
	uint32_t n;
	uint64_t bytes;
	struct err *err;
};

static int64_t last(const struct layout *l, unsigned d)
{
	return l->first[d] + l->count[d] - 1;
}

static bool halo_below(const struct boxes *x, unsigned d)
{
	return x->held.first[d] < x->own.first[d];
}

static bool halo_above(const struct boxes *x, unsigned d)
{
	return last(&x->held, d) > last(&x->own, d);
}

static int box_put(struct boxes *x, const struct layout *box)
{
	struct halo_box put;
	unsigned char *data;
	uint64_t bytes;
	int rc = -1;

	if (__builtin_mul_overflow(layout_total(box), (uint64_t)box->size, &bytes))
		bytes = UINT64_MAX;
	x->n++;
	if (!x->out) {
		if (__builtin_add_overflow(x->bytes, bytes, &x->bytes))
			x->bytes = UINT64_MAX;
		return 0;
	}
	for (unsigned d = 0; d < box->ndim; d++) {
		put.lo[d] = box->first[d];
		put.hi[d] = last(box, d);
	}
	put.bytes = data = malloc(bytes);
	if (!data)
		err_set(x->err, "out of memory");
	else if (fetch_part(x->o, box, x->m, data, x->err) == 0)
		rc = 0;
	if (!rc)
		halo_box_code(CODEC_PUT(x->out), &put, &x->o->desc);
	free(data);
	return rc;
}

/* The box on that side of the own part; false when there is none. */
static bool side_box(const struct boxes *x, const int8_t *side, struct layout *box)
{
	*box = x->held;
	for (unsigned d = 0; d < box->ndim; d++) {
		int64_t lo = x->own.first[d], hi = last(&x->own, d);

		if (side[d] < 0)
			layout_within(box, d, x->held.first[d], lo - 1);
		else if (side[d] > 0)
			layout_within(box, d, hi + 1, last(&x->held, d));
		else
			layout_within(box, d, lo, hi);
	}
	return layout_total(box) != 0;
}

/* The next combination of sides that can hold something; false behind the last. */
static bool side_next(const struct boxes *x, int8_t *side)
{
	for (unsigned d = x->own.ndim; d-- > 0;) {
		while (++side[d] < 2)
			if (side[d] == 0 || halo_above(x, d))
				return true;
		side[d] = halo_below(x, d) ? -1 : 0;
	}
	return false;
}

/* One box per side, edge and corner. */
static int each_halo(struct boxes *x)
{
	static const int8_t none[ARRAY_DIMS];
	int8_t side[ARRAY_DIMS];
	struct layout box;

	if (!layout_total(&x->own))
		return 0;
	for (unsigned d = 0; d < x->own.ndim; d++)
		side[d] = halo_below(x, d) ? -1 : 0;
	do {
		if (memcmp(side, none, x->own.ndim) && side_box(x, side, &box) && box_put(x, &box))
			return -1;
	} while (side_next(x, side));
	return 0;
}

/* Takes the first n indices of dimension d, or from the end, out of rest; false: rest is empty. */
static bool cut(struct layout *rest, unsigned d, int64_t n, bool end, struct layout *slab)
{
	int64_t left = rest->count[d] - n;

	*slab = *rest;
	if (left <= 0)
		return false;
	layout_numbers(slab, d, end ? left : 0, n);
	layout_numbers(rest, d, end ? 0 : n, left);
	return true;
}

/*
 * Own elements that are near a face behind which other ranks are: slabs that do not overlap. A halo
 * above there needs what is at our lower face.
 */
static int each_send_halo(uint32_t width, struct boxes *x)
{
	const struct array_desc *a = &x->o->desc;
	struct layout rest = x->own, slab;

	if (!layout_total(&x->own))
		return 0;
	for (unsigned i = 0; i < 2 * a->ndim; i++) {
		unsigned d = i / 2;
		bool end = i % 2;
		int64_t n = end ? a->halo_lo[d] : a->halo_hi[d];
		bool more;

		if (n < width)
			n = width;
		if (!n || (!(a->periodic >> d & 1) &&
			   (end ? a->own_hi[d] == a->lower[d] + a->extent[d] - 1
				: a->own_lo[d] == a->lower[d])))
			continue;
		more = cut(&rest, d, n, end, &slab);
		if (box_put(x, &slab))
			return -1;
		if (!more)
			break;
	}
	return 0;
}

/* Description, then halo and rim; -1: err says why it cannot be had. */
static int array_put(const struct send_halo *r, const struct object *o, struct buf *out,
		     struct err *err)
{
	const struct array_desc *a = &o->desc;
	struct boxes halo = { .o = o }, send_halo, put;

	layout_own(&halo.own, a, a->elem_size);
	layout_held(&halo.held, a, a->elem_size);
	send_halo = put = halo;
	put.m = r->m;
	put.out = out;
	put.err = err;
	each_halo(&halo);
	each_send_halo(r->width, &send_halo);
	if (halo.bytes > r->budget || send_halo.bytes > r->budget - halo.bytes)
		return err_set(err, "its halo and send halo are more than %u MiB", FETCH_MAX >> 20);
	answer_array_put(&(struct answer_array){ *a, { .kind = ANSWER_DONE } }, out);
	answer_boxes_code(CODEC_PUT(out), &halo.n);
	if (each_halo(&put))
		return -1;
	answer_boxes_code(CODEC_PUT(out), &send_halo.n);
	return each_send_halo(r->width, &put);
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
	answer_array_put(&(struct answer_array){ o->desc, { ANSWER_ERROR, why } }, out);
}

/*
 * The object as if it had been registered with the shift; false: it is registered like that, or has
 * no halo there.
 */
static bool shifted(struct object *to, const struct object *o, uint32_t shift)
{
	const struct array_desc *a = &o->desc;
	int64_t bytes = 0;

	*to = *o; /* borrowed */
	if (shift == HALO_AS_IS)
		return true;
	if (shift > HALO_AS_OWN + a->ndim || !o->before != (shift >= HALO_AS_OWN))
		return false;
	for (unsigned d = 0; d < a->ndim; d++)
		if (shift <= HALO_AS_OWN || shift == HALO_AS_OWN + 1 + d)
			bytes += a->halo_lo[d] * a->stride[d] * (int64_t)a->elem_size;
	to->before = shift == HALO_AS_STORED ? 0 : bytes;
	return to->before != o->before;
}

static int on_object(void *arg, const struct object *found)
{
	struct send_halo *r = arg;
	struct buf b = BUF_INIT;
	struct err err = { "" };
	struct object as;
	const struct object *o = &as;

	if (!shifted(&as, found, r->shift))
		return 0;
	if (o->desc.kind != ARRAY_DISTRIBUTED || !o->desc.ndim)
		return 0;
	if (has_lists(&o->desc)) {
		if (!has_halo(&o->desc))
			return 0;
		refuse(o, RIM_LISTS, r->out);
	} else if (array_put(r, o, &b, &err) || b.bad) {
		refuse(o, b.bad ? "out of memory" : err.text, r->out);
	} else {
		buf_put_raw(r->out, b.data, b.len);
		r->budget -= b.len < r->budget ? b.len : r->budget;
	}
	r->n++;
	buf_clear(&b);
	return 0;
}

void send_halo_answer(struct page_read *r, struct memory *m, const char *name, uint32_t width,
		      uint32_t shift, struct buf *out)
{
	struct buf arrays = BUF_INIT;
	struct send_halo send_halo = { .m = m,
				       .width = width,
				       .shift = shift,
				       .out = &arrays,
				       .budget = FETCH_MAX };

	if (object_each(r, name, on_object, &send_halo) || arrays.bad) {
		fetch_refuse(out, "out of memory");
	} else {
		answer_halo_put(&(struct answer_halo){ { .kind = ANSWER_DONE }, send_halo.n }, out);
		buf_put_raw(out, arrays.data, arrays.len);
	}
	buf_clear(&arrays);
}
