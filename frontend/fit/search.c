/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where values belong: each is looked up among the right ones.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/fit/fit.h"
#include "frontend/util/xalloc.h"

/* Positions in the box, ordered by what they hold. */
struct ordered {
	const struct fit_box *box;
	uint64_t *at;
	uint64_t n;
};

static uint64_t volume(const struct fit_box *b)
{
	uint64_t n = 1;

	for (unsigned d = 0; d < b->ndim; d++)
		n *= (uint64_t)(b->hi[d] - b->lo[d] + 1);
	return n;
}

static int order(const void *pa, const void *pb, void *arg)
{
	const struct fit_box *b = arg;
	const uint64_t *x = pa, *y = pb;

	return memcmp(b->value + *x * b->size, b->value + *y * b->size, b->size);
}

/* The only position that holds the value; UINT64_MAX: there is none, or there are several. */
static uint64_t only(const struct ordered *o, const unsigned char *value)
{
	const struct fit_box *b = o->box;
	uint64_t lo = 0, hi = o->n;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (memcmp(b->value + o->at[mid] * b->size, value, b->size) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == o->n || memcmp(b->value + o->at[lo] * b->size, value, b->size) ||
	    (lo + 1 < o->n && !memcmp(b->value + o->at[lo + 1] * b->size, value, b->size)))
		return UINT64_MAX;
	return o->at[lo];
}

size_t fit_search(const struct fit_box *box, const int64_t (*place)[ARRAY_DIMS],
		  const unsigned char *held, size_t n, struct fit_pair **pair)
{
	struct ordered o = { .box = box, .n = volume(box) };
	size_t found = 0;

	o.at = xcalloc(o.n ? o.n : 1, sizeof(*o.at));
	*pair = xcalloc(n ? n : 1, sizeof(**pair));
	for (uint64_t i = 0; i < o.n; i++)
		o.at[i] = i;
	qsort_r(o.at, o.n, sizeof(*o.at), order, (void *)box);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = only(&o, held + i * box->size);
		struct fit_pair *p = &(*pair)[found];

		if (at == UINT64_MAX)
			continue;
		memcpy(p->want, place[i], sizeof(p->want));
		for (unsigned d = box->ndim; d-- > 0;) {
			uint64_t len = (uint64_t)(box->hi[d] - box->lo[d] + 1);

			p->got[d] = box->lo[d] + (int64_t)(at % len);
			at /= len;
		}
		found++;
	}
	free(o.at);
	return found;
}
