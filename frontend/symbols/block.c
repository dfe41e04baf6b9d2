/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of allocated memory: by the variable that the statement which allocates it assigns. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/parse.h"
#include "common/protocol/report.h"
#include "frontend/symbols/internal.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define STATEMENT 400 /* characters of one */
#define LINES 3	      /* that it may have in front of the call's */

/* What is known of a call that allocates. */
struct block {
	uint64_t vaddr;
	char *name;  /* of the variable; owned, NULL: none is assigned, or several are */
	char *shape; /* of Fortran, "0:n, 4"; owned, NULL: C or C++ */
};

struct blocks {
	struct block *block; /* owned */
	size_t n;
};

void blocks_destroy(struct blocks *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++) {
		free(b->block[i].name);
		free(b->block[i].shape);
	}
	free(b->block);
	free(b);
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_fortran(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && (dot[1] == 'f' || dot[1] == 'F');
}

/* The line, with what is in front of it of its first statement. */
static void statement_at(const struct source_file *f, uint32_t line, char out[STATEMENT])
{
	bool fortran = is_fortran(f->path);
	uint32_t first = line > LINES ? line - LINES : 1;
	size_t n = 0;

	out[0] = '\0';
	for (uint32_t i = first; i <= line && n < STATEMENT; i++) {
		const char *at = f->line[i - 1], *remark = strstr(at, fortran ? "!" : "//"), *end;
		size_t all = remark ? (size_t)(remark - at) : strlen(at);

		n += (size_t)snprintf(out + n, STATEMENT - n, "%.*s ", (int)all, at);
		end = strpbrk(at, fortran ? "&" : ";{}");
		if (i < line && (end && end < at + all) != fortran)
			out[n = 0] = '\0';
	}
	for (char *at = fortran ? out : NULL; at && (at = strchr(at, '&'));)
		*at = ' ';
}

/* Whether a word allocates: "alloc" is in it, and it is called, or it is new. */
static bool is_maker(const char *at, size_t n)
{
	if (n == 3 && !strncmp(at, "new", 3))
		return true;
	if (at[n + strspn(at + n, " \t")] != '(')
		return false;
	for (size_t i = 0; i + 5 <= n; i++)
		if (!strncasecmp(at + i, "alloc", 5))
			return true;
	return n >= 8 && !strncmp(at, "memalign", 8);
}

/* How many words allocate, up to one of the stops. */
static unsigned makers(const char *at, const char *stops)
{
	unsigned found = 0;

	for (size_t n; *at && !strchr(stops, *at); at += n ? n : 1) {
		for (n = 0; in_name(at[n]);)
			n++;
		found += n && is_maker(at, n);
	}
	return found;
}

static bool is_assignment(const char *text, const char *at)
{
	return *at == '=' && at[1] != '=' && at > text && !strchr("=!<>+-*/%&|^", at[-1]);
}

/* Where "a", "s->u" or "u[i]" begins that ends at `end`. */
static const char *target_before(const char *text, const char *end)
{
	const char *at = end;

	for (;;) {
		if (at > text && at[-1] == ']') {
			unsigned deep = 0;

			while (at > text && (at[-1] != '[' || --deep))
				deep += *--at == ']';
			at -= at > text;
		} else if (at > text && (in_name(at[-1]) || at[-1] == '.' || at[-1] == ':')) {
			at--;
		} else if (at > text + 1 && at[-1] == '>' && at[-2] == '-') {
			at -= 2;
		} else {
			return at;
		}
	}
}

/* Whether the '*' in front of the name is of its declaration: a type is in front of that. */
static bool is_declared(const char *text, const char *at)
{
	while (at > text && strchr(" \t*", at[-1]))
		at--;
	return at > text && in_name(at[-1]);
}

/* Behind the '(', the '*' and the name of a declaration, "double (*a)[10]"; else NULL. */
static const char *of_arrays(const char *text, const char *at)
{
	const char *last = at > text && at[-1] == ')' ? at - 1 : NULL, *first;

	if (!last)
		return NULL;
	first = target_before(text, last);
	return first > text + 1 && first < last && first[-1] == '*' && first[-2] == '(' &&
			       is_declared(text, first - 2) ?
		       last :
		       NULL;
}

