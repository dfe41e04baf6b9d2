# SPDX-License-Identifier: GPL-3.0-or-later
# Two runs side by side go on together and stop at the first difference.
. "$(dirname "$0")/lib.sh"

for mpi in $(mpis); do
	heat=$(prog doc/examples/heat "$mpi")
	jacobi=$(prog doc/examples/jacobi "$mpi")

	dvm 120 'pair -n 1
cont
print v[20][1]
where
cont' -n 4 "$heat" 40 2 --fault missing-halo
	like "$mpi: the sides are named" "$out" '^A +1 rank  .*heat 40 2 --fault missing-halo$' '^B +4 ranks  '
	like "$mpi: both stop at the first mismatch" "$out" '^Point 3\.E  \[0:3\]' '^A: Point 3\.E  \[0\]' \
		'Different checksums for array \("v", "heat\.c", [0-9]+, 0, "[rw]+"\): .* at the point 3\.E; previous correct point is 2\.E'
	like "$mpi: values of both are shown" "$out" '^A: v\[20\]\[1\] = ' '^B: v\[20\]\[1\] = '
	no_leak "$mpi: a fault"

	dvm 120 'pair -n 2
break 5.B
cont
A: print eps
rerun
delete 0
cont' -n 3 "$heat" 40 2
	like "$mpi: an actionpoint stops both" "$out" '^Point 5\.B  \[0:2\]' '^A: Point 5\.B  \[0:1\]' '^eps = 0\.5'
	unlike "$mpi: a right program has no mismatch" "$out" 'Different checksums'
	is "$mpi: and the exit status says so" "$status" 0
	no_leak "$mpi: right"

	timeout 120 "$DVMDBG" pair --batch -e cont -n 1 "$heat" 40 2 : -n 2 "$heat" 40 2 --fault off-by-one \
		>"$tmp/out" 2>&1 </dev/null
	is "$mpi: from the shell, with other arguments: the status" $? 1
	like "$mpi: from the shell: the mismatch" "$(cat "$tmp/out")" '"v", "heat\.c".* at the point 3\.E'
	no_leak "$mpi: from the shell"

	# u begins alike in both programs, v does not
	if [ -x "$jacobi" ]; then
		timeout 120 "$DVMDBG" pair --batch -e 'tie A.u@heat.c:35 = B.u@jacobi.f90:42' -e tie -e cont \
			-n 1 "$heat" 40 2 : -n 2 "$jacobi" 40 2 >"$tmp/out" 2>&1 </dev/null
		is "$mpi: tied across languages, u is equal" $? 0
		like "$mpi: ties are shown" "$(cat "$tmp/out")" 'A\.u@heat\.c:35 = B\.u@jacobi\.f90:42'
		timeout 120 "$DVMDBG" pair --batch -e 'tie A.v@heat.c:61 = B.v@jacobi.f90:55' -e cont \
			-n 1 "$heat" 40 2 : -n 2 "$jacobi" 40 2 >"$tmp/out" 2>&1 </dev/null
		is "$mpi: v is not: the status" $? 1
		like "$mpi: both stop there" "$(cat "$tmp/out")" '^Point 2\.E  \[0:1\].*jacobi\.f90:55' \
			'^A: Point 3\.E  \[0\].*heat\.c:61'
		no_leak "$mpi: ties"
	fi
	dvm 60 'tie x
pair -n 0
pair
tie A.u = B.u' -n 2 "$heat" 40 2
	like "$mpi: bad input" "$out$err" 'tie: there is no pair'
	no_leak "$mpi: bad input"
done
done_testing
