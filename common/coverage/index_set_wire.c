/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets on the wire: the pages in order, each as its step from the one before and its bits; pages
 *that are, in both, as those up to BACK before are counted only. So a box is a few bytes.
 *
 *	u8 n, u8 lost, u32 pages, then until there are so many:
 *	u8 0: i64 step[n], then bits: u8 0 all | 1, u8 first, u8 last | 2, four u64
 *	u8 d (1 … BACK), u32 count: as the page d before, count times
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/coverage/internal.h"

#define BACK 16

static int page_order(const void *a, const void *b, void *arg)
{
	const struct trace_set *s = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return set_order(&s->tuple[(size_t)x * s->n], &s->tuple[(size_t)y * s->n], s->n);
}

static bool empty(const struct set_bits *b)
{
	return !(b->word[0] | b->word[1] | b->word[2] | b->word[3]);
}

/* The pages that have something, in order; NULL: no memory. */
static uint32_t *ordered(struct trace_set *s, uint32_t *n)
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

static void step_of(const struct trace_set *s, const uint32_t *order, uint32_t i, int64_t *step)
{
	const int64_t *now = &s->tuple[(size_t)order[i] * s->n];

	for (unsigned d = 0; d < s->n; d++)
		step[d] = i ? (int64_t)((uint64_t)now[d] -
					(uint64_t)s->tuple[(size_t)order[i - 1] * s->n + d])
			    : now[d];
}

static bool alike(const struct trace_set *s, const uint32_t *order, uint32_t i, uint32_t j)
{
	int64_t a[ARRAY_DIMS], b[ARRAY_DIMS];

	step_of(s, order, i, a);
	step_of(s, order, j, b);
	return !memcmp(a, b, s->n * sizeof(*a)) &&
	       !memcmp(&s->bits[order[i]], &s->bits[order[j]], sizeof(s->bits[0]));
}

/* How many pages from i on are as those d before them. */
static uint32_t repeats(const struct trace_set *s, const uint32_t *order, uint32_t n, uint32_t i,
			uint32_t d)
{
	uint32_t count = 0;

	while (i + count < n && alike(s, order, i + count, i + count - d))
		count++;
	return count;
}

static void put_bits(const struct set_bits *b, struct buf *out)
{
	unsigned first = 0, last = 255;
	struct set_bits run = { { 0 } };

	while (!(b->word[first >> 6] >> (first & 63) & 1))
		first++;
	while (!(b->word[last >> 6] >> (last & 63) & 1))
		last--;
	for (unsigned k = first; k <= last; k++)
		run.word[k >> 6] |= UINT64_C(1) << (k & 63);
	if (memcmp(&run, b, sizeof(run)) != 0) {
		buf_put_u8(out, 2);
		for (unsigned k = 0; k < 4; k++)
			buf_put_u64(out, b->word[k]);
	} else if (first || last < 255) {
		buf_put_u8(out, 1);
		buf_put_u8(out, (uint8_t)first);
		buf_put_u8(out, (uint8_t)last);
	} else {
		buf_put_u8(out, 0);
	}
}

void trace_set_put(struct trace_set *s, struct buf *out)
{
	uint32_t n, best, count, *order = ordered(s, &n);
	int64_t step[ARRAY_DIMS];

	if (!order) {
		out->bad = true;
		return;
	}
	buf_put_u8(out, (uint8_t)s->n);
	buf_put_u8(out, s->lost);
	buf_put_u32(out, n);
	for (uint32_t i = 0; i < n; i += count) {
		best = count = 0;
		for (uint32_t d = 1; d <= BACK && d < i; d++) {
			uint32_t more = repeats(s, order, n, i, d);

			if (more > count) {
				best = d;
				count = more;
			}
		}
		buf_put_u8(out, (uint8_t)best);
		if (best) {
			buf_put_u32(out, count);
			continue;
		}
		step_of(s, order, i, step);
		for (unsigned d = 0; d < s->n; d++)
			buf_put_i64(out, step[d]);
		put_bits(&s->bits[order[i]], out);
		count = 1;
	}
	free(order);
}

static void get_bits(struct set_bits *b, struct buf *in)
{
	unsigned how = buf_get_u8(in), first = 0, last = 255;

	*b = (struct set_bits){ { 0 } };
	if (how == 2) {
		for (unsigned k = 0; k < 4; k++)
			b->word[k] = buf_get_u64(in);
		in->bad = in->bad || empty(b);
		return;
	}
	if (how == 1) {
		first = buf_get_u8(in);
		last = buf_get_u8(in);
	}
	if (how > 1 || first > last)
		in->bad = true;
	for (unsigned k = first; k <= last && !in->bad; k++)
		b->word[k >> 6] |= UINT64_C(1) << (k & 63);
}

/* The next page; the ones before are there in order. */
static int add_page(struct trace_set *s, const int64_t *step, const struct set_bits *bits)
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

static int get_pages(struct trace_set *s, struct buf *in, uint32_t n)
{
	while (s->pages < n) {
		unsigned back = buf_get_u8(in);
		uint32_t count = back ? buf_get_u32(in) : 1;
		int64_t step[ARRAY_DIMS];
		struct set_bits bits;

		if (in->bad || back > BACK || back >= s->pages + !back || !count ||
		    count > n - s->pages)
			return -1;
		for (unsigned d = 0; !back && d < s->n; d++)
			step[d] = buf_get_i64(in);
		if (!back)
			get_bits(&bits, in);
		for (; count && !in->bad; count--) {
			uint32_t from = s->pages - back;

			for (unsigned d = 0; back && d < s->n; d++)
				step[d] =
					(int64_t)((uint64_t)s->tuple[(size_t)from * s->n + d] -
						  (uint64_t)
							  s->tuple[(size_t)(from - 1) * s->n + d]);
			if (back)
				bits = s->bits[from];
			if (add_page(s, step, &bits))
				return -1;
		}
	}
	return in->bad ? -1 : 0;
}

struct trace_set *trace_set_get(struct buf *in)
{
	unsigned n = buf_get_u8(in), lost = buf_get_u8(in);
	uint32_t pages = buf_get_u32(in);
	struct trace_set *s;

	if (in->bad || !n || n > ARRAY_DIMS || lost > 1 || (lost && pages)) {
		in->bad = true;
		return NULL;
	}
	s = trace_set_create(n);
	if (s && !get_pages(s, in, pages)) {
		s->lost = lost;
		return s;
	}
	trace_set_destroy(s);
	in->bad = true;
	return NULL;
}
