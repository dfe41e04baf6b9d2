# SPDX-License-Identifier: GPL-3.0-or-later
# Tables and maps in files, as they were asked for: which way round, with halos, as numbers and as pictures; and
# what the files say of themselves.
. "${0%/*}/lib.sh"

mpi=$(first_mpi)
view=$(prog tests/prog/arrays/view "$mpi")
odd=$(prog tests/prog/arrays/odd "$mpi")
heat=$(prog doc/examples/heat "$mpi")
cd "$tmp" || exit 1

# The header of a .npy file, and all of its doubles, one a line
header() { dd if="$1" bs=1 skip=10 count="$(od -A n -v -t u1 -j 8 -N 2 "$1" | awk '{ print $1 + 256 * $2 }')" 2>/dev/null; }
doubles()
{
	od -A n -v -t f8 -w8 -j "$(od -A n -v -t u1 -j 8 -N 2 "$1" | awk '{ print 10 + $1 + 256 * $2 }')" "$1" |
		awk '{ printf "%.12g\n", $1 }'
}
size_of() { od -A n -v -t u1 -j 16 -N 8 "$1" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }'; }
numbers() { grep -v '^#' "$1"; }
# at_first PROGRAM COMMANDS
at_first() { dvm 60 "break 1.B
cont
$2" -n 3 "$1"; }
# refused NAME COMMAND REGEX
refused()
{
	at_first "$view" "$2"
	like "$1" "$out" "$3"
	is "$1: it is an error" "$status" 2
}

at_first "$view" 'save cube[3][11:13][0:4] -rows 3 -columns 2 turned.txt
save cube[3][11:13][0:4] turned.npy -columns 2 -rows 3
save cube[3][11:13][0:4] -rows 2 -columns 3 straight.txt
save turned(1:3,1:2) -rows 2 -columns 1 fortran.txt
save turned(1:3,1:2) -rows 2 -columns 1 fortran.npy
save turned(1:3,1:2) plain.npy
save cube[0:1][0:1][0:2] planes.txt
save cube[0][0:19:9][{3,1}] steps.txt
save cube[3][11:13][0:4] -halo 2 halo.txt
save cube[3][11:13][0:4] -rows 3 -columns 2 -halo 2 halo.npy'
is "nothing of this is an error" "$status" 0
is "rows and columns change places" "$(<turned.txt)" '# cube[3][11:13][0:4] double
# rows: dimension 3, 0:4; columns: dimension 2, 11:13
# point 1.B
311 312 313
311.03125 312.03125 313.03125
311.0625 312.0625 313.0625
311.09375 312.09375 313.09375
311.125 312.125 313.125'
like "and are told" "$out" '^cube\[3\]\[11:13\]\[0:4\] saved in turned\.txt: double 5 x 3, rows: dimension 3, columns: dimension 2$'
like "in NumPy's format as well" "$(header turned.npy)" "'fortran_order': False, 'shape': \(5, 3\)"
is "with the same elements" "$(doubles turned.npy | xargs)" "$(numbers turned.txt | xargs | sed 's/\.0\b//g')"
is "the order of the array is as without" "$(sed -n 2,4p straight.txt)" '# rows: dimension 2, 11:13; columns: dimension 3, 0:4
# point 1.B
311 311.03125 311.0625 311.09375 311.125'
is "an array of Fortran, turned" "$(<fortran.txt)" '# turned(1:3,1:2) double
# rows: dimension 2, 1:2; columns: dimension 1, 1:3
# point 1.B
11 21 31
-12 -22 -32'
is "for NumPy" "$(header fortran.npy | grep -oE 'False|True|\(.*\)' | xargs) $(doubles fortran.npy | xargs)" \
	"False (2, 3) 11 21 31 -12 -22 -32"
is "and as it is" "$(header plain.npy | grep -oE 'False|True|\(.*\)' | xargs) $(doubles plain.npy | xargs)" \
	"True (3, 2) 11 21 31 -12 -22 -32"
is "planes" "$(sed -n '2p;4,$p' planes.txt)" '# planes: dimension 1, 0:1; rows: dimension 2, 0:1; columns: dimension 3, 0:2
0 0.03125 0.0625
1 1.03125 1.0625

100 100.03125 100.0625
101 101.03125 101.0625'
is "steps and lists" "$(sed -n '1,2p;$p' steps.txt)" '# cube[0][0:18:9][{3,1}] double
# rows: dimension 2, 0:18:9; columns: dimension 3, {3,1}
18.09375 18.03125'
is "a rank's block with its halo, and nothing where it has nothing" "$(<halo.txt)" '# cube[3][11:13][0:4] double
# as rank 2 has it: its block cube[0:5][13:19][0:29] and its halo; nan: missing
# rows: dimension 2, 11:13; columns: dimension 3, 0:4
# point 1.B
nan nan nan nan nan
312 312.03125 312.0625 311.59375 311.625
313 313.03125 313.0625 313.09375 313.125'
is "turned, for NumPy" "$(doubles halo.npy | xargs)" \
	"nan 312 313 nan 312.03125 313.03125 nan 312.0625 313.0625 nan 311.59375 313.09375 nan 311.625 313.125"
like "whose it is" "$out" 'saved in halo\.npy: double 5 x 3, rows: dimension 3, columns: dimension 2, as rank 2 has it$'

at_first "$odd" 'save four[1][2][3][*] -halo 1 four.txt
save four[1][2][3][2:3] -halo 1 whole.txt'
is "whole numbers of which some are not there" "$(sed -n '1,2p;$p' four.txt)" '# four[1][2][3][0:5] double
# as rank 1 has it: its block four[0:1][0:2][0:3][2:3] and its halo; nan: missing
nan nan 1232 1233 nan nan'
is "and of which all are" "$(sed -n '1p;$p' whole.txt)" '# four[1][2][3][2:3] short
1232 1233'

# Maps: their numbers are those of the elements when a cell is one
at_first "$view" 'heatmap cube[3][7:8][3:7] -cells 2x5 -save map.txt
heatmap cube[3][7:8][3:7] -cells 2x5 -rows 3 -columns 2 -save turned.txt
heatmap cube[3][7:8][3:7] -cells 2x5 -save map.npy -image map.png
heatmap cube[3][0:19][*] -cells 10x6 -show max -scale log -save max.txt
heatmap cube[3][0:19][*] -cells 10x6 -show owner -save owner.txt
heatmap cube[3][0:19][*] -cells 10x6 -show owner -save owner.png
heatmap line[0:9] -cells 2x3 -save line.txt
heatmap line[0:9] -cells 2x3 -save line.png'
is "maps are no error" "$status" 0
is "cells as numbers" "$(<map.txt)" '# cube[3][7:8][3:7] double
# 2 x 5 cells, of each the mean
# rows: dimension 2, 7:8; columns: dimension 3, 3:7
# point 1.B
307.09375 307.125 nan inf 307.21875
308.09375 308.125 308.15625 308.1875 308.21875'
is "turned" "$(sed -n '2,3p;5,$p' turned.txt)" '# 2 x 2 cells, of each the mean
# rows: dimension 3, 3:7; columns: dimension 2, 7:8
nan 308.125
inf 308.203125'
is "for NumPy, and drawn" "$(header map.npy | grep -oE '\(.*\)') $(doubles map.npy | head -n 3 | xargs) $(size_of map.png)" \
	"(2, 5) 307.09375 307.125 nan 5 2"
is "what is shown of a cell" "$(sed -n '2p;5p;$p' max.txt)" '# 10 x 6 cells, of each the largest
301.125 301.28125 301.4375 301.59375 301.75 301.90625
319.125 319.28125 319.4375 319.59375 319.75 319.90625'
is "owners" "$(sed -n 2p owner.txt; numbers owner.txt | cut -d' ' -f1 | xargs) $(size_of owner.png)" \
	'# 10 x 6 cells, of each the rank that owns it, -1: several own it
0 0 0 1 1 1 -1 2 2 2 6 10'
like "in letters" "$out" '^  \|000000\|$' '^  \|222222\|$' '^  a cell has the number of the rank that owns it; \* several ranks own it$'
is "one dimension" "$(sed -n 2,3p line.txt; numbers line.txt | wc -w) $(size_of line.png)" '# 1 x 6 cells, of each the mean
# columns: dimension 1, 0:9
6 3 2'

# Differences
dvm 60 'break 3.E
cont
save v right.npy' -n 1 "$heat" 40 10
dvm 60 'break 3.E
cont
diff v -with right.npy -list 0
diff v -with right.npy -cells 40x40 -list 0 -save all.txt
diff v -with right.npy -cells 40x40 -rows 2 -columns 1 -tolerance absolute:0.005 -list 0 -save some.txt
diff v -with right.npy -cells 4x8 -list 0 -image cells.png
diff v -with right.npy -cells 4x8 -list 0 -save saved.png
diff v -with right.npy -list 0 -save elements.png' -n 4 "$heat" 40 10 --fault missing-halo
is "differences are no error" "$status" 0
like "what they are of" "$(sed -n 2p all.txt)" '^# compared with right\.npy: 40 x 40 cells, the largest difference in each, 0: none beyond tolerance 1e-09 of its block'\''s largest value$'
is "as many as differ" "$(numbers all.txt | tr ' ' '\n' | grep -vcx 0)" \
	"$(printf '%s\n' "$out" | sed -n 's/^v: \([0-9]*\) of 1600 elements differ.*/\1/p' | head -n 1)"
is "in their row" "$(numbers all.txt | grep -n '[1-9]' | cut -d: -f1)" 20
like "the largest" "$(numbers all.txt | tr ' ' '\n' | sort -g | tail -n 1)" '^0\.00998'
is "turned, with another tolerance" "$(sed -n 3p some.txt; numbers some.txt | awk '{ n += $20 != 0; m += $20 != 0 && $20 <= 0.005 } END { print (n > 10 && n < 36), m }')" \
	'# rows: dimension 2, 0:39; columns: dimension 1, 0:39
1 0'
is "pictures of cells, and of elements" "$(size_of cells.png) $(size_of elements.png)" "8 4 40 40"
check "by either option" cmp cells.png saved.png

refused "three dimensions are no table" 'save cube -rows 2 -columns 3 x.npy' 'save: dimension 1 of cube is neither rows nor columns; give a single index there'
refused "a dimension that is fixed" 'save cube[3][0:4][0] -rows 3 -columns 2 x.npy' 'save: dimension 3 of cube is a single index; give a range'
refused "one for both" 'save cube[3][*][*] -rows 2 -columns 2 x.npy' 'save: rows and columns are both of dimension 2'
refused "one that there is not" 'save cube[3][*][*] -rows 4 x.npy' 'save -rows 4: a dimension from 1 to 3 is allowed'
refused "a rank that there is not" 'save cube[3][*][*] -halo 9 x.npy' 'rank 9 is not in the set'
refused "a halo of what every rank has" 'save table -halo 1 x.npy' 'rank 1 has no halo of table'
refused "no rank" 'save cube -halo two x.npy' "save -halo: 'two' is not a number"
refused "a picture of another kind" 'heatmap cube[3] -image x.npy' 'heatmap -image x\.npy: give a \.png file; -save writes numbers'
refused "no kind" 'heatmap cube[3][*][*] -save x.dat' 'heatmap -save x\.dat: the name must end in \.png for the picture, in \.npy or \.txt'
refused "owners of what every rank has" 'heatmap table -show owner' 'heatmap -show owner: table is replicated: each rank has all of it'
refused "nothing of that name" 'heatmap cube[3][*][*] -show colour' 'heatmap -show colour: mean, max, min, abs or owner is allowed'
refused "numbers of no map" 'diff cube -with turned.npy -save x.txt' 'diff -save x\.txt: this file gets the numbers of a map; give its size with -cells'
check "no file is left of an error" test -z "$(ls x.* 2>/dev/null)"
no_leak "export"
done_testing
