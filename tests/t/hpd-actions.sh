# SPDX-License-Identifier: GPL-3.0-or-later
# Actionpoints of the HPD standard (1.3.3, 2.7): doc/HPD.md has the requirements by the ids of these cases;
# those without an id are ours.
. "${0%/*}/lib.sh"

mpi=$(first_mpi)
heat=$(prog doc/examples/heat "$mpi")
# Constructs of heat: loops 1 and 2 at lines 35 and 41; in the sequential loop of line 52 (function main)
# two each step, at 61 and 69: 3 and 4 in step 1, 5 and 6 in step 2, …

# --- break
dvm 60 '[1] break heat.c:61 -stop []
cont
where
delete -all
[0:1] break 5.B
[0,2:3] cont
[1] cont
' -n 4 "$heat" 40 5
like 'break-1: it is triggered by the ranks of its set only' "$out" '^actionpoint 0: heat\.c:61, for \[1\], stops \[\]$' \
	'^Point 3\.B  \[1\]  parallel loop  heat\.c:61' '^\[0,2:3\] running'

dvm 60 '[1] break 5.B
cont
[1] break 7.B -stop [0,2]
cont' -n 4 "$heat" 40 5
like 'exec-1: at a numbered point all ranks stop with those that triggered it' "$out" '^Point 5\.B  \[0:3\]'
like 'break-2: without it all stop with who triggered it' "$out" '^Point 5\.B  \[0:3\]  parallel loop  heat\.c:61  actionpoint 0$'
like 'break-2: -stop names the ranks that stop too' "$out" '^Point 7\.B  \[0:2\]' '^\[3\] running'

dvm 60 'break heat.c:61 -count 3
cont
print t
points -last 1' -n 2 "$heat" 40 5
like 'break-3: -count n stops at the n-th hit' "$out" '^Point 7\.B  \[0:1\]'

dvm 60 'break 5.B -count 2 -if eps > 0' -n 2 "$heat" 40 5
like 'break-3: a count or a condition, not both' "$out" 'only one of -count and -if'

dvm 60 'break heat.c:69 -if change > 0 && change < 0.03
cont
print change
actions' -n 4 "$heat" 20 40
like 'break-4: a condition that is false on all ranks goes on, true on all stops' "$out" \
	'^Point [0-9]+\.B  \[0:3\]  parallel loop  heat\.c:69' '^change = 0\.02' \
	'^actionpoint 0: heat\.c:69, if change > 0 && change < 0\.03, hit 1 time$'
unlike 'break-4: a false condition is not told' "$out" 'differs|cannot be evaluated'

dvm 60 'break 3.B
cont
[2] assign eps = 0.75
delete -all
break 5.B -if eps > 0.6
cont' -n 4 "$heat" 40 5
like 'break-4: a condition that differs between ranks stops all and shows both groups' "$out" \
	'^Actionpoint 1, 5\.B: eps > 0\.6 differs: true on \[2\], false on \[0:1,3\]' '^Point 5\.B  \[0:3\]'

dvm 60 'break 5.B -if nothing > 1
cont
delete 0
cont' -n 2 "$heat" 40 5
like 'break-4: a condition that cannot be evaluated is told when it is met' "$out" \
	'condition nothing > 1 cannot be evaluated on \[0:1\]: .*nothing' '^Point 5\.B  \[0:1\]'
dvm 60 'break 5.B -if eps >' -n 2 "$heat" 40 5
like 'break-4: wrong syntax of a condition is refused at once' "$out" 'break -if: '

dvm 60 'break 5.B -if u[3][4] > 0
cont' -n 4 "$heat" 40 5
like 'break-4: an element of a distributed array is asked of its owner' "$out" '^Point 5\.B  \[0:3\]'
unlike 'break-4: ranks that do not own it abstain' "$out" 'cannot be evaluated'

dvm 60 'break 3.B
cont
watch v[10][10]
break 3.E -if u[10][10] > 5
[0] break 3.E -if eps > 0
cont' -n 4 "$heat" 40 5
like 'break-4: one vote of all at the point, whatever else stops some of them there' "$out" \
	'^Watch 1, v\[10\]\[10\]: changed before 3\.E  \[0\]$' '^Point 3\.E  \[0:3\]  parallel loop  heat\.c:61  actionpoints 1,3$'
