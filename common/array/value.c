/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/array/value.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"

static const struct {
	const char *words;
	uint8_t bytes, class;
} types[VALUE_TYPES] = {
#define X(name, words_, bytes_, class_) { words_, bytes_, VALUE_IS_##class_ },
	VALUE_TYPE_LIST(X)
#undef X
};

size_t value_size(unsigned type)
{
	return type < VALUE_TYPES ? types[type].bytes : 0;
}

const char *value_type_name(unsigned type)
{
	if (type == VALUE_STRUCT)
		return "structure";
	return type < VALUE_TYPES ? types[type].words : "?";
}

enum value_class value_class(unsigned type)
{
	return type < VALUE_TYPES ? (enum value_class)types[type].class : VALUE_IS_INT;
}

/* Sign-extends an integer of 1, 2, 4 or 8 bytes. */
static int64_t load_int(const void *p, size_t bytes)
{
	int8_t i8;
	int16_t i16;
	int32_t i32;
	int64_t i64;

	switch (bytes) {
	case 1:
		return memcpy(&i8, p, 1), i8;
	case 2:
		return memcpy(&i16, p, 2), i16;
	case 4:
		return memcpy(&i32, p, 4), i32;
	default:
		return memcpy(&i64, p, 8), i64;
	}
}

struct value value_load(unsigned type, const void *p)
{
	struct value v = { .class = value_class(type) };
	size_t bytes = value_size(type);
	size_t half = v.class == VALUE_IS_COMPLEX ? bytes / 2 : bytes;
	float f;

	if (!bytes)
		return v;
	switch (v.class) {
	case VALUE_IS_BOOL:
		v.i = load_int(p, bytes) != 0;
		break;
	case VALUE_IS_INT:
		v.i = load_int(p, bytes);
		if (type == VALUE_CHAR &&
		    (char)-1 > 0) /* plain char has no sign on some machines */
			v.i &= 0xff;
		break;
	case VALUE_IS_UINT:
		v.i = load_int(p, bytes);
		if (bytes < 8)
			v.i &= (INT64_C(1) << (8 * bytes)) - 1;
		break;
	default:
		if (half == sizeof f) {
			memcpy(&f, p, sizeof f);
			v.re = (double)f;
		} else {
			memcpy(&v.re, p, sizeof v.re);
		}
		if (v.class != VALUE_IS_COMPLEX)
			break;
		if (half == sizeof f) {
			memcpy(&f, (const char *)p + half, sizeof f);
			v.im = (double)f;
		} else {
			memcpy(&v.im, (const char *)p + half, sizeof v.im);
		}
	}
	return v;
}

bool value_truth(const struct value *v)
{
	if (v->class == VALUE_IS_REAL)
		return v->re != 0;
	if (v->class == VALUE_IS_COMPLEX)
		return v->re != 0 || v->im != 0;
	return v->i != 0;
}

bool value_as_int(const struct value *v, __int128 *out)
{
	switch (v->class) {
	case VALUE_IS_UINT:
		*out = (uint64_t)v->i;
		return true;
	case VALUE_IS_REAL:
	case VALUE_IS_COMPLEX:
		/* 2^64 is above every integer type here; NaN fails the comparison */
		if (!(fabs(v->re) <= 0x1p64) || v->re != (double)(__int128)v->re)
			return false;
		if (v->class == VALUE_IS_COMPLEX && v->im != 0)
			return false;
		*out = (__int128)v->re;
		return true;
	default:
		*out = v->i;
		return true;
	}
}

static int no_fit(unsigned type, const struct value *v, const char *why, struct err *err)
{
	static const unsigned natural[] = {
		[VALUE_IS_INT] = VALUE_LONG,	[VALUE_IS_UINT] = VALUE_ULONG,
		[VALUE_IS_REAL] = VALUE_DOUBLE, [VALUE_IS_COMPLEX] = VALUE_DCOMPLEX,
		[VALUE_IS_BOOL] = VALUE_BOOL,
	};
	char text[VALUE_TEXT];

	return err_set(err, "%s does not fit into type %s: %s",
		       value_format(natural[v->class], v, 0, text), value_type_name(type), why);
}

static int store_int(unsigned type, void *p, const struct value *v, struct err *err)
{
	size_t bytes = value_size(type);
	bool has_sign = types[type].class == VALUE_IS_INT && !(type == VALUE_CHAR && (char)-1 > 0);
	__int128 low = has_sign ? -((__int128)1 << (8 * bytes - 1)) : 0;
	__int128 high = low + ((__int128)1 << (8 * bytes)) - 1;
	__int128 number;
	char why[64];
	uint64_t bits;

	if (!value_as_int(v, &number))
		return no_fit(type, v, "it is not a whole number of this size", err);
	if (number < low || number > high) {
		snprintf(why, sizeof why, "it holds %lld to %llu", (long long)low,
			 (unsigned long long)high);
		return no_fit(type, v, why, err);
	}
	bits = (uint64_t)number;
	switch (bytes) {
	case 1:
		memcpy(p, &(uint8_t){ (uint8_t)bits }, 1);
		break;
	case 2:
		memcpy(p, &(uint16_t){ (uint16_t)bits }, 2);
		break;
	case 4:
		memcpy(p, &(uint32_t){ (uint32_t)bits }, 4);
		break;
	default:
		memcpy(p, &bits, 8);
	}
	return 0;
}

