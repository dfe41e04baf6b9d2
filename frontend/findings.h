/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was found wrong in the program, newest run last. Owns copies of all texts.
 */
#ifndef DVMDBG_FRONTEND_FINDINGS_H
#define DVMDBG_FRONTEND_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "common/finding.h"
#include "common/rankset.h"

struct findings;

struct findings *findings_create(void);
void findings_destroy(struct findings *f);
/* A new run begins; what is added from now on belongs to it. */
void findings_new_run(struct findings *f);
/*
 * Keeps a finding; where is its position as text ("heat.c:61"). An equal one of this run only gets
 * more ranks. Returns true when it was not known.
 */
bool findings_add(struct findings *f, const struct rankset *ranks, const struct report_finding *r,
		  const char *where);
/* All findings of the session. */
size_t findings_count(const struct findings *f);
/* {"type": "finding", …} of one as the last added, and {"type": "findings", "list": […]} of the
 * newest run or all. */
json_t *findings_one(const struct rankset *ranks, const struct report_finding *r,
		     const char *where);
json_t *findings_list(const struct findings *f, bool all_runs);

#endif