unlike 'break-4: it can be evaluated' "$out" 'cannot be evaluated'

dvm 60 'break heat.c:52 -iter 3
cont
where
break heat.c:61 -iter (5,*)
actions' -n 2 "$heat" 40 5
like 'break: -iter stops in an iteration of a sequential loop' "$out" '^Iteration 3  \[0:1\]  sequential loop  heat\.c:52'
like 'break: -iter in a parallel loop is refused with the reason' "$out" 'heat\.c:61 -iter: dvmdbg does not see the iterations of this parallel loop: .*rebuild with dvmdbg-cc'

dvm 60 'break heat.c:1000' -n 2 "$heat" 40 5
like 'break-6: a line beyond the end of the file is refused with what is allowed' "$out" 'heat\.c has [0-9]+ lines, so there is no line 1000'
dvm 60 'break nosuch.c:10' -n 2 "$heat" 40 5
like 'break-1: an unknown file is refused with those that are known' "$out" "there is no source 'nosuch\.c' of this program; its sources are .*heat\.c"
dvm 60 'break 61
cont' -n 2 "$heat" 40 5
like 'break-1: before there is a current file a line is in that of main' "$out" '^actionpoint 0: .*heat\.c:61$' '^Point 3\.B  \[0:1\]'
dvm 60 'break mian
break main
break allocate' -n 2 "$heat" 40 5
is 'break-1: a procedure that the sources do not have is told at once, others are not' "$(grep "no function" <<<"$out")" \
	"there is no function mian in the program's sources; the actionpoint stops at constructs that announce this name"
dvm 60 'break heat.c:61 -count 0' -n 2 "$heat" 40 5
like 'break-3: a count of 0 is refused' "$out" 'a number from 1 is needed'

dvm 60 'break #heat.c#61
cont
break 69
cont
break main
actions' -n 2 "$heat" 40 5
like 'break-1: locations are #file#line, a line of the current file, a procedure' "$out" \
	'^actionpoint 0: heat\.c:61$' '^Point 3\.B' '^actionpoint 1: .*heat\.c:69$' '^Point 4\.B' '^actionpoint 2: main$'

dvm 60 'break 3.B
[0] break heat.c:61
break heat.c:61 -count 2
break heat.c:61 -if eps > 5
break heat.c:61 -if eps < 5
cont
cont
' -n 2 "$heat" 40 5
like 'break-5: one stop at a place with several' "$out" '^Point 3\.B  \[0:1\]  parallel loop  heat\.c:61  actionpoints 0,1,4$' \
	'^Point 5\.B  \[0:1\]  parallel loop  heat\.c:61  actionpoints 1,2,4$'
dvm 60 'break heat.c:60
cont' -n 2 "$heat" 40 0
like 'break-6: a line where nothing can stop moves to the next where something can, with a warning' "$out" \
	'^warning: no construct begins at heat\.c:60, so nothing can stop there; the actionpoint is at line 61, ' '^actionpoint 0: heat\.c:61$'
like 'break-6: a line that was never reached is told at the end' "$out" '^actionpoint 0 was never reached: heat\.c:61;'
dvm 60 'break main -iter 2
break heat.c:52 -iter 99
break heat.c:61 -count 99
break 3.B -count 2
cont' -n 2 "$heat" 40 5
like 'break-6: so is what it waited for' "$out" '^actionpoint 0 was never reached: main; it stops in iteration 2 only, which functions do not have$' \
	'^actionpoint 1 .*: heat\.c:52; it stops in iteration 99 only; numbered constructs met in heat\.c: ' \
	'^actionpoint 2 .*: heat\.c:61; it stops at every 99 hits; numbered constructs met in heat\.c: ' \
	'^actionpoint 3 was never reached: 3\.B; it stops at every 2 hits$'

