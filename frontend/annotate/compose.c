/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that goes into the source: arrays, loops, frames, replicated variables. */
#include "frontend/annotate/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "frontend/annotate/annotate.h"
#include "frontend/util/xvec.h"

static const struct variable *variable_at(const struct stop_seen *s, uint32_t frame,
					  const char *name)
{
	if (frame >= s->nframe)
		return NULL;
	for (uint32_t i = 0; i < s->frame[frame].nvariable; i++)
		if (!strcmp(s->frame[frame].variable[i].name, name))
			return &s->frame[frame].variable[i];
	return NULL;
}

/* Equal there in the function's frames from the line on; a rank may not have come to the other's
 * place. */
static bool agrees(const struct stop_seen *s, const struct stop_seen *o, const char *func,
		   const char *name, uint32_t from)
{
	for (uint32_t f = 0; o && f < s->nframe; f++) {
		const struct variable *v, *w;

		if (strcmp(s->frame[f].func, func) || s->frame[f].line < from)
			continue;
		v = variable_at(s, f, name);
		w = variable_at(o, f, name);
		if (from && !v && !w) /* only what is called there was asked about */
			continue;
		if (!v || !w || strcmp(v->value, w->value))
			return false;
	}
	return true;
}

/* Ranks where it is not what it is on rank 0 of the reference run, at some stop of the function; a
 * bit a rank. */
static uint64_t differing(const struct training *t, const struct training *one, const char *func,
			  const char *name, uint32_t from)
{
	uint64_t ranks = 0;

	for (uint32_t r = 0; r < t->ranks && r < 64; r++) {
		const struct rank_seen *s = &t->rank[r], *o = &one->rank[0];

		for (uint32_t j = 0; j < s->nstop; j++) {
			const struct frame_seen *f = s->stop[j].frame;

			if (s->stop[j].nframe &&
			    !agrees(&s->stop[j], stop_at(o, f->file, f->line), func, name, from))
				ranks |= UINT64_C(1) << r;
		}
	}
	return ranks;
}

enum sort {
	COUNT,
	REAL,
	REDUCED, /* MPI sets it, the same on all ranks; what to, may be what is wrong */
};

/*
 * Equal on the ranks at each stop of the function from the line on, and to the reference run. A
 * number that is no count of anything may differ on the same few ranks whatever the size is: that
 * is a fault of the program's, and the variable is meant to be equal. *few are these ranks, of *of.
 */
static bool replicated(const struct guesses *g, const char *func, const char *name, enum sort sort,
		       uint32_t from, uint64_t *few, uint32_t *of)
{
	bool unsure = false; /* of two ranks one differs: more have to decide */

	*few = 0;
	*of = 0;
	for (uint32_t k = 0; k < g->ntraining; k++) {
		const struct training *t = &g->training[k],
				      *one = sort == REDUCED ? t : training_reference(g, t, NULL);
		uint64_t ranks = differing(t, one, func, name, from);
		unsigned twice = 2 * (unsigned)__builtin_popcountll(ranks);

		if (t->ranks == 1)
			continue;
		if (ranks && (sort != REAL || t->ranks > 64 || twice > t->ranks))
			return false;
		if (t->ranks == 2) {
			unsure = unsure || ranks;
			continue;
		}
		if (twice == t->ranks || (*of == t->ranks && *few != ranks))
			return false;
		*few = ranks;
		*of = t->ranks;
	}
	return !unsure || *few;
}

/* Of a member only the type of the whole structure is known. */
static bool is_real_member(const struct variable *v)
{
	char *end;

	strtod(v->value, &end);
	return strchr(v->name, '.') && end != v->value && !*end;
}

/*
 * The variable of the function has its value when the line is come to, as its arguments have, and
 * keeps it, or gets the result of a reduction: what ranks compute in the time loop was not seen at
 * the stops.
 */
