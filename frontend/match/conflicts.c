/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accesses to the same memory of a window of which one writes, and of which neither is known to be
 * complete when the other begins.
 */
#include "frontend/match/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/finding_kind.h"
#include "frontend/job/job.h"
#include "frontend/match/replay.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define RANKS_MOST 128	/* that are looked at */
#define PAIRS_MOST 1024 /* of places, that were found */
#define FOUND_MOST 32
#define LOOKS_MOST 300000000u /* accesses that are held against one another: a few seconds */

/* In the runtime's order of operations: match_op. */
#define OP_REPLACE 13
#define OP_NO_OP 14

enum lock { LOCK_NONE, LOCK_SHARED, LOCK_EXCLUSIVE };

struct access {
	const struct mpistate_access *a; /* borrowed */
	uint32_t rank, target;
	uint32_t end; /* the event by which it was complete; MPISTATE_NOT_ENDED */
	enum lock lock;
	struct mpistate_piece piece; /* bytes of the window */
	bool own;
};

/* Which places have been found to conflict. */
struct pair {
	uint32_t rank[2];
	uint64_t pc[2];
};

struct held {
	uint32_t rank;
	uint64_t id;
	int32_t target;
	enum lock lock;
};

struct conflicts {
	struct match *m;
	uint32_t n;
	struct agree_race *log; /* owned; of each rank */
	struct replay *replay;
	struct access *active; /* owned; not known to be before all that comes */
	size_t nactive;
	struct held *held; /* owned; locks */
	size_t nheld;
	struct pair *pair; /* owned */
	size_t npair;
	char **text; /* owned; what was found */
	size_t ntext;
	uint64_t looks;
	struct groups answers;
};

static const struct mpistate_window *window_of(const struct conflicts *c, uint32_t rank,
					       uint64_t id)
{
	for (uint32_t i = 0; i < c->log[rank].nwindow; i++)
		if (c->log[rank].window[i].id == id)
			return &c->log[rank].window[i];
	return NULL;
}

static bool reads(const struct mpistate_access *a)
{
	return a->kind == MPISTATE_READ || a->kind == MPISTATE_ATOMIC_READ;
}

static bool is_atomic(const struct mpistate_access *a)
{
	return a->kind == MPISTATE_ATOMIC || a->kind == MPISTATE_ATOMIC_READ;
}

/* Accumulates with other operations than these do not go together. */
static bool is_arithmetic(uint32_t op)
{
	return op && op != OP_REPLACE && op != OP_NO_OP && op < OP_NO_OP;
}

/* MPI makes accumulates of one type, element by element, one after the other. */
static bool are_compatible(const struct access *x, const struct access *y)
{
	const struct mpistate_access *a = x->a, *b = y->a;
	uint32_t bytes = a->base & 0xff;

	if (!is_atomic(a) || !is_atomic(b))
		return false;
	if (!a->base || !b->base)
		return true;
	if (a->base != b->base || (bytes && (x->piece.lo - y->piece.lo) % bytes))
		return false;
	return a->op == b->op || !is_arithmetic(a->op) || !is_arithmetic(b->op);
}

/*
 * What returns data is complete when these are there (MPI_Win_flush_local, MPI_Wait), which is not
 * in the list: it may be so when its rank has gone on.
 */
static bool may_be_complete(const struct conflicts *c, const struct access *x,
			    const struct access *y)
{
	if (x->own || !(reads(x->a) || x->a->gives))
		return false;
	return x->rank == y->rank ||
	       replay_rank(c->replay, y->rank)->clock[x->rank] > x->a->begin;
}

/* x came first in the replay. */
static bool are_ordered(const struct conflicts *c, const struct access *x, const struct access *y)
{
	if (may_be_complete(c, x, y))
		return true;
	if (x->rank == y->rank) {
		if (x->own && y->own)
			return true;
		return x->end != MPISTATE_NOT_ENDED && x->end <= y->a->begin;
	}
	if (x->lock && y->lock && (x->lock == LOCK_EXCLUSIVE || y->lock == LOCK_EXCLUSIVE))
		return true;
	return x->end != MPISTATE_NOT_ENDED &&
	       replay_rank(c->replay, y->rank)->clock[x->rank] > x->end;
}

