# SPDX-License-Identifier: GPL-3.0-or-later
# Dynamic control: each error of parallelisation is found at its line, on one rank, with emulated processors, on several
# ranks, and from a recorded trace; near misses and the examples have no finding.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
cases=$builddir/tests/prog/control/cases-hooked
[ -x "$cases" ] || skip_all "no programs with access hooks"
source=$srcdir/tests/prog/control/cases.c
cd "$tmp" || exit 1

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}

line() { line_with "/* $1 */" "$source"; }

# one KIND LINE TEXT WHERE: what was run has that finding, and no other of control
one()
{
	like "$4" "status $status
$out" '^status 1$' "^Finding $1 .*$3.*  cases\.c:$2[, ].*#1\$" '^control: .*: 1 finding$'
}

# fault CASE KIND TEXT WAY…: with each way of running it: 1, 2, 4 ranks, g2, g4 processors on one rank, r2 a record
fault()
{
	case=$1 kind=$2 text=$3
	shift 3
	for way; do
		case $way in
		g*) shell check --grid "${way#g}" "$cases" "$case" ;;
		r*) rm -rf kept
		    shell record --level FULL -o kept -n "${way#r}" "$cases" "$case"
		    shell check -r kept ;;
		*) shell check -n "$way" "$cases" "$case" ;;
		esac
		one "$kind" "$(line "$case")" "$text" "$case, $way"
	done
}

all="1 2 4 g2 g4 r2"
in_set long || all="2 g2"
some=2
in_set long && some=$all
fault flow dependence 'u\[1\]: iteration 2 reads what is written by iteration 1' $all
fault anti dependence 'u\[2\]: iteration 2 writes what is read by iteration 1' $some
fault output dependence 'u\[2\]: iteration 3 writes what is also written by iteration 2' $some
fault tasks dependence 'u\[0\]: task 2 reads what is written by task 1' $some
fault unset uninitialized 'v\[9\]: nothing has written it since it was allocated' $all
fault sent-unset uninitialized 'MPI_Sendrecv sends it, and nothing has written it' 1
fault private-unset uninitialized 'it is private, and iteration 4 has not written it' $some
fault sum-unnamed shared 'shared: iteration 2 reads what is written by iteration 1; it is neither' $all
fault replicated shared 'table\[1\]: iteration 1 changes it; it is neither a reduction nor private' $some
fault read-only shared 'shared: iteration 1 writes what is declared as read only' $some
fault asynchronous asynchronous 'shared: its reduction was started and is not complete' $some
fault beyond bounds 'u\[17\]: outside of the array; rank [0-9] has u\[' $some
fault far-away nonlocal 'u\[9\]: ' 2 g2
fault halo-written halo-write 'v\[8\]: iteration 7' 2 g2
fault stale stale 'u\[8\]: iteration 7 reads it' 2 g2 r2
fault renewing-read stale 'its renewal is not complete' g2
fault renewing-write renewing 'u\[7\]: changed while the renewal of halos' 2 g2
fault remote-read stale 'iteration 14 reads what was not loaded into the buffer' $some
fault remote-write halo-write 'iteration 1 writes into a buffer of remote elements' $some
shell check -n 2 "$cases" renewing-read
like "a halo that is being renewed is read: both that, and the buffer of MPI" "$out" '^Finding stale .*u\[8\]: iteration 7 reads it, and its renewal is not complete' \
	'^Finding buffer .*the program reads the buffer'

ways="2 g4"
in_set long && ways="1 2 4 g2 g4"
for way in $ways; do
	case $way in
	g*) shell check --grid "${way#g}" "$cases" right ;;
	*) shell check -n "$way" "$cases" right ;;
	esac
	like "near misses have none, $way" "status $status
$out" '^status 0$' '^control: [0-9]+ accesses in [0-9]+ iterations and tasks: nothing found$'
	unlike "… and all of them are judged, $way" "$out" 'Finding|Not fully'
done

# In Fortran: columns are distributed.
cases=$builddir/tests/prog/control/fcases-hooked
if [ -x "$cases" ]; then
	source=$srcdir/tests/prog/control/cases.f90
	line() { awk -v w="! $1" 'substr($0, length($0) - length(w) + 1) == w { print FNR; exit }' "$source"; }
	one()
	{
		like "Fortran: $4" "status $status
$out" '^status 1$' "^Finding $1 .*$3.*  cases\.f90:$2[, ].*#1\$" '^control: .*: 1 finding$'
	}
	fsome=2
	in_set long && fsome="1 2 4 g1x2 g1x4 r2"
	fault flow dependence 'u\(2,1\): iteration \(3,1\) reads what is written by iteration \(2,1\)' $fsome
	fault sum-unnamed shared 'iteration \(2,1\) (reads|writes) what is (read|written) by iteration \(1,1\); it is neither' $fsome
	fault unset uninitialized 'v\(5,3\): nothing has written it since it was allocated' $fsome
	fault private-unset uninitialized 'it is private, and iteration \(7,2\) has not written it' $fsome
	fault stale stale 'u\(1,9\): iteration \(1,8\) reads it' 2 g1x2
	fault halo-written halo-write 'u\(4,9\): iteration \(4,8\)' 2 g1x2
	for case in right-across right-renewed right-sum right-set right-own right-private; do
		shell check -n 2 "$cases" $case
		like "Fortran: $case has no finding" "status $status
