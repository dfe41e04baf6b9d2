/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All views, and what they share. */
#include <stdlib.h>
#include <string.h>

#include "frontend/tui/core/view.h"

const struct view_class *const view_table[] = {
	&view_source, &view_stack,  &view_points, &view_findings, &view_ranks,
	&view_values, &view_output, &view_log,	  &view_array,	  &view_diff, NULL,
};

const char view_chooses[] = "Enter looks at it  : command  Tab 0-9 views  / search";

void view_why(struct view *v, const char *why)
{
	char *copy = why ? strdup(why) : NULL;

	free(v->why);
	v->why = copy;
	if (why) {
		list_begin(&v->list);
		list_end(&v->list);
	}
}
