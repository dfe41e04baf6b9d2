/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interval in which something became wrong, access by access: one more pair of runs, of which
 * only that is traced, and only the arrays that the construct touches.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "common/core/err.h"
#include "common/traceindex/traceindex.h"
#include "frontend/model/findings.h"
#include "frontend/locate/internal.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/launch/launch.h"
#include "frontend/reference/reference.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"

#define SETTLE_MS 400 /* what is found is reported a little later than stops are */
#define REACH 40      /* points before what is wrong to which the interval is prolonged */

static bool program_hooked(const char *path)
{
	struct program p = { 0 };
	bool hooked = !program_open(&p, path, NULL) && (p.hooked || p.hooked_library);

	program_clear(&p);
	return hooked;
}

static bool is_hooked(const struct locate *l)
{
	return program_hooked(job_path(l->s->job)) &&
	       (!l->spec->with || program_hooked(reference_info(l->ref)->program));
}

/* Adds a name; what does not fit makes the list useless. */
static void add_name(struct checker_only *only, const char *name)
{
	if (!locate_add_name(only, name))
		only->nname = UINT8_MAX;
}

void locate_touched(struct locate *l, const struct sums_point *at)
{
	struct checker_only *only = &l->touched;

	*only = (struct checker_only){ 0 };
	/* one that says nothing of what it reads may read anything */
	for (size_t i = 0; l->halo.reads && at && i < at->n && only->nname <= TRACE_CONFIG_NAMES;
	     i++)
		add_name(only, at->array[i].name);
	if (only->nname && only->nname <= TRACE_CONFIG_NAMES)
		add_name(only, l->m->id.name);
	if (only->nname > TRACE_CONFIG_NAMES)
		only->nname = 0;
}

/* Replicated objects are small, and their use is seldom announced. */
static void add_replicated(const struct locate *l, struct checker_only *only)
{
	struct sums_point *p = checker_objects(l->s->checker, NULL);

	for (size_t i = 0; p && i < p->n && only->nname <= TRACE_CONFIG_NAMES; i++)
		if (p->array[i].kind == ARRAY_REPLICATED)
			add_name(only, p->array[i].name);
	sums_point_destroy(p);
}

/* The end of the construct before that of p; in a task, its own beginning; main 0: there is none.
 */
static struct point before_construct(const struct point *p)
{
	struct point from = *p;

	from.side = POINT_BEGIN;
	if (p->sub)
		return from;
	from.main--;
	from.side = POINT_END;
	return from.main ? from : (struct point){ 0 };
}

/*
 * Halo that it may come from is stale since before the interval: a rank may have computed it
 * itself, in the construct in which its owner did, so that is traced, too.
 */
static void reach_halos(const struct locate *l, struct locate_interval *x)
{
	for (size_t i = 0; i < l->halo.n; i++) {
		const struct point *since = &l->halo.reported[i].since;

		if (!x->from.main || !since->main || point_sort(since, &x->from) > 0 ||
		    since->main + REACH < x->from.main)
			continue;
		x->from = before_construct(since);
		x->only.nname = 0; /* what that reads */
	}
}

/* From where it was right to where it was wrong. */
static void set_interval(const struct locate *l, struct locate_interval *x)
{
	x->from = l->m->previous;
	x->to = l->m->point;
	/* not compared before: what is between this construct and the one before it sets what is
	 * read
	 */
	if (!x->from.main && x->to.side == POINT_END && l->m->id.kind == ARRAY_DISTRIBUTED &&
	    !l->values.spoilt)
		x->from = before_construct(&x->to);
	/* what a reduction adds up is read in the loop before it */
	else if (x->from.main && l->m->id.kind == ARRAY_REPLICATED)
		x->from = before_construct(&x->from);
	if (l->whole || (x->from.main && point_compare(&x->from, &x->to) != POINT_BEFORE))
		x->from = (struct point){ 0 };
	if (l->whole && x->to.main > REACH)
		x->from = (struct point){ .main = x->to.main - REACH, .side = POINT_END };
	x->only = l->touched;
	if (x->only.nname)
		add_replicated(l, &x->only);
	/* what was wrong at the beginning was set by something else; so was what is searched from
	 * the start */
	if (l->values.spoilt || l->whole || x->only.nname > TRACE_CONFIG_NAMES)
		x->only.nname = 0;
	reach_halos(l, x);
	x->only.level = TRACE_CONFIG_FULL;
	/* what was set before it was registered has no name then */
	x->only.others = !x->from.main && !l->m->previous.main;
	x->only.keep = x->now;
}

