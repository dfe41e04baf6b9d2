# SPDX-License-Identifier: GPL-3.0-or-later
# Two runs side by side go on together and stop at the first difference.
. "${0%/*}/lib.sh"

# pair SECONDS SCRIPT ARGS…: a session of dvmdbg pair with the commands of SCRIPT (text), in batch mode
pair()
{
	local seconds=$1
	printf '%s\n' "$2" >"$tmp/script"
	shift 2
	out=$(timeout -k 5 "$seconds" "$DVMDBG" pair --batch -x "$tmp/script" "$@" </dev/null 2>&1)
	status=$?
}
# The same, but errors do not end it.
pair_on()
{
	printf '%s\n' "$1" >"$tmp/script"
	shift
	out=$(timeout -k 5 120 "$DVMDBG" pair "$@" <"$tmp/script" 2>&1)
	status=$?
}
line_of() { grep -n -- "$2" "$1" | head -n 1 | cut -d: -f1; }

for mpi in $(mpis); do
	heat=$(prog doc/examples/heat "$mpi")

	dvm 120 'break 3.B
alias pv print v[20][1]
pair -n 1
cont
delete 0
cont
pv
diff v -list 1
where
cont
cont' -n 4 "$heat" 40 2 --fault missing-halo
	like "$mpi: the sides are named" "$out" '^A +1 rank  .*heat[-a-z]* 40 2 --fault missing-halo$' '^B +4 ranks  '
	like "$mpi: an earlier actionpoint is for both" "$out" '^B: Point 3\.B  \[0:3\]' '^A: Point 3\.B  \[0\]'
	like "$mpi: both stop at the first mismatch" "$out" '^B: Point 3\.E  \[0:3\] .* checksums differ$' \
		'^A: Point 3\.E  \[0\] .* checksums differ$' \
		'Different checksums for array \("v", "heat\.c", [0-9]+, 0, "[rw]+"\): .* at the point 3\.E; previous correct point is 2\.E'
	like "$mpi: values of both are shown, through an alias too" "$out" '^A: v\[20\]\[1\] = -0\.01905467' \
		'^B: v\[20\]\[1\] = -0\.01905467'
	like "$mpi: diff compares with the other run" "$out" \
		'^v: 36 of 1600 elements differ from A, 1 rank, at 3\.E ' \
		'first +v\[19\]\[1\] = 0\.0214617.*, reference 0\.0190546.*, owned by rank 0' \
		'largest .* difference 0\.00998'
	like "$mpi: both stacks" "$out" '^A:$' ' \[0\]  PL  heat\.c:61 ' ' \[0:3\]  PL  heat\.c:61 '
	like "$mpi: the end of both, and how closely it was looked" "$out" '^A: All ranks have exited with code 0' \
		'^B: Ranks \[0:3\] exited with code 1' '^A\| heat: .* 1 ranks: .* OK$' '^heat: .* 4 ranks: .* WRONG$' \
		'^B: The end of the program  \[0:3\]  heat\.c:[0-9]+  checksums differ$' \
		'^compared 9 checksums of 6 arrays at 6 points: 2 findings$'
	is "$mpi: a finding goes before the program's status" "$status" 1
	no_leak "$mpi: a fault"
done

mpi=$(first_mpi)
heat=$(prog doc/examples/heat "$mpi")
unlike=$(prog tests/prog/locate/unlike "$mpi")

# Every verb says something of both sides, or says that it is for one.
dvm 120 'pair -n 2
break 5.B
cont
A: print eps
status
points -last 1
list
list 35
up
what eps
differ
decomp u
halo u
sums eps
info
findings
actions
rerun
delete 0
cont' -n 3 "$heat" 40 2
like "an actionpoint stops both" "$out" '^B: Point 5\.B  \[0:2\]' '^A: Point 5\.B  \[0:1\]' '^A: eps = 0\.5'
like "status, points, up of both" "$out" '^  \[0:1\]  stopped .* 5\.B' '^  \[0:2\]  stopped .* 5\.B' '^A: 5\.B ' '^B: 5\.B ' \
	'^A: > 1  synchronized    \[0:1\]  SL  heat\.c:52' '^B: > 1  synchronized    \[0:2\]  SL'
