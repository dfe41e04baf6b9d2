/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of an array: a table of elements or a heat map, in global indices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/tui/array/array.h"
#include "frontend/job/job.h"
#include "frontend/output/text.h"
#include "frontend/util/pattern.h"
#include "frontend/session/session.h"
#include "frontend/tui/array/internal.h"
#include "frontend/util/xalloc.h"

#define FAR_SLIDE 10

/* Whether there is a picture of the kind that is to be seen. */
static bool seen(const struct array_view *av)
{
	return av->as_map ? av->map.z.cell != NULL : av->table.there;
}

void array_renew(struct array_view *av)
{
	av->stale = true;
	av->v.epoch = 0;
	av->v.picture = seen(av);
}

static void open_array(struct view *v)
{
	struct array_view *av = (struct array_view *)v;

	av->block = UINT32_MAX;
	av->digits = 5;
}

static void close_array(struct view *v)
{
	struct array_view *av = (struct array_view *)v;

	table_clear(&av->table);
	map_clear(&av->map);
	subject_clear(&av->x);
	free(av->request);
	free(av->old);
}

static void object(struct view *v, const char *text)
{
	struct array_view *av = (struct array_view *)v;

	free(av->request);
	av->request = *text ? xstrdup(text) : NULL;
	if (!av->request) {
		close_array(v);
		av->request = av->old = NULL;
		av->stat[0] = 0;
	}
	array_renew(av);
}

/* The size is known only now; what was loaded for another is loaded again. */
static void take_size(struct array_view *av, struct screen *sc, struct area a)
{
	bool halves = screen_has_halves(sc);

	av->colours = screen_has_colours(sc);
	if (av->rows == a.rows && av->columns == a.columns && av->halves == halves)
		return;
	av->rows = a.rows;
	av->columns = a.columns;
	av->halves = halves;
	array_renew(av);
}

static void draw(struct view *v, struct screen *sc, struct area a, bool focused)
{
	struct array_view *av = (struct array_view *)v;

	take_size(av, sc, a);
	if (!av->x.name) {
		list_draw(&v->list, sc, a, focused);
		return;
	}
	if (av->as_map)
		map_draw(av, sc, a, focused);
	else
		table_draw(av, sc, a, focused);
	if (seen(av))
		array_foot(av, sc, a);
	else if (av->old)
		screen_text(sc, a.y, a.x, a.columns, STYLE_DIM, 0, av->old);
}

/* The cursor of the table has moved: another part of the plane may have to be seen. */
static void settle(struct array_view *av)
{
	const struct table *t = &av->table;
	uint64_t row, col;

	cut_cursor(&av->cut, &row, &col);
	if (!t->there || row < t->w.top || row >= t->w.top + t->w.rows || col < t->w.left ||
	    col >= t->w.left + t->w.cols || col >= t->w.left + (uint64_t)table_columns(av))
		array_renew(av);
}

static bool act_table(struct array_view *av, enum key_action action)
{
	int64_t page = array_lines(av).body, wide = table_columns(av);

	page = page > 1 ? page - 1 : 1;
	switch (action) {
	case KEY_ACT_UP:
	case KEY_ACT_DOWN:
		cut_move(&av->cut, action == KEY_ACT_UP ? -1 : 1, 0);
		break;
	case KEY_ACT_LEFT:
	case KEY_ACT_RIGHT:
		cut_move(&av->cut, 0, action == KEY_ACT_LEFT ? -1 : 1);
		break;
	case KEY_ACT_PAGE_UP:
	case KEY_ACT_PAGE_DOWN:
		page = action == KEY_ACT_PAGE_UP ? -page : page;
		av->cut.top = (int64_t)av->cut.top + page > 0 ? av->cut.top + (uint64_t)page : 0;
		cut_move(&av->cut, page, 0);
		array_renew(av);
		break;
	case KEY_ACT_PAGE_LEFT:
	case KEY_ACT_PAGE_RIGHT:
		wide = action == KEY_ACT_PAGE_LEFT ? -wide : wide;
		av->cut.left = (int64_t)av->cut.left + wide > 0 ? av->cut.left + (uint64_t)wide : 0;
		cut_move(&av->cut, 0, wide);
		array_renew(av);
		break;
	default:
		return false;
	}
	settle(av);
	return true;
}

/* To an edge of the plane. */
static bool act_edge(struct array_view *av, enum key_action action)
{
	uint64_t row, col;

	cut_cursor(&av->cut, &row, &col);
	if (action == KEY_ACT_TOP)
		cut_go(&av->cut, 0, (int64_t)col);
	else if (action == KEY_ACT_END)
		cut_go(&av->cut, INT64_MAX, (int64_t)col);
	else if (action == KEY_ACT_FIRST_COLUMN)
		cut_go(&av->cut, (int64_t)row, 0);
	else if (action == KEY_ACT_LAST_COLUMN)
		cut_go(&av->cut, (int64_t)row, INT64_MAX);
	else
		return false;
	if (av->as_map)
		array_renew(av);
	else
		settle(av);
	return true;
}

