/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What print shows of values other than all of them: those for which something holds, sorted, as a
 * histogram, as bars.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/bins.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "frontend/data/fetch.h"
#include "frontend/data/value_json.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/output/output.h"
#include "frontend/settings/settings.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"
#include "frontend/verbs/look/internal.h"

#define BARS 40 /* of a picture, at most: what is more is put together */

/* Elements that are left, by their numbers. */
struct left {
	uint64_t *number; /* owned */
	size_t n;
};

/* What is sorted: doubles order all numbers as well as a reader can see. */
struct sorting {
	double key;
	uint64_t number;
};

static double key_of(const struct values *q, size_t group, uint64_t i)
{
	struct value v = values_value(q, group, i);

	switch (v.class) {
	case VALUE_IS_REAL:
		return v.re;
	case VALUE_IS_COMPLEX:
		return hypot(v.re, v.im);
	default:
		return v.class == VALUE_IS_UINT ? (double)(uint64_t)v.i : (double)v.i;
	}
}

/* NaN comes last; equal ones stay in their order. */
static int by_key(const void *a, const void *b)
{
	const struct sorting *x = a, *y = b;

	if (isnan(x->key) != isnan(y->key))
		return isnan(x->key) ? 1 : -1;
	if (x->key < y->key || x->key > y->key)
		return x->key < y->key ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void sort(struct left *l, const struct values *q, size_t group)
{
	struct sorting *s = xcalloc(l->n + 1, sizeof(*s));

	for (size_t i = 0; i < l->n; i++)
		s[i] = (struct sorting){ key_of(q, group, l->number[i]), l->number[i] };
	qsort(s, l->n, sizeof(*s), by_key);
	for (size_t i = 0; i < l->n; i++)
		l->number[i] = s[i].number;
	free(s);
}

/* Those for which the mask holds; NULL: all. */
static struct left choose(const struct values *q, const struct values *mask, size_t group)
{
	uint64_t total = values_total(q);
	struct left l = { .number = xcalloc(total + 1, sizeof(*l.number)) };

	for (uint64_t i = 0; i < total; i++) {
		struct value v;

		if (mask)
			v = values_value(mask, group, mask->ndim ? i : 0);
		if (!mask || value_truth(&v))
			l.number[l.n++] = i;
	}
	return l;
}

/* "u[3][4]" with the indices that are typed as numbers; of an expression that is no name "[3][4]". */
static void element_name(const struct picture *p, const struct values *q, uint64_t number,
			 char *out, size_t size)
{
	bool named = p->e->kind == EXPR_NAME && (!p->e->nsub || p->section);
	const struct section *s = named ? p->section : NULL;
	int64_t index[ARRAY_DIMS];
	unsigned n = 0;

	for (unsigned d = 0; n < (s ? s->ndim : q->ndim); n++)
		if (s && s->dim[n].scalar) {
			index[n] = s->dim[n].first;
		} else {
			index[n] = values_index(q, d, values_place(q, d, number));
			d++;
		}
	names_element(named ? p->label : "", q->order == 'F', n, index, out, size);
}

static json_t *group_json(const struct picture *p, const struct values *q, const struct left *l,
			  size_t group, uint64_t most)
{
	json_t *list = json_array();
	char name[400];

	for (size_t i = 0; i < l->n && i < most; i++) {
		const unsigned char *bytes = q->group[group].bytes + l->number[i] * q->elem_size;

		element_name(p, q, l->number[i], name, sizeof(name));
		json_array_append_new(list, json_pack("{s:o s:o}", "element", out_json_text(name),
						      "value", value_json(q->type, bytes)));
	}
	return json_pack("{s:o s:s s:I s:I s:o}", "ranks", ask_ranks(&q->group[group].ranks),
			 "kind", value_type_name(q->type), "chosen", (json_int_t)l->n, "of",
			 (json_int_t)values_total(q), "list", list);
}

/* q and mask, cut to the ranks that have both and are of one group of each. */
static int together(const struct values *q, const struct values *mask, struct values *a,
		    struct values *b, struct err *err)
{
	struct values_piece *piece;
	size_t n;

	if (mask->ndim &&
	    (mask->ndim != q->ndim || memcmp(mask->count, q->count, sizeof(q->count))))
		return err_set(
			err, "print: -where needs a condition of the same shape, or a single one");
	if (mask->type == VALUE_STRUCT)
		return err_set(err, "print: -where needs a condition, not a structure");
	xalloc_check(values_refine(q, mask, &piece, &n));
	*a = (struct values){ .type = q->type, .elem_size = q->elem_size };
	*b = (struct values){ .type = mask->type, .elem_size = mask->elem_size };
	values_like(a, q);
	values_like(b, mask);
	for (size_t i = 0; i < n; i++) {
		xalloc_check(values_add(a, &piece[i].ranks, q->group[piece[i].i].bytes));
		xalloc_check(values_add(b, &piece[i].ranks, mask->group[piece[i].j].bytes));
	}
	values_pieces_free(piece, n);
	return 0;
}

static json_t *list_answer(const struct picture *p, const struct values *q,
			   const struct values *mask)
{
	uint64_t most = (uint64_t)settings_number(p->s->set, "PRINT_LIMIT");
	json_t *groups = json_array();

	for (size_t g = 0; g < q->n; g++) {
		struct left l = choose(q, mask, g);

		if (p->sorted)
			sort(&l, q, g);
		json_array_append_new(groups, group_json(p, q, &l, g, most));
		free(l.number);
	}
	return json_pack("{s:s s:o s:o}", "type", "elements", "expr", out_json_text(p->text),
			 "groups", groups);
}

/* ---- bars ---- */

/* Some that follow one another, as one bar: between the least and the most of them. */
struct bar {
	double sum, least, most;
	uint64_t n, odd; /* odd: NaN or infinite */
	char from[100], to[100];
};

static void bar_add(struct bar *b, double x, const char *label)
{
	if (!b->n && !b->odd)
		snprintf(b->from, sizeof(b->from), "%s", label);
	snprintf(b->to, sizeof(b->to), "%s", label);
	if (!isfinite(x)) {
		b->odd++;
		return;
	}
	b->least = b->n ? fmin(b->least, x) : x;
	b->most = b->n ? fmax(b->most, x) : x;
	b->sum += x;
	b->n++;
}

static json_t *bars_json(const struct bar *bar, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		char label[210];
		json_t *o;

		snprintf(label, sizeof(label), strcmp(bar[i].from, bar[i].to) ? "%s … %s" : "%s",
			 bar[i].from, bar[i].to);
		o = json_pack("{s:o s:I s:I}", "label", out_json_text(label), "count",
			      (json_int_t)(bar[i].n + bar[i].odd), "odd", (json_int_t)bar[i].odd);
		if (bar[i].n) {
			json_object_set_new(o, "value", json_real(bar[i].sum / (double)bar[i].n));
			json_object_set_new(o, "least", json_real(bar[i].least));
			json_object_set_new(o, "most", json_real(bar[i].most));
		}
		json_array_append_new(list, o);
	}
	return list;
}

