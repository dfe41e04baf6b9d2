/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of an interval: its tasks, what they have locked, and on what they depend. */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

/* OMPT's kinds of dependences. */
enum { DEPEND_IN = 1, DEPEND_EXCLUSIVE = 4, DEPEND_SET = 7 };

struct space *space_get(struct openmp *e, uint64_t root, uint32_t interval)
{
	struct space **to;

	for (size_t i = e->nspace; i-- > 0;)
		if (e->space[i]->root == root && e->space[i]->interval == interval)
			return e->space[i];
	to = vec_add(e->space, e->nspace);
	if (!to)
		return NULL;
	*to = calloc(1, sizeof(**to));
	if (!*to) {
		e->nspace--;
		return NULL;
	}
	(*to)->serial = ++e->serials;
	(*to)->root = root;
	(*to)->interval = interval;
	return *to;
}

static void task_free(struct task *t)
{
	for (uint32_t i = 0; i < t->ndepend; i++) {
		free(t->depend[i].out);
		free(t->depend[i].in);
		free(t->depend[i].base);
	}
	free(t->depend);
	free(t->begun);
	free(t->successor);
	free(t->lock);
	free(t->exclusive);
}

void space_free(struct space *s)
{
	for (uint32_t i = 0; i < s->ntask; i++)
		task_free(&s->task[i]);
	free(s->task);
	free(s->region);
	free(s->group);
	free(s->loop);
	free(s->implicit);
	free(s->seg);
	free(s->call);
	free(s->page);
	free(s->entry);
	free(s->alias);
	free(s->later);
	free(s->order);
	free(s->hand);
	free(s->edge);
	free(s->wait);
	free(s->sync);
	free(s->tick);
	clocks_free(s->clocks);
	hash_clear(&s->task_at);
	hash_clear(&s->region_at);
	hash_clear(&s->seg_at);
	hash_clear(&s->page_at);
	hash_clear(&s->alias_at);
	free(s);
}

static uint32_t add_task(struct openmp *e, struct space *s, uint64_t id)
{
	struct task *t = vec_add(s->task, s->ntask);

	if (!t) {
		e->failed = true;
		return UINT32_MAX;
	}
	t->id = id;
	t->joined = t->real_joined = STEP_NEVER;
	return s->ntask - 1;
}

uint32_t space_task(struct openmp *e, struct space *s, uint64_t id)
{
	uint32_t to;

	for (uint32_t at = 0, i; hash_next(&s->task_at, id, &at, &i);)
		if (s->task[i].id == id)
			return i;
	to = add_task(e, s, id);
	if (to != UINT32_MAX && hash_put(&s->task_at, id, to))
		e->failed = true;
	return to;
}

/* The step before all that the task does in its interval, and in that. */
static int32_t interval_begin(const struct task *t)
{
	return t->nbegun ? t->begun[t->nbegun - 1] : -1;
}

static struct task part_at(const struct space *s, uint32_t parent, uint32_t loop, int32_t begun)
{
	const struct task *p = &s->task[parent];

	return (struct task){ .kind = TASK_PART,
			      .parent = parent + 1,
			      .loop = loop,
			      .created = loop ? begun : interval_begin(p),
			      .joined = STEP_NEVER,
			      .real_created = p->step,
			      .real_joined = STEP_NEVER,
			      .lane = p->lane,
			      .region = p->region,
			      .interval = p->interval,
			      .group = p->group,
			      .set = p->set };
}

uint32_t space_part(struct openmp *e, struct space *s, uint32_t parent, uint32_t loop,
		    int32_t begun)
{
	uint32_t to = add_task(e, s, 0);

	if (to == UINT32_MAX)
		return to;
	s->task[to] = part_at(s, parent, loop, begun);
	s->task[parent].step++;
	return to;
}

bool space_is_part(const struct space *s, uint32_t part, uint32_t parent, uint32_t loop,
		   int32_t begun)
{
	const struct task *t = &s->task[part];
	struct task new = part_at(s, parent, loop, begun);

	return t->kind == new.kind && t->parent == new.parent && t->loop == new.loop &&
	       t->created == new.created && t->region == new.region &&
	       t->interval == new.interval && t->group == new.group && t->set == new.set;
}

int space_implicit(struct space *s, uint32_t task, unsigned kind)
{
	uint32_t *to;

	if (s->task[task].kind == kind)
		return 0;
	s->task[task].kind = (uint8_t)kind;
	to = vec_add(s->implicit, s->nimplicit);
	if (to)
		*to = task;
	return to ? 0 : -1;
}

