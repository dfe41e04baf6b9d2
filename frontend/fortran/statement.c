/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements: comments and texts made blank, continued lines joined. */
#include "frontend/fortran/fortran.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/fortran/internal.h"
#include "frontend/util/xvec.h"

#define COLUMNS 72 /* of a line in fixed form */

bool fortran_is_fixed(const char *path)
{
	const char *dot = strrchr(path, '.');
	static const char *const fixed[] = { "f", "for", "ftn", "f77", "fpp" };

	for (unsigned i = 0; dot && i < sizeof(fixed) / sizeof(*fixed); i++) {
		const char *a = dot + 1, *b = fixed[i];

		while (*a && *b && tolower((unsigned char)*a) == *b) {
			a++;
			b++;
		}
		if (!*a && !*b)
			return true;
	}
	return false;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A line in fixed form that goes on with the statement before. */
static bool continues_fixed(const char *line)
{
	for (unsigned i = 0; i < 5; i++)
		if (line[i] != ' ')
			return false;
	return line[5] && line[5] != ' ' && line[5] != '0' && line[5] != '\n' && line[5] != '!';
}

static void blank_line(char *s)
{
	for (; *s && *s != '\n'; s++)
		*s = ' ';
}

/* Behind the & at the end of a line nothing comes; then the text in quotes goes on in the next
 * one. */
static bool goes_on(const char *s)
{
	if (*s++ != '&')
		return false;
	while (*s == ' ' || *s == '\t' || *s == '\r')
		s++;
	return *s == '\n';
}

/* At the end of a line inside of quotes: the first character of the text in the next line. */
static char *text_goes_on(char *s, bool fixed)
{
	if (fixed)
		return continues_fixed(s + 1) ? s + 7 : NULL;
	for (s++; *s == ' ' || *s == '\t'; s++)
		;
	return *s == '&' ? s + 1 : s;
}

/* Makes a text in quotes blank; returns its last character, or the line end in front of which it is
 * cut off. */
static char *blank_quoted(char *s, bool fixed)
{
	char quote = *s;

	for (*s++ = ' '; *s; s++) {
		bool more = false;

		if (*s == '&' && !fixed && goes_on(s)) {
			while (*s != '\n')
				s++;
			more = true;
		}
		if (*s == '\n') {
			char *next = more || fixed ? text_goes_on(s, fixed) : NULL;

			if (!next)
				return s;
			s = next - 1;
		} else if (*s == quote && s[1] == quote) {
			*s++ = ' ';
			*s = ' ';
		} else if (*s == quote) {
			*s = ' ';
			return s;
		} else {
			*s = ' ';
		}
	}
	return s - 1;
}

static bool comment_line(const char *line, bool fixed)
{
	return *line == '#' || (fixed && *line && strchr("cCdD*!", *line));
}

static void blank(char *text, bool fixed)
{
	unsigned column = 0;

	for (char *s = text; *s; s++, column++) {
		if (!column && comment_line(s, fixed))
			blank_line(s);
		if (*s == '\n')
			column = UINT32_MAX;
		else if ((*s == '!' && !(fixed && column == 5)) || (fixed && column >= COLUMNS))
			blank_line(s);
		else if (*s == '\'' || *s == '"') {
			s = blank_quoted(s, fixed);
			if (*s == '\n')
				column = UINT32_MAX;
		} else if (*s == '\t' || *s == '\r') {
			*s = ' ';
		} else {
			*s = (char)tolower((unsigned char)*s);
		}
	}
}

/* What is gathered of a statement whose lines go on. */
struct joined {
	char *text; /* owned */
	size_t *at; /* owned; of each character in the source */
	uint32_t n, room, nat;
	uint32_t *line; /* owned; of each character */
	uint32_t nline;
};

static void join(struct joined *j, char c, size_t at, uint32_t line)
{
	char *to = xvec_add(j->text, j->n);
	size_t *where = xvec_add(j->at, j->nat);
	uint32_t *row = xvec_add(j->line, j->nline);

	*to = c;
	*where = at;
	*row = line;
}

/* One statement of those that ; separates. */
static void add(struct fortran *f, const struct joined *j, uint32_t from, uint32_t to)
{
	struct fortran_statement *s;
	uint32_t label = 0;

	while (from < to && j->text[from] == ' ')
		from++;
	while (to > from && j->text[to - 1] == ' ')
		to--;
	if (from == to)
		return;
	s = xvec_add(f->statement, f->n);
	s->first = j->line[from];
	s->last = j->line[to - 1];
	s->at = j->at[from];
	s->end = j->at[to - 1] + 1;
	while (from < to && isdigit((unsigned char)j->text[from]))
		label = label * 10 + (uint32_t)(j->text[from++] - '0');
	s->label = label;
	while (from < to && j->text[from] == ' ')
		from++;
	s->text = xstrndup(j->text + from, to - from);
	for (char *c = s->text; is_name(*c);
	     c++) { /* "rows: do" has a name, "real :: x" has none */
		char *colon = c + 1 + strspn(c + 1, " ");

		if (!is_name(c[1]) && *colon == ':' && colon[1] != ':') {
			colon += 1 + strspn(colon + 1, " ");
			memmove(s->text, colon, strlen(colon) + 1);
			break;
		}
	}
}

static void finish(struct fortran *f, struct joined *j)
{
	uint32_t from = 0;

	for (uint32_t i = 0; i <= j->n; i++) {
		if (i < j->n && j->text[i] != ';')
			continue;
		add(f, j, from, i);
		from = i + 1;
	}
	j->n = j->nat = j->nline = 0;
	free(j->text);
	free(j->at);
	free(j->line);
	*j = (struct joined){ 0 };
}

/* Puts the line's characters to the statement; true: the statement goes on in the next line. */
static bool take_free(const struct fortran *f, struct joined *j, size_t from, size_t to,
		      uint32_t line)
{
	bool more;

	while (from < to && f->text[from] == ' ')
		from++;
	while (to > from && f->text[to - 1] == ' ')
		to--;
	if (from == to)
		return j->n > 0; /* a comment between continued lines */
	if (j->n && f->text[from] == '&')
		from++;
	more = to > from && f->text[to - 1] == '&';
	for (size_t i = from; i < to - more; i++)
		join(j, f->text[i], i, line);
	if (more && j->n)
		join(j, ' ', to - 1, line);
	return more;
}

void statements(struct fortran *f, const char *text)
{
	struct joined j = { 0 };
	uint32_t line = 1;

	f->text = xstrdup(text);
	blank(f->text, f->fixed);
	for (size_t from = 0, to; f->text[from]; from = to + (f->text[to] == '\n'), line++) {
		to = from + strcspn(f->text + from, "\n");
		if (f->fixed) {
			size_t begin = from;

			if (to - from > 5 && continues_fixed(f->text + from))
				begin += 6;
			else
				finish(f, &j);
			for (size_t i = begin; i < to; i++)
				join(&j, f->text[i], i, line);
		} else if (!take_free(f, &j, from, to, line)) {
			finish(f, &j);
		}
	}
	finish(f, &j);
}

struct fortran *fortran_parse(const char *text, bool fixed)
{
	struct fortran *f = xcalloc(1, sizeof(*f));

	f->fixed = fixed;
	statements(f, text);
	units(f);
	return f;
}

void statements_clear(struct fortran *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		free(f->statement[i].text);
	free(f->statement);
	free(f->text);
}

void fortran_free(struct fortran *f)
{
	if (!f)
		return;
	statements_clear(f);
	for (uint32_t i = 0; i < f->nunit; i++)
		free(f->unit[i].name);
	free(f->unit);
	free(f);
}

uint32_t fortran_statement_at(const struct fortran *f, uint32_t line)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->statement[i].first <= line && line <= f->statement[i].last)
			return i;
	return FORTRAN_NONE;
}

