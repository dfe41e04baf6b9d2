/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/main/internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/cmd/cmd.h"
#include "frontend/verbs/run/run.h"
#include "frontend/term/term.h"
#include "frontend/util/loop.h"
#include "frontend/gdb/gdb.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

#define PROMPT_SIZE 1024

struct cli {
	struct session *s;
	struct line *typed; /* owned; NULL without a terminal */
	bool eof, gone; /* the latter: with the terminal */
	bool giving; /* to the program, which may take its time */
	char *line;  /* owned; a whole line that waits to be run */
	char *text;  /* owned; without a terminal: what has been read and not run */
	size_t len, cap;
};

static const char *prompt_text(const struct cli *c, char out[PROMPT_SIZE])
{
	if (c->s->shell->proginput)
		return strcpy(out, "");
	if (c->s->shell->pending)
		return strcpy(out, "> ");
	if (c->s->shell->gdb && gdb_ranks(c->s))
		return strcpy(out, "(gdb) ");
	return shell_prompt(c->s, out, PROMPT_SIZE);
}

/* Messages while a line is typed: it is taken away before and drawn again after. */
static void before_output(void *arg)
{
	const struct cli *c = arg;

	line_hide(c->typed);
}

static void after_output(void *arg)
{
	const struct cli *c = arg;

	line_show(c->typed);
}

static void show_prompt(struct cli *c)
{
	char prompt[PROMPT_SIZE];

	if (settings_is(c->s->set, "EVENT_INTERRUPT", "OFF"))
		out_hold(c->s->out, true);
	if (c->typed)
		line_begin(c->typed, prompt_text(c, prompt), !c->s->shell->proginput);
}

static void hide_prompt(struct cli *c)
{
	if (c->typed)
		line_end(c->typed);
	out_hold(c->s->out, false);
}

/* Takes the first whole line of what has been read; at the end what is left. */
static void cut_line(struct cli *c)
{
	char *end = c->len ? memchr(c->text, '\n', c->len) : NULL;
	size_t n = end ? (size_t)(end - c->text) : c->len;

	if (c->line || (!end && (!c->eof || !c->len)))
		return;
	c->line = xstrndup(c->text, n);
	n += end ? 1 : 0;
	memmove(c->text, c->text + n, c->len - n);
	c->len -= n;
}

static void read_text(struct cli *c)
{
	ssize_t got;

	if (c->cap - c->len < 4096) {
		char *grown = xrealloc(c->text, c->cap + 65536);

		c->text = grown;
		c->cap += 65536;
	}
	got = read(STDIN_FILENO, c->text + c->len, c->cap - c->len);
	if (got > 0)
		c->len += (size_t)got;
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		c->eof = true;
}

/* The prompt comes back; with_input: the program's input ends too. */
static void end_proginput(struct cli *c, bool with_input)
{
	struct err err = { "" };

	c->s->shell->proginput = false;
	if (with_input && c->s->job && job_input(c->s->job, NULL, 0, &err))
		out_error(c->s->out, "%s", err.text);
	line_end(c->typed);
	show_prompt(c);
}

/* A line for the program. */
static void give_line(struct cli *c, const char *text)
{
	struct err err = { "" };
	char *line;
	int len = asprintf(&line, "%s\n", text);

	if (len < 0)
		return;
	if (!c->s->job || job_input(c->s->job, line, (size_t)len, &err)) {
		out_error(c->s->out, "%s", c->s->job ? err.text : "the program has ended");
		c->s->shell->proginput = false;
	}
	free(line);
}

/* While the verb wait waits, the program has the terminal, if it reads that at all. */
static bool program_listens(const struct cli *c)
{
	const struct session *s = c->s;

	return s->shell->awaited && !c->giving && s->job && !job_over(s->job) && s->spec.typed &&
	       !s->spec.input;
}

/* What has been typed meanwhile; when the program cannot be given it, the rest is for the prompt.
 */
static void give_typed(struct cli *c)
{
	char text[4096];
	ssize_t n = line_plain(c->typed, text, sizeof(text));
	struct err err = { "" };

	if (n < 0)
		return;
	c->giving = true;
	if (job_input(c->s->job, n ? text : NULL, (size_t)n, &err)) {
		out_error(c->s->out, "%s", err.text);
		c->s->shell->awaited = false;
	}
	c->giving = false;
}

static void on_input(void *arg, short revents)
{
	struct cli *c = arg;

	if (!c->typed) {
		read_text(c);
		return;
	}
	/* A terminal that is gone. */
	if (revents & (POLLERR | POLLNVAL) || (revents & POLLHUP && !(revents & POLLIN))) {
		c->eof = c->gone = true;
		return;
	}
	if (!line_open(c->typed)) {
		give_typed(c);
		return;
	}
	line_read(c->typed);
	c->line = line_take(c->typed);
	c->eof = line_eof(c->typed);
	if (c->eof && c->s->shell->proginput) {
		c->eof = false;
		end_proginput(c, true);
	}
}

