# SPDX-License-Identifier: GPL-3.0-or-later
# Marks of iterations test a gate in the program: what opens it, in the middle of a loop too, and that nothing
# old is shown when it is shut again. Hooks do the same where they are called.
. "${0%/*}/lib.sh"
all_in compiler

heat=$builddir/doc/examples/heat-hooked
[ -x "$heat" ] || skip_all "no program with access hooks"
cd "$tmp" || exit 1
unset DVMDBG_CC DVMDBG_FC
libs="-L$builddir/runtime/.libs -Wl,-rpath,$builddir/runtime/.libs -ldvmdbg"
cc() { "$builddir/runtime/dvmdbg-cc" -g -O1 -I"$srcdir/runtime" "$@"; }
# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}

# Two parallel loops; functions are called in the first one.
cat >row.c <<'EOT'
#include "dvmdbg.h"
extern double u[6][4];
void row(int i, int bad);
void row(int i, int bad)
{
	DVMDBG_FUNCTION();
	for (int j = 0; j < 4; j++) {
		DVMDBG_PL_ITERATION(i, j);
		u[i][j] = 10 * i + j + (bad && i == 4 && j == 2 ? *(volatile int *)(long)j : 0);
	}
}
EOT
cat >gated.c <<'EOT'
#include <stdio.h>
#include "dvmdbg.h"
double u[6][4], v[6][4];
void row(int i, int bad);
int main(int argc, char **argv)
{
	(void)argv;
	DVMDBG_ARRAY(u, .shape = { 6, 4 });
	DVMDBG_ARRAY(v, .shape = { 6, 4 });
	DVMDBG_PL(.range = { { 0, 5 }, { 0, 3 } }, .writes = { u })
	for (int i = 0; i < 6; i++) {
		DVMDBG_PL_ITERATION_END();
		row(i, argc > 1);
	}
	DVMDBG_PL(.range = { { 0, 5 }, { 0, 3 } }, .writes = { v })
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 4; j++) {
			DVMDBG_PL_ITERATION(i, j);
			v[i][j] = u[i][j] + 1;
		}
	printf("%g\n", v[5][3]);
	return 0;
}
EOT
# what dvmdbg.h of before the gate made of a mark
sed -E 's/DVMDBG_PL_ITERATION\(i, j\);/if (dvmdbg_active) dvmdbg_pl_iteration_at(2, i, j, 0, 0, 0, 0, 0, 0);/
	s/DVMDBG_PL_ITERATION_END\(\);/if (dvmdbg_active) dvmdbg_pl_iteration_at(0, 0, 0, 0, 0, 0, 0, 0, 0);/' gated.c >old.c
sed -E 's/DVMDBG_PL_ITERATION\(i, j\);/if (dvmdbg_active) dvmdbg_pl_iteration_at(2, i, j, 0, 0, 0, 0, 0, 0);/' row.c >old-row.c
# shellcheck disable=SC2086
check "a hooked program" cc gated.c row.c -o gated $libs
# shellcheck disable=SC2086
check "one with marks that do not test the gate" cc old.c old-row.c -o old $libs
# shellcheck disable=SC2086
{
	gcc -g -O1 -I"$srcdir/runtime" -c row.c -o plain-row.o
	check "one that is hooked in part" cc gated.c plain-row.o -o part $libs
}
is "alone it runs as it is written" "$(./gated)" 54

line=$(grep -n 'writes = { u }' gated.c | cut -d : -f 1)
second=$(grep -n 'writes = { v }' gated.c | cut -d : -f 1)
# frames: of each `where` the lines of parallel loops
frames() { printf '%s\n' "$out" | sed -nE 's/^ +[0-9]+ .*  PL  .*   (1|2)\.B */\1 /p'; }
for name in gated old; do
	loop=$line file=$name.c
	dvm 60 "break row -count 3
cont
where
break $file:$loop -iter (2,1)
cont
where
step -iter
where
delete -all
break row
cont
where
step -iter
where
delete -all
cont" -n 1 ./$name
	is "$name: no iteration is known, then one that is stopped at, none again, the next one" "$(frames)" "1 
