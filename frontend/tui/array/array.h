/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Views of arrays: the table or map of one, and where it differs from a reference.
 */
#ifndef DVMDBG_FRONTEND_TUI_ARRAY_ARRAY_H
#define DVMDBG_FRONTEND_TUI_ARRAY_ARRAY_H

#include "frontend/tui/core/core.h"

extern const struct view_class view_array, view_diff;

#endif
