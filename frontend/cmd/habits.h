/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Words of gdb that are no verbs or names here, and what to type instead.
 */
#ifndef DVMDBG_FRONTEND_HABITS_H
#define DVMDBG_FRONTEND_HABITS_H

#include <stdbool.h>
#include <stddef.h>

struct err;

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

#endif
