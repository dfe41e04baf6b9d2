/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Words and options of a command line.
 */
#ifndef DVMDBG_FRONTEND_CMD_PARSE_H
#define DVMDBG_FRONTEND_CMD_PARSE_H

#include "frontend/cmd/cmd.h"
#include "frontend/util/words.h"

struct err;

/* What a parsed rest of a line owns. */
struct cmd_parsed {
	struct words words;
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
