# SPDX-License-Identifier: GPL-3.0-or-later
# Arrays on the full screen: tables, halos, heat maps, differences, in three sizes and with several terminals;
# and what their keys do.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/screens.sh"

mpi=$(first_mpi)
view=$(short_name "$(prog tests/prog/view "$mpi")")
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

for size in 80x24 120x40 40x10; do
	look_at $size
	golden array-list-$size
	say 'tui array cube[3][7][5]'
	sees "$size: an element is gone to" '^cube\[3\]\[7\]\[5\] = nan'
	golden array-table-$size
	keys v
	sees "$size: v shows the map" '^cube\[3\]\[7\]\[5\] +1 nan|^cube\[3\]\[7\]\[5\].* cell '
	golden array-map-$size
	keys v B B
	sees "$size: B shows a rank with its halo" 'rank 2 with its halo'
	golden array-halo-$size
	keys Q
	sees "$size: Q ends the session" '^ready>'

	compare_at $size
	sees "$size: the cursor is at the first difference" '^v\[49\]\[1\] of rank 0 = 0\.00338'
	golden diff-map-$size
	say 'tui array v'
	sees "$size: the array beside it" '^v\[0\]\[0\] = 0 '
	keys v
	sees "$size: as a map" '^v\[0\]\[0\] +cell 0:'
	sees "$size: with its histogram" '^seen .*\|.*\||^v'
	golden heat-map-$size
	keys Q
	sees "$size: Q ends that as well" '^ready>'
done

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
sees "none" '^cube\[3\]\[7\]\[5\] = nan'
unlike "none is shown" "$(seen_now)" '^all min'
keys T
say 'tui array cube[4][2:9][20:25]'
sees "a section is brought to the corner" '^ 2 +402\.62 +402\.66'
keys /
type_line '408\.75'
sees "/ finds among what is seen" '^cube\[4\]\[8\]\[24\] = 408\.75'
keys J
sees "J begins the line for another element" '^\[all\]> tui array cube\[$'
type_line '1][2][30]'
sees "one that is not there is refused" "dimension 3.*30.*0:29|30.*allowed|out of"
keys J
type_line '1][2][3]'
sees "and one that is gone to" '^cube\[1\]\[2\]\[3\] = 102\.09375'

# Numbers, owners, edit, save
keys e
sees "e: fixed numbers" '102\.09375 |102\.09375$'
keys '(' '(' '('
sees "( takes digits away" ' 102\.09 +102\.12 '
keys e
sees "an exponent" ' 1\.02e\+02 '
keys e e
sees "bits" ' 4059860000000000'
keys e
sees "and general again" ' 102 +102 '
keys ')' ')' ')' R
sees "R: the owners, in a legend" '^owners 0'
say 'tui array turned'
sees "the other order: rows are the first dimension" '^━ array +turned\(↓,→\)'
golden array-owners-colours-80x24 seen_colours
keys R
say 'tui array turned(3,4)'
keys Enter
sees "Enter begins to change the element" '^\[all\]> assign turned\(3,4\)'
type_line 0.125
sees "what is there is changed" '^turned\(3,4\) = 0\.125  of rank 1'
keys W
sees "W begins to save what is seen" '^\[all\]> save turned\(1:12,1:[0-9]\) turned\.npy'
keys BSpace BSpace BSpace
type_line txt
sees "which is done" '(elements|turned\.txt)'
like "the file has it" "$(sed -n 4p "$tmp/turned.txt")" '^31 -32 33 0\.125 35'
say 'tui array table[2][3]'
sees "replicated elements that differ" '^table\[2\]\[3\] = \[1\] -1  \[0,2\] 23'
say 'tui array line'
sees "one dimension is folded" '^ +\+0 +\+1 +\+2 '
keys j l
sees "with the cursor in it" '^line\[1[0-9]\] = 0\.'
keys G '$'
sees "to its end" '^line\[499\] = 249\.001'
keys v
sees "its map as well" '^line\[499\] = 249\.001'
keys W
sees "W begins to draw the map" '^\[all\]> heatmap line\[\*\] -cells .* -image line\.png'
keys Enter
sees "which is done" 'line\.png'
check "a picture is there" test -s "$tmp/line.png"
say 'tui array none'
sees "what is not there is told" "there is no object 'none'"
say 'tui array'
sees "and the list again" '^table\[4\]\[5\] +int +replicated'
keys j j Enter
sees "from which one is chosen" '^━ array +table\[↓\]\[→\]'
say 'tui nothing'
sees "a view that is not there" "there is no view 'nothing'"
keys 6
sees "values" '^table.*differ|^━ values'
keys g Enter
sees "Enter goes from a value to the array" '^━ array +table\[↓\]\[→\]'
keys Q
sees "it ends" '^ready>'

