/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture of cells, each of which represents a rectangle of a plane, on the screen: where its
 * cells are, its drawing with indices around it, and a cursor that moves by cells.
 */
#ifndef DVMDBG_FRONTEND_TUI_RASTER_H
#define DVMDBG_FRONTEND_TUI_RASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/tui/array/cut.h"

struct area;
struct screen;

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

#endif
