/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks at the mismatch: the object in both runs, the halos that the construct had, the stack.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/stack_merge.h"
#include "common/protocol/msg.h"
#include "common/protocol/point_sums.h"
#include "frontend/model/ask.h"
#include "frontend/util/loop.h"
#include "frontend/verify/verify.h"
#include "frontend/diff/diff.h"
#include "frontend/hang/hang.h"
#include "frontend/match/match.h"
#include "frontend/symbols/symbols.h"
#include "frontend/locate/internal.h"
#include "frontend/reference/reference.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define ORDER_EXP 1e-6 /* more than sums that are made in another order differ by, relative */
#define MOST_ELEMENTS ((uint64_t)1 << 25) /* looked at in one go */
#define SHIFT_POINTS 8			  /* after which no exchange is waited for */

static const struct rankset *all(const struct session *s)
{
	return job_set(s->job, JOB_ALL);
}

/* The box around the blocks that differ, as a section; a whole scalar has no dimensions. */
static void wrong_box(const struct mismatch *m, struct section *sec)
{
	const struct sum_plan *p = &m->plan;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
	bool any = false;

	memset(sec, 0, sizeof(*sec));
	sec->ndim = p->ndim;
	for (uint32_t b = 0; b < p->blocks && p->ndim; b++) {
		if (!sum_in(m->diff.in_differ, b))
			continue;
		sum_plan_box(p, b, lo, hi);
		for (unsigned d = 0; d < p->ndim; d++) {
			struct section_dim *x = &sec->dim[d];

			lo[d] += m->id.lower[d];
			hi[d] += m->id.lower[d];
			x->first = any && x->first < lo[d] ? x->first : lo[d];
			x->last = any && x->last > hi[d] ? x->last : hi[d];
			x->step = 1;
		}
		any = true;
	}
	for (unsigned d = 0; d < p->ndim && !any; d++)
		sec->dim[d] = (struct section_dim){ .all = true };
}

/* Makes the box small enough to be looked at. */
static void cut_box(struct locate *l, struct section *sec)
{
	uint64_t total = 1;

	for (unsigned d = sec->ndim; d-- > 0 && !sec->dim[d].all;) {
		struct section_dim *x = &sec->dim[d];
		uint64_t n = (uint64_t)(x->last - x->first + 1);

		if (total * n > MOST_ELEMENTS) {
			x->last = x->first + (int64_t)(MOST_ELEMENTS / total) - 1;
			if (x->last < x->first)
				x->last = x->first;
			n = (uint64_t)(x->last - x->first + 1);
			locate_note(l,
				    "only a part of the differences was examined: %lld to %lld in "
				    "dimension %u",
				    (long long)x->first, (long long)x->last, d + 1);
		}
		total *= n;
	}
}

int locate_fetch(struct locate *l, struct session *s, const struct rankset *who,
		 struct fetched *out)
{
	struct section sec;
	struct err err = { "" };
	char name[400];
	int rc;

	if (l->m->plan.ndim)
		wrong_box(l->m, &sec);
	else
		memset(&sec, 0, sizeof(sec));
	cut_box(l, &sec);
	locate_name(l->m, name, sizeof(name));
	rc = fetch_large(s, name, sec.ndim ? &sec : NULL, who, MOST_ELEMENTS, out, &err);
	if (!rc && out->nmissing) {
		rc = err_set(&err, "elements are missing");
		fetched_clear(out);
	}
	if (rc)
		locate_note(l, "%s cannot be examined: %s", l->m->id.name, err.text);
	return rc;
}

/* Whether all ranks that have stopped are there, as seen from p. */
static bool stops_are(const struct session *s, const struct point *p, enum point_order order)
{
	const struct groups *stops = job_stops(s->job);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (report_stop_get(&r, &b) || point_compare(&r.point, p) != order)
			return false;
	}
	return stops->n;
}

