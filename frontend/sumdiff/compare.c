/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/sumdiff/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/point_sums.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

struct compare *compare_create(const struct compare_tolerance *tol)
{
	struct compare *c = xcalloc(1, sizeof(*c));

	c->tol = *tol;
	return c;
}

static void mismatch_destroy(struct mismatch *m)
{
	if (!m)
		return;
	free(m->where);
	free(m->func);
	free(m->text);
	compare_id_clear(&m->id);
	groups_clear(&m->copies);
	sum_result_destroy(m->truth);
	rankset_clear(&m->wrong);
	rankset_clear(&m->same);
	free(m);
}

void compare_destroy(struct compare *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->ntrack; i++)
		compare_track_destroy(c->track[i]);
	for (size_t i = 0; i < c->n; i++)
		mismatch_destroy(c->list[i]);
	for (size_t i = 0; i < c->nmoved; i++) {
		free(c->moved[i].ref);
		free(c->moved[i].now);
	}
	compare_site_clear(&c->last_end);
	free(c->track);
	free(c->list);
	free(c->moved);
	free(c);
}

static void note_small(struct compare *c, const struct track *t, const struct sums_point *p,
		       const struct sum_difference *d)
{
	struct compare_state *s = &c->state;

	if (!d->small)
		return;
	s->small++;
	if (s->small > 1 && point_sort(&s->small_from, &p->point) <= 0)
		return;
	s->small_from = p->point;
	strncpy(s->small_array, t->id.name, sizeof(s->small_array) - 1);
	strncpy(s->small_where, p->where ? p->where : "", sizeof(s->small_where) - 1);
}

static void note_rounding(struct compare *c, const struct track *t, const struct sums_point *p,
			  const struct sum_difference *d)
{
	struct compare_state *s = &c->state;

	note_small(c, t, p, d);
	s->rounds_most = fmax(s->rounds_most, d->norm);
	if (s->rounds && point_sort(&s->rounds_from, &p->point) <= 0)
		return;
	s->rounds = true;
	s->rounds_from = p->point;
	strncpy(s->rounds_array, t->id.name, sizeof(s->rounds_array) - 1);
	strncpy(s->rounds_where, p->where ? p->where : "", sizeof(s->rounds_where) - 1);
}

enum comparison compare_sum(struct compare *c, struct track *t, const struct sum_result *ref,
			    const struct sum_result *now, struct sum_difference *d)
{
	struct sum_tolerance tol;

	if (!sum_plan_equal(&ref->plan, &now->plan))
		return COMPARISON_SHAPE;
	tol = compare_limit_of(c, t->nscale == ref->plan.blocks ? t : NULL, now->plan.type);
	if (sum_compare(ref, now, &tol, d, NULL))
		return COMPARISON_SHAPE;
	c->state.rounds_single |= d->verdict == SUM_ROUNDING && (now->plan.type == VALUE_FLOAT ||
								 now->plan.type == VALUE_FCOMPLEX);
	return d->verdict == SUM_EQUAL	    ? COMPARISON_EQUAL
	       : d->verdict == SUM_ROUNDING ? COMPARISON_ROUNDING
					    : COMPARISON_FAULT;
}

/* A new mismatch at the end of the list, with its point and construct. */
static struct mismatch *mismatch_add(struct compare *c, enum mismatch_kind kind,
				     const struct site *at, const struct sums_array *id)
{
	struct mismatch *m;

	xvec_room(c->list, c->cap, c->n + 1);
	m = xcalloc(1, sizeof(*m));
	m->kind = kind;
	m->point = at->point;
	m->construct = at->kind;
	m->where = xstrdup(at->where ? at->where : "");
	m->func = xstrdup(at->func ? at->func : "");
	if (id)
		compare_id_copy(&m->id, id);
	c->list[c->n++] = m;
	return m;
}

/* What is known of an array that is wrong. */
struct wrong {
	enum comparison how;
	const struct sums_array *id;
	const struct sum_result *ref, *now; /* NULL: that run does not have it */
	const struct sum_difference *diff;
	const char *why; /* PARTS */
	bool between, unwritten, idle, gone;
};

