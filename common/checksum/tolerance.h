/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a value is that of the reference (SEMANTICS 4). Real numbers, by one of
 *	absolute	|a - b| <= exp
 *	relative	|a - b| <= exp * max(rel_min, |a|, |b|)
 *	exact		the same bits
 * and NaN equals NaN in each. Everything else has to be equal; truth values as such. Addresses are
 * never compared.
 */
#ifndef DVMDBG_COMMON_TRACE_JUDGE_H
#define DVMDBG_COMMON_TRACE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/checksum/sum.h"

struct array_desc;

/* exp < 0: by type, 1e-9 for double, 1e-4 for float. */
struct trace_tolerance {
	uint8_t mode; /* enum sum_mode */
	double exp, rel_min;
};

enum trace_judged {
	TRACE_SAME,    /* the same bits, or the same to everybody */
	TRACE_CLOSE,   /* within the tolerance */
	TRACE_OTHER,   /* beyond */
	TRACE_UNKNOWN, /* cannot be said: a part of a number, an address, a hash of real numbers */
};

/* Two values of `size` bytes, as numbers; type: enum value_type, VALUE_TYPES: none of its own. */
enum trace_judged tolerance_check(const struct trace_tolerance *t, unsigned type, unsigned size,
			      uint64_t a, uint64_t b);
/* How far apart, in the measure of the mode, and the limit; 0 and 0 where there is none. */
double tolerance_off(const struct trace_tolerance *t, unsigned type, uint64_t a, uint64_t b,
		       double *limit);

/* A value inside of an object as traces have it: elements one behind the other, of structures only
 * the fields. */
struct tolerance_at {
	size_t packed; /* where it is in these bytes */
	size_t byte;   /* and in the object itself, element by element_size */
	uint8_t type, size;
};

/*
 * Two whole objects of one description, n bytes each (fewer than the object has: it was cut). The
 * worst of all values; *at: the first one that is as bad. hashed: a hash of it.
 */
enum trace_judged tolerance_object(const struct trace_tolerance *t, const struct array_desc *d,
				     const unsigned char *a, const unsigned char *b, size_t n,
				     bool hashed, struct tolerance_at *at);
/* The bytes as a number. */
uint64_t tolerance_load(const unsigned char *p, unsigned size);

#endif