/* Findings come up beside the stops: waits until no more come. */
static void settle(const struct locate *l, const struct trace_findings *found)
{
	uint64_t seen = 0;
	int64_t since = loop_now();

	while (loop_now() < since + SETTLE_MS && !loop_interrupted(l->s->loop)) {
		loop_turn(l->s->loop, 20);
		if (found->total != seen)
			since = loop_now();
		seen = found->total;
	}
}

/*
 * A replicated object is reported when it changes: where the interval ends nothing of it may be in
 * the reference. So the ranks are asked.
 */
static bool copy_is_wrong(const struct locate_traced *t)
{
	struct locate *l = t->l;
	const struct locate_values *v = &l->values;
	uint32_t rank = locate_wrong_rank(l);
	struct rankset one = { 0 };
	struct fetched f = { 0 };
	bool wrong = false;

	if (l->m->id.kind != ARRAY_REPLICATED || !v->there || l->passing ||
	    rankset_add(&one, rank, rank))
		return false;
	if (!locate_fetch(l, second_session(t->now), &one, &f))
		wrong = f.q.n && f.q.type == v->ref.q.type &&
			values_total(&f.q) == values_total(&v->ref.q) &&
			memcmp(f.q.group[0].bytes, v->ref.q.group[0].bytes,
			       values_total(&f.q) * f.q.elem_size) != 0;
	fetched_clear(&f);
	rankset_clear(&one);
	return wrong;
}

int locate_traced_run(struct locate_traced *t)
{
	struct second *ref = locate_traced(t->l, true, &t->x);
	struct session *s;

	if (!ref)
		return -1;
	checker_over(second_session(ref)->checker);
	second_retire(t->l->s, ref);
	t->now = locate_traced(t->l, false, &t->x);
	if (!t->now)
		return -1;
	s = second_session(t->now);
	settle(t->l, checker_found(s->checker));
	t->again = locate_differs(t->l, t->now) || copy_is_wrong(t);
	/* more may still come while the ranks are asked */
	xalloc_check(trace_findings_merge(&t->found, checker_found(s->checker)));
	return 0;
}

static bool is_object(const struct locate *l, const struct trace_finding *f)
{
	return f->thing.what == TRACE_WHAT_ARRAY && locate_is_named(&f->thing, l->m->id.name) &&
	       f->thing.counter == l->m->id.counter;
}

/* How well a finding shows why the object is wrong; 0 not at all. */
static int tells(const struct locate *l, const struct trace_finding *f)
{
	switch (f->kind) {
	case FINDING_MISSING:
	case FINDING_ITERATION:
	case FINDING_TWICE:
		/* of another loop it may have to do with something else */
		return l->m->id.kind == ARRAY_REPLICATED || f->point.main == l->m->point.main ? 2
											      : 1;
	case FINDING_REDUCTION:
		/* it may have another name there */
		return l->m->id.kind == ARRAY_REPLICATED ? 2 : 0;
	default:
		return is_object(l, f) && f->write ? 2 : 0;
	}
}

bool locate_traced_choose(const struct locate_traced *t, struct trace_finding *best)
{
	int most = 0;

	for (size_t i = 0; i < t->found.n; i++) {
		struct trace_finding f;
		int n;

		if (trace_findings_get(&t->found, i, &f))
			continue;
		n = tells(t->l, &f);
		if (!n || n < most || (n == most && trace_finding_order(&f, best) >= 0))
			continue;
		*best = f;
		most = n;
	}
	return most;
}

