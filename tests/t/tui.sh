# SPDX-License-Identifier: GPL-3.0-or-later
# The full screen in a terminal (tmux): what keys do, also while the program runs, and the terminal afterwards.
. "${0%/*}/lib.sh"
. "${0%/*}/screens.sh"

heat=$(prog doc/examples/heat "$(first_mpi)")
short=$(short_name "$heat")
tasks=$(short_name "$(prog tests/prog/points/tasks "$(first_mpi)")")

# What was found, and the help screen; tui-screens.sh has all views as they look
(cd "$tmp" && "$DVMDBG" record -o ref -n 1 "$short" 100 10) >/dev/null 2>&1
open_terminal 40 10
type_line "clear; $DVMDBG --tui -n 4 -e 'compare ref' -e 'break heat.c:61' -e cont $short 100 10 --fault differing-eps"
sees "the full screen comes up" 'stopped 3\.B'
keys 6
sees "6 shows values, those first that differ" '^eps = <differing>'
keys '?'
sees "? shows the keys" '^c  cont  go on'
keys q
sees "q goes back" '^━ values  1 differing'
keys 4 Enter
sees "Enter shows the place of a finding" 'source +heat\.c:35'
quit_screen
sees "Q ends the session" '^ready>'
is "the layout is kept" "$(sed -n 1p "$XDG_CONFIG_HOME/dvmdbg/layout")" "pane 0 14 source"

# Ranks that differ
open_terminal 80 24
type_line "clear; $DVMDBG --tui -e 'break 3.B' -e cont -n 2 $tasks disagree"
sees "ranks that disagree" 'findings: 1'
keys 1
golden differ-source-80x24
keys 2
golden differ-stack-80x24
keys Space
sees "the stack folds" '^\+  0 \[0:1\]  multi'
unlike "so that groups are hidden" "$(seen_now | sed '/points/,$d')" '\[1\] +PL'
keys 3
golden differ-points-80x24
keys 4
golden differ-findings-80x24
keys t
sees "findings of one kind" 'findings  1  of kind numbering'
keys m m
sees "and of one rank" 'of kind numbering  of rank 1'
keys m t
sees "of all" 'findings  1 ━'
keys Enter
sees "Enter goes to the place" '^━ source +tasks\.c:5[24]'
quit_screen
sees "it ends" '^ready>'

# What keys do
open_terminal 80 24
state_before=$(terminal_state)
type_line "stty -g >$tmp/before; clear"
type_line "$DVMDBG --tui -n 4 $heat 100 10"
sees "before the start the source shows the program's beginning" 'source +heat\.c:19'
keys s
sees "s runs step" '^\[all\]> step'
sees "and shows the point" '^ heat[-a-z]* +\[0:3\] stopped 1\.B'
keys /
type_line 'renew_col.*u\)'
sees "/ finds a pattern in the source" 'source +heat\.c:58'
keys n
sees "n goes round" 'source +heat\.c:58|source +heat\.c:'
keys j j j
keys b
sees "b sets an actionpoint in the line" '^● 61 '
keys e
sees "e disables it" '^○ 61 '
keys e
sees "and enables it" '^● 61 '
keys c
sees "c runs to it" 'stopped 3\.B'
keys b
sees "b takes it away" '^actionpoint 0.*(gone|deleted)|^  61 ->'
keys :
keys -l 'print e'
keys Tab
sees "Tab completes an object" '^\[all\]> print eps'
keys Enter
sees "the answer is in the log" '^eps = 0\.5'
keys :
keys Up
sees "Up brings the last command" '^\[all\]> print eps'
keys Escape
keys q
sees "q goes to the prompt, and what was said is there" '^eps = 0\.5'
sees "the prompt" '^\[all\]> $|^\[all\]>$'
keys -l 'print u[1'
keys C-x a
sees "Ctrl-X a comes back with the line" '^\[all\]> print u\[1$'
keys -l '][1]'
keys Enter
sees "which goes on there" '^u\[1\]\[1\] = '
keys Q
sees "Q asks while ranks live" '^\[0:3\] is alive and will be ended\. Quit\? \(y or n\)'
keys j q Enter n
gone "n: the session goes on, and other keys are no answers" 'y or n'
keys r
sees "so does r" '^\[0:3\] is alive and will be ended\. Run it again\? \(y or n\)'
keys Escape
gone "Escape is no" 'y or n'
keys :
type_line 'rerun -to 1.E'
sees "and what is typed" 'Run it again\? \(y or n\)'
keys C-c
gone "Ctrl-C is no" 'y or n'
sees "the run is where it was" 'stopped 3\.B'
keys r
sees "r asks again" 'y or n'
keys y
sees "yes: it runs again" 'stopped 3\.B|ended'
gone "with the old run gone" 'y or n'
quit_screen
sees "the session ends" '^ready>'
at_shell "quit"

