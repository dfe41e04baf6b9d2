/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an access is checked for. The first that is wrong with it is reported, in this order: a
 * reduction that is not complete, outside of the array, an element of another processor, a halo
 * that is written, a halo that is stale, an exported element that is changed while it is sent,
 * iterations that depend on each other, memory that was not written.
 */
#include "common/control/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "common/protocol/finding_kind.h"

#define NOTE 400
#define UNIT 120
#define NEAR 4096u /* bytes from an array, where nothing else is */

struct lane *lane_now(struct dyncontrol *e)
{
	return &e->lane[e->now];
}

struct level *level_now(struct dyncontrol *e)
{
	return e->nlevel ? &e->level[e->nlevel - 1] : NULL;
}

/* ---- a reduction that is not complete ---- */

static struct region *region_at(struct region *r, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (r[i].open && addr >= r[i].lo && addr < r[i].hi)
			return &r[i];
	return NULL;
}

/*
 * What stores the result, behind the call of MPI that waits for it and before the mark, is no
 * error: so a write outside of iterations, and what reads that, is a doubt until then.
 */
static int report_pending(struct dyncontrol *e, const struct access *a, struct region *r)
{
	static const char note[] = "its reduction was started and is not complete";

	if (a->lane->unit || (!a->write && !r->stored))
		return dyncontrol_find(e, FINDING_ASYNC, a, NULL, 0, note);
	r->stored = true;
	return dyncontrol_doubt(e, 'w', FINDING_ASYNC, a, NULL, 0, note);
}

/* ---- outside of the array ---- */

static uint64_t whole_bytes(const struct array *x)
{
	uint64_t bytes = x->elem_size;

	for (unsigned d = 0; d < x->ndim; d++)
		bytes *= (uint64_t)x->extent[d];
	return bytes;
}

bool memory_is_block(struct dyncontrol *e, uint64_t addr)
{
	unsigned n, shift;
	const struct cell *c = shadow_find(&e->shadow, addr, 1u << 3, &n, &shift);

	return c && c->flags & CELL_HEAP;
}

/* What was forgotten earlier in the block may have ended where another array ends now. */
static bool is_allocated_array(void *arg, uint32_t object)
{
	struct dyncontrol *e = arg;
	const struct trace_object *o = &e->block->object[object];

	return array_is_there(e, o) && memory_is_block(e, object_address(e, o));
}

struct array *access_beside(struct dyncontrol *e, uint64_t addr, unsigned size)
{
	uint32_t object;
	int64_t bytes;

	if (addr & 7 || addr - e->far_lo < e->far_hi - e->far_lo)
		return NULL;
	if (out_of_bounds_far(e->block, addr, &e->far_lo, &e->far_hi))
		return NULL;
	e->far_lo = e->far_hi = 0;
	if (memory_is_block(e, addr) ||
	    !out_of_bounds(e->block, addr, size, is_allocated_array, e, &object, &bytes))
		return NULL;
	return slot_of(e, object)->array;
}

/* The iteration reads what it has written itself: a copy that it passes instead of a section. */
static bool is_temporary(struct dyncontrol *e, const struct access *a)
{
	unsigned n, shift;
	const struct cell *c = shadow_find(&e->shadow, a->addr, 1, &n, &shift);

	return c && !a->write && c->write == a->lane->unit && !(c->flags & CELL_LOOSE);
}

/* The array whose index ran over: the one that the place has accessed, when that is near enough. */
static struct array *left_array(struct dyncontrol *e, const struct access *a)
{
	struct array *x = a->site ? e->known[a->site - 1].array[a->write] : NULL;
	uint64_t away;

	if (!x && !a->slot)
		return access_beside(e, a->addr, a->size);
	if (!x || !x->hi || (a->addr >= x->lo && a->addr < x->hi))
		return NULL;
	away = a->addr < x->lo ? x->lo - a->addr : a->addr - x->hi;
	if (!a->slot || !a->slot->heap)
		return !a->slot && away < NEAR && away < x->hi - x->lo && !is_temporary(e, a) ?
			       x :
			       NULL;
	/* the rest of its block */
	if (x->lo < a->slot->addr || x->lo - a->slot->addr >= (uint64_t)a->slot->desc->extent[0])
		return NULL;
	return away < NEAR || (uint64_t)a->slot->desc->extent[0] >= whole_bytes(x) ? x : NULL;
}

