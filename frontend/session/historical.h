/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameters of the historical debugger (SEMANTICS 9): their other names, those that are accepted
 * and have no effect here, and the parameter file.
 */
#ifndef DVMDBG_FRONTEND_HISTORICAL_H
#define DVMDBG_FRONTEND_HISTORICAL_H

#include <stddef.h>

struct err;
struct session;

/* "TraceOptions.Exp" is Exp. Borrowed from name. */
const char *historical_name(const char *name);
/* Why a parameter that is accepted has no effect here; NULL: it is none of these. */
const char *historical_note(const char *name);
/*
 * The setting that another name represents, and its value: TraceLevel = 3 is LEVEL = FULL. Both
 * stay as they are when they are no such; lasts until the next call.
 */
void historical_setting(const char **name, const char **value);
/* "Incorrect parameter TraceOptions.Ig_left value.", before what is allowed; NULL: no such wording.
 */
const char *historical_words(const char *name, char *out, size_t size);
/* Sets what a parameter file says, line by line: NAME = VALUE. Errors name file and line. */
int historical_file(struct session *s, const char *path, struct err *err);

#endif