static void add_values(struct mismatch *m, const struct wrong *w)
{
	m->kind = MISMATCH_VALUE;
	m->diff = *w->diff;
	m->plan = w->now->plan;
	m->now_hash = w->now->all.hash;
	for (unsigned k = 0; k < m->plan.parts; k++) {
		m->ref[k] = sum_mean(w->ref, k);
		m->now[k] = sum_mean(w->now, k);
	}
	m->text = compare_value_text(m);
}

/* Copies, and which of them are wrong when the reference says what is right. */
static void add_copies(struct compare *c, struct track *t, struct mismatch *m)
{
	const struct sum_result *truth = compare_truth(t);

	m->kind = MISMATCH_COPIES;
	m->truth = compare_sum_copy(truth);
	xalloc_check(groups_merge(&m->copies, &t->now.copies));
	compare_copies_wrong(c, t, &m->wrong, &m->same);
	compare_copies_sort(&m->copies);
	m->text = compare_copies_text(m);
}

/* Keeps the first mismatch of an array. */
static void add_wrong(struct compare *c, struct track *t, const struct site *at,
		      const struct wrong *w)
{
	struct mismatch *m;

	if (t->done)
		return;
	t->done = true;
	m = mismatch_add(c, MISMATCH_ABSENT, at, w->id);
	if (!m) {
		c->failed = true;
		return;
	}
	m->previous = t->good;
	m->between = w->between;
	m->gone = w->gone;
	m->finish = c->finish;
	if (m->finish && point_kind(&c->last_end.point) != POINT_KIND_MARKS)
		m->last = c->last_end.point;
	else if (m->finish)
		m->last = (struct point){ .main = at->point.main - 1, .side = POINT_END };
	if (m->between)
		m->after = c->last_end.point;
	m->unwritten = w->unwritten;
	m->idle = w->idle;
	if (w->now)
		m->plan = w->now->plan;
	if (w->how == COMPARISON_COPIES) {
		add_copies(c, t, m);
	} else if (w->how == COMPARISON_PARTS) {
		m->kind = MISMATCH_PARTS;
		m->plan = w->ref->plan;
		m->text = compare_parts_text(m, w->why);
	} else if (!w->ref || !w->now) {
		m->text = compare_absent_text(m, w->now != NULL);
	} else if (w->how == COMPARISON_SHAPE) {
		m->kind = MISMATCH_SHAPE;
		m->text = compare_shape_text(m, &w->ref->plan, &w->now->plan);
	} else {
		add_values(m, w);
	}
	if (!m->text)
		c->failed = true;
}

/* Counts a comparison; true: it went well. */
static bool count(struct compare *c, struct track *t, enum comparison how,
		  const struct sum_plan *plan)
{
	struct compare_state *s = &c->state;

	s->faults += how > COMPARISON_ROUNDING;
	t->ended = c->at_end;
	if (c->at_end) {
		s->ends++;
		return how <= COMPARISON_ROUNDING;
	}
	s->arrays++;
	s->ref_elements += plan ? plan->total : 0;
	s->equal += how == COMPARISON_EQUAL;
	s->rounding += how == COMPARISON_ROUNDING;
	if (!t->counted) {
		t->counted = true;
		s->names++;
	}
	return how <= COMPARISON_ROUNDING;
}

static bool is_zero(const struct sum_result *r)
{
	for (unsigned k = 0; k < r->plan.parts; k++) {
		const struct sum_numbers *n = &r->all.part[k];

		if (n->nan || n->up || n->dn)
			return false;
	}
	return compare_magnitude(r) == 0;
}

static bool in_task(const struct point *p)
{
	return p->sub != 0;
}

static struct site site_of(const struct sums_point *p)
{
	return (struct site){ p->where, p->func, p->kind, p->point };
}

static bool same_geometry(const struct sums_array *a, const struct sums_array *b)
{
	for (unsigned d = 0; a->sum && b->sum && d < a->sum->plan.ndim; d++)
		if (a->lower[d] != b->lower[d])
			return false;
	return a->kind == b->kind;
}

