/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructs and their iterations, and what the program declares of them: notes of the trace, whose
 * forms are in common/trace/trace.h.
 */
#include "common/control/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"
#include "common/logical/construct.h"

#define NOTE_MOST 512

/* ---- constructs ---- */

void level_clear(struct level *l)
{
	free(l->clause);
	free(l->writer);
	free(l->log);
	free(l->logged);
	free(l->task_begun);
	free(l->after);
	*l = (struct level){ 0 };
}

struct clause *level_clause(struct level *l, char kind, uint64_t addr)
{
	for (size_t i = 0; i < l->nclause; i++)
		if (l->clause[i].kind == kind && addr >= l->clause[i].lo &&
		    addr < l->clause[i].hi) {
			l->clause[i].used = true;
			return &l->clause[i];
		}
	return NULL;
}

/* What is declared by the address of an array alone is all of it. */
static void clauses_whole(struct dyncontrol *e, struct level *l)
{
	for (size_t i = 0; i < l->nclause; i++) {
		struct clause *c = &l->clause[i];
		const struct array *a = c->hi == c->lo ? array_at(e, c->lo) : NULL;

		if (a && a->hi > c->hi) {
			c->lo = a->lo;
			c->hi = a->hi;
		}
		for (uint32_t k = 0; c->hi == c->lo && k < e->block->nobject; k++) {
			const struct slot *s = slot_at(e, k, c->lo);
			const struct array_desc *d = s ? s->desc : NULL;
			uint64_t bytes = d ? d->elem_size : 0;

			for (unsigned n = 0; d && n < d->ndim; n++)
				bytes *= (uint64_t)d->extent[n];
			/* with its halo */
			if (s->array && s->array->hi > s->addr)
				bytes = s->array->hi - s->addr;
			if (d && c->lo >= s->addr && c->lo - s->addr < bytes)
				c->hi = s->addr + bytes;
		}
	}
}

static void lanes_leave(struct dyncontrol *e)
{
	for (size_t i = 0; i < e->nlane; i++) {
		e->lane[i].unit = e->lane[i].unit_outside = 0;
		e->lane[i].loop = e->lane[i].shared = false;
	}
}

/* Those that are declared to be before the task that begins. */
static int task_clauses(struct dyncontrol *e, struct level *l)
{
	uint32_t task = (uint32_t)l->ntask - 1;

	for (size_t i = 0; i < e->nclause; i++) {
		const struct clause *c = &e->clause[i];
		struct task_after *to;
		uint32_t k = task;

		if (c->kind != 'T') {
			struct clause *more = vec_add(l->clause, l->nclause);

			if (!more)
				return -1;
			*more = *c;
			continue;
		}
		while (k-- > 0 && l->task_begun[k].number != c->number)
			;
		if (k >= task)
			continue;
		to = vec_add(l->after, l->nafter);
		if (!to)
			return -1;
		*to = (struct task_after){ .task = task, .after = k };
	}
	e->nclause = 0;
	return 0;
}

bool level_is_after(struct level *l, uint32_t unit)
{
	/* each names tasks that began earlier: one pass from the last to the first finds them */
	if (l->ntask && l->ordered != l->start) {
		l->ordered = l->task_begun[l->ntask - 1].behind = l->start;
		for (size_t i = l->nafter; i-- > 0;)
			if (l->task_begun[l->after[i].task].behind == l->start)
				l->task_begun[l->after[i].after].behind = l->start;
	}
	for (size_t k = l->ntask; k-- > 0;)
		if (l->task_begun[k].start <= unit)
			return l->task_begun[k].behind == l->start;
	return false;
}

static int task_begin(struct dyncontrol *e, int64_t number)
{
	struct level *l = level_now(e);
	struct task_begun *t;

	if (!l || l->kind != CONSTRUCT_TR)
		return 0;
	t = vec_add(l->task_begun, l->ntask);
	if (!t)
		return -1;
	l->start = t->start = ++e->serial;
	l->task = t->number = number;
	if (task_clauses(e, l))
		return -1;
	e->lane[e->now].unit = l->start;
	e->lane[e->now].nidx = 1;
	e->lane[e->now].index[0] = l->task;
	e->lane[e->now].placed = e->lane[e->now].moved = false;
	e->iterations++;
	return 0;
}

