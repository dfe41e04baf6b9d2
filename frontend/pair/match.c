/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/pair/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "common/array/array.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "frontend/util/xalloc.h"

/* A point that has come. A construct can be tied to several: it waits in as many queues. */
struct arrival {
	struct sums_point *point; /* owned */
	unsigned pending;	  /* counterparts that have not come, and whoever has it in hand */
	bool holds;		  /* the side waits there for the verdict … */
	uint64_t since;		  /* … longer than one with a greater number */
	bool stop;
};

/* In the order of arrival. */
struct waiting {
	struct waiting *next;
	struct arrival *arrival;
};

/* Two places that correspond, NULL: any two by number; and what waits there for its counterpart. */
struct link {
	const char *where[2]; /* borrowed from a tie */
	struct waiting *first[2];
};

struct pair_match {
	pair_verdict_fn verdict;
	void *arg;
	struct compare *compare; /* borrowed */
	struct ties ties;
	struct link *link; /* one without ties */
	size_t nlink;
	bool over[2], well[2];
	bool parted; /* that one has more points has had its consequences */
	uint64_t beyond[2];
	uint64_t taken; /* points so far */
};

/* One of those that have the arrival in hand is done with it; the last gives the verdict. */
static void resolve(struct pair_match *m, int side, struct arrival *a, bool stop)
{
	a->stop |= stop;
	if (--a->pending)
		return;
	if (a->holds)
		m->verdict(m->arg, side, &a->point->point, a->stop);
	else if (a->stop)
		m->verdict(m->arg, side, NULL, true);
	sums_point_destroy(a->point);
	free(a);
}

static struct arrival *take_first(struct waiting **at)
{
	struct waiting *w = *at;
	struct arrival *a = w->arrival;

	*at = w->next;
	free(w);
	return a;
}

static void let_all_go(struct pair_match *m)
{
	for (size_t i = 0; i < m->nlink; i++)
		for (int k = 0; k < 2; k++)
			while (m->link[i].first[k])
				resolve(m, k, take_first(&m->link[i].first[k]), false);
}

/* Makes the queues again that the ties ask for. */
static void make_links(struct pair_match *m)
{
	struct link *link = xcalloc(m->ties.n + 1, sizeof(*link));
	size_t n = 0;

	for (size_t i = 0; i < m->ties.n; i++) {
		char **where = m->ties.list[i].where;
		size_t k = 0;

		while (k < n &&
		       (strcmp(link[k].where[0], where[0]) || strcmp(link[k].where[1], where[1])))
			k++;
		link[k] = (struct link){ .where = { where[0], where[1] } };
		n += k == n;
	}
	let_all_go(m);
	free(m->link);
	m->link = link;
	m->nlink = n ? n : 1;
}

struct pair_match *pair_match_create(pair_verdict_fn verdict, void *arg)
{
	struct pair_match *m = xcalloc(1, sizeof(*m));

	m->verdict = verdict;
	m->arg = arg;
	make_links(m);
	return m;
}

void pair_match_begin(struct pair_match *m, struct compare *c)
{
	let_all_go(m);
	ties_forget(&m->ties);
	for (int i = 0; i < 2; i++) {
		m->over[i] = m->well[i] = false;
		m->beyond[i] = 0;
	}
	m->parted = false;
	m->compare = c;
}

void pair_match_destroy(struct pair_match *m)
{
	if (!m)
		return;
	pair_match_begin(m, NULL);
	ties_clear(&m->ties);
	free(m->link);
	free(m);
}

int pair_match_tie(struct pair_match *m, const char *a, const char *b, struct err *err)
{
	if (ties_add(&m->ties, a, b, err))
		return -1;
	make_links(m);
	return 0;
}

void pair_match_untie(struct pair_match *m)
{
	let_all_go(m);
	ties_clear(&m->ties);
	for (size_t i = 0; i < m->nlink; i++)
		m->link[i] = (struct link){ 0 };
	m->nlink = 1;
}

const struct ties *pair_match_ties(const struct pair_match *m)
{
	return &m->ties;
}

static const struct sums_array *named(const struct sums_point *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->array[i].name, name))
			return &p->array[i];
	return NULL;
}

/* What a side says of a tied array at its point, or has said of a replicated object before. */
static const struct sums_array *newest_sum(const struct tie *t, int side,
					   const struct sums_point *p)
{
	const struct sums_array *a = named(p, t->array[side]);

	return a || !t->reported[side] ? a : &t->known[side];
}

