/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DVMDBG_FRONTEND_MATCH_INTERNAL_H
#define DVMDBG_FRONTEND_MATCH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/mpistate/agree.h"
#include "frontend/match/match.h"

struct rankset;

struct match {
	struct session *s;
	match_found *found;
	void *arg;
};

void match_collectives(struct match *m);
/* For a job in which nothing runs. */
void match_messages(struct match *m);
void match_truncated(struct match *m);
/* Buffers that are shorter than what calls use of them. */
void match_extents(struct match *m);
/* Whether there are accesses to windows, which can be compared then. */
bool match_buffers(struct match *m);
void match_conflicts(struct match *m);

/* A text that grows; what does not fit is cut. */
struct match_line {
	char text[900];
	size_t n;
};
void match_put(struct match_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "10 integers of 4 bytes"; "integers of 4 bytes". */
void match_put_data(struct match_line *l, const struct mpistate_sig *s);
void match_put_base(struct match_line *l, uint32_t base);
/* " at f.c:12", nothing when that is not known. */
void match_put_place(struct match *m, struct match_line *l, const struct place *place);
void match_put_ranks(struct match_line *l, const struct rankset *ranks);
/* "MPI_SUM", as in struct agree_one. */
const char *match_op(uint32_t op);

#endif
