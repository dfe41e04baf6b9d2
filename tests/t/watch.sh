# SPDX-License-Identifier: GPL-3.0-or-later
# Watches in programs with access hooks: a rank stops behind the write, with its line, its iteration, both values.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
mpi_compilers "$mpi"
prog=$srcdir/tests/prog/hooks
libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs"
cd "$tmp" || exit 1

# line TEXT [FILE]: the line that says so in a comment
line() { grep -n "[/!]\*\{0,1\} $1" "$prog/${2:-watch.c}" | cut -d : -f 1; }
# change NUMBER OBJECT PLACE RANKS ELEMENT: the report, as a pattern
change() { printf '^Watch %s, %s: %s  %s$' "$1" "$2" "$3" "$4" | sed 's/[][*()]/\\&/g'; }
# part FROM TO: what the session says between the N-th and the M-th cont, stops and watches
part() { awk -v from="$1" -v to="$2" '/^\[[^]]*\]> cont/ { n++; next } n >= from && n < to' <<<"$out"; }

DVMDBG_CC=$cc "$builddir/runtime/dvmdbg-cc" -g -O2 -I"$srcdir/runtime" "$prog/watch.c" -o watch $libs 2>err ||
	diag "$(<err)"
loop=$(line loop) bump=$(line bump) swap=$(line swap) root=$(line root)

talk 'break 1.B
cont
watch v[9][3]
cont
cont
delete -watch
watch hits
cont
delete -watch
break 3.B
cont
watch got
cont
cont
cont
actions' --set STOP_TIMER=1 -n 2 ./watch
like 'it is said that writes are seen' "$out" 'watch 1: v\[9\]\[3\], checked at every write and numbered point'
like 'an element: line, iteration, rank' "$out" "$(change 1 'v[9][3]' "written at watch.c:$loop, iteration (9,3)" '[1]')"
like 'both values' "$out" '^  v\[9\]\[3\]  \[1\]  0 -> 1$'
like 'the stop is behind the write' "$out" \
	"^Written at watch\.c:$loop, iteration \(9,3\)  \[1\]  parallel loop  watch\.c:[0-9]+  actionpoint 1  last point 1\.B, iteration \(9,3\)$"
like 'the array behind a pointer that is swapped' "$out" \
	"$(change 1 'v[9][3]' "written at watch.c:$((swap + 1)), iteration 0" '[1]')" '^  v\[9\]\[3\]  \[1\]  1 -> 0$'
like 'a scalar, in a function' "$out" "^Watch 2, hits: written at watch\.c:$bump, iteration 1  \[[01:]*\]$" '^  hits  \[[01:]*\]  0 -> 1$'
like 'its own write' "$out" "$(change 4 got "written at watch.c:$root, iteration 2" '[0]')" '^  got  \[0\]  1\.5 -> 2\.5$'
like 'what MPI has received' "$out" "$(change 4 got 'changed by MPI, or by code without access hooks' '[1]')"

# ranks 1 and 2 go ahead and wait for rank 0: it is not held at points that they have passed
out=$(timeout -k 5 60 "$DVMDBG" -n 3 --batch --set STOP_TIMER=30 -e "break heat.c:$(line_with 'n - 2 } }, .writes' "$srcdir/doc/examples/heat.c")" -e run \
	-e 'delete -all' -e '[1:2] go' -e '[1:2] where -native' -e 'watch u[3][3]' -e '[0] go' -e wait -e status "$(prog doc/examples/heat "$mpi")" 60 100 </dev/null 2>&1)
like 'set while ranks are ahead of others' "$out" '^Watch 1, u\[3\]\[3\]: changed before [0-9]+\.B  \[0\]$' '^  \[0:2\]  stopped +actionpoint'

talk 'break 1.B
cont
[0] watch u[4:6][*] -if u[5][2] > 1
watch v[2][*] -stop []
[1] watch hits -if hits == 3
actions
watch hits if hits > 2
watch hits -if hits +
cont
cont
delete 2
cont
delete -all
cont
cont
cont' --set STOP_TIMER=1 -n 2 ./watch
like 'a condition is shown' "$out" 'watch 1: u\[4:6\]\[\*\], if u\[5\]\[2\] > 1, checked at every write'
like 'how gdb has it' "$out" 'watch NAME -if CONDITION'
like 'a condition that is none' "$out" 'watch -if: '
like 'a section, each write' "$out" "$(change 2 'v[2][*]' "written at watch.c:$loop, iteration (2,0)" '[0]')" \
	"$(change 2 'v[2][*]' "written at watch.c:$loop, iteration (2,1)" '[0]')"
