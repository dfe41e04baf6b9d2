/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The root of the tree: links to the nodes right below, what comes in over them, and what happens
 * when one breaks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/net/net.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "frontend/job/internal.h"
#include "frontend/util/loop.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

static void gone_due(void *arg);

static void set_gone_due(struct job *j)
{
	int64_t first = INT64_MAX;

	for (struct job_gone *g = j->gone; g; g = g->next)
		first = g->until < first ? g->until : first;
	if (j->gone)
		loop_at(j->loop, first, gone_due, j);
}

/* These are expected back until then. */
static void expect_back(struct job *j, const struct rankset *ranks, int ms)
{
	struct job_gone *g = xcalloc(1, sizeof(*g));

	xrankset_copy(&g->ranks, ranks);
	g->until = loop_now() + ms;
	g->next = j->gone;
	j->gone = g;
	set_gone_due(j);
}

void job_hurry(struct job *j)
{
	int64_t until = loop_now() + JOB_ALONE_MS;

	for (struct job_gone *g = j->gone; g; g = g->next)
		if (g->until > until)
			g->until = until;
	set_gone_due(j);
}

/* These have come back. */
static void came_back(struct job *j, const struct rankset *ranks)
{
	for (struct job_gone *g = j->gone; g; g = g->next)
		xrankset_remove_set(&g->ranks, ranks);
}

static void gone_due(void *arg)
{
	struct job *j = arg;
	struct rankset lost = { 0 };
	int64_t now = loop_now();

	for (struct job_gone **at = &j->gone; *at;) {
		struct job_gone *g = *at;

		if (g->until > now) {
			at = &g->next;
			continue;
		}
		*at = g->next;
		xrankset_add_set(&lost, &g->ranks);
		rankset_clear(&g->ranks);
		free(g);
	}
	set_gone_due(j);
	if (lost.n)
		job_take_lost(j, &lost);
	rankset_clear(&lost);
}

/* Takes the link out and closes it. */
static void link_drop(struct job_link *l)
{
	struct job *j = l->j;
	struct job_link **at = &j->links;

	while (*at && *at != l)
		at = &(*at)->next;
	if (*at)
		*at = l->next;
	j->bytes_in += conn_bytes_in(l->c);
	loop_remove(j->loop, conn_fd(l->c));
	conn_destroy(l->c);
	rankset_clear(&l->subtree);
	free(l);
}

void job_links_close(struct job *j)
{
	struct job_gone *g;

	while (j->links)
		link_drop(j->links);
	while ((g = j->gone) != NULL) {
		j->gone = g->next;
		rankset_clear(&g->ranks);
		free(g);
	}
	loop_cancel(j->loop, gone_due, j);
}

/* The node may come back, those below it come by themselves. */
static void link_broken(struct job_link *l, const char *why)
{
	struct job *j = l->j;
	struct rankset node = { 0 }, below = { 0 };

	log_debug("job", "link to rank %u ends: %s", l->rank, why);
	if (!j->leaving) {
		xrankset_add(&node, l->rank, l->rank);
		xrankset_copy(&below, &l->subtree);
		xrankset_remove_set(&below, &node);
		expect_back(j, &node, JOB_LOST_MS);
		if (below.n)
			expect_back(j, &below, JOB_STRAY_MS);
		rankset_clear(&node);
		rankset_clear(&below);
		if (j->launch && launch_ended(j->launch))
			job_hurry(j);
	}
	link_drop(l);
}

/* Ranks that have come into the tree, for the first time or again. */
static void take_subtree(struct job_link *l, const struct rankset *ranks)
{
	struct job *j = l->j;
	struct rankset fresh = { 0 }, back = { 0 };

	xrankset_add_set(&l->subtree, ranks);
	xrankset_intersect(&l->subtree, &j->set[JOB_ALL]);
	came_back(j, &l->subtree);
	xrankset_remove_set(&j->unmanned, &l->subtree);
	xrankset_copy(&fresh, &l->subtree);
	xrankset_intersect(&fresh, &j->set[JOB_ABSENT]);
	if (fresh.n)
		job_move(j, &fresh,
			 j->cores      ? JOB_STOPPED
			 : j->attached ? JOB_RUNNING
				       : JOB_LOADED);
	/* Given up too early: as what they were sent last makes them; they report more themselves.
	 */
	xrankset_copy(&back, &l->subtree);
	xrankset_intersect(&back, &j->set[JOB_LOST]);
	if (back.n)
		job_move(j, &back, j->cores ? JOB_STOPPED
				   : j->nplan || j->attached ? JOB_RUNNING
							     : JOB_LOADED);
	rankset_clear(&fresh);
	rankset_clear(&back);
}

static int take_attach(struct job_link *l, struct buf *b)
{
	struct msg_attach m = { 0 };
	int rc = msg_attach_get(&m, b);

	if (rc == 0)
		take_subtree(l, &m.subtree);
	rankset_clear(&m.subtree);
	return rc;
}

static int take_reply(struct job_link *l, struct buf *b)
{
	struct msg_reply m = { 0 };
	int rc = msg_reply_get(&m, b);

	if (rc == 0)
		job_take_reply(l->j, &m);
	msg_reply_clear(&m);
	return rc;
}

static int take_event(struct job_link *l, struct buf *b)
{
	struct msg_event m = { 0 };
	int rc = msg_event_get(&m, b);

	if (rc == 0)
		job_take_event(l->j, l, &m);
	msg_event_clear(&m);
	return rc;
}

static int take_lost(struct job_link *l, struct buf *b)
{
	struct rankset ranks = { 0 };
	int rc = rankset_get(&ranks, b);

	if (rc == 0) {
		xrankset_remove_set(&l->subtree, &ranks);
		job_take_lost(l->j, &ranks);
	}
	rankset_clear(&ranks);
	return rc;
}

