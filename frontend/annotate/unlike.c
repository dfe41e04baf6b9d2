/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where arrays have no marks: the first line of which the values are not those of the run on one
 * rank, whichever rank sets which. What counts is what is written first, as runs have seen it.
 */
#include "frontend/annotate/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define LEAST 16       /* values of a line: fewer are none of an array */
#define CLOSE 1e-9     /* of the largest one: rounding */
#define MAIN 4	       /* lines that set a fourth of what the busiest sets are more than edges */
#define FARTHEST 8     /* one in so many values may be missing, or too many */
#define MUCH 500000000 /* some seconds */
#define NEAR 3	       /* lines of a statement */
#define BESIDE 20      /* … and lines between those of one sweep over an array */
#define SMALLEST 1e-30 /* numbers are not computed that are as small, nor as large */

struct valued {
	double value;
	uint32_t rank;
};

/* Of a line, what it sets in both runs. */
struct line {
	const char *file; /* borrowed */
	uint32_t line;
	unsigned size;
	uint64_t first; /* when it is seen in the run on one rank */
	bool odd;	/* it sets something else than real numbers */
	uint64_t all;	/* first values of it, on all ranks, alone or not */
	struct bag {
		struct valued *v;
		uint32_t n;
	} ref, now;
	const struct sweep *sweep; /* of the other run, on some rank */
};

struct lines {
	struct line *line;
	uint32_t n;
	uint64_t looked; /* values that were gone through */
};

static struct line *line_of(struct lines *x, const struct sweep *s)
{
	struct line *l;

	for (uint32_t i = 0; i < x->n; i++)
		if (x->line[i].line == s->line && x->line[i].size == s->size &&
		    !strcmp(x->line[i].file, s->file))
			return &x->line[i];
	l = xvec_add(x->line, x->n);
	*l = (struct line){
		.file = s->file, .line = s->line, .size = s->size, .first = UINT64_MAX
	};
	return l;
}

static bool has_bit(const uint64_t *bits, uint64_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static bool is_touched(const struct sweep *s, uint64_t i)
{
	return s->touched && i / 64 < s->room && has_bit(s->touched, i);
}

static void add_value(struct line *l, const struct region *m, uint64_t at, uint32_t rank, bool ref)
{
	struct bag *b = ref ? &l->ref : &l->now;
	double value;
	float f;

	if (l->size == 8) {
		memcpy(&value, (const char *)m->value + at, sizeof(value));
	} else {
		memcpy(&f, (const char *)m->value + at, sizeof(f));
		value = f;
	}
	/* whole numbers and addresses are tiny as real ones */
	if (!isfinite(value) || fabs(value) < SMALLEST || fabs(value) > 1 / SMALLEST)
		l->odd = true;
	else
		*xvec_add(b->v, b->n) = (struct valued){ .value = value, .rank = rank };
}

static int by_first(const void *a, const void *b)
{
	const struct sweep *x = *(const struct sweep *const *)a,
			   *y = *(const struct sweep *const *)b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Where it is allocated it is filled: with zeros, as a rule, which are no values here. */
static bool fills(const struct rank_seen *s, const struct sweep *w)
{
	const struct region *m = &s->region[w->region];

	return m->file && m->line == w->line && !strcmp(m->file, w->file);
}

/* Some other line sets the element, too: its first value may be from there, as no zero is one. */
static bool is_shared_by_lines(const struct rank_seen *s, const struct sweep *w, uint64_t k)
{
	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *o = &s->sweep[i];

		if (o->write && o->region == w->region && o->line != w->line && !fills(s, o) &&
		    is_touched(o, k * w->size / o->size))
			return true;
	}
	return false;
}

/* The writes of a rank in the order in which lines are seen; the first to an element counts. alone:
 * only elements that no other line sets. */
static void take_rank(struct lines *x, const struct rank_seen *s, uint32_t rank, bool ref,
		      bool alone)
{
	const struct sweep **order = xcalloc(s->nsweep + 1, sizeof(*order));
	uint64_t **taken = xcalloc(s->nregion + 1, sizeof(*taken));
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nsweep; i++)
		if (s->sweep[i].write && (s->sweep[i].size == 8 || s->sweep[i].size == 4) &&
		    s->sweep[i].region < s->nregion && s->region[s->sweep[i].region].value &&
		    !fills(s, &s->sweep[i]))
			order[n++] = &s->sweep[i];
	qsort(order, n, sizeof(*order), by_first);
	for (uint32_t i = 0; i < n; i++) {
		const struct sweep *w = order[i];
		const struct region *m = &s->region[w->region];
		struct line *l = line_of(x, w);

		if (!taken[w->region])
			taken[w->region] = xcalloc(m->bytes / 64 + 1, sizeof(**taken));
		if (ref && w->first < l->first)
			l->first = w->first;
		if (!ref)
			l->sweep = w;
		for (uint64_t k = 0; (k + 1) * w->size <= m->bytes; k++) {
			uint64_t at = k * w->size, *word = &taken[w->region][at / 64];

			if (!is_touched(w, k) || *word >> at % 64 & 1)
				continue;
			*word |= UINT64_C(1) << at % 64;
			l->all += has_bit(m->valued, at);
			if (has_bit(m->valued, at) && !(alone && is_shared_by_lines(s, w, k)))
				add_value(l, m, at, rank, ref);
		}
	}
	for (uint32_t i = 0; i < s->nregion; i++)
		free(taken[i]);
	free(taken);
	free(order);
}

