# SPDX-License-Identifier: GPL-3.0-or-later
# Arrays that are registered with what calls of MPI already say of them: each element is where it is to be.
. "${0%/*}/lib.sh"
export HOME=$tmp TMPDIR=$tmp
src=$srcdir/tests/prog/arrays
libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs -lm"

# arrays PROGRAM RANKS NAMES…: sums, an element, halos
arrays()
{
	local exe=$1 n=$2 a script=
	shift 2
	for a; do
		script="${script}print sum($a)
what $a
halo $a
"
	done
	talk "break 1.B
cont
${script}delete -all
cont" -n "$n" "$exe"
}
# 7 x 10 elements: 100 times the sum of the row numbers times 10, and 7 times the sum of the column numbers.
check_arrays() # KIND RANKS SUM SHAPE NAMES…
{
	local kind=$1 n=$2 sum=$3 shape=$4 a
	shift 4
	for a; do
		is "$kind, $n: $a: every element once" "$(answer "print sum($a)" | grep -v "^| ")" "sum($a) = $sum"
		like "$kind, $n: $a: its shape" "$(answer "what $a")" "$shape"
		like "$kind, $n: $a: halos are equal to their owners" "$(answer "halo $a")" 'no halo element differs|no rank of the set has a halo'
	done
	is "$kind, $n: the program ends well" "$status" 0
	no_leak "$kind, $n"
}
for mpi in $(mpis_in all); do
	mpi_compilers "$mpi"
	"$cc" -g -I"$srcdir/runtime" "$src/described.c" -o "$tmp/c" $libs 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
	for n in 1 4 6; do
		arrays "$tmp/c" $n plain typed seen placed boxed grid dealt pairs
		check_arrays "C, $mpi" $n 21315 '\[7\]\[10\]' plain typed seen placed boxed grid dealt
		check_arrays "C, $mpi, vectors" $n 42630 '\[7\]\[10\]\[2\]' pairs
	done
	"$cc" -g -Wall -Werror -DDVMDBG_OFF -I"$srcdir/runtime" -c "$src/described.c" -o "$tmp/off.o" 2>"$tmp/cc.err"
	is "C, $mpi: switched off, what is named counts as used" "$(<"$tmp/cc.err")" ""
	like "C, $mpi: what cannot be read is said, with the line" "$out" 'described.c:[0-9]*: dvmdbg cannot read how dealt is distributed'
	if command -v "$fc" >/dev/null; then
		mkdir -p "$tmp/mod.$mpi"
		"$fc" -g -J "$tmp/mod.$mpi" "$srcdir/runtime/dvmdbg.f90" "$srcdir/runtime/dvmdbg_mpi.f90" "$src/described.f90" -o "$tmp/f" \
			$libs 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
		for n in 1 4; do
			arrays "$tmp/f" $n plain typed seen placed boxed pairs
			check_arrays "Fortran, $mpi" $n 28385 '\(7,10\)' plain typed seen placed boxed
			check_arrays "Fortran, $mpi, vectors" $n 56770 '\(2,7,10\)' pairs
		done
	fi
done
done_testing
