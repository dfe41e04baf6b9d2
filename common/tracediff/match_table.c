/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "common/tracediff/internal.h"

int join_table_init(struct join_table *t, const struct object_ids *idents, size_t limit)
{
	*t = (struct join_table){ .idents = idents, .mask = 255, .limit = limit };
	t->lru.older = t->lru.newer = &t->lru;
	t->slot = calloc(t->mask + 1, sizeof(struct join_page *));
	return t->slot ? 0 : -1;
}

static void page_free(struct join_page *p)
{
	free(p->value);
	free(p->chain);
	free(p->count);
	free(p);
}

void join_table_clear(struct join_table *t)
{
	for (size_t i = 0; t->slot && i <= t->mask; i++)
		if (t->slot[i])
			page_free(t->slot[i]);
	free(t->slot);
	free(t->value);
	*t = (struct join_table){ 0 };
}

static void lru_out(struct join_page *p)
{
	p->older->newer = p->newer;
	p->newer->older = p->older;
}

static void lru_newest(struct join_table *t, struct join_page *p)
{
	p->older = t->lru.older;
	p->newer = &t->lru;
	t->lru.older->newer = p;
	t->lru.older = p;
}

static size_t values_bytes(void)
{
	return JOIN_PAGE * (sizeof(uint64_t) + sizeof(uint16_t));
}

static void chain_free(struct join_table *t, uint32_t first)
{
	while (first) {
		uint32_t next = t->value[first - 1].next;

		t->value[first - 1].next = t->value_free;
		t->value_free = first;
		first = next;
	}
}

static size_t counts_bytes(void)
{
	return 3 * JOIN_PAGE * sizeof(uint16_t);
}

/* Counts that are equal for all elements take no room. */
static void counts_fold(struct join_table *t, struct join_page *p)
{
	for (unsigned i = 1; p->count && i < JOIN_PAGE; i++)
		if (p->count[i] != p->count[0] || p->count[JOIN_PAGE + i] != p->count[JOIN_PAGE] ||
		    p->count[2 * JOIN_PAGE + i] != p->count[2 * JOIN_PAGE])
			return;
	if (!p->count)
		return;
	p->nref = p->count[0];
	p->nnow = p->count[JOIN_PAGE];
	p->file = p->count[2 * JOIN_PAGE];
	free(p->count);
	p->count = NULL;
	t->held -= counts_bytes();
}

static uint16_t *counts(struct join_table *t, struct join_page *p)
{
	if (p->count)
		return p->count;
	p->count = malloc(counts_bytes());
	if (!p->count) {
		t->failed = true;
		return NULL;
	}
	t->held += counts_bytes();
	for (unsigned i = 0; i < JOIN_PAGE; i++) {
		p->count[i] = p->nref;
		p->count[JOIN_PAGE + i] = p->nnow;
		p->count[2 * JOIN_PAGE + i] = p->file;
	}
	if (p->dropped && p->older == p)
		lru_newest(t, p);
	return p->count;
}

/* Gives up the values of the page that was not used for the longest time. */
static bool drop(struct join_table *t, const struct join_page *keep)
{
	struct join_page *p = t->lru.newer;

	while (p != &t->lru && p == keep)
		p = p->newer;
	if (p == &t->lru)
		return false;
	lru_out(p);
	p->older = p->newer = p;
	counts_fold(t, p);
	if (p->dropped)
		return true;
	p->dropped = true;
	t->held -= values_bytes();
	free(p->value);
	p->value = NULL;
	p->write = NULL;
	for (unsigned i = 0; p->chain && i < JOIN_PAGE; i++)
		chain_free(t, p->chain[i]);
	if (p->chain)
		t->held -= JOIN_PAGE * sizeof(*p->chain);
	free(p->chain);
	p->chain = NULL;
	return true;
}

static size_t page_hash(uint64_t id)
{
	id *= UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(id ^ id >> 32);
}

static bool table_grow(struct join_table *t)
{
	size_t mask = t->mask * 2 + 1;
	struct join_page **slot = calloc(mask + 1, sizeof(struct join_page *));

	if (!slot)
		return false;
	for (size_t i = 0; i <= t->mask; i++) {
		size_t at;

		if (!t->slot[i])
			continue;
		at = page_hash(t->slot[i]->id) & mask;
		while (slot[at])
			at = (at + 1) & mask;
		slot[at] = t->slot[i];
	}
	free(t->slot);
	t->slot = slot;
	t->mask = mask;
	return true;
}

static struct join_page *page_make(struct join_table *t, uint64_t id, size_t at)
{
	struct join_page *p = calloc(1, sizeof(*p));

	while (t->held > t->limit && drop(t, NULL))
		;
	if (p)
		p->value = calloc(1, values_bytes());
	if (!p || !p->value) {
		free(p);
		t->failed = true;
		return NULL;
	}
	p->write = (uint16_t *)(p->value + JOIN_PAGE);
	p->id = id;
	p->used = t->now;
	t->held += sizeof(*p) + values_bytes();
	lru_newest(t, p);
	t->slot[at] = p;
	if (2 * ++t->pages > t->mask && !table_grow(t))
		t->failed = true;
	return p;
}

