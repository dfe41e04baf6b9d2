# SPDX-License-Identifier: GPL-3.0-or-later
# The cells of a captured screen (tmux capture-pane -e): LC_ALL=C awk -f cells.awk -f WHAT.awk. Bytes are read, so
# that every awk does. WHAT.awk has begin_row(), cell(c) for each character, and end_row(). How a cell looks is
# then in bold, dim, line, inverse, and fg and bg: "" as the terminal has it, 0 to 255, or "#rrggbb".

BEGIN {
	for (i = 1; i < 256; i++)
		code_of[sprintf("%c", i)] = i
	clear()
}

function clear() { bold = dim = line = inverse = 0; fg = bg = "" }

# The colour that begins with part i; i goes to its end.
function number(part)
{
	if (part[i + 1] == 5) {
		i += 2
		return part[i] + 0
	}
	i += 4
	return sprintf("#%02x%02x%02x", part[i - 2], part[i - 1], part[i])
}

function take(code, n, part)
{
	n = split(code == "" ? "0" : code, part, ";")
	for (i = 1; i <= n; i++) {
		if (part[i] == 0) clear()
		else if (part[i] == 1) bold = 1
		else if (part[i] == 2) dim = 1
		else if (part[i] == 4) line = 1
		else if (part[i] == 7) inverse = 1
		else if (part[i] == 38) fg = number(part)
		else if (part[i] == 39) fg = ""
		else if (part[i] == 48) bg = number(part)
		else if (part[i] == 49) bg = ""
		else if (part[i] >= 30 && part[i] <= 37) fg = part[i] - 30
		else if (part[i] >= 40 && part[i] <= 47) bg = part[i] - 40
		else if (part[i] >= 90 && part[i] <= 97) fg = part[i] - 82
		else if (part[i] >= 100 && part[i] <= 107) bg = part[i] - 92
	}
}

# The next character of `rest`, of one byte or more.
function next_char(c, first, n)
{
	first = code_of[substr(rest, 1, 1)]
	n = first < 192 ? 1 : first < 224 ? 2 : first < 240 ? 3 : 4
	c = substr(rest, 1, n)
	rest = substr(rest, n + 1)
	return c
}

# The escape sequence of so many bytes that `rest` begins with.
function escape(len)
{
	take(substr(rest, 3, len - 3))
	rest = substr(rest, len + 1)
}

{
	begin_row()
	for (rest = $0; rest != "";) {
		if (match(rest, /^\033\[[0-9;]*m/))
			escape(RLENGTH)
		else
			cell(next_char())
	}
	end_row()
}
