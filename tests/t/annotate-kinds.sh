# SPDX-License-Identifier: GPL-3.0-or-later
# dvmdbg annotate: arrays of all kinds in C and C++, and programs that do not run on one rank. The patch compiles, and what
# it marks is equal on any number of ranks.
. "${0%/*}/lib.sh"
all_in all
own_program annotate/stack.c
cxx=$(command -v "mpicxx.$mpi" || command -v mpicxx)

# annotated FILE ARGS…: its marks, from runs of a build with hooks; how it is compiled is in $with
annotated()
{
	local file=$1
	name=${file%.*}
	with=mpicc.$mpi
	[ "$file" = "$name.c" ] || with=$cxx
	cp "$srcdir/tests/prog/annotate/$file" .
	DVMDBG_CC=$with "$builddir/runtime/dvmdbg-cc" -g -O0 "$file" -o "$name" -lm >said 2>&1 || diag "$(<said)"
	out=$(timeout -k 5 100 "$DVMDBG" annotate --yes -n "${ranks:-2}" "./$name" "${@:2}" 2>&1 </dev/null)
}
# has MARK…: each is in the file of marks, there with its file
has()
{
	local mark
	for mark; do
		sed -E 's/^([a-z]+) +[a-z]+\.[a-z]+:/\1 /; s/  +/ /g' "$name.marks" | grep -qxF -e "$mark" &&
			ok "$name: $mark" || { not_ok "$name: $mark"; diag "$(<"$name.marks")"; }
	done
}
# equal FIRST RANKS ARGS…: with the patch, recorded on FIRST ranks and compared on RANKS
equal()
{
	local file
	file=$(ls "$name".c*)
	mkdir -p with
	patch -s -o "with/$file" "$file" "$name.marks.diff" >said 2>&1 &&
		"$with" -g -Wall -Werror -I"$srcdir/runtime" "with/$file" -o "with/$name" $libs >said 2>&1 ||
		{ not_ok "$name: the patch goes in and compiles"; diag "$(<said)"; return; }
	"$DVMDBG" record -n "$1" -o "$name.ref" "with/$name" "${@:3}" >said 2>&1 </dev/null
	like "$name: equal on $1 and $2 ranks" "$("$DVMDBG" compare -r "$name.ref" -n "$2" "with/$name" "${@:3}" 2>&1 </dev/null; echo "status $?")" \
		'^compared .*: equal$' '^status 0$'
}

annotated stack.c 18 11 2
has 'array 40 u shape [rows, cols] own [lo:lo + m - 1, 0:cols - 1] halo [1, 0]' 'parallel 16-23 on w writes [w] reads [u]'
equal 1 3 21 14 2

# parts are known where they are set, and not where the function that sets them is called
ranks=4 annotated cord.c 30 4
has "array $(line_with 'i <= local' cord.c) w shape [3, n] own [0:2, lo:local + lo - 1] halo [0, 1]"
like "cord: the trial is equal" "$out" '^trial: .* ([0-9]+) of \1 checksums equal$'

# no variable gives the parts where they are computed wrongly: the number of the rank does
like "cord: an index that begins in another rank's part" "$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./cord 30 4 shift 2>&1 </dev/null)" \
	"own \\[0:2, rank \\* \\(n / size\\) \\+ \\(rank < n % size \\? rank : n % size\\):" \
	'^  - lo is nearly where the parts of arrays begin in dimension 2: but that of rank [0-9] of [24] begins at [0-9]+, and lo is [0-9]+ there: look at what sets it$' \
	"^array w, element w\\[[01]\\]\\[16\\], first wrong at 1\\.E, in the parallel loop at cord\\.c:$(line_with 'i <= local' cord.c), on rank 2"

# a loop that ends too early on all ranks
cp "$srcdir/tests/prog/annotate/ends.c" .
mpicc.$mpi -g ends.c -o ends >said 2>&1 || diag "$(<said)"
at=$(line_with 'while (' ends.c)
echo "array ends.c:$at u shape [n] own [lo:lo + m - 1]
replicated ends.c:$at most
parallel ends.c:$((at + 1))-$((at + 2)) on u writes [u]
parallel ends.c:$((at + 7))-$((at + 8)) on u writes [u]" >ends.marks
like "ends: what the end of a loop depends on" \
	"$(timeout -k 5 100 "$DVMDBG" locate --marks ends.marks -n 4 ./ends 2>&1 </dev/null)" \
	"^  - most is 6 there, and 24 in the reference: look at MPI_Allreduce at ends\\.c:$(line_with '/* least */' ends.c), at what each rank gives to a reduction, at its operation"

