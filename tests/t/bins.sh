# SPDX-License-Identifier: GPL-3.0-or-later
# stat and heatmap: arrays reduced on the ranks, against all their elements as save brings them.
. "${0%/*}/lib.sh"

# The doubles of a .npy file, one a line.
doubles()
{
	local n
	n=$(od -A n -v -t u1 -j 8 -N 2 "$1" | awk '{ print 10 + $1 + 256 * $2 }')
	od -A n -v -t f8 -w8 -j "$n" "$1"
}
# answer TYPE [N]: the JSON of the Nth answer of that type
answer() { printf '%s\n' "$out" | grep -F "\"type\":\"$1\"" | sed -n "${2:-1}p"; }
# member NAME: an object, a list or a value, of the JSON on standard input; the first of that name
member() { sed -nE "s/.*\"$1\":(\{[^}]*\}|\[[^]]*\]|[^],}]*).*/\1/p"; }
# list NAME: the numbers of a list, one a line
list() { member "$1" | tr -d '[]' | tr ',' '\n'; }
# agree FILE ROWS COLUMNS R C [F]: the cells of the heat map on standard input are those of the file, which
# has so many rows and columns; F: in the order of Fortran. Prints how many cells were looked at.
agree()
{
	local json
	json=$(cat)
	for name in count min max mean; do
		printf '%s\n' "$json" | list $name | sed "s/^/$name /"
	done | cat - <(doubles "$1") | awk -v n0="$2" -v n1="$3" -v rows="$4" -v cols="$5" -v order="${6:-C}" '
		NF == 2 { told[$1, got[$1]++] = $2 + 0; next }
		{
			i = order == "F" ? k % n0 : int(k / n1)
			j = order == "F" ? int(k / n0) : k % n1
			c = int(i * rows / n0) * cols + int(j * cols / n1)
			v = $1 + 0
			if (!n[c]++ || v < least[c]) least[c] = v
			if (n[c] == 1 || v > most[c]) most[c] = v
			sum[c] += v
			k++
		}
		END {
			for (c = 0; c < rows * cols; c++) {
				by = told["mean", c] - sum[c] / n[c]
				scale = (most[c] < 0 ? -most[c] : most[c]) + (least[c] < 0 ? -least[c] : least[c])
				if (told["count", c] != n[c] || told["min", c] != least[c] || told["max", c] != most[c] ||
				    by > 1e-12 * scale || by < -1e-12 * scale)
					print "cell", c, told["count", c], told["min", c], told["max", c], told["mean", c], \
						"not", n[c], least[c], most[c], sum[c] / n[c]
				else
					same++
			}
			print same, "of", got["min"], "cells of", k, "elements"
		}'
}
# refused NAME COMMAND TEXT: the command is an error with that text
refused()
{
	dvm 60 "break 5.E
cont
$2" -n 2 "$heat" 40 10
	like "$1" "$out" "$3"
	is "$1: it is an error" $status 2
}

for mpi in $(mpis_in long); do
	heat=$(prog doc/examples/heat "$mpi")
	jacobi=$(prog doc/examples/jacobi "$mpi")
	lu=$(prog doc/examples/lu "$mpi")
	halos=$(prog tests/prog/arrays/halos "$mpi")
	cd "$tmp" || exit 1

	for n in 1 3 4; do
		dvm 60 "break 6.E
cont
save u u.npy
stat u
heatmap u -cells 3x7
heatmap u -cells 40x40
heatmap u[*][5] -cells 2x4" -n "$n" --json "$heat" 40 10
		is "$mpi: the cells of heat on $n ranks" "$(answer heatmap | agree u.npy 40 40 3 7)" \
			"21 of 21 cells of 1600 elements"
		is "$mpi: a cell for each element, $n ranks" "$(answer heatmap 2 | agree u.npy 40 40 40 40)" \
			"1600 of 1600 cells of 1600 elements"
		is "$mpi: the owners of cells, $n ranks" "$(answer heatmap 2 | list owner | sort -u | wc -l)" "$n"
		is "$mpi: extremes of heat on $n ranks" \
			"$(answer stat | member least) $(answer stat | member most)" \
			"$(doubles u.npy | awk '
				NR == 1 || $1 < low { low = $1; at = NR - 1 }
				NR == 1 || $1 > high { high = $1; top = NR - 1 }
				function o(i, v) { return sprintf("{\"element\":\"u[%d][%d]\",\"index\":[%d,%d],\"value\":%.17g}",
					int(i / 40), i % 40, int(i / 40), i % 40, v) }
				END { print o(at, low), o(top, high) }')"
	done
	is "$mpi: one dimension is folded into rows" \
		"$(answer heatmap 3 | member columns) $(answer heatmap 3 | member cells_count) $(
			answer heatmap 3 | list count | tr '\n' ' ')" "4 8 5 5 5 5 5 5 5 5 "

	dvm 60 "break 6.E
