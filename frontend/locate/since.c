/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Since when halos are stale: the end of the construct that last changed the array, by the
 * reference, when the array still has the sum that it had there. (A pointer may have come to mean
 * other memory.)
 */
#include <stdio.h>
#include <string.h>

#include "common/core/err.h"
#include "common/checksum/checksum.h"
#include "common/protocol/point_sums.h"
#include "frontend/job/job.h"
#include "frontend/locate/internal.h"
#include "frontend/reference/reference.h"
#include "frontend/session/session.h"

#define MOST_ELEMENTS ((uint64_t)1 << 22) /* of an array that is fetched */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* In another run lines may have moved. */
static bool in_reference(const struct halo_entry *e, const struct sums_array *a)
{
	return !strcmp(e->name, a->name) && e->counter == a->counter &&
	       !strcmp(e->file, base_of(a->file));
}

/* The whole array as it is in s has the sum; then it has not changed since. */
static bool has_sum(struct session *s, const struct sums_array *a, const struct halo_entry *e)
{
	struct fetched f = { 0 };
	struct err err = { "" };
	struct sum *sum = NULL;
	char name[300];
	bool same = false;

	if (*e->file)
		snprintf(name, sizeof(name), "%s@%s:%u#%u", e->name, e->file, e->line, e->counter);
	else
		snprintf(name, sizeof(name), "%s", e->name);
	if (!fetch_large(s, name, NULL, job_set(s->job, JOB_ALL), MOST_ELEMENTS, &f, &err) &&
	    f.q.n && !f.nmissing && a->sum && values_total(&f.q) == a->sum->plan.total)
		sum = sum_create(&a->sum->plan, &err);
	if (sum) {
		struct layout part = { .data = f.q.group[0].bytes };
		int64_t step = f.q.elem_size;

		for (unsigned d = e->ndim; d-- > 0; step *= e->extent[d]) {
			part.count[d] = e->extent[d];
			part.stride[d] = step;
		}
		same = !sum_add(sum, &part, &err) && sum_hash(sum) == a->sum->all.hash;
	}
	sum_destroy(sum);
	fetched_clear(&f);
	return same;
}

/* The last point before the construct at whose end the array got what it has; main 0: not known. */
static struct point since(struct locate *l, struct session *s, const struct halo_entry *e)
{
	struct point at = { 0 }, begin = l->m->point;
	struct err err = { "" };
	const struct sums_point *x;
	bool same = false;

	begin.side = POINT_BEGIN;
	for (size_t i = 0; l->ref && (x = reference_at(l->ref, i, &err)); i++) {
		enum point_order o = point_compare(&x->point, &begin);

		if (o == POINT_AFTER)
			break;
		for (size_t k = 0; k < x->n && o != POINT_INCOMPARABLE; k++)
			if (in_reference(e, &x->array[k]) && x->array[k].flags & POINT_SUMS_CHANGED)
				at = x->point;
	}
	x = at.main ? reference_point(l->ref, &at, &err) : NULL;
	for (size_t k = 0; x && k < x->n; k++)
		if (in_reference(e, &x->array[k]))
			same = has_sum(s, &x->array[k], e);
	return same ? at : (struct point){ 0 };
}

void locate_date_halos(struct locate *l, struct session *s)
{
	struct locate_halo *h = &l->halo;

	for (size_t i = 0; i < h->begin.n && h->ndated < LOCATE_DATED; i++) {
		const struct halo_entry *e = &h->begin.entry[i];

		if (i && !strcmp(e->array, e[-1].array))
			continue;
		h->dated[h->ndated++] = (struct locate_stale){ e, since(l, s, e) };
	}
}
