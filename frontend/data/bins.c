/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/bins.h"

#include <stdio.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "frontend/model/ask.h"
#include "frontend/data/assemble.h"
#include "frontend/util/loop.h"
#include "frontend/data/pieces.h"
#include "frontend/model/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define PART (1u << 26) /* elements of a rank that are asked for at once */

/* Adds what a group says to the picture, or to the notes. */
static int take(struct bins *z, const struct rank_group *g, bool *any, json_t *notes,
		struct err *err)
{
	struct buf b = buf_view(g->blob, g->len);
	struct answer_head a;
	struct bins one;
	int rc;

	if (g->len && g->blob[0] == ANSWER_ERROR) {
		fetch_note(notes, &g->ranks, answer_head_get(&a, &b) ? "" : a.why);
		return 0;
	}
	if (bins_get(&one, &b))
		return err_set(err, "the answer of the ranks cannot be read");
	rc = bins_merge(z, &one);
	bins_clear(&one);
	*any = true;
	return rc ? err_set(err, "the ranks' answers have another shape") : 0;
}

static int ask_part(const struct pieces *p, const struct rankset *who, const struct bins_spec *spec,
		    struct bins *out, bool *any, json_t *notes, struct err *err)
{
	struct msg_query q = { .kind = QUERY_BINS, .name = p->name, .bins = *spec };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	int rc;

	xalloc_check(section_copy(&q.section, &p->section));
	rc = ask(p->s, &q, who, &answers, &silent, err);
	if (!rc && loop_interrupted(p->s->loop))
		rc = err_set(err, "%s: interrupted", p->name);
	if (!rc && silent.n)
		fetch_note(notes, &silent, "did not answer");
	for (size_t i = 0; !rc && i < answers.n; i++)
		rc = take(out, &answers.group[i], any, notes, err);
	section_clear(&q.section);
	groups_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

/* A picture of nothing is an error, with the first reason. */
static int nothing(const struct pieces *p, const json_t *notes, struct err *err)
{
	const char *why = json_string_value(json_array_get(notes, 0));

	return err_set(err, "%s: no rank has answered%s%s", p->name, why ? ": " : "",
		       why ? why : "");
}

int bins_fetch(const struct pieces *p, struct bins_spec *spec, struct bins *out, uint32_t *rank,
	       json_t *notes, struct err *err)
{
	bool one = p->desc.kind == ARRAY_REPLICATED, any = false;
	struct rankset who = { 0 };
	uint64_t parts, each;
	int rc;

	*out = (struct bins){ 0 };
	*rank = one ? p->rank : UINT32_MAX;
	if (one)
		xrankset_add(&who, *rank, *rank);
	else
		xrankset_copy(&who, p->who);
	rc = 0;
	if (bins_make(out, p->section.ndim, p->desc.order == 'F', spec->rows, spec->cols)) {
		rankset_clear(&who);
		return xalloc_refused((uint64_t)spec->rows * spec->cols * sizeof(*out->cell),
				      "choose fewer cells", err);
	}
	each = (uint64_t)PART * rankset_count(&who);
	parts = section_total(&p->section) / each + 1;
	spec->parts = parts < BINS_PARTS ? (uint32_t)parts : BINS_PARTS;
	for (spec->part = 0; !rc && spec->part < spec->parts; spec->part++) {
		p->s->progress = (double)spec->part / spec->parts;
		rc = ask_part(p, &who, spec, out, &any, notes, err);
	}
	p->s->progress = 0;
	if (!rc && !any)
		rc = nothing(p, notes, err);
	if (rc)
		bins_clear(out);
	rankset_clear(&who);
	return rc;
}
