# SPDX-License-Identifier: GPL-3.0-or-later
# Results of reductions, calculated from the iterations of the trace: what is right has no finding, and each fault
# has one, with both results and what explains it; while the program runs, and from recorded traces.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
reduced=$builddir/tests/prog/traces/reduced-hooked
[ -x "$reduced" ] || skip_all "no programs with access hooks"
source=$srcdir/tests/prog/traces/reduced.c
cd "$tmp" || exit 1

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}

# The line of the n-th mark of a result in the function.
mark() { awk -v f="static void $1(" 'index($0, f) == 1 { on = 1 } on && /DVMDBG_REDUCTION/ { print FNR; exit }' "$source"; }

ranks="1 3"
in_set all && ranks="1 2 3"
in_set long && ranks="1 2 3 4"
for n in $ranks; do
	shell check -n "$n" "$reduced" right
	like "what is right has no finding on $n" "status $status
$out" '^status 0$' '^reductions: [0-9]+ results calculated, all as the program'\''s$'
	unlike "… and none is left out" "$out" 'Finding|not calculated|Not fully'
done

# fault CASE FUNCTION RANKS TEXT: it is found on so many ranks, with that text
fault()
{
	shell check -n "$3" "$reduced" "$1"
	like "$1 on $3 is found" "status $status
$out" '^status 1$' "^Finding calculated .* $4, at 2\.E  reduced\.c:$(mark "$2")  #1$" '^reductions: 1 result calculated, 1 differs'
}
fault min-for-max min_for_max 1 'total: 0\.5175.* in the program, 1e\+300 calculated by MAX; iteration \(0\) makes 1\.5 of 1e\+300, which MAX does not'
fault mpi-sum-for-max mpi_sum_for_max 3 'total: 7\.[0-9]+ in the program, 2\.496[0-9]+ calculated by MAX; the result is that of SUM, the call has MPI_SUM'
fault not-copied copy_back 3 'local: .* in the program, 73\.749[0-9]* calculated by SUM; rank [0-9] has only its own part'
fault initial initial 3 'total: 82\.[0-9]+ in the program, 76\.749[0-9]+ calculated by SUM; its initial value is counted on each rank'
fault place locate 1 'peak: 2\.496.* calculated by MAXLOC; its location is -7, not 47'
# some RANKS…: those that the set has: the last, and from long on all
some() { if in_set long; then echo "$@"; else echo "${!#}"; fi; }
if in_set all; then
	for n in $(some 1 4 2); do
		fault min-for-max min_for_max $n 'iteration \(0\) makes 1\.5 of 1e\+300, which MAX does not'
		fault sum-for-prod sum_for_prod $n 'total: 73\.749.* in the program, 0 calculated by PROD; the iterations perform SUM'
		fault prod-for-sum prod_for_sum $n '74\.749[0-9]* calculated by SUM; the iterations perform PROD'
		fault max-for-sum max_for_sum $n 'calculated by SUM; the iterations perform MAX'
		fault set-each set_each $n '73\.749[0-9]* calculated by SUM; an iteration sets it without what was there before'
		fault place locate $n 'calculated by MAXLOC; its location is -7, not 47'
	done
	for n in $(some 2 4); do
		fault only-own only_own $n 'calculated by MAX; rank [0-9] has only its own part'
		fault lost-part lost_part $n 'calculated by SUM; .*'
		fault initial initial $n 'its initial value is counted on each rank'
		fault array-max array 4 'all\[0\]: .* calculated by SUM, and 3 more elements; the result is that of MAX, the call has MPI_MAX'
		fault minloc locate $n 'calculated by MAXLOC; .*'
	done
fi

# Without optimisation, and with more of it.
if in_set all; then
	mpi_compilers "$mpi"
	compiled_as=$reduced
	for flags in -O0 -O3; do
		reduced=./reduced$flags
		DVMDBG_CC=$cc "$builddir/runtime/dvmdbg-cc" -std=gnu11 -g $flags "-I$srcdir/runtime" "$source" -o "$reduced" \
			"-L$builddir/runtime/.libs" "-Wl,-rpath,$builddir/runtime/.libs" -ldvmdbg -lm >said 2>&1
		for n in $(some 1 4 2); do
			shell check -n $n "$reduced" right
			like "$flags: what is right has no finding on $n" "status $status
$out" '^status 0$' '^reductions: [0-9]+ results calculated, all as the program'\''s$'
			fault min-for-max min_for_max $n 'iteration \(0\) makes 1\.5 of 1e\+300, which MAX does not'
			fault sum-for-prod sum_for_prod $n 'total: 73\.749.* in the program, 0 calculated by PROD; the iterations perform SUM'
		done
		fault initial initial 2 'its initial value is counted on each rank'
		fault lost-part lost_part 2 'calculated by SUM; .*'
		fault place locate 2 'calculated by MAXLOC; its location is -7, not 47'
	done
	reduced=$compiled_as
fi

