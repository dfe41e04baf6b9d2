/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines below table and map: sliders, legend, statistics, and what the cursor is at. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "frontend/diff/diff.h"
#include "frontend/tui/array/internal.h"
#include "frontend/tui/screen/glyph.h"
#include "frontend/tui/screen/palette.h"

#define LINE 1500
#define RAMP 20	  /* columns of a scale */
#define BARS 16	  /* of a histogram */
#define SLIDER 16 /* columns of one; less than LEAST_SLIDER is none */
#define LEAST_SLIDER 4
#define OWNERS 200 /* that are looked for among what is seen */

/* Appends to a line of LINE bytes. */
static void put(char *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(char *line, const char *fmt, ...)
{
	size_t used = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + used, LINE - used, fmt, ap);
	va_end(ap);
}

static int digits_of(int64_t x)
{
	return snprintf(NULL, 0, "%" PRId64, x);
}

struct array_lines array_lines(const struct array_view *av)
{
	struct array_lines l = { .slider = -1, .stat = -1, .legend = -1, .cursor = -1 };
	const struct cut *c = &av->cut;
	int rows = av->rows, first = 0, last = 0;

	if (rows >= 3)
		l.cursor = --rows;
	if (av->rows >= 6 && av->stat_of != STAT_NONE)
		l.stat = --rows;
	if (av->rows >= 8 && (av->as_map || av->owners || av->block != UINT32_MAX))
		l.legend = --rows;
	if (av->rows >= 6 && c->ndim > 2)
		l.slider = --rows;
	l.body = rows - 1;
	if (c->ndim) {
		first = digits_of(c->lower[c->row]);
		last = digits_of(c->lower[c->row] + (int64_t)c->extent[c->row] - 1);
	}
	/* a column of numbers beside numbers is set off more than a picture */
	l.label = (first > last ? first : last) + (av->as_map ? 1 : 2);
	return l;
}

/* How many of a cell are no finite numbers. */
static void put_odd(const struct bins_cell *cell, char *line)
{
	if (cell->nan)
		put(line, SAY_BAD "  %" PRIu64 " nan" SAY_NORMAL, cell->nan);
	if (cell->inf)
		put(line, SAY_BAD "  %" PRIu64 " inf" SAY_NORMAL, cell->inf);
}

/* A histogram of n bars, if there is any. */
static void put_bars(char *line, const struct bins *z, unsigned n)
{
	unsigned long long bin[BARS] = { 0 };
	char bars[3 * BARS + 1];

	for (unsigned i = 0; i < BINS_HISTOGRAM; i++)
		bin[i * n / BINS_HISTOGRAM] += z->bin[i];
	if (n && z->all.least < z->all.most)
		put(line, "  |" SAY_POINT "%s" SAY_NORMAL "|", number_bars(bin, n, bars));
}

/* In one of several lengths. */
static void put_stat(const struct array_view *av, char *line, const struct bins *z, uint64_t total,
		     bool brief, int digits, unsigned bars)
{
	const struct bins_cell *c = &z->all;
	double mean = picture_has(c) ? picture_number(c, PICTURE_MEAN) : 0;

	*line = 0;
	put(line, SAY_DIM "%s " SAY_NORMAL, av->stat_of == STAT_ALL ? "all" : "seen");
	if (value_class(av->x.p.type) == VALUE_IS_COMPLEX)
		put(line, brief ? "|z| " : "magnitude ");
	if (!picture_has(c))
		put(line, "%s", c->count ? "nothing finite" : "nothing");
	else if (brief)
		put(line, "%.*g .. %.*g  mean %.*g", digits, c->least, digits, c->most, digits,
		    mean);
	else
		put(line, "min %.*g  mean %.*g  max %.*g", digits, c->least, digits, mean, digits,
		    c->most);
	put_odd(c, line);
	if (c->count < total)
		put(line, SAY_BAD "  %" PRIu64 " missing" SAY_NORMAL, total - c->count);
	put_bars(line, z, bars);
}

void array_stat_text(struct array_view *av, const struct bins *z, uint64_t total, bool bins)
{
	static const struct {
		bool brief;
		int digits;
		unsigned bars;
	} as[] = { { false, 6, BARS },	  { false, 4, BARS },	 { true, 4, BARS },
		   { true, 4, BARS / 2 }, { true, 3, BARS / 2 }, { false, 4, 0 },
		   { true, 4, 0 },	  { true, 3, 0 } };
	char line[LINE];

	for (size_t i = 0; i < sizeof(as) / sizeof(as[0]); i++) {
		put_stat(av, line, z, total, as[i].brief, as[i].digits, bins ? as[i].bars : 0);
		if (glyph_width(line) <= av->columns)
			break;
	}
	glyph_fit(line, av->columns);
	snprintf(av->stat, sizeof(av->stat), "%s", line);
}