int dyncontrol_begin(struct dyncontrol *e, const struct trace_rec *r)
{
	struct level *l;

	e->serial++;
	if (r->kind == CONSTRUCT_TASK)
		return task_begin(e, r->index[0]);
	if (r->kind != CONSTRUCT_PL && r->kind != CONSTRUCT_TR)
		return 0;
	if (e->nlevel == LEVELS)
		return 0;
	if (reductions_settle(e, 0, UINT64_MAX))
		return -1;
	l = &e->level[e->nlevel++];
	*l = (struct level){ .kind = r->kind, .point = r->point, .ndim = r->nidx };
	l->begun = l->base = e->serial;
	memcpy(l->first, r->index, sizeof(l->first));
	memcpy(l->last, r->last, sizeof(l->last));
	l->clause = e->clause;
	l->nclause = e->nclause;
	e->clause = NULL;
	e->nclause = 0;
	if (r->kind == CONSTRUCT_PL)
		lanes_leave(e);
	e->loops++;
	return 0;
}

/* Emulated: iterations have computed the halos of those arrays on all processors. */
static void halos_computed(struct dyncontrol *e, const struct level *l)
{
	for (size_t i = 0; e->o.ngrid && i < l->nclause; i++) {
		struct array *a = l->clause[i].kind == 'C' ? array_at(e, l->clause[i].lo) : NULL;

		if (a)
			a->renewed = a->started = a->completed = ++e->serial;
	}
}

void dyncontrol_end(struct dyncontrol *e, const struct trace_rec *r)
{
	struct level *l = level_now(e);

	e->serial++;
	if (r->kind == CONSTRUCT_TASK && l && l->kind == CONSTRUCT_TR) {
		e->lane[e->now].unit = 0;
		return;
	}
	if ((r->kind != CONSTRUCT_PL && r->kind != CONSTRUCT_TR) || !l || l->kind != r->kind)
		return;
	/* also of a task whose end is missing */
	lanes_leave(e);
	if (l->kind == CONSTRUCT_PL) {
		writers_end(e, l);
		e->why[CONTROL_WHY_UNMARKED] += !l->iterations && l->accesses;
		e->why[CONTROL_WHY_UNMAPPED] += l->iterations && e->o.ngrid && !l->on_array;
		halos_computed(e, l);
	}
	hints_used(e, l);
	level_clear(l);
	e->nlevel--;
	/* the task around it goes on */
	l = level_now(e);
	if (l && l->kind == CONSTRUCT_TR && l->start) {
		e->lane[e->now].unit = ++e->serial;
		e->lane[e->now].nidx = 1;
		e->lane[e->now].index[0] = l->task;
		e->lane[e->now].placed = e->lane[e->now].moved = false;
	}
}

static int log_index(struct level *l, const struct lane *lane)
{
	if (l->log_lost)
		return 0;
	if (!l->nlog)
		l->nidx = lane->nidx;
	for (unsigned d = 0; d < lane->nidx; d++)
		l->log_lost |= lane->index[d] != (int32_t)lane->index[d];
	if (l->nidx != lane->nidx || l->log_lost) {
		l->log_lost = true;
		return 0;
	}
	if (vec_more(l->log, l->nlog, l->nidx) || vec_more(l->logged, l->nlogged, 1))
		return -1;
	l->logged[l->nlogged++] = lane->unit;
	for (unsigned d = 0; d < l->nidx; d++)
		l->log[l->nlog++] = (int32_t)lane->index[d];
	return 0;
}

bool dyncontrol_iterates(struct dyncontrol *e)
{
	const struct trace_cursor *at = e->at;
	unsigned depth = at->depth < TRACE_FRAMES ? at->depth : TRACE_FRAMES;
	const struct level *l = level_now(e);

	return l && l->kind == CONSTRUCT_PL && depth && at->frame[depth - 1].kind == CONSTRUCT_PL;
}

