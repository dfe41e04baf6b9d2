/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of classes that give a private member: a number or an object as it is, "return nx_;",
 * or the first element of an array when all arguments are 0, "return data_[i * ny_ + j];", or the
 * negatives of constants, "return data_[i + H];".
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

/* An argument, and what it has to be. */
struct argument {
	struct piece name;
	struct piece minus;  /* it is the negative of this; empty: 0 */
	bool bound;	     /* that is known */
	bool other;	     /* it is another number */
	bool natural;	     /* never negative */
	struct argument *of; /* it is that of the function that calls; NULL: of its own */
};

struct arguments {
	struct argument one[ARGUMENTS];
	unsigned n;
	bool shifted;		  /* others than 0 are tried */
	const struct function *f; /* that is asked about */
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
	return length(a) == length(b) && (!length(a) || !strncmp(a.from, b.from, length(a)));
}

static bool has(struct piece p, const char *text)
{
	const char *c = strstr(p.from, text);

	return c && c + strlen(text) <= p.to;
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
		out->one[out->n++] =
			(struct argument){ .name = word,
					   .natural = has(p, "unsigned") || has(p, "size_t") };
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

/* ---- constants that may be subtracted where the function is called ---- */

/* Behind the brace that closes the one at c. */
static const char *behind_brace(const char *c)
{
	unsigned depth = 0;

	for (; *c; c++) {
		depth += *c == '{';
		if (*c == '}' && !--depth)
			return c + 1;
	}
	return c;
}

/* The word "class" or "struct" of the innermost class that has the function; NULL: none has. */
static const char *class_around(const struct scan *s, const struct function *f)
{
	const char *last = NULL, *open;

	for (const char *c = s->text; c < f->body; c++) {
		if (!scan_word(s, c, "class") && !scan_word(s, c, "struct"))
			continue;
		open = strpbrk(c, "{;");
		if (open && *open == '{' && open < f->body && behind_brace(open) > f->body)
			last = c;
	}
	return last;
}

/* From 1 on, the one that the word is of the parameters of the template of the function's class,
 * whose name is *class then; 0: it is none. */
static unsigned parameter_of(const struct scan *s, const struct function *f, struct piece word,
			     struct piece *class)
{
	const char *at = class_around(s, f), *open = at, *end;
	unsigned n = 0;

	while (open && open > s->text && isspace((unsigned char)open[-1]))
		open--;
	if (!open || open == s->text || open[-1] != '>')
		return 0;
	end = open - 1;
	while (open > s->text && *open != '<')
		open--;
	class->from = at + strcspn(at, " \t\n");
	class->from += strspn(class->from, " \t\n");
	for (class->to = class->from; is_word(*class->to);)
		class->to++;
	for (const char *c = open + 1, *to; c < end; c = to + 1) {
		struct piece p;

		to = next_of((struct piece){ c, end }, ",");
		p = trimmed(c, next_of((struct piece){ c, to }, "="));
		n++;
		for (c = p.to; c > p.from && is_word(c[-1]);)
			c--;
		if (same((struct piece){ c, p.to }, word))
			return n;
	}
	return 0;
}

/* The word is declared as a constant outside of all classes, and of what else has braces. */
static bool is_global(const struct scan *s, struct piece word)
{
	static const char *const begin[] = { "constexpr ", "const ", "static const", "enum " };
	unsigned depth = 0;

	for (const char *c = s->text; *c; c++) {
		struct piece line = { c, c + strcspn(c, ";\n") };
		bool any = false;

		for (unsigned i = 0; i < sizeof(begin) / sizeof(*begin); i++)
			any = any || !strncmp(c, begin[i], strlen(begin[i]));
		any = any && !depth && (c == s->text || c[-1] == '\n');
		for (const char *w = c; any && w + length(word) < line.to; w++)
			if (!is_word(w[-(w > s->text)]) && !strncmp(w, word.from, length(word)) &&
			    !is_word(w[length(word)]) && strchr(" =,}", w[length(word)]))
				return true;
		depth += *c == '{';
		depth -= *c == '}' && depth;
	}
	return false;
}

static bool is_constant(const struct scan *s, const struct function *f, struct piece p)
{
	struct piece class;
	const char *c = p.from;

	while (c < p.to && isdigit((unsigned char)*c))
		c++;
	if (c == p.to)
		return c > p.from;
	if (isdigit((unsigned char)*p.from))
		return false;
	while (c < p.to && is_word(*c))
		c++;
	return c == p.to && (parameter_of(s, f, p, &class) || is_global(s, p));
}

/* ---- indices that are 0 ---- */

static bool is_zero(const struct scan *s, struct piece p, struct arguments *a, unsigned deep);

/* The argument of that name; NULL: it is none. */
static struct argument *argument_at(struct arguments *a, struct piece p)
{
	for (unsigned i = 0; i < a->n; i++)
		if (same(p, a->one[i].name))
			return a->one[i].of ? a->one[i].of : &a->one[i];
	return NULL;
}

/* It has to be the negative of that, or 0; false: it is another number. */
static bool bind(struct argument *g, struct piece minus)
{
	if (g->other || (g->natural && length(minus)))
		return false;
	if (g->bound)
		return same(g->minus, minus);
	g->bound = true;
	g->minus = minus;
	return true;
}

/* A call of a function that gives 0. */
static bool call_is_zero(const struct scan *s, struct piece name, struct piece in,
			 struct arguments *a, unsigned deep)
{
	for (uint32_t i = 0; i < s->nfunction; i++) {
		const struct function *f = &s->function[i];
		struct arguments own;
		struct piece value;
		unsigned n = 0;

		if (strlen(f->name) != length(name) || strncmp(f->name, name.from, length(name)) ||
		    !arguments_of(s, f, &own) || !returned(s, f, &value))
			continue;
		own.shifted = a->shifted;
		own.f = a->f;
		for (const char *c = in.from, *end; c < in.to && n < own.n; c = end + 1, n++) {
			struct argument *to = &own.one[n];
			struct piece p;

			end = next_of((struct piece){ c, in.to }, ",");
			p = trimmed(c, end);
			to->of = argument_at(a, p);
			if (to->of)
				to->of->natural = to->of->natural || to->natural;
			else
				to->bound = is_zero(s, p, a, deep);
			to->other = !to->of && !to->bound;
		}
		return n == own.n && is_zero(s, value, &own, deep);
	}
	return false;
}

static bool factor_is_zero(const struct scan *s, struct piece p, struct arguments *a, unsigned deep)
{
	const char *open = memchr(p.from, '(', length(p)), *end;
	struct argument *g = argument_at(a, p);

	if (g)
		return bind(g, (struct piece){ NULL, NULL });
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

/* One of its factors is 0. */
static bool product_is_zero(const struct scan *s, struct piece p, struct arguments *a,
			    unsigned deep)
{
	bool any = false;

	for (const char *f = p.from, *to; f < p.to && !any; f = to + 1) {
		to = next_of((struct piece){ f, p.to }, "*");
		any = factor_is_zero(s, trimmed(f, to), a, deep);
	}
	return any;
}

/* A sum of products, each with a factor that is 0, but for an argument and a constant. */
static bool is_zero(const struct scan *s, struct piece p, struct arguments *a, unsigned deep)
{
	struct argument *left = NULL;
	struct piece constant = { NULL, NULL };

	if (deep++ > DEEPEST || p.from == p.to || next_of(p, "-/%?&|=") != p.to)
		return false;
	for (const char *c = p.from, *end; c < p.to; c = end + 1) {
		struct piece t;

		end = next_of((struct piece){ c, p.to }, "+");
		t = trimmed(c, end);
		if (!left && argument_at(a, t))
			left = argument_at(a, t);
		else if (a->shifted && !length(constant) && is_constant(s, a->f, t))
			constant = t;
		else if (!product_is_zero(s, t, a, deep))
			return false;
	}
	return left ? bind(left, constant) : !length(constant);
}

/* The index is 0 with these arguments, all of them 0 if it can be. */
static bool index_is_zero(const struct scan *s, struct piece p, struct arguments *a)
{
	struct arguments first = *a;

	if (is_zero(s, p, a, 0))
		return true;
	*a = first;
	a->shifted = true;
	return is_zero(s, p, a, 0);
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

/* The arguments as they are written in a call, '@' for a parameter of the class's template; NULL:
 * there are several of these. */
static char *values_of(const struct scan *s, const struct function *f, const struct arguments *a,
		       struct accessor *out)
{
	char *text = xstrdup("");

	for (unsigned i = 0; i < a->n; i++) {
		struct piece minus = a->one[i].minus, class = { NULL, NULL };
		const char *before = i ? ", " : "";
		unsigned nth = length(minus) ? parameter_of(s, f, minus, &class) : 0;
		char *next = !length(minus) ? xasprintf("%s%s0", text, before)
			     : nth	    ? xasprintf("%s%s-@", text, before)
				   : xasprintf("%s%s-%.*s", text, before, (int)length(minus),
					       minus.from);

		free(text);
		text = next;
		if (!nth)
			continue;
		if (out->parameter && out->parameter != nth) {
			free(text);
			return NULL;
		}
		out->parameter = nth;
		out->class = class.from;
		out->nclass = length(class);
	}
	return text;
}

static char *call_of(const struct scan *s, const struct function *f, const struct arguments *a,
		     bool pointer, struct accessor *out)
{
	bool index = !strcmp(f->name, "operator[]"), call = !strcmp(f->name, "operator()");
	char *values = values_of(s, f, a, out), *text;

	if (!values)
		return NULL;
	text = xasprintf("%s%s%s%s%s%s", index || call ? "" : ".", index || call ? "" : f->name,
			 index ? "[" : "(", values, index ? "]" : ")", pointer ? "[0]" : "");
	free(values);
	return text;
}

/* "data_" of data_[…], &data_[…], data_.data() + …, which is the first element: true. */
static bool first_element(const struct scan *s, struct piece p, struct arguments *a, bool pointer,
			  struct piece *member)
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
		return end == p.to && index_is_zero(s, trimmed(c + 1, end - 1), a);
	}
	for (unsigned i = 0; pointer && i < sizeof(calls) / sizeof(*calls); i++)
		if (!strncmp(c, calls[i], strlen(calls[i]))) {
			p = trimmed(c + strlen(calls[i]), p.to);
			return p.from == p.to ||
			       (*p.from == '+' && index_is_zero(s, trimmed(p.from + 1, p.to), a));
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
	if (!any)
		a.n = 0;
	a.f = f;
	*out = (struct accessor){ .parameter = 0 };
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
	out->call = call_of(s, f, &a, front == '*', out);
	if (!out->call)
		free(out->member);
	return out->call != NULL;
}
