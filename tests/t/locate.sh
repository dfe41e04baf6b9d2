# SPDX-License-Identifier: GPL-3.0-or-later
# locate names the array, the first wrong element and the construct of every fault of every example, finds
# nothing in programs that are right, and tells rounding from faults.
. "$(dirname "$0")/lib.sh"

# locate N ARGS…: the report as one JSON object in $report, exit status in $status
locate()
{
	local n=$1
	shift
	timeout 300 "$DVMDBG" locate --json -n "$n" "$@" >"$tmp/locate" 2>"$tmp/err" </dev/null
	status=$?
	report=$(grep -F '"type":"locate"' "$tmp/locate")
	[ -n "$report" ] || report=$(cat "$tmp/locate" "$tmp/err")
}
# field NAME: of the report
field() { printf '%s\n' "$report" | grep -oE "\"$1\":(\"[^\"]*\"|[^,}]*)" | head -n 1 | sed -E 's/^[^:]*:"?//; s/"$//'; }

# found NAME: status, array, element, place of the report
found() { echo "$status $(field array) $(field where)"; }

# Each fault on 2 and 4 ranks; the elements of the lists are those of 4.
faults()
{
	local mpi=$1 exe=$2 args=$3 only=${4-} name fault array element place n
	name=$(basename "$exe" -mpich)
	# shellcheck disable=SC2086
	"$exe" $args --fault list >"$tmp/list"
	while IFS=$'\t' read -r fault array element place; do
		[ -z "$only" ] || [ "$only" = "$fault" ] || continue
		for n in 2 4; do
			# shellcheck disable=SC2086
			locate $n "$exe" $args --fault "$fault"
			is "$mpi: $name --fault $fault on $n ranks" "$(found)" "1 $array $place" ||
				diag "$(printf '%.3000s' "$report")"
			[ $n = 2 ] || is "$mpi: $name --fault $fault: the element" "$(field element)" "$element"
		done
	done <"$tmp/list"
	no_leak "$mpi: faults of $name"
}

# Right programs: nothing is found, to the last bit or within rounding.
right()
{
	local mpi=$1 exe=$2 args=$3 want=$4 n
	for n in 1 2 3 4 6; do
		# shellcheck disable=SC2086
		locate $n "$exe" $args
		like "$mpi: $(basename "$exe") is right on $n ranks" "$status $(field verdict)" "^0 ($want)\$"
	done
	no_leak "$mpi: right programs"
}

first=$(first_mpi)
for mpi in $(mpis); do
	for example in "heat;40 3;missing-halo;equal" "cg;40 6;off-by-one;equal|rounding" \
		"jacobi;40 3;differing-weight;equal" "lu;12 2;missing-flux-halo;equal|rounding" \
		"ring;24 2;off-by-one;equal" "multiblock;24 3;off-by-one;equal"; do
		IFS=';' read -r name args only want <<<"$example"
		exe=$(prog "doc/examples/$name" "$mpi")
		if [ ! -x "$exe" ]; then
			skip "$mpi: $name" "it was not built"
			continue
		fi
		[ "$mpi" = "$first" ] && only=
		faults "$mpi" "$exe" "$args" "$only"
		[ "$mpi" != "$first" ] || right "$mpi" "$exe" "$args" "$want"
	done
done

heat=$(prog doc/examples/heat "$first")
locate 4 "$heat" 40 3 --fault missing-halo
like "the halo that the loop read is told, and since when" "$report" \
	'"stale_halos":\[\{"array":"u","rank":[01],"owner":[23],' '"since":"1.E"' '"because":"the halo of u from rank'
like "the report has both values, the shape, the stack, and the source" "$report" '"reference_value":"' \
	'"value":"' '"shape":"' '"iteration":\[1\]' '"loop":"heat.c:52"' '"current":true' '"kind":"synchronized"'
locate 4 "$heat" 40 3 --fault differing-eps
like "copies that differ are told with their ranks" "$report" '"copies":\[.*"ranks":"\[3\]".*"value":"0.75"'
timeout 300 "$DVMDBG" locate -n 4 "$heat" 40 3 --fault swapped-index >"$tmp/text" 2>&1 </dev/null
is "the text's exit status" $? 1
like "the text names it all in one line" "$(cat "$tmp/text")" \
	'^array v, element v\[20\]\[1\], first wrong at 3\.E in iteration 1 of the loop at heat\.c:52, in the parallel loop at heat\.c:61, on rank 2, because the halo of u from rank 0 was stale\.$' \
	'previous correct point 2\.E' '^-> *61 ' '4 runs'

dvm 120 'locate
print v[20][1]
where' -n 4 "$heat" 40 3 --fault swapped-index
like "the session stands at the mismatch" "$out" '^v\[20\]\[1\] = ' 'PL  heat\.c:61   3\.E'
dvm 60 'locate -ranks 0'  -n 2 "$heat" 40 3
like "a bad number of ranks is told" "$out$err" 'locate -ranks 0: 1 to 65536 ranks are allowed'
no_leak "sessions"
done_testing
