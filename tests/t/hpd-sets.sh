# SPDX-License-Identifier: GPL-3.0-or-later
# The HPD standard, sets of processes: doc/HPD.md has the requirements by the ids of these cases.
. "${0%/*}/lib.sh"
export HOME=$tmp
heat=$(prog doc/examples/heat "$(first_mpi)")
eps() { answer "$1" | sed 's/^eps = //'; }

talk 'break 3.B
cont
print rank
[0] whichsets
[*] focus
[1:2] focus
[2:9] focus
[9] focus
[0.*] focus
[0.*:2.*] focus
[1.2:1.5] focus
[1.2:2.3] focus
[0:2.*] focus
[1.3:5] focus
[1.4] focus
[*.1] focus
[0:3.1:2] focus
[2.*] focus
[0, 2:3] focus
{0..1} focus
[0,0:1] focus
set ERROR_CHECKS = MIN
[0,0:2] focus
set ERROR_CHECKS = NORMAL
[3] print eps
print eps
[0:2] print eps
[77] set MAX_LIST = 9
set MAX_LIST
[stopped] focus
[runnable] focus
[running] focus
[held] focus
[all] focus
[exec(heat)] focus
[exec (heat)] focus
[exec(cold)] focus
[nobody] print eps
[] print eps
[0 print eps' -n 4 "$heat" 100 100 --fault differing-eps
is "set-1: processes are numbered from 0" "$(answer '[0] whichsets')" '[0]  all stopped runnable'
is "set-2: * is all" "$(answer '[*] focus')" '[*] = [0:3]'
is "set-2: a range has both ends" "$(answer '[1:2] focus')" '[1:2] = [1:2]'
is "set-2: a range need not be populated" "$(answer '[2:9] focus')" '[2:9] = [2:3]'
is "set-3: 0.*" "$(answer '[0.*] focus')" '[0.*] = [0]'
is "set-3: 0.*:2.*" "$(answer '[0.*:2.*] focus')" '[0.*:2.*] = [0:2]'
is "set-3: 1.2:1.5" "$(answer '[1.2:1.5] focus')" '[1.2:1.5] = [1]'
is "set-3: 1.2:2.3" "$(answer '[1.2:2.3] focus')" '[1.2:2.3] = [1:2]'
is "set-3: 0:2.*" "$(answer '[0:2.*] focus')" '[0:2.*] = [0:2]'
is "set-3: 1.3:5" "$(answer '[1.3:5] focus')" '[1.3:5] = [1]'
is "set-4: the thread is ignored, without a word" "$(answer '[1.4] focus')" '[1.4] = [1]'
is "set-4: *.1" "$(answer '[*.1] focus')" '[*.1] = [0:3]'
is "set-4: 2.* is 2" "$(answer '[2.*] focus')" '[2.*] = [2]'
is "set-5: a list with blanks" "$(answer '[0, 2:3] focus')" '[0,2:3] = [0,2:3]'
is "set-5: braces and dots are understood too" "$(answer '{0..1} focus')" '[0..1] = [0:1]'
is "set-2: ranks and threads of them" "$(answer '[0:3.1:2] focus')" '[0:3.1:2] = [0:3]'

# The same with threads as members.
talk 'set MODE MULTILEVEL
break 3.B
cont
[1.4] focus
[*.1] focus
[2.*] focus
[2] focus
[0:2.1:2] focus
[1.3:5] focus
[1.2:1.5] focus
[1.2:2.3] focus
[0.1:3.0] focus
[0.1,0.2] focus
[0.1:2,0.2] focus
[0.3:1] focus
defset w [0:1.1]
[w] focus
[w,2.0] focus
viewset w
[1.0] whichsets
[1.0:1] whichsets
[7.1] focus
[1.0] print rank
[1.700] where
[2.0] assign eps 7
[1:2] print eps
focus [1.0]
kill' -n 4 "$heat" 100 100
is "set-4: a thread" "$(answer '[1.4] focus')" '[1.4] = [1.4]'
is "set-2: a thread of all processes" "$(answer '[*.1] focus')" '[*.1] = [0:3.1]'
is "set-4: all threads of a process" "$(answer '[2.*] focus')" '[2.*] = [2.*]'
is "set-4: a process is all of its threads" "$(answer '[2] focus')" '[2] = [2]'
is "set-2: threads of several processes" "$(answer '[0:2.1:2] focus')" '[0:2.1:2] = [0:2.1:2]'
is "set-3: 1.3:5 with threads" "$(answer '[1.3:5] focus')" '[1.3:5] = [1.3:5]'
is "set-3: 1.2:1.5 with threads" "$(answer '[1.2:1.5] focus')" '[1.2:1.5] = [1.2:5]'
is "set-3: 1.2:2.3 goes on from one process to the next" "$(answer '[1.2:2.3] focus')" '[1.2:2.3] = [1.2:*,2.0:3]'
is "set-3: with whole processes between" "$(answer '[0.1:3.0] focus')" '[0.1:3.0] = [0.1:*,1:2.*,3.0]'
is "set-6: two threads of a process are two members" "$(answer '[0.1,0.2] focus')" '[0.1,0.2] = [0.1,0.2]'
like "set-6: one thread twice is odd" "$(answer '[0.1:2,0.2] focus')" 'warning: \[0\.1:2,0\.2\] has a member more than once'
like "set-2: a range of threads goes up" "$(answer '[0.3:1] focus')" "'0\.3:1' is neither a rank nor a range"
is "set-5: named sets have threads" "$(answer '[w] focus')" '[w] = [0:1.1]  defined as [0:1.1]'
is "set-5: and are members of others" "$(answer '[w,2.0] focus')" '[w,2.0] = [0:1.1,2.0]'
like "set-5: they are listed" "$(answer 'viewset w')" '^w  \[0:1\.1\]'
is "set-9: a thread is in the sets that its process is in" "$(answer '[1.0] whichsets')" '[1.0]  all stopped runnable'
is "set-9: and in those that have it" "$(answer '[1.0:1] whichsets')" '[1.0]  all stopped runnable
[1.1]  all stopped runnable w'
like "set-2: a process that is not there" "$(answer '[7.1] focus')" 'there is no rank 7\.1: ranks are 0 to 3'
is "set-9: what a process has, its threads have" "$(answer '[1.0] print rank')" '  rank = 1'
like "set-10: a thread that is not there" "$(answer '[1.700] where')" 'there are no such threads'
like "set-9: assign changes the process's" "$(answer '[1:2] print eps')" '\[2\]: 7'
like "ui-3: the prompt names the thread" "$out" '^\[1\.0\]> kill$'

talk '[0,0:1] print 1
set ERROR_CHECKS = MIN
[0,0:2] print 2' -n 4 "$heat" 100 100
is "set-6: repeated members are warned of" "$(answer '[0,0:1] print 1')" \
	"$(printf 'warning: [0,0:1] has a member more than once\n1 = 1')"
is "set-6: and not with ERROR_CHECKS MIN" "$(answer '[0,0:2] print 2')" '2 = 2'

talk 'break 3.B
cont
[3] print eps
[0:2] print eps
focus [3]
print eps
[all] print eps
focus [all]
[77] set MAX_LIST = 9
set MAX_LIST
[77] help quit
[stopped] focus
[runnable] focus
[running] focus
[held] focus
[exec(heat)] focus
[exec (heat)] focus
[exec(cold)] focus
[nobody] print eps
[] print eps
[0 print eps
[1.7] status
[0:1] step
[2:3] step -finish
status' -n 4 "$heat" 100 100 --fault differing-eps
is "set-7: a set before the command is its target" "$(eps '[3] print eps')" 0.75
is "set-7: else the current set" "$(eps 'print eps')" 0.75
like "set-7: the set before the command goes before the current one" "$(answer '[all] print eps')" '\[3\]: 0\.75 +\[0:2\]: 0\.5'
like "set-8: verbs of the debugger itself ignore a set" "$(answer 'set MAX_LIST')" '^MAX_LIST = 9'
unlike "set-8: and do not look at it" "$(answer '[77] set MAX_LIST = 9')$(answer '[77] help quit')" 'no rank'
like "set-9: naming a thread means its process" "$(answer '[1.7] status')" '^\[1\]|^ *\[1\]'
is "set-12: stopped" "$(answer '[stopped] focus')" '[stopped] = [0:3]'
is "set-12: runnable" "$(answer '[runnable] focus')" '[runnable] = [0:3]'
is "set-12: running" "$(answer '[running] focus')" '[running] = []'
is "set-12: held" "$(answer '[held] focus')" '[held] = []'
is "set-12: exec(NAME)" "$(answer '[exec(heat)] focus')" '[exec(heat)] = [0:3]'
is "set-12: exec (NAME) with a blank" "$(answer '[exec (heat)] focus')" '[exec(heat)] = [0:3]'
is "set-12: exec of another program" "$(answer '[exec(cold)] focus')" '[exec(cold)] = []'
like "set-15: an unknown name is an error that lists the names" "$(answer '[nobody] print eps')" "unknown set 'nobody'"
like "set-5: an empty set is an error" "$(answer '[] print eps')" 'empty set'
like "set-5: an open bracket is an error" "$(answer '[0 print eps')" "not closed"
no_leak "sets"

start -n 4 "$heat" 100 1000000
tell 'break 3.B' cont 'defset dyn [stopped]' 'defset fix [!stopped]' 'delete -all' '[0:1] go' 'focus [running]' focus 'viewset dyn' 'viewset fix' \
	'[all] sync' '[0:1] sync' '[all] whichsets' '[0:1] halt' '[all] focus' quit
expect_out "set-12: running ranks" 20 '^\[running\] = \[0:1\]'
expect_out "set-13: a dynamic set follows its members" 10 '^dyn  \[stopped\]  Set currently includes: \[2:3\]'
expect_out "set-14: a static set does not" 10 '^fix  \[!0:3\]  Set includes: \[0:3\]'
expect_out "set-10: who cannot take a command is named, with the reason" 10 '^warning: sync: \[0:1\] left out: running'
expect_out "set-10: it is carried out for the others" 10 'sync: all members of \[2:3\] are at 3.B'
expect_out "set-10: when nobody can take it, it is an error" 10 'sync: \[0:1\]: no rank is stopped'
finish
no_leak "running sets"

talk 'break 3.B
cont
focus [0:2]
focus
focus [1,9]
focus
focus [7:9]
focus
focus [running]
focus [nobody]
focus
focus [!stopped]
focus
set VERBOSE = ALL
focus [0:1]
set VERBOSE = WARN
defset edge [0,3]
focus [edge]
focus
[edge] print steps
defset alsoedge [edge]
viewset alsoedge
defset fix [!0:1]
set VERBOSE = ALL
defset d [1:2]
defset f [!1:2]
set VERBOSE = WARN
defset all [0]
defset x [nobody]
defset y [!running]
viewset y
defset edge [0,2]
viewset edge
defset r [0,0,1]
viewset r
defset m [1,9]
viewset m
defset e [running]
viewset e
viewset nobody
viewset running
viewset all
focus [fix]
focus
undefset fix
focus
defset inner [1]
defset outer [0,inner]
undefset inner
viewset outer
set VERBOSE = ALL
undefset d
set VERBOSE = WARN
undefset all
undefset nobody
undefset -all
viewset edge
focus [all]
defset one [1]
whichsets
whichsets [1]
whichsets [1,9]
whichsets [9]
[2] whichsets' -n 4 "$heat" 100 100
is "focus-1: the current set and its members" "$(answer focus | sed -n 1p)" '[0:2] = [0:2]'
is "focus-5: who does not exist is warned of" "$(answer 'focus [1,9]')" 'warning: [1,9]: there is no rank 9: ranks are 0 to 3'
is "focus-5: and left out" "$(answer focus | sed -n 2p)" '[1] = [1]'
like "focus-4: nobody of an explicit list exists" "$(answer 'focus [7:9]')" 'there is no rank 7:9'
is "focus-4: the set stays as it was" "$(answer focus | sed -n 3p)" '[1] = [1]'
is "focus-4: an empty set" "$(answer 'focus [running]')" 'focus: the set [running] has no members now'
like "focus-4: an unknown name" "$(answer 'focus [nobody]')" "unknown set 'nobody'"
is "focus-4: the set stays then, too" "$(answer focus | sed -n 4p)" '[1] = [1]'
is "focus-1: a static set is marked" "$(answer focus | sed -n 5p)" '[!0:3] = [0:3]'
is "focus-3: silent" "$(answer 'focus [0:2]')" ''
is "focus-3: with VERBOSE ALL the members" "$(answer 'focus [0:1]')" 'Set currently includes: [0:1]'
is "focus-1: a named set with its name" "$(answer focus | sed -n 6p)" '[edge] = [0,3]  defined as [0,3]'
is "set-15: a named set before a command" "$(answer '[edge] print steps')" 'steps = 100'
is "defset-1: another name for a set" "$(answer 'viewset alsoedge')" 'alsoedge  [edge]  Set currently includes: [0,3]'
is "defset-2: silent" "$(answer 'defset fix [!0:1]')" ''
is "defset-2: VERBOSE ALL, dynamic" "$(answer 'defset d [1:2]')" 'Set currently includes: [1:2]'
is "defset-2: VERBOSE ALL, static" "$(answer 'defset f [!1:2]')" 'Set includes: [1:2]'
like "defset-3: a built-in name" "$(answer 'defset all [0]')" "'all' is built in"
like "defset-3: an unknown set" "$(answer 'defset x [nobody]')" "unknown set 'nobody'"
like "defset-3: a static set without members" "$(answer 'defset y [!running]')" 'without members'
like "defset-3: it is not defined then" "$(answer 'viewset y')" "no set 'y'"
is "defset-4: defining anew is warned of" "$(answer 'defset edge [0,2]')" 'warning: the set edge was [0,3]'
is "defset-4: and done" "$(answer 'viewset edge' | sed -n 1p)" 'edge  [0,2]  Set currently includes: [0,2]'
is "defset-5: repeated members are warned of" "$(answer 'defset r [0,0,1]')" 'warning: [0,0,1] has a member more than once'
is "defset-5: the set is defined" "$(answer 'viewset r')" 'r  [0:1]  Set currently includes: [0:1]'
is "defset-5: missing members are warned of" "$(answer 'defset m [1,9]')" 'warning: [1,9]: there is no rank 9: ranks are 0 to 3'
is "defset-5: and left out" "$(answer 'viewset m')" 'm  [1]  Set currently includes: [1]'
is "defset-5: an empty dynamic set is warned of" "$(answer 'defset e [running]')" 'warning: the set e is empty now'
like "viewset-2: an unknown set is an error" "$(answer 'viewset nobody')" "no set 'nobody'"
like "viewset-2: an empty one is a warning" "$(answer 'viewset running')" '^warning: the set running is empty now'
is "viewset-1: members" "$(answer 'viewset all')" 'all  [all]  Set currently includes: [0:3]'
is "focus-2: a static set by its name" "$(answer focus | sed -n 7p)" '[fix] = [0:1]  defined as [!0:1]'
is "undefset-2: its members take its place, with a warning" "$(answer 'undefset fix')" 'warning: fix was in the current set: [0:1] replaces it'
is "undefset-2: the current set stays what it was" "$(answer focus | sed -n 8p)" '[0:1] = [0:1]'
is "undefset-2: in other sets too" "$(answer 'viewset outer')" 'outer  [0,1]  Set currently includes: [0:1]'
is "undefset-1: VERBOSE ALL tells the members" "$(answer 'undefset d')" 'undefset: d was [1:2]'
like "undefset-3: a built-in set is an error" "$(answer 'undefset all')" "'all' is built in"
is "undefset-3: an unknown one is a warning" "$(answer 'undefset nobody')" "warning: there is no set 'nobody'"
like "undefset-1: -all forgets all" "$(answer 'viewset edge' | tail -n 1)" "no set 'edge'"
is "whichsets-1: merged by equal membership" "$(answer whichsets)" "$(printf '[0,2:3]  all stopped runnable\n[1]      all stopped runnable one')"
is "whichsets-1: of a set" "$(answer 'whichsets [1]')" '[1]  all stopped runnable one'
is "whichsets-1: of the target" "$(answer '[2] whichsets')" '[2]  all stopped runnable'
is "whichsets-2: who does not exist is warned of, the others are told" "$(answer 'whichsets [1,9]')" \
	"$(printf 'warning: [1,9]: there is no rank 9: ranks are 0 to 3\n[1]  all stopped runnable one')"
like "whichsets-2: nobody exists" "$(answer 'whichsets [9]')" 'there is no rank 9'
no_leak "named sets"

typed_ok "defset-4: with ERROR_CHECKS MAX the user is asked" '
prompt; enter "defset a \[0\]"; prompt; enter "set ERROR_CHECKS = MAX"; prompt
enter "defset a \[1\]"; sees {The set a is \[0\]. Redefine it\? \(y or n\) }; send "n\r"
prompt; enter "viewset a"; sees {a  \[0\]  Set currently}
prompt; enter "defset a \[1\]"; sees {\(y or n\) }; send "y\r"; sees {warning: the set a was \[0\]}
prompt; enter "viewset a"; sees {a  \[1\]  Set currently}
prompt; enter quit; ends' -n 2 "$heat" 100 100
done_testing
