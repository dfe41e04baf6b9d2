/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reduction of an expression over what this rank owns: the first distributed array in it says
 * which elements these are, and it is evaluated for them, so many at a time. Other arrays must have
 * the same ones here, replicated objects are hashed, so that ranks that have others are not added
 * up with this one.
 */
#include "runtime/exec/query/query.h"

#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/array/reduce.h"
#include "common/array/values.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/hash.h"
#include "common/expr/expr.h"
#include "runtime/exec/page/page.h"
#include "runtime/exec/query/internal.h"

#define WINDOW 16384 /* elements that are evaluated at once, as far as one dimension can be cut */

struct reducing {
	struct test t;
	uint64_t same;
	bool first; /* window: replicated values are hashed */
	/* the array that says which elements */
	struct values shape; /* without groups: of the whole section */
	struct layout own;   /* what of it is here; coordinates are positions in the section */
	struct section section;
	unsigned dim[ARRAY_DIMS]; /* of own, that each dimension of shape is */
	/* the window: so many positions from that number on */
	int64_t from[ARRAY_DIMS], n[ARRAY_DIMS];
};

/* ---- which elements ---- */

/* Gives fn the names outside of subscripts; it ends with what is not 0. */
static int each_name(const struct expr *e,
		     int (*fn)(struct reducing *w, const struct expr *e, struct err *err),
		     struct reducing *w, struct err *err)
{
	int rc = 0;

	if (!e || e->kind == EXPR_NUMBER)
		return 0;
	if (e->kind == EXPR_NAME && !(expr_is_call(e) && !test_known(&w->t, e->name)))
		return fn(w, e, err);
	for (size_t i = 0; !rc && e->kind == EXPR_NAME && i < e->nsub; i++)
		rc = each_name(e->sub[i].first, fn, w, err);
	rc = rc ? rc : each_name(e->a, fn, w, err);
	return rc ? rc : each_name(e->b, fn, w, err);
}

static struct expr_scope plain(struct reducing *w)
{
	return (struct expr_scope){ .arg = &w->t, .resolve = test_resolve, .known = test_known };
}

/* An index that is an array of the program: 1. Those are the front end's. */
static int has_vector(struct reducing *w, const struct expr *e, struct err *err)
{
	const struct expr_scope scope = plain(w);

	for (size_t i = 0; i < e->nsub; i++) {
		struct values q = { 0 };
		bool vector;

		if (!e->sub[i].first || e->sub[i].range)
			continue;
		if (expr_eval(e->sub[i].first, &w->t.who, &scope, &q, err))
			return -1;
		vector = q.ndim;
		values_clear(&q);
		if (vector)
			return 1;
	}
	return 0;
}

/* Shape and indices of a bound section. */
static void take_shape(struct reducing *w, const struct target *t, const struct section *s)
{
	struct values *q = &w->shape;

	*q = (struct values){ .order = (char)t->desc.order };
	for (unsigned d = 0; d < s->ndim; d++)
		if (!s->dim[d].scalar) {
			w->dim[q->ndim] = d;
			values_add_dim(q, s, d);
		}
}

/* 1: this is the array. */
static int is_driver(struct reducing *w, const struct expr *e, struct err *err)
{
	const struct expr_scope scope = plain(w);
	struct section asked = { 0 };
	struct target t = { 0 };
	struct object o = { 0 };
	int rc;

	if (*e->name == '$')
		return 0;
	rc = target_find(&t, &o, w->t.r, e->name, err);
	if (!rc && t.desc.kind == ARRAY_DISTRIBUTED && t.desc.ndim) {
		rc = expr_section(e, &w->t.who, &scope, &asked, err);
		if (!rc)
			rc = target_section(&t, &asked, &w->section, err);
		if (!rc)
			take_shape(w, &t, &w->section);
		if (!rc && w->shape.ndim && t.count == 1)
			rc = layout_section(&w->own, &t.desc, t.unit, &w->section, err) ? -1 : 1;
	}
	section_clear(&asked);
	target_clear(&t, &o);
	return rc;
}

/* ---- the elements of a window ---- */

/* The indices of the window in a dimension of another section of that shape. */
static int cut_dim(const struct reducing *w, unsigned k, const struct section *s, unsigned d,
		   struct section_dim *out)
{
	int64_t from = w->from[k], n = w->n[k];
	uint64_t first = n ? layout_at(&w->own, w->dim[k], from) : 0;
	uint64_t last = n ? layout_at(&w->own, w->dim[k], from + n - 1) : 0;

	*out = (struct section_dim){ .step = s->dim[d].step ? s->dim[d].step : 1 };
	if (!s->dim[d].vector && last - first + 1 == (uint64_t)n) {
		bool ordered = true;

		for (int64_t i = 0; ordered && w->own.list[w->dim[k]] && i < n; i++)
			ordered = layout_at(&w->own, w->dim[k], from + i) == first + (uint64_t)i;
		if (ordered) {
			out->first = section_index(s, d, first);
			out->last = section_index(s, d, last);
			return 0;
		}
	}
	out->vector = calloc((size_t)n + 1, sizeof(*out->vector));
	if (!out->vector)
		return -1;
	out->n = (uint32_t)n;
	for (int64_t i = 0; i < n; i++)
		out->vector[i] = section_index(s, d, layout_at(&w->own, w->dim[k], from + i));
	return 0;
}

