/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/screen/palette.h"

#include <stdio.h>

#include "frontend/export/picture.h"
#include "frontend/tui/screen/screen.h"

void palette_legend(struct screen *sc, int y, int x, int columns, const uint32_t *rank, size_t n)
{
	int at = 7;

	screen_text(sc, y, x, columns, STYLE_DIM, 0, n ? "owners" : "owners are not known");
	for (size_t i = 0; i < n; i++) {
		char text[16];
		int wide = snprintf(text, sizeof(text), "%u", rank[i]);

		if (at + wide + 2 > columns) {
			screen_text(sc, y, x + at, 1, STYLE_DIM, 0, "…");
			return;
		}
		screen_text(sc, y, x + at, wide, STYLE_NORMAL, 0, text);
		screen_tint(sc, y, x + at, wide, STYLE_NORMAL, picture_rank_colour(rank[i]),
			    rank[i]);
		at += wide + 1;
	}
}
