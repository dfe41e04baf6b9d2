/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a node that was away for a while must receive when it comes back: the orders that still
 * hold.
 */
#ifndef DVMDBG_EXEC_REPLAY_H
#define DVMDBG_EXEC_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/core/buf.h"
#include "common/logical/rankset.h"

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
