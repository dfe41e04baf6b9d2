# SPDX-License-Identifier: GPL-3.0-or-later
# What happens after the last point: objects are compared when they are forgotten or freed, and where the program
# ends; what the runs print is compared, lines in any order, numbers as far as they are printed.
. "${0%/*}/lib.sh"
own_program locate/ends.c
unhooked plain || skip_all "$(head -n 3 said)"
hooked hooked || skip_all "$(head -n 3 said)"

# compared BUILD HOW: record on 1 rank, compare on 3; in $out, with the status
compared()
{
	timeout -k 5 60 "$DVMDBG" record -o "ref.$1.$2" -n 1 "./$1" "$2" >/dev/null 2>&1 </dev/null
	out=$(timeout -k 5 60 "$DVMDBG" compare -r "ref.$1.$2" -n 3 "./$1" "$2" 2>&1 </dev/null; echo "status $?")
}
# finds BUILD HOW REGEX…: and the same without the fault has nothing
finds()
{
	compared "$1" "$2"
	like "$1 $2" "$out" '^status 1$' "${@:3}"
	compared "$1" "right-$2"
	like "$1 right-$2" "$out" '^status 0$' ': equal$'
}
located() { out=$(timeout -k 5 100 "$DVMDBG" locate -n 3 "./$1" "$2" 2>&1 </dev/null; echo "status $?"); }

gone='when it was forgotten or freed'
finds plain scaled '"u", .*: 6\.125 != 7\.8125 at the end of the program, after the last point 2\.E; previous correct point is 2\.E'
finds plain freed "\"u\", .*: 6\\.125 != 7\\.8125 $gone, after the last point 2\\.E"
finds plain middle "\"w\", .*: 1 != 1\\.16667 $gone, before the point 2\\.B"
rest_in all
builds=plain
! in_set all || builds="plain hooked"
for b in $builds; do
	finds "$b" scalar '"factor", .* do not match at the end of the program, after the last point 2\.E: \[0:1\] 4, \[2\] 6'
	finds "$b" forgotten "\"u\", .*: 6\\.125 != 7\\.8125 $gone, after the last point 2\\.E"
	finds "$b" inner "\"w\", .*: 2 != 2\\.33333 $gone"
	finds "$b" again "\"w\", .*: 2 != 2\\.33333 $gone"
	compared "$b" exit
	like "$b exit" "$out" '^status 1$' '"u", .*: 6\.125 != 7\.8125 at the end of the program'
	compared "$b" right-exit
	# the others are stopped when the first one has left
	like "$b right-exit" "$out" '^Finding unfinalized  \[[0-2]' ': equal'
done
finds plain window "\"w\", .*: 2 != 2\\.33333 $gone"
finds hooked freed "\"u\", .*: 6\\.125 != 7\\.8125 $gone"

compared plain returned
like "a stack array of a function that has returned" "$out" '^status 0$' \
	'^warning: array \("t", .*\) was compared up to 3\.E: its memory was gone before its end could be seen'

located plain scaled
like "locate: after the last point" "$out" '^status 1$' \
	'^array u, element u\[32\], wrong after the last point 2\.E, when the program ended, on rank 2\.$' \
	'^  point      3\.E, the end of the program; previous correct point 2\.E$'
located hooked scaled
like "locate: the statement after the last point" "$out" '^array u, element u\[32\], ' \
	'^array .* because ends\.c:[0-9]+ sets it to 12\.375\.$'
located plain freed
like "locate: what is gone has no element" "$out" \
	'^array u, wrong after the last point 2\.E, when it was forgotten or freed\.$' '^  means      reference 6\.125, this run 7\.8125$'
located plain right-scaled
like "locate: nothing differs, up to where" "$out" '^status 0$' '^nothing differs: .*, up to 2\.E and at the end of the program\.$'

# The end looks like the end, and has no number of its own.
dvm 60 'compare ref.plain.right-scaled
set STOP_ON mismatch
run
where
cont
points
status' -n 3 ./plain scaled
like "a stop where the program ends" "$out" '^The end of the program  \[0:2\]  ends\.c:[0-9]+  checksums differ$' \
	'^.*  \[0:2\]  END  ends\.c:[0-9]+ +end$' '^  \[0:2\]  exited +code 0  last seen at 2\.E$' '^2\.E  parallel loop  '
unlike "… and no construct 3" "$out" '3\.[BE]'

# What is printed.
printed='^Finding printed .*: "'
finds plain print-once "${printed}error 1\\.8750e-03 after 10 steps\" was printed, .*: 1\\.8750e-03 != 1\\.2500e-03"
finds plain print-each "${printed}part 7: norm1 = 3\\.000\" was printed, .*: 3\\.000 != 2\\.000"
finds plain print-words "${printed}grid16x16 of run2b at 0x1f: 1\\.0E-03, 2\\.25D\\+02, done3\" was printed, .*: 2\\.25D\\+02 != 1\\.50D\\+02"
finds plain print-two "${printed}sum 0\\.127\" was printed"
compared plain print-digit
like "one unit of the last digit is none" "$out" '^status 0$'
compared plain print-turns
like "lines come in any order" "$out" '^status 0$' ': equal$'
located plain print-once
like "locate: printed results" "$out" '^status 1$' '^printed results differ' '^  this run   error 1\.8750e-03 after 10 steps$' \
	'^  - no registered object has that number: register the variable that is printed, .* with DVMDBG_REPLICATED, '
unlike "… so it is not said that nothing differs" "$out" 'nothing differs'
located plain print-random
like "locate: what two references print otherwise is no finding" "$out" '1\.8750e-03 here, 1\.2500e-03 in the reference$'
unlike "… only the rest is" "$out" 'this run   seed'
out=$(timeout -k 5 60 "$DVMDBG" compare --set "OUTPUT_IGNORE=error" -r ref.plain.print-once -n 3 ./plain print-once 2>&1; echo "status $?")
like "OUTPUT_IGNORE" "$out" '^status 0$' ': equal$'

# In Fortran.
fortran() { "mpif90.$mpi" -g -O1 -J mod "$srcdir/runtime/dvmdbg.f90" "$srcdir/tests/prog/locate/ends.f90" -o fortran $libs; }
mkdir mod
if fortran >said 2>&1; then
	finds fortran both '"u", .*: 3\.0625 != 3\.[0-9]* when it was forgotten or freed, after the last point 1\.E' \
		"${printed} total = +[0-9.]+ *\" was printed, .*: 187\.50* != 147\.00*"
else
	skip "Fortran" "$(head -n 1 said)"
fi
no_leak ends
done_testing