static const struct array_desc *desc_of(struct dyncontrol *e, const struct array *x)
{
	for (uint32_t i = 0; i < e->block->nobject; i++) {
		const struct slot *s = slot_at(e, i, x->addr);

		if (s && !s->heap && s->addr == x->addr)
			return s->desc;
	}
	return NULL;
}

/* Its part, "[0:4][0:9]" or "(1:4,1:9)", with its halo when asked for. */
static void part_text(const struct array *x, char order, bool halo, char *out, size_t room)
{
	size_t n = 0;

	*out = '\0';
	for (unsigned d = 0; d < x->ndim && n < room; d++)
		n += (size_t)snprintf(out + n, room - n,
				      order == 'F' ? "%s%" PRId64 ":%" PRId64
						   : "%s%" PRId64 ":%" PRId64 "]",
				      order == 'F' ? d ? "," : "(" : "[",
				      x->own_lo[d] - (halo ? x->halo_lo[d] : 0),
				      x->own_hi[d] + (halo ? x->halo_hi[d] : 0));
	if (order == 'F' && n < room)
		snprintf(out + n, room - n, ")");
}

static int check_beyond(struct dyncontrol *e, struct access *a, bool *found)
{
	struct array *x = left_array(e, a);
	const struct array_desc *d = x ? desc_of(e, x) : NULL;
	struct trace_thing thing = { 0 };
	char part[UNIT], note[NOTE];
	bool inside;

	if (!d || !array_beyond(x, a->addr, thing.index, &inside))
		return 0;
	inspect_array(d, 0, &thing);
	thing.spot.place = (struct place){ .file = "", .func = "", .module = "" };
	if (!thing.field)
		thing.field = "";
	part_text(x, d->order, true, part, sizeof(part));
	if (inside)
		snprintf(note, sizeof(note), "rank %u has %s%s", e->o.rank, d->name, part);
	else
		snprintf(note, sizeof(note), "outside of the array; rank %u has %s%s", e->o.rank,
			 d->name, part);
	*found = true;
	if (a->site)
		e->astray = e->known[a->site - 1].astray = a->lane->unit;
	return dyncontrol_find(e, inside ? FINDING_NONLOCAL : FINDING_BOUNDS, a, &thing, 0, note);
}

/* What a place that has left its array comes to in the same iteration follows from that. */
static bool is_astray(const struct dyncontrol *e, const struct access *a)
{
	const struct known_site *k = a->site ? &e->known[a->site - 1] : NULL;

	return k && k->astray == a->lane->unit && a->slot && a->slot->array &&
	       a->slot->array != k->array[a->write];
}

/* ---- what belongs to another processor ---- */

static void coord_text(const struct dyncontrol *e, const uint32_t *coord, char *out, size_t room)
{
	size_t n = 0;

	for (unsigned g = 0; g < e->o.ngrid && n < room; g++)
		n += (size_t)snprintf(out + n, room - n, "%s%u", g ? "," : "(", coord[g]);
	if (n < room)
		snprintf(out + n, room - n, ")");
}

static int report_stale(struct dyncontrol *e, struct access *a, struct array *x, uint16_t by,
			const char *who, const char *what)
{
	char note[NOTE], unit[UNIT];

	snprintf(note, sizeof(note), "%s reads it%s%s, %s",
		 unit_text(e, a->lane, unit, sizeof(unit)), *who ? " on " : "", who, what);
	if (e->o.ngrid && !x->completed && !x->renewing) {
		x->doubted = true;
		return dyncontrol_doubt(e, 'h', FINDING_STALE, a, x, by, note);
	}
	return dyncontrol_find(e, FINDING_STALE, a, NULL, by, note);
}

/* Written in the loop that runs, which says that its iterations depend on each other. */
static bool is_across(struct dyncontrol *e, const struct access *a)
{
	struct level *l = level_now(e);

	return l && l->nclause && level_clause(l, 'A', a->addr);
}

static bool computes_halo(struct dyncontrol *e, const struct access *a)
{
	struct level *l = level_now(e);

	return l && l->nclause && level_clause(l, 'C', a->addr);
}

