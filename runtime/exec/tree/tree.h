/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node of the tree: passes orders down to its rank and its children, and what they say, merged,
 * up. Knows nothing of programs: the rank's own part is behind node_ops.
 */
#ifndef DVMDBG_RUNTIME_EXEC_TREE_TREE_H
#define DVMDBG_RUNTIME_EXEC_TREE_TREE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/net/net.h"

struct buf;
struct err;
struct msg_params;
struct msg_query;
struct msg_rules;
struct msg_trace;
struct msg_verdict;
struct node;
struct plan;
struct point;
struct point_sums;

/* Orders for this rank, whoever else they are for. */
struct node_ops {
	void (*params)(void *arg, const struct msg_params *params);
	/* -1: out of memory; they come once more. */
	int (*rules)(void *arg, const struct msg_rules *rules);
	void (*go)(void *arg, const struct plan *plan);
	/* A plan that is for others only. */
	void (*go_others)(void *arg, const struct plan *plan);
	/* To be answered by node_reply, at once. */
	void (*freeze)(void *arg, uint32_t req);
	void (*query)(void *arg, const struct msg_query *q);
	void (*kill)(void *arg, bool final);
	void (*verdict)(void *arg, const struct msg_verdict *m);
	void (*trace)(void *arg, const struct msg_trace *m);
	/* Report the present state by node_event. */
	void (*resync)(void *arg);
	/* The front end refuses us; it is gone. */
	void (*refused)(void *arg, const char *why);
	void (*abandoned)(void *arg);
};

struct node_spec {
	uint32_t rank, size;	/* size 0: not known */
	const char *rendezvous; /* borrowed */
	unsigned char secret[AUTH_SECRET];
	const struct node_ops *ops; /* borrowed */
	void *arg;
};

/* Connects to the front end and introduces itself; takes a few seconds at most. */
struct node *node_create(const struct node_spec *spec, struct err *err);
void node_destroy(struct node *n);

/*
 * What this rank has to say. The blob is copied. One that is bad, for lack of memory, becomes an
 * answer without content; an event is lost then (-1), and resync is called a little later.
 */
void node_reply(struct node *n, uint32_t req, const struct buf *blob);
int node_event(struct node *n, unsigned kind, uint32_t gen, const struct buf *blob);
/* Takes t over; bytes: about as many as it has encoded. Goes up before events that come after it.
 */
void node_sums(struct node *n, struct point_sums *t, size_t bytes);
/* There was no memory for the sums of that point of this rank. */
void node_sums_lost(struct node *n, const struct point *p, unsigned kind);
/* While the way up is blocked, checksums are to stay where they are. */
bool node_is_blocked(const struct node *n);

/* How many entries of fds node_poll can need. */
size_t node_fds(const struct node *n);
size_t node_poll(const struct node *n, struct pollfd *fds, size_t cap);
void node_io(struct node *n, const struct pollfd *fds, size_t nfds);
/* When node_tick has something to do, in milliseconds of CLOCK_MONOTONIC, or -1. Call it after
 * node_io too. */
int64_t node_due(const struct node *n);
void node_tick(struct node *n, int64_t now);

/* Takes in nobody any more; true once nobody is below. */
bool node_leave(struct node *n);
/* Sends all that waits, for at most timeout_ms. */
void node_flush(struct node *n, int timeout_ms);

#endif
