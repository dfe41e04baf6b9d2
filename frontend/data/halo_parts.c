/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/halo_parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

static void part_clear(struct halo_part *p)
{
	array_desc_clear(&p->desc);
	free(p->box);
}

void halo_parts_clear(struct halo_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		part_clear(&p->part[i]);
	for (size_t i = 0; i < p->narray; i++) {
		free(p->array[i].holder);
		rankset_clear(&p->array[i].ranks);
	}
	free(p->part);
	free(p->array);
	rankset_clear(&p->bad);
	rankset_clear(&p->refused);
	memset(p, 0, sizeof(*p));
}

/* Appends the boxes that follow; their number to *n. */
static int boxes_get(struct halo_part *p, size_t had, size_t *n, struct buf *b)
{
	struct halo_box *grown;
	uint32_t count;

	if (answer_boxes_code(CODEC_GET(b), &count))
		return -1;
	grown = realloc(p->box, (had + count + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	p->box = grown;
	for (*n = 0; *n < count; ++*n)
		if (halo_box_code(CODEC_GET(b), &grown[had + *n], &p->desc))
			return -1;
	return 0;
}

/* 0, or -1 when the bytes are not a part; what it owns is cleared then. */
static int part_get(struct halo_part *p, struct buf *b)
{
	struct answer_array a;

	*p = (struct halo_part){ 0 };
	if (answer_array_get(&a, b))
		return -1;
	p->desc = a.desc;
	if (a.head.kind == ANSWER_ERROR) {
		p->why = a.head.why;
		return 0;
	}
	if (!boxes_get(p, 0, &p->nhalo, b) && !boxes_get(p, p->nhalo, &p->nrim, b))
		return 0;
	part_clear(p);
	return -1;
}

static struct halo_part *part_new(struct halo_parts *p)
{
	xvec_room(p->part, p->cap, p->n + 1);
	return &p->part[p->n];
}

/* One answer of a group of ranks. */
static int answer_get(struct halo_parts *p, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	size_t before = p->n;
	struct answer_halo a;

	if (answer_halo_get(&a, &b))
		return rankset_add_set(&p->bad, &g->ranks);
	if (a.head.kind == ANSWER_ERROR) {
		p->why = a.head.why;
		return rankset_add_set(&p->refused, &g->ranks);
	}
	for (uint32_t i = 0; i < a.n; i++) {
		struct halo_part *x = part_new(p);

		if (part_get(x, &b)) {
			b.bad = true;
			break;
		}
		x->ranks = &g->ranks;
		p->n++;
	}
	if (!b.bad && !buf_left(&b))
		return 0;
	while (p->n > before)
		part_clear(&p->part[--p->n]);
	xrankset_add_set(&p->bad, &g->ranks);
	return 0;
}

static bool same_shape(const struct array_desc *a, const struct array_desc *b)
{
	return !strcmp(a->name, b->name) && a->type == b->type && a->ndim == b->ndim &&
	       a->order == b->order && a->elem_size == b->elem_size && a->nfield == b->nfield &&
	       !memcmp(a->lower, b->lower, a->ndim * sizeof(*a->lower)) &&
	       !memcmp(a->extent, b->extent, a->ndim * sizeof(*a->extent));
}

static bool same_place(const struct array_desc *a, const struct array_desc *b)
{
	return a->line == b->line && a->counter == b->counter && !strcmp(a->file, b->file);
}

static void part_into(struct halo_parts *p, const struct halo_part *x)
{
	struct halo_array *a = NULL;

	for (size_t i = 0; i < p->narray && !a; i++)
		if (same_shape(p->array[i].desc, &x->desc) &&
		    same_place(p->array[i].desc, &x->desc) &&
		    !rankset_meets(&p->array[i].ranks, x->ranks))
			a = &p->array[i];
	if (!a) {
		xvec_more(p->array, p->narray, 1);
		a = &p->array[p->narray++];
		*a = (struct halo_array){ .desc = &x->desc };
	}
	xrankset_add_set(&a->ranks, x->ranks);
}

/* Registered at one place by some ranks, at another by the others: it is one array. */
static void join_places(struct halo_parts *p)
{
	for (size_t i = 0; i < p->narray; i++) {
		for (size_t k = i + 1; k < p->narray;) {
			struct halo_array *a = &p->array[i], *b = &p->array[k];

			if (!same_shape(a->desc, b->desc) || rankset_meets(&a->ranks, &b->ranks)) {
				k++;
				continue;
			}
			xrankset_add_set(&a->ranks, &b->ranks);
			rankset_clear(&b->ranks);
			memmove(b, b + 1, (--p->narray - k) * sizeof(*b));
		}
	}
}

static int by_rank(const void *pa, const void *pb)
{
	const struct halo_holder *a = pa, *b = pb;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Whether the part is one of the array's: of its ranks, and the only such one there. */
static bool part_of(const struct halo_parts *p, const struct halo_array *a,
		    const struct halo_part *x)
{
	size_t fit = 0;

	if (!same_shape(a->desc, &x->desc) || !rankset_covers(&a->ranks, x->ranks))
		return false;
	if (same_place(a->desc, &x->desc))
		return true;
	for (size_t i = 0; i < p->n; i++)
		fit += p->part[i].ranks == x->ranks && same_shape(&p->part[i].desc, &x->desc);
	return fit == 1;
}

static void find_holders(struct halo_parts *p, struct halo_array *a)
{
	size_t room = rankset_count(&a->ranks);

	a->holder = xcalloc(room + 1, sizeof(*a->holder));
	for (size_t i = 0; i < p->n; i++) {
		const struct halo_part *x = &p->part[i];

		if (x->why || !part_of(p, a, x))
			continue;
		for (int64_t r = rankset_next(x->ranks, 0); r >= 0 && a->n < room;
		     r = rankset_next(x->ranks, (uint32_t)r + 1))
			a->holder[a->n++] = (struct halo_holder){ (uint32_t)r, x };
	}
	if (a->n)
		qsort(a->holder, a->n, sizeof(*a->holder), by_rank);
	a->alone = true;
	for (size_t i = 0; i < p->narray; i++)
		if (&p->array[i] != a && !strcmp(p->array[i].desc->name, a->desc->name))
			a->alone = false;
}

int halo_parts_make(struct halo_parts *p, const struct groups *answers, struct err *err)
{
	int rc = 0;

	memset(p, 0, sizeof(*p));
	for (size_t i = 0; !rc && i < answers->n; i++)
		rc = answer_get(p, &answers->group[i]);
	for (size_t i = 0; !rc && i < p->n; i++)
		part_into(p, &p->part[i]);
	if (!rc)
		join_places(p);
	for (size_t i = 0; !rc && i < p->narray; i++)
		find_holders(p, &p->array[i]);
	return rc ? err_set(err, "out of memory for what ranks have of halos: name one array") : 0;
}
