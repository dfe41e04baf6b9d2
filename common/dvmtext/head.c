/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The head of a text trace: settings, arrays, and the loops of the program's text.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/core/vec.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/dvmtext/dvmtext.h"
#include "common/dvmtext/internal.h"
#include "common/array/value.h"

#define LOOPS_MOST 1000000u
#define UNSAID "Not in the head"
#define WEIGHTS "Weights of linear numbers ="

/* What is written: a trace's head, a configuration file, what a native trace keeps. */
enum form { FORM_TRACE, FORM_CONFIG, FORM_KEPT };

void dvmtext_head_clear(struct dvmtext_head *h)
{
	for (uint32_t i = 0; i < h->nsetting; i++) {
		free(h->setting[i].name);
		free(h->setting[i].value);
	}
	for (uint32_t i = 0; i < h->narray; i++) {
		free(h->array[i].name);
		free(h->array[i].file);
	}
	for (uint32_t i = 0; i < h->nloop; i++) {
		for (uint32_t k = 0; k < h->loop[i].nuse; k++) {
			free(h->loop[i].use[k].name);
			free(h->loop[i].use[k].file);
		}
		free(h->loop[i].use);
		free(h->loop[i].file);
	}
	free(h->setting);
	free(h->array);
	free(h->loop);
	*h = (struct dvmtext_head){ 0 };
}

static struct trace_setting *find(const struct dvmtext_head *h, const char *name)
{
	for (uint32_t i = 0; i < h->nsetting; i++)
		if (!strcmp(h->setting[i].name, name))
			return &h->setting[i];
	return NULL;
}

const char *dvmtext_setting(const struct dvmtext_head *h, const char *name)
{
	const struct trace_setting *s = find(h, name);

	return s ? s->value : NULL;
}

int dvmtext_set(struct dvmtext_head *h, const char *name, const char *value, bool quoted)
{
	struct trace_setting *s = find(h, name);
	char *copy = strdup(value);

	if (!s && copy) {
		s = vec_add(h->setting, h->nsetting);
		if (s && !(s->name = strdup(name))) {
			h->nsetting--;
			s = NULL;
		}
	}
	if (!s || !copy) {
		free(copy);
		return -1;
	}
	free(s->value);
	s->value = copy;
	s->quoted = quoted;
	return 0;
}

struct dvmtext_loop *dvmtext_add_loop(struct dvmtext_head *h)
{
	return vec_add(h->loop, h->nloop);
}

struct dvmtext_array *dvmtext_add_array(struct dvmtext_head *h)
{
	return vec_add(h->array, h->narray);
}

const struct dvmtext_loop *dvmtext_loop_at(const struct dvmtext_head *h, unsigned kind,
					   const char *file, uint32_t line)
{
	for (uint32_t i = 0; i < h->nloop; i++)
		if (h->loop[i].kind == kind && h->loop[i].line == line &&
		    !strcmp(h->loop[i].file, file))
			return &h->loop[i];
	return NULL;
}

struct dvmtext_loop *dvmtext_loop_in(const struct dvmtext_head *h, unsigned kind, const char *file,
				     uint32_t line, uint32_t parent)
{
	for (uint32_t i = 0; i < h->nloop; i++) {
		struct dvmtext_loop *l = &h->loop[i];

		if (l->kind == kind && l->line == line && l->parent == parent &&
		    !strcmp(l->file, file))
			return l;
	}
	return NULL;
}

int64_t dvmtext_linear(const uint64_t *weight, unsigned n, const int64_t *index)
{
	uint64_t sum = 0;

	for (unsigned d = 0; d < n; d++)
		sum += (uint64_t)index[d] * weight[d];
	return (int64_t)sum;
}

/* What is read, and where in it we are. */
struct reading {
	struct dvmtext_head *h;
	struct text_file f;
	uint32_t open[TRACE_FRAMES]; /* the loops around, by position */
	uint32_t depth;
	struct err *err;
};

static int no_memory(struct reading *r)
{
	return err_set(r->err, "out of memory");
}

/* "= FULL", or "= " for what is inherited. */
static int get_level(struct reading *r, int *level)
{
	if (!text_word(&r->f, "="))
		return text_error(&r->f, r->err, "expected = with a level");
	*level = text_level(&r->f);
	return 0;
}

/* Ranges of up to n dimensions, and whether they stand behind a '#'. */
struct ranges {
	const char *of;
	uint32_t n;
	bool noted;
	int64_t *first, *last, *step;
};

