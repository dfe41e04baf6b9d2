/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the debugger shows of a variable, taken apart: the whole numbers and addresses in it, each
 * under the name that the source would give it: d.first, g->u, rows[0].
 */
#include "frontend/annotate/internal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

#define MOST_VARIABLES 400 /* of a frame */
#define LONGEST_NAME 80
#define DEEPEST 14

struct taking {
	struct frame_seen *to;
	bool fortran;
	const char *type; /* of the whole */
};

static const char *take(struct taking *t, const char *name, const char *s, unsigned depth);

static struct variable *add(struct taking *t, const char *name, const char *s, const char *end)
{
	struct variable *v;

	if (t->to->nvariable >= MOST_VARIABLES || strlen(name) > LONGEST_NAME)
		return NULL;
	v = xvec_add(t->to->variable, t->to->nvariable);
	v->name = xstrdup(name);
	v->type = xstrdup(t->type);
	v->value = xstrndup(s, (size_t)(end - s));
	return v;
}

/* Behind a quoted text. */
static const char *behind_text(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		if (*s == '\\' && s[1])
			s++;
	s += *s == '"';
	return s + strspn(s, ".");
}

/* Where a value ends that has no parts. */
static const char *behind_word(const char *s)
{
	while (*s && *s != '}' && !(*s == ',' && s[1] == ' ')) {
		if (*s == '"')
			s = behind_text(s);
		else if (*s == '<')
			s += strcspn(s, ">") + (strchr(s, '>') != NULL);
		else if (*s == '(') /* a complex number */
			s += strcspn(s, ")") + (strchr(s, ')') != NULL);
		else
			s++;
	}
	return s;
}

/* The length of "name" in front of " = ", 0: it is no member. */
static size_t member(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n && !isdigit((unsigned char)*s) && !strncmp(s + n, " = ", 3) ? n : 0;
}

/* What an object of a class is of is called _data. */
static char *component(const char *name, const char *s, size_t n)
{
	return n == 5 && !strncmp(s, "_data", n) ? xstrdup(name)
						 : xasprintf("%s%%%.*s", name, (int)n, s);
}

/* Base classes of the C++ library's: what std::vector and std::unique_ptr have are members of
 * their own. */
static bool is_base(const char *s)
{
	size_t n = strspn(s, "{");

	return n && !strncmp(s + n, "_M_", 3);
}

/* Behind what is in braces; through: it was pointed to. */
static const char *parts(struct taking *t, const char *name, bool through, const char *s,
			 unsigned depth)
{
	unsigned k = 0;

	for (s++; *s && *s != '}'; k++) {
		size_t n = member(s);
		char *part = n && t->fortran ? component(name, s, n)
			     : n ? xasprintf("%s%s%.*s", name, through ? "->" : ".", (int)n, s)
			     : is_base(s) ? xstrdup(name)
			     : through	  ? xasprintf("(*%s)[%u]", name, k)
					  : xasprintf("%s[%u]", name, k);

		s = take(t, part, n ? s + n + 3 : s, depth + 1);
		free(part);
		if (*s == ',')
			s += 1 + (s[1] == ' ');
	}
	return s + (*s == '}');
}

static const char *pointer(struct taking *t, const char *name, const char *s, unsigned depth)
{
	struct variable *v;
	char *end, *first;
	uint64_t at = strtoull(s, &end, 16);
	const char *to = end;

	v = add(t, name, s, behind_word(s));
	if (v) {
		v->pointer = true;
		v->number = (int64_t)at;
	}
	if (strncmp(to, " -> ", 4))
		return behind_word(to);
	to += 4;
	if (*to == '{')
		return parts(t, name, true, to, depth);
	if (strncmp(to, "0x", 2))
		return behind_word(to);
	first = xasprintf("%s[0]", name);
	to = pointer(t, first, to, depth + 1);
	free(first);
	return to;
}

static const char *take(struct taking *t, const char *name, const char *s, unsigned depth)
{
	const char *end;
	struct variable *v;
	char *behind;

	if (*s == '{' && depth < DEEPEST)
		return parts(t, name, false, s, depth);
	if (!strncmp(s, "0x", 2) && depth < DEEPEST)
		return pointer(t, name, s, depth);
	if (*s == '{') {
		for (unsigned open = 0; *s; s++) {
			open += *s == '{';
			if (*s == '}' && !--open)
				return s + 1;
		}
		return s;
	}
	end = behind_word(s);
	v = add(t, name, s, end);
	if (!v)
		return end;
	errno = 0;
	v->number = strtoll(s, &behind, 10);
	v->whole = behind == end && behind > s && !errno;
	return end;
}

/* A floating-point number may be shown without a point: the type decides. */
static bool may_be_whole(const char *type)
{
	static const char *const kinds[] = { "int", "long", "short", "unsigned", "size_t", "_t" };

	if (strstr(type, "double") || strstr(type, "float") || strstr(type, "real"))
		return false;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strstr(type, kinds[i]))
			return true;
	return false;
}

void variables_add(struct frame_seen *f, const char *name, const char *type, const char *value)
{
	struct taking t = { .to = f, .type = type, .fortran = marks_fortran(f->file) };
	uint32_t n = f->nvariable;

	take(&t, name, value, 0);
	for (uint32_t i = n; i < f->nvariable; i++)
		if (!strcmp(f->variable[i].name, name))
			f->variable[i].whole &= may_be_whole(type);
}

bool variable_of_structures(const struct variable *v)
{
	const char *to = v->pointer ? strstr(v->value, " -> {") : NULL;

	return to && member(to + 5);
}

unsigned variable_bounds(const struct variable *v, int64_t *lo, int64_t *hi, unsigned max)
{
	const char *s = v->pointer ? strstr(v->value, " (") : NULL;
	unsigned n = 0;
	int used;

	for (s = s ? s + 2 : ""; *s && *s != ')'; n++) {
		if (n == max || sscanf(s, "%" SCNd64 ":%" SCNd64 "%n", &lo[n], &hi[n], &used) != 2)
			return 0;
		s += used;
		s += *s == ',';
	}
	return n;
}