/* Keys for dimensions that are not shown. */
static bool is_slide(enum key_action action)
{
	return action == KEY_ACT_SLIDER || action == KEY_ACT_SLIDE_UP ||
	       action == KEY_ACT_SLIDE_DOWN || action == KEY_ACT_SLIDE_FAR_UP ||
	       action == KEY_ACT_SLIDE_FAR_DOWN;
}

/* Which plane is seen. */
static bool act_plane(struct array_view *av, enum key_action action)
{
	struct cut *c = &av->cut;

	if (is_slide(action) && c->slider >= c->ndim) {
		tui_say(av->v.tui, "%s has no dimension besides %s", av->x.name,
			cut_folded(c) ? "this one" : "the two that are shown");
		return true;
	}
	switch (action) {
	case KEY_ACT_TURN_ROWS:
	case KEY_ACT_TURN_COLUMNS:
		cut_turn(c, action == KEY_ACT_TURN_COLUMNS);
		break;
	case KEY_ACT_SWAP:
		cut_swap(c);
		break;
	case KEY_ACT_SLIDER:
		cut_next_slider(c);
		return true;
	case KEY_ACT_SLIDE_UP:
	case KEY_ACT_SLIDE_DOWN:
		cut_slide(c, action == KEY_ACT_SLIDE_UP ? 1 : -1);
		array_renew(av);
		return true;
	case KEY_ACT_SLIDE_FAR_UP:
	case KEY_ACT_SLIDE_FAR_DOWN:
		cut_slide(c, action == KEY_ACT_SLIDE_FAR_UP ? FAR_SLIDE : -FAR_SLIDE);
		array_renew(av);
		return true;
	case KEY_ACT_WHOLE:
		break;
	default:
		return false;
	}
	av->zoom = (struct cut_window){ 0 };
	av->refit = true;
	array_renew(av);
	return true;
}

/* Says so when nobody owns a part of the array. */
static bool no_owners(const struct array_view *av)
{
	char text[200];

	if (!*subject_unowned(&av->x, text, sizeof(text)))
		return false;
	tui_say(av->v.tui, "%s", text);
	return true;
}

/* How elements and cells look. */
static bool act_inspect(struct array_view *av, enum key_action action)
{
	char words[40];

	switch (action) {
	case KEY_ACT_FORM:
		av->form = (av->form + 1) % NUMBER_FORMS;
		break;
	case KEY_ACT_DIGITS_MORE:
		av->digits += av->digits < NUMBER_DIGITS;
		break;
	case KEY_ACT_DIGITS_FEWER:
		av->digits -= av->digits > 1;
		break;
	case KEY_ACT_SHOW:
		av->show = (av->show + 1) % PICTURE_OWNER;
		return true;
	case KEY_ACT_SCALE:
		av->scale = (av->scale + 1) % SHADE_SCALES;
		return true;
	case KEY_ACT_OWNERS:
		if (no_owners(av))
			return true;
		av->owners = !av->owners;
		array_renew(av);
		return true;
	default:
		return false;
	}
	if (av->table.there) {
		av->refit = true;
		table_widen(av);
	}
	av->refit = true;
	array_renew(av);
	tui_say(av->v.tui, "numbers: %s", number_words(av->form, av->digits, words, sizeof(words)));
	return true;
}

/* The next rank's block: at first that of the cursor; after the last none. */
static void next_block(struct array_view *av)
{
	const struct subject *x = &av->x;
	int64_t corner[ARRAY_DIMS];
	uint32_t next;

	if (no_owners(av))
		return;
	if (av->block == UINT32_MAX) {
		next = subject_owner(x, av->cut.at);
		next = next == UINT32_MAX ? subject_next(x, next) : next;
		av->first_block = next;
	} else {
		next = subject_next(x, av->block);
		next = next == av->first_block ? UINT32_MAX : next;
	}
	av->block = next;
	av->as_map = false;
	array_renew(av);
	if (next == UINT32_MAX)
		return;
	if (!subject_has_halo(x))
		tui_say(av->v.tui, "%s has no halo: the block of rank %u is what it owns", x->name,
			next);
	subject_enter(x, next, av->cut.at);
	if (subject_corner(x, next, corner))
		cut_corner(&av->cut, corner);
}

