/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One function a struct for both directions, as XDR does: X_code (c, x) puts x at the end of a
 * buffer, or gets it from the front of one. It is adjacent to buf, below all that has a form on the
 * wire or in files: sets of ranks, arrays, checksums, messages, traces.
 *
 * Putting checks nothing and never writes to x. Getting checks: what does not fit makes the codec
 * fail, as a read past the end and lack of memory do (that is the buffer's `bad`). It fails for
 * good, and yields zeros and empty texts from then on: X_code returns codec_end at its end and need
 * not look before. x is zeroed before it is got. What X_code allocates is in x, also when it fails,
 * and X_clear frees it; the functions that CODEC_PAIR makes do that.
 */
#ifndef DVMDBG_COMMON_CORE_CODEC_H
#define DVMDBG_COMMON_CORE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/buf.h"

struct err;

struct codec {
	struct buf *b; /* borrowed */
	bool get;
	bool no_memory;	 /* it failed for lack of memory */
	struct err *err; /* why a get failed, where more can be said than "damaged"; may be NULL */
};

#define CODEC_PUT(buf) (&(struct codec){ .b = (buf) })
#define CODEC_GET(buf) (&(struct codec){ .b = (buf), .get = true })

static inline bool codec_good(const struct codec *c)
{
	return !c->b->bad;
}

/* Makes it fail; returns -1. */
static inline int codec_fail(struct codec *c)
{
	c->b->bad = true;
	return -1;
}

/* The same, for lack of memory. */
static inline int codec_no_memory(struct codec *c)
{
	c->no_memory = true;
	return codec_fail(c);
}

/* 0, -1: it has failed. */
static inline int codec_end(const struct codec *c)
{
	return c->b->bad ? -1 : 0;
}

/* The same for what fills its frame: nothing may be left. */
int codec_whole(struct codec *c);

/* What must hold of what was got. Looked at only when it was got, and nothing has failed. */
#define codec_check(c, condition)                              \
	do {                                                   \
		if ((c)->get && codec_good(c) && !(condition)) \
			codec_fail(c);                         \
	} while (0)

/* Inline, for the number of bytes is a constant. */
static inline void codec_give(struct codec *c, uint64_t v, unsigned bytes)
{
	switch (bytes) {
	case 1:
		buf_put_u8(c->b, (uint8_t)v);
		break;
	case 2:
		buf_put_u16(c->b, (uint16_t)v);
		break;
	case 4:
		buf_put_u32(c->b, (uint32_t)v);
		break;
	default:
		buf_put_u64(c->b, v);
	}
}

static inline uint64_t codec_take(struct codec *c, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return buf_get_u8(c->b);
	case 2:
		return buf_get_u16(c->b);
	case 4:
		return buf_get_u32(c->b);
	default:
		return buf_get_u64(c->b);
	}
}

void *codec_take_blob(struct codec *c, size_t *n);
uint64_t codec_take_below(struct codec *c, unsigned bytes, uint64_t limit);

/* Numbers, little-endian. *p may be of any integer type. */
#define codec_int(c, p, bytes)                                             \
	do {                                                               \
		if ((c)->get)                                              \
			*(p) = (__typeof__(*(p)))codec_take((c), (bytes)); \
		else                                                       \
			codec_give((c), (uint64_t)(*(p)), (bytes));        \
	} while (0)
#define codec_u8(c, p) codec_int(c, p, 1)
#define codec_u16(c, p) codec_int(c, p, 2)
#define codec_u32(c, p) codec_int(c, p, 4)
#define codec_u64(c, p) codec_int(c, p, 8)
#define codec_i64(c, p) codec_int(c, p, 8)

/* Numbers below a limit, else it fails: kinds, counts of what has a fixed place, flags. */
#define codec_int_below(c, p, bytes, limit)                                               \
	do {                                                                              \
		if ((c)->get)                                                             \
			*(p) = (__typeof__(*(p)))codec_take_below((c), (bytes), (limit)); \
		else                                                                      \
			codec_give((c), (uint64_t)(*(p)), (bytes));                       \
	} while (0)
