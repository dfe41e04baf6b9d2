/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A rank goes on until it comes to what it has to wait for: a message, a collective, a lock that
 * another has. What never comes, as it is not in any list, ends it: then nothing is said of what is
 * behind.
 */
#include "frontend/match/replay.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/hash.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define LOCKS_MOST 4096

/* What others wait for: a message, its arrival, a collective. */
enum { KEY_SENT, KEY_RECEIVED, KEY_COLLECTIVE };

struct key {
	uint64_t id;
	uint32_t what, n;
	int32_t from, to, tag, pad;
};

struct token {
	struct key key;
	uint32_t *clock; /* owned; NULL: nobody has come */
	uint32_t *root;	 /* of a collective */
	uint32_t count;
};

/* From a lock to its end. */
struct epoch {
	uint64_t id;
	int32_t target;
	uint32_t rank, lock, unlock; /* events; unlock: UINT32_MAX: it has not ended */
	bool exclusive;
	uint64_t begin, end; /* of MPI_Win_unlock */
	uint32_t *clock;     /* owned; after it */
};

struct replay {
	uint32_t n;
	struct replay_rank *rank; /* owned */
	const struct replay_ops *ops;
	void *arg;
	struct hash keys;
	struct token *token; /* owned */
	size_t ntoken;
	struct epoch *epoch; /* owned */
	size_t nepoch;
	bool one_clock; /* of the hosts */
};

static struct token *token_find(struct replay *r, const struct key *key)
{
	uint64_t hash = hash_bytes(HASH_START, key, sizeof(*key));

	for (uint32_t at = 0, i; hash_next(&r->keys, hash, &at, &i);)
		if (!memcmp(&r->token[i].key, key, sizeof(*key)))
			return &r->token[i];
	return NULL;
}

static struct token *token_get(struct replay *r, const struct key *key)
{
	struct token *t = token_find(r, key);

	if (t)
		return t;
	xalloc_check(hash_put(&r->keys, hash_bytes(HASH_START, key, sizeof(*key)),
			      (uint32_t)r->ntoken));
	t = xvec_add(r->token, r->ntoken);
	t->key = *key;
	return t;
}

static struct key message_key(uint32_t what, const struct mpistate_event *e, uint32_t from,
			      uint32_t to)
{
	return (struct key){ .id = e->id, .what = what, .n = e->n, .from = (int32_t)from,
			     .to = (int32_t)to, .tag = e->tag };
}

static void join(const struct replay *r, uint32_t *to, const uint32_t *from)
{
	for (uint32_t i = 0; i < r->n; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* The rank's clock as it is once the present event has passed; owned by the caller. */
static uint32_t *clock_now(const struct replay *r, uint32_t rank)
{
	uint32_t *c = xmemdup(r->rank[rank].clock, r->n * sizeof(*c));

	c[rank] = r->rank[rank].at + 1;
	return c;
}

static void tell(const struct replay *r, uint32_t rank, struct token *t)
{
	if (!t->clock)
		t->clock = clock_now(r, rank);
}

static bool receive(struct replay *r, uint32_t rank, const struct mpistate_event *e)
{
	struct key key = message_key(KEY_SENT, e, (uint32_t)e->peer, rank);
	struct token *t;

	if (e->peer < 0 || (uint32_t)e->peer >= r->n)
		return false;
	t = token_find(r, &key);
	if (t && !t->clock)
		return false;
	/* else it was sent before anything was kept */
	if (!t && r->rank[e->peer].log->over)
		return false;
	if (t)
		join(r, r->rank[rank].clock, t->clock);
	key.what = KEY_RECEIVED;
	tell(r, rank, token_get(r, &key));
	return true;
}

static bool acknowledged(struct replay *r, uint32_t rank, const struct mpistate_event *e)
{
	struct key key = message_key(KEY_RECEIVED, e, rank, (uint32_t)e->peer);
	struct token *t = token_find(r, &key);

	if (!t || !t->clock)
		return false;
	join(r, r->rank[rank].clock, t->clock);
	return true;
}

static void contribute(struct replay *r, uint32_t rank, const struct mpistate_event *e,
		       struct token *t)
{
	uint32_t *c = clock_now(r, rank);

	if (e->is_root && !t->root)
		t->root = xmemdup(c, r->n * sizeof(*c));
	if (t->clock) {
		join(r, t->clock, c);
		free(c);
	} else {
		t->clock = c;
	}
	t->count++;
}

static bool finish(struct replay *r, uint32_t rank, const struct mpistate_event *e,
		   const struct token *t, unsigned class)
{
	const uint32_t *from = t->clock;

	if (class == MPISTATE_EVENT_FROM) {
		if (!e->is_root && !t->root)
			return false;
		from = t->root;
	} else if (class == MPISTATE_EVENT_TO && !e->is_root) {
		return true;
	} else if (t->count < e->size) {
		return false;
	}
	if (from)
		join(r, r->rank[rank].clock, from);
	return true;
}

static bool collective(struct replay *r, uint32_t rank, const struct mpistate_event *e)
{
	struct key key = { .id = e->id, .what = KEY_COLLECTIVE, .n = e->n };
	struct token *t = token_get(r, &key);

	if (e->kind != MPISTATE_EVENT_ENDED && !r->rank[rank].arrived) {
		contribute(r, rank, e, t);
		r->rank[rank].arrived = true;
		/* before others go on that it lets pass */
		r->ops->event(r->arg, rank, e);
		if (t->count == r->n && e->kind == MPISTATE_EVENT_ALL)
			r->ops->together(r->arg);
	}
	return e->kind == MPISTATE_EVENT_BEGUN || finish(r, rank, e, t, e->class);
}

static struct epoch *epoch_at(struct replay *r, uint32_t rank, uint32_t event, bool unlock)
{
	for (size_t i = 0; i < r->nepoch; i++) {
		struct epoch *p = &r->epoch[i];

		if (p->rank == rank && (unlock ? p->unlock : p->lock) == event)
			return p;
	}
	return NULL;
}

/* What has held the lock before has to be over, where one of both was exclusive. */
static bool locked(struct replay *r, uint32_t rank)
{
	struct replay_rank *me = &r->rank[rank];
	const struct epoch *own = epoch_at(r, rank, me->at, false);

	for (size_t i = 0; own && i < r->nepoch; i++) {
		const struct epoch *p = &r->epoch[i];

		if (p->rank == rank || p->id != own->id || !(p->exclusive || own->exclusive) ||
		    (p->target != own->target && p->target >= 0 && own->target >= 0))
			continue;
		if (p->unlock == UINT32_MAX)
			continue;
		if (own->unlock != UINT32_MAX && p->begin >= own->end && r->one_clock)
			continue;
		if (own->unlock != UINT32_MAX && (p->end > own->begin || !r->one_clock)) {
			me->lost = true;
			return false;
		}
		if (!p->clock)
			return false;
		join(r, me->clock, p->clock);
	}
	return true;
}

static void unlocked(struct replay *r, uint32_t rank)
{
	struct epoch *p = epoch_at(r, rank, r->rank[rank].at, true);

	if (p && !p->clock)
		p->clock = clock_now(r, rank);
}

/* false: it has to wait. */
static bool pass(struct replay *r, uint32_t rank, const struct mpistate_event *e)
{
	struct key key;

	switch (e->kind) {
	case MPISTATE_EVENT_SEND:
		key = message_key(KEY_SENT, e, rank, (uint32_t)e->peer);
		tell(r, rank, token_get(r, &key));
		return true;
	case MPISTATE_EVENT_RECV:
		return receive(r, rank, e);
	case MPISTATE_EVENT_ACK:
		return acknowledged(r, rank, e);
	case MPISTATE_EVENT_ALL:
	case MPISTATE_EVENT_FROM:
	case MPISTATE_EVENT_TO:
	case MPISTATE_EVENT_BEGUN:
	case MPISTATE_EVENT_ENDED:
		return collective(r, rank, e);
	case MPISTATE_EVENT_LOCK:
		return locked(r, rank);
	case MPISTATE_EVENT_UNLOCK:
		unlocked(r, rank);
	}
	return true;
}

static bool advance(struct replay *r, uint32_t rank)
{
	struct replay_rank *me = &r->rank[rank];
	const struct agree_race *log = me->log;
	const struct mpistate_event *e = &log->event[me->at];

	while (me->access < log->naccess && log->access[me->access].begin <= me->at)
		r->ops->access(r->arg, rank, &log->access[me->access++]);
	if (me->lost || me->at >= log->nevent || !pass(r, rank, e))
		return false;
	if (!me->arrived)
		r->ops->event(r->arg, rank, e);
	me->at++;
	me->clock[rank] = me->at;
	me->arrived = false;
	return true;
}

void replay_run(struct replay *r)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t i = 0; i < r->n; i++)
			while (advance(r, i))
				any = true;
	}
}

