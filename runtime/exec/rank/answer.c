/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers to QUERY, one function per kind.
 */
#include "runtime/exec/rank/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array/reduce.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/logical/construct.h"
#include "common/mpistate/agree.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "runtime/exec/native/native.h"
#include "runtime/exec/query/query.h"
#include "runtime/exec/sys/child.h"
#include "runtime/exec/tree/tree.h"
#include "runtime/exec/page/page.h"

static unsigned rank_state(const struct control *c)
{
	if (control_is_over(c))
		return RANK_EXITED;
	if (!control_is_started(c))
		return RANK_LOADED;
	if (control_is_parked(c) || native_paused(c->native) || c->yielded)
		return RANK_STOPPED;
	return page_read_state(&c->read) == PAGE_FRESH ? RANK_STARTING : RANK_RUNNING;
}

static void answer_STATUS(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct report_status s = { .state = (uint8_t)rank_state(c), .gen = c->plan.gen };
	struct report_stop stop;

	page_read_stop(&c->read, &stop);
	s.mpi = (uint8_t)page_read_mpi(&c->read);
	s.annotated = atomic_load(&c->page->annotated) != 0;
	s.point = stop.point;
	s.frame = stop.frame;
	if (s.state == RANK_STOPPED)
		s.reason = c->memory.core ? STOP_CORE
			   : native_paused(c->native) || c->yielded ? STOP_PAUSED
								     : stop.reason;
	/* of those that stand still it would only make equal answers differ */
	if (s.state == RANK_RUNNING)
		s.seconds = page_read_age(&c->read);
	report_status_put(&s, out);
}

static void answer_STACK(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct report_stack s;

	page_read_stack(&c->read, &s);
	report_stack_put(&s, out);
}

static void answer_NAMES(struct control *c, const struct msg_query *q, struct buf *out)
{
	object_put_names(&c->read, q->name, out);
}

static void answer_LAYOUT(struct control *c, const struct msg_query *q, struct buf *out)
{
	object_put_layout(&c->read, q->name, out);
}

/* Why its memory cannot be read; NULL: it can, of a program that runs as of now. */
static const char *unreadable(const struct control *c)
{
	switch (rank_state(c)) {
	case RANK_EXITED:
		return "the program of this rank has ended";
	case RANK_LOADED:
		return "the program of this rank has not been started";
	case RANK_STOPPED:
		return NULL;
	}
	return c->memory.bounce ? "running, and the kernel forbids to read its memory from outside"
				: NULL;
}

static void answer_FETCH(struct control *c, const struct msg_query *q, struct buf *out)
{
	if (unreadable(c))
		fetch_refuse(out, unreadable(c));
	else
		fetch_answer(&c->read, &c->memory, q->name, &q->section, q->n, out);
}

static void answer_ADDRESS(struct control *c, const struct msg_query *q, struct buf *out)
{
	if (unreadable(c))
		fetch_refuse(out, unreadable(c));
	else
		address_answer(&c->read, &c->memory, q->name, &q->section, out);
}

static void answer_POINTS(struct control *c, const struct msg_query *q, struct buf *out)
{
	page_read_points(&c->read, q->n, q->rank == c->page->rank, out);
}

static void answer_HASH(struct control *c, const struct msg_query *q, struct buf *out)
{
	page_read_hash_at(&c->read, q->n, out);
}

static void answer_HALO(struct control *c, const struct msg_query *q, struct buf *out)
{
	if (unreadable(c))
		fetch_refuse(out, unreadable(c));
	else
		send_halo_answer(&c->read, &c->memory, q->name, q->n, q->rank, out);
}

static void answer_BINS(struct control *c, const struct msg_query *q, struct buf *out)
{
	if (unreadable(c))
		fetch_refuse(out, unreadable(c));
	else
		bins_answer(&c->read, &c->memory, c->page->rank, q->name, &q->section, &q->bins,
			    out);
}

/* A rank that comes to no mark: nothing can be had of it but to stand. */
static void answer_PAUSE(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct err err = { "" };

	if (!control_is_started(c))
		fetch_refuse(out, "the program of this rank does not run");
	else if (!control_is_parked(c) && control_pause(c, &err))
		fetch_refuse(out, err.text);
	else
		answer_head_put(&(struct answer_head){ .kind = ANSWER_DONE, .why = "" }, out);
}

