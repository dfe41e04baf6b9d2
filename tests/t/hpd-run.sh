# SPDX-License-Identifier: GPL-3.0-or-later
# The HPD standard, start and end of programs: doc/HPD.md has the requirements by the ids of these cases.
. "${0%/*}/lib.sh"
export HOME=$tmp
heat=$(prog doc/examples/heat "$(first_mpi)")
ask=$builddir/tests/prog/runs/ask
serial=$builddir/tests/prog/runs/serial

talk "run
cont
where
print eps
kill
detach
whichsets
status
alias x y
load $tmp/nothing
load $srcdir/NEWS
load $heat 100 10 -copies 0
set VERBOSE = ALL
load $heat 100 10 -copies 3
set VERBOSE = WARN
load $heat 100 10 -copies 2
load
run
status" 
for verb in cont where 'print eps' kill whichsets; do
	like "load-5: $verb before load is an error" "$(answer "$verb")" "no program is loaded"
done
is "load-5: the debugger's own verbs can be used" "$(answer 'alias x y')" ''
like "run-5: nothing is loaded" "$(answer run | head -n 1)" 'no program is loaded'
like "kill-3: nothing is loaded" "$(answer kill)" 'no program is loaded'
like "detach-2: nothing is loaded" "$(answer detach)" 'no program is loaded'
like "status-2: it works before load, with a word about that" "$(answer status | head -n 1)" 'nothing is loaded'
like "load-3: a file that is not there" "$(answer "load $tmp/nothing")" 'no such file'
like "load-3: a file that is no executable" "$(answer "load $srcdir/NEWS")" 'load: .*NEWS'
like "load-3: copies below one" "$(answer "load $heat 100 10 -copies 0")" '1 to [0-9]+ ranks are allowed'
like "load-2: how many are ready" "$(answer "load $heat 100 10 -copies 3")" '^loaded .*heat, 3 ranks'
like "load-2: their numbers with VERBOSE ALL" "$(answer "load $heat 100 10 -copies 3")" 'its processes are \[0:2\]'
like "load-4: a further one takes the place, which is said" "$(answer "load $heat 100 10 -copies 2")" 'replace the old ones' '^loaded .*, 2 ranks'
like "load-1: as many as -copies says" "$(answer status | tail -n +2)" '\[0:1\]'
no_leak "load"

mkdir "$tmp/bin" "$tmp/other"
cp "$serial" "$tmp/bin/prog1"
out=$(cd "$tmp/other" && printf 'load prog1\nset EXECUTABLE_PATH = ( ../bin $EXECUTABLE_PATH )\nload prog1\nload env\n' |
	timeout 60 "$DVMDBG" -n 1 2>&1)
like "load-1: not found outside EXECUTABLE_PATH" "$(answer 'load prog1' | head -n 1)" 'load: .*prog1'
like "load-1: found in EXECUTABLE_PATH" "$(answer 'load prog1' | tail -n 1)" '^loaded \.\./bin/prog1, 1 rank'
like "load-1: \$PATH in it is the environment's" "$(answer 'load env')" '^loaded /.*/env, 1 rank'
no_leak "EXECUTABLE_PATH"

printf '1\n2\n3\n' >"$tmp/in"
talk "run first <$tmp/in >$tmp/out
run second \"two words\" <$tmp/in
break 2.B
defset a [0]
run
actions
viewset a
run" -n 1 "$ask"
like "run-1: arguments and input" "$(<"$tmp/out")" '^3 numbers, sum 6' '^done: first 2'
unlike "run-1: output to the file only" "$(answer "run first <$tmp/in >$tmp/out")" 'done: first'
like "run-2: other arguments the next time, output here again" "$(answer "run second \"two words\" <$tmp/in")" '^done: second 3'
like "run-2: those arguments stay" "$(answer run | tail -n 8)" 'Point 2\.B'
like "run-4: actionpoints stay" "$(answer actions)" '2\.B'
like "run-4: sets stay" "$(answer 'viewset a')" '^a  \[0\]'
like "run-1: it has come to the actionpoint" "$(answer run)" '^Point 2\.B'
like "load-2: run without a path to read" "$(talk "run <$tmp/none" -n 1 "$ask"; answer "run <$tmp/none")" 'cannot read'
no_leak "run"

# What goes where, as in a shell.
mkfifo "$tmp/pipe"
talk "run a <$tmp/in >$tmp/o1 2>$tmp/e1
rerun
run b <$tmp/in >>$tmp/o1 2>>$tmp/e1
run c <$tmp/in > $tmp/both 2>&1
run d <$tmp/in &>$tmp/both2
run e <$tmp/in 2>$tmp/e2
info
run f <$tmp/in \"<quoted\" '2>quoted'
run <$tmp
run >$tmp
run 2>$tmp/no/such
run >$tmp/no/such
run <$tmp/none
run 2>
run >&3
run >$tmp/pipe
status" -n 1 "$ask"
is "run-1: output and errors in files of their own; rerun writes them anew, >> behind what is there" \
	"$(cat "$tmp/o1"; echo; cat "$tmp/e1")" "$(for x in a b; do
	printf 'numbers, please:\n1 numbers, sum 1\n2 numbers, sum 3\n3 numbers, sum 6\ndone: %s 2\n' $x
