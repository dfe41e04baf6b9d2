/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of the source: where the ranks are, numbers of constructs, actionpoints. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/logical/rankset.h"
#include "common/protocol/rule.h"
#include "frontend/tui/views/views.h"
#include "frontend/model/actionpoints.h"
#include "frontend/job/job.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/tui/core/core.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define TAB 4 /* a screen is narrower than an editor's window */
#define MOST_BESIDE 12

struct source_view {
	struct view v;
	char *path;    /* owned; of the file that is shown */
	char *file;    /* owned; the session's place when it was loaded last … */
	uint32_t line; /* … so that the cursor goes there only when that changes */
};

/* What stands beside a line. */
struct mark {
	const char *point; /* the newest number of a construct here; borrowed */
	bool here;
	struct rankset who; /* that are here */
	char *ranks;	    /* owned; the same in words, "" when all are */
	size_t level;	    /* of the frame that is here; 0: the innermost, they are stopped here */
	const struct actionpoint *act;
};

/* Of what stands left of the text. */
struct widths {
	int line, ranks, point;
};

/* The line's actionpoint; NULL when it has none. */
static struct actionpoint *act_at(struct session *s, const char *path, uint32_t line)
{
	for (size_t i = 0; i < actionpoints_count(s->acts); i++) {
		struct actionpoint *a = actionpoints_at(s->acts, i);

		if (a->rule.kind == RULE_LINE && a->rule.line == line &&
		    rule_file_matches(a->rule.file, path))
			return a;
	}
	return NULL;
}

static struct mark *mark_at(struct mark *mark, const struct source_file *f, const json_t *o)
{
	json_int_t line = out_int(o, "line");
	const char *file = out_str(o, "file");

	if (line < 1 || line > f->n || !*file)
		return NULL;
	return rule_file_matches(f->path, file) || rule_file_matches(file, f->path) ? &mark[line]
										    : NULL;
}

/* A frame further in counts more than those around it. */
static void mark_variant(struct mark *m, const char *ranks, size_t level)
{
	struct rankset who = { 0 };

	if (m->here && m->level != level)
		rankset_clear(&m->who);
	m->here = true;
	m->level = level;
	if (data_ranks(&who, ranks))
		xrankset_add_set(&m->who, &who);
	rankset_clear(&who);
}

static void mark_frames(struct mark *mark, const struct source_file *f, const json_t *where)
{
	const json_t *frames = out_get(where, "frames");

	for (size_t i = json_array_size(frames); i-- > 0;) {
		const json_t *variants = out_get(json_array_get(frames, i), "variants");

		for (size_t k = 0; k < json_array_size(variants); k++) {
			const json_t *v = json_array_get(variants, k);
			struct mark *m = mark_at(mark, f, v);

			if (m)
				mark_variant(m, out_str(v, "ranks"), i);
		}
	}
}

/* Says which ranks are where they are not all. */
static void name_ranks(struct mark *m, const struct rankset *all)
{
	char text[64] = "";

	if (!m->here)
		return;
	if (!rankset_covers(&m->who, all))
		rankset_format(&m->who, text, sizeof(text));
	m->ranks = xstrdup(text);
	rankset_clear(&m->who);
}

/* All ranks whose stacks are known. */
static void ranks_of(const json_t *where, struct rankset *out)
{
	const json_t *frames = out_get(where, "frames");

	for (size_t i = 0; i < json_array_size(frames); i++) {
		struct rankset part = { 0 };

		if (data_ranks(&part, out_str(json_array_get(frames, i), "ranks")))
			xrankset_add_set(out, &part);
		rankset_clear(&part);
	}
}

static void mark_points(struct mark *mark, const struct source_file *f, const json_t *points)
{
	const json_t *list = out_get(points, "list");

	for (size_t i = 0; i < json_array_size(list); i++) {
		struct mark *m = mark_at(mark, f, json_array_get(list, i));

		if (m)
			m->point = out_str(json_array_get(list, i), "point");
	}
}

/* Text with blanks for its tabs, to be freed. */
static char *expand_tabs(const char *text)
{
	char *out = xmalloc(strlen(text) * TAB + 1), *to = out;

	for (int at = 0; *text; text++, at++) {
		int n = *text == '\t' ? TAB - at % TAB : 1;

		memset(to, *text == '\t' ? ' ' : *text, (size_t)n);
		to += n;
		at += n - 1;
	}
	*to = 0;
	return out;
}

/* "● 61 -> 3      for (…", " 52 1>         while (…" in the frame 1 */
static void add_line(struct list *l, const char *text, uint32_t line, const struct mark *m,
		     const struct widths *w)
{
	const char *act = !m->act ? " " : m->act->enabled ? SAY_BAD "●" : SAY_DIM "○";
	bool inner = m->ranks && !m->level;
	char arrow[32] = "   ";
	size_t len = m->point ? strlen(m->point) : 0;
	char *clean = expand_tabs(text);

	if (inner)
		snprintf(arrow, sizeof(arrow), SAY_HERE " ->");
	else if (m->ranks)
		snprintf(arrow, sizeof(arrow), SAY_BOLD "%2zu>", m->level);
	glyph_clean(clean);
	list_add(
		l, line, NULL,
		"%s" SAY_DIM "%*" PRIu32 "%s" SAY_RANKS "%*s" SAY_POINT " %*.*s " SAY_NORMAL "%s%s",
		act, w->line, line, arrow, w->ranks, m->ranks ? m->ranks : "", w->point,
		len > 2 ? (int)len - 2 : 0, m->point ? m->point : "", inner ? SAY_HERE : "", clean);
	free(clean);
}

