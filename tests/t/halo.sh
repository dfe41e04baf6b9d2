# SPDX-License-Identifier: GPL-3.0-or-later
# Halos are compared with their owners: at a stop, and around each construct with CHECK_HALO.
. "${0%/*}/lib.sh"

# place N: where construct N of halos.c begins; the loop inside the region has no number of its own here.
place()
{
	grep -nE '^	DVMDBG_(PL|TR)\(' "$srcdir/tests/prog/arrays/halos.c" | sed -n "${1}s/:.*//p" | sed 's/^/halos.c:/'
}
# What halo says, without the columns' blanks, the lists' note, and all else.
table() { said | grep -E '^  |halo element|has a halo' | grep -v '^   \[' | sed -E 's/^ +//; s/ +/ /g'; }
notes() { said | grep '^at .*, the halo of'; }
lists='   [0:3]: e is left out: its parts are index lists, not boxes'

for mpi in $(mpis_in long); do
	halos=$(prog tests/prog/arrays/halos "$mpi")
	at='break 2.B
break 3.E
break 4.B
break 6.B
cont
halo
cont
halo a
cont
halo
cont
halo'
	dvm 60 "${at/halo a/halo a -all
halo a}" -n 4 "$halos" a-0 b0++@0
	is "$mpi: what differs on 4 ranks, and nothing before and after" "$(table)" \
"no halo element differs from its owner: 219 elements of 4 arrays compared
array halo rank owner stale box first element there at its owner
a above in dimension 2 0 1 12 of 12 [0:5][7:8] a[0][7] 10007 20007
a above in dimension 1 0 2 7 of 7 [6][0:6] a[6][0] 10600 20600
a corner: above in 1, above in 2 0 3 2 of 2 [6][7:8] a[6][7] 10607 20607
a below in dimension 2 1 0 12 of 12 [0:5][5:6] a[0][5] 10005 20005
a corner: above in 1, below in 2 1 2 2 of 2 [6][5:6] a[6][5] 10605 20605
a above in dimension 1 1 3 7 of 7 [6][7:13] a[6][7] 10607 20607
a below in dimension 1 2 0 7 of 7 [5][0:6] a[5][0] 10500 20500
a corner: below in 1, above in 2 2 1 2 of 2 [5][7:8] a[5][7] 10507 20507
a above in dimension 2 2 3 12 of 12 [6:11][7:8] a[6][7] 10607 20607
a corner: below in 1, below in 2 3 0 2 of 2 [5][5:6] a[5][5] 10505 20505
a below in dimension 1 3 1 7 of 7 [5][7:13] a[5][7] 10507 20507
a below in dimension 2 3 2 12 of 12 [6:11][5:6] a[6][5] 10605 20605
84 of 84 halo elements of 1 array differ from their owners
array halo rank owner stale box first element there at its owner
a above in dimension 2 0 1 12 of 12 [0:5][7:8] a[0][7] 10007 20007
a above in dimension 1 0 2 7 of 7 [6][0:6] a[6][0] 10600 20600
a below in dimension 2 1 0 12 of 12 [0:5][5:6] a[0][5] 10005 20005
a above in dimension 1 1 3 7 of 7 [6][7:13] a[6][7] 10607 20607
a below in dimension 1 2 0 7 of 7 [5][0:6] a[5][0] 10500 20500
a above in dimension 2 2 3 12 of 12 [6:11][7:8] a[6][7] 10607 20607
a below in dimension 1 3 1 7 of 7 [5][7:13] a[5][7] 10507 20507
a below in dimension 2 3 2 12 of 12 [6:11][5:6] a[6][5] 10605 20605
and 4 corners or edges with 8 stale elements (halo -all lists them)
84 of 84 halo elements of 1 array differ from their owners
array halo rank owner stale box first element there at its owner
a below in dimension 1 2 0 7 of 7 [5][0:6] a[5][0] 10500 20500
a below in dimension 1 3 1 7 of 7 [5][7:13] a[5][7] 10507 20507
b edge: above in 2, above in 3 0 3 3 of 3 [0:2][5][4] b[0][5][4] 1000504 2000504
17 of 219 halo elements of 4 arrays differ from their owners
no halo element differs from its owner: 219 elements of 4 arrays compared"
	is "$mpi: an array of index lists is left out, and that is said" \
		"$(said | grep -cFx "$lists")" 3
	is "$mpi: stale halos are no error" $status 0

	dvm 60 "$at" -n 2 "$halos" a0+ b00-
	is "$mpi: what differs on 2 ranks" "$(table)" \
