/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel loops: their ranges, and what marks an iteration. */
#include "frontend/annotate/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

unsigned draft_nest(const struct scan *s, const struct loop *l, const struct loop **out,
		     unsigned max)
{
	unsigned n = 0;

	while (l && n < max) {
		const struct loop *in = NULL;
		unsigned inside = 0;

		out[n++] = l;
		for (uint32_t i = 0; i < s->nloop; i++) {
			const struct loop *x = &s->loop[i];

			if (x != l && !x->implicit && x->at > l->at && x->end <= l->end &&
			    (!in || x->end > in->end)) {
				in = x;
				inside++;
			}
		}
		if (inside > 1) /* several loops in it: no nest */
			break;
		l = in;
	}
	return n;
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool named(struct mark_names *n, char *e)
{
	if (!e)
		return false;
	mark_name_add(n, e);
	free(e);
	return true;
}

struct loop_boxes { /* by environment */
	int64_t lo[DRAFT_ENV],
		hi[DRAFT_ENV]; /* what the rank does with its own part, counted in that */
	int64_t first[DRAFT_ENV], last[DRAFT_ENV];  /* what all of them do, in global indices */
	int64_t begin[DRAFT_ENV],
		count[DRAFT_ENV]; /* its own part: first global index, if it is a block; elements */
	int64_t whole[DRAFT_ENV], end[DRAFT_ENV];   /* the whole array */
};

/* Boxes of what the loop does with its array along a dimension, which the source counts from
 * base. */
/* What sweeps in the loop do with a rank's own part along a dimension; false: nothing. */
static bool rank_box(const struct rank_seen *s, const struct array_guess *a, const struct part *p,
		     const struct draft_loop *l, bool write, unsigned d, int64_t *lo, int64_t *hi)
{
	*lo = INT64_MAX;
	*hi = INT64_MIN;
	for (uint32_t j = 0; j < s->nsweep; j++) {
		const struct sweep *w = &s->sweep[j];
		int64_t b[LAYOUT_DIMS], len[LAYOUT_DIMS], at;
		double fill;

		if (w->region != p->region || w->line < l->loop->first || w->line > l->loop->last ||
		    strcmp(w->file, l->scan->path) || w->write != write ||
		    !sweep_box(w, p, a->ndim, a->unit, b, len, &fill))
			continue;
		at = b[d] - p->own_lo[d];
		*lo = at < *lo ? at : *lo;
		*hi = at + len[d] - 1 > *hi ? at + len[d] - 1 : *hi;
	}
	if (*lo > *hi)
		return false;
	/* what it does with halos is beside its iterations */
	*lo = *lo < 0 ? 0 : *lo;
	*hi = *hi >= p->own_n[d] ? p->own_n[d] - 1 : *hi;
	return true;
}

static bool loop_box(const struct guesses *g, const struct draft_loop *l, unsigned d, int64_t base,
		     struct loop_boxes *x)
{
	uint32_t i = 0;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		const struct array_guess *a = &g->array[l->run[k].on];
		int64_t low = INT64_MAX, high = INT64_MIN;
		uint32_t begin = i;

		for (uint32_t r = 0; r < g->training[k].ranks; r++, i++) {
			const struct part *p = &a->run[k].part[r];
			int64_t lo, hi;

			if (!rank_box(&g->training[k].rank[r], a, p, l, l->run[k].nwrites > 0, d,
				      &x->lo[i], &x->hi[i]))
				return false;
			lo = guesses_index(g, a, k, r, d, x->lo[i]) + base;
			hi = guesses_index(g, a, k, r, d, x->hi[i]) + base;
			low = lo < low ? lo : low;
			high = hi > high ? hi : high;
			x->begin[i] = p->first[d] + base;
			x->count[i] = p->own_n[d];
			x->whole[i] = base;
			x->end[i] = base + a->run[k].shape[d] - 1;
		}
		for (uint32_t r = begin; r < i; r++) {
			x->first[r] = low;
			x->last[r] = high;
		}
	}
	return true;
}

