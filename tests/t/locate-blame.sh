# SPDX-License-Identifier: GPL-3.0-or-later
# locate with access hooks: why the first wrong element is wrong, its line, iteration, and rank. Scalars and elements
# that are set where no loop is, before they are registered, or by code without hooks; what nobody has registered;
# halos; bounds, conditions, indices; threads. Each sentence is about one element.
. "${0%/*}/lib.sh"
all_in compiler
export OMP_NUM_THREADS=2
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
cd "$tmp" || exit 1
mkdir scratch
export TMPDIR=$tmp/scratch
src=$srcdir/tests/prog/locate/blame.c
libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs -lm"

"$CC" -g -O2 -c "$srcdir/tests/prog/locate/blame_plain.c" -o plain.o || skip_all "no compiler"
build()
{
	# shellcheck disable=SC2086
	DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -std=gnu11 -g -O2 "$@" -I"$srcdir/runtime" "$src" plain.o -o blame \
		$libs >said 2>&1
}
build -fopenmp || build -Wno-unknown-pragmas || skip_all "it does not compile: $(head -n 3 said)"

# at TEXT: "blame\.c:N" of the source's line with the text
at() { echo "blame\\.c:$(line_with "$1" "$src")"; }
# start HOW…: three at a time, the reports in HOW.out
start()
{
	local how
	for how; do
		(timeout -k 5 200 "$DVMDBG" locate -n 3 ./blame "$how" >"$how.out" 2>&1 </dev/null; echo "status $?" >>"$how.out") &
		[ "$(jobs -rp | wc -l)" -lt 3 ] || wait -n
	done
	wait
}
# tells HOW REGEX…: one finding, of which these lines tell
tells()
{
	like "$1" "$(<"$1.out")" '^status 1$' "${@:2}"
}

start early told between library constant halo packed shared root outside inlib bound again other unmarked index before threads fewer times colour
flux=$(at '/* flux */') forward=$(at '.on = qn') back=$(at '.writes = { q }, .reads')
up="in iteration 3 of the loop at $(at 'DVMDBG_SL(')"

# Written, but not as often; an iteration that is missing, and one too many, which wrote the element.
often=$(at '/* added */')
for how in fewer times; do
	tells $how "^array q, element q\\[16\\], .* $up, .* on rank 1, because $often writes it last, and the reference writes it more often\\.\$" \
		'^  unwritten  q\[16\]: fewer writes than in the reference, (where it is -[0-9.]+ in the end|-[0-9.]+ in the end, -[0-9.]+ there)$' \
		"^  - look at the bounds of the loops around $often, and at conditions: how often"
done
tells colour "^array q, element q\\[16\\], .* $up, .* on rank 1, because iteration 16 of the loop at blame\\.c:[0-9]+ is executed, which the reference does not have\\.\$" \
	'^  iteration  .* that the reference does not have'

# Set where no loop is: by this program's code, by what is not seen.
tells early "^replicated dt, first wrong at 1\\.B, .* on rank \\[1\\]\\.\$" "^  likely     $(at '/* early */') sets it to 0\\.11\$" \
	'^  written    dt: 0\.11 here, not in the reference' "^             at $(at '/* early */'), outside of parallel loops, at the start, on rank 1"
tells told "^replicated dt, first wrong at 1\\.B, .* on ranks \\[1:2\\], because $(at '/* at first */') sets it to 0, and on rank 0 $(at '/* not told */') to 0\\.1\\.\$" \
	"^  - dt is meant to be equal on all ranks: look at .*, and whether what rank 0 has set gets to rank 1\$"
tells between "^replicated dt, .* on rank \\[1\\]\\.\$" "^  likely     $(at '/* scalar */') sets it to 3\\.7\$" '^  written    dt: 3\.7 here' \
	"^             at $(at '/* scalar */'), outside of parallel loops, after 5\\.E, on rank 1" '^  from       dt      0\.1$' '^             row\[1\]  3\.5$' \
	"^  - dt is meant to be equal on all ranks: look at $(at '/* scalar */')" '^`rerun -to finding 2` goes there'
tells library '^replicated dt, .* on rank \[1\]\.$' \
	'^  traced     from 5\.E to 6\.B: no write of it is seen there in either run: it is written by another name, .*, or MPI sets it, or code .*: blame_plain\.c$'
tells shared "^replicated row, element row\\[0\\], .* on ranks \\[0:1\\], because $(at '/* shared */') has set it on rank 2, and no traced statement on rank 0\\.\$" \
	'^  unwritten  row\[0\]: not here, 3 in the reference'
