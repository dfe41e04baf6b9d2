/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/tree/node.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "common/protocol/msg.h"
#include "common/protocol/point_sums.h"
#include "common/logical/tree.h"
#include "runtime/exec/tree/children.h"
#include "runtime/exec/sys/clock.h"
#include "runtime/exec/tree/gather.h"
#include "runtime/exec/sys/link.h"
#include "runtime/exec/sys/listen.h"
#include "runtime/exec/tree/merge.h"
#include "runtime/exec/tree/parent.h"
#include "runtime/exec/tree/replay.h"

#define NODE_LISTEN 2048 /* text of all own addresses */

struct node {
	struct node_spec spec;
	struct parent *parent;
	struct children *children;
	struct merge *merge;
	struct gather *gather;
	struct replay replay;
	struct rankset self, subtree;
	struct rankset lost;	 /* all that have been below us and are nowhere */
	struct rankset lost_new; /* of these, what the parent has not been told */
	bool announce;		 /* the parent does not know how the subtree has grown */
};

static void subtree_changed(struct node *n)
{
	rankset_clear(&n->subtree);
	if (rankset_copy(&n->subtree, &n->self) || children_ranks(n->children, &n->subtree) ||
	    merge_subtree(n->merge, &n->subtree) || gather_subtree(n->gather, &n->subtree))
		log_debug("tree", "out of memory");
}

/* Prepares for the answers of those of who that are below us. */
static void expect(struct node *n, uint32_t req, const struct rankset *who)
{
	struct rankset ranks = { 0 };

	if (rankset_copy(&ranks, who) == 0 && rankset_intersect(&ranks, &n->subtree) == 0)
		merge_expect(n->merge, req, &ranks, clock_msec());
	rankset_clear(&ranks);
}

static bool for_us(const struct node *n, const struct rankset *who)
{
	return rankset_has(who, n->spec.rank);
}

/* One per message from above: decode, pass on, obey. -1: these bytes are not one. */

static int take_params(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_params m;

	if (msg_params_get(&m, b))
		return -1;
	replay_params(&n->replay, raw);
	children_broadcast(n->children, MSG_PARAMS, raw);
	n->spec.ops->params(n->spec.arg, &m);
	return 0;
}

static int take_rules(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_rules m = { 0 };

	if (msg_rules_get(&m, b))
		return -1;
	children_broadcast(n->children, MSG_RULES, raw);
	/* told again by a parent that could not know better: counts of hits shall not begin anew */
	if (replay_rules(&n->replay, raw))
		n->spec.ops->rules(n->spec.arg, &m);
	msg_rules_clear(&m);
	return 0;
}

static int take_go(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_go m = { 0 };
	int ret = msg_go_get(&m, b);

	if (ret == 0) {
		replay_order(&n->replay, MSG_GO, &m.who, raw);
		children_broadcast(n->children, MSG_GO, raw);
		if (for_us(n, &m.who))
			n->spec.ops->go(n->spec.arg, &m.plan);
		else
			n->spec.ops->go_others(n->spec.arg, &m.plan);
	}
	rankset_clear(&m.who);
	return ret;
}

static int take_freeze(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_freeze m = { 0 };
	int ret = msg_freeze_get(&m, b);

	if (ret == 0) {
		expect(n, m.req, &m.who);
		children_broadcast(n->children, MSG_FREEZE, raw);
		if (for_us(n, &m.who))
			n->spec.ops->freeze(n->spec.arg, m.req);
	}
	rankset_clear(&m.who);
	return ret;
}

static int take_query(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_query m = { 0 };
	int ret = msg_query_get(&m, b);

	if (ret == 0) {
		expect(n, m.req, &m.who);
		if (m.kind == QUERY_ZOOM)
			merge_fold(n->merge, m.req, zoom_fold);
		children_broadcast(n->children, MSG_QUERY, raw);
		if (for_us(n, &m.who))
			n->spec.ops->query(n->spec.arg, &m);
	}
	msg_query_clear(&m);
	return ret;
}

