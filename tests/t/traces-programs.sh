# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of programs that are not built for it, or in part: without hooks, stripped, hooks in a library only, the
# compiler's own sanitizer.
. "${0%/*}/lib.sh"

heat=$builddir/doc/examples/heat-hooked
[ -x "$heat" ] || skip_all "no program with access hooks"
cd "$tmp" || exit 1

# at FILE REGEX: FILE:LINE of the first such line of an example
at() { echo "$1:$(line_like "$2" "$srcdir/doc/examples/$1")"; }
# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}

plain=$builddir/doc/examples/heat
shell record --level FULL -o ref-heat -n 1 "$heat" 40 3

shell record --level FULL -o no -n 1 "$plain" 40 3
like "without hooks FULL is refused, with what to do" "status $status
$out" '^status 2$' 'level FULL: .*heat has no access hooks.*dvmdbg-cc'
shell record --level MINIMAL -o minimal -n 1 "$plain" 40 3
like "MINIMAL works" "status $status
$out" '^status 0$' '^recorded traces at level MINIMAL'
shell compare -r ref-heat -n 2 "$plain" 40 3
like "compared with a reference of a program that has them: what can be" "status $status
$out" '^status 0$' 'has no access hooks: traces of level FULL are compared as at MINIMAL' '^compared traces at level MINIMAL: .*: equal$'
shell compare -r minimal -n 2 "$heat" 40 3
like "the other way round: iterations that were not marked are no finding" "status $status
$out" '^status 0$' '^compared traces at level MINIMAL: .*: equal$'
cp "$heat" bare && strip bare
shell compare -r ref-heat -n 2 ./bare 40 3 --fault swapped-index
like "stripped: elements and iterations, places as addresses" "status $status
$out" '^status 1$' '^Finding value  \[1\] .*: v\[20\]\[1\]: .* at 3\.B in iteration \(20,1\)  bare\+0x[0-9a-f]+ '
# A part with hooks, and a part without; hooks in a library only; the compiler's own sanitizer.
cat >two.c <<'EOT'
#include <stdio.h>
#include "dvmdbg.h"
void other(double *u, int n);
#ifdef OTHER
void other(double *u, int n)
{
	for (int i = 0; i < n; i++)
		u[i] += 1;
}
#else
static double memory[100], *u = memory;
int main(void)
{
	DVMDBG_ARRAY(u, .shape = { 100 });
	DVMDBG_PL(.range = { { 0, 99 } }, .writes = { u })
	for (long i = 0; i < 100; i++) {
		DVMDBG_PL_ITERATION(i);
		u[i] = i;
	}
	DVMDBG_PL(.range = { { 0, 99 } }, .writes = { u })
	other(u, 100);
	printf("%g\n", u[5]);
	return 0;
}
#endif
EOT
cp two.c other.c
cc() { "$builddir/runtime/dvmdbg-cc" "$@"; }
flags="-g -O1 -I$srcdir/runtime"
libs="-L$builddir/runtime/.libs -Wl,-rpath,$builddir/runtime/.libs -ldvmdbg"
gcc $flags -DOTHER -c other.c && cc $flags -c two.c && cc two.o other.o -o half $libs
shell record --level FULL -o half.ref -n 1 ./half
like "hooked in part: which sources are not seen" "status $status
$out" '^status 0$' 'other\.c of \./half is compiled without access hooks' '^6$'
unlike "hooked in part: the others are not told" "$out" 'two\.c.* compiled without'
cc $flags -shared -fPIC -DOTHER other.c -o libother.so &&
	gcc $flags two.c -L. -Wl,-rpath,"$tmp" -lother -o bylib $libs
shell record --level FULL -o lib.ref -n 1 ./bylib
like "hooks in a library only" "status $status
$out" '^status 0$' 'only libraries of \./bylib have access hooks'
shell trace stat lib.ref
like "its accesses are there" "$out" 'read 100, write 100(, note [0-9]+)?$'
if gcc $flags -fsanitize=thread -DOTHER -c other.c 2>/dev/null &&
	gcc $flags -fsanitize=thread two.c other.o -o tsan $libs 2>/dev/null; then
	shell record --level FULL -o tsan.ref -n 1 ./tsan
	like "a program with the thread sanitizer is left alone" "status $status
$out" '^status 2$' 'level FULL: \./tsan uses the compiler.s thread sanitizer, so reads and writes are not traced'
	shell record --level MINIMAL -o tsan.ref -n 1 ./tsan
	like "MINIMAL works there, too" "status $status
$out" '^status 0$' '^6$' '^recorded traces at level MINIMAL: 4 records'
fi
no_leak "programs"

done_testing