done; printf '\n3 numbers in all\n3 numbers in all\n')"
for both in both both2; do
	is "run-1: errors where the output goes: $both" "$(sort "$tmp/$both")" "$(printf '%s\n' '1 numbers, sum 1' \
		'2 numbers, sum 3' '3 numbers in all' '3 numbers, sum 6' "done: $([ $both = both ] && echo c || echo d) 2" \
		'numbers, please:')"
done
like "run-1: errors alone" "$(cat "$tmp/e2"; answer "run e <$tmp/in 2>$tmp/e2")" '^3 numbers in all' '^done: e 2'
unlike "run-1: errors alone are in the file only" "$(answer "run e <$tmp/in 2>$tmp/e2")" 'in all'
like "run-1: info tells where they go" "$(answer info)" "^errors +$tmp/e2" "^input +$tmp/in"
unlike "run-2: what was redirected before is not any more" "$(answer info)" '^output '
like "run-1: quoted words are arguments" "$(answer "run f <$tmp/in \"<quoted\" '2>quoted'")" '^done: f 4'
bad()
{
	is "run-1: $1" "$(answer "$1")" "run: $2"
}
bad "run <$tmp" "cannot read $tmp: Is a directory"
bad "run >$tmp" "cannot write $tmp: Is a directory"
bad "run 2>$tmp/no/such" "cannot write $tmp/no/such: No such file or directory"
bad "run >$tmp/no/such" "cannot write $tmp/no/such: No such file or directory"
bad "run <$tmp/none" "cannot read $tmp/none: No such file or directory"
bad "run >$tmp/pipe" "cannot write $tmp/pipe: it is a pipe without a reader"
bad 'run 2>' 'a file is needed after 2>'
like "run-1: what is no redirection" "$(answer 'run >&3')" "^run: '>&3' is not a redirection; the forms are <file >file >>file"
like "run-1: nothing was started by those" "$(answer status)" 'exited'
no_leak "redirections"

typed_ok "run-3: the user is asked before what lives is ended" '
prompt; enter "break 3.B"; prompt; enter cont; sees {Point 3\.B}
prompt; enter run; sees {\[0:1\] is alive and will be ended. Run it from its beginning\? \(y or n\) }; send "n\r"
prompt; enter "print steps"; sees {steps = 100\r}
prompt; enter "run 100 50"; sees {\(y or n\) }; send "maybe\r"; sees {\(y or n\) }; send "y\r"; sees {Point 3\.B}
prompt; enter "print steps"; sees {steps = 50\r}
prompt; enter "set ERROR_CHECKS = MIN"; prompt; enter "run 100 40"; sees {Point 3\.B}
prompt; enter "print steps"; sees {steps = 40\r}
prompt; enter quit; ends' -n 2 "$heat" 100 100
echo 'rerun -to 5.B' >"$tmp/again"
typed_ok "so before rerun, quit, exit and Ctrl-D, but not before the first start, after the end, and in files" '
prompt; enter "break 3.B"; prompt; enter rerun; sees {Point 3\.B}; prompt
enter rerun; sees {\[0:1\] is alive and will be ended. Run it again\? \(y or n\) }; send "n\r"; prompt; enter "step"; sees {Point 3\.E}; prompt
enter "rerun -to 5.B"; sees {Run it again\? \(y or n\) }; interrupt; prompt; enter "rerun -to 5.B"; sees {\(y or n\) }; send "yes\r"; sees {Point 5\.B}; prompt
enter quit; sees {\[0:1\] is alive and will be ended. Quit\? \(y or n\) }; send "n\r"; prompt; enter exit; sees {Quit\? \(y or n\) }; send "n\r"; prompt
send "\004"; sees {Quit\? \(y or n\) }; send "n\r"; prompt; enter "print steps"; sees {steps = 4\r}; prompt
enter "input '"$tmp"'/again"; sees {Point 5\.B}; prompt; enter "delete -all"; prompt; enter cont; sees {exited with code 0}; prompt
enter quit; expect {(y or n)} { give_up "asked about nothing" } eof {} timeout { give_up "no end" }' -n 2 "$heat" 100 4
typed_ok "with ON_EXIT run nothing would be lost" '
prompt; enter "break 3.B"; prompt; enter cont; sees {Point 3\.B}; prompt; enter "set ON_EXIT run"; prompt
enter quit; expect {(y or n)} { give_up "asked about nothing" } eof {} timeout { give_up "no end" }' -n 2 "$heat" 100 4
dvm 60 'break 3.B
cont
rerun
run
quit' -n 2 "$heat" 100 4
is "a script is never asked" "$(grep -c '^Point 3\.B' <<<"$out") $status" "3 0"
unlike "and sees no question" "$out" 'y or n'
typed_ok "kill-2: the user is asked before what runs is killed" '
prompt; enter go; prompt; until status running; enter kill; sees {\[0:1\] runs. Kill it\? \(y or n\) }; send "n\r"
prompt; enter status; sees {running}; prompt; enter kill; sees {\(y or n\) }; send "y\r"; prompt
enter status; sees {exited}; prompt; enter quit; ends' -n 2 "$heat" 100 1000000

