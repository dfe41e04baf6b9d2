/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/annotate/internal.h"

static void made(struct walk_level *l, int64_t step, uint64_t n)
{
	struct walk_step *least = &l->made[0];

	for (unsigned i = 0; i < WALK_STEPS; i++) {
		if (l->made[i].step == step) {
			l->made[i].n += n;
			return;
		}
		if (l->made[i].n < least->n)
			least = &l->made[i];
	}
	/* the one seen least gives way: what is frequent stays */
	least->step = step;
	least->n = n;
}

static void go(struct walk *w, unsigned k, int64_t at)
{
	struct walk_level *l = &w->level[k];

	if (!l->any) {
		l->any = true;
		l->begin = l->last = at;
		return;
	}
	if (at == l->last) /* the same element again is no step */
		return;
	if (!l->step) {
		l->step = at - l->last;
		l->length = 1;
		l->last = at;
		return;
	}
	if (at - l->last == l->step) {
		l->length++;
		l->last = at;
		return;
	}
	/* a run has ended; one step alone may be the way from one to the next */
	made(l, l->step, l->length);
	if (k + 1 < WALK_LEVELS)
		go(w, k + 1, l->begin);
	l->begin = l->last = at;
	l->step = 0;
	l->length = 0;
}

void walk_to(struct walk *w, int64_t at)
{
	go(w, 0, at);
}

void walk_end(struct walk *w)
{
	for (unsigned k = 0; k < WALK_LEVELS; k++) {
		struct walk_level *l = &w->level[k];

		if (!l->any)
			continue;
		if (l->step)
			made(l, l->step, l->length);
		if (k + 1 < WALK_LEVELS)
			go(w, k + 1, l->begin);
		l->any = false;
	}
}
