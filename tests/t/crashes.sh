# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that end badly: for each signal and end the line and function, why, what is at the address, and the calls of
# the other ranks beside it.
. "$(dirname "$0")/lib.sh"
export HOME=$tmp
src=$srcdir/tests/prog/native
mpi_compilers "$(first_mpi)"
unset DVMDBG_NO_VM
ulimit -c 0

# line WORD [FILE]: the line that has it behind it
line() { line_marked "$1" "$src/${2:-crashes.c}"; }
"$cc" -g -O0 -w "$src/crashes.c" -o "$tmp/crashes" -lm 2>"$tmp/cc.err" || diag "$(cat "$tmp/cc.err")"

# crash CASE NAME REGEX…: what is said of it; $set: a line before cont, $then: one behind it
crash()
{
	dvm 60 "$set
cont
$then" -n 2 --set STOP_TIMER=0 --set HANG_TIMER=0 "$tmp/crashes" "$1"
	like "$2" "$out" "${@:3}"
	is "$2: status" "$status" 3
}
set= then=
others="^  \[0\] +main  crashes.c:$(line recv)"

crash bus "SIGBUS: a mapped file is too short" \
	"^    SIGBUS at crashes.c:$(line bus) in do_bus\(\), address 0x[0-9a-f]+, in what is mapped of .*: behind the end of the file"
crash constant "SIGSEGV: memory that is read-only" \
	"^    SIGSEGV at crashes.c:$(line constant) in do_constant\(\), address 0x[0-9a-f]+, in what is mapped of .*crashes: the memory there is read-only\$"
crash divide "SIGFPE: integers" "^    SIGFPE at crashes.c:$(line divide) in do_divide\(\): integer division by zero\$"
crash illegal "SIGILL" "^    SIGILL at crashes.c:$(line illegal) in do_illegal\(\)\$"
crash assert "a failed assertion has its text" "^    SIGABRT at crashes.c:$(line assert) in do_assert\(\), calling __assert_fail\$" \
	"^    crashes: .*crashes.c:$(line assert): do_assert: Assertion .a\[0\] > 1e6. failed\.\$"
crash abort "abort" "^    SIGABRT at crashes.c:$(line abort) in do_abort\(\), calling abort\$"
crash heap "damage that malloc has found has its text" "^    SIGABRT at crashes.c:$(line heap) in do_heap\(\), calling free\$" \
	'^    double free or corruption|^    free\(\): |^    munmap_chunk'
crash stack "the stack has overflowed" \
	"^    SIGSEGV at crashes.c:[0-9]+ in do_deeper\(\), address 0x[0-9a-f]+: the stack has overflowed, its limit is 1024 KiB\$" \
	"do_deeper  crashes.c:$(line stack)  [0-9]+ times"
crash memory "a result of malloc that was not looked at" "^    SIGSEGV at crashes.c:$(line memory) in do_memory\(\), address 0x38\$"
crash mpi_abort "MPI_Abort" "^    MPI_Abort\(5\) at crashes.c:$(line mpi_abort) in do_mpi_abort\(\), calling MPI_Abort\$" "$others"
crash exit "exit by one rank" "^Rank \[1\] exited with code 3 without MPI_Finalize" \
	"^    left at crashes.c:$(line exit) in do_exit\(\), calling exit\$" "$others"
crash leave "exit by one rank, with code 0" "^    left at crashes.c:$(line leave) in do_leave\(\), calling exit\$" "$others"
crash kill "SIGKILL: the others" "^Rank \[1\] was killed by SIGKILL" "$others"
unlike "SIGKILL: memory was not used up" "$out" 'memory'
crash sent "a signal that was sent" "^    SIGBUS at crashes.c:$(line sent) in do_sent\(\), calling raise: raised by the program itself\$"

# after a crash: the current place is there
then="list -length 1
[1] list \$EXEC -length 1
where
status"
crash behind "memory that ends behind a block" \
	"^    SIGSEGV at crashes.c:$(line behind) in do_behind\(\), address 0x[0-9a-f]+, [0-9]+ bytes behind an allocated block of 8[0-9]{6} bytes\$"
