/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/halo/internal.h"

#include <stdlib.h>
#include <string.h>

/* By array, rank and side. */
static int order_kept(const struct halo_kept *k, const struct halo_entry *e)
{
	int o = strcmp(k->array, e->array);

	if (o)
		return o;
	if (k->rank != e->rank)
		return k->rank < e->rank ? -1 : 1;
	return memcmp(k->side, e->side, sizeof(k->side));
}

static int by_kept(const void *pa, const void *pb)
{
	const struct halo_kept *a = pa, *b = pb;
	int o = strcmp(a->array, b->array);

	if (o)
		return o;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return memcmp(a->side, b->side, sizeof(a->side));
}

const struct halo_kept *halo_kept_find(const struct halo_report *r, const struct halo_entry *e,
				       uint64_t bytes)
{
	size_t lo = 0, hi = r ? r->nkept : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int o = order_kept(&r->kept[mid], e);

		if (!o)
			return r->kept[mid].n == bytes ? &r->kept[mid] : NULL;
		if (o < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

struct halo_kept *halo_kept_new(struct halo_report *out, const struct halo_entry *e, uint64_t n,
				uint64_t bytes)
{
	struct halo_kept *k = out->kept;

	if (!(out->nkept & (out->nkept - 1))) {
		k = realloc(k, (out->nkept ? 2 * out->nkept : 1) * sizeof(*k));
		if (!k)
			return NULL;
		out->kept = k;
	}
	k += out->nkept;
	*k = (struct halo_kept){ .rank = e->rank, .n = bytes, .halo = calloc(1, 2 * bytes + n) };
	if (!k->halo)
		return NULL;
	memcpy(k->array, e->array, sizeof(k->array));
	memcpy(k->side, e->side, sizeof(k->side));
	out->nkept++;
	return k;
}

void halo_kept_sort(struct halo_report *r)
{
	if (r->nkept)
		qsort(r->kept, r->nkept, sizeof(*r->kept), by_kept);
}

void halo_kept_clear(struct halo_report *r)
{
	for (size_t i = 0; i < r->nkept; i++)
		free(r->kept[i].halo);
	free(r->kept);
}
