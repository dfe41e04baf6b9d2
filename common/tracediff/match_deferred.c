/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes of a construct without marks that are not what the reference's are at the same place in
 * the element's sequence. Where a statement writes an element several times, as one that adds up
 * what edges or particles contribute, the order may be another one on other ranks. Only the end of
 * the construct shows that: some element was written otherwise and is right in the end. Then only
 * what elements were written with last counts; else what was held back is reported. Only that
 * counts, too, of an array much of which is right in the end and was not before.
 */
#include <stdlib.h>
#include <string.h>

#include "common/tracediff/internal.h"

#define RECENT 8192u /* elements that are remembered with who wrote them */
#define STATEMENTS 64u
#define LASTS 256u
#define HEALED 3u /* elements, at least, that are right only in the end */
#define KEPT 2u	  /* of those, when their block is given up: each takes a look at the reference */

/* What is not reported yet. */
struct held {
	bool valid;
	struct cmp_suspicion s;
	bool must;  /* nothing else reports it */
	bool final; /* as many writes as the reference has have been made */
	bool has_end;
	uint32_t nth; /* which write of the reference it is shown with */
	uint64_t end; /* of an extra one: what the reference writes last */
	uint64_t seq, count;
	uint64_t turn;		    /* in what order they were held */
	struct trace_findings made; /* of it, when its block is given up */
};

/* A statement that writes an object. */
struct statement {
	uint64_t place;
	int32_t ident;
	bool there, here; /* it writes an element several times in the reference; here */
	uint64_t before;  /* bits of statements that have written its elements earlier there */
	struct held sure; /* nothing of another order was before it */
	struct held maybe;
};

struct recent {
	uint64_t key;
	uint64_t by; /* bits of statements; 0: nothing */
};

struct join_deferred {
	struct recent recent[RECENT];
	struct statement statement[STATEMENTS];
	unsigned nstatement, last;
	uint64_t turns;
	struct held wrong[LASTS]; /* the last write of an element, by its key */
	/* hashes of source positions of the block that is read; 0: not known */
	uint64_t place[STATEMENTS];
	uint16_t site[STATEMENTS];
};

static uint64_t mix(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) >> 48;
}

static void held_clear(struct held *x)
{
	trace_findings_clear(&x->made);
	*x = (struct held){ 0 };
}

void join_deferred_free(struct join_deferred *h)
{
	if (!h)
		return;
	for (unsigned i = 0; i < h->nstatement; i++) {
		held_clear(&h->statement[i].sure);
		held_clear(&h->statement[i].maybe);
	}
	for (unsigned i = 0; i < LASTS; i++)
		held_clear(&h->wrong[i]);
	free(h);
}

size_t join_deferred_bytes(const struct join_deferred *h)
{
	return h ? sizeof(*h) : 0;
}

/* ---- statements ---- */

/* NULL: there are too many. */
static struct statement *statement_of(struct join_deferred *h, uint64_t place, int32_t ident)
{
	struct statement *x;

	for (unsigned i = 0; i < h->nstatement; i++) {
		x = &h->statement[(h->last + i) % h->nstatement];
		if (x->place != place || x->ident != ident)
			continue;
		h->last = (unsigned)(x - h->statement);
		return x;
	}
	if (h->nstatement == STATEMENTS)
		return NULL;
	x = &h->statement[h->nstatement++];
	x->place = place;
	x->ident = ident;
	return x;
}

static void written_by(struct tracediff *c, struct cmp_join *j, uint64_t key, uint64_t place,
		       bool here)
{
	struct join_deferred *h = j->held;
	struct statement *x = statement_of(h, place, (int32_t)(key >> TRACE_KEY_BITS));
	struct recent *r = &h->recent[mix(key) & (RECENT - 1)];
	uint64_t bit;

	if (!x)
		return;
	bit = UINT64_C(1) << (x - h->statement);
	if (r->key != key)
		*r = (struct recent){ .key = key };
	if (r->by & bit) {
		x->there = x->there || !here;
		x->here = x->here || here;
		join_mark(c, j, (unsigned)x->ident, JOIN_LOOSE);
	}
	if (!here)
		x->before |= r->by & ~bit;
	r->by |= bit;
}

/* Which statements of the reference write an element several times. */
static void look_through(struct tracediff *c, struct cmp_join *j)
{
	for (uint32_t f = 0; f < j->n; f++) {
		struct ref_parts p;

		join_parts(c, j, f, &p);
		while (ref_parts_next(&p)) {
			const struct trace_acc *a = &p.seg->s.acc[p.scope->acc];

			for (uint32_t n = 0; n < p.scope->nacc; n++, a++)
				if (join_is_write(j, a))
					written_by(c, j, a->key,
						   ref_site(c->ref, f, p.at.block, a->site), false);
		}
		ref_parts_end(&p);
		memset(j->held->recent, 0, sizeof(j->held->recent));
	}
}

