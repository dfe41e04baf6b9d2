# SPDX-License-Identifier: GPL-3.0-or-later
# Constructs in which one line adds to an element again and again: edges of a mesh, particles. The order
# depends on the number of ranks, and so does how often an element is written; what counts is what is there in the end.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
mpi_compilers "$mpi"
command -v "$cc" >/dev/null || skip_all "no compiler for MPI"
cd "$tmp" || exit 1

cat >edges.c <<'EOT'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"
#define N 24
#define EDGES (2 * N)
static double mf[N + 2], mg[N + 2], *f = mf, *g = mg, buf[N], all[N];
static int most[N], *m = most;
int main(int argc, char **argv)
{
	int rank, ranks, step, fault = argc > 2 ? atoi(argv[2]) : 0;
	const char *how = argv[1];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	long lo = N * rank / ranks, hi = N * (rank + 1) / ranks - 1, to[2];
	int up = (rank + 1) % ranks, down = (rank + ranks - 1) % ranks;
	double come = 0;
	DVMDBG_ARRAY(f, .shape = { N }, .own = { { lo, hi } });
	DVMDBG_ARRAY(g, .shape = { N }, .own = { { lo, hi } }, .halo = { 1 });
	DVMDBG_ARRAY(m, .shape = { N }, .own = { { lo, hi } });
	for (step = 0; step < 2; step++) {
		memset(buf, 0, sizeof(buf));
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { f, g, m }) {
			for (long i = lo; i <= hi; i++)
				f[i - lo] = fault == 3 && step == 1 && i == 9 ? 5 : 1; /* begin */
			for (long i = lo - 1; i <= hi + 1; i++)
				g[i - lo + 1] = 0;
			for (long i = lo; i <= hi; i++)
				m[i - lo] = -1;
		}
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { f, g, m }) {
			if (!strcmp(how, "sweeps")) {
				for (int t = 1; t < 5; t++)
					for (long i = lo; i <= hi; i++)
						f[i - lo] += (i * t) % 7 + (fault == 4 && step == 1 && i == 15 && t == 2); /* sweep */
			} else {
				/* to the next one and further: the rank of the first has the edge; each in an order of its own */
				for (int q = 0; q < EDGES; q++) {
					int k = rank % 2 || ranks == 3 ? EDGES - 1 - q : (q + 5 * ranks) % EDGES;
					double w = 1 + k * 37 % 64 / 16.0 + step;
					to[0] = k / 2;
					to[1] = (k / 2 + 1 + k % 2 * (k % 5)) % N;
					if (fault == 1 && step == 1 && k == 14)
						w += 1;
					if (!strcmp(how, "edges")) {
						if (to[0] < lo || to[0] > hi)
							continue;
						for (int s = 0; s < 2; s++)
							if (to[s] >= lo && to[s] <= hi)
								f[to[s] - lo] += s ? -w : w; /* edge */
							else
								buf[to[s]] += s ? -w : w;
					} else {
						/* both ranks at a border have it */
						for (int s = 0; s < 2; s++)
							if (to[s] >= lo && to[s] <= hi) {
								f[to[s] - lo] += s ? -w : w; /* both */
								if (k % 11 > m[to[s] - lo])
									m[to[s] - lo] = k % 11 + (fault == 5 && step == 1 && k == 43); /* most */
							}
					}
				}
				MPI_Allreduce(buf, all, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
				for (long i = lo; i <= hi; i++)
					if (all[i] != 0)
						f[i - lo] += all[i]; /* border */
			}
			/* particles, into the halo as well */
			for (int q = 0; q < 5 * N; q++) {
				long p = (rank % 2 ? 5 * N - 1 - q : q * 7) % (5 * N), i = p / 5;
				if (i < lo || i > hi)
					continue;
				g[i - lo + 1] += p % 8 / 4.0;
				g[ranks == 1 && i == N - 1 ? 1 : i - lo + 2] += 2 - p % 8 / 4.0;
			}
			MPI_Sendrecv(&g[hi - lo + 2], 1, MPI_DOUBLE, up, 1, &come, 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (ranks > 1)
				g[1] += come;
			if (fault == 2 && step == 1 && lo <= 9 && hi >= 9)
				f[9 - lo] = 7; /* too much */
		}
	}
	MPI_Finalize();
	return 0;
}
EOT
cat >edges.f90 <<'EOT'
program edges
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: n = 21
  double precision, allocatable, target :: f(:)
  double precision :: w, buf(n), tot(n)
  integer :: ierr, rank, ranks, lo, hi, k, q, step, fault, e1, e2
  character(8) :: text
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  fault = 0
  if (command_argument_count() > 0) then
     call get_command_argument(1, text)
     read (text, *) fault
  end if
  lo = n * rank / ranks + 1
  hi = n * (rank + 1) / ranks
  allocate (f(lo:hi))
  call dvmdbg_array(f, 'f', lower=[1], shape=[n], own_lo=[lo], own_hi=[hi])
  do step = 1, 2
     buf = 0
     call dvmdbg_pl_begin(1, n, writes='f')
     f = 0
     do q = 1, 3 * n
        k = merge(3 * n + 1 - q, q, mod(rank + ranks, 2) == 0)
        e1 = (k + 2) / 3
        e2 = mod(e1 * mod(k, 3) + k, n) + 1
        if (e1 < lo .or. e1 > hi .or. e1 == e2) cycle
        w = 1 + mod(k * 37, 64) / 16d0 + step
        if (fault == 1 .and. step == 2 .and. k == 20) w = w + 1
        f(e1) = f(e1) + w ! first
        if (e2 >= lo .and. e2 <= hi) then
           f(e2) = f(e2) - w ! second
        else
           buf(e2) = buf(e2) - w
        end if
     end do
     call mpi_allreduce(buf, tot, n, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
     f = f + tot(lo:hi) ! border
     call dvmdbg_pl_end()
  end do
  call mpi_finalize(ierr)
end program
EOT
# particles that add to a grid with a charge of its own, and to a halo for its owner, each an iteration or not
cat >adds.c <<'EOT'
#include <mpi.h>
#include <stdlib.h>
#include "dvmdbg.h"
#define N 24
#define NP (5 * (N - 1))
static double mg[N + 1], *g = mg, h[N];
static int mi[N + 1], *count = mi;
int main(int argc, char **argv)
{
	int rank, ranks, marks = argc > 1 && atoi(argv[1]), fault = argc > 2 ? atoi(argv[2]) : 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	long lo = N * rank / ranks, hi = N * (rank + 1) / ranks - 1;
	int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank ? rank - 1 : MPI_PROC_NULL;
	DVMDBG_ARRAY(g, .shape = { N }, .own = { { lo, hi } }, .halo_hi = { 1 });
	DVMDBG_ARRAY(count, .shape = { N }, .own = { { lo, hi } }, .halo_hi = { 1 });
	DVMDBG_ARRAY(h, .shape = { N }, .own = { { lo, hi } });
	for (int step = 0; step < 2; step++) {
		double come = 0;
		int more = 0;
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { g, count })
			for (long i = lo; i <= hi + 1; i++) {
				g[i - lo] = i <= hi ? -4 : 0;
				count[i - lo] = i <= hi ? -3 : 0;
			}
		DVMDBG_PL(.range = { { 0, NP - 1 } }, .writes = { g, count }) {
			for (int q = 0; q < NP; q++) {
				long p = (rank % 2 ? NP - 1 - q : q * 7) % NP, c = p / 5;
				double w = p % 8 / 4.0;
				if (c < lo || c > hi)
					continue;
				if (marks)
					DVMDBG_PL_ITERATION(p);
				if (fault == 1 && step == 1 && p == 33)
					w += 1;
				g[c - lo] += w; /* near */
				g[c - lo + 1] += 2 - w; /* far */
				count[c - lo + 1] += 1 + p % 2;
			}
			DVMDBG_PL_ITERATION_END();
			MPI_Sendrecv(&g[hi - lo + 1], 1, MPI_DOUBLE, up, 1, &come, 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Sendrecv(&count[hi - lo + 1], 1, MPI_INT, up, 1, &more, 1, MPI_INT, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (fault == 2 && step == 1 && rank == 1)
				come = 0;
			g[0] += come; /* come */
			count[0] += more;
		}
		/* each element once: nothing else adds to it */
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { h })
			for (long i = lo; i <= hi; i++) {
				DVMDBG_PL_ITERATION(i);
				h[i - lo] += g[i - lo] * count[i - lo]; /* both */
			}
		if (fault == 3 && lo <= 9 && hi >= 9)
			MPI_Sendrecv(&g[hi - lo], 1, MPI_DOUBLE, rank, 2, &h[9 - lo], 1, MPI_DOUBLE, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
EOT
cat >begin.h <<'EOT'
#include <mpi.h>
#include <stdlib.h>
#include "dvmdbg.h"
static int rank, ranks;
/* Returns the number of the fault. */
static int begin(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	return argc > 1 ? atoi(argv[1]) : 0;
}
EOT
# tasks that are counted from 0, which all ranks execute; and rows that change places, by a message or without one
cat >zero.c <<'EOT'
#include "begin.h"
#define N 20
static double mp[N], *p = mp;
int main(int argc, char **argv)
{
	int fault = begin(argc, argv);
	int lo = N * rank / ranks, hi = N * (rank + 1) / ranks - 1;
	DVMDBG_ARRAY(p, .shape = { N }, .own = { { lo, hi } });
	for (int s = 0; s < 6; s++) {
		DVMDBG_TR(.range = { { 0, 2 } }, .writes = { p })
		for (int k = 0; k < 3; k++)
			DVMDBG_TASK(k)
			for (int l = 0; l < 3; l++)
				DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { p }) /* loop */
				for (int i = lo; i <= hi; i++) {
					if (fault && s == 4 && k == 0 && l == 1 && i == 11)
						continue;
					DVMDBG_PL_ITERATION(i);
					p[i - lo] += i * (k + 1);
				}
		/* the first and the last one */
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { p }) {
			if (ranks == 1) {
				double t = p[0];
				p[0] = p[N - 1];
				p[N - 1] = t;
			} else if (rank == 0 || rank == ranks - 1) {
				MPI_Sendrecv_replace(rank ? &p[hi - lo] : p, 1, MPI_DOUBLE, ranks - 1 - rank, 1, ranks - 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			}
		}
	}
	MPI_Finalize();
	return 0;
}
EOT
# sums over ranks: each begins with what it has, and adds what those before it have
cat >sums.c <<'EOT'
#include "begin.h"
#define N 24
static double me[N], mx[N], *e = me, *x = mx;
int main(int argc, char **argv)
{
	int fault = begin(argc, argv);
	int lo = N * rank / ranks, hi = N * (rank + 1) / ranks - 1;
	DVMDBG_ARRAY(e, .shape = { N }, .own = { { lo, hi } });
	DVMDBG_ARRAY(x, .shape = { N }, .own = { { lo, hi } });
	for (int step = 0; step < 2; step++)
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { e, x }) {
			double s = 0, before = 0;
			for (int i = lo; i <= hi; i++) {
				s += i % 5 + step;
				e[i - lo] = s; /* own */
			}
			MPI_Exscan(&s, &before, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
			for (int i = lo; rank && i <= hi; i++)
				e[i - lo] += before + (fault == 1 && step == 1 && i == 15); /* before */
			for (int i = lo; i <= hi; i++)
				x[i - lo] = e[i - lo] + (fault == 2 && step == 1 && i == 15); /* after */
		}
	MPI_Finalize();
	return 0;
}
EOT
for p in edges adds zero sums; do
	DVMDBG_CC=$cc "$builddir/runtime/dvmdbg-cc" -g -O1 -I"$srcdir/runtime" $p.c -o $p \
		-L"$builddir/runtime/.libs" -Wl,-rpath,"$builddir/runtime/.libs" -ldvmdbg || skip_all "$cc does not compile"
done
line() { grep -n "$1" "${2:-edges.c}" | head -n 1 | cut -d : -f 1; }
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
# right REFERENCES RANKS PROGRAM…: no finding, whatever the ranks
right()
{
	local m n refs=$1 ranks=$2
	shift 2
	in_set long || { refs=${refs/ 2/} ranks=${ranks/1 2 3 4/2 4}; }
	for m in $refs; do
		rm -rf "ref.$m"
		shell record --level FULL -o "ref.$m" -n "$m" "$@"
		is "$* recorded on $m" "$status" 0
		for n in $ranks; do
			shell compare -r "ref.$m" -n "$n" "$@"
			like "$* in another order on $n of $m is right" "status $status
$out" '^status 0$' '^compared traces at level FULL: .*: equal'
		done
	done
}
# wrong NAME REFERENCE RANKS LIKE PROGRAM…: what traces find first is that
wrong()
{
	local name=$1 m=$2 n=$3 what=$4
	shift 4
	shell compare -r "ref.$m" -n "$n" "$@"
	is "status: $name" "$status" 1
	like "$name" "$(grep -v '^Finding checksum' <<<"$out" | grep -m 1 '^Finding ')" "$what"
}

right "1 2 3" "1 2 3 4" ./edges both
wrong "a wrong contribution to a maximum" 3 2 \
	"value  \[0\] .*: m\[1\]: 11 here, 10 in the reference.* at 4\.B  edges\.c:$(line '/\* most')" ./edges both 5
right "1 2 3" "1 2 3 4" ./edges edges
rest_in all
for m in 1 3; do
	wrong "a wrong contribution ($m)" $m 2 "value  \[0\] .*: f\[[78]\]: [-0-9.]+ here, [-0-9.]+ in the reference .* at 4\.B  edges\.c:($(line '/\* edge')|$(line '/\* border'))  rank" ./edges edges 1
	wrong "an element that is overwritten ($m)" $m 2 "(use|value)  \[0\] .*: f\[9\]: 7 here, .* at 4\.B  edges\.c:$(line 'too much')" ./edges edges 2
	wrong "a wrong beginning ($m)" $m 2 "value  \[0\] .*: f\[9\]: 5 here, 1 in the reference .* at 3\.B  edges\.c:$(line '/\* begin')" ./edges edges 3
done
right "1" "1 3" ./edges sweeps
wrong "the same order: the first that is wrong" 1 2 \
	"value  \[1\] .*: f\[15\]: [0-9]+ here, [0-9]+ in the reference .* at 4\.B  edges\.c:$(line '/\* sweep')" ./edges sweeps 4

for marks in 0 1; do
	right "1 2 3" "1 2 3 4" ./adds $marks
	wrong "marks $marks: what has come from a neighbour is left out" 1 2 \
		"value  \[1\] .*: g\[12\]: [-0-9.]+ here, [-0-9.]+ in the reference .* at [56]\.B .* adds\.c:($(line '/\* come' adds.c)|$(line '/\* both' adds.c))  rank" ./adds $marks 2
	wrong "marks $marks: something else to add to, and nothing has added there" 1 2 \
		"value  \[0\] .*: h\[9\]: [-0-9.]+ here, [-0-9.]+ in the reference .* at 6\.B .* adds\.c:$(line '/\* both' adds.c)  rank" ./adds $marks 3
done
wrong "an iteration adds something else" 1 2 \
	"value  \[0\] .*: g\[6\]: [-0-9.]+ here, [-0-9.]+ in the reference .* at 5\.B in iteration 33  adds\.c:$(line '/\* near' adds.c)  rank" ./adds 1 1
rm -rf ref.1
shell record --level MODIFY -o ref.1 -n 1 ./adds 1
shell compare -r ref.1 -n 3 ./adds 1
is "without reads" "$status" 0

right "1 2 3" "1 2 3 4" ./zero
wrong "a missing iteration in task 0" 3 2 "missing  \[1\] .*: iteration 11, at 9\.0\.2\.B in iteration 11  zero\.c:$(line '/\* loop' zero.c)  rank" ./zero 1

right "1 2 3" "1 2 3 4" ./sums
for m in 1 3; do
	wrong "what is added to a sum of this rank ($m)" $m 2 \
		"value  \[1\] .*: e\[15\]: 47 here, 46 in the reference.* at 2\.B  sums\.c:$(line '/\* before' sums.c)  rank" ./sums 1
done

if command -v "$fc" >/dev/null && $fc -c "$srcdir/runtime/dvmdbg.f90" 2>log &&
	DVMDBG_FC=$fc "$builddir/runtime/dvmdbg-fc" -g -O1 -I. edges.f90 -o fedges -L"$builddir/runtime/.libs" \
		-Wl,-rpath,"$builddir/runtime/.libs" -ldvmdbg 2>>log; then
	right "1 2 3" "1 2 3 4" ./fedges
	wrong "Fortran: a wrong contribution" 3 2 "value  \[0\] .*: f\([0-9]+\): [-0-9.]+ here, [-0-9.]+ in the reference .* at 2\.B  edges\.f90:($(line '! first' edges.f90)|$(line '! second' edges.f90)|$(line '! border' edges.f90))  rank" ./fedges 1
else
	skip "Fortran" "$(tail -n 1 log 2>/dev/null)"
fi
no_leak "order"
done_testing
