/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/buf.h"
#include "common/construct.h"
#include "common/err.h"
#include "common/tally.h"
#include "frontend/session.h"
#include "frontend/symbol.h"

void sums_array_clear(struct sums_array *a)
{
	free(a->name);
	free(a->file);
	free(a->failed);
	sum_result_destroy(a->sum);
	rankset_clear(&a->ranks);
	differ_clear(&a->copies);
	memset(a, 0, sizeof(*a));
}

void sums_point_destroy(struct sums_point *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		sums_array_clear(&p->array[i]);
	free(p->array);
	free(p->where);
	free(p->func);
	free(p);
}

const char *sums_array_id(const struct sums_array *a, char *out, size_t size)
{
	const char *slash = strrchr(a->file, '/');

	snprintf(out, size, "(\"%s\", \"%s\", %u, %u)", a->name, slash ? slash + 1 : a->file, a->line,
		 a->counter);
	return out;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool sums_array_same(const struct sums_array *a, const struct sums_array *b)
{
	return a->counter == b->counter && !strcmp(a->name, b->name) &&
	       !strcmp(base(a->file), base(b->file));
}

const struct sums_array *sums_point_find(const struct sums_point *p, const struct sums_array *a)
{
	const struct sums_array *found = NULL;

	/* of several with one name and file that with the same line, else the first */
	for (size_t i = 0; i < p->n; i++) {
		if (!sums_array_same(&p->array[i], a))
			continue;
		if (p->array[i].line == a->line)
			return &p->array[i];
		found = found ? found : &p->array[i];
	}
	return found;
}

/* "[1000][1000]" of the plan as the language writes it. */
static void shape_text(const struct tally_item *x, FILE *f)
{
	fputc('(', f);
	for (unsigned d = 0; d < x->plan.ndim; d++)
		fprintf(f, "%s%" PRId64, d ? ", " : "", x->plan.extent[d]);
	fputc(')', f);
}

static void ranks_text(const struct rankset *ranks, FILE *f)
{
	char text[256];

	fputs(rankset_format(ranks, text, sizeof(text)), f);
}

/* Items i … j - 1 have one identifier and different geometry. */
static char *shapes_differ(const struct tally *t, size_t i, size_t j)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fputs("registered with different shapes: ", f);
	for (size_t k = i; k < j; k++) {
		fputs(k > i ? ", " : "", f);
		shape_text(&t->item[k], f);
		fputs(" on ", f);
		ranks_text(&t->item[k].ranks, f);
	}
	fclose(f);
	return text;
}

/* Why the elements that were added are not those of the whole array. */
static char *count_wrong(const struct tally *t, const struct tally_item *x, uint64_t count)
{
	struct rankset lacking = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fprintf(f, "%" PRIu64 " of %" PRIu64 " elements", count, x->plan.total);
	if (count > x->plan.total)
		fputs("; elements are owned by more than one rank", f);
	else if (!rankset_copy(&lacking, &t->passed) && !rankset_remove_set(&lacking, &x->ranks) &&
		 lacking.n) {
		fputs("; not registered on ", f);
		ranks_text(&lacking, f);
	} else {
		fputs("; the others are owned by no rank", f);
	}
	rankset_clear(&lacking);
	fclose(f);
	return text;
}

static int make_distributed(struct sums_array *a, const struct tally *t, const struct tally_item *x,
			    struct err *err)
{
	uint64_t count = x->sum ? sum_count(x->sum) : 0;

	if (!x->sum || count != x->plan.total) {
		a->failed = count_wrong(t, x, count);
		return a->failed ? 0 : err_set(err, "out of memory");
	}
	a->sum = sum_finish(x->sum, err);
	return a->sum ? 0 : -1;
}

/* The group with most ranks. */
static const struct differ_group *largest(const struct differ *d)
{
	const struct differ_group *most = &d->group[0];

	for (size_t i = 1; i < d->n; i++)
		if (rankset_count(&d->group[i].ranks) > rankset_count(&most->ranks))
			most = &d->group[i];
	return most;
}

static int make_replicated(struct sums_array *a, const struct tally_item *x, struct err *err)
{
	struct buf b;
	struct sum *s;

	if (!x->copies.n) {
		a->failed = strdup("no rank has told its copy");
		return a->failed ? 0 : err_set(err, "out of memory");
	}
	b = buf_view(largest(&x->copies)->blob, largest(&x->copies)->len);
	s = sum_get(&b, err);
	a->sum = s ? sum_finish(s, err) : NULL;
	sum_destroy(s);
	if (!a->sum)
		return -1;
	if (x->copies.n > 1 && differ_merge(&a->copies, &x->copies))
		return err_set(err, "out of memory");
	return 0;
}

static int make_array(struct sums_array *a, const struct tally *t, size_t i, size_t j,
		      struct err *err)
{
	const struct tally_item *x = &t->item[i];

	a->line = x->line;
	a->counter = x->counter;
	a->kind = x->kind;
	a->order = x->order;
	for (size_t k = i; k < j; k++)
		a->flags |= t->item[k].flags;
	memcpy(a->lower, x->lower, sizeof(a->lower));
	a->name = strdup(x->name);
	a->file = strdup(x->file);
	if (!a->name || !a->file || rankset_copy(&a->ranks, &x->ranks))
		return err_set(err, "out of memory");
	if (j - i > 1) {
		a->failed = shapes_differ(t, i, j);
		return a->failed ? 0 : err_set(err, "out of memory");
	}
	return x->kind == ARRAY_REPLICATED ? make_replicated(a, x, err)
					   : make_distributed(a, t, x, err);
}

static bool same_identifier(const struct tally_item *a, const struct tally_item *b)
{
	return a->line == b->line && a->counter == b->counter && !strcmp(a->name, b->name) &&
	       !strcmp(a->file, b->file);
}

static int make_place(struct session *s, struct sums_point *p, const struct tally *t)
{
	struct place place = tally_place(t);
	char where[512];

	symbols_resolve(s->symbols, &place);
	symbols_text(s->symbols, &place, where, sizeof(where));
	p->where = strdup(where);
	p->func = strdup(place.func ? place.func : "");
	return p->where && p->func ? 0 : -1;
}

struct sums_point *sums_point_make(struct session *s, const struct tally *t,
				   const struct rankset *missing, struct err *err)
{
	struct sums_point *p = calloc(1, sizeof(*p));

	if (!p) {
		err_set(err, "out of memory");
		return NULL;
	}
	p->point = t->point;
	p->kind = t->kind;
	p->partial = t->dropped.n || (missing && missing->n);
	p->array = calloc(t->n ? t->n : 1, sizeof(*p->array));
	if (!p->array || make_place(s, p, t)) {
		err_set(err, "out of memory");
		goto fail;
	}
	for (size_t i = 0, j; i < t->n; i = j) {
		for (j = i + 1; j < t->n && same_identifier(&t->item[i], &t->item[j]);)
			j++;
		p->n++;
		if (make_array(&p->array[p->n - 1], t, i, j, err))
			goto fail;
	}
	return p;
fail:
	sums_point_destroy(p);
	return NULL;
}