tells root "^replicated row, element row\\[0\\], .*, because $(at '/* shared */') has set it on rank 2 as in the reference, and what is not traced has changed it since\\.\$" \
	"^  - what changes it on rank 2 after $(at '/* shared */')\\? A broadcast may come from another rank"
tells outside "^array qn, element qn\\[17\\], .* on rank 1, because $(at '/* element */') sets q\\[18\\] to 9, and there is no such write in the reference\\.\$" \
	"^  origin     q\\[18\\]: 9 since $(at '/* element */'), outside of parallel loops, after 5\\.E, on rank 1; .* since $(at '/* copied */') on rank 0 of the reference\$" \
	"^  chain      q\\[18\\]: 9, -0\\.37.* in the reference, set at $(at '/* element */') on rank 1\$" \
	"^  - look at the index and at conditions at $(at '/* element */') on rank 1\$"
tells inlib 'element qn\[17\], .*, on rank 1\.$' '^  likely     q\[18\], which it is computed from, was wrong already$' \
	"^  origin     q\\[18\\]: .* since $(at '/* copied */') on rank 1, changed since by code that is not traced; " '^  - .*a later change was not traced: .*: blame_plain\.c$'

# What nobody has registered.
tells constant 'element qn\[32\], .* on rank 2, because gam is 0\.41, and 0\.4 in the reference\.$' \
	"^             at $flux in iteration 32, .* on rank 2, in the reference on rank 0; 15 like it\$" '^  from       gam    0\.41, 0\.4 in the reference$' '^14 runs, '
tells before 'element qn\[16\], .* on rank 1, because memory 8 bytes before q is read for it, but not in the reference\.$' \
	'^  from       q\[15\]  +not read here, .* in the reference; in the halo, rank 0 owns it$'

# Halos, by what is read; as the last write of them says.
tells halo "element qn\\[15\\], first wrong at 6\\.E $up, .* on rank 0, because the halo of q from rank 1 was stale\\.\$" \
	'^  from       q\[16\]  .* in the reference; in the halo, rank 1 owns it$'
tells packed "element qn\\[16\\], .* because the halo of q from rank 0 was (stale, as $(at '/* unpacked */') has set it|wrong when .* read q\\[15\\] on rank 1: it held q\\[14\\] of rank 0)\\.\$" \
	"^  origin     the copy of q\\[15\\]: .* since $(at '/* unpacked */'), outside of parallel loops, after 5\\.E, on rank 1"

# Iterations, statements, indices: no halo is to blame.
tells bound "element qn\\[15\\], .* on rank 0, because iteration 15 of the loop at $forward is not executed\\.\$"
tells unmarked "element q\\[31\\], .* on rank 1, because it is not written here, but in the reference at $(at '/* copied */')\\.\$" \
	'^  unwritten  q\[31\]: not here, '
tells again "element q\\[19\\], .* in the parallel loop at $back, on rank 1, because $(at '/* neighbour */') writes it, and there is no such write in the reference\\.\$" \
	'^  written    q\[19\]: 9 here, not in the reference'
unlike "it was written twice" "$(<again.out)" 'left it unchanged|has not changed it'
tells other "element qn\\[20\\], .* on rank 1, because $(at '/* instead */') writes it, where $flux does in the reference\\.\$"
tells index 'element qn\[20\], .* on rank 1, because q\[18\] is read for it, but not in the reference\.$' \
	'^  from       q\[18\]  .*, not read in the reference$' '^             q\[21\]  not read here, '
for how in bound unmarked again other index constant before; do
	unlike "$how: no halo is told" "$(<$how.out)" '^  halo|the halo of'
done

# Several wrong elements, of several threads and ranks: one is the first in all that is said.
tells threads "^array qn, element qn\\[3\\], first wrong at 6\\.E .* on rank 0\\.\$" \
	"^  likely     $flux computes it differently with off, which blame\\.c:[0-9]+ sets, or s, which blame\\.c:[0-9]+ sets in the same iteration\$" \
	'^  written    qn\[3\]: 1\.69' "^             at $flux in iteration 3, .*; 6 like it\$" '^  (from)? +q\[3\]  ' '^  shape      every 7th element from 3$'
