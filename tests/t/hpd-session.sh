# SPDX-License-Identifier: GPL-3.0-or-later
# The HPD standard, general commands and the session: doc/HPD.md has the requirements by the ids of
# these cases; here is also the check that its table is whole.
. "${0%/*}/lib.sh"
export HOME=$tmp
heat=$(prog doc/examples/heat "$(first_mpi)")
ask=$builddir/tests/prog/runs/ask

# The table: each line has an id of its own, a verdict, and a test that has it.
table() { sed -nE 's/^\| ([a-z]+[a-z-]*-[0-9]+) \|.*\| ((full|differs:|not applicable:)[^|]*) \| ([a-z-]+\.sh) \|$/\1 \4/p' "$srcdir/doc/HPD.md"; }
rows=$(grep -cE '^\| [a-z]+[a-z-]*-[0-9]+ \|' "$srcdir/doc/HPD.md")
is "every line of the table has a verdict and a test" "$(table | wc -l)" "$rows"
check "the table is not short" test "$rows" -gt 150
is "ids are used once" "$(table | cut -d ' ' -f 1 | sort | uniq -d)" ''
is "every requirement has a case of its name in its test" "$(table | while read -r id file; do
	grep -qE "[\"']$id: " "$srcdir/tests/t/$file" 2>/dev/null || echo "$id $file"; done)" ''
is "verdicts that are not full have a reason" "$(grep -E '\| (differs|not applicable): *\|' "$srcdir/doc/HPD.md")" ''

verbs='alias unalias history set unset log input proginput info help focus defset undefset viewset whichsets load run attach detach
kill core status quit exit list where up down what print assign step go halt cont wait break barrier watch actions delete disable
enable export'
variables='MODE START_MODEL STOP_MODEL PROMPT MAX_PROMPT SOURCE_PATH EXECUTABLE_PATH EVENT_INTERRUPT VERBOSE ERROR_CHECKS MAX_HISTORY
MAX_LEVELS MAX_LIST'
talk "$(for v in $verbs $variables; do echo "help $v"; done)
help
help nonsense
info
set"
missing=
for v in $verbs; do
	answer "help $v" | grep -q "^$v" || missing="$missing $v"
done
is "conf-2: every verb of the standard is there" "$missing" ''
missing=
for v in $verbs $variables; do
	[ -n "$(answer "help $v")" ] && ! answer "help $v" | grep -qE 'unknown|there is no help' || missing="$missing $v"
done
is "help-1: every verb and every state variable is a topic" "$missing" ''
like "help-1: without a topic they are listed" "$(answer help)" '\bbreak\b' '\bwhere\b'
like "help-2: an unknown topic is a warning" "$(answer 'help nonsense')" "^warning: .*nonsense"
like "conf-1: the model is told" "$(answer info)" '^type .*processes-only' '^MODE +PROCESSES'
like "info-1: all that is asked for" "$(answer info)" '^release +dvmdbg [0-9]' '^hpd +HPD Version 1' '^START_MODEL +ALL' '^STOP_MODEL +ALL' \
	'^EVENT_INTERRUPT +ON' '^VERBOSE +WARN' '^ERROR_CHECKS +NORMAL' '^log +none' '^program +none'
like "set-cmd-1: all variables" "$(answer set)" '^MODE ' '^MAX_LIST ' '^ERROR_CHECKS '
defaults='MODE PROCESSES
START_MODEL ALL
STOP_MODEL ALL
PROMPT [$PTSET]> 
MAX_PROMPT 40
SOURCE_PATH 
EXECUTABLE_PATH ./:$PATH
EVENT_INTERRUPT ON
VERBOSE WARN
ERROR_CHECKS NORMAL
MAX_HISTORY 20
MAX_LEVELS 20
MAX_LIST 20'
is "set-cmd-2: the standard's variables with its defaults" \
	"$(answer set | sed -nE 's/^([A-Z_]+) += (.*[^ ]|) *  # .*/\1 \2/p' | sed 's/^PROMPT .*/PROMPT [$PTSET]> /' |
		grep -E "^($(echo $variables | tr ' ' '|')) " | sort)" "$(printf '%s\n' "$defaults" | sort)"
