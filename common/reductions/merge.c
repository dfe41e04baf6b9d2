/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of ranks: their bytes, and how they become one. */
#include "common/reductions/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"

#define SAME_BYTES 29	 /* of the form that reduction_is_same compares, behind the number */
#define ELEMENT_LEAST 60 /* bytes of an element at least */

static const char *const why_text[] = {
#define X(name, text) text,
	REDUCTION_WHY(X)
#undef X
};

const char *reduction_why_text(unsigned why)
{
	return why < REDUCTION_WHYS ? why_text[why] : "?";
}

const char *reduction_op_name(unsigned op)
{
	static const char *const name[] = {
		"?",   "SUM", "PROD", "MAX", "MIN",  "AND",    "OR",
		"XOR", "EQV", "BAND", "BOR", "BXOR", "MAXLOC", "MINLOC"
	};

	return op <= REDUCTION_OPS ? name[op] : "?";
}

void reduction_clear(struct reduction *r)
{
	free(r->name);
	free(r->mpi_op);
	free((char *)r->place.file);
	free((char *)r->place.func);
	free((char *)r->place.module);
	free(r->build_id);
	free(r->element);
	*r = (struct reduction){ 0 };
}

/* ---- the wire ---- */

static void folds_code(struct codec *c, uint64_t *fold)
{
	for (unsigned i = 0; i < REDUCTION_FOLDS; i++)
		codec_u64(c, &fold[i]);
}

static void element_code(struct codec *c, struct reduction_element *x)
{
	codec_u64(c, &x->init);
	codec_flag(c, &x->init_same);
	codec_u16(c, &x->based);
	codec_u16(c, &x->against);
	folds_code(c, x->init_fold);
	folds_code(c, x->fold);
	codec_varint(c, &x->count);
	codec_f64(c, &x->scale);
	codec_u64(c, &x->result);
	codec_u64(c, &x->other);
	codec_u32(c, &x->result_rank);
	codec_u32(c, &x->other_rank);
	codec_below(c, &x->nplace, REDUCTION_PLACES + 1);
	for (unsigned i = 0; i < x->nplace; i++)
		codec_u64(c, &x->place[i]);
	codec_u64(c, &x->result_place);
	codec_u64(c, &x->other_place);
}

static void place_copy_code(struct codec *c, struct place *p)
{
	codec_text_copy(c, (char **)&p->file);
	codec_text_copy(c, (char **)&p->func);
	codec_text_copy(c, (char **)&p->module);
	codec_u32(c, &p->line);
	codec_u64(c, &p->vaddr);
}

/* It begins with what reduction_is_same compares. */
static void head_code(struct codec *c, struct reduction *r)
{
	size_t n = r->nbuild_id;

	point_code(c, &r->point);
	codec_u32(c, &r->ordinal);
	codec_u64(c, &r->comm);
	codec_u32(c, &r->size);
	codec_u32(c, &r->ranks);
	codec_u32(c, &r->rank);
	codec_below(c, &r->op, REDUCTION_OPS + 1);
	codec_below(c, &r->type, VALUE_TYPES + 1);
	codec_check(c, value_size(r->type) <= 8);
	codec_flag(c, &r->integer);
	codec_below(c, &r->why, REDUCTION_WHYS);
	codec_check(c, r->op || r->why);
	codec_flag(c, &r->iterates);
	codec_flag(c, &r->sets);
	codec_below(c, &r->performed, REDUCTION_FOLDS + 1);
	codec_flag(c, &r->contradicted);
	codec_below(c, &r->nidx, ARRAY_DIMS + 1);
	codec_i64s(c, r->index, r->nidx);
	codec_u64(c, &r->from);
	codec_u64(c, &r->to);
	codec_text_copy(c, &r->name);
	codec_text_copy(c, &r->mpi_op);
	place_copy_code(c, &r->place);
	codec_blob_copy(c, &r->build_id, &n);
	r->nbuild_id = (uint32_t)n;
	codec_u8(c, &r->order);
	codec_i64(c, &r->lower);
	codec_below(c, &r->loop_kind, CONSTRUCT_KINDS);
	point_code(c, &r->loop);
}

int reduction_code(struct codec *c, struct reduction *r)
{
	head_code(c, r);
	codec_each(c, &r->element, &r->n, REDUCTION_ELEMENTS, ELEMENT_LEAST, element_code);
	codec_below(c, &r->nparts, REDUCTION_PARTS + 1);
	for (unsigned i = 0; i < r->nparts; i++) {
		codec_u32(c, &r->part[i].rank);
		codec_u64(c, &r->part[i].value);
	}
	return codec_end(c);
}

/* ---- merging ---- */

bool reduction_is_same(const struct reduction *a, const struct reduction *b)
{
	return point_sort(&a->point, &b->point) == 0 && a->ordinal == b->ordinal &&
	       a->comm == b->comm && a->size == b->size;
}

