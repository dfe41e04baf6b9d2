/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of the system trace: a time line of calls of MPI, a row for each rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/export/picture.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/traceview/traceview.h"
#include "frontend/tui/core/core.h"
#include "frontend/tui/views/views.h"
#include "frontend/util/pattern.h"
#include "frontend/util/xalloc.h"
#include "frontend/verify/verify.h"

#define LABEL 7	 /* columns of "[1000] " */
#define AROUND 3 /* rows that are no rank's: times, the call of the cursor, the legend */
#define TEXT 700

struct timeline_view {
	struct view v;
	char *request; /* owned; path, as typed; NULL: the traces of the session */
	struct trace_files files;
	struct traceview_calls calls;
	uint64_t from, span; /* what is seen, in ns since 1970; span 0: all */
	uint64_t time;	     /* the cursor's */
	size_t rank, top;    /* positions in calls.rank */
	int rows, columns;   /* of ranks, and of cells, when it was drawn last */
	const struct traceview_call *of; /* that what is about */
	char what[TEXT];		 /* the call of the cursor */
	char place[300];
};

static uint64_t whole(const struct timeline_view *tv)
{
	uint64_t n = tv->calls.last - tv->calls.first;

	return n < TRACEVIEW_TIMELINE_MOST ? TRACEVIEW_TIMELINE_MOST : n;
}

static unsigned cells(const struct timeline_view *tv)
{
	return tv->columns > 0 ? (unsigned)tv->columns : 1;
}

/* A cell's part of what is seen, at least a nanosecond. */
static uint64_t cell(const struct timeline_view *tv)
{
	uint64_t n = tv->span / cells(tv);

	return n ? n : 1;
}

static void forget(struct timeline_view *tv)
{
	traceview_calls_clear(&tv->calls);
	trace_files_close(&tv->files);
	tv->of = NULL;
	*tv->what = *tv->place = '\0';
}

/* Keeps the cursor inside of what is seen, and that inside of the trace. */
static void settle(struct timeline_view *tv)
{
	uint64_t all = whole(tv), first = tv->calls.first, last = first + all - 1;

	if (!tv->span || tv->span > all)
		tv->span = all;
	if (tv->span < cells(tv))
		tv->span = cells(tv);
	tv->time = tv->time < first ? first : tv->time > last ? last : tv->time;
	if (tv->time < tv->from || tv->time >= tv->from + tv->span)
		tv->from = tv->time > tv->span / 2 ? tv->time - tv->span / 2 : 0;
	if (tv->from < first)
		tv->from = first;
	if (tv->from + tv->span > first + all)
		tv->from = tv->span < all ? first + all - tv->span : first;
	if (tv->rank >= tv->calls.nrank)
		tv->rank = tv->calls.nrank ? tv->calls.nrank - 1 : 0;
	if (tv->rank < tv->top)
		tv->top = tv->rank;
	if (tv->rows > 0 && tv->rank >= tv->top + (size_t)tv->rows)
		tv->top = tv->rank - (size_t)tv->rows + 1;
}

static unsigned cursor_cell(const struct timeline_view *tv)
{
	unsigned __int128 at = (unsigned __int128)(tv->time - tv->from) * cells(tv);
	unsigned x = (unsigned)(at / tv->span);

	return x < cells(tv) ? x : cells(tv) - 1;
}

static uint64_t cell_begin(const struct timeline_view *tv, unsigned x)
{
	/* the first nanosecond that is in it */
	unsigned __int128 at = ((unsigned __int128)tv->span * x + cells(tv) - 1) / cells(tv);

	return tv->from + (uint64_t)at;
}

/* The call that takes most of the cursor's cell, in words. */
static void describe(struct timeline_view *tv)
{
	const struct traceview_rank *r = &tv->calls.rank[tv->rank];
	unsigned x = cursor_cell(tv);
	const struct traceview_call *c =
		traceview_call_at(r, cell_begin(tv, x), cell_begin(tv, x + 1));
	const struct traceview_call *exact =
		tv->time ? traceview_call_next(r, tv->time - 1, 1) : NULL;
	json_t *o;

	/* the cursor may have gone to a short one */
	if (exact && exact->begin == tv->time)
		c = exact;
	if (c && c == tv->of)
		return;
	tv->of = c;
	*tv->place = '\0';
	if (!c) {
		snprintf(tv->what, sizeof(tv->what), "[%u]  no call, at %.6f s", r->rank,
			 (double)(tv->time - tv->calls.first) * 1e-9);
		return;
	}
	o = traceview_call_json(tui_session(tv->v.tui)->symbols, &tv->calls, r, c, &tv->files);
	snprintf(tv->place, sizeof(tv->place), "%s", out_str(o, "place"));
	snprintf(tv->what, sizeof(tv->what), "[%u]  %s  at %.6f s for %s  %s", r->rank,
		 o ? out_str(o, "text") : "?", (double)(c->begin - tv->calls.first) * 1e-9,
		 out_str(o, "took"), tv->place);
	glyph_clean(tv->what);
	json_decref(o);
}

