/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command table: a verb is one const entry above its function, in cmd/<group>.c. Help,
 * completion and the manual's command chapter are made from it.
 */
#ifndef DVMDBG_FRONTEND_CMD_CMD_H
#define DVMDBG_FRONTEND_CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "common/logical/rankset.h"
#include "common/logical/thread_set.h"
#include "frontend/util/words.h"

struct err;
struct session;

/* EXPR: all words up to the next option. */
enum cmd_option_kind { CMD_FLAG, CMD_NUMBER, CMD_STRING, CMD_SET, CMD_EXPR };

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

#define CMD_OPTIONS 10

struct cmd_call {
	struct rankset who; /* the prefix's or the focus's ranks; dynamic sets are resolved */
	struct thread_set threads; /* and of their threads; with MODE MULTILEVEL */
	bool prefixed;
	const char *set; /* the prefix as it was given, without brackets; NULL: none */
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
	/*
	 * What its words can be, for completion: kinds as "object" or "point|file", or a word
	 * itself as "=ON"; a blank parts the first word from the second, the last is for all that
	 * follow.
	 */
	const char *completes;
	/* the rest stays as typed: only words that are exactly an option are taken out of it
	 * (print, alias) */
	bool raw;
	enum cmd_both both;
	bool no_set; /* of the debugger itself: a set before it means nothing */
	bool needs_job;
	bool needs_stopped; /* who has only its stopped members; the others are reported */
	bool needs_process; /* those that run as well: what is read of them is of this moment */
	const char *yields; /* the verb that an abbreviation of both is, as it was before this one
			       came */
	struct cmd_option option[CMD_OPTIONS];
	const char *also[CMD_OPTIONS]; /* what the command line calls them, not shown */
	const char *values[CMD_OPTIONS]; /* what stands after them, as in completes */
	/* 0, or -1 and err. */
	int (*run)(struct session *s, struct cmd_call *call, struct err *err);
};

/* Parts of help and of the manual: X(name, title). */
#define CMD_GROUP_LIST(X)                           \
	X(RUNS, "Programs and their runs")          \
	X(EXECUTION, "Going on and stopping")       \
	X(ACTIONS, "Actionpoints")                  \
	X(LOOKING, "Places, points and source")     \
	X(DATA, "Variables and arrays")             \
	X(CHECKING, "Findings and comparing runs")  \
	X(SETS, "Sets of ranks")                    \
	X(TALKING, "The session")

enum cmd_group {
#define X(name, title) CMD_GROUP_##name,
	CMD_GROUP_LIST(X)
#undef X
	CMD_GROUPS
};
const char *cmd_group_title(enum cmd_group group);

/* A line of the table of verbs. */
struct cmd_entry {
	const struct cmd *cmd;
	enum cmd_group group;
	bool standard; /* a verb of the HPD standard */
};

/* The verbs that there are, in the order of help; before anything else of this folder. Borrowed. */
void cmd_use(const struct cmd_entry *entries, size_t n);
/* Verb number i, NULL behind the last. */
const struct cmd *cmd_at(size_t i);
enum cmd_group cmd_group(size_t i);
bool cmd_standard(size_t i);

/* The verb with this name or unambiguous prefix; NULL and err with the candidates. */
const struct cmd *cmd_find(const char *name, struct err *err);
/*
 * Leaves the stopped members in who and reports the others, for verbs that need_stopped only
 * sometimes; -1 and err when none is stopped.
 */
int cmd_only_stopped(struct session *s, const struct cmd *cmd, struct rankset *who,
		     struct err *err);
/* The same with those that run; what is read of them is reported to be of this moment. */
int cmd_only_processes(struct session *s, const struct cmd *cmd, struct rankset *who,
		       struct err *err);
/* -1: the error that no program is loaded, and what to type. */
int cmd_not_loaded(const char *verb, struct err *err);
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
 * Runs one verb with its words for this session alone, in a pair for this side alone, as a part of
 * another verb; set as in a call. 0, or -1 and err.
 */
int cmd_within(struct session *s, const char *line, const char *set, struct err *err);
/*
 * Runs a file of commands; errors are printed as file:line and end it, unless the user is there and
 * requests to go on. -1 when one ended it (err stays empty then) or when the file cannot be read.
 */
int cmd_file(struct session *s, const char *path, struct err *err);

/*
 * What a word of a command line can be: candidates from the command table and the session.
 */

struct complete {
	char **word; /* owned, each to be freed or taken by the caller */
	size_t n;
	bool files; /* names of files fit as well */
	bool open;  /* a candidate need not be the whole word: no blank after it */
};

/*
 * Candidates for the word that begins at `start` of line and is typed up to `end`. The caller frees
 * words and array.
 */
struct complete complete_line(struct session *s, const char *line, size_t start, size_t end);

/* Whether there is a kind of words with this name, for tests of the table of verbs. */
int complete_known(const char *kind, size_t n);

/*
 * Words of gdb that are no verbs or names here, and what to type instead.
 */

/* Whether a verb is one of gdb's ("tbreak", "x/4d"); err shows what dvmdbg has instead. */
bool habit_verb(const char *verb, struct err *err);
/*
 * The same of what stands behind a verb that exists ("where full", "print u[0]@10"), of a command
 * that has failed.
 */
bool habit_rest(const char *verb, const char *rest, struct err *err);
/* What print is given for "p/x u": "u -format x", to be freed; NULL: it is no such verb. */
char *habit_format(const char *verb, const char *rest);
/* The same as habit_verb of a name after `set` ("var"). */
bool habits_set(const char *name, struct err *err);
/*
 * The verb line that `info` runs for a subject ("breakpoints", "b"); NULL and err, which shows what
 * dvmdbg has instead or which subjects there are.
 */
const char *habits_info(const char *subject, struct err *err);
/* The i-th subject of info; NULL behind the last. */
const char *habit_subject(size_t i);
/* The i-th entry of the table of verbs, for the manual: its words, and what is said. False behind
 * the last. */
bool habit_at(size_t i, const char **words, const char **has, const char **type);

/*
 * Words and options of a command line.
 */

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

/*
 * Topics of help that are no verbs. The manual is made from them too.
 */

#define TOPIC_EXAMPLES 6

struct topic {
	const char *name;  /* "exit-status" */
	const char *brief; /* one line */
	const char *text;  /* paragraphs, parted by newlines */
	/* commands, each with what it does behind a "#" or without; NULL behind the last */
	const char *example[TOPIC_EXAMPLES];
};

/* Ends with a name that is NULL. */
extern const struct topic topics[];

/* By its name, in which blanks are as good as hyphens; NULL when there is none. */
const struct topic *topic_find(const char *name);

#endif
