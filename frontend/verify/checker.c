/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "frontend/verify/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "common/protocol/rule.h"
#include "common/protocol/point_sums.h"
#include "frontend/hang/hang.h"
#include "frontend/job/job.h"
#include "frontend/verify/verify.h"
#include "frontend/util/loop.h"
#include "frontend/launch/launch.h"
#include "frontend/output/outcome.h"
#include "frontend/reference/reference.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define LOOK_MS 500
#define BLOCKED_MS \
	500	    /* for so long ranks are in MPI before others do not wait for them any more */
#define PIPE_MS 100 /* … where that has been so before */

static void look(void *arg);

struct checker *checker_create(struct session *s)
{
	struct checker *c = xcalloc(1, sizeof(*c));

	c->s = s;
	return c;
}

/* Forgets the run. */
static void clear_run(struct checker *c)
{
	if (c->s->loop)
		loop_cancel(c->s->loop, look, c);
	reference_destroy(c->made);
	reference_destroy(c->known);
	compare_destroy(c->compare);
	replicas_destroy(c->replicas);
	checker_forget_points(c, &(struct point){ 0 });
	checker_forget_summed(c);
	checker_once_clear(&c->once);
	checker_close_traces(c);
	checker_close_calculated(c);
	checker_close_controlled(c);
	printed_clear(&c->printed);
	printed_clear(&c->printed_again);
	printed_diff_clear(&c->printed_diff);
	*c = (struct checker){
		.s = c->s, .request = c->request, .tap = c->tap, .tap_arg = c->tap_arg
	};
}

void checker_destroy(struct checker *c)
{
	if (!c)
		return;
	clear_run(c);
	checker_forget(c);
	free(c);
}

/* Opens or makes the references of the run. */
static int open_references(struct checker *c, struct err *err)
{
	const struct session *s = c->s;
	struct program p = { 0 };
	struct reference_info info = { .program = job_path(s->job),
				       .version = PACKAGE_VERSION,
				       .marks = s->marks_id ? s->marks_id : "",
				       .argv = s->spec.argv,
				       .ranks = (uint32_t)job_size(s->job) };
	int rc;

	checker_follow_mode(c);
	rc = checker_read_levels(c, err);

	if (program_open(&p, info.program, NULL))
		p.build_id[0] = '\0';
	info.build_id = p.build_id;
	checker_open_calculated(c, &p);
	rc = rc || checker_open_controlled(c, &p, err);
	if (rc) {
		program_clear(&p);
		return -1;
	}
	if (c->request.compare) {
		c->known = reference_open(c->request.compare, err);
		rc = c->known ? 0 : -1;
		if (!rc)
			checker_report_reference(c, info.program, info.argv, p.build_id,
						 info.marks);
		if (!rc)
			checker_report_order(c);
	} else if (c->request.record) {
		c->sees_uses = checker_can_see_uses(c, &p);
		info.trace_config = checker_trace_config(c);
		info.levels = levels_kept(c->s->levels, c->traces.file);
		info.chosen = checker_has_uses(c) || info.trace_config.uses;
		info.order = c->request.order;
		c->drops = checker_drops(c);
		if (!c->drops)
			c->made = reference_create(c->request.record, &info, err);
		json_decref(info.levels);
		rc = c->made || c->drops ? 0 : -1;
	}
	if (!rc)
		rc = checker_take_levels(c, err) || checker_open_traces(c, err) ||
		     checker_check_hooks(c, &p, err);
	if (!rc)
		rc = checker_trace(c, p.build_id, err);
	program_clear(&p);
	return rc;
}

static int begin(struct checker *c, struct err *err)
{
	struct compare_tolerance tol = tolerance_compare(c->s->set);
	struct trace_config g;

	if (open_references(c, err)) {
		clear_run(c);
		return -1;
	}
	g = checker_trace_config(c);
	tol.moved = c->moved;
	tol.alone = c->known && reference_info(c->known)->ranks == 1 && job_size(c->s->job) == 1;
	c->compare = compare_create(&tol);
	c->replicas = replicas_create();
	if (checker_check_interval(&g, err) || checker_save_check(c, err)) {
		clear_run(c);
		return -1;
	}
	c->trace_config = g;
	c->begun = true;
	job_trace_config(c->s->job, &g);
	loop_at(c->s->loop, loop_now() + LOOK_MS, look, c);
	return 0;
}

