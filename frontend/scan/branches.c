/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the preprocessor leaves out: of #if, #elif and #else the branches that have no code, where
 * another one has some; and within a function of C one that has none.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/marks/marks.h"
#include "frontend/scan/internal.h"
#include "frontend/util/xvec.h"

struct branch {
	char *at, *end;
	bool code;
};

/* From #if to #endif. */
struct group {
	struct branch *branch; /* owned */
	uint32_t n;
	bool inside; /* of a function or the like */
};

struct reading {
	const struct scan *s;
	scan_compiled is;
	void *arg;
	struct group *open; /* owned; inner ones last */
	uint32_t n;
	int depth; /* of braces */
};

static void blank(const struct branch *b)
{
	for (char *c = b->at; c < b->end; c++)
		if (*c != '\n')
			*c = ' ';
}

/* How many more braces open in the text than close. */
static int braces(const char *from, const char *end)
{
	int n = 0;

	for (; from < end; from++)
		n += (*from == '{') - (*from == '}');
	return n;
}

static void group_close(struct reading *x, const struct group *g)
{
	bool any = false, counted = false;

	for (uint32_t i = 0; i < g->n; i++)
		any = any || g->branch[i].code;
	for (uint32_t i = 0; i < g->n; i++) {
		const struct branch *b = &g->branch[i];

		if (!b->code && (any || g->inside)) {
			blank(b);
		} else if (!counted && !x->n) {
			x->depth += marks_fortran(x->s->path) ? 0 : braces(b->at, b->end);
			counted = true;
		}
	}
	free(g->branch);
}

static void branch_begin(struct reading *x, char *at)
{
	struct group *g = &x->open[x->n - 1];

	*xvec_add(g->branch, g->n) = (struct branch){ .at = at, .end = at };
}

static void directive(struct reading *x, const char *word, char *line, char *next)
{
	word += strspn(word, " \t");
	if (!strncmp(word, "if", 2)) {
		*xvec_add(x->open, x->n) = (struct group){ .inside = x->depth > 0 };
		branch_begin(x, next);
	} else if (x->n && !strncmp(word, "el", 2)) {
		x->open[x->n - 1].branch[x->open[x->n - 1].n - 1].end = line;
		branch_begin(x, next);
	} else if (x->n && !strncmp(word, "endif", 5)) {
		struct group *g = &x->open[--x->n];

		g->branch[g->n - 1].end = line;
		group_close(x, g);
	}
}

static void statement(struct reading *x, const char *line, const char *next, uint32_t number)
{
	if (x->n && x->is(x->arg, x->s->path, number))
		for (uint32_t i = 0; i < x->n; i++)
			x->open[i].branch[x->open[i].n - 1].code = true;
	if (!x->n && !marks_fortran(x->s->path))
		x->depth += braces(line, next);
}

void scan_branches(struct scan *s, scan_compiled is, void *arg)
{
	struct reading x = { .s = s, .is = is, .arg = arg };
	uint32_t number = 1;

	for (char *line = s->text, *next; *line; line = next, number++) {
		const char *c = line + strspn(line, " \t");

		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		if (*c == '#')
			directive(&x, c + 1, line, next);
		else
			statement(&x, line, next, number);
	}
	while (x.n)
		free(x.open[--x.n].branch);
	free(x.open);
}
