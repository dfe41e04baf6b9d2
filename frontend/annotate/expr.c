/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as expressions of variables: v, v + c, v * w + c, v + w + c, (v + 1) * w + c with small
 * constants, the same on all ranks of all runs.
 */
#include "frontend/annotate/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

#define MOST 200 /* variables that are looked at */
#define SMALL 3	 /* constants up to this */
#define ROWS 512 /* environments */
#define NEARLY 2 /* fewer than every second value is another one */

struct column {
	const char *name;
	int64_t value[ROWS];
};

struct columns {
	const struct scan *scan; /* borrowed, may be NULL */
	struct column *c;
	uint32_t n, rows;
};

static bool look(const struct env *e, const char *name, int64_t *value)
{
	for (uint32_t i = 0; e->frame && i < e->frame->nvariable; i++) {
		const struct variable *v = &e->frame->variable[i];

		if (!strcmp(v->name, name)) {
			*value = v->number;
			return v->whole;
		}
	}
	for (uint32_t i = 0; i < e->seen->nscalar; i++) {
		const struct scalar *v = &e->seen->scalar[i];

		if (!strcmp(v->name, name)) {
			*value = v->value;
			/* it has its value when arrays are gone over for the first time */
			return v->changed_last < e->seen->begin && v->value > -(INT64_C(1) << 40) &&
			       v->value < INT64_C(1) << 40;
		}
	}
	return false;
}

bool env_look(const struct env *e, const char *name, int64_t *value)
{
	char member[128];

	if (look(e, name, value))
		return true;
	/* in a function of a class its members have no more than their names */
	if (env_has(e, name) ||
	    snprintf(member, sizeof(member), "this->%s", name) >= (int)sizeof(member))
		return false;
	return look(e, member, value);
}

bool env_has(const struct env *e, const char *name)
{
	for (uint32_t i = 0; e->frame && i < e->frame->nvariable; i++)
		if (!strcmp(e->frame->variable[i].name, name))
			return true;
	return false;
}

/* What a loop counts with is as it is left by chance. */
static bool usable(const struct env *e, const char *name)
{
	bool local = e->scan && !e->scan->fortran && env_has(e, name);

	if (strstr(name, "::") || !strcmp(name, "argc"))
		return false;
	if (!e->scan)
		return true;
	return !scan_counts(e->scan, name, local ? e->line : 0) &&
	       (e->anywhere || (draft_usable(e->scan, name, e->line, env_has(e, name), e->closed,
					     e->hidden) &&
				(env_has(e, name) ? draft_is_set(e->scan, name, e->line)
						  : !draft_comes_later(e->scan, name, e->line))));
}

bool expression_usable(const struct env *env, const char *name)
{
	return usable(env, name);
}

static void column(struct columns *x, const struct env *env, const char *name)
{
	struct column *c = &x->c[x->n];

	if (x->n == MOST)
		return;
	for (uint32_t i = 0; i < x->n; i++)
		if (!strcmp(x->c[i].name, name))
			return;
	for (uint32_t k = 0; k < x->rows; k++)
		if (!env_look(&env[k], name, &c->value[k]))
			return;
	if (!usable(env, name))
		return;
	c->name = name;
	x->n++;
}

static bool same_tail(const char *a, const char *b);

static void found(char **text, char **others, char *e)
{
	char *all;

	if (!*text) {
		*text = e;
		return;
	}
	if (others && !same_tail(*text, e) && (!*others || strlen(*others) < 60)) {
		all = *others ? xasprintf("%s, %s", *others, e) : xstrdup(e);
		free(*others);
		*others = all;
	}
	free(e);
}

/* "v + c"; as a factor or term in another expression it needs brackets. */
static char *with(const char *v, int64_t c)
{
	if (!c)
		return xstrdup(v);
	return xasprintf("%s %c %" PRId64, v, c < 0 ? '-' : '+', c < 0 ? -c : c);
}

static bool differ_by(const int64_t *a, const int64_t *want, uint32_t n, int64_t *c)
{
	*c = want[0] - a[0];
	for (uint32_t k = 1; k < n; k++)
		if (want[k] - a[k] != *c)
			return false;
	return *c >= -SMALL && *c <= SMALL;
}

