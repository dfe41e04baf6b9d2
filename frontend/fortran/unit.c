/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Program units and what they declare. */
#include "frontend/fortran/fortran.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/fortran/internal.h"
#include "frontend/util/xvec.h"

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static char *name_at(const char *s)
{
	size_t n = 0;

	s += strspn(s, " ");
	while (is_name(s[n]))
		n++;
	return xstrndup(s, n);
}

/* ---- which statement it is ---- */

/* Behind a type as "real(wp)", "double precision", "character*8"; NULL: the text begins with
 * none. */
static const char *type_spec(const char *text)
{
	static const char *const two[][2] = { { "double", "precision" }, { "double", "complex" } };
	static const char *const one[] = { "integer", "real", "complex", "logical", "character",
					   "byte", "type", "class" };
	const char *s = NULL;

	for (unsigned i = 0; i < sizeof(two) / sizeof(*two) && !s; i++)
		s = fortran_begins(text, two[i][0], two[i][1]);
	for (unsigned i = 0; i < sizeof(one) / sizeof(*one) && !s; i++) {
		s = fortran_begins(text, one[i], NULL);
		if (s && i > 5 && *s != '(')
			s = NULL;
	}
	if (s && *s == '*') {
		s += 1 + strspn(s + 1, " ");
		while (isdigit((unsigned char)*s))
			s++;
	}
	if (s && *s == '(')
		s = fortran_closing(s);
	return s ? s + strspn(s, " ") : NULL;
}

static bool is_specification(const char *text)
{
	static const char *const words[] = {
		"use", "import", "implicit", "parameter", "dimension", "common", "data", "save",
		"external", "intrinsic", "interface", "abstract", "namelist", "equivalence",
		"pointer", "target", "allocatable", "contiguous", "volatile", "asynchronous",
		"optional", "intent", "value", "public", "private", "protected", "format",
		"include", "procedure", "generic", "enum", "enumerator", "bind", "sequence",
		"codimension", "static", "automatic", "type"
	};

	if (fortran_assignment(text, NULL))
		return false;
	if (type_spec(text))
		return true;
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (fortran_begins(text, words[i], NULL))
			return true;
	return false;
}

/* Behind "function" or "subroutine" with words as "pure" or "real(wp)" before it; NULL: it is
 * none. */
static const char *procedure_head(const char *text, enum fortran_kind *kind)
{
	static const char *const words[] = { "pure", "impure", "elemental", "recursive",
					     "non_recursive", "module" };

	for (;;) {
		const char *s = fortran_begins(text, "subroutine", NULL);
		bool more = false;

		*kind = FORTRAN_SUBROUTINE;
		if (!s) {
			s = fortran_begins(text, "function", NULL);
			*kind = FORTRAN_FUNCTION;
		}
		if (s)
			return isalpha((unsigned char)*s) ? s : NULL;
		for (unsigned i = 0; i < sizeof(words) / sizeof(*words) && !more; i++) {
			s = fortran_begins(text, words[i], NULL);
			more = s != NULL;
		}
		if (!more)
			s = type_spec(text);
		if (!s)
			return NULL;
		text = s;
	}
}

/* What the unit is that the statement begins; NULL: it begins none. Returns its name's place. */
static const char *head_of(const char *text, enum fortran_kind *kind)
{
	const char *s;

	if (fortran_assignment(text, NULL))
		return NULL;
	*kind = FORTRAN_PROGRAM;
	s = fortran_begins(text, "program", NULL);
	if (s)
		return s;
	*kind = FORTRAN_MODULE;
	s = fortran_begins(text, "submodule", NULL);
	if (s && *s == '(')
		return fortran_closing(s);
	s = fortran_begins(text, "module", NULL);
	if (s && !fortran_begins(s, "procedure", NULL) && !procedure_head(text, kind)) {
		*kind = FORTRAN_MODULE;
		return s;
	}
	*kind = FORTRAN_SUBROUTINE;
	s = fortran_begins(text, "module", "procedure");
	if (s && *s && *s != ':')
		return s;
	*kind = FORTRAN_DATA;
	s = fortran_begins(text, "block", "data");
	return s ? s : procedure_head(text, kind);
}

