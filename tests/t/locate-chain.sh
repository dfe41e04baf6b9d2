# SPDX-License-Identifier: GPL-3.0-or-later
# locate follows a chain to its root: through work arrays and scalars that nobody registered, buffers, halos that two
# ranks compute, a pipeline. The root, its grade, and each step.
. "${0%/*}/lib.sh"
all_in compiler
own_program locate/chain.c
hooked chain || skip_all "it does not compile: $(head -n 3 said)"

# start HOW…: two at a time, the reports in HOW.out
start()
{
	local how
	for how; do
		(timeout -k 5 200 "$DVMDBG" locate -n 3 ./chain "$how" >"$how.out" 2>&1 </dev/null; echo "status $?" >>"$how.out") &
		[ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
	done
	wait
}
# tells HOW REGEX…: one finding, of which these lines tell
tells() { like "$1" "$(<"$1.out")" '^status 1$' "${@:2}"; }

start none work scalar packed early node pipe branch cast inner soon
update=$(source_line '/* update */') flux=$(source_line '/* flux */') node=$(source_line '/* node */') scale=$(source_line '/* scale */') sweep=$(source_line '/* sweep */') inner=$(source_line '/* inner */') edge=$(source_line '/* edge */')
like "without a fault" "$(<none.out)" '^status 0$' '^nothing differs'

# Set wrong in memory that nobody registered, named by the pointer that it was allocated for, in an earlier loop, and between loops.
tells work "^array q, element q\\[20\\]\\[0\\], .* on rank 1, because $flux sets flux\\[5\\] to -0\\.44.*, and to -0\\.73.* in the reference, though it reads the same numbers\\.\$" \
	"^  chain      flux\\[5\\]: -0\\.44[0-9]*, -0\\.73[0-9]* in the reference, set at $flux in iteration 20 on rank 1\$" \
	"^             q\\[20\\]\\[0\\]: -0\\.048[0-9]*, -0\\.122[0-9]* in the reference, set at $update in iteration 20 on rank 1\$"
tells scalar "^array q, element q\\[16\\]\\[0\\], .* on rank 1, because $scale sets scale to 0\\.26, and to 0\\.25 in the reference, though it reads the same numbers\\.\$" \
	"^  chain      scale: 0\\.26, 0\\.25 in the reference, set at $scale on rank 1\$"

# Through buffers: another element; and what was not put into them again.
tells packed "^array q, element q\\[15\\]\\[0\\], .* on rank 0, because the halo of q from rank 1 was wrong when $flux read q\\[16\\]\\[1\\] on rank 0: it held q\\[17\\]\\[1\\] of rank 1\\.\$" \
	"^  chain      q\\[17\\]\\[1\\]: 0\\.337[0-9]*, taken at $(source_line '/* pack */') on rank 1\$" \
	"^             q\\[16\\]\\[1\\]: 0\\.337[0-9]*, 0\\.737[0-9]* in the reference, read at $flux on rank 0\$" \
	"^             flux\\[16\\]: .*, set at $flux in iteration 15 on rank 0\$" "^             q\\[15\\]\\[0\\]: .*, set at $update in iteration 15 on rank 0\$"
tells early "^array q, element q\\[15\\]\\[0\\], .* on rank 0, because the halo of q from rank 1 was stale when $node read q\\[16\\]\\[2\\] on rank 0\\.\$" \
	"^             node\\[16\\]: .*, set at $node in iteration 16 on rank 0\$"

# A node that two ranks compute: no halo is to blame.
tells node "^array q, element q\\[31\\]\\[0\\], .* on rank 1, because $node sets node\\[32\\] to 0\\.658[0-9]*, and to 0\\.648[0-9]* in the reference, though" \
	"^  chain      node\\[32\\]: .*, set at $node in iteration 32 on rank 1\$" "^             q\\[31\\]\\[0\\]: .*, set at $(source_line '/* of nodes */') in iteration 31 on rank 1\$"
unlike "a halo that is computed" "$(<node.out)" 'the halo of'

# In the same loop the owner had it right.
tells pipe "^array sweep, element sweep\\[16\\], .* on rank 1, because the halo of sweep from rank 0 was stale when $inner read sweep\\[15\\] on rank 1\\.\$" \
	"^  - rank 0 has set sweep\\[15\\] to [0-9.]+ at $sweep: look for its way to rank 1 before $inner"
# Read by another branch than in the reference, which may be what is wrong.
tells branch "^array sweep, element sweep\\[16\\], .* on rank 1\\.\$" \
	"^  likely     $edge reads sweep\\[15\\] for it on rank 1, where $inner does in the reference, and the halo of sweep from rank 0 was stale\$" \
	"^  - look at the conditions of $edge and $inner: is $edge to be executed on rank 1"

# Not broadcast, on the stack of a function that has returned: as the source has it.
given=$(source_line '/* given */') first=$(source_line '/* at first */') kept=$(source_line '/* kept */')
tells cast "^  likely     $first sets par\\[2\\] to 0, where $given sets it to 0\\.001 in the reference\$" \
	"^             small: 0, 0\\.001 in the reference, set at $kept on rank 1\$" \
	"^  - MPI_Bcast at $(source_line '/* cast */') stands between $given and $kept, which reads it: .*to rank 1\\? Look at its count"

# From a variable of the iteration, which no memory has.
tells inner "^array q, element q\\[16\\]\\[0\\], .* on rank 1\\.\$" \
	"^  likely     $update computes it differently with by, which $(source_line '/* by */') sets in the same iteration\$"

# Equal in this run, and by chance.
tells soon "^nothing differs" "^  - the answer depends on time, and may differ in another run: $(source_line '/* soon */') reads the buffer .*MPI_Irecv"

# Results of collectives in variables that nobody registers, and what is computed from them.
src=$srcdir/tests/prog/locate/csr.c
hooked csr || not_ok "csr compiles" "$(<said)"
for how in "1e-12 none" "1 dot" "1 late" "1 column"; do
	# shellcheck disable=SC2086
	timeout -k 5 200 "$DVMDBG" locate -n 3 ./csr $how >"${how#* }.out" 2>&1 </dev/null
	echo "status $?" >>"${how#* }.out"
done
result=$(source_line '/* result */') sum=$(source_line '/* sum */')
like "one is registered before it is set, which is all" "$(<none.out)" '^status 1$' '^replicated rho, first wrong at 1\.B' \
	'rho was not set yet at 1\.[BE], and has been set since: register it where it has its value'
tells dot "^replicated alpha, first wrong between 2\\.E and 3\\.B, [^,]*, after the parallel loop at csr\\.c:[0-9]+\\.\$" \
	"^  likely     a variable without a name, which $result reads on rank 0, is [0-9.]+, and [0-9.]+ in the reference: no write of that is seen\$" \
	"^  - it may be the result of MPI_Allreduce at $sum: look at what each rank gives to that call, .*; whose part is wrong is not known\$"
tells late "^  likely     (rho, which $(source_line '/* beta */') reads, was wrong already|a variable without a name, which $result reads .*)\$" \
	'^  - (look at csr\.c:[0-9]+, which has set rho to [0-9.]+ on rank 0, and at what it is computed from|it may be the result of MPI_Allreduce .*)$'
unlike "who has set the same sends nothing" "$(<late.out)" 'on rank [12]'
tells column "^array q, element q\\[42\\], .* on rank 2, because all\\[36\\] is read for it, but not in the reference\\.\$"

# A halo that each rank computes itself, before anything was compared, of one that holds what another side was to have.
src=$srcdir/doc/examples/stagger.f90
sed 's/call pack_side(d, .true., to_high)/call pack_side(d, .false., to_high)/' "$src" >stagger.f90
if DVMDBG_FC=mpif90.$mpi "$builddir/runtime/dvmdbg-fc" -g -O1 "$srcdir/runtime/dvmdbg.f90" stagger.f90 -o stagger $libs >said 2>&1; then
	state=$(source_line 'p(i, j) = 0.4d0') push=$(source_line 'x1(i, j) = x0(i, j)')
	like "the exchange is changed" "$(diff "$src" stagger.f90 | grep -c '^>')" '^1$'
	timeout -k 5 200 "$DVMDBG" locate -n 2 ./stagger 16 2 >stagger.out 2>&1 </dev/null
	like "computed from stale halo" "$(<stagger.out)" \
		"^array xvel1, element xvel1\\(9,1\\), .* on rank 1, because the halo of energy from rank 0 was stale when $state read energy\\(8,1\\) on rank 1\\.\$" \
		"^  chain      energy\\(8,1\\): 1\\.927[0-9]*, 1\\.361[0-9]* in the reference, read at $state on rank 1\$" \
		"^             pressure\\(8,1\\): .*, set at $state in iteration \\(8,1\\) on rank 1\$" \
		"^             xvel1\\(9,1\\): .*, set at $push in iteration \\(9,1\\) on rank 1\$" \
		"^ *at $push in iteration \\(9,1\\), .* on rank 1, in the reference on rank 0"
else
	skip "computed from stale halo" "no Fortran compiler"
fi
# Marks beside the source that say that a loop sets all, where edges are set behind it: they may be wrong.
cat >edges.c <<'EOT'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 40 };
int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int lo = N * rank / size, hi = N * (rank + 1) / size - 1, n = hi - lo + 1;
	int next = rank < size - 1 ? rank + 1 : MPI_PROC_NULL, last = rank ? rank - 1 : MPI_PROC_NULL;
	double *u = calloc(n + 2, sizeof(*u)), *v = calloc(n + 2, sizeof(*v));
	printf("begun\n"); /* registered */
	for (int i = 1; i <= n; i++) /* first */
		u[i] = 1 + (lo + i) * 0.5;
	MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, next, 0, &u[0], 1, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, last, 0, &u[n + 1], 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 2; i < n; i++) /* inner */
		v[i] = u[i - 1] + u[i + 1];
	v[1] = u[0] + u[2];
	v[n] = u[n - 1] + u[n + 1];
	printf("%g\n", v[1]);
	MPI_Finalize();
	return 0;
}
EOT
src=edges.c
first=$(line_with '/* first */' edges.c) inner=$(line_with '/* inner */' edges.c) here=$(line_with '/* registered */' edges.c)
cat >edges.marks <<EOT
function    edges.c:7
array       edges.c:$here  u  shape [40]  own [lo:hi]  halo [1]
array       edges.c:$here  v  shape [40]  own [lo:hi]  halo [1]
parallel    edges.c:$first-$((first + 1))  on u  range [0:39]  writes [u]  iteration [lo + i - 1] at $((first + 1))
parallel    edges.c:$inner-$((inner + 1))  on v  range [1:38]  writes [v]  reads [u]  iteration [lo + i - 1] at $((inner + 1))
EOT
DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -std=gnu11 -g -O0 edges.c -o edges >said 2>&1 || not_ok "edges compiles" "$(<said)"
timeout -k 5 200 "$DVMDBG" locate --marks edges.marks -n 4 ./edges >edges.out 2>&1 </dev/null
like "a mark may be wrong" "$(<edges.out)" "^array v, element v\\[9\\], .* on rank 0\\.\$" \
	"^  possible   the mark of the loop at edges\\.c:$inner may be wrong: it does not set the edges of what ranks own" \
	"^  - does the program set these elements behind the loop at edges\\.c:$inner"
is "nothing is left" "$(ls "$TMPDIR")" ""
no_leak "locate"
done_testing