# where nothing can be marked, the first line whose values are not those of the run on one rank
cp "$srcdir/tests/prog/annotate/strand.c" .
DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -g -O0 strand.c -o strand >said 2>&1 || diag "$(<said)"
like "strand: no marks, and a halo that is not renewed" \
	"$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./strand 20 3 stale 2>&1 </dev/null; echo "status $?")" \
	"^likely: strand\\.c:$(line_with 'w[i]->v[j] = 0.2' strand.c) is the first line that sets values which no rank sets there in the run on one rank: .* look at the exchange before it: " \
	'^status 1$'
out=$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./strand 20 3 2>&1 </dev/null; echo "status $?")
like "strand: that it has no marks is all that is said of the right program" "$out" '^dvmdbg: locate: no array was found that marks' '^status 2$'
unlike "strand: no line is named" "$out" 'first line'

# an extent that no run has changed is meant where it is a bound, too
timeout -k 5 100 "$DVMDBG" annotate --yes -n 4 -o same.marks --also "18 11 3" ./stack 18 11 2 >said 2>&1 </dev/null
like "stack: where sizes are not changed" "$(<same.marks)" '^array .* shape \[rows, cols\]  own \[.*, 0:cols - 1\]  halo '

# a source that is called as one of the access hooks' is
cp "$srcdir/tests/prog/annotate/stack.c" wrap.c
DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -g -O0 wrap.c -o wrap -lm >said 2>&1 || diag "$(<said)"
out=$(timeout -k 5 100 "$DVMDBG" annotate --yes -n 2 ./wrap 18 11 2 2>&1 </dev/null)
like "a source with the name of the hooks' own" "$out" '^trial: .* ([0-9]+) of \1 checksums equal$'

annotated vectors.cpp 40 3
has 'array 39 u shape [cells] own [offset:local + offset - 1] halo [1]'
like "vectors: the patch has their names" "$(<vectors.marks.diff)" '^\+ *DVMDBG_ARRAY\(u, ' '\.writes = \{ v\.data\(\) \}'
equal 1 3 45 3

# what goes over whole arrays: assignments and copies, one index for all dimensions, all elements in turn
annotated flat.cpp 30 6
sed -E 's/this->//g; s/range .*  writes/writes/' flat.marks >said
line() { line_with "$1" flat.cpp; }
like "flat: loops without a loop for each dimension" "$(<said)" \
	"^parallel    flat\.cpp:$(line std::fill)-[0-9]+  on w  writes \\[w\\]\$" \
	"^parallel    flat\.cpp:$(line 'v = u')-[0-9]+  on v  writes \\[v\\]  reads \\[u\\]\$" \
	"^parallel    flat\.cpp:$(line std::copy)-[0-9]+  on v  writes \\[v\\]  reads \\[u\\]\$" \
	"^parallel    flat\.cpp:$(line memcpy)-[0-9]+  on u  writes \\[u\\]  reads \\[w\\]\$" \
	"^parallel    flat\.cpp:$(line 'u.size(); k')-[0-9]+  on u  writes \\[u\\]  reads \\[u\\]\$" \
	"^parallel    flat\.cpp:$(line '&x : u')-[0-9]+  on u  writes \\[u\\]  reads \\[u\\]\$"
equal 1 3 33 5

# members, elements of small tables, and what they are computed of
annotated medium.cpp 30 6
sed -n 's/^replicated .*:[0-9]* *//p' medium.marks >said
is "medium: what is replicated" "$(xargs <said)" "this->n_ this->h_ this->dt_ $(printf 'this->table_[%s] ' {0..7})in[0] in[1] tol[0] tol[1] tol[2] s.width s.rate s.kind"
equal 1 3 33 5

# an object on the heap, vectors that functions make, and constants of the function
annotated made.cpp 300 6
sed -E 's/this->//g; s/range \[[^]]*\]  //' made.marks >said
like "made: loops over what has no mark yet, and over all of an object's vector" "$(<said)" \
	"^parallel    made\.cpp:$(line_with 'old = now' made.cpp)-[0-9]+  on old  writes \\[old\\]  reads \\[now\\]\$" \
	"^parallel    made\.cpp:$(line_with 'made */' made.cpp)-[0-9]+  on a  reads \\[a\\]\$" '^replicated .* steps$'
equal 1 3 333 5

# first and last rows are written by lines of their own, behind the inner ones
annotated inner.c 40 4
has "array $(line_with 'i <= m' inner.c) a shape [n, n] own [lo:lo + m - 1, 1:n] halo [1, 1] lower [0, 1]"
unlike "inner: no mark where edges are still to be written" "$(<inner.marks)" "^parallel +inner\.c:$(line_with 'inner ones' inner.c)-"
equal 1 3 45 5

