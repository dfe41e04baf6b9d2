/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tracefile/tracefile.h"

#include <sodium.h>
#include <zstd.h>

size_t pack_bound(size_t n)
{
	return ZSTD_compressBound(n);
}

size_t pack_bytes(void *out, size_t room, const void *in, size_t n, int level)
{
	size_t len = ZSTD_compress(out, room, in, n, level);

	return ZSTD_isError(len) ? 0 : len;
}

int pack_undo(void *out, size_t n, const void *in, size_t m)
{
	return ZSTD_decompress(out, n, in, m) == n ? 0 : -1;
}

void pack_hash(unsigned char out[PACK_HASH], const void *a, size_t na, const void *b, size_t nb)
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, PACK_HASH);
	if (na)
		crypto_generichash_update(&state, a, na);
	if (nb)
		crypto_generichash_update(&state, b, nb);
	crypto_generichash_final(&state, out, PACK_HASH);
}