int dyncontrol_iterate(struct dyncontrol *e, unsigned n, const int64_t *index)
{
	struct level *l = level_now(e);
	struct lane *lane = lane_now(e);

	lane->unit = 0;
	e->serial++;
	if (!n)
		return 0;
	lane->unit = e->serial;
	lane->shared = lane->loop;
	lane->unit_outside = 0;
	/* numbers of the log begin with the first iteration */
	if (!l->iterations++)
		l->base = lane->unit - 1;
	lane->nidx = (uint8_t)n;
	for (unsigned d = 0; d < n; d++)
		lane->index[d] = index[d];
	lane_move(e, lane);
	e->iterations++;
	return log_index(l, lane);
}

int dyncontrol_iteration(struct dyncontrol *e, const struct trace_rec *r)
{
	return dyncontrol_iterates(e) ? dyncontrol_iterate(e, r->nidx, r->index) : 0;
}

/* ---- notes ---- */

static int clause_add(struct dyncontrol *e, const struct clause *c)
{
	struct clause *to = vec_add(e->clause, e->nclause);

	if (!to)
		return -1;
	*to = *c;
	return hint_declared(e, c);
}

/* "A ADDRESS N LO … HI … [PC]" */
static int note_across(struct dyncontrol *e, const char *text)
{
	struct clause c = { .kind = 'A' };
	int at = 0, more;

	if (sscanf(text, "%" SCNx64 " %u%n", &c.lo, &c.n, &at) != 2 || c.n > ARRAY_DIMS)
		return 0;
	c.hi = c.lo;
	for (unsigned i = 0; i < 2 * c.n; i++) {
		int64_t *to = i < c.n ? &c.before[i] : &c.behind[i - c.n];

		text += at;
		if (sscanf(text, "%" SCNd64 "%n", to, &more) != 1)
			return 0;
		at = more;
	}
	if (sscanf(text + at, "%" SCNx64, &c.pc) != 1)
		c.pc = 0;
	return clause_add(e, &c);
}

/* "O ADDRESS N SHIFT … INDEX …": of the construct that has just begun. */
static int note_on(struct dyncontrol *e, const char *text)
{
	struct level *l = level_now(e);
	int at = 0, more;
	uint64_t addr;
	unsigned n;

	if (!l || sscanf(text, "%" SCNx64 " %u%n", &addr, &n, &at) != 2 || n > ARRAY_DIMS)
		return 0;
	l->on = addr;
	l->on_array = NULL;
	for (unsigned i = 0; i < 2 * n; i++) {
		int64_t v;

		text += at;
		if (sscanf(text, "%" SCNd64 "%n", &v, &more) != 1)
			return 0;
		at = more;
		if (i < n)
			l->off[i] = v;
		else
			l->by[i - n] = (int)v;
	}
	l->non = n;
	return 0;
}

static struct region *region_of(struct region **list, size_t *n, uint64_t lo)
{
	struct region *to;

	for (size_t i = 0; i < *n; i++)
		if ((*list)[i].lo == lo)
			return &(*list)[i];
	to = vec_add(*list, *n);
	if (to)
		to->lo = lo;
	return to;
}

/* Halos: 'H' their renewal begins, 'h' it is complete. */
static int note_halo(struct dyncontrol *e, char kind, uint64_t addr)
{
	struct array *a = array_at(e, addr);

	if (!a)
		return 0;
	e->serial++;
	if (kind == 'H') {
		a->started = e->serial;
		a->renewing = true;
		return 0;
	}
	if (!a->renewing)
		a->started = e->serial;
	a->completed = e->serial;
	a->renewed = a->started;
	a->renewing = false;
	return doubts_confirm(e, 'h', a);
}

/* What a damaged trace says is not followed for ever. */
#define MEMORY_MOST (UINT64_C(1) << 36)
#define BLOCKS_MOST (UINT64_C(1) << 24)

static void leave_block(void *arg, struct cell *c, uint64_t at, unsigned bytes)
{
	(void)arg;
	(void)at;
	(void)bytes;
	c->flags &= (uint8_t)~CELL_HEAP;
}

