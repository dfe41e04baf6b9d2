/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/answer.h"

#include "common/array/value.h"

int answer_head_code(struct codec *c, struct answer_head *a)
{
	codec_u8(c, &a->kind);
	if (a->kind == ANSWER_ERROR)
		codec_text(c, &a->why);
	return codec_end(c);
}

static bool follow_one_another(const struct layout *p, unsigned d)
{
	uint64_t first = p->count[d] > 0 ? layout_at(p, d, 0) : 0;

	for (int64_t i = 1; p->list[d] && i < p->count[d]; i++)
		if (layout_at(p, d, i) != first + (uint64_t)i)
			return false;
	return p->count[d] > 0;
}

/* One dimension of a piece: positions in the section, as a run where they follow one another. */
static void positions_code(struct codec *c, struct layout *p, unsigned d)
{
	uint32_t n = (uint32_t)p->count[d], first;
	bool run = !c->get && follow_one_another(p, d);

	codec_flag(c, &run);
	if (run) {
		first = c->get ? 0 : (uint32_t)layout_at(p, d, 0);
		codec_u32(c, &n);
		codec_u32(c, &first);
		if (c->get) {
			p->first[d] = first;
			p->count[d] = n;
		}
		return;
	}
	if (c->get) {
		n = codec_take_count(c, UINT32_MAX, 4);
		p->room[d] = codec_room(c, n, sizeof(*p->room[d]));
		p->list[d] = p->room[d];
		p->count[d] = p->room[d] ? n : 0;
	} else {
		codec_u32(c, &n);
	}
	for (int64_t i = 0; i < p->count[d]; i++) {
		uint32_t at = c->get ? 0 : (uint32_t)layout_at(p, d, i);

		codec_u32(c, &at);
		if (c->get)
			p->room[d][i] = at;
	}
}

int answer_fetch_code(struct codec *c, struct answer_fetch *a)
{
	struct layout *p = &a->piece;
	uint64_t total = 1;

	answer_head_code(c, &a->head);
	if (a->head.kind == ANSWER_ERROR)
		return codec_end(c);
	codec_check(c, a->head.kind <= ANSWER_PIECE);
	codec_u8(c, &a->type);
	if (a->head.kind == ANSWER_VALUE) {
		codec_u64(c, &a->count);
		return codec_end(c);
	}
	codec_u32_below(c, &p->ndim, ARRAY_DIMS + 1);
	for (unsigned d = 0; d < p->ndim && codec_good(c); d++) {
		positions_code(c, p, d);
		codec_check(c, !__builtin_mul_overflow(total, (uint64_t)p->count[d], &total));
	}
	return codec_end(c);
}

int answer_assign_code(struct codec *c, struct answer_assign *a)
{
	answer_head_code(c, &a->head);
	codec_check(c, a->head.kind <= ANSWER_DONE);
	if (a->head.kind == ANSWER_DONE)
		codec_u64(c, &a->elements);
	return codec_end(c);
}

int answer_address_code(struct codec *c, struct answer_address *a)
{
	answer_head_code(c, &a->head);
	codec_check(c, a->head.kind <= ANSWER_DONE);
	if (a->head.kind != ANSWER_DONE)
		return codec_end(c);
	codec_u64(c, &a->stored);
	codec_u64(c, &a->own);
	codec_check(c, a->own <= a->stored);
	codec_flag(c, &a->copy);
	codec_u64(c, &a->addr);
	codec_u8(c, &a->ndim);
	codec_check(c, a->ndim <= ARRAY_DIMS);
	for (unsigned d = 0; codec_good(c) && d < a->ndim; d++)
		codec_i64(c, &a->index[d]);
	return codec_end(c);
}

int answer_points_code(struct codec *c, struct answer_points *a)
{
	codec_u32(c, &a->n);
	return codec_end(c);
}

int answer_hash_code(struct codec *c, struct answer_hash *a)
{
	codec_flag(c, &a->known);
	codec_u64(c, &a->hash);
	codec_u8(c, &a->kind);
	place_code(c, &a->place);
	return codec_end(c);
}

int answer_process_code(struct codec *c, struct answer_process *a)
{
	codec_u32(c, &a->pid);
	codec_text(c, &a->host);
	return codec_end(c);
}

int native_call_code(struct codec *c, struct native_call *f)
{
	codec_flag(c, &f->library);
	codec_text(c, &f->module);
	codec_u64(c, &f->vaddr);
	return codec_end(c);
}

int answer_native_code(struct codec *c, struct answer_native *a)
{
	answer_head_code(c, &a->head);
	codec_check(c, a->head.kind <= ANSWER_DONE);
	codec_below(c, &a->state, NATIVE_STATES);
	codec_u32_below(c, &a->n, NATIVE_CALLS + 1);
	codec_u32(c, &a->lost);
	for (uint32_t i = 0; i < a->n && codec_good(c); i++)
		native_call_code(c, &a->call[i]);
	codec_text(c, &a->near);
	codec_text(c, &a->cause);
	codec_text(c, &a->message);
	codec_flag(c, &a->placed);
	report_stack_code(c, &a->stack);
	if (c->get && !codec_good(c))
		a->n = 0;
	return codec_end(c);
}

