/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements as text of a chosen form, for tables. */
#ifndef DVMDBG_FRONTEND_TUI_NUMBER_H
#define DVMDBG_FRONTEND_TUI_NUMBER_H

#include <stddef.h>

enum number_form {
	NUMBER_GENERAL,	 /* at most so many significant digits */
	NUMBER_FIXED,	 /* so many behind the point */
	NUMBER_EXPONENT, /* the same, with an exponent */
	NUMBER_FULL,	 /* as many as it takes */
	NUMBER_BITS,	 /* hexadecimal, as it is in memory */
	NUMBER_FORMS
};

#define NUMBER_TEXT 96
#define NUMBER_DIGITS 17 /* the most that are of use */

/* One element of an enum value_type; returns out. */
const char *number_text(unsigned type, const void *bytes, enum number_form form, int digits,
			char out[NUMBER_TEXT]);
/* Of such a text the bytes before its decimal point (of a complex number, the comma), or all of it:
 * what columns are aligned at. */
size_t number_point(unsigned type, enum number_form form, const char *text);
/* "5 digits", "full"; returns out. */
const char *number_words(enum number_form form, int digits, char *out, size_t size);
/* Eight heights of bars for n counts (UTF-8), one of two letters where all is nothing; returns
 * out, which has room for 3 n + 1 bytes. */
const char *number_bars(const unsigned long long *count, size_t n, char *out);

#endif
