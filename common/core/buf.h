/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A growable byte buffer: written at the end with buf_put_*, read from the front with buf_get_*.
 * Integers travel little-endian. A read past the end or a failed allocation sets `bad`, yields
 * zeros and empty strings, and stays bad: callers check once, after a chain of calls.
 */
#ifndef DVMDBG_COMMON_BUF_H
#define DVMDBG_COMMON_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	unsigned char *data; /* owned unless `view` */
	size_t len, cap, pos;
	bool bad;
	bool view;
};

#define BUF_INIT { 0 }

/* A read-only buffer over bytes that stay the caller's. */
struct buf buf_view(const void *data, size_t len);
/* Frees what it owns and empties it. */
void buf_clear(struct buf *b);
/* Empties it, keeps the memory. */
void buf_reset(struct buf *b);

/* Room for len bytes at the end, counted as written; NULL when there is none. */
unsigned char *buf_put_room(struct buf *b, size_t len);
/* So many bytes will follow: room for them is made at once. */
void buf_expect(struct buf *b, size_t len);
void buf_put_raw(struct buf *b, const void *data, size_t len);
void buf_put_u8(struct buf *b, uint8_t v);
void buf_put_u16(struct buf *b, uint16_t v);
void buf_put_u32(struct buf *b, uint32_t v);
void buf_put_u64(struct buf *b, uint64_t v);
void buf_put_i64(struct buf *b, int64_t v);
/* A string with its NUL; NULL is written as "". */
void buf_put_str(struct buf *b, const char *s);
/* u32 length, then the bytes. */
void buf_put_blob(struct buf *b, const void *data, size_t len);

uint8_t buf_get_u8(struct buf *b);
uint16_t buf_get_u16(struct buf *b);
uint32_t buf_get_u32(struct buf *b);
uint64_t buf_get_u64(struct buf *b);
int64_t buf_get_i64(struct buf *b);
/* Borrowed from the buffer, never NULL. */
const char *buf_get_str(struct buf *b);
/* Borrowed from the buffer; NULL and *len 0 when short. */
const void *buf_get_raw(struct buf *b, size_t len);
const void *buf_get_blob(struct buf *b, size_t *len);
/* Bytes left to read. */
size_t buf_left(const struct buf *b);

#endif
