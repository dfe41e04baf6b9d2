/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/cmd/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/gdb/gdb.h"
#include "frontend/model/alias.h"
#include "frontend/model/focus.h"
#include "frontend/model/history.h"
#include "frontend/output/outcome.h"
#include "frontend/output/logs.h"
#include "frontend/util/loop.h"
#include "frontend/util/names.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define NESTING 16

static const struct cmd_entry *table;
static size_t ntable;

void cmd_use(const struct cmd_entry *entries, size_t n)
{
	table = entries;
	ntable = n;
}

const struct cmd *cmd_at(size_t i)
{
	return i < ntable ? table[i].cmd : NULL;
}

enum cmd_group cmd_group(size_t i)
{
	return table[i].group;
}

bool cmd_standard(size_t i)
{
	return table[i].standard;
}

const char *cmd_group_title(enum cmd_group group)
{
	static const char *const title[] = {
#define X(name, words) words,
		CMD_GROUP_LIST(X)
#undef X
	};

	return title[group];
}

static int append(char *names, size_t size, size_t used, const char *name)
{
	return snprintf(names + used, used < size ? size - used : 0, " %s", name);
}

static const struct cmd *unknown(const char *name, struct err *err)
{
	char names[300] = "";
	size_t used = 0;

	for (size_t i = 0; cmd_at(i) && used < sizeof(names); i++)
		if (names_near(name, cmd_at(i)->name))
			used += (size_t)append(names, sizeof(names), used, cmd_at(i)->name);
	if (*names)
		err_set(err, "unknown verb '%.100s'; near:%s", name, names);
	else
		err_set(err, "unknown verb '%.100s'; 'help' lists them", name);
	return NULL;
}

/* An abbreviation that has always been another verb's. */
static bool yields(const struct cmd *c, const char *name)
{
	return c->yields && !strncmp(c->yields, name, strlen(name));
}

const struct cmd *cmd_find(const char *name, struct err *err)
{
	const struct cmd *found = NULL;
	char names[400] = "";
	size_t used = 0, n = 0;

	for (size_t i = 0; cmd_at(i); i++) {
		const struct cmd *c = cmd_at(i);

		if (!strcmp(c->name, name))
			return c;
		if (strncmp(c->name, name, strlen(name)) || yields(c, name))
			continue;
		found = c;
		n++;
		if (used < sizeof(names))
			used += (size_t)append(names, sizeof(names), used, c->name);
	}
	if (n == 1)
		return found;
	if (habit_verb(name, err))
		return NULL;
	if (!n)
		return unknown(name, err);
	err_set(err, "'%.100s' is ambiguous:%s", name, names);
	return NULL;
}

/* "[3] running", for the members of who that are in the set. */
static void report_left(struct session *s, const struct rankset *who, enum job_set set,
			const char *verb, const char *words)
{
	struct rankset left = { 0 };
	char text[80];

	xrankset_copy(&left, who);
	xrankset_intersect(&left, job_set(s->job, set));
	if (left.n)
		out_warning(s->out, "%s: %s left out: %s", verb,
			    rankset_format(&left, text, sizeof(text)), words);
	rankset_clear(&left);
}

/* What gdb has is gdb's to show. */
static void leave_gdb(struct session *s, const char *verb, struct rankset *who, struct rankset *now)
{
	struct rankset part = { 0 };
	char text[80];

	xrankset_copy(&part, who);
	xrankset_intersect(&part, gdb_ranks(s));
	xrankset_remove_set(now, &part);
	if (part.n && !rankset_equal(&part, who))
		out_warning(s->out, "%s: %s left out: %s", verb,
			    rankset_format(&part, text, sizeof(text)), gdb_why(s, &part));
	rankset_clear(&part);
}

/* Leaves in who those that can be asked; running: these too, of which what is read is of this
 * moment. */
static int only(struct session *s, const struct cmd *cmd, bool running, struct rankset *who,
		struct err *err)
{
	struct rankset stopped = { 0 }, now = { 0 };
	char text[256];
	int rc = 0;

