# SPDX-License-Identifier: GPL-3.0-or-later
# What traces call memory that nobody registered: variables by the debug information, with elements and fields,
# of the program and of its libraries, in C and Fortran; what the last write of them was; addresses in modules
# when there is no debug information; heap memory by where it was allocated.
. "${0%/*}/lib.sh"

[ -x "$builddir/doc/examples/heat-hooked" ] || skip_all "no program with access hooks"
cd "$tmp" || exit 1

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
# line FILE TEXT: FILE:LINE of the first line with it
line() { echo "$1:$(line_with "$2" "$1")"; }
# last ELEMENT DIR: what last-write says
last() { shell --batch -e "last-write $1 -in $2"; }
libs="-L$builddir/runtime/.libs -Wl,-rpath,$builddir/runtime/.libs -ldvmdbg"
cc() { "$builddir/runtime/dvmdbg-cc" -g -O1 -I"$srcdir/runtime" "$@"; }

cat >lib.c <<'EOT'
double libtotal[3];
int libset(int v)
{
	libtotal[2] = v + 0.25;
	return v;
}
EOT
cat >names.c <<'EOT'
#include <stdio.h>
#include <stdlib.h>
#include "dvmdbg.h"
struct cell { int n; double t; };
struct { struct cell cell[4]; float f[2][3]; } grid;
static double total;
int libset(int v);
extern double libtotal[3];
static void step(long i)
{
	static int calls;

	calls++;
	grid.cell[i % 4].t = 0.5 * i;
	total += grid.cell[i % 4].t;
}
static void other(void)
{
	static int calls;

	calls += 2;
}
int main(void)
{
	static double memory[12];
	double *u = memory + 1;
	double *h = malloc(100 * sizeof(*h));

	DVMDBG_ARRAY(u, .shape = { 10 });
	DVMDBG_PL(.range = { { 0, 9 } }, .writes = { u })
	for (long i = 0; i < 10; i++) {
		DVMDBG_PL_ITERATION(i);
		step(i);
		h[i] = i;
		u[i] = total + h[i];
		grid.f[i % 2][i % 3] = i;
	}
	memory[0] = 7;
	other();
	libset(3);
	printf("%g\n", total + libtotal[2]);
	free(h);
	return 0;
}
EOT
cc -shared -fPIC lib.c -o libnames.so && cc names.c -o names -L. -Wl,-rpath,"$tmp" -lnames $libs
shell record --level FULL -o ref -n 1 ./names
like "recorded" "status $status
$out" '^status 0$' '^recorded traces at level FULL'
shell trace print ref -n 0
all=$out
like "print: fields, elements, statics, with their types and places" "$all" \
	"write grid\\.cell\\[3\\]\\.t = 3\\.5  $(line names.c '0.5 * i')\$" "read total = 18  $(line names.c 'total +=')\$" \
	"write grid\\.f\\[1\\]\\[2\\] = 5  $(line names.c 'grid.f[i')\$" "write step::calls = 10 " \
	"write other::calls = 2 " "write memory\\[0\\] = 7 "
like "print: a variable of a library, in the library and in the program" "$all" \
	"write libtotal\\[2\\] = 3\\.25  lib\\.c:4\$" "read libtotal\\[2\\] = 3\\.25  names\\.c:"
like "print: heap memory by where it was allocated" "$all" \
	"write malloc#[0-9]+\\+72 \\(allocated at $(line names.c 'malloc(100')\\) = 0x4022000000000000 "
shell trace print ref -element 'grid.cell[1].t'
is "print -element: of a variable" "$(printf '%s\n' "$out" | sed 's/^.*write //; s/  .*//')" "grid.cell[1].t = 0.5
grid.cell[1].t = 2.5
grid.cell[1].t = 4.5"
shell trace print ref -array grid
is "print -array: of a variable, all of it" "$(printf '%s\n' "$out" | grep -c ' write grid\.')" 20
shell trace print ref -array grid -n 1 --json
like "print as JSON: where it is declared" "$out" "\"element\":\"grid\\.cell\\[0\\]\\.t\",\"declared\":\"$(line names.c '} grid;')\""
shell trace export ref text
like "export: the same names" "$(<text)" '^  AW: \[4\] "grid\.cell\[3\]\.t" = 3\.5; \{".*names\.c", [0-9]+\}$' \
	'^RD: \[4\] "libtotal\[2\]" = 3\.25; '

last 'grid.cell[3].t' ref
like "last-write: a field of an element" "$out" \
	"^grid\\.cell\\[3\\]\\.t = 3\\.5  written by \\[0\\] at 1\\.B in iteration 7  $(line names.c '0.5 * i')\$"
