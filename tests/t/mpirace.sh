#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory that MPI or other ranks may access at the same time: conflicts are findings with both accesses, correct programs
# have none.
. "${0%/*}/lib.sh"

src=$srcdir/tests/prog/mpierr/race.c
libs=
cd "$tmp" || exit 1
# at CASE N: the place of its N-th access
at() { echo "race\\.c:$(line_with "/* $1 $2 */" "$src")"; }
# batch PROGRAM CASES: cont; sets $out and $status
batch()
{
	# shellcheck disable=SC2086 # several cases
	out=$(timeout -k 5 60 "$DVMDBG" -n 3 --batch --set STOP_TIMER=1 --set HANG_TIMER=1 -e cont "./$1" $2 </dev/null 2>&1)
	status=$?
}
# conflict CASE A RANK B RANK [BYTES]: of two accesses to a window, whichever is named first
conflict()
{
	like "$mpi: $1" "$out" "^Finding conflict  .*: ($2 at $(at "$1" 1) on \[$3\] and $4 at $(at "$1" 2) on \[$5\]|$4 at $(
		)$(at "$1" 2) on \[$5\] and $2 at $(at "$1" 1) on \[$3\]) overlap in bytes ${6:-[0-9]*:[0-9]*} of the window of MPI_Win_create at race\.c:[0-9]* on \[[0-9]\]"
}
# buffer CASE BY DOES ARGUMENT CALL RANKS: a buffer that is used
buffer()
{
	like "$mpi: $1" "$out" "^Finding buffer  \[${6:-0:2}\]  .*: $2 $3 the buffer \(argument $4\) of $5 at $(at "$1" 1), which MPI .*  $(at "$1" 2)  #"
}

plain='put_put get_put shared posted same flushed types columns into unordered get_twice get_send begun gathered'
right='right_epochs right_locks right_posts right_atomics right_halo right_requests'
for mpi in $(mpis); do
	unhooked "race.$mpi"
	hooked "hooked.$mpi"
	batch "race.$mpi" "$plain"
	conflict put_put MPI_Put 0 MPI_Put 1 24:27
	conflict get_put MPI_Get 0 MPI_Put 1 0:3
	conflict shared MPI_Put 0 MPI_Put 1
	conflict posted MPI_Put 0 MPI_Get 1 36:39
	conflict same MPI_Put 0 MPI_Put 0 24:27
	conflict flushed MPI_Put 0 MPI_Get 0
	conflict types MPI_Accumulate 0 MPI_Accumulate 1
	conflict columns MPI_Put 0 MPI_Put 1 44:47
	conflict into MPI_Get 0 'MPI_Get with its buffer there' 1 8:11
	conflict unordered MPI_Put 0 MPI_Put 1
	buffer get_twice MPI_Get writes 1 MPI_Get
	buffer get_send MPI_Sendrecv reads 1 MPI_Get
	buffer begun MPI_Iallreduce reads 1 MPI_Ibcast 1:2
	buffer gathered MPI_Allgather writes 1 MPI_Irecv
	is "$mpi: each is found once" "$(grep -c '^Finding conflict' <<<"$out")" 10
	is "$mpi: they count" "$status" 1

	batch "hooked.$mpi" 'load store origin got receives sends reduces started'
	conflict load MPI_Put 0 load 1 12:15
	conflict store MPI_Get 0 store 1 12:15
	buffer origin 'the program' writes 1 MPI_Put
	buffer got 'the program' reads 1 MPI_Rget
	buffer receives 'the program' reads 1 MPI_Irecv
	buffer sends 'the program' writes 1 MPI_Isend
	buffer reduces 'the program' writes 2 MPI_Iallreduce
	buffer started 'the program' writes 1 MPI_Recv_init
	is "$mpi: with access hooks: they count" "$status" 1

	for program in race hooked; do
		batch "$program.$mpi" "$right"
		unlike "$mpi: correct: $program" "$out" Finding
		like "$mpi: it ends: $program" "$out" '\| done$|^done$'
		is "$mpi: its status: $program" "$status" 0
	done

	fsrc=${src%.c}.f90
	if ! command -v "mpif90.$mpi" >/dev/null || ! "mpif90.$mpi" -g "$fsrc" -o "fortran.$mpi" 2>/dev/null; then
		skip "$mpi: in Fortran" 'no Fortran'
		continue
	fi
	f() { echo "race\.f90:$(grep -n "! $1\$" "$fsrc" | cut -d: -f1)"; }
	batch "fortran.$mpi" 'puts into'
	like "$mpi: in Fortran" "$out" \
		"^Finding conflict  .*: MPI_Put at race\.f90:.* and MPI_Put at race\.f90:.* overlap in bytes 24:27 of the window of MPI_Win_create at race\.f90:[0-9]* on \[2\]" \
		"^Finding buffer  \[0:2\]  .*: MPI_Send reads the buffer \(argument 1\) of MPI_Irecv at $(f 'into 1'), .*  $(f 'into 2')  #"
	is "$mpi: in Fortran: no others" "$(grep -c ^Finding <<<"$out")" 2
	batch "fortran.$mpi" right
	unlike "$mpi: in Fortran: correct" "$out" Finding
	is "$mpi: in Fortran: its status" "$status" 0
done

no_leak 'nothing is left behind'
done_testing