/* x of A as if it were y, so that only values, type and extents count. */
static struct sums_array as_if(const struct sums_array *x, const struct sums_array *y)
{
	struct sums_array a = *x;

	a.name = y->name;
	a.file = y->file;
	a.line = y->line;
	a.counter = y->counter;
	a.order = y->order;
	memcpy(a.lower, y->lower, sizeof(a.lower));
	a.kind = ARRAY_DISTRIBUTED;
	/* a scalar that never changes is to be compared too */
	if (x->kind == ARRAY_REPLICATED || y->kind == ARRAY_REPLICATED)
		a.flags |= POINT_SUMS_WRITTEN;
	return a;
}

/* Compares what is tied at two places, under B's names. Returns how many mismatches that has
 * brought. */
static int compare_tied(struct pair_match *m, const struct link *l, const struct sums_point *a,
			const struct sums_point *b)
{
	struct sums_array *x = xcalloc(m->ties.n, sizeof(*x)), *y = xcalloc(m->ties.n, sizeof(*y));
	struct sums_point here = *b, ref = *b;
	int rc = -1;

	ref.array = x;
	here.array = y;
	ref.n = here.n = 0;
	for (size_t i = 0; i < m->ties.n; i++) {
		struct tie *t = &m->ties.list[i];
		const struct sums_array *p = newest_sum(t, PAIR_A, a),
					*q = newest_sum(t, PAIR_B, b);

		if (strcmp(t->where[0], l->where[0]) || strcmp(t->where[1], l->where[1]) || !p ||
		    !q)
			continue;
		x[ref.n++] = as_if(p, q);
		y[here.n++] = as_if(q, q);
		t->compared++;
	}
	here.partial = ref.partial = a->partial || b->partial;
	rc = ref.n ? compare_point(m->compare, &ref, &here) : 0;
	free(x);
	free(y);
	return rc;
}

/* The end of the program corresponds to the other's end alone, whatever its number. */
static bool is_finish(const struct sums_point *p)
{
	return p->kind == CONSTRUCT_FINISH;
}

/* A point that only one side has. */
static bool compare_alone(struct pair_match *m, int side, const struct sums_point *p)
{
	if (is_finish(p))
		return false;
	if (side == PAIR_A)
		return compare_missing(m->compare, p, true) > 0;
	return compare_point(m->compare, NULL, p) > 0;
}

static void compare_two(struct pair_match *m, const struct link *l, int side, struct arrival *here,
			struct arrival *there)
{
	const struct sums_point *a = side == PAIR_A ? here->point : there->point;
	const struct sums_point *b = side == PAIR_A ? there->point : here->point;
	int rc = l->where[0] ? compare_tied(m, l, a, b) : compare_point(m->compare, a, b);

	resolve(m, side, here, rc > 0);
	resolve(m, !side, there, rc > 0);
}

static bool is_main(const struct sums_point *p)
{
	return !p->point.sub;
}

/* The other side has come to the main point p: what this one has from before has no counterpart. */
static void pass_by(struct pair_match *m, struct link *l, int side, const struct point *p)
{
	struct waiting **at = &l->first[side];

	while (*at) {
		const struct sums_point *w = (*at)->arrival->point;

		if (point_compare(&w->point, p) != POINT_BEFORE) {
			at = &(*at)->next;
		} else {
			bool stop = compare_alone(m, side, w);

			resolve(m, side, take_first(at), stop);
		}
	}
}

static struct waiting **counterpart(struct link *l, int side, const struct sums_point *x)
{
	const struct point *p = &x->point;
	struct waiting **at = &l->first[!side];

	/* what is tied corresponds by how often it has ended */
	while (!l->where[0] && *at &&
	       (point_compare(&(*at)->arrival->point->point, p) != POINT_EQUAL ||
		is_finish((*at)->arrival->point) != is_finish(x)))
		at = &(*at)->next;
	return at;
}

static bool wait_for(struct link *l, int side, struct arrival *a)
{
	struct waiting **end = &l->first[side], *w = xcalloc(1, sizeof(*w));

	while (*end)
		end = &(*end)->next;
	w->arrival = a;
	*end = w;
	return true;
}

/* The other side is over and has no counterpart. Whether to stop there. */
static bool compare_beyond(struct pair_match *m, int side, const struct sums_point *p)
{
	if (!is_main(p) || is_finish(p))
		return false;
	m->beyond[side] += p->point.side == POINT_END;
	if (m->parted)
		return false;
	if (!m->well[!side]) {
		m->parted = true;
		return true;
	}
	if (p->point.side == POINT_BEGIN || m->ties.n || compare_state(m->compare)->rounds)
		return false;
	m->parted = true;
	return side == PAIR_A ? compare_ended(m->compare, p) > 0
			      : compare_point(m->compare, NULL, p) > 0;
}