static bool settled(const struct scan *s, const char *name, uint32_t line)
{
	const struct function *f = draft_function(s, line);
	const char *c = f ? scan_line_begin(s, f->first) : NULL;
	size_t n = strlen(name);
	bool before = false;

	for (; c && (c = strstr(c, name)) && c < f->end; c += n) {
		uint32_t at;

		if (!scan_word(s, c, name) || (c > s->text && strchr(".>", c[-1])))
			continue;
		if (c < f->body)
			before = before || strspn(c + n, " ,)") > strspn(c + n, " ");
		if (!scan_assigns(s, c, n))
			continue;
		at = scan_line(s, c);
		if (at < line)
			before = true;
		else if (!is_reduced(s, c))
			return false;
	}
	return before;
}

/* What names a member is of the structure that is broadcast in front of the line, and no statement
 * behind it sets such a member. */
static bool is_broadcast(const struct scan *s, const char *name, uint32_t line)
{
	const char *dot = strchr(name, '.'), *c = s->text;
	char *root = dot && !strpbrk(dot + 1, ".") ? xstrndup(name, (size_t)(dot - name)) : NULL;
	bool before = false, behind = false;

	for (; root && (c = strstr(c, root)); c++)
		before = before ||
			 (scan_word(s, c, root) && c > s->text && c[-1] == '&' &&
			  is_reduced(s, c) && scan_line(s, c) < line &&
			  draft_function(s, scan_line(s, c)) == draft_function(s, line));
	for (c = s->text; before && (c = strstr(c, dot + 1)); c++)
		behind = behind ||
			 (scan_word(s, c, dot + 1) && c > s->text && strchr(".>", c[-1]) &&
			  scan_line(s, c) > line && scan_assigns(s, c, strlen(dot + 1)));
	free(root);
	return before && !behind;
}

/* The function is a constructor. */
static bool constructs(const struct scan *s, const struct function *f)
{
	static const char *const words[] = { "class", "struct" };
	const char *c = s->text;

	for (; f && (c = strstr(c, f->name)) && c < f->body; c++)
		for (unsigned i = 0; scan_word(s, c, f->name) && i < 2; i++) {
			size_t n = strlen(words[i]);

			if (c - s->text > (long)n && scan_word(s, c - n - 1, words[i]))
				return true;
		}
	return false;
}

/* In front of the body of a constructor: h_(s.width), rows{ n } */
static bool is_initializer(const struct scan *s, const struct function *f, const char *c, size_t n)
{
	return c < f->body && c >= scan_line_begin(s, f->first) && strchr("({", c[n]) &&
	       c > s->text && strchr(" \t\n,:", c[-1]) && constructs(s, f);
}

/* Behind what stands in brackets there, if any does; NULL: they do not close. */
static const char *behind_index(const char *c)
{
	while (c && *c == '[') {
		c = strchr(c, ']');
		c = c ? c + 1 : NULL;
	}
	return c;
}

/*
 * A member of an object gets its value in front of the line, or in a constructor, and no statement
 * elsewhere sets one of that name.
 */
static bool member_settled(const struct scan *s, const char *name, uint32_t line)
{
	const struct function *here = draft_function(s, line), *f;
	const char *tail = name + strlen(name), *c = s->text;
	char word[SCAN_NAME];
	bool before = false;
	size_t n;

	while (tail > name && !strchr(".>", tail[-1]))
		tail--;
	n = strcspn(tail, "[");
	if (tail == name || !here || !n || n >= sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)n, tail);
	for (; (c = strstr(c, word)); c += n) {
		const char *to = behind_index(c + n), *b = c;

		/* int n = …: another one of that name */
		while (b > s->text && b[-1] == ' ')
			b--;
		if (!scan_word(s, c, word) || !to ||
		    (b < c && (isalnum((unsigned char)b[-1]) || b[-1] == '_')))
			continue;
		f = draft_function(s, scan_line(s, c));
		if (!f || !(scan_assigns(s, c, (size_t)(to - c)) || is_initializer(s, f, c, n)))
			continue;
		if (f == here ? scan_line(s, c) >= line : !constructs(s, f))
			return false;
		before = true;
	}
	return before;
}

#define TABLE 8 /* elements, at most, that are said one by one */

/* An element of a small array of numbers, which gets its values in front of the line, behind which
 * the array is read by index alone. */
