# SPDX-License-Identifier: GPL-3.0-or-later
# Fields of small and large numbers are judged alike: by the largest number of their block and component.
. "${0%/*}/lib.sh"
all_in all

first=$(first_mpi)
scaled=$(prog tests/prog/locate/scaled "$first")
[ -x "$scaled" ] || skip_all "no MPI"
hooked=$builddir/tests/prog/locate/scaled-hooked

# shell ARGS…: what is said in $out, exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
	out="status $status
$out"
}

scales="1e-12 1e12"
in_set all && scales="1e-12 1 1e12 1e-150"
for scale in $scales; do
	shell record -o "$tmp/ref" -n 1 "$scaled" "$scale"
	shell compare -r "$tmp/ref" -n 3 "$scaled" "$scale" right
	like "$scale: a right program" "$out" '^status 0$' '^compared [0-9]+ checksums of 3 arrays at [0-9]+ points: equal$'
	shell compare -r "$tmp/ref" -n 3 "$scaled" "$scale" noise
	like "$scale: noise where the reference has 0" "$out" '^status 0$' \
		'only rounding differs, from 2\.E on, .* within 1e-09 of its block.s largest value; small differences in [0-9]+ checksums, .* first in v at 2\.E'
	shell compare -r "$tmp/ref" -n 3 "$scaled" "$scale" missing
	like "$scale: an exchange is missing" "$out" '^status 1$' 'Different checksums for array \("v", .* at the point 5\.E'
	shell compare -r "$tmp/ref" -n 3 "$scaled" "$scale" half
	like "$scale: a component far smaller than the other" "$out" '^status 1$' 'Different checksums for array \("a", .* at the point 10\.E'
done
shell locate -n 3 "$scaled" 1e-12 missing
like "located" "$out" '^status 1$' '^array v, elements? v\[5460:5461\]|^array v, element v\[546[01]\], first wrong at 5\.E' \
	'^  differ     4 of 16384 elements'
shell locate -n 3 "$scaled" 1e-12 half
like "located: of a component" "$out" '^array a, element a\[8199\]\[1\], first wrong at 10\.E' '^  differ     1 of 32768 elements'
shell locate -n 3 "$scaled" 1 spread
like "what differs by less is no element" "$out" '^  differ     small differences: [0-9]+ of 16384 elements, none by more than 1e-09 of its block.s largest value; together'
unlike "not 0 of them" "$out" ' 0 of 16384'

shell locate -n 3 "$scaled" 1 cancel
like "noise in one of a few numbers" "$out" '^status 0$' '^only rounding differs.* in sums '
shell locate -n 3 "$scaled" 1 single
like "the tolerance of single precision is named" "$out" '^status 0$' \
	"^only rounding differs, within 1e-09 of its block's largest value, 1e-05 in single precision: from [0-9]+\\.E on, first in w "

# traces, which take the scale from the checksums of the reference
if [ -x "$hooked" ]; then
	for scale in 1e-12 1e12; do
		shell record -o "$tmp/traced" --set LEVEL=FULL -n 1 "$hooked" "$scale"
		like "$scale: recorded" "$out" '^status 0$'
		is "$scale: beside the traces" "$(ls "$tmp/traced/scales.bin")" "$tmp/traced/scales.bin"
		shell compare -r "$tmp/traced" --set LEVEL=FULL -n 3 "$hooked" "$scale" right
		like "$scale: a right program, access by access" "$out" '^status 0$'
		shell compare -r "$tmp/traced" --set LEVEL=FULL -n 3 "$hooked" "$scale" noise
		like "$scale: noise, access by access" "$out" '^status 0$'
		shell compare -r "$tmp/traced" --set LEVEL=FULL -n 3 "$hooked" "$scale" half
		like "$scale: half, access by access" "$out" '^status 1$' 'a\[8199\]\[1\].* of its block.s largest value, 1e-09 allowed'
		[ $scale = 1e-12 ] || continue
		rm "$tmp/traced/scales.bin"
		shell compare -r "$tmp/traced" --set LEVEL=FULL -n 3 "$hooked" "$scale" noise
		like "a reference without scales: what its numbers are judged by" "$out" \
			'^compared traces .*: equal, ([0-9]+) of them only within .*; \1 were compared without scales, which .*/traced does not have: below 1 by the absolute difference$'
	done
	shell locate -n 3 "$hooked" 1e-12 missing
	like "located by its trace" "$out" '^status 1$' '^array v, element v\[546[01]\], first wrong at 5\.E' 'u\[546[01]\].*'
fi
no_leak "scaled fields"
done_testing
