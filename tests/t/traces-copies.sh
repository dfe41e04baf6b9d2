# SPDX-License-Identifier: GPL-3.0-or-later
# Replicated objects in traces: of any size and type, one wrong copy is found by element, rank, and the point where it is
# wrong first; what is only rounded differently is not. Results of reductions, which may be arrays, too.
. "${0%/*}/lib.sh"
all_in all
. "${0%/*}/compares.sh"
[ -x "$(hooked heat)" ] || skip_all "no programs with access hooks"
"$builddir/runtime/dvmdbg-cc" -g -O1 "-I$srcdir/runtime" "$srcdir/tests/prog/traces/copies.c" -o copies "-L$builddir/runtime/.libs" \
	"-Wl,-rpath,$builddir/runtime/.libs" -ldvmdbg || skip_all "no compiler"
in=$(grep -n 'DVMDBG_PL(' "$srcdir/tests/prog/traces/copies.c" | cut -d : -f 1)
# The line below that of a text.
at() { echo $(($(line_with "$1" "$srcdir/tests/prog/traces/copies.c") + 1)); }
of=$(grep -n 'DVMDBG_REDUCTION_ARRAY' "$srcdir/tests/prog/traces/copies.c" | cut -d : -f 1)

record ref FULL 1 ./copies
for n in 1 2 4; do
	compare right ref $n ./copies
	equal "right on $n" right 600
	is "right on $n: all values are compared, to the bit" "$(total right values) $(total right verdict)" "$((12 * 7 * n)) equal"
done
# The first wrong write, behind the second loop's end, is reported; where the object is wrong again is not.
while read -r fault n rank element now ref write; do
	compare one ref "$n" ./copies "$fault"
	first "$fault on $n" one "value $rank $element $now $ref 2.E - copies.c:$(at "$write")"
	is "$fault on $n: nothing else is" "$(total one findings)" 1
done <<EOT
double 2 1 big[12345] -2 0 "double"
double 3 2 big[12345] -2 0 "double"
long 3 2 table[77] 541 540 "long"
struct 2 1 cell.y 0.833333 0.333333 "struct"
float 2 1 shorts[299] 1.5 100 "float"
few 3 2 few[2] 8 2.75 "few"
huge 2 1 huge[5] 0 - "huge"
EOT
# An object that is wrong is told of anew when it has become another one; big does in each step, huge does not.
compare one ref 3 ./copies huge
is "what stays as it is, is wrong once" "$(total one occurrences)" 1
compare one ref 3 ./copies double
is "what changes, each time" "$(total one occurrences)" 4
compare one ref 2 ./copies again
is "right for a step, and wrong again" "$(total one occurrences) $(found one | head -n 1)" "3 value 1 big[12345] -2 0 2.E - copies.c:$(at '"again"')"

compare one ref 3 ./copies rounding
is "rounded differently: no finding" "$(<one.status) $(total one findings) $(total one unknown)" "0 0 0"
compare one ref 3 --set StrictCompare=ON ./copies rounding
first "rounded differently, to the bit" one "value 2 big[1] 0.5 0.5 2.E - copies.c:$(at 'i < BIG && strcmp')" \
	"reduction 2 sums[0] 0.333333 0.333333 2.E - copies.c:$of"
compare one ref 2 ./copies sums
first "an element of a reduction" one "reduction 1 sums[33] 1 0.0277778 2.E - copies.c:$of"
is "and nothing else" "$(total one findings)" 1

# What was said before the interval counts in it: big stays as it was recorded in part long before.
record late FULL 1 --set StartPoint=4.B ./copies
compare one late 2 ./copies double
first "a reference that begins later" one "value 1 big[12345] -2 0 4.B - copies.c:$in"
compare one ref 2 --set StartPoint=4.B ./copies double
first "a run that begins later" one "value 1 big[12345] -2 0 4.B - copies.c:$in"
compare one ref 2 --set StartPoint=4.B ./copies
is "a run that begins later, and is right" "$(<one.status) $(total one findings)" "0 0"
# Blocks of 16 KiB: a value takes ten of them.
record small MINIMAL 2 --set TRACE_MEMORY=1 ./copies
compare one small 3 --set TRACE_MEMORY=1 ./copies double
first "in little memory" one "value 2 big[12345] -2 0 3.B - copies.c:$in"
compare one small 3 --set TRACE_MEMORY=1 ./copies
is "in little memory, right" "$(<one.status) $(total one findings)" "0 0"
timeout 60 "$DVMDBG" trace print ref -n 0 -array big >said 2>&1 </dev/null
like "large values in parts, then as what stands for them" "$(<said)" \
	'value big = 4096 of 160000 bytes, behind 0 ' 'value big = 256 of 160000 bytes, behind 159744' 'value big = hash [0-9a-f]{32}'
is "in as many parts as it takes, when they have changed" "$(grep -c 'value big = [0-9]* of' said) $(grep -c 'value big = hash' said)" \
	"$((6 * 40)) 6"
timeout 60 "$DVMDBG" trace print ref -element 'shorts[0]' >said 2>&1 </dev/null
timeout 60 "$DVMDBG" trace print ref -n 0 -array sum >>said 2>&1 </dev/null
timeout 60 "$DVMDBG" --batch -e 'last-write shorts[0] -in ref' >>said 2>&1 </dev/null
like "no more digits than it takes to read them back" "$(<said)" ' write shorts\[0\] = 0\.33333334 ' \
	' write sum = 0\.3333333333333333 ' '^shorts\[0\] = 0\.16666667  written by'

# A complex number is read and written in halves; the next one is read after it is written.
cat >halves.c <<'EOT'
#include "dvmdbg.h"
static double _Complex from[8], to[8];
int main(void)
{
	DVMDBG_ARRAY(from, .shape = { 8 });
	DVMDBG_ARRAY(to, .shape = { 8 });
	DVMDBG_PL(.range = { { 0, 0 } }, .writes = { to }, .reads = { from }) {
		DVMDBG_PL_ITERATION(0);
		for (int i = 0; i < 8; i++)
			to[i] = from[7 - i];
	}
	return 0;
}
EOT
"$builddir/runtime/dvmdbg-cc" -g -O1 "-I$srcdir/runtime" halves.c -o halves "-L$builddir/runtime/.libs" \
	"-Wl,-rpath,$builddir/runtime/.libs" -ldvmdbg
record halves.ref FULL 1 ./halves
timeout 60 "$DVMDBG" trace print halves.ref >said 2>&1 </dev/null
is "complex numbers that are copied" "$(grep -oE '(read|write) (from|to)\[[0-9]\]' said | uniq | head -n 4 | tr '\n' ' ')" \
	'read from[7] write to[0] read from[6] write to[1] ' || diag "$(head -n 30 said)"
no_leak "copies"
done_testing
