# SPDX-License-Identifier: GPL-3.0-or-later
# Arrays on the full screen: what keys do to tables, halos, heat maps and differences, with several terminals.
. "${0%/*}/lib.sh"
. "${0%/*}/screens.sh"

mpi=$(first_mpi)
view=$(short_name "$(prog tests/prog/arrays/view "$mpi")")
odd=$(short_name "$(prog tests/prog/arrays/odd "$mpi")")
heat=$(short_name "$(prog doc/examples/heat "$mpi")")
(cd "$tmp" && "$DVMDBG" --batch -n 1 -e 'record ref -arrays v -at 3.E' -e run "$heat" 100 10) >/dev/null 2>&1
check "an array of the right run is recorded" test -d "$tmp/ref"

# say LINE: a command
say() { keys :; type_line "$1"; }
# look_at SIZE [TERM]: the program with all kinds of arrays
look_at()
{
	open_terminal "${1%x*}" "${1#*x}" "${2-screen}"
	type_line "clear; $DVMDBG --tui -n 3 -e 'break 1.B' -e cont $view"
	sees "$1 ${2-}: it stops" 'stopped 1\.B'
	keys 9
	sees "$1 ${2-}: 9 lists the arrays" '^cube\[6\]\[20\]\[30\] +double +distr'
	keys C-w o
}
# compare_at SIZE [TERM]: the faulty run beside the reference
compare_at()
{
	open_terminal "${1%x*}" "${1#*x}" "${2-screen}"
	type_line "clear; $DVMDBG --tui -n 4 -e 'compare ref' -e 'break 3.E' -e cont $heat 100 10 --fault missing-halo"
	sees "$1 ${2-}: the faulty run stops" 'stopped 3\.E'
	say 'tui diff v'
	keys C-w o
}

# Planes of three dimensions
look_at 80x24
say 'tui array cube'
sees "the last two dimensions are seen" '^━ array +cube\[0\]\[↓\]\[→\] +double ━'
keys ']' ']'
sees "] slides the first" '^━ array +cube\[2\]\[↓\]\[→\]'
sees "the slider tells" '^dimension 1 +2 of 0:5 ──●───'
sees "to other elements" '^ 1 +201 +201\.03 '
keys '}'
sees "} goes far, to the end" '^cube\[5\]\[0\]\[0\] = 500 '
keys '{' x
sees "x puts another dimension to the right" '^━ array +cube\[→\]\[↓\]\[0\]'
sees "with all its indices" '^ 1 +1 +101 +201 +301 +401 +501$'
keys y
sees "y another down" '^━ array +cube\[→\]\[0\]\[↓\]'
keys t
sees "t turns them" '^━ array +cube\[↓\]\[0\]\[→\]'
keys w ']'
sees "the slider is of the dimension that is left" '^━ array +cube\[↓\]\[1\]\[→\]'
say 'tui array cube[0][0][0]'
sees "back to the first" '^cube\[0\]\[0\]\[0\] = 0 '
keys j j l
sees "the cursor moves" '^cube\[2\]\[0\]\[1\] = 200\.03125'
keys G '$'
sees "to the last row and column" '^cube\[5\]\[0\]\[29\] = 500\.90625'
keys g '^'
sees "and the first" '^cube\[0\]\[0\]\[0\] = 0 '
keys L
sees "a page to the right" '^cube\[0\]\[0\]\[[1-9][0-9]?\] = 0\.'
keys M
sees "M goes to the largest element" '^cube\[5\]\[19\]\[29\] = 519\.90625  of rank 2'
keys m
sees "m to the smallest" '^cube\[0\]\[0\]\[0\] = 0  of rank 0'
keys '!'
sees "! to the NaN" '^cube\[3\]\[7\]\[5\] = nan  of rank 1'
sees "statistics are of what is seen" '^seen min .* 1 nan'
keys T
sees "T: of all" '^all min 0  mean .*  max 519\.906  1 nan  1 inf  \|'
keys T
gone "none" '^(all|seen) '
keys T
say 'tui array cube[4][2:9][10:15]'
sees "a section is brought to the corner" '^ 2 +402\.31 +402\.34'
keys /
type_line '^408\.5$'
sees "/ finds among what is seen" '^cube\[4\]\[8\]\[16\] = 408\.5'
keys J
sees "J begins the line for another element" '^\[all\]> tui array cube\[$'
type_line '1][2][30]'
sees "one that is not there is refused" "^cube: index 30 of dimension 3 is outside 0:29"
sees "and what is shown stays" '^cube\[4\]\[8\]\[16\] = 408\.5'
unlike "as new as it was" "$(seen_now)" '\(old\)'
keys J
type_line '1][2][3]'
sees "and one that is gone to" '^cube\[1\]\[2\]\[3\] = 102\.09375'

