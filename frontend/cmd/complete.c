/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/cmd/complete.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/model/alias.h"
#include "frontend/cmd/cmd.h"
#include "frontend/cmd/offer.h"
#include "frontend/model/focus.h"
#include "frontend/session/session.h"
#include "frontend/session/shell.h"

/* Where the verb of the line begins: behind blanks, "A:" of a pair, and a set. */
static size_t verb_at(struct session *s, const char *line)
{
	size_t at = strspn(line, " \t");
	char *set = NULL;
	int used;

	if (s->pair && (line[at] == 'A' || line[at] == 'B') && line[at + 1] == ':') {
		at += 2;
		at += strspn(line + at, " \t");
	}
	used = focus_prefix(line + at, &set, NULL);
	free(set);
	at += used > 0 ? (size_t)used : 0;
	return at + strspn(line + at, " \t");
}

/*
 * The verb that the n letters at line + at mean, through an alias; *body is what the alias has
 * behind its last verb, or "".
 */
static const struct cmd *verb_of(struct session *s, const char *text, size_t n, const char **body)
{
	char word[64];
	const char *last;

	*body = "";
	if (!n || n >= sizeof(word))
		return NULL;
	snprintf(word, sizeof(word), "%.*s", (int)n, text);
	last = alias_find(s->shell->alias, word);
	if (!last)
		return cmd_find(word, NULL);
	/* what is typed goes to the last command of the body */
	if (strrchr(last, ';'))
		last = strrchr(last, ';') + 1;
	last += strspn(last, " \t");
	n = strcspn(last, " \t");
	*body = last + n;
	snprintf(word, sizeof(word), "%.*s", (int)n, last);
	return cmd_find(word, NULL);
}

/* Words of a line up to a byte, as far as completion needs them. */
struct before {
	int words;	  /* that are no options and no values of options */
	const char *last; /* the word before, borrowed; NULL: none */
	size_t last_len;
	int option; /* whose value the word is; -1: of none */
};

static int option_of(const struct cmd *cmd, const char *word, size_t n)
{
	int found = -1;

	for (int i = 0; i < CMD_OPTIONS && cmd->option[i].name; i++) {
		if (strncmp(cmd->option[i].name, word, n))
			continue;
		if (strlen(cmd->option[i].name) == n)
			return i;
		found = found < 0 ? i : CMD_OPTIONS;
	}
	return found < CMD_OPTIONS ? found : -1;
}

/* Goes through the words between from and to. */
static struct before look_before(const struct cmd *cmd, const char *from, const char *to)
{
	struct before b = { .option = -1 };

	while (from < to) {
		size_t n;

		from += strspn(from, " \t");
		n = strcspn(from, " \t");
		if (from >= to || !n)
			break;
		if (b.option >= 0 && cmd->option[b.option].kind != CMD_EXPR) {
			b.option = -1;
		} else if (*from == '-' && n > 1) {
			b.option = option_of(cmd, from + 1, n - 1);
			if (b.option >= 0 && cmd->option[b.option].kind == CMD_FLAG)
				b.option = -1;
		} else if (b.option < 0) {
			b.words++;
		}
		b.last = from;
		b.last_len = n;
		from += n;
	}
	return b;
}

/* The kinds of word number i of a verb: the part of completes that is for it. */
static const char *kinds_of(const char *completes, int i, size_t *n)
{
	*n = completes ? strcspn(completes, " ") : 0;
	for (; i > 0 && completes && completes[*n]; i--) {
		completes += *n + 1;
		*n = strcspn(completes, " ");
	}
	return completes;
}

static void offer_options(struct offer *o, const struct cmd *cmd)
{
	for (int i = 0; i < CMD_OPTIONS && cmd->option[i].name; i++)
		offer(o, "-", cmd->option[i].name);
}

/* A set before the verb, closed or not, or a verb right behind one: "[0:1]pri". */
static void offer_first(struct offer *o, struct session *s, const char *line, size_t at)
{
	size_t glued = (size_t)(o->typed - line) < at ? at - (size_t)(o->typed - line) : 0;
	char before[128];
	struct complete verbs = { 0 };
	struct offer inner = { .c = &verbs, .typed = line + at, .before = "" };

	if (*o->typed != '[' && *o->typed != '{') {
		offer_kinds(o, s, "verb", 4);
		return;
	}
	if (!glued || glued >= o->len || glued >= sizeof(before)) {
		offer_kinds(o, s, "set", 3);
		return;
	}
	inner.len = o->len - glued;
	snprintf(before, sizeof(before), "%.*s", (int)glued, o->typed);
	offer_kinds(&inner, s, "verb", 4);
	for (size_t i = 0; i < verbs.n; i++) {
		offer(o, before, verbs.word[i]);
		free(verbs.word[i]);
	}
	free(verbs.word);
}

struct complete complete_line(struct session *s, const char *line, size_t start, size_t end)
{
	struct complete c = { 0 };
	struct offer o = {
		.c = &c, .line = line, .typed = line + start, .len = end - start, .before = ""
	};
	size_t at = verb_at(s, line), n = strcspn(line + at, " \t");
	const char *body, *what;
	const struct cmd *cmd;
	struct before b;

	if (at + n >= end) {
		offer_first(&o, s, line, at);
		return c;
	}
	cmd = verb_of(s, line + at, n, &body);
	if (!cmd)
		return c;
	b = look_before(cmd, line + at + n, line + start);
	if (b.last) {
		o.before = b.last;
		o.before_len = b.last_len;
	}
	/* an expression goes on up to the next option */
	if (b.option >= 0 && !(line[start] == '-' && cmd->option[b.option].kind == CMD_EXPR)) {
		what = cmd->values[b.option];
		if (!what && cmd->option[b.option].kind == CMD_SET)
			what = "set";
		if (!what && cmd->option[b.option].kind == CMD_EXPR)
			what = "object";
		offer_kinds(&o, s, what ? what : "", what ? strlen(what) : 0);
	} else if (line[start] == '-') {
		offer_options(&o, cmd);
	} else {
		b.words += look_before(cmd, body, body + strlen(body)).words;
		what = kinds_of(cmd->completes, b.words, &n);
		offer_kinds(&o, s, what ? what : "", n);
	}
	return c;
}