/* As one of the session's findings it can be gone to. */
static void keep(struct locate *l, const struct trace_finding *f, json_t *o)
{
	struct report_finding r = { .kind = f->kind, .point = f->point };
	char text[600], where[600];
	struct rankset ranks = { 0 };
	struct findings_goal goal;
	bool fresh;
	size_t n;

	if (f->rank != TRACE_NO_RANK ? rankset_add(&ranks, f->rank, f->rank)
				     : rankset_copy(&ranks, job_set(l->s->job, JOB_ALL)))
		return;
	r.detail = trace_finding_text(f, text, sizeof(text));
	trace_spot_text(l->s->symbols, &f->spot, where, sizeof(where));
	trace_finding_goal(f, &goal);
	n = findings_put(l->s->findings, text, strlen(text), &ranks, &r, where, &goal,
			 trace_finding_json(l->s->symbols, f), &fresh);
	rankset_clear(&ranks);
	if (n && f->point.main)
		json_object_set_new(o, "number", json_integer((json_int_t)n));
}

/* Why traces of the interval have nothing wrong in them; NULL: see what sets it. */
static const char *why_nothing(const struct locate_traced *t)
{
	if (!t->again)
		return "it was not wrong in the traced run: it is not wrong in every run. Look for "
		       "what depends on time, or on memory that was never set";
	if (t->l->values.diff.rounding && !t->l->values.diff.differ)
		return "what was read and written differs by rounding only";
	return NULL;
}

/* What is the cause has no name in traces, is none, or is a reduction of something. */
static bool is_unnamed(const struct locate *l)
{
	return l->because && l->about & (LOCATE_UNNAMED | LOCATE_ALIKE | LOCATE_REDUCED);
}

/* The finding is what is wrong. */
static void put_write(struct locate_traced *t, json_t *o, const struct trace_finding *f, bool set)
{
	bool others = false;
	json_t *write;

	json_object_set_new(o, "state", json_string("found"));
	if (!set && f->kind != FINDING_REDUCTION)
		locate_move_first(t->l, f);
	/* it may have been set to what it was before */
	if (f->write && (f->kind == FINDING_VALUE || f->kind == FINDING_USE))
		t->l->values.unwritten = false;
	write = locate_write_json(t->l, second_session(t->now), f);
	locate_blame(t, f, write, set);
	locate_astray_writes(t, f, write);
	locate_chain(t, f, write);
	json_object_set_new(o, "write", write);
	keep(t->l, f, o);
	if (t->unexplained || (t->hidden && !t->x.only.others))
		others = locate_others(t->l, f, write);
	if (!(((t->unexplained && !others) || is_unnamed(t->l)) && locate_scope(t, f, write)) &&
	    t->l->root.file && t->l->grade < SLICE_PROVED)
		locate_scope_root(t);
}

/* No construct sets it wrong: who does, else why nobody is seen to. */
static void put_setter(struct locate_traced *t, json_t *o)
{
	const char *nothing = why_nothing(t);
	struct locate_writes w = { 0 };
	struct trace_finding f;
	char *why = NULL, where[600];
	json_t *at;

	json_object_set_new(o, "state", json_string("equal"));
	if (nothing) {
		json_object_set_new(o, "why", json_string(nothing));
	} else if (locate_setter(t, &f, &w, &why)) {
		put_write(t, o, &f, true);
		if (w.there &&
		    *trace_spot_text(t->l->s->symbols, &w.ref.spot, where, sizeof(where)))
			json_object_set_new(o, "set_at", out_json_text(where));
		locate_writes_clear(&w);
		return;
	} else if (why) {
		json_object_set_new(o, "why", out_json_text(why));
	}
	locate_writes_clear(&w);
	free(why);
	locate_blame_nothing(t);
	f = (struct trace_finding){ .point = t->l->m->point, .rank = TRACE_NO_RANK };
	if (!nothing && t->l->m->id.kind == ARRAY_REPLICATED && !locate_set_lines(t->l))
		locate_blame_reads(t, &f);
	at = t->again ? locate_set_at(t) : NULL;
	if (at)
		json_object_set_new(o, "set_at", at);
}

static void grade(struct locate_traced *t, json_t *o)
{
	struct trace_finding f;
	json_t *at;

	json_object_set_new(o, "findings", json_integer((json_int_t)t->found.n));
	if (!locate_traced_choose(t, &f)) {
		put_setter(t, o);
		return;
	}
	locate_better_iteration(t, &f);
	put_write(t, o, &f, false);
	at = t->l->m->id.kind == ARRAY_REPLICATED ? locate_set_at(t) : NULL;
	if (at)
		json_object_set_new(o, "set_at", at);
}