/* Looks for the counterpart in one queue, and waits there for it when it has not come. */
static void match(struct pair_match *m, struct link *l, int side, struct arrival *a)
{
	struct waiting **at;

	if (!l->where[0] && is_main(a->point) && !is_finish(a->point))
		pass_by(m, l, !side, &a->point->point);
	at = counterpart(l, side, a->point);
	a->pending++;
	if (*at) {
		if (!l->where[0] && is_main(a->point))
			pass_by(m, l, side, &a->point->point);
		compare_two(m, l, side, a, take_first(at));
	} else if (m->over[!side]) {
		resolve(m, side, a, compare_beyond(m, side, a->point));
	} else if (!wait_for(l, side, a)) {
		resolve(m, side, a, false);
	}
}

/* Since when a side holds, by the number of points; 0: it does not. */
static uint64_t waits_since(const struct pair_match *m, int side)
{
	for (size_t i = 0; i < m->nlink; i++)
		for (const struct waiting *w = m->link[i].first[side]; w; w = w->next)
			if (w->arrival->holds)
				return w->arrival->since;
	return 0;
}

bool pair_match_waits(const struct pair_match *m, int side)
{
	return waits_since(m, side) != 0;
}

/* Nothing of the side holds any more, as it has gone on, or does so now. */
static void unhold(struct pair_match *m, int side, bool report, bool stop)
{
	for (size_t i = 0; i < m->nlink; i++) {
		for (struct waiting *w = m->link[i].first[side]; w; w = w->next) {
			struct arrival *a = w->arrival;

			if (a->holds && report)
				m->verdict(m->arg, side, &a->point->point, stop);
			a->holds = false;
		}
	}
}

void pair_match_release(struct pair_match *m, int side)
{
	unhold(m, side, true, false);
}

void pair_match_stop(struct pair_match *m, int side)
{
	unhold(m, side, true, true);
}

/* Tied to something, and at its end. */
static bool concerned(const struct pair_match *m, int side, const struct sums_point *p)
{
	if (!m->ties.n)
		return true;
	for (size_t i = 0; i < m->nlink; i++)
		if (p->point.side == POINT_END && !strcmp(m->link[i].where[side], p->where))
			return true;
	return false;
}

/*
 * Each would wait for what comes after that at which the other one waits: who came first goes on.
 * Its counterpart may never come at all, when something is tied wrongly.
 */
static void break_circle(struct pair_match *m)
{
	uint64_t a = waits_since(m, PAIR_A), b = waits_since(m, PAIR_B);

	if (a && b)
		pair_match_release(m, a < b ? PAIR_A : PAIR_B);
}

void pair_match_take(struct pair_match *m, int side, struct sums_point *p)
{
	struct arrival *a = NULL;

	/* it has nothing that its second side has not */
	if (is_finish(p) && p->point.side == POINT_BEGIN) {
		m->verdict(m->arg, side, &p->point, false);
		sums_point_destroy(p);
		return;
	}
	if (m->compare)
		ties_inspect(&m->ties, side, p);
	if (m->compare && concerned(m, side, p))
		a = xcalloc(1, sizeof(*a));
	if (!a) {
		m->verdict(m->arg, side, &p->point, false);
		sums_point_destroy(p);
		return;
	}
	/* it would not have come if the side still held at another */
	if (is_main(p))
		unhold(m, side, false, false);
	*a = (struct arrival){ .point = p, .pending = 1, .holds = is_main(p), .since = ++m->taken };
	for (size_t i = 0; i < m->nlink; i++) {
		struct link *l = &m->link[i];

		if (!l->where[0] || !strcmp(l->where[side], p->where))
			match(m, l, side, a);
	}
	resolve(m, side, a, false);
	break_circle(m);
}

void pair_match_over(struct pair_match *m, int side, bool well)
{
	if (m->over[side])
		return;
	m->over[side] = true;
	m->well[side] = well;
	for (size_t i = 0; i < m->nlink; i++) {
		struct waiting **at = &m->link[i].first[!side];

		while (*at) {
			struct arrival *a = take_first(at);

			resolve(m, !side, a, m->compare && compare_beyond(m, !side, a->point));
		}
	}
}

uint64_t pair_match_beyond(const struct pair_match *m, int side)
{
	return m->beyond[side];
}
