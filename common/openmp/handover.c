/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock that a thread has while it waits at a barrier is handed over behind that: who acquires it
 * then has waited for its release. From what is before what more follows: when one has acquired a
 * lock before another does, its release is before that, too. Clocks say of each operation how many
 * of each task are before it.
 */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define HANDS 8192u /* operations of an interval that are followed */
#define TASKS 64u   /* that execute them */
#define NONE UINT32_MAX

struct hands {
	uint32_t ntask, n;
	uint32_t task[TASKS];
	uint32_t first[TASKS + 1]; /* of the task's in op */
	uint32_t known[TASKS];	   /* in op, too: up to there the clocks are known */
	struct hand *op;	   /* owned; one task after the other */
	uint32_t *clock;	   /* owned; ntask of each */
};

int hand_add(struct space *s, uint32_t task, uint32_t lock, bool acquires)
{
	struct task *t = &s->task[task];
	struct hand *to;

	if (t->kind != TASK_TEAM || s->nhand == HANDS)
		return 0;
	to = vec_add(s->hand, s->nhand);
	if (!to)
		return -1;
	*to = (struct hand){
		.task = task, .behind = ++t->step, .lock = lock, .acquires = acquires
	};
	return 0;
}

int hand_keep(struct space *s, uint32_t task, uint32_t lock)
{
	struct hand *to = s->nhand == HANDS ? NULL : vec_add(s->hand, s->nhand);

	if (!to)
		return s->nhand == HANDS ? 0 : -1;
	*to = (struct hand){ .task = task, .lock = lock, .acquires = true, .kept = true };
	return 0;
}

void hands_free(struct hands *h)
{
	if (!h)
		return;
	free(h->op);
	free(h->clock);
	free(h);
}

static uint32_t place_of(const struct hands *h, uint32_t task)
{
	uint32_t i = 0;

	while (i < h->ntask && h->task[i] != task)
		i++;
	return i < h->ntask ? i : NONE;
}

/* Those of more tasks are left out. */
static void sort(struct hands *h, const struct space *s)
{
	for (uint32_t i = 0; i < s->nhand && h->ntask < TASKS; i++)
		if (place_of(h, s->hand[i].task) == NONE)
			h->task[h->ntask++] = s->hand[i].task;
	for (uint32_t t = 0; t < h->ntask; t++) {
		h->first[t] = h->known[t] = h->n;
		for (uint32_t i = 0; i < s->nhand; i++)
			if (s->hand[i].task == h->task[t])
				h->op[h->n++] = s->hand[i];
	}
	h->first[h->ntask] = h->n;
}

/*
 * The release that ends what the task y has acquired last, of its first `before` operations or
 * before the interval; NONE: it has not acquired the lock there, or does not release it.
 */
static uint32_t release_of(const struct hands *h, uint32_t y, uint32_t before, uint32_t lock)
{
	uint32_t i = h->first[y] + before, end = h->first[y + 1];

	while (i > h->first[y] && h->op[i - 1].lock != lock)
		i--;
	if (i == h->first[y])
		while (i < end && h->op[i].kept && h->op[i].lock != lock)
			i++;
	else
		i--;
	if (i == end || h->op[i].lock != lock)
		return NONE;
	if (i >= h->first[y] + before && !h->op[i].kept)
		return NONE;
	while (i < end && (h->op[i].lock != lock || h->op[i].acquires))
		i++;
	return i < end ? i : NONE;
}

static uint32_t *clock_of(const struct hands *h, uint32_t op)
{
	return &h->clock[(size_t)op * h->ntask];
}

static bool join(const struct hands *h, uint32_t *clock, uint32_t op)
{
	const uint32_t *other = clock_of(h, op);
	bool grown = false;

	for (uint32_t i = 0; i < h->ntask; i++) {
		grown |= other[i] > clock[i];
		clock[i] = other[i] > clock[i] ? other[i] : clock[i];
	}
	return grown;
}

/* The clock of the task's next operation. False: what it has waited for is not known yet. */
static bool go_on(struct hands *h, uint32_t t)
{
	uint32_t k = h->known[t], *clock = clock_of(h, k);
	bool grown = h->op[k].acquires && !h->op[k].kept;

	if (k > h->first[t])
		memcpy(clock, clock_of(h, k - 1), h->ntask * sizeof(*clock));
	while (grown) {
		grown = false;
		for (uint32_t y = 0; y < h->ntask; y++) {
			uint32_t r = y == t ? NONE : release_of(h, y, clock[y], h->op[k].lock);

			if (r == NONE)
				continue;
			if (r >= h->known[y])
				return false;
			grown |= join(h, clock, r);
		}
	}
	clock[t] = k - h->first[t] + 1;
	h->known[t]++;
	return true;
}

struct hands *hands_make(const struct space *s)
{
	struct hands *h = calloc(1, sizeof(*h));
	bool moved = true;

	if (!h)
		return NULL;
	h->op = calloc(s->nhand, sizeof(*h->op));
	if (h->op)
		sort(h, s);
	h->clock = calloc((size_t)h->n * h->ntask + 1, sizeof(*h->clock));
	if (!h->op || !h->clock) {
		hands_free(h);
		return NULL;
	}
	/* in the run all came through; what a damaged trace lacks stays not known */
	while (moved) {
		moved = false;
		for (uint32_t t = 0; t < h->ntask; t++)
			while (h->known[t] < h->first[t + 1] && go_on(h, t))
				moved = true;
	}
	return h;
}

/* The task's operations up to that step. */
static uint32_t count_up_to(const struct hands *h, uint32_t t, int32_t step)
{
	uint32_t lo = h->first[t], hi = h->first[t + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (h->op[mid].behind <= step)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo - h->first[t];
}

bool hands_next(const struct hands *h, uint32_t task, int32_t step, uint32_t i, uint32_t *to,
		int32_t *behind)
{
	uint32_t x = place_of(h, task), lo = h->first[i], hi = h->known[i], done;

	if (x == NONE || x == i)
		return false;
	done = count_up_to(h, x, step);
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (clock_of(h, mid)[x] > done)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (lo == h->known[i])
		return false;
	*to = h->task[i];
	*behind = h->op[lo].behind;
	return true;
}

uint32_t hands_tasks(const struct hands *h)
{
	return h->ntask;
}
