/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks have noted, from their files. */
#include "frontend/tags/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

#define HALVES_MOST (4u << 20)

static int64_t stored(const struct tags_array *a, uint32_t d)
{
	int64_t own = a->list_n[d] != UINT32_MAX ? a->list_n[d] : a->own_hi[d] - a->own_lo[d] + 1;

	return own + a->halo_lo[d] + a->halo_hi[d];
}

static void take_array(struct noted_rank *r, const struct tags_array *a)
{
	struct noted_array *h = xvec_add(r->array, r->narrays);

	h->a = *a;
	h->a.name = xstrdup(a->name);
	h->a.file = xstrdup(a->file);
	h->a.module = xstrdup(a->module);
	h->total = 1;
	for (uint32_t d = 0; d < a->ndim; d++) {
		if (__builtin_mul_overflow(h->total, (uint64_t)stored(a, d), &h->total) ||
		    h->total > TAGS_ELEMENTS)
			h->total = 0;
		if (a->list_n[d] != UINT32_MAX)
			h->list[d] = xcalloc((size_t)a->list_n[d] + 1, sizeof(int64_t));
	}
}

static void take_list(struct noted_rank *r, struct buf *b)
{
	struct tags_list l = { 0 };
	struct noted_array *h = NULL;

	if (tags_list_code(CODEC_GET(b), &l))
		return;
	for (uint32_t i = r->narrays; i-- > 0 && !h;)
		if (r->array[i].a.number == l.number)
			h = &r->array[i];
	if (!h || l.dim >= h->a.ndim || !h->list[l.dim])
		return;
	for (uint32_t i = 0; i < l.n && l.first + i < h->a.list_n[l.dim]; i++)
		h->list[l.dim][l.first + i] = buf_get_i64(b);
}

static void take_halves(struct noted_rank *r, const struct tags_interval *in, struct buf *b)
{
	struct tags_halves t;

	memset(&t, 0, sizeof(t));
	if (tags_halves_code(CODEC_GET(b), &t))
		return;
	for (uint32_t i = 0; i < t.n && r->nhalves < HALVES_MOST; i++) {
		uint64_t at = t.at + i * (uint64_t)t.step;
		uint64_t key = hash_mix(hash_mix(hash_mix(at, t.array), in->from), in->to);
		struct halves *h = NULL;

		for (uint32_t p = 0, k; !h && hash_next(&r->by_element, key, &p, &k);)
			if (r->halves[k].at == at && r->halves[k].array == t.array &&
			    r->halves[k].in.from == in->from && r->halves[k].in.to == in->to)
				h = &r->halves[k];
		if (!h) {
			h = xvec_add(r->halves, r->nhalves);
			h->in = *in;
			h->array = t.array;
			h->at = at;
			xalloc_check(hash_put(&r->by_element, key, r->nhalves - 1));
		}
		h->part[t.half] = t.bits[i];
		h->have |= 1u << t.half;
	}
}

void noted_take(struct noted_rank *r, struct buf *b)
{
	struct tags_interval in = { 0 };

	if (buf_get_u64(b) != TAGS_MAGIC)
		return;
	r->any = true;
	while (!b->bad && buf_left(b)) {
		uint32_t kind = buf_get_u32(b);
		size_t n;
		const void *p = buf_get_blob(b, &n);
		struct buf one = buf_view(p, n);
		struct tags_array a;
		struct tags_moved m = { 0 };
		struct tags_between t = { 0 };

		if (!p)
			return;
		if (kind == TAGS_ARRAY && !tags_array_code(CODEC_GET(&one), &a))
			take_array(r, &a);
		else if (kind == TAGS_LISTED)
			take_list(r, &one);
		else if (kind == TAGS_INTERVAL && !tags_interval_code(CODEC_GET(&one), &in))
			r->intervals++;
		else if (kind == TAGS_MOVED && !tags_moved_code(CODEC_GET(&one), &m))
			*xvec_add(r->moved, r->nmoved) = (struct moved){ m, in.main };
		else if (kind == TAGS_BETWEEN && !tags_between_code(CODEC_GET(&one), &t))
			*xvec_add(r->between, r->nbetween) = (struct between){ t, in.main };
		else if (kind == TAGS_HALF)
			take_halves(r, &in, &one);
	}
}

void noted_join(struct noted_rank *r)
{
	for (uint32_t i = 0; i < r->nhalves; i++) {
		const struct halves *h = &r->halves[i];
		struct moved *m;
		struct tag t;

		if (h->have != 3 || !tag_of_bits(tag_join(h->part[0], h->part[1]), &t))
			continue;
		m = xvec_add(r->moved, r->nmoved);
		m->main = h->in.main;
		m->m = (struct tags_moved){ .array = h->array, .from_rank = t.rank,
					    .from_array = t.array, .n = 1, .at = h->at,
					    .from = t.at };
	}
}

static bool read_file(struct noted_rank *r, const char *path)
{
	FILE *f = fopen(path, "re");
	char *data;
	long n;
	struct buf b;

	if (!f)
		return false;
	if (fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		fclose(f);
		return false;
	}
	data = xmalloc((size_t)n + 1);
	b = buf_view(data, fread(data, 1, (size_t)n, f));
	fclose(f);
	noted_take(r, &b);
	free(data);
	return true;
}

void noted_read(struct noted *n, const char *dir, uint32_t ranks)
{
	n->ranks = ranks;
	n->rank = xcalloc(ranks, sizeof(*n->rank));
	for (uint32_t i = 0; i < ranks; i++) {
		char *path = xasprintf("%s/%" PRIu32, dir, i);
		char *part = xasprintf("%s.run", path);

		n->rank[i].complete = read_file(&n->rank[i], path);
		if (!n->rank[i].complete)
			read_file(&n->rank[i], part);
		noted_join(&n->rank[i]);
		free(path);
		free(part);
	}
}

void noted_clear(struct noted *n)
{
	for (uint32_t i = 0; i < n->ranks; i++) {
		struct noted_rank *r = &n->rank[i];

		for (uint32_t k = 0; k < r->narrays; k++) {
			for (unsigned d = 0; d < ARRAY_DIMS; d++)
				free(r->array[k].list[d]);
			free((char *)r->array[k].a.name);
			free((char *)r->array[k].a.file);
			free((char *)r->array[k].a.module);
			free(r->array[k].right);
			free(r->array[k].wrong);
		}
		free(r->array);
		free(r->moved);
		free(r->between);
		free(r->halves);
		hash_clear(&r->by_element);
	}
	free(n->rank);
	*n = (struct noted){ 0 };
}

struct noted_array *noted_array_of(const struct noted_rank *r, uint32_t number, uint32_t main)
{
	for (uint32_t i = r->narrays; i-- > 0;)
		if (r->array[i].a.number == number && r->array[i].a.since <= main)
			return &r->array[i];
	return NULL;
}
