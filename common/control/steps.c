/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nearly all accesses are right: of the rank's own element, which was written before, and not by
 * another iteration. They are recognised here by a few comparisons, and change their cells as
 * access.c does, which judges all others. What does not change from one access of a slot to the
 * next is kept by the slot.
 */
#include "common/control/internal.h"

#include <string.h>

#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/logical/construct.h"
#include "common/trace/code.h"

#define PAGE_MASK (SHADOW_PAGE - 1)

/* What nearly all need comes first, in one line of the cache. */
struct quick {
	uint64_t base; /* of the object; 0: at is the address */
	struct array *array;
	uint64_t page; /* number + 1 of that whose cells are at `cell`; 0: none */
	struct cell *cell;
	uint64_t calm;	 /* an address that no array is beside */
	uint32_t calm_at; /* when the shadow had changed so often */
	uint32_t changes; /* of the shadow, when the page was found */
	uint16_t site;
	uint8_t size, bytes; /* bytes: a bit for each, of the first cell */
	uint8_t shift;
	bool known; /* the members above and below are set */
	bool write, replicated;
	bool loose;   /* of no object, or of heap memory */
	bool nowhere; /* of no object */
	const struct trace_shape *shape; /* of the array */
	uint32_t writer, loop; /* place in the writers of the loop with that number; 0: none */
	uint64_t lo, hi; /* emulated: addresses of elements of `owner`; nowhere: in no module */
	uint32_t owner[ARRAY_DIMS];
};

/* What is the same for all accesses between two iterations. */
struct now {
	struct lane *lane;
	struct level *level; /* NULL: none */
	uint32_t unit;
	/* numbers that need not be looked at: up to below, from … to, and unit */
	uint32_t below, from, to;
	bool slow; /* all are looked at */
	bool bare; /* no construct declares anything */
	bool iterates;
	uint64_t clause,
		nclause; /* addresses that a clause is about which is judged by the access */
};

int quick_begin(struct dyncontrol *e)
{
	const struct trace_block *b = e->block;

	if (vec_room(e->quick, e->quick_room, b->nslot + 1))
		return -1;
	memset(e->quick, 0, b->nslot * sizeof(*e->quick));
	e->far_lo = e->far_hi = 0;
	return 0;
}

void quick_forget(struct dyncontrol *e)
{
	memset(e->quick, 0, e->block->nslot * sizeof(*e->quick));
}

/* After the first access, which has made all that belongs to it. */
static void quick_learn(struct dyncontrol *e, struct quick *q, uint32_t number)
{
	const struct trace_slot *t = &e->block->slot[number];
	const struct slot *s = slot_of(e, t->object);

	/* whether an atomic one is of the iteration depends on the loop */
	*q = (struct quick){ .known = !(t->flags & TRACE_ATOMIC),
			     .base = s ? s->addr : 0,
			     .array = s ? s->array : NULL,
			     .shape = s ? &s->shape : NULL,
			     .site = site_of(e, t->site),
			     .size = t->flags & TRACE_SIZE,
			     .write = t->flags & TRACE_WRITES,
			     .replicated = s && s->replicated,
			     .loose = !s || s->heap,
			     .nowhere = !s };
}

/* ---- where the thread is ---- */

static void take_bounds(struct dyncontrol *e, struct now *n)
{
	const struct level *outer = e->nlevel > 1 ? &e->level[e->nlevel - 2] : NULL;

	n->below = e->nlevel ? e->level[0].base : 0;
	n->from = n->to = n->below;
	/* of a task they are all of that task */
	if (outer && outer->kind == CONSTRUCT_TR && outer->start) {
		n->from = outer->start;
		n->to = n->level->base;
	}
}

static void take_unit(struct dyncontrol *e, struct now *n)
{
	const struct level *l = n->level;

	n->unit = n->lane->unit;
	n->slow = e->failed || (l ? l->on && !l->on_array : n->unit != 0);
	for (size_t i = 0; i < e->nreduction; i++)
		n->slow |= e->reduction[i].open;
}