int checker_begin(struct checker *c, struct err *err)
{
	clear_run(c);
	return begin(c, err);
}

/* Begins the run again that has not started; what was warned of is not reported again. */
static int begin_again(struct checker *c, struct err *err)
{
	struct checker_once once = c->once;

	c->once = (struct checker_once){ 0 };
	clear_run(c);
	c->once = once;
	if (begin(c, err))
		return -1;
	c->s->rules_dirty = true; /* sent before the first go */
	return 0;
}

int checker_changed(struct checker *c, struct err *err)
{
	struct job *j = c->s->job;
	struct trace_config g;

	if (!j)
		return 0;
	/* the other end may be moved next; until then checker_can_start says no */
	if (rankset_equal(job_set(j, JOB_LOADED), job_set(j, JOB_ALL)))
		return checker_crossed(c, NULL, NULL) ? 0 : begin_again(c, err);
	if (!c->begun)
		return 0;
	g = checker_trace_config(c);
	if (g.hold == c->trace_config.hold && g.drop == c->trace_config.drop)
		return 0;
	c->trace_config.hold = g.hold;
	c->trace_config.drop = g.drop;
	job_trace_config(j, &c->trace_config);
	loop_at(c->s->loop, loop_now() + LOOK_MS, look, c);
	return 0;
}

/* Points given up are reported, each time, and why. */
static void report_dropped(struct checker *c, const struct rankset *who, const struct point *to)
{
	char ranks[128], from[POINT_TEXT], until[POINT_TEXT];
	struct point none = { 0 };

	if (!who->n)
		return;
	c->given_up++;
	checker_incomplete(c, "SUMS drop: %s gave up checksums between %s and %s",
			   rankset_format(who, ranks, sizeof(ranks)),
			   point_format(c->last ? &c->last->point : &none, from),
			   point_format(to, until));
}

/* Ranks that ended without room in the queue for another point that could report it. */
static void report_dropped_last(struct checker *c)
{
	const struct groups *exits = job_exits(c->s->job);
	struct point last = c->last ? c->last->point : (struct point){ 0 }, to = last;
	struct rankset who = { 0 };

	for (size_t i = 0; c->trace_config.drop && i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (report_exit_get(&r, &b) || r.point.sub || r.point.side != POINT_END ||
		    !trace_config_open(&c->trace_config, &r.point) ||
		    point_sort(&r.point, &last) <= 0)
			continue;
		xrankset_add_set(&who, &exits->group[i].ranks);
		if (point_sort(&r.point, &to) > 0)
			to = r.point;
	}
	report_dropped(c, &who, &to);
	rankset_clear(&who);
}

/*
 * A start or finish inside of a task region that is none. Traces have the iterations of such a
 * loop, at both ends; checksums have its end when it is the start's, and not when it is the
 * finish's.
 */
static void check_region(struct checker *c, const struct point_sums *t)
{
	const struct trace_config *g = &c->trace_config;
	struct point used = { .main = t->point.main };
	char asked[POINT_TEXT], at[POINT_TEXT];

	if (t->kind != CONSTRUCT_PL || t->point.sub)
		return;
	if (g->finish.sub && g->finish.main == t->point.main) {
		c->no_region[1] = true;
		used.side = g->trace ? POINT_END : POINT_BEGIN;
		checker_warn(
			c,
			"Finish point %s implies task region but actual construction is parallel "
			"loop; finishing verbose trace at the point %s.",
			point_format(&g->finish, asked), point_format(&used, at));
	}
	if (g->start.sub && g->start.main == t->point.main) {
		c->no_region[0] = true;
		used.side = g->trace ? POINT_BEGIN : POINT_END;
		checker_warn(
			c,
			"Start point %s implies task region but actual construction is parallel "
			"loop; starting verbose trace from the point %s.",
			point_format(&g->start, asked), point_format(&used, at));
	}
}