is "ui-15: the sample has all variables with their defaults" \
	"$(sed -nE 's/^set ([A-Z_]+) = "?([^"]*)"?$/\1 \2/p' "$srcdir/doc/hpdinit.sample" | sort)" "$(printf '%s\n' "$defaults" | sort)"

talk 'set VERBOSE
set VERBOSE = SOME
set VERBOSE
set NOTHING
set MODE = THREADS
set MODE
set MODE MULTILEVEL
info
set MODE PROCESSES
set START_MODEL = ANY
set STOP_MODEL = ANY
set MAX_LIST = 7
set max_list
set MAX_LIST = 0
set MAX_LIST
unset MAX_LIST
set MAX_LIST
set MAX_LEVELS = 3
set MAX_LIST = 4
unset -all
set MAX_LEVELS
set MAX_LIST
unset NOTHING
set SOURCE_PATH = /a:/b
set SOURCE_PATH = ( /c $SOURCE_PATH )
set SOURCE_PATH
set EXECUTABLE_PATH = "/x:$EXECUTABLE_PATH"
set EXECUTABLE_PATH
set PROMPT = "Fixme: "
unset PROMPT
Set VERBOSE
inf
set \
VERBOSE
e
# nothing at all
   # neither
unset MAX_LIST; set VERBOSE
hist 3
his
!!
!set
!999
!zzz
!1
[0] !1
!-1' 
like "set-cmd-1: one variable" "$(answer 'set VERBOSE' | head -n 1)" '^VERBOSE = WARN'
like "set-cmd-4: a bad value is an error that tells what is allowed" "$(answer 'set VERBOSE = SOME')" "VERBOSE cannot be 'SOME': it is one of ERR, WARN, ALL"
like "set-cmd-4: it changes nothing" "$(answer 'set VERBOSE' | sed -n 2p)" '^VERBOSE = WARN'
like "set-cmd-4: an unknown variable is an error" "$(answer 'set NOTHING')" 'unknown setting NOTHING'
like "ui-16: MODE cannot be a third model" "$(answer 'set MODE = THREADS')" "MODE cannot be 'THREADS': it is PROCESSES or MULTILEVEL"
like "conf-1: the other model is told" "$(answer info)" '^type +multilevel debugger' '^MODE +MULTILEVEL'
like "ui-16: it is what it was" "$(answer 'set MODE')" '^MODE = PROCESSES'
like "state-4: START_MODEL stays ALL, with the reason" "$(answer 'set START_MODEL = ANY')" 'START_MODEL stays ALL'
like "state-4: STOP_MODEL stays ALL, with the reason" "$(answer 'set STOP_MODEL = ANY')" 'STOP_MODEL stays ALL'
like "ui-5: names of settings are known in any case of letters" "$(answer 'set max_list')" '^MAX_LIST = 7'
like "ui-5: verbs are not" "$(answer 'Set VERBOSE')" "unknown verb 'Set'"
like "set-cmd-2: positive numbers only" "$(answer 'set MAX_LIST = 0')" "cannot be '0'"
like "unset-1: back to the default" "$(answer 'set MAX_LIST' | sed -n 2p)" '^MAX_LIST = 20'
like "unset-1: -all sets every one back" "$(answer 'set MAX_LEVELS')$(answer 'set MAX_LIST' | sed -n 3p)" '^MAX_LEVELS = 20.*MAX_LIST = 20'
like "unset-1: an unknown variable is an error" "$(answer 'unset NOTHING')" 'unknown setting NOTHING'
like "set-cmd-3: a path in parentheses" "$(answer 'set SOURCE_PATH')" '^SOURCE_PATH = /c:/a:/b '
like "set-cmd-5: it is the session's only one" "$(answer 'set SOURCE_PATH')" '^SOURCE_PATH = '
like "state-3: \$EXECUTABLE_PATH is its value so far" "$(answer 'set EXECUTABLE_PATH')" '^EXECUTABLE_PATH = /x:\./:\$PATH '
check "set-cmd-3: a text in quotes" grep -q '^Fixme: unset PROMPT' <<<"$out"
like "ui-6: a prefix will do" "$(answer inf)" '^release +dvmdbg'
is "ui-6: an ambiguous one lists the candidates" "$(answer e)" "'e' is ambiguous: exit enable export"
like "ui-7: a backslash continues the line" "$(printf '%s\n' "$out" | grep -A 2 '^> ')" 'VERBOSE = WARN'
is "comment-1: a comment says nothing" "$(answer '# nothing at all')$(answer '   # neither')" ''
like "ui-9: a semicolon parts no commands outside of aliases" "$(answer 'unset MAX_LIST; set VERBOSE')" '^unknown setting MAX_LIST;'
like "history-1: the last n with their numbers, itself the last" "$(answer 'hist 3' | tail -n 1)" '^ +[0-9]+  history 3$'
is "history-1: MAX_HISTORY of them" "$(answer his | wc -l)" 20
like "history-4: verbs are kept spelled out" "$(answer his)" '^ +[0-9]+  info$'
like "history-2: !! shows the command and runs it again" "$(answer '!!')" '^history$' '^ +[0-9]+  history$'
like "history-2: !text" "$(answer '!set')" '^set +VERBOSE'
like "history-2: !n" "$(answer '!1')" '^set VERBOSE$' '^VERBOSE = WARN'
like "history-3: a set before it is ignored" "$(answer '[0] !1')" '^set VERBOSE$' '^VERBOSE = WARN'
like "history-2: !-n" "$(answer '!-1')" '^set VERBOSE$' '^VERBOSE = WARN'
like "history-5: nothing fits: a number" "$(answer '!999')" 'no earlier command'
like "history-5: nothing fits: a text" "$(answer '!zzz')" 'no earlier command'
printf 'history\n' >"$tmp/h"
printf '!!\n' >"$tmp/hh"
talk "input $tmp/h
input $tmp/hh"
like "history-6: in a file it is an error" "$out" 'h:1: history works at the prompt' "hh:1: '!!': earlier commands are for the prompt"

# Users' commands.
talk 'alias
alias look "set VERBOSE; set MAX_LIST"
look
alias look
alias Look
Look
loo
alias look set MAX_PROMPT
look
alias outer "look; set MAX_LEVELS"
outer
alias nonsense foo bar
nonsense
alias se set MAX_HISTORY
se
alias set step
alias a1 alias x y
a1
alias a2 history
a2
alias a3 "!!"
a3
alias a4 a5
alias a5 a4
a4
unalias nobody
unalias set
unalias look
look
set VERBOSE = ALL
unalias outer
unalias -all
alias' 
like "alias-1: quotes are taken off, ; parts commands" "$(answer look | head -n 2)" '^VERBOSE = WARN' '^MAX_LIST = 20'
is "alias-2: one" "$(answer 'alias look')" 'look  set VERBOSE; set MAX_LIST'
like "alias-2: all" "$(answer alias | head -n 20)" '^bt +where'
is "alias-6: one that is not defined is a warning" "$(answer 'alias Look')" "warning: there is no alias 'Look'"
like "ui-8: it is case-sensitive" "$(answer Look)" "unknown verb 'Look'"
like "ui-8: and typed in full" "$(answer loo)" "unknown verb 'loo'"
is "alias-7: defining anew is a warning" "$(answer 'alias look set MAX_PROMPT')" "warning: alias look was 'set VERBOSE; set MAX_LIST'"
like "alias-7: and done" "$(answer look | sed -n 3p)" '^MAX_PROMPT = 40'
like "alias-4: it may have another one" "$(answer outer)" '^MAX_PROMPT = 40' '^MAX_LEVELS = 20'
is "alias-8: the body is not looked at when it is made" "$(answer 'alias nonsense foo bar')" ''
like "alias-8: but when it is used" "$(answer nonsense)" "unknown verb 'foo'"
like "alias-5: it goes before an abbreviation" "$(answer se)" '^MAX_HISTORY = 20'
like "alias-5: not before a verb" "$(answer 'alias set step')" 'set is a verb'
like "alias-8: no alias in it" "$(answer a1)" 'alias cannot be in an alias'
like "alias-8: no history in it" "$(answer a2)" 'history cannot be in an alias'
like "alias-8: no ! in it" "$(answer a3)" 'cannot be in an alias'
like "alias-8: not itself" "$(answer a4)" 'does one contain itself'
is "unalias-3: an unknown name is a warning" "$(answer 'unalias nobody')" "warning: there is no alias 'nobody'"
like "unalias-3: a verb is an error" "$(answer 'unalias set')" 'set is a verb'
is "unalias-1: it is forgotten, silently" "$(answer 'unalias look')" ''
like "unalias-1: and unknown then" "$(answer look | tail -n 1)" "unknown verb 'look'"
is "unalias-2: with VERBOSE ALL it is shown" "$(answer 'unalias outer')" "unalias: outer was 'look; set MAX_LEVELS'"
like "unalias-2: with -all each" "$(answer 'unalias -all')" "bt was 'where'"
is "unalias-1: -all forgets all" "$(answer alias | tail -n 1)" 'no aliases'

talk 'break 3.B
cont
[3] alias mine print eps
alias mine
mine
[0] mine
alias whose "[0] print eps; print eps"
[3] whose
print -name eps -format .1f
print eps -format .1f -name
pri eps
where 1' -n 4 "$heat" 100 100 --fault differing-eps
is "alias-3: the set before alias is kept" "$(answer 'alias mine')" 'mine  [3] print eps'
is "alias-3: it is the target" "$(answer mine | head -n 1)" 'eps = 0.75'
is "alias-3: whatever stands before its use" "$(answer '[0] mine')" 'eps = 0.75'
is "alias-3: a set in the body goes before all" "$(answer '[3] whose')" "$(printf 'eps = 0.5\neps = 0.75')"
is "ui-4: options in any order" "$(answer 'print -name eps -format .1f')" "$(answer 'print eps -format .1f -name')"
like "conf-3: where N means what it says" "$(answer 'where 1')" '^  0  synchronized'
no_leak "users' commands"

# The prompt.
talk 'set MAX_PROMPT = 15
focus [0,2]
set PROMPT = "now $PTSET: "
set PROMPT = "$PTSET/$PTSET "
set MAX_PROMPT = 10
unset PROMPT
focus [!0,2]' -n 4 "$heat" 100 100
is "ui-3: the prompt" "$(printf '%s\n' "$out" | grep -oE '^.*(set|unset|focus) ' | sed -E 's/(set|unset|focus) $//')" '[all]> 
[all]> 
[0,2]> 
now 0,2: 
0,2/0,2 
0,2/0,2 
[0,2]> '
talk 'focus [0,2,4:5]
set MAX_PROMPT = 9
set MAX_PROMPT = 12' -n 6 "$heat" 100 100
is "ui-3: cut with dots" "$(printf '%s\n' "$out" | grep -oE '^.*(set|focus) ' | sed -E 's/(set|focus) $//')" '[all]> 
[0,2,4:5]> 
[0,...]> '
no_leak "prompts"

# What is loaded, and what can stand in values and sets.
talk "log $tmp/session
set PROMPT = \"in \$PTSET: \"
set SOURCE_PATH = /a
set SOURCE_PATH = \"\$SOURCE_PATH:/b\"
set SOURCE_PATH
break 3.B
run
list \$EXEC -length 1
info" -n 2 "$heat" 100 100
info=$(sed -n '/^in all: info$/,$p' <<<"$out")
like "info-1: executable, log, processes" "$info" "^executable +$heat\$" "^log +$tmp/session\$" '^ranks +2$' '^ranks that live +2$'
like "state-3: \$PTSET in the prompt" "$out" '^in all: set SOURCE_PATH = /a$'
like "state-3: \$SOURCE_PATH is its value so far" "$out" '^SOURCE_PATH = /a:/b '
like "state-3: \$EXEC is where execution is" "$out" '^-> +61 '
no_leak "what is loaded"

# Files of commands and the file at the start.
printf 'focus\nset MAX_LIST\n# a comment\nset \\\nMAX_LEVELS\nfoo\nset MAX_PROMPT\n' >"$tmp/try"
talk "focus [1]
[0] input $tmp/try
input $tmp/none" -n 2 "$heat" 100 100
like "input-1: the commands are run" "$out" '^MAX_LIST = 20' '^MAX_LEVELS = 20'
like "input-1: with the current set, not the one before input" "$out" '^\[1\] = \[1\]$'
like "input-4: an error ends it, told with file and line" "$out" "try:6: unknown verb 'foo'"
unlike "input-4: nobody is there to be asked" "$out" '^MAX_PROMPT'
like "input-3: a file that is not there is an error" "$out" 'cannot read .*none: No such file'
dvm 20 "input $tmp/h2" && true
printf 'set MAX_LIST\n' >"$tmp/h2"
dvm 20 "input $tmp/h2"
unlike "input-2: commands of a file are not echoed in batch mode" "$out" 'set MAX_LIST'
mkdir "$tmp/here"
printf 'set MAX_LIST = 11\nset MAX_LEVELS = 12\n' >"$tmp/.hpdinit"
out=$(cd "$tmp/here" && printf 'set MAX_LIST\nset MAX_LEVELS\n' | timeout 20 "$DVMDBG" 2>&1)
like "ui-14: .hpdinit of the home directory" "$out" '^MAX_LIST = 11' '^MAX_LEVELS = 12'
printf 'set MAX_LIST = 13\n' >"$tmp/here/.hpdinit"
out=$(cd "$tmp/here" && printf 'set MAX_LIST\nset MAX_LEVELS\n' | timeout 20 "$DVMDBG" 2>&1)
like "ui-14: that of the current directory is not read without a terminal, which is said" "$out" \
	'^warning: \./\.hpdinit was not read: without a terminal only --init \./\.hpdinit reads it' '^MAX_LIST = 11'
out=$(cd "$tmp/here" && timeout 20 "$DVMDBG" --batch -e 'set MAX_LIST' 2>&1)
like "ui-14: nor in batch mode" "$out" '^warning: \./\.hpdinit was not read' '^MAX_LIST = 20'
out=$(cd "$tmp/here" && timeout 20 "$DVMDBG" --json --batch -e 'set MAX_LIST' 2>&1)
like "ui-14: nor with --json, where that is an answer" "$out" '^\{"type":"warning","text":"\./\.hpdinit was not read: ' '"name":"MAX_LIST","value":"20"'
out=$(cd "$tmp/here" && timeout 20 "$DVMDBG" --init .hpdinit --batch -e 'set MAX_LIST' -e 'set MAX_LEVELS' 2>&1)
is "ui-14: --init reads it, and no other" "$(printf '%s\n' "$out" | sed 's/  #.*//')" "MAX_LIST = 13
MAX_LEVELS = 20"
out=$(cd "$tmp" && timeout 20 "$DVMDBG" --init none --batch -e 'set MAX_LIST' 2>&1)
is "ui-14: a file of --init that is not there ends a batch session" "$? $out" "2 dvmdbg: cannot read none: No such file or directory"
at_terminal()
{
	out=$(cd "$tmp/here" && XDG_CONFIG_HOME=$tmp/config timeout 30 expect -c "
		log_user 1
		set timeout 20
		spawn $DVMDBG
		$1
		expect {> }
		send \"set MAX_LIST\\r\"
		expect -re {MAX_LIST = [0-9]+}
		expect {> }
		send \"quit\\r\"
		expect eof" 2>&1 | tr -d '\r')
}
if command -v expect >/dev/null; then
	asked='expect {Run them, now and later? (y or n) }; send "n\r"'
	at_terminal "$asked"
	like "ui-14: who does not want it has that of the home directory" "$out" 'MAX_LIST = 11'
	at_terminal ""
	like "ui-14: it is asked about once" "$out" '^\./\.hpdinit is not read; --init \./\.hpdinit reads it' 'MAX_LIST = 11'
	unlike "ui-14: and not again" "$out" 'y or n'
	printf 'set MAX_LIST = 14\n' >"$tmp/here/.hpdinit"
	at_terminal "${asked/n\\r/y\\r}"
	like "ui-14: it is when it has changed, and then run" "$out" 'MAX_LIST = 14'
	at_terminal ""
	like "ui-14: later, too" "$out" 'MAX_LIST = 14'
	unlike "ui-14: without a question" "$out" 'y or n'
	chmod o+w "$tmp/here/.hpdinit"
	at_terminal ""
	like "ui-14: not when others can write it" "$out" 'was not read' 'MAX_LIST = 11'
fi
rm "$tmp/.hpdinit"
talk "input $srcdir/doc/hpdinit.sample
set VERBOSE"
like "ui-15: the sample can be run" "$(answer 'set VERBOSE')" '^VERBOSE = WARN'
unlike "ui-15: without an error" "$out" 'hpdinit.sample:'

# Logs.
rm -f "$tmp/log" "$tmp/in" "$tmp/outs" "$tmp/q"
talk "log
log $tmp/log
log $tmp/in -input
log $tmp/outs -output
set MAX_LIST
log
log $tmp/log -off
log $tmp/log -off
set MAX_LEVELS
log $tmp/q -quiet
set MAX_PROMPT
foo
log $tmp/q -off
set MAX_HISTORY
log $tmp/none/none
log"
is "log-5: none so far" "$(answer log | head -n 1)" 'no logs'
like "log-1: commands and answers" "$(<"$tmp/log")" '^\[all\]> set MAX_LIST$' '^MAX_LIST = 20'
is "log-3: only commands, without the prompt" "$(sed -n 2p "$tmp/in")" 'set MAX_LIST'
unlike "log-3: no answers" "$(<"$tmp/in")" '^MAX_LIST = 20'
like "log-3: only answers" "$(<"$tmp/outs")" '^MAX_LIST = 20'
unlike "log-3: no commands" "$(<"$tmp/outs")" 'set MAX_LIST'
like "log-5: all with options and state" "$(answer log)" 'in +on +commands$' 'outs +on +answers$' 'log +on +commands and answers$'
like "log-5: the ended ones stay" "$(answer log | tail -n 4)" 'log +off' 'q +off +commands and answers, quiet'
like "log-4: one that is not on is a warning" "$(answer "log $tmp/log -off")" '^warning: log: .* is not being written'
unlike "log-4: it is closed" "$(<"$tmp/log")" 'MAX_LEVELS'
like "log-4: others go on" "$(<"$tmp/outs")" '^MAX_LEVELS = 20'
is "log-2: quiet" "$(answer 'set MAX_PROMPT')" ''
like "log-2: the file has it" "$(<"$tmp/q")" '^MAX_PROMPT = 40'
like "log-2: errors are shown" "$(answer foo)$out" "unknown verb 'foo'"
like "log-4: quiet ends with it" "$(answer 'set MAX_HISTORY')" '^MAX_HISTORY = 20'
like "log-6: what cannot be opened is an error" "$(answer "log $tmp/none/none")" 'cannot write'
talk "log $tmp/log
set MAX_LEVELS"
check "log-1: it is appended" test "$(grep -c 'MAX_L' "$tmp/log")" -ge 4

# VERBOSE and ERROR_CHECKS.
talk 'set VERBOSE = ERR
[0,0] print 1
load /nowhere
alias x y
alias x z
set VERBOSE = WARN
[0,0] print 1
defset a [0]
set VERBOSE = ALL
defset b [0]
set ERROR_CHECKS = MIN
[0,0] print 2' -n 2 "$heat" 100 100
is "ui-10: ERR: no warnings" "$(answer '[0,0] print 1' | head -n 1)$(answer 'alias x z')" '1 = 1'
like "ui-10: ERR: errors" "$(answer 'load /nowhere')" 'no such file'
like "ui-10: WARN: warnings" "$(answer '[0,0] print 1' | sed -n 2p)" '^warning: '
is "ui-10: WARN: not everything" "$(answer 'defset a [0]')" ''
like "ui-10: ALL: everything" "$(answer 'defset b [0]')" 'Set currently includes'
is "ui-11: MIN: no warnings" "$(answer '[0,0] print 2')" '2 = 2'

# The program's input.
talk 'break 2.B
go
proginput 4
proginput 5
proginput -end
wait
print sum
cont' -n 1 "$ask"
like "proginput-1: a line for the program" "$out" '^1 numbers, sum 4' '^2 numbers, sum 9'
is "proginput-1: it has read them" "$(answer 'print sum')" 'sum = 9'
like "proginput-1: a program that has ended" "$(talk 'cont
proginput 1' -n 1 "$builddir/tests/prog/runs/serial"; answer 'proginput 1')" 'proginput: '
talk 'proginput 4'
like "proginput-1: nothing is loaded" "$out" 'no program is loaded'
no_leak "proginput"
typed_ok "ui-1: send typed lines to the program, until Ctrl-C" '
prompt; enter "break 2.B"; prompt; enter go; sees {numbers, please:}
enter proginput; send "4\r"; sees {\| 1 numbers, sum 4\r}; send "5\r"; sees {\| 2 numbers, sum 9\r}
interrupt; prompt; enter "set MAX_LIST"; sees {MAX_LIST = 20}
prompt; enter proginput; send "1\r"; sees {sum 10}; send \004; prompt; sees {Point 2\.B}
enter "print sum"; sees {sum = 10\r}
prompt; enter quit; ends' -n 1 "$ask"
typed_ok "ui-2: commands are carried out while the program runs" '
prompt; enter go; prompt; until status running; enter "set MAX_LIST"; sees {= 20}; prompt; enter halt
prompt; enter quit; ends' -n 2 "$heat" 100 1000000

# Deferred output while a command is typed.
typed_ok "ui-12: a stop does not garble the line that is typed" '
prompt; enter "break 2000.B"; prompt; enter go; prompt; send "print ste"
sees {Point 2000\.B  \[0:1\][^\r]*\r\n} {\[all\]> print ste}
send "ps\r"; sees {steps = 1000000\r}
prompt; enter quit; ends' -n 2 "$heat" 600 1000000
typed_ok "ui-12: nor does what the program prints" '
prompt; enter go; sees {numbers, please:}; prompt; enter "proginput 3"; send "print n"
sees {sum 3\r\n.*\[all\]> print n}
interrupt; prompt; enter quit; ends' -n 1 "$ask"
typed_ok "ui-13: with EVENT_INTERRUPT OFF it comes after the command" '
prompt; enter "set EVENT_INTERRUPT = OFF"; prompt; enter "break 2000.B"; prompt; enter go; prompt; send "print ste"
after 5000; send "ps\r"; expect {
	-re {print ste.*Point 2000\.B.*ps\r} { give_up "it came before" }
	-re {print steps\r\n.*Point 2000\.B.*steps = 1000000} {}
	timeout { give_up "nothing came" }
}
prompt; enter quit; ends' -n 2 "$heat" 100 1000000
typed_ok "input-4: the user is asked whether the file goes on" "
prompt; enter {input $tmp/try}; sees {unknown verb} {Go on with the rest of .*\\? \\(y or n\\) }; send y\\r; sees {MAX_PROMPT = 40}
prompt; enter {input $tmp/try}; sees {\\(y or n\\) }; send n\\r
prompt; enter quit; ends" 
printf 'print 0\ncont\nprint 77\n' >"$tmp/long"
printf 'input %s\nprint 88\n' "$tmp/long" >"$tmp/outer"
typed_ok "input-5: the interrupt key ends a file, and those it is in" "
prompt; enter {input $tmp/outer}; sees {0 = 0} {cont\r}; interrupt
sees {(Point|Paused) .*interrupted: $tmp/long is left at line 3} {interrupted: $tmp/outer is left at line 2}; prompt
enter {print 99}; expect {
	-re {77 = 77|88 = 88} { give_up {it went on} }
	-re {99 = 99} {}
}
prompt; enter quit; ends" -n 2 "$heat" 100 1000000
talk 'run
status' -n 2 "$heat" 100 10
like "exec-2: a loaded program is ready, then runs, then has ended" "$out" 'All ranks have exited'
talk 'status
viewset runnable
break 3.B
cont
status' -n 2 "$heat" 100 10
like "exec-2: ready" "$(answer status | head -n 2)" '\[0:1\].*(not started|loaded|ready)'
like "exec-2: stopped, runnable" "$(answer status | tail -n 1)" '\[0:1\].*stopped'
no_leak "the session"
done_testing
