/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/wire.h"

#include <string.h>

#include "common/err.h"
#include "common/msg_list.h"

static const char magic[4] = { 'D', 'V', 'M', 'W' };

/* The word for a message type; "?" for none. */
const char *msg_name(unsigned type)
{
	switch (type) {
#define X(name, number, direction, what)                                                           \
	case number:                                                                               \
		return #name;
		MSG_LIST(X)
#undef X
	}
	return "?";
}

/* Appends one frame. */
void wire_put(struct buf *out, unsigned type, const void *payload, size_t len)
{
	buf_put_raw(out, magic, sizeof(magic));
	buf_put_u16(out, WIRE_VERSION);
	buf_put_u16(out, (uint16_t)type);
	buf_put_u32(out, (uint32_t)len);
	buf_put_raw(out, payload, len);
}

/* 1 a frame, 0 not whole yet, -1 hostile. */
int wire_get(struct buf *in, size_t max, unsigned *type, const void **payload, size_t *len,
	     struct err *err)
{
	size_t left = buf_left(in);
	size_t shown = left < sizeof(magic) ? left : sizeof(magic);
	if (shown > 0 && memcmp(in->data + in->pos, magic, shown) != 0)
		return err_set(err, "these bytes are not a dvmdbg frame");
	if (left < WIRE_HEADER)
		return 0;
	struct buf head = buf_view(in->data + in->pos, WIRE_HEADER);
	buf_get_raw(&head, sizeof(magic));
	unsigned version = buf_get_u16(&head);
	unsigned got = buf_get_u16(&head);
	size_t n = buf_get_u32(&head);
	if (version != WIRE_VERSION)
		return err_set(err, "wire version %u, this side speaks %u", version, WIRE_VERSION);
	if (n > max)
		return err_set(err, "a frame of %zu bytes, at most %zu are allowed", n, max);
	if (left < WIRE_HEADER + n)
		return 0;
	buf_get_raw(in, WIRE_HEADER);
	*type = got;
	*len = n;
	*payload = n > 0 ? buf_get_raw(in, n) : "";
	return 1;
}
