/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What supervisors do: merging what goes up, answers from the page of a simulated rank, the
 * handshake.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/array/array.h"
#include "common/net/net.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/msg.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"
#include "runtime/exec/query/query.h"
#include "runtime/exec/tree/internal.h"
#include "runtime/exec/page/page.h"
#include "runtime/page/page.h"
#include "tests/oom/cases.h"
#include "tests/oom/fail.h"
#include "tests/sim/sim.h"

/* What came out of a merge, by rank: the order of messages may differ when one of them was late. */
struct up {
	struct result *r;
	uint32_t said[8]; /* of each rank: how many groups it was in */
	unsigned bad;
};

static void count_ranks(struct up *u, const struct groups *d, unsigned kind)
{
	for (size_t i = 0; i < d->n; i++)
		for (int64_t r = rankset_next(&d->group[i].ranks, 0); r >= 0 && r < 8;
		     r = rankset_next(&d->group[i].ranks, (uint32_t)r + 1))
			u->said[r] += 1 + 16 * kind + 256 * d->group[i].blob[0];
}

static void sent(void *arg, unsigned type, const struct buf *payload)
{
	struct buf b = buf_view(payload->data, payload->len);
	struct up *u = arg;

	fail_pause(true);
	if (type == MSG_EVENT) {
		struct msg_event m;

		u->bad += msg_event_get(&m, &b) != 0;
		count_ranks(u, &m.groups, m.kind);
		msg_event_clear(&m);
	} else {
		struct msg_reply m;

		u->bad += msg_reply_get(&m, &b) != 0;
		count_ranks(u, &m.groups, 0);
		msg_reply_clear(&m);
	}
	fail_pause(false);
}

static int event(struct merge *m, unsigned kind, uint32_t rank, const char *text)
{
	struct rankset ranks = { 0 };
	struct groups d = { 0 };
	int rc;

	fail_pause(true);
	rankset_add(&ranks, rank, rank);
	groups_add(&d, &ranks, text, strlen(text));
	fail_pause(false);
	rc = merge_event(m, kind, 1, &d, 1000);
	groups_clear(&d);
	rankset_clear(&ranks);
	return rc;
}

static int reply(struct merge *m, uint32_t rank, const char *text)
{
	struct rankset ranks = { 0 };
	struct groups d = { 0 };
	int rc;

	fail_pause(true);
	rankset_add(&ranks, rank, rank);
	groups_add(&d, &ranks, text, strlen(text));
	fail_pause(false);
	rc = merge_reply(m, 5, &ranks, &d, 1000);
	groups_clear(&d);
	rankset_clear(&ranks);
	return rc;
}

static int fill_merge(struct merge *m)
{
	struct rankset all = { 0 };
	int rc =
		rankset_add(&all, 0, 7) || merge_subtree(m, &all) || merge_expect(m, 5, &all, 1000);

	for (uint32_t i = 0; !rc && i < 8; i++)
		rc = event(m, EVENT_STARTED, i, "s") || reply(m, i, i % 3 ? "a" : "b");
	for (uint32_t i = 0; !rc && i < 8; i++)
		rc = event(m, EVENT_FINDING, i, i % 2 ? "f" : "g") || event(m, EVENT_STOP, i, "t");
	if (!rc)
		rc = event(m, EVENT_STARTED, 3, "again") || event(m, EVENT_STARTED, 4, "again");
	rankset_clear(&all);
	return rc ? -1 : 0;
}

static int run_merge(struct result *r)
{
	struct merge *m = merge_create();
	struct up u = { .r = r };
	int rc = m ? fill_merge(m) : -1;

	/* what cannot be sent at once is not lost: it is sent later */
	for (int64_t now = 2000; !rc && now < 5000; now += 1000)
		merge_send(m, now, sent, &u);
	case_add(r, u.said, sizeof(u.said));
	case_add(r, &u.bad, sizeof(u.bad));
	merge_destroy(m);
	return rc;
}