# Numbers, owners, edit, save
sees "points of numbers stand below one another" '^ 2  102    102\.03 102\.06 '
keys e
sees "e: fixed numbers" '102\.09375 |102\.09375$'
keys '(' '(' '('
sees "( takes digits away" ' 102\.09 +102\.12 '
keys e
sees "an exponent" ' 1\.02e\+02 '
keys e e
sees "bits" ' 4059860000000000'
keys ')' ')' ')' e
sees "and general again" ' 102 +102\.03 '
keys R
sees "R: the owners, in a legend" '^owners 0'
say 'tui array turned'
sees "the other order: rows are the first dimension" '^━ array +turned\(↓,→\)'
golden array-turned-colours-80x24 seen_colours # eight of them
keys R
say 'tui array turned(3,4)'
sees "an element of it" '^turned\(3,4\) = -34 '
keys Enter
sees "Enter begins to change the element, from what it is" '^\[all\]> assign turned\(3,4\) -34$'
keys Enter
sees "which may stay" '^turned\(3,4\) = -34, was -34, on \[1\]'
keys Enter
sees "once more" '^\[all\]> assign turned\(3,4\) -34$'
keys BSpace BSpace BSpace
type_line 0.125
sees "what is there is changed" '^turned\(3,4\) = 0\.125  of rank 1'
keys W
sees "W begins to save what is seen" '^\[all\]> save turned\(1:12,1:[0-9]\) turned\.npy'
keys BSpace BSpace BSpace
type_line txt
sees "which is done" '(elements|turned\.txt)'
is "the file has it, and says what it is" "$(sed -n '1,3p; 6s/ 35.*/ 35/p' "$tmp/turned.txt" | sed 's/1:[0-9])/1:N)/; s/1:[0-9]$/1:N/')" \
	'# turned(1:12,1:N) double
