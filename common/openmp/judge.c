/* SPDX-License-Identifier: BSD-3-Clause */
/* What conflicts in an interval: each pair of places is one finding. */
#include "common/openmp/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

static bool is_first(const struct openmp *e, const struct entry *a, const struct entry *b)
{
	const struct place *x = &e->site[a->site - 1].spot.place,
			   *y = &e->site[b->site - 1].spot.place;

	/* a write is named first, whatever the order in which they came */
	if ((a->flags ^ b->flags) & ENTRY_WRITE)
		return a->flags & ENTRY_WRITE;
	return x->vaddr != y->vaddr ? x->vaddr < y->vaddr : x->line < y->line;
}

/* What the task of the access has, "" for nothing; variables of it are added to the race. */
static void held(const struct openmp *e, const struct space *s, const struct entry *x,
		 struct race *r, char *out, size_t room)
{
	static const char *const word[] = {
		[MUTEX_LOCK] = "a lock",	[MUTEX_NEST] = "a nested lock",
		[MUTEX_CRITICAL] = "critical",	[MUTEX_ATOMIC] = "atomic",
		[MUTEX_ORDERED] = "ordered",	[MUTEX_THREAD] = "a mutex",
		[MUTEX_READ] = "a lock to read"
	};
	uint32_t set = s->seg[x->seg].set;
	size_t n = 0;

	*out = '\0';
	if (x->flags & ENTRY_ATOMIC)
		n += (size_t)snprintf(out, room, "atomic");
	for (uint32_t i = 0; set && i < e->set[set - 1].n && n < room; i++) {
		const struct lock *l = &e->lock[e->set[set - 1].lock[i]];
		bool known = l->kind > 0 && l->kind <= MUTEX_READ && word[l->kind];

		n += (size_t)snprintf(out + n, room - n, "%s%s", n ? ", " : "",
				      known ? word[l->kind] : "reduction");
		if (!l->variable || r->nlock == RACE_LOCKS || n >= room)
			continue;
		n += (size_t)snprintf(out + n, room - n, "%s(@%u)",
				      l->kind == MUTEX_CRITICAL ? "" : " ", 2 + r->nlock);
		r->lock[r->nlock++] = l->variable;
	}
}

/* In words, when only one of them excludes others, or both do by different names. */
static void explain(const struct openmp *e, const struct space *s, const struct entry *a,
		    const struct entry *b, struct race *r, char *out, size_t room)
{
	char x[100], y[100];

	*out = '\0';
	held(e, s, a, r, x, sizeof(x));
	held(e, s, b, r, y, sizeof(y));
	if (*x || *y)
		snprintf(out, room, "%s%s here, %s%s there", *x ? "under " : "", *x ? x : "free",
			 *y ? "under " : "", *y ? y : "free");
}

/* Eight bytes of memory. */
struct cell {
	uint64_t at;	 /* in cells */
	uint32_t object; /* number of a struct object */
	uint32_t entry;	 /* + 1: the last */
	bool own;	 /* as of a page */
	bool met, said;	 /* some of its accesses conflict; that they may be one thread's is said */
};

static int pair_found(struct openmp *e, struct space *s, const struct cell *c,
		      const struct entry *a, const struct entry *b)
{
	const struct root *r = root_of(e, s->root);
	unsigned both = (unsigned)(a->mask & b->mask);
	struct race found = { .object = c->object,
			      .at = c->at * 8 + (unsigned)__builtin_ctz(both),
			      .size = (unsigned)__builtin_popcount(both),
			      .region = r ? r->site : 0,
			      .point = r ? r->point : (struct point){ 0 },
			      .order = { (int64_t)s->root, s->interval },
			      .count = 1 };
	char note[300];

	if (!is_first(e, a, b)) {
		const struct entry *swap = a;

		a = b;
		b = swap;
	}
	found.site[0] = a->site;
	found.site[1] = b->site;
	found.flags[0] = a->flags;
	found.flags[1] = b->flags;
	if (race_is_known(e, &found))
		return 0;
	explain(e, s, a, b, &found, note, sizeof(note));
	found.note = note;
	if (c->object == OBJECT_STACK)
		found.call = stack_call(e, s, found.at);
	return race_add(e, &found);
}