static int by_value(const void *a, const void *b)
{
	const struct valued *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* What of a line differs. */
struct unlike {
	uint32_t more, less; /* values that only this run has, and only the reference */
	struct valued first; /* of these, that of the lowest rank; else the reference's */
	struct rankset ranks;
};

static void see(struct unlike *u, const struct valued *v)
{
	if (!u->more++ || v->rank < u->first.rank)
		u->first = *v;
	xrankset_add(&u->ranks, v->rank, v->rank);
}

/* Another line close by sets the value in the other run, or in this one: edges are set by lines of
 * their own, and where ranks are fewer they are inside. */
static bool is_moved(struct lines *x, const struct line *l, double value, double most, bool ref)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct line *o = &x->line[i];
		const struct bag *b = ref ? &o->now : &o->ref;
		uint32_t apart = o->line > l->line ? o->line - l->line : l->line - o->line;

		if (o == l || o->odd || apart > BESIDE || strcmp(o->file, l->file) != 0 ||
		    x->looked > MUCH)
			continue;
		x->looked += b->n;
		for (uint32_t k = 0; k < b->n; k++)
			if (fabs(b->v[k].value - value) <= CLOSE * most)
				return true;
	}
	return false;
}

/* Rounding makes it of zeros, which are no values here. */
static bool is_nothing(double value, double most)
{
	return fabs(value) <= CLOSE * most;
}

static void compare(struct lines *x, struct line *l, struct unlike *u)
{
	double most = 0, a, b;
	uint32_t i = 0, k = 0;

	*u = (struct unlike){ .more = 0 };
	qsort(l->ref.v, l->ref.n, sizeof(*l->ref.v), by_value);
	qsort(l->now.v, l->now.n, sizeof(*l->now.v), by_value);
	for (uint32_t j = 0; j < l->ref.n; j++)
		most = fmax(most, fabs(l->ref.v[j].value));
	while (i < l->ref.n || k < l->now.n) {
		a = i < l->ref.n ? l->ref.v[i].value : INFINITY;
		b = k < l->now.n ? l->now.v[k].value : INFINITY;
		if (fabs(a - b) <= CLOSE * most) {
			i++;
			k++;
		} else if (a < b) {
			if (!is_nothing(a, most) && !is_moved(x, l, a, most, true) && !u->less++ &&
			    !u->more)
				u->first = l->ref.v[i];
			i++;
		} else {
			if (!is_nothing(b, most) && !is_moved(x, l, b, most, false))
				see(u, &l->now.v[k]);
			k++;
		}
	}
}

/* As many values as the busiest line sets. */
static uint32_t busiest(const struct lines *x)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < x->n; i++)
		if (!x->line[i].odd && x->line[i].ref.n > most)
			most = x->line[i].ref.n;
	return most;
}

