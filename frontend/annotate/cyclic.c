/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that are distributed cyclically, one by one or in blocks: own rows, and the indices of loops
 * over them. */
#include "frontend/annotate/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

/* In one word each, so that they can be factors: the rank, how many ranks there are, rows of a
 * block. Owned. */
struct words {
	char *rank, *ranks, *block;
};

static void words_clear(struct words *w)
{
	free(w->rank);
	free(w->ranks);
	free(w->block);
}

/* A variable that is called as blocks are, and is as large in all runs; NULL: there is none. */
static char *block_named(const struct env *env, const int64_t *block, uint32_t n)
{
	static const char *const names[] = { "b",     "nb",    "mb",	     "bs",	  "blk",
					     "block", "bsize", "block_size", "blocksize", "nblk" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *text = expression_fits(env, names[i], block, n) ? xstrdup(names[i]) : NULL;

		if (text && expression_usable(env, text))
			return text;
		free(text);
	}
	return NULL;
}

static bool words_of(const struct guesses *g, const struct array_guess *a, const struct env *env,
		     uint32_t n, struct words *w)
{
	int64_t *rank = xcalloc(n, sizeof(*rank)), *ranks = xcalloc(n, sizeof(*ranks)),
		*block = xcalloc(n, sizeof(*block));
	uint32_t i = 0;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks && i < n; r++, i++) {
			rank[i] = r;
			ranks[i] = g->training[k].ranks;
			block[i] = a->run[k].block;
		}
	}
	w->rank = expression(env, rank, n, NULL);
	w->ranks = expression(env, ranks, n, NULL);
	w->block = block_named(env, block, n);
	if (!w->block)
		w->block = expression(env, block, n, NULL);
	free(rank);
	free(ranks);
	free(block);
	return w->rank && w->ranks && w->block && !strchr(w->rank, ' ') && !strchr(w->ranks, ' ') &&
	       !strchr(w->block, ' ');
}

static char *times(const char *a, const char *b)
{
	return !strcmp(b, "1") ? xstrdup(a) : xasprintf("%s * %s", a, b);
}

/* The text, and a number more. */
static char *more(char *text, int64_t by)
{
	char *all;

	if (!by)
		return text;
	all = xasprintf("%s %c %" PRId64, text, by < 0 ? '-' : '+', by < 0 ? -by : by);
	free(text);
	return all;
}

static void put(struct mark_names *to, char *text)
{
	mark_name_add(to, text);
	free(text);
}

bool cyclic_rows(const struct guesses *g, const struct array_guess *a, struct env *env, uint32_t n,
		  int64_t base, struct mark *m)
{
	int64_t *end = xcalloc(n, sizeof(*end));
	struct words w;
	bool good = words_of(g, a, env, n, &w);
	char *last;
	uint32_t i = 0;

	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks && i < n; r++, i++)
			end[i] = base + a->run[k].shape[0] - 1;
	env[0].prefer = m->shape.n ? m->shape.name[0] : NULL;
	last = good ? expression(env, end, n, NULL) : NULL;
	env[0].prefer = NULL;
	if (last) {
		put(&m->from, more(times(w.rank, w.block), base));
		put(&m->to, last);
		put(&m->step, times(w.ranks, w.block));
		put(&m->block, xstrdup(w.block));
	}
	words_clear(&w);
	free(end);
	return last;
}

char *cyclic_index(const struct guesses *g, const struct array_guess *a, const struct env *env,
		   uint32_t n, const char *own, int64_t base)
{
	struct words w;
	char *text = NULL, *row = strchr(own, ' ') ? xasprintf("(%s)", own) : xstrdup(own);

	if (words_of(g, a, env, n, &w)) {
		if (!strcmp(w.block, "1"))
			text = xasprintf("%s * %s + %s", row, w.ranks, w.rank);
		else
			text = xasprintf("(%s / %s * %s + %s) * %s + %s - %s / %s * %s", row,
					 w.block, w.ranks, w.rank, w.block, row, row, w.block,
					 w.block);
		text = more(text, base);
	}
	words_clear(&w);
	free(row);
	return text;
}
