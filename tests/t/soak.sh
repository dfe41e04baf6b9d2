# SPDX-License-Identifier: GPL-3.0-or-later
# Recording and comparing with the least memory for traces, which every block goes through many times, and processes
# that are killed meanwhile: what a whole run has recorded is equal on any number of ranks, what is left of others can be
# read, no process grows. Two rounds; with make check-long as many as ten minutes are enough for.
# DVMDBG_SEED repeats a sequence.
. "${0%/*}/lib.sh"
all_in all

examples=$builddir/doc/examples
[ -x "$examples/heat-hooked" ] || skip_all "no program with access hooks"
least=2 seconds=0
! in_set long || seconds=600
most=49152 # KiB of a supervisor
RANDOM=${DVMDBG_SEED:-$(date +%N | sed 's/^0*//')}
seed=$RANDOM
RANDOM=$seed
diag "DVMDBG_SEED=$seed"
cd "$tmp" || exit 1
what=("heat 150 20" "cg 400 6" "jacobi 150 10")
[ ! -x "$examples/lu-hooked" ] || what+=("lu 14 2")
levels=(FULL FULL MODIFY MINIMAL)
cat=$builddir/tests/prog/traces/tracecat

# peak PID: the most memory that a supervisor below has had, seen while PID runs, in $peak
peak()
{
	local p now
	peak=0
	while kill -0 "$1" 2>/dev/null; do
		for p in $(running "$builddir/runtime/exec/dvmdbg-exec"); do
			now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$p/status" 2>/dev/null)
			[ "${now:-0}" -le "$peak" ] || peak=$now
		done
		read -rt 0.05 <> <(:)
	done
}

# watched ARGS…: dvmdbg with these; $out, $status, $peak
watched()
{
	timeout -k 5 300 "$DVMDBG" "$@" >said 2>&1 </dev/null &
	local pid=$!
	peak "$pid"
	wait "$pid"
	status=$?
	out=$(<said)
}

# somebody dies while ranks record
struck()
{
	timeout -k 5 300 "$DVMDBG" "$@" >said 2>&1 </dev/null &
	local pid=$! victims
	wait_for 20 eval 'ls ref*/trace.*.bin >/dev/null 2>&1 || ! kill -0 '"$pid"' 2>/dev/null'
	read -rt "0.$((RANDOM % 9))$((RANDOM % 10))" <> <(:)
	mapfile -t victims < <(running "$builddir/runtime/exec/dvmdbg-exec"; running "$program")
	victim=nobody
	if [ ${#victims[@]} -gt 0 ]; then
		victim=${victims[RANDOM % ${#victims[@]}]}
		kill -KILL "$victim" 2>/dev/null
	fi
	wait "$pid"
	status=$?
}

readable()
{
	local f
	for f in ref*/trace.*.bin; do
		[ ! -s "$f" ] || "$cat" "$f" -c >counts 2>&1 || { echo "$f: $(<counts)"; return 1; }
	done
}

one_round()
{
	local n=$((1 + RANDOM % 4)) m=$((1 + RANDOM % 4)) level=${levels[RANDOM % 4]} name
	set -- ${what[RANDOM % ${#what[@]}]}
	name="round $round: $* at $level"
	program=$examples/$1-hooked
	shift
	rm -rf ref ref.partial
	watched record --level $level --set TRACE_MEMORY=1 -o ref -n $n "$program" "$@"
	like "$name, recorded on $n ranks" "status $status
$out" '^status 0$' "^recorded traces at level $level: [1-9]"
	check "$name: a supervisor takes $peak KiB" [ "$peak" -lt $most ]
	watched compare -r ref --set TRACE_MEMORY=1 -n $m "$program" "$@"
	like "$name, compared on $m" "status $status
$out" '^status 0$' "^compared traces at level $level: .*: equal(, [0-9]+ of them only within the tolerance)?\$"
	check "$name: a supervisor takes $peak KiB to compare" [ "$peak" -lt $most ]
	rm -rf ref ref.partial
	# a run that is longer than that
	struck record --level $level --set TRACE_MEMORY=1 -o ref -n $n "$program" "$1" $(($2 * 40))
	check "$name: $victim is killed, and what is left can be read" readable
	no_leak "$name"
}

end=$((SECONDS + seconds))
for ((round = 1; round <= least || SECONDS < end; round++)); do
	one_round
done
done_testing