$out" '^status 0$' '^control: .*: nothing found$'
	done
	shell check --grid 1x4 "$cases" right-renewed
	like "Fortran: nor has it on emulated processors" "status $status
$out" '^status 0$' '^control: .*: nothing found$'
	cases=$builddir/tests/prog/control/cases-hooked
fi
source=$srcdir/tests/prog/control/cases.c
line() { line_with "/* $1 */" "$source"; }

examples=$builddir/doc/examples
control() { printf '%s\n' "$out" | grep '^Finding\|^control'; }
ranks=2
in_set all && ranks="1 2 4"
for n in $ranks; do
	while read -r name args; do
		shell check -n $n "$examples/$name-hooked" $args
		like "$name is right on $n" "$(control)" '^control: .*: nothing found$'
	done <<-EXAMPLES
	heat 30 5
	ring 12 10
	multiblock 20 2
	EXAMPLES
done
if [ -x "$examples/lu-hooked" ]; then
	shell check -n 2 "$examples/lu-hooked" 10 2
	like "lu is right on 2" "$(control)" '^control: .*: nothing found$'
	shell check -n 2 "$examples/lu-hooked" 10 1 --fault missing-flux-halo
	like "the missing renewal of lu is found on 2 ranks" "$(control)" '^Finding stale .*flux\(1,6,2,2\): iteration \(5,2,2\) reads it.* lu\.f90:203, lu\.f90:185'
	shell locate -n 2 "$examples/lu-hooked" 10 1 --fault missing-flux-halo
	like "… which locate says too, of the cause that it names" "$out" ', because the halo of flux from rank 1 was stale\.$' \
		'^  - control: an element of the halo is read before it is renewed: flux\(1,6,2,2\): iteration \(5,2,2\) reads it'
	shell check --grid 2x1 "$examples/lu-hooked" 10 1 --fault missing-flux-halo
	like "… and with two processors on one rank" "$(control)" '^Finding stale .*flux\(1,6,2,2\): iteration \(5,2,2\) reads it.* lu\.f90:203, lu\.f90:185'
	shell check --grid 2x2 "$examples/lu-hooked" 10 1
	like "lu is right on four processors" "$(control)" '^control: .*: nothing found$'
fi

shell check --json --grid 2 "$cases" stale
like "JSON names the element, the iteration and both places" "$out" '"kind":"stale".*"element":"u\[8\]".*"iteration":\[7\].*"reference_place":"cases.c:'
shell check --grid 2x "$cases" flow
like "what is no grid is refused" "status $status
$out" '^status 2$' "--grid: '2x' is no grid: 2x3 is one of 6 processors"
shell check -n 2 --grid 2 "$cases" flow
like "a grid needs one rank" "status $status
$out" '^status 2$' 'a grid of processors is emulated on one rank, not on 2'
shell check "$builddir/doc/examples/heat" 20 2
like "without access hooks nothing is controlled" "status $status
$out" '^status 2$' '^control: accesses are not controlled: the program has no access hooks; rebuild it'
# What is known is suppressed, from a file that findings writes; and they are there for other tools.
dvm 60 'check
cont
findings -sarif found.sarif -suppress known' -n 2 "$cases" sum-unnamed
like "a file of suppressions is written" "$(<known)" "^shared cases\.c:$(line sum-unnamed) shared\$"
like "… and SARIF" "$(tr -d ' \n' <found.sarif)" '"version":"2\.1\.0"' '"ruleId":"shared"' \
	"\"uri\":\"cases\.c\"},\"region\":{\"startLine\":$(line sum-unnamed)}"
shell check --set Suppressions=known -n 2 "$cases" sum-unnamed
like "what is suppressed is no finding" "status $status
$out" '^status 0$' '^control: .*: nothing found; 1 suppressed$|^control: .*: nothing found; 2 suppressed$'
unlike "… and not shown" "$out" '^Finding'
printf 'stale * *\n' >other
shell check --set Suppressions=other -n 2 "$cases" sum-unnamed
like "others stay" "status $status
$out" '^status 1$' '^Finding shared'
printf '# nothing\nstale heat.c\n' >bad
shell check --set Suppressions=bad -n 2 "$cases" sum-unnamed
like "what is no line of it is refused" "status $status
$out" '^status 2$' "bad:2: a line is 'KIND PLACE VARIABLE'"

dvm 60 'check -grid 2
cont
set EnableDynControl 0
rerun
cont' "$cases" flow
like "the verb, for the next run, and off again" "$out" '^Finding dependence ' 
no_leak "dyncontrol"
done_testing
