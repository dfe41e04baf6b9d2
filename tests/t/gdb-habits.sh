# SPDX-License-Identifier: GPL-3.0-or-later
# What one types first who knows gdb: each command works, or is answered with what to type instead.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
heat=$(prog doc/examples/heat "$mpi")
src=$srcdir/doc/examples/heat.c
pl=61


dvm 90 "b heat.c:$pl
info breakpoints
i b
r
bt
backtrace
p eps
p u[3][4]
info locals
info threads
i threads
l
l heat.c:$pl
n
next
s
up
down
info stack
tbreak_nothing" -n 2 "$heat" 60 3
said=$(said)
like "b FILE:LINE makes an actionpoint" "$said" "^actionpoint 0: heat\\.c:$pl$"
is "info breakpoints and i b show it" "$(printf '%s\n' "$said" | grep -c "^actionpoint 0: heat\\.c:$pl")" 3
like "r runs to it" "$said" "^Point [0-9]+\\.B  \\[0:1\\]  parallel loop  heat\\.c:$pl"
is "bt and backtrace show the stack, as info stack does" "$(printf '%s\n' "$said" | grep -c 'main  heat\.c:20')" 3
like "p EXPR" "$said" '^eps = 0\.5$' '^u\[3\]\[4\] = '
like "info locals shows variables of the function" "$said" '^  eps = 0.5$'
is "info threads shows what the ranks do" "$(printf '%s\n' "$said" | grep -cE '^ *\[0:1\] +stopped')" 2
like "l shows source" "$said" "^->? *$pl "
is "n, next and s go from point to point" "$(printf '%s\n' "$said" | grep -cE '^Point [0-9]+\.[BE] ')" 4
like "what neither has is an error" "$said" "unknown verb 'tbreak_nothing'"
no_leak "commands that work"

dvm 90 "b 3.B
b 4.B
disable 1
d 1
delete 0
info breakpoints
c" -n 2 "$heat" 60 2
like "d and delete" "$out" '^actionpoint 1: 4\.B, disabled.*\(deleted\)' '^actionpoint 0: 3\.B.*\(deleted\)' '^no actionpoints'
is "c goes on to the end" $status 0
no_leak "c"

dvm 20 "h b
source $tmp/none"
like "h is help, source is input" "$out" '^b  break' "cannot read $tmp/none"
dvm 20 'q
nonsense'
is "q quits" "$status" 0

# What gdb has and dvmdbg has not.
answers()
{
	dvm 20 "$1"
	is "$1 is no silence" $status 2
	like "$1: what dvmdbg has, and what to type" "$out" ": dvmdbg has .*: type .*$2"
}
answers 'tbreak main' 'break PLACE'
answers 'until 70' 'step N'
answers 'advance 70' 'break PLACE'
answers 'x/4d u' 'print EXPR'
answers 'p/2x n' 'print EXPR -format 2x'
answers 'display eps' 'alias look'
answers 'frame 1' 'up N or down N'
answers 'f 1' 'up N or down N'
answers 'thread 2' 'focus \[N\]'
answers 'set var eps = 1' 'assign NAME VALUE'
answers 'set args 1 2' 'run ARGS'
answers 'set listsize 5' 'set MAX_LIST'
answers 'ptype u' 'what NAME'
answers 'whatis u' 'what NAME'
answers 'stepi' 'step'
answers 'ignore 1 5' 'break PLACE -count N'
answers 'condition 1 x' 'break PLACE -if'
answers 'layout src' 'tui'
answers 'file ./heat' 'load PROGRAM'
answers 'show args' 'info'
answers 'echo hello' 'print EXPR'
answers 'reverse-step' 'rerun'
answers 'compile code f()' 'call f'
answers 'adv 70' 'break PLACE'
answers 'rbreak x' 'search REGEX -in constructs'
answers 'starti' 'break PLACE'
answers 'cd /tmp' 'quit'
answers 'skip f' 'step -over'
answers 'dump' 'save ARRAY'
answers 'generate-core-file' 'gcore RANK FILE'
answers 'dprintf 61,"x"' 'print EXPR'
answers 'apropos x' 'help'
answers 'cont&' 'go'
answers 'version' 'info'
answers 'ret' 'assign'
answers 'info registers' 'gdb RANK'
answers 'i r' 'gdb RANK'
answers 'info functions' 'search REGEX'
answers 'info signals' 'status'
answers 'info display' 'alias'
answers 'info sharedlibrary' 'gdb RANK'
dvm 20 'info nonsense'
like "a subject that info has not: those it has" "$out" 'info nonsense: .*breakpoints locals threads'