/* It goes over an array of which ranks have parts: about as many values as on one rank. */
static bool is_shared(const struct line *l)
{
	uint32_t a = l->ref.n, b = l->now.n, more = a > b ? a - b : b - a;

	return !l->odd && l->all <= 2 * ((uint64_t)a + b) && a >= LEAST && b >= LEAST &&
	       more <= a / FARTHEST;
}

/* The line takes what it sets from a message, or is in a function that exchanges some. */
static bool receives(const struct draft *m, const struct rank_seen *s, const struct sweep *w)
{
	const struct scan *scan = draft_source(m, w->file);
	const struct function *f = scan ? draft_function(scan, w->line) : NULL;

	return sweep_unpacks(s, w) || (f && f->mpi && !f->program && strcmp(f->name, "main") &&
				       scan_has_mpi(scan, f->body, f->end));
}

/* Elements that the line's function reads on the ranks and no line sets there: messages bring them.
 * *in: where most are. */
static uint64_t brought(const struct draft *m, const struct training *t,
			const struct rankset *ranks, const struct line *l, const struct region **in)
{
	uint64_t all = 0, most = 0;

	for (uint32_t r = 0; r < t->ranks; r++) {
		const struct rank_seen *s = &t->rank[r];
		bool *unpacks = xcalloc(s->nsweep + 1, sizeof(*unpacks));

		for (uint32_t i = 0; i < s->nsweep; i++)
			unpacks[i] = s->sweep[i].write && receives(m, s, &s->sweep[i]);

		for (uint32_t i = 0; (!ranks || rankset_has(ranks, r)) && i < s->nsweep; i++) {
			const struct sweep *x = &s->sweep[i];
			uint64_t n = 0;

			if (x->write || x->size != l->size || strcmp(x->file, l->file) ||
			    strcmp(x->func, l->sweep->func) || x->region >= s->nregion)
				continue;
			for (uint64_t k = 0; k < x->room * 64; k++) {
				bool set = !is_touched(x, k);

				for (uint32_t j = 0; !set && j < s->nsweep; j++)
					set = s->sweep[j].write && !unpacks[j] &&
					      s->sweep[j].region == x->region &&
					      s->sweep[j].size == x->size &&
					      is_touched(&s->sweep[j], k);
				n += !set;
			}
			all += n;
			if (n > most && in) {
				most = n;
				*in = &s->region[x->region];
			}
		}
		free(unpacks);
	}
	return all;
}

/* The line, or one beside it, reads elements as it sets. */
static bool reads_near(const struct training *t, const struct line *l)
{
	for (uint32_t r = 0; r < t->ranks; r++) {
		const struct rank_seen *s = &t->rank[r];

		for (uint32_t i = 0; i < s->nsweep; i++) {
			const struct sweep *x = &s->sweep[i];

			if (!x->write && x->size == l->size && x->line + NEAR >= l->line &&
			    x->line <= l->line + NEAR && !strcmp(x->file, l->file) &&
			    x->elements >= LEAST)
				return true;
		}
	}
	return false;
}

static char *name_of(const struct region *m)
{
	return m->name ? xstrdup(m->name)
		       : xasprintf("what is allocated at %s:%" PRIu32,
				   path_base(m->file ? m->file : "?"), m->line);
}

/* Where it comes from, as far as that shows. */
static char *origin(const struct draft *m, const struct training *one, const struct training *t,
		    const struct line *l, const struct unlike *u)
{
	const struct region *in = NULL;
	uint64_t now = brought(m, t, &u->ranks, l, &in);
	uint32_t wrong = 0;
	char *name, *text;

	for (uint32_t i = 0; i < l->now.n; i++)
		wrong += rankset_has(&u->ranks, l->now.v[i].rank);
	if (u->more * 2 > wrong)
		return xasprintf(
			"that is most of what it sets there: look at what it computes with "
			"there, as bounds, indices, and numbers that are to be the same on "
			"all ranks");
	if (!u->more)
		return xasprintf("look at the bounds of its loops, and at conditions");
	if (!reads_near(t, l))
		return xasprintf(
			"it reads no array: look at indices and other numbers that it computes "
			"with, at its bounds, and at where the parts of these ranks begin");
	if (!in || now <= brought(m, one, NULL, l, NULL))
		return xasprintf(
			"that is a smaller part, as at edges: look at the exchanges before it of "
			"what it reads: are they there, of the right elements and layers, and "
			"after these are set? Else at its bounds and conditions there, and at "
			"where the parts of these ranks begin");
	name = name_of(in);
	text = xasprintf(
		"its function reads elements of %s there that no line sets on the same "
		"rank, so messages bring them: look at the exchange before it: is it there, "
		"of the right elements, after they are set, and waited for?",
		name);
	free(name);
	return text;
}

