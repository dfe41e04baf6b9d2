/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distributed arrays by their memory, and whose their elements are: this rank's, or, emulated, a
 * processor's of the grid.
 */
#include "common/control/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"
#include "common/logical/construct.h"

/* Bytes from the first stored element to the end; 0: it stores none, or is too wild. */
static uint64_t length_of(const struct trace_shape *s)
{
	uint64_t n = s->desc->elem_size, more;

	for (unsigned d = 0; d < s->ndim; d++)
		if (!s->n[d] || __builtin_mul_overflow(s->n[d] - 1, s->stride[d], &more) ||
		    __builtin_add_overflow(n, more, &n))
			return 0;
	return n;
}

static bool is_same(const struct array *a, const struct array_desc *d, uint64_t addr)
{
	if (a->addr != addr || a->ndim != d->ndim || a->elem_size != d->elem_size ||
	    a->replicated != (d->kind == ARRAY_REPLICATED))
		return false;
	for (unsigned i = 0; i < a->ndim; i++)
		if (a->extent[i] != d->extent[i] || a->lower[i] != d->lower[i] ||
		    a->own_lo[i] != d->own_lo[i] || a->own_hi[i] != d->own_hi[i] ||
		    a->halo_lo[i] != d->halo_lo[i] || a->halo_hi[i] != d->halo_hi[i] ||
		    a->stride[i] != d->stride[i] || (d->list[i] && !a->listed))
			return false;
	return true;
}

/*
 * Which of its dimensions those of the grid are that have more than one processor, in order: its
 * dimensions with a halo; where these are too few, the first that are not components.
 */
static void choose_dimensions(const struct dyncontrol *e, struct array *a, unsigned needed,
			      bool halos)
{
	unsigned g = 0, n = 0;

	for (unsigned d = 0; d < a->ndim && n < needed; d++) {
		if (halos ? !a->halo_lo[d] && !a->halo_hi[d]
			  : a->extent[d] <= 16 && a->ndim - d > needed - n)
			continue;
		while (e->o.grid[g] < 2)
			g++;
		a->grid[g++] = (int)d;
		n++;
	}
	a->on_grid = n == needed;
}

static void put_on_grid(const struct dyncontrol *e, struct array *a)
{
	unsigned needed = 0, halos = 0;

	for (unsigned d = 0; d < ARRAY_DIMS; d++)
		a->grid[d] = -1;
	if (!e->o.ngrid || a->listed || a->replicated)
		return;
	for (unsigned g = 0; g < e->o.ngrid; g++)
		needed += e->o.grid[g] > 1;
	for (unsigned d = 0; d < a->ndim; d++)
		halos += a->halo_lo[d] || a->halo_hi[d];
	if (e->o.ngrid == a->ndim) {
		for (unsigned g = 0; g < e->o.ngrid; g++)
			a->grid[g] = (int)g;
		a->on_grid = true;
	} else {
		choose_dimensions(e, a, needed, halos >= needed);
		a->guessed = !halos;
	}
	for (unsigned d = 0; d < a->ndim; d++)
		a->on_grid = a->on_grid && a->extent[d] > 0;
}

static bool has_halo(const struct array *a)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (a->halo_lo[d] || a->halo_hi[d])
			return true;
	return false;
}

/*
 * Those without a halo are distributed as one of the same shape that has one. Where the others have
 * another shape it is not known how: faces may be on both of the processors beside them.
 */
static void align(struct dyncontrol *e, struct array *a)
{
	bool others = false;

	for (size_t k = 0; k < e->narray; k++) {
		const struct array *like = e->array[k];

		if (!has_halo(like) || !like->on_grid)
			continue;
		others = true;
		if (like->ndim != a->ndim || memcmp(a->extent, like->extent, sizeof(a->extent)))
			continue;
		memcpy(a->grid, like->grid, sizeof(a->grid));
		a->on_grid = true;
		a->guessed = false;
		return;
	}
	a->on_grid = a->on_grid && !others;
}

static bool is_like(const struct array *a, const struct array *b)
{
	return a->ndim == b->ndim && a->fortran == b->fortran &&
	       !memcmp(a->extent, b->extent, sizeof(a->extent));
}

