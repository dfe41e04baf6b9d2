/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE_EXTENDED 1
#include "frontend/tui/screen/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <ncurses.h>
#include <term.h>
#undef columns /* a macro of term.h */

#include "common/core/err.h"
#include "frontend/tui/screen/glyph.h"
#include "frontend/util/xalloc.h"

#define ESCAPE_MS 25 /* a lone Esc is one when nothing follows for so long */

struct screen {
	SCREEN *term;
	bool utf8;
	int colours; /* 0: none */
	bool direct; /* colours are 0xRRGGBB */
	attr_t attr[STYLES];
	int pair[STYLES];
	int mouse_y, mouse_x;
	int cursor_y, cursor_x;
};

/* What a crash does: all of it is made ready before, for a handler may not do much. */
static struct {
	char bytes[512];
	size_t n;
	struct termios modes;
	bool armed;
} rescue;

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT };

static void restore_terminal(void)
{
	if (rescue.armed) {
		ssize_t done = write(STDOUT_FILENO, rescue.bytes, rescue.n);

		(void)done;
		tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
	}
}

static void on_crash(int sig)
{
	restore_terminal();
	raise(sig); /* SA_RESETHAND: as if there were no handler */
}

static int keep_byte(int c)
{
	if (rescue.n < sizeof(rescue.bytes))
		rescue.bytes[rescue.n++] = (char)c;
	return c;
}

static void arm_rescue(void)
{
	static const char *const names[] = { "sgr0", "op", "cnorm", "rmkx", "rmcup" };
	struct sigaction act = { .sa_handler = on_crash,
				 .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };

	rescue.n = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *s = tigetstr(names[i]);

		if (s && s != (char *)-1)
			tputs(s, 1, keep_byte);
	}
	for (const char *s = "\033[?1000l\033[?1006l"; tigetstr("kmous") > (char *)0 && *s; s++)
		keep_byte(*s);
	rescue.armed = true;
	xalloc_at_failure(restore_terminal);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		sigaction(crashes[i], &act, NULL);
}

static void disarm_rescue(void)
{
	rescue.armed = false;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);
}

/* Looks whether TERM can do what is needed. */
static int check_term(struct err *err)
{
	const char *term = getenv("TERM");
	bool able;
	int why = 0;

	if (!term || !*term)
		return err_set(err, "the full screen needs TERM, which is not set");
	if (setupterm(term, STDOUT_FILENO, &why) != OK)
		return err_set(err,
			       "the full screen: terminfo does not know the terminal '%s' (TERM); "
			       "try xterm, screen, tmux or linux",
			       term);
	able = tigetstr("cup") > (char *)0 && tigetstr("clear") > (char *)0;
	del_curterm(cur_term); /* newterm makes its own */
	if (!able)
		return err_set(err,
			       "the full screen: a terminal '%s' (TERM) cannot place its cursor; "
			       "xterm, screen, tmux or linux can",
			       term);
	return 0;
}

static void set_style(struct screen *sc, enum screen_style style, attr_t attr, int fg)
{
	sc->attr[style] = attr;
	sc->pair[style] = sc->colours && fg >= 0 ? alloc_pair(fg, -1) : 0;
}

static void set_styles(struct screen *sc)
{
	set_style(sc, STYLE_NORMAL, A_NORMAL, -1);
	set_style(sc, STYLE_DIM, A_DIM, -1);
	set_style(sc, STYLE_BOLD, A_BOLD, -1);
	set_style(sc, STYLE_HERE, A_BOLD, COLOR_GREEN);
	set_style(sc, STYLE_BAD, A_BOLD, COLOR_RED);
	set_style(sc, STYLE_GOOD, A_NORMAL, COLOR_GREEN);
	set_style(sc, STYLE_POINT, A_NORMAL, COLOR_CYAN);
	set_style(sc, STYLE_RANKS, A_NORMAL, COLOR_YELLOW);
	set_style(sc, STYLE_TITLE, A_DIM, -1);
	set_style(sc, STYLE_FOCUS, A_BOLD, -1);
	set_style(sc, STYLE_BAR, A_REVERSE, -1);
}

