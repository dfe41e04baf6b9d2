/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of ranks: what each group does, at which point and iteration, and for how long. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/logical/rankset.h"
#include "frontend/tui/views/views.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/render/render.h"
#include "frontend/session/session.h"
#include "frontend/tui/core/core.h"
#include "frontend/model/ask.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define MOST_WIDE 24   /* what is wider pushes the others aside */
#define MOST_ROWS 1000 /* of one group */
#define COLUMNS 80     /* before the first draw */

enum { RANKS, COUNT, STATE, POINT, CONSTRUCT, INDEX, SINCE, WHY, CELLS };

struct ranks_view {
	struct view v;
	json_t *groups, *where; /* owned; what was loaded, a group for each call of MPI */
	int columns;		/* that the rows were made for */
};

/* What is reported of a group, and how. */
struct cells {
	char text[CELLS][400];
	const char *style[CELLS];
};

static const struct {
	const char *heading;
	bool right;
} columns[CELLS] = {
	[RANKS] = { "ranks", false },	      [COUNT] = { "count", true },
	[STATE] = { "state", false },	      [POINT] = { "point", false },
	[CONSTRUCT] = { "construct", false }, [INDEX] = { "iter", false },
	[SINCE] = { "since", true },	      [WHY] = { "why, MPI", false },
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

static void make_cells(struct cells *c, const json_t *g, const json_t *where)
{
	const char *construct = out_str(g, "construct");
	const char *why = *out_str(g, "signal") ? out_str(g, "signal") : out_str(g, "reason");
	const char *mpi = out_str(g, "mpi");
	char code[40], place[300];

	*c = (struct cells){
		.style = { [RANKS] = SAY_RANKS, [STATE] = style_of(g), [POINT] = SAY_POINT }
	};
	if (!strcmp(construct, "function"))
		construct = "";
	if (out_get(g, "code") && !*out_str(g, "signal")) {
		snprintf(code, sizeof(code), "code %" JSON_INTEGER_FORMAT, out_int(g, "code"));
		why = code;
	}
	mpi = *out_str(g, "call") ? out_str(g, "call") : mpi;
	data_place(g, place, sizeof(place));
	snprintf(c->text[RANKS], sizeof(c->text[RANKS]), "%s", out_str(g, "ranks"));
	snprintf(c->text[COUNT], sizeof(c->text[COUNT]), "%zu", data_count(out_str(g, "ranks")));
	snprintf(c->text[STATE], sizeof(c->text[STATE]), "%s", out_str(g, "state"));
	snprintf(c->text[POINT], sizeof(c->text[POINT]), "%s", out_str(g, "point"));
	snprintf(c->text[CONSTRUCT], sizeof(c->text[CONSTRUCT]), *place ? "%-3s%s" : "%s%s",
		 construct, place);
	iteration(g, where, c->text[INDEX], sizeof(c->text[INDEX]));
	since(g, c->text[SINCE], sizeof(c->text[SINCE]));
	snprintf(c->text[WHY], sizeof(c->text[WHY]), "%s%s%s", why, *why && *mpi ? "  " : "", mpi);
}

/* Of each column; what is running is as wide now as in a second. */
static void measure(const json_t *groups, const json_t *where, int width[CELLS])
{
	struct cells c;

	for (int k = 0; k < CELLS; k++)
		width[k] = glyph_width(columns[k].heading);
	width[RANKS] = 7;
	width[STATE] = 7;
	width[CONSTRUCT] = 15;
	width[SINCE] = 8;
	for (size_t i = 0; i < json_array_size(groups); i++) {
		make_cells(&c, json_array_get(groups, i), where);
		for (int k = 0; k < CELLS; k++) {
			int now = glyph_width(c.text[k]);

			if (now > width[k] && (now <= MOST_WIDE || k == WHY))
				width[k] = now;
		}
	}
}

/* Blanks before a column: more where numbers end beside a text. */
static int gap(int k)
{
	return k == 0 ? 0 : columns[k - 1].right ? 2 : 1;
}

/* How many of the columns have room beside one another. */
static int fitting(const int width[CELLS], int room)
{
	int used = 0, n = 0;

	for (; n < CELLS && used + gap(n) + width[n] <= room; n++)
		used += gap(n) + width[n];
	return n;
}

static void put_cell(FILE *f, int k, int width, const char *style, const char *text)
{
	int blank = width - glyph_width(text);

	blank = blank > 0 ? blank : 0;
	fprintf(f, "%*s%s%s" SAY_NORMAL "%*s", gap(k) + (columns[k].right ? blank : 0), "",
		style ? style : "", text, columns[k].right ? 0 : blank, "");
}

/* What stands before it where it is not below its heading. */
static const char *before(int k, const char *text)
{
	if (k == SINCE)
		return strchr(text, ':') ? "since " : "for ";
	return k == INDEX ? "iteration " : "";
}

/* What has no column, in rows below. */
static void add_rest(struct ranks_view *rv, const struct cells *c, int n, const json_t *g,
		     int64_t id)
{
	char text[2000] = "";
	size_t used = 0, part;

	for (int k = n; k < CELLS && used < sizeof(text); k++)
		if (*c->text[k])
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s",
						 *text ? "  " : "", before(k, c->text[k]),
						 c->text[k]);
	for (const char *p = text; *p; p += part + strspn(p + part, " ")) {
		part = data_fitting(p, rv->columns - 2);
		list_add(&rv->v.list, ++id, g, "  %.*s", (int)part, p);
	}
}