	xrankset_copy(&now, who);
	xrankset_intersect(&now, job_set(s->job, JOB_RUNNING));
	if (running && gdb_ranks(s))
		leave_gdb(s, cmd->name, who, &now);
	xrankset_copy(&stopped, who);
	xrankset_intersect(&stopped, job_set(s->job, JOB_STOPPED));
	if (running)
		xrankset_add_set(&stopped, &now);
	if (!stopped.n) {
		const char *why = "no rank is stopped; halt stops those that run";

		if (rankset_meets(who, job_set(s->job, JOB_LOADED)))
			why = "not started yet; cont starts the program";
		else if (gdb_why(s, who))
			why = gdb_why(s, who);
		else if (!rankset_meets(who, job_set(s->job, JOB_RUNNING)))
			why = "ended; rerun starts the program again";
		rc = err_set(err, "%s: %s: %s", cmd->name, rankset_format(who, text, sizeof(text)),
			     why);
	} else {
		if (!running)
			report_left(s, who, JOB_RUNNING, cmd->name, "running");
		else if (now.n)
			out_warning(s->out, "%s: %s still running: values of this moment",
				    cmd->name, rankset_format(&now, text, sizeof(text)));
		report_left(s, who, JOB_LOADED, cmd->name, "not started");
		report_left(s, who, JOB_EXITED, cmd->name, "ended");
		report_left(s, who, JOB_LOST, cmd->name, "lost");
		report_left(s, who, JOB_ABSENT, cmd->name, "never connected");
		xrankset_copy(who, &stopped);
	}
	rankset_clear(&stopped);
	rankset_clear(&now);
	return rc;
}

int cmd_only_stopped(struct session *s, const struct cmd *cmd, struct rankset *who, struct err *err)
{
	return only(s, cmd, false, who, err);
}

int cmd_only_processes(struct session *s, const struct cmd *cmd, struct rankset *who,
		       struct err *err)
{
	return only(s, cmd, true, who, err);
}

int cmd_not_loaded(const char *verb, struct err *err)
{
	return err_set(err, "%s: no program is loaded; load PROGRAM loads one", verb);
}

/* Fills call->who from the prefix or the focus and checks what the verb needs. */
static int members(struct session *s, const struct cmd *cmd, const char *set, struct cmd_call *call,
		   struct err *err)
{
	call->set = set;
	if (cmd->no_set)
		return 0;
	if (cmd->needs_job && !s->job)
		return cmd_not_loaded(cmd->name, err);
	if (shell_eval_threads(s, set ? set : s->focus, &call->who, &call->threads, err))
		return -1;
	call->prefixed = set;
	if (!cmd->needs_job)
		return 0;
	if (!call->who.n)
		return err_set(err, "%s: the set [%s] has no members now", cmd->name,
			       set ? set : s->focus);
	return cmd->needs_stopped || cmd->needs_process
		       ? only(s, cmd, cmd->needs_process, &call->who, err)
		       : 0;
}

/* Not only options. Of others nothing is let pass: "kill 3" must not kill all. */
static bool takes_words(const struct cmd *cmd)
{
	return *cmd->args && strncmp(cmd->args, "[-", 2) != 0;
}

static int run_cmd(struct session *s, const struct cmd *cmd, const char *text, const char *set,
		   struct err *err)
{
	struct cmd_parsed parsed;
	struct cmd_call call = { 0 };
	const struct thread_set *outer = s->shell->threads;
	int rc;

	if (cmd_parse(cmd, text, &call, &parsed, err)) {
		habit_rest(cmd->name, text, err);
		return -1;
	}
	if (call.argc && !takes_words(cmd))
		rc = err_set_code(err, ERR_WORDS, "%s takes no '%s'; help %s shows its arguments",
				  cmd->name, call.rest, cmd->name);
	else
		rc = members(s, cmd, set, &call, err);
	s->shell->threads = thread_set_names(&call.threads) ? &call.threads : NULL;
	if (!rc)
		rc = cmd->run(s, &call, err);
	s->shell->threads = outer;
	if (rc && !habit_rest(cmd->name, text, err))
		cmd_parse_hint(cmd, call.rest, err);
	rankset_clear(&call.who);
	thread_set_clear(&call.threads);
	cmd_parsed_clear(&parsed);
	return rc;
}

