# SPDX-License-Identifier: GPL-3.0-or-later
# Marks of Fortran programs without marks: what annotate writes, and that the program with the patch is the same on any
# number of ranks.
. "${0%/*}/lib.sh"
all_in all
own_program annotate/room.f90
command -v "mpif90.$mpi" >said && [ -x "$builddir/runtime/dvmdbg-fc" ] || skip_all "no Fortran with MPI"

# compiled NAME FLAGS: NAME.f90 with access hooks
compiled() { DVMDBG_FC=mpif90.$mpi "$builddir/runtime/dvmdbg-fc" -g -O0 "$1.f90" -o "$1" $libs >said 2>&1 || diag "$(<said)"; }
# annotated NAME ARGS: marks of it, and the patch
annotated()
{
	out=$(timeout -k 5 120 "$DVMDBG" annotate -n "${ranks:-2}" --yes "./$@" </dev/null 2>&1)
	status=$?
}
# has TEXT: the file of marks has the line, but for numbers of lines
has() { sed -E "s/^([a-z]+) +[a-z]+\.f90:[0-9-]+ */\1 /; s/ at [0-9]+$//; s/  +/ /g" "$name.marks" | grep -qxF -e "$1"; }
# equal_with_patch ARGS: the patched source compiles by itself, and has the same checksums on one rank as on three
equal_with_patch()
{
	local made
	mkdir -p mod with
	patch -s -o "with/$name.f90" "$name.f90" "$name.marks.diff" >said 2>&1 &&
		"mpif90.$mpi" -g -O2 -J mod "$srcdir/runtime/dvmdbg.f90" "with/$name.f90" -o "with/$name" $libs >said 2>&1 ||
		{ diag "$(<said)"; return 1; }
	made=$("$DVMDBG" record -n 1 -o "$name.ref" "with/$name" "$@" 2>&1) || { diag "$made"; return 1; }
	out=$("$DVMDBG" compare -r "$name.ref" -n 3 "with/$name" "$@" 2>&1)
	status=$?
	[ "$status" -eq 0 ] && [[ ($out == *": equal"* || $out == *": only rounding differs"*) && $out != *Finding* ]] || { diag "$out"; return 1; }
}

# Jacobi's method as in the examples, without its marks: blocks of columns of allocatable arrays.
sed -E '/^ *(call dvmdbg_|use dvmdbg$|if \(dvmdbg_hooked\))/d; s/, target//' "$srcdir/doc/examples/jacobi.f90" >jacobi.f90
name=jacobi
compiled jacobi
annotated jacobi 12 2
is "jacobi: marks were found" 0 "$status"
while read -r mark; do
	has "$mark" && ok "jacobi: $mark" || { not_ok "jacobi: $mark"; diag "$(<jacobi.marks)"; }
done <<'EOT'
replicated n
replicated weight
array u shape [n, n] own [1:n, c0:c1] halo [0, 1]
sequential range [1:steps] iteration [it]
parallel on u range [1:n, 1:n] writes [u] iteration [i, j]
parallel on v range [2:n - 1, 2:n - 1] writes [v] reads [u] iteration [i, j]
reduction change max
EOT
like "jacobi: with dimensions in the order of the source" "$out" 'u.*: 2-D, split along dimension 2, halo 0, 1'
grep -q '^+  target :: .*u' jacobi.marks.diff && ok "jacobi: what is registered has TARGET" || not_ok "jacobi: TARGET"
equal_with_patch 15 3 && ok "jacobi: with the patch equal on 3 ranks" || not_ok "jacobi: with the patch"

# Components of a derived type, three dimensions, real(4), arguments of explicit shape in an external subroutine.
cp "$src" .
name=room
compiled room
annotated room 10
while read -r mark; do
	has "$mark" && ok "room: $mark" || { not_ok "room: $mark"; diag "$(<room.marks)"; }
done <<'EOT'
replicated n
reduction total max
array r%p shape [n, n, n] own [1:n, 1:n, r%k0:r%k1] halo [0, 0, 1]
sequential range [1:steps] iteration [it]
parallel on q range [2:n - 1, 2:n - 1, 2:n - 1] writes [q] reads [p, q] iteration [i, j, k]
EOT
unlike "room: what MPI combines is what a rank has, though it is equal on all" "$(<room.marks)" 'replicated .* least'
equal_with_patch 13 && ok "room: with the patch equal on 3 ranks" || not_ok "room: with the patch"

