/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads do: each note changes the state of its thread and of its task. */
#include "common/openmp/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define TEXT 200
/* OMPT's numbers. */
enum { DEPEND_SOURCE = 5, DEPEND_SINK = 6 };
#define LOCK_REDUCTION (-100) /* kind of the lock that the runtime has while it reduces */

/* Which numbers of the event are hexadecimal. */
static unsigned hexadecimal(char kind)
{
	switch (kind) {
	case 'T':
		return 0xf;
	case 'P':
		return 0x1fu << 2;
	case 'I':
		return 1u << 6;
	case 'C':
	case 'D':
	case 'W':
	case 'w':
		return kind == 'C' ? 7u << 1 | 3u << 5 : 1u << 2;
	case 'V':
		return 7u << 1;
	case 'H':
		return 1u << 2 | 3u << 4;
	case 'G':
	case 'K':
	case 'O':
		return 1u << 0;
	case 'A':
		return 3u << 1;
	case 'S':
		return 1u << 3 | 3u << 5;
	case 'L':
	case 'l':
		return 3u << 1;
	case 'Q':
		return 3u;
	default:
		return 0;
	}
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool read_event(const struct trace_rec *r, struct event *v)
{
	char text[TEXT], *p = text, *end;
	size_t n = r->nbytes < TEXT ? r->nbytes : TEXT - 1;
	unsigned hex;

	memcpy(text, r->bytes, n);
	text[n] = '\0';
	*v = (struct event){ .kind = *p };
	hex = hexadecimal(v->kind);
	if (!*p)
		return false;
	for (p++; *p == ' '; p = end) {
		p++;
		/* letters are words where they are not of the number */
		if (!(hex & 1u << v->n ? is_digit(*p) || (*p >= 'a' && *p <= 'f') : is_digit(*p))) {
			v->word = *p;
			end = p + (*p ? 1 : 0);
			continue;
		}
		if (v->n == EVENT_NUMBERS)
			return false;
		v->v[v->n] = strtoull(p, &end, hex & 1u << v->n ? 16 : 10);
		if (end == p)
			return false;
		v->n++;
	}
	return !*p;
}

/* ---- where the thread is ---- */

static struct task *task_now(struct lane *l)
{
	return l->space ? &l->space->task[lane_unit(l)] : NULL;
}

int lane_settle(struct openmp *e, struct lane *l)
{
	struct frame *f = lane_top(l);

	l->seg = 0;
	l->space = NULL;
	if (!f || !f->root || f->away)
		return 0;
	l->space = space_get(e, f->root, f->interval);
	if (!l->space)
		return -1;
	/* in a damaged trace the interval may have been over */
	if (f->part > l->space->ntask)
		f->part = 0;
	if (f->loop > l->space->nloop)
		f->loop = 0;
	l->task = space_task(e, l->space, f->id);
	return l->task == UINT32_MAX ? -1 : 0;
}

struct root *root_of(struct openmp *e, uint64_t id)
{
	struct root *r;

	for (uint32_t at = 0, i; hash_next(&e->root_at, id, &at, &i);)
		if (e->root[i].id == id)
			return &e->root[i];
	r = vec_add(e->root, e->nroot);
	if (!r || hash_put(&e->root_at, id, e->nroot - 1))
		return NULL;
	r->id = id;
	return r;
}

/* All threads have passed it, its tasks are complete, and none of an inner region is there. */
static bool is_over(struct openmp *e, const struct space *s)
{
	const struct root *r = root_of(e, s->root);

	if (s->threads ? !s->total || s->left < s->total
		       : !r || !r->n || s->arrived < r->n || s->completed < s->created)
		return false;
	for (size_t i = 0; i < e->nlane; i++)
		if (e->lane[i].space == s)
			return false;
	return true;
}

int spaces_judge(struct openmp *e)
{
	for (size_t i = 0; i < e->nspace;) {
		struct space *s = e->space[i];

		if (!is_over(e, s)) {
			i++;
			continue;
		}
		if (space_judge(e, s))
			return -1;
		vec_remove(e->space, e->nspace, i);
		space_free(s);
	}
	return 0;
}

/* One more thread has passed the interval. */
static int arrive(struct openmp *e, uint64_t root, uint32_t interval)
{
	struct space *s = space_get(e, root, interval);

	if (!s)
		return -1;
	s->arrived++;
	return spaces_judge(e);
}

/* ---- regions and tasks ---- */

#define REDUCED 16384u /* ranges of copies that are known */
#define CALLS 64u      /* that are kept for names of variables */

static struct call call_of(struct openmp *e, const uint64_t v[3], uint64_t code, uint64_t data)
{
	return (struct call){ .lane = e->now,
			      .site = site_of_pc(e, v[0]),
			      .code = code ? site_of_pc(e, code + 1) : 0,
			      .sp = v[1],
			      .bp = v[2],
			      .data = data };
}

static void call_add(struct openmp *e, struct lane *l, struct call call)
{
	struct space *s = l->space;
	struct call *to;

	if (!call.sp || !call.site)
		return;
	for (uint32_t i = 0; i < s->ncall; i++)
		if (s->call[i].site == call.site && s->call[i].sp == call.sp)
			return;
	to = s->ncall < CALLS ? vec_add(s->call, s->ncall) : NULL;
	if (to)
		*to = call;
}

void lane_calls(struct openmp *e, struct lane *l, const uint64_t v[3])
{
	call_add(e, l, call_of(e, v, 0, 0));
}

static int region_begin(struct openmp *e, struct lane *l, const struct event *v)
{
	struct task *t = task_now(l);
	uint32_t region;
	struct root *r;

	e->regions++;
	/* what its threads do is not compared with what other threads of the program do */
	if (t && lane_top(l)->thread) {
		e->why[OPENMP_WHY_FOREIGN_THREAD]++;
		t = NULL;
	}
	if (!t) {
		r = root_of(e, v->v[0]);
		if (!r)
			return -1;
		r->site = site_of_pc(e, v->v[2]);
		r->point = e->point;
		r->call = call_of(e, &v->v[2], v->v[5], v->v[6]);
		r->begun = (struct begun){ true, e->now, v->v[3] };
		return 0;
	}
	region = space_region(e, l->space, v->v[0]);
	if (region == UINT32_MAX)
		return -1;
	l->space->region[region].parent = lane_unit(l) + 1;
	l->space->region[region].created = t->step++;
	l->space->region[region].set = t->set;
	l->space->locked_regions |= t->set != 0;
	l->space->region[region].begun = (struct begun){ true, e->now, v->v[3] };
	lane_moved(l);
	call_add(e, l, call_of(e, &v->v[2], v->v[5], v->v[6]));
	return 0;
}

static int region_end(struct openmp *e, struct lane *l, const struct event *v)
{
	struct task *t = task_now(l);
	uint32_t region = UINT32_MAX;

	if (t && lane_top(l)->thread)
		t = NULL;
	if (t)
		region = space_region(e, l->space, v->v[0]);

	if (region == UINT32_MAX)
		return t ? -1 : 0;
	l->space->region[region].joined = ++t->step;
	lane_moved(l);
	return 0;
}

static int interval_add(struct task *t, int32_t step)
{
	int32_t *to = vec_add(t->begun, t->nbegun);

	if (!to)
		return -1;
	*to = step;
	t->step = step + 1;
	t->interval = t->nbegun;
	return 0;
}

/*
 * What the frames of the implicit task are below: on the thread that has begun the region those of
 * the function that did, on another all of its stack when it has nothing else. The runtime may have
 * frames of any size before it calls the program.
 */
static uint64_t stack_top(const struct lane *l, const struct begun *by, uint32_t lane,
			  uint64_t below)
{
	uint64_t top = by->known && by->lane == lane ? by->sp : l->nframe > 1 ? 0 : l->hi;

	return top > below ? top : below;
}

static int implicit_begin(struct openmp *e, struct lane *l, const struct event *v)
{
	bool team = v->v[1] == v->v[2];
	struct frame *f = vec_add(l->frame, l->nframe);
	struct root *r = root_of(e, v->v[2]);
	const struct begun *by;
	struct task *t;
	uint32_t region = 0;

	if (!f || !r)
		return -1;
	by = &r->begun;
	*f = (struct frame){ .id = v->v[0],
			     .root = v->v[2],
			     .interval = (uint32_t)v->v[3],
			     .team = team,
			     .alone = v->v[5] <= 1 && !v->v[7],
			     .stack = v->v[6] };
	if (team)
		r->n = (uint32_t)v->v[5];
	r->league |= v->v[7] != 0;
	if (lane_settle(e, l))
		return -1;
	if (space_implicit(l->space, l->task, team ? TASK_TEAM : TASK_NESTED))
		return -1;
	if (!team) {
		region = space_region(e, l->space, v->v[1]);
		if (region == UINT32_MAX)
			return -1;
		by = &l->space->region[region].begun;
	}
	t = &l->space->task[l->task];
	t->lane = e->now;
	t->stack = f->stack = stack_top(l, by, e->now, v->v[6]);
	t->started = true;
	if (team)
		return 0;
	t->region = region + 1;
	return interval_add(t, 0);
}

static int implicit_end(struct openmp *e, struct lane *l, const struct event *v)
{
	if (fresh_forget(e, l))
		return -1;
	while (l->nframe && lane_top(l)->id != v->v[0])
		l->nframe--;
	if (l->nframe) {
		const struct frame f = *lane_top(l);

		if (frame_unseen(e, lane_top(l), false))
			return -1;
		l->nframe--;
		if (lane_settle(e, l))
			return -1;
		return f.team ? arrive(e, f.root, f.interval) : 0;
	}
	return lane_settle(e, l);
}

/* The implicit task that the thread is in. The creation of the one that runs may not be known yet:
 * another thread's notes have it. */
static const struct task *team_now(const struct lane *l)
{
	const struct space *s = l->space;

	for (size_t i = l->nframe; i-- > 0;)
		for (uint32_t k = 0; k < s->nimplicit; k++)
			if (s->task[s->implicit[k]].id == l->frame[i].id)
				return &s->task[s->implicit[k]];
	return &s->task[lane_unit(l)];
}

static int create(struct openmp *e, struct lane *l, const struct event *v)
{
	struct task *t, *p = task_now(l);
	const struct task *team;
	uint32_t parent, task;

	e->tasks += v->word != 'w';
	if (l->nunset && unset_report(e, l, site_of_pc(e, v->v[1])))
		return -1;
	if (!p)
		return 0;
	l->space->created += v->word != 'w';
	parent = lane_unit(l);
	task = space_task(e, l->space, v->v[0]);
	if (task == UINT32_MAX)
		return -1;
	t = &l->space->task[task];
	p = &l->space->task[parent];
	/* a damaged trace may create it again */
	if (t->parent)
		return 0;
	t->kind = TASK_EXPLICIT;
	t->parent = parent + 1;
	t->created = p->step++;
	t->group = p->open_group ? p->open_group : p->group;
	team = p->kind == TASK_UNKNOWN ? team_now(l) : p;
	t->region = team->region;
	t->interval = team->interval;
	lane_moved(l);
	if (v->n > 6 && v->v[4])
		later_claim(l->space, parent, v->v[4], v->v[5], v->v[6]);
	call_add(e, l, call_of(e, &v->v[1], 0, 0));
	if (v->word != '-') {
		t->joined = p->step;
		return task_inherit(t, p);
	}
	t->next = p->waiting;
	p->waiting = task + 1;
	return 0;
}

static int depends(struct openmp *e, struct lane *l, const struct event *v)
{
	int kind = (int)v->v[1];
	uint32_t task;

	if (!l->space)
		return 0;
	if (kind == DEPEND_SOURCE || kind == DEPEND_SINK) {
		e->why[OPENMP_WHY_DOACROSS] += !l->space->unsure;
		l->space->unsure = true;
		return 0;
	}
	task = space_task(e, l->space, v->v[0]);
	return task == UINT32_MAX ? -1
				  : task_depends(e, l->space, lane_unit(l), task, kind, v->v[2]);
}

/* On this thread: again one that was interrupted there, or one more. */
static int schedule(struct openmp *e, struct lane *l, const struct event *v)
{
	struct frame *f;
	struct task *t;
	size_t n = l->nframe;

	while (n && l->frame[n - 1].id != v->v[0])
		n--;
	if (n) {
		l->nframe = n;
		return lane_settle(e, l);
	}
	f = vec_add(l->frame, l->nframe);
	if (!f)
		return -1;
	*f = (struct frame){
		.id = v->v[0], .root = v->v[1], .interval = (uint32_t)v->v[2], .stack = v->v[3]
	};
	if (lane_settle(e, l) || (v->v[4] && ranges_put(&l->copies, v->v[4], v->v[5], v->v[6])))
		return -1;
	if (!l->space)
		return 0;
	t = &l->space->task[l->task];
	t->lane = e->now;
	t->stack = f->stack;
	t->started = true;
	return 0;
}

/* Copies of what tasks reduce, each a thread's own. */
static int reduces(struct openmp *e, struct lane *l, const struct event *v)
{
	(void)l;
	return e->reduced.n < REDUCED ? ranges_put(&e->reduced, 1, v->v[0], v->v[1]) : 0;
}

static int allocated(struct openmp *e, struct lane *l, const struct event *v)
{
	(void)e;
	return ranges_put(&l->copies, v->v[0], v->v[1], v->v[2]);
}

static int complete(struct openmp *e, struct lane *l, const struct event *v)
{
	if (fresh_forget(e, l))
		return -1;
	if (l->nframe && lane_top(l)->id == v->v[0]) {
		/* the iterations of a chunk end with it */
		if (lane_settle(e, l) || lane_loop_end(e, l, lane_top(l)))
			return -1;
		l->nframe--;
		if (l->space && ++l->space->completed == l->space->created && l->space->arrived)
			return lane_settle(e, l) || spaces_judge(e) ? -1 : 0;
	}
	return lane_settle(e, l);
}

/* ---- synchronisation ---- */

static int group_begin(struct lane *l, struct task *t)
{
	struct space *s = l->space;
	struct group *g = vec_add(s->group, s->ngroup);

	if (!g)
		return -1;
	*g = (struct group){ lane_unit(l), t->open_group, STEP_NEVER };
	t->open_group = s->ngroup;
	return 0;
}

static void group_end(struct lane *l, struct task *t)
{
	struct group *g = t->open_group ? &l->space->group[t->open_group - 1] : NULL;

	if (!g)
		return;
	g->end = ++t->step;
	t->open_group = g->outer;
}

static void waited(struct lane *l, struct task *t)
{
	t->step++;
	while (t->waiting) {
		struct task *child = &l->space->task[t->waiting - 1];

		child->joined = t->step;
		t->waiting = child->next;
	}
}

static int barrier(struct openmp *e, struct lane *l)
{
	struct frame *f = lane_top(l);
	uint64_t root = f->root;
	uint32_t passed = f->interval, task;
	struct space *s;
	struct task *t;

	if (lane_loop_end(e, l, f))
		return -1;
	f->part = 0;
	f->chunk = false;
	t = &l->space->task[l->task];
	if (!f->team)
		return t->kind == TASK_NESTED ? interval_add(t, t->step + 1) : 0;
	f->interval++;
	s = l->space;
	task = l->task;
	if (lane_settle(e, l))
		return -1;
	if (space_implicit(l->space, l->task, TASK_TEAM) ||
	    task_keeps(e, l->space, l->task, &s->task[task]))
		return -1;
	t = &l->space->task[l->task];
	t->lane = e->now;
	t->started = true;
	t->stack = f->stack;
	return arrive(e, root, passed);
}

static int synchronise(struct openmp *e, struct lane *l, const struct event *v)
{
	struct task *t = task_now(l);

	if (!t)
		return 0;
	lane_moved(l);
	if (v->kind == 'B')
		return v->word == 'g' ? group_begin(l, t) : 0;
	if (v->word == 'b')
		return barrier(e, l);
	if (v->word == 'g')
		group_end(l, t);
	else
		waited(l, t);
	return 0;
}

/* kept: a lock that some thread had while it waited at a barrier. */
static int exclude(struct openmp *e, struct lane *l, int kind, uint64_t key, bool held, bool kept)
{
	struct task *t = task_now(l);

	if (!t)
		return 0;
	lane_moved(l);
	if (kind >= MUTEX_LOCK && kind <= MUTEX_TRY_NEST)
		kind = kind < MUTEX_NEST ? MUTEX_LOCK : MUTEX_NEST;
	/* one for each region */
	if (kind == MUTEX_ORDERED)
		key = t->region ? l->space->region[t->region - 1].id : l->space->root;
	if (held && lock_known_as(e, kind, key, kind == MUTEX_CRITICAL ? l->variable : key))
		return -1;
	if (kept) {
		uint32_t lock = lock_number(e, kind, key);

		if (lock == UINT32_MAX || hand_add(l->space, lane_unit(l), lock, held))
			return -1;
	}
	return task_lock(e, t, kind, key, held);
}

/* The iteration waits for that one (q), or others for this one. */
static int wait(struct openmp *e, struct lane *l, const struct event *v)
{
	if (!l->space || lane_top(l)->alone)
		return 0;
	return wait_add(e, l, v->word == 'q' ? WAIT_SINK : WAIT_POST, wait_key(l, v->v, v->n), 0);
}

/* An event that the task waits for, when its own part is over. */
static int fulfil(struct openmp *e, struct lane *l, const struct event *v)
{
	uint32_t task = l->space ? space_task(e, l->space, v->v[0]) : UINT32_MAX;

	if (task == UINT32_MAX)
		return l->space ? -1 : 0;
	lane_moved(l);
	return edge_fulfil(l->space, lane_unit(l), task);
}

/*
 * What is between has been executed under the lock. Where a thread only reads it may wait for what
 * others write, whose sections are before it then.
 */
static int section(struct openmp *e, struct lane *l, const struct event *v, bool held)
{
	struct space *s = l->space;
	uint32_t unit = s ? lane_unit(l) : 0, lock;
	int kind = (int)v->v[0];

	/* those that are kept over barriers are handed over */
	if (!s || s->threads || kind > MUTEX_CRITICAL || v->n < 5 || v->v[3] || s->task[unit].loop)
		return 0;
	kind = kind == MUTEX_CRITICAL ? kind : kind < MUTEX_NEST ? MUTEX_LOCK : MUTEX_NEST;
	lock = lock_number(e, kind, v->v[1]);
	if (lock == UINT32_MAX || space_ticks(s))
		return -1;
	if (!held)
		e->lock[lock].waited |= l->reads && !l->writes;
	l->reads = l->writes = false;
	return sync_add(s, unit, held ? SYNC_ACQUIRE : SYNC_RELEASE, v->v[4], lock, 0);
}

static int lock(struct openmp *e, struct lane *l, const struct event *v)
{
	int kind = (int)v->v[0];
	bool held = v->kind == 'L';

	if (kind == MUTEX_ORDERED && l->space && !held)
		wait_end(l);
	if (kind == MUTEX_ORDERED && l->space && held && v->n > 4 && !lane_top(l)->alone &&
	    wait_add(e, l, WAIT_TURN, wait_key(l, NULL, 0), v->v[4]))
		return -1;
	if (section(e, l, v, held))
		return -1;
	return exclude(e, l, kind, v->v[1], held, v->n > 3 && v->v[3]);
}

static int reduce(struct openmp *e, struct lane *l, bool begins)
{
	return exclude(e, l, LOCK_REDUCTION, 0, begins, false);
}

static int ordered(struct lane *l, const struct event *v)
{
	if (!l->space)
		return 0;
	lane_moved(l);
	if (l->space->threads) {
		if (sync_add(l->space, l->task, v->word == 'q' ? SYNC_ACQUIRE : SYNC_RELEASE,
			     v->v[1], v->v[0], 0))
			return -1;
		l->space->task[l->task].releases = v->word == 'r' && l->space->task[l->task].tick;
		return 0;
	}
	return order_add(l->space, lane_unit(l), v->word == 'q', v->v[0], v->v[1]);
}

static void thread_is(struct lane *l, const struct event *v)
{
	/* its number may have been that of another one, which has ended */
	l->nframe = 0;
	l->space = NULL;
	simd_free(l);
	l->copies.n = l->made.n = l->fresh.n = 0;
	l->lo = v->v[0];
	l->hi = v->v[1];
	l->own_lo = v->v[2];
	l->own_hi = v->v[3];
}

int openmp_note(struct openmp *e, const struct trace_rec *r)
{
	static const struct {
		char kind;
		int (*fn)(struct openmp *e, struct lane *l, const struct event *v);
	} events[] = { { 'P', region_begin }, { 'p', region_end },    { 'I', implicit_begin },
		       { 'i', implicit_end }, { 'C', create },	      { 'D', depends },
		       { 'S', schedule },     { 's', complete },      { 'B', synchronise },
		       { 'b', synchronise },  { 'W', event_work },    { 'w', event_work },
		       { 'N', event_part },   { 'G', event_divided }, { 'A', allocated },
		       { 'X', wait },	      { 'F', fulfil },	      { 'H', event_thread },
		       { 'Q', reduces } };
	struct lane *l = lane_now(e);
	struct event v;

	if (r->kind == TRACE_NOTE_CONTROL && r->nbytes && *r->bytes == 'M')
		return lane_made(e, l, r);
	if (r->kind == TRACE_NOTE_CONTROL && r->nbytes && (*r->bytes == 'G' || *r->bytes == 'U'))
		return openmp_moved(e, r);
	if (r->kind != TRACE_NOTE_OPENMP)
		return 0;
	if (r->nbytes && *r->bytes == 'Y')
		return lane_fresh(e, l, r);
	if (!read_event(r, &v)) {
		e->why[OPENMP_WHY_LOST]++;
		return 0;
	}
	/* before a task is created there is nothing but its memory */
	if (l->nunset && v.kind != 'C' && v.kind != 'A' && unset_report(e, l, 0))
		return -1;
	/* others end iterations, or order nothing */
	if (!strchr("NGWwUKVv", v.kind) && lane_happens(e, l))
		return -1;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (events[i].kind == v.kind)
			return events[i].fn(e, l, &v);
	if (v.kind == 'V' || v.kind == 'v')
		return event_simd(e, l, &v);
	if (v.kind == 'K')
		l->variable = v.v[0];
	if (v.kind == 'O')
		return ordered(l, &v);
	if (v.kind == 'T')
		thread_is(l, &v);
	else if (v.kind == 'L' || v.kind == 'l')
		return lock(e, l, &v);
	else if (v.kind == 'U')
		return lane_numbered(e, l);
	else if (v.kind == 'R' || v.kind == 'r')
		return reduce(e, l, v.kind == 'R');
	return 0;
}
