/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/pair_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"

/* What waits for its counterpart, in the order of arrival. */
struct waiting {
	struct waiting *next;
	struct sums_point *point; /* owned */
};

struct tie {
	char *array[2], *where[2]; /* owned */
};

struct pair_match {
	pair_verdict_fn verdict;
	void *arg;
	struct compare *compare; /* borrowed */
	struct waiting *waiting[2];
	bool over[2];
	struct tie *tie;
	size_t ntie;
};

struct pair_match *pair_match_create(pair_verdict_fn verdict, void *arg)
{
	struct pair_match *m = calloc(1, sizeof(*m));

	if (m) {
		m->verdict = verdict;
		m->arg = arg;
	}
	return m;
}

static void drop(struct waiting **at)
{
	struct waiting *w = *at;

	*at = w->next;
	sums_point_destroy(w->point);
	free(w);
}

void pair_match_begin(struct pair_match *m, struct compare *c)
{
	for (int i = 0; i < 2; i++) {
		while (m->waiting[i])
			drop(&m->waiting[i]);
		m->over[i] = false;
	}
	m->compare = c;
}

void pair_match_untie(struct pair_match *m)
{
	for (size_t i = 0; i < m->ntie; i++) {
		for (int k = 0; k < 2; k++) {
			free(m->tie[i].array[k]);
			free(m->tie[i].where[k]);
		}
	}
	free(m->tie);
	m->tie = NULL;
	m->ntie = 0;
}

void pair_match_destroy(struct pair_match *m)
{
	if (!m)
		return;
	pair_match_begin(m, NULL);
	pair_match_untie(m);
	free(m);
}

/* "A.u@heat.c:61": side, array, place. */
static int tie_read(const char *text, int side, struct tie *t, struct err *err)
{
	const char *at = strrchr(text, '@'), *colon = at ? strrchr(at, ':') : NULL;

	if ((text[0] | 0x20) != 'a' + side || text[1] != '.' || !at || at == text + 2 || !colon ||
	    colon == at + 1 || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return err_set(err,
			       "'%s': %c.ARRAY@FILE:LINE is needed, the line that of a parallel loop or "
			       "task region",
			       text, 'A' + side);
	t->array[side] = strndup(text + 2, (size_t)(at - text - 2));
	t->where[side] = strdup(at + 1);
	return t->array[side] && t->where[side] ? 0 : err_set(err, "out of memory");
}

int pair_match_tie(struct pair_match *m, const char *a, const char *b, struct err *err)
{
	struct tie t = { 0 }, *grown;

	if (tie_read(a, PAIR_A, &t, err) || tie_read(b, PAIR_B, &t, err))
		goto fail;
	grown = realloc(m->tie, (m->ntie + 1) * sizeof(*grown));
	if (!grown) {
		err_set(err, "out of memory");
		goto fail;
	}
	m->tie = grown;
	m->tie[m->ntie++] = t;
	return 0;
fail:
	for (int k = 0; k < 2; k++) {
		free(t.array[k]);
		free(t.where[k]);
	}
	return -1;
}

const char *pair_match_tie_text(const struct pair_match *m, size_t i, char *out, size_t size)
{
	const struct tie *t = &m->tie[i];

	if (i >= m->ntie)
		return NULL;
	snprintf(out, size, "A.%s@%s = B.%s@%s", t->array[0], t->where[0], t->array[1],
		 t->where[1]);
	return out;
}

/* Whether a construct at one place on this side is tied to one at the other place. */
static bool tied(const struct pair_match *m, int side, const char *here, const char *there)
{
	for (size_t i = 0; i < m->ntie; i++)
		if (!strcmp(m->tie[i].where[side], here) &&
		    (!there || !strcmp(m->tie[i].where[!side], there)))
			return true;
	return false;
}

static bool belong(const struct pair_match *m, int side, const struct sums_point *here,
		   const struct sums_point *there)
{
	if (m->ntie)
		return tied(m, side, here->where, there->where);
	return point_compare(&here->point, &there->point) == POINT_EQUAL;
}

/* Gives an array another name, so that it is the same as one of the other run. */
static int rename_array(struct sums_array *a, const struct sums_array *as)
{
	char *name = strdup(as->name), *file = strdup(as->file);

	if (!name || !file) {
		free(name);
		free(file);
		return -1;
	}
	free(a->name);
	free(a->file);
	a->name = name;
	a->file = file;
	a->line = as->line;
	a->counter = as->counter;
	return 0;
}

static struct sums_array *named(struct sums_point *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->array[i].name, name))
			return &p->array[i];
	return NULL;
}

