#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Collectives and messages that do not match those of other ranks are findings, though MPI lets them pass; correct
# programs have none.
. "${0%/*}/lib.sh"

src=$srcdir/tests/prog/mpierr/match.c
# at CASE: place of the line with that comment
at() { echo "match\\.c:$(line_with "/* $1 */" "$src")"; }
# batch MPI CASES [RANKS]: cont; sets $out and $status
batch()
{
	# shellcheck disable=SC2086 # several cases
	out=$(timeout -k 5 60 "$DVMDBG" -n "${3:-2}" --batch --set STOP_TIMER=1 --set HANG_TIMER=1 -e cont \
		"$(prog tests/prog/mpierr/match "$1")" $2 </dev/null 2>&1)
	status=$?
}
# collective CASE NUMBER TEXT: $out has it, at the case's line
collective() { like "$mpi: $1" "$out" "^Finding collective  \[0:1\]  .*: collective $2 on (the|a) communicator .*: $3  $(at "$1")  #"; }
# both CASE CALL A B: the call of both ranks, which differ in these words
both() { collective "$1" "${5:-1}" "$2 $3 at $(at "$1") on \[0\], $2 $4 at $(at "$1") on \[1\]"; }
# message CASE RANKS TEXT: $out has it, at the line of the receive
message() { like "$mpi: $1" "$out" "^Finding message  \[$2\]  .*: $3  $(at "$1")  #"; }

