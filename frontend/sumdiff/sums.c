/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/sumdiff/sumdiff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"
#include "frontend/model/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

void sums_array_clear(struct sums_array *a)
{
	free(a->name);
	free(a->file);
	free(a->shown);
	free(a->failed);
	sum_result_destroy(a->sum);
	rankset_clear(&a->ranks);
	groups_clear(&a->copies);
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

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *sums_array_id(const struct sums_array *a, char *out, size_t size)
{
	const char *colon = a->shown ? strrchr(a->shown, ':') : NULL;

	if (*a->file || !colon)
		snprintf(out, size, "(\"%s\", \"%s\", %u, %u)", a->name, base(a->file), a->line,
			 a->counter);
	else
		snprintf(out, size, "(\"%s\", \"%.*s\", %s, %u)", a->name, (int)(colon - a->shown),
			 a->shown, colon + 1, a->counter);
	return out;
}

bool sums_array_same(const struct sums_array *a, const struct sums_array *b)
{
	return a->counter == b->counter && !strcmp(a->name, b->name) &&
	       !strcmp(base(a->file), base(b->file));
}

static bool both_gone(const struct sums_array *a, const struct sums_array *b)
{
	return !((a->flags ^ b->flags) & POINT_SUMS_GONE);
}

const struct sums_array *sums_point_find(const struct sums_point *p, const struct sums_array *a)
{
	const struct sums_array *found = NULL;

	/* of several with one name and file that with the same line, else the first */
	for (size_t i = 0; i < p->n; i++) {
		if (!sums_array_same(&p->array[i], a) || !both_gone(&p->array[i], a))
			continue;
		if (p->array[i].line == a->line)
			return &p->array[i];
		found = found ? found : &p->array[i];
	}
	return found;
}

/* In what items with one identifier differ, beside their extents. */
struct unlike {
	bool lower, type, order, kind, split;
};

static struct unlike unlike_of(const struct point_sums_item *x, size_t n)
{
	struct unlike u = { 0 };
	bool extent = false;

	for (size_t k = 1; k < n; k++) {
		extent |= x[k].plan.ndim != x->plan.ndim ||
			  memcmp(x[k].plan.extent, x->plan.extent, sizeof(x->plan.extent)) != 0;
		u.lower |= memcmp(x[k].lower, x->lower, sizeof(x->lower)) != 0;
		u.type |= x[k].plan.type != x->plan.type;
		u.order |= x[k].order != x->order;
		u.kind |= x[k].kind != x->kind;
		u.split |= x[k].split != x->split;
	}
	/* bounds that differ because extents do say nothing more */
	u.lower = u.lower && !extent;
	return u;
}

/* "(100, 100)"; with bounds "(1:100, 1:100)", with type "double (100)", and so on. */
static void shape_text(const struct point_sums_item *x, const struct unlike *u, FILE *f)
{
	if (u->kind)
		fputs(x->kind == ARRAY_REPLICATED ? "replicated " : "distributed ", f);
	if (u->type)
		fprintf(f, "%s ", value_type_name(x->plan.type));
	fputc('(', f);
	for (unsigned d = 0; d < x->plan.ndim; d++) {
		fputs(d ? ", " : "", f);
		if (u->lower)
			fprintf(f, "%" PRId64 ":%" PRId64, x->lower[d],
				x->lower[d] + x->plan.extent[d] - 1);
		else
			fprintf(f, "%" PRId64, x->plan.extent[d]);
	}
	fputc(')', f);
	if (u->split)
		fprintf(f, " in %" PRIu32 " cop%s", x->split ? x->split : 1,
			x->split ? "ies" : "y");
	if (u->order)
		fprintf(f, " in the order of %s", x->order == 'F' ? "Fortran" : "C");
}

static void ranks_text(const struct rankset *ranks, FILE *f)
{
	char text[256];

	fputs(rankset_format(ranks, text, sizeof(text)), f);
}

/* Closes f, whose text is *text. */
static char *text_of(FILE *f, char **text)
{
	xmemstream_close(f);
	return *text;
}

/* The n items have one identifier and different geometry. */
static char *shapes_differ(const struct point_sums_item *x, size_t n)
{
	struct unlike u = unlike_of(x, n);
	char *text = NULL;
	size_t len = 0;
	FILE *f = xmemstream(&text, &len);

	fputs("registered with different shapes: ", f);
	for (size_t k = 0; k < n; k++) {
		fputs(k ? ", " : "", f);
		shape_text(&x[k], &u, f);
		fputs(" on ", f);
		ranks_text(&x[k].ranks, f);
	}
	return text_of(f, &text);
}

/* Ranks that have passed the point and do not have x. */
static void lacking(const struct point_sums *t, const struct point_sums_item *x,
		    struct rankset *out)
{
	xrankset_copy(out, &t->passed);
	xrankset_remove_set(out, &x->ranks);
}

/* Why the elements that were added are not those of the whole array; uneven as in sums_array. */
static char *count_wrong(const struct point_sums *t, const struct point_sums_item *x,
			 uint64_t count, bool *uneven)
{
	struct rankset without = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *f = xmemstream(&text, &len);

	fprintf(f, "%" PRIu64 " of %" PRIu64 " elements", count, x->plan.total);
	lacking(t, x, &without);
	if (count > x->plan.total) {
		fputs("; elements are owned by more than one rank", f);
	} else if (without.n) {
		fputs("; not registered on ", f);
		ranks_text(&without, f);
	} else {
		fputs("; the others are owned by no rank", f);
	}
	*uneven = !without.n;
	rankset_clear(&without);
	return text_of(f, &text);
}

/* Whether each block has as many elements as belong into it. */
static bool blocks_full(const struct sum_result *r)
{
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];

	for (uint32_t i = 0; i < r->plan.blocks; i++) {
		uint64_t size = 1;

		sum_plan_box(&r->plan, i, lo, hi);
		for (unsigned d = 0; d < r->plan.ndim; d++)
			size *= (uint64_t)(hi[d] - lo[d] + 1);
		if (r->block[i].count != size)
			return false;
	}
	return true;
}

