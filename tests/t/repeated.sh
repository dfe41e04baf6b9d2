# SPDX-License-Identifier: GPL-3.0-or-later
# Calls that are made again and again are counted and checked like the first: a receive without a send is a deadlock after a
# hundred that had theirs, a message of another type is found between others, and a correct program has no finding.
. "$(dirname "$0")/lib.sh"
own_program hang/repeated.c
for mpi in $(mpis); do
	"mpicc.$mpi" -g -O0 "$src" -o "repeated.$mpi" || { not_ok "$mpi: it compiles"; continue; }
	batch() { out=$(timeout -k 5 60 "$DVMDBG" -n 2 --batch --set HANG_TIMER=1 -e cont "./repeated.$mpi" "$1" 2>&1 </dev/null); status=$?; }
	batch wait
	like "$mpi: one receive more than sends" "$out" "deadlock" "$(source_line '/* one more */')"
	is "$mpi: the exit status of a deadlock" $status 3
	batch tear
	like "$mpi: a message of another type" "$out" \
		"^Finding .*receives as reals of 4 bytes what MPI_Send at .* sends as integers of 4 bytes .*$(source_line '/* torn */')"
	batch right
	unlike "$mpi: no finding" "$out" Finding
	is "$mpi: the exit status without one" $status 0
done
no_leak "repeated calls"
done_testing
