/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets on the wire: the pages in order, each as its step from the one before and its bits; pages
 * that are, in both, as those up to BACK before are counted only. So a box is a few bytes.
 *
 *	u8 n, u8 lost, u32 pages, then until there are so many:
 *	u8 0: i64 step[n], then bits: u8 0 all | 1, u8 first, u8 last | 2, four u64
 *	u8 d (1 … BACK), u32 count: as the page d before, count times
 */
#include <stdlib.h>
#include <string.h>

#include "common/coverage/internal.h"

#define BACK 16

static int page_order(const void *a, const void *b, void *arg)
{
	const struct index_set *s = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return set_order(&s->tuple[(size_t)x * s->n], &s->tuple[(size_t)y * s->n], s->n);
}

static bool empty(const struct set_bits *b)
{
	return !(b->word[0] | b->word[1] | b->word[2] | b->word[3]);
}

/* The pages that have something, in order; NULL: no memory. */
static uint32_t *ordered(struct index_set *s, uint32_t *n)
{
	uint32_t *order = malloc((s->pages ? s->pages : 1) * sizeof(*order));

	*n = 0;
	if (!order)
		return NULL;
	for (uint32_t i = 0; i < s->pages; i++)
		if (!empty(&s->bits[i]))
			order[(*n)++] = i;
	qsort_r(order, *n, sizeof(*order), page_order, s);
	return order;
}

static void step_of(const struct index_set *s, const uint32_t *order, uint32_t i, int64_t *step)
{
	const int64_t *now = &s->tuple[(size_t)order[i] * s->n];

	for (unsigned d = 0; d < s->n; d++)
		step[d] = i ? (int64_t)((uint64_t)now[d] -
					(uint64_t)s->tuple[(size_t)order[i - 1] * s->n + d])
			    : now[d];
}

static bool is_equal(const struct index_set *s, const uint32_t *order, uint32_t i, uint32_t j)
{
	int64_t a[ARRAY_DIMS], b[ARRAY_DIMS];

	step_of(s, order, i, a);
	step_of(s, order, j, b);
	return !memcmp(a, b, s->n * sizeof(*a)) &&
	       !memcmp(&s->bits[order[i]], &s->bits[order[j]], sizeof(s->bits[0]));
}

/* How many pages from i on are as those d before them. */
static uint32_t repeats(const struct index_set *s, const uint32_t *order, uint32_t n, uint32_t i,
			uint32_t d)
{
	uint32_t count = 0;

	while (i + count < n && is_equal(s, order, i + count, i + count - d))
		count++;
	return count;
}

static struct set_bits run_of(unsigned first, unsigned last)
{
	struct set_bits run = { { 0 } };

	for (unsigned k = first; k <= last; k++)
		run.word[k >> 6] |= UINT64_C(1) << (k & 63);
	return run;
}

/* How they are put: 0 all, 1 from first to last, 2 others. */
static unsigned shape_of(const struct set_bits *b, unsigned *first, unsigned *last)
{
	struct set_bits run;

	while (!(b->word[*first >> 6] >> (*first & 63) & 1))
		++*first;
	while (!(b->word[*last >> 6] >> (*last & 63) & 1))
		--*last;
	run = run_of(*first, *last);
	return memcmp(&run, b, sizeof(run)) ? 2 : *first || *last < 255;
}

static void bits_code(struct codec *c, struct set_bits *b)
{
	unsigned first = 0, last = 255, how = c->get ? 0 : shape_of(b, &first, &last);

	codec_below(c, &how, 3);
	if (how == 2) {
		for (unsigned k = 0; k < 4; k++)
			codec_u64(c, &b->word[k]);
		codec_check(c, !empty(b));
		return;
	}
	if (how == 1) {
		codec_u8(c, &first);
		codec_u8(c, &last);
		codec_check(c, first <= last);
	}
	if (c->get && codec_good(c))
		*b = run_of(first, last);
}

/* A page, or `count` of them that are as those `back` before. */
struct pages {
	unsigned back;
	uint32_t count;
	int64_t step[ARRAY_DIMS];
	struct set_bits bits;
};