like 'the condition holds behind the swap' "$out" "$(change 1 'u[4:6][*]' "written at watch.c:$swap, iteration 1" '[0]')" \
	'^  u\[4\]\[0\]  \[0\]  1 -> 2$'
unlike 'it did not before' "$out" "$(change 1 'u[4:6][*]' "written at watch.c:$swap, iteration 0" '[0]')"
unlike 'nothing stops where the watches are deleted' "$(part 5 12)" '^Watch'
like 'the program computes the same' "$out" '3 3 2\.5'

# What cannot be watched is refused at once, what nobody has registered yet is said to be that.
refusals='watch sum(v)|watch sum\(v\): .*; variables, what pointers lead to, and elements and sections of arrays can be watched
watch max(v[3][4])|variables, what pointers lead to, and elements and sections
watch rank + 1|watch rank \+ 1: \[0:1\]: it is calculated, and has no place in memory; variables
watch par|^watch [0-9]+: par, checked
watch par.w[1]|single elements of a structure.s member cannot be watched; .watch par\.w. is about all of them
assign par.w[1] 5|assign: par\.w is an array in a registered structure, whose elements cannot be chosen; \(par\)\.w\[0\] is an element of the program.s variable
assign (par).w[1] 5|^\(par\)\.w\[1\] = 5, was 0, on
watch par.nix|par has no member .nix.; .print par. shows those
watch v[9][3] -if v[2][2] > 1|the rank that owns v\[9\]\[3\] does not own all the elements in the condition
watch loose|^watch [0-9]+: loose, checked at every write and numbered point$
watch loose -length 4|watch -length goes with one element of a registered array; of others give a section
watch hit|watch hit: there is no object .hit.; near: hits\..*; nothing is watched until the program registers it
watch par.w|^watch [0-9]+: par\.w, checked
watch v[9][3] -if v[9][4] > 1|^watch [0-9]+: v\[9\]\[3\], if'
talk "break 1.B
cont
$(cut -d'|' -f1 <<<"$refusals")
kill" -n 2 ./watch
while IFS='|' read -r line words; do
	like "$line" "$(answer "$line")" "$words"
done <<<"$refusals"

talk 'watch v[9][3]
cont
delete -watch
cont
watch hits
break 1.B
rerun
cont' -n 2 ./watch
like 'a watch that is set before the start' "$out" "$(change 0 'v[9][3]' "written at watch.c:$loop, iteration (9,3)" '[1]')" \
	'^  v\[9\]\[3\]  \[1\]  0 -> 1$'
like 'one that is kept over rerun' "$out" "^Watch 1, hits: written at watch\.c:$bump, iteration 1  \[[01:]*\]$" \
	'^  hits  \[[01:]*\]  0 -> 1$'
unlike 'neither ends the program' "$out" SIGSEGV

# the others stand at the end of the loop until rank 0 has come: its write stops them there
talk 'watch v[1][3]
cont
status
cont
status
delete -watch
cont' --set STOP_TIMER=1 -n 2 ./watch late
like 'a write, while others stand at a point' "$out" "$(change 0 'v[1][3]' "written at watch.c:$loop, iteration (1,3)" '[0]')" \
	'^Point 1\.E +\[1\]'
unlike 'they stand still' "$out" '^ +\[[01:]*\] +running' 'running already'
like 'and go on as they are asked to' "$out" '3 3 2\.5' 'exited with code 0'

# all stop at each point until it is known that nothing has changed: who halts them then stops them
talk "$(printf 'break 1.B\ncont\nwatch eps\n'; for i in 1 2 3 4 5; do printf 'go\nhalt\nstatus\nstatus\n'; done
	printf 'kill\n')" -n 2 "$(prog doc/examples/heat "$mpi")" 40 400000
places=$(grep -aE '^  \[0:1\]  stopped ' <<<"$out")
is 'a halt, with a watch of what does not change, has stopped all' "$(wc -l <<<"$places")" 10
is 'they stay there' "$(uniq -c <<<"$places" | awk '{ printf "%s ", $1 }')" '2 2 2 2 2 '