/* That the array is not distributed correctly is a finding already. */
static bool is_finding(const struct checker *c, const struct sums_array *a)
{
	const struct mismatch *m;

	for (size_t i = 0; a->uneven && (m = compare_mismatch(c->compare, i)); i++)
		if (m->kind == MISMATCH_PARTS && m->id.line == a->line &&
		    sums_array_same(&m->id, a))
			return true;
	return false;
}

static void check_failed(struct checker *c, const struct sums_point *p)
{
	/* what is compared counts those that cannot be */
	void (*say)(struct checker * c, const char *fmt, ...) =
		c->known || c->tap ? checker_warn : checker_incomplete;
	char id[600], at[POINT_TEXT];

	/* a task need not be on all ranks that have a part */
	for (size_t i = 0; i < p->n && !p->point.sub && !p->partial; i++)
		if (!p->array[i].sum && !is_finding(c, &p->array[i]))
			say(c, "Unable to compute checksum for array %s at the point %s: %s",
			    sums_array_id(&p->array[i], id, sizeof(id)),
			    point_format(&p->point, at),
			    p->array[i].failed ? p->array[i].failed : "the cause is unknown");
}

struct sums_point *checker_copy_point(const struct sums_point *p)
{
	struct buf b = BUF_INIT;
	struct sums_point *copy = NULL;

	sums_point_put(p, &b);
	if (!b.bad)
		copy = sums_point_get(&b, NULL);
	buf_clear(&b);
	return copy;
}

static void record(struct checker *c, const struct sums_point *p)
{
	struct err err = { "" };

	if (reference_add(c->made, p, &err)) {
		checker_incomplete(c, "%s; what was recorded before is kept", err.text);
	}
}

/* Ends the comparison of this run. */
static void stop_comparing(struct checker *c, const char *why)
{
	c->deaf = true;
	checker_incomplete(c, "%s; the comparison ends here", why);
}

/* What can be read again behind the cursor's point, which cannot, is compared. */
static void skip_damaged(struct checker *c, struct err *err)
{
	size_t next = reference_next_block(c->known, c->cursor);

	checker_incomplete(c, "%s: %zu points are not compared", err->text, next - c->cursor);
	c->blind = true;
	compare_lose(c->compare, true);
	c->cursor = next;
	err->text[0] = '\0';
}

/* This run has passed the point of the reference, whose arrays are to be compared. */
static bool is_alone(const struct checker *c, const struct sums_point *x)
{
	bool drop = c->trace_config.drop || reference_info(c->known)->trace_config.drop;

	for (size_t i = 0; i < x->n && !drop && !x->point.sub && x->point.side == POINT_END; i++)
		if (x->array[i].kind == ARRAY_DISTRIBUTED && x->array[i].sum)
			return trace_config_open(&c->trace_config, &x->point);
	return false;
}

bool checker_has_kind(const struct checker *c, const struct point *p)
{
	return point_kind(p) == POINT_KIND_MARKS ||
	       (c->s->spec.points == point_kind(p) && reference_has_kind(c->known, point_kind(p)));
}

/* The main points of the reference before p, of which this run has reported nothing. */
static void pass_missing(struct checker *c, const struct sums_point *p, bool dropped)
{
	const struct sums_point *x;
	struct err err = { "" };

	while (c->cursor < reference_count(c->known)) {
		enum point_order o;

		x = reference_at(c->known, c->cursor, &err);
		if (!x) {
			skip_damaged(c, &err);
			continue;
		}
		o = point_compare(&x->point, &p->point);
		if (o == POINT_AFTER)
			return;
		if (!checker_has_kind(c, &x->point)) {
			compare_other_kind(c->compare, x, true);
			c->cursor++;
			continue;
		}
		c->blind = false;
		c->alone += o == POINT_BEFORE && !dropped && is_alone(c, x) &&
			    x->kind != CONSTRUCT_FINISH;
		if (o == POINT_BEFORE && !x->point.sub && x->kind != CONSTRUCT_FINISH)
			compare_missing(c->compare, x,
					!dropped && trace_config_open(&c->trace_config, &x->point));
		c->cursor++;
		if (o == POINT_EQUAL)
			return;
	}
}

