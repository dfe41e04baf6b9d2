# SPDX-License-Identifier: GPL-3.0-or-later
# One gdb on each rank of a set: commands for all, answers merged, and back to points.
. "${0%/*}/lib.sh"
export HOME=$tmp
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
command -v gdb >/dev/null || skip_all "no gdb"
mpi_compilers "$mpi"
libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs -lm"
src=$srcdir/tests/prog/native/called.c
"$cc" -O0 -g -I"$srcdir/runtime" "$src" -o "$tmp/c" $libs 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
body=$(grep -n 'a\[i\] += 0' "$src" | cut -d: -f1)

talk "break 1.B
cont
gdb -all quit
gdb -all frame
gdb -all break called.c:$body
gdb -all continue
gdb -all print mine
[0] gdb -all print local[1]
[1] gdb -all print mine
gdb -all print nosuch
gdb -all delete
gdb -all next
gdb -all finish
gdb -all info symbol main
gdb 0
step
call square(7)
gdb -all quit
print u[1]
delete -all
cont" -n 2 "$tmp/c"
like "none runs yet" "$(answer 'gdb -all quit' | head -n 1)" 'gdb: none runs'
like "they are in the user's code" "$(answer 'gdb -all frame')" "^#0 .*work .*called.c:[0-9]+"
like "break at any line" "$(answer "gdb -all break called.c:$body")" "Breakpoint 1 at .*called.c, line $body\\."
like "they come to it" "$(answer 'gdb -all continue')" "Breakpoint 1, work .*called.c:$body"
like "values that differ have their ranks" "$(answer 'gdb -all print mine')" '^\[0\]:$' '^\[1\]:$' '= 10$' '= 11$'
is "equal ones are shown once" "$(answer '[0] gdb -all print local[1]' | grep -c '= 1.5$')" 1
is "a command goes to the ranks of its set" "$(answer '[1] gdb -all print mine')" '$3 = 11'
like "an error of gdb" "$(answer 'gdb -all print nosuch')" 'No symbol "nosuch" in current context'
like "next" "$(answer 'gdb -all next')" '^[0-9]+'
like "finish" "$(answer 'gdb -all finish')" 'Run till exit|main \('
like "gdb of one rank has to wait" "$(answer 'gdb 0')" 'gdb -all has ranks'
like "other verbs say who has them" "$(answer 'step')" 'step: \[0:1\]: gdb has stopped it; gdb -all quit leaves it to dvmdbg again'
like "… those for stopped ranks too" "$(answer 'call square(7)')" '^call: .*gdb has stopped it'
like "back at a point" "$(answer 'gdb -all quit' | tail -n +2)" '^Point 2\.B'
is "and all is as ever" "$(answer 'print u[1]')" 'u[1] = 1'
like "the program goes on" "$out" 'ends: calls 0'
unlike "nothing is wrong" "$out" WRONG
no_leak "gdb on all ranks"

# Words for one rank while the others stand at points: nothing waits for ever
talk "break 1.B
cont
[0] gdb -all break nosuch
[1] gdb -all next
gdb -all print mine
[0] gdb -all next
cont
status
print mine
[0] assign mine = 3
wait
[0] gdb -all quit
cont
rerun
[0] gdb -all continue
gdb -all quit
cont" -n 2 --set STOP_TIMER=1 "$tmp/c"
like "a rank that gdb does not have" "$(answer '[1] gdb -all next')" '\[1\]: gdb has \[0\]; gdb -all quit'
like "of a set some of which gdb has, these are named" "$(answer 'gdb -all print mine')" '^\[0\]:$' '= 10$'
like "gdb's refusal" "$(answer '[0] gdb -all break nosuch')" 'Function "nosuch" not defined'
like "cont leaves out what gdb has" "$(answer cont)" 'cont: \[0\]: gdb has stopped it'
like "status says who has it" "$(answer status)" '^gdb has \[0\]; gdb -all quit'
like "print as well" "$(answer 'print mine')" '\[0\] left out: gdb has stopped it'
like "and assign" "$(answer '[0] assign mine = 3')" 'nothing was changed: \[0\]: gdb has stopped it'
like "without a terminal it is stopped when it waits for others" "$(answer '[0] gdb -all continue')" \
	'gdb: \[0\] still running: it may wait for \[1\], at points, and is stopped' 'received signal SIGINT'
is "the program ends well" "$(grep -c 'ends: calls 0' <<<"$out")" 4

# Ranks that halt has stopped where they were: the signal by which it lets them go is not the program's
cat >"$tmp/long.c" <<'EOT'
#include "dvmdbg.h"
volatile long n;

static void work(void)
{
	for (;;) {
		n++;
		n--;
	}
}

int main(void)
{
	DVMDBG_PL_BEGIN(.range = { { 0, 1 } });
	work();
}
EOT
"$cc" -O0 -g -I"$srcdir/runtime" "$tmp/long.c" -o "$tmp/long" $libs 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
talk "break 1.B
cont
go
halt
gdb -all frame
gdb -all next
gdb -all next
gdb -all quit
kill" -n 1 "$tmp/long"
like "halt stops it where it is" "$(answer halt)" 'paused at long.c:[78] in work\(\)'
like "that is gdb's frame" "$(answer 'gdb -all frame')" '^#0 .*work \(\) at .*long.c:[78]'
like "next" "$(answer 'gdb -all next')" '^[78]\b'
unlike "no signal is in the way" "$out" SIGCONT
like "back to dvmdbg" "$(answer 'gdb -all quit')" 'paused at long.c:[78] in work\(\)'

# A crash is gdb's to show; the end of the session ends gdb.
talk "break 1.B
cont
gdb -all print crash((int *)0)
gdb -all print square(7)" -n 2 "$tmp/c"
like "a function that gdb calls" "$(answer 'gdb -all print square(7)')" '= 49$'
no_leak "the end of a session"
done_testing
