/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes heads of text traces and configuration files.
 */
#include <errno.h>
#include <inttypes.h>

#include "common/logical/construct.h"
#include "common/dvmtext/text.h"
#include "common/dvmtext/scan.h"

static void put_costs(const struct trace_text_loop *l, FILE *out, int indent)
{
	fprintf(out, "%*s# Trace size = %" PRIu64 " bytes\n", indent, "", l->bytes);
	fprintf(out, "%*s# String count = %" PRIu64 "\n", indent, "", l->lines);
	fprintf(out, "%*s# Count of traced iterations = %" PRIu64 "\n", indent, "", l->iterations);
	fprintf(out, "%*s# Used memory = %" PRIu64 " bytes\n", indent, "", l->memory);
}

static void put_ranges(const struct trace_text_loop *l, FILE *out)
{
	if (l->noted)
		fputs(" # ", out);
	for (uint32_t d = 0; d < l->ndim; d++)
		if (l->step[d])
			fprintf(out, ", (%u:%" PRId64 ",%" PRId64 ",%" PRId64 ")", d, l->first[d],
				l->last[d], l->step[d]);
}

static void put_shape(const struct trace_text_array *a, FILE *out)
{
	if (a->shaped || a->own)
		fputs(" # ", out);
	if (a->own)
		fprintf(out, "[%u]", a->own);
	for (uint32_t d = 0; a->shaped && d < a->ndim; d++)
		fprintf(out, ", (%u:%" PRId64 ",%" PRId64 ",1)", d, a->first[d], a->last[d]);
	fputc('\n', out);
}

static void put_end(const struct trace_text_loop *l, FILE *out)
{
	fprintf(out, "%*sEL: %u", (int)(2 * l->depth), "", l->number);
	for (uint32_t i = 0; i < l->nuse; i++) {
		const struct trace_text_use *u = &l->use[i];

		fprintf(out, " (\"%s\", \"%s\", %u, %u, \"%s%s\")", u->name, u->file, u->line,
			u->counter, u->read ? "r" : "", u->written ? "w" : "");
	}
	fputc('\n', out);
}

static void put_begin(const struct trace_text_loop *l, FILE *out, bool config)
{
	fprintf(out, "%*s%s: %u(", (int)(2 * l->depth), "", construct_brief(l->kind), l->number);
	if (l->parent)
		fprintf(out, "%u", l->parent);
	fprintf(out, ") [%u] {\"%s\", %u} = %s", l->ndim, l->file, l->line,
		text_level_name(l->level));
	put_ranges(l, out);
	fputc('\n', out);
	if (config)
		put_costs(l, out, (int)(2 * l->depth + 2));
}

static void put_loops(const struct trace_text_head *h, FILE *out, bool config)
{
	const struct trace_text_loop *open[TRACE_FRAMES + 1];
	uint32_t depth = 0;

	for (uint32_t i = 0; i < h->nloop; i++) {
		while (depth && depth > h->loop[i].depth)
			put_end(open[--depth], out);
		put_begin(&h->loop[i], out, config);
		if (depth <= TRACE_FRAMES)
			open[depth++] = &h->loop[i];
	}
	while (depth)
		put_end(open[--depth], out);
}

int trace_text_head_write(const struct trace_text_head *h, FILE *out, bool config)
{
	if (config)
		fprintf(out,
			"# Trace size = %" PRIu64 " bytes\n# String count = %" PRIu64
			"\n# Used memory = %" PRIu64 " bytes\n\n",
			h->bytes, h->lines, h->memory);
	else
		fputs("# Begin trace header. Don't modify these records\n", out);
	for (uint32_t i = 0; i < h->nsetting; i++)
		fprintf(out, h->setting[i].quoted ? "%s = \"%s\"\n" : "%s = %s\n",
			h->setting[i].name, h->setting[i].value);
	for (uint32_t i = 0; i < h->narray; i++) {
		const struct trace_text_array *a = &h->array[i];

		fprintf(out, "ARR: \"%s\" (%u) [%u] {\"%s\", %u, %u, %d} = %s", a->name, a->type,
			a->ndim, a->file, a->line, a->counter, a->distributed,
			text_level_name(a->level));
		put_shape(a, out);
	}
	put_loops(h, out, config);
	fputs("END_HEADER\n", out);
	if (!config)
		fputs("# End trace header\n\n", out);
	if (!ferror(out))
		return 0;
	errno = errno ? errno : EIO;
	return -1;
}