# While the program runs
type_line "clear; $DVMDBG --tui -n 4 $heat 3000 1000000"
sees "a long run is loaded" 'not started'
keys c
sees "it runs" 'running'
sees "what runs is told" '^cont +[1-9][0-9]* s +Ctrl-C'
keys Tab 5
sees "views can be changed meanwhile" '^ranks +count'
sees "live ones are loaded" ' running +[1-9]'
resize 100 30
sees "the size can change meanwhile" '^━ ranks ━{90,}'
resize 30 8
sees "too small a terminal is told" 'too small: 40 x 10'
resize 80 24
sees "and back" '^━ ranks ━{70}'
keys s
sees "a verb waits until nothing runs" '^cont .* then: step'
keys C-c
sees "Ctrl-C halts" 'stopped [0-9]+\.[BE]'
unlike "and drops what waited" "$(seen_now)" '\] step|> step'
keys C-z
sees "Ctrl-Z stops the debugger" 'Stopped'
at_shell "Ctrl-Z"
type_line fg
sees "fg brings the screen back" '^━ ranks ━{70}'
pid=$(front_end)
kill -SEGV "$pid"
sees "a crash" '(Segmentation fault|ready>)'
at_shell "crash"

type_line "clear; $DVMDBG --tui -n 4 $heat 3000 1000000"
sees "once more" 'not started'
keys c
sees "it runs" 'running'
kill -KILL "$(front_end)"
no_program() { [ -z "$(running "$heat")" ] && [ -z "$(running "$builddir/runtime/exec/$EXEC")" ]; }
check "kill -9 leaves no process of the program" wait_for 20 no_program

# Terminals
open_terminal 80 24
type_line "stty -g >$tmp/before; clear"
type_line "TERM=dumb $DVMDBG --tui"
sees "TERM=dumb is refused with the reason" "a terminal 'dumb' \(TERM\) cannot place its cursor"
sees "the prompt is there all the same" '^\[all\]>'
type_line quit
type_line "clear; TERM=none-such $DVMDBG --tui"
sees "an unknown terminal is refused" "terminfo does not know the terminal 'none-such'"
type_line quit
for term in xterm xterm-256color screen tmux linux; do
	infocmp "$term" >/dev/null 2>&1 || { skip "TERM=$term" "not in terminfo here"; continue; }
	type_line "clear; TERM=$term $DVMDBG --tui"
	sees "TERM=$term: it comes up" '^━ source'
	quit_screen
	sees "TERM=$term: it ends" '^ready>'
	at_shell "$term"
done
type_line "clear; LC_ALL=C $DVMDBG --tui"
sees "ASCII where the locale has no more" '^= source'
quit_screen
sees "it ends" '^ready>'
type_line "clear; $DVMDBG --batch --tui; echo status \$?"
sees "--batch and --tui are refused" '^status 2'
close_terminal
no_leak "the full screen"
done_testing
