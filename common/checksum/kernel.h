/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops of struct sum_ops for one instruction set; kernel.c includes this once for each.
 * Given: LANES, TARGET (attribute), NAME(x), and TIMES, LOW_HIGH, LEAST and MOST as told there; may
 * be given: ADD_TURNED, ADD_WITH_SIGN. No guard. What fold adds is exact, so the number of lanes
 * changes no bit of it; the sums of quick_row and quick_keys are rounded, their hashes exact.
 */
typedef uint64_t NAME(vu) __attribute__((vector_size(8 * LANES), may_alias));
typedef uint64_t NAME(vu_any) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef double NAME(vd) __attribute__((vector_size(8 * LANES), may_alias));
typedef double NAME(vd_any) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define VU NAME(vu)
#define VD NAME(vd)

TARGET static void NAME(keys)(uint64_t *at, uint64_t first, uint64_t step, size_t n)
{
	VU v = { 0 };
	size_t i = 0;

	/* no vectors for short rows */
	if (n < 2 * LANES)
		goto rest;
	for (unsigned l = 0; l < LANES; l++)
		v[l] = first + l * step;
	for (; i + LANES <= n; i += LANES) {
		*(NAME(vu_any) *)(at + i) = v;
		v += LANES * step;
	}
rest:
	for (; i < n; i++)
		at[i] = first + i * step;
}

TARGET static void NAME(moved)(uint64_t *at, uint64_t first, const uint64_t *step, size_t n)
{
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		*(NAME(vu_any) *)(at + i) = *(const NAME(vu_any) *)(step + i) + first;
	for (; i < n; i++)
		at[i] = step[i] + first;
}

TARGET static void NAME(scan)(const uint64_t *bits, const uint64_t *key, uint64_t off,
			      uint64_t *turn, size_t n, struct sum_scan *out)
{
	VU hash = { 0 };
	VD least = *(const VD *)bits, most = least, odd = { 0 };

	for (size_t i = 0; i < n; i += LANES) {
		VU b = *(const VU *)(bits + i);
		VU k = *(const VU *)(key + i) + off;
		VD x = (VD)b;
		VU t = b + k;

		t ^= t >> 30;
		t = TIMES(t, MIX_1);
		t ^= t >> 27;
		t = TIMES(t, MIX_2);
		t ^= t >> 31;
		hash += t;
		/* signs: squaring-like steps, for a key times a constant has regular patterns */
		k += LOW_HIGH(k);
		k ^= k >> 29;
		*(VU *)(turn + i) = (LOW_HIGH(k) + k) << 20;
		odd += x - x;
		least = LEAST(x, least);
		most = MOST(x, most);
	}
	out->hash = 0;
	out->least = INFINITY;
	out->most = -INFINITY;
	out->odd = false;
	for (unsigned l = 0; l < LANES; l++) {
		out->hash += hash[l];
		out->odd |= odd[l] != 0; /* NaN */
		out->least = least[l] < out->least ? least[l] : out->least;
		out->most = most[l] > out->most ? most[l] : out->most;
	}
}

/*
 * The sums of q and of p with the sign of bit 63 - k of t. ADD_TURNED adds only those with a minus:
 * all of them less twice those is the same number, and exact too.
 */
#ifdef ADD_TURNED
#define SIGNED(k) ADD_TURNED(k, t, q##k, q, p##k, p)
#define SIGNED_OUT(k)                                  \
	do {                                           \
		upper[1 + (k)] += qs[l] - 2 * q##k[l]; \
		lower[1 + (k)] += ps[l] - 2 * p##k[l]; \
	} while (0)
#else
#define SIGNED(k)                                  \
	do {                                       \
		VU m = t << (k)&UINT64_C(1) << 63; \
                                                   \
		q##k += (VD)((VU)q ^ m);           \
		p##k += (VD)((VU)p ^ m);           \
	} while (0)
#define SIGNED_OUT(k)                      \
	do {                               \
		upper[1 + (k)] += q##k[l]; \
		lower[1 + (k)] += p##k[l]; \
	} while (0)
#endif

TARGET static bool NAME(fold)(double *num, const uint64_t *turn, size_t n, double big, double next,
			      double upper[1 + SUM_SIGNS], double lower[1 + SUM_SIGNS])
{
	VD q0 = { 0 }, q1 = q0, q2 = q0, q3 = q0, q4 = q0, q5 = q0, q6 = q0, q7 = q0, qs = q0;
	VD p0 = { 0 }, p1 = p0, p2 = p0, p3 = p0, p4 = p0, p5 = p0, p6 = p0, p7 = p0, ps = p0;
	VU rest = { 0 };
	uint64_t left = 0;

	for (size_t i = 0; i < n; i += LANES) {
		VD x = *(const VD *)(num + i);
		VU t = *(const VU *)(turn + i);
		VD q = (x + big) - big, p;

		x -= q;
		p = (x + next) - next;
		x -= p;
		*(VD *)(num + i) = x;
		rest |= (VU)x;
		qs += q;
		ps += p;
		SIGNED(0);
		SIGNED(1);
		SIGNED(2);
		SIGNED(3);
		SIGNED(4);
		SIGNED(5);
		SIGNED(6);
		SIGNED(7);
	}
	for (unsigned k = 0; k <= SUM_SIGNS; k++)
		upper[k] = lower[k] = 0;
	for (unsigned l = 0; l < LANES; l++) {
		upper[0] += qs[l];
		lower[0] += ps[l];
		SIGNED_OUT(0);
		SIGNED_OUT(1);
		SIGNED_OUT(2);
		SIGNED_OUT(3);
		SIGNED_OUT(4);
		SIGNED_OUT(5);
		SIGNED_OUT(6);
		SIGNED_OUT(7);
		left |= rest[l] << 1; /* x - x is +0, but -0 is nothing too */
	}
	return left != 0;
}

