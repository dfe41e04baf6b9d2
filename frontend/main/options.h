/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line of dvmdbg, read.
 */
#ifndef DVMDBG_FRONTEND_OPTIONS_H
#define DVMDBG_FRONTEND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* What the first word asks for. */
enum mode { MODE_RUN, MODE_RECORD, MODE_COMPARE, MODE_LOCATE, MODE_PAIR, MODE_TRACE };

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
	const char *image;
	const char *par; /* parameter file, before the settings */
	int other_n;  /* pair: ranks of A; 0: not given */
	char **other; /* pair: program and arguments of A, NULL-terminated; NULL: those of B */
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

/* 0 go on, 1 done (help was printed), -1 an error was reported. */
int options_parse(struct options *o, int argc, char **argv);
void options_clear(struct options *o);

#endif