static void set_up(struct screen *sc)
{
	const char *plain = getenv("NO_COLOR");

	cbreak(); /* the keys that make signals do so */
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	if (has_colors() && !(plain && *plain)) {
		start_color();
		use_default_colors();
		sc->colours = COLORS < 8 ? 0 : COLORS;
		sc->direct = tigetflag("RGB") > 0;
	}
	/* All, for one that is not wanted makes ncurses hold back what comes behind it. */
	mousemask(ALL_MOUSE_EVENTS, NULL);
	mouseinterval(0);
	signal(SIGTSTP, SIG_DFL); /* ncurses has put its own there; ours comes from the loop */
	set_styles(sc);
}

struct screen *screen_open(struct err *err)
{
	struct screen *sc;

	if (check_term(err))
		return NULL;
	sc = xcalloc(1, sizeof(*sc));
	setlocale(LC_CTYPE, "");
	sc->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	sc->cursor_y = -1;
	tcgetattr(STDIN_FILENO, &rescue.modes);
	sc->term = newterm(NULL, stdout, stdin);
	if (!sc->term) {
		free(sc);
		err_set(err, "the full screen: the terminal cannot be set up");
		return NULL;
	}
	arm_rescue();
	set_up(sc);
	return sc;
}

/* A terminal that has no second screen is left empty. */
static void leave(void)
{
	if (isendwin())
		return;
	if (tigetstr("rmcup") <= (char *)0) {
		erase();
		refresh();
	}
	endwin();
}

void screen_close(struct screen *sc)
{
	if (!sc)
		return;
	leave();
	delscreen(sc->term);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &rescue.modes);
	disarm_rescue();
	free(sc);
}

void screen_leave(struct screen *sc)
{
	leave();
	tcsetattr(STDIN_FILENO, TCSADRAIN, &rescue.modes);
	rescue.armed = false;
}

void screen_return(struct screen *sc)
{
	rescue.armed = true;
	reset_prog_mode();
	screen_resized(sc);
	clearok(stdscr, TRUE);
	refresh();
}

int screen_rows(const struct screen *sc)
{
	return LINES;
}

int screen_columns(const struct screen *sc)
{
	return COLS;
}

void screen_resized(struct screen *sc)
{
	struct winsize w;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_row && w.ws_col)
		resizeterm(w.ws_row, w.ws_col);
	clearok(stdscr, TRUE);
}

void screen_redraw(struct screen *sc)
{
	clearok(stdscr, TRUE);
}

void screen_clear(struct screen *sc)
{
	erase();
}

static void put_cell(const struct screen *sc, int y, int x, const wchar_t *glyph, int style)
{
	int pair = sc->pair[style & 0xff];
	attr_t attr = sc->attr[style & 0xff];
	cchar_t cell;

	if (style & STYLE_CURSOR)
		attr = (attr & ~(attr_t)A_DIM) | A_REVERSE;
	if (style & STYLE_FOUND)
		attr |= A_BOLD | A_UNDERLINE;
	setcchar(&cell, glyph, attr, 0, &pair);
	mvadd_wch(y, x, &cell);
}

void screen_text(struct screen *sc, int y, int x, int columns, int style, int skip,
		 const char *text)
{
	int at = -skip, flags = style & ~0xff;

	while (*text && at < columns) {
		struct glyph g = glyph_next(&text, sc->utf8, at + skip);

		if (g.style >= 0) {
			style = flags | g.style;
			continue;
		}
		for (int i = 0; i < g.repeat; i++, at += g.width)
			if (at >= 0 && at + g.width <= columns)
				put_cell(sc, y, x + at, g.text, style);
	}
	for (at = at < 0 ? 0 : at; at < columns; at++)
		put_cell(sc, y, x + at, L" ",
			 flags | ((style & 0xff) == STYLE_BAR ? STYLE_BAR : 0));
}

void screen_fill(struct screen *sc, int y, int x, int columns, int style, const char *with)
{
	struct glyph g = glyph_next(&with, sc->utf8, 0);

	for (int i = 0; i < columns; i++)
		put_cell(sc, y, x + i, g.text, style);
}

bool screen_has_halves(const struct screen *sc)
{
	return sc->utf8 && sc->colours >= 256;
}

