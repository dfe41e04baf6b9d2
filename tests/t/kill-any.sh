#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# kill -9 of any process of a debugged job at a random moment: nothing hangs, nothing is left behind.
# kill-any.sh [ROUNDS [SEED]]; the kind of victim changes from round to round.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
need_mpi

rounds=${1:-${KILL_ROUNDS:-12}}
RANDOM=${2:-${KILL_SEED:-20}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/steps" <<'X'
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
cat > "$work/points" <<'X'
break heat.c:61 -count 5
cont
cont
print eps
differ
cont
cont
X
cat > "$work/free" <<'X'
cont
X
scripts=("$work/steps" "$work/points" "$work/free")
kinds=(program dvmdbg-exec dvmdbg mpiexec any)

# tagged TAG: the processes that carry the tag in their environment, "pid name" a line
tagged() {
	local e p
	for e in /proc/[0-9]*/environ; do
		if tr '\0' '\n' < "$e" 2>/dev/null | grep -qx "DVMDBG_TEST_TAG=$1"; then
			p=${e#/proc/}
			p=${p%/environ}
			echo "$p $(tr '\0' ' ' < "/proc/$p/cmdline" 2>/dev/null)"
		fi
	done
}

# victims KIND: of the lines on standard input
victims() {
	case $1 in
	program) grep -E '^[0-9]+ [^ ]*heat ' ;;
	dvmdbg-exec) grep -E '^[0-9]+ [^ ]*dvmdbg-exec ' ;;
	dvmdbg) grep -E '^[0-9]+ [^ ]*/dvmdbg ' ;;
	mpiexec) grep -E '^[0-9]+ [^ ]*(mpiexec|hydra|prte|orted)' ;;
	any) cat ;;
	esac
}

for ((i = 1; i <= rounds; i++)); do
	kind=${kinds[i % ${#kinds[@]}]}
	tag=kill-$$-$i
	DVMDBG_TEST_TAG=$tag "$DVMDBG" -n 4 --batch -x "${scripts[RANDOM % 3]}" \
		"$HEAT" 150 400 > "$work/out" 2>&1 < /dev/null &
	front=$!
	# the moment is the random input of this test, not a wait for something to be true
	sleep "$(printf '0.%03d' $((RANDOM % 900)))"
	line=$(tagged "$tag" | grep -v "kill-any" | victims "$kind" | shuf -n 1 --random-source=<(yes "$i"))
	victim=${line%% *}
	[ -n "$victim" ] && kill -9 "$victim" 2>/dev/null
	why=
	wait_for 60 "! kill -0 $front 2>/dev/null" || why="dvmdbg still runs after a minute"
	wait "$front" 2>/dev/null
	wait_for 15 "[ -z \"\$(tagged $tag)\" ]" || why="$why left: $(tagged "$tag" | tr '\n' ';')"
	if [ -z "$why" ]; then
		ok "round $i: ${line:-no victim any more}"
	else
		not_ok "round $i ($kind): ${line:-no victim}: $why"
		sed 's/^/# /' "$work/out"
		tagged "$tag" | while read -r p _; do kill -9 "$p" 2>/dev/null; done
	fi
done
done_testing
