# SPDX-License-Identifier: GPL-3.0-or-later
# save and diff: whole arrays in files, compared element by element.
. "${0%/*}/lib.sh"

# The header of a .npy file, and number COUNT of doubles from the FIRST (from 0) on, one a line.
header() { od -A n -v -t u1 -j 8 -N 2 "$1" | awk '{ print $1 + 256 * $2 }' | while read -r n; do
	dd if="$1" bs=1 skip=10 count="$n" 2>/dev/null; done; }
doubles()
{
	local n
	n=$(od -A n -v -t u1 -j 8 -N 2 "$1" | awk '{ print 10 + $1 + 256 * $2 }')
	od -A n -v -t f8 -w8 -j $((n + 8 * $2)) -N $((8 * $3)) "$1" | awk '{ printf "%.12g\n", $1 }'
}
# save_at PROGRAM RANKS POINT ARRAY FILE ARGS…
save_at()
{
	local program=$1 n=$2 point=$3 array=$4 file=$5
	shift 5
	dvm 60 "break $point
cont
save $array $file" -n "$n" "$program" "$@"
}
# diff_at PROGRAM RANKS POINT "COMMANDS" ARGS…
diff_at()
{
	local program=$1 n=$2 point=$3 commands=$4
	shift 4
	dvm 60 "break $point
cont
$commands" -n "$n" "$program" "$@"
}
# refused NAME COMMAND REGEX ARGS…: the command is an error with such a text
refused()
{
	diff_at "$heat" 4 5.E "$2" 40 10 "${@:4}"
	like "$1" "$out" "$3"
	is "$1: it is an error" $status 2
}

for mpi in $(mpis_in long); do
	heat=$(prog doc/examples/heat "$mpi")
	jacobi=$(prog doc/examples/jacobi "$mpi")
	cd "$tmp" || exit 1

	for n in 1 3 4; do
		save_at "$heat" $n 6.E u u$n.npy 40 10
		is "$mpi: save on $n ranks" "$status: $(said | tail -n 1)" \
			"0: u saved in u$n.npy: double 40 x 40"
	done
	check "$mpi: 1 and 4 ranks give the same bytes" cmp u1.npy u4.npy
	check "$mpi: 1 and 3 ranks give the same bytes" cmp u1.npy u3.npy
	like "$mpi: the header" "$(header u1.npy)" \
		"'descr': '[<>]f8', 'fortran_order': False, 'shape': \(40, 40\)"
	diff_at "$heat" 4 6.E "diff u -with u1.npy
save u[3:9:2][7] us.npy
diff u[3:9:2][7] -with us.npy
diff u[3:9:2][7] -with u1.npy
diff u[9:0:-3][{1,5,2}] -with u1.npy
save u[11][13] one.npy
diff u[11][13] -with one.npy
save eps eps.npy
diff eps -with eps.npy
save n n.npy" 40 10
	like "$mpi: equal arrays" "$out" '^u: all 1600 elements are equal to u1\.npy$'
	like "$mpi: a section with a file of its own" "$out" \
		'^u\[3:9:2\]\[7\] saved in us\.npy: double 4$' \
		'^u: all 4 elements are equal to us\.npy$' '^u: all 4 elements are equal to u1\.npy$'
	like "$mpi: a section backwards, and with a list" "$out" \
		'^u: all 12 elements are equal to u1\.npy$'
	like "$mpi: single numbers" "$out" '^u\[11\]\[13\] saved in one\.npy: double$' \
		'^u: equal to one\.npy$' '^eps saved in eps\.npy: double$' '^eps: equal to eps\.npy$' \
		'^n saved in n\.npy: long$'
	is "$mpi: no error in all of this" $status 0
	is "$mpi: a strided section has the right elements" "$(doubles us.npy 0 4)" \
		"$(for i in 3 5 7 9; do doubles u1.npy $((40 * i + 7)) 1; done)"
	is "$mpi: eps is there" "$(doubles eps.npy 0 1)" 0.5
	no_leak "$mpi: save"

	save_at "$heat" 4 2.E u start.npy 40 10
	is "$mpi: an element has the value of the formula" "$(doubles start.npy $((40 * 9 + 5)) 1)" \
		"$(awk 'BEGIN { p = atan2(0, -1); printf "%.12g", sin(2*p*9/39) * sin(3*p*5/39) }')"

	# The rows of rank 0 and 1 that were computed without their neighbours' values.
	save_at "$heat" 1 3.E v v1.npy 40 10
	diff_at "$heat" 4 3.E 'diff v -with v1.npy -list 2 -image v.png