/* v as a real or complex number. */
static void widen(const struct value *v, double *re, double *im)
{
	*im = v->class == VALUE_IS_COMPLEX ? v->im : 0;
	if (v->class == VALUE_IS_REAL || v->class == VALUE_IS_COMPLEX)
		*re = v->re;
	else
		*re = v->class == VALUE_IS_UINT ? (double)(uint64_t)v->i : (double)v->i;
}

static bool fits_float(double d)
{
	return !isfinite(d) || fabs(d) <= (double)FLT_MAX || isfinite((float)d);
}

static int store_real(unsigned type, void *p, const struct value *v, struct err *err)
{
	bool complex = types[type].class == VALUE_IS_COMPLEX;
	size_t half = complex ? value_size(type) / 2 : value_size(type);
	double part[2];
	int i;

	widen(v, &part[0], &part[1]);
	if (!complex && part[1] != 0)
		return no_fit(type, v, "it has an imaginary part", err);
	for (i = 0; half == sizeof(float) && i < 2; i++)
		if (!fits_float(part[i]))
			return no_fit(type, v, "it is too large", err);
	for (i = 0; i < (complex ? 2 : 1); i++) {
		if (half == sizeof(float))
			memcpy((char *)p + (size_t)i * half, &(float){ (float)part[i] }, half);
		else
			memcpy((char *)p + (size_t)i * half, &part[i], half);
	}
	return 0;
}

int value_store(unsigned type, void *p, const struct value *v, struct err *err)
{
	uint32_t truth = value_truth(v);

	if (type >= VALUE_TYPES)
		return err_set(err, "a value cannot be stored in a %s", value_type_name(type));
	switch (types[type].class) {
	case VALUE_IS_BOOL:
		if (value_size(type) == 1)
			memcpy(p, &(uint8_t){ (uint8_t)truth }, 1);
		else
			memcpy(p, &truth, sizeof truth);
		return 0;
	case VALUE_IS_INT:
	case VALUE_IS_UINT:
		return store_int(type, p, v, err);
	default:
		return store_real(type, p, v, err);
	}
}

/*
 * The fewest digits that read back the same, without an exponent as long as all digits before the
 * point are certain. Returns what snprintf would.
 */
static int format_real(bool single, double d, int digits, char *out, size_t size)
{
	int most = single ? 9 : 17, fixed = single ? 8 : 16, n, exponent;
	const char *e;
	char text[40];

	if (isnan(d))
		return snprintf(out, size, "nan");
	if (isinf(d))
		return snprintf(out, size, d < 0 ? "-inf" : "inf");
	if (digits > 0 && digits < most)
		most = digits;
	for (n = 1; n <= most; n++) {
		snprintf(text, sizeof text, "%.*e", n - 1, d);
		if (single ? strtof(text, NULL) == (float)d : strtod(text, NULL) == d)
			break;
	}
	if (n > most)
		return snprintf(out, size, "%.*g", most, d);
	e = strchr(text, 'e');
	exponent = e ? atoi(e + 1) : 0;
	if (exponent >= n && exponent < fixed)
		n = exponent + 1;
	return snprintf(out, size, "%.*g", n, d);
}

const char *value_format(unsigned type, const struct value *v, int digits, char out[VALUE_TEXT])
{
	bool single = type == VALUE_FLOAT || type == VALUE_FCOMPLEX;
	char re[40], im[40];

	switch (v->class) {
	case VALUE_IS_BOOL:
		snprintf(out, VALUE_TEXT, "%s", v->i ? "true" : "false");
		break;
	case VALUE_IS_UINT:
		snprintf(out, VALUE_TEXT, type == VALUE_POINTER ? "0x%llx" : "%llu",
			 (unsigned long long)v->i);
		break;
	case VALUE_IS_REAL:
		format_real(single, v->re, digits, out, VALUE_TEXT);
		break;
	case VALUE_IS_COMPLEX:
		format_real(single, v->re, digits, re, sizeof re);
		format_real(single, v->im, digits, im, sizeof im);
		snprintf(out, VALUE_TEXT, "(%s, %s)", re, im);
		break;
	default:
		if (type == VALUE_CHAR && v->i >= 32 && v->i < 127)
			snprintf(out, VALUE_TEXT, "%lld '%c'", (long long)v->i, (char)v->i);
		else
			snprintf(out, VALUE_TEXT, "%lld", (long long)v->i);
	}
	return out;
}