static bool element_settled(const struct scan *s, const char *name, uint32_t line)
{
	const struct function *here = draft_function(s, line);
	size_t n = strcspn(name, "[");
	char *root = xstrndup(name, n);
	bool before = false, behind = false;

	for (const char *c = here ? scan_line_begin(s, here->first) : NULL;
	     c && (c = strstr(c, root)) && c < here->end; c += n) {
		const char *to = behind_index(c + n + strspn(c + n, " "));
		bool bare = c[n + strspn(c + n, " ")] != '[';

		if (!to || !scan_word(s, c, root) || (c > s->text && strchr(".>", c[-1])))
			continue;
		if (scan_line(s, c) < line)
			before = before || bare || *to == '=' ||
				 scan_assigns(s, c, (size_t)(to - c));
		else
			behind = behind || bare || scan_assigns(s, c, (size_t)(to - c));
	}
	free(root);
	return before && !behind;
}

static const struct scalar *scalar_of(const struct rank_seen *s, const char *name)
{
	for (uint32_t i = 0; i < s->nscalar; i++)
		if (!strcmp(s->scalar[i].name, name))
			return &s->scalar[i];
	return NULL;
}

/* It leads to memory of the rank's: an address says nothing of what it is on other ranks. */
static bool is_address(const struct rank_seen *s, const struct scalar *v)
{
	for (uint32_t i = 0; v->size == 8 && i < s->nregion; i++)
		if ((uint64_t)v->value - s->region[i].base < s->region[i].bytes)
			return true;
	return false;
}

/* A variable of the file that is the same on all ranks and in the reference run, as often as it
 * gets another value. */
static bool same_everywhere(const struct guesses *g, const char *name)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		const struct training *t = &g->training[k];
		const struct scalar *w = scalar_of(&training_reference(g, t, NULL)->rank[0], name);

		for (uint32_t r = 0; r < t->ranks; r++) {
			const struct scalar *v = scalar_of(&t->rank[r], name);

			if (!v || !w || v->changes != w->changes || v->value != w->value ||
			    v->value_first != w->value_first || is_address(&t->rank[r], v))
				return false;
		}
	}
	return true;
}

/* In the text of the file, in front of all functions. */
static bool declared_outside(const struct scan *s, const char *name)
{
	const char *end = s->nfunction ? s->function[0].body : s->text;

	for (const char *c = s->text; (c = strstr(c, name)) && c < end; c++)
		if (scan_word(s, c, name))
			return true;
	return false;
}

static bool is_real(const struct variable *v)
{
	return !v->whole && !v->pointer &&
	       (strstr(v->type, "double") || strstr(v->type, "float") || strstr(v->type, "real"));
}

static enum sort sort_of(const struct scan *s, const struct variable *v)
{
	for (const char *c = s->text; !s->fortran && (c = strstr(c, v->name)); c++)
		if (scan_word(s, c, v->name) && c > s->text && c[-1] == '&' && is_reduced(s, c))
			return REDUCED;
	return is_real(v) ? REAL : COUNT;
}

static bool is_noted(const struct mark_names *notes, const char *text)
{
	for (uint32_t i = 0; i < notes->n; i++)
		if (!strcmp(notes->name[i], text))
			return true;
	return false;
}

/* "eps differs on rank 3 of 4" */
static void note_few(struct draft *m, const char *name, uint64_t few, uint32_t of)
{
	for (uint32_t r = 0; r < of && r < 64; r++) {
		char text[200];

		if (!(few >> r & 1))
			continue;
		snprintf(text, sizeof(text), "%s is not the same on rank %u of %u", name, r, of);
		if (!is_noted(&m->notes, text))
			mark_name_add(&m->notes, text);
	}
}

static void add_replicated(struct marks *to, const struct mark *at, const char *name)
{
	marks_add(to, MARK_REPLICATED, at->file, at->line)->name = xstrdup(name);
}

