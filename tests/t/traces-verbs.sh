# SPDX-License-Identifier: GPL-3.0-or-later
# Traces by verbs and settings: two directories compared without a program, record and compare one after the
# other, stops where traces differ, texts to and fro, the historical parameters, points that are not there, a
# million wrong elements, iterations that nobody marks.
. "${0%/*}/lib.sh"

heat=$builddir/doc/examples/heat-hooked
lu=$builddir/doc/examples/lu-hooked
plain=$builddir/doc/examples/heat
[ -x "$heat" ] || skip_all "no program with access hooks"
cd "$tmp" || exit 1

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
libs="-L$builddir/runtime/.libs -Wl,-rpath,$builddir/runtime/.libs -ldvmdbg -lm"
cc() { "$builddir/runtime/dvmdbg-cc" -g -O1 -I"$srcdir/runtime" "$@" $libs; }
# accesses DIR: the objects in its traces that are read and written, and how often
accesses()
{
	shell trace print "$1" -n 0
	printf '%s\n' "$out" | grep -oE ' (read|write) [uv]\[' | sort | uniq -c | awk '{ print $2, $3, $1 }' | tr '\n' ';'
}

# Two directories are compared without a program: checksums and traces.
shell record --level FULL -o ref -n 1 "$heat" 40 3
shell record --level FULL -o same -n 3 "$heat" 40 3
shell record --level FULL -o bad -n 4 "$heat" 40 3 --fault swapped-index
shell record -o sums -n 2 "$heat" 40 3
for words in "same ref" "-r ref same"; do
	shell compare $words
	like "compare $words: equal" "status $status
$out" '^status 0$' '^compared 11 checksums of 6 arrays at 8 points: equal$' \
		'^compared traces at level FULL: 37856 accesses, 10264 iterations, .*: equal$'
done
shell compare bad ref
like "compare of another run: findings" "status $status
$out" '^status 1$' '^Finding checksum  \[0:3\] .*\("v", "heat\.c", .* at the point 3\.E; previous correct point is 2\.E' \
	'^Finding value  \[2\]  .*: v\[20\]\[1\]: -0\.0214.* at 3\.B in iteration \(20,1\)  heat\.c:[0-9]+  rank 0 there  #4$' \
	'^compared 11 checksums of 6 arrays at 8 points: 2 findings$' '^compared traces .*: 6 findings, [0-9]+ occurrences$'
shell compare ref bad
like "the other way round the values change sides" "$out" \
	'^Finding value  \[0\]  .*: v\[20\]\[1\]: -0\.0190.* here, -0\.0214.* in the reference .* rank 2 there'
shell compare sums ref
like "of what only one has nothing is compared" "status $status
$out" '^status 0$' '^compared 11 checksums .*: equal$' 'only ref has traces: checksums are compared'
mkdir only && cp same/trace.*.bin only
shell compare only ref
is "traces alone" "$status $(printf '%s\n' "$out" | grep -c '^compared ')" "0 1"
for words in "bad" "bad nix" "-r ref nix"; do
	shell compare $words
	is "compare $words: exit status" "$status" 2
done
shell compare --json bad ref
like "compare as JSON" "$out" '"type":"compared",.*"verdict":"findings"' '"type":"compared-traces",.*"verdict":"findings"'
dvm 120 'compare bad ref
findings -kind value
compare same ref
findings' -n 1 "$heat" 40 3
like "in a session the findings have numbers, and are those of the last comparison" "$out" \
	'^Finding value .*v\[20\]\[1\].*  #4$' '^no findings$'
shell --batch -e 'compare a b c'
like "three directories" "status $status
$out" '^status 2$' 'compare: one directory, or two, not'
shell --batch -e 'compare bad nothing'
like "a directory that is not there" "status $status
$out" '^status 2$' 'nothing is not a reference: manifest\.json'
shell compare bad ref --set MaxErrors=2
like "options come first" "status $status" '^status 2$'
shell compare --set MaxErrors=2 bad ref
is "MaxErrors bounds what is told" "$(printf '%s\n' "$out" | grep -c '^Finding value')" 2
no_leak "two directories"

