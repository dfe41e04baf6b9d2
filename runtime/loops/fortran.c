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

/* A directive for an ordered part. */
static bool is_ordered(const struct lines *l)
{
	const char *p = omp(l);

	while (p && *p == ' ')
		p++;
	return p && begins(p, "ordered");
}

/* To the last line of the loop whose body begins behind this one, or of its directive of the end.
 * False: it is not understood, or is not to be marked. */
static bool loop_end(struct lines *from, bool simd)
{
	unsigned depth = 1;
	bool label = false;
	struct lines ahead, l = *from;
	const char *p;

	while (depth && next_line(&l)) {
		if (simd && is_ordered(&l))
			return false;
		if (is_comment(&l))
			continue;
		if (is_do(&l, &label))
			depth++;
		if (label)
			return false;
		depth -= is_end_do(&l) ? 1 : 0;
		if (!last_line(&l))
			return false;
	}
	if (depth)
		return false;
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
	*from = l;
	return true;
}

/* Whether the line has that name. */
static bool has_name(const struct lines *l, const char *word, size_t n)
{
	const char *p = l->t->data + l->at, *end = l->t->data + l->end;

	while (p < end && *p != '!') {
		const char *from = p;

		while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
			p++;
		if (p == from)
			p++;
		else if ((size_t)(p - from) == n && !strncasecmp(from, word, n))
			return true;
	}
	return false;
}

static bool has_word(const struct lines *l, const char *const *word, bool first)
{
	for (; *word; word++)
		if (first ? begins(statement(l), *word) : has_name(l, *word, strlen(*word)))
			return true;
	return false;
}

static const char *const number[] = { "integer", "real", "double", "complex", "logical", NULL },
			 *const elsewhere[] = { "pointer", "allocatable", "parameter",
						"equivalence", NULL };

static bool has_char(const struct lines *l, char c)
{
	return memchr(l->t->data + l->at, c, l->end - l->at);
}

/* Whether that is a type whose components are numbers, which have no value at the beginning. */
static bool is_plain_type(const struct lines *directive, const char *name, size_t n)
{
	struct lines l = { .t = directive->t, .fixed = directive->fixed };
	bool plain = false;

	while (next_line(&l) && l.line < directive->line) {
		if (is_comment(&l) || !begins(statement(&l), "type") || has_char(&l, '(') ||
		    !has_name(&l, name, n))
			continue;
		for (plain = true; next_line(&l) && !begins(statement(&l), "end");)
			plain &= is_comment(&l) ||
				 (has_word(&l, number, true) && !has_word(&l, elsewhere, false) &&
				  !has_char(&l, '='));
	}
	return plain;
}

/* The line declares variables of such a type. */
static bool is_of_type(const struct lines *directive, const struct lines *l)
{
	const char *p = statement(l), *end = l->t->data + l->end, *name;

	if (!begins(p, "type"))
		return false;
	for (p += strlen("type"); p < end && (*p == ' ' || *p == '('); p++)
		;
	for (name = p; p < end && (isalnum((unsigned char)*p) || *p == '_'); p++)
		;
	return has_char(l, '(') && is_plain_type(directive, name, (size_t)(p - name));
}

/*
 * Whether the variable is declared before the directive as a number, a structure of numbers, or an
 * array of these that is not allocated: only of those it is known that there is nothing in its
 * memory but values.
 */
static bool is_plain(const struct lines *directive, const struct word *w)
{
	static const char *const unit[] = { "program", "module", "subroutine", NULL },
				 *const function[] = { "function", NULL },
				 *const type[] = { "type", NULL };
	struct lines l = { .t = directive->t, .fixed = directive->fixed };
	bool plain = false, bad = false;

	while (next_line(&l) && l.line < directive->line) {
		bool structure;

		if (is_comment(&l))
			continue;
		if (has_word(&l, unit, true) || has_word(&l, function, false))
			plain = bad = false;
		else if (has_name(&l, w->p, w->n)) {
			structure = is_of_type(directive, &l);
			bad |= has_word(&l, elsewhere, false) ||
			       (has_word(&l, type, false) && !structure);
			plain |= structure || has_word(&l, number, true);
		}
	}
	return plain && !bad;
}