last total ref
like "last-write: a static variable" "$out" '^total = 22\.5  written by \[0\] at 1\.B in iteration 9 '
last 'libtotal[2]' ref
like "last-write: of a library" "$out" '^libtotal\[2\] = 3\.25  written by \[0\] at 1\.E  lib\.c:4$'
last 'memory[0]' ref
like "last-write: beside what is registered" "$out" '^memory\[0\] = 7  written by \[0\] at 1\.E '
last 'memory[1]' ref
like "last-write: what is registered has the array's name" "$out" '^there is no write of memory\[1\] in ref$'
last 'u[9]' ref
like "last-write: that name" "$out" '^u\[9\] = 31\.5  written by \[0\] at 1\.B in iteration 9 '
last 'other::calls' ref
like "last-write: of a function" "$out" '^other::calls = 2  written by \[0\] at 1\.E '
last 'names.c::total' ref
like "last-write: of a file" "$out" '^names\.c::total = 22\.5  written by'
while read -r name words; do
	last "$name" ref
	like "last-write $name is refused, or not there" "$out" "$words"
done <<'EOT'
calls several variables are called calls: (step|other)::calls and (step|other)::calls$
nix there is no object with the name and dimensions of nix in ref$
grid.nix grid\.nix: there is no field nix$
grid.f[2][0] grid\.f\[2\]\[0\]: index 2 is outside of 0:1$
grid.f[1] grid\.f\[1\]: 2 indices are needed$
grid.cell[0].t[1] '\[1\]' is not an element or field of it$
[1] last-write \[1\]: give an element in global indices
EOT
no_leak "C"

# What was built anew since has other addresses; without debug information the symbols are left, or nothing.
cp names names.keep
sed 's/static double total;/static double before[100], total;/' names.c >changed.c
cc changed.c -o names -L. -Wl,-rpath,"$tmp" -lnames $libs
shell trace print ref -n 0
unlike "built anew: no name is made up" "$out" 'grid\.cell|total ='
like "built anew: module and address" "$out" 'write names\+0x[0-9a-f]+ = 0x400c000000000000  names\+0x[0-9a-f]+$'
last total ref
like "built anew: nor found by a name" "$out" 'there is no object with the name'
strip --strip-debug -o names names.keep
shell trace print ref -n 0
like "without debug information: symbols and bytes" "$out" 'write grid\+56 = 0x400c000000000000  names\+0x' \
	'write total = 0x4036800000000000 '
last total ref
like "last-write by a symbol" "$out" '^total = 0x4036800000000000  written by \[0\] at 1\.B in iteration 9 '
last 'grid.cell[3].t' ref
like "no part of it" "$out" 'there is no debug information of grid, so no \.cell\[3\]\.t of it'
strip -o names names.keep
shell trace print ref -n 0
like "stripped: module and address" "$out" 'write names\+0x[0-9a-f]+ = 0x400c000000000000  names\+0x'
rm names
shell trace print ref -n 0
like "gone: the same" "$out" 'write names\+0x[0-9a-f]+ = 0x400c000000000000  names\+0x'

cat >names.f90 <<'EOT'
module core
  implicit none
  type spot
    real(8) :: x, y
  end type
  type(spot) :: corner(2, 3)
  real(8), allocatable :: field(:)
  integer :: counts(-1:1)
end module
subroutine fill(i)
  integer :: i
  real(4) :: a, b(4)
  common /blk/ a, b
  b(2) = real(i)
  a = a + b(2)
end subroutine
subroutine other(i)
  integer :: i
  real(4) :: c(5)
  common /blk/ c
  c(5) = real(i)
end subroutine
program p
  use core
  use dvmdbg
  implicit none
  real(8), target :: u(10)
  integer :: i
  allocate(field(50))
  call dvmdbg_array(u, 'u', shape=[10])
  call dvmdbg_pl_begin(first=[1], last=[10], on=u)
  do i = 1, 10
    if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
    counts(mod(i, 3) - 1) = i
    corner(1, 2)%y = 0.5d0 * i
    call fill(i)
    call other(i)
    field(i) = i
    u(i) = field(i) + corner(1, 2)%y
  end do
  call dvmdbg_pl_end()
  print *, sum(u)
