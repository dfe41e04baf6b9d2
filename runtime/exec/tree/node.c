/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/tree/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/reduce.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "common/protocol/msg.h"
#include "common/protocol/point_sums.h"
#include "common/logical/tree.h"
#include "runtime/exec/tree/internal.h"
#include "runtime/exec/sys/clock.h"
#include "runtime/exec/sys/link.h"
#include "runtime/exec/sys/listen.h"

#define NODE_LISTEN 2048 /* text of all own addresses */
#define NODE_SPARE 4096	 /* bytes of a message that can be made without memory */
#define NODE_AGAIN_MS 100 /* until something is tried again that there was no memory for */

struct node {
	struct node_spec spec;
	struct parent *parent;
	struct children *children;
	struct merge *merge;
	struct gather *gather;
	struct replay replay;
	struct rankset self, subtree;
	struct rankset lost;	 /* all that have been below us and are nowhere */
	struct rankset lost_new; /* of these, what the parent does not know of */
	bool announce;		 /* the parent does not know how the subtree has grown */
	struct buf spare;	 /* has room, for when there is no memory */
	bool short_of_memory;	 /* that was said */
	int64_t again;		 /* when to report all of this rank once more, 0: never */
	int64_t changed;	 /* when to look who is below once more, 0: never */
};

/* What was to be done could not be, or not as it should. */
static void no_memory(struct node *n)
{
	if (!n->short_of_memory)
		fprintf(stderr,
			"dvmdbg-exec: rank %u has run out of memory; some of its answers and "
			"reports "
			"can be missing\n",
			n->spec.rank);
	n->short_of_memory = true;
	log_debug("tree", "out of memory");
}

static void subtree_changed(struct node *n)
{
	struct rankset now = { 0 };

	n->changed = 0;
	if (rankset_copy(&now, &n->self) || children_ranks(n->children, &now) ||
	    merge_subtree(n->merge, &now) || gather_subtree(n->gather, &now)) {
		no_memory(n);
		rankset_clear(&now);
		n->changed = clock_msec() + NODE_AGAIN_MS;
		return;
	}
	rankset_clear(&n->subtree);
	n->subtree = now;
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
	int ret = 0;

	if (msg_rules_get(&m, b))
		return -1;
	children_broadcast(n->children, MSG_RULES, raw);
	/* reported again by a parent that could not know better: counts of hits shall not begin
	 * again */
	if (replay_rules(&n->replay, raw) && n->spec.ops->rules(n->spec.arg, &m)) {
		replay_forget_rules(&n->replay);
		errno = ENOMEM;
		ret = -1;
	}
	msg_rules_clear(&m);
	return ret;
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
		if (m.kind == QUERY_BINS)
			merge_fold(n->merge, m.req, bins_fold);
		else if (m.kind == QUERY_REDUCE)
			merge_fold(n->merge, m.req, reduce_fold);
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

/*
 * An order that there is no memory to read. A question is answered without content, by those below
 * when they cannot either; other orders come once more when the link up is rebuilt.
 */
static int take_unread(struct node *n, unsigned type, const struct buf *raw)
{
	struct buf b = buf_view(raw->data, raw->len), nothing = { .bad = true };
	uint32_t req;

	no_memory(n);
	if (type != MSG_QUERY && type != MSG_FREEZE)
		return -1;
	children_broadcast(n->children, type, raw);
	req = buf_get_u32(&b);
	if (type == MSG_QUERY)
		buf_get_u8(&b);
	if (rankset_inspect(&b, n->spec.rank))
		node_reply(n, req, &nothing);
	return 0;
}

static int from_parent(void *arg, unsigned type, struct buf *payload)
{
	struct node *n = arg;
	struct buf raw = buf_view(payload->data, payload->len);

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (orders[i].type != type)
			continue;
		errno = 0;
		if (orders[i].take(n, payload, &raw) == 0)
			return 0;
		return errno == ENOMEM ? take_unread(n, type, &raw) : -1;
	}
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
	/* all that holds comes once more */
	n->replay.gaps = false;
	rankset_clear(&n->lost_new);
	if (rankset_copy(&n->lost_new, &n->lost))
		no_memory(n);
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

static void send_up(void *arg, unsigned type, const struct buf *payload)
{
	struct node *n = arg;

	parent_send(n->parent, type, payload);
}

/* The message in spare, which is empty then. -1: it was not sent. */
static int send_spare(struct node *n, unsigned type)
{
	int rc = n->spare.bad ? -1 : parent_send(n->parent, type, &n->spare);

	buf_reset(&n->spare);
	return rc;
}

/* All that came before. -1: some of it still waits. */
static int send_former(struct node *n)
{
	if (!parent_is_up(n->parent))
		return -1;
	gather_send(n->gather, INT64_MAX, send_up, n);
	return gather_due(n->gather) < 0 && !merge_send_events(n->merge, send_up, n) ? 0 : -1;
}

/* A message goes up as it came. -1: it cannot, and is to come once more. */
static int pass_on(struct node *n, unsigned type, const struct buf *raw)
{
	no_memory(n);
	if (send_former(n) && type != MSG_REPLY)
		return -1;
	parent_send(n->parent, type, raw);
	return 0;
}

static int take_reply(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_reply m = { 0 };
	int ret = msg_reply_get(&m, b);

	if (ret == 0 && merge_take_reply(n->merge, m.req, &m.covered, &m.groups, clock_msec()))
		ret = pass_on(n, MSG_REPLY, raw);
	msg_reply_clear(&m);
	return ret;
}

static int take_event(struct node *n, struct buf *b, const struct buf *raw)
{
	struct msg_event m = { 0 };
	int ret = msg_event_get(&m, b);

	if (ret == 0 && merge_event(n->merge, m.kind, m.gen, &m.groups, clock_msec()))
		ret = pass_on(n, MSG_EVENT, raw);
	msg_event_clear(&m);
	return ret;
}

static int take_sums(struct node *n, struct buf *b, const struct buf *raw)
{
	size_t bytes = buf_left(b);
	struct point_sums t;

	(void)raw;
	if (point_sums_get(&t, b, NULL))
		return -1;
	node_sums(n, &t, bytes);
	return 0;
}

static const struct {
	unsigned type;
	int (*take)(struct node *n, struct buf *b, const struct buf *raw);
} reports[] = { { MSG_REPLY, take_reply }, { MSG_EVENT, take_event }, { MSG_SUMS, take_sums } };

static int take_report(struct node *n, unsigned type, struct buf *payload)
{
	struct buf raw = buf_view(payload->data, payload->len);

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		if (reports[i].type != type)
			continue;
		errno = 0;
		if (reports[i].take(n, payload, &raw) == 0)
			return 0;
		return errno == ENOMEM ? pass_on(n, type, &raw) : -1;
	}
	return -1;
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
	int ret = take_report(n, type, payload);

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
	/* what is missing comes from above, when the link there is rebuilt */
	if (to.n->replay.gaps)
		parent_again(to.n->parent, "orders have been lost for lack of memory");
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
	if (rankset_add_set(&n->lost, ranks) || rankset_add_set(&n->lost_new, ranks)) {
		no_memory(n);
		rankset_put(ranks, &n->spare);
		send_spare(n, MSG_LOST);
	}
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
		static const unsigned char room[NODE_SPARE];

		buf_put_raw(&n->spare, room, sizeof(room));
		n->spare.len = 0;
		n->spec = *spec;
		n->merge = merge_create();
		n->gather = gather_create();
		n->children = children_create(&down);
	}
	if (!n || !n->merge || !n->gather || !n->children || n->spare.bad ||
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
	buf_clear(&n->spare);
	free(n);
}

