/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of loops as they stand in the source, of whole numbers: n - 1, (c0 + 1) * 2, max(c0,
 * 2). */
#include "frontend/annotate/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frontend/util/xalloc.h"

#define NAME 128
#define DEEP 32

struct evaluation {
	const struct env *env;
	const char *at;
	unsigned depth;
	bool bad;
};

static int64_t sum(struct evaluation *x);
static int64_t choice(struct evaluation *x);

static bool skip(struct evaluation *x, char c)
{
	x->at += strspn(x->at, " \t");
	if (*x->at != c)
		return false;
	x->at++;
	return true;
}

/* The smaller or larger one of a list in brackets. */
static int64_t extreme(struct evaluation *x, bool largest)
{
	int64_t best = sum(x);

	while (skip(x, ',')) {
		int64_t v = sum(x);

		if (largest ? v > best : v < best)
			best = v;
	}
	x->bad |= !skip(x, ')');
	return best;
}

/* The statement of a constant: enum { N = 24, … }, const int n = 24. */
static bool is_constant(const char *text, const char *c)
{
	const char *b = c;
	char *before;
	bool found;

	while (b > text && !strchr(";}", b[-1]))
		b--;
	before = xstrndup(b, (size_t)(c - b));
	found = strstr(before, "enum") || strstr(before, "const ") ||
		strstr(before, "constexpr ");
	free(before);
	return found;
}

/* text: without comments; plain: as it is, where that has directives. False: they differ. */
static bool constant_in(const char *plain, const char *text, const char *name, int64_t *value,
			bool *found)
{
	size_t n = strlen(name);

	for (const char *c = plain; (c = strstr(c, name)); c += n) {
		const char *after = c + n + strspn(c + n, " \t");
		bool define = c - plain >= 8 && !strncmp(c - 8, "#define ", 8);
		long long v;
		int end = 0;

		if (c[n] == '(' || (!define && (*after != '=' || after[1] == '=')) ||
		    (c > plain && (isalnum((unsigned char)c[-1]) || c[-1] == '_')) ||
		    sscanf(define ? after : after + 1, " %lld%n", &v, &end) != 1)
			continue;
		after += define ? end : end + 1;
		after += strspn(after, " \t\r");
		if (!*after || !strchr(define ? "\n/" : ",;}\n/", *after) ||
		    (!define && !is_constant(text, text + (c - plain))))
			continue;
		if (*found && v != *value)
			return false;
		*value = v;
		*found = true;
	}
	return true;
}

/* A number that the source, or a header of it, gives a name, #define N 24 too, once or always the
 * same. */
static bool constant(const struct scan *s, const char *name, int64_t *value)
{
	bool found = false;

	if (!s || s->fortran || !s->plain || !constant_in(s->plain, s->text, name, value, &found))
		return false;
	if (!found && s->headers && !constant_in(s->headers, s->headers, name, value, &found))
		return false;
	return found;
}

/* x.rows() of C++, which does no more than return a member, or a member of that: the member's name
 * in place of the call's; false: it is no such function. */
