# SPDX-License-Identifier: GPL-3.0-or-later
# One logical process: stacks aligned by name, a dispatch loop that is folded, and what the others' side of it is.
. "${0%/*}/lib.sh"
own_program logical/menu.c
export HOME=$tmp
fc=mpifort.$mpi

# line WORD [FILE]: the line that has it behind it
line() { line_marked "$1" "${2:-$src}"; }
# Each line of an answer of where with single blanks.
stack() { sed -nE 's/^>? *([0-9]+  (scalar|synchronized|unsynchronized|multi|dispatch) )/\1/p; s/^ {5,}((\[|dispatch).*)/\1/p' | sed -E 's/ +/ /g; s/ $//'; }
order() { echo "$1" >&8; }
mkfifo orders
exec 8<>orders

"mpicc.$mpi" -g -O0 "$src" -o plain 2>said || not_ok "menu.c is compiled" "$(<said)"
# shellcheck disable=SC2086
"mpicc.$mpi" -g -O0 -DMARKED -I"$srcdir/runtime" "$src" -o marked $libs 2>said || not_ok "menu.c is compiled" "$(<said)"

# The menu of rank 0, and the dispatch loop of the others, which is announced.
start -n 4 "$tmp/marked" orders
tell "break menu.c:$(line pl)" go
check "announced: the others wait for orders" until_shown "^     dispatch +\[1:3\]  dispatch  menu.c:$(line wait), in MPI_Bcast\$" 'where 30'
order fill
expect_out "announced: all carry one out" 20 '^Point 1.B  \[0:3\]'
tell where 'up 4' list 'focus [1:3]' 'where 31' 'up 3' 'print u[0]' 'focus [0]' 'where 32' 'focus [all]' 'where -logical' quit
finish
fill="0 synchronized [0:3] PL menu.c:$(line pl) 1.B
1 synchronized [0:3] fill_in_data menu.c:$(line pl)
2 synchronized [0:3] carry_out menu.c:$(line carry)"
is "announced: rank 0's calls are scalar, the dispatch loop is folded" "$(answer where | stack)" "$fill
3 scalar [0] give_order menu.c:$(line give)
4 scalar [0] menu menu.c:$(line menu)
dispatch [1:3] dispatch menu.c:$(line call)
5 unsynchronized [0:3]
[0] main menu.c:$(line zero)
[1:3] main menu.c:$(line others)"
like "announced: up goes to a frame of rank 0" "$(answer 'up 4')" "^> 4  scalar +\[0\]  menu  menu.c:$(line menu)"
is "announced: the others' side" "$(answer 'where 31' | stack)" "${fill//0:3/1:3}
3 synchronized [1:3] dispatch loop menu.c:$(line dispatch)
4 synchronized [1:3] dispatch menu.c:$(line call)
5 synchronized [1:3] main menu.c:$(line others)"
like "announced: up counts from the innermost frame of that side" "$(answer 'up 3')" '^> 3  .*dispatch loop'
is "announced: the other side" "$(answer 'where 32' | stack | cut -d ' ' -f 2-4 | tail -n 3)" "synchronized [0] give_order
synchronized [0] menu
synchronized [0] main"

# The same without marks.
start -n 4 "$tmp/plain" orders
tell go
check "not announced: the others wait for orders" until_shown "^     dispatch +\[1:3\]  dispatch  menu.c:$(line wait), in MPI_Bcast\$" 'where 30'
order spin
check "not announced: all carry one out" until_shown "^     dispatch +\[1:3\]  dispatch  menu.c:$(line call)\$" 'where 31'
tell 'focus [1:3]' 'where 32' 'where -native' quit
finish
is "not announced: waiting, rank 0 reads" "$(answer 'where 30' | stack | tail -n 6)" "0 scalar [0] fgets
1 scalar [0] menu menu.c:$(line read)
dispatch [1:3] dispatch menu.c:$(line wait), in MPI_Bcast
2 unsynchronized [0:3]
[0] main menu.c:$(line zero)
[1:3] main menu.c:$(line others)"
is "not announced: rank 0's calls are scalar" "$(answer 'where 31' | stack | tail -n 8)" "1 synchronized [0:3] fill_in_data menu.c:$(line value)
2 synchronized [0:3] carry_out menu.c:$(line carry)
3 scalar [0] give_order menu.c:$(line give)
4 scalar [0] menu menu.c:$(line menu)
dispatch [1:3] dispatch menu.c:$(line call)
5 unsynchronized [0:3]
[0] main menu.c:$(line zero)
[1:3] main menu.c:$(line others)"
like "not announced: the others' side" "$(answer 'where 32' | stack)" "^[0-9] synchronized \[1:3\] dispatch menu.c:$(line call)\$"

