# SPDX-License-Identifier: GPL-3.0-or-later
# What the debugger costs, as ratios of interleaved runs taken in one go (medians); doc/BENCHMARKS.md
# keeps the figures. bench.sh [overhead|start|stops|sums|throughput|locate|giant|elements|zoom|screen|scale|actions|records|traces|control|openmp|stuck|pingpong|pause]…: without a name all.
#   ROUNDS (9) runs of each kind, N (2000) points a side, STEPS (60), RANKS ("2 4 16 64")
. "$(dirname "$0")/../t/lib.sh"
as_users_have_it
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

# The seconds that a program says its steps took, with checksums at every point and without.
taking()
{
	local name=$1 i p t kind
	shift
	rm -f "$tmp"/sums.*
	for ((i = 0; i < rounds; i++)); do
		mpirun openmpi 2 "$@" | sed -nE 's/.*[, ]([0-9.]+) s OK *$/\1/p' >>"$tmp/sums.plain"
		for kind in record compare; do
			rm -rf "$tmp/new"
			if [ $kind = record ]; then
				"$DVMDBG" record -o "$tmp/new" -n 2 "$@" >"$tmp/said" 2>&1 </dev/null
				[ -d "$tmp/ref.$name" ] || cp -r "$tmp/new" "$tmp/ref.$name"
			else
				"$DVMDBG" compare -r "$tmp/ref.$name" -n 2 "$@" >"$tmp/said" 2>&1 </dev/null
			fi
			sed -nE 's/.*[, ]([0-9.]+) s OK *$/\1/p' "$tmp/said" >>"$tmp/sums.$kind"
		done
	done
	p=$(median <"$tmp/sums.plain")
	row "$*, 2 ranks: not debugged" "$p s" 1 | sed "s,$builddir/,,g"
	for kind in record compare; do
		t=$(median <"$tmp/sums.$kind")
		row "  $kind: checksums at every point (aim 1.15)" "$t s" "$(ratio "$t" "$p")"
	done
	row "  the reference on disk, bytes" "$(du -sb "$tmp/ref.$name" | cut -f 1)" ""
}
sums()
{
	taking lu "$builddir/doc/examples/lu" 48 10
	taking heat "$builddir/doc/examples/heat" "$n" "$steps"
}

throughput() { "$builddir/tests/bench/sums"; }

# The whole of locate over one plain run: the experiment of the documents is the first line.
locate()
{
	local i p l
	while read -r program args; do
		rm -f "$tmp"/locate.*
		for ((i = 0; i < rounds; i++)); do
			# shellcheck disable=SC2086
			wall mpiexec.openmpi -n 2 "$builddir/doc/examples/$program" $args >>"$tmp/locate.plain"
			# shellcheck disable=SC2086
			wall "$DVMDBG" locate -n 2 "$builddir/doc/examples/$program" $args >>"$tmp/locate.time"
		done
		p=$(median <"$tmp/locate.plain") l=$(median <"$tmp/locate.time")
		row "$program $args, 2 ranks, start to end" "$p s" 1
		row "  locate (aim 30)" "$l s" "$(ratio "$l" "$p")"
	done <<-END
		lu 33 10 --fault missing-flux-halo
		lu 64 20 --fault off-by-one
		heat $n $steps --fault missing-halo
	END
}

# One billion numbers: the same bits on 1, 2, 3 and 4 ranks.
giant()
{
	local r one=
	for r in 1 2 3 4; do
		"$DVMDBG" --json --batch -n "$r" -e 'level CHECKSUM' -e 'break 1.E' -e cont -e sums \
			"$builddir/tests/bench/giant" "${GIANT:-1000000000}" 2>&1 </dev/null |
			grep -F '"type":"sums"' | sed 's/"ranks":"[^"]*",//' >"$tmp/giant.$r"
		[ "$r" != 1 ] || one=$(cat "$tmp/giant.1")
		row "${GIANT:-1000000000} doubles on $r ranks: sums and hash as on 1" \
			"$([ -n "$one" ] && [ "$(cat "$tmp/giant.$r")" = "$one" ] && echo yes || echo NO)" ""
	done
}