diff v[0:18][*] -with v1.npy
diff v -with v1.npy -tolerance absolute:1 -list 0
set COMPARE = absolute
set Exp = 0.5
diff v -with v1.npy' 40 10 --fault missing-halo
	is "$mpi: diff is no error" $status 0
	like "$mpi: a faulty run: how many" "$out" \
		'^v: 3[0-9] of 1600 elements differ from v1\.npy \(by more than 1e-09 of its block.s largest value\)'
	like "$mpi: where, in words" "$out" \
		'^  where    part of row 19: (nearly all )?columns 1 to 38, the boundary between \[0:1\] and \[2:3\]: the last row of ranks \[0:1\]$'
	like "$mpi: whose" "$out" '^  owners   \[0:1\]$'
	like "$mpi: the first" "$out" '^  first    v\[19\]\[1\] = [-0-9.]+, reference [-0-9.]+, owned by rank 0$'
	like "$mpi: the largest" "$out" \
		'^  largest  v\[19\]\[[0-9]+\] = [-0-9.]+, reference [-0-9.]+, difference 0\.00998'
	is "$mpi: as many are listed as was asked" "$(printf '%s\n' "$out" | grep -c '^  v\[19\]\[')" 2
	like "$mpi: how many are not listed" "$out" '^  and 3[0-9] more$'
	like "$mpi: a section where nothing differs" "$out" '^v: (all 760 elements are equal to|only rounding: [0-9]+ of 760 elements differ from) v1\.npy'
	like "$mpi: a tolerance of its own" "$out" \
		'^v: only rounding: [0-9]+ of 1600 elements differ from v1\.npy, within the tolerance of 1 absolute$'
	like "$mpi: a tolerance by settings" "$out" '^v: only rounding: .* within the tolerance of 0\.5 absolute$'
	like "$mpi: the picture is told" "$out" '^  picture  v\.png$'
	is "$mpi: the picture has a pixel an element" "$(od -A n -v -t u1 -N 24 v.png | xargs)" \
		"137 80 78 71 13 10 26 10 0 0 0 13 73 72 68 82 0 0 0 40 0 0 0 40"
	diff_at "$heat" 4 3.E 'diff v -with v1.npy -cells 4x8 -list 0
diff v -with v1.npy -after 19,5 -list 0
diff v -with v1.npy -after 19,39 -list 0
save v[18:19][0:2] v.txt' 40 10 --fault missing-halo
	is "$mpi: a map of the difference" "$(said | grep '^  |' | tr -c '| \n' x)" \
"  |        |
  |xxxxxxxx|
  |        |
  |        |"
	like "$mpi: the next element" "$out" '^  next     v\[19\]\[[67]\] = '
	like "$mpi: behind the last" "$out" '^  next     none after it$'
	is "$mpi: a text file" "$(awk '/^#/ { print; next } { print NF }' v.txt)" "# v[18:19][0:2] double
# rows: dimension 1, 18:19; columns: dimension 2, 0:2
# point 3.E
3
3"
	dvm 60 "break 3.E
cont
diff v -with v1.npy -list 1" --json -n 4 "$heat" 40 10 --fault missing-halo
	out=$(printf '%s\n' "$out" | grep '"type": *"diff"')
	like "$mpi: JSON has the same" "$out" '"total": *1600' '"differ": *3[0-9]' \
		'"first": *\{"element": *"v\[19\]\[1\]", *"index": *\[19, *1\]' '"owners": *"\[0:1\]"' \
		'"compare": *"scaled"' '"list": *\[\{.*"rank": *0' '"low": *\[19, *1\]'
	diff_at "$heat" 4 1.E 'diff u -with start.npy' 40 10 --fault uninitialised-corner
	like "$mpi: a corner" "$out" '^u: 2 of 1600 elements differ from start\.npy' \
		'^  where    part of row 19: columns 19 and 38, the boundary between \[0:1\] and \[2:3\]: the last row of ranks \[0:1\]$'
	no_leak "$mpi: diff"

	if [ -x "$jacobi" ]; then
		for n in 1 4; do
			save_at "$jacobi" $n 2.E u f$n.npy 20 5
		done
		check "$mpi: Fortran: 1 and 4 ranks give the same bytes" cmp f1.npy f4.npy
		like "$mpi: Fortran: told" "$out" '^u saved in f4\.npy: double 20 x 20, Fortran order$'
		like "$mpi: Fortran: the order is kept" "$(header f1.npy)" "'fortran_order': True"
		is "$mpi: Fortran: the first index is the fastest" "$(doubles f1.npy $((19 * 5 + 5 + 4)) 1)" \
			"$(awk 'BEGIN { p = atan2(0, -1); printf "%.12g", sin(2*p*4/19) * sin(3*p*5/19) }')"
		diff_at "$jacobi" 3 2.E 'diff u -with f1.npy
