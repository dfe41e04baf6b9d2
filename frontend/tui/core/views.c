/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What views share. */
#include <stdlib.h>
#include <string.h>

#include "frontend/tui/core/core.h"

#include "frontend/util/xalloc.h"

const struct view_class *const *view_table;
const struct view_class *view_of_help;

void views_use(const struct view_class *const *table, const struct view_class *help)
{
	view_table = table;
	view_of_help = help;
}

const char view_chooses[] = "Enter looks at it  : command  Tab 0-9 views  / search";

void view_why(struct view *v, const char *why)
{
	char *copy = why ? xstrdup(why) : NULL;

	free(v->why);
	v->why = copy;
	if (why) {
		list_begin(&v->list);
		list_end(&v->list);
	}
}
