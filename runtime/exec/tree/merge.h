/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes up the tree is collected here until it is worth sending: answers of a subtree to one
 * question, and events of one kind and generation. Knows no types: a blob is a blob. Times are in
 * milliseconds of CLOCK_MONOTONIC. Copies what it keeps; -1 is always "out of memory".
 */
#ifndef DVMDBG_EXEC_MERGE_H
#define DVMDBG_EXEC_MERGE_H

#include <stdint.h>

#include "common/logical/groups.h"
#include "common/logical/rankset.h"

struct buf;
struct merge;

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
int merge_event(struct merge *m, unsigned kind, uint32_t gen, const struct groups *groups,
		int64_t now);

/*
 * When merge_send has something to do, or -1. What could not be sent for lack of memory is tried again
 * a little later.
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

#endif