# record and compare: the later one holds.
dvm 120 'record new
compare ref
compare
record new
record
compare ref
break 3.B
run
record new
kill' -n 2 "$heat" 40 3
like "the later one of record and compare holds, and says so" "$out" '^compare: the next run is not recorded into new any more$' \
	'^the next run is compared with ref$' '^record: the next run is not compared with ref any more$' \
	'^the next run is recorded into new$' '^record: applies to the next run; type rerun$'
talk 'compare ref
record bad/manifest.json
compare
compare nothing
compare' -n 2 "$heat" 40 3
like "one that cannot be leaves what was" "$out" 'bad/manifest\.json' 'nothing is not a reference'
is "and says nothing else" "$(printf '%s\n' "$out" | grep -c '^the next run is compared with ref$') $(printf '%s\n' "$out" | grep -c ' any more$')" "2 0"
no_leak "record and compare"
rest_in all

# A stop says what differs.
dvm 120 'compare ref
set STOP_ON=mismatch
run
kill' -n 4 "$heat" 40 3 --fault swapped-index
like "checksums and traces" "$out" '^Point 3\.E  \[0:3\]  .*  checksums and traces differ$' \
	'^Finding value  \[2\] .*: v\[20\]\[1\]'
cat >between.c <<'EOF2'
#include <stdio.h>
#include <stdlib.h>
#include "dvmdbg.h"
int main(int argc, char **argv)
{
	static double memory[10], *u = memory;

	DVMDBG_ARRAY(u, .shape = { 10 });
	for (int s = 0; s < 3; s++) {
		DVMDBG_PL(.range = { { 0, 9 } }, .writes = { u })
		for (long i = 0; i < 10; i++) {
			DVMDBG_PL_ITERATION(i);
			if (argc > 1 && s == 1 && i == 4)
				u[i] = -1;
			u[i] = i + s;
		}
	}
	return 0;
}
EOF2
cc between.c -o between
shell record --level FULL -o between.ref -n 1 ./between
dvm 120 'compare between.ref
set STOP_ON=mismatch
run
kill' -n 1 ./between x
like "traces alone: what is wrong in between" "$out" '^Point 2\.E  \[0\]  .*  traces differ$' \
	'^Finding .*: u\[4\]: -1 here, .* at 2\.B in iteration 4 '
dvm 120 'compare sums
set STOP_ON=mismatch
run
kill' -n 4 "$heat" 40 3 --fault swapped-index
like "checksums alone" "$out" '^Point 3\.E  \[0:3\]  .*  checksums differ$'
no_leak "stops"