static char *words(const struct draft *m, const struct training *one, const struct training *t,
		   const struct line *l, struct unlike *u)
{
	char ranks[80], *where = xasprintf("%s:%" PRIu32, path_base(l->file), l->line);
	char *run =
		one->ranks == 1 ? xstrdup("one rank") : xasprintf("%" PRIu32 " ranks", one->ranks);
	char *why = origin(m, one, t, l, u), *text;

	rankset_format(&u->ranks, ranks, sizeof(ranks));
	text = u->more ? xasprintf("%s is the first line that sets values which no rank sets there "
				   "in "
				   "the run on %s: %" PRIu32 " of %" PRIu32
				   ", on %s (%.10g on rank %" PRIu32 "); %s",
				   where, run, u->more, l->now.n, ranks, u->first.value,
				   u->first.rank, why)
		       : xasprintf(
				 "%s is the first line that does not set all values which it sets "
				 "in the run on %s: %" PRIu32 " of %" PRIu32
				 " are missing (%.10g); %s",
				 where, run, u->less, l->ref.n, u->first.value, why);
	free(why);
	free(run);
	free(where);
	return text;
}

static void lines_clear(struct lines *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		free(x->line[i].ref.v);
		free(x->line[i].now.v);
	}
	free(x->line);
}

/* The first line of both runs that differs, in words; NULL: none does. */
static char *first_line(const struct draft *m, const struct training *one, const struct training *t,
			bool alone)
{
	struct lines x = { 0 };
	struct line *first = NULL;
	struct unlike u, best = { 0 };
	uint32_t most;
	char *text;

	for (uint32_t r = 0; r < one->ranks; r++)
		take_rank(&x, &one->rank[r], r, true, alone);
	for (uint32_t r = 0; r < t->ranks; r++)
		take_rank(&x, &t->rank[r], r, false, alone);
	most = busiest(&x);
	for (uint32_t i = 0; i < x.n; i++) {
		struct line *l = &x.line[i];

		if (!is_shared(l) || l->ref.n < most / MAIN || (first && l->first >= first->first))
			continue;
		compare(&x, l, &u);
		if (!u.more && !u.less) {
			rankset_clear(&u.ranks);
			continue;
		}
		rankset_clear(&best.ranks);
		best = u;
		first = l;
	}
	text = first ? words(m, one, t, first, &best) : NULL;
	rankset_clear(&best.ranks);
	lines_clear(&x);
	return text;
}

/* Each element is held against each line. */
static bool is_too_much(const struct training *t)
{
	uint64_t all = 0;

	for (uint32_t r = 0; r < t->ranks; r++)
		for (uint32_t i = 0; i < t->rank[r].nsweep; i++)
			all += t->rank[r].sweep[i].elements * t->rank[r].nsweep;
	return all > MUCH;
}

char *unlike_line(const struct draft *m, const struct guesses *g)
{
	const struct training *one = &g->training[0], *t = NULL;
	char *text;

	for (uint32_t k = 0; k < g->ntraining; k++)
		if (g->training[k].size == one->size && g->training[k].ranks > one->ranks &&
		    (!t || g->training[k].ranks > t->ranks))
			t = &g->training[k];
	if (!t || is_too_much(one) || is_too_much(t))
		return NULL;
	text = first_line(m, one, t, true);
	return text ? text : first_line(m, one, t, false);
}
