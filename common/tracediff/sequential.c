/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sequential branch: which constructs follow one another, the iterations of sequential loops,
 * and reductions. The reference's events are gone through in step; when both do something else,
 * that is reported once, and they are brought into step again where a construct has a number.
 */
#include <string.h>

#include "common/logical/construct.h"
#include "common/tracediff/internal.h"

#define ASTRAY 8u /* strange constructs in sequence after which nothing is compared */

/* Whether both runs record iterations and results here. */
static bool recorded(const struct tracediff *c, const struct cmp_branch *b,
		     const struct trace_event *e)
{
	if (!cmp_detailed(c, &e->point))
		return false;
	return e->op != TRACE_ITER || !b->depth || b->depth > CMP_DEPTH || b->level[b->depth - 1];
}

/* Records of the reference, or of this run, are lost: what it said before may not hold any more. */
static void lose(struct tracediff *c, struct cmp_branch *b, bool ref)
{
	b->lost = true;
	b->holds = false;
	c->state.lost++;
	cmp_value_lost(c, ref);
}

const struct trace_event *cmp_next_event(struct tracediff *c, struct cmp_branch *b)
{
	struct ref_walk *w = &b->walk;

	for (; w->event; ref_walk_next(w)) {
		const struct trace_event *e = w->event;

		if (b == &c->main ? e->in_task : !e->in_task || e->task != b->task)
			continue;
		/* functions are only there to be shown */
		if ((e->op == TRACE_BEGIN || e->op == TRACE_END) && construct_is_frame(e->kind))
			continue;
		if (e->op == TRACE_VALUE)
			cmp_value_ref(c, &w->seg->s, e);
		else if (e->op == TRACE_LOST)
			lose(c, b, true);
		else if ((e->op != TRACE_ITER && e->op != TRACE_REDUCTION &&
			  e->op != TRACE_WRITE) ||
			 recorded(c, b, e))
			return e;
	}
	return NULL;
}

/* Any file that is cut off may have had the task. */
static bool task_may_be_cut(const struct tracediff *c, const struct point *region)
{
	for (uint32_t f = 0; f < c->ref->files; f++)
		if (trace_index_cut(c->ref, f, region))
			return true;
	return false;
}

/* The reference ends here: when it is cut off, that is no finding. */
static bool ends(struct tracediff *c, const struct cmp_branch *b)
{
	const struct trace_reader *m = c->ref->file[b->walk.file].map;
	size_t n = c->ref->file[b->walk.file].n;

	if (b == &c->task && task_may_be_cut(c, &b->region))
		return true;
	if (trace_reader_complete(m))
		return false;
	if (!c->state.beyond && n)
		c->state.end = ref_info(c->ref, b->walk.file, n - 1)->last;
	c->state.beyond = true;
	return true;
}

static bool same_place(const struct tracediff *c, const struct trace_event *e,
		       const struct trace_event *r)
{
	return c->o.moved || !e->place || !r->place || e->place == r->place;
}

static bool same_index(const struct tracediff *c, const struct trace_event *e,
		       const struct cmp_branch *b)
{
	const struct trace_event *r = b->walk.event;

	return e->nidx == r->nidx &&
	       !memcmp(&c->seg.index[e->index], &b->walk.seg->s.index[r->index],
		       e->nidx * sizeof(*c->seg.index));
}

/* keep: it is not reported yet, but kept there. */
static void report(struct tracediff *c, struct cmp_branch *b, unsigned kind,
		   const struct trace_event *e, struct cmp_suspicion *keep)
{
	struct cmp_suspicion s = cmp_suspicion_of(c, kind, e);
	const struct ref_walk *w = &b->walk;

	if (w->event) {
		s.ref_at = (struct cmp_ref_spot){ true, w->file, w->block, w->event->rec };
		if (c->ref->files == 1) {
			s.order[0] = (int64_t)w->block;
			s.order[1] = w->event->rec;
		}
	}
	if (keep)
		*keep = s;
	else
		cmp_suspect(c, &s);
}

/* What other ranks of the reference reduce is passed over: not all have to report it; and what is
 * written there and not here. */
static const struct trace_event *next_step(struct tracediff *c, struct cmp_branch *b)
{
	const struct trace_event *r = cmp_next_event(c, b);

	while (r && (r->op == TRACE_REDUCTION || r->op == TRACE_WRITE)) {
		ref_walk_next(&b->walk);
		r = cmp_next_event(c, b);
	}
	return r;
}

/* A construct with a number begins or ends. */
static bool is_numbered(const struct trace_event *r)
{
	return (r->op == TRACE_BEGIN || r->op == TRACE_END) && construct_numbered(r->kind);
}