dvm 60 'set VERBOSE = ALL
[1] break 5.B -stop [0]
[0,2] go
[1] cont' --set STOP_TIMER=1 -n 3 "$heat" 40 5
like 'break-7: with VERBOSE ALL it is told where the stop set is' "$out" '^Point 5\.B  \[0:1\]  parallel loop  heat\.c:61  actionpoint 0$'
like 'break-9: the number is told' "$out" '^actionpoint 0: 5\.B, for \[1\], stops \[0\]$'
dvm 60 '[1] break 5.B -stop [0]
[0,2] go
[1] cont' --set STOP_TIMER=1 -n 3 "$heat" 40 5
like 'break-7: else of those who have triggered it' "$out" '^Point 5\.B  \[1\]  parallel loop  heat\.c:61  actionpoint 0$'
dvm 60 'set VERBOSE = ERR
break 5.B' -n 2 "$heat" 40 5
unlike 'break-9: silent with VERBOSE ERR' "$out" '^actionpoint'
talk 'break 3.B
barrier 5.B'
like 'break-8: before a program is loaded' "$(answer 'break 3.B')" '^actionpoint 0: 3\.B$'
talk "load $heat -copies 2
break 3.B
go
wait
[stopped] break 7.B
cont
actions" --set STOP_TIMER=1
like 'break-8: of a set that may change, those who are in it now' "$(answer actions)" '^actionpoint 1: 7\.B, for \[0:1\], hit 1 time$'
start -n 2 "$heat" 100 1000000
tell 'break 1.B' cont 'delete -all' go
expect_out 'break-8: it stops first' 30 '^Point 1\.B'
tell 'break heat.c:69' wait quit
expect_out 'break-8: while processes run: at the next time' 30 '^Point [0-9]+\.B  \[0:1\]  parallel loop  heat\.c:69  actionpoint 1$'
finish

# --- barrier
dvm 90 'break 1.B
cont
barrier 2.B
[1:3] cont
status
viewset held
[held] print eps
actions -barrier
cont
cont' -n 4 "$heat" 40 5
like 'barrier-1: members that have come are held and told so' "$out" '^Point 2\.B  \[1:3\]  parallel loop  heat\.c:41  actionpoint 1  held$'
like 'barrier-1: status shows who is held and who is missing' "$out" '\[1:3\] +held .*2\.B' 'held at barrier 1, which waits for \[0\]'
like 'barrier-1: actions shows who is held, and who is missing' "$out" '^barrier 1: 2\.B, .*holds \[1:3\], waits for \[0\]$'
like 'barrier-1: the set held has them' "$out" 'held.*\[1:3\]'
like 'barrier-3: when all have come it is told, and all can go on' "$out" \
	'cont: \[1:3\]: held at barrier 1' '^Barrier 1, 2\.B: all have come  \[0:3\]' '^Point 2\.B  \[0:3\]' \
	'^All ranks have exited with code 0'

for verb in cont step go; do
	dvm 60 "break 1.B
cont
barrier heat.c:41
[1:2] cont
[1:2] $verb" -n 3 "$heat" 40 5
	like "barrier-2: $verb does not move the held, and says so" "$out" \
		"$verb: \[1:2\]: held at barrier 1, which waits for \[0\]; delete 1 releases them"
done

dvm 60 'break 1.B
cont
[1:3] barrier 2.B
[1:2] cont
delete 1
cont' -n 4 "$heat" 40 1
like 'barrier-2: deleting it lets go whom it holds' "$out" '^Barrier 1 holds no ranks any more  \[1:2\]' '^All ranks have exited with code 0'

dvm 60 'break 1.B
cont
[1:2] barrier 2.B
[1] cont
disable 1
cont' -n 4 "$heat" 40 1
like 'barrier-2: disabling it lets go whom it holds' "$out" '^Barrier 1 holds no ranks any more  \[1\]' '^All ranks have exited with code 0'

dvm 60 'break 1.B
cont
[0:2] barrier 2.B
[0:1] cont
[2] kill
actions
[0:1] step' --set ERROR_CHECKS=MIN -n 3 "$heat" 40 1
like 'barrier: nobody waits for a member that has died' "$out" '^Barrier 1, 2\.B: all have come  \[0:1\]  without \[2\], which will not come' \
	'^Point 2\.E  \[0:1\]'

dvm 60 'barrier 3.B
[1] barrier 3.B' -n 2 "$heat" 40 5
like 'barrier-5: a second one at the same place for the same ranks is refused' "$out" 'there is barrier 0 for some of these ranks'

dvm 60 'barrier 3.B
break 3.B
cont' -n 2 "$heat" 40 5
like 'barrier-4: it goes before a break at the same place' "$out" '^Barrier 0, 3\.B: all have come' '^Point 3\.B  \[0:1\]'

