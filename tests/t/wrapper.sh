# SPDX-License-Identifier: GPL-3.0-or-later
# dvmdbg-cc and dvmdbg-fc as compilers: all forms of command line, what they refuse, and what other tools make
# of them. What the hooks see is in hooks.sh.
. "${0%/*}/lib.sh"

wrapper=$builddir/runtime/dvmdbg-cc
fortran=$builddir/runtime/dvmdbg-fc
archive=$builddir/runtime/hooks/libdvmdbg-hooks.a
unset DVMDBG_CC DVMDBG_FC DVMDBG_CC_RUNS OMPI_CC MPICH_CC OMPI_FC MPICH_FC
cd "$tmp" || exit 1
export TMPDIR=$tmp/temp
mkdir temp

# The compiler of the build; with make check-long each.
case $CC in *clang*) compilers=clang ;; *) compilers=gcc ;; esac
! in_set long || compilers="gcc clang"

# --show says what would be run
said=$("$wrapper" --show -O2 -c a.c)
like "--show: compiling" "$said" '^cc -O2 -c a\.c -fsanitize=thread .*-DDVMDBG_HOOKED=1'
is "--show runs nothing" "$(ls)" temp
said=$("$wrapper" --show -g a.o -L. -lb "it's.o" -o 'the program' -lm)
like "--show: linking; words with blanks and quotes" "$said" \
	"^cc -o 'the program' -g a\.o -L\. -lb 'it'\\\\''s\.o' -lm -Wl,--wrap=memcpy,.* [^ ]*libdvmdbg-hooks\.a "
unlike "--show: the sanitizer is not linked" "$said" 'fsanitize'
said=$("$wrapper" --show -O2 -Wall -DX=1 -Iinc a.c lib.a b.c -o prog -L. -lm -Wl,-z,now -pthread)
is "--show: compiling and linking are three commands" "$(printf '%s\n' "$said" | grep -c '^cc ')" 3
like "--show: each source is compiled with what compiling needs" "$said" \
	'^cc -O2 -Wall -DX=1 -Iinc -pthread .* -c a\.c -o TMPDIR/1/a\.o$' '^cc -O2 .* -c b\.c -o TMPDIR/2/b\.o$'
like "--show: linking keeps the order" "$said" \
	'^cc -o prog -O2 TMPDIR/1/a\.o lib\.a TMPDIR/2/b\.o -L\. -lm -Wl,-z,now -pthread -Wl,--wrap='
like "gcc: an access per element" "$("$wrapper" --show -O3 -c a.c)" \
	'-O3 -c a\.c .*-fno-tree-vectorize .*-fno-tree-slp-vectorize'
if command -v clang >/dev/null; then
	like "clang: the same" "$(DVMDBG_CC=clang "$wrapper" --show -O3 -c a.c)" \
		'-fno-vectorize -fno-slp-vectorize .*-mllvm -tsan-instrument-read-before-write=1'
fi
unlike "LTO is left out" "$("$wrapper" --show -flto -O2 -flto=auto -ffat-lto-objects a.c -o a; "$wrapper" --show -flto -c a.c)" \
	'(-flto|fat-lto)'
is "Fortran by the name" "$("$fortran" --show -c a.f90 | cut -d ' ' -f 1-3)" "gfortran -c a.f90"
is "a compiler with arguments" "$(DVMDBG_CC='gcc -std=c99 -m64' "$wrapper" --show -c a.c | cut -d ' ' -f 1-5)" \
	"gcc -std=c99 -m64 -c a.c"
is "DVMDBG_FC" "$(DVMDBG_CC=clang DVMDBG_FC='gfortran -m64' "$fortran" --show -c a.f90 | cut -d ' ' -f 1,2)" "gfortran -m64"
is "DVMDBG_CC that is a compiler of Fortran" "$(DVMDBG_CC='gfortran -m64' "$fortran" --show -c a.f90 | cut -d ' ' -f 1,2)" "gfortran -m64"
is "DVMDBG_CC that is not" "$(DVMDBG_CC=clang "$fortran" --show -c a.f90 | cut -d ' ' -f 1)" gfortran

