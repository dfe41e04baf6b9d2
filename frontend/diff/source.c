/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/diff/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "frontend/model/ask.h"
#include "frontend/verify/checker.h"
#include "frontend/diff/npy.h"
#include "frontend/data/fetch.h"
#include "frontend/pair/pair.h"
#include "frontend/data/pieces.h"
#include "frontend/reference/reference.h"
#include "frontend/session/session.h"


void diff_owners_free(struct diff_owner *owner, size_t n)
{
	for (size_t i = 0; i < n; i++)
		array_desc_clear(&owner[i].desc);
	free(owner);
}

static int by_rank(const void *pa, const void *pb)
{
	const struct diff_owner *a = pa, *b = pb;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Adds the ranks of a group, each with a description of its own. -1: out of memory. */
static int add_group(const struct differ_group *g, struct diff_owner **out, size_t *n)
{
	size_t more = rankset_count(&g->ranks);
	struct diff_owner *grown = realloc(*out, (*n + more) * sizeof(*grown));
	int64_t rank = -1;

	if (!grown)
		return -1;
	*out = grown;
	while ((rank = rankset_next(&g->ranks, (uint32_t)(rank + 1))) >= 0) {
		struct buf b = buf_view(g->blob, g->len);
		struct diff_owner *o = &grown[*n];

		*o = (struct diff_owner){ .rank = (uint32_t)rank };
		/* An answer without a local part: this rank does not have the array. */
		if (array_desc_get_global(&o->desc, &b))
			return 0;
		if (array_desc_get_local(&o->desc, &b)) {
			array_desc_clear(&o->desc);
			return 0;
		}
		++*n;
	}
	return 0;
}

int diff_owners_of(struct session *s, const char *name, const struct rankset *who,
		   struct diff_owner **out, size_t *n, struct err *err)
{
	struct msg_query q = { .kind = QUERY_LAYOUT, .name = name };
	struct differ answers = { 0 };
	int rc = ask(s, &q, who, &answers, NULL, err);

	*out = NULL;
	*n = 0;
	for (size_t i = 0; !rc && i < answers.n; i++)
		if (add_group(&answers.group[i], out, n))
			rc = err_set(err, "out of memory");
	if (!rc && !*n)
		rc = fetch_unknown(s, name, who, err);
	if (rc) {
		diff_owners_free(*out, *n);
		*out = NULL;
		*n = 0;
	} else {
		qsort(*out, *n, sizeof(**out), by_rank);
	}
	differ_clear(&answers);
	return rc;
}

int diff_owners(struct session *s, const char *name, struct diff_owner **out, size_t *n,
		struct err *err)
{
	return diff_owners_of(s, name, job_set(s->job, JOB_ALL), out, n, err);
}

/* The point where all ranks of who stand; false when they are at different ones. */
static bool standing_at(const struct session *s, const struct rankset *who, struct point *out)
{
	const struct differ *stops = job_stops(s->job);
	bool any = false;

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!rankset_meets(&stops->group[i].ranks, who))
			continue;
		if (report_stop_get(&r, &b) || (any && point_compare(&r.point, out) != POINT_EQUAL))
			return false;
		*out = r.point;
		any = true;
	}
	return any && out->main;
}

/* "p.x@heat.c:12" without its place. */
static void base_name(const char *name, char *out, size_t size)
{
	const char *at = strrchr(name, '@');

	snprintf(out, size, "%.*s", at ? (int)(at - name) : (int)strlen(name), name);
}

/* The file of the session's reference; NULL and err when it has none. */
static char *reference_file(struct session *s, const struct pieces *p, char from[DIFF_FROM],
			    struct err *err)
{
	struct reference *ref = s->checker ? checker_reference(s->checker) : NULL;
	struct point point = { 0 };
	char name[200], at[POINT_TEXT];
	char *path;

	base_name(p->name, name, sizeof(name));
	if (!standing_at(s, p->who, &point)) {
		err_set(err,
			"%s cannot be compared with a reference here: the ranks are not at one "
			"numbered point; -with FILE.npy compares with a file",
			name);
		return NULL;
	}
	point_format(&point, at);
	if (!ref) {
		err_set(err,
			"there is nothing to compare %s with: 'record DIR -arrays %s -at %s' in "
			"another run, then 'compare DIR' in this one; or -with FILE.npy, which "
			"'save %s FILE.npy' has made",
			name, name, at, name);
		return NULL;
	}
	path = reference_array_path(ref, name, &point);
	snprintf(from, DIFF_FROM, "the reference %.500s", reference_dir(ref));
	if (path && !access(path, R_OK))
		return path;
	err_set(err,
		path ? "the reference %.200s has no array %s of %s: 'record %.200s -arrays %s -at "
		       "%s' saves it; or give -with FILE.npy"
		     : "out of memory",
		reference_dir(ref), name, at, reference_dir(ref), name, at);
	free(path);
	return NULL;
}

void *diff_reference(struct session *s, const struct pieces *p, const char *with,
		     char from[DIFF_FROM], struct err *err)
{
	char *path;
	void *values;

	if (!with && pair_both(s))
		return pair_values(s, p, from, err);
	path = with ? strdup(with) : reference_file(s, p, from, err);
	if (with && !path)
		err_set(err, "out of memory");
	if (!path)
		return NULL;
	if (with)
		snprintf(from, DIFF_FROM, "%.500s", with);
	values = diff_npy_read(path, p, err);
	free(path);
	return values;
}