start --set ON_EXIT=run --set STOP_TIMER=1 -n 2 "$heat" 100 200
tell 'break 1.B' cont 'barrier 2.B' '[1] cont'
expect_out 'barrier: a rank is held before the front end is killed' 30 'held'
kill -KILL "$(front_end)"
finish
check 'barrier: what holds members lets go when the front end dies' wait_for 60 nothing_tagged

dvm 60 'break 2.1.2.B
[1] break 2.2.1.E
barrier tasks.c:46
cont
cont
[0:1] step
cont' --set STOP_TIMER=1 -n 2 "$(prog tests/prog/points/tasks "$mpi")"
like 'barrier-1: in tasks, at a line that the members come to by themselves' "$out" '^Barrier 2, tasks\.c:46: all have come  \[0:1\]$' \
	'^Point 2\.1\.1\.B  \[0\]  parallel loop  tasks\.c:46  actionpoint 2$' '^Point 2\.2\.1\.B  \[1\]' \
	'step: \[0\]: held at barrier 2, which waits for \[1\]' '^Point 2\.2\.2\.B  \[1\]  parallel loop  tasks\.c:46  actionpoint 2$'
like 'break-1: in tasks, at a point of one of them' "$out" '^Point 2\.1\.2\.B  \[0\]  parallel loop  tasks\.c:46  actionpoints 0,2  held$' \
	'^Point 2\.2\.1\.E  \[1\]  parallel loop  tasks\.c:46  actionpoint 1$'

rest_in all
# --- watch
dvm 60 'break 3.B
cont
watch eps
watch u[3][4]
watch change
cont
cont
actions' -n 4 "$heat" 40 5
like 'watch-3: it stops when the value has changed, shows old and new, ranks and point' "$out" \
	'^watch 1: eps, checked at numbered points' '^Watch 3, change: changed before 5\.B  \[0:3\]' \
	'^  change  \[0:3\]  0 -> 0\.' '^Watch 2, u\[3\]\[4\]: changed before 5\.B  \[0\]' '^  u\[3\]\[4\]  \[0\]  0\.' \
	'^Point 5\.B  \[0:3\]'

dvm 60 'watch u[3][4:5]
cont
delete 0
break 3.B
cont
[1] watch eps
[2] assign eps = 0.1
[1] assign eps = 0.2
cont' -n 4 "$heat" 40 3
like 'watch-1: a section, set before the program starts' "$out" '^Watch 0, u\[3\]\[4:5\]: changed before 1\.E  \[0\]' \
	'^  u\[3\]\[4\]  \[0\]  0 -> ' '^  u\[3\]\[5\]  \[0\]  0 -> '
unlike 'watch-1: what the user assigns is no change' "$out" 'Watch 2'

dvm 60 'break 1.E
cont
watch u[3][4] -length 16
watch u[19:20][4]
cont
watch u[3][38] -length 24
watch u[3][*] -length 8
watch u[3][400]
watch eps + 1' -n 2 "$heat" 40 3
like 'watch-2: -length counts bytes from the element on' "$out" '^watch 1: u\[3\]\[4\], checked at numbered points, 16 bytes'
like 'watch-3: each element with the rank that owns it' "$out" ', u\[19:20\]\[4\]: changed before [0-9]+\.B  \[0:1\]' \
	'^  u\[19\]\[4\]  \[0\]  ' '^  u\[20\]\[4\]  \[1\]  '
for line in 'watch u[3][38] -length 24|from 1 to 16 bytes' 'watch u[3][*] -length 8|goes with one element' \
	'watch u[3][400]|dimension 2 has the indices 0 to 39' 'watch eps + 1|it is calculated, and has no place in memory'; do
	dvm 60 "break 1.E
cont
${line%%|*}" -n 2 "$heat" 40 3
	like "watch-1: refused with what is allowed: ${line%%|*}" "$out" "${line##*|}"
done

dvm 60 'watch u[3][4] -stop []
cont' -n 4 --set STOP_TIMER=1 "$heat" 40 3
like 'watch-2: -stop [] stops only the ranks that found it' "$out" '^Watch 0, u\[3\]\[4\]: changed before 1\.E  \[0\]' '^Point 1\.E  \[0\]'

