/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both sides of a connection prove that they know the session's secret (HMAC-SHA-512-256 of both
 * nonces, libsodium's crypto_auth) before the first message.
 */
#ifndef DVMDBG_COMMON_AUTH_H
#define DVMDBG_COMMON_AUTH_H

#include <stddef.h>

struct err;

#define AUTH_SECRET 32
#define AUTH_NONCE 32
#define AUTH_PROOF 32
#define AUTH_HEX (2 * AUTH_SECRET + 1)

int auth_init(struct err *err);
void auth_random(void *out, size_t len);
void auth_secret_to_hex(const unsigned char secret[AUTH_SECRET], char hex[AUTH_HEX]);
int auth_secret_from_hex(unsigned char secret[AUTH_SECRET], const char *hex, struct err *err);
/* role: 'C' for the side that connected, 'S' for the other. */
void auth_prove(unsigned char proof[AUTH_PROOF], const unsigned char secret[AUTH_SECRET], char role,
		const unsigned char client_nonce[AUTH_NONCE],
		const unsigned char server_nonce[AUTH_NONCE]);
/* 0 when the proof is right, in constant time. */
int auth_check(const unsigned char proof[AUTH_PROOF], const unsigned char secret[AUTH_SECRET],
	       char role, const unsigned char client_nonce[AUTH_NONCE],
	       const unsigned char server_nonce[AUTH_NONCE]);

#endif
