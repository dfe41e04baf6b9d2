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
		is "$kind, $n: $a: every element once" "$(answer "print sum($a)" | grep -v "^[^ ]*described\.c:[0-9]*: dvmdbg ")" "sum($a) = $sum"
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
	like "C, $mpi: a DMDA that goes round" "$(answer 'what grid')" 'distributed, periodic in 2,'
	"$cc" -g -Wall -Werror -DDVMDBG_OFF -I"$srcdir/runtime" -c "$src/described.c" -o "$tmp/off.o" 2>"$tmp/cc.err"
	is "C, $mpi: switched off, what is named counts as used" "$(<"$tmp/cc.err")" ""
	like "C, $mpi: what cannot be read is said, with the line" "$out" 'described.c:[0-9]*: dvmdbg cannot read how dealt is distributed'
	if command -v "$fc" >/dev/null; then
		mkdir -p "$tmp/mod.$mpi"
		"$fc" -g -J "$tmp/mod.$mpi" "$srcdir/runtime/dvmdbg.f90" "$srcdir/runtime/dvmdbg_mpi.f90" "$src/described.f90" -o "$tmp/f" \
			$libs 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
		for n in 1 4; do
			arrays "$tmp/f" $n plain typed seen placed boxed wound pairs
			check_arrays "Fortran, $mpi" $n 28385 '\(7,10\)' plain typed seen placed boxed wound
			like "Fortran, $mpi, $n: round the end" "$(answer 'what wound')$(answer 'halo wound')" 'distributed, periodic in 1,' "differs from its owner: $([ $n = 1 ] && echo 20 || echo 84) elements"
			check_arrays "Fortran, $mpi, vectors" $n 56770 '\(2,7,10\)' pairs
		done
	fi
done

# On a torus halos beyond the end have copies of what is at the other end: compared, written with their element, and
# the proof of what is wrong.
mpi=$(first_mpi)
mpi_compilers "$mpi"
cd "$tmp" || exit 1
DVMDBG_CC=$cc "$builddir/runtime/dvmdbg-cc" -g -O1 -I"$srcdir/runtime" "$src/around.c" -o around $libs 2>"$tmp/cc.err" ||
	diag "$(<"$tmp/cc.err")"
for n in 1 4; do
	talk 'break 2.B
cont
what u
halo u
assign u[0][0] 77
halo u
info address u[0][0]
assign u[7][0:5] 5
assign -owner u[0][1] 99
halo u
delete -all
cont' -n $n ./around 1
	like "round, $n: what" "$(answer 'what u')" 'u: double\[8\]\[6\], distributed, periodic in 1,2,'
	like "round, $n: all copies are compared" "$(answer 'halo u')" "^no halo element differs from its owner: $([ $n = 1 ] && echo 32 || echo 72) elements"
	like "round, $n: an element and its copies" "$(answer 'assign u[0][0] 77')" "on \[0\], copies on \[$([ $n = 1 ] && echo 0 || echo 1:3)\]$"
	like "round, $n: where they are" "$(answer 'info address u[0][0]')" "$([ $n = 1 ] && echo 'owner, and 3 in its halo' || echo '^\[3\] .* halo$')"
	like "round, $n: a copy that is not its owner's" "$out" \
		"^  u +above in dimension 1 \(other end\) +$([ $n = 1 ] && echo 0 || echo 2) +0  1 of [0-9]+  \[0\]\[1\]  u\[0\]\[1\] +[0-9]+ +99$" \
		"^1 of $([ $n = 1 ] && echo 32 || echo 72) halo elements of 1 array differ"
	is "round, $n: the program ends" "$status" 0
done
dvm_locate() { "$DVMDBG" locate -n 4 ./around 2 open 2>&1; }
out=$(dvm_locate)
like 'round: the exchange that is missing' "$out" '^array v, element v\[0\]\[0\], first wrong at 1\.E, .*, on rank 0, because the halo of u from rank 3 was stale\.$' \
	'^  from +u\[-1\]\[-1\]  0, 75 in the reference; in the halo, rank 3 owns it$' 'u on \[0:1\], below in dimension 1 \(other end\), from \[2:3\]: 6 of 6 stale$'
unlike 'memory that nothing has set is no copy' "$out" 'values of other elements'
no_leak "round"
done_testing