/* Of C and C++; NULL: no variable is assigned, or several are. To be freed. */
static char *assigned(const char *text)
{
	const char *found = NULL, *first, *last, *before;

	for (const char *at = text; *at; at++)
		if (is_assignment(text, at) && makers(at + 1, ";,="))
			found = at;
	if (!found || makers(text, "") > 1)
		return NULL;
	for (last = found; last > text && isspace((unsigned char)last[-1]);)
		last--;
	first = target_before(text, last);
	if (*first == '[') {
		last = of_arrays(text, first);
		first = last ? target_before(text, last) : NULL;
		return last ? xasprintf("%.*s", (int)(last - first), first) : NULL;
	}
	for (before = first; before > text && isspace((unsigned char)before[-1]);)
		before--;
	if (first == last || (before > text && before[-1] == '*' && !is_declared(text, before)))
		return NULL;
	return xasprintf("%.*s", (int)(last - first), first);
}

/* The end of a bracket that is open in front of at; NULL: none. */
static const char *closed(const char *at)
{
	for (unsigned deep = 1; *at; at++) {
		deep += *at == '(';
		if (*at == ')' && !--deep)
			return at;
	}
	return NULL;
}

/* Of Fortran: the one object of an ALLOCATE. */
static void allocated(const char *text, struct block *b)
{
	const char *at, *name, *end;

	for (at = text; *at && strncasecmp(at, "allocate", 8) != 0; at++)
		;
	at += *at ? 8 : 0;
	at += strspn(at, " \t");
	if (*at++ != '(')
		return;
	at += strspn(at, " \t");
	for (name = at; in_name(*at) || *at == '%'; at++)
		;
	end = *at == '(' ? closed(at + 1) : NULL;
	if (!end || at == name)
		return;
	/* another one behind it may be the one; STAT= and SOURCE= are none */
	for (const char *p = end + 1; *p && *p != ')'; p++)
		if (*p == '(')
			return;
	b->name = xasprintf("%.*s", (int)(at - name), name);
	b->shape = xasprintf("%.*s", (int)(end - at - 1), at + 1);
}

static const struct block *block_at(struct symbols *s, struct module *m, const struct place *p)
{
	struct place at = *p;
	struct source *src;
	const struct source_file *f;
	char text[STATEMENT];
	struct block *b;

	if (!m->blocks)
		m->blocks = xcalloc(1, sizeof(*m->blocks));
	for (size_t i = 0; i < m->blocks->n; i++)
		if (m->blocks->block[i].vaddr == p->vaddr)
			return &m->blocks->block[i];
	b = xvec_add(m->blocks->block, m->blocks->n);
	*b = (struct block){ .vaddr = p->vaddr };
	symbols_resolve(s, &at);
	if (!at.file || !at.line)
		return b;
	src = source_create(s);
	f = source_find(src, at.file, NULL, p->module, NULL);
	if (f && at.line <= f->n) {
		statement_at(f, at.line, text);
		if (is_fortran(at.file))
			allocated(text, b);
		else
			b->name = assigned(text);
	}
	source_destroy(src);
	return b;
}

/* "a(334)" of one dimension whose bounds are numbers, or begin with 1. */
static bool fortran_element(const struct block *b, uint32_t elem, uint64_t within, char *text,
			    size_t room)
{
	const char *colon = strchr(b->shape, ':');
	int64_t lower = 1;
	char *low;
	int rc = 0;

	if (!elem || strpbrk(b->shape, ",("))
		return false;
	if (colon) {
		low = xasprintf("%.*s", (int)(colon - b->shape), b->shape);
		low[strcspn(low, " \t")] = '\0';
		rc = parse_int(low, INT32_MIN, INT32_MAX, &lower);
		free(low);
	}
	if (!rc)
		snprintf(text, room, "%s(%" PRId64 ")", b->name,
			 lower + (int64_t)(within / elem));
	return !rc;
}

const char *symbols_block_at(struct symbols *s, const struct place *place, uint64_t within,
			     char *text, size_t room)
{
	const struct block *b = block_at(s, symbols_module(s, place->module), place);
	struct symbol_object o = { 0 };

	if (!b->name)
		return NULL;
	if (!b->shape)
		return symbols_pointed_at(s, place->module, place->vaddr, b->name, within, text,
					  room);
	if (symbols_object(s, place->module, place->vaddr, b->name, &o, NULL) ||
	    !fortran_element(b, o.elem, within, text, room))
		snprintf(text, room, "%s+%" PRIu64, b->name, within);
	symbol_object_clear(&o);
	return text;
}