like "what, differ, decomp of both" "$out" '^A: eps: double, replicated, .*on \[0:1\]' '^B: eps: double, .*on \[0:2\]' \
	'^A: no value differs, of 4' '^B: no value differs, of 4' '^  \[1\]  \[20:39\]\[0:39\]' '^  \[2\]  \[26:39\]\[0:39\]'
like "halo, sums, info, findings of both" "$out" '^A: no halo element differs .*: 80 elements' '^B: no halo element differs .*: 160 elements' \
	'^ranks +2$' '^ranks +3$' '^A: no findings' '^B: no findings'
is "a place that both have is listed once" "$(printf '%s\n' "$out" | grep -c '^-> *61 ')" 1
like "hits of actionpoints" "$out" '^actionpoint 0: 5\.B, hit 1 time$' '^actionpoint 0: 5\.B, hit 2 times \(deleted\)$'
unlike "a right program has no mismatch" "$out" 'Different checksums'
is "how closely it was looked is told at the end" \
	"$(printf '%s\n' "$out" | grep '^compared .*points: equal$')" 'compared 9 checksums of 6 arrays at 6 points: equal'
is "and the exit status says so" "$status" 0
no_leak "right"

pair_on 'break 3.B
cont
B: step
A: step
step 2
go
wait
rerun
A: rerun
A: break 5.B
A:
record x
locate
detach' -n 2 "$heat" 40 2 : -n 3 "$heat" 40 2
like "B alone waits for A at a point" "$out" '^B: Point 3\.E  \[0:2\]  parallel loop  heat\.c:61  waits for A$' '^A: Point 3\.E  \[0:1\]'
like "steps of both" "$out" '^B: Point 4\.E  \[0:2\]' '^A: Point 4\.E  \[0:1\]'
like "go and wait" "$out" 'compared 9 checksums of 6 arrays at 6 points: equal$'
like "a side alone cannot be run again" "$out" 'A: rerun applies to both sides of a pair: leave out A:' \
	'A: break applies to both sides of a pair' 'a command is needed after A:' \
	'record: the two runs of a pair are compared only with each other' 'locate starts its own runs'
like "detach ends A" "$out" '^A is ended$' '^the program runs on without dvmdbg$'
wait_for 10 nothing_tagged
no_leak "detach"

pair 120 cont -n 1 "$heat" 40 2 : -n 2 "$heat" 40 2 --fault off-by-one
is "from the shell, with other arguments: the status" "$status" 1
like "from the shell: the mismatch" "$out" '"v", "heat\.c".* at the point 3\.E' \
	'^compared .*: 1 finding; the run had not ended$'
pair 120 'cont
cont
cont' -n 1 "$heat" 40 3 : -n 2 "$heat" 40 2
like "another number of steps, as a value" "$out" '^B: Point 1\.B  \[0:1\] .* checksums differ$' \
	'Different checksums for array \("steps", "heat\.c", 29, 0.*: 3 != 2 at the point 1\.B'
if [ -x tests/prog/moved/heat ] && [ "$mpi" = openmpi ]; then
	pair 120 'cont
cont' -n 1 "$heat" 40 2 : -n 2 tests/prog/moved/heat 40 2 --fault off-by-one
	like "another build, with loops at other lines" "$out" '^B: Point 3\.E  \[0:1\]  parallel loop  heat\.c:63  checksums differ$' \
		'^A: Point 3\.E  \[0\]  parallel loop  heat\.c:61  checksums differ$' 'previous correct point is 2\.E'
fi
no_leak "from the shell"
rest_in all

