/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/screen/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/array/value.h"

/* One real number; float has fewer digits that mean something. */
static int put_real(double x, enum number_form form, int digits, char *out, size_t size)
{
	static const char *const formats[] = {
		[NUMBER_GENERAL] = "%.*g",
		[NUMBER_FIXED] = "%.*f",
		[NUMBER_EXPONENT] = "%.*e",
	};

	if (!isfinite(x))
		return snprintf(out, size, "%s", isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
	return snprintf(out, size, formats[form], digits, x);
}

static void put_bits(const unsigned char *bytes, size_t size, char *out)
{
	const unsigned one = 1;
	int little = *(const unsigned char *)&one;

	for (size_t i = 0; i < size; i++)
		sprintf(out + 2 * i, "%02x", bytes[little ? size - 1 - i : i]);
}

const char *number_text(unsigned type, const void *bytes, enum number_form form, int digits,
			char out[NUMBER_TEXT])
{
	struct value v = value_load(type, bytes);
	enum value_class class = value_class(type);
	char re[NUMBER_TEXT / 2 - 2], im[NUMBER_TEXT / 2 - 2];

	if (form == NUMBER_BITS) {
		put_bits(bytes, value_size(type), out);
	} else if (form == NUMBER_FULL || (class != VALUE_IS_REAL && class != VALUE_IS_COMPLEX)) {
		value_format(type, &v, 0, out);
	} else if (class == VALUE_IS_REAL) {
		put_real(v.re, form, digits, out, NUMBER_TEXT);
	} else {
		put_real(v.re, form, digits, re, sizeof(re));
		put_real(v.im, form, digits, im, sizeof(im));
		snprintf(out, NUMBER_TEXT, "(%s,%s)", re, im);
	}
	return out;
}

size_t number_point(unsigned type, enum number_form form, const char *text)
{
	enum value_class class = value_class(type);

	if (form == NUMBER_BITS || (class != VALUE_IS_REAL && class != VALUE_IS_COMPLEX))
		return strlen(text);
	return strcspn(text, class == VALUE_IS_COMPLEX ? "," : ".e");
}

const char *number_words(enum number_form form, int digits, char *out, size_t size)
{
	static const char *const words[NUMBER_FORMS] = { "digits", "decimals", "decimals, e",
							 "in full", "bits" };

	if (form < NUMBER_FULL)
		snprintf(out, size, "%d %s", digits, words[form]);
	else
		snprintf(out, size, "%s", words[form]);
	return out;
}

const char *number_bars(const unsigned long long *count, size_t n, char *out)
{
	unsigned long long most = 0;
	char *p = out;

	for (size_t i = 0; i < n; i++)
		most = count[i] > most ? count[i] : most;
	for (size_t i = 0; i < n; i++) {
		/* the least that is not nothing is seen */
		double part = most ? (double)count[i] / (double)most : 0;
		unsigned height = count[i] ? (unsigned)(part * 7.999) : 0;

		if (!count[i]) {
			*p++ = ' ';
			continue;
		}
		memcpy(p, "\xe2\x96\x81", 3); /* U+2581, the lowest bar */
		p[2] = (char)(p[2] + (char)height);
		p += 3;
	}
	*p = 0;
	return out;
}