/* The expression has the variable. */
static bool has_variable(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *c = text; c && (c = strstr(c, name)); c += n)
		if ((c == text || !is_letter(c[-1])) && !is_letter(c[n]))
			return true;
	return false;
}

/* The first value of the loop's variable over all passes of the loops around it: of "1 + mod(j, 2)"
 * and "1 + (j + c) % 2" 1. To be freed; NULL: it is not known. */
static char *first_value(const struct draft_loop *l, const struct loop *in)
{
	const char *rest = strstr(in->from, "mod(");
	char *text = xstrdup(in->from);
	bool depends = false, inside = false;
	size_t n = strlen(text);

	if (!rest && n > 3 && (!strcmp(text + n - 3, "% 2") || !strcmp(text + n - 3, "& 1")))
		rest = strchr(in->from, '(');
	for (uint32_t i = 0; i < l->scan->nloop; i++) {
		const struct loop *x = &l->scan->loop[i];
		bool is = x != in && x->variable && x->at <= in->at && x->end >= in->end &&
			  has_variable(in->from, x->variable);

		depends = depends || is;
		inside = inside || (is && x->at >= l->loop->at);
	}
	if (!depends || (!rest && !inside))
		return text;
	n = rest ? (size_t)(rest - in->from) : 0;
	while (n && strchr(" +", text[n - 1]))
		n--;
	text[n] = 0;
	for (uint32_t i = 0; n && i < l->scan->nloop; i++)
		if (l->scan->loop[i].variable && has_variable(text, l->scan->loop[i].variable))
			n = 0;
	if (n)
		return text;
	free(text);
	return NULL;
}

/*
 * What is added to the loop's variable for the index in a rank's own part, or for the global one,
 * as text; NULL: the loop does not go along this dimension, or that is not known. *all: it goes
 * over all of the own part, and spares some.
 */
static char *offset(const struct guesses *g, const struct array_guess *a, unsigned d,
		    const struct loop *in, const char *first, const struct env *env, uint32_t n,
		    const struct loop_boxes *b, bool *all)
{
	const bool own = a->cyclic && !d;
	char *text;
	int64_t want[DRAFT_ENV], from, to;
	bool box = true, part = true, known = false, fixed = true;

	*all = false;
	for (uint32_t k = 0; k < n; k++) {
		if (!env_value(&env[k], first, &from))
			return NULL;
		want[k] = from;
		fixed = fixed && b->end[k] - b->whole[k] == b->end[0] - b->whole[0];
		if (!in->to || !env_value(&env[k], in->to, &to)) {
			part = false;
			continue;
		}
		known = true;
		box = box && to - in->below - from == b->hi[k] - b->lo[k];
		part = part && to - in->below - from + 1 == b->count[k];
	}
	if ((!box && !part) || (!known && fixed))
		return NULL; /* it goes along another dimension, or may: this one has components */
	*all = !box;
	for (uint32_t k = 0; k < n; k++)
		want[k] = (own ? 0 : b->begin[k]) + (box ? b->lo[k] : 0) - want[k];
	text = expression(env, want, n, NULL);
	return own ? text : cyclic_block(g, a, d, env, n, want, false, text, NULL);
}

/* The index along a dimension, from the loop in; NULL: not known. */
static char *index_of(const struct guesses *g, const struct draft_loop *l, const struct loop *in,
		      unsigned d, const struct env *env, uint32_t n, const struct loop_boxes *b,
		      bool *all)
{
	const struct array_guess *a = &g->array[l->run[0].on];
	bool cyclic = a->cyclic && !d;
	char *first = in->variable && in->from && !in->down ? first_value(l, in) : NULL;
	char *more = first ? offset(g, a, d, in, first, env, n, b, all) : NULL, *text, *index;

	free(first);
	if (!more)
		return NULL;
	if (!strcmp(more, "0"))
		text = xstrdup(in->variable);
	else if (*more == '-')
		text = xasprintf("%s - %s", in->variable, more + 1);
	else
		text = xasprintf("%s + %s", in->variable, more);
	free(more);
	if (!cyclic)
		return text;
	index = cyclic_index(g, a, env, n, text, b->whole[0]);
	free(text);
	return index;
}

