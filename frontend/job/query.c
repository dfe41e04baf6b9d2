/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions to ranks: each collects its own answers, several can be under way.
 */
#include <stdlib.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "frontend/job/internal.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

static bool complete(const struct job_req *r)
{
	return rankset_covers(&r->covered, &r->want);
}

static void reqs_due(void *arg);

static void set_due(struct job *j)
{
	int64_t first = INT64_MAX;

	for (struct job_req *r = j->reqs; r; r = r->next)
		if (r->until && r->until < first)
			first = r->until;
	if (first < INT64_MAX)
		loop_at(j->loop, first, reqs_due, j);
	else
		loop_cancel(j->loop, reqs_due, j);
}

/* Takes it out of the list. */
static void unlink_req(struct job *j, struct job_req *r)
{
	struct job_req **at = &j->reqs;

	while (*at && *at != r)
		at = &(*at)->next;
	if (*at)
		*at = r->next;
	r->next = NULL;
	set_due(j);
}

static void req_free(struct job_req *r)
{
	rankset_clear(&r->want);
	rankset_clear(&r->covered);
	groups_clear(&r->answers);
	free(r);
}

void job_req_drop(struct job *j, struct job_req *r)
{
	unlink_req(j, r);
	req_free(r);
}

void job_req_drop_all(struct job *j)
{
	while (j->reqs)
		job_req_drop(j, j->reqs);
}

/* Ends a request that has a done function. */
static void finish(struct job *j, struct job_req *r)
{
	unlink_req(j, r);
	r->done(j, r);
	req_free(r);
}

/* Ends those that are complete or whose time is up; the list may change with each. */
static void finish_due(struct job *j)
{
	int64_t now = loop_now();
	struct job_req *r = j->reqs;

	while (r) {
		if (r->done && (complete(r) || (r->until && r->until <= now))) {
			finish(j, r);
			r = j->reqs;
		} else {
			r = r->next;
		}
	}
	set_due(j);
}

static void reqs_due(void *arg)
{
	finish_due(arg);
}

struct job_req *job_req_new(struct job *j, const struct rankset *who, int timeout_ms,
			    void (*done)(struct job *, struct job_req *))
{
	struct job_req *r = xcalloc(1, sizeof(*r));

	xrankset_copy(&r->want, who);
	xrankset_intersect(&r->want, &j->set[JOB_ALL]);
	xrankset_remove_set(&r->want, &j->set[JOB_ABSENT]);
	xrankset_remove_set(&r->want, &j->unmanned);
	r->req = ++j->last_req;
	r->done = done;
	r->until = done ? loop_now() + timeout_ms : 0;
	r->next = j->reqs;
	j->reqs = r;
	/* One that nobody can answer ends in the next turn. */
	if (done && r->want.n == 0)
		r->until = loop_now();
	set_due(j);
	return r;
}

void job_send_query(struct job *j, struct msg_query *q, const struct job_req *r)
{
	struct buf b = BUF_INIT;

	q->req = r->req;
	q->who = r->want;
	if (!q->name)
		q->name = "";
	if (!q->func)
		q->func = "";
	msg_query_put(q, &b);
	q->who = (struct rankset){ 0 };
	job_broadcast(j, MSG_QUERY, &b);
	buf_clear(&b);
}

void job_take_reply(struct job *j, const struct msg_reply *m)
{
	struct job_req *r = j->reqs;

	while (r && r->req != m->req)
		r = r->next;
	if (!r) {
		log_debug("job", "a late answer to question %u", m->req);
		return;
	}
	for (size_t i = 0; i < m->groups.n; i++) {
		struct rankset part = { 0 };

		/* Only what was asked, and each rank once. */
		xrankset_copy(&part, &m->groups.group[i].ranks);
		xrankset_intersect(&part, &r->want);
		xrankset_remove_set(&part, &r->covered);
		if (part.n)
			xalloc_check(groups_add(&r->answers, &part, m->groups.group[i].blob,
						m->groups.group[i].len));
		rankset_clear(&part);
	}
	xrankset_add_set(&r->covered, &m->covered);
	finish_due(j);
}

void job_req_gone(struct job *j, const struct rankset *ranks)
{
	for (struct job_req *r = j->reqs; r; r = r->next)
		xrankset_remove_set(&r->want, ranks);
	finish_due(j);
}

/* Members without an answer. */
static void find_silent(const struct groups *answers, const struct rankset *who,
			struct rankset *silent)
{
	xrankset_copy(silent, who);
	for (size_t i = 0; i < answers->n; i++)
		xrankset_remove_set(silent, &answers->group[i].ranks);
}

struct job_req *job_ask(struct job *j, struct msg_query *q, const struct rankset *who,
			struct err *err)
{
	struct job_req *r = job_req_new(j, who, 0, NULL);
	char list[64];

	if (!r->want.n) {
		job_req_drop(j, r);
		err_set(err, "no rank of %s is there to be asked",
			rankset_format(who, list, sizeof(list)));
		return NULL;
	}
	job_send_query(j, q, r);
	return r;
}

void job_await(struct job *j, struct job_req *r, int timeout_ms, struct groups *answers)
{
	int64_t until = loop_now() + timeout_ms, left;

	while (!complete(r) && (left = until - loop_now()) > 0 && !loop_interrupted(j->loop))
		loop_turn(j->loop, (int)left);
	*answers = r->answers;
	r->answers = (struct groups){ 0 };
	job_req_drop(j, r);
}

int job_query(struct job *j, struct msg_query *q, const struct rankset *who, int timeout_ms,
	      struct groups *answers, struct rankset *silent, struct err *err)
{
	struct job_req *r = job_ask(j, q, who, err);

	*answers = (struct groups){ 0 };
	*silent = (struct rankset){ 0 };
	if (r)
		job_await(j, r, timeout_ms, answers);
	find_silent(answers, who, silent);
	return r ? 0 : -1;
}
