/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/tree/internal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/vec.h"
#include "common/protocol/msg.h"
#include "common/reductions/reductions.h"

struct reply {
	uint32_t req;
	struct rankset missing; /* have not answered */
	struct rankset covered; /* have answered since the last sending */
	struct groups groups;
	size_t bytes;
	groups_fold_fn fold; /* NULL: equal answers are enough */
	int64_t due; /* -1: waits for `missing` without a limit: all that came has been sent */
};

struct event {
	uint8_t kind;
	uint32_t gen;
	bool closed; /* takes nothing in any more */
	struct rankset ranks;
	struct groups groups;
	size_t bytes;
	int64_t due;
};

struct merge {
	struct rankset subtree;
	struct reply *reply;
	size_t nreply;
	struct event *event;
	size_t nevent;
	int64_t retry; /* not before: there was no memory to send with; 0: there was */
};

struct merge *merge_create(void)
{
	return calloc(1, sizeof(struct merge));
}

static void reply_clear(struct reply *r)
{
	rankset_clear(&r->missing);
	rankset_clear(&r->covered);
	groups_clear(&r->groups);
}

static void event_clear(struct event *e)
{
	rankset_clear(&e->ranks);
	groups_clear(&e->groups);
}

void merge_destroy(struct merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nreply; i++)
		reply_clear(&m->reply[i]);
	for (size_t i = 0; i < m->nevent; i++)
		event_clear(&m->event[i]);
	free(m->reply);
	free(m->event);
	rankset_clear(&m->subtree);
	free(m);
}

static size_t groups_bytes(const struct groups *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->group[i].len;
	return n;
}

int merge_subtree(struct merge *m, const struct rankset *ranks)
{
	rankset_clear(&m->subtree);
	return rankset_copy(&m->subtree, ranks);
}

static struct reply *reply_find(struct merge *m, uint32_t req)
{
	for (size_t i = 0; i < m->nreply; i++)
		if (m->reply[i].req == req)
			return &m->reply[i];
	return NULL;
}

static void reply_drop(struct merge *m, size_t i)
{
	reply_clear(&m->reply[i]);
	memmove(&m->reply[i], &m->reply[i + 1], (m->nreply - i - 1) * sizeof(m->reply[0]));
	m->nreply--;
}

static struct reply *reply_make(struct merge *m, uint32_t req)
{
	struct reply *r = reply_find(m, req);

	if (r)
		return r;
	if (m->nreply >= MERGE_REPLIES)
		reply_drop(m, 0);
	r = vec_add(m->reply, m->nreply);
	if (!r)
		return NULL;
	r->req = req;
	r->due = -1;
	return r;
}

int merge_expect(struct merge *m, uint32_t req, const struct rankset *ranks, int64_t now)
{
	struct reply *r;

	if (ranks->n == 0)
		return 0;
	r = reply_make(m, req);
	if (!r || rankset_add_set(&r->missing, ranks) ||
	    rankset_remove_set(&r->missing, &r->covered))
		return -1;
	r->due = now + MERGE_REPLY_MS;
	return 0;
}

void merge_fold(struct merge *m, uint32_t req, groups_fold_fn fold)
{
	struct reply *r = reply_find(m, req);

	if (r)
		r->fold = fold;
}

int merge_gone(struct merge *m, const struct rankset *ranks)
{
	int ret = 0;

	for (size_t i = 0; i < m->nreply; i++)
		if (rankset_remove_set(&m->reply[i].missing, ranks))
			ret = -1;
	return ret;
}

int merge_take_reply(struct merge *m, uint32_t req, const struct rankset *covered,
		     struct groups *groups, int64_t now)
{
	struct reply *r = reply_make(m, req);
	size_t bytes = groups_bytes(groups);

	/* in this order: nobody counts as one that has answered before its answer is there */
	if (!r || groups_take(&r->groups, groups) || rankset_add_set(&r->covered, covered) ||
	    rankset_remove_set(&r->missing, covered))
		return -1;
	if (r->due < 0)
		r->due = now + MERGE_LATE_MS;
	r->bytes += bytes;
	if (r->bytes > MERGE_BYTES)
		r->due = now;
	return 0;
}

