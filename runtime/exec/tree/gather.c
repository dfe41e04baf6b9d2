/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/tree/gather.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/vec.h"
#include "common/protocol/msg.h"
#include "common/protocol/point_sums.h"

struct entry {
	struct tally tally;
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
		tally_clear(&g->entry[i].tally);
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

	while (at && point_sort(&g->entry[at - 1].tally.point, p) > 0)
		at--;
	return at;
}

/* Whether t goes into e: what a rank says a second time is another message. */
static bool takes(const struct entry *e, const struct tally *t, size_t bytes)
{
	return point_sort(&e->tally.point, &t->point) == 0 && e->bytes + bytes <= GATHER_BYTES &&
	       !rankset_meets(&e->tally.passed, &t->passed);
}

/* Adds t to what has been said of its point. */
static int add_to(struct entry *e, struct tally *t, size_t bytes)
{
	int rc = 0;

	if (tally_merge(&e->tally, t)) {
		/* which of it was added is not known */
		tally_give_up(&e->tally);
		tally_give_up(t);
		if (rankset_add_set(&e->tally.passed, &t->passed))
			return -1;
		rc = tally_give_up(&e->tally) ? -1 : 1;
	}
	e->bytes += bytes;
	tally_clear(t);
	return rc;
}

int gather_add(struct gather *g, struct tally *t, size_t bytes, int64_t now)
{
	size_t at = place_of(g, &t->point);

	g->now = now;
	if (at && takes(&g->entry[at - 1], t, bytes))
		return add_to(&g->entry[at - 1], t, bytes);
	if (vec_more(g->entry, g->n, 1))
		return -1;
	memmove(&g->entry[at + 1], &g->entry[at], (g->n - at) * sizeof(*g->entry));
	g->entry[at] = (struct entry){ .tally = *t, .bytes = bytes, .due = now + GATHER_MS };
	*t = (struct tally){ 0 };
	g->n++;
	/* the former one of that point is closed, and waits for nobody any more */
	if (at && point_sort(&g->entry[at - 1].tally.point, &g->entry[at].tally.point) == 0)
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
	return g->subtree.n && rankset_covers(&e->tally.passed, &g->subtree);
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

		tally_put(&g->entry[done].tally, &b);
		if (!b.bad)
			send(arg, MSG_SUMS, &b);
		else
			g->retry = g->now += GATHER_MS;
		buf_clear(&b);
		if (g->retry)
			break;
		tally_clear(&g->entry[done].tally);
	}
	if (done)
		memmove(g->entry, g->entry + done, (g->n - done) * sizeof(*g->entry));
	g->n -= done;
}