/* The larger, of what is not too wide. */
static int wider(int width, size_t len)
{
	return len <= MOST_BESIDE && (int)len > width ? (int)len : width;
}

static void fill(struct source_view *sv, struct session *s, const struct source_file *f,
		 const json_t *where, const json_t *points)
{
	struct mark *mark = xcalloc(f->n + 1, sizeof(*mark));
	struct widths w = { .line = 3 };
	struct rankset all = { 0 };

	mark_points(mark, f, points);
	mark_frames(mark, f, where);
	ranks_of(where, &all);
	for (uint32_t i = 1; i <= f->n; i++) {
		name_ranks(&mark[i], &all);
		w.ranks = wider(w.ranks, mark[i].ranks ? strlen(mark[i].ranks) : 0);
		w.point = wider(w.point, mark[i].point ? strlen(mark[i].point) - 2 : 0);
		mark[i].act = act_at(s, f->path, i);
	}
	for (uint32_t n = f->n; n >= 1000; n /= 10)
		w.line++;
	list_begin(&sv->v.list);
	for (uint32_t i = 1; i <= f->n; i++)
		add_line(&sv->v.list, f->line[i - 1], i, &mark[i], &w);
	list_end(&sv->v.list);
	for (uint32_t i = 1; i <= f->n; i++)
		free(mark[i].ranks);
	free(mark);
	rankset_clear(&all);
}

/* The cursor follows the session's place when that has changed. */
static void follow(struct source_view *sv, const struct shell *sh)
{
	if (sv->file && !strcmp(sv->file, sh->file) && sv->line == sh->line)
		return;
	free(sv->file);
	sv->file = xstrdup(sh->file);
	sv->line = sh->line;
	if (sh->line)
		list_go(&sv->v.list, sh->line - 1);
}

static void load(struct view *v)
{
	struct source_view *sv = (struct source_view *)v;
	struct session *s = tui_session(v->tui);
	json_t *where = s->job ? tui_ask(v->tui, "where", NULL, "where -all") : NULL;
	json_t *points = s->job ? data_points(v->tui, NULL) : NULL;
	const struct source_file *f = NULL;
	struct err err = { "" };

	if (!s->shell->file)
		data_first_place(s);
	if (!s->shell->file && !s->spec.argv)
		err_set(&err, "No program is loaded. :load PROGRAM loads one.");
	else if (s->shell->file)
		f = source_find(s->shell->source, s->shell->file,
				settings_text(s->set, "SOURCE_PATH"),
				s->spec.argv ? s->spec.argv[0] : NULL, &err);
	else
		err_set(&err,
			"There is no current place yet. c starts the program, :list FILE:LINE "
			"shows a source.");
	if (f) {
		free(sv->path);
		sv->path = xstrdup(f->path);
		fill(sv, s, f, where, points);
		follow(sv, s->shell);
	} else {
		view_why(v, err.text);
	}
	json_decref(where);
	json_decref(points);
}

static bool act(struct view *v, enum key_action action)
{
	const struct source_view *sv = (struct source_view *)v;
	const struct row *row = list_row(&v->list);
	const char *slash = sv->path ? strrchr(sv->path, '/') : NULL;
	const struct actionpoint *a;

	if (action == KEY_ACT_HERE) {
		tui_run(v->tui, "list $EXEC -length 1");
		return true;
	}
	if ((action != KEY_ACT_BREAK && action != KEY_ACT_ENABLE) || !row || !sv->path)
		return false;
	a = act_at(tui_session(v->tui), sv->path, (uint32_t)row->id);
	if (action == KEY_ACT_ENABLE && a)
		tui_run(v->tui, "%s %u", a->enabled ? "disable" : "enable", a->rule.id);
	else if (action == KEY_ACT_ENABLE)
		tui_say(v->tui, "this line has no actionpoint; b sets one");
	else if (a)
		tui_run(v->tui, "delete %u", a->rule.id);
	else
		tui_run(v->tui, "break %s:%" PRId64, slash ? slash + 1 : sv->path, row->id);
	return true;
}

static void title(const struct view *v, char *out, size_t size)
{
	const struct source_view *sv = (const struct source_view *)v;
	const char *slash = sv->path ? strrchr(sv->path, '/') : NULL;

	if (v->list.n)
		snprintf(out, size, "%s:%zu", slash ? slash + 1 : sv->path, v->list.at + 1);
}

static void close_source(struct view *v)
{
	struct source_view *sv = (struct source_view *)v;

	free(sv->path);
	free(sv->file);
}

const struct view_class view_source = {
	.without_job = true,
	.name = "source",
	.size = sizeof(struct source_view),
	.hint = "b break  e enable  . to the ranks  c cont  s step  : command  Tab 0-9 views  / "
		"search",
	.load = load,
	.act = act,
	.title = title,
	.close = close_source,
};
