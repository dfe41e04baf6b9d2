/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of findings: filtered by kind and rank, with a way to their places. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/finding_kind.h"
#include "common/logical/rankset.h"
#include "frontend/tui/views/views.h"
#include "frontend/job/job.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/tui/core/core.h"
#include "frontend/util/xalloc.h"

#define INDENT 18      /* of what belongs to the row above */
#define NARROW 60      /* columns; with fewer there is hardly an indent */
#define MOST_ROWS 1000 /* of one finding */
#define COLUMNS 80     /* before the first draw */

struct findings_view {
	struct view v;
	int kind; /* one more than the kind that is shown; 0: all */
	int rank; /* the same */
	size_t shown;
	json_t *answer; /* owned; what was loaded */
	int columns;	/* that the rows were made for */
};

static bool names_rank(const char *ranks, int rank)
{
	struct rankset set = { 0 };
	bool yes = data_ranks(&set, ranks) && rankset_next(&set, (uint32_t)rank) == rank;

	rankset_clear(&set);
	return yes;
}

static bool wanted(const struct findings_view *fv, const json_t *f)
{
	if (fv->kind && strcmp(out_str(f, "kind"), finding_kind_key((unsigned)fv->kind - 1)))
		return false;
	return !fv->rank || names_rank(out_str(f, "ranks"), fv->rank - 1);
}

/* One more than the next kind that has been found, after the one that is shown; 0: all. */
static int next_kind(const struct findings_view *fv)
{
	const json_t *list = out_get(fv->answer, "list");
	int kind = fv->kind, found = 0;

	while (!found && kind < FINDING_KINDS) {
		const char *key = finding_kind_key((unsigned)kind++);

		for (size_t i = 0; i < json_array_size(list) && !found; i++)
			if (!strcmp(out_str(json_array_get(list, i), "kind"), key))
				found = kind;
	}
	return found;
}

/* One more than the next rank that has a finding of that kind, after the one that is shown; 0: all.
 */
static int next_rank(const struct findings_view *fv, int ranks)
{
	const json_t *list = out_get(fv->answer, "list");

	for (int rank = fv->rank; rank < ranks; rank++) {
		struct findings_view next = { .kind = fv->kind, .rank = rank + 1 };

		for (size_t i = 0; i < json_array_size(list); i++)
			if (wanted(&next, json_array_get(list, i)))
				return rank + 1;
	}
	return 0;
}

/* As many rows as the text takes, behind `row`. */
static void add_folded(struct list *l, int64_t *row, const json_t *f, const char *style,
		       const char *text, int indent, int columns)
{
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t n = data_fitting(text, columns - indent);

		list_add(l, ++*row, f, "%*s%s%.*s", indent, "", style, (int)n, text);
		text += n;
	}
}

/* A row of what and where, and the details below, as many rows as they take. */
static void add_finding(struct findings_view *fv, const json_t *f, int64_t id)
{
	const char *detail = out_str(f, "detail"), *place = out_str(f, "place");
	const char *what = out_str(f, "text");
	bool narrow = fv->columns < NARROW;
	int indent = narrow ? 2 : INDENT;
	int64_t row = id * MOST_ROWS;
	struct list *l = &fv->v.list;
	char before[200], *text;
	size_t n;

	snprintf(before, sizeof(before),
		 narrow ? SAY_POINT "%s " SAY_RANKS "%s " : SAY_POINT "%-8s " SAY_RANKS "%-8s ",
		 out_str(f, "point"), out_str(f, "ranks"));
	n = data_fitting(what, fv->columns - glyph_width(before));
	list_add(l, row, f, "%s" SAY_BAD "%.*s", before, (int)n, what);
	add_folded(l, &row, f, SAY_BAD, what + n, indent, fv->columns);
	text = xasprintf("%s%s%s", place, *detail && *place ? "  " : "", detail);
	add_folded(l, &row, f, "", text, indent, fv->columns);
	free(text);
}

static void fill(struct findings_view *fv)
{
	struct view *v = &fv->v;
	const json_t *list = out_get(fv->answer, "list");

	list_begin(&v->list);
	fv->shown = 0;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *f = json_array_get(list, i);

		if (!wanted(fv, f))
			continue;
		add_finding(fv, f, (int64_t)i);
		fv->shown++;
	}
	list_end(&v->list);
	if (!v->list.n)
		view_why(v, json_array_size(list) ? "None of this kind and rank: t and m choose."
						  : "Nothing has been found wrong so far.");
}

static void load(struct view *v)
{
	struct findings_view *fv = (struct findings_view *)v;
	json_t *answer = tui_ask(v->tui, "findings", NULL, "findings");

	json_decref(fv->answer);
	fv->answer = answer;
	fv->columns = fv->columns ? fv->columns : COLUMNS;
	fill(fv);
}

/* Rows are as long as the view is wide. */
static void draw(struct view *v, struct screen *sc, struct area a, bool focused)
{
	struct findings_view *fv = (struct findings_view *)v;

	if (fv->answer && a.columns != fv->columns) {
		fv->columns = a.columns;
		fill(fv);
	}
	list_draw(&v->list, sc, a, focused);
}

/* The place in the source, else that of its point. */
static void jump(struct view *v, const json_t *f)
{
	const char *place = out_str(f, "place"), *point = out_str(f, "point");

	if (!strchr(place, ':') && !*point) {
		tui_say(v->tui, "this finding has no place");
		return;
	}
	tui_run(v->tui, "list %s -length 1", strchr(place, ':') ? place : point);
	tui_inspect(v->tui, point);
	tui_reveal(v->tui, &view_source);
}

/* The cursor goes to the first that was found there. */
static void look(struct view *v, const char *point)
{
	struct list *l = &v->list;

	for (size_t i = 0; *point && i < l->n; i++) {
		if (strcmp(out_str(l->row[i].data, "point"), point))
			continue;
		list_go(l, i);
		return;
	}
}

static bool act(struct view *v, enum key_action action)
{
	struct findings_view *fv = (struct findings_view *)v;
	const struct session *s = tui_session(v->tui);
	const struct row *row = list_row(&v->list);

	if (action == KEY_ACT_KIND)
		fv->kind = next_kind(fv);
	else if (action == KEY_ACT_RANK)
		fv->rank = next_rank(fv, s->job ? (int)job_size(s->job) : 0);
	else if (action == KEY_ACT_OPEN && row)
		jump(v, row->data);
	else
		return false;
	v->epoch = 0;
	return true;
}

static void title(const struct view *v, char *out, size_t size)
{
	const struct findings_view *fv = (const struct findings_view *)v;
	char rank[32] = "";

	if (fv->rank)
		snprintf(rank, sizeof(rank), "  of rank %d", fv->rank - 1);
	if (v->list.n || fv->kind || fv->rank)
		snprintf(out, size, "%zu%s%s%s", fv->shown, fv->kind ? "  of kind " : "",
			 fv->kind ? finding_kind_key((unsigned)fv->kind - 1) : "", rank);
}

static void close_findings(struct view *v)
{
	json_decref(((struct findings_view *)v)->answer);
}

const struct view_class view_findings = {
	.without_job = true,
	.name = "findings",
	.size = sizeof(struct findings_view),
	.hint = "Enter to its place  t kind  m rank  : command  Tab 0-9 views  / search  c cont",
	.load = load,
	.draw = draw,
	.act = act,
	.look = look,
	.title = title,
	.close = close_findings,
};