# A session for verbs that are timed: opens ARGS…, asks COMMAND TYPE until its answer is complete, closes.
opens()
{
	{ coproc asked { "$DVMDBG" --json "$@" 2>&1 | grep --line-buffered -oE '"type":"[a-z]+"'; }; } 2>/dev/null
}
answered()
{
	local line
	while read -r -t 120 line <&"${asked[0]}"; do
		[ "$line" != "\"type\":\"$1\"" ] || return 0
	done
	echo "no answer of the type $1" >&2
	return 1
}
closes()
{
	printf 'kill\nquit\n' >&"${asked[1]}"
	wait "$asked_PID"
}
asks()
{
	echo "$1" >&"${asked[1]}"
	answered "$2"
}
# timed NAME COMMAND TYPE: the first time, and the median of the others
timed()
{
	local i from
	for ((i = 0; i <= rounds; i++)); do
		from=$EPOCHREALTIME
		asks "$2" "$3" || return
		awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f\n", 1000 * (b - a) }'
	done >"$tmp/timed"
	row "$1" "$(sed 1d "$tmp/timed" | median) ms" "$(head -n 1 "$tmp/timed") ms"
}

# Elements of four ranks brought into a file, and evaluated by them, against the same without a debugger.
elements()
{
	local i big=${BIG:-100000000} some=${SOME:-10000000}
	opens -n 4 "$builddir/tests/bench/giant" "$some"
	asks "break 1.E" actionpoint && asks cont stop || return
	timed "$some doubles of 4 ranks into a file: median, first" "save a $tmp/a.npy" save
	closes
	for ((i = 0; i < rounds; i++)); do "$builddir/tests/bench/copy" send "$some" "$tmp/a.bin"; done >"$tmp/copied"
	row "  four sockets copied into a file" "$(median <"$tmp/copied") s" ""
	opens -n 4 "$builddir/tests/bench/giant" "$big"
	asks "break 1.E" actionpoint && asks cont stop || return
	timed "max(abs(a)) of $big doubles on 4 ranks: median, first" "print max(abs(a))" print
	closes
	for ((i = 0; i < rounds; i++)); do "$builddir/tests/bench/copy" max "$big"; done >"$tmp/looped"
	row "  four loops in C" "$(median <"$tmp/looped") s" ""
}

# Pictures of large arrays: one number and two dimensions, then what comes to the front end for one.
zoom()
{
	local side=${SIDE:-10000} from to s
	opens -n 4 "$builddir/tests/bench/giant" $((side * side))
	asks "break 1.E" actionpoint && asks cont stop || return
	timed "$((side * side)) doubles on 4 ranks, stat: median, first" "stat a" stat
	timed "  heat map of 200 x 100 cells (aim 300)" "heatmap a -cells 200x100" heatmap
	closes
	opens -n 4 "$marked" "$side" 2
	asks "break 3.B" actionpoint && asks cont stop || return
	timed "$side x $side doubles on 4 ranks, heat map of 200 x 100 cells (aim 300)" \
		"heatmap u -cells 200x100" heatmap
	timed "  of 100 x 200 of its elements, a cell each" \
		"heatmap u[1000:1099][1000:1199] -cells 100x200" heatmap
	timed "  a screen of 40 x 10 numbers of it (aim 50)" "print u[1000:1039][1000:1009]" print
	closes
	for s in 500 2000; do
		rm -f "$tmp/log"
		DVMDBG_DEBUG=stop DVMDBG_DEBUG_FILE=$tmp/log "$DVMDBG" --batch -n 4 -e "break 3.B" -e cont \
			-e "heatmap u -cells 200x100" -e "step 1" "$marked" "$s" 10 >/dev/null 2>&1 </dev/null
		from=$(grep ' bytes$' "$tmp/log" | sed -n 1p) to=$(grep ' bytes$' "$tmp/log" | sed -n 2p)
		row "bytes to the front end for 200 x 100 cells of $s x $s doubles" \
			"$(awk -v a="$from" -v b="$to" 'BEGIN {
				n = split(a, x, " "); m = split(b, y, " "); print y[m - 1] - x[n - 1] }')" ""
	done
}