int merge_reply(struct merge *m, uint32_t req, const struct rankset *covered,
		const struct groups *groups, int64_t now)
{
	struct groups copy = { 0 };
	int rc = groups_merge(&copy, groups) || merge_take_reply(m, req, covered, &copy, now);

	groups_clear(&copy);
	return rc ? -1 : 0;
}

static bool reply_is_due(const struct reply *r, int64_t now)
{
	return r->missing.n == 0 || (r->due >= 0 && r->due <= now);
}

/* What a rank finds adds up; of other kinds its newest event replaces an older one. */
static bool adds_up(unsigned kind)
{
	return kind != EVENT_STARTED && kind != EVENT_STOP && kind != EVENT_EXIT;
}

static int event_replace(struct event *e, const struct rankset *ranks)
{
	struct groups *d = &e->groups;
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (rankset_remove_set(&d->group[i].ranks, ranks))
			ret = -1;
		if (d->group[i].ranks.n == 0) {
			e->bytes -= d->group[i].len;
			rankset_clear(&d->group[i].ranks);
			free(d->group[i].blob);
			continue;
		}
		d->group[kept++] = d->group[i];
	}
	d->n = kept;
	return ret;
}

static struct event *event_add(struct merge *m, unsigned kind, uint32_t gen, int64_t now)
{
	struct event *e = vec_add(m->event, m->nevent);

	if (!e)
		return NULL;
	e->kind = (uint8_t)kind;
	e->gen = gen;
	e->due = now + MERGE_EVENT_MS;
	return e;
}

/*
 * The entry to merge into. One that is followed by other events of the same ranks is closed, with
 * all that are between: no rank's events may overtake one another.
 */
static struct event *event_find(struct merge *m, unsigned kind, uint32_t gen,
				const struct rankset *ranks, int64_t now)
{
	for (size_t i = 0; i < m->nevent; i++) {
		if (m->event[i].closed || m->event[i].kind != kind || m->event[i].gen != gen)
			continue;
		for (size_t k = i + 1; k < m->nevent; k++) {
			if (!rankset_meets(&m->event[k].ranks, ranks))
				continue;
			for (size_t c = 0; c < m->nevent; c++)
				m->event[c].closed = true;
			return event_add(m, kind, gen, now);
		}
		return &m->event[i];
	}
	return event_add(m, kind, gen, now);
}

int merge_event(struct merge *m, unsigned kind, uint32_t gen, const struct groups *groups,
		int64_t now)
{
	struct rankset ranks = { 0 };
	struct event *e = NULL;
	int ret = -1;

	for (size_t i = 0; i < groups->n; i++)
		if (rankset_add_set(&ranks, &groups->group[i].ranks))
			goto out;
	ret = 0;
	if (ranks.n == 0)
		goto out;
	ret = -1;
	e = event_find(m, kind, gen, &ranks, now);
	if (!e || (!adds_up(kind) && event_replace(e, &ranks)))
		goto out;
	if (rankset_add_set(&e->ranks, &ranks) || groups_merge(&e->groups, groups))
		goto out;
	e->bytes += groups_bytes(groups);
	ret = 0;
out:
	rankset_clear(&ranks);
	return ret;
}

static bool event_is_due(const struct merge *m, const struct event *e, int64_t now)
{
	return e->closed || e->due <= now || e->bytes > MERGE_BYTES ||
	       (m->subtree.n && rankset_covers(&e->ranks, &m->subtree));
}

/* There was no memory: it is tried again a little later. */
static void try_later(struct merge *m, int64_t now)
{
	if (now < INT64_MAX)
		m->retry = now + MERGE_EVENT_MS;
}

int64_t merge_due(const struct merge *m)
{
	int64_t due = -1;

	for (size_t i = 0; i < m->nevent; i++) {
		const struct event *e = &m->event[i];
		int64_t t = event_is_due(m, e, e->due - 1) ? 0 : e->due;

		if (due < 0 || t < due)
			due = t;
	}
	for (size_t i = 0; i < m->nreply; i++) {
		const struct reply *r = &m->reply[i];
		int64_t t = r->missing.n == 0 ? 0 : r->due;

		if (t >= 0 && (due < 0 || t < due))
			due = t;
	}
	return due >= 0 && due < m->retry ? m->retry : due;
}

