/* SPDX-License-Identifier: BSD-3-Clause */
/* Directives: the words of their names, and the clauses that make more than one loop of it. */
#include "runtime/loops/loops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NEST 16u

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

bool directive_divides(const char *text, size_t len, bool fortran, unsigned *nest, bool *whole)
{
	const char *p = text, *end = text + len;
	bool divides = false, names = true;

	*nest = 1;
	*whole = false;
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
		if (names && (is_word(word, n, "parallel") || is_word(word, n, "paralleldo")))
			*whole = true;
		if (names && is_word(word, n, "taskloop"))
			divides = *whole = true;
		if (names && (is_word(word, n, fortran ? "do" : "for") ||
			      (fortran && is_word(word, n, "paralleldo"))))
			divides = true;
		/* `end do`, `cancel for`, declarations */
		if (names && (is_word(word, n, "end") || is_word(word, n, "enddo") ||
			      is_word(word, n, "cancel") || is_word(word, n, "cancellation") ||
			      is_word(word, n, "declare")))
			return false;
		if (p < end && *p == '(' &&
		    (is_word(word, n, "collapse") || is_word(word, n, "ordered"))) {
			unsigned given = number(p, behind(p, end));

			if (!given)
				return false;
			*nest = given > *nest ? given : *nest;
		}
	}
	return divides;
}