static uint64_t window_total(const struct reducing *w)
{
	uint64_t n = 1;

	for (unsigned k = 0; k < w->shape.ndim; k++)
		n *= (uint64_t)w->n[k];
	return n;
}

/* The part of a section, of that shape, that the window is; false: of another shape. */
static int cut(const struct reducing *w, const struct section *s, struct section *out,
	       struct err *err)
{
	unsigned k = 0;

	out->ndim = s->ndim;
	for (unsigned d = 0; d < s->ndim; d++) {
		if (s->dim[d].scalar) {
			out->dim[d] = s->dim[d];
			continue;
		}
		if (k == w->shape.ndim || section_count(s, d) != w->shape.count[k])
			return 1;
		if (cut_dim(w, k++, s, d, &out->dim[d]))
			return err_set(err, "out of memory");
	}
	return k != w->shape.ndim;
}

/* Type and shape of what is fetched of a window. */
static void window_shape(const struct reducing *w, unsigned type, struct values *out)
{
	values_like(out, &w->shape);
	for (unsigned k = 0; k < out->ndim; k++)
		out->count[k] = (uint64_t)w->n[k];
	out->type = type;
	out->elem_size = (uint32_t)value_size(type);
}

/* Of a distributed array; 1: its elements of the window are not all here. */
static int read_window(struct reducing *w, struct target *t, const struct section *asked,
		       struct values *out, struct err *err)
{
	struct section s = { 0 }, part = { 0 };
	struct layout p = { 0 };
	uint64_t total = window_total(w);
	void *bytes = NULL;
	int rc = asked ? section_copy(&s, asked) : 0;

	if (rc || section_bind(&s, t->name, t->desc.ndim, t->desc.lower, t->desc.extent, err))
		rc = -1;
	rc = rc ? rc : cut(w, &s, &part, err);
	if (!rc && total)
		rc = layout_section(&p, &t->desc, t->unit, &part, err) ? -1
								       : layout_total(&p) != total;
	if (!rc) {
		window_shape(w, t->type, out);
		bytes = malloc(total * t->size + 1);
		if (!bytes)
			rc = err_set(err, "out of memory");
	}
	if (!rc && total && (target_base(t, w->t.m, err) || target_read(t, &p, w->t.m, bytes, err)))
		rc = -1;
	if (!rc) {
		rc = values_adopt(out, &w->t.who, bytes) ? err_set(err, "out of memory") : 0;
		bytes = NULL;
	}
	free(bytes);
	layout_clear(&p);
	section_clear(&part);
	section_clear(&s);
	return rc;
}

/* The elements of the window from all of a replicated array; 1: it is of another shape. */
static int pick(struct reducing *w, struct values *out, struct err *err)
{
	struct values all = *out, part = { 0 };
	uint64_t total = window_total(w), at[ARRAY_DIMS];
	unsigned char *bytes;
	bool same = all.ndim == w->shape.ndim;

	for (unsigned k = 0; same && k < all.ndim; k++)
		same = all.count[k] == w->shape.count[k];
	if (!same)
		return 1;
	window_shape(w, all.type, &part);
	bytes = malloc(total * all.elem_size + 1);
	if (!bytes)
		return err_set(err, "out of memory");
	for (uint64_t i = 0; i < total; i++) {
		uint64_t from = 0;

		for (unsigned k = 0; k < part.ndim; k++) {
			at[k] = layout_at(&w->own, w->dim[k],
					  w->from[k] + (int64_t)values_place(&part, k, i));
			from = from * all.count[k] + at[k];
		}
		memcpy(bytes + i * all.elem_size, all.group[0].bytes + from * all.elem_size,
		       all.elem_size);
	}
	*out = part;
	values_clear(&all);
	return values_adopt(out, &w->t.who, bytes) ? err_set(err, "out of memory") : 0;
}

static int resolve(void *arg, const char *name, const struct section *sec, struct values *out,
		   struct err *err)
{
	struct reducing *w = arg;
	struct target t = { 0 };
	struct object o = { 0 };
	int rc;

	if (!target_find(&t, &o, w->t.r, name, err) && t.desc.kind == ARRAY_DISTRIBUTED &&
	    t.desc.ndim) {
		rc = t.count != 1 || !value_size(t.type) ? 1 : read_window(w, &t, sec, out, err);
	} else {
		rc = test_resolve(&w->t, name, sec, out, err);
		if (!rc && w->first)
			w->same = hash_bytes(hash_text(w->same, name), out->group[0].bytes,
					     values_total(out) * out->elem_size);
		if (!rc && out->ndim)
			rc = pick(w, out, err);
	}
	target_clear(&t, &o);
	if (rc > 0) {
		w->t.absent = true;
		rc = err_set(err, "%s is not on this rank alone", name);
	}
	if (rc)
		values_clear(out);
	return rc;
}