static bool getter(const struct evaluation *x, char name[NAME])
{
	const struct scan *s = x->env->scan;
	size_t dot = strlen(name), len;
	const char *c;

	while (dot && name[dot - 1] != '.' && name[dot - 1] != '>')
		dot--;
	for (uint32_t i = 0; s && !s->fortran && i < s->nfunction; i++) {
		const struct function *f = &s->function[i];

		if (strcmp(f->name, name + dot) != 0)
			continue;
		c = f->body + 1 + strspn(f->body + 1, " \t\n");
		if (!scan_word(s, c, "return"))
			return false;
		c += 6 + strspn(c + 6, " \t");
		len = strspn(c, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
		if (!len || c[len] != ';' || dot + len >= NAME)
			return false;
		memcpy(name + dot, c, len);
		name[dot + len] = 0;
		return true;
	}
	return false;
}

static bool is_fortran(const struct evaluation *x)
{
	return x->env->scan && x->env->scan->fortran;
}

/* mod(a, b), behind the bracket. */
static int64_t rest_of(struct evaluation *x)
{
	int64_t v = sum(x), w;

	x->bad |= !skip(x, ',');
	w = sum(x);
	x->bad |= !skip(x, ')') || !w || w == -1;
	return x->bad ? 0 : v % w;
}

static int64_t variable(struct evaluation *x)
{
	char name[NAME];
	int64_t value = 0;
	size_t n = 0;

	while (isalnum((unsigned char)*x->at) || *x->at == '_' ||
	       (*x->at == '%' && is_fortran(x)) || *x->at == '.' ||
	       (*x->at == '-' && x->at[1] == '>') || (*x->at == '>' && n && name[n - 1] == '-')) {
		if (n + 1 == NAME) {
			x->bad = true;
			return 0;
		}
		name[n++] = *x->at++;
		/* a member's element: off[0] */
		if (*x->at == '[' && isdigit((unsigned char)x->at[1])) {
			size_t more = strspn(x->at + 1, "0123456789") + 2;

			if (x->at[more - 1] != ']' || n + more >= NAME) {
				x->bad = true;
				return 0;
			}
			memcpy(name + n, x->at, more);
			n += more;
			x->at += more;
		}
	}
	name[n] = 0;
	if (n && (!strcasecmp(name, "max") || !strcasecmp(name, "min")) && skip(x, '('))
		return extreme(x, tolower((unsigned char)name[1]) == 'a');
	if (n && is_fortran(x) && !strcasecmp(name, "mod") && skip(x, '('))
		return rest_of(x);
	if (n && x->at[0] == '(' && x->at[1] == ')' && getter(x, name))
		x->at += 2;
	x->bad |= !n || (!env_look(x->env, name, &value) && !constant(x->env->scan, name, &value));
	return value;
}

/* In brackets: a number, or a < b ? c : d */
static int64_t choice(struct evaluation *x)
{
	int64_t v = sum(x), w, yes, no;
	bool less;

	x->at += strspn(x->at, " \t");
	if (is_fortran(x) || !strchr("<>", *x->at) || !*x->at || x->at[1] == '=')
		return v;
	less = *x->at++ == '<';
	w = sum(x);
	x->bad |= !skip(x, '?');
	yes = sum(x);
	x->bad |= !skip(x, ':');
	no = sum(x);
	return (less ? v < w : v > w) ? yes : no;
}

static int64_t factor(struct evaluation *x)
{
	int64_t v = 0;
	char *end;

	if (x->bad || x->depth++ > DEEP) {
		x->bad = true;
		return 0;
	}
	if (skip(x, '-')) {
		v = -factor(x);
	} else if (skip(x, '(')) {
		v = choice(x);
		x->bad |= !skip(x, ')');
	} else if (isdigit((unsigned char)*x->at)) {
		v = strtoll(x->at, &end, 10);
		x->at = end;
		x->bad |= *end == '.' || *end == '_';
	} else {
		v = variable(x);
	}
	x->depth--;
	return v;
}

/* The next * / or %; 0: there is none. */
static char factors(struct evaluation *x)
{
	return skip(x, '*') ? '*' : skip(x, '/') ? '/' : !is_fortran(x) && skip(x, '%') ? '%' : 0;
}

static int64_t product(struct evaluation *x)
{
	int64_t v = factor(x), w;
	char op;

	while ((op = factors(x))) {
		w = factor(x);
		x->bad |= op == '*' ? __builtin_mul_overflow(v, w, &v) : !w || w == -1;
		if (x->bad)
			return 0;
		if (op != '*')
			v = op == '/' ? v / w : v % w;
	}
	return v;
}

static int64_t sum(struct evaluation *x)
{
	int64_t v = product(x);

	for (;;) {
		bool minus = false;
		int64_t w;

		if (!skip(x, '+')) {
			minus = skip(x, '-');
			if (!minus)
				return v;
		}
		w = product(x);
		x->bad |=
			minus ? __builtin_sub_overflow(v, w, &v) : __builtin_add_overflow(v, w, &v);
	}
}

bool env_value(const struct env *e, const char *text, int64_t *value)
{
	struct evaluation x = { .env = e, .at = text };

	*value = sum(&x);
	x.at += strspn(x.at, " \t");
	return !x.bad && !*x.at;
}