static int take_kill(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_kill m = { 0 };
	int ret = msg_kill_get(&m, b);

	if (ret == 0) {
		replay_order(&n->replay, MSG_KILL, &m.who, raw);
		children_broadcast(n->children, MSG_KILL, raw);
		if (for_us(n, &m.who))
			n->spec.ops->kill(n->spec.arg, m.final);
	}
	rankset_clear(&m.who);
	return ret;
}

static int take_verdict(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_verdict m;

	if (msg_verdict_get(&m, b))
		return -1;
	replay_verdict(&n->replay, raw);
	children_broadcast(n->children, MSG_VERDICT, raw);
	n->spec.ops->verdict(n->spec.arg, &m);
	return 0;
}

static int take_trace(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_trace m;

	if (msg_trace_get(&m, b))
		return -1;
	replay_trace(&n->replay, raw);
	children_broadcast(n->children, MSG_TRACE, raw);
	n->spec.ops->trace(n->spec.arg, &m);
	return 0;
}

static int take_resync(struct node *n, struct buf *b, const struct buf *raw)
{
	children_broadcast(n->children, MSG_RESYNC, raw);
	n->spec.ops->resync(n->spec.arg);
	return 0;
}

static const struct {
	unsigned type;
	int (*take)(struct node *n, struct buf *b, const struct buf *raw);
} orders[] = {
	{ MSG_PARAMS, take_params }, { MSG_RULES, take_rules },	    { MSG_GO, take_go },
	{ MSG_FREEZE, take_freeze }, { MSG_QUERY, take_query },	    { MSG_KILL, take_kill },
	{ MSG_RESYNC, take_resync }, { MSG_VERDICT, take_verdict }, { MSG_TRACE, take_trace },
};

static int from_parent(void *arg, unsigned type, struct buf *payload)
{
	struct node *n = arg;
	struct buf raw = buf_view(payload->data, payload->len);

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (orders[i].type == type)
			return orders[i].take(n, payload, &raw);
	return -1;
}

static void parent_params(void *arg, const struct msg_params *params)
{
	struct node *n = arg;

	n->spec.ops->params(n->spec.arg, params);
}

static void parent_attached(void *arg, bool again)
{
	static const struct buf nothing = BUF_INIT;
	struct node *n = arg;

	n->announce = false;
	if (!again)
		return;
	rankset_clear(&n->lost_new);
	if (rankset_copy(&n->lost_new, &n->lost))
		log_debug("tree", "out of memory");
	n->spec.ops->resync(n->spec.arg);
	children_broadcast(n->children, MSG_RESYNC, &nothing);
}

static void parent_refused(void *arg, const char *why)
{
	struct node *n = arg;

	n->spec.ops->refused(n->spec.arg, why);
}

static void parent_abandoned(void *arg)
{
	struct node *n = arg;

	n->spec.ops->abandoned(n->spec.arg);
}

static const struct parent_ops parent_ops = {
	.message = from_parent,
	.params = parent_params,
	.attached = parent_attached,
	.refused = parent_refused,
	.abandoned = parent_abandoned,
};

static int take_reply(struct node *n, struct buf *b)
{
	struct msg_reply m = { 0 };
	int ret = msg_reply_get(&m, b);

	if (ret == 0 && merge_reply(n->merge, m.req, &m.covered, &m.groups, clock_msec()))
		log_debug("tree", "out of memory");
	msg_reply_clear(&m);
	return ret;
}

static int take_event(struct node *n, struct buf *b)
{
	struct msg_event m = { 0 };
	int ret = msg_event_get(&m, b);

	if (ret == 0 && merge_event(n->merge, m.kind, m.gen, &m.groups, clock_msec()))
		log_debug("tree", "out of memory");
	msg_event_clear(&m);
	return ret;
}

static int take_sums(struct node *n, struct buf *b)
{
	size_t bytes = buf_left(b);
	struct tally t;

	if (tally_get(&t, b, NULL))
		return -1;
	node_sums(n, &t, bytes);
	return 0;
}