static bool ends_unit(const char *text)
{
	static const char *const words[] = { "program", "module", "submodule", "subroutine",
					     "function", "procedure" };

	if (!strcmp(text, "end"))
		return true;
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (fortran_begins(text, "end", words[i]))
			return !fortran_assignment(text, NULL);
	if (strncmp(text, "end", 3))
		return false;
	return fortran_begins(text + 3 + strspn(text + 3, " "), "block", "data") != NULL;
}

/* The word whose END closes what the statement opens among declarations; NULL: it opens nothing. */
static const char *opens(const char *text)
{
	const char *s = fortran_begins(text, "type", NULL);

	if (fortran_assignment(text, NULL))
		return NULL;
	if (s && *s != '(')
		return fortran_begins(s, "is", NULL) ? NULL : "type";
	if (fortran_begins(text, "interface", NULL) ||
	    fortran_begins(text, "abstract", "interface"))
		return "interface";
	return fortran_begins(text, "enum", NULL) ? "enum" : NULL;
}

/* ---- units ---- */

static uint32_t open_unit(struct fortran *f, uint32_t host, uint32_t at, enum fortran_kind kind,
			  char *name, bool headed)
{
	struct fortran_unit *u = xvec_add(f->unit, f->nunit);

	*u = (struct fortran_unit){ .kind = kind,
				    .name = name,
				    .host = host,
				    .headed = headed,
				    .head = at,
				    .body = FORTRAN_NONE,
				    .end = FORTRAN_NONE,
				    .close = FORTRAN_NONE };
	return f->nunit - 1;
}

static uint32_t close_unit(struct fortran *f, uint32_t unit, uint32_t at)
{
	struct fortran_unit *u = &f->unit[unit];

	u->close = at;
	if (u->end == FORTRAN_NONE)
		u->end = at;
	if (u->body == FORTRAN_NONE)
		u->body = u->end;
	return u->host;
}

void units(struct fortran *f)
{
	const char *inner = NULL;
	uint32_t now = FORTRAN_NONE;

	for (uint32_t i = 0; i < f->n; i++) {
		struct fortran_statement *s = &f->statement[i];
		enum fortran_kind kind;
		const char *name;

		if (inner) {
			s->inner = true;
			if (fortran_begins(s->text, "end", inner))
				inner = NULL;
			continue;
		}
		if (now != FORTRAN_NONE && ends_unit(s->text)) {
			now = close_unit(f, now, i);
			continue;
		}
		if (now == FORTRAN_NONE || f->unit[now].end != FORTRAN_NONE) {
			name = head_of(s->text, &kind);
			if (name) {
				now = open_unit(f, now, i, kind, name_at(name), true);
				continue;
			}
			if (now == FORTRAN_NONE)
				now = open_unit(f, now, i, FORTRAN_PROGRAM, xstrdup(""), false);
		}
		if (!strcmp(s->text, "contains") && f->unit[now].end == FORTRAN_NONE) {
			f->unit[now].end = i;
			continue;
		}
		inner = f->unit[now].body == FORTRAN_NONE ? opens(s->text) : NULL;
		s->inner = inner != NULL;
		if (!inner && f->unit[now].body == FORTRAN_NONE && !is_specification(s->text))
			f->unit[now].body = i;
	}
	while (now != FORTRAN_NONE)
		now = close_unit(f, now, f->n - 1);
}

uint32_t fortran_unit_at(const struct fortran *f, uint32_t line)
{
	for (uint32_t i = f->nunit; i-- > 0;) {
		const struct fortran_unit *u = &f->unit[i];

		if (f->statement[u->head].first <= line && line <= f->statement[u->close].last)
			return i;
	}
	return FORTRAN_NONE;
}

/* ---- declarations ---- */

/* The name among the entities of a list, outside of brackets and of first values; NULL: it is
 * not. */