/* A distributed array that both runs report here. */
static void compare_array(struct compare *c, const struct sums_point *p,
			  const struct sums_array *ref, const struct sums_array *now)
{
	struct track *t = compare_track(c, now);
	struct sum_difference d = { 0 };
	struct site at = site_of(p);
	struct wrong w = { .id = now, .ref = ref->sum, .now = now->sum, .diff = &d };

	if (!t) {
		c->failed = true;
		return;
	}
	if (!ref->sum || !now->sum) {
		/* a task need not be on all ranks that have a part */
		c->state.skipped += !in_task(&p->point) && !c->at_end;
		if (!ref->sum || !now->uneven || in_task(&p->point) || c->at_end)
			return;
		w.how = COMPARISON_PARTS;
		w.why = now->failed;
		c->state.faults++;
		add_wrong(c, t, &at, &w);
		return;
	}
	if (ref->flags & POINT_SUMS_WRITTEN)
		compare_scale(t, ref->sum);
	w.unwritten = !((ref->flags | now->flags) & POINT_SUMS_WRITTEN);
	if (w.unwritten && (is_zero(ref->sum) || is_zero(now->sum)) && same_geometry(ref, now) &&
	    sum_plan_equal(&ref->sum->plan, &now->sum->plan) &&
	    ref->sum->all.hash != now->sum->all.hash)
		return;
	w.how = same_geometry(ref, now) ? compare_sum(c, t, ref->sum, now->sum, &d)
					: COMPARISON_SHAPE;
	if (!count(c, t, w.how, &now->sum->plan)) {
		add_wrong(c, t, &at, &w);
		return;
	}
	if (w.how == COMPARISON_ROUNDING)
		note_rounding(c, t, p, &d);
	if (!now->copies.n)
		t->good = p->point;
}

/* Only one run has it; here: this one. */
static void array_absent(struct compare *c, const struct sums_point *p, const struct sums_array *a,
			 bool here)
{
	struct track *t = compare_track(c, a);
	struct site at = site_of(p);
	struct wrong w = { .id = a };

	/* what is there at the end may depend on the number of ranks */
	if (c->at_end)
		return;
	if (!t) {
		c->failed = true;
		return;
	}
	if (!a->sum) {
		c->state.skipped += !in_task(&p->point);
		return;
	}
	w.how = COMPARISON_SHAPE;
	w.ref = here ? NULL : a->sum;
	w.now = here ? a->sum : NULL;
	count(c, t, w.how, NULL);
	add_wrong(c, t, &at, &w);
}

static bool is_gone(const struct sums_array *a)
{
	return a->flags & POINT_SUMS_GONE;
}

/* It is not one of the arrays that a construct has left. */
static bool is_aside(const struct sums_array *a)
{
	return a->flags & (POINT_SUMS_GONE | POINT_SUMS_AGAIN);
}

static void compare_arrays(struct compare *c, const struct sums_point *ref,
			   const struct sums_point *now)
{
	for (size_t i = 0; i < now->n; i++) {
		const struct sums_array *a = &now->array[i], *b = sums_point_find(ref, a);

		if (a->kind != ARRAY_DISTRIBUTED || is_aside(a))
			continue;
		if (b)
			compare_array(c, now, b, a);
		else
			array_absent(c, now, a, true);
	}
	for (size_t i = 0; i < ref->n; i++)
		if (ref->array[i].kind == ARRAY_DISTRIBUTED && !is_aside(&ref->array[i]) &&
		    !sums_point_find(now, &ref->array[i]))
			array_absent(c, now, &ref->array[i], false);
}

/* p may be NULL: the run has nothing. */
static void take_known(struct compare *c, const struct sums_point *p, bool is_ref)
{
	for (size_t i = 0; p && i < p->n; i++) {
		const struct sums_array *a = &p->array[i];
		bool copies = a->kind == ARRAY_REPLICATED && !is_gone(a);
		struct track *t = copies ? compare_track(c, a) : NULL;

		if (!t)
			continue;
		t->lost[is_ref] = false;
		compare_known_set(is_ref ? &t->ref : &t->now, a);
		if (is_ref) {
			t->ref_written |= (a->flags & POINT_SUMS_WRITTEN) != 0;
			if (t->ref_written && a->sum)
				compare_scale(t, a->sum);
		} else {
			compare_id_show(&t->id, a);
			t->id.flags = a->flags | (t->id.flags & POINT_SUMS_WRITTEN);
		}
	}
}