# rows: dimension 1, 1:12; columns: dimension 2, 1:N
# point 1.B
31 -32 33 0.125 35'
say 'tui array table[2][3]'
sees "replicated elements that differ" '^table\[2\]\[3\] = \[1\] -1  \[0,2\] 23'
keys Enter
sees "Enter offers the one that is in the table, for the ranks that have it" '^\[all\]> \[1\] assign table\[2\]\[3\] -1$'
keys Enter
sees "the others keep theirs" '^table\[2\]\[3\] = -1, was -1, on \[1\]'
sees "as they are" '^table\[2\]\[3\] = \[1\] -1  \[0,2\] 23'
keys R
sees "R: nobody owns a part of what is replicated" '^table is replicated: every rank has all of it$'
keys w
sees "w: there is no other dimension" '^table has no dimension besides the two that are shown$'
keys j
gone "which a key takes away" '^table has no'
keys ']'
sees "] says so too" '^table has no dimension besides the two that are shown$'
say 'tui array line'
sees "one dimension is folded" '^ +\+0 +\+1 +\+2 '
keys j l
sees "with the cursor in it" '^line\[1[0-9]\] = 0\.'
keys G '$'
sees "to its end" '^line\[499\] = 249\.001'
keys v
sees "its map as well" '^line\[499\] = 249\.001'
keys W
sees "W begins to draw the map" '^\[all\]> heatmap line\[0:499\] -cells .* -save line\.png'
keys Enter
sees "which is done" '^line\[0:499\]: 500 elements of float'
is "a picture is there" "$(head -c 4 "$tmp/line.png" | tail -c 3)" PNG
keys Enter
sees "Enter in a map asks for the element" '^\[all\]> assign line\[499\] 249\.001$'
keys C-c v B
sees "B, of an array without a halo" '^line has no halo: the block of rank [0-2] is what it owns'
say 'tui array cube[4][2][3]'
sees "a plane" '^cube\[4\]\[2\]\[3\] = '
keys W
sees "W offers .npy" '^\[all\]> save cube\[4\]\[0:1[0-9]\]\[0:[0-9]+\] cube\.npy'
keys Enter
sees "which is written" 'cube\.npy'
is "in NumPy's format" "$(head -c 6 "$tmp/cube.npy" | tail -c 5)" NUMPY
like "of what is seen" "$(head -c 128 "$tmp/cube.npy" | tr -d '\0')" "'<f8'.*\(1[0-9], [0-9]+\)"
keys v t
sees "a map that is turned" '^━ array +cube\[4\]\[→\]\[↓\]'
keys W
sees "is drawn turned" ' -rows 3 -columns 2 -show mean'
keys C-c v
keys C-c
# What is seen, as numbers and pictures: turned, with a halo, nearer, owners
size_of() { od -A n -v -t u1 -j 16 -N 8 "$1" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }'; }
numbers() { grep -v '^#' "$1"; }
# as ENDING FILE: another ending of the name in the line, and Enter; then the file is there
as()
{
	rm -f "$tmp/$2"
	keys BSpace BSpace BSpace
	type_line "$1"
	check "$2 is written" wait_for 20 test -s "$tmp/$2"
}
say 'tui array cube[3][11][2]'
sees "a map of an element's plane" '^cube\[3\]\[11\]\[2\] '
keys v
sees "as a table" '^ +[0-9]+ +[0-9]+ +[0-9]+ '
keys B B
sees "rank 2's block, turned" "^━ array +cube\[3\]\[→\]\[↓\]  rank 2's block"
keys W
sees "W: turned, and with the halo" '^\[all\]> save cube\[3\]\[11:19\]\[0:1[0-9]\] -rows 3 -columns 2 -halo 2 cube\.npy'
as txt cube.txt
is "whose it is, and which way round" "$(sed -n '2,4{s/0:1[0-9];/0:N;/;p}' "$tmp/cube.txt")" \
	'# as rank 2 has it: its block cube[0:5][13:19][0:29] and its halo; nan: missing
# rows: dimension 3, 0:N; columns: dimension 2, 11:19
# point 1.B'
is "the cells that were seen" "$(numbers "$tmp/cube.txt" | sed -n '1p;4p')" \
	'nan 312 313 314 315 316 317 318 319
