/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/owners.h"

#include <stdlib.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/report.h"
#include "frontend/data/fetch.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/util/xalloc.h"

void owners_free(struct owner *owner, size_t n)
{
	for (size_t i = 0; i < n; i++)
		array_desc_clear(&owner[i].desc);
	free(owner);
}

static int by_rank(const void *pa, const void *pb)
{
	const struct owner *a = pa, *b = pb;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Adds the ranks of a group, each with a description of its own. */
static void add_group(const struct rank_group *g, struct owner **out, size_t *n)
{
	size_t more = rankset_count(&g->ranks);
	struct owner *grown = xrealloc(*out, (*n + more) * sizeof(*grown));
	int64_t rank = -1;

	*out = grown;
	while ((rank = rankset_next(&g->ranks, (uint32_t)(rank + 1))) >= 0) {
		struct buf b = buf_view(g->blob, g->len);
		struct owner *o = &grown[*n];

		*o = (struct owner){ .rank = (uint32_t)rank };
		/* An answer without a local part: this rank does not have the array. */
		if (array_desc_get_global(&o->desc, &b))
			return;
		if (array_desc_get_local(&o->desc, &b)) {
			array_desc_clear(&o->desc);
			return;
		}
		++*n;
	}
}

int owners_of(struct session *s, const char *name, const struct rankset *who, struct owner **out,
	      size_t *n, struct err *err)
{
	struct msg_query q = { .kind = QUERY_LAYOUT, .name = name };
	struct groups answers = { 0 };
	int rc = ask(s, &q, who, &answers, NULL, err);

	*out = NULL;
	*n = 0;
	for (size_t i = 0; !rc && i < answers.n; i++)
		add_group(&answers.group[i], out, n);
	if (!rc && !*n)
		rc = fetch_unknown(s, name, who, err);
	if (rc) {
		owners_free(*out, *n);
		*out = NULL;
		*n = 0;
	} else {
		qsort(*out, *n, sizeof(**out), by_rank);
	}
	groups_clear(&answers);
	return rc;
}

int owners_all(struct session *s, const char *name, struct owner **out, size_t *n, struct err *err)
{
	return owners_of(s, name, job_set(s->job, JOB_ALL), out, n, err);
}
