/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements that are watched: at each numbered point, and behind each write to them that access
 * hooks see, a hash of what of them is here is compared with that of before. The supervisor and the
 * front end find out what has changed.
 */
#include "runtime/base/base.h"
#include "runtime/base/elsewhere.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/array/value.h"
#include "runtime/record/record.h"
#include "runtime/stop/internal.h"
#include "runtime/writes/writes.h"

#define HASH_STEP 0x9e3779b97f4a7c15u

struct watched {
	struct watch w;
	bool known;   /* hash is that of the last look */
	bool changed; /* at the last look */
	uint64_t hash;
	uint64_t addr; /* where its writes are seen */
	uint64_t lo, hi; /* likewise, from where to where */
	bool gone;	 /* the call that it was of has returned */
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

bool watched_any(void)
{
	return nlist > 0;
}

bool watched_iterations(void)
{
	for (uint32_t i = 0; i < nlist; i++)
		if (list[i].w.native && list[i].w.look && (list[i].w.call || !access_hooked()))
			return true;
	return false;
}

static void add_word(struct walk *x, uint64_t word)
{
	uint64_t h = (x->hash ^ word) * HASH_STEP;

	x->hash = h ^ h >> 31;
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
	x->hash = h;
	add_word(x, word ^ n << 56);
}

/* A field of bits, without those of its neighbours. */
static void add_bits(struct walk *x, uint64_t addr)
{
	uint64_t word = 0;

	if (!probe(addr, x->w->size, false)) {
		x->lost = true;
		return;
	}
	memcpy(&word, (void *)(uintptr_t)addr, x->w->size);
	add_word(x, word & x->w->mask);
}

/* Bytes between fields are no part of a structure. */
static void add_element(struct walk *x, uint64_t addr)
{
	for (uint32_t i = 0; i < x->npiece; i++)
		add_bytes(x, addr + x->piece[i].offset, x->piece[i].bytes);
	if (x->w->mask)
		add_bits(x, addr);
}

/* Whether the section has element k of the run, by those indices that are lists. */
static bool wanted(const struct walk *x, const struct layout_walk *w, uint64_t k)
{
	uint64_t at[ARRAY_DIMS];

	layout_coordinates(w, k, at);
	for (unsigned d = 0; d < w->ndim; d++) {
		int64_t g = (int64_t)at[d] + w->l->lower[d];

		if (w->l->list[d] && (g < x->w->first[d] || g > x->w->last[d] ||
				      (g - x->w->first[d]) % x->w->step[d]))
			return false;
	}
	return true;
}

/* What the section has of the boxes stays; of lists all. True: there are lists. */
static bool cut(const struct walk *x, struct layout *l)
{
	struct section s = { .ndim = l->ndim };
	bool lists = false;

	if (x->w->native)
		return false;
	for (unsigned d = 0; x->w->ndim && d < l->ndim; d++) {
		s.dim[d] = (struct section_dim){ .first = x->w->first[d],
						 .last = x->w->last[d],
						 .step = x->w->step[d] };
		lists |= l->list[d] != NULL;
		if (!l->list[d])
			layout_cut_dim(l, d, &s, NULL);
	}
	return lists;
}

static void walk_all(struct walk *x, struct layout *l, uint64_t addr)
{
	bool whole = x->npiece == 1 && x->piece[0].bytes == l->size, lists = cut(x, l);
	struct layout_walk w;
	struct layout_run r;

	if (!lists)
		layout_join(l, LAYOUT_MEMORY);
	layout_walk(&w, l, lists ? LAYOUT_MEMORY : LAYOUT_C);
	while (!x->lost && layout_next(&w, &r)) {
		uint64_t at = addr + (uint64_t)r.offset;

		if (whole && !lists && r.stride == l->size) {
			add_bytes(x, at, r.n * l->size);
			continue;
		}
		for (uint64_t k = 0; k < r.n && !x->lost; k++)
			if (!lists || wanted(x, &w, k))
				add_element(x, at + k * (uint64_t)r.stride);
	}
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

/* The call that the variable was of has returned, as far as the stack shows: its return address is
 * not there any more, or the stack of the program ends before it. */
static bool has_returned(const struct watch *w)
{
	uint64_t here = rt.caller, now;

	if (!w->call)
		return false;
	if (here < rt.stack_top && rt.stack_top - here < RT_STACK_REACH && w->call < here)
		return true;
	if (!probe(w->call, sizeof(now), true))
		return true;
	memcpy(&now, (void *)(uintptr_t)w->call, sizeof(now));
	return now != w->from;
}

/* What is no registered object, and has been found by its debug information. */
static bool find_native(const struct watch *w, struct walk *x, struct layout *l, uint64_t *addr)
{
	*x = (struct walk){ .w = w, .hash = 1, .piece[0] = { 0, w->size }, .npiece = !w->mask };
	*l = (struct layout){ .ndim = w->ndim, .size = w->size };
	for (unsigned d = 0; d < w->ndim; d++) {
		l->count[d] = w->last[d];
		l->stride[d] = w->step[d];
	}
	*addr = w->addr;
	if (!w->addr || has_returned(w))
		return false;
	for (unsigned i = 0; i < w->nhop; i++) {
		uint64_t word;

		if (!probe(*addr, sizeof(word), true))
			return false;
		memcpy(&word, (void *)(uintptr_t)*addr, sizeof(word));
		if (!word)
			return false;
		*addr = word + (uint64_t)w->hop[i];
	}
	return true;
}

/* Where the object is, and what of its elements is looked at; false: it is not here. */
static bool find(const struct watch *w, struct walk *x, struct layout *l, uint64_t *addr)
{
	size_t whole = strlen(w->name), len = strcspn(w->name, ".");
	uint32_t loc, var = var_find(w->name, whole);
	const char *field = "";

	if (w->native)
		return find_native(w, x, l, addr);
	/* a name may have a dot of its own */
	if (var == VAR_NONE && len < whole) {
		var = var_find(w->name, len);
		field = w->name + len + 1;
	}
	*x = (struct walk){ .w = w, .hash = 1 };
	if (var == VAR_NONE)
		return false;
	x->e = arena_at(var_entity(var, &loc));
	if (x->e->ndim > ARRAY_DIMS || (w->ndim && w->ndim != x->e->ndim) || !pieces(x, field))
		return false;
	*addr = x->e->addr;
	if (!var_layout(x->e, l))
		return false;
	if (x->e->by_pointer) {
		if (!probe(*addr, sizeof(*addr), true))
			return false;
		memcpy(addr, (void *)(uintptr_t)*addr, sizeof(*addr));
	}
	return true;
}

/* Hashes what is here now; false: there is no such object, or its memory is gone. */
static bool look(const struct watch *w, uint64_t *hash)
{
	struct layout l;
	struct walk x;
	uint64_t addr;

	if (!find(w, &x, &l, &addr))
		return false;
	*hash = 0;
	if (!layout_total(&l))
		return true; /* nothing of it is here */
	if (!addr)
		return false;
	walk_all(&x, &l, addr);
	*hash = x.hash;
	return !x.lost;
}

static void begin(void)
{
	probe_start();
	var_forget_stack();
}

/* The memory that is watched, as it is being listed. */
struct listing {
	struct writes_run run[WRITES_RUNS];
	uint32_t n, most; /* most: of the runs so far and this watch's; n is higher then */
	uint64_t lo, hi;  /* of this watch */
};

static struct listing listing;

static void list_run(struct listing *m, uint64_t lo, uint64_t n, uint64_t stride, uint64_t bytes)
{
	struct writes_run *last = m->n && m->n <= m->most ? &m->run[m->n - 1] : NULL;
	uint64_t hi = lo + (n - 1) * stride + bytes;

	m->lo = lo < m->lo ? lo : m->lo;
	m->hi = hi > m->hi ? hi : m->hi;
	if (last && last->hi == lo && last->stride == last->bytes && (n == 1 || stride == bytes)) {
		last->hi = hi;
		return;
	}
	if (m->n < m->most)
		m->run[m->n] = (struct writes_run){ lo, hi, n == 1 ? bytes : stride, bytes };
	m->n++;
}

static void list_elements(struct listing *m, struct walk *x, struct layout *l, uint64_t addr)
{
	bool lists = cut(x, l);
	struct layout_walk w;
	struct layout_run r;

	if (!lists)
		layout_join(l, LAYOUT_MEMORY);
	layout_walk(&w, l, LAYOUT_MEMORY);
	while (layout_next(&w, &r)) {
		uint64_t at = addr + (uint64_t)r.offset;

		if (!lists && r.stride > 0) {
			list_run(m, at, r.n, (uint64_t)r.stride, l->size);
			continue;
		}
		for (uint64_t k = 0; k < r.n; k++)
			if (!lists || wanted(x, &w, k))
				list_run(m, at + k * (uint64_t)r.stride, 1, 0, l->size);
	}
}

/* Too many pieces are one, which has what is between them too: only what changes the hash counts. */
static void list_watch(struct listing *m, struct walk *x, struct layout *l, uint64_t addr)
{
	uint32_t first = m->n;

	/* what the program's function brings is written where the elements are, unseen */
	if (x->e && x->e->away)
		return;
	m->most = first + (WRITES_RUNS - first) / 2;
	m->lo = UINT64_MAX;
	m->hi = 0;
	/* an array that moves is another one */
	if (x->e && x->e->by_pointer)
		list_run(m, x->e->addr, 1, 0, sizeof(addr));
	if (!addr || !layout_total(l))
		return;
	list_elements(m, x, l, addr);
	if (m->n <= m->most)
		return;
	m->n = first + 1;
	m->run[first] = (struct writes_run){ m->lo, m->hi, m->hi - m->lo, m->hi - m->lo };
}

static void follow(void)
{
	struct listing *m = &listing;

	if (!access_hooked())
		return;
	begin();
	m->n = 0;
	for (uint32_t i = 0; i < nlist; i++) {
		uint64_t addr = 0;
		struct layout l;
		struct walk x;

		list[i].addr = 0;
		if (!list[i].w.look || !find(&list[i].w, &x, &l, &addr))
			continue;
		list[i].addr = addr;
		list_watch(m, &x, &l, addr);
		list[i].lo = m->lo;
		list[i].hi = m->hi;
	}
	writes_watch(m->run, m->n);
	stop_want_iterations();
}

/* Some are elsewhere than their memory that is watched. */
static bool have_moved(void)
{
	for (uint32_t i = 0; i < nlist && access_hooked(); i++) {
		uint64_t addr = 0;
		struct layout l;
		struct walk x;

		if (list[i].w.look && (!find(&list[i].w, &x, &l, &addr) ? list[i].addr != 0 :
									  addr != list[i].addr))
			return true;
	}
	return false;
}

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
				list[i].gone &= old[k].w.addr == w[i].addr;
				list[i].w.look &= !list[i].gone;
			}
	}
	/* hooks may join later: rules are here before the program's code is */
	writes_report_to(stop_written);
	follow();
}