/* The frame at a stop that executes the function in which the array is announced. */
static const struct frame_seen *frame_of(const struct rank_seen *s, const struct scan *scan,
					 uint32_t line)
{
	for (uint32_t j = 0; j < s->nstop; j++) {
		for (uint32_t k = 0; k < s->stop[j].nframe; k++) {
			const struct frame_seen *f = &s->stop[j].frame[k];

			if (!strcmp(f->file, scan->path) &&
			    draft_function(scan, f->line) == draft_function(scan, line))
				return f;
		}
	}
	return NULL;
}

/* What the function has itself lasts until all is done: it is the whole program, or has the loop
 * over time. */
static bool lasts(const struct scan *s, uint32_t line)
{
	const struct function *f = draft_function(s, line);

	for (uint32_t i = 0; f && i < s->nloop; i++)
		if (&s->function[s->loop[i].function] == f && s->loop[i].mpi)
			return true;
	return f && (f->program || !strcmp(f->name, "main"));
}

/* In Fortran frames have all that is visible. */
static void fortran_locals(struct marks *to, struct draft *m, const struct guesses *g,
			   const struct mark *at, const struct scan *scan)
{
	const struct frame_seen *f = frame_of(&g->training[0].rank[0], scan, at->line);
	uint64_t few;
	uint32_t of;

	for (uint32_t i = 0; f && i < f->nvariable; i++) {
		const struct variable *v = &f->variable[i];

		if (scan_counts(scan, v->name, 0) || !fortran_replicated(m, scan, v, at->line) ||
		    (!lasts(scan, at->line) && !fortran_outside(m, scan, at->line, v->name)) ||
		    !replicated(g, f->func, v->name, sort_of(scan, v), 0, &few, &of))
			continue;
		add_replicated(to, at, v->name);
		note_few(m, v->name, few, of);
	}
}

/* It gets what a function of MPI returns. */
static bool is_error_code(const struct scan *s, const char *name)
{
	size_t n = strlen(name);

	for (const char *c = s->text; (c = strstr(c, name)); c += n) {
		const char *to = c + n + strspn(c + n, " \t");

		if (!scan_word(s, c, name) || *to != '=' || to[1] == '=')
			continue;
		if (!strncmp(to + 1 + strspn(to + 1, " \t\n"), "MPI_", 4) &&
		    strncmp(to + 1 + strspn(to + 1, " \t\n"), "MPI_Wtime", 9))
			return true;
	}
	return false;
}

/* Replicated variables of the file, and members of its structures. */
static void globals(struct marks *to, const struct guesses *g, const struct mark *at,
		    const struct scan *scan)
{
	const struct rank_seen *s = &g->training[0].rank[0];

	for (uint32_t i = 0; i < s->nscalar; i++) {
		const char *name = s->scalar[i].name;
		char *root = xstrndup(name, strcspn(name, "."));

		if (!strstr(name, "::") && !strpbrk(name, "[(-") && !scan_counts(scan, name, 0) &&
		    declared_outside(scan, root) && same_everywhere(g, name) &&
		    (!name[strlen(root)] ||
		     draft_usable(scan, name, at->line, false, g->closed, false)) &&
		    !is_error_code(scan, name) && !is_summand(scan, name) &&
		    !draft_comes_later(scan, name, at->line))
			add_replicated(to, at, name);
		free(root);
	}
}

/* "this->dt", "wave.c2", "par[2]": a number that has its value when the mark is come to. */
static bool is_part(const struct frame_seen *f, const struct variable *v, const struct scan *scan,
		    const struct mark *at, const struct guesses *g)
{
	const char *bracket = strchr(v->name, '['), *dot = strpbrk(v->name, ".>");
	uint32_t elements = 0;
	char *end;

	strtod(v->value, &end);
	if (v->pointer || end == v->value || *end || strchr(v->name, '(') ||
	    strstr(v->name, "._M_") || (!bracket && !dot) ||
	    (bracket && strchr(bracket, '.')) || strstr(v->type, "*["))
		return false;
	for (uint32_t i = 0; bracket && i < f->nvariable; i++)
		elements += !strncmp(f->variable[i].name, v->name, (size_t)(bracket + 1 - v->name));
	return elements <= TABLE && draft_usable(scan, v->name, at->line, true, g->closed, false) &&
	       (dot ? member_settled(scan, v->name, at->line) :
		      element_settled(scan, v->name, at->line));
}

