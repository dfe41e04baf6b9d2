/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of the array view, shared by array.c (keys and loading), ask.c (what is asked),
 * table.c, map.c, and foot.c (lines below both).
 *
 * What is drawn are pictures that were taken, each with the plane it was taken of: keys move the
 * cursor and the plane at once, and a picture follows when the ranks have answered.
 */
#ifndef DVMDBG_FRONTEND_TUI_ARRAY_INTERNAL_H
#define DVMDBG_FRONTEND_TUI_ARRAY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/bins.h"
#include "common/array/section.h"
#include "common/logical/rankset.h"
#include "frontend/data/halo_block.h"
#include "frontend/data/pieces.h"
#include "frontend/diff/diff.h"
#include "frontend/export/picture.h"
#include "frontend/tui/array/array.h"
#include "frontend/tui/core/core.h"
#include "frontend/tui/screen/number.h"

struct area;
struct cut;
struct err;
struct owner;
struct screen;
struct session;
struct tui;
struct view;

/*
 * A plane through an array: two of its dimensions as rows and columns, an index in each of the
 * others, a cursor, and the window of the plane that is seen. An array of one dimension is folded
 * into rows. Asks nobody and draws nothing.
 */

struct cut {
	unsigned ndim; /* at least 1 */
	bool fortran;
	int64_t lower[ARRAY_DIMS];
	uint64_t extent[ARRAY_DIMS];
	unsigned row, col; /* the dimensions shown; equal: the only one, folded */
	unsigned slider;   /* of the others the one that cut_slide moves; ndim: there is none */
	int64_t at[ARRAY_DIMS]; /* the cursor; in the others the index that is shown */
	uint64_t fold;		/* columns of a folded dimension; at least 1 */
	uint64_t top, left;	/* first row and column seen, from 0 */
};

/* A rectangle of a plane, in rows and columns from 0. */
struct cut_window {
	uint64_t top, left, rows, cols;
};

/*
 * For an array of that shape: the last two dimensions, in Fortran the first two; those with one
 * index only when there are no others. What c had before is kept when its shape was the same.
 */
void cut_make(struct cut *c, unsigned ndim, bool fortran, const int64_t *lower,
	      const uint64_t *extent);
bool cut_folded(const struct cut *c);
uint64_t cut_rows(const struct cut *c);
uint64_t cut_cols(const struct cut *c);
/* Row and column of the cursor. */
void cut_cursor(const struct cut *c, uint64_t *row, uint64_t *col);
/* The cursor goes there, or as far as there is something. */
void cut_go(struct cut *c, int64_t row, int64_t col);
/* The cursor moves by so many rows and columns. */
void cut_move(struct cut *c, int64_t rows, int64_t cols);
/* Indices in all dimensions of a place in the plane; false: behind the end of what is folded. */
bool cut_index(const struct cut *c, uint64_t row, uint64_t col, int64_t *index);
/* All dimensions but the two get other indices as well. */
void cut_jump(struct cut *c, const int64_t *index);
/* The window, of so many rows and columns at most, in which the cursor is. */
struct cut_window cut_settle(struct cut *c, uint64_t rows, uint64_t cols);
/* The window begins with that element, if the cursor stays in it. */
void cut_corner(struct cut *c, const int64_t *index);
/* Rows (or columns) become the next dimension; the same as the others': they change places. */
void cut_turn(struct cut *c, bool columns);
void cut_swap(struct cut *c);
/* These two are shown; false: they are not two dimensions of it. */
bool cut_show(struct cut *c, unsigned row, unsigned col);
void cut_next_slider(struct cut *c);
void cut_slide(struct cut *c, int64_t by);
/* The elements of the window as a bound section, without steps. A folded one has whole rows. */
void cut_section(const struct cut *c, const struct cut_window *w, struct section *out);
/* "u[*][*][3]", with ranges in place of * when w is not NULL; returns out. */
const char *cut_text(const struct cut *c, const struct cut_window *w, const char *name, char *out,
		     size_t size);
/* "u[3][↓][→]": which dimension goes where; returns out. */
const char *cut_title(const struct cut *c, const char *name, char *out, size_t size);