is "list is where it has crashed" "$(printf '%s\n' "$out" | grep -cE "$(line behind) .*a\[BIG \+ i\] = i;")" 2
like "where has both" "$out" "\[1\] +do_behind  crashes.c:$(line behind)" "\[0\] +main  crashes.c:$(line recv)"
then=

# floating point: nothing unless it is asked for
dvm 60 cont -n 2 "$tmp/crashes" nothing
unlike "NaN and infinity are no crash" "$out" SIG
is "NaN and infinity: status" "$status" 0
for fpe in 'divzero:floating-point division by zero' 'invalid:invalid floating-point operation' 'overflow:floating-point overflow'; do
	set="set FPE invalid,divzero,overflow"
	crash "${fpe%%:*}" "FPE: ${fpe%%:*}" "^    SIGFPE at crashes.c:$(line "${fpe%%:*}") in do_${fpe%%:*}\(\): ${fpe#*:}\$"
done
talk 'set FPE overflow, invalid
set FPE
set FPE underflow
set FPE = ""
set FPE' 
like "set FPE: what it is" "$out" 'FPE += +invalid,overflow' "FPE cannot be 'underflow': allowed is empty, or some of invalid, divzero, overflow"
dvm 60 'set FPE divzero
cont' -n 2 --set STOP_TIMER=0 "$tmp/crashes" overflow
unlike "FPE: only what was asked for" "$out" SIGFPE

# JSON
out=$(timeout -k 5 60 "$DVMDBG" --batch --json -e cont -n 2 --set STOP_TIMER=0 "$tmp/crashes" assert </dev/null 2>&1)
like "JSON: what the C library has said" "$out" '"message": *"[^"]*Assertion .a\[0\] > 1e6. failed\."'
out=$(timeout -k 5 60 "$DVMDBG" --batch --json -e cont -n 2 --set STOP_TIMER=0 "$tmp/crashes" exit </dev/null 2>&1)
like "JSON: where it has left" "$out" '"type": *"exit".*"at": *\{|"at": *\{.*"type": *"exit"' '"function": *"do_exit"'

# cores, and gdb
if command -v gdb >/dev/null; then
	dvm 60 "cont
gcore 1 $tmp/core.1
gcore 1 $tmp/core.1
gcore 7 $tmp/core.2
core $tmp/crashes $tmp/core.1" -n 2 --set STOP_TIMER=0 "$tmp/crashes" assert
	like "gcore writes a core" "$out" "^rank 1 is in $tmp/core.1\$"
	check "gcore: it is there" test -s "$tmp/core.1"
	like "gcore: a file that is there stays" "$out" "gcore: $tmp/core.1 is there already"
fi

if command -v "$fc" >/dev/null; then
	"$fc" -g -O0 -fstack-arrays -J "$tmp" "$src/crashes.f90" -o "$tmp/fcrashes" 2>"$tmp/fc.err" || diag "$(cat "$tmp/fc.err")"
	fortran() # CASE NAME REGEX…
	{
		dvm 60 "set FPE invalid,divzero
cont" -n 2 --set STOP_TIMER=0 --set HANG_TIMER=0 "$tmp/fcrashes" "$1"
		like "Fortran: $2" "$out" "${@:3}"
	}
	at() { line "$1" crashes.f90; }
	fortran invalid "the root of a negative number" "^    SIGFPE at crashes.f90:$(at invalid) in fail\(\): invalid floating-point operation\$"
	fortran divzero "division by zero" "^    SIGFPE at crashes.f90:$(at divzero) in fail\(\): floating-point division by zero\$"
	fortran stop "error stop" "^    left at crashes.f90:$(at stop) in fail\(\), calling _gfortran_error_stop_numeric\$"
	fortran stack "an array that does not fit the stack" "in large\(\), address 0x[0-9a-f]+: the stack has overflowed, its limit is [0-9]+ KiB\$"
fi
no_leak "crashes"
done_testing
