/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/page/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/log.h"
#include "common/protocol/point_sums.h"
#include "runtime/exec/sys/futex.h"

#define FLAGS                                                                           \
	(POINT_SUMS_READ | POINT_SUMS_WRITE | POINT_SUMS_CHANGED | POINT_SUMS_WRITTEN | \
	 POINT_SUMS_GONE | POINT_SUMS_SEEN | POINT_SUMS_AGAIN)
#define NAME (2 * PAGE_READ_STRING + 2) /* of an object and a field, and the dot */

/* What one record is read from; it is our own copy. */
struct record {
	struct page_point_sums head;
	struct buf rest;
};

static uint64_t start_of(const struct page_sums *s)
{
	return *(const volatile uint64_t *)&s->read->page->start_usec;
}

void page_sums_init(struct page_sums *s, struct page_read *read, uint32_t rank)
{
	*s = (struct page_sums){ .read = read, .rank = rank };
	/* others may have taken what was there before */
	if (read->page->kept) {
		s->start = start_of(s);
		s->tail = atomic_load(&read->page->sums_tail);
	}
}

static void set_tail(struct page_sums *s, uint64_t tail)
{
	struct page *p = s->read->page;

	s->tail = tail;
	atomic_store(&p->sums_tail, tail);
	if (!atomic_load(&p->sums_waiting))
		return;
	atomic_fetch_add(&p->wake, 1);
	futex_wake(&p->wake);
}

static int broken(struct page_sums *s, const char *what)
{
	log_debug("sums", "the queue is given up: %s", what);
	s->broken = true;
	return -1;
}

/* Another program in the same process has begun the queue again. */
static void follow_start(struct page_sums *s)
{
	uint64_t start = start_of(s);

	if (start == s->start)
		return;
	s->start = start;
	s->broken = false;
	set_tail(s, 0);
}

/* Bytes that are there; 0 or -1, see page_sums_take. */
static int64_t available(struct page_sums *s)
{
	struct page *p = s->read->page;
	uint64_t head;

	follow_start(s);
	head = atomic_load(&p->sums_head);
	if (head == s->tail)
		return 0;
	if (head < s->tail) {
		/* just now it is being restarted */
		if (start_of(s) != s->start || atomic_load(&p->state) == PAGE_FRESH)
			return 0;
		return broken(s, "it moves backwards");
	}
	if (head - s->tail > PAGE_SUMS || head % 8)
		return broken(s, "its end is invalid");
	return (int64_t)(head - s->tail);
}

static void copy_out(const struct page_sums *s, void *to, size_t len)
{
	const unsigned char *ring = s->read->page->sums;
	size_t at = s->tail % PAGE_SUMS, first = PAGE_SUMS - at;

	first = first < len ? first : len;
	memcpy(to, ring + at, first);
	memcpy((unsigned char *)to + first, ring, len - first);
	__asm__ volatile("" ::: "memory");
}

/* The record at the tail, to be freed; the queue has room for another one then. */
static int copy_record(struct page_sums *s, size_t there, void **out, size_t *bytes)
{
	struct page_point_sums head;

	*out = NULL;
	if (there < sizeof(head))
		return broken(s, "a record is cut off");
	copy_out(s, &head, sizeof(head));
	if (head.bytes < sizeof(head) || head.bytes % 8 || head.bytes > there)
		return broken(s, "the length of a record is invalid");
	*bytes = head.bytes;
	*out = malloc(*bytes);
	if (*out)
		copy_out(s, *out, *bytes);
	s->lost_point = head.point;
	s->lost_kind = (uint8_t)head.kind;
	set_tail(s, s->tail + *bytes);
	return *out ? 0 : -1;
}

/* "par.dt" and its place; false when there is no such object. */
static bool object_name(struct page_read *r, const struct page_sum *m, char name[NAME],
			struct place *place)
{
	struct page_entity e;
	struct page_field f;

	if (m->entity % 8 || !page_read_arena(r, m->entity, &e, sizeof(e)))
		return false;
	page_read_place(r, e.loc, place);
	snprintf(name, NAME, "%s", page_read_string(r, e.name));
	if (m->field == 0)
		return true;
	if (m->field > e.nfield || m->field > PAGE_ARENA / sizeof(f) || e.field >= PAGE_ARENA ||
	    !page_read_arena(r, e.field + (m->field - 1) * (uint32_t)sizeof(f), &f, sizeof(f)))
		return false;
	snprintf(name + strlen(name), NAME - strlen(name), ".%s", page_read_string(r, f.name));
	return true;
}

static bool sum_fits(const struct page_sum *m, const struct sum *sum)
{
	const struct sum_plan *p = sum_plan_of(sum);
	int64_t high;

	for (unsigned d = 0; d < p->ndim; d++)
		if (__builtin_add_overflow(m->lower[d], p->extent[d], &high))
			return false;
	if (m->copies ? m->copies < 2 || m->copies > INT32_MAX || m->copy >= m->copies ||
				m->kind != ARRAY_DISTRIBUTED
		      : m->copy != 0)
		return false;
	return m->kind <= ARRAY_REPLICATED && (m->order == 'C' || m->order == 'F') &&
	       !(m->flags & ~FLAGS) && m->ndim == p->ndim;
}

/* Two functions at one line may each have registered one of that name: the first is reported. */
static bool is_there(const struct point_sums *t, const char *name, const struct place *p,
		     const struct page_sum *m)
{
	for (const struct point_sums_item *i = t->item; i < t->item + t->n; i++)
		if (i->line == p->line && i->counter == m->counter &&
		    !((i->flags ^ m->flags) & POINT_SUMS_GONE) && strcmp(i->name, name) == 0 &&
		    strcmp(i->file, p->file) == 0)
			return true;
	return false;
}

