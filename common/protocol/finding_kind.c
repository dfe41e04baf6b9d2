/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/finding_kind.h"

#include "common/core/buf.h"

static const struct {
	const char *key, *text;
} finding_words[] = {
#define X(name, key, text) [FINDING_##name] = { key, text },
	FINDING_LIST(X)
#undef X
};

const char *finding_key(unsigned kind)
{
	return kind < FINDING_KINDS ? finding_words[kind].key : "?";
}

const char *finding_text(unsigned kind)
{
	return kind < FINDING_KINDS ? finding_words[kind].text : "?";
}

void report_finding_put(const struct report_finding *r, struct buf *b)
{
	buf_put_u8(b, r->kind);
	point_put(&r->point, b);
	place_put(&r->place, b);
	buf_put_str(b, r->detail);
}

int report_finding_get(struct report_finding *r, struct buf *b)
{
	r->kind = buf_get_u8(b);
	point_get(&r->point, b);
	place_get(&r->place, b);
	r->detail = buf_get_str(b);
	if (r->kind >= FINDING_KINDS)
		b->bad = true;
	return b->bad ? -1 : 0;
}
