/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program: its shared page, its start, its end, and the end of everything it has left behind.
 */
#ifndef DVMDBG_EXEC_CHILD_H
#define DVMDBG_EXEC_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct core;
struct err;
struct output;
struct page;

struct child_spec {
	char **argv;	     /* NULL-terminated; borrowed */
	const char *preload; /* libraries, ':' between them; may be NULL */
	const char *regions; /* the one that is there too when parallel regions are points */
	uint32_t rank, size;
	const sigset_t *mask; /* the signal mask it shall have; borrowed */
	bool output; /* what it prints comes to us */
};

struct child;

/* Makes the page. The caller has blocked the signals it wants to read itself. */
struct child *child_create(const struct child_spec *spec, struct err *err);
/* Unmaps; kills nothing. NULL is fine. */
void child_destroy(struct child *c);
struct page *child_page(const struct child *c);
/* Makes the area of traces, before the program is started; bytes is rounded down to whole pages. */
int child_area(struct child *c, size_t bytes, struct err *err);
/* Borrowed; NULL: there is none. */
void *child_area_at(const struct child *c, size_t *bytes);

/* Starts the program. -1 and err when there can be no process; errors of exec come later, see
 * below. */
int child_start(struct child *c, bool die_with_us, struct err *err);
/* Borrowed; NULL: it prints to where we would. */
struct output *child_output(const struct child *c);
pid_t child_pid(const struct child *c); /* 0: not started */
bool child_ended(const struct child *c);
/*
 * In place of a start: a process that runs already and is no child of ours. Its end is seen, but
 * not its status, and it is never killed. It has no runtime that knows the page, unless it was
 * started with DVMDBG_ATTACH: then child_page is the process's own from here on, until child_let_go.
 * -1 and err: there is none.
 */
int child_attach(struct child *c, pid_t pid, struct err *err);
void child_let_go(struct child *c);
/*
 * The same of a core file of that program: there is no process at all, and child_pid is one that
 * cannot be. -1 and err: it cannot be read.
 */
int child_core(struct child *c, const char *path, const char *program, struct err *err);
struct core *child_core_of(const struct child *c); /* NULL: it is none */
bool child_is_attached(const struct child *c);
/*
 * Readable when the program has been executed, or could not be, or one that was attached to has
 * ended; -1: nothing to wait for.
 */
int child_error_fd(const struct child *c);
/* Reads it. True when one that was attached to has just ended. */
bool child_error_read(struct child *c);

/* After SIGCHLD: reaps whoever has ended. True when the program has just ended. */
bool child_reap(struct child *c);
/* Once ended: errno of exec, or 0 and *status as of waitpid; -1: nobody knows it. */
int child_status(const struct child *c, int *status);
/* What a shell would say: its exit code, 128 + signal, 126 and 127 when it could not be executed.
 */
int child_exit_code(const struct child *c);
/* How many processes of this host the kernel has killed for lack of memory; 0: not known. */
uint64_t child_oom_kills(void);

/* Lets go of a process that has stopped under ptrace, with that status; a signal that came reaches
 * it. */
void child_unpause(pid_t pid, int status);

/* Passes a signal on. */
void child_signal(const struct child *c, int sig);
/*
 * Kills the program and all that is left below us; those that this makes orphans are killed when
 * child_reap meets them. Call it again to be sure.
 */
void child_kill(struct child *c);
bool child_was_killed(const struct child *c);
/* child_kill until nothing is left; false when something still is after timeout_ms. */
bool child_kill_all(struct child *c, int timeout_ms);

#endif
