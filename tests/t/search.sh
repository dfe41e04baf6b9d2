# SPDX-License-Identifier: GPL-3.0-or-later
# search: a pattern in source, constructs, arrays, points, history and findings; bad and endless patterns.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
heat=$(prog doc/examples/heat "$mpi")
src=$srcdir/doc/examples/heat.c
line_of() { grep -n "$1" "$src" | head -n 1 | cut -d: -f1; }
pl=61
last() { printf '%s\n' "$out" | tail -n 1; }

# typed_in COMMANDS ARGS…: commands that come as if they were typed, so that history keeps them.
typed_in()
{
	local script=$1
	shift
	out=$(printf '%s\n' "$script" | timeout -k 5 60 "$DVMDBG" "$@" 2>&1)
	status=$?
}

# Before anything is loaded only what there is can be searched.
typed_in 'set MAX_LIST = 7
search MAX_L.*7
set MAX_LIST
search ^SET -in history
search ^SET -in history -ignorecase
search (?i)^SET -in hist -max 1'
is "search without a program" $status 0
like "history is searched, and it is said where not" "$out" '^history: 1$' '^ +1  set MAX_LIST = 7$' \
	'^source: not searched: no program is loaded' '^arrays: not searched: no program is loaded'
like "case matters, or not" "$out" "^nothing matches '\^SET' in history \\([0-9]+\\)$" '^history: 2$' '^history: 2, 1 shown$' \
	'^ +3  set MAX_LIST$'
dvm 20 'search x -in source'
is "a place that was asked for and is not there is an error" $status 2
like "… with the reason" "$out" 'search: source: no program is loaded; load PROGRAM loads one'

# Patterns that are none point at the column.
dvm 20 'search u(x'
is "a bad pattern is an error" $status 2
is "a bad pattern is shown with the column below it" "$out" "$tmp/script:1: search: column 4 of the pattern: missing closing parenthesis
  u(x
     ^"
dvm 20 'search äö[b'
like "columns are those of characters" "$out" 'column 5 of the pattern: missing terminating ]' '^  äö\[b$' '^      \^$'
dvm 20 'search'
like "a pattern is needed" "$out" 'search: give a pattern'
dvm 20 'search x -in foo'
like "places are named" "$out" 'search: -in foo: source, constructs, arrays, points, history and findings are allowed'
dvm 20 'search x -context 1001'
like "context is limited" "$out" 'search -context 1001: 0 to 1000 are allowed'

# A program.
dvm 90 "break 7.E
cont
search int\\s+main -in source
search allocate\\( -in source -max 1 -context 1
search ^parallel -in constructs
search ^u: -in arrays
search ^[67]\\.[BE] -in points
search [67]\\.E -in points -max 1
search nothing_like_this
search \" = 0;\" -in source -max 2" -n 2 "$heat" 60 4
is "searches in a program" $status 0
like "source: file, line and text" "$out" '^source heat\.c: 1$' "^ +$(line_of 'int main')  int main"
like "context before and after, the line itself marked" "$out" '^source heat\.c: [0-9]+, 1 shown$' '^> +[0-9]+ ' '^   +[0-9]+ '
like "constructs: kind, place, how often, which last" "$out" '^constructs: [1-9]' "^  parallel loop  heat\\.c:$pl" \
	'^ +met [0-9]+ times, last at [0-9]+\.B'
like "arrays as what shows them" "$out" '^arrays: 1$' '^  u: double\[60\]\[60\], distributed, registered at heat\.c:[0-9]+, on \[0:1\]$'
like "points" "$out" '^points: 4$' '^  6\.B  parallel loop  heat\.c:' '^  7\.E  parallel loop  heat\.c:'
like "of points the newest are shown" "$out" '^points: 2, 1 shown$'
like "nothing fits: where it was looked" "$out" \
	"^nothing matches 'nothing_like_this' in source \\([0-9]+\\), constructs \\([0-9]+\\), arrays \\([0-9]+\\), points \\([0-9]+\\), history \\([0-9]+\\), findings \\(0\\)$"
like "quotes keep blanks" "$out" '^source heat\.c: [0-9]+, 2 shown$'
no_leak "searches"

# The same data in JSON.
dvm 60 'break 3.B
cont
search parallel_for_nobody|int\s+main -in source -context 1' --json -n 2 "$heat" 60 2
json=$(printf '%s\n' "$out" | grep '"type":"search"')
for want in '"type":"search"' '"in":"source","file"|"file":"heat.c"' "\"line\":$(line_of 'int main')" '"match":true' '"column":1' \
	'"total":1' '"looked":\[\{"in":"source","lines":[0-9]+\}\]'; do
	like "JSON has $want" "$json" "$want"
done
is "JSON has the line before and after" "$(printf '%s\n' "$json" | grep -o '"line":' | wc -l)" 3
no_leak "JSON"

# Findings, with a program that makes one.
dvm 60 'cont
search numbering|replicated|checksum -in findings' -n 2 "$(prog tests/prog/locate/unlike "$mpi")" 2>/dev/null
if printf '%s\n' "$out" | grep -q '^Finding'; then
	like "findings are searched" "$out" '^findings: [1-9]' '^  Finding '
else
	skip "findings are searched" "the program has none"
fi
no_leak "findings"

# A pattern that takes too many steps is given up; a source that is no UTF-8, with long lines, is no harm.
mkdir -p "$tmp/src"
cp "$src" "$tmp/src/heat.c"
{
	printf '/* caf\351 %s */\n' "$(printf 'x%.0s' {1..40})"
	printf '/* %s needle %s */\n' "$(printf 'a%.0s' {1..3000})" "$(printf 'b%.0s' {1..3000})"
} >>"$tmp/src/heat.c"
cc=$(case $mpi in openmpi) command -v mpicc.openmpi || command -v mpicc ;; *) command -v mpicc.mpich || command -v mpicc ;; esac)
(cd "$tmp/src" && $cc -g -O1 -I"$srcdir/runtime" -I"$srcdir" heat.c -o heat -L"$builddir/runtime/.libs" -ldvmdbg -lm \
	-Wl,-rpath,"$builddir/runtime/.libs") 2>"$tmp/log"
is "a copy of the program is built" $? 0
dvm 60 'search (x+x+)+\d -in source' -n 1 "$tmp/src/heat" 40 1
is "a pattern that takes too many steps is an error" $status 2
like "… which says where" "$out" 'search: source heat\.c: the pattern takes more than [0-9]+ steps here'
dvm 60 'search caf. x+ -in source
search café -in source
search needle -in source' -n 1 "$tmp/src/heat" 40 1
is "a source that is no UTF-8 is searched" "$(printf '%s\n' "$out" | grep -c '/\* café x')" 2
like "a long line is cut to what fits" "$out" '^ +[0-9]+  \.\.\.a+ needle b+\.\.\.$'
is "… and is short" "$(printf '%s\n' "$out" | awk 'length > 200' | wc -l)" 0
no_leak "sources"
done_testing