/*
 * A picture of cells, each of which represents a rectangle of a plane, on the screen: where its
 * cells are, its drawing with indices around it, and a cursor that moves by cells.
 */

struct raster {
	struct cut cut;
	struct cut_window w; /* what it shows; of a folded dimension its elements, in one row */
	uint32_t rows, cols; /* cells; 0: none yet. Of what is folded one row, drawn as several */
	uint32_t room_rows, room_cols; /* the most that fit */
	bool halves;		       /* two cells in a character, one above the other */
};

/* How a cell looks: a colour, or where that cannot be shown a letter. */
struct raster_inspect {
	uint32_t colour; /* 0xRRGGBB */
	char letter;
	int style;     /* of the letter */
	bool tinted;   /* it has a colour as well: … */
	unsigned tint; /* … that one of screen_tint */
};
typedef void (*raster_fn)(void *arg, uint32_t cell, struct raster_inspect *out);

/* All of the plane of c. */
struct cut_window raster_all(const struct cut *c);
/* Row and column of the cursor in it. */
void raster_position(const struct cut *c, uint64_t *row, uint64_t *col);
/* Takes plane, window and room, and as many cells as fit. */
void raster_make(struct raster *r, const struct cut *c, const struct cut_window *w, int rows,
		 int columns, bool halves);
/* What a cell represents. */
struct cut_window raster_window(const struct raster *r, uint32_t cell);
/* The cell that c's cursor is in; -1: it is not in the picture. */
int64_t raster_cursor(const struct raster *r, const struct cut *c);
/* The section of the window, bound. */
void raster_section(const struct raster *r, struct section *out);
/* A row of indices, then the cells, with `label` columns for indices before them. */
void raster_draw(const struct raster *r, struct screen *sc, struct area a, int label,
		 const struct cut *c, bool focused, raster_fn look, void *arg);
/* The cursor goes to the middle of a cell; of the one so many rows and columns of cells further;
 * beyond the picture by as many elements. */
void raster_go(const struct raster *r, struct cut *c, uint32_t cell);
void raster_move(const struct raster *r, struct cut *c, int64_t rows, int64_t cols);
/* The cell at a row and column of the area that was drawn; -1: none. */
int64_t raster_click(const struct raster *r, int label, int y, int x);

/*
 * The array a view looks at: found again when something has changed, and what is asked of it only
 * once until then.
 */

/* Zeroed: none. */
struct subject {
	char *name;	    /* owned; NULL: none is chosen */
	struct rankset who; /* ranks of the focus that stand */
	struct pieces p;    /* all of it */
	bool found;
	unsigned epoch;	     /* when it was */
	struct owner *owner; /* owned; by rank; none of what is replicated */
	size_t nowner;
	struct bins whole; /* statistics, when summed */
	bool summed, binned;
	struct halo_block halo; /* of the rank that was asked last */
	bool of_pair; /* what is beside another run: it is the session's own, whichever is seen */
	struct session *run; /* borrowed; where it was found; another one is another array */
};

void subject_clear(struct subject *x);
/*
 * All that follow ask ranks, between tui_asking(true) and (false).
 *
 * Chooses and finds the array that text names; its section, to be cleared by the caller, is in
 * *sec, without dimensions when there is none. -1 and err: x is as it was.
 */
int subject_choose(struct subject *x, struct tui *t, const char *text, struct section *sec,
		   struct err *err);
/* Finds it, if need be. -1 and err: it cannot be looked at now. */
int subject_find(struct subject *x, struct tui *t, struct err *err);
/* Statistics of all of it: one cell, in x->whole; with a histogram when bins is set. */
int subject_sum(struct subject *x, bool bins, struct err *err);
/* The same of its section s (bound), with a histogram between the extremes of `all` when there are
 * any. */
int subject_bins(struct subject *x, const struct section *s, const struct bins_cell *all,
		 struct bins *out, struct err *err);
/* The bounds of a histogram of what is in the cell; false: there is nothing finite. */
bool subject_bounds(const struct bins_cell *c, double *from, double *to);
/* pieces_find's result for another section of it, which is borrowed; not to be cleared. */
struct pieces subject_part(const struct subject *x, const struct section *s);
/* What that rank has of the array and its halo; NULL and err when it has nothing. Stays until the
 * next question. */
