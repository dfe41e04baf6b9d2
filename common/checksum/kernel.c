/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/checksum/checksum.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* the finalizer of splitmix64 (Steele, Lea, Flood 2014): one-to-one, and 0 goes to 0 */
#define MIX_1 UINT64_C(0xbf58476d1ce4e5b9)
#define MIX_2 UINT64_C(0x94d049bb133111eb)

uint64_t sum_mix(uint64_t t)
{
	t = (t ^ t >> 30) * MIX_1;
	t = (t ^ t >> 27) * MIX_2;
	return t ^ t >> 31;
}

#define QUICK_BIT 40 /* of a mixed key: the first of four signs */

void sum_quick_one(double num, uint64_t key, struct sum_quick *out)
{
	uint64_t bits, turn;

	memcpy(&bits, &num, sizeof bits);
	out->hash += sum_quick_hash(bits, key, &turn);
	out->sum += num;
	for (unsigned j = 0; j < SUM_BLOCK_SIGNS; j++)
		out->sign[j] += turn >> (QUICK_BIT + j) & 1 ? -num : num;
	out->least = num < out->least ? num : out->least;
	out->most = num > out->most ? num : out->most;
}

/* From element 8 - n on: all ones for n lanes, and zeros for the others. */
static const uint64_t first_lanes[16] = { ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0),
					  ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0) };

static bool always(void)
{
	return true;
}

/*
 * Per instruction set: TIMES multiplies by a constant, LOW_HIGH the lower by the upper half of each
 * lane, LEAST and MOST take the second when the first is NaN.
 */
#if defined(__x86_64__)

#define LANES 2
#define TARGET
#define NAME(x) base_##x
#define TIMES(v, c) base_times(v, c)
#define LOW_HIGH(v) ((VU)_mm_mul_epu32((__m128i)(v), (__m128i)((v) >> 32)))
#define LEAST(x, y) ((VD)_mm_min_pd((__m128d)(x), (__m128d)(y)))
#define MOST(x, y) ((VD)_mm_max_pd((__m128d)(x), (__m128d)(y)))

typedef uint64_t base_two __attribute__((vector_size(16), may_alias));

static inline base_two base_times(base_two v, uint64_t c)
{
	__m128i low = _mm_set1_epi64x((long long)c), high = _mm_srli_epi64(low, 32);
	__m128i a = (__m128i)v;
	__m128i cross =
		_mm_add_epi64(_mm_mul_epu32(_mm_srli_epi64(a, 32), low), _mm_mul_epu32(a, high));

	return (base_two)_mm_add_epi64(_mm_mul_epu32(a, low), _mm_slli_epi64(cross, 32));
}

#include "common/checksum/kernel.h"

#define LANES 4
#define TARGET __attribute__((target("avx2")))
#define NAME(x) avx2_##x
#define TIMES(v, c) ((VU)avx2_times((__m256i)(v), c))
#define LOW_HIGH(v) ((VU)_mm256_mul_epu32((__m256i)(v), (__m256i)((v) >> 32)))
#define LEAST(x, y) ((VD)_mm256_min_pd((__m256d)(x), (__m256d)(y)))
#define MOST(x, y) ((VD)_mm256_max_pd((__m256d)(x), (__m256d)(y)))

TARGET static inline __m256i avx2_times(__m256i a, uint64_t c)
{
	__m256i low = _mm256_set1_epi64x((long long)c), high = _mm256_srli_epi64(low, 32);
	__m256i cross = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), low),
					 _mm256_mul_epu32(a, high));

	return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(cross, 32));
}

static bool avx2_usable(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2");
}

#include "common/checksum/kernel.h"

#define LANES 8
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define NAME(x) avx512_##x
#define TIMES(v, c) ((v) * (c))
#define LOW_HIGH(v) ((VU)_mm512_mul_epu32((__m512i)(v), (__m512i)((v) >> 32)))
#define LEAST(x, y) ((VD)_mm512_min_pd((__m512d)(x), (__m512d)(y)))
#define MOST(x, y) ((VD)_mm512_max_pd((__m512d)(x), (__m512d)(y)))
#define ADD_TURNED(k, t, qk, q, pk, p)                                                      \
	do {                                                                                \
		__mmask8 m = _mm512_test_epi64_mask(                                        \
			(__m512i)(t), _mm512_set1_epi64((int64_t)(1ULL << (63 - (k)))));    \
                                                                                            \
		qk = (VD)_mm512_mask_add_pd((__m512d)(qk), m, (__m512d)(qk), (__m512d)(q)); \
		pk = (VD)_mm512_mask_add_pd((__m512d)(pk), m, (__m512d)(pk), (__m512d)(p)); \
	} while (0)
#define ADD_WITH_SIGN(j, t, s, x)                                                           \
	(s) = (VD)_mm512_mask_add_pd(                                                       \
		(__m512d)(s),                                                               \
		_mm512_test_epi64_mask((__m512i)(t),                                        \
				       _mm512_set1_epi64(INT64_C(1) << (QUICK_BIT + (j)))), \
		(__m512d)(s), (__m512d)(x))

static bool avx512_usable(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

#include "common/checksum/kernel.h"

#endif

#define LANES 2
#define TARGET
#define NAME(x) plain_##x
#define TIMES(v, c) ((v) * (c))
#define LOW_HIGH(v) (((v)&0xffffffff) * ((v) >> 32))
#define LEAST(x, y) ((VD){ (x)[0] < (y)[0] ? (x)[0] : (y)[0], (x)[1] < (y)[1] ? (x)[1] : (y)[1] })
#define MOST(x, y) ((VD){ (x)[0] > (y)[0] ? (x)[0] : (y)[0], (x)[1] > (y)[1] ? (x)[1] : (y)[1] })
#include "common/checksum/kernel.h"

const struct sum_ops sum_ops_list[] = {
#if defined(__x86_64__)
	{ "avx512", avx512_usable, avx512_keys, avx512_moved, avx512_scan, avx512_fold,
	  avx512_quick_row, avx512_quick_keys, avx512_quick_end },
	{ "avx2", avx2_usable, avx2_keys, avx2_moved, avx2_scan, avx2_fold, avx2_quick_row,
	  avx2_quick_keys, avx2_quick_end },
	{ "sse2", always, base_keys, base_moved, base_scan, base_fold, base_quick_row,
	  base_quick_keys, base_quick_end },
#endif
	{ "plain", always, plain_keys, plain_moved, plain_scan, plain_fold, plain_quick_row,
	  plain_quick_keys, plain_quick_end },
};

const unsigned sum_ops_count = sizeof sum_ops_list / sizeof sum_ops_list[0];

const struct sum_ops *sum_ops_best(void)
{
	const struct sum_ops *ops = sum_ops_list;

	while (!ops->usable())
		ops++;
	return ops;
}
