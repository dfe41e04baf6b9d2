/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The help screen, made from the table of keys. */
#include <stdio.h>

#include "frontend/tui/view.h"

/* What is told of a key: its verb, or that it runs none. */
static const char *verb(const struct key *k)
{
	return k->verb && k->action != KEY_ACT_VIEW ? k->verb : "";
}

static void open_help(struct view *v)
{
	list_add(&v->list, -1, NULL,
		 "Keys, the verb that each runs, and what that does. Where there is no verb,");
	list_add(&v->list, -1, NULL, "the key only changes what is seen.");
	for (const struct key *k = key_table; k->help; k++) {
		if (!k->keys)
			list_add(&v->list, -1, NULL, " ");
		if (!k->keys)
			list_add(&v->list, -1, NULL, SAY_BOLD "%s", k->help);
		else
			list_add(&v->list, -1, NULL,
				 "  " SAY_POINT "%-12s" SAY_NORMAL " " SAY_HERE "%-15s" SAY_NORMAL
				 " %s%s",
				 k->keys, verb(k), k->action == KEY_ACT_VIEW ? k->verb : "",
				 k->action == KEY_ACT_VIEW && *k->help
					 ? ": to the view, or show it here"
				 : k->action == KEY_ACT_VIEW ? ""
							     : k->help);
	}
}

const struct view_class view_help = {
	.name = "help",
	.size = sizeof(struct view),
	.open = open_help,
};
