/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checksums of one rank: from its queue to the node, and verdicts the other way.
 */
#ifndef DVMDBG_EXEC_SUMS_H
#define DVMDBG_EXEC_SUMS_H

#include <stdbool.h>

struct control;
struct msg_verdict;

/*
 * Hands on what is in the queue, while the way up is free; all: in any case, as something is
 * reported next that must not overtake it.
 */
void control_sums(struct control *c, bool all);
/* There may be more to hand on at once. */
bool control_sums_left(const struct control *c);
void control_verdict(struct control *c, const struct msg_verdict *m);
/* The link up is another: what was reported last may be lost, and who holds would wait for ever. */
void control_sums_resync(struct control *c);
/* Whoever holds goes on, now and later. */
void control_sums_release(struct control *c);

#endif