/* Emulated: the element is of another processor than the iteration. */
static int check_other(struct dyncontrol *e, struct access *a, struct cell *c, struct array *x,
		       const uint32_t *owner, bool *found)
{
	char who[UNIT], whose[UNIT], note[NOTE], unit[UNIT];
	struct level *l = level_now(e);

	coord_text(e, a->lane->coord, who, sizeof(who));
	coord_text(e, owner, whose, sizeof(whose));
	unit_text(e, a->lane, unit, sizeof(unit));
	*found = true;
	if (!array_in_halo(e, x, a->index, a->lane->coord)) {
		snprintf(note, sizeof(note),
			 "%s is of processor %s, the element of %s, beyond the halo", unit, who,
			 whose);
		return dyncontrol_find(e, FINDING_NONLOCAL, a, NULL, 0, note);
	}
	if (a->write) {
		*found = !computes_halo(e, a);
		snprintf(note, sizeof(note), "%s is of processor %s, the element of %s", unit, who,
			 whose);
		return *found ? dyncontrol_find(e, FINDING_HALOWRITE, a, NULL, 0, note) : 0;
	}
	snprintf(who + strlen(who), sizeof(who) - strlen(who), " in its halo");
	memmove(who + 10, who, strlen(who) + 1 < sizeof(who) - 10 ? strlen(who) + 1 : 0);
	memcpy(who, "processor ", 10);
	if (x->renewing)
		return report_stale(e, a, x, c->wsite, who, "and its renewal is not complete");
	*found = false;
	if (c->flags & CELL_LOOSE || c->write < x->renewed || !c->write)
		return 0;
	/* in the same loop it is a dependence */
	if (l && c->write > l->base)
		return 0;
	*found = true;
	return report_stale(e, a, x, c->wsite, who,
			    x->completed ? "and it was written after its last renewal"
					 : "and it was never renewed");
}

static void inspect_latest(void *arg, struct cell *c, uint64_t at, unsigned bytes)
{
	struct cell *latest = arg;

	(void)at;
	(void)bytes;
	if (c->write >= latest->write)
		*latest = *c;
}

/* What its copies are made of, beyond the other end. */
static struct cell cell_of(struct dyncontrol *e, const struct access *a, const struct array *x,
			   const int64_t *index)
{
	int64_t away = 0;
	struct cell c = { 0 };

	for (unsigned d = 0; d < x->ndim; d++)
		away += (index[d] - a->index[d]) * x->stride[d] * (int64_t)x->elem_size;
	shadow_each(&e->shadow, a->addr + (uint64_t)away, a->size, inspect_latest, &c);
	return c;
}

static int check_grid(struct dyncontrol *e, struct access *a, struct cell *c, struct array *x,
		      bool *found)
{
	uint32_t owner[ARRAY_DIMS];
	int64_t index[ARRAY_DIMS];
	struct cell of;

	if (!a->lane->placed || !x->on_grid || !access_index(a))
		return 0;
	if (array_wrap(x, a->index, index)) {
		if (a->write)
			return 0;
		of = cell_of(e, a, x, index);
		c = &of;
	}
	array_owner(e, x, index, owner);
	if (!memcmp(owner, a->lane->coord, e->o.ngrid * sizeof(owner[0])))
		return 0;
	return check_other(e, a, c, x, owner, found);
}

/* ---- the halo of this rank ---- */

static bool is_own(const struct array *x, const int64_t *index)
{
	for (unsigned d = 0; d < x->ndim; d++)
		if (index[d] < x->own_lo[d] || index[d] > x->own_hi[d])
			return false;
	return true;
}

static int check_halo_write(struct dyncontrol *e, struct access *a, struct array *x, bool *found)
{
	char note[NOTE], unit[UNIT];
	bool own = a->lane->own;

	if (!a->lane->placed) {
		/* as if it was mapped on what it writes */
		if (a->lane->nidx != x->ndim)
			return 0;
		own = is_own(x, a->lane->index);
	}
	/* one that several ranks execute, to have it in their halos */
	if (!own || computes_halo(e, a))
		return 0;
	*found = true;
	snprintf(note, sizeof(note), "%s, which rank %u executes, writes into the halo",
		 unit_text(e, a->lane, unit, sizeof(unit)), e->o.rank);
	return dyncontrol_find(e, FINDING_HALOWRITE, a, NULL, 0, note);
}

