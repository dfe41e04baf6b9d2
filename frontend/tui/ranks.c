/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of ranks: what each group does, at which point and iteration, and for how long. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/err.h"
#include "frontend/out_text.h"
#include "frontend/session.h"
#include "frontend/tui/data.h"
#include "frontend/tui/view.h"

static const char *style_of(const json_t *g)
{
	const char *state = out_str(g, "state");

	if (*out_str(g, "signal") || !strcmp(state, "lost") || !strcmp(state, "no answer"))
		return SAY_BAD;
	return !strcmp(state, "stopped") ? SAY_HERE : !strcmp(state, "running") ? SAY_GOOD : "";
}

static void add_group(struct list *l, const json_t *g, int64_t id)
{
	char place[300], index[100], seconds[40] = "", code[40] = "";
	const char *construct = out_str(g, "construct");
	const char *why = *out_str(g, "signal") ? out_str(g, "signal") : out_str(g, "reason");

	if (!strcmp(construct, "function"))
		construct = "";
	if (out_get(g, "seconds"))
		snprintf(seconds, sizeof(seconds), "%" JSON_INTEGER_FORMAT " s",
			 out_int(g, "seconds"));
	if (out_get(g, "code") && !*out_str(g, "signal"))
		snprintf(code, sizeof(code), "code %" JSON_INTEGER_FORMAT, out_int(g, "code"));
	data_place(g, place, sizeof(place));
	data_iteration(g, index, sizeof(index));
	list_add(l, id, g,
		 SAY_RANKS "%-9s" SAY_NORMAL "%6zu  %s%-8s " SAY_POINT "%-8s" SAY_NORMAL
			   " %-3s%-14s %-6s%6s  %s  %s",
		 out_str(g, "ranks"), data_count(out_str(g, "ranks")), style_of(g),
		 out_str(g, "state"), out_str(g, "point"), construct, place, index, seconds,
		 *code ? code : why, out_str(g, "mpi"));
}

static void load(struct view *v)
{
	struct err err = { "" };
	json_t *status = tui_ask(v->tui, "status", &err, "status -mpi");
	const json_t *groups = out_get(status, "groups");

	if (!json_array_size(groups)) {
		view_why(v, status ? out_str(status, "text") : err.text);
		json_decref(status);
		return;
	}
	list_begin(&v->list);
	list_add(&v->list, 0, NULL, SAY_BOLD "%-9s%6s  %-8s %-8s %-17s %-6s%6s  %s", "ranks",
		 "number", "state", "point", "construct", "iter", "since", "why, MPI");
	for (size_t i = 0; i < json_array_size(groups); i++)
		add_group(&v->list, json_array_get(groups, i), (int64_t)i + 1);
	list_end(&v->list);
	json_decref(status);
}

static bool act(struct view *v, enum key_action action)
{
	const struct row *row = list_row(&v->list);
	const char *ranks = row ? out_str(row->data, "ranks") : "", *focus;

	if (action != KEY_ACT_OPEN || !*ranks)
		return false;
	focus = tui_session(v->tui)->focus;
	if (strlen(ranks) == strlen(focus) + 2 && !strncmp(ranks + 1, focus, strlen(focus)))
		tui_run(v->tui, "focus [all]");
	else
		tui_run(v->tui, "focus %s", ranks);
	return true;
}

const struct view_class view_ranks = {
	.name = "ranks",
	.size = sizeof(struct view),
	.live = true,
	.load = load,
	.act = act,
};