talk "attach $heat x
attach $tmp/none 1
attach $heat
attach
attach $heat 4000000
core $heat $tmp/in
core $heat $tmp/none
core $tmp/none $tmp/in
core $heat"
like "attach-1: a process number that is none" "$(answer "attach $heat x")" "'x' is not a process number"
like "attach-1: an executable that is not there" "$(answer "attach $tmp/none 1")" 'no such file'
like "attach-1: an empty list" "$(answer "attach $heat")" 'process numbers are needed'
like "attach-1: no list" "$(answer "attach")" 'process numbers are needed'
like "attach-1: a process that does not exist is a warning" "$(answer "attach $heat 4000000")" '^warning: attach: there is no process 4000000'
like "core-1: what is none, with the reason" "$(answer "core $heat $tmp/in")" 'is no core file of this kind of machine'
like "core-1: a core file that is not there" "$(answer "core $heat $tmp/none")" 'cannot read'
like "core-1: an executable that is not there" "$(answer "core $tmp/none $tmp/in")" 'no such file'

talk 'break 3.B
cont
status
status -mpi
status -pid
set VERBOSE = ALL
status 
set VERBOSE = WARN
[1] kill
status
[0,9] kill
kill
run
status
[0] detach
detach
status' -n 2 "$heat" 100 10
like "status-1: state and reason, merged" "$(answer status | sed -n 2p)" '\[0:1\].*stopped.*3\.B'
like "status-1: the program" "$(answer status | sed -n 1p)" 'heat, 2 ranks'
like "status-1: the state of MPI" "$(answer 'status -mpi')" '^calls of MPI:' '^\[0.*\] +(computes|stopped)'
is "status-1: the processes of both ranks, which run the program" \
	"$(answer 'status -pid' | grep -cE "^  rank [01]: process [0-9]+ on $(uname -n)\$")" 2
is "status-1: with VERBOSE ALL as well, the same" "$(answer 'status ' | grep 'process')" "$(answer 'status -pid' | grep process)"
unlike "status-1: else not" "$(answer status)" 'process'
like "kill-1: the process of the set is ended" "$(answer status | sed -n 3,5p)" 'exited'
like "kill-1: run starts them again, actionpoints stay" "$(answer run)" '^Point 3\.B +\[0:1\]'
like "kill-3: members that do not exist are a warning" "$(answer '[0,9] kill')" '^warning: \[0,9\]: there is no rank 9'
like "detach-1: not some of them" "$(answer '[0] detach')" 'detach: this releases all ranks'
like "detach-1: all run on without the debugger" "$(answer detach)" 'runs on without dvmdbg'
like "status-2: nothing runs" "$(answer status)" 'nothing runs'
wait_for 30 nothing_tagged
no_leak "kill and detach"

talk 'break 3.B
cont
[0] step 2
status
sync
status
gdb 0
gdb 7
gdb' -n 2 "$heat" 100 10
like "quit-1: ranks that lag come to the furthest with sync" "$(answer sync)" '\[.*1.*\]'
like "quit-1: gdb needs a terminal, and says which process it is" "$(answer 'gdb 0')" 'type gdb -p [0-9]+ in another one for rank 0'
like "quit-1: gdb of a rank that is not there" "$(answer 'gdb 7')" 'there is no rank 7'
if command -v gdb >/dev/null; then
	typed_ok "quit-1: gdb in this terminal, and back" '
prompt; enter "break 3.B"; prompt; enter cont; sees {Point 3\.B}; prompt
enter "gdb 1"; sees {gdb runs on rank 1, process [0-9]+} {\(gdb\) }; send "print 40+2\r"; sees { = 42} {\(gdb\) }
send "quit\r"; expect {
	-re {y or n\) } { send "y\r"; exp_continue }
	-ex {[all]> } {}
	timeout { give_up "not back" }
}
enter "print steps"; sees {steps = 10\r}; prompt; enter "step 2"; sees {Point 4\.B}; prompt; enter quit; ends' -n 2 "$heat" 100 10
fi
talk 'go
quit' -n 2 "$heat" 100 1000000
is "quit-1: quit ends the session" $status 0
no_leak "quit-1: and the program"
talk 'go
exit' -n 2 "$heat" 100 1000000
no_leak "quit-1: so does exit"
done_testing
