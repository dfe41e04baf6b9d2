/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of classes that give a private member: a number or an object as it is, "return nx_;",
 * or the first element of an array when all arguments are 0, "return data_[i * ny_ + j];".
 */
#include "frontend/scan/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

#define DEEPEST 8
#define ARGUMENTS 4

/* A piece of the text. */
struct piece {
	const char *from, *to;
};

struct arguments {
	struct piece name[ARGUMENTS];
	bool zero[ARGUMENTS];
	unsigned n;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static struct piece trimmed(const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return (struct piece){ from, to };
}

static size_t length(struct piece p)
{
	return (size_t)(p.to - p.from);
}

static bool same(struct piece a, struct piece b)
{
	return length(a) == length(b) && !strncmp(a.from, b.from, length(a));
}

/* Behind the bracket that closes the one at c, inside of the piece; NULL: none does. */
static const char *behind(const char *c, const char *to)
{
	unsigned depth = 0;

	for (; c < to; c++) {
		depth += *c == '(' || *c == '[';
		if ((*c == ')' || *c == ']') && !--depth)
			return c + 1;
	}
	return NULL;
}

/* Where the next one of the letters is outside of brackets; the end: nowhere. */
static const char *next_of(struct piece p, const char *letters)
{
	const char *c = p.from;

	while (c && c < p.to && !strchr(letters, *c))
		c = *c == '(' || *c == '[' ? behind(c, p.to) : c + 1;
	return c ? c : p.to;
}

/* The arguments of a function, by their names; false: there are none, or too many. */
static bool arguments_of(const struct scan *s, const struct function *f, struct arguments *out)
{
	const char *close = f->body, *open;
	unsigned depth = 0;

	*out = (struct arguments){ .n = 0 };
	while (close > s->text && *close != ')')
		close--;
	for (open = close; open > s->text; open--) {
		depth += *open == ')';
		if (*open == '(' && !--depth)
			break;
	}
	for (const char *c = open + 1, *end; c < close; c = end + 1) {
		struct piece p = { c, close }, word;

		end = next_of(p, ",");
		p = trimmed(c, next_of((struct piece){ c, end }, "="));
		for (word = p, word.from = p.to; word.from > p.from && is_word(word.from[-1]);)
			word.from--;
		if (out->n == ARGUMENTS || word.from == word.to)
			return false;
		out->zero[out->n] = true;
		out->name[out->n++] = word;
	}
	return out->n > 0;
}

/* What the function returns, when that is all it does. */
static bool returned(const struct scan *s, const struct function *f, struct piece *out)
{
	struct piece p = trimmed(f->body + 1, f->end - 1);
	const char *semi;

	if (p.to <= p.from || !scan_word(s, p.from, "return"))
		return false;
	semi = memchr(p.from, ';', length(p));
	if (!semi || semi + 1 != p.to)
		return false;
	*out = trimmed(p.from + strlen("return"), semi);
	return true;
}

static bool is_zero(const struct scan *s, struct piece p, const struct arguments *a, unsigned deep);

/* A call of a function that gives 0. */
static bool call_is_zero(const struct scan *s, struct piece name, struct piece in,
			 const struct arguments *a, unsigned deep)
{
	for (uint32_t i = 0; i < s->nfunction; i++) {
		const struct function *f = &s->function[i];
		struct arguments own;
		struct piece value;
		unsigned n = 0;

		if (strlen(f->name) != length(name) ||
		    strncmp(f->name, name.from, length(name)) || !arguments_of(s, f, &own) ||
		    !returned(s, f, &value))
			continue;
		for (const char *c = in.from, *end; c < in.to && n < own.n; c = end + 1, n++) {
			end = next_of((struct piece){ c, in.to }, ",");
			own.zero[n] = is_zero(s, trimmed(c, end), a, deep);
		}
		return n == own.n && is_zero(s, value, &own, deep);
	}
	return false;
}

static bool factor_is_zero(const struct scan *s, struct piece p, const struct arguments *a,
			   unsigned deep)
{
	const char *open = memchr(p.from, '(', length(p)), *end;

	for (unsigned i = 0; i < a->n; i++)
		if (a->zero[i] && same(p, a->name[i]))
			return true;
	end = open ? behind(open, p.to) : NULL;
	if (!end)
		return length(p) == 1 && *p.from == '0';
	if (open == p.from) /* brackets, or a type in front of a value */
		return end == p.to ? is_zero(s, trimmed(open + 1, end - 1), a, deep)
				   : factor_is_zero(s, trimmed(end, p.to), a, deep);
	if (end != p.to)
		return false;
	if (open[-1] == '>' && !strncmp(p.from, "static_cast", strlen("static_cast")))
		return is_zero(s, trimmed(open + 1, end - 1), a, deep);
	return call_is_zero(s, trimmed(p.from, open), trimmed(open + 1, end - 1), a, deep);
}

/* A sum of products, each with a factor that is 0. */
static bool is_zero(const struct scan *s, struct piece p, const struct arguments *a, unsigned deep)
{
	if (deep++ > DEEPEST || p.from == p.to || next_of(p, "-/%?&|=") != p.to)
		return false;
	for (const char *c = p.from, *end; c < p.to; c = end + 1) {
		bool any = false;

		end = next_of((struct piece){ c, p.to }, "+");
		for (const char *f = c, *to; f < end; f = to + 1) {
			to = next_of((struct piece){ f, end }, "*");
			any = any || factor_is_zero(s, trimmed(f, to), a, deep);
		}
		if (!any)
			return false;
	}
	return true;
}

const char *scan_arguments(const struct scan *s, const struct function *f)
{
	const char *c = f->body;
	unsigned depth = 0;

	while (c > s->text && *c != ')')
		c--;
	for (; c > s->text; c--) {
		depth += *c == ')';
		if (*c == '(' && !--depth)
			return c;
	}
	return NULL;
}

/* The letter in front of the function's name: & or * of what it returns. */
static char in_front(const struct scan *s, const struct function *f)
{
	const char *c = scan_arguments(s, f);

	c = c ? c : s->text;
	while (c > s->text && isspace((unsigned char)c[-1]))
		c--;
	c -= c > s->text ? strlen(f->name) : 0;
	while (c > s->text && isspace((unsigned char)c[-1]))
		c--;
	return c > s->text ? c[-1] : ' ';
}

static char *call_of(const struct function *f, unsigned n, bool pointer)
{
	const char *zeros = &"0, 0, 0, 0"[n ? 3 * (ARGUMENTS - n) : 10];
	bool index = !strcmp(f->name, "operator[]"), call = !strcmp(f->name, "operator()");

	return xasprintf("%s%s%s%s%s%s", index || call ? "" : ".", index || call ? "" : f->name,
			 index ? "[" : "(", zeros, index ? "]" : ")", pointer ? "[0]" : "");
}

/* "data_" of data_[…], &data_[…], data_.data() + …, which is the first element: true. */
static bool first_element(const struct scan *s, struct piece p, const struct arguments *a,
			  bool pointer, struct piece *member)
{
	static const char *const calls[] = { ".data()", ".get()" };
	const char *c = p.from, *end;

	if (pointer && *c == '&')
		p = trimmed(c + 1, p.to), pointer = false, c = p.from;
	while (c < p.to && is_word(*c))
		c++;
	*member = (struct piece){ p.from, c };
	if (c == p.from)
		return false;
	if (*c == '[' && !pointer) {
		end = behind(c, p.to);
		return end == p.to && is_zero(s, trimmed(c + 1, end - 1), a, 0);
	}
	for (unsigned i = 0; pointer && i < sizeof(calls) / sizeof(*calls); i++)
		if (!strncmp(c, calls[i], strlen(calls[i]))) {
			p = trimmed(c + strlen(calls[i]), p.to);
			return p.from == p.to ||
			       (*p.from == '+' && is_zero(s, trimmed(p.from + 1, p.to), a, 0));
		}
	return false;
}

bool scan_accessor(const struct scan *s, const struct function *f, struct accessor *out)
{
	char front = s->fortran ? ' ' : in_front(s, f);
	struct arguments a;
	struct piece value, member;
	bool any;

	if (s->fortran || !returned(s, f, &value))
		return false;
	any = arguments_of(s, f, &a);
	if ((front == '&' || front == '*') && first_element(s, value, &a, front == '*', &member)) {
		out->kind = ACCESSOR_ELEMENT;
	} else {
		for (member = value; member.to > member.from && is_word(member.to[-1]);)
			member.to--;
		if (any || member.to != member.from || front == '*')
			return false;
		member = value;
		out->kind = front == '&' ? ACCESSOR_OBJECT : ACCESSOR_NUMBER;
	}
	out->member = xstrndup(member.from, length(member));
	out->call = call_of(f, any ? a.n : 0, front == '*');
	return true;
}
