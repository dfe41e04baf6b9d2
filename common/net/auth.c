/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/net/net.h"

#include <sodium.h>
#include <string.h>

#include "common/core/err.h"

_Static_assert(AUTH_SECRET == crypto_auth_KEYBYTES, "the secret is the key");
_Static_assert(AUTH_PROOF == crypto_auth_BYTES, "the proof is the authentication tag");
_Static_assert(AUTH_TAG == crypto_aead_chacha20poly1305_ietf_ABYTES, "the tag is all there is");
_Static_assert(sizeof((struct auth_frames){ { 0 }, 0 }.key) ==
		       crypto_aead_chacha20poly1305_ietf_KEYBYTES,
	       "the key is one of that");

/* What is proved: these words, the role, then both nonces. */
#define PROOF_WORDS "dvmdbg proof"
#define FRAME_WORDS "dvmdbg frame" /* and the key of frames is made of these */

struct auth_text {
	unsigned char words[sizeof(PROOF_WORDS)];
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
	struct auth_text t = { .words = PROOF_WORDS, .role = (unsigned char)role };

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

void auth_frames_begin(struct auth_frames *f, const unsigned char secret[AUTH_SECRET], char role,
		       const unsigned char client_nonce[AUTH_NONCE],
		       const unsigned char server_nonce[AUTH_NONCE])
{
	struct auth_text t = auth_text(role, client_nonce, server_nonce);

	memcpy(t.words, FRAME_WORDS, sizeof(FRAME_WORDS));
	crypto_auth(f->key, (const unsigned char *)&t, sizeof(t), secret);
	f->n = 0;
}

/* The number of the next frame, as a nonce that is used once. */
static void next_nonce(struct auth_frames *f,
		       unsigned char nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES])
{
	uint64_t n = f->n++;

	memset(nonce, 0, crypto_aead_chacha20poly1305_ietf_NPUBBYTES);
	for (unsigned i = 0; i < 8; i++)
		nonce[i] = (unsigned char)(n >> 8 * i);
}

void auth_frame_tag(struct auth_frames *f, const void *frame, size_t len,
		    unsigned char tag[AUTH_TAG])
{
	unsigned char nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES], none[1] = { 0 };

	next_nonce(f, nonce);
	crypto_aead_chacha20poly1305_ietf_encrypt_detached(none, tag, NULL, none, 0, frame, len,
							   NULL, nonce, f->key);
}

int auth_frame_check(struct auth_frames *f, const void *frame, size_t len,
		     const unsigned char tag[AUTH_TAG])
{
	unsigned char nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES], none[1] = { 0 };

	next_nonce(f, nonce);
	return crypto_aead_chacha20poly1305_ietf_decrypt_detached(none, NULL, none, 0, tag, frame,
								  len, nonce, f->key);
}
