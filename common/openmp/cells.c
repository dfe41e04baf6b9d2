/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is kept of accesses: of each eight bytes of memory a chain of entries. Where threads go
 * through arrays many cells come to have the same chain: these share it, for what a chain becomes
 * by an access is looked up among what others became by it before. An entry that is one cell's
 * alone may change.
 */
#include "common/openmp/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

#define MEMORY ((uint64_t)512 << 20) /* of an interval */
/* Accesses to a cell that are kept: of a place, those of different steps; of these, to the same
 * bytes in iterations of one loop or sections, which have the same order to all others. */
#define SAME 256u
#define ALIKE 8u
#define CHAIN 1024u

#define MOVES 4096u
#define RECENT 1024u

/* The chain is `to` behind an access of that seg; or, newest, its entry `to`, which is one cell's
 * alone, is the newest of those that are alike, none of which has a higher seg and turn. */
struct move {
	uint64_t space; /* serial number; 0: none */
	uint32_t chain, site, seg, turn, to;
	uint8_t mask, flags;
	bool newest;
};

/* What was looked up last. */
struct moves {
	struct move move[MOVES];
	struct {
		uint64_t space;
		size_t page;
	} recent[RECENT];
};

static bool has_room(struct openmp *e, struct space *s)
{
	uint64_t bytes = s->npage * (sizeof(*s->page) + 16) + s->nentry * sizeof(*s->entry) +
			 s->ntask * sizeof(*s->task);

	if (bytes <= (e->o.memory ? e->o.memory : MEMORY))
		return true;
	e->why[OPENMP_WHY_LIMIT] += !s->limited;
	s->limited = true;
	return false;
}

static bool is_page(const struct page *p, uint64_t at, uint32_t owner)
{
	return p->at == at && p->owner == owner;
}

static struct page *page_add(struct openmp *e, struct space *s, uint64_t key, struct page new)
{
	if (!has_room(e, s))
		return NULL;
	if (vec_room(s->page, s->room_page, s->npage + 1) ||
	    hash_put(&s->page_at, key, (uint32_t)s->npage)) {
		e->failed = true;
		return NULL;
	}
	s->page[s->npage] = new;
	return &s->page[s->npage++];
}

static struct page *page_of(struct openmp *e, struct space *s, uint64_t at, uint32_t owner,
			    uint32_t object)
{
	uint64_t key = hash_mix(hash_mix(HASH_START, at), owner);
	struct page *p;
	size_t *page;

	if (!e->moves)
		e->moves = calloc(1, sizeof(*e->moves));
	if (!e->moves) {
		e->failed = true;
		return NULL;
	}
	page = &e->moves->recent[key % RECENT].page;
	if (e->moves->recent[key % RECENT].space == s->serial &&
	    is_page(&s->page[*page], at, owner))
		return &s->page[*page];
	p = NULL;
	for (uint32_t k = 0, i; !p && hash_next(&s->page_at, key, &k, &i);)
		p = is_page(&s->page[i], at, owner) ? &s->page[i] : NULL;
	if (!p)
		p = page_add(e, s, key,
			     (struct page){ .at = at, .owner = owner, .object = object });
	if (p) {
		e->moves->recent[key % RECENT].space = s->serial;
		*page = (size_t)(p - s->page);
	}
	return p;
}

/* Iterations of one loop, sections of one construct, in the same step: any of them conflicts with
 * all that another one conflicts with. Where they wait for each other that is so of the first and
 * the last ones. */
static bool segs_are_alike(const struct space *s, const struct seg *a, const struct seg *b)
{
	const struct task *x = &s->task[a->task], *y = &s->task[b->task];

	return x->kind == TASK_PART && y->kind == TASK_PART && a->set == b->set &&
	       a->step == b->step && !x->always && !y->always && x->loop == y->loop &&
	       x->parent == y->parent && x->created == y->created;
}

/* What is in a chain already of such accesses. */
struct seen {
	uint32_t same, alike, n;
	uint32_t it, newest; /* + 1: the entry of the same seg; the newest one that is alike */
	uint64_t top;
};

