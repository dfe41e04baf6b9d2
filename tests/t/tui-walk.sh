# SPDX-License-Identifier: GPL-3.0-or-later
# A walk on the full screen: a faulty program is compared with a reference, what is wrong is seen on the time
# line, and the interval of checksums is moved there, with keys. With colours and without.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/screens.sh"

heat=$(short_name "$(prog doc/examples/heat "$(first_mpi)")")
(cd "$tmp" && "$DVMDBG" record -o ref -n 1 "$heat" 100 10) >/dev/null 2>&1
check "the right run is recorded" test -d "$tmp/ref"

# start TERM [OPTIONS]: the faulty run beside the reference, not started
start()
{
	open_terminal 80 24 "$1"
	type_line "clear; $DVMDBG --tui -n 4 ${2-} -e 'compare ref' $heat 100 10 --fault missing-halo"
	sees "$1: the faulty run is loaded" 'not started'
	keys 3
	sees "$1: the time line is empty" '^No point has been passed'
	sees "$1: and tells what the run is beside" '^━ points .*beside ref '
}

start screen
keys x
sees "x: it is to stop where checksums differ" '^━ points  beside ref  stops on mismatch ━'
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
sees "the finding" '^3\.E +\[0:3\] +values are not those of the reference'
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
sees "for the next run" 'finish: for the next run; rerun begins it'
keys k k s
sees "s: they begin there" '^    S 1\.E '
unlike "and not before" "$(seen_now)" '│ 1\.B'
sees "the title tells both" 'start 1\.E  finish 2\.E'
golden walk-interval-80x24
keys r
sees "r: without the wrong point in the interval the run goes on to its end" '\[0:3\] ended'
sees "and is equal so far" '^compared [0-9]+ sums of [0-9]+ arrays at [0-9]+ points: equal'
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
keys g s f
sees "an end that cannot be there is refused" 'Start point is not less than finish point'
sees "and stays" '^ ->!F 3\.E '
keys x
sees "x again: it does not stop any more" '^━ points  6 passed, 1 with findings  start 1\.B  finish 3\.E  beside ref ━'
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
keys Q
sees "the session ends" '^ready>'
type_line "clear; $DVMDBG --tui $heat 100 10"
sees "the next session" 'not started'
keys 3
sees "has the views where they were" '^━ points'
is "as high as they were" "$(points_row)" "$row"
keys Q
sees "it ends" '^ready>'

# Without colours
start vt100 "-e 'set STOP_ON mismatch' -e 'start 1.E' -e 'finish 9.E'"
keys c
sees "vt100: the mismatch" '^ ->!│ 3\.E '
golden walk-mismatch-vt100-80x24 seen_colours
unlike "no colour is used" "$(seen_colours)" '\{[a-z ]*(red|green|cyan|yellow)'
keys 1
golden walk-source-vt100-80x24 seen_colours
keys Q
sees "vt100: it ends" '^ready>'
close_terminal
no_leak "the walk"
done_testing
