/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wait-for graph: which ranks can never go on, and why. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "frontend/hang/hang.h"

enum { MOST = 4 };

/* Ranks in MPI_COMM_WORLD, all in no call at first. */
struct world {
	uint32_t n;
	struct mpistate_report r[MOST];
	const struct mpistate_report *of[MOST];
	struct mpistate_op op[MOST][4];
	struct mpistate_comm comm[MOST][2];
	struct mpistate_traffic traffic[MOST][8];
	struct hang_graph g;
};

static void begin(struct world *w, uint32_t n)
{
	memset(w, 0, sizeof(*w));
	w->n = n;
	for (uint32_t i = 0; i < n; i++) {
		struct mpistate_report *r = &w->r[i];

		w->of[i] = r;
		r->doing = MPISTATE_DOES_COMPUTES;
		r->call = MPISTATE_CALLS;
		r->op = w->op[i];
		r->comm = w->comm[i];
		r->traffic = w->traffic[i];
		r->ncomm = 2;
		for (uint32_t k = 0; k < 2; k++) {
			r->comm[k].id = 1 + k;
			r->comm[k].size = n;
			rankset_add(&r->comm[k].members, 0, n - 1);
		}
	}
}

static void end(struct world *w)
{
	hang_graph_clear(&w->g);
	for (uint32_t i = 0; i < w->n; i++)
		for (uint32_t k = 0; k < 2; k++)
			rankset_clear(&w->comm[i][k].members);
}

static void message(struct world *w, uint32_t rank, int32_t peer, int32_t tag, uint32_t comm,
		    bool send)
{
	struct mpistate_report *r = &w->r[rank];

	r->traffic[r->ntraffic++] = (struct mpistate_traffic){ .comm = comm, .peer = peer,
							       .tag = tag, .sends = send,
							       .recvs = !send };
}

/* A call that waits; it counts as a message of its own. */
static void waits(struct world *w, uint32_t rank, unsigned call, int32_t peer, int32_t tag)
{
	struct mpistate_report *r = &w->r[rank];
	bool send = mpistate_call_class(call) == MPISTATE_SEND || call == MPISTATE_CALL_Isend;

	r->doing = MPISTATE_DOES_CALL;
	r->op[r->nop++] = (struct mpistate_op){ .kind = send ? MPISTATE_OP_SEND : MPISTATE_OP_RECV,
						.call = (uint16_t)call, .peer = peer, .local = peer,
						.tag = tag, .root = -1, .comm = 1 };
	message(w, rank, peer, tag, 1, send);
}

static void collective(struct world *w, uint32_t rank, unsigned call, int32_t root, uint32_t comm)
{
	struct mpistate_report *r = &w->r[rank];
	struct mpistate_comm *c = &r->comm[comm - 1];

	r->doing = MPISTATE_DOES_CALL;
	c->begun_n++;
	c->past[c->npast++] = (struct mpistate_past){ .number = c->begun_n, .call = (uint16_t)call,
						      .root = root };
	r->op[r->nop++] = (struct mpistate_op){ .kind = MPISTATE_OP_COLL, .call = (uint16_t)call,
						.peer = root, .root = root, .comm = comm,
						.number = c->begun_n };
}

static void is_stuck(struct world *w, const char *ranks)
{
	char text[64];

	hang_graph_make(&w->g, w->of, w->n);
	assert_string_equal(rankset_format(&w->g.stuck, text, sizeof(text)), ranks);
	assert_int_equal(w->g.verdict, strcmp(ranks, "[]") ? HANG_DEADLOCK : HANG_NO_PROGRESS);
}

static void two_receives_are_a_cycle(void **state)
{
	struct world w;

	begin(&w, 3);
	waits(&w, 0, MPISTATE_CALL_Recv, 1, 7);
	waits(&w, 1, MPISTATE_CALL_Recv, 0, 7);
	is_stuck(&w, "[0:1]");
	assert_int_equal(w.g.ncycle, 2);
	assert_int_equal(w.g.rank[0].why, HANG_WHY_CYCLE);
	end(&w);
}

static void who_computes_may_send(void **state)
{
	struct world w;

	begin(&w, 3);
	waits(&w, 0, MPISTATE_CALL_Recv, 1, 7);
	waits(&w, 1, MPISTATE_CALL_Recv, 2, 7);
	is_stuck(&w, "[]");
	end(&w);
}