static void load(struct view *v)
{
	struct timeline_view *tv = (struct timeline_view *)v;
	char *path = tv->request ? xstrdup(tv->request) :
				   checker_traces_dir(tui_session(v->tui)->checker);
	struct err err = { "" };

	forget(tv);
	view_why(v, NULL);
	if (!path)
		view_why(v,
			 "This session records no traces: record DIR -mpi does, and tui timeline "
			 "DIR shows what was recorded.");
	else if (trace_files_open(&tv->files, path, &err) ||
		 (traceview_has_calls(&tv->files) &&
		  traceview_calls_load(&tv->calls, &tv->files, &err)))
		view_why(v, err.text);
	else if (!tv->calls.last)
		view_why(v, "There are no calls of MPI in these traces; record -mpi keeps them.");
	else
		settle(tv);
	free(path);
}

static void object(struct view *v, const char *text)
{
	struct timeline_view *tv = (struct timeline_view *)v;

	free(tv->request);
	tv->request = *text ? xstrdup(text) : NULL;
	tv->from = tv->span = tv->time = 0;
	tv->rank = tv->top = 0;
	v->epoch = 0;
}

static void draw_row(const struct timeline_view *tv, size_t i, struct screen *sc, int y, int x)
{
	const struct traceview_rank *r = &tv->calls.rank[i];
	char *row = xmalloc(cells(tv) + 1), label[16];
	uint8_t *kind = xmalloc(cells(tv) + 1);

	snprintf(label, sizeof(label), "[%u]", r->rank);
	screen_text(sc, y, x, LABEL, i == tv->rank ? STYLE_BOLD : STYLE_RANKS, 0, label);
	traceview_row(&tv->calls, r, tv->from, tv->from + tv->span, cells(tv), row, kind);
	screen_text(sc, y, x + LABEL, tv->columns, STYLE_NORMAL, 0, row);
	for (unsigned k = 0, n; k < cells(tv); k += n) {
		for (n = 1; k + n < cells(tv) && kind[k + n] == kind[k];)
			n++;
		if (kind[k] < TRACEVIEW_KINDS)
			screen_tint(sc, y, x + LABEL + (int)k, (int)n, STYLE_NORMAL,
				    picture_rank_colour(kind[k]), kind[k]);
	}
	if (i == tv->rank) {
		unsigned at = cursor_cell(tv);
		char one[2] = { row[at], '\0' };

		screen_text(sc, y, x + LABEL + (int)at, 1, STYLE_NORMAL | STYLE_CURSOR, 0, one);
	}
	free(row);
	free(kind);
}

/* Kinds of calls that the trace has, as far as they fit. */
static void draw_legend(const struct timeline_view *tv, struct screen *sc, int y, struct area a)
{
	bool seen[TRACEVIEW_KINDS] = { false };
	int x = 0;

	for (uint32_t i = 0; i < tv->calls.nname; i++)
		seen[tv->calls.name[i].kind] = true;
	screen_text(sc, y, a.x, a.columns, STYLE_DIM, 0, "");
	for (unsigned k = 0; k < TRACEVIEW_KINDS; k++) {
		const char *words = traceview_kind_words(k);
		char letter[2] = { traceview_kind_letter(k), '\0' };
		int n = glyph_width(words);

		if (!seen[k] || x + n + 2 > a.columns)
			continue;
		screen_text(sc, y, a.x + x, 1, STYLE_BOLD, 0, letter);
		screen_tint(sc, y, a.x + x, 1, STYLE_BOLD, picture_rank_colour(k), k);
		screen_text(sc, y, a.x + x + 2, n, STYLE_DIM, 0, words);
		x += n + 4;
	}
}

