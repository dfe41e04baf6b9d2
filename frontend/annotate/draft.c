/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks from layouts and loops: where each goes in the source, and its words. What cannot be said
 * with what is in scope there is left out, with the reason.
 */
#include "frontend/annotate/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xvec.h"

const struct scan *draft_source(const struct draft *m, const char *path)
{
	for (uint32_t i = 0; i < m->nscan; i++)
		if (!strcmp(m->scan[i]->path, path))
			return m->scan[i];
	return NULL;
}

bool draft_foreign(const char *path)
{
	return !strncmp(path, "/usr/", 5) || !strncmp(path, "/opt/", 5) ||
	       strstr(path, "/include/c++/");
}

/* Lines of a file that have code, asked for when the first one is. */
struct code {
	const struct draft *m;
	bool *has; /* owned */
	uint32_t n;
	bool known;
};

static bool has_code(void *arg, const char *path, uint32_t line)
{
	struct code *x = arg;

	if (!x->known)
		x->has = symbols_code(x->m->symbols, x->m->program, path, &x->n);
	x->known = true;
	return line < x->n && x->has[line];
}

const struct scan *draft_open(struct draft *m, const char *path)
{
	const struct scan *known = path && *path == '/' ? draft_source(m, path) : NULL;
	struct code code = { .m = m };
	struct scan *s;

	if (!path || *path != '/' || known || draft_foreign(path))
		return known;
	s = scan_open_compiled(path, m->symbols ? has_code : NULL, &code, NULL);
	free(code.has);
	if (s) {
		struct scan **to = xvec_add(m->scan, m->nscan);

		*to = s;
	} else if (!m->unread) {
		m->unread = xstrdup(path);
	}
	return s;
}

const struct loop *draft_in_loop(const struct scan *s, uint32_t line, bool mpi)
{
	for (uint32_t i = 0; i < s->nloop; i++) {
		const struct loop *l = &s->loop[i];

		if (l->first <= line && line <= l->last && l->mpi == mpi)
			return l;
	}
	return NULL;
}

const struct function *draft_function(const struct scan *s, uint32_t line)
{
	for (uint32_t i = 0; i < s->nfunction; i++)
		if (s->function[i].first <= line && line <= s->function[i].last)
			return &s->function[i];
	return NULL;
}

static bool says(const struct scan *s, const char *from, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (const char *c = from; end && c && (c = strstr(c, name)) && c < end; c += n)
		if (scan_word(s, c, name))
			return true;
	return false;
}

/* Its name stands in the function, or among its arguments, in front of the line. */
bool draft_declared(const struct scan *s, const char *name, uint32_t line)
{
	const struct function *f = draft_function(s, line);

	return f && says(s, scan_line_begin(s, f->first), scan_line_begin(s, line), name);
}

bool draft_is_set(const struct scan *s, const char *name, uint32_t line)
{
	const struct function *f = draft_function(s, line);
	const char *end = scan_line_begin(s, line);
	size_t n = strlen(name), path = strlen(s->path);
	bool plain = path > 2 && !strcmp(s->path + path - 2, ".c");
	unsigned times = 0;

	if (s->fortran)
		return fortran_is_set(s, name, line);
	if (!f || !end || name[strcspn(name, ".-[(")] ||
	    says(s, scan_line_begin(s, f->first), f->body, name))
		return true;
	for (const char *c = f->body; (c = strstr(c, name)) && c < end; c += n) {
		if (!scan_word(s, c, name))
			continue;
		/* in C++ a constructor, or a function by a reference */
		if (scan_assigns(s, c, n) || (!plain && (strchr("({", c[n]) || ++times > 1)))
			return true;
	}
	return false;
}

/* The text has it as a member of something. */
static bool says_member(const struct scan *s, const char *from, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (const char *c = from; (c = strstr(c, name)) && c < end; c += n)
		if (scan_word(s, c, name) && (c[-1] == '.' || (c[-1] == '>' && c[-2] == '-')))
			return true;
	return false;
}

bool draft_has_name(const struct mark_names *n, const char *name, size_t len)
{
	for (uint32_t i = 0; i < n->n; i++)
		if (!strncmp(n->name[i], name, len) && !n->name[i][len])
			return true;
	return false;
}

