/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside of match: goes through the events of all ranks in an order that they can have had, with a
 * clock for each rank: how many events of each other rank have certainly come before.
 */
#ifndef DVMDBG_FRONTEND_MATCH_REPLAY_H
#define DVMDBG_FRONTEND_MATCH_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/mpistate/agree.h"

/* One rank. */
struct replay_rank {
	const struct agree_race *log; /* borrowed */
	uint32_t at;	  /* events so far */
	uint32_t access;  /* accesses so far */
	uint32_t *clock;  /* owned; of each rank, how many events */
	bool arrived;	  /* it has contributed to the collective at `at` */
	bool lost;	  /* what comes later is not known to come later */
};

struct replay;

/* What is done on the way. */
struct replay_ops {
	/* The rank makes that access, before its event `at`. */
	void (*access)(void *arg, uint32_t rank, const struct mpistate_access *a);
	/* The rank comes to that event, its number `at`; of a collective, before others pass it. */
	void (*event)(void *arg, uint32_t rank, const struct mpistate_event *e);
	/* All ranks have come to one collective. */
	void (*together)(void *arg);
};

struct replay *replay_create(const struct agree_race *const *log, uint32_t n,
			     const struct replay_ops *ops, void *arg);
void replay_destroy(struct replay *r);
void replay_run(struct replay *r);
const struct replay_rank *replay_rank(const struct replay *r, uint32_t rank);

#endif
