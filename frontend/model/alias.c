/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/alias.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"

struct pair {
	char *name, *body; /* owned */
	char *set;	   /* owned, or NULL */
};

struct alias {
	struct pair *pair; /* by name */
	size_t n;
};

static const char *const at_start[][2] = {
	{ "bt", "where" },	  { "c", "cont" },	    { "s", "step" },
	{ "n", "step -over" },	  { "p", "print" },	    { "r", "rerun" },
	{ "b", "break" },	  { "i", "info" },	    { "q", "quit" },
	{ "l", "list" },	  { "d", "delete" },	    { "k", "kill" },
	{ "h", "help" },	  { "backtrace", "where" }, { "continue", "cont" },
	{ "next", "step -over" }, { "source", "input" },    { "finish-loop", "step -finish" },
	{ "fin", "step -finish" },
};

static void clear(struct pair *p)
{
	free(p->name);
	free(p->body);
	free(p->set);
}

struct alias *alias_create(void)
{
	struct alias *a = xcalloc(1, sizeof(*a));

	for (size_t i = 0; i < sizeof(at_start) / sizeof(at_start[0]); i++)
		alias_set(a, at_start[i][0], at_start[i][1], NULL, NULL);
	return a;
}

void alias_unset_all(struct alias *a)
{
	for (size_t i = 0; i < a->n; i++)
		clear(&a->pair[i]);
	a->n = 0;
}

void alias_destroy(struct alias *a)
{
	if (!a)
		return;
	alias_unset_all(a);
	free(a->pair);
	free(a);
}

static struct pair *find(const struct alias *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->pair[i].name, name))
			return &a->pair[i];
	return NULL;
}

int alias_set(struct alias *a, const char *name, const char *body, const char *set, struct err *err)
{
	struct pair *old = find(a, name), made;
	size_t at = 0;

	if (!*name || strpbrk(name, " \t;#![]{}\"'"))
		return err_set(err,
			       "'%s' cannot be an alias: one word without ; # ! brackets and "
			       "quotes is needed",
			       name);
	made = (struct pair){ xstrdup(name), xstrdup(body), xstrdup(set) };
	if (old) {
		clear(old);
		*old = made;
		return 0;
	}
	while (at < a->n && strcmp(a->pair[at].name, name) < 0)
		at++;
	a->pair = xrealloc(a->pair, (a->n + 1) * sizeof(*a->pair));
	memmove(&a->pair[at + 1], &a->pair[at], (a->n - at) * sizeof(*a->pair));
	a->pair[at] = made;
	a->n++;
	return 0;
}

int alias_unset(struct alias *a, const char *name, struct err *err)
{
	struct pair *p = find(a, name);

	if (!p)
		return err_set(err, "there is no alias '%s'", name);
	clear(p);
	memmove(p, p + 1, (size_t)(a->pair + a->n - p - 1) * sizeof(*p));
	a->n--;
	return 0;
}

const char *alias_find(const struct alias *a, const char *name)
{
	const struct pair *p = find(a, name);

	return p ? p->body : NULL;
}

const char *alias_set_of(const struct alias *a, const char *name)
{
	const struct pair *p = find(a, name);

	return p ? p->set : NULL;
}

const char *alias_at(const struct alias *a, size_t i, const char **body)
{
	if (i >= a->n)
		return NULL;
	if (body)
		*body = a->pair[i].body;
	return a->pair[i].name;
}
