/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Views of places, findings, ranks and values.
 */
#ifndef DVMDBG_FRONTEND_TUI_VIEWS_VIEWS_H
#define DVMDBG_FRONTEND_TUI_VIEWS_VIEWS_H

#include "frontend/tui/core/core.h"

extern const struct view_class view_source, view_stack, view_points, view_findings, view_ranks,
	view_values, view_timeline, view_help;

#endif