# on_screen ROWS COLUMNS ARGS…: the full screen of four stopped ranks, keys from standard input; what it told
# goes to the file keys
on_screen()
{
	local size="$1 $2"
	shift 2
	rm -rf "$tmp/log" "$tmp/config"
	# shellcheck disable=SC2086
	{ echo "wait stopped"; cat; } | TERM=xterm-256color XDG_CONFIG_HOME=$tmp/config DVMDBG_DEBUG=ask \
		DVMDBG_DEBUG_FILE=$tmp/log "$builddir/tests/bench/keys" $size "$DVMDBG" --tui -n 4 "$@" >"$tmp/keys"
}
# key NAME MEMBER: of that case the median (2), the first (3), the median of the last (4), bytes (5, 6)
key() { awk -F '\t' -v name="$1" -v n="$2" '$1 == name { print $n }' "$tmp/keys"; }
# What keys cost: arrays of so many elements that only what is seen can be brought, then bytes of screens and
# arrays of several sizes, then nothing to do.
screen()
{
	local side=${SIDE:-10000} s size
	on_screen 24 80 -e "break 1.E" -e cont "$builddir/tests/bench/giant" $((side * side)) <<-END
		press :tui\sarray\sa\r
		press ^Wo
		case ^F down
		case L right
		case v table
		case v back
		run $rounds
		press v
		case :tui\sarray\r list
		case :tui\sarray\sa\r map
		run $rounds
	END
	row "$((side * side)) doubles, 80 x 24: a page further, median, first (aim 50)" \
		"$(key down 2) ms" "$(key down 3) ms"
	row "  a first heat map, median, first (aim 300)" "$(key map 2) ms" "$(key map 3) ms"
	row "  and its histogram" "$(key map 4) ms" ""
	for size in "24 80" "60 200"; do
		# shellcheck disable=SC2086
		on_screen $size -e "break 3.B" -e cont "$marked" "$side" 2 <<-END
			press :tui\sarray\su[100][100]\r
			press ^Wo
			case ^F down
			case L right
			run $rounds
			press v
			case :tui\sarray\sv\r v
			case :tui\sarray\su\r u
			case > nearer
			case < further
			run $rounds
		END
		row "$side x $side doubles, rows and columns $size: a page down (aim 50)" \
			"$(key down 2) ms" "$(key down 3) ms"
		row "  a page to the right (aim 50)" "$(key right 2) ms" "$(key right 3) ms"
		row "  a first heat map (aim 300)" "$(key u 2) ms" "$(key u 3) ms"
		row "  and its histogram" "$(key u 4) ms" ""
		row "  nearer, half as wide and high" "$(key nearer 2) ms" ""
	done
	for s in 1000 $side; do
		for size in "24 80" "60 200"; do
			# shellcheck disable=SC2086
			on_screen $size -e "break 3.B" -e cont "$marked" "$s" 2 <<-END
				press :tui\sarray\su[100][100]\r
				press ^Wo
				case ^F down
				run 5
				press v
				case :tui\sarray\sv\r v
				case :tui\sarray\su\r u
				run 5
				idle 2
				idle 10
			END
			row "$s x $s, rows and columns $size: bytes for a table, a heat map" \
				"$(key down 6)" "$(key u 6)"
		done
	done
	row "ten seconds at a stop, processor time: dvmdbg, 4 dvmdbg-exec" \
		"$(awk -F '\t' '$2 == "dvmdbg" { n = $4 } END { print n }' "$tmp/keys") ms" \
		"$(awk -F '\t' '$2 == "dvmdbg-exec" { n = $4 } END { print n }' "$tmp/keys") ms"
}

