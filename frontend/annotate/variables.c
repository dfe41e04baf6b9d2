/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the debugger shows of a variable, taken apart: the whole numbers and addresses in it, each
 * under the name that the source would give it: d.first, g->u, rows[0]. And what is private by the
 * functions of its class that give it, or a friend may name.
 */
#include "frontend/annotate/internal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/symbols/symbols.h"
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

/* What is in braces there is followed by the like: elements of an array, and no base class. */
static bool is_first(const char *s)
{
	size_t n = strspn(s, "{");
	const char *next = s;
	unsigned open = 0;

	do {
		open += *next == '{';
		open -= *next == '}';
		next = *next == '"' ? behind_text(next) : next + 1;
	} while (open && *next);
	n += strcspn(s + n, " ,}");
	return !strncmp(next, ", ", 2) && !strncmp(next + 2, s, n);
}

/* Behind what is in braces; through: it was pointed to. */
static const char *parts(struct taking *t, const char *name, bool through, const char *s,
			 unsigned depth)
{
	const bool elements = s[1] == '{' && is_first(s + 1);
	unsigned k = 0;

	for (s++; *s && *s != '}'; k++) {
		size_t n = member(s);
		char *part = n && t->fortran ? component(name, s, n)
			     : n ? xasprintf("%s%s%.*s", name, through ? "->" : ".", (int)n, s)
			     : is_base(s) && !elements ? xstrdup(name)
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

	return to && member(to + 5) && strncmp(to + 5, "_M_value = (", 12) != 0; /* std::complex */
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

/* The text has the word. */
static bool has_word(const struct scan *s, const char *from, const char *end, const char *word)
{
	for (const char *c = from; (c = strstr(c, word)) && c < end; c++)
		if (scan_word(s, c, word))
			return true;
	return false;
}

/* A function that may be called of what is const. */
static bool is_const(const struct scan *s, const struct function *f)
{
	const char *c = f->body;

	while (c > s->text && *c != ')')
		c--;
	return has_word(s, c, f->body, "const");
}

/* The object, which the path begins with, is an argument of the mark's function that is const. */
static bool is_const_object(const struct draft *m, const struct mark *k, const char *path)
{
	const struct scan *s = draft_source(m, k->file);
	const struct function *f = s ? draft_function(s, k->line) : NULL;
	size_t n = strcspn(path, ".-[");
	const char *c = f ? f->body : NULL, *end;

	while (c && c > s->text && *c != ')')
		c--;
	for (end = c; c && c > s->text && strchr(";{}", *c) == NULL; c--) {
		if (*c != ',' && *c != ')')
			continue;
		while (c > s->text && isspace((unsigned char)c[-1]))
			c--;
		if (c - s->text > (long)n && !strncmp(c - n, path, n) &&
		    !isalnum((unsigned char)c[-(long)n - 1]) && c[-(long)n - 1] != '_') {
			for (end = c; c > s->text && !strchr(",(;{}", *c); c--)
				;
			return has_word(s, c, end, "const");
		}
	}
	return false;
}

/* The value that a parameter of a class's template has in all classes that are made of it; "": not
 * the same everywhere, or no number. */
static void template_value(const struct draft *m, const struct accessor *a, char *out, size_t room)
{
	*out = 0;
	for (uint32_t i = 0; i < m->closed.n; i++) {
		const char *c = m->closed_in[i].class;
		unsigned depth = 0, nth = 0;
		size_t n;

		if (strcmp(m->closed.name[i], a->member) != 0 ||
		    strncmp(c, a->class, a->nclass) != 0 || c[a->nclass] != '<')
			continue;
		for (c += a->nclass; *c && nth < a->parameter; c++) {
			depth += *c == '<';
			depth -= *c == '>';
			nth += depth == 1 && (*c == ',' || !nth);
		}
		c += strspn(c, " ");
		n = strspn(c, "0123456789");
		if (!n || n >= room || (*out && (strlen(out) != n || strncmp(out, c, n) != 0))) {
			*out = 0;
			return;
		}
		snprintf(out, room, "%.*s", (int)n, c);
	}
}

/* The parameter in the call by its value; false: it is not known. */
static bool take_parameter(const struct draft *m, struct accessor *a)
{
	char value[24];
	char *at;

	if (!a->parameter)
		return true;
	template_value(m, a, value, sizeof(value));
	while (*value && (at = strchr(a->call, '@'))) {
		char *text = xasprintf("%.*s%s%s", (int)(at - a->call), a->call, value, at + 1);

		free(a->call);
		a->call = text;
	}
	return *value;
}

/* What gives the member, at the beginning of rest, of n letters; false: nothing does, or several
 * classes have one. internals follow it, of std::vector and the like, or it is a pointer. constant:
 * of an object that is. */
static bool accessor_of(const struct draft *m, const char *member, size_t n, bool internals,
			bool constant, struct accessor *out)
{
	const char *class = NULL;
	bool any = false, several = false;

	for (uint32_t i = 0; i < m->nscan; i++)
		for (uint32_t k = 0; k < m->scan[i]->nfunction; k++) {
			const struct function *f = &m->scan[i]->function[k];
			struct accessor a = { 0 };

			if (draft_has_name(&m->closed, f->name, strlen(f->name)) ||
			    (constant && !is_const(m->scan[i], f)) ||
			    !scan_accessor(m->scan[i], f, &a))
				continue;
			if (strlen(a.member) == n && !strncmp(a.member, member, n) &&
			    (internals ? a.kind != ACCESSOR_NUMBER : a.kind != ACCESSOR_ELEMENT) &&
			    take_parameter(m, &a)) {
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
static bool open_name(struct draft *m, const struct mark *k, const char *name, size_t n, bool array)
{
	char *path = xstrndup(name, n), *c = strpbrk(path, ".-");
	bool own = !strncmp(path, "this->", 6), opened = true;
	const bool known = draft_has_name(&m->shut, path, n),
		   constant = is_const_object(m, k, path);
	size_t len;

	if (known && !constant)
		c = NULL;
	for (; c; c = strpbrk(c + len, ".-")) {
		char *at = c;
		struct accessor a = { 0 };

		c += *c == '-' ? 2 : 1;
		len = strcspn(c, "-.[)");
		if (!strncmp(c, "_M_", 3) || !draft_has_name(&m->closed, c, len) ||
		    (own && c == path + 6))
			continue;
		opened = accessor_of(m, c, len, array, constant, &a) &&
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
			if (!known) {
				mark_name_add(&m->shut, path);
				mark_name_add(&m->open, by);
			}
			free(by);
			free(a.member);
			free(a.call);
		}
		break;
	}
	free(path);
	return opened;
}

/* ---- private members, where a class can have a friend ---- */

void draft_close(void *arg, const struct symbol_closed *c)
{
	struct draft *m = arg;

	xvec_more(m->closed_in, m->closed.n, 1);
	m->closed_in[m->closed.n] = (struct closed_in){ .class = xstrdup(c->class ? c->class : ""),
						       .file = c->file ? xstrdup(c->file) : NULL,
						       .line = c->line };
	mark_name_add(&m->closed, c->name);
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *behind_braces(const char *open)
{
	unsigned depth = 0;

	for (const char *c = open; *c; c++) {
		depth += *c == '{';
		if (*c == '}' && !--depth)
			return c + 1;
	}
	return open;
}

/* "class x" at c, or "struct x", whose body has the place: its name, of n letters; NULL: none. */
static const char *class_at(const struct scan *s, const char *c, const char *place, size_t *n)
{
	const char *name = c + strcspn(c, " \t\n"), *open;

	if (!scan_word(s, c, "class") && !scan_word(s, c, "struct"))
		return NULL;
	name += strspn(name, " \t\n");
	for (*n = 0; is_letter(name[*n]);)
		++*n;
	open = name + *n + strspn(name + *n, " \t\n");
	if (!*n || (*open != '{' && *open != ':' && strncmp(open, "final", 5) != 0))
		return NULL;
	open = strchr(open, '{');
	return open && open < place && behind_braces(open) > place ? name : NULL;
}

/*
 * "friend class x;" of the class that has the function, or of main; NULL: such a line cannot be
 * written there. *own, owned: the class, NULL: none.
 */
static char *friend_of(const struct scan *s, const struct function *f, char **own)
{
	const char *at = NULL, *c;
	bool template = false;
	unsigned classes = 0;

	*own = NULL;
	for (c = s->text; c < f->body; c++) {
		size_t n;
		const char *name = *c == 'c' || *c == 's' ? class_at(s, c, f->body, &n) : NULL;
		const char *before = c;

		if (!name)
			continue;
		free(*own);
		*own = xstrndup(name, n);
		at = c;
		classes++;
		while (before > s->text && isspace((unsigned char)before[-1]))
			before--;
		template = before > s->text && before[-1] == '>';
	}
	if (*own)
		return classes > 1 || template ? NULL :
			xasprintf("friend %s %s;", *at == 'c' ? "class" : "struct", *own);
	if (strcmp(f->name, "main") != 0) {
		/* "x::name(", outside of it */
		const char *from = f->body, *end;

		for (uint32_t line = f->body_line; from > s->text && line >= f->first; from--)
			line -= from[-1] == '\n';
		for (c = from; (c = strstr(c, f->name)) && c < f->body; c++)
			if (c > from + 2 && c[-1] == ':' && c[-2] == ':')
				break;
		if (!c || c >= f->body)
			return NULL;
		for (end = c -= 2; c > from && is_letter(c[-1]);)
			c--;
		if (c == end || (c > from && c[-1] == ':'))
			return NULL;
		*own = xstrndup(c, (size_t)(end - c));
		return xasprintf("friend class %s;", *own);
	}
	for (c = f->body; c > s->text && *c != '(';)
		c--;
	return xasprintf("friend int main(%s);", strchr(c, ',') && strchr(c, ',') < f->body ?
							 "int, char **" : "");
}

static bool has_namespace(const struct scan *s)
{
	for (const char *c = s->text; (c = strstr(c, "namespace")); c++) {
		const char *to = c;

		while (to > s->text && isspace((unsigned char)to[-1]))
			to--;
		if (scan_word(s, c, "namespace") &&
		    (to < s->text + 5 || strncmp(to - 5, "using", 5)))
			return true;
	}
	return false;
}

/* The line behind the brace that opens the class; 0: none can come in there. */
static uint32_t line_in_class(const struct scan *s, uint32_t line)
{
	const char *c = s->text;

	for (uint32_t i = 1; c && i < line; i++) {
		c = strchr(c, '\n');
		c = c ? c + 1 : NULL;
	}
	c = c ? strpbrk(c, "{;") : NULL;
	return c && *c == '{' && c[1 + strspn(c + 1, " \t\r")] == '\n' ? scan_line(s, c) + 1 : 0;
}

/* All classes of the program that have the member, of n letters, get the friend. */
static bool befriend(struct draft *m, const struct mark *k, const char *member, size_t n)
{
	const struct scan *s = draft_open(m, k->file);
	const struct function *f = s && !s->fortran ? draft_function(s, k->line) : NULL;
	char *own = NULL, *text = f && !has_namespace(s) ? friend_of(s, f, &own) : NULL;
	bool any = false, all = text != NULL;

	for (uint32_t i = 0; all && i < m->closed.n; i++) {
		const struct closed_in *c = &m->closed_in[i];
		const struct scan *in;
		uint32_t line;

		if (strlen(m->closed.name[i]) != n || strncmp(m->closed.name[i], member, n) ||
		    (own && !strncmp(c->class, own, strlen(own)) &&
		     strchr("<", c->class[strlen(own)])))
			continue;
		in = c->file ? draft_open(m, c->file) : NULL;
		line = in && !has_namespace(in) ? line_in_class(in, c->line) : 0;
		all = line > 0;
		any = true;
		if (all)
			mark_friend_add(&m->friends, c->file, line, text);
	}
	free(own);
	free(text);
	return any && all;
}

/* Of each private member in the path. */
static bool befriend_path(struct draft *m, const struct mark *k, const char *path, size_t n)
{
	bool own = !strncmp(path, "this->", 6), all = true;

	for (const char *c = path; all && c < path + n;) {
		size_t len;

		c += strcspn(c, ".-");
		if (c >= path + n)
			break;
		c += *c == '-' ? 2 : 1;
		len = strcspn(c, "-.[) ");
		if (c + len > path + n)
			len = (size_t)(path + n - c);
		if (strncmp(c, "_M_", 3) != 0 && draft_has_name(&m->closed, c, len) &&
		    !(own && c == path + 6))
			all = befriend(m, k, c, len);
	}
	return all;
}

/* In a function that is const what gives an element of a member may give a copy of it: a friend
 * comes first. */
static bool open_path(struct draft *m, const struct mark *k, const char *path, size_t n,
		      bool array)
{
	bool own = array && !strncmp(path, "this->", 6);

	return (own && befriend_path(m, k, path, n)) || open_name(m, k, path, n, array) ||
	       (!own && befriend_path(m, k, path, n));
}

/* All paths in a text of the mark. */
static bool open_text(struct draft *m, const struct mark *k, const char *text, bool array)
{
	bool opened = true;

	for (const char *c = text; *c;) {
		size_t n = strcspn(c, " ()*+");

		if (n && strpbrk(c, ".-") && strpbrk(c, ".-") < c + n)
			opened = opened && open_path(m, k, c, n, array);
		c += n + !n;
	}
	return opened;
}

static void open_mark(struct draft *m, struct mark *k)
{
	uint32_t friends = m->friends.nfriend;
	const struct mark_names *const numbers[] = { &k->shape,	  &k->from,    &k->to,
						     &k->halo_lo, &k->halo_hi, &k->lower,
						     &k->step,	  &k->block,   &k->iteration };
	const struct mark_names *const arrays[] = { &k->writes, &k->reads };
	bool opened = !k->name || open_text(m, k, k->name, true);

	for (unsigned i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		for (uint32_t j = 0; j < arrays[i]->n; j++)
			opened = opened && open_text(m, k, arrays[i]->name[j], true);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		for (uint32_t j = 0; j < numbers[i]->n; j++)
			opened = opened && open_text(m, k, numbers[i]->name[j], false);
	k->beside = !opened;
	if (!opened)
		mark_friends_cut(&m->friends, friends);
}

/* A range that no source may name goes, and what is read, rather than the mark. */
static void open_loop(struct draft *m, struct draft_loop *l)
{
	open_mark(m, &l->mark);
	if (l->mark.beside && l->mark.reads.n && l->mark.writes.n) {
		mark_names_clear(&l->mark.reads);
		open_mark(m, &l->mark);
	}
	if (!l->mark.beside || !l->hidden)
		return;
	mark_names_clear(&l->mark.from);
	mark_names_clear(&l->mark.to);
	mark_names_clear(&l->mark.iteration);
	open_mark(m, &l->mark);
}

void draft_open_members(struct draft *m)
{
	for (uint32_t i = 0; i < m->narray; i++)
		if (m->array[i].good && m->array[i].mark.beside)
			open_mark(m, &m->array[i].mark);
	for (uint32_t i = 0; i < m->nloop; i++)
		if (m->loop[i].good && m->loop[i].mark.beside)
			open_loop(m, &m->loop[i]);
}
