# SPDX-License-Identifier: GPL-3.0-or-later
# The system trace: calls of MPI with their arguments in the traces of record -mpi, of a program without any mark; shown,
# searched, counted, drawn, exported; nothing of it where it is not asked for.
. "${0%/*}/lib.sh"
own_program traces/calls.c

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
# at WORD: "calls\.c:N" of that mark in the source
at() { echo "calls\\.c:$(line_marked "$1" "$src")"; }

# calls MPI: the program's calls are in its trace
calls()
{
	mpi=$1
	unhooked calls-$mpi || { not_ok "$mpi: it is compiled" "$(<said)"; return; }
	shell record --mpi -o "ref-$mpi" -n 3 "./calls-$mpi"
	like "$mpi: calls are recorded" "status $status
$out" '^status 0$' '^recorded traces at level MINIMAL: [0-9]+ records'
	shell trace print "ref-$mpi" -mpi -rank 0
	like "$mpi: arguments of rank 0" "$out" \
		"^\[0\] start +call MPI_Init, MPI_COMM_WORLD of 3, at 0\.[0-9]+ s for [0-9.]+ [num]?s  $(at init)\$" \
		'call MPI_Comm_dup, MPI_COMM_WORLD of 3, at ' 'call MPI_Type_contiguous, 2 MPI_DOUBLE \(16 bytes\), at' \
		"call MPI_Send to 1 tag 7, 2 \(MPI_Type_contiguous\) \(32 bytes\), twin of 3, at .*$(at send)\$" \
		'call MPI_Irecv from any tag any, 4 MPI_DOUBLE \(32 bytes\), twin of 3, makes request 1, at' \
		'call MPI_Isend to 1 tag 9, 3 MPI_DOUBLE \(24 bytes\), twin of 3, makes request 2, at' \
		"call MPI_Waitall, requests 1 2, at .*$(at waitall)\$" \
		"call MPI_Bcast root 1, 4 MPI_DOUBLE \(32 bytes\), MPI_COMM_WORLD of 3, at .*$(at bcast)\$" \
		"call MPI_Reduce root 0 MPI_MAX, 4 MPI_DOUBLE \(32 bytes\), twin of 3, at .*$(at reduce)\$" \
		'call MPI_Sendrecv to MPI_PROC_NULL tag 0 from MPI_PROC_NULL tag 0, 1 MPI_DOUBLE \(8 bytes\), 1 MPI_DOUBLE \(8 bytes\), twin' \
		'call MPI_Comm_free, twin of 3' 'call MPI_Finalize, at '
	is "$mpi: and each of the same" "$(printf '%s\n' "$out" | grep -c 'MPI_Send to 1 tag 13, ')" 5
	unlike "$mpi: of rank 0 alone, without what is only asked for" "$out" '^\[[12]\]|MPI_Comm_rank|begin|iteration'
	shell trace print "ref-$mpi" -call recv
	like "$mpi: calls of one function, and who has sent what any could" "$out" \
		"^\[1\] .*call MPI_Recv from any tag 7 got from 0 tag 7, 2 \(MPI_Type_contiguous\) \(32 bytes\), twin.*$(at recv)\$" \
		'^\[0\] .*call MPI_Recv from 1 tag 5, 1 MPI_INT \(4 bytes\)'
	is "$mpi: and no others" "$(printf '%s\n' "$out" | grep -c .)" 7
	shell trace print "ref-$mpi" -call MPI_Test
	is "$mpi: tests without success are counted" \
		"$(printf '%s\n' "$out" | sed -nE 's/.*MPI_Test, request 1, ([0-9]+) without success.*/\1/p' | awk '{ n += $1 } END { print n }')" 50
	like "$mpi: and are few records" "$(printf '%s\n' "$out" | grep -c .)" '^[1-9]$|^1[0-9]$'
}

for mpi in $(mpis); do
	calls "$mpi"
