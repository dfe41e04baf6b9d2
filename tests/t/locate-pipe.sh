# SPDX-License-Identifier: GPL-3.0-or-later
# locate with access hooks, of a pipeline whose messages are sent and received between parallel loops: a rank that stands
# at the end of one keeps the next from coming there, so the runs that are traced go on to their end.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
cd "$tmp" || exit 1
cat >pipe.c <<'EOT'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "dvmdbg.h"
enum { N = 24 };
int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long lo = N * rank / size, n = N * (rank + 1) / size - lo;
	int before = rank ? rank - 1 : MPI_PROC_NULL, behind = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	double *a = calloc(n + 2, sizeof(*a)), *b = calloc(n + 2, sizeof(*b));
	int swap = argc > 1 && argv[1][0] == 's', wrong = argc > 1 && !swap;

	DVMDBG_ARRAY(a, .shape = { N }, .own = { { lo, lo + n - 1 } }, .halo = { 1 });
	DVMDBG_ARRAY(b, .shape = { N }, .own = { { lo, lo + n - 1 } }, .halo = { 1 });
	DVMDBG_SL(.range = { { 1, 3 } })
	for (int t = 1; t <= 3; t++) {
		DVMDBG_ITERATION(t);
		MPI_Recv(a, 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(b, 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		DVMDBG_PL(.on = a, .range = { { 0, N - 1 } }, .writes = { a, b }, .reads = { a, b })
		for (long k = 1; k <= n; k++) {
			DVMDBG_PL_ITERATION(lo + k - 1);
			a[k] = 0.5 * a[k - 1] + lo + k + t; /* recurrence */
			b[k] = 0.25 * b[k - 1] - lo - k + t;
		}
		MPI_Send(&a[wrong && t == 2 ? n - 1 : n], 1, MPI_DOUBLE, behind, 1 + (swap && t == 2), MPI_COMM_WORLD);
		MPI_Send(&b[n], 1, MPI_DOUBLE, behind, 2 - (swap && t == 2), MPI_COMM_WORLD);
	}
	if (behind == MPI_PROC_NULL)
		printf("pipe: %.12g\n", a[n]);
	MPI_Finalize();
	return 0;
}
EOT
DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -std=gnu11 -g -O1 -I"$srcdir/runtime" pipe.c -o pipe \
	-L"$builddir/runtime/.libs" -ldvmdbg -Wl,-rpath,"$builddir/runtime/.libs" || skip_all "it does not compile"
# at TEXT: "pipe\.c:N" of the source's line with the text
at() { echo "pipe\\.c:$(grep -nF -e "$1" pipe.c | tail -n 1 | cut -d: -f1)"; }
# locate ARGS…: what is said is in $out, with the exit status at its end
locate() { out=$(timeout -k 5 200 "$DVMDBG" locate --set STOP_TIMER=1 "$@" 2>&1 </dev/null; echo "status $?"); }

locate -n 3 ./pipe wrong
like "the element is known from traces" "$out" '^status 1$' \
	'^array a, element a\[8\], first wrong at 2\.E.*, on rank 1, because the halo of a from rank 0 was stale when pipe\.c:[0-9]+ read a\[7\] on rank 1\.$' \
	"^             at $(at '/* recurrence */') in iteration 8, .*, on rank 1" \
	'^  from       a\[7\] .* in the reference; in the halo, rank 0 owns it$' '^run [0-9]: the program, traced, 3 ranks$'
unlike "no run was in vain but for values" "$out" 'was not traced up to'
is "nor is a traced run stopped where ranks could not stand before" "$(printf '%s\n' "$out" | grep -c ': the program, traced, ') $(
	printf '%s\n' "$out" | grep -c ': the program, traced to 2\.E')" "1 0"
locate -n 2 ./pipe swap
like "messages of two arrays are exchanged" "$out" '^status 1$' \
	'^array a, element a\[12\], first wrong at 2\.E.*, on rank 1, because the halo of a from rank 0 was wrong when .* on rank 1: it held what b\[11\] is there\.$' \
	'^  - look at the messages from rank 0 to rank 1 before pipe\.c:[0-9]+: b\[11\] came in place of a\[11\], so their tags'
# The reference cannot stand there either; it is known then before the program is traced.
timeout -k 5 120 "$DVMDBG" record -o ref -n 2 ./pipe >said 2>&1 </dev/null
locate -n 3 -r ref ./pipe wrong
like "a reference of two ranks" "$out" '^status 1$' '^run [0-9]: the reference, traced, 2 ranks$' '^run [0-9]: the program, traced, 3 ranks$' \
	'^array a, element a\[8\], first wrong at 2\.E.*, on rank 1, because the halo of a from rank 0 was stale when pipe\.c:[0-9]+ read a\[7\] on rank 1\.$'
is "nor is the program stopped in vain then" "$(printf '%s\n' "$out" | grep -c 'the program, traced')" 1
no_leak "pipeline"
done_testing