/* Those of a thread in their order. */
static inline uint64_t moment(uint32_t seg, uint32_t turn)
{
	return (uint64_t)seg << 32 | turn;
}

static struct seen look(const struct space *s, uint32_t chain, const struct entry *x)
{
	struct seen r = { 0 };

	for (uint32_t i = chain; i && !r.it; i = s->entry[i - 1].next, r.n++) {
		const struct entry *old = &s->entry[i - 1];

		if (old->site != x->site || old->flags != x->flags)
			continue;
		r.it = old->seg == x->seg && old->turn == x->turn ? i : 0;
		r.same++;
		if (moment(old->seg, old->turn) > r.top)
			r.top = moment(old->seg, old->turn);
		if (x->mask != old->mask || !segs_are_alike(s, &s->seg[old->seg], &s->seg[x->seg]))
			continue;
		r.newest = r.newest ? r.newest : i;
		r.alike++;
	}
	return r;
}

/* + 1; 0: no memory. */
static uint32_t entry_add(struct space *s, struct entry x, struct ticks tick)
{
	if (vec_room(s->entry, s->room_entry, s->nentry + 1) ||
	    (s->ticks && vec_room(s->tick, s->room_tick, s->nentry + 1)))
		return 0;
	if (s->ticks)
		s->tick[s->nentry] = tick;
	s->entry[s->nentry++] = x;
	return (uint32_t)s->nentry;
}

/*
 * The chain with x in place of its entry `at`: where others have them, too, entries are copied.
 * 0: no memory.
 */
static uint32_t chain_change(struct space *s, uint32_t chain, uint32_t at, struct entry x,
			     struct ticks tick)
{
	uint32_t path[CHAIN + 1], n = 0, to;

	x.next = s->entry[at - 1].next;
	if (s->entry[at - 1].alone) {
		x.alone = true;
		s->entry[at - 1] = x;
		if (s->ticks)
			s->tick[at - 1] = tick;
		return chain;
	}
	for (uint32_t i = chain; i != at; i = s->entry[i - 1].next)
		path[n++] = i;
	to = entry_add(s, x, tick);
	while (to && n-- > 0) {
		struct entry above = s->entry[path[n] - 1];

		if (above.alone) {
			s->entry[path[n] - 1].next = to;
			return chain;
		}
		above.next = to;
		to = entry_add(s, above, s->ticks ? s->tick[path[n] - 1] : (struct ticks){ 0 });
	}
	return to;
}

/* By its numbers, as that is faster than by the entry that they become. */
static inline struct move *move_of(const struct openmp *e, const struct space *s, uint32_t chain,
				   uint32_t site, unsigned mask, unsigned flags)
{
	uint64_t key = (uint64_t)chain << 32 | (site ^ mask << 20 ^ flags << 28);

	key = (key ^ s->serial) * UINT64_C(0x9e3779b97f4a7c15);
	return &e->moves->move[key >> 32 & (MOVES - 1)];
}

/* What became of that chain by such an access before; false: not known. */
static inline bool is_moved(struct move *m, struct space *s, uint32_t *chain, const struct touch *t,
			    unsigned mask)
{
	struct entry *newest;

	if (m->space != s->serial || m->chain != *chain || m->site != t->site || m->mask != mask ||
	    m->flags != t->flags)
		return false;
	if (!m->newest) {
		if (m->seg == t->seg && m->turn == t->turn)
			*chain = m->to;
		return m->seg == t->seg && m->turn == t->turn;
	}
	newest = &s->entry[m->to - 1];
	if (mask != newest->mask)
		return false;
	if (t->seg == newest->seg && t->turn == newest->turn)
		return true;
	/* one that came before may be in the chain */
	if (moment(t->seg, t->turn) <= moment(m->seg, m->turn) ||
	    !segs_are_alike(s, &s->seg[newest->seg], &s->seg[t->seg]))
		return false;
	newest->seg = m->seg = t->seg;
	newest->turn = m->turn = t->turn;
	return true;
}