nan 311.59375 313.09375 314.09375 315.09375 316.09375 317.09375 318.09375 319.09375'
keys W Enter
sees "the same for NumPy" 'cube\.npy: double'
like "rows and columns as seen" "$(head -c 128 "$tmp/cube.npy" | tr -d '\0')" "'<f8', 'fortran_order': False, 'shape': \(1[0-9], 9\)"
keys B B
gone "the block goes" "block"
keys t W
sees "a key before W counts" '^\[all\]> save cube\[3\]\[[0-9]+:[0-9]+\]\[0:[0-9]+\] cube\.npy'
keys C-c
keys v
sees "the map" ' mean, linear'
say 'tui array cube[3][2:5][8:15]'
sees "a section of it" '^ +8 +'
keys z z a
sees "another scale" ' max, diverging'
keys W
sees "W: just that" '8:15\] -cells [0-9]+x77 -rows 2 -columns 3 -show max -scale diverging -save cube\.png'
keys Enter
check "which is drawn" wait_for 20 test -s "$tmp/cube.png"
is "a pixel for each cell" "$(size_of "$tmp/cube.png")" "8 4"
keys W
as txt cube.txt
is "or as numbers, of the cells" "$(sed -n '2p;3p;5p' "$tmp/cube.txt")" '# 4 x 8 cells, of each the largest
# rows: dimension 2, 2:5; columns: dimension 3, 8:15
302.25 302.28125 302.3125 302.34375 302.375 302.40625 302.4375 302.46875'
keys =
keys R W
sees "owners as they are seen" ' -show owner -save cube\.png'
as txt cube.txt
is "as numbers, each rank" "$(numbers "$tmp/cube.txt" | tr ' ' '\n' | sort -u | xargs)" "-1 0 1 2"
keys R a a a z v
sees "the table again" '^ +[0-9]+ +[0-9]+ +[0-9]+ '
say 'tui array none'
sees "what is not there is told" "there is no object 'none'"
sees "and what was there stays" '^━ array +cube\[3\]\[↓\]\[→\]'
gone "as it is" '\(old\)'
say 'tui array'
sees "and the list again" '^table\[4\]\[5\] +int +replicated'
keys j j Enter
sees "from which one is chosen" '^━ array +table\[↓\]\[→\]'
say 'tui array none'
sees "a name that nothing has" "there is no object 'none'"
sees "leaves the one that is seen" '^━ array +table\[↓\]\[→\]'
say 'tui nothing'
sees "a view that is not there" "there is no view 'nothing'"
keys 8
sees "is told in the log, too" "^tui: there is no view 'nothing'"
keys 6
sees "values" '^table.*differ|^━ values'
keys g Enter
sees "Enter goes from a value to the array" '^━ array +table\[↓\]\[→\]'
say 'delete -all'
keys c
sees "the program ends" '\[0:2\] ended'
sees "what was seen is from before" '^━ array +table\[↓\]\[→\]  \(at the last stop\)'
keys R
sees "why it is not renewed" '^\[0:2\]: the program has ended; r starts it again'
keys Enter
sees "and not changed" 'at a stop: the program has ended'
quit_screen
sees "it ends" '^ready>'