static void pairs(const struct columns *x, const int64_t *want, char **text, char **others)
{
	static const char op[] = "+-*";
	int64_t v[ROWS], c;

	for (unsigned k = 0; k < 5 && !*text; k++) {
		for (uint32_t i = 0; i < x->n; i++) {
			for (uint32_t j = 0; j < x->n; j++) {
				int64_t more = k == 3 ? 1 : k == 4 ? -1 : 0;
				char *sum, *e;

				if ((i == j && k != 2) || (k == 0 && j < i) || (k == 2 && j < i))
					continue;
				for (uint32_t r = 0; r < x->rows; r++) {
					int64_t a = x->c[i].value[r], b = x->c[j].value[r];

					v[r] = k == 0 ? a + b : k == 1 ? a - b : (a + more) * b;
				}
				if (!differ_by(v, want, x->rows, &c))
					continue;
				sum = with(x->c[i].name, more);
				e = xasprintf(more ? "(%s) %c %s" : "%s %c %s", sum,
					      op[k > 2 ? 2 : k], x->c[j].name);
				free(sum);
				sum = with(e, c);
				free(e);
				found(text, others, sum);
			}
		}
	}
}

/* ---- names that are preferred, and constants ---- */

/* Behind the last member: "n[2]" of "g->n[2] - 1". */
static const char *tail(const char *text, size_t *n)
{
	const char *from = text;

	for (const char *c = text; *c && *c != ' '; c++)
		if (*c == '.' || *c == '>' || *c == '%')
			from = c + 1;
	*n = strcspn(from, " ");
	return from;
}

/* d%nx is what nx is: one of them is no other choice. */
static bool same_tail(const char *a, const char *b)
{
	size_t n, m;
	const char *x = tail(a, &n), *y = tail(b, &m);

	return n == m && !strncmp(x, y, n) && !strcmp(x + n, y + m);
}

/* Of several that fit the one comes first that the array's shape is named by. Returns how many do. */
static uint32_t prefer(struct columns *x, const char *text)
{
	size_t n, m;
	const char *like = text ? tail(text, &n) : NULL;
	uint32_t to = 0;

	for (uint32_t i = 0; like && i < x->n; i++) {
		const char *now = tail(x->c[i].name, &m);
		struct column c = x->c[i];

		if (m != n || strncmp(now, like, n))
			continue;
		memmove(&x->c[to + 1], &x->c[to], (i - to) * sizeof(*x->c));
		x->c[to++] = c;
	}
	return to;
}

/* #define NAME value, in the source: "NAME", or "NAME + 1"; NULL: there is none. */
static char *defined(const struct scan *s, int64_t value)
{
	static const int more[] = { 0, 1, -1, 2, -2 };

	for (unsigned k = 0; s && s->plain && !s->fortran && k < sizeof(more) / sizeof(*more);
	     k++) {
		for (const char *c = s->plain; (c = strstr(c, "#define ")); c++) {
			char name[64];
			long long v;
			int end = 0;

			if (sscanf(c, "#define %63[A-Za-z0-9_] %lld%n", name, &v, &end) != 2 ||
			    v + more[k] != value || !strchr(" \t\r\n", c[end]))
				continue;
			return with(name, more[k]);
		}
	}
	return NULL;
}

/* A constant less a variable: "NY + 1 - last". */
static char *rest_of(const struct columns *x, const int64_t *want)
{
	for (uint32_t i = 0; i < x->n; i++) {
		int64_t sum = want[0] + x->c[i].value[0];
		bool same = true;
		char *all, *text;

		for (uint32_t r = 1; r < x->rows && same; r++)
			same = want[r] + x->c[i].value[r] == sum;
		all = same ? defined(x->scan, sum) : NULL;
		if (!all)
			continue;
		text = xasprintf("%s - %s", all, x->c[i].name);
		free(all);
		return text;
	}
	return NULL;
}

bool expression_fits(const struct env *env, const char *text, const int64_t *want, uint32_t n)
{
	int64_t v;

	for (uint32_t k = 0; k < n; k++)
		if (!env_value(&env[k], text, &v) || v != want[k])
			return false;
	return true;
}