#define codec_below(c, p, limit) codec_int_below(c, p, 1, limit)
#define codec_u32_below(c, p, limit) codec_int_below(c, p, 4, limit)
#define codec_flag(c, p) codec_int_below(c, p, 1, 2)

/* Seven bits a byte, the lowest first; all but the last byte have the eighth. */
void codec_varint(struct codec *c, uint64_t *v);
void codec_f64(struct codec *c, double *v);
void codec_i64s(struct codec *c, int64_t *v, size_t n);
/* n bytes. */
void codec_bytes(struct codec *c, void *at, size_t n);

/* A text with its NUL; NULL is put as "". What is got is borrowed from the buffer … */
void codec_text(struct codec *c, const char **s);
/* … a copy, owned; NULL when it failed … */
void codec_text_copy(struct codec *c, char **s);
/* … in an array of so many bytes, NUL included; a longer one fails. */
void codec_text_in(struct codec *c, char *to, size_t room);

/* u32 length, then bytes, which are borrowed from the buffer when they are got. */
#define codec_blob(c, p, n)                                                 \
	do {                                                                \
		size_t n_ = *(n);                                           \
		if ((c)->get)                                               \
			*(p) = (__typeof__(*(p)))buf_get_blob((c)->b, &n_); \
		else                                                        \
			buf_put_blob((c)->b, *(p), n_);                     \
		if ((c)->get)                                               \
			*(n) = (__typeof__(*(n)))n_;                        \
	} while (0)

/* u32 length, then bytes, of which a copy is got, owned; *p is not NULL unless it failed. */
#define codec_blob_copy(c, p, n)                          \
	do {                                              \
		if ((c)->get)                             \
			*(p) = codec_take_blob((c), (n)); \
		else                                      \
			buf_put_blob((c)->b, *(p), *(n)); \
	} while (0)

/* A u32 that counts things of `least` bytes or more each: at most `most`, and no more than fit into
 * what is left. 0 when it failed. */
uint32_t codec_take_count(struct codec *c, uint64_t most, size_t least);
/* Zeroed room for n things, also for none, which vec_add may add to; NULL when it failed. */
void *codec_room(struct codec *c, size_t n, size_t size);

/* The count of an array, then, when it is got, the array itself, zeroed and owned. */
#define codec_list(c, list, n, most, least)                                \
	do {                                                               \
		if ((c)->get) {                                            \
			*(n) = codec_take_count((c), (most), (least));     \
			*(list) = codec_room((c), *(n), sizeof(**(list))); \
			if (!*(list))                                      \
				*(n) = 0;                                  \
		} else {                                                   \
			codec_give((c), (uint64_t)(*(n)), 4);              \
		}                                                          \
	} while (0)
/* … and each of them by code (c, &element). */
#define codec_each(c, list, n, most, least, code)                     \
	do {                                                          \
		codec_list(c, list, n, most, least);                  \
		for (size_t i_ = 0; i_ < *(n) && codec_good(c); i_++) \
			code((c), &(*(list))[i_]);                    \
	} while (0)

/*
 * X_put (const struct X *x, struct buf *b) and X_get (struct X *x, struct buf *b) from X_code.
 * X_get overwrites x, and returns 0, or -1 after `clear`, which frees what was allocated in x.
 */
#define CODEC_PAIR(name, clear)                                            \
	static inline void name##_put(const struct name *x, struct buf *b) \
	{                                                                  \
		name##_code(CODEC_PUT(b), (struct name *)x);               \
	}                                                                  \
	static inline int name##_get(struct name *x, struct buf *b)        \
	{                                                                  \
		*x = (struct name){ 0 };                                   \
		if (!name##_code(CODEC_GET(b), x))                         \
			return 0;                                          \
		clear;                                                     \
		return -1;                                                 \
	}

#endif