/* Both do something else. That may be own computations, which a SKIP ends: it waits till then. */
static void out_of_step(struct tracediff *c, struct cmp_branch *b, unsigned kind,
			const struct trace_event *e)
{
	b->lost = true;
	if (!b->walk.event && ends(c, b))
		return;
	report(c, b, kind, e, &b->odd);
	b->holds = true;
}

/* There was none. */
static void let_go(struct tracediff *c, struct cmp_branch *b)
{
	if (b->holds)
		cmp_suspect(c, &b->odd);
	b->holds = false;
}

static void push(struct cmp_branch *b, unsigned now, unsigned ref)
{
	now = trace_level(now);
	ref = trace_level(ref);
	if (b->depth < CMP_DEPTH) {
		b->level[b->depth] = (uint8_t)(now < ref ? now : ref);
		b->now[b->depth] = b->ref[b->depth] = 0;
	}
	b->depth++;
}

/* ---- constructs with a number ---- */

static void strange(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	struct cmp_loop *l = cmp_loop_get(c, &e->point);

	if (l)
		l->foreign = true;
	report(c, b, FINDING_CONSTRUCT, e, NULL);
	if (++c->strange >= ASTRAY)
		c->astray = true;
}

static void on_begin(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	const struct trace_event *r = next_step(c, b);

	let_go(c, b);
	if (!r || r->op != TRACE_BEGIN || !construct_numbered(r->kind) ||
	    !ref_same(&r->point, &e->point)) {
		cmp_value_forget(c);
		if (!ref_walk_seek(&b->walk, TRACE_BEGIN, &e->point)) {
			if (!ends(c, b))
				strange(c, b, e);
			b->lost = true;
			return;
		}
		r = b->walk.event;
	}
	b->lost = false;
	if (r->kind != e->kind || !same_place(c, e, r)) {
		strange(c, b, e);
	} else {
		c->strange = 0;
		c->state.constructs++;
	}
	ref_walk_next(&b->walk);
}

static void on_end(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	const struct trace_event *r = next_step(c, b);

	let_go(c, b);
	if (!r || r->op != TRACE_END || !ref_same(&r->point, &e->point)) {
		cmp_value_forget(c);
		if (!ref_walk_seek(&b->walk, TRACE_END, &e->point)) {
			(void)ends(c, b);
			b->lost = true;
			return;
		}
		r = b->walk.event;
	}
	b->lost = false;
	if (r->kind == e->kind && r->left != e->left)
		report(c, b, FINDING_EXIT, e, NULL);
	ref_walk_next(&b->walk);
}

/* ---- those without ---- */

static void on_loop(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	const struct trace_event *r = b->lost ? NULL : next_step(c, b);

	if (r && r->op == TRACE_BEGIN && r->kind == e->kind && same_place(c, e, r)) {
		push(b, e->level, r->level);
		ref_walk_next(&b->walk);
		return;
	}
	push(b, 0, 0);
	if (!b->lost)
		out_of_step(c, b, FINDING_CONSTRUCT, e);
}

/* The innermost loop that is open in both; NULL: none is. */
static uint64_t *counted(struct cmp_branch *b, uint64_t *count)
{
	return b->depth && b->depth <= CMP_DEPTH ? &count[b->depth - 1] : NULL;
}

/* Passes over iterations of the reference that this run has executed and not recorded. */
static const struct trace_event *pass_iterations(struct tracediff *c, struct cmp_branch *b,
						 const struct trace_event *e,
						 const struct trace_event *r)
{
	const uint64_t *n = counted(b, b->now);

	if (!n || e->count == UINT64_MAX || e->count <= *n)
		return r;
	while (r && r->op == TRACE_ITER) {
		ref_walk_next(&b->walk);
		r = next_step(c, b);
	}
	return r;
}

static void on_loop_end(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	const struct trace_event *r = b->lost ? NULL : next_step(c, b);
	bool iterations = b->depth && b->depth <= CMP_DEPTH && b->level[b->depth - 1];

	r = pass_iterations(c, b, e, r);
	b->depth -= b->depth > 0;
	if (b->lost)
		return;
	if (r && r->op == TRACE_END && r->kind == e->kind) {
		/* when iterations are not recorded, their number is */
		if (r->left != e->left ||
		    (!iterations && e->kind == CONSTRUCT_SL && e->count != UINT64_MAX &&
		     r->count != UINT64_MAX && e->count != r->count))
			report(c, b, FINDING_EXIT, e, NULL);
		ref_walk_next(&b->walk);
		return;
	}
	out_of_step(c, b, FINDING_EXIT, e);
}

