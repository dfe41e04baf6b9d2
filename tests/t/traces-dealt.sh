# SPDX-License-Identifier: GPL-3.0-or-later
# Arrays that Fortran has dealt out by lists of indices: in one dimension and two, and a mesh with ghosts. They are
# printed, added up, and compared access by access, whatever the number of ranks.
. "${0%/*}/lib.sh"
all_in all
mpi=$(first_mpi)
fc=mpifort.$mpi
[ -n "$mpi" ] && command -v "$fc" >/dev/null || skip_all "no MPI for Fortran"
source=$srcdir/tests/prog/traces/dealt.f90
cd "$tmp" || exit 1

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
line() { line_with "$1" "$source"; }

build()
{
	DVMDBG_FC=$fc "$builddir/runtime/dvmdbg-fc" -O2 "$srcdir/runtime/dvmdbg.f90" "$source" "$@" \
		-L"$builddir/runtime/.libs" -Wl,-rpath,"$builddir/runtime/.libs" -ldvmdbg
}
build -g -o dealt || skip_all "$fc does not compile"

dvm 60 'break 3.E
cont
print row(5:12)
print tile(0:3,1:4)
print node(16:20)
print sum(tile)' -n 3 ./dealt
is "they are shown as one, in the order of their indices" "$(said | sed -n '/^row/,$p')" \
	'row(5:12) =
   5:    2.23606797749979   2.449489742783178  2.6457513110645907  2.8284271247461903                   3
  10:  3.1622776601683795     3.3166247903554  3.4641016151377544
tile(0:3,1:4) =
       1    2    3    4
  0    1    2    3    4
  1  101  102  103  104
  2  201  202  203  204
  3  301  302  303  304
node(16:20) = 0.0625 0.058823529411764705 0.05555555555555555 0.05263157894736842 0.05
sum(tile) = 669600'

for m in 1 2 3; do
	shell record --level FULL -o "ref-$m" -n "$m" ./dealt
	is "recorded on $m" "$status" 0
	for n in 1 2 3 4 6; do
		shell compare -r "ref-$m" -n "$n" ./dealt
		like "$n ranks have no finding against $m" "status $status
$out" '^status 0$' '^compared 13 checksums of 4 arrays at 12 points: equal$' \
			'^compared traces .* 2496 iterations, .*: equal(; [0-9]+ not compared)?$'
		# ghosts are nobody's elements
		[ $m != 1 ] || unlike "and all are judged" "$out" 'not compared'
	done
done

# fault HOW RANKS SUM FINDING…: what is said of the sums, and the first finding of the traces
fault()
{
	local how=$1 n=$2
	shift 2
	shell compare -r ref-1 -n "$n" ./dealt "$how"
	like "$how on $n: the element, the line and the rank" "status $status
$(printf '%s\n' "$out" | awk '/^Finding checksum/ && !sums++; /^Finding [^c]/ && !traces++')" '^status 1$' "$@"
}
row=$(line "how == 'row'") tile=$(line "how == 'tile'") mesh=$(line "how == 'mesh'") flow=$(line 'flow(k) = node(')
for owner in '2 0' '3 1' '4 2'; do
	fault row "${owner% *}" '^Finding checksum .* array \("row", "dealt\.f90", .* at the point 1\.E' \
		"^Finding use  \[${owner#* }\]  .*: row\(11\): 4\.31662.* here, not in the reference, at 1\.B in iteration 11  dealt\.f90:$row  rank 0 there"
done
for owner in '2 1' '3 1' '4 3'; do
	fault tile "${owner% *}" '^Finding checksum .* array \("tile", .* at the point 9\.E' \
		"^Finding use  \[${owner#* }\]  .*: tile\(9,14\): -1 here, not in the reference, at 9\.B in iteration \(9,14\)  dealt\.f90:$tile  rank 0 there"
done
for n in 2 3 4; do
	fault mesh $n '^Finding checksum .* array \("flow", .* at the point 7\.E' \
		"^Finding use  \[0\]  .*: flow\(17\): -1\.65277.* here, not in the reference, at 7\.B in iteration 17  dealt\.f90:$mesh  rank 0 there"
done
for owner in '2 1 22' '3 2 23' '4 1 22'; do
	read -r n rank node <<<"$owner"
	fault ghost "$n" '^Finding checksum .* array \("flow", .* at the point 7\.E' \
		"^Finding value  \[$rank\]  .*: flow\($node\): .* in the reference .* at 7\.B in iteration $node  dealt\.f90:$flow  rank 0 there"
done
shell locate -n 4 ./dealt tile
like "locate finds it, too" "$out" '^array tile, element tile\(9,14\), first wrong at 9\.E in iteration 2 of the loop' \
	"^ *at dealt\.f90:$tile in iteration \(9,14\), .* on rank 3, in the reference on rank 0"
shell locate -n 2 ./dealt ghost
like "and a ghost that is stale, which is one of what it can be" "$out" \
	'^array flow, element flow\(22\), first wrong at 7\.E .* on rank 1\.$' \
	"^  possible   dealt\\.f90:$flow computes it differently, with what rank 1 has in place of node\\(11\\), which \\[0\\] owns\$" \
	'^  - look for the transfer of node\(11\) to rank 1 before the loop'
build -o bare
shell locate -n 4 ./bare tile
like "without debug information" "$out" \
	'^array tile, element tile\(9,14\), first wrong at 9\.E in iteration 2 of the loop at bare, in the parallel loop at bare\+0x[0-9a-f]+, on rank 3'
no_leak "lists of indices"
done_testing
