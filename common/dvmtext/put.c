/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/dvmtext/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "common/trace/call.h"

/* Of what has no place. */
static char nothing[1];
static const struct text_line nowhere = { nothing, 0, true };

int text_no_memory(struct text_export *x)
{
	return err_set(x->err, "out of memory");
}

void text_put_name(struct text_export *x, const char *text)
{
	for (; *text; text++)
		putc(*text == '"' || (unsigned char)*text < ' ' ? '_' : *text, x->out);
}

/* A copy of a text that can stand in quotes. */
char *text_plain(const char *text)
{
	char *copy = strdup(text);

	for (char *p = copy; p && *p; p++)
		if (*p == '"' || (unsigned char)*p < ' ')
			*p = '_';
	return copy;
}

/* Where a site or a place is; NULL: no memory. */
static const struct text_line *resolve(struct text_export *x, struct text_line *l,
				       const struct trace_site *s)
{
	const struct place *p = &s->place;
	const char *file = p->file, *base;
	char *made = NULL;

	if (l->known)
		return l;
	l->line = p->line;
	if (!*file &&
	    (!x->names || !x->names->line || x->names->line(x->names->arg, s, &file, &l->line))) {
		base = strrchr(p->module, '/') ? strrchr(p->module, '/') + 1 : p->module;
		if (asprintf(&made, "%s+0x%" PRIx64, base, p->vaddr) < 0)
			return NULL;
		file = made;
	}
	l->file = text_plain(file);
	free(made);
	l->known = l->file;
	return l->known ? l : NULL;
}

const struct text_line *text_site_line(struct text_export *x, uint32_t i)
{
	return i < x->block->nsite ? resolve(x, &x->site[i], &x->block->site[i]) : &nowhere;
}

const struct text_line *text_place_line(struct text_export *x, uint32_t i)
{
	struct trace_site s = { 0 };

	if (i >= x->block->nplace)
		return &nowhere;
	s.place = x->block->place[i];
	return resolve(x, &x->place[i], &s);
}

void text_put_place(struct text_export *x, const struct text_line *l, const struct point *at)
{
	char text[POINT_TEXT];

	fprintf(x->out, "{\"%s\", %u}", l->file, l->line);
	if (at && at->main)
		fprintf(x->out, ", %s", point_format(at, text));
	fputc('\n', x->out);
}

void text_flush(struct text_export *x)
{
	x->held = false;
	fprintf(x->out, "%*sIT: %" PRId64 ", (", (int)(x->form.indent * x->held_depth), "",
		x->held_number);
	for (unsigned d = 0; d < x->held_nidx; d++)
		fprintf(x->out, d ? ",%" PRId64 : "%" PRId64, x->held_index[d]);
	fputs(")\n", x->out);
}

void text_indent(struct text_export *x)
{
	if (x->held)
		text_flush(x);
	fprintf(x->out, "%*s", (int)(x->form.indent * x->depth), "");
}

static int put_access(struct text_export *x, const struct trace_rec *r)
{
	const struct text_line *where = text_site_line(x, r->site);
	const char *rv = r->flags & TRACE_REDUCED ? "RV_" : "", *name = NULL;
	unsigned type = dvmtext_type(x->block, r);
	char value[TRACE_TEXT_VALUE], operand[512];

	if (!where)
		return text_no_memory(x);
	if (r->object == TRACE_NOWHERE && x->names && x->names->variable)
		name = x->names->variable(x->names->arg, x->block, r);
	if (!name)
		name = dvmtext_operand(x->block, r, operand, sizeof(operand));
	/* traces of programs do not say where a write begins */
	if (r->op == TRACE_BEFORE || (r->op == TRACE_WRITE && !x->verbatim)) {
		text_indent(x);
		fprintf(x->out, "%sBW: [%u] \"", rv, dvmtext_type_number(type));
		text_put_name(x, name);
		fputs("\"; ", x->out);
		text_put_place(x, where, NULL);
	}
	if (r->op == TRACE_BEFORE)
		return 0;
	text_indent(x);
	fprintf(x->out, "%s%s: [%u] \"", rv, r->op == TRACE_WRITE ? "AW" : "RD",
		dvmtext_type_number(type));
	text_put_name(x, name);
	fprintf(x->out, "\"%s; ", dvmtext_value(type, r->value, value));
	text_put_place(x, where, NULL);
	return 0;
}

/* The type of a whole object, as far as the bytes are one value. */
static unsigned object_type(const struct text_export *x, const struct trace_rec *r)
{
	const struct array_desc *a =
		r->object < x->block->nobject ? &x->block->object[r->object].desc : NULL;

	if (a && value_size(a->type) && value_size(a->type) == r->nbytes)
		return a->type;
	return r->nbytes == 8 ? VALUE_DOUBLE : r->nbytes == 4 ? VALUE_FLOAT : VALUE_TYPES;
}

