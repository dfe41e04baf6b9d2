/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/checksum/checksum.h"

#include <math.h>
#include <string.h>

#define DIGIT_BITS 32
#define MANTISSA 53

void sum_touch(struct sum *s, unsigned low, unsigned high)
{
	if (low < s->low)
		s->low = low;
	if (high > s->high)
		s->high = high;
}

void sum_deposit(struct sum *s, size_t slot, double v)
{
	uint64_t bits, mantissa;
	unsigned field, place, i;
	unsigned __int128 wide;
	int64_t *at;

	memcpy(&bits, &v, sizeof bits);
	field = bits >> 52 & 0x7ff;
	mantissa = bits & ((UINT64_C(1) << 52) - 1);
	if (field)
		mantissa |= UINT64_C(1) << 52;
	else
		field = 1;
	if (!mantissa)
		return;
	place = field - 1075 - SUM_LOW; /* of the mantissa's last bit */
	wide = (unsigned __int128)mantissa << place % DIGIT_BITS;
	i = place / DIGIT_BITS;
	sum_touch(s, i, i + 3);
	at = s->digit + i * s->slots + slot;
	for (unsigned k = 0; k < 3; k++, at += s->slots) {
		int64_t part = (int64_t)(wide & 0xffffffff);

		*at += bits >> 63 ? -part : part;
		wide >>= DIGIT_BITS;
	}
}

/* The sum of a and b, and what rounding it has lost (Knuth: The Art of Computer Programming
 * 2, 4.2.2). */
void sum_round_add(struct sum *s, size_t slot, double v)
{
	double *at = s->rounded[slot], sum = at[0] + v, part = sum - at[0];

	if (isfinite(sum))
		at[1] += (at[0] - (sum - part)) + (v - part);
	at[0] = sum;
}

double sum_rounded(const struct sum *s, size_t slot)
{
	return s->rounded[slot][0] + s->rounded[slot][1];
}

/* All digits but those from low to high - 1 are 0. */
static void settle(int64_t digit[SUM_DIGITS], unsigned low, unsigned high)
{
	int64_t carry = 0;

	for (unsigned i = low; i < high || (carry && i < SUM_DIGITS); i++) {
		int64_t sum = digit[i] + carry;
		int64_t own = (int32_t)(uint32_t)(uint64_t)sum;

		carry = (int64_t)(((__int128)sum - own) >> DIGIT_BITS);
		digit[i] = own;
	}
	/* a sum of 2^64 numbers does not get here; forged digits may, and lose what is above */
}

void sum_settle(int64_t digit[SUM_DIGITS])
{
	settle(digit, 0, SUM_DIGITS);
}

void sum_take(const struct sum *s, size_t slot, int64_t digit[SUM_DIGITS])
{
	memset(digit, 0, SUM_DIGITS * sizeof *digit);
	for (unsigned i = s->low; i < s->high; i++)
		digit[i] = s->digit[i * s->slots + slot];
	settle(digit, s->low, s->high);
}

void sum_reserve(struct sum *s, uint64_t load)
{
	int64_t digit[SUM_DIGITS];

	s->load_count += load;
	if (s->load_count <= SUM_LOAD)
		return;
	for (size_t slot = 0; slot < s->slots; slot++) {
		sum_take(s, slot, digit);
		for (unsigned i = s->low; i < SUM_DIGITS; i++) {
			if (digit[i])
				sum_touch(s, i, i + 1);
			s->digit[i * s->slots + slot] = digit[i];
		}
	}
	s->load_count = load + 1;
}

/*
 * |digit| / by as digits 0 … 2^32 - 1. Returns whether it is below zero; *sticky is set when the
 * quotient is not the whole of it.
 */
static bool divide(const int64_t digit[SUM_DIGITS], uint64_t by, uint32_t out[SUM_DIGITS],
		   bool *sticky)
{
	unsigned top = SUM_DIGITS;
	unsigned __int128 rest = 0;
	int64_t carry = 0;
	bool minus;

	while (top > 0 && !digit[top - 1])
		top--;
	minus = top > 0 && digit[top - 1] < 0;
	for (unsigned i = 0; i < SUM_DIGITS; i++) {
		int64_t sum = (minus ? -digit[i] : digit[i]) + carry;

		out[i] = (uint32_t)(uint64_t)sum;
		carry = sum >> DIGIT_BITS;
	}
	for (unsigned i = SUM_DIGITS; by > 1 && i-- > 0;) {
		rest = rest << DIGIT_BITS | out[i];
		out[i] = (uint32_t)(rest / by);
		rest %= by;
	}
	*sticky = rest != 0;
	return minus;
}

/* n <= 64 bits from bit `low` on. */
static uint64_t bits_at(const uint32_t digit[SUM_DIGITS], unsigned low, unsigned n)
{
	unsigned __int128 wide = 0;
	unsigned first = low / DIGIT_BITS;

	for (unsigned i = 0; i < 3 && first + i < SUM_DIGITS; i++)
		wide |= (unsigned __int128)digit[first + i] << DIGIT_BITS * i;
	wide >>= low % DIGIT_BITS;
	return n < 64 ? (uint64_t)wide & ((UINT64_C(1) << n) - 1) : (uint64_t)wide;
}

static bool any_below(const uint32_t digit[SUM_DIGITS], unsigned high)
{
	for (unsigned i = 0; i < high / DIGIT_BITS; i++)
		if (digit[i])
			return true;
	return bits_at(digit, high / DIGIT_BITS * DIGIT_BITS, high % DIGIT_BITS) != 0;
}

double sum_round(const int64_t digit[SUM_DIGITS], uint64_t by)
{
	const unsigned floor = -1074 - SUM_LOW; /* the last place of denormal numbers */
	uint32_t quotient[SUM_DIGITS];
	bool sticky, minus = divide(digit, by, quotient, &sticky);
	unsigned top = SUM_DIGITS, low;
	uint64_t mantissa, bits;
	double v;

	while (top > 0 && !quotient[top - 1])
		top--;
	if (top > 0)
		top = top * DIGIT_BITS - (unsigned)__builtin_clz(quotient[top - 1]);
	low = top > floor + MANTISSA ? top - MANTISSA : floor;
	mantissa = top > low ? bits_at(quotient, low, top - low) : 0;
	sticky = sticky || any_below(quotient, low - 1);
	if (bits_at(quotient, low - 1, 1) && (sticky || mantissa & 1))
		mantissa++; /* to 2^53 at most, which the next line carries over */
	/* the leading bit of the mantissa, where there is one, completes the exponent */
	bits = ((uint64_t)(low - floor) << 52) + mantissa;
	if (bits > UINT64_C(0x7ff) << 52)
		bits = UINT64_C(0x7ff) << 52;
	if (mantissa && minus)
		bits |= UINT64_C(1) << 63;
	memcpy(&v, &bits, sizeof v);
	return v;
}
