# SPDX-License-Identifier: GPL-3.0-or-later
# Long answers at the prompt of a terminal come a screen at a time; they do not elsewhere.
. "${0%/*}/lib.sh"

# A terminal of 12 rows. `set` without arguments lists all settings, more than that; each is a line.
small() # NAME SCRIPT
{
	typed_ok "$1" "stty rows 12 columns 200 < \$spawn_out(slave,name)
$2"
}
more='more: space, Enter: a line, c: all, q: quit'

small "space shows the next screen, Enter a line, q ends the answer" "
prompt; enter set; sees {$more}
send { }; sees {$more}
send \"\\r\"; sees {$more}
send q; prompt
enter {print 1}; sees {no program is loaded}; prompt
enter quit; ends"

small "Ctrl-C ends it as well, c shows all" "
prompt; enter set; sees {$more}
interrupt; prompt
enter set; sees {$more}
send c; sees {SaveArrayID}; prompt
enter quit; ends"

small "not with PAGE OFF" "
prompt; enter {set PAGE = OFF}; prompt
enter set
expect -re {$more} { give_up {it asks} } -re {SaveArrayID} {}
prompt; enter quit; ends"

# What grows with what the user and the program make ends at MAX_LIST where nothing pages.
for i in $(seq 1 30); do
	printf 'break %d.B\ndefset set%d 0\nalias word%d help\n' $i $i $i
done >"$tmp/many"
small "a list comes a screen at a time, whole" "
prompt; enter {input $tmp/many}
expect -re {$more} { send c; exp_continue } -re {actionpoint 29: 30.B} {}
prompt; enter actions; sees {actionpoint 0: 1.B} {$more}
send c; sees {actionpoint 29: 30.B}; prompt
enter quit; ends"
small "or ends, with PAGE OFF" "
prompt; enter {set PAGE = OFF}; prompt; enter {input $tmp/many}; sees {actionpoint 29: 30.B}
prompt; enter actions; sees {actionpoint 19: 20.B\r\n... 10 more actionpoints: actions -all}; prompt
enter quit; ends"
dvm 30 "set VERBOSE = ERR
input $tmp/many
set VERBOSE = WARN
actions
viewset
alias
set MAX_LIST = 25
actions"
like "in a batch session it ends, and says how to see more" "$out" '^actionpoint 19: 20\.B$' \
	'^\.\.\. 10 more actionpoints: actions -all$' '^\.\.\. 18 more sets: viewset -all$' \
	'^\.\.\. 29 more: set MAX_LIST = 49 shows all$' '^\.\.\. 5 more actionpoints: actions -all$'
is "each list has MAX_LIST lines" "$(grep -cE '^actionpoint ' <<<"$out") $(grep -c 'Set ' <<<"$out")" '45 20'
dvm 30 "set VERBOSE = ERR
input $tmp/many
actions -all
viewset -all
delete 0-24"
is "all of it with -all" "$(grep -cE '^actionpoint ' <<<"$out") $(grep -c 'Set ' <<<"$out")" '30 38'
dvm 30 "set VERBOSE = ERR
input $tmp/many
set VERBOSE = WARN
delete 0-24"
is "what is deleted is counted" "$(grep -c 'deleted' <<<"$out") $(tail -n 2 <<<"$out" | tr '\n' ' ')" \
	'21 ... 5 more 25 actionpoints deleted '
dvm 30 "set VERBOSE = ERR
input $tmp/many
actions
viewset
alias" --json
is "JSON has all of it" "$(grep -o '"location"' <<<"$out" | wc -l) $(grep -o '"static"' <<<"$out" | wc -l) $(grep -o '"name":"word' <<<"$out" | wc -l)" \
	'30 38 30'
mpi=$(first_mpi)
if [ -n "$mpi" ]; then
	dvm 60 "set VERBOSE = ERR
input $tmp/many
set VERBOSE = WARN
set MAX_LIST = 3
what
cont
what
what -all
status -pid
set MAX_GROUPS = 2
status -pid
status -pid -all
cont
cont
cont
halo
halo -all
delete -all
break 100.B
break 101.B
break 102.B
break 103.B
break 104.B
cont" -n 4 "$(prog doc/examples/heat "$mpi")" 40 2
	like "objects" "$out" '^\.\.\. 3 more objects: what -all$'
	is "all of them" "$(grep -cE '^u: ' <<<"$out")" 1
	is "processes: all, two, all" "$(grep -cE '^  rank [0-3]: process' <<<"$out")" 10
	like "those that are not shown" "$out" '^\.\.\. 2 more ranks: status -pid -all$'
	like "boxes of halos" "$out" '^  \.\.\. [0-9]+ more rows: halo -all$'
	like "actionpoints that were never reached" "$out" 'actionpoint 32 was never reached' \
		'^\.\.\. 2 more actionpoints were never reached: actions -all has those without hits$'
	unlike "not the others" "$out" 'actionpoint 33 was never reached'
	no_leak "lists"
else
	skip "lists of programs" "no MPI"
fi

out=$("$DVMDBG" --batch -e set </dev/null 2>&1)
unlike "a batch session is not paged" "$out" 'more: space'
like "and shows all of it" "$out" '^SaveArrayID'
done_testing
