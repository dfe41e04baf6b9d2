/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses, by eight bytes of memory. Memory on the stack of a task is that task's: another one
 * that has its frames there later has other variables.
 */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define OWNER_TASK 0x80000000u	 /* on its stack */
#define OWNER_MEMORY 0x40000000u /* in memory of its copies; without either: a version */
#define OWNER_SMALL (OWNER_TASK | OWNER_MEMORY) /* a block without a version */

/* The frame of the thread that the address is in; NULL: it is above all of them. */
static const struct frame *frame_of(const struct lane *l, uint64_t addr)
{
	for (size_t i = l->nframe; i-- > 0;)
		if (addr < l->frame[i].stack)
			return &l->frame[i];
	return NULL;
}

/*
 * Whose stack of another thread it is: of the nearest ancestor there, else of the implicit task of
 * that thread; UINT32_MAX: of none, as what is shared by all. False: where an ancestor has its
 * frames is not known yet.
 */
static bool owner_elsewhere(const struct space *s, uint32_t task, uint32_t lane, uint64_t addr,
			    uint32_t *owner)
{
	uint32_t n = 0;
	bool known = true;

	if (s->threads) {
		*owner = s->owner_lane == lane + 1 ? UINT32_MAX : thread_owner(s, addr);
		return s->owner_lane == lane + 1;
	}
	/* a damaged trace may have a task that is its own ancestor */
	for (uint32_t up = task + 1; up && n++ < s->ntask; up = task_parent(s, &s->task[up - 1])) {
		const struct task *t = &s->task[up - 1];

		known = known && (t->started || t->kind == TASK_PART) &&
			(t->parent || t->kind == TASK_TEAM || t->kind == TASK_NESTED);
		*owner = up - 1;
		if (t->started && t->lane == lane && addr < t->stack)
			return known;
	}
	for (uint32_t i = 0; i < s->nimplicit; i++) {
		const struct task *t = &s->task[s->implicit[i]];

		*owner = s->implicit[i];
		if (t->lane == lane && addr < t->stack)
			return known;
	}
	*owner = UINT32_MAX;
	return known;
}

static void on_stack(struct touch *w, uint32_t task)
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

const struct range *range_of(const struct ranges *r, uint64_t addr)
{
	uint32_t i = range_behind(r, addr);

	return i < r->n && addr >= r->range[i].lo ? &r->range[i] : NULL;
}