static void on_iteration(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	uint64_t *now = counted(b, b->now), *ref = counted(b, b->ref);
	const struct trace_event *r;

	if (now)
		++*now;
	if (b->lost || !recorded(c, b, e))
		return;
	r = next_step(c, b);
	if (r && r->op == TRACE_ITER && same_index(c, e, b)) {
		if (ref)
			++*ref;
		ref_walk_next(&b->walk);
		return;
	}
	/* the reference has executed it, perhaps, and not recorded */
	if (r && (is_numbered(r) ||
		  (r->op == TRACE_END && ref && r->count != UINT64_MAX && r->count > *ref)))
		return;
	out_of_step(c, b, FINDING_ITERATION, e);
}

/* The result is of a text, which does not name its variable. */
static bool is_unnamed(const struct tracediff *c, const struct trace_event *e)
{
	const struct object_id *o =
		e->ident >= 0 ? object_id_get(c->ref->idents, (unsigned)e->ident) : NULL;

	return o && !o->desc.ndim && !strcmp(o->desc.name, "RV") &&
	       (!o->desc.file || !*o->desc.file);
}

/* Without a name it is the next one that is there. */
static bool same_result(const struct tracediff *c, const struct trace_event *e,
			const struct trace_event *r)
{
	if (e->ident == r->ident)
		return same_place(c, e, r);
	return e->nbytes == r->nbytes && (is_unnamed(c, e) || is_unnamed(c, r));
}

/* To the reference's result of the same, among those that come one behind the other; false: there
 * is none, as ranks need not report what others reduce. */
static bool find_reduction(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	const struct trace_event *r = cmp_next_event(c, b);
	const struct segment *s = r ? &b->walk.seg->s : NULL;

	for (uint32_t i = b->walk.i; r && i < s->nevent; i++) {
		r = &s->event[i];
		if (r->op == TRACE_WRITE)
			continue;
		if (r->op != TRACE_REDUCTION || r->in_task != e->in_task || r->task != e->task)
			return false;
		if (!same_result(c, e, r))
			continue;
		while (b->walk.i < i)
			ref_walk_next(&b->walk);
		return true;
	}
	return false;
}

static void on_reduction(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	if (b->lost || !recorded(c, b, e))
		return;
	if (!find_reduction(c, b, e)) {
		c->state.unknown++;
		return;
	}
	cmp_reduction(c, e, &b->walk);
	ref_walk_next(&b->walk);
}

/* What no SKIP reaches beyond. */
static bool ends_skip(const struct trace_event *r)
{
	return is_numbered(r) || (r->op == TRACE_END && r->kind == CONSTRUCT_TASK);
}

enum skip { SKIP_NONE, SKIP_ANY, SKIP_SAME };

/* Which SKIP the reference has from here on: one in the line of e, or another one. What is in the
 * next segment is not seen: that counts as any. */
static enum skip skip_ahead(const struct tracediff *c, const struct cmp_branch *b,
			    const struct trace_event *e)
{
	const struct segment *s = &b->walk.seg->s;
	enum skip found = SKIP_NONE;

	for (uint32_t i = b->walk.i; i < s->nevent; i++) {
		const struct trace_event *r = &s->event[i];

		if (r->in_task != e->in_task || r->task != e->task)
			continue;
		if (r->op == TRACE_SKIP && same_place(c, e, r))
			return SKIP_SAME;
		if (r->op == TRACE_SKIP)
			found = SKIP_ANY;
		if (ends_skip(r))
			return found;
	}
	return SKIP_ANY;
}

/*
 * What both have done up to here may be something else. One may come by marks that the other does
 * not come by: the one in the same line is meant, and when there is none, the next.
 */
static void on_skip(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	const struct trace_event *r = cmp_next_event(c, b);
	enum skip which = r ? skip_ahead(c, b, e) : SKIP_NONE;

	cmp_written_forget(c, -1);
	if (which == SKIP_NONE)
		return;
	while (r && !ends_skip(r) &&
	       (r->op != TRACE_SKIP || (which == SKIP_SAME && !same_place(c, e, r)))) {
		ref_walk_next(&b->walk);
		r = cmp_next_event(c, b);
	}
	if (!r || r->op != TRACE_SKIP)
		return;
	b->lost = b->holds = false;
	ref_walk_next(&b->walk);
}

/* ---- tasks ---- */

static bool find_task(struct tracediff *c, const struct trace_event *e)
{
	for (uint32_t f = 0; f < c->ref->files; f++) {
		ref_walk_end(&c->task.walk);
		ref_walk_begin(&c->task.walk, c->ref, f);
		if (ref_walk_task(&c->task.walk, &e->point, e->task))
			return true;
	}
	return false;
}