/* "dimension 1  3 of 0:9 ---o------", with little room "dim 1  3 of 0:9" */
static void put_slider(const struct cut *c, unsigned d, int most, char *line)
{
	uint64_t at = (uint64_t)(c->at[d] - c->lower[d]), n = c->extent[d];
	int wide = n < (uint64_t)most ? (int)n : most;
	int knob = n > 1 ? (int)((double)at / (double)(n - 1) * (wide - 1) + 0.5) : 0;

	put(line, "%s%s%s %u  %" PRId64 SAY_NORMAL SAY_DIM " of %" PRId64 ":%" PRId64 "%s",
	    *line ? "  " : "", d == c->slider ? SAY_BOLD : SAY_NORMAL, most ? "dimension" : "dim",
	    d + 1, c->at[d], c->lower[d], c->lower[d] + (int64_t)n - 1, wide ? " " : "");
	for (int i = 0; i < wide; i++)
		put(line, "%s", i == knob ? SAY_NORMAL "●" SAY_DIM : "─");
	put(line, SAY_NORMAL);
}

/* As many as fit, one of each dimension that is not shown, without its bar when that helps; from
 * that which keys move when there is no room for all. Returns whether there was. */
static bool put_sliders(const struct cut *c, int wide, bool all, int columns, char *line)
{
	unsigned first = all ? 0 : c->slider;

	*line = 0;
	for (unsigned i = 0; i < c->ndim; i++) {
		unsigned d = (first + i) % c->ndim;
		size_t before = strlen(line);

		if (d == c->row || d == c->col)
			continue;
		put_slider(c, d, wide, line);
		if (glyph_width(line) <= columns)
			continue;
		line[before] = 0;
		return false;
	}
	return true;
}

static void draw_sliders(const struct array_view *av, struct screen *sc, int y, struct area a)
{
	const struct cut *c = &av->cut;
	char line[LINE] = "";
	int wide = SLIDER;

	while (!put_sliders(c, wide, true, a.columns, line) && wide)
		wide = wide > LEAST_SLIDER ? wide / 2 : 0;
	if (!wide && !put_sliders(c, 0, true, a.columns, line) &&
	    !put_sliders(c, 0, false, a.columns - 3, line))
		put(line, SAY_DIM "  …");
	screen_text(sc, y, a.x, a.columns, STYLE_NORMAL, 0, line);
}

static int by_number(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

static size_t add_owner(uint32_t *list, size_t n, uint32_t rank)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == rank)
			return n;
	if (rank < BINS_MIXED && n < OWNERS)
		list[n++] = rank;
	return n;
}

/* Owners of what is seen. */
static void draw_owners(const struct array_view *av, struct screen *sc, int y, struct area a)
{
	const struct map *m = &av->map;
	uint32_t list[OWNERS];
	size_t n = 0, all;
	char text[200];

	if (av->as_map) {
		all = m->z.cell && av->x.nowner ? (size_t)m->z.rows * m->z.cols : 0;
		for (size_t i = 0; i < all; i++)
			n = add_owner(list, n,
				      m->z.cell[i].count ? m->z.cell[i].owner : UINT32_MAX);
	} else {
		all = av->table.owner ? values_total(&av->table.f.q) : 0;
		for (size_t i = 0; i < all; i++)
			n = add_owner(list, n, av->table.owner[i]);
	}
	if (*subject_unowned(&av->x, text, sizeof(text))) {
		screen_text(sc, y, a.x, a.columns, STYLE_DIM, 0, text);
		return;
	}
	qsort(list, n, sizeof(*list), by_number);
	palette_legend(sc, y, a.x, a.columns, list, n);
}

/* "-1 …colours… 1  mean, linear" */
static void draw_scale(const struct array_view *av, struct screen *sc, int y, struct area a)
{
	struct shade shade = { .scale = av->scale };
	char text[100];
	int x;

	if (!av->map.z.cell || !picture_bounds(&av->map.z, av->show, &shade)) {
		screen_text(sc, y, a.x, a.columns, STYLE_DIM, 0, "nothing finite");
		return;
	}
	if (av->scale == SHADE_DIVERGING) {
		shade.most = fmax(fabs(shade.least), fabs(shade.most));
		shade.least = 0 - shade.most; /* which is no -0 */
	}
	snprintf(text, sizeof(text), "%.6g ", shade.least);
	screen_text(sc, y, a.x, a.columns, STYLE_NORMAL, 0, text);
	x = glyph_width(text);
	for (int i = 0; i < RAMP && x < a.columns; i++, x++) {
		double part = (i + 0.5) / RAMP;
		struct shade ramp = { .scale = av->scale == SHADE_DIVERGING ? SHADE_DIVERGING
									    : SHADE_LINEAR,
				      .least = -1,
				      .most = 1 };
		char letter[2] = { shade_letter(&ramp, 2 * part - 1) };
		uint32_t colour = shade_colour(&ramp, 2 * part - 1);

		if (av->halves)
			screen_half(sc, y, a.x + x, colour, colour);
		else
			screen_text(sc, y, a.x + x, 1, STYLE_NORMAL, 0, letter);
	}
	snprintf(text, sizeof(text), " %.6g  %s, %s", shade.most, picture_show_name(av->show),
		 shade_name(av->scale));
	if (shade_linear(&shade) > 0)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "  linear within %.3g of 0", shade_linear(&shade));
	if (x >= a.columns)
		return;
	glyph_fit(text, a.columns - x);
	screen_text(sc, y, a.x + x, a.columns - x, STYLE_NORMAL, 0, text);
}

