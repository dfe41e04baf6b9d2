/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a key to what it does. */
#include <string.h>

#include "frontend/util/loop.h"
#include "frontend/session/session.h"
#include "frontend/tui/core/internal.h"

#define WHEEL_ROWS 3
#define WAIT_MS 900 /* less than a tick */

static struct view *focused(struct tui *t)
{
	return tui_view(t, tui_focus(t));
}

static void search_again(struct tui *t, int step)
{
	struct view *v = focused(t);

	if (!t->pattern)
		tui_say(t, "there is no pattern yet; / takes one");
	else if (v->class->find ? !v->class->find(v, t->pattern, step)
				: !list_find(&v->list, t->pattern, step))
		tui_say(t, "no row of %s matches", v->class->name);
}

static void show(struct tui *t, const struct key *k)
{
	for (size_t i = 0; view_table[i]; i++)
		if (!strcmp(view_table[i]->name, k->verb))
			tui_show(t, view_table[i]);
}

static void panes_key(struct tui *t, enum key_action action)
{
	struct panes *l = &t->panes;

	switch (action) {
	case KEY_ACT_PANE_NEXT:
		panes_turn(l, 1);
		return;
	case KEY_ACT_PANE_PREVIOUS:
		panes_turn(l, -1);
		return;
	case KEY_ACT_ZOOM:
		l->zoom = !l->zoom;
		return;
	case KEY_ACT_SPLIT:
	case KEY_ACT_SPLIT_RIGHT:
		if (!panes_split(l, action == KEY_ACT_SPLIT_RIGHT))
			tui_say(t, "every view is in the layout already");
		break;
	case KEY_ACT_CLOSE:
		panes_close(l);
		break;
	case KEY_ACT_TALLER:
	case KEY_ACT_LOWER:
		panes_grow(l, action == KEY_ACT_TALLER ? 1 : -1);
		break;
	default:
		return;
	}
	panes_save(l);
}

static void global(struct tui *t, const struct key *k)
{
	switch (k->action) {
	case KEY_ACT_SEARCH:
		prompt_open(t, PROMPT_SEARCH, "");
		break;
	case KEY_ACT_NEXT:
	case KEY_ACT_PREVIOUS:
		search_again(t, k->action == KEY_ACT_NEXT ? 1 : -1);
		break;
	case KEY_ACT_COMMAND:
		prompt_open(t, PROMPT_COMMAND, "");
		break;
	case KEY_ACT_TYPE:
		prompt_open(t, PROMPT_COMMAND, k->verb);
		break;
	case KEY_ACT_HELP:
		t->help = !t->help;
		break;
	case KEY_ACT_VIEW:
		t->help = false;
		show(t, k);
		break;
	case KEY_ACT_REDRAW:
		screen_redraw(t->sc);
		break;
	case KEY_ACT_SIDE:
		verbs_side(t);
		break;
	default:
		t->help = false;
		panes_key(t, k->action);
	}
}

static void act(struct view *v, enum key_action action)
{
	if (!v->class->act || !v->class->act(v, action))
		list_act(&v->list, action);
}

static void run_key(struct tui *t, const struct key *k)
{
	if (k->action >= KEY_ACT_FIRST_GLOBAL)
		global(t, k);
	else if (k->action != KEY_ACT_NONE)
		act(focused(t), k->action);
	else if (t->help && !strcmp(k->verb, "tui"))
		t->help = false;
	else
		tui_run(t, "%s", k->verb);
}

/* The pane that the mouse is in; NULL: none. */
static struct pane *pane_under(struct tui *t, int *y, int *x)
{
	screen_mouse(t->sc, y, x);
	for (size_t i = 0; i < t->panes.n && !t->help; i++) {
		struct pane *p = &t->panes.pane[i];
		const struct area *a = &p->area;

		if (p->shown && *y >= a->y && *y < a->y + a->rows && *x >= a->x &&
		    *x < a->x + a->columns)
			return p;
	}
	return NULL;
}

/* It gets the keys, and its cursor goes to the row. */
static void click(struct tui *t)
{
	int y, x;
	struct pane *p = pane_under(t, &y, &x);
	struct view *v = p ? tui_view(t, p->view) : NULL;

	if (!p)
		return;
	t->panes.focus = (size_t)(p - t->panes.pane);
	y -= p->area.y + 1;
	if (v->class->click)
		v->class->click(v, y, x - p->area.x);
	else
		list_click(&v->list, y);
}

/* What the mouse is over moves, whoever has the keys. */
static void wheel(struct tui *t, int code)
{
	int y, x;
	const struct pane *p = pane_under(t, &y, &x);
	struct view *v = p ? tui_view(t, p->view) : focused(t);

	for (int i = 0; i < WHEEL_ROWS; i++)
		act(v, code == SCREEN_WHEEL_UP ? KEY_ACT_UP : KEY_ACT_DOWN);
}

/* What readline has no use for moves the view while a line is typed. */
static bool move_adjacent(struct tui *t, int code)
{
	if (code == SCREEN_WHEEL_UP || code == SCREEN_WHEEL_DOWN)
		wheel(t, code);
	else if (code == SCREEN_PGUP || code == SCREEN_PGDN)
		act(focused(t), code == SCREEN_PGUP ? KEY_ACT_PAGE_UP : KEY_ACT_PAGE_DOWN);
	else
		return false;
	return true;
}

static void one_key(struct tui *t, int code)
{
	const struct key *k;
	int first = t->first_key;

	t->message[0] = 0;
	t->first_key = 0;
	tui_draw(t);
	if (t->question)
		prompt_answer(t, code);
	else if (t->prompt && code == ESC)
		prompt_close(t);
	else if (t->prompt && !move_adjacent(t, code))
		prompt_key(t, code);
	else if (t->prompt)
		return;
	else if (code == SCREEN_CLICK)
		click(t);
	else if (code == SCREEN_WHEEL_UP || code == SCREEN_WHEEL_DOWN)
		wheel(t, code);
	else if (code == ESC)
		t->help = false;
	else if (!first && key_begins(code))
		t->first_key = code;
	else if ((k = key_find(first, code, tui_focus(t)->name)))
		run_key(t, k);
	else if (code < SCREEN_OTHER)
		tui_say(t, "that key does nothing here; ? lists those that do");
}

/* What is typed behind a verb that can begin now is for the screen that it leaves. */
static bool about_to_run(const struct tui *t)
{
	return t->queued && !t->busy && !t->asking;
}

/*
 * A key typed behind the one that shows a view is for what will be seen there. Ranks that do not
 * answer are not waited for long.
 */
bool turn_waits(const struct tui *t)
{
	const struct pane *p = &t->panes.pane[t->panes.focus];
	const struct view *v = tui_view(t, p->view);

	if (v->loaded || !v->class->load || !p->shown || t->help || t->prompt || t->busy)
		return false;
	return !t->asking || loop_now() - t->busy_since < WAIT_MS;
}

/*
 * All keys that are there. A view or the layout changes at once, whatever runs; verbs wait in the
 * queue until nothing runs.
 */
void turn_keys(struct tui *t)
{
	int code;

	while (!line_completing(t->line) && t->s->fill_screen && !about_to_run(t) &&
	       !turn_waits(t) && (code = screen_key(t->sc)) != SCREEN_NONE)
		one_key(t, code);
}
