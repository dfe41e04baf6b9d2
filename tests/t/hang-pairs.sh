#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Many hangs in one job, beside ranks that only come late: who waits where, and that nobody else is accused; in C
# and in Fortran, with mpi and mpi_f08.
. "${0%/*}/lib.sh"

src=$srcdir/tests/prog/hang/pairs.c
fsrc=${src%.c}.F90
at() { echo "pairs\\.c:$(line_with "/* $1 */" "$src")  "; }
f() { echo "pairs\\.F90:$(line_like "! $1\$" "$fsrc")  "; }
# hang TIMER N PROGRAM ARGS…: sets $out and $status
hang()
{
	out=$(timeout -k 5 90 "$DVMDBG" hang --set "HANG_TIMER=$1" --set HANG_LIMIT=20 -n "${@:2}" </dev/null 2>&1)
	status=$?
}

for mpi in $(mpis); do
	mpi_compilers "$mpi"
	exe=$tmp/pairs.$mpi
	"$cc" -g -O0 -w "$src" -o "$exe" || { not_ok "$mpi: pairs.c compiles"; continue; }
	# what wildcards have taken is known when all have been in MPI for two seconds
	hang 2 30 "$exe" stuck
	like "$mpi: of 30 ranks these hang" "$out" '^Deadlock: \[0:17\] can never go on'
	like "$mpi: a wildcard has taken the message" "$out" "^  \[0\] +MPI_Recv from 1, tag 1.*$(at 'wildcard 0').*waits for \[1\]$" \
		"^  \[1\] +MPI_Recv from 0, tag 2.*$(at 'wildcard 1').*waits for \[0\]$"
	like "$mpi: MPI_Sendrecv, with other tags" "$out" "^  \[2:3\] +MPI_Sendrecv to .*, tag 3.*$(at sendrecv)" \
		'rank 2 sends tag 3 on .*; rank 3 receives tag 4 '
	like "$mpi: persistent requests" "$out" "^  \[4:5\] +MPI_Wait  $(at persistent)" \
		"^      MPI_Recv_init from .*, tag 5,.*pairs\.c:$(at 'persistent init' | tr -dc 0-9)$"
	like "$mpi: a probe for another tag" "$out" "^  \[6\] +MPI_Mprobe from 7, tag 7 .*$(at 'probed 0').*waits for \[7\]$" \
		"^  \[7\] +MPI_Ssend to 6, tag 6.*$(at 'probed 1').*waits for \[6\]$"
	like "$mpi: MPI_Waitsome" "$out" "^  \[8:9\] +MPI_Waitsome, one of 2 requests  $(at some)"
	like "$mpi: a group that does not come" "$out" "^  \[10\] +MPI_Intercomm_create on MPI_COMM_SELF .*$(at 'bridge 0').*waits for \[11\]$" \
		"^  \[11\] +MPI_Recv from 10.*$(at 'bridge 1').*waits for \[10\]$"
	like "$mpi: between groups" "$out" "^  \[12:13\] +MPI_Recv from .*the communicator of MPI_Intercomm_create at pairs.*$(at between_groups)"
	like "$mpi: persistent collectives" "$out" "^  \[14\] +MPI_Wait  $(at 'collective 0').*waits for \[15\]$" \
		"^      MPIX?_Allreduce_init .*pairs\.c:$(at 'collective init' | tr -dc 0-9)$" "^  \[15\] +MPI_Recv from 14.*$(at 'collective 1').*waits for \[14\]$"
	like "$mpi: a buffer that is not empty" "$out" "^  \[16:17\] +MPI_Buffer_detach  $(at detached)" \
		"^      MPI_Bsend to .*, tag 7, 3000000 MPI_CHAR on .*pairs\.c:$(at 'detached sent' | tr -dc 0-9)$"
	like "$mpi: who comes late" "$out" '^  \[19,21,23,25,27,29\] +computes' "^  \[18\] +MPI_Recv from 19.*$(at 'late_wildcard 0')" \
		"^  \[22\] +MPI_Intercomm_create .*$(at 'late_bridge 0')" "^  \[24\] +MPI_Probe from any.*$(at 'late_probe 0')" \
		"^  \[26\] +MPI_Wait  $(at 'late_collective 0')" "^  \[28\] +MPI_Buffer_detach  $(at detached)"
	is "$mpi: status" "$status" 3
	[ "$mpi" = "$(first_mpi)" ] || in_set long || continue
	hang 1 12 "$exe" late 1.5
	like "$mpi: who only comes late ends well" "$out" '^done$'
	unlike "$mpi: who only comes late is not accused" "$out" Deadlock
	is "$mpi: late: status" "$status" 0

	for f08 in "" -DF08; do
		name="$mpi: in Fortran, with mpi${f08:+_f08}"
		if ! "$fc" -g -O0 $f08 "$fsrc" -o "$exe" 2>/dev/null; then
			skip "$name" 'no such module'
			continue
		fi
		hang 1 8 "$exe"
		like "$name" "$out" '^Deadlock:' "^  \[0:1\] +MPI_Recv from .*tag 3.*$(f recv)" "^  \[2:3\] +MPI_Waitall.*  $(f wait)" '^ +MPI_Irecv from ' \
			"^  \[4\] +MPI_Bcast root 1.* on the communicator of MPI_Comm_split at pairs.*$(f bcast).*waits for \[5\]$" \
			"^  \[5\] +MPI_Recv from 4.*tag 5.*$(f other).*waits for \[4\]$" '^  \[7\] +computes'
		unlike "$name: who computes, and who waits for that, is not accused" "$out" '^Deadlock: .*[67]\]'
	done
done

no_leak "pairs"
done_testing
