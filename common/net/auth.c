/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/net/net.h"

#include <sodium.h>
#include <string.h>

#include "common/core/err.h"

_Static_assert(AUTH_SECRET == crypto_auth_KEYBYTES, "the secret is the key");
_Static_assert(AUTH_PROOF == crypto_auth_BYTES, "the proof is the authentication tag");

/* What is proved: these words, the role, then both nonces. */
#define AUTH_TAG "dvmdbg proof"

struct auth_text {
	unsigned char tag[sizeof(AUTH_TAG)];
	unsigned char role;
	unsigned char client[AUTH_NONCE], server[AUTH_NONCE];
};

int auth_init(struct err *err)
{
	if (sodium_init() < 0)
		return err_set(err, "libsodium cannot be initialised");
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
	size_t len;

	/* the text is not repeated in the error: it may be nearly the secret */
	if (strlen(hex) != AUTH_HEX - 1 ||
	    sodium_hex2bin(secret, AUTH_SECRET, hex, AUTH_HEX - 1, NULL, &len, NULL) < 0 ||
	    len != AUTH_SECRET)
		return err_set(err, "the session's secret must be %d hexadecimal digits",
			       AUTH_HEX - 1);
	return 0;
}

static struct auth_text auth_text(char role, const unsigned char *client,
				  const unsigned char *server)
{
	struct auth_text t = { .tag = AUTH_TAG, .role = (unsigned char)role };

	memcpy(t.client, client, AUTH_NONCE);
	memcpy(t.server, server, AUTH_NONCE);
	return t;
}

void auth_prove(unsigned char proof[AUTH_PROOF], const unsigned char secret[AUTH_SECRET], char role,
		const unsigned char client_nonce[AUTH_NONCE],
		const unsigned char server_nonce[AUTH_NONCE])
{
	struct auth_text t = auth_text(role, client_nonce, server_nonce);

	crypto_auth(proof, (const unsigned char *)&t, sizeof(t), secret);
}

int auth_check(const unsigned char proof[AUTH_PROOF], const unsigned char secret[AUTH_SECRET],
	       char role, const unsigned char client_nonce[AUTH_NONCE],
	       const unsigned char server_nonce[AUTH_NONCE])
{
	struct auth_text t = auth_text(role, client_nonce, server_nonce);

	return crypto_auth_verify(proof, (const unsigned char *)&t, sizeof(t), secret);
}
