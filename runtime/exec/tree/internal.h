/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way down: the sockets that children come to, and the links to those that have.
 */
#ifndef DVMDBG_RUNTIME_EXEC_TREE_INTERNAL_H
#define DVMDBG_RUNTIME_EXEC_TREE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/logical/rankset.h"
#include "common/net/net.h"
#include "runtime/exec/tree/tree.h"

struct buf;
struct children;
struct err;
struct gather;
struct link;
struct merge;
struct msg_params;
struct parent;
struct point_sums;
struct pollfd;

#define CHILDREN_STRANGERS 64 /* connections that have not said who they are */
#define CHILDREN_MAX 4096
#define CHILDREN_LOST_MS 2000 /* a supervisor that has not come back by then is lost */
#define CHILDREN_BELOW_MS \
	10000 /* those below it that have not come up elsewhere by then are, too */

struct children_ops {
	/* A message from below; -1 when it is not one that can come from there. */
	int (*message)(void *arg, unsigned type, struct buf *payload);
	/* A child has come, or come back: it needs to receive what it has missed. */
	void (*arrived)(void *arg, struct link *link);
	/* The subtree has grown. */
	void (*grown)(void *arg);
	/* The link to these is broken: what they were about to say will not come. */
	void (*broken)(void *arg, const struct rankset *ranks);
	/* These have been below us and are nowhere any more. */
	void (*lost)(void *arg, const struct rankset *ranks);
};

struct children_spec {
	uint32_t rank;
	unsigned char secret[AUTH_SECRET];
	const struct children_ops *ops; /* borrowed */
	void *arg;
};

struct children *children_create(const struct children_spec *spec);
void children_destroy(struct children *c);
/*
 * Listens where those that know `rendezvous` can come: beside its Unix-domain socket, and,
 * when it has a TCP address, on the interface that fd (our connection to it) uses. Writes the
 * addresses to out,
 * "" when there are none.
 */
void children_listen(struct children *c, const char *rendezvous, int fd, char *out, size_t size);

/* Those below us, as far as linked; without ourselves. */
int children_ranks(const struct children *c, struct rankset *out);
size_t children_count(const struct children *c);
void children_broadcast(struct children *c, unsigned type, const struct buf *payload);
void children_send(struct children *c, struct link *link, unsigned type, const struct buf *payload);
/* No new ones, and nobody is lost any more: we leave. */
void children_leave(struct children *c);

/* For poll: how many descriptors there are; fills in at most cap. hold: do not read messages now.
 */
size_t children_poll(const struct children *c, struct pollfd *fds, size_t cap, bool hold);
/* fds as children_poll has filled them. */
void children_io(struct children *c, const struct pollfd *fds, size_t n);
int64_t children_due(const struct children *c);
void children_tick(struct children *c, int64_t now);

/*
 * Checksums on their way up: what this rank and those below say of a point is merged here until all
 * of the subtree have, or for a short time. No rank's points overtake one another. Times are in
 * milliseconds of CLOCK_MONOTONIC; -1 is always "out of memory".
 */

#define GATHER_MS 20
#define GATHER_MOST 512		 /* points; with more the oldest are sent at once */
#define GATHER_BYTES (32u << 20) /* of one point, encoded; more are sent at once */

struct gather *gather_create(void);
void gather_destroy(struct gather *g); /* NULL is fine */

/* The ranks whose checksums can come: this one and all below. */
int gather_subtree(struct gather *g, const struct rankset *ranks);
/*
 * Takes t over, which is empty then; bytes: about as many as it has encoded. 1: without memory to
 * add what is in it, the point is given up for all that have passed it. -1: t has still to be sent.
 */
int gather_add(struct gather *g, struct point_sums *t, size_t bytes, int64_t now);

/* When gather_send has something to do, or -1. */
int64_t gather_due(const struct gather *g);

typedef void (*gather_send_fn)(void *arg, unsigned type, const struct buf *payload);
/* Hands what is due to send, and all that is of points before; INT64_MAX: all there is. */
void gather_send(struct gather *g, int64_t now, gather_send_fn send, void *arg);

/*
 * What goes up the tree is collected here until it is worth sending: answers of a subtree to one
 * question, and events of one kind and generation. Knows no types: a blob is a blob. Times are in
 * milliseconds of CLOCK_MONOTONIC. Copies what it keeps; -1 is always "out of memory".
 */

#define MERGE_REPLY_MS 250
#define MERGE_LATE_MS 20 /* answers after that */
#define MERGE_EVENT_MS 20
#define MERGE_BYTES (32u << 20) /* blobs of one entry; more are sent at once */
#define MERGE_REPLIES 256	/* open questions; the oldest is given up */

struct merge *merge_create(void);
void merge_destroy(struct merge *m);

