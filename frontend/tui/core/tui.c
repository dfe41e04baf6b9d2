/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/core/core.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/verbs/run/run.h"
#include "frontend/job/job.h"
#include "frontend/util/loop.h"
#include "frontend/pair/pair.h"
#include "frontend/util/pattern.h"
#include "frontend/session/session.h"
#include "frontend/tui/core/internal.h"
#include "frontend/util/xalloc.h"

#define DRAW_MS 15    /* what comes in so short a time is drawn at once */
#define LIVE_MS 1000  /* while ranks run */
#define TOLD_ROWS 200 /* of the log are printed when the terminal is given back */

static void make_view(struct tui *t, size_t i, const struct view_class *class)
{
	struct view *v = xcalloc(1, class->size);

	v->class = class;
	v->tui = t;
	t->view[i] = v;
	if (class->open)
		class->open(v);
}

struct tui *tui_create(struct session *s)
{
	struct tui *t = xcalloc(1, sizeof(*t));
	size_t n;

	t->s = s;
	t->epoch = 1;
	for (n = 0; view_table[n]; n++)
		make_view(t, n, view_table[n]);
	make_view(t, n, view_of_help);
	panes_load(&t->panes);
	verbs_listen(t);
	return t;
}

void tui_destroy(struct tui *t)
{
	if (!t)
		return;
	out_set_sink(t->s->out, NULL);
	for (size_t i = 0; i < TUI_VIEWS && t->view[i]; i++) {
		if (t->view[i]->class->close)
			t->view[i]->class->close(t->view[i]);
		list_clear(&t->view[i]->list);
		free(t->view[i]->why);
		free(t->view[i]);
	}
	verbs_drop(t);
	verbs_changed(t);
	search_destroy(t->pattern);
	free(t);
}

struct session *tui_own(const struct tui *t)
{
	return t->s;
}

struct session *tui_session(const struct tui *t)
{
	return t->other && t->s->pair ? pair_other(t->s->pair) : t->s;
}

const char *tui_prefix(const struct tui *t)
{
	return !t->s->pair ? "" : t->other ? "A: " : "B: ";
}

void tui_hold(struct view *v)
{
	v->loaded = false;
}

struct view *tui_view(const struct tui *t, const struct view_class *class)
{
	for (size_t i = 0; t->view[i]; i++)
		if (t->view[i]->class == class)
			return t->view[i];
	return NULL;
}

const struct view_class *tui_focus(const struct tui *t)
{
	return t->help ? view_of_help : t->panes.pane[t->panes.focus].view;
}

static bool runs(const struct session *s)
{
	return s->job && job_set(s->job, JOB_RUNNING)->n;
}

bool tui_ranks_run(const struct tui *t)
{
	return runs(tui_session(t));
}

bool tui_any_run(const struct tui *t)
{
	return runs(t->s) || (t->s->pair && runs(pair_other(t->s->pair)));
}

void tui_show(struct tui *t, const struct view_class *class)
{
	const struct view_class *before = tui_focus(t);

	panes_show(&t->panes, class);
	if (tui_focus(t) != before)
		panes_save(&t->panes);
	if (t->sc)
		frame_place(t);
	tui_draw(t);
}

void tui_reveal(struct tui *t, const struct view_class *class)
{
	const struct pane *p = panes_find(&t->panes, class);

	if (!p || !p->shown)
		tui_show(t, class);
}

void tui_inspect(struct tui *t, const char *point)
{
	for (size_t i = 0; t->view[i]; i++)
		if (t->view[i]->class->look)
			t->view[i]->class->look(t->view[i], point);
}

void tui_say(struct tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->message, sizeof(t->message), fmt, ap);
	va_end(ap);
	glyph_clean(t->message);
	tui_draw(t);
}

static void draw_now(void *arg)
{
	struct tui *t = arg;

	t->drawing = false;
	if (t->sc)
		frame_draw(t);
}

void tui_draw(struct tui *t)
{
	if (!t->sc || t->drawing)
		return;
	t->drawing = true;
	loop_at(t->s->loop, loop_now() + DRAW_MS, draw_now, t);
}

static void tick(void *arg)
{
	struct tui *t = arg;

	t->ticking = false;
	tui_draw(t);
	if (tui_any_run(t))
		verbs_load(t, true);
	tui_tick(t);
}

void tui_tick(struct tui *t)
{
	if (!t->sc || t->ticking || !(t->busy || t->asking || tui_any_run(t)))
		return;
	t->ticking = true;
	loop_at(t->s->loop, loop_now() + LIVE_MS, tick, t);
}

static void on_input(void *arg, short revents)
{
	struct tui *t = arg;

	if (revents & (POLLERR | POLLNVAL) || (revents & POLLHUP && !(revents & POLLIN)))
		t->s->quitting = true;
	else
		turn_keys(t);
}

static short want_input(void *arg)
{
	const struct tui *t = arg;

	bool taken = t->sc && !line_completing(t->line) && t->s->fill_screen && !turn_waits(t);

	return taken ? POLLIN : 0;
}

/* Whatever waits sees that by itself. At rest it drops a line, or halts what was sent off by go. */
static void on_interrupt(void *arg, int sig)
{
	struct tui *t = arg;

	if (t->queued) {
		tui_say(t, "the waiting verbs are dropped");
		verbs_drop(t);
	}
	/* a line that is typed while ranks are asked is dropped, and the question goes on */
	if (t->busy || t->question || line_completing(t->line) || (t->asking && !t->prompt))
		return;
	loop_clear_interrupt(t->s->loop);
	if (t->prompt)
		prompt_close(t);
	else if (tui_any_run(t))
		tui_run(t, "halt");
	else
		tui_say(t, "nothing runs; Q ends the session");
}

