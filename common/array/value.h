/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element types and single values.
 */
#ifndef DVMDBG_COMMON_VALUE_H
#define DVMDBG_COMMON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* The first nine are the types of the documents' traces, with their numbers. name, words, bytes,
 * class */
#define VALUE_TYPE_LIST(X)                         \
	X(CHAR, "char", 1, INT)                    \
	X(INT, "int", 4, INT)                      \
	X(LONG, "long", 8, INT)                    \
	X(FLOAT, "float", 4, REAL)                 \
	X(DOUBLE, "double", 8, REAL)               \
	X(FCOMPLEX, "float complex", 8, COMPLEX)   \
	X(DCOMPLEX, "double complex", 16, COMPLEX) \
	X(LOGICAL, "logical", 4, BOOL)             \
	X(LLONG, "long long", 8, INT)              \
	X(SCHAR, "signed char", 1, INT)            \
	X(UCHAR, "unsigned char", 1, UINT)         \
	X(SHORT, "short", 2, INT)                  \
	X(USHORT, "unsigned short", 2, UINT)       \
	X(UINT, "unsigned", 4, UINT)               \
	X(ULONG, "unsigned long", 8, UINT)         \
	X(BOOL, "bool", 1, BOOL)                   \
	X(POINTER, "pointer", 8, UINT)

enum value_type {
#define X(name, words, bytes, class) VALUE_##name,
	VALUE_TYPE_LIST(X)
#undef X
		VALUE_TYPES,
	VALUE_STRUCT = 64, /* an object with fields; not an element type of arithmetic */
};

enum value_class { VALUE_IS_INT, VALUE_IS_UINT, VALUE_IS_REAL, VALUE_IS_COMPLEX, VALUE_IS_BOOL };

size_t value_size(unsigned type);	    /* 0 for a type that is none */
const char *value_type_name(unsigned type); /* "?" for a type that is none */
enum value_class value_class(unsigned type);

/* A number widened for arithmetic. */
struct value {
	uint8_t class; /* enum value_class */
	int64_t i;     /* INT, BOOL; UINT by bits */
	double re, im; /* REAL, COMPLEX */
};

#define VALUE_TEXT 96

/* Reads one element of the type at p, which need not be aligned. */
struct value value_load(unsigned type, const void *p);
/* Writes v converted to type; -1 when it does not fit (a fraction into an integer, overflow). */
int value_store(unsigned type, void *p, const struct value *v, struct err *err);
/*
 * Shortest text that reads back the same for REAL ("0.1", "1e-06", "nan", "inf"), "true"/"false"
 * for BOOL, "(re, im)" for COMPLEX. digits > 0: at most so many significant digits. A VALUE_CHAR
 * that prints is shown as 65 'A' when element is of type char (`type`). Returns out.
 */
const char *value_format(unsigned type, const struct value *v, int digits, char out[VALUE_TEXT]);

/*
 * op: one of "+ - * / % ** & | ^ << >> == != < <= > >= && || min max mod cmplx
 * sign atan2" or, unary with b NULL, "-" "+" "!" "abs" "real" "cmplx" "sqrt" "exp" "log" "log10"
 * "sin" "cos" "tan" "asin" "acos" "atan" "sinh" "cosh" "tanh" "nint" "isnan" "isinf" and casts to a
 * type by its name, as "(double)".
 */
int value_apply(const char *op, const struct value *a, const struct value *b, struct value *out,
		struct err *err);
/*
 * The type of op's result for operands of types a and b (for unary ones: b == a): BOOL, LONG,
 * ULONG, FLOAT, DOUBLE, FCOMPLEX, DCOMPLEX, that of a cast. Unsigned only when both are, and never
 * of a difference, though the value may be beyond LONG when one is: it is a ULONG then. real and
 * cmplx keep single precision, of other numbers they are double.
 */
unsigned value_result_type(const char *op, unsigned a, unsigned b);
/* False when v is not a whole number, or beyond 2^64. */
bool value_as_int(const struct value *v, __int128 *out);
bool value_truth(const struct value *v);
/* Equal as a user means it: NaN equals NaN, 1 equals 1.0. */
bool value_equal(const struct value *a, const struct value *b);

#endif
