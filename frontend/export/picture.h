/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is shown of the cells of a zoom, between which bounds, and in which colour.
 */
#ifndef DVMDBG_FRONTEND_PICTURE_H
#define DVMDBG_FRONTEND_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array/bins.h"
#include "frontend/export/shade.h"

enum picture_show {
	PICTURE_MEAN,
	PICTURE_MOST,
	PICTURE_LEAST,
	PICTURE_MAGNITUDE, /* the largest */
	PICTURE_OWNER,	   /* which rank has them */
	PICTURE_SHOWS
};

/* "mean", "max", "min", "abs", "owner"; the one of that name, PICTURE_SHOWS for none. */
const char *picture_show_name(enum picture_show show);
enum picture_show picture_show_find(const char *name);
/* Whether there is a finite number in the cell; only of such cells there is something to show,
 * beside an owner. */
bool picture_has(const struct bins_cell *c);
double picture_number(const struct bins_cell *c, enum picture_show show);
/* Least and most of what is shown; false: there is nothing finite. */
bool picture_bounds(const struct bins *z, enum picture_show show, struct shade *shade);
/* 0xRRGGBB */
uint32_t picture_colour(const struct bins_cell *c, enum picture_show show,
			const struct shade *shade);
/* The same without colours; '!' is NaN or infinity, '?' an element that nobody has. */
char picture_letter(const struct bins_cell *c, enum picture_show show, const struct shade *shade);
/* The cell as a number of a table: NaN or infinity when there is any in it, NaN for nothing. */
double picture_plain(const struct bins_cell *c, enum picture_show show);
/* Colour and letter of a rank; after twelve, or 36, they come again. UINT32_MAX: of nobody. */
uint32_t picture_rank_colour(uint32_t rank);
char picture_rank_letter(uint32_t rank);

#endif
