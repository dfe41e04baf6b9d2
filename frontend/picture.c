/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/picture.h"

#include <math.h>
#include <stddef.h>

const char *picture_show_name(enum picture_show show)
{
	static const char *const names[PICTURE_SHOWS] = { "mean", "max", "min", "abs" };

	return names[show];
}

bool picture_has(const struct zoom_cell *c)
{
	return c->least <= c->most;
}

double picture_number(const struct zoom_cell *c, enum picture_show show)
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

bool picture_bounds(const struct zoom *z, enum picture_show show, struct shade *shade)
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

uint32_t picture_colour(const struct zoom_cell *c, enum picture_show show,
			const struct shade *shade)
{
	if (c->nan)
		return SHADE_NAN;
	if (c->inf)
		return SHADE_INF;
	return picture_has(c) ? shade_colour(shade, picture_number(c, show)) : SHADE_EMPTY;
}

char picture_letter(const struct zoom_cell *c, enum picture_show show, const struct shade *shade)
{
	if (c->nan || c->inf)
		return '!';
	return picture_has(c) ? shade_letter(shade, picture_number(c, show)) : '?';
}
