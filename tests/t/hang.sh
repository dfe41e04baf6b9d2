#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that hang are reported with the call and line of every rank that waits, and the verdict; those that are
# slow are not accused.
. "${0%/*}/lib.sh"

src=$srcdir/tests/prog/hang/hang.c
# at CASE: the line with that comment
at() { line_with "/* $1 */" "$src"; }

with=()
limit=60
# hang MPI N CASE [SECONDS]: sets $out and $status; with: options; limit: of what goes on for ever
hang()
{
	out=$(timeout -k 5 90 "$DVMDBG" hang --set HANG_TIMER=1 --set HANG_LIMIT=$limit "${with[@]}" -n "$2" \
		"$(prog tests/prog/hang/hang "$1")" "${@:3}" </dev/null 2>&1)
	status=$?
}

# deadlock MPI N CASE REGEX…: it is one, with these lines, and the job is ended
deadlock()
{
	hang "$1" "$2" "$3"
	like "$1, $2 ranks, $3: who waits where" "$out" '^Deadlock:' "${@:4}"
	is "$1, $3: status" "$status" 3
}

# innocent MPI N CASE REGEX…: it is none, and the program comes to its end
innocent()
{
	hang "$1" "$2" "$3" 2.5
	like "$1, $2 ranks, $3: what is seen" "$out" '^No progress seen' '^done$' "${@:4}"
	unlike "$1, $3: is not accused" "$out" Deadlock
	is "$1, $3: status" "$status" 0
}

# rarer MPI: one of each kind is enough for every day
rarer()
{
	deadlock "$1" 4 sub_comms "\[0:3\] +MPI_Recv from rank\+2, tag 8.*on the communicator of MPI_Comm_split at hang.c:$(at 'sub_comms split') \(2 ranks\)  hang.c:$(at sub_comms)  "
	deadlock "$1" 2 ibarrier "\[0\] +MPI_Wait  hang.c:$(at 'ibarrier 0')  " \
		"MPI_Ibarrier on MPI_COMM_WORLD.*hang.c:$(at 'ibarrier post')$"
	deadlock "$1" 2 fence "\[0\] +MPI_Win_fence on the window of MPI_Win_create.*hang.c:$(at 'fence 0')  "
	deadlock "$1" 3 any_source "\[0\] +MPI_Recv from any, tag 1.*hang.c:$(at 'any_source 0')  "
}

