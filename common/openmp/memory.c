/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses, by eight bytes of memory. Memory on the stack of a task is that task's: another one
 * that has its frames there later has other variables.
 */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define OWNER_TASK 0x80000000u	     /* on its stack */
#define OWNER_MEMORY 0x40000000u     /* in memory of its copies; without either: a version */
#define MEMORY ((uint64_t)512 << 20) /* of an interval */
#define SAME 64u /* accesses of a place to a cell that are kept: those of different steps */
#define CHAIN 1024u

struct where {
	uint64_t at;
	uint32_t owner, object;
	bool own;
};

/* The frame of the thread that the address is in; NULL: it is above all of them. */
static const struct frame *frame_of(const struct lane *l, uint64_t addr)
{
	for (size_t i = l->nframe; i-- > 0;)
		if (addr < l->frame[i].stack)
			return &l->frame[i];
	return NULL;
}

static uint32_t parent_of(const struct space *s, const struct task *t)
{
	return t->kind == TASK_NESTED ? s->region[t->region - 1].parent : t->parent;
}

/*
 * Whose stack of another thread it is: of the nearest ancestor there, else of the implicit task of
 * that thread; UINT32_MAX: of none, as what is shared by all.
 */
static uint32_t owner_elsewhere(const struct space *s, uint32_t task, uint32_t lane, uint64_t addr)
{
	uint32_t n = 0;

	/* a damaged trace may have a task that is its own ancestor */
	for (uint32_t up = task + 1; up && n++ < s->ntask; up = parent_of(s, &s->task[up - 1])) {
		const struct task *t = &s->task[up - 1];

		if (t->started && t->lane == lane && addr < t->stack)
			return up - 1;
	}
	for (uint32_t i = 0; i < s->nimplicit; i++) {
		const struct task *t = &s->task[s->implicit[i]];

		if (t->lane == lane && addr < t->stack)
			return s->implicit[i];
	}
	return UINT32_MAX;
}

static void on_stack(struct where *w, uint32_t task)
{
	w->object = OBJECT_STACK;
	w->own = task != UINT32_MAX;
	w->owner = w->own ? OWNER_TASK | task : 0;
}

static bool is_within(uint64_t addr, uint64_t lo, uint64_t hi)
{
	return addr - lo < hi - lo;
}

