# SPDX-License-Identifier: GPL-3.0-or-later
# Tab at the prompt, and the completion of the command line by bash and zsh.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)

# bash: the function is called as bash would. tried LINE: the candidates, sorted, with blanks between.
script=$builddir/doc/completion/dvmdbg
"$DVMDBG" --completion bash >"$tmp/bash"
is "the script is what --completion prints" "$(<"$tmp/bash")" "$(<"$script")"
check "bash reads it" bash -n "$script"
cat >"$tmp/call" <<'E2'
. "$1"
cd "$2"
COMP_LINE=$3 COMP_POINT=${#3}
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
read -ra COMP_WORDS <<<"$3"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
complete -p dvmdbg | grep -q -- '-F _dvmdbg' || echo unregistered
_dvmdbg
printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
E2
mkdir -p "$tmp/dir/ref"
touch "$tmp/dir/heat" "$tmp/dir/try.dbg"
tried() { bash --norc "$tmp/call" "$script" "$tmp/dir" "$1" 2>&1 | sed 's/ *$//'; }
is "bash: the first word" "$(tried 'dvmdbg re')" "record ref"
is "bash: modes and files" "$(tried 'dvmdbg ')" "annotate attach check compare hang heat locate pair record ref run trace try.dbg"
is "bash: options" "$(tried 'dvmdbg --l')" "--launcher --level"
is "bash: those of a mode" "$(tried 'dvmdbg locate --ref-r')" "--ref-ranks"
is "bash: not those of others" "$(tried 'dvmdbg record --ref')" ""
is "bash: every option of --help" "$(for m in run record compare check locate pair hang attach annotate trace; do tried "dvmdbg $m -"; echo; done | tr ' ' '\n' | sort -u | grep .)" \
	"$("$DVMDBG" --help | sed -nE 's/^  (--?[a-z-]+).*/\1/p' | sort -u)"
is "bash: values" "$(tried 'dvmdbg --level ')" "CHECKSUM FULL MINIMAL MODIFY NONE"
is "bash: values behind =" "$(tried 'dvmdbg --transport=u')" "unix"
is "bash: settings" "$(tried 'dvmdbg --set STOP_T')" "STOP_TIMER="
is "bash: what a setting can be, behind the = that bash breaks at" "$(tried 'dvmdbg --set STOP_ON=m')" "mismatch"
is "bash: a setting behind --set=" "$(tried 'dvmdbg --set=STOP_ON=')" "mismatch none"
is "bash: directories of references" "$(tried 'dvmdbg compare -r ')" "ref"
is "bash: files" "$(tried 'dvmdbg -x t')" "try.dbg"
is "bash: verbs for -e" "$(tried 'dvmdbg -e wher')" "where"
is "bash: behind the program files, no options" "$(tried 'dvmdbg -n 2 heat -')" ""
is "bash: a value is no program" "$(tried 'dvmdbg -n 2 he')" "heat"
is "bash: the other side of a pair" "$(tried 'dvmdbg pair -n 1 heat 5 : --tu')" "--tui"
"$DVMDBG" --completion csh >"$tmp/o" 2>&1
is "other shells are refused" $? 2
like "… by name" "$(<"$tmp/o")" '--completion csh: bash and zsh are allowed'

# zsh
zsh=$(command -v zsh)
script=$builddir/doc/completion/_dvmdbg
is "zsh: the first line names the command" "$(head -n 1 "$script")" "#compdef dvmdbg"
like "zsh: options with what they are" "$(<"$script")" "'--batch\[no prompt" "'\*-x\+\[run the commands of FILE" \
	"--level=\[.*:L:\(NONE MINIMAL MODIFY FULL CHECKSUM\)'"
# What it says of options has the form '[*]NAME[SIGN][WHAT]' or, with a value, '…[WHAT]:VALUE:ACTION'. Brackets,
# quotes and cases are those of bash, too.
options=$(sed -nE "/options=\(\$/,/^\t\) ;;/s/^\t\t('.*')\$/\1/p" "$script")
is "zsh: every option of --help" "$(printf '%s\n' "$options" | sed -E "s/^'\*?(-[-a-z]+).*/\1/" | sort -u)" \
	"$("$DVMDBG" --help | sed -nE 's/^  (--?[a-z-]+).*/\1/p' | sort -u)"
is "zsh: and nothing else stands there" "$(printf '%s\n' "$options" |
	grep -vE "^'\*?-(-[a-z-]+=?|[a-z]\+)\[([^]:]|\\\\:)+\](:([A-Z.=a-z]|\\\\:)+:([^':]|'\\\\'')*)?'\$")" ""