/* ", (0:1,6,1), (1:1,6,1)", perhaps behind a # */
static int read_ranges(struct reading *r, struct ranges *l)
{
	struct text_file *f = &r->f;
	uint32_t d;
	int64_t first, last, step;

	while (!text_end(f)) {
		if (text_word(f, "#")) {
			l->noted = true;
			continue;
		}
		text_word(f, ",");
		if (text_end(f))
			break;
		if (!text_word(f, "(") || !text_natural(f, &d) || !text_word(f, ":") ||
		    !text_number(f, &first) || !text_word(f, ",") || !text_number(f, &last) ||
		    !text_word(f, ",") || !text_number(f, &step) || !text_word(f, ")"))
			return text_error(f, r->err,
					  "expected a range as (dim:first,last,step): "
					  "%.40s",
					  f->p);
		if (d >= ARRAY_DIMS || d >= l->n)
			return text_error(f, r->err, "dimension %u, and the %s has %u, from 0", d,
					  l->of, l->n);
		if (!step)
			return text_error(f, r->err, "a step of 0: expected another number");
		l->first[d] = first;
		l->last[d] = last;
		l->step[d] = step;
	}
	return 0;
}

/* Levels of arrays come without ranges; their shapes are notes. */
static int read_shape(struct reading *r, struct dvmtext_array *a)
{
	int64_t step[ARRAY_DIMS] = { 0 };
	struct ranges shape = { "array", a->ndim, false, a->first, a->last, step };
	struct text_file *f = &r->f;

	if (text_end(f))
		return 0;
	if (!text_word(f, "#"))
		return text_error(f, r->err, "expected a level: %.40s", f->p);
	if (text_word(f, "[") &&
	    (!text_natural(f, &a->own) || a->own >= VALUE_TYPES || !text_word(f, "]")))
		return text_error(f, r->err,
				  "expected a type, [0] … [%d]: "
				  "%.40s",
				  VALUE_TYPES - 1, f->p);
	if (read_ranges(r, &shape))
		return -1;
	a->shaped = a->ndim > 0;
	for (uint32_t d = 0; d < a->ndim; d++)
		a->shaped = a->shaped && step[d] && a->first[d] <= a->last[d];
	return 0;
}

/* "A" (4) [2] {"jacobi.c", 15, 0, 1} = */
static int read_array(struct reading *r)
{
	struct text_file *f = &r->f;
	struct dvmtext_array *a = dvmtext_add_array(r->h);
	uint32_t distributed;
	char *name, *file;

	if (!a)
		return no_memory(r);
	if (!text_quoted(f, &name) || !text_word(f, "(") || !text_natural(f, &a->type) ||
	    !text_word(f, ")") || !text_word(f, "[") || !text_natural(f, &a->ndim) ||
	    a->ndim > ARRAY_DIMS || !text_word(f, "]") || !text_word(f, "{") ||
	    !text_quoted(f, &file) || !text_word(f, ",") || !text_natural(f, &a->line) ||
	    !text_word(f, ",") || !text_natural(f, &a->counter) || !text_word(f, ",") ||
	    !text_natural(f, &distributed) || !text_word(f, "}"))
		return text_error(f, r->err,
				  "expected an array as \"A\" (4) [2] {\"file\", line, counter, 1} "
				  "=");
	a->distributed = distributed;
	a->name = strdup(name);
	a->file = strdup(file);
	if (!a->name || !a->file)
		return no_memory(r);
	return get_level(r, &a->level) || read_shape(r, a) ? -1 : 0;
}

/* 1() [2] {"jacobi.c", 20} = FULL, (0:1,6,1), (1:1,6,1) */
static int read_loop(struct reading *r, unsigned kind)
{
	struct text_file *f = &r->f;
	struct dvmtext_loop *l = r->h->nloop < LOOPS_MOST ? dvmtext_add_loop(r->h) : NULL;
	struct ranges ranges;
	char *file;

	if (!l)
		return no_memory(r);
	l->kind = (uint8_t)kind;
	l->depth = r->depth;
	if (!text_natural(f, &l->number) || !text_word(f, "("))
		return text_error(f, r->err, "expected the number of a construct as 2(4)");
	text_natural(f, &l->parent);
	if (!text_word(f, ")") || !text_word(f, "[") || !text_natural(f, &l->ndim) ||
	    l->ndim > ARRAY_DIMS || !text_word(f, "]") || !text_word(f, "{") ||
	    !text_quoted(f, &file) || !text_word(f, ",") || !text_natural(f, &l->line) ||
	    !text_word(f, "}"))
		return text_error(f, r->err, "expected a construct as 2(4) [2] {\"file\", line} =");
	l->file = strdup(file);
	if (!l->file)
		return no_memory(r);
	if (r->depth == TRACE_FRAMES)
		return text_error(f, r->err, "constructs nested deeper than %d", TRACE_FRAMES);
	r->open[r->depth++] = r->h->nloop - 1;
	ranges = (struct ranges){ "loop", l->ndim, false, l->first, l->last, l->step };
	if (get_level(r, &l->level) || read_ranges(r, &ranges))
		return -1;
	l->noted = ranges.noted;
	return 0;
}