/* The reference's run has ended before p, or it cannot be read that far. */
static bool is_beyond(const struct checker *c, const struct point *p)
{
	const struct sums_point *next;

	if (p->sub || c->cursor >= reference_count(c->known))
		return !p->sub;
	if (c->cursor + 2 < reference_count(c->known))
		return false;
	next = reference_at(c->known, c->cursor, NULL);
	return next && next->kind == CONSTRUCT_FINISH;
}

static bool is_finish(const struct sums_point *p)
{
	return p && p->kind == CONSTRUCT_FINISH;
}

/*
 * The end of a program has the number of the construct that would follow. When the runs have other
 * numbers of constructs, one's end meets a construct of the other: neither says anything.
 */
static bool ends_apart(const struct sums_point *ref, const struct sums_point *now)
{
	return ref && (ref->kind == CONSTRUCT_FINISH) != (now->kind == CONSTRUCT_FINISH);
}

/* What the reference did not look at, as its configuration file did not name it there. */
static void drop_unused(struct sums_point *p, const struct sums_point *ref)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->array[i].kind == ARRAY_DISTRIBUTED && !sums_point_find(ref, &p->array[i]))
			sums_array_clear(&p->array[i]);
		else
			p->array[n++] = p->array[i];
	}
	p->n = n;
}

static void compare_with(struct checker *c, struct sums_point *p, bool dropped)
{
	const struct reference_info *info = reference_info(c->known);
	const struct sums_point *ref;
	struct err err = { "" };
	bool apart, beyond;

	if (!checker_has_kind(c, &p->point)) {
		compare_other_kind(c->compare, p, false);
		return;
	}
	/* the other run goes on there */
	if (p->kind == CONSTRUCT_FINISH && !is_finish(reference_point(c->known, &p->point, NULL)))
		return;
	if (!p->point.sub)
		pass_missing(c, p, dropped);
	if (c->deaf)
		return;
	ref = reference_point(c->known, &p->point, &err);
	if (!ref && *err.text)
		return; /* damaged, as has been reported */
	apart = ends_apart(ref, p);
	ref = apart ? NULL : ref;
	beyond = !ref && (apart || is_beyond(c, &p->point));
	if (!ref && !beyond && (info->trace_config.drop || c->blind))
		return; /* its run gave that up, or it cannot be known */
	if (beyond) {
		/* rounding may decide when an iteration has converged */
		c->beyond += p->point.side == POINT_END;
		if (p->point.side == POINT_BEGIN || !info->complete || info->trace_config.drop ||
		    c->blind || reference_note(c->known) || compare_state(c->compare)->rounds)
			return;
	}
	if (ref && info->chosen)
		drop_unused(p, ref);
	for (size_t i = 0; ref && !p->point.sub && i < ref->n; i++)
		if (!ref->array[i].sum)
			checker_warn(c, "Warning: failed checksums found. They won't be recounted");
	if (compare_point(c->compare, ref, p) < 0)
		stop_comparing(c, "out of memory");
}

size_t checker_take_point(struct checker *c, struct sums_point *p, bool dropped)
{
	bool drop =
		c->trace_config.drop || (c->known && reference_info(c->known)->trace_config.drop);
	size_t added = 0;
	char text[80];

	/* copies of some ranks may be those of an earlier point: nothing is said about objects */
	if (drop && p->point.side == POINT_BEGIN)
		p->partial = true;
	if (c->made)
		record(c, p);
	if (c->traces.means)
		added = means_take(c, c->traces.means, p);
	else if (c->known && !c->deaf)
		compare_with(c, p, dropped);
	else if (!c->known && !c->deaf && compare_point(c->compare, p, p) < 0)
		stop_comparing(c, "out of memory");
	added += checker_report(c);
	if (!c->deaf && c->reported >= (size_t)settings_number(c->s->set, "MaxErrors")) {
		snprintf(text, sizeof(text), "there are %zu findings, MaxErrors", c->reported);
		stop_comparing(c, text);
	}
	return added;
}