static bool start(struct tracediff *c, struct cmp_join *j)
{
	if (j->held)
		return true;
	j->held = calloc(1, sizeof(*j->held));
	if (!j->held) {
		c->failed = true;
		return false;
	}
	look_through(c, j);
	return true;
}

/* Hashing a source position takes long. */
static uint64_t place_of(const struct tracediff *c, struct join_deferred *h, unsigned site)
{
	unsigned at = site % STATEMENTS;

	if (!h->place[at] || h->site[at] != site) {
		h->site[at] = (uint16_t)site;
		h->place[at] = cmp_site_hash(c->now->block, site);
	}
	return h->place[at];
}

void join_written(struct tracediff *c, struct cmp_join *j, const struct trace_acc *a)
{
	if (j->held)
		written_by(c, j, a->key, place_of(c, j->held, a->site), true);
}

static bool repeats(const struct statement *x)
{
	return x->there || x->here;
}

/* Nothing that may come in another order was in its elements before. */
static bool clean(const struct join_deferred *h, const struct statement *x)
{
	for (unsigned i = 0; i < h->nstatement; i++)
		if (x->before >> i & 1 && repeats(&h->statement[i]))
			return false;
	return !repeats(x);
}

/* ---- which statement of the reference makes a write ---- */

/* The reference's nth write of the element; false: it is not found. */
static bool who(struct tracediff *c, struct cmp_join *j, const struct cmp_suspicion *s,
		uint32_t nth, uint64_t *place)
{
	struct ref_parts p;
	uint32_t writes;
	bool found = false;

	for (uint32_t f = 0; !found && f < j->n; f++) {
		writes = 0;
		join_parts(c, j, f, &p);
		while (!found && ref_parts_next(&p)) {
			const struct trace_acc *a = &p.seg->s.acc[p.scope->acc];

			for (uint32_t n = 0; n < p.scope->nacc && !found; n++, a++) {
				if (a->key != s->key || !join_is_write(j, a))
					continue;
				found = ++writes == nth;
				*place = ref_site(c->ref, p.at.file, p.at.block, a->site);
			}
		}
		ref_parts_end(&p);
	}
	return found;
}

/* Whether the same statement makes it here and there. One element represents all that are alike. */
static bool same_statement(struct tracediff *c, struct cmp_join *j, const struct cmp_suspicion *s,
			   uint32_t nth, uint32_t of)
{
	struct join_turn turn = { .place = s->place, .ident = s->ident, .nth = nth, .of = of };
	uint64_t place = 0;

	for (unsigned i = 0; i < j->nturn; i++)
		if (j->turn[i].place == turn.place && j->turn[i].ident == turn.ident &&
		    j->turn[i].nth == nth && j->turn[i].of == of)
			return !j->turn[i].other;
	if (j->nturn == JOIN_TURNS)
		return true;
	turn.other = who(c, j, s, nth, &place) && place != s->place;
	j->turn[j->nturn++] = turn;
	return !turn.other;
}

/* ---- what is held ---- */

static struct held *wrong_at(struct join_deferred *h, uint64_t key)
{
	return &h->wrong[mix(key) & (LASTS - 1)];
}

static void hold(const struct cmp_join *j, struct held *x, const struct cmp_suspicion *s,
		 uint32_t nth)
{
	x->count++;
	if (x->valid)
		return;
	x->valid = true;
	x->s = *s;
	x->nth = nth;
	x->seq = j->seq;
	x->turn = j->held->turns++;
}

void join_rewritten(struct cmp_join *j, const struct join_element *e, uint64_t key, bool right)
{
	struct held *x = j->held ? wrong_at(j->held, key) : NULL;

	join_set(e->page->right, e->i, right);
	if (x && x->valid && x->s.key == key)
		held_clear(x);
}

static bool any_order(const struct cmp_join *j, int32_t ident)
{
	uint8_t flags = join_flags(j, (unsigned)ident);

	return flags & JOIN_LOOSE && flags & JOIN_ANY;
}

