/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/util/literal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST 200

static const char *skip(const char *p)
{
	return p + strspn(p, " \t");
}

/* A whole number, with all its digits. */
static bool parse_whole(const char *text, bool sign, struct value *out)
{
	int base = !strncasecmp(text + (*text == '-' || *text == '+'), "0x", 2) ? 16 : 10;
	char *end;

	errno = 0;
	if (*text == '-' || sign)
		*out = (struct value){ .class = VALUE_IS_INT, .i = strtoll(text, &end, base) };
	else
		*out = (struct value){ .class = VALUE_IS_UINT,
				       .i = (int64_t)strtoull(text, &end, base) };
	return end != text && !*skip(end) && !errno;
}

/* A real number, of which *end is the rest; what is too small is 0, what is too large none. */
static bool take_real(const char *p, double *x, const char **end)
{
	char *rest;

	errno = 0;
	*x = strtod(p, &rest);
	*end = rest;
	return rest != p && !(errno == ERANGE && (*x > 1 || *x < -1));
}

/* "(re,im)", as it is shown. */
static bool parse_pair(const char *p, double *re, double *im)
{
	if (*p != '(' || !take_real(p + 1, re, &p))
		return false;
	p = skip(p);
	if (*p != ',' || !take_real(p + 1, im, &p))
		return false;
	p = skip(p);
	return *p == ')' && !*skip(p + 1);
}

/* Behind the 2 of "2i": whether there is the unit and nothing else. A unit alone may be a name. */
static bool at_unit(const char *p)
{
	p = skip(p);
	return (*p == 'i' || *p == 'I' || *p == 'j' || *p == 'J') && !*skip(p + 1);
}

/* "+2i", "- 2i" */
static bool take_imaginary(const char *p, double *im)
{
	double sign = *p == '-' ? -1 : 1;
	const char *end;

	p = skip(p + (*p == '-' || *p == '+'));
	if (*p == '-' || *p == '+' || !take_real(p, im, &end))
		return false;
	*im *= sign;
	return at_unit(end);
}

/* "1+2i", "2i" */
static bool parse_sum(const char *p, double *re, double *im)
{
	const char *end;

	*re = 0;
	if (take_imaginary(p, im))
		return true;
	if (!take_real(p, re, &end))
		return false;
	end = skip(end);
	return (*end == '+' || *end == '-') && take_imaginary(end, im);
}

static bool parse_bool(const char *text, struct value *out)
{
	static const char *const words[] = { "false", "true", ".false.", ".true." };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(text, words[i])) {
			*out = (struct value){ .class = VALUE_IS_BOOL, .i = i & 1 };
			return true;
		}
	return false;
}

/* Without blanks around it, and with an e where Fortran has a d. */
static bool copy_text(const char *text, char out[LONGEST])
{
	size_t n;

	text = skip(text);
	n = strlen(text);
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (!n || n >= LONGEST)
		return false;
	memcpy(out, text, n);
	out[n] = 0;
	for (size_t i = 1; i < n && !strpbrk(out, "xX"); i++)
		if ((out[i] == 'd' || out[i] == 'D') &&
		    (isdigit((unsigned char)out[i - 1]) || out[i - 1] == '.'))
			out[i] = 'e';
	return true;
}

bool literal_parse(const char *text, unsigned type, struct value *out)
{
	enum value_class class = value_class(type);
	char copy[LONGEST];
	const char *end;
	double re, im;

	if (!copy_text(text, copy))
		return false;
	if (class == VALUE_IS_BOOL && parse_bool(copy, out))
		return true;
	if (class != VALUE_IS_REAL && class != VALUE_IS_COMPLEX &&
	    parse_whole(copy, class == VALUE_IS_INT, out))
		return true;
	if (take_real(copy, &re, &end) && !*end) {
		*out = (struct value){ .class = VALUE_IS_REAL, .re = re };
		return true;
	}
	if (!parse_pair(copy, &re, &im) && !parse_sum(copy, &re, &im))
		return false;
	*out = (struct value){ .class = VALUE_IS_COMPLEX, .re = re, .im = im };
	return true;
}

const char *literal_text(unsigned type, const struct value *v, char out[VALUE_TEXT])
{
	/* a character would be shown beside its number */
	if (v->class == VALUE_IS_INT)
		snprintf(out, VALUE_TEXT, "%lld", (long long)v->i);
	else
		value_format(type, v, 0, out);
	return out;
}

const char *literal_allowed(unsigned type)
{
	switch (value_class(type)) {
	case VALUE_IS_COMPLEX:
		return "a number, (re,im), re+imi, or an expression that is one number";
	case VALUE_IS_REAL:
		return "a number, nan, inf, or an expression that is one number";
	case VALUE_IS_BOOL:
		return "true, false, or an expression that is one number";
	default:
		return "a whole number, or an expression that is one";
	}
}
