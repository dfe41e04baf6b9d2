/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The view of points: the time line of those that have been passed, with what was found at them,
 * and the interval of checksums, whose ends keys move.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/hash.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/logical/point.h"
#include "common/protocol/report.h"
#include "frontend/tui/views/views.h"
#include "frontend/model/actionpoints.h"
#include "frontend/verify/verify.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/job/job.h"
#include "frontend/output/text.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/tui/core/core.h"
#include "frontend/tui/screen/span.h"
#include "frontend/util/xalloc.h"

#define TOLD 3	      /* arrays of a mismatch that a row names */
#define MOST_WORDS 32 /* columns; what is longer has the time further to the right */
#define BESIDE 11     /* columns of what is as wide in all rows */
#define TIME 14
#define COLUMNS 80 /* before the first draw */

struct points_view {
	struct view v;
	size_t found;		   /* points with findings */
	bool more;		   /* older ones were passed, which are not in the list */
	char last[POINT_TEXT];	   /* the newest point when it was loaded last */
	char want[POINT_TEXT];	   /* the cursor goes there when it is loaded next */
	json_t *points, *findings; /* owned; what was loaded */
	int columns;		   /* that the rows were made for */
};

/* What all rows are made from, and the widths of their columns. */
struct line {
	struct session *s, *own; /* the run that is seen, and the session's */
	const json_t *findings;
	struct point start, finish;
	int point, place, words;
	int columns; /* of all */
};

static struct actionpoint *act_at(struct session *s, const char *point)
{
	char text[POINT_TEXT];

	for (size_t i = 0; i < actionpoints_count(s->acts); i++) {
		struct actionpoint *a = actionpoints_at(s->acts, i);

		if (a->rule.kind == RULE_POINT &&
		    !strcmp(point_format(&a->rule.point, text), point))
			return a;
	}
	return NULL;
}

/* Some ranks are stopped at the point. */
static bool stopped_at(const struct session *s, const char *point)
{
	const struct groups *stops = job_stops(s->job);
	char text[POINT_TEXT];

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!report_stop_get(&r, &b) && r.point.main &&
		    !strcmp(point_format(&r.point, text), point))
			return true;
	}
	return false;
}

/* The first finding at the point; NULL when there is none. */
static const json_t *finding_at(const json_t *findings, const char *point)
{
	const json_t *list = out_get(findings, "list");

	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(out_str(json_array_get(list, i), "point"), point))
			return json_array_get(list, i);
	return NULL;
}

/* "v -2.9e-18 != -6.65e-05" */
static void put_mismatch(FILE *f, const struct mismatch *m)
{
	static const char *const words[] = {
		[MISMATCH_VALUE] = "",
		[MISMATCH_COPIES] = " copies differ",
		[MISMATCH_CONSTRUCT] = "another construct than in the reference",
		[MISMATCH_SHAPE] = " of another shape",
		[MISMATCH_ABSENT] = " in one run only",
	};

	fprintf(f, "%s%s", m->kind == MISMATCH_CONSTRUCT || !m->id.name ? "" : m->id.name,
		words[m->kind]);
	if (m->kind == MISMATCH_VALUE)
		fprintf(f, " %.3g != %.3g", m->ref[0], m->now[0]);
}

/* What a comparison has to say of the point: arrays that are wrong there first, or right last. */
static size_t put_compared(FILE *f, const struct session *own, const struct point *p, bool right)
{
	const struct compare *c =
		own->pair ? pair_comparison(own->pair) : checker_comparison(own->checker);
	size_t n = 0;

	for (size_t i = 0; c && i < compare_count(c); i++) {
		const struct mismatch *m = compare_mismatch(c, i);
		const struct point *at = right ? &m->previous : &m->point;

		if (!at->main || point_compare(at, p) != POINT_EQUAL || n > TOLD)
			continue;
		fputs(n ? ", " : right ? "still right: " : "", f);
		if (n == TOLD)
			fputs("…", f);
		else if (right)
			fputs(m->id.name ? m->id.name : "all", f);
		else
			put_mismatch(f, m);
		n++;
	}
	return n;
}

/* Behind the place, with its style: what was found or compared, and whose point it is when not
 * all have it. To be freed. */
static char *words_at(const struct line *l, const struct point *p, const json_t *o,
		      const json_t *found)
{
	const char *ranks = out_str(o, "ranks");
	char *text = NULL;
	size_t len, reported;
	FILE *f = xmemstream(&text, &len);

	fputs(found ? SAY_BAD : SAY_GOOD, f);
	reported = put_compared(f, l->s, p, !found);
	if (found && !reported)
		fputs(out_str(found, "text"), f);
	if (*ranks)
		fprintf(f, "%s" SAY_RANKS "only %s", found || reported ? "  " : "", ranks);
	xmemstream_close(f);
	return text;
}

/* "PL" of the words of an answer. */
static const char *brief(const char *words)
{
	for (unsigned kind = 0; kind < CONSTRUCT_KINDS; kind++)
		if (!strcmp(words, construct_words(kind)))
			return construct_brief(kind);
	return words;
}

