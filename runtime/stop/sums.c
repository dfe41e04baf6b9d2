/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which checksums are taken at a point, and the record that is made of them: at the end of a
 * construct those of the distributed arrays that it writes or reads, or of all when it does not
 * say; at its beginning and end those of replicated objects that are not as they were reported.
 */
#include "runtime/stop/internal.h"

#include <string.h>

#include "common/array/array.h"
#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "runtime/base/elsewhere.h"
#include "runtime/record/record.h"

#define ITEMS 16384
#define SURE 64 /* each page is tried again after so many sums */

/* ---- items: what checksums can be taken of. One sum's memory is used for all in turn. ---- */

/* A registered object, or a field of one, as far as it can have checksums. */
struct item {
	uint32_t var;	 /* number of the object */
	uint32_t field;	 /* index + 1 among its fields; 0: the whole object */
	uint32_t entity; /* arena offset */
	uint32_t loc;	 /* where it was registered */
	uint32_t serial; /* of the registration that what follows says */
	uint32_t counter;
	bool usable;	     /* it consists of numbers */
	bool by_pointer;     /* addr is that of a pointer variable */
	uint8_t kind, order; /* as in struct page_entity */
	uint64_t addr, own;  /* own: elements that are here */
	int64_t low, high;   /* bytes from the object's address: what is read, high exclusive */
	uint64_t lists;	     /* hash of the index lists */
	struct sum_plan plan;
	struct layout part; /* what is here; all but data */

	uint64_t tried[2]; /* addresses where all of it could be read */
	uint32_t tries;
	bool lost;     /* a finding has said that it cannot be read */
	bool based;    /* hash is known */
	bool written;  /* it has changed since that was first taken */
	bool reported; /* the supervisor knows hash */
	bool again;    /* reported at an end: and at the next beginning, if still there */
	bool pending;  /* fresh is in the record that is being made */
	uint64_t hash, fresh;
	unsigned char raw[16], fresh_raw[16]; /* a scalar's bytes, with hash and with fresh */
};

enum item_inspect {
	ITEM_NOTHING, /* it is not there, or cannot be read */
	ITEM_SAME,    /* it is as it was reported */
	ITEM_SUM,     /* there is a sum, and fresh is its hash */
};

/* Where the items of an object are. */
struct run {
	uint32_t first, n;
};

struct table {
	struct run run[VAR_MOST];
	struct item item[ITEMS];
	uint8_t exact; /* as in struct trace_config, when the items were made */
};

static struct table *tab;
static void *memory; /* of summed */
static struct sum *summed;
static uint32_t nitem;

static const struct page_entity *entity_of(const struct item *it)
{
	return arena_at(it->entity);
}

static uint32_t items_count(void)
{
	return nitem;
}

static struct item *item_at(uint32_t i)
{
	return &tab->item[i];
}

/* It is registered now and consists of numbers. */
static bool item_live(const struct item *it)
{
	const struct page_entity *e = entity_of(it);

	return it->usable && atomic_load(&e->live) && e->serial == it->serial;
}

