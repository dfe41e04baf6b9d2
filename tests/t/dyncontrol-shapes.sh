# SPDX-License-Identifier: GPL-3.0-or-later
# Dynamic control of arrays and exchanges of many shapes: exactly the findings of a table, each at its line and element,
# on several numbers of ranks, with grids of processors on one rank, and from recorded traces; near misses have none. All
# cases run in one process, each with arrays of its own; in the set long also each by itself, for both MPIs and clang.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
[ -x "$builddir/tests/prog/control/shapes-hooked" ] || skip_all "no programs with access hooks"
cd "$tmp" || exit 1

# CASE|KIND|WAYS|what the finding says; CASE:MARK where the line has another mark. WAYS: 1, 2, 4 ranks; g2: that grid on one
# rank. Recorded on two ranks (r2), or on one (rg2: then with that grid), it is the same.
c_table()
{
	cat <<'TABLE'
sweep|dependence|all|: a\[1\]\[1\]: iteration \(1,2\) reads what is written by iteration \(1,1\)
colours|dependence|all|: a\[1\]\[1\]: iteration \(1,3\) reads what is written by iteration \(1,1\)
across-wide|dependence|all|: a\[1\]\[2\]: iteration \(1,4\) reads what is written by iteration \(1,2\)
backwards|dependence|all|: a\[1\]\[4\]: iteration \(1,3\) reads what is written by iteration \(1,4\)
declared-first|dependence|all|: w\[1\]: iteration 2 reads what is written by iteration 1
members|dependence|all|: body\[1\]\.x: iteration 2 reads what is written by iteration 1
coarse|dependence|1,2,g2,g4,g2x1|: c\[2\]\[0\]\[0\]: iteration \(4,0,0\) reads what is written by iteration \(2,0,0\)
coarse|dependence|4|: c\[4\]\[0\]\[0\]: iteration \(6,0,0\) reads what is written by iteration \(4,0,0\)
short-copy|uninitialized|all|nothing has written it since it was allocated
column|uninitialized|all|: byte [0-9]+ of the block allocated at shapes.c:[0-9]+: MPI_Sendrecv sends it, and nothing has written it
short-message|uninitialized|all|nothing has written it since it was allocated
gathered|uninitialized|2,4|nothing has written it since it was allocated
each-new|uninitialized|all|nothing has written it since it was allocated
grown|uninitialized|all|nothing has written it since it was allocated
two-sums|shared|all|: iteration 2 (reads what is written|writes what is read) by iteration 1; it is neither a reduction nor private
smallest|shared|all|: iteration \(2,3\) (reads what is written|writes what is read) by iteration \(1,4\); it is neither
smallest:smallest-set|shared|all|: least\.at: iteration \(2,4\) writes what is read by iteration \(2,3\); it is neither
histogram|shared|all|: iteration 3 reads what is written by iteration 1; it is neither
carried|shared|all|: iteration 2 (reads what is written|writes what is read) by iteration 1; it is neither
carried:carried-on|shared|all|: iteration 2 writes what is read by iteration 1; it is neither
copied-over|shared|all|: iteration 1 writes what is declared as read only
slots|shared|all|: iteration 2 (reads what is written|writes what is read) by iteration 1; it is neither
floats|uninitialized|all|: byte [0-9]+ of the block allocated at shapes.c:[0-9]+: MPI_Sendrecv_replace sends it
in-place|uninitialized|all|: byte 24 of the block allocated at shapes.c:[0-9]+: MPI_Allreduce sends it
own-room|uninitialized|all|: room\[2\]: it is private, and iteration (3|11) has not written it
row-end|bounds|all|: a\[17\]\[0\]: outside of the array
in-front|bounds|all|: u\[-2\]: outside of the array
global-end|bounds|all|: g\[17\]\[0\]: outside of the array
gap|bounds|all|between the rows of the array
last-plane|bounds|all|: c\[18\]\[0\]\[0\]: outside of the array
two-rows|nonlocal|2,g2,g2x1|: a\[9\]\[1\]: 
two-rows|nonlocal|4,g4|: a\[5\]\[1\]: 
shifted|nonlocal|2,g2,g2x1|: a\[9\]\[0\]: 
shifted|nonlocal|4,g4|: a\[5\]\[0\]: 
turned|halo-write|g2,g2x1|: b\[8\]\[1\]: iteration \(1,8\)
turned|nonlocal|g2,g2x1|: b\[9\]\[1\]: iteration \(1,9\)
turned|nonlocal|g2,g2x1|: a\[9\]\[1\]: iteration \(1,9\)
turned|halo-write|g4|: b\[4\]\[1\]: iteration \(1,4\)
turned|nonlocal|g4|: b\[5\]\[1\]: iteration \(1,5\)
turned|nonlocal|g4|: a\[5\]\[1\]: iteration \(1,5\)
restricted|nonlocal|2,g2,g2x1|: u\[9\]: 
restricted|nonlocal|4,g4|: u\[5\]: 
listed|nonlocal|2,g2,g2x1|: u\[9\]: 
listed|nonlocal|4,g4|: u\[5\]: 
edges|halo-write|2,g2,g2x1|: v\[8\]: iteration 7
edges|halo-write|4,g4|: v\[4\]: iteration 3
cleared|halo-write|2,4,g2,g4,g2x1|: b\[8\]\[0\]: iteration 7
second-plane|halo-write|2,4,g2,g4,g2x1|: d\[6\]\[0\]\[0\]: iteration 8
through-pointer|halo-write|2,4,g2,g4,g2x1|: u\[7\]: iteration 8
by-hand|halo-write|2,4,g2,g4,g2x1|: a\[7\]\[2\]: iteration 8
by-hand|dependence|1|: a\[7\]\[2\]: iteration 8 writes what is also written by iteration 7
in-flight|asynchronous|all|: total: its reduction was started and is not complete
in-flight|buffer|1,2,4,g2,g4,g2x1|the program reads the buffer
third-part|asynchronous|all|: parts.*: its reduction was started
reset|asynchronous|all|: total: its reduction was started
other-one|asynchronous|all|: its reduction was started
stored|asynchronous|all|: sum: its reduction was started
stored|buffer|1,2,4,g2,g4,g2x1|the program writes the buffer
stored:stored-and-kept|asynchronous|all|: sum: its reduction was started
structures|stale|2,g2,g2x1|: part\[8\]\.x: iteration 7 reads it
structures|stale|4,g4|: part\[4\]\.x: iteration 3 reads it
around|stale|2,4,g2,g4,g2x1|: r\[-1\]: iteration 0 reads it
one-of-two|stale|2,g2,g2x1|: v\[8\]: iteration \(7,1\) reads it
one-of-two|stale|4,g4|: v\[4\]: iteration \(3,1\) reads it
never|stale|2,g2,g2x1|: w\[8\]: iteration 7 reads it
never|stale|4,g4|: w\[4\]: iteration 3 reads it
swapped|stale|2,g2,g2x1|: a\[8\]\[1\]: iteration \(7,1\) reads it
swapped|stale|4,g4|: a\[4\]\[1\]: iteration \(3,1\) reads it
after-red|stale|2,g2,g2x1|: a\[8\]\[2\]: iteration \(7,2\) reads it
after-red|stale|4,g4|: a\[4\]\[2\]: iteration \(3,2\) reads it
packed|stale|2,g2,g2x1|: b\[8\]\[3\]: iteration \(7,3\) reads it
packed|stale|4,g4|: b\[4\]\[3\]: iteration \(3,3\) reads it
packed:packed-left|stale|g2,g2x1|: b\[7\]\[1\]: iteration \(8,1\) reads it
packed:packed-left|stale|g4|: b\[3\]\[1\]: iteration \(4,1\) reads it
persistent|stale|2,g2,g2x1|: c\[8\]\[1\]\[1\]: iteration 6 reads it
persistent|stale|4,g4|: c\[4\]\[1\]\[1\]: iteration 2 reads it
put|stale|2,g2,g2x1|: v\[8\]: iteration 7 reads it
put|stale|4,g4|: v\[4\]: iteration 3 reads it
overlapped|stale|2,g2,g2x1|: u\[8\]: iteration 7 reads it.*its renewal is not complete
overlapped|stale|4,g4|: u\[4\]: iteration 3 reads it.*its renewal is not complete
plane-changed|renewing|2,4,g2,g4,g2x1|: c\[6\]\[2\]\[2\]: changed while
row-cleared|renewing|2,4,g2,g4,g2x1|: a\[7\]\[0\]: changed while
too-early|renewing|2,g2,g2x1|: v\[7\]: changed while
too-early|renewing|4,g4|: v\[3\]: changed while
second-load|stale|all|: iteration 1 reads what was not loaded into the buffer
broadcast|stale|all|: iteration 3 reads what was not loaded into the buffer
overwritten|halo-write|all|: iteration 1 writes into a buffer of remote elements
fetched|stale|2,4|: byte [0-9]+ of the block allocated at shapes_when.c:[0-9]+: iteration \(1,3\) reads what was not loaded into the buffer
fetched|stale|1,g2,g4,g2x1|: byte 0 of the block allocated at shapes_when.c:[0-9]+: iteration \(1,1\) reads what was not loaded into the buffer
three-tasks|dependence|all|: u\[[0-9]+\]: task 3 reads what is written by task 1
chain|dependence|all|: v\[[0-9]+\]: task 3 reads what is written by task 1
loops-in-tasks|dependence|all|: a\[[0-9]+\]\[1\]: task 2 reads what is written by task 1
same-part|dependence|all|: c\[[0-9]+\]\[0\]\[0\]: task 2 writes what is also written by task 1
scratch|shared|all|: task 2 (reads what is written|writes what is read) by task 1; it is neither
handed-on|shared|all|: byte 8 of the block.*: task 2 reads what is written by task 1; it is neither
TABLE
}
f_table()
{
	cat <<'TABLE'
columns|dependence|all|: u\(1,2\): iteration 3 reads what is written by iteration 2
component|dependence|all|: s%h\(3,1\): iteration \(3,1\) writes what is read by iteration \(2,1\)
both-ways|dependence|all|: v\(14,1\): iteration \(12,1\) reads what is written by iteration \(14,1\)
parts|dependence|all|: u\(2,1\): task 2 writes what is also written by task 1
last-one|uninitialized|all|nothing has written it since it was allocated
section|uninitialized|all|MPI_Sendrecv sends it, and nothing has written it
moved|uninitialized|all|nothing has written it since it was allocated
two-sums|shared|all|: iteration 2 (reads what is written|writes what is read) by iteration 1; it is neither
largest|shared|all|: iteration 2 (reads what is written|writes what is read) by iteration 1; it is neither
scratch|shared|all|: iteration 2 (reads what is written|writes what is read) by iteration 1; it is neither
own-room|uninitialized|all|: room\(3\): it is private, and iteration (3|11) has not written it
early|asynchronous|all|: its reduction was started and is not complete
beyond|bounds|all|: u\(1,18\): outside of the array
third-plane|nonlocal|2,g2,g1x2|: w\(1,1,11\): 
third-plane|nonlocal|4,g1x4|: w\(1,1,7\): 
mapped|halo-write|g2,g1x2|: v\(1,9\): iteration \(8,1\)
mapped|nonlocal|g2,g1x2|: v\(1,10\): iteration \(9,1\)
mapped|nonlocal|g2,g1x2|: u\(1,10\): iteration \(9,1\)
mapped|halo-write|g1x4|: v\(1,5\): iteration \(4,1\)
mapped|nonlocal|g1x4|: v\(1,6\): iteration \(5,1\)
mapped|nonlocal|g1x4|: u\(1,6\): iteration \(5,1\)
pairs|halo-write|2,g2,g1x2|: v\(1,9\): iteration 8
pairs|halo-write|4,g1x4|: v\(1,5\): iteration 4
one-component|stale|2,g2,g1x2|: s%q\(1,9\): iteration 8 reads it
one-component|stale|4,g1x4|: s%q\(1,5\): iteration 4 reads it
changed|renewing|2,4,g2,g1x2,g1x4|: u\(3,8\): changed while
remote|stale|all|: iteration 1 reads what was not loaded into the buffer
TABLE
}

