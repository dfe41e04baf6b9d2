/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of ranks: what each group does, at which point and iteration, and for how long. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/err.h"
#include "common/rankset.h"
#include "frontend/out_text.h"
#include "frontend/session.h"
#include "frontend/tui/data.h"
#include "frontend/tui/view.h"

#define MOST_WIDE 24 /* what is wider pushes the others aside */

struct widths {
	int ranks, point, place, index;
};

static const char *style_of(const json_t *g)
{
	const char *state = out_str(g, "state");

	if (*out_str(g, "signal") || !strcmp(state, "lost") || !strcmp(state, "no answer"))
		return SAY_BAD;
	return !strcmp(state, "stopped") ? SAY_HERE : !strcmp(state, "running") ? SAY_GOOD : "";
}

/* All ranks of the one are in the other. */
static bool within(const char *ranks, const char *in)
{
	struct rankset a = { 0 }, b = { 0 };
	bool yes = data_ranks(&a, ranks) && data_ranks(&b, in) && rankset_covers(&b, &a);

	rankset_clear(&a);
	rankset_clear(&b);
	return yes;
}

/* The iteration of the innermost loop that the ranks are in; "" when they differ or are in none. */
static const char *iteration(const json_t *g, const json_t *where, char *out, size_t size)
{
	const json_t *frames = out_get(where, "frames");

	if (*data_iteration(g, out, size) || !*out_str(g, "construct"))
		return out;
	for (size_t i = 0; i < json_array_size(frames); i++) {
		const json_t *variants = out_get(json_array_get(frames, i), "variants");

		for (size_t k = 0; k < json_array_size(variants); k++) {
			const json_t *v = json_array_get(variants, k);

			if (out_get(v, "iteration") &&
			    within(out_str(g, "ranks"), out_str(v, "ranks")))
				return data_iteration(v, out, size);
		}
	}
	return out;
}

/* "12 s" of ranks that run: since their last point; "13:40:05" of those that stand. */
static const char *since(const json_t *g, char *out, size_t size)
{
	const char *clock = strchr(out_str(g, "since"), 'T');

	*out = 0;
	if (out_get(g, "seconds"))
		snprintf(out, size, "%" JSON_INTEGER_FORMAT " s", out_int(g, "seconds"));
	else if (clock)
		snprintf(out, size, "%s", clock + 1);
	return out;
}

static void add_group(struct list *l, const json_t *g, const json_t *where, const struct widths *w,
		      int64_t id)
{
	char place[300], index[100], seconds[40] = "", code[40] = "";
	const char *construct = out_str(g, "construct");
	const char *why = *out_str(g, "signal") ? out_str(g, "signal") : out_str(g, "reason");
	const char *mpi = out_str(g, "mpi");

	if (!strcmp(construct, "function"))
		construct = "";
	if (out_get(g, "code") && !*out_str(g, "signal"))
		snprintf(code, sizeof(code), "code %" JSON_INTEGER_FORMAT, out_int(g, "code"));
	why = *code ? code : why;
	mpi = strcmp(mpi, "in MPI") ? mpi : ""; /* where nearly all are */
	data_place(g, place, sizeof(place));
	iteration(g, where, index, sizeof(index));
	since(g, seconds, sizeof(seconds));
	list_add(l, id, g,
		 SAY_RANKS "%-*s" SAY_NORMAL " %5zu  %s%-8s " SAY_POINT "%-*s" SAY_NORMAL
			   " %-3s%-*s %-*s %8s  %s%s%s",
		 w->ranks, out_str(g, "ranks"), data_count(out_str(g, "ranks")), style_of(g),
		 out_str(g, "state"), w->point, out_str(g, "point"), construct, w->place, place,
		 w->index, index, seconds, why, *why && *mpi ? "  " : "", mpi);
}

static int wider(int width, const char *text)
{
	int now = text_width(text);

	return now > width && now <= MOST_WIDE ? now : width;
}

static struct widths measure(const json_t *groups, const json_t *where)
{
	struct widths w = { 7, 5, 12, 4 };
	char place[300], index[100];

	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i);

		w.ranks = wider(w.ranks, out_str(g, "ranks"));
		w.point = wider(w.point, out_str(g, "point"));
		w.place = wider(w.place, data_place(g, place, sizeof(place)));
		w.index = wider(w.index, iteration(g, where, index, sizeof(index)));
	}
	return w;
}

static bool in_construct(const json_t *groups)
{
	for (size_t i = 0; i < json_array_size(groups); i++)
		if (*out_str(json_array_get(groups, i), "construct"))
			return true;
	return false;
}

static void load(struct view *v)
{
	struct err err = { "" };
	json_t *status = tui_ask(v->tui, "status", &err, "status -mpi");
	const json_t *groups = out_get(status, "groups");
	json_t *where = NULL;
	struct widths w;

	if (!json_array_size(groups)) {
		view_why(v, status ? out_str(status, "text") : err.text);
		json_decref(status);
		return;
	}
	if (in_construct(groups))
		where = tui_ask(v->tui, "where", NULL, "where -all");
	w = measure(groups, where);
	list_begin(&v->list);
	list_add(&v->list, 0, NULL, SAY_BOLD "%-*s %5s  %-8s %-*s %-*s %-*s %8s  %s", w.ranks,
		 "ranks", "count", "state", w.point, "point", w.place + 3, "construct", w.index,
		 "iter", "since", "why, MPI");
	for (size_t i = 0; i < json_array_size(groups); i++)
		add_group(&v->list, json_array_get(groups, i), where, &w, (int64_t)i + 1);
	list_end(&v->list);
	if (!v->list.at)
		v->list.at = 1; /* not on the heading */
	json_decref(where);
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