# Policies of a good stop, and one place after a stop in an iteration that only rank 0 has.
# shellcheck disable=SC2086
DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -g -O0 -DMARKED -I"$srcdir/runtime" "$src" -o hooked $libs >said 2>&1 || not_ok "menu.c is compiled with hooks" "$(<said)"
printf 'fill\nfill\nfill\n' >three
talk "set GOOD_STOP
set BAD_TIMER
break menu.c:$(line pl) -iter 5
cont
sync
[all] sync
set GOOD_STOP = halt
cont
[0:3] sync
quit" -n 4 --set STOP_TIMER=1 "$tmp/hooked" three
like "set shows the policy" "$(answer 'set GOOD_STOP')" '^ *GOOD_STOP = wait'
like "and the timer of bad stops" "$(answer 'set BAD_TIMER')" '^ *BAD_TIMER = 1'
like "wait: the others run on" "$(printf '%s\n' "$out" | sed '/> sync/q')" "^Iteration 5  \[0\]" '^\[1:3\] running, last seen at 1.E'
is "sync: all come to the next point that they have in common" "$(answer sync)" "Point 2.B  [0:3]  parallel loop  menu.c:$(line pl)"
is "sync: there they are" "$(answer '[all] sync')" 'sync: all members of [0:3] are at 2.B'
like "halt: the others stop where they are" "$(printf '%s\n' "$out" | sed '1,/GOOD_STOP = halt/d')" '^Iteration 5  \[0\]' '^Paused  \[1:3\] .* last point 2.E'
like "sync: from there, too" "$(answer '[0:3] sync')" '^Point 3.B  \[0:3\]'

# The same where the others wait in MPI_Barrier, which they leave only with those that have stopped; barriers of the
# debugger's hold ranks, which is no reason to halt others; and a rank that fails.
src=$srcdir/tests/prog/native/marked.c
# shellcheck disable=SC2086
"mpicc.$mpi" -g -O0 -I"$srcdir/runtime" "$src" -o barriers $libs 2>said || not_ok "marked.c is compiled" "$(<said)"
talk "[0] break marked.c:$(line pl) -stop [0]
set GOOD_STOP = halt
cont
status
sync
[0] delete 0
barrier 2.B
cont
delete -all
break 2.E
cont
wait
run null
set BAD_STOP = wait
set GOOD_STOP = wait
rerun
status" -n 2 --set STOP_TIMER=1 --set BAD_TIMER=0 --set HANG_TIMER=0 "$tmp/barriers"
like "barriers: one that waits in MPI stands there" "$(answer cont | head -n 3)" '^Point 1.B  \[0\]' '^Paused  \[1\]  parallel loop .* last point 1.B' \
	"^    paused at marked.c:$(line barrier) in sweep\\(\\), calling MPI_Barrier"
is "barriers: sync brings both to where they can come" "$(answer sync)" "Point 1.E  [0:1]  parallel loop  marked.c:$(line pl)"
like "barriers: one of the debugger's holds, and halts nobody" "$(answer cont)" '^Barrier 1, 2.B: all have come  \[0:1\]' '^Point 2.E  \[0:1\]'
# The other may be behind by then.
like "barriers: a rank that fails" "$(answer 'run null')" "^    SIGSEGV at marked.c:$(line null) in sweep" '^Paused  \[0\] .*  last point (1|2)\.[BE]$'
like "barriers: the others are waited for" "$(answer rerun)" "^    SIGSEGV at marked.c:$(line null) in sweep" '^\[0\] running, last seen at 2.B.* [1-9] s ago'

# In Fortran, by the module's marks.
if command -v "$fc" >/dev/null; then
	src=$srcdir/tests/prog/logical/menu.f90
	# shellcheck disable=SC2086
	"$fc" -g -O0 -J . "$srcdir/runtime/dvmdbg.f90" "$src" -o fmenu $libs >said 2>&1 || not_ok "menu.f90 is compiled" "$(<said)"
	start -n 3 "$tmp/fmenu" orders
	tell "break menu.f90:$(line pl)" go
	order 1
	expect_out "Fortran: all carry out an order" 20 '^Point 1.B  \[0:2\]'
	tell where quit
	finish
	is "Fortran: the same" "$(answer where | stack)" "0 synchronized [0:2] PL menu.f90:$(line pl) 1.B
1 synchronized [0:2] fill_in_data menu.f90:$(line pl)
2 scalar [0] menu menu.f90:$(line give)
dispatch [1:2] dispatch menu.f90:$(line call)
3 unsynchronized [0:2]
[0] orders menu.f90:$(line zero)
[1:2] orders menu.f90:$(line others)"
fi
exec 8>&-
no_leak "logical"
done_testing
