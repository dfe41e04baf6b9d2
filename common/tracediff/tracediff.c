/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracediff/tracediff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/tracediff/internal.h"

#define LISTED 4096u /* owned indices of an array in a list */

struct tracediff *tracediff_create(struct trace_index *ref, const struct tracediff_options *o,
				   struct err *err)
{
	struct tracediff *c = calloc(1, sizeof(*c));

	if (c) {
		c->ref = ref;
		c->o = *o;
		c->o.tolerance.scales = &ref->scales;
		c->o.tolerance.unit = 0;
		c->findings.most = o->most;
		object_ids_forget(ref->idents);
		/* of no file of the reference */
		c->reader = segment_reader_create(ref->idents, UINT32_MAX);
	}
	if (!c || !c->reader) {
		free(c);
		err_set(err, "out of memory");
		return NULL;
	}
	return c;
}

static void loop_free(struct cmp_loop *l)
{
	index_set_destroy(l->set);
	cmp_join_free(l->join);
	free(l->hint);
	free(l);
}

static void thread_free(struct cmp_thread *t)
{
	trace_block_free(t->block);
	trace_block_free(t->before);
	cmp_carry_clear(&t->iter);
	cmp_carry_clear(&t->task);
	free(t->iter.acc);
	free(t->task.acc);
}

void tracediff_destroy(struct tracediff *c)
{
	if (!c)
		return;
	ref_walk_end(&c->main.walk);
	ref_walk_end(&c->task.walk);
	while (c->loop) {
		struct cmp_loop *next = c->loop->next;

		loop_free(c->loop);
		c->loop = next;
	}
	for (uint32_t i = 0; i < c->nthread; i++)
		thread_free(&c->thread[i]);
	for (size_t i = c->cover_first; i < c->ncover; i++)
		cover_clear(&c->cover[i]);
	for (uint32_t i = 0; i < c->nsuspect; i++)
		free(c->suspect[i].key);
	cmp_value_free(c);
	trace_findings_clear(&c->findings);
	segment_reader_destroy(c->reader);
	segment_clear(&c->seg);
	free(c->thread);
	free(c->cover);
	free(c->placed);
	free(c->suspect);
	hash_clear(&c->suspects);
	free(c->gather);
	free(c->sort_now);
	free(c->sort_ref);
	free(c->bad);
	free(c);
}

void *cmp_room(void **list, uint32_t *cap, uint32_t n, size_t size)
{
	uint32_t want = *cap ? *cap : 64;
	void *grown;

	if (n <= *cap && *list)
		return *list;
	while (want < n)
		want *= 2;
	grown = realloc(*list, want * size);
	if (grown) {
		*list = grown;
		*cap = want;
	}
	return grown;
}

/* A point is passed, and the next one that counts is not beyond the interval. */
static bool inside(const struct point *start, const struct point *finish, const struct point *last)
{
	enum point_order from = start->main ? point_compare(start, last) : POINT_BEFORE;
	enum point_order to = finish->main ? point_compare(last, finish) : POINT_BEFORE;

	return (from == POINT_BEFORE || from == POINT_EQUAL) && to == POINT_BEFORE;
}

bool cmp_detailed(const struct tracediff *c, const struct point *last)
{
	const struct trace_meta *m = trace_reader_meta(c->ref->file[0].map);

	return inside(&c->o.start, &c->o.finish, last) && inside(&m->start, &m->finish, last);
}

/* ---- constructs ---- */

struct cmp_loop *cmp_loop_get(struct tracediff *c, const struct point *p)
{
	struct cmp_loop **at = &c->loop, *l;

	while (*at && !ref_same(&(*at)->point, p))
		at = &(*at)->next;
	l = *at;
	if (l) {
		*at = l->next;
	} else {
		l = calloc(1, sizeof(*l));
		if (l)
			l->hint = calloc(c->ref->files, sizeof(*l->hint));
		if (!l || !l->hint) {
			free(l);
			c->failed = true;
			return NULL;
		}
		l->point = *p;
		l->point.side = POINT_BEGIN;
		l->file = c->o.rank % c->ref->files;
	}
	l->next = c->loop;
	c->loop = l;
	return l;
}

