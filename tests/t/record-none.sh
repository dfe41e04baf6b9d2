# SPDX-License-Identifier: GPL-3.0-or-later
# record -o none: all is recorded as ever, and dropped; nothing is written. ./none is a directory.
. "${0%/*}/lib.sh"

hooked=$builddir/doc/examples/heat-hooked
[ -x "$hooked" ] || skip_all "no program with access hooks"
mkdir "$tmp/here" && cd "$tmp/here" || exit 1

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
# records: how many the run says that it has had
records() { sed -n 's/^recorded traces at level FULL: \([0-9]*\) records.*/\1/p' <<<"$out"; }

shell record --level FULL -o ./none -n 2 "$hooked" 30 2
like "a directory called none" "status $status
$out" '^status 0$' '^recorded traces at level FULL: [0-9]* records in \./none, [0-9]* bytes' '^recorded [0-9]* checksums at 8 points in \./none'
kept=$(records)
is "it is there" "$(ls none | grep -c -e '^trace\.[01]\.bin$' -e '^manifest\.json$')" 3
rm -rf none

shell record --level FULL -o none -n 2 "$hooked" 30 2
like "none" "status $status
$out" '^status 0$' '^recorded traces at level FULL: [0-9]* records, [0-9]* bytes, [0-9.]* a record; dropped, nothing was written$' \
	'^record none: the checksums of 8 points were dropped$'
is "with as many records" "$(records)" "$kept"
is "nothing is written" "$(ls -A)" ""

shell --json --batch -n 1 -e 'record none' -e 'record' -e 'level MODIFY' -e cont "$hooked" 30 2
like "the verb, too" "$out" '"the next run is recorded, and what is recorded is dropped"' \
	'"type":"recorded-traces","reference":null,"level":"MODIFY"'
is "nothing is written by it" "$(ls -A)" ""

shell record --order -o none -n 1 "$hooked" 30 2
like "it keeps no order of messages" "status $status
$out" '^status 2$' 'record: -o none keeps nothing, which excludes'
shell --batch -n 1 -e 'record none -arrays u -at 3.E' "$hooked" 30 2
like "nor arrays" "$out" 'record none: nothing is kept, neither arrays nor the order of messages'

done_testing
