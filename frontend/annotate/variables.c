/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the debugger shows of a variable, taken apart: the whole numbers and addresses in it, each
 * under the name that the source would give it: d.first, g->u, rows[0]. And what is private by the
 * functions of its class that give it.
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
#define DEEPEST 32

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

/* ---- private members, as their classes give them ---- */

/* The class that a function is in, by where its last word in front is; they are compared only. */
static const char *class_of(const struct scan *s, const struct function *f)
{
	const char *last = NULL;

	for (const char *c = s->text; (c = strstr(c, "class ")) && c < f->body; c++)
		last = c;
	for (const char *c = s->text; (c = strstr(c, "struct ")) && c < f->body; c++)
		last = !last || c > last ? c : last;
	return last;
}

/* What gives the member, at the beginning of rest, of n letters; false: nothing does, or several
 * classes have one. internals follow it, of std::vector and the like, or it is a pointer. */
static bool accessor_of(const struct draft *m, const char *member, size_t n, bool internals,
			struct accessor *out)
{
	const char *class = NULL;
	bool any = false, several = false;

	for (uint32_t i = 0; i < m->nscan; i++)
		for (uint32_t k = 0; k < m->scan[i]->nfunction; k++) {
			const struct function *f = &m->scan[i]->function[k];
			struct accessor a = { 0 };

			if (draft_has_name(&m->closed, f->name, strlen(f->name)) ||
			    !scan_accessor(m->scan[i], f, &a))
				continue;
			if (strlen(a.member) == n && !strncmp(a.member, member, n) &&
			    (internals ? a.kind != ACCESSOR_NUMBER : a.kind != ACCESSOR_ELEMENT)) {
				several = several || (any && class != class_of(m->scan[i], f));
				class = class_of(m->scan[i], f);
				if (!any) {
					*out = a;
					any = true;
					continue;
				}
			}
			free(a.member);
			free(a.call);
		}
	if (any && several) {
		free(out->member);
		free(out->call);
	}
	return any && !several;
}

/* The name in other words, when a member in it is private; false: there are none. */
static bool open_name(struct draft *m, const char *name, size_t n, bool array)
{
	char *path = xstrndup(name, n), *c = strpbrk(path, ".-");
	bool own = !strncmp(path, "this->", 6), opened = true;
	size_t len;

	if (draft_has_name(&m->shut, path, n))
		c = NULL;
	for (; c; c = strpbrk(c + len, ".-")) {
		char *at = c;
		struct accessor a = { 0 };

		c += *c == '-' ? 2 : 1;
		len = strcspn(c, "-.[)");
		if (!strncmp(c, "_M_", 3) || !draft_has_name(&m->closed, c, len) ||
		    (own && c == path + 6))
			continue;
		opened = accessor_of(m, c, len, array, &a) &&
			 (array || !c[len]);
		if (opened) {
			char *by = xasprintf("%.*s%s", (int)(at - path), path, a.call);

			/* of an object that a pointer leads to */
			if (*at == '-' && *a.call == '.') {
				free(by);
				by = xasprintf("%.*s->%s", (int)(at - path), path, a.call + 1);
			} else if (*at == '-') {
				free(by);
				by = xasprintf("(*%.*s)%s", (int)(at - path), path, a.call);
			}
			mark_name_add(&m->shut, path);
			mark_name_add(&m->open, by);
			free(by);
			free(a.member);
			free(a.call);
		}
		break;
	}
	free(path);
	return opened;
}

/* All paths in a text of the mark. */
static bool open_text(struct draft *m, const char *text, bool array)
{
	bool opened = true;

	for (const char *c = text; *c;) {
		size_t n = strcspn(c, " ()*+");

		if (n && strpbrk(c, ".-") && strpbrk(c, ".-") < c + n)
			opened = opened && open_name(m, c, n, array);
		c += n + !n;
	}
	return opened;
}

static void open_mark(struct draft *m, struct mark *k)
{
	const struct mark_names *const numbers[] = { &k->shape,	  &k->from,    &k->to,
						     &k->halo_lo, &k->halo_hi, &k->lower,
						     &k->step,	  &k->block,   &k->iteration };
	const struct mark_names *const arrays[] = { &k->writes, &k->reads };
	bool opened = !k->name || open_text(m, k->name, true);

	for (unsigned i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		for (uint32_t j = 0; j < arrays[i]->n; j++)
			opened = opened && open_text(m, arrays[i]->name[j], true);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		for (uint32_t j = 0; j < numbers[i]->n; j++)
			opened = opened && open_text(m, numbers[i]->name[j], false);
	k->beside = !opened;
}

void draft_open_members(struct draft *m)
{
	for (uint32_t i = 0; i < m->narray; i++)
		if (m->array[i].good && m->array[i].mark.beside)
			open_mark(m, &m->array[i].mark);
	for (uint32_t i = 0; i < m->nloop; i++)
		if (m->loop[i].good && m->loop[i].mark.beside)
			open_mark(m, &m->loop[i].mark);
}