# Blocks in two dimensions, whose order nothing but values shows: not those of an assignment to the whole. Mirrored walls.
cp "$srcdir/tests/prog/annotate/basin.f90" .
name=basin
compiled basin
ranks=4 annotated basin 24 20 3
while read -r mark; do
	has "$mark" && ok "basin: $mark" || { not_ok "basin: $mark"; diag "$(<basin.marks)"; }
done <<'EOT'
array a%h shape [m%nx, m%ny] own [m%ox + 1:m%mx + m%ox, m%oy + 1:m%my + m%oy] halo [1, 1]
parallel on a%h range [1:m%nx, 1:m%ny] writes [a%h] reads [b%h]
EOT
like "basin: tags prove it" "$out" '^  a%h, .*; tags\)$'
unlike "basin: cells that a wall mirrors are no finding" "$out" 'a mark is wrong'
equal_with_patch 21 27 3 && ok "basin: with the patch equal on 3 ranks" || not_ok "basin: with the patch"

# Components of a dummy argument, unknowns in the widest dimension, functions without loops, no variable for a range.
cp "$srcdir/tests/prog/annotate/kept.f90" .
name=kept
compiled kept
annotated kept 14 3
while read -r mark; do
	has "$mark" && ok "kept: $mark" || { not_ok "kept: $mark"; diag "$(<kept.marks)"; }
done <<'EOT'
array f%q shape [n, n, 2] own [1:n, p%j1:p%j2, 1:2] halo [0, 1, 0]
parallel on f%q range [1:n, 1:n] writes [f%q] iteration [i, j + p%j1 - 1]
parallel on f%q writes [f%q] reads [f%q, f%w] iteration [i, j + p%j1 - 1]
EOT
equal_with_patch 15 4 && ok "kept: with the patch equal on 3 ranks" || not_ok "kept: with the patch"

# Allocatable arrays of a module in another one, local indices, an assignment of sections.
cp "$srcdir/tests/prog/annotate/slab.f90" .
name=slab
compiled slab
annotated slab 12
while read -r mark; do
	has "$mark" && ok "slab: $mark" || { not_ok "slab: $mark"; diag "$(<slab.marks)"; }
done <<'EOT'
array t shape [n, n] own [1:n, first:last] halo [0, 1]
parallel on s range [2:n - 1, 2:n - 1] writes [s] reads [t] iteration [i, j + first - 1]
parallel on t range [2:n - 1, 2:n - 1] writes [t] reads [s]
forget t
EOT
equal_with_patch 14 && ok "slab: with the patch equal on 3 ranks" || not_ok "slab: with the patch"

# A number that is equal on all ranks until each sets its own, in what is called last.
cp "$srcdir/tests/prog/annotate/strip.f90" .
name=strip
compiled strip
annotated strip 30
has 'array t shape [n] own [first:m + first - 1] halo [1]' && ok "strip: t" || { not_ok "strip: t"; diag "$out"; }
unlike "strip: what ranks set later is not taken for replicated" "$out" ' mine'

# Points of one colour, where loops begin at 1 or 2; names that are not declared.
cp "$srcdir/tests/prog/annotate/check.f90" .
name=check
compiled check
annotated check 30 6
while read -r mark; do
	has "$mark" && ok "check: $mark" || { not_ok "check: $mark"; diag "$(<check.marks)"; }
done <<'EOT'
replicated nst
replicated om
parallel on f range [1:n, 1:n] writes [f] reads [f, g] iteration [i, j + lo]
EOT
equal_with_patch 33 6 && ok "check: with the patch equal on 3 ranks" || not_ok "check: with the patch"

# Arrays in common blocks that each rank has whole, and sets to zero whole.
cp "$srcdir/tests/prog/annotate/vortex.f90" .
name=vortex
compiled vortex
ranks=4 annotated vortex 30 4
has 'array psi shape [n, n] own [1:n, js:je] halo [0, js - 1:n - je]' && ok "vortex: psi" || { not_ok "vortex: psi"; diag "$out"; }
has 'parallel on wrk range [2:n - 1, 2:n - 1] writes [wrk] reads [psi] iteration [i, j]' && ok "vortex: its loop" ||
	{ not_ok "vortex: its loop"; diag "$(<vortex.marks)"; }
