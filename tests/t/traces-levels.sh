# SPDX-License-Identifier: GPL-3.0-or-later
# Traces with levels of constructs, limits of iterations, intervals, a configuration file, a parameter file.
. "${0%/*}/lib.sh"

heat=$builddir/doc/examples/heat-hooked
[ -x "$heat" ] || skip_all "no program with access hooks"
cd "$tmp" || exit 1

# at FILE REGEX: FILE:LINE of the first such line of an example
at() { echo "$1:$(line_like "$2" "$srcdir/doc/examples/$1")"; }
# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}

init=$(at heat.c '^	DVMDBG_PL')
loop=$(at heat.c '^		DVMDBG_PL.*writes = \{ v \}')
shell record --level FULL -o ref-heat -n 1 "$heat" 40 3

shell record --level MINIMAL -o least -n 1 "$heat" 40 3
shell compare -r least -n 2 "$heat" 40 3
like "MINIMAL: iterations are compared" "$out" '^compared traces at level MINIMAL: 0 accesses, 10264 iterations, .*: equal$'

# Levels of constructs, limits, the configuration file.
dvm 120 "level MINIMAL
level FULL heat.c:${loop#*:}
level
record some
run" -n 1 "$heat" 40 3
like "level shows what is set" "$out" '^level: MINIMAL$' "^  heat\\.c:${loop#*:}: FULL\$"
shell trace print some -n 0
is "a construct with a level of its own: only its accesses are there" \
	"$(printf '%s\n' "$out" | grep -E ' (read|write) [uv]\[' | awk '{ print $2 }' | sort -u | tr '\n' ' ')" "3.B 5.B 7.B "
dvm 120 'level FULL
limit Ig_left=1 Irep_left=2
limit
record few
run
limit -off
limit
limit Ig_left=x' -n 1 "$heat" 40 3
like "limit shows what is set" "$out" '^limit: Ig_left=1$' '^limit: Irep_left=2$' \
	"Incorrect parameter TraceOptions\\.Ig_left value\\. .*'x'"
shell trace print few -n 0
is "iterations within a step of a lower bound, in any dimension, in two steps" \
	"$(printf '%s\n' "$out" | grep -cE '^\[0\] 3\.B .*iteration \(') $(printf '%s\n' "$out" | grep -cE '^\[0\] 7\.B .*iteration \(')" \
	"$((38 * 4 - 4)) 0"
shell compare -r few -n 3 "$heat" 40 3
like "the limits of the reference hold" "status $status
$out" '^status 0$' '^compared traces .*: 4124 accesses, 748 iterations, .*: equal$'
dvm 120 'level FULL
set FileLoopInfo conf
set TraceMode 0
record costs
run' -n 2 "$heat" 40 3
is "TraceMode 0: a configuration file and no trace" "$status $(ls costs)" "0 manifest.json
output.txt
scales.bin
sums.bin"
like "the configuration file has what each construct costs" "$(<conf)" \
	"^PL: 1\\(\\) \\[2\\] \\{\".*heat\\.c\", ${init#*:}\\} = +# , \\(0:0,39,1\\), \\(1:0,39,1\\)" \
	'^  # Count of traced iterations = 1600$' '^EL: 1 \("u", ".*heat\.c", [0-9]+, 0, "w"\)$' '^END_HEADER$'
sed -i "s/\\(heat.c\", ${loop#*:}} =\\).*/\\1 FULL, (0:3,5,2), (1:1,38,1)/" conf
dvm 120 'level MINIMAL
set FileLoopInfo conf
record chosen
run' -n 1 "$heat" 40 3
shell trace print chosen -n 0
is "it is read again: levels and iterations" \
	"$(printf '%s\n' "$out" | grep -oE '3\.B .*write v\[[0-9]+\]' | grep -oE '[0-9]+\]' | sort -u | tr '\n' ' ')" "3] 5] "
printf 'PL: what\n' >conf
dvm 120 'set FileLoopInfo conf
record none
run' -n 1 "$heat" 40 3
like "a configuration file that is none" "status $status
$out" '^status 2$' 'conf:1:5: '
printf '/* what the\n historical debugger reads */\nTraceOptions.TraceLevel = 2;\nTraceOptions.HashIterIndex=5; // a table\nTraceOptions.Irep_right = 3\nTraceOptions.drarr = 1\nDebugOptions.ErrorToScreen = 1\nTraceOptions.ChecksumMode = 0\nStrictCompare = 1\nStrictCompare = 0\n' >par
shell record --par par -o byfile -n 1 "$heat" 40 3
like "a parameter file" "status $status
$out" '^status 0$' '^recorded traces at level MODIFY' 'HashIterIndex has no effect' 'Irep_right is reserved for further versions' \
	'drarr has no effect: arrays are registered' '^warning: TraceOptions\.ChecksumMode = 0 is not supported yet\. It stays 1\.$'
printf 'TraceLevel = 7\n' >par
shell record --par par -o byfile -n 1 "$heat" 40 3
like "a bad value in it" "status $status
$out" '^status 2$' "par:1: LEVEL cannot be '7'"
printf 'TraceOptions.ChecksumMode = 3\n' >par
shell record --par par -o byfile -n 1 "$heat" 40 3
like "a bad mode in it" "status $status
$out" '^status 2$' "par:1: Incorrect parameter value: TraceOptions\.ChecksumMode = 3\. .*1 or 2"
printf 'TraceOptions.TrapArraysAnyway = 2\n' >par
shell record --par par -o byfile -n 1 "$heat" 40 3
like "another TrapArraysAnyway in it" "status $status
$out" '^status 2$' "par:1: Incorrect parameter value: TraceOptions\.TrapArraysAnyway = 2\. .*0 or 1"
mkfifo pipe
shell record --par pipe -o byfile -n 1 "$heat" 40 3
like "a pipe is not read, which could block" "status $status
$out" '^status 2$' '--par: pipe is not a regular file'
head -c 1048577 /dev/zero | tr '\0' '#' >par
shell record --par par -o byfile -n 1 "$heat" 40 3
like "a file that is too large" "status $status
$out" '^status 2$' '--par: par has 1048577 bytes; a parameter file can have 1 MiB'
no_leak "levels"

# Points that the run does not reach, many findings.
dvm 120 'level FULL
start 5.B
finish 99.E
record far
run' -n 1 "$heat" 40 3
like "a finish that is not reached is told" "$out" 'FinishPoint 99\.E was not reached: the run ended after 8\.E'
dvm 120 'level FULL
start 50.B
record far
run' -n 1 "$heat" 40 3
like "a start that is not reached is told" "$out" 'StartPoint 50\.B was not reached: the run ended after 8\.E'
shell compare -r ref-heat --start 50.B -n 1 "$heat" 40 3
like "a start that is not reached, comparing: nothing was compared" "status $status
$out" '^status 2$' 'StartPoint 50\.B was not reached: the run ended after 8\.E' 'there was nothing to compare$'
unlike "and it is no finding" "$out" '^Finding'
shell compare -r ref-heat --set MaxErrors=2 -n 2 "$heat" 40 3 --fault missing-halo
like "MaxErrors bounds the findings" "$out" '; more than MaxErrors were not kept$'
is "and no more are told" "$(printf '%s\n' "$out" | grep -c '^Finding value')" 2
shell compare -r ref-heat --set ErrorToScreen=0 --set ErrorFile=errors -n 2 "$heat" 40 3 --fault missing-halo
unlike "ErrorToScreen 0: no finding on the screen" "$out" '^Finding'
like "they are in ErrorFile" "$(<errors)" '^Finding checksum ' '^Finding value  \[0\] .*v\[19\]\[1\]'
no_leak "bounds"
done_testing