/* All addresses between those of its clauses that say what may not be read or written. */
static void take_clauses(const struct dyncontrol *e, struct now *n)
{
	uint64_t lo = UINT64_MAX, hi = 0;

	for (size_t i = 0; n->level && i < n->level->nclause; i++) {
		const struct clause *c = &n->level->clause[i];

		if (c->kind != 'P' && c->kind != 'R')
			continue;
		lo = c->lo < lo ? c->lo : lo;
		hi = c->hi > hi ? c->hi : hi;
	}
	n->bare = true;
	for (unsigned i = 0; i < e->nlevel; i++)
		n->bare = n->bare && !e->level[i].nclause;
	n->clause = lo;
	n->nclause = hi > lo ? hi - lo : 0;
}

static void take_now(struct dyncontrol *e, struct now *n)
{
	*n = (struct now){ .lane = lane_now(e), .level = level_now(e) };
	n->iterates = dyncontrol_iterates(e);
	take_bounds(e, n);
	take_unit(e, n);
	take_clauses(e, n);
}

/* ---- one access ---- */

static bool is_quiet(const struct now *n, uint32_t other)
{
	return other <= n->below || other == n->unit || (other >= n->from && other <= n->to);
}

/* Cells of the page that the address is in. */
static bool find_page(struct dyncontrol *e, struct quick *q, uint64_t addr)
{
	unsigned n, shift;
	struct cell *c;

	c = shadow_find(&e->shadow, addr, q->size, &n, &shift);
	if (!c)
		return false;
	if (q->write)
		shadow_use(&e->shadow, addr, q->size);
	q->cell = c - ((addr & PAGE_MASK) >> shift);
	q->shift = (uint8_t)shift;
	q->bytes = (uint8_t)((1u << (1u << shift)) - 1);
	q->page = (addr >> SHADOW_PAGE_SHIFT) + 1;
	q->changes = e->shadow.changes;
	return true;
}

/* Outside of objects: no array is near whose index ran over. */
static inline bool is_far(struct dyncontrol *e, struct quick *q, uint64_t addr)
{
	if (q->site && e->known[q->site - 1].array[q->write])
		return false;
	if (q->base || (q->calm == addr && q->calm_at == e->shadow.changes))
		return true;
	if (access_beside(e, addr, q->size))
		return false;
	q->calm = addr;
	q->calm_at = e->shadow.changes;
	return true;
}

/* Addresses of the row that the element is in which are of the same processor. */
static void find_row(struct dyncontrol *e, struct quick *q, uint64_t addr, const int64_t *index,
		     uint64_t within)
{
	const struct array *x = q->array;
	const struct trace_shape *s = q->shape;
	unsigned d = s->by[s->ndim - 1];
	int64_t lo = x->own_lo[d], hi = x->own_hi[d], first, last;
	uint64_t stride = s->stride[s->ndim - 1];

	q->lo = q->hi = 0;
	if (s->turned[s->ndim - 1])
		return;
	for (unsigned g = 0; g < e->o.ngrid; g++) {
		if (x->grid[g] != (int)d)
			continue;
		array_block(e, x, g, q->owner[g], &first, &last);
		lo = first > lo ? first : lo;
		hi = last < hi ? last : hi;
	}
	if (index[d] < lo || index[d] > hi)
		return;
	q->lo = addr - within - (uint64_t)(index[d] - lo) * stride;
	q->hi = addr - within + (uint64_t)(hi - index[d]) * stride + x->elem_size;
}

/* Emulated: the element is of the processor that executes the iteration. */
static bool is_home(struct dyncontrol *e, const struct now *n, struct quick *q, uint64_t addr)
{
	const struct array *x = q->array;
	int64_t index[ARRAY_DIMS];
	uint32_t within;

	lane_settle(e, n->lane);
	if (!n->lane->placed || !x->on_grid)
		return true;
	if (addr - q->lo >= q->hi - q->lo) {
		if (trace_shape_find(q->shape, addr - q->base, index, &within) != TRACE_OWN)
			return false;
		array_owner(e, x, index, q->owner);
		find_row(e, q, addr, index, within);
	}
	for (unsigned g = 0; g < e->o.ngrid; g++)
		if (q->owner[g] != n->lane->coord[g])
			return false;
	return true;
}

/* One that need not be sampled is counted. */
static bool count_write(const struct now *n, struct quick *q)
{
	struct level *l = n->level;
	struct writer *w;

	if (q->loop != l->begun || q->writer >= l->nwriter) {
		for (size_t i = 0; i < l->nwriter; i++)
			if (l->writer[i].array == q->array && l->writer[i].site == q->site) {
				q->loop = l->begun;
				q->writer = (uint32_t)i;
				return count_write(n, q);
			}
		return false;
	}
	w = &l->writer[q->writer];
	if (writer_samples(w->n + 1))
		return false;
	w->n++;
	return true;
}