static void pending_end(struct track *t)
{
	t->pending = false;
	compare_site_clear(&t->since);
}

static uint64_t value_hash(const struct known *k)
{
	uint64_t h = k->sum ? k->sum->all.hash : 0;

	for (size_t i = 0; i < k->copies.n; i++)
		for (size_t n = 0; n < k->copies.group[i].len; n++)
			h = (h ^ k->copies.group[i].blob[n]) * 0x100000001b3u;
	return h;
}

/* Copies that no more than rounding keeps apart, or that all are the reference's, are one value. */
static bool copies_wrong(struct compare *c, struct track *t)
{
	struct rankset wrong = { 0 }, same = { 0 };
	bool bad = t->now.copies.n && !compare_copies_match(c, t);

	if (bad && compare_truth(t)) {
		compare_copies_wrong(c, t, &wrong, &same);
		bad = wrong.n > 0;
	}
	rankset_clear(&wrong);
	rankset_clear(&same);
	return bad;
}

/* How a replicated object compares, by what both runs said of it last. */
static void compare_newest(struct compare *c, struct track *t, struct wrong *w,
			   struct sum_difference *d)
{
	*w = (struct wrong){ .how = COMPARISON_FAULT,
			     .id = &t->id,
			     .ref = t->ref.sum,
			     .now = t->now.sum,
			     .diff = d };
	w->unwritten = !(t->id.flags & POINT_SUMS_WRITTEN) && !t->ref_written;
	w->idle = !(t->id.flags & POINT_SUMS_WRITTEN) && t->ref_written;
	if (copies_wrong(c, t))
		w->how = COMPARISON_COPIES;
	else if (w->ref && w->now)
		w->how = compare_sum(c, t, w->ref, w->now, d);
}

/*
 * It is wrong at p, a beginning: since the end before, when it was the same there, else since
 * something that ran between.
 */
static void wrong_at_begin(struct compare *c, struct track *t, const struct sums_point *p,
			   struct wrong *w)
{
	struct site at = site_of(p);

	if (t->pending && t->hash == value_hash(&t->now)) {
		add_wrong(c, t, &t->since, w);
	} else {
		w->between = c->last_end.where != NULL;
		if (w->between) {
			at = c->last_end;
			at.point = p->point;
		}
		add_wrong(c, t, &at, w);
	}
	pending_end(t);
}

static void compare_object(struct compare *c, struct track *t, const struct sums_point *p)
{
	struct sum_difference d = { 0 };
	struct wrong w;

	if ((t->ref.there && !t->ref.sum) || (t->now.there && !t->now.sum)) {
		c->state.skipped++;
		pending_end(t);
		return;
	}
	compare_newest(c, t, &w, &d);
	if (w.how <= COMPARISON_ROUNDING) {
		count(c, t, w.how, &w.now->plan);
		if (w.how == COMPARISON_ROUNDING)
			note_rounding(c, t, p, &d);
		t->good = p->point;
		pending_end(t);
		return;
	}
	/* not reported again means unchanged: it was right up to the point before */
	if (!t->pending && t->good.main)
		t->good = c->before;
	/* nothing follows the end */
	if (p->point.side == POINT_BEGIN || p->kind == CONSTRUCT_FINISH) {
		count(c, t, w.how, w.now ? &w.now->plan : NULL);
		wrong_at_begin(c, t, p, &w);
	} else if (c->tol.alone) {
		struct site at = site_of(p);

		count(c, t, w.how, w.now ? &w.now->plan : NULL);
		add_wrong(c, t, &at, &w);
	} else {
		struct site at = site_of(p);

		t->pending = true;
		t->hash = value_hash(&t->now);
		compare_site_set(&t->since, p);
		t->since.point = at.point;
	}
}

/* Copies of an array that is partly replicated: they are one value where the next construct begins.
 */