for c in gcc clang; do
	command -v $c >/dev/null && echo 'int main(void) { return 0; }' >omp.c && $c -fopenmp omp.c -o omp 2>/dev/null || continue
	DVMDBG_CC=$c "$builddir/runtime/dvmdbg-cc" -DTHREADS -fopenmp -g -O2 -I"$srcdir/runtime" "$prog/watch.c" -o threads \
		$libs 2>err || diag "$(<err)"
	talk 'break 1.B
cont
watch a[12]
watch s.x
cont
cont
cont' -n 1 ./threads
	like "$c: another thread has written" "$out" \
		"$(change 1 'a[12]' "written at watch.c:$(line threads), by another thread" '[0]')" '^  a\[12\]  \[0\]  0 -> 12$'
	like "$c: a name with a dot" "$out" "$(change 2 s.x "written at watch.c:$(line field)" '[0]')" '^  s\.x  \[0\]  0 -> 3$'
done

if command -v "$fc" >/dev/null; then
	DVMDBG_FC=$fc "$builddir/runtime/dvmdbg-fc" -g -O2 "$srcdir/runtime/dvmdbg.f90" "$prog/watch.f90" -o fwatch $libs 2>err ||
		diag "$(<err)"
	talk 'break 1.B
cont
watch a(2:3,*)
watch z
cont
cont
cont
cont
cont' -n 1 ./fwatch
	like 'Fortran: a section' "$out" "$(change 1 'a(2:3,*)' 'written at watch.f90:21, iteration 2' '[0]')" \
		"$(change 1 'a(2:3,*)' 'written at watch.f90:21, iteration 3' '[0]')"
	like 'Fortran: by the bounds of its own' "$out" '^  a\(2,1\)  \[0\]  0 -> 2$'
	like 'Fortran: a complex number' "$out" "$(change 2 z 'written at watch.f90:24, iteration 1' '[0]')"
	like 'Fortran: a row' "$out" "$(change 1 'a(2:3,*)' 'written at watch.f90:25, iteration 1' '[0]')" '^  a\(3,0\)  \[0\]  0 -> 7$'
else
	skip 'Fortran' 'no Fortran compiler'
fi

rest_in all
# On one rank, as it is not certain who comes first to what is not a point. What no mark registers is found by its debug information, and watched where it is: until its call returns.
watched=$(line total watched.c) array=$(line array watched.c) steps=$(line steps watched.c)
for how in hooked plain; do
	[ $how = plain ] && compiler=$cc || compiler="env DVMDBG_CC=$cc $builddir/runtime/dvmdbg-cc"
	$compiler -g -O0 -I"$srcdir/runtime" "$prog/watched.c" -o watched_$how $libs 2>err || diag "$(<err)"
done
commands='break 1.B
cont
watch total
watch acc
watch v[1:2]
watch parts[1].x -if parts[1].x[1] > 1
watch nosuch
watch hist[lo]
actions
delete 0
cont
cont
cont
cont
cont
cont
cont
cont'
talk "$commands
delete -all
watch total
rerun
cont" -n 1 ./watched_hooked
like 'a static' "$out" '^watch 1: total, checked at every write and numbered point$'
like 'a variable of a call: where it is checked' "$out" '^watch 2: acc, checked at points, iterations, and writes to memory$'
like 'what is unknown is awaited' "$out" "watch nosuch: there is no object 'nosuch'.*; nothing is watched until the program registers it"
like 'an index that is unknown' "$out" "column 6: there is no object 'lo'"
like 'elements of an argument' "$out" "$(change 3 'v[1:2]' "written at watched.c:$array" '[0]')" '^  v\[1\]  \[0\]  2 -> 3$' '^  v\[2\]  \[0\]  3 -> 4$'
like 'what is in no memory that hooks see: at iterations' "$out" '^Watch 2, acc: changed before iteration 1 of the loop at watched\.c:[0-9]+  \[0\]$' \
	'^  acc  \[0\]  0 -> 2$'
like 'the static is written' "$out" "^Watch 1, total: written at watched\.c:$watched, iteration 1  \[[01:]*\]$" '^  total  \[[01:]*\]  0 -> 14$'
like 'the call has returned' "$out" "^Watch 2, acc: gone at watched\.c:$watched  \[[01:]*\]; it is disabled$"
like 'in a new run' "$(awk '/^\[all\]> rerun/,0' <<<"$out")" "^Watch [0-9]+, total: written at watched\.c:$watched, iteration 1  \[[01:]*\]$" \
	'^  total  \[[01:]*\]  0 -> 14$'
