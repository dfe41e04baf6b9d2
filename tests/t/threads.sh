# SPDX-License-Identifier: GPL-3.0-or-later
# Threads of a rank: where each of them is, and what is reported when they wait for each other.
. "${0%/*}/lib.sh"
export HOME=$tmp
src=$srcdir/tests/prog/hang/threads.c
line() { line_marked "$1" "$src"; }
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
mpi_compilers "$mpi"
unset DVMDBG_NO_VM
gcc -g -fopenmp "$src" -o "$tmp/alone" 2>"$tmp/said" || skip_all "no OpenMP: $(<"$tmp/said")"
"$cc" -DWITH_MPI -g -fopenmp "$src" -o "$tmp/ranks" 2>"$tmp/said" || diag "$(<"$tmp/said")"

start -n 2 "$tmp/ranks"
tell go
# threads that run are asked one after the other
check "thread 0 runs main, down to the lock" until_shown "^ +\[0:1\.0\] +first +threads\.c:$(line first)$" 'where -threads'
check "the others of each rank are found by their places" until_shown \
	"^ +\[0:1\.[1-9][0-9]*\] +second +threads\.c:$(line second)$" 'where -threads'
tell '[1]where -threads' 'where -threads -logical' quit
expect_out "with what has begun the region" 1 "^ +\[0:1\.0,0:1\.[0-9]+\] +main +threads\.c:($(line region)|$(($(line region) - 1)))$"
expect_out "of one rank" 10 "^ +\[1\.0\] +first +threads\.c:$(line first)$"
expect_out "constructs are of main alone" 10 'where: -threads and -logical exclude each other'
finish

out=$(timeout -k 5 60 "$DVMDBG" hang --set HANG_TIMER=1 --set HANG_LIMIT=3 "$tmp/alone" </dev/null 2>&1)
like "a hang of threads, in a program without MPI" "$out" '^  \[0\]  without MPI ' "^ +\[0\.0\] +first +threads\.c:$(line first)$" \
	"^ +\[0\.[0-9]+\] +second +threads\.c:$(line second)$"

# Where other threads may call MPI, a rank waits as long as all of its threads do.
workers=$srcdir/tests/prog/hang/workers.c
"$cc" -g -O0 "$workers" -o "$tmp/workers" -pthread 2>"$tmp/said" || diag "$(<"$tmp/said")"
worker="workers\.c:$(line_marked worker "$workers")"
out=$(timeout -k 5 60 "$DVMDBG" hang --set HANG_TIMER=1 -n 3 "$tmp/workers" stuck </dev/null 2>&1)
is "threads that all wait are a deadlock" "$?" 3
like "what each of them waits for" "$out" '^Deadlock: \[0:2\] can never go on' "^  .* MPI_Recv from .*, tag 40, 1 .*  $worker(  for|$)" \
	"^  .* MPI_Recv from .*, tag 41, 1 .*  $worker(  for|$)"
out=$(timeout -k 5 60 "$DVMDBG" hang --set HANG_TIMER=1 -n 2 "$tmp/workers" late </dev/null 2>&1)
is "a thread that comes late ends well" "$?" 0
like "it is shown that nothing moves" "$out" '^No progress seen'
unlike "nobody is accused" "$out" Deadlock

# Parallel regions are points (POINTS marks,omp): numbered by the main thread, for any number of threads.
src=$srcdir/tests/prog/points/regions.c
printf '%s\n' 'break omp:2.B' "break regions.c:$(line sections)" cont where step cont 'break omp:1.2.3.B' 'break omp:4' delete\ -all 'start omp:4.B' \
	'finish omp:5.E' 'rerun -to omp:4.E' where cont points >"$tmp/regions"