#define COLUMNS 72 /* of fixed form */

/* Calls behind the line for variables that have no value yet; none for what a line between those
 * of the directive and this one counts with. */
static void mark_fresh(const struct lines *directive, const struct lines *behind,
		       const struct directive *d)
{
	char call[300];

	for (unsigned i = 0; i < d->nfresh && !directive->t->plain; i++) {
		const struct word *w = &d->fresh[i];
		struct lines l = *directive;
		int n = (int)w->n;
		bool counts = false;

		while (l.line < behind->line && next_line(&l))
			counts |= !is_comment(&l) && has_name(&l, w->p, w->n);
		if (counts || directive_gives(d, w) || !is_plain(directive, w))
			continue;
		n = snprintf(call, sizeof(call), "dvmdbg_fprivate(loc(%.*s),sizeof(%.*s),'%.*s')",
			     n, w->p, n, w->p, n, w->p);
		if (n < (int)sizeof(call) && n < COLUMNS - 11)
			put_line(behind, call);
	}
}

static void mark_loop(struct lines l, const struct directive *d)
{
	const struct lines directive = l;
	bool label = false, ends;
	struct lines first = l;
	char call[200] = "dvmdbg_iteration";

	for (unsigned i = 0; i < d->nest; i++) {
		do {
			if (!next_line(&l))
				return;
		} while (is_comment(&l) && !omp(&l));
		if (omp(&l) || !is_do(&l, &label) || !last_line(&l))
			return;
		/* where one ends is seen by its `end do` */
		if (label && !d->whole)
			return;
		if (!i)
			first = l;
	}
	ends = !d->whole && loop_end(&first, d->simd);
	if (d->simd && !ends)
		return;
	if (d->simd)
		snprintf(call, sizeof(call), "dvmdbg_fsimd(%.*s%s)",
			 d->nsafelen ? (int)d->nsafelen : 1, d->nsafelen ? d->safelen : "0",
			 d->reduces ? "+1073741824" : "");
	put_line(&l, call);
	if (!d->simd)
		mark_fresh(&directive, &l, d);
	if (ends)
		put_line(&first, d->simd ? "dvmdbg_fsimd_end" : "dvmdbg_loop_end");
}

static bool is_end_of_workshare(const char *p)
{
	while (*p == ' ')
		p++;
	if (strncasecmp(p, "end", 3) != 0)
		return false;
	for (p += 3; *p == ' '; p++)
		;
	return begins(p, "workshare");
}

/* Statements with arrays need no marks of iterations, where a barrier is behind them. */
static void mark_elements(const struct lines *first)
{
	struct lines l = *first;
	const char *p = NULL;

	while (!(p && is_end_of_workshare(p))) {
		if (!next_line(&l))
			return;
		p = omp(&l);
	}
	for (; p < l.t->data + l.end; p++)
		if (!strncasecmp(p, "nowait", 6))
			return;
	text_insert(first->t, first->at, "      call dvmdbg_elements\n# %u \"%s\"\n", first->line,
		    first->name);
}

void fortran_marks(struct text *t, bool fixed, const char *name)
{
	struct lines l = { .t = t, .name = name, .fixed = fixed };

	while (next_line(&l)) {
		const struct lines first = l;
		const char *p = omp(&l);
		struct directive d;

		if (!p || !last_line(&l))
			continue;
		if (directive_read(&d, p, (size_t)(t->data + l.end - p), true))
			mark_loop(l, &d);
		else if (d.elements)
			mark_elements(&first);
		else if (is_end_of_workshare(p))
			put_line(&l, "dvmdbg_loop_end");
		else if (d.nfresh && !d.parts)
			mark_fresh(&l, &l, &d);
	}
	if (t->n)
		text_insert(t, 0, "# 1 \"%s\"\n", name);
}
