/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/msg.h"

#include <stdlib.h>

#include "common/array/value.h"
#include "common/markcode/markcode.h"

const char *msg_name(unsigned type)
{
	switch (type) {
#define X(name, number, direction, what) \
	case MSG_##name:                 \
		return #name;
		MSG_LIST(X)
#undef X
	default:
		return "?";
	}
}

int msg_params_code(struct codec *c, struct msg_params *m)
{
	codec_flag(c, &m->on_exit_run);
	codec_below(c, &m->fpe, FPE_TRAPS);
	codec_below(c, &m->points, POINT_KINDS);
	codec_blob(c, &m->marks, &m->nmarks);
	codec_check(c, m->nmarks <= MARKCODE_MOST);
	return codec_whole(c);
}

int msg_join_code(struct codec *c, struct msg_join *m)
{
	codec_u32_below(c, &m->rank, RANKSET_MAX);
	codec_u32_below(c, &m->size, RANKSET_MAX + 1);
	codec_u32(c, &m->pid);
	codec_text(c, &m->version);
	codec_text(c, &m->host);
	codec_text(c, &m->listen);
	codec_flag(c, &m->orphan);
	rankset_code(c, &m->subtree);
	codec_check(c, rankset_has(&m->subtree, m->rank));
	return codec_whole(c);
}

int msg_parent_code(struct codec *c, struct msg_parent *m)
{
	codec_u32_below(c, &m->n, MSG_ADDRS + 1);
	for (uint32_t i = 0; i < m->n; i++)
		codec_text(c, &m->addr[i]);
	return msg_params_code(c, &m->params);
}

int msg_attach_code(struct codec *c, struct msg_attach *m)
{
	codec_u32_below(c, &m->rank, RANKSET_MAX);
	rankset_code(c, &m->subtree);
	codec_check(c, rankset_has(&m->subtree, m->rank));
	return codec_whole(c);
}

int msg_rules_code(struct codec *c, struct msg_rules *m)
{
	/* the bytes of a rule without file, and of a watch with a name of one letter */
	enum { RULE_LEAST = 54, WATCH_LEAST = 12 };

	trace_config_code(c, &m->trace_config);
	codec_each(c, &m->set, &m->nset, UINT16_MAX, 4, rankset_code);
	codec_each(c, &m->rule, &m->n, UINT32_MAX, RULE_LEAST, rule_code);
	codec_each(c, &m->watch, &m->nwatch, WATCH_MOST, WATCH_LEAST, watch_code);
	codec_each(c, &m->place, &m->nplace, TRACE_CONFIG_PLACES, TRACE_CONFIG_PLACE_LEAST,
		   trace_config_place_code);
	for (uint32_t i = 0; i < m->n; i++)
		codec_check(c, m->rule[i].set <= m->nset && m->rule[i].stop <= m->nset);
	for (uint32_t i = 0; i < m->nwatch; i++)
		codec_check(c, m->watch[i].set <= m->nset && m->watch[i].stop <= m->nset);
	return codec_whole(c);
}

void msg_rules_clear(struct msg_rules *m)
{
	for (uint32_t i = 0; m->set && i < m->nset; i++)
		rankset_clear(&m->set[i]);
	free(m->set);
	free(m->rule);
	free(m->watch);
	free(m->place);
	*m = (struct msg_rules){ 0 };
}

int msg_verdict_code(struct codec *c, struct msg_verdict *m)
{
	point_code(c, &m->point);
	codec_flag(c, &m->stop);
	codec_check(c, m->point.main && !m->point.sub);
	return codec_whole(c);
}

/* Not NaN. */
static void number_code(struct codec *c, double *v)
{
	codec_f64(c, v);
	codec_check(c, *v == *v);
}

int msg_trace_code(struct codec *c, struct msg_trace *m)
{
	codec_text(c, &m->record);
	codec_text(c, &m->compare);
	codec_text(c, &m->program);
	codec_text(c, &m->build_id);
	codec_u32_below(c, &m->ranks, RANKSET_MAX + 1);
	codec_u64(c, &m->memory);
	codec_check(c, m->memory >= MSG_TRACE_LEAST && m->memory <= MSG_TRACE_MOST);
	codec_u8(c, &m->effort);
	codec_check(c, m->effort >= 1 && m->effort <= 9);
	codec_below(c, &m->tolerance.mode, SUM_SCALED + 1);
	number_code(c, &m->tolerance.exp);
	number_code(c, &m->tolerance.rel_min);
	codec_u32(c, &m->max_errors);
	codec_flag(c, &m->moved);
	codec_flag(c, &m->reductions);
	codec_flag(c, &m->control);
	codec_below(c, &m->ngrid, ARRAY_DIMS + 1);
	for (unsigned i = 0; i < m->ngrid && i < ARRAY_DIMS; i++) {
		codec_u32(c, &m->grid[i]);
		codec_check(c, m->grid[i] >= 1 && m->grid[i] <= 4096);
	}
	return codec_whole(c);
}

int msg_go_code(struct codec *c, struct msg_go *m)
{
	rankset_code(c, &m->who);
	plan_code(c, &m->plan);
	return codec_whole(c);
}

int msg_freeze_code(struct codec *c, struct msg_freeze *m)
{
	codec_u32(c, &m->req);
	rankset_code(c, &m->who);
	return codec_whole(c);
}

static void value_code(struct codec *c, struct msg_value *v)
{
	size_t size;

	codec_u8(c, &v->type);
	if (v->type == VALUE_STRUCT) {
		codec_text(c, &v->text);
		return;
	}
	size = value_size(v->type);
	codec_check(c, size && size <= sizeof(v->bytes));
	if (codec_good(c))
		codec_bytes(c, v->bytes, size);
}

int msg_query_code(struct codec *c, struct msg_query *m)
{
	codec_u32(c, &m->req);
	codec_below(c, &m->kind, QUERY_KINDS);
	rankset_code(c, &m->who);
	codec_text(c, &m->name);
	codec_u32(c, &m->n);
	codec_u32(c, &m->rank);
	section_code(c, &m->section);
	if (m->kind == QUERY_BINS)
		bins_spec_code(c, &m->bins);
	else if (m->kind == QUERY_ASSIGN)
		value_code(c, &m->value);
	else if (m->kind == QUERY_WATCH)
		codec_u32(c, &m->id);
	if (m->kind == QUERY_LOCALS || m->kind == QUERY_CALL || m->kind == QUERY_ASSIGN ||
	    m->kind == QUERY_WATCH)
		codec_text(c, &m->func);
	return codec_whole(c);
}

void msg_query_clear(struct msg_query *m)
{
	rankset_clear(&m->who);
	section_clear(&m->section);
}

int msg_kill_code(struct codec *c, struct msg_kill *m)
{
	rankset_code(c, &m->who);
	codec_flag(c, &m->final);
	return codec_whole(c);
}

int msg_reply_code(struct codec *c, struct msg_reply *m)
{
	codec_u32(c, &m->req);
	rankset_code(c, &m->covered);
	groups_code(c, &m->groups);
	return codec_whole(c);
}

void msg_reply_clear(struct msg_reply *m)
{
	rankset_clear(&m->covered);
	groups_clear(&m->groups);
}

int msg_event_code(struct codec *c, struct msg_event *m)
{
	codec_below(c, &m->kind, EVENT_KINDS);
	codec_u32(c, &m->gen);
	groups_code(c, &m->groups);
	return codec_whole(c);
}

void msg_event_clear(struct msg_event *m)
{
	groups_clear(&m->groups);
}
