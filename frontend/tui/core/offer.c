/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/core/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tui/screen/screen.h"
#include "frontend/util/xalloc.h"

#define GAP 2

void offer_clear(struct offer *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->word[i]);
	free(o->word);
	*o = (struct offer){ 0 };
}

void offer_set(struct offer *o, char *const *word, size_t n)
{
	offer_clear(o);
	o->word = xcalloc(n + 1, sizeof(*o->word));
	for (size_t i = 0; i < n; i++) {
		int width;

		o->word[i] = xstrdup(word[i]);
		glyph_clean(o->word[i]);
		width = glyph_width(o->word[i]);
		o->width = width > o->width ? width : o->width;
		o->n++;
	}
}

void offer_draw(const struct offer *o, struct screen *sc, int y, int columns)
{
	int wide = o->width + GAP < columns ? o->width + GAP : columns;
	int across = wide ? columns / wide : 1, most = y / 2 - 1, rows, shown;
	char title[80];

	if (!o->n || most < 1)
		return;
	rows = (int)((o->n + (size_t)across - 1) / (size_t)across);
	rows = rows < most ? rows : most;
	shown = (size_t)(rows * across) < o->n ? rows * across : (int)o->n;
	snprintf(title, sizeof(title),
		 (size_t)shown < o->n ? " %zu words, the first %d " : " %zu words ", o->n, shown);
	screen_fill(sc, y - rows - 1, 0, columns, STYLE_FOCUS, "━");
	screen_text(sc, y - rows - 1, 1, glyph_width(title), STYLE_FOCUS, 0, title);
	for (int i = 0; i < rows; i++) {
		screen_text(sc, y - rows + i, 0, columns, STYLE_NORMAL, 0, "");
		for (int k = 0; k < across; k++) {
			size_t at = (size_t)(k * rows + i);

			if (at < (size_t)shown)
				screen_text(sc, y - rows + i, k * wide, wide, STYLE_NORMAL, 0,
					    o->word[at]);
		}
	}
}
