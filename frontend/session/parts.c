/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts for ranks to evaluate: what only the session knows in them, elements of registered objects,
 * variables of other ranks, what functions return, becomes the numbers that it is on each rank.
 */
#include "frontend/session/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/array/values.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "frontend/data/fetch.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

void parts_begin(struct parts *p, const struct rankset *who)
{
	struct part *first;

	*p = (struct parts){ 0 };
	first = xvec_add(p->item, p->n);
	*first = (struct part){ .text = xstrdup("") };
	xrankset_copy(&first->ranks, who);
}

void parts_clear(struct parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		rankset_clear(&p->item[i].ranks);
		free(p->item[i].text);
	}
	free(p->item);
	*p = (struct parts){ 0 };
}

static void append(struct part *p, const char *text, size_t n)
{
	char *grown = xasprintf("%s%.*s", p->text, (int)n, text);

	free(p->text);
	p->text = grown;
}

void parts_append(struct parts *p, const char *text, size_t n)
{
	for (size_t i = 0; i < p->n; i++)
		append(&p->item[i], text, n);
}

/* The number as text, which may stand anywhere. */
static void append_number(struct part *p, const struct values *q, size_t group)
{
	struct value v = values_value(q, group, 0);
	unsigned type = value_class(q->type) == VALUE_IS_BOOL ? VALUE_INT
			: q->type == VALUE_CHAR		      ? VALUE_SCHAR
							      : q->type;
	char text[VALUE_TEXT + 2], *safe;

	value_format(type, &v, 0, text);
	/* a real number stays one, also without a fraction */
	if (value_class(type) == VALUE_IS_REAL && !text[strspn(text, "-0123456789")])
		strcat(text, ".0");
	safe = xasprintf(*text == '-' ? "(%s)" : "%s", text);
	append(p, safe, strlen(safe));
	free(safe);
}

void parts_split(struct parts *p, const struct values *q)
{
	struct parts old = *p;

	*p = (struct parts){ 0 };
	for (size_t i = 0; i < old.n; i++) {
		for (size_t g = 0; g < q->n; g++) {
			struct rankset both = { 0 };
			struct part *to;

			xrankset_copy(&both, &old.item[i].ranks);
			xrankset_intersect(&both, &q->group[g].ranks);
			if (!both.n) {
				rankset_clear(&both);
				continue;
			}
			to = xvec_add(p->item, p->n);
			*to = (struct part){ .ranks = both, .text = xstrdup(old.item[i].text) };
			append_number(to, q, g);
		}
	}
	parts_clear(&old);
}

/* ---- expressions ---- */

/* What is looked at. */
struct taking {
	struct session *s;
	const struct rankset *who;
	struct expr_scope objects; /* registered ones */
	struct parts *p;
	size_t done; /* so much of the source is in the texts */
};

static bool is_known(const struct taking *t, const struct expr *e)
{
	return t->objects.known(t->objects.arg, e->name);
}

/* It is part of what a function of the program returns. */
static bool is_part_of_call(const struct taking *t, const struct expr *e)
{
	char *name;
	bool is = expr_call_within(e, &name) && !t->objects.known(t->objects.arg, name) &&
		  !session_local_is_array(t->s, t->who, name);

	free(name);
	return is;
}

/* All names in it are of registered objects, and there are some. */
static bool is_registered(const struct taking *t, const struct expr *e, bool *any)
{
	if (!e)
		return true;
	if (e->kind == EXPR_TYPED || e->kind == EXPR_TEXT)
		return false;
	if (e->kind == EXPR_NAME && !expr_is_call(e)) {
		*any = true;
		if (*e->name != '$' && !is_known(t, e))
			return false;
	}
	for (size_t i = 0; i < e->nsub; i++)
		if (!is_registered(t, e->sub[i].first, any))
			return false;
	return is_registered(t, e->a, any) && is_registered(t, e->b, any);
}

/* The session has its value: the ranks need not, or could not, find it. */
static bool is_ours(const struct taking *t, const struct expr *e)
{
	bool any = false, all;
	struct expr_name n;

	if (e->kind == EXPR_NUMBER || e->kind == EXPR_TEXT)
		return false;
	if (e->kind == EXPR_NAME || e->kind == EXPR_TYPED) {
		if (is_part_of_call(t, e))
			return true;
	}
	if (e->kind == EXPR_TYPED)
		return false;
	if (e->kind == EXPR_NAME && *e->name == '$')
		return true;
	if (e->kind == EXPR_NAME && !expr_name_split(e->name, &n) &&
	    (n.process >= 0 || n.thread >= 0 || n.frame >= 0))
		return true;
	if (e->kind == EXPR_NAME && e->spelling == '(' && !expr_function_named(e->name) &&
	    !strpbrk(e->name, ".#*&@[") && !is_known(t, e) &&
	    !session_local_is_array(t->s, t->who, e->name))
		return true;
	all = is_registered(t, e, &any);
	return all && any;
}

