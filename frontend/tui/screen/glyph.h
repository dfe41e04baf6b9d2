/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts cut into what goes into cells.
 */
#ifndef DVMDBG_FRONTEND_TUI_GLYPH_H
#define DVMDBG_FRONTEND_TUI_GLYPH_H

#include <stdbool.h>
#include <wchar.h>

struct glyph {
	int style;	 /* >= 0: a switch of style, nothing to draw */
	wchar_t text[6]; /* a character with those that combine with it */
	int width;	 /* cells: 1 or 2 */
	int repeat;	 /* so many of it: blanks for a tab */
};

/* The next of *text, which is moved behind it; column counts from the text's start, for tabs. */
struct glyph glyph_next(const char **text, bool utf8, int column);
/*
 * Makes a text at most so many cells wide, so that nothing is cut half-way: what stands behind two
 * blanks, a comma or a colon goes as a whole; a first part that is too long ends in "…". In place.
 */
void glyph_fit(char *text, int columns);
/*
 * Cells of the row that begins with cell `skip` of a text that is folded at blanks: at most so many
 * columns, and the blanks behind, which are not to be seen. 0 behind the end.
 */
int glyph_part(const char *text, int skip, int columns);

#endif
