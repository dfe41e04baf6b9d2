/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/palette.h"

#include <stdio.h>
#include <string.h>

#include "frontend/shade.h"
#include "frontend/tui/screen.h"

uint32_t palette_rank(uint32_t rank)
{
	/* Bright enough on black and dark enough on white; neighbours are far from one another.
	 * The first six are in the order of a terminal's own colours. */
	static const uint32_t colours[] = { 0xd75f5f, 0x5faf5f, 0xd7af00, 0x5f87ff,
					    0xd75fd7, 0x00afaf, 0xff875f, 0x87af00,
					    0xaf8700, 0x8787d7, 0xff5faf, 0x5fafd7 };

	if (rank == UINT32_MAX)
		return SHADE_EMPTY;
	return colours[rank % (sizeof(colours) / sizeof(colours[0]))];
}

char palette_letter(uint32_t rank)
{
	static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";

	return rank == UINT32_MAX ? '?' : letters[rank % (sizeof(letters) - 1)];
}

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
		screen_tint(sc, y, x + at, wide, STYLE_NORMAL, palette_rank(rank[i]), rank[i]);
		at += wide + 1;
	}
}
