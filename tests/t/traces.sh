# SPDX-License-Identifier: GPL-3.0-or-later
# Traces as a user works with them: findings that are told in a session and gone to, and what is in a trace. What is
# found in the examples: traces-faults.sh and its neighbours.
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

loop=$(at heat.c '^		DVMDBG_PL.*writes = \{ v \}')
shell record --level FULL -o ref-heat -n 1 "$heat" 40 3
like "recorded" "status $status
$out" '^status 0$' '^recorded traces at level FULL: [0-9]+ records in ref-heat, [0-9]+ bytes'
shell compare -r ref-heat -n 2 "$heat" 40 3
like "compared" "status $status
$out" '^status 0$' '^compared traces at level FULL: 37856 accesses, 10264 iterations, 136 values, 6 reductions: equal$'
shell compare -r ref-heat -n 2 "$heat" 40 3 --fault missing-halo
like "compared with a fault: how often, where and how far apart" "status $status
$out" '^status 1$' \
	"^Finding value  \[0\]  a value differs from the reference: v\[19\]\[1\]: 0\.0214[0-9]* here, 0\.0190[0-9]* in the reference \(difference 0\.00245[0-9]* of its block.s largest value, 1e-09 allowed\), [0-9]+ times, at 3\.B in iteration \(19,1\)  $(at heat.c 'AT\(v, i, j\) = \(1 - eps\)')  rank 0 there  #4\$" \
	'^compared traces at level FULL: .*: 6 findings, 1576 occurrences$'
shell compare -r ref-heat -n 2 "$heat" 40 3 --fault uninitialised-corner
like "where the reference writes what is not written" "$out" \
	"^Finding unwritten  \[0\]  .*: u\[19\]\[38\]: not here, 0\.0192[0-9]* in the reference, at 1\.B  $(at heat.c '^	DVMDBG_PL')  rank 0 there, $(at heat.c 'AT\(u, i, j\) = exact')  #3\$"
no_leak "comparing"

# In a session: findings have numbers, and can be gone to.
dvm 120 'compare ref-heat
run
findings -kind value
rerun -to finding 3
where
print u[20][1]
rerun -to 5.B
rerun -to finding 99' -n 4 "$heat" 40 3 --fault swapped-index
like "findings are told with numbers" "$out" '^Finding value  \[2\]  .*v\[20\]\[1\]: .*  #4$' '^Finding checksum '
like "rerun -to finding: its rank stands at its iteration, the others at its point" "$out" \
	'^Iteration \(20,1\)  \[2\]  parallel loop  heat\.c:[0-9]+' '^Point 3\.B  \[0:1,3\]  parallel loop' \
	'^u\[20\]\[1\] = -0\.0192569'
like "rerun -to a point" "$out" '^Point 5\.B  \[0:3\]'
like "rerun -to a finding that is not there" "$out" 'rerun -to finding 99: there are findings 1 to [0-9]+'
dvm 120 'compare ref-heat
set STOP_ON mismatch
run
status' -n 4 "$heat" 40 3 --fault wrong-reduction
like "with STOP_ON mismatch ranks stop where values differ" "$out" '^Point 5\.B  \[0:3\] .*differ' 'Finding reduction .*change'
dvm 120 'break heat.c:'"${loop#*:}"' -iter (20,1)
run
step -iter
' -n 2 "$heat" 40 3
like "an iteration of a parallel loop can be stopped at, and the next" "$out" '^Iteration \(20,1\)  \[1\]' \
	'^Iteration \(20,2\)  \[1\]'
shell compare -r ref-heat -n 2 --json "$heat" 40 3 --fault swapped-index
like "as JSON: all that is known" "$out" \
	'"kind":"value".*"element":"v\[20\]\[1\]".*"value":-0\.0214.*"reference_value":-0\.0190.*"rank":1,"reference_rank":0,"iteration":\[20,1\]' \
	'"operands":\[\{"access":"read","differs":true,"element":"u\[19\]\[1\]"'
no_leak "sessions"

# What is in a trace.
shell record -level FULL -o bad -n 4 "$heat" 40 3 --fault swapped-index
shell trace stat bad
like "stat" "$out" '^\[0\]  FULL  [0-9]+ records in 1 blocks, [0-9]+ bytes \(.* a record\), to 8\.E$' '^\[3\]  FULL' \
	'begin 36, end 36, iteration 10276, read [0-9]+, write [0-9]+, value 272, reduction 12, note [0-9]+$'
shell trace print bad -from 3.B -to 3.B -element 'v[20][1]'
is "print: the writes of an element" "$out" "[2] 3.B          write v[20][1] = -0.02146178845155555  $(at heat.c 'AT\(v, i, j\) = \(1 - eps\)')"
shell trace print bad -from 3.B -to 3.B -iteration '(20,1)' -array u
is "print: what an iteration reads of an array" "$(printf '%s\n' "$out" | grep -c ' read u\[')" 5
shell trace print bad -n 3
is "print is bounded" "$(printf '%s\n' "$out" | wc -l) $(printf '%s\n' "$out" | tail -n 1 | cut -c 1-4)" "4 ... "
shell trace print bad -n 2 --json
like "print as JSON" "$out" '^\{"type":"trace","list":\[\{"op":"[a-z]+","rank":0,'
shell trace diff bad ref-heat
like "diff of two references" "status $status
$out" '^status 1$' '^Finding value  \[2\] .*: v\[20\]\[1\]: .* at 3\.B in iteration \(20,1\)' '^compared traces at level FULL: .*findings'
shell trace diff ref-heat ref-heat
like "diff of a reference with itself" "status $status
$out" '^status 0$' '^compared traces .*: equal$' '^no findings$'
shell trace export ref-heat text
like "export" "status $status" '^status 0$'
like "the text has what the trace has" "$(<text)" '^PL: [0-9]+\([0-9]*\) \[2\] \{".*heat\.c", [0-9]+\}' \
	'^ *AW: \[4\] "v\[20\]\[1\]" = -0\.0190546746583825' '^END_TRACE$'
