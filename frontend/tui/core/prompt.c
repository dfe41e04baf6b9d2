/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line at the bottom: commands, with readline's keys, completion and history, and patterns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/loop.h"
#include "frontend/util/pattern.h"
#include "frontend/session/session.h"
#include "frontend/tui/core/internal.h"
#include "frontend/util/xalloc.h"

static void on_draw(void *arg, const char *prompt, const char *text, size_t cursor)
{
	struct tui *t = arg;
	char *whole, *before;

	whole = xasprintf("%s%s", prompt, text);
	before = xstrndup(whole, strlen(prompt) + cursor);
	t->prompt_cursor = glyph_width(before);
	free(before);
	free(t->prompt_text);
	t->prompt_text = whole;
	tui_draw(t);
}

static void on_candidates(void *arg, char *const *word, size_t n)
{
	struct tui *t = arg;

	offer_set(&t->offer, word, n);
	tui_draw(t);
}

int prompt_start(struct tui *t)
{
	t->drawer = (struct line_drawer){ .arg = t, .draw = on_draw, .candidates = on_candidates };
	t->line = line_create(t->s, &t->drawer);
	if (!t->line)
		return -1;
	if (t->s->shell->draft)
		prompt_open(t, PROMPT_COMMAND, "");
	return 0;
}

void prompt_stop(struct tui *t)
{
	prompt_close(t);
	line_destroy(t->line);
	t->line = NULL;
}

bool prompt_ask(void *arg, const char *question)
{
	struct tui *t = arg;

	t->question = question;
	t->answer = 0;
	loop_clear_interrupt(t->s->loop);
	while (!t->answer && !t->s->quitting && !loop_interrupted(t->s->loop)) {
		tui_draw(t);
		if (loop_turn(t->s->loop, -1) < 0)
			break;
	}
	t->question = NULL;
	tui_draw(t);
	return t->answer == 'y';
}

void prompt_answer(struct tui *t, int code)
{
	if (code == 'y' || code == 'Y')
		t->answer = 'y';
	else if (code == 'n' || code == 'N' || code == ESC)
		t->answer = 'n';
}

int prompt_open(struct tui *t, enum prompt_kind kind, const char *text)
{
	char prompt[256] = "/";

	if (kind == PROMPT_COMMAND)
		shell_prompt(t->s, prompt, sizeof(prompt));
	t->prompt = kind;
	line_begin(t->line, prompt, kind == PROMPT_COMMAND);
	if (*text)
		line_insert(t->line, text);
	return 0;
}

void tui_type(struct tui *t, const char *text)
{
	if (!t->prompt)
		prompt_open(t, PROMPT_COMMAND, text);
}

void prompt_close(struct tui *t)
{
	if (t->line)
		line_end(t->line);
	t->prompt = PROMPT_NONE;
	offer_clear(&t->offer);
	free(t->prompt_text);
	t->prompt_text = NULL;
	tui_draw(t);
}

static void search(struct tui *t, const char *pattern)
{
	struct view *v = tui_view(t, tui_focus(t));
	struct err err = { "" };
	size_t column = 0;
	struct search *made = *pattern ? search_create_at(pattern, &column, &err) : NULL;

	if (*pattern && !made) {
		/* To be mended: the cursor stands where it is wrong. */
		tui_say(t, "%s", err.text);
		prompt_open(t, PROMPT_SEARCH, pattern);
		line_go(t->line, column);
		return;
	}
	for (size_t i = 0; t->view[i]; i++)
		t->view[i]->list.found = NULL;
	search_destroy(t->pattern);
	t->pattern = made;
	if (!made)
		return;
	if (v->class->find ? !v->class->find(v, made, 1) : !list_find(&v->list, made, 1))
		tui_say(t, "no row of %s matches '%s'", v->class->name, pattern);
}

/* A line is complete. */
static void take(struct tui *t, enum prompt_kind kind, const char *text)
{
	prompt_close(t);
	if (kind == PROMPT_SEARCH)
		search(t, text);
	else if (text[strspn(text, " \t")])
		tui_run(t, "%s", text);
}

/* The bytes that a terminal would have sent; their number. */
static size_t bytes_of(int code, char out[8])
{
	static const struct {
		int code;
		const char *bytes;
	} keys[] = {
		{ SCREEN_UP, "\033[A" },      { SCREEN_DOWN, "\033[B" },
		{ SCREEN_RIGHT, "\033[C" },   { SCREEN_LEFT, "\033[D" },
		{ SCREEN_HOME, "\001" },      { SCREEN_END, "\005" },
		{ SCREEN_DELETE, "\033[3~" }, { SCREEN_BACKSPACE, "\177" },
	};
	unsigned c = (unsigned)code;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].code == code)
			return (size_t)(stpcpy(out, keys[i].bytes) - out);
	if (code < 0 || code > 0x10ffff)
		return 0;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

void prompt_key(struct tui *t, int code)
{
	enum prompt_kind kind = t->prompt;
	char bytes[8], *line;
	size_t n = bytes_of(code, bytes);

	offer_clear(&t->offer);
	line_feed(t->line, bytes, n);
	line = line_take(t->line);
	if (line)
		take(t, kind, line);
	else if (!line_open(t->line))
		prompt_close(t);
	free(line);
}