1 iteration (2,1)
1 iteration (2,2)
1 
1 iteration (3,0)"
	like "$name: at the right ones" "$out" '^Function row  \[0\] .* actionpoint 0$' \
		"^actionpoint 1: $file:$loop, iteration \\(2,1\\), hit 1 time \\(deleted\\)\$" '^54$'
	dvm 60 "cont
where" -n 1 ./$name x
	is "$name: a crash with the gate shut" "$(frames)" "1 "
	dvm 60 "level MINIMAL
record crash
run
where" -n 1 ./$name x
	like "$name: a crash with traces" "$out" '^Signal SIGSEGV '
	is "$name: in which iteration" "$(frames)" "1 iteration (4,2)"
	dvm 60 "level FULL
start 2.B
record late
run" -n 1 ./$name
	shell trace print late -n 0
	is "$name: each access after a later start is in its iteration" "$(printf '%s\n' "$out" | awk '
		$3 == "iteration" { at = substr($4, 2, length($4) - 2); n++; next }
		$3 == "end" { at = "" }
		$3 == "read" || $3 == "write" {
			split(at, i, ",")
			if (at == "") next
			if (index($4, "[" i[1] "][" i[2] "]")) right[$3]++
			else wrong++
		}
		END { print n, right["read"], right["write"], wrong + 0 }')" "24 24 24 0"
	like "$name: of what was before only how much it was" "$out" ' 1\.E +end PL  24 iterations '
done
dvm 60 "break gated.c:$line -iter (2,1)
break gated.c:$second -iter (2,1)
cont
where
delete -all
cont" -n 1 ./part
is "hooked in part: the marks of that part" "$(frames)" "2 iteration (2,1)"
like "and no others" "$out" '^actionpoint 0: gated\.c:[0-9]+, iteration \(2,1\) \(deleted\)$' '^54$'
no_leak "C"

# Threads.
# shellcheck disable=SC2086
if cc -fopenmp "$srcdir/tests/prog/traces/traced_omp.c" -o omp $libs 2>/dev/null; then
	loop=$(grep -n 'writes = { v }' "$srcdir/tests/prog/traces/traced_omp.c" | cut -d : -f 1)
	export OMP_NUM_THREADS=3
	dvm 60 "break traced_omp.c:$loop -iter 5
cont
where
step -iter
where
delete -all
break traced_omp.c:$loop
cont
where
delete -all
cont" -n 1 ./omp 100 3
	like "threads: the one that runs main stops at its iterations" "$out" '^Iteration 5  \[0\]  parallel loop  traced_omp' \
		'^Iteration 6  \[0\] ' '^Point 3\.B  \[0\] ' "^$(./omp 100 3)\$"
	unset OMP_NUM_THREADS
	no_leak "threads"
else
	skip "threads" "no OpenMP"
fi

# Fortran.
jacobi=$builddir/doc/examples/jacobi-hooked
if [ -x "$jacobi" ]; then
	# the loop's announcement is the mark's pl_begin before it
	loop=$(grep -n 'call dvmdbg_pl_begin' "$srcdir/doc/examples/jacobi.f90" | sed -n 2p | cut -d : -f 1)
	dvm 60 "break jacobi.f90:$loop -iter (3,2)
run
where
step -iter
delete -all
cont" -n 1 "$jacobi"
	like "Fortran: an iteration, and the next" "$out" '^Iteration \(3,2\)  \[0\]  parallel loop  jacobi\.f90' \
		"PL  jacobi\\.f90:$loop +[0-9]+\\.B +iteration \\(3,2\\)\$" '^Iteration \([0-9]+,[0-9]+\)  \[0\] '
	no_leak "Fortran"
else
	skip "Fortran" "no Fortran program with access hooks"
fi

