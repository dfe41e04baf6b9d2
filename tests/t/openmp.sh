# SPDX-License-Identifier: GPL-3.0-or-later
# Control of OpenMP: each pair of lines that conflict is found, in programs of one case each, and nothing in their near
# misses; in C and Fortran, of each compiler, with any number of threads, beside the run and in what was recorded.
. "${0%/*}/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
cd "$tmp" || exit 1
prog=$srcdir/tests/prog/openmp
unset DVMDBG_CC DVMDBG_FC
DVMDBG_CC=gcc "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/cases.c" -o cases >said 2>&1
! grep -q 'install the package libomp-dev' said || skip_all "no LLVM OpenMP runtime"
check "gcc's program is linked with LLVM's runtime" test -x cases
like "and not with gcc's" "$(ldd cases | sed 's/libgomp/& it is there/')" 'libomp\.so'
unlike "nor with both" "$(ldd cases)" 'libgomp'

# wanted SOURCE CASE: what is to be found, a line each: KIND LINE LINE VARIABLE
wanted()
{
	awk -v case="$2" '
		/@pair / { for (i = 1; i <= NF; i++) if ($i == "@pair") { k = i; break }
			if ($(k + 1) == case) pair[++n] = $(k + 2) " " $(k + 3) " " $(k + 4) " " ($(k + 5) ~ /^[a-z]/ ? $(k + 5) : "-") }
		match($0, /@[a-z-]+\.[a-z0-9]+/) { line[substr($0, RSTART + 1, RLENGTH - 1)] = FNR }
		END { for (i = 1; i <= n; i++) { split(pair[i], p, " ")
			x = line[case "." p[1]]; y = line[case "." p[2]]
			if (p[3] == "ww" && x > y) { t = x; x = y; y = t }
			print p[3], x, y, p[4] } }' "$1" | sort
}
# shown: the same of what is in $out
shown()
{
	printf '%s\n' "$out" | awk '
		/^Finding race/ {
			sub(/ of the block allocated at [^ ]*:/, ":")
			kind = /: (written|read) here, and written at/ ? "ww" : "wr"
			match($0, / at [^ :]*:[0-9]+/); y = substr($0, RSTART, RLENGTH); sub(/.*:/, "", y)
			match($0, /  [^ :]*:[0-9]+/); x = substr($0, RSTART, RLENGTH); sub(/.*:/, "", x)
			name = $0; sub(/^[^:]*: /, "", name); sub(/^[^:]*time: /, "", name)
			if (name ~ /^(byte |0x)/) name = "-"; else sub(/[^a-z].*/, "", name)
			if (kind == "ww" && x + 0 > y + 0) { t = x; x = y; y = t }
			print kind, x, y, name }' | sort -u
}
# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(OMP_NUM_THREADS=$threads timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
# one NAME PROGRAM SOURCE CASE: what is found is what is wanted, into a file
one()
{
	shell check "$2" "$4"
	want=$(wanted "$3" "$4") got=$(shown) ends=0
	case $want/$out in
	/*'counts as one iteration'*) ends=2 ;; # a loop without marks: no proof
	/*'that it is shared is not known'*) ends=2 ;;
	/*'atomic operations or locks ordered the accesses'*) ends=2 ;;
	/*'library without hooks, which may order them'*) ends=2 ;; # copies of clang's taskloops
	/*) ;;
	*) ends=1 ;;
	esac
	if [ "$got" = "$want" ] && [ "$status" = $ends ]; then
		echo right
	else
		printf 'status %s\nwanted:\n%s\ngot:\n%s\n%s\n' "$status" "$want" "$got" "$out"
	fi >"$1"
}
# run_all PROGRAM SOURCE LABEL CASE…: two at a time
run_all()
{
	local program=$1 source=$2 label=$3 case n=0
	shift 3
	for case; do
		one "r.$case" "$program" "$source" "$case" &
		n=$((n + 1))
		[ $((n % 2)) != 0 ] || wait
	done
	wait
	for case; do
		is "$label, $threads threads: $case" "$(<"r.$case")" right
		rm -f "r.$case"
	done
}
# without devices clang leaves out "target update", and what it orders with it
clang_cases_of() { cases_of "$1" | grep -vx later-right; }
cases_of() { sed -nE 's/.*@(pair|right|partial) ([a-z-]+).*/\2/p' "$1" | awk '!seen[$0]++'; }

threads=2
some="counter critical neighbour nowait siblings depending recursive"
some_loops="halves halves-right behind scratch chunk escaping bound"
some_constructs="teams spread own-right waits in-step apart-right scalar flag-right posted chain posted-right turns turns-right untied-right areas gathered inside jobs reduced-loop reduced-tasks reduced-beside reduced-soon many-turns many-turns-beside polled"
for name in loops constructs; do
	DVMDBG_CC=gcc "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/$name.c" -o $name >said 2>&1
done
if in_set all; then
	# shellcheck disable=SC2046
	run_all ./cases "$prog/cases.c" gcc $(cases_of "$prog/cases.c")
	# shellcheck disable=SC2046
	run_all ./loops "$prog/loops.c" gcc $(cases_of "$prog/loops.c")
	# shellcheck disable=SC2046
	run_all ./constructs "$prog/constructs.c" gcc $(cases_of "$prog/constructs.c")
else
	# shellcheck disable=SC2086
	run_all ./cases "$prog/cases.c" gcc $some
	# shellcheck disable=SC2086
	run_all ./loops "$prog/loops.c" gcc $some_loops
	# shellcheck disable=SC2086
	run_all ./constructs "$prog/constructs.c" gcc $some_constructs
fi

if command -v clang >/dev/null; then
	DVMDBG_CC=clang "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/constructs.c" -o constructs-clang >said 2>&1
	threads=8
	run_all ./constructs-clang "$prog/constructs.c" "clang, as with fewer" reduced-loop reduced-soon
	threads=2
fi

line=$(line_marked counter.w "$prog/cases.c")
shell check ./cases counter
like "a finding has the element, both lines and the region" "$out" \
	"^Finding race .*x: written here, and (read|written) at cases\.c:$line; parallel region at cases\.c:($((line - 1))|$((line - 2))).*  cases\.c:$line"
shell check ./loops unseen
like "a loop without marks of iterations is named, and nothing found in it is no proof" "status $status
$out" '^status 2$' "loops\.c:[0-9]+: what one thread executes of this loop counts as one iteration"
shell check ./cases local
like "variables of a function have their names" "$out" '^Finding race .*: sum: written here' '^Finding race .*: table\.item\[2\]: written here'
shell check ./cases names
like "critical regions have their names" "$out" '; under critical\((one|two)\) here, under critical\((one|two)\) there; parallel region'
shell check --json ./cases names
like "as JSON" "$out" '"other_place": *"cases\.c:[0-9]+"' '"region": *"cases\.c:[0-9]+"' '"kind": *"race"'
shell record --level FULL -o kept ./cases counter
shell check -r kept
is "what was recorded has the same" "$(shown)" "$(wanted "$prog/cases.c" counter)"

DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/hybrid.c" -o hybrid >said 2>&1
shell check -n 2 ./hybrid race
like "MPI and OpenMP: the rank that has it" "$out" "^Finding race .*\[1\].*x: written here"
shell check -n 2 ./hybrid
is "and none" "$(shown)" ""
at() { line_marked "$1" "$prog/hybrid.c"; }
shell check -n 2 ./hybrid sent
like "what MPI reads is read by the thread that calls it" "$out" \
	"^Finding race  \[0:1\].*: written here, and read at hybrid\.c:$(at called); parallel region at .*  hybrid\.c:$(at written)  #"
shell check -n 2 ./hybrid got
like "what MPI writes is written by it" "$out" \
	"^Finding race  \[0:1\].*box\[[0-3]\]: written here, and read at hybrid\.c:$(at read); parallel region at .*  hybrid\.c:$(at called)  #"
shell check -n 2 ./hybrid ordered
is "and none behind barriers" "$(shown)" ""
shell check -n 2 ./hybrid unset
like "all ranks whose threads read a variable without a value" "$out" \
	"^Finding uninitialized  \[0:1\] .*: own: it is private, .*  hybrid\.c:$(at own)  #"

# fresh COMPILER SOURCE FLAGS…: private variables that have no value are named with their lines, and no others
fresh()
{
	local compiler=$1 source=$2
	shift 2
	case $compiler in
	*fortran) out=$(env "DVMDBG_FC=$compiler" "$builddir/runtime/dvmdbg-fc" -fopenmp -g "$@" "$source" -o fresh 2>&1) ;;
	*) out=$(env "DVMDBG_CC=$compiler" "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$@" "$source" -o fresh 2>&1) ;;
	esac
	is "$* $compiler: the compiler has nothing to say of private variables" "$out" ""
	shell check ./fresh
	is "$* $compiler: those without a value" "$(printf '%s\n' "$out" |
		sed -nE 's/^Finding uninitialized .*: ([a-z]+): it is private, .*  fresh\.[a-z0-9]+:([0-9]+)  #.*/\2 \1/p; /^Finding race/p' | sort -n)" \
		"$(awk 'match($0, /[*!] @unset [a-z]+/) { split(substr($0, RSTART, RLENGTH), w, " "); print FNR, w[3] }' "$source")"
}
fresh gcc "$prog/fresh.c"
in_set all && fresh gcc "$prog/fresh.c" -O2
in_set all && cp "$prog/fresh.c" fresh.cc && fresh g++ fresh.cc
! command -v clang >/dev/null || fresh clang "$prog/fresh.c"
! command -v gfortran >/dev/null || fresh gfortran "$prog/fresh.f90"

