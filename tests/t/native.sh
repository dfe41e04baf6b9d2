# SPDX-License-Identifier: GPL-3.0-or-later
# Calls of functions: where ranks are when they are at no mark, and what is seen of them there.
. "${0%/*}/lib.sh"
export HOME=$tmp
src=$srcdir/tests/prog/native
mpi_compilers "$(first_mpi)"
unset DVMDBG_NO_VM

# line WORD [FILE]: the line that has it behind it
line() { line_marked "$1" "$src/${2:-calls.c}"; }
compile() { "$cc" $1 "$src/calls.c" -o "$tmp/$2" -lm 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"; }
# Each line of a stack once, without its ranks and index, outermost last.
stack() { sed -nE 's/^>? *[0-9]+  (scalar|synchronized|unsynchronized|multi) +//p; s/^       (\[[0-9,:]+\] .*)/\1/p'; }


compile '-g -O0' O0
compile '-g -O2' O2
compile '-O2' bare
kinds='O0 O2'
if command -v clang >/dev/null; then
	OMPI_CC=clang MPICH_CC=clang compile '-g -O2' clang && kinds="$kinds clang"
fi

# A rank in an endless loop, three frames deep and inlined; the others in MPI.
for kind in $kinds; do
	start -n 3 "$tmp/$kind" deep
	tell go
	check "$kind: the call of MPI is waited for" until_shown "^ +\[0,2\] +wait_for  calls.c:$(line recv)" 'where -native'
	tell 'where -native' where 'up 2' 'list -length 1' quit
	expect_out "$kind: an inlined function is a frame" 10 "^ +\[1\] +cell  calls.c:($(line cell)|$(($(line cell) + 1)))"
	expect_out "$kind: what it is inlined into, with the line of the call" 10 "^ +\[1\] +relax  calls.c:$(line relax)"
	expect_out "$kind: recursion is a frame each" 10 "^ +\[1\] +deep  calls.c:$(line deep)"
	expect_out "$kind: main, with the line it is at" 10 "^ +\[1\] +main  calls.c:$(line main)"
	expect_out "$kind: functions of MPI by name alone" 10 "^ +\[0,2\] +MPI_Recv\$"
	expect_out "$kind: where says that they run" 10 '^\[0:2\] still running: the stack of this moment'
	expect_out "$kind: where has the same calls" 10 "\[1\] +cell  calls.c:"
	expect_out "$kind: up goes to a call" 10 "^> 2  .*deep  calls.c:"
	finish
	is "$kind: no frame of MPI's inside, nor what calls main" \
		"$(grep -cE 'opal_|ompi_|MPID|libc_start|_start' "$tmp/o")" 0
done
start -n 2 "$tmp/bare" spin
tell go
check "without -g: names" until_shown '^ +\[1\] +relax$' 'where -native'
tell quit
finish
is "without -g: main and the call of MPI" "$(grep -cE '^ +\[0:1\] +main$|^ +\[0\] +MPI_Recv$' "$tmp/o" | sed 's/^[1-9].*/some/')" some
no_leak "calls"

# halt stops what comes to no mark
start -n 2 --set STOP_TIMER=60 "$tmp/O2" spin
tell go
check "halt: it runs" until_shown '^ +\[1\] +relax' 'where -native'
tell halt status
expect_out "halt: an endless loop stands" 20 '^Paused  \[1\]'
expect_out "halt: where" 10 "^    paused at calls.c:[0-9]+ in cell\(\)"
expect_out "halt: a call of MPI stands, too" 10 "^    paused at calls.c:$(line recv) in wait_for\(\), calling MPI_Recv"
expect_out "halt: that is their state" 10 '^  \[0:1\]  stopped +paused'
tell go 'where -native'
expect_out "halt: they go on" 10 '^  \[0:1\] '
tell halt quit
finish
no_leak "halt"

# gdb gets a rank that halt has stopped, in the user's frame, and gives it back as it was
if command -v gdb >/dev/null; then
	typed_ok "gdb on a rank that halt has stopped" 'prompt
enter go
prompt
until {where -native} {relax}
enter halt
sees {Paused}
prompt
enter {gdb 1}
sees {#[0-9]+ .*cell} {\(gdb\) }
send "p 6*7\r"
sees {= .*42} {\(gdb\) }
send "detach\r"
sees {\(gdb\) }
send "quit\r"
prompt
enter status
sees {\[0:1\] +stopped +paused}
prompt
enter {where -native}
sees {relax}
prompt
enter quit
ends' -n 2 --set STOP_TIMER=1 "$tmp/O0" spin
fi

# what marks and calls say together
marked=$tmp/marked
"$cc" -g -O0 -I"$srcdir/runtime" "$src/marked.c" -o "$marked" -L"$builddir/runtime/.libs" -ldvmdbg -Wl,-rpath,"$builddir/runtime/.libs" ||
	not_ok "marked.c is compiled"
at() { line "$1" marked.c; }
talk "break marked.c:$(at pl)
cont
where
where -native
where -logical" -n 2 "$marked"
is "at a mark: constructs lie in their functions" "$(answer where | stack | sed -E 's/  +/ /g')" "[0:1] PL marked.c:$(at pl) 1.B
[0:1] sweep marked.c:$(at pl)
[0:1] SL marked.c:$(at sl) iteration 1
[0:1] main marked.c:$(at sweep)"
is "at a mark: calls alone" "$(answer 'where -native' | sed -E 's/^ +//; s/  +/ /g')" "[0:1] main marked.c:$(at sweep)
[0:1] sweep marked.c:$(at pl)"
is "at a mark: announced alone" "$(answer 'where -logical' | stack | sed -E 's/  +/ /g')" "[0:1] PL marked.c:$(at pl) 1.B
[0:1] SL marked.c:$(at sl) iteration 1"

# values of ranks that run, that are in MPI, and that have crashed
start -n 2 "$marked" loop
tell 'level CHECKSUM' go
check "running: one is in the loop" until_shown "^ +\[1\] +sweep  marked.c:($(at loop)|$(($(at loop) - 1)))" 'where -native'
tell 'print u[0][0]' 'print u[8][0]' 'stat u' 'save u '"$tmp/u.npy" differ 'halo v' 'sums u' 'assign u[0][0] 4' quit
expect_out "running: print in MPI" 10 '^u\[0\]\[0\] = 2$'
expect_out "running: print in a loop" 10 '^u\[8\]\[0\] = 2$'
expect_out "running: differ" 10 '^step = <differing> +\[0\]: 0.5 +\[1\]: 0.25$'
expect_out "running: halo" 10 '^ +v +above in dimension 1 +0 +1 +1 of 1 +\[8\] +v\[8\] +0 +8$'
expect_out "running: sums, as they were taken" 10 '1\.E'
for verb in print stat save differ halo; do
	expect_out "running: $verb says that it is as of now" 10 "^warning: $verb: \\[0:1\\] still running: values of this moment"
done
expect_out "running: nothing is stored" 10 'assign: nothing was changed: \[0:1\]: running'
finish
check "running: save" test -s "$tmp/u.npy"
talk "level CHECKSUM
cont
where
print u[0][0]
print u[8][0]
print v[7:8]
stat u
differ
halo v
sums u
save u $tmp/crashed.npy
up 4
[1] print argc
[1] where
[1] down 2" -n 2 --set STOP_TIMER=1 --set BAD_STOP=wait --set HANG_TIMER=0 "$marked" null
like "crashed: where" "$out" "^    SIGSEGV at marked.c:$(at null) in sweep\(\), address 0x0" '^ +\[0\] +sweep  marked.c:'
like "crashed: values of the crashed, and of those in MPI" "$out" '^u\[0\]\[0\] = 2$' '^u\[8\]\[0\] = 2$' \
	'^step = <differing> +\[0\]: 0.5 +\[1\]: 0.25$' '^warning: print: \[0\] still running: values of this moment'
# rank 1 is in no call of MPI: what is frame 4 of both is its frame 3
is "up: of all ranks: the same frame is that of one of them" "$(answer '[1] print argc' | tail -n 1)" '  argc = 2'
like "up: where shows it as one of theirs" "$(answer '[1] where')" '^> 3  synchronized +\[1\]  main'
like "up: down begins there" "$(answer '[1] down 2')" '^> 1  synchronized +\[1\]  sweep'
check "crashed: save" cmp "$tmp/u.npy" "$tmp/crashed.npy"

rest_in compiler
# where the kernel refuses ptrace and the memory of others: what stands is seen all the same, the rest is said
"$cc" -O "$src/refuse.c" -o "$tmp/refuse" || not_ok "refuse.c is compiled"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$tmp/refuse" "$DVMDBG" >"$tmp/refused"
chmod +x "$tmp/refused"
with=$DVMDBG
DVMDBG=$tmp/refused
if "$tmp/refuse" /bin/true 2>/dev/null; then
	start -n 2 --set STOP_TIMER=1 "$marked" loop
	tell 'break 2.B' cont 'where -native' 'print u[0][0]' 'assign u[0][0] 7' 'print u[0][0] + 1' 'halo v' 'delete 0' go
	expect_out "refused: calls of ranks that are parked" 20 "^ +\[0:1\] +sweep  marked.c:$(at pl)"
	expect_out "refused: their values" 10 '^u\[0\]\[0\] = 1$'
	expect_out "refused: which can be set" 10 '^u\[0\]\[0\] \+ 1 = 8$'
	check "refused: calls of ranks that run are not known, which is said" \
		until_shown '^ *\[0:1\]  no calls are known: the kernel forbids' 'where -native'
	tell 'print u[0][0]' halt status quit
	expect_out "refused: nor are their values" 10 'u: \[0:1\] running, and the kernel forbids to read its memory from outside'
	expect_out "refused: halt says why they run on" 10 '^warning: halt: \[0:1\]: the kernel forbids ptrace'
	expect_out "refused: and they do" 10 '^  \[0:1\] +running'
	finish
	DVMDBG=$with
else
	DVMDBG=$with
	skip "where the kernel refuses ptrace" "no seccomp filters here"
fi

# crashes
crash() { dvm 60 "cont${2:+
$2}" -n 3 --set STOP_TIMER=1 "$tmp/${3:-O2}" "$1"; }
crash segv
like "SIGSEGV: line, function, address" "$out" "^    SIGSEGV at calls.c:$(line segv) in crash\(\), address 0x8, nowhere is NULL\$"
like "SIGSEGV: the others' calls beside it" "$out" "^  \[0,2\] +wait_for  calls.c:$(line recv)" "^  \[1\] +crash  calls.c:$(line segv)"
is "SIGSEGV: status" "$status" 3
crash fpe
like "SIGFPE" "$out" "^    SIGFPE at calls.c:$(line fpe) in crash\(\): integer division by zero\$"
crash assert '' O0
like "a failed assertion" "$out" "^    SIGABRT at calls.c:$(line assert) in crash\(\), calling __assert_fail\$"
crash abort '' O0
like "MPI_Abort" "$out" "^    MPI_Abort\(5\) at calls.c:$(line abort) in crash\(\), calling MPI_Abort\$"
crash segv '' bare
like "SIGSEGV without -g" "$out" '^    SIGSEGV in crash\(\), address 0x8$'
DVMDBG_NO_VM=1 crash segv where
like "where ptrace is refused: a crash has its stack" "$out" "^    SIGSEGV at calls.c:$(line segv) in crash\(\), address 0x8, nowhere is NULL\$"
like "where ptrace is refused: that is said of the others" "$out" '\[0,2\]  no calls are known: the kernel forbids'
out=$(timeout -k 5 60 "$DVMDBG" --batch --json -e cont -n 2 --set STOP_TIMER=1 "$tmp/O2" segv </dev/null 2>&1)
like "JSON: where it has crashed" "$out" '"at": *\{.*"function": *"crash".*"address": *"0x8"|"at": *\{.*"address": *"0x8".*"function": *"crash"'
for case in 'before:w\[-3\], 3 elements before u\[8\]\[0\]' 'behind:w\[65\], 2 elements behind u\[15\]\[7\]'; do
	dvm 60 cont -n 2 --set STOP_TIMER=1 "$marked" "${case%%:*}"
	like "the address, ${case%%:*} the array" "$out" \
		"^    SIGSEGV at marked.c:$(at "${case%%:*}") in sweep\(\), address 0x[0-9a-f]+, ${case#*:}\$"
done
dvm 60 cont -n 2 "$marked"
unlike "no crash: no calls are shown" "$out" 'sweep|SIG'
is "no crash: status" "$status" 0

if command -v "$fc" >/dev/null; then
	for o in O0 O2; do
		"$fc" -g -$o -J "$tmp" "$src/calls.f90" -o "$tmp/f$o" 2>"$tmp/fc.err" || diag "$(<"$tmp/fc.err")"
		start -n 2 "$tmp/f$o" spin
		tell go
		check "Fortran -$o: the loop of a module's procedure" until_shown "^ +\[1\] +relax  calls.f90:($(line relax calls.f90)|$(($(line relax calls.f90) - 1))|$(($(line relax calls.f90) - 2)))" 'where -native'
		tell quit
		finish
		check "Fortran -$o: the call of MPI" seen "^ +\[0\] +wait_for  calls.f90:$(line recv calls.f90)"
		check "Fortran -$o: its name" seen '^ +\[0\] +MPI_RECV$'
		check "Fortran -$o: the program" seen "^ +\[0\] +calls  calls.f90:$(line wait calls.f90)"
	done
	dvm 60 cont -n 2 --set STOP_TIMER=1 "$tmp/fO0" segv
	like "Fortran: a crash" "$out" "^    SIGSEGV at calls.f90:$(line segv calls.f90) in crash\(\), address 0x"
fi
no_leak "crashes"
done_testing
