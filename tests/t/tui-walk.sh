# SPDX-License-Identifier: GPL-3.0-or-later
# A walk on the full screen: a faulty program is compared with a reference, what is wrong is seen on the time
# line, the interval of checksums is moved there, the program runs again, and the map of what differs leads to
# the first wrong element: with keys. With colours, with many, without, and on a small screen. doc/TUI.md shows it.
. "${0%/*}/lib.sh"
. "${0%/*}/screens.sh"
loose=1 # sums that are zero but for rounding are as wide as they are

heat=$(short_name "$(prog doc/examples/heat "$(first_mpi)")")
(cd "$tmp" && "$DVMDBG" --batch --set EXACT_SUMS=ON -n 1 -e 'record ref -arrays v -at 3.E' -e run "$heat" 100 10) >/dev/null 2>&1
check "the right run is recorded" test -d "$tmp/ref"

# What one rank has in an element, and four; as print tells it.
element() { dvm 60 "break 3.E
cont
print v[49][1]" "$@"; said | sed -n 's/^v\[49\]\[1\] = //p'; }
right=$(element -n 1 "$heat" 100 10)
wrong=$(element -n 4 "$heat" 100 10 --fault missing-halo)
like "the element that is wrong" "$right $wrong" '^0\.00301099[0-9]+ 0\.00338799[0-9]+$'

# start TERM [OPTIONS [COLUMNS ROWS]]: the faulty run beside the reference, not started
start()
{
	open_terminal "${3-80}" "${4-24}" "$1"
	type_line "clear; $DVMDBG --tui -n 4 ${2-} -e 'compare ref' $heat 100 10 --fault missing-halo"
	sees "$1: the faulty run is loaded" 'not started'
	keys 3
	sees "$1: the time line is empty" '^No point has been passed'
	sees "$1: and tells what the run is beside" '^━ points .*against ref '
}

# difference NAME ROW: at 3.E, from the time line by the map of what differs to the first wrong element; the
# cells that are wrong are in the row of that label
difference()
{
	keys 0
	sees "$1: 0 lists arrays for the difference" '^━ diff  choose'
	keys / v Enter
	sees "$1: / finds the one" '^v\[100\]\[100\] +double'
	keys Enter
	sees "$1: Enter opens its map" '^━ diff  v against the reference ref'
	keys C-w o
	sees "$1: the wrong row is seen" "^ ?$2 [-+*#@]{20}"
	unlike "$1: and no other" "$(seen_now | grep -vE "^ ?$2 ")" '^ ?[0-9]+ .*[-+*#@]{4}'
	keys M
	sees "$1: M goes to where most is wrong" '^v\[49\]\[[1-8][0-9]\]( of rank [01])? = 0\.'
	keys g
	sees "$1: g to the first row, where both agree" '^v\[0\]\[[0-9]+\]( of rank [01])? = 0 in both'
	keys ']'
	# a narrow screen has no room for the rank and all digits
	sees "$1: ] to the first that is wrong: indices and both values" \
		"^v\\[49\\]\\[1\\]( of rank 0)? = ${wrong:0:11}[0-9]*  ref(erence)? 0\\.00301(1|0999)"
	golden "walk-diff-$1"
}

start screen
keys x
sees "x: it is to stop where checksums differ" '^━ points  against ref  stops on mismatch ━'
keys c
sees "c runs to there" 'stopped 3\.E .*findings: 1'
sees "the time line tells what is wrong" '^ ->!  3\.E PL  heat\.c:61  v .* != 8\.3'
sees "and what was right before" '^ +2\.E PL  heat\.c:41  still right: v '
golden walk-mismatch-80x24
golden walk-mismatch-colours-80x24 seen_colours

keys g ']'
keys Enter
sees "] goes to the finding, Enter to its place" '^━ source  heat\.c:61 ━'
golden walk-source-colours-80x24 seen_colours
keys 3 g 4
sees "the finding" '^3\.E +\[0:3\] +values differ from the reference'
keys Enter
sees "from it to its place" '^━ source  heat\.c:61 ━'
keys 3 b
sees "and to its point on the time line" '^●->!  3\.E'
keys b
sees "b takes the actionpoint away" '^ ->!  3\.E'

# The interval
keys k k f
sees "f: checksums end at the point of the cursor" '^    F 2\.E '
sees "all before are inside" '^    │ 1\.B '
unlike "and the next is not" "$(seen_now)" '│ 3\.B|F 3\.B'
sees "for the next run" 'finish: applies to the next run; type rerun'
keys k k s
sees "s: they begin there" '^    S 1\.E '
unlike "and not before" "$(seen_now)" '│ 1\.B'
sees "the title tells both" 'start 1\.E  finish 2\.E'
golden walk-interval-80x24
keys r
sees "r asks, as ranks live" 'Run it again\? \(y or n\)'
keys y
sees "r: without the wrong point in the interval the run goes on to its end" '\[0:3\] ended'
sees "and is equal so far" '^compared [0-9]+ checksums of [0-9]+ arrays at [0-9]+ points: equal'
unlike "nothing is marked" "$(seen_now)" '^..?.?!'
keys g
keys j s
sees "s on the start takes it away" '^    │ 1\.E '
keys j j j j f
sees "f moves the end to the wrong point" '^    F 3\.E '
keys r
sees "r: it stops there again" 'stopped 3\.E'
sees "at the end of the interval" '^ ->!F 3\.E .*v .* != 8\.3'
golden walk-again-80x24

# The difference
difference 80x24 48
sees "its rank, and all digits" "^v\\[49\\]\\[1\\] of rank 0 = $wrong  reference $right\$"
sees "how many are wrong, and by how much" '^96 of 10000 differ, tolerance 1e-09 of block, by 0\.003961'
sees "and where they are" '^part of row 49: nearly all columns 1 to 98, the boundary between \[0:1\] and \[2:3\]'
sees "the point is that of the interval's end" 'stopped 3\.E  PL heat\.c:61'
golden walk-diff-colours-80x24 seen_colours
keys '['
sees "there is none before" 'no element differs before this one'
keys Enter
sees "Enter: the element in the array" "^v\\[49\\]\\[1\\] = $wrong  of rank 0"
sees "among its neighbours" '^ ?49 +0 '
golden walk-element-80x24
keys v
sees "as a map" ' mean, linear'
sees "with its histogram" '^seen .*\|.*\|'
golden walk-map-80x24
keys v C-w o 3
sees "back to the time line" '^━ points .* finish 3\.E '
keys g s f
sees "an end that cannot be there is warned of" 'Start point is not less than finish point'
keys G f
sees "and can be moved on" '^ ->!F 3\.E '
keys x
sees "x again: it does not stop any more" '^━ points  6 passed, 1 with findings  start 1\.B  finish 3\.E  against ref ━'
keys Space
sees "Space steps" 'stopped 4\.B'

# The layout is kept
points_row() { seen_now | grep -n '^━ points' | cut -d: -f1; }
keys 1
sees "the source in the place of the points" '^━ source'
keys C-w s
sees "another view" '^━ points'
before=$(points_row)
keys + + +
higher() { [ "$(points_row)" -lt "$before" ]; }
check "+ makes it higher" wait_for 20 higher
row=$(points_row)
is "that is kept" "$(grep points "$XDG_CONFIG_HOME/dvmdbg/layout")" "pane 0 16 points"
quit_screen
sees "the session ends" '^ready>'
type_line "clear; $DVMDBG --tui $heat 100 10"
sees "the next session" 'not started'
keys 3
sees "has the views where they were" '^━ points'
is "as high as they were" "$(points_row)" "$row"
quit_screen
sees "it ends" '^ready>'

# Without colours
start vt100 "-e 'set STOP_ON mismatch' -e 'start 1.E' -e 'finish 9.E'"
keys c
sees "vt100: the mismatch" '^ ->!│ 3\.E '
golden walk-mismatch-vt100-80x24 seen_colours
# what letters mean, below the screen
meaning() { seen_colours | grep '^~~~ '; }
unlike "no colour is used" "$(meaning)" 'red|green|cyan|yellow'
keys 1
golden walk-source-vt100-80x24 seen_colours
difference vt100-80x24 48
golden walk-diff-plain-vt100-80x24 seen_colours
unlike "vt100: no colour in the map" "$(meaning)" 'red|green|cyan|yellow|on|▀|[0-9]'
quit_screen
sees "vt100: it ends" '^ready>'

# On a small screen, the whole way in short
start screen "-e 'set STOP_ON mismatch'" 40 10
keys c
sees "small: the mismatch" '^ ->!  3\.E '
golden walk-mismatch-40x10
keys k k f r
sees "small: the end of the question is seen" 'will be ended\. Run it again\? \(y or n\)'
keys y
sees "small: an earlier finish, again: it ends" '\[0:3\] ended'
keys g j j j j j f r
sees "small: and with the wrong point" '^ ->!F 3\.E '
difference 40x10 34
quit_screen
sees "small: it ends" '^ready>'

# With 256 colours
start screen-256color "-e 'set STOP_ON mismatch' -e 'finish 3.E'"
keys c
sees "256: the mismatch" '^ ->!F 3\.E '
picture walk-mismatch
keys 0
sees "256: arrays" '^━ diff  choose'
keys / v Enter Enter C-w o
sees "256: the map" '^v\[49\]\[1\] of rank 0 = '
sees "256: on all of the screen" '^95 ▀'
rows_of_48() { seen_colours | sed '1,/^~~~/d' | awk '/^B/ && !/^B / { print; getline; print }'; }
like "256: two colours to a cell: what differs is in one of them" "$(rows_of_48)" '^.. a{77}$' '^.. [b-z]{20}'
keys M g ']'
sees "256: the first that is wrong" "^v\\[49\\]\\[1\\] of rank 0 = $wrong  reference $right\$"
golden walk-diff-256-80x24 seen_colours
picture walk-diff
keys Enter
sees "256: the array there" '^━ array  v'
keys v
sees "256: the array as a map" ' mean, linear'
sees "256: with its histogram" '^seen .*\|.*\|'
picture walk-map
quit_screen
sees "256: it ends" '^ready>'
close_terminal
no_leak "the walk"
done_testing
