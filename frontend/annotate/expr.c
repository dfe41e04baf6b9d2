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

struct column {
	const char *name;
	int64_t value[ROWS];
};

struct columns {
	struct column *c;
	uint32_t n, rows;
};

bool env_look(const struct env *e, const char *name, int64_t *value)
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
	return !strstr(name, "::") &&
	       (!e->scan || (!scan_counts(e->scan, name) &&
			     draft_usable(e->scan, name, e->line, env_has(e, name))));
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

static void found(char **text, char **others, char *e)
{
	char *all;

	if (!*text) {
		*text = e;
		return;
	}
	if (others && (!*others || strlen(*others) < 60)) {
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

char *expression(const struct env *env, const int64_t *want, uint32_t n, char **others)
{
	struct columns x = { .rows = n };
	char *text = NULL;
	bool constant = true;
	int64_t c;

	if (others)
		*others = NULL;
	if (n > ROWS || !n)
		return NULL;
	for (uint32_t k = 1; k < n; k++)
		constant = constant && want[k] == want[0];
	if (constant && want[0] >= -SMALL && want[0] <= SMALL)
		return xasprintf("%" PRId64, want[0]);
	x.c = xcalloc(MOST + 1, sizeof(*x.c));
	for (uint32_t i = 0; env[0].frame && i < env[0].frame->nvariable; i++)
		column(&x, env, env[0].frame->variable[i].name);
	for (uint32_t i = 0; i < env[0].seen->nscalar; i++)
		column(&x, env, env[0].seen->scalar[i].name);
	for (int64_t most = 0; most <= SMALL && !text; most++)
		for (uint32_t i = 0; i < x.n; i++)
			if (differ_by(x.c[i].value, want, n, &c) && (c == most || c == -most))
				found(&text, others, with(x.c[i].name, c));
	if (!text)
		pairs(&x, want, &text, others);
	if (!text && constant)
		text = xasprintf("%" PRId64, want[0]);
	free(x.c);
	return text;
}