static void put_value(const struct array_view *av, char *line, const unsigned char *bytes)
{
	char text[NUMBER_TEXT];

	put(line, "%s", number_text(av->table.f.q.type, bytes, NUMBER_FULL, 0, text));
}

/* The value at the cursor; of several those of each group. */
static void put_element(const struct array_view *av, char *line, int64_t at)
{
	const struct table *t = &av->table;
	const struct values *q = &t->f.q;
	size_t size = value_size(q->type), offset = (size_t)at * size;
	enum part part = t->part ? t->part[at] : PART_OWN;
	char set[64];

	if (t->f.missing && t->f.missing[at]) {
		put(line, " is owned by no rank that answers");
		return;
	}
	put(line, " =");
	for (size_t g = 0; g < q->n; g++) {
		put(line, "%s", g ? "  " : " ");
		if (q->n > 1)
			put(line, SAY_RANKS "%s " SAY_NORMAL,
			    rankset_format(&q->group[g].ranks, set, sizeof(set)));
		put_value(av, line, q->group[g].bytes + offset);
	}
	if (t->owner && t->owner[at] != UINT32_MAX)
		put(line, SAY_RANKS "  of rank %u" SAY_NORMAL, t->owner[at]);
	if (part != PART_HALO && part != PART_STALE)
		return;
	put(line, "%s  rank %u has ", part == PART_STALE ? SAY_BAD : SAY_NORMAL, t->block);
	put_value(av, line, t->halo + offset);
}

static void put_cell(const struct array_view *av, char *line)
{
	const struct cut *c = &av->map.r.cut;
	struct cut_window w;
	const struct bins_cell *cell = map_cell(av, &w);
	unsigned type = av->x.p.type == VALUE_FLOAT ? VALUE_FLOAT : VALUE_DOUBLE;
	char text[VALUE_TEXT];
	int64_t row, col;

	if (!cell)
		return;
	put_odd(cell, line);
	row = c->lower[c->row] + (int64_t)w.top;
	col = c->lower[c->col] + (int64_t)w.left;
	if (cell->count == 1 && picture_has(cell)) {
		put(line, " = %s",
		    value_format(type, &(struct value){ .class = VALUE_IS_REAL, .re = cell->most },
				 0, text));
	} else if (cell->count > 1) {
		put(line, SAY_DIM "  cell ");
		if (!cut_folded(c))
			put(line, "%" PRId64 ":%" PRId64 ",", row, row + (int64_t)w.rows - 1);
		put(line, "%" PRId64 ":%" PRId64 SAY_NORMAL, col, col + (int64_t)w.cols - 1);
		if (picture_has(cell))
			put(line, "  %.6g .. %.6g  mean %.6g", cell->least, cell->most,
			    picture_number(cell, PICTURE_MEAN));
	}
	if (cell->owner != UINT32_MAX && cell->count && av->x.nowner)
		put(line,
		    cell->owner == BINS_MIXED ? SAY_RANKS "  of several ranks" SAY_NORMAL
					      : SAY_RANKS "  of rank %u" SAY_NORMAL,
		    cell->owner);
}

static void draw_cursor(const struct array_view *av, struct screen *sc, int y, struct area a)
{
	const struct cut *c = &av->cut;
	char line[LINE] = "", name[300];
	uint64_t row, col;
	int64_t at;

	diff_element(av->x.name, c->fortran ? 'F' : 'C', c->ndim, c->at, name, sizeof(name));
	put(line, SAY_BOLD "%s" SAY_NORMAL, name);
	if (av->as_map) {
		put_cell(av, line);
	} else if (av->table.there) {
		cut_cursor(c, &row, &col);
		at = table_at(&av->table, row, col);
		if (at >= 0)
			put_element(av, line, at);
	}
	glyph_fit(line, a.columns);
	screen_text(sc, y, a.x, a.columns, STYLE_NORMAL, 0, line);
}

void array_foot(struct array_view *av, struct screen *sc, struct area a)
{
	struct array_lines l = array_lines(av);

	if (l.slider >= 0)
		draw_sliders(av, sc, a.y + l.slider, a);
	if (l.legend >= 0 && av->block != UINT32_MAX && !av->as_map)
		screen_text(sc, a.y + l.legend, a.x, a.columns, STYLE_NORMAL, 0,
			    SAY_RANKS "~" SAY_NORMAL " halo, as the owner has it  " SAY_BAD
				      "!" SAY_NORMAL " halo, not as the owner has it");
	else if (l.legend >= 0 && av->owners)
		draw_owners(av, sc, a.y + l.legend, a);
	else if (l.legend >= 0)
		draw_scale(av, sc, a.y + l.legend, a);
	if (l.stat >= 0)
		screen_text(sc, a.y + l.stat, a.x, a.columns, STYLE_NORMAL, 0, av->stat);
	if (l.cursor >= 0)
		draw_cursor(av, sc, a.y + l.cursor, a);
}
