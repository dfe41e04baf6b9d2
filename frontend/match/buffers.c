/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Buffers that are used before their call is complete, as each rank has found them by itself.
 */
#include "frontend/match/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/finding_kind.h"
#include "frontend/job/job.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

/* One text, of all ranks that have found it. */
struct clash {
	struct report_finding f;
	struct rankset ranks; /* owned */
	char *text;	      /* owned */
};

struct clashes {
	struct clash *item; /* owned */
	size_t n;
};

static void add(struct match *m, struct clashes *all, const struct agree_clash *x,
		const struct rankset *ranks)
{
	struct match_line l = { .n = 0 };
	bool program = x->by >= MPISTATE_CALLS;
	struct clash *c = NULL;

	match_put(&l, "%s %s the buffer (argument %u) of %s",
		  program ? "the program" : mpistate_call_name(x->by),
		  x->by_writes ? "writes" : "reads", x->arg, mpistate_call_name(x->call));
	match_put_place(m, &l, &x->place);
	match_put(&l, ", which MPI %s until that is complete", x->writes ? "writes" : "reads");
	for (size_t i = 0; i < all->n && !c; i++)
		if (!strcmp(all->item[i].text, l.text) &&
		    place_equal(&all->item[i].f.place, &x->by_place))
			c = &all->item[i];
	if (!c) {
		c = xvec_add(all->item, all->n);
		c->f = (struct report_finding){ .kind = FINDING_BUFFER, .place = x->by_place };
		c->text = xstrdup(l.text);
	}
	xrankset_add_set(&c->ranks, ranks);
}

static void give_all(struct match *m, struct clashes *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct clash *c = &all->item[i];

		c->f.detail = c->text;
		m->found(m->arg, &c->ranks, &c->f);
		rankset_clear(&c->ranks);
		free(c->text);
	}
	free(all->item);
}

bool match_buffers(struct match *m)
{
	struct msg_query q = { .kind = QUERY_AGREE, .rank = MPISTATE_AGREE_CLASHES };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	struct clashes all = { .n = 0 };
	bool accesses = false, asked;

	asked = !ask(m->s, &q, job_set(m->s->job, JOB_ALL), &answers, &silent, NULL);
	for (size_t i = 0; asked && i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
		struct agree_clashes l;

		if (agree_clashes_get(&l, &b))
			continue;
		accesses |= l.accesses;
		for (uint32_t k = 0; k < l.n; k++)
			add(m, &all, &l.clash[k], &answers.group[i].ranks);
		agree_clashes_clear(&l);
	}
	asked &= !silent.n;
	/* places are texts of the answers */
	give_all(m, &all);
	groups_clear(&answers);
	rankset_clear(&silent);
	return asked && accesses;
}