/* Where a nested loop begins or ends depends on the variable of one around them. */
static bool is_strip(const struct scan *s, const struct loop *const *in, unsigned depth)
{
	for (uint32_t i = 0; i < s->nloop; i++) {
		const struct loop *x = &s->loop[i];

		if (!x->variable || x->at >= in[0]->at || x->end < in[0]->end)
			continue;
		for (unsigned k = 0; k < depth; k++)
			if (has_variable(in[k]->from, x->variable) ||
			    has_variable(in[k]->to, x->variable))
				return true;
	}
	return false;
}

static void clear_range(struct mark *m)
{
	mark_names_clear(&m->from);
	mark_names_clear(&m->to);
}

/* Ranks divide a dimension that no loop goes along as a whole. */
static bool is_divided(const struct array_guess *a, char *const *index)
{
	for (unsigned d = 0; d < a->ndim; d++)
		for (uint32_t k = 0; !index[d] && k < a->nrun; k++)
			if (a->run[k].grid[d] > 1)
				return true;
	return false;
}

/* The largest own part along a dimension that no loop goes along as a whole. */
static int64_t most_left(const struct array_guess *a, char *const *index)
{
	int64_t most = 0;

	for (unsigned d = 0; d < a->ndim; d++)
		if (!index[d] && a->run[0].part[0].own_n[d] > most)
			most = a->run[0].part[0].own_n[d];
	return most;
}

/* A nested loop goes over less than n elements when it is come to first. all: so do all that go
 * along no dimension. */
static bool has_other_ends(int64_t n, const struct loop *const *in, unsigned depth, unsigned taken,
			   const struct env *env, bool all)
{
	int64_t from, to;
	bool any = false;

	for (unsigned k = 0; k < depth; k++) {
		bool other = in[k]->variable && in[k]->from && in[k]->to && !in[k]->down &&
			     env_value(env, in[k]->from, &from) && env_value(env, in[k]->to, &to) &&
			     to - in[k]->below - from + 1 < n;

		if (taken >> k & 1)
			continue;
		if (all && !other)
			return false;
		any = any || other;
	}
	return any;
}

/* Only over a part of its array each time that it is come to. */
static bool goes_over_part(const struct guesses *g, const struct draft_loop *l,
			   const struct loop *const *in, unsigned depth, unsigned taken,
			   const struct env *env, int64_t left)
{
	return has_other_ends(left, in, depth, taken, env, false) ||
	       is_strip(l->scan, in, depth) || uses_plane(g, l, l->run[0].on);
}

/* One index alone, of several, on all ranks: the next time it may be another one. */
static bool is_one_plane(const struct loop_boxes *b, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (b->first[k] != b->last[k] || b->whole[k] == b->end[k])
			return false;
	return n;
}

static uint32_t environments(const struct guesses *g, const struct draft_loop *l, bool hidden,
			     struct env *env)
{
	uint32_t n = place_environments(g, l->scan, l->loop->first, l->loop->first, env);

	for (uint32_t i = 0; i < n; i++) {
		env[i].hidden = hidden;
		env[i].blocks = true;
	}
	return n;
}

