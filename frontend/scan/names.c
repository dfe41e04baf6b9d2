/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of single variables in a piece of a source, what sets them, and reductions over ranks. */
#include "frontend/scan/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "frontend/fortran/fortran.h"

static bool of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* How long what leads to a member is; 0: none follows. */
static size_t member(const struct scan *s, const char *c)
{
	size_t n = 0;

	if (s->fortran ? *c == '%' : *c == '.')
		n = 1;
	else if (!s->fortran && c[0] == '-' && c[1] == '>')
		n = 2;
	return n && (isalpha((unsigned char)c[n]) || c[n] == '_') ? n : 0;
}

static const char *name_end(const struct scan *s, const char *c)
{
	size_t more;

	do {
		while (of_word(*c))
			c++;
		more = member(s, c);
		c += more;
	} while (more);
	return c;
}

const char *scan_name(const struct scan *s, const char *from, const char *to, size_t *n)
{
	const char *end;

	for (const char *c = from; c < to; c = end) {
		const char *next;

		end = c + 1;
		if (!of_word(*c))
			continue;
		end = name_end(s, c);
		next = end + strspn(end, " \t");
		if (isdigit((unsigned char)*c) || *next == '(' || *next == '[')
			continue;
		*n = (size_t)(end - c);
		return c;
	}
	return NULL;
}

static bool same(const struct scan *s, const char *a, const char *b, size_t n)
{
	return s->fortran ? !strncasecmp(a, b, n) : !strncmp(a, b, n);
}

const char *scan_sets(const struct scan *s, const char *from, const char *to, const char *name)
{
	size_t whole = strlen(name), base = strspn(name, SCAN_LETTERS);
	const char *last = NULL;

	for (const char *c = from; c && c < to; c++) {
		size_t n;

		if (!of_word(*c) || (c > from && (of_word(c[-1]) || strchr(".>%", c[-1]))))
			continue;
		n = (size_t)(name_end(s, c) - c);
		if ((n == whole && same(s, c, name, n) && scan_assigns(s, c, n)) ||
		    (n == base && same(s, c, name, n) && scan_assigns(s, c, n)))
			last = c;
	}
	return last;
}

/* One argument, without blanks, what continues lines, and the address of. Returns what ends it. */
static const char *argument(const char *c, const char *to, char *out, size_t room)
{
	size_t n = 0;
	int deep = 0;

	for (; c < to && (deep || (*c != ',' && *c != ')')); c++) {
		deep += *c == '(' || *c == '[' || *c == '{';
		deep -= *c == ')' || *c == ']' || *c == '}';
		if (n + 1 < room && !isspace((unsigned char)*c) && *c != '&')
			out[n++] = *c;
	}
	out[n] = 0;
	return c;
}

static bool reduction_at(const char *c, const char *to, struct scan_reduction *out)
{
	char skipped[SCAN_NAME];
	const char *name = c;

	if (strncasecmp(c, "mpi_", 4))
		return false;
	while (of_word(*c))
		c++;
	out->all = c - name == 13 && !strncasecmp(name, "mpi_allreduce", 13);
	if (!out->all && !(c - name == 10 && !strncasecmp(name, "mpi_reduce", 10)))
		return false;
	c += strspn(c, " \t");
	if (*c != '(')
		return false;
	out->at = name;
	c = argument(c + 1, to, out->gives, sizeof(out->gives));
	c = argument(c + (*c == ','), to, out->result, sizeof(out->result));
	c = argument(c + (*c == ','), to, skipped, sizeof(skipped));
	c = argument(c + (*c == ','), to, skipped, sizeof(skipped));
	c = argument(c + (*c == ','), to, out->op, sizeof(out->op));
	return *out->op;
}

bool scan_reduction(const struct scan *s, const char *from, const char *to, const char *result,
		    struct scan_reduction *out)
{
	bool any = false;

	for (const char *c = from; c && c < to; c++) {
		struct scan_reduction x;

		if ((*c != 'M' && *c != 'm') || (c > s->text && of_word(c[-1])) ||
		    !reduction_at(c, s->text + strlen(s->text), &x))
			continue;
		if (result && (strlen(x.result) != strlen(result) ||
			       !same(s, x.result, result, strlen(result))))
			continue;
		if (any && strcasecmp(out->op, x.op) != 0)
			*x.op = '?';
		*out = x;
		any = true;
	}
	return any;
}

const struct function *scan_function(const struct scan *scan, uint32_t line)
{
	const struct function *in = NULL;

	for (uint32_t i = 0; i < scan->nfunction; i++) {
		const struct function *f = &scan->function[i];

		if (f->first <= line && line <= f->last && (!in || f->first >= in->first))
			in = f;
	}
	return in;
}

/* The parenthesis is that of an array: not of a function, nor around an expression. */
static bool is_of_array(const struct scan *s, const char *from, const char *open)
{
	const char *name = open;
	char text[SCAN_NAME];
	struct fortran_entity e;
	uint32_t unit;

	while (name > from && strchr(" \t", name[-1]))
		name--;
	for (open = name; name > from && strchr(SCAN_LETTERS, name[-1]);)
		name--;
	if (name == open || (size_t)(open - name) >= sizeof(text))
		return false;
	if (name > from && name[-1] == '%')
		return true;
	for (size_t i = 0; i <= (size_t)(open - name); i++)
		text[i] = (char)(name + i < open ? tolower((unsigned char)name[i]) : 0);
	unit = fortran_unit_at(s->fortran, scan_line(s, name));
	return fortran_find(s->fortran, unit, text, &e) && e.array;
}

bool scan_is_index(const struct scan *s, const char *from, const char *at)
{
	unsigned deep = 0, indices = 0; /* a bit for each parenthesis that is open */

	for (const char *c = from; c < at; c++) {
		if (*c == "[("[s->fortran != NULL]) {
			indices = indices << 1 | (!s->fortran || is_of_array(s, from, c));
			deep++;
		} else if (*c == "])"[s->fortran != NULL] && deep) {
			indices >>= 1;
			deep--;
		}
	}
	return indices;
}

bool scan_counts_on(const struct scan *s, uint32_t line, uint32_t last)
{
	const char *from = scan_line_begin(s, line), *end = scan_line_begin(s, last + 1), *c;
	char name[SCAN_NAME];
	size_t n;

	/* behind the heads of loops */
	for (uint32_t i = 0; from && end && i < s->nloop; i++)
		if (s->loop[i].at >= from && s->loop[i].body > from && s->loop[i].body < end &&
		    !s->loop[i].implicit)
			from = s->loop[i].body;
	for (c = from; c && end && (c = scan_name(s, c, end, &n)); c += n) {
		snprintf(name, sizeof(name), "%.*s", (int)n, c);
		if (!scan_is_index(s, from, c) && scan_counts(s, name, line))
			return true;
	}
	return !end;
}