/* -1 when the bytes are no such message, or it has no place here. */
static int take_message(struct job_link *l, unsigned type, struct buf *b)
{
	switch (type) {
	case MSG_ATTACH:
		return take_attach(l, b);
	case MSG_REPLY:
		return take_reply(l, b);
	case MSG_EVENT:
		return take_event(l, b);
	case MSG_LOST:
		return take_lost(l, b);
	case MSG_SUMS:
		return job_take_sums(l->j, b);
	}
	return -1;
}

static void read_link(void *arg, short revents)
{
	struct job_link *l = arg;
	struct err err = { "the other side has closed it" };
	int io = revents ? conn_io(l->c, revents, &err) : 0, got;
	struct buf payload;
	unsigned type;

	while ((got = conn_recv(l->c, &type, &payload, &err)) > 0) {
		errno = 0;
		if (take_message(l, type, &payload) < 0) {
			xalloc_check(errno == ENOMEM);
			link_broken(l, "an invalid message");
			return;
		}
	}
	if (got < 0 || io < 0)
		link_broken(l, err.text);
}

static short link_wants(void *arg)
{
	struct job_link *l = arg;

	return conn_events(l->c);
}

static void send_on(struct job_link *l, unsigned type, struct buf *b)
{
	conn_send(l->c, type, b);
	buf_reset(b);
}

/* What a node that comes has to know; what it knows already does no harm. */
static void brief(struct job_link *l)
{
	struct job *j = l->j;
	struct msg_rules m = j->rules;
	struct buf b = BUF_INIT;

	m.trace_config = j->trace_config;
	if (j->leaving) {
		struct msg_kill k = { .who = j->set[JOB_ALL], .final = 1 };

		msg_kill_put(&k, &b);
		send_on(l, MSG_KILL, &b);
	} else {
		if (j->rules.n || j->rules.nwatch || j->trace_config.level != TRACE_CONFIG_NONE) {
			msg_rules_put(&m, &b);
			send_on(l, MSG_RULES, &b);
		}
		if (j->trace.len)
			conn_send(l->c, MSG_TRACE, &j->trace);
		if (j->sums.verdict.point.main) {
			msg_verdict_put(&j->sums.verdict, &b);
			send_on(l, MSG_VERDICT, &b);
		}
		for (size_t i = 0; i < j->nplan; i++) {
			struct msg_go go = { .who = j->plan[i].ranks, .plan = j->plan[i].plan };

			if (!rankset_meets(&go.who, &l->subtree))
				continue;
			msg_go_put(&go, &b);
			send_on(l, MSG_GO, &b);
		}
	}
	buf_clear(&b);
}

void job_linked(void *arg, struct conn *c, const struct msg_join *m)
{
	struct job *j = arg;
	struct job_link *l = xcalloc(1, sizeof(*l));

	loop_add(j->loop, conn_fd(c), link_wants, read_link, l);
	l->j = j;
	l->c = c;
	l->rank = m->rank;
	l->since = j->gen;
	l->next = j->links;
	j->links = l;
	take_subtree(l, &m->subtree);
	brief(l);
	read_link(l, 0);
}

void job_vanished(void *arg, uint32_t rank)
{
	struct job *j = arg;
	struct rankset one = { 0 };

	/* Not if it has come over another connection. */
	for (const struct job_link *l = j->links; l; l = l->next)
		if (rankset_has(&l->subtree, rank))
			return;
	xrankset_add(&one, rank, rank);
	job_take_lost(j, &one);
	rankset_clear(&one);
}

void job_broadcast(struct job *j, unsigned type, const struct buf *payload)
{
	/* A link that breaks here is seen as broken when it is read. */
	for (struct job_link *l = j->links; l; l = l->next)
		conn_send(l->c, type, payload);
}

void job_send_rules(struct job *j)
{
	struct msg_rules m = j->rules;
	struct buf b = BUF_INIT;

	m.trace_config = j->trace_config;
	msg_rules_put(&m, &b);
	job_broadcast(j, MSG_RULES, &b);
	buf_clear(&b);
}

void job_send_params(struct job *j)
{
	struct msg_params m = { .on_exit_run = j->on_exit_run,
				.fpe = j->fpe,
				.points = (uint8_t)j->points,
				.marks = j->marks,
				.nmarks = j->nmarks };
	struct buf b = BUF_INIT;

	msg_params_put(&m, &b);
	job_broadcast(j, MSG_PARAMS, &b);
	buf_clear(&b);
	rendezvous_set_params(j->rdv, &m);
}

void job_send_verdict(struct job *j)
{
	struct buf b = BUF_INIT;

	msg_verdict_put(&j->sums.verdict, &b);
	job_broadcast(j, MSG_VERDICT, &b);
	buf_clear(&b);
}

void job_send_go(struct job *j, const struct rankset *who, const struct plan *p)
{
	struct msg_go m = { .who = *who, .plan = *p };
	struct buf b = BUF_INIT;

	msg_go_put(&m, &b);
	job_broadcast(j, MSG_GO, &b);
	buf_clear(&b);
}

void job_send_kill(struct job *j, const struct rankset *who, bool final)
{
	struct msg_kill m = { .who = *who, .final = final };
	struct buf b = BUF_INIT;

	msg_kill_put(&m, &b);
	job_broadcast(j, MSG_KILL, &b);
	buf_clear(&b);
}

uint64_t job_bytes_in(const struct job *j)
{
	uint64_t n = j->bytes_in;

	for (const struct job_link *l = j->links; l; l = l->next)
		n += conn_bytes_in(l->c);
	return n;
}