/*
 * What a function of C++ may name: a class keeps its private members from functions that are not
 * its own; one of those says them elsewhere, or they are of *this.
 */
static bool is_open(const struct scan *s, const struct mark_names *closed, const char *name,
		    uint32_t line)
{
	const struct function *f = draft_function(s, line);
	bool own = !strncmp(name, "this->", 6);
	size_t len;

	if (!f || !closed)
		return true;
	for (const char *c = strpbrk(name, ".-"); c; c = strpbrk(c + len, ".-")) {
		char *member;
		bool said;

		c += *c == '-' ? 2 : 1;
		len = strcspn(c, "-.[)");
		if (!strncmp(c, "_M_", 3) || !draft_has_name(closed, c, len) ||
		    (own && c == name + 6))
			continue;
		member = xstrndup(c, len);
		said = says_member(s, f->body, f->end, member);
		free(member);
		if (!said)
			return false;
	}
	return true;
}

bool draft_usable(const struct scan *s, const char *name, uint32_t line, bool local,
		  const struct mark_names *closed, bool hidden)
{
	size_t n = strspn(name, "(*");
	char *root = xstrndup(name + n, strcspn(name + n, "-.[)"));
	/* Fortran's frames have what is visible */
	bool known = s->fortran || !strcmp(root, "this") ||
		     (local ? draft_declared(s, root, line) :
			      says(s, s->text, scan_line_begin(s, line), root));
	bool can = known && !strchr(name, ':') && (hidden || is_open(s, closed, name, line));

	free(root);
	return can;
}

enum wanted { WANT_SHAPE, WANT_FIRST, WANT_LAST, WANT_BEFORE, WANT_BEHIND };

/* What a dimension before this one is said with, its number replaced: n[0] is n[2]; NULL: it does
 * not fit. */
static char *as_before(const struct env *env, const int64_t *want, uint32_t n, const char *text,
		       unsigned was, unsigned is)
{
	char from[8], *all = xstrdup(""), *next;
	const char *c = text, *hit;

	snprintf(from, sizeof(from), "[%u]", was);
	while ((hit = strstr(c, from))) {
		next = xasprintf("%s%.*s[%u]", all, (int)(hit - c), c, is);
		free(all);
		all = next;
		c = hit + strlen(from);
	}
	next = xasprintf("%s%s", all, c);
	free(all);
	if (c != text && expression_fits(env, next, want, n))
		return next;
	free(next);
	return NULL;
}

/* The numbers of each rank in the runs of the program's own size: "of_rank(1 = 0; 4 = 0 5 10 15)". */
static char *by_rank(const struct guesses *g, const int64_t *value)
{
	const char *sep = "";
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	fputs("of_rank(", f);
	for (uint32_t k = 0; k < g->ntraining; k++) {
		const struct training *t = &g->training[k];

		if (t->size == g->training[0].size) {
			fprintf(f, "%s%" PRIu32 " =", sep, t->ranks);
			sep = "; ";
			for (uint32_t r = 0; r < t->ranks; r++)
				fprintf(f, " %" PRId64, value[r]);
		}
		value += t->ranks;
	}
	fputc(')', f);
	xmemstream_close(f);
	return text;
}

/* The variable that has most of the first indices of own parts may be what is wrong. */
static void see_nearly(const struct guesses *g, struct draft_array *x, unsigned d, struct env *env,
		       const int64_t *value, uint32_t n)
{
	uint32_t row, k = 0;
	int64_t is;
	char *text;

	env[0].anywhere = true;
	text = x->nearly ? NULL : expression_nearly(env, value, n, &row, &is);
	env[0].anywhere = false;
	if (!text)
		return;
	value += row;
	while (row >= g->training[k].ranks)
		row -= g->training[k++].ranks;
	x->nearly = xasprintf("%s is nearly where the parts of arrays begin in dimension %u: but that of "
			      "rank %" PRIu32 " of %" PRIu32 " begins at %" PRId64
			      ", and %s is %" PRId64 " there: look at what sets it",
			      text, d + 1, row, g->training[k].ranks, *value, text, is);
	free(text);
}

