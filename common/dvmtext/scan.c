/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/dvmtext/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/array/value.h"

#define LINE_MOST (1 << 20)

int text_error(const struct text_file *f, struct err *err, const char *fmt, ...)
{
	const char *at = f->p ? f->p + strspn(f->p, " \t") : f->line;
	char what[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_set(err, "%s:%lu:%ld: %s", f->name, f->number, (long)(at - f->line) + 1, what);
}

void text_back(struct text_file *f)
{
	f->p = f->line + strspn(f->line, " \t");
}

int text_next(struct text_file *f, struct err *err)
{
	ssize_t n = getline(&f->line, &f->room, f->in);

	if (n < 0) {
		if (!feof(f->in))
			return err_set(err, "%s: %s", f->name, strerror(errno));
		return 0;
	}
	f->number++;
	f->whole = n && f->line[n - 1] == '\n';
	while (n && (f->line[n - 1] == '\n' || f->line[n - 1] == '\r'))
		f->line[--n] = '\0';
	text_back(f);
	if (n > LINE_MOST || strlen(f->line) != (size_t)n)
		return text_error(f, err, "this is not a text file");
	return 1;
}

void text_clear(struct text_file *f)
{
	free(f->line);
	f->line = NULL;
	f->room = 0;
}

static const char *skip_blanks(struct text_file *f)
{
	return f->p + strspn(f->p, " \t");
}

bool text_word(struct text_file *f, const char *word)
{
	const char *p = skip_blanks(f);

	if (strncmp(p, word, strlen(word)))
		return false;
	f->p = p + strlen(word);
	return true;
}

bool text_number(struct text_file *f, int64_t *v)
{
	const char *p = skip_blanks(f);

	if (*p == '+' || parse_int_at(&p, v))
		return false;
	f->p = p;
	return true;
}

bool text_natural(struct text_file *f, uint32_t *v)
{
	const char *before = f->p;
	int64_t n;

	if (!text_number(f, &n) || n < 0 || n > UINT32_MAX) {
		f->p = before;
		return false;
	}
	*v = (uint32_t)n;
	return true;
}

bool text_quoted(struct text_file *f, char **text)
{
	const char *p = skip_blanks(f);
	char *end;

	if (*p != '"' || !(end = strchr(p + 1, '"')))
		return false;
	/* the line is ours */
	*text = f->line + (p + 1 - f->line);
	*end = '\0';
	f->p = end + 1;
	return true;
}

bool text_end(struct text_file *f)
{
	return !*skip_blanks(f);
}

#define LEVEL(name, number, word) { number, word },
static const struct {
	int level;
	const char *word;
} levels[] = { TRACE_CONFIG_LEVEL_LIST(LEVEL) };
#undef LEVEL

int text_level(struct text_file *f)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (text_word(f, levels[i].word))
			return levels[i].level;
	return -1;
}

const char *text_level_name(int level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (levels[i].level == level)
			return levels[i].word;
	return "";
}

/* {"jacobi.c", 31} */
static int place(struct text_file *f, struct text_rec *r, struct err *err)
{
	if (text_word(f, "{") && text_quoted(f, &r->file) && text_word(f, ",") &&
	    text_natural(f, &r->line) && text_word(f, "}"))
		return 0;
	return text_error(f, err, "expected a place as {\"file\", line}");
}

/* ", 6.B", or nothing */
static int point(struct text_file *f, struct text_rec *r, struct err *err)
{
	char text[POINT_TEXT];
	size_t n;

	if (!text_word(f, ","))
		return 0;
	f->p = skip_blanks(f);
	n = strcspn(f->p, " \t");
	if (n < sizeof(text)) {
		memcpy(text, f->p, n);
		text[n] = '\0';
		if (!point_parse(&r->point, text, NULL)) {
			f->p += n;
			return 0;
		}
	}
	return text_error(f, err, "expected a point as 6.B or 5.2.1.E");
}

/* 2(4) [2]; {"jacobi.c", 31}, 6.B */
static int begin(struct text_file *f, struct text_rec *r, struct err *err)
{
	if (!text_natural(f, &r->number) || !text_word(f, "("))
		return text_error(f, err, "expected the number of a construct as 2(4)");
	text_natural(f, &r->parent);
	if (!text_word(f, ")") || !text_word(f, "[") || !text_natural(f, &r->rank) ||
	    r->rank > ARRAY_DIMS || !text_word(f, "]") || !text_word(f, ";"))
		return text_error(f, err, "expected the number of loop variables as [2]");
	return place(f, r, err) || point(f, r, err) ? -1 : 0;
}

/* 2; {"jacobi.c", 38}, 6.E */
static int end(struct text_file *f, struct text_rec *r, struct err *err)
{
	if (!text_natural(f, &r->number) || !text_word(f, ";"))
		return text_error(f, err, "expected the number of a construct");
	return place(f, r, err) || point(f, r, err) ? -1 : 0;
}

