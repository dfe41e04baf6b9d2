/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the commands of a session keep between them: named sets, aliases, history, where list is,
 * the frame that up and down have chosen, the script that is read.
 */
#ifndef DVMDBG_FRONTEND_SHELL_H
#define DVMDBG_FRONTEND_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/logical/rankset.h"

#include "frontend/model/shell.h"

struct alias;
struct err;
struct focus;
struct focus_env;
struct history;
struct logs;
struct report_frame;
struct session;
struct source;

/* The most ranks that can be asked for. */
#define SHELL_MAX_RANKS 65536

/* The words of ERROR_CHECKS. */
enum shell_checks { CHECKS_MIN, CHECKS_NORMAL, CHECKS_MAX };

/* Makes it and hangs it into the session. */
struct shell *shell_create(struct session *s);
/* Takes it out of the session. */
void shell_destroy(struct session *s);
/* Copies program and arguments into the session's spec. */
void shell_set_argv(struct session *s, char *const *argv, int argc);
/* Sets a setting and makes it work at once. */
int shell_set(struct session *s, const char *name, const char *value, struct err *err);
int shell_unset(struct session *s, const char *name, struct err *err);
/* Evaluates a set without brackets; repeated members and such that are not there are warnings. */
int shell_eval(struct session *s, const char *text, struct rankset *out, struct err *err);
struct focus_odd;
/* Warns of what is odd about the set, unless ERROR_CHECKS is MIN. */
void shell_warn_odd(struct session *s, const char *text, const struct focus_odd *odd);
enum shell_checks shell_checks(const struct session *s);
/* The terminal has shown "^C": what is reported next begins a line. */
void shell_end_line(const struct session *s);
/* Somebody is there to be asked, and ERROR_CHECKS is not MIN. */
bool shell_can_ask(const struct session *s);
/*
 * Asks the user, when ERROR_CHECKS is at least that, and one is there to be asked; else it is
 * agreed to. True: go on.
 */
bool shell_confirm(struct session *s, enum shell_checks least, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The prompt, as PROMPT and MAX_PROMPT say; returns out. */
const char *shell_prompt(const struct session *s, char *out, size_t size);
/* After ranks have stopped: the current place is where they are. */
void shell_stopped(struct session *s);
/* Remembers how the present run ends, before it is replaced or the session ends. */
void shell_keep_result(struct session *s);
/* Reports the actionpoints that a run that is over has not reached. */
void shell_report_unreached(struct session *s);
/* The file and line of the innermost frame of the first stopped group; false when there is none. */
bool shell_place(struct session *s, char *file, size_t size, uint32_t *line);

#endif