# place CASE: a regex of the line with that comment
place()
{
	awk -v c="/* $1 */" -v f="! $1" '
		index($0, c) || substr($0, length($0) - length(f) + 1) == f {
			sub(/.*\//, "", FILENAME)
			print FILENAME ":" FNR
			exit
		}' "$srcdir/tests/prog/control"/shapes*"$suffix" | sed 's/\./\\./g'
}

# expected WAY [CASE]: a regex for each finding that this way has
expected()
{
	local case kind ways text
	$table | while IFS='|' read -r case kind ways text; do
		[ "$ways" = all ] || [[ ",$ways," = *",${1#r},"* ]] || continue
		# these are no accesses
		[ "$kind" != buffer ] || [ "$1" = "${1#r}" ] || continue
		[ $# -lt 2 ] || [ "${case%%:*}" = "$2" ] || continue
		echo "^Finding $kind .*$text.*  $(place "${case##*:}")[, ].*#[0-9]+\$"
	done
}

# control WAY CASE: runs it; what is found is in $found, the last line in $sum
control()
{
	case $1 in
	rg*)	rm -rf kept
		timeout -k 5 120 "$DVMDBG" record --level FULL -o kept "$prog" "$2" >said 2>&1 </dev/null
		timeout -k 5 120 "$DVMDBG" check -r kept --grid "${1#rg}" >said 2>&1 </dev/null ;;
	r*)	rm -rf kept
		timeout -k 5 120 "$DVMDBG" record --level FULL -o kept -n "${1#r}" "$prog" "$2" >said 2>&1 </dev/null
		timeout -k 5 120 "$DVMDBG" check -r kept >said 2>&1 </dev/null ;;
	g*)	timeout -k 5 120 "$DVMDBG" check --grid "${1#g}" "$prog" "$2" >said 2>&1 </dev/null ;;
	*)	timeout -k 5 120 "$DVMDBG" check -n "$1" "$prog" "$2" >said 2>&1 </dev/null ;;
	esac
	found=$(grep '^Finding ' said)
	sum=$(grep '^control: ' said)
}