/* 17, (2,1) */
static int iteration(struct text_file *f, struct text_rec *r, struct err *err)
{
	if (!text_number(f, &r->linear) || !text_word(f, ",") || !text_word(f, "("))
		return text_error(f, err, "expected an iteration as 17, (2,1)");
	do {
		if (r->nidx == ARRAY_DIMS || !text_number(f, &r->index[r->nidx]))
			return text_error(f, err, "an iteration has 1 … %d numbers", ARRAY_DIMS);
		r->nidx++;
	} while (text_word(f, ","));
	if (!text_word(f, ")"))
		return text_error(f, err, "expected ) after the numbers of an iteration");
	return 0;
}

static int type(struct text_file *f, struct text_rec *r, struct err *err)
{
	uint32_t n;

	if (!text_word(f, "[") || !text_natural(f, &n) || n > VALUE_LLONG || !text_word(f, "]"))
		return text_error(f, err, "expected a type, [0] … [%d]", VALUE_LLONG);
	r->type = (uint8_t)n;
	return 0;
}

/* Up to the ';' that ends it. */
static int value(struct text_file *f, struct text_rec *r, struct err *err)
{
	char *text, *stop;

	if (text_word(f, "#")) {
		f->p += strcspn(f->p, ";");
	} else {
		text_word(f, "=");
		text = f->line + (skip_blanks(f) - f->line);
		f->p = text + strcspn(text, ";");
		r->value = text;
	}
	if (*f->p != ';')
		return text_error(f, err, "expected ; after the value");
	stop = f->line + (f->p - f->line);
	f->p++;
	*stop = '\0';
	return 0;
}

/* [4] "A[2][1]" = 1.5; {"jacobi.c", 35} */
static int operand(struct text_file *f, struct text_rec *r, struct err *err)
{
	if (type(f, r, err))
		return -1;
	if (r->what != TEXT_RESULT && !text_quoted(f, &r->operand))
		return text_error(f, err, "expected an operand in quotes");
	if (r->what == TEXT_BEFORE) {
		if (!text_word(f, ";"))
			return text_error(f, err, "expected ; after the operand");
	} else if (value(f, r, err)) {
		return -1;
	}
	return place(f, r, err);
}

/* ("A", "jacobi.c", 15, 0, "w")="5.625", or … FAILED in place of the value */
static int sum(struct text_file *f, struct text_rec *r, struct err *err)
{
	if (!text_word(f, "(") || !text_quoted(f, &r->operand) || !text_word(f, ",") ||
	    !text_quoted(f, &r->file) || !text_word(f, ",") || !text_natural(f, &r->line) ||
	    !text_word(f, ",") || !text_natural(f, &r->counter) || !text_word(f, ",") ||
	    !text_quoted(f, &r->access) || !text_word(f, ")"))
		return text_error(f, err,
				  "expected an array as (\"A\", \"file\", line, counter, "
				  "\"rw\")");
	text_word(f, "=");
	if (text_word(f, "FAILED") || text_quoted(f, &r->value))
		return 0;
	return text_error(f, err, "expected a checksum in quotes, or FAILED");
}

static int fields(struct text_file *f, struct text_rec *r, struct err *err)
{
	switch (r->what) {
	case TEXT_BEGIN:
		return begin(f, r, err);
	case TEXT_END:
		return end(f, r, err);
	case TEXT_ITER:
		return iteration(f, r, err);
	case TEXT_SKIP:
		return place(f, r, err);
	case TEXT_SUM:
		return sum(f, r, err);
	case TEXT_STOP:
		return 0;
	default:
		return operand(f, r, err);
	}
}

int text_record(struct text_file *f, struct text_rec *r, struct err *err)
{
	static const struct {
		const char *word;
		uint8_t what, kind;
		bool reduction;
	} words[] = {
		{ "PL:", TEXT_BEGIN, CONSTRUCT_PL, false },
		{ "SL:", TEXT_BEGIN, CONSTRUCT_SL, false },
		{ "TR:", TEXT_BEGIN, CONSTRUCT_TR, false },
		{ "EL:", TEXT_END, 0, false },
		{ "IT:", TEXT_ITER, 0, false },
		{ "BW:", TEXT_BEFORE, 0, false },
		{ "AW:", TEXT_WRITE, 0, false },
		{ "RD:", TEXT_READ, 0, false },
		{ "RV_BW:", TEXT_BEFORE, 0, true },
		{ "RV_AW:", TEXT_WRITE, 0, true },
		{ "RV_RD:", TEXT_READ, 0, true },
		{ "RV:", TEXT_RESULT, 0, true },
		{ "SKP:", TEXT_SKIP, 0, false },
		{ "CS", TEXT_SUM, 0, false },
		{ "END_TRACE", TEXT_STOP, 0, false },
	};

	*r = (struct text_rec){ .what = TEXT_NOTHING };
	if (!*f->p)
		return 0;
	if (*f->p == '#') {
		r->what = strcmp(f->p, "# END_ITERATION") ? TEXT_COMMENT : TEXT_LEAVE;
		r->value = f->line + (f->p - f->line) + 1;
		r->value += *r->value == ' ';
		return 0;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!text_word(f, words[i].word))
			continue;
		r->what = words[i].what;
		r->kind = words[i].kind;
		r->reduction = words[i].reduction;
		if (fields(f, r, err))
			return -1;
		return text_end(f)
			       ? 0
			       : text_error(f, err, "more than a record: %.40s", skip_blanks(f));
	}
	return text_error(f, err, "not a record of a trace: %.40s", f->p);
}