static int check_halo_read(struct dyncontrol *e, struct access *a, struct cell *c, struct array *x,
			   bool *found)
{
	const struct written *w;
	int64_t index[ARRAY_DIMS];

	/* what writes it is not seen, but for renewals that are marked */
	if (e->unsure || (c->flags & CELL_FOREIGN && !x->completed) || !access_index(a))
		return 0;
	/* the rank has both ends */
	if (array_wrap(x, a->index, index) && is_own(x, index))
		return 0;
	if (x->renewing) {
		*found = true;
		return report_stale(e, a, x, c->wsite, "", "and its renewal is not complete");
	}
	w = written_since(x, index, c->write > x->renewed ? c->write : x->renewed);
	if (!w || (w->end >= e->serial && is_across(e, a)))
		return 0;
	*found = true;
	return report_stale(e, a, x, w->site, "",
			    c->write ? "and its owner has written it since it was renewed"
				     : "and it was never renewed since its owner has written it");
}

static int check_halo(struct dyncontrol *e, struct access *a, struct cell *c, struct array *x,
		      bool *found)
{
	int64_t index[ARRAY_DIMS];

	if (a->write)
		return access_index(a) && array_wrap(x, a->index, index)
			       ? 0
			       : check_halo_write(e, a, x, found);
	return check_halo_read(e, a, c, x, found);
}

/* A change of what is being sent. */
static int check_renewing(struct dyncontrol *e, struct access *a, struct array *x, bool *found)
{
	uint32_t owner[ARRAY_DIMS];

	if (!x->renewing || !a->write || !access_index(a) || x->started > e->serial)
		return 0;
	if (e->o.ngrid && x->on_grid)
		array_owner(e, x, a->index, owner);
	else if (e->o.ngrid)
		return 0;
	if (!array_is_exported(e, x, a->index, owner))
		return 0;
	*found = true;
	return dyncontrol_find(
		e, FINDING_RENEWING, a, NULL, 0,
		"changed while the renewal of halos that it is sent to is not complete");
}

/* Beside an element of a structure's member there are the other members. */
static bool is_other_member(const struct access *a, const struct array *x)
{
	int64_t least = INT64_MAX;

	for (unsigned d = 0; d < x->ndim; d++)
		if (x->stride[d] > 0 && x->stride[d] < least)
			least = x->stride[d];
	return least > 1 && (a->addr - x->addr) / x->elem_size % (uint64_t)least;
}

/* A gap between rows: named as if the row went on there. */
static int report_gap(struct dyncontrol *e, struct access *a, const struct array *x)
{
	struct trace_thing thing = { 0 };
	bool inside, named = array_beyond(x, a->addr, thing.index, &inside);

	inspect_array(a->slot->desc, 0, &thing);
	thing.spot.place = (struct place){ .file = "", .func = "", .module = "" };
	if (!thing.field)
		thing.field = "";
	return dyncontrol_find(e, FINDING_BOUNDS, a, named ? &thing : NULL, 0,
			       "between the rows of the array");
}

static int check_array(struct dyncontrol *e, struct access *a, struct cell *c, bool *found)
{
	struct array *x = a->slot->array;
	enum cell_where where = access_where(e, a, c);
	int rc = 0;

	if (a->site)
		e->known[a->site - 1].array[a->write] = x;
	if (where == CELL_UNKNOWN) {
		*found = a->lane->unit != 0 && !is_other_member(a, x);
		return *found ? report_gap(e, a, x) : 0;
	}
	if (x->renewing && where == CELL_OWN)
		rc = check_renewing(e, a, x, found);
	if (rc || *found || !a->lane->unit)
		return rc;
	if (e->o.ngrid)
		return check_grid(e, a, c, x, found);
	if (where == CELL_HALO)
		return check_halo(e, a, c, x, found);
	if (a->write && where == CELL_OWN)
		writer_add(e, a);
	return 0;
}

/* ---- remote buffers ---- */

