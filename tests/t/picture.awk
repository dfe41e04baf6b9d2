# SPDX-License-Identifier: GPL-3.0-or-later
# A captured screen (tmux capture-pane -e) as a picture (SVG): LC_ALL=C awk -v columns=N -f picture.awk. Bytes are
# read, so that every awk does; blocks of half a cell become areas, all else is text.

BEGIN {
	for (i = 1; i < 256; i++)
		code_of[sprintf("%c", i)] = i
	# The sixteen, quiet on a dark ground
	split("#1d2021 #e5534b #57ab5a #c69026 #539bf5 #b083f0 #39c5cf #adbac7 " \
	      "#768390 #ff938a #6bc46d #daaa3f #6cb6ff #dcbdfb #56d4dd #ffffff", named, " ")
	ground = named[1]
	ink = named[8]
	wide = 8.4
	high = 17
}

function clear() { bold = dim = line = inverse = 0; fg = bg = "" }

function hex(r, g, b) { return sprintf("#%02x%02x%02x", r, g, b) }
function level(n) { return n ? 55 + 40 * n : 0 }
# A colour of 256.
function indexed(n)
{
	if (n < 16)
		return named[n + 1]
	if (n >= 232)
		return hex(8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232))
	n -= 16
	return hex(level(int(n / 36)), level(int(n / 6) % 6), level(n % 6))
}

function take(code, n, part, i, colour)
{
	n = split(code == "" ? "0" : code, part, ";")
	for (i = 1; i <= n; i++) {
		if (part[i] == 0) clear()
		else if (part[i] == 1) bold = 1
		else if (part[i] == 2) dim = 1
		else if (part[i] == 4) line = 1
		else if (part[i] == 7) inverse = 1
		else if (part[i] == 39) fg = ""
		else if (part[i] == 49) bg = ""
		else if (part[i] >= 30 && part[i] <= 37) fg = named[part[i] - 29]
		else if (part[i] >= 40 && part[i] <= 47) bg = named[part[i] - 39]
		else if (part[i] >= 90 && part[i] <= 97) fg = named[part[i] - 81]
		else if (part[i] >= 100 && part[i] <= 107) bg = named[part[i] - 91]
		else if (part[i] == 38 || part[i] == 48) {
			colour = part[i + 1] == 5 ? indexed(part[i + 2]) : hex(part[i + 2], part[i + 3], part[i + 4])
			if (part[i] == 38) fg = colour
			else bg = colour
			i += part[i + 1] == 5 ? 2 : 4
		}
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

function area(x, y, n, height, colour)
{
	body = body sprintf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", \
		x * wide, y, n * wide, height, colour)
}

# What has been gathered since column `from`: its ground, then its text.
function flush(top, plain)
{
	top = (NR - 1) * high
	if (run_bg != ground && at > from)
		area(from, top, at - from, high, run_bg)
	if (halves && run_fg != run_bg)
		area(from, top, at - from, high / 2, run_fg)
	plain = run
	gsub(/ /, "", plain)
	if (!halves && plain != "")
		body = body sprintf("<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" fill=\"%s\"%s>%s</text>\n", \
			from * wide, top + 13, (at - from) * wide, run_fg, run_more, run)
	run = ""
	from = at
}

{
	rest = $0
	at = from = halves = 0
	run = run_fg = run_bg = run_more = ""
	while (rest != "") {
		while (match(rest, /^\033\[[0-9;]*m/)) {
			code = substr(rest, 3, RLENGTH - 3)
			rest = substr(rest, RLENGTH + 1)
			take(code)
		}
		if (rest == "")
			break
		c = next_char()
		now_fg = fg == "" ? ink : fg
		now_bg = bg == "" ? ground : bg
		if (inverse) {
			swap = now_fg
			now_fg = now_bg
			now_bg = swap
		}
		more = (bold ? " font-weight=\"bold\"" : "") (dim ? " opacity=\"0.6\"" : "") \
			(line ? " text-decoration=\"underline\"" : "")
		half = c == "\342\226\200"
		if (now_fg != run_fg || now_bg != run_bg || more != run_more || half != halves) {
			flush()
			run_fg = now_fg
			run_bg = now_bg
			run_more = more
			halves = half
		}
		run = run (c == "&" ? "&amp;" : c == "<" ? "&lt;" : c == ">" ? "&gt;" : c)
		at++
	}
	flush()
}

END {
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-8 -8 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n", \
		columns * wide + 16, NR * high + 16, columns * wide + 16, NR * high + 16
	printf "<rect x=\"-8\" y=\"-8\" width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", ground
	print "<g shape-rendering=\"crispEdges\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">"
	printf "%s</g>\n</svg>\n", body
}
