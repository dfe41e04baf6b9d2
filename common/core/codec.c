/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/core/codec.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/vec.h"

int codec_whole(struct codec *c)
{
	if (c->get && buf_left(c->b))
		return codec_fail(c);
	return codec_end(c);
}

uint64_t codec_take_below(struct codec *c, unsigned bytes, uint64_t limit)
{
	uint64_t v = codec_take(c, bytes);

	if (v < limit)
		return v;
	codec_fail(c);
	return 0;
}

static uint64_t varint_take(struct codec *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = buf_get_u8(c->b);

		if (!codec_good(c) || (shift == 63 && byte > 1)) {
			codec_fail(c);
			return 0;
		}
		v |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return v;
	}
}

void codec_varint(struct codec *c, uint64_t *v)
{
	uint64_t left;

	if (c->get) {
		*v = varint_take(c);
		return;
	}
	for (left = *v; left > 127; left >>= 7)
		buf_put_u8(c->b, (uint8_t)(left | 128));
	buf_put_u8(c->b, (uint8_t)left);
}

void codec_f64(struct codec *c, double *v)
{
	uint64_t bits;

	if (!c->get)
		memcpy(&bits, v, sizeof(bits));
	codec_u64(c, &bits);
	if (c->get)
		memcpy(v, &bits, sizeof(bits));
}

void codec_i64s(struct codec *c, int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		codec_i64(c, &v[i]);
}

void codec_bytes(struct codec *c, void *at, size_t n)
{
	const void *from;

	if (!c->get) {
		buf_put_raw(c->b, at, n);
		return;
	}
	from = buf_get_raw(c->b, n);
	if (from && n)
		memcpy(at, from, n);
}

void codec_text(struct codec *c, const char **s)
{
	if (c->get)
		*s = buf_get_str(c->b);
	else
		buf_put_str(c->b, *s);
}

void codec_text_copy(struct codec *c, char **s)
{
	const char *text;

	if (!c->get) {
		buf_put_str(c->b, *s);
		return;
	}
	text = buf_get_str(c->b);
	*s = codec_good(c) ? memory_got(strdup(text)) : NULL;
	if (!*s && codec_good(c))
		codec_no_memory(c);
}

void codec_text_in(struct codec *c, char *to, size_t room)
{
	const char *text;
	size_t len;

	if (!c->get) {
		buf_put_str(c->b, to);
		return;
	}
	text = buf_get_str(c->b);
	len = strlen(text);
	if (len < room)
		memcpy(to, text, len + 1);
	else
		codec_fail(c);
}

void *codec_take_blob(struct codec *c, size_t *n)
{
	const void *from = buf_get_blob(c->b, n);
	void *copy = from ? memory_got(malloc(*n ? *n : 1)) : NULL;

	if (copy && *n)
		memcpy(copy, from, *n);
	if (!copy && from)
		codec_no_memory(c);
	return copy;
}

uint32_t codec_take_count(struct codec *c, uint64_t most, size_t least)
{
	uint32_t n = buf_get_u32(c->b);

	if (n <= most && n <= buf_left(c->b) / least)
		return n;
	codec_fail(c);
	return 0;
}

void *codec_room(struct codec *c, size_t n, size_t size)
{
	void *room = codec_good(c) ? vec_extend(NULL, 0, n ? n : 1, size) : NULL;

	if (room)
		memset(room, 0, n * size);
	else if (codec_good(c))
		codec_no_memory(c);
	return room;
}
