# SPDX-License-Identifier: GPL-3.0-or-later
# What the debugger costs, as ratios of interleaved runs taken in one go (medians); doc/BENCHMARKS.md
# keeps the figures. bench.sh [overhead|start|stops]…: without a name all of them.
#   ROUNDS (9) runs of each kind, N (2000) points a side, STEPS (60), RANKS ("2 4 16 64")
. "$(dirname "$0")/../t/lib.sh"
rounds=${ROUNDS:-9} n=${N:-2000} steps=${STEPS:-60} ranks=${RANKS:-2 4 16 64}
[ "$have_openmpi" = yes ] || { echo "the benchmarks need Open MPI"; exit 2; }

median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }
row() { printf '%-62s %12s %10s\n' "$@"; }

plain=$builddir/tests/bench/heat-plain marked=$builddir/doc/examples/heat

# The seconds that heat says its steps took: start-up is not in them.
seconds() { sed -n 's/.* \([0-9.]*\) s OK$/\1/p'; }
run_plain() { mpirun openmpi 2 "$plain" "$n" "$steps" | seconds; }
run_marked() { mpirun openmpi 2 "$marked" "$n" "$steps" | seconds; }
run_debugged() { "$DVMDBG" --batch -n 2 -e cont "$marked" "$n" "$steps" 2>&1 </dev/null | seconds; }

overhead()
{
	local i kind
	for ((i = 0; i < rounds; i++)); do
		for kind in plain marked debugged; do
			"run_$kind" >>"$tmp/time.$kind"
		done
	done
	local p m d
	p=$(median <"$tmp/time.plain") m=$(median <"$tmp/time.marked")
	d=$(median <"$tmp/time.debugged")
	row "heat $n x $n, $steps steps, 2 ranks: plain" "$p s" 1
	row "  annotated, not debugged (aim 1.01)" "$m s" "$(ratio "$m" "$p")"
	row "  under the debugger, no actionpoint (aim 1.02)" "$d s" "$(ratio "$d" "$p")"
}

wall()
{
	local from=$EPOCHREALTIME
	"$@" >/dev/null 2>&1 </dev/null
	awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
}
start()
{
	local i
	for ((i = 0; i < rounds; i++)); do
		wall mpiexec.openmpi -n 2 "$plain" 100 1 >>"$tmp/wall.plain"
		wall "$DVMDBG" --batch -n 2 -e cont "$marked" 100 1 >>"$tmp/wall.debugged"
	done
	local p d
	p=$(median <"$tmp/wall.plain") d=$(median <"$tmp/wall.debugged")
	row "start to end, heat 100 x 100, 1 step, 2 ranks: mpiexec" "$p s" 1
	row "  with dvmdbg and dvmdbg-exec" "$d s" "$(ratio "$d" "$p")"
}

# Every stop: from the last rank's arrival until its line is on the screen; bytes between two stops.
stops()
{
	local r log=$tmp/log
	for r in $ranks; do
		{
			echo "break heat.c:61"
			echo cont
			for ((i = 0; i < 100; i++)); do echo "step 1"; done
		} >"$tmp/steps"
		rm -f "$log"
		DVMDBG_DEBUG=stop DVMDBG_DEBUG_FILE=$log timeout 300 "$DVMDBG" --batch -n "$r" \
			-x "$tmp/steps" "$marked" 200 1000 >/dev/null 2>&1 </dev/null
		awk '{ for (i = 2; i < NF; i++) if ($i == "gen") g = $(i + 1) }
		     /arrived/ && $1 > last[g] { last[g] = $1 }
		     / bytes$/ && g in last { print ($1 - last[g]) * 1000, $1, $(NF - 1) }' "$log" >"$tmp/stops"
		row "$r ranks: last arrival to the prompt" "$(cut -d' ' -f1 "$tmp/stops" | median) ms" ""
		row "  steps a second" "$(awk 'NR == 2 { a = $2 } END { printf "%.0f", (NR - 2) / ($2 - a) }' "$tmp/stops")" ""
		row "  bytes to the front end for each stop" \
			"$(awk 'NR > 1 { print $3 - was } { was = $3 }' "$tmp/stops" | median)" ""
	done
}

what=${*:-overhead start stops}
for name in $what; do
	"$name"
done