static int check_remote(struct dyncontrol *e, struct access *a, struct cell *c, bool *found)
{
	struct region *r = region_at(e->remote, e->nremote, a->addr);
	char note[NOTE], unit[UNIT];

	if (!r || !a->lane->unit)
		return 0;
	unit_text(e, a->lane, unit, sizeof(unit));
	if (a->write) {
		*found = true;
		snprintf(note, sizeof(note), "%s writes into a buffer of remote elements", unit);
		return dyncontrol_find(e, FINDING_HALOWRITE, a, NULL, 0, note);
	}
	if (c->write >= r->since)
		return 0;
	*found = true;
	snprintf(note, sizeof(note), "%s reads what was not loaded into the buffer", unit);
	return dyncontrol_find(e, FINDING_STALE, a, NULL, 0, note);
}

/* ---- dependences ---- */

/* The construct in which both are, and the other is another iteration or task; NULL: none is. */
static struct level *between(struct dyncontrol *e, const struct access *a, uint32_t other)
{
	for (unsigned i = e->nlevel; i-- > 0;) {
		struct level *l = &e->level[i];

		if (other <= l->base)
			continue;
		if (l->kind == CONSTRUCT_PL)
			return other != a->lane->unit ? l : NULL;
		return l->start && other < l->start ? l : NULL;
	}
	return NULL;
}

/*
 * Of two stages of a loop: an index in front of those that are mapped on an array counts them, and
 * all ranks execute one after the other.
 */
static bool is_other_stage(const struct lane *lane, const struct level *l, uint32_t other)
{
	unsigned stages = l->on_array && !l->non && l->nidx > l->on_array->ndim
				  ? l->nidx - l->on_array->ndim
				  : 0;
	const int32_t *at;

	if (!stages || l->kind != CONSTRUCT_PL || l->nidx != lane->nidx)
		return false;
	at = unit_index(l, other);
	if (!at)
		return false;
	for (unsigned d = 0; d < stages; d++)
		if (lane->index[d] != at[d])
			return true;
	return false;
}

/* Whether a declared dependence is as wide as this one. */
static bool is_declared(const struct lane *lane, uint64_t addr, struct level *l, uint32_t other)
{
	struct clause *c = l->nclause ? level_clause(l, 'A', addr) : NULL;
	const int32_t *at;

	if (l->kind == CONSTRUCT_TR)
		return level_is_after(l, other);
	if (!c)
		return false;
	c->used = true;
	at = unit_index(l, other);
	if (!c->n || !at || l->nidx != lane->nidx)
		return true;
	for (unsigned d = 0; d < l->nidx && d < c->n; d++) {
		int64_t step = lane->index[d] - at[d];

		if (step > c->before[d] || -step > c->behind[d])
			return false;
	}
	return true;
}

bool access_may_depend(const struct lane *lane, uint64_t addr, struct level *l, uint32_t other)
{
	return is_other_stage(lane, l, other) || is_declared(lane, addr, l, other) ||
	       level_clause(l, 'D', addr) || level_clause(l, 'P', addr);
}

/*
 * On a stack, where counters of loops are that are written between two iterations: only what an
 * iteration reads from another one matters there.
 */
static bool is_on_stack(struct dyncontrol *e, const struct access *a)
{
	struct trace_site s;

	return !a->slot && !memory_is_block(e, a->addr & ~(uint64_t)7) &&
	       !trace_block_module(e->block, a->addr, &s);
}

/* What counts the iterations: its value is the index of the one that runs. */
static bool is_counter(const struct access *a)
{
	if (!a->rec || (a->size != 4 && a->size != 8))
		return false;
	for (unsigned d = 0; d < a->lane->nidx; d++) {
		int64_t v = a->size == 4 ? (int32_t)a->rec->value[0] : (int64_t)a->rec->value[0];

		if (v == a->lane->index[d] || (a->write && v == a->lane->index[d] + 1))
			return true;
	}
	return false;
}

/* The one of the construct in which both are: a task may be in a loop. */
static void unit_in(const struct dyncontrol *e, const struct access *a, const struct level *l,
		    char *out)
{
	if (l->kind == CONSTRUCT_TR)
		snprintf(out, UNIT, "task %" PRId64, l->task);
	else
		unit_text(e, a->lane, out, UNIT);
}