static bool act_array(struct array_view *av, enum key_action action)
{
	switch (action) {
	case KEY_ACT_MOST:
		av->want = WANT_MOST;
		break;
	case KEY_ACT_LEAST:
		av->want = WANT_LEAST;
		break;
	case KEY_ACT_NAN:
		av->want = WANT_NAN;
		break;
	case KEY_ACT_FINDING_NEXT:
		av->want = WANT_NEXT;
		break;
	case KEY_ACT_FINDING_PREVIOUS:
		av->want = WANT_PREVIOUS;
		break;
	case KEY_ACT_AS_MAP:
		av->as_map = !av->as_map;
		break;
	case KEY_ACT_STAT:
		av->stat_of = (av->stat_of + 1) % STATS;
		break;
	case KEY_ACT_BLOCK:
		next_block(av);
		return true;
	default:
		return false;
	}
	array_renew(av);
	return true;
}

static bool act(struct view *v, enum key_action action)
{
	struct array_view *av = (struct array_view *)v;
	const struct row *row = list_row(&v->list);

	if (!av->x.name) {
		if (action == KEY_ACT_OPEN && row)
			tui_run(v->tui, "tui array %s", out_str(row->data, "name"));
		else
			return list_act(&v->list, action);
		return true;
	}
	if (!av->cut.ndim)
		return array_type(av, action);
	return (av->as_map && map_act(av, action)) || act_table(av, action) ||
	       act_edge(av, action) || act_plane(av, action) || act_inspect(av, action) ||
	       array_type(av, action) || act_array(av, action);
}

/* Among the elements that are seen, row by row. */
static bool find(struct view *v, const struct search *pattern, int step)
{
	struct array_view *av = (struct array_view *)v;
	const struct table *t = &av->table;
	int64_t n = (int64_t)(t->w.rows * t->w.cols), cols = (int64_t)t->w.cols;
	char text[NUMBER_TEXT];
	uint64_t row, col;
	int64_t at;

	if (!av->x.name)
		return list_find(&v->list, pattern, step);
	if (av->as_map || !t->there)
		return false;
	cut_cursor(&av->cut, &row, &col);
	at = table_at(t, row, col) < 0
		     ? 0
		     : (int64_t)(row - t->w.top) * cols + (int64_t)(col - t->w.left);
	for (int64_t i = 1; i <= n; i++) {
		int64_t k = (at + step * i % n + n) % n;
		uint64_t r = t->w.top + (uint64_t)(k / cols), c = t->w.left + (uint64_t)(k % cols);

		if (table_at(t, r, c) < 0 ||
		    !search_match(pattern, table_text(av, table_at(t, r, c), text)))
			continue;
		cut_go(&av->cut, (int64_t)r, (int64_t)c);
		return true;
	}
	return false;
}

static void click(struct view *v, int y, int x)
{
	struct array_view *av = (struct array_view *)v;
	struct array_lines l = array_lines(av);
	int64_t cell;

	if (!av->x.name) {
		list_click(&v->list, y);
	} else if (av->as_map) {
		cell = raster_click(&av->map.r, l.label, y, x);
		if (cell >= 0)
			raster_go(&av->map.r, &av->cut, (uint32_t)cell);
	} else if (av->table.there && y >= 1 && y <= l.body && x >= l.label) {
		cut_go(&av->cut, (int64_t)av->table.w.top + y - 1,
		       (int64_t)av->table.w.left + (x - l.label) / (table_width(av) + 1));
		settle(av);
	}
}

/* A picture that could not be taken again. */
static const char *age(const struct array_view *av)
{
	const struct job *j = tui_session(av->v.tui)->job;

	if (!av->old)
		return "";
	return j && job_over(j) ? "  (at the last stop)" : "  (old)";
}

static void title(const struct view *v, char *out, size_t size)
{
	const struct array_view *av = (const struct array_view *)v;
	char text[300], words[40] = "";

	if (!av->x.name) {
		snprintf(out, size, "choose one");
		return;
	}
	if (!seen(av)) {
		snprintf(out, size, "%s", av->x.name);
		return;
	}
	cut_title(av->as_map ? &av->map.r.cut : &av->table.cut, av->x.name, text, sizeof(text));
	if (av->block != UINT32_MAX && !av->as_map)
		snprintf(words, sizeof(words), "  rank %u's block", av->block);
	snprintf(out, size, "%s%s%s%s%s", text, age(av), words, av->x.found ? "  " : "",
		 av->x.found ? value_type_name(av->x.p.type) : "");
}

static const char *hints(const struct view *v)
{
	if (!((const struct array_view *)v)->x.name)
		return view_chooses;
	return "v map  x y t dimensions  [ ] slider  M m max min  ! nan  J jump  R owners  B halo  "
	       "Enter edit  e format  W save  . difference  D diff";
}

const struct view_class view_array = {
	.name = "array",
	.size = sizeof(struct array_view),
	.hints = hints,
	.open = open_array,
	.load = array_load,
	.draw = draw,
	.act = act,
	.find = find,
	.object = object,
	.click = click,
	.title = title,
	.close = close_array,
};
