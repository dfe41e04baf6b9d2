# SPDX-License-Identifier: GPL-3.0-or-later
# Jobs that run already: whom attach finds, what is seen of them, and that they run on untouched whatever becomes of us.
. "${0%/*}/lib.sh"
export HOME=$tmp
src=$srcdir/tests/prog/native
line() { line_marked "$1" "$src/calls.c"; }

# job MPI N WORDS…: calls.c, started without dvmdbg; sets $launcher, and $ranks to its processes in the order of ranks
job()
{
	"mpiexec.$1" -n "$2" "$tmp/calls.$1" "${@:3}" </dev/null >"$tmp/job" 2>&1 &
	launcher=$!
	check "$1: the job runs" wait_for 20 all_there "$2" "$tmp/calls.$1"
}
all_there()
{
	ranks=$(for pid in $(running "$2"); do
		echo "$(tr '\0' '\n' <"/proc/$pid/environ" | sed -nE 's/^(OMPI_COMM_WORLD_RANK|PMI_RANK)=//p' | head -n 1) $pid"
	done | sort -n | cut -d ' ' -f 2 | tr '\n' ' ')
	[ "$(wc -w <<<"$ranks")" = "$1" ]
}
rank() { cut -d ' ' -f $(($1 + 1)) <<<"$ranks"; }
# All ranks of the job live, no one traces them, and none is stopped
untouched()
{
	local pid
	for pid in $ranks; do
		[ "$(sed -n 's/^TracerPid:\t//p' "/proc/$pid/status")" = 0 ] || return 1
		case $(sed -n 's/^State:\t//p' "/proc/$pid/status") in R* | S*) ;; *) return 1 ;; esac
	done
}
ours() { running "$builddir/runtime/exec/dvmdbg-exec"; }
none_of_ours() { [ -z "$(ours)" ]; }
runs_on() { check "$1: the job runs on" wait_for 5 untouched; check "$1: nothing of ours is left" wait_for 5 none_of_ours; }
end_job()
{
	kill "$launcher"
	{ wait "$launcher"; } 2>/dev/null
}

for mpi in $(mpis); do
	"mpicc.$mpi" -g -O0 "$src/calls.c" -o "$tmp/calls.$mpi" -lm || not_ok "$mpi: calls.c is compiled"

	# rank 1 is in pause(), the others wait for it
	job "$mpi" 3 sleep
	start attach --set HANG_TIMER=1 "$launcher"
	expect_out "$mpi: all ranks are found" 10 "^attached to $tmp/calls.$mpi, 3 ranks of 3: \[0:2\]"
	expect_out "$mpi: what there is not" 10 '^there are no points and arrays'
	check "$mpi: the user's line in the call" until_shown "^ +\[0,2\] +wait_for  calls.c:$(line recv)" 'where -native'
	check "$mpi: calls are merged" until_shown "^  \[0,2\] +main  calls.c:$(line wait)" 'where -native'
	tell status halt
	expect_out "$mpi: they run" 10 '^  \[0:2\]  running'
	expect_out "$mpi: halt stops them where they are" 10 "^    paused at calls.c:$(line recv) in wait_for\(\), calling MPI_Recv"
	expect_out "$mpi: at once" 10 "^    paused at calls.c:$(line pause) in main\(\), calling (__libc_)?pause"
	tell status hang go hang
	expect_out "$mpi: that is their state" 10 '^  \[0:2\]  stopped +paused'
	expect_out "$mpi: hang, while nothing runs" 10 '^Nothing runs, so that nothing can be seen to move'
	expect_out "$mpi: hang: what was seen, and no more" 10 '^No progress seen for [0-9.]+ s; whether it is a deadlock cannot be decided'
	expect_out "$mpi: hang: the call and line of those that wait" 10 "^  \[0,2\] +MPI_Recv  calls.c:$(line recv)  in wait_for\(\)"
	tell kill '[0] halt' quit
	expect_out "$mpi: they are not killed" 10 'a job that was attached to is not killed'
	finish
	runs_on "$mpi: quit, with a rank that is halted"

	out=$(timeout -k 5 60 "$DVMDBG" hang --set HANG_TIMER=1 -p "$(rank 2)" </dev/null 2>&1)
	is "$mpi: hang -p of one rank: nothing moves" $? 3
	is "$mpi: that rank alone, with call and line, and its calls" "$(tail -n 4 <<<"$out" | tr -s ' ')" " [2] MPI_Recv calls.c:$(line recv) in wait_for()
 [2] main calls.c:$(line wait)
 [2] wait_for calls.c:$(line recv)
 [2] MPI_Recv"

	# a front end that is killed
	start attach "$(rank 0)," "$(rank 1)"
	expect_out "$mpi: processes of ranks" 10 ', 2 ranks of 3: \[0:1\]'
	tell halt
	expect_out "$mpi: they stand" 10 '^Paused +\[1\]'
	kill -9 "$(front_end)"
	finish
	runs_on "$mpi: kill -9 of the front end"

	# an end that we see, of a process that is not ours
	start attach "$launcher"
	expect_out "$mpi: once more" 10 '^attached to '
	end_job
	tell wait
	expect_out "$mpi: its end is seen" 20 '^Ranks \[0:2\] ended; the exit status is not known, as dvmdbg did not start the program$'
	tell quit
	finish
	is "$mpi: which is no failure that we know of" "$status" 0

	# one that computes is no hang
	job "$mpi" 2 spin
	start attach --set HANG_TIMER=1 "$launcher"
	check "$mpi: it computes" until_shown "^ +\[1\] +cell  calls.c:($(line cell)|$(($(line cell) + 1)))" 'where -native'
	tell hang detach quit
	finish
	like "$mpi: a rank that computes" "$out" '^No hang seen' "^  \[1\] +computes  calls.c:($(line cell)|$(($(line cell) + 1)))  in cell\(\)"
	runs_on "$mpi: detach"
	end_job
	job "$mpi" 2 library
	start attach --set HANG_TIMER=1 "$launcher"
	check "$mpi: it computes in a library" until_shown "^ +\[1\] +__lfind|^ +\[1\] +lfind" 'where -native'
	tell hang quit
	finish
	like "$mpi: a rank that computes in a library" "$out" '^No hang seen' "^  \[1\] +computes in (__)?lfind  calls.c:$(line lfind)  in main\(\)"
	end_job
	no_leak "$mpi"