# rows of a plain array with room behind them: the patch says how far apart they are
annotated shelves.c 20 3
has "array $(line_with 'k <= m' shelves.c) t shape [nz, ny, nx] own [z0:z0 + m - 1, 1:ny, 1:nx] halo [1, 1, 1] lower [0, 1, 1]"
equal 1 3 22 3

annotated owned.cpp 40 4
has 'array 52 b.data shape [n] own [a.lo:a.lo + a.m - 1] halo [1]' 'sequential 53-53 range [0:steps - 1]'
like "owned: the patch has their names" "$(<owned.marks.diff)" '^\+	DVMDBG_ARRAY\(a\.data, ' '\.writes = \{ b\.data\.get\(\) \}'
equal 1 3 45 3

annotated faces.cpp 32 3
has 'array 57 u.data_ shape [n] own [l.lo_:l.lo_ + l.m_ - 1] halo [1]' \
	'array 57 flux.data_ shape [n] own [l.lo_:l.lo_ + l.m_ - 1] halo [1]' \
	'parallel 39-40 on flux.data_ range [0:this->n_ - 1] writes [flux.data_] reads [u.data_]'
like "faces: a size that the program refuses is replaced by a smaller one" "$out" '^faces 41 3 goes over no array' '^run .*: faces 25 3, 4 ranks' \
	'^trial: .* ([0-9]+) of \1 checksums equal$'
unlike "faces: private members do not keep marks out of the patch" "$out" '^note: .* is private '
like "faces: their class lets main in where it gives no number" "$(<faces.marks.diff)" '^\+	friend int main\(int, char \*\*\);' \
	'^\+	DVMDBG_ELSEWHERE\(u\(0\), .*\.own = \{ \{ l\.lo_, l\.lo_ \+ l\.cells_here\(\) - 1 \} \}'
equal 1 3 27 3

# private members of members; what is written inside of parts first has no mark, since it is whole behind the edges only
ranks=4 annotated front.cpp 24 4
has 'parallel 72-74 on this->a_.values_ range [0:this->m_.n_ - 1, 1:this->m_.n_] writes [this->a_.values_] reads [this->b_.values_, this->speed_]' \
	'parallel 69-71 on this->b_.values_ writes [this->b_.values_]' 'sequential 105-106 range [0:steps - 1]'
like "front: a loop over the inside of parts has no mark, but the one over their edges has" "$out" "^note: front\.cpp:65 goes over the inside of each rank's part, " \
	'^trial: .* ([0-9]+) of \1 checksums equal$'
unlike "front: not even one without a range" "$(<front.marks)" '^parallel +front\.cpp:65'
like "front: classes have a friend" "$(<front.marks.diff)" '^\+friend class Front;' '^\+		DVMDBG_ARRAY\(this->a_\.values_, '
like "front: where hardly a checksum is equal that is said" \
	"$(timeout -k 5 100 "$DVMDBG" annotate --yes -n 2 -o other.marks ./front 24 9 wrong 2>&1 </dev/null; echo "status $?")" \
	'^  hardly a checksum is equal: do not rely on these marks ' '^status 1$'
unlike "front: what the C++ library keeps to itself is not named" "$(<front.marks.diff)" '^\+.*_M_'
equal 1 3 27 3

# edges that lines set one by one; a number that is not broadcast, and a norm that counts halo
ranks=4 annotated pulse.c 60 6
like "pulse: the inside of parts has no mark" "$out" "^note: pulse\.c:$(line_with 'i = 2; i < m' pulse.c) goes over the inside of each rank's part, " \
	'^trial: .* ([0-9]+) of \1 checksums equal$'
like "pulse: a number that is not broadcast" "$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./pulse 60 6 short 2>&1 </dev/null)" \
	"^  likely     pulse\.c:$(line_with 'c2 = 0.1' pulse.c) sets c2 to 0\.1, where pulse\.c:$(line_with 'c2 = 0.5' pulse.c) sets it to 0\.5 in the reference$"
out=$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./pulse 60 6 twice 2>&1 </dev/null)
like "pulse: a reduction of which only the result that is printed differs" "$out" \
	"^  - likely, the reduction of all at pulse\.c:$(($(line_with '/* norm */' pulse.c) + 1)) gives [0-9.]+, and [0-9.]+ in the reference: "
unlike "pulse: lines that share what they set are no cause" "$out" 'the first line that '

# what a library's line sets is said with the program's own; halo that a rank computes itself
cp "$srcdir/tests/prog/annotate/copies.cpp" .
DVMDBG_CC=$cxx "$builddir/runtime/dvmdbg-cc" -g -O0 copies.cpp -o copies >said 2>&1 || diag "$(<said)"
like "copies: a copy that is not made on all ranks, through a message" \
	"$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./copies 50 5 first 2>&1 </dev/null)" \
	"^  likely     was\[49\], which copies\.cpp:$(line_with 'k[i] = 0.2' copies.cpp) reads, is not set on rank 3, but in the reference at " \
	"^  - the program's own lines that set all of was: copies\.cpp:$(line_with 'was = u' copies.cpp); are they executed on rank 3, "