# blocks SOURCE: allocated memory is named by what the statement that allocates it assigns
blocks()
{
	shell check ./blocks
	is "blocks are named by what they were allocated for, ${1##*/}" "$(printf '%s\n' "$out" |
		sed -nE 's/^Finding race .* same time: (.*): written here, and written at .*  blocks\.[a-z0-9]+:([0-9]+)  #.*/\2 \1/p' | sort -n)" \
		"$(awk 'match($0, /[*!] @is /) { t = substr($0, RSTART + 6); sub(/ \*\/$/, "", t); print FNR, t }' "$1")"
}
DVMDBG_CC=gcc "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/blocks.c" -o blocks >said 2>&1
blocks "$prog/blocks.c"
if command -v gfortran >/dev/null; then
	DVMDBG_FC=gfortran "$builddir/runtime/dvmdbg-fc" -fopenmp -g "$prog/blocks.f90" -o blocks >said 2>&1
	blocks "$prog/blocks.f90"
fi

# Threads that the program begins by itself: creation and join order what they do, mutexes exclude.
for n in 2 4 8; do
	some_threads="names early parts one-barrier barrier reader-writes handed beside semaphores no-answer gathered argument blocks standard pipe"
	some_cxx="names results task published relaxed once own pool captured detached"
	[ $n = 2 ] || in_set all || break
	! in_set all || some_threads=$(cases_of "$prog/threads.c") some_cxx=$(cases_of "$prog/threads.cc" | grep -v joining)
	DVMDBG_CC=gcc "$builddir/runtime/dvmdbg-cc" -g -DTHREADS=$n "$prog/threads.c" -o threads$n -pthread >said 2>&1
	# shellcheck disable=SC2086
	run_all ./threads$n "$prog/threads.c" "threads $n" $some_threads
	DVMDBG_CC=g++ "$builddir/runtime/dvmdbg-cc" -std=c++17 -g -DTHREADS=$n "$prog/threads.cc" -o cxx$n -pthread >said 2>&1
	# shellcheck disable=SC2086
	run_all ./cxx$n "$prog/threads.cc" "C++ threads $n" $some_cxx
