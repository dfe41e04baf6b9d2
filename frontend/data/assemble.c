/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/assemble.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "frontend/data/fetch.h"
#include "frontend/output/output.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define ADVICE "choose a smaller section"
#define CLASHES 5 /* of owners that disagree, reported one by one */

void fetch_note(json_t *notes, const struct rankset *ranks, const char *what)
{
	char set[128], text[1400];

	snprintf(text, sizeof(text), "%s %s", rankset_format(ranks, set, sizeof(set)), what);
	json_array_append_new(notes, out_json_text(text));
}

/* The block that pieces are put into. */
struct block {
	struct fetched *f;
	unsigned char *bytes;
	uint32_t *owner; /* per element: 1 + the group that gave it; 0: none */
	const struct groups *answers;
	bool beyond; /* only elements outside of the array are taken */
	bool unread; /* ranks could not read theirs, which a note says */
	uint64_t clashes;
	struct rankset givers;
	struct err *err;
};

/* Checks a piece against the section, whose elements follow; false: it does not fit. */
static bool piece_get(struct layout *p, const struct fetched *f, struct buf *b)
{
	uint64_t stride = f->q.elem_size;

	if (p->ndim != f->section.ndim)
		return false;
	p->size = f->q.elem_size;
	for (unsigned d = 0; d < p->ndim; d++) {
		uint64_t most = section_count(&f->section, d);

		if ((uint64_t)p->count[d] > most)
			return false;
		for (int64_t i = p->list[d] ? 0 : p->count[d] - 1; i >= 0 && i < p->count[d]; i++)
			if (layout_at(p, d, i) >= most)
				return false;
	}
	for (unsigned d = p->ndim; d-- > 0; stride *= (uint64_t)p->count[d])
		p->stride[d] = (int64_t)stride;
	if (buf_left(b) != stride)
		return false;
	p->data = buf_get_raw(b, (size_t)stride);
	return !b->bad;
}

/* "owners [0] and [1] disagree about u[5][7]" */
static void clash(struct block *blk, uint64_t at, size_t group)
{
	const struct fetched *f = blk->f;
	char a[64], c[64], where[300], text[600];
	int64_t index[ARRAY_DIMS];
	uint32_t owner = blk->owner[at];

	if (blk->clashes++ >= CLASHES)
		return;
	for (unsigned d = f->section.ndim; d-- > 0; at /= section_count(&f->section, d))
		index[d] = section_index(&f->section, d, at % section_count(&f->section, d));
	names_element(f->desc.name, f->desc.order == 'F', f->section.ndim, index, where,
		      sizeof(where));
	snprintf(text, sizeof(text), "%s is %s by %s and by %s, with different values", where,
		 blk->beyond ? "stored" : "owned",
		 rankset_format(&blk->answers->group[owner - 1].ranks, a, sizeof(a)),
		 rankset_format(&blk->answers->group[group].ranks, c, sizeof(c)));
	json_array_append_new(f->notes, out_json_text(text));
}

/* Whether element `at` of the section is outside of the array. */
static bool is_beyond(const struct fetched *f, uint64_t at)
{
	bool any = false;

	for (unsigned d = f->section.ndim; d-- > 0; at /= section_count(&f->section, d)) {
		int64_t g = section_index(&f->section, d, at % section_count(&f->section, d));

		any |= g < f->desc.lower[d] || g - f->desc.lower[d] >= f->desc.extent[d];
	}
	return any;
}

static void put_element(struct block *blk, uint64_t to, const unsigned char *from, size_t group)
{
	uint32_t size = blk->f->q.elem_size;

	if (blk->beyond && !is_beyond(blk->f, to))
		return;
	if (!blk->owner[to]) {
		blk->owner[to] = (uint32_t)group + 1;
		memcpy(blk->bytes + to * size, from, size);
	} else if (memcmp(blk->bytes + to * size, from, size)) {
		clash(blk, to, group);
	}
}