static const char *in_list(const char *s, const char *name)
{
	size_t n = strlen(name);
	bool value = false;

	for (const char *begin = s; *s;) {
		if (*s == '(' || *s == '[') {
			const char *e = fortran_closing(s);

			if (!e)
				return NULL;
			s = e;
			continue;
		}
		if (*s == ',')
			value = false;
		else if (*s == '=')
			value = true;
		if (!value && !strncmp(s, name, n) && !is_name(s[n]) &&
		    (s == begin || !is_name(s[-1])))
			return s;
		s++;
	}
	return NULL;
}

/* "::" outside of brackets; NULL: there is none. */
static const char *colons(const char *s)
{
	while (*s && !(*s == ':' && s[1] == ':')) {
		const char *e = *s == '(' ? fortran_closing(s) : s + 1;

		if (!e)
			return NULL;
		s = e;
	}
	return *s ? s : NULL;
}

static void take_type(struct fortran_entity *e, const char *from, const char *to)
{
	size_t n = 0;

	for (; from < to && n + 1 < sizeof(e->type); from++)
		if (*from != ' ')
			e->type[n++] = *from;
	e->type[n] = 0;
}

/* Attributes between the type and "::". */
static void take_attributes(struct fortran_entity *e, const char *from, const char *to)
{
	char *text = xstrndup(from, (size_t)(to - from));

	e->pointer |= fortran_word(text, "pointer") != NULL;
	e->target |= fortran_word(text, "target") != NULL;
	e->parameter |= fortran_word(text, "parameter") != NULL;
	e->allocatable |= fortran_word(text, "allocatable") != NULL;
	e->array |= fortran_word(text, "dimension") != NULL;
	e->dummy |= fortran_word(text, "intent") != NULL;
	free(text);
}

/* What follows the name in the list: bounds, a first value. */
static void take_entity(struct fortran_entity *e, const char *name, size_t n)
{
	const char *s = name + n + strspn(name + n, " ");

	if (*s == '(') {
		e->array = true;
		s = fortran_closing(s);
		s = s ? s + strspn(s, " ") : "";
	}
	e->initial |= *s == '=' || *s == '/';
}

/* What a statement says of the name; false: nothing. */
static bool declares(const char *text, const char *name, struct fortran_entity *e)
{
	static const char *const words[] = { "dimension", "common", "pointer", "target",
					     "allocatable", "save", "parameter", "data" };
	const char *list = type_spec(text), *at, *type = list;

	if (fortran_assignment(text, NULL))
		return false;
	if (list) {
		const char *mark = colons(list);

		at = in_list(mark ? mark + 2 : list, name);
		if (!at)
			return false;
		take_type(e, text, type);
		if (mark)
			take_attributes(e, list, mark);
		take_entity(e, at, strlen(name));
		return true;
	}
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		list = fortran_begins(text, words[i], NULL);
		if (!list)
			continue;
		at = i < 6 ? in_list(list, name) : fortran_word(list, name);
		if (!at)
			return false;
		e->common |= i == 1;
		e->pointer |= i == 2;
		e->target |= i == 3;
		e->allocatable |= i == 4;
		e->parameter |= i == 6;
		e->initial |= i == 7;
		e->array |= i == 0;
		if (i < 6)
			take_entity(e, at, strlen(name));
		return true;
	}
	return false;
}

static bool argument_of(const struct fortran *f, const struct fortran_unit *u, const char *name)
{
	const char *open = u->headed && u->kind >= FORTRAN_SUBROUTINE ?
				   strchr(f->statement[u->head].text, '(') :
				   NULL;

	return open && fortran_word(open, name);
}

static bool find_here(const struct fortran *f, uint32_t unit, const char *name,
		      struct fortran_entity *e)
{
	const struct fortran_unit *u = &f->unit[unit];
	bool any = false;

	*e = (struct fortran_entity){ .unit = unit };
	for (uint32_t i = u->head + u->headed; i < u->body; i++) {
		if (f->statement[i].inner || !declares(f->statement[i].text, name, e))
			continue;
		if (!any)
			e->first = i;
		e->last = i;
		any = true;
	}
	if (any)
		e->dummy |= argument_of(f, u, name);
	return any;
}

static uint32_t module_of(const struct fortran *f, const char *name)
{
	for (uint32_t i = 0; i < f->nunit; i++)
		if (f->unit[i].kind == FORTRAN_MODULE && !strcmp(f->unit[i].name, name))
			return i;
	return FORTRAN_NONE;
}

