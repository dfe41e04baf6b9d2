# SPDX-License-Identifier: GPL-3.0-or-later
# Tasks on some of the ranks each (multiblock) and a pipeline round a ring (ring): locate, with points, stacks
# and checksums inside of tasks, and hangs.
. "${0%/*}/lib.sh"
all_in all
. "${0%/*}/locates.sh"

examples "multiblock;24 3;swapped-index;equal" "ring;24 2;wrong-owner;equal"

# line FILE TEXT N: of the N-th line of an example that has the text
line() { grep -nF "$2" "$srcdir/doc/examples/$1.c" | sed -n "$3p" | cut -d: -f1; }
steps=$(line multiblock 'DVMDBG_SL(' 1)
ways=$(line multiblock 'DVMDBG_SL(' 2)
sweep=$(line multiblock 'DVMDBG_PL(' 2)
peak=$(line multiblock 'DVMDBG_PL(' 3)
region=$(line multiblock 'DVMDBG_TR(' 2)

first=$(first_mpi)
blocks=$(prog doc/examples/multiblock "$first")
[ -x "$blocks" ] || skip_all "no MPI"

# What is found in a task: the stack is that of the point, the loop the innermost one.
timeout 60 "$DVMDBG" locate -n 4 "$blocks" 24 3 --fault swapped-index >"$tmp/o" 2>&1 </dev/null
like "a halo of a task is the cause" "$(<"$tmp/o")" \
	"^array core\\.v, element core\\.v\\[6\\]\\[0\\], first wrong at 2\\.1\\.2\\.E in iteration 2 of the loop at multiblock\\.c:$ways, in the parallel loop at multiblock\\.c:$sweep, on rank 1\\.\$" '^  likely     the halo of core\.u from rank 0 was stale$' \
	"^  0  synchronized +\\[0:3\\] +PL  multiblock\\.c:$sweep   2\\.1\\.2\\.E" \
	"^  1  synchronized +\\[0:3\\] +SL  multiblock\\.c:$ways   iteration 2" '^  3  synchronized +\[0:3\] +task 1 ' \
	"^  4  synchronized +\\[0:3\\] +TR  multiblock\\.c:$region   2\\.B" \
	"^  5  synchronized +\\[0:3\\] +SL  multiblock\\.c:$steps   iteration 1"

# Hangs: who has passed what, and who waited in vain for whom; the loop is that of the list.
hang()
{
	timeout 100 "$DVMDBG" locate --set HANG_LIMIT=7 --set STOP_TIMER=1 -n "$1" "${@:3}" --fault lost-message \
		>"$tmp/$2" 2>&1 </dev/null
	echo "status $?" >>"$tmp/$2"
}
# told NAME FILE AT WAITING MISSING LINES…
told()
{
	like "$1: who waits for whom" "$(<"$tmp/$2")" '^status 3$' "at $3 $4 waited in vain for $5 and were released" \
		'^the comparison, [0-9] ranks: given up, as no point was passed for [0-9]+ s\. Up to there nothing differs' "${@:6}"
}
ring=$(prog doc/examples/ring "$first")
for example in "$blocks 24 3" "$ring 24 2"; do
	read -r exe n m <<<"$example"
	name=$(basename "$exe" -mpich)
	place=$("$exe" "$n" "$m" --fault list | sed -n 's/^lost-message\t-\t-\t//p')
	for ranks in 2 4; do
		hang $ranks "$name$ranks" "$exe" "$n" "$m" &
	done
	wait
	case $name in
	multiblock)
		told "multiblock, 2 ranks" multiblock2 '3\.B' '\[1\]' '\[0\]' \
			"^Paused  \\[0\\]  sequential loop  ${place/./\\.}  last point 2\\.E" \
			"^Paused  \\[1\\]  sequential loop  multiblock\\.c:$ways  last point 3\\.1\\.1\\.E" \
			'^    paused at multiblock\.c:[0-9]+ in pass\(\), calling MPI_Recv$' '^Deadlock: \[0:1\] can never go on' \
			'^  \[0\] +MPI_Recv from [12], tag 1, .*  multiblock\.c:[0-9]+  for '
		told "multiblock, 4 ranks" multiblock4 '3\.B' '\[1:3\]' '\[0\]' \
			"^Paused  \\[0\\]  sequential loop  ${place/./\\.}  last point 2\\.E" \
			"^Paused  \\[1\\]  sequential loop  multiblock\\.c:$ways  last point 3\\.1\\.1\\.E" \
			'^    paused at multiblock\.c:[0-9]+ in pass\(\), calling MPI_Recv$' '^Deadlock: \[0:3\] can never go on' \
			'^  \[0\] +MPI_Recv from [12], tag 1, .*  multiblock\.c:[0-9]+  for '
		;;
	ring)
		told "ring, 2 ranks" ring2 '98\.B' '\[0\]' '\[1\]' \
			"^Paused  \\[1\\]  sequential loop  ${place/./\\.}  last point 97\\.E" \
			'^Paused  \[0\]  ring\.c:[0-9]+  last point 98\.E' '^Deadlock: \[0:1\] can never go on' \
			'^  \[1\] +MPI_Recv from [02], tag 1, 1 MPI_DOUBLE on MPI_COMM_WORLD .*  ring\.c:[0-9]+  for '
		told "ring, 4 ranks" ring4 '98\.B' '\[0:2\]' '\[3\]' \
			"^Paused  \\[3\\]  sequential loop  ${place/./\\.}  last point 97\\.E" \
			'^Paused  \[0:2\]  ring\.c:[0-9]+  last point 98\.E' '^Deadlock: \[0:3\] can never go on' \
			'^  \[3\] +MPI_Recv from [02], tag 1, 1 MPI_DOUBLE on MPI_COMM_WORLD .*  ring\.c:[0-9]+  for '
		;;
	esac
	no_leak "$name: hangs"