/* Parts of one reduction become one: what goes up does not grow with the ranks below. */
static int fold_reduced(struct event *e)
{
	struct groups made = { 0 };

	for (size_t i = 0; i < e->groups.n; i++) {
		struct rank_group *g = &e->groups.group[i];
		struct buf b = BUF_INIT;
		int rc = 0;

		if (!g->blob)
			continue;
		buf_put_raw(&b, g->blob, g->len);
		for (size_t k = i + 1; k < e->groups.n && rc >= 0; k++) {
			struct rank_group *other = &e->groups.group[k];

			rc = other->blob ? reduction_merge_bytes(&b, other->blob, other->len) : 0;
			if (rc <= 0)
				continue;
			rc = rankset_add_set(&g->ranks, &other->ranks);
			free(other->blob);
			other->blob = NULL;
		}
		if (rc < 0 || b.bad || groups_add(&made, &g->ranks, b.data, b.len))
			rc = -1;
		buf_clear(&b);
		free(g->blob);
		g->blob = NULL;
		if (rc < 0) {
			groups_clear(&made);
			return -1;
		}
	}
	groups_clear(&e->groups);
	e->groups = made;
	return 0;
}

/*
 * In the order they were begun; an event that is due takes all before it along. -1: some that are
 * due are still here, for lack of memory.
 */
static int send_events(struct merge *m, int64_t now, bool all, merge_send_fn send, void *arg)
{
	size_t n = 0, done = 0;
	bool bad = false;

	for (size_t i = 0; i < m->nevent; i++)
		if (all || event_is_due(m, &m->event[i], now))
			n = i + 1;
	for (; done < n && !bad; done++) {
		struct event *e = &m->event[done];
		struct msg_event msg = { .kind = e->kind, .gen = e->gen, .groups = e->groups };
		struct buf b = BUF_INIT;

		if (e->kind == EVENT_REDUCED && e->groups.n > 1 && fold_reduced(e))
			groups_clear(&e->groups);
		msg.groups = e->groups;
		msg_event_put(&msg, &b);
		bad = b.bad;
		if (!bad && e->groups.n)
			send(arg, MSG_EVENT, &b);
		buf_clear(&b);
		if (bad)
			break;
		event_clear(e);
	}
	memmove(m->event, m->event + done, (m->nevent - done) * sizeof(m->event[0]));
	m->nevent -= done;
	return bad ? -1 : 0;
}

int merge_send_events(struct merge *m, merge_send_fn send, void *arg)
{
	return send_events(m, INT64_MAX, true, send, arg);
}

/* -1: it is still here, for lack of memory. */
static int send_reply(struct reply *r, merge_send_fn send, void *arg)
{
	struct msg_reply msg = { .req = r->req };
	struct buf b = BUF_INIT;
	bool bad = false;

	/* without memory they go as they are: who gets them folds as well */
	if (r->fold)
		r->fold(&r->groups);
	msg.covered = r->covered;
	msg.groups = r->groups;
	if (r->covered.n) {
		msg_reply_put(&msg, &b);
		bad = b.bad;
		if (!bad)
			send(arg, MSG_REPLY, &b);
		buf_clear(&b);
	}
	if (bad)
		return -1;
	rankset_clear(&r->covered);
	groups_clear(&r->groups);
	r->bytes = 0;
	r->due = -1;
	return 0;
}

void merge_send(struct merge *m, int64_t now, merge_send_fn send, void *arg)
{
	bool answers = false;

	for (size_t i = 0; i < m->nreply; i++)
		if (reply_is_due(&m->reply[i], now) && m->reply[i].covered.n)
			answers = true;
	m->retry = 0;
	if (m->nevent && send_events(m, now, answers, send, arg)) {
		try_later(m, now);
		return;
	}
	for (size_t i = 0; i < m->nreply;) {
		if (!reply_is_due(&m->reply[i], now)) {
			i++;
			continue;
		}
		if (send_reply(&m->reply[i], send, arg)) {
			try_later(m, now);
			i++;
			continue;
		}
		if (m->reply[i].missing.n == 0)
			reply_drop(m, i);
		else
			i++;
	}
}