for mpi in $(mpis); do
	deadlock "$mpi" 2 recv_recv \
		"\[0:1\] +MPI_Recv from rank\+1, tag 7, 1 MPI_INT on MPI_COMM_WORLD \(2 ranks\)  hang.c:$(at recv_recv)  for 1\.[0-9] s, waits for \[0:1\]" \
		'rank 0 waits for rank 1, rank 1 for rank 0$' \
		'^calls:$' '^  \[0:1\] +main  hang.c:[0-9]+$' "^  \[0:1\] +recv_recv  hang.c:$(at recv_recv)$" '^  \[0:1\] +MPI_Recv$'
	deadlock "$mpi" 3 ssend_cycle "\[0:2\] +MPI_Ssend to rank\+1, tag 3.*hang.c:$(at ssend_cycle)  for" \
		'rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0$'
	deadlock "$mpi" 3 no_sender "\[0\] +MPI_Recv from 1, tag 4.*hang.c:$(at 'no_sender 0')  .*waits for \[1\]" \
		"\[1:2\] +MPI_Barrier on MPI_COMM_WORLD.*hang.c:$(at no_sender)  .*waits for \[0\]"
	deadlock "$mpi" 2 wrong_tag "\[0\] +MPI_Recv from 1, tag 6.*hang.c:$(at 'wrong_tag 0')  " \
		"rank 0 waits for tag 6; rank 1 has sent it tag 5, .*MPI_Send at hang.c:$(at 'wrong_tag 1')\)"
	deadlock "$mpi" 3 wrong_source "\[0\] +MPI_Recv from 2, tag 5.*hang.c:$(at 'wrong_source 0')  " 'rank 0 waits for rank 2' \
		"rank 0 receives from rank 2; rank 1 has sent it tag 5, which nobody has received \(MPI_Send at hang.c:$(at 'wrong_source 1')\)$"
	deadlock "$mpi" 2 wrong_comm "\[0\] +MPI_Recv from 1, tag 5.*hang.c:$(at 'wrong_comm 0')  " \
		"MPI_COMM_WORLD; rank 1 has sent to it on the communicator of MPI_Comm_dup at hang.c:$(at 'wrong_comm dup') \(tag 5, MPI_Send at hang.c:$(at 'wrong_comm 1')\)"
	deadlock "$mpi" 3 coll_kind "\[0\] +MPI_Barrier on .*hang.c:$(at 'coll_kind 0')  " \
		"\[1:2\] +MPI_Allreduce 1 MPI_INT on .*hang.c:$(at coll_kind)  " \
		"collective 1 on MPI_COMM_WORLD is MPI_Barrier on rank 0 .* and MPI_Allreduce on rank 1"
	deadlock "$mpi" 2 coll_root "MPI_Bcast root 0.*hang.c:$(at coll_root)  " \
		'has root 0 on rank 0 .* and root 1 on rank 1'
	deadlock "$mpi" 2 coll_comms "\[0\] +MPI_Barrier on the communicator of MPI_Comm_dup at.*hang.c:$(at coll_comms)  .*waits for \[1\]" \
		"\[1\] +MPI_Barrier on MPI_COMM_WORLD.*hang.c:$(at coll_comms)  .*waits for \[0\]"
	deadlock "$mpi" 2 gone "\[0\] +MPI_Recv from 1.*hang.c:$(at 'gone 0')  " \
		'rank 0 waits for rank 1, which has called MPI_Finalize'
	deadlock "$mpi" 3 waitall "\[0:2\] +MPI_Waitall, all of 2 requests  hang.c:$(at waitall)  " \
		"MPI_Irecv from rank-1, tag 1.*hang.c:$(at 'waitall post')$"
	! in_set all || rarer "$mpi"
	with=(--set SENDS=synchronous)
	deadlock "$mpi" 2 small_sends "\[0:1\] +MPI_Send to rank\+1, tag 2.*hang.c:$(at small_sends)  .*waits for \[0:1\]"
	deadlock "$mpi" 2 early_root "\[0\] +MPI_Bcast root 0,.*hang.c:$(at 'early_root 0')  .*waits for \[1\]" \
		"\[1\] +MPI_Recv from 0, tag 2.*hang.c:$(at 'early_root 1')  .*waits for \[0\]"
	with=()

	# a loop that asks for ever is not proved to be one, and ends with HANG_LIMIT
	limit=3
	hang "$mpi" 2 probe_loop
	like "$mpi: a loop of probes" "$out" '^No progress seen' "polls MPI_Iprobe from rank\+1, tag 9.*hang.c:$(at probe_loop)  "
	unlike "$mpi: a loop of probes is not accused" "$out" Deadlock
	is "$mpi: a loop of probes: status" "$status" 3

	# nor is one that reads a window in vain
	hang "$mpi" 2 window_loop
	like "$mpi: a loop that reads a window" "$out" '^No progress seen' "\[0\] +polls MPI_Get  hang.c:$(at window)  for" \
		"\[1\] +MPI_Barrier on MPI_COMM_WORLD.*hang.c:$(at 'window barrier')  "
	is "$mpi: a loop that reads a window: reported once, and ended" "$(grep -c 'No progress' <<<"$out") $status" "1 3"

	# all in MPI_Finalize: what that waits for cannot be seen
	hang "$mpi" 2 finalizing
	limit=60
	like "$mpi: all are in MPI_Finalize" "$out" '^No progress seen' "\[0:1\] +MPI_Finalize  hang.c:$(at finalize)  for" \
		"^  rank 0 has sent rank 1 tag 8, which nobody receives \(MPI_Isend at hang.c:$(at 'finalizing sent')\)$" \
		"^  \[0:1\] +at_end  hang.c:$(at 'finalizing end')$"
	innocent "$mpi" 3 slow_rank '\[0\] +computes' "\[1:2\] +MPI_Barrier.*hang.c:$(at slow_rank)  .*waits for \[0\]"
	innocent "$mpi" 3 spin_test "\[1:2\] +polls MPI_Test  hang.c:$(at spin_test)  "
	# MPICH has the one that computes give no lock
	innocent "$mpi" 2 window_waits "\[0\] +(polls MPI_Get|MPI_Win_lock .*)  hang.c:($(at window)|$(at "window lock"))  "
	in_set all || continue
	innocent "$mpi" 2 slow_finalize "\[0:1\] +MPI_Finalize  hang.c:$(at finalize)  for"
	innocent "$mpi" 2 polls_then_sends '\[0\] +polls MPI_Iprobe'
	innocent "$mpi" 2 out_of_order '\[0\] +computes'
	innocent "$mpi" 3 wait_for_one "\[1:2\] +MPI_Waitany, one of 2 requests  hang.c:$(at wait_for_one)  "
	innocent "$mpi" 2 slow_reader "\[0\] +MPI_Send to 1.*hang.c:$(at 'slow_reader 0')  "