check "zsh: its quotes and brackets close" bash -n "$script"
# zsh itself, with Tab behind LINE: tabbed NAME LINE REGEX
cat >"$tmp/zsh" <<'E2'
set timeout 20
lassign $argv zsh functions dir line regex
spawn -noecho $zsh -f -i
proc give_up {why} { send_user "\nGAVE UP: $why\n"; exit 1 }
proc sees {regex} { expect -re $regex {} timeout { give_up "not seen: $regex" } eof { give_up "ended before $regex" } }
send "unset zle_bracketed_paste; zle_highlight=(none); fpath=($functions \$fpath); autoload -Uz compinit\r"
send "compinit -u -D; cd $dir; PROMPT='read''y> '\r"
sees {ready> }
send "$line\t"
sees $regex
exit 0
E2
tabbed()
{
	timeout -k 5 60 env TERM=xterm COLUMNS=200 expect -f "$tmp/zsh" "$zsh" "$builddir/doc/completion" "$tmp/dir" "$2" "$3" >"$tmp/o" 2>&1
	if [ $? = 0 ]; then ok "$1"; else not_ok "$1" "$(tail -n 20 "$tmp/o" | cat -v)"; fi
}
if [ -n "$zsh" ] && command -v expect >/dev/null; then
	check "zsh reads it" "$zsh" -fn "$script"
	tabbed "zsh: modes and files" 'dvmdbg re' 'record[[:space:]]+ref/'
	tabbed "zsh: options" 'dvmdbg --launch' 'dvmdbg --launcher='
	tabbed "zsh: those of a mode" 'dvmdbg locate --ref-r' '--ref-ranks'
	tabbed "zsh: options with what they are" 'dvmdbg --l' '--launcher +-- what starts the ranks.*--level +-- NONE, MINIMAL, MODIFY, FULL or CHECKSUM'
	tabbed "zsh: values" 'dvmdbg --level=C' '--level=CHECKSUM'
	tabbed "zsh: settings" 'dvmdbg --set=STOP_T' 'STOP_TIMER='
	tabbed "zsh: what a setting can be" 'dvmdbg --set=STOP_ON=m' 'STOP_ON=mismatch'
	tabbed "zsh: directories of references" 'dvmdbg compare -r ' '-r ref/'
	tabbed "zsh: files" 'dvmdbg -x t' '-x try\.dbg'
	tabbed "zsh: verbs for -e" 'dvmdbg -e wher' '-e where'
	tabbed "zsh: behind the program its arguments, which are files" 'dvmdbg -n 2 ./heat tr' 'heat try\.dbg'
else
	skip "zsh reads it, and Tab" "no zsh or no expect"
fi

# Tab at the prompt.
if [ -z "$mpi" ]; then
	skip "Tab" "no MPI"
	done_testing
fi
export HOME=$tmp INPUTRC=/dev/null
typed_ok "Tab completes verbs, options, values, sets, settings" '
prompt
send "whichs\t"
sees "whichsets $"
send "\025focus \[sto\t"
sees "focus .stopped. $"
send "\025set stop_o\t"
sees "STOP_ON $"
send "mis\t"
sees "mismatch $"
send "\025step -fin\t"
sees "step -finish $"
send "\025search x -in sou\t"
sees "source $"
send "\025help expr\t"
sees "help expressions $"
send "\025quit\r"
ends' -n 1 "$(prog doc/examples/heat "$mpi")" 40 2
typed_ok "Tab completes objects, points, constructs, actionpoints of a program that is stopped" '
prompt
enter "break 5.B"
prompt
enter "cont"
prompt
send "print ep\t"
sees "print eps$"
send " + chan\t"
sees ". change$"
send "\025break 4.\t\t"
sees "4.B" "4.E"
send "\025break heat.c:6\t\t"
sees "heat.c:61" "heat.c:69"
send "\025delete \t"
sees "delete 0 $"
send "\025print u\[0]\[\t\t"
sees "\r\nchange +eps +"
send "\025quit\r"
ends' -n 2 "$(prog doc/examples/heat "$mpi")" 40 2
done_testing
