/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much is recorded: at each mark, from the level of the innermost construct that has its own,
 * the interval, and the limits of iterations. Also the records of the marks themselves: beginnings
 * and ends are recorded everywhere, so that a reader always knows where he is.
 */
#include "runtime/record/record.h"

#include <stdio.h>
#include <string.h>

#include "common/array/array.h"
#include "runtime/base/mpi_table.h"
#include "runtime/base/peek.h"

#define REDUCES_BYTES 1024 /* of what a reduction combines that are recorded */
#define TRIES 1000 /* looks at something that keeps changing */

/* ---- where a thread is when it opens a block ---- */

/* Frames of the page, which the owner may be changing. */
static uint32_t frames_read(struct trace_frame *to, struct point *point)
{
	const struct page *p = rt.page;
	uint64_t main_side = atomic_load_explicit(&p->point_main_side, memory_order_relaxed);
	uint64_t task_sub = atomic_load_explicit(&p->point_task_sub, memory_order_relaxed);
	uint32_t depth = gate.depth < p->depth ? gate.depth : p->depth, n = 0;

	*point = (struct point){ .main = (uint32_t)(main_side >> 1), .side = main_side & 1 };
	point->task = (uint32_t)(task_sub >> 32);
	point->sub = (uint32_t)task_sub;
	/* traces know marks only */
	if (point_kind(point) != POINT_KIND_MARKS) {
		uint32_t mark = point->task - 1;

		*point = (struct point){ .main = mark >> 1, .side = mark & 1 };
	}
	for (uint32_t i = 0; i < depth && i < PAGE_FRAMES; i++) {
		const struct page_frame *f = &p->frame[i];
		uint8_t nidx = f->nidx < ARRAY_DIMS ? f->nidx : ARRAY_DIMS;

		if (!gate.announced[i])
			continue;
		to[n] = (struct trace_frame){ .kind = f->kind,
					      .nidx = nidx,
					      .level = gate.level[i] };
		to[n].place = f->loc ? f->loc : TRACE_NONE;
		to[n].point = (struct point){ f->main, f->task, f->sub, POINT_BEGIN };
		memcpy(to[n++].index, f->idx, nidx * sizeof(f->idx[0]));
	}
	return n;
}

/* The innermost loop of the n frames. */
static struct trace_frame *loop_of(struct trace_frame *f, uint32_t n)
{
	while (n && f[n - 1].kind != CONSTRUCT_PL && f[n - 1].kind != CONSTRUCT_SL)
		n--;
	return n ? &f[n - 1] : NULL;
}

/* Of a parallel loop other threads have iterations of their own. */
static void own_iteration(const struct tracer *t, struct trace_frame *loop)
{
	if (loop && t->number && loop->kind == CONSTRUCT_PL) {
		loop->nidx = t->nidx;
		memcpy(loop->index, t->index, t->nidx * sizeof(t->index[0]));
	}
	if (loop && t->entering)
		loop->nidx = 0;
}

uint32_t gate_inspect(struct tracer *t, struct trace_frame *frame, struct point *point)
{
	uint64_t begun = t->loop_begun, v;
	uint32_t n = 0;

	/* what was registered may have changed */
	if (t->objects != atomic_load(&objects_stamp))
		tracer_forget(t);
	if (!t->number) {
		t->version = atomic_load_explicit(&gate.version, memory_order_relaxed);
		n = frames_read(frame, point);
		own_iteration(t, loop_of(frame, n));
		return n;
	}
	for (unsigned i = 0; i < TRIES; i++) {
		v = atomic_load(&gate.version);
		n = frames_read(frame, point);
		t->shared = gate.want;
		t->others = gate.others;
		t->loop = gate.loop;
		t->loop_begun = atomic_load(&gate.begun);
		t->version = v;
		atomic_thread_fence(memory_order_acquire);
		if (!(v & 1) && atomic_load(&gate.version) == v)
			break;
	}
	if (begun != t->loop_begun) {
		t->nidx = 0;
		t->skip = false;
	}
	t->want = t->skip ? 0 : t->shared;
	own_iteration(t, loop_of(frame, n));
	return n;
}

/* ---- how much is recorded ---- */

