/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Barriers: who has come is held until all have, but nobody waits for those that can come no more.
 */
#include "frontend/action/internal.h"

#include <stdio.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/model/ask.h"
#include "frontend/output/output.h"
#include "frontend/util/xrankset.h"

/* Members that can never come: ended, lost, or about to die. */
static void gone_of(const struct action *a, const struct rankset *members, struct rankset *out)
{
	const struct job *j = a->s->job;

	xrankset_copy(out, job_set(j, JOB_EXITED));
	xrankset_add_set(out, job_set(j, JOB_LOST));
	xrankset_add_set(out, job_set(j, JOB_BAD));
	xrankset_intersect(out, members);
}

/* Who is still to come, and who will not. */
static int missing_of(const struct action *a, const struct actionpoint *ap,
		      const struct rankset *arrived, struct rankset *missing, struct rankset *gone)
{
	if (action_trigger(a, ap, missing))
		return -1;
	gone_of(a, missing, gone);
	xrankset_remove_set(gone, arrived);
	xrankset_remove_set(missing, arrived);
	xrankset_remove_set(missing, gone);
	return 0;
}

static void hold_those_left(struct action *a)
{
	rankset_clear(&a->held);
	for (size_t i = 0; i < a->arrived.n; i++)
		xrankset_add_set(&a->held, &a->arrived.list[i].ranks);
}

void action_arrive(struct action *a, const struct actionpoint *ap, struct action_stop *stop)
{
	struct rankset part = { 0 };

	if (!action_trigger(a, ap, &part)) {
		xrankset_intersect(&part, &stop->ranks);
		if (part.n) {
			action_mark_add(&a->arrived, ap->rule.id, NULL, &part);
			xrankset_add_set(&a->held, &part);
			xrankset_add_set(&stop->real, &part);
		}
	}
	rankset_clear(&part);
}

static void report(struct action *a, const struct actionpoint *ap, const struct action_mark *x,
		   const struct rankset *gone)
{
	json_t *o =
		json_pack("{s:s s:I s:s s:o}", "type", "barrier", "id", (json_int_t)x->id, "state",
			  ap ? "satisfied" : "released", "ranks", ask_ranks(&x->ranks));

	if (ap)
		json_object_set_new(o, "location", out_json_text(ap->text));
	if (gone->n)
		json_object_set_new(o, "gone", ask_ranks(gone));
	out_answer(a->s->out, o);
}

/* Lets go whom this barrier holds, if it is satisfied, or no more; false: it still holds them. */
static bool let_go(struct action *a, struct action_mark *x)
{
	struct actionpoint *ap = actionpoints_find(a->s->acts, x->id);
	struct rankset missing = { 0 }, gone = { 0 };
	bool on = ap && ap->enabled && ap->kind == ACT_BARRIER, holds;

	holds = on && !missing_of(a, ap, &x->ranks, &missing, &gone) && missing.n;
	if (!holds) {
		xrankset_intersect(&x->ranks, job_set(a->s->job, JOB_STOPPED));
		if (x->ranks.n)
			report(a, on ? ap : NULL, x, &gone);
		if (on) {
			xrankset_add_set(&a->shown, &x->ranks);
			if (ap->stop)
				action_stop_others(a, ap);
		}
		action_marks_drop(&a->arrived, x);
	}
	rankset_clear(&missing);
	rankset_clear(&gone);
	return !holds;
}

void action_barriers(struct action *a)
{
	const struct job *j = a->s->job;
	struct rankset away = { 0 };
	size_t n = a->arrived.n;

	/* whoever was killed at a barrier holds nobody up */
	if (n) {
		xrankset_copy(&away, job_set(j, JOB_EXITED));
		xrankset_add_set(&away, job_set(j, JOB_LOST));
		action_marks_remove(&a->arrived, &away);
	}
	rankset_clear(&away);
	for (size_t i = a->arrived.n; i--;)
		let_go(a, &a->arrived.list[i]);
	if (n)
		hold_those_left(a);
}

bool action_held_words(const struct action *a, const struct rankset *who, char *out, size_t size)
{
	bool found = false;

	for (size_t i = 0; a && i < a->arrived.n && !found; i++) {
		const struct action_mark *x = &a->arrived.list[i];
		const struct actionpoint *ap = actionpoints_find(a->s->acts, x->id);
		struct rankset part = { 0 }, missing = { 0 }, gone = { 0 };
		char here[80], there[80];

		found = ap && !rankset_copy(&part, who) && !rankset_intersect(&part, &x->ranks) &&
			part.n && !missing_of(a, ap, &x->ranks, &missing, &gone);
		if (found)
			snprintf(out, size,
				 "%s: held at barrier %u, which waits for %s; delete %u releases "
				 "them",
				 rankset_format(&part, here, sizeof(here)), x->id,
				 rankset_format(&missing, there, sizeof(there)), x->id);
		rankset_clear(&part);
		rankset_clear(&missing);
		rankset_clear(&gone);
	}
	return found;
}

void action_describe(const struct action *a, const struct actionpoint *ap, json_t *o)
{
	const struct action_mark *x = a ? action_mark_find(&a->arrived, ap->rule.id, NULL) : NULL;
	struct rankset missing = { 0 }, gone = { 0 };

	if (!x || missing_of(a, ap, &x->ranks, &missing, &gone))
		return;
	json_object_set_new(o, "held", ask_ranks(&x->ranks));
	json_object_set_new(o, "missing", ask_ranks(&missing));
	rankset_clear(&missing);
	rankset_clear(&gone);
}
