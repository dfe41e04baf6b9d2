# SPDX-License-Identifier: GPL-3.0-or-later
# Arrays of structures: their fields are arrays, in C and Fortran, on one rank and several, block and cyclic.
. "$(dirname "$0")/lib.sh"
export HOME=$tmp
own_program arrays/fields.c
hooked c || diag "$(cat said)"
mpi_compilers "$mpi"
if command -v "$fc" >/dev/null; then
	mkdir mod
	# shellcheck disable=SC2086
	DVMDBG_FC=$fc "$builddir/runtime/dvmdbg-fc" -g -O2 -J mod "$srcdir/runtime/dvmdbg.f90" "$srcdir/tests/prog/arrays/fields.f90" -o f \
		$libs >said 2>&1 || diag "$(cat said)"
fi

# In C cells[g].t is g before the second construct, in Fortran p(g)%t: v is 10 g + its index.
questions='break 2.B
cont
print @[3]
print @[3].t
print @[3:5].t
print sum(@.t)
print max(abs(@.v))
print @[3].v[1]
print @[23].v
print @[3].pos.x
print @[3].z
print @ + 1
watch @
watch @[3].z
print @.t -where @.t > 21
print -plot @.t
what @.t
what @[3].t
what @[3]
stat @.t
stat @
save @ all.bin
decomp @
assign @[20].t 5
assign @[4].v[2] -1
print @[20].t == 5 && @[4].v[2] < 0
delete -all
cont'
for n in 1 4; do
	for kind in block cyclic; do
		id="C, $n, $kind"
		talk "${questions//@/cells}" -n $n ./c $kind
		is "$id: one structure" "$(answer 'print cells[3]')" \
			'cells[3] = {kind = 0, pos.x = 1.5, pos.y = -3, rho = 103, t = 3, v = {30, 31, 32}}'
		is "$id: a field of it" "$(answer 'print cells[3].t')" 'cells[3].t = 3'
		is "$id: a section" "$(answer 'print cells[3:5].t')" 'cells[3:5].t = 3 4 5'
		is "$id: a sum" "$(answer 'print sum(cells.t)')" 'sum(cells.t) = 276'
		is "$id: a reduction of an expression" "$(answer 'print max(abs(cells.v))')" 'max(abs(cells.v)) = 232'
		is "$id: a field that is an array" "$(answer 'print cells[3].v[1]')" 'cells[3].v[1] = 31'
		is "$id: all of it" "$(answer 'print cells[23].v')" 'cells[23].v = 230 231 232'
		is "$id: a member of a member" "$(answer 'print cells[3].pos.x')" 'cells[3].pos.x = 1.5'
		is "$id: a field that there is not" "$(answer 'print cells[3].z')" \
			"cells has no field 'z'; its fields: kind, pos.x, pos.y, rho, t, v"
		like "$id: no field" "$(answer 'print cells + 1')" 'cells is an array of structures: name a field, cells.kind, cells.pos.x, '
		like "$id: nor for watch" "$(answer 'watch cells')" 'cells is an array of structures: name a field, cells.kind, cells.pos.x, '
		for verb in 'stat cells' 'save cells all.bin' 'decomp cells'; do
			like "$id: nor for $verb" "$(answer "$verb")" 'cells is an array of structures: name a field, cells.kind, cells.pos.x, '
		done
		like "$id: one that there is not for watch" "$(answer 'watch cells[3].z')" "cells has no field 'z'"
		is "$id: some elements" "$(answer 'print cells.t -where cells.t > 21')" 'cells.t: 2 of 24 elements
  cells[22].t = 22
  cells[23].t = 23'
		like "$id: drawn" "$(answer 'print -plot cells.t')" '  cells\[17\]\.t .* 17'
		like "$id: what it is" "$(answer 'what cells.t')" 'cells\[\]\.t: double\[24\], distributed'
		like "$id: of an element too, in global indices" "$(answer 'what cells[3].t')" '^cells\[\]\.t: double\[24\], distributed'
		like "$id: of a structure all fields" "$(answer 'what cells[3]')" '^cells\[\]\.kind: int\[24\]' '^cells\[\]\.t: double\[24\]'
		like "$id: where extremes are" "$(answer 'stat cells.t')" 'max +23 at cells\[23\]\.t'
		like "$id: assigned" "$(answer 'assign cells[20].t 5')" '^cells\[20\]\.t = 5, was 20, on '
		like "$id: assigned in an array" "$(answer 'assign cells[4].v[2] -1')" '^cells\[4\]\.v\[2\] = -1, was 42, on '
		is "$id: both are there" "$(answer 'print cells[20].t == 5 && cells[4].v[2] < 0')" 'cells[20].t == 5 && cells[4].v[2] < 0 = true'
		no_leak "$id"
		[ -x f ] || continue
		id="Fortran, $n, $kind"
		talk "break 2.B
