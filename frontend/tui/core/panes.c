/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/core/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tui/core/core.h"

#define LEAST_COLUMNS 50 /* of a column beside others */
#define LEAST_ROWS 5	 /* of a pane below others, with its title */
#define WEIGHT 10
#define WEIGHT_MOST 40

static const struct {
	int column, weight;
	const char *view;
} at_first[] = {
	{ 0, 14, "source" },
	{ 0, 7, "log" },
	{ 1, 7, "stack" },
	{ 1, 14, "points" },
};

static const struct view_class *class_of(const char *name)
{
	for (size_t i = 0; view_table[i]; i++)
		if (!strcmp(view_table[i]->name, name))
			return view_table[i];
	return NULL;
}

/* Adds one behind the others of its column. */
static bool add(struct panes *l, int column, int weight, const struct view_class *view)
{
	size_t at = l->n;

	if (!view || l->n == PANES_MOST || panes_find(l, view))
		return false;
	while (at && l->pane[at - 1].column > column)
		at--;
	memmove(&l->pane[at + 1], &l->pane[at], (l->n - at) * sizeof(*l->pane));
	l->pane[at] = (struct pane){ .view = view, .column = column, .weight = weight };
	l->n++;
	return true;
}

/* The directory dvmdbg in the user's configuration; false when there is none. */
static bool config_path(char *out, size_t size, const char *name)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (base && *base == '/')
		return snprintf(out, size, "%s/dvmdbg%s", base, name) < (int)size;
	return home && *home && snprintf(out, size, "%s/.config/dvmdbg%s", home, name) < (int)size;
}

void panes_load(struct panes *l)
{
	char path[PATH_MAX], view[32];
	int column, weight, alone;
	size_t focus;
	FILE *f = config_path(path, sizeof(path), "/layout") ? fopen(path, "re") : NULL;

	memset(l, 0, sizeof(*l));
	while (f && fscanf(f, " pane %d %d %31s", &column, &weight, view) == 3)
		if (column >= 0 && column < PANES_MOST && weight > 0 && weight <= WEIGHT_MOST)
			add(l, column, weight, class_of(view));
	if (f && fscanf(f, " focus %zu %d", &focus, &alone) == 2 && focus < l->n) {
		l->focus = focus;
		l->zoom = alone;
	}
	if (f)
		fclose(f);
	if (l->n)
		return;
	for (size_t i = 0; i < sizeof(at_first) / sizeof(at_first[0]); i++)
		add(l, at_first[i].column, at_first[i].weight, class_of(at_first[i].view));
}

/* All but a home that does not exist: who has none wants none. */
static void make_dirs(char *path)
{
	const char *home = getenv("HOME");
	size_t n = home && strncmp(path, home, strlen(home)) == 0 ? strlen(home) : 0;

	for (char *p = path + n + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0777);
		*p = '/';
	}
	mkdir(path, 0777);
}

void panes_save(const struct panes *l)
{
	char dir[PATH_MAX], path[PATH_MAX], fresh[PATH_MAX + 4];
	bool ok = true;
	FILE *f;

	if (!config_path(dir, sizeof(dir), "") || !config_path(path, sizeof(path), "/layout"))
		return;
	make_dirs(dir);
	snprintf(fresh, sizeof(fresh), "%s.new", path);
	f = fopen(fresh, "we");
	if (!f)
		return;
	for (size_t i = 0; i < l->n; i++)
		ok = fprintf(f, "pane %d %d %s\n", l->pane[i].column, l->pane[i].weight,
			     l->pane[i].view->name) > 0 &&
		     ok;
	ok = fprintf(f, "focus %zu %d\n", l->focus, l->zoom) > 0 && ok;
	if (fclose(f) || !ok || rename(fresh, path))
		unlink(fresh);
}