/* What this rank says, borrowed. Merging copies. */
static struct rank_group own_group(const struct node *n, const struct buf *blob)
{
	return (struct rank_group){ .ranks = n->self, .blob = blob->data, .len = blob->len };
}

void node_reply(struct node *n, uint32_t req, const struct buf *blob)
{
	struct rank_group own = own_group(n, blob);
	struct msg_reply m = { .req = req,
			       .covered = n->self,
			       .groups = { .group = &own, .n = !blob->bad } };

	if (blob->bad)
		no_memory(n);
	if (merge_reply(n->merge, req, &m.covered, &m.groups, clock_msec()) == 0)
		return;
	no_memory(n);
	send_former(n);
	msg_reply_put(&m, &n->spare);
	if (send_spare(n, MSG_REPLY) == 0)
		return;
	m.groups.n = 0;
	msg_reply_put(&m, &n->spare);
	send_spare(n, MSG_REPLY);
}

int node_event(struct node *n, unsigned kind, uint32_t gen, const struct buf *blob)
{
	struct rank_group own = own_group(n, blob);
	struct msg_event m = { .kind = (uint8_t)kind,
			       .gen = gen,
			       .groups = { .group = &own, .n = 1 } };

	if (!blob->bad && merge_event(n->merge, kind, gen, &m.groups, clock_msec()) == 0)
		return 0;
	no_memory(n);
	if (!blob->bad && send_former(n) == 0) {
		msg_event_put(&m, &n->spare);
		if (send_spare(n, MSG_EVENT) == 0)
			return 0;
	}
	n->again = clock_msec() + NODE_AGAIN_MS;
	return -1;
}

/* Without memory to add it to others. */
static void send_sums(struct node *n, struct point_sums *t)
{
	no_memory(n);
	send_former(n);
	point_sums_put(t, &n->spare);
	if (send_spare(n, MSG_SUMS) == 0)
		return;
	point_sums_give_up(t);
	point_sums_put(t, &n->spare);
	send_spare(n, MSG_SUMS);
}

void node_sums_lost(struct node *n, const struct point *p, unsigned kind)
{
	/* borrowed */
	struct point_sums t = {
		.point = *p, .kind = (uint8_t)kind, .passed = n->self, .dropped = n->self
	};

	no_memory(n);
	send_former(n);
	point_sums_put(&t, &n->spare);
	send_spare(n, MSG_SUMS);
}

void node_sums(struct node *n, struct point_sums *t, size_t bytes)
{
	int rc = gather_add(n->gather, t, bytes, clock_msec());

	if (rc > 0)
		no_memory(n);
	else if (rc < 0)
		send_sums(n, t);
	point_sums_clear(t);
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

	due = clock_earlier(due, n->again ? n->again : -1);
	due = clock_earlier(due, n->changed ? n->changed : -1);
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

/* News of who is below first: the parent must know of a rank whose events it gets. */
static void send_all(struct node *n, int64_t now)
{
	int64_t events;

	if (parent_is_up(n->parent) && n->announce) {
		n->announce = false;
		if (parent_announce(n->parent)) {
			no_memory(n);
			n->changed = clock_msec() + NODE_AGAIN_MS;
		}
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
	if (n->changed && now >= n->changed) {
		subtree_changed(n);
		n->announce = true;
	}
	if (n->again && now >= n->again) {
		n->again = 0;
		n->spec.ops->resync(n->spec.arg);
	}
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
