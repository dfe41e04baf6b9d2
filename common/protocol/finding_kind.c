/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/finding_kind.h"

static const struct {
	const char *key, *text;
} finding_words[] = {
#define X(name, key, text) [FINDING_##name] = { key, text },
	FINDING_LIST(X)
#undef X
};

const char *finding_kind_key(unsigned kind)
{
	return kind < FINDING_KINDS ? finding_words[kind].key : "?";
}

const char *finding_kind_text(unsigned kind)
{
	return kind < FINDING_KINDS ? finding_words[kind].text : "?";
}

int report_finding_code(struct codec *c, struct report_finding *r)
{
	codec_below(c, &r->kind, FINDING_STORED + 1);
	point_code(c, &r->point);
	place_code(c, &r->place);
	codec_text(c, &r->detail);
	return codec_end(c);
}