static json_t *interval_json(const struct locate *l, const struct locate_interval *x)
{
	json_t *o = json_object(), *names = json_array();
	char text[POINT_TEXT];

	json_object_set_new(o, "state", json_string("failed"));
	json_object_set_new(o, "start",
			    x->from.main ? json_string(point_format(&x->from, text)) : json_null());
	if (l->m->previous.main)
		json_object_set_new(o, "since", json_string(point_format(&l->m->previous, text)));
	json_object_set_new(o, "finish", json_string(point_format(&x->to, text)));
	for (unsigned i = 0; i < x->only.nname; i++)
		json_array_append_new(names, out_json_text(x->only.name[i]));
	json_object_set_new(o, "arrays", names);
	return o;
}

/* The directories, in one that goes away later. 0 or -1, when a note says why. */
static int make_dirs(struct locate *l, struct locate_interval *x)
{
	struct err err = { "" };
	struct statvfs fs;

	x->top = locate_temporary(&x->lock, &err);
	if (!x->top) {
		locate_note(l, "%s", err.text);
		return -1;
	}
	x->dir = xasprintf("%s/ref", x->top);
	x->now = xasprintf("%s/now", x->top);
	if (mkdir(x->dir, 0700) || mkdir(x->now, 0700)) {
		locate_note(l, "no space for traces in %s: %s", x->top, strerror(errno));
		return -1;
	}
	if (!statvfs(x->top, &fs))
		x->room = (uint64_t)fs.f_bavail * fs.f_frsize / 2;
	return 0;
}

int locate_traced_begin(struct locate_traced *t, struct locate *l)
{
	*t = (struct locate_traced){ .l = l, .tolerance = tolerance_trace(l->s->set) };
	if (make_dirs(l, &t->x))
		return -1;
	set_interval(l, &t->x);
	return 0;
}

void locate_traced_end(struct locate_traced *t)
{
	trace_index_close(t->ref_traces);
	trace_index_close(t->now_traces);
	second_retire(t->l->s, t->now);
	trace_findings_clear(&t->found);
	if (t->x.top)
		locate_remove(t->x.top, t->x.lock);
	free(t->x.now);
	free(t->x.dir);
	free(t->x.top);
}

/* ---- dynamic control ---- */

/* The finding is about the statement that is wrong: the same construct, one of its two places. */
static bool is_of(const struct locate_traced *t, const struct trace_finding *c,
		  const struct trace_finding *wrong)
{
	char at[LOCATE_TEXT], one[LOCATE_TEXT], other[LOCATE_TEXT];

	if (c->point.main != wrong->point.main)
		return false;
	locate_place(t, &wrong->spot, at);
	return !strcmp(at, locate_place(t, &c->spot, one)) ||
	       !strcmp(at, locate_place(t, &c->ref_spot, other));
}

static bool is_proof(unsigned kind)
{
	return kind == FINDING_DEPENDENCE || kind == FINDING_UNINIT || kind == FINDING_STALE;
}

/* What control finds at the statement that is wrong; false: nothing. */
static bool choose_control(const struct locate_traced *t, const struct trace_findings *found,
			   const struct trace_finding *wrong, struct trace_finding *best)
{
	bool any = false;

	for (size_t i = 0; i < found->n; i++) {
		struct trace_finding f;

		if (trace_findings_get(found, i, &f) || !is_proof(f.kind) || !is_of(t, &f, wrong))
			continue;
		if (any && (best->kind == FINDING_DEPENDENCE || f.kind != FINDING_DEPENDENCE))
			continue;
		*best = f;
		any = true;
	}
	return any;
}

/* Beside what the traces advise: a pipeline over ranks has both the dependence and its messages. */
static void advise_dependence(struct locate *l, const char *what)
{
	locate_say(
		&l->also_advice,
		"iterations of the loop depend on each other (%s), so its result depends on which "
		"rank executes which: change the loop, or declare the dependence (DVMDBG_ACROSS) "
		"and execute iterations in that order",
		what);
}

