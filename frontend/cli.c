/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/cli.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "common/err.h"
#include "frontend/cmd.h"
#include "frontend/cmd/go.h"
#include "frontend/complete.h"
#include "frontend/focus.h"
#include "frontend/loop.h"
#include "frontend/out.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"

#define HISTORY_KEPT 1000
#define PROMPT_SIZE 1024

struct cli {
	struct session *s;
	bool terminal;
	bool prompting;	 /* readline has the terminal */
	bool completing; /* inside readline, which turns the loop to ask ranks for names */
	bool eof;
	char *line; /* owned; a whole line that waits to be run */
	char *text; /* owned; without a terminal: what has been read and not run */
	size_t len, cap;
	char history[PATH_MAX];
	struct complete found; /* of the completion that goes on */
	size_t next;
};

/* readline's callbacks have no argument. */
static struct cli *active;

static const char *prompt_text(const struct cli *c, char out[PROMPT_SIZE])
{
	const char *own = settings_text(c->s->set, "PROMPT");

	if (c->s->shell->pending)
		return strcpy(out, "> ");
	if (!*own)
		return focus_prompt(c->s->focus, (size_t)settings_number(c->s->set, "MAX_PROMPT"),
				    out, PROMPT_SIZE);
	snprintf(out, PROMPT_SIZE, "%s", own);
	return out;
}

/* Messages while a line is typed: it is taken away before and drawn again after. */
static void before_output(void *arg)
{
	const struct cli *c = arg;

	if (!c->prompting)
		return;
	rl_clear_visible_line();
	fflush(rl_outstream);
}

static void after_output(void *arg)
{
	const struct cli *c = arg;

	if (!c->prompting)
		return;
	rl_on_new_line();
	rl_redisplay();
}

static void got_line(char *line)
{
	struct cli *c = active;

	rl_callback_handler_remove();
	c->prompting = false;
	if (!line) {
		c->eof = true;
		return;
	}
	free(c->line);
	c->line = line;
}

static void show_prompt(struct cli *c)
{
	char prompt[PROMPT_SIZE];

	if (!strcmp(settings_text(c->s->set, "EVENT_INTERRUPT"), "OFF"))
		out_hold(c->s->out, true);
	if (!c->terminal)
		return;
	/* readline keeps it from an earlier line, and then puts an empty line before every answer
	 */
	rl_eof_found = 0;
	rl_callback_handler_install(prompt_text(c, prompt), got_line);
	c->prompting = true;
}

static void hide_prompt(struct cli *c)
{
	if (c->prompting)
		rl_callback_handler_remove();
	c->prompting = false;
	out_hold(c->s->out, false);
}

/* Takes the first whole line of what has been read; at the end what is left. */
static void cut_line(struct cli *c)
{
	char *end = c->len ? memchr(c->text, '\n', c->len) : NULL;
	size_t n = end ? (size_t)(end - c->text) : c->len;

	if (c->line || (!end && (!c->eof || !c->len)))
		return;
	c->line = strndup(c->text, n);
	n += end ? 1 : 0;
	memmove(c->text, c->text + n, c->len - n);
	c->len -= n;
}

static void read_text(struct cli *c)
{
	ssize_t got;

	if (c->cap - c->len < 4096) {
		char *grown = realloc(c->text, c->cap + 65536);

		if (!grown) {
			c->eof = true;
			return;
		}
		c->text = grown;
		c->cap += 65536;
	}
	got = read(STDIN_FILENO, c->text + c->len, c->cap - c->len);
	if (got > 0)
		c->len += (size_t)got;
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		c->eof = true;
}

static void on_input(void *arg, short revents)
{
	struct cli *c = arg;

	if (!c->terminal) {
		read_text(c);
		return;
	}
	/* A terminal that is gone. */
	if (revents & (POLLERR | POLLNVAL) || (revents & POLLHUP && !(revents & POLLIN))) {
		c->eof = true;
		return;
	}
	if (c->prompting)
		rl_callback_read_char();
}

/* Only at the prompt; what is typed while a command runs stays in the terminal. */
static short want_input(void *arg)
{
	const struct cli *c = arg;

	if (c->line || c->eof || c->completing)
		return 0;
	return !c->terminal || c->prompting ? POLLIN : 0;
}

static void on_interrupt(void *arg, int sig)
{
	struct cli *c = arg;

	if (!c->terminal) {
		c->s->quitting = true;
		return;
	}
	if (!c->prompting || c->completing)
		return;
	/* The line that is being typed goes, and with it the lines it continues. */
	free(c->s->shell->pending);
	c->s->shell->pending = NULL;
	rl_callback_sigcleanup();
	rl_free_line_state();
	fputs("^C\n", rl_outstream);
	rl_callback_handler_remove();
	show_prompt(c);
}