/*
 * What was in memory that is allocated again is gone. In front of it is what the allocator notes of
 * it.
 */
static int memory_reused(struct dyncontrol *e, uint64_t lo, uint64_t hi)
{
	if (lo >= 8)
		shadow_each(&e->shadow, lo - 8, 8, leave_block, NULL);
	e->shadow.changes++;
	for (size_t i = 0; i < e->nremote; i++)
		if (e->remote[i].lo < hi && e->remote[i].hi > lo)
			e->remote[i].open = false;
	for (size_t i = 0; i < e->nreduction; i++)
		if (e->reduction[i].lo < hi && e->reduction[i].hi > lo)
			e->reduction[i].open = false;
	for (size_t i = 0; i < e->narray; i++) {
		struct array *a = e->array[i];

		if (a->lo >= hi || a->hi <= lo)
			continue;
		a->nevent = 0;
		a->gone = true;
		a->renewing = false;
		a->renewed = a->started = ++e->serial;
	}
	return doubts_settle(e, 's', lo, hi) || doubts_settle(e, 'w', lo, hi) ? -1 : 0;
}

static int note_memory(struct dyncontrol *e, char kind, uint64_t addr, uint64_t bytes, uint64_t pc)
{
	if (bytes > MEMORY_MOST || addr + bytes < addr)
		return 0;
	if (kind != 'W' && memory_reused(e, addr, addr + bytes))
		return -1;
	if (kind == 'M' && names_block(e, addr, addr + bytes, pc))
		return -1;
	switch (kind) {
	case 'M':
		return shadow_reset(&e->shadow, addr, bytes, CELL_FRESH | CELL_HEAP);
	case 'Z':
		return shadow_reset(&e->shadow, addr, bytes, CELL_HEAP);
	case 'W':
		return shadow_reset(&e->shadow, addr, bytes, CELL_FOREIGN);
	}
	return 0;
}

static int note_region(struct dyncontrol *e, char kind, uint64_t addr, uint64_t bytes)
{
	struct region *r = kind == 'S' ? region_of(&e->reduction, &e->nreduction, addr)
				       : region_of(&e->remote, &e->nremote, addr);

	if (!r)
		return -1;
	r->hi = addr + bytes;
	r->since = ++e->serial;
	r->open = true;
	r->pc = r->to_lo = r->to_hi = 0;
	r->stored = false;
	if (kind == 'S')
		doubts_drop(e, 's', addr, addr + bytes);
	return 0;
}

/* A call of MPI in a parallel loop is in no iteration: ranks execute others. */
static void leave_iteration(struct dyncontrol *e)
{
	const struct level *l = level_now(e);

	if (l && l->kind == CONSTRUCT_PL)
		lane_now(e)->unit = 0;
}

static int note_moved(struct dyncontrol *e, const char *text)
{
	struct trace_moved m;

	leave_iteration(e);
	if (!trace_moved_read(&m, text))
		return 0;
	if (m.n > BLOCKS_MOST || m.block > MEMORY_MOST || m.n * m.block > MEMORY_MOST ||
	    m.stride > MEMORY_MOST)
		return 0;
	if (e->nreduction && reductions_moved(e, &m))
		return -1;
	return m.kind == 'G' ? dyncontrol_got(e, &m) : dyncontrol_used(e, &m);
}

static int note_other(struct dyncontrol *e, char kind, const char *text)
{
	uint64_t addr = 0, bytes = 0, pc = 0;
	int64_t number;

	if (kind == 'T')
		return sscanf(text, "%" SCNd64, &number) == 1
			       ? clause_add(e, &(struct clause){ .kind = 'T', .number = number })
			       : 0;
	if (kind == 'X') {
		e->unsure = true;
		e->why[CONTROL_WHY_LOST]++;
		return 0;
	}
	if (sscanf(text, "%" SCNx64 " %" SCNu64 " %" SCNx64, &addr, &bytes, &pc) < 1)
		return 0;
	if (kind == 'V')
		return slot_moved(e, (uint32_t)bytes, addr);
	if (kind == 'H' || kind == 'h')
		return note_halo(e, kind, addr);
	if (strchr("MZW", kind))
		return note_memory(e, kind, addr, bytes, pc);
	if (strchr("SB", kind))
		return note_region(e, kind, addr, bytes);
	if (strchr("PRDC", kind))
		return clause_add(e,
				  &(struct clause){
					  .kind = kind, .lo = addr, .hi = addr + bytes, .pc = pc });
	return 0;
}