rest_in compiler
# Hooks in parts of a source: by comments, and by a list of files and functions.
mkdir parts && cd parts || exit 1
cat >a.c <<'EOT'
double u[10], v[10];
extern double w[10];
static __attribute__((noinline)) double helper(const double *p) { return p[3]; }
int main(void)
{
	u[0] = 1;
	/* dvmdbg hooks off */
	u[1] = w[0];
	v[2] = w[1];
	/* dvmdbg hooks on */
	v[1] = helper(u);
	return 0;
}
EOT
sed 's/.*dvmdbg hooks.*//' a.c >b.c
cat >c.c <<'EOT'
#include "c.h"
int f(int *p) { return *p + g(p); }
EOT
printf '#pragma dvmdbg hooks off\nstatic inline int g(int *p) { return p[1]; }\n#pragma dvmdbg hooks on\n' >c.h
# The calls of hooks in each function of an object: reads and writes.
hooks_in()
{
	objdump -dr "$1" | awk '/^[0-9a-f]+ <.*>:/ { f = $2; gsub(/[<>:]|\..*/, "", f) } /R_.*__tsan_[a-z_]*(read|write)/ { n[f]++ }
		END { for (f in n) print f, n[f] }' | sort | tr '\n' ' '
}
# parts NAME EXPECTED FILE WORDS…: what is in FILE.o
parts()
{
	local name=$1 expected=$2 file=$3
	shift 3
	DVMDBG_CC=$one "$wrapper" -g -O2 "$@" -c "$file" -o "${file%.*}.o" >said 2>&1
	is "parts: $name" "$(<said)$(hooks_in "${file%.*}.o")" "$expected"
}
one=${compilers%% *}
parts "all" "helper 1 main 6 " b.c
parts "comments" "helper 1 main 2 " a.c
printf '# all but one\noff function *\non function mai?\n' >list
parts "functions of a list" "main 6 " b.c --hooks=list
printf 'off file *.c\non file b.c\n' >list
parts "a file that a list leaves on" "helper 1 main 6 " b.c --hooks=list
parts "a file without hooks" "" a.c --hooks=list
: >list
parts "marks in an included file, with a list" "f 1 " c.c --hooks=list -Wno-unknown-pragmas
for text in 'off' 'of file x' 'off files x' 'off file' 'off file a b'; do
	echo "$text" >list
	said=$("$wrapper" --hooks=list -c a.c 2>&1)
	is "parts: a list with '$text' is refused" "$? $said" \
		"1 dvmdbg-cc: list:1: a line is 'on' or 'off', 'file' or 'function', and a pattern, as in: off function helper_*"
done
like "parts: no list" "$("$wrapper" --hooks=nix -c a.c 2>&1)" "^dvmdbg-cc: --hooks: there is no file 'nix' that can be read"
like "parts: no lines" "$("$wrapper" -g0 -c a.c 2>&1)" '^dvmdbg-cc: "dvmdbg hooks off" in the source needs -g$'
cat >t.f90 <<'EOT'
module m
contains
	subroutine work(a)
		real(8) :: a(10)
		a(1) = a(2)
	end subroutine
	subroutine part(a, b)
		real(8) :: a(10), b(10)
		!$dvmdbg hooks off
		b(3) = a(4)
		! dvmdbg hooks on
		b(5) = 1
	end subroutine
