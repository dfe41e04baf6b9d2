/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives and probes. A message that is to be received next is waited for by polling, so that one
 * that never comes is no trap: when another one could be taken, nothing is followed any longer.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/order/order_mpi.h"

#define PATIENCE_MS 3000
#define SPINS 2000 /* without a pause */
#define PAUSE_NS 50000

/* ---- receives that are under way ---- */

static struct {
	struct receive *at;
	size_t n, cap;
} under_way;

bool receive_any(void)
{
	return under_way.n;
}

struct receive *receive_of(MPI_Request r)
{
	for (size_t i = 0; i < under_way.n; i++)
		if (under_way.at[i].request == r)
			return &under_way.at[i];
	return NULL;
}

void receive_forget(struct receive *r)
{
	if (r->narrow)
		OTHER(Type_free)(&r->type);
	memmove(r, r + 1, (size_t)(under_way.at + under_way.n - r - 1) * sizeof(*r));
	under_way.n--;
}

static void receive_add(const struct receive *r)
{
	struct receive *old = receive_of(r->request);

	if (old)
		receive_forget(old);
	if (under_way.n == under_way.cap) {
		size_t cap = under_way.cap ? 2 * under_way.cap : 64;
		struct receive *more = realloc(under_way.at, cap * sizeof(*more));

		if (!more) {
			if (r->narrow)
				OTHER(Type_free)((MPI_Datatype *)&r->type);
			return;
		}
		under_way.at = more;
		under_way.cap = cap;
	}
	under_way.at[under_way.n++] = *r;
}

bool request_complete(MPI_Request r)
{
	int flag = 1;

	if (r != NO_REQUEST)
		REAL(Request_get_status)(r, &flag, MPI_STATUS_IGNORE);
	return flag;
}

/* The receive has not got its message: whatever comes now may be it. */
static void receive_widen(struct receive *r)
{
	MPI_Status status;
	int flag = 0;

	if (!r->narrow || r->wide)
		return;
	while (!flag)
		REAL(Request_get_status)(r->request, &flag, &status);
	OTHER(Test_cancelled)(&status, &flag);
	r->wide = flag && REAL(Irecv)(r->buf, r->count, r->type, r->source, r->tag, r->comm,
				      &r->other) == MPI_SUCCESS;
}

void order_widen(void)
{
	for (size_t i = 0; i < under_way.n; i++)
		if (under_way.at[i].narrow && !request_complete(under_way.at[i].request))
			REAL(Cancel)(&under_way.at[i].request);
	for (size_t i = 0; i < under_way.n; i++)
		receive_widen(&under_way.at[i]);
}

/* ---- waiting for what was decided ---- */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool order_rest(unsigned *looks, int64_t *since)
{
	static const struct timespec pause = { 0, PAUSE_NS };

	if (!*looks)
		*since = now_ms();
	if ((*looks)++ < SPINS)
		sched_yield();
	else
		nanosleep(&pause, NULL);
	return *looks % 64 == 0 && now_ms() - *since > PATIENCE_MS;
}

bool message_there(int source, int tag, MPI_Comm comm)
{
	int flag = 0;

	REAL(Iprobe)(source, tag, comm, &flag, MPI_STATUS_IGNORE);
	return flag;
}

static void give_up_message(int source, int tag)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "the message of rank %d with tag %d, which the recorded run received, does not "
		 "come",
		 source, tag);
	order_give_up(text);
}

/* The message comes; false: it does not, and another one is there or it was only asked whether. */
static bool arrives(const struct order_record *r, int source, int tag, MPI_Comm comm,
		    bool only_asked)
{
	unsigned looks = 0;
	int64_t since;

	while (!message_there(r->a, r->b, comm))
		if (order_rest(&looks, &since) &&
		    (only_asked || message_there(source, tag, comm))) {
			give_up_message(r->a, r->b);
			return false;
		}
	return true;
}

static bool is_wild(int source, int tag)
{
	return source == MPI_ANY_SOURCE || (tag == MPI_ANY_TAG && source != MPI_PROC_NULL);
}