/* The first that ends behind the address. */
static uint32_t range_behind(const struct ranges *r, uint64_t addr)
{
	uint32_t lo = 0, hi = r->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (r->range[mid].hi > addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* What is there; 0: nothing. */
static uint64_t range_at(const struct ranges *r, uint64_t addr)
{
	uint32_t i = range_behind(r, addr);

	return i < r->n && addr >= r->range[i].lo ? r->range[i].id : 0;
}

int ranges_put(struct ranges *r, uint64_t id, uint64_t addr, uint64_t n)
{
	uint32_t at = range_behind(r, addr), end = at, now = id ? 1 : 0;

	if (!n || addr + n < addr)
		return 0;
	while (end < r->n && r->range[end].lo < addr + n)
		end++;
	if (at == end && !now)
		return 0;
	if (at == end) {
		if (!vec_add(r->range, r->n))
			return -1;
		memmove(&r->range[at + 1], &r->range[at], (r->n - 1 - at) * sizeof(*r->range));
		end = at + 1;
	}
	if (now)
		r->range[at] = (struct range){ addr, addr + n, id };
	memmove(&r->range[at + now], &r->range[end], (r->n - end) * sizeof(*r->range));
	r->n -= end - at - now;
	return 0;
}

/* Memory without an object. False: it is nobody else's. */
static bool locate(struct openmp *e, struct lane *l, struct where *w)
{
	if (is_within(w->at, l->own_lo, l->own_hi)) {
		struct root *r = root_of(e, l->space->root);

		if (r)
			r->numbered = true;
		return false;
	}
	if (is_within(w->at, l->lo, l->hi)) {
		const struct frame *f = frame_of(l, w->at);

		on_stack(w, f && f->root == l->space->root && f->interval == l->space->interval
				    ? space_task(e, l->space, f->id)
				    : UINT32_MAX);
		return !l->reducing;
	}
	w->object = object_of_module(e, w->at);
	if (w->object != OBJECT_FOREIGN)
		return true;
	for (uint32_t i = 0; i < e->nlane; i++) {
		const struct lane *other = &e->lane[i];

		if (is_within(w->at, other->own_lo, other->own_hi))
			break;
		if (!is_within(w->at, other->lo, other->hi))
			continue;
		on_stack(w, owner_elsewhere(l->space, lane_unit(l), i, w->at));
		return !l->reducing;
	}
	w->owner = (uint32_t)range_at(&l->copies, w->at);
	w->owner |= w->owner ? OWNER_MEMORY : 0;
	return true;
}

static struct cell *cell_of(struct openmp *e, struct space *s, uint64_t at, const struct where *w)
{
	uint64_t key = hash_mix(hash_mix(HASH_START, at), w->owner);
	struct cell *c;
	uint64_t bytes;

	for (uint32_t k = 0, i; hash_next(&s->cell_at, key, &k, &i);)
		if (s->cell[i].at == at && s->cell[i].owner == w->owner) {
			s->cell[i].own |= w->own;
			return &s->cell[i];
		}
	bytes = s->ncell * (sizeof(*s->cell) + 16) + s->nentry * sizeof(*s->entry) +
		s->ntask * sizeof(*s->task);
	if (bytes > (e->o.memory ? e->o.memory : MEMORY)) {
		e->why[OPENMP_WHY_LIMIT] += !s->limited;
		s->limited = true;
		return NULL;
	}
	if (vec_room(s->cell, s->room_cell, s->ncell + 1) ||
	    hash_put(&s->cell_at, key, (uint32_t)s->ncell)) {
		e->failed = true;
		return NULL;
	}
	c = &s->cell[s->ncell++];
	*c = (struct cell){ .at = at, .owner = w->owner, .object = w->object, .own = w->own };
	return c;
}

/* The same access again adds nothing; false: there is no memory. */
static bool add(struct space *s, struct cell *c, const struct entry *x)
{
	uint32_t same = 0, n = 0;

	for (uint32_t i = c->entry; i; i = s->entry[i - 1].next, n++) {
		struct entry *old = &s->entry[i - 1];

		if (old->site != x->site || old->flags != x->flags)
			continue;
		if (old->seg == x->seg) {
			old->mask |= x->mask;
			return true;
		}
		same++;
	}
	if (same >= SAME || n >= CHAIN) {
		c->full = true;
		return true;
	}
	if (vec_room(s->entry, s->room_entry, s->nentry + 1))
		return false;
	s->entry[s->nentry++] = *x;
	s->entry[s->nentry - 1].next = c->entry;
	c->entry = (uint32_t)s->nentry;
	return true;
}

int openmp_access(struct openmp *e, uint32_t site, uint32_t object, uint64_t at, unsigned flags)
{
	struct lane *l = lane_now(e);
	unsigned size = flags & TRACE_SIZE;
	struct where w = { .at = at };
	struct entry x = { 0 };

	if (!l->space)
		return 0;
	e->accesses++;
	if (object < e->block->nobject) {
		const struct trace_object *o = &e->block->object[object];

		w.object = object_known(e, object);
		w.owner = o->version & ~(OWNER_TASK | OWNER_MEMORY);
		w.own = l->made.n && o->kind == TRACE_HEAP &&
			range_at(&l->made, o->desc.addr + at) == l->space->root;
	} else if (!locate(e, l, &w)) {
		return 0;
	}
	if (!l->seg)
		l->seg = space_seg(e, l->space, lane_unit(l)) + 1;
	x.site = site_known(e, site);
	x.seg = l->seg - 1;
	x.flags = (flags & TRACE_WRITES ? ENTRY_WRITE : 0) |
		  (flags & TRACE_ATOMIC ? ENTRY_ATOMIC : 0);
	while (size && !e->failed) {
		unsigned from = (unsigned)(at & 7), n = 8 - from < size ? 8 - from : size;
		struct cell *c = cell_of(e, l->space, at >> 3, &w);

		if (!c)
			break;
		x.mask = (uint8_t)(((1u << n) - 1) << from);
		if (!add(l->space, c, &x))
			return -1;
		at += n;
		size -= n;
	}
	return e->failed ? -1 : 0;
}