sums=$builddir/tests/prog/arrays/sums
dvm 60 'watch v
watch par.steps
delete -break
cont
cont
cont
cont
actions' "$sums" 'part 0 of 1'
like 'watch-1: a whole array, in a loop of a task' "$out" '^Watch 0, v: changed before 4\.1\.1\.E  \[0\]$' '^  v\[9\]  \[0\]  0\.11111111 -> -0\.11111111$' \
	'^Point 4\.1\.1\.E  \[0\]  parallel loop  sums\.c:[0-9]+  actionpoint 0$'
like 'watch-1: a field' "$out" '^Watch 1, par\.steps: changed before 4\.E  \[0\]$' '^  par\.steps\[1\]  \[0\]  2 -> 3$'
like 'watch-1: an object that is forgotten: told, and disabled' "$out" '^Watch 0, v: gone at 6\.B  \[0\]; it is disabled$' \
	'^watch 0: v, .*disabled, hit 2 times$' '^watch 1: par\.steps, checked at numbered points, hit 1 time$'
dvm 60 'watch mine
cont
cont
actions' "$sums" scope
like 'watch-1: an object of a function that has returned: told, and disabled' "$out" '^  mine  \[0\]  1 -> 2$' \
	'^Watch 0, mine: gone at 3\.B  \[0\]; it is disabled$' '^watch 0: mine, .*disabled, hit 1 time$'
dvm 60 'help watch
break 1.B
cont
watch u[0][0]
watch u[0][1] -stop []' -n 2 "$heat" 40 3
like 'watch-4: how many there can be, and when they are looked at' "$(tr -s ' \n' '  ' <<<"$out")" 'up to 32' 'checked at every numbered point' 'stops behind the write'
like 'watch-4: said of each' "$out" '^watch 1: u\[0\]\[0\], checked at numbered points$'
fortran=$builddir/tests/prog/points/fmarks
if [ -x "$fortran" ]; then
	dvm 60 'break fmarks.f90:33 -iter 2
cont
delete 0
break fmarks.f90:42 -iter 2
cont
break fmarks.f90:43 -iter 1' "$fortran"
	like 'break: -iter in Fortran' "$out" '^Iteration 2  \[0\]  sequential loop  fmarks\.f90:33  actionpoint 0$' \
		'^Task 2  \[0\]  fmarks\.f90:42  actionpoint 1$' 'fmarks\.f90:43 -iter: dvmdbg does not see the iterations of this parallel loop'
	dvm 60 'watch odd
cont' "$fortran"
	like 'watch-1: in Fortran, forgotten' "$out" '^Watch 0, odd: gone at 5\.B  \[0\]; it is disabled$'
else
	skip 'break: -iter in Fortran' 'no Fortran'
fi

# --- actions, delete, disable, enable, export
dvm 60 'break 3.B
barrier 5.B
watch eps
break 7.B
disable 0 3
actions -enabled
actions -disabled
actions -barrier
actions -watch
actions 0,2
[1] actions
delete -disabled
break 9.B
actions -break
enable -all' -n 2 "$heat" 40 5
like 'actions-2: chosen by number, kind and state; numbers are never used again' "$out" '^actionpoint 0: 3\.B, disabled$' \
	'^barrier 1: 5\.B$' '^watch 2: eps' '^actionpoint 4: 9\.B$' '^actionpoint 0: 3\.B, disabled \(deleted\)$'
like 'exec-4: one pool of numbers, and none twice' "$out" '^watch 2: eps' '^actionpoint 3: 7\.B$' '^actionpoint 4: 9\.B$'
like 'delete-2: how many are deleted' "$out" '^2 actionpoints deleted$'
like 'disable-1: the actionpoint stays' "$out" '^actionpoint 3: 7\.B, disabled$'
talk '[1] break 3.B
break 4.B
[0] actions
[1] actions' -n 2 "$heat" 40 5
is 'actions-2: by target set' "$(answer '[0] actions')" 'actionpoint 1: 4.B'
is 'actions-2: of those it concerns' "$(answer '[1] actions' | cut -d : -f 1)" "$(printf 'actionpoint 0\nactionpoint 1')"
dvm 60 'actions
break 3.B
barrier 5.B
set VERBOSE = ALL
actions
set VERBOSE = WARN
actions 1,7,0
actions -watch
delete 9
[1] disable -barrier
[0] enable 1
delete -watch' -n 2 "$heat" 40 5
like 'actions-1: number, place and state; sets with VERBOSE ALL' "$out" '^actionpoint 0: 3\.B$' '^actionpoint 0: 3\.B, for \[all\], stops \[all\]$' \
	'^barrier 1: 5\.B, for \[all\]$'