bool draft_iterations(const struct guesses *g, const struct draft_array *array,
		      struct draft_loop *l, bool hidden)
{
	const struct array_guess *a = &g->array[l->run[0].on];
	struct env *env = xcalloc(DRAFT_ENV, sizeof(*env));
	struct loop_boxes *b = xcalloc(1, sizeof(*b));
	const struct loop *in[LAYOUT_DIMS];
	uint32_t n = environments(g, l, hidden, env);
	unsigned depth = draft_nest(l->scan, l->loop, in, LAYOUT_DIMS), taken = 0;
	bool box = n > 0, inside = true, all = false, range = box, plane = false, rest;
	char *index[LAYOUT_DIMS] = { NULL };
	struct mark *m = &l->mark;

	for (unsigned d = 0; box && d < a->ndim; d++) {
		unsigned of = l->scan->fortran ? a->ndim - 1 - d : d;

		env[0].prefer = of < array->mark.shape.n ? array->mark.shape.name[of] : NULL;
		box = loop_box(g, l, d, array->base[d], b);
		inside = inside && (!box || (b->first[0] >= array->base[d] &&
					       b->last[0] < array->base[d] + a->run[0].shape[d]));
		for (unsigned k = 0; box && !l->flat && k < depth && !index[d]; k++) {
			index[d] = taken >> k & 1 ? NULL
						  : index_of(g, l, in[k], d, env, n, b, &all);
			taken |= (unsigned)(index[d] != NULL) << k;
		}
		all = all && index[d];
		plane = plane || (box && !index[d] && is_one_plane(b, n));
		range = range && box &&
			named(&m->from, expression(env, all ? b->whole : b->first, n, NULL)) &&
			named(&m->to, expression(env, all ? b->end : b->last, n, NULL));
	}
	if (!range)
		clear_range(m);
	if (box && taken + 1 == 1u << depth && in[depth - 1]->braces &&
	    in[depth - 1]->body_line < in[depth - 1]->last &&
	    (l->scan->fortran || depth == a->ndim)) {
		for (unsigned d = 0; d < a->ndim; d++) {
			if (index[d]) {
				mark_name_add(&m->iteration, index[d]);
			} else if (range) {
				mark_name_remove(&m->from, m->iteration.n);
				mark_name_remove(&m->to, m->iteration.n);
			}
		}
		m->iteration_line = in[depth - 1]->body_line + 1;
	}
	if (!m->iteration.n && !l->loop->implicit && !l->flat &&
	    (plane || depth + 1 < a->ndim ||
	     goes_over_part(g, l, in, depth, taken, env, most_left(a, index))))
		clear_range(m);
	/* the rest comes with other calls: only then values are the same on any number of ranks */
	rest = box && !l->flat && !m->iteration.n && is_divided(a, index) &&
	       has_other_ends(most_left(a, index), in, depth, taken, env, true);
	if (l->scan->fortran)
		fortran_order(m);
	for (unsigned d = 0; d < a->ndim; d++)
		free(index[d]);
	free(env);
	free(b);
	return !rest && (inside || !l->loop->implicit);
}

/* ---- loops over the inside of own parts ---- */

static bool in_marked(const struct draft *m, const struct sweep *w)
{
	for (uint32_t i = 0; i < m->nloop; i++)
		if (w->line >= m->loop[i].loop->first && w->line <= m->loop[i].loop->last &&
		    !strcmp(w->file, m->loop[i].scan->path))
			return true;
	return false;
}

/* Lines that write what a loop spares, in the loop's source. */
struct others {
	const char *path;
	uint32_t last; /* the last one */
	bool any, elsewhere; /* there are some; and in other sources */
};

/* It writes all of the rank's own part, in a box of that size. */
static bool is_whole(const struct sweep *w, const struct part *p, const struct array_guess *a,
		     const int64_t *n)
{
	for (unsigned d = 0; d < a->ndim; d++)
		if (n[d] < p->own_n[d])
			return false;
	return sweep_middle(w, p, a->ndim, a->unit, p->own_lo, p->own_n);
}

/* Lines that are in no parallel loop, and spare the middle, write a row of a rank's own part: what
 * sets all of it when it is made does not count. */