int answer_locals_code(struct codec *c, struct answer_locals *a)
{
	answer_head_code(c, &a->head);
	codec_check(c, a->head.kind <= ANSWER_DONE);
	if (a->head.kind == ANSWER_DONE)
		codec_u32(c, &a->n);
	return codec_end(c);
}

int answer_call_code(struct codec *c, struct answer_call *a)
{
	codec_text(c, &a->func);
	codec_text(c, &a->lack);
	codec_u32(c, &a->n);
	return codec_end(c);
}

int answer_variable_code(struct codec *c, struct answer_variable *a)
{
	codec_flag(c, &a->argument);
	codec_below(c, &a->number, VALUE_TYPES + 1);
	if (a->number < VALUE_TYPES)
		codec_bytes(c, a->bytes, value_size(a->number));
	codec_text(c, &a->name);
	codec_text(c, &a->type);
	codec_text(c, &a->value);
	return codec_end(c);
}

int answer_called_code(struct codec *c, struct answer_called *a)
{
	answer_head_code(c, &a->head);
	if (a->head.kind == ANSWER_ERROR)
		return codec_end(c);
	codec_below(c, &a->how, CALLED_HOWS);
	codec_u32(c, &a->code);
	codec_flag(c, &a->null);
	codec_flag(c, &a->overflow);
	codec_text(c, &a->module);
	codec_u64(c, &a->vaddr);
	codec_text(c, &a->mpi);
	codec_below(c, &a->number, VALUE_TYPES + 1);
	if (a->number < VALUE_TYPES)
		codec_bytes(c, a->bytes, value_size(a->number));
	codec_text(c, &a->type);
	codec_text(c, &a->value);
	return codec_end(c);
}

int answer_elements_code(struct codec *c, struct answer_elements *a)
{
	codec_u8(c, &a->type);
	codec_check(c, a->type < VALUE_TYPES || a->type == VALUE_STRUCT);
	if (a->type == VALUE_STRUCT) {
		codec_u32(c, &a->elem_size);
		array_fields_code(c, &a->field, &a->nfield, a->elem_size);
	}
	codec_u8(c, &a->order);
	codec_below(c, &a->ndim, ARRAY_DIMS + 1);
	for (unsigned d = 0; d < a->ndim && d < ARRAY_DIMS; d++) {
		codec_u64(c, &a->count[d]);
		codec_i64(c, &a->first[d]);
		codec_i64(c, &a->step[d]);
	}
	codec_blob(c, &a->bytes, &a->n);
	return codec_end(c);
}

int answer_halo_code(struct codec *c, struct answer_halo *a)
{
	answer_head_code(c, &a->head);
	codec_check(c, a->head.kind <= ANSWER_DONE);
	if (a->head.kind == ANSWER_DONE)
		codec_u32(c, &a->n);
	return codec_end(c);
}

/* In the array, or in what is round its end when it is periodic. */
static bool inside(const struct array_desc *a, unsigned d, int64_t lo, int64_t hi)
{
	__int128 low = a->lower[d], beyond = a->periodic >> d & 1 ? a->extent[d] : 0;

	return lo >= low - beyond && hi < low + a->extent[d] + beyond;
}

/* The own part is in the array, or is nothing. */
static bool own_fits(const struct array_desc *a)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (a->list[d] ||
		    (a->own_lo[d] <= a->own_hi[d] && !inside(a, d, a->own_lo[d], a->own_hi[d])))
			return false;
	return true;
}

int answer_array_code(struct codec *c, struct answer_array *a)
{
	array_global_code(c, &a->desc);
	answer_head_code(c, &a->head);
	if (a->head.kind == ANSWER_ERROR)
		return codec_end(c);
	codec_check(c, a->head.kind == ANSWER_DONE && a->desc.ndim);
	array_local_code(c, &a->desc);
	codec_check(c, own_fits(&a->desc));
	return codec_end(c);
}

/* A box is at least its bounds: the count cannot outgrow the message. */
int answer_boxes_code(struct codec *c, uint32_t *n)
{
	if (c->get)
		*n = codec_take_count(c, UINT32_MAX, 16);
	else
		codec_u32(c, n);
	return codec_end(c);
}

uint64_t halo_box_volume(const struct halo_box *x, unsigned ndim)
{
	uint64_t n = 1;
	bool over = false;

	for (unsigned d = 0; d < ndim; d++)
		over |= __builtin_mul_overflow(n, (uint64_t)x->hi[d] - (uint64_t)x->lo[d] + 1, &n);
	return over ? UINT64_MAX : n;
}

int halo_box_code(struct codec *c, struct halo_box *x, const struct array_desc *a)
{
	uint64_t n;

	for (unsigned d = 0; d < a->ndim; d++) {
		codec_i64(c, &x->lo[d]);
		codec_i64(c, &x->hi[d]);
		codec_check(c, x->hi[d] >= x->lo[d] && inside(a, d, x->lo[d], x->hi[d]));
	}
	if (!codec_good(c))
		return -1;
	n = halo_box_volume(x, a->ndim);
	codec_check(c, n <= buf_left(c->b) / a->elem_size);
	if (!c->get)
		buf_put_raw(c->b, x->bytes, n * a->elem_size);
	else if (codec_good(c))
		x->bytes = buf_get_raw(c->b, n * a->elem_size);
	return codec_end(c);
}