/*
 * Adds those that have changed to the n ids, and those that hold where they do. written: behind a
 * write. What may be written unseen, a call's own or what has just moved, has not been changed by
 * another write.
 */
static unsigned inspect(uint32_t act[REPORT_ACTS], unsigned n, bool hold, bool written,
			uint64_t *changed)
{
	for (uint32_t i = 0; i < nlist; i++) {
		struct watched *w = &list[i];
		bool there, early = !written && rules_is_early(&w->w.start);
		uint64_t hash = 0;

		w->changed = false;
		if (written && (w->w.call || w->w.nhop) && !w->gone && !has_returned(&w->w) &&
		    !writes_reported(w->lo, w->hi))
			continue;
		there = w->w.look && look(&w->w, &hash);
		/* another call of the function may have its stack in the same place */
		if (w->w.native && w->known && !there) {
			w->gone = true;
			w->w.look = false;
		}
		w->changed = !early && (there != w->known || (there && hash != w->hash));
		w->known = there;
		w->hash = hash;
		if (w->changed || (w->w.hold && hold && !early))
			n = rules_act_put(act, n, w->w.id);
	}
	*changed = 0;
	for (uint32_t i = 0; i < nlist; i++)
		for (unsigned k = 0; list[i].changed && k < n; k++)
			if (act[k] == list[i].w.id)
				*changed |= UINT64_C(1) << k;
	return n;
}

