# SPDX-License-Identifier: GPL-3.0-or-later
# Whatever a rank does ends in a report with rank, reason, last point and construct, and in a prompt that
# can be used. Rank 1 of three misbehaves in its third loop (3.B), or before MPI_Init.
. "${0%/*}/lib.sh"

line=$(grep -n 'DVMDBG_PL(.range = { { 0, 9 } })' "$srcdir/tests/prog/runs/misbehave.c" | cut -d: -f 1)
looking='where
status
print step
info'

# dies HOW MPI REGEX…: what is said when it runs under the debugger; the session goes on after it
dies()
{
	local how=$1 mpi=$2
	shift 2
	dvm 60 "cont
$looking
quit" -n 3 "$(prog tests/prog/runs/misbehave "$mpi")" "$how"
	like "$mpi: $how is reported" "$out" "$@"
	no_leak "$mpi: $how, looked at"
	dvm 60 'cont
quit' -n 3 "$(prog tests/prog/runs/misbehave "$mpi")" "$how"
	is "$mpi: $how: exit status says that the program failed" $status 3
	no_leak "$mpi: $how"
}

# survives HOW MPI REGEX…: it does no harm, and points after it are seen
survives()
{
	local how=$1 mpi=$2
	shift 2
	dvm 60 "break 4.B
cont
print step
cont" -n 3 "$(prog tests/prog/runs/misbehave "$mpi")" "$how"
	like "$mpi: $how does no harm" "$out" "^Point 4\.B  \[0:2\]  parallel loop  misbehave\.c:$line" \
		'^step = 4$' 'All ranks have exited with code 0' "$@"
	is "$mpi: $how: exit status" $status 0
	no_leak "$mpi: $how"
}

for mpi in $(mpis); do
	last="last seen at 3\.B, in (PL|parallel loop) misbehave\.c:$line"
	dies kill9 "$mpi" "Rank \[1\] was killed by SIGKILL.*; $last"
	dies exit3 "$mpi" "Rank \[1\] exited with code 3.*; $last"
	dies quick-exit "$mpi" "Rank \[1\] exited with code 4.*; $last"
	for signal in abort:SIGABRT segv:SIGSEGV fpe:SIGFPE overflow:SIGSEGV; do
		dies "${signal%:*}" "$mpi" \
			"^Signal ${signal#*:}  \[1\]  parallel loop  misbehave\.c:$line  last point 3\.B" \
			'^step = ' "(PL|parallel loop)  misbehave\.c:$line   3\.B"
	done
	like "$mpi: a function that calls itself is shown once" "$out" 'deeper  misbehave\.c:[0-9]+  [0-9]+ times'
	dies mpi-abort "$mpi" \
		"^MPI_Abort\(7\)  \[1\]  parallel loop  misbehave\.c:$line  last point 3\.B"
	dies die-before-init "$mpi" 'Rank \[1\] was killed by SIGKILL.*no point'
	dies exit-before-init "$mpi" 'Rank \[1\] exited with code 5.*no point'

	dvm 60 'cont
status' -n 3 "$(prog tests/prog/runs/misbehave "$mpi")" never-init
	like "$mpi: never calling MPI_Init is a normal end" "$out" 'All ranks have exited with code 0'
	is "$mpi: never calling MPI_Init: exit status" $status 0
	no_leak "$mpi: never-init"

	for how in nothing fork fork-exec orphan; do
		survives "$how" "$mpi"
	done

	# MPI itself does not survive that, we do.
	dvm 60 'break 4.B
cont
where
print step
quit' -n 3 "$(prog tests/prog/runs/misbehave "$mpi")" close-all
	like "$mpi: closing all descriptors does not hurt us" "$out" \
		"^Point 4\.B  \[0:2\]  parallel loop  misbehave\.c:$line" '^step = 4$'
	no_leak "$mpi: close-all"

	# Going on after a signal: it dies of it, as it would have without us.
	dvm 60 'cont
[1] cont
quit' -n 3 "$(prog tests/prog/runs/misbehave "$mpi")" segv
	like "$mpi: after going on it dies of its signal" "$out" 'Rank \[1\] was killed by SIGSEGV'
	no_leak "$mpi: going on after a signal"

	# A rank that does not arrive is shown where it is, and the others can be looked at.
	for how in sleep spin; do
		dvm 60 'set STOP_TIMER = 1
break 4.B
cont
where
print step
quit' -n 3 "$(prog tests/prog/runs/misbehave "$mpi")" "$how"
		like "$mpi: $how does not block the prompt" "$out" \
			'^Point 4\.B  \[0,2\]  parallel loop' '\[1\] running, last seen at 3\.B.*[0-9] s ago' \
			'step = '
		no_leak "$mpi: $how"
	done

	# Inside MPI_Init, for as long as one rank does not come.
	start -n 3 "$(prog tests/prog/runs/misbehave "$mpi")" hang-init
	tell go
	sleep 2
	tell status
	expect_out "$mpi: ranks that hang in MPI_Init are shown so" 15 '\[0,2\].*MPI_Init'
	expect_out "$mpi: and the one that keeps them waiting" 5 '\[1\] +running'
	tell quit
	finish
	no_leak "$mpi: hang-init"
done
done_testing
