/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/report.h"

#include <string.h>

#include "common/logical/construct.h"

int place_code(struct codec *c, struct place *p)
{
	codec_text(c, &p->file);
	codec_text(c, &p->func);
	codec_u32(c, &p->line);
	codec_text(c, &p->module);
	codec_u64(c, &p->vaddr);
	return codec_end(c);
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

/* What of a frame stands behind its kind. */
static void frame_rest_code(struct codec *c, struct report_frame *f)
{
	codec_below(c, &f->nidx, ARRAY_DIMS + 1);
	codec_i64s(c, f->idx, f->nidx);
	codec_flag(c, &f->ending);
	point_code(c, &f->point);
	place_code(c, &f->place);
}

int report_frame_code(struct codec *c, struct report_frame *f)
{
	codec_below(c, &f->kind, CONSTRUCT_KINDS);
	frame_rest_code(c, f);
	return codec_end(c);
}

/* There may be none: then its kind, CONSTRUCT_KINDS, is all that travels. */
static void innermost_code(struct codec *c, struct report_frame *f)
{
	if (c->get)
		f->place = (struct place){ .file = "", .func = "", .module = "" };
	codec_below(c, &f->kind, CONSTRUCT_KINDS + 1);
	if (f->kind < CONSTRUCT_KINDS)
		frame_rest_code(c, f);
}

int report_stack_code(struct codec *c, struct report_stack *s)
{
	codec_u32_below(c, &s->n, REPORT_FRAMES + 1);
	codec_u32(c, &s->lost);
	for (uint32_t i = 0; i < s->n && codec_good(c); i++)
		report_frame_code(c, &s->frame[i]);
	if (c->get && !codec_good(c))
		s->n = 0;
	return codec_end(c);
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

int report_stop_code(struct codec *c, struct report_stop *r)
{
	codec_below(c, &r->reason, STOP_REASONS);
	codec_flag(c, &r->done);
	codec_below(c, &r->nact, REPORT_ACTS + 1);
	codec_u64(c, &r->changed);
	for (unsigned i = 0; i < r->nact; i++) {
		codec_u32(c, &r->act[i]);
		codec_check(c, !i || r->act[i] > r->act[i - 1]);
	}
	codec_u32(c, &r->code);
	codec_u64(c, &r->fault);
	codec_u32(c, &r->hash_n);
	codec_u64(c, &r->hash);
	point_code(c, &r->point);
	innermost_code(c, &r->frame);
	if (r->reason == STOP_WRITE)
		place_code(c, &r->place);
	return codec_end(c);
}

int report_started_code(struct codec *c, struct report_started *r)
{
	codec_u8(c, &r->annotated);
	codec_u8(c, &r->mpi_abi);
	return codec_end(c);
}

int report_exit_code(struct codec *c, struct report_exit *r)
{
	codec_below(c, &r->how, EXIT_UNKNOWN + 1);
	codec_u32(c, &r->code);
	codec_flag(c, &r->core);
	codec_below(c, &r->mpi, MPI_STATE_DOWN + 1);
	codec_flag(c, &r->had_runtime);
	codec_flag(c, &r->released);
	codec_flag(c, &r->no_memory);
	codec_u32(c, &r->abort_code);
	codec_flag(c, &r->aborted);
	codec_u32(c, &r->hash_n);
	codec_u64(c, &r->hash);
	point_code(c, &r->point);
	report_stack_code(c, &r->stack);
	return codec_end(c);
}

int report_status_code(struct codec *c, struct report_status *r)
{
	codec_below(c, &r->state, RANK_STATES);
	codec_below(c, &r->mpi, MPI_STATE_DOWN + 1);
	codec_flag(c, &r->annotated);
	codec_below(c, &r->reason, STOP_REASONS);
	codec_u32(c, &r->gen);
	codec_u32(c, &r->seconds);
	point_code(c, &r->point);
	innermost_code(c, &r->frame);
	return codec_end(c);
}

int report_point_code(struct codec *c, struct report_point *r)
{
	point_code(c, &r->point);
	codec_below(c, &r->kind, CONSTRUCT_KINDS);
	place_code(c, &r->place);
	codec_u64(c, &r->usec);
	return codec_end(c);
}

int report_trace_code(struct codec *c, struct report_trace *r)
{
	codec_below(c, &r->state, REPORT_TRACE_FAILED + 1);
	codec_flag(c, &r->complete);
	codec_u64(c, &r->blocks);
	codec_u64(c, &r->records);
	codec_u64(c, &r->bytes);
	codec_u64(c, &r->compared);
	codec_u64(c, &r->equal);
	codec_u64(c, &r->close);
	codec_u64(c, &r->unknown);
	codec_u64(c, &r->lost);
	codec_u64(c, &r->iterations);
	codec_u64(c, &r->constructs);
	codec_u64(c, &r->values);
	codec_u64(c, &r->reductions);
	codec_u64(c, &r->controlled);
	codec_u64(c, &r->units);
	for (unsigned i = 0; i < REPORT_UNCONTROLLED; i++)
		codec_u64(c, &r->uncontrolled[i]);
	codec_u64(c, &r->threaded);
	codec_u64(c, &r->regions);
	codec_u64(c, &r->tasks);
	for (unsigned i = 0; i < REPORT_UNTHREADED; i++)
		codec_u64(c, &r->unthreaded[i]);
	codec_flag(c, &r->beyond);
	point_code(c, &r->last);
	point_code(c, &r->end);
	codec_text(c, &r->why);
	return codec_end(c);
}

int report_output_code(struct codec *c, struct report_output *r)
{
	codec_u32(c, &r->number);
	codec_below(c, &r->stream, 3);
	codec_check(c, r->stream);
	codec_blob(c, &r->text, &r->n);
	return codec_end(c);
}