static void who_polls_may_send(void **state)
{
	struct world w;

	begin(&w, 2);
	waits(&w, 0, MPISTATE_CALL_Recv, 1, 7);
	waits(&w, 1, MPISTATE_CALL_Iprobe, 0, 7);
	w.r[1].doing = MPISTATE_DOES_POLLS;
	is_stuck(&w, "[]");
	end(&w);
}

static void a_message_that_was_sent_comes(void **state)
{
	struct world w;

	begin(&w, 2);
	waits(&w, 0, MPISTATE_CALL_Recv, 1, 7);
	message(&w, 1, 0, 7, 1, true);
	collective(&w, 1, MPISTATE_CALL_Barrier, -1, 1);
	is_stuck(&w, "[]");
	end(&w);
}

static void another_tag_is_shown(void **state)
{
	struct world w;

	begin(&w, 2);
	waits(&w, 0, MPISTATE_CALL_Recv, 1, 7);
	message(&w, 1, 0, 8, 1, true);
	collective(&w, 1, MPISTATE_CALL_Barrier, -1, 1);
	is_stuck(&w, "[0:1]");
	assert_int_equal(w.g.rank[0].why, HANG_WHY_MISSED);
	assert_int_equal(w.g.rank[0].other, 1);
	assert_int_equal(w.g.rank[0].with, 0);
	end(&w);
}

static void any_source_needs_one_that_can(void **state)
{
	struct world w;

	begin(&w, 3);
	waits(&w, 0, MPISTATE_CALL_Recv, MPISTATE_ANY, 7);
	waits(&w, 1, MPISTATE_CALL_Recv, 0, 7);
	is_stuck(&w, "[]");
	end(&w);
	begin(&w, 3);
	waits(&w, 0, MPISTATE_CALL_Recv, MPISTATE_ANY, 7);
	waits(&w, 1, MPISTATE_CALL_Recv, 0, 7);
	w.r[2].doing = MPISTATE_DOES_ENDED;
	is_stuck(&w, "[0:1]");
	end(&w);
}

static void one_of_several_requests_is_enough(void **state)
{
	struct world w;

	begin(&w, 3);
	waits(&w, 0, MPISTATE_CALL_Irecv, 1, 7);
	waits(&w, 0, MPISTATE_CALL_Irecv, 2, 7);
	waits(&w, 1, MPISTATE_CALL_Recv, 0, 7);
	w.r[0].any = 1;
	is_stuck(&w, "[]");
	end(&w);
	begin(&w, 3);
	waits(&w, 0, MPISTATE_CALL_Irecv, 1, 7);
	waits(&w, 0, MPISTATE_CALL_Irecv, 2, 7);
	waits(&w, 1, MPISTATE_CALL_Recv, 0, 7);
	is_stuck(&w, "[0:1]");
	end(&w);
}

static void a_send_among_requests_may_have_left(void **state)
{
	struct world w;

	begin(&w, 3);
	waits(&w, 0, MPISTATE_CALL_Isend, 1, 7);
	waits(&w, 0, MPISTATE_CALL_Irecv, 2, 7);
	waits(&w, 1, MPISTATE_CALL_Recv, 0, 9);
	is_stuck(&w, "[]");
	end(&w);
}

static void collectives_have_to_match(void **state)
{
	struct world w;

	begin(&w, 2);
	collective(&w, 0, MPISTATE_CALL_Barrier, -1, 1);
	collective(&w, 1, MPISTATE_CALL_Allreduce, -1, 1);
	is_stuck(&w, "[0:1]");
	assert_int_equal(w.g.rank[0].why, HANG_WHY_KIND);
	end(&w);
	begin(&w, 2);
	collective(&w, 0, MPISTATE_CALL_Bcast, 0, 1);
	collective(&w, 1, MPISTATE_CALL_Bcast, 1, 1);
	is_stuck(&w, "[0:1]");
	assert_int_equal(w.g.rank[1].why, HANG_WHY_ROOT);
	end(&w);
}

static void on_other_communicators_they_cross(void **state)
{
	struct world w;

	begin(&w, 2);
	collective(&w, 0, MPISTATE_CALL_Barrier, -1, 1);
	collective(&w, 1, MPISTATE_CALL_Barrier, -1, 2);
	is_stuck(&w, "[0:1]");
	assert_int_equal(w.g.ncycle, 2);
	end(&w);
}