/* Who holds at p goes on, or stops. */
static void give_verdict(struct checker *c, const struct point *p, bool stop)
{
	stop = stop && (checker_setting_is(c, "STOP_ON", "mismatch") || checker_saves_mismatch(c));
	if (!c->s->job || p->sub) {
		c->owed |= stop;
		return;
	}
	if (c->released.main && point_compare(p, &c->released) != POINT_AFTER) {
		c->owed |= stop;
		return;
	}
	job_verdict(c->s->job, p, stop || c->owed);
	c->owed = false;
}

/*
 * Ranks that hold at a point wait for those that have not come. When that takes long, these may in
 * turn wait for them: they have other points before them, or none. So they are let go on. again:
 * this is how the program works, and was said.
 */
static void release(struct checker *c, const struct point *p, const struct rankset *waiting,
		    const struct rankset *missing, bool again)
{
	char at[POINT_TEXT], who[128], whom[128];

	c->released = *p;
	if (!again)
		checker_warn(c,
			     "at %s %s waited in vain for %s and were released; if checksums "
			     "differ, they stop at the next point at the earliest",
			     point_format(p, at), rankset_format(waiting, who, sizeof(who)),
			     rankset_format(missing, whom, sizeof(whom)));
	job_verdict(c->s->job, p, false);
}

static void look(void *arg)
{
	struct checker *c = arg;
	struct job *j = c->s->job;
	int64_t since, timer = 1000 * (int64_t)settings_number(c->s->set, "STOP_TIMER");
	struct rankset missing = { 0 }, waiting = { 0 };
	struct point p;

	if (!c->begun || !j || !c->trace_config.hold)
		return;
	if (job_held(j, &c->released, &p, &missing, &waiting, &since) &&
	    loop_now() - since > (timer > LOOK_MS ? timer : LOOK_MS))
		release(c, &p, &waiting, &missing, false);
	rankset_clear(&missing);
	rankset_clear(&waiting);
	loop_at(c->s->loop, loop_now() + LOOK_MS, look, c);
}

/*
 * In a pipeline the ranks that have not come wait in MPI for those that hold. The first time that
 * has to last for a while, from then on it is how the program works.
 */
void checker_look(struct checker *c)
{
	struct job *j = c->s->job;
	int64_t since, now = loop_now(), ms = c->piped ? PIPE_MS : BLOCKED_MS;
	struct rankset missing = { 0 }, waiting = { 0 };
	struct point p;

	if (!c->begun || !j || !c->trace_config.hold || now < c->next_look)
		return;
	if (job_held(j, &c->released, &p, &missing, &waiting, &since) && now - since > ms) {
		c->next_look = now + ms;
		if (hang_blocked(c->s, &missing, (uint32_t)(ms / 100))) {
			release(c, &p, &waiting, &missing, c->piped);
			c->piped = true;
		}
	}
	rankset_clear(&missing);
	rankset_clear(&waiting);
}

void checker_take(struct checker *c, struct point_sums *t, const struct rankset *missing)
{
	struct point at = t->point;
	struct err err = { "" };
	struct sums_point *p;
	size_t added;

	if (!c->begun) {
		give_verdict(c, &at, false);
		return;
	}
	report_dropped(c, &t->dropped, &t->point);
	check_region(c, t);
	p = replicas_complete(c->replicas, t, missing) ? NULL
						       : sums_point_make(c->s, t, missing, &err);
	if (!p) {
		checker_incomplete(c, "checksums are lost: %s",
				   *err.text ? err.text : "out of memory");
		give_verdict(c, &at, false);
		return;
	}
	if (!c->known && !c->tap)
		checker_apply_uses(c, p);
	/* that points before it were given up does not make this one less */
	p->partial = missing && missing->n;
	if (p->partial && !c->trace_config.drop &&
	    rankset_meets(missing, job_set(c->s->job, JOB_RUNNING)))
		c->without++;
	c->points += p->kind != CONSTRUCT_FINISH;
	checker_forget_points(c, &p->point);
	checker_keep_summed(c, p);
	c->last = p;
	if (construct_unmarked(p->kind))
		c->call = p->point;
	if (c->tap) {
		check_failed(c, p);
		c->last = checker_copy_point(p);
		c->tap(c->tap_arg, p);
		return;
	}
	added = checker_take_point(c, p, t->dropped.n > 0);
	check_failed(c, p);
	if (added || t->differ.n) {
		c->sums_differ = added || (c->owed && c->sums_differ);
		c->traces_differ = t->differ.n || (c->owed && c->traces_differ);
	}
	give_verdict(c, &at, added || t->differ.n);
}