static char *dimension(const struct guesses *g, struct draft_array *x, unsigned d,
		       enum wanted want, struct env *env, uint32_t n, char **others)
{
	const struct array_guess *a = &g->array[x->array];
	const struct mark *m = &x->mark;
	const struct mark_names *said = want == WANT_SHAPE ? &m->shape :
					want == WANT_FIRST ? &m->from :
					want == WANT_LAST  ? &m->to :
							     NULL;
	int64_t value[DRAFT_ENV] = { 0 };
	char *text = NULL;
	bool several = false;
	uint32_t i = 0;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++, i++) {
			const struct part *p = &a->run[k].part[r];

			value[i] = want == WANT_SHAPE	 ? a->run[k].shape[d]
				   : want == WANT_FIRST	 ? x->base[d] + p->first[d]
				   : want == WANT_BEFORE ? p->own_lo[d]
				   : want == WANT_BEHIND
					   ? p->stored[d] - p->own_lo[d] - p->own_n[d]
					   : x->base[d] + p->first[d] + p->own_n[d] - 1;
		}
	}
	for (unsigned e = 0; said && e < d && e < said->n && !text; e++)
		text = as_before(env, value, n, said->name[e], e, d);
	if (text)
		return text;
	env[0].prefer = want != WANT_SHAPE && d < m->shape.n ? m->shape.name[d] : NULL;
	text = expression(env, value, n, others);
	if (want == WANT_FIRST || want == WANT_LAST)
		text = cyclic_block(g, a, d, env, n, value, want == WANT_LAST, text, &several);
	x->several = several ? d + 1 : x->several;
	env[0].prefer = NULL;
	/* a variable that says it, and is not only computed from some, leaves no doubt */
	if (want == WANT_FIRST &&
	    (text ? x->suspects && env[0].blocks && strpbrk(text, "*/?") : x->by_rank))
		see_nearly(g, x, d, env, value, n);
	return text || !x->by_rank ? text : by_rank(g, value);
}

static void others_clear(struct draft_array *x)
{
	for (unsigned d = 0; d < LAYOUT_DIMS; d++) {
		free(x->others[d]);
		x->others[d] = NULL;
	}
}

static void array_clear(struct draft_array *x)
{
	mark_clear(&x->mark);
	mark_names_clear(&x->member);
	others_clear(x);
	x->good = false;
}

static void number(struct mark_names *n, int64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, v);
	mark_name_add(n, text);
}

static bool named(struct mark_names *n, char *e)
{
	if (!e)
		return false;
	mark_name_add(n, e);
	free(e);
	return true;
}

/* Shape and own part with what is in scope; false: x->why_not says what is not. */
static bool extents(const struct guesses *g, struct draft_array *x, struct env *env, uint32_t n)
{
	const struct array_guess *a = &g->array[x->array];
	struct mark *m = &x->mark;

	for (unsigned d = 0; d < a->ndim; d++) {
		bool shape = named(&m->shape,
				   dimension(g, x, d, WANT_SHAPE, env, n, &x->others[d]));

		if (shape && a->cyclic && !d && cyclic_rows(g, a, env, n, x->base[0], m))
			continue;
		if (shape && a->cyclic && d) {
			mark_name_add(&m->step, "0");
			mark_name_add(&m->block, "0");
		}
		if (!shape || (a->cyclic && !d) ||
		    !named(&m->from, dimension(g, x, d, WANT_FIRST, env, n, NULL)) ||
		    !named(&m->to, dimension(g, x, d, WANT_LAST, env, n, NULL))) {
			snprintf(x->why_not, sizeof(x->why_not),
				 "no variables that are in scope give the %s of dimension %u",
				 shape ? "own part" : "shape", d + 1);
			return false;
		}
		if ((a->full || a->padded) &&
		    (!named(&m->halo_lo, dimension(g, x, d, WANT_BEFORE, env, n, NULL)) ||
		     !named(&m->halo_hi, dimension(g, x, d, WANT_BEHIND, env, n, NULL)))) {
			snprintf(
				x->why_not, sizeof(x->why_not),
				"no variables that are in scope say what is beside the own part in "
				"dimension %u",
				d + 1);
			return false;
		}
	}
	return true;
}

#define CALLS 4 /* in each other, that are looked into */