/* The sum of elements that are all there once; else a->failed says why not. -1: err. */
static int finish_sum(struct sums_array *a, const struct sum *sum, struct err *err)
{
	a->sum = sum_finish(sum, err);
	if (!a->sum || blocks_full(a->sum))
		return a->sum ? 0 : -1;
	sum_result_destroy(a->sum);
	a->sum = NULL;
	a->uneven = true;
	a->failed = xstrdup("some elements are owned by more than one rank and others by none");
	return 0;
}

static int make_distributed(struct sums_array *a, const struct point_sums *t,
			    const struct point_sums_item *x, struct err *err)
{
	uint64_t count = x->sum ? sum_count(x->sum) : 0;

	if (!x->sum || count != x->plan.total) {
		a->failed = count_wrong(t, x, count, &a->uneven);
		return 0;
	}
	return finish_sum(a, x->sum, err);
}

/* Copies that are equal are one group; one group alone is none. */
static void group_copies(struct sums_array *a, const struct point_sums_item *x)
{
	struct buf b = BUF_INIT;
	bool equal = true;

	for (size_t k = 1; k < x->npart; k++)
		equal &= sum_hash(x->part[k].sum) == sum_hash(x->part[0].sum);
	for (size_t k = 0, i; k < x->npart && !equal; k++) {
		for (i = 0; sum_hash(x->part[i].sum) != sum_hash(x->part[k].sum);)
			i++;
		buf_reset(&b);
		sum_put(x->part[i].sum, &b);
		xalloc_check(b.bad ||
			     groups_add(&a->copies, &x->part[k].ranks, b.data, b.len));
	}
	buf_clear(&b);
}

/* a->sum is the sum of this copy, or a->failed says why it is not whole. -1: err. */
static int finish_copy(struct sums_array *a, const struct point_sums *t,
		       const struct point_sums_item *x, const struct point_sums_copy *copy,
		       struct err *err)
{
	uint64_t count = sum_count(copy->sum);
	char *why;

	sum_result_destroy(a->sum);
	a->sum = NULL;
	if (count != x->plan.total)
		a->failed = count_wrong(t, x, count, &a->uneven);
	else if (finish_sum(a, copy->sum, err))
		return -1;
	why = a->failed;
	if (why)
		a->failed = xasprintf("copy %" PRIu32 ": %s", copy->number, why);
	free(why);
	return 0;
}

/* The sum of copy 0, which comes last. Each copy has to be whole. */
static int make_split(struct sums_array *a, const struct point_sums *t,
		      const struct point_sums_item *x, struct err *err)
{
	uint32_t whole = 0;

	a->split = true;
	for (size_t k = x->npart; k-- > 0 && !a->failed;)
		if (finish_copy(a, t, x, &x->part[k], err))
			return -1;
	while (whole < x->npart && x->part[whole].number == whole)
		whole++;
	if (!a->failed && whole < x->split) {
		a->failed = xasprintf("no rank has copy %" PRIu32 " of %" PRIu32, whole, x->split);
		a->uneven = true;
	}
	if (!a->failed) {
		group_copies(a, x);
		return 0;
	}
	sum_result_destroy(a->sum);
	a->sum = NULL;
	return 0;
}