uint32_t space_region(struct openmp *e, struct space *s, uint64_t id)
{
	struct region *r;

	for (uint32_t at = 0, i; hash_next(&s->region_at, id, &at, &i);)
		if (s->region[i].id == id)
			return i;
	r = vec_add(s->region, s->nregion);
	if (!r || hash_put(&s->region_at, id, s->nregion - 1)) {
		e->failed = true;
		return UINT32_MAX;
	}
	r->id = id;
	r->joined = STEP_NEVER;
	return s->nregion - 1;
}

uint32_t space_seg(struct openmp *e, struct space *s, uint32_t task)
{
	const struct task *t = &s->task[task];
	uint64_t key = hash_mix(hash_mix(task, (uint64_t)t->step), t->set);
	struct seg *to;

	for (uint32_t at = 0, i; hash_next(&s->seg_at, key, &at, &i);)
		if (s->seg[i].task == task && s->seg[i].step == t->step && s->seg[i].set == t->set)
			return i;
	to = vec_add(s->seg, s->nseg);
	if (!to || hash_put(&s->seg_at, key, s->nseg - 1)) {
		e->failed = true;
		return UINT32_MAX;
	}
	*to = (struct seg){ task, t->step, t->set };
	return s->nseg - 1;
}

/* ---- mutual exclusion ---- */

uint32_t lock_number(struct openmp *e, int kind, uint64_t key)
{
	uint64_t h = hash_mix((uint64_t)kind, key);
	struct lock *l;

	for (uint32_t at = 0, i; hash_next(&e->lock_at, h, &at, &i);)
		if (e->lock[i].kind == kind && e->lock[i].key == key)
			return i;
	l = vec_add(e->lock, e->nlock);
	if (!l || hash_put(&e->lock_at, h, e->nlock - 1)) {
		e->failed = true;
		return UINT32_MAX;
	}
	*l = (struct lock){ .kind = kind, .key = key };
	return e->nlock - 1;
}

int lock_known_as(struct openmp *e, int kind, uint64_t key, uint64_t variable)
{
	uint32_t lock = lock_number(e, kind, key);

	if (lock == UINT32_MAX)
		return -1;
	if (kind == MUTEX_LOCK || kind == MUTEX_NEST || kind == MUTEX_CRITICAL ||
	    kind >= MUTEX_THREAD)
		e->lock[lock].variable = variable;
	return 0;
}

/* The number of the set of these, which are sorted; 0 is the empty one. */
static uint32_t set_number(struct openmp *e, const uint32_t *lock, uint32_t n)
{
	uint64_t key = hash_bytes(HASH_START, lock, n * sizeof(*lock));
	struct set *to;

	if (!n)
		return 0;
	for (uint32_t at = 0, i; hash_next(&e->set_at, key, &at, &i);)
		if (e->set[i].n == n && !memcmp(e->set[i].lock, lock, n * sizeof(*lock)))
			return i + 1;
	to = vec_add(e->set, e->nset);
	if (!to || !(to->lock = malloc(n * sizeof(*lock))) ||
	    hash_put(&e->set_at, key, e->nset - 1)) {
		e->failed = true;
		return 0;
	}
	memcpy(to->lock, lock, n * sizeof(*lock));
	to->n = n;
	return e->nset;
}

/* Critical regions and locks exclude the threads of one team only (OpenMP 5.2, 15.2 and 18.9). */
static bool is_of_team(const struct lock *l)
{
	return l->kind > 0 && l->kind != MUTEX_ATOMIC && l->kind < MUTEX_THREAD;
}

static bool is_in(const struct set *x, uint32_t lock)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->lock[i] == lock)
			return true;
	return false;
}

/* Who has a lock for reading excludes those who have it for writing, and no others. */
static bool readers_meet(const struct openmp *e, const struct set *readers, const struct set *x)
{
	for (uint32_t i = 0; i < readers->n; i++) {
		uint32_t writers = e->lock[readers->lock[i]].writers;

		if (writers && is_in(x, writers - 1))
			return true;
	}
	return false;
}

bool sets_meet(const struct openmp *e, uint32_t a, uint32_t b, bool two_teams)
{
	const struct set *x, *y;

	if (!a || !b)
		return false;
	x = &e->set[a - 1];
	y = &e->set[b - 1];
	for (uint32_t i = 0, k = 0; i < x->n && k < y->n;) {
		const struct lock *l = &e->lock[x->lock[i]];

		if (x->lock[i] == y->lock[k] && !l->writers && !(two_teams && is_of_team(l)))
			return true;
		if (x->lock[i] <= y->lock[k])
			i++;
		else
			k++;
	}
	return e->readers && (readers_meet(e, x, y) || readers_meet(e, y, x));
}

