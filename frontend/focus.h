/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of ranks as users write them, and the named sets of a session. A set in text has members
 * separated by commas: ranks and ranges (0, 0:3, 0..3, 2-4, 1.0, 0:3.*), built-in names, defined
 * names; a leading "!" makes a definition static.
 */
#ifndef DVMDBG_FRONTEND_FOCUS_H
#define DVMDBG_FRONTEND_FOCUS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/rankset.h"

struct err;
struct focus;
struct job;

/* What sets are evaluated against. Everything may be absent. */
struct focus_env {
	const struct job *job; /* NULL: built-in sets are empty, any rank is allowed */
	const char *program;   /* for exec(NAME) */
	/* The ranks that are inside MPI calls now, for `waiting`. */
	int (*waiting)(void *arg, struct rankset *out, struct err *err);
	void *arg;
};

struct focus *focus_create(void);
void focus_destroy(struct focus *f);
/* Defines or redefines a named set; text without brackets. Checks that it can be evaluated. */
int focus_define(struct focus *f, const char *name, const char *text, const struct focus_env *env,
		 struct err *err);
int focus_undefine(struct focus *f, const char *name, struct err *err);
void focus_undefine_all(struct focus *f);
/* The i-th defined set's name and text; NULL behind the last. */
const char *focus_name(const struct focus *f, size_t i, const char **text);
/* The i-th built-in name; NULL behind the last. */
const char *focus_builtin(size_t i);
/*
 * Evaluates text (without brackets) into out. repeated may be NULL; it tells that a member was
 * given more than once.
 */
int focus_eval(const struct focus *f, const char *text, const struct focus_env *env,
	       struct rankset *out, bool *repeated, struct err *err);
/*
 * The set in brackets [] or braces {} that line begins with: its length with them, and *text,
 * allocated, what is in them without blanks. 0 when there is none, -1 and err when it is not closed
 * or empty.
 */
int focus_prefix(const char *line, char **text, struct err *err);
/* "[all]> ", cut to max columns with "..."; returns out. */
const char *focus_prompt(const char *text, size_t max, char *out, size_t size);

#endif
