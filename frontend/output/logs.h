/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that the verb log keeps: copies of what is typed and of what is answered. Those that
 * were ended stay in the list.
 */
#ifndef DVMDBG_FRONTEND_LOGS_H
#define DVMDBG_FRONTEND_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct err;
struct logs;

struct log_file {
	char *path;		   /* owned */
	FILE *f;		   /* owned; NULL: ended */
	bool input, output, quiet; /* what it was begun with */
};

struct logs *logs_create(void);
void logs_destroy(struct logs *l);
/* Appends to the file from now on; one that is in use already goes on as it is opened now. */
int logs_begin(struct logs *l, const struct log_file *like, struct err *err);
/* Ends the one with that path, or all (NULL). The number of those that were in use. */
unsigned logs_end(struct logs *l, const char *path);
/* The i-th, in the order they were begun first; NULL behind the last. */
const struct log_file *logs_at(const struct logs *l, size_t i);
/* Answers are to go to files only. */
bool logs_quiet(const struct logs *l);
/* A command as it was typed: with the prompt, or in files with commands only without. */
void logs_command(struct logs *l, const char *prompt, const char *line);
void logs_answer(struct logs *l, const char *text, size_t len);
/* What the program has printed, as it is: it may end in the middle of a line. */
void logs_program(struct logs *l, const char *text, size_t len);

#endif
