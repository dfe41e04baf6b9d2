/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line: its modes, its options, the completion of shells.
 */
#ifndef DVMDBG_FRONTEND_MAIN_INTERNAL_H
#define DVMDBG_FRONTEND_MAIN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "frontend/rebuild/rebuild.h"
#include "frontend/annotate/annotate.h"

#include "frontend/main/main.h"

/*
 * The prompt. With a terminal readline's callback interface inside the loop, with completion and
 * history; without one lines from standard input.
 */

struct err;
struct session;

/*
 * Runs commands until quit, the end of the input, SIGHUP or SIGTERM; then the session is quitting.
 * Returns too when the full screen is wanted (session.fill_screen). In a batch session the first
 * error ends it. 0, or -1 and err when the prompt cannot be set up.
 */
void cli_run(struct session *s);

/*
 * The command line of dvmdbg, read.
 */

/* What the first word asks for. */
enum mode {
	MODE_RUN,
	MODE_RECORD,
	MODE_COMPARE,
	MODE_CHECK,
	MODE_LOCATE,
	MODE_PAIR,
	MODE_TRACE,
	MODE_HANG,
	MODE_ATTACH,
	MODE_ANNOTATE
};

/* What is to be run before the prompt, in the order of the command line. */
struct first {
	bool file; /* -x, else -e */
	const char *text;
};

/* Strings are those of argv, but for made. */
struct options {
	enum mode mode;
	int n;
	const char *launcher, *transport;
	const char *dir;  /* of a reference that is made, or compared with */
	const char *run;  /* compare: directory of a run that is over; NULL: a program runs */
	const char *with; /* locate: of one that is there */
	int ref_ranks;	  /* locate; 0: not given */
	int ref_threads, threads; /* locate; 0: not given */
	const char *ref_program; /* locate: that of `with` */
	const char *image;
	const char **pid; /* owned; hang: processes to attach to, as they were given */
	int npid;
	const char *also[ANNOTATE_SIZES]; /* annotate: arguments of other sizes */
	int nalso;
	bool check; /* annotate: proves marks */
	bool yes; /* annotate: does not ask */
	bool automatic; /* locate: finds the marks first */
	bool order; /* record: of messages */
	bool calls; /* record: of MPI */
	bool all;
	const char *grid; /* check: processors that are emulated; NULL: none */
	const char *marks; /* file of marks beside the source; NULL: none */
	const char *init; /* file of commands in place of .hpdinit; NULL: not given */
	const char *par;  /* parameter file, before the settings */
	int other_n;	  /* pair: ranks of A; 0: not given */
	char **other;	  /* pair: program and arguments of A, NULL-terminated; NULL: those of B */
	bool batch, json, tui;
	struct first *first; /* owned */
	size_t nfirst;
	const char **set; /* owned; NAME=VALUE */
	size_t nset;
	char **made; /* owned; of them those that other options represent */
	size_t nmade;
	char **program; /* trace: its words */
	int nprogram;
};

/* An option as --help and the completion of shells show it. */
struct option_help {
	const char *name;
	const char *value;  /* what stands after it, in capital letters; NULL: nothing */
	const char *values; /* what that can be: file, directory, command, verb, setting,
			       "=auto|=unix", "" */
	unsigned modes;	    /* a bit per enum mode */
	const char *help;   /* one line; NULL: it is another name of another */
};
/* The i-th; NULL behind the last. */
const struct option_help *options_at(size_t i);
/* The first word that means enum mode i; NULL behind the last. */
const char *options_mode(size_t i);

/* init.c. named: the file of --init, or NULL. -1: that has failed. */
int main_run_init(struct session *s, const char *named);

/* 0 go on, 1 done (help was printed), -1 an error was reported. */
int options_parse(struct options *o, int argc, char **argv);
void options_clear(struct options *o);

/*
 * Completion of dvmdbg's command line by shells, made from the tables of options and settings.
 */

/* Writes the script for "bash" or "zsh" to f; -1 for another shell. */
int shell_script(const char *shell, FILE *f);

/* annotate.c */
int main_annotate(struct session *s, const struct options *o);
/* annotate --check */
int main_check_marks(struct session *s, const struct options *o);
/* The marks of a program without any, for this session; -1: it has been said why there are none. */
struct found_marks {
	char *dir, *file;
	char *suspect, *unlike; /* what the runs have shown that may be the fault, as in struct
				 * locate_spec */
	int held;
	struct rebuilt built; /* the program, where it had no access hooks */
};
int main_find_marks(struct session *s, const struct options *o, struct found_marks *m);
void main_drop_marks(struct found_marks *m);

#endif
