/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops of struct sum_ops for one instruction set; kernel.c includes this once for each.
 * Given: LANES, TARGET (attribute), NAME(x), and TIMES, LOW_HIGH, LEAST and MOST as told there; may
 * be given: ADD_TURNED. No guard. All that is added here is exact, so the number of lanes changes
 * no bit.
 */
typedef uint64_t NAME(vu) __attribute__((vector_size(8 * LANES), may_alias));
typedef uint64_t NAME(vu_any) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef double NAME(vd) __attribute__((vector_size(8 * LANES), may_alias));
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