/* A variable and a constant: the smaller that is, the better, and less before more. */
static void singles(const struct columns *x, const int64_t *want, int64_t largest, char **text,
		    char **others)
{
	int64_t c;

	for (int64_t most = 0; most <= largest && !*text; most++)
		for (int sign = -1; sign <= (most ? 1 : -1); sign += 2)
			for (uint32_t i = 0; i < x->n; i++)
				if (differ_by(x->c[i].value, want, x->rows, &c) && c == sign * most)
					found(text, others, with(x->c[i].name, c));
}

static bool is_number_text(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

static void columns_make(struct columns *x, const struct env *env)
{
	x->c = xcalloc(MOST + 1, sizeof(*x->c));
	for (uint32_t i = 0; env[0].frame && i < env[0].frame->nvariable; i++)
		column(x, env, env[0].frame->variable[i].name);
	for (uint32_t i = 0; i < env[0].seen->nscalar; i++)
		column(x, env, env[0].seen->scalar[i].name);
}

/* How many values are not those of the column and a constant; *first: of these. */
static uint32_t misses(const struct column *c, int64_t more, const int64_t *want, uint32_t n,
		       uint32_t *first)
{
	uint32_t wrong = 0;

	for (uint32_t k = n; k-- > 0;)
		if (c->value[k] + more != want[k]) {
			wrong++;
			*first = k;
		}
	return wrong;
}

/* It follows what is wanted: a number that is the same everywhere fits by chance. */
static bool follows(const struct column *c, int64_t more, const int64_t *want, uint32_t n)
{
	uint32_t first = n;

	for (uint32_t k = 0; k < n; k++) {
		if (c->value[k] + more != want[k])
			continue;
		if (first < n && want[k] != want[first])
			return true;
		first = first < n ? first : k;
	}
	return false;
}

char *expression_nearly(const struct env *env, const int64_t *want, uint32_t n, uint32_t *row,
			int64_t *value)
{
	struct columns x = { .rows = n, .scan = n ? env[0].scan : NULL };
	uint32_t least = n / NEARLY, first = 0;
	char *text = NULL;

	if (n > ROWS || !n)
		return NULL;
	columns_make(&x, env);
	for (uint32_t i = 0; i < x.n; i++)
		for (int64_t more = -1; more <= 1; more++) {
			uint32_t wrong = misses(&x.c[i], more, want, n, &first);

			if (!wrong || wrong >= least || !follows(&x.c[i], more, want, n))
				continue;
			least = wrong;
			free(text);
			text = with(x.c[i].name, more);
			*row = first;
			*value = x.c[i].value[first] + more;
		}
	free(x.c);
	return text;
}

char *expression(const struct env *env, const int64_t *want, uint32_t n, char **others)
{
	struct columns x = { .rows = n, .scan = n ? env[0].scan : NULL };
	char *text = NULL;
	bool constant = true;
	uint32_t named;

	if (others)
		*others = NULL;
	if (n > ROWS || !n)
		return NULL;
	for (uint32_t k = 1; k < n; k++)
		constant = constant && want[k] == want[0];
	if (constant && want[0] >= -SMALL && want[0] <= SMALL)
		return xasprintf("%" PRId64, want[0]);
	if (constant)
		text = defined(x.scan, want[0]);
	if (text)
		return text;
	/* along an extent that is a number a variable of that value may be the bound of one rank's
	 * part */
	if (constant && env[0].prefer && is_number_text(env[0].prefer))
		return xasprintf("%" PRId64, want[0]);
	columns_make(&x, env);
	/* what no run has changed is meant as the extent that it belongs to */
	named = prefer(&x, env[0].prefer);
	if (named) {
		uint32_t all = x.n;

		x.n = named;
		singles(&x, want, SMALL, &text, NULL);
		x.n = all;
	}
	/* of a number that is always the same only a variable of that value is known to mean it */
	if (!text)
		singles(&x, want, constant ? 0 : SMALL, &text, others);
	if (!text && constant)
		text = xasprintf("%" PRId64, want[0]);
	if (!text)
		pairs(&x, want, &text, others);
	if (!text)
		text = rest_of(&x, want);
	free(x.c);
	return text;
}
