/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames: "DVMW", u16 version, u16 type, u32 length, then the payload, behind the handshake then a
 * tag (conn.c), which the length does not count. A hostile frame (another magic, version, type or a
 * length over the limit) is an error of the connection, never of the process.
 */
#ifndef DVMDBG_COMMON_NET_INTERNAL_H
#define DVMDBG_COMMON_NET_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "common/core/buf.h"
#include "common/net/net.h"

struct err;

#define WIRE_HEADER 12
#define WIRE_MAX (256u << 20) /* a frame of a peer that has proved who it is */
#define WIRE_MAX_EARLY 256u   /* before that */

/* Frames of the handshake (conn.c), beside the messages of protocol/msg_list.h. */
enum wire_type {
	WIRE_NONCE = 100, /* AUTH_NONCE bytes */
	WIRE_PROOF = 101, /* AUTH_PROOF bytes */
};

/* Appends one frame to out. */
void wire_put(struct buf *out, unsigned type, const void *payload, size_t len);
/*
 * Looks at the bytes at in->pos: 1 and *type, *payload (borrowed from in), *len, with in->pos moved
 * behind the frame; 0 when the frame is not whole yet; -1 and err when it is hostile.
 */
int wire_get(struct buf *in, size_t max, unsigned *type, const void **payload, size_t *len,
	     struct err *err);

#endif
