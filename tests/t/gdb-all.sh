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

# A crash is gdb's to show; the end of the session ends gdb.
talk "break 1.B
cont
gdb -all print crash((int *)0)
gdb -all print square(7)" -n 2 "$tmp/c"
like "a function that gdb calls" "$(answer 'gdb -all print square(7)')" '= 49$'
no_leak "the end of a session"
done_testing