/* ("A", "jacobi.c", 15, 0, "w") ("B", "jacobi.c", 16, 0, "rw") */
static int read_uses(struct reading *r, struct dvmtext_loop *l)
{
	struct text_file *f = &r->f;

	while (!text_end(f)) {
		char *name, *file, *access;
		struct dvmtext_use *u;
		uint32_t line, counter;

		if (!text_word(f, "(") || !text_quoted(f, &name) || !text_word(f, ",") ||
		    !text_quoted(f, &file) || !text_word(f, ",") || !text_natural(f, &line) ||
		    !text_word(f, ",") || !text_natural(f, &counter) || !text_word(f, ",") ||
		    !text_quoted(f, &access) || !text_word(f, ")"))
			return text_error(f, r->err,
					  "expected an array as (\"A\", \"file\", line, counter, "
					  "\"rw\")");
		u = vec_add(l->use, l->nuse);
		if (!u)
			return no_memory(r);
		*u = (struct dvmtext_use){ .name = strdup(name),
					   .file = strdup(file),
					   .line = line,
					   .counter = counter,
					   .read = strchr(access, 'r') != NULL,
					   .written = strchr(access, 'w') != NULL };
		if (!u->name || !u->file)
			return no_memory(r);
	}
	return 0;
}

static int read_end(struct reading *r)
{
	struct dvmtext_loop *l;
	uint32_t number;

	if (!text_natural(&r->f, &number))
		return text_error(&r->f, r->err, "expected the number of a construct after EL:");
	if (!r->depth || r->h->loop[r->open[r->depth - 1]].number != number)
		text_back(&r->f);
	if (!r->depth)
		return text_error(&r->f, r->err, "EL: %u, and no construct is open", number);
	l = &r->h->loop[r->open[--r->depth]];
	if (l->number != number)
		return text_error(&r->f, r->err, "EL: %u, and construct %u is open", number,
				  l->number);
	return read_uses(r, l);
}

static void read_weights(struct reading *r, struct dvmtext_loop *l)
{
	int64_t v;

	for (uint32_t d = 0; d < ARRAY_DIMS && text_number(&r->f, &v); d++) {
		l->weight[d] = (uint64_t)v;
		if (!text_word(&r->f, ","))
			break;
	}
}

/* The costs that a configuration file shows in comments; other comments are skipped. */
static void read_comment(struct reading *r)
{
	struct dvmtext_loop *l = r->depth ? &r->h->loop[r->open[r->depth - 1]] : NULL;
	uint64_t *into = NULL;
	int64_t v;

	text_word(&r->f, "#");
	if (text_word(&r->f, "Trace size ="))
		into = l ? &l->bytes : &r->h->bytes;
	else if (text_word(&r->f, "String count ="))
		into = l ? &l->lines : &r->h->lines;
	else if (text_word(&r->f, "Native trace size ="))
		into = l ? &l->native : &r->h->native;
	else if (text_word(&r->f, "Used memory ="))
		into = l ? &l->memory : &r->h->memory;
	else if (text_word(&r->f, "Count of traced iterations =") && l)
		into = &l->iterations;
	else if (text_word(&r->f, WEIGHTS) && l)
		read_weights(r, l);
	else if (text_word(&r->f, UNSAID) && l)
		l->unsaid = true;
	if (into && text_number(&r->f, &v) && v >= 0)
		*into = (uint64_t)v;
}

/* Whether the value is what that setting can have: a level, or a number; NULL: it is, else what was
 * expected. */