cont
print p(3)
print P(3:5)%T
print sum(p%t)
print p(3)%v(2)
print p(3)%at%x
print p(3)%z
stat p%t
assign p(20)%t 5
print p(20)%t
delete -all
cont" -n $n ./f $kind
		is "$id: one structure" "$(answer 'print p(3)')" \
			'p(3) = {at%x = 1.5, at%y = -3, kind = 0, rho = 103, t = 3, v = {31, 32, 33}}'
		is "$id: in capitals" "$(answer 'print P(3:5)%T')" 'P(3:5)%T = 3 4 5'
		is "$id: a sum" "$(answer 'print sum(p%t)')" 'sum(p%t) = 300'
		is "$id: a component that is an array" "$(answer 'print p(3)%v(2)')" 'p(3)%v(2) = 32'
		is "$id: a component of a component" "$(answer 'print p(3)%at%x')" 'p(3)%at%x = 1.5'
		like "$id: a field that there is not" "$(answer 'print p(3)%z')" "^p has no field 'z'; its fields: at.x, at.y, kind, rho, t, v"
		like "$id: where extremes are" "$(answer 'stat p%t')" 'max +24 at p\(24\)%t'
		is "$id: assigned" "$(answer 'print p(20)%t')" 'p(20)%t = 5'
		no_leak "$id"
	done
done

# Watched, and in a condition.
talk 'level CHECKSUM
break 2.B
cont
sums cells.t
sums cells
watch cells[17].t
watch cells[18].v
actions
cont
kill' -n 4 ./c cyclic
like "checksums of a field" "$(answer 'sums cells.t')" '^  cells\[\]\.t +11\.5 +24 '
like "of which one" "$(answer 'sums cells')" '^sums: cells is an array of structures: name a field, cells\.kind, '
like "a field is watched" "$(answer cont)" '  cells\[17\]\.t  \[1\]  17 -> 18'
like "all of a field that is an array is watched" "$(answer actions)" 'watch 2: cells\[18\]\.v'
no_leak "watched"
talk 'break 2.B
cont
watch plane[1][2].rho
cont
kill' -n 1 ./c plane
like "a field of two dimensions is watched" "$(answer cont)" '  plane\[1\]\[2\]\.rho  \[0\]  0 -> 1'
talk 'break 3.E -if cells[17].t > 18
break 4.E -if cells[17].v[1] == 171
break 4.E -if cells[17].t < 18
cont
print cells[17].t
cont
cont' -n 4 ./c cyclic
like "a condition with a field stops" "$(answer cont)" 'Point 3\.E .*actionpoint 0$'
is "where it holds" "$(answer 'print cells[17].t')" 'cells[17].t = 19'
like "one with an element of a field that is an array, too" "$(answer cont)" 'Point 4\.E .*actionpoint 1$'
no_leak "conditions"

# Recorded, compared, and located: the field that differs is named, and no other.
for exe in ./c ./f; do
	[ -x $exe ] || continue
	[ $exe = ./c ] && element='cells\[17\]\.t' array='cells\[\]\.t' || { element='p\(17\)%t'; array='p\[\]%t'; }
	out=$(timeout 100 "$DVMDBG" record -o "ref.${exe##*/}" -n 1 $exe block 2>&1 </dev/null)
	is "$exe: a reference is recorded" "$?" 0
	for kind in block cyclic; do
		out=$(timeout 100 "$DVMDBG" compare -r "ref.${exe##*/}" -n 4 $exe $kind 2>&1 </dev/null)
		is "$exe, $kind: right, it compares equal" "$?" 0
		out=$(timeout 100 "$DVMDBG" compare -r "ref.${exe##*/}" -n 4 $exe $kind 17 2>&1 </dev/null)
		is "$exe, $kind: wrong, it does not" "$?" 1
		like "$exe, $kind: the field is named" "$out" "Different checksums for array \\(\"$array\""
		is "$exe, $kind: it alone" "$(printf '%s\n' "$out" | grep -c '^Finding')" 1
		out=$(timeout 100 "$DVMDBG" locate -n 4 $exe $kind 17 2>&1 </dev/null)
		is "$exe, $kind: locate finds it" "$?" 1
		like "$exe, $kind: and the element" "$out" "$element"
	done
	no_leak "$exe compared"