# regions NAME RANKS ARGS…: what is said of the program of that name
regions()
{
	local name=$1 ranks=$2 at="regions\\.c" list
	shift 2
	talk "$(<"$tmp/regions")" --set POINTS=marks,omp "$@"
	like "$name: a stop at a region" "$out" "^Point omp:2\\.B  $ranks  parallel region  $at:$(line dynamic)  actionpoint 0$"
	like "$name: it is what the user's function has begun" "$(answer where)" "^  0  synchronized    $ranks  OMP  $at:$(line dynamic)   omp:2\\.B$" \
		"^  1  synchronized    $ranks  loops  $at:$(line dynamic)$"
	like "$name: a step" "$(answer step)" "^Point omp:2\\.E  $ranks  parallel region  $at:$(line dynamic)$"
	like "$name: a stop at a line" "$out" "^Point omp:3\\.B  $ranks  parallel region  $at:$(line sections)  actionpoint 1$"
	like "$name: regions are in no task" "$(answer 'break omp:1.2.3.B')" 'omp:1\.2\.3\.B" is not a point: parallel regions are omp:1\.B to omp:1073741822\.E, and in no task$'
	like "$name: a run to one that has a thread alone" "$(answer 'rerun -to omp:4.E')" "^Point omp:4\\.E  $ranks  parallel region"
	like "$name: it ends as without us" "$out" '^u 1 1770 1$' 'exited with code 0'
	list=$(answer points | sed 's/ .*//' | tr '\n' ' ')
	is "$name: regions in others have no number" "$list" "omp:1.B omp:1.E omp:2.B omp:2.E omp:3.B omp:3.E omp:4.B omp:4.E omp:5.B omp:5.E omp:6.B omp:6.E "
}
libs="-I$srcdir/runtime"
for how in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2"; do
	# shellcheck disable=SC2086
	if ! $how -g -fopenmp $libs "$src" -o "$tmp/regions.one" 2>"$tmp/said"; then
		skip "$how: points of OpenMP" "$(head -n 1 "$tmp/said")"
		continue
	fi
	for n in 1 3; do
		export OMP_NUM_THREADS=$n
		regions "$how, $n threads" '\[0\]' "$tmp/regions.one"
		unset OMP_NUM_THREADS
		in_set compiler || break
	done
done
"$cc" -DWITH_MPI -O2 -g -fopenmp "$src" -o "$tmp/regions.ranks" 2>"$tmp/said" || diag "$(<"$tmp/said")"
export OMP_NUM_THREADS=2
regions "with MPI" '\[0:2\]' -n 3 "$tmp/regions.ranks"
unset OMP_NUM_THREADS

