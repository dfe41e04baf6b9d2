/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for requests and testing them, by polling where it is known which is to be complete.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/order/order_mpi.h"

/*
 * The requests of a call as MPI has them now: where a receive was made wide that is another one.
 * Statuses are needed of those that are receives of ours.
 */
struct batch {
	int n;
	MPI_Request *user, *now; /* now may be user */
	MPI_Request *was;	 /* of user before the call; NULL: none is ours */
	MPI_Status *status;
};

static struct {
	MPI_Request *now, *was;
	MPI_Status *status;
	int cap;
} room;

static bool make_room(int n)
{
	MPI_Request *now, *was;
	MPI_Status *status;

	if (n <= room.cap)
		return true;
	n = n < 64 ? 64 : n;
	now = realloc(room.now, (size_t)n * sizeof(*now));
	room.now = now ? now : room.now;
	was = realloc(room.was, (size_t)n * sizeof(*was));
	room.was = was ? was : room.was;
	status = realloc(room.status, (size_t)n * sizeof(*status));
	room.status = status ? status : room.status;
	if (now && was && status)
		room.cap = n;
	return now && was && status;
}

/* status: of the user, n of them or `ignored`. */
static void batch_open(struct batch *b, int n, MPI_Request *user, MPI_Status *status, bool ignored)
{
	bool ours = false;

	*b = (struct batch){ .n = n, .user = user, .now = user, .status = status };
	if (n <= 0 || !receive_any() || !make_room(n))
		return;
	for (int i = 0; i < n; i++) {
		struct receive *r = receive_of(user[i]);

		room.was[i] = user[i];
		room.now[i] = r && r->wide ? r->other : user[i];
		ours |= r != NULL;
		if (r && r->wide)
			b->now = room.now;
	}
	if (!ours)
		return;
	b->was = room.was;
	if (ignored)
		b->status = room.status;
}

/* Some have been made wide since. */
static void batch_again(struct batch *b, bool ignored)
{
	MPI_Status *status = b->status;

	batch_open(b, b->n, b->user, status, ignored && !b->was);
}

/* Request i has come to its end with that status; NULL: with an error. */
static void batch_done(struct batch *b, int i, const MPI_Status *status)
{
	struct receive *r = b->was ? receive_of(b->was[i]) : NULL;
	int cancelled = 1;

	if (!r)
		return;
	if (status)
		OTHER(Test_cancelled)(status, &cancelled);
	if (!cancelled)
		order_fill(r->kept, status->MPI_SOURCE, status->MPI_TAG);
	if (r->wide)
		REAL(Wait)(&b->user[i], MPI_STATUS_IGNORE);
	receive_forget(r);
}

/* The user's requests after a call. */
static void batch_close(struct batch *b)
{
	for (int i = 0; b->now != b->user && i < b->n; i++) {
		struct receive *r = receive_of(b->was[i]);

		if (!r || !r->wide)
			b->user[i] = b->now[i];
	}
}

/* After an error: those that are gone are gone. */
static void batch_failed(struct batch *b)
{
	for (int i = 0; b->was && i < b->n; i++)
		if (b->was[i] != NO_REQUEST && b->now[i] == NO_REQUEST)
			batch_done(b, i, NULL);
}

/*
 * The receives of the batch get their messages, or nothing is followed any longer: another message
 * is there that one of them could have had.
 */
static void await_receives(struct batch *b, bool ignored)
{
	unsigned looks = 0;
	int64_t since;

	for (int i = 0; order_follows() && b->was && i < b->n; i++) {
		while (order_follows()) {
			struct receive *r = receive_of(b->was[i]);

			if (!r || !r->narrow || request_complete(r->request))
				break;
			if (order_rest(&looks, &since) && message_there(r->source, r->tag, r->comm))
				order_give_up("a message that the recorded run received does not "
					      "come, and another one is there");
		}
	}
	batch_again(b, ignored);
}

/* All are complete, as they were; false: after a long time they are not. */
static bool await_all(struct batch *b)
{
	unsigned looks = 0;
	int64_t since;

	for (int i = 0; i < b->n; i++)
		while (!request_complete(b->now[i]))
			if (order_rest(&looks, &since)) {
				order_give_up("a request that was complete in the recorded run is "
					      "not");
				return false;
			}
	return true;
}