static void by_others(const struct draft *m, const struct rank_seen *s,
		      const struct array_guess *a, const struct part *p, unsigned d, int64_t row,
		      struct others *x)
{
	for (uint32_t j = 0; j < s->nsweep; j++) {
		const struct sweep *w = &s->sweep[j];
		int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS];
		double fill;

		if (w->write && w->region == p->region && !in_marked(m, w) &&
		    sweep_row(w, p, a->ndim, a->unit, d, row) &&
		    sweep_box(w, p, a->ndim, a->unit, lo, n, &fill) && !is_whole(w, p, a, n)) {
			x->any = true;
			x->elsewhere = x->elsewhere || strcmp(w->file, x->path) != 0;
			x->last = w->line > x->last ? w->line : x->last;
		}
	}
}

/* In a run, along a dimension, of the array that the loop writes. */
static void inside_along(const struct draft *m, const struct guesses *g,
			 const struct draft_loop *l, uint32_t array, uint32_t k, unsigned d,
			 struct others *x)
{
	const struct array_guess *a = &g->array[array];
	int64_t low = INT64_MAX, high = INT64_MIN, lo, hi;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct rank_seen *s = &g->training[k].rank[r];
			const struct part *p = &a->run[k].part[r];

			if (!rank_box(s, a, p, l, true, d, &lo, &hi))
				continue;
			if (!pass) {
				low = p->first[d] + lo < low ? p->first[d] + lo : low;
				high = p->first[d] + hi > high ? p->first[d] + hi : high;
				continue;
			}
			if (lo > 0 && p->first[d] + lo > low)
				by_others(m, s, a, p, d, lo - 1, x);
			if (hi + 1 < p->own_n[d] && p->first[d] + hi < high)
				by_others(m, s, a, p, d, hi + 1, x);
		}
	}
}

bool draft_inside(const struct draft *m, const struct guesses *g, const struct draft_loop *l,
		  const struct loop **edges)
{
	struct others x = { .path = l->scan->path };

	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t i = 0; i < l->run[k].nwrites; i++) {
			const struct array_guess *a = &g->array[l->run[k].writes[i]];

			for (unsigned d = 0; a->tiles && !a->cyclic && d < a->ndim; d++)
				inside_along(m, g, l, l->run[k].writes[i], k, d, &x);
		}
	*edges = x.any && !x.elsewhere ? draft_in_loop(l->scan, x.last, false) : NULL;
	if (*edges && ((*edges)->function != l->loop->function ||
		       (*edges)->first <= l->loop->last ||
		       draft_in_loop(l->scan, x.last, true) != l->sequential))
		*edges = NULL;
	return x.any;
}

/* ---- functions that are called for one part after the other ---- */

static const char *behind_blanks(const char *c)
{
	return c + strspn(c, " \t\r\n");
}

/* The comma or bracket behind an argument. */
static const char *argument_end(const char *c)
{
	unsigned depth = 0;

	for (; *c && (depth || (*c != ',' && *c != ')')); c++)
		depth += (*c == '(' || *c == '[' || *c == '{') -
			 (depth && (*c == ')' || *c == ']' || *c == '}'));
	return c;
}

/* The number of the argument that the function calls so, from 0; -1: it is none. */
static int argument_named(const struct scan *s, const struct function *f, const char *name)
{
	const char *c = scan_arguments(s, f), *end;
	size_t n = strlen(name);
	int i = 0;

	for (c = c ? c + 1 : ")"; *c; c = end + 1, i++) {
		end = argument_end(c);
		for (const char *w = c; (w = strstr(w, name)) && w + n <= end; w++)
			if (scan_word(s, w, name))
				return i;
		if (*end != ',')
			break;
	}
	return -1;
}

/*
 * What a call of the function has in the place of what is called so in the function: a plain name,
 * to be freed; NULL: it is something else.
 */
