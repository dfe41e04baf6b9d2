/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/expr/internal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/parse.h"

/* Binary operators as spelled; longer spellings before their beginnings. */
static const struct {
	const char *text, *op;
	int level; /* binds tighter when higher */
} binary_ops[] = {
	{ "||", "||", 1 },   { ".or.", "||", 1 }, { "&&", "&&", 2 }, { ".and.", "&&", 2 },
	{ "|", "|", 3 },     { "^", "^", 4 },	  { "&", "&", 5 },   { "==", "==", 6 },
	{ ".eq.", "==", 6 }, { "!=", "!=", 6 },	  { "/=", "!=", 6 }, { ".ne.", "!=", 6 },
	{ "<<", "<<", 8 },   { ">>", ">>", 8 },	  { "<=", "<=", 7 }, { ".le.", "<=", 7 },
	{ "<", "<", 7 },     { ".lt.", "<", 7 },  { ">=", ">=", 7 }, { ".ge.", ">=", 7 },
	{ ">", ">", 7 },     { ".gt.", ">", 7 },  { "+", "+", 9 },   { "-", "-", 9 },
	{ "*", "*", 10 },    { "/", "/", 10 },	  { "%", "%", 10 },
};

/* Casts; the longer ones before their beginnings. */
static const struct {
	const char *text, *op;
} casts[] = {
	{ "unsigned long long", "(unsigned long)" },
	{ "unsigned long", "(unsigned long)" },
	{ "unsigned short", "(unsigned short)" },
	{ "unsigned char", "(unsigned char)" },
	{ "unsigned int", "(unsigned)" },
	{ "unsigned", "(unsigned)" },
	{ "signed char", "(signed char)" },
	{ "char", "(char)" },
	{ "short", "(short)" },
	{ "int", "(int)" },
	{ "long long", "(long long)" },
	{ "long", "(long)" },
	{ "float complex", "(float complex)" },
	{ "float", "(float)" },
	{ "double complex", "(double complex)" },
	{ "double", "(double)" },
	{ "bool", "(bool)" },
	{ "_Bool", "(bool)" },
};

static const char *const dot_words[] = { ".or.", ".and.", ".eq.",  ".ne.",   ".le.",   ".lt.",
					 ".ge.", ".gt.",  ".not.", ".true.", ".false." };

bool lex_starts(const char *s, const char *word)
{
	return !strncasecmp(s, word, strlen(word));
}

/* A Fortran word such as ".and." stands here, not a decimal point or a field. */
static bool at_dot_word(const char *s)
{
	if (*s != '.')
		return false;
	for (size_t i = 0; i < sizeof dot_words / sizeof *dot_words; i++)
		if (lex_starts(s, dot_words[i]))
			return true;
	return false;
}

