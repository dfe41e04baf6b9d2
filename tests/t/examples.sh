# SPDX-License-Identifier: GPL-3.0-or-later
# The examples without the debugger: right on any number of ranks, wrong with each fault, and the list of
# faults names lines that are what they should be.
. "$(dirname "$0")/lib.sh"

for mpi in $(mpis); do
	heat=$(prog doc/examples/heat "$mpi")
	for n in 1 2 3 4 6; do
		like "$mpi: heat is right on $n" "$(mpirun "$mpi" "$n" "$heat" 60 20 2>&1)" ' OK$'
	done
	for fault in $("$heat" --fault list | cut -f 1); do
		like "$mpi: heat --fault $fault is wrong on 4" \
			"$(mpirun "$mpi" 4 "$heat" 60 20 --fault "$fault" 2>&1)" ' WRONG$'
		like "$mpi: heat --fault $fault is right on 1" \
			"$(mpirun "$mpi" 1 "$heat" 60 20 --fault "$fault" 2>&1)" ' OK$'
	done
	jacobi=$(prog doc/examples/jacobi "$mpi")
	if [ -x "$jacobi" ]; then
		like "$mpi: jacobi is right on 3" "$(mpirun "$mpi" 3 "$jacobi" 60 20 2>&1)" ' OK *$'
		for fault in $("$jacobi" --fault list | cut -f 1); do
			like "$mpi: jacobi --fault $fault is wrong on 4" \
				"$(mpirun "$mpi" 4 "$jacobi" 60 20 --fault "$fault" 2>&1)" ' WRONG'
		done
	fi
done

line_of() { sed -n "$(echo "$2" | awk -F '\t' -v f="$1" '$1 == f { sub(/.*:/, "", $4); print $4 }')p" "$3"; }
list=$("$builddir/doc/examples/heat" --fault list)
src=$srcdir/doc/examples/heat.c
is "each fault has four columns" "$(echo "$list" | awk -F '\t' 'NF != 4')" ""
like "differing-eps names its line" "$(line_of differing-eps "$list" "$src")" 'eps = 0\.75;'
for fault in missing-halo swapped-index off-by-one; do
	like "$fault names the sweep" "$(line_of $fault "$list" "$src")" 'AT\(v, i, j\) = '
done
like "wrong-reduction names the reduction" "$(line_of wrong-reduction "$list" "$src")" MPI_Allreduce
like "uninitialised-corner names the start" "$(line_of uninitialised-corner "$list" "$src")" 'AT\(u, i, j\) = exact'
if [ -x "$builddir/doc/examples/jacobi" ]; then
	list=$("$builddir/doc/examples/jacobi" --fault list)
	src=$srcdir/doc/examples/jacobi.f90
	like "jacobi: differing-weight" "$(line_of differing-weight "$list" "$src")" 'weight = 0\.249'
	like "jacobi: missing-halo" "$(line_of missing-halo "$list" "$src")" 'v\(i, j\) = weight'
fi
"$builddir/doc/examples/heat" --fault nonsense >"$tmp/o" 2>&1
is "heat refuses an unknown fault with status 2" $? 2
done_testing