static int put_result(struct text_export *x, const struct trace_rec *r)
{
	const struct text_line *where = text_site_line(x, r->site);
	unsigned type = object_type(x, r);
	char value[TRACE_TEXT_VALUE];

	if (!where)
		return text_no_memory(x);
	if (type == VALUE_TYPES) {
		text_put_results(x, r, where);
		return 0;
	}
	dvmtext_value(type, r->bytes, value);
	text_indent(x);
	if (!x->verbatim && r->object < x->block->nobject) {
		fputs("# " TEXT_RESULT_OF, x->out);
		text_put_name(x, x->block->object[r->object].desc.name);
		fputc('\n', x->out);
		text_indent(x);
	}
	fprintf(x->out, "RV: [%u] %s; ", dvmtext_type_number(type),
		*value == '#' ? value : value + strlen(" = "));
	text_put_place(x, where, NULL);
	return 0;
}

static void put_sum(struct text_export *x, const struct trace_rec *r)
{
	const struct array_desc *a =
		r->object < x->block->nobject ? &x->block->object[r->object].desc : NULL;
	const unsigned char *blank = memchr(r->bytes, ' ', r->nbytes);
	int access, n;

	if (!a || !blank)
		return;
	access = (int)(blank - r->bytes);
	n = (int)r->nbytes - access - 1;
	text_indent(x);
	fputs("  CS(\"", x->out);
	text_put_name(x, a->name);
	fputs("\", \"", x->out);
	text_put_name(x, a->file);
	fprintf(x->out, "\", %u, %u, \"%.*s\")", a->line, a->counter, access, r->bytes);
	fprintf(x->out, n == 6 && !memcmp(blank + 1, "FAILED", 6) ? " %.*s\n" : "=\"%.*s\"\n", n,
		blank + 1);
}

void text_put_sum(struct text_export *x, const struct dvmtext_sum *s)
{
	text_indent(x);
	fputs("  CS(\"", x->out);
	text_put_name(x, s->name);
	fputs("\", \"", x->out);
	text_put_name(x, s->file);
	fprintf(x->out, "\", %u, %u, \"%s%s\")", s->line, s->counter, s->read ? "r" : "",
		s->written ? "w" : "");
	if (s->value)
		fprintf(x->out, "=\"%s\"\n", s->value);
	else
		fputs(" FAILED\n", x->out);
}

/* "# CALL: MPI_Send to=1 tag=7 count=10 bytes=80 comm=MPI_COMM_WORLD type=MPI_DOUBLE, 1200 ns,
 * heat.c:61" */
static void put_call(struct text_export *x, const struct trace_rec *r)
{
	const struct text_line *where = text_site_line(x, r->site);
	struct trace_call c;

	if (!trace_call_get(&c, r->bytes, r->nbytes)) {
		fputs(": ?\n", x->out);
		return;
	}
	fprintf(x->out, ": %s", c.text[TRACE_CALL_NAME]);
	for (unsigned i = 0; i < TRACE_CALL_NUMBERS; i++)
		if (trace_call_has(&c, i))
			fprintf(x->out, " %s=%" PRId64, trace_call_number_word(i), c.number[i]);
	for (unsigned i = TRACE_CALL_NAME + 1; i < TRACE_CALL_TEXTS; i++)
		if (*c.text[i]) {
			fprintf(x->out, " %s=", trace_call_text_word(i));
			text_put_name(x, c.text[i]);
		}
	fprintf(x->out, ", %" PRIu64 " ns", r->value[1]);
	if (where && *where->file)
		fprintf(x->out, ", %s:%u", where->file, where->line);
	fputc('\n', x->out);
}

/* What the format has no record for stands in comments. */
static void put_comment(struct text_export *x, const struct trace_rec *r)
{
	if (x->held)
		text_flush(x);
	if (r->op == TRACE_NOTE && r->kind == TRACE_NOTE_COMMENT) {
		fprintf(x->out, "# %.*s\n", (int)r->nbytes, (const char *)r->bytes);
		return;
	}
	if (r->op == TRACE_VALUE && text_put_values(x, r))
		return;
	fprintf(x->out, "# %s", trace_op_name(r->op));
	if (r->op == TRACE_LOST)
		fprintf(x->out, ": %" PRIu64 " records\n", r->value[0]);
	if (r->op == TRACE_CALL)
		put_call(x, r);
	if (r->op == TRACE_NOTE) {
		fputs(": ", x->out);
		for (uint32_t i = 0; i < r->nbytes; i++)
			putc(r->bytes[i] < ' ' ? '_' : r->bytes[i], x->out);
		fputc('\n', x->out);
	}
	if (r->op != TRACE_VALUE)
		return;
	fputs(" of ", x->out);
	text_put_name(x,
		      r->object < x->block->nobject ? x->block->object[r->object].desc.name : "?");
	putc('\n', x->out);
}

int text_put_record(struct text_export *x, const struct trace_rec *r)
{
	const struct text_line *where;

	switch (r->op) {
	case TRACE_READ:
	case TRACE_WRITE:
	case TRACE_BEFORE:
		return put_access(x, r);
	case TRACE_REDUCTION:
		return put_result(x, r);
	case TRACE_SKIP:
		where = text_place_line(x, r->place);
		if (!where)
			return text_no_memory(x);
		text_indent(x);
		fputs("SKP: ", x->out);
		text_put_place(x, where, NULL);
		return 0;
	case TRACE_SUM:
		put_sum(x, r);
		return 0;
	default:
		put_comment(x, r);
		return 0;
	}
}
