/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a parallel loop writes of an array on all ranks, from samples of what it writes here: where
 * the element's index is the loop's plus a constant it is the loop's range, shifted; in other
 * dimensions all of the array. Of two colours it is that which is written here.
 */
#include "common/control/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/vec.h"
#include "common/logical/construct.h"

static struct writer *writer_of(struct dyncontrol *e, struct level *l, const struct access *a)
{
	struct writer *w;

	for (size_t i = 0; i < l->nwriter; i++)
		if (l->writer[i].array == a->slot->array && l->writer[i].site == a->site)
			return &l->writer[i];
	w = vec_add(l->writer, l->nwriter);
	if (!w) {
		e->failed = true;
		return NULL;
	}
	w->array = a->slot->array;
	w->site = a->site;
	return w;
}

static void sample(struct writer *w, const struct access *a)
{
	const struct lane *lane = a->lane;
	int64_t sum = 0;

	for (unsigned d = 0; d < w->array->ndim; d++) {
		for (unsigned k = 0; k < lane->nidx; k++) {
			int64_t off = a->index[d] - lane->index[k];

			if (!w->begun) {
				w->off[d][k] = off;
				w->fits[d] |= 1u << k;
			} else if (w->off[d][k] != off) {
				w->fits[d] &= ~(1u << k);
			}
		}
		sum += a->index[d];
		w->each[d] |= (uint8_t)(1u << (a->index[d] & 1));
	}
	w->parity |= (uint8_t)(1u << (sum & 1));
	w->begun = true;
}

void writer_add(struct dyncontrol *e, struct access *a)
{
	struct level *l = level_now(e);
	struct writer *w = l ? writer_of(e, l, a) : NULL;

	if (!w)
		return;
	w->n++;
	if (!writer_samples(w->n) || !access_index(a))
		return;
	sample(w, a);
}

/* The loop's index that goes with dimension d, -1: none. Where several fit, the one in its place.
 */
static int index_for(const struct writer *w, const struct level *l, unsigned d)
{
	if (l->non && l->by[d] >= 0 && w->fits[d] & 1u << l->by[d])
		return l->by[d];
	if (w->fits[d] & 1u << d)
		return (int)d;
	return w->fits[d] ? __builtin_ctz(w->fits[d]) : -1;
}

static void event_of(const struct writer *w, const struct level *l, struct written *to)
{
	const struct array *a = w->array;

	to->parity = w->parity;
	for (unsigned d = 0; d < a->ndim; d++) {
		int k = index_for(w, l, d);

		to->each[d] = w->each[d];
		to->lo[d] = a->lower[d];
		to->hi[d] = a->lower[d] + a->extent[d] - 1;
		if (k < 0 || (unsigned)k >= l->ndim) {
			to->each[d] = 3;
			continue;
		}
		to->lo[d] = l->first[k] + w->off[d][k];
		to->hi[d] = l->last[k] + w->off[d][k];
		if (to->lo[d] > to->hi[d]) {
			to->lo[d] = l->last[k] + w->off[d][k];
			to->hi[d] = l->first[k] + w->off[d][k];
		}
		/* too few to say that others are left out */
		if (a->own_hi[d] - a->own_lo[d] < 3)
			to->each[d] = 3;
	}
	if (w->n < 8)
		to->parity = 3;
}

void writers_end(struct dyncontrol *e, struct level *l)
{
	for (size_t i = 0; i < l->nwriter; i++) {
		struct writer *w = &l->writer[i];
		struct array *a = w->array;
		struct written *to;

		if (!w->begun || !l->ndim)
			continue;
		if (a->nevent == EVENTS) {
			memmove(&a->event[0], &a->event[1], (EVENTS - 1) * sizeof(a->event[0]));
			a->nevent--;
		}
		to = &a->event[a->nevent++];
		*to = (struct written){ .base = l->begun, .end = e->serial, .site = w->site };
		event_of(w, l, to);
	}
}

static bool has(const struct array *a, const struct written *w, const int64_t *index)
{
	int64_t sum = 0;

	for (unsigned d = 0; d < a->ndim; d++) {
		if (index[d] < w->lo[d] || index[d] > w->hi[d] ||
		    !(w->each[d] & 1u << (index[d] & 1)))
			return false;
		sum += index[d];
	}
	return w->parity & 1u << (sum & 1);
}

const struct written *written_since(const struct array *a, const int64_t *index, uint32_t since)
{
	for (unsigned i = a->nevent; i-- > 0;)
		if (a->event[i].base >= since && has(a, &a->event[i], index))
			return &a->event[i];
	return NULL;
}