# A side that ends earlier, with other loops, or badly.
pair 120 'cont
cont' -n 1 "$unlike" more : -n 2 "$unlike" more
like "B goes on when A has ended: that is a mismatch" "$out" '^A: All ranks have exited with code 0' \
	'^B: Point 10\.E  \[0:1\] .* unlike\.c:[0-9]+  checksums differ$' \
	'at the point 10\.E there is the parallel loop unlike\.c:[0-9]+, but the reference has no such point' \
	'^A has ended: B goes on alone$' '^B: All ranks have exited with code 0' \
	'^B went on after A had ended: 2 constructs were not compared$'
is "… with the status of findings" "$status" 1
pair 120 'cont
cont' -n 1 "$unlike" fewer : -n 2 "$unlike" fewer
like "A goes on when B has ended" "$out" '^A: Point 8\.E  \[0\] .* checksums differ$' \
	'the run ended after 7\.E, the reference goes on with the parallel loop unlike\.c:[0-9]+ at the point 8\.E' \
	'^A went on after B had ended: 2 constructs were not compared$'
pair 120 cont -n 1 "$unlike" rounding : -n 3 "$unlike" rounding
like "rounding is called so" "$out" '^compared .*: only rounding differs, from '
is "… and is no finding" "$status" 0
pair 120 'cont
cont' -n 1 "$unlike" branch : -n 2 "$unlike" branch
like "another construct" "$out" 'at the point 7\.B there is the parallel loop unlike\.c:[0-9]+, but the parallel loop unlike\.c:[0-9]+ in the reference'
pair 120 cont --set STOP_TIMER=1 -n 1 "$unlike" crash : -n 2 "$unlike" crash
like "a crash of B stops A" "$out" '^B:$' '^Signal SIGSEGV  \[1\] .* last point 5\.E' '^    SIGSEGV at unlike\.c:[0-9]+ in die\(\)' '^A: Point 6\.B  \[0\] .* waits for B$'
is "… and is a failed run" "$status" 3
pair 120 'cont
print u[0]
cont' --set STOP_TIMER=1 -n 1 "$unlike" crash-one : -n 2 "$unlike" crash-one
like "a crash of A stops B" "$out" '^A:$' '^Signal SIGSEGV  \[0\] ' '^B: Point 6\.B  \[0:1\] .* waits for A$' \
	'^A: u\[0\] = 0$' '^B: u\[0\] = 0$' '^Rank \[0\] was killed by SIGSEGV'
is "… and is a failed run" "$status" 3
no_leak "unequal ends"

cp "$heat" "$tmp/heat"
start pair -n 1 "$tmp/heat" 40 3 : -n 2 "$heat" 40 3
tell 'break 5.B' cont
expect_out "both stand" 60 '^A: Point 5\.B'
kill -KILL "$(running "$tmp/heat")"
tell cont
expect_out "a side that was killed stops the other" 60 'A has ended: B goes on alone'
tell cont
expect_out "which then goes on alone" 60 '^compared .*'
tell quit
finish
like "killed: told" "$out" '^Rank \[0\] was killed by SIGKILL; last seen at 5\.B' '^B: Point 5\.E  \[0:1\] .* A has ended$' \
	'^B: All ranks have exited with code 0' '^B went on after A had ended: 4 constructs were not compared$' \
	'^compared .* 5 points: equal'
is "killed: the status" "$status" 3
no_leak "killed"

start pair -n 1 "$heat" 40 3 : -n 2 "$heat" 40 3
tell 'break 5.B' cont
expect_out "both stand again" 60 '^A: Point 5\.B'
tell kill
expect_out "kill is for both" 60 '^A: All ranks have ended'
is "… and no process of either is left" "$(running "$heat")" ""
tell rerun 'A: status' quit
finish
like "… and rerun starts both" "$out" 'Ranks \[0:1\] were killed by SIGKILL; last seen at 5\.B' '^  \[0\]  stopped .* 5\.B'
no_leak "quit"

