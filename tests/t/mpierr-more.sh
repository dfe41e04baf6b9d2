# SPDX-License-Identifier: GPL-3.0-or-later
# More errors of MPI in one job of two ranks, which goes on behind each: the call, the line, and what is wrong; and the same
# calls as they should be.
. "${0%/*}/lib.sh"

src=$srcdir/tests/prog/mpierr/more.c
export MPIERR_FILE=$tmp/file
# batch CASE…: sets $out and $status
batch()
{
	out=$(timeout -k 5 60 "$DVMDBG" -n 2 --batch --set STOP_TIMER=1 --set HANG_TIMER=1 -e cont -e 'findings -all' "$exe" "$@" </dev/null 2>&1)
	status=$?
}
# case, kind, what is said
wrong() { cat <<'EOT'
recv_tag misuse MPI_Irecv: the tag \(argument 5\) is -3
recv_count misuse MPI_Irecv: the count \(argument 2\) is -2; it has to be 0 or more
recv_type misuse MPI_Irecv: the datatype \(argument 3\) is MPI_DATATYPE_NULL
isend_dest misuse MPI_Isend: the destination \(argument 4\) is rank 2, of a communicator with 2 ranks
ssend_null misuse MPI_Ssend: the communicator \(argument 6\) is MPI_COMM_NULL
probe_source misuse MPI_Iprobe: the source \(argument 1\) is rank 7, of a communicator with 2 ranks
sendrecv_dest misuse MPI_Sendrecv: the destination \(argument 4\) is rank 5, of a communicator with 2 ranks
init_tag misuse MPI_Send_init: the tag \(argument 5\) is -9
freed_type misuse MPI_Send: the datatype \(argument 3\) has been freed
waitall_count misuse MPI_Waitall: the number of requests \(argument 1\) is -1
start_inactive request MPI_Start: the request is of MPI_Isend, which cannot be started
reduce_root misuse MPI_Reduce: the root \(argument 6\) is rank 9, of a communicator with 2 ranks
gather_root misuse MPI_Gather: the root \(argument 7\) is rank -8, of a communicator with 2 ranks
scatter_type misuse MPI_Scatter: the datatype \(argument 6\) is MPI_DATATYPE_NULL
alltoall_count misuse MPI_Alltoall: the count \(argument 2\) is -4; it has to be 0 or more
scan_op misuse MPI_Scan: the operation \(argument 5\) is MPI_OP_NULL
ireduce_root misuse MPI_Ireduce: the root \(argument 6\) is rank 4, of a communicator with 2 ranks
uncommitted_gather misuse MPI_Allgather: the datatype \(argument 6\) has not been committed
rank_in_group misuse MPI_Group_incl: position 0 \(argument 3\) is rank 6, of a group with 2 ranks
free_world misuse MPI_Comm_free: it has failed
free_op misuse MPI_Op_free: the operation \(argument 1\) is MPI_SUM, which cannot be freed
put_target misuse MPI_Put: the target \(argument 4\) is rank 8, of a window with 2 ranks
get_count misuse MPI_Get: it has failed
accumulate_op misuse MPI_Accumulate: it has failed
lock_target misuse MPI_Win_lock: it has failed
complete_alone onesided MPI_Win_complete: MPI_Win_start has not been called
unlock_all_alone onesided MPI_Win_unlock_all: MPI_Win_lock_all has not been called
flush_alone onesided MPI_Win_flush: the window is not locked
file_offset misuse MPI_File_write_at: the offset \(argument 2\) is -5
file_count misuse MPI_File_write_at: the count \(argument 4\) is -1; it has to be 0 or more
file_read_only misuse MPI_File_write_at: it has failed
file_uncommitted misuse MPI_File_write_at: the datatype \(argument 5\) has not been committed
EOT
}
for mpi in $(mpis); do
	mpi_compilers "$mpi"
	exe=$tmp/more.$mpi
	"$cc" -g -O0 -w "$src" -o "$exe" || { not_ok "$mpi: more.c compiles"; continue; }
	# shellcheck disable=SC2046
	batch $(wrong | cut -d ' ' -f 1)
	while read -r name kind text; do
		like "$mpi: $name" "$out" "^Finding $kind  \\[0:1\\]  .*: $text.*  more\\.c:$(grep -n "/\\* $name \\*/" "$src" | cut -d: -f1)  #"
	done < <(wrong)
	like "$mpi: the job comes to its end" "$out" '^done$'
	is "$mpi: findings count" "$status" 1
	batch right
	like "$mpi: correct calls" "$out" "^no findings$"
	is "$mpi: correct calls: status" "$status" 0
done

no_leak "more errors"
done_testing
