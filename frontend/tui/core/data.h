/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers that several views show, and parts of answers as text.
 */
#ifndef DVMDBG_FRONTEND_TUI_DATA_H
#define DVMDBG_FRONTEND_TUI_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

struct err;
struct rankset;
struct session;
struct tui;

#define DATA_POINTS 2000
/* The newest of the points passed, as `points` answers, DATA_POINTS and one more when there are
 * older ones; a new reference, NULL and err. */
json_t *data_points(struct tui *t, struct err *err);
/* What is behind the last '/'. */
const char *data_base(const char *path);
/* "heat.c:61" of an answer's file and line; "" without. Returns out. */
const char *data_place(const json_t *o, char *out, size_t size);
/* "3", "(1,2)": an answer's iteration; "" without. Returns out. */
const char *data_iteration(const json_t *o, char *out, size_t size);
/* Bytes of text that fill at most that many columns, up to a blank where there is one. */
size_t data_fitting(const char *text, int columns);
/* The set that a text as "[0:3,5]" names; false when it is none. set is zeroed before, and cleared
 * by the caller after. */
bool data_ranks(struct rankset *set, const char *text);
/* How many ranks a text as "[0:3,5]" names. */
size_t data_count(const char *ranks);
/* Before any stop: the session's place becomes the program's beginning, when it can be found. */
void data_first_place(struct session *s);

#endif