static void swap(struct sums_array *x, struct sums_array *y)
{
	struct sums_array t = *x;

	*x = *y;
	*y = t;
}

/*
 * Brings what is tied at these two places to the front of both lists, in the same order and under B's
 * names; returns how much that is.
 */
static size_t bring_tied(const struct pair_match *m, struct sums_point *a, struct sums_point *b)
{
	size_t n = 0;

	for (size_t i = 0; i < m->ntie; i++) {
		const struct tie *t = &m->tie[i];
		struct sums_array *x, *y;

		if (strcmp(t->where[PAIR_A], a->where) || strcmp(t->where[PAIR_B], b->where))
			continue;
		x = named(a, t->array[PAIR_A]);
		y = named(b, t->array[PAIR_B]);
		if (!x || !y || x < a->array + n || y < b->array + n)
			continue;
		swap(x, a->array + n);
		swap(y, b->array + n);
		if (rename_array(a->array + n, b->array + n))
			return n;
		n++;
	}
	return n;
}

static bool compare_two(struct pair_match *m, struct sums_point *a, struct sums_point *b)
{
	size_t na = a->n, nb = b->n;
	struct point number = a->point;
	char *where = NULL;
	int rc;

	if (m->ntie) {
		a->n = b->n = bring_tied(m, a, b);
		a->point = b->point;
		where = strdup(b->where);
		if (where) {
			char *own = a->where;

			a->where = where;
			where = own;
		}
		a->kind = b->kind;
	}
	rc = compare_point(m->compare, a, b);
	if (where) {
		char *theirs = a->where;

		a->where = where;
		free(theirs);
	}
	a->n = na;
	b->n = nb;
	a->point = number;
	return rc > 0;
}

/* The first of the other side that belongs to p. */
static struct waiting **find(struct pair_match *m, int side, const struct sums_point *p)
{
	struct waiting **at = &m->waiting[!side];

	while (*at && !belong(m, side, p, (*at)->point))
		at = &(*at)->next;
	return at;
}

static void wait_for(struct pair_match *m, int side, struct sums_point *p)
{
	struct waiting **end = &m->waiting[side], *w = calloc(1, sizeof(*w));

	if (!w) {
		m->verdict(m->arg, side, &p->point, false);
		sums_point_destroy(p);
		return;
	}
	while (*end)
		end = &(*end)->next;
	w->point = p;
	*end = w;
}

void pair_match_take(struct pair_match *m, int side, struct sums_point *p)
{
	struct waiting **at;
	bool stop;

	if (!m->compare || m->over[!side] ||
	    (m->ntie && (p->point.side != POINT_END || !tied(m, side, p->where, NULL)))) {
		m->verdict(m->arg, side, &p->point, false);
		sums_point_destroy(p);
		return;
	}
	at = find(m, side, p);
	if (!*at) {
		wait_for(m, side, p);
		return;
	}
	stop = side == PAIR_A ? compare_two(m, p, (*at)->point) : compare_two(m, (*at)->point, p);
	m->verdict(m->arg, side, &p->point, stop);
	m->verdict(m->arg, !side, &(*at)->point->point, stop);
	drop(at);
	sums_point_destroy(p);
}

bool pair_match_waits(const struct pair_match *m, int side)
{
	return m->waiting[side] != NULL;
}

void pair_match_over(struct pair_match *m, int side)
{
	m->over[side] = true;
	while (m->waiting[!side]) {
		m->verdict(m->arg, !side, &m->waiting[!side]->point->point, false);
		drop(&m->waiting[!side]);
	}
}