/* Only at the prompt and while the verb wait waits; else what is typed stays in the terminal. */
static short want_input(void *arg)
{
	const struct cli *c = arg;

	if (c->line || c->eof)
		return 0;
	if (!c->typed)
		return POLLIN;
	if (!line_open(c->typed))
		return program_listens(c) ? POLLIN : 0;
	return line_completing(c->typed) ? 0 : POLLIN;
}

static void on_interrupt(void *arg, int sig)
{
	struct cli *c = arg;

	if (!c->typed) {
		c->s->quitting = true;
		return;
	}
	if (!line_open(c->typed) || line_completing(c->typed))
		return;
	/* The line that is being typed goes, and with it the lines it continues. */
	free(c->s->shell->pending);
	c->s->shell->pending = NULL;
	line_drop(c->typed);
	c->s->shell->proginput = false;
	show_prompt(c);
}

static void on_resize(void *arg, int sig)
{
	const struct cli *c = arg;

	if (c->typed)
		out_set_columns(c->s->out, line_columns(c->typed, true));
}

static void on_continue(void *arg, int sig)
{
	const struct cli *c = arg;

	if (c->typed)
		line_continued(c->typed);
}

/* Turns the loop until there is a line, or no more of them. */
static void wait_line(struct cli *c)
{
	show_prompt(c);
	while (!c->line && !c->s->quitting) {
		go_report_gone(c->s);
		if (c->s->shell->proginput && (!c->s->job || job_over(c->s->job)))
			end_proginput(c, false);
		if (!c->typed)
			cut_line(c);
		if (c->line || (c->eof && !c->len))
			break;
		if (loop_turn(c->s->loop, -1) < 0)
			break;
	}
	hide_prompt(c);
}

/* Runs the line; in a batch session an error ends it all. */
static void run_line(struct cli *c)
{
	struct shell *sh = c->s->shell;
	char *line = c->line, prompt[PROMPT_SIZE];
	int rc;

	c->line = NULL;
	loop_clear_interrupt(c->s->loop);
	if (sh->proginput) {
		give_line(c, line);
		free(line);
		return;
	}
	if (!c->typed && !c->s->batch && *line)
		out_echo(c->s->out, prompt_text(c, prompt), line);
	if (!c->typed) {
		sh->script = "stdin";
		sh->script_line++;
	}
	if (c->typed && settings_is(c->s->set, "PAGE", "ON"))
		out_page(c->s->out, true);
	sh->gdb = sh->gdb && gdb_ranks(c->s);
	if (sh->gdb && *line) {
		char *text = xasprintf("gdb -all %s", line);

		free(line);
		line = text;
	}
	rc = cmd_line(c->s, line);
	out_page(c->s->out, false);
	sh->script = NULL;
	if (rc && c->s->batch)
		c->s->quitting = true;
	free(line);
}

/* Ctrl-D at the prompt is quit, which may ask; the end of a file or of the terminal ends it. */
static bool stays(struct cli *c)
{
	if (!c->typed || !c->eof || c->gone || c->s->quitting)
		return false;
	fputc('\n', stdout);
	c->eof = false;
	cmd_line(c->s, "quit");
	return !c->s->quitting;
}

void cli_run(struct session *s)
{
	struct cli c = { .s = s };

	if (s->interactive) {
		c.typed = line_create(s, NULL);
		out_set_columns(s->out, line_columns(c.typed, false));
		out_set_hooks(s->out, before_output, after_output, &c);
	}
	loop_add(s->loop, STDIN_FILENO, want_input, on_input, &c);
	loop_signal(s->loop, SIGINT, on_interrupt, &c);
	loop_signal(s->loop, SIGWINCH, on_resize, &c);
	loop_signal(s->loop, SIGCONT, on_continue, &c);
	while (!s->quitting && !s->fill_screen) {
		wait_line(&c);
		if (c.line)
			run_line(&c);
		else if (!stays(&c))
			break;
	}
	if (!s->fill_screen)
		s->quitting = true;
	loop_signal(s->loop, SIGINT, NULL, NULL);
	loop_signal(s->loop, SIGWINCH, NULL, NULL);
	loop_signal(s->loop, SIGCONT, NULL, NULL);
	loop_remove(s->loop, STDIN_FILENO);
	out_set_hooks(s->out, NULL, NULL, NULL);
	line_destroy(c.typed);
	free(c.line);
	free(c.text);
}
