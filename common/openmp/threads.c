/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that the program has begun by itself. They are the tasks of one interval, which begins
 * where a thread begins the first of them, and ends where all are joined. What they wait for are
 * operations in the order of the run (clocks.c); those that each run has end a step of the task.
 */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define SYNCS (1u << 20) /* operations of an interval that are followed */

static bool is_certain(enum sync_what what)
{
	return what != SYNC_RELEASE && what != SYNC_ACQUIRE;
}

int space_ticks(struct space *s)
{
	if (s->ticks)
		return 0;
	s->ticks = true;
	if (vec_room(s->tick, s->room_tick, s->nentry + 1))
		return -1;
	memset(s->tick, 0, s->room_tick * sizeof(*s->tick));
	return 0;
}

int sync_add(struct space *s, uint32_t task, enum sync_what what, uint64_t seq, uint64_t key,
	     uint32_t n)
{
	struct task *t = &s->task[task];
	struct sync *to;

	if (s->nsync >= SYNCS && !is_certain(what)) {
		s->unfollowed = true;
		return 0;
	}
	to = vec_add(s->sync, s->nsync);
	if (!to)
		return -1;
	*to = (struct sync){
		.seq = seq, .key = key, .task = task, .tick = t->tick++, .n = n, .what = what
	};
	t->step += is_certain(what);
	t->releases = false;
	return 0;
}

/* The frame is in that interval from here on. */
static int enter(struct openmp *e, struct lane *l, struct frame *f, uint32_t interval)
{
	struct task *t;

	f->interval = interval;
	f->away = false;
	if (lane_settle(e, l) || space_implicit(l->space, l->task, TASK_TEAM))
		return -1;
	l->space->threads = true;
	if (space_ticks(l->space))
		return -1;
	if (f->owner)
		l->space->owner_lane = e->now + 1;
	t = &l->space->task[l->task];
	t->lane = e->now;
	/* what is on the owner's stack is of all */
	t->stack = l->hi;
	t->bottom = f->owner ? l->hi : l->lo;
	t->started = true;
	return 0;
}

/* The thread is one of those of the root from here on. */
static int thread_enters(struct openmp *e, struct lane *l, const struct event *v, bool owner)
{
	struct frame *f = vec_add(l->frame, l->nframe);
	struct root *r = root_of(e, v->v[3]);

	if (!f || !r)
		return -1;
	r->threads = true;
	*f = (struct frame){ .id = v->v[0],
			     .root = v->v[3],
			     .thread = true,
			     .owner = owner,
			     .alone = true,
			     .stack = l->hi };
	return enter(e, l, f, owner ? 0 : (uint32_t)v->v[2]);
}

static int owner_begins(struct openmp *e, struct lane *l, const struct event *v)
{
	struct root *r;

	/* as tasks of OpenMP they are not compared with these threads */
	if (l->nframe) {
		e->why[OPENMP_WHY_FOREIGN_THREAD]++;
		return 0;
	}
	r = root_of(e, v->v[3]);
	if (!r)
		return -1;
	r->n = 1;
	r->point = e->point;
	return thread_enters(e, l, v, true);
}

static int begins(struct openmp *e, struct lane *l, const struct event *v)
{
	uint32_t child = space_task(e, l->space, v->v[0]);

	if (child == UINT32_MAX || space_implicit(l->space, child, TASK_TEAM))
		return -1;
	if (v->n > 5)
		lane_calls(e, l, (const uint64_t[]){ v->v[2], v->v[4], v->v[5] });
	return sync_add(l->space, l->task, SYNC_CREATE, v->v[1], child, 0);
}

/* What threads do when they have ended, as destructors, is not looked at. */
static int ends(struct openmp *e, struct lane *l)
{
	l->space->left++;
	l->nframe--;
	l->foreign = true;
	return lane_settle(e, l) || spaces_judge(e) ? -1 : 0;
}

/* The interval is complete when so many have left it. */
static int closes(struct openmp *e, uint64_t root, uint32_t interval, uint64_t total)
{
	struct space *s = space_get(e, root, interval);

	if (!s)
		return -1;
	s->threads = true;
	if (space_ticks(s))
		return -1;
	s->total = (uint32_t)total;
	return 0;
}

