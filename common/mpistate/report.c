/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/mpistate/report.h"

#include <stdlib.h>

const char *mpistate_doing_words(unsigned doing)
{
	static const char *const words[] = {
#define X(name, text) text,
		MPISTATE_DOING_LIST(X)
#undef X
	};

	return doing < MPISTATE_DOINGS ? words[doing] : "?";
}

static void call_code(struct codec *c, uint16_t *call)
{
	codec_int_below(c, call, 2, MPISTATE_CALLS + 1);
}

static void op_code(struct codec *c, struct mpistate_op *o)
{
	codec_below(c, &o->kind, MPISTATE_OP_KINDS);
	codec_flag(c, &o->request);
	call_code(c, &o->call);
	codec_u32(c, &o->peer);
	codec_u32(c, &o->local);
	codec_u32(c, &o->tag);
	codec_u32(c, &o->root);
	codec_u32(c, &o->comm);
	codec_u32(c, &o->number);
	codec_u64(c, &o->count);
	codec_text_in(c, o->type, sizeof(o->type));
	place_code(c, &o->place);
}

static void past_code(struct codec *c, struct mpistate_past *p)
{
	codec_u32(c, &p->number);
	call_code(c, &p->call);
	codec_u32(c, &p->root);
	codec_u32(c, &p->main);
	codec_text_in(c, p->object, sizeof(p->object));
	place_code(c, &p->place);
}

static void comm_code(struct codec *c, struct mpistate_comm *m)
{
	codec_u64(c, &m->id);
	codec_below(c, &m->what, MPISTATE_WHATS);
	codec_flag(c, &m->inter);
	call_code(c, &m->made_by);
	codec_u32(c, &m->size);
	codec_text_in(c, m->name, sizeof(m->name));
	place_code(c, &m->made);
	rankset_code(c, &m->members);
	codec_u32(c, &m->begun_n);
	codec_u32_below(c, &m->npast, MPISTATE_RECENT + 1);
	for (uint32_t i = 0; i < m->npast && codec_good(c); i++)
		past_code(c, &m->past[i]);
}

static void traffic_code(struct codec *c, struct mpistate_traffic *t)
{
	codec_u32(c, &t->comm);
	codec_u32(c, &t->peer);
	codec_u32(c, &t->tag);
	codec_u32(c, &t->sends);
	codec_u32(c, &t->recvs);
	call_code(c, &t->call);
	codec_u32(c, &t->count);
	place_code(c, &t->place);
}

/* An op or traffic names a communicator that is there. */
static void check_comms(struct codec *c, const struct mpistate_report *r)
{
	for (uint32_t i = 0; i < r->nop; i++)
		codec_check(c, r->op[i].comm <= r->ncomm);
	for (uint32_t i = 0; i < r->ntraffic; i++)
		codec_check(c, r->traffic[i].comm && r->traffic[i].comm <= r->ncomm);
}

int mpistate_report_code(struct codec *c, struct mpistate_report *r)
{
	codec_below(c, &r->doing, MPISTATE_DOINGS);
	codec_flag(c, &r->any);
	codec_flag(c, &r->threads);
	codec_flag(c, &r->partial);
	codec_flag(c, &r->wild);
	call_code(c, &r->call);
	codec_u32(c, &r->tenths);
	codec_u32(c, &r->requests);
	place_code(c, &r->place);
	codec_each(c, &r->op, &r->nop, MPISTATE_REPORT_OPS, 50, op_code);
	codec_each(c, &r->comm, &r->ncomm, MPISTATE_OBJECTS, 40, comm_code);
	codec_each(c, &r->traffic, &r->ntraffic, MPISTATE_PAIRS, 40, traffic_code);
	check_comms(c, r);
	return codec_end(c);
}

void mpistate_report_clear(struct mpistate_report *r)
{
	for (uint32_t i = 0; r->comm && i < r->ncomm; i++)
		rankset_clear(&r->comm[i].members);
	free(r->op);
	free(r->comm);
	free(r->traffic);
	r->op = NULL;
	r->comm = NULL;
	r->traffic = NULL;
	r->nop = r->ncomm = r->ntraffic = 0;
}