# located NAME LEVEL DECLARATIONS ARGS…: a program with 20 elements dealt out as lo to hi, whose body is read; locate says
# NAME.out of it
located()
{
	cat - >body
	cat - body >"$1.c" <<EOT
#include <mpi.h>
#include "dvmdbg.h"
$3
int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int lo = 20 * rank / size, hi = 20 * (rank + 1) / size - 1;
EOT
	printf '\tMPI_Finalize();\n\treturn 0;\n}\n' >>"$1.c"
	# shellcheck disable=SC2086
	DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -g "$2" -I"$srcdir/runtime" "$1.c" -o "$1" $libs
	timeout -k 5 200 "$DVMDBG" locate -n 2 "./$1" "${@:4}" >"$1.out" 2>&1 </dev/null
}
# line NAME TEXT: where it is
line() { grep -nF -e "$2" "$1.c" | cut -d : -f 1; }
# A result of a loop that only reads what was set wrong before it.
located largest -O1 'static double b[20], big, own;' <<'EOT'
	double *p = b + lo;
	DVMDBG_ARRAY(p, .shape = { 20 }, .own = { { lo, hi } });
	DVMDBG_REPLICATED(big);
	for (int s = 0; s < 3; s++) {
		DVMDBG_PL(.range = { { 0, 19 } }, .writes = { p })
		for (int i = lo; i <= hi; i++) {
			DVMDBG_PL_ITERATION(i);
			b[i] = i + s;
		}
		if (s == 1 && size > 1 && rank == 0)
			b[hi] = 90; /* outside */
		DVMDBG_PL(.range = { { 0, 19 } }, .reads = { p }) {
			own = 0;
			for (int i = lo; i <= hi; i++) {
				DVMDBG_PL_ITERATION(i);
				own = b[i] > own ? b[i] : own; /* read */
			}
			MPI_Allreduce(&own, &big, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
			DVMDBG_REDUCTION(big, DVMDBG_MAX);
		}
	}
EOT
like "a reduction over what was set wrong before" "$(<largest.out)" \
	"^replicated big, first wrong at 4\\.E, .*\\.\$" "^  likely     p\\[9\\], which is read before at largest\\.c:$(line largest '/* read */'), was wrong already\$" \
	"^  - look at largest\\.c:$(line largest '/* outside */'), which has set p\\[9\\] to 90 on rank 0\$"
# A result that gets to a loop in a variable that is in no memory.
located result -O1 'static double b[20], q[20];
static double sum(const double *x, int n)
{
	double own = 0, all;
	for (int i = 0; i < n; i++)
		own += x[i];
	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	DVMDBG_REDUCTION(all, DVMDBG_SUM); /* reduced */
	return all;
}' <<'EOT'
	double *p = b + lo, *r = q + lo;
	DVMDBG_ARRAY(p, .shape = { 20 }, .own = { { lo, hi } });
	DVMDBG_ARRAY(r, .shape = { 20 }, .own = { { lo, hi } });
	DVMDBG_PL(.range = { { 0, 19 } }, .writes = { p })
	for (int i = lo; i <= hi; i++)
		b[i] = i + 1;
	for (int s = 0; s < 3; s++) {
		double by = 1 / sum(p, hi - lo + 1 - (s == 1 && rank == 1));
		DVMDBG_PL(.range = { { 0, 19 } }, .writes = { r }, .reads = { p })
		for (int i = lo; i <= hi; i++) {
			DVMDBG_PL_ITERATION(i);
			q[i] = b[i] * by; /* used */
		}
	}
EOT
like "a result in a register" "$(<result.out)" \
	"^array r, element r\\[0\\], .*, on rank 0, because result\\.c:$(line result '/* used */') computes it differently, after the reduction of all at result\\.c:$(line result '/* reduced */'), which gives another result\\.\$" \
	"^  - look at what ranks contribute, and at the operation and the communicator, at result\\.c:$(line result '/* reduced */')"
# An element that MPI has set, which no trace can show.
located received -O1 'static double b[20], q[20];' <<'EOT'
	double *p = b + lo, *r = q + lo, ninety = 90;
	DVMDBG_ARRAY(p, .shape = { 20 }, .own = { { lo, hi } });
	DVMDBG_ARRAY(r, .shape = { 20 }, .own = { { lo, hi } });
	DVMDBG_PL(.range = { { 0, 19 } }, .writes = { p })
	for (int i = lo; i <= hi; i++)
		b[i] = i;
	for (int s = 0; s < 3; s++) {
		if (s == 1 && size > 1 && rank == 0)
			MPI_Sendrecv(&ninety, 1, MPI_DOUBLE, 0, 0, &b[hi], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		DVMDBG_PL(.range = { { 0, 19 } }, .writes = { r }, .reads = { p })
		for (int i = lo; i <= hi; i++) {
			DVMDBG_PL_ITERATION(i);
			q[i] = b[i] + s;
		}
	}
EOT
like "what MPI has set" "$(<received.out)" '^array r, element r\[9\], .*, on rank 0\.$' '^  likely     p\[9\], which it is computed from, was wrong already$' \
	'^  - received\.c:17 has set p\[9\] to 9, and a later change was not traced: MPI made it, or code that is not compiled with dvmdbg-cc or dvmdbg-fc$'
# A statement that sets a halo to something else between its exchange and its use.
located halfway -O1 'static double b[22], q[20];' <<'EOT'
	double *p = b + lo, *r = q + lo;
	int below = rank ? rank - 1 : MPI_PROC_NULL, above = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	DVMDBG_ARRAY(p, .shape = { 20 }, .own = { { lo, hi } }, .halo = { 1 });
	DVMDBG_ARRAY(r, .shape = { 20 }, .own = { { lo, hi } });
	DVMDBG_PL(.range = { { 0, 19 } }, .writes = { p })
	for (int i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		b[i + 1] = i + 1;
	}
	MPI_Sendrecv(&b[lo + 1], 1, MPI_DOUBLE, below, 0, &b[hi + 2], 1, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int s = 0; s < 3; s++) {
		if (s == 1 && size > 1 && rank == 0)
			b[hi + 2] = 0.5; /* halfway */
		DVMDBG_PL(.range = { { 0, 18 } }, .writes = { r }, .reads = { p })
		for (int i = lo; i <= hi && i < 19; i++) {
			DVMDBG_PL_ITERATION(i);
			q[i] = b[i + 2] + s;
		}
	}
EOT
like "what has set a halo since" "$(<halfway.out)" \
	"^array r, element r\\[9\\], .* on rank 0, because the halo of p from rank 1 was stale, as halfway\\.c:$(line halfway '/* halfway */') has set it\\.\$" \
	"^  - halfway\\.c:$(line halfway '/* halfway */') has set that part of the halo of p on rank 0: is it what rank 1 has now, of the right elements, and not set too early\\?\$"
# computed NAME HOW AFTER [BEFORE]: what stands behind and before a reduction, which takes the wrong operation when HOW is so
computed()
{
	located "$1" -O1 'static double b[20], all, own, root;
static double from(void) { return all; }' <<EOT
	double *p = b + lo;
	DVMDBG_ARRAY(p, .shape = { 20 }, .own = { { lo, hi } });
	DVMDBG_REPLICATED(root);
	for (int s = 0; s < 3; s++) {
		own = 0;
		DVMDBG_PL(.range = { { 0, 19 } }, .writes = { p })
		for (int i = lo; i <= hi; i++) {
			DVMDBG_PL_ITERATION(i);
			own += b[i] = i + 4 * s;
		}
		${4-} /* before */
		MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, $2 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
		DVMDBG_REDUCTION(all, DVMDBG_SUM); /* reduced */
		$3 /* after */
	}
	DVMDBG_PL()
	;
EOT
}
computed root 's == 1' 'root = 1 / all;'
computed passed 's == 1' 'root = 1 / from();'
computed wrong 0 '' 'root = s == 1 ? size : 1, own *= root;'
like "computed from the wrong result of a reduction" "$(<root.out)" \
	"^  likely     root\\.c:$(line root '/* after */') computes it from all, and the reduction of that at root\\.c:$(line root '/* reduced */') gives another result\$" \
	"^  - .*: look at what ranks contribute, and at the operation and the communicator, at root\\.c:$(line root '/* reduced */')\$"
like "from where its variable is not named" "$(<passed.out)" \
	"^  likely     passed\\.c:$(line passed '/* after */') sets it after the reduction of all at passed\\.c:$(line passed '/* reduced */'), which gives another result\$"
like "set wrong before the reduction" "$(<wrong.out)" '^replicated root, '
unlike "and no reduction is to blame" "$(<wrong.out)" '^replicated root, .*reduction'
# More is read for an element than can be told, and what is read behind the wrong write is no cause of it.
located many -O0 'static double w[32], p[20], q[20];' short <<'EOT'
	int less = argc > 1 && size > 1;
	double *a = p + lo, *b = q + lo;
	DVMDBG_REPLICATED(w);
	DVMDBG_ARRAY(a, .shape = { 20 }, .own = { { lo, hi } });
	DVMDBG_ARRAY(b, .shape = { 20 }, .own = { { lo, hi } });
	for (int k = 0; k < 32; k++)
		w[k] = k;
	DVMDBG_PL(.range = { { 0, 19 } }, .writes = { a, b })
	for (int i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		double s = 0;
		for (int k = less && i == hi; k < 32; k++)
			s += w[k] + 1;
		p[i] = s;
		for (int k = 0; k < 80; k++)
			s += w[k % 32];
		q[i] = p[i] + s;
	}
EOT
like "the reads that differ are told, of however many" "$(<many.out)" '^             w\[17\]  17$' '^             w\[31\]  31$' '^             more may be read than is listed$' \
	'^array a, element a\[9\], .* on rank 0\.$' '^  likely     w\[0\] is not read for it, but is in the reference$' \
	'^  from       w\[0\]   not read here, 0 in the reference$'
# What differs was read long before.
located far -O0 'static double w[150], p[20];' <<'EOT'
	double *a = p + lo;
	DVMDBG_ARRAY(a, .shape = { 20 }, .own = { { lo, hi } });
	for (int k = 0; k < 150; k++)
		w[k] = k + (size > 1 && rank && k == 3) / 2.0; /* wrong */
	DVMDBG_PL(.range = { { 0, 19 } }, .writes = { a })
	for (int i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		double s = 0;
		for (int k = 0; k < 150; k++)
			s += w[k];
		p[i] = s + i;
	}
EOT
like "far: an operand that differs, of many" "$(<far.out)" '^array a, element a\[10\], .* on rank 1\.$' \
	"^  likely     far\\.c:$(line far '/* wrong') sets w\\[3\\] to 3\\.5, and to 3 in the reference, though it reads the same numbers\$" \
	'^  from       w\[3\]  3\.5, 3 in the reference$'
# Dealt out by columns: what the reference reads in the same iteration for other columns is not missing here.
located columns -O1 'static double w[20], a[8][20];' <<'EOT'
	double *p = &a[0][lo], h = size > 1 && rank ? 0.6 : 0.5;
	DVMDBG_REPLICATED(w);
	DVMDBG_ARRAY(p, .shape = { 8, 20 }, .own = { { 0, 7 }, { lo, hi } }, .stride = { 20, 1 });
	for (int k = 0; k < 20; k++)
		w[k] = k;
	DVMDBG_PL(.range = { { 0, 7 } }, .writes = { p })
	for (int i = 0; i < 8; i++) {
		DVMDBG_PL_ITERATION(i);
		for (int j = lo; j <= hi; j++)
			a[i][j] = h * w[j] + i; /* wrong */
	}
EOT
like "columns: what is read for them" "$(<columns.out)" '^  from       w\[10\]  10$' \
	"element p\[0\]\[10\], .* on rank 1, because columns\.c:$(line columns '/* wrong') computes it differently, though it reads the same from registered arrays\.\$"
unlike "columns: and for no others" "$(<columns.out)" 'not read here'
# Arrays that one line registers, and a sum that each iteration adds to before.
located twins -O1 'static double mp[3][20], *field[3] = { mp[0], mp[1], mp[2] };' <<'EOT'
	double sum = 0, all;
	for (int k = 0; k < 3; k++)
		DVMDBG_ARRAY(field[k], .shape = { 20 }, .own = { { lo, hi } });
	DVMDBG_PL(.range = { { 0, 19 } }, .writes = { field[0], field[1] })
	for (int i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		field[0][i - lo] = field[1][i - lo] = i;
	}
	DVMDBG_PL(.range = { { 0, 19 } }, .writes = { field[2] }, .reads = { field[0], field[1] })
	for (int i = lo; i <= hi; i++) {
		DVMDBG_PL_ITERATION(i);
		sum += field[0][i - lo];
		field[2][i - lo] = field[0][i - lo] * (size > 1 && i == 13 ? 3 : 2) + field[1][i - lo]; /* wrong */
	}
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
EOT
id="field\[k\]@twins\.c:$(line twins DVMDBG_ARRAY)"
like "which of several arrays, and no sum" "$(<twins.out)" \
	"element field\[k\]\[13\], .* on rank 1\.\$" \
	"^  likely     twins\.c:$(line twins '/* wrong') computes it differently, though it reads the same from registered arrays\$" \
	'^  from       field\[k\]\[13\]  +13$' "^             field\[k\]\[13\] of $id#1  13\$"
unlike "the reference is the same when it is made again" "$(<twins.out)" 'repeated reference'
is "nothing is left" "$(ls "$TMPDIR")" ""
no_leak "locate"
done_testing
