/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/logical/groups.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"

static void group_clear(struct rank_group *g)
{
	rankset_clear(&g->ranks);
	free(g->blob);
	g->blob = NULL;
}

static int group_copy(struct rank_group *dst, const struct rank_group *src)
{
	*dst = (struct rank_group){ .len = src->len };
	dst->blob = malloc(src->len ? src->len : 1);
	if (!dst->blob || rankset_copy(&dst->ranks, &src->ranks) < 0) {
		group_clear(dst);
		return -1;
	}
	if (src->len)
		memcpy(dst->blob, src->blob, src->len);
	return 0;
}

static int blob_compare(const void *a, size_t alen, const void *b, size_t blen)
{
	size_t len = alen < blen ? alen : blen;
	int order = len ? memcmp(a, b, len) : 0;

	if (order)
		return order;
	return alen < blen ? -1 : alen > blen;
}

void groups_clear(struct groups *d)
{
	for (size_t i = 0; i < d->n; i++)
		group_clear(&d->group[i]);
	free(d->group);
	*d = (struct groups){ 0 };
}

/* The index of the group with these bytes (*found), or where it belongs. */
static size_t groups_find(const struct groups *d, const struct rank_group *g, bool *found)
{
	size_t lo = 0, hi = d->n;

	*found = false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = blob_compare(d->group[mid].blob, d->group[mid].len, g->blob, g->len);

		if (order == 0) {
			*found = true;
			return mid;
		}
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A group that d has not yet, and the index in d before which it belongs. */
struct newcomer {
	struct rank_group group;
	size_t before;
};

/* Moves the newcomers, which are in order, to their places; from the end, so each group moves once.
 */
static void groups_insert(struct groups *d, const struct newcomer *fresh, size_t n)
{
	size_t from = d->n;

	for (size_t left = n; left > 0; left--) {
		const struct newcomer *f = &fresh[left - 1];

		memmove(&d->group[f->before + left], &d->group[f->before],
			(from - f->before) * sizeof(*d->group));
		d->group[f->before + left - 1] = f->group;
		from = f->before;
	}
	d->n += n;
}

int groups_merge(struct groups *d, const struct groups *other)
{
	struct newcomer one, *fresh = &one;
	size_t n = 0;
	int rc = 0;

	if (d == other || other->n == 0)
		return 0;
	if (other->n > 1) {
		fresh = malloc(other->n * sizeof(*fresh));
		if (!fresh)
			return -1;
	}
	for (size_t i = 0; i < other->n && rc == 0; i++) {
		const struct rank_group *g = &other->group[i];
		bool found;
		size_t at = groups_find(d, g, &found);

		if (g->ranks.n == 0)
			continue;
		if (found) {
			rc = rankset_add_set(&d->group[at].ranks, &g->ranks);
		} else {
			rc = group_copy(&fresh[n].group, g);
			if (rc == 0)
				fresh[n++].before = at;
		}
	}
	if (rc == 0)
		rc = vec_room(d->group, d->cap, d->n + n);
	if (rc == 0) {
		groups_insert(d, fresh, n);
	} else {
		for (size_t i = 0; i < n; i++)
			group_clear(&fresh[i].group);
	}
	if (fresh != &one)
		free(fresh);
	return rc;
}

int groups_take(struct groups *d, struct groups *other)
{
	int rc = 0;

	if (d->n || d == other) {
		rc = groups_merge(d, other);
	} else {
		groups_clear(d);
		*d = *other;
		*other = (struct groups){ 0 };
	}
	if (d != other)
		groups_clear(other);
	return rc;
}

int groups_add(struct groups *d, const struct rankset *ranks, const void *blob, size_t len)
{
	/* borrowed: merging copies */
	struct rank_group group = { .ranks = *ranks, .blob = (unsigned char *)blob, .len = len };
	struct groups one = { .group = &group, .n = 1 };

	return groups_merge(d, &one);
}

int groups_fold(struct groups *d, bool (*take)(void *arg, const struct rank_group *g),
		void (*put)(const void *arg, struct buf *out), void *arg)
{
	struct groups out = { 0 };
	struct rankset ranks = { 0 };
	struct buf b = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < d->n && !rc; i++) {
		const struct rank_group *g = &d->group[i];

		rc = take(arg, g) ? rankset_add_set(&ranks, &g->ranks)
				  : groups_add(&out, &g->ranks, g->blob, g->len);
	}
	if (!rc && ranks.n) {
		put(arg, &b);
		rc = b.bad ? -1 : groups_add(&out, &ranks, b.data, b.len);
	}
	if (!rc) {
		groups_clear(d);
		*d = out;
	} else {
		groups_clear(&out);
	}
	buf_clear(&b);
	rankset_clear(&ranks);
	return rc;
}

static int compare_minority(const void *pa, const void *pb)
{
	const struct rank_group *a = pa, *b = pb;
	size_t na = rankset_count(&a->ranks), nb = rankset_count(&b->ranks);
	int64_t fa, fb;

	if (na != nb)
		return na < nb ? -1 : 1;
	fa = rankset_next(&a->ranks, 0);
	fb = rankset_next(&b->ranks, 0);
	if (fa != fb)
		return fa < fb ? -1 : 1;
	return blob_compare(a->blob, a->len, b->blob, b->len);
}

void groups_sort_minority(struct groups *d)
{
	if (d->n > 1)
		qsort(d->group, d->n, sizeof(*d->group), compare_minority);
}

static int group_code(struct codec *c, struct rank_group *g)
{
	rankset_code(c, &g->ranks);
	codec_check(c, g->ranks.n > 0);
	codec_blob_copy(c, &g->blob, &g->len);
	return codec_end(c);
}

int groups_code(struct codec *c, struct groups *d)
{
	/* a group has at least the counts of its runs and bytes, and one run */
	enum { LEAST = 16 };

	codec_each(c, &d->group, &d->n, UINT32_MAX, LEAST, group_code);
	if (c->get)
		d->cap = d->n;
	for (size_t i = 1; i < d->n; i++)
		codec_check(c, blob_compare(d->group[i - 1].blob, d->group[i - 1].len,
					    d->group[i].blob, d->group[i].len) < 0);
	return codec_end(c);
}
