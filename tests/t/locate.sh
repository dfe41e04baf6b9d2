# SPDX-License-Identifier: GPL-3.0-or-later
# locate names the array, the first wrong element and the construct of every fault of the examples, finds
# nothing in programs that are right, and tells rounding from faults. locate-blocks.sh has the others.
. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/locates.sh"

first=$(first_mpi)
examples "heat;40 3;missing-halo;equal" "cg;40 6;;equal|rounding" "jacobi;40 3;;equal" \
	"lu;12 2;missing-flux-halo;equal|rounding" "stagger;24 3;;equal|rounding"

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
like "the text names it all in one line" "$(cat "$tmp/text")" \
	'^array v, element v\[20\]\[1\], first wrong at 3\.E in iteration 1 of the loop at heat\.c:52, in the parallel loop at heat\.c:61, on rank 2\.$' '^  likely     the halo of u from rank 0 was stale$' \
	'previous correct point 2\.E' '^-> *61 ' '^4 runs, [0-9.]+ s; the reference has 11 points in [0-9]+ bytes\.$' \
	'^  - look for the exchange of u between 1\.E and the loop at heat\.c:61'

dvm 120 'locate
print v[20][1]
where
cont
rerun' -n 4 "$heat" 40 3 --fault swapped-index
like "the session stands at the mismatch, and can be used after it" "$out" '^v\[20\]\[1\] = ' \
	'PL  heat\.c:61   3\.E' '^Ranks \[0:3\] exited with code 1; last seen at 8\.E' '^All ranks have ended'
dvm 60 'locate -ranks 0'  -n 2 "$heat" 40 3
like "a bad number of ranks is told" "$out" 'locate -ranks 0: 1 to 65536 ranks are allowed'
no_leak "sessions"
done_testing
