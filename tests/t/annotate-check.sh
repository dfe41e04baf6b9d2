# SPDX-License-Identifier: GPL-3.0-or-later
# dvmdbg annotate --check: marks made by hand that are right, and what is said of those that are wrong.
. "${0%/*}/lib.sh"
in_set check || skip_all "longer than quick"
own_program annotate/tagged.c
unhooked tagged || skip_all "$(head -n 3 said)"
line=$(grep -n '^CELLS(double, ' "$src" | cut -d: -f1)

# checked OPTIONS… -- PROGRAM…: what it says, and its status
checked() { out=$(timeout -k 5 100 "$DVMDBG" annotate --check "$@" 2>&1 </dev/null; echo "status $?"); }
# right WAY TYPE ELEMENTS MORE: all is proved
right()
{
	checked -n 4 ./tagged "$1" "$2"
	like "$1 of $2: proved" "$out" "^array a \(tagged\.c:[0-9]+\): 2-D, halo 1, 1: $3 halo elements in [0-9]+ exchanges?, ${4-}each from its owner$" '^status 0$'
}
# wrong HOW WORDS: found
wrong()
{
	checked -n 4 ./tagged messages double "$1"
	like "marks that are wrong: $1" "$out" "^Finding: array a \(tagged\.c:$line\): $2$" '^status 1$'
}

right messages double 64
unlike "right marks: no finding and no note" "$out" '^(Finding|note)'
like "an array that is not exchanged" "$out" '^array b .*: not proved: no exchange between two parallel constructs moves it; one before the first, or inside of one, is not seen$'
right overlap double 36
right messages float 64
wrong short 'a\[6\]\[0\] in the halo of rank 0 comes from rank 2, which by its mark does not own it \(18 elements\)'
wrong narrow 'a\[0\]\[9\] of rank 1 comes to rank 0 between its rows, behind a\[0\]\[8\], where the mark has no halo: the halo is wider than it is marked \(7 elements\)'
wrong shift 'a\[6\]\[0\] in the halo of rank 0 gets a\[7\]\[0\] of rank 2: own bounds or halo are off by \+1 in dimension 1 \(20 elements\)'
checked -n 4 ./tagged messages int index
like "integers that are indices: repeated without tags in them" "$out" \
	'^note: with tags in its integers the program did not come to its end: the run was repeated without them$' \
	'^array a .*: not proved: the program does not stand tags in integers$' '^status 2$'
checked -n 1 ./tagged
like "one rank" "$out" '^dvmdbg: annotate: --check needs two ranks or more' '^status 2$'
checked --json -n 4 ./tagged put double
like "as JSON" "$out" '^\{"type": ?"checked_marks".*"name": ?"a".*"right": ?36,.*"findings": ?\[\], ?"notes"' '^status 0$'
is "no file is left in the folder for temporary files" "$(ls scratch)" ""
no_leak "annotate --check"

rest_in all
right packed double 24
right copied double 64
right put double 36
right neighbours double 60
right ring double 136 '72 of them round the end, '
right messages complex 64
right messages floatcomplex 64
right messages int 64
right messages long 64
wrong long 'a\[5\]\[0\], which rank 2 owns by its mark, is received: it gets a\[5\]\[0\] of rank 0 \(18 elements\)'
like "which overlaps" "$out" '^Finding: array a .*: a\[5\]\[0\] is owned by rank 0 and by rank 2$'
wrong wide 'a\[5\]\[10\] in the halo of rank 0 gets a\[6\]\[-1\] of rank 2: own bounds or halo are off by .*'
wrong turned 'a\[0\]\[1\], which rank 0 owns by its mark, is received: it gets a\[8\]\[0\] of rank 1 .*'
wrong deep 'own parts have 180 of 216 elements: the others are nobody.s'
checked -n 4 ./tagged none double
like "no exchange" "$out" '^array a .*: not proved: no exchange between two parallel constructs moves it; .*$' '^status 2$'
checked -n 4 ./tagged messages short
like "no tags in these" "$out" '^array a .*: not proved: its elements are of a type that holds no tags$' '^status 2$'

# Marks beside the source
sed '/DVMDBG\|dvmdbg\.h/d' "$srcdir/doc/examples/heat.c" >heat.c
"mpicc.$mpi" -g -O0 heat.c -o heat -lm 2>said || diag "$(<said)"
for own in 'r0:r1' 'r0:r1 - 1'; do
	cat >heat.marks <<-EOT
		array       heat.c:27  u  shape [n, n]  own [r0:r1, c0:c1]  halo [1, 1]
		array       heat.c:27  v  shape [n, n]  own [$own, c0:c1]  halo [1, 1]
		parallel    heat.c:27-30  on u  writes [u]
		parallel    heat.c:48-53  on v  writes [v]  reads [u]
	EOT
	checked --marks heat.marks -n 4 ./heat 40 3
	[ "$own" != r0:r1 ] || like "marks beside the source" "$out" '^array u \(heat\.c:27\): .* each from its owner$' '^status 0$'
done
like "wrong ones" "$out" '^Finding: array v \(heat\.c:27\): v\[19\]\[0\] in the halo of rank 2 comes from rank 0, which by its mark does not own it \(40 elements\)$' '^status 1$'
checked -n 4 --marks heat.marks ./nowhere
like "no program" "$out" '^dvmdbg: .*nowhere' '^status 2$'

# Fortran
if command -v "mpif90.$mpi" >said; then
	mkdir mod
	"mpif90.$mpi" -g -J mod "$srcdir/runtime/dvmdbg.f90" "$srcdir/doc/examples/jacobi.f90" -o jacobi $libs >said 2>&1 || diag "$(<said)"
	checked -n 3 ./jacobi 20 3
	like "Fortran" "$out" '^array u \(jacobi\.f90:[0-9]+\): 2-D, halo 0, 1: 80 halo elements in .*, each from its owner$' '^status 0$'
fi
no_leak "annotate --check of all kinds"
done_testing
