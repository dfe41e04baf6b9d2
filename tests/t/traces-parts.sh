# SPDX-License-Identifier: GPL-3.0-or-later
# Constructs without marks that add up an element in parts, by several statements: at the ranks' borders in another
# order. What a wrong write is computed from there, and in an iteration that reads an element many times.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
mpi_compilers "$mpi"
command -v "$cc" >/dev/null || skip_all "no compiler for MPI"
cd "$tmp" || exit 1

cat >parts.c <<'EOT'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "dvmdbg.h"
#define N 12
static double mu[N], mw[N], mv[N], *u = mu, *w = mw, *v = mv, below, above;
int main(int argc, char **argv)
{
	int rank, ranks, fault = argc > 1 ? atoi(argv[1]) : 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	long lo = N * rank / ranks, n = N * (rank + 1) / ranks - lo;
	int down = rank ? rank - 1 : MPI_PROC_NULL, up = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
	DVMDBG_ARRAY(u, .shape = { N }, .own = { { lo, lo + n - 1 } });
	DVMDBG_ARRAY(w, .shape = { N }, .own = { { lo, lo + n - 1 } });
	DVMDBG_ARRAY(v, .shape = { N }, .own = { { lo, lo + n - 1 } });
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { u, w })
	for (long i = 0; i < n; i++) {
		u[i] = 100 * (lo + i);
		w[i] = (lo + i) * (lo + i) + 0.5;
	}
	MPI_Sendrecv(&w[n - 1], 1, MPI_DOUBLE, up, 1, &below, 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&w[0], 1, MPI_DOUBLE, down, 2, &above, 1, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { u }) {
		for (long i = 1; i < n; i++)
			u[i] += w[i - 1];
		for (long i = 0; i < n - 1; i++)
			u[i] += w[i + 1];
		if (up >= 0)
			u[n - 1] += above;
		if (down >= 0)
			u[0] += fault == 1 ? 0 : below; /* from the left */
	}
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { v })
	for (long i = 0; i < n; i++) {
		DVMDBG_PL_ITERATION(lo + i);
		for (int k = 0; k < 90; k++)
			v[i] += w[i] / (k + 1);
		if (fault == 2 && lo + i == 7)
			v[i] = u[i]; /* too much */
	}
	MPI_Finalize();
	return 0;
}
EOT
DVMDBG_CC=$cc "$builddir/runtime/dvmdbg-cc" -g -O1 -I"$srcdir/runtime" parts.c -o parts \
	-L"$builddir/runtime/.libs" -Wl,-rpath,"$builddir/runtime/.libs" -ldvmdbg || skip_all "$cc does not compile"
line() { grep -n "$1" parts.c | head -n 1 | cut -d : -f 1; }
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}

for m in 1 3; do
	shell record --level FULL -o "ref.$m" -n "$m" ./parts
	is "recorded on $m" "$status" 0
	for n in 1 2 4 6; do
		shell compare -r "ref.$m" -n "$n" ./parts
		like "parts in another order on $n of $m are right" "status $status
$out" '^status 0$' '^compared traces at level FULL: .*: equal'
	done
done
shell compare -r ref.1 -n 2 ./parts 1
like "a part that is wrong is found where it is added" "status $status
$out" '^status 1$' "^Finding value  \[1\] .*: u\[6\]: 649\.5 here, 675 in the reference .* at 2\.B  parts\.c:$(line 'from the left')  rank 0 there"
is "and that only" "$(grep -c '^Finding value ' <<<"$out")" 1
shell locate -r ref.1 -n 2 ./parts 1
like "locate names the line, and what it is computed from" "$out" "parts\.c:$(line 'from the left') on rank 1" '^  from +u\[6\] +649\.5$'
unlike "and nothing that it is not" "$out" '^ .* w\[[0-9]+\]  '
shell locate -r ref.1 -n 2 ./parts 2
like "a write too much after many reads of its element" "$out" 'element v\[7\]' "parts\.c:$(line 'too much') in iteration 7" ' u\[7\]  '
unlike "what it read is not said to differ" "$out" ' [vwu]\[7\] .* in the reference$'
no_leak "parts"
done_testing
