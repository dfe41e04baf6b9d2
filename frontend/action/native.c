/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches of what the program has not registered: variables, and places in memory that expressions
 * come to. Each rank finds out once where it is, and keeps that.
 */
#include "frontend/action/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "frontend/data/fetch.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

static void stopped_of(struct session *s, const struct rankset *who, struct rankset *out)
{
	xrankset_copy(out, who);
	xrankset_intersect(out, job_set(s->job, JOB_STOPPED));
}

/* "cells[2].v[0:3]" without what its subscripts say, "cells[].v": names_element puts indices there.
 */
static void put_name(const char *text, char *out, size_t size)
{
	size_t n = 0, depth = 0;

	for (; *text && n + 2 < size; text++) {
		bool opens = *text == '[' || *text == '(', closes = *text == ']' || *text == ')';

		if (closes && !--depth && strpbrk(text, ".>%")) {
			out[n++] = '[';
			out[n++] = ']';
		}
		depth += opens;
		if (!depth && !closes && *text != ' ')
			out[n++] = *text;
	}
	out[n] = '\0';
}

/* What subscripts say of a name; where they are no numbers, the text names the elements. */
static void name_elements(struct session *s, const char *text, const struct expr *e,
			  const struct rankset *who, struct watch *w)
{
	struct fetch f = { .s = s, .who = who, .limit = FETCH_MOST };
	struct expr_scope scope = s->expressions(&f);
	struct section sec = { 0 };
	bool simple = e->kind == EXPR_NAME && !strpbrk(e->name, "@&*") &&
		      !expr_section(e, who, &scope, &sec, &(struct err){ "" });

	w->ndim = 0;
	if (simple)
		put_name(text, w->name, sizeof(w->name));
	else
		snprintf(w->name, sizeof(w->name), "(%s)", text);
	for (unsigned d = 0; simple && d < sec.ndim; d++) {
		w->first[d] = w->last[d] = sec.dim[d].scalar ? sec.dim[d].first : 0;
		w->step[d] = !sec.dim[d].scalar;
		w->ndim++;
	}
	section_clear(&sec);
	fetch_clear(&f);
}

/* Of a call: the compiler may have it where hooks see no writes to it. */
static bool is_local(struct session *s, const char *text, const struct rankset *who)
{
	struct fetched f;
	bool lasts = !s->watched(s, who, text, 0, LOCALS_SHAPE | LOCALS_LASTING, &f,
				 &(struct err){ "" });

	fetched_clear(&f);
	return !lasts;
}

int action_native_parse(struct session *s, const char *text, const struct expr *e,
			const struct rankset *who, struct watch *w, struct err *err)
{
	struct rankset some = { 0 };
	struct fetched f = { .notes = NULL };
	int rc = -1;

	*w = (struct watch){ .native = true };
	if (s->job && s->watched)
		stopped_of(s, who, &some);
	if (!some.n)
		err_set_code(err, ERR_NAME, "no rank is stopped that could say where it is");
	else
		rc = s->watched(s, &some, text, 0, LOCALS_SHAPE, &f, err);
	if (!rc && !f.q.ndim)
		snprintf(w->name, sizeof(w->name),
			 f.q.nfield && (e->kind != EXPR_NAME || strpbrk(e->name, "@&*")) ? "(%s)"
											 : "%s",
			 text);
	else if (!rc)
		name_elements(s, text, e, &some, w);
	if (!rc)
		w->call = is_local(s, text, &some);
	fetched_clear(&f);
	rankset_clear(&some);
	return rc;
}

/* The elements of the section that were fetched, with the indices that the text gives and those of
 * the dimensions that are left. */
static void section_of(const struct watch *w, const struct values *q, struct section *out)
{
	unsigned used = 0;

	*out = (struct section){ .ndim = 0 };
	for (unsigned d = 0; d < ARRAY_DIMS && (d < w->ndim || used < q->ndim); d++) {
		struct section_dim *to = &out->dim[out->ndim++];

		*to = (struct section_dim){ .step = 1 };
		if (d < w->ndim && !w->step[d]) {
			to->scalar = true;
			to->first = to->last = w->first[d];
		} else if (used < q->ndim) {
			to->first = q->first[used];
			to->step = q->step[used] ? q->step[used] : 1;
			to->last = to->first + ((int64_t)q->count[used] - 1) * to->step;
			used++;
		}
	}
}