static void sums_sent(void *arg, unsigned type, const struct buf *payload)
{
	struct buf b = buf_view(payload->data, payload->len);
	uint32_t *said = arg;
	struct point_sums t;

	(void)type;
	fail_pause(true);
	if (!point_sums_get(&t, &b, NULL))
		for (int64_t r = rankset_next(&t.passed, 0); r >= 0 && r < 8;
		     r = rankset_next(&t.passed, (uint32_t)r + 1))
			said[r] += 1 + 16 * t.point.main + 256 * (uint32_t)t.n;
	point_sums_clear(&t);
	fail_pause(false);
}

static int run_gather(struct result *r)
{
	struct gather *g = gather_create();
	struct rankset all = { 0 };
	uint32_t said[8] = { 0 };
	int rc = !g || rankset_add(&all, 0, 7) || gather_subtree(g, &all);

	for (uint32_t i = 0; !rc && i < 24; i++) {
		struct point_sums t = { .point = { .main = 1 + i / 8, .side = POINT_END },
					.kind = 1 };
		double v = i % 2;
		struct point_sums_item *item;

		fail_pause(true);
		point_sums_set_place(&t,
				     &(struct place){ .file = "heat.c", .func = "", .module = "" });
		rankset_add(&t.passed, i % 8, i % 8);
		item = point_sums_add(&t, i % 2 ? "u" : "v", "heat.c", 3, 0);
		item->kind = ARRAY_REPLICATED;
		item->order = 'C';
		sum_plan_make(&item->plan, 0, NULL, VALUE_DOUBLE, 0, NULL);
		rankset_copy(&item->ranks, &t.passed);
		groups_add(&item->copies, &t.passed, &v, sizeof(v));
		fail_pause(false);
		rc = gather_add(g, &t, 100, 1000);
		point_sums_clear(&t);
	}
	for (int64_t now = 2000; !rc && now < 5000; now += 1000)
		gather_send(g, now, sums_sent, said);
	case_add(r, said, sizeof(said));
	gather_destroy(g);
	rankset_clear(&all);
	return rc ? -1 : 0;
}

static struct sim_ranks *ranks;

static void prepare_ranks(void)
{
	struct memory *memory;
	struct page *page;

	ranks = sim_ranks_create("all", 4);
	sim_ranks_show(ranks, 1, 3, true);
	page = sim_ranks_page(ranks, &memory)->page;
	for (uint32_t i = 0; i < 6; i++)
		page->history[i] = (struct page_history){
			.main = i + 1, .begin_usec = 10 + i, .end_usec = 20 + i, .hash = i
		};
	atomic_store(&page->history_n, 6);
}

static void clean_ranks(void)
{
	sim_ranks_destroy(ranks);
}

/* Answers as a supervisor's: bad, or with the words in it, when that was reported. */
static int answered(struct result *r, struct buf *b)
{
	static const char words[] = "out of memory";
	int rc = 0;

	if (b->bad || memmem(b->data, b->len, words, strlen(words)))
		rc = -1;
	case_add(r, b->data, b->len);
	buf_clear(b);
	return rc;
}

static int ask(struct result *r, unsigned kind, const char *name, const struct section *s)
{
	struct msg_query q = { .kind = (uint8_t)kind, .name = name, .n = 5 };
	struct buf b = BUF_INIT;

	if (s)
		q.section = *s;
	q.bins = (struct bins_spec){ .rows = 1, .cols = 3, .parts = 1, .bins = true, .to = 10 };
	sim_ranks_answer(ranks, RANK_STOPPED, 1, &q, &b);
	return answered(r, &b);
}