static uint64_t each_of(uint64_t n)
{
	return n / BARS + (n % BARS != 0) + (n == 0);
}

/* Along an array. */
static json_t *along(const struct picture *p, const struct values *q, size_t group)
{
	uint64_t total = values_total(q), each = each_of(total);
	struct bar bar[BARS + 1] = { { 0 } };
	char name[400];

	for (uint64_t i = 0; i < total; i++) {
		element_name(p, q, i, name, sizeof(name));
		bar_add(&bar[i / each], key_of(q, group, i), name);
	}
	return bars_json(bar, (size_t)((total + each - 1) / each));
}

struct of_rank {
	uint32_t rank;
	double value;
};

static int by_rank(const void *a, const void *b)
{
	const struct of_rank *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The single number of each rank, to be freed. */
static struct of_rank *each_rank(const struct values *q, size_t *n)
{
	struct of_rank *all = NULL;

	*n = 0;
	for (size_t g = 0; g < q->n; g++)
		for (int64_t r = rankset_next(&q->group[g].ranks, 0); r >= 0;
		     r = rankset_next(&q->group[g].ranks, (uint32_t)r + 1))
			*xvec_add(all, *n) = (struct of_rank){ (uint32_t)r, key_of(q, g, 0) };
	if (*n)
		qsort(all, *n, sizeof(*all), by_rank);
	return all;
}

/* Over ranks. */
static json_t *over_ranks(const struct values *q)
{
	struct bar bar[BARS + 1] = { { 0 } };
	size_t n, each;
	struct of_rank *all = each_rank(q, &n);
	char label[32];

	each = (size_t)each_of(n);
	for (size_t i = 0; i < n; i++) {
		snprintf(label, sizeof(label), "[%" PRIu32 "]", all[i].rank);
		bar_add(&bar[i / each], all[i].value, label);
	}
	free(all);
	return bars_json(bar, (n + each - 1) / each);
}

static json_t *plot_answer(const struct picture *p, const struct values *q)
{
	json_t *groups = json_array();

	for (size_t g = 0; g < q->n && q->ndim; g++)
		json_array_append_new(groups,
				      json_pack("{s:o s:o}", "ranks", ask_ranks(&q->group[g].ranks),
						"list", along(p, q, g)));
	if (!q->ndim)
		json_array_append_new(groups, json_pack("{s:o s:o}", "ranks", ask_ranks(p->who),
							"list", over_ranks(q)));
	return json_pack("{s:s s:o s:o}", "type", "plot", "expr", out_json_text(p->text), "groups",
			 groups);
}

/* ---- a histogram ---- */

static json_t *histogram(const struct values *q, size_t group)
{
	uint64_t total = values_total(q), count[BINS_HISTOGRAM] = { 0 }, odd = 0;
	double least = INFINITY, most = -(double)INFINITY, from, to;
	json_t *list = json_array(), *o;

	for (uint64_t i = 0; i < total; i++) {
		double x = key_of(q, group, i);

		odd += !isfinite(x);
		least = isfinite(x) ? fmin(least, x) : least;
		most = isfinite(x) ? fmax(most, x) : most;
	}
	from = least < most ? least : least - fabs(least) / 2 - 0.5;
	to = least < most ? most : most + fabs(most) / 2 + 0.5;
	for (uint64_t i = 0; i < total && odd < total; i++) {
		double x = key_of(q, group, i), at = (x - from) / (to - from) * BINS_HISTOGRAM;

		if (isfinite(x))
			count[at >= BINS_HISTOGRAM ? BINS_HISTOGRAM - 1 : (unsigned)at]++;
	}
	for (unsigned i = 0; i < BINS_HISTOGRAM; i++)
		json_array_append_new(list, json_integer((json_int_t)count[i]));
	o = json_pack("{s:o s:I s:I}", "ranks", ask_ranks(&q->group[group].ranks), "of",
		      (json_int_t)total, "odd", (json_int_t)odd);
	if (odd < total)
		json_object_set_new(
			o, "bins",
			json_pack("{s:f s:f s:O}", "from", from, "to", to, "count", list));
	json_decref(list);
	return o;
}

/* Of a single number, over ranks: as an array with what each has. */
static json_t *histogram_over_ranks(const struct picture *p, const struct values *q)
{
	struct values each = { .type = VALUE_DOUBLE, .elem_size = sizeof(double), .ndim = 1 };
	size_t n;
	struct of_rank *all = each_rank(q, &n);
	double *number = xcalloc(n + 1, sizeof(*number));
	json_t *o;

	for (size_t i = 0; i < n; i++)
		number[i] = all[i].value;
	each.count[0] = n;
	xalloc_check(values_add(&each, p->who, number));
	o = histogram(&each, 0);
	values_clear(&each);
	free(number);
	free(all);
	return o;
}

static json_t *histogram_answer(const struct picture *p, const struct values *q)
{
	json_t *groups = json_array();

	if (!q->ndim)
		json_array_append_new(groups, histogram_over_ranks(p, q));
	for (size_t g = 0; g < q->n && q->ndim; g++)
		json_array_append_new(groups, histogram(q, g));
	return json_pack("{s:s s:o s:o s:s}", "type", "histogram", "expr", out_json_text(p->text),
			 "groups", groups, "of", q->ndim ? "element" : "rank");
}

json_t *picture_of(const struct picture *p, const struct values *q, const struct values *mask,
		   struct err *err)
{
	struct values a = { 0 }, b = { 0 };
	json_t *o;

	if (q->type == VALUE_STRUCT) {
		err_set(err, "print: %s is a structure: choose a field", p->text);
		return NULL;
	}
	if (p->plot)
		return plot_answer(p, q);
	if (p->histogram)
		return histogram_answer(p, q);
	if (!q->ndim && !p->sorted) {
		err_set(err, "print: -where needs an array, and %s is one number", p->text);
		return NULL;
	}
	if (!mask)
		return list_answer(p, q, NULL);
	if (together(q, mask, &a, &b, err))
		return NULL;
	o = list_answer(p, &a, &b);
	values_clear(&a);
	values_clear(&b);
	return o;
}
