/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the full screen runs and asks, and where answers go. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/cmd/cmd.h"
#include "frontend/job/job.h"
#include "frontend/util/loop.h"
#include "frontend/output/text.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/tui/core/internal.h"
#include "frontend/util/xalloc.h"

static const char *style_of(const char *type)
{
	static const char *const styles[][2] = {
		{ "error", SAY_BAD }, { "warning", SAY_BAD }, { "finding", SAY_BAD },
		{ "echo", SAY_BOLD }, { "stop", SAY_HERE },   { "exit", SAY_HERE },
		{ "note", SAY_DIM },
	};

	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		if (!strcmp(styles[i][0], type))
			return styles[i][1];
	return "";
}

/* The first line of an answer is reported at the bottom, for a log that is not on the screen. */
static void report(struct tui *t, const char *text)
{
	const struct pane *p = panes_find(&t->panes, &view_log);

	if (p && p->shown && !t->help)
		return;
	snprintf(t->message, sizeof(t->message), "%.*s", (int)strcspn(text, "\n"), text);
	glyph_clean(t->message);
}

/* A warning that each question of a view brings again is reported once. */
static bool reported_last(const struct tui *t, const char *text)
{
	const struct list *l = &tui_view(t, &view_log)->list;
	const char *last = l->n ? l->row[l->n - 1].text : "";
	size_t len = strlen(last);

	return len > 1 && !strncmp(last + 1, text, len - 1);
}

static enum out_fate on_answer(void *arg, const json_t *answer)
{
	struct tui *t = arg;
	const char *type = out_str(answer, "type");
	char *text;

	if (t->want && !strcmp(type, t->want)) {
		json_decref(t->got);
		t->got = json_incref((json_t *)answer);
		return OUT_DROP;
	}
	if (t->want && !strcmp(type, "note"))
		return OUT_DROP;
	text = out_render(answer);
	if (text && !(t->want && reported_last(t, text))) {
		log_append(tui_view(t, &view_log), style_of(type), text);
		/* what a view asks by itself does not cover the answer to what was typed */
		if (!t->want || strcmp(type, "warning"))
			report(t, text);
	}
	free(text);
	/* It came while something else went on: a finding, an end. */
	if (t->sc && !t->busy && strcmp(type, "warning"))
		verbs_changed(t);
	tui_draw(t);
	return t->sc ? OUT_LOG : OUT_PRINT;
}

static enum out_fate on_program(void *arg, char side, int stream, const char *text, size_t len)
{
	struct tui *t = arg;

	log_program(tui_view(t, &view_output), side, stream, text, len);
	for (size_t i = 0; t->sc && i < len; i++)
		t->unread += text[i] == '\n';
	tui_draw(t);
	return t->sc ? OUT_LOG : OUT_PRINT;
}

static enum out_fate on_progress(void *arg, const char *text)
{
	struct tui *t = arg;

	snprintf(t->progress, sizeof(t->progress), "%s", text ? text : "");
	tui_draw(t);
	return t->sc ? OUT_DROP : OUT_PRINT;
}

void verbs_listen(struct tui *t)
{
	t->sink = (struct out_sink){
		.arg = t, .answer = on_answer, .program = on_program, .progress = on_progress
	};
	out_set_sink(t->s->out, &t->sink);
}

static void forget(struct kept *k)
{
	free(k->line);
	free(k->why);
	json_decref(k->answer);
	*k = (struct kept){ 0 };
}

static void forget_all(struct tui *t)
{
	for (size_t i = 0; i < TUI_KEPT; i++)
		forget(&t->kept[i]);
}

void verbs_changed(struct tui *t)
{
	t->epoch++;
	forget_all(t);
}

void verbs_side(struct tui *t)
{
	char label[200];

	if (!t->s->pair) {
		tui_say(t, "there is only one run; pair starts another");
		return;
	}
	t->other = !t->other;
	verbs_changed(t);
	tui_say(t, "now shown: %s",
		pair_label(tui_session(t), t->other ? 'A' : 'B', label, sizeof(label)));
}

void verbs_notice(struct tui *t)
{
	const struct session *a = t->s->pair ? pair_other(t->s->pair) : NULL;
	unsigned moves = t->s->job ? job_moves(t->s->job) : 0;

	moves += a && a->job ? job_moves(a->job) : 0;

	if (moves != t->moves)
		verbs_changed(t);
	t->moves = moves;
}

static json_t *answer_of(const struct kept *k, struct err *err)
{
	if (k->why)
		err_set(err, "%s", k->why->text);
	return json_incref(k->answer);
}