/* Adds what m and the bytes of its sum say. *sum may be taken over. */
static int add_item(struct page_sums *s, struct point_sums *t, const struct page_sum *m,
		    struct sum **sum, const void *bytes)
{
	struct point_sums_item *i;
	struct place place;
	char name[NAME];
	int rc = 0;

	page_read_reset(s->read);
	if (!object_name(s->read, m, name, &place))
		return broken(s, "an unknown object");
	if (is_there(t, name, &place, m))
		return 0;
	i = point_sums_add(t, name, place.file, place.line, m->counter);
	if (!i || rankset_add(&i->ranks, s->rank, s->rank) ||
	    (*place.module && point_sums_item_set_module(i, place.module, place.vaddr)))
		return -1;
	i->kind = m->kind;
	i->order = m->order;
	i->flags = m->flags;
	i->plan = *sum_plan_of(*sum);
	memcpy(i->lower, m->lower, i->plan.ndim * sizeof(i->lower[0]));
	if (m->kind == ARRAY_REPLICATED)
		return groups_add(&i->copies, &i->ranks, bytes, m->bytes);
	i->split = m->copies;
	if (m->copies)
		rc = point_sums_item_add_copy(i, m->copy, s->rank, *sum);
	else
		i->sum = *sum;
	*sum = NULL;
	return rc;
}

/* Reads one item of the record. */
static int read_item(struct page_sums *s, struct point_sums *t, struct buf *rest)
{
	const void *at = buf_get_raw(rest, sizeof(struct page_sum)), *bytes;
	struct page_sum m;
	struct sum *sum;
	struct buf b;
	int rc = -1;

	if (!at)
		return broken(s, "an object is cut off");
	memcpy(&m, at, sizeof(m));
	bytes = buf_get_raw(rest, m.bytes);
	if (!bytes || !buf_get_raw(rest, -m.bytes & 7))
		return broken(s, "a checksum is cut off");
	b = buf_view(bytes, m.bytes);
	errno = 0;
	sum = sum_get(&b, NULL);
	if (!sum && errno == ENOMEM)
		return -1;
	if (!sum || buf_left(&b) || !sum_fits(&m, sum))
		broken(s, "an invalid checksum");
	else
		rc = add_item(s, t, &m, &sum, bytes);
	sum_destroy(sum);
	return rc;
}

static bool point_is_one(const struct point *p)
{
	return p->main && p->side <= POINT_END &&
	       (point_kind(p) != POINT_KIND_MARKS ? !p->sub : p->sub || !p->task);
}

static int read_record(struct page_sums *s, struct point_sums *t, struct buf *b)
{
	const void *at = buf_get_raw(b, sizeof(struct page_point_sums));
	struct page_point_sums head;
	struct place place;

	memcpy(&head, at, sizeof(head));
	if (!point_is_one(&head.point) || !construct_numbered(head.kind) ||
	    head.n > POINT_SUMS_ITEMS)
		return broken(s, "an invalid point");
	page_read_reset(s->read);
	page_read_place(s->read, head.loc, &place);
	t->point = head.point;
	t->kind = (uint8_t)head.kind;
	if (point_sums_set_place(t, &place) || rankset_add(&t->passed, s->rank, s->rank) ||
	    (head.dropped && rankset_add(&t->dropped, s->rank, s->rank)))
		return -1;
	for (uint32_t i = 0; i < head.n; i++)
		if (read_item(s, t, b))
			return -1;
	return buf_left(b) ? broken(s, "a record is longer than what is in it") : 0;
}

/* A record was taken out and not read: for lack of memory, if the queue is not broken. */
static int lost(struct page_sums *s)
{
	s->lost = !s->broken && point_is_one(&s->lost_point) && construct_numbered(s->lost_kind);
	return -1;
}

int page_sums_take(struct page_sums *s, struct point_sums *t, size_t *bytes)
{
	int64_t there = available(s);
	struct buf b;
	void *copy;
	int rc;

	*t = (struct point_sums){ 0 };
	*bytes = 0;
	s->lost = false;
	if (there <= 0 || s->broken)
		return there < 0 || s->broken ? -1 : 0;
	if (copy_record(s, (size_t)there, &copy, bytes))
		return lost(s);
	b = buf_view(copy, *bytes);
	rc = read_record(s, t, &b);
	free(copy);
	if (rc) {
		point_sums_clear(t);
		return lost(s);
	}
	return 1;
}

uint64_t page_sums_blocks(struct page_sums *s)
{
	struct page_point_sums head;

	if (s->broken || available(s) < (int64_t)sizeof(head))
		return 0;
	copy_out(s, &head, sizeof(head));
	return head.blocks;
}

bool page_sums_discard(struct page_sums *s)
{
	uint64_t head;

	follow_start(s);
	head = atomic_load(&s->read->page->sums_head);
	if (head == s->tail)
		return false;
	set_tail(s, head);
	return true;
}

int page_sums_empty(struct page_sums *s, const struct point *p, struct point_sums *t)
{
	struct report_frame f;

	*t = (struct point_sums){ .point = *p };
	page_read_reset(s->read);
	page_read_innermost(s->read, &f);
	t->kind = construct_numbered(f.kind) ? f.kind : (uint8_t)CONSTRUCT_PL;
	if (point_sums_set_place(t, &f.place) == 0 &&
	    rankset_add(&t->passed, s->rank, s->rank) == 0)
		return 0;
	point_sums_clear(t);
	return -1;
}