# as many as there are, which is the compiler's affair
shell trace stat ref-heat
accesses=$(printf '%s\n' "$out" | grep -o 'iteration [0-9]*, read [0-9]*, write [0-9]*' | tail -n 1)
shell trace import text back.bin
shell trace stat back.bin
like "import: the same accesses" "$accesses, $out" '^iteration 10267, read [0-9]{5,6}, write 8[0-9]{3}, ' "$accesses, value 68, reduction 3(, .*)?\$"
shell trace print nothing
like "a path that is not there" "status $status
$out" '^status 2$' 'nothing: No such file'
shell trace frob
like "what there is" "status $status
$out" '^status 2$' 'trace frob: print, stat, timeline, diff, export and import are allowed'
printf 'no trace at all' >junk
shell trace stat junk
like "a file that is no trace" "status $status
$out" '^status 2$' 'junk is empty or not a trace'
talk 'last-write u[20][1] -in bad
last-write v[20][1] -in bad
last-write u[20][1] -in bad -before 4.B
last-write nix -in bad
last-write v[20 -in bad
last-write v[20][99] -in bad
last-write v[20] -in bad
last-write u[20][1] -in ref-heat -chain -before 4.B
last-write u[20][1] -in ref-heat -chain
last-write n -in ref-heat -chain
last-write v[1][1]'
like "last-write: rank, point, iteration, value, line" "$(answer 'last-write u[20][1] -in bad')" \
	'^u\[20\]\[1\] = -0\.0241479555774786.*  written by \[2\] at 7\.B in iteration \(20,1\)  heat\.c:[0-9]+$'
like "last-write: of what is called v at the end" "$(answer 'last-write v[20][1] -in bad')" '^v\[20\]\[1\] = .*  written by \[2\] at 5\.B in iteration \(20,1\)'
like "last-write -chain: what was read for it, through pointers that are swapped" \
	"$(answer 'last-write u[20][1] -in ref-heat -chain')" \
	'^u\[20\]\[1\] = .* written by \[[0-9]\] at 7\.B in iteration \(20,1\)  heat\.c:67$' \
	'^  v\[19\]\[1\] = .* written by \[[0-9]\] at 5\.B in iteration \(19,1\)  heat\.c:67' \
	'^    v\[18\]\[1\] = .* written by \[0\] at 3\.B in iteration \(18,1\)  heat\.c:67$' \
	'^      u\[17\]\[1\] = 0\.093803749617.* written by \[0\] at 1\.B  heat\.c:39$' '; as above$'
like "last-write -chain: of what was not registered then" "$(answer 'last-write n -in ref-heat -chain')" \
	'^last-write -chain: n was not registered when it was written'
case $CC in
*clang*) ;; # keeps n in a register
*) like "last-write -chain: a variable has its type" "$(answer 'last-write u[20][1] -in ref-heat -chain -before 4.B')" \
	'^u\[20\]\[1\] = .* written by \[0\] at 1\.B  heat\.c:39$' '^  n = 40  written by \[0\] at start' ;;
esac
like "last-write -before" "$(answer 'last-write u[20][1] -in bad -before 4.B')" '^u\[20\]\[1\] = .* written by \[2\] at 1\.B'
like "last-write: no such object" "$(answer 'last-write nix -in bad')" 'there is no object with the name and dimensions of nix'
is "last-write: outside of the array" "$(answer 'last-write v[20][99] -in bad')" 'last-write v[20][99] is outside of v[0:39][0:39]'
is "last-write: other dimensions" "$(answer 'last-write v[20] -in bad')" 'last-write v[20]: v has 2 dimensions, [0:39][0:39]'
like "last-write: without traces" "$out" 'last-write: give a directory with traces'
dvm 120 'level MODIFY
record live
break 4.B
run
last-write v[20][1]
cont' -n 2 "$heat" 40 3
like "last-write at a stop: up to there" "$out" '^v\[20\]\[1\] = -0\.0190546746583825.* written by \[1\] at 3\.B in iteration \(20,1\)'
dvm 120 'compare ref-heat
break 4.B
run
last-write v[20][1]
delete -all
cont
last-write u[20][1]' -n 2 "$heat" 40 3
like "last-write at a stop: in the reference before that point" "$out" '^v\[20\]\[1\] = -0\.0190546746583825.* written by \[0\] at 3\.B in iteration \(20,1\)' \
	'^u\[20\]\[1\] = -0\.018656552604897.* written by \[0\] at 7\.B in iteration \(20,1\)'
no_leak "traces"

done_testing