bool lex_is_first(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

bool lex_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t word(const char *s)
{
	size_t n = 0;

	while (lex_is_word(s[n]))
		n++;
	return lex_is_first(*s) ? n : 0;
}

size_t lex_template(const char *s)
{
	size_t n = 0, depth = 0;

	if (*s != '<')
		return 0;
	do {
		if (!s[n] || !(lex_is_word(s[n]) || strchr("<>:, *", s[n])))
			return 0;
		depth += s[n] == '<';
		depth -= s[n] == '>';
		n++;
	} while (depth);
	return n;
}

/* "a::b::c", "::c", "a<int, 3>::c", "f<int>" of "f<int>(x)" */
static size_t scoped_word(const char *s, bool scopes)
{
	size_t n = scopes && !strncmp(s, "::", 2) ? 2 : 0, more = word(s + n), arguments;

	while (more) {
		n += more;
		arguments = scopes ? lex_template(s + n) : 0;
		/* of a type that has something, or of a function */
		if (arguments && (!s[n + arguments] || s[n + arguments] == '(' ||
				  (!strncmp(s + n + arguments, "::", 2) &&
				   word(s + n + arguments + 2))))
			n += arguments;
		more = scopes && !strncmp(s + n, "::", 2) ? word(s + n + 2) : 0;
		n += more ? 2 : 0;
	}
	return n > 2 || lex_is_first(*s) ? n : 0;
}

/* "[2.0#1]", a process, its thread, its frame; each may be left out, but not all. */
size_t lex_place(const char *s, struct lex_place *out)
{
	const char *p = s + 1;
	struct lex_place at = { -1, -1, -1 };

	if (*s != '[')
		return 0;
	if (isdigit((unsigned char)*p) && parse_int_at(&p, &at.process))
		return 0;
	if (*p == '.' && (!isdigit((unsigned char)*++p) || parse_int_at(&p, &at.thread)))
		return 0;
	if (*p == '#' && (!isdigit((unsigned char)*++p) || parse_int_at(&p, &at.frame)))
		return 0;
	if (*p != ']' || p == s + 1)
		return 0;
	if (out)
		*out = at;
	return (size_t)(p + 1 - s);
}

/* "#exec#file#proc#" */
static size_t qualifiers(const char *s)
{
	size_t n = 0, part;

	while (s[n] == '#') {
		part = n + 1;
		while (lex_is_word(s[part]) || (s[part] && strchr("./-+~:", s[part])))
			part++;
		if (s[part] != '#')
			return n + 1;
		n = part;
	}
	return n;
}

size_t lex_base(const char *s, bool scopes)
{
	size_t place = lex_place(s, NULL), n = place + qualifiers(s + place);
	size_t last = *s == '$' ? word(s + 1) : scoped_word(s + n, scopes);

	return last ? n + (*s == '$') + last : 0;
}

bool lex_is_name(const char *s, bool scopes)
{
	return lex_base(s + (*s == '$' ? 0 : strspn(s, "*&")), scopes) > 0;
}

static bool is_one_of(const char *s, size_t n, const char *words)
{
	size_t length;

	for (; *words; words += length + (words[length] == ' ')) {
		length = strcspn(words, " ");
		if (length == n && !strncmp(s, words, n))
			return true;
	}
	return false;
}

/* Words of a type, without its stars; *end is set behind them. */
static enum lex_type type_words(const char *s, const char **end)
{
	enum lex_type kind = LEX_NO_TYPE;
	size_t n;

	for (s += strspn(s, " "); (n = scoped_word(s, true)); s += n, s += strspn(s, " ")) {
		if (is_one_of(s, n, "const volatile restrict"))
			continue;
		if (is_one_of(s, n, "struct union enum class") && !kind) {
			kind = LEX_TAGGED_TYPE;
			n += strspn(s + n, " ");
			if (!scoped_word(s + n, true))
				return LEX_NO_TYPE;
			n += scoped_word(s + n, true);
		} else if (is_one_of(s, n, "unsigned signed int long short char float double bool "
					   "_Bool complex _Complex void")) {
			if (kind && kind != LEX_BASE_TYPE)
				return LEX_NO_TYPE;
			kind = LEX_BASE_TYPE;
		} else if (!kind) {
			kind = LEX_NAMED_TYPE;
			if (s[n] == '<' && lex_template(s + n)) {
				*end = s + n + lex_template(s + n);
				return LEX_TAGGED_TYPE;
			}
		} else {
			return LEX_NO_TYPE;
		}
	}
	*end = s;
	return kind;
}

enum lex_type lex_type(const char *s, size_t *length, unsigned *stars)
{
	const char *p = s;
	enum lex_type kind = type_words(s, &p);

	*stars = 0;
	for (; kind && (*p == '*' || *p == ' '); p++)
		*stars += *p == '*';
	*length = (size_t)(p - s);
	return kind;
}

/* A cast that is no other expression: "(struct p *)x", "(real)k", "(double *)(p)". */
size_t lex_cast(const char *s)
{
	size_t length, behind;
	unsigned stars;
	enum lex_type kind;

	if (*s != '(')
		return 0;
	kind = lex_type(s + 1, &length, &stars);
	if (!kind || s[length + 1] != ')' || (kind == LEX_BASE_TYPE && !stars))
		return 0;
	behind = length + 2 + strspn(s + length + 2, " ");
	if (kind == LEX_NAMED_TYPE && !stars && !lex_is_word(s[behind]) &&
	    !(s[behind] && strchr("($~", s[behind])))
		return 0;
	return length + 2;
}

/* How many characters the number at s has; *real when it has a point or an exponent. */
/* "UL" and "f" of C, "_8" of Fortran. */
static size_t number_suffix(const char *s, bool real)
{
	size_t n = strspn(s, real ? "fFlL" : "uUlL");

	if (!n && s[0] == '_')
		n = 1 + strspn(s + 1, "0123456789");
	return n <= 3 && !lex_is_word(s[n]) && (s[0] != '_' || n > 1) ? n : 0;
}

size_t lex_number(const char *s, bool *real)
{
	size_t n = 0, e;

	*real = false;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isxdigit((unsigned char)s[2])) {
		for (n = 3; isxdigit((unsigned char)s[n]);)
			n++;
		return n + number_suffix(s + n, false);
	}
	while (isdigit((unsigned char)s[n]))
		n++;
	if (s[n] == '.' && !at_dot_word(s + n)) {
		*real = true;
		for (n++; isdigit((unsigned char)s[n]);)
			n++;
	}
	e = n;
	if (s[e] && strchr("eEdD", s[e])) {
		e += s[e + 1] == '+' || s[e + 1] == '-' ? 2 : 1;
		if (isdigit((unsigned char)s[e])) {
			*real = true;
			for (n = e; isdigit((unsigned char)s[n]);)
				n++;
		}
	}
	return n ? n + number_suffix(s + n, *real) : 0;
}

/* Length of what stands before a field at s: ".", "->" or, where percent allows, "%". */
static size_t field_sign(const char *s, bool percent)
{
	size_t n = s[0] == '.' || (percent && s[0] == '%') ? 1 : s[0] == '-' && s[1] == '>' ? 2 : 0;

	return n && lex_is_first(s[n]) && !at_dot_word(s) ? n : 0;
}

