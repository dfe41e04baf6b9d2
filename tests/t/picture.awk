# SPDX-License-Identifier: GPL-3.0-or-later
# A captured screen as a picture (SVG): LC_ALL=C awk -v columns=N -f cells.awk -f picture.awk. Blocks of half a
# cell become areas, all else is text.

BEGIN {
	# The sixteen, quiet on a dark ground
	split("#1d2021 #e5534b #57ab5a #c69026 #539bf5 #b083f0 #39c5cf #adbac7 " \
	      "#768390 #ff938a #6bc46d #daaa3f #6cb6ff #dcbdfb #56d4dd #ffffff", named, " ")
	ground = named[1]
	ink = named[8]
	wide = 8.4
	high = 17
}

function hex(r, g, b) { return sprintf("#%02x%02x%02x", r, g, b) }
function level(n) { return n ? 55 + 40 * n : 0 }
function rgb(n)
{
	if (n ~ /^#/)
		return n
	if (n < 16)
		return named[n + 1]
	if (n >= 232)
		return hex(8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232))
	n -= 16
	return hex(level(int(n / 36)), level(int(n / 6) % 6), level(n % 6))
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

function begin_row()
{
	at = from = halves = 0
	run = run_fg = run_bg = run_more = ""
}

function cell(c, now_fg, now_bg, swap, more, half)
{
	now_fg = fg == "" ? ink : rgb(fg)
	now_bg = bg == "" ? ground : rgb(bg)
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

function end_row() { flush() }

END {
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-8 -8 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n", \
		columns * wide + 16, NR * high + 16, columns * wide + 16, NR * high + 16
	printf "<rect x=\"-8\" y=\"-8\" width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", ground
	print "<g shape-rendering=\"crispEdges\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">"
	printf "%s</g>\n</svg>\n", body
}
