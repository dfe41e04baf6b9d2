/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The views of the full screen, in the order of their keys.
 */
#include "frontend/main/main.h"

#include "frontend/tui/array/array.h"
#include "frontend/tui/views/views.h"

static const struct view_class *const views[] = {
	&view_source, &view_stack, &view_points, &view_findings, &view_ranks, &view_values,
	&view_output, &view_log,   &view_array,	 &view_diff,	 &view_timeline, NULL,
};

void main_use_views(void)
{
	views_use(views, &view_help);
}
