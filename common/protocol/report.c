/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/report.h"

#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"

/* Reads a byte that has to be below limit. */
static uint8_t get_below(struct buf *b, unsigned limit)
{
	uint8_t v = buf_get_u8(b);

	if (v >= limit)
		b->bad = true;
	return b->bad ? 0 : v;
}

static int get_done(const struct buf *b)
{
	return b->bad ? -1 : 0;
}

void place_put(const struct place *p, struct buf *b)
{
	buf_put_str(b, p->file);
	buf_put_str(b, p->func);
	buf_put_u32(b, p->line);
	buf_put_str(b, p->module);
	buf_put_u64(b, p->vaddr);
}

void place_get(struct place *p, struct buf *b)
{
	p->file = buf_get_str(b);
	p->func = buf_get_str(b);
	p->line = buf_get_u32(b);
	p->module = buf_get_str(b);
	p->vaddr = buf_get_u64(b);
}

/* NULL is written as "", so it equals it here. */
static bool text_equal(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

bool place_equal(const struct place *a, const struct place *b)
{
	return a->line == b->line && a->vaddr == b->vaddr && text_equal(a->file, b->file) &&
	       text_equal(a->func, b->func) && text_equal(a->module, b->module);
}

/* A frame of kind CONSTRUCT_KINDS is none, and its kind is all that travels. */
static void frame_put(const struct report_frame *f, struct buf *b)
{
	buf_put_u8(b, f->kind);
	if (f->kind >= CONSTRUCT_KINDS)
		return;
	buf_put_u8(b, f->nidx);
	for (unsigned i = 0; i < f->nidx; i++)
		buf_put_i64(b, f->idx[i]);
	buf_put_u8(b, f->ending);
	point_put(&f->point, b);
	place_put(&f->place, b);
}

/* limit: CONSTRUCT_KINDS where a frame has to be, one more where none is fine. */
static void frame_get(struct report_frame *f, struct buf *b, unsigned limit)
{
	*f = (struct report_frame){ .place = { .file = "", .func = "", .module = "" } };
	f->kind = get_below(b, limit);
	if (f->kind == CONSTRUCT_KINDS)
		return;
	f->nidx = get_below(b, ARRAY_DIMS + 1);
	for (unsigned i = 0; i < f->nidx; i++)
		f->idx[i] = buf_get_i64(b);
	f->ending = get_below(b, 2);
	point_get(&f->point, b);
	place_get(&f->place, b);
}

void report_frame_put(const struct report_frame *f, struct buf *b)
{
	frame_put(f, b);
}

void report_frame_get(struct report_frame *f, struct buf *b)
{
	frame_get(f, b, CONSTRUCT_KINDS);
}

void report_stack_put(const struct report_stack *s, struct buf *b)
{
	buf_put_u32(b, s->n);
	buf_put_u32(b, s->lost);
	for (uint32_t i = 0; i < s->n; i++)
		frame_put(&s->frame[i], b);
}

int report_stack_get(struct report_stack *s, struct buf *b)
{
	s->n = buf_get_u32(b);
	s->lost = buf_get_u32(b);
	if (s->n > REPORT_FRAMES)
		b->bad = true;
	for (uint32_t i = 0; i < s->n && !b->bad; i++)
		frame_get(&s->frame[i], b, CONSTRUCT_KINDS);
	if (b->bad)
		s->n = 0;
	return get_done(b);
}

const char *rank_state_words(unsigned state)
{
	static const char *const text[] = {
#define X(name, words) [RANK_##name] = words,
		RANK_STATE_LIST(X)
#undef X
	};

	return state < RANK_STATES ? text[state] : "?";
}

void report_stop_put(const struct report_stop *r, struct buf *b)
{
	buf_put_u8(b, r->reason);
	buf_put_u8(b, r->done);
	buf_put_u8(b, r->nact);
	buf_put_u8(b, r->changed);
	for (unsigned i = 0; i < r->nact; i++)
		buf_put_u32(b, r->act[i]);
	buf_put_u32(b, (uint32_t)r->code);
	buf_put_u64(b, r->fault);
	buf_put_u32(b, r->hash_n);
	buf_put_u64(b, r->hash);
	point_put(&r->point, b);
	frame_put(&r->frame, b);
}

int report_stop_get(struct report_stop *r, struct buf *b)
{
	*r = (struct report_stop){ 0 };
	r->reason = get_below(b, STOP_REASONS);
	r->done = get_below(b, 2);
	r->nact = get_below(b, REPORT_ACTS + 1);
	r->changed = buf_get_u8(b);
	for (unsigned i = 0; i < r->nact; i++) {
		r->act[i] = buf_get_u32(b);
		if (i && r->act[i] <= r->act[i - 1])
			b->bad = true;
	}
	r->code = (int32_t)buf_get_u32(b);
	r->fault = buf_get_u64(b);
	r->hash_n = buf_get_u32(b);
	r->hash = buf_get_u64(b);
	point_get(&r->point, b);
	frame_get(&r->frame, b, CONSTRUCT_KINDS + 1);
	return get_done(b);
}

void report_exit_put(const struct report_exit *r, struct buf *b)
{
	buf_put_u8(b, r->how);
	buf_put_u32(b, (uint32_t)r->code);
	buf_put_u8(b, r->core);
	buf_put_u8(b, r->mpi);
	buf_put_u8(b, r->had_runtime);
	buf_put_u8(b, r->released);
	buf_put_u32(b, (uint32_t)r->abort_code);
	buf_put_u8(b, r->aborted);
	buf_put_u32(b, r->hash_n);
	buf_put_u64(b, r->hash);
	point_put(&r->point, b);
	report_stack_put(&r->stack, b);
}

int report_exit_get(struct report_exit *r, struct buf *b)
{
	r->how = get_below(b, EXIT_NOEXEC + 1);
	r->code = (int32_t)buf_get_u32(b);
	r->core = get_below(b, 2);
	r->mpi = get_below(b, MPI_STATE_DOWN + 1);
	r->had_runtime = get_below(b, 2);
	r->released = get_below(b, 2);
	r->abort_code = (int32_t)buf_get_u32(b);
	r->aborted = get_below(b, 2);
	r->hash_n = buf_get_u32(b);
	r->hash = buf_get_u64(b);
	point_get(&r->point, b);
	report_stack_get(&r->stack, b);
	return get_done(b);
}

void report_status_put(const struct report_status *r, struct buf *b)
{
	buf_put_u8(b, r->state);
	buf_put_u8(b, r->mpi);
	buf_put_u8(b, r->annotated);
	buf_put_u8(b, r->reason);
	buf_put_u32(b, r->gen);
	buf_put_u32(b, r->seconds);
	point_put(&r->point, b);
	frame_put(&r->frame, b);
}

int report_status_get(struct report_status *r, struct buf *b)
{
	*r = (struct report_status){ 0 };
	r->state = get_below(b, RANK_STATES);
	r->mpi = get_below(b, MPI_STATE_DOWN + 1);
	r->annotated = get_below(b, 2);
	r->reason = get_below(b, STOP_REASONS);
	r->gen = buf_get_u32(b);
	r->seconds = buf_get_u32(b);
	point_get(&r->point, b);
	frame_get(&r->frame, b, CONSTRUCT_KINDS + 1);
	return get_done(b);
}

void report_point_put(const struct report_point *r, struct buf *b)
{
	point_put(&r->point, b);
	buf_put_u8(b, r->kind);
	place_put(&r->place, b);
	buf_put_u64(b, r->usec);
}

void report_point_get(struct report_point *r, struct buf *b)
{
	point_get(&r->point, b);
	r->kind = get_below(b, CONSTRUCT_KINDS);
	place_get(&r->place, b);
	r->usec = buf_get_u64(b);
}

void report_trace_put(const struct report_trace *r, struct buf *b)
{
	buf_put_u8(b, r->state);
	buf_put_u8(b, r->complete);
	buf_put_u64(b, r->blocks);
	buf_put_u64(b, r->records);
	buf_put_u64(b, r->bytes);
	buf_put_u64(b, r->compared);
	buf_put_u64(b, r->equal);
	buf_put_u64(b, r->close);
	buf_put_u64(b, r->unknown);
	buf_put_u64(b, r->iterations);
	buf_put_u64(b, r->constructs);
	buf_put_u64(b, r->values);
	buf_put_u64(b, r->reductions);
	buf_put_u8(b, r->beyond);
	point_put(&r->last, b);
	point_put(&r->end, b);
	buf_put_str(b, r->why);
}

int report_trace_get(struct report_trace *r, struct buf *b)
{
	r->state = buf_get_u8(b);
	r->complete = buf_get_u8(b);
	r->blocks = buf_get_u64(b);
	r->records = buf_get_u64(b);
	r->bytes = buf_get_u64(b);
	r->compared = buf_get_u64(b);
	r->equal = buf_get_u64(b);
	r->close = buf_get_u64(b);
	r->unknown = buf_get_u64(b);
	r->iterations = buf_get_u64(b);
	r->constructs = buf_get_u64(b);
	r->values = buf_get_u64(b);
	r->reductions = buf_get_u64(b);
	r->beyond = buf_get_u8(b);
	point_get(&r->last, b);
	point_get(&r->end, b);
	r->why = buf_get_str(b);
	if (r->state > REPORT_TRACE_FAILED || r->complete > 1 || r->beyond > 1)
		b->bad = true;
	return b->bad ? -1 : 0;
}