/* Whether ranks have passed it; in a task they stop at the end of its region. */
static bool is_past(const struct session *s, const struct point *p)
{
	struct point to = *p;

	if (point_kind(p) == POINT_KIND_MARKS && p->task)
		to = (struct point){ .main = p->main, .side = POINT_END };
	return stops_are(s, &to, POINT_AFTER);
}

/* All ranks are at that point. */
static bool stands_at(const struct session *s, const struct point *p)
{
	return stops_are(s, p, POINT_EQUAL) && !job_set(s->job, JOB_EXITED)->n;
}

/* The values of the run that stands, or, where it has gone further, of one that is run again. */
static int fetch_now(struct locate *l)
{
	struct second *r;
	int rc = -1;

	if (stands_at(l->s, &l->m->point) ||
	    (l->m->id.kind == ARRAY_REPLICATED && job_set(l->s->job, JOB_STOPPED)->n))
		return locate_fetch(l, l->s, all(l->s), &l->values.now);
	r = locate_again(l, false, &l->m->point);
	if (r)
		rc = locate_fetch(l, second_session(r), all(second_session(r)), &l->values.now);
	second_retire(l->s, r);
	return rc;
}

/* What is wrong at the end of a construct of distributed arrays is looked at where it begins, too.
 */
static bool at_both(const struct locate *l, struct point *begin)
{
	*begin = l->m->point;
	begin->side = POINT_BEGIN;
	return l->m->kind == MISMATCH_VALUE && l->m->id.kind == ARRAY_DISTRIBUTED &&
	       l->m->point.side == POINT_END;
}

/* The reference made again, which stands at the mismatch. */
static struct second *again_there(struct locate *l)
{
	struct point begin;
	struct second *r;

	if (!at_both(l, &begin))
		return locate_again(l, true, &l->m->point);
	r = locate_again(l, true, &begin);
	if (!r)
		return NULL;
	locate_fetch(l, second_session(r), all(second_session(r)), &l->values.ref_begin);
	if (!locate_on(l, r, &l->m->point))
		return r;
	if (!l->interrupted)
		locate_note(l, "the repeated reference does not reach the end of the construct");
	second_retire(l->s, r);
	return NULL;
}

/* The values of the reference, made again; and whether that is what it was. */
int locate_fetch_ref(struct locate *l)
{
	struct second *r = again_there(l);
	const struct mismatch *other;
	char at[POINT_TEXT];
	int rc;

	if (!r)
		return -1;
	other = locate_differs(l, r);
	l->ref_again = other ? AGAIN_OTHER : AGAIN_SAME;
	if (other)
		locate_note(l,
			    "the reference is not reproducible: when it was run again, %s had "
			    "another value at %s",
			    l->m->id.name, point_format(&other->point, at));
	rc = locate_fetch(l, second_session(r), all(second_session(r)), &l->values.ref);
	if (!rc)
		locate_keep(l, second_session(r));
	second_retire(l->s, r);
	return rc;
}

static void compare_values(struct locate *l)
{
	struct locate_values *v = &l->values;
	struct diff_input in = { .name = l->m->id.name,
				 .type = v->now.q.type,
				 .order = l->m->id.order,
				 .section = &v->now.section,
				 .lower = v->now.desc.lower,
				 .extent = v->now.desc.extent,
				 .owner = v->owner,
				 .nowner = v->nowner };
	struct err err = { "" };

	if (!v->ref.q.n || !v->now.q.n || v->ref.q.type != v->now.q.type ||
	    values_total(&v->ref.q) != values_total(&v->now.q)) {
		locate_note(l, "%s has another shape in the reference", l->m->id.name);
		return;
	}
	in.ref = v->ref.q.group[0].bytes;
	in.now = v->now.q.group[0].bytes;
	in.tol = tolerance_of(l->s->set, in.type);
	free(v->scale);
	v->scale = diff_scale(&in, pair_compared(l->s), &v->now.desc);
	v->tol = in.tol;
	if (diff_make(&v->diff, &in, &err)) {
		locate_note(l, "%s: %s", l->m->id.name, err.text);
		return;
	}
	v->there = true;
	if (l->spec->image && diff_image(&in, l->spec->image, &err))
		locate_note(l, "no picture: %s", err.text);
	else
		v->image = l->spec->image != NULL;
}