static void take_width(const struct cli *c)
{
	int rows, columns;

	rl_get_screen_size(&rows, &columns);
	out_set_columns(c->s->out, columns);
}

static void on_resize(void *arg, int sig)
{
	const struct cli *c = arg;

	if (!c->terminal)
		return;
	rl_resize_terminal();
	take_width(c);
}

/* After Ctrl-Z and fg: the shell has had the terminal in its own modes. */
static void on_continue(void *arg, int sig)
{
	const struct cli *c = arg;

	if (!c->prompting)
		return;
	rl_deprep_terminal(); /* readline believes that it has prepared it */
	rl_reset_after_signal();
	rl_forced_update_display();
}

static char *next_word(const char *text, int state)
{
	struct cli *c = active;

	if (c->next < c->found.n)
		return c->found.word[c->next++];
	free(c->found.word);
	memset(&c->found, 0, sizeof(c->found));
	return NULL;
}

static char **complete(const char *text, int start, int end)
{
	struct cli *c = active;

	c->completing = true;
	c->found = complete_line(c->s, rl_line_buffer, (size_t)start, (size_t)end);
	c->completing = false;
	loop_clear_interrupt(c->s->loop);
	c->next = 0;
	rl_attempted_completion_over = !c->found.files;
	rl_completion_append_character = c->found.open ? 0 : ' ';
	if (c->found.n)
		return rl_completion_matches(text, next_word);
	free(c->found.word);
	memset(&c->found, 0, sizeof(c->found));
	return NULL;
}

static void history_open(struct cli *c)
{
	const char *home = getenv("HOME");

	using_history();
	stifle_history(HISTORY_KEPT);
	if (!home || snprintf(c->history, sizeof(c->history), "%s/.dvmdbg_history", home) >=
			     (int)sizeof(c->history))
		c->history[0] = 0;
	if (*c->history)
		read_history(c->history);
}

static void keep_line(const char *line)
{
	const HIST_ENTRY *last =
		history_length ? history_get(history_base + history_length - 1) : NULL;

	if (line[strspn(line, " \t")] && (!last || strcmp(last->line, line)))
		add_history(line);
}

static void setup_readline(struct cli *c)
{
	rl_readline_name = "dvmdbg";
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_attempted_completion_function = complete;
	rl_basic_word_break_characters = " \t\n";
	rl_completer_word_break_characters = (char *)rl_basic_word_break_characters;
	rl_initialize();
	take_width(c);
	history_open(c);
	out_set_hooks(c->s->out, before_output, after_output, c);
}

/* What `go` has sent off has stopped: that is told once. */
static void tell_gone(struct session *s)
{
	struct rankset gone = { 0 };

	if (!s->job || !s->shell->gone.n ||
	    rankset_meets(&s->shell->gone, job_set(s->job, JOB_RUNNING)))
		return;
	if (!rankset_copy(&gone, &s->shell->gone))
		go_wait(s, &gone);
	rankset_clear(&gone);
}

/* Turns the loop until there is a line, or no more of them. */
static void wait_line(struct cli *c)
{
	show_prompt(c);
	while (!c->line && !c->s->quitting) {
		tell_gone(c->s);
		if (!c->terminal)
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
	if (c->terminal)
		keep_line(line);
	else if (!c->s->batch && *line)
		out_echo(c->s->out, prompt_text(c, prompt), line);
	if (!c->terminal) {
		sh->script = "stdin";
		sh->script_line++;
	}
	rc = cmd_line(c->s, line);
	sh->script = NULL;
	if (rc && c->s->batch)
		c->s->quitting = true;
	free(line);
}

int cli_run(struct session *s, struct err *err)
{
	struct cli c = { .s = s, .terminal = s->interactive };

	active = &c;
	if (loop_add(s->loop, STDIN_FILENO, want_input, on_input, &c))
		return err_set(err, "out of memory");
	if (c.terminal)
		setup_readline(&c);
	loop_signal(s->loop, SIGINT, on_interrupt, &c);
	loop_signal(s->loop, SIGWINCH, on_resize, &c);
	loop_signal(s->loop, SIGCONT, on_continue, &c);
	while (!s->quitting) {
		wait_line(&c);
		if (!c.line)
			break;
		run_line(&c);
	}
	if (c.terminal && c.eof && !s->quitting)
		fputc('\n', stdout);
	if (c.terminal && *c.history)
		write_history(c.history);
	loop_signal(s->loop, SIGINT, NULL, NULL);
	loop_signal(s->loop, SIGWINCH, NULL, NULL);
	loop_signal(s->loop, SIGCONT, NULL, NULL);
	loop_remove(s->loop, STDIN_FILENO);
	out_set_hooks(s->out, NULL, NULL, NULL);
	free(c.line);
	free(c.text);
	active = NULL;
	return 0;
}
