/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checksums of text traces: means alone, as the format has them. They are compared with those of
 * another text, of a reference, or of a run.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/protocol/finding_kind.h"
#include "common/protocol/point_sums.h"
#include "common/traceindex/traceindex.h"
#include "frontend/model/session.h"
#include "frontend/output/output.h"
#include "frontend/reference/reference.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"
#include "frontend/verify/internal.h"

/* CS("A", "a.c", 15, 0, "w")="5.625" at a point. */
struct mean {
	struct point at;
	char *name, *file, *access, *value; /* owned; value NULL: FAILED */
	uint32_t line, counter;
	uint8_t type;
	uint32_t array; /* of means.array */
	size_t turn;	/* in the order of the run */
};

/* What is known of an array over all points. */
struct mean_array {
	uint32_t first; /* of means.item, before they are sorted: one of it */
	double most;	/* the largest magnitude of its means */
	struct point right; /* the last point at which it was right; main 0: none */
	bool wrong;
};

struct means {
	struct mean *item;
	size_t n;
	struct mean_array *array;
	uint32_t narray;
	size_t sums, points, equal, skipped, findings;
	struct point last;
};

void means_destroy(struct means *m)
{
	for (size_t i = 0; m && i < m->n; i++) {
		free(m->item[i].name);
		free(m->item[i].file);
		free(m->item[i].access);
		free(m->item[i].value);
	}
	if (m) {
		free(m->item);
		free(m->array);
	}
	free(m);
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Lines may have moved. */
static bool same_array(const struct mean *a, const struct mean *b)
{
	return a->counter == b->counter && !strcasecmp(a->name, b->name) &&
	       (!*a->file || !*b->file || !strcmp(base(a->file), base(b->file)));
}

static struct mean *add(struct means *m, const struct point *at, const char *name, const char *file)
{
	struct mean *x;

	xvec_more(m->item, m->n, 1);
	x = &m->item[m->n];
	*x = (struct mean){
		.at = *at, .name = xstrdup(name), .file = xstrdup(file), .turn = m->n
	};
	m->n++;
	return x;
}

/* "w 5.625" */
static void add_record(struct means *m, const struct trace_block *b, const struct trace_rec *r)
{
	const struct array_desc *a = &b->object[r->object].desc;
	const char *blank = memchr(r->bytes, ' ', r->nbytes);
	struct mean *x;

	if (!blank)
		return;
	x = add(m, &r->point, a->name, a->file);
	x->line = a->line;
	x->counter = a->counter;
	x->type = a->type;
	x->access = xstrndup((const char *)r->bytes, (size_t)(blank - (const char *)r->bytes));
	x->value = xstrndup(blank + 1,
			    r->nbytes - (size_t)(blank + 1 - (const char *)r->bytes));
	if (!strcmp(x->value, "FAILED")) {
		free(x->value);
		x->value = NULL;
	}
}

static int by_point(const void *a, const void *b)
{
	const struct mean *x = a, *y = b;
	int order = point_sort(&x->at, &y->at);

	return order ? order : (x->turn > y->turn) - (x->turn < y->turn);
}

/* Into the order of points, each array known by a number. */
static void settle(struct means *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct mean *x = &m->item[i];
		double v = x->value ? strtod(x->value, NULL) : 0;
		uint32_t k = 0;

		while (k < m->narray && !same_array(x, &m->item[m->array[k].first]))
			k++;
		if (k == m->narray) {
			xvec_more(m->array, m->narray, 1);
			m->array[m->narray++] = (struct mean_array){ .first = (uint32_t)i };
		}
		x->array = k;
		if (isfinite(v) && fabs(v) > m->array[k].most)
			m->array[k].most = fabs(v);
	}
	if (m->n)
		qsort(m->item, m->n, sizeof(*m->item), by_point);
}

static struct means *settled(struct means *m)
{
	if (m->n) {
		settle(m);
		return m;
	}
	means_destroy(m);
	return NULL;
}

struct means *means_of_traces(const struct trace_index *x)
{
	struct means *m = xcalloc(1, sizeof(*m));