# Texts, to and fro: what comes back is what was there.
round()
{
	local name=$1 n=$2 k
	shift 2
	shell record --level FULL -o "own-$name" -n "$n" "$@"
	shell trace export "own-$name" "$name.trd"
	[ "$n" -gt 1 ] || mv "$name.trd" "$name.trd.0"
	mkdir "back-$name"
	for k in $(seq 0 $((n - 1))); do
		shell trace import "$name.trd.$k" "back-$name" -rank "$k"
	done
	shell trace diff "back-$name" "own-$name"
	like "$name: exported and imported it is the same" "status $status
$out" '^status 0$' '^compared traces at level FULL: [1-9][0-9]* accesses, [1-9].*: equal'
	shell trace diff "own-$name" "back-$name"
	like "$name: and the other way round" "status $status
$out" '^status 0$' '^compared traces at level FULL: [1-9][0-9]* accesses, [1-9].*: equal'
	shell trace export "back-$name" "$name.trd2"
	[ "$n" -gt 1 ] || mv "$name.trd2" "$name.trd2.0"
	is "$name: the text is the same but for comments" \
		"$(sed '1,/End trace header/d' "$name.trd2.0" | grep -v '^ *#' | cksum)" \
		"$(sed '1,/End trace header/d' "$name.trd.0" | grep -v '^ *#' | cksum)"
}
round heat 1 "$heat" 40 3
round heat2 2 "$heat" 40 3
[ ! -x "$lu" ] || round lu 2 "$lu" 12 1
cat >types.c <<'EOF2'
#include <complex.h>
#include <stdbool.h>
#include "dvmdbg.h"
static double complex z[6][2];
static float complex c[6];
static short s[6];
static signed char b[6];
static unsigned u[6];
static bool l[6];
int main(void)
{
	DVMDBG_ARRAY(z, .shape = { 6, 2 });
	DVMDBG_ARRAY(c, .shape = { 6 });
	DVMDBG_ARRAY(s, .shape = { 6 });
	DVMDBG_ARRAY(b, .shape = { 6 });
	DVMDBG_ARRAY(u, .shape = { 6 });
	DVMDBG_ARRAY(l, .shape = { 6 });
	DVMDBG_PL(.range = { { 0, 5 } }, .writes = { z, c, s, b, u, l })
	for (int i = 0; i < 6; i++) {
		DVMDBG_PL_ITERATION(i);
		z[i][1] = i - I;
		c[i] = i * (1 + 0.5f * I);
		s[i] = (short)(-300 * i);
		b[i] = (signed char)(-i);
		u[i] = 0xffffff00u + (unsigned)i;
		l[i] = i % 2;
	}
	return 0;
}
EOF2
cc types.c -o types
round types 1 ./types
shell trace print back-types -from 1.B
like "types that the format does not have" "$out" 'write z\[3\]\[1\]\.im = -1 ' 'write c\[3\]\.re = 3 ' 'write s\[3\] = -900 ' \
	'write b\[3\] = -3 ' 'write u\[3\] = 4294967043 ' 'write l\[3\] = true '
sed 's/"v\[20\]\[1\]" = -0\.019/"v[20][1]" = -0.018/' heat.trd.0 >other.trd
mkdir other && shell trace import other.trd other
shell trace diff other back-heat
like "a text that was changed" "status $status
$out" '^status 1$' '^Finding value  \[0\] .*: v\[20\]\[1\]: -0\.0180546746583825.* here, -0\.0190546746583825.* in the reference .* at 3\.B'
shell trace diff own-heat other.trd
like "a text itself is a reference" "status $status
$out" '^status 1$' '^Finding value  \[0\] .*: v\[20\]\[1\]: -0\.0190546746583825.* here, -0\.0180546746583825.* in the reference'
shell trace import heat2.trd.0 made/
like "import: a directory is made" "status $status
$out" '^status 0$' '^wrote made/trace\.0\.bin: [0-9]+ records of [0-9]+ lines$'
shell trace import heat2.trd.1 made/ -rank 1
is "import: of several ranks" "$status $(ls made | tr '\n' ' ')" "0 trace.0.bin trace.1.bin "
shell trace import heat2.trd.1 made/trace.0.bin -rank 1
like "import: another rank's trace is left alone" "status $status
$out" '^status 2$' 'made/trace\.0\.bin is the trace of rank 0; of several ranks give a directory'
shell trace import heat2.trd.0 other.trd
like "import: what is no trace is left alone" "status $status
$out" '^status 2$' 'other\.trd exists and is not a trace'
shell trace import heat2.trd.0 made/
like "import: the same again" "$out" ', which replaces the old file$'
shell trace import "$srcdir/tests/data/small.trd" small.bin
shell trace print small.bin -n 2
like "before the first point it is the start" "$out" '^\[0\] start +before +EPS .*small\.c:13$' '^\[0\] start +write EPS = '
shell record --level FULL --set Ext=trd --set WriteEmptyIter=0 --set SpaceIndent=4 -o dense -n 2 "$heat" 40 3
like "Ext: record writes texts too" "status $status
$out" '^status 0$' '^wrote 0\.trd$' '^wrote 1\.trd$'
like "SpaceIndent, WriteEmptyIter: how they look" "$(<0.trd)" '^EMPTYITER = 0$' '^        IT: [0-9]+, \(1,1\)$'
shell trace export dense full
is "iterations in which nothing is recorded are left out" \
	"$(grep -c 'IT:' 0.trd) $(awk '/IT:/ { if (held) n++; held = 1; next } { held = 0 } END { print n + 0 }' 0.trd)" \
	"$(awk '/IT:/ { if (held) n++; held = 1; next } /EL:/ { if (held) n++ } { held = 0 } END { print all - n }' all="$(grep -c 'IT:' full.0)" full.0) 0"
