/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/core/core.h"

#include <stdbool.h>
#include <string.h>

#include "frontend/tui/screen/screen.h"

/* clang-format off */
const struct key key_table[] = {
	{ NULL, NULL, 0, NULL, "The program" },
	{ "c", NULL, 0, "cont", "go on to the next actionpoint" },
	{ "s", NULL, 0, "step", "to the next numbered point" },
	{ "o", NULL, 0, "step -over", "over a region of tasks" },
	{ "i", NULL, 0, "step -iter", "to the next iteration of the sequential loop" },
	{ "f", NULL, 0, "step -finish", "to the end of the innermost construct" },
	{ "C-c", NULL, 0, "halt", "stop what runs, or give up what is waited for" },
	{ "r", NULL, 0, "rerun", "start the program again" },
	{ "u", NULL, 0, "up", "to the frame further out" },
	{ "d", NULL, 0, "down", "to the frame further in" },

	{ NULL, NULL, 0, NULL, "Command line" },
	{ ":", NULL, KEY_ACT_COMMAND, NULL, "type a command; Tab completes, arrows go through the history" },
	{ "p", NULL, KEY_ACT_TYPE, "print ", "type a command that begins with print" },
	{ "F", NULL, KEY_ACT_TYPE, "focus ", "type a command that begins with focus" },
	{ "q C-x,a", NULL, 0, "tui", "back to the prompt; the program stays as it is" },
	{ "Q", NULL, 0, "quit", "end the session" },

	{ NULL, NULL, 0, NULL, "In every view" },
	{ "j Down", NULL, KEY_ACT_DOWN, NULL, "a row down" },
	{ "k Up", NULL, KEY_ACT_UP, NULL, "a row up" },
	{ "h Left", NULL, KEY_ACT_LEFT, NULL, "to the left" },
	{ "l Right", NULL, KEY_ACT_RIGHT, NULL, "to the right" },
	{ "C-f C-d PgDn", NULL, KEY_ACT_PAGE_DOWN, NULL, "a page down" },
	{ "C-b C-u PgUp", NULL, KEY_ACT_PAGE_UP, NULL, "a page up" },
	{ "g Home", NULL, KEY_ACT_TOP, NULL, "to the first row" },
	{ "G End", NULL, KEY_ACT_END, NULL, "to the last row" },
	{ "/", NULL, KEY_ACT_SEARCH, NULL, "search for a pattern (PCRE2)" },
	{ "n", NULL, KEY_ACT_NEXT, NULL, "the next row that matches the pattern" },
	{ "N", NULL, KEY_ACT_PREVIOUS, NULL, "the one before" },
	{ "S", NULL, KEY_ACT_SIDE, NULL, "show the other one of two runs side by side" },

	{ NULL, NULL, 0, NULL, "Source" },
	{ "b", "source", KEY_ACT_BREAK, "break, delete", "set an actionpoint in this line, or delete it" },
	{ "e", "source", KEY_ACT_ENABLE, "enable, disable", "switch the actionpoint of this line on and off" },
	{ ".", "source", KEY_ACT_HERE, "list $EXEC", "to where the ranks are" },

	{ NULL, NULL, 0, NULL, "Stack" },
	{ "Enter", "stack", KEY_ACT_OPEN, "up, down", "choose the frame: the source shows it" },
	{ "Space", "stack", KEY_ACT_FOLD, NULL, "fold or unfold the groups of ranks in the frame" },
	{ "z", "stack", KEY_ACT_FOLD_ALL, NULL, "fold or unfold all" },

	{ NULL, NULL, 0, NULL, "Points" },
	{ "Enter", "points", KEY_ACT_OPEN, "list", "show the point's place in the source" },
	{ "b", "points", KEY_ACT_BREAK, "break, delete", "set an actionpoint at this point, or delete it" },
	{ "s", "points", KEY_ACT_START, "start", "checksums begin at this point in the next run; again: from the start" },
	{ "f", "points", KEY_ACT_FINISH, "finish", "the last point with checksums in the next run; again: to the end" },
	{ "x", "points", KEY_ACT_STOP_ON, "set STOP_ON", "switch stopping where checksums differ on and off" },
	{ "]", "points", KEY_ACT_FINDING_NEXT, NULL, "to the next point with a finding" },
	{ "[", "points", KEY_ACT_FINDING_PREVIOUS, NULL, "to the one before" },
	{ "Space", "points", KEY_ACT_NONE, "step", "to the next numbered point, as s does elsewhere" },

	{ NULL, NULL, 0, NULL, "Findings" },
	{ "Enter", "findings", KEY_ACT_OPEN, "list", "show the finding's place in the source, and its point" },
	{ "t", "findings", KEY_ACT_KIND, NULL, "show only one kind; again: the next, then all" },
	{ "m", "findings", KEY_ACT_RANK, NULL, "show only one rank; again: the next, then all" },

	{ NULL, NULL, 0, NULL, "Ranks" },
	{ "Enter", "ranks", KEY_ACT_OPEN, "focus", "make the group the current set, or all again" },

	{ NULL, NULL, 0, NULL, "Values" },
	{ "Enter", "values", KEY_ACT_OPEN, "tui array", "show the object, when it is an array" },

	{ NULL, NULL, 0, NULL, "Array" },
	{ "Enter", "array", KEY_ACT_OPEN, "tui array, assign", "choose the array of the list; change the element: its value is in the line" },
	{ "A", "array", KEY_ACT_ARRAYS, "tui array", "choose another array" },
	{ "J", "array", KEY_ACT_JUMP, "tui array", "type an element to go to, or a section" },
	{ "H", "array", KEY_ACT_PAGE_LEFT, NULL, "a page to the left" },
	{ "L", "array", KEY_ACT_PAGE_RIGHT, NULL, "a page to the right" },
	{ "^", "array", KEY_ACT_FIRST_COLUMN, NULL, "to the first column" },
	{ "$", "array", KEY_ACT_LAST_COLUMN, NULL, "to the last column" },
	{ "y", "array", KEY_ACT_TURN_ROWS, NULL, "another dimension goes down" },
	{ "x", "array", KEY_ACT_TURN_COLUMNS, NULL, "another dimension goes to the right" },
	{ "t", "array", KEY_ACT_SWAP, NULL, "rows become columns" },
	{ "w", "array", KEY_ACT_SLIDER, NULL, "the next slider: a dimension that is not shown" },
	{ "]", "array", KEY_ACT_SLIDE_UP, NULL, "the slider's next index" },
	{ "[", "array", KEY_ACT_SLIDE_DOWN, NULL, "the one before" },
	{ "}", "array", KEY_ACT_SLIDE_FAR_UP, NULL, "ten further" },
	{ "{", "array", KEY_ACT_SLIDE_FAR_DOWN, NULL, "ten back" },
	{ "e", "array", KEY_ACT_FORM, NULL, "numbers: general, fixed, with exponent, in full, bits" },
	{ ")", "array", KEY_ACT_DIGITS_MORE, NULL, "a digit more" },
	{ "(", "array", KEY_ACT_DIGITS_FEWER, NULL, "a digit less" },
	{ "v", "array", KEY_ACT_AS_MAP, NULL, "table or heat map" },
	{ "a", "array", KEY_ACT_SHOW, NULL, "a cell of the map is the mean, max, min, or largest magnitude" },
	{ "z", "array", KEY_ACT_SCALE, NULL, "its scale: linear, log, diverging around 0" },
	{ ">", "array", KEY_ACT_NEARER, NULL, "nearer, around the cursor" },
	{ "<", "array", KEY_ACT_FURTHER, NULL, "further away" },
	{ "=", "array", KEY_ACT_WHOLE, NULL, "all of the plane" },
	{ "M", "array", KEY_ACT_MOST, NULL, "to the largest element" },
	{ "m", "array", KEY_ACT_LEAST, NULL, "to the smallest" },
	{ "!", "array", KEY_ACT_NAN, NULL, "to the next NaN" },
	{ ".", "array", KEY_ACT_FINDING_NEXT, NULL, "to the next difference from the reference" },
	{ ",", "array", KEY_ACT_FINDING_PREVIOUS, NULL, "to the one before" },
	{ "R", "array", KEY_ACT_OWNERS, NULL, "colours of the ranks that own the elements" },
	{ "B", "array", KEY_ACT_BLOCK, NULL, "a rank's block with its halo; again: the next rank, then all" },
	{ "T", "array", KEY_ACT_STAT, NULL, "statistics of what is shown, of all, or none" },
	{ "W", "array", KEY_ACT_SAVE, "save, heatmap", "type the line that saves what is shown: numbers to .npy or .txt, a map to .png too" },
	{ "D", "array", KEY_ACT_DIFF, "tui diff", "where it differs from the reference" },

	{ NULL, NULL, 0, NULL, "Diff" },
	{ "Enter", "diff", KEY_ACT_OPEN, "tui diff", "choose the array; the element of the cursor in the array view" },
	{ "A", "diff", KEY_ACT_ARRAYS, "tui diff", "choose another array" },
	{ "J", "diff", KEY_ACT_JUMP, "tui diff", "type an element to go to" },
	{ "]", "diff", KEY_ACT_FINDING_NEXT, NULL, "to the next difference" },
	{ "[", "diff", KEY_ACT_FINDING_PREVIOUS, NULL, "to the one before" },
	{ "M", "diff", KEY_ACT_MOST, NULL, "to the largest" },
	{ ")", "diff", KEY_ACT_TOLERANCE_UP, NULL, "ten times the tolerance" },
	{ "(", "diff", KEY_ACT_TOLERANCE_DOWN, NULL, "a tenth of it" },
	{ "e", "diff", KEY_ACT_EXACT, NULL, "tolerance of the block, of the values, absolute, or none" },
	{ "y", "diff", KEY_ACT_TURN_ROWS, NULL, "another dimension goes down" },
	{ "x", "diff", KEY_ACT_TURN_COLUMNS, NULL, "another dimension goes to the right" },
	{ "t", "diff", KEY_ACT_SWAP, NULL, "rows become columns" },
	{ "W", "diff", KEY_ACT_SAVE, "diff", "type the line that writes the map: to .png, its numbers to .npy or .txt" },

	{ NULL, NULL, 0, NULL, "Timeline" },
	{ "Enter", "timeline", KEY_ACT_OPEN, "list", "show the place of the call in the source" },
	{ ">", "timeline", KEY_ACT_NEARER, NULL, "half the time, around the cursor" },
	{ "<", "timeline", KEY_ACT_FURTHER, NULL, "twice the time" },
	{ "=", "timeline", KEY_ACT_WHOLE, NULL, "all of the time" },
	{ "]", "timeline", KEY_ACT_FINDING_NEXT, NULL, "to the next call of the rank" },
	{ "[", "timeline", KEY_ACT_FINDING_PREVIOUS, NULL, "to the one before" },
	{ "H", "timeline", KEY_ACT_PAGE_LEFT, NULL, "a page to the left" },
	{ "L", "timeline", KEY_ACT_PAGE_RIGHT, NULL, "a page to the right" },
	{ "^", "timeline", KEY_ACT_FIRST_COLUMN, NULL, "to the first call" },
	{ "$", "timeline", KEY_ACT_LAST_COLUMN, NULL, "to the last" },

	{ NULL, NULL, 0, NULL, "Views" },
	{ "1", NULL, KEY_ACT_VIEW, "source", "to the view, or show it here" },
	{ "2", NULL, KEY_ACT_VIEW, "stack", "" },
	{ "3", NULL, KEY_ACT_VIEW, "points", "" },
	{ "4", NULL, KEY_ACT_VIEW, "findings", "" },
	{ "5", NULL, KEY_ACT_VIEW, "ranks", "" },
	{ "6", NULL, KEY_ACT_VIEW, "values", "" },
	{ "7", NULL, KEY_ACT_VIEW, "output", "" },
	{ "8", NULL, KEY_ACT_VIEW, "log", "" },
	{ "9", NULL, KEY_ACT_VIEW, "array", "" },
	{ "0", NULL, KEY_ACT_VIEW, "diff", "" },
	{ "C-t", NULL, KEY_ACT_VIEW, "timeline", "" },
	{ "Tab", NULL, KEY_ACT_PANE_NEXT, NULL, "to the next view of the layout" },
	{ "S-Tab", NULL, KEY_ACT_PANE_PREVIOUS, NULL, "to the one before" },
	{ "C-w,o C-w,z", NULL, KEY_ACT_ZOOM, NULL, "this view alone, or with the others again" },
	{ "C-w,s", NULL, KEY_ACT_SPLIT, NULL, "another view below" },
	{ "C-w,v", NULL, KEY_ACT_SPLIT_RIGHT, NULL, "another view to the right" },
	{ "C-w,c", NULL, KEY_ACT_CLOSE, NULL, "remove this view from the layout" },
	{ "+", NULL, KEY_ACT_TALLER, NULL, "more rows for this view" },
	{ "-", NULL, KEY_ACT_LOWER, NULL, "fewer rows" },
	{ "C-l", NULL, KEY_ACT_REDRAW, NULL, "draw the screen again" },
	{ "? F1", NULL, KEY_ACT_HELP, NULL, "this list; the same key goes back" },
	{ NULL, NULL, 0, NULL, NULL },
};
/* clang-format on */