static inline void write_cells(struct dyncontrol *e, const struct now *n, const struct quick *q,
			       struct cell *c, unsigned cells)
{
	for (unsigned i = 0; i < cells; i++) {
		c[i].write = n->unit ? n->unit : e->serial;
		c[i].wsite = q->site;
		c[i].flags =
			(uint8_t)(n->unit ? c[i].flags & ~CELL_LOOSE : c[i].flags | CELL_LOOSE);
		c[i].flags |= q->size < 8 ? 0 : CELL_WIDE;
		if (c[i].flags & CELL_FRESH)
			c[i].init |= cells > 1 && c[cells - 1].flags & CELL_FRESH ? 0xff : q->bytes;
	}
}

static inline void read_cells(const struct now *n, const struct quick *q, struct cell *c,
			      unsigned cells)
{
	const uint32_t base = n->level->base;

	for (unsigned i = 0; i < cells; i++) {
		if (c[i].read == n->unit || (c[i].write == n->unit && !(c[i].flags & CELL_LOOSE)))
			continue;
		if (c[i].read > base) {
			c[i].flags |= CELL_SEVERAL;
			continue;
		}
		c[i].read = n->unit;
		c[i].rsite = q->site;
		c[i].flags &= (uint8_t)~CELL_SEVERAL;
	}
}

/* The other is an iteration of the same loop, which declares that. */
static bool may_depend(const struct now *n, const struct quick *q, uint32_t other, uint64_t addr)
{
	return q->array && n->level->kind == CONSTRUCT_PL && other > n->level->base &&
	       other != n->unit && access_may_depend(n->lane, addr, n->level, other);
}

/* In no module; *lo … *hi - 1 are neither. */
static bool is_outside(const struct trace_block *b, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	*lo = 0;
	*hi = TRACE_AT_MASK;
	for (uint32_t i = 0; i < b->nmodule; i++) {
		const struct trace_module *m = &b->module[i];
		uint64_t own = (addr - m->load) & TRACE_AT_MASK;
		uint64_t before = own < m->lo ? own : own - m->hi;
		uint64_t behind = own < m->lo ? m->lo - own : TRACE_AT_MASK - own;

		if (own >= m->lo && own < m->hi)
			return false;
		*lo = before < addr - *lo ? addr - before : *lo;
		*hi = behind < *hi - addr ? addr + behind : *hi;
	}
	return true;
}

/* Of no object, and neither in a block nor in a module: only reads matter there. */
static bool is_on_stack(struct dyncontrol *e, struct quick *q, uint64_t addr)
{
	uint64_t word = addr & PAGE_MASK & ~(uint64_t)7;

	if (!q->nowhere || addr > TRACE_AT_MASK || q->cell[word >> q->shift].flags & CELL_HEAP)
		return false;
	if (addr - q->lo < q->hi - q->lo)
		return true;
	if (is_outside(e->block, addr, &q->lo, &q->hi))
		return true;
	q->lo = q->hi = 0;
	return false;
}

/* Nothing is wrong with what the cell says of an access in an iteration. */
static inline bool is_right(struct dyncontrol *e, const struct now *n, struct quick *q,
			    const struct cell *c, uint64_t addr)
{
	bool written = c->flags & CELL_LOOSE || is_quiet(n, c->write);

	if (addr - n->clause < n->nclause)
		return false;
	if (!q->write)
		return written || may_depend(n, q, c->write, addr);
	if (q->replicated)
		return false;
	if (written && is_quiet(n, c->read) && !(c->read == n->unit && c->flags & CELL_SEVERAL))
		return true;
	if (!q->array)
		return n->bare && is_on_stack(e, q, addr);
	return may_depend(n, q, written ? c->read : c->write, addr);
}

/* An element of the array that this rank has, or that no rank has; emulated, of this processor. */
static inline bool is_own(struct dyncontrol *e, const struct now *n, struct quick *q,
			  const struct cell *c, uint64_t addr)
{
	unsigned where = c->flags & CELL_WHERE;

	if ((where != CELL_OWN && where != CELL_EDGE) || q->array->renewing)
		return false;
	return !n->unit || !e->o.ngrid || (where == CELL_OWN && is_home(e, n, q, addr));
}

