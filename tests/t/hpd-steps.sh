# SPDX-License-Identifier: GPL-3.0-or-later
# Execution in the HPD standard (2.6): step, go, halt, cont, wait. doc/HPD.md has the requirements by the ids of
# these cases; those without an id are ours.
. "${0%/*}/lib.sh"

mpi=$(first_mpi)
heat=$(prog doc/examples/heat "$mpi")
# Constructs of heat: loops 1 and 2 at lines 35 and 41; in the sequential loop of line 52 (function main)
# two each step, at 61 and 69: 3 and 4 in step 1, 5 and 6 in step 2, …

# --- step
dvm 60 'step
step 3
step
step 4 -finish
[1] step 2
[0] step -finish' --set STOP_TIMER=1 -n 2 "$heat" 40 5
like 'step-1: one point, and n of them' "$out" '^Point 1\.B  \[0:1\]' '^Point 2\.E  \[0:1\]' '^Point 3\.B  \[0:1\]'
like 'step-3: to the end of the innermost construct' "$out" '^Point 3\.E  \[0:1\]  parallel loop  heat\.c:61$'
like 'step-4: any set' "$out" '^Point 4\.E  \[1\]  parallel loop  heat\.c:69$'
dvm 60 'break 2.B
cont
step -over
step' -n 2 "$(prog tests/prog/points/tasks "$mpi")"
like 'step-2: a task region is one step' "$out" '^Point 2\.E  \[0:1\]  task region' '^Point 3\.B  \[0:1\]'
dvm 60 'step
step -finish
step 2 -over
step -iter
step' -n 2 "$heat" 40 5
like 'step: to points, to the end of a construct, to iterations' "$out" '^Point 1\.B  \[0:1\]' '^Point 1\.E  \[0:1\]' \
	'^Point 2\.E  \[0:1\]' '^Iteration 1  \[0:1\]  sequential loop  heat\.c:52' '^Point 3\.B  \[0:1\]'
# A step goes on over conditions that are false.
dvm 60 'break heat.c:61 -if eps > 5
step 6' -n 4 "$heat" 40 9
like 'step: a condition that is false on the way does not count anew' "$out" '^Point 3\.E  \[0:3\]'
talk "step
go
halt
cont
wait
load $heat -copies 2
halt
wait
step
step 0
step x
barrier 2.B
[1] cont
[0:1] step
step -over -iter" --set STOP_TIMER=1
for verb in step go halt cont wait; do
	like "$verb: nothing loaded is an error" "$(answer $verb | head -n 1)" 'no program is loaded'
done
like 'step-5: nothing loaded is an error' "$(answer step | head -n 1)" 'no program is loaded'
like 'step-5: after load it starts the program' "$(answer step | tail -n 1)" '^Point 1\.B  \[0:1\]'
like 'step-5: who is held stays, and the others go' "$(answer '[0:1] step')" 'step: \[1\]: held at barrier 0' '^Point 1\.E  \[0\]'
like 'step-1: a number from 1' "$(answer 'step 0')$(answer 'step x')" "step '0': give a number from 1.*step 'x': give a number from 1"
like 'halt-1: before anything has run it is an error' "$(answer halt | tail -n 1)" 'halt: nothing runs'
like 'wait-1: before anything has run it is an error' "$(answer wait | tail -n 1)" 'wait: nothing runs'

# --- go and halt
start -n 2 "$heat" 100 100000000
tell 'halt' 'break 1.B' cont 'delete -all' halt
expect_out 'halt-1: those that do not run are a warning' 30 '^warning: halt: \[0:1\]: not running$'
tell '[0] go' '[0:1] go' '[0:1] go' status 'print n'
expect_out 'go-1: those that cannot go on are told, the others go' 30 'go: \[0\]: running already'
expect_out 'go-1: when none can go on that is a warning' 30 '^warning: go: \[0:1\]: running already'
expect_out 'go-1: the prompt is back while they run, and values are as of now' 30 'print: \[0:1\] still running: values of this moment'
tell '[0:1,5] halt'
expect_out 'halt-1: all that run stand at one point' 30 '^Point [0-9]+\.[BE]  \[0:1\]'
tell 'status' go halt quit
finish
is 'halt-1: each halt but the first two, which find nothing, ends in a stop' "$(grep -cE '^Point [0-9]+\.[BE]  \[0:1\]' <<<"$out")" 3
like 'go-1: and status says stopped' "$out" '^  \[0:1\] +stopped'
dvm 60 'go
wait' -n 2 "$heat" 40 5
like 'go-2: before run it starts the program' "$out" '^All ranks have exited with code 0'
like 'wait-1: until all have ended' "$out" '^All ranks have exited with code 0'
dvm 60 'break 1.B
cont
[2] go
[0,2] halt
status' --set STOP_TIMER=1 -n 3 "$heat" 40 5
like 'halt-1: the others of the set are halted' "$out" '^warning: halt: \[0\]: not running$' '^(Point [12]\.[BE]  \[2\]|Paused  \[2\]|\[2\] running, last seen at 2\.E)'

