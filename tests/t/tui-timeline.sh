# SPDX-License-Identifier: GPL-3.0-or-later
# The time line of calls of MPI in the full screen: made-up traces of eight ranks, in three sizes, in colours and
# without; keys that move, zoom, go from call to call and search.
. "${0%/*}/lib.sh"
. "${0%/*}/screens.sh"

mkdir "$tmp/calls"
check "traces are made" "$builddir/tests/prog/traces/tracedump" -calls "$tmp/calls"
# picture_of NAME: the screen, with its size and look
picture_of()
{
	case $look in
	colours) golden "$1-colours-$size" seen_colours ;;
	plain) golden "$1-$size" seen_colours ;;
	esac
}
for look in colours plain; do
	case $look in
	colours) open_terminal 80 24 screen-256color ;;
	plain) open_terminal 80 24 "screen NO_COLOR=1" ;;
	esac
	type_line "clear; $DVMDBG --tui"
	sees "$look: the full screen" '^━ '
	keys :
	type_line 'tui timeline calls'
	sees "$look: the time line has its title" '^━ timeline  264 calls of MPI  of calls'
	keys C-w o
	for size in 120x40 40x10 80x24; do
		resize "${size%x*}" "${size#*x}"
		picture_of timeline
	done
	# the layout is kept when it ends
	[ $look = plain ] || { quit_screen; sees "$look: Q ends the session" '^ready>'; continue; }
	sees "the cursor is at the first call" '^\[0\]  MPI_Init, MPI_COMM_WORLD of 8  at +TIME s for 20\.0 ms'
	keys ']'
	sees "] is the next call of the rank" '^\[0\]  MPI_Isend to 1 tag 7, 100 MPI_DOUBLE \(800 bytes\), MPI_COMM_WORLD'
	keys '>' '>' '>' '>' '>'
	sees "> shows less time, around the cursor" '^ +TIME s  a cell 7[0-9.]+ us '
	keys ']'
	sees "and there the next call is another" '^\[0\]  MPI_Wait, MPI_COMM_WORLD of 8  at +TIME s for 500\.0 us'
	keys j j
	sees "j is the next rank" '^\[2\]  MPI_Wait, MPI_COMM_WORLD of 8  at +TIME s for 1300\.0 us'
	keys h h h h h h h h
	sees "h goes to the left" '^\[2\]  no call, at +TIME s'
	keys / ; type_line 'Barrier'
	sees "/ goes to the next call that matches" '^\[2\]  MPI_Barrier, MPI_COMM_WORLD of 8  at +TIME s for 6000\.0 us'
	keys '='
	sees "= shows all of the time" '^ +TIME s  a cell 2328\.8 us '
	keys '$'
	sees "the last call" '^\[2\]  MPI_Finalize, '
	keys '[' '['
	sees "[ is the call before" '^\[2\]  MPI_Barrier, '
	keys :
	type_line 'tui timeline'
	sees "without traces it says what to do" 'This session records no traces: record DIR -mpi does'
	quit_screen
	sees "Q ends the session" '^ready>'
done
close_terminal
done_testing
