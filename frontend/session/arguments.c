/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arguments of the calls that where shows: equal values once.
 */
#include "frontend/session/session.h"

#include <stdlib.h>
#include <strings.h>

#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "frontend/model/ask.h"
#include "frontend/model/merge_equal.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

/* One rank group's calls, outermost last; at: those from there on have been given to frames. */
struct called {
	struct rankset ranks;
	struct call_text {
		const char *func;
		json_t *list; /* {"name", "value"} each */
	} *call;
	size_t n, at;
};

struct session_arguments {
	struct called *group;
	size_t n;
	struct groups answers;
};

static void take_called(struct session_arguments *x, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct called *to = xvec_add(x->group, x->n);
	struct answer_locals a;

	*to = (struct called){ 0 };
	xrankset_copy(&to->ranks, &g->ranks);
	if (answer_locals_get(&a, &b) || a.head.kind == ANSWER_ERROR)
		return;
	for (uint32_t i = 0; i < a.n && i <= b.len; i++) {
		struct answer_call call;
		struct call_text *t;

		if (answer_call_get(&call, &b))
			return;
		t = xvec_add(to->call, to->n);
		*t = (struct call_text){ .func = call.func, .list = json_array() };
		to->at = to->n;
		for (uint32_t k = 0; k < call.n; k++) {
			struct answer_variable v = { 0 };

			if (answer_variable_get(&v, &b))
				return;
			json_array_append_new(t->list, json_pack("{s:o s:o}", "name",
								 out_json_text(v.name), "value",
								 out_json_text(v.value)));
		}
	}
}

struct session_arguments *session_arguments_ask(struct session *s, const struct rankset *who)
{
	struct session_arguments *x = xcalloc(1, sizeof(*x));
	struct msg_query q = { .kind = QUERY_LOCALS, .n = LOCALS_FRAMES | LOCALS_ARGUMENTS };

	if (!ask(s, &q, who, &x->answers, NULL, NULL))
		for (size_t i = 0; i < x->answers.n; i++)
			take_called(x, &x->answers.group[i]);
	return x;
}

/* The next call of the function on the way in. */
static const json_t *next_call(struct called *c, const char *func)
{
	for (size_t i = c->at; i-- > 0;)
		if (!strcasecmp(c->call[i].func, func)) {
			c->at = i;
			return c->call[i].list;
		}
	return NULL;
}

json_t *session_arguments_next(struct session_arguments *x, const struct rankset *ranks,
			       const char *func)
{
	struct merge_equal *values = NULL;
	json_t *list = NULL, *out = json_array();
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		struct rankset part = { 0 };
		const json_t *of;

		xrankset_copy(&part, &x->group[i].ranks);
		xrankset_intersect(&part, ranks);
		of = part.n ? next_call(&x->group[i], func) : NULL;
		for (size_t k = 0; k < json_array_size(of); k++) {
			const json_t *v = json_array_get(of, k);

			if (k >= n)
				*xvec_add(values, n) = (struct merge_equal){ 0 };
			merge_equal_add(&values[k],
					json_pack("{s:O s:O}", "name", out_get(v, "name"), "value",
						  out_get(v, "value")),
					&part, -1);
		}
		rankset_clear(&part);
	}
	for (size_t k = 0; k < n; k++) {
		json_t *groups = json_array();

		merge_equal_sort(&values[k]);
		for (size_t i = 0; i < values[k].n; i++) {
			struct merge_equal_group *g = &values[k].group[i];

			list = g->answer;
			json_array_append_new(groups, json_pack("{s:o s:O}", "ranks",
								ask_ranks(&g->ranks), "value",
								out_get(list, "value")));
		}
		json_array_append_new(out, json_pack("{s:O s:o}", "name", out_get(list, "name"),
						     "groups", groups));
		merge_equal_clear(&values[k]);
	}
	free(values);
	return out;
}

void session_arguments_destroy(struct session_arguments *x)
{
	for (size_t i = 0; i < x->n; i++) {
		for (size_t k = 0; k < x->group[i].n; k++)
			json_decref(x->group[i].call[k].list);
		free(x->group[i].call);
		rankset_clear(&x->group[i].ranks);
	}
	free(x->group);
	groups_clear(&x->answers);
	free(x);
}