done

# a program with marks that was started for it
heat=doc/examples/heat
begin=$(line_with 'n - 2 } }, .writes' "$srcdir/doc/examples/heat.c")
# number: of the point that was shown last
number() { seen '^Point '; grep -oE '^Point [0-9]+' "$tmp/o" | tail -n 1 | cut -d ' ' -f 2; }
for mpi in $(mpis); do
	program=$(prog $heat "$mpi")
	DVMDBG_ATTACH=1 "mpiexec.$mpi" -n 3 "$program" 200 10000000 </dev/null >"$tmp/job" 2>&1 &
	launcher=$!
	check "$mpi: a job with marks runs" wait_for 20 all_there 3 "$(realpath "$program")"
	start attach "$launcher"
	expect_out "$mpi: it has its points" 10 '^it was started with DVMDBG_ATTACH: its points and arrays are there'
	tell "break heat.c:$begin" wait where 'print eps' 'print u[1][1:2]' 'step 2'
	expect_out "$mpi: all stop at a point" 10 "^Point [0-9]+\.B  \[0:2\]  parallel loop  heat.c:$begin  actionpoint 0"
	expect_out "$mpi: within the loop over time" 10 '^ +1  synchronized +\[0:2\]  SL  heat\.c:[0-9]+   iteration [0-9]+'
	expect_out "$mpi: a replicated object" 10 '^eps = 0.5$'
	expect_out "$mpi: elements of an array" 10 '^u\[1\]\[1:2\] = '
	expect_out "$mpi: a step" 10 '^Point [0-9]+\.B  \[0:2\]  parallel loop  heat.c:[0-9]+$'
	first=$(number)
	out=$("$DVMDBG" --batch -e "attach $launcher" </dev/null 2>&1)
	like "$mpi: a second one has no points" "$out" 'another dvmdbg has its points and arrays' '^it is annotated, but there are no points and arrays: its runtime is off, or another dvmdbg has it'
	kill -9 "$(front_end)"
	finish
	runs_on "$mpi: kill -9 of the front end, at a point"

	start attach "$launcher"
	expect_out "$mpi: its points again" 10 '^it was started with DVMDBG_ATTACH'
	tell "break heat.c:$begin" wait
	expect_out "$mpi: the next stop" 10 '^Point [0-9]+\.B  \[0:2\].*  actionpoint 0'
	check "$mpi: it has run on meanwhile" [ "$(number)" -gt "$first" ]
	tell 'delete -all' go
	expect_out "$mpi: it goes on" 10 '^actionpoint 0: .* \(deleted\)'
	kill -SEGV "$(rank 1)"
	tell wait
	expect_out "$mpi: a crash is stopped at" 20 '^Signal SIGSEGV  \[1\] '
	tell quit
	finish
	{ wait "$launcher"; } 2>/dev/null
	check "$mpi: and is one when it goes on" [ $? != 0 ]
	no_leak "$mpi: a job with marks"
