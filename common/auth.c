/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/auth.h"

#include <sodium.h>
#include <string.h>

#include "common/err.h"

_Static_assert(AUTH_SECRET == crypto_auth_KEYBYTES, "a secret is a key of crypto_auth");
_Static_assert(AUTH_PROOF == crypto_auth_BYTES, "a proof is a tag of crypto_auth");

/* Call once before the others. */
int auth_init(struct err *err)
{
	if (sodium_init() < 0)
		return err_set(err, "libsodium cannot start (no source of random numbers)");
	return 0;
}

void auth_random(void *out, size_t len)
{
	randombytes_buf(out, len);
}

void auth_secret_to_hex(const unsigned char secret[AUTH_SECRET], char hex[AUTH_HEX])
{
	sodium_bin2hex(hex, AUTH_HEX, secret, AUTH_SECRET);
}

int auth_secret_from_hex(unsigned char secret[AUTH_SECRET], const char *hex, struct err *err)
{
	size_t n = 0;
	if (strlen(hex) != AUTH_HEX - 1 ||
	    sodium_hex2bin(secret, AUTH_SECRET, hex, AUTH_HEX - 1, NULL, &n, NULL) != 0 ||
	    n != AUTH_SECRET)
		return err_set(err, "a secret is %d hexadecimal digits", AUTH_HEX - 1);
	return 0;
}

/* What a side signs: its role and both nonces, so that a proof cannot be sent back to its maker. */
static void statement(unsigned char text[1 + 2 * AUTH_NONCE], char role,
		      const unsigned char *client_nonce, const unsigned char *server_nonce)
{
	text[0] = (unsigned char)role;
	memcpy(text + 1, client_nonce, AUTH_NONCE);
	memcpy(text + 1 + AUTH_NONCE, server_nonce, AUTH_NONCE);
}

void auth_prove(unsigned char proof[AUTH_PROOF], const unsigned char secret[AUTH_SECRET], char role,
		const unsigned char client_nonce[AUTH_NONCE],
		const unsigned char server_nonce[AUTH_NONCE])
{
	unsigned char text[1 + 2 * AUTH_NONCE];
	statement(text, role, client_nonce, server_nonce);
	crypto_auth(proof, text, sizeof(text), secret);
}

int auth_check(const unsigned char proof[AUTH_PROOF], const unsigned char secret[AUTH_SECRET],
	       char role, const unsigned char client_nonce[AUTH_NONCE],
	       const unsigned char server_nonce[AUTH_NONCE])
{
	unsigned char text[1 + 2 * AUTH_NONCE];
	statement(text, role, client_nonce, server_nonce);
	return crypto_auth_verify(proof, text, sizeof(text), secret);
}
