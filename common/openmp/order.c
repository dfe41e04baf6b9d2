/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is before what, by the structure of the program. From the end of the first it goes up: to
 * the step of the creator that waits for it, to the end of its group, to tasks that depend on it,
 * to the barrier of its team; and is there when that is an ancestor of the other, in a step that is
 * not behind the other's creation.
 */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define WORK 10000000u /* steps of an interval, where iterations wait for each other */
#define MEMO 4096u     /* answers that are remembered, a power of two */

struct memo {
	struct space *space;
	struct hands *hands; /* owned; NULL: there are none */
	/* by task: the last step of an ancestor that is before the other, where the stamp is this
	 */
	uint32_t *stamp, *seen;
	int32_t *last, *reached;
	size_t room_stamp, room_seen, room_last, room_reached;
	uint32_t now, work;
	struct step {
		uint32_t task;
		int32_t step;
	} * todo;
	size_t ntodo, room;
	struct answer {
		uint32_t a, b; /* a + 1 */
		bool own, atomics, ordered;
	} answer[MEMO];
};

void order_forget(struct openmp *e)
{
	struct memo *m = e->memo;

	if (!m)
		return;
	free(m->stamp);
	free(m->seen);
	free(m->last);
	free(m->reached);
	free(m->todo);
	hands_free(m->hands);
	free(m);
	e->memo = NULL;
}

static int begin(struct openmp *e, struct space *s)
{
	struct memo *m = e->memo;

	if (m && m->space != s) {
		order_forget(e);
		m = NULL;
	}
	if (!m) {
		m = e->memo = calloc(1, sizeof(*m));
		if (!m)
			return -1;
		m->space = s;
		m->hands = s->nhand ? hands_make(s) : NULL;
		if ((s->nhand && !m->hands) || edges_make(s))
			return -1;
	}
	if (m->room_seen >= s->ntask)
		return 0;
	if (vec_room(m->stamp, m->room_stamp, s->ntask) ||
	    vec_room(m->last, m->room_last, s->ntask) ||
	    vec_room(m->reached, m->room_reached, s->ntask) ||
	    vec_room(m->seen, m->room_seen, s->ntask))
		return -1;
	memset(m->stamp, 0, m->room_stamp * sizeof(*m->stamp));
	memset(m->seen, 0, m->room_seen * sizeof(*m->seen));
	m->now = 0;
	return 0;
}

static int32_t created(const struct space *s, const struct task *t, bool own)
{
	if (t->kind == TASK_NESTED)
		return s->region[t->region - 1].created;
	return own && t->kind == TASK_PART ? t->real_created : t->created;
}

uint32_t task_parent(const struct space *s, const struct task *t)
{
	return t->kind == TASK_NESTED ? s->region[t->region - 1].parent : t->parent;
}

uint32_t task_team(const struct space *s, uint32_t task)
{
	uint32_t n = 0;

	for (uint32_t up = task + 1; up && n++ < s->ntask; up = task_parent(s, &s->task[up - 1]))
		if (s->task[up - 1].kind == TASK_TEAM)
			return up - 1;
	return UINT32_MAX;
}

/* The steps of the ancestors that are before it. False: one of them is not known. */
static bool mark_ancestors(struct memo *m, const struct space *s, const struct seg *b, bool own)
{
	uint32_t task = b->task;
	int32_t step = b->step;

	for (;;) {
		const struct task *t = &s->task[task];
		uint32_t up = task_parent(s, t);

		if (m->stamp[task] == m->now)
			return true;
		m->stamp[task] = m->now;
		m->last[task] = step;
		if (!up)
			return t->kind == TASK_TEAM;
		step = created(s, t, own);
		task = up - 1;
	}
}

/* In which interval of its region the implicit task is in that step. */
static uint32_t interval_at(const struct task *t, int32_t step)
{
	uint32_t n = t->nbegun;

	while (n && t->begun[n - 1] > step)
		n--;
	return n;
}