/* The result of the lowest rank that has one, and the first that differs from it. */
static void merge_results(struct reduction_element *a, const struct reduction_element *b)
{
	const struct reduction_element one = *a;
	const struct reduction_element *low = &one, *high = b;

	if (b->result_rank == TRACE_NO_RANK)
		return;
	if (one.result_rank == TRACE_NO_RANK || b->result_rank < one.result_rank) {
		low = b;
		high = &one;
	}
	a->result = low->result;
	a->result_place = low->result_place;
	a->result_rank = low->result_rank;
	a->other = low->other;
	a->other_place = low->other_place;
	a->other_rank = low->other_rank;
	if (high->result_rank == TRACE_NO_RANK)
		return;
	if (high->result != low->result || high->result_place != low->result_place) {
		if (high->result_rank < a->other_rank) {
			a->other = high->result;
			a->other_place = high->result_place;
			a->other_rank = high->result_rank;
		}
	} else if (high->other_rank < a->other_rank) {
		a->other = high->other;
		a->other_place = high->other_place;
		a->other_rank = high->other_rank;
	}
}

/* Where the extreme of both is. */
static void merge_places(struct reduction_element *a, const struct reduction_element *b,
			 enum cell_view view, unsigned op, uint64_t own, uint64_t others)
{
	bool ours = fold_apply(view, op, own, others) == own;
	bool theirs = fold_apply(view, op, others, own) == others;

	if (!ours) {
		a->nplace = 0;
	}
	for (unsigned i = 0; theirs && i < b->nplace; i++) {
		bool there = false;

		for (unsigned k = 0; k < a->nplace; k++)
			there |= a->place[k] == b->place[i];
		if (!there && a->nplace < REDUCTION_PLACES)
			a->place[a->nplace++] = b->place[i];
	}
}

static uint64_t extreme(const struct reduction_element *x, enum cell_view view, unsigned op)
{
	return fold_apply(view, op, x->init_fold[op - 1], x->fold[op - 1]);
}

static void merge_element(struct reduction *r, struct reduction_element *a,
			  const struct reduction_element *b, bool first_is_ours)
{
	enum cell_view view = r->integer ? CELL_INT : CELL_REAL;
	unsigned op = fold_of(r->op);

	if (op != r->op)
		merge_places(a, b, view, op, extreme(a, view, op), extreme(b, view, op));
	a->init_same = a->init_same && b->init_same && a->init == b->init;
	if (!first_is_ours)
		a->init = b->init;
	a->based |= b->based;
	a->against |= b->against;
	a->count += b->count;
	a->scale += b->scale;
	for (unsigned i = 0; i < REDUCTION_FOLDS; i++) {
		a->init_fold[i] = fold_apply(view, i + 1, a->init_fold[i], b->init_fold[i]);
		a->fold[i] = fold_apply(view, i + 1, a->fold[i], b->fold[i]);
	}
	merge_results(a, b);
}

static void merge_contradicted(struct reduction *a, const struct reduction *b)
{
	if (!b->contradicted || (a->contradicted && a->rank < b->rank))
		return;
	a->contradicted = true;
	a->nidx = b->nidx;
	memcpy(a->index, b->index, sizeof(a->index));
	a->from = b->from;
	a->to = b->to;
}

static void merge_parts(struct reduction *a, const struct reduction *b)
{
	if (!a->nparts || !b->nparts || a->nparts + b->nparts > REDUCTION_PARTS) {
		a->nparts = 0;
		return;
	}
	memcpy(&a->part[a->nparts], b->part, b->nparts * sizeof(b->part[0]));
	a->nparts = (uint8_t)(a->nparts + b->nparts);
}

int reduction_merge(struct reduction *a, const struct reduction *b)
{
	bool ours = a->rank < b->rank;

	if (b->why > a->why)
		a->why = b->why;
	if (a->n != b->n || a->op != b->op || a->type != b->type)
		a->why = a->why ? a->why : REDUCTION_WHY_TYPE;
	for (uint32_t i = 0; i < a->n && i < b->n; i++)
		merge_element(a, &a->element[i], &b->element[i], ours);
	merge_contradicted(a, b);
	merge_parts(a, b);
	a->iterates |= b->iterates;
	a->sets |= b->sets;
	if (!a->performed)
		a->performed = b->performed;
	if (!a->loop.main) {
		a->loop = b->loop;
		a->loop_kind = b->loop_kind;
	}
	a->ranks += b->ranks;
	a->rank = ours ? a->rank : b->rank;
	return 0;
}

int reduction_merge_bytes(struct buf *a, const void *b, size_t n)
{
	struct buf ours = buf_view(a->data, a->len), theirs = buf_view(b, n), made = BUF_INIT;
	uint32_t number = buf_get_u32(&ours);
	struct reduction x, y;
	int rc = 0;

	buf_get_u32(&theirs);
	if (n < 4 + SAME_BYTES || a->len < 4 + SAME_BYTES ||
	    memcmp(a->data + 4, (const unsigned char *)b + 4, SAME_BYTES))
		return 0;
	if (reduction_get(&x, &ours))
		return 0;
	if (reduction_get(&y, &theirs)) {
		reduction_clear(&x);
		return 0;
	}
	if (reduction_is_same(&x, &y)) {
		reduction_merge(&x, &y);
		buf_put_u32(&made, number);
		reduction_put(&x, &made);
		rc = made.bad ? -1 : 1;
	}
	if (rc > 0) {
		buf_clear(a);
		*a = made;
	} else {
		buf_clear(&made);
	}
	reduction_clear(&x);
	reduction_clear(&y);
	return rc;
}