end module
EOT
"$fortran" -g -O1 -c t.f90 >said 2>&1
is "parts: Fortran: comments" "$(<said)$(hooks_in t.o)" "__m_MOD_part 1 __m_MOD_work 2 "
printf 'off function m::wor*\n' >list
"$fortran" --hooks=list -g -O1 -c t.f90 >said 2>&1
is "parts: Fortran: a list" "$(<said)$(hooks_in t.o)" "__m_MOD_part 1 "
is "parts: nothing is left behind" "$(ls "$TMPDIR")" ""
cd ..
# Each command leaves the same files as the compiler alone, and says and returns the same.
cat >a.c <<'EOT'
#include <stdio.h>
#include "h.h"
int b(void);
int main(void)
{
	printf("%d %d\n", b(), VALUE);
	return VALUE;
}
EOT
echo '#define VALUE 3' >h.h
echo 'int b(void) { return 4; }' >b.c
echo 'int broken(void) { return missing; }' >broken.c
printf '.text\n.globl c\nc:\n.section .note.GNU-stack,"",@progbits\n' >c.S
cp b.c text
printf '%s\n' '-O1 "b.c" -DTHE\ NUMBER' "'-DQUOTED=\"x y\"'" '@inner' >outer
echo '-c' >inner
cc -S b.c -o made.s
cc -E b.c -o done.i
cat >needs.c <<'EOT'
#include <stdlib.h>
#include <string.h>
#ifdef PROGRAM
char *needs(const void *from, size_t n);
int main(int argc, char **argv) { (void)argv; char *p = needs("\7", argc); int is = *p; free(p); return is; }
#else
char *needs(const void *from, size_t n) { return memcpy(malloc(n), from, n); }
#endif
EOT
cat >names.c <<'EOT'
int größe(int *);
__attribute__((noinline)) int größe(int *p) { return *p + 1; }
int (*größer)(int *) = größe;
#ifdef __x86_64__
int calls(void);
__asm__(".text\ncalls:\tsub $8, %rsp\n\tcall \"b\"\n\tadd $8, %rsp\n\tret\n");
#else
int calls(void) { return 4; }
#endif
int main(void)
{
	int x = 3;
	return größe(&x) + größer(&x) + calls();
}
EOT
printf 'module m\n  integer :: v = 3\nend module\n' >m.f90
printf 'program p\n  use m\n  print *, v\nend program\n' >p.f90
# same NAME COMPILER ARGS…: in two folders, with the compiler and with us
same()
{
	local name=$1 compiler=$2 with=$wrapper result
	shift 2
	case $compiler in *fort*) with=$fortran ;; esac
	rm -rf plain hooked
	mkdir plain hooked
	cp ./*.* text outer inner plain
	cp ./*.* text outer inner hooked
	mkdir plain/sub hooked/sub
	(cd plain && $compiler "$@" </dev/null >../plain.out 2>../plain.err; echo "status $?" >>../plain.err)
	(cd hooked && DVMDBG_CC=$compiler DVMDBG_FC=$compiler "$with" "$@" </dev/null >../hooked.out 2>../hooked.err
		echo "status $?" >>../hooked.err)
	result=$(cd plain && find . | sort)
	is "$compiler: $name: the same files" "$(cd hooked && find . | sort)" "$result"
	is "$compiler: $name: the same is said" \
		"$(<hooked.err)" "$(<plain.err)"
	for result in plain/*.d plain/sub/*.d; do
		[ ! -e "$result" ] || is "$compiler: $name: the same dependences in ${result#*/}" \
			"$(<"hooked/${result#*/}")" "$(<"$result")"
	done
}
for c in $compilers; do
	same "compile one" $c -c a.c
	same "compile several" $c -O2 -c a.c b.c
	same "compile to a name" $c -c a.c -o sub/x.o
	same "compile and link" $c a.c b.c -o prog
	is "$c: the program runs" "$(hooked/prog; echo $?)" "$(plain/prog; echo $?)"
	same "compile and link to a.out" $c a.c b.c
	same "a name with a blank" $c a.c b.c -o "the program"
	same "an object and a source" $c -x c text -x none a.c -o prog
	same "assembler" $c a.c b.c c.S -o prog
	same "assembler only, of which nothing is hooked" $c -Werror -c c.S made.s
	same "assembler by its language" $c -Werror -x assembler -c made.s
	same "what is preprocessed already" $c -Werror -c done.i
	same "to assembler" $c -S a.c
	same "to assembler, several" $c -S -O2 a.c b.c
	same "dependences" $c -MD -c a.c
	same "dependences of a program" $c -MD a.c b.c -o sub/prog
	same "dependences of a.out" $c -MMD a.c b.c
	same "dependences of one that is a.out" $c -MD b.c -shared -fPIC
	same "dependences of one of the same name" $c -MD b.c -shared -fPIC -o sub/b
	same "dependences of one with a dot" $c -MD b.c -shared -fPIC -o libb.so
	same "dependences by name" $c -MD -MF sub/x.d -MT target a.c b.c -o prog
	same "only dependences" $c -MM a.c -MF sub/x.d
	same "a shared library" $c -shared -fPIC b.c -o libb.so
	same "a position-independent program" $c -fPIE -pie a.c b.c -o prog
	same "only syntax" $c -fsyntax-only a.c
	same "objects joined" $c -r -nostdlib b.c -o joined.o
	same "arguments in a file" $c @outer
	same "a header" $c h.h
	same "no file" $c missing.c
	same "an error" $c -c broken.c
	same "an error on the way" $c a.c broken.c b.c -o prog
	same "nothing" $c
	same "a name that is missing" $c b.c -o
	for flags in -O0 "-O2 -fno-plt -g"; do
		is "$c $flags: names that the assembler has in quotation marks" \
			"$(DVMDBG_CC=$c "$wrapper" $flags names.c b.c -o names 2>&1; ./names; echo $?)" 12
	done
	# Needs of a library that say no version, as libtool makes them in C++, are no needs of what stands for these.
	for how in "$c" "env DVMDBG_CC=$c $wrapper"; do
		$how -shared -fPIC -nostdlib needs.c -o libneeds.so
		is "$c: a library made with ${how##*/} that leaves needs to the program" \
			"$(DVMDBG_CC=$c "$wrapper" -DPROGRAM needs.c ./libneeds.so -o needs 2>&1; ./needs; echo $?)" 7
	done
	like "$c: what is not defined is said" "$(DVMDBG_CC=$c "$wrapper" a.c -o prog 2>&1; echo $?)" "undefined reference to .b'" '^1$'
	is "$c: stdin" "$(echo 'int main(void) { return 7; }' | DVMDBG_CC=$c "$wrapper" -x c - -o prog && ./prog; echo $?)" 7
	is "$c: stdin, compiled" "$(echo 'int main(void) { return 7; }' | DVMDBG_CC=$c "$wrapper" -x c -c - -o p.o &&
		DVMDBG_CC=$c "$wrapper" p.o -o prog && ./prog; echo $?)" 7
	is "$c: the preprocessor knows" "$(echo DVMDBG_HOOKED | DVMDBG_CC=$c "$wrapper" -E -P -x c -)" 1
	for question in --version -dumpmachine -print-search-dirs -v; do
		is "$c $question is its own" "$(DVMDBG_CC=$c "$wrapper" $question 2>&1)" "$($c $question 2>&1)"
	done
	said=$(cd hooked && cp ../a.c ../b.c ../h.h . && DVMDBG_CC=$c "$wrapper" -g -gsplit-dwarf a.c b.c -o prog && ./prog)
	is "$c: debugging information apart" "$said" "4 3"
