# SPDX-License-Identifier: GPL-3.0-or-later
# Every view of the full screen as it looks: in three sizes, in colours and without. One program at a time stays
# stopped while its views are gone through in all sizes, so that this is quick.
. "${0%/*}/lib.sh"
. "${0%/*}/screens.sh"

mpi=$(first_mpi)
heat=$(short_name "$(prog doc/examples/heat "$mpi")")
view=$(short_name "$(prog tests/prog/arrays/view "$mpi")")
odd=$(short_name "$(prog tests/prog/arrays/odd "$mpi")")
sizes="80x24 120x40 40x10"
(cd "$tmp" && "$DVMDBG" --batch --set EXACT_SUMS=ON -n 1 -e 'record ref -arrays v -at 3.E' -e run "$heat" 100 10 --fault differing-eps) >/dev/null 2>&1
check "the right run is recorded" test -d "$tmp/ref"

say() { keys :; type_line "$1"; }
# begin LOOK PROGRAM…: a session in the terminal of that look
begin()
{
	look=$1
	shift
	case $look in
	colours) open_terminal 80 24 screen-256color ;;
	plain) open_terminal 80 24 "screen NO_COLOR=1" ;;
	esac
	type_line "clear; $DVMDBG --tui $*"
}
# picture_of NAME: the screen, with its size and look
picture_of()
{
	case $look in
	colours) golden "$1-colours-$size" seen_colours ;;
	plain) golden "$1-$size" seen_colours ;;
	esac
}
# in_sizes COMMAND: for each size, and back to the first
in_sizes()
{
	for size in $sizes; do
		resize "${size%x*}" "${size#*x}"
		"$1"
	done
	size=80x24
	resize 80 24
}

at_a_stop()
{
	keys 1
	picture_of source
	keys 2
	picture_of stack
	keys 8
	picture_of log
	keys 3
	picture_of points
	# those that have no place in the layout take that of the points
	keys 5
	picture_of ranks
	keys 4
	picture_of findings
	keys 6
	picture_of values
	keys '?'
	picture_of help
	keys q 3
}
differences()
{
	say 'tui diff'
	picture_of diff-list
	say 'tui diff v'
	sees "$look $size: the cursor is at the first difference" '^v\[[0-9]+\]\[[0-9]+\].* ref'
	picture_of diff-map
	say 'tui array v'
	sees "$look $size: the array" '^v\[0\]\[0\]( = 0|  cell)'
	keys v
	sees "$look $size: as a map" '^v\[0\]\[0\] +cell 0:'
	picture_of heat-map
	keys v 0
}
at_the_end()
{
	keys 7
	picture_of output
	keys 5
	picture_of ranks-ended
}
arrays()
{
	say 'tui array'
	picture_of array-list
	say 'tui array cube[3][7][5]'
	sees "$look $size: an element" '^cube\[3\]\[7\]\[5\] = nan'
	picture_of array-table
	keys R
	picture_of array-owners
	keys R v
	sees "$look $size: the map" '^cube\[3\]\[7\]\[5\] +1 nan|^cube\[3\]\[7\]\[5\].* cell '
	picture_of array-map
	keys v B B
	sees "$look $size: a rank with its halo" "rank 2's block"
	picture_of array-halo
	keys B B
}
four()
{
	say 'tui array four[1][2][3][4]'
	picture_of array-four
}

for look in plain colours; do
	begin $look -n 4 -e "'compare ref'" -e "'break heat.c:61'" -e "'break 3.E'" -e cont "$heat" 100 10 --fault differing-eps
	sees "$look: a program is stopped" 'stopped 3\.B'
	in_sizes at_a_stop
	keys c
	sees "$look: it goes on" 'stopped 3\.E'
	keys C-w o
	in_sizes differences
	say 'delete 0, 1'
	keys c
	sees "$look: to its end" '\[0:3\] ended'
	sees "$look: the last word" '^\[0:3\]: the program has ended; r starts it again'
	in_sizes at_the_end
	quit_screen
	sees "$look: Q ends the session" '^ready>'

	begin $look -n 3 -e "'break 1.B'" -e cont "$view"
	sees "$look: arrays" 'stopped 1\.B'
	keys 9 C-w o
	in_sizes arrays
	quit_screen
	sees "$look: it ends" '^ready>'
	begin $look -n 3 -e "'break 1.B'" -e cont "$odd"
	sees "$look: an array of four dimensions" 'stopped 1\.B'
	keys 9 C-w o
	in_sizes four
	quit_screen
	sees "$look: it ends, too" '^ready>'
done
close_terminal
no_leak "all views"
done_testing
