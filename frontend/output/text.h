/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text form of answers: one renderer per type, found by name.
 */
#ifndef DVMDBG_FRONTEND_OUT_TEXT_H
#define DVMDBG_FRONTEND_OUT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

typedef void (*out_text_fn)(FILE *f, const json_t *answer);

struct out_text {
	const char *type; /* of the answer */
	out_text_fn fn;
};

/* The renderers that there are; before the first answer. Borrowed. */
void out_text_use(const struct out_text *renderers, size_t n);
/* NULL when no renderer has that type. */
out_text_fn out_text_find(const char *type);

/* Members with a default, so that renderers stay short. */
const char *out_str(const json_t *o, const char *key);	 /* "" when absent */
json_int_t out_int(const json_t *o, const char *key);	 /* 0 when absent */
const json_t *out_get(const json_t *o, const char *key); /* NULL when absent */

/* In limit.c. Groups of ranks that an answer shows, and entries of a list, 20 at first. */
void out_text_limit(size_t groups, size_t entries);
/* What is rendered now comes a screen at a time, or into a view that scrolls: lists need no end. */
void out_text_scrolls(bool on);
/* The answer that is rendered now is shown whole. */
void out_text_whole(bool all);
/* How many groups fit into a screen; all of them where the whole answer is wanted. */
size_t out_room(void);
/* How many entries of a list of n are shown. */
size_t out_entries(size_t n);
/* "... 12 more: set MAX_LIST = 32 shows all", of a list of n, when some are not shown. */
void out_more_entries(FILE *f, size_t n);
/* The widest text of key, at most `most`, in the first n of the list: for columns. */
int out_widest(const json_t *list, const char *key, size_t n, int most);
/* A set of ranks, cut when it is long: "[1,3,5,...] (8192)"; lasts for some calls. */
const char *out_ranks(const json_t *o, const char *key);
/* "... 12 more groups: where -all", nothing for 0. */
void out_more(FILE *f, size_t n, const char *what, const char *how);
/* In fold.c. Whole lines, those that are longer folded between words; to be freed. NULL: memory. */
char *out_text_fold(const char *text, size_t len, size_t columns);
/*
 * In clean.c. The text, control characters but newline and tab as "\x1b", in JSON as "\u001b", to
 * be freed; NULL: there is none in it.
 */
char *out_text_clean(const char *text, size_t len, bool json, size_t *size);
/* In value.c. Columns that tables may take, 120 at first; returns what it was. */
int out_text_columns(int columns);
/* One value of array/value.h's type `kind`, in full, as text in out, which has room for VALUE_TEXT;
 * kind "text": v itself, as it is. */
const char *out_text_value(const char *kind, const json_t *v, char *out);
/* The same as -format has it; "": as it is. */
const char *out_text_value_as(const char *kind, const char *format, const json_t *v, char *out);
void out_text_print(FILE *f, const json_t *answer);
void out_text_differ(FILE *f, const json_t *answer);
#endif
