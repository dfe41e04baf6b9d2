/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What checksums can be taken of: registered objects and fields of structures, with what has been
 * seen of each. One sum's memory is used for all of them in turn.
 */
#include "runtime/stop/internal.h"

#include <string.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/array/value.h"

#define ITEMS 16384
#define BLOCK 4096 /* elements that are worth a block of their own */
#define SURE 64	   /* each page is tried again after so many sums */

/* Where the items of an object are. */
struct run {
	uint32_t first, n;
};

struct table {
	struct run run[VAR_MOST];
	struct item item[ITEMS];
};

static struct table *tab;
static void *memory; /* of sum */
static struct sum *sum;
static uint32_t nitem;

static const struct page_entity *entity_of(const struct item *it)
{
	return arena_at(it->entity);
}

uint32_t items_count(void)
{
	return nitem;
}

struct item *item_at(uint32_t i)
{
	return &tab->item[i];
}

bool item_live(const struct item *it)
{
	const struct page_entity *e = entity_of(it);

	return it->usable && atomic_load(&e->live) && e->serial == it->serial;
}

/* Few blocks for arrays so small that all their bytes would be cheaper to report. */
static int plan_make(struct sum_plan *p, unsigned ndim, const int64_t *extent, unsigned type)
{
	uint64_t blocks;

	if (type == VALUE_POINTER || sum_plan_make(p, ndim, extent, type, 1, NULL))
		return -1;
	blocks = p->total / BLOCK;
	return sum_plan_make(p, ndim, extent, type,
			     blocks < 1		   ? 1
			     : blocks > SUM_BLOCKS ? SUM_BLOCKS
						   : (unsigned)blocks,
			     NULL);
}