/* Goes up to the next task that has begun an inner region and has locks. */
static bool holder_next(const struct space *s, uint32_t *holder, uint32_t *set)
{
	for (uint32_t n = 0; n < s->ntask; n++) {
		const struct task *t = &s->task[*holder];
		uint32_t up = task_parent(s, t);

		if (!up)
			return false;
		*holder = up - 1;
		*set = t->kind == TASK_NESTED ? s->region[t->region - 1].set : 0;
		if (*set)
			return true;
	}
	return false;
}

#define HOLDERS 16u /* regions with locks in each other that are looked at */

/* The threads of an inner region are all in what its creator has locked: it excludes others, not
 * them among each other. */
static bool are_excluded(struct openmp *e, const struct space *s, const struct seg *x,
			 const struct seg *y)
{
	const struct root *r = root_of(e, s->root);
	bool two_teams = r && r->league && task_team(s, x->task) != task_team(s, y->task);
	uint32_t a = x->task, a_set = x->set;

	if (!s->locked_regions)
		return sets_meet(e, a_set, y->set, two_teams);
	for (uint32_t n = 0; n < HOLDERS; n++) {
		uint32_t b = y->task, b_set = y->set, m = 0;

		do {
			if (a != b && sets_meet(e, a_set, b_set, two_teams))
				return true;
		} while (++m < HOLDERS && holder_next(s, &b, &b_set));
		if (!holder_next(s, &a, &a_set))
			break;
	}
	return false;
}

/* The first and the last access of an entry of threads. */
static void instants(const struct space *s, const struct entry *x, struct instant out[2])
{
	const struct ticks *t = &s->tick[x - s->entry];

	out[0] = (struct instant){ s->seg[x->seg].task, t->first };
	out[1] = (struct instant){ out[0].task, t->last };
}

/* Threads: what is so in each run. */
static bool are_in_order(const struct space *s, const struct entry *a, const struct entry *b)
{
	struct instant x[2], y[2];

	instants(s, a, x);
	instants(s, b, y);
	return clocks_certain(s->clocks, &x[0], &y[1]) && clocks_certain(s->clocks, &x[1], &y[0]);
}

/* Also by locks and atomic operations, as they were in this one. */
static bool were_in_order(const struct space *s, const struct entry *a, const struct entry *b)
{
	struct instant x[2], y[2];

	instants(s, a, x);
	instants(s, b, y);
	for (unsigned i = 0; i < 4; i++)
		if (!clocks_seen(s->clocks, &x[i & 1], &y[i >> 1]))
			return false;
	return true;
}

/* Turns of one part are the same thread's, and else in no order. */
static bool are_ordered(struct openmp *e, struct space *s, const struct cell *c,
			const struct entry *a, const struct entry *b)
{
	if (a->seg == b->seg && a->turn != b->turn)
		return c->own;
	return segs_are_ordered(e, s, a->seg, b->seg, c->own);
}

static bool is_conflict(struct openmp *e, struct space *s, const struct cell *c,
			const struct entry *a, const struct entry *b)
{
	const struct seg *x = &s->seg[a->seg], *y = &s->seg[b->seg];

	if (!((a->flags | b->flags) & ENTRY_WRITE && a->mask & b->mask && a->site && b->site))
		return false;
	return !(a->flags & b->flags & ENTRY_ATOMIC) && !are_excluded(e, s, x, y) &&
	       !sets_meet(e, s->task[x->task].always, s->task[y->task].always, false) &&
	       !(s->threads ? are_in_order(s, a, b) : are_ordered(e, s, c, a, b));
}

/* In a region where a thread's number, or a variable of its own, decides what it accesses, each may
 * have its own part of an array: as the bytes that only one of them accesses may be. */
static bool may_be_one_threads(struct openmp *e, const struct space *s, const struct cell *c,
			       unsigned bytes)
{
	const struct root *r = root_of(e, s->root);
	uint32_t lane = UINT32_MAX;

	if (!r || !r->numbered || r->threads)
		return false;
	for (uint32_t i = c->entry; i; i = s->entry[i - 1].next) {
		const struct task *t = &s->task[s->seg[s->entry[i - 1].seg].task];

		if (!(s->entry[i - 1].mask & bytes))
			continue;
		if (lane != UINT32_MAX && lane != t->lane)
			return false;
		lane = t->lane;
	}
	return true;
}