done
if command -v clang >/dev/null; then
	same "a base of commands" clang -MJ commands.json a.c b.c -o prog
	same "C++20, which has a section for the linker" clang -x c++ -std=c++20 -c b.c
	same "a trace of its time" clang -ftime-trace -c a.c
	same "symbols whose addresses matter" clang -faddrsig -c a.c
fi
if command -v gcc >/dev/null; then
	same "counts of coverage" gcc --coverage a.c b.c -o prog
	same "counts of coverage of a.out" gcc --coverage a.c b.c
	same "counts of coverage, the same name" gcc --coverage b.c -shared -fPIC -o sub/b
	same "counts of coverage of one" gcc --coverage b.c -shared -fPIC
	same "use of the stack" gcc -fstack-usage a.c b.c -o sub/prog
fi
like "a symbol from a file of arguments" "$("$wrapper" --show @outer)" "'-DQUOTED=\"x y\"' -c|-c .*-DQUOTED" \
	"'-DTHE NUMBER'"
echo @loop >loop
like "a file that names itself" "$("$wrapper" @loop 2>&1; echo $?)" 'a file of arguments \(@FILE\) names itself' '^1$'
is "@ that is no file" "$("$wrapper" -c b.c @none 2>&1 | head -n 1)" "$(cc -c b.c @none 2>&1 | head -n 1)"
if [ -n "$FC" ]; then
	same "modules, in their order" gfortran m.f90 p.f90 -o prog
	is "Fortran: the program runs" "$(hooked/prog)" "$(plain/prog)"
	same "modules in a folder" gfortran -J sub -c m.f90
	same "a wrong order" gfortran p.f90 m.f90 -o prog
	is "Fortran: it knows that it has hooks" "$(
		printf '#ifdef DVMDBG_HOOKED\nprint *, "hooks"\n#endif\nend\n' >k.F90 && "$fortran" k.F90 -o k && ./k)" " hooks"
	cat >hooked.f90 <<'EOT'