static void inspect_values(struct locate *l)
{
	struct err err = { "" };
	char name[400];
	int rc = -1;

	if (l->m->kind == MISMATCH_COPIES)
		rc = locate_fetch_copies(l);
	else if (l->m->kind == MISMATCH_VALUE)
		rc = fetch_now(l) || locate_fetch_ref(l) ? -1 : 0;
	if (rc)
		return;
	if (l->m->id.kind == ARRAY_DISTRIBUTED &&
	    owners_all(l->s, locate_name(l->m, name, sizeof(name)), &l->values.owner,
		       &l->values.nowner, &err))
		locate_note(l, "%s", err.text);
	if (l->m->kind == MISMATCH_COPIES)
		locate_copy_owners(l);
	compare_values(l);
	if (l->m->kind == MISMATCH_COPIES)
		locate_look_copies(l);
}

/* The run with the halos has gone on to where the mismatch was: is it there again? */
static void inspect_again(struct locate *l, struct second *r)
{
	const struct mismatch *m = locate_differs(l, r);

	l->now_again = m && m->kind == l->m->kind && m->now_hash == l->m->now_hash ? AGAIN_SAME
										   : AGAIN_OTHER;
	if (!m)
		locate_note(
			l,
			"when the program was run again, %s was right there: it is not wrong in "
			"every run. Look for what depends on time: a wait or a synchronisation "
			"that is missing, memory that was never set",
			l->m->id.name);
	else if (l->now_again == AGAIN_OTHER)
		locate_note(
			l,
			"when the program was run again, %s was wrong there as well, but had other "
			"values: they depend on more than its input",
			l->m->id.name);
}

static void inspect_halo(struct locate *l, struct session *s, bool end)
{
	struct locate_halo *h = &l->halo;
	struct err err = { "" };

	if (job_size(s->job) < 2 || (end && !h->asked))
		return;
	if (halo_check_again(s, end ? &h->begin : NULL, end ? &h->end : &h->begin, &err))
		locate_note(l, "halos cannot be examined: %s", err.text);
	else if (end)
		h->ended = true;
	else
		h->asked = true;
}

/* Where the ranks of who stand; NULL: some do not, or it cannot be had. */
static json_t *stack_of(struct session *s, const struct rankset *who)
{
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	struct err err = { "" };
	struct stack_merge *stack;
	json_t *out = NULL;

	if (!who->n || !rankset_covers(job_set(s->job, JOB_STOPPED), who))
		return NULL;
	stack = stack_answer_ask(s, who, &answers, &silent, &err);
	if (stack)
		out = stack_answer(s, stack, 0, 0, stack->n, &answers, &silent);
	stack_merge_destroy(stack);
	groups_clear(&answers);
	rankset_clear(&silent);
	return out;
}

/* The ranks of s that stand at p. 0 or -1. */
static void standing_at(const struct session *s, const struct point *p, struct rankset *out)
{
	const struct groups *stops = job_stops(s->job);

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!report_stop_get(&r, &b) && point_compare(&r.point, p) == POINT_EQUAL)
			xrankset_add_set(out, &stops->group[i].ranks);
	}
}

/*
 * In a task no rank holds for the verdict, so the stack of the comparison is that of the region's
 * end: those that stand at the point, when the run is made again, know better.
 */
static void inspect_stack_in_task(struct locate *l, struct session *s)
{
	struct rankset there = { 0 };
	json_t *stack;

	if (!l->m->point.sub)
		return;
	standing_at(s, &l->m->point, &there);
	stack = stack_of(s, &there);
	rankset_clear(&there);
	if (!stack)
		return;
	json_decref(l->stack);
	l->stack = stack;
}

/* What marks of the program's own runs say follows from where it reads and writes. */
void locate_look_registered(struct locate *l, struct session *s)
{
	if (!l->spec->automatic)
		l->nshifted = halo_shifted(s, l->shifted);
}