/* The rank changes memory of the window atomically, after that access. */
static bool releases(const struct conflicts *c, const struct access *x)
{
	const struct agree_race *log = &c->log[x->rank];

	for (const struct mpistate_access *a = x->a + 1; a < log->access + log->naccess; a++)
		if (a->kind == MPISTATE_ATOMIC && a->target >= 0)
			return true;
	return false;
}

/* The rank has seen what others have changed atomically, before that access. */
static bool acquires(const struct conflicts *c, const struct access *x)
{
	const struct agree_race *log = &c->log[x->rank];

	for (const struct mpistate_access *a = log->access; a < x->a; a++)
		if (a->gives)
			return true;
	for (uint32_t i = 0; i < log->nevent && i < x->a->begin; i++)
		if (log->event[i].kind == MPISTATE_EVENT_SYNC)
			return true;
	return false;
}

/* The rank may look again and again, until it sees what another one has put there. */
static bool polls(const struct conflicts *c, const struct access *x)
{
	const struct agree_race *log = &c->log[x->rank];

	for (uint32_t i = 0; x->own && reads(x->a) && i < log->nevent; i++)
		if (log->event[i].kind == MPISTATE_EVENT_SYNC)
			return true;
	return false;
}

/* The program may order them itself, by atomic operations or by what it sees. */
static bool may_be_ordered(struct conflicts *c, const struct access *x, const struct access *y)
{
	const struct agree_race *a = &c->log[x->rank], *b = &c->log[y->rank];

	c->looks += a->naccess + b->naccess + a->nevent + b->nevent;
	return x->rank != y->rank &&
	       ((releases(c, x) && acquires(c, y)) || (releases(c, y) && acquires(c, x)) ||
		polls(c, x) || polls(c, y));
}

/* The first bytes that both have. */
static void common_bytes(const struct mpistate_piece *a, const struct mpistate_piece *b,
			 int64_t *lo, int64_t *hi)
{
	for (uint64_t i = 0; i < a->n && i < MPISTATE_PIECE_LOOK; i++)
		for (uint64_t k = 0; k < b->n && k < MPISTATE_PIECE_LOOK; k++) {
			int64_t x = a->lo + (int64_t)(i * a->stride);
			int64_t y = b->lo + (int64_t)(k * b->stride);
			int64_t end = x + (int64_t)a->block < y + (int64_t)b->block ?
					      x + (int64_t)a->block :
					      y + (int64_t)b->block;

			*lo = x > y ? x : y;
			*hi = end - 1;
			if (*lo <= *hi)
				return;
		}
}

static bool pair_is_known(struct conflicts *c, const struct access *x, const struct access *y)
{
	struct pair p = { { x->rank, y->rank }, { x->a->pc, y->a->pc } };

	for (size_t i = 0; i < c->npair; i++)
		if (!memcmp(&c->pair[i], &p, sizeof(p)))
			return true;
	if (c->npair >= PAIRS_MOST)
		return true;
	*xvec_add(c->pair, c->npair) = p;
	return false;
}

static void put_access(struct conflicts *c, struct match_line *l, const struct access *x)
{
	if (x->a->call)
		match_put(l, "%s", mpistate_call_name(x->a->call - 1));
	else
		match_put(l, x->a->kind == MPISTATE_WRITE ? "store" : "load");
	if (x->own && x->a->call)
		match_put(l, " with its buffer there");
	match_put_place(c->m, l, &c->log[x->rank].place[x->a->pc]);
	match_put(l, " on [%u]", x->rank);
}

static bool text_is_known(struct conflicts *c, const char *text)
{
	for (size_t i = 0; i < c->ntext; i++)
		if (!strcmp(c->text[i], text))
			return true;
	*xvec_add(c->text, c->ntext) = xstrdup(text);
	return false;
}

/* The same places, on whatever ranks, are one. */
static bool is_known(struct conflicts *c, const struct access *x, const struct access *y)
{
	struct match_line a = { .n = 0 }, b = { .n = 0 };

	match_put(&a, "%u %u", x->a->call, x->a->kind);
	match_put_place(c->m, &a, &c->log[x->rank].place[x->a->pc]);
	match_put(&b, "%u %u", y->a->call, y->a->kind);
	match_put_place(c->m, &b, &c->log[y->rank].place[y->a->pc]);
	if (strcmp(a.text, b.text) > 0) {
		match_put(&b, " %s", a.text);
		return text_is_known(c, b.text);
	}
	match_put(&a, " %s", b.text);
	return text_is_known(c, a.text);
}

