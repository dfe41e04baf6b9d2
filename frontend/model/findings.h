/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was found wrong in the program, newest run last. Owns copies of all texts.
 */
#ifndef DVMDBG_FRONTEND_FINDINGS_H
#define DVMDBG_FRONTEND_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/array/array.h"
#include "common/protocol/finding_kind.h"
#include "common/logical/point.h"
#include "common/logical/rankset.h"
#include "common/protocol/report.h"

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
/* How a finding of a comparison of traces can be come to again. */
struct findings_goal {
	struct point point; /* the last one passed before it */
	uint32_t rank;
	uint8_t nidx; /* of the iteration; 0: none */
	int64_t index[ARRAY_DIMS];
	struct place place; /* owned by the findings; of the loop or task, file NULL: not known */
};
/*
 * One that is known by a key (n bytes) in its run: it takes the place of what was said of it
 * before. more is taken over: members of its answer beside those of findings_one. Returns its
 * number, *fresh: it was not known.
 */
size_t findings_put(struct findings *f, const void *key, size_t n, const struct rankset *ranks,
		    const struct report_finding *r, const char *where,
		    const struct findings_goal *goal, json_t *more, bool *fresh);
/* All findings of the session; they have numbers from 1, in the order in which they were made. */
size_t findings_count(const struct findings *f);
/* Where number n is: false: there is none. Texts are borrowed. */
bool findings_goal(const struct findings *f, size_t n, struct findings_goal *out);
/* The answer of number n, as findings_one, with all that is known of it. */
json_t *findings_get(const struct findings *f, size_t n);
/* {"type": "finding", …} of one as the last added, and {"type": "findings", "list": […]} of the
 * newest run or all. */
json_t *findings_one(const struct rankset *ranks, const struct report_finding *r,
		     const char *where);
json_t *findings_list(const struct findings *f, bool all_runs);
/* Whether lists have findings of the kind leak. */
void findings_show_leaks(struct findings *f, bool on);

#endif