/* It may be the last one, and is wrong. must: then nothing but this reports it. */
static void hold_last(struct cmp_join *j, const struct cmp_suspicion *s, const struct join_write *w,
		      bool must)
{
	struct held *x = wrong_at(j->held, s->key);
	struct cmp_suspicion last = *s;
	bool final = w->nth >= w->of;

	/* those that are not rewritten stay, and those that are most likely the last come first */
	if (x->valid && (x->final > final || (x->final == final && x->must >= must)))
		return;
	if (w->nth <= w->of || any_order(j, s->ident)) {
		last.kind = FINDING_VALUE;
		last.has_ref = w->last != NULL;
		last.ref = w->last ? *w->last : 0;
	}
	held_clear(x);
	hold(j, x, &last, w->of);
	x->must = must;
	x->final = final;
	x->has_end = last.kind == FINDING_USE && w->last;
	x->end = x->has_end ? *w->last : 0;
}

/* Whether an element was written by the same statement there, and never in another order before. */
static bool in_turn(struct tracediff *c, struct cmp_join *j, const struct statement *x,
		    const struct cmp_suspicion *s, const struct join_write *w, bool *sure)
{
	bool loose = join_flags(j, (unsigned)s->ident) & JOIN_LOOSE;

	*sure = false;
	if (w->nth > w->of)
		return false;
	if (!s->place || repeats(x) || (loose && !clean(j->held, x)))
		return true;
	*sure = same_statement(c, j, s, w->nth, loose ? 0 : w->of);
	return *sure;
}

/* Of statements that are not known nothing is held back. */
static void too_many(struct tracediff *c, struct cmp_join *j, struct cmp_suspicion *s,
		     const struct join_write *w)
{
	if (any_order(j, s->ident) || (!s->has_ref && !cmp_use(c, s, UINT32_MAX)) ||
	    (w->nth < w->of && !same_statement(c, j, s, w->nth, w->of)))
		return;
	join_suspect(c, j, s, w->nth, 0);
}

void join_hold(struct tracediff *c, struct cmp_join *j, const struct join_element *e,
	       struct cmp_suspicion *s, const struct join_write *w)
{
	bool first = !j->held, sure, same;
	struct statement *x;

	if (!start(c, j))
		return;
	if (first)
		written_by(c, j, s->key, s->place, true);
	join_set(e->page->odd, e->i, true);
	if (w->newest)
		join_rewritten(j, e, s->key, w->right);
	if (join_flags(j, (unsigned)s->ident) & JOIN_LOOSE && w->right && w->nth >= w->of)
		join_mark(c, j, (unsigned)s->ident, JOIN_ANY);
	x = statement_of(j->held, s->place, s->ident);
	if (!x) {
		too_many(c, j, s, w);
		return;
	}
	same = in_turn(c, j, x, s, w, &sure);
	if (w->newest && !w->right)
		hold_last(j, s, w, !same);
	if (same && (sure || !any_order(j, s->ident)))
		hold(j, sure ? &x->sure : &x->maybe, s, w->nth);
}

/* What may be written last, in this run's order; returns how many. */
static unsigned lasts(struct join_deferred *h, struct held *list[LASTS])
{
	unsigned n = 0, at;

	for (unsigned i = 0; i < LASTS; i++) {
		if (!h->wrong[i].valid)
			continue;
		for (at = n++; at && list[at - 1]->turn > h->wrong[i].turn; at--)
			list[at] = list[at - 1];
		list[at] = &h->wrong[i];
	}
	return n;
}

/* ---- blocks are given up ---- */

static void keep(struct tracediff *c, struct cmp_join *j, struct held *x)
{
	if (!x->valid || !x->s.at.block)
		return;
	if (x->s.kind == FINDING_USE && !cmp_use(c, &x->s, UINT32_MAX)) {
		held_clear(x);
		return;
	}
	join_order(c, j, &x->s, x->nth, 0, x->seq);
	cmp_report_later(c, &x->s, &x->made);
	x->s.at.block = NULL;
}

void cmp_join_keep(struct tracediff *c, struct cmp_join *j)
{
	struct join_deferred *h = j->held;
	struct held *list[LASTS];
	unsigned kept = 0, n;

	if (!h)
		return;
	memset(h->place, 0, sizeof(h->place));
	for (unsigned i = 0; i < h->nstatement; i++) {
		keep(c, j, &h->statement[i].sure);
		if (any_order(j, h->statement[i].ident))
			held_clear(&h->statement[i].maybe);
		keep(c, j, &h->statement[i].maybe);
	}
	/* most are overwritten by and by */
	n = lasts(h, list);
	for (unsigned i = 0; i < n; i++)
		kept += list[i]->made.n > 0;
	for (unsigned i = 0; i < n; i++) {
		if (!list[i]->s.at.block)
			continue;
		if (list[i]->final && kept++ < KEPT)
			keep(c, j, list[i]);
		else
			held_clear(list[i]);
	}
}

/* ---- the end ---- */

