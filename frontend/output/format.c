/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/output/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"

#define DIGITS_MOST 40

/* A number of at most two digits at *p, which is moved behind it; -1 when there is none. */
static int take_number(const char **p)
{
	int n = 0, len = 0;

	for (; len < 2 && isdigit((unsigned char)**p); len++)
		n = 10 * n + *(*p)++ - '0';
	return len ? n : -1;
}

/* Width, digits and exponent behind the letter. False when they are wrong. */
static bool take_rest(const char *p, struct out_format *f)
{
	bool real = strchr("feg", f->letter);
	int n = take_number(&p);

	if (n >= 0)
		f->width = n;
	if (*p == '.') {
		p++;
		if (!real || (f->digits = take_number(&p)) < 0)
			return false;
	}
	if (f->letter == 'e' && (*p == 'E' || *p == 'e')) {
		p++;
		if ((f->exponent = take_number(&p)) < 1)
			return false;
	}
	return !*p && f->width <= OUT_FORMAT_WIDTH && f->digits <= DIGITS_MOST && f->exponent <= 9;
}

int out_format_parse(const char *text, struct out_format *out, struct err *err)
{
	const char *p = text + (*text == '%');
	bool good = true;

	*out = (struct out_format){ .digits = -1 };
	if (*p == '.') {
		p++;
		out->digits = take_number(&p);
		good = out->digits >= 0 && out->digits <= DIGITS_MOST && *p && strchr("feg", *p) &&
		       !p[1];
		out->letter = *p;
	} else {
		good = *p && strchr("fegduxoblcs", *p);
		out->letter = *p;
		good = good && (strchr("lcs", *p) ? !p[1] : take_rest(p + 1, out));
	}
	if (good)
		return 0;
	return err_set(
		err,
		"print -format '%s': f e g d u x o b l c s are allowed, with a width up to %d as "
		"in d8, f e g with digits as in .3f, f8.3 or e12.5E2",
		text, OUT_FORMAT_WIDTH);
}

/* A real number; the exponent has as many digits as are requested. All of it or, with another
 * letter or fewer digits, what there is room for: never a part of the number. */
static void put_real(const struct out_format *f, double x, char *out, size_t size)
{
	char spec[8], text[VALUE_TEXT], *e;
	size_t room = size < sizeof(text) ? size : sizeof(text);
	long power;

	snprintf(spec, sizeof(spec), "%%.*%c", f->letter);
	if ((size_t)(snprintf(text, sizeof(text), spec, f->digits, x) + f->exponent) >= room)
		snprintf(text, sizeof(text), "%.16e", x);
	e = f->exponent ? strchr(text, 'e') : NULL;
	if (!e) {
		snprintf(out, size, "%s", text);
		return;
	}
	power = strtol(e + 1, NULL, 10);
	snprintf(out, size, "%.*s%c%c%0*ld", (int)(e - text), text, 'e', power < 0 ? '-' : '+',
		 f->exponent, labs(power));
}

/* The bits of a value, as many as its type has. */
static uint64_t bits_of(unsigned type, const struct value *v)
{
	size_t size = value_size(type);
	float single = (float)v->re;
	uint32_t half;
	uint64_t bits;

	if (v->class != VALUE_IS_REAL && v->class != VALUE_IS_COMPLEX)
		return size >= 8 || !size ? (uint64_t)v->i
					  : (uint64_t)v->i & (((uint64_t)1 << 8 * size) - 1);
	if (type == VALUE_FLOAT || type == VALUE_FCOMPLEX) {
		memcpy(&half, &single, sizeof(half));
		return half;
	}
	memcpy(&bits, &v->re, sizeof(bits));
	return bits;
}

static void put_bits(char letter, uint64_t bits, char *out, size_t size)
{
	char digits[65];
	uint64_t rest = bits;
	int at = 64;

	digits[64] = 0;
	do
		digits[--at] = (char)('0' + (rest & 1));
	while (rest >>= 1);
	if (letter == 'b' && (size_t)(64 - at) + 2 < size)
		snprintf(out, size, "0b%s", digits + at);
	else
		snprintf(out, size, letter == 'o' ? "0%" PRIo64 : "0x%" PRIx64, bits);
}

static void put_char(int64_t c, char *out, size_t size)
{
	snprintf(out, size, c >= 32 && c < 127 ? "'%c'" : "'\\%03o'", (int)(c & 0xff));
}

/* The number without a width. What is no integer that there is has no form of one. */
static void put(const struct out_format *f, unsigned type, const struct value *v, char *out,
		size_t size)
{
	bool real = v->class == VALUE_IS_REAL || v->class == VALUE_IS_COMPLEX;
	bool fits = !real || (v->re > -0x1p63 && v->re < 0x1p63);
	long long whole = !real ? (long long)v->i : fits ? (long long)v->re : 0;

	if (!fits && strchr("ducs", f->letter)) {
		snprintf(out, size, "%.17g", v->re);
		return;
	}
	switch (f->letter) {
	case 'd':
		snprintf(out, size, "%lld", whole);
		break;
	case 'u':
		snprintf(out, size, "%llu", real ? (unsigned long long)whole : bits_of(type, v));
		break;
	case 'x':
	case 'o':
	case 'b':
		put_bits(f->letter, bits_of(type, v), out, size);
		break;
	case 'l':
		snprintf(out, size, "%s", value_truth(v) ? "true" : "false");
		break;
	case 'c':
	case 's':
		put_char(whole, out, size);
		break;
	default:
		put_real(f, real ? v->re : (double)v->i, out, size);
	}
}

const char *out_format_value(const struct out_format *f, unsigned type, const struct value *v,
			     char out[VALUE_TEXT])
{
	const struct value im = { .class = VALUE_IS_REAL, .re = v->im };
	char text[VALUE_TEXT - 2], first[45], second[45];
	bool left = strchr("feg", f->letter);

	if (v->class == VALUE_IS_COMPLEX) {
		put(f, type, v, first, sizeof(first));
		put(f, type, &im, second, sizeof(second));
		snprintf(out, VALUE_TEXT, "(%s, %s)", first, second);
	} else {
		put(f, type, v, text, sizeof(text));
		snprintf(out, VALUE_TEXT, left ? "%-*s" : "%*s", f->width, text);
	}
	return out;
}