"no halo element differs from its owner: 113 elements of 4 arrays compared
array halo rank owner stale box first element there at its owner
a above in dimension 2 0 1 24 of 24 [0:11][7:8] a[0][7] 10007 20007
a below in dimension 2 1 0 24 of 24 [0:11][5:6] a[0][5] 10005 20005
48 of 48 halo elements of 1 array differ from their owners
array halo rank owner stale box first element there at its owner
a above in dimension 2 0 1 24 of 24 [0:11][7:8] a[0][7] 10007 20007
b below in dimension 3 1 0 30 of 30 [0:2][0:9][3] b[0][0][3] 1000003 2000003
54 of 113 halo elements of 4 arrays differ from their owners
no halo element differs from its owner: 113 elements of 4 arrays compared"
	dvm 60 "$at" -n 1 "$halos" a0+
	is "$mpi: one rank has no halo inside the arrays" "$(table)" \
"no rank of the set has a halo to compare
no rank of the set has a halo of a to compare
no rank of the set has a halo to compare
no rank of the set has a halo to compare"
	no_leak "$mpi: halos at a stop"

	# A part that is thinner than the halos around it, and halos that are not equally wide.
	dvm 60 'break 5.E
break 7.E
cont
halo c
cont
halo d
[2] halo d
[1] halo c
halo nothing' -n 4 "$halos"
	is "$mpi: halos wider than parts, ranks without elements, halos of several widths" "$(table)" \
"array halo rank owner stale box first element there at its owner
c above in dimension 1 1 2 1 of 1 [1] c[1] 101 301
c above in dimension 1 1 3 1 of 1 [2] c[2] 102 302
c below in dimension 1 2 1 1 of 1 [0] c[0] 100 300
c above in dimension 1 2 3 1 of 1 [2] c[2] 102 302
c below in dimension 1 3 1 1 of 1 [0] c[0] 100 300
c below in dimension 1 3 2 1 of 1 [1] c[1] 101 301
6 of 6 halo elements of 1 array differ from their owners
array halo rank owner stale box first element there at its owner
d below in dimension 1 1 0 2 of 2 [2:3] d[2] 102 402
d below in dimension 1 2 1 3 of 3 [5:7] d[5] 105 405
d below in dimension 1 3 2 4 of 4 [8:11] d[8] 108 408
9 of 9 halo elements of 1 array differ from their owners
array halo rank owner stale box first element there at its owner
d below in dimension 1 2 1 3 of 3 [5:7] d[5] 105 405
3 of 3 halo elements of 1 array differ from their owners
no halo element differs from its owner: 2 elements of 1 array compared"
	like "$mpi: an unknown name is an error" "$out" "there is no object 'nothing'"

	# The history of what is stale.
	dvm 60 'set CHECK_HALO ON
break 4.B
break 8.B
cont
halo
cont
halo
cont' -n 4 "$halos" a-0 b0++@0
	is "$mpi: halo tells since which point" "$(table)" \
"array halo rank owner stale box first element there at its owner since
a below in dimension 1 2 0 7 of 7 [5][0:6] a[5][0] 10500 20500 3.E
a below in dimension 1 3 1 7 of 7 [5][7:13] a[5][7] 10507 20507 3.E
b edge: above in 2, above in 3 0 3 3 of 3 [0:2][5][4] b[0][5][4] 1000504 2000504 3.E
17 of 219 halo elements of 4 arrays differ from their owners
array halo rank owner stale box first element there at its owner since
d below in dimension 1 1 0 2 of 2 [2:3] d[2] 102 402 7.E
d below in dimension 1 2 1 3 of 3 [5:7] d[5] 105 405 7.E
d below in dimension 1 3 2 4 of 4 [8:11] d[8] 108 408 7.E
9 of 219 halo elements of 4 arrays differ from their owners"
	is "$mpi: what is stale where a loop begins is told, what was renewed by then is not" "$(notes)" \
