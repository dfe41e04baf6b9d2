/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The views that others write into: log (answers) and output (of the program).
 */
#ifndef DVMDBG_FRONTEND_TUI_LOG_H
#define DVMDBG_FRONTEND_TUI_LOG_H

#include <stddef.h>

struct view;

/* Lines of text, with a switch of style or "" before each. */
void log_append(struct view *v, const char *style, const char *text);
/* What the program has written to stream 1 or 2. */
void log_program(struct view *v, char side, int stream, const char *text, size_t len);

#endif
