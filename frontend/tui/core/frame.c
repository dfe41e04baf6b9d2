/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is around the views: the bar on top, titles, the line at the bottom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/logical/point.h"
#include "common/protocol/report.h"
#include "frontend/model/findings.h"
#include "frontend/job/job.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/tui/core/core.h"
#include "frontend/tui/screen/glyph.h"
#include "frontend/tui/core/internal.h"
#include "frontend/util/xalloc.h"

#define GROUPS_TOLD 3
#define MOST_DROPPED 10 /* from the bar, with and without the name */
#define TITLE_FRAME 5	/* columns of a title beside the view's name and what it says */

static const char every_view[] = ": command  Tab 0-9 views  / search  c cont  s step  q prompt";

/* "[0:3] stopped 3.B", a group each, from what is known here; with its place when all are there. */
static void put_stops(FILE *f, const struct session *s, bool place)
{
	const struct groups *stops = job_stops(s->job);
	char set[64], point[POINT_TEXT], text[300];

	for (size_t i = 0; i < stops->n && i < GROUPS_TOLD; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (report_stop_get(&r, &b))
			continue;
		fprintf(f, "  %s stopped %s",
			rankset_format(&stops->group[i].ranks, set, sizeof(set)),
			r.point.main ? point_format(&r.point, point) : "before the first point");
		if (place && stops->n == 1 && r.frame.kind < CONSTRUCT_KINDS)
			fprintf(f, "  %s %s", construct_brief(r.frame.kind),
				symbols_text(s->symbols, &r.frame.place, text, sizeof(text)));
	}
	if (stops->n > GROUPS_TOLD)
		fputs("  …", f);
}

static void put_set(FILE *f, const struct job *j, enum job_set which, const char *words)
{
	const struct rankset *set = job_set(j, which);
	char text[64];

	if (set->n)
		fprintf(f, "  %s %s", rankset_format(set, text, sizeof(text)), words);
}

static void end_words(const struct report_exit *r, char *out, size_t size)
{
	const char *name = r->how == EXIT_SIGNAL ? sigabbrev_np(r->code) : NULL;

	if (r->how == EXIT_SIGNAL && r->released)
		snprintf(out, size, "killed");
	else if (name)
		snprintf(out, size, "killed by SIG%s", name);
	else if (r->how == EXIT_SIGNAL)
		snprintf(out, size, "killed by signal %d", (int)r->code);
	else if (r->how == EXIT_NOEXEC)
		snprintf(out, size, "not started: %s", strerror(r->code));
	else if (r->aborted)
		snprintf(out, size, "ended by MPI_Abort(%d)", (int)r->abort_code);
	else if (r->code)
		snprintf(out, size, "ended with code %d", (int)r->code);
	else
		snprintf(out, size, "ended");
}

/* "[0,2] ended  [1] killed by SIGKILL" */
static void put_ends(FILE *f, const struct job *j)
{
	const struct groups *exits = job_exits(j);
	struct groups ends = { 0 };
	char words[100], set[64];

	for (size_t i = 0; i < exits->n; i++) {
		struct buf b = buf_view(exits->group[i].blob, exits->group[i].len);
		struct report_exit r;

		if (report_exit_get(&r, &b) < 0)
			continue;
		end_words(&r, words, sizeof(words));
		xalloc_check(groups_add(&ends, &exits->group[i].ranks, words, strlen(words) + 1));
	}
	for (size_t i = 0; i < ends.n && i < GROUPS_TOLD; i++)
		fprintf(f, "  %s %s", rankset_format(&ends.group[i].ranks, set, sizeof(set)),
			(const char *)ends.group[i].blob);
	if (ends.n > GROUPS_TOLD)
		fputs("  …", f);
	groups_clear(&ends);
}

static void put_state(FILE *f, const struct session *s, bool place)
{
	if (!s->job) {
		fputs(s->spec.argv ? "  nothing runs" : "  no program is loaded", f);
		return;
	}
	put_set(f, s->job, JOB_LOADED, "not started");
	put_set(f, s->job, JOB_RUNNING, "running");
	put_stops(f, s, place);
	put_ends(f, s->job);
	put_set(f, s->job, JOB_LOST, "lost");
}

/* In a pair both, first the one that is seen. */
static void put_runs(FILE *f, const struct tui *t, bool place)
{
	const struct session *seen = tui_session(t);

	if (t->s->pair)
		fprintf(f, "  %c:", t->other ? 'A' : 'B');
	put_state(f, seen, place);
	if (!t->s->pair)
		return;
	fprintf(f, "  %c:", t->other ? 'B' : 'A');
	put_state(f, t->other ? t->s : pair_other(t->s->pair), false);
}

