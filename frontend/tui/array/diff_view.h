/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the difference view knows, for other views. */
#ifndef DVMDBG_FRONTEND_TUI_DIFF_VIEW_H
#define DVMDBG_FRONTEND_TUI_DIFF_VIEW_H

#include <stdint.h>

struct err;
struct tui;

/*
 * The next element of the array (step 1), or the one before (-1), that differs from the reference
 * by more than the tolerance of that view, round the end; the view goes there too. Asks ranks,
 * between tui_asking(true) and (false). 1; 0: none differs; -1 and err.
 */
int diff_view_next(struct tui *t, const char *name, const int64_t *index, int step, int64_t *next,
		   struct err *err);

#endif