static void answer_YIELD(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct err err = { "" };

	if (q->n && native_paused(c->native)) {
		native_yield(c->native);
		c->yielded = true;
	} else if (!q->n && c->yielded) {
		c->yielded = false;
		if (native_take_back(c->native, &err)) {
			fetch_refuse(out, err.text);
			return;
		}
	}
	answer_head_put(&(struct answer_head){ .kind = ANSWER_DONE, .why = "" }, out);
}

static void answer_ASSIGN(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct answer_assign a = { .head.kind = ANSWER_DONE };
	struct err err = { "" };

	if (rank_state(c) == RANK_STOPPED && q->n & LOCALS_VARIABLES) {
		if (native_assign(c->native, true, q, &a.elements, &err))
			fetch_refuse(out, err.text);
		else
			answer_assign_put(&a, out);
	} else if (rank_state(c) == RANK_STOPPED)
		assign_answer(&c->read, &c->memory, q->name, &q->section, q->n, &q->value, out);
	else
		fetch_refuse(out, "not stopped");
}

static void answer_TEST(struct control *c, const struct msg_query *q, struct buf *out)
{
	if (rank_state(c) == RANK_STOPPED)
		test_answer(&c->read, &c->memory, c->native, c->page->rank, q->name, out);
	else
		fetch_refuse(out, "not stopped");
}

static void answer_REDUCE(struct control *c, const struct msg_query *q, struct buf *out)
{
	if (unreadable(c))
		reduce_part_put(
			&(struct reduce_part){ .kind = REDUCE_FAILED, .why = unreadable(c) }, out);
	else
		reduce_answer(&c->read, &c->memory, c->page->rank, q->name, q->n, out);
}

/* Differs between ranks: it is for one of them. */
static void answer_PROCESS(struct control *c, const struct msg_query *q, struct buf *out)
{
	char host[256] = "";
	struct answer_process a = { .host = host };

	gethostname(host, sizeof(host) - 1);
	if (control_is_started(c) && !c->memory.core)
		a.pid = (uint32_t)child_pid(c->child);
	answer_process_put(&a, out);
}

static bool has_crashed(const struct control *c)
{
	uint32_t reason;

	memcpy(&reason, &c->page->reason, sizeof(reason));
	return stop_is_end(reason);
}

/* What is known of a crash, before the stack is taken. */
static void find_crash(struct control *c, struct crash_words *w)
{
	char near[sizeof(w->near)];

	crash_words(&c->read, &c->memory, w);
	if (!w->placed || w->overflowed)
		return;
	memcpy(near, w->near, sizeof(near));
	native_accessed(c->native, rank_state(c) == RANK_STOPPED, c->page->fault, w->near,
			sizeof(w->near) / 2);
	if (*near)
		snprintf(w->near + strlen(w->near), sizeof(w->near) - strlen(w->near), "%s%.*s",
			 *w->near ? ", " : "", (int)sizeof(w->near) / 2 - 4, near);
}

static void put_crash(struct answer_native *a, const struct crash_words *w)
{
	a->near = w->near;
	a->cause = w->cause;
	a->message = w->message;
	a->placed = w->placed;
}

void control_leaves(struct control *c)
{
	struct answer_native *a = calloc(1, sizeof(*a));

	buf_clear(&c->left);
	if (!a)
		return;
	native_stack(c->native, true, 0, a);
	a->state = NATIVE_LEFT;
	a->near = a->cause = a->message = "";
	page_read_stack(&c->read, &a->stack);
	if (a->head.kind == ANSWER_DONE)
		answer_native_put(a, &c->left);
	free(a);
}

static void answer_NATIVE(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct answer_native *a = calloc(1, sizeof(*a));
	unsigned state = rank_state(c);
	struct crash_words words = { .placed = false };

	if (!a) {
		out->bad = true;
		return;
	}
	/* the thread that has left is all there is */
	if (state == RANK_EXITED && c->left.len && !(q->n & NATIVE_THREAD && q->rank)) {
		buf_put_raw(out, c->left.data, c->left.len);
		free(a);
		return;
	}
	if (control_is_parked(c) && has_crashed(c))
		find_crash(c, &words);
	a->near = a->cause = a->message = "";
	a->head = (struct answer_head){ .kind = ANSWER_ERROR };
	if (state == RANK_LOADED) {
		a->head.why = "the program of this rank has not been started";
	} else if (state == RANK_EXITED) {
		a->head.why = "the program of this rank has ended";
	} else {
		if (q->n & NATIVE_THREAD)
			native_thread(c->native, state == RANK_STOPPED && !has_crashed(c), q->rank,
				      q->n, a);
		else
			native_stack(c->native, state == RANK_STOPPED, q->n, a);
		a->state = !control_is_parked(c) ? NATIVE_RUNNING
			   : has_crashed(c)	 ? NATIVE_CRASHED
						 : NATIVE_PARKED;
		put_crash(a, &words);
	}
	if (q->n & NATIVE_LOGICAL)
		page_read_stack(&c->read, &a->stack);
	answer_native_put(a, out);
	free(a);
}

