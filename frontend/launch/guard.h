/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The guard: a small child of the front end that is the launcher's parent. It survives the front
 * end, whatever kills that, long enough to end the launcher and to remove the rendezvous directory,
 * or, when the program is to run on, to keep its output flowing. The launcher dies with the guard
 * (PDEATHSIG).
 */
#ifndef DVMDBG_FRONTEND_GUARD_H
#define DVMDBG_FRONTEND_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

struct loop;

/* What the front end writes to the guard's socket, a byte each. */
enum guard_word {
	GUARD_KILL = 'k', /* if the front end goes: end the launcher */
	GUARD_RUN = 'r',  /* if the front end goes: let it run */
	GUARD_TERM = 't', /* now: SIGTERM to the launcher's group, SIGKILL after GUARD_GRACE_MS */
};

#define GUARD_GRACE_MS 2000

/* What the guard writes: once when the launcher is started, once when it has ended. */
struct guard_note {
	int what;  /* 0 started, 1 ended */
	int value; /* pid; waitpid status */
};

struct guard_env {
	const char *name, *value; /* value NULL: unset */
};

struct guard_spec {
	const struct loop *loop; /* for the signals of the child */
	int control;		 /* the guard's end of the socket */
	int in;			 /* the launcher's standard input */
	int out[2], err[2];	 /* pipes: read and write end */
	char *const *argv;
	const struct guard_env *env; /* ends with name NULL */
	const char *dir; /* to be removed after the end if the front end is gone; may be NULL */
	bool scratch;	 /* the launcher gets a directory for its files, removed after its end */
	bool run_on;
};

/* Runs in a forked child. */
_Noreturn void guard_main(const struct guard_spec *g);

#endif