/* To be freed. */
static char *bar_text(const struct tui *t, bool name, bool place)
{
	const struct session *s = t->s;
	char *text = NULL;
	size_t len;
	FILE *f = xmemstream(&text, &len);

	if (name)
		fprintf(f, " %s", s->spec.argv ? data_base(s->spec.argv[0]) : "dvmdbg");
	put_runs(f, t, place);
	if (strcmp(s->focus, "all"))
		fprintf(f, "  focus [%s]", s->focus);
	if (findings_count(s->findings))
		fprintf(f, "  findings: %zu", findings_count(s->findings));
	if (t->unread)
		fprintf(f, "  output: +%zu", t->unread);
	xmemstream_close(f);
	return text;
}

/* Without what stands behind the last two blanks. */
static void drop_last(char *text)
{
	size_t n = strlen(text);

	while (n > 1 && strncmp(text + n - 1, "  ", 2))
		n--;
	text[n > 1 ? n - 1 : 0] = 0;
}

/* Where there is little room the place goes, which the views show too, the name, what stands last.
 */
static void draw_bar(const struct tui *t, int columns)
{
	char *text = bar_text(t, true, true);

	for (int i = 0; text && glyph_width(text) > columns && i < MOST_DROPPED; i++) {
		free(text);
		text = bar_text(t, i % 2 == 0, false);
		for (int k = 0; text && k < i / 2; k++)
			drop_last(text);
	}
	if (text)
		screen_text(t->sc, 0, 0, columns, STYLE_BAR, 0, text + !strncmp(text, "  ", 2));
	free(text);
}

/* What was seen last is shown as that. */
static const char *age(const struct tui *t, const struct view *v)
{
	if (!v->class->load || v->class->live || v->class->of_files || (!v->epoch && !v->picture) ||
	    (v->why && !tui_ranks_run(t)))
		return "";
	if (v->moving && v->epoch == t->epoch)
		return "  (while ranks ran)";
	return tui_ranks_run(t) || !tui_session(t)->job ? "  (at the last stop)" : "";
}

/* In a pair which run the view is of; a difference is of both. */
static const char *whose(const struct tui *t, const struct view *v)
{
	if (!t->s->pair || !v->class->load || v->class->of_both)
		return "";
	return t->other ? " of A" : " of B";
}

/* "━ source  heat.c ━━━━━"; heavy lines for the view that has the keys. */
static void draw_title(struct tui *t, const struct view *v, struct area a, bool focus)
{
	int style = focus ? STYLE_FOCUS : STYLE_TITLE;
	char more[300] = "", name[40], text[400];

	if (v->class->title)
		v->class->title(v, more, sizeof(more));
	glyph_clean(more);
	snprintf(more + strlen(more), sizeof(more) - strlen(more), "%s", age(t, v));
	if (v->list.left)
		snprintf(more + strlen(more), sizeof(more) - strlen(more), "  from column %d",
			 v->list.left + 1);
	snprintf(name, sizeof(name), "%s%s", v->class->name, whose(t, v));
	glyph_fit(more, a.columns - glyph_width(name) - TITLE_FRAME);
	snprintf(text, sizeof(text), " %s%s%s ", name, *more ? "  " : "", more);
	screen_fill(t->sc, a.y, a.x, a.columns, style, focus ? "━" : "─");
	screen_text(t->sc, a.y, a.x + 1,
		    glyph_width(text) < a.columns - 1 ? glyph_width(text) : a.columns - 1, style, 0,
		    text);
}

static void draw_why(struct tui *t, const char *why, struct area a)
{
	for (int i = 0; i < a.rows; i++) {
		size_t n = data_fitting(why, a.columns);
		char *row = xstrndup(why, n);

		screen_text(t->sc, a.y + i, a.x, a.columns, STYLE_DIM, 0, row ? row : "");
		free(row);
		why += n + strspn(why + n, " ");
	}
}

static void draw_view(struct tui *t, struct view *v, struct area a, bool focus)
{
	draw_title(t, v, a, focus);
	a.y++;
	a.rows--;
	if (v->why && !v->list.n)
		draw_why(t, v->why, a);
	else if (v->class->load && !v->epoch && !v->picture && !v->list.n && t->busy)
		draw_why(t, "To be seen when the ranks stop; Ctrl-C halts them.", a);
	else if (v->class->draw)
		v->class->draw(v, t->sc, a, focus);
	else
		list_draw(&v->list, t->sc, a, focus);
}

/* As many of the keys' words as fit whole. */
static void put_hint(const char *hint, int columns, char *out, size_t size)
{
	size_t fits = 0;

	for (const char *end = hint; end; end = strstr(end + 2, "  "))
		if (glyph_width(hint) - glyph_width(end) <= columns - 8)
			fits = (size_t)(end - hint);
	if (glyph_width(hint) <= columns - 8)
		fits = strlen(hint);
	snprintf(out, size, "? help  %.*s", (int)fits, hint);
}