/* The module that a USE names, if it brings the name; NULL: it is none, or does not. Owned by the
 * caller. */
static char *used(const char *text, const char *name)
{
	const char *s = fortran_begins(text, "use", NULL), *only;
	char *module;

	if (!s || fortran_assignment(text, NULL))
		return NULL;
	if (strstr(s, "::"))
		s = strstr(s, "::") + 2;
	else if (*s == ',')
		return NULL;
	module = name_at(s);
	only = strchr(s, ',');
	if (only && fortran_begins(only + 1 + strspn(only + 1, " "), "only", NULL) && name &&
	    !fortran_word(only + 1, name)) {
		free(module);
		return NULL;
	}
	return module;
}

bool fortran_uses(const struct fortran *f, uint32_t unit, const char *module, const char *name)
{
	for (; unit != FORTRAN_NONE; unit = f->unit[unit].host) {
		const struct fortran_unit *u = &f->unit[unit];

		if (u->kind == FORTRAN_MODULE && !strcmp(u->name, module))
			return true;
		for (uint32_t i = u->head + u->headed; i < u->body; i++) {
			char *of = used(f->statement[i].text, name);
			bool is = of && !strcmp(of, module);

			free(of);
			if (is)
				return true;
		}
	}
	return false;
}

/* In modules of the file that the unit uses, and in those that these use. */
static bool find_used(const struct fortran *f, uint32_t unit, const char *name,
		      struct fortran_entity *e, unsigned depth)
{
	const struct fortran_unit *u = &f->unit[unit];
	bool found = false;

	for (uint32_t i = u->head + u->headed; i < u->body && !found && depth < 8; i++) {
		char *module = used(f->statement[i].text, name);
		uint32_t at = module ? module_of(f, module) : FORTRAN_NONE;

		free(module);
		found = at != FORTRAN_NONE && at != unit &&
			(find_here(f, at, name, e) || find_used(f, at, name, e, depth + 1));
	}
	return found;
}

bool fortran_find(const struct fortran *f, uint32_t unit, const char *name,
		  struct fortran_entity *out)
{
	for (; unit != FORTRAN_NONE; unit = f->unit[unit].host)
		if (find_here(f, unit, name, out) || find_used(f, unit, name, out, 0))
			return true;
	return false;
}

bool fortran_component(const struct fortran *f, const char *name, struct fortran_entity *out)
{
	for (uint32_t i = 0; i < f->n; i++) {
		*out = (struct fortran_entity){ .unit = FORTRAN_NONE, .first = i, .last = i };
		if (f->statement[i].inner && declares(f->statement[i].text, name, out))
			return true;
	}
	return false;
}

/* The name at that place of a list, and what follows it. */
static char *nth_name(const char *list, uint32_t n)
{
	const char *s = list;

	for (uint32_t i = 0; i < n; i++) {
		while (*s && *s != ',') {
			const char *e = *s == '(' || *s == '[' ? fortran_closing(s) : s + 1;

			if (!e)
				return NULL;
			s = e;
		}
		if (!*s)
			return NULL;
		s++;
	}
	return name_at(s);
}

char *fortran_next(const struct fortran *f, uint32_t unit, uint32_t *at, uint32_t *place)
{
	const struct fortran_unit *u = &f->unit[unit];

	for (; u->head + u->headed + *at < u->body; ++*at, *place = 0) {
		const struct fortran_statement *s = &f->statement[u->head + u->headed + *at];
		const char *list = s->inner ? NULL : type_spec(s->text), *mark;
		char *name;

		if (!list || fortran_assignment(s->text, NULL))
			continue;
		mark = colons(list);
		while ((name = nth_name(mark ? mark + 2 : list, (*place)++))) {
			struct fortran_entity e;
			bool derived =
				!strncmp(s->text, "type", 4) || !strncmp(s->text, "class", 5);

			if (*name && fortran_find(f, unit, name, &e) && !e.parameter &&
			    (e.array || derived))
				return name;
			free(name);
		}
	}
	return NULL;
}