done

mpi=$(first_mpi)
dvm 60 'cont
status -mpi' --set HANG_TIMER=0 --set STOP_TIMER=1 -n 2 "$(prog tests/prog/hang/hang "$mpi")" left
like "a rank that has left: status -mpi shows the call" "$out" "^\[0\] +MPI_Barrier on MPI_COMM_WORLD \(2 ranks\)  hang.c:$(at left)  for"
hang "$mpi" 2 left
like "a rank that has left: the verdict" "$out" '^Deadlock: \[0\] can never go on' '^  rank 0 waits for rank 1, which has ended$' \
	"^  \[0\]  MPI_Barrier on MPI_COMM_WORLD.*hang.c:$(at left)  .*waits for \[1\]$"
dvm 60 'cont' --json --set HANG_TIMER=1 -n 2 "$(prog tests/prog/hang/hang "$mpi")" recv_recv
like "JSON carries the report" "$out" '"type": *"hang".*"verdict": *"deadlock"' '"call": *"MPI_Recv"' '"waits_for": *"\[0:1\]"'

# who types through a pipe cannot interrupt: the wait ends, and the deadlock is a finding
talk 'cont
findings
wait
status -mpi' --set HANG_TIMER=1 -n 2 "$(prog tests/prog/hang/hang "$mpi")" recv_recv
like "through a pipe a deadlock ends the wait" "$(answer cont)" '^Deadlock: \[0:1\]' '^\[0:1\] +running'
like "a deadlock is a finding" "$(answer findings)" \
	"^Finding deadlock  \[0:1\]  ranks can never go on: rank 0 waits for rank 1, rank 1 for rank 0  hang.c:$(at recv_recv)  #1$"
is "waited for once more, it is not shown again" "$(answer wait | grep -c Deadlock)" 0
like "its ranks can be looked at" "$(answer 'status -mpi')" "^\[0\] +MPI_Recv from 1.*hang.c:$(at recv_recv)"
is "a deadlock: status of the session" "$status" 3
start --set HANG_TIMER=1 -n 2 "$(prog tests/prog/hang/hang "$mpi")" recv_recv
tell go findings
expect_out "before it is known" 10 '^no findings so far; \[0:1\] run$'
look() { tell findings; sleep 0.3; seen '^Finding deadlock'; }
check "nobody waits: findings looks for a deadlock" wait_for 20 look
like "and it is reported" "$(<"$tmp/o")" '^Deadlock: \[0:1\]'
finish

no_leak "hangs"
done_testing