static int report_shared(struct dyncontrol *e, struct access *a, struct level *l, uint32_t other,
			 uint16_t site, const char *verb)
{
	char note[NOTE], unit[UNIT], of[UNIT];

	if (level_clause(l, 'P', a->addr) || level_clause(l, 'D', a->addr) || is_counter(a) ||
	    (a->write && is_on_stack(e, a)) ||
	    (l->kind == CONSTRUCT_TR && level_is_after(l, other)))
		return 0;
	if (dyncontrol_doubted(e, 's', FINDING_SHARED, a))
		return 0;
	unit_in(e, a, l, unit);
	unit_of_text(e, l, other, of, sizeof(of));
	snprintf(note, sizeof(note), "%s %s %s; it is neither a reduction nor private", unit, verb,
		 of);
	return dyncontrol_doubt(e, 's', FINDING_SHARED, a, NULL, site, note);
}

static int report_between(struct dyncontrol *e, struct access *a, struct level *l, uint32_t other,
			  uint16_t site, const char *verb)
{
	char note[NOTE], unit[UNIT], of[UNIT];

	if (!a->slot || !a->slot->array)
		return is_other_stage(a->lane, l, other) ?
			       0 :
			       report_shared(e, a, l, other, site, verb);
	if (access_may_depend(a->lane, a->addr, l, other))
		return 0;
	if (dyncontrol_found(e, FINDING_DEPENDENCE, a))
		return 0;
	unit_in(e, a, l, unit);
	unit_of_text(e, l, other, of, sizeof(of));
	snprintf(note, sizeof(note), "%s %s %s", unit, verb, of);
	return dyncontrol_find(e, FINDING_DEPENDENCE, a, NULL, site, note);
}

static int check_dependence(struct dyncontrol *e, struct access *a, struct cell *c)
{
	struct level *l = NULL;
	int rc = 0;

	if (c->write && !(c->flags & CELL_LOOSE))
		l = between(e, a, c->write);
	if (l && (!a->write || (a->slot && a->slot->array)))
		rc = report_between(e, a, l, c->write, c->wsite,
				    a->write ? "writes what is also written by"
					     : "reads what is written by");
	else if (a->write && c->read && (l = between(e, a, c->read)))
		rc = report_between(e, a, l, c->read, c->rsite, "writes what is read by");
	else if (a->write && c->read && c->flags & CELL_SEVERAL && (l = level_now(e)) &&
		 c->read > l->base && l->kind == CONSTRUCT_PL)
		rc = report_between(e, a, l, UINT32_MAX, c->rsite, "writes what is read by");
	return rc;
}

/* What all ranks are to have alike is changed by some of them, in an iteration. */
static int check_replicated(struct dyncontrol *e, struct access *a)
{
	struct level *l = level_now(e);
	char note[NOTE], unit[UNIT];

	if (!a->write || !a->slot || !a->slot->replicated || !l || level_clause(l, 'P', a->addr) ||
	    level_clause(l, 'D', a->addr) || dyncontrol_doubted(e, 's', FINDING_SHARED, a))
		return 0;
	snprintf(note, sizeof(note), "%s changes it; it is neither a reduction nor private",
		 unit_text(e, a->lane, unit, sizeof(unit)));
	return dyncontrol_doubt(e, 's', FINDING_SHARED, a, NULL, 0, note);
}

static int check_clauses(struct dyncontrol *e, struct access *a, struct cell *c, bool *found)
{
	struct level *l = level_now(e);
	char note[NOTE], unit[UNIT];

	if (!l || !l->nclause)
		return 0;
	if (a->write && level_clause(l, 'R', a->addr)) {
		*found = true;
		snprintf(note, sizeof(note), "%s writes what is declared as read only",
			 unit_text(e, a->lane, unit, sizeof(unit)));
		return dyncontrol_find(e, FINDING_SHARED, a, NULL, 0, note);
	}
	if (a->write || c->write == a->lane->unit || !level_clause(l, 'P', a->addr))
		return 0;
	*found = true;
	snprintf(note, sizeof(note), "it is private, and %s has not written it",
		 unit_text(e, a->lane, unit, sizeof(unit)));
	return dyncontrol_find(e, FINDING_UNINIT, a, NULL, 0, note);
}

/* ---- memory that was not written ---- */