#define ANSWER(name, ...)                                 \
	static int run_##name(struct result *r)           \
	{                                                 \
		return ask(r, QUERY_##name, __VA_ARGS__); \
	}
ANSWER(STATUS, "", NULL)
ANSWER(STACK, "", NULL)
ANSWER(NAMES, "", NULL)
ANSWER(LAYOUT, "u", NULL)
ANSWER(POINTS, "", NULL)
ANSWER(HASH, "", NULL)
ANSWER(BINS, "u", NULL)

static int run_FETCH(struct result *r)
{
	int64_t vector[] = { 5, 4, 7 };
	struct section s = { .ndim = 1, .dim[0] = { .vector = vector, .n = 3 } };

	return ask(r, QUERY_FETCH, "u", &s) || ask(r, QUERY_FETCH, "x", NULL) ? -1 : 0;
}

static int ask_directly(struct result *r, unsigned kind, const char *name)
{
	struct page_read *page;
	struct memory *m;
	struct msg_value v = { .type = VALUE_DOUBLE };
	struct section s = { 0 };
	struct buf b = BUF_INIT;

	page = sim_ranks_page(ranks, &m);
	if (kind == QUERY_HALO)
		send_halo_answer(page, m, name, 1, 0, &b);
	else if (kind == QUERY_ASSIGN)
		assign_answer(page, m, name, &s, ASSIGN_OWN, &v, &b);
	else
		test_answer(page, m, NULL, 1, name, &b);
	return answered(r, &b);
}

static int run_HALO(struct result *r)
{
	return ask_directly(r, QUERY_HALO, "u");
}

static int run_ASSIGN(struct result *r)
{
	return ask_directly(r, QUERY_ASSIGN, "x");
}

static int run_TEST(struct result *r)
{
	return ask_directly(r, QUERY_TEST, "x > 0 && dt * 2 < 1");
}

/* Both ends in one thread: a message each way. */
static int run_handshake(struct result *r)
{
	static const unsigned char secret[AUTH_SECRET] = "secret";
	struct conn *c[2] = { NULL, NULL };
	struct buf b = BUF_INIT, got;
	int fd[2], rc = -1;
	unsigned type, n = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		return -1;
	c[0] = conn_create(fd[0], CONN_CLIENT, secret, &r->err);
	c[1] = conn_create(fd[1], CONN_SERVER, secret, &r->err);
	for (unsigned i = 0; i < 20000; i++)
		buf_put_u8(&b, (uint8_t)i);
	if (!c[0] || !c[1] || b.bad || conn_send(c[0], MSG_EVENT, &b) ||
	    conn_send(c[1], MSG_RULES, &b))
		goto out;
	for (unsigned i = 0; i < 40 && n < 2; i++) {
		struct pollfd p = { .fd = conn_fd(c[i % 2]), .events = conn_events(c[i % 2]) };

		poll(&p, 1, 0);
		if (conn_io(c[i % 2], p.revents, &r->err))
			goto out;
		while (conn_recv(c[i % 2], &type, &got, &r->err) > 0) {
			case_add(r, &type, sizeof(type));
			case_add(r, got.data, got.len);
			n++;
		}
	}
	rc = n == 2 ? 0 : -1;
out:
	conn_destroy(c[0]);
	conn_destroy(c[1]);
	buf_clear(&b);
	return rc;
}

#define ANSWERED(kind)                                                  \
	{                                                               \
		"answer " #kind, prepare_ranks, run_##kind, clean_ranks \
	}

const struct oom_case cases_exec[] = {
	{ .name = "merge", .run = run_merge },
	{ .name = "gather", .run = run_gather },
	{ .name = "handshake", .run = run_handshake },
	ANSWERED(STATUS),
	ANSWERED(STACK),
	ANSWERED(NAMES),
	ANSWERED(LAYOUT),
	ANSWERED(POINTS),
	ANSWERED(HASH),
	ANSWERED(BINS),
	ANSWERED(FETCH),
	ANSWERED(HALO),
	ANSWERED(ASSIGN),
	ANSWERED(TEST),
	{ 0 },
};