static void report(struct tracediff *c, struct cmp_join *j, struct held *x)
{
	if (!x->valid || (x->s.kind == FINDING_USE && !x->made.n && !cmp_use(c, &x->s, UINT32_MAX)))
		return;
	if (!x->made.n)
		join_order(c, j, &x->s, x->nth, 0, x->seq);
	else
		x->made.item[0].count = x->made.total = x->count;
	cmp_suspect_deferred(c, &x->s, x->count, &x->made);
	join_mark(c, j, (unsigned)x->s.ident, JOIN_TOLD);
}

/* Elements that were written otherwise, and are right in the end; false: some are wrong. */
static bool notice(struct tracediff *c, struct cmp_join *j)
{
	bool all = true;

	for (size_t i = 0; i <= j->t.mask; i++) {
		const struct join_page *p = j->t.slot[i];

		for (unsigned k = 0; p && k < sizeof(p->odd); k++) {
			if (p->odd[k] & p->right[k])
				join_mark(c, j, (unsigned)(p->id >> TRACE_KEY_BITS), JOIN_ANY);
			all = all && !(p->odd[k] & ~p->right[k]);
		}
	}
	return all;
}

/*
 * A good part of what is written of the array is right in the end only: it is computed in another
 * way, as a sum over ranks that each begins with its own. *wrong: some of it is not.
 */
static bool otherwise(const struct cmp_join *j, int32_t ident, bool *wrong)
{
	unsigned healed = 0, written = 0;

	*wrong = false;
	for (size_t i = 0; i <= j->t.mask; i++) {
		const struct join_page *p = j->t.slot[i];

		if (!p || p->id >> TRACE_KEY_BITS != (uint64_t)ident)
			continue;
		for (unsigned k = 0; k < sizeof(p->odd); k++) {
			healed += (unsigned)__builtin_popcount(p->odd[k] & p->right[k]);
			written += (unsigned)__builtin_popcount(p->mine[k]);
			*wrong = *wrong || p->odd[k] & ~p->right[k];
		}
	}
	return healed >= HEALED && healed >= written / 4;
}

/* Whether the last writes of an array alone are reported. right: those of all are what they should
 * be; else what comes of the first ones may be what is wrong. */
static bool ends_only(const struct cmp_join *j, int32_t ident, bool right)
{
	bool wrong;

	return otherwise(j, ident, &wrong) && (right || wrong);
}

/* What was written last. */
static void report_lasts(struct tracediff *c, struct cmp_join *j, bool right)
{
	struct held *list[LASTS], *x;
	unsigned n = lasts(j->held, list);
	int32_t of = -1;
	bool only = false;

	for (unsigned i = 0; i < n; i++) {
		x = list[i];
		if (x->s.ident != of)
			only = ends_only(j, x->s.ident, right);
		of = x->s.ident;
		if (only && x->has_end && !x->made.n) {
			x->s.kind = FINDING_VALUE;
			x->s.has_ref = true;
			x->s.ref = x->end;
		}
		if (x->must || only || any_order(j, of))
			report(c, j, x);
	}
}

void join_decide(struct tracediff *c, struct cmp_join *j, bool complete)
{
	struct join_deferred *h = j->held;
	bool right;

	if (!h || j->lossy)
		return;
	right = notice(c, j);
	for (unsigned i = 0; i < h->nstatement; i++) {
		struct statement *x = &h->statement[i];

		if ((!x->sure.valid && !x->maybe.valid) || ends_only(j, x->ident, right))
			continue;
		if (!any_order(j, x->ident) || !repeats(x))
			report(c, j, &x->sure);
		if (!any_order(j, x->ident))
			report(c, j, &x->maybe);
	}
	if (complete)
		report_lasts(c, j, right);
}

bool join_ended(struct tracediff *c, struct cmp_join *j, const struct join_element *e, uint64_t key,
		unsigned now, unsigned ref)
{
	const struct held *x;
	const struct join_page *p = e->page;
	int32_t ident = (int32_t)(key >> TRACE_KEY_BITS);
	struct join_at at = { 0 };
	uint64_t last, value;

	if (!now)
		return false;
	if (!start(c, j) || !(join_flags(j, (unsigned)ident) & JOIN_LOOSE) || p->dropped || p->cut)
		return true;
	x = wrong_at(j->held, key);
	if (join_has(p->odd, e->i))
		return join_has(p->right, e->i) ||
		       (x->valid && x->s.key == key && (x->must || any_order(j, ident)));
	/* the same as far as it goes: what follows there may change nothing */
	if (!join_next(&j->t, e, ref, &at, &last))
		return false;
	at = (struct join_at){ 0 };
	return join_next(&j->t, e, now, &at, &value) && value == last;
}