static const struct {
	const char *name;
	int code;
} named[] = {
	{ "Up", SCREEN_UP },	   { "Down", SCREEN_DOWN },	{ "Left", SCREEN_LEFT },
	{ "Right", SCREEN_RIGHT }, { "PgUp", SCREEN_PGUP },	{ "PgDn", SCREEN_PGDN },
	{ "Home", SCREEN_HOME },   { "End", SCREEN_END },	{ "Enter", '\r' },
	{ "Tab", '\t' },	   { "S-Tab", SCREEN_BACKTAB }, { "Space", ' ' },
	{ "F1", SCREEN_F1 },
};

/* The code of a key's name of len bytes. */
static int code_of(const char *name, size_t len)
{
	if (len == 1)
		return (unsigned char)*name;
	if (len == 3 && !strncmp(name, "C-", 2))
		return name[2] & 0x1f;
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (strlen(named[i].name) == len && !strncmp(named[i].name, name, len))
			return named[i].code;
	return SCREEN_NONE;
}

/* Calls fn for each of an entry's keys until it says true; first 0 for keys of one. */
static bool any_key(const struct key *k, bool (*fn)(int first, int code, const int want[2]),
		    const int want[2])
{
	for (const char *p = k->keys; p && *p; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");
		const char *comma = len > 1 ? memchr(p, ',', len) : NULL;
		int first = comma ? code_of(p, (size_t)(comma - p)) : 0;
		const char *last = comma ? comma + 1 : p;

		if (fn(first, code_of(last, (size_t)(p + len - last)), want))
			return true;
		p += len;
	}
	return false;
}

static bool is_both(int first, int code, const int want[2])
{
	return first == want[0] && code == want[1];
}

static bool is_first(int first, int code, const int want[2])
{
	return first && first == want[0];
}

const struct key *key_find(int first, int code, const char *view)
{
	const int want[2] = { first, code == '\n' ? '\r' : code };
	const struct key *found = NULL;

	for (const struct key *k = key_table; k->help; k++) {
		if (!k->keys || !any_key(k, is_both, want))
			continue;
		if (k->view && !strcmp(k->view, view))
			return k;
		if (!k->view)
			found = k;
	}
	return found;
}

int key_begins(int code)
{
	const int want[2] = { code, 0 };

	for (const struct key *k = key_table; k->help; k++)
		if (k->keys && any_key(k, is_first, want))
			return true;
	return false;
}
