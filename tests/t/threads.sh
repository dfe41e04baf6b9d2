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
gcc -g -fopenmp "$src" -o "$tmp/alone" 2>"$tmp/said" || skip_all "no OpenMP: $(cat "$tmp/said")"
"$cc" -DWITH_MPI -g -fopenmp "$src" -o "$tmp/ranks" 2>"$tmp/said" || diag "$(cat "$tmp/said")"

start -n 2 "$tmp/ranks"
tell go
# threads that run are asked one after the other
check "thread 0 runs main, down to the lock" until_shown "^ +\[0:1\.0\] +first +threads\.c:$(line first)$" 'where -threads'
check "the others of each rank are found by their places" until_shown \
	"^ +\[0:1\.[1-9][0-9]*\] +second +threads\.c:$(line second)$" 'where -threads'
tell '[1]where -threads' 'where -threads -logical' quit
expect_out "with what has begun the region" 1 "^ +\[0:1\.0\] +main +threads\.c:($(line region)|$(($(line region) - 1)))$"
expect_out "of one rank" 10 "^ +\[1\.0\] +first +threads\.c:$(line first)$"
expect_out "constructs are of main alone" 10 'where: -threads and -logical exclude each other'
finish

out=$(timeout -k 5 60 "$DVMDBG" hang --set HANG_TIMER=1 --set HANG_LIMIT=3 "$tmp/alone" </dev/null 2>&1)
like "a hang of threads, in a program without MPI" "$out" '^  \[0\]  without MPI ' "^ +\[0\.0\] +first +threads\.c:$(line first)$" \
	"^ +\[0\.[0-9]+\] +second +threads\.c:$(line second)$"
no_leak threads
done_testing
