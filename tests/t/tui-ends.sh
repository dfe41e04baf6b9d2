# SPDX-License-Identifier: GPL-3.0-or-later
# The full screen where things go wrong: ranks that hang or are stopped, signals, terminals that will not do; what
# a terminal has besides keys; and what is kept.
. "${0%/*}/lib.sh"
. "${0%/*}/screens.sh"

mpi=$(first_mpi)
heat=$(prog doc/examples/heat "$mpi")
misbehave=$(short_name "$(prog tests/prog/runs/misbehave "$mpi")")
count() { seen_now | grep -cE -- "$1"; }
nothing_runs() { [ -z "$(running "$builddir/runtime/exec/$EXEC")" ]; }
# all_gone NAME: the session's ranks are; the terminal is there still
all_gone() { check "$1: no rank is left" wait_for 20 nothing_runs; }
at_rest() { ! shown 'Ctrl-C (stops it|gives it up)'; }

# A rank that spins outside of MPI does not block the screen
open_terminal 80 24
state_before=$(terminal_state)
type_line "stty -g >$tmp/before; clear"
type_line "$DVMDBG --tui -n 3 -e 'set STOP_TIMER = 1' -e 'break 4.B' $misbehave spin"
sees "a program is loaded" 'not started'
keys c 5
sees "while ranks run the view tells of each group" '^\[1\] +1  running +3\.B +PL misbehave\.c:[0-9]+ 3 +[0-9]+ s'
sees "of those that stand, too, with the time they came" \
	'^\[0,2\] +2  stopped +4\.B +PL misbehave\.c:[0-9]+ 4 +hh:mm:ss  actionpoint'
sees "the bar tells both" '^ misbehave  \[1\] running  \[0,2\] stopped 4\.B'
sees "the others are given back when the timer is over" '^\[1\] running, last seen at 3\.B'
older() { shown '^\[1\] +1  running .* ([4-9]|[1-9][0-9]) s'; }
check "its age is counted on, at the prompt of the screen" wait_for 20 older
keys 1
sees "the loop of all is one line, outside of the calls of one" '^ [0-9]+ 2> +4 '
sees "the loop around it has its level" '^ [0-9]+ 3>  '
keys C-c
sees "halting what comes to no mark" '^\[all\]> halt'
keys 2
sees "the stack has a group for it" '^ +1 \[1\] +do_spin +misbehave\.c:[0-9]+' '^ +\[1\] +PL +misbehave\.c:[0-9]+  3\.B'
sees "and it stands there" '^━ stack  5 frames ━' '^Paused  \[1\]  parallel loop  misbehave\.c:[0-9]+  last point 3\.B'
check "which is given up in time" wait_for 20 at_rest
quit_screen
sees "the session can be ended" '^ready>'
at_shell "a spinning rank"
all_gone "a spinning rank"

# Ranks that are stopped from outside, and those that go on by themselves
type_line "clear; $DVMDBG --tui -n 2 $heat 2000 1000000"
sees "a long run is loaded" 'not started'
keys c 5
sees "its ranks run" '^\[.*running +[0-9]+\.[BE]'
point() { seen_now | sed -nE 's/^\[.* running +([0-9]+)\.[BE].*/\1/p' | head -n 1; }
first=$(point)
moved() { local now; now=$(point); [ -n "$now" ] && [ "$now" -gt "$first" ]; }
check "where they are is renewed while they run" wait_for 20 moved
pids=$(running "$heat")
kill -STOP $pids
keys C-c
sees "a halt that they do not hear" '^cont +[0-9]+ s|running, last seen at'
keys 8 7 5 Tab Tab
sees "views can be changed meanwhile" '^━ (ranks|log|output|stack|points|source) '
keys C-c
sees "and they are paused, or it is given up" 'running, last seen at|^Paused  |\[[01:]+\] stopped [0-9]+\.[BE]'
keys 5
kill -CONT $pids
sees "who stops late is seen to, without a key" '^\[[01:]+\] +[12]  stopped +[0-9]+\.[BE]'
quit_screen
sees "the session ends" '^ready>'
all_gone "stopped ranks"

# A program that never comes to MPI
type_line "clear; $DVMDBG --tui -n 3 $misbehave hang-init"
sees "it is loaded" 'not started'
keys c 5
sees "ranks in MPI_Init" '^\[0,2\] +2  running .*inside MPI_Init'
sees "and the one that is not" '^\[1\] +1  running .*before MPI_Init'
keys C-c
check "that is given up" wait_for 20 at_rest
quit_screen
sees "and ended" '^ready>'
all_gone "hanging in MPI_Init"

