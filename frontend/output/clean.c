/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control characters in names, messages, source lines and what the program prints come from others,
 * and could make the terminal do what they like: they are shown, not sent.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/output/text.h"
#include "frontend/util/xalloc.h"

/* How many bytes the control character at text[0] has, 0: it is none; its code in *code. */
static size_t control_at(const unsigned char *text, size_t len, unsigned *code)
{
	*code = text[0];
	if (text[0] == '\n' || text[0] == '\t')
		return 0;
	if (text[0] < 0x20 || text[0] == 0x7f)
		return 1;
	if (text[0] != 0xc2 || len < 2 || text[1] < 0x80 || text[1] > 0x9f)
		return 0;
	*code = text[1];
	return 2;
}

/* How many bytes of UTF-8 begin at text[0], 1 if it begins none. */
static size_t sequence_at(const unsigned char *text, size_t len)
{
	size_t n = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : text[0] >= 0xc2 ? 2 : 1;

	for (size_t i = 1; i < n; i++)
		if (i >= len || (text[i] & 0xc0) != 0x80)
			return 1;
	return n;
}

char *out_text_clean(const char *text, size_t len, bool json, size_t *size)
{
	const unsigned char *from = (const unsigned char *)text;
	char *clean = NULL;
	bool dirty = false;
	FILE *f = xmemstream(&clean, size);

	for (size_t i = 0, n; i < len; i += n) {
		unsigned code;

		n = control_at(from + i, len - i, &code);
		if (!n) {
			n = sequence_at(from + i, len - i);
			if (n > 1 || code < 0x80 || code > 0x9f) {
				fwrite(text + i, 1, n, f);
				continue;
			}
		}
		dirty = true;
		fprintf(f, json ? "\\u%04x" : "\\x%02x", code);
	}
	xmemstream_close(f);
	if (dirty)
		return clean;
	free(clean);
	return NULL;
}