/* The text calls the function, or one of the sources' that does. */
static bool leads_to(const struct draft *m, const struct scan *s, const char *from, const char *end,
		     const char *func, unsigned depth)
{
	if (scan_call(s, from, end, func))
		return true;
	for (uint32_t i = 0; depth < CALLS && i < m->nscan; i++) {
		for (uint32_t k = 0; k < m->scan[i]->nfunction; k++) {
			const struct function *f = &m->scan[i]->function[k];

			if (strcmp(f->name, func) && scan_call(s, from, end, f->name) &&
			    leads_to(m, m->scan[i], f->body, f->end, func, depth + 1))
				return true;
		}
	}
	return false;
}

/* The place's function has the array allocated behind the place: a variable of the file points to
 * it then only. */
static bool is_allocated_later(const struct draft *m, const struct place_of *p,
			       const struct region *x)
{
	const struct function *f = draft_function(p->scan, p->line);
	const char *at = scan_line_begin(p->scan, p->line);

	return !x->name && x->func && f && at && strcmp(f->name, x->func) && f->body < at &&
	       at < f->end && !leads_to(m, p->scan, f->body, at, x->func, 0) &&
	       leads_to(m, p->scan, at, f->end, x->func, 0);
}

/* Where nobody has a neighbour indices are as they are in the memory: 1 in front of which there is
 * an unused one. */
static void c_bases(const struct guesses *g, const struct array_guess *a, int64_t *base)
{
	for (unsigned d = 0; d < a->ndim; d++) {
		base[d] = a->full || a->padded ? 0 : a->run[0].part[0].own_lo[d];
		for (uint32_t k = 0; k < g->ntraining; k++)
			for (uint32_t r = 0; r < g->training[k].ranks; r++)
				if (a->run[k].grid[d] > 1 || a->run[k].part[r].own_lo[d] != base[d])
					base[d] = 0;
	}
}

/* An array's mark at a place; false: something is not in scope. hidden: private members of C++ are
 * named, which a mark beside the source may. blocks: bounds may be said by the rank. */
static bool array_mark(const struct guesses *g, const struct draft *m, struct draft_array *x,
		       const struct place_of *p, bool hidden, bool blocks)
{
	const struct array_guess *a = &g->array[x->array];
	struct env *env = xcalloc(DRAFT_ENV, sizeof(*env));
	uint32_t n = place_environments(g, p->scan, p->stop, p->line, env);
	const char *name = place_name(g, m, x->array, p->scan->path, p->stop, true);
	const struct region *region = &g->training[0].rank[0].region[a->run[0].part[0].region];
	bool halo = false, lower = false;

	for (uint32_t i = 0; i < n; i++) {
		env[i].hidden = hidden;
		env[i].blocks = blocks;
	}
	if (name && p->scan->fortran)
		fortran_bases(g, a, name, env, x->base);
	else
		c_bases(g, a, x->base);
	if (name && !env_has(env, name) &&
	    is_allocated_later(m, p, region))
		name = NULL;
	if (name && n && (a->structures || place_of_structures(m, p, env, name, region->rows)) &&
	    (!a->structures || !place_members(m, p, name, a, &x->member))) {
		snprintf(x->why_not, sizeof(x->why_not), STRUCTURES);
		name = NULL;
	}
	x->good = name && n &&
		  draft_usable(p->scan, name, p->line, env_has(env, name), g->closed,
			       hidden) &&
		  extents(g, x, env, n);
	free(env);
	if (!x->good) {
		array_clear(x);
		return false;
	}
	for (unsigned d = 0; d < a->ndim; d++) {
		halo = halo || a->halo_lo[d] || a->halo_hi[d];
		lower = lower || x->base[d] != (p->scan->fortran ? 1 : 0);
	}
	for (unsigned d = 0; lower && d < a->ndim; d++)
		number(&x->mark.lower, x->base[d]);
	for (unsigned d = 0; halo && !a->full && !a->padded && d < a->ndim; d++) {
		number(&x->mark.halo_lo, a->halo_lo[d]);
		number(&x->mark.halo_hi, a->halo_hi[d]);
	}
	x->mark.kind = MARK_ARRAY;
	x->mark.name = x->member.n ? xstrdup(x->member.name[0]) :
		       region->rows ? xasprintf("%s[]", name) :
				      xstrdup(name);
	x->mark.file = xstrdup(p->scan->path);
	x->mark.line = p->line;
	x->mark.beside = hidden;
	if (a->ndim > 2 && !p->scan->fortran && !x->member.n && declared_room(m, a, p, name))
		x->mark.declared = a->ndim;
	if (p->scan->fortran) {
		fortran_order(&x->mark);
		for (unsigned d = 0; d < a->ndim / 2; d++) {
			char *last = x->others[a->ndim - 1 - d];

			x->others[a->ndim - 1 - d] = x->others[d];
			x->others[d] = last;
		}
	}
	return true;
}

