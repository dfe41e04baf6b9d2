/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where findings go: the screen, or with ErrorToScreen 0 the file of ErrorFile.
 */
#ifndef DVMDBG_FRONTEND_ERROR_FILE_H
#define DVMDBG_FRONTEND_ERROR_FILE_H

#include <stdbool.h>

#include <jansson.h>

struct session;

/* Reports a finding; the answer is taken over. A file that cannot be written is reported, and the
 * screen used. */
void error_file_report(struct session *s, json_t *answer);
/* A new run begins: without AppendErrorFile what earlier ones have written is replaced. */
void error_file_new_run(struct session *s);

#endif