done

dvm 60 'set STOP_TIMER = 1
break 3.B
cont
where
status
kill' -n 4 "$blocks" 24 3 --fault lost-message
like "in a session: who has not come" "$out" '^Point 3\.B  \[1:3\] ' "^\\[0\\] running, last seen at 2\\.E, in sequential loop multiblock\\.c:$steps, " \
	"^  2  synchronized +\\[0:3\\] +SL  multiblock\\.c:$steps   iteration 2" '^  0  multi +\[0\] +MPI_Recv$' \
	"^  \\[0\\] +running +last seen at 2\\.E  SL  multiblock\\.c:$steps   iteration [0-9]+, " '^  \[1:3\]  stopped   actionpoint  3\.B '
no_leak "a session with a hang"

# Inside of tasks, on any number of ranks: the third loop of task 2 in the fifth region.
timeout 60 "$DVMDBG" record -o "$tmp/ref" -n 1 "$blocks" 24 6 >"$tmp/o" 2>&1 </dev/null
for mpi in $(mpis_in long); do
	blocks=$(prog doc/examples/multiblock "$mpi")
	for ranks in "1 0 0" "2 0 0:1" "4 0:1 0:3" "6 0:2 0:5"; do
		in_set long || case $ranks in 1* | 6*) ;; *) continue ;; esac
		read -r n west all <<<"$ranks"
		dvm 60 "set STOP_TIMER = 1
compare $tmp/ref
break 5.2.3.E
cont
where
print west.u[11][0:2]
[$west] sums
[$west] step -finish
[$west] step -finish
[$west] step -finish
[$west] step" -n "$n" "$blocks" 24 6
		like "$mpi: 5.2.3.E on $n ranks" "$out" "^Point 5\\.2\\.3\\.E  \\[$west\\]  parallel loop  multiblock\\.c:$peak  actionpoint 0\$" \
			"^  0  (synchronized|scalar|multi) +\\[$west\\] +PL  multiblock\\.c:$peak   5\\.2\\.3\\.E" \
			"^  1  (synchronized|scalar|multi) +\\[$west\\] +step " "^  2  (synchronized|scalar|multi) +\\[$west\\] +task 2 " \
			"^  3  (synchronized|scalar|multi) +.*\\[$west\\] +TR|^       \\[$west\\] +TR  multiblock\\.c:$region   5\\.B" \
			"^  4  synchronized +\\[$all\\] +SL  multiblock\\.c:$steps   iteration 4" \
			'^west\.u\[11\]\[0:2\] = -0\.198[0-9]+ -0\.385[0-9]+ -0\.547[0-9]+$' \
			"^Checksums at 5\\.2\\.2\\.E  parallel loop  multiblock\\.c:$sweep  against " '^  west\.v +0\.1246.* equal ' \
			"^End of task 2  \\[$west\\] "
		echo "$out" | grep '^west.u' >>"$tmp/west"
		unlike "$mpi: not a checksum of another task, $n ranks" "$out" '^  (east|core)\.'
	done
	no_leak "$mpi: inside of tasks"
done
is "the section is the same on any number of ranks" "$(sort -u "$tmp/west" | wc -l)" 1

# Rows dealt out like cards are one array.
for n in 1 3; do
	dvm 60 'break 9.E
cont
print a[0:7][24]
print column[0:7]
decomp a' -n $n "$ring" 24 2
	echo "$out" | sed -n '/^a\[0:7\]/,/^column/p' >"$tmp/cards$n"
	like "ring: where rows are, $n ranks" "$out" '^Point 9\.E' '^a\[0:7\]\[24\]'
done
is "ring: one array, in global indices" "$(<"$tmp/cards3")" "$(<"$tmp/cards1")"
like "ring: a cyclic distribution" "$out" '^  \[1\]  \[\{1,4,7,10,13,16,19,22\}\]\[0:24\]$'
no_leak "ring"
done_testing