/* As those of its shape for which a loop has shown it. */
static void follow(struct dyncontrol *e, struct array *a)
{
	for (size_t k = 0; a->guessed && k < e->narray; k++) {
		const struct array *like = e->array[k];

		if (like->guessed || !like->on_grid || has_halo(like) || !is_like(a, like))
			continue;
		memcpy(a->grid, like->grid, sizeof(a->grid));
		a->guessed = false;
	}
}

/*
 * A loop is mapped on it by those of its dimensions: distributed are the first of them. All of them
 * say nothing.
 */
static void show_dimensions(struct dyncontrol *e, struct array *a, const bool *mapped)
{
	unsigned d = 0, n = 0, needed = 0;
	int grid[ARRAY_DIMS];

	for (unsigned i = 0; i < a->ndim; i++)
		n += mapped[i];
	for (unsigned g = 0; g < e->o.ngrid; g++)
		needed += e->o.grid[g] > 1;
	if (n == a->ndim || n < needed)
		return;
	for (unsigned g = 0; g < ARRAY_DIMS; g++) {
		grid[g] = -1;
		if (g >= e->o.ngrid || e->o.grid[g] < 2)
			continue;
		while (!mapped[d])
			d++;
		grid[g] = (int)d++;
	}
	memcpy(a->grid, grid, sizeof(grid));
	a->guessed = false;
	for (size_t i = 0; i < e->narray; i++)
		follow(e, e->array[i]);
	quick_forget(e);
}

static void align_all(struct dyncontrol *e)
{
	for (size_t i = 0; e->o.ngrid && i < e->narray; i++)
		if (!has_halo(e->array[i]) && !e->array[i]->listed && !e->array[i]->replicated)
			align(e, e->array[i]);
}

static void forget_where(void *arg, struct cell *c, uint64_t at, unsigned bytes)
{
	(void)arg;
	(void)at;
	(void)bytes;
	c->flags &= (uint8_t)~CELL_WHERE;
}

/* Both are fields of the same structures, of which each has its own bytes. */
static bool is_beside(const struct array *a, const struct array *b)
{
	return a->structure && a->structure == b->structure && a->field != b->field;
}

static void name_field(struct array *a, const char *name)
{
	size_t n = array_name_structure(name);

	if (!n)
		return;
	a->structure = hash_bytes(HASH_START, name, n);
	a->field = hash_text(HASH_START, name);
}

/* As an array of that memory that was registered otherwise: renewals that are marked are its, too.
 */
static void inherit(struct dyncontrol *e, struct array *a)
{
	for (size_t i = 0; i < e->narray; i++) {
		struct array *b = e->array[i];

		if (b == a || b->lo >= a->hi || a->lo >= b->hi || is_beside(a, b))
			continue;
		if (b->started > a->started)
			a->started = b->started;
		if (b->completed > a->completed)
			a->completed = b->completed;
		if (b->renewed > a->renewed)
			a->renewed = b->renewed;
		b->lo = b->hi = 0;
	}
	shadow_each(&e->shadow, a->lo, a->hi - a->lo, forget_where, NULL);
}

static struct array *array_make(struct dyncontrol *e, const struct array_desc *d, uint64_t addr,
				uint64_t bytes, bool listed)
{
	struct array *a = calloc(1, sizeof(*a)), **to = a ? vec_add(e->array, e->narray) : NULL;

	if (!to) {
		free(a);
		e->failed = true;
		return NULL;
	}
	*to = a;
	a->addr = a->lo = addr;
	a->hi = a->lo + bytes;
	a->ndim = d->ndim;
	a->elem_size = d->elem_size;
	a->listed = listed;
	a->fortran = d->order == 'F';
	a->replicated = d->kind == ARRAY_REPLICATED;
	a->periodic = d->periodic;
	for (unsigned i = 0; i < a->ndim; i++) {
		a->lower[i] = d->lower[i];
		a->extent[i] = d->extent[i];
		a->own_lo[i] = d->own_lo[i];
		a->own_hi[i] = d->own_hi[i];
		a->halo_lo[i] = d->halo_lo[i];
		a->halo_hi[i] = d->halo_hi[i];
		a->stride[i] = d->stride[i];
	}
	name_field(a, d->name);
	put_on_grid(e, a);
	follow(e, a);
	align_all(e);
	inherit(e, a);
	return a;
}