/*
 * Whether arrays are registered by pointers to other elements than is said, which shows where halos
 * have been renewed: here, or at the next constructs.
 */
static void inspect_shift(struct locate *l, struct second *r)
{
	struct point p = l->m->point;

	if (!l->halo.end.n || p.sub)
		return;
	p.side = POINT_BEGIN;
	for (unsigned i = 0; i < SHIFT_POINTS && !l->nshifted && !l->interrupted; i++) {
		p.main++;
		if (locate_on(l, r, &p))
			return;
		locate_look_registered(l, second_session(r));
	}
}

/* The program made again: the elements and the halos where the construct begins and ends. */
static void inspect_construct(struct locate *l)
{
	const struct sums_point *at = NULL;
	struct point begin;
	struct session *s;
	struct second *r;

	if (!at_both(l, &begin) || !l->values.there)
		return;
	r = locate_again(l, false, &begin);
	if (!r)
		return;
	s = second_session(r);
	locate_fetch(l, s, all(s), &l->values.now_begin);
	inspect_halo(l, s, false);
	if (l->halo.begin.n)
		locate_look_registered(l, s);
	locate_date_halos(l, s);
	locate_look_astray(l, s);
	if (!locate_on(l, r, &l->m->point)) {
		inspect_stack_in_task(l, s);
		inspect_halo(l, s, true);
		inspect_again(l, r);
		at = checker_at(s->checker, &l->m->point);
		if (at && point_compare(&at->point, &l->m->point) != POINT_EQUAL)
			at = NULL;
	}
	if (l->now_again == AGAIN_SAME)
		locate_grade_begin(l, at);
	if (l->halo.asked)
		locate_choose_halos(l, at);
	locate_touched(l, at);
	if (!l->nshifted)
		inspect_shift(l, r);
	second_retire(l->s, r);
}

/*
 * A replicated object is found wrong when the next construct begins: the run is made again to the
 * end since when it was wrong, or after which it was set.
 */
static void inspect_stack_before(struct locate *l)
{
	const struct mismatch *m = l->m;
	struct second *r;
	json_t *stack;

	if (m->id.kind != ARRAY_REPLICATED ||
	    (m->point.side == POINT_BEGIN && !m->between && !l->went_on))
		return;
	l->elsewhere = !m->between;
	r = l->interrupted ? NULL : locate_again(l, false, m->between ? &m->after : &m->point);
	stack = r ? stack_of(second_session(r), all(second_session(r))) : NULL;
	second_retire(l->s, r);
	if (m->between || !stack) {
		l->stack_before = stack;
		return;
	}
	json_decref(l->stack);
	l->stack = stack;
	l->elsewhere = false;
}

/* Whether the name alone does not show which object is meant. */
static bool is_ambiguous(struct locate *l)
{
	return l->m->kind != MISMATCH_CONSTRUCT && locate_has_others(l, l->m->id.name);
}

bool locate_has_others(const struct locate *l, const char *name)
{
	struct fetch_objects objects = { 0 };
	const struct array_desc *first;
	struct err err = { "" };
	bool other = false;

	if (!l->s->job || !job_set(l->s->job, JOB_STOPPED)->n ||
	    fetch_names(l->s, name, job_set(l->s->job, JOB_STOPPED), &objects, &err))
		return false;
	first = objects.n ? &objects.item[0].desc : NULL;
	for (size_t i = 1; i < objects.n; i++) {
		const struct array_desc *a = &objects.item[i].desc;

		other |= !strcmp(a->name, first->name) &&
			 (a->line != first->line || a->counter != first->counter);
	}
	fetch_objects_clear(&objects);
	return other;
}