/* What is known of an open frame. */
struct level {
	uint8_t level;
	bool announced;    /* its beginning is recorded, or it was open when recording began */
	bool hidden;  /* inside an iteration of a sequential loop, or a task, that is not traced */
	bool over;    /* its end is recorded */
	uint8_t reported; /* the level that its beginning told */
	const struct trace_config_place *place;
	uint64_t iterations; /* marked by the owner; of a task region: tasks */
	struct trace_config_range whole, part;
};

struct gate_shared gate;
bool gate_active;

static struct level *level; /* RT_FRAMES */
static struct trace_config_place place[TRACE_CONFIG_PLACES];
static uint32_t nplace, place_gen = 1;
static bool last_loop; /* the last main point is that of a parallel loop */
static bool limited;   /* iterations of some loop may be left out */
static bool reported;  /* allocations are to be known, for accesses may be recorded */

/* The construct's own level and iterations, NULL: it has none. */
static const struct trace_config_place *place_of(uint32_t loc)
{
	struct rt_loc *l = &rt_loc[loc];

	if (!nplace)
		return NULL;
	if (l->level_gen != place_gen) {
		l->level_gen = place_gen;
		l->level_at = 0;
		for (uint32_t i = 0; i < nplace && !l->level_at; i++)
			if (arena_loc_is(place[i].kind, place[i].file, place[i].line,
					 place[i].vaddr, l))
				l->level_at = i + 1;
	}
	return l->level_at ? &place[l->level_at - 1] : NULL;
}

static void where(struct trace_config_at *at)
{
	*at = (struct trace_config_at){ .last = rt.last, .loop = last_loop };
	for (uint32_t i = 0; i < rt.depth; i++) {
		const struct rt_frame *f = &rt.frame[i];

		if (level[i].over || f->misplaced)
			continue;
		if (f->kind == CONSTRUCT_TR && f->numbered)
			at->region = f->point.main;
		at->in_task |= f->kind == CONSTRUCT_TASK;
	}
	at->task = rt.task;
	at->fresh = at->in_task && !rt.sub_n;
}

/* The innermost of the first n frames that is not over, -1: there is none. */
static int32_t innermost(uint32_t n)
{
	int32_t i = (int32_t)n - 1;

	while (i >= 0 && level[i].over)
		i--;
	return i;
}

static uint32_t wanted(void)
{
	int32_t i = innermost(rt.depth);
	unsigned l = i >= 0 ? level[i].level : rt.trace_config.trace;
	struct trace_config_at at;

	if (l == TRACE_CONFIG_NONE || (i >= 0 && level[i].hidden))
		return 0;
	where(&at);
	if (!trace_config_inside(&rt.trace_config, &at))
		return 0;
	return TRACER_ITERATIONS | (l >= TRACE_CONFIG_MODIFY ? TRACER_WRITES : 0) |
	       (l >= TRACE_CONFIG_FULL ? TRACER_READS : 0);
}

/* The loop that takes iteration marks, -1: none. */
static int32_t loop_now(void)
{
	return (int32_t)rt.loop - 1;
}

static void share_loop(struct trace_loop *s)
{
	int32_t i = loop_now();
	const struct level *l = i >= 0 ? &level[i] : NULL;

	s->parallel = l && rt.frame[i].kind == CONSTRUCT_PL;
	s->any = false;
	if (!s->parallel)
		return;
	s->limits = rt.trace_config.limits;
	s->whole = l->whole;
	s->part = l->part;
	s->place = l->place && l->place->nrange ? l->place : NULL;
	s->any = limited || s->place;
}

/* Opens or shuts the hooks as this thread wants it; with other threads as any of them might. */
static void open_hooks(const struct tracer *t, uint32_t want)
{
	uint32_t mine = t->skip && !tracers_any_other() ? 0 : want;

	access_gate(mine & (TRACER_READS | TRACER_WRITES), reported);
}

static void say_iteration(struct tracer *t, int32_t loop, uint32_t n);

