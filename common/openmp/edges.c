/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single steps that are before others: iterations that wait for each other (ordered regions, which
 * are executed in the order of the iterations, and ordered with depend), and events that tasks
 * have to be fulfilled for (detach).
 */
#include "common/openmp/internal.h"

#include <stdlib.h>

#include "common/core/vec.h"

#define WAITS (1u << 18) /* of an interval that are followed */

static int edge_add(struct space *s, uint32_t task, int32_t step, uint32_t to, int32_t behind)
{
	struct edge *x = vec_add(s->edge, s->nedge);

	if (!x)
		return -1;
	*x = (struct edge){ .task = task, .to = to, .step = step, .behind = behind };
	return 0;
}

int edge_fulfil(struct space *s, uint32_t task, uint32_t detached)
{
	/* from its end it goes to all that waits for it */
	return edge_add(s, task, s->task[task].step++, detached, STEP_NEVER - 1);
}

uint64_t wait_key(const struct lane *l, const uint64_t *v, unsigned n)
{
	const struct space *s = l->space;
	const struct task *t = &s->task[l->task];
	uint64_t key = hash_mix(HASH_START, t->region ? s->region[t->region - 1].id : s->root);

	key = hash_mix(key, l->frame[l->nframe - 1].loops);
	for (unsigned i = 0; i < n; i++)
		key = hash_mix(key, v[i]);
	return key;
}

int wait_add(struct openmp *e, struct lane *l, enum wait_kind kind, uint64_t key, uint64_t number)
{
	struct space *s = l->space;
	uint32_t unit = lane_unit(l);
	struct task *t = &s->task[unit];
	struct wait *to;

	lane_moved(l);
	if (s->nwait == WAITS) {
		e->why[OPENMP_WHY_DOACROSS] += !s->unsure;
		s->unsure = true;
		return 0;
	}
	to = vec_add(s->wait, s->nwait);
	if (!to)
		return -1;
	t->step += kind != WAIT_POST;
	*to = (struct wait){ .key = key,
			     .number = number,
			     .task = unit,
			     .step = t->step,
			     .end = STEP_NEVER - 1,
			     .kind = (uint8_t)kind };
	t->step += kind == WAIT_POST;
	if (kind == WAIT_TURN)
		l->turn = s->nwait;
	return 0;
}

void wait_end(struct lane *l)
{
	struct space *s = l->space;

	/* in a damaged trace it may be of another interval */
	if (l->turn && l->turn <= s->nwait && s->wait[l->turn - 1].task == lane_unit(l)) {
		s->wait[l->turn - 1].end = s->task[lane_unit(l)].step++;
		lane_moved(l);
	}
	l->turn = 0;
}

static int by_key(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_task(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

int edges_make(struct space *s)
{
	const struct wait *post = NULL;

	if (s->nwait)
		qsort(s->wait, s->nwait, sizeof(*s->wait), by_key);
	for (uint32_t i = 0; i < s->nwait; i++) {
		const struct wait *w = &s->wait[i];

		if (w->kind == WAIT_POST)
			post = w;
		else if (w->kind == WAIT_SINK && post && post->key == w->key &&
			 edge_add(s, post->task, post->step, w->task, w->step))
			return -1;
		else if (w->kind == WAIT_TURN && i && w[-1].key == w->key &&
			 w[-1].kind == WAIT_TURN &&
			 edge_add(s, w[-1].task, w[-1].end, w->task, w->step))
			return -1;
	}
	if (s->nedge)
		qsort(s->edge, s->nedge, sizeof(*s->edge), by_task);
	return 0;
}

uint32_t edges_of(const struct space *s, uint32_t task, int32_t step)
{
	uint32_t lo = 0, hi = s->nedge;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct edge *x = &s->edge[mid];

		if (x->task < task || (x->task == task && x->step < step))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
