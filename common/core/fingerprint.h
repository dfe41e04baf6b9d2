/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 16 bytes that represent many, to find whether two objects are equal; not against malice.
 * doc/TRACE.md says how it is made.
 */
#ifndef DVMDBG_COMMON_FINGERPRINT_H
#define DVMDBG_COMMON_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#define FINGERPRINT_BYTES 16

/* Zeroed: of nothing so far. */
struct fingerprint {
	uint64_t a, b;
	uint64_t word;	/* bytes that wait for being eight, the first in the lowest place */
	uint64_t count; /* bytes so far */
};

/* Bytes can come in any portions. */
void fingerprint_add(struct fingerprint *f, const void *data, size_t n);
void fingerprint_end(struct fingerprint *f, unsigned char out[FINGERPRINT_BYTES]);

#endif
