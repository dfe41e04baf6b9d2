/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames: a stream of them, cut where the second byte says. The first byte chooses the limit. */
#include "tests/fuzz/fuzz.h"

#include "common/core/err.h"
#include "common/protocol/msg_list.h"
#include "common/net/internal.h"

/* Reads frames until no more is whole; each must be made of the same bytes again. */
static void frames(const uint8_t *data, size_t size, size_t max)
{
	struct buf in = buf_view(data, size), again = BUF_INIT;
	struct err err = { "" };
	const void *payload;
	unsigned type;
	size_t len, at;
	int rc;

	for (;;) {
		at = in.pos;
		rc = wire_get(&in, max, &type, &payload, &len, &err);
		if (rc != 1)
			break;
		FUZZ_CHECK(len <= max && in.pos == at + WIRE_HEADER + len && in.pos <= size);
		FUZZ_CHECK(!len || payload == data + at + WIRE_HEADER);
		buf_reset(&again);
		wire_put(&again, type, payload, len);
		FUZZ_CHECK(again.len == in.pos - at && !memcmp(again.data, data + at, again.len));
	}
	FUZZ_CHECK(in.pos == at);
	FUZZ_CHECK(rc == 0 || (rc == -1 && *err.text));
	buf_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t max;

	if (size < 2)
		return 0;
	max = data[0] % 2 ? WIRE_MAX : WIRE_MAX_EARLY;
	frames(data + 2, size - 2, max);
	frames(data + 2, (size - 2) * data[1] / 256, max);
	return 0;
}

#ifdef FUZZ_MAIN
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const unsigned types[] = { MSG_JOIN, MSG_GO, MSG_EVENT, MSG_LOST };
	uint8_t payload[300] = { 1, 2, 3 };

	if (i >= 4)
		return false;
	buf_put_u8(out, (uint8_t)i);
	buf_put_u8(out, (uint8_t)(64 * i));
	for (unsigned k = 0; k <= i; k++)
		wire_put(out, types[k], payload, (size_t)k * 100);
	return true;
}
#endif