end program
EOT
fc() { "$builddir/runtime/dvmdbg-fc" -g -O1 "$@"; }
if fc -c "$srcdir/runtime/dvmdbg.f90" -o mod.o 2>/dev/null && fc names.f90 mod.o -o names-f $libs 2>/dev/null; then
	shell record --level FULL -o ref-f -n 1 ./names-f
	shell trace print ref-f -n 0
	like "Fortran: variables of modules, fields, lower bounds" "$out" \
		"write counts\\(0\\) = 1  $(line names.f90 'counts(mod')\$" 'write counts\(-1\) = 9 ' \
		"write corner\\(1,2\\)%y = 5  $(line names.f90 'corner(1, 2)%y = ')\$"
	like "Fortran: a common block has the names of each procedure" "$out" 'write b\(2\) = 10 ' 'write a = 55 ' 'write c\(5\) = 10 '
	like "Fortran: what is allocated is heap memory" "$out" \
		"write malloc#[0-9]+\\+72 \\(allocated at $(line names.f90 'allocate(field')\\) = " "field's descriptor"
	last 'corner(1,2)%Y' ref-f
	like "Fortran: last-write, in any letters" "$out" '^corner\(1,2\)%Y = 5  written by \[0\] at 1\.B in iteration 10 '
	last 'core::counts(-1)' ref-f
	like "Fortran: last-write of a module's variable" "$out" '^core::counts\(-1\) = 9  written by \[0\] at 1\.B in iteration 9 '
	last 'blk::b(2)' ref-f
	like "Fortran: last-write in a common block" "$out" '^blk::b\(2\) = 10  written by'
	last 'c(1)' ref-f
	like "Fortran: by another name of it" "$out" '^c\(1\) = 55  written by .* names\.f90:15$'
	last 'corner(3,1)' ref-f
	like "Fortran: beyond the end" "$out" 'index 3 is outside of 1:2'
	last 'field(3)' ref-f
	like "Fortran: what is allocated has no element by name" "$out" 'it is allocated at run time'
	no_leak "Fortran"
	cat >complex.f90 <<'EOT'
program waves
  use dvmdbg
  implicit none
  complex(8) :: z(4, 2)
  complex(4) :: w(2)
  integer :: i, j
  character(len=8) :: how = ''
  call get_command_argument(1, how)
  call dvmdbg_array(z, 'z', shape=[4, 2])
  call dvmdbg_array(w, 'w', shape=2)
  call dvmdbg_pl_begin(first=[1, 1], last=[4, 2], writes='z,w')
  do j = 1, 2
    do i = 1, 4
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
      z(i, j) = cmplx(i, merge(9, j, how == 'wrong' .and. i == 3), 8)
    end do
    w(j) = cmplx(j, -j)
  end do
  call dvmdbg_pl_end()
end program
EOT
	fc complex.f90 mod.o -o waves $libs
	shell record --level FULL -o ref-z -n 1 ./waves
	shell compare -r ref-z -n 1 ./waves wrong
	like "complex: which part differs" "$out" '^Finding value .*: z\(3,1\)%im: 9 here, 1 in the reference' \
		'^Finding checksum .* array \("z", '
	shell trace print ref-z -element 'z(3,2)'
	like "complex: both parts are the element's" "$out" 'write z\(3,2\)%re = 3 ' 'write z\(3,2\)%im = 2 '
	last 'Z(3,2)' ref-z
	like "a registered array, in any letters" "$out" '^z\(3,2\)%im = 2  written by \[0\] at 1\.B in iteration \(3,2\) '
	shell trace print ref-z -element 'Z(3,2)%RE'
	like "trace print, too" "$out" 'write z\(3,2\)%re = 3 '
	shell trace print ref-z -element 'w(2)%im'
	is "complex: or one" "$(printf '%s\n' "$out" | grep -o 'write w.* = [-0-9]*')" 'write w(2)%im = -2'
	last 'z(3,2)' ref-z
	like "complex: last-write says which part" "$out" '^z\(3,2\)%im = 2  written by \[0\] at 1\.B in iteration \(3,2\) '
	no_leak "complex"
else
	skip "Fortran" "no Fortran compiler"
fi

# Pointers are swapped: the last write of what is called u was one of v.
cc "$srcdir/tests/prog/traces/swapped.c" -o swapped $libs 2>err || diag "$(<err)"
shell record --level FULL -o ref-swapped ./swapped
step=$(line_with @step "$srcdir/tests/prog/traces/swapped.c") first=$(line_with @first "$srcdir/tests/prog/traces/swapped.c")
shell --batch -e 'last-write u[3] -in ref-swapped -before 3.B' -e 'last-write v[3] -in ref-swapped -before 3.B' \
	-e 'last-write u[3] -in ref-swapped -before 2.B' -e 'last-write u[3] -in ref-swapped -before 1.B' -e 'last-write u[3] -in ref-swapped -chain'
like "swapped: the last write, under another name" "$out" "^u\\[3\\] = 23  written by \\[0\\] at 2\\.B in iteration 3  swapped\\.c:$step$"
like "swapped: of the other one" "$out" "^v\\[3\\] = 13  written by \\[0\\] at 1\\.B in iteration 3  swapped\\.c:$step$"
like "swapped: before" "$out" "^u\\[3\\] = 13  written by \\[0\\] at 1\\.B in iteration 3  swapped\\.c:$step$"
like "swapped: before they were" "$out" "^u\\[3\\] = 3  written by \\[0\\] at start  swapped\\.c:$first$"
like "swapped: what was read for it" "$out" "^  v\\[3\\] = 13  written by \\[0\\] at 1\\.B in iteration 3  swapped\\.c:$step$" "^    malloc#1\\+24 = 3  written by \\[0\\] at start  swapped\\.c:$first$"
done_testing
