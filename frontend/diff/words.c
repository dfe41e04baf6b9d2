/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/diff/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xrankset.h"

#define FEW 4 /* indices that are reported one by one */

static int by_value(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return (a > b) - (a < b);
}

/*
 * An element can be right by chance, as where a wrong value is near zero: nine of ten are taken for
 * a range.
 */
static enum set_kind kind_of(struct set *s, int64_t extent)
{
	uint64_t k = 2, span;

	if ((int64_t)s->n == extent)
		return SET_FULL;
	if (s->n == 1)
		return SET_ONE;
	span = (uint64_t)(s->g[s->n - 1] - s->g[0]) + 1;
	if (span == s->n)
		return SET_RANGE;
	while (k < s->n && s->g[k] - s->g[k - 1] == s->g[1] - s->g[0])
		k++;
	if (s->n > 2 && k == s->n)
		return SET_STRIDE;
	s->nearly = s->n >= span - span / 10;
	if (s->nearly)
		return SET_RANGE;
	return s->n <= FEW ? SET_FEW : SET_MANY;
}

static int set_make(struct set *s, const struct diff_map *m, unsigned d)
{
	uint64_t count = section_count(m->in->section, d), k = 0;

	s->g = calloc(count + 1, sizeof(*s->g));
	if (!s->g)
		return -1;
	for (uint64_t i = 0; i < count; i++)
		if (m->hist[d][i])
			s->g[s->n++] = section_index(m->in->section, d, i);
	qsort(s->g, s->n, sizeof(*s->g), by_value);
	for (uint64_t i = 0; i < s->n; i++)
		if (!k || s->g[k - 1] != s->g[i])
			s->g[k++] = s->g[i];
	s->n = k;
	s->low = m->in->lower[d];
	s->high = s->low + m->in->extent[d] - 1;
	s->kind = kind_of(s, m->in->extent[d]);
	return 0;
}

const struct array_desc *words_owner(const struct words *w, size_t k)
{
	return &w->m->in->owner[k].desc;
}

size_t words_owners(const struct words *w)
{
	return w->m->share ? w->m->in->nowner : 0;
}

bool words_mine(const struct words *w, size_t k)
{
	return w->m->share[k].differ != 0;
}

bool words_whole(const struct words *w, size_t k, unsigned d)
{
	return words_owner(w, k)->list[d] || (words_owner(w, k)->own_lo[d] <= w->set[d].low &&
					      words_owner(w, k)->own_hi[d] >= w->set[d].high);
}

void put_ranks(const struct words *w, const struct rankset *set, bool word)
{
	char text[160];

	if (rankset_count(set) == 1)
		fprintf(w->f, "rank %u", set->run[0].lo);
	else
		fprintf(w->f, "%s%s", word ? "ranks " : "",
			rankset_format(set, text, sizeof(text)));
}

void put_pair(const struct words *w, const struct rankset *a, const struct rankset *b)
{
	char x[160], y[160];

	if (rankset_count(a) == 1 && rankset_count(b) == 1)
		fprintf(w->f, "ranks %u and %u", a->run[0].lo, b->run[0].lo);
	else
		fprintf(w->f, "%s and %s", rankset_format(a, x, sizeof(x)),
			rankset_format(b, y, sizeof(y)));
}

void put_what_is_owned(const struct words *w)
{
	fputs("what ", w->f);
	put_ranks(w, &w->mine, false);
	fputs(rankset_count(&w->mine) == 1 ? " owns" : " own", w->f);
}

const char *words_noun(const struct words *w, unsigned d, bool many)
{
	static const char *const one[] = { "element", "row", "column", "plane", "index" };
	static const char *const several[] = { "elements", "rows", "columns", "planes", "indices" };
	unsigned k = w->ndim == 1 ? 0 : w->ndim == 2 ? 1 + d : w->ndim == 3 ? 3 : 4;

	return many ? several[k] : one[k];
}

/* In front of indices: "row ", "columns ", "k = ", "dimension 4 = ". */
static void put_lead(const struct words *w, unsigned d, bool many)
{
	if (w->ndim <= 2)
		fprintf(w->f, "%s ", words_noun(w, d, many));
	else if (w->ndim == 3)
		fprintf(w->f, "%c = ", 'i' + (char)d);
	else
		fprintf(w->f, "dimension %u = ", d + 1);
}

/* The thing that is counted in "every 4th …" and "37 of the …". */
static void put_counted(const struct words *w, unsigned d)
{
	if (w->ndim <= 2)
		fputs(words_noun(w, d, false), w->f);
	else if (w->ndim == 3)
		fprintf(w->f, "%c", 'i' + (char)d);
	else
		fprintf(w->f, "index of dimension %u", d + 1);
}

static const char *ordinal(int64_t n)
{
	if (n % 100 >= 11 && n % 100 <= 13)
		return "th";
	return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

static void put_stride(const struct words *w, unsigned d)
{
	const struct set *s = &w->set[d];
	int64_t step = s->g[1] - s->g[0], last = s->g[s->n - 1];

	fprintf(w->f, "every %" PRId64 "%s ", step, ordinal(step));
	put_counted(w, d);
	fprintf(w->f, " from %" PRId64, s->g[0]);
	if (last + step <= s->high)
		fprintf(w->f, " to %" PRId64, last);
}

void put_set(const struct words *w, unsigned d)
{
	const struct set *s = &w->set[d];

	if (s->kind == SET_STRIDE) {
		put_stride(w, d);
		return;
	}
	if (s->kind == SET_MANY)
		fprintf(w->f, "%" PRIu64 " of %s", s->n, w->ndim <= 2 ? "the " : "");
	if (s->nearly)
		fprintf(w->f, "nearly all %s", w->ndim <= 2 ? "" : "of ");
	put_lead(w, d, s->n > 1);
	fprintf(w->f, "%" PRId64, s->g[0]);
	if (s->kind == SET_FEW)
		for (uint64_t i = 1; i < s->n; i++)
			fprintf(w->f, "%s%" PRId64, i + 1 == s->n ? " and " : ", ", s->g[i]);
	else if (s->n > 1)
		fprintf(w->f, " to %" PRId64, s->g[s->n - 1]);
}

void put_box(const struct words *w)
{
	const struct diff_map *m = w->m;
	bool fortran = m->in->order == 'F';

	for (unsigned d = 0; d < w->ndim; d++) {
		fputs(fortran ? (d ? "," : "(") : "[", w->f);
		fprintf(w->f, "%" PRId64, m->lo[d]);
		if (m->lo[d] != m->hi[d])
			fprintf(w->f, ":%" PRId64, m->hi[d]);
		fputs(fortran && d + 1 < w->ndim ? "" : fortran ? ")" : "]", w->f);
	}
}

int words_begin(struct words *w, const struct diff_map *m)
{
	memset(w, 0, sizeof(*w));
	w->m = m;
	w->ndim = m->in->section->ndim;
	for (unsigned d = 0; d < w->ndim; d++)
		if (set_make(&w->set[d], m, d))
			return -1;
	for (size_t k = 0; k < words_owners(w); k++) {
		uint32_t rank = m->in->owner[k].rank;

		if (words_mine(w, k))
			xrankset_add(&w->mine, rank, rank);
	}
	return 0;
}

void words_end(struct words *w)
{
	for (unsigned d = 0; d < w->ndim; d++)
		free(w->set[d].g);
	rankset_clear(&w->mine);
}
