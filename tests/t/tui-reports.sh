# SPDX-License-Identifier: GPL-3.0-or-later
# What the full screen tells of itself: which of two runs is seen, how ranks have ended, what is left out of a
# list; and keys typed before a view is there.
. "${0%/*}/lib.sh"
. "${0%/*}/screens.sh"

mpi=$(first_mpi)
heat=$(short_name "$(prog doc/examples/heat "$mpi")")
view=$(short_name "$(prog tests/prog/arrays/view "$mpi")")
misbehave=$(short_name "$(prog tests/prog/runs/misbehave "$mpi")")
say() { keys :; type_line "$1"; }

# Two runs side by side: views show one of them
open_terminal 80 24
type_line "clear; $DVMDBG pair --tui -n 1 $heat 40 3 : -n 4 $heat 40 3 --fault missing-halo"
sees "a pair is loaded" '^ heat +B: +\[0:3\] not started +A: +\[0\] not started'
keys c
sees "both stop, and the bar tells of both" '^ heat +B: +\[0:3\] stopped 3\.E .* A: +\[0\] stopped 3\.E'
sees "titles say which run is seen" '^━ source of B  heat\.c:61 ━'
keys 2
sees "a view of B" '^━ stack of B  3 frames ━'
sees "has its ranks" '^ +0 \[0:3\]  PL  heat\.c:61'
keys S
sees "S: the other run" '^now shown: A  1 rank  .*heat 40 3$'
sees "in all titles" '^━ stack of A  3 frames ━'
sees "with its ranks" '^ +0 \[0\]  PL  heat\.c:61'
sees "first in the bar" '^ heat +A: +\[0\] stopped 3\.E .* B: +\[0:3\] stopped 3\.E'
keys 3
sees "points beside the other" '^━ points of A  6 passed  against B '
keys 5
sees "ranks of A" '^\[0\] +1  stopped 3\.E'
keys j Enter
sees "which are no set for B" 'the current set is one of B; S shows that run'
say 'tui array v[19][1]'
keys C-w o
sees "an array of A" '^━ array of A  v\[↓\]\[→\]'
sees "has A's elements" '^v\[19\]\[1\] = 0\.0190546746.* of rank 0'
keys S
sees "S: B's" '^v\[19\]\[1\] = 0\.0214617884.* of rank 0'
sees "as the title says" '^━ array of B  v\[↓\]\[→\]'
keys S Enter
sees "Enter changes it where it is seen, with the value it has there" \
	'^\[all\]> A: assign v\[19\]\[1\] 0\.0190546746[0-9]*$'
keys C-u
type_line 'A: assign v[19][1] 0.5'
sees "in A" '^v\[19\]\[1\] = 0\.5 '
keys W
sees "W saves it from there" '^\[all\]> A: save v\[[0-9]+:[0-9]+\]\[0:[0-9]+\] v\.npy'
keys C-c S
sees "B has its own" '^v\[19\]\[1\] = 0\.0214617884'
keys W
sees "which is saved as that" '^\[all\]> B: save v'
keys C-c S
say 'tui diff v'
sees "a difference is of both, whichever is seen" '^━ diff  v against A, 1 rank, at 3\.E'
sees "B beside A" '^v\[19\]\[1\] of rank 0 = 0\.0214617.*reference 0\.5'
say 'pair -off'
sees "alone again B is seen" '^━ diff  v|^ heat  \[0:3\] stopped'
keys 2
sees "without a letter" '^━ stack  3 frames ━'
keys S
sees "there is no other" '^there is only one run; pair starts another'
quit_screen
sees "it ends" '^ready>'

# The array that locate has found is what the difference shows
open_terminal 80 24
type_line "clear; $DVMDBG --tui -n 4 $heat 40 3 --fault swapped-index"
sees "before locate" 'not started'
say locate
sees "locate has found it" 'stopped 3\.E'
keys 0
sees "the difference is of that array" '^━ diff  v against the reference run of locate'
sees "with the values of both" '^v\[20\]\[1\] of rank 2 = -0\.02146178.*reference -0\.0190546'
say 'tui diff u'
sees "of another it says what locate has kept" 'locate kept only v at 3\.E of the reference'
quit_screen
sees "it ends" '^ready>'

# How ranks have ended
ends() # MODE REGEX
{
	open_terminal 80 24
	type_line "clear; $DVMDBG --tui -n 3 $misbehave $1"
	sees "$1: it is loaded" 'not started'
	keys c
	sees "$1: the bar tells how it ended" "$2"
	quit_screen
	sees "$1: it ends" '^ready>'
}
ends kill9 '^ misbehave  \[0,2\] ended  \[1\] killed by SIGKILL'
ends exit3 '^ misbehave  \[0,2\] ended  \[1\] ended with code 3'

# The call of MPI that ranks are in, with its line
finalize=$(grep -n 'MPI_Finalize();' "$srcdir/tests/prog/runs/misbehave.c" | cut -d: -f1)
open_terminal 120 24
type_line "clear; $DVMDBG --tui -n 3 --set HANG_TIMER=0 $misbehave sleep"
sees "loaded" 'not started'
say go
keys 5
sees "ranks in a call are a row of their own" '^\[0,2\] +2  running '
sees "with the call and its line" "MPI_Finalize  misbehave\.c:$finalize"
sees "and those that are in none" '^\[1\] +1  running '
quit_screen
sees "it ends" '^ready>'

# What is left out
open_terminal 80 24
type_line "clear; $DVMDBG --tui -n 2 $heat 40 1200"
sees "a long run" 'not started'
keys c
sees "at its end" 'ended'
keys 3
sees "of many points the last are listed, and that is said" '^━ points  the last 2000 passed'
keys G
sees "up to the end" '^ +2400\.E PL'
quit_screen
sees "it ends" '^ready>'
type_line "clear; $DVMDBG --tui seq 1 30000"
sees "a program that writes much" 'not started'
keys c
sees "to its end" ' ended'
keys 7
sees "what was dropped is told" '^━ output  the last 20000 rows, 10000 dropped before ━'
sees "the end is there" '^30000$'
keys g
sees "and where it begins" '^10001$'
quit_screen
sees "it ends" '^ready>'

# Keys behind the one that shows a view for the first time
open_terminal 80 24
type_line "clear; $DVMDBG --tui -n 3 -e 'break 1.B' -e cont $view"
sees "it stops" 'stopped 1\.B'
keys 9 C-w o j j Enter
sees "the third of a list that was not there yet" '^━ array  table\[↓\]\[→\]'
keys j l
sees "and the cursor" '^table\[1\]\[1\] = 11|^table\[1\]\[1\] = \[1\]'
keys 7 3 9 6 /
type_line 'table'
sees "a pattern is looked for in what comes" '^━ values'
gone "and found" 'no row'
quit_screen
sees "it ends" '^ready>'
close_terminal
no_leak "what is told"
done_testing