# Arrays of all kinds
look_odd()
{
	open_terminal "$1" "$2" "${3-screen}"
	type_line "clear; $DVMDBG --tui -n 3 -e 'break 1.B' -e 'break 2.B' -e cont $odd"
	sees "it stops" 'stopped 1\.B'
	say 'tui array'
	keys C-w o
	sees "all kinds" '^waves\[5\]\[7\]'
}
look_odd 80 24
say 'tui array four[1][2][3][4]'
sees "four dimensions: two planes, two sliders" '^━ array +four\[1\]\[2\]\[↓\]\[→\] +short'
sees "both are shown" '^dimension 1 +1 of 0:1 ─● +dimension 2 +2 of 0:2 ──●$'
sees "with the element" '^four\[1\]\[2\]\[3\]\[4\] = 1234 +of rank 2'
keys y y x
sees "y and x choose any two" '^━ array +four\[→\]\[↓\]\[3\]\[4\]|^━ array +four\[↓\]\[→\]\[3\]\[4\]'
keys w '['
sees "w chooses the other slider" '^━ array +four\[.\]\[.\]\[3\]\[3\]'
say 'tui array four[0][*][*][0]'
sees "a section says which two" '^━ array +four\[0\]\[↓\]\[→\]\[0\]'
sees "with their elements" '^2 +200 +210 +220 +230$'
say 'tui array one'
sees "an array of one element" '^one\[0\] = 7'
sees "its statistics" '^seen min 7 +mean 7 +max 7$'
keys v
sees "its map" '^7 .* 7 +mean, linear'
keys v
say 'tui array waves[1][2]'
sees "complex numbers" '^waves\[1\]\[2\] = \(2\.25, -0\)'
sees "their commas stand below one another" '^1  \(1\.75,-1\) +\(2,-2\) \(2\.25,-0\) +\(2\.5,-1\)'
sees "statistics are of magnitudes" '^seen magnitude min 0 '
keys Enter
sees "a complex number as it is shown" '^\[all\]> assign waves\[1\]\[2\] \(2\.25, -0\)$'
keys Enter
sees "is taken" '^waves\[1\]\[2\] = \(2\.25, -0\), was \(2\.25, -0\), on \[0:2\]'
say 'assign waves[1][2] 1+2i'
sees "or as a sum" '^waves\[1\]\[2\] = \(1, 2\)$'
say 'assign waves[1][2] (2.25,-0)'
sees "and as before" '^waves\[1\]\[2\] = \(2\.25, -0\)$'
say 'tui array flags[0][0]'
sees "logical ones" '^0 +true +false +false +true'
keys Enter
sees "offered as a word" '^\[all\]> assign flags\[0\]\[0\] true$'
keys Enter
sees "and taken" '^flags\[0\]\[0\] = true, was true'
say 'tui array below(-2,10)'
sees "indices from below 0" '^-2 +-190 +-189 '
sees "and in the headings" '^ +10 +11 +12 +13'
keys M
sees "an extreme of it" '^below\(2,16\) = 216'
say 'tui array part'
sees "an array of one rank" '^0 +0 +1\.5 +0$'
keys v
sees "its map as well" ' 1\.5 +mean, linear'
keys v
say 'tui array size'
sees "a single value is no array" '^size is a single value: print shows it'
say 'tui array wide'
sees "many magnitudes" '^ 0 +1e\+06 +-1e\+05 +10000 +-1000 '
keys v z
sees "a logarithm of both signs is linear around 0" '^-100000 .* 1e\+06 +mean, log +linear within 1 of 0'
keys v
say 'tui array gone[1][1]'
sees "what is to be freed" '^gone\[1\]\[1\] = 2\.5'
keys c
sees "when it is gone it is told" "no object 'gone'"
sees "what was seen is old" '^━ array +gone\[↓\]\[→\] +\(old\)'
sees "and still to be seen" '^gone\[1\]\[1\] = 2\.5'
say 'tui array four[0][1][2][4]'
sees "another that is there" '^four\[0\]\[1\]\[2\]\[4\] = 124 +of rank 2'
keys B
sees "its block" "rank 2's block"
sees "what a rank has not is a dot" '^0 +· +· +· +· +104 +105$'
keys B B B
gone "after the last all" "block"
for pid in $(running "$(readlink -f "$odd")" | sort -n | tail -n 1); do
	kill -KILL "$pid"
done
sees "a rank that dies is told, and of what" '\[[0-2]\] killed by SIGKILL|\[[0-2]\] lost'
sees "what it had is missing" '^0 .* \? +\?'
sees "and counted" '^seen .* 8 missing'
quit_screen
sees "it ends" '^ready>'
look_odd 40 10
say 'tui array below'
sees "an array of Fortran" '^below\(-2,10\) = '
keys e e e e
sees "in a narrow view bits fit whole" '^ 0 +[0-9a-f]{16} [0-9a-f]{16}$'
keys e
say 'tui array waves'
sees "complex numbers" '^waves\[0\]\[0\] = '
keys e e e
sees "in full" '^0 +\(0, -0\)'
quit_screen
sees "it ends" '^ready>'