equal_with_patch 37 3 && ok "vortex: with the patch equal on 3 ranks" || not_ok "vortex: with the patch"
like "vortex: a halo that is not renewed" "$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./vortex 30 4 late 2>&1 </dev/null)" \
	'^array wrk, .*, on rank 0, because the halo of psi from rank 1 was stale\.$'

# Loops over dummy arrays: in the source their names are those of what is passed, if that is always the same.
cp "$srcdir/tests/prog/annotate/lanes.f90" .
name=lanes
compiled lanes
annotated lanes 24 5
while read -r mark; do
	has "$mark" && ok "lanes: $mark" || { not_ok "lanes: $mark"; diag "$(<lanes.marks)"; }
done <<'EOT'
parallel on q range [1:n, 1:n] writes [q] reads [p] iteration [i, j + lo]
parallel on a range [1:n, 1:n] reads [a] iteration [i, j + lo]
EOT
like "lanes: the patch has them so" "$(<lanes.marks.diff)" "^\+    call dvmdbg_pl_begin\(first=\[1, 1\], last=\[n, n\], on=q, writes='w', reads='d'\)" \
	"^\+    call dvmdbg_pl_begin\(first=\[1, 1\], last=\[n, n\], on=a\)"
equal_with_patch 27 5 && ok "lanes: with the patch equal on 3 ranks" || not_ok "lanes: with the patch"

# Components of settings; DO CONCURRENT, where nothing impure can be called.
cp "$srcdir/tests/prog/annotate/turns.f90" .
name=turns
compiled turns
annotated turns 24 5
while read -r mark; do
	has "$mark" && ok "turns: $mark" || { not_ok "turns: $mark"; diag "$(<turns.marks)"; }
done <<'EOT'
replicated s%steps
replicated s%dt
replicated k
parallel on new range [1:s%n, 1:s%n] writes [new] reads [old, cur] iteration [i, j]
EOT
unlike "turns: no iteration is marked in DO CONCURRENT" "$(grep -A3 'do concurrent' turns.marks.diff)" pl_iteration
equal_with_patch 27 5 && ok "turns: with the patch equal on 3 ranks" || not_ok "turns: with the patch"

# Columns that are distributed cyclically, numbers of another module that READ sets.
cp "$srcdir/tests/prog/annotate/cyclic.f90" .
name=cyclic
compiled cyclic
annotated cyclic 20
while read -r mark; do
	has "$mark" && ok "cyclic: $mark" || { not_ok "cyclic: $mark"; diag "$(<cyclic.marks)"; }
done <<'EOT'
array a shape [n, n] own [1:n, rank + 1:n:ranks]
parallel on a range [2:n, 1:n] writes [a] reads [a] iteration [i, (l - 1) * ranks + rank + 1]
EOT
like "cyclic: as such" "$out" '^  a: 2-D, cyclic along dimension 2 '
is "cyclic: a column that one rank copies is no parallel loop" "$(grep -c '^parallel' cyclic.marks)" 2
equal_with_patch 23 && ok "cyclic: with the patch equal on 3 ranks" || not_ok "cyclic: with the patch"

