# SPDX-License-Identifier: GPL-3.0-or-later
# Calls that are made again and again are counted and checked like the first: a receive without a send is a deadlock after a
# hundred that had theirs, a message of another type is found between others, and a correct program has no finding.
. "${0%/*}/lib.sh"
own_program hang/repeated.c
for mpi in $(mpis); do
	"mpicc.$mpi" -g -O0 "$src" -o "repeated.$mpi" || { not_ok "$mpi: it compiles"; continue; }
	batch() { out=$(timeout -k 5 60 "$DVMDBG" -n 2 --batch --set HANG_TIMER=1 --set HANG_LIMIT=3 -e cont "./repeated.$mpi" "$1" 2>&1 </dev/null); status=$?; }
	batch wait
	like "$mpi: one receive more than sends" "$out" '^Deadlock: \[0:1\] can never go on' \
		"^  \[0\]  MPI_Recv from 1, tag 0, .*$(source_line '/* one more */')  for .*, waits for \[1\]$" \
		"^  \[1\]  MPI_Recv from 0, tag 1, .*$(source_line '/* one more */')  for .*, waits for \[0\]$"
	unlike "$mpi: not only no progress" "$out" '^No progress'
	is "$mpi: the exit status of a deadlock" $status 3
	batch tear
	like "$mpi: a message of another type" "$out" \
		"^Finding .*receives as reals of 4 bytes what MPI_Send at .* sends as integers of 4 bytes .*$(source_line '/* torn */')"
	batch extra
	like "$mpi: one message that nobody receives" "$out" \
		"^Finding unreceived  \[0\]  .*: MPI_Send: its message of tag 0 to \[1\] is never received  $(source_line '/* extra */')  #"
	is "$mpi: no other is" "$(grep -c ^Finding <<<"$out")" 1
	batch right
	unlike "$mpi: no finding" "$out" Finding
	is "$mpi: the exit status without one" $status 0
done
no_leak "repeated calls"
done_testing