/* Stays the same when points come before it. */
static int64_t id_of(const char *point, const char *place)
{
	return (int64_t)(hash_text(hash_text(HASH_START, point), place) >> 1);
}

static bool time_fits(const struct line *l, int words)
{
	return BESIDE + l->point + l->place + (words ? 2 + words : 0) + TIME <= l->columns;
}

static void add_point(struct points_view *pv, const struct line *l, const json_t *o)
{
	const char *text = out_str(o, "point");
	const json_t *found = finding_at(l->findings, text);
	const struct actionpoint *a = act_at(l->s, text);
	char place[300], time[40] = "", *words;
	struct point p = { 0 };
	int wide;

	point_parse(&p, text, NULL);
	words = words_at(l, &p, o, found);
	wide = words ? glyph_width(words) : 0;
	wide = wide > l->words ? wide : l->words;
	if (out_get(o, "seconds") && time_fits(l, wide))
		snprintf(time, sizeof(time), "  %10.6f s", json_real_value(out_get(o, "seconds")));
	data_place(o, place, sizeof(place));
	list_add(&pv->v.list, id_of(text, place), o,
		 "%s" SAY_HERE "%s" SAY_BAD "%s" SAY_BOLD "%s" SAY_POINT "%-*s " SAY_NORMAL
		 "%s%-2s  %-*s%s%s%*s" SAY_DIM "%s",
		 !a	      ? " "
		 : a->enabled ? SAY_BAD "●"
			      : SAY_DIM "○",
		 stopped_at(l->s, text) ? "->" : "  ", found ? "!" : " ",
		 span_mark(&l->start, &l->finish, &p), l->point, text,
		 p.side == POINT_BEGIN ? "" : SAY_DIM, brief(out_str(o, "construct")), l->place,
		 place, wide ? "  " : "", words ? words : "",
		 *time && words ? wide - glyph_width(words) : 0, "", time);
	free(words);
	pv->found += found != NULL;
}

static void set_end(const struct session *s, const char *name, struct point *p)
{
	const char *text = settings_text(s->set, name);

	if (!*text || point_parse(p, text, NULL))
		*p = (struct point){ 0 };
}

/* The widest of what is reported of points, if it is not too wide. */
static int words_width(const struct line *l, const json_t *list)
{
	int most = 0;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = out_str(json_array_get(list, i), "point");
		struct point p = { 0 };
		char *words;
		int wide;

		point_parse(&p, text, NULL);
		words = words_at(l, &p, json_array_get(list, i), finding_at(l->findings, text));
		wide = words ? glyph_width(words) : 0;
		most = wide > most && wide <= MOST_WORDS ? wide : most;
		free(words);
	}
	return most;
}

static void fill(struct points_view *pv)
{
	const json_t *list = out_get(pv->points, "list");
	struct line l = { .s = tui_session(pv->v.tui),
			  .own = tui_own(pv->v.tui),
			  .findings = pv->findings,
			  .columns = pv->columns };
	char place[300];

	set_end(l.s, "StartPoint", &l.start);
	set_end(l.s, "FinishPoint", &l.finish);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);
		int point = (int)strlen(out_str(o, "point"));
		int at = glyph_width(data_place(o, place, sizeof(place)));

		l.point = point > l.point ? point : l.point;
		l.place = at > l.place ? at : l.place;
	}
	l.words = words_width(&l, list);
	pv->found = 0;
	pv->more = json_array_size(list) > DATA_POINTS;
	list_begin(&pv->v.list);
	for (size_t i = pv->more; i < json_array_size(list); i++)
		add_point(pv, &l, json_array_get(list, i));
	list_end(&pv->v.list);
}

static void go_to(struct points_view *pv, const char *point)
{
	struct list *l = &pv->v.list;

	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(out_str(l->row[i].data, "point"), point))
			continue;
		list_go(l, i);
		return;
	}
}

static void load(struct view *v)
{
	struct points_view *pv = (struct points_view *)v;
	struct session *s = tui_session(v->tui);
	struct err err = { "" };
	json_t *points = data_points(v->tui, &err);
	json_t *findings = tui_ask(v->tui, "findings", NULL, "findings");
	const json_t *list = out_get(points, "list");
	size_t n = json_array_size(list);
	const char *newest = out_str(json_array_get(list, n ? n - 1 : 0), "point");

	json_decref(pv->points);
	json_decref(pv->findings);
	pv->points = points;
	pv->findings = findings;
	pv->columns = pv->columns ? pv->columns : COLUMNS;
	if (points && s->job) {
		fill(pv);
		/* The cursor is on the newest until it is moved after a stop. */
		if (strcmp(newest, pv->last))
			list_go(&v->list, v->list.n);
		snprintf(pv->last, sizeof(pv->last), "%s", newest);
		if (*pv->want)
			go_to(pv, pv->want);
		pv->want[0] = 0;
	}
	if (!v->list.n)
		view_why(v, *err.text ? err.text : "No point has been passed.");
}

