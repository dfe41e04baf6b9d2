/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are the marks of a program's arrays right? What exchanges bring to halos and own parts says
 * it. */
#ifndef DVMDBG_FRONTEND_TAGS_H
#define DVMDBG_FRONTEND_TAGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct symbols;

struct tags_request {
	const char *dvmdbg;  /* itself */
	const char *marks;   /* file of marks beside the source; NULL: they are in the program */
	char *const *option; /* more options of dvmdbg, NULL at the end; may be NULL */
	char *const *argv;   /* the program and its arguments, NULL at the end */
	uint32_t ranks;
	unsigned seconds;    /* then the run is ended; 0: TAGS_SECONDS */
};

#define TAGS_SECONDS 60

/*
 * The answer "checked_marks": arrays with what was proved, findings, notes. NULL and err: there was
 * no run.
 */
json_t *tags_check(const struct tags_request *r, struct symbols *symbols, struct err *err);
/* A mark alone is to blame for a finding of this kind, whatever the program computes. */
bool tags_blames_mark(const char *kind);
/* Arrays of an answer for which something was proved. */
uint32_t tags_proved(const json_t *answer);

#endif
