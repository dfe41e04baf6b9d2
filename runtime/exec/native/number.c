/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of variables by their types, and as text. */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"

Dwarf_Word number_encoding(Dwarf_Die *type)
{
	Dwarf_Attribute at;
	Dwarf_Word encoding = 0;

	if (dwarf_attr_integrate(type, DW_AT_encoding, &at))
		dwarf_formudata(&at, &encoding);
	return encoding;
}

unsigned datum_number_type(Dwarf_Die *type)
{
	static const uint8_t whole[] = {
		[1] = VALUE_SCHAR, [2] = VALUE_SHORT, [4] = VALUE_INT, [8] = VALUE_LONG
	};
	static const uint8_t natural[] = {
		[1] = VALUE_UCHAR, [2] = VALUE_USHORT, [4] = VALUE_UINT, [8] = VALUE_ULONG
	};
	Dwarf_Word encoding = number_encoding(type);
	int n = dwarf_bytesize(type);

	if (dwarf_tag(type) != DW_TAG_base_type || n < 1 || n > 16)
		return VALUE_TYPES;
	switch (encoding) {
	case DW_ATE_float:
		return n == 4 ? VALUE_FLOAT : n == 8 ? VALUE_DOUBLE : VALUE_TYPES;
	case DW_ATE_complex_float:
		return n == 8 ? VALUE_FCOMPLEX : n == 16 ? VALUE_DCOMPLEX : VALUE_TYPES;
	case DW_ATE_boolean:
		return n == 1	? VALUE_BOOL
		       : n == 4 ? VALUE_LOGICAL
		       : n == 8 ? VALUE_LONG
				: VALUE_TYPES;
	case DW_ATE_signed_char:
		return n == 1 ? VALUE_CHAR : VALUE_TYPES;
	}
	if (n > 8 || !whole[n])
		return VALUE_TYPES;
	if (encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
	    encoding == DW_ATE_UTF)
		return natural[n];
	return whole[n];
}

unsigned number_enumeration(Dwarf_Die *type)
{
	static const uint8_t whole[] = {
		[1] = VALUE_SCHAR, [2] = VALUE_SHORT, [4] = VALUE_INT, [8] = VALUE_LONG
	};
	int n = dwarf_bytesize(type);
	Dwarf_Die base;
	unsigned is;

	if (dwarf_tag(type) != DW_TAG_enumeration_type || n < 1 || n > 8)
		return VALUE_TYPES;
	if (datum_type_at(type, &base) && datum_peeled(&base, &base)) {
		is = datum_number_type(&base);
		if (is < VALUE_TYPES && value_class(is) == VALUE_IS_UINT &&
		    value_size(is) == (size_t)n)
			return is;
	}
	return whole[n] ? whole[n] : VALUE_TYPES;
}

/* Else it is the processor's long double. */
bool number_is_quad(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return LDBL_MANT_DIG == 64 && name &&
	       (strstr(name, "128") || strstr(name, "kind=16") || strstr(name, "quad"));
}

/* A number of 16 bytes as a long double: those of four times the precision lose what it has not. */
static long double long_number(const unsigned char *bytes, bool quad)
{
	long double x;

#if LDBL_MANT_DIG == 64
	if (quad) {
		uint64_t word[2], bits;
		int exponent;

		memcpy(word, bytes, sizeof(word));
		exponent = (int)(word[1] >> 48 & 0x7fff);
		bits = (word[1] & 0xffffffffffff) << 15 | word[0] >> 49;
		if (exponent == 0x7fff)
			x = bits || word[0] ? __builtin_nanl("") : __builtin_infl();
		else
			x = ldexpl((long double)(bits | (exponent ? UINT64_C(1) << 63 : 0)),
				   (exponent ? exponent : 1) - 16383 - 63);
		return word[1] >> 63 ? -x : x;
	}
#endif
	memcpy(&x, bytes, sizeof(x));
	return x;
}

double number_real(const unsigned char *bytes, bool quad)
{
	return (double)long_number(bytes, quad);
}

/* A whole number of 16 bytes. */
static void put_wide(struct buf *out, const unsigned char *bytes, bool sign)
{
	unsigned __int128 x;
	char text[48];
	size_t at = sizeof(text);
	bool less;

	memcpy(&x, bytes, sizeof(x));
	less = sign && x >> 127;
	if (less)
		x = -x;
	do
		text[--at] = (char)('0' + (int)(x % 10));
	while ((x /= 10) != 0);
	if (less)
		text[--at] = '-';
	buf_put_raw(out, text + at, sizeof(text) - at);
}