/* Rows are as long as the view is wide. */
static void draw(struct view *v, struct screen *sc, struct area a, bool focused)
{
	struct points_view *pv = (struct points_view *)v;

	if (v->list.n && tui_session(v->tui)->job && a.columns != pv->columns) {
		pv->columns = a.columns;
		fill(pv);
	}
	list_draw(&v->list, sc, a, focused);
}

static void close_points(struct view *v)
{
	struct points_view *pv = (struct points_view *)v;

	json_decref(pv->points);
	json_decref(pv->findings);
}

static void look(struct view *v, const char *point)
{
	struct points_view *pv = (struct points_view *)v;

	go_to(pv, point); /* as long as nothing newer is loaded */
	snprintf(pv->want, sizeof(pv->want), "%s", point);
	v->epoch = 0;
}

/* To the next point with a finding, 1 onwards or -1 back; round the end. */
static void go_to_finding(struct view *v, int step)
{
	struct list *l = &v->list;
	json_t *findings = tui_ask(v->tui, "findings", NULL, "findings");
	size_t i;

	for (i = 1; i <= l->n; i++) {
		size_t at = (step > 0 ? l->at + i : l->at + l->n - i) % l->n;

		if (!finding_at(findings, out_str(l->row[at].data, "point")))
			continue;
		list_go(l, at);
		break;
	}
	if (i > l->n)
		tui_say(v->tui, "nothing was found at these points");
	json_decref(findings);
}

/* An end of the interval comes to the point, or goes when it is there already. */
static void move_end(struct view *v, const char *verb, const char *setting, const char *point)
{
	const char *now = settings_text(tui_session(v->tui)->set, setting);

	tui_run(v->tui, "%s %s", verb, strcmp(now, point) ? point : "-");
}

/* Actions that need no row. */
static bool act_on_all(struct view *v, enum key_action action)
{
	const struct session *s = tui_session(v->tui);

	if (action == KEY_ACT_FINDING_NEXT || action == KEY_ACT_FINDING_PREVIOUS)
		go_to_finding(v, action == KEY_ACT_FINDING_NEXT ? 1 : -1);
	else if (action == KEY_ACT_STOP_ON)
		tui_run(v->tui, "set STOP_ON %s",
			!settings_is(s->set, "STOP_ON", "none") ? "none" : "mismatch");
	else
		return false;
	return true;
}

static bool act(struct view *v, enum key_action action)
{
	const struct row *row = list_row(&v->list);
	const char *point = row ? out_str(row->data, "point") : "";
	const struct actionpoint *a = act_at(tui_session(v->tui), point);

	if (act_on_all(v, action))
		return true;
	if (!row)
		return false;
	if (action == KEY_ACT_OPEN) {
		tui_run(v->tui, "list %s -length 1", point);
		tui_inspect(v->tui, point);
		tui_reveal(v->tui, &view_source);
	} else if (action == KEY_ACT_BREAK && a)
		tui_run(v->tui, "delete %u", a->rule.id);
	else if (action == KEY_ACT_BREAK)
		tui_run(v->tui, "break %s", point);
	else if (action == KEY_ACT_START)
		move_end(v, "start", "StartPoint", point);
	else if (action == KEY_ACT_FINISH)
		move_end(v, "finish", "FinishPoint", point);
	else
		return false;
	return true;
}

static void put_setting(FILE *f, const struct session *s, const char *name, const char *words)
{
	const char *value = settings_text(s->set, name);

	if (*value)
		fprintf(f, "  %s %s", words, value);
}

static void title(const struct view *v, char *out, size_t size)
{
	const struct points_view *pv = (const struct points_view *)v;
	const struct session *s = tui_session(v->tui);
	const char *record = checker_recording(s->checker), *ref = checker_comparing(s->checker);
	char *text = NULL;
	size_t len;
	FILE *f = xmemstream(&text, &len);

	if (v->list.n)
		fprintf(f, pv->more ? "the last %zu passed" : "%zu passed", v->list.n);
	if (pv->found)
		fprintf(f, ", %zu with findings", pv->found);
	put_setting(f, s, "StartPoint", "start");
	put_setting(f, s, "FinishPoint", "finish");
	if (tui_own(v->tui)->pair)
		fprintf(f, "  against %c", *tui_prefix(v->tui) == 'A' ? 'B' : 'A');
	else if (ref || record)
		fprintf(f, "  %s %s", ref ? "against" : "into", data_base(ref ? ref : record));
	if (!settings_is(s->set, "STOP_ON", "none"))
		fputs("  stops on mismatch", f);
	xmemstream_close(f);
	snprintf(out, size, "%s", text ? text + strspn(text, " ") : "");
	free(text);
}

const struct view_class view_points = {
	.name = "points",
	.size = sizeof(struct points_view),
	.hint = "s start  f finish  r rerun  x stop on mismatch  ] finding  Space step  b break",
	.load = load,
	.draw = draw,
	.act = act,
	.look = look,
	.title = title,
	.close = close_points,
};