/* The command on side A of a pair; what it says is shown, or not. */
static int run_other(struct session *s, const struct cmd *cmd, const char *text, bool shown,
		     struct err *err)
{
	char *own = shown ? pair_translate(s, text) : NULL;
	int rc;

	pair_hush(s->pair, !shown);
	rc = run_cmd(pair_other(s->pair), cmd, own ? own : text, NULL, err);
	pair_hush(s->pair, false);
	free(own);
	return rc;
}

static bool same_place(const struct session *a, const struct session *b)
{
	return a->shell->file && b->shell->file && a->shell->line == b->shell->line &&
	       !strcmp(a->shell->file, b->shell->file);
}

/* On both sides, A's first. */
static int run_both(struct session *s, const struct cmd *cmd, const char *text, struct err *err)
{
	bool shown = cmd->both == CMD_SHOW || cmd->both == CMD_PLACE;
	struct err other = { "" };
	int rc, rc_other;

	if (cmd->both == CMD_PLACE && same_place(pair_other(s->pair), s))
		return run_cmd(s, cmd, text, NULL, err);
	rc_other = run_other(s, cmd, text, shown, &other);
	out_side(s->out, shown ? 'B' : 0);
	rc = run_cmd(s, cmd, text, NULL, err);
	out_side(s->out, 0);
	if (rc_other && shown && (!rc || strcmp(other.text, err->text)))
		out_note(s->out, "A: %s", other.text);
	return rc;
}

static int run_verb(struct session *s, const char *verb, const char *text, const char *set,
		    struct err *err)
{
	char *formatted = habit_format(verb, text);
	const struct cmd *cmd = cmd_find(formatted ? "print" : verb, err);
	int rc;

	if (formatted) {
		rc = run_verb(s, cmd->name, formatted, set, err);
		free(formatted);
		return rc;
	}
	if (!cmd)
		return -1;
	if (s->side && (cmd->both == CMD_SESSION || cmd->both == CMD_ACTS))
		return err_set(err, "%s applies to both sides of a pair: leave out %c:", cmd->name,
			       s->side);
	if (!pair_both(s))
		return run_cmd(s, cmd, text, set, err);
	if (cmd->both == CMD_ACTS) {
		rc = run_cmd(s, cmd, text, set, err);
		if (!rc && s->pair)
			pair_share_actions(s);
		return rc;
	}
	if (cmd->both == CMD_SESSION || cmd->both == CMD_ONE || set || strcmp(s->focus, "all"))
		return run_cmd(s, cmd, text, set, err);
	return run_both(s, cmd, text, err);
}

static int run_one(struct session *s, const char *text, const char *outer, struct err *err);

/* "A: print x" or "B: print x" in a pair: on that side alone. */
static int run_side(struct session *s, const char *text, struct err *err)
{
	struct session *side;
	int rc;

	if (!s->pair || (text[0] != 'A' && text[0] != 'B') || text[1] != ':')
		return run_one(s, text, NULL, err);
	side = text[0] == 'A' ? pair_other(s->pair) : s;
	if (!text[2 + strspn(text + 2, " \t")])
		return err_set(err, "a command is needed after %.2s", text);
	side->side = text[0];
	if (side == s)
		out_side(s->out, 'B');
	rc = run_one(side, text + 2, NULL, err);
	out_side(s->out, 0);
	side->side = 0;
	pair_inspect(s);
	return rc && side != s ? err_prefix(err, "A") : rc;
}

/* The ';' that ends the first command of an alias body, or its end. */
static char *body_end(char *p)
{
	char quote = 0;

	for (; *p && (quote || *p != ';'); p++) {
		if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
	}
	return p;
}