# The map: zoom, scales, what is shown
look_at 80x24
say 'tui array cube[3][7][5]'
sees "an element" '^cube\[3\]\[7\]\[5\] = nan'
keys v
sees "the map" ' mean, linear'
keys a
sees "a: the maximum" ' max, linear'
keys z
sees "z: its logarithm" ' max, log$'
keys z a a
sees "around 0" ' abs, diverging'
keys z a
sees "and the mean again" ' mean, linear'
keys '>' '>'
sees "nearer: the middle of a fourth" '^ 7 [^!]{24}!{12}[^!]{12}$'
sees "an element is a cell" '^cube\[3\]\[7\]\[5\]  1 nan'
keys '='
keys l
sees "the cursor goes on by a cell" '^cube\[3\]\[7\]\[6\]  1 inf'
keys R
sees "owners of cells" '^12 1{60}'
sees "up to the next rank's" '^13 2{60}'
quit_screen
sees "it ends" '^ready>'

# The difference
compare_at 80x24
sees "how many differ" '^96 of 10000 differ, tolerance 1e-09 of block'
sees "their shape" '^part of row 49: '
keys ']'
sees "] goes to the next" '^v\[49\]\[2\] of rank 0'
keys '['
sees "[ back" '^v\[49\]\[1\] of rank 0'
keys '['
sees "there is none before" 'no element differs before this one'
keys M
sees "M goes to the largest" '^v\[49\]\[16\] of rank 0 = 0\.0356'
keys e
sees "absolute" 'tolerance 1e-09 absolute'
keys t
sees "turned" '^ 0 \.{48}@|^ 0 .*@'
keys W
sees "W: the map as it is seen" '> diff v -cells [0-9]+x77 -rows 2 -columns 1 -tolerance absolute:1e-09 -save v\.png'
as txt v.txt
like "its numbers say what they are" "$(sed -n 2p "$tmp/v.txt")" '^# compared with the reference ref: [0-9]+ x 77 cells, the largest difference in each, 0: none beyond tolerance 1e-09 absolute$'
is "the column that is wrong, and nothing else" \
	"$(numbers "$tmp/v.txt" | awk '{ for (i = 1; i <= NF; i++) if ($i != 0) seen[i] = 1 } END { for (i in seen) print i, NF }')" "38 77"
keys t
sees "and back" '^48 @'
keys ')' ')' ')' ')' ')' ')' ')'
sees "a wider tolerance: nothing differs" '^none of 10000 differs, tolerance 0\.01 absolute'
keys ']'
sees "and nothing is gone to" 'no element differs by more'
keys e
sees "none at all: rounding counts" '^[0-9]+ of 10000 differ, tolerance exact'
keys Enter
sees "Enter: the element in the array" '^━ array +v\[↓\]\[→\]'
sees "the largest difference" '^v\[49\]\[16\] = 0\.0356'
keys .
sees ". in the array: to the next difference" '^v\[49\]\[17\] = 0\.0356'
keys ,
sees ", to the one before" '^v\[49\]\[16\] = 0\.0356'
keys .
sees "and the next again" '^v\[49\]\[17\] = '
say 'tui array v[99][99]'
sees "at the end" '^v\[99\]\[99\] = 0 '
keys .
sees "the first follows, in front of all others" '^v\[(.|[0-4].)\]\[[0-9]+\] = '
keys 0 A
sees "other arrays" '^u\[100\]\[100\] '
say 'tui diff u'
sees "one that the reference has not" "has no array u of 3\.E"
quit_screen
sees "it ends" '^ready>'

