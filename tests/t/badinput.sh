# SPDX-License-Identifier: GPL-3.0-or-later
# Bad input gives a clear message and exit status 2, and leaves nothing running.
. "${0%/*}/lib.sh"

mpi=$(first_mpi)
heat=$(prog doc/examples/heat "$mpi")

# refused NAME REGEX ARGS…: dvmdbg with these arguments
refused()
{
	local name=$1 re=$2
	shift 2
	dvm 60 cont "$@"
	like "$name: $re" "$out" "$re"
	is "$name: status" $status 2
	no_leak "$name"
}
# wrong NAME REGEX COMMANDS: in a session on heat
wrong()
{
	dvm 60 "$3" -n 2 "$heat" 60 3
	like "$1" "$out" "$2"
	is "$1: status" $status 2
}

refused "a program that is missing" 'nowhere.*(no such|not found|does not exist|missing)' -n 2 "$tmp/nowhere"
echo text >"$tmp/text"
refused "a program that is not executable" 'text.*not executable' -n 2 "$tmp/text"
chmod +x "$tmp/text"
refused "a program that is no ELF file" 'text.*' -n 2 "$tmp/text"
refused "a folder" "$(basename "$tmp")" -n 2 "$tmp"
refused "a launcher that is missing" 'no-such-launcher' --launcher no-such-launcher -n 2 "$heat" 60 3
refused "-n 0" '(-n.*0|0.*-n)' -n 0 "$heat"
refused "-n 100000" '100000' -n 100000 "$heat" 60 3
refused "-n without a number" 'x' -n x "$heat"
refused "an unknown option" '--nonsense' --nonsense "$heat"
refused "a script that is missing" 'no-script' -x "$tmp/no-script" -n 2 "$heat" 60 3

wrong "an unknown verb" 'frobnicate' 'frobnicate now'
wrong "an ambiguous verb lists the candidates" 'st.*status.*step|st.*step.*status' 'st'
wrong "an unknown option of a verb" '-nonsense' 'break 3.B -nonsense 3'
wrong "a set that is none" '\[0:x\]|0:x' '[0:x] status'
wrong "a rank that there is not" '\[?7\]?' '[7] status'
wrong "words that a verb does not take, which must not be read as all ranks" 'kill 1: .*type \[N\] kill' 'kill 1'
wrong "load of a program that is missing does not end what runs" 'nowhere.*no such' 'break 3.B
cont
load ./nowhere'
wrong "a point that is none" '3\.X' 'break 3.X'
wrong "an array that is not registered" 'nosuch' 'break 3.B
cont
print nosuch[1]'
wrong "an index out of range names the range" 'index 99 .*:60' 'break 3.B
cont
print u[99][0]'
wrong "a setting that there is not" 'NO_SUCH' 'set NO_SUCH = 1'
wrong "a value that a setting cannot have names what is allowed" 'ON_EXIT.*perhaps.*kill.*run' \
	'set ON_EXIT = perhaps'
wrong "an error in a script tells file and line" "script:3" '# a comment
status
frobnicate'
wrong "an expression that is none" 'column|expected' 'break 3.B
cont
print 1 +'
no_leak "errors in sessions"

# A program without annotations: it runs, and what does not work is told.
dvm 60 'break 3.B
cont
print x' -n 2 "$(prog tests/prog/runs/hello "$mpi")"
like "a program that is not annotated: what works and what does not" "$out" 'not annotated|no annotations|without annotations'
like "it runs all the same" "$out" 'hello from rank 1' 'All ranks have exited with code 0'
printf '#! /bin/sh\nexec "%s" "$@"\n' "$heat" >"$tmp/wrapper"
chmod +x "$tmp/wrapper"
dvm 60 'break 3.B
run
where' -n 2 "$tmp/wrapper" 60 3
like "what a script becomes may be annotated" "$out" 'wrapper is a script, .*; dvmdbg sees points only in a program that it starts with exec$' \
	' PL  heat\.c:[0-9]+ +3\.B'
unlike "and nobody says that it is not" "$out" 'not annotated'
no_leak "not annotated"
done_testing
