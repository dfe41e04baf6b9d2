/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compressed blocks with a hash, as references and traces keep them: zstd frames, BLAKE2b. Never in
 * programs: it is in libtrace.la, not in libcommon.la.
 */
#ifndef DVMDBG_COMMON_PACK_H
#define DVMDBG_COMMON_PACK_H

#include <stddef.h>

#define PACK_HASH 16

/* Bytes that n bytes take at the most. */
size_t pack_bound(size_t n);
/* Compresses; the bytes written, 0: no memory. Level 1 … 9. */
size_t pack_bytes(void *out, size_t room, const void *in, size_t n, int level);
/* Decompresses m bytes that anybody may have made; -1 unless they are exactly n. */
int pack_undo(void *out, size_t n, const void *in, size_t m);
/* Of what lies in two places, one after the other. */
void pack_hash(unsigned char out[PACK_HASH], const void *a, size_t na, const void *b, size_t nb);

#endif