use dvmdbg
print *, dvmdbg_hooked
end
EOT
	"$fortran" -c "$srcdir/runtime/dvmdbg.f90" hooked.f90
	is "Fortran: so does the module" "$("$fortran" dvmdbg.o hooked.o -o k && ./k)" " T"
	$FC "$srcdir/runtime/dvmdbg.f90" hooked.f90 -o k
	is "Fortran: and that it has none" "$(./k)" " F"
fi

# What cannot be
# refused NAME REGEX ARGS…
refused()
{
	local name=$1 re=$2
	shift 2
	like "refused: $name" "$("$wrapper" "$@" 2>&1; echo $?)" "^dvmdbg-cc: $re" '^1$'
}
refused "another sanitizer" '-fsanitize=address does not go together' -fsanitize=address -c a.c
refused "of several" '-fsanitize=undefined does not go together' -fsanitize=undefined,leak -c a.c
refused "linking with it" '-fsanitize=address ' a.o -fsanitize=address
check "taken back" "$wrapper" -fsanitize=address,undefined -fno-sanitize=all -c a.c
check "taken back one by one" "$wrapper" -fsanitize=address,undefined -fno-sanitize=undefined -fno-sanitize=address -c a.c
refused "a static program" '-static: the debugger cannot enter a static program' -static a.c b.c -o prog
refused "a static program, from objects" '-static-pie: ' -static-pie a.o
refused "32 bits" '-m32: dvmdbg is for 64-bit' -m32 -c a.c
check "only compiling for a static library" "$wrapper" -static -c a.c
printf '#! /bin/sh\necho "other compiler 1.0"\n' >other
chmod +x other
like "refused: another compiler" "$(DVMDBG_CC=./other "$wrapper" -c a.c 2>&1; echo $?)" \
	"^dvmdbg-cc: './other' is not gcc, clang or gfortran, nor runs one of them: other compiler 1\.0$" '^1$'
like "refused: no compiler" "$(DVMDBG_CC=./none "$wrapper" -c a.c 2>&1; echo $?)" "'./none' is not" '^1$'
said=$("$wrapper" -fsanitize=thread a.c b.c -o prog 2>&1)
like "the user's own thread sanitizer: a note" "$said" 'note: -fsanitize=thread selects the thread sanitizer'
like "and that is what is linked" "$(readelf -d prog)" 'NEEDED.*libtsan'
unlike "without hooks" "$(readelf -n prog)" dvmdbg

# Compilers that run compilers
for mpi in $(mpis); do
	mpi_compilers "$mpi"
	printf '#include <mpi.h>\nint main(int n, char **v) { MPI_Init(&n, &v); return MPI_Finalize(); }\n' >mpi.c
	for way in "DVMDBG_CC=$cc $wrapper" "OMPI_CC=$wrapper MPICH_CC=$wrapper $cc" \
		"DVMDBG_CC=$cc OMPI_CC=$wrapper MPICH_CC=$wrapper $wrapper"; do
		is "$mpi: ${way//$builddir\/runtime\//}" "$(env $way -g -O2 mpi.c -o prog 2>&1; echo $?)" 0
		like "$mpi: it has hooks" "$(readelf -n prog)" 'dvmdbg +0x00000004'
		is "$mpi: and runs" "$(mpirun $mpi 2 ./prog 2>&1)" ""
		is "$mpi: compiled and linked in two" "$(env $way -c mpi.c -o mpi.o 2>&1 && env $way mpi.o -o prog 2>&1 &&
			mpirun $mpi 2 ./prog 2>&1; echo $?)" 0
	done
	is "$mpi: questions to the wrapper" "$(DVMDBG_CC=$cc "$wrapper" -show)" "$($cc -show)"