# Changes that are equal on ranks are one; all watches that found some are named.
talk 'break mpi:1.B
cont
delete 0
watch parts[1:2]
watch hist[0:2]
cont
kill' -n 3 --set POINTS=marks,mpi ./watched_plain without marks
is 'changes of ranks, joined where they are equal' "$(grep -A 6 '^Watch 1' <<<"$out" | sed 5q)" "$(cat <<<'Watch 1, parts[1:2]: changed before mpi:2.B  [0:2]
  parts[1].kind  [0:2]  0 -> 3
  parts[1].x[0]  [0]  0 -> 1
  parts[1].x[0]  [1]  0 -> 2
  parts[1].x[0]  [2]  0 -> 3')"
like 'of the other watch' "$out" '^Watch 2, hist\[0:2\]: changed before mpi:2\.B  \[0:2\]$' '^  hist\[1\]  \[0:2\]  0 -> 1$'
like 'both watches are named' "$out" '^Point mpi:2\.B  \[0:2\]  MPI_Barrier .*  actionpoints 1,2$'
# The next call from the same place is another one.
talk "break watched.c:$(line many watched.c)
cont
delete 0
watch mean
cont
cont
cont" -n 1 ./watched_plain calls
like 'a call whose return address stays' "$out" "^Watch 1, mean: gone at iteration 2 of the loop at watched\.c:[0-9]+  \[0\]; it is disabled$" \
	'All ranks have exited with code 0'
# Of a structure each number that has changed, of bits those of the field alone.
talk 'break 1.B
cont
delete 0
watch parts[1:2]
watch parts[1].id
watch parts->x[0]@2
cont
cont
cont
cont
delete 1
cont
kill' -n 1 ./watched_hooked
like 'a structure: its number' "$out" '^watch 1: parts\[1:2\], checked at every write and numbered point$' \
	"$(change 1 'parts[1:2]' "written at watched.c:$(($(line kind watched.c) - 1)), iteration 1" '[0]')" '^  parts\[1\]\.x\[1\]  \[0\]  0 -> 1$'
like 'a structure: its field of bits' "$out" "$(change 1 'parts[1:2]' "written at watched.c:$(line kind watched.c), iteration 1" '[0]')" \
	'^  parts\[1\]\.kind  \[0\]  0 -> 2$'
like 'a structure: its text' "$out" "$(change 1 'parts[1:2]' "written at watched.c:$(line name watched.c), iteration 1" '[0]')" \
	'^  parts\[1\]\.name  \[0\]  "" -> "a"$'
like 'a field of bits' "$out" "$(change 2 'parts[1].id' "written at watched.c:$(line id watched.c), iteration 1" '[0]')" '^  parts\[1\]\.id  \[0\]  0 -> -1$'
unlike 'its neighbours are not watched' "$(grep -A 1 '^Watch 2' <<<"$out")" kind
talk 'break 1.B
cont
watch acc
watch hist[7]
delete 0
cont
cont
cont
kill' -n 1 ./watched_hooked
like 'a write beside it has not changed a variable of the call' "$out" "$(change 2 'hist[7]' "written at watched.c:$(line beside watched.c), iteration 1" '[0]')" \
	'^Watch 1, acc: changed before iteration 1 of the loop at watched\.c:[0-9]+  \[0\]$' '^  acc  \[0\]  0 -> 2$'
unlike 'nor has its line' "$out" 'acc: written'
talk "$commands
kill" -n 2 ./watched_plain
like 'without hooks' "$out" '^watch 1: total, checked at numbered points and iterations$' "$(change 3 'v[1:2]' 'changed before 1.E' '[0:1]')" \
	"^Watch 1, total: changed before iteration 2 of the loop at watched\.c:$steps  \[[01:]*\]$" '^  total  \[[01:]*\]  0 -> 14$' \
	"^Watch 2, acc: gone at iteration 2 of the loop at watched\.c:$steps  \[[01:]*\]; it is disabled$"
like 'a condition, and a field of an element' "$out" "^Watch 4, parts\[1\]\.x: changed before iteration 2 of the loop at watched\.c:$steps  \[[01:]*\]$" \
	'^  parts\[1\]\.x\[1\]  \[1\]  0 -> 2$'