done
if in_set all && command -v clang >/dev/null; then
	DVMDBG_CC=clang "$builddir/runtime/dvmdbg-cc" -g -DTHREADS=4 "$prog/threads.c" -o threads.clang -pthread >said 2>&1
	# shellcheck disable=SC2046
	run_all ./threads.clang "$prog/threads.c" "threads of clang's" $(cases_of "$prog/threads.c")
fi
shell check ./threads2 half
like "a mutex is named" "$out" 'free here, under a mutex \(m\) there|under a mutex \(m\) here, free there'

DVMDBG_CC=gcc "$builddir/runtime/dvmdbg-cc" -g "$prog/foreign.c" -o foreign -pthread >said 2>&1
shell check ./foreign
like "threads of others are no proof" "status $status $out" '^status 2 ' '1 thread: neither OpenMP nor the program has begun it'
DVMDBG_CC=gcc "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/event.c" -o event >said 2>&1
shell check ./event
like "events of tasks in a program of gcc's are an error" "status $status $out" '^status 3 ' 'detach do not run .* use clang'
if command -v clang >/dev/null; then
	DVMDBG_CC=clang "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/event.c" -o event >said 2>&1
	shell check ./event
	is "what a task waits for is behind that which fulfils its event" "status $status $(shown)" "status 0 "
	shell check ./event x
	at() { line_marked "$1" "$prog/event.c"; }
	is "and not behind more" "$(shown)" "wr $(at behind) $(at read) x"
fi

