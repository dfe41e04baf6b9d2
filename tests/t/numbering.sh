# SPDX-License-Identifier: GPL-3.0-or-later
# Points have the same numbers on any number of ranks, in tasks too; ranks that disagree are found out.
. "${0%/*}/lib.sh"

# The points passed: number, construct, place; without times.
points_of()
{
	dvm 60 "$1
points" -n "$2" "${@:3}"
	echo "$out" | grep -v "^Point" | grep -oE '\b[0-9]+(\.[0-9]+\.[0-9]+)?\.[BE]\b.*(heat|tasks)\.c:[0-9]+' | sed -E 's/ +/ /g; s/[0-9.]+ *(ms|s|us)//'
}

for mpi in $(mpis); do
	heat=$(prog doc/examples/heat "$mpi")
	tasks=$(prog tests/prog/points/tasks "$mpi")
	one=$(points_of 'break 9.E
cont' 1 "$heat" 60 5)
	like "$mpi: points on one rank" "$one" '3\.B.*heat\.c:61' '4\.B.*heat\.c:69'
	for n in 2 3 4 6; do
		is "$mpi: the same points on $n ranks" "$(points_of 'break 9.E
cont' $n "$heat" 60 5)" "$one"
	done
	no_leak "$mpi: heat"

	dvm 60 'step
step
step
step
step
step' -n 1 "$tasks"
	is "$mpi: points in tasks are numbered below their region" \
		"$(echo "$out" | sed -n 's/^Point \([^ ]*\) .*/\1/p' | tr '\n' ' ')" \
		"1.B 1.E 2.B 2.1.1.B 2.1.1.E 2.1.2.B "
	dvm 60 'set STOP_TIMER = 1
break 2.2.2.B
cont
where
quit' -n 3 "$tasks"
	like "$mpi: a point in a task" "$out" '^Point 2\.2\.2\.B  \[1\]' 'task 2'
	is "$mpi: what all have passed after tasks of their own is one line of points" \
		"$(points_of 'break 3.B
cont' 2 "$tasks" | grep -cE '^(2\.E|3\.B) ')" 2
	dvm 60 'break main
break last
cont
cont' -n 2 "$tasks"
	is "$mpi: a construct with a name of its own stops by it, not by its function's" \
		"$(echo "$out" | sed -nE 's/^(Function|Point) ([^ ]*) .*/\2/p' | tr '\n' ' ')" "main 3.B "
	dvm 60 'break 3.B
cont
print table
print par.dt + 1
print cyclic[*][1]
print cyclic[7][0]
decomp cyclic' -n 3 "$tasks"
	like "$mpi: replicated arrays and structures, index lists" "$out" 'table = .*1, *2, *3|^table' \
		'par\.dt \+ 1 = 1\.125' 'cyclic\[\*\]\[1\]|cyclic\[0:5\]\[1\]' '\b51\b'
	like "$mpi: an index out of range names the range" "$out" 'cyclic.*7.*0.*5'
	no_leak "$mpi: tasks"

	dvm 60 'break 3.B
cont' -n 3 "$tasks" disagree
	like "$mpi: ranks that disagree about a number are a finding with both places" "$out" \
		'different constructs at one number' 'tasks\.c:[0-9]+.*tasks\.c:[0-9]+|tasks\.c:[0-9]+'
	no_leak "$mpi: disagreeing ranks"
done

dvm 30 'break 2.B
cont
print a[0:3]
print total
cont' "$builddir/tests/prog/runs/serial"
like "one process without MPI or launcher" "$out" '^Point 2\.B  \[0\]' 'a\[0:3\].*10.*11|\b13\b' '^total = 1$' \
	'^serial: total 6, last 37' 'exited with code 0'
is "its exit status" $status 0
no_leak "without MPI"
done_testing
