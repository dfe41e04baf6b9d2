/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/merge_equal.h"

#include <stdlib.h>

#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

/* The group with this answer; NULL when there is none. */
static struct merge_equal_group *find(struct merge_equal *a, const char *text)
{
	const json_t *at = json_object_get(a->index, text);

	return at ? &a->group[json_integer_value(at)] : NULL;
}

/* A new group without ranks, that owns the answer; NULL without memory. */
static struct merge_equal_group *grow(struct merge_equal *a, json_t *answer, const char *text)
{
	if (!a->index)
		a->index = json_object();
	xvec_room(a->group, a->cap, a->n + 1);
	if (json_object_set_new_nocheck(a->index, text, json_integer((json_int_t)a->n)))
		return NULL;
	a->group[a->n] = (struct merge_equal_group){ .answer = answer, .least = -1, .most = -1 };
	return &a->group[a->n++];
}

void merge_equal_add(struct merge_equal *a, json_t *answer, const struct rankset *ranks,
		     int64_t age)
{
	char *text = json_dumps(answer, JSON_COMPACT | JSON_SORT_KEYS);
	struct merge_equal_group *g = text ? find(a, text) : NULL;

	if (g) {
		json_decref(answer);
	} else {
		g = text ? grow(a, answer, text) : NULL;
		if (!g)
			json_decref(answer);
	}
	free(text);
	if (!g)
		return;
	xrankset_add_set(&g->ranks, ranks);
	if (age < 0)
		return;
	if (g->least < 0 || age < g->least)
		g->least = age;
	if (age > g->most)
		g->most = age;
}

static int by_size(const void *pa, const void *pb)
{
	const struct merge_equal_group *a = pa, *b = pb;
	size_t na = rankset_count(&a->ranks), nb = rankset_count(&b->ranks);
	int64_t fa = rankset_next(&a->ranks, 0), fb = rankset_next(&b->ranks, 0);

	if (na != nb)
		return na < nb ? -1 : 1;
	return (fa > fb) - (fa < fb);
}

void merge_equal_sort(struct merge_equal *a)
{
	json_decref(a->index);
	a->index = NULL;
	if (a->n)
		qsort(a->group, a->n, sizeof(*a->group), by_size);
}

void merge_equal_clear(struct merge_equal *a)
{
	json_decref(a->index);
	for (size_t i = 0; i < a->n; i++) {
		json_decref(a->group[i].answer);
		rankset_clear(&a->group[i].ranks);
	}
	free(a->group);
	*a = (struct merge_equal){ 0 };
}