/* It waits for the end of another thread, and comes back into what is the interval then. */
static int goes_away(struct openmp *e, struct lane *l, struct frame *f)
{
	l->space->left++;
	f->away = true;
	return lane_settle(e, l) || spaces_judge(e) ? -1 : 0;
}

static int goes_on(struct openmp *e, struct lane *l, struct frame *f, uint32_t interval)
{
	struct space *old = l->space;
	uint32_t task = l->task;

	if (enter(e, l, f, interval))
		return -1;
	if (!old || old == l->space)
		return 0;
	old->left++;
	if (task_inherit(&l->space->task[l->task], &old->task[task]))
		return -1;
	return spaces_judge(e);
}

static int locks(struct openmp *e, struct lane *l, const struct event *v)
{
	struct task *t = &l->space->task[lane_unit(l)];
	int kind = v->v[0] == MUTEX_READ ? MUTEX_READ : MUTEX_THREAD;

	if (v->word == 'u')
		return task_lock(e, t, MUTEX_THREAD, v->v[2], false) ||
				       task_lock(e, t, MUTEX_READ, v->v[2], false)
			       ? -1
			       : 0;
	if (lock_known_as(e, MUTEX_THREAD, v->v[2], v->v[2]) ||
	    lock_known_as(e, kind, v->v[2], v->v[2]))
		return -1;
	return task_lock(e, t, kind, v->v[2], true);
}

/* Of a thread that is in the middle of others. */
static int waits(struct openmp *e, struct lane *l, const struct event *v)
{
	static const struct {
		char word;
		enum sync_what what;
	} words[] = { { 'l', SYNC_ACQUIRE }, { 'u', SYNC_RELEASE }, { 'a', SYNC_ACQUIRE },
		      { 'r', SYNC_RELEASE }, { 'p', SYNC_POST },    { 'w', SYNC_WAIT },
		      { 'b', SYNC_ARRIVE },  { 'd', SYNC_DEPART },  { 'o', SYNC_ONCE },
		      { 'q', SYNC_OVER },    { 'j', SYNC_JOIN } };
	uint64_t key = v->v[2];

	if (v->word == 'j') {
		key = space_task(e, l->space, v->v[0]);
		if (key == UINT32_MAX)
			return -1;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].word == v->word)
			return sync_add(l->space, l->task, words[i].what, v->v[1], key,
					(uint32_t)v->v[0]);
	return 0;
}

/* Of a thread that is in no interval, or goes into another one. True: it was that. */
static bool is_move(struct openmp *e, struct lane *l, const struct event *v, int *rc)
{
	struct frame *f = lane_top(l);

	if (v->word == 'n')
		*rc = owner_begins(e, l, v);
	else if (v->word == 's')
		*rc = l->nframe ? 0 : thread_enters(e, l, v, false);
	else if (v->word == 'i' && f && f->thread && f->root == v->v[3])
		*rc = goes_on(e, l, f, (uint32_t)v->v[0]);
	else
		return !f || !l->space;
	return true;
}

int event_thread(struct openmp *e, struct lane *l, const struct event *v)
{
	struct frame *f = lane_top(l);
	int rc = 0;

	if (v->n < 4 || is_move(e, l, v, &rc))
		return rc;
	lane_moved(l);
	if ((v->word == 'l' || v->word == 'u') && locks(e, l, v))
		return -1;
	if (!f->thread || f->root != v->v[3])
		return 0;
	switch (v->word) {
	case 'c':
		return begins(e, l, v);
	case 'k':
		return closes(e, f->root, (uint32_t)v->v[2], v->v[0]);
	case 'x':
		return goes_away(e, l, f);
	case 'f':
		return closes(e, f->root, f->interval, v->v[0]) || ends(e, l) ? -1 : 0;
	case 'e':
		return ends(e, l);
	default:
		return waits(e, l, v);
	}
}

uint32_t thread_owner(const struct space *s, uint64_t addr)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < s->nimplicit; i++) {
		const struct task *t = &s->task[s->implicit[i]];

		if (!t->started || addr - t->bottom >= t->stack - t->bottom)
			continue;
		if (found != UINT32_MAX)
			return UINT32_MAX;
		found = s->implicit[i];
	}
	return found;
}
