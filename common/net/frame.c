/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/net/internal.h"

#include <stdbool.h>
#include <string.h>

#include "common/core/err.h"
#include "common/protocol/msg_list.h"

static const unsigned char wire_magic[4] = { 'D', 'V', 'M', 'W' };

static bool type_known(unsigned type)
{
	switch (type) {
	case WIRE_NONCE:
	case WIRE_PROOF:
#define X(name, number, direction, what) case number:
		MSG_LIST(X)
#undef X
		return true;
	default:
		return false;
	}
}

/* No codec: wire_get looks at bytes that may still be incomplete, and reports each wrong field. */
void wire_put(struct buf *out, unsigned type, const void *payload, size_t len)
{
	if (len > WIRE_MAX) {
		out->bad = true;
		return;
	}
	buf_expect(out, WIRE_HEADER + len + AUTH_TAG);
	buf_put_raw(out, wire_magic, sizeof(wire_magic));
	buf_put_u16(out, WIRE_VERSION);
	buf_put_u16(out, (uint16_t)type);
	buf_put_u32(out, (uint32_t)len);
	buf_put_raw(out, payload, len);
}

int wire_get(struct buf *in, size_t max, unsigned *type, const void **payload, size_t *len,
	     struct err *err)
{
	size_t left = buf_left(in);
	size_t magic = left < sizeof(wire_magic) ? left : sizeof(wire_magic);
	struct buf head;
	unsigned version, t;
	uint32_t n;

	/* a wrong beginning is refused even when no more of it ever comes */
	if (magic && memcmp(in->data + in->pos, wire_magic, magic))
		return err_set(err, "the bytes are not those of dvmdbg");
	if (left < WIRE_HEADER)
		return 0;
	head = buf_view(in->data + in->pos + sizeof(wire_magic), WIRE_HEADER - sizeof(wire_magic));
	version = buf_get_u16(&head);
	t = buf_get_u16(&head);
	n = buf_get_u32(&head);
	if (version != WIRE_VERSION)
		return err_set(err, "a frame has version %u, this dvmdbg speaks version %d",
			       version, WIRE_VERSION);
	if (!type_known(t))
		return err_set(err, "a frame has the unknown type %u", t);
	if (n > max)
		return err_set(err, "a frame has %u bytes, at most %zu are allowed", n, max);
	if (left - WIRE_HEADER < n)
		return 0;
	in->pos += WIRE_HEADER;
	*type = t;
	*len = n;
	*payload = buf_get_raw(in, n);
	return 1;
}