	for (uint32_t f = 0; f < trace_index_files(x); f++) {
		const struct trace_reader *t = trace_index_map(x, f);

		for (size_t i = 0; i < trace_reader_blocks(t); i++) {
			struct trace_block *b = trace_reader_info(t, i)->count[TRACE_SUM]
							? trace_reader_block(t, i, NULL)
							: NULL;
			struct trace_cursor *c = b ? trace_cursor_open(b) : NULL;
			struct trace_rec r;

			while (c && trace_block_next(c, &r) > 0)
				if (r.op == TRACE_SUM && r.object < b->nobject)
					add_record(m, b, &r);
			trace_cursor_free(c);
			trace_block_free(b);
		}
	}
	return settled(m);
}

static void add_point(struct means *m, const struct sums_point *p)
{
	for (size_t i = 0; i < p->n && p->point.side == POINT_END; i++) {
		const struct sums_array *a = &p->array[i];
		char text[80];
		struct mean *x;

		if (a->kind != ARRAY_DISTRIBUTED)
			continue;
		x = add(m, &p->point, a->name, a->file);
		x->line = a->line;
		x->counter = a->counter;
		x->access = xasprintf("%s%s", a->flags & POINT_SUMS_READ ? "r" : "",
				      a->flags & POINT_SUMS_WRITE ? "w" : "");
		x->value = a->sum ? xstrdup(means_text(a->sum, text, sizeof(text))) : NULL;
	}
}

const char *means_text(const struct sum_result *s, char *out, size_t room)
{
	if (s->plan.parts == 2)
		snprintf(out, room, "(%.17G,%.17G)", sum_mean(s, 0), sum_mean(s, 1));
	else
		snprintf(out, room, "%.17G", sum_mean(s, 0));
	return out;
}

static struct means *means_of_reference(struct reference *r)
{
	struct means *m = xcalloc(1, sizeof(*m));
	const struct sums_point *p;

	for (size_t i = 0; (p = reference_at(r, i, NULL)); i++)
		add_point(m, p);
	return settled(m);
}

bool means_read(const struct means *m)
{
	for (size_t i = 0; m && i < m->n; i++)
		if (!strcmp(m->item[i].access, "r"))
			return true;
	return false;
}

/* ---- comparison ---- */

static bool is_equal(const struct checker *c, const struct mean *a, const struct mean *b,
		     double most)
{
	struct compare_tolerance tol = tolerance_compare(c->s->set);
	char *end_a, *end_b;
	double x = strtod(a->value, &end_a), y = strtod(b->value, &end_b), unit = 1;
	double limit = tol.exp >= 0 ? tol.exp
		       : a->type == VALUE_FLOAT ? TOLERANCE_FLOAT
						: TOLERANCE_DOUBLE;

	if (!strcmp(a->value, b->value))
		return true;
	if (*end_a || *end_b) /* of two parts, or a word */
		return false;
	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y);
	if (tol.mode == SUM_EXACT || isinf(x) || isinf(y))
		return x == y;
	if (tol.mode == SUM_RELATIVE)
		unit = fmax(tol.rel_min, fmax(fabs(x), fabs(y)));
	else if (tol.mode == SUM_SCALED)
		unit = most;
	return fabs(x - y) <= limit * unit;
}

static void found(struct checker *c, struct means *ref, const struct mean *theirs,
		  const struct mean *ours, uint32_t ranks)
{
	const struct mean_array *a = &ref->array[theirs->array];
	char at[POINT_TEXT], before[POINT_TEXT], *text;
	struct rankset who = { 0 };

	text = xasprintf(
		"Different checksums for array (\"%s\", \"%s\", %u, %u, \"%s\"): %s != %s at "
		"the point %s; previous correct point is %s",
		theirs->name, theirs->file, theirs->line, theirs->counter, theirs->access,
		theirs->value, ours->value, point_format(&theirs->at, at),
		a->right.main ? point_format(&a->right, before) : "absent");
	xrankset_add(&who, 0, ranks - 1);
	checker_show_finding(c, FINDING_CHECKSUM, &theirs->at, &who, "", text);
	rankset_clear(&who);
	free(text);
}