static void take_size(struct tui *t)
{
	int columns = screen_columns(t->sc);
	const struct pane *p = panes_find(&t->panes, &view_log);

	frame_draw(t);
	if (p && p->shown)
		columns = p->area.columns;
	out_set_columns(t->s->out, columns);
}

static void on_resize(void *arg, int sig)
{
	struct tui *t = arg;

	screen_resized(t->sc);
	take_size(t);
}

static void on_continue(void *arg, int sig)
{
	struct tui *t = arg;

	screen_return(t->sc);
	take_size(t);
}

/* Ctrl-Z: the terminal is given back before the process stops, and taken again after. */
static void on_stop(void *arg, int sig)
{
	struct tui *t = arg;

	screen_leave(t->sc);
	loop_signal(t->s->loop, SIGTSTP, NULL, NULL);
	raise(SIGTSTP);
	loop_signal(t->s->loop, SIGTSTP, on_stop, t);
	on_continue(t, SIGCONT);
}

static const struct view_class *class_of(const char *name, size_t len)
{
	for (size_t i = 0; view_table[i]; i++)
		if (strlen(view_table[i]->name) == len && !strncmp(view_table[i]->name, name, len))
			return view_table[i];
	return NULL;
}

/* What the verb tui was asked to show. */
static void show_request(struct tui *t)
{
	char *request = t->s->shell->show;
	size_t len = request ? strcspn(request, " \t") : 0;
	const struct view_class *class = request ? class_of(request, len) : NULL;
	const char *object = request ? request + len + strspn(request + len, " \t") : "";

	t->s->shell->show = NULL;
	if (!class && request) {
		out_error(t->s->out, "tui: there is no view '%.*s'; ? lists them", (int)len,
			  request);
	} else if (class) {
		t->chosen = true;
		tui_show(t, class);
		if (class->object)
			class->object(tui_view(t, class), object);
		else if (*object)
			out_error(t->s->out, "tui: the view %s takes no object", class->name);
	}
	free(request);
}

static bool is_empty(const struct view *v)
{
	return !v->list.n && (v->why || !v->class->draw);
}

/*
 * What was looked at when the layout was kept may have nothing to show now: then the keys go to the
 * source, which comes into its place when it has none, or to another view that has.
 */
static void leave_empty(struct tui *t)
{
	const struct view_class *source = class_of("source", strlen("source"));
	struct panes *l = &t->panes;

	if (t->chosen)
		return;
	t->chosen = true;
	if (!is_empty(tui_view(t, tui_focus(t))))
		return;
	for (size_t i = 0; i < l->n && !panes_find(l, source); i++)
		if (l->pane[i].shown && !is_empty(tui_view(t, l->pane[i].view))) {
			l->focus = i;
			return;
		}
	tui_show(t, source);
}

static void set_signals(struct tui *t, bool on)
{
	loop_signal(t->s->loop, SIGINT, on ? on_interrupt : NULL, t);
	loop_signal(t->s->loop, SIGWINCH, on ? on_resize : NULL, t);
	loop_signal(t->s->loop, SIGCONT, on ? on_continue : NULL, t);
	loop_signal(t->s->loop, SIGTSTP, on ? on_stop : NULL, t);
}

static int take_terminal(struct tui *t, struct err *err)
{
	t->sc = screen_open(err);
	if (!t->sc)
		return -1;
	if (prompt_start(t)) {
		prompt_stop(t);
		screen_close(t->sc);
		t->sc = NULL;
		return err_set(err, "the full screen: the prompt cannot be set up");
	}
	loop_add(t->s->loop, STDIN_FILENO, want_input, on_input, t);
	set_signals(t, true);
	t->s->shell->ask = prompt_ask;
	t->s->shell->ask_arg = t;
	t->log_seen = tui_view(t, &view_log)->list.n;
	t->message[0] = 0;
	t->help = false;
	take_size(t);
	return 0;
}

/* What was said on the full screen is reported again below, or it would be lost with it. */
static void report_again(const struct tui *t)
{
	const struct list *l = &tui_view(t, &view_log)->list;
	size_t first = t->log_seen < l->n ? t->log_seen : l->n;

	if (l->n - first > TOLD_ROWS)
		first = l->n - TOLD_ROWS;
	for (size_t i = first; i < l->n; i++) {
		const char *text = l->row[i].text;

		printf("%s\n", *text && (unsigned char)*text <= STYLE_TITLE ? text + 1 : text);
	}
	fflush(stdout);
}

static void give_terminal(struct tui *t)
{
	set_signals(t, false);
	t->s->shell->ask = NULL;
	panes_save(&t->panes);
	loop_cancel(t->s->loop, draw_now, t);
	loop_cancel(t->s->loop, tick, t);
	loop_remove(t->s->loop, STDIN_FILENO);
	prompt_stop(t);
	screen_close(t->sc);
	t->sc = NULL;
	t->drawing = false;
	t->ticking = false;
	report_again(t);
}

int tui_run_screen(struct tui *t, struct err *err)
{
	struct session *s = t->s;

	if (take_terminal(t, err)) {
		s->fill_screen = false;
		return -1;
	}
	verbs_changed(t);
	while (!s->quitting && s->fill_screen) {
		tui_tick(t);
		show_request(t);
		if (verbs_next(t))
			continue;
		go_report_gone(s);
		verbs_notice(t);
		verbs_load(t, false);
		leave_empty(t);
		if (t->queued)
			continue;
		loop_clear_interrupt(s->loop);
		if (loop_turn(s->loop, -1) < 0)
			break;
	}
	give_terminal(t);
	return 0;
}