static void add_group(struct ranks_view *rv, const json_t *g, const int width[CELLS], int64_t id)
{
	int n = fitting(width, rv->columns);
	char *text = NULL;
	struct cells c;
	size_t len;
	FILE *f = xmemstream(&text, &len);

	make_cells(&c, g, rv->where);
	for (int k = 0; k < n; k++)
		put_cell(f, k, width[k], c.style[k], c.text[k]);
	xmemstream_close(f);
	if (text)
		list_add(&rv->v.list, id, g, "%s", text);
	free(text);
	add_rest(rv, &c, n, g, id);
}

static void add_headings(struct ranks_view *rv, const int width[CELLS])
{
	int n = fitting(width, rv->columns);
	char *text = NULL;
	size_t len;
	FILE *f = xmemstream(&text, &len);

	for (int k = 0; k < n; k++)
		put_cell(f, k, width[k], SAY_BOLD, columns[k].heading);
	xmemstream_close(f);
	if (text)
		list_add(&rv->v.list, 0, NULL, "%s", text);
	free(text);
}

static void fill(struct ranks_view *rv)
{
	const json_t *groups = rv->groups;
	struct list *l = &rv->v.list;
	int width[CELLS];

	measure(groups, rv->where, width);
	list_begin(l);
	add_headings(rv, width);
	for (size_t i = 0; i < json_array_size(groups); i++)
		add_group(rv, json_array_get(groups, i), width, (int64_t)(i + 1) * MOST_ROWS);
	list_end(l);
	if (!l->at)
		l->at = 1; /* not on the heading */
}

static bool in_construct(const json_t *groups)
{
	for (size_t i = 0; i < json_array_size(groups); i++)
		if (*out_str(json_array_get(groups, i), "construct"))
			return true;
	return false;
}

static json_t *group_of(const json_t *g, const struct rankset *ranks)
{
	json_t *part = json_copy((json_t *)g);

	json_object_set_new(part, "ranks", ask_ranks(ranks));
	return part;
}

/* "MPI_Recv from 1, tag 7, 10 MPI_INT on MPI_COMM_WORLD (4 ranks)  ring.c:20". */
static json_t *call_text(const json_t *call)
{
	char *text = NULL;
	json_t *out;
	size_t len;
	FILE *f = xmemstream(&text, &len);

	render_mpi_call(f, call);
	xmemstream_close(f);
	out = out_json_text(text ? text : out_str(call, "call"));
	free(text);
	return out;
}

