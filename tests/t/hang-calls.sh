# SPDX-License-Identifier: GPL-3.0-or-later
# Collectives of all kinds, files, windows, between groups and of neighbours, that one of two ranks never calls: each is named with
# its line and for whom it waits. When the other rank only comes late, nobody is accused.
. "${0%/*}/lib.sh"

src=$srcdir/tests/prog/hang/calls.c
# Of windows that several communicators make at a time Open MPI's shared memory has the files in each other's way.
export OMPI_MCA_osc=pt2pt
at() { echo "calls\\.c:$(line_with "/* $1 */" "$src")"; }
f() { echo "calls\\.F90:$(line_like "! $1\$" "${src%.c}.F90")"; }
# hang N ARGS…: sets $out and $status
hang()
{
	out=$(timeout -k 5 120 "$DVMDBG" hang --set HANG_TIMER=1 --set HANG_LIMIT=60 -n "$1" "$exe" "${@:2}" </dev/null 2>&1)
	status=$?
}
# waits RANK CASE CALL: that rank is in it, for the next one
waits()
{
	like "$mpi: $2" "$out" "^  \\[$1\\] +$3 .*$(at "$2")  for .*, waits for \\[$(($1 + 1))\\]$"
}

for mpi in $(mpis); do
	mpi_compilers "$mpi"
	exe=$tmp/calls.$mpi
	"$cc" -g -O0 -w "$src" -o "$exe" || { not_ok "$mpi: calls.c compiles"; continue; }
	# ranks of MPICH that wait take the processors
	n=8
	! in_set all || [ "$mpi" != "$(first_mpi)" ] || n=32
	! in_set long || n=32
	# MPICH takes the lock later: that it is not there is not known
	[ "$n-$mpi" != 32-openmpi ] || n=34
	hang "$n" stuck "$tmp/file"
	like "$mpi: all hang" "$out" "^Deadlock: \\[0:$((n - 1))\\] can never go on" "^  \\[1,3,.*\\] +MPI_Recv from rank-1, tag 99, .*$(at other)"
	is "$mpi: a deadlock: status" "$status" 3
	unlike "$mpi: what is kept of windows is no message" "$out" 'tag -1[0-9]'
	waits 0 resized 'MPI_File_set_size on the file of MPI_File_open'
	waits 2 neighbors 'MPI_Neighbor_alltoall .* on the communicator of MPI_Cart_create'
	waits 4 groups 'MPI_Barrier on the communicator of MPI_Intercomm_create'
	waits 6 fence 'MPI_Win_fence on the window of MPI_Win_create'
	if [ $n -gt 8 ]; then
		waits 8 split MPI_Comm_split
		waits 10 dup MPI_Comm_dup
		waits 12 allgather MPI_Allgather
		waits 14 gather 'MPI_Gather root 0,'
		waits 16 scan MPI_Reduce_scatter_block
		waits 18 iallreduce MPI_Wait
		like "$mpi: what the request is of" "$out" "^      MPI_Iallreduce .*$(at 'iallreduce post')$" "^      MPI_Issend to .*$(at 'issend post')$"
		waits 20 replace 'MPI_Sendrecv_replace to 21,'
		waits 22 issend MPI_Wait
		waits 24 window MPI_Win_create
		waits 26 opened MPI_File_open
		waits 28 started 'MPI_Win_(start|complete) on the window of MPI_Win_create'
		waits 30 exposed 'MPI_Win_wait on the window of MPI_Win_create'
		[ $n != 34 ] || waits 32 locked 'MPI_Win_lock to 32 on the window of MPI_Win_create'
	fi
	in_set all || continue
	hang 34 late "$tmp/late" 1.5
	like "$mpi: late: all come to the end" "$out" '^done$'
	unlike "$mpi: late: nobody is accused" "$out" 'Deadlock|Finding'
	is "$mpi: late: status" "$status" 0

	for f08 in "" -DF08; do
		name="$mpi: in Fortran, with mpi${f08:+_f08}"
		if ! "$fc" -g -O0 $f08 "${src%.c}.F90" -o "$exe" 2>/dev/null; then
			skip "$name" 'no such module'
			continue
		fi
		hang 8
		like "$name" "$out" '^Deadlock: \[0:7\] can never go on' "^  \[1,3,5,7\] +MPI_Recv from rank-1, tag 99, .*$(f other)" \
			"^  \[0\] +MPI_Allgather .*$(f allgather)  for .*, waits for \[1\]$" \
			"^  \[2\] +MPI_Comm_split .*$(f split)  for .*, waits for \[3\]$" \
			"^  \[4\] +MPI_Ssend to 5, tag 3.*$(f ssend)  for .*, waits for \[5\]$" \
			"^  \[6\] +MPI_Waitall .*$(f ibarrier)  for .*, waits for \[7\]$"
		is "$name: status" "$status" 3
		[ -n "$f08" ] || continue
		hang 8 late
		like "$name: late: all come to the end" "$out" '^done$'
		unlike "$name: late: nobody is accused" "$out" 'Deadlock|Finding'
	done
done

no_leak "calls"
done_testing