/* Request i is complete; false: it is not, and another one is. */
static bool await_one(struct batch *b, int i, bool only_asked)
{
	unsigned looks = 0;
	int64_t since;

	if (i >= b->n || b->now[i] == NO_REQUEST) {
		order_give_up("the request that was complete in the recorded run does not exist");
		return false;
	}
	while (!request_complete(b->now[i])) {
		bool other = only_asked;

		if (!order_rest(&looks, &since))
			continue;
		for (int k = 0; k < b->n && !other; k++)
			other = b->now[k] != NO_REQUEST && request_complete(b->now[k]);
		if (other) {
			order_give_up("the request that was complete first in the recorded run is "
				      "not, and another one is");
			return false;
		}
	}
	return true;
}

int order_Wait(FN(Wait), MPI_Request *request, MPI_Status *status)
{
	bool ignored = status == MPI_STATUS_IGNORE;
	struct batch b;
	int rc;

	if (!receive_any() || !order_enter())
		return next(request, status);
	batch_open(&b, 1, request, status, ignored);
	await_receives(&b, ignored);
	rc = next(b.now, b.status);
	if (rc == MPI_SUCCESS)
		batch_done(&b, 0, b.status);
	else
		batch_failed(&b);
	batch_close(&b);
	return order_leave(rc);
}

int order_Waitall(FN(Waitall), int n, MPI_Request *requests, MPI_Status *statuses)
{
	bool ignored = statuses == MPI_STATUSES_IGNORE;
	struct batch b;
	int rc;

	if (!receive_any() || !order_enter())
		return next(n, requests, statuses);
	batch_open(&b, n, requests, statuses, ignored);
	await_receives(&b, ignored);
	rc = next(n, b.now, b.status);
	for (int i = 0; b.was && rc == MPI_SUCCESS && i < n; i++)
		batch_done(&b, i, &b.status[i]);
	if (rc != MPI_SUCCESS)
		batch_failed(&b);
	batch_close(&b);
	return order_leave(rc);
}

/* After a call that has chosen one: index, or MPI_UNDEFINED. */
static void chosen(struct batch *b, int rc, int index, const MPI_Status *status)
{
	order_keep(ORDER_DONE, rc == MPI_SUCCESS && index != MPI_UNDEFINED ? index : -1, 0);
	if (rc != MPI_SUCCESS)
		batch_failed(b);
	else if (index != MPI_UNDEFINED)
		batch_done(b, index, status);
	batch_close(b);
}

int order_Waitany(FN(Waitany), int n, MPI_Request *requests, int *index, MPI_Status *status)
{
	bool ignored = status == MPI_STATUS_IGNORE;
	const struct order_record *r;
	struct batch b;
	int rc;

	if (!order_enter())
		return next(n, requests, index, status);
	batch_open(&b, n, requests, status, ignored);
	r = order_next(ORDER_DONE, false);
	if (r && r->a >= 0 && await_one(&b, r->a, false)) {
		*index = r->a;
		rc = REAL(Wait)(&b.now[r->a], b.status);
	} else {
		batch_again(&b, ignored);
		rc = next(n, b.now, index, b.status);
	}
	chosen(&b, rc, *index, b.status);
	return order_leave(rc);
}

int order_Testany(FN(Testany), int n, MPI_Request *requests, int *index, int *flag,
		  MPI_Status *status)
{
	bool ignored = status == MPI_STATUS_IGNORE;
	const struct order_record *r;
	struct batch b;
	int rc = MPI_SUCCESS;

	if (!order_enter())
		return next(n, requests, index, flag, status);
	batch_open(&b, n, requests, status, ignored);
	r = order_next(ORDER_DONE, true);
	if (r && r->kind == ORDER_NOT_YET) {
		for (int i = 0; i < n; i++)
			request_complete(b.now[i]);
		*flag = 0;
		*index = MPI_UNDEFINED;
	} else if (r && r->a >= 0 && await_one(&b, r->a, true)) {
		*flag = 1;
		*index = r->a;
		rc = REAL(Wait)(&b.now[r->a], b.status);
	} else {
		batch_again(&b, ignored);
		rc = next(n, b.now, index, flag, b.status);
	}
	if (rc == MPI_SUCCESS && !*flag) {
		order_keep(ORDER_NOT_YET, 0, 0);
		batch_close(&b);
	} else {
		chosen(&b, rc, *index, b.status);
	}
	return order_leave(rc);
}

