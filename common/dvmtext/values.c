/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of replicated objects where constructs begin and end. The format has no record of them:
 * they stand in comments of ours, which an import reads,
 *
 *	# VALUE: [4] "eps" {"heat.c", 38, 0} = 0.25
 *	# VALUE: [4] "w[0]" {"heat.c", 40, 0} 000000000000f03f0000000000000040
 *
 * with the type (enum value_type), the first element, where it is declared, and its bytes; or
 * "print" and a fingerprint; or "part", how many bytes come before and behind these, and these.
 * Results of a reduction of an array likewise, with the place of its mark:
 *
 *	# RESULTS: [4] "w[0]" {"heat.c", 40, 0} 000000000000f03f0000000000000040; {"heat.c", 51}
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/parse.h"
#include "common/dvmtext/internal.h"

/* Of a type whose numbers the text has as they are. */
static bool is_plain(unsigned type)
{
	return type <= VALUE_LLONG && type != VALUE_CHAR && type != VALUE_LOGICAL &&
	       value_class(type) != VALUE_IS_COMPLEX;
}

static void put_bytes(struct text_export *x, const struct trace_rec *r, unsigned type)
{
	char value[TRACE_TEXT_VALUE];

	if (r->hashed == TRACE_VALUE_PRINT)
		fputs(" print", x->out);
	else if (r->hashed == TRACE_VALUE_PART)
		fprintf(x->out, " part %" PRIu64 " %" PRIu64, r->at, r->value[0]);
	else if (r->nbytes == value_size(type) && is_plain(type)) {
		dvmtext_value(type, r->bytes, value);
		fprintf(x->out, "%s%s", *value == '#' ? " = " : "", value);
		return;
	}
	putc(' ', x->out);
	for (uint32_t i = 0; i < r->nbytes; i++)
		fprintf(x->out, "%02x", r->bytes[i]);
}

static bool put(struct text_export *x, const struct trace_rec *r, const char *word)
{
	const struct array_desc *a =
		r->object < x->block->nobject ? &x->block->object[r->object].desc : NULL;
	struct trace_rec first = { .op = TRACE_WRITE, .object = r->object };
	char operand[512];

	if (!a || !a->name || a->type >= VALUE_TYPES || !value_size(a->type) || !r->nbytes)
		return false;
	first.size = (uint8_t)value_size(a->type);
	fprintf(x->out, "# %s[%u] \"", word, a->type);
	text_put_name(x, dvmtext_operand(x->block, &first, operand, sizeof(operand)));
	fputs("\" {\"", x->out);
	text_put_name(x, a->file ? a->file : "");
	fprintf(x->out, "\", %u, %u}", a->line, a->counter);
	put_bytes(x, r, a->type);
	return true;
}

bool text_put_values(struct text_export *x, const struct trace_rec *r)
{
	if (!put(x, r, TEXT_VALUE))
		return false;
	putc('\n', x->out);
	return true;
}

void text_put_results(struct text_export *x, const struct trace_rec *r,
		      const struct text_line *where)
{
	if (r->object >= x->block->nobject || r->nbytes > TRACE_BYTES_MOST ||
	    x->block->object[r->object].desc.type >= VALUE_TYPES)
		return;
	text_indent(x);
	if (!put(x, r, TEXT_RESULTS))
		return;
	fputs("; ", x->out);
	text_put_place(x, where, NULL);
}

/* ---- reading ---- */

static bool number(const char **p, const char *before, const char *behind, uint64_t most,
		   uint64_t *v)
{
	int64_t n;

	if (strncmp(*p, before, strlen(before)) != 0)
		return false;
	*p += strlen(before);
	if (parse_int_at(p, &n) || n < 0 || (uint64_t)n > most ||
	    strncmp(*p, behind, strlen(behind)) != 0)
		return false;
	*p += strlen(behind);
	*v = (uint64_t)n;
	return true;
}

/* What stands in quotes, of less than room bytes. */
static bool quoted(const char **p, char *out, size_t room)
{
	const char *end = **p == '"' ? strchr(*p + 1, '"') : NULL;
	size_t n = end ? (size_t)(end - *p - 1) : room;

	if (n >= room)
		return false;
	memcpy(out, *p + 1, n);
	out[n] = '\0';
	*p = end + 1;
	return true;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool bytes(const char *p, struct text_object_value *v)
{
	for (v->n = 0; *p; p += 2) {
		int high = digit(p[0]), low = high < 0 ? -1 : digit(p[1]);

		if (low < 0 || v->n == sizeof(v->bytes))
			return false;
		v->bytes[v->n++] = (unsigned char)(high << 4 | low);
	}
	return v->n > 0;
}

static bool plain(const char *p, struct text_object_value *v)
{
	if (!is_plain(v->type) || text_value(v->type, !strcmp(p, "#NAN") ? NULL : p, v->bytes))
		return false;
	v->n = (uint32_t)value_size(v->type);
	return true;
}

/* Behind the word. */
static bool take(const char *p, struct text_object_value *v)
{
	uint64_t type, line, counter;

	if (!number(&p, "[", "] ", VALUE_TYPES - 1, &type) || !value_size((unsigned)type) ||
	    !quoted(&p, v->operand, sizeof(v->operand)) || strncmp(p, " {", 2) != 0)
		return false;
	p += 2;
	if (!quoted(&p, v->file, sizeof(v->file)) || !number(&p, ", ", "", UINT32_MAX, &line) ||
	    !number(&p, ", ", "} ", UINT32_MAX, &counter))
		return false;
	v->type = (uint8_t)type;
	v->line = (uint32_t)line;
	v->counter = (uint32_t)counter;
	v->before = v->behind = 0;
	v->form = TRACE_VALUE_WHOLE;
	if (!strncmp(p, "= ", 2))
		return plain(p + 2, v);
	if (!strncmp(p, "print ", 6)) {
		v->form = TRACE_VALUE_PRINT;
		p += 6;
	} else if (!strncmp(p, "part ", 5)) {
		v->form = TRACE_VALUE_PART;
		if (!number(&p, "part ", " ", INT64_MAX, &v->before) ||
		    !number(&p, "", " ", INT64_MAX, &v->behind))
			return false;
	}
	return bytes(p, v);
}

bool text_take_values(const char *p, struct text_object_value *v)
{
	return !strncmp(p, TEXT_VALUE, strlen(TEXT_VALUE)) && take(p + strlen(TEXT_VALUE), v);
}

bool text_take_results(const char *p, struct text_object_value *v, char file[512], uint32_t *line)
{
	const char *place = strrchr(p, ';');
	uint64_t n;
	char *text;
	bool there;

	if (strncmp(p, TEXT_RESULTS, strlen(TEXT_RESULTS)) != 0 || !place)
		return false;
	p += strlen(TEXT_RESULTS);
	text = place > p ? strndup(p, (size_t)(place - p)) : NULL;
	there = text && take(text, v) && v->form == TRACE_VALUE_WHOLE;
	free(text);
	if (!there || strncmp(place, "; {", 3) != 0)
		return false;
	place += 3;
	if (!quoted(&place, file, 512) || !number(&place, ", ", "}", UINT32_MAX, &n) || *place)
		return false;
	*line = (uint32_t)n;
	return true;
}