/* Messages of a rank are known to come, and its locks. */
static void foresee(struct replay *r, uint32_t rank)
{
	const struct agree_race *log = r->rank[rank].log;

	for (uint32_t i = 0; i < log->nevent; i++) {
		const struct mpistate_event *e = &log->event[i];
		struct key key = message_key(KEY_SENT, e, rank, (uint32_t)e->peer);
		struct epoch *p;

		if (e->kind == MPISTATE_EVENT_SEND)
			token_get(r, &key);
		if (e->kind == MPISTATE_EVENT_LOCK) {
			p = xvec_add(r->epoch, r->nepoch);
			*p = (struct epoch){ .id = e->id,
					     .target = e->peer,
					     .rank = rank,
					     .lock = i,
					     .unlock = UINT32_MAX,
					     .exclusive = e->n != 0 };
		}
		for (size_t k = r->nepoch; e->kind == MPISTATE_EVENT_UNLOCK && k--;) {
			p = &r->epoch[k];
			if (p->rank != rank || p->id != e->id || p->target != e->peer ||
			    p->unlock != UINT32_MAX)
				continue;
			p->unlock = i;
			p->begin = e->begin;
			p->end = e->end;
			break;
		}
	}
}

struct replay *replay_create(const struct agree_race *const *log, uint32_t n,
			     const struct replay_ops *ops, void *arg)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	r->n = n;
	r->ops = ops;
	r->arg = arg;
	r->rank = xcalloc(n, sizeof(*r->rank));
	r->one_clock = true;
	for (uint32_t i = 0; i < n; i++) {
		r->rank[i].log = log[i];
		r->rank[i].clock = xcalloc(n, sizeof(*r->rank[i].clock));
		r->one_clock &= log[i]->host == log[0]->host && log[i]->host;
	}
	for (uint32_t i = 0; i < n && r->nepoch <= LOCKS_MOST; i++)
		foresee(r, i);
	/* too many to look at */
	for (uint32_t i = 0; i < n && r->nepoch > LOCKS_MOST; i++)
		r->rank[i].lost = true;
	return r;
}

void replay_destroy(struct replay *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		free(r->rank[i].clock);
	for (size_t i = 0; i < r->ntoken; i++) {
		free(r->token[i].clock);
		free(r->token[i].root);
	}
	for (size_t i = 0; i < r->nepoch; i++)
		free(r->epoch[i].clock);
	hash_clear(&r->keys);
	free(r->token);
	free(r->epoch);
	free(r->rank);
	free(r);
}

const struct replay_rank *replay_rank(const struct replay *r, uint32_t rank)
{
	return &r->rank[rank];
}