done
program=$(prog $heat "$mpi")
computes() { mpirun "$mpi" 1 "$program" 60 20 | sed -n 's|, [0-9.]* s OK|, OK|p'; }
is "with nobody there it computes the same" "$(DVMDBG_ATTACH=1 computes)" "$(computes)"
DVMDBG_ATTACH=1 "mpiexec.$mpi" -n 1 "$program" 200 10000000 </dev/null >"$tmp/job" 2>&1 &
launcher=$!
is_running() { case $(sed -n 's/^State:\t//p' "/proc/$(rank 0)/status") in R*) ;; *) return 1 ;; esac }
check "one rank" wait_for 20 all_there 1 "$(realpath "$program")"
# a rank that passes no mark between two of us: the second one's plan has a number of its own
timeout -k 5 30 "$DVMDBG" --batch -e "attach $(rank 0)" -e detach </dev/null >"$tmp/o" 2>&1
check "it runs on" wait_for 10 is_running
kill -STOP "$(rank 0)"
DVMDBG_DEBUG=job DVMDBG_DEBUG_FILE=$tmp/log start attach --set STOP_TIMER=30 "$(rank 0)"
expect_out "a rank that stands" 10 '^it was started with DVMDBG_ATTACH'
tell halt
check "it is to go to its next point" wait_for 10 grep -qs 'the furthest point' "$tmp/log" "$tmp/log."*
kill -CONT "$(rank 0)"
expect_out "halt of it" 10 '^Point [0-9]+\.[BE]  \[0\]'
tell detach quit
finish
start attach "$(rank 0)"
expect_out "its points" 10 '^it was started with DVMDBG_ATTACH'
tell "break heat.c:$begin" wait
expect_out "its stop" 10 '^Point [0-9]+\.B  \[0\].*  actionpoint 0'
kill -9 $(ours)
finish
check "it goes on when the supervisor is killed at a stop" wait_for 10 is_running
kill -SEGV "$(rank 0)"
is_gone() { [ ! -e "/proc/$(rank 0)" ]; }
check "a crash with nobody there" wait_for 10 is_gone
{ wait "$launcher"; } 2>/dev/null
check "as one without us" [ $? != 0 ]

# whom it does not attach to
sleep 1000 &
one=$!
PMI_RANK=1 PMI_SIZE=2 sleep 1000 &
two=$!
PMI_RANK=1 PMI_SIZE=2 sleep 1000 &
other=$!
asleep() { [ "$(cat "/proc/$one/comm" "/proc/$two/comm" "/proc/$other/comm" | tr '\n' ' ')" = 'sleep sleep sleep ' ]; }
check "there are processes" wait_for 10 asleep
talk "attach $one
attach 4000000
attach 0x
attach $two $other
attach $one $two
detach"
like "a process that is no rank is rank 0 of 1" "$(answer "attach $one")" ', 1 rank of 1: \[0\]'
like "none of these is there" "$(answer "attach 4000000")" '^attach: none of these processes is there'
like "no number" "$(answer "attach 0x")" "'0x' is not a process number"
like "two jobs" "$(answer "attach $two $other")" "attach: processes $two and $other are both rank 1"
like "some that are there" "$(answer "attach $one $two")" ', 2 ranks of 2: \[0:1\]'

# a launcher's table, with a rank on another host: ranks that are not there leave a gap
"mpicc.$(first_mpi)" "$src/mpir.c" -o "$tmp/mpir"
ten=$(for ((i = 0; i < 18; i++)); do echo "elsewhere:4$i"; done)
# shellcheck disable=SC2086
"$tmp/mpir" "$(hostname):$one" $ten "localhost:$other" >"$tmp/ready" &
launcher=$!
check "and a launcher" wait_for 10 grep -q ready "$tmp/ready"
start attach "$launcher"
expect_out "the table of a launcher is read" 10 "^attached to .*sleep, 2 ranks of 20: \[0,19\]"
expect_out "ranks on other hosts are counted" 10 '18 ranks are on other hosts, elsewhere is one'
tell status '[19] status -pid' quit
expect_out "those that are here can be asked" 10 '^  \[0,19\] +running'
expect_out "each by its rank" 10 "$other"
finish
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && id nobody >/dev/null 2>&1; then
	chmod 711 "$tmp"
	out=$(HOME=/ setpriv --reuid nobody --clear-groups --inh-caps=-all "$DVMDBG" hang -p "$one" 2>&1)
	if grep -q 'setpriv\|ermission denied' <<<"$out"; then
		skip "a process of another user" "nobody cannot run dvmdbg here"
	else
		like "a process of another user" "$out" "process $one belongs to the user root; only that user or root can attach"
	fi
	scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
	if [ "$scope" = 0 ]; then
		skip "the setting that forbids it" "kernel.yama.ptrace_scope is 0 or not there"
	else
		setpriv --reuid nobody --clear-groups --inh-caps=-all sleep 1000 &
		out=$(HOME=/ setpriv --reuid nobody --clear-groups --inh-caps=-all "$DVMDBG" hang -p $! 2>&1)
		like "the setting that forbids it" "$out" "kernel.yama.ptrace_scope is $scope"
	fi
else
	skip "a process of another user" "neither root nor setpriv"
fi
kill $(jobs -p) 2>/dev/null
no_leak "attach"
done_testing