/* The array's mark at the first place, in time, where all that it says is in scope. */
static void mark_array_as(struct draft *m, const struct guesses *g, const struct places *places,
			  struct draft_array *x, bool hidden, bool blocks)
{
	const struct rank_seen *s = &g->training[0].rank[0];

	for (uint32_t j = 0; j < s->nstop && !x->good; j++) {
		const struct frame_seen *f = s->stop[j].frame;

		for (uint32_t k = 0; s->stop[j].nframe && k < places->n && !x->good; k++) {
			const struct place_of *p = &places->place[k];

			if (f->line == p->stop && !strcmp(f->file, p->scan->path))
				array_mark(g, m, x, p, hidden, blocks);
			x->when = j;
		}
	}
}

/* A loop that uses the array is come to before its mark. */
static bool is_late(const struct draft *m, const struct guesses *g, const struct draft_array *x)
{
	const struct rank_seen *s = &g->training[0].rank[0];

	for (uint32_t i = 0; i < m->nloop; i++) {
		const struct draft_loop *l = &m->loop[i];
		const struct stop_seen *stop = stop_at(s, l->scan->path, l->loop->first);

		if (uses_in(l, x->array) && stop && (uint32_t)(stop - s->stop) < x->when)
			return true;
	}
	return false;
}

/* With variables; by the number of the rank where there are none, or not before the array is used;
 * then with what is private, too. */
static void mark_array(struct draft *m, const struct guesses *g, const struct places *places,
		       struct draft_array *x)
{
	char why_not[sizeof(x->why_not)];

	snprintf(x->why_not, sizeof(x->why_not),
		 "no variable that lasts as long as it does points to it where its loops begin: "
		 "give it one, and a mark by hand");
	x->suspects = m->by_rank;
	for (unsigned hidden = 0; hidden < 2 && !x->good; hidden++) {
		bool late;

		mark_array_as(m, g, places, x, hidden, false);
		if (!hidden)
			memcpy(why_not, x->why_not, sizeof(why_not));
		late = x->good && is_late(m, g, x);
		if (late)
			array_clear(x);
		if (!x->good)
			mark_array_as(m, g, places, x, hidden, true);
		if (!x->good && late)
			mark_array_as(m, g, places, x, hidden, false);
	}
	x->by_rank = m->by_rank;
	if (!x->good && x->by_rank)
		mark_array_as(m, g, places, x, true, false);
	if (!x->good)
		memcpy(x->why_not, why_not, sizeof(why_not));
	if (!x->good && x->several)
		snprintf(x->why_not, sizeof(x->why_not),
			 "several ways to divide it give the own parts of dimension %u on these "
			 "ranks, "
			 "and the source does not show which: more ranks, -n N, tell them apart",
			 x->several);
	if (x->good && x->nearly && !draft_has_name(&m->notes, x->nearly, strlen(x->nearly)))
		mark_name_add(&m->notes, x->nearly);
}

void draft_arrays(struct draft *m, const struct guesses *g)
{
	struct places places;

	places_make(&places, m);
	for (uint32_t i = 0; i < g->narray; i++) {
		const struct array_guess *a = &g->array[i];
		struct draft_array *x = xvec_add(m->array, m->narray);

		x->array = i;
		if (!*a->why_not && !a->replicated && !uses_array(m, i) && m->unread)
			snprintf(x->why_not, sizeof(x->why_not), "%s cannot be read", m->unread);
		else if (*a->why_not || a->replicated || !uses_array(m, i))
			snprintf(x->why_not, sizeof(x->why_not), "%s",
				 *a->why_not ? a->why_not
				 : a->replicated
					 ? "it is as large on each rank, on any number of ranks: nothing is divided"
					 : "no loop goes over it");
		else
			mark_array(m, g, &places, x);
	}
	places_clear(&places);
}

