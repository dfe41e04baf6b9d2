/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Units and loops of a Fortran source. An assignment of arrays is a loop of its own, which has no
 * variable.
 */
#include "frontend/scan/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/fortran/fortran.h"
#include "frontend/util/xvec.h"

/* Loops that have not ended. */
struct open_loops {
	struct open_loop {
		uint32_t loop, n; /* the last one of n that one statement begins */
		uint32_t label;	  /* 0: it ends with END */
		const char *end;  /* END's second word */
	} *item;		  /* owned */
	uint32_t n;
};

struct scanning {
	struct scan *s;
	const struct fortran *f;
	uint32_t function, unit;
	struct open_loops open;
};

static char *trimmed(const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	return xstrndup(from, (size_t)(to - from));
}

/* The mark outside of brackets, or the end. */
static const char *find(const char *s, const char *end, char mark)
{
	while (s < end && *s != mark) {
		const char *e = *s == '(' || *s == '[' ? fortran_closing(s) : s + 1;

		if (!e || e > end)
			return end;
		s = e;
	}
	return s;
}

/* "i = a, b, c" with commas, or "i = a:b:c" with colons: to is not known where the step is none of
 * 1 and -1. */
static void header(struct loop *l, const char *text, const char *end, char between)
{
	const char *eq = find(text, end, '='), *one, *two;
	char *step;

	if (eq == end)
		return;
	one = find(eq + 1, end, between);
	if (one == end)
		return;
	two = find(one + 1, end, between);
	step = two < end ? trimmed(two + 1, end) : xstrdup("1");
	l->variable = trimmed(text, eq);
	l->from = trimmed(eq + 1, one);
	l->down = *step == '-';
	if (!strcmp(step, "1") || l->down)
		l->to = trimmed(one + 1, two);
	free(step);
}

static struct loop *add_loop(struct scanning *x, const struct fortran_statement *at)
{
	struct loop *l = xvec_add(x->s->loop, x->s->nloop);

	l->function = x->function;
	l->first = at->first;
	l->last = at->last;
	l->body_line = at->last;
	l->at = x->s->text + at->at;
	l->body = l->end = x->s->text + at->end;
	return l;
}

static void open_loop(struct scanning *x, uint32_t n, uint32_t label, const char *end)
{
	struct open_loop *o = xvec_add(x->open.item, x->open.n);

	*o = (struct open_loop){ x->s->nloop - 1, n, label, end };
}

/* DO CONCURRENT: a loop for each index, the later ones inside the others. */
static void concurrent(struct scanning *x, const struct fortran_statement *st, const char *open)
{
	const char *close = fortran_closing(open), *end = close ? close - 1 : open;
	uint32_t n = 0;

	/* a type in front of the indices, and a mask behind them */
	for (const char *s = open + 1, *next; s < end; s = next + 1, n++) {
		struct loop *l;
		const char *colon;

		next = find(s, end, ',');
		colon = strstr(s, "::");
		if (colon && colon < next)
			s = colon + 2;
		if (find(s, next, '=') == next)
			break;
		l = add_loop(x, st);
		l->at += n;
		l->braces = true;
		header(l, s, next, ':');
	}
	if (!n)
		add_loop(x, st);
	open_loop(x, n ? n : 1, 0, "do");
}

/* True: it begins a loop. */
static bool begin_loop(struct scanning *x, const struct fortran_statement *st)
{
	const char *s = fortran_begins(st->text, "do", NULL), *open;
	uint32_t label = 0;
	struct loop *l;

	if (!s || fortran_assignment(st->text, NULL))
		return false;
	while (isdigit((unsigned char)*s))
		label = label * 10 + (uint32_t)(*s++ - '0');
	s += strspn(s, label ? " ," : " ");
	open = fortran_begins(s, "concurrent", NULL);
	if (open && *open == '(') {
		concurrent(x, st, open);
		return true;
	}
	l = add_loop(x, st);
	l->braces = true;
	open = fortran_begins(s, "while", NULL);
	if (*s && !(open && *open == '('))
		header(l, s, s + strlen(s), ',');
	open_loop(x, 1, label, "do");
	return true;
}

static void end_loop(struct scanning *x, const struct fortran_statement *st)
{
	struct open_loop *o = &x->open.item[--x->open.n];

	for (uint32_t i = 0; i < o->n; i++) {
		struct loop *l = &x->s->loop[o->loop - i];

		l->last = st->last;
		l->end = x->s->text + st->end;
		if (l->last == l->body_line)
			l->braces = false;
	}
}

/* True: it ends one. */
static bool ends_loop(struct scanning *x, const struct fortran_statement *st)
{
	bool any = false;

	while (x->open.n && st->label && x->open.item[x->open.n - 1].label == st->label) {
		end_loop(x, st);
		any = true;
	}
	if (any || !x->open.n || !fortran_begins(st->text, "end", x->open.item[x->open.n - 1].end))
		return any;
	end_loop(x, st);
	return true;
}