static void put_window(struct conflicts *c, struct match_line *l, const struct mpistate_window *w,
		       uint32_t rank)
{
	match_put(l, " of the window");
	if (w && w->call) {
		match_put(l, " of %s", mpistate_call_name(w->call - 1));
		match_put_place(c->m, l, &c->log[rank].place[w->pc]);
	}
	match_put(l, " on [%u]", rank);
}

static void give(struct conflicts *c, const struct access *x, const struct access *y)
{
	const struct mpistate_window *w = window_of(c, x->target, x->a->id);
	struct report_finding f = { .kind = FINDING_CONFLICT,
				    .place = c->log[y->rank].place[y->a->pc] };
	struct match_line l = { .n = 0 };
	struct rankset ranks = { 0 };
	int64_t lo = 0, hi = 0;

	if (pair_is_known(c, x, y) || c->ntext >= FOUND_MOST || is_known(c, x, y))
		return;
	common_bytes(&x->piece, &y->piece, &lo, &hi);
	put_access(c, &l, x);
	match_put(&l, " and ");
	put_access(c, &l, y);
	match_put(&l, " overlap in bytes %" PRId64 ":%" PRId64, lo, hi);
	put_window(c, &l, w, x->target);
	xrankset_add(&ranks, x->rank, x->rank);
	xrankset_add(&ranks, y->rank, y->rank);
	f.detail = l.text;
	c->m->found(c->m->arg, &ranks, &f);
	rankset_clear(&ranks);
}

/* Not all of it is in the window. */
static void give_outside(struct conflicts *c, const struct access *x,
			 const struct mpistate_window *w)
{
	struct report_finding f = { .kind = FINDING_ONESIDED,
				    .place = c->log[x->rank].place[x->a->pc] };
	struct match_line l = { .n = 0 };
	struct rankset ranks = { 0 };

	if (pair_is_known(c, x, x))
		return;
	match_put(&l, "%s: it accesses bytes %" PRId64 ":%" PRId64,
		  mpistate_call_name(x->a->call - 1), x->piece.lo,
		  mpistate_piece_end(&x->piece) - 1);
	put_window(c, &l, w, x->target);
	match_put(&l, ", which has %" PRIu64 " bytes", w->size);
	xrankset_add(&ranks, x->rank, x->rank);
	f.detail = l.text;
	c->m->found(c->m->arg, &ranks, &f);
	rankset_clear(&ranks);
}

static enum lock lock_of(const struct conflicts *c, uint32_t rank, uint64_t id, uint32_t target)
{
	for (size_t i = 0; i < c->nheld; i++) {
		const struct held *h = &c->held[i];

		if (h->rank == rank && h->id == id &&
		    (h->target < 0 || (uint32_t)h->target == target))
			return h->lock;
	}
	return LOCK_NONE;
}

static void on_access(void *arg, uint32_t rank, const struct mpistate_access *a)
{
	struct conflicts *c = arg;
	struct access y = { .a = a, .rank = rank, .own = a->target < 0, .end = a->end,
			    .piece = a->piece };
	const struct mpistate_window *w;

	if (!y.own && (uint32_t)a->target >= c->n)
		return;
	y.target = y.own ? rank : (uint32_t)a->target;
	w = window_of(c, y.target, a->id);
	if (!w)
		return;
	y.piece.lo += a->disp * w->unit;
	y.lock = lock_of(c, rank, a->id, y.target);
	if (!y.own && w->size && a->call &&
	    (y.piece.lo < 0 || mpistate_piece_end(&y.piece) > (int64_t)w->size))
		give_outside(c, &y, w);
	/* the rest is not looked at */
	if (c->looks > LOOKS_MOST)
		return;
	c->looks += c->nactive;
	for (size_t i = 0; i < c->nactive; i++) {
		const struct access *x = &c->active[i];

		if (x->a->id == a->id && x->target == y.target && !(reads(x->a) && reads(a)) &&
		    mpistate_pieces_meet(&x->piece, &y.piece) && !are_ordered(c, x, &y) &&
		    !are_compatible(x, &y) && !may_be_ordered(c, x, &y))
			give(c, x, &y);
	}
	*xvec_add(c->active, c->nactive) = y;
}

