/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Buffers that are variables of the program, and shorter than what calls use of them. What lies in
 * blocks of malloc's the ranks have looked at themselves.
 */
#include "frontend/match/internal.h"

#include <stdlib.h>
#include <strings.h>

#include "common/core/buf.h"
#include "common/protocol/finding_kind.h"
#include "frontend/job/job.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/symbols/symbols.h"

/* In Fortran MPI_IN_PLACE and the like are variables. */
static bool is_of_mpi(const char *name)
{
	return !strncasecmp(name, "mpi", 3);
}

static void look(struct match *m, const struct agree_extent *e, const struct rankset *ranks)
{
	struct report_finding f = { .kind = FINDING_MISUSE, .place = e->place };
	struct symbols *s = m->s->symbols;
	struct match_line l = { .n = 0 };
	char name[200] = "";
	uint64_t left;

	if (!e->place.module[0])
		return;
	left = symbols_local_room(s, e->place.module, e->place.vaddr, e->from_sp, e->from_bp, name,
				  sizeof(name));
	if (!left)
		left = symbols_data_room(s, e->place.module, e->vaddr, name, sizeof(name));
	if (!left || left >= e->bytes || is_of_mpi(name))
		return;
	match_put(&l, "%s: the buffer (argument %u), %s, has %llu byte%s, and %llu are %s",
		  mpistate_call_name(e->call), e->arg, name, (unsigned long long)left,
		  left == 1 ? "" : "s", (unsigned long long)e->bytes,
		  e->writes ? "written" : "read");
	f.detail = l.text;
	m->found(m->arg, ranks, &f);
}

void match_extents(struct match *m)
{
	struct msg_query q = { .kind = QUERY_AGREE, .rank = MPISTATE_AGREE_EXTENTS };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };

	if (ask(m->s, &q, job_set(m->s->job, JOB_ALL), &answers, &silent, NULL))
		return;
	for (size_t i = 0; i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
		struct agree_extents l;

		if (agree_extents_get(&l, &b))
			continue;
		for (uint32_t k = 0; k < l.n; k++)
			look(m, &l.extent[k], &answers.group[i].ranks);
		agree_extents_clear(&l);
	}
	groups_clear(&answers);
	rankset_clear(&silent);
}