/* What is seen of the time, and what a cell is. */
static void draw_times(const struct timeline_view *tv, struct screen *sc, struct area a)
{
	double from = (double)(tv->from - tv->calls.first) * 1e-9;
	char text[64], to[32], one[32];
	int n;

	snprintf(to, sizeof(to), "%.6f s", from + (double)tv->span * 1e-9);
	traceview_time_text(cell(tv), one, sizeof(one));
	snprintf(text, sizeof(text), "%.6f s  a cell %s", from, one);
	if (LABEL + glyph_width(text) + 2 + glyph_width(to) > a.columns)
		snprintf(text, sizeof(text), "%.6f s", from);
	screen_text(sc, a.y, a.x, a.columns, STYLE_DIM, 0, "");
	screen_text(sc, a.y, a.x + LABEL, a.columns - LABEL, STYLE_DIM, 0, text);
	n = glyph_width(to);
	if (LABEL + glyph_width(text) + 2 + n <= a.columns)
		screen_text(sc, a.y, a.x + a.columns - n, n, STYLE_DIM, 0, to);
}

static void draw(struct view *v, struct screen *sc, struct area a, bool focused)
{
	struct timeline_view *tv = (struct timeline_view *)v;
	int y;

	for (y = 0; y < a.rows; y++)
		screen_text(sc, a.y + y, a.x, a.columns, STYLE_NORMAL, 0, "");
	if (!tv->calls.last || a.rows < 1 + AROUND || a.columns < LABEL + 4)
		return;
	tv->rows = a.rows - AROUND;
	tv->columns = a.columns - LABEL;
	if (tv->columns > TRACEVIEW_TIMELINE_MOST)
		tv->columns = TRACEVIEW_TIMELINE_MOST;
	settle(tv);
	draw_times(tv, sc, a);
	for (y = 0; y < tv->rows && tv->top + (size_t)y < tv->calls.nrank; y++)
		draw_row(tv, tv->top + (size_t)y, sc, a.y + 1 + y, a.x);
	describe(tv);
	screen_text(sc, a.y + a.rows - 2, a.x, a.columns, STYLE_NORMAL, 0, tv->what);
	draw_legend(tv, sc, a.y + a.rows - 1, a);
}

/* Half or twice the time around the cursor, which stays in its cell. */
static void zoom(struct timeline_view *tv, bool nearer)
{
	uint64_t before = tv->time - tv->from, all = whole(tv);

	if (nearer) {
		if (tv->span / 2 < cells(tv))
			return;
		tv->span /= 2;
		tv->from = tv->time - before / 2;
		return;
	}
	tv->from =
		tv->time - tv->calls.first > before * 2 ? tv->time - before * 2 : tv->calls.first;
	tv->span = tv->span > all / 2 ? all : tv->span * 2;
}

static void step_call(struct timeline_view *tv, int step)
{
	const struct traceview_call *c =
		traceview_call_next(&tv->calls.rank[tv->rank], tv->time, step);

	if (c)
		tv->time = c->begin;
	else
		tui_say(tv->v.tui, step > 0 ? "there is no later call on this rank" :
					      "there is no earlier call on this rank");
}

static void move(struct timeline_view *tv, int64_t by)
{
	uint64_t first = tv->calls.first;
	unsigned x = cursor_cell(tv);

	/* from the beginning of a cell to that of another */
	if (by == 1 && x + 1 < cells(tv))
		tv->time = cell_begin(tv, x + 1);
	else if (by == -1 && x)
		tv->time = cell_begin(tv, x - 1);
	else if (by < 0)
		tv->time = tv->time - first > (uint64_t)-by * cell(tv) ?
				   tv->time - (uint64_t)-by * cell(tv) :
				   first;
	else
		tv->time += (uint64_t)by * cell(tv);
}

static void move_rank(struct timeline_view *tv, int by)
{
	int64_t to = (int64_t)tv->rank + by, n = (int64_t)tv->calls.nrank;

	tv->rank = (size_t)(to < 0 ? 0 : to >= n ? n - 1 : to);
}