/* The entry `at` is of the same step: bytes of the access may be missing, and it is a later one. */
static uint32_t again(struct space *s, uint32_t chain, uint32_t at, const struct entry *x,
		      uint32_t tick)
{
	struct entry old = s->entry[at - 1];
	struct ticks t = { tick, tick };
	bool later = s->ticks && s->tick[at - 1].last != tick;

	if (!(x->mask & ~old.mask) && !later)
		return chain;
	old.mask |= x->mask;
	old.alone |= s->ticks;
	if (s->ticks)
		t.first = s->tick[at - 1].first;
	return chain_change(s, chain, at, old, t);
}

/* It is the newest of many that are alike, in place of that entry, and one cell's alone. */
static uint32_t newest(struct openmp *e, struct space *s, uint32_t chain, const struct seen *seen,
		       struct entry x, uint32_t tick)
{
	bool alone = s->entry[seen->newest - 1].alone;
	uint32_t at = alone ? seen->newest : (uint32_t)s->nentry + 1, to;

	uint64_t top = moment(x.seg, x.turn) > seen->top ? moment(x.seg, x.turn) : seen->top;

	x.alone = true;
	to = chain_change(s, chain, seen->newest, x, (struct ticks){ tick, tick });
	if (to && !s->ticks)
		*move_of(e, s, to, x.site, x.mask, x.flags) = (struct move){
			.space = s->serial,
			.chain = to,
			.site = x.site,
			.mask = x.mask,
			.flags = x.flags,
			.to = at,
			.seg = (uint32_t)(top >> 32),
			.turn = (uint32_t)top,
			.newest = true,
		};
	return to;
}

/* The access is not known to add nothing. */
static int chain_add(struct openmp *e, struct space *s, struct page *p, unsigned cell,
		     struct entry x, uint32_t tick)
{
	uint32_t chain = p->entry[cell], to;
	struct seen seen = look(s, chain, &x);

	if (seen.it) {
		to = again(s, chain, seen.it, &x, tick);
	} else if (seen.alike >= ALIKE) {
		p->entry[cell] = to = newest(e, s, chain, &seen, x, tick);
		return to ? 0 : -1;
	} else if (seen.same >= SAME || seen.n >= CHAIN || !has_room(e, s)) {
		p->full |= 1u << cell;
		return 0;
	} else {
		x.next = chain;
		x.alone = s->ticks;
		to = entry_add(s, x, (struct ticks){ tick, tick });
	}
	if (to && !s->ticks)
		*move_of(e, s, chain, x.site, x.mask, x.flags) = (struct move){ .space = s->serial,
										.chain = chain,
										.site = x.site,
										.mask = x.mask,
										.flags = x.flags,
										.seg = x.seg,
										.turn = x.turn,
										.to = to };
	p->entry[cell] = to;
	return to ? 0 : -1;
}

static inline int cell_touch(struct openmp *e, struct space *s, struct page *p, unsigned cell,
			     const struct touch *t, unsigned mask)
{
	p->own |= (uint32_t)t->own << cell;
	p->written |= (t->flags & ENTRY_WRITE ? 1u : 0u) << cell;
	if (!s->ticks && is_moved(move_of(e, s, p->entry[cell], t->site, mask, t->flags), s,
				  &p->entry[cell], t, mask))
		return 0;
	return chain_add(e, s, p, cell,
			 (struct entry){ .seg = t->seg,
					 .turn = t->turn,
					 .site = t->site,
					 .mask = (uint8_t)mask,
					 .flags = t->flags },
			 t->tick);
}

int space_touch(struct openmp *e, struct space *s, const struct touch *t, unsigned size)
{
	uint64_t at = t->at;

	while (size && !e->failed) {
		struct page *p = page_of(e, s, at / PAGE_BYTES, t->owner, t->object);
		unsigned left = PAGE_BYTES - (unsigned)(at % PAGE_BYTES);

		if (!p)
			break;
		left = left < size ? left : size;
		size -= left;
		while (left) {
			unsigned from = (unsigned)(at & 7), n = 8 - from < left ? 8 - from : left;

			if (cell_touch(e, s, p, (unsigned)(at >> 3) % PAGE_CELLS, t,
				       ((1u << n) - 1) << from))
				return -1;
			at += n;
			left -= n;
		}
	}
	return e->failed ? -1 : 0;
}