done

# In traces an element is typed as for print, or with all indices behind the field.
cat >elements.c <<'EOT'
cells[3].t|^cells\[3\]\.t = 6  written by \[0\] at 4\.B in iteration 3 |write cells\[3\]\.t = 3 
cells.t[3]|^cells\.t\[3\] = 6  written by \[0\] at 4\.B in iteration 3 |write cells\[3\]\.t = 3 
cells[3].v[1]|^cells\[3\]\.v\[1\] = 31  written |write cells\[3\]\.v\[1\] = 31 
cells.v[3][1]|^cells\.v\[3\]\[1\] = 31  written |write cells\[3\]\.v\[1\] = 31 
cells[3].pos.x|^cells\[3\]\.pos\.x = 1\.5  written |write cells\[3\]\.pos\.x = 1\.5 
cells[99].t|^last-write cells\[99\]\.t is outside of cells\[0:23\]\.t$|^-element cells\[99\]\.t is outside of cells\[0:23\]\.t$
cells[3].z|^last-write cells\[3\]\.z: cells has no field 'z'; its fields: kind, pos\.x, pos\.y, rho, t, v$|cells has no field 'z'
cells[3]|cells is an array of structures: name a field, cells\.kind, |cells is an array of structures: name a field, cells\.kind, 
cells[3].v|cells\.v has 2 dimensions, cells\[0:23\]\.v\[0:2\]$|cells\.v has 2 dimensions, cells\[0:23\]\.v\[0:2\]$
EOT
cat >elements.f <<'EOT'
p(3)%t|^p\(3\)%t = 6  written by \[0\] at 4\.B in iteration 3 |write p\(3\)%t = 3 
p%t(3)|^p%t\(3\) = 6  written by \[0\] at 4\.B in iteration 3 |write p\(3\)%t = 3 
P(3)%V(2)|^p\(3\)%v\(2\) = 32  written |write p\(3\)%v\(2\) = 32 
p%v(3,2)|^p%v\(3,2\) = 32  written |write p\(3\)%v\(2\) = 32 
p(3)%at%x|^p\(3\)%at%x = 1\.5  written |write p\(3\)%at%x = 1\.5 
p(99)%t|^last-write p\(99\)%t is outside of p\(1:24\)%t$|^-element p\(99\)%t is outside of p\(1:24\)%t$
p(3)%z|p has no field 'z'; its fields: |p has no field 'z'; its fields: 
p(3)|p is an array of structures: name a field, |p is an array of structures: name a field, 
p(3)%v|p\.v has 2 dimensions, p\(1:24\)%v\(1:3\)$|p\.v has 2 dimensions, p\(1:24\)%v\(1:3\)$
EOT
for exe in ./c ./f; do
	[ -x $exe ] || continue
	timeout 100 "$DVMDBG" record --level FULL -o "traced.${exe##*/}" -n 2 $exe block >said 2>&1 </dev/null || diag "$(cat said)"
	questions=
	while IFS='|' read -r name _; do
		questions+="last-write $name -in traced.${exe##*/}
trace print traced.${exe##*/} -element $name -from 1.B -to 1.E
"
	done <"elements.${exe##*/}"
	talk "$questions" -n 1 $exe block
	while IFS='|' read -r name write print; do
		like "$exe: last-write $name" "$(answer "last-write $name -in traced.${exe##*/}")" "$write"
		like "$exe: trace print -element $name" "$(answer "trace print traced.${exe##*/} -element $name -from 1.B -to 1.E")" "$print"
	done <"elements.${exe##*/}"
	no_leak "$exe traced"
done
done_testing