/* The two runs have received in different orders; or a run of its own order has other values. */
static void inspect_order(struct locate *l)
{
	const struct mismatch *m;
	struct second *r;
	unsigned rank;
	int from[2];

	if (!l->order_dir || l->m->kind != MISMATCH_VALUE || l->now_again == AGAIN_OTHER ||
	    l->ref_again == AGAIN_OTHER || l->unordered || !reference_has_order(l->order_dir))
		return;
	if (reference_order_differs(l->dir, l->order_dir, &rank, from)) {
		l->raced = true;
		locate_note(l,
			    "the runs receive messages in different orders: rank %u from rank %d "
			    "in the reference, from rank %d in this run, by MPI_ANY_SOURCE",
			    rank, from[0], from[1]);
		return;
	}
	l->unordered = true;
	r = locate_again(l, false, &l->m->point);
	l->unordered = false;
	if (!r)
		return;
	m = locate_differs(l, r);
	l->raced = !m || m->kind != l->m->kind ||
		   fabs(m->now[0] - l->m->now[0]) > ORDER_EXP * fabs(l->m->now[0]);
	if (l->raced)
		locate_note(l,
			    "the order of messages decides: with the order of the first run %s is "
			    "wrong as there; when messages were received as they came, %s",
			    l->m->id.name, m ? "it had other values" : "it was right");
	second_retire(l->s, r);
}

void locate_inspect(struct locate *l)
{
	l->ambiguous = is_ambiguous(l);
	if (!job_set(l->s->job, JOB_BAD)->n)
		l->stack = stack_of(l->s, all(l->s));
	l->elsewhere =
		l->m->id.kind == ARRAY_DISTRIBUTED && !l->m->finish && is_past(l->s, &l->m->point);
	/* its memory may hold something else by now */
	if (l->m->gone)
		return;
	if (l->m->id.kind == ARRAY_REPLICATED)
		l->set_by = hang_result_of(l->s, l->m->id.name, l->m->previous.main);
	inspect_values(l);
	if (l->m->kind == MISMATCH_PARTS)
		locate_look_parts(l);
	inspect_stack_before(l);
	if (!l->interrupted)
		inspect_construct(l);
	if (!l->interrupted)
		inspect_order(l);
	locate_look_shift(l);
}

/* ---- ranks that go different ways ---- */

#define NUMBERING_MS 3000

/* Where the reference has the point. */
static void put_reference_place(struct locate *l, json_t *o, const struct point *at)
{
	const struct sums_point *p = reference_point(l->ref, at, NULL);
	struct point end = *at;

	end.side = POINT_END;
	if (!p)
		p = reference_point(l->ref, &end, NULL);
	if (p)
		json_object_set_new(o, "reference",
				    json_sprintf("%s %s", construct_words(p->kind), p->where));
}

/* The point after which they part, and where all of them were then. */
static void put_before(struct locate *l, json_t *o, const struct point *at)
{
	struct point before = { .main = at->main - 1, .side = POINT_END };
	char text[POINT_TEXT];
	struct second *r;
	json_t *stack;

	if (at->main < 2)
		return;
	json_object_set_new(o, "after", json_string(point_format(&before, text)));
	r = locate_again(l, false, &before);
	stack = r ? stack_of(second_session(r), all(second_session(r))) : NULL;
	if (stack)
		locate_put_iteration(stack, o, "iteration", "loop");
	json_decref(stack);
	second_retire(l->s, r);
}

/* The ranks have different constructs at one number. */
static json_t *parted_numbers(struct locate *l, struct point *at)
{
	int64_t until = loop_now() + NUMBERING_MS;
	json_t *f, *o = NULL;
	const char *point;

	while (job_checking(l->s->job) && loop_now() < until && !loop_interrupted(l->s->loop))
		loop_turn(l->s->loop, 20);
	f = locate_finding(l->s, FINDING_NUMBERING);
	point = json_string_value(json_object_get(f, "point"));
	if (point && !point_parse(at, point, NULL)) {
		at->side = POINT_BEGIN;
		o = json_pack("{s:s s:o}", "point", point, "text",
			      json_sprintf("at %s there is %s", point,
					   json_string_value(json_object_get(f, "detail"))));
	}
	json_decref(f);
	return o;
}

