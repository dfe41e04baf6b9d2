/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructs that share work: what of them a thread executes are parts, which run at the same time
 * although it executes one after the other. The iterations of a loop that the compiler divides are
 * parts between its beginning and its end, in the thread; what the OpenMP runtime gives out any
 * thread might have got.
 */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define TEXT 80

/* OMPT's numbers. */
enum { WORK_LOOP = 1, WORK_SECTIONS = 2, WORK_SINGLE = 3, WORK_TASKLOOP = 7 };

/* A block is a thread's own when it has allocated it itself, outside of what each of them may
 * execute. */
int lane_made(struct openmp *e, struct lane *l, const struct trace_rec *r)
{
	char text[TEXT], *end;
	size_t n = r->nbytes < TEXT ? r->nbytes : TEXT - 1;
	uint64_t addr, bytes, root = 0;

	memcpy(text, r->bytes, n);
	text[n] = '\0';
	addr = strtoull(text + 1, &end, 16);
	bytes = strtoull(end, &end, 10);
	if (small_add(e, addr, bytes, strtoull(end, NULL, 16)))
		return -1;
	if (!l->space && !l->made.n)
		return 0;
	if (l->space && !lane_top(l)->part)
		root = l->space->root;
	return ranges_put(&l->made, root, addr, bytes);
}

static void part_end(struct lane *l, struct frame *f)
{
	if (f->part)
		l->space->task[f->part - 1].real_joined = ++l->space->task[l->task].step;
	f->part = 0;
}

static int part_begin(struct openmp *e, struct lane *l, struct frame *f)
{
	uint32_t made = space_part(e, l->space, l->task, f->loop, f->begun);

	f->part = made + 1;
	f->turn = 0;
	f->gathers = 0;
	return made == UINT32_MAX ? -1 : 0;
}

/* A part of a construct of which any thread may execute each. */
static int part(struct openmp *e, struct lane *l, bool begins)
{
	struct frame *f = lane_top(l);

	if (!f || !l->space || f->alone)
		return 0;
	lane_moved(l);
	part_end(l, f);
	return begins ? part_begin(e, l, f) : 0;
}

/* Of the loop there was no iteration on this thread: it had none, or they are not seen. */
int frame_unseen(struct openmp *e, struct frame *f, bool shown)
{
	uint32_t site = f->site;
	struct coarse *to;

	f->site = 0;
	/* in an empty one nothing is to be seen */
	if (!site || (!shown && !f->busy))
		return 0;
	for (uint32_t i = 0; i < e->ncoarse; i++)
		if (e->coarse[i].site == site) {
			e->coarse[i].shown |= shown;
			return 0;
		}
	to = vec_add(e->coarse, e->ncoarse);
	if (!to)
		return -1;
	*to = (struct coarse){ site, shown };
	return 0;
}

/* The loop of which the thread executes iterations is over. */
int lane_loop_end(struct openmp *e, struct lane *l, struct frame *f)
{
	if (f->loop && l->space) {
		lane_moved(l);
		part_end(l, f);
		l->space->loop[f->loop - 1].end = ++l->space->task[l->task].step;
	}
	f->loop = 0;
	return frame_unseen(e, f, false);
}

static int loop_begin(struct openmp *e, struct lane *l, struct frame *f)
{
	struct loop *to = vec_add(l->space->loop, l->space->nloop);

	if (!to)
		return -1;
	part_end(l, f);
	*to = (struct loop){ l->task, STEP_NEVER };
	f->loop = l->space->nloop;
	f->begun = l->space->task[l->task].step++;
	return frame_unseen(e, f, true);
}

#define PLAIN 32u /* iterations that were plain, before others are taken for that */

/* The compiler has divided the loop, or the chunk of a task. */
static int iteration(struct openmp *e, struct lane *l)
{
	struct frame *f = lane_top(l);
	uint32_t before;

	if (!f || !l->space || f->alone)
		return 0;
	before = f->part;
	if (!f->loop && !f->chunk && loop_begin(e, l, f))
		return -1;
	lane_moved(l);
	part_end(l, f);
	f->plain++;
	if (before && f->gathers == l->space->serial && f->turn < UINT32_MAX &&
	    space_is_part(l->space, before - 1, l->task, f->loop, f->begun)) {
		f->part = before;
		f->turn++;
		return 0;
	}
	if (part_begin(e, l, f))
		return -1;
	f->gathers = f->plain > PLAIN ? l->space->serial : 0;
	return 0;
}