static void take_control(struct locate_traced *t, const struct trace_finding *c)
{
	struct locate *l = t->l;
	char text[LOCATE_TEXT], at[LOCATE_TEXT], other[LOCATE_TEXT];

	trace_finding_text(c, text, sizeof(text));
	locate_place(t, &c->spot, at);
	*other = '\0';
	if (c->ref_spot.place.line || c->ref_spot.place.vaddr)
		locate_place(t, &c->ref_spot, other);
	if (l->because && !l->vague &&
	    (l->grade == SLICE_PROVED || (l->rooted && c->kind == FINDING_DEPENDENCE))) {
		locate_note(l, "control: %s: %s, at %s%s%s", finding_kind_text(c->kind), text, at,
			    *other ? " and " : "", other);
		if (c->kind == FINDING_DEPENDENCE)
			advise_dependence(l, text);
		return;
	}
	/* traces show that the copy differs from its owner's, and control that it is old */
	if (c->kind != FINDING_STALE || !l->because || !(l->about & LOCATE_STALE))
		locate_because(l, 0, "%s: %s, at %s%s%s", finding_kind_text(c->kind), text, at,
			       *other ? " and " : "", other);
	l->grade = SLICE_PROVED;
	l->vague = false;
	if (c->kind == FINDING_DEPENDENCE)
		advise_dependence(l, text);
	locate_root(l, at);
}

/* Iterations depend on each other in the reference as well; true also where that is not known. */
static bool depends_there(const struct locate_traced *t, const struct trace_finding *c)
{
	struct trace_findings found = { 0 };
	char at[LOCATE_TEXT], there[LOCATE_TEXT];
	bool does = checker_control_traces(t->ref_traces, &found, &(struct err){ "" }) != 0;

	locate_place(t, &c->spot, at);
	for (size_t i = 0; i < found.n && !does; i++) {
		struct trace_finding f;

		does = !trace_findings_get(&found, i, &f) && f.kind == FINDING_DEPENDENCE &&
		       !strcmp(at, locate_place(t, &f.spot, there));
	}
	trace_findings_clear(&found);
	return does;
}

/* It follows from something else: names that are those of one memory here. */
static void note_dependence(const struct locate_traced *t, const struct trace_finding *c)
{
	char text[LOCATE_TEXT], at[LOCATE_TEXT], other[LOCATE_TEXT];

	trace_finding_text(c, text, sizeof(text));
	locate_note(t->l,
		    "control: %s: %s, at %s and %s, and not in the reference: do pointers lead to "
		    "one array here, and to two there?",
		    finding_kind_text(c->kind), text, locate_place(t, &c->spot, at),
		    locate_place(t, &c->ref_spot, other));
}

/* What the traces of this run show by themselves may be the proof of the cause. */
static void control(struct locate_traced *t)
{
	struct trace_findings found = { 0 };
	struct trace_finding wrong, c;
	struct err err = { "" };

	if (!locate_traced_choose(t, &wrong) || !wrong.write || !locate_traces_open(t))
		return;
	if (!checker_control_traces(t->now_traces, &found, &err) &&
	    choose_control(t, &found, &wrong, &c)) {
		if (c.kind == FINDING_DEPENDENCE && !depends_there(t, &c))
			note_dependence(t, &c);
		else
			take_control(t, &c);
	}
	trace_findings_clear(&found);
}

/* What is wrong was set before the interval: once more, from the start, or as many points before
 * it. A halo that is proved to be stale is cause enough. */
static bool from_before(struct locate *l, const struct locate_traced *t)
{
	bool halo = l->because && !l->vague && l->grade == SLICE_PROVED && l->about & LOCATE_HALO;

	if ((!t->unseen && (!l->unset || halo)) || l->whole || l->interrupted)
		return false;
	l->whole = true;
	/* what is found then has seen more */
	l->chain_weight = 0;
	l->rooted = false;
	return true;
}