# Output, and what the bar says of it; with the first layout
open_terminal 80 24
type_line "clear; $DVMDBG --tui -n 2 $heat 100 10"
sees "heat is loaded" 'not started'
keys 2 7
sees "nothing was written" '^The program has written nothing so far'
keys 1 c
sees "the bar tells that the program has written" '^ heat.* ended  output: \+1'
unlike "the log has answers only" "$(seen_now)" '^heat: 100 x 100'
keys 7
sees "the output is a view of its own" '^\[0\] heat: 100 x 100 points'
is "and was seen then" "$(count 'output: \+1')" 0
keys r
sees "r starts the program again" '^\[all\]> rerun|not started|ended'
sees "and it runs to its end" 'ended'
quit_screen
sees "the session ends" '^ready>'

# The line at the bottom
open_terminal 80 24
type_line "clear; $DVMDBG --tui -n 2 $heat 100 10"
sees "heat is loaded again" 'not started'
keys :
keys -l 'set S'
keys Tab Tab
sees "what a word can be completed to is shown above the line" '^━ [0-9]+ words ━'
sees "in columns" '^STOP_MODEL +.*StartPoint|^[A-Z].* STOP_ON '
keys -l 'TO'
keys Tab
sees "a key takes that away" '^\[all\]> set STOP_$'
is "all of it" "$(count 'words ━')" 0
keys C-c
sees "Ctrl-C leaves the line" '^. help'
keys :
type_line 'info frogs'
sees "a verb's error is in the log" "^(info|unknown).*frogs|'frogs'"
keys : C-r
keys -l 'frog'
sees "Ctrl-R looks back in the history" "^\(reverse-i-search\)\`frog': info frogs"
keys C-g Escape /
type_line 'a(b[c'
sees "a wrong pattern: what is wrong, and in which column" "pattern 'a\(b\[c', column [0-9]+: missing terminating \]"
sees "it can be mended" '^/a\(b\[c$'
is "the cursor is there" "$(mode '#{cursor_x}')" 6
keys C-u
type_line 'MPI_Comm +grid'
sees "then it is found" '^━ source +heat\.c:1[0-9]'
keys /
type_line 'no such words'
sees "what is not there is told" "no row of source matches 'no such words'"

# The mouse: clicks of xterm's first protocol; TERM is screen
# mouse BUTTON COLUMN ROW: what a terminal sends, in which numbers are characters from 32 on
mouse() { keys -l "$(printf '\033[M%b%b%b' "\\0$(printf %o $((32 + $1)))" "\\0$(printf %o $((33 + $2)))" "\\0$(printf %o $((33 + $3)))")"; }
click() { mouse 0 "$@"; mouse 3 "$@"; }
keys g
click 5 18
sees "a click gives the keys to the view" '^━ log ━'
click 10 4
sees "and goes to the row" '^━ source  heat\.c:3 ━'
click 10 18
sees "another click" '^━ log ━'
mouse 65 10 4
sees "the wheel turns what it is over" '^─ source  heat\.c:6 ─'

# Ctrl-C belongs to the line that is typed, also when the screen waits for ranks
keys :
type_line 'break 3.E'
keys c
sees "ranks stand at a point" '^ heat .*stopped 3\.E'
keys :
type_line 'tui array u'
sees "an array" '^━ array  u\['
kill -STOP $(running "$builddir/runtime/exec/$EXEC")
keys G
sees "the screen waits for ranks" 'asking the ranks  [1-9].* s'
keys :
keys -l 'stat'
sees "a line can be typed meanwhile" '^\[all\]> stat'
keys C-c
gone "Ctrl-C drops it" '^\[all\]> stat'
sees "the ranks are waited for all the same" 'asking the ranks'
kill -CONT $(running "$builddir/runtime/exec/$EXEC")
sees "until they answer" '^u\[99\]\['
quit_screen
sees "the session ends" '^ready>'
at_shell "the mouse"

# No program
type_line "clear; $DVMDBG --tui"
sees "without a program" '^ dvmdbg  no program is loaded'
sees "the source tells how to load one" '^No program is loaded\. :load PROGRAM loads one\.'
keys 2 c
sees "c has an answer" 'cont: no program is loaded'
keys :
type_line "load $misbehave nothing"
sees "load loads one" '^ misbehave  \[0\] not started'
sees "and the source is there" 'loaded '
keys 1 c
sees "which runs" '^ misbehave  \[0\] ended'
quit_screen
sees "the session ends" '^ready>'
all_gone "a program loaded later"

