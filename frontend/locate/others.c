/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When what is registered is the same in both runs: the construct once more, with the memory that
 * nobody has registered. Numbers that differ there are shown as what the value was computed from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/traceview/traceview.h"

#define TEXT 600

static bool same_write(const struct trace_finding *a, const struct trace_finding *b)
{
	return a->kind == b->kind && a->write == b->write && a->rank == b->rank &&
	       a->thing.ndim == b->thing.ndim && !strcmp(a->thing.name, b->thing.name) &&
	       !memcmp(a->thing.index, b->thing.index, a->thing.ndim * sizeof(*a->thing.index));
}

/* A number as people write it. */
static const char *number(const json_t *o, const char *key, char out[VALUE_TEXT])
{
	return out_text_value(out_str(o, "kind_of_value"), out_get(o, key), out);
}

/* "gam", or, of memory that has no name, where it is read. */
static const char *name_of(const struct locate *l, const struct trace_operand *o, const json_t *x,
			   char out[TEXT])
{
	const char *element = out_str(x, "element"), *allocated = out_str(x, "allocated");
	char at[TEXT];

	if (*allocated)
		snprintf(out, TEXT, "%s (allocated at %s)", element, allocated);
	else if (strncmp(element, "0x", 2) != 0)
		snprintf(out, TEXT, "%s", element);
	else if (*trace_spot_text(l->s->symbols, &o->spot, at, sizeof(at)))
		snprintf(out, TEXT, "a variable that %s reads", at);
	else
		snprintf(out, TEXT, "the variable at %s", element);
	return out;
}

static void report(struct locate *l, const struct trace_finding *f, const struct trace_operand *o,
		   const json_t *x)
{
	char name[TEXT], now[VALUE_TEXT], ref[VALUE_TEXT];

	name_of(l, o, x, name);
	/* of a temporary nobody can say where it has its value from */
	l->grade = strncmp(out_str(x, "element"), "0x", 2) != 0 ? SLICE_PROVED : SLICE_LIKELY;
	locate_say(&l->because, "%s is %s, and %s in the reference", name, number(x, "value", now),
		   number(x, "reference_value", ref));
	locate_say(&l->advice,
		   "it is computed from %s, which is not registered: look at what sets it on rank "
		   "%u",
		   name, f->rank);
}

static bool has(const json_t *list, const json_t *x)
{
	const json_t *y;
	size_t i;

	json_array_foreach(list, i, y)
	{
		if (json_equal(y, x))
			return true;
	}
	return false;
}

/* What is found of them is proved, as it is in the first trace. */
static bool blame_operand(struct locate_traced *t, const struct trace_finding *f, json_t *from)
{
	enum slice_grade before = t->l->grade;
	bool reported;

	t->l->grade = SLICE_PROVED;
	reported = locate_blame_operand(t, f, from);
	if (!reported)
		t->l->grade = before;
	return reported;
}

/* What differs of the operands becomes the write's; those without a name are reported. */
static void take(struct locate_traced *t, const struct trace_finding *f, json_t *from,
		 json_t *write)
{
	json_t *list = json_object_get(write, "operands");
	/* what a chain ends in says more than what is read for the write alone */
	bool reported = t->l->rooted || blame_operand(t, f, from);

	if (json_object_get(from, "origin"))
		json_object_set(write, "origin", json_object_get(from, "origin"));
	if (!list) {
		list = json_array();
		json_object_set_new(write, "operands", list);
	}
	for (unsigned i = 0; i < f->noperand; i++) {
		const struct trace_operand *o = &f->operand[i];
		json_t *x = json_array_get(json_object_get(from, "operands"), i);

		if (!x || !(o->other || o->value.has_ref != o->value.has_now) ||
		    (o->thing.what != TRACE_WHAT_ARRAY && locate_is_address(o)))
			continue;
		if (!has(list, x))
			json_array_append(list, x);
		if (!reported && o->thing.what != TRACE_WHAT_ARRAY)
			report(t->l, f, o, x);
		reported = true;
	}
}

/* The same write among what this run has found. */
static bool find_again(const struct locate_traced *t, const struct trace_finding *f,
		       struct trace_finding *out)
{
	for (size_t i = 0; i < t->found.n; i++)
		if (!trace_findings_get(&t->found, i, out) && same_write(f, out))
			return true;
	return false;
}

void locate_others(struct locate *l, const struct trace_finding *f, json_t *write)
{
	struct locate_traced t;
	struct locate_writes w = { 0 };
	struct trace_finding g;
	char *why = NULL;
	json_t *from;

	if (!locate_traced_begin(&t, l)) {
		t.x.only.nname = 0;
		t.x.only.others = true;
	}
	if (t.x.only.others && !l->interrupted && !locate_traced_run(&t) &&
	    (find_again(&t, f, &g) || (locate_outside(f) && locate_setter(&t, &g, &w, &why)))) {
		from = locate_write_json(l, second_session(t.now), &g);
		take(&t, &g, from, write);
		locate_chain(&t, &g, from);
		json_decref(from);
	}
	free(why);
	locate_writes_clear(&w);
	locate_traced_end(&t);
}