like "copies: halo that is not renewed behind what computes it" \
	"$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./copies 50 5 late 2>&1 </dev/null)" \
	"^  likely     rank 0 computes its copy of w\[12\] at copies\.cpp:$(line_with 'w[i] = u[i]' copies.cpp) from k\[12\], of which the halo from rank 1 was stale$" \
	'^  - is the halo of w to be renewed after '

annotated grid.cpp 19 14 4
has 'array 63 b.data_ shape [k.n, k.m] own [k.first:k.last, 0:k.m - 1] halo [1, 0]' \
	'parallel 46-48 on v.data_ range [1:this->n - 2, 1:this->m - 2] writes [v.data_] reads [u.data_]'
like "grid: rows that a loop leaves out do not hide how the array is divided" \
	"$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./grid 19 14 4 short 2>&1 </dev/null)" \
	'^array b\.data_.*, first wrong at 3\.E .*, in the parallel loop at grid\.cpp:46, which left it unchanged, .*because '

annotated tables.c 18 11 3
has 'replicated 82 f.dt' 'array 35 f->p[0] shape [f->n, f->m] own [f->first:f->local + f->first - 1, 0:f->m - 1] halo [1, 0]' \
	'array 35 f->v[0] shape [f->n, f->m] own [f->first:f->local + f->first - 1, 0:f->m - 1] halo [1:0, 0]' \
	'forget 91 f.p[0]' 'reduction 88 all sum' 'sequential 82-90 range [0:steps - 1] iteration [k] at 83'
equal 1 3 21 14 2
like "tables: what differs without a mark is no pointer beside an array" \
	"$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./tables 18 11 3 fault 2>&1 </dev/null)" \
	'^array f->v\[0\], element f->v\[0\]\[13\]\[0\], .*, on rank 3, because f->dt, which tables\.c:46 computes with, is 0\.2 on rank 3, and 0\.1 in the reference\.$'

sed -E '/array .* f->v/d; /replicated .* f\.dt/d; /forget .*v\[0\]/d; s/, f->v\[0\]//; s/on f->v\[0\]/on f->p[0]/; s/  writes \[f->v\[0\]\]//' tables.marks >cells.marks
like "tables: nor is one what one run reads alone" \
	"$(timeout -k 5 100 "$DVMDBG" locate --marks cells.marks -n 4 ./tables 18 11 3 fault 2>&1 </dev/null)" \
	', because f->dt, which tables\.c:49 computes with, is 0\.2 on rank 3, and 0\.1 in the reference\.$'

