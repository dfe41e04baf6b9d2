/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of tags. Reals are whole numbers from 2^52 on, or in single precision from 2^17 to 2^25
 * with the half as their sign: no arithmetic with them fails. Integers are large and positive.
 */
#include "common/tags/tags.h"

#include <string.h>

#include "common/array/value.h"

#define BITS 52
#define MASK ((UINT64_C(1) << BITS) - 1)
#define STEP UINT64_C(0x9e3779b97f4a7c15)
#define HALF 26
#define HALF_MASK ((UINT32_C(1) << HALF) - 1)
#define REAL (UINT64_C(0x433) << BITS)
#define SINGLE_LOW 0x48000000u /* exponents 0x90 to 0x97 */
#define LONG_HIGH (UINT64_C(0x5a7) << BITS)
#define INT_HIGH 0x58000000u /* 01011, then the number of the half */
#define INT_HALF 0x04000000u

/* With MASK, the number that times STEP is 1: each step doubles the bits that are right. */
static uint64_t inverse(void)
{
	uint64_t x = STEP;

	for (int i = 0; i < 5; i++)
		x *= 2 - STEP * x;
	return x;
}

uint64_t tag_bits(const struct tag *t)
{
	uint64_t x = ((uint64_t)t->rank << 40 | (uint64_t)t->array << 32 | t->at) + 1;

	for (int i = 0; i < 2; i++) {
		x = x * STEP & MASK;
		x ^= x >> (BITS / 2);
	}
	return x;
}

bool tag_of_bits(uint64_t bits, struct tag *t)
{
	uint64_t x = bits & MASK;

	for (int i = 0; i < 2; i++) {
		x ^= x >> (BITS / 2);
		x = x * inverse() & MASK;
	}
	x = (x - 1) & MASK;
	*t = (struct tag){ (uint32_t)(x >> 40), (uint32_t)(x >> 32) & 0xff, x & 0xffffffffu };
	return t->rank < TAGS_RANKS;
}

bool tag_is_integer(unsigned type)
{
	return type < VALUE_TYPES && type != VALUE_POINTER && value_size(type) >= 4 &&
	       (value_class(type) == VALUE_IS_INT || value_class(type) == VALUE_IS_UINT);
}

enum tag_way tag_way(unsigned type)
{
	if (type == VALUE_FLOAT)
		return TAG_HALVES;
	if (type == VALUE_DOUBLE || type == VALUE_DCOMPLEX || type == VALUE_FCOMPLEX)
		return TAG_WHOLE;
	if (!tag_is_integer(type))
		return TAG_NONE;
	return value_size(type) == 8 ? TAG_WHOLE : TAG_HALVES;
}

static uint32_t single(uint32_t bits, unsigned half)
{
	return SINGLE_LOW | bits | half << 31;
}

static bool single_load(uint32_t v, uint32_t *bits, unsigned *half)
{
	*bits = v & HALF_MASK;
	*half = v >> 31;
	return (v & 0x7fffffffu & ~HALF_MASK) == SINGLE_LOW;
}

void tag_store(unsigned type, void *to, uint64_t bits, unsigned half)
{
	uint64_t word = REAL | bits, words[2] = { word, word };
	uint32_t pair[2] = { single(tag_half(bits, 0), 0), single(tag_half(bits, 1), 1) };
	uint32_t small = INT_HIGH | half * INT_HALF | tag_half(bits, half);

	switch (type) {
	case VALUE_DOUBLE:
		memcpy(to, &word, sizeof(word));
		break;
	case VALUE_DCOMPLEX:
		memcpy(to, words, sizeof(words));
		break;
	case VALUE_FCOMPLEX:
		memcpy(to, pair, sizeof(pair));
		break;
	case VALUE_FLOAT:
		memcpy(to, &pair[half], sizeof(*pair));
		break;
	default:
		word = LONG_HIGH | bits;
		if (value_size(type) == sizeof(word))
			memcpy(to, &word, sizeof(word));
		else
			memcpy(to, &small, sizeof(small));
	}
}

bool tag_load(unsigned type, const void *from, uint64_t *bits)
{
	uint32_t pair[2], part[2];
	unsigned half[2];
	uint64_t word;

	if (type == VALUE_FCOMPLEX) {
		memcpy(pair, from, sizeof(pair));
		if (!single_load(pair[0], &part[0], &half[0]) || half[0] ||
		    !single_load(pair[1], &part[1], &half[1]) || !half[1])
			return false;
		*bits = tag_join(part[0], part[1]);
		return true;
	}
	memcpy(&word, from, sizeof(word));
	*bits = word & MASK;
	return (word & ~MASK) == (tag_is_integer(type) ? LONG_HIGH : REAL);
}

bool tag_load_half(unsigned type, const void *from, uint32_t *bits, unsigned *half)
{
	uint32_t v;

	memcpy(&v, from, sizeof(v));
	if (type == VALUE_FLOAT)
		return single_load(v, bits, half);
	*bits = v & HALF_MASK;
	*half = (v & INT_HALF) != 0;
	return (v & ~HALF_MASK & ~INT_HALF) == INT_HIGH;
}

uint32_t tag_half(uint64_t bits, unsigned half)
{
	return (uint32_t)(bits >> (half ? HALF : 0)) & HALF_MASK;
}

uint64_t tag_join(uint32_t half0, uint32_t half1)
{
	return (uint64_t)half1 << HALF | half0;
}