/* Elements that follow one another and that nobody has given yet; false: they are not. */
static bool put_run(struct block *blk, const struct layout_run *r, const unsigned char *from,
		    size_t group)
{
	uint32_t size = blk->f->q.elem_size, given = 0, *owner = blk->owner + r->key;

	if (blk->beyond || r->step != 1 || r->stride != (int64_t)size)
		return false;
	for (uint64_t k = 0; k < r->n; k++)
		given |= owner[k];
	if (given)
		return false;
	for (uint64_t k = 0; k < r->n; k++)
		owner[k] = (uint32_t)group + 1;
	memcpy(blk->bytes + r->key * size, from + r->offset, r->n * size);
	return true;
}

static void put_piece(struct block *blk, const struct layout *p, size_t group)
{
	const unsigned char *from = p->data;
	uint64_t extent[ARRAY_DIMS];
	struct layout_walk w;
	struct layout_run r;

	for (unsigned d = 0; d < p->ndim; d++)
		extent[d] = section_count(&blk->f->section, d);
	layout_walk(&w, p, LAYOUT_C);
	layout_walk_dense(&w, extent);
	while (layout_next(&w, &r))
		if (!put_run(blk, &r, from, group))
			for (uint64_t k = 0; k < r.n; k++)
				put_element(blk, r.key + k * r.step,
					    from + r.offset + (int64_t)k * r.stride, group);
}

/* What is behind the head of an answer. 0, 1: it does not fit, -1 and err. */
static int take_values(struct block *blk, struct answer_fetch *a, struct buf *b, size_t group)
{
	const struct rankset *ranks = &blk->answers->group[group].ranks;
	struct values *q = &blk->f->q;
	uint64_t total = values_total(q);
	size_t left = buf_left(b);

	if (a->type != q->type)
		return 1;
	if (a->head.kind == ANSWER_PIECE) {
		if (!piece_get(&a->piece, blk->f, b))
			return 1;
		put_piece(blk, &a->piece, group);
		/* of one copy the others have nothing */
		if (!blk->f->desc.copies || layout_total(&a->piece))
			xrankset_add_set(&blk->givers, ranks);
		return 0;
	}
	if (a->count != total || left != total * q->elem_size)
		return 1;
	return values_add(q, ranks, buf_get_raw(b, left)) ? xalloc_refused(left, ADVICE, blk->err)
							  : 0;
}

/* The whole answer of one group. 0, 1 when it is no value, -1 and err. */
static int take(struct block *blk, size_t group)
{
	const struct rank_group *g = &blk->answers->group[group];
	struct buf b = buf_view(g->blob, g->len);
	struct codec c = { .b = &b, .get = true };
	struct answer_fetch a = { 0 };
	int rc = 1;

	if (!answer_fetch_code(&c, &a)) {
		if (a.head.kind == ANSWER_ERROR) {
			fetch_note(blk->f->notes, &g->ranks, a.head.why);
			blk->unread = true;
			return 1;
		}
		rc = take_values(blk, &a, &b, group);
	}
	layout_clear(&a.piece);
	if (c.no_memory)
		return xalloc_refused(g->len, ADVICE, blk->err);
	if (rc > 0)
		fetch_note(blk->f->notes, &g->ranks, "sent an answer that does not fit the object");
	return rc;
}

/* How many elements of the section the answer of a group has; UINT64_MAX: it is no piece. */
static uint64_t piece_total(const struct groups *answers, size_t group)
{
	struct buf b = buf_view(answers->group[group].blob, answers->group[group].len);
	struct answer_fetch a = { 0 };
	uint64_t n = UINT64_MAX;

	if (!answer_fetch_code(CODEC_GET(&b), &a) && a.head.kind == ANSWER_PIECE)
		n = layout_total(&a.piece);
	layout_clear(&a.piece);
	return n;
}

bool assemble_any(const struct groups *answers)
{
	for (size_t i = 0; i < answers->n; i++) {
		uint64_t n = piece_total(answers, i);

		if (n && n != UINT64_MAX)
			return true;
	}
	return false;
}