typed_ok "Ctrl-C stops both sides" 'prompt
enter {break 5.E}
prompt
enter cont
sees {A: Point 5.E}
prompt
enter go
prompt
until {B: status} {\[0:1\]  running   last seen at 5.E}
enter wait
interrupt
sees {Paused  \[0\]  sequential loop  unlike.c:[0-9]+  last point 5.E} {A: Point 6.B}
prompt
enter {pair -off}
prompt
enter rerun
sees {is alive and will be ended. Run it again\? \(y or n\) }
send "y\r"
sees {Point 5.E  \[0:1\]}
prompt
enter quit
ends' pair --set STOP_TIMER=1 -n 1 "$unlike" hang : -n 2 "$unlike" hang

pair 120 'cont
pair -off
cont
rerun' -n 1 "$heat" 40 2 : -n 2 "$heat" 40 2 --fault missing-halo
like "the session goes on alone" "$out" '^Ranks \[0:1\] exited with code 1' '^All ranks have ended'
unlike "… without checksums" "$(printf '%s\n' "$out" | sed '1,/^compared/d')" 'Different checksums|^A[:|]'
out=$(printf 'cont\nprint eps\nquit\n' | timeout 60 "$DVMDBG" pair --json -n 1 "$heat" 40 2 : -n 2 "$heat" 40 2 2>&1)
like "sides in JSON" "$out" '"type":"print".*"side":"A"|"type":"error".*"side":"A"|"text":"A: print' '"type":"over".*"side":"B"' \
	'"type":"output".*"side":"A"' '"type":"compared",.*"reference":"A","verdict":"equal"'
no_leak "alone"

# A port in another language: other names, indices from one, other loops.
solver=$(prog tests/prog/locate/solver "$mpi")
if [ -x "$solver" ]; then
	src=$srcdir/tests/prog/locate/solver.f90
	first=$(line_of "$src" "writes='phi')")
	sweep=$(line_of "$src" "on=psi)")
	norm=$(line_of "$src" "reads='psi')")
	ties="tie A.u@heat.c:35 = B.phi@solver.f90:$first
tie A.v@heat.c:61 = B.psi@solver.f90:$sweep
tie A.change@heat.c:69 = B.largest@solver.f90:$norm"

	pair 120 "$ties
tie
cont" -n 1 "$heat" 40 3 : -n 2 "$solver" 40 3
	like "ties are shown" "$out" "A\.v@heat\.c:61 = B\.psi@solver\.f90:$sweep"
	like "a port that is right" "$out" '^compared 7 checksums of 3 arrays at 7 points: (equal|only rounding)'
	is "… has status 0" "$status" 0
	pair_on "$ties