static void a_collective_that_all_have_begun_ends(void **state)
{
	struct world w;

	begin(&w, 2);
	collective(&w, 0, MPISTATE_CALL_Barrier, -1, 1);
	collective(&w, 1, MPISTATE_CALL_Barrier, -1, 1);
	is_stuck(&w, "[]");
	end(&w);
}

static void who_has_gone_sends_nothing(void **state)
{
	struct world w;

	begin(&w, 2);
	waits(&w, 0, MPISTATE_CALL_Recv, 1, 7);
	w.r[1].doing = MPISTATE_DOES_ENDED;
	is_stuck(&w, "[0]");
	assert_int_equal(w.g.rank[0].why, HANG_WHY_GONE);
	end(&w);
}

static void what_is_not_known_accuses_nobody(void **state)
{
	struct world w;

	begin(&w, 2);
	waits(&w, 0, MPISTATE_CALL_Recv, 1, 7);
	waits(&w, 1, MPISTATE_CALL_Recv, 0, 7);
	w.r[0].threads = 1;
	is_stuck(&w, "[]");
	end(&w);
	begin(&w, 2);
	waits(&w, 0, MPISTATE_CALL_Recv, 1, 7);
	waits(&w, 1, MPISTATE_CALL_Recv, 0, 7);
	w.r[0].op[0].comm = 0;
	is_stuck(&w, "[]");
	end(&w);
}

/* Rank 0 has posted a receive from any, and waits for one from 1; rank 1 has sent one message. */
static void wildcard(struct world *w, uint32_t tenths)
{
	begin(w, 2);
	message(w, 0, MPISTATE_ANY, 7, 1, false);
	waits(w, 0, MPISTATE_CALL_Recv, 1, 7);
	message(w, 1, 0, 7, 1, true);
	waits(w, 1, MPISTATE_CALL_Recv, 0, 7);
	w->r[0].tenths = w->r[1].tenths = tenths;
}

static void a_wildcard_may_have_taken_it(void **state)
{
	struct world w;

	wildcard(&w, 20);
	is_stuck(&w, "[0:1]");
	end(&w);
	/* it may still come */
	wildcard(&w, 19);
	is_stuck(&w, "[]");
	end(&w);
	wildcard(&w, 20);
	w.r[1].doing = MPISTATE_DOES_COMPUTES;
	is_stuck(&w, "[]");
	end(&w);
	/* a large one takes its time */
	wildcard(&w, 20);
	w.r[1].traffic[0].count = 1u << 20;
	is_stuck(&w, "[]");
	end(&w);
	/* there is one for each */
	wildcard(&w, 20);
	w.r[1].traffic[0].sends = 2;
	is_stuck(&w, "[]");
	end(&w);
}

/* Two groups of two ranks, each with a communicator of its own, led by 0 and 2. */
static void bridge(struct world *w)
{
	begin(w, 4);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t first = i & ~1u;
		struct mpistate_comm *c = &w->r[i].comm[1];

		c->id = 10 + first;
		rankset_clear(&c->members);
		rankset_add(&c->members, first, first + 1);
		w->r[i].tenths = 20;
	}
}

static void connects(struct world *w, uint32_t rank)
{
	collective(w, rank, MPISTATE_CALL_Intercomm_create, -1, 2);
	w->r[rank].op[0].peer = rank < 2 ? 2 : 0;
	w->r[rank].op[0].local = (int32_t)(rank & ~1u);
}

static void groups_are_connected_by_all(void **state)
{
	struct world w;

	bridge(&w);
	for (uint32_t i = 0; i < 4; i++)
		connects(&w, i);
	is_stuck(&w, "[]");
	end(&w);
	/* 3 waits for one of those that wait for it */
	bridge(&w);
	for (uint32_t i = 0; i < 3; i++)
		connects(&w, i);
	waits(&w, 3, MPISTATE_CALL_Recv, 1, 7);
	is_stuck(&w, "[0:3]");
	end(&w);
	/* it may come */
	bridge(&w);
	for (uint32_t i = 0; i < 3; i++)
		connects(&w, i);
	is_stuck(&w, "[]");
	end(&w);
	/* the other leader waits for this one */
	bridge(&w);
	connects(&w, 0);
	connects(&w, 1);
	waits(&w, 2, MPISTATE_CALL_Recv, 0, 7);
	waits(&w, 3, MPISTATE_CALL_Recv, 2, 7);
	is_stuck(&w, "[0:3]");
	end(&w);
}

