# SPDX-License-Identifier: GPL-3.0-or-later
# locate names the array, the first wrong element and the construct of every fault of the examples, finds
# nothing in programs that are right, and tells rounding from faults. locate-blocks.sh has the others.
. "${0%/*}/lib.sh"

. "${0%/*}/locates.sh"

first=$(first_mpi)
examples "heat;40 3;missing-halo;equal"
! in_set all || examples "cg;40 6;;equal|rounding" "jacobi;40 3;;equal" "lu;12 2;missing-flux-halo;equal|rounding" \
	"stagger;24 3;;equal|rounding"

heat=$(prog doc/examples/heat "$first")
locate a 4 --image "$tmp/v.png" "$heat" 40 3 --fault missing-halo &
locate b 4 "$heat" 40 3 --fault differing-eps
wait $!
result a
like "the halo that the loop read is told, and since when" "$report" \
	'"stale_halos":\[\{"array":"u","rank":[01],"owner":[23],' '"since":"1.E"' '"causes":\[\{"grade":"likely","text":"the halo of u from rank'
like "the report has both values, the shape, the stack, and the source" "$report" '"reference_value":"' \
	'"value":"' '"shape":"' '"iteration":\[1\]' '"loop":"heat.c:52"' '"current":true' '"kind":"synchronized"'
is "it was there again when both were run again" "$(field reference_again) $(field again)" "true true"
is "the picture is a PNG file" "$(field image) $(head -c 4 "$tmp/v.png" | tail -c 3)" "$tmp/v.png PNG"
result b
like "copies that differ are told with their ranks" "$report" '"copies":\[.*"ranks":"\[3\]".*"value":"0.75"'
timeout 300 "$DVMDBG" locate -n 4 "$heat" 40 3 --fault swapped-index >"$tmp/text" 2>&1 </dev/null
is "the text's exit status" $? 1
like "the text names it all in one line" "$(<"$tmp/text")" \
	'^array v, element v\[20\]\[1\], first wrong at 3\.E in iteration 1 of the loop at heat\.c:52, in the parallel loop at heat\.c:61, on rank 2\.$' '^  likely     the halo of u from rank 0 was stale$' \
	'previous correct point 2\.E' '^-> *61 ' '^4 runs, [0-9.]+ s; the reference has 11 points in [0-9]+ bytes\.$' \
	'^  - look for the exchange of u between 1\.E and the loop at heat\.c:61'
rest_in all

# Corners, which are stale as well, and which a program without hooks may read.
dvm 120 'locate
locate -all' -n 4 "$heat" 40 3 --fault missing-halo
like "corners are in one line, and listed when that is asked" "$out" \
	'^             and 4 corners or edges with 4 stale elements \(locate -all lists them\)$' \
	'^             u on \[3\], corner: below in 1, below in 2, from \[0\]: 1 of 1 stale since 1\.E$'

mkdir "$tmp/scratch"
TMPDIR=$tmp/scratch talk 'locate
diff
diff v[20][1:2] -list 1
diff u
print v[20][1]
where
step
diff v
rerun -to 3.E
diff v -list 0
delete -all
cont
rerun' -n 4 "$heat" 40 3 --fault swapped-index
is "diff alone shows the array that differs first, with the reference's values" \
	"$(answer diff | head -n 5 | sed 's/(by more.*//')" 'v: 36 of 1600 elements differ from the reference run of locate on 1 rank 
  where    part of row 20: nearly all columns 1 to 38, the boundary between [0:1] and [2:3]: the first row of ranks [2:3]
  owners   [2:3]
  first    v[20][1] = -0.02146178845155555, reference -0.019054674658382585, owned by rank 2
  largest  v[20][6] = -0.0890259645698504, reference -0.07904097996568604, difference 0.009985'
like "by its name and a section, too" "$(answer 'diff v[20][1:2] -list 1')" '^v: 2 of 2 elements differ from the reference run of locate'
is "and again after a rerun to it" "$(answer 'diff v -list 0' | sed -n 4p)" \
	'  first    v[20][1] = -0.02146178845155555, reference -0.019054674658382585, owned by rank 2'
is "of others what can be done is said" "$(answer 'diff u')" "locate kept only v at 3.E of the reference. Type rerun -to 3.E, then diff v. \
For u at 3.E: record DIR -arrays u -at 3.E in a run of the reference, then compare DIR in this one"
like "and elsewhere" "$(answer 'diff v')" '^locate kept only v at 3\.E of the reference\. .*For v at 4\.B: '
unlike "no place of our own is named" "$out" "$tmp/scratch"
is "and none is left" "$(ls "$tmp/scratch")" ""
like "the session stands at the mismatch, and can be used after it" "$out" '^v\[20\]\[1\] = ' \
	'PL  heat\.c:61   3\.E' '^Ranks \[0:3\] exited with code 1; last seen at 8\.E' '^All ranks have ended'
dvm 60 'locate -ranks 0'  -n 2 "$heat" 40 3
like "a bad number of ranks is told" "$out" 'locate -ranks 0: 1 to 65536 ranks are allowed'
no_leak "sessions"
done_testing
