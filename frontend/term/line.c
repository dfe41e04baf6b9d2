/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/term/term.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "frontend/cmd/cmd.h"
#include "frontend/util/loop.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"

#define HISTORY_KEPT 1000

struct line {
	struct session *s;
	const struct line_drawer *drawer; /* borrowed; NULL: on the terminal */
	bool open, command, completing, toggled, eof;
	char *done; /* owned; a complete line */
	char history[PATH_MAX];
	struct complete found; /* of the completion that goes on */
	size_t next;
	const char *fed; /* borrowed while line_feed runs, or key */
	size_t nfed;
	char key;
	FILE *nowhere; /* owned; where readline writes when it is not to draw */
	int keys;      /* the terminal, never waited for; -1: it cannot be read so */
};

/* readline's callbacks have no argument. */
static struct line *active;

static void keep_line(const char *line)
{
	const HIST_ENTRY *last =
		history_length ? history_get(history_base + history_length - 1) : NULL;

	if (line[strspn(line, " \t")] && (!last || strcmp(last->line, line)))
		add_history(line);
}

static void got_line(char *line)
{
	struct line *l = active;

	rl_callback_handler_remove();
	l->open = false;
	if (l->toggled) {
		free(line);
		line = xstrdup("tui");
	} else if (line && l->command) {
		keep_line(line);
	}
	l->toggled = false;
	l->eof = !line;
	free(l->done);
	l->done = line;
}

void line_keep_draft(struct line *l)
{
	free(l->s->shell->draft);
	l->s->shell->draft = rl_end ? xstrdup(rl_line_buffer) : NULL;
}

/* Ctrl-X a. */
static int toggle(int count, int key)
{
	struct line *l = active;

	if (!l->command)
		return 0;
	line_keep_draft(l);
	l->toggled = true;
	rl_replace_line("", 0);
	rl_done = 1;
	return 0;
}

static char *next_word(const char *text, int state)
{
	struct line *l = active;

	if (l->next < l->found.n)
		return l->found.word[l->next++];
	free(l->found.word);
	memset(&l->found, 0, sizeof(l->found));
	return NULL;
}

/* What candidates have in common before the name that is looked for: "u[0:3][", "eps*". */
static size_t before_name(const char *common)
{
	size_t n = strlen(common);

	while (n && !strchr("[({,+*/", common[n - 1]))
		n--;
	return n;
}

/* Shows names as they are, without what stands before them on the line. */
static void show_names(char **match, int n, int longest)
{
	int skip = (int)before_name(match[0]);

	for (int i = 0; i <= n; i++)
		match[i] += skip;
	rl_display_match_list(match, n, longest - skip);
	for (int i = 0; i <= n; i++)
		match[i] -= skip;
	rl_forced_update_display();
}

static char **complete(const char *text, int start, int end)
{
	struct line *l = active;

	rl_attempted_completion_over = 1;
	if (!l->command)
		return NULL;
	l->completing = true;
	l->found = complete_line(l->s, rl_line_buffer, (size_t)start, (size_t)end);
	l->completing = false;
	loop_clear_interrupt(l->s->loop);
	l->next = 0;
	rl_attempted_completion_over = !l->found.files;
	rl_completion_append_character = l->found.open ? 0 : ' ';
	/* with more of them readline asks first, which it does for its own list only */
	if (!l->drawer)
		rl_completion_display_matches_hook =
			l->found.n && l->found.n < (size_t)rl_completion_query_items ? show_names
										     : NULL;
	if (l->found.n)
		return rl_completion_matches(text, next_word);
	free(l->found.word);
	memset(&l->found, 0, sizeof(l->found));
	return NULL;
}

static void history_open(struct line *l)
{
	const char *home = getenv("HOME");

	using_history();
	stifle_history(HISTORY_KEPT);
	if (!home || snprintf(l->history, sizeof(l->history), "%s/.dvmdbg_history", home) >=
			     (int)sizeof(l->history))
		l->history[0] = 0;
	if (*l->history)
		read_history(l->history);
}

static void draw(void)
{
	active->drawer->draw(active->drawer->arg, rl_display_prompt ? rl_display_prompt : "",
			     rl_line_buffer, (size_t)rl_point);
}

static void candidates(char **match, int n, int longest)
{
	/* The first is what they have in common. */
	active->drawer->candidates(active->drawer->arg, match + 1, (size_t)n);
}

static int next_byte(FILE *f)
{
	struct line *l = active;

	if (!l->nfed)
		return EOF;
	l->nfed--;
	return (unsigned char)*l->fed++;
}

static int bytes_left(void)
{
	return active->nfed > 0;
}

/* Takes a key from the terminal. Returns 1 with one in hand, 0 when there is none, -1 at the end.
 */
static int take_key(struct line *l)
{
	ssize_t n;

	if (l->nfed)
		return 1;
	n = read(l->keys, &l->key, 1);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -1;
	l->fed = &l->key;
	l->nfed = 1;
	return 1;
}

/* readline waits only in the middle of a question of its own. */
static int next_key(FILE *f)
{
	struct pollfd p = { .fd = active->keys, .events = POLLIN };
	int rc;

	while (!(rc = take_key(active)))
		poll(&p, 1, -1);
	return rc < 0 ? EOF : next_byte(f);
}

/*
 * Ctrl-C empties the terminal's queue: what poll has seen may be gone, and a key is said to be
 * there only when it is in hand.
 */