bool number_is_wide(Dwarf_Die *type, bool *real)
{
	Dwarf_Word encoding = number_encoding(type);

	*real = encoding == DW_ATE_float;
	return dwarf_tag(type) == DW_TAG_base_type && dwarf_bytesize(type) == 16 &&
	       (*real || encoding == DW_ATE_signed || encoding == DW_ATE_unsigned);
}

/* All have room in that type. */
static bool narrow_fits(const unsigned char *bytes, uint64_t n, unsigned type, bool sign)
{
	__int128 x;

	for (uint64_t i = 0; i < n; i++) {
		memcpy(&x, bytes + 16 * i, sizeof(x));
		if ((!sign && x < 0) || (type == VALUE_LONG ? x != (int64_t)x : x != (uint64_t)x))
			return false;
	}
	return true;
}

static double as_double(Dwarf_Die *type, const unsigned char *bytes)
{
	__int128 x;

	if (number_encoding(type) == DW_ATE_float)
		return (double)long_number(bytes, number_is_quad(type));
	/* little endian, as all processors here: its first half is what narrow numbers have */
	memcpy(&x, bytes, sizeof(x));
	return number_encoding(type) == DW_ATE_signed ? (double)x : (double)(unsigned __int128)x;
}

unsigned number_narrow(Dwarf_Die *type, unsigned char *bytes, uint64_t n)
{
	bool real, sign = number_encoding(type) == DW_ATE_signed;
	unsigned to = VALUE_DOUBLE;
	double x;

	if (number_is_wide(type, &real) && !real) {
		if (narrow_fits(bytes, n, VALUE_LONG, sign))
			to = VALUE_LONG;
		else if (narrow_fits(bytes, n, VALUE_ULONG, sign))
			to = VALUE_ULONG;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (to != VALUE_DOUBLE) {
			memmove(bytes + 8 * i, bytes + 16 * i, 8);
			continue;
		}
		x = as_double(type, bytes + 16 * i);
		memcpy(bytes + 8 * i, &x, 8);
	}
	return to;
}

/* A double with 113 digits: its exponent has 15 of them, its fraction is followed by zeros. */
static void put_quad(double x, unsigned char *out)
{
	int exponent = 0;
	double part = frexp(fabs(x), &exponent);
	uint64_t bits = isfinite(x) ? (uint64_t)ldexp(part, 53) : 0, word[2];
	uint64_t power = !isfinite(x) ? 0x7fff : bits ? (uint64_t)(exponent - 1 + 16383) : 0;

	bits = isnan(x) ? UINT64_C(1) << 51 : bits & ((UINT64_C(1) << 52) - 1);
	word[0] = bits << 60;
	word[1] = (uint64_t)(signbit(x) != 0) << 63 | power << 48 | bits >> 4;
	memcpy(out, word, sizeof(word));
}

bool number_widen(Dwarf_Die *type, unsigned from, const unsigned char *bytes, unsigned char *out)
{
	struct value v = value_load(from, bytes);
	__int128 whole = from == VALUE_ULONG ? (__int128)(uint64_t)v.i : v.i;
	long double real = v.re;

	memset(out, 0, 16);
	if (number_encoding(type) == DW_ATE_unsigned && whole < 0)
		return false;
	if (number_encoding(type) != DW_ATE_float)
		memcpy(out, &whole, sizeof(whole));
	else if (number_is_quad(type))
		put_quad(v.re, out);
	else
		memcpy(out, &real, LDBL_MANT_DIG == 64 ? 10 : sizeof(real));
	return true;
}

void number_put(Dwarf_Die *type, const unsigned char *bytes, struct buf *out)
{
	unsigned number = datum_number_type(type);
	Dwarf_Word encoding = number_encoding(type);
	int n = dwarf_bytesize(type);
	char text[VALUE_TEXT];
	struct value v;

	if (number < VALUE_TYPES) {
		v = value_load(number, bytes);
		datum_put(out, "%s", value_format(number, &v, 0, text));
	} else if (encoding == DW_ATE_float && n == sizeof(long double)) {
		datum_put(out, "%.18Lg", long_number(bytes, number_is_quad(type)));
	} else if (encoding == DW_ATE_complex_float && n == 2 * sizeof(long double)) {
		datum_put(out, "(%.18Lg, %.18Lg)", long_number(bytes, number_is_quad(type)),
			  long_number(bytes + sizeof(long double), number_is_quad(type)));
	} else if (n == 16 && (encoding == DW_ATE_signed || encoding == DW_ATE_unsigned)) {
		put_wide(out, bytes, encoding == DW_ATE_signed);
	} else {
		datum_put(out, "<a number of %d bytes>", n);
	}
}
