/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses of our sockets: "unix:/path" and "tcp:host:port" (IPv6 in brackets). Several in one
 * text are separated by blanks, the best first. A connection by TCP is broken when the other host
 * is silent for DVMDBG_PEER_TIMER seconds (environment).
 */
#ifndef DVMDBG_COMMON_NET_NET_H
#define DVMDBG_COMMON_NET_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/buf.h"

struct conn;
struct err;

#define ADDR_TEXT 512

/*
 * Listens; "tcp:host:0" takes a free port, "unix:" paths are made with mode 0600. Writes the
 * address that others can use to actual. Returns a non-blocking, close-on-exec descriptor or -1.
 */
int addr_listen(const char *addr, char actual[ADDR_TEXT], struct err *err);
/*
 * Connects to the first of the addresses that answers within timeout_ms each; a "unix:" path that
 * does not exist here is passed over. Returns a non-blocking, close-on-exec descriptor or -1.
 */
int addr_connect(const char *addrs, int timeout_ms, struct err *err);
/*
 * Takes one waiting connection; refuses Unix-domain peers of another user. -1 with errno EAGAIN
 * when none waits, EPERM when one was refused.
 */
int addr_accept(int fd, struct err *err);

/*
 * Both sides of a connection prove that they know the session's secret (HMAC-SHA-512-256 of both
 * nonces, libsodium's crypto_auth) before the first message.
 */

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

/*
 * Each frame behind the proofs has a tag: who does not know the secret cannot make one, change one,
 * leave one out, or send one again. ChaCha20-Poly1305 (RFC 8439) of the frame as associated data,
 * under a key of this direction of this connection, with the frame's number as the nonce.
 */
#define AUTH_TAG 16

struct auth_frames {
	unsigned char key[32];
	uint64_t n; /* frames so far */
};

/* role: of the side that sends them, as in auth_prove. */
void auth_frames_begin(struct auth_frames *f, const unsigned char secret[AUTH_SECRET], char role,
		       const unsigned char client_nonce[AUTH_NONCE],
		       const unsigned char server_nonce[AUTH_NONCE]);
/* The tag of the next frame. */
void auth_frame_tag(struct auth_frames *f, const void *frame, size_t len,
		    unsigned char tag[AUTH_TAG]);
/* 0 when it is that of the next frame. */
int auth_frame_check(struct auth_frames *f, const void *frame, size_t len,
		     const unsigned char tag[AUTH_TAG]);

/*
 * One connection: a non-blocking descriptor, the proof of the secret, then frames both ways.
 * Used by poll loops: ask conn_events, poll, call conn_io, then conn_recv until it returns 0.
 */

enum conn_role { CONN_CLIENT, CONN_SERVER };

/* Takes fd, also when it fails. NULL and err when out of memory. */
struct conn *conn_create(int fd, enum conn_role role, const unsigned char secret[AUTH_SECRET],
			 struct err *err);
/* Closes; NULL is fine. */
void conn_destroy(struct conn *c);
int conn_fd(const struct conn *c);
/* POLLIN, and POLLOUT while bytes wait to be sent. */
short conn_events(const struct conn *c);
/* Moves what can be moved. -1 when the peer is gone or hostile; what had arrived can still be
 * read. */
int conn_io(struct conn *c, short revents, struct err *err);
/* Both sides have proved the secret. */
bool conn_ready(const struct conn *c);
/* Queues a message (before conn_ready too) and tries to send. -1 when the connection is broken. */
int conn_send(struct conn *c, unsigned type, const struct buf *payload);
/*
 * The next whole message: 1 with *payload a view that lasts until the next call on c; 0 none;
 * -1 hostile bytes.
 */
int conn_recv(struct conn *c, unsigned *type, struct buf *payload, struct err *err);
uint64_t conn_bytes_in(const struct conn *c);
uint64_t conn_bytes_out(const struct conn *c);
/* Bytes waiting to be sent. */
size_t conn_pending(const struct conn *c);
/* Tries for at most timeout_ms to send everything that waits. */
int conn_flush(struct conn *c, int timeout_ms);

#endif