/* One of the reference with the same of the run. */
static size_t compare_one(struct checker *c, struct means *ref, const struct mean *theirs,
			  const struct mean *ours, uint32_t ranks)
{
	struct mean_array *a = &ref->array[theirs->array];

	if (!theirs->value || !ours->value) {
		checker_warn(c, "Warning: failed checksums found. They won't be recounted");
		ref->skipped++;
		return 0;
	}
	ref->sums++;
	if (is_equal(c, theirs, ours, a->most)) {
		ref->equal++;
		if (!a->wrong)
			a->right = theirs->at;
		return 0;
	}
	if (a->wrong)
		return 0;
	a->wrong = true;
	ref->findings++;
	found(c, ref, theirs, ours, ranks);
	return 1;
}

/* The first of the items at a point or behind it. */
static size_t first_at(const struct means *m, const struct point *p)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (point_sort(&m->item[mid].at, p) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Whether it was said before of the point: all ranks say the same. */
static bool again(const struct means *m, size_t first, size_t i)
{
	for (size_t k = first; k < i; k++)
		if (m->item[k].array == m->item[i].array)
			return true;
	return false;
}

/* What both have at the point of item i of the run, and all up to there. Returns findings. */
static size_t compare_at(struct checker *c, struct means *ref, const struct means *now, size_t i,
			 uint32_t ranks)
{
	const struct point *p = &now->item[i].at;
	size_t first = first_at(ref, p), n = 0;
	bool any = false;

	for (size_t k = first; k < ref->n && !point_sort(&ref->item[k].at, p); k++) {
		if (again(ref, first, k))
			continue;
		for (size_t j = i; j < now->n && !point_sort(&now->item[j].at, p); j++)
			if (same_array(&ref->item[k], &now->item[j])) {
				n += compare_one(c, ref, &ref->item[k], &now->item[j], ranks);
				any = true;
				break;
			}
	}
	ref->points += any;
	if (any)
		ref->last = *p;
	return n;
}

size_t means_take(struct checker *c, struct means *ref, const struct sums_point *p)
{
	struct means now = { 0 }, *kept;
	size_t n = 0;

	add_point(&now, p);
	if (now.n)
		n = compare_at(c, ref, &now, 0, (uint32_t)job_size(c->s->job));
	kept = xmalloc(sizeof(*kept));
	*kept = now;
	means_destroy(kept);
	return n;
}

void means_sum_up(struct checker *c, const struct means *m, const char *dir, bool complete)
{
	const struct compare_state none = { 0 };
	char at[POINT_TEXT];
	json_t *o;

	o = json_pack("{s:s s:o s:s s:I s:I s:I s:I s:i s:I s:I s:b s:i s:b}", "type", "compared",
		      "reference", out_json_text(dir), "verdict",
		      m->findings ? "findings"
		      : m->sums	  ? "equal"
				  : "nothing",
		      "sums", (json_int_t)m->sums, "arrays", (json_int_t)m->narray, "points",
		      (json_int_t)m->points, "equal", (json_int_t)m->equal, "rounding", 0,
		      "skipped", (json_int_t)m->skipped, "findings", (json_int_t)m->findings,
		      "complete", complete, "printed", 0, "end", false);
	json_object_set_new(o, "last",
			    m->last.main ? json_string(point_format(&m->last, at)) : json_null());
	checker_put_tolerance(o, &none, c->s->set);
	out_answer(c->s->out, o);
}

/* Those of a reference beside a text; NULL: none. */
static struct means *means_beside(const char *dir)
{
	struct reference *r = reference_open(dir, NULL);
	struct means *m = r ? means_of_reference(r) : NULL;

	reference_destroy(r);
	return m;
}

bool means_offline(struct session *s, const char *run_dir, const struct trace_index *run,
		   const char *dir, const struct trace_index *reference)
{
	struct means *now = means_of_traces(run), *ref = means_of_traces(reference);
	struct checker *c;

	if (now && !ref)
		ref = means_beside(dir);
	else if (ref && !now)
		now = means_beside(run_dir);
	c = now && ref ? checker_create(s) : NULL;
	for (size_t i = 0; c && i < now->n; i++)
		if (!i || point_sort(&now->item[i - 1].at, &now->item[i].at))
			compare_at(c, ref, now, i, trace_index_files(run));
	if (c)
		means_sum_up(c, ref, dir, true);
	checker_destroy(c);
	means_destroy(now);
	means_destroy(ref);
	return c != NULL;
}