static struct array *array_of(struct dyncontrol *e, const struct array_desc *d, uint64_t addr,
			      const struct trace_shape *shape)
{
	uint64_t bytes = length_of(shape);

	if (!bytes || !d->ndim)
		return NULL;
	for (size_t i = 0; i < e->narray; i++)
		if (e->array[i]->hi && is_same(e->array[i], d, addr)) {
			e->array[i]->gone = false;
			return e->array[i];
		}
	return array_make(e, d, addr, bytes, trace_shape_listed(shape));
}

uint64_t object_address(const struct dyncontrol *e, const struct trace_object *o)
{
	for (size_t i = 0; i < e->nmoved; i++)
		if (e->moved[i].version == o->version)
			return e->moved[i].addr;
	return o->desc.addr;
}

int slot_moved(struct dyncontrol *e, uint32_t version, uint64_t addr)
{
	struct place_now *to = NULL;

	for (size_t i = 0; i < e->nmoved && !to; i++)
		if (e->moved[i].version == version)
			to = &e->moved[i];
	if (!to)
		to = vec_add(e->moved, e->nmoved);
	if (!to)
		return -1;
	to->version = version;
	to->addr = addr;
	for (uint32_t i = 0; i < e->block->nobject; i++)
		if (e->block->object[i].version == version)
			e->slot[i].seen = false;
	quick_forget(e);
	return 0;
}

struct slot *slot_of(struct dyncontrol *e, uint32_t object)
{
	const struct trace_block *b = e->block;
	const struct trace_object *o;
	struct slot *s;

	if (object >= b->nobject)
		return NULL;
	s = &e->slot[object];
	if (s->seen)
		return s;
	o = &b->object[object];
	*s = (struct slot){ .desc = &o->desc, .addr = object_address(e, o), .seen = true };
	s->heap = o->kind == TRACE_HEAP || !o->desc.name;
	s->replicated = !s->heap && o->desc.kind == ARRAY_REPLICATED;
	if (!s->heap) {
		trace_shape_make(&s->shape, s->desc);
		if (!s->replicated)
			s->array = array_of(e, s->desc, s->addr, &s->shape);
	}
	return s;
}

bool array_is_there(const struct dyncontrol *e, const struct trace_object *o)
{
	const uint64_t addr = object_address(e, o);

	for (size_t i = 0; i < e->narray; i++)
		if (e->array[i]->hi && !e->array[i]->gone && is_same(e->array[i], &o->desc, addr))
			return true;
	return false;
}

struct array *array_at(struct dyncontrol *e, uint64_t addr)
{
	struct array *in = NULL;

	/* one that begins there rather than another field of the structures */
	for (size_t i = e->narray; i-- > 0;) {
		if (addr < e->array[i]->lo || addr >= e->array[i]->hi)
			continue;
		if (addr == e->array[i]->addr)
			return e->array[i];
		in = in ? in : e->array[i];
	}
	return in;
}

/* The element's indices; false: it is none. */
bool access_index(struct access *a)
{
	if (!a->indexed && a->slot && !a->slot->heap)
		a->indexed = trace_shape_find(&a->slot->shape, a->addr - a->slot->addr, a->index,
					      NULL) != TRACE_OUTSIDE;
	return a->indexed;
}

bool array_wrap(const struct array *a, const int64_t *index, int64_t *to)
{
	bool is = false;

	for (unsigned d = 0; d < a->ndim; d++) {
		int64_t at = index[d] - a->lower[d];

		to[d] = index[d];
		if (!(a->periodic & 1u << d) || a->extent[d] <= 0 || (at >= 0 && at < a->extent[d]))
			continue;
		to[d] = a->lower[d] + (at % a->extent[d] + a->extent[d]) % a->extent[d];
		is = true;
	}
	return is;
}

/* Beyond the array where that is periodic, and nowhere else. */
static bool is_copy(const struct array *a, const int64_t *index)
{
	int64_t to[ARRAY_DIMS];

	if (!array_wrap(a, index, to))
		return false;
	for (unsigned d = 0; d < a->ndim; d++)
		if (to[d] < a->lower[d] || to[d] >= a->lower[d] + a->extent[d])
			return false;
	return true;
}

