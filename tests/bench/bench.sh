# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the table of doc/BENCHMARKS.md. Runs in the build folder: make bench. Medians of interleaved runs.
# RUNS (7), N (2000) and STEPS (200) can be set.
. "$(dirname "$0")/../t/lib.sh"

runs=${RUNS:-7}
n=${N:-2000}
steps=${STEPS:-200}
mpi=${MPI:-$(first_mpi)}
heat=$(prog doc/examples/heat "$mpi")
plain=$builddir/tests/bench/heat-plain
[ "$mpi" != mpich ] || [ ! -x "$plain-mpich" ] || plain=$plain-mpich

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
# Seconds that a command takes, appended to a file.
timed()
{
	local file=$1 t0 t1
	shift
	t0=$(date +%s.%N)
	"$@" >"$tmp/o" 2>&1 </dev/null || { echo "failed: $*" >&2; cat "$tmp/o" >&2; }
	t1=$(date +%s.%N)
	awk -v a="$t0" -v b="$t1" 'BEGIN { print b - a }' >>"$tmp/$file"
}
of() { median <"$tmp/$1"; }
row() { printf '| %s | %s |\n' "$1" "$2"; }
debugged() { timeout 300 "$DVMDBG" --batch -x "$tmp/cont" -n 2 "$heat" "$@"; }

echo cont >"$tmp/cont"
for ((i = 0; i < runs; i++)); do
	for s in 0 "$steps"; do
		timed "plain.$s" mpirun "$mpi" 2 "$plain" "$n" "$s"
		timed "annotated.$s" mpirun "$mpi" 2 "$heat" "$n" "$s"
		timed "debugged.$s" debugged "$n" "$s"
	done
	timed "launch" mpirun "$mpi" 2 "$plain" 8 0
	timed "launch-debugged" timeout 60 "$DVMDBG" --batch -x "$tmp/cont" -n 2 "$heat" 8 0
done
above() { awk -v a="$(of "$1.$steps")" -v b="$(of "$1.0")" 'BEGIN { print a - b }'; }
ratio() { awk -v a="$(above "$1")" -v b="$(above plain)" 'BEGIN { printf "%.3f", a / b }'; }

echo "| what ($(uname -m), $(nproc) cores, $mpi, median of $runs) | value |"
echo '|---|---|'
row "heat $n² × $steps on 2 ranks, plain, above start-up" "$(above plain) s"
row "annotated, not debugged, against plain (aim ≤ 1.01)" "$(ratio annotated)"
row "under the debugger without actionpoints, against plain (aim ≤ 1.02)" "$(ratio debugged)"
row "what dvmdbg and dvmdbg-exec add to start-up" "$(awk -v a="$(of launch-debugged)" -v b="$(of launch)" \
	'BEGIN { printf "%.3f s (%.3f against %.3f)", a - b, a, b }')"

# Steps: K stops against one run to the same point, so that start-up and the program's own time fall out.
stops=${STOPS:-200}
for ranks in 2 4 16 64; do
	{
		echo 'cont'
		echo 'info job'
		for ((i = 0; i < stops; i++)); do echo step; done
		echo 'info job'
		echo 'kill'
	} | sed '1s/.*/break 3.B\ncont/' >"$tmp/steps"
	{ printf 'break 3.B\ncont\nstep %d\nkill\n' "$stops"; } >"$tmp/one"
	for ((i = 0; i < 3; i++)); do
		timed "steps.$ranks" timeout 300 "$DVMDBG" --batch -x "$tmp/steps" -n $ranks "$heat" 128 100000
		cp "$tmp/o" "$tmp/steps.out.$ranks"
		timed "one.$ranks" timeout 300 "$DVMDBG" --batch -x "$tmp/one" -n $ranks "$heat" 128 100000
	done
	row "$ranks ranks: from the last rank's arrival to the prompt" "$(awk -v a="$(of "steps.$ranks")" \
		-v b="$(of "one.$ranks")" -v k="$stops" \
		'BEGIN { printf "%.2f ms (%.0f steps per second)", (a - b) / (k - 1) * 1e3, (k - 1) / (a - b) }')"
	bytes=$(grep -oE '[0-9]+ bytes' "$tmp/steps.out.$ranks" | awk '{ print $1 }')
	if [ -n "$bytes" ]; then
		row "$ranks ranks: bytes to the front end per stop with equal stacks" "$(echo "$bytes" | awk -v k="$stops" \
			'NR == 1 { a = $1 } { b = $1 } END { printf "%.0f", (b - a) / k }')"
	fi
done