# What compilers make of marks and hooks.
cat >mark.c <<'EOT'
#include "dvmdbg.h"
double f(double *p, int i);
double f(double *p, int i)
{
	(void)i;
#ifndef WITHOUT
	DVMDBG_PL_ITERATION(i);
	DVMDBG_PL_ITERATION_END();
#endif
	return *p;
}
EOT
cp mark.c mark.cc
# reads COMPILER FLAGS…: how many of them are told in what it makes of the function, and what it says
reads()
{
	DVMDBG_CC=$1 "$builddir/runtime/dvmdbg-cc" -Wall -Wextra -Werror -I"$srcdir/runtime" "${@:2}" -S -o mark.s 2>&1
	grep -v addrsig mark.s | grep -cE '__tsan_(volatile_)?read'
}
for words in "gcc mark.c" "g++ mark.cc" "clang mark.c" "clang++ mark.cc"; do
	compiler=${words% *} source=${words#* }
	command -v "$compiler" >/dev/null || continue
	for level in -O0 -O2 "-O2 -fPIC"; do
		# shellcheck disable=SC2086
		{
			without=$(reads "$compiler" $level -DWITHOUT "$source")
			# there a parameter is a variable in memory, and is read where the gate is open
			case "$compiler $level" in clang*' -O0') without=$((without + 1)) ;; esac
			is "$compiler $level: marks are no accesses" "$(reads "$compiler" $level "$source")" "$without"
		}
		check "$compiler $level: they look at their gate" grep -q dvmdbg_iterations mark.s
	done
done
if command -v gcc >/dev/null && case $(gcc -dumpmachine) in x86_64-*) ;; *) false ;; esac; then
	# in_place FLAGS…: how often the gate is tested in what the compiler makes of the function
	in_place()
	{
		DVMDBG_CC=$compiler "$builddir/runtime/dvmdbg-cc" -O2 -Werror -I"$srcdir/runtime" "$@" -c mark.c -o mark.o 2>&1 &&
			objdump -dr mark.o | grep -c 'R_X86_64_PC32.*dvmdbg_gate_'
	}
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		is "$compiler: hooks are behind a test of the gate" "$(in_place) $(in_place -fPIC) $(in_place -pipe) $(in_place -g)" \
			"3 3 3 3"
		is "$compiler: but in syntax of another kind" "$(in_place -masm=intel)" 0
		is "$compiler: what the assembler is told leaves no symbols" "$(in_place >/dev/null; nm mark.o | grep -c 'hook ')" 0
		is "$compiler: nothing is said where nothing is assembled" "$(for mode in -E -S -fsyntax-only; do
			DVMDBG_CC=$compiler "$builddir/runtime/dvmdbg-cc" -Werror -I"$srcdir/runtime" $mode mark.c -o mode.out 2>&1; done)" ""
	done
	if command -v clang >/dev/null; then
		compiler=clang
		is "clang: but where its own assembler is wished for" "$(in_place -fintegrated-as)" 0
		is "clang: nor in what is no machine's code" "$(in_place -emit-llvm 2>/dev/null; head -c 2 mark.o)" $'0\nBC'
	fi
	cat >calls.c <<'EOT'
int one(void), (*two)(void) = one, three[1];
int one(void) { return 1; }
int main(void)
{
	int r;
	__asm__(".intel_syntax noprefix\n\tcall one\n\t.att_syntax" : "=a"(r) : : "rcx", "rdx", "rdi", "rsi", "r8", "r9", "r10", "r11", "memory");
	return r + two() + one() - 3 + three[0];
}
EOT
	if command -v gfortran >/dev/null; then
		cat >mark.f90 <<'EOT'
subroutine f(i)
  use dvmdbg
  integer :: i
  if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, i)
  if (dvmdbg_hooked) call dvmdbg_pl_iteration_end()
end subroutine
EOT
		DVMDBG_FC=gfortran "$builddir/runtime/dvmdbg-fc" -O2 -c "$srcdir/runtime/dvmdbg.f90" -o module.o &&
			DVMDBG_FC=gfortran "$builddir/runtime/dvmdbg-fc" -O2 -c mark.f90
		is "and so are marks in Fortran" "$(objdump -dr mark.o | grep -c 'GOTPCREL.*dvmdbg_iterations')" 2
	fi
	check "other calls stay what they are" sh -c "DVMDBG_CC=gcc '$builddir/runtime/dvmdbg-cc' -O1 -mno-red-zone -fno-pie -no-pie calls.c -o calls && ./calls"
else
	skip "gcc: hooks are behind a test of the gate" "no gcc for x86-64"
fi
done_testing
