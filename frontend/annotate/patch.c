/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks as a patch: lines that come in front of others, a unified diff for each file. */
#include "frontend/annotate/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

#define AROUND 3 /* lines of context */

void patch_add(struct patch *p, const struct scan *s, uint32_t before, bool inside,
	       const char *text)
{
	struct patch_line *l;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->line[i].scan == s && p->line[i].before == before &&
		    !strcmp(p->line[i].text, text))
			return;
	l = xvec_add(p->line, p->n);
	l->scan = s;
	l->before = before;
	l->inside = inside;
	l->order = p->n;
	l->text = xstrdup(text);
}

static int by_line(const void *a, const void *b)
{
	const struct patch_line *x = a, *y = b;

	if (x->scan != y->scan)
		return strcmp(x->scan->path, y->scan->path);
	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

struct lines {
	const char **at;
	uint32_t n;
};

static struct lines lines_of(const struct scan *s)
{
	struct lines l = { 0 };

	for (const char *c = s->plain; *c;) {
		const char **at = xvec_add(l.at, l.n);
		const char *end = strchr(c, '\n');

		*at = c;
		if (!end)
			break;
		c = end + 1;
	}
	return l;
}

static int length(const char *s)
{
	return (int)strcspn(s, "\n");
}

/* A mark has the indentation of the line in front of which it stands. */
static void put_mark(FILE *f, const struct patch_line *l, const struct lines *lines)
{
	const char *like = l->before <= lines->n ? lines->at[l->before - 1] : "";
	uint32_t k = l->before;

	/* of a blank line: that of the next one with words */
	while (l->inside && k < lines->n && like[strspn(like, " \t")] == '\n')
		like = lines->at[k++];
	fprintf(f, "+%.*s%s\n", (int)strspn(like, " \t"), like, l->text);
}

static void hunk(FILE *f, const struct patch_line *l, uint32_t n, const struct lines *lines,
		 uint32_t shift)
{
	uint32_t from = l[0].before > AROUND ? l[0].before - AROUND : 1;
	uint32_t to = l[n - 1].before + AROUND - 1, k = 0;

	if (to > lines->n)
		to = lines->n;
	fprintf(f, "@@ -%" PRIu32 ",%" PRIu32 " +%" PRIu32 ",%" PRIu32 " @@\n", from, to - from + 1,
		from + shift, to - from + 1 + n);
	for (uint32_t i = from; i <= to; i++) {
		for (; k < n && l[k].before == i; k++)
			put_mark(f, &l[k], lines);
		fprintf(f, " %.*s\n", length(lines->at[i - 1]), lines->at[i - 1]);
	}
}

void patch_write(struct patch *p, FILE *f, const char *base)
{
	qsort(p->line, p->n, sizeof(*p->line), by_line);
	for (uint32_t i = 0; i < p->n;) {
		const struct scan *s = p->line[i].scan;
		struct lines lines = lines_of(s);
		const char *name = s->path;
		size_t under = strlen(base);
		uint32_t shift = 0;

		if (!strncmp(name, base, under) && name[under] == '/')
			name += under + 1;
		fprintf(f, "--- %s\n+++ %s\n", name, name);
		while (i < p->n && p->line[i].scan == s) {
			uint32_t n = 1;

			while (i + n < p->n && p->line[i + n].scan == s &&
			       p->line[i + n].before <= p->line[i + n - 1].before + 2 * AROUND)
				n++;
			hunk(f, &p->line[i], n, &lines, shift);
			shift += n;
			i += n;
		}
		free(lines.at);
	}
}

void patch_clear(struct patch *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		free(p->line[i].text);
	free(p->line);
}
