/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/expr/expr.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/expr/internal.h"

static void put(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct buf *b, const char *fmt, ...)
{
	char text[64];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < sizeof(text))
		buf_put_raw(b, text, (size_t)n);
}

int expr_name_split(const char *name, struct expr_name *out)
{
	size_t stars = strspn(name, "*&"), base = lex_base(name + stars, true);
	const char *p = name + stars, *end = p + base;
	struct lex_place at = { -1, -1, -1 };

	*out = (struct expr_name){ .address = *name == '&' };
	out->stars = (unsigned)(stars - out->address);
	if (!base || memchr(name + out->address, '&', out->stars))
		return -1;
	p += lex_place(p, &at);
	out->process = at.process;
	out->thread = at.thread;
	out->frame = at.frame;
	out->word = p;
	for (const char *q = p; q < end; q++)
		if (*q == '#')
			out->word = q + 1;
	out->qualifier = p;
	out->nqualifier = (size_t)(out->word - p);
	out->nword = (size_t)(end - out->word);
	out->fields = end;
	return 0;
}

bool expr_name_has_place(const char *name)
{
	size_t stars = strspn(name, "*&"), at = strcspn(name, "@");

	return name[stars] == '[' || strcspn(name, "#") < at || strstr(name, "::");
}

static void put_range(const struct section_dim *x, struct buf *b)
{
	if (!x->open_first)
		put(b, "%" PRId64, x->first);
	put(b, ":");
	if (!x->open_last)
		put(b, "%" PRId64, x->last);
	if (x->step != 1 && x->step)
		put(b, ":%" PRId64, x->step);
}

void expr_put_path(const char *name, const struct section *sec, struct buf *b)
{
	buf_put_raw(b, name, strlen(name));
	for (unsigned d = 0; sec && d < sec->ndim; d++) {
		const struct section_dim *x = &sec->dim[d];

		put(b, "[");
		for (uint32_t i = 0; x->vector && i < x->n; i++)
			put(b, "%s%" PRId64 "%s", i ? "," : "{", x->vector[i],
			    i + 1 == x->n ? "}" : "");
		if (x->scalar)
			put(b, "%" PRId64, x->first);
		else if (x->all)
			put(b, "*");
		else if (!x->vector)
			put_range(x, b);
		put(b, "]");
	}
}

char *expr_quoted(const char *text, size_t *n)
{
	static const char from[] = "ntr0", to[] = "\n\t\r\0";
	size_t len = strlen(text);
	char quote = *text, *out;
	const char *known;

	if (len < 2 || (quote != '"' && quote != '\'') || text[len - 1] != quote)
		return NULL;
	out = malloc(len);
	if (!out)
		return NULL;
	*n = 0;
	for (const char *p = text + 1; p < text + len - 1; p++) {
		if (quote == '"' && *p == '\\' && p + 2 < text + len) {
			known = strchr(from, *++p);
			out[(*n)++] = known && *known ? to[known - from] : *p;
		} else {
			p += *p == quote && p[1] == quote && p + 2 < text + len;
			out[(*n)++] = *p;
		}
	}
	out[*n] = 0;
	return out;
}
