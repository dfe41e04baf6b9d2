# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that end badly: for each signal and end the line and function, why, what is at the address, and the calls of
# the other ranks beside it.
. "${0%/*}/lib.sh"
export HOME=$tmp
src=$srcdir/tests/prog/native
mpi_compilers "$(first_mpi)"
unset DVMDBG_NO_VM
ulimit -c 0

# line WORD [FILE]: the line that has it behind it
line() { line_marked "$1" "$src/${2:-crashes.c}"; }
"$cc" -g -O0 -w "$src/crashes.c" -o "$tmp/crashes" -lm 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"

# crash CASE NAME REGEX…: what is said of it; $set: a line before cont, $then: one behind it
crash()
{
	dvm 60 "$set
cont
$then" -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 --set HANG_TIMER=0 "$tmp/crashes" "$1"
	like "$2" "$out" "${@:3}"
	is "$2: status" "$status" 3
}
set= then=
others="^  \[0\] +main  crashes.c:$(line recv)"

crash bus "SIGBUS: a mapped file is too short" \
	"^    SIGBUS at crashes.c:$(line bus) in do_bus\(\), address 0x[0-9a-f]+, bytes\[7\], in what is mapped of .*: behind the end of the file"
crash constant "SIGSEGV: memory that is read-only" \
	"^    SIGSEGV at crashes.c:$(line constant) in do_constant\(\), address 0x[0-9a-f]+, text\[0\], in what is mapped of .*crashes: the memory there is read-only\$"
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
crash turns "calls in turns, more than are read" ': the stack has overflowed' '^  \[1\] +\.\.\. outer calls, not read$' \
	"^  \[1\]    do_(one  crashes.c:$(line one)|other  crashes.c:$(line other))  these 2 calls [0-9]+ times\$"
unlike "an element is not blamed for that" "$out" 'is outside'
check "they are shown once, and what comes behind" test "$(grep -cE '^  \[1\] +do_(one|other) ' <<<"$out")" -lt 6
crash memory "a result of malloc that was not looked at" "^    SIGSEGV at crashes.c:$(line memory) in do_memory\(\), address 0x38, more is NULL\$"
crash mpi_abort "MPI_Abort" "^    MPI_Abort\(5\) at crashes.c:$(line mpi_abort) in do_mpi_abort\(\), calling MPI_Abort\$" "$others"
crash exit "exit by one rank" "^Rank \[1\] exited with code 3 without MPI_Finalize" \
	"^    left at crashes.c:$(line exit) in do_exit\(\), calling exit\$" "$others"
crash leave "exit by one rank, with code 0" "^    left at crashes.c:$(line leave) in do_leave\(\), calling exit\$" "$others"
crash kill "SIGKILL: the others" "^Rank \[1\] was killed by SIGKILL" "$others"
unlike "SIGKILL: memory was not used up" "$out" 'memory'
crash sent "a signal that was sent" "^    SIGBUS at crashes.c:$(line sent) in do_sent\(\), calling raise: raised by the program itself\$"

crash nowhere "a call of what is no function" "^    SIGSEGV at crashes.c:$(line nowhere) in do_nowhere\(\), address 0x0\$" "$others"

# after a crash: the current place is there
then="list -length 1
[1] list \$EXEC -length 1
where
status"
crash behind "memory that ends behind a block" \
	"^    SIGSEGV at crashes.c:$(line behind) in do_behind\(\), address 0x[0-9a-f]+, a\[[0-9]+\], [0-9]+ bytes behind an allocated block of 8[0-9]{6} bytes\$"
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
like "set FPE: what it is" "$out" 'FPE += +invalid,overflow' "FPE cannot be 'underflow': it is empty, or some of invalid, divzero, overflow"
dvm 60 'set FPE divzero
cont' -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 "$tmp/crashes" overflow
unlike "FPE: only what was asked for" "$out" SIGFPE

# JSON
out=$(timeout -k 5 60 "$DVMDBG" --batch --json -e cont -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 "$tmp/crashes" assert </dev/null 2>&1)
like "JSON: what the C library has said" "$out" '"message": *"[^"]*Assertion .a\[0\] > 1e6. failed\."'
out=$(timeout -k 5 60 "$DVMDBG" --batch --json -e cont -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 "$tmp/crashes" exit </dev/null 2>&1)
like "JSON: where it has left" "$out" '"type": *"exit".*"at": *\{|"at": *\{.*"type": *"exit"' '"function": *"do_exit"'