static void task_begin(struct tracediff *c, const struct trace_event *e)
{
	struct cmp_branch *b = &c->task;
	struct cmp_loop *l = cmp_loop_get(c, &e->point);

	b->open = true;
	b->holds = false;
	b->depth = 0;
	b->task = e->task;
	b->region = e->point;
	ref_walk_end(&b->walk);
	ref_walk_begin(&b->walk, c->ref, 0);
	b->lost = !l || l->foreign || !find_task(c, e);
	if (b->lost)
		return;
	if (!same_place(c, e, b->walk.event))
		report(c, b, FINDING_CONSTRUCT, e, NULL);
	ref_walk_next(&b->walk);
}

static void task_end(struct tracediff *c, const struct trace_event *e)
{
	struct cmp_branch *b = &c->task;
	const struct trace_event *r = b->lost ? NULL : next_step(c, b);

	let_go(c, b);
	if (r && (r->op != TRACE_END || r->kind != CONSTRUCT_TASK || r->left != e->left))
		report(c, b, FINDING_EXIT, e, NULL);
	ref_walk_end(&b->walk);
	b->open = false;
}

/* ---- all of them ---- */

static void compare_values(struct tracediff *c)
{
	struct cmp_branch *b = c->task.open ? &c->task : &c->main;

	if (!c->boundary)
		return;
	c->boundary = false;
	if (b->lost)
		cmp_value_forget(c);
	else
		(void)cmp_next_event(c, b); /* that takes what the reference has to say */
	cmp_value_compare(c, &c->at, false);
}

/* Those at the program's end, behind the last construct: nothing is under way any more. */
static void compare_last_values(struct tracediff *c)
{
	(void)next_step(c, &c->main);
	cmp_value_compare(c, &c->at, true);
}

static void on_construct(struct tracediff *c, struct cmp_branch *b, const struct trace_event *e)
{
	bool begin = e->op == TRACE_BEGIN;
	struct cmp_loop *l;

	if (construct_numbered(e->kind)) {
		c->at = e->point;
		if (begin && (l = cmp_loop_get(c, &e->point)))
			l->level = (uint8_t)trace_level(e->level);
		if (begin)
			on_begin(c, b, e);
		else
			on_end(c, b, e);
		c->boundary = true;
		if (!begin)
			cmp_loop_close(c, e);
	} else if (e->kind == CONSTRUCT_TASK) {
		if (begin)
			task_begin(c, e);
		else
			task_end(c, e);
	} else if (e->kind == CONSTRUCT_SL) {
		if (begin)
			on_loop(c, b, e);
		else
			on_loop_end(c, b, e);
	}
}

void cmp_event(struct tracediff *c, const struct trace_event *e)
{
	struct cmp_branch *b = c->task.open ? &c->task : &c->main;

	if (!c->main.open) {
		c->main.open = true;
		ref_walk_begin(&c->main.walk, c->ref, c->o.rank % c->ref->files);
		ref_walk_next(&c->main.walk);
	}
	if (e->op == TRACE_VALUE) {
		cmp_value_now(c, e, cmp_detailed(c, &e->point));
		return;
	}
	compare_values(c);
	switch (e->op) {
	case TRACE_BEGIN:
	case TRACE_END:
		on_construct(c, b, e);
		break;
	case TRACE_ITER:
		on_iteration(c, b, e);
		break;
	case TRACE_REDUCTION:
		on_reduction(c, b, e);
		break;
	case TRACE_WRITE:
		cmp_write(c, b, e);
		break;
	case TRACE_SKIP:
		on_skip(c, b, e);
		break;
	default: /* LOST */
		lose(c, b, false);
		cmp_loop_lossy(c, &e->point);
	}
}

/* Does the reference go on with a construct? */
static bool goes_on(struct tracediff *c, struct cmp_branch *b)
{
	const struct trace_event *r;

	while ((r = cmp_next_event(c, b))) {
		if (r->op == TRACE_BEGIN && construct_numbered(r->kind))
			return true;
		ref_walk_next(&b->walk);
	}
	return false;
}

void cmp_seq_end(struct tracediff *c, bool complete)
{
	struct cmp_suspicion s = { .kind = FINDING_EXIT, .ident = -1, .point = c->at };

	compare_values(c);
	if (complete && c->main.open && !c->main.lost && !c->astray)
		compare_last_values(c);
	let_go(c, &c->main);
	let_go(c, &c->task);
	if (complete && c->main.open && !c->main.lost && !c->astray && goes_on(c, &c->main)) {
		s.ref_at = (struct cmp_ref_spot){ true, c->main.walk.file, c->main.walk.block,
						  c->main.walk.event->rec };
		s.order[0] = INT64_MAX;
		cmp_suspect(c, &s);
	}
	ref_walk_end(&c->main.walk);
	ref_walk_end(&c->task.walk);
}
