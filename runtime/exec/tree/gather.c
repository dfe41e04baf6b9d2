/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/tree/internal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/vec.h"
#include "common/protocol/msg.h"
#include "common/protocol/point_sums.h"

struct entry {
	struct point_sums point_sums;
	size_t bytes;
	int64_t due;
};

/* In the order of points; of one point the older first, and only the last takes more in. */
struct gather {
	struct rankset subtree;
	struct entry *entry;
	size_t n;
	int64_t now;   /* the time that was reported last */
	int64_t retry; /* not before: there was no memory to send with; 0: there was */
};

struct gather *gather_create(void)
{
	return calloc(1, sizeof(struct gather));
}

void gather_destroy(struct gather *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		point_sums_clear(&g->entry[i].point_sums);
	free(g->entry);
	rankset_clear(&g->subtree);
	free(g);
}

int gather_subtree(struct gather *g, const struct rankset *ranks)
{
	rankset_clear(&g->subtree);
	return rankset_copy(&g->subtree, ranks);
}

/* The place behind all entries of points up to p. */
static size_t place_of(const struct gather *g, const struct point *p)
{
	size_t at = g->n;

	while (at && point_sort(&g->entry[at - 1].point_sums.point, p) > 0)
		at--;
	return at;
}

/* Whether t goes into e: what a rank says a second time is another message. */
static bool takes(const struct entry *e, const struct point_sums *t, size_t bytes)
{
	return point_sort(&e->point_sums.point, &t->point) == 0 &&
	       e->bytes + bytes <= GATHER_BYTES &&
	       !rankset_meets(&e->point_sums.passed, &t->passed);
}

/* Adds t to what has been said of its point. */
static int add_to(struct entry *e, struct point_sums *t, size_t bytes)
{
	int rc = 0;

	if (point_sums_merge(&e->point_sums, t)) {
		/* which of it was added is not known */
		point_sums_give_up(&e->point_sums);
		point_sums_give_up(t);
		if (rankset_add_set(&e->point_sums.passed, &t->passed))
			return -1;
		rc = point_sums_give_up(&e->point_sums) ? -1 : 1;
	}
	e->bytes += bytes;
	point_sums_clear(t);
	return rc;
}

int gather_add(struct gather *g, struct point_sums *t, size_t bytes, int64_t now)
{
	size_t at = place_of(g, &t->point);

	g->now = now;
	if (at && takes(&g->entry[at - 1], t, bytes))
		return add_to(&g->entry[at - 1], t, bytes);
	if (vec_more(g->entry, g->n, 1))
		return -1;
	memmove(&g->entry[at + 1], &g->entry[at], (g->n - at) * sizeof(*g->entry));
	g->entry[at] = (struct entry){ .point_sums = *t, .bytes = bytes, .due = now + GATHER_MS };
	*t = (struct point_sums){ 0 };
	g->n++;
	/* the former one of that point is closed, and waits for nobody any more */
	if (at &&
	    point_sort(&g->entry[at - 1].point_sums.point, &g->entry[at].point_sums.point) == 0)
		g->entry[at - 1].due = now;
	return 0;
}

/* The oldest do not wait longer when so many do: a rank may be far behind the others. */
static size_t excess(const struct gather *g)
{
	return g->n > GATHER_MOST ? g->n - GATHER_MOST / 2 : 0;
}

static bool complete(const struct gather *g, const struct entry *e)
{
	return g->subtree.n && rankset_covers(&e->point_sums.passed, &g->subtree);
}

int64_t gather_due(const struct gather *g)
{
	int64_t due = -1;

	if (excess(g))
		return g->retry;
	for (size_t i = 0; i < g->n; i++) {
		if (complete(g, &g->entry[i]))
			return g->retry;
		if (due < 0 || g->entry[i].due < due)
			due = g->entry[i].due;
	}
	return due >= 0 && due < g->retry ? g->retry : due;
}

void gather_send(struct gather *g, int64_t now, gather_send_fn send, void *arg)
{
	size_t n = excess(g), done = 0;

	g->retry = 0;
	if (now < INT64_MAX)
		g->now = now;
	for (size_t i = n; i < g->n; i++)
		if (g->entry[i].due <= now || complete(g, &g->entry[i]))
			n = i + 1;
	for (; done < n && !g->retry; done++) {
		struct buf b = BUF_INIT;

		point_sums_put(&g->entry[done].point_sums, &b);
		if (!b.bad)
			send(arg, MSG_SUMS, &b);
		else
			g->retry = g->now += GATHER_MS;
		buf_clear(&b);
		if (g->retry)
			break;
		point_sums_clear(&g->entry[done].point_sums);
	}
	if (done)
		memmove(g->entry, g->entry + done, (g->n - done) * sizeof(*g->entry));
	g->n -= done;
}
