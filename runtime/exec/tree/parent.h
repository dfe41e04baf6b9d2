/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way up: the rendezvous, then the link to the parent, and when that breaks to the next
 * ancestor that answers, and last to the front end again.
 */
#ifndef DVMDBG_EXEC_PARENT_H
#define DVMDBG_EXEC_PARENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/net/auth.h"
#include "common/logical/rankset.h"

struct buf;
struct err;
struct msg_params;
struct parent;

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

#endif