/* What the program's functions bring is brought, when some of it is watched. */
static void bring(void)
{
	bool away = false;

	for (uint32_t i = 0; i < nlist && !away; i++) {
		struct layout l;
		struct walk x;
		uint64_t addr;

		away = list[i].w.look && find(&list[i].w, &x, &l, &addr) && x.e && x.e->away;
	}
	if (away)
		elsewhere_fetch();
}

unsigned watched_inspect(const struct rt_frame *f, uint32_t act[REPORT_ACTS], unsigned n,
			 uint64_t *changed)
{
	begin();
	bring();
	if (have_moved())
		follow();
	return inspect(act, n, f->numbered && !f->point.sub, false, changed);
}

void watched_rebase(void)
{
	begin();
	if (have_moved())
		follow();
	/* what other threads have done meanwhile is still to be seen, and what was written unseen */
	for (uint32_t i = 0; i < nlist && !writes_of_others(); i++) {
		struct watched *w = &list[i];

		if (!((w->w.call || w->w.nhop) && w->known) && w->w.look && look(&w->w, &w->hash))
			w->known = true;
	}
}

unsigned watched_written(uint32_t act[REPORT_ACTS], uint64_t *changed)
{
	begin();
	if (have_moved())
		follow();
	return inspect(act, 0, false, true, changed);
}