static int key_in_hand(void)
{
	return take_key(active) > 0;
}

static void leave_terminal(int meta)
{
}

static void leave_terminal_alone(void)
{
}

/* Who draws: readline on the terminal, or the drawer from what readline knows. */
static void set_drawing(const struct line *l)
{
	bool own = l->drawer;

	rl_redisplay_function = own ? draw : rl_redisplay;
	rl_completion_display_matches_hook = own ? candidates : NULL;
	rl_getc_function = own ? next_byte : l->keys >= 0 ? next_key : rl_getc;
	rl_input_available_hook = own ? bytes_left : l->keys >= 0 ? key_in_hand : NULL;
	rl_prep_term_function = own ? leave_terminal : rl_prep_terminal;
	rl_deprep_term_function = own ? leave_terminal_alone : rl_deprep_terminal;
	rl_outstream = own ? l->nowhere : stdout;
}

/* Opened again: it is for this reader only that there is no waiting. */
static int open_keys(void)
{
	char name[PATH_MAX];

	if (ttyname_r(STDIN_FILENO, name, sizeof(name)))
		return -1;
	return open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void restore_terminal(void)
{
	if (active)
		rl_deprep_term_function();
}

struct line *line_create(struct session *s, const struct line_drawer *drawer)
{
	struct line *l = xcalloc(1, sizeof(*l));

	l->s = s;
	l->drawer = drawer;
	l->nowhere = drawer ? fopen("/dev/null", "we") : NULL;
	if (drawer && !l->nowhere) {
		free(l);
		return NULL;
	}
	l->keys = drawer ? -1 : open_keys();
	active = l;
	set_drawing(l);
	xalloc_at_failure(restore_terminal);
	rl_readline_name = "dvmdbg";
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_attempted_completion_function = complete;
	rl_basic_word_break_characters = " \t\n";
	rl_completer_word_break_characters = (char *)rl_basic_word_break_characters;
	rl_initialize();
	rl_bind_keyseq_in_map("\\C-xa", toggle, emacs_standard_keymap);
	rl_bind_keyseq_in_map("\\C-xa", toggle, vi_insertion_keymap);
	rl_bind_keyseq_if_unbound("\\e[3~", rl_delete);
	history_open(l);
	return l;
}

void line_destroy(struct line *l)
{
	if (!l)
		return;
	line_end(l);
	if (*l->history)
		write_history(l->history);
	clear_history();
	if (l->keys >= 0)
		close(l->keys);
	l->keys = -1;
	l->drawer = NULL;
	set_drawing(l);
	if (l->nowhere)
		fclose(l->nowhere);
	free(l->done);
	free(l);
	active = NULL;
}

void line_begin(struct line *l, const char *prompt, bool command)
{
	char *draft = l->s->shell->draft;

	l->command = command;
	l->open = true;
	/* readline keeps it from an earlier line, and then puts an empty line before every answer
	 */
	rl_eof_found = 0;
	rl_callback_handler_install(prompt, got_line);
	if (!command || !draft)
		return;
	line_insert(l, draft);
	free(draft);
	l->s->shell->draft = NULL;
}

void line_insert(struct line *l, const char *text)
{
	rl_insert_text(text);
	rl_redisplay_function();
}

void line_go(struct line *l, size_t at)
{
	rl_point = at < (size_t)rl_end ? (int)at : rl_end;
	rl_redisplay_function();
}

void line_end(struct line *l)
{
	if (l->open)
		rl_callback_handler_remove();
	l->open = false;
}

bool line_open(const struct line *l)
{
	return l->open;
}

bool line_completing(const struct line *l)
{
	return l->completing;
}

char *line_take(struct line *l)
{
	char *done = l->done;

	l->done = NULL;
	return done;
}

bool line_eof(const struct line *l)
{
	return l->eof;
}

void line_feed(struct line *l, const char *bytes, size_t n)
{
	l->fed = bytes;
	l->nfed = n;
	while (l->open && l->nfed)
		rl_callback_read_char();
	l->nfed = 0;
}

void line_read(struct line *l)
{
	if (!l->open || (l->keys >= 0 && !take_key(l)))
		return;
	do
		rl_callback_read_char();
	while (l->open && l->nfed);
}

ssize_t line_plain(struct line *l, char *out, size_t size)
{
	ssize_t n = read(l->keys >= 0 ? l->keys : STDIN_FILENO, out, size);

	/* what came before the terminal was back in its own modes */
	for (ssize_t i = 0; i < n; i++)
		if (out[i] == '\r')
			out[i] = '\n';
	return n;
}

void line_drop(struct line *l)
{
	l->nfed = 0;
	rl_callback_sigcleanup();
	rl_free_line_state();
	if (!l->drawer)
		fputs("^C\n", rl_outstream);
	line_end(l);
}

void line_hide(struct line *l)
{
	if (!l->open)
		return;
	rl_clear_visible_line();
	fflush(rl_outstream);
}

void line_show(struct line *l)
{
	if (!l->open)
		return;
	rl_on_new_line();
	rl_redisplay();
}

void line_continued(struct line *l)
{
	if (!l->open)
		return;
	rl_deprep_terminal(); /* readline believes that it has prepared it */
	rl_reset_after_signal();
	rl_forced_update_display();
}

int line_columns(struct line *l, bool fresh)
{
	int rows, columns;

	if (fresh)
		rl_resize_terminal();
	rl_get_screen_size(&rows, &columns);
	return columns;
}