/* Two accesses to a cell, of which one may be a finding. */
static int judge_pair(struct openmp *e, struct space *s, struct cell *c, const struct entry *a,
		      const struct entry *b)
{
	if (!is_conflict(e, s, c, a, b))
		return 0;
	c->met = true;
	if ((s->threads && s->unfollowed) || (s->clocks && were_in_order(s, a, b)) ||
	    (!s->threads && a->seg != b->seg && segs_were_ordered(e, s, a->seg, b->seg, c->own))) {
		e->why[OPENMP_WHY_ATOMIC]++;
		return 0;
	}
	if (may_be_one_threads(e, s, c, a->mask & b->mask)) {
		e->why[OPENMP_WHY_NUMBER] += !c->said;
		c->said = true;
		return 0;
	}
	return pair_found(e, s, c, a, b);
}

static int judge_cell(struct openmp *e, struct space *s, struct cell *c)
{
	for (uint32_t i = c->entry; i; i = s->entry[i - 1].next)
		for (uint32_t k = s->entry[i - 1].next; k; k = s->entry[k - 1].next)
			if (judge_pair(e, s, c, &s->entry[i - 1], &s->entry[k - 1]))
				return -1;
	return 0;
}

enum { RIGHT_SHARED = 1, RIGHT_OWN = 2 };

/* right: of each chain, whether nothing in it conflicts. */
static int judge_page(struct openmp *e, struct space *s, const struct page *p, uint8_t *right)
{
	for (unsigned i = 0; i < PAGE_CELLS; i++) {
		struct cell c = { .at = p->at * PAGE_CELLS + i,
				  .object = p->object,
				  .entry = p->entry[i],
				  .own = p->own >> i & 1 };
		uint8_t is = c.own ? RIGHT_OWN : RIGHT_SHARED;

		if (!(p->written >> i & 1) || !c.entry || !s->entry[c.entry - 1].next)
			continue;
		/* what is left out is said once for the interval */
		if (p->full >> i & 1 && !s->limited) {
			e->why[OPENMP_WHY_LIMIT]++;
			s->limited = true;
		}
		if (right[c.entry - 1] & is)
			continue;
		if (judge_cell(e, s, &c))
			return -1;
		if (!c.met)
			right[c.entry - 1] |= is;
	}
	return 0;
}

/* Where loops are whose iterations were not seen: notes, no findings. */
int coarse_report(struct openmp *e)
{
	static const struct place nowhere = { .file = "", .func = "", .module = "" };

	for (uint32_t i = 0; i < e->ncoarse; i++) {
		struct trace_finding f = {
			.kind = FINDING_UNUSED,
			.count = 1,
			.rank = e->o.rank,
			.ref_rank = TRACE_NO_RANK,
			.operation = "",
			.note = "what one thread executes of this loop counts as one "
				"iteration"
		};

		if (e->coarse[i].shown)
			continue;
		e->why[OPENMP_WHY_ITERATIONS]++;
		f.thing.name = f.thing.file = f.thing.field = "";
		f.thing.spot.place = f.spot.place = f.ref_spot.place = nowhere;
		if (e->coarse[i].site)
			f.spot = e->site[e->coarse[i].site - 1].spot;
		if (trace_findings_add(&e->findings, &f))
			return -1;
	}
	return 0;
}

int space_judge(struct openmp *e, struct space *s)
{
	uint8_t *right;
	int rc = 0;

	if (s->unsure)
		return 0;
	if (space_settle(e, s))
		return -1;
	for (size_t i = 0; s->nalias && i < s->nentry; i++) {
		uint32_t seg = seg_of_turn(s, s->entry[i].seg, s->entry[i].turn);

		if (seg != s->entry[i].seg)
			s->entry[i].turn = 0;
		s->entry[i].seg = seg;
	}
	if (s->ticks) {
		s->clocks = clocks_make(e, s);
		if (!s->clocks)
			return -1;
		e->why[OPENMP_WHY_LIMIT] += clocks_are_full(s->clocks);
	}
	right = calloc(s->nentry + 1, 1);
	if (!right)
		return -1;
	for (size_t i = 0; i < s->npage && !rc; i++)
		rc = judge_page(e, s, &s->page[i], right);
	free(right);
	order_forget(e);
	return rc || e->failed ? -1 : 0;
}