/* Whether the other is in the inner region, behind that interval. */
static bool is_behind(const struct memo *m, const struct space *s, uint32_t region,
		      uint32_t interval)
{
	for (uint32_t i = 0; i < s->ntask; i++) {
		const struct task *t = &s->task[i];

		if (m->stamp[i] == m->now && t->kind == TASK_NESTED && t->region == region)
			return interval_at(t, m->last[i]) > interval;
	}
	return false;
}

static bool visit(struct memo *m, uint32_t task, int32_t step)
{
	if (step == STEP_NEVER)
		return true;
	if (m->stamp[task] == m->now && step <= m->last[task])
		return false;
	if (m->seen[task] == m->now && m->reached[task] <= step)
		return true;
	m->seen[task] = m->now;
	m->reached[task] = step;
	if (!vec_room(m->todo, m->room, m->ntodo + 1))
		m->todo[m->ntodo++] = (struct step){ task, step };
	return true;
}

#define ORDERS 4096u /* atomic operations of an interval that are followed */

int order_add(struct space *s, uint32_t task, bool acquires, uint64_t addr, uint64_t number)
{
	struct task *t = &s->task[task];
	struct order *to;

	if (s->norder == ORDERS)
		return 0;
	to = vec_add(s->order, s->norder);
	if (!to)
		return -1;
	t->step += acquires;
	*to = (struct order){ addr, number, task, t->step, acquires };
	t->step += !acquires;
	return 0;
}

/* Goes on from what the task has released behind that step to what others have acquired since. */
static bool go_across(struct memo *m, const struct space *s, const struct step *from)
{
	for (uint32_t i = 0; i < s->norder; i++) {
		const struct order *r = &s->order[i];

		if (r->acquires || r->task != from->task || r->step < from->step)
			continue;
		for (uint32_t k = 0; k < s->norder; k++) {
			const struct order *a = &s->order[k];

			if (a->acquires && a->addr == r->addr && a->number > r->number &&
			    !visit(m, a->task, a->step))
				return true;
		}
	}
	return false;
}

/* Goes on to what others do behind locks that were handed over to them. */
static bool go_over(struct memo *m, const struct step *from)
{
	for (uint32_t i = 0; m->hands && i < hands_tasks(m->hands); i++) {
		uint32_t task;
		int32_t step;

		if (hands_next(m->hands, from->task, from->step, i, &task, &step) &&
		    !visit(m, task, step))
			return true;
	}
	return false;
}

/* Goes on to steps that wait for single ones of the task. */
static bool go_along(struct memo *m, const struct space *s, const struct step *from)
{
	for (uint32_t i = edges_of(s, from->task, from->step);
	     i < s->nedge && s->edge[i].task == from->task; i++)
		if (!visit(m, s->edge[i].to, s->edge[i].behind))
			return true;
	return false;
}

/* The group that a task is in, of its own or of those above it; NULL: none. */
static const struct group *group_of(const struct space *s, const struct task *t)
{
	uint32_t n = 0;

	/* a damaged trace may have a task that is its own ancestor */
	while (!t->group && t->kind == TASK_EXPLICIT && t->parent && n++ < s->ntask)
		t = &s->task[t->parent - 1];
	return t->group ? &s->group[t->group - 1] : NULL;
}

