/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The values of both sides of a pair: which array of A corresponds to one of B, and in which
 * indices.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/array/value.h"
#include "frontend/verify/verify.h"
#include "frontend/data/fetch.h"
#include "frontend/pair/internal.h"
#include "frontend/data/pieces.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* A's name for the array that B calls so, of len bytes; NULL: it is not tied. */
static const char *tied_name(const struct pair *p, const char *name, size_t len)
{
	const struct ties *t = pair_match_ties(p->match);
	const struct sums_point *last = checker_last(p->b->checker);
	const char *found = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct tie *tie = &t->list[i];

		if (strncmp(tie->array[PAIR_B], name, len) || tie->array[PAIR_B][len])
			continue;
		/* of several the one that is meant where B has been last */
		if (!found || (last && !strcmp(tie->where[PAIR_B], last->where)))
			found = tie->array[PAIR_A];
	}
	return found;
}

/* Geometry of the object that a side calls so; -1: it has none. */
static int describe(struct session *s, const char *name, struct array_desc *out)
{
	struct fetch_objects o = { 0 };
	int rc = -1;

	if (!s->job || fetch_names(s, name, job_set(s->job, JOB_STOPPED), &o, NULL))
		return -1;
	if (o.n) {
		*out = o.item[o.n - 1].desc;
		o.item[o.n - 1].desc = (struct array_desc){ 0 };
		rc = 0;
	}
	fetch_objects_clear(&o);
	return rc;
}

static void put_dim(FILE *f, const struct section_dim *d, int64_t shift)
{
	if (d->all) {
		fputc('*', f);
	} else if (d->vector) {
		for (uint32_t i = 0; i < d->n; i++)
			fprintf(f, "%c%" PRId64, i ? ',' : '{', d->vector[i] + shift);
		fputc('}', f);
	} else {
		if (!d->open_first)
			fprintf(f, "%" PRId64, d->first + shift);
		if (!d->scalar)
			fputc(':', f);
		if (!d->scalar && !d->open_last)
			fprintf(f, "%" PRId64, d->last + shift);
		if (!d->scalar && d->step && d->step != 1)
			fprintf(f, ":%" PRId64, d->step);
	}
}