/* 0: nothing. */
static uint64_t range_at(const struct ranges *r, uint64_t addr)
{
	const struct range *there = range_of(r, addr);

	return there ? there->id : 0;
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

#define SMALL 64u /* bytes of a block that is an object of the trace */
#define SMALL_EVER (1u << 22)
#define SMALL_MOST 16384u /* that are known at a time: they are moved when one more is */

int small_add(struct openmp *e, uint64_t addr, uint64_t bytes, uint64_t pc)
{
	uint32_t *to;

	if (bytes >= SMALL || e->small.n >= SMALL_MOST || e->nsmall >= SMALL_EVER)
		return ranges_put(&e->small, 0, addr, bytes);
	to = vec_add(e->small_at, e->nsmall);
	if (!to)
		return -1;
	*to = site_of_pc(e, pc);
	return ranges_put(&e->small, e->nsmall, addr, bytes);
}

static bool is_small(struct openmp *e, struct lane *l, struct touch *w)
{
	uint32_t i = range_behind(&e->small, w->at);

	if (i == e->small.n || w->at < e->small.range[i].lo)
		return false;
	w->object = object_of_block(e, e->small_at[e->small.range[i].id - 1]);
	w->owner = OWNER_SMALL | (uint32_t)e->small.range[i].id;
	w->own = l && range_at(&l->made, w->at) == l->space->root;
	w->at -= e->small.range[i].lo;
	return true;
}

enum found { FOUND_OWN, FOUND_SHARED, FOUND_LATER };

/* Memory without an object. OWN: it is nobody else's. */
static enum found locate(struct openmp *e, struct lane *l, struct touch *w)
{
	if (is_within(w->at, l->own_lo, l->own_hi)) {
		struct root *r = root_of(e, l->space->root);

		if (r)
			r->numbered = true;
		return FOUND_OWN;
	}
	if (is_within(w->at, l->lo, l->hi)) {
		const struct frame *f = frame_of(l, w->at);

		on_stack(w, f && !f->owner && f->root == l->space->root &&
					    f->interval == l->space->interval
				    ? space_task(e, l->space, f->id)
				    : UINT32_MAX);
		return FOUND_SHARED;
	}
	w->object = object_of_module(e, w->at);
	if (w->object != OBJECT_FOREIGN || is_small(e, l, w))
		return FOUND_SHARED;
	for (uint32_t i = 0; i < e->nlane; i++) {
		const struct lane *other = &e->lane[i];
		uint32_t owner;

		if (is_within(w->at, other->own_lo, other->own_hi))
			break;
		if (!is_within(w->at, other->lo, other->hi))
			continue;
		if (!owner_elsewhere(l->space, lane_unit(l), i, w->at, &owner))
			return FOUND_LATER;
		on_stack(w, owner);
		return FOUND_SHARED;
	}
	w->owner = (uint32_t)range_at(&l->copies, w->at);
	w->owner |= w->owner ? OWNER_MEMORY : 0;
	return FOUND_LATER;
}

#define LATER ((size_t)1 << 21) /* accesses that are kept for the end of an interval */

/* False: it has to be put now. */
static bool put_later(struct space *s, const struct touch *w, unsigned size)
{
	struct later *to = s->nlater < LATER ? vec_add(s->later, s->nlater) : NULL;

	if (to)
		*to = (struct later){ .at = w->at,
				      .seg = w->seg,
				      .turn = w->turn,
				      .site = w->site,
				      .owner = w->owner,
				      .tick = w->tick,
				      .size = (uint8_t)size,
				      .flags = w->flags };
	return to;
}

#define CLAIM 256u /* accesses before a task is created that are looked at */

void later_claim(struct space *s, uint32_t unit, uint64_t id, uint64_t addr, uint64_t n)
{
	for (uint32_t i = s->nlater, k = 0; i-- > 0 && k < CLAIM; k++) {
		struct later *r = &s->later[i];

		if (s->seg[seg_of_turn(s, r->seg, r->turn)].task == unit && !r->owner &&
		    is_within(r->at, addr, addr + n))
			r->owner = OWNER_MEMORY | (uint32_t)id;
	}
}

static uint32_t lane_of_stack(const struct openmp *e, uint64_t addr)
{
	for (uint32_t i = 0; i < e->nlane; i++)
		if (is_within(addr, e->lane[i].lo, e->lane[i].hi))
			return i;
	return UINT32_MAX;
}

int space_settle(struct openmp *e, struct space *s)
{
	for (uint32_t i = 0; i < s->nlater; i++) {
		const struct later *r = &s->later[i];
		struct touch w = { .at = r->at,
				   .owner = r->owner,
				   .object = OBJECT_FOREIGN,
				   .seg = r->seg,
				   .turn = r->turn,
				   .site = r->site,
				   .tick = r->tick,
				   .flags = r->flags };
		uint32_t lane = lane_of_stack(e, r->at), owner;

		if (lane == UINT32_MAX && range_of(&e->reduced, r->at))
			continue;
		if (lane != UINT32_MAX) {
			owner_elsewhere(s, s->seg[r->seg].task, lane, r->at, &owner);
			on_stack(&w, owner);
		} else if (s->threads) {
			is_small(e, NULL, &w);
		}
		if (space_touch(e, s, &w, r->size))
			return -1;
	}
	s->nlater = 0;
	return 0;
}

/* Of memory without an object only that of modules and the thread's own stack is looked at. */
static int in_simd(struct openmp *e, struct lane *l, uint32_t site, uint32_t object, uint64_t at,
		   unsigned flags)
{
	uint32_t known;

	if (object < e->block->nobject)
		known = object_known(e, object);
	else if (is_within(at, l->own_lo, l->own_hi))
		return 0;
	else if (is_within(at, l->lo, l->hi))
		known = OBJECT_STACK;
	else
		known = object_of_module(e, at);
	site = site_known(e, site);
	return site && !e->failed ? simd_access(e, l, site, known, at, flags) : 0;
}

/* place: of it, when site is TRACE_NONE. */
static inline __attribute__((always_inline)) int access_at(struct openmp *e, uint32_t site,
							   uint32_t place, uint32_t object,
							   uint64_t at, unsigned flags,
							   unsigned size)
{
	struct lane *l = lane_now(e);
	enum found found = FOUND_SHARED;
	struct touch w = { .at = at };

	if (!l->space && !l->simd)
		return 0;
	w.flags = (flags & TRACE_WRITES ? ENTRY_WRITE : 0) |
		  (flags & TRACE_ATOMIC ? ENTRY_ATOMIC : 0);
	if (l->simd && in_simd(e, l, site, object, at, w.flags))
		return -1;
	if (!l->space)
		return 0;
	lane_top(l)->busy = true;
	if (object < e->block->nobject) {
		const struct trace_object *o = &e->block->object[object];

		w.object = object_known(e, object);
		w.owner = o->version & ~OWNER_SMALL;
		w.own = l->made.n && o->kind == TRACE_HEAP &&
			range_at(&l->made, o->desc.addr + at) == l->space->root;
	} else {
		found = locate(e, l, &w);
	}
	if (found == FOUND_OWN)
		return 0;
	/* other than its own variables */
	if (w.owner != (OWNER_TASK | l->task) || w.object != OBJECT_STACK) {
		l->writes |= w.flags & ENTRY_WRITE;
		l->reads = true;
	}
	if (!l->seg)
		l->seg = space_seg(e, l->space, lane_unit(l)) + 1;
	w.site = site == TRACE_NONE ? place : site_known(e, site);
	w.seg = l->seg - 1;
	w.turn = lane_top(l)->part ? lane_top(l)->turn : 0;
	if (l->space->ticks || found == FOUND_LATER)
		w.tick = task_tick(&l->space->task[lane_unit(l)], w.flags);
	if (found == FOUND_LATER && put_later(l->space, &w, size))
		return 0;
	return space_touch(e, l->space, &w, size);
}

int openmp_access(struct openmp *e, uint32_t site, uint32_t object, uint64_t at, unsigned flags)
{
	e->accesses += lane_now(e)->space || lane_now(e)->simd;
	return access_at(e, site, 0, object, at, flags, flags & TRACE_SIZE);
}

int openmp_access_of(struct openmp *e, uint32_t place, uint32_t object, uint64_t at, unsigned flags)
{
	e->accesses += lane_now(e)->space || lane_now(e)->simd;
	return access_at(e, TRACE_NONE, place, object, at, flags, flags & TRACE_SIZE);
}

int openmp_sweep(struct openmp *e, const struct trace_slot *slot, uint64_t at, uint64_t bytes)
{
	return access_at(e, slot->site, 0, slot->object, at, slot->flags, (unsigned)bytes);
}
