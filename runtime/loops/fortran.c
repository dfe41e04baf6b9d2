/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fortran, free and fixed form: a mark is a line of its own, behind which the line that follows has
 * its number again.
 */
#include "runtime/loops/loops.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct lines {
	struct text *t;
	const char *name;
	bool fixed;
	size_t at, end; /* the line that is read: without its end */
	unsigned line;	/* its number, from 1 */
};

static bool next_line(struct lines *l)
{
	const char *end;

	if (l->line)
		l->at = l->end < l->t->len ? l->end + 1 : l->t->len;
	if (l->at >= l->t->len)
		return false;
	end = memchr(l->t->data + l->at, '\n', l->t->len - l->at);
	l->end = end ? (size_t)(end - l->t->data) : l->t->len;
	l->line++;
	return true;
}

/* The directive's text; NULL: the line is none. */
static const char *omp(const struct lines *l)
{
	const char *p = l->t->data + l->at;

	if (!l->fixed)
		while (*p == ' ' || *p == '\t')
			p++;
	if (*p != '!' && !(l->fixed && strchr("cC*", *p) && *p))
		return NULL;
	return !strncasecmp(p + 1, "$omp", 4) ? p + 5 : NULL;
}

static bool is_comment(const struct lines *l)
{
	const char *p = l->t->data + l->at;

	if (l->fixed && *p && strchr("cC*dD", *p))
		return true;
	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	return *p == '!' || *p == '\n' || !*p || (*p == '#' && p == l->t->data + l->at);
}

/* Whether the line is continued in the next: its last character is an ampersand. */
static bool is_open(const struct lines *l)
{
	size_t end = l->at;
	char quote = '\0';

	for (size_t i = l->at; i < l->end; i++) {
		char c = l->t->data[i];

		if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? '\0' : c;
		else if (!quote && c == '!' && i != l->at && !omp(l))
			break;
		if (!isspace((unsigned char)c))
			end = i;
	}
	return l->t->data[end] == '&';
}

/* Whether the line continues the last one. */
static bool continues(const struct lines *l)
{
	const char *p = l->t->data + l->at;

	if (omp(l))
		p = l->fixed ? p + 5 : omp(l);
	else if (l->fixed)
		p += l->end - l->at > 5 ? 5 : 0;
	if (l->fixed)
		return l->end - l->at > 5 && *p != ' ' && *p != '0' && *p != '\t';
	while (*p == ' ' || *p == '\t')
		p++;
	return *p == '&';
}

/* To the last line of what begins there. */
static bool last_line(struct lines *l)
{
	struct lines ahead;

	for (;;) {
		bool open = !l->fixed && is_open(l);

		ahead = *l;
		do {
			if (!next_line(&ahead))
				return !open;
		} while (is_comment(&ahead) && !omp(&ahead));
		if (!open && !continues(&ahead))
			return true;
		*l = ahead;
	}
}

/* The first word of the statement, behind its label and its name. */
static const char *statement(const struct lines *l)
{
	const char *p = l->t->data + l->at, *name;

	while (isspace((unsigned char)*p) || isdigit((unsigned char)*p))
		p++;
	name = p;
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	while (*p == ' ')
		p++;
	if (p == name || *p != ':' || p[1] == ':')
		return name;
	for (p++; *p == ' '; p++)
		;
	return p;
}

static bool begins(const char *p, const char *word)
{
	size_t n = strlen(word);

	return !strncasecmp(p, word, n) && !isalnum((unsigned char)p[n]) && p[n] != '_';
}

/* `do i = …`, `do while`, `do`; not a variable. *label: it ends at one. */
static bool is_do(const struct lines *l, bool *label)
{
	const char *p = statement(l);

	if (!begins(p, "do"))
		return false;
	for (p += 2; *p == ' '; p++)
		;
	*label = isdigit((unsigned char)*p);
	return *p != '=' && *p != '(' && *p != '%';
}

static bool is_end_do(const struct lines *l)
{
	const char *p = statement(l);

	if (begins(p, "enddo"))
		return true;
	if (!begins(p, "end"))
		return false;
	for (p += 3; *p == ' '; p++)
		;
	return begins(p, "do");
}

/* Behind this line. */
static void put_line(const struct lines *l, const char *what)
{
	bool last = l->end >= l->t->len;

	text_insert(l->t, last ? l->t->len : l->end + 1, "%s      call %s\n# %u \"%s\"\n",
		    last ? "\n" : "", what, l->line + 1, l->name);
}

/* Behind the loop whose body begins behind this line, and behind its directive of the end. */
static void mark_end(struct lines l)
{
	unsigned depth = 1;
	bool label = false;
	struct lines ahead;
	const char *p;

	while (depth && next_line(&l)) {
		if (is_comment(&l))
			continue;
		if (is_do(&l, &label))
			depth++;
		if (label)
			return;
		depth -= is_end_do(&l) ? 1 : 0;
		if (!last_line(&l))
			return;
	}
	if (depth)
		return;
	for (ahead = l; next_line(&ahead) && is_comment(&ahead);) {
		p = omp(&ahead);
		if (!p)
			continue;
		while (*p == ' ')
			p++;
		if ((begins(p, "end") || begins(p, "enddo")) && last_line(&ahead))
			l = ahead;
		break;
	}
	put_line(&l, "dvmdbg_loop_end");
}

static void mark_loop(struct lines l, unsigned nest, bool whole)
{
	bool label = false;
	struct lines first;

	for (unsigned i = 0; i < nest; i++) {
		do {
			if (!next_line(&l))
				return;
		} while (is_comment(&l) && !omp(&l));
		if (omp(&l) || !is_do(&l, &label) || !last_line(&l))
			return;
		/* where one ends is seen by its `end do` */
		if (label && !whole)
			return;
		if (!i)
			first = l;
	}
	put_line(&l, "dvmdbg_iteration");
	if (!whole)
		mark_end(first);
}

void fortran_marks(struct text *t, bool fixed, const char *name)
{
	struct lines l = { .t = t, .name = name, .fixed = fixed };

	while (next_line(&l)) {
		const char *p = omp(&l);
		unsigned nest;
		bool whole;

		if (!p || !last_line(&l))
			continue;
		if (directive_divides(p, (size_t)(t->data + l.end - p), true, &nest, &whole))
			mark_loop(l, nest, whole);
	}
	if (t->n)
		text_insert(t, 0, "# 1 \"%s\"\n", name);
}
