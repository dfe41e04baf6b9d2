/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader: what a rank's stream brings. */
#include "common/openmp/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/protocol/report.h"

static_assert(OPENMP_WHYS == REPORT_UNTHREADED, "the report has a place for each");

const char *openmp_why_text(unsigned why, const char **what)
{
	static const struct {
		const char *what, *text;
	} words[] = {
#define X(name, what, text) { what, text },
		OPENMP_WHY(X)
#undef X
	};

	*what = why < OPENMP_WHYS ? words[why].what : "?";
	return why < OPENMP_WHYS ? words[why].text : "?";
}

struct openmp *openmp_create(const struct openmp_options *o)
{
	struct openmp *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->o = *o;
	e->findings.most = o->most;
	return e;
}

static void engine_destroy(void *self)
{
	struct openmp *e = self;

	order_forget(e);
	for (size_t i = 0; i < e->nspace; i++)
		space_free(e->space[i]);
	for (size_t i = 0; i < e->nlane; i++) {
		free(e->lane[i].frame);
		free(e->lane[i].copies.range);
		free(e->lane[i].made.range);
		free(e->lane[i].fresh.range);
		free(e->lane[i].unset);
		simd_free(&e->lane[i]);
	}
	for (uint32_t i = 0; i < e->nset; i++)
		free(e->set[i].lock);
	for (uint32_t i = 0; i < e->nfresh; i++)
		free(e->fresh[i]);
	free(e->fresh);
	free(e->coarse);
	free(e->small.range);
	free(e->reduced.range);
	free(e->small_at);
	free(e->moves);
	free(e->space);
	free(e->lane);
	free(e->set);
	free(e->lock);
	free(e->root);
	hash_clear(&e->root_at);
	hash_clear(&e->lock_at);
	hash_clear(&e->set_at);
	names_free(e);
	pairs_free(e);
	trace_findings_clear(&e->findings);
	free(e);
}

static int enter_lane(struct openmp *e, uint32_t thread)
{
	struct lane *to;

	for (size_t i = 0; i < e->nlane; i++)
		if (e->lane[i].thread == thread) {
			e->now = (uint32_t)i;
			return 0;
		}
	to = vec_add(e->lane, e->nlane);
	if (!to)
		return -1;
	to->thread = thread;
	e->now = (uint32_t)e->nlane - 1;
	return 0;
}

static int engine_block(void *self, struct trace_block *b, struct err *err)
{
	struct openmp *e = self;

	e->block = b;
	return enter_lane(e, b->info.thread) || names_begin(e) ? err_set(err, "out of memory") : 0;
}

/* A thread that is in no region; that which runs main, between them. */
static void outside(struct openmp *e, struct lane *l)
{
	if (l->thread && !l->foreign)
		e->why[OPENMP_WHY_FOREIGN_THREAD]++;
	l->foreign = l->thread != 0;
}

static int engine_record(void *self, const struct trace_rec *r, const struct trace_cursor *at,
			 struct err *err)
{
	struct openmp *e = self;
	int rc = 0;

	(void)at;
	e->point = r->point;
	if ((r->op == TRACE_READ || r->op == TRACE_WRITE) && !lane_now(e)->nframe)
		outside(e, lane_now(e));
	if (lane_now(e)->fresh.n && (r->op == TRACE_READ || r->op == TRACE_WRITE) &&
	    fresh_access(e, r->site, r->object, r->at,
			 r->size | (r->op == TRACE_WRITE ? TRACE_WRITES : 0), r->value[0]))
		return err_set(err, "out of memory");
	if (r->op == TRACE_NOTE)
		rc = openmp_note(e, r);
	else if (r->op == TRACE_READ || r->op == TRACE_WRITE)
		rc = openmp_access(e, r->site, r->object, r->at,
				   r->size | (r->flags & TRACE_ATOMIC) |
					   (r->op == TRACE_WRITE ? TRACE_WRITES : 0));
	else if (r->op == TRACE_LOST && e->nspace)
		e->why[OPENMP_WHY_LOST]++;
	return rc || e->failed ? err_set(err, "out of memory") : 0;
}

/*
 * What one place accesses in one step: bytes behind each other count as one access, for no event is
 * between the accesses of a batch.
 */