static char *passed(const struct scan *s, const struct function *f, const char *call,
		    const char *name)
{
	int at = argument_named(s, f, name);
	const char *c = strchr(call, '('), *end;
	size_t n;

	if (at < 0) /* of the file, or of the same object */
		return draft_declared(s, name, f->last) && !place_keeps(name) ? NULL
									      : xstrdup(name);
	for (end = c; c && at >= 0; at--) {
		c = behind_blanks(end + 1);
		end = argument_end(c);
		if (at && *end != ',')
			return NULL;
	}
	n = c ? (size_t)(end - c) : 0;
	while (n && isspace((unsigned char)c[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++)
		if (!is_letter(c[i]) && !strchr(".->[]", c[i]))
			return NULL;
	return n ? xstrndup(c, n) : NULL;
}

/* Where the statement begins that is the call, or a call under a condition, in the body of the loop
 * itself; NULL: it is another one. */
static const char *part_statement(const struct scan *s, const struct function *f,
				  const struct loop *l, const char *call)
{
	const char *begin = scan_statement(s, f->body, call), *c;
	int depth = 0;

	for (c = l->body; c < call; c++)
		depth += (*c == '{') - (*c == '}');
	if (!begin || depth != 1 || !l->braces || begin == call)
		return depth == 1 && l->braces ? begin : NULL;
	c = behind_blanks(begin + 2);
	if (!scan_word(s, begin, "if") || *c != '(')
		return NULL;
	for (c++; *argument_end(c) == ','; c = argument_end(c) + 1)
		;
	return behind_blanks(argument_end(c) + 1) == call ? begin : NULL;
}

/* Calls of the function are all in one loop that communicates, and each is a statement of its own
 * there: the last one; NULL: they are elsewhere, too. *of: its source; *begin: its statement. */
static const char *last_part(const struct draft *m, const char *func, const struct scan **of,
			     const char **begin)
{
	const struct loop *in = NULL;
	const char *last = NULL;
	unsigned n = 0;

	for (uint32_t i = 0; i < m->nscan; i++) {
		const struct scan *s = m->scan[i];

		for (uint32_t k = 0; k < s->nfunction; k++) {
			const struct function *f = &s->function[k];
			const char *c = scan_call(s, f->body, f->end, func);

			for (; c; c = scan_call(s, c + 1, f->end, func), n++) {
				const struct loop *l = draft_in_loop(s, scan_line(s, c), true);

				*begin = l ? part_statement(s, f, l, c) : NULL;
				if (!*begin || (in && in != l))
					return NULL;
				in = l;
				*of = s;
				last = c;
			}
		}
	}
	return n > 1 ? last : NULL;
}

bool draft_parts(const struct draft *m, const struct guesses *g, struct draft_loop *l)
{
	const struct function *f = &l->scan->function[l->loop->function];
	const struct uses *u = &l->run[0];
	const struct scan *of = NULL;
	const char *begin = NULL, *end,
		   *call = l->scan->fortran ? NULL : last_part(m, f->name, &of, &begin);
	struct mark_names names = { 0 };

	for (uint32_t i = 0; call && i < u->nwrites; i++) {
		const char *here = m->array[u->writes[i]].good && !m->array[u->writes[i]].member.n ?
					   uses_name(g, l, u->writes[i], true) :
					   NULL;
		char *there = here ? passed(l->scan, f, call, here) : NULL;

		if (!there)
			call = NULL;
		else
			mark_name_add(&names, there);
		free(there);
	}
	end = call ? strchr(call, ';') : NULL;
	if (!end || !names.n || scan_word(of, behind_blanks(end + 1), "else")) {
		mark_names_clear(&names);
		return false;
	}
	mark_clear(&l->mark);
	l->mark = (struct mark){ .kind = MARK_PARALLEL,
				 .file = xstrdup(of->path),
				 .line = scan_line(of, begin),
				 .last = scan_line(of, end),
				 .name = xstrdup(names.name[0]),
				 .writes = names };
	return true;
}
