/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader: what a rank's stream brings. */
#include "common/control/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/core/vec.h"
#include "common/logical/construct.h"
#include "common/protocol/report.h"

#define GRID_MOST 4096

static_assert(CONTROL_WHYS == REPORT_UNCONTROLLED, "the report has a place for each");

const char *dyncontrol_why_text(unsigned why)
{
	static const char *const text[] = {
#define X(name, text) text,
		CONTROL_WHY(X)
#undef X
	};

	return why < CONTROL_WHYS ? text[why] : "?";
}

int dyncontrol_grid_parse(const char *text, unsigned *n, uint32_t grid[ARRAY_DIMS], struct err *err)
{
	const char *p = text;
	uint64_t all = 1;

	for (*n = 0; *n < ARRAY_DIMS; p++) {
		char *end;
		unsigned long v = strtoul(p, &end, 10);

		if (end == p || *p < '0' || *p > '9' || !v || v > GRID_MOST ||
		    (all *= v) > GRID_MOST)
			break;
		grid[(*n)++] = (uint32_t)v;
		p = end;
		if (!*p)
			return 0;
		if (*p != 'x' && *p != 'X')
			break;
	}
	return err_set(err, "'%s' is no grid: 2x3 is one of 6 processors, %d at most in all", text,
		       GRID_MOST);
}

struct dyncontrol *dyncontrol_create(const struct dyncontrol_options *o)
{
	struct dyncontrol *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->o = *o;
	e->findings.most = o->most;
	e->serial = 1;
	return e;
}

static void engine_destroy(void *self)
{
	struct dyncontrol *e = self;

	dyncontrol_forget(e);
	shadow_clear(&e->shadow);
	while (e->nlevel)
		level_clear(&e->level[--e->nlevel]);
	for (size_t i = 0; i < e->narray; i++)
		free(e->array[i]);
	free(e->array);
	free(e->lane);
	free(e->slot);
	free(e->quick);
	free(e->site);
	free(e->clause);
	free(e->moved);
	free(e->reduction);
	free(e->remote);
	free(e);
}

static int enter_lane(struct dyncontrol *e, uint32_t thread)
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
	struct dyncontrol *e = self;

	e->block = b;
	if (vec_room(e->slot, e->slot_room, b->nobject + 1) ||
	    vec_room(e->site, e->site_room, b->nsite + 1) || enter_lane(e, b->info.thread) ||
	    quick_begin(e))
		return err_set(err, "out of memory");
	memset(e->slot, 0, (b->nobject + 1) * sizeof(*e->slot));
	memset(e->site, 0, (b->nsite + 1) * sizeof(*e->site));
	return 0;
}

/* What the mark of a result names is a reduction. */
static void reduced(struct dyncontrol *e, const struct trace_rec *r)
{
	const struct array_desc *d;

	if (r->object >= e->block->nobject)
		return;
	d = &e->block->object[r->object].desc;
	dyncontrol_reduced(e, d->addr, d->addr + (r->nbytes ? r->nbytes : 1));
}

int dyncontrol_record(struct dyncontrol *e, const struct trace_rec *r)
{
	struct lane *l = lane_now(e);
	uint32_t unit = l->unit;
	int rc = 0;

	switch (r->op) {
	case TRACE_READ:
	case TRACE_WRITE:
		if (dyncontrol_is_apart(e, r))
			l->unit = 0;
		rc = dyncontrol_access(e, r);
		l->unit = unit;
		break;
	case TRACE_BEGIN:
		e->point = r->point.main ? r->point : e->point;
		rc = lane_now(e)->thread ? 0 : dyncontrol_begin(e, r);
		break;
	case TRACE_END:
		e->point = r->point.main ? r->point : e->point;
		if (!lane_now(e)->thread)
			dyncontrol_end(e, r);
		break;
	case TRACE_ITER:
		rc = dyncontrol_iteration(e, r);
		break;
	case TRACE_NOTE:
		rc = dyncontrol_note(e, r);
		break;
	case TRACE_REDUCTION:
		reduced(e, r);
		break;
	case TRACE_LOST:
		e->unsure = true;
		e->why[CONTROL_WHY_LOST]++;
		break;
	}
	return rc || e->failed ? -1 : 0;
}

static int engine_record(void *self, const struct trace_rec *r, const struct trace_cursor *at,
			 struct err *err)
{
	struct dyncontrol *e = self;

	e->at = at;
	return dyncontrol_record(e, r) ? err_set(err, "out of memory") : 0;
}

static int engine_end(void *self, bool complete, struct err *err)
{
	struct dyncontrol *e = self;
	bool marked = false;

	(void)complete;
	for (size_t i = 0; i < e->narray; i++)
		marked = marked || e->array[i]->completed;
	for (size_t i = 0; i < e->narray; i++)
		e->why[CONTROL_WHY_HALOS] += e->array[i]->doubted && !marked;
	/* a program that marks renewals marks them all */
	if (marked && doubts_confirm(e, 'h', NULL))
		return err_set(err, "out of memory");
	if (doubts_confirm(e, 's', NULL) || doubts_confirm(e, 'w', NULL) || hints_end(e))
		return err_set(err, "out of memory");
	return 0;
}

static struct trace_findings *engine_findings(void *self)
{
	struct dyncontrol *e = self;

	findings_flush(e);
	return &e->findings;
}

static void engine_count(const void *self, struct report_trace *r)
{
	const struct dyncontrol *e = self;

	r->controlled = e->accesses;
	r->units = e->iterations;
	for (unsigned i = 0; i < CONTROL_WHYS; i++)
		r->uncontrolled[i] = e->why[i];
}

const struct stream_class dyncontrol_reader = { .name = "control",
						.block = engine_block,
						.record = engine_record,
						.steps = dyncontrol_steps,
						.end = engine_end,
						.findings = engine_findings,
						.count = engine_count,
						.destroy = engine_destroy };
