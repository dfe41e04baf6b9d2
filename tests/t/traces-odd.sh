# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of what is less plain: members of structures, what lies before all constructs, arrays that a reference
# nowhere touches, threads, other compilers; and references whose traces are damaged or not all there.
. "${0%/*}/lib.sh"
all_in all
[ "$have_openmpi" = yes ] || [ "$have_mpich" = yes ] || skip_all "no MPI"
mpi=$(first_mpi)
mpi_compilers "$mpi"
source=$srcdir/tests/prog/traces/trace_odd.c
cd "$tmp" || exit 1

# hooked COMPILER ARGS…: compiled with hooks
hooked()
{
	local compiler=$1
	shift
	DVMDBG_CC=$compiler "$builddir/runtime/dvmdbg-cc" -g -w -I"$srcdir/runtime" "$@" \
		-L"$builddir/runtime/.libs" -Wl,-rpath,"$builddir/runtime/.libs" -ldvmdbg
}
# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
line() { line_with "$1" "$source"; }

hooked "$cc" -O2 "$source" -o odd || skip_all "$cc does not compile"
for n in 1 2; do
	shell record --level FULL -o "ref-$n" -n "$n" ./odd
	is "recorded on $n" "$status" 0
	for m in 1 3 4; do
		shell compare -r "ref-$n" -n "$m" ./odd
		# ghosts are nobody's elements
		like "$m ranks have no finding against $n" "status $status
$out" '^status 0$' 'iterations, .*: equal(; 30 not compared)?$'
		unlike "and nothing is found" "$out" '^Finding'
	done
done
shell compare -r ref-1 -n 2 ./odd wrong
like "an iteration without its writes: which members are not written" "$out" \
	'^Finding unwritten .*: hits\[14\]: not here, 4[0-9] in the reference' \
	'^Finding unwritten .*: x\[14\]: not here, '
dvm 60 'last-write mark[7] -in ref-2
last-write mark[20] -in ref-2
last-write force[20] -in ref-2'
like "what was written before all constructs" "$out" \
	"^mark\[7\] = 107  written by \[0\] .*trace_odd\.c:$(line 'mark[i - first] = 100')$" \
	"^mark\[20\] = 120  written by \[1\]" \
	"^force\[20\] = .*  written by \[1\] at 6\.B in iteration 20  trace_odd\.c:$(line 'b[i].force = b')$"

# An array that is dealt out anew, and a mesh with ghosts: above, in the other rank counts, they have no finding.
dvm 60 'trace print ref-2 -array w -from 8.B -to 8.E'
like "an array that is dealt out anew: who has an element" "$out" '^\[0\] 8\.B +write w\[14\] = ' '^\[1\] 8\.B +write w\[15\] = '

# Only that loop is traced, and in it the reference does not touch mark.
stray=$(line 'mark[i - first] = -1')
shell record --level FULL --start 5.B --finish 5.E -o ref-5 -n 1 ./odd
shell compare -r ref-5 -n 2 ./odd stray
like "an array that the reference nowhere touches is written" "$out" \
	"^Finding use .*: mark\[14\]: -1 here, not in the reference, at 5\.B in iteration 14  trace_odd\.c:$stray "
shell locate -n 2 ./odd stray
like "locate has its line" "$out" '^array mark, element mark\[14\], first wrong at 5\.E' \
	'^  written    mark\[14\]: -1 here, not in the reference' "^ *at trace_odd\.c:$stray in iteration 14"
unlike "what it is computed from has no counterpart, and that is not said of each" "$out" 'not read in the reference'
no_leak "members"

# A reference that is not all there is told, and what is damaged is not compared.
spoil() { rm -rf bad && cp -R ref-2 bad; }
size=$(stat -c %s ref-2/trace.0.bin)
spoil
head -c $((size / 2)) ref-2/trace.0.bin >bad/trace.0.bin
shell compare -r bad -n 2 ./odd
like "cut off: told" "status $status
$out" '^status 2$' '^Not fully compared: bad: bad/trace\.0\.bin is cut off at byte [0-9]+' '^warning: bad: bad/trace\.0\.bin is cut off at byte [0-9]+'
unlike "cut off: nothing is found that is not so" "$out" '^Finding'
shell trace diff ref-1 bad
like "cut off: told by diff, too" "$out" '^warning: bad: bad/trace\.0\.bin is cut off at byte [0-9]+'
for rank in 0 1; do
	spoil
	rm bad/trace.$rank.bin
	shell compare -r bad -n 2 ./odd
	like "no trace of rank $rank: told" "status $status
