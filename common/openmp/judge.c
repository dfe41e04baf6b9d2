/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of places that conflict: each is one finding, with how often. */
#include "common/openmp/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
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

/* "" when nothing is. */
static void held(const struct openmp *e, const struct space *s, const struct entry *x, char *out,
		 size_t room)
{
	static const char *const word[] = { [1] = "a lock",
					    [3] = "a nested lock",
					    [5] = "critical",
					    [6] = "atomic",
					    [7] = "ordered" };
	uint32_t set = s->seg[x->seg].set;
	size_t n = 0;

	*out = '\0';
	if (x->flags & ENTRY_ATOMIC)
		n += (size_t)snprintf(out, room, "atomic");
	for (uint32_t i = 0; set && i < e->set[set - 1].n && n < room; i++) {
		int kind = e->lock[e->set[set - 1].lock[i]].kind;

		n += (size_t)snprintf(out + n, room - n, "%s%s", n ? ", " : "",
				      kind > 0 && kind < 8 && word[kind] ? word[kind]
									 : "reduction");
	}
}

/* In words, when only one of them excludes others, or both do by different names. */
static void explain(const struct openmp *e, const struct space *s, const struct entry *a,
		    const struct entry *b, char *out, size_t room)
{
	char x[100], y[100];

	*out = '\0';
	held(e, s, a, x, sizeof(x));
	held(e, s, b, y, sizeof(y));
	if (*x || *y)
		snprintf(out, room, "%s%s here, %s%s there", *x ? "under " : "", *x ? x : "free",
			 *y ? "under " : "", *y ? y : "free");
}

static int find(struct openmp *e, struct space *s, const struct cell *c, const struct entry *a,
		const struct entry *b, struct pair *p)
{
	static const struct place nowhere = { .file = "", .func = "", .module = "" };
	const struct root *r = root_of(e, s->root);
	struct trace_finding f = { .kind = FINDING_RACE,
				   .count = 1,
				   .rank = e->o.rank,
				   .ref_rank = TRACE_NO_RANK,
				   .write = a->flags & ENTRY_WRITE,
				   .operation = "",
				   .noperand = 2 };
	unsigned low = (unsigned)__builtin_ctz((unsigned)(a->mask & b->mask));
	unsigned size = (unsigned)__builtin_popcount((unsigned)(a->mask & b->mask));
	struct buf key = BUF_INIT;
	char note[300];

	explain(e, s, a, b, note, sizeof(note));
	f.note = note;
	f.spot = e->site[a->site - 1].spot;
	f.ref_spot = e->site[b->site - 1].spot;
	object_thing(&e->object[c->object], c->at * 8 + low, size, &f.thing);
	if (c->object == OBJECT_STACK)
		stack_thing(e, s, c->at * 8 + low, &f.thing);
	f.operand[0].thing.name = f.operand[0].thing.file = f.operand[0].thing.field = "";
	f.operand[0].thing.spot.place = f.operand[0].ref_spot.place = nowhere;
	f.operand[1] = f.operand[0];
	f.operand[0].write = b->flags & ENTRY_WRITE;
	f.operand[0].spot = f.ref_spot;
	f.operand[1].spot.place = nowhere;
	if (r && r->site)
		f.operand[1].spot = e->site[r->site - 1].spot;
	f.order[0] = (int64_t)s->root;
	f.order[1] = s->interval;
	finding_key_code(CODEC_PUT(&key), &f);
	p->nkey = (uint32_t)key.len;
	p->key = key.bad ? NULL : malloc(key.len);
	if (p->key)
		memcpy(p->key, key.data, key.len);
	buf_clear(&key);
	return !p->key || trace_findings_add(&e->findings, &f) ? -1 : 0;
}

