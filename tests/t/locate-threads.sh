# SPDX-License-Identifier: GPL-3.0-or-later
# locate between one thread of OpenMP and several: what differs, and where threads race, also where nothing differs;
# and control of loops with marks whose iterations threads share.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
own_program openmp/plate.c
cd "$tmp" || exit 1
prog=$srcdir/tests/prog/openmp
libs="-I$srcdir/runtime -L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs -lm"
unset DVMDBG_CC DVMDBG_FC OMP_NUM_THREADS
# shellcheck disable=SC2086
DVMDBG_CC=gcc "$builddir/runtime/dvmdbg-cc" -fopenmp -g -O0 "$prog/plate.c" $libs -o plate >said 2>&1
! grep -q 'install the package libomp-dev' said || skip_all "no LLVM OpenMP runtime"
check "it is compiled" test -x plate
at() { line_marked "$1" "$prog/plate.c"; }
# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}

# --- control of marked loops
for case in none critical atomic scratch; do
	OMP_NUM_THREADS=3 shell check ./plate 20 2 $case
	is "control: $case is right" "$(printf '%s\n' "$out" | grep -c '^Finding') $status" "0 0"
done
OMP_NUM_THREADS=3 shell check ./plate 20 2 temp
like "control: one temporary of all threads, by its name, and since which point" "$out" \
	"^Finding race .* t: written here, and written at plate\.c:$(at temp.write); parallel region at plate\.c:$(at temp.region), .* at 2\.B"
is "nothing else is found there" "$(printf '%s\n' "$out" | grep '^Finding' | grep -vc 'Finding race .* t: ')" 0

# --- locate
shell locate --threads 1:3 ./plate 20 2 none
like "a right program" "status $status
$out" '^status 0$' '^run 1: the reference, 1 rank, 1 thread$' '^run 2: the comparison, 1 rank, 3 threads$' \
	'^run 3: the program, its threads controlled, 1 rank, 3 threads$' '^No race of its threads was found there\.$'
shell locate --threads 1:3 ./plate 20 2 temp
like "a race, whether it shows in this run or not" "status $status
$out" '^status 1$' \
	"threads access t at the same time: it is written at plate\.c:$(at temp.write) and read at plate\.c:$(at temp.read), in the parallel region at plate\.c:$(at temp.region)" \
	"threads write t at the same time, at plate\.c:$(at temp.write)" \
	'give each thread its own copy of t \(private, reduction\)'
shell locate --threads 3 ./plate 40 2 inplace
race="threads access v at the same time: it is written at plate\.c:$(at inplace.both) and read at plate\.c:$(at inplace.both)"
like "one number is that of the run; it is the race on what is wrong" "status $status
$out" '^status 1$' '^run 1: the reference, 1 rank, 1 thread$' "  - $race, in the parallel region at plate\.c:$(at inplace.region)" \
	"^array v, element v\[.*, first wrong at [0-9]+\.E .* because $race\.$|^But threads race"
shell locate --threads 1:3 ./plate 20 2 sum
like "a sum without a reduction" "status $status
$out" '^status 1$' "threads write change at the same time, at plate\.c:$(at sum.both)"
shell locate --threads 1:2 ./plate 20 2 number
like "no race, but another value: the statement" "status $status
$out" '^status 1$' '^array v, element v\[1\]\[1\], first wrong at 2\.E' '^  reference  .*\(1 rank, 1 thread\)$' \
	'^  this run   .*\(1 rank, 2 threads\)$' "at plate\.c:$(at number.write) in iteration \(1,1\)" '^No race of its threads'
shell --batch -e 'locate -threads 1:2' ./plate 20 2 number
like "the verb does the same" "$out" '^run 2: the comparison, 1 rank, 2 threads$' '^array v, element v\[1\]\[1\], first wrong'
shell locate --json --threads 1:2 ./plate 20 2 number
like "as JSON" "$out" '"reference_threads":1' '"program_threads":2' '"races":\[\]'

# --- without marks, and without hooks
cat >bare.c <<'END'
#include <stdio.h>
#include <omp.h>
static double a[1000];
int main(void)
{
	double s = 0, x = 0;
	#pragma omp parallel for
	for (int i = 1; i < 999; i++) {
		x = a[i - 1] + i;
		a[i] = x;
	}
	s = omp_get_max_threads();
	printf("sum %g\n", s);
	return 0;
}
END
DVMDBG_CC=gcc "$builddir/runtime/dvmdbg-cc" -fopenmp -g bare.c -o bare >said 2>&1
shell locate --threads 1:2 ./bare
like "a program without marks: what it prints, and races" "status $status
$out" '^status 1$' '^printed results differ:$' '^  number     2 here, 1 in the reference$' \
	'threads write x at the same time, at bare\.c:9' 'threads access a(\[[0-9]+\])? at the same time: it is written at bare\.c:10 and read at bare\.c:9'
gcc -fopenmp -g bare.c -o plain >said 2>&1
shell locate --threads 1:2 ./plain
like "without hooks races are not seen, which is said" "$out" '^printed results differ:$' 'compiled with dvmdbg-cc or dvmdbg-fc, with -fopenmp'

# --- wrong use
for text in 0:2 two 1: 1:2000; do
	shell locate --threads $text ./plate
	like "--threads $text" "status $status
$out" '^status 2$' "--threads '$text': the threads of the reference and of the run are two numbers, as 1:4, of 1 to 1024 each"
done
shell locate -r none --threads 1:2 ./plate
like "a reference that exists has its threads" "$out" '-r DIR is an existing reference, which excludes .--threads'
done_testing