done
mpi=$(first_mpi)
shell trace stat "ref-$mpi"
like "they are counted by function and by rank" "$out" 'begin|call [0-9]+' '^calls of MPI, in [0-9.]+ s:$' \
	'^ +3  MPI_Init +0 bytes +[0-9.]+ s  longest [0-9.]+ s on \[[0-2]\]$' '^ +8  MPI_Send +108 bytes' '^ +3  MPI_Bcast +96 bytes' \
	'^ +[0-9]+  \[0\] +[0-9]+ bytes' '^ +1  MPI_Isend +24 bytes' '^ +3  MPI_Sendrecv +0 bytes' \
	'^ +3  MPI_Type_contiguous +0 bytes'
shell trace timeline "ref-$mpi" -n 40 -rank 0,2
like "they are drawn, a row for a rank" "$out" '^ +0\.000000 s +[0-9.]+ s$' '^\[0\] [.A-Za-z]{40}$' '^\[2\] [.A-Za-z]{40}$' \
	'^a column is [0-9.]+ [num]?s' '^M init, finalize$'
unlike "of the ranks that were asked for" "$out" '^\[1\]'
shell trace timeline "ref-$mpi" -span 9:
like "beyond the end there is nothing" "status $status
$out" '^status 2$' 'trace timeline -span: the last call ends after [0-9.]+ s'
for bad in 1 x:2 2:1 1:2:3; do
	shell trace timeline "ref-$mpi" -span $bad
	like "-span $bad is answered" "$out" "trace timeline -span $bad: give seconds since the first call, as 0\.5:0\.75"
done
shell trace export "ref-$mpi/trace.1.bin" text
like "the text has them as comments" "$(<text)" '^# CALL: MPI_Recv .*count=2 .*bytes=32 .*got=0 .*comm=twin .*, [0-9]+ ns, .*calls\.c:[0-9]+$'
shell trace import text back.bin
like "and is read again" "status $status" '^status 0$'
shell compare "ref-$mpi" "ref-$mpi"
unlike "calls are not compared" "$out" 'Finding|[1-9][0-9]* accesses'

# Nothing is recorded where it is not asked for, and an error is an argument as others are.
shell record -o plain -n 2 --level MINIMAL "./calls-$mpi"
shell trace print plain -mpi
like "without -mpi there are none" "$out" 'there are no calls of MPI in these traces; record -mpi keeps them'
shell trace timeline plain
like "and no time line" "status $status
$out" '^status 2$' 'trace timeline: there are no calls of MPI in these traces'
rest_in all
shell record -mpi -o wrong -n 2 "./calls-$mpi" wrong
shell trace print wrong -call send -rank 0
like "a call that fails has its code" "$out" "call MPI_Send, 1 MPI_DOUBLE \(8 bytes\), twin of 2, error [1-9][0-9]*, at .*$(at wrong)\$"
for mpi in $(mpis); do
	mpi_compilers "$mpi"
	fortran=$srcdir/tests/prog/points/collectives.F90
	"$fc" -g -cpp "$fortran" -I"$builddir/runtime" -o "fortran-$mpi" $libs -ldvmdbg_fortran >said 2>&1 || { skip "$mpi: Fortran" "$(tail -n 1 said)"; continue; }
	shell record -mpi -o "fortran-ref-$mpi" -n 2 "./fortran-$mpi"
	shell trace print "fortran-ref-$mpi" -mpi -rank 1
	like "$mpi: calls of Fortran" "$out" 'call MPI_Barrier, .* of 2, at .*collectives\.F90:[0-9]+$' \
		'call MPI_Sendrecv to MPI_PROC_NULL tag 0 from 0 tag 0, 1 MPI_DOUBLE_PRECISION \(8 bytes\)' \
		'call MPI_Allreduce MPI_SUM, 1 MPI_DOUBLE_PRECISION \(8 bytes\), MPI_COMM_WORLD of 2'
done
done_testing