static int pair_found(struct openmp *e, struct space *s, const struct cell *c,
		      const struct entry *a, const struct entry *b)
{
	const struct object *o = &e->object[c->object];
	uint64_t key;
	struct pair *p;

	if (!is_first(e, a, b)) {
		const struct entry *swap = a;

		a = b;
		b = swap;
	}
	key = hash_mix(hash_mix(hash_mix(a->site, b->site), o->class),
		       (uint64_t)(a->flags << 2 | b->flags));
	for (uint32_t at = 0, i; hash_next(&e->pair_at, key, &at, &i);) {
		p = &e->pair[i];
		if (p->site[0] != a->site || p->site[1] != b->site || p->class != o->class ||
		    p->flags[0] != a->flags || p->flags[1] != b->flags)
			continue;
		p->count++;
		e->findings.total += p->key != NULL;
		return 0;
	}
	p = vec_add(e->pair, e->npair);
	if (!p || hash_put(&e->pair_at, key, e->npair - 1))
		return -1;
	*p = (struct pair){ { a->site, b->site }, { a->flags, b->flags }, o->class, 0, NULL, 0 };
	if (o->what != OBJECT_FOREIGN)
		return find(e, s, c, a, b, p);
	e->why[OPENMP_WHY_FOREIGN]++;
	return 0;
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

static bool is_conflict(struct openmp *e, struct space *s, const struct cell *c,
			const struct entry *a, const struct entry *b)
{
	const struct seg *x = &s->seg[a->seg], *y = &s->seg[b->seg];

	if (!((a->flags | b->flags) & ENTRY_WRITE && a->mask & b->mask && a->site && b->site))
		return false;
	return !(a->flags & b->flags & ENTRY_ATOMIC) && !are_excluded(e, s, x, y) &&
	       !sets_meet(e, s->task[x->task].always, s->task[y->task].always, false) &&
	       !segs_are_ordered(e, s, a->seg, b->seg, c->own);
}

/* In a region where a thread's number, or a variable of its own, decides what it accesses, each may
 * have its own part of an array: as what only one of them accesses may be. */
static bool may_be_one_threads(struct openmp *e, const struct space *s, const struct cell *c)
{
	const struct root *r = root_of(e, s->root);
	uint32_t lane = UINT32_MAX;

	if (!r || !r->numbered)
		return false;
	for (uint32_t i = c->entry; i; i = s->entry[i - 1].next) {
		const struct task *t = &s->task[s->seg[s->entry[i - 1].seg].task];

		if (lane != UINT32_MAX && lane != t->lane)
			return false;
		lane = t->lane;
	}
	return true;
}

static int judge_cell(struct openmp *e, struct space *s, const struct cell *c)
{
	if (!c->written || !c->entry || !s->entry[c->entry - 1].next)
		return 0;
	/* what is left out is said once for the interval */
	if (c->full && !s->limited) {
		e->why[OPENMP_WHY_LIMIT]++;
		s->limited = true;
	}
	for (uint32_t i = c->entry; i; i = s->entry[i - 1].next)
		for (uint32_t k = s->entry[i - 1].next; k; k = s->entry[k - 1].next) {
			if (!is_conflict(e, s, c, &s->entry[i - 1], &s->entry[k - 1]))
				continue;
			if (segs_were_ordered(e, s, s->entry[i - 1].seg, s->entry[k - 1].seg,
					      c->own)) {
				e->why[OPENMP_WHY_ATOMIC]++;
				continue;
			}
			if (may_be_one_threads(e, s, c)) {
				e->why[OPENMP_WHY_NUMBER]++;
				return 0;
			}
			if (pair_found(e, s, c, &s->entry[i - 1], &s->entry[k - 1]))
				return -1;
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
	int rc = 0;

	if (s->unsure)
		return 0;
	if (space_settle(e, s))
		return -1;
	for (size_t i = 0; i < s->ncell && !rc; i++)
		rc = judge_cell(e, s, &s->cell[i]);
	order_forget(e);
	return rc || e->failed ? -1 : 0;
}

void pairs_flush(struct openmp *e)
{
	for (uint32_t i = 0; i < e->npair; i++) {
		struct pair *p = &e->pair[i];

		if (!p->count || !p->key)
			continue;
		/* it has been added to the total already */
		e->findings.total -= p->count;
		trace_findings_count(&e->findings, p->key, p->nkey, p->count);
		p->count = 0;
	}
}

void pairs_free(struct openmp *e)
{
	for (uint32_t i = 0; i < e->npair; i++)
		free(e->pair[i].key);
	free(e->pair);
	hash_clear(&e->pair_at);
}