# faults WAY CASE: exactly what the table has for that case, or all of them ("faults")
faults()
{
	local missing=
	control "$1" "$2"
	if [ "$2" = faults ]; then expected "$1"; else expected "$1" "$2"; fi >regexes
	while read -r re; do
		[ "$(printf '%s\n' "$found" | grep -cE -- "$re")" = 1 ] || missing="$missing$re
"
	done <regexes
	[ -z "$missing" ] || missing="${missing}said:
$(<said)"
	is "$what: $2, $1: what is wrong is found once, at its line and element" "$missing" ""
	# what a fault has made of a sum is found by reductions, too
	found=$(grep -v '^Finding calculated ' <<<"$found")
	is "… and nothing else" "$(if [ -s regexes ]; then printf '%s\n' "$found" | grep -vE -f regexes; else printf '%s' "$found"; fi)" ""
}

# right WAY CASE
right()
{
	control "$1" "$2"
	is "$what: $2, $1: near misses have no finding" "$found" ""
	like "… and are all judged" "$sum" '^control: [0-9]+ accesses in [0-9]+ iterations and tasks: nothing found$'
}

# What a recorded trace shows is what the run does.
run_table()
{
	for way; do
		faults "$way" faults
		right "$way" right
	done
}

what=C table=c_table suffix=.c
prog=$builddir/tests/prog/control/shapes-hooked
c_ways="2 g2"
in_set all && c_ways="1 2 4 g2 g4 g2x1 r2 rg2"
run_table $c_ways
if [ -x "$builddir/tests/prog/control/fshapes-hooked" ]; then
	what=Fortran table=f_table suffix=.f90
	prog=$builddir/tests/prog/control/fshapes-hooked
	f_ways="2 g1x2"
	in_set all && f_ways="1 2 4 g2 g1x2 g1x4 r2 rg1x2"
	run_table $f_ways