static const char *expected_value(const char *name, const char *value)
{
	static const char *const numbers[] = {
		"CPU_COUNT",  "IG_LEFT",   "IG_RIGHT",	 "ILOC_LEFT",
		"ILOC_RIGHT", "IREP_LEFT", "IREP_RIGHT", "EMPTYITER"
	};
	struct text_file word = { .p = value };
	int64_t n;

	if (!strcmp(name, "MODE"))
		return text_level(&word) >= 0 && !*word.p
			       ? NULL
			       : "NONE, MINIMAL, MODIFY, FULL or CHECKSUM";
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!strcmp(name, numbers[i]))
			return !parse_int_at(&value, &n) && !*value ? NULL : "a number";
	return NULL;
}

/* NAME = value */
static int read_setting(struct reading *r)
{
	struct text_file *f = &r->f;
	size_t n = strspn(f->p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	char *name = f->line + (f->p - f->line), *value;
	bool quoted;

	f->p += n;
	if (!n || !text_word(f, "="))
		return text_error(f, r->err, "not part of the head of a trace: %.40s", name);
	name[n] = '\0';
	quoted = text_quoted(f, &value);
	if (!quoted) {
		value = f->line + (f->p - f->line);
		value += strspn(value, " \t");
		f->p += value - f->p;
		value[strcspn(value, " \t")] = '\0';
		if (expected_value(name, value))
			return text_error(f, r->err, "expected %s, not '%.40s'",
					  expected_value(name, value), value);
	}
	return dvmtext_set(r->h, name, value, quoted) ? no_memory(r) : 0;
}

/* 0, 1: END_HEADER, -1 */
static int read_line(struct reading *r)
{
	struct text_file *f = &r->f;

	if (!*f->p)
		return 0;
	if (*f->p == '#') {
		read_comment(r);
		return 0;
	}
	if (text_word(f, "END_HEADER"))
		return 1;
	if (text_word(f, "ARR:"))
		return read_array(r);
	if (text_word(f, "PL:"))
		return read_loop(r, CONSTRUCT_PL);
	if (text_word(f, "SL:"))
		return read_loop(r, CONSTRUCT_SL);
	if (text_word(f, "TR:"))
		return read_loop(r, CONSTRUCT_TR);
	if (text_word(f, "EL:"))
		return read_end(r);
	return read_setting(r);
}

int dvmtext_head_get(struct dvmtext_head *h, struct text_file *f, struct err *err)
{
	struct reading r = { .h = h, .f = *f, .err = err };
	int rc = 0, more;

	*h = (struct dvmtext_head){ 0 };
	do {
		more = text_next(&r.f, err);
		rc = more > 0 ? read_line(&r) : more;
	} while (more > 0 && !rc);
	*f = r.f;
	if (rc >= 0 && r.depth)
		rc = text_error(f, err, "the head ends inside construct %u",
				h->loop[r.open[r.depth - 1]].number);
	if (rc >= 0)
		return 0;
	dvmtext_head_clear(h);
	return -1;
}

int dvmtext_head_read(struct dvmtext_head *h, FILE *in, const char *name, struct err *err)
{
	struct text_file f = { .in = in, .name = name };
	int rc = dvmtext_head_get(h, &f, err);

	text_clear(&f);
	return rc;
}

/* ---- writing ---- */

static void put_native(uint64_t bytes, FILE *out, int indent)
{
	if (bytes)
		fprintf(out, "%*s# Native trace size = %" PRIu64 " bytes\n", indent, "", bytes);
}

static void put_costs(const struct dvmtext_loop *l, FILE *out, int indent)
{
	fprintf(out, "%*s# Trace size = %" PRIu64 " bytes\n", indent, "", l->bytes);
	fprintf(out, "%*s# String count = %" PRIu64 "\n", indent, "", l->lines);
	fprintf(out, "%*s# Count of traced iterations = %" PRIu64 "\n", indent, "", l->iterations);
	fprintf(out, "%*s# Used memory = %" PRIu64 " bytes\n", indent, "", l->memory);
	put_native(l->native, out, indent);
}

static void put_ranges(const struct dvmtext_loop *l, FILE *out)
{
	if (l->noted)
		fputs(" # ", out);
	for (uint32_t d = 0; d < l->ndim; d++)
		if (l->step[d])
			fprintf(out, ", (%u:%" PRId64 ",%" PRId64 ",%" PRId64 ")", d, l->first[d],
				l->last[d], l->step[d]);
}

static void put_shape(const struct dvmtext_array *a, FILE *out)
{
	if (a->shaped || a->own)
		fputs(" # ", out);
	if (a->own)
		fprintf(out, "[%u]", a->own);
	for (uint32_t d = 0; a->shaped && d < a->ndim; d++)
		fprintf(out, ", (%u:%" PRId64 ",%" PRId64 ",1)", d, a->first[d], a->last[d]);
	fputc('\n', out);
}

static void put_end(const struct dvmtext_loop *l, FILE *out)
{
	fprintf(out, "%*sEL: %u", (int)(2 * l->depth), "", l->number);
	for (uint32_t i = 0; i < l->nuse; i++) {
		const struct dvmtext_use *u = &l->use[i];

		fprintf(out, " (\"%s\", \"%s\", %u, %u, \"%s%s\")", u->name, u->file, u->line,
			u->counter, u->read ? "r" : "", u->written ? "w" : "");
	}
	fputc('\n', out);
}

static void put_weights(const struct dvmtext_loop *l, FILE *out)
{
	uint32_t n = ARRAY_DIMS;

	while (n && !l->weight[n - 1])
		n--;
	if (n)
		fputs("# " WEIGHTS, out);
	for (uint32_t d = 0; d < n; d++)
		fprintf(out, "%s %" PRId64, d ? "," : "", (int64_t)l->weight[d]);
	if (n)
		fputc('\n', out);
}

static void put_begin(const struct dvmtext_loop *l, FILE *out, enum form form)
{
	fprintf(out, "%*s%s: %u(", (int)(2 * l->depth), "", construct_brief(l->kind), l->number);
	if (l->parent)
		fprintf(out, "%u", l->parent);
	fprintf(out, ") [%u] {\"%s\", %u} = %s", l->ndim, l->file, l->line,
		text_level_name(l->level));
	put_ranges(l, out);
	fputc('\n', out);
	if (form == FORM_CONFIG)
		put_costs(l, out, (int)(2 * l->depth + 2));
	else if (form == FORM_KEPT)
		put_weights(l, out);
	if (form == FORM_KEPT && l->unsaid)
		fputs("# " UNSAID "\n", out);
}

static void put_loops(const struct dvmtext_head *h, FILE *out, enum form form)
{
	const struct dvmtext_loop *open[TRACE_FRAMES + 1];
	uint32_t depth = 0;

	for (uint32_t i = 0; i < h->nloop; i++) {
		if (h->loop[i].unsaid && form != FORM_KEPT)
			continue;
		while (depth && depth > h->loop[i].depth)
			put_end(open[--depth], out);
		put_begin(&h->loop[i], out, form);
		if (depth <= TRACE_FRAMES)
			open[depth++] = &h->loop[i];
	}
	while (depth)
		put_end(open[--depth], out);
}

static int put_head(const struct dvmtext_head *h, FILE *out, enum form form)
{
	bool config = form == FORM_CONFIG;

	if (config) {
		fprintf(out,
			"# Trace size = %" PRIu64 " bytes\n# String count = %" PRIu64
			"\n# Used memory = %" PRIu64 " bytes\n",
			h->bytes, h->lines, h->memory);
		put_native(h->native, out, 0);
		fputc('\n', out);
	}
	if (!config)
		fputs("# Begin trace header. Don't modify these records\n", out);
	for (uint32_t i = 0; i < h->nsetting; i++)
		fprintf(out, h->setting[i].quoted ? "%s = \"%s\"\n" : "%s = %s\n",
			h->setting[i].name, h->setting[i].value);
	for (uint32_t i = 0; i < h->narray; i++) {
		const struct dvmtext_array *a = &h->array[i];

		fprintf(out, "ARR: \"%s\" (%u) [%u] {\"%s\", %u, %u, %d} = %s", a->name, a->type,
			a->ndim, a->file, a->line, a->counter, a->distributed,
			text_level_name(a->level));
		put_shape(a, out);
	}
	put_loops(h, out, form);
	fputs("END_HEADER\n", out);
	if (!config)
		fputs("# End trace header\n\n", out);
	if (!ferror(out))
		return 0;
	errno = errno ? errno : EIO;
	return -1;
}

int dvmtext_head_write(const struct dvmtext_head *h, FILE *out, bool config)
{
	return put_head(h, out, config ? FORM_CONFIG : FORM_TRACE);
}

int dvmtext_head_keep(const struct dvmtext_head *h, FILE *out)
{
	return put_head(h, out, FORM_KEPT);
}
