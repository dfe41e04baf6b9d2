/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an object, or elements of it, are in the memory of ranks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "frontend/data/assemble.h"
#include "frontend/data/pieces.h"
#include "frontend/model/ask.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"
#include "frontend/verbs/look/internal.h"

/* What is asked for, and the answer as it grows. */
struct asked {
	const char *name;
	bool fortran, replicated;
	json_t *list, *notes;
};

/* Of elements that are here: the rank's own, or what they are instead. */
static const char *held_word(const struct asked *x, const struct answer_address *a)
{
	return x->replicated ? "its copy" : a->copy ? "another copy" : a->own ? "owner" : "halo";
}

static void add_group(struct asked *x, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	char element[400], address[32];
	struct answer_address a;
	uint64_t n;
	json_t *o;

	if (answer_address_get(&a, &b)) {
		fetch_note(x->notes, &g->ranks, "sent an answer that cannot be read");
		return;
	}
	if (a.head.kind == ANSWER_ERROR) {
		fetch_note(x->notes, &g->ranks, a.head.why);
		return;
	}
	if (!a.stored)
		return;
	names_element(x->name, x->fortran, a.ndim, a.index, element, sizeof(element));
	snprintf(address, sizeof(address), "0x%" PRIx64, a.addr);
	o = json_pack("{s:o s:o s:s s:s s:I s:I}", "ranks", ask_ranks(&g->ranks), "element",
		      out_json_text(element), "address", address, "held", held_word(x, &a),
		      "stored", (json_int_t)a.stored, "own", (json_int_t)a.own);
	n = a.own ? a.own : a.stored;
	if (n > 1)
		json_object_set_new(o, "many", json_integer((json_int_t)n));
	if (a.own && a.stored > a.own)
		json_object_set_new(o, "halo", json_integer((json_int_t)(a.stored - a.own)));
	json_array_append_new(x->list, o);
}

static int by_first_rank(const void *pa, const void *pb)
{
	const struct rank_group *a = pa, *b = pb;
	int64_t x = rankset_next(&a->ranks, 0), y = rankset_next(&b->ranks, 0);

	return x < y ? -1 : x > y;
}

/* Of one object: its section, or all of it. */
static int ask_ranks_of(struct session *s, struct asked *x, const struct section *sec,
			const struct rankset *who, struct err *err)
{
	struct msg_query q = { .kind = QUERY_ADDRESS, .name = x->name };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	int rc;

	xalloc_check(section_copy(&q.section, sec));
	rc = ask(s, &q, who, &answers, &silent, err);
	if (!rc && silent.n)
		fetch_note(x->notes, &silent, "did not answer");
	if (!rc && answers.n)
		qsort(answers.group, answers.n, sizeof(*answers.group), by_first_rank);
	for (size_t i = 0; !rc && i < answers.n; i++)
		add_group(x, &answers.group[i]);
	section_clear(&q.section);
	groups_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

json_t *address_of(struct session *s, const struct rankset *who, const char *text, struct err *err)
{
	struct asked x = { .list = json_array(), .notes = json_array() };
	struct pieces p = { 0 };
	struct named n;
	json_t *o = NULL;

	if (!named_parse(&n, s, who, "what", text, err)) {
		x.name = n.e->name;
		if (!pieces_find(&p, s, x.name, named_section(&n), who, err)) {
			x.fortran = p.desc.order == 'F';
			x.replicated = p.desc.kind == ARRAY_REPLICATED;
			if (!ask_ranks_of(s, &x, &p.section, who, err))
				o = json_pack("{s:s s:o s:O s:O}", "type", "address", "name",
					      out_json_text(text), "list", x.list, "notes", x.notes);
		}
		pieces_clear(&p);
		named_clear(&n);
	}
	json_decref(x.list);
	json_decref(x.notes);
	return o;
}