/* A recorded match is one that such a call can have. */
static bool fits(const struct order_record *r, int source, int tag, MPI_Comm comm)
{
	int inter = 0, size = 0, *most = NULL, known = 0;

	OTHER(Comm_test_inter)(comm, &inter);
	if (inter)
		OTHER(Comm_remote_size)(comm, &size);
	else
		OTHER(Comm_size)(comm, &size);
	OTHER(Comm_get_attr)(WORLD, MPI_TAG_UB, &most, &known);
	return r->a < size && (source == MPI_ANY_SOURCE || source == r->a) && r->b >= 0 &&
	       (!known || r->b <= *most) && (tag == MPI_ANY_TAG || tag == r->b);
}

/* What source and tag were the last time; false: they stay. */
static bool narrow(enum order_kind kind, int *source, int *tag, MPI_Comm comm)
{
	const struct order_record *r = order_next(kind, false);

	if (!r || r->a < 0)
		return false;
	if (!fits(r, *source, *tag, comm)) {
		order_give_up("the program receives from another source, or with another tag, than "
			      "the recorded run");
		return false;
	}
	if (kind == ORDER_MATCH && !arrives(r, *source, *tag, comm, false))
		return false;
	*source = r->a;
	*tag = r->b;
	return true;
}

static void keep_match(int rc, const MPI_Status *status)
{
	if (rc == MPI_SUCCESS)
		order_keep(ORDER_MATCH, status->MPI_SOURCE, status->MPI_TAG);
	else
		order_keep(ORDER_MATCH, -1, -1);
}

/* ---- receives and probes ---- */

int order_Recv(FN(Recv), void *buf, int count, MPI_Datatype type, int source, int tag,
	       MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own, *to = status == MPI_STATUS_IGNORE ? &own : status;
	int rc;

	if (!is_wild(source, tag) || !order_enter())
		return next(buf, count, type, source, tag, comm, status);
	narrow(ORDER_MATCH, &source, &tag, comm);
	rc = next(buf, count, type, source, tag, comm, to);
	keep_match(rc, to);
	return order_leave(rc);
}

int order_Irecv(FN(Irecv), void *buf, int count, MPI_Datatype type, int source, int tag,
		MPI_Comm comm, MPI_Request *request)
{
	struct receive r = {
		.buf = buf, .count = count, .source = source, .tag = tag, .comm = comm
	};
	int rc;

	if (!is_wild(source, tag) || !order_enter())
		return next(buf, count, type, source, tag, comm, request);
	r.narrow = narrow(ORDER_POST, &source, &tag, comm);
	rc = next(buf, count, type, source, tag, comm, request);
	r.kept = order_keep(ORDER_POST, -1, -1);
	if (rc == MPI_SUCCESS) {
		r.request = *request;
		if (r.narrow)
			r.narrow = OTHER(Type_dup)(type, &r.type) == MPI_SUCCESS;
		receive_add(&r);
	}
	return order_leave(rc);
}

int order_Sendrecv(FN(Sendrecv), const void *send, int nsend, MPI_Datatype tsend, int dest,
		   int stag, void *recv, int nrecv, MPI_Datatype trecv, int source, int tag,
		   MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own, *to = status == MPI_STATUS_IGNORE ? &own : status;
	MPI_Request sent;
	int rc;

	if (!is_wild(source, tag) || !order_enter())
		return next(send, nsend, tsend, dest, stag, recv, nrecv, trecv, source, tag, comm,
			    status);
	if (!order_follows()) {
		rc = next(send, nsend, tsend, dest, stag, recv, nrecv, trecv, source, tag, comm,
			  to);
		keep_match(rc, to);
		return order_leave(rc);
	}
	/* the message that is waited for may be the answer to this one */
	rc = OTHER(Isend)(send, nsend, tsend, dest, stag, comm, &sent);
	if (rc == MPI_SUCCESS) {
		narrow(ORDER_MATCH, &source, &tag, comm);
		rc = REAL(Recv)(recv, nrecv, trecv, source, tag, comm, to);
		keep_match(rc, to);
		REAL(Wait)(&sent, MPI_STATUS_IGNORE);
	}
	return order_leave(rc);
}