/* What must not be in an alias: repeating commands, and other aliases' making. */
static int check_body(const char *text, struct err *err)
{
	static const char *const never[] = { "history", "alias" };
	const struct cmd *cmd;
	char *set, *verb;
	int used = focus_prefix(text, &set, err);

	if (used < 0)
		return -1;
	free(set);
	text += used;
	text += strspn(text, " \t");
	if (*text == '!')
		return err_set(err, "'%.40s' cannot be in an alias", text);
	verb = xstrndup(text, strcspn(text, " \t"));
	cmd = cmd_find(verb, NULL);
	free(verb);
	for (size_t i = 0; cmd && i < sizeof(never) / sizeof(never[0]); i++)
		if (!strcmp(cmd->name, never[i]))
			return err_set(err, "%s cannot be in an alias", cmd->name);
	return 0;
}

/* Runs the commands of an alias, the last of them with what followed the alias. */
static int run_alias(struct session *s, const char *body, const char *rest, const char *set,
		     struct err *err)
{
	char *copy, *p, *end;
	int rc = 0;

	if (s->shell->nesting == NESTING)
		return err_set(err,
			       "aliases and files nest deeper than %d: does one contain "
			       "itself?",
			       NESTING);
	copy = xasprintf("%s%s%s", body, *rest ? " " : "", rest);
	s->shell->nesting++;
	for (p = copy; !rc && !s->quitting; p = end + 1) {
		bool last;

		end = body_end(p);
		last = !*end;
		*end = 0;
		p += strspn(p, " \t");
		if (*p)
			rc = check_body(p, err) ? -1 : run_one(s, p, set, err);
		if (last)
			break;
	}
	s->shell->nesting--;
	free(copy);
	return rc;
}

/* One command with its prefix set; outer is the set of an alias around it, or NULL. */
static int run_one(struct session *s, const char *text, const char *outer, struct err *err)
{
	const char *body, *own = NULL;
	char *set, *verb;
	size_t n;
	int used = focus_prefix(text, &set, err), rc;

	if (used < 0)
		return -1;
	text += used;
	text += strspn(text, " \t");
	n = strcspn(text, " \t");
	if (!n && set) {
		rc = err_set(err,
			     "a command is needed after [%s]; focus [%s] makes it the current "
			     "set",
			     set, set);
		free(set);
		return rc;
	}
	verb = xstrndup(text, n);
	text += n;
	text += strspn(text, " \t");
	body = alias_find(s->shell->alias, verb);
	if (body)
		own = alias_set_of(s->shell->alias, verb);
	if (body)
		rc = run_alias(s, body, text, own ? own : set ? set : outer, err);
	else
		rc = run_verb(s, verb, text, set ? set : outer, err);
	free(verb);
	free(set);
	return rc;
}

int cmd_ask(struct session *s, const char *line, struct err *err)
{
	return run_one(s, line, NULL, err);
}

int cmd_within(struct session *s, const char *line, const char *set, struct err *err)
{
	size_t n = strcspn(line, " ");
	char *verb = xstrndup(line, n);
	const struct cmd *cmd = cmd_find(verb, err);

	free(verb);
	return cmd ? run_cmd(s, cmd, line + n, set, err) : -1;
}

/* Prints an error where it came from and keeps it for the exit status of scripts. */
static void report(struct session *s, const struct err *err)
{
	const struct shell *sh = s->shell;

	/* What a file's lines have said is printed already. */
	if (!*err->text)
		return;
	if (sh->script)
		out_error_at(s->out, sh->script, sh->script_line, err->text);
	else
		out_error(s->out, "%s", err->text);
	if (s->batch)
		outcome_add(s->outcome, OUTCOME_ERROR);
}

/* Joins a line with the pending ones. NULL when it goes on in the next; else to be freed. */
static char *whole_line(struct shell *sh, const char *line)
{
	size_t len = strlen(line);
	bool more = len && line[len - 1] == '\\';
	char *joined = xasprintf("%s%.*s%s", sh->pending ? sh->pending : "",
				 (int)(more ? len - 1 : len), line, more ? " " : "");

	free(sh->pending);
	sh->pending = NULL;
	if (!more)
		return joined;
	sh->pending = joined;
	return NULL;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = 0;
	return text;
}

static void log_line(struct session *s, const char *text)
{
	char prompt[1024];

	logs_command(s->shell->logs, shell_prompt(s, prompt, sizeof(prompt)), text);
}

