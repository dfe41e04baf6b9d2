/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements that are watched: at each numbered point a hash of what of them lies here is compared
 * with that of the point before. The supervisor and the front end find out what has changed.
 */
#include "runtime/base/base.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/array/value.h"
#include "runtime/stop/internal.h"

#define HASH_STEP 0x9e3779b97f4a7c15u

struct watched {
	struct watch w;
	bool known;   /* hash is that of the last look */
	bool changed; /* at the last look */
	uint64_t hash;
};

static struct watched list[WATCH_MOST];
static uint32_t nlist;

/* What of the elements is looked at. */
struct piece {
	uint32_t offset, bytes;
};

struct walk {
	const struct page_entity *e;
	const struct watch *w;
	struct piece piece[64];
	uint32_t npiece;
	uint64_t hash;
	bool lost; /* memory that cannot be read */
};

void watched_set(const struct watch *w, uint32_t n)
{
	static struct watched old[WATCH_MOST];
	uint32_t nold = nlist;

	memcpy(old, list, nold * sizeof(*old));
	nlist = n;
	for (uint32_t i = 0; i < n; i++) {
		list[i] = (struct watched){ .w = w[i] };
		list[i].w.name[RULE_FILE - 1] = 0;
		for (uint32_t k = 0; k < nold; k++)
			if (old[k].w.id == w[i].id) {
				list[i] = old[k];
				list[i].w = w[i];
			}
	}
}

bool watched_any(void)
{
	return nlist > 0;
}

static void add_bytes(struct walk *x, uint64_t addr, uint64_t n)
{
	const unsigned char *p = (const unsigned char *)(uintptr_t)addr;
	uint64_t h = x->hash, word;

	if (x->lost || !n)
		return;
	if (!probe(addr, n, false)) {
		x->lost = true;
		return;
	}
	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * HASH_STEP;
		h ^= h >> 29;
	}
	word = 0;
	memcpy(&word, p, n);
	h = (h ^ word ^ n << 56) * HASH_STEP;
	x->hash = h ^ h >> 31;
}

/* Bytes between fields are no part of a structure. */
static void add_element(struct walk *x, uint64_t addr)
{
	for (uint32_t i = 0; i < x->npiece; i++)
		add_bytes(x, addr + x->piece[i].offset, x->piece[i].bytes);
}

/* The position of the i-th own index of dimension d, or -1 when the section does not have it. */
static int64_t position(const struct walk *x, unsigned d, int64_t i)
{
	const struct page_entity *e = x->e;
	const struct watch *w = x->w;
	const int64_t *own = e->list[d] ? arena_at(e->list[d]) : NULL;
	int64_t g = own ? own[i] : e->own_lo[d] + i;

	if (w->ndim && (g < w->first[d] || g > w->last[d] ||
			(w->step[d] != 1 && (g - w->first[d]) % w->step[d])))
		return -1;
	return i + e->halo_lo[d];
}

static int64_t owned(const struct page_entity *e, unsigned d)
{
	return e->list[d] ? (int64_t)e->list_n[d] : e->own_hi[d] - e->own_lo[d] + 1;
}

/* All of the last dimension lies side by side and is looked at: one run of bytes. */
static bool in_one(const struct walk *x, unsigned d)
{
	const struct page_entity *e = x->e;

	return e->stride[d] == 1 && !e->list[d] && x->npiece == 1 &&
	       x->piece[0].bytes == e->elem_size && (!x->w->ndim || x->w->step[d] == 1);
}

/* The indices of dimension d that are looked at, when they follow one another. */
static void add_run(struct walk *x, unsigned d, uint64_t addr)
{
	const struct page_entity *e = x->e;
	int64_t lo = e->own_lo[d], hi = e->own_hi[d];

	if (x->w->ndim) {
		lo = x->w->first[d] > lo ? x->w->first[d] : lo;
		hi = x->w->last[d] < hi ? x->w->last[d] : hi;
	}
	if (lo <= hi)
		add_bytes(x, addr + (uint64_t)(lo - e->own_lo[d] + e->halo_lo[d]) * e->elem_size,
			  (uint64_t)(hi - lo + 1) * e->elem_size);
}

