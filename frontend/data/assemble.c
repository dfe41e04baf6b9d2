/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/assemble.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "frontend/data/fetch.h"
#include "frontend/output/output.h"
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
	const struct differ *answers;
	uint64_t clashes;
	struct rankset givers;
	struct err *err;
};

struct piece {
	uint32_t n[ARRAY_DIMS];
	const unsigned char *at[ARRAY_DIMS]; /* u32 little-endian each */
	const unsigned char *bytes;
	uint64_t total;
};

static uint32_t load_u32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Reads a piece behind its kind byte and checks it against the section. */
static int piece_get(struct piece *p, const struct fetched *f, struct buf *b)
{
	uint64_t bytes;

	p->total = 1;
	if (buf_get_u8(b) != f->q.type || buf_get_u32(b) != f->section.ndim || b->bad)
		return -1;
	for (unsigned d = 0; d < f->section.ndim; d++) {
		p->n[d] = buf_get_u32(b);
		if (p->n[d] > section_count(&f->section, d))
			return -1;
		p->at[d] = buf_get_raw(b, 4 * (size_t)p->n[d]);
		if (b->bad)
			return -1;
		for (uint32_t i = 0; i < p->n[d]; i++)
			if (load_u32(p->at[d] + 4 * i) >= section_count(&f->section, d))
				return -1;
		p->total *= p->n[d];
	}
	bytes = p->total * f->q.elem_size;
	if (buf_left(b) != bytes)
		return -1;
	p->bytes = buf_get_raw(b, (size_t)bytes);
	return b->bad ? -1 : 0;
}

/* "owners [0] and [1] disagree about u[5][7]" */
static void clash(struct block *blk, const struct piece *p, const uint32_t *i, uint32_t owner,
		  size_t group)
{
	const struct fetched *f = blk->f;
	char a[64], c[64], where[160] = "", text[400];
	size_t used = 0;

	if (blk->clashes++ >= CLASHES)
		return;
	for (unsigned d = 0; d < f->section.ndim && used < sizeof(where); d++)
		used += (size_t)snprintf(
			where + used, sizeof(where) - used, "[%" PRId64 "]",
			section_index(&f->section, d, load_u32(p->at[d] + 4 * (size_t)i[d])));
	snprintf(text, sizeof(text), "%s%s is owned by %s and by %s, with different values",
		 f->desc.name, where,
		 rankset_format(&blk->answers->group[owner - 1].ranks, a, sizeof(a)),
		 rankset_format(&blk->answers->group[group].ranks, c, sizeof(c)));
	json_array_append_new(f->notes, out_json_text(text));
}

static void put_element(struct block *blk, const struct piece *p, const uint32_t *i,
			const unsigned char *from, size_t group)
{
	const struct fetched *f = blk->f;
	uint64_t to = 0;

	for (unsigned d = 0; d < f->section.ndim; d++)
		to = to * section_count(&f->section, d) + load_u32(p->at[d] + 4 * (size_t)i[d]);
	if (!blk->owner[to]) {
		blk->owner[to] = (uint32_t)group + 1;
		memcpy(blk->bytes + to * f->q.elem_size, from, f->q.elem_size);
	} else if (memcmp(blk->bytes + to * f->q.elem_size, from, f->q.elem_size)) {
		clash(blk, p, i, blk->owner[to], group);
	}
}

static void put_piece(struct block *blk, const struct piece *p, size_t group)
{
	unsigned ndim = blk->f->section.ndim;
	uint32_t i[ARRAY_DIMS] = { 0 };

	for (uint64_t k = 0; k < p->total; k++) {
		put_element(blk, p, i, p->bytes + k * blk->f->q.elem_size, group);
		for (unsigned d = ndim; d-- && ++i[d] == p->n[d];)
			i[d] = 0;
	}
}

/* The whole answer of one group. 0, 1 when it is no value, -1 and err. */
static int take(struct block *blk, size_t group)
{
	const struct differ_group *g = &blk->answers->group[group];
	struct buf b = buf_view(g->blob, g->len);
	struct quantity *q = &blk->f->q;
	uint64_t total = quantity_total(q);
	struct piece p;
	size_t left;

	switch (buf_get_u8(&b)) {
	case ANSWER_VALUE:
		if (buf_get_u8(&b) != q->type || buf_get_u64(&b) != total || b.bad)
			break;
		left = buf_left(&b);
		if (left != total * q->elem_size)
			break;
		if (quantity_add(q, &g->ranks, buf_get_raw(&b, left)))
			return xalloc_refused(left, ADVICE, blk->err);
		return 0;
	case ANSWER_PIECE:
		if (piece_get(&p, blk->f, &b))
			break;
		put_piece(blk, &p, group);
		xrankset_add_set(&blk->givers, &g->ranks);
		return 0;
	case ANSWER_ERROR:
		fetch_note(blk->f->notes, &g->ranks, buf_get_str(&b));
		return 1;
	}
	fetch_note(blk->f->notes, &g->ranks, "sent an answer that does not fit the object");
	return 1;
}

/* What is missing of the block. */
static int finish_block(struct block *blk, const struct rankset *who)
{
	struct fetched *f = blk->f;
	uint64_t total = quantity_total(&f->q);
	char text[200], set[64];

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
		snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64 " elements: no owner in %s",
			 f->nmissing, total, rankset_format(who, set, sizeof(set)));
		json_array_append_new(f->notes, json_string(text));
	}
	if (quantity_add(&f->q, &blk->givers, blk->bytes))
		return xalloc_refused(total * f->q.elem_size, ADVICE, blk->err);
	return 0;
}

int assemble(struct fetched *f, const struct differ *answers, const struct rankset *who,
	     struct err *err)
{
	struct block blk = { .f = f, .answers = answers, .err = err };
	uint64_t total = quantity_total(&f->q);
	int rc = 0;

	blk.bytes = calloc(total ? total : 1, f->q.elem_size);
	blk.owner = calloc(total ? total : 1, sizeof(*blk.owner));
	if (!blk.bytes || !blk.owner)
		rc = xalloc_refused(total * (f->q.elem_size + sizeof(*blk.owner)), ADVICE, err);
	for (size_t i = 0; rc >= 0 && i < answers->n; i++)
		rc = take(&blk, i);
	if (rc > 0)
		rc = 0;
	if (!rc && blk.givers.n)
		rc = finish_block(&blk, who);
	if (!rc && !f->q.n)
		rc = err_set(err, "%s: %s", f->desc.name,
			     json_array_size(f->notes)
				     ? json_string_value(json_array_get(f->notes, 0))
				     : "no rank has answered");
	if (!rc && quantity_collapse(&f->q))
		rc = xalloc_refused(total * f->q.elem_size, ADVICE, err);
	rankset_clear(&blk.givers);
	free(blk.bytes);
	free(blk.owner);
	return rc;
}