# While the program runs
open_terminal 80 24
type_line "clear; $DVMDBG --tui -n 4 -e 'break 3.B' -e cont $heat 3000 1000000"
sees "a large array" 'stopped 3\.B'
say 'delete 0'
say 'tui array u[1500][1500]'
sees "an element of it" '^u\[1500\]\[1500\] = '
# 72 MB, of which a screen takes a few kilobytes
memory() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(front_end)/status"; }
before=$(memory)
keys G '$'
sees "to the end of it" '^u\[2999\]\[2999\] = '
keys M v T
sees "and all of it as a map, with its statistics" '^all min .* max .*\|.*\|'
after=$(memory)
check "only what is visible is fetched: $before kB before, $after kB after" test "$((after - before))" -lt 20000
keys T T v
say 'tui array u[1500][1500]'
sees "and back" '^u\[1500\]\[1500\] = '
keys c
sees "what runs shows the last picture as that" '^━ array .*\(at the last stop\)'
keys Enter
sees "in which nothing can be changed" '^cont +[0-9]+ s  Ctrl-C stops it  an element can be changed at a stop'
keys C-f
sees "a page further, of which nothing is known now" '^u\[15[0-9][0-9]\]\[1500\]$'
sees "the picture stays" '^1500 +'
sees "as that" '^━ array .*\(at the last stop\)'
resize 100 30
sees "it stays in another size" '^━ array .*\(at the last stop\)( ━{40}|.*│)'
sees "with its elements" '^1500 +'
resize 80 24
keys C-b
keys C-c
sees "halted" 'stopped [0-9]+\.[BE]'
gone "it is of now" '^━ array .*\(at the last stop\)|\(old\)'
say go
sees "sent off" 'running'
keys j j G
sees "keys move, and what cannot be taken is old" '\(old\)'
say halt
sees "halted again" 'stopped [0-9]+\.[BE]'
keys g G
sees "and is as the ranks have it" '^u\[2999\]\[1500\] = '
gone "not old" '\(old\)'
quit_screen
sees "it ends" '^ready>'

# Terminals: 256 colours with halves, and none
compare_at 80x24 screen-256color
sees "in colours" '^v\[49\]\[1\]'
say 'tui array v'
sees "the array" '^v\[0\]\[0\] = 0 '
keys v
sees "the map in colours" ' mean, linear'
sees "is complete" '^seen .*\|.*\|'
quit_screen
sees "it ends" '^ready>'
compare_at 80x24 vt100
say 'tui array v'
sees "the array" '^v\[0\]\[0\] = 0 '
keys v
sees "without colours" ' mean, linear'
sees "the map is complete" '^seen .*\|.*\|'
golden heat-map-vt100-80x24 seen_colours
keys R
sees "owners as digits" '^ 0 0{30,}1{30,}'
quit_screen
sees "it ends" '^ready>'
# A terminal with colours of 24 bits, which terminfo may not know here
if command -v tic >/dev/null && cat >"$tmp/direct.ti" <<'EOT' && tic -x -o "$tmp/.terminfo" "$tmp/direct.ti" 2>/dev/null; then
screen-direct|screen with colours as numbers of 24 bits,
	RGB, colors#0x1000000, pairs#0x10000, use=screen-256color,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
EOT
	raw() { mux capture-pane -e -p -t t; }
	raw_has() { raw | grep -q "$1"; }
	look_at 80x24 screen-direct
	say 'tui array cube[3][0][0]'
	sees "an array on a terminal of all colours" '^cube\[3\]\[0\]\[0\] = '
	keys v
	sees "its map" ' mean, linear'
	check "begins with the palette's first colour" wait_for 20 raw_has '[34]8;2;13;8;135'
	check "and ends with its last" wait_for 20 raw_has '[34]8;2;25[0-9];2[0-9]*;[0-9]*m▀'
	quit_screen
	sees "it ends" '^ready>'
else
	skip "colours of 24 bits" "no tic"
fi
open_terminal 80 24
type_line "clear; LC_ALL=C $DVMDBG --tui -n 3 -e 'break 1.B' -e cont $view"
sees "ASCII" 'stopped 1\.B'
say 'tui array cube'
sees "arrows and bars in ASCII" '^= array +cube\[0\]\[v\]\[>\]'
say 'tui array cube[3][7][5]'
sees "there" '^cube\[3\]\[7\]\[5\] = nan'
keys v
sees "the map" '^ 7 -{10}!{4}-{40,}=*$'
sees "its histogram" '^seen .*\|[-.:=+%#_ ]+\|$'
quit_screen
sees "it ends" '^ready>'
close_terminal
no_leak "arrays on the full screen"
done_testing