/* The recorded choice of several, when all of them are complete; false: that is not to be had. */
static bool await_some(struct batch *b, int count, int *indices)
{
	for (int k = 0; k < count; k++) {
		const struct order_record *r = order_next(ORDER_INDEX, false);

		if (!r)
			return false;
		indices[k] = r->a;
		if (r->a < 0) {
			order_give_up("the record is damaged");
			return false;
		}
	}
	for (int k = 0; k < count; k++)
		if (!await_one(b, indices[k], false))
			return false;
	return true;
}

/* Waits for those that are complete. */
static int take_some(struct batch *b, int count, const int *indices, MPI_Status *statuses)
{
	int rc = MPI_SUCCESS;

	for (int k = 0; k < count && rc == MPI_SUCCESS; k++)
		rc = REAL(Wait)(&b->now[indices[k]],
				statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[k]);
	return rc;
}

/* After a call that has chosen several. */
static void chosen_some(struct batch *b, int rc, int count, const int *indices)
{
	bool some = rc == MPI_SUCCESS && count != MPI_UNDEFINED;

	order_keep(ORDER_SOME, some ? count : -1, 0);
	for (int k = 0; some && k < count; k++) {
		order_keep(ORDER_INDEX, indices[k], 0);
		batch_done(b, indices[k], b->was ? &b->status[k] : NULL);
	}
	if (rc != MPI_SUCCESS)
		batch_failed(b);
	batch_close(b);
}

int order_Waitsome(FN(Waitsome), int n, MPI_Request *requests, int *count, int *indices,
		   MPI_Status *statuses)
{
	bool ignored = statuses == MPI_STATUSES_IGNORE;
	const struct order_record *r;
	struct batch b;
	int rc;

	if (!order_enter())
		return next(n, requests, count, indices, statuses);
	batch_open(&b, n, requests, statuses, ignored);
	r = order_next(ORDER_SOME, false);
	if (r && r->a > 0 && r->a <= n && await_some(&b, r->a, indices)) {
		*count = r->a;
		rc = take_some(&b, *count, indices, b.status);
	} else {
		batch_again(&b, ignored);
		rc = next(n, b.now, count, indices, b.status);
	}
	chosen_some(&b, rc, *count, indices);
	return order_leave(rc);
}

int order_Testsome(FN(Testsome), int n, MPI_Request *requests, int *count, int *indices,
		   MPI_Status *statuses)
{
	bool ignored = statuses == MPI_STATUSES_IGNORE;
	const struct order_record *r;
	struct batch b;
	int rc = MPI_SUCCESS;

	if (!order_enter())
		return next(n, requests, count, indices, statuses);
	batch_open(&b, n, requests, statuses, ignored);
	r = order_next(ORDER_SOME, true);
	if (r && r->kind == ORDER_NOT_YET) {
		for (int i = 0; i < n; i++)
			request_complete(b.now[i]);
		*count = 0;
	} else if (r && r->a > 0 && r->a <= n && await_some(&b, r->a, indices)) {
		*count = r->a;
		rc = take_some(&b, *count, indices, b.status);
	} else {
		batch_again(&b, ignored);
		rc = next(n, b.now, count, indices, b.status);
	}
	if (rc == MPI_SUCCESS && !*count) {
		order_keep(ORDER_NOT_YET, 0, 0);
		batch_close(&b);
	} else {
		chosen_some(&b, rc, *count, indices);
	}
	return order_leave(rc);
}

/* Whether the test of a batch is to be made: false, it was in vain. */
static bool tested(struct batch *b, bool ignored)
{
	const struct order_record *r = order_next(ORDER_DONE, true);

	if (r && r->kind == ORDER_NOT_YET) {
		for (int i = 0; i < b->n; i++)
			request_complete(b->now[i]);
		return false;
	}
	if (r && r->a >= 0 && !await_all(b))
		batch_again(b, ignored);
	return true;
}

static void keep_tested(int rc, int flag)
{
	if (rc == MPI_SUCCESS && !flag)
		order_keep(ORDER_NOT_YET, 0, 0);
	else
		order_keep(ORDER_DONE, rc == MPI_SUCCESS ? 0 : -1, 0);
}

