/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a thread is when it opens a block: the constructs that the owner has open, and, of a
 * parallel loop, the thread's own iteration.
 */
#include "runtime/record/record.h"

#include <string.h>

#define TRIES 1000 /* looks at something that keeps changing */

/* Frames of the page, which the owner may be changing. */
static uint32_t frames_read(struct trace_frame *to, struct point *point)
{
	const struct page *p = rt.page;
	uint64_t main_side = atomic_load_explicit(&p->point_main_side, memory_order_relaxed);
	uint64_t task_sub = atomic_load_explicit(&p->point_task_sub, memory_order_relaxed);
	uint32_t depth = gate.depth < p->depth ? gate.depth : p->depth, n = 0;

	*point = (struct point){ .main = (uint32_t)(main_side >> 1), .side = main_side & 1 };
	point->task = (uint32_t)(task_sub >> 32);
	point->sub = (uint32_t)task_sub;
	for (uint32_t i = 0; i < depth && i < PAGE_FRAMES; i++) {
		const struct page_frame *f = &p->frame[i];
		uint8_t nidx = f->nidx < ARRAY_DIMS ? f->nidx : ARRAY_DIMS;

		if (!gate.said[i])
			continue;
		to[n] = (struct trace_frame){ .kind = f->kind,
					      .nidx = nidx,
					      .level = gate.level[i] };
		to[n].place = f->loc ? f->loc : TRACE_NONE;
		to[n].point = (struct point){ f->main, f->task, f->sub, POINT_BEGIN };
		memcpy(to[n++].index, f->idx, nidx * sizeof(f->idx[0]));
	}
	return n;
}

/* The innermost loop of the n frames. */
static struct trace_frame *loop_of(struct trace_frame *f, uint32_t n)
{
	while (n && f[n - 1].kind != CONSTRUCT_PL && f[n - 1].kind != CONSTRUCT_SL)
		n--;
	return n ? &f[n - 1] : NULL;
}

/* Of a parallel loop other threads have iterations of their own. */
static void own_iteration(const struct tracer *t, struct trace_frame *loop)
{
	if (loop && t->number && loop->kind == CONSTRUCT_PL) {
		loop->nidx = t->nidx;
		memcpy(loop->index, t->index, t->nidx * sizeof(t->index[0]));
	}
	if (loop && t->entering)
		loop->nidx = 0;
}

uint32_t gate_look(struct tracer *t, struct trace_frame *frame, struct point *point)
{
	uint64_t begun = t->loop_begun, v;
	uint32_t n = 0;

	/* what was registered may have changed */
	if (t->objects != atomic_load(&objects_stamp))
		tracer_forget(t);
	if (!t->number) {
		t->version = atomic_load_explicit(&gate.version, memory_order_relaxed);
		n = frames_read(frame, point);
		own_iteration(t, loop_of(frame, n));
		return n;
	}
	for (unsigned i = 0; i < TRIES; i++) {
		v = atomic_load(&gate.version);
		n = frames_read(frame, point);
		t->shared = gate.want;
		t->others = gate.others;
		t->loop = gate.loop;
		t->loop_begun = atomic_load(&gate.begun);
		t->version = v;
		atomic_thread_fence(memory_order_acquire);
		if (!(v & 1) && atomic_load(&gate.version) == v)
			break;
	}
	if (begun != t->loop_begun) {
		t->nidx = 0;
		t->skip = false;
	}
	t->want = t->skip ? 0 : t->shared;
	own_iteration(t, loop_of(frame, n));
	return n;
}