# In Fortran: variables of procedures, which are passed to MPI as arguments of an interface, with and without optimisation.
fsource=$srcdir/tests/prog/traces/freduced.f90
# fmark PROCEDURE: the line of its first mark of a result
fmark() { awk -v f="subroutine $1(" 'index($0, f) { on = 1 } on && /dvmdbg_reduction/ { print FNR; exit }' "$fsource"; }
# fortran PROGRAM RANKS…: right ones on so many ranks, and faults on the first of them
fortran()
{
	local n p=$1

	shift
	for n; do
		shell check -n "$n" "$p" right
		like "$p: what is right has no finding on $n" "status $status
$out" '^status 0$' '^reductions: 17 results calculated, all as the program'\''s$' '^control: .*: nothing found$'
	done
	ffault "$p" "$1" min-for-max least 'in the program, 1\.79769[0-9]*e\+308 calculated by MAX; iteration \(1\) makes .*, which MAX does not'
	ffault "$p" "$1" initial add 'calculated by SUM; its initial value is counted on each rank'
	in_set all || return
	ffault "$p" "$1" max-for-min greatest 'calculated by MIN; iteration \([0-9]+\) makes .*, which MIN does not'
	ffault "$p" "$1" sum-for-prod add 'calculated by PROD; the iterations perform SUM'
	ffault "$p" "$1" prod-for-sum multiply 'calculated by SUM; the iterations perform PROD'
	ffault "$p" "$1" max-for-sum greatest 'calculated by SUM; the iterations perform MAX'
	ffault "$p" "$1" mpi-sum-for-max greatest 'calculated by MAX; the result is that of SUM, the call has MPI_SUM'
	ffault "$p" "$1" array-max arrays 'result\(1\): .* calculated by SUM, and 3 more elements; the result is that of MAX, the call has MPI_MAX'
	ffault "$p" "$1" minloc location 'calculated by MAXLOC; .*'
	ffault "$p" "$1" place location 'calculated by MAXLOC; its location is -7, not [0-9]+'
	ffault "$p" "$1" lost-part lost_part 'calculated by SUM; .*'
	ffault "$p" "$1" only-own only_own 'calculated by MAX; rank [0-9] has only its own part'
}
# ffault PROGRAM RANKS CASE PROCEDURE TEXT: it is found
ffault()
{
	shell check -n "$2" "$1" "$3"
	like "$1: $3 is found" "status $status
$out" '^status 1$' "^Finding calculated .* $5, at 2\\.E  freduced\\.f90:$(fmark "$4")  #1$" \
		'^reductions: 1 result calculated, 1 differs'
}
# compiled FLAGS NAME: the Fortran program, so
compiled()
{
	local libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs"

	mpi_compilers openmpi
	mkdir -p "$2.mod"
	# shellcheck disable=SC2086
	DVMDBG_FC=$fc "$builddir/runtime/dvmdbg-fc" -g $1 -J "$2.mod" "$srcdir/runtime/dvmdbg.f90" "$fsource" -o "$2" $libs >said 2>&1
}
if [ -x "$builddir/tests/prog/traces/freduced-hooked" ]; then
	ln -s "$builddir/tests/prog/traces/freduced-hooked" freduced
	fortran ./freduced 2
	if in_set all; then
		for flags in $(some -O0 -O2 -O3); do
			check "Fortran with $flags" compiled "$flags" "freduced$flags"
			fortran "./freduced$flags" $(some 4 1 2)
		done
	fi
else
	skip "Fortran" "no program with access hooks"
fi

# From recorded traces, without the program.
shell record --level FULL -o wrong -n 3 "$reduced" initial
shell check -r wrong
like "a recorded run has the same finding" "status $status
$out" '^status 1$' "^Finding calculated .* 76\.749[0-9]+ calculated by SUM; its initial value is counted on each rank, at 2\.E  reduced\.c:$(mark initial)  #1$"
shell check --json -r wrong
like "… and as JSON" "$out" '"kind":"calculated".*"reference_value":76.749' \
	'"type":"reductions","calculated":1,"wrong":1,"parts":0,"not_calculated":0'
shell record --level FULL -o right -n 2 "$reduced" right
shell check -r right
like "what is right has none" "status $status
$out" '^status 0$' 'results calculated, all as the program'\''s$'
shell record --level MODIFY -o less -n 1 "$reduced" sum
shell check -r less
like "without reads nothing is calculated" "status $status
$out" '^status 2$' '^reductions: not calculated: the traces are not of level FULL$' '^Not fully compared: '

# Beside a comparison, in a session.
dvm 60 'set TraceOptions.ManualReductCalc 1
compare right
cont
findings' -n 2 "$reduced" right
like "beside a comparison" "$out" '^compared traces at level FULL: .*: equal' '^reductions: .* all as the program'
dvm 60 'check
cont
check -off
rerun
cont' -n 3 "$reduced" mpi-sum-for-max
is "check and check -off" "$(printf '%s\n' "$out" | grep -c '^reductions: 1 result calculated, 1 differs')" 1

# Programs without hooks.
shell check -n 1 "$builddir/doc/examples/heat" 20 2
like "a program without hooks" "status $status
$out" '^status 2$' '^reductions: not calculated: the program has no access hooks; rebuild it with dvmdbg-cc or dvmdbg-fc$'
shell check
like "check needs something" "status $status
$out" '^status 2$' 'check: a program is needed, or -r DIR with traces'

# The examples.
if in_set all; then
	for n in $(some 1 4 2); do
		for p in 'heat 40 4' 'cg 20' 'ring 40' 'multiblock 40 4'; do
			set -- $p
			shell check -n $n "$builddir/doc/examples/$1-hooked" "${@:2}"
			# 2: control does not judge loops whose iterations are not marked
			like "$1 on $n" "status $status
$out" '^status [02]$' 'results calculated, all as the program'\''s$'
		done
		for p in 'jacobi 20' 'lu 8 2' 'stagger 16'; do
			set -- $p
			[ -x "$builddir/doc/examples/$1-hooked" ] || continue
			shell check -n $n "$builddir/doc/examples/$1-hooked" "${@:2}"
			unlike "$1 on $n" "$out" 'Finding'
		done
	done
	shell check -n 2 "$builddir/doc/examples/heat-hooked" --fault wrong-reduction 40 4
	like "heat with a wrong operation" "$out" 'calculated by MAX; the result is that of SUM, the call has MPI_SUM, 4 times, at 4\.E  heat\.c:[0-9]+'
fi
no_leak "reductions"
done_testing
