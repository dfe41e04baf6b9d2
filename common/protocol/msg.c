/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/msg.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/array/value.h"

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

/* A message was read right when nothing was missing and nothing is left over. */
static int get_done(const struct buf *b)
{
	return b->bad || buf_left(b) > 0 ? -1 : 0;
}

static uint8_t get_flag(struct buf *b)
{
	uint8_t v = buf_get_u8(b);

	if (v > 1)
		b->bad = true;
	return v;
}

/* Reads a rank that can be one. */
static uint32_t get_rank(struct buf *b)
{
	uint32_t rank = buf_get_u32(b);

	if (rank >= RANKSET_MAX)
		b->bad = true;
	return rank;
}

void msg_params_put(const struct msg_params *m, struct buf *b)
{
	buf_put_u8(b, m->on_exit_run);
}

int msg_params_get(struct msg_params *m, struct buf *b)
{
	m->on_exit_run = get_flag(b);
	return get_done(b);
}

void msg_join_put(const struct msg_join *m, struct buf *b)
{
	buf_put_u32(b, m->rank);
	buf_put_u32(b, m->size);
	buf_put_u32(b, m->pid);
	buf_put_str(b, m->version);
	buf_put_str(b, m->host);
	buf_put_str(b, m->listen);
	buf_put_u8(b, m->orphan);
	rankset_put(&m->subtree, b);
}

int msg_join_get(struct msg_join *m, struct buf *b)
{
	*m = (struct msg_join){ 0 };
	m->rank = get_rank(b);
	m->size = buf_get_u32(b);
	m->pid = buf_get_u32(b);
	m->version = buf_get_str(b);
	m->host = buf_get_str(b);
	m->listen = buf_get_str(b);
	m->orphan = get_flag(b);
	rankset_get(&m->subtree, b);
	if (m->size > RANKSET_MAX || !rankset_has(&m->subtree, m->rank))
		b->bad = true;
	if (get_done(b) == 0)
		return 0;
	rankset_clear(&m->subtree);
	return -1;
}

