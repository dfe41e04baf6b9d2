# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 of any process at a random moment leaves nothing behind and never hangs: 200 times with
# make check-long, else a few. DVMDBG_SEED repeats a sequence.
. "${0%/*}/lib.sh"
as_users_have_it

rounds=${DVMDBG_ROUNDS:-$(if in_set long; then echo 200; elif in_set all; then echo 6; else echo 3; fi)}
RANDOM=${DVMDBG_SEED:-$(date +%N | sed 's/^0*//')}
seed=$RANDOM
RANDOM=$seed
diag "DVMDBG_SEED=$seed"

script()
{
	local i
	echo "break heat.c:61 -count $1"
	for ((i = 0; i < $2; i++)); do
		printf 'cont\nwhere\nprint eps\nstep 3\n'
	done
	echo quit
}

script 20 160 >"$tmp/script"
# Ranks of MPICH that wait take the processor from the others: a point lasts twenty times as long.
script 2 40 >"$tmp/short"

one_round()
{
	local mpi=$1 script=$tmp/script pause pid victims victim what end rc n
	n=$((2 + RANDOM % 3))
	[ "$mpi $n" = "mpich 2" ] || [ "$mpi" != mpich ] || script=$tmp/short
	timeout -k 5 60 "$DVMDBG" --batch -x "$script" -n $n "$(prog doc/examples/heat "$mpi")" 100 100000 \
		>"$tmp/o" 2>&1 </dev/null &
	pid=$!
	pause=$(printf '%d.%03d' $((RANDOM % 2)) $((RANDOM % 1000)))
	sleep "$pause"
	mapfile -t victims < <(tagged)
	what=nothing
	for _ in 1 2 3 4 5; do
		[ ${#victims[@]} -gt 0 ] || break
		victim=${victims[RANDOM % ${#victims[@]}]}
		[ "$victim" != "$pid" ] || continue # timeout, which is ours
		what=$(cat "/proc/$victim/cmdline" 2>/dev/null | tr '\0' ' ' | cut -c 1-60)
		kill -KILL "$victim" 2>/dev/null && break
	done
	end=$((SECONDS + 50))
	wait "$pid"
	rc=$?
	if [ $SECONDS -ge $end ] || [ $rc = 124 ]; then
		not_ok "round $round, $mpi, $n ranks: kill -9 after $pause s of: $what" "hangs; $(tail -n 15 "$tmp/o")"
	elif ! wait_for 10 nothing_tagged; then
		no_leak "round $round, $mpi, $n ranks: kill -9 after $pause s of: $what"
	else
		ok "round $round, $mpi, $n ranks: kill -9 after $pause s of: $what"
	fi
}

mapfile -t all < <(mpis)
for ((round = 1; round <= rounds; round++)); do
	one_round "${all[round % ${#all[@]}]}"
done
done_testing
