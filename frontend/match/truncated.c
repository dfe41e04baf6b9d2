/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives that have ended the program as they are shorter than the message: which one it was. That
 * a message is longer is what MPI says itself; the send is the newest of the rank that the receive
 * names, when all before it were received.
 */
#include "frontend/match/internal.h"

#include <stdlib.h>

#include "common/core/buf.h"
#include "common/mpistate/report.h"
#include "common/protocol/finding_kind.h"
#include "frontend/job/job.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* What each rank does; the i-th group's. */
struct states {
	struct groups groups;
	struct mpistate_report *of; /* owned */
};

/* Ranks that MPI was about to end. */
static void find_failed(struct session *s, struct rankset *out)
{
	const struct groups *stops = job_stops(s->job);
	struct report_stop r;

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);

		if (!report_stop_get(&r, &b) && r.reason == STOP_ERROR)
			xrankset_add_set(out, &stops->group[i].ranks);
	}
}

static uint64_t comm_id(const struct mpistate_report *r, uint32_t comm)
{
	return comm && comm <= r->ncomm ? r->comm[comm - 1].id : 0;
}

/* Messages of one communicator, peer and tag; NULL: none. */
static const struct mpistate_traffic *between(const struct mpistate_report *r, uint64_t id,
					      uint32_t peer, int32_t tag)
{
	for (uint32_t i = 0; i < r->ntraffic; i++) {
		const struct mpistate_traffic *t = &r->traffic[i];

		if (comm_id(r, t->comm) == id && t->peer == (int32_t)peer &&
		    (tag == MPISTATE_ANY || t->tag == tag))
			return t;
	}
	return NULL;
}

/* The send whose message the receive of that rank has met; NULL: it is not known. */
static const struct mpistate_traffic *sent_to(const struct states *x, uint32_t rank,
					      const struct mpistate_report *r,
					      const struct mpistate_op *op, uint32_t *from)
{
	const struct mpistate_traffic *found = NULL;

	for (size_t i = 0; i < x->groups.n; i++) {
		const struct rankset *ranks = &x->groups.group[i].ranks;

		for (int64_t k = rankset_next(ranks, 0); k >= 0;
		     k = rankset_next(ranks, (uint32_t)k + 1)) {
			const struct mpistate_traffic *t, *got;

			if (op->peer != MPISTATE_ANY && op->peer != (int32_t)k)
				continue;
			t = between(&x->of[i], comm_id(r, op->comm), rank, op->tag);
			got = t ? between(r, comm_id(r, op->comm), (uint32_t)k, t->tag) : NULL;
			if (!t || t->call >= MPISTATE_CALLS || t->count <= op->count ||
			    t->sends > (got ? got->recvs : 0) + 1)
				continue;
			if (found)
				return NULL;
			found = t;
			*from = (uint32_t)k;
		}
	}
	return found;
}

static void give(struct match *m, const struct states *x, uint32_t rank,
		 const struct mpistate_report *r)
{
	const struct mpistate_op *op = r->nop == 1 ? r->op : NULL;
	struct report_finding f = { .kind = FINDING_MESSAGE };
	const struct mpistate_traffic *sent;
	struct rankset who = { 0 };
	struct match_line l = { .n = 0 };
	uint32_t from;

	sent = op && op->kind == MPISTATE_OP_RECV ? sent_to(x, rank, r, op, &from) : NULL;
	if (!sent)
		return;
	match_put(&l, "%s takes %llu %s%s, %s", mpistate_call_name(op->call),
		  (unsigned long long)op->count, *op->type ? "of " : "elements", op->type,
		  mpistate_call_name(sent->call));
	match_put_place(m, &l, &sent->place);
	match_put(&l, " on rank %u sends %u", from, sent->count);
	f.place = op->place;
	f.detail = l.text;
	xrankset_add(&who, rank, rank);
	m->found(m->arg, &who, &f);
	rankset_clear(&who);
}

void match_truncated(struct match *m)
{
	struct msg_query q = { .kind = QUERY_MPI, .n = 1 };
	struct states x = { .of = NULL };
	struct rankset silent = { 0 }, failed = { 0 };

	find_failed(m->s, &failed);
	if (!failed.n || ask(m->s, &q, job_set(m->s->job, JOB_ALL), &x.groups, &silent, NULL)) {
		rankset_clear(&failed);
		return;
	}
	x.of = xcalloc(x.groups.n + 1, sizeof(*x.of));
	for (size_t i = 0; i < x.groups.n; i++) {
		struct buf b = buf_view(x.groups.group[i].blob, x.groups.group[i].len);

		if (mpistate_report_get(&x.of[i], &b))
			x.of[i] = (struct mpistate_report){ .call = MPISTATE_CALLS };
	}
	for (size_t i = 0; i < x.groups.n; i++)
		for (int64_t r = rankset_next(&x.groups.group[i].ranks, 0); r >= 0;
		     r = rankset_next(&x.groups.group[i].ranks, (uint32_t)r + 1))
			if (rankset_has(&failed, (uint32_t)r))
				give(m, &x, (uint32_t)r, &x.of[i]);
	for (size_t i = 0; i < x.groups.n; i++)
		mpistate_report_clear(&x.of[i]);
	free(x.of);
	groups_clear(&x.groups);
	rankset_clear(&silent);
	rankset_clear(&failed);
}