/* What is under way, or what was said last, or which keys there are. */
static void bottom_text(const struct tui *t, int columns, char *out, size_t size)
{
	int64_t seconds = (loop_now() - t->busy_since) / 1000;
	char share[16] = "";
	int n;

	if (t->s->progress > 0)
		snprintf(share, sizeof(share), "  %d %%", (int)(100 * t->s->progress));
	if (t->busy) {
		n = snprintf(out, size, "%s  %lld s%s  %s%sCtrl-C stops it", t->busy,
			     (long long)seconds, share, t->progress, *t->progress ? "  " : "");
		if (t->queued && n > 0 && (size_t)n < size)
			snprintf(out + n, size - (size_t)n, "  then: %s%s", t->queue[0],
				 t->queued > 1 ? " …" : "");
		else if (*t->message && n > 0 && (size_t)n < size)
			snprintf(out + n, size - (size_t)n, "  %s", t->message);
	} else if (t->asking && seconds) {
		snprintf(out, size, "asking the ranks  %lld s%s  Ctrl-C gives it up",
			 (long long)seconds, share);
	} else if (*t->message) {
		snprintf(out, size, "%s", t->message);
	} else if (t->help) {
		snprintf(out, size, "? or Esc: back   j k PgDn PgUp: scroll   / search");
	} else {
		const struct view *v = tui_view(t, tui_focus(t));
		const char *hint = v->class->hints ? v->class->hints(v) : v->class->hint;

		put_hint(hint ? hint : every_view, columns, out, size);
	}
}

/* The end of a long one, where the answers stand, is always seen. */
static void draw_question(struct tui *t, int y, int columns)
{
	char text[600];
	int width, skip;

	snprintf(text, sizeof(text), "%s (y or n) ", t->question);
	width = glyph_width(text);
	skip = width >= columns ? width - columns + 1 : 0;
	screen_text(t->sc, y, 0, columns, STYLE_BOLD, skip, text);
	screen_cursor(t->sc, y, width - skip);
}

static void draw_bottom(struct tui *t, int y, int columns)
{
	char text[600];
	int skip;

	if (t->question) {
		draw_question(t, y, columns);
		return;
	}
	if (t->prompt && t->prompt_text) {
		offer_draw(&t->offer, t->sc, y, columns);
		skip = t->prompt_cursor >= columns ? t->prompt_cursor - columns + 1 : 0;
		if (*t->message)
			screen_text(t->sc, y - 1, 0, columns, STYLE_BAR, 0, t->message);
		screen_text(t->sc, y, 0, columns, STYLE_NORMAL, skip, t->prompt_text);
		screen_cursor(t->sc, y, t->prompt_cursor - skip);
		return;
	}
	bottom_text(t, columns, text, sizeof(text));
	glyph_fit(text, columns);
	screen_text(t->sc, y, 0, columns, t->busy || *t->message ? STYLE_BOLD : STYLE_DIM, 0, text);
}

static void draw_too_small(struct tui *t, int rows, int columns)
{
	char text[120];

	snprintf(text, sizeof(text), "%d x %d is too small: %d x %d is needed", columns, rows,
		 TUI_LEAST_COLUMNS, TUI_LEAST_ROWS);
	for (int y = 0, skip = 0; y < rows && skip < glyph_width(text); y++, skip += columns)
		screen_text(t->sc, y, 0, columns, STYLE_NORMAL, skip, text);
}

static struct area all_views(const struct tui *t)
{
	return (struct area){ 1, 0, screen_rows(t->sc) - 2, screen_columns(t->sc) };
}

void frame_place(struct tui *t)
{
	panes_place(&t->panes, all_views(t));
}

static bool seen(struct tui *t, const struct view_class *class)
{
	const struct pane *p = panes_find(&t->panes, class);

	return p && p->shown && !t->help;
}

void frame_draw(struct tui *t)
{
	int rows = screen_rows(t->sc), columns = screen_columns(t->sc);

	screen_clear(t->sc);
	screen_cursor(t->sc, -1, 0);
	if (seen(t, &view_output))
		t->unread = 0;
	if (rows < TUI_LEAST_ROWS || columns < TUI_LEAST_COLUMNS) {
		draw_too_small(t, rows, columns);
		screen_show(t->sc);
		return;
	}
	draw_bar(t, columns);
	if (t->help) {
		draw_view(t, tui_view(t, view_of_help), all_views(t), true);
	} else {
		frame_place(t);
		for (size_t i = 0; i < t->panes.n; i++) {
			const struct pane *p = &t->panes.pane[i];

			if (!p->shown)
				continue;
			draw_view(t, tui_view(t, p->view), p->area, i == t->panes.focus);
			for (int y = 0; p->area.x && y < p->area.rows; y++)
				screen_fill(t->sc, p->area.y + y, p->area.x - 1, 1, STYLE_TITLE,
					    "│");
		}
	}
	draw_bottom(t, rows - 1, columns);
	screen_show(t->sc);
}
