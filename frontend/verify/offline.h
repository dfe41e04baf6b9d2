/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs that are over, compared by what was recorded of them: no program runs.
 */
#ifndef DVMDBG_FRONTEND_CHECKER_APART_H
#define DVMDBG_FRONTEND_CHECKER_APART_H

#include <stdbool.h>

struct err;
struct session;

/*
 * Compares the checksums and the traces of one directory, whose findings are reported as those of a
 * new run, with those of another: what both have. Raises the session's status. -1: err, nothing
 * could be compared.
 */
int checker_compare_offline(struct session *s, const char *run, const char *reference,
			  struct err *err);
/* The traces alone, as answers; numbered: as findings of the session. */
int checker_traces_offline(struct session *s, const char *run, const char *reference, bool numbered,
			 struct err *err);

#endif