cont
print psi(3,4)
print psi(3:4,4) - phi(3:4,4) -format .3f
diff psi -image $tmp/psi.png
diff psi(3,1:10)
diff weight
decomp psi
tie A.uu@heat.c:61 = B.psi@solver.f90:9
tie A.u@heat.c:61 = B.chi@solver.f90:9
tie A.u@heat.c = B.psi@solver.f90:9
tie A.u@heat.c:35 = B.phi@solver.f90:$first
B: diff psi
list" -n 1 "$heat" 40 3 : -n 2 "$solver" 40 3 wrong
	like "what is tied stops both where it differs" "$out" "^B: Point 5\.E  \[0:1\] .*solver\.f90:$sweep  checksums differ\$" \
		'^A: Point 5\.E  \[0\] .*heat\.c:61  checksums differ$' \
		'Different checksums for array \("psi", .*; previous correct point is 3\.E; in A it is v at heat\.c:61'
	like "print: the same element of both" "$out" '^A: v\[2\]\[3\] = 0\.20560' '^B: psi\(3,4\) = 1\.20560' \
		'^A: v\[2:3\]\[3\] - u\[2:3\]\[3\] = -0\.002 -0\.003' '^B: psi.* = 0\.998 -0\.003'
	like "diff: under another name" "$out" '^psi: 1 of 1600 elements differs from A, 1 rank, v, at 5\.E ' \
		'first +psi\(3,4\) = 1\.2056022662173.*, reference 0\.20560' 'difference 1$' "picture +$tmp/psi.png" \
		'^psi: 1 of 10 elements differs from A, 1 rank, v,'
	is "the picture" "$(head -c 8 "$tmp/psi.png" | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
	like "other verbs take the other name" "$out" '^v\[40\]\[40\], distributed' '^psi\(40,40\), distributed'
	like "what A does not have" "$out" "A: there is no object 'weight'"
	like "ties to what is not there" "$out" 'tie: A has no uu, but change, eps, n, steps, u, v$' \
		'tie: B has no chi, but largest, phi, psi, weight$' \
		"tie: 'A\.u@heat\.c': A\.ARRAY@FILE:LINE is needed" 'tie: that is tied already$'
	like "one side has nothing to compare with" "$out" 'there is nothing to compare psi with'
	like "both places are listed" "$out" '^-> *61 ' "^-> *$sweep "

	# tied scalars only; loops that nobody has; a step more
	pair 120 "tie A.v@heat.c:61 = B.psi@solver.f90:$sweep
tie A.v@heat.c:62 = B.psi@solver.f90:$sweep
tie A.v@heat.c:35 = B.psi@solver.f90:$sweep
cont" -n 2 "$heat" 40 3 : -n 3 "$solver" 40 3 more
	like "ties that were never compared" "$out" \
		"tie A\.v@heat\.c:62 = .* was never compared: A has reported no construct at heat\.c:62, but at heat\.c:35, heat\.c:41, heat\.c:61, heat\.c:69" \
		"tie A\.v@heat\.c:35 = .* was never compared: A has reported no v at heat\.c:35, but of u; .*ChecksumMode 2" \
		"tie A\.v@heat\.c:61 = .*: compared 3 times: heat\.c:61 has ended 3 times in A, solver\.f90:$sweep 4 times in B" \
		'^compared 3 checksums of 1 arrays? at 3 points: '
	pair 120 'tie A.v@heat.c:61 = B.psi@solver.f90:1
untie
tie
cont' -n 1 "$heat" 40 3 : -n 2 "$solver" 40 3
	like "after untie numbers count again" "$out" 'nothing is tied: points correspond by their numbers' \
		'at the point 1\.B there is the parallel loop solver\.f90:[0-9]+, but the parallel loop heat\.c:35 in the reference'
	pair 120 "tie A.v@heat.c:61 = B.single@solver.f90:$sweep
set Exp 1e-5
cont
untie
cont
cont" -n 1 "$heat" 40 3 : -n 2 "$solver" 40 3 float
	like "single and double precision are not the same" "$out" '"single".* at the point 3\.E.*in A it is v'
	no_leak "a port"
else
	skip "a port in another language" "no Fortran"
fi

if [ "$(mpis | wc -l)" = 2 ]; then
	pair 120 'cont' -n 1 doc/examples/heat 40 2 : -n 2 doc/examples/heat-mpich 40 2
	is "two builds, for two MPIs" "$status" 0
	like "… are equal" "$out" '^compared 9 checksums of 6 arrays at 6 points: equal$'
fi

dvm 60 'tie x' -n 2 "$heat" 40 2
like "no pair" "$out" 'tie: there is no pair'
for bad in 'pair -n 0:pair -n 0: 1 to 65536 ranks are allowed' 'pair -off:pair -off: there is no pair' \
	"pair $tmp/nowhere:pair: .*nowhere" 'untie:untie: there is no pair'; do
	dvm 60 "${bad%%:*}" -n 1 "$heat" 40 2
	like "bad input: ${bad%%:*}" "$out" "${bad#*:}"
	is "… is an error" "$status" 2
done
no_leak "bad input"
done_testing
