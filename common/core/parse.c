/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/parse.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/core/err.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits only; the number without its sign. */
static int digits_at(const char **text, uint64_t most, uint64_t *v)
{
	const char *p = *text;
	uint64_t n = 0;

	if (!is_digit(*p))
		return -1;
	for (; is_digit(*p); p++)
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n) || n > most)
			return -1;
	*v = n;
	*text = p;
	return 0;
}

int parse_int_at(const char **text, int64_t *v)
{
	const char *p = *text;
	bool minus = *p == '-';
	uint64_t n;

	if (minus || *p == '+')
		p++;
	if (digits_at(&p, (uint64_t)INT64_MAX + minus, &n))
		return -1;
	*v = (int64_t)(minus ? -n : n);
	*text = p;
	return 0;
}

int parse_uint_at(const char **text, uint64_t *v)
{
	const char *p = *text;

	if (*p == '+')
		p++;
	if (digits_at(&p, UINT64_MAX, v))
		return -1;
	*text = p;
	return 0;
}

/* No part of dvmdbg changes LC_NUMERIC, so strtod expects a point. */
int parse_real_at(const char **text, double *v)
{
	int saved = errno;
	char *end;
	double x;

	if (isspace((unsigned char)**text))
		return -1;
	x = strtod(*text, &end);
	errno = saved;
	if (end == *text)
		return -1;
	*v = x;
	*text = end;
	return 0;
}

int parse_int(const char *text, int64_t lo, int64_t hi, int64_t *v)
{
	int64_t n;

	if (!text || parse_int_at(&text, &n) || *text || n < lo || n > hi)
		return -1;
	*v = n;
	return 0;
}

int parse_uint(const char *text, uint64_t lo, uint64_t hi, uint64_t *v)
{
	uint64_t n;

	if (!text || parse_uint_at(&text, &n) || *text || n < lo || n > hi)
		return -1;
	*v = n;
	return 0;
}

int parse_real(const char *text, double lo, double hi, double *v)
{
	double x;

	if (!text || parse_real_at(&text, &x) || *text || !isfinite(x) || x < lo || x > hi)
		return -1;
	*v = x;
	return 0;
}

int parse_uint_of(const char *name, const char *text, uint64_t lo, uint64_t hi, uint64_t *v,
		  struct err *err)
{
	if (!parse_uint(text, lo, hi, v))
		return 0;
	return err_set(err, "%s: '%s' is not a whole number from %" PRIu64 " to %" PRIu64, name,
		       text ? text : "", lo, hi);
}

int parse_real_of(const char *name, const char *text, double lo, double hi, double *v,
		  struct err *err)
{
	if (!parse_real(text, lo, hi, v))
		return 0;
	return err_set(err, "%s: '%s' is not a number from %g to %g", name, text ? text : "", lo,
		       hi);
}