enum cell_where access_where(struct dyncontrol *e, struct access *a, struct cell *c)
{
	enum trace_where where;

	(void)e;
	if (c->flags & CELL_WHERE)
		return c->flags & CELL_WHERE;
	where = trace_shape_find(&a->slot->shape, a->addr - a->slot->addr, a->index, NULL);
	a->indexed = where != TRACE_OUTSIDE;
	if (where == TRACE_OUTSIDE)
		return CELL_UNKNOWN;
	if (where == TRACE_EDGE && a->slot->array && !a->slot->array->listed &&
	    is_copy(a->slot->array, a->index))
		where = TRACE_HALO;
	c->flags |= where == TRACE_OWN ? CELL_OWN : where == TRACE_HALO ? CELL_HALO : CELL_EDGE;
	return c->flags & CELL_WHERE;
}

/* Blocks as even as can be: processor q of n has extent * q / n up to extent * (q + 1) / n - 1. */
void array_block(const struct dyncontrol *e, const struct array *a, unsigned g, uint32_t q,
		 int64_t *lo, int64_t *hi)
{
	int64_t extent = a->extent[a->grid[g]], n = e->o.grid[g];

	*lo = a->lower[a->grid[g]] + extent * q / n;
	*hi = a->lower[a->grid[g]] + extent * (q + 1) / n - 1;
}

void array_owner(const struct dyncontrol *e, const struct array *a, const int64_t *index,
		 uint32_t coord[ARRAY_DIMS])
{
	for (unsigned g = 0; g < e->o.ngrid; g++) {
		int64_t extent = a->grid[g] < 0 ? 1 : a->extent[a->grid[g]], n = e->o.grid[g];
		int64_t i = a->grid[g] < 0 ? 0 : index[a->grid[g]] - a->lower[a->grid[g]];

		i = i < 0 ? 0 : i >= extent ? extent - 1 : i;
		coord[g] = (uint32_t)((n * (i + 1) - 1) / extent);
	}
}

bool array_in_halo(const struct dyncontrol *e, const struct array *a, const int64_t *index,
		   const uint32_t coord[ARRAY_DIMS])
{
	for (unsigned g = 0; g < e->o.ngrid; g++) {
		unsigned d = (unsigned)a->grid[g];
		int64_t lo, hi;

		if (a->grid[g] < 0)
			continue;
		array_block(e, a, g, coord[g], &lo, &hi);
		if (hi < lo || index[d] < lo - a->halo_lo[d] || index[d] > hi + a->halo_hi[d])
			return false;
	}
	return true;
}

/* On the rank: the border that a neighbour's halo has is that which has a neighbour. */
static bool exported_here(const struct array *a, const int64_t *index)
{
	for (unsigned d = 0; d < a->ndim; d++) {
		bool below = a->own_lo[d] > a->lower[d];
		bool above = a->own_hi[d] < a->lower[d] + a->extent[d] - 1;

		if (a->periodic & 1u << d)
			below = above = below || above;
		if ((below && index[d] < a->own_lo[d] + a->halo_hi[d]) ||
		    (above && index[d] > a->own_hi[d] - a->halo_lo[d]))
			return true;
	}
	return false;
}

bool array_is_exported(const struct dyncontrol *e, const struct array *a, const int64_t *index,
		       const uint32_t coord[ARRAY_DIMS])
{
	if (!e->o.ngrid)
		return exported_here(a, index);
	for (unsigned g = 0; a->on_grid && g < e->o.ngrid; g++) {
		unsigned d = (unsigned)a->grid[g];
		int64_t lo, hi;
		bool around;

		if (a->grid[g] < 0)
			continue;
		array_block(e, a, g, coord[g], &lo, &hi);
		around = a->periodic & 1u << d && e->o.grid[g] > 1;
		if (((coord[g] || around) && index[d] < lo + a->halo_hi[d]) ||
		    ((coord[g] + 1 < e->o.grid[g] || around) && index[d] > hi - a->halo_lo[d]))
			return true;
	}
	return false;
}

struct slot *slot_at(struct dyncontrol *e, uint32_t object, uint64_t addr)
{
	struct slot *s = &e->slot[object];

