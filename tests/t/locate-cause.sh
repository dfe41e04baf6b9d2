# SPDX-License-Identifier: GPL-3.0-or-later
# What locate says of causes: "likely" only where a halo explains what is wrong, and is read; "possible" when
# something else does as well; else what the values at the construct's beginning and their shape tell.
. "${0%/*}/lib.sh"
all_in all

# line TEXT: of the program's source that has the text
line() { line_with "$1" "$srcdir/tests/prog/locate/causes.c"; }
# locate HOW RANKS: the report in $out, exit status in $status
locate()
{
	out=$(timeout -k 5 120 "$DVMDBG" locate -n "$2" "$causes" "$1" 2>&1 </dev/null)
	status=$?
}
# tells HOW RANKS REGEX…: one finding, of which these lines tell
tells()
{
	local how=$1 n=$2
	shift 2
	locate "$how" "$n"
	like "$mpi: $how on $n ranks" "status $status
$out" '^status 1$' "$@"
}
# not_because: of what was told last
not_because() { unlike "$mpi: no halo is the cause" "$out" '^  (likely|possible) +the halo' 'look for the exchange'; }

for mpi in $(mpis_in long); do
	causes=$(prog tests/prog/locate/causes "$mpi")
	[ -x "$causes" ] || skip_all "no MPI"
	locate right 4
	like "$mpi: no fault" "status $status
$out" '^status 0$' '^nothing differs'

	# Halos that are the cause: of an array that is read, beside the wrong elements, on all ranks.
	for how in halo unsaid; do
		tells $how 4 '^array w, element w\[12\]\[1\], first wrong at 2\.E .* on rank 2\.$' '^  likely     the halo of u from rank 0 was stale$' \
			'^  halo       u on \[2:3\], below in dimension 1, from \[0:1\]: 24 of 24 stale since 1\.E$' \
			'^  - look for the exchange of u between 1\.E and the loop at causes\.c'
		unlike "$mpi: other halos that are stale are not told" "$out" 'old on' 'above in'
	done
	tells corner 4 'element w\[11\]\[11\], .* on rank 0\.$' '^  likely     the halo of u from rank 3 was stale$' \
		'^  halo       u on \[0\], corner: above in 1, above in 2, from \[3\]: 1 of 1 stale since 1\.E$' \
		'^             u on \[2\], corner: below in 1, above in 2'
	tells short 4 'element s\[12\]\[5\], first wrong at 6\.E .* on rank 2\.$' '^  likely     the halo of s from rank 0 was stale$' \
		'^  halo       s on \[2:3\], below in dimension 1, from \[0:1\]: 4 of 24 stale$'

	# In a task: the stack is that of the point, and nothing is said of its loops before, which read u.
	tells inside 4 '^array u, element u\[12\]\[1\], first wrong at 12\.1\.2\.E, .* on rank 2\.$' '^  likely     the halo of w from rank 0 was stale$' \
		'^  0  synchronized +\[0:3\] +PL  causes\.c:[0-9]+   12\.1\.2\.E' '^  1  synchronized +\[0:3\] +task 1 '
	unlike "$mpi: it is the same when it is run again" "$out" 'is not reproducible|was run again'

	# Several can be, or the array is of another shape, or nothing shows that the halo is meant to be right.
	tells either 4 'element z\[1\]\[11\], .*\.$' '^  possible   the halo of a from rank 1 was stale$' \
		'^  halo       a on ' '^             b on ' '^             2 more sides$' '^  - if the loop reads that halo: look for the exchange of a'
	unlike "$mpi: it is not said for sure" "$out" ', because'
	tells coarse 4 'element half\[1\]\[6\], .*\.$' '^  possible   the halo of u from rank 0 was stale$'
	tells edge 4 'element w\[12\]\[1\], .*\.$' '^  possible   the halo of old from rank 0 was stale$'

	# Stale halos beside it, but all that a rank owns is wrong; and none of the array that is set wrong.
	for n in 2 4; do
		tells constant $n '^array w, .* first wrong at 2\.E' "^  shape      all that rank $((n - 1)) owns" \
			'^  halo       old on' '^  - all that these ranks own is wrong: look for a variable or constant'
		not_because
	done

	# Nor a corner, which most loops do not read, when more is wrong than what is beside it.
	tells patch 4 '^array u, element u\[1\]\[1\], first wrong at 2\.E, .* on rank 0\.$' '^  halo       u on \[0\], corner: '
	not_because

	# As it was at the beginning: not set, or wrong already.
	tells skip 4 'element w\[12\]\[1\], first wrong at 2\.E [^,]*, in the parallel loop at causes\.c:[0-9]+, on rank 2\.$' \
		'^  at 2\.B     0 here, 0 in the reference: the same value as at the end here$' \
		'^  - after the loop at causes\.c:[0-9]+ these elements have the values of 2\.B, which the reference changes: does it come to them'
	not_because
	tells between 4 "element s\\[13\\]\\[13\\], already wrong at 11\\.B in iteration 2 of the loop at causes\\.c:[0-9]+: it became wrong between 6\\.E and 11\\.B, not in the parallel loop at causes\\.c:$(line '.on = s'), on rank 3\\.\$" \
		'^  at 11\.B    -1 here, 4\.1.* in the reference: wrong already$' '^  - s was right at 6\.E and is wrong at 11\.B: '
	not_because

	# The values of other elements.
	tells shift 4 '^  - on rank 2 the values are those of the elements 1 higher in dimension 1: look at the offset'
	tells local 4 '^  - on rank 2 the values are those of the elements 12 lower in dimension 1, as if its part began'
	tells periodic 4 '^  - on rank 2 the values are those of the elements 12 lower in dimension 1, as if its part began'
	tells transpose 4 '^  - on rank 2 the values are those of the elements with rows and columns exchanged'
	not_because
	is "$mpi: one advice" "$(printf '%s\n' "$out" | sed -n '/^what to try/,/^$/p' | grep -c '^  - ')" 1
	no_leak "$mpi"
done
done_testing
