/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints a trace file record by record, for tests: tracecat FILE [-c], with -c counts of records
 * only, and of accesses to distributed arrays as "named".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/tracefile/tracefile.h"

static uint64_t count[TRACE_OPS], named, lost;

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void show_object(const struct trace_block *b, const struct trace_rec *r)
{
	const struct trace_object *o;
	struct trace_site s;

	if (r->object == TRACE_NOWHERE) {
		if (trace_block_module(b, r->at, &s))
			printf(" @%s+%" PRIx64, base(s.place.module), s.place.vaddr);
		else
			printf(" @%" PRIx64, r->at);
		return;
	}
	o = &b->object[r->object];
	printf(" %s+%" PRIu64, o->desc.name, r->at);
}

static void show(const struct trace_block *b, const struct trace_rec *r)
{
	char at[POINT_TEXT];
	double d;

	printf("%s %s", trace_op_name(r->op), point_format(&r->point, at));
	switch (r->op) {
	case TRACE_BEGIN:
		printf(" %s level %u", construct_brief(r->kind), r->level);
		for (unsigned i = 0; i < r->nidx; i++)
			printf(" %" PRId64 ":%" PRId64, r->index[i], r->last[i]);
		break;
	case TRACE_END:
		printf(" %s%s %" PRId64, construct_brief(r->kind), r->left ? " left" : "",
		       (int64_t)r->value[0]);
		break;
	case TRACE_ITER:
		for (unsigned i = 0; i < r->nidx; i++)
			printf(" %" PRId64, r->index[i]);
		break;
	case TRACE_READ:
	case TRACE_WRITE:
		show_object(b, r);
		memcpy(&d, r->value, sizeof(d));
		if (r->size == 8)
			printf(" = %g", d);
		else
			printf(" = %" PRIu64, r->value[0]);
		printf(" [%u]%s", r->size, r->flags & TRACE_ATOMIC ? " atomic" : "");
		if (r->site != TRACE_NONE)
			printf(" %s %" PRIx64, base(b->site[r->site].place.module),
			       b->site[r->site].place.vaddr);
		break;
	case TRACE_VALUE:
	case TRACE_REDUCTION:
		show_object(b, r);
		printf(" %u bytes%s", r->nbytes,
		       r->hashed == TRACE_VALUE_PRINT  ? " hashed"
		       : r->hashed == TRACE_VALUE_PART ? " of more"
						       : "");
		if (r->nbytes == 8) {
			memcpy(&d, r->bytes, 8);
			printf(" = %g", d);
		}
		break;
	case TRACE_LOST:
		printf(" %" PRIu64, r->value[0]);
		break;
	}
	putchar('\n');
}

static void show_block(const struct trace_block *b)
{
	char at[POINT_TEXT];

	printf("block %" PRIu64 " thread %u from %s%s:", b->info.seq, b->info.thread,
	       point_format(&b->info.first, at), b->info.half ? " half" : "");
	for (uint32_t i = 0; i < b->nframe; i++) {
		printf(" %s", construct_brief(b->frame[i].kind));
		for (unsigned d = 0; d < b->frame[i].nidx; d++)
			printf("%c%" PRId64, d ? ',' : '(', b->frame[i].index[d]);
		printf("%s", b->frame[i].nidx ? ")" : "");
	}
	putchar('\n');
}

static int read_block(struct trace_block *b, bool counts)
{
	struct trace_cursor *c = trace_cursor_open(b);
	struct trace_rec r;
	int rc;

	if (!counts)
		show_block(b);
	while (c && (rc = trace_block_next(c, &r)) > 0) {
		count[r.op]++;
		named += (r.op == TRACE_READ || r.op == TRACE_WRITE) && r.object != TRACE_NOWHERE &&
			 b->object[r.object].kind == TRACE_ARRAY &&
			 b->object[r.object].desc.kind == ARRAY_DISTRIBUTED;
		lost += r.op == TRACE_LOST ? r.value[0] : 0;
		if (!counts)
			show(b, &r);
	}
	trace_cursor_free(c);
	return c ? rc : -1;
}

int main(int argc, char **argv)
{
	struct err err = { "" };
	struct trace_reader *m = argc > 1 ? trace_reader_open(argv[1], &err) : NULL;
	bool counts = argc > 2 && !strcmp(argv[2], "-c");

	if (!m) {
		fprintf(stderr, "tracecat: %s\n", err.text);
		return 2;
	}
	for (size_t i = 0; i < trace_reader_blocks(m); i++) {
		struct trace_block *b = trace_reader_block(m, i, &err);

		if (!b || read_block(b, counts) < 0) {
			fprintf(stderr, "tracecat: block %zu: %s\n", i, b ? "damaged" : err.text);
			return 1;
		}
		trace_block_free(b);
	}
	for (unsigned i = 0; counts && i < TRACE_OPS; i++)
		if (count[i])
			printf("%s %" PRIu64 "\n", trace_op_name(i), count[i]);
	if (counts)
		printf("named %" PRIu64 "\nmissing %" PRIu64 "\nblocks %zu\n%s\n", named, lost,
		       trace_reader_blocks(m),
		       trace_reader_complete(m) ? "complete" : "incomplete");
	if (*trace_reader_note(m))
		printf("note: %s\n", trace_reader_note(m));
	trace_reader_close(m);
	return 0;
}