# The layout is kept: views, which has the keys, and whether it is alone
rm -f "$XDG_CONFIG_HOME/dvmdbg/layout"
type_line "clear; $DVMDBG --tui"
sees "the first layout" '^─ log ─'
keys 3 C-w s C-w o
sees "a view below, alone" '^━ (stack|findings|ranks|values) '
layout=$(seen_now | sed -nE 's/^━ ([a-z]+) .*/\1/p')
is "there is no other" "$(count '^─ [a-z]')" 0
quit_screen
sees "the session ends" '^ready>'
type_line "clear; $DVMDBG --tui"
sees "the next session has it as it was left, or the source where that is empty" "^━ ($layout|source) "
is "alone" "$(count '^─ [a-z]')" 0
keys C-w o
sees "the others are there too" '^─ [a-z]'
keys C-w c
gone "a view can go" "^[━─] $layout "
quit_screen
sees "the session ends" '^ready>'
printf 'pane 0 99 source\npane 0 x\nfrog\n' >"$XDG_CONFIG_HOME/dvmdbg/layout"
type_line "clear; $DVMDBG --tui"
sees "a layout that makes no sense is replaced" '^━ source'
sees "by the first" '^─ log ─'
quit_screen
sees "the session ends" '^ready>'

# Signals
for sig in TERM HUP; do
	type_line "clear; $DVMDBG --tui -n 2 $heat 2000 1000000"
	sees "SIG$sig: it is loaded" 'not started'
	[ "$sig" = TERM ] && keys c && sees "SIG$sig: it runs" '^cont +[1-9]'
	kill -"$sig" "$(front_end)"
	sees "SIG$sig ends the session" '^ready>'
	at_shell "SIG$sig"
	all_gone "SIG$sig"
done
type_line "clear; $DVMDBG --tui -n 2 $heat 100 10"
sees "it is loaded" 'not started'
keys C-z
sees "Ctrl-Z" 'Stopped'
at_shell "Ctrl-Z at rest"
resize 100 30
type_line fg
sees "a terminal that was resized meanwhile is filled" '^━ source +heat\.c:[0-9]+ ━{80,}$'
resize 80 24
quit_screen
sees "the session ends" '^ready>'
at_shell "fg"
type_line "clear; $DVMDBG --tui"
sees "once more" 'no program'
kill -ABRT "$(front_end)"
sees "a crash" '(Aborted|ready>)'
at_shell "an abort"

# A layout that was kept with views that have nothing to show
keep_layout() { mkdir -p "$XDG_CONFIG_HOME/dvmdbg"; printf '%s\n' "$@" >"$XDG_CONFIG_HOME/dvmdbg/layout"; }
at_shell "layout"
for view in diff map findings output; do
	keep_layout "pane 0 10 $view" 'focus 0 1'
	type_line "clear; $DVMDBG --tui -n 2 $heat 100 10"
	sees "a layout of $view alone opens on the source" '^━ source +heat\.c'
	quit_screen
	sees "$view: it ends" '^ready>'
done
keep_layout 'pane 0 10 diff' 'pane 0 10 ranks' 'focus 0 1'
type_line "clear; $DVMDBG --tui -n 2 $heat 100 10"
sees "a view that has something stays where it is" '^━ (ranks|source) '
keys 5 z
quit_screen
sees "it ends" '^ready>'
keep_layout 'pane 0 10 diff' 'pane 1 10 source' 'focus 0 0'
type_line "clear; $DVMDBG --tui -n 2 $heat 100 10"
sees "the keys are for the source that is there" '^━ source +heat\.c|━ source +heat\.c'
quit_screen
sees "it ends" '^ready>'

# Refused
type_line "clear; unset TERM; $DVMDBG --tui; export TERM=screen"
sees "TERM unset" 'the full screen needs TERM, which is not set'
type_line quit
type_line "clear; TERM=vt100 $DVMDBG --tui"
sees "vt100 will do" '^.. ?source|^. source'
keys 8
sees "and has no colours nor other characters than it can show" '^. log'
quit_screen
sees "it ends" '^ready>'
at_shell "vt100"
refused() # NAME COMMAND
{
	type_line "clear; { $2; }; echo status \$?"
	sees "$1 is refused" '^status 2'
	sees "$1: the reason" '--tui needs a terminal, and neither --batch nor --json'
}
refused "--json" "$DVMDBG --json --tui"
refused "standard input that is no terminal" "$DVMDBG --tui </dev/null"
type_line "clear; $DVMDBG --tui 2>&1 | sed 's/^/is: /'; echo status \${PIPESTATUS[0]}"
sees "a pipe is refused" '^status 2'
sees "a pipe: the reason" 'is: .*--tui needs a terminal'
close_terminal
no_leak "the full screen"
done_testing