/* Nothing is left to note of it as a write of the loop. */
static inline bool is_counted(struct dyncontrol *e, const struct now *n, struct quick *q,
			      const struct cell *c)
{
	return !q->write || !n->unit || e->o.ngrid || (c->flags & CELL_WHERE) != CELL_OWN ||
	       count_write(n, q);
}

/* True: it is done. */
static inline bool take_quick(struct dyncontrol *e, const struct now *n, struct quick *q,
			      uint64_t at)
{
	uint64_t addr = q->base + at;
	unsigned cells;
	struct cell *c;

	if (q->loose && n->lane->shared)
		return q->known && n->unit && is_far(e, q, addr);
	if (!q->known || n->slow || (!q->array && e->nremote) || addr & (q->size - 1u))
		return false;
	if (q->loose && n->unit && !is_far(e, q, addr))
		return false;
	if (((addr >> SHADOW_PAGE_SHIFT) + 1 != q->page || q->changes != e->shadow.changes) &&
	    !find_page(e, q, addr))
		return false;
	c = &q->cell[(addr & PAGE_MASK) >> q->shift];
	cells = q->size >> q->shift;
	if (!q->write && c->flags & CELL_FRESH && !(c->flags & CELL_FOREIGN) &&
	    (c->init & q->bytes) != q->bytes)
		return false;
	if (q->array && !is_own(e, n, q, c, addr))
		return false;
	if (n->unit && !is_right(e, n, q, c, addr))
		return false;
	if (q->array && !is_counted(e, n, q, c))
		return false;
	if (q->array && q->site)
		e->known[q->site - 1].array[q->write] = q->array;
	if (q->write)
		write_cells(e, n, q, c, cells);
	else if (n->unit)
		read_cells(n, q, c, cells);
	return true;
}

/* ---- the steps ---- */

static int take_slowly(struct dyncontrol *e, const struct trace_batch *s,
		       const struct trace_batch_item *step, const struct trace_batch_item *iter,
		       struct trace_cursor *at)
{
	struct trace_rec r;

	trace_batch_enter(at, s, iter);
	trace_batch_record(at, s, step, &r);
	return dyncontrol_record(e, &r);
}

/* An access that something has to be said about, or the first of its slot. */
static int take_other(struct dyncontrol *e, struct now *n, const struct trace_batch *s,
		      const struct trace_batch_item *step, const struct trace_batch_item *iter,
		      struct trace_cursor *at)
{
	struct quick *q = &e->quick[step->slot];
	int rc = take_slowly(e, s, step, iter, at);

	if (!q->known)
		quick_learn(e, q, step->slot);
	take_unit(e, n);
	return rc;
}

static int take_iteration(struct dyncontrol *e, struct now *n, const struct trace_batch *s,
			  const struct trace_batch_item *step)
{
	bool first = n->level && !n->level->iterations;
	int rc;

	if (!n->iterates)
		return 0;
	rc = dyncontrol_iterate(e, step->nidx, &s->index[step->at]);
	n->unit = n->lane->unit;
	if (first)
		take_bounds(e, n);
	if (first || n->slow)
		take_unit(e, n);
	return rc;
}

int dyncontrol_steps(void *self, const struct trace_batch *s, struct trace_cursor *at,
		     struct err *err)
{
	struct dyncontrol *e = self;
	const struct trace_batch_item *iter = NULL;
	uint64_t judged = 0, inside = 0; /* accesses to arrays, those in iterations */
	struct now n;
	int rc = 0;

	e->at = at;
	take_now(e, &n);
	for (unsigned i = 0; i < s->n && !rc; i++) {
		const struct trace_batch_item *step = &s->step[i];

		if (step->slot == TRACE_NONE) {
			iter = step;
			rc = take_iteration(e, &n, s, step);
		} else if (take_quick(e, &n, &e->quick[step->slot], step->at)) {
			judged += e->quick[step->slot].array != NULL;
			inside += n.unit != 0;
		} else {
			rc = take_other(e, &n, s, step, iter, at);
		}
	}
	if (n.level)
		n.level->accesses += judged;
	e->accesses += inside;
	return rc ? err_set(err, "out of memory") : 0;
}