/* const double dt = 0.2 * h * h */
static bool is_computed(const struct scan *s, const char *name, uint32_t line)
{
	const struct function *f = draft_function(s, line);
	const char *to;

	for (const char *c = f ? f->body : NULL; c && (c = strstr(c, name)) && c < f->end; c++) {
		to = c + strlen(name) + strspn(c + strlen(name), " ");
		if (!scan_word(s, c, name) || *to != '=' || to[1] == '=')
			continue;
		/* the first name that is no part of a number */
		for (to++; *to && !strchr(";,", *to); to += strspn(to, SCAN_LETTERS ".")) {
			to += strcspn(to, SCAN_LETTERS ".;,");
			if (isalpha((unsigned char)*to) || *to == '_')
				return true;
		}
		return false;
	}
	return false;
}

static bool is_number(const struct variable *v, const struct scan *s, uint32_t line)
{
	const char *t = v->type;

	return *v->value != '<' && !v->pointer && !strpbrk(v->name, "[>(") &&
	       (strncmp(t, "const ", 6) != 0 || is_computed(s, v->name, line)) &&
	       !strstr(t + 1, "const ") &&
	       (v->whole || !strcmp(t, "double") || !strcmp(t, "float") ||
		!strcmp(t, "const double") || is_real_member(v));
}

/* Those of the function, which have their values when the mark is come to. */
static void locals(struct marks *to, struct draft *m, const struct guesses *g,
		   const struct mark *at, const struct scan *scan)
{
	const struct frame_seen *f = frame_of(&g->training[0].rank[0], scan, at->line);
	uint64_t few;
	uint32_t of;

	for (uint32_t i = 0; f && i < f->nvariable; i++) {
		const struct variable *v = &f->variable[i];
		bool broadcast = is_broadcast(scan, v->name, at->line),
		     part = !broadcast && is_part(f, v, scan, at, g);

		if ((!strstr(v->name, "->") && !lasts(scan, at->line)) ||
		    (!is_number(v, scan, at->line) && !part) ||
		    scan_counts(scan, v->name, at->line) ||
		    !strcmp(v->name, "argc") ||
		    is_error_code(scan, v->name) || is_summand(scan, v->name) ||
		    !(broadcast || part ||
		      (settled(scan, v->name, at->line) &&
		       draft_declared(scan, v->name, at->line))) ||
		    !replicated(g, f->func, v->name, sort_of(scan, v),
				broadcast || part ? at->line : 0, &few, &of))
			continue;
		add_replicated(to, at, v->name);
		note_few(m, v->name, few, of);
	}
}

static bool is_marked(const struct marks *to, const char *file, const char *name)
{
	for (uint32_t i = 0; i < to->n; i++)
		if (to->mark[i].kind == MARK_REPLICATED && !strcmp(to->mark[i].file, file) &&
		    !strcmp(to->mark[i].name, name))
			return true;
	return false;
}

/* The function lasts as long as the one that has the line: it is that, or the whole program. */
static bool outlives(const struct scan *s, const struct mark *at, const char *file, uint32_t line)
{
	const struct function *f = draft_function(s, at->line);

	return f && (f->program || !strcmp(f->name, "main") ||
		     (!strcmp(at->file, file) && f == draft_function(s, line)));
}

/*
 * Variables that get their values between the arrays and the loop over time, in front of that.
 * Those of functions that come to their end before the arrays do are left out.
 */
static void late_replicated(struct marks *to, struct draft *m, const struct guesses *g,
			    const char *file, uint32_t line)
{
	for (uint32_t i = 0; i < to->n; i++) {
		const struct mark at = to->mark[i];
		const struct scan *scan = draft_source(m, at.file);
		struct marks late = { 0 };

		if (at.kind != MARK_SEQUENTIAL || !scan || !outlives(scan, &at, file, line))
			continue;
		if (scan->fortran)
			fortran_locals(&late, m, g, &at, scan);
		else
			locals(&late, m, g, &at, scan);
		for (uint32_t k = 0; k < late.n; k++) {
			struct mark moved = late.mark[k];

			if (is_marked(to, at.file, moved.name)) {
				mark_clear(&moved);
				continue;
			}
			/* in front of the loop's, which has to be the last */
			marks_add(to, MARK_REPLICATED, NULL, 0);
			memmove(&to->mark[i + 1], &to->mark[i],
				(to->n - 1 - i) * sizeof(*to->mark));
			to->mark[i++] = moved;
		}
		free(late.mark);
	}
}