"at 4.B, $(place 4), the halo of a (below in dimension 1) is stale since 3.E, $(place 3): 14 elements on [2:3]
at 4.B, $(place 4), the halo of b (edge: above in 2, above in 3) is stale since 3.E, $(place 3): 3 elements on [0]
at 5.B, $(place 5), the halo of a (below in dimension 1) is stale since 3.E, $(place 3): 14 elements on [2:3]
at 5.B, $(place 5), the halo of b (edge: above in 2, above in 3) is stale since 3.E, $(place 3): 3 elements on [0]
at 8.B, $(place 8), the halo of d (below in dimension 1) is stale since 7.E, $(place 7): 9 elements on [1:3]"
	like "$mpi: stops are where they are without it" "$out" '^Point 4\.B  \[0:3\]  parallel loop' \
		'^Point 8\.B  \[0:3\]' 'All ranks have exited with code 0'
	is "$mpi: no finding" $status 0

	dvm 60 'set CHECK_HALO ON
step 4
set CHECK_HALO OFF
step 3
set CHECK_HALO ON
step
halo a
break 4.B
rerun
halo a' -n 4 "$halos" a-0@2
	is "$mpi: what was not seen is not claimed, and another run begins anew" \
		"$(table | grep '^a ' | sed 's/.*20500 //')" \
'4.B (equal at 2.E)
3.E'
	no_leak "$mpi: CHECK_HALO"

	# A rank waits in a loop for what another one sends after it: the comparison must not hang it.
	dvm 60 'set STOP_TIMER 1
set CHECK_HALO ON
cont' -n 2 "$halos" late
	like "$mpi: who does not come is not waited for" "$out" \
		'^halos are not compared at 6\.E: \[1\] did not arrive' 'since 7\.E' \
		'All ranks have exited with code 0'

	# Actionpoints inside tasks stop only some ranks.
	dvm 60 'set CHECK_HALO ON
break 7.1.1.B
break 8.B
cont
cont
halo' -n 4 "$halos"
	like "$mpi: on from inside a task" "$out" '^Point 7\.1\.1\.B  \[0,2\]' '^Point 8\.B  \[0:3\]' \
		'102 +402 +7\.E$'
	no_leak "$mpi: comparing on the way"

	typed_ok "$mpi: Ctrl-C while halos are compared" '
prompt; enter "set CHECK_HALO ON"
prompt; enter cont; sees {the halo of v .* is stale since 3\.E}; interrupt
sees {Point [0-9]+\.[BE]  \[0:3\]}
prompt; enter "halo u -all"; sees {corner: above in 1, above in 2 .* 1 of 1 }
prompt; enter quit; ends' -n 4 "$(prog doc/examples/heat "$mpi")" 100 1000000

	out=$(timeout -k 5 60 "$DVMDBG" --json --batch -n 4 -x <(echo 'set CHECK_HALO ON
break 4.B
cont
halo a') "$halos" a-0 </dev/null 2>&1)
	is "$mpi: as JSON" "$(printf '%s\n' "$out" | grep '"type": *"halo"' | python3 -c '
import json, sys
a = json.load(sys.stdin)
e = a["list"][0]
print(a["differ"], a["elements"], a["arrays"], a["unowned"], len(a["list"]), a["notes"])
print([e[k] for k in ("array", "rank", "owner", "side", "where", "total", "differ", "lo", "hi", "first")])
print([e[k] for k in ("kind", "halo", "own", "largest", "box", "element", "since")])')" \
"14 84 1 0 2 []
['a', 2, 0, [-1, 0], 'below in dimension 1', 7, 7, [5, 0], [5, 6], [5, 0]]
['double', 10500.0, 20500.0, 10000.0, '[5][0:6]', 'a[5][0]', '3.E']"

	jacobi=$(prog doc/examples/jacobi "$mpi")
	if [ -x "$jacobi" ]; then
		dvm 60 'break 6.B
cont
halo u' -n 4 "$jacobi" 40 10 --fault missing-halo
		is "$mpi: Fortran: the exchange that is missing" \
			"$(table | sed -E 's/^(u .*,[0-9]+\) 0) .*/\1/')" \
"array halo rank owner stale box first element there at its owner
u above in dimension 2 0 1 38 of 40 (2:39,11) u(2,11) 0
u above in dimension 2 1 2 39 of 40 (1:39,21) u(1,21) 0
u above in dimension 2 2 3 38 of 40 (2:39,31) u(2,31) 0
115 of 240 halo elements of 1 array differ from their owners"
		dvm 60 'break 6.B
cont
halo u' -n 4 "$jacobi" 40 10
		is "$mpi: Fortran: nothing without the fault" "$(table)" \
			"no halo element differs from its owner: 240 elements of 1 array compared"
		no_leak "$mpi: Fortran"
	fi
done
done_testing
