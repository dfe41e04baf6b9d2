/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The terminal as a grid of cells, and its keys; the only user of ncursesw. Texts are UTF-8
 * whatever the locale; where that cannot show a character, ASCII takes its place. One at a time.
 */
#ifndef DVMDBG_FRONTEND_TUI_SCREEN_H
#define DVMDBG_FRONTEND_TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct screen;

/*
 * How text looks. In a text that is drawn the byte 1 + style switches to a style, so "\3" is
 * STYLE_BOLD; SAY_BOLD "word" SAY_NORMAL is how that is written.
 */
enum screen_style {
	STYLE_NORMAL,
	STYLE_DIM,
	STYLE_BOLD,
	STYLE_HERE, /* where the ranks are */
	STYLE_BAD,
	STYLE_GOOD,
	STYLE_POINT, /* numbers of points and constructs */
	STYLE_RANKS,
	/* Of the frame around views; not in texts. */
	STYLE_TITLE,
	STYLE_FOCUS, /* the title of the view that has the keys */
	STYLE_BAR,
	STYLES
};
#define SAY_NORMAL "\1"
#define SAY_DIM "\2"
#define SAY_BOLD "\3"
#define SAY_HERE "\4"
#define SAY_BAD "\5"
#define SAY_GOOD "\6"
#define SAY_POINT "\7"
#define SAY_RANKS "\10"

/* Added to a style: the line the cursor is in, and what a search has found. */
#define STYLE_CURSOR 0x100
#define STYLE_FOUND 0x200

/* Keys beside characters; Ctrl-A is 1. */
enum screen_key {
	SCREEN_NONE = -1, /* nothing more to be read */
	SCREEN_UP = 0x200000,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PGUP,
	SCREEN_PGDN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_DELETE,
	SCREEN_BACKSPACE,
	SCREEN_BACKTAB,
	SCREEN_F1,
	SCREEN_CLICK, /* screen_mouse shows where */
	SCREEN_WHEEL_UP,
	SCREEN_WHEEL_DOWN,
	SCREEN_OTHER,
};

struct area {
	int y, x, rows, columns;
};

/*
 * Takes the terminal of standard input and output. The error shows why TERM will not do. A crash of
 * this process gives the terminal back first.
 */
struct screen *screen_open(struct err *err);
/* Gives the terminal back, as it was. NULL is allowed. */
void screen_close(struct screen *sc);
/* Gives the terminal back for a while (Ctrl-Z), and takes it again. */
void screen_leave(struct screen *sc);
void screen_return(struct screen *sc);

int screen_rows(const struct screen *sc);
int screen_columns(const struct screen *sc);
/* Takes the terminal's size again. */
void screen_resized(struct screen *sc);
/* All of it is to be written again with the next screen_show. */
void screen_redraw(struct screen *sc);

void screen_clear(struct screen *sc);
/*
 * Draws text from cell (y, x), at most `columns` wide and without its first `skip` cells; the rest
 * of the columns becomes blank. Control characters are shown as "?", bytes that are no UTF-8 as
 * U+FFFD.
 */
void screen_text(struct screen *sc, int y, int x, int columns, int style, int skip,
		 const char *text);
/* Fills columns of a row with one character, as "─". */
void screen_fill(struct screen *sc, int y, int x, int columns, int style, const char *with);
/*
 * One cell that shows two colours, 0xRRGGBB each, one above the other: a half block; with few
 * colours or none a character as bright as both together.
 */
void screen_half(struct screen *sc, int y, int x, uint32_t upper, uint32_t lower);
/*
 * Cells that were drawn get a colour of text: 0xRRGGBB, with few colours the nth of six, without
 * colours none. style: as they were drawn; only the cursor's mark is kept.
 */
void screen_tint(struct screen *sc, int y, int x, int columns, int style, uint32_t rgb,
		 unsigned nth);
bool screen_has_colours(const struct screen *sc);
/* Whether screen_half shows two: the terminal has 256 colours and the locale has the character. */
bool screen_has_halves(const struct screen *sc);
/* Where the cursor is shown; y < 0: nowhere. */
void screen_cursor(struct screen *sc, int y, int x);
/* Brings what was drawn to the terminal. */
void screen_show(struct screen *sc);

/* The next key that is there: a character's code, enum screen_key, or SCREEN_NONE. Never waits. */
int screen_key(struct screen *sc);
/* Of the last SCREEN_CLICK or wheel. */
void screen_mouse(const struct screen *sc, int *y, int *x);

/* Cells that text takes, without switches of style. */
int glyph_width(const char *text);
/* Makes text fit to be part of a text that is drawn: escape sequences go, other controls become
 * blanks; in place. */
void glyph_clean(char *text);

#endif
