/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/fingerprint.h"

static void mix(struct fingerprint *f, uint64_t word)
{
	f->a = (f->a ^ word) * 0x9e3779b97f4a7c15u;
	f->a ^= f->a >> 32;
	f->b = (f->b + word) * 0xd1342543de82ef95u;
	f->b ^= f->b >> 29;
}

void fingerprint_add(struct fingerprint *f, const void *data, size_t n)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++) {
		f->word |= (uint64_t)p[i] << (f->count % 8 * 8);
		if (++f->count % 8)
			continue;
		mix(f, f->word);
		f->word = 0;
	}
}

void fingerprint_end(struct fingerprint *f, unsigned char out[FINGERPRINT_BYTES])
{
	mix(f, f->word);
	mix(f, f->count);
	for (unsigned i = 0; i < 8; i++) {
		out[i] = (unsigned char)(f->a >> (8 * i));
		out[i + 8] = (unsigned char)(f->b >> (8 * i));
	}
}