void cmp_loop_lossy(struct tracediff *c, const struct point *p)
{
	struct cmp_loop *l;

	for (l = c->loop; l; l = l->next)
		l->partial = true;
	if (p->main && p->side == POINT_BEGIN && (l = cmp_loop_get(c, p)))
		l->partial = true;
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

/* What it executed, for those who know what all ranks have. */
static void cover_make(struct tracediff *c, struct cmp_loop *l, const struct trace_event *end,
		       struct cover *v)
{
	const struct place *p = NULL;

	*v = (struct cover){ .point = l->point, .kind = end->kind, .ranks = 1 };
	if (end->where < c->block->nplace)
		p = &c->block->place[end->where];
	v->place = (struct place){ .file = copy(p ? p->file : NULL),
				   .func = copy(p ? p->func : NULL),
				   .module = copy(p ? p->module : NULL),
				   .line = p ? p->line : 0,
				   .vaddr = p ? p->vaddr : 0 };
	v->partial = l->partial || l->foreign || !l->level || c->astray || c->main.lost ||
		     (l->mode != CMP_UNMARKED &&
		      ((l->body && !l->recorded) ||
		       (end->count != UINT64_MAX && end->count != l->recorded))) ||
		     (l->set && index_set_lost(l->set));
	v->extra = l->extra;
	v->heard = l->recorded || (l->level >= 2 && !l->body);
	v->iterations = l->set;
	l->set = NULL;
	for (uint32_t f = c->o.rank; f < c->ref->files && !v->partial;
	     f += c->o.ranks ? c->o.ranks : 1) {
		uint64_t n = trace_index_executed(c->ref, f, &l->point);

		/* a rank that does not know has marked none */
		v->ref_files++;
		v->ref_count += n == UINT64_MAX ? 0 : n;
	}
}

/* A list of so many is not reported. */
static bool listed(const struct array_desc *a)
{
	uint32_t n = 0;

	for (unsigned d = 0; d < a->ndim; d++)
		n += a->list[d] ? a->list_n[d] : 0;
	return n > LISTED;
}

/* Which parts of arrays are here, when that has not been reported. */
static void cover_places(struct tracediff *c, struct cover *v)
{
	unsigned n = object_id_count(c->ref->idents);

	if (n > c->nplaced) {
		uint32_t *grown = realloc(c->placed, n * sizeof(*grown));

		if (!grown)
			return;
		memset(grown + c->nplaced, 0, (n - c->nplaced) * sizeof(*grown));
		c->placed = grown;
		c->nplaced = n;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct object_id *o = object_id_get(c->ref->idents, i);

		if (!o->now || o->now->kind != ARRAY_DISTRIBUTED ||
		    c->placed[i] == o->now_version || listed(o->now))
			continue;
		if (!ownership_add(&v->owners, c->o.rank, o->now))
			c->placed[i] = o->now_version;
	}
}

/* Room for one more cover; NULL: nobody wants one, or no memory. */
static struct cover *cover_room(struct tracediff *c)
{
	if (!c->o.covers || vec_room(c->cover, c->cover_cap, c->ncover + 1))
		return NULL;
	return &c->cover[c->ncover++];
}

/* Iterations with which threads have ended are over. */
static void threads_end(struct tracediff *c, const struct point *p)
{
	struct cmp_thread *now = c->now;

	for (uint32_t i = 0; i < c->nthread; i++) {
		c->now = &c->thread[i];
		if (c->now->iter.open && ref_same(&c->now->iter.scope.point, p))
			cmp_carry_end(c, &c->now->iter, true);
	}
	c->now = now;
}

void cmp_loop_close(struct tracediff *c, const struct trace_event *end)
{
	struct cmp_loop *l = cmp_loop_get(c, &end->point), **at;
	struct cover *v = cover_room(c);

	if (!l)
		return;
	threads_end(c, &l->point);
	if (v) {
		cover_make(c, l, end, v);
		cover_places(c, v);
	}
	if (l->join)
		cmp_join_finish(c, l->join, !l->partial, v);
	/* this one, which is the first, and those whose end was lost */
	for (at = &c->loop; *at;) {
		struct cmp_loop *old = *at;

		if (old != l && (end->point.sub || old->point.main >= end->point.main)) {
			at = &old->next;
			continue;
		}
		*at = old->next;
		loop_free(old);
	}
}

bool tracediff_cover(struct tracediff *c, struct cover *out)
{
	if (c->cover_first == c->ncover)
		return false;
	*out = c->cover[c->cover_first++];
	if (c->cover_first == c->ncover)
		c->cover_first = c->ncover = 0;
	return true;
}

/* ---- blocks ---- */

static struct cmp_thread *thread_get(struct tracediff *c, uint32_t thread)
{
	struct cmp_thread *t;

	for (uint32_t i = 0; i < c->nthread; i++)
		if (c->thread[i].thread == thread)
			return &c->thread[i];
	t = vec_add(c->thread, c->nthread);
	if (t)
		t->thread = thread;
	return t;
}

static void carry_older(struct cmp_carry *k)
{
	k->gone += k->old;
	k->old = k->n - k->gone;
}

/* The block before stays, for what began in it; the one before that goes. */
static void rotate(struct tracediff *c, struct cmp_thread *t, struct trace_block *b)
{
	for (unsigned i = 0; i < c->nknown; i++) {
		if (c->known[i].at.at.block == t->before)
			c->known[i].at.at.block = NULL;
		if (c->known[i].since.at.block == t->before)
			c->known[i].since.at.block = NULL;
	}
	cmp_written_keep(c, t->before);
	if (c->main.odd.at.block == t->before)
		c->main.odd.at.block = NULL;
	if (c->task.odd.at.block == t->before)
		c->task.odd.at.block = NULL;
	trace_block_free(t->before);
	t->before = t->block;
	t->block = b;
	carry_older(&t->iter);
	carry_older(&t->task);
}

static void scope(struct tracediff *c, const struct trace_scope *s)
{
	if (c->astray || !s->level)
		return;
	if (s->kind == TRACE_SCOPE_BODY)
		cmp_body_part(c, s);
	else
		cmp_iter_part(c, s);
}

/* Scopes and events in the order of the records; what an event opens comes behind it. */
static void segment(struct tracediff *c)
{
	const struct segment *s = &c->seg;
	uint32_t i = 0, k = 0;

	while (i < s->nscope || k < s->nevent) {
		const struct trace_scope *next = &s->scope[i];
		bool first = i < s->nscope;

		if (first && k < s->nevent)
			first = next->rec < s->event[k].rec ||
				(next->rec == s->event[k].rec && next->flags & TRACE_SCOPE_CONT);
		if (first) {
			scope(c, next);
			i = cmp_iter_same(c, i + 1, k < s->nevent ? s->event[k].rec : UINT32_MAX);
			continue;
		}
		if (c->now->thread && s->event[k].op == TRACE_LOST)
			cmp_loop_lossy(c, &s->event[k].point);
		else if (!c->astray)
			cmp_event(c, &s->event[k]);
		k++;
	}
}

static void settle(struct tracediff *c)
{
	for (struct cmp_loop *l = c->loop; l; l = l->next)
		if (l->join) {
			cmp_join_settle(c, l->join);
			cmp_join_keep(c, l->join);
		}
	if (c->now->iter.join)
		cmp_join_settle(c, c->now->iter.join);
	if (c->now->task.join)
		cmp_join_settle(c, c->now->task.join);
}

/* What a damaged block of the reference has is not there: what was suspected for that is nothing.
 */
static int spoilt(struct tracediff *c, struct err *err)
{
	for (uint32_t i = 0; i < c->nsuspect; i++)
		c->suspect[i].fresh = false;
	if (trace_index_no_memory(c->ref))
		return err_set(err,
			       "out of memory while the reference is read: what follows is not "
			       "compared");
	return err_set(err, "blocks of the reference's traces are damaged: what follows is not "
			    "compared");
}

int tracediff_block(struct tracediff *c, struct trace_block *b, struct err *err)
{
	struct cmp_thread *t = thread_get(c, b->info.thread);
	int rc = 1;

	if (!t) {
		trace_block_free(b);
		return err_set(err, "out of memory");
	}
	rotate(c, t, b);
	c->now = t;
	c->block = b;
	if (segment_reader_start(c->reader, b))
		return err_set(err, "out of memory");
	while (rc == 1) {
		errno = 0;
		rc = segment_reader_fill(c->reader, &c->seg);
		c->failed = c->failed || (rc < 0 && errno == ENOMEM);
		segment(c);
	}
	settle(c);
	if (trace_index_damaged(c->ref))
		return spoilt(c, err);
	cmp_report(c);
	c->state.records += b->info.records;
	if (!b->info.thread)
		c->state.last = b->info.last;
	if (c->failed) {
		c->failed = false;
		return err_set(err, "out of memory while traces are compared: findings may be "
				    "missing");
	}
	return rc < 0 ? err_set(err, "a block of the trace is damaged") : 0;
}

int tracediff_end(struct tracediff *c, bool complete, struct err *err)
{
	for (uint32_t i = 0; i < c->nthread; i++) {
		c->now = &c->thread[i];
		c->block = c->now->block;
		cmp_carry_end(c, &c->now->iter, false);
		cmp_carry_end(c, &c->now->task, false);
	}
	for (struct cmp_loop *l = c->loop; l; l = l->next)
		if (l->join)
			cmp_join_finish(c, l->join, false, NULL);
	cmp_seq_end(c, complete);
	if (trace_index_damaged(c->ref))
		return spoilt(c, err);
	cmp_report(c);
	return c->failed ? err_set(err, "out of memory while traces are compared") : 0;
}

struct trace_findings *tracediff_findings(struct tracediff *c)
{
	return &c->findings;
}

const struct tracediff_state *tracediff_state(const struct tracediff *c)
{
	struct tracediff *own = (struct tracediff *)c; /* only brought up to date */

	own->state.decoded = trace_index_decoded(c->ref);
	return &c->state;
}

size_t tracediff_held(const struct tracediff *c)
{
	size_t n = sizeof(*c) + segment_bytes(&c->seg) + segment_reader_bytes(c->reader) +
		   c->gather_cap * sizeof(*c->gather) + c->nsuspect * sizeof(*c->suspect);

	for (uint32_t i = 0; i < c->nthread; i++) {
		const struct cmp_thread *t = &c->thread[i];

		n += (t->block ? trace_block_bytes(t->block) : 0) +
		     (t->before ? trace_block_bytes(t->before) : 0) +
		     (t->iter.cap + t->task.cap) * sizeof(*t->iter.acc);
		n += (t->iter.join ? cmp_join_deferred(t->iter.join) : 0) +
		     (t->task.join ? cmp_join_deferred(t->task.join) : 0);
	}
	for (unsigned i = 0; i < c->nknown; i++)
		n += c->known[i].now.n + c->known[i].ref.n + c->known[i].nwrong;
	for (const struct cmp_loop *l = c->loop; l; l = l->next)
		n += sizeof(*l) + (l->join ? cmp_join_deferred(l->join) : 0);
	return n;
}
