/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One connection: a non-blocking descriptor, the proof of the secret, then frames both ways.
 * Used by poll loops: ask conn_events, poll, call conn_io, then conn_recv until it returns 0.
 */
#ifndef DVMDBG_COMMON_CONN_H
#define DVMDBG_COMMON_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/net/auth.h"
#include "common/core/buf.h"

struct conn;
struct err;

enum conn_role { CONN_CLIENT, CONN_SERVER };

/* Takes fd, also when it fails. NULL and err when out of memory. */
struct conn *conn_create(int fd, enum conn_role role, const unsigned char secret[AUTH_SECRET],
			 struct err *err);
/* Closes; NULL is fine. */
void conn_destroy(struct conn *c);
int conn_fd(const struct conn *c);
/* POLLIN, and POLLOUT while bytes wait to be sent. */
short conn_events(const struct conn *c);
/* Moves what can be moved. -1 when the peer is gone or hostile; what had arrived can still be read. */
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