/* True: it is worth while to trace more. */
static bool trace_interval(struct locate *l)
{
	struct locate_traced t;
	bool more = false, ran;
	json_t *before = l->trace;

	if (!locate_traced_begin(&t, l)) {
		ran = !locate_traced_run(&t);
		if (ran || !before) {
			json_decref(before);
			l->trace = interval_json(l, &t.x);
		}
		if (ran) {
			grade(&t, l->trace);
			control(&t);
			locate_mark_reads(&t);
			more = from_before(l, &t);
		}
	}
	locate_traced_end(&t);
	return more;
}

void locate_trace(struct locate *l)
{
	if (l->m->kind != MISMATCH_VALUE && l->m->kind != MISMATCH_COPIES)
		return;
	if (!is_hooked(l)) {
		l->trace = json_pack("{s:s}", "state", "unhooked");
		return;
	}
	if (trace_interval(l))
		trace_interval(l);
}

/* ---- what is printed alone differs ---- */

#define LAST_POINTS 8 /* constructs before the end that are looked at */

/* The first reduction in order that gives another result; false: none does. */
static bool first_reduction(const struct locate_traced *t, struct trace_finding *first)
{
	struct trace_finding f;
	bool any = false;

	for (size_t i = 0; i < t->found.n; i++) {
		if (trace_findings_get(&t->found, i, &f) || f.kind != FINDING_REDUCTION ||
		    (any && trace_finding_order(&f, first) >= 0))
			continue;
		*first = f;
		any = true;
	}
	return any;
}

/* Of what a loop reads, and its rank does not own. */
struct foreign {
	char name[LOCATE_TEXT];
	uint32_t rank;
	uint64_t n;
};

static bool count_foreign(void *arg, const struct locate_read *r)
{
	struct foreign *x = arg;
	struct trace_thing t = { .what = TRACE_WHAT_ARRAY, .name = r->object->desc.name };

	if (!x->n++) {
		memcpy(t.index, r->index, sizeof(t.index));
		t.ndim = r->object->desc.ndim;
		t.order = r->object->desc.order;
		trace_thing_text(&t, x->name, sizeof(x->name));
	}
	return true;
}

static void say_reduction(struct locate_traced *t, const struct trace_finding *f)
{
	struct point loop = { .main = f->point.main, .side = POINT_BEGIN };
	char at[LOCATE_TEXT], now[VALUE_TEXT], ref[VALUE_TEXT];
	struct trace_pair other = f->value;
	struct foreign x = { .n = 0 };
	struct locate *l = t->l;

	other.now = f->value.ref;
	for (uint32_t k = 0; locate_traces_open(t) && k < t->now_traces->files && !x.n; k++) {
		x.rank = t->now_traces->file[k].rank;
		locate_foreign_reads(t->now_traces, k, &loop, count_foreign, &x);
	}
	locate_place(t, &f->spot, at);
	l->grade = SLICE_LIKELY;
	locate_because(l, LOCATE_REDUCED,
		       "the reduction%s%s at %s gives %s, and %s in the reference",
		       f->thing.name ? " of " : "", f->thing.name ? f->thing.name : "", at,
		       locate_value_text(&f->value, now), locate_value_text(&other, ref));
	if (x.n)
		locate_say(&l->advice,
			   "the loop before it reads %s on rank %u, which another rank owns (%llu "
			   "such reads there): does it add up halo, too? Look at its bounds",
			   x.name, x.rank, (unsigned long long)x.n);
	else
		locate_say(&l->advice,
			   "no registered array differs before it: look at what each rank gives to "
			   "it, at the bounds of the loop before it, its operation and "
			   "communicator");
}

void locate_trace_printed(struct locate *l)
{
	struct mismatch end = { .kind = MISMATCH_VALUE, .finish = true };
	struct locate_traced t;
	struct trace_finding f;

	if (!l->last.main || l->interrupted || !is_hooked(l))
		return;
	end.id.kind = ARRAY_DISTRIBUTED;
	end.point = (struct point){ .main = l->last.main + 1, .side = POINT_END };
	end.previous =
		(struct point){ .main = l->last.main > LAST_POINTS ? l->last.main - LAST_POINTS : 0,
				.side = POINT_END };
	l->m = &end;
	if (!locate_traced_begin(&t, l) && !locate_traced_run(&t) && first_reduction(&t, &f))
		say_reduction(&t, &f);
	locate_traced_end(&t);
	l->m = NULL;
}
