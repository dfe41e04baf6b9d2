/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks as lists of accesses, which can be gone through backwards.
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/logical/construct.h"
#include "common/traceslice/internal.h"

int slice_run_open(struct slice_run *r, struct trace_index *index, size_t *bytes)
{
	*r = (struct slice_run){ .index = index, .bytes = bytes };
	/* runs that were stopped have no end, but all that was done up to there */
	r->cut = !index->files || trace_reader_meta(index->file[0].map)->ranks != index->files;
	r->block = calloc(index->files ? index->files : 1, sizeof(*r->block));
	r->moves = calloc(index->files ? index->files : 1, sizeof(*r->moves));
	if (!r->block || !r->moves)
		return -1;
	for (uint32_t f = 0; f < index->files; f++) {
		r->block[f] = calloc(index->file[f].n ? index->file[f].n : 1, sizeof(**r->block));
		if (!r->block[f])
			return -1;
	}
	return 0;
}

static void block_free(struct slice_block *x)
{
	if (!x)
		return;
	trace_block_free(x->b);
	free(x->addr);
	free(x->access);
	free(x->scope);
	free(x);
}

void slice_run_close(struct slice_run *r)
{
	for (uint32_t f = 0; r->block && f < r->index->files; f++) {
		for (size_t i = 0; r->block[f] && i < r->index->file[f].n; i++)
			block_free(r->block[f][i]);
		free(r->block[f]);
	}
	for (uint32_t f = 0; r->moves && f < r->index->files; f++)
		trace_moves_clear(&r->moves[f]);
	free(r->moves);
	free(r->block);
	*r = (struct slice_run){ 0 };
}

/* The innermost parallel loop or task; NULL: none. */
static const struct trace_frame *parallel_frame(const struct trace_cursor *c)
{
	unsigned depth = c->depth < TRACE_FRAMES ? c->depth : TRACE_FRAMES;

	while (depth-- > 0)
		if (c->frame[depth].kind == CONSTRUCT_PL || c->frame[depth].kind == CONSTRUCT_TASK)
			return &c->frame[depth];
	return NULL;
}

static void begin_scope(struct slice_block *x, const struct trace_cursor *c,
			const struct trace_rec *r)
{
	const struct trace_frame *f = parallel_frame(c);
	struct slice_scope *s;

	/* counts are what the file says */
	if (x->nscope == x->scopes)
		return;
	s = &x->scope[x->nscope++];
	*s = (struct slice_scope){ .begun = r != NULL, .loop = f != NULL };
	if (!f)
		return;
	s->marked = f->kind == CONSTRUCT_TASK || f->nidx;
	s->nidx = f->nidx;
	memcpy(s->index, f->index, f->nidx * sizeof(*s->index));
}

/* A record that begins another scope; outside of parallel loops any construct does. */
static bool divides(const struct trace_cursor *c, const struct trace_rec *r)
{
	bool parallel = r->kind == CONSTRUCT_PL || r->kind == CONSTRUCT_TASK;

	if (r->op == TRACE_BEGIN || r->op == TRACE_END)
		return parallel || !parallel_frame(c);
	return r->op == TRACE_ITER && c->depth && c->depth <= TRACE_FRAMES &&
	       (c->frame[c->depth - 1].kind == CONSTRUCT_PL || !parallel_frame(c));
}

static void take(struct slice_block *x, const struct trace_rec *r, uint64_t rec)
{
	uint64_t base = r->object < x->b->nobject ? x->addr[r->object] : 0;

	if (x->n == x->accesses)
		return;
	x->scope[x->nscope - 1].point = r->point;
	x->access[x->n++] = (struct slice_access){ .addr = base + r->at,
						   .at = r->at,
						   .value = r->value[0],
						   .rec = (uint32_t)rec,
						   .scope = x->nscope - 1,
						   .site = r->site,
						   .object = r->object,
						   .size = r->size,
						   .write = r->op == TRACE_WRITE };
}

/* 0, -1: no memory, or something is lost; what is there holds. */
static int fill(struct slice_block *x)
{
	struct trace_cursor *c = trace_cursor_open(x->b);
	struct trace_rec *r = calloc(1, sizeof(*r));
	bool lost = false;
	int rc = -1;

	if (c && r) {
		begin_scope(x, c, NULL);
		while ((rc = trace_block_next(c, r)) == 1) {
			if (divides(c, r))
				begin_scope(x, c, r);
			lost |= r->op == TRACE_LOST;
			if (r->op == TRACE_READ || r->op == TRACE_WRITE)
				take(x, r, c->record - 1);
			else
				trace_move_take(x->b, r, x->addr);
		}
	}
	trace_cursor_free(c);
	free(r);
	return rc || lost ? -1 : 0;
}

static struct slice_block *load(struct slice_run *r, uint32_t file, size_t at)
{
	const struct trace_info *info = ref_info(r->index, file, at);
	uint64_t accesses = info->count[TRACE_READ] + info->count[TRACE_WRITE];
	uint64_t scopes =
		info->count[TRACE_BEGIN] + info->count[TRACE_END] + info->count[TRACE_ITER] + 1;
	uint64_t bytes =
		accesses * sizeof(struct slice_access) + scopes * sizeof(struct slice_scope);
	struct slice_block *x;

	if (*r->bytes + bytes > SLICE_BYTES)
		return NULL;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->accesses = accesses;
	x->scopes = scopes;
	x->b = trace_reader_block(r->index->file[file].map, at, NULL);
	x->access = malloc((accesses + 1) * sizeof(*x->access));
	x->scope = malloc(scopes * sizeof(*x->scope));
	x->addr = x->b ? malloc((x->b->nobject + 1) * sizeof(*x->addr)) : NULL;
	if (!x->b || !x->access || !x->scope || !x->addr) {
		block_free(x);
		return NULL;
	}
	for (uint32_t i = 0; i < x->b->nobject; i++)
		x->addr[i] = trace_moves_before(&r->moves[file], r->index, file, at,
						&x->b->object[i]);
	r->cut |= r->moves[file].cut;
	*r->bytes += bytes + trace_block_bytes(x->b);
	if (fill(x))
		r->cut = true;
	return x;
}

const struct slice_block *slice_run_block(struct slice_run *r, uint32_t file, size_t at)
{
	if (!r->block[file][at]) {
		r->block[file][at] = load(r, file, at);
		r->cut |= !r->block[file][at];
	}
	return r->block[file][at];
}

uint32_t slice_rank_of(const struct slice_at *a)
{
	return a->run->index->file[a->file].rank;
}
