/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the sequential branch writes to replicated objects. Writes of an element follow one another
 * as they do in the reference. One that is not the reference's may be right all the same: a rank's
 * part of a sum, before the sum is in the same variable. So it is only kept; when the object is
 * wrong where the next construct begins or ends, it is the first wrong write that is reported.
 * What a SKIP ends is forgotten.
 */
#include "common/tracediff/internal.h"

#define PROBES 8u
#define AHEAD 64u /* events of the reference among which a write is looked for */

/* Where the element is kept, or can be; NULL: there are too many. */
static struct cmp_written *slot_of(struct tracediff *c, uint64_t key)
{
	unsigned at = (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
	struct cmp_written *empty = NULL, *w;

	for (unsigned i = 0; i < PROBES; i++) {
		w = &c->written[(at + i) % CMP_WRITTEN];
		if (w->used && w->key == key)
			return w;
		if (!w->used && !empty)
			empty = w;
	}
	return empty;
}

static void forget(struct tracediff *c, struct cmp_written *w)
{
	if (w->used)
		c->nwritten--;
	trace_findings_clear(&w->made);
	*w = (struct cmp_written){ 0 };
}

/* The reference's write of the element in the same line, in the walk, which moves there. NULL: it
 * is not before the next construct or iteration. */
static const struct trace_event *counterpart(struct tracediff *c, struct cmp_branch *b,
					     const struct trace_event *e)
{
	const struct trace_event *r = cmp_next_event(c, b);
	const struct segment *s = r ? &b->walk.seg->s : NULL;
	uint32_t end = r ? b->walk.i + AHEAD : 0;

	for (uint32_t i = b->walk.i; r && i < s->nevent && i < end; i++) {
		r = &s->event[i];
		if ((r->op != TRACE_WRITE && r->op != TRACE_REDUCTION) ||
		    r->in_task != e->in_task || r->task != e->task)
			return NULL;
		if (r->op != TRACE_WRITE || r->before != e->before || r->size != e->size ||
		    (!c->o.moved && e->place && r->place && e->place != r->place))
			continue;
		while (b->walk.i < i)
			ref_walk_next(&b->walk);
		return r;
	}
	return NULL;
}

static void keep(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e,
		 const struct trace_event *r)
{
	struct cmp_written *w = slot_of(c, e->before);
	const struct ref_walk *at = &b->walk;

	if (w && w->used)
		w->last = e->count;
	if (!w || w->used)
		return; /* the first one counts */
	*w = (struct cmp_written){
		.used = true, .key = e->before, .last = e->count, .turn = ++c->turns
	};
	c->nwritten++;
	w->s = cmp_suspicion_of(c, FINDING_VALUE, e);
	w->s.access = w->s.write = w->s.has_now = true;
	w->s.ident = e->ident;
	w->s.key = e->before;
	w->s.size = e->size;
	w->s.now = e->count;
	if (!r)
		return;
	w->s.has_ref = true;
	w->s.ref = r->count;
	w->s.ref_at = (struct cmp_ref_spot){ true, at->file, at->block, r->rec };
	w->s.order[0] = c->ref->files == 1 ? (int64_t)at->block : 0;
	w->s.order[1] = c->ref->files == 1 ? r->rec : 0;
}

void cmp_write(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	const struct trace_event *r = b->lost ? NULL : counterpart(c, b, e);
	struct cmp_written *w = slot_of(c, e->before);
	enum tolerance_verdict how;

	if (!cmp_detailed(c, &e->point))
		return;
	if (!r) {
		keep(c, b, e, NULL);
		return;
	}
	how = cmp_number(c, e->before, e->size, e->count, r->count);
	if (how == TRACE_OTHER)
		keep(c, b, e, r);
	else if (w && w->used)
		forget(c, w);
	ref_walk_next(&b->walk);
}

static void report(struct tracediff *c, const struct cmp_written *w)
{
	if (w->made.n)
		cmp_suspect_deferred(c, &w->s, 1, &w->made);
	else
		cmp_suspect(c, &w->s);
}

/* The one of the element; of any, when that is not known: the first one of the object. */
static struct cmp_written *of(struct tracediff *c, const struct cmp_suspicion *s)
{
	struct cmp_written *w = slot_of(c, s->key), *first = NULL;

	if (s->has_now && s->has_ref)
		return w && w->used ? w : NULL;
	for (unsigned i = 0; i < CMP_WRITTEN; i++) {
		w = &c->written[i];
		if (w->used && w->s.ident == s->ident && (!first || w->turn < first->turn))
			first = w;
	}
	return first;
}

bool cmp_written_suspect(struct tracediff *c, const struct cmp_suspicion *s)
{
	struct cmp_written *w = c->nwritten ? of(c, s) : NULL;

	if (!w)
		return false;
	if (!w->s.has_ref && s->has_ref && w->key == s->key && w->s.size == s->size) {
		w->s.has_ref = true;
		w->s.ref = s->ref;
	}
	report(c, w);
	return true;
}

void cmp_written_judge(struct tracediff *c, int32_t ident, const struct cmp_reported *now)
{
	struct cmp_written *w;
	uint64_t key = (uint64_t)ident << TRACE_KEY_BITS;

	if (!c->nwritten)
		return;
	w = slot_of(c, key);
	if (w && w->used && w->s.has_ref && now->whole && now->n == w->s.size &&
	    tolerance_load(now->bytes, w->s.size) == w->last)
		report(c, w);
	cmp_written_forget(c, ident);
}

void cmp_written_forget(struct tracediff *c, int32_t ident)
{
	for (unsigned i = 0; c->nwritten && i < CMP_WRITTEN; i++)
		if (c->written[i].used && (ident < 0 || c->written[i].s.ident == ident))
			forget(c, &c->written[i]);
}

void cmp_written_keep(struct tracediff *c, const struct trace_block *b)
{
	for (unsigned i = 0; b && c->nwritten && i < CMP_WRITTEN; i++) {
		struct cmp_written *w = &c->written[i];

		if (!w->used || w->s.at.block != b)
			continue;
		cmp_report_later(c, &w->s, &w->made);
		w->s.at.block = NULL;
	}
}
