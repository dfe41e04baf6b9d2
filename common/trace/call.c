/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/trace/call.h"

#include <string.h>

#include "common/trace/code.h"

#define TEXT 120 /* bytes of one that are kept */

_Static_assert((TRACE_CALL_NUMBERS + 1) * TRACE_NUMBER + TRACE_CALL_TEXTS * TEXT <= TRACE_CALL_ROOM,
	       "a call fits");

const char *trace_call_number_word(unsigned n)
{
	static const char *const words[] = {
#define X(name, word) word,
		TRACE_CALL_LIST(X)
#undef X
	};

	return n < TRACE_CALL_NUMBERS ? words[n] : "?";
}

const char *trace_call_text_word(unsigned n)
{
	static const char *const words[] = {
#define X(name, word) word,
		TRACE_CALL_TEXT_LIST(X)
#undef X
	};

	return n < TRACE_CALL_TEXTS ? words[n] : "?";
}

size_t trace_call_put(unsigned char out[TRACE_CALL_ROOM], const struct trace_call *c)
{
	unsigned char *p = trace_put(out, c->have & ((UINT64_C(1) << TRACE_CALL_NUMBERS) - 1));

	for (unsigned i = 0; i < TRACE_CALL_NUMBERS; i++)
		if (trace_call_has(c, i))
			p = trace_put(p, trace_zigzag((uint64_t)c->number[i]));
	for (unsigned i = 0; i < TRACE_CALL_TEXTS; i++) {
		size_t n = c->text[i] ? strnlen(c->text[i], TEXT - 1) : 0;

		if (n)
			memcpy(p, c->text[i], n);
		p[n] = '\0';
		p += n + 1;
	}
	return (size_t)(p - out);
}

bool trace_call_get(struct trace_call *c, const unsigned char *bytes, size_t n)
{
	const unsigned char *p = bytes, *end = bytes + n;
	uint64_t have, v;

	c->have = 0;
	p = n ? trace_get(p, end, &have) : NULL;
	for (unsigned i = 0; p && i < 64; i++) {
		if (!(have >> i & 1))
			continue;
		p = trace_get(p, end, &v);
		if (p && i < TRACE_CALL_NUMBERS)
			trace_call_set(c, i, (int64_t)trace_unzigzag(v));
	}
	for (unsigned i = 0; p && i < TRACE_CALL_TEXTS; i++) {
		const unsigned char *nul = memchr(p, '\0', (size_t)(end - p));

		c->text[i] = (const char *)p;
		p = nul ? nul + 1 : NULL;
	}
	return p && *c->text[TRACE_CALL_NAME];
}