static void between_groups_messages_are_counted(void **state)
{
	struct world w;

	bridge(&w);
	for (uint32_t i = 0; i < 4; i++) {
		w.r[i].comm[0].inter = 1;
		rankset_clear(&w.r[i].comm[0].members);
		rankset_add(&w.r[i].comm[0].members, i < 2 ? 2 : 0, i < 2 ? 3 : 1);
	}
	waits(&w, 0, MPISTATE_CALL_Recv, 2, 7);
	waits(&w, 2, MPISTATE_CALL_Recv, 0, 7);
	collective(&w, 1, MPISTATE_CALL_Intercomm_merge, -1, 1);
	collective(&w, 3, MPISTATE_CALL_Intercomm_merge, -1, 1);
	is_stuck(&w, "[0:3]");
	end(&w);
}

static void between_groups_the_root_is_waited_for(void **state)
{
	struct world w;

	for (int named = 0; named < 3; named++) {
		bridge(&w);
		for (uint32_t i = 0; i < 4; i++) {
			w.r[i].comm[0].inter = 1;
			rankset_clear(&w.r[i].comm[0].members);
			rankset_add(&w.r[i].comm[0].members, i < 2 ? 2 : 0, i < 2 ? 3 : 1);
		}
		for (uint32_t i = 2; i < 4; i++) {
			collective(&w, i, MPISTATE_CALL_Bcast, 0, 1);
			w.r[i].op[0].peer = 0;
		}
		/* not yet there; with another root; there */
		if (named) {
			collective(&w, 0, MPISTATE_CALL_Bcast,
				   named == 1 ? MPISTATE_NULL : MPISTATE_ROOT, 1);
			w.r[0].nop = 0;
		}
		waits(&w, 0, MPISTATE_CALL_Recv, 2, 7);
		waits(&w, 1, MPISTATE_CALL_Recv, 3, 7);
		is_stuck(&w, named == 2 ? "[]" : "[0:3]");
		if (named == 1)
			assert_int_equal(w.g.rank[2].why, HANG_WHY_ROOT);
		end(&w);
	}
}

static void in_finalize_nobody_receives(void **state)
{
	struct world w;

	begin(&w, 3);
	for (uint32_t i = 0; i < 3; i++)
		w.r[i].doing = MPISTATE_DOES_FINALIZES;
	message(&w, 0, 1, 5, 1, true);
	assert_true(hang_unreceived(w.of, 3, 0, 0));
	is_stuck(&w, "[]");
	hang_graph_clear(&w.g);
	w.r[2].doing = MPISTATE_DOES_COMPUTES;
	assert_false(hang_unreceived(w.of, 3, 0, 0));
	w.r[2].doing = MPISTATE_DOES_FINALIZES;
	message(&w, 1, 0, 5, 1, false);
	assert_false(hang_unreceived(w.of, 3, 0, 0));
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_receives_are_a_cycle),
		cmocka_unit_test(who_computes_may_send),
		cmocka_unit_test(who_polls_may_send),
		cmocka_unit_test(a_message_that_was_sent_comes),
		cmocka_unit_test(another_tag_is_shown),
		cmocka_unit_test(any_source_needs_one_that_can),
		cmocka_unit_test(one_of_several_requests_is_enough),
		cmocka_unit_test(a_send_among_requests_may_have_left),
		cmocka_unit_test(collectives_have_to_match),
		cmocka_unit_test(on_other_communicators_they_cross),
		cmocka_unit_test(a_collective_that_all_have_begun_ends),
		cmocka_unit_test(who_has_gone_sends_nothing),
		cmocka_unit_test(what_is_not_known_accuses_nobody),
		cmocka_unit_test(a_wildcard_may_have_taken_it),
		cmocka_unit_test(groups_are_connected_by_all),
		cmocka_unit_test(between_groups_messages_are_counted),
		cmocka_unit_test(between_groups_the_root_is_waited_for),
		cmocka_unit_test(in_finalize_nobody_receives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