static uint8_t bytes_of(uint64_t addr, unsigned size, unsigned shift)
{
	unsigned unit = 1u << shift, first = (unsigned)(addr & (unit - 1));
	unsigned n = size < unit - first ? size : unit - first;

	return (uint8_t)(((1u << n) - 1) << first);
}

/* As it is filled when it is allocated. */
static bool is_pattern(const struct dyncontrol *e, const struct access *a)
{
	for (unsigned i = 0; i < a->size && i < 8; i++)
		if ((a->rec->value[0] >> 8 * i & 0xff) != (uint64_t)e->o.pattern)
			return false;
	return true;
}

/* A structure is copied, of which the fields are registered: there is room between them. */
static bool is_between_fields(struct dyncontrol *e, struct access *a)
{
	if (access_index(a))
		return false;
	for (size_t i = 0; i < e->narray; i++) {
		const struct array *x = e->array[i];

		if (x->structure && a->addr >= x->lo && a->addr < x->hi + 8)
			return memory_is_padding(e, a->addr);
	}
	return false;
}

static int check_init(struct dyncontrol *e, struct access *a, struct cell *c, unsigned shift)
{
	uint8_t bytes = bytes_of(a->addr, a->size, shift);

	if (a->write || !(c->flags & CELL_FRESH) || (c->init & bytes) == bytes ||
	    c->flags & CELL_FOREIGN)
		return 0;
	/* what fills memory and has no hooks: then others of the block are not written either */
	if (e->o.pattern >= 0 ? !is_pattern(e, a) : !shadow_is_used(&e->shadow, a->addr))
		return 0;
	if (is_between_fields(e, a))
		return 0;
	return dyncontrol_find(e, FINDING_UNINIT, a, NULL, 0,
			       "nothing has written it since it was allocated");
}

/* ---- the access ---- */

static void note_access(struct dyncontrol *e, const struct access *a, struct cell *c,
			unsigned shift)
{
	uint32_t unit = a->lane->unit;

	if (a->write) {
		c->write = unit ? unit : e->serial;
		c->wsite = a->site;
		c->flags = (uint8_t)(unit ? c->flags & ~CELL_LOOSE : c->flags | CELL_LOOSE);
		c->flags |= a->size < 8 ? 0 : CELL_WIDE;
		if (c->flags & CELL_FRESH)
			c->init |= bytes_of(a->addr, a->size, shift);
	} else if (unit && c->read != unit && (c->write != unit || c->flags & CELL_LOOSE)) {
		/* what the iteration has written itself is of no other's concern */
		bool here = c->read > e->level[e->nlevel - 1].base;

		if (here) {
			c->flags |= CELL_SEVERAL;
			return;
		}
		c->read = unit;
		c->rsite = a->site;
		c->flags &= (uint8_t)~CELL_SEVERAL;
	}
}

static int check_cell(struct dyncontrol *e, struct access *a, struct cell *c, unsigned shift)
{
	bool found = false;
	int rc = 0;

	if (a->slot && a->slot->array)
		rc = check_array(e, a, c, &found);
	else if (e->nremote)
		rc = check_remote(e, a, c, &found);
	if (!rc && !found && a->lane->unit) {
		rc = check_clauses(e, a, c, &found);
		if (!rc && !found && a->slot && a->slot->replicated)
			rc = check_replicated(e, a);
		if (!rc && !found)
			rc = check_dependence(e, a, c);
	}
	if (!rc && !found)
		rc = check_init(e, a, c, shift);
	note_access(e, a, c, shift);
	/* what follows from a write that is wrong is not reported, too */
	if (found && a->write)
		c->flags |= CELL_LOOSE;
	return rc;
}