# 10,000 actionpoints: what they cost a program that does not come to them, to set, and to stop at; a vote, a
# watch.
actions()
{
	local i kind
	{
		for ((i = 1; i <= 5000; i++)); do echo "break $((i + 100000)).B"; done
		for ((i = 1; i <= 5000; i++)); do echo "break heat.c:$((i % 60 + 90))"; done
	} >"$tmp/many"
	for kind in none many; do
		[ $kind = many ] || : >"$tmp/none"
		echo cont >"$tmp/cont.$kind"
		cat "$tmp/$kind" "$tmp/cont.$kind" >"$tmp/script.$kind"
	done
	for ((i = 0; i < rounds; i++)); do
		for kind in none many; do
			"$DVMDBG" --batch -n 2 -x "$tmp/script.$kind" "$marked" 100 20000 2>&1 </dev/null |
				seconds >>"$tmp/acts.$kind"
		done
	done
	row "heat 100 x 100, 20000 steps, 2 ranks: no actionpoint" "$(median <"$tmp/acts.none") s" 1
	row "  with 10,000 that are not reached" "$(median <"$tmp/acts.many") s" \
		"$(ratio "$(median <"$tmp/acts.many")" "$(median <"$tmp/acts.none")")"
	for ((i = 1; i <= 5000; i++)); do printf 'break %s.B\nbreak %s.E\n' "$((i + 2))" "$((i + 2))"; done >"$tmp/set"
	{ cat "$tmp/set"; echo "quit"; } >"$tmp/set.only"
	{ cat "$tmp/set"; for ((i = 0; i < 10000; i++)); do echo cont; done; } >"$tmp/set.hit"
	for ((i = 0; i < rounds; i++)); do
		for kind in only hit; do
			wall "$DVMDBG" --batch -n 2 -x "$tmp/set.$kind" "$marked" 100 3000 >>"$tmp/wall.$kind"
		done
	done
	row "10,000 actionpoints set" "$(median <"$tmp/wall.only") s" ""
	row "  and stops at all of them, with the program's own start; each" \
		"$(awk -v a="$(median <"$tmp/wall.hit")" -v b="$(median <"$tmp/wall.only")" 'BEGIN { print (a - b) / 10 }') ms" ""
	printf 'break heat.c:61 -if eps > 1\ncont\n' >"$tmp/script.vote"
	printf 'watch eps\ncont\n' >"$tmp/script.watch"
	printf 'watch eps -stop []\ncont\n' >"$tmp/script.alone"
	for kind in none vote watch alone; do
		"$DVMDBG" --batch -n 2 -x "$tmp/script.$kind" "$marked" 100 1000 2>&1 </dev/null | seconds >"$tmp/acts.$kind"
	done
	local -A named=([vote]='a vote' [watch]='a watch' [alone]='a watch with -stop []')
	for kind in vote:1000 watch:4000 alone:4000; do
		row "each point with ${named[${kind%:*}]}" "$(awk -v a="$(cat "$tmp/acts.${kind%:*}")" \
			-v b="$(cat "$tmp/acts.none")" -v n="${kind#*:}" 'BEGIN { printf "%.3f", (a - b) / n * 1000 }') ms" ""
	done
}

# Thousands of tree nodes on this machine: bytes at the root, and the slowest way through the tree.
scale()
{
	"$builddir/tests/bench/scale"
	"$builddir/tests/bench/scale" script 10000
}

# Ranks that all wait in a receive: where and hang against gdb on each of them, 4, 16, 64 ranks (STUCK).
everyone() { [ "$(ls "$tmp/there" | wc -l)" = "$1" ]; }
gdb_stuck() # RANKS: the job without the debugger
{
	local job pids pid from gdbs=()
	rm -rf "$tmp/there" && mkdir "$tmp/there"
	mpiexec.openmpi -n "$1" "$builddir/tests/bench/stuck" recv "$tmp/there" >/dev/null 2>&1 </dev/null &
	job=$!
	wait_for 60 everyone "$1" || return
	pids=$(pgrep -f "^[^ ]*stuck recv $tmp/there")
	from=$EPOCHREALTIME
	for pid in $pids; do
		gdb -q -nx -batch -p "$pid" -ex bt >/dev/null 2>&1 </dev/null &
		gdbs+=($!)
	done
	wait "${gdbs[@]}"
	row "  gdb on each at the same time" \
		"$(awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f ms", 1000 * (b - a) }')" ""
	kill "$job"
	wait "$job" 2>/dev/null
}
stuck()
{
	local r
	for r in ${STUCK:-4 16 64}; do
		rm -rf "$tmp/there" && mkdir "$tmp/there"
		opens -n "$r" --set HANG_TIMER=0 "$builddir/tests/bench/stuck" recv "$tmp/there"
		echo go >&"${asked[1]}"
		wait_for 60 everyone "$r" || return
		timed "$r ranks in a receive, where: median, first (aim 50 at 4, 1000 at 64)" where where
		timed "  where -native" "where -native" calls
		timed "  hang" hang hang
		closes
		gdb_stuck "$r"
	done
	for r in 4096 65536; do
		"$builddir/tests/bench/scale" "$r" same where "where -native"
	done
}

