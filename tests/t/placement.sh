# SPDX-License-Identifier: GPL-3.0-or-later
# Arrays of each placement on 1 and 4 ranks: what is printed, who owns it, where it is; checksums of differing
# numbers of ranks; copies of partly replicated arrays that differ; variables of one rank.
. "$(dirname "$0")/lib.sh"
export HOME=$tmp TMPDIR=$tmp
src=$srcdir/tests/prog/arrays
libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs -lm"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
mpi_compilers "$mpi"
"$cc" -g -I"$srcdir/runtime" "$src/placed.c" -o "$tmp/c" $libs 2>"$tmp/cc.err" || diag "$(cat "$tmp/cc.err")"
cd "$tmp" || exit 1

shell()
{
	out=$(timeout -k 5 60 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
script='break 6.B
cont
print sum(blocks)
print sum(cyclic)
print sum(dealt)
print sum(part)
print sum(plane)
print sum(aligned)
print sum(rows)
print sum(field.u)
print min(field.v)
print max(plane)
print sum(part[2:8:3])
print owned
print vector[0]
decomp part
decomp cyclic
decomp owned
info address part[5]
info address owned
info address rows[4][1]
info address rank
assign part[5] 7
print part[5]
info address
print `level[1].u`[11]
print sum(`level[1].u`)
assign `level[1].u`[11] 7
print `level[1].u`[10:11]
print level[1].u[5]
print (level)[1].u[0]
print `level[1].u
what `level[1].u`
decomp `level[1].u`
kill'
for n in 1 4; do
	talk "$script" -n $n "$tmp/c"
	while read -r want; do
		is "$n: $want" "$(answer "print ${want%=*}")" "${want%=*} = ${want#*=}"
	done <<-'END'
		sum(blocks)=1269
		sum(cyclic)=6069
		sum(dealt)=8469
		sum(part)=9669
		sum(plane)=90984
		sum(aligned)=1216.5
		sum(rows)=11439
		sum(field.u)=4869
		min(field.v)=600.25
		max(plane)=995.25
		sum(part[2:8:3])=2415.75
		owned=1001
		vector[0]=1200.25
		part[5]=7
		`level[1].u`[11]=11.5
		sum(`level[1].u`)=72
	END
	like "$n: a name with an index: the owner is assigned to" "$(answer 'assign `level[1].u`[11] 7')" '7, was 11\.5, on \[[03]\]$'
	like "$n: without accents it could be the program's" "$(answer 'print level[1].u[5]')" 'type `level\[1\]\.u` with these accents'
	like "$n: which is shown, too" "$(answer 'print (level)[1].u[0]')" '\(level\)\[1\]\.u\[0\] = 0\.5'
	like "$n: an accent is missing" "$(answer 'print `level[1].u')" "column [0-9]*: expected '\`' behind the name, found the end"
	like "$n: accents for what" "$(answer 'what `level[1].u`')" '^level\[1\]\.u: double\[[0-9]+\], distributed'
	like "$n: accents for decomp" "$(answer 'decomp `level[1].u`')" '^level\[1\]\.u\[[0-9]+\], distributed$'
	like "$n: what has no name" "$out" 'what -address: give a name or an element'
done
is "copies are shown with their numbers" "$(answer 'decomp part')" 'part[12], distributed in 2 copies
  [0]  [0:5]  copy 0
  [1]  [0:5]  copy 1
  [2]  [6:11]  copy 0
  [3]  [6:11]  copy 1'
like "one rank has the variable" "$(answer 'decomp owned')" '^  \[3\] +\[0:0\]$' '^  \[0:2\] +nothing$'
like "an element is with its owner and in the other copy" "$(answer 'info address part[5]')" \
	'^\[0\]  part\[5\]  0x[0-9a-f]+  owner$' '^\[1\]  part\[5\]  0x[0-9a-f]+  another copy$'
is "and nowhere else" "$(answer 'info address part[5]' | wc -l)" 2
like "a variable of one rank is there" "$(answer 'info address owned')" '^\[3\]  owned\[0\]  0x[0-9a-f]+  owner$'
like "an element of an array of arrays" "$(answer 'info address rows[4][1]')" '^\[1\]  rows\[4\]\[1\]  0x[0-9a-f]+  owner$'
like "a variable that is not registered" "$(answer 'info address rank')" '^&rank = .*\[3\]: 0x[0-9a-f]+'

shell record -o r1 -n 1 ./c
for n in 2 3 4; do
	shell compare -r r1 -n $n ./c
	like "$n ranks are equal to one" "$status $out" '^0' '^compared [0-9]+ checksums of 13 arrays at 22 points: equal$'
done
shell compare -r r1 -n 4 ./c copy
like "copies that differ are reported" "$status
$out" '^1$' 'Instances of replicated array \("part", .* \[0,2\] mean 806, \[1,3\] mean 889.3.* so \[1,3\] are wrong'
shell compare -r r1 -n 4 ./c again
is "not those that are made equal behind the construct" "$status" 0
shell compare -r r1 -n 4 ./c all
like "all copies that are wrong" "$status
$out" '^1$' 'array \("part", .*: 806 != 889.333 at the point 10.E'
shell compare -r r1 -n 4 ./c mapped
like "a variable of one rank that is wrong" "$status
$out" '^1$' 'array \("owned", .*: 1002 != 1002.25 at the point 12.E'
talk 'break 11.B
cont
print part
print sum(part)
stat part
save part part.npy
differ
info address blocks
print owned
assign owned 3
print [#0]blocks[1] - whole[1]
what cyclic
heatmap part
assign blocks[0] {[0]: 4, [1]: 5}
print blocks[0]
kill' -n 4 ./c copy
like "both copies are shown" "$(answer 'print part')" '\[0,2\]: .*805.5 806.5' '\[1,3\]: .*1805.5 806.5'
like "a sum has those of both" "$(answer 'print sum(part)')" '<differing>   \[0,2\]: 9672    \[1,3\]: 10672$'
like "stat names who has others" "$(answer 'stat part')" '\[1,3\] has other values'
like "and not saved as if they were one" "$(answer 'save part part.npy')" '^part is not the same on all ranks: '
like "and found" "$(answer differ)" '^.*part'
like "how many elements are where" "$(answer 'info address blocks')" '^\[0\]  blocks\[0\]  0x[0-9a-f]+  owner, 3 elements$'
other='another variable of that name, which \[#0\]'
like "a name that the frame has too means the object, which is noted" "$(answer 'print owned')" '^owned = 1001$' \
	"^owned is the registered object; \[0:3\]: in_copies has ${other}owned means$"
is "once" "$(answer 'assign owned 3' | wc -l)" 1
is "the frame's own" "$(answer 'print [#0]blocks[1] - whole[1]')" '[#0]blocks[1] - whole[1] = 0'
like "a pointer to something else" "$(answer 'info address blocks')" "^blocks is .*has ${other}blocks means$"
like "heatmap names who has others" "$(answer 'heatmap part')" '\[1,3\] has other values'
like "a rank that is to write, and owns nothing" "$(answer 'assign blocks[0] {[0]: 4, [1]: 5}')" \
	'assign: nothing was changed: \[1\] owns no element of blocks\[0\]$'
is "nothing was changed" "$(answer 'print blocks[0]')" 'blocks[0] = 100.5'
unlike "not a pointer to the object" "$(answer 'what cyclic')" "another variable"
timeout -k 5 100 "$DVMDBG" locate -n 4 ./c copy >text 2>&1 </dev/null
like "locate finds the element of the copy" "$(cat text)" '^array part, element part\[5\], first wrong at 10\.E'
if [ -x "$builddir/doc/examples/heat-hooked" ]; then
	DVMDBG_CC=$cc "$builddir/runtime/dvmdbg-cc" -g -O1 -I"$srcdir/runtime" "$src/placed.c" -o hooked $libs 2>cc.err ||
		diag "$(cat cc.err)"
	shell record --level FULL -o traces -n 4 ./hooked
	shell --batch -e 'last-write owned -in traces'
	like "last-write: of a variable of one rank the owner's" "$out" '^owned = 1003  written by \[3\] at 17\.E '
else
	skip "last-write: of a variable of one rank the owner's" "no program with access hooks"
fi
no_leak "placement"
done_testing