no_leak "texts"

# Why there is nothing.
while read -r words; do
	shell trace print own-heat ${words%%=*}
	like "trace print ${words%%=*}" "$out" "^${words#*=}\$"
done <<'EOT'
-array nosuch=there is no object or variable nosuch in these traces
-element v[1]=-element v\[1\]: v has 2 dimensions, \[0:39\]\[0:39\]
-element v[1][*]=-element v\[1\]\[\*\]: give numbers as indices; -array shows all elements
-element v[999][0]=-element v\[999\]\[0\] is outside of v\[0:39\]\[0:39\]
-rank 7=no record matches: these are traces of \[0\]
-element v[20][1] -from 4.B -to 4.E -iteration (1,1)=no record of v\[20\]\[1\] matches
EOT
shell --batch -e 'last-write v[1][1] -in own-heat -rank 9'
like "last-write: a rank that is not there" "$out" 'last-write -rank 9: own-heat has no trace of that rank'
dvm 120 'level FULL
record cut
break 3.B
run
kill' -n 2 "$heat" 40 3
like "a run that is ended tells what was recorded" "$out" \
	'^recorded traces at level FULL: [1-9][0-9]+ records in cut, [1-9][0-9]* bytes, .* a record; the run had not ended$'
no_leak "words"

# The levels of constructs are the reference's.
loop=$(grep -n 'DVMDBG_PL.*writes = { v }' "$srcdir/doc/examples/heat.c" | tail -n 1 | cut -d : -f 1)
dvm 120 "level MODIFY
level FULL heat.c:$loop
level FULL heat.c:2
record levels
run" -n 1 "$heat" 40 3
like "a line without a construct" "$out" 'level heat\.c:2: no construct begins on this line of the source'
like "the reference knows them" "$(tr -d ' \n' <levels/manifest.json)" "\"levels\":\\[\{\"file\":\"heat.c\",\"line\":$loop,\"level\":\"FULL\"\}"
shell compare -r levels -n 4 "$heat" 40 3 --fault swapped-index
like "a comparison takes them over: what is read in that loop" "$out" '^Finding value  \[2\] .*: u\[19\]\[1\]: 0 here, .* at 3\.B'
unlike "and not elsewhere" "$out" '^Finding value .* at 4\.B'
shell compare --level MODIFY -r levels -n 4 "$heat" 40 3 --fault swapped-index
unlike "a lower level holds" "$out" ': u\[19\]\[1\]: '
shell compare -r levels -n 3 "$heat" 40 3
like "no finding in a correct program" "status $status
$out" '^status 0$' '^compared traces at level MODIFY: .*: equal$'
no_leak "levels"

# The configuration file: levels of arrays, and which arrays a construct uses; of which rank.
dvm 120 'level FULL
set FileLoopInfo conf
set TraceMode 2
set WrtHeaderProc 1
record costs
run' -n 2 "$heat" 40 3
shell trace stat costs
is "WrtHeaderProc: the costs are of that rank" \
	"$(sed -n 's/^# Native trace size = \([0-9]*\) bytes/\1/p' conf | head -n 1)" \
	"$(printf '%s\n' "$out" | sed -n 's/^\[1\] .* blocks, \([0-9]*\) bytes.*/\1/p')"