/* A call of MPI combines what is there: it is a reduction. */
static void note_reduces(struct dyncontrol *e, const char *text)
{
	uint64_t from, to, count;
	unsigned bytes;

	if (sscanf(text, "%" SCNx64 " %" SCNx64 " %" SCNu64 " %u", &from, &to, &count, &bytes) ==
		    4 &&
	    count < UINT32_MAX)
		doubts_drop(e, 's', from, from + (bytes ? count * bytes : 1));
}

int dyncontrol_note(struct dyncontrol *e, const struct trace_rec *r)
{
	char text[NOTE_MOST + 1];
	uint32_t n = r->nbytes < NOTE_MOST ? r->nbytes : NOTE_MOST;
	int rc = 0;

	if (r->kind != TRACE_NOTE_CONTROL && r->kind != TRACE_NOTE_REDUCES &&
	    r->kind != TRACE_NOTE_OPENMP)
		return 0;
	memcpy(text, r->bytes, n);
	text[n] = '\0';
	if (r->kind == TRACE_NOTE_OPENMP) {
		dyncontrol_openmp(e, text);
	} else if (r->kind == TRACE_NOTE_REDUCES) {
		leave_iteration(e);
		note_reduces(e, text);
	} else if (*text == 'A')
		rc = note_across(e, text + 1);
	else if (*text == 'O')
		rc = note_on(e, text + 1);
	else if (*text == 'F')
		rc = names_opened(e, text + 1);
	else if (*text == 'G' || *text == 'U')
		rc = note_moved(e, text);
	else if (*text)
		rc = note_other(e, *text, text + 1);
	if (e->nlevel)
		clauses_whole(e, level_now(e));
	return rc;
}

/* ---- reductions ---- */

int reductions_settle(struct dyncontrol *e, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < e->nreduction; i++) {
		struct region *r = &e->reduction[i];

		if (!r->stored || r->lo >= hi || r->hi <= lo)
			continue;
		r->stored = false;
		if (doubts_settle(e, 'w', r->lo, r->hi))
			return -1;
	}
	return 0;
}

int reductions_moved(struct dyncontrol *e, const struct trace_moved *m)
{
	uint64_t hi = m->addr + (m->n ? (m->n - 1) * m->stride : 0) + m->block;

	for (size_t i = 0; i < e->nreduction; i++) {
		struct region *r = &e->reduction[i];

		if (!r->open)
			continue;
		if (m->kind == 'U' && !r->pc && m->addr < r->hi && hi > r->lo)
			r->pc = m->pc;
		if (m->kind != 'G' || !r->pc || m->pc != r->pc)
			continue;
		r->to_lo = m->addr;
		r->to_hi = hi;
		/* the result comes only now */
		if (reductions_settle(e, r->lo, r->hi))
			return -1;
	}
	return reductions_settle(e, m->addr, hi);
}

/* The mark of a result names its variable, or the one that MPI has put it into. */
static bool is_result(const struct region *r, uint64_t lo, uint64_t hi)
{
	return (r->lo < hi && r->hi > lo) || (r->to_lo < hi && r->to_hi > lo);
}

void dyncontrol_reduced(struct dyncontrol *e, uint64_t lo, uint64_t hi)
{
	doubts_drop(e, 's', lo, hi);
	for (size_t i = 0; i < e->nreduction; i++) {
		struct region *r = &e->reduction[i];

		if (!r->open || !is_result(r, lo, hi))
			continue;
		r->open = r->stored = false;
		doubts_drop(e, 'w', r->lo, r->hi);
	}
}