/* The group with most ranks. */
static const struct rank_group *largest(const struct groups *d)
{
	const struct rank_group *most = &d->group[0];

	for (size_t i = 1; i < d->n; i++)
		if (rankset_count(&d->group[i].ranks) > rankset_count(&most->ranks))
			most = &d->group[i];
	return most;
}

/* Fills in a->failed when not every rank that has passed the point has x. */
static void check_everywhere(struct sums_array *a, const struct point_sums *t,
			     const struct point_sums_item *x)
{
	struct rankset without = { 0 };
	char ranks[256];

	lacking(t, x, &without);
	if (without.n)
		a->failed = xasprintf("not registered on %s",
				      rankset_format(&without, ranks, sizeof(ranks)));
	rankset_clear(&without);
}

static int make_replicated(struct sums_array *a, const struct point_sums *t,
			   const struct point_sums_item *x, struct err *err)
{
	struct buf b;
	struct sum *s;

	check_everywhere(a, t, x);
	if (!a->failed && !x->copies.n)
		a->failed = xstrdup("no rank has reported its copy");
	if (a->failed)
		return 0;
	b = buf_view(largest(&x->copies)->blob, largest(&x->copies)->len);
	s = sum_get(&b, err);
	a->sum = s ? sum_finish(s, err) : NULL;
	sum_destroy(s);
	if (!a->sum)
		return -1;
	if (x->copies.n > 1)
		xalloc_check(groups_merge(&a->copies, &x->copies));
	return 0;
}

/* Where an object from Fortran was registered. */
static void show_place(struct session *s, struct sums_array *a, const struct point_sums_item *x)
{
	struct place place = { .file = "", .func = "", .module = x->module, .vaddr = x->vaddr };
	char where[512];

	if (!x->module || !*x->module)
		return;
	symbols_resolve(s->symbols, &place);
	if (!place.line)
		return;
	a->shown = xstrdup(symbols_text(s->symbols, &place, where, sizeof(where)));
}

/* x is the first of n items with one identifier. */
static int make_array(struct session *s, struct sums_array *a, const struct point_sums *t,
		      const struct point_sums_item *x, size_t n, struct err *err)
{
	show_place(s, a, x);
	a->line = x->line;
	a->counter = x->counter;
	a->kind = x->kind;
	a->order = x->order;
	memcpy(a->lower, x->lower, sizeof(a->lower));
	a->name = xstrdup(x->name);
	a->file = xstrdup(x->file);
	for (size_t k = 0; k < n; k++) {
		a->flags |= x[k].flags;
		xrankset_add_set(&a->ranks, &x[k].ranks);
	}
	if (n > 1) {
		a->failed = shapes_differ(x, n);
		return 0;
	}
	if (x->kind == ARRAY_REPLICATED)
		return make_replicated(a, t, x, err);
	return x->split ? make_split(a, t, x, err) : make_distributed(a, t, x, err);
}

static bool same_identifier(const struct point_sums_item *a, const struct point_sums_item *b)
{
	return a->line == b->line && a->counter == b->counter && !strcmp(a->name, b->name) &&
	       !strcmp(a->file, b->file) && !((a->flags ^ b->flags) & POINT_SUMS_GONE);
}

static void make_place(struct session *s, struct sums_point *p, const struct point_sums *t)
{
	struct place place = point_sums_place(t);
	char where[512];

	symbols_resolve(s->symbols, &place);
	symbols_text(s->symbols, &place, where, sizeof(where));
	p->where = xstrdup(where);
	p->func = xstrdup(place.func ? place.func : "");
}

struct sums_point *sums_point_make(struct session *s, const struct point_sums *t,
				   const struct rankset *missing, struct err *err)
{
	struct sums_point *p = xcalloc(1, sizeof(*p));

	p->point = t->point;
	p->kind = t->kind;
	p->partial = t->dropped.n || (missing && missing->n);
	p->array = xcalloc(t->n ? t->n : 1, sizeof(*p->array));
	make_place(s, p, t);
	for (size_t i = 0, j; i < t->n; i = j) {
		for (j = i + 1; j < t->n && same_identifier(&t->item[i], &t->item[j]);)
			j++;
		p->n++;
		if (make_array(s, &p->array[p->n - 1], t, &t->item[i], j - i, err))
			goto fail;
	}
	return p;
fail:
	sums_point_destroy(p);
	return NULL;
}