/* Goes on from the end of the task. True: it has come to the other. */
static bool go_up(struct memo *m, const struct space *s, const struct step *from, bool own)
{
	const struct task *t = &s->task[from->task];
	const struct group *g = group_of(s, t);
	uint32_t interval = t->kind == TASK_NESTED ? interval_at(t, from->step) : t->interval;

	if (own && t->kind == TASK_PART && !visit(m, t->parent - 1, t->real_joined))
		return true;
	if (t->loop && !visit(m, s->loop[t->loop - 1].owner, s->loop[t->loop - 1].end))
		return true;
	if (t->kind == TASK_EXPLICIT && t->parent && !visit(m, t->parent - 1, t->joined))
		return true;
	if (g && !visit(m, g->owner, g->end))
		return true;
	for (uint32_t i = 0; i < t->nsuccessor; i++)
		if (!visit(m, t->successor[i], 0))
			return true;
	if (!t->region)
		return false;
	if (is_behind(m, s, t->region, interval))
		return true;
	return s->region[t->region - 1].parent &&
	       !visit(m, s->region[t->region - 1].parent - 1, s->region[t->region - 1].joined);
}

enum answer_is { IS_NOT, IS_BEFORE, IS_OPEN };

/* What is not known counts as ordered. OPEN: it takes more than so many steps. */
static enum answer_is is_before(struct memo *m, const struct space *s, const struct seg *a,
				const struct seg *b, bool own, bool atomics, uint32_t most)
{
	uint32_t steps = 0;

	m->now++;
	m->ntodo = 0;
	if (!mark_ancestors(m, s, b, own))
		return IS_BEFORE;
	if (!visit(m, a->task, a->step))
		return IS_BEFORE;
	while (m->ntodo) {
		const struct step from = m->todo[--m->ntodo];

		if (s->nedge && ++m->work > WORK)
			return IS_BEFORE;
		if (++steps > most)
			return IS_OPEN;
		if (go_up(m, s, &from, own) || go_over(m, &from) || go_along(m, s, &from) ||
		    (atomics && go_across(m, s, &from)))
			return IS_BEFORE;
	}
	return IS_NOT;
}

#define FIRST_STEPS 64u

/* Both ways in turn: where iterations wait for each other, all that follow are behind one of them.
 */
static bool is_either_before(struct memo *m, const struct space *s, const struct seg *a,
			     const struct seg *b, bool own, bool atomics)
{
	enum answer_is x = IS_OPEN, y = IS_OPEN;

	for (uint32_t most = FIRST_STEPS; x == IS_OPEN || y == IS_OPEN;
	     most = most > UINT32_MAX / 16 ? UINT32_MAX : most * 16) {
		if (x == IS_OPEN)
			x = is_before(m, s, a, b, own, atomics, most);
		if (x == IS_BEFORE)
			return true;
		if (y == IS_OPEN)
			y = is_before(m, s, b, a, own, atomics, most);
		if (y == IS_BEFORE)
			return true;
	}
	return false;
}

static bool are_ordered(struct openmp *e, struct space *s, uint32_t a, uint32_t b, bool own,
			bool atomics)
{
	const struct seg *x = &s->seg[a], *y = &s->seg[b];
	struct answer *known;

	if (x->task == y->task)
		return true;
	if (begin(e, s)) {
		e->failed = true;
		return true;
	}
	known = &e->memo->answer[hash_mark(hash_mix(a, b)) & (MEMO - 1)];
	if (known->a == a + 1 && known->b == b && known->own == own && known->atomics == atomics)
		return known->ordered;
	*known = (struct answer){ a + 1, b, own, atomics, true };
	/* mostly the first that a thread has executed is before the other */
	if (x->task > y->task) {
		x = y;
		y = &s->seg[a];
	}
	known->ordered = is_either_before(e->memo, s, x, y, own, atomics);
	if (e->memo->work > WORK && !s->unsure) {
		e->why[OPENMP_WHY_DOACROSS]++;
		s->unsure = true;
	}
	return known->ordered;
}

bool segs_are_ordered(struct openmp *e, struct space *s, uint32_t a, uint32_t b, bool own)
{
	return are_ordered(e, s, a, b, own, false);
}

/* Of more than are followed it is not known. */
bool segs_were_ordered(struct openmp *e, struct space *s, uint32_t a, uint32_t b, bool own)
{
	return s->norder && (s->norder == ORDERS || are_ordered(e, s, a, b, own, true));
}
