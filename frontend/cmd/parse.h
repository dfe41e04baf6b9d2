/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Words and options of a command line.
 */
#ifndef DVMDBG_FRONTEND_CMD_PARSE_H
#define DVMDBG_FRONTEND_CMD_PARSE_H

#include "frontend/cmd/cmd.h"

struct err;

/* Words in memory of their own. */
struct cmd_words {
	char **word;  /* NULL-terminated */
	bool *quoted; /* it began with a quote */
	int n;
};

/*
 * Splits at blanks outside quotes and brackets. Quotes are taken away; a backslash keeps the
 * character behind it outside single quotes. -1 and err when a quote or bracket is open.
 */
int cmd_words_split(struct cmd_words *w, const char *text, bool brackets, struct err *err);
void cmd_words_clear(struct cmd_words *w);

/* What a parsed rest of a line owns. */
struct cmd_parsed {
	struct cmd_words words;
	char *rest;
	char *value[CMD_OPTIONS]; /* owned values of options */
};

/*
 * Fills rest, argc, argv and option of call from the text behind the verb; they are owned by
 * parsed. The error names the verb, the option, and what there is.
 */
int cmd_parse(const struct cmd *cmd, const char *text, struct cmd_call *call,
	      struct cmd_parsed *parsed, struct err *err);
/*
 * Adds to an error what the option is called in full that the verb has taken for a part of its
 * text, as
 * "-f" of print for a name behind a minus.
 */
void cmd_parse_hint(const struct cmd *cmd, const char *rest, struct err *err);
void cmd_parsed_clear(struct cmd_parsed *parsed);

#endif
