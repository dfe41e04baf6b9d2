/* SPDX-License-Identifier: BSD-3-Clause */
/* Directives: the words of their names, and the clauses that make more than one loop of it. */
#include "runtime/loops/loops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NEST 16u
#define SAFELEN 30u /* characters; lines of Fortran may not be long */

static bool is_word(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && !strncasecmp(p, word, n);
}

/* Behind the parenthesis that matches the one there; end: there is none. */
static const char *behind(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
		if (!depth)
			return p + 1;
	}
	return end;
}

/* The number between the parentheses; 0: it is none. */
static unsigned number(const char *p, const char *end)
{
	char *last;
	unsigned long n = strtoul(p + 1, &last, 10);

	while (last < end && isspace((unsigned char)*last))
		last++;
	return last + 1 == end && n <= NEST ? (unsigned)n : 0;
}

/* The names in the parentheses; a list with a modifier has none. */
static unsigned names_in(const char *p, const char *close, struct word *to, unsigned n)
{
	if (memchr(p, ':', (size_t)(close - p)))
		return n;
	while (++p < close && n < FRESH_NAMES) {
		const char *from;

		while (p < close && !isalpha((unsigned char)*p) && *p != '_')
			p++;
		from = p;
		while (p < close && (isalnum((unsigned char)*p) || *p == '_'))
			p++;
		if (p > from)
			to[n++] = (struct word){ from, (size_t)(p - from) };
	}
	return n;
}

static bool is_same(const struct word *a, const struct word *b)
{
	return a->n == b->n && !strncasecmp(a->p, b->p, a->n);
}

bool directive_gives(const struct directive *d, const struct word *w)
{
	for (unsigned i = 0; i < d->ngiven; i++)
		if (is_same(&d->given[i], w))
			return true;
	return false;
}

/* A word of the directive's name. False: the directive has no loop. */
static bool named(struct directive *d, const char *word, size_t n, bool fortran, bool first)
{
	static const char *const none[] = { "end", "enddo", "cancel", "cancellation", "declare" };

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (is_word(word, n, none[i]))
			return false;
	if (is_word(word, n, "ordered") && first)
		return false;
	if (is_word(word, n, "parallel") || is_word(word, n, "paralleldo") ||
	    is_word(word, n, "teams") || is_word(word, n, "taskloop"))
		d->whole = true;
	if (is_word(word, n, "taskloop") || is_word(word, n, "distribute") ||
	    is_word(word, n, "loop") || is_word(word, n, fortran ? "do" : "for") ||
	    (fortran && is_word(word, n, "paralleldo")))
		d->divides = true;
	d->simd |= is_word(word, n, "simd");
	d->elements |= is_word(word, n, "workshare");
	d->parts |= is_word(word, n, "sections") || is_word(word, n, "workshare");
	return true;
}

/* A clause, with what is between its parentheses. */
static bool clause(struct directive *d, const char *word, size_t n, const char *p, const char *end)
{
	const char *close = behind(p, end);

	d->reduces |= is_word(word, n, "reduction");
	if (is_word(word, n, "private") || is_word(word, n, "lastprivate"))
		d->nfresh = names_in(p, close, d->fresh, d->nfresh);
	else if (is_word(word, n, "firstprivate"))
		d->ngiven = names_in(p, close, d->given, d->ngiven);
	if (is_word(word, n, "safelen")) {
		d->safelen = p + 1;
		d->nsafelen = close - p > 2 ? (size_t)(close - p) - 2 : 0;
		/* a mark is on one line */
		if (!d->nsafelen || d->nsafelen > SAFELEN || memchr(d->safelen, '\n', d->nsafelen))
			return false;
	}
	if (is_word(word, n, "collapse") || is_word(word, n, "ordered")) {
		unsigned given = number(p, close);

		if (!given)
			return false;
		d->nest = given > d->nest ? given : d->nest;
	}
	return true;
}

bool directive_read(struct directive *d, const char *text, size_t len, bool fortran)
{
	const char *p = text, *end = text + len;
	bool names = true, first = true;

	*d = (struct directive){ .nest = 1 };
	while (p < end) {
		const char *word = p;
		size_t n;

		if (!isalpha((unsigned char)*p) && *p != '_') {
			p = *p == '(' ? behind(p, end) : p + 1;
			continue;
		}
		while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
			p++;
		n = (size_t)(p - word);
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p < end && *p == '(')
			names = false;
		if (names && !named(d, word, n, fortran, first))
			return false;
		if (p < end && *p == '(' && !clause(d, word, n, p, end))
			return false;
		first = false;
	}
	d->simd = d->simd && !d->divides;
	d->elements = d->elements && !d->whole;
	return d->divides || d->simd;
}
