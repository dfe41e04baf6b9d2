/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job without ranks, in place of job.c and of what session.c and entity.c do with it: sets and
 * answers are what a test puts in, calls are written down.
 */
#ifndef DVMDBG_TESTS_FAKE_JOB_H
#define DVMDBG_TESTS_FAKE_JOB_H

#include <stddef.h>

#include "common/core/buf.h"
#include "frontend/job/job.h"
#include "frontend/session/session.h"

/* A session with four ranks, all stopped; what it prints goes to *text, which fake_end frees. */
struct session *fake_begin(char **text, bool json);
void fake_end(struct session *s);
/* What was printed since the last call, in *text. */
const char *fake_printed(void);
/* Moves ranks ("0:2") to a state. */
void fake_state(const char *ranks, enum job_set set);
/* What ranks answer to a query of this kind about name (NULL: any); empties b. */
void fake_answer(enum query_kind kind, const char *name, const char *ranks, struct buf *b);
void fake_forget(void);
/* "go [0:3] 1 4;" and the like: mode and n of plans, halts, kills, rules, loads since the last
 * call. */
const char *fake_calls(void);

#endif