/* A value of an array becomes one number. */
static bool reduces(const char *text)
{
	static const char *const words[] = { "maxval",	"minval", "sum",   "product", "dot_product",
					     "norm2",	"any",	  "all",   "count",   "maxloc",
					     "minloc",	"matmul" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (fortran_word(text, words[i]))
			return true;
	return false;
}

/* "u = ", "g%u = ", "u(2:, j) = ": a whole array or a section. */
static bool is_array(const struct scanning *x, const char *text, const char *end)
{
	char *name, *to = trimmed(text, end), *part = strrchr(to, '%');
	struct fortran_entity e;
	size_t n = strcspn(to, "(% ");
	bool is;

	if (strchr(to, ':')) {
		is = true;
	} else if (to[strlen(to) - 1] == ')') {
		is = false;
	} else if (part) {
		name = trimmed(part + 1, part + strlen(part));
		is = fortran_component(x->f, name, &e) && e.array;
		free(name);
	} else {
		name = xstrndup(to, n);
		is = fortran_find(x->f, x->unit, name, &e) && e.array;
		free(name);
	}
	free(to);
	return is;
}

/* Assignments of arrays, WHERE and FORALL. */
static void array_statement(struct scanning *x, const struct fortran_statement *st)
{
	static const char *const masks[] = { "where", "forall" };
	const char *text = st->text, *s = fortran_begins(text, "if", NULL), *eq;

	if (s && *s == '(') {
		s = fortran_closing(s);
		text = s ? s + strspn(s, " ") : "";
	}
	eq = fortran_assignment(text, NULL);
	for (unsigned i = 0; !eq && i < 2; i++) {
		s = fortran_begins(text, masks[i], NULL);
		s = s && *s == '(' ? fortran_closing(s) : NULL;
		if (!s)
			continue;
		add_loop(x, st)->implicit = true;
		if (!s[strspn(s, " ")])
			open_loop(x, 1, 0, masks[i]);
		return;
	}
	if (eq && (is_array(x, text, eq - 1) || reduces(eq)))
		add_loop(x, st)->implicit = true;
}

static void loops_in(struct scanning *x, const struct fortran_unit *u)
{
	for (uint32_t i = u->body; i < u->end; i++) {
		const struct fortran_statement *st = &x->f->statement[i];

		if (!begin_loop(x, st))
			array_statement(x, st);
		ends_loop(x, st);
	}
	x->open.n = 0;
}

void scan_fortran(struct scan *s)
{
	struct fortran *f = fortran_parse_file(s->text, s->path);
	struct scanning x = { .s = s, .f = f };
	uint32_t *function = xcalloc(f->nunit + 1, sizeof(*function));

	s->fortran = f;
	memcpy(s->text, f->text, strlen(s->text));
	for (uint32_t i = 0; i < f->nunit; i++) {
		const struct fortran_unit *u = &f->unit[i];
		struct function *to;

		function[i] = UINT32_MAX;
		if (u->kind == FORTRAN_MODULE || u->kind == FORTRAN_DATA)
			continue;
		function[i] = s->nfunction;
		to = xvec_add(s->function, s->nfunction);
		to->name = xstrdup(u->name);
		to->unit = i;
		to->host = u->host == FORTRAN_NONE ? UINT32_MAX : function[u->host];
		to->program = u->kind == FORTRAN_PROGRAM;
		to->first = f->statement[u->head].first;
		to->last = f->statement[u->end].last;
		to->body_line = f->statement[u->body].first - 1;
		to->body = s->text + f->statement[u->head].at;
		to->end = s->text + f->statement[u->end].end;
		x.function = s->nfunction - 1;
		x.unit = i;
		loops_in(&x, u);
	}
	free(function);
	free(x.open.item);
}

const char *scan_fortran_statement(const struct scan *s, const char *at)
{
	size_t where = (size_t)(at - s->text);

	for (uint32_t i = 0; i < s->fortran->n; i++)
		if (s->fortran->statement[i].at <= where && where < s->fortran->statement[i].end)
			return s->text + s->fortran->statement[i].at;
	return NULL;
}

bool scan_fortran_call(const struct scan *s, const char *name)
{
	while (name > s->text && name[-1] == ' ')
		name--;
	return name - s->text >= 4 && scan_word(s, name - 4, "call");
}

bool scan_fortran_mpi(const char *from, const char *to)
{
	static const char *const quiet[] = { "init",	  "finalize", "comm_rank", "comm_size",
					     "abort",	  "wtime",    "type_",	   "cart_",
					     "dims_",	  "comm_",    "group_",	   "get_",
					     "initialized", "op_" };

	for (const char *c = from; (c = strstr(c, "mpi_")) && c < to; c += 4) {
		const char *call = c;
		bool none = false;

		while (call > from && call[-1] == ' ')
			call--;
		if (call - from < 4 || strncmp(call - 4, "call", 4))
			continue;
		for (unsigned i = 0; i < sizeof(quiet) / sizeof(*quiet); i++)
			none |= !strncmp(c + 4, quiet[i], strlen(quiet[i]));
		if (!none)
			return true;
	}
	return false;
}