static void compare_split(struct compare *c, const struct sums_point *p,
			  const struct sums_array *ref, const struct sums_array *a)
{
	struct track *t = compare_track(c, a);
	struct wrong w = { .how = COMPARISON_COPIES, .id = a, .now = a->sum };
	struct site at = site_of(p);

	if (t->done || !a->sum)
		return;
	compare_known_set(&t->now, a);
	if (ref)
		compare_known_set(&t->ref, ref);
	if (!copies_wrong(c, t)) {
		pending_end(t);
	} else if (p->point.side == POINT_BEGIN || p->kind == CONSTRUCT_FINISH) {
		count(c, t, w.how, &a->sum->plan);
		wrong_at_begin(c, t, p, &w);
	} else {
		t->pending = true;
		t->hash = value_hash(&t->now);
		compare_site_set(&t->since, p);
		t->since.point = at.point;
	}
}

static void compare_splits(struct compare *c, const struct sums_point *ref,
			   const struct sums_point *now)
{
	/* inside of a collective call copies may be on their way */
	for (size_t i = 0; i < now->n && now->kind != CONSTRUCT_MPI; i++)
		if (now->array[i].split && !is_gone(&now->array[i]))
			compare_split(c, now, ref ? sums_point_find(ref, &now->array[i]) : NULL,
				      &now->array[i]);
}

/* Replicated objects at a main point p of either run. */
static void compare_objects(struct compare *c, const struct sums_point *p, bool with_objects)
{
	for (size_t i = 0; i < c->ntrack; i++) {
		struct track *t = c->track[i];
		bool reported = t->ref.reported || t->now.reported;

		if (t->id.kind == ARRAY_DISTRIBUTED)
			continue;
		t->ref.reported = t->now.reported = false;
		/* what is not reported again is not there any more */
		if (!reported || !with_objects)
			pending_end(t);
		if (reported && with_objects && !t->done && !t->lost[0] && !t->lost[1])
			compare_object(c, t, p);
	}
}

/* How an object that both runs have given up was when it went. */
static void compare_one_gone(struct compare *c, const struct sums_point *p,
			     const struct sums_array *ref, const struct sums_array *now)
{
	struct sum_difference d = { 0 };
	struct track *t = compare_track(c, now);
	struct wrong w = { .id = now, .ref = ref->sum, .now = now->sum, .diff = &d, .gone = true };
	struct site at = site_of(p);

	w.unwritten = !((ref->flags | now->flags) & POINT_SUMS_WRITTEN);
	if (w.unwritten && (is_zero(ref->sum) || is_zero(now->sum)))
		return;
	w.how = same_geometry(ref, now) ? compare_sum(c, t, ref->sum, now->sum, &d)
					: COMPARISON_SHAPE;
	if (count(c, t, w.how, &now->sum->plan)) {
		if (w.how == COMPARISON_ROUNDING)
			note_rounding(c, t, p, &d);
		return;
	}
	w.between = p->point.side == POINT_BEGIN && c->last_end.where;
	if (w.between) {
		at = c->last_end;
		at.point = p->point;
	}
	add_wrong(c, t, &at, &w);
}

static void compare_gone(struct compare *c, const struct sums_point *ref,
			 const struct sums_point *now)
{
	c->at_end = true;
	for (size_t i = 0; i < now->n; i++) {
		const struct sums_array *a = &now->array[i], *b;

		b = is_gone(a) && a->sum ? sums_point_find(ref, a) : NULL;
		if (b && b->sum)
			compare_one_gone(c, now, b, a);
	}
	c->at_end = false;
}

static bool same_construct(struct compare *c, const struct sums_point *ref,
			   const struct sums_point *now)
{
	if (ref->kind != now->kind)
		return false;
	if (now->kind == CONSTRUCT_FINISH)
		return true;
	if (c->tol.moved)
		return compare_same_moved(c, ref->where, now->where);
	return !strcmp(ref->where, now->where);
}

static void other_construct(struct compare *c, const struct sums_point *ref,
			    const struct sums_point *now)
{
	struct site at = site_of(now);
	struct mismatch *m;

	if (c->other_construct)
		return;
	c->other_construct = true;
	m = mismatch_add(c, MISMATCH_CONSTRUCT, &at, NULL);
	if (m) {
		m->previous = c->last_end.point;
		m->text = compare_construct_text(ref, now);
	}
	if (!m || !m->text)
		c->failed = true;
}