# --- cont
dvm 60 'break 3.B
[0] break 1.E -stop []
cont -waitany
wait
go
wait -waitany
wait' --set STOP_TIMER=1 -n 2 "$heat" 40 5
like 'cont-2: -waitany returns when any rank has stopped' "$out" '^Point 1\.E  \[0\]  parallel loop  heat\.c:35  actionpoint 1$'
dvm 60 'break 3.B
cont
wait
cont' -n 2 "$heat" 40 5
like 'cont-1: waits until all have stopped, or ended' "$out" '^Point 3\.B  \[0:1\]  parallel loop  heat\.c:61  actionpoint 0$' '^All ranks have exited with code 0'
is 'wait-1: it is over at once, and says where they are' "$(grep -c '^Point 3\.B  \[0:1\]' <<<"$out")" 2
dvm 60 'break 1.B
cont
[1] barrier 2.B -stop []
[1] break 2.E
[0] go
[0:1] wait -waitany' --set STOP_TIMER=1 -n 2 "$heat" 40 5
like 'wait-2: -waitany returns when one has stopped' "$out" '^Point 1\.B  \[1\]'

if command -v expect >/dev/null; then
	typed_ok 'cont-3: the interrupt key halts what was resumed' '
prompt; enter {[0:1] cont}; sleep 1; interrupt; sees {Point [0-9]+\.[BE]  \[0:1\]}
prompt; enter status; sees {  stopped  }; prompt; enter quit; ends' -n 2 "$heat" 100 100000000
	typed_ok 'wait-4: the interrupt key ends the waiting, and the processes run on' '
prompt; enter go; prompt; enter wait; sleep 1; interrupt; sees {running, (last seen at|no point passed)}
prompt; enter status; sees {  running  }; prompt
enter "wait -waitany"; sleep 1; interrupt; sees {running, (last seen at|no point passed)}
prompt; enter halt; sees {Point [0-9]+\.[BE]  \[0:1\]}; prompt; enter quit; ends' -n 2 "$heat" 100 100000000
	typed_ok 'wait-4: their stops are told when they come' '
prompt; enter "break heat.c:69 -count 6000"; prompt; enter go; prompt; enter wait; interrupt; prompt
sees {Point [0-9]+\.B  \[0:1\]}; prompt; enter quit; ends' -n 2 "$heat" 100 100000000
	typed_ok 'wait-3: what is typed meanwhile is for the program' '
prompt; enter go; sees {numbers, please}; prompt; enter wait; send "4\r"; sees {1 numbers, sum 4}
send "38\r"; sees {2 numbers, sum 42}; interrupt; sees {running, last seen at}; prompt
enter "proginput 8"; sees {3 numbers, sum 50}; prompt
enter wait; send "2\r"; sees {4 numbers, sum 52}; send "\004"; sees {4 numbers in all} {exited with code 0}; prompt
enter status; sees {exited}; prompt; enter quit; ends' -n 1 "$builddir/tests/prog/runs/ask"
	printf '1\n2\n' >"$tmp/numbers"
	typed_ok 'wait-3: not when the program reads a file; cont leaves what is typed to the prompt' "
prompt; enter {break 2.B}; prompt; enter {run <$tmp/numbers}; sees {Point 2\\.B}; prompt; enter go; enter wait; prompt
enter {print 40+2}; sees { = 42}; prompt; enter quit; ends" -n 1 "$builddir/tests/prog/runs/ask"
	typed_ok 'cont-1: what is typed meanwhile is for the prompt' '
prompt; enter "break heat.c:69 -count 2000"; prompt; enter cont; send "print steps\r"
sees {Point [0-9]+\.B  \[0:1\]} {steps = 100000000\r}; prompt; enter quit; ends' -n 2 "$heat" 100 100000000
else
	for id in cont-3 wait-4 wait-3; do
		skip "$id: typed" 'no expect'
	done
fi

dvm 60 'break 1.B
cont
[0] go
cont
status
delete -all
cont
cont
go
step' --set STOP_TIMER=1 -n 2 "$heat" 40 5
like 'cont-1: some that run already are a warning, and are waited for as well' "$out" '^warning: cont: \[0\]: running already' \
	'^All ranks have exited with code 0'
is 'go-1: after the end cont, cont and go warn' "$(grep -cE '^warning: (cont|go): \[0:1\]: ended; rerun starts the program again$' <<<"$out")" 3
like 'step-5: step is an error' "$out" ':10: step: \[0:1\]: ended'
is 'step-5: which ends a batch session' $status 2

no_leak 'all of them'
done_testing
