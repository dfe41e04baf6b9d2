# SPDX-License-Identifier: GPL-3.0-or-later
# The mutation bench: a dozen of its faulty programs, one of each kind; with in_set long all, make check-mutate prints
# their table. Programs that are right, with fields times 1e-12 and 1e12 too, have no finding.
. "${0%/*}/lib.sh"
all_in all
[ -x "$(command -v python3)" ] || skip_all "no python3"
[ "$have_openmpi" = yes ] && [ -n "$FC" ] || skip_all "no Open MPI with Fortran"

bench() { timeout -k 5 "$1" python3 "$srcdir/tests/mutate/mutate.py" --srcdir "$srcdir" --builddir "$builddir" "${@:2}" >"$tmp/o" 2>&1 </dev/null; }

bench 500 --few --ranks 2
is "a dozen faults are found, each with its cause" $? 0 || diag "$(<"$tmp/o")"
is "all of them were run" "$(grep -cE ' (plain|hooked) ' "$tmp/o")" 12
# Two names of one memory: what iterations then read is a consequence, and no cause.
bench 200 --only 'heat-33 ' --ranks 2 --builds hooked
like "a dependence that the reference does not have is not the cause" "$(<"$tmp/o")" '^heat-33 +order +hooked 2 hang +mismatch '
unlike "nor is it stated as one" "$(<"$tmp/o")" 'sure and wrong,'
bench 300 --right --only "pack3d|redblack" --ranks 2 --builds plain
is "nothing is found in programs that are right, large and small" $? 0 || diag "$(<"$tmp/o")"
if in_set long; then
	bench 10000
	is "no fault is missed, and none has a wrong cause" $? 0
	diag "$(<"$tmp/o")"
	bench 3000 --right
	is "nothing is found in any program that is right" $? 0 || diag "$(<"$tmp/o")"
fi
no_leak "the bench"
done_testing