/* The number of the colour that is nearest, of the terminal's. */
static int nearest(const struct screen *sc, uint32_t rgb)
{
	int r = rgb >> 16 & 0xff, g = rgb >> 8 & 0xff, b = rgb & 0xff;

	if (sc->direct)
		return rgb < 8 ? 8 : (int)rgb; /* below 8 are names */
	return 16 + 36 * ((r * 5 + 127) / 255) + 6 * ((g * 5 + 127) / 255) + (b * 5 + 127) / 255;
}

/* 0 … 255, as eyes see it. */
static int brightness(uint32_t rgb)
{
	return (int)((299 * (rgb >> 16 & 0xff) + 587 * (rgb >> 8 & 0xff) + 114 * (rgb & 0xff)) /
		     1000);
}

void screen_half(struct screen *sc, int y, int x, uint32_t upper, uint32_t lower)
{
	static const wchar_t ramp[] = L" .:-=+*#%@";
	wchar_t glyph[2] = { 0 };
	int pair = 0;
	cchar_t cell;

	if (screen_has_halves(sc)) {
		glyph[0] = 0x2580;
		pair = alloc_pair(nearest(sc, upper), nearest(sc, lower));
	} else {
		int n = (int)(sizeof(ramp) / sizeof(ramp[0])) - 1;

		glyph[0] = ramp[(brightness(upper) + brightness(lower)) * n / 512];
	}
	setcchar(&cell, glyph, A_NORMAL, 0, &pair);
	mvadd_wch(y, x, &cell);
}

bool screen_has_colours(const struct screen *sc)
{
	return sc->colours;
}

void screen_tint(struct screen *sc, int y, int x, int columns, int style, uint32_t rgb,
		 unsigned nth)
{
	int pair;

	if (!sc->colours || columns <= 0)
		return;
	pair = alloc_pair(sc->colours < 256 ? (int)(1 + nth % 6) : nearest(sc, rgb), -1);
	mvchgat(y, x, columns, style & STYLE_CURSOR ? A_REVERSE : A_NORMAL, (short)pair, &pair);
}

void screen_cursor(struct screen *sc, int y, int x)
{
	sc->cursor_y = y;
	sc->cursor_x = x;
}

void screen_show(struct screen *sc)
{
	curs_set(sc->cursor_y >= 0);
	if (sc->cursor_y >= 0)
		move(sc->cursor_y, sc->cursor_x);
	refresh();
}

static const struct {
	int theirs, ours;
} keys[] = {
	{ KEY_UP, SCREEN_UP },	      { KEY_DOWN, SCREEN_DOWN },
	{ KEY_LEFT, SCREEN_LEFT },    { KEY_RIGHT, SCREEN_RIGHT },
	{ KEY_PPAGE, SCREEN_PGUP },   { KEY_NPAGE, SCREEN_PGDN },
	{ KEY_HOME, SCREEN_HOME },    { KEY_END, SCREEN_END },
	{ KEY_DC, SCREEN_DELETE },    { KEY_BACKSPACE, SCREEN_BACKSPACE },
	{ KEY_BTAB, SCREEN_BACKTAB }, { KEY_F(1), SCREEN_F1 },
	{ KEY_ENTER, '\r' },
};

#define CLICKS (BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED)

/* One of those that came together, the newest that means something; the others are forgotten. */
static int mouse_key(struct screen *sc)
{
	int code = SCREEN_OTHER;
	MEVENT e;

	while (getmouse(&e) == OK) {
		if (code != SCREEN_OTHER)
			continue;
		sc->mouse_y = e.y;
		sc->mouse_x = e.x;
		if (e.bstate & BUTTON4_PRESSED)
			code = SCREEN_WHEEL_UP;
		else if (e.bstate & BUTTON5_PRESSED)
			code = SCREEN_WHEEL_DOWN;
		else if (e.bstate & CLICKS)
			code = SCREEN_CLICK;
	}
	return code;
}

int screen_key(struct screen *sc)
{
	wint_t c;
	int rc = get_wch(&c);

	if (rc == ERR)
		return SCREEN_NONE;
	if (rc == OK)
		return (int)c;
	if (c == KEY_MOUSE)
		return mouse_key(sc);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if ((int)c == keys[i].theirs)
			return keys[i].ours;
	return SCREEN_OTHER;
}

void screen_mouse(const struct screen *sc, int *y, int *x)
{
	*y = sc->mouse_y;
	*x = sc->mouse_x;
}
