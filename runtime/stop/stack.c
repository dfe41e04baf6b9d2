/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The construct stack, the numbering of points, and the history of constructs (SEMANTICS 1).
 */
#include "runtime/base/base.h"
#include "runtime/stop/internal.h"
#include "runtime/record/record.h"
#include "runtime/tags/tags.h"

#define HASH_STEP 0x9e3779b97f4a7c15u
#define HELD 8	    /* misplaced constructs that wait for the end of the one around them */
#define SL_AGAIN 16 /* times that a sequential loop is open until it is not a nest any more */

/*
 * Constructs that stand inside another one where they must not. Either they are nested, or the one
 * around them lacks its end, and they are only a consequence: that is seen when it ends, begins
 * again, or is closed by something outside of it.
 */
static struct {
	uint32_t outer; /* id of the one around them; 0: there are none */
	uint32_t n, loc[HELD];
	const char *fault[HELD];
} held;

static uint32_t recovered[CONSTRUCT_KINDS]; /* closed without their ends, which may come */

static void seq_begin(struct page *p)
{
	uint32_t s = atomic_load_explicit(&p->stack_seq, memory_order_relaxed);

	atomic_store_explicit(&p->stack_seq, s + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}

static void seq_end(struct page *p)
{
	uint32_t s = atomic_load_explicit(&p->stack_seq, memory_order_relaxed);

	atomic_store_explicit(&p->stack_seq, s + 1, memory_order_release);
}

/* Inside the seqlock. */
static void point_pass(const struct rt_frame *f, enum point_side side, uint64_t usec)
{
	struct page *p = rt.page;
	uint64_t task_sub = (uint64_t)f->point.task << 32 | f->point.sub;

	rt.before = rt.last;
	rt.last = f->point;
	rt.last.side = side;
	if (point_kind(&rt.last) == POINT_KIND_MARKS && !rt.last.sub)
		rt.mark = rt.last.main << 1 | rt.last.side;
	if (point_kind(&rt.last) != POINT_KIND_MARKS)
		task_sub = (uint64_t)rt.last.task << 32;
	atomic_store_explicit(&p->point_task_sub, task_sub, memory_order_relaxed);
	atomic_store_explicit(&p->point_main_side, (uint64_t)f->point.main << 1 | side,
			      memory_order_relaxed);
	atomic_store_explicit(&p->point_usec, usec, memory_order_relaxed);
}

/* Why a construct cannot stand here, NULL: it can. */
static const char *misplaced(int kind, int64_t number)
{
	const uint32_t *open = rt.open;

	if (kind == CONSTRUCT_TASK) {
		if (open[CONSTRUCT_PL])
			return "a task inside a parallel loop";
		if (!open[CONSTRUCT_TR])
			return "a task outside a task region";
		if (open[CONSTRUCT_TASK])
			return "a task inside a task";
		if (number < 0 || number > INT32_MAX)
			return "the number of a task is negative or above 2147483647";
		return NULL;
	}
	if (kind == CONSTRUCT_PL) {
		if (open[CONSTRUCT_PL])
			return "a parallel loop inside a parallel loop";
		if (open[CONSTRUCT_TR] && !open[CONSTRUCT_TASK])
			return "a parallel loop in a task region, but in none of its tasks";
		return NULL;
	}
	if (kind == CONSTRUCT_TR) {
		if (open[CONSTRUCT_PL])
			return "a task region inside a parallel loop";
		if (open[CONSTRUCT_TR])
			return "a task region inside a task region";
	}
	return NULL;
}

/* The innermost frame that others must not stand in; NULL: there is none. */
static struct rt_frame *around(void)
{
	for (uint32_t i = rt.depth; i-- > 0;)
		if (construct_numbered(rt.frame[i].kind) || rt.frame[i].kind == CONSTRUCT_TASK)
			return &rt.frame[i];
	return NULL;
}

/* What is wrong is reported when it is known whose fault it is. */
static void hold(const char *fault, uint32_t loc)
{
	const struct rt_frame *outer = around();

	if (!outer) {
		find_add(FINDING_NESTING, loc, fault);
		return;
	}
	if (held.outer != outer->id)
		held.n = 0;
	held.outer = outer->id;
	if (held.n == HELD)
		return;
	held.loc[held.n] = loc;
	held.fault[held.n++] = fault;
}

/* Frame f is closed; unended: not by its own end. */
static void resolve(const struct rt_frame *f, bool unended)
{
	if (held.outer != f->id)
		return;
	for (uint32_t i = 0; i < held.n && !unended; i++)
		find_add(FINDING_NESTING, held.loc[i], held.fault[i]);
	held.outer = held.n = 0;
}

/* Gives f the next number. */
static void number(struct rt_frame *f)
{
	f->numbered = true;
	if (construct_unmarked(f->kind)) {
		uint32_t main =
			point_main(f->kind == CONSTRUCT_OMP ? POINT_KIND_OMP : POINT_KIND_MPI,
				   ++rt.unmarked_n);

		f->point = (struct point){ main, rt.mark + 1, 0, POINT_BEGIN };
		return;
	}
	if (rt.open[CONSTRUCT_TASK]) {
		f->point = (struct point){ rt.region, rt.task, ++rt.sub_n, POINT_BEGIN };
		return;
	}
	f->point = (struct point){ ++rt.main_n, 0, 0, POINT_BEGIN };
	/* ranks may come to their end at different places */
	if (f->kind == CONSTRUCT_FINISH)
		return;
	rt.hash = (rt.hash ^ rt_loc[f->loc].hash) * HASH_STEP;
	rt.hash ^= rt.hash >> 31;
}

static void history_begin(struct rt_frame *f, uint64_t usec)
{
	struct page *p = rt.page;
	uint32_t n = atomic_load_explicit(&p->history_n, memory_order_relaxed);
	struct page_history *h = &p->history[n % PAGE_HISTORY];

	h->main = f->point.main;
	h->task = f->point.task;
	h->sub = f->point.sub;
	h->loc = rt_loc[f->loc].off;
	h->begin_usec = usec - rt.start_usec;
	h->end_usec = 0;
	h->hash = rt.hash;
	f->history = n + 1;
	atomic_store_explicit(&p->history_n, n + 1, memory_order_release);
}

static void history_end(const struct rt_frame *f, uint64_t usec)
{
	struct page *p = rt.page;
	uint32_t n = atomic_load_explicit(&p->history_n, memory_order_relaxed);

	if (f->history && n - f->history < PAGE_HISTORY)
		p->history[(f->history - 1) % PAGE_HISTORY].end_usec = usec - rt.start_usec;
}

static void frame_show(const struct rt_frame *f, int64_t number, const struct stack_range *range)
{
	struct page_frame *pf;
	struct page_range *pr;

	if (rt.depth >= PAGE_FRAMES)
		return;
	pf = &rt.page->frame[rt.depth];
	pr = &rt.page->range[rt.depth];
	pf->kind = f->kind;
	pf->nidx = f->kind == CONSTRUCT_TASK;
	pf->idx[0] = number;
	pf->ending = 0;
	pf->loc = rt_loc[f->loc].off;
	pf->main = f->point.main;
	pf->task = f->point.task;
	pf->sub = f->point.sub;
	pr->ndim = 0;
	if (!range)
		return;
	pr->on = range->on;
	for (uint32_t d = 0; d < range->ndim; d++) {
		pr->first[d] = range->first[d];
		pr->last[d] = range->last[d];
	}
	pr->ndim = range->ndim;
}

static void task_enter(const struct rt_frame *f, int64_t k)
{
	rt.sub_n = 0;
	rt.task = (uint32_t)k;
	rt.region = 0;
	for (uint32_t i = rt.depth; i--;)
		if (rt.frame[i].kind == CONSTRUCT_TR && rt.frame[i].numbered)
			rt.region = rt.frame[i].point.main;
}

static struct rt_frame *frame_new(int kind, int64_t number, uint32_t loc)
{
	struct rt_frame *f = &rt.frame[rt.depth];
	const char *fault = misplaced(kind, number);

	do
		rt.next_id++;
	while (!rt.next_id || rt.next_id == RT_OVERFLOW);
	*f = (struct rt_frame){
		.id = rt.next_id, .loc = loc, .kind = (uint8_t)kind, .caller = rt.caller
	};
	f->loop_outer = rt.loop;
	f->loop_depth = rt.depth ? rt.frame[rt.depth - 1].loop_depth : 0;
	if (kind == CONSTRUCT_SL || kind == CONSTRUCT_TR)
		f->loop_depth++;
	if (kind == CONSTRUCT_SL || kind == CONSTRUCT_PL)
		rt.loop = rt.depth + 1;
	/* inside something misplaced one finding is enough */
	f->misplaced = fault != NULL;
	if (fault && !rt.misplaced)
		hold(fault, loc);
	return f;
}

static void close_frame(bool left, bool report);

static const char *const ends[CONSTRUCT_KINDS][2] = {
	[CONSTRUCT_PL] = { "DVMDBG_PL_END()", "call dvmdbg_pl_end()" },
	[CONSTRUCT_SL] = { "DVMDBG_SL_END()", "call dvmdbg_sl_end()" },
	[CONSTRUCT_TR] = { "DVMDBG_TR_END()", "call dvmdbg_tr_end()" },
	[CONSTRUCT_TASK] = { "DVMDBG_TASK_END()", "call dvmdbg_task_end()" },
};

/* The innermost frame lacks its end: what shows that, before and behind the end's name. */
static void close_unended(const char *before, const char *behind)
{
	const struct rt_frame *f = &rt.frame[rt.depth - 1];
	bool fortran = rt_loc[f->loc].module != NULL;
	char detail[192];
	struct text t = { detail, 0, sizeof(detail) };

	resolve(f, true);
	if (ends[f->kind][fortran] && *before) {
		text_str(&t, construct_words(f->kind));
		text_str(&t, before);
		text_str(&t, ends[f->kind][fortran]);
		text_str(&t, behind);
		find_add(FINDING_LEFT, f->loc, detail);
		rt_loc[f->loc].unended = true;
	}
	close_frame(true, false);
}

/* All but the first n frames; their ends may come all the same. */
static void close_down(uint32_t n, const char *before, const char *behind)
{
	while (rt.depth > n) {
		recovered[rt.frame[rt.depth - 1].kind]++;
		close_unended(before, behind);
	}
}

/* Whether the frame was opened at loc, and not by a call around the present one. */
static bool is_again(const struct rt_frame *f, int kind, uint32_t loc)
{
	return f->kind == kind && f->loc == loc && f->caller <= rt.caller;
}

/*
 * Closes what can only be open because its end is missing: a construct that begins again, and what
 * is known to lack its end.
 */
static void close_forgotten(int kind, int64_t number, uint32_t loc)
{
	uint32_t again = 0, i = rt.depth, found = RT_FRAMES;
	const struct rt_frame *f;

	while (i-- > 0)
		if (is_again(&rt.frame[i], kind, loc)) {
			again++;
			found = i;
		}
	if (!ends[kind][0] || again < (kind == CONSTRUCT_SL ? SL_AGAIN : 1))
		found = RT_FRAMES;
	close_down(found + 1, "", "");
	close_down(found, ", which begins again before it has ended: is ", " missing?");
	while (misplaced(kind, number) && (f = around()) != NULL && rt_loc[f->loc].unended)
		close_down((uint32_t)(f - rt.frame), "", "");
}

/* It is an outermost parallel construct; in a run with tags. */
static bool tags_are_due(int kind)
{
	return (kind == CONSTRUCT_PL || kind == CONSTRUCT_TR) && !rt.open[CONSTRUCT_PL] &&
	       !rt.open[CONSTRUCT_TR];
}

uint32_t stack_open(int kind, int64_t task, uint32_t loc, const struct stack_range *range)
{
	struct page *p = rt.page;
	struct rt_frame *f;
	uint64_t usec = 0;

	if (rt.depth)
		close_forgotten(kind, task, loc);
	if (rt.depth == RT_FRAMES) {
		if (!rt.overflow++)
			find_add(FINDING_PARTIAL, loc,
				 "constructs and functions nested deeper than 1024 are not "
				 "followed");
		return RT_OVERFLOW;
	}
	if (gate_active)
		gate_flush();
	if (tags_on && tags_are_due(kind))
		tags_begin(loc);
	f = frame_new(kind, task, loc);
	if (construct_unmarked(kind) ||
	    (construct_numbered(f->kind) && !f->misplaced && !rt.misplaced)) {
		number(f);
		usec = rt_usec();
		if (kind != CONSTRUCT_FINISH)
			history_begin(f, usec);
		if (construct_unmarked(kind))
			f->result = range ? range->on : 0;
		else
			sums_access(f, range ? range->access : NULL);
	}
	if (kind == CONSTRUCT_TASK && !f->misplaced)
		task_enter(f, task);
	seq_begin(p);
	frame_show(f, task, range);
	p->depth = ++rt.depth;
	if (f->numbered) {
		point_pass(f, POINT_BEGIN, usec);
		atomic_store_explicit(&p->hash, rt.hash, memory_order_relaxed);
		atomic_store_explicit(&p->hash_n, rt.main_n, memory_order_relaxed);
	}
	seq_end(p);
	rt.open[kind]++;
	rt.misplaced += f->misplaced;
	if (gate_active)
		gate_begin(f, task, range);
	stop_check(STOP_AT_BEGIN, f);
	return f->id;
}

/* Ends the innermost frame. left: its end was not reached, which is reported on request. */
static void close_frame(bool left, bool report)
{
	struct page *p = rt.page;
	struct rt_frame *f = &rt.frame[rt.depth - 1];
	uint64_t usec = f->numbered ? rt_usec() : 0;

	resolve(f, false);
	if (report && construct_numbered(f->kind))
		find_add(FINDING_LEFT, f->loc, construct_words(f->kind));
	if (gate_active)
		gate_flush();
	f->ending = true;
	if (construct_unmarked(f->kind))
		f->point.task = rt.mark + 1; /* what it called may have had marks */
	seq_begin(p);
	if (rt.depth <= PAGE_FRAMES)
		p->frame[rt.depth - 1].ending = 1;
	if (f->numbered)
		point_pass(f, POINT_END, usec);
	seq_end(p);
	if (f->numbered) {
		history_end(f, usec);
		sums_used(f);
	}
	if (gate_active)
		gate_end(f, left);
	/* all ranks are at the same place then, whatever was their last iteration */
	if (f->kind == CONSTRUCT_PL && rt.depth <= PAGE_FRAMES && p->frame[rt.depth - 1].nidx) {
		seq_begin(p);
		p->frame[rt.depth - 1].nidx = 0;
		seq_end(p);
	}
	stop_check(STOP_AT_END, f);
	rt.open[f->kind]--;
	rt.misplaced -= f->misplaced;
	rt.loop = f->loop_outer;
	seq_begin(p);
	p->depth = --rt.depth;
	seq_end(p);
	if (tags_on && tags_are_due(f->kind))
		tags_end(f->loc);
}

void stack_resolve(struct point *p)
{
	uint32_t n = atomic_load_explicit(&rt.page->history_n, memory_order_relaxed);
	uint32_t most = n < PAGE_HISTORY ? n : PAGE_HISTORY;

	if (point_kind(p) != rt.page->points || p->task || point_number(p) > rt.unmarked_n)
		return;
	p->task = 1; /* of one that is forgotten */
	for (uint32_t i = 1; i <= most; i++) {
		const struct page_history *h = &rt.page->history[(n - i) % PAGE_HISTORY];

		if (h->main == p->main) {
			p->task = h->task;
			return;
		}
	}
}

/* What is open inside of the first n frames; sequential loops may be left like that. */
static void close_inner(uint32_t n)
{
	while (rt.depth > n) {
		int kind = rt.frame[rt.depth - 1].kind;

		if (construct_numbered(kind) && !rt.frame[rt.depth - 1].misplaced)
			close_unended(": ", " is missing, or was not reached");
		else
			close_unended("", "");
	}
}

void stack_close(uint32_t id, bool left)
{
	uint32_t i = rt.depth;

	if (id == RT_OVERFLOW) {
		rt.overflow -= rt.overflow > 0;
		return;
	}
	while (i && rt.frame[i - 1].id != id)
		i--;
	if (!i)
		return; /* something outside it has closed it already */
	rt.overflow = 0;
	close_inner(i);
	close_frame(left, left);
}

void stack_end(int kind, uint64_t pc)
{
	uint32_t i = rt.depth;

	if (rt.overflow) {
		rt.overflow--;
		return;
	}
	while (i && rt.frame[i - 1].kind != kind)
		i--;
	if (!i) {
		/* of one that was closed because it seemed to have no end */
		if (recovered[kind])
			recovered[kind]--;
		else
			find_add(FINDING_UNBALANCED, arena_loc_of_pc(kind, pc, NULL, 0),
				 construct_words(kind));
		return;
	}
	close_inner(i);
	close_frame(false, false);
}

void stack_no_iteration(void)
{
	struct page *p = rt.page;

	seq_begin(p);
	for (uint32_t i = 0; i < rt.depth && i < PAGE_FRAMES; i++)
		if (rt.frame[i].kind == CONSTRUCT_PL)
			p->frame[i].nidx = 0;
	seq_end(p);
}

void stack_mark_iteration(unsigned n, const int64_t *index, bool parallel, uint64_t pc,
			  const void *frame)
{
	if (!rt_owner) {
		gate_other_iteration(n, index);
		return;
	}
	if (!rt_enter())
		return;
	rt.caller = (uintptr_t)frame;
	stack_iteration(n, index, parallel, pc);
	rt_leave();
}

/*
 * A sequential loop goes on, by the mark that it had before: what is open inside of it lacks its
 * end. Not so in a call of the same function inside of the loop.
 */
static void close_before_iteration(uint64_t pc)
{
	uint32_t i = rt.loop;

	while (i > 0 && (rt.frame[i - 1].mark != pc || rt.frame[i - 1].mark_caller > rt.caller))
		i--;
	while (i > 0 && rt.depth > i) {
		int kind = rt.frame[rt.depth - 1].kind;
		bool say = construct_numbered(kind) && !rt.frame[rt.depth - 1].misplaced;

		close_down(rt.depth - 1,
			   say ? ", which is open when the loop around it goes on: is " : "",
			   " missing?");
	}
	if (rt.frame[rt.loop - 1].kind == CONSTRUCT_SL) {
		rt.frame[rt.loop - 1].mark = pc;
		rt.frame[rt.loop - 1].mark_caller = rt.caller;
	}
}

void stack_iteration(unsigned n, const int64_t *index, bool parallel, uint64_t pc)
{
	struct page *p = rt.page;
	struct page_frame *pf;

	if (!parallel && rt.loop)
		close_before_iteration(pc);
	if (!rt.loop || (parallel && rt.frame[rt.loop - 1].kind != CONSTRUCT_PL)) {
		find_add(FINDING_NESTING, arena_loc_of_pc(CONSTRUCT_SL, pc, NULL, 0),
			 parallel ? "an iteration mark of a parallel loop outside of parallel loops"
				  : "an iteration mark outside any loop");
		return;
	}
	if (n > ARRAY_DIMS)
		n = ARRAY_DIMS;
	if (gate_active)
		gate_flush();
	if (rt.loop <= PAGE_FRAMES) {
		pf = &p->frame[rt.loop - 1];
		seq_begin(p);
		for (unsigned d = 0; d < n; d++)
			pf->idx[d] = index[d];
		pf->nidx = (uint8_t)n;
		seq_end(p);
	}
	if (gate_active)
		gate_iteration(n, index);
	/* those of parallel loops are many: only when somebody waits for one */
	if (rt.frame[rt.loop - 1].kind == CONSTRUCT_SL || stop_iterations())
		stop_check(STOP_AT_ITERATION, &rt.frame[rt.loop - 1]);
}

void stack_region(const void *pc, bool begins)
{
	static uint32_t depth, id;

	if (begins) {
		/* tasks are executed by some ranks only: nothing is numbered there */
		if (!depth++ && !rt.open[CONSTRUCT_TASK])
			id = stack_open(CONSTRUCT_OMP, 0,
					arena_loc_of_pc(CONSTRUCT_OMP, (uintptr_t)pc, NULL, 0),
					NULL);
		return;
	}
	depth -= depth > 0;
	if (depth || !id)
		return;
	stack_close(id, false);
	id = 0;
}

/* Where the program ends is compared when that is asked for up to there, and no construct is open
 * whose end is still to come. */
static bool finish_due(void)
{
	const struct point end = { rt.main_n + 1, 0, 0, POINT_END };

	if (rt.overflow || rt.misplaced || rt.open[CONSTRUCT_PL] || rt.open[CONSTRUCT_TR])
		return false;
	stop_reload();
	return rt.trace_config.level && trace_config_open(&rt.trace_config, &end);
}

/* The last construct's point is the last one that is seen, as if there were no other. */
static void restore_point(const struct point *last, uint64_t usec)
{
	const struct rt_frame f = { .point = *last };

	seq_begin(rt.page);
	point_pass(&f, last->side, usec);
	seq_end(rt.page);
}

/* What is open where MPI ends, and what misplaced constructs are inside of, lacks its end. */
static void finish_open(bool mpi)
{
	for (uint32_t i = 0; i < rt.depth; i++)
		if (construct_numbered(rt.frame[i].kind) &&
		    (mpi || (held.outer && held.outer == rt.frame[i].id))) {
			close_inner(i);
			return;
		}
}

void stack_finish(uint64_t pc)
{
	const struct point last = rt.last;
	const uint64_t usec = atomic_load(&rt.page->point_usec);
	static bool done;

	finish_open(pc != 0);
	tags_finish();
	if (pc && rt.sees_free && !done)
		gate_finish();
	if (done || !rt.sees_free || !finish_due())
		return;
	done = true;
	stack_close(stack_open(CONSTRUCT_FINISH, 0, arena_loc_of_pc(CONSTRUCT_FINISH, pc, NULL, 0),
			       NULL),
		    false);
	restore_point(&last, usec);
}