	if (!s->seen && object_address(e, &e->block->object[object]) != addr)
		return NULL;
	return slot_of(e, object);
}

static struct array *mapped_on(struct dyncontrol *e, struct level *l)
{
	if (!l->on_array && l->on)
		l->on_array = array_at(e, l->on);
	/* nothing has accessed it yet */
	for (uint32_t i = 0; l->on && !l->on_array && !l->looked && i < e->block->nobject; i++)
		if (slot_at(e, i, l->on) && e->slot[i].array)
			l->on_array = array_at(e, l->on);
	l->looked = l->on != 0;
	return l->on_array;
}

/*
 * The index of the loop that goes with dimension d, where nothing is said; -1: any. Where the array
 * has more dimensions they are components, which run fastest; where the loop has more they are
 * stages, in front.
 */
static int index_for(const struct array *a, const struct lane *lane, unsigned d)
{
	int more = (int)a->ndim - (int)lane->nidx;

	if (more <= 0)
		return (int)d - more;
	if (a->fortran)
		return (int)d - more < 0 ? -1 : (int)d - more;
	return d < lane->nidx ? (int)d : -1;
}

/* The element that the iteration is mapped on. */
static void element_of(const struct level *l, const struct array *a, struct lane *lane)
{
	for (unsigned d = 0; d < a->ndim; d++) {
		int k = l->non ? l->by[d] : index_for(a, lane, d);

		lane->element[d] = a->own_lo[d];
		if (k >= 0 && k < lane->nidx)
			lane->element[d] = lane->index[k] + (l->non ? l->off[d] : 0);
	}
}

static void show_mapping(struct dyncontrol *e, const struct level *l, struct array *a,
			 const struct lane *lane)
{
	bool mapped[ARRAY_DIMS] = { false };

	for (unsigned d = 0; d < a->ndim; d++) {
		int k = l->non ? l->by[d] : index_for(a, lane, d);

		mapped[d] = k >= 0 && k < lane->nidx;
	}
	show_dimensions(e, a, mapped);
}

void lane_place(struct dyncontrol *e, struct lane *l)
{
	struct level *in = level_now(e);
	struct array *a = in && in->kind == CONSTRUCT_PL ? mapped_on(e, in) : NULL;

	l->placed = l->moved = false;
	if (!a || a->listed || a->replicated)
		return;
	if (a->guessed)
		show_mapping(e, in, a, l);
	element_of(in, a, l);
	l->placed = true;
	l->own = true;
	if (e->o.ngrid) {
		l->placed = a->on_grid;
		if (l->placed)
			array_owner(e, a, l->element, l->coord);
		return;
	}
	for (unsigned d = 0; d < a->ndim; d++)
		l->own = l->own && l->element[d] >= a->own_lo[d] && l->element[d] <= a->own_hi[d];
}

/* Most iterations need not be placed. */
void lane_move(struct dyncontrol *e, struct lane *l)
{
	struct level *in = level_now(e);

	if (in && in->kind == CONSTRUCT_PL)
		mapped_on(e, in);
	l->moved = true;
}

bool array_beyond(const struct array *a, uint64_t addr, int64_t *index, bool *inside)
{
	int64_t rest = (int64_t)(addr - a->addr), unit = (int64_t)a->elem_size;
	unsigned order[ARRAY_DIMS], n = 0;

	if (a->listed)
		return false;
	/* widest strides first */
	for (unsigned d = 0; d < a->ndim; d++) {
		unsigned k = n++;

		if (a->stride[d] <= 0)
			return false;
		for (; k > 0 && a->stride[order[k - 1]] < a->stride[d]; k--)
			order[k] = order[k - 1];
		order[k] = d;
	}
	*inside = true;
	for (unsigned k = 0; k < n; k++) {
		unsigned d = order[k];
		int64_t stride = a->stride[d] * unit, at = rest / stride;

		/* only the widest goes below the first */
		if (rest % stride < 0)
			at--;
		rest -= at * stride;
		index[d] = a->own_lo[d] - a->halo_lo[d] + at;
		*inside =
			*inside && index[d] >= a->lower[d] && index[d] < a->lower[d] + a->extent[d];
	}
	return true;
}
