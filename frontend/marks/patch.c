/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks as a patch: lines that come in front of others, a unified diff for each source. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/fortran/fortran.h"
#include "frontend/marks/internal.h"
#include "frontend/util/xvec.h"

#define AROUND 3 /* lines of context */

static void add(struct insertions *x, const struct insertion *new)
{
	struct insertion *l;

	for (uint32_t i = 0; i < x->n; i++) {
		if (x->line[i].before == new->before && x->line[i].begun == new->begun &&
		    !strcmp(x->line[i].text, new->text)) {
			free(new->text);
			return;
		}
	}
	l = xvec_add(x->line, x->n);
	*l = *new;
}

void insert(struct insertions *x, uint32_t before, bool inside, char *text)
{
	add(x, &(struct insertion){ .before = before, .inside = inside, .text = text });
}

void insert_whole(struct insertions *x, uint32_t before, uint32_t begun, char *text)
{
	add(x,
	    &(struct insertion){ .before = before, .whole = true, .begun = begun, .text = text });
}

static int source_read(struct source *s, const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");

	*s = (struct source){ 0 };
	if (!f)
		return err_set(err, "cannot read %s: %s", path, strerror(errno));
	s->path = xstrdup(path);
	s->text = xalloc_read(f);
	fclose(f);
	if (marks_fortran(path))
		s->fortran = fortran_parse_file(s->text, path);
	for (char *c = s->text, *end; *c; c = end) {
		char **line = xvec_add(s->line, s->n);

		*line = c;
		end = strchr(c, '\n');
		if (!end)
			break;
		*end++ = 0;
	}
	return 0;
}

static void source_clear(struct source *s)
{
	free(s->path);
	free(s->text);
	free(s->line);
	fortran_free(s->fortran);
}

static bool follows(const struct insertion *a, const struct insertion *b)
{
	if (a->before != b->before)
		return a->before > b->before;
	return a->begun < b->begun;
}

/* Stable by line: in the order in which they were put. */
static void sort(struct insertions *x)
{
	for (uint32_t i = 1; i < x->n; i++) {
		struct insertion l = x->line[i];
		uint32_t k = i;

		for (; k && follows(&x->line[k - 1], &l); k--)
			x->line[k] = x->line[k - 1];
		x->line[k] = l;
	}
}

static bool has_words(const char *line)
{
	return line[strspn(line, " \t")] && *line != '#';
}

/* A mark has the indentation of the line in front of which it stands. */
static void put(FILE *f, const struct insertion *l, const struct source *s)
{
	const char *like = l->before <= s->n ? s->line[l->before - 1] : "";

	if (l->whole) {
		fputc('+', f);
		for (const char *c = l->text; *c; c++) {
			fputc(*c, f);
			if (*c == '\n')
				fputc('+', f);
		}
		fputc('\n', f);
		return;
	}
	/* of a blank line: that of the next one with words; of one of the preprocessor: of another
	 * one beside it */
	for (uint32_t k = l->before; l->inside && k < s->n && !has_words(like); k++)
		like = s->line[k];
	for (uint32_t k = l->before; !l->inside && k > 1 && *like == '#'; k--)
		like = s->line[k - 2];
	fprintf(f, "+%.*s%s\n", (int)strspn(like, " \t"), like, l->text);
}

static uint32_t lines_of(const struct insertion *l, uint32_t n)
{
	uint32_t lines = n;

	for (uint32_t i = 0; i < n; i++)
		for (const char *c = l[i].text; *c; c++)
			lines += *c == '\n';
	return lines;
}

static void hunk(FILE *f, const struct insertion *l, uint32_t n, const struct source *s,
		 uint32_t shift)
{
	uint32_t from = l[0].before > AROUND ? l[0].before - AROUND : 1;
	uint32_t to = l[n - 1].before + AROUND - 1, k = 0;

	if (to > s->n)
		to = s->n;
	fprintf(f, "@@ -%" PRIu32 ",%" PRIu32 " +%" PRIu32 ",%" PRIu32 " @@\n", from, to - from + 1,
		from + shift, to - from + 1 + lines_of(l, n));
	for (uint32_t i = from; i <= to; i++) {
		for (; k < n && l[k].before == i; k++)
			put(f, &l[k], s);
		fprintf(f, " %s\n", s->line[i - 1]);
	}
	for (; k < n; k++)
		put(f, &l[k], s);
}

static void diff(FILE *f, const struct source *s, struct insertions *x, const char *base)
{
	const char *name = path_below(s->path, base);
	uint32_t shift = 0;

	sort(x);
	fprintf(f, "--- %s\n+++ %s\n", name, name);
	for (uint32_t i = 0; i < x->n;) {
		uint32_t n = 1;

		while (i + n < x->n &&
		       x->line[i + n].before <= x->line[i + n - 1].before + 2 * AROUND)
			n++;
		hunk(f, &x->line[i], n, s, shift);
		shift += lines_of(&x->line[i], n);
		i += n;
	}
}

/* Of marks, then of friends. */
static const char *file_of(const struct marks *m, uint32_t i)
{
	return i < m->n ? m->mark[i].file : m->friend[i - m->n].file;
}

static bool first_of_file(const struct marks *m, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (!strcmp(file_of(m, k), file_of(m, i)))
			return false;
	return true;
}

static void insertions_make(struct insertions *x, const struct marks *m, const struct source *s)
{
	for (uint32_t k = 0; k < m->nfriend; k++)
		if (!strcmp(m->friend[k].file, s->path))
			insert(x, m->friend[k].line, true, xstrdup(m->friend[k].text));
	for (uint32_t k = 0; k < m->n; k++) {
		if (strcmp(m->mark[k].file, s->path) != 0 || m->mark[k].beside)
			continue;
		if (s->fortran)
			mark_in_fortran(&m->mark[k], s, x);
		else
			mark_in_c(m, &m->mark[k], s, x);
	}
}

int marks_patch(const struct marks *m, FILE *f, const char *base, struct err *err)
{
	for (uint32_t i = 0; i < m->n + m->nfriend; i++) {
		struct insertions x = { 0 };
		struct source s;

		if (!first_of_file(m, i))
			continue;
		if (source_read(&s, file_of(m, i), err))
			return -1;
		insertions_make(&x, m, &s);
		diff(f, &s, &x, base);
		for (uint32_t k = 0; k < x.n; k++)
			free(x.line[k].text);
		free(x.line);
		source_clear(&s);
	}
	return 0;
}