out=$(DVMDBG_CC=gcc DVMDBG_LIBOMP=/no/libomp.so "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/cases.c" -o none 2>&1)
like "a runtime that is not there is an error" "status $?
$out" '^status 1$' "DVMDBG_LIBOMP: there is no file '/no/libomp\.so'"
# odd LABEL SOURCE VARIABLE COMPILER FLAGS…: compiled without a word, it prints the same, and all of it is judged
odd()
{
	local label=$1 source=$2 variable=$3 compiler=$4
	shift 4
	"$compiler" -fopenmp "$@" "$prog/$source" -o plain 2>&1
	out=$(env "$variable=$compiler" "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$@" "$prog/$source" -o odd 2>&1)
	is "$label: the compiler has nothing to say" "status $? $out" "status 0 "
	shell check ./odd
	wanted=$(OMP_NUM_THREADS=2 ./plain)
	is "$label: what is printed" "$(printf '%s\n' "$out" | grep -Fx -- "$wanted")" "$wanted"
}
odd "unusual loops in C" odd.c DVMDBG_CC gcc -Wall -Wextra -Werror
is "they are judged" "status $status" "status 0"
odd "a source that cannot have marks" taken.c DVMDBG_CC gcc -Wall
like "it is said" "$out" 'taken\.c:[78]: what one thread executes of this loop counts as one iteration'
is "nothing is left behind of marks" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'dvmdbg-omp.*' -newer cases)" ""
rest_in all

if command -v g++ >/dev/null; then
	odd "unusual loops in C++" odd.cc DVMDBG_CC g++ -Wall -Wextra -Werror
	is "they are judged" "status $status" "status 0"
fi
if command -v clang++ >/dev/null; then
	odd "clang, C" odd.c DVMDBG_CC clang -Wall -Wextra -Werror
	is "they are judged" "status $status" "status 0"
	odd "clang, C++" odd.cc DVMDBG_CC clang++ -Wall -Wextra -Werror
	is "they are judged" "status $status" "status 0"
	odd "clang, a source that cannot have marks" taken.c DVMDBG_CC clang -Wall
	like "it is said" "$out" 'taken\.c:[78]: what one thread executes of this loop counts as one iteration'
fi
if command -v gfortran >/dev/null; then
	odd "fixed form" odd.f DVMDBG_CC gfortran -w
	is "it is judged" "status $status $(printf '%s\n' "$out" | grep -c '^Finding race .*a(2,5): written here, and read at odd\.f:27')" "status 1 1"
fi

if command -v clang >/dev/null; then
	DVMDBG_CC=clang "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/cases.c" -o cases-clang >said 2>&1
	# shellcheck disable=SC2046
	run_all ./cases-clang "$prog/cases.c" clang $(in_set long && cases_of "$prog/cases.c" || echo "$some")
	DVMDBG_CC=clang "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/loops.c" -o loops-clang >said 2>&1
	# shellcheck disable=SC2046
	run_all ./loops-clang "$prog/loops.c" clang $(in_set long && cases_of "$prog/loops.c" || echo "$some_loops")
	DVMDBG_CC=clang "$builddir/runtime/dvmdbg-cc" -fopenmp -g "$prog/constructs.c" -o constructs-clang >said 2>&1
	# shellcheck disable=SC2046
	run_all ./constructs-clang "$prog/constructs.c" clang \
		$(in_set long && clang_cases_of "$prog/constructs.c" || echo "$some_constructs")
fi
if command -v gfortran >/dev/null; then
	DVMDBG_FC=gfortran "$builddir/runtime/dvmdbg-fc" -fopenmp -g "$prog/cases.f90" -o fcases >said 2>&1
	# shellcheck disable=SC2046
	run_all ./fcases "$prog/cases.f90" gfortran $(cases_of "$prog/cases.f90")
	shell check ./fcases elements
	is "statements with arrays are judged without marks" "$status" 0
fi
rest_in long
for threads in 4 8; do
	for times in 1 2 3 4 5; do
		# shellcheck disable=SC2046
		run_all ./cases "$prog/cases.c" "gcc, run $times" $(cases_of "$prog/cases.c")
		# shellcheck disable=SC2046
		run_all ./loops "$prog/loops.c" "gcc, run $times" $(cases_of "$prog/loops.c")
		# shellcheck disable=SC2046
		run_all ./constructs "$prog/constructs.c" "gcc, run $times" $(cases_of "$prog/constructs.c")
	done
done
done_testing