/* Whether a variant of a frame has that rank; its iteration in a sequential loop is *n. */
static bool variant_of(const json_t *frame, uint32_t rank, json_int_t *n, const json_t **out)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(frame, "variants"), i, v)
	{
		const json_t *index = json_object_get(v, "iteration");
		const char *ranks = json_string_value(json_object_get(v, "ranks"));
		const char *kind = json_string_value(json_object_get(v, "construct"));
		char *list = ranks && *ranks ? xstrndup(ranks + 1, strlen(ranks + 1) - 1) : NULL;
		struct rankset set = { 0 };
		bool has = list && kind && !strcmp(kind, construct_brief(CONSTRUCT_SL)) &&
			   json_array_size(index) == 1 && !rankset_parse(&set, list, NULL) &&
			   rankset_has(&set, rank);

		rankset_clear(&set);
		free(list);
		if (!has)
			continue;
		*n = json_integer_value(json_array_get(index, 0));
		*out = v;
		return true;
	}
	return false;
}

/*
 * Ranks that run are behind others in their points, and ahead of them in a loop around both: these
 * cannot have gone the same way.
 */
static json_t *parted_loop(const json_t *stack, const struct point *at, const struct rankset *ahead,
			   const struct rankset *behind)
{
	const json_t *f, *here, *there;
	json_int_t mine, theirs;
	char a[128], b[128], point[POINT_TEXT];
	size_t i;

	json_array_foreach(json_object_get(stack, "frames"), i, f)
	{
		const char *file;

		if (!variant_of(f, ahead->run[0].lo, &mine, &here) ||
		    !variant_of(f, behind->run[0].lo, &theirs, &there) || theirs <= mine)
			continue;
		file = json_string_value(json_object_get(here, "file"));
		point_format(at, point);
		return json_pack(
			"{s:s s:o}", "point", point, "text",
			json_sprintf("%s came to %s in iteration %lld of the loop at %s:%lld, "
				     "%s went on to iteration %lld without it",
				     rankset_format(ahead, a, sizeof(a)), point, (long long)mine,
				     file ? file : "?",
				     (long long)json_integer_value(json_object_get(here, "line")),
				     rankset_format(behind, b, sizeof(b)), (long long)theirs));
	}
	return NULL;
}

/* All of who have passed no point after p. */
static bool behind_point(struct locate *l, const struct rankset *who, const struct point *p)
{
	struct msg_query q = { .kind = QUERY_STATUS };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	struct err err = { "" };
	bool behind = !ask(l->s, &q, who, &answers, &silent, &err) && answers.n && !silent.n;

	for (size_t i = 0; i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
		struct report_status r;

		behind &= !report_status_get(&r, &b) && point_sort(&r.point, p) < 0;
	}
	groups_clear(&answers);
	rankset_clear(&silent);
	return behind;
}

/* Where those have come that stand. */
static bool stopped_at(struct locate *l, struct point *at)
{
	const struct groups *stops = job_stops(l->s->job);
	struct report_stop r;
	struct buf b;

	if (!stops->n)
		return false;
	b = buf_view(stops->group[0].blob, stops->group[0].len);
	if (report_stop_get(&r, &b))
		return false;
	*at = r.point;
	return at->main && !at->sub && stands_at(l->s, at);
}

static json_t *parted_hung(struct locate *l, struct point *at)
{
	const struct rankset *ahead = job_set(l->s->job, JOB_STOPPED);
	const struct rankset *behind = job_set(l->s->job, JOB_RUNNING);
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	struct stack_merge *stack = NULL;
	struct err err = { "" };
	json_t *answer, *o = NULL;

	if (!ahead->n || !behind->n || !stopped_at(l, at))
		return NULL;
	at->side = POINT_BEGIN;
	if (behind_point(l, behind, at))
		stack = stack_answer_ask(l->s, all(l->s), &answers, &silent, &err);
	if (stack) {
		answer = stack_answer(l->s, stack, 0, 0, stack->n, &answers, &silent);
		o = parted_loop(answer, at, ahead, behind);
		json_decref(answer);
	}
	stack_merge_destroy(stack);
	groups_clear(&answers);
	rankset_clear(&silent);
	return o;
}

