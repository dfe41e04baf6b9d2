/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of ranks as users write them, and the named sets of a session. A set in text has members
 * separated by commas: ranks and ranges (0, 0:3, 0..3, 2-4, 0:*), identifiers with a thread (1.0,
 * 0.*:4.*, 0:4.*, 1.2:5, 0:3.1:2), which may be distinguished or not, built-in names, defined
 * names; a leading "!" makes a definition static.
 */
#ifndef DVMDBG_FRONTEND_FOCUS_H
#define DVMDBG_FRONTEND_FOCUS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/logical/rankset.h"
#include "common/logical/thread_set.h"

struct err;
struct focus;
struct job;

/* What sets are evaluated against. Everything may be absent. */
struct focus_env {
	const struct job *job;	    /* NULL: built-in sets are empty, any rank is allowed */
	const char *program;	    /* for exec(NAME) */
	const struct rankset *held; /* at barriers; NULL: none */
	/* The ranks that are inside MPI calls now, for `waiting`. */
	int (*waiting)(void *arg, struct rankset *out, struct err *err);
	void *arg;
};

/* What is odd about a set that has been evaluated all the same. */
struct focus_odd {
	bool repeated;	  /* a member was given more than once */
	char absent[200]; /* members without any rank of the job, as they were given; "": none */
};

struct focus *focus_create(void);
void focus_destroy(struct focus *f);
/* Defines or redefines a named set; text without brackets. Checks that it can be evaluated; odd may
 * be NULL. */
int focus_define(struct focus *f, const char *name, const char *text, const struct focus_env *env,
		 struct focus_odd *odd, struct err *err);
int focus_undefine(struct focus *f, const char *name, struct err *err);
void focus_undefine_all(struct focus *f);
/* The i-th defined set's name and text, of a static one with a "!" before it; NULL behind the last.
 */
const char *focus_name(const struct focus *f, size_t i, const char **text);
/* The text of a defined set, NULL when there is none of that name. */
const char *focus_find(const struct focus *f, const char *name);
/* The i-th built-in name; NULL behind the last. */
const char *focus_builtin(size_t i);
/* Whether it is the name of a built-in set. */
bool focus_builtin_name(const char *name);
/*
 * Evaluates text (without brackets) into out; odd may be NULL. Ranks that are not there are left
 * out; an error when nothing but such was given.
 */
int focus_eval(const struct focus *f, const char *text, const struct focus_env *env,
	       struct rankset *out, struct focus_odd *odd, struct err *err);
/* The same, and which of their threads; threads NULL: that does not matter. */
int focus_eval_threads(const struct focus *f, const char *text, const struct focus_env *env,
		       struct rankset *out, struct thread_set *threads, struct focus_odd *odd,
		       struct err *err);
/* The ranks as a static set's text, "!0:3,5"; allocated. */
char *focus_freeze(const struct rankset *ranks);
/* text with the member name replaced by the ranks; allocated; NULL when text does not have it. */
char *focus_replace(const char *text, const char *name, const struct rankset *ranks);
/*
 * The set in brackets [] or braces {} that line begins with: its length with them, and *text,
 * allocated, what is in them without blanks. 0 when there is none, -1 and err when it is not closed
 * or empty.
 */
int focus_prefix(const char *line, char **text, struct err *err);
/*
 * The prompt of that form, where "$PTSET" represents the set, cut with "..." so that it has max
 * columns at most; returns out.
 */
const char *focus_prompt(const char *form, const char *text, size_t max, char *out, size_t size);

#endif