# Threads as members of sets (MODE MULTILEVEL), and what each has for itself.
# stopped ARGS…: a session in which all threads are in the last region
stopped()
{
	start --set STOP_TIMER=1 "$@" nap
	tell 'set POINTS marks,omp' 'set MODE MULTILEVEL' 'break omp:6.B' cont
	expect_out "before the region" 20 '^Point omp:6\.B'
	tell 'delete -all' go
	check "threads wait in it" until_shown "^ +\[0(:1)?\.[0-9:,.]*\] +wait_here +regions\.c:$(line waits)$" status
	tell halt
	expect_out "they are paused" 20 '^Paused '
}
for how in "gcc -O0" "clang -O0" "gcc -O2" "clang -O2"; do
	[ "$how" = "gcc -O0" ] || in_set all || continue
	# shellcheck disable=SC2086
	if ! $how -g -fopenmp $libs "$src" -o "$tmp/regions.one" 2>"$tmp/said"; then
		skip "$how: values of threads" "$(head -n 1 "$tmp/said")"
		continue
	fi
	stopped "$tmp/regions.one"
	tell '[0.1:2] where' 'focus [0.0:2]' 'print turns' up up 'print part' 'print part*2' 'print base' '[0.1] print part' '[0] print part' \
		'[0.9] print part' '[0.2] assign turns 7' 'print turns' '[0.*] assign turns 7' kill quit
	finish
	is "$how: threadprivate variables" "$(answer 'print turns' | head -n 3)" "$(printf '  [0.%d]  turns = %d\n' 0 1000 1 1010 2 1020)"
	like "$how: a thread that is not there" "$(answer '[0.9] print part')" 'there are no such threads'
	like "$how: another thread's variable is assigned" "$(answer '[0.2] assign turns 7')" '^turns = 7, was 1020'
	like "$how: and no other" "$(answer 'print turns')" '^  \[0\.0\]  turns = 1000$' '^  \[0\.1\]  turns = 1010$' '^  \[0\.2\]  turns = 7$'
	like "$how: which of several is to be said" "$(answer '[0.*] assign turns 7')" 'assign: choose one thread, as in \[0\.1\]'
	# what optimising compilers have kept of the others differs
	case $how in *-O2) continue ;; esac
	like "$how: the calls of two threads" "$(answer '[0.1:2] where')" "^  \[0\.1:2\] +wait_here  regions\.c:$(line waits)$"
	like "$how: in those that have begun their region" "$(answer '[0.1:2] where')" "^  \[0\.1:2\] +main  regions\.c:" \
		"^  \[0\.1:2\] +(GOMP_parallel|__kmpc_fork_call)  parallel region$"
	unlike "$how: and of no other" "$(answer '[0.1:2] where')" '\[0\.0'
	is "$how: private variables of a frame further out" "$(answer 'print part')" "$(printf '  [0.%d]  part = %d\n' 0 100 1 101 2 102)"
	like "$how: calculated with" "$(answer 'print part*2')" '\[0\.0\]: 200 +\[0\.1\]: 202 +\[0\.2\]: 204$'
	is "$how: those that begin with a value" "$(answer 'print base')" "$(printf '  [0.%d]  base = %d\n' 0 200 1 201 2 202)"
	is "$how: of one thread" "$(answer '[0.1] print part')" '  part = 101'
	is "$how: without a thread it is the one that runs main" "$(answer '[0] print part')" '  part = 100'
done
# deep HOW: threads of a region in a task in a region, each in the calls of who has begun its region
deep()
{
	local at="regions\\.c"
	$1 -g -fopenmp $libs "$src" -o "$tmp/regions.deep" 2>"$tmp/said" || { skip "$1: regions in each other" "$(head -n 1 "$tmp/said")"; return; }
	start "$tmp/regions.deep" deep
	tell 'set MODE MULTILEVEL' go
	check "$1: threads wait in the inner region" until_shown "^ +\[0\.1:2\] +wait_here +$at:$(line waits)$" 'where -threads'
	tell halt '[0.2] where' '[0.0:2] where' kill quit
	finish
	like "$1: a thread of the inner region is in both, and in the task" "$(answer '[0.2] where')" "^  \[0\.2\]  main  $at:" \
		"^  \[0\.2\]   deep  $at:" "^  \[0\.2\]    ([A-Z_a-z]+  parallel region|in libgomp.*)$" "^  \[0\.2\] +(.*  $at:[0-9]+  task|\?  $at:[0-9]+)$" \
		"^  \[0\.2\] {7,}[A-Z_a-z]+  parallel region$" "^  \[0\.2\] +wait_here  $at:$(line waits)$"
	like "$1: the team of the outer one" "$(answer '[0.0:2] where')" "^  \[0\.0:2\]    ([A-Z_a-z]+  parallel region|in libgomp.*)$" \
		"^  \[0\.1:2\] {7,}[A-Z_a-z]+  parallel region$"
}
deep gcc
! command -v clang >/dev/null || deep clang
stopped -n 2 "$tmp/regions.ranks"
tell '[*.0] print turns' '[0.0,1.0] where' kill quit
finish
is "of several ranks equal values are shown once" "$(answer '[*.0] print turns')" '  turns = 1000'
like "and equal calls" "$(answer '[0.0,1.0] where')" "^  \[0:1\.0\] +main  regions\.c:[0-9]+$"

no_leak threads
done_testing