/* Dimension by dimension, the innermost in a run where that can be. */
static void add_part(struct walk *x, const unsigned *order, unsigned k, uint64_t addr)
{
	const struct page_entity *e = x->e;
	unsigned d;

	if (k == e->ndim) {
		add_element(x, addr);
		return;
	}
	d = order[k];
	if (k + 1 == e->ndim && in_one(x, d)) {
		add_run(x, d, addr);
		return;
	}
	for (int64_t i = 0, n = owned(e, d); i < n && !x->lost; i++) {
		int64_t at = position(x, d, i);

		if (at >= 0)
			add_part(x, order, k + 1,
				 addr + (uint64_t)(at * e->stride[d]) * e->elem_size);
	}
}

/* The dimension whose elements lie closest comes last. */
static void walk_all(struct walk *x, uint64_t addr)
{
	unsigned order[ARRAY_DIMS], n = x->e->ndim;

	for (unsigned d = 0; d < n; d++) {
		unsigned at = d;

		for (; at && llabs(x->e->stride[order[at - 1]]) < llabs(x->e->stride[d]); at--)
			order[at] = order[at - 1];
		order[at] = d;
	}
	add_part(x, order, 0, addr);
}

/* What of an element is looked at: the field behind the dot, all fields, or all of it. */
static bool pieces(struct walk *x, const char *field)
{
	const struct page_entity *e = x->e;
	const struct page_field *f = e->nfield ? arena_at(e->field) : NULL;

	x->npiece = 0;
	for (uint32_t i = 0; i < e->nfield && x->npiece < 64; i++) {
		uint32_t bytes = (uint32_t)(var_size(f[i].type) * f[i].count);

		if (!*field || !strcmp(field, arena_at(f[i].name)))
			x->piece[x->npiece++] = (struct piece){ f[i].offset, bytes };
	}
	if (!*field && (!e->nfield || x->npiece == 64)) {
		x->piece[0] = (struct piece){ 0, e->elem_size };
		x->npiece = 1;
	}
	return x->npiece > 0;
}

/* Hashes what lies here now; false: there is no such object, or its memory is gone. */
static bool look(const struct watch *w, uint64_t *hash)
{
	struct walk x = { .w = w, .hash = 1 };
	size_t len = strcspn(w->name, ".");
	const char *field = w->name[len] ? w->name + len + 1 : "";
	uint32_t loc, var = var_find(w->name, len);
	uint64_t addr;

	if (var == VAR_NONE)
		return false;
	x.e = arena_at(var_entity(var, &loc));
	if (x.e->ndim > ARRAY_DIMS || (w->ndim && w->ndim != x.e->ndim) || !pieces(&x, field))
		return false;
	for (unsigned d = 0; d < x.e->ndim; d++)
		if (owned(x.e, d) <= 0) {
			*hash = 0;
			return true; /* nothing of it lies here */
		}
	addr = x.e->addr;
	if (x.e->by_pointer) {
		if (!probe(addr, sizeof(addr), true))
			return false;
		memcpy(&addr, (void *)(uintptr_t)addr, sizeof(addr));
	}
	if (!addr)
		return false;
	walk_all(&x, addr);
	*hash = x.hash;
	return !x.lost;
}

static void begin(void)
{
	probe_start();
	var_forget_stack();
}

unsigned watched_look(const struct rt_frame *f, uint32_t act[REPORT_ACTS], unsigned n,
		      uint32_t *changed)
{
	begin();
	for (uint32_t i = 0; i < nlist; i++) {
		struct watched *w = &list[i];
		uint64_t hash = 0;
		bool there = w->w.look && look(&w->w, &hash);

		w->changed = there != w->known || (there && hash != w->hash);
		w->known = there;
		w->hash = hash;
		if (w->changed || (w->w.hold && !f->point.sub))
			n = acts_put(act, n, w->w.id);
	}
	*changed = 0;
	for (uint32_t i = 0; i < nlist; i++)
		for (unsigned k = 0; list[i].changed && k < n; k++)
			if (act[k] == list[i].w.id)
				*changed |= 1u << k;
	return n;
}

void watched_rebase(void)
{
	begin();
	for (uint32_t i = 0; i < nlist; i++)
		if (list[i].w.look && look(&list[i].w, &list[i].hash))
			list[i].known = true;
}
