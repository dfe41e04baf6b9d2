# SPDX-License-Identifier: GPL-3.0-or-later
# A captured screen with colours as text: {bold green} before what looks so, {} before what looks plain. How
# blanks look is told only where it can be seen.

BEGIN { split("black red green yellow blue magenta cyan white", colour, " ") }

function clear() { bold = dim = line = inverse = 0; fg = bg = "" }

function take(code, n, part, i)
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
		else if (part[i] >= 30 && part[i] <= 37) fg = " " colour[part[i] - 29]
		else if (part[i] >= 40 && part[i] <= 47) bg = " on " colour[part[i] - 39]
		else if (part[i] == 38 && part[i + 1] == 5) { fg = " " part[i + 2]; i += 2 }
		else if (part[i] == 48 && part[i + 1] == 5) { bg = " on " part[i + 2]; i += 2 }
	}
}

# How the cell looks; as a blank what can be seen of that.
function look(blank, s)
{
	s = (inverse ? " inverse" : "") (line ? " underlined" : "") bg
	if (!blank)
		s = s (bold ? " bold" : "") (dim ? " dim" : "") fg
	return substr(s, 2)
}

{
	out = was = was_blank = ""
	for (rest = $0; rest != ""; rest = substr(rest, 2)) {
		while (match(rest, /^\033\[[0-9;]*m/)) {
			take(substr(rest, 3, RLENGTH - 3))
			rest = substr(rest, RLENGTH + 1)
		}
		if (rest == "")
			break
		c = substr(rest, 1, 1)
		if (c != " " || look(1) != was_blank) {
			now = look(c == " ")
			if (now != was)
				out = out "{" now "}"
			was = now
			was_blank = look(1)
		}
		out = out c
	}
	sub(/[ \t]+$/, "", out)
	print out
}