int order_Test(FN(Test), MPI_Request *request, int *flag, MPI_Status *status)
{
	bool ignored = status == MPI_STATUS_IGNORE;
	int rc = MPI_SUCCESS;
	struct batch b;

	if (!order_enter())
		return next(request, flag, status);
	batch_open(&b, 1, request, status, ignored);
	*flag = 0;
	if (tested(&b, ignored))
		rc = next(b.now, flag, b.status);
	keep_tested(rc, *flag);
	if (rc != MPI_SUCCESS)
		batch_failed(&b);
	else if (*flag)
		batch_done(&b, 0, b.status);
	batch_close(&b);
	return order_leave(rc);
}

int order_Testall(FN(Testall), int n, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
	bool ignored = statuses == MPI_STATUSES_IGNORE;
	int rc = MPI_SUCCESS;
	struct batch b;

	if (!order_enter())
		return next(n, requests, flag, statuses);
	batch_open(&b, n, requests, statuses, ignored);
	*flag = 0;
	if (tested(&b, ignored))
		rc = next(n, b.now, flag, b.status);
	keep_tested(rc, *flag);
	for (int i = 0; b.was && rc == MPI_SUCCESS && *flag && i < n; i++)
		batch_done(&b, i, &b.status[i]);
	if (rc != MPI_SUCCESS)
		batch_failed(&b);
	batch_close(&b);
	return order_leave(rc);
}

int order_Request_get_status(FN(Request_get_status), MPI_Request request, int *flag,
			     MPI_Status *status)
{
	struct batch b;
	int rc = MPI_SUCCESS;

	if (!order_enter())
		return next(request, flag, status);
	batch_open(&b, 1, &request, status, false);
	*flag = 0;
	if (tested(&b, false))
		rc = next(*b.now, flag, status);
	keep_tested(rc, *flag);
	return order_leave(rc);
}

int order_Request_free(FN(Request_free), MPI_Request *request)
{
	struct receive *r;

	if (!receive_any() || !order_enter())
		return next(request);
	r = receive_of(*request);
	if (r && r->wide)
		REAL(Request_free)(&r->other);
	if (r)
		receive_forget(r);
	return order_leave(next(request));
}

int order_Cancel(FN(Cancel), MPI_Request *request)
{
	struct receive *r;

	if (!receive_any() || !order_enter())
		return next(request);
	r = receive_of(*request);
	return order_leave(next(r && r->wide ? &r->other : request));
}

/*
 * The names of these functions. Fortran comes here too: its functions call those of C, in Open MPI
 * by their names with PMPI_. While nothing is kept or followed they only pass on.
 */

#define EXPORT __attribute__((visibility("default")))

/* The next definitions: of the names without and with a P. */
static void *plain[CALLS], *profiled[CALLS];

static __thread int inside __attribute__((tls_model("initial-exec")));

void *order_real(int call, const char *name)
{
	if (!profiled[call])
		profiled[call] = next_of(name);
	return profiled[call];
}

bool order_enter(void)
{
	if ((!order_on() && !receive_any()) || inside)
		return false;
	inside++;
	return true;
}

int order_leave(int rc)
{
	inside--;
	return rc;
}

#define X(name, params, ...)                                                                   \
	/* in stacks by that name */                                                           \
	static int own_##name params __asm__("MPI_" #name "_");                                \
	static int own_##name params                                                           \
	{                                                                                      \
		return order_##name((__typeof__(&MPI_##name))plain[CALL_##name], __VA_ARGS__); \
	}                                                                                      \
	EXPORT int PMPI_##name params                                                          \
	{                                                                                      \
		return order_##name(REAL(name), __VA_ARGS__);                                  \
	}
ORDER_CALLS(X)
#undef X

void *order_wrapper(const char *name, void *next)
{
	static const struct {
		const char *name;
		void *to;
	} own[] = {
#define X(name, ...) [CALL_##name] = { "MPI_" #name, (void *)own_##name },
		ORDER_CALLS(X)
#undef X
	};

	if (!next || !order_asked())
		return next;
	for (int i = 0; i < CALLS; i++)
		if (!strcmp(own[i].name, name)) {
			plain[i] = next;
			return own[i].to;
		}
	return next;
}