/* The iteration is a part of its own from here on. */
static int becomes_part(struct openmp *e, struct lane *l, struct frame *f)
{
	struct space *s = l->space;
	uint32_t from = f->part - 1, turn = f->turn;
	struct alias *to = vec_add(s->alias, s->nalias);

	if (!to)
		return -1;
	lane_moved(l);
	part_end(l, f);
	if (part_begin(e, l, f))
		return -1;
	*to = (struct alias){ from, turn, space_seg(e, s, f->part - 1) };
	s->task[from].aliased = true;
	return e->failed || hash_put(&s->alias_at, hash_mix(from, turn), s->nalias - 1) ? -1 : 0;
}

int lane_happens(struct openmp *e, struct lane *l)
{
	struct frame *f = lane_top(l);

	if (!f || !l->space || !f->part)
		return 0;
	f->plain = 0;
	return f->gathers == l->space->serial ? becomes_part(e, l, f) : 0;
}

uint32_t seg_of_turn(const struct space *s, uint32_t seg, uint32_t turn)
{
	uint32_t task = s->seg[seg].task;

	if (!s->task[task].aliased)
		return seg;
	for (uint32_t at = 0, i; hash_next(&s->alias_at, hash_mix(task, turn), &at, &i);)
		if (s->alias[i].task == task && s->alias[i].turn == turn)
			return s->alias[i].seg;
	return seg;
}

int event_divided(struct openmp *e, struct lane *l, const struct event *v)
{
	struct frame *f = lane_top(l);

	if (!f || !l->space || f->alone)
		return 0;
	if (lane_loop_end(e, l, f))
		return -1;
	f->loops++;
	f->site = f->elements ? 0 : site_of_pc(e, v->v[0]);
	f->busy = false;
	return 0;
}

/* Of a loop the chunks follow, when they are seen. */
int event_work(struct openmp *e, struct lane *l, const struct event *v)
{
	struct frame *f = lane_top(l);

	/* a taskloop may be in an iteration of another */
	if (!f || !l->space || f->alone || v->v[0] == WORK_TASKLOOP)
		return 0;
	/* that there is no chunk for the thread is seen behind the end */
	if (v->v[0] == WORK_LOOP && v->kind == 'w')
		return f->loop ? lane_loop_end(e, l, f) : 0;
	if (lane_loop_end(e, l, f))
		return -1;
	if (v->v[0] == WORK_LOOP) {
		f->loops++;
		f->site = site_of_pc(e, v->v[2]);
		f->busy = false;
		return 0;
	}
	if (v->v[0] != WORK_SINGLE && v->v[0] != WORK_SECTIONS)
		return 0;
	return part(e, l, v->kind == 'W');
}

enum { PART_NONE, PART_BEGINS, PART_ITERATION, PART_LOOP_ENDS, PART_ELEMENTS };

int event_part(struct openmp *e, struct lane *l, const struct event *v)
{
	struct frame *f = lane_top(l);

	if (!f)
		return 0;
	switch (v->v[0]) {
	case PART_ITERATION:
		return iteration(e, l);
	case PART_ELEMENTS:
		f->elements = true;
		return lane_loop_end(e, l, f);
	case PART_LOOP_ENDS:
		f->elements = false;
		return lane_loop_end(e, l, f) || part(e, l, false) ? -1 : 0;
	default:
		f->site = 0;
		f->chunk = v->v[0] == PART_BEGINS;
		return part(e, l, v->v[0] == PART_BEGINS);
	}
}

/* What the thread accesses may depend on its number. */
int lane_numbered(struct openmp *e, struct lane *l)
{
	struct root *r = l->space ? root_of(e, l->space->root) : NULL;

	if (r)
		r->numbered = true;
	return l->space && !r ? -1 : 0;
}