static void add_mark(struct marks *to, struct mark *m)
{
	*marks_add(to, m->kind, NULL, 0) = *m;
	*m = (struct mark){ 0 };
}

static void copy_names(struct mark_names *to, const struct mark_names *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		mark_name_add(to, from->name[i]);
}

/* Each member of structures is an array of its own. */
static void add_array(struct marks *to, struct draft_array *x)
{
	const struct mark *m = &x->mark;

	for (uint32_t i = 1; i < x->member.n; i++) {
		struct mark *o = marks_add(to, MARK_ARRAY, m->file, m->line);

		o->name = xstrdup(x->member.name[i]);
		copy_names(&o->shape, &m->shape);
		copy_names(&o->from, &m->from);
		copy_names(&o->to, &m->to);
		copy_names(&o->halo_lo, &m->halo_lo);
		copy_names(&o->halo_hi, &m->halo_hi);
		copy_names(&o->lower, &m->lower);
	}
	add_mark(to, &x->mark);
}

void compose(struct marks *to, struct draft *m, const struct guesses *g)
{
	struct draft_array *first = NULL;
	const struct scan *scan;
	uint32_t line;
	char *file;

	for (uint32_t i = 0; i < m->narray && !first; i++)
		if (m->array[i].good)
			first = &m->array[i];
	if (!first)
		return;
	/* the marks move away, and how private members are called */
	to->closed = m->shut;
	to->open = m->open;
	to->friend = m->friends.friend;
	to->nfriend = m->friends.nfriend;
	m->friends = (struct marks){ 0 };
	m->shut = m->open = (struct mark_names){ 0 };
	file = xstrdup(first->mark.file);
	line = first->mark.line;
	scan = draft_source(m, file);
	add_functions(to, m);
	if (scan->fortran) {
		fortran_locals(to, m, g, &first->mark, scan);
	} else {
		globals(to, g, &first->mark, scan);
		locals(to, m, g, &first->mark, scan);
	}
	for (uint32_t i = 0; i < m->narray; i++)
		if (m->array[i].good)
			add_forget(to, m, &m->array[i].mark);
	for (uint32_t i = 0; i < m->narray; i++)
		if (m->array[i].good)
			add_array(to, &m->array[i]);
	/* a loop's mark has to be the last in front of it */
	add_reductions(to, m);
	for (uint32_t i = 0; i < m->nloop; i++) {
		struct draft_loop *l = &m->loop[i];

		/* also where it goes over parts, in several calls */
		if (l->good || l->inside || l->mark.writes.n)
			add_sequential_around(to, m, g, l);
		if (l->good)
			add_mark(to, &l->mark);
	}
	late_replicated(to, m, g, file, line);
	free(file);
}

static void note_private(struct draft *m, const struct annotate_request *r, char *what)
{
	char *text =
		xasprintf("%s private where its mark stands: it is in %s, for --marks, and not in "
			  "the patch",
			  what, path_base(r->marks));

	mark_name_add(&m->notes, text);
	free(text);
	free(what);
}

void draft_note_beside(struct draft *m, const struct annotate_request *r)
{
	for (uint32_t i = 0; r->patch && i < m->narray; i++)
		if (m->array[i].good && m->array[i].mark.beside)
			note_private(m, r,
				     xasprintf("%s, or what its extents are said with, is",
					       m->array[i].mark.name));
	for (uint32_t i = 0; r->patch && i < m->nloop; i++)
		if (m->loop[i].good && m->loop[i].mark.beside)
			note_private(m, r,
				     xasprintf("an array of the loop at %s:%u is",
					       path_base(m->loop[i].mark.file),
					       m->loop[i].mark.line));
}
