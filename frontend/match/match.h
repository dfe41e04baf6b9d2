/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of MPI that do not fit to those of other ranks, where MPI itself may say nothing.
 */
#ifndef DVMDBG_FRONTEND_MATCH_MATCH_H
#define DVMDBG_FRONTEND_MATCH_MATCH_H

struct rankset;
struct report_finding;
struct session;

typedef void match_found(void *arg, const struct rankset *ranks, const struct report_finding *f);

/*
 * Asks the ranks of the session's job, also those that have ended, and gives found what does not
 * fit in all that they have called so far; again what it has found before.
 */
void match_check(struct session *s, match_found *found, void *arg);

#endif