rest_in all
# C++: what the templates of the library have been called by
if command -v "mpicxx.$(first_mpi)" >/dev/null; then
	"mpicxx.$(first_mpi)" -g -O2 "$src/thrown.cpp" -o "$tmp/thrown" 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
	at() { line "$1" thrown.cpp; }
	talk 'run throw
print rank
print how[0]
what rank
run range' -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 --set HANG_TIMER=0 "$tmp/thrown"
	like "C++: where an exception was thrown that nobody catches" "$(answer 'run throw')" \
		"^    SIGABRT at thrown.cpp:$(at throw) in .*, calling __cxa_throw$" "^  \[1\] +main  thrown.cpp:$(at step)" \
		"^  \[1\] +step  thrown.cpp:$(at reduce)" "^  \[0\] +main  thrown.cpp:$(at allreduce)"
	like "a variable, of ranks in different functions: whose each is" "$(answer 'print rank')" '^  \[0\]  rank = 0$' '^  \[1\]  rank = 1$'
	is "and once where it is equal" "$(answer 'print how[0]' | wc -l)" 1
	like "what it is" "$(answer 'what rank')" '^  \[1\]  rank: int = 1$'
	like "C++: the user's call of a template" "$(answer 'run range')" "^    SIGABRT at thrown.cpp:$(at at) in "
	unlike "C++: main is the outermost" "$out" 'libc_start|start_main'
	like "C++: what the exception is" "$(answer 'run throw')" '^    uncaught exception std::runtime_error: .'

	# what the line has accessed: paths of the source, by the types of the program
	"mpicxx.$(first_mpi)" -g -O0 "$src/accessed.cpp" -o "$tmp/accessed" 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
	talk "$(printf 'run %s\n' v t r m f b s w n)" -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 --set HANG_TIMER=0 "$tmp/accessed"
	accessed() { like "C++: $2" "$(answer "run $1")" "^    SIGSEGV at accessed.cpp:$(line "$2" accessed.cpp) in .*, address 0x[0-9a-f]+$3\$"; }
	accessed v vector ', g\.d\[k \* 10\]: index 40000000 of dimension 1 is outside 0:99(, .*)?'
	accessed t table ', g\.table\[4000000\](, .*)?'
	accessed r rows ', g\.rows\[3\] is NULL'
	accessed m member ', g\.cells\[1\]\.next\[2\] is NULL'
	accessed f fixed ', fixed\[k\]: index 4000000 of dimension 1 is outside 0:3(, .*)?'
	accessed b before ', q\[-4000000\](, .*)?'
	accessed s star ', p is NULL'
	accessed w wild ', wild leads there'
	accessed n none ''
fi

# cores, and gdb
if command -v gdb >/dev/null; then
	dvm 60 "cont
gcore 1 $tmp/core.1
gcore 1 $tmp/core.1
gcore 7 $tmp/core.2
core $tmp/crashes $tmp/core.1" -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 "$tmp/crashes" assert
	like "gcore writes a core" "$out" "^rank 1 is in $tmp/core.1\$"
	check "gcore: it is there" test -s "$tmp/core.1"
	like "gcore: a file that is there stays" "$out" "gcore: $tmp/core.1 is there already"
	typed_ok "gdb opens in the user's frame of a crash" 'prompt
