# SPDX-License-Identifier: GPL-3.0-or-later
# The order of messages: record -order keeps what wildcard receives get and which requests are found complete, compare
# and locate follow it. What cannot be followed is given up. Runs that are not the same each time get no cause.
. "${0%/*}/lib.sh"
first=$(first_mpi)
[ -n "$first" ] || skip_all "no MPI"
export TMPDIR=$tmp

# run VERB COUNT ARGS…: the program, when there were COUNT runs before: in $out, exit status first
run()
{
	local verb=$1
	echo "$2" >"$tmp/count"
	shift 2
	out=$(timeout -k 5 100 "$DVMDBG" "$verb" "$@" 2>&1 </dev/null)
	out="status $?
$out"
}
# orders: what each phase got, a line
orders() { printf '%s\n' "$out" | grep ' [0-9] then [0-9]$' | tr '\n' ';'; }

for mpi in $(mpis); do
	order=$(prog tests/prog/runs/order "$mpi")
	run record 0 -o "$tmp/plain" -n 3 "$order" "$tmp/count"
	run compare 1 -r "$tmp/plain" -n 3 "$order" "$tmp/count"
	like "$mpi: without its order runs differ" "$out" '^status 1$' '^recv: 2 then 1$' 'values differ'
	run record 0 -o "$tmp/ref" --order -n 3 "$order" "$tmp/count"
	was=$(orders)
	run compare 1 -r "$tmp/ref" -n 3 "$order" "$tmp/count"
	like "$mpi: with it they are the same" "$out" '^status 0$' '^the order of messages that .*/ref has is followed$' \
		'^compared 18 checksums of 2 arrays at 18 points: equal'
	is "$mpi: by all functions" "$(orders)" "$was"
	like "$mpi: as they came first" "$was" '^recv: 1 then 2;irecv: 1 then 2;probe: 1 then 2;improbe: 1 then 2;waitany: 1 then 2;waitsome: 1 then 2;testany: 1 then 2;test: 1 then 2;sendrecv: 1 then 2;$'
	no_leak "$mpi"
done
rest_in all
order=$(prog tests/prog/runs/order "$first")

# A message that does not come: given up, not waited for.
run compare 0 -r "$tmp/ref" -n 3 "$order" "$tmp/count" lost
like "an order that cannot be followed" "$out" '^status 1$' '^recv: 2 then 2$' \
	'^Finding order  \[0\]  the recorded order of messages is not followed any longer: rank 0, decision 1: the message of rank 1 with tag 1, which the recorded run received, does not come'
run compare 0 -r "$tmp/ref" -n 2 "$order" "$tmp/count"
like "an order of other ranks" "$out" '^the order of messages that .*/ref has is of 3 ranks, and is not followed$'
unlike "it is not tried" "$out" 'Finding order'
cp -r "$tmp/ref" "$tmp/bad"
printf 'order %0500d' 7 | dd of="$tmp/bad/order.0" bs=1 seek=32 conv=notrunc 2>/dev/null
run compare 0 -r "$tmp/bad" -n 3 "$order" "$tmp/count"
like "a damaged order" "$out" '^recv: 1 then 2$' '^Finding order .* is not followed any longer: rank 0, decision 1: '
# In a session the ranks are started anew with it.
echo 1 >"$tmp/count"
dvm 60 "compare $tmp/ref
run" -n 3 "$order" "$tmp/count"
like "compare in a session" "$out" '^recv: 1 then 2$' 'at 18 points: equal'
echo 1 >"$tmp/count"
dvm 60 "record $tmp/own -order
run
compare $tmp/own
run" -n 3 "$order" "$tmp/count"
like "record -order in a session" "$out" 'recorded 18 checksums' '^recv: 2 then 1$' 'at 18 points: equal'
unlike "… and no other order" "$out" '^recv: 1 then 2$'

# locate: a fault in the order is found as such, and no cause is stated.
run locate 1 -r "$tmp/ref" -n 3 "$order" "$tmp/count"
like "locate follows the reference" "$out" '^status 0$' '^nothing differs: both runs, on 3 ranks' 'is followed$'
run locate 0 --ref-ranks 3 -n 3 "$order" "$tmp/count"
like "locate without" "$out" '^status 1$' '^replicated mix, first wrong at 1\.B' \
	'^  - the runs receive messages in different orders: rank 0 from rank 1 in the reference, from rank 2 in this run, by MPI_ANY_SOURCE$' \
	'^  - look at receives and probes with MPI_ANY_SOURCE' '^  - to compare runs in one order: dvmdbg record -order -o DIR -n 3 '
unlike "locate states no cause" "$out" 'because|likely|possibl'
run locate 0 -r "$tmp/plain" -n 3 "$order" "$tmp/count" </dev/null
no_leak "locate"

# Fortran's functions call C's.
if command -v "mpif90.$first" >/dev/null && [ -f "$srcdir/tests/prog/runs/order.f90" ] &&
	"mpif90.$first" "$srcdir/tests/prog/runs/order.f90" -o "$tmp/forder" 2>/dev/null; then
	run record 0 -o "$tmp/fref" --order -n 3 "$tmp/forder" 2
	was=$(orders)
	run compare 0 -r "$tmp/fref" -n 3 "$tmp/forder" 1
	is "Fortran" "$(orders)" "$was"
	is "Fortran: the order that was followed" "$was" "got 2 then 1;got 2 then 1;"
else
	skip "Fortran" "no compiler for it"
fi
done_testing
