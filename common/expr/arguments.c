/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call as it is typed, in parts: brackets and quotes are looked at, nothing else.
 */
#include "common/expr/expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/expr/internal.h"

static const char *blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* Without blanks at both ends; NULL: no memory. */
static char *trimmed(const char *from, const char *to)
{
	from += strspn(from, " \t") < (size_t)(to - from) ? strspn(from, " \t")
							  : (size_t)(to - from);
	while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	return strndup(from, (size_t)(to - from));
}

/* Behind a quoted text; NULL: it does not end. */
static const char *behind_quote(const char *p)
{
	char quote = *p++;

	for (; *p && *p != quote; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : NULL;
}

/* The comma or bracket that ends what begins at p; NULL: there is none. */
static const char *end_of(const char *p)
{
	unsigned depth = 0;

	while (p && *p) {
		if (*p == '"' || *p == '\'') {
			p = behind_quote(p);
			continue;
		}
		if (!depth && (*p == ',' || *p == ')'))
			return p;
		if (strchr("([{", *p))
			depth++;
		else if (strchr(")]}", *p) && depth)
			depth--;
		p++;
	}
	return NULL;
}

static int add(struct expr_arguments *a, const char *from, const char *to, struct err *err)
{
	char **grown = realloc(a->arg, (a->n + 1) * sizeof(*grown));

	if (grown)
		a->arg = grown;
	if (!grown || !(a->arg[a->n] = trimmed(from, to)))
		return err_set(err, "out of memory");
	a->n++;
	return *a->arg[a->n - 1] ? 0 : err_set(err, "argument %zu of %s is empty", a->n, a->name);
}

static int list(const char *p, struct expr_arguments *a, struct err *err)
{
	const char *end;

	if (*blanks(p) == ')') {
		p = blanks(p) + 1;
	} else {
		for (;; p = end + 1) {
			end = end_of(p);
			if (!end)
				return err_set(err, "')' is missing behind the arguments of %s",
					       a->name);
			if (add(a, p, end, err))
				return -1;
			if (*end == ')')
				break;
		}
		p = end + 1;
	}
	p = blanks(p);
	if (*p == '\n') {
		a->wanted = p + 1;
		return 0;
	}
	return *p ? err_set(err,
			    "'%.40s' stands behind the call of %s: print shows parts of what a "
			    "function returns",
			    p, a->name)
		  : 0;
}

/* What is called: "ns::f", "shown->area", "cells[3].scale", "most<int>". */
static const char *behind_name(const char *p)
{
	const char *end;

	for (;;) {
		if (isalnum((unsigned char)*p) || (*p && strchr("_:%$.~", *p))) {
			p++;
		} else if (p[0] == '-' && p[1] == '>') {
			p += 2;
		} else if (*p == '[' && (end = strchr(p, ']'))) {
			p = end + 1;
		} else if (lex_template(p)) {
			p += lex_template(p);
		} else {
			return p;
		}
	}
}

/* "shown->area(1)" becomes area(shown, 1), and "der.area(1)" area(&der, 1). */
static int take_member(struct expr_arguments *a, struct err *err)
{
	char *dot = strrchr(a->name, '.'), *arrow = strrchr(a->name, '-');
	char *sign = arrow && (!dot || arrow > dot) ? arrow : dot, *object, *name;
	const char *member = sign ? sign + (sign == arrow ? 2 : 1) : NULL;

	/* "heat.c::f", "f.part.0" */
	if (!member || *a->cast || sign == a->name || strpbrk(member, ":.-[%$") ||
	    !(isalpha((unsigned char)*member) || *member == '_'))
		return 0;
	object = malloc((size_t)(sign - a->name) + 2);
	name = strdup(member);
	if (!object || !name) {
		free(object);
		free(name);
		return err_set(err, "out of memory");
	}
	*object = '&';
	memcpy(object + (sign == dot), a->name, (size_t)(sign - a->name));
	object[(sign - a->name) + (sign == dot)] = '\0';
	free(a->name);
	a->name = name;
	a->arg = malloc(sizeof(*a->arg));
	if (!a->arg) {
		free(object);
		return err_set(err, "out of memory");
	}
	a->arg[a->n++] = object;
	return 0;
}

int expr_arguments(const char *text, struct expr_arguments *out, struct err *err)
{
	const char *p = blanks(text), *end;

	*out = (struct expr_arguments){ 0 };
	if (*p == '(') {
		end = strchr(p, ')');
		out->cast = end ? trimmed(p + 1, end) : strdup("");
		p = blanks(end ? end + 1 : p);
	} else {
		out->cast = strdup("");
	}
	end = behind_name(p);
	out->name = trimmed(p, end);
	if (!out->cast || !out->name)
		return err_set(err, "out of memory");
	if (end == p || isdigit((unsigned char)*p) || *blanks(end) != '(')
		return err_set(err, "give a function and its arguments, as in f(x, 3)");
	if (take_member(out, err))
		return -1;
	return list(blanks(end) + 1, out, err);
}

void expr_arguments_clear(struct expr_arguments *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->arg[i]);
	free(a->arg);
	free(a->cast);
	free(a->name);
	*a = (struct expr_arguments){ 0 };
}