/* ---- all windows ---- */

/* The numbers by which the first of equal ones is found. */
static int add_numbered(struct reducing *w, struct reduction *r, const struct values *q,
			uint64_t total)
{
	uint64_t *number = malloc((total + 1) * sizeof(*number));

	if (!number)
		return -1;
	for (uint64_t i = 0; i < total; i++) {
		uint64_t at = 0;

		for (unsigned k = 0; k < w->shape.ndim; k++) {
			uint64_t place = layout_at(&w->own, w->dim[k],
						   w->from[k] + (int64_t)values_place(q, k, i));

			at = at * w->shape.count[k] + place;
		}
		number[i] = reduce_number(&w->shape, at);
	}
	reduce_add_numbered(r, q->group[0].bytes, number, total);
	free(number);
	return 0;
}

static int add_window(struct reducing *w, const struct expr *e, unsigned what, struct reduction *r,
		      struct err *err)
{
	const struct expr_scope scope = { .arg = w, .resolve = resolve, .known = test_known };
	uint64_t total = window_total(w);
	struct values q = { 0 };
	unsigned type;
	int rc;

	rc = expr_eval(e, &w->t.who, &scope, &q, err);
	if (!rc && w->first) {
		rc = reduce_type(what, q.type, &type, err);
		reduce_begin(r, what, q.type);
	}
	if (!rc && (q.ndim != w->shape.ndim || values_total(&q) != total || q.n != 1)) {
		w->t.absent = true;
		rc = -1;
	}
	if (!rc && (what == REDUCE_LEAST_AT || what == REDUCE_MOST_AT))
		rc = add_numbered(w, r, &q, total) ? err_set(err, "out of memory") : 0;
	else if (!rc)
		reduce_add(r, q.group[0].bytes, total);
	values_clear(&q);
	return rc;
}

/* What the rank owns, cut along the dimension that is slowest in memory. */
static int add_windows(struct reducing *w, const struct expr *e, unsigned what, struct reduction *r,
		       struct err *err)
{
	unsigned slow = w->shape.order == 'F' ? w->shape.ndim - 1 : 0;
	int64_t all, each;
	uint64_t total;
	int rc = 0;

	for (unsigned k = 0; k < w->shape.ndim; k++) {
		w->from[k] = 0;
		w->n[k] = w->own.count[w->dim[k]];
	}
	/* a single index may be another rank's */
	for (unsigned d = 0; d < w->own.ndim; d++)
		if (w->own.count[d] < 1)
			w->n[slow] = 0;
	total = window_total(w);
	all = w->n[slow];
	each = total > WINDOW ? (int64_t)(WINDOW / (total / (uint64_t)all) + 1) : all;
	w->first = true;
	do {
		w->n[slow] = all - w->from[slow] < each ? all - w->from[slow] : each;
		rc = add_window(w, e, what, r, err);
		w->first = false;
		w->from[slow] += each;
	} while (!rc && w->from[slow] < all);
	return rc;
}

/* enum reduce_answer */
static unsigned evaluate(struct reducing *w, const char *text, unsigned what, struct reduce_part *p,
			 struct err *err)
{
	struct expr *e = expr_parse(text, err);
	unsigned kind = REDUCE_FAILED;
	int rc;

	if (!e || what >= REDUCE_KINDS) {
		expr_destroy(e);
		return e ? REDUCE_ELSEWHERE : REDUCE_FAILED;
	}
	rc = expr_has_reduction(e) ? 1 : each_name(e, has_vector, w, err);
	if (rc > 0) {
		kind = REDUCE_ELSEWHERE;
	} else if (!rc) {
		rc = each_name(e, is_driver, w, err);
		if (rc == 0)
			kind = REDUCE_COPIES;
		else if (rc == 1 && !add_windows(w, e, what, &p->r, err))
			kind = REDUCE_DONE;
		else if (w->t.absent)
			kind = REDUCE_ELSEWHERE;
	}
	if (rc < 0 && w->t.absent)
		kind = REDUCE_ELSEWHERE;
	expr_destroy(e);
	return kind;
}

void reduce_answer(struct page_read *r, struct memory *m, uint32_t rank, const char *text,
		   unsigned what, struct buf *out)
{
	struct reducing w = { .t = { .r = r, .m = m } };
	struct reduce_part p = { .kind = REDUCE_FAILED };
	struct err err = { "" };

	page_read_reset(r);
	if (rankset_add(&w.t.who, rank, rank))
		err_set(&err, "out of memory");
	else
		p.kind = (uint8_t)evaluate(&w, text, what, &p, &err);
	p.why = err.text;
	p.rank = rank;
	p.same = w.same;
	p.order = (uint8_t)w.shape.order;
	p.ndim = (uint8_t)w.shape.ndim;
	memcpy(p.count, w.shape.count, sizeof(p.count));
	memcpy(p.first, w.shape.first, sizeof(p.first));
	memcpy(p.step, w.shape.step, sizeof(p.step));
	reduce_part_put(&p, out);
	layout_clear(&w.own);
	section_clear(&w.section);
	rankset_clear(&w.t.who);
}