void locate_look_parted(struct locate *l)
{
	struct point at = { 0 };
	json_t *o;

	if (!l->s->job || job_size(l->s->job) < 2)
		return;
	o = parted_numbers(l, &at);
	if (!o && l->hung)
		o = parted_hung(l, &at);
	if (o && l->m && point_sort(&l->m->point, &at) < 0) {
		json_decref(o);
		o = NULL;
	}
	if (!o)
		return;
	l->m = NULL;
	put_reference_place(l, o, &at);
	put_before(l, o, &at);
	l->parted = o;
}

/*
 * What MPI receives counts more than what it sends, and both more than accesses to windows that
 * nothing separates.
 */
static void on_misuse(void *arg, const struct rankset *ranks, const struct report_finding *f)
{
	static const char program[] = "the program ";
	const char *what = f->detail ? f->detail : "";
	struct locate *l = arg;
	char at[600];

	(void)ranks;
	if (f->kind == FINDING_CONFLICT && !l->early)
		locate_say(&l->early, "%s", what);
	if (f->kind != FINDING_BUFFER || strncmp(what, program, strlen(program)) != 0)
		return;
	what += strlen(program);
	if (l->early_at && (strncmp(what, "reads", 5) != 0 || strstr(l->early, " reads ")))
		return;
	symbols_text(l->s->symbols, &f->place, at, sizeof(at));
	locate_say(&l->early, "%s %s", at, what);
	locate_say(&l->early_at, "%s", at);
}

void locate_look_early(struct locate *l)
{
	if (l->s->job)
		match_check(l->s, on_misuse, l);
}

void locate_take_early(struct locate *l)
{
	if (!l->early)
		return;
	if (!l->m) {
		locate_note(l,
			    "the answer depends on time, and may differ in another run: %s%s%s%s",
			    l->early,
			    l->early_at ? "; is what waits for that call (MPI_Wait, "
					  "MPI_Waitall) missing before "
					: "",
			    l->early_at ? l->early_at : "",
			    l->early_at ? ", or does it come too late?" : "");
		return;
	}
	if (l->because && l->grade == SLICE_PROVED &&
	    !(l->about & (LOCATE_HALO | LOCATE_STALE | LOCATE_COPIED))) {
		locate_note(l, "%s", l->early);
		free(l->early);
		l->early = NULL;
		return;
	}
	locate_because(l, 0, "%s", l->early);
	if (l->early_at)
		locate_say(&l->advice,
			   "is what waits for that call (MPI_Wait, MPI_Waitall) missing before %s, "
			   "or does it come too late?",
			   l->early_at);
	else
		locate_say(&l->advice,
			   "look at the displacements and counts of these accesses, and at what "
			   "separates them (MPI_Win_fence, MPI_Win_flush, MPI_Barrier)");
	l->grade = SLICE_PROVED;
	l->vague = false;
}

void locate_look_clear(struct locate *l)
{
	fetched_clear(&l->values.ref);
	fetched_clear(&l->values.now);
	free(l->values.scale);
	diff_clear(&l->values.diff);
	for (size_t i = 0; i < l->values.nowner; i++)
		array_desc_clear(&l->values.owner[i].desc);
	free(l->values.owner);
	fetched_clear(&l->values.ref_begin);
	fetched_clear(&l->values.now_begin);
	halo_report_clear(&l->halo.begin);
	halo_report_clear(&l->halo.end);
	free(l->halo.reported);
	json_decref(l->stack);
	json_decref(l->stack_before);
	json_decref(l->parts);
	json_decref(l->trace);
	json_decref(l->chain);
	free(l->because);
	free(l->early);
	free(l->early_at);
	free(l->advice);
	free(l->also_advice);
	locate_root_clear(l);
}
