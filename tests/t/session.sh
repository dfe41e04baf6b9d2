# SPDX-License-Identifier: GPL-3.0-or-later
# The session of the README, from a script and typed into a terminal, under both MPIs.
. "${0%/*}/lib.sh"

commands='break heat.c:61
cont
where
print eps
print u[498:501][498:501]
step 4
rerun
actions
cont
print eps'
wanted_where='  0  synchronized    [0:3]  PL  heat.c:61   3.B
  1  synchronized    [0:3]  SL  heat.c:52   iteration 1
  2  synchronized    [0:3]  main  heat.c:20'

for mpi in $(mpis); do
	heat=$(prog doc/examples/heat "$mpi")
	dvm 90 "$commands" -n 4 "$heat" 1000 100 --fault differing-eps
	is "$mpi: the session ends without an error" $status 0
	is "$mpi: it stops at the loop, before and after rerun" \
		"$(echo "$out" | grep -cFx 'Point 3.B  [0:3]  parallel loop  heat.c:61  actionpoint 0')" 2
	is "$mpi: where" "$(echo "$out" | grep -A 2 -Fx '  0  synchronized    [0:3]  PL  heat.c:61   3.B' |
		head -n 3)" "$wanted_where"
	is "$mpi: print eps shows the odd one first" \
		"$(echo "$out" | grep -cFx 'eps = <differing>   [3]: 0.75    [0:2]: 0.5')" 2
	like "$mpi: a section that four ranks own" "$out" '^u\[498:501\]\[498:501\]'
	like "$mpi: four points on" "$out" '^Point 5\.B  \[0:3\]  parallel loop  heat\.c:61'
	no_leak "$mpi: the session"

	# The same values as the formula gives, whoever owns them.
	for n in 1 3 6; do
		dvm 60 'break 3.B
cont
print u[20][10]
print u[39][59]' -n "$n" "$heat" 60 5
		want=$(awk 'BEGIN { p = atan2(0, -1); printf "%.6f", sin(2*p*20/59) * sin(3*p*10/59) }')
		got=$(echo "$out" | sed -n 's/^u\[20\]\[10\] = //p')
		is "$mpi: a value of u on $n ranks" "$(printf '%.6f' "${got:-9}")" "$want"
	done
	no_leak "$mpi: values"

	dvm 60 'cont' -n 4 "$heat" 60 5
	like "$mpi: the program's output is kept apart" "$out" '^heat: 60 x 60 points.* OK$' \
		'All ranks have exited with code 0'
	is "$mpi: a run without stops ends well" $status 0
	dvm 60 'cont' -n 4 "$heat" 60 5 --fault missing-halo
	is "$mpi: a program that fails gives status 3" $status 3
	no_leak "$mpi: whole runs"
done

for mpi in $(mpis); do
	typed_ok "$mpi: typed by hand" '
prompt; enter "break heat.c:61"; sees {heat\.c:61}
prompt; enter cont; sees {Point 3\.B  \[0:3\]  parallel loop  heat\.c:61  actionpoint 0\r\n}
prompt; enter where
sees {  0  synchronized    \[0:3\]  PL  heat\.c:61   3\.B\r\n  1  synchronized    \[0:3\]  SL  heat\.c:52   iteration 1\r\n  2  synchronized    \[0:3\]  main  heat\.c:20\r\n}
prompt; enter "print eps"; sees {eps = <differing>   \[3\]: 0\.75    \[0:2\]: 0\.5\r\n}
prompt; enter {print u[498:501][498:501]}; sees {501}
prompt; enter "step 4"; sees {Point 5\.B}
prompt; enter rerun; sees {\(y or n\) }; send "y\r"; sees {Point 3\.B  \[0:3\]}
prompt; enter "p eps"; sees {0\.75}
prompt; enter quit; ends' -n 4 "$(prog doc/examples/heat "$mpi")" 1000 100 --fault differing-eps
done
done_testing
