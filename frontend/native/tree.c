/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Native stacks merged as STAT does: a tree of calls, each with the ranks that are in it.
 */
#include "frontend/native/native.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/model/ask.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

struct call {
	const struct native_frame *frame; /* NULL: the root */
	struct rankset ranks;
	struct call **inner;
	size_t n;
};

static bool same(const struct native_frame *a, const struct native_frame *b)
{
	return a->line == b->line && a->library == b->library && !strcmp(a->func, b->func) &&
	       !strcmp(a->file, b->file);
}

static struct call *inner_of(struct call *c, const struct native_frame *f)
{
	struct call *new;

	for (size_t i = 0; i < c->n; i++)
		if (same(c->inner[i]->frame, f))
			return c->inner[i];
	new = xcalloc(1, sizeof(*new));
	new->frame = f;
	*xvec_add(c->inner, c->n) = new;
	return new;
}

static int by_size(const void *pa, const void *pb)
{
	const struct call *a = *(struct call *const *)pa, *b = *(struct call *const *)pb;
	size_t na = rankset_count(&a->ranks), nb = rankset_count(&b->ranks);
	int64_t fa = rankset_next(&a->ranks, 0), fb = rankset_next(&b->ranks, 0);

	if (na != nb)
		return na > nb ? -1 : 1;
	return (fa > fb) - (fa < fb);
}

/* The innermost of a call that has called itself at the same place again and again. */
static struct call *innermost(struct call *c, unsigned *times)
{
	struct call *in = c;

	for (*times = 1; in->n == 1 && same(in->inner[0]->frame, c->frame) &&
			 rankset_equal(&in->inner[0]->ranks, &c->ranks);
	     ++*times)
		in = in->inner[0];
	if (*times >= NATIVE_RECURSION)
		return in;
	*times = 1;
	return c;
}

static json_t *list_of(struct call *c)
{
	json_t *list = json_array();

	if (c->n)
		qsort(c->inner, c->n, sizeof(struct call *), by_size);
	for (size_t i = 0; i < c->n; i++) {
		unsigned times;
		struct call *in = innermost(c->inner[i], &times);
		json_t *o = json_pack("{s:o s:o}", "ranks", ask_ranks(&in->ranks), "name",
				      out_json_text(*in->frame->func ? in->frame->func : "?"));

		if (*in->frame->file)
			json_object_set_new(o, "file", out_json_text(in->frame->file));
		if (in->frame->line)
			json_object_set_new(o, "line", json_integer(in->frame->line));
		if (in->frame->library)
			json_object_set_new(o, "library", json_true());
		if (in->frame->inlined)
			json_object_set_new(o, "inlined", json_true());
		if (times > 1)
			json_object_set_new(o, "times", json_integer(times));
		if (in->n)
			json_object_set_new(o, "calls", list_of(in));
		json_array_append_new(list, o);
	}
	return list;
}

static void clear(struct call *c)
{
	for (size_t i = 0; i < c->n; i++) {
		clear(c->inner[i]);
		free(c->inner[i]);
	}
	free(c->inner);
	rankset_clear(&c->ranks);
}

json_t *native_tree(const struct native_stacks *x)
{
	struct call root = { 0 };
	json_t *list;

	for (size_t i = 0; i < x->n; i++) {
		const struct native_stack *st = &x->stack[i];
		struct call *at = &root;

		for (size_t k = 0; k < st->n; k++) {
			at = inner_of(at, &st->frame[k]);
			xrankset_add_set(&at->ranks, &st->ranks);
		}
	}
	list = list_of(&root);
	clear(&root);
	return list;
}

json_t *native_answer(const struct native_stacks *x)
{
	json_t *o = json_pack("{s:s s:o}", "type", "calls", "tree", native_tree(x));
	json_t *lacking = native_lacking(x);

	if (lacking)
		json_object_set_new(o, "lacking", lacking);
	if (x->silent.n)
		json_object_set_new(o, "silent", ask_ranks(&x->silent));
	return o;
}

json_t *native_lacking(const struct native_stacks *x)
{
	json_t *list = NULL;

	for (size_t i = 0; i < x->n; i++) {
		const struct native_stack *st = &x->stack[i];

		if (!st->why)
			continue;
		if (!list)
			list = json_array();
		json_array_append_new(list, json_pack("{s:o s:o}", "ranks", ask_ranks(&st->ranks),
						      "text", out_json_text(st->why)));
	}
	return list;
}