void msg_parent_put(const struct msg_parent *m, struct buf *b)
{
	buf_put_u32(b, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		buf_put_str(b, m->addr[i]);
	msg_params_put(&m->params, b);
}

int msg_parent_get(struct msg_parent *m, struct buf *b)
{
	*m = (struct msg_parent){ 0 };
	m->n = buf_get_u32(b);
	if (m->n > MSG_ADDRS) {
		b->bad = true;
		m->n = 0;
	}
	for (uint32_t i = 0; i < m->n; i++)
		m->addr[i] = buf_get_str(b);
	return msg_params_get(&m->params, b);
}

void msg_attach_put(const struct msg_attach *m, struct buf *b)
{
	buf_put_u32(b, m->rank);
	rankset_put(&m->subtree, b);
}

int msg_attach_get(struct msg_attach *m, struct buf *b)
{
	*m = (struct msg_attach){ 0 };
	m->rank = get_rank(b);
	rankset_get(&m->subtree, b);
	if (!rankset_has(&m->subtree, m->rank))
		b->bad = true;
	if (get_done(b) == 0)
		return 0;
	rankset_clear(&m->subtree);
	return -1;
}

void msg_rules_put(const struct msg_rules *m, struct buf *b)
{
	gauge_put(&m->gauge, b);
	buf_put_u32(b, m->nset);
	for (uint32_t i = 0; i < m->nset; i++)
		rankset_put(&m->set[i], b);
	buf_put_u32(b, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		rule_put(&m->rule[i], b);
	buf_put_u32(b, m->nwatch);
	for (uint32_t i = 0; i < m->nwatch; i++)
		watch_put(&m->watch[i], b);
	buf_put_u32(b, m->nplace);
	for (uint32_t i = 0; i < m->nplace; i++)
		gauge_place_put(&m->place[i], b);
}

/* Room for n things that take at least so many bytes each; NULL: they cannot be there. */
static void *rules_room(struct buf *b, uint32_t n, size_t least, size_t size)
{
	if (b->bad || n > buf_left(b) / least)
		return NULL;
	return calloc(n ? n : 1, size);
}

static int rules_sets(struct msg_rules *m, struct buf *b)
{
	uint32_t n = buf_get_u32(b);

	m->set = n <= UINT16_MAX ? rules_room(b, n, 4, sizeof(*m->set)) : NULL;
	for (; m->set && m->nset < n && !b->bad; m->nset++)
		if (rankset_get(&m->set[m->nset], b) < 0)
			b->bad = true;
	return m->set && !b->bad ? 0 : -1;
}

static int rules_watches(struct msg_rules *m, struct buf *b)
{
	/* the bytes of one with a name of one letter */
	enum { LEAST = 11 };
	uint32_t n = buf_get_u32(b);

	m->watch = n <= WATCH_MOST ? rules_room(b, n, LEAST, sizeof(*m->watch)) : NULL;
	for (; m->watch && m->nwatch < n; m->nwatch++) {
		struct watch *w = &m->watch[m->nwatch];

		if (watch_get(w, b) < 0 || w->set > m->nset || w->stop > m->nset)
			return -1;
	}
	return m->watch ? 0 : -1;
}

static int rules_places(struct msg_rules *m, struct buf *b)
{
	uint32_t n = buf_get_u32(b);

	m->place =
		n <= GAUGE_PLACES ? rules_room(b, n, GAUGE_PLACE_LEAST, sizeof(*m->place)) : NULL;
	for (; m->place && m->nplace < n; m->nplace++)
		if (gauge_place_get(&m->place[m->nplace], b) < 0)
			return -1;
	return m->place ? 0 : -1;
}

int msg_rules_get(struct msg_rules *m, struct buf *b)
{
	/* the bytes of a rule with an empty file name */
	enum { LEAST = 54 };
	uint32_t n;

	*m = (struct msg_rules){ 0 };
	gauge_get(&m->gauge, b);
	if (rules_sets(m, b))
		goto fail;
	n = buf_get_u32(b);
	m->rule = rules_room(b, n, LEAST, sizeof(*m->rule));
	if (!m->rule)
		goto fail;
	for (; m->n < n; m->n++) {
		struct rule *r = &m->rule[m->n];

		if (rule_get(r, b) < 0 || r->set > m->nset || r->stop > m->nset)
			goto fail;
	}
	if (rules_watches(m, b) == 0 && rules_places(m, b) == 0 && get_done(b) == 0)
		return 0;
fail:
	b->bad = true;
	msg_rules_clear(m);
	return -1;
}

void msg_verdict_put(const struct msg_verdict *m, struct buf *b)
{
	point_put(&m->point, b);
	buf_put_u8(b, m->stop);
}

int msg_verdict_get(struct msg_verdict *m, struct buf *b)
{
	*m = (struct msg_verdict){ 0 };
	point_get(&m->point, b);
	m->stop = buf_get_u8(b);
	if (m->stop > 1 || !m->point.main || m->point.task || m->point.sub)
		b->bad = true;
	return get_done(b);
}

static void put_double(struct buf *b, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	buf_put_u64(b, bits);
}

/* Not NaN. */
static double get_double(struct buf *b)
{
	uint64_t bits = buf_get_u64(b);
	double v;

	memcpy(&v, &bits, sizeof(v));
	if (v != v)
		b->bad = true;
	return v;
}

void msg_trace_put(const struct msg_trace *m, struct buf *b)
{
	buf_put_str(b, m->record);
	buf_put_str(b, m->compare);
	buf_put_str(b, m->program);
	buf_put_str(b, m->build_id);
	buf_put_u32(b, m->ranks);
	buf_put_u64(b, m->memory);
	buf_put_u8(b, m->effort);
	buf_put_u8(b, m->tolerance.mode);
	put_double(b, m->tolerance.exp);
	put_double(b, m->tolerance.rel_min);
	buf_put_u32(b, m->max_errors);
	buf_put_u8(b, m->moved);
}

int msg_trace_get(struct msg_trace *m, struct buf *b)
{
	*m = (struct msg_trace){ 0 };
	m->record = buf_get_str(b);
	m->compare = buf_get_str(b);
	m->program = buf_get_str(b);
	m->build_id = buf_get_str(b);
	m->ranks = buf_get_u32(b);
	m->memory = buf_get_u64(b);
	m->effort = buf_get_u8(b);
	m->tolerance.mode = buf_get_u8(b);
	m->tolerance.exp = get_double(b);
	m->tolerance.rel_min = get_double(b);
	m->max_errors = buf_get_u32(b);
	m->moved = get_flag(b);
	if (m->ranks > RANKSET_MAX || m->memory < MSG_TRACE_LEAST || m->memory > MSG_TRACE_MOST ||
	    !m->effort || m->effort > 9 || m->tolerance.mode > SUM_EXACT)
		b->bad = true;
	return get_done(b);
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

void msg_go_put(const struct msg_go *m, struct buf *b)
{
	rankset_put(&m->who, b);
	plan_put(&m->plan, b);
}

int msg_go_get(struct msg_go *m, struct buf *b)
{
	*m = (struct msg_go){ 0 };
	rankset_get(&m->who, b);
	plan_get(&m->plan, b);
	if (get_done(b) == 0)
		return 0;
	rankset_clear(&m->who);
	return -1;
}

void msg_freeze_put(const struct msg_freeze *m, struct buf *b)
{
	buf_put_u32(b, m->req);
	rankset_put(&m->who, b);
}

int msg_freeze_get(struct msg_freeze *m, struct buf *b)
{
	*m = (struct msg_freeze){ 0 };
	m->req = buf_get_u32(b);
	rankset_get(&m->who, b);
	if (get_done(b) == 0)
		return 0;
	rankset_clear(&m->who);
	return -1;
}

static void value_put(const struct msg_value *v, struct buf *b)
{
	buf_put_u8(b, v->type);
	buf_put_raw(b, v->bytes, value_size(v->type));
}

static void value_get(struct msg_value *v, struct buf *b)
{
	size_t size;
	const void *bytes;

	v->type = buf_get_u8(b);
	size = value_size(v->type);
	bytes = buf_get_raw(b, size);
	if (!size || size > sizeof(v->bytes) || !bytes)
		b->bad = true;
	else
		memcpy(v->bytes, bytes, size);
}

void msg_query_put(const struct msg_query *m, struct buf *b)
{
	buf_put_u32(b, m->req);
	buf_put_u8(b, m->kind);
	rankset_put(&m->who, b);
	buf_put_str(b, m->name);
	buf_put_u32(b, m->n);
	buf_put_u32(b, m->rank);
	section_put(&m->section, b);
	if (m->kind == QUERY_ZOOM)
		zoom_spec_put(&m->zoom, b);
	else if (m->kind == QUERY_ASSIGN)
		value_put(&m->value, b);
}

int msg_query_get(struct msg_query *m, struct buf *b)
{
	*m = (struct msg_query){ 0 };
	m->req = buf_get_u32(b);
	m->kind = buf_get_u8(b);
	rankset_get(&m->who, b);
	m->name = buf_get_str(b);
	m->n = buf_get_u32(b);
	m->rank = buf_get_u32(b);
	if (!b->bad && section_get(&m->section, b) < 0)
		b->bad = true;
	if (m->kind == QUERY_ZOOM)
		zoom_spec_get(&m->zoom, b);
	else if (m->kind == QUERY_ASSIGN)
		value_get(&m->value, b);
	if (m->kind >= QUERY_KINDS)
		b->bad = true;
	if (get_done(b) == 0)
		return 0;
	msg_query_clear(m);
	return -1;
}

void msg_query_clear(struct msg_query *m)
{
	rankset_clear(&m->who);
	section_clear(&m->section);
}

void msg_kill_put(const struct msg_kill *m, struct buf *b)
{
	rankset_put(&m->who, b);
	buf_put_u8(b, m->final);
}

int msg_kill_get(struct msg_kill *m, struct buf *b)
{
	*m = (struct msg_kill){ 0 };
	rankset_get(&m->who, b);
	m->final = get_flag(b);
	if (get_done(b) == 0)
		return 0;
	rankset_clear(&m->who);
	return -1;
}

void msg_reply_put(const struct msg_reply *m, struct buf *b)
{
	buf_put_u32(b, m->req);
	rankset_put(&m->covered, b);
	differ_put(&m->groups, b);
}

int msg_reply_get(struct msg_reply *m, struct buf *b)
{
	*m = (struct msg_reply){ 0 };
	m->req = buf_get_u32(b);
	rankset_get(&m->covered, b);
	differ_get(&m->groups, b);
	if (get_done(b) == 0)
		return 0;
	msg_reply_clear(m);
	return -1;
}

void msg_reply_clear(struct msg_reply *m)
{
	rankset_clear(&m->covered);
	differ_clear(&m->groups);
}

void msg_event_put(const struct msg_event *m, struct buf *b)
{
	buf_put_u8(b, m->kind);
	buf_put_u32(b, m->gen);
	differ_put(&m->groups, b);
}

int msg_event_get(struct msg_event *m, struct buf *b)
{
	*m = (struct msg_event){ 0 };
	m->kind = buf_get_u8(b);
	m->gen = buf_get_u32(b);
	differ_get(&m->groups, b);
	if (m->kind >= EVENT_KINDS)
		b->bad = true;
	if (get_done(b) == 0)
		return 0;
	msg_event_clear(m);
	return -1;
}

void msg_event_clear(struct msg_event *m)
{
	differ_clear(&m->groups);
}
