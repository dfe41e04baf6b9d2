/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/tree/internal.h"

#include <string.h>

#include "common/protocol/msg.h"

static void keep(struct replay *r, struct buf *to, const struct buf *from)
{
	buf_reset(to);
	buf_put_raw(to, from->data, from->len);
	r->gaps |= to->bad;
}

static void order_clear(struct replay_order *o)
{
	rankset_clear(&o->who);
	buf_clear(&o->payload);
}

void replay_clear(struct replay *r)
{
	buf_clear(&r->params);
	buf_clear(&r->rules);
	buf_clear(&r->trace);
	buf_clear(&r->verdict);
	for (size_t i = 0; i < r->n; i++)
		order_clear(&r->order[i]);
	r->n = 0;
}

void replay_params(struct replay *r, const struct buf *payload)
{
	keep(r, &r->params, payload);
}

bool replay_rules(struct replay *r, const struct buf *payload)
{
	if (r->rules.len == payload->len && payload->len &&
	    memcmp(r->rules.data, payload->data, payload->len) == 0)
		return false;
	keep(r, &r->rules, payload);
	return true;
}

void replay_forget_rules(struct replay *r)
{
	buf_reset(&r->rules);
	r->gaps = true;
}

void replay_trace(struct replay *r, const struct buf *payload)
{
	keep(r, &r->trace, payload);
}

void replay_verdict(struct replay *r, const struct buf *payload)
{
	keep(r, &r->verdict, payload);
}

static void drop(struct replay *r, size_t i)
{
	order_clear(&r->order[i]);
	memmove(&r->order[i], &r->order[i + 1], (r->n - i - 1) * sizeof(r->order[0]));
	r->n--;
}

void replay_order(struct replay *r, unsigned type, const struct rankset *who,
		  const struct buf *payload)
{
	struct replay_order *o;

	for (size_t i = 0; i < r->n;)
		if (r->order[i].type == type && r->order[i].whole &&
		    rankset_covers(who, &r->order[i].who))
			drop(r, i);
		else
			i++;
	if (r->n == REPLAY_ORDERS)
		drop(r, 0);
	o = &r->order[r->n++];
	memset(o, 0, sizeof(*o));
	o->type = type;
	o->whole = !rankset_copy(&o->who, who);
	keep(r, &o->payload, payload);
}

void replay_each(const struct replay *r, replay_fn fn, void *arg)
{
	if (r->params.len && !r->params.bad)
		fn(arg, MSG_PARAMS, &r->params);
	if (r->rules.len && !r->rules.bad)
		fn(arg, MSG_RULES, &r->rules);
	if (r->trace.len && !r->trace.bad)
		fn(arg, MSG_TRACE, &r->trace);
	if (r->verdict.len && !r->verdict.bad)
		fn(arg, MSG_VERDICT, &r->verdict);
	for (size_t i = 0; i < r->n; i++)
		if (!r->order[i].payload.bad)
			fn(arg, r->order[i].type, &r->order[i].payload);
}