# What stands behind a verb that both have; once the program stands somewhere, after the first error as well.
talk "b heat.c:$pl
run
bt full
bt -1
p *u
p u[0]@10
p eps@2
p &eps
p \$1
p eps = 5
p sizeof(eps)
p eps, n
p eps ? 1 : 2
p/x n
print/t 5
p/f u[10][10]
p/s n
c 5
b heat.c:70 if eps < 1
b heat.c:70 thread 2
watch u[3][4] if eps < 1
watch -l eps
set eps = 4
set variable eps=3
b 3.E
b 4.E
b 5.E
info breakpoints
d 1-2
info b
delete breakpoints
disable breakpoints
enable once 1
kill 1
save breakpoints file
run &
list 10,12
list heat.c:20,20
list
list -
list 12,10
info watchpoints
info inferiors
info proc
info line
fin" -n 2 "$heat" 60 3
behind()
{
	like "$1: what dvmdbg has, and what to type" "$(answer "$1")" "^$3 ${1#* }: dvmdbg has .*: type .*$2"
}
behind 'bt full' 'locals, and where -args' where
behind 'bt -1' 'where -all' where
like 'p *u: what the variable points to, where no object has the name' "$(answer 'p *u')" '^  \*u = '
like 'p u[0]@10: sections' "$(answer 'p u[0]@10')" "u is registered, and '@' counts what each rank has in memory: give a section, as in u\\[0:9\\]$"
like 'p eps@2: what lies behind it' "$(answer 'p eps@2')" '^eps@2 = '
like 'p &eps: its address' "$(answer 'p &eps')" '0x[0-9a-f]+'
like 'p $1: history' "$(answer 'p $1')" ': type history'
behind 'p eps = 5' 'assign NAME VALUE' print
is 'p sizeof(eps)' "$(answer 'p sizeof(eps)')" 'sizeof(eps) = 8'
behind 'p eps, n' 'print EXPR' print
is 'p with a choice' "$(answer 'p eps ? 1 : 2')" 'eps ? 1 : 2 = 1'
is 'p/x EXPR' "$(answer 'p/x n')" 'n = 0x3c'
is 'print/t EXPR' "$(answer 'print/t 5')" '5 = 0b101'
like 'p/f EXPR' "$(answer 'p/f u[10][10]')" '^u\[10\]\[10\] = -?[0-9]+\.[0-9]+$'
behind 'c 5' 'break PLACE -count N' cont
behind 'b heat.c:70 if eps < 1' 'break PLACE -if CONDITION' break
behind 'b heat.c:70 thread 2' '\[N\] break PLACE' break
like 'watch with a condition' "$(answer 'watch u[3][4] if eps < 1')" ': type watch NAME -if CONDITION$'
behind 'watch -l eps' 'watch NAME' watch
is 'set of an object' "$(answer 'set eps = 4')" 'set eps: this is an object of the program: type assign eps 4'
is 'd of a range' "$(answer 'd 1-2' | grep -c '(deleted)')" 2
is 'the others stay' "$(answer 'info b' | cut -d : -f 1)" "$(printf 'actionpoint 0\nactionpoint 3')"
behind 'delete breakpoints' 'delete -all' delete
behind 'disable breakpoints' 'disable -all' disable
like 'enable once' "$(answer 'enable once 1')" ': type enable NUMBER, and disable NUMBER after the stop$'
behind 'kill 1' '\[N\] kill' kill
behind 'save breakpoints file' 'export FILE' save
is 'run in the background' "$(answer 'run &')" "run: '&' is not supported; load and go do not wait"
numbers() { answer "$1" | awk '{ print $1 == "->" ? $2 : $1 }' | tr '\n' ' '; }
is 'list FIRST,LAST' "$(numbers 'list 10,12')" '10 11 12 '
is 'list FILE:FIRST,LAST' "$(numbers 'list heat.c:20,20')" '20 '
is 'list goes on behind them' "$(numbers list | cut -d ' ' -f 1,20)" '21 40'
is 'list - shows what comes before' "$(numbers 'list -' | cut -d ' ' -f 1,20)" '1 20'
like 'list of nothing' "$(answer 'list 12,10')" 'the last line comes before the first'
is 'info watchpoints: only those' "$(answer 'info watchpoints')" 'no actionpoints'
is 'info inferiors and info proc: process numbers' \
	"$(answer 'info inferiors')" "$(answer 'info proc')"
like 'info inferiors: of each rank' "$(answer 'info inferiors')" '^  rank 0: process [0-9]+ on ' '^  rank 1: process [0-9]+ on '
like 'info line: the source there' "$(answer 'info line')" "^-> +$pl "
like 'fin leaves the construct' "$(answer fin)" '^Point 3\.E  \[0:1\]'
no_leak 'what stands behind verbs'
for word in finish start; do
	dvm 20 "$word"
	like "$word alone says what it is here" "$out" "^$word: .*checksums and traces\); .*type (run|step -finish)$"
done
dvm 20 'help gdb'
like "help gdb" "$out" 'coming from gdb' 'step -finish leaves'
done_testing