int dyncontrol_access(struct dyncontrol *e, const struct trace_rec *r)
{
	struct access a = { .rec = r,
			    .slot = slot_of(e, r->object),
			    .size = r->size,
			    .write = r->op == TRACE_WRITE,
			    .lane = lane_now(e),
			    .site = site_of(e, r->site) };
	unsigned n, shift;
	struct region *pending;
	struct cell *c;
	bool found = false;
	int rc = 0;

	a.addr = a.slot ? a.slot->addr + r->at : r->at;
	lane_settle(e, a.lane);
	/* the array that it is mapped on was not known before */
	if (a.lane->unit && !a.lane->placed && e->nlevel && level_now(e)->on &&
	    !level_now(e)->on_array)
		lane_place(e, a.lane);
	e->accesses += a.lane->unit != 0;
	if (e->nlevel && a.slot && a.slot->array)
		level_now(e)->accesses++;
	pending = e->nreduction ? region_at(e->reduction, e->nreduction, a.addr) : NULL;
	if (pending)
		return report_pending(e, &a, pending);
	if ((!a.slot || a.slot->heap) && a.lane->unit)
		rc = check_beyond(e, &a, &found);
	if (a.lane->shared && (!a.slot || a.slot->heap))
		return rc;
	if (rc || found || (e->astray && e->astray == a.lane->unit && is_astray(e, &a)))
		return rc;
	c = shadow_find(&e->shadow, a.addr, a.size, &n, &shift);
	if (!c)
		return -1;
	if (a.write)
		shadow_use(&e->shadow, a.addr, a.size);
	for (unsigned i = 1; i < n; i++)
		note_access(e, &a, &c[i], shift);
	if (n > 1 && c[n - 1].flags & CELL_FRESH && a.write)
		for (unsigned i = 0; i < n; i++)
			c[i].init = 0xff;
	return check_cell(e, &a, c, shift);
}

/* ---- MPI ---- */

static void got_cells(struct dyncontrol *e, uint64_t addr, uint64_t bytes)
{
	while (bytes) {
		unsigned size = bytes >= 8 && !(addr & 7) ? 8 : bytes >= 4 && !(addr & 3) ? 4 : 1;
		unsigned n, shift;
		struct cell *c = shadow_find(&e->shadow, addr, size, &n, &shift);

		if (!c) {
			e->failed = true;
			return;
		}
		for (unsigned i = 0; i < n; i++) {
			c[i].write = e->serial;
			c[i].wsite = 0;
			c[i].flags |= CELL_LOOSE;
			c[i].init |= bytes_of(addr, size, shift);
		}
		shadow_use(&e->shadow, addr, 0);
		addr += size;
		bytes -= size;
	}
}

int dyncontrol_got(struct dyncontrol *e, const struct trace_moved *m)
{
	struct array *x = m->block ? NULL : array_at(e, m->addr);

	e->serial++;
	/* how much is not known: all of the array */
	if (x)
		got_cells(e, x->lo, x->hi - x->lo);
	for (uint64_t i = 0; m->block && i < m->n; i++)
		got_cells(e, m->addr + i * m->stride, m->block);
	return e->failed ? -1 : 0;
}

struct unwritten {
	struct dyncontrol *e;
	uint64_t first;
	bool found;
};

static void inspect_unwritten(void *arg, struct cell *c, uint64_t at, unsigned bytes)
{
	struct unwritten *u = arg;
	uint8_t all = (uint8_t)((1u << bytes) - 1);

	if (u->found || !(c->flags & CELL_FRESH) || c->flags & CELL_FOREIGN || (c->init & all) ||
	    (bytes < 8 && memory_is_padding(u->e, at)))
		return;
	u->found = true;
	u->first = at;
}

int dyncontrol_used(struct dyncontrol *e, const struct trace_moved *m)
{
	struct trace_site site = { 0 };
	struct trace_spot spot = { 0 };
	struct unwritten u = { .e = e };
	struct trace_thing thing;
	struct access a = { .size = 1, .lane = lane_now(e) };
	char note[NOTE];

	doubts_drop(e, 's', m->addr, m->addr + (m->n ? (m->n - 1) * m->stride : 0) + m->block);
	for (uint64_t i = 0; i < m->n && !u.found; i++) {
		shadow_each(&e->shadow, m->addr + i * m->stride, m->block, inspect_unwritten, &u);
		/* what has no hooks may have filled a block that nothing else is written in */
		u.found = u.found && shadow_is_used(&e->shadow, u.first);
	}
	if (!u.found)
		return 0;
	name_address(e, u.first, &thing);
	a.addr = u.first;
	if (trace_block_module(e->block, m->pc - 1, &site)) {
		spot = trace_spot_of_site(&site);
		a.spot = &spot;
	}
	snprintf(note, sizeof(note),
		 "%s sends it, and nothing has written it since it was allocated", m->call);
	return dyncontrol_find(e, FINDING_UNINIT, &a, &thing, 0, note);
}