dvm 120 'level FULL
set FileLoopInfo conf2
set TraceMode 0
set WrtHeaderProc 7
record costs2
run' -n 2 "$heat" 40 3
like "a rank that is not there" "$out" 'FileLoopInfo: rank 7 has no trace; the traces are kept'
is "and they are" "$(ls costs2)" "manifest.json
output.txt
scales.bin
sums.bin
trace.0.bin
trace.1.bin"
full=$(accesses costs)
sed -i 's/^\(ARR: "u".*=\).*/\1 MODIFY/; s/^\(ARR: "v".*=\).*/\1 NONE/' conf
dvm 120 'level FULL
set FileLoopInfo conf
record few
run' -n 1 "$heat" 40 3
is "levels of arrays: of u what is written, of v nothing" \
	"$(accesses few) $(printf '%s\n' "$full" | grep -c 'read u.*read v.*write u.*write v')" "write u[ 1600; 1"
shell compare -r few -n 3 "$heat" 40 3
like "a comparison looks at what the reference has of them" "status $status
$out" '^status 0$' '^compared traces at level FULL: 1600 accesses, 10264 .*: equal$'
shell compare costs few
like "without a program as well" "status $status
$out" '^status 0$' '^compared traces at level FULL: .*: equal; [0-9]+ not compared$'
sed -i 's/^\(ARR: "u".*=\).*/\1 MINIMAL, (0:1,2,1)/' conf
dvm 120 'set FileLoopInfo conf
record none
run' -n 1 "$heat" 40 3
like "a range of an array is none" "status $status
$out" '^status 2$' 'conf:[0-9]+:[0-9]+: expected a level: , \(0:1,2,1\)'

cat >uses.c <<'EOF2'
#include <stdlib.h>
#include "dvmdbg.h"
int main(int argc, char **argv)
{
	static double one[10], two[10], *a = one, *b = two;

	DVMDBG_ARRAY(a, .shape = { 10 });
	DVMDBG_ARRAY(b, .shape = { 10 });
	DVMDBG_PL(.range = { { 0, 9 } })
	for (long i = 0; i < 10; i++) {
		DVMDBG_PL_ITERATION(i);
		a[i] = i;
	}
	if (argc > 1)
		b[3] = 1;
	DVMDBG_PL(.range = { { 0, 9 } })
	for (long i = 0; i < 10; i++) {
		DVMDBG_PL_ITERATION(i);
		a[i] += b[i];
	}
	return 0;
}
EOF2
cc uses.c -o uses
dvm 120 'level FULL
set FileLoopInfo used
set TraceMode 0
record costs3
run' -n 1 ./uses
like "the file says what constructs use" "$(<used)" '^EL: 1 \("a", ".*uses\.c", 7, 0, "w"\)$' '^EL: 2 .*\("b", ".*uses\.c", 8, 0, "r"\)'
dvm 120 'set FileLoopInfo used
record by-file
run' -n 1 ./uses
like "checksums are of these arrays" "$out" '^recorded 2 checksums at 2 points in by-file'
dvm 120 'set FileLoopInfo used
set TrapArraysAnyway 1
record anyway
run' -n 1 ./uses
like "TrapArraysAnyway: of all" "$out" '^recorded 4 checksums at 2 points in anyway'
shell compare -r by-file -n 1 ./uses
like "in a comparison those of the reference" "status $status
$out" '^status 0$' '^compared 2 checksums of 1 array at 2 points: equal$'
dvm 120 'set TraceFile ref
set TraceMode 3
run' -n 2 "$heat" 40 3
like "TraceMode 3 and TraceFile: a comparison" "status $status
$out" '^status 0$' '^compared traces at level FULL: .*: equal$'
dvm 120 'set TracePath nowhere
set TraceFile ref
set TraceMode 3
run' -n 2 "$heat" 40 3
like "TracePath: where it is looked for" "$out" 'nowhere/ref is not a reference'
dvm 120 'set FloatPrecision 3
set SaveThroughExec 0' -n 1 "$heat" 40 3
like "parameters without effect say so" "status $status
$out" '^status 0$' '^FloatPrecision has no effect: ' \
	'^SaveThroughExec has no effect: '
