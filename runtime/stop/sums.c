/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which checksums are taken at a point, and the record that is made of them: at the end of a
 * construct those of the distributed arrays that it writes or reads, or of all when it does not
 * say; at its beginning and end those of replicated objects that are not as they were reported.
 */
#include "runtime/stop/internal.h"
#include "runtime/record/record.h"

#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"

/* What the open constructs say; one numbered construct can be open outside tasks, one in a task. */
struct said {
	struct access access;
	bool resolved;
};

static struct said said[2];

static struct {
	unsigned char *at; /* PAGE_SUMS bytes, and room for one more sum */
	uint32_t bytes, n;
	bool full; /* a finding has said that not all got in */
} record;

static uint32_t dropped; /* points given up since the last record */

static struct said *said_of(const struct rt_frame *f)
{
	return &said[f->point.sub != 0];
}

void sums_access(const struct rt_frame *f, const struct access *a)
{
	struct said *s = said_of(f);

	s->access.n = 0;
	if (!a)
		return;
	s->access = *a;
	s->resolved = false;
}

static const char *access_word(unsigned flags)
{
	return flags & TALLY_WRITE ? ".writes" : ".reads";
}

/* Finds the objects behind the addresses: arrays keep their names when pointers are swapped. */
static void resolve(struct said *s, uint32_t loc)
{
	for (uint32_t i = 0; !s->resolved && i < s->access.n; i++) {
		struct access_array *a = &s->access.array[i];
		char detail[96];
		struct text t = { detail, 0, sizeof(detail) };

		if (!a->at)
			continue;
		a->var = item_find((uintptr_t)a->at);
		if (a->var != VAR_NONE || var_empty((uintptr_t)a->at))
			continue;
		text_str(&t, access_word(a->flags));
		text_str(&t, " of the construct names it");
		find_add(FINDING_ACCESS, loc, detail);
	}
	s->resolved = true;
}

/* enum tally_flag of what is said of object var. */
static uint8_t said_about(const struct said *s, uint32_t var)
{
	uint8_t flags = 0;

	for (uint32_t i = 0; i < s->access.n; i++)
		if (s->access.array[i].var == var)
			flags |= s->access.array[i].flags;
	return flags;
}

static bool record_begin(const struct rt_frame *f)
{
	struct page_tally *t;

	if (!record.at)
		record.at = rt_pages(PAGE_SUMS + sizeof(struct page_sum) + sum_put_most(NULL) + 8);
	if (!record.at)
		return false;
	t = (struct page_tally *)record.at;
	*t = (struct page_tally){ .loc = rt_loc[f->loc].off, .point = rt.last, .kind = f->kind };
	record.bytes = sizeof(*t);
	record.n = 0;
	return true;
}

/* Appends a sum. */
static void record_add(struct item *it, const struct sum *sum, uint8_t flags)
{
	struct page_sum *s = (struct page_sum *)(record.at + record.bytes);
	struct buf b = { .data = (unsigned char *)(s + 1), .cap = sum_put_most(&it->plan) };
	uint32_t bytes;

	*s = (struct page_sum){ .entity = it->entity, .field = it->field, .counter = it->counter };
	s->kind = it->kind;
	s->order = it->order;
	s->flags = flags;
	s->ndim = (uint8_t)it->plan.ndim;
	memcpy(s->lower, it->part.lower, sizeof(s->lower));
	sum_put(sum, &b);
	s->bytes = (uint32_t)b.len;
	bytes = (uint32_t)(sizeof(*s) + ((b.len + 7) & ~(size_t)7));
	if (record.bytes + bytes > PAGE_SUMS) {
		if (!record.full)
			find_add(FINDING_PARTIAL, 0,
				 "the checksums of a point do not fit into the queue");
		record.full = true;
		return;
	}
	memset((char *)(s + 1) + b.len, 0, bytes - sizeof(*s) - b.len);
	record.bytes += bytes;
	record.n++;
	it->pending = true;
}

static void take_replicated(struct item *it, const struct said *s)
{
	uint8_t flags = said_about(s, it->var);
	struct sum *sum;

	if (item_sum(it, &sum) != ITEM_SUM)
		return;
	/* at an end a reduction may be under way: only the next beginning shows what is left of it
	 */
	if (it->told && it->fresh == it->hash && !(it->again && rt.last.side == POINT_BEGIN))
		return;
	if (it->told && it->fresh != it->hash)
		flags |= TALLY_CHANGED | TALLY_WRITTEN;
	record_add(it, sum, flags);
}

static void take_distributed(struct item *it, const struct said *s)
{
	uint8_t flags = said_about(s, it->var);
	bool tell = rt.last.side == POINT_END &&
		    (!s->access.n || flags & TALLY_WRITE || (flags & TALLY_READ && rt.gauge.reads));
	struct sum *sum;

	if ((!tell && it->based) || item_sum(it, &sum) != ITEM_SUM)
		return;
	if (!tell) {
		item_settle(it, false);
		return;
	}
	if (it->based && it->fresh != it->hash)
		flags |= TALLY_CHANGED | TALLY_WRITTEN;
	if (it->written)
		flags |= TALLY_WRITTEN;
	record_add(it, sum, flags);
}

static void take_all(const struct said *s)
{
	for (uint32_t i = 0; i < items_count(); i++) {
		struct item *it = item_at(i);

		it->pending = false;
		if (!item_live(it))
			continue;
		if (it->kind == ARRAY_REPLICATED)
			take_replicated(it, s);
		else
			take_distributed(it, s);
	}
}

/* Gives the record to the supervisor, or gives it up; what it says counts as reported or not. */
static bool record_tell(uint64_t hold)
{
	struct page_tally *t = (struct page_tally *)record.at;

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
	bool holds = rt.gauge.hold && !rt.last.sub;
	uint64_t hold = holds ? (uint64_t)rt.last.main << 1 | rt.last.side : 0;
	struct said *s = said_of(f);

	if (atomic_load(&rt.crashed))
		return false;
	probe_start();
	var_forget_stack();
	if (!items_refresh() || !record_begin(f)) {
		rt.gauge.level = GAUGE_NONE;
		find_add(FINDING_PARTIAL, 0, "there is no memory for checksums");
		return false;
	}
	resolve(s, f->loc);
	take_all(s);
	if (!record.n && rt.last.side == POINT_BEGIN && !hold)
		return false;
	return record_tell(hold) && hold && queue_hold(hold);
}
