# SPDX-License-Identifier: GPL-3.0-or-later
# What is between parallel constructs: writes to replicated variables, and the SKIP behind computations of some ranks
# only. With recorded traces, with the text of them, and while the program runs.
. "${0%/*}/lib.sh"

prog=$builddir/tests/prog/traces/sequence-hooked
[ -x "$prog" ] || skip_all "no program with access hooks"
cd "$tmp" || exit 1

# at TEXT: the line of the program with that comment
at() { echo "sequence.c:$(line_with "/* $1 */" "$srcdir/tests/prog/traces/sequence.c")"; }
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}

shell record --level FULL --set Ext=trd -o ref -n 1 "$prog"
is "recorded" "$status" 0
mark=$(grep -c DVMDBG_SKIP "$srcdir/tests/prog/traces/sequence.c")
is "SKP lines are in the text, where the mark is" "$mark $(grep -c "SKP: {\".*sequence.c\", $(grep -n 'DVMDBG_SKIP()' "$srcdir/tests/prog/traces/sequence.c" | cut -d : -f 1)}" 0.trd)" "1 3"
like "and values of replicated variables" "$(<0.trd)" \
	'^# VALUE: \[4\] "dt" \{".*sequence\.c", [0-9]+, 0\} = 0\.125$' \
	'^# VALUE: \[4\] "table\[0\]" \{".*sequence\.c", [0-9]+, 0\} (0{14}d03f|[0-9a-f]{96})$'
shell trace import 0.trd imported
shell trace export imported again.trd
is "imported and exported it is what it was" "$(cmp 0.trd again.trd 2>&1)" ""

equal='^compared traces at level FULL: 384 accesses, 192 iterations, 84 values, 0 reductions: equal$'
check()
{
	local ref=$1

	# parts of a sum in its variable, other computations of their own, a value that nothing follows from
	shell compare -r "$ref" -n 2 "$prog" own 1
	like "$ref: own computations before a SKIP" "status $status
$out" '^status 0$' "$equal"
	shell compare -r "$ref" -n 2 "$prog" unmarked 1
	like "$ref: without the mark they are compared" "status $status
$out" '^status 1$' '^Finding iteration  \[1\]  an iteration that the reference does not have: iteration 5, 3 times, at 1\.E'
	shell compare -r "$ref" -n 2 "$prog" dt 1
	like "$ref: the first wrong write, and what follows from it" "status $status
$out" '^status 1$' "^Finding value  \[1\]  a value differs from the reference: dt: 0\.09375 here, 0\.125 in the reference \(.*\), at 2\.E  $(at 'wrong dt')  #" \
		"^Finding value  \[1\] .*: t: 0\.34375 here, 0\.375 in the reference \(.*\), .*at 2\.E  $(at time)  "
}
check ref
check 0.trd
if in_set all; then
	shell compare -r 0.trd -n 2 "$prog" transient 1
	like "what is right in the end" "status $status
$out" '^status 0$' "$equal"
	shell compare -r 0.trd -n 2 "$prog" table 1
	like "an element" "$out" "^Finding value  \[1\] .*: table\[4\]: 7 here, 0\.5 in the reference \(.*\), at 2\.E  $(at 'wrong table')  #1\$" \
		': 1 finding, 1 occurrence$'
	shell compare -r ref -n 3 "$prog" last 2
	like "behind the last construct" "$out" "^Finding value  \[2\] .*: t: 1\.4375 here, 0\.4375 in the reference \(.*\), at 3\.E  $(at 'wrong last')  #"
	# of two runs that are over
	shell record --level FULL -o wrong -n 2 "$prog" dt 1
	shell trace diff wrong 0.trd
	like "recorded ones: the same" "$out" "^Finding value  \[1\] .*: dt: 0\.09375 here, 0\.125 in the reference \(.*\), at 2\.E  $(at 'wrong dt')\$"
fi
# a text without values, as the historical debugger has them
sed -e '/^# VALUE/d' -e 's/^\( *\)\([AB]W: \[4\] "[a-z]*"\)/\1\2/' 0.trd >plain.trd
shell compare -r plain.trd -n 2 "$prog" dt 1
like "a text without values: by what it writes" "status $status
$out" '^status 1$' "^Finding value  \[1\] .*: t: 0\.34375 here, 0\.375 in the reference \(.*\), .*at 2\.E  $(at time)  "
shell compare -r plain.trd -n 2 "$prog"
like "and right ones are right" "status $status
$out" '^status 0$' ': equal$'
no_leak "sequence"

# The mark beside the source: rank 1 does not come by that in it.
echo "skip $(at 'behind the mark')" >marks
shell compare --marks marks -r ref -n 2 "$prog" unmarked 1
like "a mark in a file" "status $status
$out" '^status 0$' "$equal"
done_testing
