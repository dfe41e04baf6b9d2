# SPDX-License-Identifier: GPL-3.0-or-later
# locate says where values went: the element that a wrong write hit, whose values a halo has, and the rule of both. With
# access hooks, without, and in Fortran.
. "${0%/*}/lib.sh"
all_in all
own_program locate/astray.c
{ hooked hooked && unhooked plain; } || skip_all "it does not compile: $(head -n 3 said)"

# start PROGRAM RANKS HOW…: three at a time, the reports in PROGRAM-HOW.out
start()
{
	local how prog=$1 n=$2
	for how in "${@:3}"; do
		(timeout -k 5 200 "$DVMDBG" locate -n "$n" "./$prog" "$how" >"$prog-$how.out" 2>&1 </dev/null
			echo "status $?" >>"$prog-$how.out") &
		[ "$(jobs -rp | wc -l)" -lt 3 ] || wait -n
	done
	wait
}
# tells NAME REGEX…: one finding, of which these lines tell
tells() { like "$1" "$(<"$1.out")" '^status 1$' "${@:2}"; }

start hooked 2 right row component mirror layer fixed
start plain 2 right vector layer turned ring nan fixed late late-layer
start plain 3 ring-swapped ring-open
start hooked 3 ring-open
for p in hooked plain; do
	like "$p: no fault" "$(<$p-right.out)" '^status 0$' '^nothing differs'
done

# Writes: what is hit, what the reference hits, and as if what.
tells hooked-row "^  instead    iteration \\(1,12\\) writes w\\[1\\]\\[10\\]; in the reference w\\[1\\]\\[12\\]: as if the row were 14 long, not 16 \\(seen in 158 writes\\)\$" \
	"^  - the loop writes as if the row were 14 long, not 16: does the index at $(source_line '/* row */') say what is meant\\?\$"
tells hooked-component '^  instead    iteration 12 writes p\[12\]\[3\]; in the reference p\[12\]\[4\]: component 3 where 4 belongs \(seen in 12 writes\)$' \
	"^  - the loop writes component 3 where 4 belongs: does the index at $(source_line '/* component */')"
tells hooked-mirror '^  instead    iteration \(1,12\) writes w\[1\]\[23\]; in the reference w\[1\]\[12\]: reversed along dimension 2 '
unlike "a write that is only wrong is none that misses" "$(<hooked-layer.out)" '^  instead'

# Halos: whose values they have.
for p in hooked plain; do
	tells $p-layer '^  halo       u on \[1\], below in dimension 2, from \[0\]: 40 of 40 stale since 1\.E$' \
		'^             on rank 1 40 of 40 have values of other elements: as if the index were 1 lower in dimension 2$' \
		'^  - the halo of u on rank 1 has values of other elements, as if the index were 1 lower in dimension 2: look at which elements the exchange sends from rank 0'
done
tells plain-vector '^             on rank 0 .* have values of other elements: as if the row were 12 long, not 16$'
tells plain-turned '^             on rank 1 120 of 120 have values of other elements: reversed along dimension 2$'
tells plain-ring-swapped '^             on rank 0 40 of 40 have values of other elements, which rank 2 owns: as if the index were 8 higher in dimension 2$'
# Halo beyond the array, which no rank owns.
like "the ring is right" "$(<plain-ring.out)" '^status 0$'
tells plain-ring-open '^  halo       none that the wrong elements can come from was stale; what no rank owns, beyond the array, is not compared$' \
	"^  - these elements are at the array's own edge in dimension 2: if the loop at astray\\.c:[0-9]+ reads the halo beyond it, .* the exchange with the other end\$"
tells hooked-ring-open "^  likely     the halo of u beyond the array's edge was stale: in the reference u\\[.*\\] is what u\\[.*\\] of rank [02] is here\$" \
	'^  - if u is periodic, look for its exchange between rank [02] and rank [02], which has the other end, '

# NaN does not hide a stale halo.
tells plain-nan '^  likely     the halo of u from rank [01] was stale$' '^  - look for the exchange of u between '
unlike "NaN alone is no advice" "$(<plain-nan.out)" 'it is not a number'
# A replicated object that is registered before it is set does not end the search; when nothing else is wrong, it is said.
for how in late late-layer; do
	tells plain-$how '^  - late was not set yet at 1\.[BE], and has been set since: register it where it has its value$'
done
like "the search goes on" "$(<plain-late-layer.out)" '^array w, element w\[1\]\[12\], first wrong at 3\.E'
like "else it is what was found" "$(<plain-late.out)" '^replicated late, first wrong at 1\.B'
# A program that does not run on one rank.
like "what can be done for other numbers of ranks" "$(<plain-fixed.out)" '^  - if the program needs more than 1 rank: --ref-ranks N' \
	'^  - if it needs other arguments there: dvmdbg record ' '^  - .* pair '
# … has its own halos examined, when it has hooks.
like "halo that is read, without a reference" "$(<hooked-fixed.out)" '^status 1$' \
	"^without a reference: a wrong answer is likely, as the loop at astray\\.c:[0-9]+ reads u\\[1\\]\\[12\\] on rank 0 at astray\\.c:[0-9]+, which at 3\\.B is not what its owner, rank 1, has"
unlike "a plain program does not show what it reads" "$(<plain-fixed.out)" 'without a reference'

# Fortran: the first index is the one that lies densely.
"mpif90.$mpi" --version >/dev/null 2>&1 && [ -x "$builddir/runtime/dvmdbg-fc" ] || {
	skip "Fortran" "no compiler"
	done_testing
	exit
}
mkdir mod
# shellcheck disable=SC2086
DVMDBG_FC=mpif90.$mpi "$builddir/runtime/dvmdbg-fc" -g -O1 -J mod "$srcdir/runtime/dvmdbg.f90" "$srcdir/tests/prog/locate/astray.f90" \
	-o fortran $libs >said 2>&1
start fortran 2 exchanged short
tells fortran-exchanged '^  instead    iteration \(2,1,7\) writes b\(1,2,7\); in the reference b\(2,1,7\): as if indices 1 and 2 were exchanged \(seen in 336 writes\)$'
tells fortran-short '^  instead    .*: as if the row were 8 long, not 10 '
done_testing