int action_native_fetch(struct action *a, const struct watch *w, const struct rankset *who,
			struct fetched *out, struct err *err)
{
	struct action_values *v = action_values_of(a, w->id);
	struct rankset some = { 0 };
	int rc = -1;

	*out = (struct fetched){ .notes = NULL };
	xrankset_copy(&some, who);
	xrankset_intersect(&some, &v->placed);
	if (!some.n)
		err_set(err, "it is not known where it is");
	else
		rc = a->s->watched(a->s, &some, "", w->id, 0, out, err);
	rankset_clear(&some);
	if (rc) {
		fetched_clear(out);
		return -1;
	}
	out->notes = json_array();
	out->desc.kind = ARRAY_REPLICATED;
	out->desc.order = (uint8_t)out->q.order;
	out->desc.name = xstrdup(w->name);
	section_of(w, &out->q, &out->section);
	return 0;
}

/* Those of who find out where it is. */
static int place(struct action *a, const struct actionpoint *ap, const struct rankset *who,
		 unsigned what, struct err *err)
{
	struct action_values *v = action_values_of(a, ap->rule.id);
	struct fetched f;
	int rc = a->s->watched(a->s, who, ap->text, ap->rule.id, what, &f, err);

	xrankset_add_set(&v->asked, who);
	if (!rc)
		xrankset_add_set(&v->placed, who);
	fetched_clear(&f);
	return rc;
}

int action_watch_place(struct action *a, const struct actionpoint *ap, struct err *err)
{
	struct rankset who = { 0 }, some = { 0 };
	int rc = action_trigger(a, ap, &who);

	if (!rc) {
		stopped_of(a->s, &who, &some);
		rc = place(a, ap, &some, 0, err);
	}
	if (rc)
		err_prefix(err, "watch %s", ap->text);
	rankset_clear(&who);
	rankset_clear(&some);
	return rc;
}

bool action_never_placed(struct action *a, const struct actionpoint *ap)
{
	return a && ap->kind == ACT_WATCH && ap->watch.native && ap->enabled &&
	       !action_values_of(a, ap->rule.id)->asked.n;
}

/* Those that have stopped and were not asked yet; of one watch. */
static void find(struct action *a, struct actionpoint *ap)
{
	struct action_values *v = action_values_of(a, ap->rule.id);
	struct rankset who = { 0 }, some = { 0 };
	struct err err = { "" };

	if (!action_trigger(a, ap, &who)) {
		stopped_of(a->s, &who, &some);
		xrankset_remove_set(&some, &v->asked);
	}
	if (some.n && !place(a, ap, &some, LOCALS_LASTING, &err)) {
		action_watch_begin(a, ap);
		action_send(a->s);
	} else if (some.n && !v->placed.n) {
		ap->enabled = false;
		out_note(a->s->out,
			 "watch %" PRIu32 ", %s, is disabled: this run has no such variable "
			 "outside calls; give it again where its function is being called",
			 ap->rule.id, ap->text);
	}
	rankset_clear(&who);
	rankset_clear(&some);
}

bool action_native_wanted(struct action *a)
{
	bool wanted = false;

	for (size_t i = 0; i < actionpoints_count(a->s->acts) && !wanted; i++) {
		const struct actionpoint *ap = actionpoints_at(a->s->acts, i);
		struct rankset who = { 0 };

		if (ap->kind == ACT_WATCH && ap->watch.native && ap->enabled &&
		    !action_trigger(a, ap, &who))
			wanted = !rankset_covers(&action_values_of(a, ap->rule.id)->asked, &who);
		rankset_clear(&who);
	}
	return wanted;
}

void action_native_find(struct action *a)
{
	for (size_t i = 0; i < actionpoints_count(a->s->acts); i++) {
		struct actionpoint *ap =
			actionpoints_find(a->s->acts, actionpoints_at(a->s->acts, i)->rule.id);

		if (ap->kind == ACT_WATCH && ap->watch.native && ap->enabled)
			find(a, ap);
	}
}
