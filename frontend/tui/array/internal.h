/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of the array view, shared by array.c (keys and loading), array_ask.c (what is asked),
 * array_table.c, array_map.c, and array_foot.c (lines below both).
 *
 * What is drawn are pictures that were taken, each with the plane it was taken of: keys move the
 * cursor and the plane at once, and a picture follows when the ranks have answered.
 */
#ifndef DVMDBG_FRONTEND_TUI_ARRAY_PRIV_H
#define DVMDBG_FRONTEND_TUI_ARRAY_PRIV_H

#include "frontend/export/picture.h"
#include "frontend/tui/array/cut.h"
#include "frontend/tui/screen/number.h"
#include "frontend/tui/array/raster.h"
#include "frontend/tui/array/subject.h"
#include "frontend/tui/core/view.h"

/* What an element of a table is, when the block of a rank is looked at. */
enum part {
	PART_OTHER,
	PART_OWN,
	PART_HALO,
	PART_STALE /* a halo's copy that is not what the owner has */
};

/* The part of the plane that a table shows. */
struct table {
	struct cut cut;
	struct cut_window w;
	struct fetched f; /* when there */
	bool there;
	uint32_t *owner;     /* owned; of each element, row by row; NULL: not known */
	uint8_t *part;	     /* owned; the same: enum part; NULL: no block is looked at */
	unsigned char *halo; /* owned; the same: a halo's copy */
	uint32_t block;
};

struct map {
	struct raster r;
	struct bins z; /* as many cells; none: there is no map yet */
};

/* A request that takes a question to be fulfilled. */
enum want {
	WANT_NOTHING,
	WANT_MOST,
	WANT_LEAST,
	WANT_NAN,
	WANT_NEXT,
	WANT_PREVIOUS,
	WANT_VALUE, /* of the cursor's element, to be changed */
	WANT_SAVE   /* what will be seen */
};
enum stat_of { STAT_SEEN, STAT_ALL, STAT_NONE, STATS };

struct array_view {
	struct view v;
	struct subject x;
	struct session *run; /* borrowed; whose array was loaded last */
	struct cut cut;
	char *request; /* owned; an array or a section that was asked for */
	enum want want;
	bool as_map, owners;
	enum stat_of stat_of;
	enum number_form form;
	int digits;
	enum picture_show show;
	enum shade_scale scale;
	uint32_t block, first_block; /* UINT32_MAX: none; where going through all began */
	struct cut_window zoom;	     /* what the map shall show; rows 0: all */

	/* as it was drawn last */
	int rows, columns; /* of the view */
	int before, after; /* cells that numbers of a table take before and behind their points */
	bool refit;	   /* columns may become narrower with what is fetched next */
	bool colours, halves;

	struct table table;
	struct map map;
	bool stale;	/* a key has changed what is to be seen */
	bool taking;	/* the picture is on its way */
	unsigned taken; /* tui_epoch of what is seen */
	char stat[400]; /* a line of statistics … */
	bool stat_due;	/* … which asks once more, when the picture has been drawn */
	char *old;	/* owned; why what is shown could not be taken again; NULL: it was */
};

/* How the view's rows are used. */
struct array_lines {
	int body;			  /* rows of table or map, below a row of headings */
	int slider, stat, legend, cursor; /* counted from the top; -1: no room, or not wanted */
	int label;			  /* columns left of both */
};

/* array.c */
/* What has been drawn is to be taken again. */
void array_renew(struct array_view *av);

/* array_ask.c */
void array_load(struct view *v);
void table_clear(struct table *t);
void map_clear(struct map *m);

/* array_type.c */
/* Keys that begin a line, or run one. */
bool array_type(struct array_view *av, enum key_action action);
/* The line that writes what is seen, to be changed and entered. */
void array_type_save(const struct array_view *av);
/* The line that changes the cursor's element, with its value, which is element `at` of q. */
void array_type_value(struct array_view *av, const struct values *q, int64_t at);

/* array_table.c */
/* Of a column without the blank behind it. */
int table_width(const struct array_view *av);
/* Columns of a table that fit, at least 1. */
int table_columns(const struct array_view *av);
/* Columns that may fit when they are as narrow as columns can be. */
int table_most_columns(const struct array_view *av);
/* Columns become as wide as what was fetched needs; with refit no wider. */
void table_widen(struct array_view *av);
void table_draw(struct array_view *av, struct screen *sc, struct area a, bool focused);
/* The element of the table in that row and column of the plane; -1: it is none of it. */
int64_t table_at(const struct table *t, uint64_t row, uint64_t col);
/* Whether other ranks have another value of what is replicated. */
bool table_differs(const struct values *q, int64_t at);
/* Text of that element as the block's rank has it; "" when it has not. Returns out. */
const char *table_text(const struct array_view *av, int64_t at, char out[NUMBER_TEXT]);

/* array_map.c */
/* The raster of what the map shall show, with the cursor in it. */
void map_place(struct array_view *av, struct raster *r);
void map_draw(struct array_view *av, struct screen *sc, struct area a, bool focused);
bool map_act(struct array_view *av, enum key_action action);
/* The cell of the cursor and what it represents; NULL: it is not seen. */
const struct bins_cell *map_cell(const struct array_view *av, struct cut_window *of);

/* array_foot.c */
struct array_lines array_lines(const struct array_view *av);
void array_foot(struct array_view *av, struct screen *sc, struct area a);
/* The line of statistics, of so many elements that are seen, or of all; with bars of bins. */
void array_stat_text(struct array_view *av, const struct bins *z, uint64_t total, bool bins);

#endif