# Dynamic control against recording whose traces are dropped, and the compiler's thread sanitizer: with the start,
# runs of each kind in turn.
sanitized() # PROGRAM: built with it in $tmp; false: it cannot be
{
	local src=$srcdir/doc/examples/$1.c
	[ ! -x "$tmp/$1-tsan" ] || return 0
	[ -f "$src" ] && mpicc.openmpi -O2 -g -fsanitize=thread -DDVMDBG_OFF -I"$srcdir/runtime" "$src" \
		-o "$tmp/$1-tsan" -lm >/dev/null 2>&1
}
controlled() # RANKS PROGRAM ARGS…
{
	local i kind r=$1 exe=$builddir/doc/examples/$2-hooked name=$2 kinds="alone none check" n ns
	shift 2
	[ -x "$exe" ] || return
	! sanitized "$name" || kinds+=" tsan"
	rm -f "$tmp"/wall.*
	n=$("$DVMDBG" check -n "$r" "$exe" "$@" 2>&1 </dev/null | sed -n 's/^control: \([0-9]*\) accesses.*/\1/p')
	for ((i = 0; i < rounds; i++)); do
		for kind in $kinds; do
			case $kind in
			alone) wall mpiexec.openmpi -n "$r" "$exe" "$@" ;;
			none) wall "$DVMDBG" record --level FULL -o none -n "$r" "$exe" "$@" ;;
			check) wall "$DVMDBG" check -n "$r" "$exe" "$@" ;;
			tsan) TSAN_OPTIONS=report_bugs=0 wall mpiexec.openmpi -n "$r" "$tmp/$name-tsan" "$@" ;;
			esac >>"$tmp/wall.$kind"
		done
	done
	local seconds_alone seconds_none seconds_check seconds_tsan
	for kind in $kinds; do
		printf -v "seconds_$kind" %s "$(median <"$tmp/wall.$kind")"
	done
	row "$name $*, $r ranks, with hooks: alone" "$seconds_alone s" 1
	row "  record --level FULL -o none" "$seconds_none s" "$(ratio "$seconds_none" "$seconds_alone")"
	row "  check; over record -o none (aim 1.5)" "$seconds_check s" "$(ratio "$seconds_check" "$seconds_none")"
	ns=$(awk -v a="$seconds_check" -v b="$seconds_alone" -v n="$n" 'BEGIN { if (n) printf "%.0f", (a - b) / n * 1e9 }')
	row "  over alone, an access of $n (aim 40)" "$ns ns" ""
	[ "$kind" != tsan ] || row "  -fsanitize=thread, not debugged" "$seconds_tsan s" "$(ratio "$seconds_tsan" "$seconds_alone")"
}
control()
{
	local r
	for r in 1 2; do
		controlled "$r" heat 200 20
		controlled "$r" lu 24 2
	done
}

# peaks NAME COMMAND…: seconds and MiB of the largest process, a line of $tmp/peak.NAME
peaks()
{
	local name=$1
	shift
	"$builddir/tests/bench/peak" "$@" >>"$tmp/peak.$name"
}
# of NAME 1|2: their median
of() { cut -d' ' -f"$2" "$tmp/peak.$1" | median; }