void checker_over(struct checker *c)
{
	bool complete = checker_complete(c->s->job);
	struct err err = { "" };

	if (!c->begun)
		return;
	c->begun = false;
	/* loaded and never started: a former reference stays */
	if (c->made && (!c->s->job || !job_gen(c->s->job))) {
		reference_destroy(c->made);
		c->made = NULL;
		return;
	}
	if (c->s->job && job_gen(c->s->job)) {
		report_dropped_last(c);
		checker_save_over(c);
	}
	if (c->made && reference_finish(c->made, complete, &err)) {
		checker_incomplete(c, "%s",
				   *err.text ? err.text : "the reference could not be written");
		reference_destroy(c->made);
		c->made = NULL;
	}
	if (c->made && complete && c->printed.n &&
	    reference_put_output(c->made, c->printed.text, c->printed.n, &err))
		checker_warn(c, "%s; printed results are not kept", err.text);
	if (c->s->job && job_gen(c->s->job)) {
		if (complete)
			checker_report_interval(c);
		if (complete)
			checker_report_missing(c);
		if (complete)
			checker_report_printed(c);
		checker_report_traces(c);
		checker_sum_up(c, complete);
		checker_sum_up_traces(c, complete);
		checker_sum_up_calculated(c);
		checker_sum_up_controlled(c);
		checker_write_levels(c);
	}
	if (!c->quiet)
		outcome_report(c->s->outcome, c->s->out,
			       c->made || c->drops ? "recorded" : "compared");
}

void checker_take_output(struct checker *c, const char *text, size_t len)
{
	if (c->begun)
		printed_add(&c->printed, text, len);
}

const char *checker_output(const struct checker *c)
{
	return c->printed.text ? c->printed.text : "";
}

void checker_printed_again(struct checker *c, const char *text)
{
	printed_diff_clear(&c->printed_diff);
	c->printed_done = false;
	printed_add(&c->printed_again, text, strlen(text));
}

/* Compares what was printed, once. */
static void compare_printed(struct checker *c)
{
	char *text;
	struct printed ref = { 0 };

	if (c->printed_done || !c->known)
		return;
	c->printed_done = true;
	text = reference_output(c->known, PRINTED_MOST);
	if (!text)
		return;
	printed_add(&ref, text, strlen(text));
	ref.cut = ref.n == PRINTED_MOST;
	printed_compare(&ref, &c->printed, c->printed_again.n ? &c->printed_again : NULL,
			PRINTED_EXP, settings_text(c->s->set, "OUTPUT_IGNORE"), &c->printed_diff);
	printed_clear(&ref);
	free(text);
}

size_t checker_printed(struct checker *c, size_t i, const char *line[2], const char *number[2])
{
	const struct printed_diff *d = &c->printed_diff;

	compare_printed(c);
	if (i < d->n) {
		line[0] = d->pair[i].ref;
		line[1] = d->pair[i].now;
		number[0] = d->pair[i].number_ref;
		number[1] = d->pair[i].number;
	}
	return d->n;
}

const struct compare *checker_comparison(const struct checker *c)
{
	return c->known ? c->compare : NULL;
}

struct reference *checker_reference(const struct checker *c)
{
	return c->known ? c->known : c->made;
}

uint64_t checker_points(const struct checker *c)
{
	return c->points;
}

struct sums_point *checker_objects(const struct checker *c, struct err *err)
{
	struct point_sums t = { .point = { .main = 1 }, .kind = CONSTRUCT_PL };
	struct sums_point *p = NULL;

	if (c->last)
		t.point = c->last->point;
	if (!c->replicas || !replicas_all(c->replicas, &t))
		p = sums_point_make(c->s, &t, NULL, err);
	else
		err_set(err, "out of memory");
	point_sums_clear(&t);
	return p;
}