#define SWEEPS 64u
struct sweep {
	uint32_t slot; /* + 1; 0: none */
	uint64_t lo, hi;
};

static int sweep_end(struct openmp *e, struct sweep *w)
{
	const struct trace_slot *slot;

	if (!w->slot)
		return 0;
	slot = &e->block->slot[w->slot - 1];
	w->slot = 0;
	return openmp_sweep(e, slot, w->lo, w->hi - w->lo);
}

/* Bytes without an object may be of several. */
static inline bool sweep_adds(const struct openmp *e, struct sweep *w, uint32_t slot, uint64_t at)
{
	const struct trace_slot *s = &e->block->slot[slot];
	unsigned size = s->flags & TRACE_SIZE;

	if (w->slot != slot + 1)
		return false;
	if (at >= w->lo && at + size <= w->hi)
		return true;
	if (at != w->hi || s->object >= e->block->nobject)
		return false;
	w->hi += size;
	return true;
}

static int take_sweeps(struct openmp *e, const struct trace_batch *s)
{
	struct sweep sweep[SWEEPS] = { { 0 } };
	int rc = 0;

	for (unsigned i = 0; i < s->n && !rc; i++) {
		const struct trace_batch_item *step = &s->step[i];
		struct sweep *w = &sweep[step->slot % SWEEPS];

		if (step->slot == TRACE_NONE)
			continue;
		e->accesses++;
		if (sweep_adds(e, w, step->slot, step->at))
			continue;
		rc = sweep_end(e, w);
		*w = (struct sweep){ step->slot + 1, step->at,
				     step->at + (e->block->slot[step->slot].flags & TRACE_SIZE) };
	}
	for (unsigned i = 0; i < SWEEPS && !rc; i++)
		rc = sweep_end(e, &sweep[i]);
	return rc;
}

/* One by one, where their order or their values count. */
static int take_each(struct openmp *e, const struct trace_batch *s)
{
	int rc = 0;

	for (unsigned i = 0; i < s->n && !rc; i++) {
		const struct trace_slot *slot;

		if (s->step[i].slot == TRACE_NONE)
			continue;
		slot = &e->block->slot[s->step[i].slot];
		if (lane_now(e)->fresh.n && fresh_access(e, slot->site, slot->object, s->step[i].at,
							 slot->flags, s->step[i].value))
			return -1;
		rc = openmp_access(e, slot->site, slot->object, s->step[i].at, slot->flags);
	}
	return rc;
}

static int engine_steps(void *self, const struct trace_batch *s, struct trace_cursor *at,
			struct err *err)
{
	struct openmp *e = self;
	const struct lane *l = lane_now(e);

	(void)at;
	if (!l->nframe && s->n)
		outside(e, lane_now(e));
	if (!l->space && !l->simd)
		return 0;
	if (l->simd || l->fresh.n ? take_each(e, s) : take_sweeps(e, s))
		return err_set(err, "out of memory");
	return e->failed ? err_set(err, "out of memory") : 0;
}

static int engine_end(void *self, bool complete, struct err *err)
{
	struct openmp *e = self;

	(void)complete;
	for (size_t i = 0; i < e->nlane; i++)
		if (simd_end(e, &e->lane[i]) || fresh_forget(e, &e->lane[i]))
			return err_set(err, "out of memory");
	for (size_t i = 0; i < e->nspace; i++)
		if (space_judge(e, e->space[i]))
			return err_set(err, "out of memory");
	return coarse_report(e) ? err_set(err, "out of memory") : 0;
}

static struct trace_findings *engine_findings(void *self)
{
	struct openmp *e = self;

	pairs_flush(e);
	return &e->findings;
}

static void engine_count(const void *self, struct report_trace *r)
{
	const struct openmp *e = self;

	r->threaded = e->accesses;
	r->regions = e->regions;
	r->tasks = e->tasks;
	for (unsigned i = 0; i < OPENMP_WHYS; i++)
		r->unthreaded[i] = e->why[i];
}

const struct stream_class openmp_reader = { .name = "openmp",
					    .block = engine_block,
					    .record = engine_record,
					    .steps = engine_steps,
					    .end = engine_end,
					    .findings = engine_findings,
					    .count = engine_count,
					    .destroy = engine_destroy };