/* Adds the part of a group that is in one call, and takes it out of ranks. */
static void add_call(json_t *out, const json_t *g, const json_t *call, struct rankset *ranks)
{
	struct rankset in = { 0 };
	json_t *part;

	if (*out_str(call, "call") && data_ranks(&in, out_str(call, "ranks"))) {
		xrankset_intersect(&in, ranks);
		if (in.n) {
			part = group_of(g, &in);
			json_object_set_new(part, "call", call_text(call));
			json_array_append_new(out, part);
			xrankset_remove_set(ranks, &in);
		}
	}
	rankset_clear(&in);
}

/* The groups of a status, those that are in calls of MPI by these. */
static json_t *by_calls(const json_t *status)
{
	const json_t *groups = out_get(status, "groups"), *calls = out_get(status, "calls");
	json_t *out = json_array();

	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i);
		bool alive = !strcmp(out_str(g, "state"), "running") ||
			     !strcmp(out_str(g, "state"), "stopped");
		struct rankset ranks = { 0 };

		if (!alive || !data_ranks(&ranks, out_str(g, "ranks"))) {
			json_array_append(out, (json_t *)g);
			rankset_clear(&ranks);
			continue;
		}
		for (size_t k = 0; k < json_array_size(calls); k++)
			add_call(out, g, json_array_get(calls, k), &ranks);
		if (ranks.n)
			json_array_append_new(out, group_of(g, &ranks));
		rankset_clear(&ranks);
	}
	return out;
}

static void load(struct view *v)
{
	struct ranks_view *rv = (struct ranks_view *)v;
	struct err err = { "" };
	json_t *status = tui_ask(v->tui, "status", &err, "status -mpi");
	json_t *groups = by_calls(status), *where = NULL;

	if (in_construct(groups))
		where = tui_ask(v->tui, "where", NULL, "where -all");
	json_decref(rv->groups);
	json_decref(rv->where);
	rv->groups = groups;
	rv->where = where;
	rv->columns = rv->columns ? rv->columns : COLUMNS;
	if (json_array_size(groups))
		fill(rv);
	else
		view_why(v, status ? out_str(status, "text") : err.text);
	json_decref(status);
}

/* Rows are as long as the view is wide. */
static void draw(struct view *v, struct screen *sc, struct area a, bool focused)
{
	struct ranks_view *rv = (struct ranks_view *)v;

	if (v->list.n && a.columns != rv->columns) {
		rv->columns = a.columns;
		fill(rv);
	}
	list_draw(&v->list, sc, a, focused);
}

static bool act(struct view *v, enum key_action action)
{
	const struct row *row = list_row(&v->list);
	const char *ranks = row ? out_str(row->data, "ranks") : "", *focus;

	if (action != KEY_ACT_OPEN || !*ranks)
		return false;
	if (tui_session(v->tui) != tui_own(v->tui)) {
		tui_say(v->tui, "the current set is one of B; S shows that run");
		return true;
	}
	focus = tui_session(v->tui)->focus;
	if (strlen(ranks) == strlen(focus) + 2 && !strncmp(ranks + 1, focus, strlen(focus)))
		tui_run(v->tui, "focus [all]");
	else
		tui_run(v->tui, "focus %s", ranks);
	return true;
}

static void close_ranks(struct view *v)
{
	struct ranks_view *rv = (struct ranks_view *)v;

	json_decref(rv->groups);
	json_decref(rv->where);
}

const struct view_class view_ranks = {
	.name = "ranks",
	.size = sizeof(struct ranks_view),
	.hint = "Enter looks at these ranks only  : command  Tab 0-9 views  / search  c cont",
	.live = true,
	.load = load,
	.draw = draw,
	.act = act,
	.close = close_ranks,
};