/* A point is done: how many mismatches it has brought. */
static int conclude(struct compare *c, const struct sums_point *p, size_t before)
{
	if (!in_task(&p->point))
		c->before = p->point;
	if (p->point.side == POINT_END && !in_task(&p->point) && p->kind != CONSTRUCT_FINISH)
		compare_site_set(&c->last_end, p);
	if (!c->failed)
		return (int)(c->n - before);
	c->failed = false;
	return -1;
}

int compare_point(struct compare *c, const struct sums_point *ref, const struct sums_point *now)
{
	bool main = !in_task(&now->point), whole = !now->partial && !(ref && ref->partial);
	uint64_t arrays = c->state.arrays;
	size_t before = c->n;

	if ((!ref && now->point.side == POINT_END) || (ref && !same_construct(c, ref, now))) {
		other_construct(c, ref, now);
		whole = false;
	}
	/* with other constructs what has no counterpart means nothing */
	if (!ref && c->other_construct)
		whole = false;
	c->finish = now->kind == CONSTRUCT_FINISH;
	if (main && whole && ref)
		compare_gone(c, ref, now);
	c->at_end = c->finish;
	if (main) {
		take_known(c, ref, true);
		take_known(c, now, false);
		compare_objects(c, now, whole);
	}
	if (whole && ref)
		compare_arrays(c, ref, now);
	if (whole && main)
		compare_splits(c, ref, now);
	c->state.finish |= c->at_end && whole && ref;
	c->at_end = false;
	c->state.points += c->state.arrays > arrays;
	if (main && c->state.arrays > arrays)
		c->state.last = now->point;
	return conclude(c, now, before);
}

void compare_other_kind(struct compare *c, const struct sums_point *p, bool is_ref)
{
	if (!in_task(&p->point))
		take_known(c, p, is_ref);
}

int compare_missing(struct compare *c, const struct sums_point *ref, bool passed)
{
	uint64_t arrays = c->state.arrays;
	size_t before = c->n;

	if (in_task(&ref->point))
		return 0;
	take_known(c, ref, true);
	compare_objects(c, ref,
			passed && !c->other_construct && !ref->partial &&
				ref->point.side == POINT_BEGIN);
	c->state.points += c->state.arrays > arrays;
	return conclude(c, ref, before);
}

void compare_lose(struct compare *c, bool ref)
{
	c->lost[ref] = true;
	for (size_t i = 0; i < c->ntrack; i++) {
		c->track[i]->lost[ref] = true;
		pending_end(c->track[i]);
	}
}

int compare_ended(struct compare *c, const struct sums_point *ref)
{
	struct site at = c->last_end;
	struct mismatch *m;

	if (c->other_construct)
		return 0;
	c->other_construct = true;
	if (!at.where)
		at = site_of(ref);
	m = mismatch_add(c, MISMATCH_CONSTRUCT, &at, NULL);
	if (m) {
		m->previous = c->last_end.point;
		m->text = compare_ended_text(&m->previous, ref);
	}
	return m && m->text ? 1 : -1;
}

size_t compare_count(const struct compare *c)
{
	return c->n;
}

const struct mismatch *compare_mismatch(const struct compare *c, size_t i)
{
	return i < c->n ? c->list[i] : NULL;
}

const struct mismatch *compare_first(const struct compare *c)
{
	const struct mismatch *first = NULL;

	for (size_t i = 0; i < c->n; i++)
		if (!first || point_sort(&c->list[i]->point, &first->point) < 0)
			first = c->list[i];
	return first;
}

const struct sums_array *compare_unended(const struct compare *c, size_t i, struct point *last)
{
	const struct track *t;

	for (size_t k = 0; c->state.finish && k < c->ntrack; k++) {
		t = c->track[k];
		if (t->id.kind == ARRAY_REPLICATED || t->ended || t->done || !t->good.main || i--)
			continue;
		*last = t->good;
		return &t->id;
	}
	return NULL;
}

const struct compare_state *compare_state(const struct compare *c)
{
	return &c->state;
}