static void pages_code(struct codec *c, struct pages *p, unsigned n)
{
	codec_below(c, &p->back, BACK + 1);
	if (p->back) {
		codec_u32(c, &p->count);
		return;
	}
	p->count = 1;
	codec_i64s(c, p->step, n);
	bits_code(c, &p->bits);
}

static void put_pages(struct codec *c, const struct index_set *s, const uint32_t *order, uint32_t n)
{
	struct pages p;

	for (uint32_t i = 0; i < n; i += p.count) {
		p.back = p.count = 0;
		for (uint32_t d = 1; d <= BACK && d < i; d++) {
			uint32_t more = repeats(s, order, n, i, d);

			if (more > p.count) {
				p.back = d;
				p.count = more;
			}
		}
		step_of(s, order, i, p.step);
		p.bits = s->bits[order[i]];
		pages_code(c, &p, s->n);
	}
}

/* The next page; the ones before are there in order. */
static int add_page(struct index_set *s, const int64_t *step, const struct set_bits *bits)
{
	int64_t tuple[ARRAY_DIMS];
	uint32_t before = s->pages;
	int64_t page;

	for (unsigned d = 0; d < s->n; d++)
		tuple[d] = before ? (int64_t)((uint64_t)step[d] +
					      (uint64_t)s->tuple[(size_t)(before - 1) * s->n + d])
				  : step[d];
	if (before && set_order(tuple, &s->tuple[(size_t)(before - 1) * s->n], s->n) <= 0)
		return -1;
	/* beyond these there is no index of 64 bits */
	if (tuple[s->n - 1] > INT64_MAX >> 8 || tuple[s->n - 1] < INT64_MIN >> 8)
		return -1;
	page = set_page(s, tuple, true);
	if (page < 0)
		return -1;
	s->bits[page] = *bits;
	for (unsigned k = 0; k < 4; k++)
		s->count += (uint64_t)__builtin_popcountll(bits->word[k]);
	return 0;
}

/* Those from `from` on are repeated: the step to it, and its bits. */
static void repeat(const struct index_set *s, uint32_t from, struct pages *p)
{
	const int64_t *at = &s->tuple[(size_t)from * s->n], *before = at - s->n;

	for (unsigned d = 0; d < s->n; d++)
		p->step[d] = (int64_t)((uint64_t)at[d] - (uint64_t)before[d]);
	p->bits = s->bits[from];
}

static void get_pages(struct codec *c, struct index_set *s, uint32_t n)
{
	while (s->pages < n && codec_good(c)) {
		struct pages p = { 0 };

		pages_code(c, &p, s->n);
		codec_check(c, !p.back || p.back < s->pages);
		codec_check(c, p.count && p.count <= n - s->pages);
		for (uint32_t i = 0; i < p.count && codec_good(c); i++) {
			if (p.back)
				repeat(s, s->pages - p.back, &p);
			codec_check(c, !add_page(s, p.step, &p.bits));
		}
	}
}

int index_set_code(struct codec *c, struct index_set **set)
{
	uint32_t pages = 0, *order = c->get ? NULL : ordered(*set, &pages);
	unsigned n = c->get ? 0 : (*set)->n;
	bool lost = !c->get && (*set)->lost;

	if (!c->get && !order)
		return codec_fail(c);
	codec_u8(c, &n);
	codec_check(c, n && n <= ARRAY_DIMS);
	codec_flag(c, &lost);
	codec_u32(c, &pages);
	codec_check(c, !lost || !pages);
	if (!c->get) {
		put_pages(c, *set, order, pages);
		free(order);
		return codec_end(c);
	}
	*set = codec_good(c) ? index_set_create(n) : NULL;
	if (!*set)
		return codec_fail(c);
	get_pages(c, *set, pages);
	(*set)->lost = lost;
	return codec_end(c);
}

void index_set_put(struct index_set *s, struct buf *out)
{
	index_set_code(CODEC_PUT(out), &s);
}

struct index_set *index_set_get(struct buf *in)
{
	struct index_set *s = NULL;

	if (!index_set_code(CODEC_GET(in), &s))
		return s;
	index_set_destroy(s);
	return NULL;
}
