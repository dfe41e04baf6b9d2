/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of MPI as records of the trace: when they have returned, with what state.c has kept of
 * their arguments. Tests and probes without success that follow each other closely are one record.
 */
#include <mpi.h>

#include "runtime/mpi/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/trace/call.h"
#include "runtime/base/mpi_table.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/handles.h"

#define CLOSELY 100000u /* nanoseconds between two tests of one record, at most */
#define TEXT 120

/* What texts of a call are made in. */
struct texts {
	char comm[TEXT], type[TEXT], recv_type[TEXT], waits[TEXT];
};

struct traced_polls {
	struct trace_call call; /* begin 0: there are none */
	struct texts texts;	/* its own */
	uint64_t end;		/* when the last of them returned */
	const void *pc;
};

static uint64_t clock_now(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t traced_now(void)
{
	static _Atomic uint64_t offset;
	uint64_t now = clock_now(CLOCK_MONOTONIC),
		 add = atomic_load_explicit(&offset, memory_order_relaxed);
	uint64_t none = 0;

	/* the clock of the day is asked once: it may be set */
	if (!add) {
		add = clock_now(CLOCK_REALTIME) - now;
		if (!atomic_compare_exchange_strong(&offset, &none, add))
			add = none;
	}
	return now + add;
}

static int64_t number(const struct mpi_thread *t, int8_t at)
{
	uint64_t word = t->slot->word[at];

	return t->shape->large ? (int64_t)word : (int32_t)word;
}

/* A rank or a tag, with one number for MPI's. */
static int64_t peer(const struct mpi_thread *t, int8_t at)
{
	const struct mpistate_numbers *n = &t->page->numbers;
	int32_t rank = (int32_t)t->slot->word[at];

	return rank == n->any_source ? MPISTATE_ANY : rank == n->proc_null ? MPISTATE_NULL : rank;
}

static int64_t tag(const struct mpi_thread *t, int8_t at)
{
	int32_t tag = (int32_t)t->slot->word[at];

	return tag == t->page->numbers.any_tag ? MPISTATE_ANY : tag;
}

/* Bytes of an element; 0: not known. */
static uint64_t size_of(const struct handle *h)
{
	MPI_Datatype type;
	int size = 0;

	if (h->sig.base && h->sig.len != UINT64_MAX)
		return h->sig.len * (h->sig.base & 0xff);
	if (!h->live && !h->predefined)
		return 0;
	memcpy(&type, &h->word[0], sizeof(type));
	if (!h->word[0] || NEXT(PMPI_Type_size, "PMPI_Type_size")(type, &size) || size < 0)
		return 0;
	return (uint64_t)size;
}

/* A count, its type and bytes. */
static void put_data(struct trace_call *c, const struct mpi_thread *t, int8_t count, int8_t type,
		     bool receives, char text[TEXT])
{
	const struct handle *h = type < 0 ? NULL :
				 handles_find(HANDLE_TYPE, t->fortran, t->slot->word[type]);
	uint64_t size = h ? size_of(h) : 0;

	if (count >= 0)
		trace_call_set(c, receives ? TRACE_CALL_RECV_COUNT : TRACE_CALL_COUNT,
			       number(t, count));
	if (count >= 0 && size)
		trace_call_set(c, receives ? TRACE_CALL_RECV_BYTES : TRACE_CALL_BYTES,
			       number(t, count) * (int64_t)size);
	if (!h)
		return;
	if (h->name)
		snprintf(text, TEXT, "%s", h->name);
	else
		snprintf(text, TEXT, "(%s)", mpistate_call_name(h->call));
	c->text[receives ? TRACE_CALL_RECV_TYPE : TRACE_CALL_TYPE] = text;
}

static void put_object(struct trace_call *c, const struct mpistate_object *o, char text[TEXT])
{
	trace_call_set(c, TRACE_CALL_SIZE, o->size);
	if (*o->name)
		snprintf(text, TEXT, "%.*s", MPISTATE_NAME, o->name);
	else
		snprintf(text, TEXT, "(%s)", mpistate_call_name(o->made_by - 1));
	c->text[TRACE_CALL_COMM] = text;
}

/* Ranks and tags: those that were asked for, and of receives from any those that have come. */
static void put_peers(struct trace_call *c, const struct mpi_thread *t, const mpi_word *arg)
{
	const struct mpistate_shape *h = t->shape;
	int32_t source, its_tag;

	if (h->dest >= 0)
		trace_call_set(c, TRACE_CALL_TO, peer(t, h->dest));
	if (h->dest_tag >= 0)
		trace_call_set(c, TRACE_CALL_TAG, tag(t, h->dest_tag));
	if (h->source >= 0)
		trace_call_set(c, TRACE_CALL_FROM, peer(t, h->source));
	if (h->source_tag >= 0)
		trace_call_set(c, TRACE_CALL_FROM_TAG, tag(t, h->source_tag));
	if (t->fortran || !((h->source >= 0 && peer(t, h->source) == MPISTATE_ANY) ||
			    (h->source_tag >= 0 && tag(t, h->source_tag) == MPISTATE_ANY)))
		return;
	if (h->class != MPISTATE_RECV && h->class != MPISTATE_SENDRECV &&
	    h->class != MPISTATE_PROBE && h->class != MPISTATE_IPROBE)
		return;
	if (!objects_status((const void *)arg[h->words - 1], 0, &source, &its_tag))
		return;
	trace_call_set(c, TRACE_CALL_GOT, source);
	trace_call_set(c, TRACE_CALL_GOT_TAG, its_tag);
}

/* Requests by their numbers: they count from 1 in the order in which they are made. */
static void put_requests(struct trace_call *c, const struct mpi_thread *t, const mpi_word *arg,
			 char text[TEXT])
{
	const struct mpistate_shape *h = t->shape;
	const void *made = h->made_request >= 0 ? (const void *)arg[h->made_request] : NULL;
	const struct mpistate_posted *e;
	size_t len = 0;

	if (made) {
		e = state_request(t, objects_request_at(t->fortran, made, 0));
		if (e)
			trace_call_set(c, TRACE_CALL_REQUEST, e->stamp);
	}
	if (h->request < 0 && h->requests < 0 && h->value < 0)
		return;
	trace_call_set(c, TRACE_CALL_REQUESTS, t->n);
	for (uint32_t i = 0; i < t->n && len < TEXT - 24; i++) {
		e = objects_is_null(t->page, t->fortran, t->before[i])
			    ? NULL
			    : state_request(t, t->before[i]);
		if (e)
			len += (size_t)snprintf(text + len, TEXT - len, "%s%u", len ? " " : "",
						e->stamp);
	}
	c->text[TRACE_CALL_WAITS] = text;
}

static void describe(struct trace_call *c, struct texts *x, const struct mpi_thread *t,
		     const mpi_word *arg, int rc)
{
	const struct mpistate_shape *h = t->shape;
	const struct handle *op;

	c->text[TRACE_CALL_NAME] = mpistate_call_name(t->call);
	if (t->object)
		put_object(c, t->object, x->comm);
	put_data(c, t, h->count, h->type, false, x->type);
	if (h->recv_count != h->count || h->recv_type != h->type)
		put_data(c, t, h->recv_count, h->recv_type, true, x->recv_type);
	if (h->root >= 0)
		trace_call_set(c, TRACE_CALL_ROOT, (int32_t)t->slot->word[h->root]);
	if (h->op >= 0) {
		op = handles_find(HANDLE_OP, t->fortran, t->slot->word[h->op]);
		c->text[TRACE_CALL_OP] = op && op->name ? op->name : "(MPI_Op_create)";
	}
	if (rc) {
		trace_call_set(c, TRACE_CALL_ERROR, rc);
		return;
	}
	put_peers(c, t, arg);
	put_requests(c, t, arg, x->waits);
}

static void put(const struct trace_call *c, const void *pc)
{
	if (dvmdbg_mpi_traced)
		dvmdbg_mpi_traced(c, check_place(pc));
}

static void put_polls(struct mpi_thread *t)
{
	struct traced_polls *p = t->polls;

	if (!p || !p->call.begin)
		return;
	p->call.ns = p->end - p->call.begin;
	put(&p->call, p->pc);
	p->call = (struct trace_call){ 0 };
}

/* One more test without success. */
static void poll(struct mpi_thread *t, const mpi_word *arg)
{
	const void *pc = (const void *)(uintptr_t)t->slot->pc;
	struct traced_polls *p = t->polls;

	if (!p)
		p = t->polls = calloc(1, sizeof(*p));
	if (!p)
		return;
	if (p->call.begin && (p->pc != pc || t->since - p->end > CLOSELY))
		put_polls(t);
	if (!p->call.begin) {
		memset(&p->texts, 0, sizeof(p->texts));
		p->pc = pc;
		p->call.begin = t->since;
		describe(&p->call, &p->texts, t, arg, 0);
		/* nothing has come */
		p->call.have &=
			~(UINT64_C(1) << TRACE_CALL_GOT | UINT64_C(1) << TRACE_CALL_GOT_TAG);
		trace_call_set(&p->call, TRACE_CALL_TRIES, 0);
	}
	p->call.number[TRACE_CALL_TRIES]++;
	p->end = traced_now();
}

void traced_end(struct mpi_thread *t, const mpi_word *arg, int rc, bool failed)
{
	struct trace_call c = { .begin = t->since };
	struct texts texts = { "", "", "", "" };

	if (failed && !rc) {
		poll(t, arg);
		return;
	}
	c.ns = traced_now() - t->since;
	put_polls(t);
	describe(&c, &texts, t, arg, rc);
	put(&c, (const void *)(uintptr_t)t->slot->pc);
}

void traced_init(struct mpistate_page *p, uint64_t since, const void *pc)
{
	struct trace_call c = { .begin = since, .ns = traced_now() - since };
	char text[TEXT];

	c.text[TRACE_CALL_NAME] = mpistate_call_name(MPISTATE_CALL_Init);
	if (p && atomic_load(&p->on)) {
		agree_module(p, (uintptr_t)pc);
		put_object(&c, &p->object[0], text);
	}
	put(&c, pc);
}

void traced_finalized(void)
{
	struct mpi_thread *t = &state_self;
	struct trace_call c = { .begin = t->since };

	if (!t->since || t->call != MPISTATE_CALL_Finalize)
		return;
	c.ns = traced_now() - t->since;
	put_polls(t);
	c.text[TRACE_CALL_NAME] = mpistate_call_name(t->call);
	put(&c, (const void *)(uintptr_t)t->slot->pc);
	t->since = 0;
}