static int take_tree(struct taking *t, const struct expr *e, bool place, struct err *err);

/*
 * &u[5] and u[5]@2 of a registered array: the program's own variable counts its memory, the array
 * its elements
 * over all ranks. Neither is what the other means.
 */
static int refuse_address(const struct taking *t, const struct expr *e, struct err *err)
{
	bool many = e->kind == EXPR_TYPED && *e->op == '@';
	const struct expr *of = many || (e->kind == EXPR_TYPED && !strcmp(e->op, "&")) ? e->a : e;
	const char *name = of && of->kind == EXPR_NAME ? of->name + strspn(of->name, "*&") : NULL;
	bool address = of != e || (name && name > e->name && name[-1] == '&');
	struct fetch_objects objects;
	int rc = 0;

	if (!address || !name || !of->nsub || fetch_names(t->s, name, t->who, &objects, NULL))
		return 0;
	for (size_t i = 0; i < objects.n && !rc; i++) {
		if (objects.item[i].desc.kind != ARRAY_DISTRIBUTED || !objects.item[i].desc.ndim)
			continue;
		rc = many ? err_set(err,
				    "%s is registered, and '@' counts what each rank has in "
				    "memory: give a section, as in %s[0:9]",
				    name, name)
			  : err_set(err,
				    "&%s: the elements of %s are registered, and on each rank "
				    "some of them; info address shows where one is, &(%s) and an "
				    "index counts what this rank has in memory",
				    name, name, name);
	}
	fetch_objects_clear(&objects);
	return rc;
}

static int take_parts(struct taking *t, const struct expr *e, struct err *err)
{
	bool place = e->kind == EXPR_TYPED && strcmp(e->op, "cast");

	if (refuse_address(t, e, err) || (e->a && take_tree(t, e->a, place, err)))
		return -1;
	for (size_t i = 0; i < e->nsub; i++) {
		const struct expr_subscript *s = &e->sub[i];

		if ((s->first && take_tree(t, s->first, false, err)) ||
		    (s->last && take_tree(t, s->last, false, err)) ||
		    (s->step && take_tree(t, s->step, false, err)))
			return -1;
		for (size_t k = 0; k < s->nvector; k++)
			if (take_tree(t, s->vector[k], false, err))
				return -1;
	}
	return e->b ? take_tree(t, e->b, false, err) : 0;
}

/* place: what it is, and not its value, is wanted. */
static int take_tree(struct taking *t, const struct expr *e, bool place, struct err *err)
{
	struct fetch f = { .s = t->s, .who = t->who, .limit = FETCH_MOST };
	const struct expr_scope scope = session_scope(&f);
	struct values q = { 0 };
	int rc;

	if (place && e->kind == EXPR_NAME)
		return take_parts(t, e, err);
	if (!is_ours(t, e))
		return take_parts(t, e, err);
	rc = expr_eval(e, t->who, &scope, &q, err);
	if (!rc && values_total(&q) != 1 && e->kind == EXPR_NAME && !e->nsub) {
		/* an array, which the program may have as well */
	} else if (!rc && (values_total(&q) != 1 || !value_size(q.type))) {
		rc = err_set(err, "column %zu: '%.*s' is not one number", e->column + 1,
			     (int)(e->end - e->from), e->source + e->from);
	} else if (!rc) {
		parts_append(t->p, e->source + t->done, e->from - t->done);
		parts_split(t->p, &q);
		t->done = e->end;
	}
	values_clear(&q);
	fetch_clear(&f);
	return rc;
}

int parts_expression(struct parts *p, struct session *s, const struct rankset *who,
		     const struct expr *e, bool place, struct err *err)
{
	struct fetch f = { .s = s, .who = who };
	struct taking t = {
		.s = s, .who = who, .objects = fetch_scope(&f), .p = p, .done = e->from
	};
	/* the whole is never its own part: ranks are asked as it could not be had otherwise */
	int rc = place ? take_parts(&t, e, err) : take_tree(&t, e, false, err);

	parts_append(p, e->source + t.done, e->end - t.done);
	fetch_clear(&f);
	return rc;
}