static void answer_LOCALS(struct control *c, const struct msg_query *q, struct buf *out)
{
	unsigned state = rank_state(c);

	if (state == RANK_LOADED || state == RANK_EXITED)
		fetch_refuse(out, unreadable(c));
	else
		native_locals(c->native, state == RANK_STOPPED, q, out);
}

static void answer_WATCH(struct control *c, const struct msg_query *q, struct buf *out)
{
	if (rank_state(c) == RANK_STOPPED)
		placed_answer(c, q, out);
	else
		fetch_refuse(out, "not stopped");
}

static void answer_CALL(struct control *c, const struct msg_query *q, struct buf *out)
{
	control_call(c, q, out);
}

static void answer_MPI(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct mpistate_report r;

	page_read_calls(&c->read, &c->modules, child_pid(c->child), q->n != 0, &r);
	if (control_is_over(c))
		r.doing = MPISTATE_DOES_ENDED;
	else if (control_is_parked(c))
		page_read_stopped(&r);
	r.tenths = control_still(c);
	mpistate_report_put(&r, out);
	mpistate_report_clear(&r);
}

static void put_one(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct agree_one a;

	page_read_agree_one(&c->read, strtoull(q->name ? q->name : "", NULL, 16), q->n, &a);
	agree_one_put(&a, out);
	agree_one_clear(&a);
}

static void answer_AGREE(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct agree_list l;
	struct agree_messages m;
	uint64_t number;
	struct agree_clashes x;
	struct agree_race r;
	struct agree_extents e;

	switch (q->rank) {
	case MPISTATE_AGREE_COLLECTIVES:
		page_read_agree(&c->read, &l);
		agree_list_put(&l, out);
		agree_list_clear(&l);
		break;
	case MPISTATE_AGREE_ONE:
		put_one(c, q, out);
		break;
	case MPISTATE_AGREE_BALANCE:
		buf_put_u64(out, page_read_balance(&c->read, c->page->rank, &number));
		buf_put_u64(out, number);
		break;
	case MPISTATE_AGREE_CLASHES:
		page_read_clashes(&c->read, &x);
		agree_clashes_put(&x, out);
		agree_clashes_clear(&x);
		break;
	case MPISTATE_AGREE_EXTENTS:
		page_read_extents(&c->read, &e);
		agree_extents_put(&e, out);
		agree_extents_clear(&e);
		break;
	case MPISTATE_AGREE_RACE:
		if (!page_read_race(&c->read, &r))
			out->bad = true;
		agree_race_put(&r, out);
		agree_race_clear(&r);
		break;
	default:
		page_read_messages(&c->read, &m);
		agree_messages_put(&m, out);
		agree_messages_clear(&m);
	}
}

static void answer_MOVES(struct control *c, const struct msg_query *q, struct buf *out)
{
	buf_put_u8(out, control_still(c) >= q->n);
}

/* An answer_head of an error, for when there is no memory to make an answer. */
static const char refusal[] = "\0out of memory";

/* Whether an answer of that kind can say why there is no other. */
static bool can_refuse(unsigned kind)
{
	return kind == QUERY_YIELD || kind == QUERY_FETCH || kind == QUERY_HALO ||
	       kind == QUERY_BINS || kind == QUERY_ASSIGN || kind == QUERY_TEST ||
	       kind == QUERY_REDUCE || kind == QUERY_LOCALS || kind == QUERY_CALL ||
	       kind == QUERY_ADDRESS || kind == QUERY_WATCH;
}

void control_query(struct control *c, const struct msg_query *q)
{
	static void (*const answer[])(struct control *, const struct msg_query *, struct buf *) = {
#define X(name, args) [QUERY_##name] = answer_##name,
		QUERY_LIST(X)
#undef X
	};
	struct buf b = BUF_INIT;

	page_read_reset(&c->read);
	if (q->kind < QUERY_KINDS)
		answer[q->kind](c, q, &b);
	page_read_reset(&c->read);
	if (b.bad && can_refuse(q->kind)) {
		buf_clear(&b);
		b = buf_view(refusal, sizeof(refusal));
	}
	if (c->node)
		node_reply(c->node, q->req, &b);
	buf_clear(&b);
}
