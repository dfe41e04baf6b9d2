# SPDX-License-Identifier: GPL-3.0-or-later
# Collective calls on MPI_COMM_WORLD as points of their own kind: numbers, stops, stacks, places, checksums, halt, and what they
# leave as it is: the numbers of marks, and references of a run that numbers another kind.
. "${0%/*}/lib.sh"
own_program points/collectives.c
unhooked ./right || { diag "$(<said)"; not_ok "it compiles"; done_testing; }
# beside ARGS…: what is run from the shell. Sets $out and $status.
beside()
{
	out=$(timeout -k 5 60 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
echo cont >go
both="--set POINTS=marks,mpi"
adds=$(source_line '/* adds */') waits=$(source_line '/* meanwhile */') gives=$(source_line '/* gives */') takes=$(source_line '/* takes */') splits=$(source_line '/* splits */')
"mpicc.$mpi" -std=gnu11 -g -O0 -w -DDVMDBG_OFF -I"$srcdir/runtime" "$src" -o plain

# A program that nobody has annotated.
talk "set POINTS mpi
set POINTS marks,mpi
break mpi:3.B
cont
where
print \$point
step
set POINTS marks
set POINTS marks,mpi
break ${gives/\\/}
delete 1
step 3
points -last 4
rerun -to mpi:4.E
where
break mpi:3
break mpi:1.2.3.B
delete -all
break ${splits/\\/}
rerun
barrier mpi:8.B
cont
delete -all
cont" -n 4 ./plain
like "only lists that have the marks" "$(answer 'set POINTS mpi')" "^POINTS cannot be 'mpi': it is one of marks, marks,mpi, marks,omp$"
like "a stop at a call" "$(answer cont)" "^Point mpi:3\\.B  \\[0:3\\]  MPI_Allreduce  $adds  actionpoint 0$"
is "it is what the user's function has called" "$(answer where)" "  0  synchronized    [0:3]  MPI_Allreduce  ${adds/\\/}   mpi:3.B
  1  synchronized    [0:3]  main  ${adds/\\/}
  0  synchronized    [0:3]  MPI_Barrier  ${waits/\\/}   mpi:4.E
  1  synchronized    [0:3]  main  ${waits/\\/}"
is "its number" "$(answer 'print $point')" '$point = 3'
like "a step" "$(answer step)" "^Point mpi:3\\.E  \\[0:3\\]  MPI_Allreduce  $adds$"
like "numbers stay while the program runs" "$(answer 'set POINTS marks')" 'POINTS holds from the next run on'
like "a list of points" "$(answer 'points -last 4')" '^mpi:3\.E  collective call' '^mpi:4\.E  collective call' '^mpi:5\.B  collective call'
like "a run to one" "$(answer 'rerun -to mpi:4.E')" '^Point mpi:4\.E  \[0:3\]'
like "what is none" "$(answer 'break mpi:3')" '"mpi:3" is not a point: it has the form N\.B, N\.E, N\.TASK\.M\.B, mpi:N\.B or omp:N\.B$'
like "calls are in no task" "$(answer 'break mpi:1.2.3.B')" '^"mpi:1\.2\.3\.B" is not a point'
like "a break at a line with a call" "$out" "^Point mpi:1\\.B  \\[0:3\\]  MPI_Comm_split  $splits  actionpoint"
like "a barrier there" "$(answer 'barrier mpi:8.B')" '^barrier [0-9]+: mpi:8\.B$'
like "ranks at one call, at two lines" "$out" "^Point mpi:8\\.B  \\[0\\]  MPI_Bcast  $gives" "^Point mpi:8\\.B  \\[1:3\\]  MPI_Bcast  $takes"
like "its end" "$out" '^All ranks have exited with code 0\.$'

# Marks keep their numbers, and what lies where is known.
talk "break 2.B
set LEVEL CHECKSUM
start mpi:4.B
finish mpi:5.E
cont
print t
points
break mpi:5.E
cont
sums
cont" $both -n 3 ./right marks
like "the second loop is the second point of marks" "$out" '^Point 2\.B  \[0:2\]  parallel loop  collectives\.c'
is "calls lie in loops and between them" "$(answer points | sed 's/  *\(collective\|parallel\).*//' | tr '\n' ' ')" \
	"mpi:1.B mpi:1.E 1.B mpi:2.B mpi:2.E 1.E mpi:3.B mpi:3.E mpi:4.B mpi:4.E 2.B "
like "checksums from a call to a call" "$(answer sums)" '^Checksums at mpi:5\.E' '^  u  *23 '
like "and no further" "$out" '^All ranks have exited with code 0\.$'

# With and without marks: found where it becomes wrong, silent where nothing is.
for kind in arrays marks; do
	beside locate $both -n 4 ./right $kind right
	like "locate, $kind: right" "$out" '^nothing differs: 1 and 4 ranks give the same bits\.' 'up to mpi:(8|11)\.E and at the end'
	is "locate, $kind: right, the exit status" $status 0
done
beside locate $both -n 4 ./right arrays wrong
like "locate: wrong" "$out" '^array u, element u\[19\], already wrong at mpi:4\.B: it became wrong between mpi:3\.E and mpi:4\.B' '^  reference  38  \(1 rank\)$'
is "locate: wrong, the exit status" $status 1
beside pair -n 1 : -n 4 --batch -x go $both ./right arrays wrong
like "pair" "$out" '^A: Point mpi:4\.E  \[0\]' '^B: Point mpi:4\.E  \[0:3\]' 'Different checksums for array \("u".*23 != 23\.0208 at the point mpi:4\.E; previous correct point is mpi:3\.E'

# A reference of one numbering, a run of the other: what both have is compared.
for from in "" "$both"; do
	beside record -o ref $from -n 1 ./right marks
	for to in "" "$both"; do
		beside compare -r ref $to -n 3 ./right marks
		like "compare, ${from:-marks} and ${to:-marks}" "$out" '^compared [0-9]+ checksums of 2 arrays at (6|17) points: equal$'
	done
done

# A halt in between, and a break that comes while ranks run: all stop at one point, of whatever kind.
talk "break 2.B
cont
go
break mpi:9001.B
halt
cont
kill" $both --set STOP_TIMER=1 -n 4 ./right marks right 1000000
like "halt: one point" "$(answer halt)" '^Point (mpi:)?[0-9]+\.[BE]  \[0:3\]'
like "a break that was set while they ran" "$out" '^Point mpi:9001\.B  \[0:3\].*  actionpoint 1$'

rest_in all
# In Fortran, with each MPI: what lies on a duplicate of MPI_COMM_WORLD is no point, and halos are compared where calls are.
src=${src%.c}.F90
adds=$(source_line '! adds')
for mpi in $(mpis); do
	for with in '' -DF08; do
		mkdir "$tmp/mod.$mpi$with"
		# shellcheck disable=SC2086
		if ! command -v "mpif90.$mpi" >said || ! "mpif90.$mpi" -g -w $with -J "$tmp/mod.$mpi$with" "$srcdir/runtime/dvmdbg.f90" "$src" \
			-o "fortran.$mpi$with" $libs 2>said; then
			skip "$mpi: in Fortran $with" 'no Fortran'
			continue
		fi
		name="$mpi: in Fortran $with:"
		talk "set CHECK_HALO ON
break mpi:3.B
cont
where
print u(1:2)
step
delete -all
set LEVEL CHECKSUM
start mpi:4.B
finish mpi:4.E
break mpi:4.E
rerun -to mpi:2.B
cont
sums
cont
points" $both -n 3 "./fortran.$mpi$with" stale
		like "$name a stop at a call" "$out" "^Point mpi:3\\.B  \\[0:2\\]  MPI_Allreduce  $adds  actionpoint 0$"
		is "$name whose call it is" "$(answer where)" "  0  synchronized    [0:2]  MPI_Allreduce  ${adds/\\/}   mpi:3.B
  1  synchronized    [0:2]  collectives  ${adds/\\/}"
		like "$name values there" "$(answer 'print u(1:2)')" ' 2 4$'
		like "$name a step" "$(answer step)" '^Point mpi:3\.E  \[0:2\]'
		like "$name halos that were not renewed before the call" "$(answer cont)" \
			"at mpi:3\\.B, $adds, the halo of u \\(.*\\) is stale since mpi:3\\.B, $adds: 4 elements on \\[0:2\\]"
		unlike "$name and those that were" "$out" 'at mpi:[245]\.B, .* is stale'
		like "$name a run to one" "$(answer 'rerun -to mpi:2.B')" '^Point mpi:2\.B  \[0:2\]'
		like "$name checksums from a call to a call" "$(answer sums)" '^Checksums at mpi:4\.E' '^  u  *37.5  *24 '
		is "$name five calls have points, those on a duplicate have none" "$(answer points | grep -c '^mpi:[1-5]\.[BE]  collective call')" 10
	done
	[ -x "fortran.$mpi" ] || continue
	beside locate $both -n 3 "./fortran.$mpi" wrong
	like "$mpi: in Fortran: locate" "$out" '^array u, element u\(24\), already wrong at mpi:3\.B: it became wrong between mpi:2\.E and mpi:3\.B'
	beside pair -n 1 : -n 3 --batch -x go $both "./fortran.$mpi" wrong
	like "$mpi: in Fortran: pair" "$out" '^A: Point mpi:3\.E  \[0\]' '^B: Point mpi:3\.E  \[0:2\]' \
		'Different checksums for array \("u".*25 != 25\.0208 at the point mpi:3\.E; previous correct point is mpi:2\.E'
done
no_leak "points of MPI"
done_testing