/*
 * Quick sums. What is added goes through registers to *to and back; nothing is when a number is not
 * finite, which the sums show.
 */
#ifdef ADD_WITH_SIGN
#define QUICK_SIGN(j) ADD_WITH_SIGN(j, t, s##j, x)
#else
#define QUICK_SIGN(j) s##j += (VD)((VU)x ^ (t << (63 - QUICK_BIT - (j)) & UINT64_C(1) << 63))
#endif
#define QUICK_LOAD                                                                    \
	VU hash = *(VU *)to->hash;                                                    \
	VD sum = *(VD *)to->sum, least = *(VD *)to->least, most = *(VD *)to->most;    \
	VD s0 = *(VD *)to->sign[0], s1 = *(VD *)to->sign[1], s2 = *(VD *)to->sign[2]; \
	VD s3 = *(VD *)to->sign[3], odd

#define QUICK_STEP(numbers, keys)        \
	do {                             \
		VD x = (numbers);        \
		VU k = (keys), t, v;     \
                                         \
		k += LOW_HIGH(k);        \
		k ^= k >> 29;            \
		v = (VU)x + k;           \
		hash += LOW_HIGH(v);     \
		hash += v;               \
		t = LOW_HIGH(k);         \
		sum += x;                \
		QUICK_SIGN(0);           \
		QUICK_SIGN(1);           \
		QUICK_SIGN(2);           \
		QUICK_SIGN(3);           \
		least = LEAST(x, least); \
		most = MOST(x, most);    \
	} while (0)
/* The same of the lanes that `in` has all ones for; the numbers of the others are 0. */
#define QUICK_STEP_SOME(numbers, keys, in)                                   \
	do {                                                                 \
		VD before = least, up = most, x0 = (numbers);                \
		VU hash0 = hash;                                             \
                                                                             \
		QUICK_STEP(x0, keys);                                        \
		hash = hash0 + ((hash - hash0) & (in));                      \
		least = (VD)(((VU)least & (in)) | ((VU)before & ~(in)));     \
		most = (VD)(((VU)most & (in)) | ((VU)up & ~(in)));           \
	} while (0)
#define QUICK_STORE                                  \
	do {                                         \
		odd = sum - sum;                     \
		for (unsigned l = 1; l < LANES; l++) \
			odd[0] += odd[l];            \
		if (odd[0] != 0)                     \
			return false;                \
		*(VU *)to->hash = hash;              \
		*(VD *)to->sum = sum;                \
		*(VD *)to->least = least;            \
		*(VD *)to->most = most;              \
		*(VD *)to->sign[0] = s0;             \
		*(VD *)to->sign[1] = s1;             \
		*(VD *)to->sign[2] = s2;             \
		*(VD *)to->sign[3] = s3;             \
		return true;                         \
	} while (0)

TARGET static bool NAME(quick_row)(const double *num, uint64_t first, uint64_t step, size_t n,
				   struct sum_lanes *to)
{
	size_t i = 0;
	VU key;
	QUICK_LOAD;

	for (unsigned l = 0; l < LANES; l++)
		key[l] = first + l * step;
	for (; i + LANES <= n; i += LANES) {
		QUICK_STEP(*(const NAME(vd_any) *)(num + i), key);
		key += LANES * step;
	}
	if (i < n) {
		VD last = { 0 };
		VU in = *(const NAME(vu_any) *)(first_lanes + 8 - (n - i));

		memcpy(&last, num + i, (n - i) * sizeof *num);
		QUICK_STEP_SOME(last, key, in);
	}
	QUICK_STORE;
}

TARGET static bool NAME(quick_keys)(const double *num, const uint64_t *key, uint64_t off, size_t n,
				    struct sum_lanes *to)
{
	QUICK_LOAD;

	for (size_t i = 0; i < n; i += LANES)
		QUICK_STEP(*(const VD *)(num + i), *(const VU *)(key + i) + off);
	QUICK_STORE;
}

#ifdef ADD_WITH_SIGN
#define QUICK_SIGNED(j) (to->sum[l] - 2 * to->sign[j][l])
#else
#define QUICK_SIGNED(j) (to->sign[j][l])
#endif
static void NAME(quick_end)(const struct sum_lanes *to, struct sum_quick *out)
{
	for (unsigned l = 0; l < LANES; l++) {
		out->hash += to->hash[l];
		out->sum += to->sum[l];
		out->sign[0] += QUICK_SIGNED(0);
		out->sign[1] += QUICK_SIGNED(1);
		out->sign[2] += QUICK_SIGNED(2);
		out->sign[3] += QUICK_SIGNED(3);
		out->least = to->least[l] < out->least ? to->least[l] : out->least;
		out->most = to->most[l] > out->most ? to->most[l] : out->most;
	}
}

#undef QUICK_SIGN
#undef QUICK_SIGNED
#undef QUICK_LOAD
#undef QUICK_STEP
#undef QUICK_STEP_SOME
#undef QUICK_STORE
#undef ADD_WITH_SIGN
#undef SIGNED
#undef SIGNED_OUT
#undef ADD_TURNED
#undef VU
#undef VD
#undef LANES
#undef TARGET
#undef NAME
#undef TIMES
#undef LOW_HIGH
#undef LEAST
#undef MOST
