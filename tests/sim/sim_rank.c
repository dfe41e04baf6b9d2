/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a rank of a simulated program would have in its page and memory: a function, a sequential
 * loop, a parallel loop; the replicated objects dt and x, the distributed u with four elements a
 * rank.
 */
#include "tests/sim/sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/mpistate/report.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "common/protocol/report.h"
#include "common/array/value.h"
#include "runtime/exec/query/query.h"
#include "runtime/exec/sys/memory.h"
#include "runtime/exec/page/page.h"
#include "runtime/page/page.h"

#define OWN 4 /* elements of u that a rank owns */

struct sim_ranks {
	enum sim_scenario scenario;
	uint32_t size;
	struct page *page;
	struct page_read read;
	struct memory memory;
	uint32_t used; /* of the arena */
	struct page_entity *u;
	uint32_t at_main, at_time, at_loop; /* places */
	double dt, x, own[OWN];
};

static uint32_t put(struct sim_ranks *s, const void *data, size_t len)
{
	uint32_t off = s->used;

	memcpy(s->page->arena + off, data, len);
	s->used += (uint32_t)((len + 7) & ~(size_t)7);
	return off;
}

static uint32_t text(struct sim_ranks *s, const char *t)
{
	return put(s, t, strlen(t) + 1);
}

static uint32_t place(struct sim_ranks *s, uint32_t line, unsigned kind)
{
	struct page_loc loc = { .file = text(s, "/home/user/heat/src/heat.c"),
				.func = text(s, "main"),
				.line = line,
				.kind = kind };

	return put(s, &loc, sizeof(loc));
}

/* Registers an object; returns it as it is in the page. */
static struct page_entity *entity(struct sim_ranks *s, const char *name, void *data, unsigned kind,
				  int64_t extent)
{
	struct page_entity e = { .name = text(s, name),
				 .loc = place(s, 30, CONSTRUCT_KINDS),
				 .kind = (uint8_t)kind,
				 .type = VALUE_DOUBLE,
				 .order = 'C',
				 .elem_size = sizeof(double),
				 .ndim = extent > 0,
				 .addr = (uintptr_t)data,
				 .extent = { extent },
				 .stride = { 1 },
				 .serial = s->used,
				 .next = s->page->first_entity };

	e.live = 1;
	s->page->first_entity = put(s, &e, sizeof(e));
	return (struct page_entity *)(s->page->arena + s->page->first_entity);
}