# threaded NAME SIZE…: control of OpenMP against thread sanitizers, on 2 threads, with the start.
threaded()
{
	local name=$1 i kind src=$srcdir/tests/bench/$1_omp.c archer
	shift
	archer=$(find /usr/lib/llvm-*/lib -name libarcher.so 2>/dev/null | sort -V | tail -n 1)
	rm -f "$tmp"/peak.*
	(cd "$tmp" && gcc -O1 -g -fopenmp "$src" -o omp-plain && gcc -O1 -g -fopenmp -fsanitize=thread "$src" -o omp-gcc &&
		DVMDBG_CC=gcc "$builddir/runtime/dvmdbg-cc" -O1 -g -fopenmp "$src" -o omp-check) || return
	[ -z "$archer" ] || (cd "$tmp" && clang -O1 -g -fopenmp -fsanitize=thread "$src" -o omp-clang) || archer=
	for ((i = 0; i < rounds; i++)); do
		peaks plain "$tmp/omp-plain" "$@"
		TSAN_OPTIONS=report_bugs=0 peaks gcc "$tmp/omp-gcc" "$@"
		[ -z "$archer" ] || TSAN_OPTIONS=ignore_noninstrumented_modules=1 OMP_TOOL_LIBRARIES=$archer \
			peaks clang "$tmp/omp-clang" "$@"
		peaks check "$DVMDBG" check "$tmp/omp-check" "$@"
	done
	row "$name $*, 2 threads of OpenMP: plain" "$(of plain 1) s" "$(of plain 2) MB"
	for kind in gcc clang check; do
		[ -f "$tmp/peak.$kind" ] || continue
		row "  $kind" "$(of $kind 1) s" "$(of $kind 2) MB"
	done
	for kind in gcc clang; do
		[ -f "$tmp/peak.$kind" ] || continue
		row "  check over the sanitizer of $kind: time, memory (aims 3, 1)" \
			"$(ratio "$(of check 1)" "$(of $kind 1)")" "$(ratio "$(of check 2)" "$(of $kind 2)")"
	done
}
openmp()
{
	export OMP_NUM_THREADS=2
	threaded heat 300 20
	threaded heat 1000 5
	threaded lu 300
	threaded lu 500
}

# messages WAY WORDS: messages of 8 bytes between two ranks, alone and under the debugger in turn.
messages()
{
	local i n=${MESSAGES:-300000} p d
	rm -f "$tmp"/messages.*
	for ((i = 0; i < rounds; i++)); do
		mpirun openmpi 2 "$builddir/tests/bench/stuck" "$1" "$n" | sed -n 's/ ns a call$//p' >>"$tmp/messages.plain"
		"$DVMDBG" --batch -n 2 -e cont "$builddir/tests/bench/stuck" "$1" "$n" 2>&1 </dev/null |
			sed -n 's/^| \(.*\) ns a call$/\1/p' >>"$tmp/messages.debugged"
	done
	p=$(median <"$tmp/messages.plain") d=$(median <"$tmp/messages.debugged")
	row "8 bytes, 2 ranks, $2, a call of MPI: not debugged" "$p ns" ""
	row "  under the debugger (aim 20 ns more)" "$d ns" "+$(awk -v a="$d" -v b="$p" 'BEGIN { print a - b }') ns"
}

pingpong()
{
	local OMPI_MCA_mpi_yield_when_idle=0
	export OMPI_MCA_mpi_yield_when_idle
	messages pingpong "there and back"
	messages alone "to itself, processor time"
	messages requests "to itself by Irecv, Isend, Waitall"
}

# For how long a rank that computes stands for its calls to be read: all, the first included.
pause()
{
	local i
	rm -rf "$tmp/there" "$tmp/log" && mkdir "$tmp/there"
	DVMDBG_DEBUG=native DVMDBG_DEBUG_FILE=$tmp/log opens -n 2 --set HANG_TIMER=0 \
		"$builddir/tests/bench/stuck" spin "$tmp/there"
	echo go >&"${asked[1]}"
	wait_for 60 everyone 2 || return
	for ((i = 0; i < 20; i++)); do asks "where -native" calls || return; done
	closes
	sed -n 's/.*paused for \([0-9]*\) us.*/\1/p' "$tmp/log" >"$tmp/paused"
	row "pause of a rank for its calls: median, most (aim 1000 us)" "$(median <"$tmp/paused") us" \
		"$(sort -n "$tmp/paused" | tail -n 1) us"
	row "  the first" "$(head -n 1 "$tmp/paused") us" ""
}

# A record of a trace on one core.
records()
{
	"$builddir/tests/bench/trace"
}