/* The name with its subscripts in B, as one of A. -1: that cannot be. */
static int put_object(FILE *f, struct session *s, const char *text, const char *name)
{
	struct rankset who = { 0 };
	struct fetch fetch = { .s = s, .who = &who };
	struct expr_scope scope = fetch_scope(&fetch);
	struct array_desc a = { 0 }, b = { 0 };
	struct expr *e = expr_parse(text, NULL);
	struct section sec = { 0 };
	int rc = -1;

	if (e && e->kind == EXPR_NAME) {
		xrankset_copy(&who, job_set(s->job, JOB_STOPPED));
		if (!describe(s, e->name, &b) && !describe(pair_other(s->pair), name, &a) &&
		    a.ndim == b.ndim && !expr_section(e, &who, &scope, &sec, NULL) &&
		    sec.ndim == a.ndim)
			rc = 0;
	}
	fputs(name, f);
	for (unsigned d = 0; !rc && d < sec.ndim; d++) {
		fputs(a.order != 'F' ? "[" : d ? "," : "(", f);
		put_dim(f, &sec.dim[d], a.lower[d] - b.lower[d]);
		if (a.order != 'F' || d + 1 == sec.ndim)
			fputc(a.order != 'F' ? ']' : ')', f);
	}
	section_clear(&sec);
	fetch_clear(&fetch);
	expr_destroy(e);
	array_desc_clear(&a);
	array_desc_clear(&b);
	rankset_clear(&who);
	return rc;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The length of the subscripts at p, 0: there are none. */
static size_t subscripts(const char *p)
{
	const char *start = p, *end = p;
	int depth = 0;

	for (; *p; p++) {
		if (*p == '(' || *p == '[')
			depth++;
		else if (*p == ')' || *p == ']')
			depth--;
		if (!depth && *p != ')' && *p != ']')
			break;
		if (!depth)
			end = p + 1;
		/* u(1) is all of it, u[1] may be followed by more */
		if (!depth && *start == '(')
			break;
	}
	return depth > 0 ? 0 : (size_t)(end - start);
}

char *pair_translate(struct session *s, const char *text)
{
	struct pair *p = s->pair;
	const char *at = text;
	bool changed = false;
	char *out = NULL;
	size_t size = 0;
	FILE *f;

	if (!pair_match_ties(p->match)->n || !s->job)
		return NULL;
	f = xmemstream(&out, &size);
	while (*at) {
		size_t n = 0, sub;
		const char *name;
		char *object;

		while (in_name(at[n]))
			n++;
		name = n && (at == text || !strchr(".-", at[-1])) ? tied_name(p, at, n) : NULL;
		if (!name) {
			n = n ? n : 1;
			fwrite(at, 1, n, f);
			at += n;
			continue;
		}
		sub = subscripts(at + n);
		object = xstrndup(at, n + sub);
		if (sub)
			changed |= !put_object(f, s, object, name);
		else
			changed |= fputs(name, f) >= 0;
		free(object);
		at += n + sub;
	}
	xmemstream_close(f);
	if (changed)
		return out;
	free(out);
	return NULL;
}

/* The values as those of another type, in which they are compared. */
static void *converted(void *values, uint64_t n, unsigned from, unsigned to, struct err *err)
{
	size_t wide = value_size(to), narrow = value_size(from);
	unsigned char *out = malloc(n * wide + 1);

	if (!out)
		xalloc_refused(n * wide, "choose a smaller section", err);
	for (uint64_t i = 0; out && i < n; i++) {
		struct value v = value_load(from, (const unsigned char *)values + i * narrow);

		if (value_store(to, out + i * wide, &v, err)) {
			free(out);
			out = NULL;
		}
	}
	free(values);
	return out;
}

/* B's section as one of A: by place from the first of each dimension. */
static int map_section(const struct pieces *p, const struct array_desc *a, struct section *out,
		       struct err *err)
{
	const struct array_desc *b = &p->desc;

	if (a->ndim != b->ndim)
		return err_set(err, "%s has %u dimension%s in A and %u in B", a->name, a->ndim,
			       a->ndim == 1 ? "" : "s", b->ndim);
	for (unsigned d = 0; d < a->ndim; d++)
		if (a->extent[d] != b->extent[d] &&
		    section_count(&p->section, d) == (uint64_t)b->extent[d])
			return err_set(err,
				       "dimension %u of %s has %" PRId64
				       " elements in A and %" PRId64 " in B: choose a section",
				       d + 1, a->name, a->extent[d], b->extent[d]);
	xalloc_check(section_copy(out, &p->section));
	for (unsigned d = 0; d < out->ndim; d++) {
		struct section_dim *x = &out->dim[d];
		int64_t shift = a->lower[d] - b->lower[d];

		x->first += shift;
		x->last += shift;
		for (uint32_t i = 0; x->vector && i < x->n; i++)
			x->vector[i] += shift;
	}
	return 0;
}

/* "A, 1 rank, u at 3.E" */
static void report_from(struct session *a, const struct pieces *p, const char *name, char *from,
			size_t size)
{
	const struct groups *stops = job_stops(a->job);
	size_t used = (size_t)snprintf(from, size, "A, %d rank%s", job_size(a->job),
				       job_size(a->job) == 1 ? "" : "s");
	char at[POINT_TEXT];

	if (strcmp(name, p->name))
		used += (size_t)snprintf(from + used, size - used, ", %.300s", name);
	for (size_t i = 0; i < stops->n && stops->n == 1; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!report_stop_get(&r, &b) && r.point.main)
			snprintf(from + used, size - used, ", at %s", point_format(&r.point, at));
	}
}

/* Fetches what corresponds, in A's type. */
static void *fetch(struct session *a, const char *name, const struct pieces *p,
		   const struct rankset *who, struct err *err)
{
	struct array_desc desc = { 0 };
	struct section sec = { 0 };
	struct pieces q;
	void *values = NULL;

	if (describe(a, name, &desc)) {
		fetch_unknown(a, name, who, err);
		return NULL;
	}
	if (!map_section(p, &desc, &sec, err) &&
	    !pieces_find(&q, a, name, sec.ndim ? &sec : NULL, who, err)) {
		values = pieces_all(&q, err);
		if (values && q.type != p->type)
			values = converted(values, section_total(&q.section), q.type, p->type, err);
		pieces_clear(&q);
	}
	section_clear(&sec);
	array_desc_clear(&desc);
	return values;
}

void *pair_values(struct session *s, const struct pieces *p, char *from, size_t size,
		  struct err *err)
{
	struct session *a = pair_other(s->pair);
	const char *tied = tied_name(s->pair, p->name, strcspn(p->name, "@"));
	const char *name = tied ? tied : p->name;
	struct rankset who = { 0 };
	void *values = NULL;

	if (!a->job || !job_set(a->job, JOB_STOPPED)->n) {
		err_set(err, "A is not stopped: there is nothing to compare %s with", p->name);
		return NULL;
	}
	xrankset_copy(&who, job_set(a->job, JOB_STOPPED));
	values = fetch(a, name, p, &who, err);
	if (values)
		report_from(a, p, name, from, size);
	else
		err_prefix(err, "A");
	rankset_clear(&who);
	return values;
}