static bool act_time(struct timeline_view *tv, enum key_action action)
{
	switch (action) {
	case KEY_ACT_LEFT:
	case KEY_ACT_RIGHT:
		move(tv, action == KEY_ACT_LEFT ? -1 : 1);
		return true;
	case KEY_ACT_PAGE_LEFT:
	case KEY_ACT_PAGE_RIGHT:
		move(tv, (action == KEY_ACT_PAGE_LEFT ? -1 : 1) * (int64_t)cells(tv));
		return true;
	case KEY_ACT_FIRST_COLUMN:
		tv->time = tv->calls.first;
		return true;
	case KEY_ACT_LAST_COLUMN:
		tv->time = tv->calls.last;
		return true;
	case KEY_ACT_NEARER:
	case KEY_ACT_FURTHER:
		zoom(tv, action == KEY_ACT_NEARER);
		return true;
	case KEY_ACT_WHOLE:
		tv->span = 0;
		return true;
	case KEY_ACT_FINDING_NEXT:
	case KEY_ACT_FINDING_PREVIOUS:
		step_call(tv, action == KEY_ACT_FINDING_NEXT ? 1 : -1);
		return true;
	default:
		return false;
	}
}

static bool act(struct view *v, enum key_action action)
{
	struct timeline_view *tv = (struct timeline_view *)v;

	if (!tv->calls.last)
		return false;
	switch (action) {
	case KEY_ACT_UP:
	case KEY_ACT_DOWN:
		move_rank(tv, action == KEY_ACT_UP ? -1 : 1);
		break;
	case KEY_ACT_PAGE_UP:
	case KEY_ACT_PAGE_DOWN:
		move_rank(tv, action == KEY_ACT_PAGE_UP ? -tv->rows : tv->rows);
		break;
	case KEY_ACT_TOP:
	case KEY_ACT_END:
		tv->rank = action == KEY_ACT_TOP ? 0 : tv->calls.nrank - 1;
		break;
	case KEY_ACT_OPEN:
		if (!strchr(tv->place, ':')) {
			tui_say(v->tui, "there is no call with a place in the source here");
			break;
		}
		tui_run(v->tui, "list %s -length 1", tv->place);
		tui_reveal(v->tui, &view_source);
		break;
	default:
		if (!act_time(tv, action))
			return false;
	}
	settle(tv);
	tui_draw(v->tui);
	return true;
}

/* The next call of the rank whose function matches. */
static bool find(struct view *v, const struct search *pattern, int step)
{
	struct timeline_view *tv = (struct timeline_view *)v;
	const struct traceview_rank *r = &tv->calls.rank[tv->rank];
	const struct traceview_call *c;

	if (!tv->calls.last)
		return false;
	for (c = traceview_call_next(r, tv->time, step); c && c >= r->call && c < r->call + r->n;
	     c += step) {
		if (!search_match(pattern, tv->calls.name[c->name].text))
			continue;
		tv->time = c->begin;
		settle(tv);
		tui_draw(v->tui);
		return true;
	}
	return false;
}

static void click(struct view *v, int y, int x)
{
	struct timeline_view *tv = (struct timeline_view *)v;
	size_t rank = tv->top + (size_t)(y > 0 ? y - 1 : 0);

	if (!tv->calls.last || y < 1 || y > tv->rows || rank >= tv->calls.nrank)
		return;
	tv->rank = rank;
	if (x >= LABEL && x < LABEL + tv->columns)
		tv->time = cell_begin(tv, (unsigned)(x - LABEL));
	settle(tv);
	tui_draw(v->tui);
}

static void title(const struct view *v, char *out, size_t size)
{
	const struct timeline_view *tv = (const struct timeline_view *)v;
	size_t n = 0;

	for (size_t i = 0; i < tv->calls.nrank; i++)
		n += tv->calls.rank[i].n;
	if (n)
		snprintf(out, size, "%zu calls of MPI%s%s", n, tv->request ? "  of " : "",
			 tv->request ? tv->request : "");
}

static void close_timeline(struct view *v)
{
	struct timeline_view *tv = (struct timeline_view *)v;

	forget(tv);
	free(tv->request);
}

const struct view_class view_timeline = {
	.without_job = true,
	.of_files = true,
	.name = "timeline",
	.size = sizeof(struct timeline_view),
	.hint = "> < zoom  ] [ calls  Enter to its place  = all  / search  : command  Tab 0-9 "
		"views",
	.load = load,
	.draw = draw,
	.act = act,
	.find = find,
	.object = object,
	.click = click,
	.title = title,
	.close = close_timeline,
};