/* Whether nothing of the section is inside the array, and each rank has all of it or nothing. */
static bool is_by_rank(const struct fetched *f, const struct groups *stored)
{
	uint64_t total = section_total(&f->section), n;

	for (uint64_t i = 0; i < total; i++)
		if (!is_beyond(f, i))
			return false;
	for (size_t i = 0; i < stored->n; i++) {
		n = piece_total(stored, i);
		if (n && n != total && n != UINT64_MAX)
			return false;
	}
	return true;
}

/* Halo outside of the array: one value when all that store it agree, else by rank. */
static int take_stored(struct block *blk, const struct groups *stored, struct err *err)
{
	struct fetched *f = blk->f;
	uint64_t total = values_total(&f->q);
	bool by_rank = is_by_rank(f, stored);
	int rc = 0;

	blk->answers = stored;
	blk->beyond = true;
	for (size_t i = 0; rc >= 0 && i < stored->n; i++) {
		if (by_rank && piece_total(stored, i) != total)
			continue;
		rc = take(blk, i);
		if (rc || !by_rank)
			continue;
		rc = values_add(&f->q, &stored->group[i].ranks, blk->bytes)
			     ? xalloc_refused(total * f->q.elem_size, ADVICE, err)
			     : 0;
		memset(blk->owner, 0, total * sizeof(*blk->owner));
	}
	return rc;
}

/* What is missing of the block. */
static int finish_block(struct block *blk, const struct rankset *who)
{
	struct fetched *f = blk->f;
	uint64_t total = values_total(&f->q);
	char text[200], set[64];
	int rc;

	for (uint64_t i = 0; i < total; i++)
		f->nmissing += !blk->owner[i];
	if (blk->clashes > CLASHES) {
		snprintf(text, sizeof(text), "%" PRIu64 " more elements have owners that disagree",
			 blk->clashes - CLASHES);
		json_array_append_new(f->notes, json_string(text));
	}
	if (f->nmissing) {
		f->missing = calloc(1, total);
		if (!f->missing)
			return xalloc_refused(total, ADVICE, blk->err);
		for (uint64_t i = 0; i < total; i++)
			f->missing[i] = !blk->owner[i];
		snprintf(text, sizeof(text),
			 blk->unread ? "%" PRIu64 " of %" PRIu64 " elements: not read by %s"
			 : f->beyond ? "%" PRIu64 " of %" PRIu64 " elements: not stored by %s"
				     : "%" PRIu64 " of %" PRIu64 " elements: no owner in %s",
			 f->nmissing, total, rankset_format(who, set, sizeof(set)));
		if (!blk->unread || total > 1)
			json_array_append_new(f->notes, json_string(text));
	}
	rc = values_adopt(&f->q, &blk->givers, blk->bytes);
	blk->bytes = NULL;
	return rc ? xalloc_refused(total * f->q.elem_size, ADVICE, blk->err) : 0;
}

int assemble(struct fetched *f, const struct groups *answers, const struct groups *stored,
	     const struct rankset *who, struct err *err)
{
	struct block blk = { .f = f, .answers = answers, .err = err };
	uint64_t total = values_total(&f->q);
	int rc = 0;

	blk.bytes = calloc(total ? total : 1, f->q.elem_size);
	blk.owner = calloc(total ? total : 1, sizeof(*blk.owner));
	if (!blk.bytes || !blk.owner)
		rc = xalloc_refused(total * (f->q.elem_size + sizeof(*blk.owner)), ADVICE, err);
	for (size_t i = 0; rc >= 0 && i < answers->n; i++)
		rc = take(&blk, i);
	if (rc >= 0 && stored)
		rc = take_stored(&blk, stored, err);
	if (rc > 0)
		rc = 0;
	if (!rc && blk.givers.n && !f->q.n)
		rc = finish_block(&blk, who);
	if (!rc && !f->q.n)
		rc = err_set(err, "%s: %s", f->desc.name,
			     json_array_size(f->notes)
				     ? json_string_value(json_array_get(f->notes, 0))
				     : "no rank has answered");
	if (!rc && values_collapse(&f->q))
		rc = xalloc_refused(total * f->q.elem_size, ADVICE, err);
	rankset_clear(&blk.givers);
	free(blk.bytes);
	free(blk.owner);
	return rc;
}
