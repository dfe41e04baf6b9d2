# SPDX-License-Identifier: GPL-3.0-or-later
# A captured screen as text, with other words for what is not always the same: LC_ALL=C awk -f cells.awk
# -f colours.awk. -v loose=1: columns before a time may have any width. -v looks=1: below the text, how it looks: a
# letter for each cell, and what they mean. A row with ▀ has two rows there, of the upper colours and the lower.

BEGIN {
	split("black red green yellow blue magenta cyan white", name, " ")
	known["bold"] = "B"; known["dim"] = "D"; known["inverse"] = "I"
	known["bold green"] = "H"; known["bold red"] = "R"
	known["green"] = "G"; known["cyan"] = "C"; known["yellow"] = "Y"
	others = "AEFJKLMNOPQSTUVWXZ+*%&$@!?=~<>"
	halves = "abcdefghijklmnopqrstuvwxyz0123456789"
}

function name_of(c) { return c == "" || c > 7 ? c : name[c + 1] }

# As a blank what can be seen of it.
function look_of(blank, s)
{
	s = (inverse ? " inverse" : "") (line ? " underlined" : "") (bg != "" ? " on " name_of(bg) : "")
	if (!blank)
		s = s (bold ? " bold" : "") (dim ? " dim" : "") (fg != "" ? " " name_of(fg) : "")
	return substr(s, 2)
}

function begin_row() { n = 0; bare = "" }

function cell(c)
{
	char[++n] = c
	look[n] = look_of(c == " ")
	ground[n] = look_of(1)
	if (c == "\342\226\200") { # ▀
		look[n] = "\1" fg
		ground[n] = bg
	}
	bare = bare (c == "\342\200\246" ? "\1" : length(c) > 1 ? "?" : c) # … is 1
}

function blanks(len, s)
{
	while (len-- > 0)
		s = s " "
	return s
}

function copy(from, to)
{
	char[to] = char[from]
	look[to] = look[from]
	ground[to] = ground[from]
}

# What stands from cell `at` on moves to the right, or to the left; the row stays as wide as the screen.
function move(at, by, i)
{
	if (by > 0) {
		for (i = n; i >= at; i--)
			copy(i, i + by)
		n = n + by < width ? n + by : width
	} else {
		for (i = at; i <= n; i++)
			copy(i, i + by)
		for (i = n + by + 1; i <= n; i++) {
			char[i] = " "
			look[i] = ground[i]
		}
	}
}

# A part of the row becomes a word, at its right end; with `shift` the part becomes as long as the word.
function mask(at, len, word, shift, i, end)
{
	end = look[at + len - 1]
	if (shift) {
		move(at + len, length(word) - len)
		bare = substr(bare, 1, at - 1) blanks(length(word)) substr(bare, at + len)
		len = length(word)
	}
	for (i = 0; i < len; i++) {
		char[at + i] = i < len - length(word) ? " " : substr(word, i + 1 - len + length(word), 1)
		look[at + i] = char[at + i] == " " ? ground[at + i] : end
	}
	bare = substr(bare, 1, at + len - 1 - length(word)) word substr(bare, at + len)
}

function mask_luck()
{
	# sums that are zero but for rounding
	if (match(bare, / (0|-?[0-9][0-9.]*e-[12][0-9]) != /))
		mask(RSTART + 1, RLENGTH - 5, "TINY", 1)
	# the time of a point; what a program took
	if (loose && match(bare, / +[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9] s/))
		mask(RSTART, RLENGTH - 2, "  TIME", 1)
	while (match(bare, /[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9] s/))
		mask(RSTART, RLENGTH - 2, "TIME", 0)
	if (match(bare, /[0-9]+\.[0-9][0-9][0-9] s/))
		mask(RSTART, RLENGTH - 2, "TIME", 1)
	if (match(bare, /[0-2][0-9]:[0-5][0-9]:[0-5][0-9]/))
		mask(RSTART, RLENGTH, "hh:mm:ss", 0)
}

function letter(what)
{
	if (what == "")
		return " "
	if (!(what in used)) {
		used[what] = what in known ? known[what] : substr(others, ++nused, 1)
		legend = legend (legend ? ", " : "") used[what] " " what
	}
	return used[what]
}

function half(colour)
{
	if (colour == "")
		colour = "default"
	if (!(colour in shown))
		shown[colour] = ""
	return colour
}

function put_row(i, last)
{
	for (i = 1; i <= n; i++)
		if (char[i] != " ")
			last = i
	for (i = 1; i <= last; i++)
		printf "%s", char[i]
	print ""
}

# Cells of rows with halves are kept until all their colours are known.
function keep_looks(i)
{
	nrow++
	two[nrow] = 0
	cells[nrow] = n
	for (i = 1; i <= n; i++) {
		if (substr(look[i], 1, 1) == "\1") {
			two[nrow] = 1
			upper[nrow, i] = "\1" half(substr(look[i], 2))
			lower[nrow, i] = "\1" half(ground[i])
		} else {
			upper[nrow, i] = letter(look[i])
			lower[nrow, i] = " "
		}
	}
}

function end_row()
{
	width = n > width ? n : width # all of the first row is the bar
	mask_luck()
	put_row()
	if (looks)
		keep_looks()
}

# 0 … 255, of the colours 16 … 231 of a terminal.
function level(x) { return x ? 55 + 40 * x : 0 }
function brightness(c)
{
	c -= 16
	return 0.299 * level(int(c / 36)) + 0.587 * level(int(c / 6) % 6) + 0.114 * level(c % 6)
}

# Letters from dark to bright, so that the picture can be read.
function name_halves(c, best, count)
{
	for (;; count++) {
		best = ""
		for (c in shown)
			if (shown[c] == "" && (best == "" || brightness(c) < brightness(best) ||
			    (brightness(c) == brightness(best) && c + 0 < best + 0)))
				best = c
		if (best == "")
			return
		shown[best] = substr(halves, count + 1, 1)
		bright = bright (count ? ", " : "") shown[best] " " best
	}
}

function put_looks(row, which, i, c, out)
{
	for (i = 1; i <= cells[row]; i++) {
		c = which ? lower[row, i] : upper[row, i]
		out = out (substr(c, 1, 1) == "\1" ? shown[substr(c, 2)] : c)
	}
	sub(/ +$/, "", out)
	print out
}

END {
	if (!looks)
		exit
	name_halves()
	print "~~~"
	for (row = 1; row <= nrow; row++) {
		put_looks(row, 0)
		if (two[row])
			put_looks(row, 1)
	}
	print "~~~ " legend
	if (bright != "")
		print "~~~ ▀ " bright
}
