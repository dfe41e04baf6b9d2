/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The launcher process of a job: started below a guard, its output read line by line, ended for
 * certain.
 */
#ifndef DVMDBG_FRONTEND_LAUNCH_H
#define DVMDBG_FRONTEND_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/launch/guard.h"
#include "frontend/launch/launcher.h"

struct err;
struct launch;
struct loop;

struct launch_spec {
	const struct launcher *launcher;
	int n;			     /* 0: the launcher decides */
	const char *exec;	     /* dvmdbg-exec */
	const char *program;	     /* path */
	char *const *args;	     /* the program's arguments, NULL-terminated */
	const char *input;	     /* its standard input; NULL: nothing … */
	bool typed;		     /* … or, with this, what launch_input is given */
	const struct guard_env *env; /* all of ours, as in guard.h */
	const char *dir;	     /* to be removed if we die; NULL: none */
	bool run_on;
};

struct launch_watch {
	void *arg;
	/* Whole lines where possible. stream 1 or 2. */
	void (*output)(void *arg, int stream, const char *text, size_t len);
	/* It has ended, all of its output has been reported; waitpid's status. */
	void (*ended)(void *arg, int status);
};

/* Strings of spec are needed during the call only. NULL and err when it cannot be started. */
struct launch *launch_start(const struct launch_spec *spec, struct loop *loop,
			    const struct launch_watch *watch, struct err *err);
/* Forgets it: an end is not waited for, see launch_end. NULL is fine. */
void launch_destroy(struct launch *l);
bool launch_ended(const struct launch *l);
/* waitpid's status; -1 while it runs. */
int launch_status(const struct launch *l);
/* What is to become of it when the front end goes. */
void launch_on_exit(struct launch *l, bool run_on);
/* Asks it to end: SIGTERM, SIGKILL GUARD_GRACE_MS later. Returns at once. */
void launch_end(struct launch *l);
/* The same, and waits until nothing of it is left. */
void launch_kill(struct launch *l);
/*
 * Gives text to the standard input of a launcher that was started `typed`; NULL: there is no more
 * to come. -1 and err.
 */
int launch_input(struct launch *l, const char *text, size_t len, struct err *err);
/* "exited with code 1", "was killed by SIGTERM"; returns out. */
const char *launch_status_text(int status, char *out, size_t size);

#endif
