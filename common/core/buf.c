/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/buf.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/memory.h"

#define BUF_FIRST 64

struct buf buf_view(const void *data, size_t len)
{
	/* never written through: every put on a view is refused */
	struct buf b = { .data = (unsigned char *)data, .len = len, .cap = len, .view = true };

	return b;
}

void buf_clear(struct buf *b)
{
	if (!b->view)
		free(b->data);
	*b = (struct buf)BUF_INIT;
}

void buf_reset(struct buf *b)
{
	if (b->view) {
		*b = (struct buf)BUF_INIT;
		return;
	}
	b->len = 0;
	b->pos = 0;
	b->bad = false;
}

/* More room, as much as that at least. */
static bool buf_grow(struct buf *b, size_t cap)
{
	unsigned char *data = memory_got(realloc(b->data, cap));

	b->bad = !data;
	if (data) {
		b->data = data;
		b->cap = cap;
	}
	return data;
}

void buf_expect(struct buf *b, size_t len)
{
	size_t cap = b->len + len;

	/* many small ones must not make it grow each time */
	if (!b->bad && !b->view && len <= SIZE_MAX / 2 - b->len && cap > b->cap)
		buf_grow(b, cap > 2 * b->cap ? cap : 2 * b->cap);
}

unsigned char *buf_put_room(struct buf *b, size_t len)
{
	size_t cap = b->cap ? b->cap : BUF_FIRST;
	unsigned char *at;

	if (b->bad || b->view || len > SIZE_MAX / 2 - b->len) {
		b->bad = true;
		return NULL;
	}
	while (cap < b->len + len)
		cap *= 2;
	if (b->len + len > b->cap && !buf_grow(b, cap))
		return NULL;
	at = b->data + b->len;
	b->len += len;
	return at;
}

void buf_put_raw(struct buf *b, const void *data, size_t len)
{
	unsigned char *at;

	if (len == 0)
		return;
	at = buf_put_room(b, len);
	if (at)
		memcpy(at, data, len);
}

static void buf_put_le(struct buf *b, uint64_t v, size_t len)
{
	unsigned char *at = buf_put_room(b, len);

	v = htole64(v);
	if (at)
		memcpy(at, &v, len);
}

void buf_put_u8(struct buf *b, uint8_t v)
{
	buf_put_le(b, v, 1);
}

void buf_put_u16(struct buf *b, uint16_t v)
{
	buf_put_le(b, v, 2);
}

void buf_put_u32(struct buf *b, uint32_t v)
{
	buf_put_le(b, v, 4);
}

void buf_put_u64(struct buf *b, uint64_t v)
{
	buf_put_le(b, v, 8);
}

void buf_put_i64(struct buf *b, int64_t v)
{
	buf_put_le(b, (uint64_t)v, 8);
}

void buf_put_str(struct buf *b, const char *s)
{
	if (!s)
		s = "";
	buf_put_raw(b, s, strlen(s) + 1);
}

void buf_put_blob(struct buf *b, const void *data, size_t len)
{
	if (len > UINT32_MAX) {
		b->bad = true;
		return;
	}
	buf_put_u32(b, (uint32_t)len);
	buf_put_raw(b, data, len);
}

size_t buf_left(const struct buf *b)
{
	return b->bad ? 0 : b->len - b->pos;
}

const void *buf_get_raw(struct buf *b, size_t len)
{
	/* what a read of nothing from an empty buffer borrows */
	static const unsigned char nothing[1];
	const unsigned char *at;

	if (b->bad || len > b->len - b->pos) {
		b->bad = true;
		return NULL;
	}
	at = b->data ? b->data + b->pos : nothing;
	b->pos += len;
	return at;
}

static uint64_t buf_get_le(struct buf *b, size_t len)
{
	const unsigned char *at = buf_get_raw(b, len);
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, len);
	return le64toh(v);
}

uint8_t buf_get_u8(struct buf *b)
{
	return (uint8_t)buf_get_le(b, 1);
}

uint16_t buf_get_u16(struct buf *b)
{
	return (uint16_t)buf_get_le(b, 2);
}

uint32_t buf_get_u32(struct buf *b)
{
	return (uint32_t)buf_get_le(b, 4);
}

uint64_t buf_get_u64(struct buf *b)
{
	return buf_get_le(b, 8);
}

int64_t buf_get_i64(struct buf *b)
{
	return (int64_t)buf_get_le(b, 8);
}

const char *buf_get_str(struct buf *b)
{
	const char *at;
	const char *end = NULL;

	if (buf_left(b) > 0) {
		at = (const char *)b->data + b->pos;
		end = memchr(at, '\0', b->len - b->pos);
	}
	if (!end) {
		b->bad = true;
		return "";
	}
	b->pos += (size_t)(end - at) + 1;
	return at;
}

const void *buf_get_blob(struct buf *b, size_t *len)
{
	uint32_t n = buf_get_u32(b);
	const void *at = buf_get_raw(b, n);

	*len = at ? n : 0;
	return at;
}