/* Length of the fields at s, "" or ".x->y"; of an array of structures "[].t". */
size_t lex_fields(const char *s, bool percent)
{
	size_t n = 0, sign, brackets;

	for (;;) {
		for (brackets = 0; s[n + brackets] == '[' && s[n + brackets + 1] == ']';)
			brackets += 2;
		sign = field_sign(s + n + brackets, percent);
		if (!sign)
			return n;
		for (n += brackets + sign; lex_is_word(s[n]);)
			n++;
	}
}

/* Length of "@file:line" or "@10" at s, 0 when there is none or it is not whole. */
size_t lex_suffix(const char *s)
{
	size_t n = 1;

	if (s[0] != '@')
		return 0;
	n += strspn(s + 1, "0123456789");
	if (n > 1 && !lex_is_word(s[n]) && !strchr(".:/", s[n] ? s[n] : ' '))
		return n;
	n = 1;
	while (lex_is_word(s[n]) || (s[n] && strchr("./-+~,", s[n])))
		n++;
	if (n == 1 || s[n] != ':' || !isdigit((unsigned char)s[n + 1]))
		return 0;
	for (n++; isdigit((unsigned char)s[n]);)
		n++;
	if (s[n] == '#' && isdigit((unsigned char)s[n + 1]))
		for (n++; isdigit((unsigned char)s[n]);)
			n++;
	return n;
}

/* Length of "(double)" at s, with what it casts behind it, and its operator; 0: there is none. */
static size_t cast_length(const char *s, const char **op)
{
	size_t n, end;

	if (*s != '(')
		return 0;
	for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
		n = 1 + strspn(s + 1, " ");
		if (strncmp(s + n, casts[i].text, strlen(casts[i].text)))
			continue;
		n += strlen(casts[i].text);
		n += strspn(s + n, " ");
		end = n + 1 + strspn(s + n + (s[n] != 0), " ");
		if (s[n] != ')' || !s[end] || strchr("])}:?,/%<>=|^", s[end]))
			continue;
		*op = casts[i].op;
		return n + 1;
	}
	return 0;
}

size_t lex_sizeof(const char *s, unsigned *bytes)
{
	const char *p = s + 6;
	unsigned type;

	if (strncmp(s, "sizeof", 6))
		return 0;
	p += strspn(p, " ");
	if (*p++ != '(')
		return 0;
	p += strspn(p, " ");
	for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
		size_t n = strlen(casts[i].text), stars;

		if (strncmp(p, casts[i].text, n) || lex_is_word(p[n]))
			continue;
		for (type = 0; type < VALUE_TYPES; type++)
			if (!strncmp(value_type_name(type), casts[i].op + 1,
				     strlen(casts[i].op) - 2) &&
			    strlen(value_type_name(type)) == strlen(casts[i].op) - 2)
				*bytes = (unsigned)value_size(type);
		p += n;
		stars = strspn(p, " *");
		if (memchr(p, '*', stars))
			*bytes = (unsigned)value_size(VALUE_POINTER);
		p += stars;
		return *p == ')' ? (size_t)(p + 1 - s) : 0;
	}
	return 0;
}

/* Length of the unary operator at s; 0: there is none. */
size_t lex_unary(const char *s, const char **op)
{
	static const struct {
		const char *text, *op;
	} ops[] = { { "-", "-" }, { "+", "+" }, { ".not.", "!" }, { "!", "!" }, { "~", "~" } };

	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (lex_starts(s, ops[i].text)) {
			*op = ops[i].op;
			return strlen(ops[i].text);
		}
	return cast_length(s, op);
}

size_t lex_cxx_cast(const char *s)
{
	static const char *const words[] = { "static_cast", "reinterpret_cast", "const_cast",
					     "dynamic_cast" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]), more = 0;

		if (!strncmp(s, words[i], n))
			more = lex_template(s + n);
		if (more && s[n + more] == '(')
			return n + more;
	}
	return 0;
}

size_t lex_binary(const char *s, const char **op, int *level)
{
	for (size_t i = 0; i < sizeof binary_ops / sizeof *binary_ops; i++)
		if (lex_starts(s, binary_ops[i].text)) {
			*op = binary_ops[i].op;
			*level = binary_ops[i].level;
			return strlen(binary_ops[i].text);
		}
	return 0;
}

int lex_convert(struct value *v, char *text, bool real)
{
	char *d = strpbrk(text, "dD");

	errno = 0;
	if (real) {
		if (d)
			*d = 'e';
		v->class = VALUE_IS_REAL;
		v->re = strtod(text, NULL);
		return isinf(v->re) ? -1 : 0;
	}
	v->i = (int64_t)strtoull(
		text, NULL,
		text[0] == '0' && text[1] && !isdigit((unsigned char)text[1]) ? 16 : 10);
	v->class = v->i < 0 ? VALUE_IS_UINT : VALUE_IS_INT;
	return errno ? -1 : 0;
}