/* The array's mark is come to before the loop, or with it. */
static bool is_announced(const struct draft *m, const struct guesses *g, const struct draft_loop *l,
			 uint32_t array)
{
	const struct rank_seen *s = &g->training[0].rank[0];
	const struct stop_seen *stop = stop_at(s, l->scan->path, l->loop->first);

	return stop && m->array[array].good && m->array[array].when <= (uint32_t)(stop - s->stop);
}

/* The array, or each member of its structures, under the name that it has there. */
static void add_names(struct mark_names *to, const struct draft_array *x, const char *name)
{
	if (!x->member.n && mark_rows(x->mark.name)) {
		char *rows = xasprintf("%s[]", name);

		mark_name_add(to, rows);
		free(rows);
	} else if (!x->member.n) {
		mark_name_add(to, name);
	}
	for (uint32_t i = 0; i < x->member.n; i++) {
		char *member = xasprintf("%s%s", name, mark_member(x->member.name[i]));

		mark_name_add(to, member);
		free(member);
	}
}

/* The arrays as they are called where the loop is. *beside: the source may not call one so. */
static void list(struct mark_names *to, const struct draft *m, const struct guesses *g,
		 const struct draft_loop *l, bool write, bool *beside)
{
	const struct uses *u = &l->run[0];

	for (uint32_t i = 0; i < (write ? u->nwrites : u->nreads); i++) {
		uint32_t array = write ? u->writes[i] : u->reads[i];
		const char *name = !m->array[array].good || !is_announced(m, g, l, array) ? NULL
				   : l->scan->fortran ? m->array[array].mark.name
						      : /* as it is announced */
					   uses_name(g, l, array, write);

		if (name)
			add_names(to, &m->array[array], name);
		*beside = *beside || (name && (m->array[array].mark.beside ||
					       !is_open(l->scan, g->closed, name,
							 l->loop->first)));
	}
}

/* Where the loop is its arrays have the names under which they are announced. */
static bool called_so(const struct draft *m, const struct guesses *g, const struct draft_loop *l)
{
	const struct uses *u = &l->run[0];

	for (uint32_t i = 0; i < u->nwrites + u->nreads; i++) {
		uint32_t array = i < u->nwrites ? u->writes[i] : u->reads[i - u->nwrites];
		const char *name = m->array[array].mark.name,
			   *here = place_name(g, m, array, l->scan->path, l->loop->first, false);

		if (name && (!here || strcmp(here, name)))
			return false;
	}
	return true;
}

/* The loop is one over dummy arguments: they are named, and in sources what is passed, if that is
 * always the same. */
static void name_dummies(const struct draft *m, const struct guesses *g, struct draft_loop *l)
{
	const struct uses *u = &l->run[0];
	struct mark *k = &l->mark;

	k->dummies = true;
	k->passed_writes = k->writes;
	k->passed_reads = k->reads;
	k->writes = k->reads = (struct mark_names){ 0 };
	if (l->nlater) {
		mark_names_clear(&k->passed_writes);
		mark_names_clear(&k->passed_reads);
	}
	for (uint32_t i = 0; i < u->nwrites + u->nreads; i++) {
		bool write = i < u->nwrites;
		uint32_t array = write ? u->writes[i] : u->reads[i - u->nwrites];
		const char *name = is_announced(m, g, l, array) ? uses_name(g, l, array, write) :
								  NULL;

		if (name)
			mark_name_add(write ? &k->writes : &k->reads, name);
	}
}

static void note(struct draft *m, const struct draft_loop *l, const char *what)
{
	char *text = xasprintf("%s:%" PRIu32 " %s", path_base(l->scan->path), l->loop->first, what);

	mark_name_add(&m->notes, text);
	free(text);
}

/* An array that the loop reads, is announced, and as large as the one that it writes, which is not:
 * its name there; NULL: there is none. */
