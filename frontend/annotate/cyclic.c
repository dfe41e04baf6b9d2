/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Own rows by the number of the rank, and how many there are: rows that are distributed cyclically,
 * one by one or in blocks, and the indices of loops over them; and blocks whose bounds no variable
 * has, as the program computes them again each time.
 */
#include "frontend/annotate/internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

/* In one word each, so that they can be factors: the rank, how many ranks there are, rows of a
 * block. Owned. */
struct words {
	char *rank, *ranks, *block;
};

#define SURE 0.9 /* share of values that agree, of an array that needs no others */
#define BLOCK_APART 3 /* indices of a source are from those that count from 0 */

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

/* Along a dimension. */
static bool words_of(const struct guesses *g, const struct array_guess *a, unsigned d,
		     const struct env *env, uint32_t n, struct words *w)
{
	int64_t *rank = xcalloc(n, sizeof(*rank)), *ranks = xcalloc(n, sizeof(*ranks)),
		*block = xcalloc(n, sizeof(*block));
	uint32_t i = 0;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		const struct array_run *x = &a->run[k];

		for (uint32_t r = 0; r < g->training[k].ranks && i < n; r++, i++) {
			rank[i] = a->cyclic ? r :
					      grid_coordinate(r, a->ndim, x->grid, x->order, d);
			ranks[i] = a->cyclic ? g->training[k].ranks : x->grid[d];
			block[i] = x->block;
		}
	}
	w->rank = expression(env, rank, n, NULL);
	w->ranks = expression(env, ranks, n, NULL);
	w->block = a->cyclic ? block_named(env, block, n) : NULL;
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
	bool good = words_of(g, a, 0, env, n, &w);
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

	if (words_of(g, a, 0, env, n, &w)) {
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

/* ---- blocks ---- */

/* What blocks begin with: the first ones are one longer; by division of the product; the last one
 * has the rest; as long as the last one needs, which is shorter. */
enum blocks { SPREAD, SCALED, REST, ROUNDED, BLOCKS };

/* min(a, b), or in C what it is. */
static char *least(bool fortran, const char *a, const char *b)
{
	return fortran ? xasprintf("min(%s, %s)", a, b) :
			 xasprintf("(%s < %s ? %s : %s)", a, b, a, b);
}

/* The first row, from 0, of the rank that is `at`, of `ranks`, of `all` rows. */
static char *block_begin(enum blocks how, bool fortran, const char *at, const char *ranks,
			 const char *all, bool last)
{
	char *text, *rest, *some;

	switch (how) {
	case SPREAD:
		rest = xasprintf(fortran ? "mod(%s, %s)" : "%s %% %s", all, ranks);
		some = least(fortran, at, rest);
		text = xasprintf("%s * (%s / %s) + %s", at, all, ranks, some);
		break;
	case SCALED: return xasprintf("%s * %s / %s", at, all, ranks);
	case REST:
		if (!last)
			return xasprintf("%s * (%s / %s)", at, all, ranks);
		if (fortran) /* the rest, where the rank is the last one */
			return xasprintf("%s * (%s / %s) + %s / %s * mod(%s, %s)", at, all, ranks,
					 at, ranks, all, ranks);
		return xasprintf("%s * (%s / %s) + %s / %s * (%s %% %s)", at, all, ranks, at, ranks,
				 all, ranks);
	default:
		rest = xasprintf("%s * ((%s + %s - 1) / %s)", at, all, ranks, ranks);
		some = xstrdup(all);
		text = least(fortran, rest, some);
		break;
	}
	free(rest);
	free(some);
	return text;
}

/* The text, and a constant of a few, are these values: all of it; NULL: they are not. */
static char *fitted(const struct env *env, uint32_t n, const int64_t *want, char *text)
{
	int64_t v, by = 0;

	for (uint32_t k = 0; k < n; k++) {
		bool known = env_value(&env[k], text, &v);

		by = k ? by : want[k] - v;
		if (!known || want[k] - v != by || by < -BLOCK_APART || by > BLOCK_APART) {
			free(text);
			return NULL;
		}
	}
	return more(text, by);
}

/* The text without blanks; owned by the caller. */
static char *compact(const char *text)
{
	char *all = xstrdup(text ? text : ""), *to = all;

	for (const char *c = all; *c; c++)
		if (!isspace((unsigned char)*c))
			*to++ = *c;
	*to = 0;
	return all;
}

/* What is divided in front of c has a product: "n*rank" of "n*rank/size". */
static bool is_product(const char *text, const char *c)
{
	unsigned depth = 0;

	for (bool outer = true; c > text && outer; c--) {
		if (c[-1] == ')' || c[-1] == ']')
			depth++;
		else if (c[-1] == '(' || c[-1] == '[')
			outer = depth && depth--;
		else if (!depth && strchr("=;,{}?:+-<>&|", c[-1]))
			outer = false;
		if (c[-1] == '*' && outer)
			return true;
	}
	return false;
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Where what the word at c is a member of begins: l.size, b%size, p->size. */
static const char *member_begin(const char *text, const char *c, bool fortran)
{
	while (c > text && (is_letter(c[-1]) || c[-1] == '.' || (c[-1] == '%' && fortran) ||
			    c[-1] == '>' || (c[-1] == '-' && *c == '>')))
		c--;
	return c;
}

/* The source, without blanks, computes so with the number of ranks. */
static bool computes(const char *text, bool fortran, const char *ranks, enum blocks how)
{
	const char *from = ranks + strcspn(ranks, "[("), *at;
	bool rest = false, product = false, plain = false, ceiling = false;
	char *name;
	size_t n = 0;

	while (from > ranks && is_letter(from[-1])) {
		from--;
		n++;
	}
	name = xstrndup(from, n);
	for (const char *c = text; n && (c = strstr(c, name)); c++) {
		if (is_letter(c[n]) || (c > text && is_letter(c[-1])))
			continue;
		at = member_begin(text, c, fortran);
		if (at - text < 4)
			continue;
		rest = rest || (fortran ? at[-1] == ',' && c[n] == ')' : at[-1] == '%');
		ceiling = ceiling || !strncmp(at - 4, "-1)/", 4);
		product = product || (at[-1] == '/' && is_product(text, at - 1));
		plain = plain || at[-1] == '/';
	}
	free(name);
	return how == SPREAD   ? rest
	       : how == SCALED ? product && !rest
	       : how == REST   ? plain && !rest && !product && !ceiling
			       : ceiling && !rest;
}

/* Of several that fit, as they do where ranks are two along a dimension, the one that the source
 * computes; owned by the caller. NULL: nothing says which. */
static char *which_block(char *fits[BLOCKS], const struct env *env, const char *ranks)
{
	char *text = NULL, *plain, *headers;
	unsigned n = 0, said = 0;

	for (unsigned how = 0; how < BLOCKS; how++)
		n += fits[how] != NULL;
	plain = compact(n > 1 && env->scan ? env->scan->text : NULL);
	headers = compact(n > 1 && env->scan ? env->scan->headers : NULL);
	for (unsigned how = 0; how < BLOCKS; how++) {
		if (!fits[how] || (n > 1 && !computes(plain, env->scan->fortran, ranks, how) &&
				   !computes(headers, env->scan->fortran, ranks, how)))
			continue;
		said++;
		text = fits[how];
	}
	free(plain);
	free(headers);
	return said == 1 ? xstrdup(text) : NULL;
}

char *cyclic_block(const struct guesses *g, const struct array_guess *a, unsigned d,
		   const struct env *env, uint32_t n, const int64_t *want, bool last, char *text,
		   bool *several)
{
	int64_t *rows;
	struct words w = { 0 };
	char *all, *whole, *at, *found = NULL, *fits[BLOCKS] = { NULL };
	uint32_t i = 0;
	bool any = false;

	/* (v + 1) * w fits by chance where ranks are two along a dimension */
	if (a->cyclic || (text && *text != '('))
		return text;
	if (!env->blocks) {
		free(text);
		return NULL;
	}
	rows = xcalloc(n, sizeof(*rows));
	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks && i < n; r++, i++)
			rows[i] = a->run[k].shape[d];
	all = expression(env, rows, n, NULL);
	if (all && words_of(g, a, d, env, n, &w)) {
		whole = strchr(all, ' ') ? xasprintf("(%s)", all) : xstrdup(all);
		at = last ? xasprintf("(%s + 1)", w.rank) : xstrdup(w.rank);
		for (enum blocks how = 0; how < BLOCKS; how++)
			fits[how] = fitted(env, n, want,
					   block_begin(how, env->scan && env->scan->fortran, at,
						       w.ranks, whole, last));
		found = which_block(fits, env, w.ranks);
		for (enum blocks how = 0; how < BLOCKS; how++) {
			any = any || fits[how];
			free(fits[how]);
		}
		free(whole);
		free(at);
	}
	words_clear(&w);
	free(rows);
	free(all);
	if (!any)
		return text;
	if (several && !found)
		*several = true;
	free(text);
	return found;
}

/* The values that were written first agree in all runs; what has none speaks neither way. */
static bool has_values(const struct guesses *g, const struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		uint32_t ref = k;

		training_reference(g, &g->training[k], &ref);
		if (ref != k && guesses_agree(g, a, k, ref, 0) < SURE)
			return false;
	}
	return true;
}

void guesses_misplaced(struct guesses *g)
{
	for (uint32_t i = 0; i < g->narray; i++) {
		struct array_guess *a = &g->array[i];

		for (uint32_t j = 0; j < g->narray && a->tiles && a->ndim == 1; j++) {
			const struct array_guess *b = &g->array[j];

			if (!b->misplaced || b->ndim != 1 || !guesses_as_large(g, a, b) ||
			    has_values(g, a))
				continue;
			memcpy(a->why_not, b->why_not, sizeof(a->why_not));
			a->tiles = false;
		}
	}
}