$out" '^status 2$' '^Not fully compared: bad: the reference has traces of 1 ranks of 2' '^warning: bad: the reference has traces of 1 ranks of 2'
	unlike "no trace of rank $rank: nothing is found that is not so" "$out" '^Finding'
	spoil
	: >bad/trace.$rank.bin
	for verb in "compare -r bad -n 2 ./odd" "compare bad ref-1" "compare ref-1 bad" "trace diff ref-1 bad" "trace print bad" "trace stat bad"; do
		# shellcheck disable=SC2086
		shell $verb
		like "an empty trace of rank $rank: $verb" "status $status
$out" '^status 2$' "^dvmdbg: bad/trace\.$rank\.bin is empty or not a trace$"
		unlike "an empty trace of rank $rank: $verb: nothing is found" "$out" '^Finding'
	done
done
spoil
printf '\125\252\125\252' | dd of=bad/trace.1.bin bs=1 seek=$(($(stat -c %s bad/trace.1.bin) / 2)) conv=notrunc 2>/dev/null
shell compare -r bad -n 1 ./odd
like "damaged: it ends there" "status $status
$out" '^status 2$' "^warning: the trace of \[0\] ends here: blocks of the reference's traces are damaged"
unlike "damaged: nothing is found that is not so" "$out" '^Finding'
shell trace diff ref-1 bad
is "damaged: diff says so" "$status $(printf '%s\n' "$out" | grep -c 'damaged')" "2 1"
no_leak "damage"