for mpi in $(mpis); do
	batch "$mpi" 'root op count type derived gather gatherv scatterv alltoallv neighbor graph nonblocking often allgatherv'
	both root MPI_Bcast 'with root 0' 'with root 1'
	both op MPI_Allreduce 'with MPI_SUM' 'with MPI_MAX'
	both count MPI_Bcast 'of 1 integer of 4 bytes' 'of 2 integers of 4 bytes' 2
	both type MPI_Bcast 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	like "$mpi: derived" "$out" "MPI_Bcast of 3 reals of 4 bytes at $(at derived) on \[1\]"
	both gather MPI_Gather 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	collective gatherv 1 'MPI_Gatherv: \[1\] sends 1 integer .*, \[0\] expects 2 integers of 4 bytes of it .*'
	collective scatterv 1 'MPI_Scatterv: \[0\] sends 1 integer .*, \[1\] expects 2 integers of 4 bytes of it .*'
	collective alltoallv 1 'MPI_Alltoallv: \[1\] sends 1 integer .*, \[0\] expects 2 integers of 4 bytes of it .*'
	collective neighbor 2 'MPI_Neighbor_alltoall: \[1\] sends 2 reals of 4 bytes .*, \[0\] expects 2 integers of 4 bytes of it .*'
	collective graph 1 'MPI_Neighbor_allgather: \[1\] sends 2 integers .*, \[0\] expects 4 integers of 4 bytes of it .*'
	both nonblocking MPI_Iallreduce 'with MPI_SUM' 'with MPI_PROD'
	like "$mpi: in a communicator that was made" "$out" \
		"collective 6 on the communicator of MPI_Comm_split at $(at 'often made'): .* with MPI_SUM"
	is "$mpi: a loop has one" "$(grep -c "$(at often)  #" <<<"$out")" 1
	both allgatherv MPI_Allgatherv 'of counts of 2 in all' 'of counts of 3 in all'
	is "$mpi: they count" "$status" 1

	batch "$mpi" 'scan_op exscan_op reduce_op scatter_op ireduce_op iscan_op reduce_type allgather_type alltoall_type scatter_type
		igather_type ialltoall_type iallgather_type ibcast_type'
	both scan_op MPI_Scan 'with MPI_SUM' 'with MPI_MAX'
	both exscan_op MPI_Exscan 'with MPI_SUM' 'with MPI_MAX'
	both reduce_op MPI_Reduce 'with MPI_SUM' 'with MPI_MAX'
	both scatter_op MPI_Reduce_scatter_block 'with MPI_SUM' 'with MPI_MAX'
	both ireduce_op MPI_Ireduce 'with MPI_SUM' 'with MPI_MAX'
	both iscan_op MPI_Iscan 'with MPI_SUM' 'with MPI_MAX'
	both reduce_type MPI_Reduce 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	both allgather_type MPI_Allgather 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	both alltoall_type MPI_Alltoall 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	both scatter_type MPI_Scatter 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	both igather_type MPI_Igather 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	both ialltoall_type MPI_Ialltoall 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	both iallgather_type MPI_Iallgather 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	both ibcast_type MPI_Ibcast 'of 1 integer of 4 bytes' 'of 1 real of 4 bytes'
	is "$mpi: as many as there are" "$(grep -c '^Finding collective' <<<"$out")" 14

	batch "$mpi" 'between_type between_op between_bcast'
	collective between_type 1 'MPI_Allgather: \[0\] sends 1 integer of 4 bytes .*, \[1\] expects 1 real of 4 bytes of it .*'
	both between_op MPI_Allreduce 'with MPI_SUM' 'with MPI_MAX'
	collective between_bcast 1 'MPI_Bcast: \[0\] sends 2 integers of 4 bytes .*, \[1\] expects 1 integer of 4 bytes of it .*'
	batch "$mpi" right_between 3
	is "$mpi: between groups of other sizes: status" "$status" 0
	unlike "$mpi: between groups of other sizes" "$out" Finding

	batch "$mpi" 'message requests exchange anybody structure persistent bytes'
	message message 1 "MPI_Recv receives as reals of 4 bytes what MPI_Send at $(at 'message sent') sends as integers of 4 bytes"
	message requests 0:1 "MPI_Irecv receives as reals of 8 bytes what MPI_Isend at $(at 'requests sent') sends as .*"
	message exchange 0:1 'MPI_Sendrecv receives as unsigned integers of 4 bytes what .*'
	message anybody 0 "MPI_Recv receives as reals of 4 bytes what MPI_Send at $(at 'anybody sent') .*"
	message structure 1 'MPI_Recv receives as integers of 4 bytes what .* sends as elements of several types'
	message persistent 1 "MPI_Recv_init receives as integers of 4 bytes what MPI_Send_init at $(at 'persistent sent') .*"
	message bytes 0:1 'MPI_Sendrecv receives as integers of 4 bytes what .* sends as bytes'
	is "$mpi: messages count" "$status" 1

	batch "$mpi" 'unreceived alone'
	like "$mpi: messages that nobody receives" "$out" \
		"^Finding unreceived  \[1\]  .*: MPI_Send: 2 of its messages of tag 9 to \[0\] are never received  $(at unreceived)  #"
	like "$mpi: a collective that others do not call" "$out" \
		"^Finding collective  \[1\]  .*: collective 1 on the communicator of .*: MPI_Reduce at $(at alone) on \[1\], not called on \[0\]  $(at alone)  #"
	is "$mpi: no more of them" "$(grep -c ^Finding <<<"$out")" 2

	batch "$mpi" kind
	like "$mpi: kind" "$out" "MPI_Bcast at $(at kind) on \[0\], MPI_Reduce at match\.c:[0-9]* on \[1\]  $(at kind)  #"

	batch "$mpi" 'right_collectives right_kinds right_lists right_neighbors right_more right_received'
	is "$mpi: correct programs: status" "$status" 0
	unlike "$mpi: correct programs" "$out" Finding
	batch "$mpi" right_messages
	unlike "$mpi: correct messages" "$out" Finding

	# MPI itself may break on these two
	batch "$mpi" copied
	like "$mpi: a request that is complete" "$out" \
		"^Finding request  .*: MPI_Test: the request of MPI_Irecv is complete or freed already  $(at copied)  #"
	batch "$mpi" freed_twice
	like "$mpi: one that is freed" "$out" \
		"^Finding request  .*: MPI_Request_free: the request of MPI_Recv_init is complete or freed already  $(at freed_twice)  #"
	batch "$mpi" 'changed overlaps busy returned window'
	like "$mpi: a buffer that is changed" "$out" \
		"^Finding buffer  .*: MPI_Isend: its buffer \(argument 1\) is changed before it is complete  $(at changed)  #"
	like "$mpi: one for two requests" "$out" \
		"^Finding buffer  .*: MPI_Irecv writes the buffer \(argument 1\) of MPI_Irecv at match.c:[0-9]*, which MPI writes .*  $(at overlaps)  #"
	like "$mpi: one that is sent meanwhile" "$out" \
		"^Finding buffer  .*: MPI_Send reads the buffer \(argument 1\) of MPI_Irecv at match.c:[0-9]*, which MPI writes .*  $(at busy)  #"
	like "$mpi: an error that is returned" "$out" \
		"^Finding misuse  .*: MPI_Sendrecv: it has failed: .*[Tt]runcate.*  $(at returned)  #"
	like "$mpi: one of a window" "$out" "$(at window)  #"
	batch "$mpi" 'right_buffers right_errors'
	is "$mpi: correct buffers: status" "$status" 0
	unlike "$mpi: correct buffers" "$out" Finding

	fsrc=${src%.c}.F90
	for with in '' -DF08; do
		if ! command -v "mpif90.$mpi" >/dev/null || ! "mpif90.$mpi" $with -g "$fsrc" -o "$tmp/f.$mpi" 2>/dev/null; then
			skip "$mpi: in Fortran $with" 'no Fortran'
			continue
		fi
		out=$(timeout -k 5 60 "$DVMDBG" -n 2 --batch --set STOP_TIMER=1 -e cont "$tmp/f.$mpi" </dev/null 2>&1)
		f() { echo "match\\.F90:$(grep -n "! $1\$" "$fsrc" | cut -d: -f1)"; }
		like "$mpi: in Fortran $with" "$out" \
			"collective 5 on MPI_COMM_WORLD: .* with MPI_SUM at $(f op) on \[0\], .* with MPI_MAX at $(f 'other op') on \[1\]" \
			"receives as reals of 4 bytes what MPI_Send at $(f sent) sends as integers of 4 bytes  $(f received)"
		is "$mpi: in Fortran $with: no more" "$(grep -c '^Finding' <<<"$out")" 2
	done
done

no_leak 'nothing is left behind'
done_testing