static int plan_make(struct sum_plan *p, unsigned ndim, const int64_t *extent, unsigned type)
{
	if (type == VALUE_POINTER || sum_plan_array(p, ndim, extent, type, NULL))
		return -1;
	p->quick = !tab->exact;
	return 0;
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

/* Sums of the other kind are not those that were reported: items are made again. */
static void other_sums(uint8_t exact)
{
	if (summed)
		sum_reset(summed);
	summed = NULL;
	tab->exact = exact;
	for (uint32_t i = 0; i < nitem; i++)
		tab->item[i].serial = 0;
}

#define ENDS (PAGE_SUMS / 4)

/* Sums of objects that have gone since the last point outside tasks, as in a record. */
static struct {
	unsigned char *at; /* ENDS bytes */
	uint32_t bytes, n;
} ends;

/* Brings all items in step with what is registered; false: there is no memory. */
static bool items_refresh(void)
{
	static bool full;

	if (!tab)
		tab = rt_pages(sizeof(*tab));
	if (!memory)
		memory = rt_pages(sum_memory(NULL));
	if (!ends.at)
		ends.at = rt_pages(ENDS);
	if (!tab || !memory || !ends.at)
		return false;
	if (tab->exact != rt.trace_config.exact)
		other_sums(rt.trace_config.exact);
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

/*
 * The newest object whose data are at that address now; VAR_NONE: there is none. *all: the address
 * is that of structures, all fields of which are meant.
 */
static uint32_t item_find(uint64_t data, bool *all)
{
	uint32_t found = VAR_NONE, serial = 0, loc;

	for (uint32_t i = 0; i < var_count(); i++) {
		const struct page_entity *e = arena_at(var_entity(i, &loc));

		if (e->serial > serial && var_begins(i, data)) {
			found = i;
			serial = e->serial;
			*all = data_of(e->addr, e->by_pointer) == data;
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
	text_str(&t, ", so no checksum is taken of it");
	text_str(&t, atomic_load(&e->freed)
			     ? ": it was freed or moved, and not registered "
			       "again or forgotten (in Fortran c = f(x) may move c, c(:) = f(x) "
			       "does not)"
		     : e->by_pointer
			     ? "; was it freed and not forgotten, or is the pointer variable "
			       "gone, which is what is registered?"
			     : "; was it freed and not forgotten?");
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
	return it->reported && !it->again && !memcmp(it->raw, it->fresh_raw, n);
}

/*
 * At the end of the program: a pointer on the stack that points elsewhere than before. Its function
 * has returned, and others have used its place.
 */
static bool is_left(const struct item *it, uint64_t data)
{
	return rt.depth && rt.frame[rt.depth - 1].kind == CONSTRUCT_FINISH && it->by_pointer &&
	       it->addr < rt.stack_top && it->addr > rt.stack_top - RT_STACK_REACH &&
	       it->tried[0] && it->tried[0] != data && it->tried[1] != data;
}

/* Adds up what is here; *summed stays valid until the next call. */
static enum item_inspect item_sum(struct item *it, struct sum **out)
{
	struct layout part = it->part;
	uint64_t data = 0;

	if (it->own) {
		data = data_of(it->addr, it->by_pointer);
		/* what is there now may lead to memory, too */
		if (!data || is_left(it, data))
			return ITEM_NOTHING;
		if (atomic_load(&entity_of(it)->freed) || !readable(it, data)) {
			say_lost(it);
			return ITEM_NOTHING;
		}
		if (same_scalar(it, data))
			return ITEM_SAME;
	}
	if (summed)
		sum_reset(summed);
	summed = sum_create_in(memory, &it->plan, NULL);
	part.data = (void *)(uintptr_t)data;
	if (!summed || sum_add(summed, &part, NULL))
		return ITEM_NOTHING;
	it->fresh = sum_hash(summed);
	*out = summed;
	return ITEM_SUM;
}

/* fresh is from now on the hash that was taken last. */
static void item_settle(struct item *it, bool reported)
{
	it->written |= it->based && it->fresh != it->hash;
	it->based = true;
	it->reported |= reported;
	it->again = reported && rt.last.side == POINT_END;
	it->hash = it->fresh;
	memcpy(it->raw, it->fresh_raw, sizeof(it->raw));
}

/* ---- what is taken at a point, and the record ---- */

/* What the open constructs say; one numbered construct can be open outside tasks, one in a task. */
struct announced {
	struct access access;
	bool resolved;
};

static struct announced announced[2], announced_nothing;

static struct {
	unsigned char *at; /* PAGE_SUMS bytes, and room for one more sum */
	uint32_t bytes, n;
	bool full; /* a finding has said that not all got in */
} record;

static uint32_t dropped; /* points given up since the last record */

static struct announced *announced_of(const struct rt_frame *f)
{
	return construct_unmarked(f->kind) ? &announced_nothing : &announced[f->point.sub != 0];
}

/* What constructs use that do not say it is to be seen, from the next one on. */
static bool uses_due(void)
{
	return rt.trace_config.uses && access_hooked();
}

void sums_access(const struct rt_frame *f, const struct access *a)
{
	struct announced *s = announced_of(f);

	if (s != &announced_nothing)
		uses_begin(f->point.sub, (a && a->n) || !uses_due());
	s->access.n = 0;
	if (!a)
		return;
	s->access = *a;
	s->resolved = false;
}

void sums_used(const struct rt_frame *f)
{
	if (!construct_unmarked(f->kind))
		uses_end(f->point.sub);
}

static const char *access_word(unsigned flags)
{
	return flags & POINT_SUMS_WRITE ? ".writes" : ".reads";
}

/* Finds the objects behind the addresses: arrays keep their names when pointers are swapped. */
static void resolve(struct announced *s, uint32_t loc)
{
	for (uint32_t i = 0; !s->resolved && i < s->access.n; i++) {
		struct access_array *a = &s->access.array[i];
		char detail[96];
		struct text t = { detail, 0, sizeof(detail) };

		if (!a->at)
			continue;
		a->var = item_find((uintptr_t)a->at, &a->all);
		if (a->var != VAR_NONE || var_empty((uintptr_t)a->at) ||
		    var_refused((uintptr_t)a->at))
			continue;
		text_str(&t, access_word(a->flags));
		text_str(&t, " of the construct names it");
		find_add(FINDING_ACCESS, loc, detail);
	}
	s->resolved = true;
}

static bool in_structure(const struct access_array *a, uint32_t var)
{
	return a->all && a->var != VAR_NONE && var_same_structure(a->var, var);
}

/* enum point_sums_flag of what is said of object var. */
static uint8_t announced_about(const struct announced *s, uint32_t var)
{
	uint8_t flags = 0;

	for (uint32_t i = 0; i < s->access.n; i++)
		if (s->access.array[i].var == var || in_structure(&s->access.array[i], var))
			flags |= s->access.array[i].flags;
	return flags;
}

static bool record_begin(const struct rt_frame *f)
{
	struct page_point_sums *t;

	if (!record.at)
		record.at = rt_pages(PAGE_SUMS + sizeof(struct page_sum) + sum_put_most(NULL) + 8);
	if (!record.at)
		return false;
	t = (struct page_point_sums *)record.at;
	*t = (struct page_point_sums){ .loc = rt_loc[f->loc].off,
				       .point = rt.last,
				       .kind = f->kind };
	record.bytes = sizeof(*t);
	record.n = 0;
	return true;
}

/* Writes a sum to `to`, where there is room for any; returns its bytes. */
static uint32_t put_sum(const struct item *it, const struct sum *sum, uint8_t flags, void *to)
{
	struct page_sum *s = to;
	struct buf b = { .data = (unsigned char *)(s + 1), .cap = sum_put_most(&it->plan) };
	uint32_t bytes;

	*s = (struct page_sum){ .entity = it->entity, .field = it->field, .counter = it->counter };
	s->kind = it->kind;
	s->copies = entity_of(it)->copies;
	s->copy = entity_of(it)->copy;
	s->order = it->order;
	s->flags = flags;
	s->ndim = (uint8_t)it->plan.ndim;
	memcpy(s->lower, it->part.lower, sizeof(s->lower));
	sum_put(sum, &b);
	s->bytes = (uint32_t)b.len;
	bytes = (uint32_t)(sizeof(*s) + ((b.len + 7) & ~(size_t)7));
	memset((char *)(s + 1) + b.len, 0, bytes - sizeof(*s) - b.len);
	return bytes;
}

static void say_full(void)
{
	if (!record.full)
		find_add(FINDING_PARTIAL, 0, "the checksums of a point do not fit into the queue");
	record.full = true;
}

/* Appends a sum. */
static void record_add(struct item *it, const struct sum *sum, uint8_t flags)
{
	uint32_t bytes = put_sum(it, sum, flags, record.at + record.bytes);

	if (record.bytes + bytes > PAGE_SUMS) {
		say_full();
		return;
	}
	record.bytes += bytes;
	record.n++;
	it->pending = true;
}

/* Appends what has gone since the point before. */
static void record_add_ends(void)
{
	if (rt.last.sub || !ends.n)
		return;
	memcpy(record.at + record.bytes, ends.at, ends.bytes);
	record.bytes += ends.bytes;
	record.n += ends.n;
	ends.bytes = ends.n = 0;
}

/* The next point outside tasks. */
static struct point next_point(void)
{
	bool open = rt.open[CONSTRUCT_PL] || rt.open[CONSTRUCT_TR];

	return (struct point){ rt.main_n + !open, 0, 0, open ? POINT_END : POINT_BEGIN };
}

static bool has_ended(const struct item *it)
{
	const struct page_sum *s;

	for (uint32_t at = 0; at < ends.bytes;
	     at += (uint32_t)sizeof(*s) + ((s->bytes + 7) & ~7u)) {
		s = (const struct page_sum *)(ends.at + at);
		if (s->entity == it->entity && s->field == it->field)
			return true;
	}
	return false;
}

static void item_end(struct item *it)
{
	uint8_t flags = POINT_SUMS_GONE;
	struct sum *sum;

	if (!item_live(it) || has_ended(it))
		return;
	/* also when it is what was reported last: it may not be in the other run */
	it->again = true;
	if (item_sum(it, &sum) != ITEM_SUM)
		return;
	if (it->written || (it->based && it->fresh != it->hash))
		flags |= POINT_SUMS_WRITTEN;
	if (ends.bytes + sizeof(struct page_sum) + sum_put_most(&it->plan) + 8 > ENDS) {
		say_full();
		return;
	}
	ends.bytes += put_sum(it, sum, flags, ends.at + ends.bytes);
	ends.n++;
}

void sums_end(uint32_t var)
{
	const struct point next = next_point();

	if (!rt.trace_config.level || atomic_load(&rt.crashed) ||
	    !trace_config_open(&rt.trace_config, &next))
		return;
	if (!items_refresh())
		return;
	probe_start();
	traps_hold();
	for (uint32_t k = 0; k < tab->run[var].n; k++)
		item_end(item_at(tab->run[var].first + k));
	traps_release();
}

/*
 * What all ranks have received just now is in it. Other replicated objects are not looked at where
 * a collective call is: each rank may have its own part of a sum in them until a later call.
 */
static bool is_result(const struct item *it, const struct rt_frame *f)
{
	uint64_t data = f->result ? data_of(it->addr, it->by_pointer) : 0;

	return data && rt.last.side == POINT_END && f->result >= data + (uint64_t)it->low &&
	       f->result < data + (uint64_t)it->high;
}

static void take_replicated(struct item *it, const struct announced *s)
{
	uint8_t flags = announced_about(s, it->var);
	struct sum *sum;

	if (item_sum(it, &sum) != ITEM_SUM)
		return;
	/* at an end a reduction may be under way: only the next beginning shows what is left of it
	 */
	if (it->reported && it->fresh == it->hash && !(it->again && rt.last.side == POINT_BEGIN))
		return;
	if (it->reported && it->fresh != it->hash)
		flags |= POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN;
	record_add(it, sum, flags);
}

static void take_distributed(struct item *it, const struct announced *s)
{
	uint8_t flags = announced_about(s, it->var);
	/* also when it is nothing: other ranks may use it */
	bool seen = !s->access.n && s != &announced_nothing && uses_known(rt.last.sub);
	bool report =
		rt.last.side == POINT_END && (!s->access.n || flags & POINT_SUMS_WRITE ||
					      (flags & POINT_SUMS_READ && rt.trace_config.reads));
	/* copies may be made equal behind the end: only the next beginning shows what is left */
	bool again = entity_of(it)->copies && it->again && rt.last.side == POINT_BEGIN &&
		     s != &announced_nothing;
	struct sum *sum;

	if ((!report && !again && it->based) || item_sum(it, &sum) != ITEM_SUM)
		return;
	if (!report && !again) {
		item_settle(it, false);
		return;
	}
	if (again)
		flags |= POINT_SUMS_AGAIN;
	if (it->based && it->fresh != it->hash)
		flags |= POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN;
	if (it->written)
		flags |= POINT_SUMS_WRITTEN;
	if (seen)
		flags |= POINT_SUMS_SEEN | uses_of(it->var, rt.last.sub);
	record_add(it, sum, flags);
}

/* At the end of the program nothing is lost any more. */
static bool is_there(const struct item *it, bool finish)
{
	return item_live(it) && !var_gone(it->var) &&
	       !(finish && atomic_load(&entity_of(it)->freed));
}

static void take_all(const struct announced *s, const struct rt_frame *f)
{
	bool finish = f->kind == CONSTRUCT_FINISH;

	for (uint32_t i = 0; i < items_count(); i++) {
		struct item *it = item_at(i);

		it->pending = false;
		if (!is_there(it, finish))
			continue;
		if (it->kind == ARRAY_REPLICATED && construct_unmarked(f->kind) && !is_result(it, f))
			continue;
		if (it->kind == ARRAY_REPLICATED)
			take_replicated(it, s);
		else
			take_distributed(it, s);
	}
}

/* Gives the record to the supervisor, or gives it up; what it says counts as reported or not. */
static bool record_report(uint64_t hold)
{
	struct page_point_sums *t = (struct page_point_sums *)record.at;

	t->bytes = record.bytes;
	t->n = record.n;
	t->dropped = dropped;
	/* who waits for the verdict waits for that of its traces, too */
	if (hold && gate_active) {
		trace_leave();
		t->blocks = atomic_load(&rt.page->trace.closed);
	}
	if (!queue_put(record.at, record.bytes, hold)) {
		dropped++;
		return false;
	}
	dropped = 0;
	for (uint32_t i = 0; i < items_count(); i++)
		if (item_at(i)->pending)
			item_settle(item_at(i), true);
	return true;
}

bool sums_take(const struct rt_frame *f)
{
	bool holds = rt.trace_config.hold && !rt.last.sub && !rt.exiting;
	uint64_t hold = holds ? point_order_number(&rt.last) : 0;
	struct announced *s = announced_of(f);

	if (atomic_load(&rt.crashed))
		return false;
	probe_start();
	var_forget_stack();
	elsewhere_fetch();
	if (!items_refresh() || !record_begin(f)) {
		rt.trace_config.level = TRACE_CONFIG_NONE;
		find_add(FINDING_PARTIAL, 0, "there is no memory for checksums");
		return false;
	}
	/* both sides of the end are one place: the second has everything */
	if (f->kind != CONSTRUCT_FINISH || rt.last.side == POINT_END) {
		resolve(s, f->loc);
		record_add_ends();
		traps_hold();
		take_all(s, f);
		traps_release();
	}
	if (!record.n && rt.last.side == POINT_BEGIN && !hold)
		return false;
	return record_report(hold) && hold && queue_hold(hold);
}