static const char *reads_announced(const struct draft *m, const struct guesses *g,
				   const struct draft_loop *l)
{
	const struct uses *u = &l->run[0];

	for (uint32_t i = 0; i < u->nreads; i++) {
		const struct array_guess *a = &g->array[u->reads[i]];
		const char *name = is_announced(m, g, l, u->reads[i]) &&
						   guesses_as_large(g, &g->array[u->on], a) ?
					   uses_name(g, l, u->reads[i], false) :
					   NULL;

		if (name)
			return name;
	}
	return NULL;
}

static const char *why_no_mark(const struct draft *m, const struct guesses *g,
			       const struct draft_loop *l, const char *on)
{
	return !on			? NULL
	       : uses_nested(m, g, l)	? "it is executed inside of another parallel loop"
	       : uses_others(m, g, l)	? "it goes over other arrays later, and some have no mark"
	       : !is_announced(m, g, l, l->run[0].on) && !reads_announced(m, g, l)
		       ? "it comes before its array's mark"
						      : NULL;
}

void draft_marks(struct draft *m, const struct guesses *g)
{
	for (uint32_t i = 0; i < m->nloop; i++) {
		struct draft_loop *l = &m->loop[i];
		const char *on = uses_on(m, g, l);
		struct mark_names here = { 0 };
		const struct loop *at = NULL;

		if (on && !is_announced(m, g, l, l->run[0].on) && reads_announced(m, g, l))
			on = reads_announced(m, g, l);
		l->why_not = why_no_mark(m, g, l, on);
		if (on && !l->why_not && uses_pipelined(m, g, l)) {
			l->why_not = "it is in a pipeline";
			note(m, l,
			     "is in a pipeline: ranks come to it one after the other, with "
			     "messages in between. It has no mark, at which they would wait for "
			     "each other");
		}
		if (!on || l->why_not)
			continue;
		l->inside = draft_inside(m, g, l, &at);
		if (l->inside)
			note(m, l,
			     "goes over the inside of each rank's part, and other lines over its "
			     "edges: it has no mark, since its result is whole only behind those");
		if (!at && l->inside)
			continue;
		at = l->inside ? at : l->loop;
		l->mark = (struct mark){ .kind = MARK_PARALLEL,
					 .file = xstrdup(l->scan->path),
					 .line = at->first,
					 .last = at->last };
		add_names(&here, &m->array[l->run[0].on], on);
		l->mark.name = xstrdup(here.name[0]);
		mark_names_clear(&here);
		l->good = l->inside ||
			  draft_iterations(g, &m->array[l->run[0].on], l, false);
		if (l->good && !l->inside && !l->mark.from.n && !l->scan->fortran) {
			draft_iterations(g, &m->array[l->run[0].on], l, true);
			l->mark.beside = l->hidden = l->mark.from.n > 0;
		}
		list(&l->mark.writes, m, g, l, true, &l->mark.beside);
		if (!l->inside)
			list(&l->mark.reads, m, g, l, false, &l->mark.beside);
		if (!l->good)
			l->good = draft_parts(m, g, l);
		if (!l->good)
			l->why_not =
				"it goes over a part of its array each time that it is come to";
		if (l->scan->fortran && !called_so(m, g, l))
			name_dummies(m, g, l);
	}
}

void draft_clear(struct draft *m)
{
	for (uint32_t i = 0; i < m->nscan; i++)
		scan_close(m->scan[i]);
	for (uint32_t i = 0; i < m->narray; i++) {
		mark_clear(&m->array[i].mark);
		mark_names_clear(&m->array[i].member);
		others_clear(&m->array[i]);
		free(m->array[i].nearly);
	}
	for (uint32_t i = 0; i < m->nloop; i++)
		uses_clear(&m->loop[i]);
	for (uint32_t i = 0; i < m->closed.n; i++) {
		free(m->closed_in[i].class);
		free(m->closed_in[i].file);
	}
	free(m->closed_in);
	marks_clear(&m->friends);
	mark_names_clear(&m->closed);
	mark_names_clear(&m->shut);
	mark_names_clear(&m->open);
	mark_names_clear(&m->notes);
	free(m->unread);
	free(m->scan);
	free(m->array);
	free(m->loop);
	*m = (struct draft){ 0 };
}
