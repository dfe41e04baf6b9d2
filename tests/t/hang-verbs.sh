# SPDX-License-Identifier: GPL-3.0-or-later
# A run that hangs is reported by each verb that waits for it: record, compare, pair, locate, and on the full screen; one in
# which only nothing moves may go on up to HANG_LIMIT.
. "${0%/*}/lib.sh"
own_program hang/verbs.c
unhooked verbs || skip_all "$(head -n 3 said)"
line() { echo "verbs\\.c:$(line_marked "$1" "$src")"; }
# run LIMIT VERB ARGS…: sets $out and $status
run()
{
	out=$(timeout -k 5 60 "$DVMDBG" "$2" --set HANG_TIMER=1 --set STOP_TIMER=1 --set "HANG_LIMIT=$1" "${@:3}" </dev/null 2>&1)
	status=$?
}
# stuck NAME REGEX…: $out has the report, and the status says so
stuck()
{
	like "$1: the deadlock" "$out" '^Deadlock: \[0:1\] can never go on' '^  rank 0 waits for rank 1, rank 1 for rank 0$' \
		"^  \\[0:1\\] +MPI_Recv from rank\\+1, tag 4.*$(line crossed)  for" "^  \\[0:1\\]   exchange  $(line crossed)$" "${@:2}"
	is "$1: a deadlock has status 3" "$status" 3
}
run 20 record -o ref -n 1 ./verbs right
is "on one rank it ends" "$status" 0
run 20 compare -r ref -n 2 ./verbs crossed
stuck compare '^compared 2 checksums of 1 array at 2 points: equal; the run had not ended$'
run 20 pair --batch -e cont -n 1 ./verbs right : -n 2 ./verbs crossed
stuck "pair, side B" '^B:$' '^warning: B: the job is ended' '^B: Ranks \[0:1\] were killed by SIGKILL'
run 20 locate -n 2 ./verbs crossed
stuck locate "^the comparison, 2 ranks: \\[0:1\\] can never go on: rank 0 waits for rank 1, rank 1 for rank 0, at $(line crossed)\\. Up to there nothing differs"
unlike "locate: what hangs gives no result" "$out" '^nothing differs'
rest_in all
run 20 record -o two -n 2 ./verbs crossed
stuck record '^recorded 2 checksums .*; the run had not ended$'
run 20 pair --batch -e cont -n 2 ./verbs crossed : -n 1 ./verbs right
stuck "pair, side A" '^A:$'

# endless VERB ARGS…: nothing moves, which is no deadlock, until HANG_LIMIT
endless()
{
	run 2 "$@"
	like "$1: a rank that computes for ever" "$out" '^No progress seen for' "^  \\[0\\] +MPI_Sendrecv to 1, tag 4.*$(line exchange)  for .*waits for \\[1\\]$" \
		'^  \[1\] +computes  for'
	unlike "$1: is no deadlock" "$out" Deadlock
	is "$1: and ends with HANG_LIMIT" "$status" 3
}
endless record -o endless -n 2 ./verbs endless
endless compare -r ref -n 2 ./verbs endless
endless pair --batch -e cont -n 1 ./verbs right : -n 2 ./verbs endless
endless locate -n 2 ./verbs endless
run 20 compare -r ref -n 2 ./verbs slow 2
like "compare: what is only slow is said" "$out" '^No progress seen' '^compared 3 checksums of 1 array at 3 points: equal$'
is "compare: and goes on" "$status" 0
no_leak "verbs"

. "$srcdir/tests/t/screens.sh"
open_terminal 100 30
type_line "clear; $DVMDBG --tui --set HANG_TIMER=1 -n 2 ./verbs crossed"
sees "a program is loaded" 'not started'
keys c 8
sees "full screen: the deadlock" 'Deadlock: \[0:1\] can never go on'
sees "full screen: who waits" 'rank 0 waits for rank 1, rank 1 for rank 0'
sees "full screen: it is a finding" '^ verbs  \[0:1\] running  findings: 1'
close_terminal
done_testing