# A rank that dies, and one that waits for it in vain: what is counted is what is there.
cat >dies.c <<'EOF'
#include <mpi.h>
#include <signal.h>
#include "dvmdbg.h"
static double a[800];
int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	DVMDBG_ARRAY(a, .shape = { 800 }, .replicated = 1);
	for (int s = 0; s < 3; s++) {
		DVMDBG_PL(.range = { { 0, 799 } }, .writes = { a })
		for (int i = 0; i < 800; i++) {
			DVMDBG_PL_ITERATION(i);
			a[i] = i + s;
			if (rank == 1 && s == 2 && i == 400)
				raise(SIGKILL);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
EOF
hooked "$cc" -O1 dies.c -o dies
shell record --level FULL -o dies.ref -n 2 ./dies
like "a rank dies: its records are told, and whose are not all counted" "status $status
$out" '^status 3$' '^recorded traces at level FULL: [1-9][0-9]+ records in dies\.ref, .*; of \[0\], which did not end, what was written so far; the run had not ended$'
no_leak "a rank dies"

# A write before a loop, by a thread that waits since, is not in it; and no value is read before it is written.
cat >threads.c <<'EOF'
#include "dvmdbg.h"
#define N 64
static double a[N], b[N];
int main(void)
{
	DVMDBG_ARRAY(a, .shape = { N });
	DVMDBG_ARRAY(b, .shape = { N });
	for (int r = 0; r < 300; r++) {
#pragma omp parallel for schedule(static)
		for (int i = 0; i < N; i++)
			b[i] = 1000 + r;
		DVMDBG_PL(.range = { { 0, N - 1 } }, .writes = { a, b })
#pragma omp parallel for schedule(dynamic, 1)
		for (int i = 0; i < N; i++) {
			a[i] = r + 1;
			b[i] = r + 2;
		}
	}
	return a[3] != 300;
}
EOF
if hooked "${CC:-cc}" -O1 -fopenmp threads.c -o threads 2>/dev/null; then
	OMP_NUM_THREADS=1 timeout 60 "$DVMDBG" record --level FULL -o ref-t -n 1 ./threads >/dev/null 2>&1
	for n in 2 4 7; do
		export OMP_NUM_THREADS=$n
		shell compare -r ref-t -n 1 ./threads
		like "$n threads compare with one" "status $status
$out" '^status 0$' '^compared traces at level FULL: 38400 accesses, .*: equal$'
	done
	unset OMP_NUM_THREADS
else
	skip "threads" "no OpenMP"
fi

# Arrays without elements are nothing wrong, in constructs that name them either.
cat >none.c <<'EOF'
#include "dvmdbg.h"
#include <stdlib.h>
int main(int argc, char **argv)
{
	long n = argc - 1;
	double *a = malloc(8), (*b)[3] = malloc(24), c = 0;
	(void)argv;
	DVMDBG_ARRAY(a, .shape = { n });
	DVMDBG_ARRAY(b, .shape = { n, 3 });
	DVMDBG_REPLICATED(c);
	DVMDBG_PL(.ndim = 1, .range = { { 0, n - 1 } }, .writes = { a, b })
	for (long i = 0; i < n; i++)
		a[i] = b[i][0] = b[i][1] = b[i][2] = ++c;
	return 0;
}
EOF
hooked "${CC:-cc}" none.c -o none
shell record --level FULL -o ref-none -n 1 ./none
like "arrays without elements" "status $status
$out" '^status 0$'
unlike "arrays without elements: no finding" "$out" '^Finding'
dvm 60 'break 1.E
run
print b' -n 1 ./none x
like "with elements all dimensions are known" "$out" '^b =$' '^  0  1  1  1$'

# clang makes no table of addresses, and the archive of hooks has one.
if command -v clang >/dev/null && hooked clang -O2 threads.c -o clang.out 2>/dev/null; then
	shell record --level FULL -o ref-c -n 1 ./clang.out
	shell trace print ref-c -from 2.B -to 2.E -element 'a[5]'
	like "clang: lines are known" "$out" '^\[0\] 2\.B +write a\[5\] = 2  threads\.c:15$'
else
	skip "clang" "no clang"
fi

# Arrays of the function itself.
cat >local.c <<'EOF'
#include "dvmdbg.h"
int main(int argc, char **argv)
{
	long n = argc + 9;
	double f[10], v[n];
	DVMDBG_ARRAY(f, .shape = { 10 });
	DVMDBG_ARRAY(v, .shape = { n });
	DVMDBG_PL(.range = { { 0, 9 } }, .writes = { f, v })
	for (long i = 0; i < n; i++) {
		DVMDBG_PL_ITERATION(i);
		f[i] = i;
		v[i] = 2 * f[i];
	}
	return 0;
}
EOF
for words in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2" "clang -O3"; do
	command -v "${words% *}" >/dev/null || continue
	hooked $words local.c -o local
	shell record --level FULL -o ref-local -n 1 ./local
	shell trace print ref-local -from 1.B -to 1.E
	is "$words: all elements of local arrays are seen" \
		"$(printf '%s\n' "$out" | grep -oE 'write [fv]\[[0-9]+\] = [0-9]+' | sort | uniq | wc -l)" 20
done
# A sum that grows in memory: one iteration reads and writes an element, each time with another value, more often than
# is kept of it.
cat >grows.c <<'EOF'
#include <stdlib.h>
#include "dvmdbg.h"
int main(int argc, char **argv)
{
	static double q[2];
	(void)argv;
	DVMDBG_ARRAY(q, .shape = { 2 });
	DVMDBG_PL(.range = { { 0, 1 } }, .writes = { q })
	for (int i = 0; i < 2; i++) {
		DVMDBG_PL_ITERATION(i);
		for (int k = i == 1 && argc > 1 ? 10 : 0; k < 60000; k++)
			((volatile double *)q)[i] += 1; /* grows */
	}
	return 0;
}
EOF
hooked gcc -O1 grows.c -o grows
shell record --level FULL -o ref-grows -n 1 ./grows
shell compare -r ref-grows -n 1 ./grows
like "a sum that grows in memory" "$out" '^compared traces at level FULL: 240000 accesses, .*: equal$'
shell compare -r ref-grows -n 1 ./grows fewer
like "it has grown less often" "$out" \
	'^Finding unwritten  \[0\]  .*: q\[1\]: fewer writes than in the reference, where it is 60000 in the end, at 1\.B in iteration 1 '
no_leak "threads"
done_testing
