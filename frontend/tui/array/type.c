/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that the array view begins: to change an element, to write what is seen, to go elsewhere.
 */
#include <stdio.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/export/about.h"
#include "frontend/diff/diff.h"
#include "frontend/job/job.h"
#include "frontend/util/literal.h"
#include "frontend/session/session.h"
#include "frontend/tui/array/internal.h"

#define LINE 700

/* The ranks whose copies the value represents, as a set before the verb; "" when all agree. */
static const char *set_before(const struct values *q, char *out, size_t size)
{
	const struct rankset *ranks = &q->group[0].ranks;

	*out = 0;
	if (q->n < 2)
		return out;
	rankset_format(ranks, out, size - 1);
	if (strstr(out, "..."))
		snprintf(out, size - 1, "[%u]", ranks->run[0].lo);
	return strcat(out, " ");
}

void array_type_value(struct array_view *av, const struct values *q, int64_t at)
{
	const struct cut *c = &av->cut;
	size_t size = value_size(q->type);
	struct value v = value_load(q->type, q->group[0].bytes + (size_t)at * size);
	char set[200] = "", element[ABOUT_SECTION], value[VALUE_TEXT], line[LINE];
	bool differ = q->n > 1 && table_differs(q, at);

	if (differ)
		set_before(q, set, sizeof(set));
	diff_element(av->x.name, c->fortran ? 'F' : 'C', c->ndim, c->at, element, sizeof(element));
	snprintf(line, sizeof(line), "%s%sassign %s %s", tui_prefix(av->v.tui), set, element,
		 literal_text(q->type, &v, value));
	tui_type(av->v.tui, line);
	if (differ)
		tui_say(av->v.tui, "copies differ: the set in front has this one");
}

/* What is seen is what there is: no key and no other run has changed what is to be seen. */
static bool current(const struct array_view *av)
{
	return av->v.epoch == tui_epoch(av->v.tui) && !av->taking && !av->old;
}

/* When the picture has been taken; keys wait for that. */
static void want(struct array_view *av, enum want what)
{
	av->want = what;
	array_renew(av);
	tui_hold(&av->v);
}

/* Of what is seen when it is there, else the value is asked for. */
static void type_change(struct array_view *av)
{
	const struct table *t = &av->table;
	const struct job *j = tui_session(av->v.tui)->job;
	uint64_t row, col;
	int64_t at;

	if (!j || !job_set(j, JOB_STOPPED)->n) {
		tui_say(av->v.tui, "an element can be changed at a stop: %s",
			j && job_over(j)	   ? "the program has ended"
			: tui_ranks_run(av->v.tui) ? "Ctrl-C halts them"
						   : "c starts the program");
		return;
	}
	cut_cursor(&av->cut, &row, &col);
	at = av->as_map || !current(av) ? -1 : table_at(t, row, col);
	if (at >= 0 && !(t->f.missing && t->f.missing[at])) {
		array_type_value(av, &t->f.q, at);
		return;
	}
	want(av, WANT_VALUE);
}

/* "-rows 2 -columns 1 " */
static const char *plane_words(const struct cut *c, char *out, size_t size)
{
	*out = 0;
	if (!cut_folded(c))
		snprintf(out, size, "-rows %u -columns %u ", c->row + 1, c->col + 1);
	return out;
}

/* The numbers of the table. */
static void save_table(const struct array_view *av, char *line, size_t size)
{
	const struct table *t = &av->table;
	struct cut_window w = t->w;
	char text[ABOUT_SECTION], plane[40] = "", halo[30] = "";
	struct section sec;

	/* More may have been fetched than there was room for. */
	if (!cut_folded(&t->cut) && w.cols > (uint64_t)table_columns(av))
		w.cols = (uint64_t)table_columns(av);
	cut_section(&t->cut, &w, &sec);
	about_section(av->x.name, t->cut.fortran ? 'F' : 'C', &sec, text, sizeof(text));
	if (t->cut.row > t->cut.col)
		plane_words(&t->cut, plane, sizeof(plane));
	if (t->part)
		snprintf(halo, sizeof(halo), "-halo %u ", t->block);
	snprintf(line, size, "save %s %s%s%.40s.npy", text, plane, halo, av->x.name);
}

/* The map with its scale. */
static void save_map(const struct array_view *av, char *line, size_t size)
{
	const struct raster *r = &av->map.r;
	char text[ABOUT_SECTION], plane[40], show[60];
	struct section sec;

	raster_section(r, &sec);
	about_section(av->x.name, r->cut.fortran ? 'F' : 'C', &sec, text, sizeof(text));
	if (av->owners)
		snprintf(show, sizeof(show), "-show owner");
	else
		snprintf(show, sizeof(show), "-show %s -scale %s", picture_show_name(av->show),
			 shade_name(av->scale));
	snprintf(line, size, "heatmap %s -cells %ux%u %s%s -save %.40s.png", text, r->room_rows,
		 r->room_cols, plane_words(&r->cut, plane, sizeof(plane)), show, av->x.name);
}

void array_type_save(const struct array_view *av)
{
	char line[LINE], whole[LINE + 8];

	if (av->as_map && av->map.z.cell)
		save_map(av, line, sizeof(line));
	else if (!av->as_map && av->table.there)
		save_table(av, line, sizeof(line));
	else
		return;
	snprintf(whole, sizeof(whole), "%s%s", tui_prefix(av->v.tui), line);
	tui_type(av->v.tui, whole);
}

bool array_type(struct array_view *av, enum key_action action)
{
	char text[ABOUT_SECTION];

	switch (action) {
	case KEY_ACT_OPEN:
		type_change(av);
		return true;
	case KEY_ACT_JUMP:
		snprintf(text, sizeof(text), "tui array %s%s", av->x.name,
			 av->cut.fortran ? "(" : "[");
		tui_type(av->v.tui, text);
		return true;
	case KEY_ACT_SAVE:
		/* A key before may have changed what is to be seen. */
		if (!current(av) && !av->old && !tui_ranks_run(av->v.tui))
			want(av, WANT_SAVE);
		else
			array_type_save(av);
		return true;
	case KEY_ACT_ARRAYS:
		tui_run(av->v.tui, "tui array");
		return true;
	case KEY_ACT_DIFF:
		tui_run(av->v.tui, "tui diff %s", av->x.name);
		return true;
	default:
		return false;
	}
}