/* What the rank has accessed in the window is complete. */
static void complete(struct conflicts *c, uint32_t rank, uint64_t id, int32_t target)
{
	uint32_t at = replay_rank(c->replay, rank)->at;

	for (size_t i = 0; i < c->nactive; i++) {
		struct access *x = &c->active[i];

		if (x->rank == rank && !x->own && x->a->id == id &&
		    x->end == MPISTATE_NOT_ENDED && (target < 0 || x->target == (uint32_t)target))
			x->end = at;
	}
}

static void release(struct conflicts *c, uint32_t rank, const struct mpistate_event *e)
{
	for (size_t i = 0; i < c->nheld; i++) {
		struct held *h = &c->held[i];

		if (h->rank != rank || h->id != e->id || h->target != e->peer)
			continue;
		*h = c->held[--c->nheld];
		return;
	}
}

static void on_event(void *arg, uint32_t rank, const struct mpistate_event *e)
{
	struct conflicts *c = arg;
	struct held *h;

	switch (e->kind) {
	case MPISTATE_EVENT_ALL: /* of a window: MPI_Win_fence */
	case MPISTATE_EVENT_COMPLETE:
		complete(c, rank, e->id, -1);
		break;
	case MPISTATE_EVENT_FLUSH:
		complete(c, rank, e->id, e->peer);
		break;
	case MPISTATE_EVENT_UNLOCK:
		complete(c, rank, e->id, e->peer);
		release(c, rank, e);
		break;
	case MPISTATE_EVENT_LOCK:
		h = xvec_add(c->held, c->nheld);
		*h = (struct held){ rank, e->id, e->peer, e->n ? LOCK_EXCLUSIVE : LOCK_SHARED };
		break;
	}
}

/* All ranks are at one place: what is complete is before all that comes. */
static void on_together(void *arg)
{
	struct conflicts *c = arg;
	size_t n = 0;

	for (size_t i = 0; i < c->nactive; i++) {
		const struct access *x = &c->active[i];

		if (x->end == MPISTATE_NOT_ENDED || x->end > replay_rank(c->replay, x->rank)->at)
			c->active[n++] = *x;
	}
	c->nactive = n;
}

/* false: some have not answered. */
static bool ask_logs(struct conflicts *c)
{
	struct msg_query q = { .kind = QUERY_AGREE, .rank = MPISTATE_AGREE_RACE };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	bool good = !ask(c->m->s, &q, job_set(c->m->s->job, JOB_ALL), &answers, &silent, NULL) &&
		    !silent.n;
	uint32_t have = 0;

	for (size_t i = 0; good && i < answers.n; i++) {
		const struct rankset *ranks = &answers.group[i].ranks;

		for (int64_t r = rankset_next(ranks, 0); good && r >= 0 && r < c->n;
		     r = rankset_next(ranks, (uint32_t)r + 1)) {
			struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);

			good = !agree_race_get(&c->log[r], &b);
			have += good;
		}
	}
	/* places are texts of the answers */
	c->answers = answers;
	rankset_clear(&silent);
	return good && have == c->n;
}

void match_conflicts(struct match *m)
{
	static const struct replay_ops ops = { on_access, on_event, on_together };
	struct conflicts c = { .m = m, .n = (uint32_t)job_size(m->s->job) };
	const struct agree_race *log[RANKS_MOST];

	if (c.n > RANKS_MOST || c.n < 2)
		return;
	c.log = xcalloc(c.n, sizeof(*c.log));
	if (ask_logs(&c)) {
		for (uint32_t i = 0; i < c.n; i++)
			log[i] = &c.log[i];
		c.replay = replay_create(log, c.n, &ops, &c);
		replay_run(c.replay);
		replay_destroy(c.replay);
	}
	for (uint32_t i = 0; i < c.n; i++)
		agree_race_clear(&c.log[i]);
	for (size_t i = 0; i < c.ntext; i++)
		free(c.text[i]);
	groups_clear(&c.answers);
	free(c.text);
	free(c.pair);
	free(c.held);
	free(c.active);
	free(c.log);
}
