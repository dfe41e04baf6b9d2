/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The help screen, made from the table of keys. */
#include <stdio.h>
#include <string.h>

#include "frontend/tui/views/views.h"
#include "frontend/tui/core/core.h"

#define NARROW 60     /* columns; with fewer there are no tables */
#define INDENT 33     /* of what a key does, in a table */
#define MOST_ROWS 100 /* of one key */

struct help_view {
	struct view v;
	int columns; /* that the rows were made for */
};

/* What is reported of a key: its verb, or that it runs none. */
static const char *verb(const struct key *k)
{
	return k->verb && k->action != KEY_ACT_VIEW ? k->verb : "";
}

/* "C-w o" of "C-w,o"; returns out. */
static const char *keys(const struct key *k, char *out, size_t size)
{
	char *comma;

	snprintf(out, size, "%s", k->keys);
	while ((comma = strchr(out + 1, ',')) && comma[-1] != ' ')
		*comma = ' ';
	return out;
}

/* What it does, as one text. */
static void words(const struct key *k, char *out, size_t size)
{
	if (k->action != KEY_ACT_VIEW)
		snprintf(out, size, "%s", k->help);
	else
		snprintf(out, size, "%s%s%s", k->verb, *k->help ? ": " : "", k->help);
}

/* A row with what stands before the text, and below what has no room there. */
static void add_text(struct help_view *hv, int64_t id, const char *before, const char *text,
		     int indent)
{
	struct list *l = &hv->v.list;
	int used = glyph_width(before);
	size_t n = data_fitting(text, hv->columns - used);

	list_add(l, id, NULL, "%s%.*s", before, (int)n, text);
	for (text += n; *(text += strspn(text, " ")); text += n) {
		n = data_fitting(text, hv->columns - indent);
		list_add(l, ++id, NULL, "%*s%.*s", indent, "", (int)n, text);
	}
}

static void add_key(struct help_view *hv, const struct key *k, int64_t id)
{
	bool narrow = hv->columns < NARROW;
	char text[200], name[60], before[200];

	words(k, text, sizeof(text));
	keys(k, name, sizeof(name));
	if (narrow)
		snprintf(before, sizeof(before),
			 SAY_POINT "%s" SAY_NORMAL "  " SAY_HERE "%s" SAY_NORMAL "%s", name,
			 verb(k), *verb(k) ? "  " : "");
	else
		snprintf(before, sizeof(before),
			 "  " SAY_POINT "%-12s" SAY_NORMAL " " SAY_HERE "%-17s" SAY_NORMAL " ",
			 name, verb(k));
	add_text(hv, id, before, text, narrow ? 4 : INDENT);
}

static void fill(struct help_view *hv)
{
	struct list *l = &hv->v.list;

	list_begin(l);
	add_text(hv, 0, "",
		 "Keys, the verb that each runs, and what that does. Without a verb, the key only "
		 "changes what is shown.",
		 0);
	for (const struct key *k = key_table; k->help; k++) {
		int64_t id = (1 + k - key_table) * MOST_ROWS;

		if (k->keys) {
			add_key(hv, k, id);
			continue;
		}
		list_add(l, id, NULL, " ");
		list_add(l, id + 1, NULL, SAY_BOLD "%s", k->help);
	}
	list_end(l);
}

/* Rows are as long as the screen is wide. */
static void draw(struct view *v, struct screen *sc, struct area a, bool focused)
{
	struct help_view *hv = (struct help_view *)v;

	if (a.columns != hv->columns) {
		hv->columns = a.columns;
		fill(hv);
	}
	list_draw(&v->list, sc, a, focused);
}

const struct view_class view_help = {
	.without_job = true,
	.name = "help",
	.size = sizeof(struct help_view),
	.draw = draw,
};