const struct halo_block *subject_halo(struct subject *x, uint32_t rank, struct err *err);

/* The rest asks nobody. */
void subject_cut(const struct subject *x, struct cut *c);
/* The rank that owns an element; UINT32_MAX: none that is known. */
uint32_t subject_owner(const struct subject *x, const int64_t *index);
/* The rank after that one that has a part of it; after the last and UINT32_MAX the first. */
uint32_t subject_next(const struct subject *x, uint32_t rank);
/* The index goes to the first element that a rank owns, unless it is at one. */
void subject_enter(const struct subject *x, uint32_t rank, int64_t *index);
/* Where its part with the halo begins; false: it has none. */
bool subject_corner(const struct subject *x, uint32_t rank, int64_t *index);
/* Some rank stores copies of others' elements beside its part. */
bool subject_has_halo(const struct subject *x);
/* "table is replicated: every rank has all of it" when no rank owns a part; else "". Returns out.
 */
const char *subject_unowned(const struct subject *x, char *out, size_t size);
/* Fills the view's list with the arrays that can be chosen, or shows why there is none; asks. Rows
 * have their answer's object. */
void subject_load_list(struct view *v);

/* The inside of the difference view, shared by diff.c (keys and drawing) and diff_load.c. */

/* Both versions of an array, in memory. */
struct versions {
	char *name; /* owned; NULL: nothing was taken */
	unsigned epoch;
	struct section section;
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	void *ref, *now;     /* owned */
	struct owner *owner; /* owned */
	double *scale;
	struct diff_input in; /* points to all of that */
	char from[DIFF_FROM]; /* where ref comes from */
};

struct diff_view {
	struct view v;
	struct subject x;
	char *request; /* owned; an array or an element that was asked for */
	struct cut cut;
	struct sum_tolerance tol;
	bool tol_set;
	struct versions *taken; /* owned; NULL: nothing yet */
	struct diff d;		/* of taken, beyond made_tol */
	bool made;
	struct sum_tolerance made_tol;
	struct raster r;
	struct diff_cell *cell; /* owned; of r */
	char *old;		/* owned; why it could not be taken again; NULL: it was */
	/* as it was drawn last */
	int rows, columns;
	bool halves;
	unsigned located; /* the number of the locate whose array was shown unasked */
};

/* diff_load.c */
void diff_load(struct view *v);
void diff_drop(struct diff_view *dv);

/* diff.c */
/* Rows for the map, and columns of the indices beside it. */
int diff_body(const struct diff_view *dv);
int diff_label(const struct diff_view *dv);

/* What the difference view knows, for other views. */

/*
 * The next element of the array (step 1), or the one before (-1), that differs from the reference
 * by more than the tolerance of that view, round the end; the view goes there too. Asks ranks,
 * between tui_asking(true) and (false). 1; 0: none differs; -1 and err.
 */
int diff_view_next(struct tui *t, const char *name, const int64_t *index, int step, int64_t *next,
		   struct err *err);

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

/* ask.c */
void array_load(struct view *v);
void table_clear(struct table *t);
void map_clear(struct map *m);

/* type.c */
/* Keys that begin a line, or run one. */
bool array_type(struct array_view *av, enum key_action action);
/* The line that writes what is seen, to be changed and entered. */
void array_type_save(const struct array_view *av);
/* The line that changes the cursor's element, with its value, which is element `at` of q. */
void array_type_value(struct array_view *av, const struct values *q, int64_t at);

/* table.c */
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

/* map.c */
/* The raster of what the map shall show, with the cursor in it. */
void map_place(struct array_view *av, struct raster *r);
void map_draw(struct array_view *av, struct screen *sc, struct area a, bool focused);
bool map_act(struct array_view *av, enum key_action action);
/* The cell of the cursor and what it represents; NULL: it is not seen. */
const struct bins_cell *map_cell(const struct array_view *av, struct cut_window *of);

/* foot.c */
struct array_lines array_lines(const struct array_view *av);
void array_foot(struct array_view *av, struct screen *sc, struct area a);
/* The line of statistics, of so many elements that are seen, or of all; with bars of bins. */
void array_stat_text(struct array_view *av, const struct bins *z, uint64_t total, bool bins);

#endif
