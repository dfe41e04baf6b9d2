/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of values: replicated objects, those first that differ between ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "frontend/out.h"
#include "frontend/out_text.h"
#include "frontend/tui/view.h"

#define OBJECTS 64 /* that are asked for */
#define LINES 6	   /* of one object */

struct values_view {
	struct view v;
	size_t differing;
	json_t *names; /* owned; by the rows' ids, from 1 */
};

/* The object's lines as print shows them; of a large one the first. */
static void add_object(struct list *l, const json_t *print, const char *style, int64_t id)
{
	char *text = out_render(print), *end = text;

	for (int i = 0; i < LINES && end && (end = strchr(end, '\n')); i++)
		end++;
	if (end && *end) {
		*end = 0;
		list_add_lines(l, id, style, text);
		list_add(l, id, NULL, SAY_DIM "  …");
	} else if (text) {
		list_add_lines(l, id, style, text);
	}
	free(text);
}

static void add_named(struct values_view *vv, const json_t *print, const char *style, int64_t id)
{
	add_object(&vv->v.list, print, style, id);
	json_array_append_new(vv->names, json_string(out_str(print, "name")));
}

static bool listed(const json_t *differ, const char *name)
{
	const json_t *list = out_get(differ, "list");

	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(out_str(json_array_get(list, i), "name"), name))
			return true;
	return false;
}

/* The values of the replicated objects that do not differ; asks for each. */
static json_t *ask_equal(struct view *v, const json_t *what, const json_t *differ)
{
	const json_t *list = out_get(what, "list");
	json_t *all = json_array();

	for (size_t i = 0; i < json_array_size(list) && json_array_size(all) < OBJECTS; i++) {
		const json_t *o = json_array_get(list, i);
		json_t *print = NULL;

		if (!strcmp(out_str(o, "held"), "replicated") &&
		    !listed(differ, out_str(o, "name")))
			print = tui_ask(v->tui, "print", NULL, "print %s", out_str(o, "name"));
		if (print)
			json_array_append_new(all, print);
	}
	return all;
}

static void load(struct view *v)
{
	struct values_view *vv = (struct values_view *)v;
	struct err err = { "" };
	json_t *what = tui_ask(v->tui, "what", &err, "what");
	json_t *differ = what ? tui_ask(v->tui, "differ", NULL, "differ") : NULL;
	json_t *equal = what ? ask_equal(v, what, differ) : NULL;
	const json_t *list = out_get(differ, "list");
	int64_t id = 0;

	list_begin(&v->list);
	json_decref(vv->names);
	vv->names = json_array();
	vv->differing = json_array_size(list);
	for (size_t i = 0; i < json_array_size(list); i++)
		add_named(vv, json_array_get(list, i), SAY_BAD, ++id);
	for (size_t i = 0; i < json_array_size(equal); i++)
		add_named(vv, json_array_get(equal, i), "", ++id);
	list_end(&v->list);
	if (!v->list.n)
		view_why(v, what ? "No replicated object is registered at this point." : err.text);
	json_decref(what);
	json_decref(differ);
	json_decref(equal);
}

static void title(const struct view *v, char *out, size_t size)
{
	const struct values_view *vv = (const struct values_view *)v;

	if (v->list.n)
		snprintf(out, size, "%zu differing", vv->differing);
}

static bool act(struct view *v, enum key_action action)
{
	const struct values_view *vv = (const struct values_view *)v;
	const struct row *row = list_row(&v->list);
	const char *name =
		row ? json_string_value(json_array_get(vv->names, (size_t)row->id - 1)) : NULL;

	if (action != KEY_ACT_OPEN || !name)
		return false;
	tui_run(v->tui, "tui array %s", name);
	return true;
}

static void close_values(struct view *v)
{
	json_decref(((struct values_view *)v)->names);
}

const struct view_class view_values = {
	.name = "values",
	.size = sizeof(struct values_view),
	.load = load,
	.act = act,
	.close = close_values,
	.title = title,
};