# Traces: the same program plain, hooked, at each level recording and comparing, and as the compiler's own
# thread sanitizer slows it. Times are the program's own, of the steps alone.
# traced NAME PLAIN HOOKED SANITIZED ARGS…
traced()
{
	local name=$1 plain=$2 hooked=$3 sanitized=$4 i l t p s
	local levels="MINIMAL MODIFY FULL"
	shift 4
	rm -f "$tmp"/traced.*
	for ((i = 0; i < rounds; i++)); do
		mpirun openmpi 2 "$plain" "$@" | ok_seconds >>"$tmp/traced.plain"
		TSAN_OPTIONS="report_bugs=0 exitcode=0" mpirun openmpi 2 setarch -R "$sanitized" "$@" | ok_seconds >>"$tmp/traced.sanitizer"
		mpirun openmpi 2 "$hooked" "$@" | ok_seconds >>"$tmp/traced.alone"
		"$DVMDBG" --batch -n 2 -e cont "$hooked" "$@" 2>&1 </dev/null | ok_seconds >>"$tmp/traced.closed"
		for l in $levels; do
			rm -rf "$tmp/new"
			"$DVMDBG" record -o "$tmp/new" --level=$l -n 2 "$hooked" "$@" 2>&1 </dev/null | ok_seconds >>"$tmp/traced.record.$l"
			[ -d "$tmp/of.$name.$l" ] || mv "$tmp/new" "$tmp/of.$name.$l"
			"$DVMDBG" compare -r "$tmp/of.$name.$l" -n 2 "$hooked" "$@" 2>&1 </dev/null |
				ok_seconds >>"$tmp/traced.compare.$l"
		done
	done
	p=$(median <"$tmp/traced.plain") s=$(median <"$tmp/traced.sanitizer")
	row "$name $*, 2 ranks: not debugged" "$p s" 1
	row "  the compiler's thread sanitizer" "$s s" "$(ratio "$s" "$p")"
	for i in alone closed; do
		t=$(median <"$tmp/traced.$i")
		row "  hooked, gate closed, $i, over the sanitizer (aim 0.5)" "$t s" "$(ratio "$t" "$s")"
	done
	for l in $levels; do
		t=$(median <"$tmp/traced.record.$l") i=$(trace_counts "$tmp/of.$name.$l")
		row "  record $l" "$t s" "$(ratio "$t" "$p")"
		row "    million records a second a rank (aim 10)" "$(awk -v n="${i% *}" -v t="$t" 'BEGIN { printf "%.1f", n / 2 / t / 1e6 }')" ""
		row "    bytes a record on disk (aim 6)" "$(awk -v n="${i% *}" -v b="${i#* }" 'BEGIN { printf "%.2f", b / n }')" ""
		i=$(median <"$tmp/traced.compare.$l")
		row "  compare $l, over record (aim 1)" "$i s" "$(ratio "$i" "$t")"
	done
}

ok_seconds() { sed -nE 's/.*[, ]([0-9.]+) s OK *$/\1/p'; }

# "RECORDS BYTES" of a reference.
trace_counts()
{
	local bytes
	bytes=$(cat "$1"/trace.*.bin | wc -c)
	"$DVMDBG" trace stat "$1" --json </dev/null 2>/dev/null |
		sed -nE 's/.*"records": ?([0-9]+).*/\1/p' | awk -v b="$bytes" '{ n += $1 } END { print n, b }'
}

traces()
{
	local dir=$tmp/sanitized
	mkdir -p "$dir"
	mpicc.openmpi -O2 -g -fsanitize=thread -I"$srcdir/runtime" "$srcdir/doc/examples/heat.c" \
		-L"$builddir/runtime/.libs" -ldvmdbg -Wl,-rpath,"$builddir/runtime/.libs" -o "$dir/heat" -lm || return
	(cd "$dir" && mpifort.openmpi -O2 -g -fsanitize=thread "$srcdir/runtime/dvmdbg.f90" "$srcdir/doc/examples/lu.f90" \
		-L"$builddir/runtime/.libs" -ldvmdbg -Wl,-rpath,"$builddir/runtime/.libs" -o lu) || return
	traced heat "$plain" "$marked-hooked" "$dir/heat" 1000 20
	traced lu "$builddir/doc/examples/lu" "$builddir/doc/examples/lu-hooked" "$dir/lu" 33 10
}

what=${*:-overhead start stops sums throughput locate giant zoom screen scale actions records traces control openmp stuck pingpong pause}
for name in $what; do
	"$name"
done
