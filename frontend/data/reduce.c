/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reductions of expressions, by the ranks: each evaluates what it owns of the arrays, and what they
 * have is put together on its way here.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/logical/groups.h"
#include "common/protocol/msg.h"
#include "frontend/data/assemble.h"
#include "frontend/data/fetch.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"

/* What the ranks have. */
struct parts {
	struct reduce_part all; /* REDUCE_DONE: of those that have answered with one */
	bool odd; /* they have different replicated values, or need elements of others */
	json_t *notes;
};

static void take(struct parts *p, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct reduce_part one;

	if (reduce_part_get(&one, &b)) {
		p->odd = true;
	} else if (one.kind == REDUCE_FAILED) {
		fetch_note(p->notes, &g->ranks, one.why);
	} else if (one.kind != REDUCE_DONE) {
		p->odd = true;
	} else if (p->all.kind != REDUCE_DONE) {
		p->all = one;
	} else if (one.same != p->all.same || one.ndim != p->all.ndim ||
		   memcmp(one.count, p->all.count, sizeof(one.count)) ||
		   memcmp(one.first, p->all.first, sizeof(one.first)) ||
		   reduce_merge(&p->all.r, &one.r)) {
		p->odd = true;
	}
}

/* 1: it has to be computed of the elements themselves. */
static int gather(const struct fetch *f, enum reduce what, const char *text, struct parts *p,
		  struct err *err)
{
	struct msg_query q = { .kind = QUERY_REDUCE, .name = text, .n = what };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	int rc = ask(f->s, &q, f->who, &answers, &silent, err);

	if (!rc && silent.n)
		fetch_note(p->notes, &silent, "did not answer");
	for (size_t i = 0; !rc && i < answers.n; i++)
		take(p, &answers.group[i]);
	groups_clear(&answers);
	rankset_clear(&silent);
	return rc ? rc : p->odd || p->all.kind != REDUCE_DONE;
}

/* The array that the answers are of, without values. */
static struct values shape_of(const struct reduce_part *p)
{
	struct values q = { .type = p->r.type, .ndim = p->ndim, .order = (char)p->order };

	memcpy(q.count, p->count, sizeof(q.count));
	memcpy(q.first, p->first, sizeof(q.first));
	memcpy(q.step, p->step, sizeof(q.step));
	return q;
}

static int lacking(const struct parts *p, const struct expr *e, const char *text, uint64_t total,
		   struct err *err)
{
	const char *why = json_string_value(json_array_get(p->notes, 0));

	return err_set(err, "%s: %" PRIu64 " of %" PRIu64 " elements are missing: %s",
		       e->kind == EXPR_NAME ? e->name : text + strspn(text, " "),
		       total - p->all.r.n, total, why ? why : "no rank that is asked owns them");
}

/* Of this array there are several copies, small enough to be compared. */
static bool is_copied(const struct array_desc *a)
{
	uint64_t total = 1;

	for (unsigned d = 0; d < a->ndim && total <= FETCH_COMPARED; d++)
		total *= a->extent[d] < FETCH_COMPARED ? (uint64_t)a->extent[d] : FETCH_COMPARED;
	return a->copies > 1 && total <= FETCH_COMPARED;
}

/* Such an array has a part in it. */
static bool has_copies(const struct fetch *f, const struct expr *e)
{
	struct fetch_objects objects;
	bool any = false;

	if (!e)
		return false;
	if (e->kind == EXPR_NAME && !fetch_names(f->s, e->name, f->who, &objects, NULL)) {
		for (size_t i = 0; i < objects.n; i++)
			any |= is_copied(&objects.item[i].desc);
		fetch_objects_clear(&objects);
	}
	return any || has_copies(f, e->a) || has_copies(f, e->b);
}

static void left_out(void *arg, enum reduce what, const struct expr *e, uint64_t n)
{
	struct fetch *f = arg;
	char *text = xasprintf("%s(%.*s) leaves out %" PRIu64 " NaN", reduce_name(what),
			       (int)(e->end - e->from), e->source + e->from, n);

	f->notes = f->notes ? f->notes : json_array();
	json_array_append_new(f->notes, out_json_text(text));
	free(text);
}

static int reduce(void *arg, enum reduce what, const struct expr *e, const char *text,
		  struct values *out, struct err *err)
{
	struct fetch *f = arg;
	struct parts p = { .notes = json_array() };
	unsigned char bytes[ARRAY_DIMS * 16];
	struct values q;
	uint64_t total;
	/* what is wrong with it is reported when it is fetched */
	int rc = f->s->job ? gather(f, what, text, &p, NULL) : 1;

	rc = rc ? 1 : 0;
	if (!rc) {
		q = shape_of(&p.all);
		total = values_total(&q);
		if (p.all.r.n < total)
			rc = lacking(&p, e, text, total, err);
		else if (p.all.r.n > total || has_copies(f, e))
			rc = 1; /* several ranks have the same elements, and may differ */
		else if (reduce_shape(what, &q, out, err) ||
			 reduce_store(&p.all.r, &q, out, bytes, err))
			rc = -1;
		else
			xalloc_check(values_add(out, f->who, bytes));
		if (!rc && reduce_left_out(&p.all.r))
			left_out(f, what, e, reduce_left_out(&p.all.r));
	}
	json_decref(p.notes);
	if (rc)
		values_clear(out);
	return rc;
}

static bool known(void *arg, const char *name)
{
	const struct fetch *f = arg;
	struct fetch_objects objects;
	bool any;

	if (!f->s->job || fetch_names(f->s, name, f->who, &objects, NULL))
		return false;
	any = objects.n;
	fetch_objects_clear(&objects);
	return any;
}

struct expr_scope fetch_scope(struct fetch *f)
{
	return (struct expr_scope){
		.arg = f,
		.resolve = fetch_resolve,
		.known = known,
		.reduce = reduce,
		.left_out = left_out,
	};
}
