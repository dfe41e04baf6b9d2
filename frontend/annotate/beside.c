/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What follows from the text once arrays and loops are known: frames, sequential loops around them,
 * reductions, and where arrays are freed.
 */
#include "frontend/annotate/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

#define ARGUMENTS 8

static const char *skip(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Nothing but blanks is behind it on its line. */
static bool ends_line(const char *s)
{
	while (*s == ' ' || *s == '\t' || *s == '\r')
		s++;
	return *s == '\n' || !*s;
}

/* ---- frames ---- */

static void add_function(struct marks *to, const struct scan *s, const struct function *f)
{
	if (s->fortran) {
		if (fortran_frame(s, f))
			marks_add(to, MARK_FUNCTION, s->path, f->body_line + 1)->last = f->last;
		return;
	}
	/* of a function in one line there is no line in front of which a mark could stand */
	if (f->last > f->body_line && ends_line(f->body + 1))
		marks_add(to, MARK_FUNCTION, s->path, f->body_line + 1);
}

void add_functions(struct marks *to, const struct draft *m)
{
	for (uint32_t i = 0; i < m->nscan; i++) {
		const struct scan *s = m->scan[i];

		for (uint32_t k = 0; k < s->nfunction; k++) {
			bool holds = s->fortran ? s->function[k].program :
						  !strcmp(s->function[k].name, "main");

			for (uint32_t j = 0; j < m->nloop && !holds; j++)
				holds = m->loop[j].good && m->loop[j].scan == s &&
					m->loop[j].loop->function == k;
			if (holds)
				add_function(to, s, &s->function[k]);
		}
	}
}

/* ---- sequential loops ---- */

static void add_sequential(struct marks *to, const struct scan *s, const struct loop *l)
{
	struct mark *m;

	for (uint32_t i = 0; i < to->n; i++)
		if (to->mark[i].kind == MARK_SEQUENTIAL && to->mark[i].line == l->first &&
		    !strcmp(to->mark[i].file, s->path))
			return;
	m = marks_add(to, MARK_SEQUENTIAL, s->path, l->first);
	m->last = l->last;
	if (l->variable && l->from && l->to && !l->down) {
		char *last = l->below ? xasprintf("%s - 1", l->to) : xstrdup(l->to);

		mark_name_add(&m->from, l->from);
		mark_name_add(&m->to, last);
		free(last);
	}
	if (l->variable && l->braces && l->body_line < l->last) {
		mark_name_add(&m->iteration, l->variable);
		m->iteration_line = l->body_line + 1;
	}
}

/* The loops with MPI that a parallel loop is in, also those around calls of its function. */
void add_sequential_around(struct marks *to, const struct draft *m, const struct guesses *g,
			   const struct draft_loop *l)
{
	const struct stop_seen *stop = stop_at(&g->training[0].rank[0], l->scan->path,
					       l->loop->first);

	for (uint32_t k = stop ? stop->nframe : 0; k-- > 1;) {
		const struct scan *s = draft_source(m, stop->frame[k].file);
		const struct loop *in = s ? draft_in_loop(s, stop->frame[k].line, true) : NULL;

		if (in)
			add_sequential(to, s, in);
	}
	if (l->sequential)
		add_sequential(to, l->scan, l->sequential);
}

/* ---- calls in the text ---- */

struct argument {
	const char *at;
	size_t n;
};

/* The arguments of a call, from its opening bracket; how many. */
static unsigned arguments(const char *open, struct argument *out, unsigned max)
{
	unsigned n = 0, depth = 0;
	const char *from = skip(open + 1);

	for (const char *c = open; *c; c++) {
		bool end = false;

		if (strchr("([{", *c))
			depth++;
		else if (strchr(")]}", *c))
			end = !--depth;
		if ((end || (*c == ',' && depth == 1)) && n < max) {
			const char *to = c;

			while (to > from && isspace((unsigned char)to[-1]))
				to--;
			out[n++] = (struct argument){ from, (size_t)(to - from) };
			from = skip(c + 1);
		}
		if (end)
			return n;
	}
	return 0;
}

static bool is_text(const struct argument *a, const char *text)
{
	return a->n == strlen(text) && !strncmp(a->at, text, a->n);
}

/* The operation of a reduction, as a mark has it; NULL: it is none that the text says. */
static const char *operation(const struct argument *a)
{
	static const struct {
		const char *mpi, *mark;
	} of[] = { { "MPI_SUM", "sum" }, { "MPI_PROD", "prod" }, { "MPI_MAX", "max" },
		   { "MPI_MIN", "min" }, { "MPI_LAND", "and" },	 { "MPI_LOR", "or" },
		   { "MPI_LXOR", "xor" }, { "MPI_BAND", "band" }, { "MPI_BOR", "bor" },
		   { "MPI_BXOR", "bxor" } };

	for (unsigned i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (is_text(a, of[i].mpi))
			return of[i].mark;
	return NULL;
}

/* &name, of a variable or member: its name, owned by the caller; NULL: something else. */
static char *address_of(const struct argument *a)
{
	if (a->n < 2 || *a->at != '&')
		return NULL;
	for (size_t i = 1; i < a->n; i++)
		if (!isalnum((unsigned char)a->at[i]) && !strchr("_.->", a->at[i]))
			return NULL;
	return xstrndup(a->at + 1, a->n - 1);
}

/* The call of MPI_Allreduce, or MPI_Reduce, of one number, which stands alone; its operation, or
 * NULL. name: owned by the caller. */
static const char *reduces(const struct scan *s, const struct function *f, const char *call,
			   unsigned n, char **name)
{
	const char *open = strchr(call, '('), *end = strchr(call, ';'), *op;
	struct argument a[ARGUMENTS];

	if (!open || !end || scan_statement(s, f->body, call) != call || !ends_line(end + 1) ||
	    arguments(open, a, ARGUMENTS) != n || !is_text(&a[2], "1"))
		return NULL;
	op = operation(&a[4]);
	*name = op ? address_of(&a[1]) : NULL;
	return *name ? op : NULL;
}

bool is_reduced(const struct scan *s, const char *at)
{
	const struct function *f = draft_function(s, scan_line(s, at));
	const char *call = f ? scan_statement(s, f->body, at) : NULL;
	const char *open = call ? strchr(call, '(') : NULL;
	struct argument a[ARGUMENTS];
	unsigned n = open ? arguments(open, a, ARGUMENTS) : 0;

	if (n == 6 && scan_word(s, call, "MPI_Allreduce"))
		return a[1].at + 1 == at && *a[1].at == '&';
	return n == 5 && scan_word(s, call, "MPI_Bcast") && a[0].at + 1 == at && *a[0].at == '&';
}

bool is_summand(const struct scan *s, const char *name)
{
	static const char *const calls[] = { "MPI_Allreduce", "MPI_Iallreduce", "MPI_Reduce",
					     "MPI_Ireduce",   "MPI_Scan",	"MPI_Exscan",
					     "MPI_Gather",    "MPI_Allgather" };
	const char *end = s->text + strlen(s->text);

	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		for (const char *c = s->text; (c = scan_call(s, c, end, calls[i])); c++) {
			const char *open = strchr(c, '(');
			struct argument a[ARGUMENTS];
			char *own = NULL;
			bool is;

			if (open && arguments(open, a, ARGUMENTS))
				own = address_of(&a[0]);
			is = own && !strcmp(own, name);
			free(own);
			if (is)
				return true;
		}
	return false;
}

/* The call that gives the variable to all ranks, behind that one; NULL: there is none, or something
 * else is done with the variable before. */
static const char *broadcast(const struct scan *s, const struct function *f, const char *call,
			     const char *name)
{
	const char *c = strchr(call, ';'), *next = scan_call(s, c, f->end, "MPI_Bcast"), *open;
	struct argument a[ARGUMENTS];
	char *given;
	bool is = false;

	for (; next; next = scan_call(s, next + 1, f->end, "MPI_Bcast")) {
		open = strchr(next, '(');
		given = arguments(open, a, ARGUMENTS) == 5 && is_text(&a[1], "1") ?
				address_of(&a[0]) :
				NULL;
		is = given && !strcmp(given, name);
		free(given);
		if (is)
			break;
	}
	if (!is || scan_statement(s, f->body, next) != next ||
	    !ends_line(strchr(next, ';') + 1))
		return NULL;
	for (; (c = strstr(c, name)) && c < next; c++)
		if (scan_word(s, c, name))
			return NULL;
	return next;
}

static void reduction(struct marks *to, const struct scan *s, const struct function *f,
		      const char *call, bool one)
{
	char *name = NULL;
	const char *op = reduces(s, f, call, one ? 7 : 6, &name);

	if (op && one)
		call = broadcast(s, f, call, name);
	if (op && call) {
		struct mark *m = marks_add(to, MARK_REDUCTION, s->path,
					   scan_line(s, strchr(call, ';')) + 1);

		m->operation = xstrdup(op);
		m->name = name;
		return;
	}
	free(name);
}

void add_reductions(struct marks *to, const struct draft *m)
{
	for (uint32_t i = 0; i < m->nscan; i++) {
		const struct scan *s = m->scan[i];

		if (s->fortran)
			fortran_reductions(to, s);
		for (uint32_t k = 0; k < s->nfunction && !s->fortran; k++) {
			const struct function *f = &s->function[k];
			const char *c;

			for (c = f->body; (c = scan_call(s, c, f->end, "MPI_Allreduce")); c++)
				reduction(to, s, f, c, false);
			for (c = f->body; (c = scan_call(s, c, f->end, "MPI_Reduce")); c++)
				reduction(to, s, f, c, true);
		}
	}
}

/* ---- what is freed ---- */

/* "g->u" and "g.u" are the same member, of a structure that is named differently. */
static const char *member_of(const char *name)
{
	const char *c = strpbrk(name, ".-");

	return !c ? NULL : *c == '.' ? c + 1 : c + 2;
}

/* A variable of the file, in front of whose functions its name is. */
static bool is_global(const struct scan *s, const char *name)
{
	const char *end = s->nfunction ? s->function[0].body : s->text;

	for (const char *c = s->text; (c = strstr(c, name)) && c < end; c++)
		if (scan_word(s, c, name))
			return true;
	return false;
}

/* The word at c is the name of a parameter of the function. */
static bool is_parameter(const struct scan *s, const struct function *f, const char *c)
{
	const char *end = f->body;
	size_t n = 0;
	char *name;
	bool is = false;

	while (isalnum((unsigned char)c[n]) || c[n] == '_')
		n++;
	name = xstrndup(c, n);
	while (end > s->text && *end != ')')
		end--;
	for (c = end; n && c > s->text && !is && *c != ';' && *c != '}'; c--)
		is = scan_word(s, c, name) && strchr("*& \t\n", c[-1]);
	free(name);
	return is;
}

/* The function of the file frees what a parameter leads to. */
static bool frees(const struct scan *s, const char *name)
{
	for (uint32_t i = 0; i < s->nfunction; i++) {
		const struct function *f = &s->function[i];

		for (const char *c = strcmp(f->name, name) ? NULL : f->body;
		     c && (c = scan_call(s, c, f->end, "free")); c++) {
			const char *arg = strchr(c, '(') + 1;

			if (is_parameter(s, f, arg + strspn(arg, "( *&\t\n")))
				return true;
		}
	}
	return false;
}

static void forget(struct marks *to, const struct scan *s, const struct function *f,
		   const char *call, const struct argument *arg, const struct mark *array)
{
	char *what = xstrndup(arg->at, arg->n), *name = NULL;
	const char *member = member_of(array->name);
	size_t root = strcspn(array->name, "[");
	bool direct = scan_word(s, call, "free");

	if (direct && (!strcmp(what, array->name) ||
		       (member && member_of(what) && !strcmp(member, member_of(what)))))
		name = xstrdup(what);
	else if (!strchr(what, '&') && array->name[root] && strlen(what) == root &&
		 !strncmp(what, array->name, root)) /* the table of its rows */
		name = xstrdup(array->name);
	else if (!strchr(what, '&') && member && member_of(what) &&
		 strlen(member_of(what)) == strcspn(member, "[") && strchr(member, '[') &&
		 !strncmp(member, member_of(what), strlen(member_of(what))))
		name = xasprintf("%s%s", what, strchr(member, '['));
	if (name && scan_statement(s, f->body, call) == call)
		marks_add(to, MARK_FORGET, s->path, scan_line(s, call))->name = name;
	else
		free(name);
	free(what);
}

/* In front of MPI_Win_free() of the window that MPI_Win_allocate() made with the array. */
static void forget_window(struct marks *to, const struct scan *s, const struct mark *array)
{
	struct argument a[ARGUMENTS], w[ARGUMENTS];
	const char *end = s->text + strlen(s->text);

	for (const char *c = s->text; (c = scan_call(s, c, end, "MPI_Win_allocate")); c++) {
		char *base =
			arguments(strchr(c, '('), a, ARGUMENTS) == 6 ? address_of(&a[4]) : NULL;
		bool mine = base && !strcmp(base, array->name);

		free(base);
		for (uint32_t k = 0; mine && k < s->nfunction; k++) {
			const struct function *f = &s->function[k];

			for (const char *e = f->body; (e = scan_call(s, e, f->end, "MPI_Win_free"));
			     e++)
				if (arguments(strchr(e, '('), w, ARGUMENTS) == 1 &&
				    w[0].n == a[5].n && !strncmp(w[0].at, a[5].at, w[0].n) &&
				    scan_statement(s, f->body, e) == e)
					marks_add(to, MARK_FORGET, s->path, scan_line(s, e))->name =
						xstrdup(array->name);
		}
	}
}

/* In front of free() of what an array is called, and of the function of the file that frees it. */
void add_forget(struct marks *to, const struct draft *m, const struct mark *array)
{
	const struct scan *s = draft_source(m, array->file);

	if (s && s->fortran) {
		fortran_forget(to, s, array);
		return;
	}
	if (s)
		forget_window(to, s, array);
	for (uint32_t k = 0; s && k < s->nfunction; k++) {
		const struct function *f = &s->function[k];
		bool here = f == draft_function(s, array->line);

		if (!here && !member_of(array->name) && !is_global(s, array->name))
			continue;
		for (uint32_t i = 0; i < s->nfunction + 1; i++) {
			const char *name = i < s->nfunction ? s->function[i].name : "free";
			struct argument a[ARGUMENTS];

			if (i < s->nfunction && !frees(s, name))
				continue;
			for (const char *c = f->body; (c = scan_call(s, c, f->end, name)); c++)
				if (arguments(strchr(c, '('), a, ARGUMENTS) == 1 &&
				    (!here || scan_line(s, c) >= array->line))
					forget(to, s, f, c, &a[0], array);
		}
	}
}

bool draft_comes_later(const struct scan *s, const char *name, uint32_t line)
{
	const struct function *here = draft_function(s, line);
	size_t n = strlen(name);

	for (const char *c = s->text; here && (c = strstr(c, name)); c += n) {
		const struct function *f;
		const char *call;

		if (!scan_word(s, c, name) || (c > s->text && strchr(".>", c[-1])) ||
		    !scan_assigns(s, c, n))
			continue;
		f = draft_function(s, scan_line(s, c));
		call = f && f != here ? scan_call(s, here->body, here->end, f->name) : NULL;
		if (call && scan_line(s, call) >= line)
			return true;
	}
	return false;
}
