/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/shade.h"

#include <math.h>
#include <string.h>

#define DECADES 16  /* of bounds of one sign */
#define MIDDLE 0.5  /* where all values are the same: they are there, and not at an end */
#define LINEAR 1e-6 /* of the larger bound, of both signs */

static const char *const names[SHADE_SCALES] = {
	[SHADE_LINEAR] = "linear",
	[SHADE_LOG] = "log",
	[SHADE_DIVERGING] = "diverging",
};

const char *shade_name(enum shade_scale scale)
{
	return names[scale];
}

enum shade_scale shade_find(const char *name)
{
	unsigned i = 0;

	while (i < SHADE_SCALES && strcmp(names[i], name))
		i++;
	return (enum shade_scale)i;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double between(double x)
{
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

double shade_linear(const struct shade *s)
{
	if (s->scale != SHADE_LOG || s->least > 0 || s->most < 0)
		return 0;
	return larger(fabs(s->least), fabs(s->most)) * LINEAR;
}

/* Of bounds of one sign: as far down as the values go. The larger the number the higher it stands,
 * so of negative ones the smallest magnitude is on top. */
static double place_one_sign(const struct shade *s, double v)
{
	double high = larger(fabs(s->least), fabs(s->most));
	double low = larger(s->least > 0 ? s->least : -s->most, high * pow(10, -DECADES)), place;

	if (low >= high)
		return MIDDLE;
	if (!(s->least > 0 ? v > 0 : v < 0))
		return s->least > 0 ? 0 : 1;
	place = between((log(fabs(v)) - log(low)) / (log(high) - log(low)));
	return s->least > 0 ? place : 1 - place;
}

/* sign(v) log(1 + |v| / linear) */
static double bend(double v, double linear)
{
	return copysign(log1p(fabs(v) / linear), v);
}

static double place_log(const struct shade *s, double v)
{
	double linear = shade_linear(s), from, to;

	if (s->least > 0 || s->most < 0)
		return place_one_sign(s, v);
	if (!(linear > 0))
		return MIDDLE;
	from = bend(s->least, linear);
	to = bend(s->most, linear);
	return from < to ? between((bend(v, linear) - from) / (to - from)) : MIDDLE;
}

double shade_place(const struct shade *s, double v)
{
	double high = larger(fabs(s->least), fabs(s->most));

	if (s->scale == SHADE_LOG)
		return place_log(s, v);
	if (s->scale == SHADE_DIVERGING)
		return high > 0 ? between(0.5 + v / high / 2) : MIDDLE;
	if (!(s->most > s->least))
		return MIDDLE;
	/* halves, for a range that is larger than a number can be */
	return between((v / 2 - s->least / 2) / (s->most / 2 - s->least / 2));
}

/* Points of a palette at equal distances; between them colours are mixed. */
static uint32_t mix(const uint32_t *palette, unsigned n, double place)
{
	double at = place * (n - 1);
	unsigned i = at >= n - 1 ? n - 2 : (unsigned)at;
	double part = at - i;
	uint32_t out = 0;

	for (int shift = 0; shift < 24; shift += 8) {
		double a = palette[i] >> shift & 255, b = palette[i + 1] >> shift & 255;

		out |= (uint32_t)(a + (b - a) * part + 0.5) << shift;
	}
	return out;
}

uint32_t shade_colour(const struct shade *s, double v)
{
	/* From dark blue by green to yellow, ever brighter; and from blue by white to red. */
	static const uint32_t up[] = { 0x0d0887, 0x3b2f9e, 0x2f6c8e, 0x21918c,
				       0x4ac16d, 0xa5db36, 0xfde725 };
	static const uint32_t both[] = { 0x1f4fb4, 0x6fa3e0, 0xf0f0f0, 0xe88a70, 0xb40426 };

	if (s->scale == SHADE_DIVERGING)
		return mix(both, sizeof(both) / sizeof(both[0]), shade_place(s, v));
	return mix(up, sizeof(up) / sizeof(up[0]), shade_place(s, v));
}

char shade_letter(const struct shade *s, double v)
{
	static const char ramp[] = " .:-=+*#%@";
	unsigned n = sizeof(ramp) - 1, i = (unsigned)(shade_place(s, v) * n);

	return ramp[i < n ? i : n - 1];
}