fc=mpif90.$mpi
if command -v "$fc" >said; then
	DVMDBG_FC=$fc "$builddir/runtime/dvmdbg-fc" -g -O2 "$srcdir/runtime/dvmdbg.f90" "$prog/watched.f90" -o watched_f $libs 2>err || diag "$(<err)"
	array=$(line array watched.f90) coef=$(line coef watched.f90)
	talk 'break 2.B
cont
watch err
watch a(3:4)
watch nstep
watch config::coef(1)
watch cells
watch label
delete 0
cont
cont
cont
cont
cont
cont
cont
delete 1
rerun
cont
assign label "a""b"
print label
assign label "abcde"' -n 1 ./watched_f
	like 'what is in a register' "$out" 'watch err: \[0\]: err is not in memory: it is in a register, a constant, or has been optimized out; variables'
	like 'a dummy argument' "$out" "$(change 1 'a(3:4)' "written at watched.f90:$array" '[0]')" '^  a\(3\)  \[0\]  1 -> 2$' '^  a\(4\)  \[0\]  1 -> 2$'
	like 'of a module' "$out" "$(change 3 'config::coef(1)' "written at watched.f90:$coef, iteration 2" '[0]')" '^  config::coef\(1\)  \[0\]  8 -> 16$'
	like 'derived types' "$out" '^Watch 4, cells: written at watched\.f90:[0-9]+, iteration 2  \[0\]$' '^  cells\(2\)%k\(2\)  \[0\]  0 -> 2$'
	like 'characters' "$out" "$(change 5 'label' "written at watched.f90:$(line label watched.f90), iteration 2" '[0]')" '^  label  \[0\]  "xone" -> "xxne"$'
	like 'characters become a text' "$out" '^  label = "a\\"b "$' 'label has room for 4 characters, and the text has 5$'
	like 'of a module, in a new run' "$out" '^  config::coef\(1\)  \[[01:]*\]  1 -> 8$'
fi
# What is watched moves: vectors grow, one of them within another, and an allocatable array.
if cxx=$(command -v "mpicxx.$mpi" || command -v mpicxx); then
	values=$(line values moved.cpp) parts=$(line parts moved.cpp)
	for way in plain hooked; do
		compiler=$cxx
		[ "$way" = plain ] || compiler="env DVMDBG_CC=$cxx $builddir/runtime/dvmdbg-cc"
		$compiler -g -O0 -I"$srcdir/runtime" "$prog/moved.cpp" -o "moved_$way" $libs 2>err || diag "$(<err)"
		talk 'break 1.B
cont
watch values[1]
watch parts[1].w[0]
watch mine[1:2]
delete 0
cont
cont
cont
cont' -n 1 "./moved_$way"
		like "$way: elements of vectors that have moved" "$out" '^  values\[1\]  \[0\]  1 -> 30$' '^  parts\[1\]\.w\[0\]  \[0\]  1 -> 40$' \
			'^  mine\[2\]  \[0\]  7 -> 50$' 'exited with code 0'
		is "$way: that they move is no change" "$(grep -cE ' -> ' <<<"$out")" 3
		unlike "$way: no other line is said to have written them" "$(grep -A 1 -E 'values\[1\]: written' <<<"$out")" "moved.cpp:$parts"
		like "$way: a variable of a call" "$out" '^Watch 3, mine\[1:2\]: changed before 4\.E  \[0\]$'
	done
fi
if [ -x moved_plain ]; then
	talk "break 1.B
cont
delete 0
$(for i in 1 2 3 4 5 6 7 8 9 10; do echo 'watch values[0]'; done)
watch values[1]
cont
kill" -n 1 ./moved_plain
	like 'one behind ten others that do not change' "$out" "$(change 11 'values[1]' 'changed before 3.E' '[0]')" '^  values\[1\]  \[0\]  1 -> 30$'
fi
if command -v "$fc" >said; then
	DVMDBG_FC=$fc "$builddir/runtime/dvmdbg-fc" -g -O2 "$srcdir/runtime/dvmdbg.f90" "$prog/moved.f90" -o moved_f $libs 2>err || diag "$(<err)"
	talk 'break 1.B
cont
watch u(2)
delete 0
cont
cont
cont' -n 1 ./moved_f
	like 'an allocatable array that has moved' "$out" '^Watch 1, u\(2\): changed before 3\.E  \[0\]$' '^  u\(2\)  \[0\]  1 -> 30$' \
		'^Watch 1, u\(2\): gone at 4\.E  \[0\]; it is disabled$'
fi
done_testing
