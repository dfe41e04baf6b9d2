/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command table: a verb is one const entry above its function, in cmd/<group>.c. Help,
 * completion and the manual's command chapter are made from it.
 */
#ifndef DVMDBG_FRONTEND_CMD_H
#define DVMDBG_FRONTEND_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "common/rankset.h"

struct err;
struct session;

enum cmd_option_kind { CMD_FLAG, CMD_NUMBER, CMD_STRING, CMD_SET };

struct cmd_option {
	const char *name; /* "count", given as -count */
	enum cmd_option_kind kind;
	const char *help;
};

/* For whom a verb is in a pair, without a set before it. */
enum cmd_both {
	CMD_SESSION, /* the whole session: no side can be chosen */
	CMD_ONE,     /* both, by the verb's own means, or B's; "A:" or "B:" before it chooses */
	CMD_SHOW,    /* both, one after the other */
	CMD_PLACE,   /* the same when they are at different places, else B's */
	CMD_SETS,    /* both; what it says for A is not shown */
	CMD_ACTS,    /* actionpoints: A gets those of B; no side can be chosen */
};

#define CMD_OPTIONS 8

struct cmd_call {
	struct rankset who; /* the prefix's or the focus's ranks; dynamic sets are resolved */
	bool prefixed;
	const char *rest; /* the object, as typed, without options and outer blanks */
	int argc;	  /* the same in words; quotes joined */
	char **argv;
	/* the value given for entry->option[i], NULL when not given, "" for flags */
	const char *option[CMD_OPTIONS];
};

struct cmd {
	const char *name;
	const char *args;  /* "loc [-count n] [-stop set]" */
	const char *brief; /* one line */
	const char *help;  /* a paragraph */
	const char *example;
	const char *completes; /* what its words can be: "point", "object", "verb", "setting",
				  "file", … */
	/* the rest stays as typed: only words that are exactly an option are taken out of it
	 * (print, alias) */
	bool raw;
	enum cmd_both both;
	bool needs_job;
	bool needs_stopped; /* who has only its stopped members; the others are told */
	struct cmd_option option[CMD_OPTIONS];
	const char *also[CMD_OPTIONS]; /* what the command line calls them, not shown */
	/* 0, or -1 and err. */
	int (*run)(struct session *s, struct cmd_call *call, struct err *err);
};

/* All verbs, in the order of help; NULL-terminated. */
extern const struct cmd *const cmd_table[];

/* The verb with this name or unambiguous prefix; NULL and err with the candidates. */
const struct cmd *cmd_find(const char *name, struct err *err);
/*
 * Runs one line: comments, prefix set, aliases, "!", options. 0, or -1 when it failed; the error
 * has been printed then.
 */
int cmd_line(struct session *s, const char *line);
/*
 * Runs one command for its answers, which a sink of out takes: it is not kept in the history, nor
 * written to a log. 0, or -1 and err; nothing is printed then.
 */
int cmd_ask(struct session *s, const char *line, struct err *err);
/*
 * Runs a file of commands; errors are printed as file:line and end it. -1 when one failed (err
 * stays empty then) or when the file cannot be read.
 */
int cmd_file(struct session *s, const char *path, struct err *err);

#endif