diff u(2:8:3,*) -with f1.npy
save u(2:8:3,4:6) fs.npy
diff u(2:8:3,4:6) -with fs.npy' 20 5
		like "$mpi: Fortran: equal" "$out" '^u: all 400 elements are equal to f1\.npy$' \
			'^u: all 60 elements are equal to f1\.npy$' '^u: all 9 elements are equal to fs\.npy$'
		is "$mpi: Fortran: no error" $status 0
		save_at "$jacobi" 1 2.E v fv.npy 20 5
		diff_at "$jacobi" 4 2.E 'diff v -with fv.npy -list 3' 20 5 --fault missing-halo
		like "$mpi: Fortran: first in its own order" "$out" '^  first    v\(2,5\) = '
		like "$mpi: Fortran: columns" "$out" '^  where    .*column'
		is "$mpi: Fortran: the list as well" \
			"$(printf '%s\n' "$out" | sed -nE 's/^  (v\([0-9,]+\)).*/\1/p' | head -n 2 | xargs)" \
			"v(2,5) v(3,5)"
	fi

	# More than is fetched at once.
	for n in 1 3; do
		save_at "$heat" $n 1.E u big$n.npy 1600 0
		[ ! -x "$jacobi" ] || save_at "$jacobi" $n 1.E u bigf$n.npy 1600 0
	done
	is "$mpi: a large array, complete" "$(doubles big1.npy 2550000 1)" \
		"$(awk 'BEGIN { p = atan2(0, -1); printf "%.12g", sin(2*p*1593/1599) * sin(3*p*1200/1599) }')"
	check "$mpi: a large array, 1 and 3 ranks give the same bytes" cmp big1.npy big3.npy
	[ ! -x "$jacobi" ] ||
		check "$mpi: Fortran: a large array, 1 and 3 ranks" cmp bigf1.npy bigf3.npy
	rm -f big*

	# What cannot be done, and why.
	refused "$mpi: no reference" 'diff u' "there is nothing to compare u with: 'record DIR -arrays u -at 5\.E'"
	refused "$mpi: no such file" 'diff u -with nix.npy' 'nix\.npy: .*No such file'
	refused "$mpi: a file of another shape" 'diff u[0:1][*] -with us.npy' \
		'us\.npy: it has 4, but u has 40 x 40'
	refused "$mpi: a file of another type" 'diff n -with eps.npy' \
		'eps\.npy: its elements are double, those of n are long'
	printf 'no array' >bad.npy
	refused "$mpi: no .npy file" 'diff u -with bad.npy' 'bad\.npy'
	refused "$mpi: an unknown array" 'save uu f.npy' "there is no object 'uu'; near: u"
	refused "$mpi: no file is named" 'save u' 'save: give an array and a file'
	refused "$mpi: a picture is no numbers" 'save u u.png' "numbers are saved as \.npy or \.txt; 'heatmap u -image u\.png' writes"
	refused "$mpi: an expression" 'diff u*2 -with u1.npy' "diff: 'u\*2' is not an array"
	refused "$mpi: an index outside" 'save u[40][1] f.npy' 'u: index 40 of dimension 1 is outside 0:39'
	refused "$mpi: a tolerance that is none" 'diff u -with u1.npy -tolerance small' \
		"the tolerance 'small' is not understood: exact, a number"
	refused "$mpi: too long a list" 'diff u -list 20000' 'diff -list 20000: a number from 0 to 10000'
	refused "$mpi: ranks that do not own all" '[0:1] save u f.npy' 'u: 800 elements are missing'
	check "$mpi: no file is left of an error" test ! -e f.npy
	refused "$mpi: copies that differ" 'save eps f.npy' \
		'eps is not the same on all ranks: \[3\] and \[0:2\] have different values' \
		--fault differing-eps
	diff_at "$heat" 4 5.E '[3] save eps eps3.npy' 40 10 --fault differing-eps
	is "$mpi: one of them" "$(doubles eps3.npy 0 1)" 0.75
	refused "$mpi: a directory that there is not" 'save u nix/f.npy' 'nix/f\.npy.*No such file'
	cp u1.npy kept.npy
	refused "$mpi: copies that differ, over an old file" 'save eps kept.npy' 'eps is not the same' \
		--fault differing-eps
	check "$mpi: an error leaves the old file" cmp u1.npy kept.npy
	diff_at "$heat" 4 5.E 'save v kept.npy' 40 10
	is "$mpi: an old file is replaced" "$status $(cmp -s u1.npy kept.npy; echo $?)" "0 1"
	no_leak "$mpi: errors"
done
done_testing
