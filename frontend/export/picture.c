/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/picture.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const names[PICTURE_SHOWS] = { "mean", "max", "min", "abs", "owner" };

const char *picture_show_name(enum picture_show show)
{
	return names[show];
}

enum picture_show picture_show_find(const char *name)
{
	unsigned i = 0;

	while (i < PICTURE_SHOWS && strcmp(names[i], name))
		i++;
	return i;
}

bool picture_has(const struct bins_cell *c)
{
	return c->least <= c->most;
}

double picture_number(const struct bins_cell *c, enum picture_show show)
{
	switch (show) {
	case PICTURE_MOST:
		return c->most;
	case PICTURE_LEAST:
		return c->least;
	case PICTURE_MAGNITUDE:
		return fmax(fabs(c->least), fabs(c->most));
	default:
		return c->sum / (double)(c->count - c->nan - c->inf);
	}
}

bool picture_bounds(const struct bins *z, enum picture_show show, struct shade *shade)
{
	shade->least = INFINITY;
	shade->most = -INFINITY;
	for (size_t i = 0; i < (size_t)z->rows * z->cols; i++) {
		double x;

		if (!picture_has(&z->cell[i]))
			continue;
		x = picture_number(&z->cell[i], show);
		shade->least = x < shade->least ? x : shade->least;
		shade->most = x > shade->most ? x : shade->most;
	}
	return shade->least <= shade->most;
}

uint32_t picture_colour(const struct bins_cell *c, enum picture_show show,
			const struct shade *shade)
{
	if (show == PICTURE_OWNER)
		return picture_rank_colour(c->count ? c->owner : UINT32_MAX);
	if (c->nan)
		return SHADE_NAN;
	if (c->inf)
		return SHADE_INF;
	return picture_has(c) ? shade_colour(shade, picture_number(c, show)) : SHADE_EMPTY;
}

char picture_letter(const struct bins_cell *c, enum picture_show show, const struct shade *shade)
{
	if (show == PICTURE_OWNER)
		return picture_rank_letter(c->count ? c->owner : UINT32_MAX);
	if (c->nan || c->inf)
		return '!';
	return picture_has(c) ? shade_letter(shade, picture_number(c, show)) : '?';
}

double picture_plain(const struct bins_cell *c, enum picture_show show)
{
	if (show == PICTURE_OWNER && c->count && c->owner != UINT32_MAX)
		return c->owner == BINS_MIXED ? -1 : (double)c->owner;
	if (show == PICTURE_OWNER)
		return NAN;
	if (c->nan)
		return NAN;
	if (c->inf)
		return INFINITY;
	return picture_has(c) ? picture_number(c, show) : NAN;
}

uint32_t picture_rank_colour(uint32_t rank)
{
	/* Bright enough on black and dark enough on white; neighbours are far from one another.
	 * The first six are in the order of a terminal's own colours. */
	static const uint32_t colours[] = { 0xd75f5f, 0x5faf5f, 0xd7af00, 0x5f87ff,
					    0xd75fd7, 0x00afaf, 0xff875f, 0x87af00,
					    0xaf8700, 0x8787d7, 0xff5faf, 0x5fafd7 };

	if (rank == UINT32_MAX)
		return SHADE_EMPTY;
	if (rank == BINS_MIXED)
		return SHADE_MIXED;
	return colours[rank % (sizeof(colours) / sizeof(colours[0]))];
}

char picture_rank_letter(uint32_t rank)
{
	static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";

	if (rank == BINS_MIXED)
		return '*';
	return rank == UINT32_MAX ? '?' : letters[rank % (sizeof(letters) - 1)];
}