bool join_element(struct join_table *t, uint64_t key, struct join_element *e)
{
	const struct object_id *o = join_ident(t, key);
	uint64_t unit = (key & TRACE_KEY_MASK) >> __builtin_ctz(o->unit);
	uint64_t id = (key & ~TRACE_KEY_MASK) | unit / JOIN_PAGE;
	size_t at = page_hash(id) & t->mask;
	struct join_page *p;

	e->i = (unsigned)(unit % JOIN_PAGE);
	while (t->slot[at] && t->slot[at]->id != id)
		at = (at + 1) & t->mask;
	p = t->slot[at];
	e->page = p;
	if (!p) {
		e->page = page_make(t, id, at);
		return e->page != NULL;
	}
	/* pages are used again and again: their order need not be exact */
	if (++t->now - p->used > 4096 && p->newer != p) {
		p->used = t->now;
		lru_out(p);
		lru_newest(t, p);
	}
	return true;
}

/* Old values of an element that is written again and again. */
static void chain_cut(struct join_table *t, struct join_page *p, uint32_t at)
{
	for (unsigned n = 1; n < JOIN_CHAIN && at; n++)
		at = t->value[at - 1].next;
	if (!at || !t->value[at - 1].next)
		return;
	chain_free(t, t->value[at - 1].next);
	t->value[at - 1].next = 0;
	p->cut = true;
}

static void chain_add(struct join_table *t, const struct join_element *e, uint64_t value,
		      unsigned write, unsigned file)
{
	struct join_page *p = e->page;
	struct join_value *v;
	uint32_t at = t->value_free;

	if (!p->chain) {
		p->chain = calloc(JOIN_PAGE, sizeof(*p->chain));
		if (!p->chain) {
			t->failed = true;
			return;
		}
		t->held += JOIN_PAGE * sizeof(*p->chain);
	}
	while (!at && t->nvalue == t->value_cap) {
		uint32_t cap = t->value_cap ? 2 * t->value_cap : 1024;

		if (t->held + cap * sizeof(*v) > t->limit && drop(t, p)) {
			at = t->value_free;
			continue;
		}
		v = realloc(t->value, cap * sizeof(*v));
		if (!v) {
			t->failed = true;
			return;
		}
		t->held += (cap - t->value_cap) * sizeof(*v);
		t->value = v;
		t->value_cap = cap;
	}
	if (at)
		t->value_free = t->value[at - 1].next;
	else
		at = ++t->nvalue;
	t->value[at - 1] =
		(struct join_value){ value, p->chain[e->i], (uint16_t)write, (uint16_t)file };
	p->chain[e->i] = at;
	if (write % JOIN_CHAIN == JOIN_CHAIN - 1)
		chain_cut(t, p, at);
}

unsigned join_now(struct join_table *t, const struct join_element *e)
{
	uint16_t *count = counts(t, e->page);

	if (!count)
		return JOIN_OFTEN;
	count += JOIN_PAGE;
	return count[e->i] < JOIN_OFTEN ? ++count[e->i] : JOIN_OFTEN;
}

/* Which write of the file this is. The one that was first is counted. */
static unsigned write_number(struct join_table *t, const struct join_element *e, unsigned file)
{
	uint16_t *count = counts(t, e->page), *of;
	unsigned n = 1;

	if (!count)
		return JOIN_OFTEN;
	of = &count[2 * JOIN_PAGE + e->i];
	count += e->i;
	if (!*count)
		*of = (uint16_t)file;
	if (*of == file)
		return *count < JOIN_OFTEN ? ++*count : JOIN_OFTEN;
	for (uint32_t at = e->page->chain ? e->page->chain[e->i] : 0; at;
	     at = t->value[at - 1].next)
		n += t->value[at - 1].file == file && t->value[at - 1].write;
	return n < JOIN_OFTEN && !e->page->cut ? n : JOIN_OFTEN;
}

/* Whether writes of the file are those that are counted. */
static bool counted(const struct join_element *e, unsigned file)
{
	const struct join_page *p = e->page;

	return (p->count ? p->count[2 * JOIN_PAGE + e->i] : p->file) == file;
}

static bool has_value(const struct join_table *t, const struct join_element *e, uint64_t value)
{
	struct join_at at = { 0 };
	uint64_t v;

	while (join_next(t, e, 0, &at, &v))
		if (v == value)
			return true;
	return false;
}

void join_ref(struct join_table *t, const struct join_element *e, const struct trace_acc *a,
	      bool writes, unsigned file)
{
	struct join_page *p = e->page;
	unsigned write = writes ? write_number(t, e, file) : 0;
	bool met = join_met(e);

	p->met[e->i >> 3] |= (uint8_t)(1u << (e->i & 7));
	if (p->dropped)
		return;
	if (!met) {
		p->value[e->i] = a->value;
		p->write[e->i] = (uint16_t)write;
	} else if (!write) {
		if (p->value[e->i] != a->value && !has_value(t, e, a->value))
			chain_add(t, e, a->value, 0, file);
	} else if (p->value[e->i] == a->value && !p->write[e->i] && counted(e, file)) {
		p->write[e->i] = (uint16_t)write;
	} else {
		chain_add(t, e, a->value, write, file);
	}
}

bool join_next(const struct join_table *t, const struct join_element *e, unsigned write,
	       struct join_at *at, uint64_t *value)
{
	const struct join_page *p = e->page;

	if (!at->begun) {
		at->begun = true;
		at->next = p->chain ? p->chain[e->i] : 0;
		if (join_met(e) && !p->dropped && (!write || p->write[e->i] == write)) {
			*value = p->value[e->i];
			return true;
		}
	}
	while (at->next) {
		const struct join_value *v = &t->value[at->next - 1];

		at->next = v->next;
		if (!write || v->write == write) {
			*value = v->value;
			return true;
		}
	}
	return false;
}
