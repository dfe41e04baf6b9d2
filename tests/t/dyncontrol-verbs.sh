# SPDX-License-Identifier: GPL-3.0-or-later
# Dynamic control for constructs and variables that are named, hints at declarations that nothing needs, the messages of
# the DVM debugger, and what locate makes of control.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
cd "$tmp" || exit 1

cat >order.c <<'EOT'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"

int main(int argc, char **argv)
{
	int rank, size, n = 16;
	double sum = 0, unused = 0, factor = 0.5;
	const char *what = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int lo = rank * n / size, hi = (rank + 1) * n / size, own = hi - lo;
	int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	double *u = calloc(own + 2, sizeof(*u)), *v = calloc(own + 2, sizeof(*v));
	DVMDBG_ARRAY(u, .shape = { n }, .own = { { lo, hi - 1 } }, .halo = { { 1, 1 } });
	DVMDBG_ARRAY(v, .shape = { n }, .own = { { lo, hi - 1 } }, .halo = { { 1, 1 } });
	DVMDBG_PL(.range = { { 0, n - 1 } }, .on = u, .writes = { u, v })
	for (int i = lo; i < hi; i++) {
		DVMDBG_PL_ITERATION(i);
		u[i - lo + 1] = i;
		v[i - lo + 1] = 1;
	}
	MPI_Sendrecv(&u[own], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	if (!strcmp(what, "depends")) {
		DVMDBG_PL(.range = { { 1, n - 1 } }, .on = u, .writes = { u })
		for (int i = lo ? lo : 1; i < hi; i++) {
			DVMDBG_PL_ITERATION(i);
			u[i - lo + 1] = factor * u[i - lo] + 1;
		}
	}
	DVMDBG_PRIVATE(unused);
	DVMDBG_READONLY(factor);
	DVMDBG_REDUCES(sum);
	DVMDBG_ACROSS(v, .below = { 1 });
	DVMDBG_PL(.range = { { 0, n - 1 } }, .on = u, .writes = { v })
	for (int i = lo; i < hi; i++) {
		DVMDBG_PL_ITERATION(i);
		v[i - lo + 1] = factor * u[i - lo + 1];
		sum += v[i - lo + 1];
	}
	MPI_Finalize();
	return 0;
}
EOT
line() { line_with "$1" order.c; }
DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -g -O1 -I"$srcdir/runtime" order.c -o order -L"$builddir/runtime/.libs" \
	-Wl,-rpath,"$builddir/runtime/.libs" -ldvmdbg >log 2>&1 || skip_all "no program with access hooks: $(tail -n 3 log)"
loop=$(line 'range = { { 1')
wrong=$(line 'factor * u[i - lo] + 1')

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 240 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
	out="status $status
$out"
}

shell check -n 2 ./order
like "declarations that nothing needs are named, and are no findings" "$out" '^status 0$' ': nothing found$' \
	"order\.c:$(line 'PRIVATE(unused)'): the variable is declared as private, and no iteration uses it" \
	"order\.c:$(line 'ACROSS(v'): iterations are declared to depend on v of others, and none does"
unlike "… those that are needed are not" "$out" "order\.c:($(line 'READONLY(')|$(line 'REDUCES(')):"
dvm 200 'check
cont
findings -dvm
check -not u
rerun
cont
check -not "other.c v" -only '"order.c:$loop"'
rerun
cont
check -only sum -not ""
rerun
cont' -n 2 ./order depends
like "a dependence, and the message of the DVM debugger" "$out" \
	"^Finding dependence .*u\[1\]: iteration 2 reads what is written by iteration 1, .*order\.c:$wrong  #1" \
	"^\*\*\* DYNCONTROL \*\*\* : Loop\( No\(2\), Iter\(2\) \)\. File: order\.c, Line: $wrong$" \
	'^Undeclared data dependence between iterations or tasks: u\[1\]\.$'
is "control is off for a variable, on for a construct, and on for others" \
	"$(printf '%s\n' "$out" | sed -n 's/^control: .*tasks: //p' | tr '\n' ' ')" \
	"1 finding nothing found 1 finding nothing found "
shell check --set DynControlNot="order.c:$loop" -n 2 ./order depends
like "… off for a construct" "$out" '^status 0$' ': nothing found$'
shell locate -n 2 ./order depends
like "locate says what control proves of the statement that is wrong" "$out" '^status 1$' "order\.c:$wrong" \
	'control: iterations or tasks depend on each other: u\[1\]: iteration 2 reads what is written by iteration 1' \
	'iterations of the loop depend on each other .*DVMDBG_ACROSS'
no_leak "dyncontrol-verbs"
done_testing
