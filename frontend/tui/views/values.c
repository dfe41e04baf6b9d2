/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of values: replicated objects, those first that differ between ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/tui/views/views.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/tui/core/core.h"

#define OBJECTS 64 /* that are asked for */
#define LINES 6	   /* of one object */
#define COLUMNS 80 /* before the first draw */

struct values_view {
	struct view v;
	size_t differing;
	json_t *print; /* owned; answers of print, those first that differ; NULL: not loaded */
	int columns;   /* that the rows were made for */
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

static bool listed(const json_t *differ, const char *name)
{
	const json_t *list = out_get(differ, "list");

	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(out_str(json_array_get(list, i), "name"), name))
			return true;
	return false;
}

/* Adds the values of the replicated objects that do not differ; asks for each. */
static void ask_equal(struct view *v, const json_t *what, const json_t *differ, json_t *all)
{
	const json_t *list = out_get(what, "list");
	size_t most = json_array_size(all) + OBJECTS;

	for (size_t i = 0; i < json_array_size(list) && json_array_size(all) < most; i++) {
		const json_t *o = json_array_get(list, i);
		json_t *print = NULL;

		if (!strcmp(out_str(o, "held"), "replicated") &&
		    !listed(differ, out_str(o, "name")))
			print = tui_ask(v->tui, "print", NULL, "print %s", out_str(o, "name"));
		if (print)
			json_array_append_new(all, print);
	}
}

/* Ids of rows are the objects' numbers from 1. */
static void fill(struct values_view *vv)
{
	struct list *l = &vv->v.list;
	int before = out_text_columns(vv->columns);

	list_begin(l);
	for (size_t i = 0; i < json_array_size(vv->print); i++)
		add_object(l, json_array_get(vv->print, i), i < vv->differing ? SAY_BAD : "",
			   (int64_t)i + 1);
	list_end(l);
	out_text_columns(before);
}

static void load(struct view *v)
{
	struct values_view *vv = (struct values_view *)v;
	struct err err = { "" };
	json_t *what = tui_ask(v->tui, "what", &err, "what");
	json_t *differ = what ? tui_ask(v->tui, "differ", NULL, "differ") : NULL;
	json_t *all = json_array();

	json_array_extend(all, json_object_get(differ, "list"));
	if (what)
		ask_equal(v, what, differ, all);
	json_decref(vv->print);
	vv->print = all;
	vv->differing = json_array_size(out_get(differ, "list"));
	vv->columns = vv->columns ? vv->columns : COLUMNS;
	fill(vv);
	if (!v->list.n)
		view_why(v, what ? "No replicated object is registered at this point." : err.text);
	json_decref(what);
	json_decref(differ);
}

/* Tables are as wide as the view. */
static void draw(struct view *v, struct screen *sc, struct area a, bool focused)
{
	struct values_view *vv = (struct values_view *)v;

	if (v->list.n && a.columns != vv->columns) {
		vv->columns = a.columns;
		fill(vv);
	}
	list_draw(&v->list, sc, a, focused);
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
		row ? out_str(json_array_get(vv->print, (size_t)row->id - 1), "name") : "";

	if (action != KEY_ACT_OPEN || !*name)
		return false;
	tui_run(v->tui, "tui array %s", name);
	return true;
}

static void close_values(struct view *v)
{
	json_decref(((struct values_view *)v)->print);
}

const struct view_class view_values = {
	.name = "values",
	.size = sizeof(struct values_view),
	.hint = "Enter looks at an array  : command  Tab 0-9 views  / search  c cont  s step",
	.load = load,
	.draw = draw,
	.act = act,
	.close = close_values,
	.title = title,
};