/* When something is to be sent up, or -1. */
static int64_t send_due(const struct node *n)
{
	return clock_earlier(merge_due(n->merge), gather_due(n->gather));
}

static void send_all(struct node *n, int64_t now);

static int from_child(void *arg, unsigned type, struct buf *payload)
{
	struct node *n = arg;
	int64_t now = clock_msec(), due;
	int ret = -1;

	if (type == MSG_REPLY)
		ret = take_reply(n, payload);
	else if (type == MSG_EVENT)
		ret = take_event(n, payload);
	else if (type == MSG_SUMS)
		ret = take_sums(n, payload);
	/* not once a turn: large answers of many children would become one frame that is too large
	 */
	due = send_due(n);
	if (due >= 0 && due <= now)
		send_all(n, now);
	return ret;
}

struct replay_to {
	struct node *n;
	struct link *link;
};

static void replay_one(void *arg, unsigned type, const struct buf *payload)
{
	struct replay_to *to = arg;

	children_send(to->n->children, to->link, type, payload);
}

static void child_arrived(void *arg, struct link *link)
{
	struct replay_to to = { arg, link };

	replay_each(&to.n->replay, replay_one, &to);
}

static void child_grown(void *arg)
{
	struct node *n = arg;

	subtree_changed(n);
	rankset_remove_set(&n->lost, &n->subtree);
	rankset_remove_set(&n->lost_new, &n->subtree);
	n->announce = true;
}

static void child_broken(void *arg, const struct rankset *ranks)
{
	struct node *n = arg;

	merge_gone(n->merge, ranks);
	subtree_changed(n);
}

static void child_lost(void *arg, const struct rankset *ranks)
{
	struct node *n = arg;

	merge_gone(n->merge, ranks);
	subtree_changed(n);
	if (rankset_add_set(&n->lost, ranks) || rankset_add_set(&n->lost_new, ranks))
		log_debug("tree", "out of memory");
}

static const struct children_ops children_ops = {
	.message = from_child,
	.arrived = child_arrived,
	.grown = child_grown,
	.broken = child_broken,
	.lost = child_lost,
};

/* A rank that cannot have children by the shape of the tree needs no socket for them. */
static bool can_have_children(const struct node_spec *spec)
{
	return spec->size == 0 || (uint64_t)spec->rank * TREE_FANOUT + 1 < spec->size;
}

static int join(struct node *n, struct err *err)
{
	struct parent_spec up = { .rank = n->spec.rank,
				  .size = n->spec.size,
				  .rendezvous = n->spec.rendezvous,
				  .ops = &parent_ops,
				  .arg = n,
				  .subtree = &n->subtree };
	char listen[NODE_LISTEN] = "";

	memcpy(up.secret, n->spec.secret, sizeof(up.secret));
	n->parent = parent_create(&up, err);
	if (!n->parent)
		return -1;
	if (can_have_children(&n->spec))
		children_listen(n->children, n->spec.rendezvous, parent_fd(n->parent), listen,
				sizeof(listen));
	return parent_join(n->parent, listen, err);
}

struct node *node_create(const struct node_spec *spec, struct err *err)
{
	struct node *n = calloc(1, sizeof(*n));
	struct children_spec down = { .rank = spec->rank, .ops = &children_ops, .arg = n };

	memcpy(down.secret, spec->secret, sizeof(down.secret));
	if (n) {
		n->spec = *spec;
		n->merge = merge_create();
		n->gather = gather_create();
		n->children = children_create(&down);
	}
	if (!n || !n->merge || !n->gather || !n->children ||
	    rankset_add(&n->self, spec->rank, spec->rank)) {
		err_set(err, "out of memory");
		node_destroy(n);
		return NULL;
	}
	subtree_changed(n);
	if (join(n, err)) {
		node_destroy(n);
		return NULL;
	}
	return n;
}

void node_destroy(struct node *n)
{
	if (!n)
		return;
	parent_destroy(n->parent);
	children_destroy(n->children);
	merge_destroy(n->merge);
	gather_destroy(n->gather);
	replay_clear(&n->replay);
	rankset_clear(&n->self);
	rankset_clear(&n->subtree);
	rankset_clear(&n->lost);
	rankset_clear(&n->lost_new);
	free(n);
}