# numbers of calls, which have no mark
annotated scalars.c 44 3
at() { printf 'scalars\\.c:%s' "$(line_with "$1" "$srcdir/tests/prog/annotate/scalars.c")"; }
sed -i '/replicated .* nu$/d' scalars.marks
DVMDBG_CC=$with "$builddir/runtime/dvmdbg-cc" -g -O0 -DLEAST scalars.c -o least -lm >said 2>&1 || diag "$(<said)"
DVMDBG_CC=$with "$builddir/runtime/dvmdbg-cc" -g -O0 -DMEAN scalars.c -o mean -lm >said 2>&1 || diag "$(<said)"
for how in "scalars root" "scalars reset" "scalars early" "scalars own" least; do
	# shellcheck disable=SC2086
	timeout -k 5 100 "$DVMDBG" locate --marks scalars.marks -n 4 ./${how% *} 44 3 ${how#* } >${how#* }.said 2>&1 </dev/null
done
like "scalars: an argument that only one rank has as the reference" "$(<root.said)" \
	"^array w, .*, on rank 1, because nu, which $(at '/* flow */') computes with, is 0\\.1 on rank 1, and 0\\.2 in the reference\\.\$" \
	'^  - only \[0\] has what the reference has of nu: look at what flow is called with for it\. Is it broadcast'
like "scalars: a reduction with another operation" "$(<least.said)" \
	"^  likely +the reduction of part at $(at '/* least */') is made with MPI_MIN: the reference has what MPI_MAX makes of what the ranks give"
like "scalars: a number that each rank has computed for itself" "$(<own.said)" \
	"^array u, .*, because factor, which $(at '/* scaled */') computes with, is .* on rank [0-3], and .* in the reference\\.\$"
like "scalars: a number of a rank's own part, which is none of a place" \
	"$(timeout -k 5 100 "$DVMDBG" locate --marks scalars.marks -n 4 ./mean 46 3 2>&1 </dev/null)" \
	"(^  likely +|because )factor, which $(at '/* scaled */') computes with, is .* on rank [0-3], and .* in the reference\.?\$" \
	"^  - factor is another number on other ranks: look at what sets it, as $(at '/* mean */') does\. If it is meant to be equal, is a reduction missing"
like "scalars: a wait behind the loop that reads" "$(<early.said)" \
	"^array w, .*, because $(at '/* flow */') reads the buffer \\(argument 1\\) of MPI_Irecv at $(at '/* early */'), which MPI writes until that is complete\\.\$" \
	"^  - is what waits for that call \\(MPI_Wait, MPI_Waitall\\) missing before $(at '/* flow */'), or does it come too late\\?\$"
like "scalars: what ranks add up" "$(<reset.said)" \
	"^  likely +sum, which ranks give to the reduction at $(at '/* all */'), is not what makes up that of the reference, by any operation\$" \
	"^  - sum is .* on \\[0\\], .* on \\[3\\]: look at how each rank computes it before $(at '/* all */')"

annotated cells.c 60 4
has 'array 56 b[].rho shape [n] own [first:first + local - 1] halo [1]' 'array 56 a[].zone shape [n] own [first:first + local - 1] halo [1]'
like "cells: the patch has members of structures" "$(<cells.marks.diff)" \
	'^\+	DVMDBG_MEMBER\(b, rho, \.shape = \{ n \}, ' '\.writes = \{ &b\[0\]\.rho, &b\[0\]\.mom, '
equal 1 3 47 3

# levels of structures in one variable, which says how far apart they are
annotated tiles.c 20 4
has "array 53 grid[][][].u shape [2, n, n] own [0:1, first:first + local - 1, 0:n - 1] halo [0, 1, 0]"
unlike "tiles: a plane that changes is no range" "$(<tiles.marks)" '^parallel .* range \[(0:0|1:1),'
like "tiles: the patch has how far apart structures are" "$(<tiles.marks.diff)" \
	'^\+	DVMDBG_MEMBER\(grid\[0\]\[0\], v, .*\.stride = \{ sizeof\(grid\[0\]\) / \(sizeof\(grid\[0\]\[0\]\[0\]\.v\)\), '
equal 1 3 23 3
like "tiles: a halo that is not renewed" "$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./tiles 20 4 fault 2>&1 </dev/null)" \
	'^array grid\[\]\[\]\[\]\.[uv], element grid\['

# halos that statements fill, also of a rank to itself, and that come round the end
ranks=4 annotated around.c 24 18 4
has 'array 60 a shape [rows, cols] own [r0:r0 + m - 1, c0:c0 + k - 1] halo [1, 1] periodic [1, 1]' \
	'parallel 65-69 on b range [0:rows - 1, 0:cols - 1] writes [b] reads [a]'
unlike "around: loops that fill and empty buffers are none" "$(<around.marks)" 'around\.c:(16|20)'
equal 1 3 27 20 4

# members of structures are public though the source does not say them there; sizes that differ by 4 differ otherwise in
# other runs
ranks=4 annotated yee.cpp 24 20 4
has 'replicated 87 cfg.sigma' 'array 87 y.hx shape [cfg.nx, cfg.ny] own [x0:x0 + lx - 1, 0:cfg.ny - 1] halo [1, 0]' \
	'parallel 43-45 on y.hx range [0:cfg.nx - 1, 0:y.ny - 2] writes [y.hx] reads [y.ez, y.hx]'
like "yee: all that is marked is in the patch" "$(<yee.marks.diff)" '^\+.*DVMDBG_ARRAY\(y\.hx, '
equal 1 3 27 18 4

# what memset sets as a whole is not used as a whole
ranks=4 annotated poisson.c 22 18 4
has 'array 98 G.phi shape [G.ny, G.nx] own [G.j0:G.nj + G.j0 - 1, G.i0:G.ni + G.i0 - 1] halo [1, 1]' \
	'parallel 70-78 on G.phi range [0:G.ny - 1, 0:G.nx - 1] writes [G.phi] reads [G.phi, G.rhs] iteration [j + G.j0 - 1, i + G.i0 - 1] at 72'
like "poisson: the trial is equal" "$out" '^trial: .* ([0-9]+) of \1 checksums equal$'

# operators of a class count where they are called, and walls that not all ranks have are no own parts
ranks=4 annotated tracer.cpp 18 22 3
has 'array 110 c.data_ shape [nx, ny] own [b.x0:b.mx + b.x0 - 1, b.y0:b.my + b.y0 - 1] halo [1, 1]' \
	'parallel 92-97 on d.data_ writes [d.data_] reads [c.data_]'
like "tracer: what is private is in the patch as its class gives it, whose indices count from -H" "$(<tracer.marks.diff)" \
	'^\+	DVMDBG_ELSEWHERE\(c\(-1, -1\), ' 'DVMDBG_PL\(\.on = &d\(-1, -1\), .*\.reads = \{ &c\(-1, -1\) \}'
equal 1 3 21 25 3
like "tracer: loops over walls are said" "$out" '^note: loops that go over an edge .*: tracer\.cpp:77, 80, 83, 86$'

# a call with a lambda that a loop elsewhere calls is the loop
annotated lambdas.cpp 20 17 3
has 'parallel 42-46 on w range [0:d.ny - 1, 1:d.nx - 2] writes [w] reads [t]'
like "lambdas: the trial is equal" "$out" '^trial: .* ([0-9]+) of \1 checksums equal$'

# bounds of blocks that are in no variable are said by the rank and the number of ranks
ranks=4 annotated blocks.c 22
has 'array 48 u shape [l.n, W] own [l.rank * (l.n / l.size) + (l.rank < l.n % l.size ? l.rank : l.n % l.size):(l.rank + 1) * (l.n / l.size) + ((l.rank + 1) < l.n % l.size ? (l.rank + 1) : l.n % l.size) - 1, 0:W - 1] halo [1, 0]' \
	'parallel 56-60 on v range [0:l.n - 1, 0:W - 1] writes [v] reads [o]'
equal 1 3 25

# extents by functions, states of later stages, a mask as large as one component; what is const gives no reference
annotated stages.cpp 22
has 'array 81 u2.a_ shape [3, c.ny, c.nx] own [0:2, p.first:p.first + p.rows - 1, 0:c.nx - 1] halo [0, 1, 0]' \
	'array 81 solid shape [c.ny, c.nx] own [p.first:p.first + p.rows - 1, 0:c.nx - 1] halo [1, 0]' \
	'parallel 50-58 on to.a_ writes [to.a_]'
equal 1 3 25

rest_in long

# eight ranks show how the third dimension is divided
ranks=4 annotated cube.c 10 9 8 2
like "cube: runs on 8 ranks" "$out" '^Marks of runs on 1, 2, 4 and 8 ranks' '^  .*: 3-D, split along dimension 1, 2 and 3'


annotated life.c 20 17 5
has 'array 23 cells shape [nrows, ncols] own [myfirst:myfirst + myrows - 1, 0:ncols - 1] halo [1, 0] periodic [1, 0]' 'forget 82 next' 'forget 83 cells'
equal 1 3 23 18 4

annotated lu.c 22 2
has 'array 30 a shape [n, n] own [rank * b:n - 1:size * b:b, 0:n - 1]' \
	'parallel 30-35 on a range [0:n - 1, 0:n - 1] writes [a] iteration [(l / b * size + rank) * b + l - l / b * b, j] at 32'
like "lu: as it is distributed" "$out" '^  a: 2-D, cyclic along dimension 1 in blocks of b '
equal 2 3 25 3
# a step that is less than the block is refused where the array is registered
sed '/DVMDBG_ARRAY/s/\.step = { size \* b/.step = { b - 1/' with/lu.c >lu-wrong.c
mpicc.$mpi -g -I"$srcdir/runtime" lu-wrong.c -o lu-wrong $libs >said 2>&1 || diag "$(<said)"
like "lu: a step that is too small" "$("$DVMDBG" record -o wrong.ref -n 2 ./lu-wrong 12 3 2>&1 </dev/null)" 'a: the step of own in dimension 1 is less than its block'

# a fault makes nearly all values others: how parts tile, and the values of one rank, show the layout
ranks=4 annotated seeds.c 13 9 2 wrong
has 'array 60 u shape [n, m] own [lo:lo + rows - 1, 0:m - 1] halo [1, 0]' 'parallel 21-26 on u range [0:n - 1, 0:m - 1] writes [u]'

# pointers to planes of one block, which change; and loops over a strip of it each time: no range is theirs
annotated planes.c 12 17 9
has 'parallel 49-52 on b->mem writes [b->mem] reads [b->mem]' 'parallel 63-67 on b->w writes [b->w] reads [b->w]'
like "planes: the trial takes nothing away" "$out" '^trial: .* ([0-9]+) of \1 checksums equal$'
unlike "planes: and says so" "$out" 'has been taken away'

# time levels in one static array, whose bounds are set in a call behind the mark; beside it arrays of another shape and
# kind, which ranks compute on halos as well
ranks=4 annotated beam.c 62
has 'array 22 w shape [3, n] own [0:2, lo:cells + lo - 1] halo [0, 2]' 'array 22 stiff shape [n] own [lo:cells + lo - 1] halo [2]' \
	'array 22 fixed shape [n] own [lo:cells + lo - 1] halo [2]' 'parallel 54-55 on bend range [0:n - 1] writes [bend] reads [stiff, w]'
equal 1 3 65

# members of a static structure are replicated, as are variables of the file that get the same values on all ranks
annotated limit.c 24 4
has 'replicated 52 par.biot' 'replicated 52 par.steps' 'replicated 52 dt' 'reduction 22 most max'
unlike "limit: what ranks have of their own is not" "$(<limit.marks)" '^replicated .* (b\.|u$|v$)'
equal 1 3 27 4

# vectors in arrays and in std::array
annotated lattice.cpp 22 4
has 'array 19 this->f_[1] shape [this->n_, this->n_] own [this->first_:this->m_ + this->first_ - 1, 0:this->n_ - 1] halo [1, 0] periodic [1, 0]' \
	'array 19 this->g_[2] shape [this->n_, this->n_] own [this->first_:this->m_ + this->first_ - 1, 0:this->n_ - 1] halo [1, 0]'
like "lattice: the patch has their names" "$(<lattice.marks.diff)" '^\+.*DVMDBG_ARRAY\(this->f_\[1\], '
equal 1 3 25 3

# a dense mask beside fields with halos, in a grid of ranks
ranks=4 annotated pencils.c 17 5
sed -E 's/:[0-9]+//' pencils.marks >said
like "pencils: the mask has the own parts of the fields" "$(<said)" \
	'^array +pencils\.c  rock  shape \[g\.n\[0\], g\.n\[1\], g\.n\[2\]\]  own \[g\.o\[0\]:g\.l\[0\] \+ g\.o\[0\] - 1, g\.o\[1\]:.*\]$' \
	'  reads \[from->v, rock\] '
equal 1 6 19 3

# an index that does not count from 0 gives no first element: a function that is no friend cannot name it
sed 's/^struct Config {/enum { G = 1 };\n&/; s/ + i) \* nx() + j\]/ + i + G - 1) * nx() + j]/' "$srcdir/tests/prog/annotate/stages.cpp" >shifted.cpp
DVMDBG_CC=$cxx "$builddir/runtime/dvmdbg-cc" -g -O0 shifted.cpp -o shifted >said 2>&1 || diag "$(<said)"
out=$(timeout -k 5 100 "$DVMDBG" annotate --yes -n 2 ./shifted 22 2>&1 </dev/null)
like "shifted: marks that are not in the patch are said" "$out" \
	'^note: an array of the loop at shifted\.cpp:51 is private where its mark stands: it is in shifted\.marks, for --marks, and not in the patch$'

# std::complex
annotated phases.cpp 20 4
sed -E 's/:[0-9]+(-[0-9]+)?//' phases.marks >said
like "phases: vectors of complex numbers" "$(<said)" \
	'^array +phases\.cpp  this->psi  shape \[this->n_, this->n_\]  own \[this->first_:this->m_ \+ this->first_ - 1, 0:this->n_ - 1\]  halo \[1, 0\]$' \
	'^parallel +phases\.cpp  on this->k  range .*  writes \[this->k\]  reads \[this->psi\]'
equal 1 3 23 3

# rows that are allocated one by one, at unequal distances: as marks beside the source, and in the patch
annotated ribs.c 22 5
has 'array 62 p.u[] shape [p.n, p.n] own [p.first:p.local + p.first - 1, 0:p.n - 1] halo [1, 0]' 'forget 37 p->u[]' \
	'parallel 68-71 on p.v[] range [0:p.n - 1, 1:p.n - 2] writes [p.v[]] reads [p.u[]]'
like "ribs: the trial is equal" "$out" '^trial: .* ([0-9]+) of \1 checksums equal$'
like "ribs: the patch has their table" "$(<ribs.marks.diff)" '^\+.*DVMDBG_ROWS\(p\.u, ' '^\+.*\.reads = \{ &p\.u\[0\]\[0\] \}' \
	'^\+.*DVMDBG_FORGET\(p->u\[0\]\);'
equal 1 3 27 4
talk "break 2.B
cont
print p.u[3:5][2]
assign p.u[4][2] 50
print p.u[3:5][2]
step
print p.v[4][2]
delete -all
cont" -n 3 with/ribs 27 1
like "ribs: elements are read where they are" "$(answer 'print p.u[3:5][2]')" '^p\.u\[3:5\]\[2\] = 0\.592[0-9]* 0\.694[0-9]* 0\.769[0-9]*$'
like "ribs: and are assigned there" "$(answer 'print p.v[4][2]')" '^p\.v\[4\]\[2\] = 10\.'
like "ribs: a stale halo is found through them" "$(timeout -k 5 100 "$DVMDBG" locate --auto -n 4 ./ribs 22 5 stale 2>&1 </dev/null)" \
	'^array p\.v, element p\.v\[5\]\[1\], first wrong at 6\.E in iteration 2 of the loop at ribs\.c:65, in the parallel loop at ribs\.c:68, on rank 0, because the halo of p\.u from rank 1 was stale\.$'
like "ribs: tags prove the halo" "$(timeout -k 5 60 "$DVMDBG" annotate --check -n 4 with/ribs 27 3 2>&1 </dev/null)" \
	'^array p\.u \(ribs\.c:[0-9]+\): 2-D, halo 1, 0: 162 halo elements in 3 exchanges, each from its owner$'
sed 's/^\(array .*p\.u\[\].*halo \[\)1, 0/\12, 0/' ribs.marks >more.marks
like "ribs: more rows than there are" "$("$DVMDBG" locate --marks more.marks -n 2 ./ribs 22 2 2>&1 </dev/null)" \
	'p\.u: own and halo need more rows than there are: the first argument has a pointer to each'

# structures in a vector of a class
annotated shocktube.cpp 40 4
has 'array 28 this->cells_[].rho shape [this->n_] own [this->first_:this->m_ + this->first_ - 1] halo [1]'
like "shocktube: the patch has their members" "$(<shocktube.marks.diff)" '^\+.*DVMDBG_MEMBER\(this->cells_, kind, ' '\.reads = \{ &old\[0\]\.rho, '
equal 1 3 51 3

# vectors of vectors, which are swapped
annotated sheets.cpp 24 6
has 'array 22 this->now_[] shape [this->n_, this->n_] own [this->first_:this->rows_ + this->first_ - 1, 0:this->n_ - 1] halo [1, 0]' \
	'parallel 30-33 on this->next_[] range [0:this->n_ - 1, 1:this->n_ - 2] writes [this->next_[]] reads [this->now_[]]'
like "sheets: the patch has their vector" "$(<sheets.marks.diff)" '^\+.*DVMDBG_ROWS\(this->now_, '
equal 1 3 29 5

# bounds that leave rows without an owner keep an array from having marks: they may be the fault
annotated gap.c 22 1
like "gap: rows that nobody writes are said" "$out" \
	'^left out: .*: no line writes parts .*; gap\.c:[0-9]+ writes 462 of 484 elements of dimension 1 on 2 ranks: the others have no owner'

# blocks of two kinds that are the same where ranks are two: nothing is guessed
ranks=4 annotated halves.c 21
like "halves: what may be otherwise on more ranks is no mark" "$out" '^left out: .*: several ways to divide it give the own parts of dimension 1 on these ranks, and the source does not show which: '

# rows of tables that are swapped; of inner and outer rows in calls of their own the last call has the mark; mid is what profile() frees
annotated swapped.c 22 17 6
has 'array 68 un[0] shape [n, m] own [first:first + rows - 1, 0:m - 1] halo [1, 0] periodic [1, 0]' 'sequential 69-84 range [0:steps - 1] iteration [k] at 70' \
	'parallel 79-80 on un[0] writes [un[0]]'
equal 1 3 25 18 6
unlike "swapped: nothing is forgotten before it is read" "$(<swapped.marks)" '^forget +swapped\.c:85'
unlike "swapped: no mark that a call fulfils in part" "$(<swapped.marks)" '^parallel +swapped\.c:33'

annotated pairs.c 10 12 2
has 'array 57 a shape [ny, nx] own [p.y0:p.ny + p.y0 - 1, p.x0:p.nx + p.x0 - 1] halo [1, 1]'
like "pairs: the trial does without one rank" "$out" '^trial: pairs .* on 4 and 6 ranks against 2: ([0-9]+) of \1 checksums equal$'
equal 2 4 15 13 2

annotated levels.c 12 10 2
has 'array 77 g.field[1] shape [g.ny, g.nx] own [g.row0:g.row0 + g.rows - 1, 0:g.nx - 1] halo [1, 0:g.pitch - g.nx]'
equal 1 3 17 13 2

annotated patches.c 12 2
is "patches: nothing is marked" "$(ls patches.marks 2>&1)" "ls: cannot access 'patches.marks': No such file or directory"
like "patches: why" "$out" '^left out: 12 allocated at patches\.c:26: its line allocates 12 on rank 0 of 1, and 6 on rank 0 of 2: lists of patches, and rows that are allocated one by one, are not understood: allocate all rows of an array at once' \
	'^left out: allocated at patches\.c:17: its elements are structures: '
ranks=4 annotated csr.c 80 2
is "csr: nothing is marked" "$(ls csr.marks 2>&1)" "ls: cannot access 'csr.marks': No such file or directory"
done_testing
