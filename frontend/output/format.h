/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How print -format writes a value: the letters of the HPD standard with width and digits, and C's
 * way to give digits.
 */
#ifndef DVMDBG_FRONTEND_OUT_FORMAT_H
#define DVMDBG_FRONTEND_OUT_FORMAT_H

#include "common/array/value.h"

struct err;

struct out_format {
	char letter;  /* one of f e g d u x o b l c s; 0: as the type has it */
	int width;    /* columns at least */
	int digits;   /* behind the point; -1: as C has it */
	int exponent; /* digits of the exponent at least; 0: as C has it */
};

#define OUT_FORMAT_WIDTH 60

/* Reads "f7.1", "e12.5E2", "x", ".3f", "%.3f"; the error shows what is allowed. */
int out_format_parse(const char *text, struct out_format *out, struct err *err);
/* The value of the type in that form; returns out. A width that is too small is not kept to. */
const char *out_format_value(const struct out_format *f, unsigned type, const struct value *v,
			     char out[VALUE_TEXT]);

#endif