const char *fortran_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *c = text; (c = strstr(c, word)); c++) {
		const char *before = c;

		if (is_name(c[n]) || (c > text && is_name(c[-1])))
			continue;
		while (before > text && before[-1] == ' ')
			before--;
		if (before == text || before[-1] != '%')
			return c;
	}
	return NULL;
}

const char *fortran_begins(const char *text, const char *word, const char *next)
{
	size_t n = strlen(word);

	if (strncmp(text, word, n))
		return NULL;
	text += n;
	if (next && *next) {
		text += strspn(text, " ");
		n = strlen(next);
		if (strncmp(text, next, n))
			return NULL;
		text += n;
	}
	return is_name(*text) ? NULL : text + strspn(text, " ");
}

const char *fortran_closing(const char *s)
{
	unsigned depth = 0;

	for (; *s; s++) {
		if (*s == '(' || *s == '[')
			depth++;
		else if ((*s == ')' || *s == ']') && !--depth)
			return s + 1;
	}
	return NULL;
}

const char *fortran_assignment(const char *text, size_t *len)
{
	const char *s = text;

	if (!isalpha((unsigned char)*s))
		return NULL;
	while (is_name(*s))
		s++;
	if (len)
		*len = (size_t)(s - text);
	for (;;) {
		s += strspn(s, " ");
		if (*s == '(') {
			s = fortran_closing(s);
			if (!s)
				return NULL;
		} else if (*s == '%') {
			for (s += 1 + strspn(s + 1, " "); is_name(*s); s++)
				;
		} else {
			break;
		}
	}
	return *s == '=' && s[1] != '=' ? s + 1 : NULL;
}
