/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops over elements: sums and extremes of many numbers at once, and numbers of all types.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/array/value.h"
#include "common/array/bins.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* A number anywhere in memory. */
typedef double number __attribute__((aligned(1), may_alias));

struct scan {
	double sum, least, most;
};

static void scan_tail(const number *x, size_t n, struct scan *s)
{
	for (size_t i = 0; i < n; i++) {
		s->sum += x[i];
		s->least = x[i] < s->least ? x[i] : s->least;
		s->most = x[i] > s->most ? x[i] : s->most;
	}
}

#if defined(__x86_64__)

/* Four vectors at a time, so that additions do not wait for one another. */
#define SCAN(name, target, vec, lanes, set1, load, add, min, max, store)              \
	target static void name(const number *x, size_t n, struct scan *s)            \
	{                                                                             \
		vec sum[4], least[4], most[4];                                        \
		double out[3][lanes];                                                 \
		size_t i = 0;                                                         \
                                                                                      \
		for (int k = 0; k < 4; k++) {                                         \
			sum[k] = set1(0);                                             \
			least[k] = set1(INFINITY);                                    \
			most[k] = set1(-INFINITY);                                    \
		}                                                                     \
		for (; i + 4 * lanes <= n; i += 4 * lanes) {                          \
			for (int k = 0; k < 4; k++) {                                 \
				vec v = load((const double *)x + i + k * lanes);      \
                                                                                      \
				sum[k] = add(sum[k], v);                              \
				least[k] = min(v, least[k]);                          \
				most[k] = max(v, most[k]);                            \
			}                                                             \
		}                                                                     \
		store(out[0], add(add(sum[0], sum[1]), add(sum[2], sum[3])));         \
		store(out[1], min(min(least[0], least[1]), min(least[2], least[3]))); \
		store(out[2], max(max(most[0], most[1]), max(most[2], most[3])));     \
		for (int k = 0; k < lanes; k++) {                                     \
			s->sum += out[0][k];                                          \
			s->least = out[1][k] < s->least ? out[1][k] : s->least;       \
			s->most = out[2][k] > s->most ? out[2][k] : s->most;          \
		}                                                                     \
		scan_tail(x + i, n - i, s);                                           \
	}

SCAN(scan_base, , __m128d, 2, _mm_set1_pd, _mm_loadu_pd, _mm_add_pd, _mm_min_pd, _mm_max_pd,
     _mm_storeu_pd)
SCAN(scan_avx2, __attribute__((target("avx2"))), __m256d, 4, _mm256_set1_pd, _mm256_loadu_pd,
     _mm256_add_pd, _mm256_min_pd, _mm256_max_pd, _mm256_storeu_pd)

static void scan(const number *x, size_t n, struct scan *s)
{
	static int wide = -1;

	if (wide < 0) {
		__builtin_cpu_init();
		wide = __builtin_cpu_supports("avx2") != 0;
	}
	if (n < 16)
		scan_tail(x, n, s);
	else if (wide)
		scan_avx2(x, n, s);
	else
		scan_base(x, n, s);
}

#else

static void scan(const number *x, size_t n, struct scan *s)
{
	scan_tail(x, n, s);
}

#endif

void bins_reduce(struct bins_cell *c, const double *x, size_t n)
{
	const number *p = (const number *)x;
	struct scan s = { .least = INFINITY, .most = -INFINITY };

	scan(p, n, &s);
	/* NaN and infinity do not get lost in a sum; so large a sum is looked at again as well */
	if (!isfinite(s.sum)) {
		s = (struct scan){ .least = INFINITY, .most = -INFINITY };
		for (size_t i = 0; i < n; i++) {
			if (isfinite(p[i]))
				scan_tail(p + i, 1, &s);
			else if (isnan(p[i]))
				c->nan++;
			else
				c->inf++;
		}
	}
	c->sum += s.sum;
	c->least = s.least < c->least ? s.least : c->least;
	c->most = s.most > c->most ? s.most : c->most;
}

static double magnitude(double re, double im)
{
	double square = re * re + im * im;

	/* without a square that is too large or too small for a number */
	return square > 1e-300 && square < 1e300 ? sqrt(square) : hypot(re, im);
}

#define EACH(T, expr)                                       \
	do {                                                \
		for (size_t i = 0; i < n; i++, p += step) { \
			T v;                                \
                                                            \
			memcpy(&v, p, sizeof(v));           \
			out[i] = (expr);                    \
		}                                           \
	} while (0)

struct two_floats {
	float re, im;
};

struct two_doubles {
	double re, im;
};

void bins_numbers(unsigned type, const void *from, size_t step, double *out, size_t n)
{
	const unsigned char *p = from;

	switch ((enum value_type)type) {
	case VALUE_DOUBLE:
		EACH(double, v);
		break;
	case VALUE_FLOAT:
		EACH(float, (double)v);
		break;
	case VALUE_FCOMPLEX:
		EACH(struct two_floats, magnitude((double)v.re, (double)v.im));
		break;
	case VALUE_DCOMPLEX:
		EACH(struct two_doubles, magnitude(v.re, v.im));
		break;
	case VALUE_INT:
		EACH(int32_t, (double)v);
		break;
	case VALUE_UINT:
		EACH(uint32_t, (double)v);
		break;
	case VALUE_LONG:
	case VALUE_LLONG:
		EACH(int64_t, (double)v);
		break;
	case VALUE_ULONG:
	case VALUE_POINTER:
		EACH(uint64_t, (double)v);
		break;
	case VALUE_SHORT:
		EACH(int16_t, (double)v);
		break;
	case VALUE_USHORT:
		EACH(uint16_t, (double)v);
		break;
	case VALUE_CHAR:
	case VALUE_SCHAR:
		EACH(int8_t, (double)v);
		break;
	case VALUE_UCHAR:
		EACH(uint8_t, (double)v);
		break;
	case VALUE_LOGICAL:
		EACH(int32_t, v != 0);
		break;
	case VALUE_BOOL:
		EACH(uint8_t, v != 0);
		break;
	default:
		memset(out, 0, n * sizeof(*out));
	}
}