# The map: zoom, scales, what is shown
look_at 80x24
say 'tui array cube[3][7][5]'
keys v
sees "the map" ' mean, linear'
keys a
sees "a: the maximum" ' max, linear'
keys z
sees "z: its logarithm" ' max, log'
keys z a a
sees "around 0" ' abs, diverging'
keys z a
sees "and the mean again" ' mean, linear'
keys '>' '>'
sees "nearer" '^ +[1-9] .* '
sees "an element is a cell" '^cube\[3\]\[7\]\[5\]  1 nan'
keys '='
keys l
sees "the cursor goes on by a cell" '^cube\[3\]\[7\]\[6\]  1 inf'
keys R
sees "owners of cells" '^11 1{30}|^ ?11 +1{30}'
keys Q
sees "it ends" '^ready>'

# The difference
compare_at 80x24
sees "how many differ" '^96 of 10000 differ, tolerance 1e-09 relative'
sees "their shape" '^part of row 49: '
keys ']'
sees "] goes to the next" '^v\[49\]\[2\] of rank 0'
keys '['
sees "[ back" '^v\[49\]\[1\] of rank 0'
keys '['
sees "there is none before" 'no element differs before this one'
keys M
sees "M goes to the largest" '^v\[49\]\[83\] of rank 1|^v\[49\]\[16\] of rank 0|^v\[49\]'
keys e
sees "absolute" 'tolerance 1e-09 absolute'
keys ')' ')' ')' ')' ')' ')' ')'
sees "a wider tolerance: nothing differs" '^none of 10000 differs, tolerance 0\.01 absolute'
keys ']'
sees "and nothing is gone to" 'no element differs by more'
keys e
sees "none at all: rounding counts" '^[0-9]+ of 10000 differ, tolerance exact'
keys Enter
sees "Enter: the element in the array" '^━ array +v\[↓\]\[→\]'
keys A
sees "other arrays" '^u\[100\]\[100\] '
say 'tui diff u'
sees "one that the reference has not" "has no array u of 3\.E"
keys Q
sees "it ends" '^ready>'

# While the program runs
open_terminal 80 24
type_line "clear; $DVMDBG --tui -n 4 -e 'break 3.B' -e cont $heat 3000 1000000"
sees "a large array" 'stopped 3\.B'
say 'delete 0'
say 'tui array u[1500][1500]'
sees "an element of it" '^u\[1500\]\[1500\] = '
keys c
sees "what runs shows the last picture as that" '^━ array .*\(at the last stop\)'
keys C-c
sees "halted" 'stopped [0-9]+\.[BE]'
unlike "it is of now" "$(seen_now)" '^━ array .*\(at the last stop\)|\(old\)'
say go
sees "sent off" 'running'
keys j j G
sees "keys move, and what cannot be taken is old" '\(old\)'
say halt
sees "halted again" 'stopped [0-9]+\.[BE]'
keys g G
sees "and is as the ranks have it" '^u\[2999\]\[1500\] = '
unlike "not old" "$(seen_now)" '\(old\)'
keys Q
sees "it ends" '^ready>'

# Terminals: 256 colours with halves, and none
compare_at 80x24 screen-256color
sees "in colours" '^v\[49\]\[1\]'
golden diff-map-colours-80x24 seen_colours
say 'tui array v'
keys v
sees "the map in colours" ' mean, linear'
sees "is complete" '^seen .*\|.*\|'
golden heat-map-colours-80x24 seen_colours
keys Q
sees "it ends" '^ready>'
compare_at 80x24 vt100
say 'tui array v'
keys v
sees "without colours" ' mean, linear'
sees "the map is complete" '^seen .*\|.*\|'
golden heat-map-vt100-80x24 seen_colours
keys R
sees "owners as digits" '^ 0 0{30,}1{30,}'
keys Q
sees "it ends" '^ready>'
open_terminal 80 24
type_line "clear; LC_ALL=C $DVMDBG --tui -n 3 -e 'break 1.B' -e cont $view"
sees "ASCII" 'stopped 1\.B'
say 'tui array cube'
sees "arrows and bars in ASCII" '^= array +cube\[0\]\[v\]\[>\]'
keys Q
sees "it ends" '^ready>'
close_terminal
no_leak "arrays on the full screen"
done_testing
