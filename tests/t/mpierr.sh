#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Errors of MPI are findings with the call, the line and what is wrong; correct programs have none.
. "${0%/*}/lib.sh"

src=$srcdir/tests/prog/mpierr/mpierr.c
# at CASE: place of the line with that comment
at() { echo "mpierr\\.c:$(line_with "/* $1 */" "$src")"; }
# batch MPI N CASES [COMMAND…]: cont and these commands; sets $out and $status
batch()
{
	local more=() mpi=$1 n=$2 cases=$3 c
	shift 3
	for c in cont "$@"; do
		more+=(-e "$c")
	done
	# shellcheck disable=SC2086 # several cases
	out=$(timeout -k 5 60 "$DVMDBG" -n "$n" --batch --set STOP_TIMER=1 --set HANG_TIMER=1 "${more[@]}" \
		"$(prog tests/prog/mpierr/mpierr "$mpi")" $cases </dev/null 2>&1)
	status=$?
}
# finds CASE KIND TEXT: $out has that finding on both ranks at the case's line
finds() { like "$mpi: $1" "$out" "^Finding $2  \[0:1\]  .*: $3  $(at "$1")  #"; }

for mpi in $(mpis); do
	at() { echo "mpierr\\.c:$(line_with "/* $1 */" "$src")"; }
	batch "$mpi" 2 'count dest source tag root type_null op_null buffer_null uncommitted comm_null
		free_predefined aliases own_part no_epoch not_locked conflict thread' findings
	finds count misuse 'MPI_Send: the count \(argument 2\) is -1; it has to be 0 or more'
	finds dest misuse 'MPI_Send: the destination \(argument 4\) is rank 2, of a communicator with 2 ranks'
	finds source misuse 'MPI_Irecv: the source \(argument 4\) is rank -7, of a communicator with 2 ranks'
	finds tag misuse 'MPI_Send: the tag \(argument 5\) is -5'
	finds root misuse 'MPI_Bcast: the root \(argument 4\) is rank 5, of a communicator with 2 ranks'
	finds type_null misuse 'MPI_Send: the datatype \(argument 3\) is MPI_DATATYPE_NULL'
	finds op_null misuse 'MPI_Allreduce: the operation \(argument 5\) is MPI_OP_NULL'
	finds buffer_null misuse 'MPI_Send: the buffer \(argument 1\) is NULL'
	finds uncommitted misuse 'MPI_Send: the datatype \(argument 3\) has not been committed'
	finds comm_null misuse 'MPI_Barrier: the communicator \(argument 1\) is MPI_COMM_NULL'
	finds free_predefined misuse 'MPI_Type_free: the datatype \(argument 1\) is MPI_INT, which cannot be freed'
	finds aliases misuse 'MPI_Allreduce: the buffers \(arguments 1 and 2\) are the same: give MPI_IN_PLACE .*'
	finds own_part collective 'MPI_Allgather: the data that are sent .* are not those that are received .*'
	finds no_epoch onesided 'MPI_Put: no epoch is open for the target \(argument 4\): call .*'
	finds not_locked onesided 'MPI_Win_unlock: the target \(argument 1\) is not locked'
	like "$mpi: conflict" "$out" "^Finding conflict  \[[01]\]  .*: MPI_Put at .* on \[[01]\] and MPI_Put at $(at conflict) on \[[01]\] overlap in bytes 20:23 of the window .*  $(at conflict)  #"
	finds thread misuse 'another thread than the first calls MPI, which was begun with MPI_THREAD_FUNNELED'
	is "$mpi: wrong calls: findings count" "$status" 1

	batch "$mpi" 2 'recv_count recv_type recv_null in_place op_type overlapping pieces dims color subarray lengths members
		lock_kind mode file_null' findings
	like "$mpi: recv_count" "$out" \
		"^Finding misuse  \[0\]  .*: MPI_Gatherv: the count at position 1 \(argument 5\) is -4  $(at recv_count)  #"
	finds recv_type misuse 'MPI_Allgather: the datatype \(argument 6\) is MPI_DATATYPE_NULL'
	finds recv_null misuse 'MPI_Sendrecv: the buffer \(argument 6\) is NULL'
	finds in_place misuse 'MPI_Bcast: MPI_IN_PLACE is not allowed for this buffer \(argument 1\)'
	finds op_type misuse 'MPI_Allreduce: MPI_BAND \(argument 5\) is not defined for MPI_DOUBLE \(argument 4\)'
	finds overlapping misuse 'MPI_Allgather: the buffers \(arguments 1 and 4\) overlap'
	finds pieces misuse 'MPI_Allgatherv: the pieces of ranks 0 and 1 \(arguments 5 and 6\) overlap'
	finds dims misuse 'MPI_Cart_create: dimension 0 \(argument 3\) is -2'
	finds color misuse 'MPI_Comm_split: the color \(argument 2\) is -12'
	finds subarray misuse 'MPI_Type_create_subarray: the part of dimension 1 begins at 3 and has 2 of 4 elements .*'
	finds lengths misuse 'MPI_Type_indexed: the length at position 1 \(argument 2\) is -1'
	finds members misuse 'MPI_Group_incl: rank 1 is at two positions \(argument 3\)'
	finds lock_kind misuse 'MPI_Win_lock: the lock \(argument 1\) is -77, neither .*'
	finds mode misuse 'MPI_File_open: the mode \(argument 3\) has several of .*'
	finds file_null misuse 'MPI_File_write_at: the file \(argument 1\) is MPI_FILE_NULL'

	batch "$mpi" 2 'lost_request overwritten started_twice persistent_left left' findings 'findings -leaks'
	finds lost_request request 'MPI_Isend: its request is never completed'
	finds overwritten request 'MPI_Irecv: its request is never completed: MPI_Irecv has put another in its place'
	finds started_twice request 'MPI_Start: the request of MPI_Recv_init is started again before it is complete'
	finds persistent_left leak 'MPI_Recv_init: its request is never freed'
	finds 'left comm' leak 'MPI_Comm_dup: 3 of its communicators are never freed'
	finds 'left type' leak 'MPI_Type_vector: its datatype is never freed'
	finds 'left group' leak 'MPI_Comm_group: its group is never freed'
	finds 'left op' leak 'MPI_Op_create: its operation is never freed'
	is "$mpi: leaks are shown by findings -leaks alone" "$(grep -c '^Finding leak' <<<"$out")" 5
	is "$mpi: requests: findings count" "$status" 1

	batch "$mpi" 2 left
	unlike "$mpi: leaks are not reported" "$out" Finding
	is "$mpi: nor do they count" "$status" 0

	# the first rank's error ends the others, which may not have said theirs when it is reported
	batch "$mpi" 2 fatal findings
	like "$mpi: an error that ends the program" "$out" "^Finding misuse  \[(0|1|0:1)\].*$(at fatal)  #" \
		"^Finding mpi  \[(0|1|0:1)\]  .*: MPI_Send: .*$(at fatal)  #" '^Error of MPI  \[0:1\]$' \
		"error of MPI at $(at fatal) in fatal\(\), calling MPI_Send"
	unlike "$mpi: it is no call of MPI_Abort" "$out" MPI_Abort
	is "$mpi: its status" "$status" 1
	batch "$mpi" 2 restored
	like "$mpi: the handler is set again" "$out" "^Finding mpi  \[(0|1|0:1)\]  .*: MPI_Send: .*$(at restored)  #"
	batch "$mpi" 2 truncated
	like "$mpi: a message that is too long" "$out" "^Finding mpi  \[1\]  .*: MPI_Recv: .*$(at truncated)  #" \
		"^Finding message  \[1\]  .*: MPI_Recv takes 1 of MPI_INT, MPI_Send at $(at 'longer send') on rank 0 sends 4  $(at truncated)  #"
	batch "$mpi" 2 abort_
	like "$mpi: a call of MPI_Abort" "$out" '^MPI_Abort\(7\)  \[1\]' \
		"MPI_Abort\(7\) at $(at abort) in abort_\(\), calling MPI_Abort"
	batch "$mpi" 2 late
	like "$mpi: a call after the end" "$out" "^Finding misuse  .*: MPI_Comm_size is called after MPI_Finalize  $(at late)  #"

	batch "$mpi" 2 unfinalized
	like "$mpi: no call of MPI_Finalize" "$out" \
		"^Finding unfinalized  \[0:1\]  the program ends without MPI_Finalize: after MPI_Barrier  $(at unfinalized)  #"
	is "$mpi: it counts" "$status" 1
	batch "$mpi" 2 'unfinalized with an error'
	unlike "$mpi: an exit code says enough" "$out" 'Finding unfinalized'
	is "$mpi: an exit code: status" "$status" 3
	batch "$mpi" 2 unfinalized_yet
	like "$mpi: MPI_Finalize in a handler of exit" "$out" '^finalized$'
	unlike "$mpi: is early enough" "$out" Finding
	is "$mpi: a handler: status" "$status" 0

	# what only the place of a buffer, or the time of a call, shows; optimised, too
	for opt in -O0 -O2; do
		esrc=${src%/*}/extents.c
		"mpicc.$mpi" -g $opt "$esrc" -o "$tmp/extents" -pthread 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
		extents() {
			out=$(timeout -k 5 60 "$DVMDBG" hang --set LEAKS=ON --set STOP_TIMER=1 --set BAD_TIMER=0 -n 2 "$tmp/extents" "$@" </dev/null 2>&1)
			status=$?
		}
		at() { echo "extents\\.c:$(line_with "/* $1 */" "$esrc")"; }
		extents local sent global heap overlap freed
		# optimised code has several variables at one place, and other lines
		if [ $opt = -O0 ]; then
			finds local misuse 'MPI_Recv: the buffer \(argument 1\), small, has 16 bytes, and 40 are written'
			finds sent misuse 'MPI_Allgather: the buffer \(argument 1\), some, has 2 bytes, and 4 are read'
			finds global misuse 'MPI_Send: the buffer \(argument 1\), whole, has 8 bytes, and 20 are read'
		fi
		finds heap misuse 'MPI_Send: the buffer \(argument 1\) has 24 bytes, of a block that malloc has given, and 48 are read'
		finds overlap misuse 'MPI_Recv: parts of the datatype \(argument 3\) overlap, of data that are received'
		finds freed leak 'MPI_Irecv: its request is freed before it is complete, so that nothing says when the data are there'
		# what MPICH finds, too, ends the program there
		extents global unfenced
		like "$mpi: and what is looked for behind it" "$out" \
			'^Finding misuse  \[0:1\]  .*: MPI_Send: the buffer \(argument 1\), whole, has 8 bytes, and 20 are read '
		finds unfenced onesided 'MPI_Win_free: MPI_Put is not complete: call MPI_Win_fence before'
		extents precedes
		finds precedes onesided 'MPI_Win_fence: MPI_MODE_NOPRECEDE is given, and MPI_Put was called since the last one'
		extents returned
		finds returned onesided 'MPI_Win_fence: the memory of the window was of a function that has returned'
		extents gathered
		like "$mpi: a buffer of a collective" "$out" "^Finding misuse  \[0\]  .*: MPI_Gather: the buffer \(argument 4\) is NULL  $(at gathered)  #"
		extents ended
		finds ended misuse 'MPI_Finalize is called by another thread than MPI_Init'
		extents right
		unlike "$mpi, $opt: buffers that are long enough" "$out" '^Finding'
		is "$mpi, $opt: their status" "$status" 0
	done

	fsrc=${src%.c}.f90
	if command -v "mpif90.$mpi" >/dev/null && "mpif90.$mpi" -g "$fsrc" -o "$tmp/f.$mpi" 2>/dev/null; then
		out=$(timeout -k 5 60 "$DVMDBG" -n 2 --batch --set STOP_TIMER=1 -e cont -e 'findings -leaks' "$tmp/f.$mpi" \
			</dev/null 2>&1)
		f() { echo "mpierr\\.f90:$(grep -n "! $1\$" "$fsrc" | cut -d: -f1)  #"; }
		unlike "$mpi: in Fortran: error handlers are as they are set" "$out" 'wrong handler'
		like "$mpi: in Fortran" "$out" "MPI_Send: the count \(argument 2\) is -1; it has to be 0 or more  $(f count)" \
			"MPI_Bcast: the datatype \(argument 3\) has not been committed  $(f uncommitted)" \
			"MPI_Type_contiguous: its datatype is never freed  $(f left)" 'MPI_Isend: its request is never completed'
	else
		skip "$mpi: in Fortran" 'no Fortran'
	fi

	MPIERR_FILE=$tmp/file batch "$mpi" 3 'right_requests right_types right_arguments right_special right_file right_onesided right_handlers' \
		'findings -leaks'
	like "$mpi: correct programs" "$out" '^no findings$' '^done$'
	unlike "$mpi: their error handlers are as they set them" "$out" 'wrong handler'
	is "$mpi: their status" "$status" 0
done

mpi=$(first_mpi)
out=$(timeout -k 5 60 "$DVMDBG" -n 2 --batch --set LEAKS=ON --json -e cont \
	"$(prog tests/prog/mpierr/mpierr "$mpi")" left </dev/null 2>/dev/null)
is 'leaks as findings: status' $? 1
like 'leaks as findings, in JSON' "$out" \
	'"type": ?"finding".*"kind": ?"leak".*"detail": ?"MPI_Comm_dup: 3 of its communicators are never freed"'

no_leak 'nothing is left behind'
done_testing
