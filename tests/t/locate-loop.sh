# SPDX-License-Identifier: GPL-3.0-or-later
# locate with access hooks, of loops that write more than one thing: an array that is wrong as another one is, which the
# same iteration sets; copies of which each rank sets a part; more, or fewer, writes that show in other elements.
. "${0%/*}/lib.sh"
all_in all
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
cd "$tmp" || exit 1
cat >loop.c <<'EOT'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"
enum { N = 24 };
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int rank, size, count[16], first[16];
	double *s, *x;
	static double all[N];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < size; i++) {
		first[i] = N * i / size;
		count[i] = N * (i + 1) / size - first[i];
	}
	long lo = first[rank], n = count[rank];
	int wrong = size > 1;
	s = calloc(n, sizeof(*s));
	x = calloc(n, sizeof(*x));
	DVMDBG_ARRAY(x, .shape = { N }, .own = { { lo, lo + n - 1 } });
	DVMDBG_ARRAY(s, .shape = { N }, .own = { { lo, lo + n - 1 } });
	DVMDBG_ARRAY(all, .shape = { N }, .replicated = 1);
	DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { x, s })
	for (long i = 0; i < n; i++) {
		DVMDBG_PL_ITERATION(lo + i);
		x[i] = lo + i + 1;
		s[i] = 0;
	}
	static double total;
	DVMDBG_REPLICATED(total);
	DVMDBG_SL(.range = { { 1, 3 } })
	for (int t = 1; t <= 3; t++) {
		int now = wrong && t == 2;

		DVMDBG_ITERATION(t);
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { x, s })
		for (long i = 0; i < n - (now && !strcmp(how, "short") && rank == 1); i++) { /* short */
			DVMDBG_PL_ITERATION(lo + i);
			x[i] = x[i] + (now && !strcmp(how, "pair") ? i : lo + i); /* local */
			s[i] = 2 * x[i];
		}
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { s })
		for (long i = 0; i < n; i++) {
			DVMDBG_PL_ITERATION(lo + i);
			for (int k = -1; k <= 1; k++) {
				if (now && !strcmp(how, "fewer") && k == 1)
					continue;
				s[i] += k * (lo + i > 3 ? x[i] : 0); /* added */
			}
			if (now && !strcmp(how, "more"))
				s[i] = lo + i > 3 ? s[i] + 1 : s[i]; /* once more */
		}
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { all })
		for (long i = 0; i < n; i++) {
			DVMDBG_PL_ITERATION(lo + i);
			all[lo + i] = s[i] + t; /* part */
		}
		double part = 0;
		for (long i = 0; i < n; i++)
			part += lo + i + (now && !strcmp(how, "sum") && rank == 1);
		MPI_Allreduce(&part, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* total */
		if (!(now && !strcmp(how, "gather")))
			MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, first, MPI_DOUBLE, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
EOT
# shellcheck disable=SC2086
DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -std=gnu11 -g -O1 -I"$srcdir/runtime" loop.c -o loop -L"$builddir/runtime/.libs" \
	-ldvmdbg -Wl,-rpath,"$builddir/runtime/.libs" || skip_all "it does not compile"
# at TEXT: "loop\.c:N" of the source's line with the text
at() { echo "loop\\.c:$(grep -nF -e "$1" loop.c | tail -n 1 | cut -d: -f1)"; }
# tells HOW REGEX…: one finding on three ranks, of which these lines tell
tells()
{
	out=$(timeout -k 5 200 "$DVMDBG" locate -n 3 ./loop "$1" 2>&1 </dev/null; echo "status $?")
	like "$1" "$out" '^status 1$' "${@:2}"
}

tells pair "element s\\[8\\], .* on rank 1, because $(at '/* local */') sets x\\[8\\] to 17, and to 25 in the reference, though it reads the same numbers( from registered arrays)?\\.\$" \
	"^  origin     x\\[8\\]: 17 since $(at '/* local */') in iteration 8 on rank 1; 25 since $(at '/* local */') in iteration 8 on rank 0 of the reference\$" \
	"^  - look at constants, indices and conditions at $(at '/* local */') on rank 1\$"
unlike "bounds are not looked at where all iterations are executed" "$out" 'bounds'
tells short "on rank 1, because iteration [0-9]+ of the loop at $(at '/* short */' | sed 's/[0-9]*$//')[0-9]+ is not executed\\.\$" \
	'^  - look at the bounds of the loop at loop\.c:[0-9]+, and at conditions around it'
tells gather "^replicated all, element all\\[8\\], .*, because $(at '/* part */') has set it on rank 1, and no traced statement on rank 0\\.\$" \
	"^  - does what rank 1 has set at $(at '/* part */') get to rank 0\\? "
tells fewer "element s\\[4\\], .* on rank 0, because $(at '/* added */') writes s\\[0\\] last, and the reference writes it more often\\.\$"
tells more "element s\\[4\\], .* on rank 0, because $(at '/* once more */') writes s\\[0\\], and there is no such write in the reference\\.\$"
tells sum '^replicated total, first wrong between 7\.E and 8\.B, ' "^  set by     MPI_Allreduce at $(at '/* total */')\$" \
	"traced .*: the result of MPI_Allreduce at $(at '/* total */') goes there\$" \
	"^  - the result of MPI_Allreduce at $(at '/* total */') goes to total: look at what each rank gives to that call, .*; whose part is wrong is not known\$"
# Compiled by a name from another directory than the one it runs in.
mkdir -p build/objects bin empty && mv loop.c build
compile="$builddir/runtime/dvmdbg-cc"
(cd build/objects && DVMDBG_CC=mpicc.$mpi "$compile" -std=gnu11 -g -O1 -I"$srcdir/runtime" ../loop.c -o ../../bin/loop \
	-L"$builddir/runtime/.libs" -ldvmdbg -Wl,-rpath,"$builddir/runtime/.libs")
out=$(cd empty && timeout -k 5 200 "$DVMDBG" locate -n 3 ../bin/loop pair 2>&1 </dev/null)
like "the source is found where it was compiled" "$out" '^ +[0-9]+  s\[i\] = 2 \* x\[i\];$' '^->  +[0-9]+  '
# What an object of a class is at is another address in each run, and no cause.
cat >class.f90 <<'EOT'
module scales
  type :: scale
    real(8) :: by = 2
  contains
    procedure :: apply
  end type
contains
  subroutine apply(this, c, k)
    class(scale), intent(in) :: this
    real(8), intent(inout) :: c(:)
    integer, intent(in) :: k
    c(k) = c(k) * this%by
  end subroutine
end module
program main
  use mpi
  use dvmdbg
  use scales
  class(scale), allocatable :: o
  real(8), allocatable :: c(:)
  integer :: me, np, ierr, k, lo, hi
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
  lo = 12 * me / np + 1
  hi = 12 * (me + 1) / np
  allocate (c(hi - lo + 1))
  c = 1
  allocate (o, source=scale(merge(3d0, 2d0, me == 1)))
  call dvmdbg_array(c, 'c', shape=12, own_lo=lo, own_hi=hi)
  call dvmdbg_pl_begin(first=1, last=12, writes='c')
  do k = 1, size(c)
    if (dvmdbg_hooked) call dvmdbg_pl_iteration(k + lo - 1)
    call o%apply(c, k)
  end do
  call dvmdbg_pl_end()
  call MPI_Finalize(ierr)
end program
EOT
if DVMDBG_FC=mpifort.$mpi "$builddir/runtime/dvmdbg-fc" -g -O1 "$srcdir/runtime/dvmdbg.f90" class.f90 -o class \
	-L"$builddir/runtime/.libs" -ldvmdbg -Wl,-rpath,"$builddir/runtime/.libs" 2>/dev/null; then
	out=$(timeout -k 5 200 "$DVMDBG" locate -n 3 ./class 2>&1 </dev/null)
	like "an address is no cause" "$out" \
		"^array c, element c\\(5\\), .* on rank 1\\.\$" "^  likely     a variable that class\\.f90:$(grep -n 'this%by' class.f90 | cut -d: -f1) reads is 3, and 2 in the reference\$"
else
	skip "an address is no cause" "no Fortran compiler"
fi
no_leak "locate"
done_testing
