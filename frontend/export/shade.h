/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as brightness and colour: scales between two bounds, and palettes.
 */
#ifndef DVMDBG_FRONTEND_SHADE_H
#define DVMDBG_FRONTEND_SHADE_H

#include <stdbool.h>
#include <stdint.h>

enum shade_scale {
	SHADE_LINEAR,
	SHADE_LOG,	 /* see shade_linear */
	SHADE_DIVERGING, /* around 0, which is in the middle */
	SHADE_SCALES
};

struct shade {
	enum shade_scale scale;
	double least, most;
};

#define SHADE_NAN 0xff00ffu   /* colour of cells with a NaN … */
#define SHADE_INF 0xff8c00u   /* … or an infinity in them */
#define SHADE_MIXED 0xa8a8a8u /* … of those that several ranks own, on a map of owners … */
#define SHADE_EMPTY 0x303030u /* … and of cells nobody owns or has answered for */

/* "linear", "log", "diverging"; the scale of that name, SHADE_SCALES for none. */
const char *shade_name(enum shade_scale scale);
enum shade_scale shade_find(const char *name);
/* Where v stands between the bounds, 0 … 1; v is finite. In the middle when these are equal. */
double shade_place(const struct shade *s, double v);
/*
 * The bound of what a logarithmic scale shows linearly around 0. Bounds of one sign: 0, the scale
 * is a logarithm all the way, at most 16 decades. Else a millionth of the larger bound: v stands
 * where sign(v) log(1 + |v| / bound) does, so that of both signs six decades are distinguished and
 * what is smaller runs into 0 without a jump.
 */
double shade_linear(const struct shade *s);
/* The colour of v, 0xRRGGBB. */
uint32_t shade_colour(const struct shade *s, double v);
/* A character of the ramp for v: the denser the larger; ' ' is the least. */
char shade_letter(const struct shade *s, double v);

#endif