/* Puts the number into the sorted list, or takes it out. */
static int list_change(uint32_t **list, uint32_t *n, uint32_t v, bool there)
{
	uint32_t i = 0;

	while (i < *n && (*list)[i] < v)
		i++;
	if (there && (i == *n || (*list)[i] != v)) {
		if (!vec_add(*list, *n))
			return -1;
		memmove(&(*list)[i + 1], &(*list)[i], (*n - 1 - i) * sizeof(**list));
		(*list)[i] = v;
	} else if (!there && i < *n && (*list)[i] == v) {
		vec_remove(*list, *n, i);
	}
	return 0;
}

int task_lock(struct openmp *e, struct task *t, int kind, uint64_t key, bool held)
{
	uint32_t lock = lock_number(e, kind, key), writers;

	if (lock != UINT32_MAX && kind == MUTEX_READ && held) {
		writers = lock_number(e, MUTEX_THREAD, key);
		e->lock[lock].writers = writers + 1;
		e->readers = true;
	}
	if (lock == UINT32_MAX || list_change(&t->lock, &t->nlock, lock, held))
		return -1;
	t->set = set_number(e, t->lock, t->nlock);
	return 0;
}

int task_inherit(struct task *t, const struct task *from)
{
	for (uint32_t i = 0; i < from->nlock; i++)
		if (list_change(&t->lock, &t->nlock, from->lock[i], true))
			return -1;
	t->set = from->set;
	return 0;
}

int task_keeps(struct openmp *e, struct space *s, uint32_t task, const struct task *from)
{
	if (task_inherit(&s->task[task], from))
		return -1;
	for (uint32_t i = 0; i < from->nlock; i++) {
		int kind = e->lock[from->lock[i]].kind;

		if ((kind == MUTEX_LOCK || kind == MUTEX_NEST) && hand_keep(s, task, from->lock[i]))
			return -1;
	}
	return 0;
}

static int exclude(struct openmp *e, struct task *t, uint64_t addr)
{
	uint32_t lock = lock_number(e, -DEPEND_EXCLUSIVE, addr);

	if (lock == UINT32_MAX || list_change(&t->exclusive, &t->nexclusive, lock, true))
		return -1;
	t->always = set_number(e, t->exclusive, t->nexclusive);
	return 0;
}

/* ---- dependences ---- */

static int is_after(struct space *s, const uint32_t *before, uint32_t n, uint32_t task)
{
	for (uint32_t i = 0; i < n; i++) {
		struct task *t = &s->task[before[i]];
		uint32_t *to;

		if (before[i] == task || (t->nsuccessor && t->successor[t->nsuccessor - 1] == task))
			continue;
		to = vec_add(t->successor, t->nsuccessor);
		if (!to)
			return -1;
		*to = task;
	}
	return 0;
}

/* Of a kind whose tasks are not ordered among each other. */
static bool is_loose(int kind)
{
	return kind == DEPEND_EXCLUSIVE || kind == DEPEND_SET;
}

static struct depend *depend_of(struct task *t, uint64_t addr)
{
	struct depend *d;

	for (uint32_t i = 0; i < t->ndepend; i++)
		if (t->depend[i].addr == addr)
			return &t->depend[i];
	d = vec_add(t->depend, t->ndepend);
	if (d)
		d->addr = addr;
	return d;
}

static int add_number(uint32_t **list, uint32_t *n, uint32_t v)
{
	uint32_t *to = vec_add(*list, *n);

	if (to)
		*to = v;
	return to ? 0 : -1;
}

/* What comes from now on is after all that is in `in`, or else in `out`. */
static int base_begin(struct depend *d)
{
	d->nbase = 0;
	for (uint32_t i = 0; i < d->nin; i++)
		if (add_number(&d->base, &d->nbase, d->in[i]))
			return -1;
	for (uint32_t i = 0; i < d->nout; i++)
		if (add_number(&d->base, &d->nbase, d->out[i]))
			return -1;
	d->nin = d->nout = 0;
	return 0;
}

int task_depends(struct openmp *e, struct space *s, uint32_t parent, uint32_t task, int kind,
		 uint64_t addr)
{
	struct depend *d = depend_of(&s->task[parent], addr);

	if (!d)
		return -1;
	if (kind == DEPEND_IN)
		return is_after(s, d->out, d->nout, task) || add_number(&d->in, &d->nin, task) ? -1
											       : 0;
	if (!is_loose(kind) || kind != d->kind || d->nin) {
		if (base_begin(d))
			return -1;
		d->kind = kind;
	}
	if (kind == DEPEND_EXCLUSIVE && exclude(e, &s->task[task], addr))
		return -1;
	return is_after(s, d->base, d->nbase, task) || add_number(&d->out, &d->nout, task) ? -1 : 0;
}