done

# What builds with CC=dvmdbg-cc finds the same as with the compiler.
mkdir au
cp "$srcdir"/build-aux/config.guess "$srcdir"/build-aux/config.sub au/
cat >au/configure.ac <<'EOT'
AC_INIT([t], [1])
AC_CONFIG_SRCDIR([t.c])
AC_CONFIG_HEADERS([config.h])
AC_PROG_CC
AC_PROG_CPP
AC_PROG_CC_C_O
AC_USE_SYSTEM_EXTENSIONS
AC_C_BIGENDIAN
AC_C_INLINE
AC_C_RESTRICT
AC_CHECK_HEADERS([stdatomic.h sanitizer/tsan_interface.h nothing.h])
AC_CHECK_FUNCS([memcpy memmove malloc mremap nothing])
AC_FUNC_MALLOC
AC_FUNC_REALLOC
AC_FUNC_MMAP
AC_CHECK_SIZEOF([long])
AC_CHECK_DECLS([printf, nothing], [], [], [[#include <stdio.h>]])
AC_SEARCH_LIBS([cos], [m])
AC_OPENMP
HAVE_FC
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
EOT
if [ -n "$FC" ]; then
	sed -i 's/^HAVE_FC/AC_PROG_FC\nAC_FC_FREEFORM\nAC_FC_LIBRARY_LDFLAGS\nAC_FC_WRAPPERS/' au/configure.ac
	printf 'subroutine f(x)\n  real(8) :: x\n  x = x + 1\nend subroutine\n' >au/f.f90
	more=f.o
else
	sed -i '/^HAVE_FC/d' au/configure.ac
	more=
fi
cat >au/t.c <<'EOT'
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	double x = 1, *a = malloc(10 * sizeof(*a));
#ifdef FC_FUNC
	void FC_FUNC(f, F)(double *);
	FC_FUNC(f, F)(&x);
#else
	x++;
#endif
	for (int i = 0; i < 10; i++)
		a[i] = x * i;
	printf("%g\n", a[9]);
	return 0;
}
EOT
printf 't: t.o %s\n\t@CC@ t.o %s -o t @FCLIBS@ @LIBS@\nt.o: t.c\n\t@CC@ @CFLAGS@ -c t.c\nf.o: f.f90\n\t@FC@ @FCFLAGS@ -c f.f90\n' \
	"$more" "$more" >au/Makefile.in
if ! in_set long; then
	: # CMake asks enough
elif command -v autoconf >/dev/null; then
	(cd au && autoheader && autoconf) >au/log 2>&1
	for c in $compilers; do
		for with in plain hooked; do
			rm -rf au/$with
			mkdir au/$with
			cc=$c fc=gfortran
			[ $with = plain ] || cc=$wrapper fc=$fortran
			cp au/t.c au/f.f90 au/$with/
			(cd au/$with && DVMDBG_CC=$c timeout -k 5 300 ../configure CC="$cc" FC="$fc" >log 2>&1
				echo "status $?" | cat config.h - >found
				DVMDBG_CC=$c make -s >>log 2>&1
				./t) >au/$with.out 2>&1
		done
		like "autoconf, $c: it succeeds" "$(<au/hooked/found)" '^status 0$' '^#define SIZEOF_LONG 8$'
		is "autoconf, $c: the same is found" "$(<au/hooked/found)" "$(<au/plain/found)"
		is "autoconf, $c: what it builds" "$(<au/hooked.out)" 18
		like "autoconf, $c: with hooks" "$(readelf -n au/hooked/t 2>&1)" 'dvmdbg +0x00000004'
	done
else
	skip "autoconf" "it is not here"
fi
mkdir cm
cat >cm/CMakeLists.txt <<'EOT'
cmake_minimum_required(VERSION 3.13)
project(t C LANGUAGE_F)
include(CheckFunctionExists)
include(CheckIPOSupported)
include(CheckCSourceRuns)
check_function_exists(memmove HAVE_MEMMOVE)
check_function_exists(nothing HAVE_NOTHING)
check_c_source_runs("int main(void) { return 0; }" RUNS)
check_ipo_supported(RESULT ipo OUTPUT why LANGUAGES C)
find_package(Threads REQUIRED)
file(WRITE ${CMAKE_BINARY_DIR}/found "memmove ${HAVE_MEMMOVE} nothing ${HAVE_NOTHING} runs ${RUNS} id ${CMAKE_C_COMPILER_ID}
version ${CMAKE_C_COMPILER_VERSION} threads ${CMAKE_THREAD_LIBS_INIT} pic ${CMAKE_C_COMPILE_OPTIONS_PIC}\n")
file(WRITE ${CMAKE_BINARY_DIR}/config.h "")
add_library(s SHARED s.c)
add_executable(t t.c)
set_property(TARGET s PROPERTY INTERPROCEDURAL_OPTIMIZATION ${ipo})
target_include_directories(t PRIVATE ${CMAKE_BINARY_DIR})
target_link_libraries(t s Threads::Threads m)
EOT
echo 'double s(double x) { return x + 1; }' >cm/s.c
cp au/t.c cm/
if [ -n "$FC" ]; then
	sed -i 's/LANGUAGE_F/Fortran/' cm/CMakeLists.txt
	printf 'target_sources(t PRIVATE f.f90)\n' >>cm/CMakeLists.txt
	sed -i 's/config.h ""/config.h "#define FC_FUNC(a, b) a##_\\n"/' cm/CMakeLists.txt
	cp au/f.f90 cm/
else
	sed -i 's/LANGUAGE_F//' cm/CMakeLists.txt
fi
if command -v cmake >/dev/null; then
	for c in $compilers; do
		for with in plain hooked; do
			cc=$c fc=gfortran
			[ $with = plain ] || cc=$wrapper fc=$fortran
			DVMDBG_CC=$c timeout -k 5 300 cmake -S cm -B cm/$c-$with -DCMAKE_C_COMPILER="$cc" \
				-DCMAKE_Fortran_COMPILER="$fc" >cm/log 2>&1 &&
				DVMDBG_CC=$c timeout -k 5 300 cmake --build cm/$c-$with >>cm/log 2>&1
			is "CMake, $c, $with: it builds" "$?" 0 || tail -n 20 cm/log | sed 's/^/# /'
		done
		is "CMake, $c: the same is found" "$(<cm/$c-hooked/found)" "$(<cm/$c-plain/found)"
		is "CMake, $c: what it builds" "$(cm/$c-hooked/t)" 18
		like "CMake, $c: with hooks" "$(readelf -n cm/$c-hooked/t)" 'dvmdbg +0x00000004'
	done
else
	skip "CMake" "it is not here"
fi

# The examples compute the same, whatever is hooked.
for example in "heat 60 20" "cg 60 20" "multiblock 60 20" "ring 24 2" "jacobi 60 20" "lu 16 4"; do
	read -r name size steps <<<"$example"
	for mpi in $(mpis); do
		plain=$(prog doc/examples/$name $mpi)
		hooked=$(prog doc/examples/$name-hooked $mpi)
		if [ ! -x "$hooked" ]; then
			skip "$mpi: $name with hooks" "it was not built"
			continue
		fi
		for n in 1 3; do
			is "$mpi: $name with hooks, $n ranks" "$(mpirun $mpi $n "$hooked" $size $steps 2>&1 | sed 's/ [0-9.]* s / /')" \
				"$(mpirun $mpi $n "$plain" $size $steps 2>&1 | sed 's/ [0-9.]* s / /')"
		done
	done
done
is "nothing is left in the folder for temporary files" "$(ls temp)" ""
done_testing