int order_Sendrecv_replace(FN(Sendrecv_replace), void *buf, int count, MPI_Datatype type,
			   int dest, int stag, int source, int tag, MPI_Comm comm,
			   MPI_Status *status)
{
	MPI_Status own, *to = status == MPI_STATUS_IGNORE ? &own : status;
	int rc;

	if (!is_wild(source, tag) || !order_enter())
		return next(buf, count, type, dest, stag, source, tag, comm, status);
	if (order_follows()) {
		const struct order_record *r = order_next(ORDER_MATCH, false);

		/* what is sent is not there twice, so nothing can be waited for before */
		if (r && r->a >= 0 && fits(r, source, tag, comm)) {
			source = r->a;
			tag = r->b;
		}
	}
	rc = next(buf, count, type, dest, stag, source, tag, comm, to);
	keep_match(rc, to);
	return order_leave(rc);
}

int order_Probe(FN(Probe), int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own, *to = status == MPI_STATUS_IGNORE ? &own : status;
	int rc;

	if (!is_wild(source, tag) || !order_enter())
		return next(source, tag, comm, status);
	narrow(ORDER_MATCH, &source, &tag, comm);
	rc = next(source, tag, comm, to);
	keep_match(rc, to);
	return order_leave(rc);
}

int order_Mprobe(FN(Mprobe), int source, int tag, MPI_Comm comm, MPI_Message *message,
		 MPI_Status *status)
{
	MPI_Status own, *to = status == MPI_STATUS_IGNORE ? &own : status;
	int rc;

	if (!is_wild(source, tag) || !order_enter())
		return next(source, tag, comm, message, status);
	narrow(ORDER_MATCH, &source, &tag, comm);
	rc = next(source, tag, comm, message, to);
	keep_match(rc, to);
	return order_leave(rc);
}

/* A probe that does not wait, and a recorded decision of one: 0 there was nothing, 1 source and tag
 * are set, as far as they are known. */
static int asked(int *source, int *tag, MPI_Comm comm)
{
	const struct order_record *r = order_next(ORDER_MATCH, true);

	if (!r)
		return 1;
	if (r->kind == ORDER_NOT_YET) {
		message_there(*source, *tag, comm); /* MPI works meanwhile */
		return 0;
	}
	if (r->a >= 0 && !fits(r, *source, *tag, comm))
		order_give_up("the program asks for another message than the recorded run");
	else if (r->a >= 0 && arrives(r, *source, *tag, comm, true)) {
		*source = r->a;
		*tag = r->b;
	}
	return 1;
}

static void keep_asked(int rc, int flag, const MPI_Status *status)
{
	if (rc == MPI_SUCCESS && !flag)
		order_keep(ORDER_NOT_YET, 0, 0);
	else
		keep_match(rc, status);
}

int order_Iprobe(FN(Iprobe), int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	MPI_Status own, *to = status == MPI_STATUS_IGNORE ? &own : status;
	int rc = MPI_SUCCESS;

	if (source == MPI_PROC_NULL || !order_enter())
		return next(source, tag, comm, flag, status);
	if (asked(&source, &tag, comm))
		rc = next(source, tag, comm, flag, to);
	else
		*flag = 0;
	keep_asked(rc, *flag, to);
	return order_leave(rc);
}

int order_Improbe(FN(Improbe), int source, int tag, MPI_Comm comm, int *flag,
		  MPI_Message *message, MPI_Status *status)
{
	MPI_Status own, *to = status == MPI_STATUS_IGNORE ? &own : status;
	int rc = MPI_SUCCESS;

	if (source == MPI_PROC_NULL || !order_enter())
		return next(source, tag, comm, flag, message, status);
	if (asked(&source, &tag, comm))
		rc = next(source, tag, comm, flag, message, to);
	else
		*flag = 0;
	keep_asked(rc, *flag, to);
	return order_leave(rc);
}
