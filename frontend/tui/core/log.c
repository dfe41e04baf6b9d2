/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The views log and output. They are written to all the time, on the screen or not. */
#include "frontend/tui/core/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tui/core/core.h"
#include "frontend/util/xalloc.h"

#define ROWS_KEPT 20000

void log_append(struct view *v, const char *style, const char *text)
{
	list_add_lines(&v->list, -1, style, text);
}

void log_program(struct view *v, char side, int stream, const char *text, size_t len)
{
	const char label[] = { side, '|', ' ', 0 };
	char *copy = xmalloc(len + 1), before[8];

	snprintf(before, sizeof(before), "%s%s", stream == 2 ? SAY_RANKS : "", side ? label : "");
	for (size_t i = 0; i < len; i++)
		copy[i] = text[i] ? text[i] : ' ';
	copy[len] = 0;
	list_add_lines(&v->list, -1, before, copy);
	free(copy);
}

static void open_log(struct view *v)
{
	v->list.follow = true;
	v->list.wrap = true;
	v->list.most = ROWS_KEPT;
	view_why(v, v->class == &view_log
			    ? "Answers come here. c starts the program, : takes a command."
			    : "The program has written nothing so far.");
}

static void title(const struct view *v, char *out, size_t size)
{
	const struct list *l = &v->list;
	char at[60] = "";

	if (l->n && l->at + 1 < l->n)
		snprintf(at, sizeof(at), "%zu of %zu", l->at + 1, l->n);
	if (l->dropped)
		snprintf(out, size, "%s%sthe last %zu rows, %zu dropped before", at,
			 *at ? "  " : "", l->n, l->dropped);
	else
		snprintf(out, size, "%s", at);
}

const struct view_class view_log = {
	.name = "log",
	.size = sizeof(struct view),
	.open = open_log,
	.title = title,
};

const struct view_class view_output = {
	.name = "output",
	.size = sizeof(struct view),
	.open = open_log,
	.title = title,
};