is 'actions-3: an unknown number is a warning, the others are shown, ascending' \
	"$(grep -A 2 'no actionpoint 7' <<<"$out")" 'warning: there is no actionpoint 7; actions lists them
actionpoint 0: 3.B
barrier 1: 5.B'
like 'actions-3: none at all' "$out" '^no actionpoints$' 'there is no actionpoint 9'
dvm 60 'break 3.B
delete 0,7' -n 2 "$heat" 40 5
like 'delete-2: a number that does not exist is a warning, the others are deleted' "$out" 'there is no actionpoint 7' '^actionpoint 0: 3\.B \(deleted\)$'
dvm 60 'delete' -n 2 "$heat" 40 5
like 'delete-1: something has to be chosen' "$out" 'numbers of actionpoints are needed, or -all'

dvm 60 'break heat.c:61
[1] delete 0
actions
[0] disable 0
actions' -n 4 "$heat" 40 5
like 'delete-1: with a set only for its members' "$out" '^actionpoint 0: heat\.c:61, for \[0,2:3\]$' \
	'^actionpoint 0: heat\.c:61, for \[0,2:3\], disabled for \[0\]$'
dvm 60 "break 3.B
[0:1] barrier 5.B
[2] delete 0,1
[0:1] delete -barrier
[2] break 7.B -stop [1]
[1] delete -all
actions
[1] enable -all
cont
export $tmp/none/x
" -n 3 "$heat" 40 5
like 'delete-1: where none of them is meant, a warning' "$out" '^warning: delete: actionpoint 1 does not apply to any of these ranks$' \
	'^actionpoint 0: 3\.B, for \[0:1\]$' '^barrier 1: 5\.B, for \[0:1\] \(deleted\)$'
like 'delete-1: out of a stop set too' "$out" '^actionpoint 2: 7\.B, for \[2\], stops \[\]$' '^actionpoint 0: 3\.B, for \[0\]$'
like 'export-2: a file that cannot be written is an error' "$out" "export $tmp/none/x: No such file"
dvm 60 "break 3.B
[1] barrier 5.B
watch eps
disable 0
export $tmp/some 1,2
export $tmp/off -disabled
[0] export $tmp/of0
export $tmp/none -break -enabled" -n 2 "$heat" 40 5
is 'export-2: by number' "$(grep -v '^#' "$tmp/some")" '[1] barrier 5.B
[all] watch eps'
is 'export-2: by state, with the command that disables it' "$(grep -v '^#' "$tmp/off")" '[all] break 3.B
disable -last'
is 'export-2: by a set' "$(grep -c '^\[' "$tmp/of0")" 2
like 'export-2: none is told' "$out" 'export: there is no such actionpoint'

dvm 60 'break 3.B
cont
rerun
actions' --set ERROR_CHECKS=MIN -n 2 "$heat" 40 5
like 'run-4: actionpoints survive a rerun' "$out" '^actionpoint 0: 3\.B, hit 2 times$'

dvm 60 "break heat.c:61 -count 2
[0:1] barrier 5.B
watch u[3][4] -stop [0]
break heat.c:69 -if change < 0.5
break heat.c:52 -iter 3
disable 0
export $tmp/acts
delete -all
input $tmp/acts
actions" --set ERROR_CHECKS=MIN -n 4 "$heat" 40 5
like 'export-1: input makes the same actionpoints again' "$out" '^5 actionpoints written to ' \
	'^actionpoint 5: heat\.c:61, every 2 hits, disabled$' '^barrier 6: 5\.B, for \[0:1\]$' \
	'^watch 7: u\[3\]\[4\], checked at numbered points, stops \[0\]$' \
	'^actionpoint 8: heat\.c:69, if change < 0\.5$' '^actionpoint 9: heat\.c:52, iteration 3$'

no_leak 'all of them'
done_testing