cont
save v v.npy
save v(7:30,3) line.npy
heatmap v -cells 5x9
heatmap v -cells 9x5 -rows 2 -columns 1
stat v(7:30,3) -histogram" -n 3 --json "$jacobi" 40 10
	is "$mpi: the cells of jacobi, in Fortran" "$(answer heatmap | agree v.npy 40 40 5 9 F)" \
		"45 of 45 cells of 1600 elements"
	is "$mpi: and with rows and columns changed" "$(answer heatmap 2 | agree v.npy 40 40 9 5)" \
		"45 of 45 cells of 1600 elements"
	is "$mpi: a histogram counts each element" \
		"$(answer stat | list count | awk '{ n += $1 } END { print NR, n }')" "64 24"

	dvm 60 "break 3.B
cont
save u(2,*,*,5) u2.npy
heatmap u(2,*,*,5) -cells 4x12
stat u" -n 4 --json "$lu" 12 2
	is "$mpi: the cells of a plane of lu" "$(answer heatmap | agree u2.npy 12 12 4 12 F)" \
		"48 of 48 cells of 144 elements"
	is "$mpi: all of lu" "$(answer stat | member total) $(answer stat | member count)" "8640 8640"

	# The elements are their indices, two digits each, after the version.
	dvm 60 "break 2.B
cont
stat a
stat a[3:5][4:9]
stat e
[1] stat a
stat a -between 10500:10700" -n 4 "$halos" a-0 b0++@0
	is "$mpi: halos are not counted, and each index list once" "$(said | grep -vE '^(Point|actionpoint)')" \
"a: 168 elements of double
  mean     10556.5
  min      10000 at a[0][0]
  max      11113 at a[11][13]
a[3:5][4:9]: 18 elements of double
  mean     10406.5
  min      10304 at a[3][4]
  max      10509 at a[5][9]
e: 6 elements of double
  mean     0
  min      0 at e[0]
  max      0 at e[0]
a: 168 elements of double, 126 of them missing
  mean     10260
  min      10007 at a[0][7]
  max      10513 at a[5][13]
a: 168 elements of double
  mean     10556.5
  min      10000 at a[0][0]
  max      11113 at a[11][13]
         10500  ##################################################  13
         10512  ####                                                1
         10525                                                      0
         10538                                                      0
         10550                                                      0
         10562                                                      0
         10575                                                      0
         10588                                                      0
         10600  ##################################################  13
         10612  ####                                                1
         10625                                                      0
         10638                                                      0
         10650                                                      0
         10662                                                      0
         10675                                                      0
         10688  ####                                                1
         10700
  below: 70, above: 69"
	dvm 60 "break 6.E
cont
heatmap u -cells 4x8
heatmap u -cells 4x8 -image u.png
[0] heatmap u -cells 4x8" -n 4 "$heat" 40 10
	like "$mpi: what is elsewhere is told" "$out" '^u: 1600 elements of double, 1200 of them missing$' \
		'^  \|.{4}\?{4}\|$' '^  \|\?{8}\|$' '^  picture  u\.png$'
	is "$mpi: a pixel a cell" "$(od -A n -t u1 -j 16 -N 8 u.png | xargs)" "0 0 0 8 0 0 0 4"
	like "$mpi: the picture of letters" "$(said | sed -n '/^  |/p' | sed -n 1,4p | tr '\n' '/')" \
		"^(  \|[ .:=+*#%@-]{8}\|/){4}$"

	# rank 17 is below rank 1, which is below rank 0: pictures are folded on the way, twice
	dvm 120 "break 6.E
cont
save u u.npy
stat u
heatmap u -cells 7x11
heatmap u -cells 40x40" -n 18 --json "$heat" 40 10
	is "$mpi: a tree of three levels" "$(answer heatmap | agree u.npy 40 40 7 11)" \
		"77 of 77 cells of 1600 elements"
	is "$mpi: all of its ranks have their part" "$(answer heatmap 2 | list owner | sort -u | wc -l)" 18
	is "$mpi: and no element counts twice" "$(answer stat | member total) $(answer stat | member count)" "1600 1600"

	# where the kernel lets nobody read a program's memory, the program does
	DVMDBG_NO_VM=1
	export DVMDBG_NO_VM
	dvm 60 "break 6.E
cont
save u u.npy
heatmap u -cells 5x9
stat u -histogram" -n 3 --json "$heat" 40 10
	is "$mpi: memory that only the program can read" "$(answer heatmap | agree u.npy 40 40 5 9)" \
		"45 of 45 cells of 1600 elements"
	is "$mpi: and its histogram" "$(answer stat | list count | awk '{ n += $1 } END { print NR, n }')" "64 1600"
	unset DVMDBG_NO_VM

	refused "$mpi: too many cells" "heatmap u -cells 2000x2000" 'heatmap -cells 2000x2000: .*at most 1048576 cells'
	refused "$mpi: no such dimension" "heatmap u -rows 3" 'heatmap -rows 3: a dimension from 1 to 2 is allowed'
	refused "$mpi: steps" "stat u[0:9:2][*]" 'stat: in dimension 1 only a range without a step is allowed'
	refused "$mpi: a scalar" "stat eps" 'stat: eps is a single value; print shows it'
	refused "$mpi: no such array" "stat w" "there is no object 'w'"
	no_leak "$mpi"
done
done_testing