/* The ranks whose events can come: this one and all below. */
int merge_subtree(struct merge *m, const struct rankset *ranks);
/* A question has come down: these ranks, of the subtree, will answer. */
int merge_expect(struct merge *m, uint32_t req, const struct rankset *ranks, int64_t now);
/* Makes fewer answers of many; 0, or -1 when out of memory, and they are as they were. */
typedef int (*groups_fold_fn)(struct groups *d);
/* Answers to that question, which is expected, are folded before they are sent on. */
void merge_fold(struct merge *m, uint32_t req, groups_fold_fn fold);
/* These will not answer any more. */
int merge_gone(struct merge *m, const struct rankset *ranks);

int merge_reply(struct merge *m, uint32_t req, const struct rankset *covered,
		const struct groups *groups, int64_t now);
/* The same, and groups moves here: it is empty then. */
int merge_take_reply(struct merge *m, uint32_t req, const struct rankset *covered,
		     struct groups *groups, int64_t now);
int merge_event(struct merge *m, unsigned kind, uint32_t gen, const struct groups *groups,
		int64_t now);

/*
 * When merge_send has something to do, or -1. What could not be sent for lack of memory is tried
 * again a little later.
 */
int64_t merge_due(const struct merge *m);

typedef void (*merge_send_fn)(void *arg, unsigned type, const struct buf *payload);
/*
 * Hands what is due to send. Events go before answers, so that who reads an answer has read the
 * events that came before it.
 */
void merge_send(struct merge *m, int64_t now, merge_send_fn send, void *arg);
/* All events that wait. -1: some still do. */
int merge_send_events(struct merge *m, merge_send_fn send, void *arg);

/*
 * The way up: the rendezvous, then the link to the parent, and when that breaks to the next
 * ancestor that answers, and last to the front end again.
 */

struct parent_ops {
	/* A message from above; -1 when it is not one that can come from there. */
	int (*message)(void *arg, unsigned type, struct buf *payload);
	void (*params)(void *arg, const struct msg_params *params);
	/* There is a link; again: there was one before, and what was under way on it may be lost.
	 */
	void (*attached)(void *arg, bool again);
	/* The front end does not want us. */
	void (*refused)(void *arg, const char *why);
	/* There is no front end any more. */
	void (*abandoned)(void *arg);
};

struct parent_spec {
	uint32_t rank, size;
	const char *rendezvous; /* borrowed */
	unsigned char secret[AUTH_SECRET];
	const struct parent_ops *ops; /* borrowed */
	void *arg;
	const struct rankset *subtree; /* borrowed: itself and all below, always as it is now */
};

/* Connects to the rendezvous, waiting at most a few seconds. */
struct parent *parent_create(const struct parent_spec *spec, struct err *err);
void parent_destroy(struct parent *p);
/* Introduces itself. listen: own addresses for children, "" for none; copied. */
int parent_join(struct parent *p, const char *listen, struct err *err);

/* Messages can be sent. */
bool parent_is_up(const struct parent *p);
int parent_send(struct parent *p, unsigned type, const struct buf *payload);
/* Informs the parent that the subtree is another now. -1: it could not. */
int parent_announce(struct parent *p);
/* Gives the link up and makes another: who is above sends once more what holds. */
void parent_again(struct parent *p, const char *why);
size_t parent_pending(const struct parent *p);
int parent_flush(struct parent *p, int timeout_ms);
/* Gives up for good: closes, and stays closed. */
void parent_close(struct parent *p);

/* For poll; fd -1 when there is nothing to wait for. */
int parent_fd(const struct parent *p);
short parent_events(const struct parent *p);
void parent_io(struct parent *p, short revents);
/* When parent_tick has something to do, in milliseconds of CLOCK_MONOTONIC, or -1. */
int64_t parent_due(const struct parent *p);
void parent_tick(struct parent *p, int64_t now);

/*
 * What a node that was away for a while must receive when it comes back: the orders that still
 * hold.
 */

#define REPLAY_ORDERS 64

struct replay_order {
	unsigned type; /* MSG_GO or MSG_KILL */
	struct rankset who;
	bool whole; /* who are all; else there was no memory for more */
	struct buf payload;
};

/* Zeroed: nothing. */
struct replay {
	struct buf params, rules, trace, verdict;
	struct replay_order order[REPLAY_ORDERS];
	size_t n;
	bool gaps; /* something is missing, for lack of memory: it must be asked for again */
};

void replay_clear(struct replay *r);
/* Keep copies. True when the rules are others than before. */
void replay_params(struct replay *r, const struct buf *payload);
bool replay_rules(struct replay *r, const struct buf *payload);
void replay_trace(struct replay *r, const struct buf *payload);
void replay_verdict(struct replay *r, const struct buf *payload);
/* These rules were not obeyed: the same ones are others when they come again. */
void replay_forget_rules(struct replay *r);
/* An order takes the place of those of its type that were for the same ranks or fewer. */
void replay_order(struct replay *r, unsigned type, const struct rankset *who,
		  const struct buf *payload);
typedef void (*replay_fn)(void *arg, unsigned type, const struct buf *payload);
void replay_each(const struct replay *r, replay_fn fn, void *arg);

#endif