/* What is wanted from here on, for this thread and all others. */
static void publish(struct tracer *t, bool begun)
{
	uint64_t v = atomic_load_explicit(&gate.version, memory_order_relaxed);
	uint32_t n = rt.depth < PAGE_FRAMES ? rt.depth : PAGE_FRAMES;

	atomic_store_explicit(&gate.version, v + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	gate.want = wanted();
	gate.others = rt.trace_config.others;
	gate.depth = n;
	for (uint32_t i = 0; i < n; i++) {
		gate.announced[i] = level[i].announced && !level[i].over;
		gate.level[i] = level[i].reported;
	}
	share_loop(&gate.loop);
	atomic_store(&gate.version, v + 2);
	if (begun)
		atomic_store(&gate.begun, v + 2);
	t->want = gate.want;
	t->others = gate.others;
	if (t->skip)
		t->want = 0;
	if (tracers_any_other())
		tracers_alert();
	open_hooks(t, gate.want);
	if (t->want)
		say_iteration(t, loop_now(), rt.depth);
}

/* The parallel loop's part of this process: what it owns of the array that iterations are mapped
 * on. */
static void part_of(struct trace_config_range *part, const struct trace_config_range *whole,
		    uint64_t on)
{
	const struct page_entity *e;
	struct access_spot s;

	part->ndim = 0;
	if (!on)
		return;
	objects_find(on, false, &s);
	e = objects_entity(s.object);
	if (!e || e->ndim != whole->ndim)
		return;
	part->ndim = whole->ndim;
	for (unsigned d = 0; d < part->ndim; d++) {
		bool up = whole->first[d] <= whole->last[d];
		int64_t lo = up ? whole->first[d] : whole->last[d];
		int64_t hi = up ? whole->last[d] : whole->first[d];

		part->first[d] = e->own_lo[d] > lo ? e->own_lo[d] : lo;
		part->last[d] = e->own_hi[d] < hi ? e->own_hi[d] : hi;
	}
}

static void range_of(struct trace_config_range *to, const struct stack_range *r)
{
	to->ndim = r ? r->ndim : 0;
	for (unsigned d = 0; d < to->ndim; d++) {
		to->first[d] = r->first[d];
		to->last[d] = r->last[d];
	}
}

static void level_begin(struct level *l, const struct rt_frame *f, int64_t number,
			const struct stack_range *range)
{
	int32_t i = (int32_t)rt.depth - 2;
	const struct level *outer = i >= 0 ? &level[i] : NULL;

	*l = (struct level){ .place = place_of(f->loc) };
	l->level = l->place ? l->place->level : outer ? outer->level : rt.trace_config.trace;
	l->hidden = outer && outer->hidden;
	range_of(&l->whole, range);
	if (!outer || f->kind != CONSTRUCT_TASK || rt.frame[i].kind != CONSTRUCT_TR)
		return;
	level[i].iterations++;
	/* the tasks that the region's place names */
	l->hidden = l->hidden ||
		    (outer->place && !trace_config_place_has(outer->place, 1, &number));
}

/* Of the first n frames the innermost one that was said is the loop itself. */
static bool loop_is_innermost(int32_t loop, uint32_t n)
{
	int32_t i = innermost(n);

	while (i > loop && !level[i].announced)
		i--;
	return i == loop;
}

/* A block that is opened for it begins outside of all iterations of that loop. */
static bool put_iteration(struct tracer *t, unsigned n, const int64_t *index)
{
	bool put;

	t->entering = true;
	put = TRACE_PUT(t, trace_enc_iter(&t->enc, n, index));
	t->entering = false;
	return put;
}

/*
 * The iteration of the loop that runs was not recorded: what comes next is in it. n: how many of
 * the frames were there.
 */
static void say_iteration(struct tracer *t, int32_t loop, uint32_t n)
{
	const struct page_frame *pf;

	if (!t->stale)
		return;
	t->stale = false;
	if (loop < 0 || loop >= PAGE_FRAMES)
		return;
	pf = &rt.page->frame[loop];
	if (loop_is_innermost(loop, n) && pf->nidx <= ARRAY_DIMS)
		put_iteration(t, pf->nidx, pf->idx);
	else
		tracer_shut(t); /* the next block begins with it */
}

static void put_begin(struct tracer *t, const struct rt_frame *f, int64_t number,
		      const struct stack_range *range, unsigned inside)
{
	struct trace_opening o = { .kind = f->kind, .level = (uint8_t)inside };
	uint32_t off = rt_loc[f->loc].off;

	o.place = off ? off : TRACE_NONE;
	if (f->numbered)
		o.point = f->point;
	if (f->kind == CONSTRUCT_TASK) {
		o.ndim = 1;
		o.first[0] = o.last[0] = number;
	} else if (range) {
		o.ndim = (uint8_t)range->ndim;
		memcpy(o.first, range->first, o.ndim * sizeof(o.first[0]));
		memcpy(o.last, range->last, o.ndim * sizeof(o.last[0]));
	}
	TRACE_PUT(t, trace_enc_begin(&t->enc, &o));
}

/* Levels as they are reported in blocks: what is recorded of what follows. */
static unsigned level_of(uint32_t want)
{
	return want & TRACER_READS	  ? TRACE_CONFIG_FULL
	       : want & TRACER_WRITES	  ? TRACE_CONFIG_MODIFY
	       : want & TRACER_ITERATIONS ? TRACE_CONFIG_MINIMAL
					  : TRACE_CONFIG_NONE;
}

/* Values are reported at the ends of the interval, too. */
static void values(struct tracer *t, const struct rt_frame *f, uint32_t before)
{
	if (!f->numbered || !((before | gate.want) & TRACER_ITERATIONS))
		return;
	values_record(t, rt_loc[f->loc].off);
}

/* A collective call begins or ends: it is in no trace, but an interval may. */
static void pass(struct level *l)
{
	struct tracer *t = tracer_enter();

	*l = (struct level){ .over = true };
	if (!t)
		return;
	access_flush(t);
	publish(t, false);
	tracer_leave(t);
}

void gate_begin(const struct rt_frame *f, int64_t number, const struct stack_range *range)
{
	struct level *l = &level[rt.depth - 1];
	uint32_t before = gate.want;
	struct tracer *t;

	if (construct_unmarked(f->kind)) {
		pass(l);
		return;
	}
	if (f->numbered && !f->point.sub)
		last_loop = f->kind == CONSTRUCT_PL;
	level_begin(l, f, number, range);
	t = tracer_enter();
	if (!t)
		return;
	access_flush(t);
	/* what other threads did before it is not in it */
	if (tracers_any_other() && !construct_is_frame(f->kind))
		tracers_close_others(true);
	objects_refresh();
	if (l->whole.ndim && range)
		part_of(&l->part, &l->whole, range->on);
	/* inside an iteration of a parallel loop that is left out, nothing is said */
	l->announced = !construct_is_frame(f->kind) && f->kind != CONSTRUCT_FINISH &&
		  !(t->skip && rt.open[CONSTRUCT_PL]);
	if (l->announced) {
		bool loop = f->kind == CONSTRUCT_SL || f->kind == CONSTRUCT_PL;

		say_iteration(t, loop ? (int32_t)f->loop_outer - 1 : loop_now(), rt.depth - 1);
		l->reported = (uint8_t)level_of(wanted());
		put_begin(t, f, number, range, l->reported);
	}
	publish(t, l->announced);
	if (l->announced && range)
		declare_on(t, range);
	if (l->announced)
		values(t, f, before);
	tracer_leave(t);
}

static void put_end(struct tracer *t, const struct rt_frame *f, const struct level *l, bool left)
{
	uint64_t n = l->iterations;
	uint32_t off = rt_loc[f->loc].off;
	struct point none = { 0 };

	if (f->kind == CONSTRUCT_PL && tracers_any_other())
		n += tracers_iterations();
	if (!n || f->kind == CONSTRUCT_TASK)
		n = UINT64_MAX;
	TRACE_PUT(t, trace_enc_end(&t->enc, f->kind, f->numbered ? &f->point : &none,
				   off ? off : TRACE_NONE, left, n));
}

void gate_end(const struct rt_frame *f, bool left)
{
	struct level *l = &level[rt.depth - 1];
	uint32_t before = gate.want;
	struct tracer *t;

	if (construct_unmarked(f->kind)) {
		pass(l);
		return;
	}
	if (f->numbered && !f->point.sub)
		last_loop = f->kind == CONSTRUCT_PL;
	t = tracer_enter();
	if (!t) {
		l->over = true;
		return;
	}
	access_flush(t);
	if (tracers_any_other() && !construct_is_frame(f->kind))
		tracers_close_others(true);
	if (l->announced)
		put_end(t, f, l, left);
	l->over = true;
	if (f->kind == CONSTRUCT_PL)
		t->skip = false;
	if (f->kind == CONSTRUCT_PL || f->kind == CONSTRUCT_SL)
		t->stale = false;
	objects_refresh();
	publish(t, false);
	if (l->announced)
		values(t, f, before);
	tracer_leave(t);
}

/* A sequential loop: the first so many are traced, and those that its place names. */
static void sequential(struct tracer *t, struct level *l, unsigned n, const int64_t *index)
{
	int32_t i = loop_now();
	bool was = l->hidden, outer = i > 0 && level[i - 1].hidden;
	uint32_t limit = rt.trace_config.limits.irep_left;

	l->hidden = outer || (limit && l->iterations > limit - 1) ||
		    (l->place && !trace_config_place_has(l->place, n, index));
	if (was != l->hidden)
		publish(t, false);
}

static bool left_out(const struct trace_loop *l, unsigned n, const int64_t *index)
{
	return !trace_config_iteration(&l->limits, n, index, &l->whole, &l->part) ||
	       (l->place && !trace_config_place_has(l->place, n, index));
}

static void parallel(struct tracer *t, unsigned n, const int64_t *index)
{
	bool was = t->skip;

	if (!gate.loop.any && !was)
		return;
	t->skip = gate.loop.any && left_out(&gate.loop, n, index);
	if (was == t->skip)
		return;
	t->want = t->skip ? 0 : gate.want;
	open_hooks(t, gate.want);
}

void gate_flush(void)
{
	struct tracer *t = tracer_enter();

	if (!t)
		return;
	access_flush(t);
	tracer_leave(t);
}

void gate_objects(void)
{
	struct tracer *t = gate_active ? tracer_enter() : NULL;

	if (!t)
		return;
	access_flush(t);
	objects_renew();
	tracer_leave(t);
}

void gate_iteration(unsigned n, const int64_t *index)
{
	int32_t i = loop_now();
	struct tracer *t;

	level[i].iterations += n > 0;
	t = tracer_enter();
	if (!t)
		return;
	access_flush(t);
	if (rt.frame[i].kind == CONSTRUCT_SL) {
		objects_refresh();
		sequential(t, &level[i], n, index);
		if (tracers_any_other())
			publish(t, false);
	} else {
		parallel(t, n, index);
	}
	/* one that is not recorded now is, when something in it is */
	t->stale = true;
	if (t->want & TRACER_ITERATIONS)
		say_iteration(t, i, rt.depth);
	tracer_leave(t);
}

void gate_other_iteration(unsigned n, const int64_t *index)
{
	struct tracer *t = gate_active ? tracer_enter() : NULL;

	if (!t)
		return;
	access_flush(t);
	if (!tracer_ready(t) || !t->loop.parallel) {
		tracer_leave(t);
		return;
	}
	atomic_fetch_add_explicit(&t->iterations, n > 0, memory_order_relaxed);
	t->nidx = (uint8_t)n;
	if (n)
		memcpy(t->index, index, n * sizeof(*index));
	t->skip = t->loop.any && left_out(&t->loop, n, index);
	t->want = t->skip ? 0 : t->shared;
	if (t->want & TRACER_ITERATIONS)
		put_iteration(t, n, index);
	tracer_leave(t);
}

void gate_reduction(struct page_entity *e, const char *name, size_t len, uint32_t loc, unsigned op)
{
	struct access_spot s;
	struct tracer *t;

	if (!gate_active || !(gate.want & TRACER_ITERATIONS))
		return;
	t = tracer_enter();
	if (!t)
		return;
	access_flush(t);
	objects_refresh();
	objects_find(e->addr, false, &s);
	if (s.object == ACCESS_SKIP)
		s.object = objects_version(e, name, len, loc);
	if (s.object)
		values_reduction(t, e, s.object, rt_loc[loc].off, op);
	tracer_leave(t);
}

void gate_skip(uint32_t loc)
{
	struct tracer *t = gate_active && !rt.open[CONSTRUCT_PL] ? tracer_enter() : NULL;
	uint32_t off = rt_loc[loc].off;

	if (!t)
		return;
	access_flush(t);
	TRACE_PUT(t, trace_enc_skip(&t->enc, off ? off : TRACE_NONE));
	tracer_leave(t);
}

void gate_finish(void)
{
	struct tracer *t = gate_active && gate.want & TRACER_ITERATIONS ? tracer_enter() : NULL;

	if (!t)
		return;
	access_flush(t);
	objects_refresh();
	values_record(t, 0);
	tracer_leave(t);
}

/* The bytes that are combined, in hexadecimal; "-": they cannot be read, or are too many. */
static void put_combined(char *out, const struct rt_mpi_reduces *r)
{
	unsigned char bytes[REDUCES_BYTES];
	uint64_t n = (uint64_t)r->count * r->bytes;

	if (r->count > REDUCES_BYTES || n > REDUCES_BYTES || !n ||
	    !peek_bytes(bytes, (uintptr_t)r->from, n)) {
		strcpy(out, "-");
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

void gate_reduces(const struct rt_mpi_reduces *r)
{
	static char text[256 + 2 * REDUCES_BYTES]; /* of the thread that calls MPI, see rt_enter */
	struct tracer *t;
	int n;

	if (!gate_active || !(gate.want & TRACER_READS))
		return;
	t = tracer_enter();
	if (!t)
		return;
	access_flush(t);
	n = snprintf(text, 256, "%lx %lx %lu %u %.40s %.40s %lx %u %u %d ", (unsigned long)r->from,
		     (unsigned long)r->to, r->count, r->bytes, r->op, r->type, r->comm, r->size,
		     r->rank, r->root);
	put_combined(text + n, r);
	TRACE_PUT(t, trace_enc_note(&t->enc, TRACE_NOTE_REDUCES, text));
	tracer_leave(t);
}

void gate_call(const struct trace_call *c, uint64_t pc)
{
	struct tracer *t;

	if (!gate_active || !rt.trace_config.calls)
		return;
	t = tracer_enter();
	if (!t)
		return;
	access_flush(t);
	if (tracer_ready(t) && t->want & TRACER_ITERATIONS)
		TRACE_PUT(t, trace_enc_call(&t->enc, pc, c));
	tracer_leave(t);
}

int gate_init(void)
{
	level = rt_pages(RT_FRAMES * sizeof(*level));
	return level ? 0 : -1;
}

void gate_places(const struct trace_config_place *p, uint32_t n)
{
	nplace = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (p[i].kind == TRACE_CONFIG_ARRAY)
			continue;
		place[nplace] = p[i];
		place[nplace++].file[RULE_FILE - 1] = 0;
	}
	objects_levels(p, n);
	place_gen++;
}

/* Levels of what is open; first: nothing of that was recorded. */
static void levels_anew(bool first)
{
	for (uint32_t i = 0; i < rt.depth; i++) {
		const struct rt_frame *f = &rt.frame[i];
		struct level *l = &level[i];

		if (first) {
			*l = (struct level){ .over = f->ending || construct_unmarked(f->kind) };
			l->announced = !construct_is_frame(f->kind) && !construct_unmarked(f->kind);
		}
		l->place = place_of(f->loc);
		l->level = l->place ? l->place->level
			   : i	    ? level[i - 1].level
				    : rt.trace_config.trace;
		l->hidden = false;
	}
}

static bool reads_anywhere(void)
{
	bool reads = rt.trace_config.trace == TRACE_CONFIG_FULL;

	for (uint32_t i = 0; i < nplace; i++)
		reads |= place[i].level == TRACE_CONFIG_FULL;
	return reads;
}

void gate_reload(void)
{
	const struct trace_config_limits *m = &rt.trace_config.limits;
	bool was = gate_active;
	struct tracer *t;

	gate_active = trace_is_there() && (rt.trace_config.trace != TRACE_CONFIG_NONE || nplace);
	atomic_store(&rt.on[2], gate_active && rt.trace_config.calls);
	atomic_store(&rt.on[3], gate_active && reads_anywhere());
	if (!gate_active && !was)
		return;
	/* before any thread has its accesses told: those of its next iteration are not of the
	 * last */
	if (gate_active)
		atomic_store(&dvmdbg_iterations, 1);
	reported = rt.trace_config.others && rt.trace_config.trace >= TRACE_CONFIG_MODIFY;
	for (uint32_t i = 0; i < nplace; i++)
		reported |= rt.trace_config.others && place[i].level >= TRACE_CONFIG_MODIFY;
	limited = m->ig_left || m->ig_right || m->iloc_left || m->iloc_right;
	if (!gate_active)
		rt.trace_config.trace = TRACE_CONFIG_NONE;
	levels_anew(!was);
	objects_filter();
	t = tracer_enter();
	if (!t)
		return;
	t->skip = false;
	objects_refresh();
	/* what other threads have marked long ago is not their iteration */
	publish(t, !was);
	if (!gate_active)
		access_gate(false, false);
	tracer_leave(t);
}