fi
# Each by itself; as MPICH and clang have them.
each()
{
	local case ways=$1
	for case in $($table | sed 's/[:|].*//' | sort -u); do
		for way in $ways; do
			faults "$way" "$case"
			right "$way" "right-$case"
		done
	done
}
if in_set long; then
	[ "$what" = C ] || each "1 2 g1x4"
	what=C table=c_table suffix=.c
	prog=$builddir/tests/prog/control/shapes-hooked
	each "1 4 g2"
	if command -v clang >/dev/null; then
		src="$srcdir/tests/prog/control/shapes.c $srcdir/tests/prog/control/shapes_when.c $srcdir/tests/prog/control/shapes_where.c"
		prog=$tmp/shapes-clang what="C, clang"
		# shellcheck disable=SC2086
		OMPI_CC=clang MPICH_CC=clang DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -std=gnu11 -g -O2 \
			-I"$srcdir/runtime" -I"$srcdir" $src -o "$prog" -L"$builddir/runtime/.libs" -ldvmdbg \
			-Wl,-rpath,"$builddir/runtime/.libs" -lm >said 2>&1
		run_table $c_ways
	fi
	prog=$builddir/tests/prog/control/shapes-hooked-mpich what="C, MPICH"
	[ ! -x "$prog" ] || run_table $c_ways
fi
no_leak "dyncontrol-shapes"
done_testing