# without access hooks, in two sources, of which the first needs the module of the other
mkdir parts
sed -n '1,/^end module/p' cyclic.f90 >parts/zdata.f90
sed '1,/^end module/d' cyclic.f90 >parts/acyc.f90
(cd parts && "mpif90.$mpi" -g -c zdata.f90 && "mpif90.$mpi" -g acyc.f90 zdata.o -o ../parted && rm -f ./*.mod) >said 2>&1 || diag "$(<said)"
out=$(timeout -k 5 100 "$DVMDBG" annotate --yes -n 2 ./parted 20 2>&1 </dev/null)
like "two sources are built with hooks" "$out" '^\./parted has no access hooks: its 2 sources are built once more with them, as '
like "and learned from" "$(<parted.marks)" '^array +parts/acyc\.f90:[0-9]+  a  shape \[n, n\]  own \[1:n, rank \+ 1:n:ranks\]$'

# Fixed form, several sources, COMMON in a file that is included: arrays larger than what is used of them.
cp "$srcdir"/tests/prog/annotate/f77/* .
name=f77
DVMDBG_FC=mpif90.$mpi "$builddir/runtime/dvmdbg-fc" -g -O0 main.f setup.f exch.f step.f -o f77 >said 2>&1 || diag "$(<said)"
annotated f77 20 24
while read -r mark; do
	sed -E 's/^([a-z]+) +([a-z]+)\.f:[0-9-]+ */\1 \2 /; s/ at [0-9]+$//; s/  +/ /g' f77.marks | grep -qxF -e "$mark" &&
		ok "f77: $mark" || { not_ok "f77: $mark"; diag "$out"; }
done <<'EOT'
array setup t shape [nx, ny] own [1:nx, jlo:jhi] halo [1:0, 1]
array setup src shape [nx, ny] own [1:nx, jlo:jhi]
replicated setup dt
sequential main range [1:nstep] iteration [it]
parallel setup on t range [1:nx, 1:ny] writes [t, tn, src] iteration [i, j + jlo - 1]
parallel step on tn range [2:nx - 1, 2:ny - 1] writes [tn] reads [t, src] iteration [i, j + jlo - 1]
reduction step res max
EOT
like "f77: the trial, with marks beside the source" "$out" '^trial: f77 .* against one: ([0-9]+) of \1 checksums equal$'
is "f77: no line of the patch is longer than 72 columns" "$(grep '^+' f77.marks.diff | grep -v '^+++' | cut -c2- | awk 'length > 72')" ""
mkdir -p fixed
cp ./*.f common.inc fixed
out=$(cd fixed && patch -s -p0 <../f77.marks.diff 2>&1 &&
	"mpif90.$mpi" -g -O2 -J . "$srcdir/runtime/dvmdbg.f90" main.f setup.f exch.f step.f -o f77 $libs 2>&1) || diag "$out"
"$DVMDBG" record -n 1 -o fixed.ref fixed/f77 31 45 >said 2>&1
like "f77: with the patch equal on 3 ranks" "$("$DVMDBG" compare -r fixed.ref -n 3 fixed/f77 31 45 2>&1; echo "status $?")" \
	'^compared .*: equal$' '^status 0$'
no_leak "annotate of Fortran programs"
# Loops that ranks come to one after the other have no mark: they would wait for each other there.
cp "$srcdir/tests/prog/annotate/sweeps.f90" .
name=sweeps
compiled sweeps
annotated sweeps 40
has "array w shape [n, n] own [first + 1:first + rows, 1:n]" && ok "sweeps: the array" || { not_ok "sweeps: the array"; diag "$(<sweeps.marks)"; }
for at in factors forward; do
	at=$(line_with "! $at" sweeps.f90)
	unlike "sweeps: no mark in a pipeline, line $at" "$(<sweeps.marks)" "^parallel +sweeps\.f90:$at"
	like "sweeps: which is said of line $at" "$out" "^note: sweeps\.f90:$at is in a pipeline: "
done
like "sweeps: loops behind and in front of it have theirs" "$(<sweeps.marks)" \
	"^parallel +sweeps\.f90:$(line_with '! begin' sweeps.f90)" "^parallel +sweeps\.f90:$(line_with '! local' sweeps.f90)"
equal_with_patch 45 && ok "sweeps: with the patch equal on 3 ranks" || not_ok "sweeps: with the patch"

# a step that all ranks have, and which a statement of another procedure reads that has no mark
cp "$srcdir/tests/prog/annotate/bands.f90" .
compiled bands
like "bands: the result of a reduction that is not meant" "$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./bands 34 8 most 2>&1 </dev/null)" \
	"^  likely     dt, which bands\.f90:$(line_with 'd(i, j) = u(i, j)' bands.f90) computes with, is 0\.25799[0-9]* on rank 0, and 0\.24414[0-9]* in the reference$" \
	"^  - dt is equal on all ranks, .*: look at the reduction at bands\.f90:[0-9]+, and at own, which each rank gives to it"
done_testing