enter cont
sees {SIGABRT at crashes.c:[0-9]+ in do_assert}
prompt
enter {gdb 1}
sees {#[0-9]+ .*do_assert.*a.*=} {\(gdb\) }
send "p n * 6\r"
sees {= .*42} {\(gdb\) }
send "detach\r"
sees {\(gdb\) }
send "quit\r"
prompt
enter where
sees {do_assert}
prompt
enter quit
ends' -n 2 --set STOP_TIMER=1 "$tmp/crashes" assert
fi

if command -v "$fc" >/dev/null; then
	"$fc" -g -O0 -fstack-arrays -J "$tmp" "$src/crashes.f90" -o "$tmp/fcrashes" 2>"$tmp/fc.err" || diag "$(<"$tmp/fc.err")"
	at() { line "$1" crashes.f90; }
	# all in one session
	{
		echo 'set FPE invalid,divzero,overflow'
		for how in invalid divzero overflow divide segv bus illegal abort heap stack memory text stop exit leave mpi_abort; do
			echo "run $how"
		done
	} >"$tmp/runs"
	talk "$(<"$tmp/runs")" -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 --set HANG_TIMER=0 "$tmp/fcrashes"
	# fortran CASE NAME REGEX…: and the calls of the rank that waits
	fortran() { like "Fortran: $2" "$(answer "run $1")" "${@:3}" "^  \[0\] +crashes  crashes.f90:$(at recv)"; }
	fortran invalid "the root of a negative number" "^    SIGFPE at crashes.f90:$(at invalid) in fail\(\): invalid floating-point operation\$"
	fortran divzero "division by zero" "^    SIGFPE at crashes.f90:$(at divzero) in fail\(\): floating-point division by zero\$"
	fortran overflow "overflow" "^    SIGFPE at crashes.f90:$(at overflow) in fail\(\): floating-point overflow\$"
	fortran divide "integers" "^    SIGFPE at crashes.f90:$(at divide) in fail\(\): integer division by zero\$"
	fortran segv "SIGSEGV" "^    SIGSEGV at crashes.f90:$(at segv) in set\(\), address 0x" "^  \[1\] +set  crashes.f90:$(at segv)"
	fortran bus "SIGBUS" "^    SIGBUS at crashes.f90:$(at bus) in behind_a_file\(\), address 0x.*: behind the end of the file"
	fortran illegal "SIGILL" "^    SIGILL at crashes.f90:$(at illegal) in fail\(\), calling raise: raised by the program itself\$"
	fortran abort "abort" "^    SIGABRT at crashes.f90:$(at abort) in fail\(\), calling "
	fortran heap "damage of the heap" "^    SIGABRT at crashes.f90:$(at heap) in damage\(\), calling "
	fortran stack "an array that does not fit the stack" "in large\(\), address 0x[0-9a-f]+: the stack has overflowed, its limit is [0-9]+ KiB\$"
	fortran memory "no memory" "^    left at crashes.f90:$(at memory) in much\(\), calling _gfortran_os_error_at\$"
	fortran text "error stop with a text" "^    left at crashes.f90:$(at text) in fail\(\), calling _gfortran_error_stop_string\$"
	fortran stop "error stop" "^    left at crashes.f90:$(at stop) in fail\(\), calling _gfortran_error_stop_numeric\$"
	fortran exit "exit" "^    left at crashes.f90:$(at exit) in fail\(\), calling "
	fortran leave "stop by one rank" "^    left at crashes.f90:$(at leave) in fail\(\), calling _gfortran_stop_string\$"
	fortran mpi_abort "MPI_ABORT" "^    MPI_Abort\(5\) at crashes.f90:$(at mpi_abort) in crashes\(\), calling MPI_ABORT\$"
	"$fc" -g -O0 -J "$tmp" "$src/accessed.f90" -o "$tmp/faccessed"
	talk "run second
run pointer" -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 --set HANG_TIMER=0 "$tmp/faccessed"
	faccessed() { like "Fortran: $2" "$(answer "run $1")" "^    SIGSEGV at accessed.f90:$(line "$1" accessed.f90) in accessed\(\), address 0x[0-9a-f]+, $3"; }
	faccessed second "an index outside" 'f%w\(1, i\): index 40000000 of dimension 2 is outside 0:9'
	faccessed pointer "a pointer that is not associated" 'p is not associated$'
	"$fc" -g -O0 -fcheck=bounds -J "$tmp" "$src/crashes.f90" -o "$tmp/fbounds"
	dvm 60 cont -n 2 --set STOP_TIMER=0 --set BAD_TIMER=0 --set HANG_TIMER=0 "$tmp/fbounds" bounds
	like "Fortran: an index outside, checked" "$out" "^    left at crashes.f90:$(at bounds) in index_of\(\), calling _gfortran_runtime_error_at\$"
fi
# A part of the program's file that is mapped beside it, to be looked at, is none of it.
"${CC:-gcc}" -g -O0 "$src/viewed.c" -o "$tmp/viewed" 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
dvm 60 cont -n 1 --set STOP_TIMER=0 --set BAD_TIMER=0 --set HANG_TIMER=0 "$tmp/viewed"
like "what is mapped beside the program" "$out" "^    SIGABRT at viewed\\.c:$(line_marked abort "$src/viewed.c") in inner\\(\\), calling abort\$" \
	"^  \\[0\\] +main  viewed\\.c:$(line_marked main "$src/viewed.c")"
no_leak "crashes"
done_testing
