/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/msg.h"

#include <stdlib.h>
#include <string.h>

#include "common/buf.h"

static int done(const struct buf *b)
{
	return b->bad ? -1 : 0;
}

/* Reads a rank set into a fresh one; marks the buffer bad when it is none. */
static void get_set(struct rankset *s, struct buf *b)
{
	*s = (struct rankset){ 0 };
	if (rankset_get(s, b) < 0)
		b->bad = true;
}

static void get_groups(struct differ *d, struct buf *b)
{
	*d = (struct differ){ 0 };
	if (differ_get(d, b) < 0)
		b->bad = true;
}

void msg_params_put(const struct msg_params *m, struct buf *b)
{
	buf_put_u8(b, m->on_exit_run);
}

int msg_params_get(struct msg_params *m, struct buf *b)
{
	m->on_exit_run = buf_get_u8(b);
	return done(b);
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
	m->rank = buf_get_u32(b);
	m->size = buf_get_u32(b);
	m->pid = buf_get_u32(b);
	m->version = buf_get_str(b);
	m->host = buf_get_str(b);
	m->listen = buf_get_str(b);
	m->orphan = buf_get_u8(b);
	get_set(&m->subtree, b);
	if (!b->bad && rankset_has(&m->subtree, m->rank))
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
	m->n = buf_get_u32(b);
	if (m->n > MSG_ADDRS)
		return -1;
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
	m->rank = buf_get_u32(b);
	get_set(&m->subtree, b);
	if (!b->bad && rankset_has(&m->subtree, m->rank))
		return 0;
	rankset_clear(&m->subtree);
	return -1;
}

void msg_rules_put(const struct msg_rules *m, struct buf *b)
{
	buf_put_u32(b, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		rule_put(&m->rule[i], b);
}

int msg_rules_get(struct msg_rules *m, struct buf *b)
{
	m->n = buf_get_u32(b);
	m->rule = NULL;
	/* every rule takes more than 16 bytes: a larger number cannot be true */
	if (b->bad || m->n > buf_left(b) / 16) {
		m->n = 0;
		return -1;
	}
	m->rule = calloc(m->n ? m->n : 1, sizeof(*m->rule));
	if (!m->rule) {
		m->n = 0;
		return -1;
	}
	for (uint32_t i = 0; i < m->n; i++) {
		if (rule_get(&m->rule[i], b) < 0) {
			msg_rules_clear(m);
			return -1;
		}
	}
	return 0;
}

void msg_rules_clear(struct msg_rules *m)
{
	free(m->rule);
	*m = (struct msg_rules){ 0 };
}

void msg_go_put(const struct msg_go *m, struct buf *b)
{
	rankset_put(&m->who, b);
	plan_put(&m->plan, b);
}

int msg_go_get(struct msg_go *m, struct buf *b)
{
	get_set(&m->who, b);
	if (plan_get(&m->plan, b) == 0 && !b->bad)
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
	m->req = buf_get_u32(b);
	get_set(&m->who, b);
	return done(b);
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
}

int msg_query_get(struct msg_query *m, struct buf *b)
{
	m->req = buf_get_u32(b);
	m->kind = buf_get_u8(b);
	get_set(&m->who, b);
	m->name = buf_get_str(b);
	m->n = buf_get_u32(b);
	m->rank = buf_get_u32(b);
	m->section = (struct section){ 0 };
	if (!b->bad && m->kind < QUERY_KINDS && section_get(&m->section, b) == 0)
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
	get_set(&m->who, b);
	m->final = buf_get_u8(b);
	if (!b->bad)
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
	m->req = buf_get_u32(b);
	get_set(&m->covered, b);
	get_groups(&m->groups, b);
	if (!b->bad)
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
	m->kind = buf_get_u8(b);
	m->gen = buf_get_u32(b);
	get_groups(&m->groups, b);
	if (!b->bad && m->kind < EVENT_KINDS)
		return 0;
	msg_event_clear(m);
	return -1;
}

void msg_event_clear(struct msg_event *m)
{
	differ_clear(&m->groups);
}