void node_reply(struct node *n, uint32_t req, const struct buf *blob)
{
	struct differ d = { 0 };

	if (blob->bad || differ_add(&d, &n->self, blob->data, blob->len) ||
	    merge_reply(n->merge, req, &n->self, &d, clock_msec()))
		log_debug("tree", "out of memory");
	differ_clear(&d);
}

void node_event(struct node *n, unsigned kind, uint32_t gen, const struct buf *blob)
{
	struct differ d = { 0 };

	if (blob->bad || differ_add(&d, &n->self, blob->data, blob->len) ||
	    merge_event(n->merge, kind, gen, &d, clock_msec()))
		log_debug("tree", "out of memory");
	differ_clear(&d);
}

void node_sums(struct node *n, struct tally *t, size_t bytes)
{
	if (gather_add(n->gather, t, bytes, clock_msec()))
		log_debug("tree", "out of memory");
	if (gather_due(n->gather) == 0)
		send_all(n, clock_msec());
}

size_t node_fds(const struct node *n)
{
	return 1 + CHILDREN_MAX + LISTEN_MAX;
}

/* While the way up is blocked, answers from below wait in the sockets rather than in our memory. */
bool node_is_blocked(const struct node *n)
{
	return !parent_is_up(n->parent) || parent_pending(n->parent) > LINK_BACKLOG;
}

size_t node_poll(const struct node *n, struct pollfd *fds, size_t cap)
{
	size_t used = 0;

	if (parent_fd(n->parent) >= 0)
		fds[used++] = (struct pollfd){ .fd = parent_fd(n->parent),
					       .events = parent_events(n->parent) };
	return used + children_poll(n->children, fds + used, cap - used, node_is_blocked(n));
}

void node_io(struct node *n, const struct pollfd *fds, size_t nfds)
{
	if (nfds && fds[0].fd == parent_fd(n->parent)) {
		if (fds[0].revents)
			parent_io(n->parent, fds[0].revents);
		fds++;
		nfds--;
	}
	children_io(n->children, fds, nfds);
}

int64_t node_due(const struct node *n)
{
	int64_t due = clock_earlier(parent_due(n->parent), children_due(n->children));

	if (!parent_is_up(n->parent))
		return due;
	if (n->announce || n->lost_new.n)
		return 0;
	return clock_earlier(due, send_due(n));
}

static void send_lost(struct node *n)
{
	struct buf b = BUF_INIT;

	rankset_put(&n->lost_new, &b);
	if (!b.bad && parent_send(n->parent, MSG_LOST, &b) == 0)
		rankset_clear(&n->lost_new);
	buf_clear(&b);
}

static void send_up(void *arg, unsigned type, const struct buf *payload)
{
	struct node *n = arg;

	parent_send(n->parent, type, payload);
}

/* News of who is below first: the parent must know of a rank whose events it gets. */
static void send_all(struct node *n, int64_t now)
{
	int64_t events;

	if (parent_is_up(n->parent) && n->announce) {
		n->announce = false;
		parent_announce(n->parent);
	}
	if (parent_is_up(n->parent) && n->lost_new.n)
		send_lost(n);
	if (!parent_is_up(n->parent))
		return;
	/* who reads an event has read the checksums that came before it */
	events = merge_due(n->merge);
	gather_send(n->gather, events >= 0 && events <= now ? INT64_MAX : now, send_up, n);
	if (parent_is_up(n->parent))
		merge_send(n->merge, now, send_up, n);
}

void node_tick(struct node *n, int64_t now)
{
	parent_tick(n->parent, now);
	children_tick(n->children, now);
	send_all(n, now);
}

bool node_leave(struct node *n)
{
	children_leave(n->children);
	return children_count(n->children) == 0;
}

void node_flush(struct node *n, int timeout_ms)
{
	send_all(n, INT64_MAX);
	parent_flush(n->parent, timeout_ms);
}