no_leak "settings"

# Points that are not there, in tasks as well.
tasks=$builddir/tests/prog/points/tasks
shell record --start 40.B -o far -n 1 "$tasks"
like "a start that the run does not come to" "$out" 'StartPoint 40\.B was not reached: the run ended after 3\.E'
shell record --start 2.9.1.B -o far -n 1 "$tasks"
like "a start in a task that is not there" "$out" 'StartPoint 2\.9\.1\.B was not reached: no task of region 2 has it'
shell record --finish 2.2.3.E -o far -n 2 "$tasks"
like "a finish in a task that has fewer loops" "$out" 'FinishPoint 2\.2\.3\.E was not reached: no task of region 2 has it'
shell record --start 2.2.2.B -o far -n 1 "$tasks"
unlike "one that is there" "$out" 'was not reached'
no_leak "points"

# A million wrong elements, thousands of findings.
cat >ulps.c <<'EOF2'
#include <math.h>
#include <stdlib.h>
#include "dvmdbg.h"
int main(int argc, char **argv)
{
	long n = atol(argv[1]), m = 250;
	double *u = malloc(n * n * sizeof(*u)), **a = malloc(m * sizeof(*a));

	DVMDBG_ARRAY(u, .shape = { n, n });
	for (long k = 0; k < m; k++) {
		a[k] = malloc(8 * sizeof(double));
		DVMDBG_ARRAY(a[k], .shape = { 8 });
	}
	DVMDBG_PL(.range = { { 0, n - 1 }, { 0, n - 1 } }, .writes = { u })
	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++) {
			DVMDBG_PL_ITERATION(i, j);
			u[i * n + j] = argc > 2 ? nextafter(1.0 + i + j, 1e9) : 1.0 + i + j;
		}
	DVMDBG_PL(.range = { { 0, m - 1 } })
	for (long k = 0; k < m; k++) {
		DVMDBG_PL_ITERATION(k);
		for (int e = 0; e < 8; e++)
			a[k][e] = argc > 2 ? nextafter(2.0 + e, 1e9) : 2.0 + e;
	}
	return 0;
}
EOF2
cc ulps.c -o ulps
shell record --level MODIFY -o ulps.ref -n 1 ./ulps 1000
shell compare -r ulps.ref -n 1 ./ulps 1000 x
like "an ulp is nothing" "$out" '^compared traces at level MODIFY: 1002000 accesses, .*: equal, 1002000 of them only within the tolerance$'
dvm 120 'set COMPARE exact
compare ulps.ref
run
findings
findings -kind value' -n 1 ./ulps 1000 x
like "exactly each element differs: one finding, and how often" "$out" \
	'^Finding value  \[0\]  .*: a\[k\]\[0\] of a\[k\]@ulps\.c:12#7: 2\.0000000000000004 here, ' \
	'^Finding value  \[0\]  .*: u\[0\]\[0\]: 1\.0000000000000002 here, 1 in the reference, 1000000 times, at 1\.B in iteration \(0,0\)  ulps\.c:18 ' \
	'^compared traces at level MODIFY: .*: 100 findings, 1002000 occurrences; more than MaxErrors were not kept$'
is "MaxErrors: so many of each kind are told, and a list ends" \
	"$(printf '%s\n' "$out" | sed '/^compared /q' | grep -c '^Finding checksum') $(printf '%s\n' "$out" | sed '/^compared /q' | grep -c '^Finding value') $(printf '%s\n' "$out" | grep -cE '^\.\.\. (180|80) more findings: findings -all')" \
	"100 100 2"
no_leak "a million"

# Iterations of parallel loops are seen where they are marked.
sed 's/DVMDBG_PL_ITERATION(i);/DVMDBG_ITERATION(i);/' between.c >marked.c
grep -v ITERATION between.c >bare.c
for name in between marked bare; do
	gcc -g -I"$srcdir/runtime" $name.c -o $name-plain $libs
