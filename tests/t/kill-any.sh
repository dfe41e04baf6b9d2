#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# kill -9 of any process of a debugged job at a random moment: nothing hangs, nothing is left behind.
# kill-any.sh [ROUNDS [SEED]]; the kind of victim and the MPI change from round to round.
. "$(dirname "$0")/lib.sh"

[ -n "$(first_mpi)" ] || skip_all "no MPI"
rounds=${1:-${KILL_ROUNDS:-10}}
RANDOM=${2:-${KILL_SEED:-20}}
read -ra impls <<<"$(mpis | tr '\n' ' ')"

cat >"$tmp/0" <<'X'
break heat.c:61
cont
where
step 7
print u[1][1]
delete 0
cont
where
status
X
cat >"$tmp/1" <<'X'
break heat.c:61 -count 5
cont
cont
print eps
differ
cont
cont
X
echo cont >"$tmp/2"

# victims KIND: pids of one kind among what we started
victims()
{
	local pid line
	for pid in $(tagged); do
		line=$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)
		case $1:$line in
		any:*kill-any*) ;;
		any:*) echo "$pid" ;;
		exec:*dvmdbg-exec\ *) echo "$pid" ;;
		exec:*) ;;
		front:*--batch*) [ "${line#*dvmdbg --batch}" = "$line" ] || echo "$pid" ;;
		front:*) ;;
		launcher:*mpiexec* | launcher:*hydra* | launcher:*orted*)
			[ "${line#*--batch}" != "$line" ] || echo "$pid" ;;
		program:*dvmdbg*) ;;
		program:*heat*\ 150\ 400*) echo "$pid" ;;
		esac
	done
}

ended() { ! kill -0 "$front" 2>/dev/null; }

kinds=(program exec front launcher any)
for ((i = 1; i <= rounds; i++)); do
	kind=${kinds[i % ${#kinds[@]}]}
	mpi=${impls[RANDOM % ${#impls[@]}]}
	script=$((RANDOM % 3))
	"$DVMDBG" --batch -n 4 -x "$tmp/$script" "$(prog doc/examples/heat "$mpi")" 150 400 \
		>"$tmp/out" 2>&1 </dev/null &
	front=$!
	# the moment is the random input of this test, not a wait for something to be true
	sleep "$(printf '0.%03d' $((RANDOM % 900)))"
	mapfile -t all < <(victims "$kind")
	name="round $i: $kind, $mpi, script $script"
	if [ ${#all[@]} -gt 0 ]; then
		kill -KILL "${all[RANDOM % ${#all[@]}]}" 2>/dev/null
	else
		name="$name (none there)"
	fi
	if wait_for 60 ended; then
		wait "$front" 2>/dev/null
		no_leak "$name"
	else
		not_ok "$name" "dvmdbg still runs a minute later: $(cat "$tmp/out")"
		for pid in $(tagged); do
			kill -KILL "$pid" 2>/dev/null
		done
		wait "$front" 2>/dev/null
	fi
done
done_testing
