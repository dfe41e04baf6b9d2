/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/logical/construct.h"

static const struct {
	const char *brief, *words;
} construct_text[] = {
#define X(name, brief, words) [CONSTRUCT_##name] = { brief, words },
	CONSTRUCT_LIST(X)
#undef X
};

const char *construct_brief(unsigned kind)
{
	return kind < CONSTRUCT_KINDS ? construct_text[kind].brief : "?";
}

const char *construct_words(unsigned kind)
{
	return kind < CONSTRUCT_KINDS ? construct_text[kind].words : "?";
}