void tui_asking(struct tui *t, bool begins)
{
	if (!begins) {
		t->asking--;
		return;
	}
	if (!t->asking++ && !t->busy)
		t->busy_since = loop_now();
	tui_tick(t);
}

unsigned tui_epoch(const struct tui *t)
{
	return t->epoch;
}

/* Asks and keeps the answer. Questions may come inside one another, from live views. */
static json_t *ask_now(struct tui *t, const char *type, const char *line, struct err *err)
{
	const char *outer = t->want;
	json_t *outer_got = t->got, *got;
	unsigned epoch = t->epoch;
	struct session *s = tui_session(t);
	char side = s->side;
	struct kept *k;
	int rc;

	t->want = type;
	t->got = NULL;
	tui_asking(t, true);
	s->side = *tui_prefix(t); /* of a pair only that one is asked */
	rc = cmd_ask(s, line, err);
	s->side = side;
	tui_asking(t, false);
	got = t->got;
	t->want = outer;
	t->got = outer_got;
	if (!rc && !got)
		err_set(err, "%s: no answer", line);
	if (epoch != t->epoch || loop_interrupted(t->s->loop))
		return got;
	k = &t->kept[t->next_kept++ % TUI_KEPT];
	forget(k);
	k->line = xstrdup(line);
	k->answer = json_incref(got);
	k->why = got ? NULL : xcalloc(1, sizeof(*k->why));
	if (k->why)
		*k->why = *err;
	return got;
}

json_t *tui_ask(struct tui *t, const char *type, struct err *err, const char *fmt, ...)
{
	struct err unheard = { "" };
	json_t *answer;
	va_list ap;
	char *line;

	err = err ? err : &unheard;
	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < TUI_KEPT; i++) {
		if (!t->kept[i].line || strcmp(t->kept[i].line, line))
			continue;
		free(line);
		return answer_of(&t->kept[i], err);
	}
	answer = ask_now(t, type, line, err);
	free(line);
	return answer;
}

void tui_run(struct tui *t, const char *fmt, ...)
{
	va_list ap;
	char *line;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	if (t->queued == TUI_QUEUE) {
		tui_say(t, "too many verbs wait already; Ctrl-C drops them");
		free(line);
		return;
	}
	t->queue[t->queued++] = line;
	tui_draw(t);
}

void verbs_drop(struct tui *t)
{
	char text[300];

	for (size_t i = 0; i < t->queued; i++) {
		snprintf(text, sizeof(text), "not run: %s", t->queue[i]);
		if (t->sc)
			log_append(tui_view(t, &view_log), SAY_DIM, text);
		free(t->queue[i]);
	}
	t->queued = 0;
}

bool verbs_next(struct tui *t)
{
	char *line, *echo;

	if (!t->queued)
		return false;
	line = t->queue[0];
	memmove(t->queue, t->queue + 1, --t->queued * sizeof(*t->queue));
	if (asprintf(&echo, "[%s]> %s", t->s->focus, line) >= 0) {
		log_append(tui_view(t, &view_log), SAY_BOLD, echo);
		free(echo);
	}
	t->message[0] = 0;
	t->progress[0] = 0;
	t->busy = line;
	t->busy_since = loop_now();
	tui_tick(t);
	tui_draw(t);
	loop_clear_interrupt(t->s->loop);
	cmd_line(t->s, line);
	t->busy = NULL;
	t->other = t->other && t->s->pair;
	verbs_changed(t);
	tui_draw(t);
	free(line);
	return true;
}

/* A reason why nothing can be asked now; NULL: it can. */
static const char *no_job(const struct tui *t)
{
	return tui_session(t)->job ? NULL : "No program is loaded. :load PROGRAM loads one.";
}

static bool needs_job(const struct view_class *c)
{
	return !c->without_job;
}

static void load(struct tui *t, struct view *v)
{
	/* It learns how much room it has. */
	if (!v->loaded && t->sc)
		frame_draw(t);
	/* What a key changes while it asks is loaded after that. */
	v->epoch = t->epoch;
	v->moving = tui_ranks_run(t);
	if (needs_job(v->class) && no_job(t)) {
		view_why(v, no_job(t));
	} else {
		view_why(v, NULL);
		v->class->load(v);
	}
	v->loaded = true;
	tui_draw(t);
}

void verbs_load(struct tui *t, bool live)
{
	if (t->asking)
		return;
	if (live)
		forget_all(t); /* ranks that run are elsewhere by now */
	for (size_t i = 0; i < t->panes.n; i++) {
		const struct pane *p = &t->panes.pane[i];
		struct view *v = tui_view(t, p->view);

		if (!p->shown || !v->class->load)
			continue;
		if (live ? v->class->live : v->epoch != t->epoch)
			load(t, v);
	}
}