static uint64_t list_hash(uint64_t h, const int64_t *list, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		h = (h ^ (uint64_t)list[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

static bool geometry_of_whole(struct item *it, const struct page_entity *e)
{
	if (it->kind == ARRAY_REPLICATED && e->type == VALUE_CHAR && e->ndim)
		return false; /* a text: what is behind its end may be anything */
	it->by_pointer = e->by_pointer;
	if (!var_layout(e, &it->part))
		return false;
	it->own = layout_total(&it->part);
	for (unsigned d = 0; d < e->ndim; d++)
		if (it->part.list[d])
			it->lists = list_hash(it->lists + d, it->part.list[d],
					      (uint64_t)it->part.count[d]);
	return (!it->own || layout_reach(&it->part, &it->low, &it->high)) &&
	       !plan_make(&it->plan, e->ndim, e->extent, e->type);
}

static bool geometry_of_field(struct item *it, const struct page_entity *e)
{
	const struct page_field *f = (const struct page_field *)arena_at(e->field) + it->field - 1;
	size_t size = var_size(f->type);
	int64_t count = f->count;

	if (f->type == VALUE_CHAR && count > 1)
		return false;
	it->own = f->count;
	it->part = (struct layout){ .origin = f->offset,
				    .ndim = 1,
				    .size = (uint32_t)size,
				    .count = { count },
				    .stride = { (int64_t)size } };
	return layout_reach(&it->part, &it->low, &it->high) &&
	       !plan_make(&it->plan, count > 1, &count, f->type);
}

static bool same_item(const struct item *a, const struct item *b)
{
	return a->field == b->field && a->counter == b->counter && a->usable == b->usable &&
	       a->by_pointer == b->by_pointer && a->kind == b->kind && a->order == b->order &&
	       a->addr == b->addr && a->own == b->own && a->low == b->low && a->high == b->high &&
	       a->lists == b->lists && sum_plan_equal(&a->plan, &b->plan) &&
	       !memcmp(&a->part, &b->part, sizeof(a->part));
}

/* After a registration; what has been seen stays when it is the same object once more. */
static void refresh(struct item *it, uint32_t var, uint32_t field, uint32_t entity, uint32_t loc)
{
	struct item new = { .var = var, .field = field, .entity = entity, .loc = loc };
	const struct page_entity *e = arena_at(entity);

	new.serial = e->serial;
	new.counter = e->counter;
	new.kind = e->kind;
	new.order = e->order;
	new.addr = e->addr;
	if (e->ndim <= ARRAY_DIMS)
		new.usable = field ? geometry_of_field(&new, e) : geometry_of_whole(&new, e);
	if (same_item(it, &new)) {
		it->loc = loc;
		it->serial = new.serial;
	} else {
		*it = new;
	}
}

/* Brings the items of object i in step; false: there is no room for them. */
static bool refresh_object(uint32_t i)
{
	struct run *run = &tab->run[i];
	uint32_t loc, entity = var_entity(i, &loc);
	const struct page_entity *e = arena_at(entity);
	uint32_t n = e->type == VALUE_STRUCT ? e->nfield : 1;

	if (!atomic_load(&e->live) || (run->n && tab->item[run->first].serial == e->serial))
		return true;
	if (n > run->n) {
		for (uint32_t k = 0; k < run->n; k++)
			tab->item[run->first + k].usable = false;
		if (n > ITEMS - nitem)
			return false;
		*run = (struct run){ nitem, n };
		nitem += n;
	}
	for (uint32_t k = 0; k < n; k++)
		refresh(&tab->item[run->first + k], i, e->type == VALUE_STRUCT ? k + 1 : 0, entity,
			loc);
	return true;
}

bool items_refresh(void)
{
	static bool full;

	if (!tab)
		tab = rt_pages(sizeof(*tab));
	if (!memory)
		memory = rt_pages(sum_memory(NULL));
	if (!tab || !memory)
		return false;
	for (uint32_t i = 0; i < var_count(); i++) {
		if (refresh_object(i) || full)
			continue;
		full = true;
		find_add(FINDING_PARTIAL, 0, "some objects have no checksums");
	}
	return true;
}

/* Where an object's data are now; 0: nowhere. */
static uint64_t data_of(uint64_t addr, bool by_pointer)
{
	uint64_t at = 0;

	if (!by_pointer)
		return addr;
	if (probe(addr, sizeof(at), true))
		memcpy(&at, (void *)(uintptr_t)addr, sizeof(at));
	return at;
}

uint32_t item_find(uint64_t data)
{
	uint32_t found = VAR_NONE, serial = 0, loc;

	for (uint32_t i = 0; i < var_count(); i++) {
		const struct page_entity *e = arena_at(var_entity(i, &loc));

		if (atomic_load(&e->live) && e->serial > serial &&
		    data_of(e->addr, e->by_pointer) == data) {
			found = i;
			serial = e->serial;
		}
	}
	return found;
}

static void say_lost(struct item *it)
{
	const struct page_entity *e = entity_of(it);
	char detail[192];
	struct text t = { detail, 0, sizeof(detail) };

	if (it->lost)
		return;
	it->lost = true;
	text_str(&t, arena_at(e->name));
	if (it->field) {
		text_str(&t, ".");
		text_str(&t,
			 arena_at(((struct page_field *)arena_at(e->field))[it->field - 1].name));
	}
	text_str(&t, atomic_load(&e->freed)
			     ? ", so no checksum is taken of it: it was freed or moved, and not "
			       "registered "
			       "again or forgotten (in Fortran c = f(x) may move c, c(:) = f(x) "
			       "does not)"
			     : ", so no checksum is taken of it; was it freed and not forgotten?");
	find_add(FINDING_MEMORY, it->loc, detail);
}

/* The object begins at data. */
static bool readable(struct item *it, uint64_t data)
{
	bool known = it->tried[0] == data || it->tried[1] == data;
	bool sure = !known || ++it->tries % SURE == 0;

	if (!probe(data + (uint64_t)it->low, (uint64_t)(it->high - it->low), sure)) {
		it->tried[0] = it->tried[1] = 0;
		return false;
	}
	if (!known) {
		it->tried[1] = it->tried[0];
		it->tried[0] = data;
	}
	return true;
}

/* A scalar's bytes are taken to fresh_raw; true: they are what was reported. */
static bool same_scalar(struct item *it, uint64_t data)
{
	size_t n = value_size(it->plan.type);

	if (it->kind != ARRAY_REPLICATED || it->plan.ndim || n > sizeof(it->raw))
		return false;
	memcpy(it->fresh_raw, (char *)(uintptr_t)data + it->part.origin, n);
	return it->told && !it->again && !memcmp(it->raw, it->fresh_raw, n);
}

enum item_look item_sum(struct item *it, struct sum **out)
{
	struct layout part = it->part;
	uint64_t data = 0;

	if (it->own) {
		data = data_of(it->addr, it->by_pointer);
		if (!data)
			return ITEM_NOTHING;
		if (atomic_load(&entity_of(it)->freed) || !readable(it, data)) {
			say_lost(it);
			return ITEM_NOTHING;
		}
		if (same_scalar(it, data))
			return ITEM_SAME;
	}
	if (sum)
		sum_reset(sum);
	sum = sum_create_in(memory, &it->plan, NULL);
	part.data = (void *)(uintptr_t)data;
	if (!sum || sum_add(sum, &part, NULL))
		return ITEM_NOTHING;
	it->fresh = sum_hash(sum);
	*out = sum;
	return ITEM_SUM;
}

void item_settle(struct item *it, bool told)
{
	it->written |= it->based && it->fresh != it->hash;
	it->based = true;
	it->told |= told;
	it->again = told && rt.last.side == POINT_END;
	it->hash = it->fresh;
	memcpy(it->raw, it->fresh_raw, sizeof(it->raw));
}