/* Behind a set that stands before "!": it means nothing there. */
static char *skip_set(char *text)
{
	char *set, *p;
	int used = focus_prefix(text, &set, NULL);

	free(set);
	p = used > 0 ? text + used + strspn(text + used, " \t") : text;
	return *p == '!' ? p : text;
}

/* The line with its verb spelled out, to be freed; aliases stay. */
static char *spelled(const struct session *s, const char *text)
{
	const char *verb = text;
	const struct cmd *cmd;
	char *set, *word;
	size_t len;
	int used = focus_prefix(text, &set, NULL);

	free(set);
	verb += used > 0 ? used + (int)strspn(text + used, " \t") : 0;
	len = strcspn(verb, " \t");
	word = xstrndup(verb, len);
	cmd = len && !alias_find(s->shell->alias, word) ? cmd_find(word, NULL) : NULL;
	free(word);
	if (!cmd)
		return xstrdup(text);
	return xasprintf("%.*s%s%s", (int)(verb - text), text, cmd->name, verb + len);
}

/* Keeps a line that was typed. */
static void remember(struct session *s, const char *text)
{
	char *whole = spelled(s, text);

	history_add(s->shell->history, whole);
	free(whole);
}

/* What a line with "!" represents, to be freed; NULL and err. */
static char *expand(struct session *s, const char *text, struct err *err)
{
	char *again;

	if (s->shell->nesting) {
		err_set(err, "'%.60s': earlier commands are for the prompt, not for files", text);
		return NULL;
	}
	again = history_expand(s->shell->history, text, err);
	if (again)
		out_note(s->out, "%s", again);
	return again;
}

int cmd_line(struct session *s, const char *line)
{
	struct shell *sh = s->shell;
	struct err err = { "" };
	char *whole = whole_line(sh, line), *text, *again = NULL;
	int rc = 0;

	if (!whole)
		return 0;
	text = skip_set(trim(whole));
	if (*text == '!') {
		again = expand(s, text, &err);
		rc = again ? 0 : -1;
		text = again ? again : text;
	}
	if (!rc && *text) {
		if (!sh->nesting)
			remember(s, text);
		log_line(s, text);
		if (*text != '#')
			rc = run_side(s, text, &err);
	}
	if (rc)
		report(s, &err);
	free(again);
	free(whole);
	return rc;
}

/* The line as it would look at the prompt, so that the transcript reads like a session. */
static void echo(struct session *s, const char *line)
{
	char prompt[1024];

	if (s->batch || !*line)
		return;
	out_echo(s->out, shell_prompt(s, prompt, sizeof(prompt)), line);
}

int cmd_file(struct session *s, const char *path, struct err *err)
{
	struct shell *sh = s->shell;
	const char *outer = sh->script;
	unsigned outer_line = sh->script_line, interrupts = loop_interrupts(s->loop);
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int rc = 0;
	FILE *f;

	if (sh->nesting == NESTING)
		return err_set(err,
			       "aliases and files nest deeper than %d: does one contain "
			       "itself?",
			       NESTING);
	f = fopen(path, "re");
	if (!f)
		return err_set(err, "cannot read %s: %s", path, strerror(errno));
	sh->nesting++;
	sh->script = path;
	sh->script_line = 0;
	while (!rc && !s->quitting && (len = getline(&line, &cap, f)) >= 0) {
		sh->script_line++;
		if (s->interactive && loop_interrupts(s->loop) != interrupts) {
			out_warning(s->out, "interrupted: %s is left at line %u", path,
				    sh->script_line);
			break;
		}
		if (len && line[len - 1] == '\n')
			line[len - 1] = 0;
		echo(s, line);
		rc = cmd_line(s, line);
		if (rc && shell_can_ask(s) &&
		    shell_confirm(s, CHECKS_NORMAL, "Go on with the rest of %s?", path))
			rc = 0;
	}
	if (ferror(f)) {
		sh->script = outer;
		rc = err_set(err, "cannot read %s: %s", path, strerror(errno));
	}
	free(sh->pending);
	sh->pending = NULL;
	sh->script = outer;
	sh->script_line = outer_line;
	sh->nesting--;
	free(line);
	fclose(f);
	return rc;
}
