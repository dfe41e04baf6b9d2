# SPDX-License-Identifier: GPL-3.0-or-later
# sum, min, max and abs in expressions, over whole arrays and by rank, and in conditions.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
prog=$(prog tests/prog/arrays/reduce "$mpi")

# The same on any number of ranks: 72 numbers 0 … 71; 12 with NaN at 3 and -inf at 7; (1 << 53) + i; …
script='break 1.B
break 2.B
cont
print sum(3)
print sum[3]
print sum(1:2)
cont
print sum(grid)
print max(grid)
print min(grid[2:3][*])
print SUM(grid[0:7:2][1])
print maxval(grid[{1,5}][{0,8}])
print sum(grid * 2 - grid)
print sum(grid) / 72 - grid[4][0]
print max(abs(3 - grid[0][*]))
print abs(grid[0][0:2] - 1)
print max(grid[0][0:2], 1, k - 3)
print sum(odd)
print max(odd)
print min(odd)
print min(odd[0:6])
print sum(odd[4:6])
print sum(odd[8:11]) + min(odd[0:0], 5)
print sum(waves)
print max(abs(waves))
print sum(whole)
print max(whole)
print min(whole[1:11:2])
print max(wide)
print sum(wide[0:1])
print sum(flags)
print sum(grid > 35)
print sum(large)
print min(large)
print sum(large * large > 1) / 3
print sum(sum(grid))
print grid[min(7, 2)][max(k, 1)]
print sum(3)'
wanted='print sum(3) = 40
print sum[3] = 40
print sum(1:2) = 20 30
print sum(grid) = 2556
print max(grid) = 71
print min(grid[2:3][*]) = 18
print SUM(grid[0:7:2][1]) = 112
print maxval(grid[{1,5}][{0,8}]) = 53
print sum(grid * 2 - grid) = 2556
print sum(grid) / 72 - grid[4][0] = -0.5
print max(abs(3 - grid[0][*])) = 5
print abs(grid[0][0:2] - 1) = 1 0 1
print max(grid[0][0:2], 1, k - 3) = 1 1 2
print sum(odd) = nan
print max(odd) = 11
 max(odd) leaves out 1 NaN
print min(odd) = -inf
 min(odd) leaves out 1 NaN
print min(odd[0:6]) = 0
 min(odd[0:6]) leaves out 1 NaN
print sum(odd[4:6]) = 15
print sum(odd[8:11]) + min(odd[0:0], 5) = 38
print sum(waves) = (66, -24)
print max(abs(waves)) = 11.18034
print sum(whole) = 108086391056891970
print max(whole) = 9007199254741003
print min(whole[1:11:2]) = 9007199254740993
print max(wide) = 4611686018427387915
print sum(wide[0:1]) = 9223372036854775809
print sum(flags) = 4
print sum(grid > 35) = 36
print sum(large) = -899970000
print min(large) = -59999
print sum(large * large > 1) / 3 = 9999
print sum(sum(grid)) = 2556
print grid[min(7, 2)][max(k, 1)] = 22
print sum(3) = 3'
for n in 1 3 4; do
	dvm 90 "$script" -n $n "$prog"
	is "on $n: each has the value that arithmetic gives" \
		"$(said | grep -vE '^(actionpoint|Point)' | sed -E 's/^(.*) = +/print \1 = /; s/ +/ /g')" "$wanted"
done
no_leak "values"

# By rank: the copies differ on the last one.
dvm 60 'break 2.B
cont
print sum(copies)
print max(copies) > 5
print min(abs(copies))
[2] print sum(copies)
[0:1] print max(copies[0:1])
stat copies
[0:1] stat copies' -n 3 "$prog"
like "replicated objects are reduced by rank" "$out" '^sum\(copies\) = <differing>   \[2\]: 13.25    \[0:1\]: 2.75$' \
	'^max\(copies\) > 5 = <differing>   \[2\]: true    \[0:1\]: false$' '^min\(abs\(copies\)\) = 0.25$' \
	'^sum\(copies\) = 13.25$' '^max\(copies\[0:1\]\) = 1$'
is "stat says whose copies differ, and only then" \
	"$(grep -E 'as rank|other values' <<<"$out" | sed 's/.*, as/as/')" "as rank 0 has them
  [2] has other values
as rank 0 has them"

# What cannot be.
talk 'break 1.B
print max(2, 3) + abs(0-4)
print sum(grid)
cont
assign sum(2) 7
print sum[*]
break 2.B
cont
[0] print sum(grid)
print sum(wide)
print max(waves)
print sum(grid, 2)
print abs(grid) + large
print sum(nothing)
print sum(grid[9][0])
print abs(large)
print sum(grid
stat sum(grid)
assign k = sum(flags) + max(grid)
print k' -n 2 "$prog"
is "numbers alone need no program" "$(answer 'print max(2, 3) + abs(0-4)')" 'max(2, 3) + abs(0-4) = 7'
like "arrays need one that stands" "$(answer 'print sum(grid)')" 'print: \[0:1\]: not started'
is "elements that nobody who is asked owns" "$(answer '[0] print sum(grid)')" \
	'grid: 36 of 72 elements are missing: no rank that is asked owns them'
is "a sum that has no room" "$(answer 'print sum(wide)')" 'the sum does not fit into 64 bits: it is about 5.53402e+19'
is "no order" "$(answer 'print max(waves)')" 'column 1: complex numbers have no order: max needs real ones'
is "a mask, no dimension" "$(answer 'print sum(grid, 2)')" \
	'column 11: behind the array sum takes a mask, as in sum(u, u > 0); for one dimension give a section'
like "shapes" "$(answer 'print abs(grid) + large')" 'column 11: "\+" needs equal shapes'
like "names" "$(answer 'print sum(nothing)')" "there is no object 'nothing'"
like "indices" "$(answer 'print sum(grid[9][0])')" 'grid: index 9 of dimension 1 is outside -1:8'
is "what is shown is not more than PRINT_LIMIT" "$(answer 'print abs(large)')" \
	'abs(large): these are 60000 elements, more than PRINT_LIMIT (10000)'
like "syntax" "$(answer 'print sum(grid')" "column 9: expected ',' or '\)', found the end"
like "a sum is no array" "$(answer 'stat sum(grid)')" "stat: 'sum\(grid\)' is not an array"
is "assigned" "$(answer 'print k')" 'k = 75'
like "an array of that name is an array" "$(answer 'print sum[*]')" '10 +20 +7 +40 +50'

# Conditions over whole arrays, of which no rank has all: grid is one more at each point.
dvm 90 'break 1.B
cont
break reduce.c:91 -if sum(grid) > 2700 && k == 4
cont
print sum(grid)
delete -all
break reduce.c:91 -if max(copies) > 5 && min(grid) > 0
cont
print min(grid)
actions
delete -all
break reduce.c:91 -if max(nothing) > 5
cont' -n 3 "$prog"
like "a condition of a sum" "$out" '^Point 5\.B  \[0:2\]' '^sum\(grid\) = 2772$'
like "that differs: all stop, both groups are told" "$out" \
	'^Actionpoint 2, reduce\.c:91: max\(copies\) > 5 && min\(grid\) > 0 differs: true on \[2\], false on \[0:1\]$' \
	'^Point 6\.B  \[0:2\]' '^min\(grid\) = 4$'
like "that cannot be evaluated" "$out" '^warning: actionpoint 3: the condition max\(nothing\) > 5 cannot be evaluated on \[0:2\]: .*nothing' \
	'^Point 7\.B  \[0:2\]'
no_leak "conditions"
done_testing
