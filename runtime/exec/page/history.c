/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The constructs that the page remembers: a ring the program writes while we read.
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/answer.h"
#include "runtime/exec/page/page.h"

/*
 * What is remembered, oldest first, in memory the caller frees; NULL when it is nothing. Without
 * memory out becomes bad.
 */
static struct page_history *history_copy(const struct page_read *r, uint32_t *n, struct buf *out)
{
	struct page *p = r->page;
	uint32_t end = atomic_load(&p->history_n), begin, lost;
	uint32_t want = end < PAGE_HISTORY ? end : PAGE_HISTORY;
	struct page_history *h;

	*n = 0;
	if (want == 0)
		return NULL;
	h = malloc(want * sizeof(*h));
	if (!h) {
		out->bad = true;
		return NULL;
	}
	begin = end - want;
	for (uint32_t i = 0; i < want; i++)
		memcpy(&h[i], &p->history[(begin + i) % PAGE_HISTORY], sizeof(*h));
	__asm__ volatile("" ::: "memory");
	/* what was overwritten meanwhile, and the one that may be half written */
	lost = atomic_load(&p->history_n) - begin;
	lost = lost >= PAGE_HISTORY ? lost - PAGE_HISTORY + 1 : 0;
	if (lost >= want) {
		free(h);
		return NULL;
	}
	*n = want - lost;
	memmove(h, h + lost, *n * sizeof(*h));
	return h;
}

/* A passed point: which entry, which side. */
struct passed {
	uint32_t entry;
	uint8_t side;
};

static struct point entry_point(const struct page_history *h, enum point_side side)
{
	return point_clean(h->main, h->task, h->sub, side);
}

/* A task's construct in its region, or a collective call in whatever is open. */
static bool entry_inside(const struct page_history *region, const struct page_history *h)
{
	const struct point end = entry_point(region, POINT_END), p = entry_point(h, POINT_BEGIN);

	return point_compare(&p, &end) == POINT_BEFORE && h != region &&
	       (h->sub || point_kind(&p) != POINT_KIND_MARKS);
}

/* Nothing that is listed is inside of it. */
static bool entry_is_leaf(const struct page_history *h)
{
	const struct point p = entry_point(h, POINT_BEGIN);

	return h->sub || point_kind(&p) != POINT_KIND_MARKS;
}

/*
 * Orders begins and ends as they were passed, without trusting clocks: only a task region has
 * constructs inside, and they carry its number, as calls of MPI say what they are in. Returns how
 * many there are.
 */
static size_t order(const struct page_history *h, uint32_t n, struct passed *out)
{
	size_t m = 0;
	uint32_t open = UINT32_MAX; /* a construct whose end is to come, perhaps after others */

	for (uint32_t i = 0; i < n; i++) {
		if (!entry_point(&h[i], POINT_BEGIN).main)
			continue;
		if (open != UINT32_MAX && !entry_inside(&h[open], &h[i])) {
			if (h[open].end_usec)
				out[m++] = (struct passed){ open, POINT_END };
			open = UINT32_MAX;
		}
		out[m++] = (struct passed){ i, POINT_BEGIN };
		if (!entry_is_leaf(&h[i]))
			open = i;
		else if (h[i].end_usec)
			out[m++] = (struct passed){ i, POINT_END };
	}
	if (open != UINT32_MAX && h[open].end_usec)
		out[m++] = (struct passed){ open, POINT_END };
	return m;
}

static void passed_put(struct page_read *r, const struct page_history *h, unsigned side, bool times,
		       struct buf *out)
{
	struct report_point p = { .point = { h->main, h->task, h->sub, side } };
	unsigned kind;

	page_read_reset(r);
	kind = page_read_place(r, h->loc, &p.place);
	p.kind = kind < CONSTRUCT_KINDS ? (uint8_t)kind : CONSTRUCT_PL;
	if (times)
		p.usec = side == POINT_END ? h->end_usec : h->begin_usec;
	report_point_put(&p, out);
}

void page_read_points(struct page_read *r, uint32_t n, bool times, struct buf *out)
{
	uint32_t have = 0;
	struct page_history *h = history_copy(r, &have, out);
	struct passed *list = h ? malloc(2 * (size_t)have * sizeof(*list)) : NULL;
	size_t m = list ? order(h, have, list) : 0;
	size_t first = n && m > n ? m - n : 0;

	if (h && !list)
		out->bad = true;
	answer_points_put(&(struct answer_points){ (uint32_t)(m - first) }, out);
	for (size_t i = first; i < m; i++)
		passed_put(r, &h[list[i].entry], list[i].side, times, out);
	page_read_reset(r);
	free(list);
	free(h);
}

void page_read_hash_at(struct page_read *r, uint32_t n, struct buf *out)
{
	uint32_t have = 0;
	struct page_history *h = history_copy(r, &have, out);
	struct answer_hash a = { .kind = CONSTRUCT_KINDS };
	uint32_t i = have;

	page_read_reset(r);
	while (i && (h[i - 1].main != n || h[i - 1].sub != 0 || h[i - 1].task != 0))
		i--;
	if (n && i) {
		a.known = true;
		a.hash = h[i - 1].hash;
		a.kind = (uint8_t)page_read_place(r, h[i - 1].loc, &a.place);
	}
	answer_hash_put(&a, out);
	free(h);
}
