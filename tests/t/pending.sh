# SPDX-License-Identifier: GPL-3.0-or-later
# A hook comes before its write, so that the value is looked at later: which one is in the trace, whatever
# comes in between.
. "${0%/*}/lib.sh"
wrapper=$builddir/runtime/dvmdbg-cc
cat=$builddir/tests/prog/traces/tracecat
unset DVMDBG_CC
cd "$tmp" || exit 1
[ -x "$cat" ] || skip_all "tracecat was not built"

# What is written, in order: array + offset (b has integers, 11 and 12, which are shown as doubles).
wanted="a+8 = 1
a+8 = 2
a+16 = 3
a+24 = 3
a+32 = 4
a+32 = 5
a+40 = 7
a+48 = 8
a+48 = 0
a+56 = 9
a+64 = 9
a+72 = 10
a+72 = 0
a+128 = 17
a+136 = 18
a+144 = 19
x+8 = 25
y+8 = 26
b+0 = 5.43472e-323
b+8 = 5.92879e-323
a+88 = 13
a+96 = 14
heap+24 = 20
heap+32 = 21
heap+32 = 22
at+40 = 23
a+0 = 24
a+104 = 15
a+112 = 16"
for c in gcc clang; do
	command -v $c >/dev/null || continue
	for level in -O0 -O2; do
		is "$c $level: it compiles" "$(DVMDBG_CC=$c "$wrapper" -std=gnu11 -g -w $level -D_GNU_SOURCE -I"$srcdir" \
			"$srcdir/tests/prog/hooks/pending.c" -o pending -L"$builddir/runtime/.libs" -ldvmdbg \
			-Wl,-rpath,"$builddir/runtime/.libs" 2>&1)" ""
		rm -rf ref
		dvm 60 "level FULL
record $tmp/ref
run" ./pending
		is "$c $level: it is recorded" "$status" 0
		is "$c $level: each write has its value" "$("$cat" ref/trace.0.bin | sed -n 's/^WRITE [0-9.BE]* //p' |
			sed -E 's/ \[.*//; s/^@10000000028 /at+40 /' | grep -E '^(a|b|x|y|heap|at)\+')" "$wanted"
		no_leak "$c $level"
	done
done

# What MPI puts in the place of what was written: the value that was written is recorded.
# mpi NAME WANTED PROGRAM
mpi()
{
	rm -rf ref
	dvm 60 "level FULL
record $tmp/ref
run" -n 1 "$3"
	is "$1: it is recorded" "$status" 0
	is "$1: each write has its value" "$("$cat" ref/trace.0.bin | sed -n 's/^WRITE 1.B //p' |
		grep -E '^(a|of)\+' | sed -E 's/ \[.*//' | tr '\n' ';')" "$2"
	no_leak "$1"
}
for m in $(mpis); do
	libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs"
	is "$m: C compiles" "$(DVMDBG_CC=mpicc.$m "$wrapper" -std=gnu11 -g -w -O2 -I"$srcdir" \
		"$srcdir/tests/prog/hooks/pending_mpi.c" -o pending_mpi $libs 2>&1)" ""
	mpi "$m, C" "a+8 = 1;a+16 = 2;a+24 = 3;a+32 = 4;a+40 = 5;a+48 = 6;of+4 = 7;a+64 = 8;a+120 = 146;" ./pending_mpi
	command -v "mpifort.$m" >/dev/null || continue
	for module in mpi mpi_f08; do
		[ "$module" = mpi ] && f08= || f08=-DF08
		mkdir -p mod
		said=$(DVMDBG_FC=mpifort.$m "$builddir/runtime/dvmdbg-fc" -cpp $f08 -g -O2 -J mod "$srcdir/runtime/dvmdbg.f90" \
			"$srcdir/tests/prog/hooks/pending_mpi.f90" -o pending_f $libs 2>&1)
		if printf '%s\n' "$said" | grep -q "Cannot open module file.*$module"; then
			skip "$m, Fortran, $module" "there is no such module"
			continue
		fi
		is "$m, Fortran, $module: it compiles" "$said" ""
		mpi "$m, Fortran, $module" "a+8 = 1;a+16 = 2;a+32 = 4;a+48 = 6;of+4 = 7;a+120 = 81;" ./pending_f
	done
done
done_testing