static int find_scenario(const char *name)
{
	static const char *const names[] = {
#define X(name, what) #name,
		SIM_SCENARIO_LIST(X)
#undef X
	};

	for (int i = 0; i < SIM_SCENARIOS; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

struct sim_ranks *sim_ranks_create(const char *scenario, uint32_t size)
{
	struct sim_ranks *s = calloc(1, sizeof(*s));
	int which = find_scenario(scenario);

	if (!s || which < 0)
		goto fail;
	s->scenario = (enum sim_scenario)which;
	s->size = size;
	s->page = mmap(NULL, sizeof(*s->page), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->page == MAP_FAILED || page_read_init(&s->read, s->page))
		goto fail;
	s->used = 8;
	s->memory.pid = getpid();
	s->memory.page = s->page;
	s->page->program_pid = getpid();
	s->page->annotated = 1;
	s->page->mpi = MPI_STATE_UP;
	s->page->mpi_abi = 1;
	s->at_main = place(s, 20, CONSTRUCT_FUNCTION);
	s->at_time = place(s, 52, CONSTRUCT_SL);
	s->at_loop = place(s, 61, CONSTRUCT_PL);
	entity(s, "dt", &s->dt, ARRAY_REPLICATED, 0);
	entity(s, "x", &s->x, ARRAY_REPLICATED, 0);
	s->u = entity(s, "u", s->own, ARRAY_DISTRIBUTED, (int64_t)size * OWN);
	return s;
fail:
	free(s);
	return NULL;
}

void sim_ranks_destroy(struct sim_ranks *s)
{
	if (!s)
		return;
	page_read_clear(&s->read);
	munmap(s->page, sizeof(*s->page));
	free(s);
}

struct page_read *sim_ranks_page(struct sim_ranks *s, struct memory **m)
{
	*m = &s->memory;
	return &s->read;
}

enum sim_scenario sim_ranks_scenario(const struct sim_ranks *s)
{
	return s->scenario;
}

bool sim_never_stops(enum sim_scenario scenario)
{
	return scenario == SIM_running || scenario == SIM_ring || scenario == SIM_late;
}

/* By what the rank is unlike others. */
static uint32_t unlike(const struct sim_ranks *s, uint32_t rank)
{
	switch (s->scenario) {
	case SIM_odd:
		return rank == s->size / 2;
	case SIM_alternate:
		return rank % 2;
	case SIM_groups:
		return rank % 64;
	case SIM_all:
	case SIM_scatter:
	case SIM_running:
	case SIM_exits:
		return rank;
	default:
		return 0;
	}
}

void sim_ranks_show(struct sim_ranks *s, uint32_t rank, uint32_t goes, bool stopped)
{
	struct page *p = s->page;
	uint32_t own = unlike(s, rank), main = 2 * goes + 1;

	if (s->scenario == SIM_running)
		main += own;
	p->rank = rank;
	p->size = s->size;
	p->state = !goes ? PAGE_FRESH : stopped ? PAGE_PARKED : PAGE_RUNNING;
	p->depth = !goes ? 0 : s->scenario == SIM_scatter ? 2 : 3;
	p->frame[0] = (struct page_frame){ .kind = CONSTRUCT_FUNCTION, .loc = s->at_main };
	p->frame[1] = (struct page_frame){
		.kind = CONSTRUCT_SL, .loc = s->at_time, .nidx = 1, .idx = { goes + own }
	};
	p->frame[2] = (struct page_frame){ .kind = CONSTRUCT_PL, .loc = s->at_loop, .main = main };
	p->point_main_side = goes ? (uint64_t)main << 1 | POINT_BEGIN : 0;
	p->hash_n = goes ? main : 0;
	p->hash = p->hash_n * UINT64_C(0x9e3779b97f4a7c15);
	s->dt = 1.0 / 1024;
	s->x = 0.5 + own;
	s->u->own_lo[0] = (int64_t)rank * OWN;
	s->u->own_hi[0] = (int64_t)rank * OWN + OWN - 1;
	for (uint32_t i = 0; i < OWN; i++)
		s->own[i] = rank * OWN + i + s->dt;
	page_read_reset(&s->read);
}

void sim_ranks_stop(struct sim_ranks *s, unsigned reason, struct report_stop *out)
{
	s->page->reason = reason;
	page_read_stop(&s->read, out);
}

void sim_ranks_exit(struct sim_ranks *s, struct report_exit *out)
{
	*out = (struct report_exit){ .how = EXIT_CODE };
	page_read_exit(&s->read, out);
	if (s->scenario == SIM_exits)
		out->code = (int32_t)(s->page->rank % 256);
}

static void put_status(struct sim_ranks *s, unsigned state, uint32_t gen, struct buf *out)
{
	struct report_status r = { .state = (uint8_t)state, .gen = gen };
	struct report_stop stop;

	page_read_stop(&s->read, &stop);
	r.mpi = (uint8_t)page_read_mpi(&s->read);
	r.annotated = 1;
	r.point = stop.point;
	r.frame = stop.frame;
	if (state == RANK_STOPPED)
		r.reason = stop.reason;
	report_status_put(&r, out);
}

static void put_stack(struct sim_ranks *s, struct buf *out)
{
	struct report_stack *r = calloc(1, sizeof(*r));

	if (!r) {
		out->bad = true;
		return;
	}
	page_read_stack(&s->read, r);
	report_stack_put(r, out);
	free(r);
}

/* Logical stacks; there are no calls of functions here. */
static void put_native(struct sim_ranks *s, unsigned state, struct buf *out)
{
	struct answer_native *a = calloc(1, sizeof(*a));

	if (!a) {
		out->bad = true;
		return;
	}
	a->head.kind = ANSWER_DONE;
	a->state = state == RANK_STOPPED ? NATIVE_PARKED : NATIVE_RUNNING;
	a->near = "";
	page_read_stack(&s->read, &a->stack);
	answer_native_put(a, out);
	free(a);
}

static struct place call_at(uint32_t line)
{
	return (struct place){ .file = "/home/user/heat/src/heat.c",
			       .func = "exchange",
			       .module = "",
			       .line = line };
}

/* In a receive from `from`, whose message was never sent. */
static void put_receive(struct sim_ranks *s, struct mpistate_report *r, uint32_t from)
{
	r->call = MPISTATE_CALL_Recv;
	r->place = call_at(88);
	r->op[0] = (struct mpistate_op){ .kind = MPISTATE_OP_RECV,
					 .call = MPISTATE_CALL_Recv,
					 .peer = (int32_t)from,
					 .local = (int32_t)from,
					 .tag = 7,
					 .root = -1,
					 .comm = 1,
					 .count = 4,
					 .type = "MPI_DOUBLE",
					 .place = call_at(88) };
	r->traffic[0] = (struct mpistate_traffic){ .comm = 1,
						   .peer = (int32_t)from,
						   .tag = 7,
						   .recvs = 1,
						   .call = MPISTATE_CALLS,
						   .place = call_at(0) };
	r->ntraffic = 1;
}

/* In the first collective, and its second barrier. */
static void put_barrier(struct mpistate_report *r)
{
	r->call = MPISTATE_CALL_Barrier;
	r->place = call_at(93);
	r->op[0] = (struct mpistate_op){ .kind = MPISTATE_OP_COLL,
					 .call = MPISTATE_CALL_Barrier,
					 .peer = MPISTATE_UNKNOWN,
					 .local = MPISTATE_UNKNOWN,
					 .root = -1,
					 .comm = 1,
					 .number = 2,
					 .place = call_at(93) };
	r->comm[0].begun_n = 2;
	r->comm[0].npast = 1;
	r->comm[0].past[0] = (struct mpistate_past){
		.number = 2, .call = MPISTATE_CALL_Barrier, .root = -1, .place = call_at(93)
	};
}

/* What it does in MPI, for three seconds. */
static void put_mpi(struct sim_ranks *s, unsigned state, struct buf *out)
{
	static struct mpistate_op op;
	static struct mpistate_traffic traffic;
	static struct mpistate_comm comm;
	uint32_t rank = s->page->rank;
	struct mpistate_report r = { .doing = MPISTATE_DOES_COMPUTES,
				     .call = MPISTATE_CALLS,
				     .tenths = 30,
				     .place = call_at(0),
				     .op = &op,
				     .comm = &comm,
				     .traffic = &traffic };

	comm = (struct mpistate_comm){ .id = 1,
				       .made_by = MPISTATE_CALL_Init,
				       .size = s->size,
				       .name = "MPI_COMM_WORLD",
				       .made = call_at(0),
				       .begun_n = 1 };
	rankset_add(&comm.members, 0, s->size - 1);
	if (state == RANK_RUNNING && (s->scenario == SIM_ring || s->scenario == SIM_late)) {
		r.doing = MPISTATE_DOES_CALL;
		r.nop = r.ncomm = 1;
		if (s->scenario == SIM_ring)
			put_receive(s, &r, (rank + 1) % s->size);
		else if (rank == s->size / 2)
			put_receive(s, &r, 0);
		else
			put_barrier(&r);
	}
	mpistate_report_put(&r, out);
	rankset_clear(&comm.members);
}

void sim_ranks_answer(struct sim_ranks *s, unsigned state, uint32_t gen, const struct msg_query *q,
		      struct buf *out)
{
	if (q->kind == QUERY_STATUS)
		put_status(s, state, gen, out);
	else if (q->kind == QUERY_STACK)
		put_stack(s, out);
	else if (q->kind == QUERY_NATIVE)
		put_native(s, state, out);
	else if (q->kind == QUERY_MPI)
		put_mpi(s, state, out);
	else if (q->kind == QUERY_MOVES)
		buf_put_u8(out, sim_never_stops(s->scenario) && s->scenario != SIM_running);
	else if (q->kind == QUERY_NAMES)
		object_put_names(&s->read, q->name, out);
	else if (q->kind == QUERY_LAYOUT)
		object_put_layout(&s->read, q->name, out);
	else if (q->kind == QUERY_POINTS)
		page_read_points(&s->read, q->n, q->rank == s->page->rank, out);
	else if (q->kind == QUERY_HASH)
		page_read_hash_at(&s->read, q->n, out);
	else if (state != RANK_STOPPED)
		fetch_refuse(out, "running");
	else if (q->kind == QUERY_FETCH)
		fetch_answer(&s->read, &s->memory, q->name, &q->section, q->n, out);
	else if (q->kind == QUERY_BINS)
		bins_answer(&s->read, &s->memory, s->page->rank, q->name, &q->section, &q->bins,
			    out);
	else
		fetch_refuse(out, "simulated ranks do not serve this");
	page_read_reset(&s->read);
}