/* The panes first … first + n - 1 are one column; those that have room get it. */
static void place_column(struct panes *l, size_t first, size_t n, struct area a)
{
	size_t room = (size_t)(a.rows / LEAST_ROWS);
	int y = a.y, left = a.rows, weights = 0;

	room = room < 1 ? 1 : room;
	if (room < n) {
		/* Those around the focus. */
		size_t from = first;

		if (l->focus >= first + room && l->focus < first + n)
			from = l->focus + 1 - room;
		first = from;
		n = room;
	}
	for (size_t i = first; i < first + n; i++)
		weights += l->pane[i].weight;
	for (size_t i = first; i < first + n; i++) {
		struct pane *p = &l->pane[i];
		int others = (int)(first + n - 1 - i) * LEAST_ROWS;
		int rows = (left * p->weight + weights / 2) / weights;

		rows = rows < LEAST_ROWS ? LEAST_ROWS : rows;
		rows = rows > left - others ? left - others : rows;
		p->area = (struct area){ y, a.x, rows, a.columns };
		p->shown = true;
		weights -= p->weight;
		left -= rows;
		y += rows;
	}
}

static size_t column_end(const struct panes *l, size_t first)
{
	size_t end = first;

	while (end < l->n && l->pane[end].column == l->pane[first].column)
		end++;
	return end;
}

void panes_place(struct panes *l, struct area a)
{
	int room = (a.columns + 1) / (LEAST_COLUMNS + 1), columns = 0, at = 0, skip;
	int x = a.x, left = a.columns;

	for (size_t i = 0; i < l->n; i++)
		l->pane[i].shown = false;
	if (l->zoom) {
		l->pane[l->focus].area = a;
		l->pane[l->focus].shown = true;
		return;
	}
	for (size_t i = 0; i < l->n; i = column_end(l, i)) {
		at = l->focus >= i ? columns : at;
		columns++;
	}
	room = room < 1 ? 1 : room < columns ? room : columns;
	/* Those around the focus. */
	skip = at >= room ? at + 1 - room : 0;
	for (size_t i = 0, end; i < l->n && room; i = end) {
		int wide = (left - (room - 1)) / room;

		end = column_end(l, i);
		if (skip-- > 0)
			continue;
		place_column(l, i, end - i, (struct area){ a.y, x, a.rows, wide });
		x += wide + 1;
		left -= wide + 1;
		room--;
	}
}

struct pane *panes_find(struct panes *l, const struct view_class *view)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->pane[i].view == view)
			return &l->pane[i];
	return NULL;
}

void panes_show(struct panes *l, const struct view_class *view)
{
	struct pane *p = panes_find(l, view);

	if (p)
		l->focus = (size_t)(p - l->pane);
	else
		l->pane[l->focus].view = view;
}

void panes_turn(struct panes *l, int step)
{
	l->focus = (l->focus + l->n + (size_t)step) % l->n;
}

bool panes_split(struct panes *l, bool right)
{
	int column = l->pane[l->focus].column, last = l->pane[l->n - 1].column;

	for (size_t i = 0; view_table[i]; i++) {
		if (panes_find(l, view_table[i]))
			continue;
		if (!add(l, right ? last + 1 : column, WEIGHT, view_table[i]))
			return false;
		l->focus = (size_t)(panes_find(l, view_table[i]) - l->pane);
		l->zoom = false;
		return true;
	}
	return false;
}

void panes_close(struct panes *l)
{
	if (l->n == 1)
		return;
	memmove(&l->pane[l->focus], &l->pane[l->focus + 1],
		(l->n - l->focus - 1) * sizeof(*l->pane));
	l->n--;
	l->focus = l->focus < l->n ? l->focus : l->n - 1;
	l->zoom = false;
}

void panes_grow(struct panes *l, int step)
{
	int *weight = &l->pane[l->focus].weight;

	*weight += 2 * step;
	*weight = *weight < 2 ? 2 : *weight > WEIGHT_MOST ? WEIGHT_MOST : *weight;
}