done
cc bare.c -o bare
loop=$(grep -n 'DVMDBG_PL(' between.c | cut -d : -f 1)
dvm 60 "break between.c:$loop -iter 5
run" -n 1 ./between-plain
like "a program without hooks has none" "$out" "break between\\.c:$loop -iter: dvmdbg does not see the iterations of this parallel loop: mark them with DVMDBG_PL_ITERATION and rebuild with dvmdbg-cc, or "
dvm 60 "break marked.c:$loop -iter 5
run
kill" -n 1 ./marked-plain
like "but where DVMDBG_ITERATION marks them" "$out" "^Iteration 5  \\[0\\]  parallel loop  marked\\.c:$loop  actionpoint 0\$"
unlike "and it is not told otherwise" "$out" 'is disabled'
dvm 60 "break bare.c:$loop -iter 5
run" -n 1 ./bare
like "a loop without marks" "$out" \
	'^actionpoint 0 was never reached: .*and the source shows no DVMDBG_PL_ITERATION in that loop'
sed 's/DVMDBG_PL_ITERATION(i);/MARK(i);/; 1i #define MARK(i) DVMDBG_PL_ITERATION(i)' between.c >macro.c
cc macro.c -o macro
dvm 60 "break macro.c:$((loop + 1)) -iter 5
run
kill" -n 1 ./macro
like "a mark in a macro is one" "$out" "^Iteration 5  \\[0\\]  parallel loop  macro\\.c:$((loop + 1))  actionpoint 0\$"
unlike "and nothing is said against it" "$out" 'shows no DVMDBG_PL_ITERATION'
dvm 60 "break nosuch.c:3" -n 1 ./bare
like "the sources of a program with hooks are its own" "$out" "there is no source 'nosuch\.c' of this program; its sources are bare\.c\$"
cat >threads.c <<'EOF2'
#include "dvmdbg.h"
static double a[8];
int main(int argc, char **argv)
{
	DVMDBG_ARRAY(a, .shape = { 8 });
	DVMDBG_PL(.range = { { 0, 7 } }, .writes = { a })
#pragma omp parallel for schedule(static) num_threads(2)
	for (int i = 0; i < 8; i++) {
		DVMDBG_PL_ITERATION(i);
		a[i] = argc > 1 && i == 6 ? -1 : i;
	}
	return 0;
}
EOF2
if cc -fopenmp threads.c -o threads 2>/dev/null; then
	shell record --level FULL -o threads.ref -n 1 ./threads
	dvm 60 'compare threads.ref
run
rerun -to finding 2
kill' -n 1 ./threads x
	like "an iteration of another thread: rerun -to says why it is not there" "$out" \
		'^Finding value .*: a\[6\]: -1 here, .* in iteration 6 ' '^Point 1\.E ' \
		'^rerun -to finding: the main thread of rank 0 did not execute that iteration: another thread did, or none$'
	dvm 60 'break threads.c:6 -iter 6
run' -n 1 ./threads
	like "and break -iter, too" "$out" \
		'^actionpoint 0 was never reached: .* it stops in iteration 6 only, when the main thread executes it and no other one; '
	dvm 60 'break threads.c:6 -iter 1
run
kill' -n 1 ./threads
	like "the main thread's are stopped in" "$out" '^Iteration 1  \[0\]  parallel loop  threads\.c:6  actionpoint 0$'
else
	skip "an iteration of another thread" "no OpenMP"
fi
mkdir away && mv between.c away
dvm 60 "break between.c:$loop -iter 5
run" -n 1 ./between-plain
like "without the source it is told at the loop" "$out" 'actionpoint 0, between\.c:[0-9]+, is disabled: dvmdbg does not see the iterations of this parallel loop: mark them with DVMDBG_PL_ITERATION'
no_leak "iterations"
done_testing
